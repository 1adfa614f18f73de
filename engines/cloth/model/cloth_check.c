/* Check for crossing triangles: a tree of boxes over the cloth's triangles and one over the
 * bodies' triangles, built for each moment (leaves in Morton order, Morton 1966; a tree that is
 * kept would grow worse as cloth folds), and an exact test of each edge against each triangle if
 * two boxes of triangles overlap. Simple shapes: the depth of a triangle's deepest point. */
#include "heddle/cloth_check.h"
#include "heddle/author.h"

#include "model/orient.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4, MORTON_BITS = 21 };

typedef struct check_box {
    float low[3], high[3];
} check_box;

typedef struct check_item {
    check_box box;
    uint32_t surface, triangle;
} check_item;

/* Node i has the children 2 i and 2 i + 1; leaf i is node leaves + i and has the items from LEAF
 * i on. Boxes of leaves without items overlap nothing. */
typedef struct check_tree {
    check_item *items;
    check_box *boxes; /* (2 leaves) from 1 on */
    uint32_t count, leaves;
} check_tree;

typedef struct checker {
    const hed_cloth_check_def *def;
    check_tree cloth, bodies;
    hed_cloth_crossings found;
    size_t capacity; /* capacity of found.pairs */
    bool starved;
} checker;

const char *hed_cloth_crossing_kind_name(hed_cloth_crossing_kind kind)
{
    static const char *const names[] = {
        "of one garment", "of two garments", "of a garment and a body", "in a shape"};
    return kind < HED_CLOTH_CROSSING_KIND_COUNT ? names[kind] : "unknown";
}

/* ---- boxes ---- */

static check_box check_no_box(void)
{
    return (check_box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

static void check_join(check_box *box, const check_box *added)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fminf(box->low[k], added->low[k]);
        box->high[k] = fmaxf(box->high[k], added->high[k]);
    }
}

/* True if two boxes overlap. No branch, as it cannot be predicted which of the six comparisons
 * decides. */
static inline bool check_overlap(const check_box *a, const check_box *b)
{
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static const float *corner_of_triangle(
    const hed_cloth_check_surface *surface, uint32_t triangle, int corner)
{
    return surface->positions +
           3 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)corner];
}

/* ---- the tree ---- */

/* Spreads the lowest 21 bits, with two empty bits after each. */
static uint64_t morton_spread(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

typedef struct check_key {
    uint64_t morton;
    uint32_t surface, triangle;
} check_key;

/* Sorts by radix, a byte at a time; skips bytes that are equal in all keys. */
static check_key *sort_keys(check_key *keys, check_key *scratch, uint32_t count)
{
    for (int shift = 0; shift < 3 * MORTON_BITS; shift += 8) {
        uint32_t starts[257] = {0};
        for (uint32_t i = 0; i < count; i++) starts[(keys[i].morton >> shift & 255) + 1]++;
        if (starts[(keys[0].morton >> shift & 255) + 1] == count) continue;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (uint32_t i = 0; i < count; i++)
            scratch[starts[keys[i].morton >> shift & 255]++] = keys[i];
        check_key *sorted = scratch;
        scratch = keys;
        keys = sorted;
    }
    return keys;
}

static void check_tree_free(check_tree *tree)
{
    free(tree->items);
    free(tree->boxes);
}

/* Numbers the triangles of bodies, or of cloth, such that near triangles have near numbers. */
static void number_triangles(const hed_cloth_check_def *def, bool body, check_key *keys)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (uint32_t s = 0; s < def->surface_count; s++)
        for (size_t i = 0; i < 3 * (size_t)def->surfaces[s].vertex_count; i++) {
            low[i % 3] = fmin(low[i % 3], (double)def->surfaces[s].positions[i]);
            high[i % 3] = fmax(high[i % 3], (double)def->surfaces[s].positions[i]);
        }
    for (uint32_t s = 0; s < def->surface_count; s++) {
        const hed_cloth_check_surface *surface = &def->surfaces[s];
        for (uint32_t t = 0; surface->body == body && t < surface->triangle_count; t++) {
            uint64_t morton = 0;
            for (int k = 0; k < 3; k++) {
                double middle = 0, size = fmax(high[k] - low[k], DBL_MIN);
                for (int c = 0; c < 3; c++)
                    middle += (double)corner_of_triangle(surface, t, c)[k] / 3;
                double cell = (middle - low[k]) / size * ((1 << MORTON_BITS) - 1);
                morton |= morton_spread((uint64_t)fmin(fmax(cell, 0), (1 << MORTON_BITS) - 1)) << k;
            }
            *keys++ = (check_key){morton, s, t};
        }
    }
}

