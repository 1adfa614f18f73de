/* Garment: the steps of garment.h in their order, and the check of a definition. */
#include "model/garment.h"
#include "model/cloth_lattice.h"
#include "model/mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hed_cloth_def hed_default_cloth_def(void)
{
    return (hed_cloth_def){.iterations = 1, .up = 1, .max_colliders = 64};
}

hed_cloth_frame hed_default_cloth_frame(void)
{
    return (hed_cloth_frame){.seconds = 1.0 / 60.0, .frames = 1, .gravity = {0.0f, -9.81f, 0.0f}};
}

hed_cloth_garment_def hed_default_cloth_garment_def(void)
{
    return (hed_cloth_garment_def)CLOTH_GARMENT_DEFAULTS;
}

static void take_numbers(cloth_garment *garment, const hed_cloth_garment_def *def)
{
    snprintf(garment->name, sizeof garment->name, "%s", def->name ? def->name : "garment");
    garment->particle_count = def->particle_count;
    garment->grid_width = def->grid_width;
    garment->grid_height = def->grid_height;
    garment->driven = def->driven;
    memcpy(garment->velocity, def->velocity, sizeof garment->velocity);
    memcpy(garment->angular_velocity, def->angular_velocity, sizeof garment->angular_velocity);
    garment->linear_inertia = def->linear_inertia;
    garment->angular_inertia = def->angular_inertia;
    garment->pressure = def->pressure;
    garment->damping = def->damping;
    garment->vertical_damping = def->vertical_damping;
    garment->drag = def->drag;
    garment->lift = def->lift;
    garment->friction = def->friction;
    garment->thickness = def->thickness;
    garment->self_collision = def->self_collision;
    garment->copies = def->copies;
    garment->material_count = def->materials ? def->material_count : HED_CLOTH_FAMILY_COUNT;
    garment->seam_count = def->seam_count;
    garment->seam_seconds = def->seam_seconds;
    garment->material_count += def->seam_count > 0;
    garment->vertex_count = def->vertex_count ? def->vertex_count : def->particle_count;
}

static void find_middle(cloth_garment *garment)
{
    double mass = 0.0, sum[3] = {0.0};
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        const float *p = garment->positions[i];
        if (!(p[3] > 0.0f)) continue;
        for (int k = 0; k < 3; k++) sum[k] += (double)p[k] / p[3];
        mass += 1.0 / p[3];
    }
    for (int k = 0; k < 3 && mass > 0.0; k++) garment->middle[k] = sum[k] / mass;
}

static hed_status take_particles(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error)
{
    uint32_t particles = garment->particle_count;
    garment->positions =
        hed_arena_new(&garment->arena, particles, sizeof *garment->positions, error);
    garment->rest = hed_arena_new(&garment->arena, particles, sizeof *garment->rest, error);
    if (!garment->positions || !garment->rest) return HED_ERROR_MEMORY;
    memcpy(garment->rest, def->rest_positions ? def->rest_positions : def->positions,
        particles * sizeof *garment->rest);
    for (uint32_t i = 0; i < particles; i++) {
        memcpy(garment->positions[i], def->positions + 3 * (size_t)i, 3 * sizeof(float));
        garment->positions[i][3] = def->inverse_masses ? def->inverse_masses[i] : 0.0f;
    }
    if (cloth_make_triangles(garment, faces, error)) return error->status;
    if (!def->inverse_masses && cloth_make_masses(garment, faces, def->density, number, error))
        return error->status;
    for (uint32_t i = 0; def->driven && def->max_distance && i < particles; i++)
        if (def->max_distance[i] == 0.0f) garment->positions[i][3] = 0.0f;
    find_middle(garment);
    return HED_OK;
}

/* Fills R b r s k 0 0 0 as cloth_drive() takes them: R below 0: no ball; r below 0: no backstop;
 * r = 0: a plane. */
