/* Layers of garments at the start. A layer is moved out of the surfaces inside it by projection:
 * each particle to the thickness over the nearest point of each surface, alternating with
 * smoothing of the displacements between neighbours, so that the garment keeps its shape. The
 * normal of the nearest face, edge or corner decides the side of a particle (angle-weighted:
 * Baerentzen and Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal,
 * 2005). Triangles that still cross though their corners are outside, as over a sharp edge, are
 * moved further out. */
#include "heddle/cloth_layers.h"
#include "heddle/cloth_check.h"

#include "model/collider.h"
#include "model/garment.h"
#include "model/nearest_point.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 40, /* rounds of moving out and checking for crossings */
    /* sweeps of smoothing and moving out in a round, and maximum of sweeps of moving out alone */
    SWEEPS = 8
};
/* extra displacement of crossing triangles in a round, / mean edge */
static const float further = 0.25f;

/* Surface under the garments: a body, or a garment already placed. */
typedef struct layer_surface {
    uint32_t garment; /* number of the garment or body */
    bool body;
    float thickness; /* m; 0 for a body */
    hed_cloth_check_surface seen;
    cloth_search search;
    /* (triangles) normals of a face, of the edges opposite its corners, and of its corners; 0 at
     * a border, which has no side */
    float (*normals)[7][3];
} layer_surface;

/* Garment that is moved. */
typedef struct layer_moved {
    const hed_cloth_garment_def *def;
    uint32_t number;
    float *positions;
    uint32_t triangle_count;
    const uint32_t *triangles; /* (triangle_count x 3) */
    float edge;                /* mean length of edges at the start, m */
    float *extra;              /* (particles) clearance beyond the thickness, m */
    bool *crosses;             /* (particles) a triangle of the particle crosses a surface */
    /* (particles) a triangle of the particle has crossed the garment itself */
    bool *folds;
    float (*sums)[3];     /* (particles) sums of the neighbours' displacements */
    uint32_t *neighbours; /* (particles) */
    uint32_t *guesses;    /* (surfaces x particles) nearest triangles */
    uint64_t selves;      /* pairs of the garment's own triangles that cross at the start */
} layer_moved;

typedef struct layering {
    hed_arena arena;
    const hed_cloth_garment_def *garments;
    uint32_t garment_count;
    const hed_cloth_collider *shapes; /* planes, spheres and capsules */
    uint32_t shape_count;
    layer_surface *surfaces; /* bodies, then placed garments */
    uint32_t surface_count;
    hed_cloth_check_surface *checked; /* capacity: the surfaces and one more */
    hed_error *error;
} layering;

/* ---- sides of a surface ---- */

static void corner_place(const layer_surface *surface, uint32_t corner, float place[3])
{
    memcpy(place, &surface->search.positions[3 * (size_t)surface->search.triangles[corner]],
        3 * sizeof *place);
}

/* Edge by the positions of its ends (sides of a texture's seam are one surface), and the
 * triangle and corner opposite to it. */
typedef struct layer_edge {
    float ends[2][3]; /* sorted by position */
    uint32_t triangle, corner;
} layer_edge;

/* Corner by its position. */
typedef struct layer_corner {
    float place[3];
    uint32_t triangle, corner;
} layer_corner;

