/* Garment: the steps of garment.h in their order, and the check of a definition. */
#include "model/garment.h"
#include "model/mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hed_cloth_def hed_default_cloth_def(void)
{
    return (hed_cloth_def){.substeps = 5, .iterations = 1, .up = 1, .max_colliders = 64};
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
        !(def->fabric && cloth_make_fabric(garment, def, error)) &&
        !cloth_add_seams(garment, def, number, error) &&
        !(garment->colour_at ? cloth_count_degree(garment, number, error)
                             : cloth_colour_constraints(garment, number, error)) &&
        def->tethers)
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

/* Check of a garment's definition: every count, index, number and map; the first invalid one is
 * named. */

/* Bounds within which squares and products of the solver stay finite in float. */
#define MOST_METRES 1e9f
#define LEAST_INVERSE_MASS 1e-12f
#define MOST_INVERSE_MASS 1e12f
#define MOST_COMPLIANCE 1e12f
#define MOST_COEFFICIENT 1e6f
#define MOST_SPEED 1e3f
#define MOST_PRESSURE 1e6f

typedef struct subject {
    const hed_cloth_garment_def *def;
    uint32_t number;
    hed_error *error;
} subject;

static hed_status garment_wrong(const subject *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static hed_status garment_wrong(const subject *check, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *name = check->def->name ? check->def->name : "garment";
    return hed_fail(
        check->error, HED_ERROR_ARGUMENT, "Garment %u (%.63s): %s", check->number, name, text);
}

/* True if the value is in the range; NaN is in no range. */
static bool within(float value, float low, float high) { return value >= low && value <= high; }

static hed_status garment_check_number(
    const subject *check, const char *name, float value, float low, float high)
{
    if (check->error->status || within(value, low, high)) return check->error->status;
    return garment_wrong(
        check, "%s is %g; expected a number from %g to %g", name, value, low, high);
}

static hed_status check_share(const subject *check, const char *name, float value)
{
    if (check->error->status || (value >= 0.0f && value < 1.0f)) return check->error->status;
    return garment_wrong(check, "%s is %g; expected a share from 0 to below 1", name, value);
}

static hed_status check_points(const subject *check, const char *name, const float *points)
{
    if (check->error->status) return check->error->status;
    for (uint32_t i = 0; i < check->def->particle_count; i++) {
        const float *p = points + 3 * (size_t)i;
        if (within(p[0], -MOST_METRES, MOST_METRES) && within(p[1], -MOST_METRES, MOST_METRES) &&
            within(p[2], -MOST_METRES, MOST_METRES))
            continue;
        return garment_wrong(check,
            "%s of particle %u are (%g, %g, %g); expected finite numbers within %g m", name, i,
            p[0], p[1], p[2], MOST_METRES);
    }
    return HED_OK;
}

static hed_status check_map(
    const subject *check, const char *name, const float *map, float low, float high)
{
    if (check->error->status) return check->error->status;
    for (uint32_t i = 0; map && i < check->def->particle_count; i++)
        if (!within(map[i], low, high))
            return garment_wrong(check, "%s of particle %u is %g; expected a number from %g to %g",
                name, i, map[i], low, high);
    return HED_OK;
}

static hed_status check_particles(const subject *check)
{
    const hed_cloth_garment_def *def = check->def;
    if (!def->particle_count)
        return garment_wrong(check, "particle_count is 0; a garment has at least one particle.");
    if (!def->positions)
        return garment_wrong(
            check, "positions is NULL; expected %u x 3 numbers", def->particle_count);
    check_points(check, "positions", def->positions);
    if (def->rest_positions) check_points(check, "rest_positions", def->rest_positions);
    if (check->error->status) return check->error->status;
    if (!def->inverse_masses) {
        if (!(def->density > 0.0f) || !within(def->density, 1e-9f, 1e9f))
            return garment_wrong(check,
                "density is %g kg/m^2 and inverse_masses is NULL; expected a density from 1e-9 to 1e9",
                def->density);
        return HED_OK;
    }
    for (uint32_t i = 0; i < def->particle_count; i++) {
        float w = def->inverse_masses[i];
        if (w != 0.0f && !within(w, LEAST_INVERSE_MASS, MOST_INVERSE_MASS))
            return garment_wrong(check,
                "inverse_masses of particle %u is %g 1/kg; expected 0 (locked) or a number from %g to %g",
                i, w, LEAST_INVERSE_MASS, MOST_INVERSE_MASS);
    }
    return HED_OK;
}

/* Checks `count` faces of `corners` particles: in range and all different. */
static hed_status check_faces(
    const subject *check, const char *name, const uint32_t *faces, uint32_t count, uint32_t corners)
{
    if (check->error->status) return check->error->status;
    if (count && !faces)
        return garment_wrong(check,
            "%s is NULL and its count is %u; expected %u particles for each", name, count, corners);
    uint32_t particles = check->def->particle_count;
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *face = faces + (size_t)corners * f;
        for (uint32_t k = 0; k < corners; k++) {
            if (face[k] >= particles)
                return garment_wrong(check,
                    "%s: corner %u of face %u is particle %u; there are %u particles (0 to %u)",
                    name, k, f, face[k], particles, particles - 1);
            for (uint32_t j = 0; j < k; j++)
                if (face[j] == face[k])
                    return garment_wrong(check,
                        "%s: face %u has particle %u at two corners; corners have to differ (mend the mesh)",
                        name, f, face[k]);
        }
    }
    return HED_OK;
}