/* Makes a tree over the triangles of bodies, or of cloth; false: out of memory. */
static bool check_tree_make(const hed_cloth_check_def *def, bool body, check_tree *tree)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < def->surface_count; s++)
        if (def->surfaces[s].body == body) count += def->surfaces[s].triangle_count;
    *tree = (check_tree){.count = (uint32_t)count, .leaves = 1};
    if (count == 0) return true;
    while ((uint64_t)tree->leaves * LEAF < count) tree->leaves *= 2;
    check_key *keys = malloc(2 * count * sizeof *keys);
    tree->items = malloc(count * sizeof *tree->items);
    tree->boxes = malloc(2 * (size_t)tree->leaves * sizeof *tree->boxes);
    if (!keys || !tree->items || !tree->boxes) {
        free(keys);
        return false;
    }
    number_triangles(def, body, keys);
    const check_key *sorted = sort_keys(keys, keys + count, tree->count);
    for (uint32_t i = 0; i < tree->count; i++) {
        check_item *item = &tree->items[i];
        *item = (check_item){check_no_box(), sorted[i].surface, sorted[i].triangle};
        for (int c = 0; c < 3; c++) {
            const float *p = corner_of_triangle(&def->surfaces[item->surface], item->triangle, c);
            check_join(&item->box, &(check_box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}});
        }
    }
    free(keys);
    for (uint32_t node = 2 * tree->leaves - 1; node > 0; node--) {
        check_box *box = &tree->boxes[node];
        *box = check_no_box();
        if (node < tree->leaves) {
            check_join(box, &tree->boxes[2 * node]);
            check_join(box, &tree->boxes[2 * node + 1]);
        } else {
            uint64_t first = (uint64_t)(node - tree->leaves) * LEAF;
            for (uint64_t i = first; i < first + LEAF && i < count; i++)
                check_join(box, &tree->items[i].box);
        }
    }
    return true;
}

/* ---- two triangles ---- */

static void add_crossing(checker *c, const hed_cloth_crossing *pair)
{
    hed_cloth_crossings *crossings = &c->found;
    crossings->count[pair->kind]++;
    if (pair->depth > crossings->deepest) crossings->deepest = pair->depth;
    if (crossings->pair_count == HED_CLOTH_MOST_CROSSINGS || c->starved) return;
    if (crossings->pair_count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 64;
        hed_cloth_crossing *pairs = realloc(crossings->pairs, capacity * sizeof *pairs);
        c->starved = !pairs;
        if (c->starved) return;
        crossings->pairs = pairs;
        c->capacity = capacity;
    }
    crossings->pairs[crossings->pair_count++] = *pair;
}

/* Tests the edges of `edges` against the triangle `face`; `side`: sides of its plane on which
 * their ends are. Adds the points where edges pass through it to `place`; returns the number of
 * passages. */
static int pass_through(
    double (*edges)[3], const int *side, double (*face)[3], double place[3], uint64_t *exact)
{
    int passages = 0;
    for (int i = 0; i < 3; i++) {
        const double *p = edges[i], *q = edges[(i + 1) % 3];
        if (side[i] * side[(i + 1) % 3] >= 0) continue;
        int x = cloth_orient(p, q, face[0], face[1], exact),
            y = cloth_orient(p, q, face[1], face[2], exact),
            z = cloth_orient(p, q, face[2], face[0], exact);
        if ((x < 0 || y < 0 || z < 0) && (x > 0 || y > 0 || z > 0)) continue;
        /* heights over the plane in plain doubles: only reports use them */
        double normal[3], p_height = 0, q_height = 0;
        for (int k = 0; k < 3; k++) {
            int m = (k + 1) % 3, n = (k + 2) % 3;
            normal[k] = (face[1][m] - face[0][m]) * (face[2][n] - face[0][n]) -
                        (face[1][n] - face[0][n]) * (face[2][m] - face[0][m]);
        }
        for (int k = 0; k < 3; k++) {
            p_height += (p[k] - face[0][k]) * normal[k];
            q_height += (q[k] - face[0][k]) * normal[k];
        }
        double share =
            p_height != q_height ? fmin(fmax(p_height / (p_height - q_height), 0), 1) : 0.5;
        for (int k = 0; k < 3; k++) place[k] += p[k] + share * (q[k] - p[k]);
        passages++;
    }
    return passages;
}

