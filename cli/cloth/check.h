/* What the files check*.c share: garments and bodies over time, and what was found of them. */
#ifndef HED_CLI_CLOTH_CHECK_H
#define HED_CLI_CLOTH_CHECK_H

#include "cli/common/command.h"
#include "heddle/cloth_check.h"
#include "heddle/cloth_scene.h"

/* A mesh, and where its vertices are in each sample. */
typedef struct cloth_check_input {
    const char *path; /* of the cache, or of a mesh that stands still */
    bool body;
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data cache; /* without frames: it stands still */
    uint32_t *triangles, triangle_count;
    uint32_t *face_of; /* (triangle_count) */
} cloth_check_input;

/* A sample with what is in it. */
typedef struct cloth_check_moment {
    hed_cloth_check_surface *surfaces; /* inputs, then bodies of the scene */
    uint32_t surface_count;
    hed_cloth_collider *shapes; /* of the scene */
    uint32_t shape_count;
    float *places; /* of the scene's bodies: they move on */
} cloth_check_moment;

typedef struct cloth_check {
    const hed_arguments *arguments;
    cloth_check_input *inputs; /* garments, then bodies */
    uint32_t input_count, samples, checked;
    hed_cloth_scene *scene; /* NULL: none */
    double rate, unit;
    uint32_t scene_surfaces, scene_shapes; /* bodies of the scene */
    hed_cloth_crossings *found;            /* (samples) */
    uint32_t first, worst, crossed;        /* samples; how many have crossings */
} cloth_check;

/* Pairs of all kinds. */
uint64_t cloth_check_pairs(const hed_cloth_crossings *found);
/* Room for a sample; false: no memory. */
bool cloth_check_moment_make(const cloth_check *c, cloth_check_moment *moment);
void cloth_check_moment_free(cloth_check_moment *moment);
/* Fills it: the scene goes to this sample's time. */
hed_status cloth_check_moment_set(
    const cloth_check *c, uint32_t sample, cloth_check_moment *moment, hed_error *error);

/* Draws the worst sample: the whole, and beside it the densest place from near by, crossing
 * triangles red, places as dots that show through. */
hed_status cloth_check_picture(const cloth_check *c, const char *path, hed_error *error);

#endif