static hed_status garment_check_grid(const subject *check)
{
    if (check->error->status) return check->error->status;
    const hed_cloth_garment_def *def = check->def;
    uint32_t width = def->grid_width, height = def->grid_height;
    if (!width && !height) return HED_OK;
    if ((uint64_t)width * height != def->particle_count)
        return garment_wrong(check,
            "grid_width x grid_height is %u x %u and particle_count %u; expected their product, or 0 x "
            "0 where there is no grid",
            width, height, def->particle_count);
    uint64_t cells = (uint64_t)(width - 1) * (height - 1);
    if (def->triangle_count || (def->quad_count && def->quad_count != cells))
        return garment_wrong(check,
            "a grid of %u x %u has %u triangles and %u quads beside it; expected its %llu cells as "
            "quads, or no faces at all",
            width, height, def->triangle_count, def->quad_count, (unsigned long long)cells);
    for (uint32_t q = 0; q < def->quad_count; q++) {
        const uint32_t *quad = def->quads + 4 * (size_t)q;
        if (cloth_mesh_cell_of(quad, width) == CLOTH_NO_INDEX)
            return garment_wrong(check,
                "quad %u (%u, %u, %u, %u) is no cell of the grid of %u x %u", q, quad[0], quad[1],
                quad[2], quad[3], width, height);
    }
    return HED_OK;
}

static hed_status check_material(
    const subject *check, const char *name, uint32_t index, const hed_cloth_material *material)
{
    if (!within(material->compress, 0.0f, 1.0f))
        return garment_wrong(check, "%s %u: compress is %g; expected a share from 0 to 1", name,
            index, material->compress);
    if (!within(material->stretch, 1.0f, 1e6f))
        return garment_wrong(check, "%s %u: stretch is %g; expected a number from 1 to 1e6", name,
            index, material->stretch);
    if (!within(material->compliance, 0.0f, MOST_COMPLIANCE))
        return garment_wrong(check, "%s %u: compliance is %g m/N; expected a number from 0 to %g",
            name, index, material->compliance, MOST_COMPLIANCE);
    return HED_OK;
}