/* True if two triangles cross; `place`: the mean of the crossing points. */
static bool triangles_cross(double (*a)[3], double (*b)[3], double place[3], uint64_t *exact)
{
    int shared[2][3] = {{0}}, common = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i][0] == b[j][0] && a[i][1] == b[j][1] && a[i][2] == b[j][2]) {
                shared[0][i] = shared[1][j] = 1;
                common++;
            }
    if (common > 1) return false;
    int side_a[3], side_b[3], sum = 0;
    for (int i = 0; i < 3; i++)
        sum += side_b[i] = shared[1][i] ? 0 : cloth_orient(a[0], a[1], a[2], b[i], exact);
    /* all on one side, except common corners */
    if (sum == 3 - common || sum == common - 3) return false;
    for (int i = 0; i < 3; i++)
        side_a[i] = shared[0][i] ? 0 : cloth_orient(b[0], b[1], b[2], a[i], exact);
    int passages =
        pass_through(b, side_b, a, place, exact) + pass_through(a, side_a, b, place, exact);
    for (int k = 0; k < 3 && passages; k++) place[k] /= passages;
    return passages > 0;
}

static void corners_of_triangle(
    const hed_cloth_check_surface *surface, uint32_t triangle, double (*corners)[3])
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            corners[c][k] = (double)corner_of_triangle(surface, triangle, c)[k];
}

/* True if two triangles have a common edge, as most pairs of a smooth sheet have: they never
 * cross. */
static bool share_edge(const hed_cloth_check_surface *surface, uint32_t t, uint32_t u)
{
    const uint32_t *a = surface->triangles + 3 * (size_t)t, *b = surface->triangles + 3 * (size_t)u;
    int common = 0;
    for (int i = 0; i < 9; i++) common += a[i / 3] == b[i % 3];
    return common > 1;
}

static void check_items(checker *c, const check_item *p, const check_item *q)
{
    const hed_cloth_check_surface *surfaces = c->def->surfaces;
    double a[3][3], b[3][3];
    hed_cloth_crossing pair = {0};
    c->found.tests++;
    if (p->surface == q->surface && share_edge(&surfaces[p->surface], p->triangle, q->triangle))
        return;
    corners_of_triangle(&surfaces[p->surface], p->triangle, a);
    corners_of_triangle(&surfaces[q->surface], q->triangle, b);
    if (!triangles_cross(a, b, pair.place, &c->found.exact)) return;
    bool turned =
        p->surface > q->surface || (p->surface == q->surface && p->triangle > q->triangle);
    if (surfaces[q->surface].body) {
        pair.kind = HED_CLOTH_CROSSES_BODY;
        turned = false;
    } else if (p->surface != q->surface) {
        pair.kind = HED_CLOTH_CROSSES_CLOTH;
    }
    pair.surface[turned] = p->surface;
    pair.triangle[turned] = p->triangle;
    pair.surface[!turned] = q->surface;
    pair.triangle[!turned] = q->triangle;
    add_crossing(c, &pair);
}

/* ---- walking the trees ---- */

static void check_leaves(
    checker *c, const check_tree *p, uint32_t leaf, const check_tree *q, uint32_t leaf_q)
{
    bool is_one_leaf = p == q && leaf == leaf_q;
    uint64_t first = (uint64_t)leaf * LEAF, begin = (uint64_t)leaf_q * LEAF;
    for (uint64_t i = first; i < first + LEAF && i < p->count; i++) {
        if (!check_overlap(&p->items[i].box, &q->boxes[q->leaves + leaf_q])) continue;
        for (uint64_t j = is_one_leaf ? i + 1 : begin; j < begin + LEAF && j < q->count; j++)
            if (check_overlap(&p->items[i].box, &q->items[j].box))
                check_items(c, &p->items[i], &q->items[j]);
    }
}

/* Checks all pairs of an item below node `a` of one tree and an item below node `b` of another
 * tree, or of another branch of the same tree. */
static void check_across(
    checker *c, const check_tree *p, uint32_t a, const check_tree *q, uint32_t b)
{
    if (!check_overlap(&p->boxes[a], &q->boxes[b])) return;
    bool leaf_a = a >= p->leaves, leaf_b = b >= q->leaves;
    if (leaf_a && leaf_b) {
        check_leaves(c, p, a - p->leaves, q, b - q->leaves);
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if ((leaf_a && i & 1) || (leaf_b && i & 2)) continue;
        check_across(c, p, leaf_a ? a : 2 * a + (i & 1), q, leaf_b ? b : 2 * b + (i >> 1));
    }
}

/* Checks all pairs of two items below a node. */
static void check_within(checker *c, const check_tree *tree, uint32_t node)
{
    if (node >= tree->leaves) {
        check_leaves(c, tree, node - tree->leaves, tree, node - tree->leaves);
        return;
    }
    check_within(c, tree, 2 * node);
    check_within(c, tree, 2 * node + 1);
    check_across(c, tree, 2 * node, tree, 2 * node + 1);
}

