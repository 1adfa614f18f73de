/* Crossings at a moment of a run: of cloth with cloth, and of cloth with bodies. */
#include "run.h"

#include "heddle/author.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Surfaces and shapes of a moment. */
typedef struct judged_moment {
    hed_arena arena;
    hed_cloth_check_surface *surfaces; /* garments, then bodies */
    hed_cloth_collider *shapes;
    uint32_t surface_count, garments, shape_count;
} judged_moment;

/* Adds the garments, at the positions of the cloth. */
static hed_status judge_garments(
    const hed_cloth_scene *scene, hed_cloth *cloth, judged_moment *moment, hed_error *error)
{
    const hed_cloth_garment_def *defs = hed_cloth_scene_def(scene).garments;
    uint32_t first_particle, first;
    float *positions = hed_arena_new(
        &moment->arena, 3 * (uint64_t)hed_cloth_vertex_count(cloth), sizeof *positions, error);
    if (!positions || hed_cloth_read(cloth, positions, NULL, NULL, error)) return error->status;
    for (uint32_t g = 0; g < moment->garments; g++) {
        const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(scene, g);
        hed_cloth_check_surface *surface = moment->surfaces + g;
        hed_cloth_garment_range(cloth, g, &first_particle, &first);
        surface->vertex_count = mesh->vertex_count * defs[g].copies;
        surface->positions = positions + 3 * (size_t)first;
        surface->triangles =
            cloth_mesh_triangles(mesh, 0, defs[g].copies, &surface->triangle_count);
        if (!surface->triangles) return HED_OUT_OF_MEMORY(error, "a garment's triangles");
    }
    return HED_OK;
}

/* Adds the bodies at a frame's end, or at its beginning, in the unit of the cloth's positions. */
static hed_status judge_bodies(
    const hed_cloth_frame *frame, bool at_start, judged_moment *moment, hed_error *error)
{
    const hed_cloth_collider *shapes =
        at_start && frame->collider_starts ? frame->collider_starts : frame->colliders;
    float scale = frame->transform ? frame->transform[0] : 1.0f;
    hed_cloth_check_surface *surface = moment->surfaces + moment->garments;
    for (uint32_t b = 0; b < frame->mesh_count; b++, surface++) {
        const hed_cloth_mesh_collider *mesh = &frame->meshes[b];
        const float *from =
            at_start && mesh->start_positions ? mesh->start_positions : mesh->positions;
        float *positions = hed_arena_new(
            &moment->arena, 3 * (uint64_t)mesh->vertex_count, sizeof *positions, error);
        if (!positions) return HED_ERROR_MEMORY;
        for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++) positions[k] = scale * from[k];
        *surface = (hed_cloth_check_surface){
            mesh->vertex_count, mesh->triangle_count, positions, mesh->triangles, true};
    }
    for (uint32_t i = 0; i < frame->collider_count; i++) {
        hed_cloth_collider *shape = moment->shapes + i;
        *shape = shapes[i];
        for (int k = 0; k < 3; k++) {
            shape->a[k] *= scale;
            if (shape->shape == HED_CLOTH_CAPSULE) shape->b[k] *= scale;
        }
        for (int k = 0; k < 2; k++) shape->radius[k] *= scale;
    }
    return HED_OK;
}

bool cli_cloth_has_contact(const hed_cloth_scene *scene)
{
    hed_cloth_def def = hed_cloth_scene_def(scene);
    bool collides = false;
    for (uint32_t g = 0; g < def.garment_count; g++)
        collides |= def.garments[g].self_collision != HED_CLOTH_SELF_NONE;
    return collides;
}

static hed_status judge_moment(const hed_cloth_scene *scene, hed_cloth *cloth,
    const hed_cloth_frame *frame, bool at_start, cli_cloth_judgement *judgement, hed_error *error)
{
    uint32_t bodies = frame->mesh_count, shapes = frame->collider_count;
    judged_moment moment = {.arena = {.owner = "crossing triangles"},
        .garments = hed_cloth_scene_garment_count(scene),
        .shape_count = shapes};
    hed_cloth_crossings crossings = {0};
    bool has_contact = cli_cloth_has_contact(scene);
    *judgement = (cli_cloth_judgement){.has_bodies = bodies + shapes > 0};
    if (!has_contact && !judgement->has_bodies) return HED_OK;
    moment.surface_count = moment.garments + bodies;
    moment.surfaces =
        hed_arena_new(&moment.arena, moment.surface_count, sizeof *moment.surfaces, error);
    moment.shapes = hed_arena_new(&moment.arena, shapes, sizeof *moment.shapes, error);
    if (!moment.arena.failed && !judge_garments(scene, cloth, &moment, error) &&
        !judge_bodies(frame, at_start, &moment, error))
        hed_cloth_check(&(hed_cloth_check_def){.surfaces = moment.surfaces,
                            .surface_count = moment.surface_count,
                            .shapes = moment.shapes,
                            .shape_count = shapes,
                            .only_bodies = !has_contact},
            &crossings, error);
    judgement->cloth =
        crossings.count[HED_CLOTH_CROSSES_ITSELF] + crossings.count[HED_CLOTH_CROSSES_CLOTH];
    judgement->bodies =
        crossings.count[HED_CLOTH_CROSSES_BODY] + crossings.count[HED_CLOTH_CROSSES_SHAPE];
    if (crossings.pair_count)
        judgement->garment = hed_cloth_scene_garment_name(scene, crossings.pairs[0].surface[0]);
    hed_cloth_crossings_free(&crossings);
    for (uint32_t g = 0; moment.surfaces && g < moment.garments; g++)
        free((void *)(uintptr_t)moment.surfaces[g].triangles);
    hed_arena_free(&moment.arena);
    return error->status;
}

hed_status cli_cloth_judge(const hed_cloth_scene *scene, hed_cloth *cloth,
    const hed_cloth_frame *frame, cli_cloth_judgement *judgement, hed_error *error)
{
    return judge_moment(scene, cloth, frame, false, judgement, error);
}

hed_status cli_cloth_warn_of_crossings(
    hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error)
{
    cli_cloth_judgement start;
    hed_cloth_frame frame;
    if (hed_cloth_scene_frame(scene, 0, rate, &frame, error) ||
        judge_moment(scene, cloth, &frame, true, &start, error))
        return error->status;
    if (start.cloth)
        fprintf(stderr,
            "heddle: warning: %" PRIu64 " pairs of triangles cross at the start, the first of %s, "
            "and contact does not part them (where: heddle cloth check; a garment's \"layer\" in the "
            "scene puts it outside of others)\n",
            start.cloth, start.garment);
    if (start.bodies)
        fprintf(stderr,
            "heddle: warning: %" PRIu64 " triangles cross bodies at the start, and contact may leave "
            "some so (where: heddle cloth check; a garment's \"layer\" in the scene moves it out)\n",
            start.bodies);
    return HED_OK;
}