static hed_status check_constraints(const subject *check)
{
    if (check->error->status) return check->error->status;
    const hed_cloth_garment_def *def = check->def;
    uint32_t materials = def->materials ? def->material_count : HED_CLOTH_FAMILY_COUNT;
    const hed_cloth_material *material = def->materials ? def->materials : def->family_material;
    for (uint32_t m = 0; m < materials; m++) {
        hed_status status = check_material(
            check, def->materials ? "materials" : "family_material", m, material + m);
        if (status) return status;
    }
    if (!def->constraints) {
        if (def->constraint_count)
            return garment_wrong(check,
                "constraints is NULL and constraint_count %u; expected 0 where they are made from the faces",
                def->constraint_count);
        if (materials < HED_CLOTH_FAMILY_COUNT)
            return garment_wrong(check,
                "material_count is %u; constraints that are made from the faces need one for each of the %d "
                "families",
                materials, HED_CLOTH_FAMILY_COUNT);
        return HED_OK;
    }
    for (uint32_t k = 0; k < def->constraint_count; k++) {
        const hed_cloth_constraint *c = def->constraints + k;
        if (c->a >= def->particle_count || c->b >= def->particle_count || c->a == c->b)
            return garment_wrong(check,
                "constraint %u is between particles %u and %u; expected two different ones of %u",
                k, c->a, c->b, def->particle_count);
        if (!(c->rest > 0.0f) || !within(c->rest, 1e-9f, MOST_METRES))
            return garment_wrong(check,
                "constraint %u has rest length %g m; expected a number from 1e-9 to %g", k, c->rest,
                MOST_METRES);
        if (c->material >= materials)
            return garment_wrong(
                check, "constraint %u has material %u; there are %u", k, c->material, materials);
    }
    return HED_OK;
}

static hed_status check_seams(const subject *check)
{
    const hed_cloth_garment_def *def = check->def;
    if (check->error->status || !def->seam_count) return check->error->status;
    if (!def->seams)
        return garment_wrong(check,
            "seams is NULL and seam_count %u; expected two particles for each", def->seam_count);
    for (uint32_t s = 0; s < def->seam_count; s++) {
        const uint32_t *pair = def->seams + 2 * (size_t)s;
        if (pair[0] >= def->particle_count || pair[1] >= def->particle_count || pair[0] == pair[1])
            return garment_wrong(check,
                "seam %u is between particles %u and %u; expected two different ones of %u", s,
                pair[0], pair[1], def->particle_count);
    }
    return garment_check_number(check, "seam_seconds", def->seam_seconds, 0.0f, 1e6f);
}

static hed_status check_fabric(const subject *check)
{
    const hed_cloth_garment_def *def = check->def;
    const hed_cloth_fabric *fabric = def->fabric;
    if (check->error->status || !fabric) return check->error->status;
    if (def->constraints || def->materials)
        return garment_wrong(check,
            "a fabric and %s are given; expected constraints made from the faces and no materials, "
            "or no fabric",
            def->constraints ? "constraints" : "materials");
    if (!def->triangle_count && !def->quad_count && (def->grid_width < 2 || def->grid_height < 2))
        return garment_wrong(
            check, "a fabric is given and no faces; expected faces, or a grid of 2 x 2 or more");
    garment_check_number(check, "fabric.warp", fabric->warp, 1e-3f, 1e9f);
    garment_check_number(check, "fabric.weft", fabric->weft, 1e-3f, 1e9f);
    garment_check_number(check, "fabric.shear", fabric->shear, 1e-3f, 1e9f);
    garment_check_number(check, "fabric.bend_warp", fabric->bend_warp, 0.0f, 1e6f);
    garment_check_number(check, "fabric.bend_weft", fabric->bend_weft, 0.0f, 1e6f);
    garment_check_number(check, "fabric.density", fabric->density, 0.0f, 1e6f);
    for (int k = 0; k < 3; k++)
        garment_check_number(check, "warp_axis", def->warp_axis[k], -MOST_METRES, MOST_METRES);
    check_map(check, "stretch_scale", def->stretch_scale, 1e-4f, 1e4f);
    return check_map(check, "bend_scale", def->bend_scale, 1e-4f, 1e4f);
}

/* Checks the driver's maps. A backstop outside the ball would leave the particle no valid
 * position. */