/* ---- shapes ---- */

static double check_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Finds the point of a triangle nearest to p (Ericson, Real-Time Collision Detection, 5.1.5). */
static void nearest_of_triangle(double (*t)[3], const double p[3], double nearest[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = t[1][k] - t[0][k];
        ac[k] = t[2][k] - t[0][k];
        ap[k] = p[k] - t[0][k];
        bp[k] = p[k] - t[1][k];
        cp[k] = p[k] - t[2][k];
    }
    double d1 = check_dot(ab, ap), d2 = check_dot(ac, ap), d3 = check_dot(ab, bp),
           d4 = check_dot(ac, bp), d5 = check_dot(ab, cp), d6 = check_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, b, c;
    if (d1 <= 0 && d2 <= 0) b = c = 0;
    else if (d3 >= 0 && d4 <= d3) b = 1, c = 0;
    else if (d6 >= 0 && d5 <= d6) b = 0, c = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) b = d1 / (d1 - d3), c = 0;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) b = 0, c = d2 / (d2 - d6);
    else if (va <= 0 && d4 >= d3 && d5 >= d6) c = (d4 - d3) / (d4 - d3 + d5 - d6), b = 1 - c;
    else b = vb / (va + vb + vc), c = vc / (va + vb + vc);
    for (int k = 0; k < 3; k++) nearest[k] = t[0][k] + b * ab[k] + c * ac[k];
}

/* Distance of a triangle from the ball at the fraction `share` of a capsule's axis; below 0:
 * inside. */
static double over_ball(
    const hed_cloth_collider *shape, double share, double (*t)[3], double nearest[3])
{
    double centre[3], offset[3];
    bool sphere = shape->shape == HED_CLOTH_SPHERE;
    for (int k = 0; k < 3; k++)
        centre[k] = sphere ? (double)shape->a[k]
                           : (double)shape->a[k] + share * ((double)shape->b[k] - shape->a[k]);
    nearest_of_triangle(t, centre, nearest);
    for (int k = 0; k < 3; k++) offset[k] = nearest[k] - centre[k];
    double radius = (double)shape->radius[0];
    if (!sphere) radius += share * ((double)shape->radius[1] - shape->radius[0]);
    return sqrt(check_dot(offset, offset)) - radius;
}

/* Height of a triangle's deepest point over a shape's surface. A tapered capsule is the union of
 * all balls along its axis; the distance from a point of a line to a convex set, less a linear
 * term, is convex along the line: a golden section finds the minimum. */
static double over_shape(const hed_cloth_collider *shape, double (*t)[3], double place[3])
{
    if (shape->shape == HED_CLOTH_PLANE) {
        double lowest = DBL_MAX;
        for (int i = 0; i < 3; i++) {
            double height = 0;
            for (int k = 0; k < 3; k++) height += (t[i][k] - shape->a[k]) * shape->b[k];
            if (height >= lowest) continue;
            lowest = height;
            memcpy(place, t[i], 3 * sizeof *place);
        }
        return lowest;
    }
    if (shape->shape == HED_CLOTH_SPHERE) return over_ball(shape, 0, t, place);
    static const double golden = 0.6180339887498949;
    double from = 0, to = 1, first = to - golden * (to - from),
           second = from + golden * (to - from);
    double at_first = over_ball(shape, first, t, place),
           at_second = over_ball(shape, second, t, place);
    for (int step = 0; step < 40; step++) {
        if (at_first < at_second) {
            to = second;
            second = first;
            at_second = at_first;
            first = to - golden * (to - from);
            at_first = over_ball(shape, first, t, place);
        } else {
            from = first;
            first = second;
            at_first = at_second;
            second = from + golden * (to - from);
            at_second = over_ball(shape, second, t, place);
        }
    }
    double ends[2] = {over_ball(shape, 0, t, place), over_ball(shape, 1, t, place)};
    double inner = over_ball(shape, (from + to) / 2, t, place), lowest = fmin(ends[0], ends[1]);
    return lowest < inner ? over_ball(shape, ends[0] <= ends[1] ? 0 : 1, t, place) : inner;
}

/* Computes a box around a sphere or a capsule. */
static check_box box_of_shape(const hed_cloth_collider *shape)
{
    check_box box;
    bool sphere = shape->shape == HED_CLOTH_SPHERE;
    for (int k = 0; k < 3; k++) {
        float b = sphere ? shape->a[k] : shape->b[k],
              r = sphere ? shape->radius[0] : shape->radius[1];
        box.low[k] = fminf(shape->a[k] - shape->radius[0], b - r);
        box.high[k] = fmaxf(shape->a[k] + shape->radius[0], b + r);
    }
    return box;
}

