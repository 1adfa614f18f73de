/* Explanation of contact: the vertices that it limits, by which pair, and why. Runs on the host
 * after the limits of a contact iteration, on copies of the device's arrays, with the text that
 * limited the vertices there (contact_limit.h), which is strict: the fractions have the device's
 * bits. */
#include "contact/contact_host.h"

#include "heddle/cloth_contact.h"

#include <stdlib.h>
#include <string.h>

struct cloth_explanation {
    int32_t vertex;    /* HED_CLOTH_EXPLAIN_ALL, or one vertex */
    uint32_t particle; /* particle of that vertex */
    hed_cloth_contact_limit *limits;
    uint32_t count, capacity;
};

/* Arrays of a contact iteration as device and host have them: contact_launch.c. */
typedef struct explained_iteration {
    contact_counters counters;
    contact_params params;
    uint32_t pair_count;
    contact_pair *pairs;
    contact_plane *planes;
    float4 *start, *position, *moved, *covers;
    uint *fractions;
    int32_t *vertices;               /* (particles) first vertex of each */
    hed_cloth_contact_limit *limits; /* (particles) limit of each; fraction 1: no limit */
} explained_iteration;

/* ---- numbers of vertices ---- */

static void number_vertices(const hed_cloth *cloth, int32_t *vertices)
{
    for (uint32_t i = 0; i < cloth->particles; i++) vertices[i] = HED_CLOTH_EXPLAIN_NONE;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t v = garment->copies * garment->vertex_count; v-- > 0;) {
            uint32_t copy = v / garment->vertex_count, vertex = v % garment->vertex_count;
            vertices[cloth->first_particle[g] + copy * garment->particle_count +
                     garment->vertex_particle[vertex]] = (int32_t)(cloth->first_vertex[g] + v);
        }
    }
}

static uint32_t particle_of(const hed_cloth *cloth, uint32_t vertex)
{
    uint32_t g = 0;
    while (vertex >= cloth->first_vertex[g + 1]) g++;
    const cloth_garment *garment = cloth->garments[g];
    uint32_t v = vertex - cloth->first_vertex[g];
    return cloth->first_particle[g] + v / garment->vertex_count * garment->particle_count +
           garment->vertex_particle[v % garment->vertex_count];
}

/* ---- limits ---- */

static hed_status append_limit(
    hed_cloth *cloth, cloth_explanation *e, const hed_cloth_contact_limit *limit, hed_error *error)
{
    if (e->count == e->capacity) {
        uint32_t capacity = e->capacity ? 2 * e->capacity : 64;
        hed_cloth_contact_limit *larger =
            hed_new(&cloth->allocator, capacity, sizeof *larger, error);
        if (!larger) return HED_ERROR_MEMORY;
        if (e->count) memcpy(larger, e->limits, e->count * sizeof *larger);
        hed_delete(&cloth->allocator, e->limits, e->capacity, sizeof *larger);
        e->limits = larger;
        e->capacity = capacity;
    }
    e->limits[e->count++] = *limit;
    return HED_OK;
}

static hed_cloth_contact_limit limit_of_pair(const explained_iteration *it, uint32_t k)
{
    contact_pair pair = it->pairs[k];
    const uint particles[4] = {contact_first(pair), pair.b, pair.c, pair.d};
    hed_cloth_contact_limit limit = {.iteration = it->params.iteration,
        .edges = contact_edges(pair) != 0,
        .gap = it->planes[k].normal.w,
        .fraction = 1.0f};
    for (int end = 0; end < 4; end++) limit.pair[end] = it->vertices[particles[end]];
    return limit;
}

static hed_cloth_contact_limit limit_without_pair(
    const explained_iteration *it, hed_cloth_limit_reason reason, int32_t vertex)
{
    hed_cloth_contact_limit limit = {
        .iteration = it->params.iteration, .reason = reason, .vertex = vertex, .fraction = 1.0f};
    for (int end = 0; end < 4; end++) limit.pair[end] = HED_CLOTH_EXPLAIN_NONE;
    return limit;
}

/* ---- pairs that limit a vertex ---- */

