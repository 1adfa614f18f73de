/** @file cloth_scene.h
 *  Scene files for cloth: JSON that names meshes, materials, pins, painted maps, drivers, colliders
 *  and surroundings. Part of heddle-cloth. `heddle cloth run --schema` prints the JSON schema;
 *  docs/cloth-scene.md explains it. Thread class of everything here: any, one thread at a time for
 *  each scene. */
#ifndef HEDDLE_CLOTH_SCENE_H
#define HEDDLE_CLOTH_SCENE_H

#include "heddle/cloth.h"
#include "heddle/cloth_mesh.h"

HED_BEGIN

typedef struct hed_cloth_scene hed_cloth_scene;

/** Options of opening a scene. Start from {0}. */
typedef struct hed_cloth_scene_options {
    /** adds tethers to every garment with a locked particle */
    bool tethers;
    bool mend;         /**< mends broken meshes if that is safe */
    uint32_t substeps; /**< 0: the file's number */
    /** receives mended faults and assumed values, one line each; NULL: ignored */
    void (*warn)(void *user, const char *text);
    void *user;
} hed_cloth_scene_options;

/** Opens a scene file and every file that it names (paths are relative to it). `options` may be
 *  NULL.
 *  Errors: IO, FORMAT (path inside the document, file, line, column, the value expected), LIMIT,
 *  MEMORY. */
HED_API hed_status hed_cloth_scene_open(const char *path, const hed_cloth_scene_options *options,
    hed_cloth_scene **scene, hed_error *error);
/** Opens a scene in memory (`text`: size bytes); files are relative to `folder`, and `name`
 *  replaces the path in messages.
 *  Errors: as hed_cloth_scene_open(). */
HED_API hed_status hed_cloth_scene_parse(const char *text, size_t size, const char *name,
    const char *folder, const hed_cloth_scene_options *options, hed_cloth_scene **scene,
    hed_error *error);
/** Closes a scene. NULL is allowed. */
HED_API void hed_cloth_scene_close(hed_cloth_scene *scene);

/** Returns the JSON schema of scene files. */
HED_API const char *hed_cloth_scene_schema(void);

/** Returns the definition of the cloth in a scene, device-independent; set solver, math and the
 *  like before hed_cloth_create(). Its arrays belong to the scene. */
HED_API hed_cloth_def hed_cloth_scene_def(const hed_cloth_scene *scene);
/** Returns the frames a second of the scene; 60 by default. */
HED_API double hed_cloth_scene_rate(const hed_cloth_scene *scene);
/** Returns the unit of lengths of the scene, m. */
HED_API double hed_cloth_scene_unit(const hed_cloth_scene *scene);
/** Returns the number of frames of the scene; 0: not specified. */
HED_API uint32_t hed_cloth_scene_frames(const hed_cloth_scene *scene);

/** Returns the input of frame `number` (from 0: the first step) at `rate` frames a second: driver,
 *  colliders, wind, gravity at its end. Its transform scales to the scene's unit, so hed_cloth_read()
 *  returns metres before the first frame and the scene's unit afterwards; with the transform set to
 *  NULL it returns metres always. Its arrays belong to the scene and are valid until the next call.
 *  Errors: MEMORY. */
HED_API hed_status hed_cloth_scene_frame(
    hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame, hed_error *error);

/** Copies the positions of all vertices before the first frame: (vertices x 3) of all garments and
 *  copies in the scene's unit, in the order of hed_cloth_read(). Sample 0 of a point cache. */
HED_API void hed_cloth_scene_start(const hed_cloth_scene *scene, float *positions);
/** Returns the matrix for writing sample `sample` (0: the start) of a garment's files, (3 x 4) row
 *  by row, from the scene's unit and axes. False: the scene has none, and files are written
 *  untransformed. */
HED_API bool hed_cloth_scene_output(
    const hed_cloth_scene *scene, uint32_t garment, uint32_t sample, double matrix[12]);

/** Returns the number of garments, without copies. hed_cloth_garment_range() returns their
 *  vertices. */
HED_API uint32_t hed_cloth_scene_garment_count(const hed_cloth_scene *scene);
/** Returns the mesh of a garment as it was read; of one that tears, each corner of a face is a vertex. */
HED_API const hed_cloth_mesh *hed_cloth_scene_mesh(const hed_cloth_scene *scene, uint32_t garment);
/** Returns the file of a garment's mesh; NULL: a shape that the scene describes. */
HED_API const char *hed_cloth_scene_file(const hed_cloth_scene *scene, uint32_t garment);
/** Returns the name of a garment, for file names. */
HED_API const char *hed_cloth_scene_garment_name(const hed_cloth_scene *scene, uint32_t garment);
/** Returns the colour of a garment, for pictures. */
HED_API void hed_cloth_scene_colour(const hed_cloth_scene *scene, uint32_t garment, float rgb[3]);

/** A mesh in pictures that is not cloth: bodies, tables, colliders' shapes. */
typedef struct hed_cloth_prop {
    const char *name;
    uint32_t vertex_count, triangle_count;
    /** (vertex_count x 3) in the scene's unit, at the frame of the last hed_cloth_scene_frame() */
    const float *positions;
    /** (triangle_count x 3); empty for a plane whose back faces the camera */
    const uint32_t *triangles;
    float colour[3];
} hed_cloth_prop;
/** Returns the number of props, which include simple colliders as meshes. */
HED_API uint32_t hed_cloth_scene_prop_count(const hed_cloth_scene *scene);
/** Returns prop `index`, below the count. */
HED_API hed_cloth_prop hed_cloth_scene_prop(const hed_cloth_scene *scene, uint32_t index);

/** View of a picture, in the scene's unit: the file's, else fitted to the garments' first frame. */
typedef struct hed_cloth_camera {
    float eye[3], target[3], up[3];
    float field_of_view; /**< degrees, vertical */
    uint32_t width, height;
} hed_cloth_camera;
/** Returns the view of pictures, which is always usable. */
HED_API hed_cloth_camera hed_cloth_scene_camera(const hed_cloth_scene *scene);

HED_END

#endif
