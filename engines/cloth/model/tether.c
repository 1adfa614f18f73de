/* Tethers: for each particle the nearest locked particle, along the cloth at rest.
 *
 * Distances spread over the triangles from all locked particles at once, as in fast marching
 * (Kimmel and Sethian, Computing Geodesic Paths on Manifolds, 1998), but with round fronts
 * instead of straight ones: over an edge whose ends have distances from one source, the source
 * is unfolded into the triangle's plane and seen from the third corner (Novotni and Klein,
 * Computing Geodesic Distances on Triangular Meshes, 2002). That is exact for developable cloth.
 * If the line of sight leaves the edge, the path bends at a particle, which is a source of its
 * own from there on. A particle that a shorter path reaches later is spread from again, so
 * obtuse triangles need no special treatment. Only a particle whose nearest locked particle
 * reaches no triangle on the path (in a wedge between the regions of others) keeps a path along
 * an edge, a few per cent too long. In a garment without faces distances spread along its
 * constraints. */
#include "model/garment.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
/* maximum ratio of a path's length to the straight distance at which the path counts as straight */
#define STRAIGHT 1.01
#define SHORTER 1e-9 /* minimum relative gain in length; less is rounding */

/* Path to a particle: from a locked particle to `source`, where the path bends last, then
 * straight. */
typedef struct way {
    double length;  /* whole path, m */
    double to_bend; /* path up to `source`, m */
    uint32_t source, anchor;
} way;

typedef struct spread {
    const cloth_garment *garment;
    way *ways;       /* (particles) */
    uint32_t *heap;  /* (particles) particles to spread from, nearest first */
    uint32_t *place; /* (particles) position in the heap, NONE: not in the heap */
    uint32_t heap_count;
    /* (particles + 1) constraints at each particle; NULL: the garment has faces */
    uint32_t *links_at;
    uint32_t *links; /* (2 x constraints) */
    hed_arena scratch;
} spread;

static double apart(const cloth_garment *garment, uint32_t i, uint32_t j)
{
    const float *a = garment->rest[i], *b = garment->rest[j];
    double x = (double)b[0] - a[0], y = (double)b[1] - a[1], z = (double)b[2] - a[2];
    return sqrt(x * x + y * y + z * z);
}

/* ---- a heap with the position of each particle ---- */

static void rise(spread *work, uint32_t at, uint32_t particle)
{
    for (; at && work->ways[work->heap[(at - 1) / 2]].length > work->ways[particle].length;
         at = (at - 1) / 2) {
        work->heap[at] = work->heap[(at - 1) / 2];
        work->place[work->heap[at]] = at;
    }
    work->heap[at] = particle;
    work->place[particle] = at;
}

static uint32_t take_nearest(spread *work)
{
    uint32_t nearest = work->heap[0], last = work->heap[--work->heap_count], at = 0;
    work->place[nearest] = NONE;
    if (!work->heap_count) return nearest;
    for (uint32_t child; (child = 2 * at + 1) < work->heap_count; at = child) {
        if (child + 1 < work->heap_count &&
            work->ways[work->heap[child + 1]].length < work->ways[work->heap[child]].length)
            child++;
        work->heap[at] = work->heap[child];
        work->place[work->heap[at]] = at;
    }
    rise(work, at, last);
    return nearest;
}

static void offer(spread *work, uint32_t particle, way candidate)
{
    const way *current = work->ways + particle;
    bool shorter = candidate.length < current->length * (1.0 - SHORTER);
    bool straighter = candidate.length < current->length * (1.0 + SHORTER) &&
                      candidate.to_bend < current->to_bend * (1.0 - SHORTER);
    if (!shorter && !straighter) return;
    work->ways[particle] = candidate;
    rise(
        work, work->place[particle] == NONE ? work->heap_count++ : work->place[particle], particle);
}

/* ---- spreading ---- */

static void offer_along(spread *work, uint32_t from, uint32_t to, double length)
{
    const way *at = work->ways + from;
    offer(work, to, (way){at->length + length, at->length, from, at->anchor});
}

/* Returns the distance of b from the source of a's path; NAN unless b has the same source, or
 * the source is in direct sight of a and b is not hidden from it. */
static double beside(const spread *work, uint32_t a, uint32_t b)
{
    const way *at = work->ways + a, *path = work->ways + b;
    double ra = at->length - at->to_bend, rb = path->length - path->to_bend;
    if (b == at->source) return 0.0;
    if (path->source == at->source) return rb;
    double straight = apart(work->garment, b, at->source);
    bool in_view = ra <= STRAIGHT * apart(work->garment, a, at->source) &&
                   path->length <= (at->to_bend + straight) * (1.0 + 1e-6);
    return in_view ? straight : NAN;
}

/* Extends the path of particle a from its source, over the edge between a and b, to c. */
static void look_over(
    spread *work, uint32_t a, uint32_t b, uint32_t c, double ab, double ac, double bc)
{
    const way *at = work->ways + a;
    double ra = at->length - at->to_bend, rb = beside(work, a, b);
    if (!(ra > 0.0 && rb > 0.0)) return;
    /* a at the origin, b along x, c above, the source below */
    double sx = (ra * ra - rb * rb + ab * ab) / (2.0 * ab),
           cx = (ac * ac - bc * bc + ab * ab) / (2.0 * ab);
    double sy = sqrt(fmax(ra * ra - sx * sx, 0.0)), cy = sqrt(fmax(ac * ac - cx * cx, 0.0));
    if (!(sy + cy > 0.0)) return;
    double share = (sx + (cx - sx) * (sy / (sy + cy))) / ab;
    if (!(share >= -1e-6 && share <= 1.0 + 1e-6)) return;
    way candidate = *at;
    double straight = hed_strict_hypot(cx - sx, cy + sy);
    candidate.length = at->to_bend + fmax(straight, apart(work->garment, c, at->source));
    offer(work, c, candidate);
}

