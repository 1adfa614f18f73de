/* Layers of garments at the start. A layer is moved out of the surfaces inside it by projection:
 * each particle to the thickness over the nearest point of each surface, alternating with
 * smoothing of the displacements between neighbours, so that the garment keeps its shape. Triangles
 * that still cross though their corners are outside, as over a sharp edge, are moved further out. */
#include "heddle/cloth_layers.h"
#include "heddle/cloth_check.h"

#include "model/collider.h"
#include "model/garment.h"
#include "model/layer_surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 40, /* rounds of moving out and checking for crossings */
    /* sweeps of smoothing and moving out in a round, and maximum of sweeps of moving out alone */
    SWEEPS = 8,
    PATIENCE = 6, /* rounds without fewer crossings after which an automatic garment is left */
    /* rounds of regaining the lengths at rest, and passes over the edges before moving out */
    RELAX_ROUNDS = 60,
    PULLS = 4,
    /* rounds in a row with crossings after which regaining ends; half of them raise the extra
     * displacement */
    CROSSED_ROUNDS = 20
};
/* extra displacement of crossing triangles in a round, / mean edge */
static const float further = 0.25f, further_auto = 0.05f, furthest_auto = 0.5f;
/* stretch (p99) of a garment that has regained its lengths, and the factor of it that a round of
 * regaining has to reach */
static const double RELAXED = 0.01, SLOW = 0.98;
/* depth within a body, / thickness, from which on an automatic garment is moved */
static const float DEEP = 0.1f;