static void check_shape_below(checker *c, uint32_t number, const check_box *bounds, uint32_t node)
{
    const hed_cloth_collider *shape = &c->def->shapes[number];
    const check_tree *tree = &c->cloth;
    const check_box *box = &tree->boxes[node];
    if (bounds && !check_overlap(box, bounds)) return;
    if (node < tree->leaves) {
        check_shape_below(c, number, bounds, 2 * node);
        check_shape_below(c, number, bounds, 2 * node + 1);
        return;
    }
    uint64_t first = (uint64_t)(node - tree->leaves) * LEAF;
    for (uint64_t i = first; i < first + LEAF && i < tree->count; i++) {
        const check_item *item = &tree->items[i];
        if (bounds && !check_overlap(&item->box, bounds)) continue;
        double t[3][3], largest = 0;
        hed_cloth_crossing pair = {.kind = HED_CLOTH_CROSSES_SHAPE};
        corners_of_triangle(&c->def->surfaces[item->surface], item->triangle, t);
        for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(t[k / 3][k % 3]));
        double height = over_shape(shape, t, pair.place);
        if (!(height < -8 * (double)FLT_EPSILON * largest)) continue;
        pair.surface[0] = item->surface;
        pair.triangle[0] = item->triangle;
        pair.surface[1] = number;
        pair.depth = -height;
        add_crossing(c, &pair);
    }
}

/* ---- the whole ---- */

static int compare_pairs(const void *left, const void *right)
{
    const hed_cloth_crossing *a = left, *b = right;
    uint32_t p[] = {(uint32_t)a->kind, a->surface[0], a->surface[1], a->triangle[0],
        a->triangle[1]},
             q[] = {
                 (uint32_t)b->kind, b->surface[0], b->surface[1], b->triangle[0], b->triangle[1]};
    for (int i = 0; i < 5; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

static hed_status require_surfaces(const hed_cloth_check_def *def, hed_error *error)
{
    uint64_t triangles = 0;
    for (uint32_t s = 0; s < def->surface_count; s++) {
        const hed_cloth_check_surface *surface = &def->surfaces[s];
        triangles += surface->triangle_count;
        for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; i++)
            if (!isfinite(surface->positions[i]))
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "surface %u, vertex %zu: coordinate %c is %g, expected a finite number", s,
                    i / 3, "xyz"[i % 3], (double)surface -> positions[i]);
        for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
            if (surface->triangles[i] >= surface->vertex_count)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "surface %u, triangle %zu: vertex %u, and there are %u", s, i / 3,
                    surface->triangles[i], surface->vertex_count);
    }
    return triangles < (uint64_t)1 << 31
               ? HED_OK
               : hed_fail(error, HED_ERROR_LIMIT, "%llu triangles, expected at most 2^31",
                     (unsigned long long)triangles);
}

hed_status hed_cloth_check(
    const hed_cloth_check_def *def, hed_cloth_crossings *found, hed_error *error)
{
    HED_REQUIRE(def, found);
    *found = (hed_cloth_crossings){0};
    hed_status status = require_surfaces(def, error);
    if (status != HED_OK) return status;
    checker c = {.def = def};
    c.starved = !check_tree_make(def, false, &c.cloth) || !check_tree_make(def, true, &c.bodies);
    if (!c.starved && c.cloth.count) {
        if (!def->only_bodies) check_within(&c, &c.cloth, 1);
        if (c.bodies.count) check_across(&c, &c.cloth, 1, &c.bodies, 1);
        for (uint32_t i = 0; i < def->shape_count; i++) {
            check_box box = box_of_shape(&def->shapes[i]);
            bool plane = def->shapes[i].shape == HED_CLOTH_PLANE;
            check_shape_below(&c, i, plane ? NULL : &box, 1);
        }
    }
    check_tree_free(&c.cloth);
    check_tree_free(&c.bodies);
    if (c.starved) {
        free(c.found.pairs);
        return HED_OUT_OF_MEMORY(error, "a check of cloth");
    }
    if (c.found.pair_count)
        qsort(c.found.pairs, c.found.pair_count, sizeof *c.found.pairs, compare_pairs);
    *found = c.found;
    return HED_OK;
}

void hed_cloth_crossings_free(hed_cloth_crossings *found)
{
    if (!found) return;
    free(found->pairs);
    *found = (hed_cloth_crossings){0};
}