static void spread_over_faces(spread *work, uint32_t from)
{
    const cloth_garment *garment = work->garment;
    for (uint32_t q = garment->incident_at[from]; q < garment->incident_at[from + 1]; q++) {
        const uint32_t *corner = garment->triangles[garment->incident[q]];
        uint32_t k = corner[1] == from ? 1 : 0;
        if (corner[2] == from) k = 2;
        uint32_t b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
        double ab = apart(garment, from, b), ac = apart(garment, from, c),
               bc = apart(garment, b, c);
        double from_length = work->ways[from].length;
        /* a particle nearer than both ends of the edge is not reached over it */
        bool over_b = work->ways[b].length < INFINITY &&
                      work->ways[c].length > fmin(from_length, work->ways[b].length);
        bool over_c = work->ways[c].length < INFINITY &&
                      work->ways[b].length > fmin(from_length, work->ways[c].length);
        offer_along(work, from, b, ab);
        offer_along(work, from, c, ac);
        if (over_b && ab > 0.0) {
            look_over(work, from, b, c, ab, ac, bc);
            look_over(work, b, from, c, ab, bc, ac);
        }
        if (over_c && ac > 0.0) {
            look_over(work, from, c, b, ac, ab, bc);
            look_over(work, c, from, b, ac, bc, ab);
        }
    }
}

static void spread_all(spread *work)
{
    const cloth_garment *garment = work->garment;
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        bool locked = !(garment->positions[i][3] > 0.0f);
        work->ways[i] = (way){locked ? 0.0 : INFINITY, 0.0, i, locked ? i : NONE};
        work->place[i] = NONE;
        if (locked) rise(work, work->heap_count++, i);
    }
    while (work->heap_count) {
        uint32_t from = take_nearest(work);
        if (!work->links_at) {
            spread_over_faces(work, from);
            continue;
        }
        for (uint32_t q = work->links_at[from]; q < work->links_at[from + 1]; q++) {
            const hed_cloth_constraint *c = work->garment->constraints + work->links[q];
            offer_along(work, from, c->a == from ? c->b : c->a, c->rest);
        }
    }
}

/* Numbers the locked particles with tethers; work->place becomes the number of each. */
static uint32_t number_anchors(spread *work)
{
    const cloth_garment *garment = work->garment;
    uint32_t count = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (garment->positions[i][3] > 0.0f && work->ways[i].anchor != NONE)
            work->place[work->ways[i].anchor] = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (work->place[i] != NONE) work->place[i] = count++;
    return count;
}

static hed_status take_tethers(cloth_garment *garment, spread *work, float slack, hed_error *error)
{
    uint32_t particles = garment->particle_count, anchors = number_anchors(work);
    if (!anchors) return HED_OK;
    garment->anchor_count = anchors;
    garment->anchors = hed_arena_new(&garment->arena, anchors, sizeof *garment->anchors, error);
    garment->tether_anchor =
        hed_arena_new(&garment->arena, particles, sizeof *garment->tether_anchor, error);
    garment->tether_length =
        hed_arena_new(&garment->arena, particles, sizeof *garment->tether_length, error);
    if (!garment->anchors || !garment->tether_anchor || !garment->tether_length)
        return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) {
        if (work->place[i] != NONE) garment->anchors[work->place[i]] = i;
        bool tethered = garment->positions[i][3] > 0.0f && work->ways[i].anchor != NONE;
        garment->tether_anchor[i] = NONE;
        garment->tether_length[i] = 0.0f;
        if (!tethered) continue;
        double path_length = work->ways[i].length,
               straight = apart(garment, i, work->ways[i].anchor);
        if (path_length <= STRAIGHT * straight) path_length = straight;
        garment->tether_anchor[i] = work->place[work->ways[i].anchor];
        garment->tether_length[i] = (float)(slack * path_length);
    }
    return HED_OK;
}

hed_status cloth_make_tethers(cloth_garment *garment, float slack, hed_error *error)
{
    uint32_t particles = garment->particle_count;
    spread work = {.garment = garment,
        .scratch = {.allocator = garment->arena.allocator, .owner = "tethers of cloth"}};
    work.ways = hed_arena_new(&work.scratch, particles, sizeof *work.ways, error);
    work.heap = hed_arena_new(&work.scratch, particles, sizeof *work.heap, error);
    work.place = hed_arena_new(&work.scratch, particles, sizeof *work.place, error);
    hed_status status = work.scratch.failed ? HED_ERROR_MEMORY : HED_OK;
    if (!status && !garment->triangle_count)
        status =
            cloth_garment_around(garment, false, &work.scratch, &work.links_at, &work.links, error);
    if (!status) {
        spread_all(&work);
        status = take_tethers(garment, &work, slack, error);
    }
    hed_arena_free(&work.scratch);
    return status;
}
