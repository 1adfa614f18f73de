/* Nodes of the tree over the cloth's own triangles that are convex at rest. For such a node a
 * test of single triangles can prove that it does not meet itself (docs/cloth-contact.md, Which
 * pairs). They exist in garments that are flat at rest, in one piece, with a convex border and
 * without holes: a straight line between two points of a node at rest stays in the garment, and
 * the node is convex if the line stays in the triangles around the node's vertices too. */
#include "contact/contact_host.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef fabs /* double here: words.h has the float of kernels */
#undef sqrt

static const double flat_within =
    1e-5; /* deviation from a plane and from a straight border, by the garment's size */

/* An edge of a triangle, in the triangle's direction. */
typedef struct flat_edge {
    uint32_t low, high, side; /* 3 leaf + edge */
    bool turned;              /* the direction is from high to low */
} flat_edge;

typedef struct flat_garments {
    const contact_triangle *triangles;
    uint32_t leaves, particles, bodies;
    double (*places)[2]; /* (particles) in the garment's plane at rest */
    uint32_t *body;      /* (particles) */
    bool *convex;        /* (bodies) */
    uint32_t *next;      /* (particles) along the border */
    uint32_t *borders;   /* (bodies) its edges */
    uint32_t *beyond;    /* (3 leaves) the leaf on the other side of an edge, or CONTACT_NO_LEAF */
    uint32_t *mark;      /* (particles) the last node that has it */
    const uint32_t *around_at, *around;
} flat_garments;

static uint32_t flat_corner(contact_triangle triangle, uint32_t k)
{
    return k % 3 == 0 ? triangle.a : k % 3 == 1 ? triangle.b : triangle.c;
}

static double flat_turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

/* Sets the normal of the largest triangle. Returns the width of the garment, m; 0: no area. */
static double flat_normal(const cloth_garment *garment, double normal[3])
{
    double largest = 0.0, wide = 0.0;
    for (uint32_t t = 0; t < garment->triangle_count; t++) {
        const float *p[3];
        double n[3];
        for (int k = 0; k < 3; k++) p[k] = garment->rest[garment->triangles[t][k]];
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] = ((double)p[1][l] - p[0][l]) * ((double)p[2][m] - p[0][m]) -
                   ((double)p[1][m] - p[0][m]) * ((double)p[2][l] - p[0][l]);
            wide = fmax(wide, fabs((double)p[0][k] - garment->rest[0][k]));
        }
        double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (size <= largest) continue;
        largest = size;
        for (int k = 0; k < 3; k++) normal[k] = n[k] / size;
    }
    return largest > 0.0 ? wide : 0.0;
}

/* Sets positions in the plane of the garment, along axes near the world's, as the tree. Returns
 * false if the garment is not flat. */
static bool flat_places(const cloth_garment *garment, double (*places)[2])
{
    double n[3] = {0.0, 0.0, 0.0}, u[3], v[3];
    double wide = flat_normal(garment, n);
    int axis = fabs(n[1]) < fabs(n[0]) - 1e-3 ? 1 : 0;
    if (fabs(n[2]) < fabs(n[axis]) - 1e-3) axis = 2;
    double length = sqrt(1.0 - n[axis] * n[axis]);
    if (!(wide > 0.0)) return false;
    for (int k = 0; k < 3; k++) u[k] = ((k == axis) - n[axis] * n[k]) / length;
    for (int k = 0; k < 3; k++)
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        double off = 0.0;
        places[i][0] = places[i][1] = 0.0;
        for (int k = 0; k < 3; k++) {
            double along = (double)garment->rest[i][k] - garment->rest[garment->triangles[0][0]][k];
            off += n[k] * along;
            places[i][0] += u[k] * along;
            places[i][1] += v[k] * along;
        }
        if (garment->incident_at[i] < garment->incident_at[i + 1] && fabs(off) > flat_within * wide)
            return false;
    }
    return true;
}

/* ---- borders ---- */

static int compare_flat_edges(const void *a, const void *b)
{
    const flat_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->side < q->side ? -1 : p->side > q->side;
}