static int compare_vectors(const float *a, const float *b, int count)
{
    for (int k = 0; k < count; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Compares triangles at one position by number: so sums over them have the same bits with every
 * qsort(). */
static int compare_in_triangles(uint32_t a, uint32_t corner_a, uint32_t b, uint32_t corner_b)
{
    if (a != b) return a < b ? -1 : 1;
    return (corner_a > corner_b) - (corner_a < corner_b);
}

static int compare_layer_edges(const void *left, const void *right)
{
    const layer_edge *a = left, *b = right;
    int ends = compare_vectors(a->ends[0], b->ends[0], 6);
    return ends ? ends : compare_in_triangles(a->triangle, a->corner, b->triangle, b->corner);
}

static int compare_layer_corners(const void *left, const void *right)
{
    const layer_corner *a = left, *b = right;
    int place = compare_vectors(a->place, b->place, 3);
    return place ? place : compare_in_triangles(a->triangle, a->corner, b->triangle, b->corner);
}

static void scale_to_one(float v[3])
{
    float length = sqrtf(cloth_dot3(v, v));
    for (int k = 0; k < 3; k++) v[k] = length > 0 ? v[k] / length : 0;
}

/* Computes the face's normal; returns the angle of a corner. */
static float side_of_face(layer_surface *surface, uint32_t triangle, uint32_t corner)
{
    float p[3][3], e[3], f[3], *n = surface->normals[triangle][0];
    for (uint32_t c = 0; c < 3; c++) corner_place(surface, 3 * triangle + (corner + c) % 3, p[c]);
    cloth_subtract3(p[1], p[0], e);
    cloth_subtract3(p[2], p[0], f);
    n[0] = e[1] * f[2] - e[2] * f[1];
    n[1] = e[2] * f[0] - e[0] * f[2];
    n[2] = e[0] * f[1] - e[1] * f[0];
    float angle = (float)hed_strict_atan2(sqrtf(cloth_dot3(n, n)), cloth_dot3(e, f));
    scale_to_one(n);
    return angle;
}

/* Sets the normals of edges: of all edges at one position the sum of the faces' normals, or 0 at
 * a border. */
static void sides_of_edges(layer_surface *surface, layer_edge *edges, uint32_t count)
{
    qsort(edges, count, sizeof *edges, compare_layer_edges);
    for (uint32_t first = 0, last; first < count; first = last) {
        float sum[3] = {0};
        for (last = first;
             last < count && !compare_vectors(edges[first].ends[0], edges[last].ends[0], 6); last++)
            for (int k = 0; k < 3; k++) sum[k] += surface->normals[edges[last].triangle][0][k];
        bool border = last - first == 1;
        for (uint32_t i = first; i < last; i++)
            for (int k = 0; k < 3; k++)
                surface->normals[edges[i].triangle][1 + edges[i].corner][k] = border ? 0 : sum[k];
    }
}

static void sides_of_corners(
    layer_surface *surface, layer_corner *corners, const float *angles, uint32_t count)
{
    qsort(corners, count, sizeof *corners, compare_layer_corners);
    for (uint32_t first = 0, last; first < count; first = last) {
        float sum[3] = {0};
        bool border = false;
        for (last = first;
             last < count && !compare_vectors(corners[first].place, corners[last].place, 3);
             last++) {
            const layer_corner *c = &corners[last];
            float(*sides)[3] = surface->normals[c->triangle];
            for (int k = 0; k < 3; k++) sum[k] += angles[3 * c->triangle + c->corner] * sides[0][k];
            /* the two edges that meet in the corner */
            for (uint32_t step = 1; step < 3; step++) {
                const float *edge = sides[1 + (c->corner + step) % 3];
                border |= cloth_dot3(edge, edge) == 0;
            }
        }
        for (uint32_t i = first; i < last; i++)
            for (int k = 0; k < 3; k++)
                surface->normals[corners[i].triangle][4 + corners[i].corner][k] =
                    border ? 0 : sum[k];
    }
}

/* Adds a surface whose positions and triangles are set. */
static hed_status add_surface(layering *l, const layer_surface *original)
{
    layer_surface *surface = &l->surfaces[l->surface_count];
    *surface = *original;
    uint32_t count = original->seen.triangle_count;
    surface->search = (cloth_search){.positions = original->seen.positions,
        .triangles = original->seen.triangles,
        .triangle_count = count,
        .balls = hed_arena_new(&l->arena, count, sizeof *surface->search.balls, l->error)};
    surface->normals = hed_arena_new(&l->arena, count, sizeof *surface->normals, l->error);
    hed_arena scratch = {.owner = l->arena.owner};
    layer_edge *edges = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *edges, l->error);
    layer_corner *corners = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *corners, l->error);
    float *angles = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *angles, l->error);
    for (uint32_t i = 0; !l->error->status && i < 3 * count; i++) {
        uint32_t triangle = i / 3, corner = i % 3;
        angles[i] = side_of_face(surface, triangle, corner);
        corners[i].triangle = edges[i].triangle = triangle;
        corners[i].corner = edges[i].corner = corner;
        corner_place(surface, i, corners[i].place);
        for (uint32_t end = 0; end < 2; end++)
            corner_place(surface, 3 * triangle + (corner + 1 + end) % 3, edges[i].ends[end]);
        float turned[3];
        if (compare_vectors(edges[i].ends[0], edges[i].ends[1], 3) > 0) {
            memcpy(turned, edges[i].ends[0], sizeof turned);
            memcpy(edges[i].ends[0], edges[i].ends[1], sizeof turned);
            memcpy(edges[i].ends[1], turned, sizeof turned);
        }
    }
    if (!l->error->status) {
        sides_of_edges(surface, edges, 3 * count);
        sides_of_corners(surface, corners, angles, 3 * count);
        cloth_search_sort(&surface->search);
        l->surface_count++;
    }
    hed_arena_free(&scratch);
    return l->error->status;
}