/* Garment that is moved. */
typedef struct layer_moved {
    const hed_cloth_garment_def *def;
    uint32_t number;
    float *positions;
    uint32_t triangle_count;
    const uint32_t *triangles; /* (triangle_count x 3) */
    float edge;                /* mean length of edges at the start, m */
    float (*facing)[3];        /* (particles) normals at the start; NULL: not used */
    float *extra;              /* (particles) clearance beyond the thickness, m */
    bool *crosses;             /* (particles) a triangle of the particle crosses a surface */
    /* (particles) a triangle of the particle has crossed the garment itself */
    bool *folds;
    float *heights; /* (particles) over bodies and surfaces at the start, of an automatic garment */
    float (*sums)[3];     /* (particles) sums of the neighbours' displacements */
    uint32_t *neighbours; /* (particles) */
    uint32_t *guesses;    /* (surfaces x particles) nearest triangles */
    uint64_t selves;      /* pairs of the garment's own triangles that cross at the start */
    float *best;          /* (particles x 3) positions with the fewest crossings so far */
    uint64_t fewest;      /* crossings of `best` */
    double best_stretch;  /* stretch of `best` (p99); 0 before lengths are regained */
    hed_cloth_laid *laid;
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

/* ---- moving out ---- */

static bool is_automatic(const layer_moved *m) { return m->def->layer == HED_CLOTH_LAYER_AUTO; }

static bool may_move(const hed_cloth_garment_def *def, uint32_t particle)
{
    return !(def->inverse_masses && def->inverse_masses[particle] == 0) &&
           !(def->driven && def->max_distance && def->max_distance[particle] == 0);
}

/* Moves a particle from `height` over a surface out to its clearance. Returns the displacement /
 * (clearance + mean edge). */
static float lift_particle(
    const layer_moved *m, uint32_t particle, float clearance, float height, const float out[3])
{
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
            longest =
                fmaxf(longest, lift_particle(m, i, m->def->thickness + m->extra[i], height, out));
        }
        for (uint32_t s = 0; s < l->surface_count; s++) {
            const layer_surface *surface = &l->surfaces[s];
            uint32_t *guess = &m->guesses[(size_t)s * m->def->particle_count + i];
            float clearance =
                m->extra[i] + (surface->body ? m->def->thickness
                                             : 0.5f * (m->def->thickness + surface->thickness));
            const float *facing = m->facing ? m->facing[i] : NULL;
            if (!layer_surface_height(surface, place, facing, guess, &height, out) ||
                height >= clearance)
                continue;
            if (surface->body)
                clearance = layer_surface_room(surface, place, *guess, height, out, clearance);
            longest = fmaxf(longest, lift_particle(m, i, clearance, height, out));
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

/* Keeps the positions if they have fewer crossings than all before, or as many and no more stretch.
 * Contact parts cloth and body in time, but never cloth and cloth. */
static void keep_best(layer_moved *m, uint64_t body_pairs, uint64_t itself)
{
    uint64_t selves = itself > m->selves ? itself - m->selves : 0, count = body_pairs + 4 * selves;
    double stretch = m->laid->stretch_p99;
    if (count > m->fewest || (count == m->fewest && stretch > m->best_stretch)) return;
    m->fewest = count;
    m->best_stretch = stretch;
    m->laid->crossings = body_pairs + selves;
    memcpy(m->best, m->positions, 3 * (size_t)m->def->particle_count * sizeof *m->best);
}

/* Moves triangles that still cross further out; `*crossing`: true if there are any. Of a garment
 * that is moved automatically, triangles with a locked corner do not count: nothing moves them. */
static hed_status move_further(layering *l, layer_moved *m, bool last, bool *crossing)
{
    hed_cloth_crossings crossings;
    if (check_moved(l, m, &crossings)) return l->error->status;
    uint64_t selves = crossings.count[HED_CLOTH_CROSSES_ITSELF], locked_pairs = 0,
             body_pairs =
                 crossings.count[HED_CLOTH_CROSSES_BODY] + crossings.count[HED_CLOTH_CROSSES_SHAPE];
    memset(m->crosses, 0, m->def->particle_count * sizeof *m->crosses);
    for (uint32_t i = 0; i < crossings.pair_count; i++) {
        const hed_cloth_crossing *pair = &crossings.pairs[i];
        bool itself = pair->kind == HED_CLOTH_CROSSES_ITSELF, folds = itself && !is_automatic(m);
        bool is_locked = false; /* a corner keeps the triangle where it is */
        for (uint32_t c = 0; c < 3; c++)
            is_locked |= !may_move(m->def, m->triangles[3 * (size_t)pair->triangle[0] + c]);
        if (!itself && is_automatic(m) && is_locked) {
            locked_pairs++;
            continue;
        }
        /* move the outer one of two layers in one mesh, such as a shirt over trousers */
        float outer[2] = {0};
        for (uint32_t c = 0; c < 6 && itself; c++)
            outer[c / 3] += m->heights[m->triangles[3 * (size_t)pair->triangle[c / 3] + c % 3]];
        uint32_t side = !folds && outer[1] > outer[0];
        for (uint32_t c = 3 * side; c < (folds ? 6 : 3 * side + 3); c++)
            (folds ? m->folds
                   : m->crosses)[m->triangles[3 * (size_t)pair->triangle[c / 3] + c % 3]] = true;
    }
    *crossing = body_pairs > locked_pairs || selves > m->selves;
    keep_best(m, body_pairs, selves);
    if (*crossing && last && !is_automatic(m)) tell_crossings(l, m, &crossings);
    for (uint32_t i = 0; i < m->def->particle_count; i++)
        if (m->crosses[i])
            m->extra[i] = is_automatic(m)
                              ? fminf(m->extra[i] + further_auto * m->edge, furthest_auto * m->edge)
                              : m->extra[i] + further * m->edge;
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
    m->heights = hed_arena_new(&l->arena, def->particle_count, sizeof *m->heights, l->error);
    m->sums = hed_arena_new(&l->arena, def->particle_count, sizeof *m->sums, l->error);
    m->neighbours = hed_arena_new(&l->arena, def->particle_count, sizeof *m->neighbours, l->error);
    if (is_automatic(m))
        m->facing = hed_arena_new(&l->arena, def->particle_count, sizeof *m->facing, l->error);
    m->best =
        hed_arena_new(&l->arena, 3 * (uint64_t)def->particle_count, sizeof *m->best, l->error);
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
        if (!m->facing) continue;
        const float *p = def->positions + 3 * (size_t)corner[i / 3 * 3 + (i + 2) % 3];
        float side[3];
        cloth_subtract3(p, def->positions + 3 * (size_t)a, side);
        for (int k = 0; k < 3; k++)
            m->facing[a][k] +=
                edge[(k + 1) % 3] * side[(k + 2) % 3] - edge[(k + 2) % 3] * side[(k + 1) % 3];
    }
    m->edge = count ? (float)(lengths / (3.0 * count)) : 0;
    return l->error->status;
}

/* ---- relaxing ---- */

static int compare_stretches(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Computes length / rest length - 1 of a side of a triangle, and the displacement between its ends.
 * */
static float side_stretch(const layer_moved *m, uint32_t side, float displacement[3])
{
    const float *rest = m->def->rest_positions ? m->def->rest_positions : m->def->positions;
    size_t a = m->triangles[side], b = m->triangles[side / 3 * 3 + (side + 1) % 3];
    float before[3];
    cloth_subtract3(m->positions + 3 * b, m->positions + 3 * a, displacement);
    cloth_subtract3(rest + 3 * b, rest + 3 * a, before);
    float length = sqrtf(cloth_dot3(before, before));
    return length > 0 ? sqrtf(cloth_dot3(displacement, displacement)) / length - 1 : 0;
}

/* Measures the stretch that 1 % of the sides of triangles exceed. */
static void measure_stretch(layering *l, const layer_moved *m)
{
    uint32_t count = 3 * m->triangle_count;
    hed_arena scratch = {.owner = l->arena.owner};
    float *stretches = hed_arena_new(&scratch, count, sizeof *stretches, l->error), side[3];
    if (stretches) {
        for (uint32_t i = 0; i < count; i++) stretches[i] = side_stretch(m, i, side);
        qsort(stretches, count, sizeof *stretches, compare_stretches);
        m->laid->stretch_p99 = (double)stretches[(uint64_t)count * 99 / 100];
    }
    hed_arena_free(&scratch);
}

/* Moves the ends of each edge towards its length at rest, once. */
static void pull_edges(const layer_moved *m)
{
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        size_t a = m->triangles[i], b = m->triangles[i / 3 * 3 + (i + 1) % 3];
        float side[3], stretch = side_stretch(m, i, side);
        float free_a = may_move(m->def, (uint32_t)a), free_b = may_move(m->def, (uint32_t)b);
        if (free_a + free_b == 0) continue;
        float part = 0.5f * stretch / ((1 + stretch) * (free_a + free_b));
        for (size_t k = 0; k < 3; k++) {
            m->positions[3 * a + k] += free_a * part * side[k];
            m->positions[3 * b + k] -= free_b * part * side[k];
        }
    }
}

/* Draws the edges of a garment that is outside to their lengths at rest, as far as the bodies
 * allow: else the first frames would do it, at a speed. Over a sharp edge a round may cross with
 * all corners outside: rounds go on then, with extra displacements that grow where triangles cross.
 * */
static void regain_lengths(layering *l, layer_moved *m)
{
    bool crossing;
    double before = INFINITY;
    uint32_t crossed = 0;
    memset(m->extra, 0, m->def->particle_count * sizeof *m->extra);
    memcpy(m->positions, m->best, 3 * (size_t)m->def->particle_count * sizeof *m->best);
    measure_stretch(l, m);
    m->best_stretch = m->laid->stretch_p99;
    for (int round = 0; round < RELAX_ROUNDS && !l->error->status; round++) {
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int pull = 0; pull < PULLS; pull++) pull_edges(m);
            move_out(l, m);
        }
        for (int sweep = 0; sweep < SWEEPS && move_out(l, m) > 1e-3f; sweep++) continue;
        measure_stretch(l, m);
        move_further(l, m, true, &crossing);
        crossed = crossing ? crossed + 1 : 0;
        bool is_done = m->laid->stretch_p99 < RELAXED || m->laid->stretch_p99 > SLOW * before;
        if (crossing ? crossed > CROSSED_ROUNDS : is_done) break;
        before = m->laid->stretch_p99;
    }
}

