/* Elements of a fabric on a mesh. Springs along edges in any direction and hinges over them
 * yield between each other, by 10 to 70 %, with any weights; elements do not.
 *
 * Strain: each triangle by itself, linear in its positions (the constant-strain triangle): a
 * metre of warp is mapped to U = sum g x, a metre of weft to V. With e = |U| - 1, f = |V| - 1, g =
 * U . V and Poisson's ratio k the energy is (warp e^2 + across (f + k e)^2 + shear g^2) / 2 for
 * each square metre, across = weft / (1 - k^2 weft / warp): an even strain meets the requested
 * stiffness, on any triangles, and pulled along the warp f is -k e.
 *
 * Bending: by the bends over a triangle's three sides together (Onate and Zarate, Rotation-free
 * triangular plate and shell elements, 2000; Grinspun, Gingold, Reisman and Zorin, Computing
 * discrete shape operators on general meshes, 2006): the gradient along a side's normal n is the
 * mean of the two triangles' gradients there, so the curvature is the sum over the sides of
 * length / (2 area) x jump of the gradient x n n'. Between neighbours the moments of an even
 * curvature cancel, so nothing yields; but a single triangle measures more curvature than there
 * is. Its weights are divided by the root of the mean energy that the triangles around it
 * measure for each of two curvatures and a twist. The remaining error is below 5 %. */
#include "model/garment.h"
#include "model/plane.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

typedef struct element_maker {
    cloth_garment *garment;
    const hed_cloth_garment_def *def;
    double bending[3]; /* N m: warp, twice twist, weft */
    /* (triangles) triangle across the side that faces each corner; UINT32_MAX: no triangle */
    uint32_t (*beyond)[3];
    /* (triangles) energy of an even bend that the triangle measures, m^2 x bending; 0: at a
     * border */
    double (*seen)[3];
    double *area; /* (triangles) m^2 */
} element_maker;

/* ---- a triangle in its plane ---- */

/* Projects `axis` into the plane of a unit normal, with length 1; an axis normal to the plane is
 * replaced by another one. */
static void find_warp(const float *axis, const double normal[3], double warp[3])
{
    static const double axes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    double requested[3] = {axis[0], axis[1], axis[2]}, size = sqrt(cloth_dot(requested, requested));
    for (int k = size > 0 ? -1 : 0; k < 3; k++) {
        double dot = 0, square = 0;
        for (int j = 0; j < 3; j++) warp[j] = k < 0 ? requested[j] / size : axes[k][j];
        dot = cloth_dot(warp, normal);
        for (int j = 0; j < 3; j++) warp[j] -= dot * normal[j];
        square = cloth_dot(warp, warp);
        if (square < 0.01) continue;
        for (int j = 0; j < 3; j++) warp[j] /= sqrt(square);
        return;
    }
}

/* Computes the corners of a triangle in its own plane: along the warp, along the weft, relative
 * to its first corner. */
static void find_corners(
    const cloth_garment *garment, const float warp_axis[3], uint32_t triangle, double at[3][2])
{
    const uint32_t *v = garment->triangles[triangle];
    double way[3][3] = {{0}}, normal[3], warp[3] = {0}, weft[3];
    for (int k = 1; k < 3; k++) cloth_between(garment->rest[v[k]], garment->rest[v[0]], way[k]);
    cloth_cross(way[1], way[2], normal);
    double size = sqrt(cloth_dot(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] /= size > 0 ? size : 1;
    find_warp(warp_axis, normal, warp);
    cloth_cross(normal, warp, weft);
    for (int k = 0; k < 3; k++) {
        at[k][0] = cloth_dot(way[k], warp);
        at[k][1] = cloth_dot(way[k], weft);
    }
}

static bool triangle_is_locked(const cloth_garment *garment, const uint32_t v[3])
{
    for (int k = 0; k < 3; k++)
        if (garment->positions[v[k]][3] > 0.0f) return false;
    return true;
}

static double square_between(const cloth_garment *garment, uint32_t a, uint32_t b)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double side = (double)garment->rest[a][k] - garment->rest[b][k];
        square += side * side;
    }
    return square;
}

/* Finds the particle of `triangle` that is neither a nor b. */
static uint32_t third_of(const cloth_garment *garment, uint32_t triangle, uint32_t a, uint32_t b)
{
    const uint32_t *v = garment->triangles[triangle];
    for (int k = 0; k < 2; k++)
        if (v[k] != a && v[k] != b) return v[k];
    return v[2];
}