/* ---- moving out ---- */

/* Computes the height of a point over a surface, below 0 inside, and the direction out; false:
 * beyond a border. */
static bool height_over(
    const layer_surface *surface, const float *point, uint32_t *guess, float *height, float out[3])
{
    cloth_nearest nearest = {.triangle = *guess, .distance = INFINITY};
    cloth_search_nearest(&surface->search, point, &nearest);
    *guess = nearest.triangle;
    uint32_t zeros = 0, zero = 0, last_corner = 0;
    for (uint32_t c = 0; c < 3; c++) {
        if (nearest.weight[c] > 0) {
            last_corner = c;
        } else {
            zero = c;
            zeros++;
        }
    }
    const float *normal = surface->normals[nearest.triangle][zeros == 0   ? 0
                                                             : zeros == 1 ? 1 + zero
                                                                          : 4 + last_corner];
    if (cloth_dot3(normal, normal) == 0) return false;
    bool within = cloth_dot3(normal, nearest.away) < 0;
    *height = within ? -nearest.distance : nearest.distance;
    /* rounding decides the direction on the surface */
    bool on = nearest.distance < 0.01f * surface->search.largest;
    memcpy(out, on ? normal : nearest.away, 3 * sizeof *out);
    scale_to_one(out);
    for (int k = 0; k < 3 && within && !on; k++) out[k] = -out[k];
    return true;
}

static bool may_move(const hed_cloth_garment_def *def, uint32_t particle)
{
    return !(def->inverse_masses && def->inverse_masses[particle] == 0) &&
           !(def->driven && def->max_distance && def->max_distance[particle] == 0);
}

/* Moves a particle from `height` over a surface out to the thickness and its extra. Returns the
 * displacement / (requested height + mean edge). */
static float lift_particle(
    const layer_moved *m, uint32_t particle, float thickness, float height, const float out[3])
{
    float clearance = thickness + m->extra[particle];
    if (height >= clearance) return 0;
    for (size_t k = 0; k < 3; k++)
        m->positions[3 * (size_t)particle + k] += (clearance - height) * out[k];
    return (clearance - height) / (clearance + m->edge);
}

/* Moves every particle out of every body and surface, once. Returns the largest result of
 * lift_particle(). */
static float move_out(const layering *l, const layer_moved *m)
{
    float longest = 0;
    for (uint32_t i = 0; i < m->def->particle_count; i++) {
        if (!may_move(m->def, i)) continue;
        float *place = m->positions + 3 * (size_t)i, height, out[3];
        for (uint32_t s = 0; s < l->shape_count; s++) {
            height = cloth_collider_height(&l->shapes[s], place, out);
            longest = fmaxf(longest, lift_particle(m, i, m->def->thickness, height, out));
        }
        for (uint32_t s = 0; s < l->surface_count; s++) {
            const layer_surface *surface = &l->surfaces[s];
            uint32_t *guess = &m->guesses[(size_t)s * m->def->particle_count + i];
            float thickness =
                surface->body ? m->def->thickness : 0.5f * (m->def->thickness + surface->thickness);
            if (height_over(surface, place, guess, &height, out))
                longest = fmaxf(longest, lift_particle(m, i, thickness, height, out));
        }
    }
    return longest;
}

