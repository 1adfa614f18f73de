/* Cloth that never crosses cloth: the tree over its own triangles, what it keeps on the device, and
 * the launches of a substep. contact/contact_pair.h has the rule; docs/cloth-contact.md why it
 * holds.
 *
 * The garments that take part are one set: any of their triangles may meet any other. The tree
 * keeps its shape and its boxes follow, as that of the mesh colliders does. Its leaves are single
 * triangles; each vertex and each edge is owned by the first triangle that has it (after Curtis,
 * Tamstorf and Manocha, Fast Collision Detection for Deformable Models using
 * Representative-Triangles, 2008), so that a pair is found once.
 *
 * How many pairs there are is known on the device alone. What it counts is copied to the host after
 * each submission and looked at LOOK_AFTER submissions later, when it is long there; where more
 * than half of the room was needed, there will be more. Where all of it was not enough, all cloth
 * stands for that substep, relative to its mean motion: nothing crosses, and it is reported. */
#include "contact/contact_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_A_PARTICLE = 64, /* that there is room for at first */
    LEAST_PAIRS = 4096,
    MOST_PAIRS = 1 << 27,
    LOOKS = 4, /* submissions whose counters may be on their way */
    LOOK_AFTER = 3
};
static const float spare_least = 0.1f; /* of the thinnest thickness */
/* How far off its way a particle may be: of the thinnest thickness, and of the longest edge, as more
 * would list neighbours along cloth that is thick for its mesh for nothing. */
static const float off_thickness = 0.35f, off_edge = 0.12f;
static const double come_apart = 0.25; /* m/s: how fast what is too near comes apart */
/* of the distance from zero, by two floats of the world: 2^-23, and a tenth for tests again */
static const double read_lost = 1.4e-7;
static const float push_steps = 32768.0f; /* of the largest thickness, in sums of pushes */

/* Device memory, and pinned memory for what is looked at. */
typedef struct pairs_buffers {
    hed_buffer *corners; /* (leaves) uint4: a triangle, and bits of what it owns */
    hed_buffer *boxes;   /* (2 x leaves x 2) float4 */
    hed_buffer *gradients, *around_at, *around, *convex; /* of cloth_flat */
    hed_buffer *slopes;                                  /* (leaves x 3) float4 */
    hed_buffer *ranges;                                  /* (2 x leaves x 4) float4 */
    hed_buffer *rests;    /* (particles) float4: place at rest; in w the body */
    hed_buffer *bodies;   /* (copies of all garments) float4: thickness, friction */
    hed_buffer *start;    /* (particles) float4: where the substep began, inverse mass */
    hed_buffer *moved;    /* (particles) float4: where contacts have moved what the solver wants */
    hed_buffer *shares;   /* (particles x rounds) uint: bits of the share of the way */
    hed_buffer *sums;     /* (particles) int4 */
    hed_buffer *counters; /* CLOTH_PAIRS_COUNTERS */
    hed_buffer *state;    /* of a barrier over all groups */
    hed_buffer *covers;   /* (particles x 2) float4: the way in the substep of the list's making */
    hed_buffer *ahead;    /* (particles) float4: where the way of a list made now ends */
    hed_buffer *offs;     /* (particles) float: how far ways are off those in `covers` */
    hed_buffer *list;     /* (list_room) uint4 */
    hed_buffer *kept;     /* (list_room) uint2: bits of reach, and of how far apart */
    hed_buffer *found;    /* (capacity) uint4; triangles that are near while a list is made */
    hed_buffer *planes;   /* (capacity x 2) float4 */
    hed_buffer *pinned;   /* (LOOKS x CLOTH_PAIRS_COUNTERS) int */
} pairs_buffers;

struct cloth_pairing {
    pairs_buffers b;
    cloth_pairs pairs;
    hed_event *seen[LOOKS];
    uint32_t submissions;
    uint32_t substeps; /* of the frame so far */
    uint32_t groups;   /* of the one launch of a substep; 0: not known yet */
};