/* Cosine of the angle at rest between two triangles over the side a b; -1: flat. */
static double fold_of(
    const cloth_garment *garment, uint32_t triangle, uint32_t neighbour, uint32_t a, uint32_t b)
{
    const uint32_t pair[2] = {triangle, neighbour};
    double side[3], height[2][3];
    cloth_between(garment->rest[b], garment->rest[a], side);
    double length = cloth_dot(side, side);
    for (int i = 0; i < 2; i++) {
        uint32_t apex = third_of(garment, pair[i], a, b);
        cloth_between(garment->rest[apex], garment->rest[a], height[i]);
        double foot = length > 0 ? cloth_dot(height[i], side) / length : 0;
        for (int k = 0; k < 3; k++) height[i][k] -= foot * side[k];
    }
    double sizes = sqrt(cloth_dot(height[0], height[0]) * cloth_dot(height[1], height[1]));
    return sizes > 0 ? cloth_dot(height[0], height[1]) / sizes : 1;
}

static bool triangle_has_side(const uint32_t v[3], uint32_t a, uint32_t b)
{
    bool has_side = false;
    for (int j = 0; j < 3; j++)
        has_side |= (v[j] == a && v[(j + 1) % 3] == b) || (v[j] == b && v[(j + 1) % 3] == a);
    return has_side;
}

/* Finds the flattest other triangle over the side a b, the first of equals; UINT32_MAX: a
 * border. */
static uint32_t flattest_beyond(
    const cloth_garment *garment, uint32_t triangle, uint32_t a, uint32_t b)
{
    uint32_t neighbour = UINT32_MAX;
    double flattest = 2;
    for (uint32_t q = garment->incident_at[a]; q < garment->incident_at[a + 1]; q++) {
        uint32_t candidate = garment->incident[q];
        if (candidate == triangle || !triangle_has_side(garment->triangles[candidate], a, b))
            continue;
        double fold = fold_of(garment, triangle, candidate, a, b);
        if (fold >= flattest) continue;
        flattest = fold;
        neighbour = candidate;
    }
    return neighbour;
}

/* Finds the triangle that continues a triangle over the side that faces corner k; UINT32_MAX: a
 * border. Of several (a pocket, a fin) it is the flattest, if each of the two is the flattest
 * neighbour of the other: cloth continues beneath a fin, which hinges freely. */
static uint32_t triangle_beyond(const cloth_garment *garment, uint32_t triangle, int k)
{
    uint32_t a = garment->triangles[triangle][(k + 1) % 3],
             b = garment->triangles[triangle][(k + 2) % 3],
             neighbour = flattest_beyond(garment, triangle, a, b);
    bool continues =
        neighbour != UINT32_MAX && flattest_beyond(garment, neighbour, a, b) == triangle;
    return continues ? neighbour : UINT32_MAX;
}

/* Triangle in its plane, with its neighbours unfolded into it. */
typedef struct flat_triangle {
    uint32_t particle[CLOTH_ELEMENT_PARTICLES];
    double at[CLOTH_ELEMENT_PARTICLES][2], area;
    /* weights of the curvature along the warp, the twist, the curvature along the weft */
    double curvature[3][CLOTH_ELEMENT_PARTICLES];
    bool inside; /* free cloth over each side */
} flat_triangle;

/* Adds the bend over the side that faces corner k to the curvature. Next to locked cloth only
 * this side of the edge bends. */
