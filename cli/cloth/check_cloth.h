/* Check of cloth, common to the files check*.c: garments and bodies over time, and the crossings
 * found. */
#ifndef HED_CLI_CLOTH_CHECK_H
#define HED_CLI_CLOTH_CHECK_H

#include "cli/common/command.h"
#include "heddle/cloth_check.h"
#include "heddle/cloth_scene.h"

/* Mesh, and the positions of its vertices in each sample. */
typedef struct cloth_check_input {
    const char *path; /* path of the cache, or of a fixed mesh */
    bool body;
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data cache; /* no frames: the mesh is fixed */
    uint32_t *triangles, triangle_count;
    uint32_t *face_of; /* (triangle_count) */
} cloth_check_input;

/* Surfaces and shapes of a sample. */
typedef struct cloth_check_moment {
    hed_cloth_check_surface *surfaces; /* inputs, then bodies of the scene */
    uint32_t surface_count;
    hed_cloth_collider *shapes; /* shapes of the scene */
    uint32_t shape_count;
    float *places; /* positions of the scene's bodies, which the scene overwrites */
} cloth_check_moment;

typedef struct cloth_check {
    const hed_arguments *arguments;
    cloth_check_input *inputs; /* garments, then bodies */
    uint32_t input_count, samples, checked;
    hed_cloth_scene *scene; /* NULL: no scene */
    double rate, unit;
    uint32_t scene_surfaces, scene_shapes; /* numbers of bodies and shapes of the scene */
    hed_cloth_crossings *found;            /* (samples) */
    /* first and worst sample; number of samples with crossings */
    uint32_t first, worst, crossed;
} cloth_check;

/* Counts the pairs of all kinds. */
uint64_t cloth_check_pairs(const hed_cloth_crossings *crossings);
/* Moves the scene to the time of a sample: frame K ends at K / rate, and sample 0 is an instant
 * after 0. */
hed_status cloth_check_move_scene(
    const cloth_check *c, uint32_t sample, hed_cloth_frame *frame, hed_error *error);
/* Allocates a sample; false: out of memory. */
bool cloth_check_moment_make(const cloth_check *c, cloth_check_moment *moment);
void cloth_check_moment_free(cloth_check_moment *moment);
/* Fills a sample: moves the scene to its time. */
hed_status cloth_check_moment_set(
    const cloth_check *c, uint32_t sample, cloth_check_moment *moment, hed_error *error);

/* Draws the worst sample: on the left the whole, on the right a close view of the densest place;
 * crossing triangles are red, places are dots that show through. */
hed_status cloth_check_picture(const cloth_check *c, const char *path, hed_error *error);

#endif