static void take_driver(float map[8], const hed_cloth_garment_def *def, uint32_t i)
{
    float reach = def->max_distance ? def->max_distance[i] : INFINITY;
    float offset = def->backstop_distance ? def->backstop_distance[i] : -INFINITY;
    bool ball = isfinite(reach), backstop = isfinite(offset);
    map[0] = ball ? reach : -1.0f;
    map[1] = backstop ? offset : 0.0f;
    map[2] = backstop ? 0.0f : -1.0f;
    if (backstop && def->backstop_radius) map[2] = def->backstop_radius[i];
    map[3] = def->drive ? def->drive[i] : 0.0f;
    map[4] = def->drive_stiffness ? def->drive_stiffness[i] : 1.0f;
}

static hed_status take_rest(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error)
{
    garment->materials =
        hed_arena_new(&garment->arena, garment->material_count, sizeof *garment->materials, error);
    garment->vertex_particle = hed_arena_new(
        &garment->arena, garment->vertex_count, sizeof *garment->vertex_particle, error);
    if (def->driven)
        garment->driver_map = hed_arena_new(
            &garment->arena, garment->particle_count, sizeof *garment->driver_map, error);
    if (!garment->materials || !garment->vertex_particle || (def->driven && !garment->driver_map))
        return HED_ERROR_MEMORY;
    const hed_cloth_material *materials = def->materials ? def->materials : def->family_material;
    uint32_t material_count = garment->material_count - (garment->seam_count > 0);
    memcpy(garment->materials, materials, material_count * sizeof *materials);
    /* seams never push; the material differs from every other, so that solvers cannot confuse
     * them */
    if (garment->seam_count)
        garment->materials[material_count] = (hed_cloth_material){-1.0f, 1.0f, 0.0f};
    for (uint32_t v = 0; v < garment->vertex_count; v++)
        garment->vertex_particle[v] = def->vertex_count ? def->vertex_particle[v] : v;
    for (uint32_t i = 0; def->driven && i < garment->particle_count; i++)
        take_driver(garment->driver_map[i], def, i);
    return HED_OK;
}