/* Moves a garment outside, and adds it to the surfaces of later ones. */
static hed_status lay_garment(layering *l, layer_moved *m)
{
    hed_cloth_crossings crossings;
    bool crossing = true, moved = false;
    if (check_moved(l, m, &crossings)) return l->error->status;
    m->selves = crossings.count[HED_CLOTH_CROSSES_ITSELF];
    m->fewest = UINT64_MAX;
    /* a garment that is entirely within a body has no triangle that crosses */
    keep_best(m,
        m->laid->within + crossings.count[HED_CLOTH_CROSSES_BODY] +
            crossings.count[HED_CLOTH_CROSSES_SHAPE],
        m->selves);
    hed_cloth_crossings_free(&crossings);
    uint64_t start = m->fewest;
    uint32_t stuck = 0;
    for (uint32_t round = 0; round < ROUNDS && crossing && !l->error->status; round++) {
        uint64_t before = m->fewest;
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            if (moved) even_out(m);
            moved |= move_out(l, m) > 0;
        }
        for (int sweep = 0; sweep < SWEEPS && move_out(l, m) > 1e-3f; sweep++) continue;
        move_further(l, m, round + 1 == ROUNDS, &crossing);
        stuck = m->fewest < before ? 0 : stuck + 1;
        if (is_automatic(m) && stuck == PATIENCE) break;
    }
    if (!l->error->status && is_automatic(m)) {
        if (m->fewest < start) regain_lengths(l, m);
        memcpy(m->positions, m->best, 3 * (size_t)m->def->particle_count * sizeof *m->best);
        measure_stretch(l, m);
    }
    if (l->error->status) return l->error->status;
    l->surfaces[l->surface_count] = (layer_surface){.garment = m->number,
        .thickness = m->def->thickness,
        .seen = {m->def->particle_count, m->triangle_count, m->positions, m->triangles, false}};
    return layer_surface_open(&l->surfaces[l->surface_count++], &l->arena, l->error);
}