/* Smooths: each particle's displacement becomes the mean of its own and of its neighbours' mean;
 * for particles that fold over, as where both sides of a crease come out, the position itself is
 * averaged. */
static void even_out(const layer_moved *m)
{
    uint32_t count = m->def->particle_count;
    const float *start = m->def->positions;
    memset(m->sums, 0, count * sizeof *m->sums);
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        size_t a = m->triangles[i], b = m->triangles[i / 3 * 3 + (i + 1) % 3];
        for (size_t k = 0; k < 3; k++) {
            m->sums[a][k] += m->positions[3 * b + k] - (m->folds[a] ? 0 : start[3 * b + k]);
            m->sums[b][k] += m->positions[3 * a + k] - (m->folds[b] ? 0 : start[3 * a + k]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!may_move(m->def, i) || m->neighbours[i] == 0) continue;
        for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++) {
            float from = m->folds[i] ? 0 : start[k];
            float mean = m->sums[i][k % 3] / (float)m->neighbours[i];
            m->positions[k] = from + 0.5f * (m->positions[k] - from + mean);
        }
    }
}

/* ---- remaining crossings ---- */

static const char *layer_name(const hed_cloth_garment_def *def)
{
    return def->name ? def->name : "garment";
}

/* Checks a garment against the surfaces: the second side of a pair is 1 + its surface. */
static hed_status check_moved(layering *l, const layer_moved *m, hed_cloth_crossings *crossings)
{
    l->checked[0] = (hed_cloth_check_surface){
        m->def->particle_count, m->triangle_count, m->positions, m->triangles, false};
    for (uint32_t s = 0; s < l->surface_count; s++) {
        l->checked[s + 1] = l->surfaces[s].seen;
        l->checked[s + 1].body = true; /* not checked against each other */
    }
    return hed_cloth_check(&(hed_cloth_check_def){.surfaces = l->checked,
                               .surface_count = l->surface_count + 1,
                               .shapes = l->shapes,
                               .shape_count = l->shape_count},
        crossings, l->error);
}

static hed_status tell_crossings(
    const layering *l, const layer_moved *m, const hed_cloth_crossings *crossings)
{
    char list[512] = "";
    uint64_t selves = crossings->count[HED_CLOTH_CROSSES_ITSELF];
    if (selves) snprintf(list, sizeof list, ", itself in %llu", (unsigned long long)selves);
    for (uint32_t s = 0; s < l->surface_count; s++) {
        const layer_surface *surface = &l->surfaces[s];
        uint32_t pairs = 0;
        size_t used = strlen(list);
        for (uint32_t i = 0; i < crossings->pair_count; i++)
            pairs += crossings->pairs[i].kind == HED_CLOTH_CROSSES_BODY &&
                     crossings->pairs[i].surface[1] == s + 1;
        if (pairs)
            snprintf(list + used, sizeof list - used, ", %s %u%s%.63s%s in %u",
                surface->body ? "body" : "garment", surface->garment, surface->body ? "" : " (",
                surface->body ? "" : layer_name(&l->garments[surface->garment]),
                surface->body ? "" : ")", pairs);
    }
    for (uint32_t s = 0; s < l->shape_count; s++) {
        uint32_t triangles = 0;
        size_t used = strlen(list);
        for (uint32_t i = 0; i < crossings->pair_count; i++)
            triangles += crossings->pairs[i].kind == HED_CLOTH_CROSSES_SHAPE &&
                         crossings->pairs[i].surface[1] == s;
        if (triangles)
            snprintf(list + used, sizeof list - used, ", collider %u in %u", s, triangles);
    }
    return hed_fail(l->error, HED_ERROR_ARGUMENT,
        "Garment %u (%.63s): on layer %u it cannot be moved out of what lies within it; it still "
        "crosses %s places. Begin with it nearer to its place, or with a smaller thickness",
        m->number, layer_name(m->def), m->def->layer, list + 2);
}

