/** @file mppi_scene.h
 *  Scene files for sampling model-predictive control: JSON that names a model, the terms of its cost,
 *  parameters, limits and the controller's options, with a map (an image with a ROS map YAML),
 *  obstacles that move and a path to follow; and the readers of those by themselves. Part of
 *  heddle-mppi. `heddle mppi run --schema` prints the JSON schema; data/mppi has scenes.
 *
 *  Thread class of everything here: any, one thread at a time for each object.
 */
#ifndef HEDDLE_MPPI_SCENE_H
#define HEDDLE_MPPI_SCENE_H

#include "heddle/mppi.h"

HED_BEGIN

/* ---- scenes ---- */

typedef struct hed_mppi_scene hed_mppi_scene;

/** Reads a scene and every file that it names (paths are relative to it). Errors: IO, FORMAT (path
 *  inside the document, file, line, column, what was expected), LIMIT, MEMORY. */
HED_API hed_status hed_mppi_scene_open(const char *path, hed_mppi_scene **scene, hed_error *error);
/** The same from memory; files are looked for in `folder`. */
HED_API hed_status hed_mppi_scene_parse(const char *name, const char *text, size_t size,
    const char *folder, hed_mppi_scene **scene, hed_error *error);
/** Frees it. NULL is allowed. */
HED_API void hed_mppi_scene_close(hed_mppi_scene *scene);
/** The JSON schema of scene files. */
HED_API const char *hed_mppi_scene_schema(void);

/** The controller that the scene describes, for hed_mppi_create(); members may be changed before.
 *  What it points to belongs to the scene, which must outlive the controller. */
HED_API hed_mppi_def hed_mppi_scene_def(const hed_mppi_scene *scene);
/** Where the closed loop starts, (nx). */
HED_API const float *hed_mppi_scene_start(const hed_mppi_scene *scene);
/** Steps of the closed loop that the file asks for; 0: it does not say. */
HED_API uint32_t hed_mppi_scene_run_steps(const hed_mppi_scene *scene);

/** Something that pushes the plant once. */
typedef struct hed_mppi_push {
    double seconds;                    /**< from the start of the run */
    float change[HED_MPPI_MAX_STATES]; /**< added to the states */
} hed_mppi_push;

/** In what the plant of a closed loop differs from the model that its controller knows. */
typedef struct hed_mppi_plant {
    const hed_mppi_setting *settings; /**< (setting_count) parameters of the model */
    uint32_t setting_count;
    const hed_mppi_push *pushes; /**< (push_count) */
    uint32_t push_count;
    /** standard deviation of the normal noise that is added to each state in a second: times the root
     *  of dt in a step, as hed_mppi_def.disturbance is */
    float disturbance[HED_MPPI_MAX_STATES];
    uint64_t seed; /**< of that noise */
} hed_mppi_plant;
/** What the file says of it; what it points to belongs to the scene. */
HED_API hed_mppi_plant hed_mppi_scene_plant(const hed_mppi_scene *scene);

/** Tables that change as time goes on: the obstacles from `seconds` on, and the part of the path that
 *  lies ahead of state x (nx). To be posted before each solve, with hed_mppi_post_table(). Gives how
 *  many there are, at most 2; they belong to the scene and hold until the next call. */
HED_API uint32_t hed_mppi_scene_tables(
    hed_mppi_scene *scene, double seconds, const float *x, const hed_mppi_table **tables);

/* ---- maps ---- */

/** An occupancy map. */
typedef struct hed_mppi_map {
    uint32_t width, height; /**< cells */
    double resolution;      /**< m, a side of a cell */
    double x, y;            /**< m, the lower left corner of the map */
    float *values; /**< (height x width), lowest y first: 0 free to 1 occupied; -1 unknown */
} hed_mppi_map;

enum {
    HED_MPPI_GRID_HEAD = 8,   /**< floats before the cells of a grid's table */
    HED_MPPI_PATH_SEGMENT = 8 /**< floats for each segment in a path's table */
};

/** Reads the YAML of a ROS map server (image, resolution, origin, negate, occupied_thresh,
 *  free_thresh, mode) and its image, PGM or PNG, beside it. Errors: IO, FORMAT (file, line, what was
 *  expected), LIMIT, MEMORY. */
HED_API hed_status hed_mppi_map_read(const char *path, hed_mppi_map *map, hed_error *error);
/** Frees the values, and sets it to nothing. */
HED_API void hed_mppi_map_free(hed_mppi_map *map);
/** Signed distance of each cell's centre from the edge of what is occupied (value >= `occupied`), m,
 *  (height x width); below 0 inside; where nothing is, width plus height of the map. Exact Euclidean
 *  (Felzenszwalb and Huttenlocher 2012). Errors: MEMORY. */
HED_API hed_status hed_mppi_map_distances(
    const hed_mppi_map *map, float occupied, float *distances, hed_error *error);
/** Writes the table of a grid, for the terms costmap and clearance: the map's frame, then `values`
 *  (height x width), which may be its own. table: (HED_MPPI_GRID_HEAD + height * width). */
HED_API void hed_mppi_map_table(const hed_mppi_map *map, const float *values, float *table);

/** Writes the table of a path through `count` points (count x 2, m), for the terms of paths; with
 *  `closed` back to the first. Points that coincide (to a micrometre) are left out. Gives the floats written, of at most
 *  HED_MPPI_PATH_SEGMENT * count. */
HED_API uint32_t hed_mppi_path_table(
    const float *points, uint32_t count, bool closed, float *table);

/* ---- arrays ---- */

/** Reads an npy file of float32 or float64 in C order as floats. `values` is given back with free().
 *  Errors: IO, FORMAT (what was expected), LIMIT (over 1 GiB), MEMORY. */
HED_API hed_status hed_mppi_npy_read(
    const char *path, float **values, uint32_t *count, hed_error *error);

HED_END

#endif