bool cloth_garment_pairs(const cloth_garment *garment)
{
    return garment->self_collision == HED_CLOTH_SELF_TRIANGLES && garment->thickness > 0.0f &&
           garment->triangle_count > 0;
}

/* ---- the tree ---- */

/* An edge of a triangle: ends in order, and where it comes from. */
typedef struct owned_edge {
    uint32_t low, high, leaf, edge;
} owned_edge;

static int compare_owned(const void *a, const void *b)
{
    const owned_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->leaf < q->leaf ? -1 : p->leaf > q->leaf;
}

/* Triangles of all that take part, and their centres at rest; copies lie apart in x, so that the
 * tree parts them first. Gives their number. */
static uint32_t gather_triangles(
    const hed_cloth *cloth, float wide, uint4 *triangles, float (*centres)[3])
{
    uint32_t count = 0, body = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, body++) {
            uint32_t first = cloth->first_particle[g] + copy * garment->particle_count;
            for (uint32_t t = 0; cloth_garment_pairs(garment) && t < garment->triangle_count; t++) {
                const uint32_t *c = garment->triangles[t];
                if (triangles) {
                    triangles[count] = (uint4){first + c[0], first + c[1], first + c[2], 0};
                    for (int k = 0; k < 3; k++)
                        centres[count][k] = garment->rest[c[0]][k] + garment->rest[c[1]][k] +
                                            garment->rest[c[2]][k];
                    centres[count][0] += wide * (float)body;
                }
                count++;
            }
        }
    }
    return count;
}

/* How wide the garments lie at rest, times six: centres are sums of three. */
static float width_at_rest(const hed_cloth *cloth)
{
    float most = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = 0; i < cloth->garments[g]->particle_count; i++)
            for (int k = 0; k < 3; k++) most = fmaxf(most, fabsf(cloth->garments[g]->rest[i][k]));
    return 12.0f * most;
}

static float longest_edge(const hed_cloth *cloth)
{
    float most = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; cloth_garment_pairs(garment) && i < 3 * garment->triangle_count; i++) {
            const uint32_t *corners = garment->triangles[i / 3];
            const float *a = garment->rest[corners[i % 3]],
                        *b = garment->rest[corners[(i + 1) % 3]];
            most = fmaxf(most, cloth_square(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
    }
    return sqrtf(most);
}

/* A vertex or an edge is owned by the first leaf that has it. `owners`: of each particle, zeros. */
static void own_all(uint4 *corners, uint32_t leaves, owned_edge *edges, uint8_t *owners)
{
    uint32_t count = 0;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        if (corners[leaf].x == CLOTH_PAIR_NONE) continue;
        const uint32_t v[3] = {corners[leaf].x, corners[leaf].y, corners[leaf].z};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t a = v[k], b = v[(k + 1) % 3];
            if (!owners[a]) corners[leaf].w |= 1u << k;
            owners[a] = 1;
            edges[count++] = (owned_edge){a < b ? a : b, a < b ? b : a, leaf, k};
        }
    }
    qsort(edges, count, sizeof *edges, compare_owned);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high)
            corners[edges[i].leaf].w |= 8u << edges[i].edge;
}

