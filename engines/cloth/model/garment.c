/* Making a garment ready: what the steps of garment_parts.h are called with, and in which order. */
#include "model/garment_parts.h"

#include <math.h>
#include <stdio.h>
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
    hed_cloth_garment_def def = {.density = 0.2f,
        .tether_slack = 1.0f,
        .damping = 0.1f,
        .friction = 0.3f,
        .thickness = 0.005f,
        .copies = 1};
    const hed_cloth_material rigid = {1.0f, 1.0f, 0.0f};
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) {
        def.family_material[f] = rigid;
        def.family[f] = true;
    }
    return def;
}

static void take_numbers(cloth_garment *garment, const hed_cloth_garment_def *def)
{
    snprintf(garment->name, sizeof garment->name, "%s", def->name ? def->name : "garment");
    garment->particle_count = def->particle_count;
    garment->grid_width = def->grid_width;
    garment->grid_height = def->grid_height;
    garment->driven = def->driven;
    garment->damping = def->damping;
    garment->vertical_damping = def->vertical_damping;
    garment->drag = def->drag;
    garment->lift = def->lift;
    garment->friction = def->friction;
    garment->thickness = def->thickness;
    garment->self_collision = def->self_collision;
    garment->copies = def->copies;
    garment->material_count = def->materials ? def->material_count : HED_CLOTH_FAMILY_COUNT;
    garment->vertex_count = def->vertex_count ? def->vertex_count : def->particle_count;
}

static hed_status take_particles(cloth_garment *garment, const hed_cloth_garment_def *def,
    const cloth_faces *faces, uint32_t number, hed_error *error)
{
    const hed_allocator *allocator = &garment->allocator;
    uint32_t particles = garment->particle_count;
    garment->positions = hed_new(allocator, particles, sizeof *garment->positions, error);
    garment->rest = hed_new(allocator, particles, sizeof *garment->rest, error);
    if (!garment->positions || !garment->rest) return HED_ERROR_MEMORY;
    memcpy(garment->rest, def->rest_positions ? def->rest_positions : def->positions,
        particles * sizeof *garment->rest);
    for (uint32_t i = 0; i < particles; i++) {
        memcpy(garment->positions[i], def->positions + 3 * (size_t)i, 3 * sizeof(float));
        garment->positions[i][3] = def->inverse_masses ? def->inverse_masses[i] : 0.0f;
    }
    hed_status status = cloth_make_triangles(garment, faces, error);
    if (!status && !def->inverse_masses)
        status = cloth_make_masses(garment, faces, def->density, number, error);
    for (uint32_t i = 0; !status && def->driven && def->max_distance && i < particles; i++)
        if (def->max_distance[i] == 0.0f) garment->positions[i][3] = 0.0f;
    return status;
}

/* R b r s k 0 0 0 as cloth_drive() takes them: R below 0 is no ball, r below 0 no backstop, r = 0 a
 * plane. */
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
    const hed_allocator *allocator = &garment->allocator;
    garment->materials =
        hed_new(allocator, garment->material_count, sizeof *garment->materials, error);
    garment->vertex_particle =
        hed_new(allocator, garment->vertex_count, sizeof *garment->vertex_particle, error);
    if (def->driven)
        garment->driver_map =
            hed_new(allocator, garment->particle_count, sizeof *garment->driver_map, error);
    if (!garment->materials || !garment->vertex_particle || (def->driven && !garment->driver_map))
        return HED_ERROR_MEMORY;
    const hed_cloth_material *materials = def->materials ? def->materials : def->family_material;
    memcpy(garment->materials, materials, garment->material_count * sizeof *materials);
    for (uint32_t v = 0; v < garment->vertex_count; v++)
        garment->vertex_particle[v] = def->vertex_count ? def->vertex_particle[v] : v;
    for (uint32_t i = 0; def->driven && i < garment->particle_count; i++)
        take_driver(garment->driver_map[i], def, i);
    return HED_OK;
}

static hed_status fill(
    cloth_garment *garment, const hed_cloth_garment_def *def, uint32_t number, hed_error *error)
{
    cloth_faces faces;
    hed_status status = cloth_faces_create(&garment->allocator, def, &faces, error);
    if (!status) status = take_particles(garment, def, &faces, number, error);
    if (!status) status = take_rest(garment, def, error);
    if (!status) status = cloth_make_constraints(garment, def, &faces, number, error);
    if (!status)
        status = garment->colour_at ? cloth_count_degree(garment, number, error)
                                    : cloth_colour_constraints(garment, number, error);
    if (!status && def->tethers) status = cloth_make_tethers(garment, def->tether_slack, error);
    cloth_faces_destroy(&garment->allocator, &faces);
    return status;
}

hed_status cloth_garment_create(const hed_allocator *allocator, const hed_cloth_garment_def *def,
    uint32_t number, cloth_garment **garment, hed_error *error)
{
    *garment = NULL;
    hed_status status = cloth_check_garment(def, number, error);
    if (status) return status;
    cloth_garment *made = hed_new(allocator, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->allocator = *allocator;
    take_numbers(made, def);
    status = fill(made, def, number, error);
    if (status) cloth_garment_destroy(made);
    else *garment = made;
    return status;
}

void cloth_garment_destroy(cloth_garment *garment)
{
    if (!garment) return;
    hed_allocator allocator = garment->allocator;
    uint64_t particles = garment->particle_count;
    hed_delete(&allocator, garment->positions, particles, sizeof *garment->positions);
    hed_delete(&allocator, garment->rest, particles, sizeof *garment->rest);
    hed_delete(
        &allocator, garment->constraints, garment->constraint_count, sizeof *garment->constraints);
    hed_delete(
        &allocator, garment->families, garment->constraint_count, sizeof *garment->families);
    hed_delete(
        &allocator, garment->materials, garment->material_count, sizeof *garment->materials);
    hed_delete(&allocator, garment->colour_at, (uint64_t)garment->colour_count + 1,
        sizeof *garment->colour_at);
    hed_delete(&allocator, garment->anchors, garment->anchor_count, sizeof *garment->anchors);
    hed_delete(&allocator, garment->tether_anchor, particles, sizeof *garment->tether_anchor);
    hed_delete(&allocator, garment->tether_length, particles, sizeof *garment->tether_length);
    hed_delete(
        &allocator, garment->triangles, garment->triangle_count, sizeof *garment->triangles);
    hed_delete(&allocator, garment->incident_at, particles + 1, sizeof *garment->incident_at);
    hed_delete(&allocator, garment->incident, 3 * (uint64_t)garment->triangle_count,
        sizeof *garment->incident);
    hed_delete(&allocator, garment->driver_map, particles, sizeof *garment->driver_map);
    hed_delete(&allocator, garment->vertex_particle, garment->vertex_count,
        sizeof *garment->vertex_particle);
    hed_delete(&allocator, garment, 1, sizeof *garment);
}
