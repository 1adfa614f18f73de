/* Bending constraints of a fabric: weighted sums of places that are 0 where the cloth is flat. Their
 * squares add up to the fabric's energy, (warp k^2 + weft l^2 + 2 twist m^2) / 2 for each square
 * metre with curvatures k, l and twist m, twist being the root of warp x weft.
 *
 * On a grid: three particles along a line, with (1, -2, 1) / a^2 where they are evenly spaced, and the
 * four corners of a cell, with (1, -1, -1, 1) / (a b), for the twist.
 * On a woven mesh: lines from a neighbour through the particle to a place between two others, and
 * hinges of two triangles, whose weights are sums of cotangents (Bergou, Wardetzky, Harmon, Zorin and Grinspun, A
 * Quadratic Bending Model for Inextensible Surfaces, 2006); how much of each, by least squares round
 * each particle (fit.c). Hinges alone are too soft where they are not all alike. Other meshes bend by
 * elements (element.c).
 *
 * Weights do not depend on where the cloth is, nor does the sum of inverse mass x weight^2: no root
 * and no trigonometry in a step. Both forms are isometric: they take no notice of how far the cloth
 * is turned, and hardly of a small strain. */
#include "model/garment.h"

#include <math.h>
#include <string.h>

typedef struct bend_maker {
    cloth_garment *garment;
    const hed_cloth_garment_def *def;
    cloth_bend *bends; /* NULL: only counted */
    uint32_t count;
    double warp, weft, twist;
} bend_maker;

static const float *rest_of_particle(const bend_maker *make, uint32_t particle)
{
    return make->garment->rest[particle];
}

static double distance_at_rest(const bend_maker *make, uint32_t a, uint32_t b)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double way = (double)rest_of_particle(make, a)[k] - rest_of_particle(make, b)[k];
        square += way * way;
    }
    return sqrt(square);
}

static bool bend_is_locked(const bend_maker *make, uint32_t particle)
{
    return !(make->garment->positions[particle][3] > 0.0f);
}

/* One whose weights are to be multiplied by the root of `stiffness`; none where nothing can move. */
static void add_bend(
    bend_maker *make, const uint32_t particle[4], const double weight[4], double stiffness)
{
    bool repeated = weight[0] == 0.0;
    bool moves = false;
    for (int v = 0; v < 4; v++) moves |= !bend_is_locked(make, particle[v]);
    stiffness *= cloth_painted(make->def->bend_scale, particle + repeated, 4u - repeated);
    if (!moves || !(stiffness > 0)) return;
    if (make->bends) {
        cloth_bend *bend = make->bends + make->count;
        memcpy(bend->particle, particle, sizeof bend->particle);
        for (int v = 0; v < 4; v++) bend->weight[v] = (float)(weight[v] * sqrt(stiffness));
    }
    make->count++;
}

/* ---- grids ---- */

/* Three particles along a line, `width` m of cloth beside it. Where one and the middle one are held,
 * only the half that is free bends: twice as stiff, so that what is clamped is as long as it looks.
 */
static void add_line(
    bend_maker *make, uint32_t before, uint32_t at, uint32_t after, double width, double stiffness)
{
    double a = distance_at_rest(make, before, at), b = distance_at_rest(make, at, after),
           mean = 0.5 * (a + b);
    const uint32_t particle[4] = {at, before, at, after};
    const double weight[4] = {0, 1 / (mean * a), -1 / (mean * a) - 1 / (mean * b), 1 / (mean * b)};
    bool clamped =
        bend_is_locked(make, at) && bend_is_locked(make, before) != bend_is_locked(make, after);
    add_bend(make, particle, weight, (clamped ? 2 : 1) * stiffness * mean * width);
}

/* Half the way to each neighbour in steps of `across`. */
static double width_beside(
    const bend_maker *make, uint32_t at, uint32_t across, uint32_t place, uint32_t places)
{
    double width = 0;
    if (place > 0) width += 0.5 * distance_at_rest(make, at, at - across);
    if (place + 1 < places) width += 0.5 * distance_at_rest(make, at, at + across);
    return width;
}

/* Weights are the areas of the triangles of the three others: the sum is 0 for any four corners of a
 * plane. */