static hed_status pairs_make_tree(const hed_cloth *cloth, cloth_pairing *made, hed_arena *scratch,
    uint4 **corners, hed_error *error)
{
    uint32_t count = gather_triangles(cloth, 0.0f, NULL, NULL), leaves = 1;
    while (leaves < count) leaves *= 2;
    uint4 *triangles = hed_arena_new(scratch, count, sizeof *triangles, error);
    float(*centres)[3] = hed_arena_new(scratch, count, sizeof *centres, error);
    uint32_t *order = hed_arena_new(scratch, count, sizeof *order, error);
    uint32_t *leaf_at = hed_arena_new(scratch, (uint64_t)leaves + 1, sizeof *leaf_at, error);
    owned_edge *edges = hed_arena_new(scratch, 3 * (uint64_t)count, sizeof *edges, error);
    uint8_t *owners = hed_arena_new(scratch, cloth->particles, sizeof *owners, error);
    *corners = hed_arena_new(scratch, leaves, sizeof **corners, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    gather_triangles(cloth, width_at_rest(cloth), triangles, centres);
    for (uint32_t i = 0; i <= leaves; i++) leaf_at[i] = (uint32_t)((uint64_t)count * i / leaves);
    for (uint32_t t = 0; t < count; t++) order[t] = t;
    cloth_tree_order(leaf_at, order, (const float(*)[3])centres, 0, leaves);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        (*corners)[leaf] = leaf_at[leaf] < leaf_at[leaf + 1] ? triangles[order[leaf_at[leaf]]]
                                                             : (uint4){CLOTH_PAIR_NONE, 0, 0, 0};
    own_all(*corners, leaves, edges, owners);
    made->pairs.leaves = leaves;
    return HED_OK;
}

/* ---- life ---- */

/* Pinned particles that no driver brings back may not go along with the mean way. */
static bool all_held_are_driven(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; cloth_garment_pairs(garment) && i < garment->particle_count; i++)
            if (garment->positions[i][3] == 0.0f &&
                !(garment->driven && garment->driver_map[i][0] != CLOTH_UNDRIVEN))
                return false;
    }
    return true;
}

static void fill_pairs(const hed_cloth *cloth, cloth_pairs *pairs)
{
    float thinnest = INFINITY, widest = 0.0f;
    for (uint32_t g = cloth->garment_count; g-- > 0;) {
        if (!cloth_garment_pairs(cloth->garments[g])) continue;
        pairs->first = cloth->first_particle[g];
        thinnest = fminf(thinnest, cloth->garments[g]->thickness);
        widest = fmaxf(widest, cloth->garments[g]->thickness);
    }
    pairs->spare_least = spare_least * thinnest;
    pairs->widest = widest;
    pairs->longest = longest_edge(cloth);
    pairs->cover = pairs->spare_most = fminf(off_thickness * thinnest, off_edge * pairs->longest);
    pairs->steps = push_steps / widest;
    pairs->particles = cloth->particles;
    pairs->stride = (cloth->particles + CLOTH_PAIRS_MEAN - 1) / CLOTH_PAIRS_MEAN;
    uint32_t taken = (cloth->particles + pairs->stride - 1) / pairs->stride;
    if (all_held_are_driven(cloth)) pairs->mean = 1.0f / (CLOTH_PAIRS_WAY * (float)taken);
}

/* The same room for the list and for the pairs of a substep. */
static hed_status pairs_make_room(
    hed_cloth *cloth, cloth_pairing *made, uint64_t pairs, hed_error *error)
{
    pairs_buffers *b = &made->b;
    hed_buffer **const all[] = {&b->list, &b->kept, &b->found, &b->planes};
    static const uint32_t bytes[] = {
        sizeof(uint4), sizeof(uint2), sizeof(uint4), 2 * sizeof(float4)};
    hed_buffer *fresh[4] = {NULL};
    if (pairs < LEAST_PAIRS) pairs = LEAST_PAIRS;
    if (pairs > MOST_PAIRS) pairs = MOST_PAIRS;
    for (int i = 0; i < 4; i++) cloth_upload(cloth, NULL, bytes[i] * pairs, &fresh[i], error);
    for (int i = 0; i < 4; i++) {
        hed_buffer_destroy(error->status ? fresh[i] : *all[i]);
        if (!error->status) *all[i] = fresh[i];
    }
    if (error->status) return error->status;
    made->pairs.capacity = made->pairs.list_room = (uint)pairs;
    return HED_OK;
}

