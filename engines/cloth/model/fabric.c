/* Fabric: its stiffness in its plane, and the stiffness that a sweep can reach.
 *
 * Tension: the edges of a grid are springs, whose compliance is a material; its cells have shear,
 * and the coupling of warp and weft, which adds coupling a^2 / b^2 to the warp of cells a x b
 * (cell.c). The edges have the remainder, so that a strip with free sides has the requested
 * stiffness. Meshes have elements instead of springs (element.c).
 *
 * Loss of a sweep: with a steady load each substep adds the same displacement, which the sweep
 * has to remove. A constraint then yields, in addition to its own compliance, to the residual
 * that the constraints before it in the sweep left; for loads that vary little from one
 * constraint to the next this is half of its own sum of inverse mass x gradient^2, in any order
 * of the sweep. Constraints that are solved together lose nothing to each other: bending of
 * grids, line by line (bend.c). */
#include "model/fabrics.h"
#include "model/garment.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

#include "heddle/math.h"

/* ---- fabrics by name ---- */

typedef struct named_fabric {
    const char *name, *source;
    hed_cloth_fabric fabric;
} named_fabric;

#define NAMED(name, source, ...) {name, source, {__VA_ARGS__}},
static const named_fabric fabrics[] = {CLOTH_FABRICS(NAMED, NAMED)};

const hed_cloth_fabric *hed_cloth_fabric_named(const char *name)
{
    for (uint32_t k = 0; name && k < HED_COUNT(fabrics); k++)
        if (strcmp(fabrics[k].name, name) == 0) return &fabrics[k].fabric;
    return NULL;
}

const char *hed_cloth_fabric_name(uint32_t index, const char **source)
{
    if (index >= HED_COUNT(fabrics)) return NULL;
    if (source) *source = fabrics[index].source;
    return fabrics[index].name;
}

/* ---- painted maps ---- */

double cloth_painted(const float *map, const uint32_t *particles, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; map && k < count; k++) sum += map[particles[k]];
    return map ? sum / count : 1;
}

/* ---- springs ---- */

cloth_plane cloth_plane_of(const hed_cloth_fabric *fabric)
{
    double ratio = (double)fabric->weft / fabric->warp, poisson = fabric->poisson,
           scale = 1 / (1 - poisson * poisson * ratio);
    return (cloth_plane){
        fabric->warp * scale, fabric->weft * scale, poisson * fabric->weft * scale, fabric->shear};
}

/* Minimum stiffness of edges, as a fraction of their stiffness without cells. */
#define LEAST_SHARE 0.02

double cloth_rest_distance(const cloth_garment *garment, uint32_t a, uint32_t b)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double way = (double)garment->rest[a][k] - garment->rest[b][k];
        square += way * way;
    }
    return sqrt(square);
}

/* Computes the spring of the edge from particle `a` in steps of `along`, with cells on both
 * sides in steps of `across`; N/m. */
static double grid_edge(const cloth_garment *garment, uint32_t a, uint32_t along, uint32_t across,
    uint32_t place, uint32_t places, double stiffness, double coupling)
{
    uint32_t b = a + along;
    double length = cloth_rest_distance(garment, a, b), sum = 0;
    for (int side = 0; side < 2; side++) {
        if (side ? place + 1 >= places : place == 0) continue;
        double width = 0.5 * (cloth_rest_distance(garment, a, side ? a + across : a - across) +
                                 cloth_rest_distance(garment, b, side ? b + across : b - across));
        double edge_stiffness = stiffness - coupling * length * length / (width * width);
        sum += 0.5 * width * fmax(edge_stiffness, LEAST_SHARE * stiffness);
    }
    return sum / length;
}

/* Spring of a grid's constraint other than a diagonal, which is loose, N/m. */
static double grid_spring(
    const cloth_garment *garment, const cloth_plane *plane, const hed_cloth_constraint *c)
{
    uint32_t width = garment->grid_width, height = garment->grid_height;
    uint32_t low = c->a < c->b ? c->a : c->b, high = c->a < c->b ? c->b : c->a;
    uint32_t x = low % width, y = low / width;
    if (high / width == y)
        return grid_edge(garment, low, 1, width, y, height, plane->warp, plane->coupling);
    if (high % width == x)
        return grid_edge(garment, low, width, 1, x, width, plane->weft, plane->coupling);
    return INFINITY;
}

