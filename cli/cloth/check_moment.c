/* Surfaces and shapes of a sample of heddle cloth check. */
#include "check_cloth.h"

#include <stdlib.h>

hed_status cloth_check_move_scene(
    const cloth_check *c, uint32_t sample, hed_cloth_frame *frame, hed_error *error)
{
    return sample == 0 ? hed_cloth_scene_frame(c->scene, 0, 1e12, frame, error)
                       : hed_cloth_scene_frame(c->scene, sample - 1, c->rate, frame, error);
}

bool cloth_check_moment_make(const cloth_check *c, cloth_check_moment *moment)
{
    size_t places = 1;
    hed_cloth_frame frame;
    if (c->scene) cloth_check_move_scene(c, 0, &frame, NULL);
    for (uint32_t i = 0; i < c->scene_surfaces; i++) places += frame.meshes[i].vertex_count;
    moment->surface_count = c->input_count + c->scene_surfaces;
    moment->surfaces = calloc(moment->surface_count, sizeof *moment->surfaces);
    moment->shapes = calloc((size_t)c->scene_shapes + 1, sizeof *moment->shapes);
    moment->places = malloc(3 * places * sizeof *moment->places);
    return moment->surfaces && moment->shapes && moment->places;
}

void cloth_check_moment_free(cloth_check_moment *moment)
{
    free(moment->surfaces);
    free(moment->shapes);
    free(moment->places);
}

hed_status cloth_check_moment_set(
    const cloth_check *c, uint32_t sample, cloth_check_moment *moment, hed_error *error)
{
    hed_cloth_check_surface *surface = moment->surfaces;
    for (uint32_t i = 0; i < c->input_count; i++) {
        const cloth_check_input *input = &c->inputs[i];
        size_t vertices = input->mesh.vertex_count;
        *surface++ = (hed_cloth_check_surface){(uint32_t)vertices, input->triangle_count,
            input->cache.positions ? input->cache.positions + 3 * vertices * sample
                                   : input->mesh.positions,
            input->triangles, input->body};
    }
    hed_cloth_frame frame;
    if (!c->scene) return HED_OK;
    if (cloth_check_move_scene(c, sample, &frame, error)) return error->status;
    float *places = moment->places, per_metre = (float)(1 / c->unit);
    for (uint32_t i = 0; i < frame.mesh_count; i++) {
        const hed_cloth_mesh_collider *mesh = &frame.meshes[i];
        *surface++ = (hed_cloth_check_surface){
            mesh->vertex_count, mesh->triangle_count, places, mesh->triangles, true};
        for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
            *places++ = mesh->positions[k] * per_metre;
    }
    for (uint32_t i = 0; i < frame.collider_count; i++) {
        hed_cloth_collider *shape = &moment->shapes[i];
        *shape = frame.colliders[i];
        for (int k = 0; k < 3; k++) {
            shape->a[k] *= per_metre;
            if (shape->shape != HED_CLOTH_PLANE) shape->b[k] *= per_metre;
        }
        for (int k = 0; k < 2; k++) shape->radius[k] *= per_metre;
    }
    moment->shape_count = frame.collider_count;
    return HED_OK;
}