static void add_twist(bend_maker *make, const uint32_t corner[4])
{
    double way[4][3], normal[3] = {0}, weight[4];
    for (int v = 0; v < 4; v++)
        for (int k = 0; k < 3; k++)
            way[v][k] =
                (double)rest_of_particle(make, corner[v])[k] - rest_of_particle(make, corner[0])[k];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; /* the cross product of the diagonals */
        normal[k] = way[2][i] * (way[3][j] - way[1][j]) - way[2][j] * (way[3][i] - way[1][i]);
    }
    double area = 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(area > 0)) return;
    for (int v = 0; v < 4; v++) {
        const double *p = way[(v + 1) % 4], *q = way[(v + 2) % 4], *r = way[(v + 3) % 4];
        double triangle = 0;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            triangle += normal[k] * ((q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]));
        }
        weight[v] = (v % 2 ? -1 : 1) * triangle / (2 * area) / (area * area);
    }
    add_bend(make, corner, weight, 2 * make->twist * area);
}

static void add_grid(bend_maker *make)
{
    uint32_t width = make->garment->grid_width, height = make->garment->grid_height;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 1; x + 1 < width; x++) {
            uint32_t at = y * width + x;
            add_line(
                make, at - 1, at, at + 1, width_beside(make, at, width, y, height), make->warp);
        }
    for (uint32_t y = 1; y + 1 < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t at = y * width + x;
            add_line(
                make, at - width, at, at + width, width_beside(make, at, 1, x, width), make->weft);
        }
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t x = 0; x + 1 < width; x++) {
            uint32_t at = y * width + x;
            add_twist(make, (const uint32_t[4]){at, at + 1, at + width + 1, at + width});
        }
}

/* ---- meshes ---- */

enum { MOST_RING = CLOTH_FIT_MOST / 2 /* neighbours that are looked at */ };
#define STRAIGHT 0.03 /* share of a side, below which a line goes through the other end */

typedef struct mesh_bends {
    uint32_t *around_at, *around;
    double *hinge; /* (constraints) how much of the hinge over each */
} mesh_bends;

/* Cotangent of the angle at o. */
static double cotangent(const bend_maker *make, uint32_t o, uint32_t p, uint32_t q)
{
    double u[3], v[3], along = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)rest_of_particle(make, p)[k] - rest_of_particle(make, o)[k];
        v[k] = (double)rest_of_particle(make, q)[k] - rest_of_particle(make, o)[k];
        along += u[k] * v[k];
    }
    for (int k = 0; k < 3; k++) {
        double part = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        square += part * part;
    }
    return square > 0 ? along / sqrt(square) : 0;
}

/* The hinge over an edge a b; false where not two triangles meet. */
static bool find_hinge(
    const bend_maker *make, uint32_t a, uint32_t b, uint32_t particle[4], double weight[4])
{
    const cloth_garment *g = make->garment;
    uint32_t found = 0, beside[2] = {0};
    for (uint32_t q = g->incident_at[a]; q < g->incident_at[a + 1]; q++) {
        const uint32_t *v = g->triangles[g->incident[q]];
        for (int k = 0; k < 3; k++) {
            bool edge = (v[k] == a && v[(k + 1) % 3] == b) || (v[k] == b && v[(k + 1) % 3] == a);
            if (edge && found < 2) beside[found] = v[(k + 2) % 3];
            found += edge;
        }
    }
    if (found != 2 || beside[0] == beside[1]) return false;
    double a0 = cotangent(make, a, b, beside[0]), a1 = cotangent(make, a, b, beside[1]),
           b0 = cotangent(make, b, a, beside[0]), b1 = cotangent(make, b, a, beside[1]);
    memcpy(particle, (const uint32_t[4]){a, b, beside[0], beside[1]}, 4 * sizeof *particle);
    memcpy(weight, (const double[4]){b0 + b1, a0 + a1, -a0 - b0, -a1 - b1}, 4 * sizeof *weight);
    return true;
}