/* Joins triangles at edges of two; edges of one triangle are the border. */
static void flat_join(flat_garments *f, flat_edge *edges)
{
    uint32_t count = 0;
    for (uint32_t leaf = 0; leaf < f->leaves; leaf++)
        for (uint32_t k = 0; k < 3 && f->triangles[leaf].a != CONTACT_NO_LEAF; k++) {
            uint32_t a = flat_corner(f->triangles[leaf], k),
                     b = flat_corner(f->triangles[leaf], k + 1);
            edges[count++] = (flat_edge){a < b ? a : b, a < b ? b : a, 3 * leaf + k, a > b};
        }
    qsort(edges, count, sizeof *edges, compare_flat_edges);
    for (uint32_t i = 0, end; i < count; i = end) {
        flat_edge *e = &edges[i];
        uint32_t body = f->body[e->low], from = e->turned ? e->high : e->low;
        for (end = i + 1; end < count && edges[end].low == e->low && edges[end].high == e->high;)
            end++;
        if (end == i + 1) {
            f->convex[body] = f->convex[body] && f->next[from] == CONTACT_NO_LEAF;
            f->next[from] = e->turned ? e->low : e->high;
            f->borders[body]++;
        } else if (end == i + 2 && e->turned != e[1].turned) {
            f->beyond[e->side] = e[1].side / 3;
            f->beyond[e[1].side] = e->side / 3;
        } else f->convex[body] = false;
    }
}

/* True if there is one border, which turns in one direction and once around: then the triangles,
 * which all have one orientation, cover its inside once. */
static bool flat_border(const flat_garments *f, uint32_t first)
{
    double around = 0.0;
    uint32_t steps = 0, at = first, body = f->body[first];
    do {
        uint32_t to = f->next[at], then = to == CONTACT_NO_LEAF ? to : f->next[to];
        if (then == CONTACT_NO_LEAF || steps++ > f->borders[body]) return false;
        const double *a = f->places[at], *b = f->places[to], *c = f->places[then];
        double one = hed_strict_hypot(b[0] - a[0], b[1] - a[1]),
               two = hed_strict_hypot(c[0] - b[0], c[1] - b[1]);
        double turn = flat_turn(a, b, c),
               on = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
        if (turn < -flat_within * one * two) return false;
        around += hed_strict_atan2(turn, on);
        at = to;
    } while (at != first);
    return steps == f->borders[body] && fabs(around - 2.0 * 3.14159265358979) < 0.01;
}

static void flat_borders(flat_garments *f)
{
    for (uint32_t leaf = 0; leaf < f->leaves; leaf++) {
        contact_triangle t = f->triangles[leaf];
        if (t.a == CONTACT_NO_LEAF) continue;
        /* all triangles need one orientation */
        if (!(flat_turn(f->places[t.a], f->places[t.b], f->places[t.c]) > 0.0))
            f->convex[f->body[t.a]] = false;
    }
    for (uint32_t i = 0; i < f->particles; i++) {
        uint32_t body = f->body[i];
        if (f->next[i] == CONTACT_NO_LEAF || f->borders[body] == 0 || !f->convex[body]) continue;
        f->convex[body] = flat_border(f, i);
        f->borders[body] = 0; /* tested */
    }
}

/* ---- nodes ---- */

/* True if a line crosses the inside of a rectangle. */
static bool flat_crosses(
    const double a[2], const double b[2], const double low[2], const double high[2])
{
    for (int k = 0; k < 2; k++)
        if (fmax(a[k], b[k]) <= low[k] || fmin(a[k], b[k]) >= high[k]) return false;
    int left = 0;
    for (int k = 0; k < 4; k++) {
        const double corner[2] = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1]};
        left += flat_turn(a, b, corner) > 0.0;
    }
    return left > 0 && left < 4;
}

/* True if the edge opposite to vertex `k` of a triangle is a border of the triangles around the
 * node. */
static bool flat_ends(const flat_garments *f, uint32_t leaf, uint32_t k, uint32_t node)
{
    uint32_t other = f->beyond[3 * leaf + (k + 1) % 3], marked = 0;
    for (uint32_t l = 0; l < 3; l++) marked += f->mark[flat_corner(f->triangles[leaf], l)] == node;
    if (marked != 1 || other == CONTACT_NO_LEAF) return false;
    for (uint32_t l = 0; l < 3; l++)
        if (f->mark[flat_corner(f->triangles[other], l)] == node) return false;
    return true;
}

static bool flat_node(flat_garments *f, uint32_t node)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    uint32_t first = node, last = node, body = CONTACT_NO_LEAF;
    for (; first < f->leaves; last = 2 * last + 1) first *= 2;
    first -= f->leaves;
    last -= f->leaves;
    for (uint32_t leaf = first; leaf <= last; leaf++) {
        if (f->triangles[leaf].a == CONTACT_NO_LEAF) continue;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t v = flat_corner(f->triangles[leaf], k);
            if (body == CONTACT_NO_LEAF) body = f->body[v];
            if (f->body[v] != body || !f->convex[body]) return false;
            f->mark[v] = node;
            for (int l = 0; l < 2; l++) {
                low[l] = fmin(low[l], f->places[v][l]);
                high[l] = fmax(high[l], f->places[v][l]);
            }
        }
    }
    if (body == CONTACT_NO_LEAF) return false;
    double within = flat_within * (high[0] - low[0] + high[1] - low[1]);
    for (int l = 0; l < 2; l++) {
        low[l] += within;
        high[l] -= within;
    }
    for (uint32_t leaf = first; leaf <= last; leaf++)
        for (uint32_t c = 0; c < 3 && f->triangles[leaf].a != CONTACT_NO_LEAF; c++) {
            uint32_t v = flat_corner(f->triangles[leaf], c);
            for (uint32_t i = f->around_at[v]; i < f->around_at[v + 1]; i++) {
                contact_triangle t = f->triangles[f->around[i]];
                uint32_t k = t.a == v ? 0 : t.b == v ? 1 : 2;
                if (flat_ends(f, f->around[i], k, node) &&
                    flat_crosses(f->places[flat_corner(t, k + 1)], f->places[flat_corner(t, k + 2)],
                        low, high))
                    return false;
            }
        }
    return true;
}