/* True if a limit replaces that of another pair: the smaller fraction counts, and of equal ones the
 * pair of smaller numbers, since the order of pairs differs from run to run. */
static bool is_smaller(
    const hed_cloth_contact_limit *limit, const hed_cloth_contact_limit *previous)
{
    if (limit->fraction != previous->fraction) return limit->fraction < previous->fraction;
    return limit->fraction < 1.0f && memcmp(limit->pair, previous->pair, sizeof limit->pair) < 0;
}

/* Stores the limit of each vertex of a pair if it is smaller than the limits by earlier pairs. */
static void find_contact_limits(explained_iteration *it, uint32_t k)
{
    contact_pair pair = it->pairs[k];
    contact_params params = it->params;
    const uint particles[4] = {contact_first(pair), pair.b, pair.c, pair.d};
    hed_cloth_contact_limit limit = limit_of_pair(it, k);
    for (params.round = 0; params.round < CONTACT_LIMIT_ROUNDS; params.round++) {
        if (contact_to_limit(&it->counters, params) == 0) return;
        contact_fractions left;
        contact_allowance to = contact_test(pair, it->planes + k, it->start, it->moved,
            it->fractions, &it->counters, params, &left);
        if (to.reason == CONTACT_SAFE) continue;
        bool frozen = to.reason == CONTACT_FREEZE; /* motions without a length */
        limit.reason = frozen ? HED_CLOTH_LIMIT_ROUNDING : HED_CLOTH_LIMIT_PLANE;
        limit.continues = contact_continues(&it->counters, it->params) != 0;
        const uint bits[4] = {left.a, left.b, left.c, left.d};
        const float motion[4] = {to.motion.x, to.motion.y, to.motion.z, to.motion.w},
                    allowed[4] = {to.allowed.x, to.allowed.y, to.allowed.z, to.allowed.w};
        for (int end = 0; end < 4; end++) {
            if (!(motion[end] > allowed[end])) continue;
            limit.vertex = it->vertices[particles[end]];
            limit.requested = frozen ? 0.0f : motion[end];
            limit.allowed = frozen ? 0.0f : allowed[end];
            limit.fraction =
                as_float(contact_limited_fraction(bits[end], motion[end], allowed[end]));
            if (is_smaller(&limit, &it->limits[particles[end]])) it->limits[particles[end]] = limit;
        }
    }
}

/* ---- pairs near one vertex ---- */

/* True if the pair pushes its vertices, as the solver requested their positions. */
static bool pushes(const explained_iteration *it, uint32_t k)
{
    contact_plane plane = it->planes[k];
    uint edges = contact_edges(it->pairs[k]);
    contact_ends y = contact_ends_of(it->position, it->pairs[k]);
    float4 w = contact_weights(plane.p, plane.q, edges), h = contact_heights(plane.normal, y, y.a);
    float separation = it->params.iteration > 0 ? 0.0f : it->params.max_separation;
    float gap = plane.normal.w, reach = plane.reach;
    float target = gap < reach ? hed_min(reach, gap + separation) : reach;
    return fma(w.y, h.y, fma(w.z, h.z, w.w * h.w)) < target;
}

static int compare_near(const void *a, const void *b)
{
    const hed_cloth_contact_limit *left = a, *right = b;
    if (left->gap != right->gap) return left->gap < right->gap ? -1 : 1;
    return memcmp(left->pair, right->pair, sizeof left->pair);
}