/* Moves triangles that still cross further out; `*crossing`: true if there are any. */
static hed_status move_further(layering *l, const layer_moved *m, bool last, bool *crossing)
{
    hed_cloth_crossings crossings;
    if (check_moved(l, m, &crossings)) return l->error->status;
    *crossing = crossings.count[HED_CLOTH_CROSSES_BODY] > 0 ||
                crossings.count[HED_CLOTH_CROSSES_SHAPE] > 0 ||
                crossings.count[HED_CLOTH_CROSSES_ITSELF] > m->selves;
    if (*crossing && last) tell_crossings(l, m, &crossings);
    memset(m->crosses, 0, m->def->particle_count * sizeof *m->crosses);
    for (uint32_t i = 0; i < crossings.pair_count; i++) {
        const hed_cloth_crossing *pair = &crossings.pairs[i];
        bool itself = pair->kind == HED_CLOTH_CROSSES_ITSELF;
        for (uint32_t c = 0; c < 3; c++) {
            if (itself) m->folds[m->triangles[3 * (size_t)pair->triangle[1] + c]] = true;
            (itself ? m->folds : m->crosses)[m->triangles[3 * (size_t)pair->triangle[0] + c]] =
                true;
        }
    }
    for (uint32_t i = 0; i < m->def->particle_count; i++)
        if (m->crosses[i]) m->extra[i] += further * m->edge;
    hed_cloth_crossings_free(&crossings);
    return l->error->status;
}

/* ---- garments ---- */

/* Allocates the garment's triangles and the arrays for moving it. */
static hed_status open_moved(layering *l, layer_moved *m)
{
    const hed_cloth_garment_def *def = m->def;
    cloth_faces faces;
    hed_allocator allocator = hed_default_allocator();
    if (cloth_faces_create(&allocator, def, &faces, l->error)) return l->error->status;
    uint32_t count = faces.triangle_count + 2 * faces.quad_count, *corner;
    corner = hed_arena_new(&l->arena, 3 * (uint64_t)count, sizeof *corner, l->error);
    m->triangles = corner;
    m->triangle_count = count;
    m->extra = hed_arena_new(&l->arena, def->particle_count, sizeof *m->extra, l->error);
    m->crosses = hed_arena_new(&l->arena, def->particle_count, sizeof *m->crosses, l->error);
    m->folds = hed_arena_new(&l->arena, def->particle_count, sizeof *m->folds, l->error);
    m->sums = hed_arena_new(&l->arena, def->particle_count, sizeof *m->sums, l->error);
    m->neighbours = hed_arena_new(&l->arena, def->particle_count, sizeof *m->neighbours, l->error);
    m->guesses = hed_arena_new(&l->arena, (uint64_t)l->surface_count * def->particle_count + 1,
        sizeof *m->guesses, l->error);
    if (corner && faces.triangle_count)
        memcpy(corner, faces.triangles, 3 * (size_t)faces.triangle_count * sizeof *corner);
    for (uint32_t q = 0; corner && q < faces.quad_count; q++) {
        const uint32_t *v = faces.quads[q];
        memcpy(corner + 3 * (size_t)(faces.triangle_count + 2 * q),
            (uint32_t[]){v[0], v[1], v[2], v[0], v[2], v[3]}, 6 * sizeof *corner);
    }
    cloth_faces_destroy(&allocator, &faces);
    double lengths = 0;
    for (uint32_t i = 0; !l->error->status && i < 3 * count; i++) {
        uint32_t a = corner[i], b = corner[i / 3 * 3 + (i + 1) % 3];
        float edge[3];
        cloth_subtract3(def->positions + 3 * (size_t)b, def->positions + 3 * (size_t)a, edge);
        lengths += (double)sqrtf(cloth_dot3(edge, edge));
        m->neighbours[a]++;
        m->neighbours[b]++;
    }
    m->edge = count ? (float)(lengths / (3.0 * count)) : 0;
    return l->error->status;
}