static void add_side(const element_maker *make, uint32_t triangle, int k, flat_triangle *flat)
{
    const cloth_garment *garment = make->garment;
    uint32_t neighbour = make->beyond[triangle][k], i = 3 + (uint32_t)(k + 1) % 3,
             j = 3 + (uint32_t)(k + 2) % 3, b = flat->particle[i], c = flat->particle[j];
    flat->particle[k] = b;
    if (neighbour == UINT32_MAX) return;
    uint32_t apex = flat->particle[k] = third_of(garment, neighbour, b, c);
    double side[2] = {flat->at[j][0] - flat->at[i][0], flat->at[j][1] - flat->at[i][1]},
           length = hed_strict_hypot(side[0], side[1]),
           normal[2] = {side[1] / length, -side[0] / length};
    double to_b = square_between(garment, apex, b), to_c = square_between(garment, apex, c),
           apex_foot = (to_b - to_c + length * length) / (2 * length),
           high = sqrt(fmax(to_b - apex_foot * apex_foot, 0));
    const double *corner = flat->at[3 + k];
    double from[2] = {corner[0] - flat->at[i][0], corner[1] - flat->at[i][1]},
           own_along = (from[0] * side[0] + from[1] * side[1]) / length,
           own_high = -(from[0] * normal[0] + from[1] * normal[1]);
    if (!(high > 0 && own_high > 0)) return;
    bool is_held = triangle_is_locked(garment, garment->triangles[neighbour]);
    double share = (is_held ? 1 : 0.5) * length / flat->area;
    const double jump[4] = {1 / high, 1 / own_high,
        -(1 - apex_foot / length) / high - (1 - own_along / length) / own_high,
        -apex_foot / length / high - own_along / length / own_high};
    const uint32_t place[4] = {(uint32_t)k, 3 + (uint32_t)k, i, j};
    const double direction[3] = {
        normal[0] * normal[0], normal[0] * normal[1], normal[1] * normal[1]};
    for (int axis = 0; axis < 2; axis++)
        flat->at[k][axis] =
            flat->at[i][axis] + apex_foot / length * side[axis] + high * normal[axis];
    for (int row = 0; row < 3; row++)
        for (int v = 0; v < 4; v++)
            flat->curvature[row][place[v]] += share * direction[row] * jump[v];
    flat->inside &= !is_held;
}

/* Unfolds a triangle and its neighbours; false: no corner can move, or it has no area. */
static bool find_flat(const element_maker *make, uint32_t triangle, flat_triangle *flat)
{
    const cloth_garment *garment = make->garment;
    const uint32_t *v = garment->triangles[triangle];
    *flat = (flat_triangle){.inside = true};
    find_corners(garment, make->def->warp_axis, triangle, flat->at + 3);
    double(*p)[2] = flat->at + 3;
    flat->area = 0.5 * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    if (!(flat->area > 0) || triangle_is_locked(garment, v)) return false;
    for (int k = 0; k < 3; k++) flat->particle[3 + k] = v[k];
    for (int k = 0; k < 3; k++) add_side(make, triangle, k, flat);
    for (int k = 0; k < 3; k++) flat->inside &= make->beyond[triangle][k] != UINT32_MAX;
    return true;
}

/* Computes the energy that a triangle inside the cloth measures for each curvature. */
static void find_seen(element_maker *make, uint32_t triangle, const flat_triangle *flat)
{
    make->area[triangle] = flat->area;
    for (int bent = 0; flat->inside && bent < 3; bent++)
        for (int row = 0; row < 3; row++) {
            double sum = 0;
            for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++) {
                double x = flat->at[v][0], y = flat->at[v][1];
                sum += flat->curvature[row][v] * (bent == 0      ? 0.5 * x * x
                                                     : bent == 1 ? x * y
                                                                 : 0.5 * y * y);
            }
            make->seen[triangle][bent] += flat->area * make->bending[row] * sum * sum;
        }
}

/* Sums of the energies that triangles measure and of their areas; over the triangles around the
 * corners of one triangle, or over all. */
typedef struct sight {
    double seen[3], area;
    uint32_t count;
} sight;

static void add_sight(const element_maker *make, uint32_t triangle, sight *sum)
{
    const double *energy = make->seen[triangle];
    if (!(energy[0] > 0 || energy[2] > 0)) return;
    for (int bent = 0; bent < 3; bent++) sum->seen[bent] += energy[bent];
    sum->area += make->area[triangle];
    sum->count++;
}

/* Sums over the triangles around the corners; a triangle counts once for each corner in common. */
static sight sight_round(const element_maker *make, const uint32_t corner[3], const sight *total)
{
    enum { MIN_COUNT = 8 };
    const cloth_garment *garment = make->garment;
    sight sum = {{0}, 0, 0};
    for (int k = 0; k < 3; k++)
        for (uint32_t q = garment->incident_at[corner[k]]; q < garment->incident_at[corner[k] + 1];
             q++)
            add_sight(make, garment->incident[q], &sum);
    return sum.count < MIN_COUNT ? *total : sum;
}

/* Leaves a particle that occurs twice, beyond two sides around a particle of three triangles, or
 * beyond a side and at a corner, once, with the sum of its weights: kernels move each occurrence by
 * itself, and the last one stays. A corner, with weights 0, takes the other place, as beyond a
 * border. */