/* Finds the particles that begin within a body or a surface. True: some are deep. */
static bool begins_within(const layering *l, const layer_moved *m)
{
    for (uint32_t i = 0; i < m->def->particle_count; i++) {
        float lowest = INFINITY, height, out[3];
        const float *place = m->positions + 3 * (size_t)i;
        for (uint32_t s = 0; s < l->shape_count; s++)
            lowest = fminf(lowest, cloth_collider_height(&l->shapes[s], place, out));
        for (uint32_t s = 0; s < l->surface_count; s++) {
            const layer_surface *surface = &l->surfaces[s];
            uint32_t *guess = &m->guesses[(size_t)s * m->def->particle_count + i];
            bool outside = false;
            for (int k = 0; k < 3; k++)
                outside |= place[k] < surface->low[k] || place[k] > surface->high[k];
            if (!outside && layer_surface_height(surface, place, NULL, guess, &height, out))
                lowest = fminf(lowest, height);
        }
        m->heights[i] = lowest;
        if (!may_move(m->def, i)) continue;
        m->laid->within += lowest < 0;
        m->laid->deepest = fmax(m->laid->deepest, -(double)lowest);
    }
    return m->laid->deepest > (double)(DEEP * m->def->thickness);
}

/* Decides by the particles outside of bodies on which side of its faces the cloth's outside is; of
 * no use without such particles. */