static hed_status upload_pairs(hed_cloth *cloth, cloth_pairing *made, const uint4 *corners,
    hed_arena *scratch, hed_error *error)
{
    uint64_t particles = cloth->particles, leaves = made->pairs.leaves;
    cloth_flat flat;
    if (cloth_flat_make(cloth, corners, (uint32_t)leaves, scratch, &flat, error))
        return error->status;
    pairs_buffers *b = &made->b;
    cloth_upload_bodies(cloth, cloth_garment_pairs, &b->rests, &b->bodies, error);
    cloth_upload(cloth, corners, sizeof(uint4) * leaves, &b->corners, error);
    cloth_upload(cloth, NULL, 4 * sizeof(float4) * leaves, &b->boxes, error);
    cloth_upload(cloth, flat.gradients, sizeof(float4) * leaves, &b->gradients, error);
    cloth_upload(cloth, flat.around_at, sizeof(uint) * (particles + 1), &b->around_at, error);
    cloth_upload(cloth, flat.around, 3 * sizeof(uint) * leaves, &b->around, error);
    cloth_upload(cloth, flat.convex, 2 * sizeof(uint) * leaves, &b->convex, error);
    cloth_upload(cloth, NULL, 3 * sizeof(float4) * leaves, &b->slopes, error);
    cloth_upload(cloth, NULL, 8 * sizeof(float4) * leaves, &b->ranges, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->start, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->moved, error);
    cloth_upload(cloth, NULL, CLOTH_PAIRS_ROUNDS * sizeof(uint) * particles, &b->shares, error);
    cloth_upload(cloth, NULL, 2 * sizeof(float4) * particles, &b->covers, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->ahead, error);
    cloth_upload(cloth, NULL, sizeof(float) * particles, &b->offs, error);
    cloth_upload(cloth, NULL, 4 * sizeof(int) * particles, &b->sums, error);
    cloth_upload(cloth, NULL, CLOTH_PAIRS_COUNTERS * sizeof(int), &b->counters, error);
    cloth_upload(cloth, NULL, 2 * sizeof(uint), &b->state, error);
    pairs_make_room(cloth, made, PAIRS_A_PARTICLE * particles, error);
    hed_buffer_def pinned = {
        .memory = HED_MEMORY_PINNED, .size = LOOKS * CLOTH_PAIRS_COUNTERS * sizeof(int)};
    if (!error->status) hed_buffer_create(cloth->device, &pinned, &b->pinned, error);
    for (int i = 0; i < LOOKS && !error->status; i++)
        hed_event_create(cloth->device, false, &made->seen[i], error);
    return error->status;
}