/* ---- materials ---- */

enum { KEPT_BITS = 17 }; /* bits of a compliance: exponent and eight bits of the mantissa, 0.2 % */

/* Makes one material for each distinct compliance, rounded to its upper bits, so that there are
 * few; the material of seams stays the last. */
static hed_status take_materials(cloth_garment *garment, const double *springs, hed_error *error)
{
    const hed_allocator *allocator = &garment->arena.allocator;
    uint32_t *number = hed_new(allocator, 1u << KEPT_BITS, sizeof *number, error), count = 0;
    if (!number) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t bits = hed_as_uint((float)(1 / springs[k]));
        uint32_t *material = number + ((bits + (1u << (31 - KEPT_BITS))) >> (32 - KEPT_BITS));
        if (!*material) *material = ++count; /* numbered from 1 */
        garment->constraints[k].material = *material - 1;
    }
    hed_cloth_material seams = garment->materials[garment->material_count - 1];
    garment->material_count = count + (garment->seam_count > 0);
    garment->materials =
        hed_arena_new(&garment->arena, garment->material_count, sizeof *garment->materials, error);
    if (garment->materials && garment->seam_count) garment->materials[count] = seams;
    for (uint32_t bits = 0; garment->materials && bits < 1u << KEPT_BITS; bits++)
        if (number[bits])
            garment->materials[number[bits] - 1] =
                (hed_cloth_material){1.0f, 1.0f, hed_as_float(bits << (32 - KEPT_BITS))};
    hed_delete(allocator, number, 1u << KEPT_BITS, sizeof *number);
    return garment->materials ? HED_OK : HED_ERROR_MEMORY;
}

/* ---- what a sweep loses ---- */

typedef struct loss {
    double sum[CLOTH_STIFF_COUNT], count[CLOTH_STIFF_COUNT];
} loss;

static void add_loss(loss *sums, int kind, double weight_squares, double compliance)
{
    if (!(weight_squares > 0)) return;
    sums->sum[kind] += 0.5 * weight_squares / compliance;
    sums->count[kind]++;
}

static void add_bend_loss(const cloth_garment *garment, const cloth_bend *bend, loss *sums)
{
    double squares = 0;
    for (int v = 0; v < 4; v++)
        squares +=
            garment->positions[bend->particle[v]][3] * (double)bend->weight[v] * bend->weight[v];
    bool line = bend->weight[0] == 0.0f, /* false: a twist, which counts for both */
        row = line &&
              bend->particle[1] / garment->grid_width == bend->particle[2] / garment->grid_width;
    if (!line || row) add_loss(sums, CLOTH_BENT_WARP, squares, 1);
    if (!row) add_loss(sums, CLOTH_BENT_WEFT, squares, 1);
}

/* Adds the loss of an element at rest, where warp and weft are at right angles: there the
 * displacements along both change the angle between them. */
static void add_element_loss(const cloth_garment *garment, const cloth_element *element, loss *sums)
{
    double squares[3] = {0}, bent[3] = {0};
    for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++) {
        double inverse_mass = garment->positions[element->particle[v]][3];
        double along = v > 3 ? element->warp[v - 4] : -element->warp[0] - element->warp[1],
               across = v > 3 ? element->weft[v - 4] : -element->weft[0] - element->weft[1];
        squares[0] += v > 2 ? inverse_mass * along * along : 0;
        squares[1] += v > 2 ? inverse_mass * across * across : 0;
        for (int row = 0; row < 3; row++)
            bent[row] += inverse_mass * (double)element->bend[row][v] * element->bend[row][v];
    }
    squares[2] = squares[0] + squares[1];
    squares[1] += squares[0] * element->coupling * element->coupling;
    static const int strained[3] = {CLOTH_WARP, CLOTH_WEFT, CLOTH_SHEARED};
    for (int k = 0; k < 3; k++) add_loss(sums, strained[k], squares[k], element->compliance[k]);
    add_loss(sums, CLOTH_BENT_WARP, bent[0], 1);
    add_loss(sums, CLOTH_BENT_WEFT, bent[2], 1);
}