static int compare_edges(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

/* Fails unless the mesh is closed, as pressure needs an inside: each edge occurs once in each
 * direction. */
static hed_status require_closed(const cloth_garment *garment, uint32_t number, hed_error *error)
{
    uint64_t count = 3 * (uint64_t)garment->triangle_count;
    if (garment->pressure == 0.0f) return HED_OK;
    const hed_allocator *allocator = &garment->arena.allocator;
    uint32_t(*edges)[2] = hed_new(allocator, count, sizeof *edges, error);
    if (!edges) return HED_ERROR_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        edges[i][0] = garment->triangles[i / 3][i % 3];
        edges[i][1] = garment->triangles[i / 3][(i + 1) % 3];
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    hed_status status = HED_OK;
    for (uint64_t i = 0; i < count && !status; i++) {
        const uint32_t back[2] = {edges[i][1], edges[i][0]};
        bool twice = i > 0 && compare_edges(edges[i - 1], edges[i]) == 0;
        if (twice || !bsearch(back, edges, count, sizeof *edges, compare_edges))
            status = hed_fail(error, HED_ERROR_ARGUMENT,
                "Garment %u (%s): pressure needs a closed mesh whose faces look outwards, and the "
                "edge from particle %u to %u has %s",
                number, garment->name, edges[i][0], edges[i][1],
                twice ? "two faces on one side" : "a face on one side alone");
    }
    if (count == 0)
        status = hed_fail(error, HED_ERROR_ARGUMENT,
            "Garment %u (%s): pressure needs a closed mesh, and there are no faces", number,
            garment->name);
    hed_delete(allocator, edges, count, sizeof *edges);
    return status;
}

/* Definition of the garment of a fabric: edges, diagonals of quads, and bending constraints of
 * its own. */
static hed_cloth_garment_def of_fabric(const hed_cloth_garment_def *def)
{
    hed_cloth_garment_def result = *def;
    result.family[HED_CLOTH_STRUCTURAL] = result.family[HED_CLOTH_SHEAR] = true;
    result.family[HED_CLOTH_BEND] = false;
    if (def->fabric->density > 0.0f) result.density = def->fabric->density;
    return result;
}

/* Computes the amount of gas in the garment: it has the requested pressure at `rest_volume`
 * times the volume at rest. */
static hed_status take_gas(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    double six = 0;
    if (garment->pressure == 0.0f || def->rest_volume == 0.0f) return HED_OK;
    for (uint32_t t = 0; t < garment->triangle_count; t++) {
        const uint32_t *v = garment->triangles[t];
        double way[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                way[c][k] = (double)garment->rest[v[c]][k] - garment->rest[0][k];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            six += way[0][k] * (way[1][i] * way[2][j] - way[1][j] * way[2][i]);
        }
    }
    if (!(six > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "Garment %u (%s): rest_volume is given, and its faces enclose %g m^3 at rest; expected "
            "faces that look outwards",
            number, garment->name, six / 6);
    if (def->copies > 1)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "Garment %u (%s): rest_volume is given and %u copies, whose pressure is one; give a "
            "garment for each",
            number, garment->name, def->copies);
    garment->gas = (float)(garment->pressure * def->rest_volume * six / 6);
    return HED_OK;
}

static hed_status garment_fill(cloth_garment *garment, const hed_cloth_garment_def *original,
    uint32_t number, hed_error *error)
{
    hed_cloth_garment_def completed = original->fabric ? of_fabric(original) : *original;
    const hed_cloth_garment_def *def = &completed;
    cloth_faces faces;
    if (!cloth_faces_create(&garment->arena.allocator, def, &faces, error) &&
        !take_particles(garment, def, &faces, number, error) &&
        !require_closed(garment, number, error) && !take_gas(garment, def, number, error) &&
        !take_rest(garment, def, error) &&
        !cloth_make_constraints(garment, def, &faces, number, error) &&
        !(def->fabric && cloth_make_elements(garment, def, error)) &&
        !(def->fabric && cloth_make_bends(garment, def, error)) &&
        !(def->fabric && cloth_make_cells(garment, def, error)) &&
        !(def->fabric && cloth_make_fabric(garment, def, error)) &&
        !(def->lattices &&
            (cloth_is_grid(garment) ? cloth_make_lattices(garment, error)
                                    : cloth_make_mesh_lattices(garment, def, error))) &&
        !cloth_add_seams(garment, def, number, error) &&
        !(garment->colour_at ? cloth_count_degree(garment, number, error)
                             : cloth_colour_constraints(garment, number, error)) &&
        def->tethers && !garment->lattice_count)
        cloth_make_tethers(garment, def->tether_slack, error);
    cloth_faces_destroy(&garment->arena.allocator, &faces);
    return error->status;
}

hed_status cloth_garment_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    uint32_t number, cloth_garment **garment, hed_error *error)
{
    *garment = NULL;
    hed_status status = cloth_check_garment(def, number, error);
    if (status) return status;
    hed_arena arena = {.allocator = *allocator, .owner = "a garment"};
    cloth_garment *result = hed_arena_new(&arena, 1, sizeof *result, error);
    if (!result) return HED_ERROR_MEMORY;
    result->arena = arena;
    take_numbers(result, def);
    status = garment_fill(result, def, number, error);
    if (status) cloth_garment_destroy(result);
    else *garment = result;
    return status;
}

void cloth_garment_destroy(cloth_garment *garment)
{
    if (garment) hed_arena_free(&garment->arena);
}

const char *hed_cloth_solver_name(hed_cloth_solver solver)
{
    static const char *const names[] = {
        "auto", "colours", "sets", "patches", "garments", "cpu", "cooperative", "newton"};
    return (unsigned)solver < HED_CLOTH_SOLVER_COUNT ? names[solver] : "unknown";
}