hed_status cloth_pairs_create(hed_cloth *cloth, cloth_pairing **pairing, hed_error *error)
{
    bool any = false;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        any |= cloth_garment_pairs(cloth->garments[g]);
    if (!any) return HED_OK;
    cloth_pairing *made = *pairing = hed_new(&cloth->allocator, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    hed_arena scratch = {.allocator = cloth->allocator, .owner = "cloth against cloth"};
    uint4 *corners = NULL;
    fill_pairs(cloth, &made->pairs);
    if (!pairs_make_tree(cloth, made, &scratch, &corners, error))
        upload_pairs(cloth, made, corners, &scratch, error);
    hed_arena_free(&scratch);
    return error->status;
}

void cloth_pairs_destroy(hed_cloth *cloth, cloth_pairing *pairing)
{
    if (!pairing) return;
    for (int i = 0; i < LOOKS; i++) hed_event_destroy(pairing->seen[i]);
    cloth_buffers_destroy(CLOTH_BUFFERS(&pairing->b));
    hed_delete(&cloth->allocator, pairing, 1, sizeof *pairing);
}

uint64_t cloth_pairs_bytes(cloth_pairing *pairing)
{
    return pairing ? cloth_buffers_bytes(CLOTH_BUFFERS(&pairing->b)) : 0;
}

bool cloth_pairs_at_once(const hed_cloth *cloth)
{
    const uint64_t needs = cloth_pairs_substep_def.needs;
    return (hed_device_describe(cloth->device)->capabilities & needs) == needs;
}

uint64_t cloth_pairs_size(const cloth_pairing *pairing, cloth_contact_kernel kernel)
{
    const cloth_pairs *pairs = &pairing->pairs;
    return kernel == CLOTH_PAIRS_SLOPES || kernel == CLOTH_PAIRS_BOXES || kernel == CLOTH_PAIRS_FIND
               ? pairs->leaves
           : kernel == CLOTH_PAIRS_LIST || kernel == CLOTH_PAIRS_TAKE ||
                   kernel == CLOTH_PAIRS_PUSH || kernel == CLOTH_PAIRS_PART ||
                   kernel == CLOTH_PAIRS_CUT_KERNEL
               ? pairs->capacity
               : pairs->particles;
}

/* ---- room ---- */

hed_status cloth_pairs_look(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    uint32_t slot = p->submissions % LOOKS, bytes = CLOTH_PAIRS_COUNTERS * sizeof(int);
    p->submissions++;
    hed_copy(cloth->stream, p->b.pinned, (uint64_t)slot * bytes, p->b.counters, 0, bytes, error);
    return hed_event_record(p->seen[slot], cloth->stream, error);
}

hed_status cloth_pairs_prepare(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    if (!p || hed_failed(error)) return error->status;
    if (p->submissions >= LOOK_AFTER) {
        uint32_t slot = (p->submissions - LOOK_AFTER) % LOOKS;
        if (hed_event_wait(p->seen[slot], UINT64_MAX, error)) return error->status;
        const int *counters = (const int *)cloth_host_of(p->b.pinned) + slot * CLOTH_PAIRS_COUNTERS;
        uint64_t most = (uint32_t)counters[CLOTH_PAIRS_MOST_LISTED], room = p->pairs.capacity;
        if (most < (uint32_t)counters[CLOTH_PAIRS_MOST])
            most = (uint32_t)counters[CLOTH_PAIRS_MOST];
        if (2 * most > room && room < MOST_PAIRS) {
            hed_error full = {0}; /* then what does not fit stands still, and is reported */
            hed_stream_wait(cloth->stream, error);
            pairs_make_room(cloth, p, 3 * (most < 2 * room ? most : 2 * room), &full);
        }
    }
    float read[3];
    for (int k = 0; k < 3; k++)
        read[k] =
            fminf((float)(read_lost * fabs(cloth->origin[k])), CLOTH_PAIRS_SEEN * p->pairs.widest);
    p->pairs.read_x = read[0];
    p->pairs.read_y = read[1];
    p->pairs.read_z = read[2];
    p->pairs.read = sqrtf(cloth_square(read[0], read[1], read[2]));
    p->substeps = 0;
    return hed_copy(cloth->stream, p->b.start, 0, cloth->buffers.position, 0,
        sizeof(float4) * (uint64_t)cloth->particles, error);
}

/* ---- a substep ---- */

static void pairs_make_boxes(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_pairing *p, hed_error *error)
{
    const pairs_buffers *b = &p->b;
    for (uint32_t row = p->pairs.leaves; row > 0;) {
        if (cloth_contact_run(cloth, contacts, CLOTH_PAIRS_BOXES, row,
                HED_ARGS(b->boxes, b->corners, b->slopes, b->ranges, b->around_at, b->around,
                    b->convex, b->start, b->ahead, b->rests, b->bodies, b->counters, row,
                    hed_struct_argument(&p->pairs, sizeof p->pairs)),
                error))
            return;
        hed_config config = hed_kernel_config(contacts->kernels[CLOTH_PAIRS_BOXES], NULL);
        row /= 2 * (uint32_t)config.values[0]; /* a group went up from its nodes to one */
    }
}

static void pairs_apply(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_pairing *p, hed_error *error)
{
    const cloth_buffers *c = &cloth->buffers;
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_APPLY, p->pairs.particles,
        HED_ARGS(p->b.start, c->position, c->previous, c->garments,
            cloth_or_none(cloth, c->colliders), cloth_or_none(cloth, c->contact), p->b.covers,
            p->b.moved, p->b.sums, p->b.counters, hed_struct_argument(&p->pairs, sizeof p->pairs)),
        error);
}

