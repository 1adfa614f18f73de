/** @file cloth_scene.h
 *  Scene files for cloth: JSON that names meshes, materials, pins, painted maps, drivers, colliders
 *  and surroundings. Part of heddle-cloth. `heddle cloth run --schema` prints the JSON schema;
 *  docs/cloth-scene.md explains it. Thread class of everything here: any, one thread at a time for
 *  each scene.
 */
#ifndef HEDDLE_CLOTH_SCENE_H
#define HEDDLE_CLOTH_SCENE_H

#include "heddle/cloth.h"
#include "heddle/cloth_mesh.h"

HED_BEGIN

typedef struct hed_cloth_scene hed_cloth_scene;

/** What stands beside the file when a scene is opened. Start from {0}. */
typedef struct hed_cloth_scene_options {
    /** tethers for every garment that has a locked particle, whatever the file says */
    bool tethers;
    bool mend;         /**< mend broken meshes where that is safe */
    uint32_t substeps; /**< 0: as the file says */
    /** what was mended or guessed, one line each; NULL: nowhere */
    void (*warn)(void *user, const char *text);
    void *user;
} hed_cloth_scene_options;

/** Reads a scene and every file it names (paths are relative to it). `options` may be NULL. Errors:
 *  IO, FORMAT (path inside the document, file, line, column, what was expected), LIMIT, MEMORY. */
HED_API hed_status hed_cloth_scene_open(const char *path, const hed_cloth_scene_options *options,
    hed_cloth_scene **scene, hed_error *error);
/** The same from memory; files are looked for in `folder`. */
HED_API hed_status hed_cloth_scene_parse(const char *name, const char *text, size_t size,
    const char *folder, const hed_cloth_scene_options *options, hed_cloth_scene **scene,
    hed_error *error);
/** Frees it. NULL is allowed. */
HED_API void hed_cloth_scene_close(hed_cloth_scene *scene);

/** The JSON schema of scene files. */
HED_API const char *hed_cloth_scene_schema(void);

/** The cloth that the scene describes: device-independent; change solver, math and the like before
 *  hed_cloth_create(). Its arrays belong to the scene. */
HED_API hed_cloth_def hed_cloth_scene_def(const hed_cloth_scene *scene);
/** Frames a second that the file asks for, 60 unless told. */
HED_API double hed_cloth_scene_rate(const hed_cloth_scene *scene);
/** Frames that the file asks for, 0: it does not say. */
HED_API uint32_t hed_cloth_scene_frames(const hed_cloth_scene *scene);

/** What to feed for frame `number` (from 0: the first step) at `rate` frames a second: driver,
 * colliders, wind, gravity at its end. Its
 *  arrays belong to the scene and hold until the next call. Errors: MEMORY. */
HED_API hed_status hed_cloth_scene_frame(
    hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame, hed_error *error);

/** Where all vertices are at the start, before the first frame: (vertices x 3) of all garments and
 *  copies in the scene's unit, in the order of hed_cloth_read(). Sample 0 of a point cache. */
HED_API void hed_cloth_scene_start(const hed_cloth_scene *scene, float *positions);
/** The matrix that sample `sample` of a garment's files is asked to be written with (0: the start),
 * (3 x 4) row by row, from the scene's unit and axes; false: the scene does not say, they are
 * written as they are. */
HED_API bool hed_cloth_scene_output(
    const hed_cloth_scene *scene, uint32_t garment, uint32_t sample, double matrix[12]);

/** Garments of the scene, copies not counted; vertices of garment g lie in
 * hed_cloth_garment_range(). */
HED_API uint32_t hed_cloth_scene_garment_count(const hed_cloth_scene *scene);
/** as it was read */
HED_API const hed_cloth_mesh *hed_cloth_scene_mesh(const hed_cloth_scene *scene, uint32_t garment);
HED_API const char *hed_cloth_scene_file(
    const hed_cloth_scene *scene, uint32_t garment); /**< that mesh's;
                                              NULL: a shape the scene describes */
/** for file names */
HED_API const char *hed_cloth_scene_garment_name(const hed_cloth_scene *scene, uint32_t garment);
/** for pictures */
HED_API void hed_cloth_scene_colour(const hed_cloth_scene *scene, uint32_t garment, float rgb[3]);

/** A mesh to show that is no cloth: bodies, tables, colliders' shapes. */
typedef struct hed_cloth_prop {
    const char *name;
    uint32_t vertex_count, triangle_count;
    /** (vertex_count x 3) in the scene's unit, at the frame last asked for */
    const float *positions;
    const uint32_t *triangles; /**< (triangle_count x 3) */
    float colour[3];
} hed_cloth_prop;
/** Props, simple colliders as meshes among them. */
HED_API uint32_t hed_cloth_scene_prop_count(const hed_cloth_scene *scene);
/** index < count */
HED_API hed_cloth_prop hed_cloth_scene_prop(const hed_cloth_scene *scene, uint32_t index);

/** Where a picture is taken from, in the scene's unit, if the file says; else fitted to the
 * garments' first frame. */
typedef struct hed_cloth_camera {
    float eye[3], target[3], up[3];
    float field_of_view; /**< degrees, vertical */
    uint32_t width, height;
} hed_cloth_camera;
HED_API hed_cloth_camera hed_cloth_scene_camera(const hed_cloth_scene *scene); /**< always usable */

HED_END

#endif