/* Appends a pair of a particle that does not limit it. */
static hed_status append_near(hed_cloth *cloth, cloth_explanation *e, const explained_iteration *it,
    uint32_t k, hed_error *error)
{
    contact_pair pair = it->pairs[k];
    contact_params params = it->params;
    const uint particles[4] = {contact_first(pair), pair.b, pair.c, pair.d};
    hed_cloth_contact_limit limit = limit_of_pair(it, k);
    contact_ends x = contact_ends_of(it->start, pair), y = contact_ends_of(it->moved, pair);
    params.round = CONTACT_LIMIT_ROUNDS - 1; /* no test: the motions for any gap */
    contact_allowance to = contact_allow(x, y, it->planes[k], contact_edges(pair),
        contact_shift(&it->counters, params), y.a, params);
    const float motion[4] = {to.motion.x, to.motion.y, to.motion.z, to.motion.w},
                allowed[4] = {to.allowed.x, to.allowed.y, to.allowed.z, to.allowed.w};
    for (int end = 0; end < 4; end++) {
        if (particles[end] != e->particle) continue;
        const hed_cloth_contact_limit *strictest = &it->limits[e->particle];
        if (strictest->fraction < 1.0f &&
            memcmp(limit.pair, strictest->pair, sizeof limit.pair) == 0)
            return HED_OK;
        limit.reason = pushes(it, k) ? HED_CLOTH_LIMIT_PUSH : HED_CLOTH_LIMIT_NEAR;
        limit.vertex = it->vertices[e->particle];
        limit.requested = to.reason == CONTACT_FREEZE ? 0.0f : motion[end];
        limit.allowed = to.reason == CONTACT_FREEZE ? 0.0f : allowed[end];
        return append_limit(cloth, e, &limit, error);
    }
    return HED_OK;
}

/* ---- vertices that the list holds ---- */

/* Distance from its motion at which a particle is held, m; 0: it is not held (contact_apply). */
static float held_distance(const explained_iteration *it, uint32_t i)
{
    float4 at = it->moved[i], request = it->position[i];
    if (at.x == request.x && at.y == request.y && at.z == request.z) return 0.0f;
    float4 shift = contact_shift(&it->counters, it->params),
           drift = contact_plus(shift, contact_drift(&it->counters, it->params));
    float spare = 0.98f * contact_spare(&it->counters, it->params),
          cover = 0.98f * it->params.cover;
    float off = contact_deviation(at, contact_plus(it->start[i], shift), request).w,
          off_list = contact_deviation(at, contact_plus(it->covers[2 * i], drift),
              contact_plus(it->covers[2 * i + 1], drift))
                         .w;
    const float rounding = 0.9999f;
    return off >= rounding * spare ? spare : off_list >= rounding * cover ? cover : 0.0f;
}

/* ---- an iteration ---- */

static hed_status read_iteration(hed_cloth *cloth, const cloth_pairing *p, hed_arena *arena,
    explained_iteration *it, hed_error *error)
{
    const cloth_pairing_buffers *b = &p->b;
    uint64_t n = cloth->particles;
    it->params = p->params;
    if (cloth_pairs_read_counters(cloth, p, &it->counters, error)) return error->status;
    it->pair_count = contact_count(&it->counters, it->params);
    it->vertices = hed_arena_new(arena, n, sizeof *it->vertices, error);
    it->limits = hed_arena_new(arena, n, sizeof *it->limits, error);
    const struct {
        void **to;
        hed_buffer *from;
        uint64_t bytes;
    } arrays[] = {
        {(void **)&it->pairs, b->pairs, it->pair_count * sizeof *it->pairs},
        {(void **)&it->planes, b->planes, it->pair_count * sizeof *it->planes},
        {(void **)&it->start, b->start, n * sizeof *it->start},
        {(void **)&it->position, cloth->buffers.position, n * sizeof *it->position},
        {(void **)&it->moved, b->moved, n * sizeof *it->moved},
        {(void **)&it->covers, b->covers, 2 * n * sizeof *it->covers},
        {(void **)&it->fractions, b->fractions, CONTACT_FRACTION_WORDS * n * sizeof *it->fractions},
    };
    for (size_t i = 0; i < HED_COUNT(arrays); i++) {
        *arrays[i].to = hed_arena_new(arena, arrays[i].bytes, 1, error);
        if (arrays[i].bytes && *arrays[i].to)
            hed_read(cloth->stream, *arrays[i].to, arrays[i].from, 0, arrays[i].bytes, error);
    }
    hed_stream_wait(cloth->stream, error->status ? NULL : error);
    return error->status;
}