static void merge_particles(cloth_element *element)
{
    for (int k = 0; k < 3; k++) {
        int twin = k + 1;
        while (twin < CLOTH_ELEMENT_PARTICLES && element->particle[twin] != element->particle[k])
            twin++;
        if (twin == CLOTH_ELEMENT_PARTICLES) continue;
        for (int row = 0; row < 3; row++) {
            element->bend[row][twin] += element->bend[row][k];
            element->bend[row][k] = 0.0f;
        }
        element->particle[k] = element->particle[3 + (k + 1) % 3];
    }
}

static cloth_element element_of(
    const element_maker *make, const flat_triangle *flat, const sight *round)
{
    const hed_cloth_fabric *fabric = make->def->fabric;
    const double(*p)[2] = (const double(*)[2])flat->at + 3;
    const uint32_t *corner = flat->particle + 3;
    double stretch = cloth_painted(make->def->stretch_scale, corner, 3),
           bend = cloth_painted(make->def->bend_scale, corner, 3);
    const cloth_plane plane = cloth_plane_of(fabric);
    const double stiff[3] = {fabric->warp, plane.weft, plane.shear};
    cloth_element element = {
        .warp = {(float)(p[2][1] / (2 * flat->area)), (float)(-p[1][1] / (2 * flat->area))},
        .weft = {(float)(-p[2][0] / (2 * flat->area)), (float)(p[1][0] / (2 * flat->area))},
        .coupling = (float)(plane.coupling / plane.weft)};
    memcpy(element.particle, flat->particle, sizeof element.particle);
    for (int k = 0; k < 3; k++) {
        double spring = stiff[k] * stretch * flat->area;
        element.compliance[k] = (float)(1 / fmin(fmax(spring, 1e-9), 1e12));
    }
    for (int row = 0; row < 3; row++) {
        double requested = make->bending[row] * round->area,
               scale = requested > 0 && round->seen[row] > 0 ? requested / round->seen[row] : 1;
        for (int v = 0; v < CLOTH_ELEMENT_PARTICLES; v++)
            element.bend[row][v] = (float)(flat->curvature[row][v] *
                                           sqrt(scale * bend * make->bending[row] * flat->area));
    }
    merge_particles(&element);
    return element;
}

static hed_status add_elements(element_maker *make, hed_arena *scratch, hed_error *error)
{
    cloth_garment *garment = make->garment;
    uint32_t triangles = garment->triangle_count, count = 0;
    cloth_element *elements = hed_arena_new(scratch, triangles, sizeof *elements, error);
    make->beyond = hed_arena_new(scratch, triangles, sizeof *make->beyond, error);
    make->seen = hed_arena_new(scratch, triangles, sizeof *make->seen, error);
    make->area = hed_arena_new(scratch, triangles, sizeof *make->area, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    flat_triangle flat;
    sight total = {{0}, 0, 0};
    for (uint32_t t = 0; t < triangles; t++)
        for (int k = 0; k < 3; k++) make->beyond[t][k] = triangle_beyond(garment, t, k);
    for (uint32_t t = 0; t < triangles; t++)
        if (find_flat(make, t, &flat)) find_seen(make, t, &flat), add_sight(make, t, &total);
    for (uint32_t t = 0; t < triangles; t++) {
        if (!find_flat(make, t, &flat)) continue;
        sight round = sight_round(make, garment->triangles[t], &total);
        elements[count++] = element_of(make, &flat, &round);
    }
    garment->loose_count = garment->constraint_count;
    if (!count) return HED_OK;
    void *sorted;
    hed_status status = cloth_colour_items(garment, elements, count, sizeof *elements,
        CLOTH_ELEMENT_PARTICLES, &sorted, &garment->element_colours, &garment->element_at, error);
    garment->elements = sorted;
    garment->element_count = status ? 0 : count;
    return status;
}

hed_status cloth_make_elements(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    if (cloth_is_grid(garment)) return HED_OK;
    const hed_cloth_fabric *fabric = def->fabric;
    double twist = sqrt((double)fabric->bend_warp * fabric->bend_weft);
    element_maker make = {.garment = garment,
        .def = def,
        .bending = {fabric->bend_warp, 2 * twist, fabric->bend_weft}};
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "a fabric"};
    hed_status status = add_elements(&make, &scratch, error);
    hed_arena_free(&scratch);
    return status;
}