/* ---- the whole tree ---- */

/* Leaves around each particle. */
static void flat_around(const flat_garments *f, uint32_t *around_at, uint32_t *around)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t leaf = f->leaves; leaf-- > 0;)
            for (uint32_t k = 0; k < 3 && f->triangles[leaf].a != CONTACT_NO_LEAF; k++) {
                uint32_t v = flat_corner(f->triangles[leaf], k);
                if (pass) around[--around_at[v]] = leaf;
                else around_at[v]++;
            }
        for (uint32_t v = 0; v < f->particles && !pass; v++) around_at[v + 1] += around_at[v];
    }
}

/* Gradients in the garment's plane of the functions that are 1 at b, or at c, and 0 at the
 * others. */
static float4 flat_gradients(const flat_garments *f, contact_triangle t)
{
    const double *a = f->places[t.a], *b = f->places[t.b], *c = f->places[t.c];
    double area = flat_turn(a, b, c);
    return (float4){(float)((c[1] - a[1]) / area), (float)((a[0] - c[0]) / area),
        (float)((a[1] - b[1]) / area), (float)((b[0] - a[0]) / area)};
}

hed_status cloth_flat_make(const hed_cloth *cloth, const contact_triangle *triangles,
    uint32_t leaves, hed_arena *scratch, cloth_flat *flat, hed_error *error)
{
    uint32_t particles = cloth->particles, bodies = (uint32_t)cloth_copies(cloth);
    flat_garments f = {
        .triangles = triangles, .leaves = leaves, .particles = particles, .bodies = bodies};
    f.places = hed_arena_new(scratch, particles, sizeof *f.places, error);
    f.body = hed_arena_new(scratch, particles, sizeof *f.body, error);
    f.convex = hed_arena_new(scratch, bodies, sizeof *f.convex, error);
    f.next = hed_arena_new(scratch, particles, sizeof *f.next, error);
    f.borders = hed_arena_new(scratch, bodies, sizeof *f.borders, error);
    f.beyond = hed_arena_new(scratch, 3 * (uint64_t)leaves, sizeof *f.beyond, error);
    f.mark = hed_arena_new(scratch, particles, sizeof *f.mark, error);
    flat_edge *edges = hed_arena_new(scratch, 3 * (uint64_t)leaves, sizeof *edges, error);
    flat->gradients = hed_arena_new(scratch, leaves, sizeof *flat->gradients, error);
    flat->around_at = hed_arena_new(scratch, (uint64_t)particles + 1, sizeof(uint32_t), error);
    flat->around = hed_arena_new(scratch, 3 * (uint64_t)leaves, sizeof(uint32_t), error);
    flat->convex = hed_arena_new(scratch, 2 * (uint64_t)leaves, sizeof *flat->convex, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t g = 0, body = 0; g < cloth->garment_count; g++)
        for (uint32_t copy = 0; copy < cloth->garments[g]->copies; copy++, body++) {
            const cloth_garment *garment = cloth->garments[g];
            uint32_t first = cloth->first_particle[g] + copy * garment->particle_count;
            f.convex[body] = cloth_garment_pairs(garment) && flat_places(garment, f.places + first);
            for (uint32_t i = 0; i < garment->particle_count; i++) f.body[first + i] = body;
        }
    memset(f.next, 0xff, particles * sizeof *f.next);
    memset(f.beyond, 0xff, 3 * (uint64_t)leaves * sizeof *f.beyond);
    flat_join(&f, edges);
    flat_borders(&f);
    flat_around(&f, flat->around_at, flat->around);
    f.around_at = flat->around_at;
    f.around = flat->around;
    for (uint32_t node = 1; node < 2 * leaves; node++) flat->convex[node] = flat_node(&f, node);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        if (triangles[leaf].a != CONTACT_NO_LEAF && f.convex[f.body[triangles[leaf].a]])
            flat->gradients[leaf] = flat_gradients(&f, triangles[leaf]);
    return HED_OK;
}