/* The squares and products of what a constraint sees of two curvatures and a twist. */
static void square_row(const double seen[3], double row[CLOTH_FIT_TERMS])
{
    const double made[CLOTH_FIT_TERMS] = {seen[0] * seen[0], seen[1] * seen[1], seen[2] * seen[2],
        2 * seen[0] * seen[1], 2 * seen[0] * seen[2], 2 * seen[1] * seen[2]};
    memcpy(row, made, sizeof made);
}

/* Adds what a particle with this weight sees of z = (k u^2 + 2 m u v + l v^2) / 2. */
static void see(double seen[3], const double at[2], double weight)
{
    seen[0] += 0.5 * weight * at[0] * at[0];
    seen[1] += weight * at[0] * at[1];
    seen[2] += 0.5 * weight * at[1] * at[1];
}

static uint32_t place_in(const cloth_ring *ring, uint32_t particle)
{
    uint32_t k = 0;
    while (k < ring->count && ring->neighbour[k] != particle) k++;
    return k;
}

/* From a neighbour through the particle to the other side of a triangle round it. */
typedef struct mesh_line {
    uint32_t particle[4]; /* as of a bending constraint */
    double weight[4];     /* of a curvature */
    double seen[3];
} mesh_line;

/* The line that begins at neighbour p and ends between neighbours q and r: false if it does not. */
static bool find_line(const bend_maker *make, const cloth_ring *ring, uint32_t centre, uint32_t p,
    uint32_t q, uint32_t r, mesh_line *line)
{
    const double *a = ring->at[p], *b = ring->at[q], *c = ring->at[r];
    double whole = b[0] * c[1] - b[1] * c[0], to_b = -(a[0] * c[1] - a[1] * c[0]) / whole,
           to_c = -(b[0] * a[1] - b[1] * a[0]) / whole, sum = to_b + to_c;
    if (!(fabs(whole) > 0) || !(sum > 0) || to_b < -STRAIGHT * sum || to_c < -STRAIGHT * sum)
        return false;
    bool through_b = to_c < STRAIGHT * sum, through_c = to_b < STRAIGHT * sum;
    if ((through_b && ring->neighbour[q] < ring->neighbour[p]) ||
        (through_c && ring->neighbour[r] < ring->neighbour[p]))
        return false; /* the other end finds it too */
    /* not hypot(), which is of glibc 2.35 */
    double before = sqrt(a[0] * a[0] + a[1] * a[1]), after = before / sum;
    uint32_t i = ring->neighbour[p], j = ring->neighbour[through_c ? r : q];
    if (through_b || through_c) {
        const double *end_at = through_b ? b : c;
        after = sqrt(end_at[0] * end_at[0] + end_at[1] * end_at[1]);
    }
    double mean = 0.5 * (before + after), end = 1 / (mean * after);
    bool straight = through_b || through_c;
    *line = (mesh_line){{straight ? centre : ring->neighbour[r], i, centre, j},
        {straight ? 0 : end * to_c / sum, 1 / (mean * before), -1 / (mean * before) - end,
            straight ? end : end * to_b / sum},
        {0}};
    see(line->seen, a, line->weight[1]);
    see(line->seen, through_c ? c : b, line->weight[3]);
    if (!straight) see(line->seen, c, line->weight[0]);
    bool clamped =
        bend_is_locked(make, centre) && bend_is_locked(make, i) != bend_is_locked(make, j);
    for (int v = 0; clamped && v < 4; v++) line->weight[v] *= sqrt(2);
    return true;
}

static uint32_t find_lines(
    const bend_maker *make, const cloth_ring *ring, uint32_t centre, mesh_line *lines)
{
    const cloth_garment *g = make->garment;
    uint32_t count = 0;
    for (uint32_t p = 0; p < ring->count; p++)
        for (uint32_t k = g->incident_at[centre], before = count;
             k < g->incident_at[centre + 1] && count == before; k++) {
            const uint32_t *v = g->triangles[g->incident[k]];
            int at = v[0] == centre ? 0 : v[1] == centre ? 1 : 2;
            uint32_t q = place_in(ring, v[(at + 1) % 3]), r = place_in(ring, v[(at + 2) % 3]);
            if (q < ring->count && r < ring->count && q != p && r != p)
                count += find_line(make, ring, centre, p, q, r, lines + count);
        }
    return count;
}

