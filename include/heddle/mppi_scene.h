/** @file mppi_scene.h
 *  Scene files for sampling model-predictive control: JSON that names a model, the terms of its
 *  cost, parameters, limits and the controller's options, with a map (an image with a ROS map
 *  YAML), moving obstacles and a path to follow; and readers of these files. Part of heddle-mppi.
 *  `heddle mppi run --schema` prints the JSON schema; data/mppi has scenes.
 *
 *  Thread class of everything here: any, one thread at a time for each object. */
#ifndef HEDDLE_MPPI_SCENE_H
#define HEDDLE_MPPI_SCENE_H

#include "heddle/mppi.h"

HED_BEGIN

/* ---- scenes ---- */

typedef struct hed_mppi_scene hed_mppi_scene;

/** Opens a scene file and every file that it names (paths are relative to it).
 *  Errors: IO, FORMAT (path inside the document, file, line, column, the value expected), LIMIT,
 *  MEMORY. */
HED_API hed_status hed_mppi_scene_open(const char *path, hed_mppi_scene **scene, hed_error *error);
/** Opens a scene in memory (`text`: size bytes); files are relative to `folder`, and `name`
 *  replaces the path in messages.
 *  Errors: as hed_mppi_scene_open(). */
HED_API hed_status hed_mppi_scene_parse(const char *text, size_t size, const char *name,
    const char *folder, hed_mppi_scene **scene, hed_error *error);
/** Closes a scene. NULL is allowed. */
HED_API void hed_mppi_scene_close(hed_mppi_scene *scene);
/** Returns the JSON schema of scene files. */
HED_API const char *hed_mppi_scene_schema(void);

/** Returns the definition of the controller in a scene; change members before hed_mppi_create().
 *  Its arrays belong to the scene, which must outlive the controller. */
HED_API hed_mppi_def hed_mppi_scene_def(const hed_mppi_scene *scene);
/** Returns the start state of the closed loop, (nx); of a fleet (count x nx). */
HED_API const float *hed_mppi_scene_start(const hed_mppi_scene *scene);
/** Returns the steps of the closed loop; 0: not specified. */
HED_API uint32_t hed_mppi_scene_run_steps(const hed_mppi_scene *scene);

/** Returns robot `index` of a scene's fleet, for hed_mppi_set_robot() after hed_mppi_create(); empty:
 *  the scene has no such robot. Its arrays belong to the scene. */
HED_API hed_mppi_robot hed_mppi_scene_robot(const hed_mppi_scene *scene, uint32_t index);

/** A single disturbance of the plant. */
typedef struct hed_mppi_push {
    double seconds;                    /**< time from the start of the run */
    float change[HED_MPPI_MAX_STATES]; /**< added to the states */
} hed_mppi_push;

/** Differences of the plant of a closed loop from the model of its controller. */
typedef struct hed_mppi_plant {
    const hed_mppi_setting *settings; /**< (setting_count) parameters of the model */
    uint32_t setting_count;
    const hed_mppi_push *pushes; /**< (push_count) */
    uint32_t push_count;
    /** standard deviation of the normal noise added to each state in a second; in a step, times the
     *  root of dt, as hed_mppi_def.disturbance */
    float disturbance[HED_MPPI_MAX_STATES];
    uint64_t seed; /**< seed of that noise */
} hed_mppi_plant;
/** Returns the plant of a scene. Its arrays belong to the scene. */
HED_API hed_mppi_plant hed_mppi_scene_plant(const hed_mppi_scene *scene);
/** Adds the noise and the pushes of step `step` of a plant, of dt s, to its state x (states). NULL
 *  is allowed. */
HED_API void hed_mppi_plant_disturb(
    const hed_mppi_plant *plant, uint32_t states, double dt, uint32_t step, float *x);

/** Computes the tables that change with time, for hed_mppi_post_table() before each solve: the
 *  obstacles at `seconds`, and the path ahead of state x (nx). Returns their number, at most 2;
 *  they belong to the scene and are valid until the next call. */
HED_API uint32_t hed_mppi_scene_tables(
    hed_mppi_scene *scene, double seconds, const float *x, const hed_mppi_table **tables);

/* ---- maps ---- */

/** An occupancy map. */
typedef struct hed_mppi_map {
    uint32_t width, height; /**< cells */
    double resolution;      /**< side of a cell, m */
    double x, y;            /**< lower left corner of the map, m */
    float *values; /**< (height x width), lowest y first: 0 free to 1 occupied; -1 unknown */
} hed_mppi_map;

enum {
    HED_MPPI_GRID_HEAD = 8,   /**< floats before the cells in the table of a grid */
    HED_MPPI_PATH_SEGMENT = 8 /**< floats of each segment in the table of a path */
};

/** Reads the YAML of a ROS map server (image, resolution, origin, negate, occupied_thresh,
 *  free_thresh, mode) and its image, PGM or PNG, in the same folder.
 *  Errors: IO, FORMAT (file, line, the value expected), LIMIT, MEMORY. */
HED_API hed_status hed_mppi_map_read(const char *path, hed_mppi_map *map, hed_error *error);
/** Frees the values and clears the map. */
HED_API void hed_mppi_map_free(hed_mppi_map *map);
/** Computes the signed distance of each cell's centre from the edge of the occupied cells (value >=
 *  `occupied`), m, (height x width); below 0 inside; without occupied cells, width plus height of
 *  the map. Exact Euclidean (Felzenszwalb and Huttenlocher 2012).
 *  Errors: MEMORY. */
HED_API hed_status hed_mppi_map_distances(
    const hed_mppi_map *map, float occupied, float *distances, hed_error *error);
/** Writes the table of a grid, for the terms costmap and clearance: the map's frame, then `values`
 *  (height x width), which may be the map's. `table`: (HED_MPPI_GRID_HEAD + height * width). */
HED_API void hed_mppi_map_table(const hed_mppi_map *map, const float *values, float *table);

/** Writes the table of a path through `count` points (count x 2, m), for the terms of paths;
 *  `closed`: back to the first point. Points that coincide (to a micrometre) are skipped. Returns
 *  the number of floats written, at most HED_MPPI_PATH_SEGMENT * count. */
HED_API uint32_t hed_mppi_path_table(
    const float *points, uint32_t count, bool closed, float *table);

/* ---- arrays ---- */

/** Reads an npy file of float32 or float64 in C order as floats. Release `values` with free().
 *  Errors: IO, FORMAT (the value expected), LIMIT (over 1 GiB), MEMORY. */
HED_API hed_status hed_mppi_npy_read(
    const char *path, float **values, uint32_t *count, hed_error *error);

HED_END

#endif