/* One launch: what each of many takes at the least is most of the time of little cloth. */
static hed_status pairs_run_at_once(
    hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p, hed_error *error)
{
    const pairs_buffers *b = &p->b;
    const cloth_buffers *c = &cloth->buffers;
    if (p->groups == 0) {
        const hed_kernel *kernel = contacts->kernels[CLOTH_PAIRS_SUBSTEP];
        uint32_t items = (uint32_t)hed_kernel_config(kernel, NULL).values[0];
        int64_t most = -1;
        hed_kernel_resident_groups(kernel, items, 0, &most, error);
        p->groups = (8 * p->pairs.leaves + items - 1) / items; /* pairs are more than triangles */
        if (most > 0 && (int64_t)p->groups > most) p->groups = (uint32_t)most;
    }
    return cloth_contact_run(cloth, contacts, CLOTH_PAIRS_SUBSTEP, p->groups,
        HED_ARGS(b->boxes, b->corners, b->gradients, b->slopes, b->ranges, b->around_at, b->around,
            b->convex, b->start, c->position, c->previous, b->rests, b->bodies, c->garments,
            cloth_or_none(cloth, c->colliders), cloth_or_none(cloth, c->contact), b->list, b->kept,
            b->covers, b->ahead, b->offs, b->found, b->planes, b->moved, b->shares, b->sums,
            b->counters, b->state, hed_struct_argument(&p->pairs, sizeof p->pairs)),
        error);
}

/* One launch after another. */
static hed_status pairs_run_leg(
    hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p, hed_error *error)
{
    const pairs_buffers *b = &p->b;
    hed_buffer *position = cloth->buffers.position;
    cloth_pairs *pairs = &p->pairs;
    hed_argument given = hed_struct_argument(pairs, sizeof *pairs);
    pairs->last = 0;
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_BEGIN, pairs->particles,
        HED_ARGS(b->start, position, b->moved, b->shares, b->counters, given), error);
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_CHECK, pairs->particles,
        HED_ARGS(b->start, position, b->covers, b->ahead, b->offs, b->counters, given), error);
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_SLOPES, pairs->leaves,
        HED_ARGS(b->corners, b->gradients, b->start, b->ahead, b->slopes, b->counters, given),
        error);
    pairs_make_boxes(cloth, contacts, p, error);
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_FIND, pairs->leaves,
        HED_ARGS(b->boxes, b->corners, b->found, b->counters, given), error);
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_LIST, pairs->capacity,
        HED_ARGS(b->found, b->corners, b->start, b->ahead, b->rests, b->bodies, b->list, b->kept,
            b->covers, b->counters, given),
        error);
    cloth_contact_run(cloth, contacts, CLOTH_PAIRS_TAKE, pairs->list_room,
        HED_ARGS(b->list, b->kept, b->offs, b->start, position, b->rests, b->bodies, b->found,
            b->planes, b->counters, given),
        error);
    for (pairs->pass = 0; pairs->pass < CLOTH_PAIRS_PUSHES; pairs->pass++) {
        cloth_contact_run(cloth, contacts, CLOTH_PAIRS_PUSH, pairs->capacity,
            HED_ARGS(b->found, b->planes, b->start, b->moved, b->sums, b->counters, given), error);
        pairs_apply(cloth, contacts, p, error);
    }
    for (; pairs->pass < CLOTH_PAIRS_PASSES; pairs->pass++) {
        pairs->last = pairs->pass + 1 == CLOTH_PAIRS_PASSES;
        cloth_contact_run(cloth, contacts, CLOTH_PAIRS_PART, pairs->capacity,
            HED_ARGS(b->found, b->planes, b->moved, b->sums, b->counters, given), error);
        pairs_apply(cloth, contacts, p, error);
    }
    for (pairs->round = 0; pairs->round < CLOTH_PAIRS_ROUNDS; pairs->round++)
        cloth_contact_run(cloth, contacts, CLOTH_PAIRS_CUT_KERNEL, pairs->capacity,
            HED_ARGS(b->found, b->planes, b->start, b->moved, b->shares, b->counters, given),
            error);
    return cloth_contact_run(cloth, contacts, CLOTH_PAIRS_FINISH, pairs->particles,
        HED_ARGS(position, b->start, b->moved, b->shares, b->counters, given), error);
}