static void find_softening(cloth_garment *garment)
{
    loss sums = {{0}, {0}};
    for (uint32_t k = 0; k < garment->element_count; k++)
        add_element_loss(garment, garment->elements + k, &sums);
    for (uint32_t k = 0; k < cloth_kept_constraints(garment); k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        double squares = (double)garment->positions[c->a][3] + garment->positions[c->b][3];
        bool is_row = c->a / garment->grid_width == c->b / garment->grid_width;
        add_loss(&sums, is_row ? CLOTH_WARP : CLOTH_WEFT, squares,
            garment->materials[c->material].compliance);
    }
    for (uint32_t k = 0; k < garment->cell_count; k++) {
        const cloth_diagonals *cell = garment->cells + k;
        double squares = 0;
        for (int v = 0; v < 4; v++) squares += garment->positions[cell->particle[v]][3];
        add_loss(&sums, CLOTH_SHEARED, squares, cell->compliance[1]);
    }
    for (uint32_t k = 0; k < garment->bend_count; k++)
        add_bend_loss(garment, garment->bends + k, &sums);
    for (int kind = 0; kind < CLOTH_STIFF_COUNT; kind++)
        garment->softening[kind] = sums.count[kind] > 0 ? sums.sum[kind] / sums.count[kind] : 0;
}

hed_status cloth_make_fabric(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    const hed_allocator *allocator = &garment->arena.allocator;
    garment->has_fabric = true;
    garment->fabric = *def->fabric;
    double *springs = hed_new(allocator, garment->constraint_count, sizeof *springs, error);
    if (!springs) return HED_ERROR_MEMORY;
    cloth_plane plane = cloth_plane_of(def->fabric);
    hed_status status = HED_OK;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        /* stiffest: loose edges, which have one material */
        static const double softest = 1e-9, stiffest = 1e12;
        const uint32_t ends[2] = {garment->constraints[k].a, garment->constraints[k].b};
        springs[k] = stiffest;
        if (cloth_is_grid(garment))
            springs[k] = fmin(fmax(grid_spring(garment, &plane, garment->constraints + k) *
                                       cloth_painted(def->stretch_scale, ends, 2),
                                  softest),
                stiffest);
    }
    if (garment->constraint_count) status = take_materials(garment, springs, error);
    if (!status) find_softening(garment);
    hed_delete(allocator, springs, garment->constraint_count, sizeof *springs);
    return status;
}

hed_cloth_stiffness cloth_garment_stiffness(const cloth_garment *garment, double seconds,
    uint32_t substeps, uint32_t iterations, hed_cloth_solver solver)
{
    static const double most_part = 0.9;
    hed_cloth_stiffness result = {
        .asked = garment->fabric, .given = garment->fabric, .part = 1, .substeps_for_most = 1};
    float *achieved[CLOTH_STIFF_COUNT] = {&result.given.warp, &result.given.weft,
        &result.given.shear, &result.given.bend_warp, &result.given.bend_weft};
    /* fraction that one iteration has to reach */
    double step_part = 1 - hed_strict_pow(1 - most_part, 1.0 / iterations), needed = 1;
    bool lines = garment->line_rows && solver != HED_CLOTH_SOLVER_PATCHES &&
                 solver != HED_CLOTH_SOLVER_GARMENTS;
    for (int kind = 0; kind < CLOTH_STIFF_COUNT; kind++) {
        bool is_direct = kind >= CLOTH_BENT_WARP ? lines : solver == HED_CLOTH_SOLVER_NEWTON;
        double softening = is_direct ? 0 : garment->softening[kind], dt = seconds / substeps,
               left = 1 - 1 / (1 + softening * dt * dt);
        /* each iteration of XPBD, from 0 on, leaves the fraction `left` of the residual */
        double part = 1 - hed_strict_pow(left, iterations);
        *achieved[kind] *= (float)part;
        result.part = fmin(result.part, part);
        needed = fmax(needed, ceil(seconds * sqrt(softening * step_part / (1 - step_part)) - 1e-9));
    }
    result.substeps_for_most = needed <= 1e9 ? (uint32_t)needed : UINT32_MAX;
    return result;
}
