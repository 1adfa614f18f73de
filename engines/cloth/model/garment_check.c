/* Check of a garment's definition: every count, index, number and map; the first invalid one is
 * named. */
#include "model/garment.h"
#include "model/mesh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    garment_check_number(check, "fabric.poisson", fabric->poisson, 0.0f, 0.9f);
    double coupled = (double)fabric->poisson * fabric->poisson * fabric->weft / fabric->warp;
    if (!check->error->status && !(coupled <= 0.9))
        return garment_wrong(check,
            "fabric.poisson is %g with a weft of %g and a warp of %g N/m; expected poisson^2 x weft / warp at most "
            "0.9",
            fabric->poisson, fabric->weft, fabric->warp);
    for (int k = 0; k < 3; k++)
        garment_check_number(check, "warp_axis", def->warp_axis[k], -MOST_METRES, MOST_METRES);
    check_map(check, "stretch_scale", def->stretch_scale, 1e-4f, 1e4f);
    return check_map(check, "bend_scale", def->bend_scale, 1e-4f, 1e4f);
}

static hed_status check_tear(const subject *check)
{
    if (check->def->tear != 0.0f) garment_check_number(check, "tear", check->def->tear, 1e-4f, 1e4f);
    return check_map(check, "tear_strength", check->def->tear_strength, 1e-4f, 1e4f);
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
    check_tear(&check);
    garment_check_driver(&check);
    check_surroundings(&check);
    check_output(&check);
    if (own.status && error) *error = own;
    return own.status;
}
