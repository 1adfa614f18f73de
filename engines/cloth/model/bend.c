/* Bending constraints of a fabric: weighted sums of positions that are 0 where the cloth is
 * flat. Their squares add up to the fabric's energy, (warp k^2 + weft l^2 + 2 twist m^2) / 2 for
 * each square metre with curvatures k, l and twist m; twist is the root of warp x weft.
 *
 * Three particles along a line of a grid, with (1, -2, 1) / a^2 if they are evenly spaced, and
 * the four corners of a cell, with (1, -1, -1, 1) / (a b), for the twist. Meshes bend by
 * elements (element.c).
 *
 * Weights do not depend on the position of the cloth, nor does the sum of inverse mass x
 * weight^2: no root and no trigonometry in a step. Both forms are isometric: a rotation of the
 * cloth does not change them, and a small strain hardly does.
 *
 * Lines: the constraints of a grid's line, and of a strip of cells, as one system each. XPBD
 * requires of all of them at once that (G W G' + 1 / dt^2) times their pulls is the residual,
 * with the weights G and the inverse masses W: a row is coupled with the two before it at most,
 * so the system has five diagonals (a strip's has three) and is solved by L D L' in one pass
 * forth and one back. */
#include "model/garment.h"

#include <math.h>
#include <string.h>

typedef struct bend_maker {
    cloth_garment *garment;
    const hed_cloth_garment_def *def;
    cloth_bend *bends; /* NULL: constraints are only counted */
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

/* Adds a constraint whose weights are to be multiplied by the root of `stiffness`; adds nothing
 * if no particle can move. */
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

/* Adds a constraint of three particles along a line, with `width` m of cloth. If the middle
 * particle and one end are locked, only the free half bends: twice as stiff, so that clamped
 * cloth has its visible length. */
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

/* Computes the width of cloth at a particle, m: half the distance to each neighbour in steps of
 * `across`. */
static double width_beside(
    const bend_maker *make, uint32_t at, uint32_t across, uint32_t place, uint32_t places)
{
    double width = 0;
    if (place > 0) width += 0.5 * distance_at_rest(make, at, at - across);
    if (place + 1 < places) width += 0.5 * distance_at_rest(make, at, at + across);
    return width;
}

/* Adds a twist. Weights are the areas of the triangles of the three other corners: the sum is 0
 * for any four corners of a plane. */
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

/* ---- lines ---- */

static void add_lines(
    cloth_garment *garment, uint32_t set, uint32_t count, cloth_line line, uint32_t first_step)
{
    if (!line.count) count = 0;
    garment->line_at[set + 1] = garment->line_at[set] + count;
    for (uint32_t k = 0; k < count; k++) {
        garment->lines[garment->line_at[set] + k] = line;
        line.first += first_step;
        line.weights += line.count;
    }
}

/* Finds the weights of a constraint, in a row's order of particles. */
static float *weights_of(const cloth_garment *garment, const cloth_bend *bend)
{
    uint32_t width = garment->grid_width, at = bend->particle[0], x = at % width, y = at / width,
             set = y % 2 ? CLOTH_STRIPS_ODD : CLOTH_STRIPS_EVEN, number = y / 2, row = x;
    if (bend->weight[0] == 0.0f) {
        bool warp = bend->particle[3] == at + 1;
        set = warp ? CLOTH_LINES_WARP : CLOTH_LINES_WEFT;
        number = warp ? y : x;
        row = warp ? x - 1 : y - 1;
    }
    return garment->line_weights[garment->lines[garment->line_at[set] + number].weights + row];
}

/* Makes the constraints of a grid as lines, too. */
static hed_status make_lines(cloth_garment *garment, hed_error *error)
{
    uint32_t width = garment->grid_width, height = garment->grid_height, strips = height - 1,
             warp = height * (width - 2), weft = width * (height - 2);
    garment->line_rows = warp + weft + strips * (width - 1);
    garment->lines =
        hed_arena_new(&garment->arena, height + width + strips, sizeof *garment->lines, error);
    garment->line_weights =
        hed_arena_new(&garment->arena, garment->line_rows, sizeof *garment->line_weights, error);
    if (garment->arena.failed) return HED_ERROR_MEMORY;
    add_lines(garment, CLOTH_LINES_WARP, height, (cloth_line){0, width - 2, 1, 0, 0}, width);
    add_lines(garment, CLOTH_LINES_WEFT, width, (cloth_line){0, height - 2, width, 0, warp}, 1);
    add_lines(garment, CLOTH_STRIPS_EVEN, (strips + 1) / 2,
        (cloth_line){0, width - 1, 1, width, warp + weft}, 2 * width);
    add_lines(garment, CLOTH_STRIPS_ODD, strips / 2,
        (cloth_line){width, width - 1, 1, width, warp + weft + (strips + 1) / 2 * (width - 1)},
        2 * width);
    for (uint32_t k = 0; k < garment->bend_count; k++) {
        const cloth_bend *bend = garment->bends + k;
        const float *w = bend->weight;
        bool line = w[0] == 0.0f;
        memcpy(weights_of(garment, bend), line ? (const float[4]){w[1], w[2], w[3], 0.0f} : w,
            sizeof *garment->line_weights);
    }
    return HED_OK;
}

hed_status cloth_make_bends(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    bend_maker make = {.garment = garment, .def = def};
    make.warp = def->fabric->bend_warp;
    make.weft = def->fabric->bend_weft;
    make.twist = sqrt(make.warp * make.weft);
    if (!cloth_is_grid(garment) || !(make.warp > 0 || make.weft > 0)) return HED_OK;
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "bending of cloth"};
    add_grid(&make); /* count */
    make.bends = hed_arena_new(&scratch, make.count, sizeof *make.bends, error);
    make.count = 0;
    hed_status status = make.bends ? HED_OK : HED_ERROR_MEMORY;
    if (!status) add_grid(&make);
    if (!status && make.count) {
        void *sorted;
        status = cloth_colour_items(garment, make.bends, make.count, sizeof *make.bends, 4, &sorted,
            &garment->bend_colours, &garment->bend_at, error);
        garment->bends = sorted;
        garment->bend_count = status ? 0 : make.count;
        if (!status) status = make_lines(garment, error);
    }
    hed_arena_free(&scratch);
    return status;
}