hed_status cloth_pairs_substep(hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p,
    const cloth_step *step, float dt, hed_error *error)
{
    cloth_pairs *pairs = &p->pairs;
    pairs->undo = (float)(come_apart * dt);
    pairs->from = step->from;
    pairs->to = step->to;
    pairs->colliders = step->colliders;
    pairs->flags = step->flags;
    pairs->leg = 0;
    pairs->fresh = p->substeps++ % cloth->def.substeps == 0;
    if (cloth_pairs_at_once(cloth)) return pairs_run_at_once(cloth, contacts, p, error);
    /* whether there is a further leg is known on the device */
    for (bool more = true; more; pairs->leg++, pairs->fresh = 0) {
        int counters[CLOTH_PAIRS_COUNTERS] = {0};
        pairs_run_leg(cloth, contacts, p, error);
        hed_read(cloth->stream, counters, p->b.counters, 0, sizeof counters, error);
        if (hed_stream_wait(cloth->stream, error->status ? NULL : error) || error->status) break;
        more = cloth_pairs_go_on(counters, *pairs);
        pairs->bank = (uint)counters[CLOTH_PAIRS_BANK];
    }
    return error->status;
}

/* ---- what is reported ---- */

hed_status cloth_pairs_measure(
    hed_cloth *cloth, cloth_pairing *p, hed_cloth_metrics *quality, hed_error *error)
{
    int c[CLOTH_PAIRS_COUNTERS] = {0};
    hed_read(cloth->stream, c, p->b.counters, 0, sizeof c, error);
    if (hed_stream_wait(cloth->stream, error->status ? NULL : error) || error->status)
        return error->status;
    /* of the last leg the counters are still where it counted them */
    const int *last = c + CLOTH_PAIRS_HALF - c[CLOTH_PAIRS_BANK];
    quality->contact_pairs = (uint32_t)c[CLOTH_PAIRS_LAST];
    quality->contact_pairs_most = (uint32_t)c[CLOTH_PAIRS_MOST];
    quality->contact_substeps = (uint32_t)c[CLOTH_PAIRS_STEPS];
    quality->contact_legs = quality->contact_substeps + (uint64_t)(uint32_t)c[CLOTH_PAIRS_ALL_MORE];
    quality->contact_lists = (uint32_t)c[CLOTH_PAIRS_ALL_LISTS];
    quality->contact_cut =
        (uint64_t)(uint32_t)c[CLOTH_PAIRS_ALL_CUT] + (uint32_t)last[CLOTH_PAIRS_CUT];
    quality->contact_still = (uint32_t)c[CLOTH_PAIRS_ALL_STILL];
    return HED_OK;
}

hed_status cloth_pairs_reset(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    if (!p) return error->status;
    p->submissions = 0;
    p->pairs.bank = 0;
    /* an error of the driver may have ended a substep between any two of its passes */
    hed_buffer *const left[] = {p->b.counters, p->b.sums, p->b.state};
    for (size_t i = 0; i < HED_COUNT(left); i++)
        hed_fill(
            cloth->stream, left[i], 0, hed_buffer_describe(left[i]).size, &(uint32_t){0}, 4, error);
    return error->status;
}