static hed_status lay_garment(layering *l, layer_moved *m)
{
    hed_cloth_crossings crossings;
    bool crossing = true;
    if (open_moved(l, m) || m->triangle_count == 0 || check_moved(l, m, &crossings))
        return l->error->status;
    m->selves = crossings.count[HED_CLOTH_CROSSES_ITSELF];
    hed_cloth_crossings_free(&crossings);
    bool moved = false;
    for (uint32_t round = 0; round < ROUNDS && crossing && !l->error->status; round++) {
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            if (moved) even_out(m);
            moved |= move_out(l, m) > 0;
        }
        for (int sweep = 0; sweep < SWEEPS && move_out(l, m) > 1e-3f; sweep++) continue;
        move_further(l, m, round + 1 == ROUNDS, &crossing);
    }
    layer_surface lies = {.garment = m->number,
        .thickness = m->def->thickness,
        .seen = {m->def->particle_count, m->triangle_count, m->positions, m->triangles, false}};
    return l->error->status ? l->error->status : add_surface(l, &lies);
}

static hed_status lay_all(layering *l, float *positions, hed_cloth_laid *laid)
{
    for (uint32_t layer = 1, next; layer; layer = next) {
        size_t first = 0;
        next = 0;
        for (uint32_t g = 0; g < l->garment_count; g++) {
            const hed_cloth_garment_def *def = &l->garments[g];
            layer_moved m = {.def = def, .number = g, .positions = positions + 3 * first};
            first += def->particle_count;
            if (def->layer > layer && (!next || def->layer < next)) next = def->layer;
            if (def->layer != layer) continue;
            if (lay_garment(l, &m)) return l->error->status;
            for (uint32_t i = 0; laid && i < def->particle_count; i++) {
                float way[3];
                cloth_subtract3(m.positions + 3 * (size_t)i, def->positions + 3 * (size_t)i, way);
                double distance = sqrt((double)cloth_dot3(way, way));
                laid[g].moved += distance > 0;
                laid[g].farthest = fmax(laid[g].farthest, distance);
            }
        }
    }
    return HED_OK;
}

hed_status hed_cloth_lay(const hed_cloth_garment_def *garments, uint32_t garment_count,
    const hed_cloth_frame *frame, float *positions, hed_cloth_laid *laid, hed_error *error)
{
    HED_REQUIRE(garments || !garment_count, positions);
    hed_error local_error = {0};
    const hed_cloth_mesh_collider *bodies = frame ? frame->meshes : NULL;
    uint32_t body_count = frame ? frame->mesh_count : 0;
    layering l = {.arena = {.owner = "layers of garments"},
        .garments = garments,
        .garment_count = garment_count,
        .shapes = frame ? frame->colliders : NULL,
        .shape_count = frame ? frame->collider_count : 0,
        .error = error ? error : &local_error};
    float *next = positions;
    for (uint32_t g = 0; g < garment_count; g++) {
        if (cloth_check_garment(&garments[g], g, l.error)) return l.error->status;
        memcpy(next, garments[g].positions, 3 * garments[g].particle_count * sizeof *next);
        next += 3 * (size_t)garments[g].particle_count;
        if (laid) laid[g] = (hed_cloth_laid){0};
    }
    for (uint32_t s = 0; s < l.shape_count; s++)
        if (cloth_check_collider(&l.shapes[s], s, l.error)) return l.error->status;
    uint64_t capacity = (uint64_t)garment_count + body_count;
    l.surfaces = hed_arena_new(&l.arena, capacity, sizeof *l.surfaces, l.error);
    l.checked = hed_arena_new(&l.arena, capacity + 1, sizeof *l.checked, l.error);
    for (uint32_t b = 0; b < body_count && !l.error->status; b++)
        l.checked[b] = (hed_cloth_check_surface){bodies[b].vertex_count, bodies[b].triangle_count,
            bodies[b].positions, bodies[b].triangles, true};
    /* checks that the bodies are valid: bodies do not cross each other */
    hed_cloth_crossings crossings;
    hed_cloth_check(&(hed_cloth_check_def){.surfaces = l.checked, .surface_count = body_count},
        &crossings, l.error);
    for (uint32_t b = 0; b < body_count && !l.error->status; b++)
        if (bodies[b].triangle_count)
            add_surface(&l, &(layer_surface){.garment = b, .body = true, .seen = l.checked[b]});
    if (!l.error->status) lay_all(&l, positions, laid);
    hed_arena_free(&l.arena);
    return l.error->status;
}