static void orient(const layering *l, layer_moved *m)
{
    int64_t votes = 0;
    for (uint32_t i = 0; i < m->def->particle_count; i++) {
        float height, out[3];
        for (uint32_t s = 0; s < l->surface_count && m->heights[i] > 0; s++)
            if (layer_surface_height(&l->surfaces[s], m->positions + 3 * (size_t)i, NULL,
                    &m->guesses[(size_t)s * m->def->particle_count + i], &height, out))
                votes += cloth_dot3(out, m->facing[i]) > 0 ? 1 : -1;
    }
    for (uint32_t i = 0; votes < 0 && i < m->def->particle_count; i++)
        for (int k = 0; k < 3; k++) m->facing[i][k] = -m->facing[i][k];
    if (votes == 0) m->facing = NULL;
}

/* Lays the garments of one layer. Automatic ones are looked at, and laid only if they begin within
 * something; `second_pass`: only garments that are not laid yet. */
static hed_status lay_layer(
    layering *l, uint32_t layer, bool second_pass, float *positions, hed_cloth_laid *laid)
{
    size_t first = 0;
    for (uint32_t g = 0; g < l->garment_count; g++) {
        const hed_cloth_garment_def *def = &l->garments[g];
        layer_moved m = {
            .def = def, .number = g, .positions = positions + 3 * first, .laid = &laid[g]};
        first += def->particle_count;
        if (def->layer != layer || (second_pass && laid[g].moved)) continue;
        if (second_pass) laid[g] = (hed_cloth_laid){0};
        if (open_moved(l, &m)) return l->error->status;
        if (m.triangle_count == 0 || (is_automatic(&m) && !begins_within(l, &m))) continue;
        if (is_automatic(&m)) orient(l, &m);
        if (lay_garment(l, &m)) return l->error->status;
        for (uint32_t i = 0; i < def->particle_count; i++) {
            float way[3];
            cloth_subtract3(m.positions + 3 * (size_t)i, def->positions + 3 * (size_t)i, way);
            double distance = sqrt((double)cloth_dot3(way, way));
            laid[g].moved += distance > 0;
            laid[g].farthest = fmax(laid[g].farthest, distance);
        }
    }
    return HED_OK;
}

/* Lays all garments, automatic ones first. An automatic garment that began outside of the bodies,
 * but within a garment that was moved out, is laid in a second pass. */
static hed_status lay_all(layering *l, float *positions, hed_cloth_laid *laid)
{
    if (lay_layer(l, HED_CLOTH_LAYER_AUTO, false, positions, laid) ||
        lay_layer(l, HED_CLOTH_LAYER_AUTO, true, positions, laid))
        return l->error->status;
    for (uint32_t layer = 1, next; layer; layer = next) {
        next = 0;
        if (lay_layer(l, layer, false, positions, laid)) return l->error->status;
        for (uint32_t g = 0; g < l->garment_count; g++) {
            uint32_t higher = l->garments[g].layer;
            if (higher != HED_CLOTH_LAYER_AUTO && higher > layer && (!next || higher < next))
                next = higher;
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
    if (!laid) laid = hed_arena_new(&l.arena, garment_count, sizeof *laid, l.error);
    for (uint32_t b = 0; b < body_count && !l.error->status; b++)
        l.checked[b] = (hed_cloth_check_surface){bodies[b].vertex_count, bodies[b].triangle_count,
            bodies[b].positions, bodies[b].triangles, true};
    /* checks that the bodies are valid: bodies do not cross each other */
    hed_cloth_crossings crossings;
    hed_cloth_check(&(hed_cloth_check_def){.surfaces = l.checked, .surface_count = body_count},
        &crossings, l.error);
    for (uint32_t b = 0; b < body_count && !l.error->status; b++) {
        if (bodies[b].triangle_count == 0) continue;
        l.surfaces[l.surface_count] =
            (layer_surface){.garment = b, .body = true, .seen = l.checked[b]};
        layer_surface_open(&l.surfaces[l.surface_count++], &l.arena, l.error);
    }
    if (!l.error->status) lay_all(&l, positions, laid);
    hed_arena_free(&l.arena);
    return l.error->status;
}