static hed_status garment_check_driver(const subject *check)
{
    if (check->error->status) return check->error->status;
    const hed_cloth_garment_def *def = check->def;
    if (!def->driven) return HED_OK;
    check_map(check, "max_distance", def->max_distance, 0.0f, INFINITY);
    check_map(check, "backstop_distance", def->backstop_distance, -INFINITY, MOST_METRES);
    check_map(check, "backstop_radius", def->backstop_radius, 0.0f, MOST_METRES);
    check_map(check, "drive", def->drive, 0.0f, 1.0f);
    check_map(check, "drive_stiffness", def->drive_stiffness, 0.0f, 1.0f);
    if (check->error->status || !def->max_distance || !def->backstop_distance)
        return check->error->status;
    for (uint32_t i = 0; i < def->particle_count; i++)
        if (def->backstop_distance[i] > def->max_distance[i])
            return garment_wrong(check,
                "backstop_distance of particle %u is %g m, outside its max_distance of %g m; expected "
                "at most that",
                i, def->backstop_distance[i], def->max_distance[i]);
    return HED_OK;
}

static hed_status check_surroundings(const subject *check)
{
    const hed_cloth_garment_def *def = check->def;
    check_share(check, "damping", def->damping);
    check_share(check, "vertical_damping", def->vertical_damping);
    for (int k = 0; k < 3; k++) {
        garment_check_number(check, "velocity", def->velocity[k], -MOST_SPEED, MOST_SPEED);
        garment_check_number(
            check, "angular_velocity", def->angular_velocity[k], -MOST_SPEED, MOST_SPEED);
    }
    garment_check_number(check, "pressure", def->pressure, -MOST_PRESSURE, MOST_PRESSURE);
    garment_check_number(check, "rest_volume", def->rest_volume, 0.0f, 1000.0f);
    garment_check_number(check, "linear_inertia", def->linear_inertia, 0.0f, 1.0f);
    garment_check_number(check, "angular_inertia", def->angular_inertia, 0.0f, 1.0f);
    garment_check_number(check, "drag", def->drag, 0.0f, MOST_COEFFICIENT);
    garment_check_number(check, "lift", def->lift, 0.0f, MOST_COEFFICIENT);
    garment_check_number(check, "friction", def->friction, 0.0f, MOST_COEFFICIENT);
    garment_check_number(check, "thickness", def->thickness, 0.0f, MOST_METRES);
    if (def->tethers) garment_check_number(check, "tether_slack", def->tether_slack, 1.0f, 1e6f);
    return check->error->status;
}

static hed_status check_output(const subject *check)
{
    if (check->error->status) return check->error->status;
    const hed_cloth_garment_def *def = check->def;
    if (!def->copies) return garment_wrong(check, "copies is 0; expected at least 1");
    if (!def->vertex_count) return HED_OK;
    if (!def->vertex_particle)
        return garment_wrong(check,
            "vertex_particle is NULL and vertex_count %u; expected a particle for each",
            def->vertex_count);
    for (uint32_t v = 0; v < def->vertex_count; v++)
        if (def->vertex_particle[v] >= def->particle_count)
            return garment_wrong(check,
                "vertex_particle of vertex %u is %u; there are %u particles", v,
                def->vertex_particle[v], def->particle_count);
    return HED_OK;
}

hed_status cloth_check_garment(const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    hed_error own = {0};
    const subject check = {def, number, &own};
    /* Indices on the device are 32-bit, and there are three corners to a triangle, two triangles to
     * a quad. */
    if (def->particle_count > UINT32_MAX / 8 ||
        (uint64_t)def->triangle_count + 2 * (uint64_t)def->quad_count > UINT32_MAX / 3)
        return hed_fail(error, HED_ERROR_LIMIT,
            "Garment %u (%.63s): %u particles, %u triangles and %u quads are more than 32-bit indices reach",
            number, def->name ? def->name : "garment", def->particle_count, def->triangle_count,
            def->quad_count);
    check_particles(&check);
    check_faces(&check, "triangles", def->triangles, def->triangle_count, 3);
    check_faces(&check, "quads", def->quads, def->quad_count, 4);
    garment_check_grid(&check);
    check_constraints(&check);
    check_seams(&check);
    check_fabric(&check);
    garment_check_driver(&check);
    check_surroundings(&check);
    check_output(&check);
    if (own.status && error) *error = own;
    return own.status;
}

const char *hed_cloth_solver_name(hed_cloth_solver solver)
{
    static const char *const names[] = {"auto", "colours", "sets", "patches", "garments", "cpu"};
    return (unsigned)solver < HED_CLOTH_SOLVER_COUNT ? names[solver] : "unknown";
}