static hed_status explain_all(
    hed_cloth *cloth, cloth_explanation *e, explained_iteration *it, hed_error *error)
{
    number_vertices(cloth, it->vertices);
    for (uint32_t i = 0; i < cloth->particles; i++) it->limits[i].fraction = 1.0f;
    for (uint32_t k = 0; k < it->pair_count; k++) find_contact_limits(it, k);
    if (contact_frozen(&it->counters, it->params)) {
        hed_cloth_contact_limit frozen =
            limit_without_pair(it, HED_CLOTH_LIMIT_CAPACITY, HED_CLOTH_EXPLAIN_NONE);
        frozen.fraction = 0.0f;
        return append_limit(cloth, e, &frozen, error);
    }
    for (uint32_t i = 0; i < cloth->particles && !error->status; i++) {
        if (e->vertex != HED_CLOTH_EXPLAIN_ALL && i != e->particle) continue;
        hed_cloth_contact_limit cover =
            limit_without_pair(it, HED_CLOTH_LIMIT_COVER, it->vertices[i]);
        cover.requested = cover.allowed = held_distance(it, i);
        if (it->limits[i].fraction < 1.0f) append_limit(cloth, e, &it->limits[i], error);
        if (cover.allowed > 0.0f) append_limit(cloth, e, &cover, error);
    }
    uint32_t first_pair = e->count;
    for (uint32_t k = 0; k < it->pair_count && e->vertex != HED_CLOTH_EXPLAIN_ALL; k++)
        if (append_near(cloth, e, it, k, error)) break;
    if (e->count > first_pair)
        qsort(e->limits + first_pair, e->count - first_pair, sizeof *e->limits, compare_near);
    return error->status;
}

hed_status cloth_explain_iteration(
    hed_cloth *cloth, const cloth_pairing *p, cloth_explanation *e, hed_error *error)
{
    hed_arena arena = {.allocator = cloth->allocator, .owner = "the explanation of contact"};
    explained_iteration it = {.pair_count = 0};
    uint32_t first = e->count;
    if (!read_iteration(cloth, p, &arena, &it, error)) explain_all(cloth, e, &it, error);
    for (uint32_t i = first; i < e->count; i++) e->limits[i].substep = p->substeps - 1;
    hed_arena_free(&arena);
    return error->status;
}

/* ---- the public functions ---- */

void cloth_explanation_begin(cloth_explanation *e)
{
    if (e) e->count = 0;
}

void cloth_explanation_destroy(hed_cloth *cloth, cloth_explanation *e)
{
    if (!e) return;
    hed_delete(&cloth->allocator, e->limits, e->capacity, sizeof *e->limits);
    hed_delete(&cloth->allocator, e, 1, sizeof *e);
}

hed_status hed_cloth_explain_contact(hed_cloth *cloth, int32_t vertex, hed_error *error)
{
    HED_REQUIRE(cloth);
    cloth_contacts *contacts = cloth->contacts;
    if (!contacts || !contacts->pairing)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "contact: no garment has contact to explain; expected self_collision with triangles");
    if (vertex < HED_CLOTH_EXPLAIN_ALL || (vertex >= 0 && (uint32_t)vertex >= cloth->vertices))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "contact: vertex is %d; expected one of %u vertices, HED_CLOTH_EXPLAIN_ALL or "
            "HED_CLOTH_EXPLAIN_NONE",
            (int)vertex, cloth->vertices);
    if (vertex == HED_CLOTH_EXPLAIN_NONE) {
        cloth_explanation_destroy(cloth, contacts->explanation);
        contacts->explanation = NULL;
        return HED_OK;
    }
    cloth_explanation *e = contacts->explanation;
    if (!e) e = contacts->explanation = hed_new(&cloth->allocator, 1, sizeof *e, error);
    if (!e) return HED_ERROR_MEMORY;
    e->vertex = vertex;
    e->particle = vertex < 0 ? 0 : particle_of(cloth, (uint32_t)vertex);
    return HED_OK;
}

const hed_cloth_contact_limit *hed_cloth_contact_limits(const hed_cloth *cloth, uint32_t *count)
{
    if (!cloth || !count) return NULL;
    const cloth_explanation *e = cloth->contacts ? cloth->contacts->explanation : NULL;
    *count = e ? e->count : 0;
    return *count ? e->limits : NULL;
}