static void fit_particle(bend_maker *make, mesh_bends *mesh, uint32_t i)
{
    cloth_ring ring;
    mesh_line lines[MOST_RING];
    uint32_t hinges[MOST_RING], count = 0, line_count;
    double rows[CLOTH_FIT_MOST][CLOTH_FIT_TERMS], weights[CLOTH_FIT_MOST];
    cloth_ring_make(make->garment, make->def->warp_axis, i, mesh->around_at, mesh->around, &ring);
    if (ring.count > MOST_RING) ring.count = MOST_RING;
    line_count = find_lines(make, &ring, i, lines);
    for (; count < line_count; count++) square_row(lines[count].seen, rows[count]);
    for (uint32_t k = 0; k < ring.count; k++) {
        uint32_t particle[4];
        double weight[4], seen[3] = {0};
        if (!find_hinge(make, i, ring.neighbour[k], particle, weight)) continue;
        uint32_t near[2] = {place_in(&ring, particle[2]), place_in(&ring, particle[3])};
        if (near[0] == ring.count || near[1] == ring.count) continue;
        see(seen, ring.at[k], weight[1]);
        see(seen, ring.at[near[0]], weight[2]);
        see(seen, ring.at[near[1]], weight[3]);
        square_row(seen, rows[count]);
        hinges[count++ - line_count] = ring.constraint[k];
    }
    const double target[CLOTH_FIT_TERMS] = {
        make->warp * ring.area, 2 * make->twist * ring.area, make->weft * ring.area};
    cloth_fit(count, rows, target, weights);
    for (uint32_t k = 0; k < count; k++)
        if (k >= line_count) mesh->hinge[hinges[k - line_count]] += weights[k];
        else if (weights[k] > 0) add_bend(make, lines[k].particle, lines[k].weight, weights[k]);
}

static hed_status add_mesh(bend_maker *make, hed_error *error)
{
    cloth_garment *g = make->garment;
    hed_arena scratch = {.allocator = g->arena.allocator, .owner = "bending of cloth"};
    mesh_bends mesh;
    hed_status status =
        cloth_garment_around(g, false, &scratch, &mesh.around_at, &mesh.around, error);
    mesh.hinge = hed_arena_new(&scratch, g->constraint_count, sizeof *mesh.hinge, error);
    for (uint32_t i = 0; !scratch.failed && i < g->particle_count; i++)
        fit_particle(make, &mesh, i);
    for (uint32_t k = 0; !scratch.failed && k < g->constraint_count; k++) {
        uint32_t particle[4];
        double weight[4];
        if (mesh.hinge[k] > 0 &&
            find_hinge(make, g->constraints[k].a, g->constraints[k].b, particle, weight))
            add_bend(make, particle, weight, mesh.hinge[k]);
    }
    if (scratch.failed) status = HED_ERROR_MEMORY;
    hed_arena_free(&scratch);
    return status;
}

hed_status cloth_make_bends(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    bend_maker make = {.garment = garment, .def = def};
    make.warp = def->fabric->bend_warp;
    make.weft = def->fabric->bend_weft;
    make.twist = sqrt(make.warp * make.weft);
    if (garment->element_count || !(make.warp > 0 || make.weft > 0)) return HED_OK;
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "bending of cloth"};
    bool grid = garment->grid_width > 1 && garment->grid_height > 1;
    hed_status status = HED_OK;
    if (grid) add_grid(&make);
    uint64_t most = grid ? make.count : 3 * (uint64_t)garment->constraint_count;
    make.bends = hed_arena_new(&scratch, most, sizeof *make.bends, error);
    make.count = 0;
    if (!make.bends) status = HED_ERROR_MEMORY;
    else if (grid) add_grid(&make);
    else status = add_mesh(&make, error);
    if (!status && make.count) {
        void *sorted;
        status = cloth_colour_items(garment, make.bends, make.count, sizeof *make.bends, 4, &sorted,
            &garment->bend_colours, &garment->bend_at, error);
        garment->bends = sorted;
        garment->bend_count = status ? 0 : make.count;
    }
    hed_arena_free(&scratch);
    return status;
}
