/* Declarations common to the parts of the scene loader. Tables of fields (support/fields.h) have
 * the keys of each object, and call the readers here for values that are no plain fields. Readers
 * process the document without checking for errors: the document keeps the first error, after it
 * every reader returns 0 or NULL and does nothing, and the loader tests for an error once, at its
 * end. */
#ifndef MPPI_SCENE_PARTS_H
#define MPPI_SCENE_PARTS_H

#include "heddle/author.h"
#include "heddle/mppi_scene.h"
#include "mujoco/mujoco_model.h"
#include "support/fields.h"

/* Keys of scene files; scene.schema.json and the tables of docs/mppi.md are made from them. */
extern const hed_document mppi_scene_document;
extern const hed_fields mppi_controller_fields; /* scene_controller.c */

enum {
    MPPI_SCENE_OBSTACLES = 1024,
    MPPI_SCENE_POINTS = 1 << 16,
    MPPI_SCENE_PUSHES = 4096,
    MPPI_SCENE_ROBOTS = 4096,
    MPPI_SCENE_TABLE = 1 << 26 /* floats */
};

/* A disc that moves along a line through points. */
typedef struct mppi_scene_obstacle {
    float radius, speed; /* m, m/s */
    /* true: returns from the last point to the first and repeats; false: stops at the last */
    bool closed;
    /* (segments x HED_MPPI_PATH_SEGMENT); segments 0: the obstacle does not move */
    const float *path;
    uint32_t segments;
    float at[2]; /* initial position, m */
    /* (moments) times at the points, ascending, s, and (moments x 2) the points; NULL: by speed */
    const double *times;
    const float *points;
    uint32_t moments;
} mppi_scene_obstacle;

struct hed_mppi_scene {
    hed_arena arena;
    hed_mppi_def def;
    hed_mppi_model model;
    hed_mppi_term terms[HED_MPPI_MAX_TERMS];
    hed_mppi_table tables[HED_MPPI_MAX_TABLES];
    hed_mppi_setting settings[HED_MPPI_MAX_PARAMETERS];
    hed_mppi_timeline timelines[HED_MPPI_MAX_TIMELINES];
    float start[HED_MPPI_MAX_STATES];
    uint32_t robot_count; /* 0: one robot, without an entry */
    hed_mppi_robot *robots;
    float *starts; /* (robot_count x states) */
    uint32_t run_steps;
    hed_mppi_plant plant;
    mppi_mujoco *mujoco; /* NULL: the model is no file of MuJoCo's */
    /* parts that change with time */
    uint32_t obstacle_count;
    const mppi_scene_obstacle *obstacles;
    const float *path;              /* the whole */
    uint32_t path_segments, window; /* segments of the part of the path ahead */
    bool path_closed;
    float *obstacle_table, *path_table;
    uint32_t
        place; /* segment of the path nearest to the last state; UINT32_MAX: not searched yet */
    hed_mppi_table live[2];
};

typedef struct mppi_scene_reader {
    hed_mppi_scene *scene;
    hed_json *json;
    const char *folder;
    const char *term; /* name of the term in hand */
    bool own_term;    /* true: a text of the user's */
} mppi_scene_reader;

bool mppi_scene_fine(const mppi_scene_reader *reader);
/* Keeps the error of a call that failed, as the document's. */
void mppi_scene_keep(mppi_scene_reader *reader, const hed_error *error);
/* Allocates memory of the scene; NULL: out of memory, or an earlier error. */
void *mppi_scene_new(mppi_scene_reader *reader, uint64_t count, size_t size);
/* Returns a path relative to the scene's file; "" after an error. */
const char *mppi_scene_path(mppi_scene_reader *reader, hed_json_node node);
const char *mppi_scene_text(mppi_scene_reader *reader, const char *text);
/* Adds a table for the controller; `values` must live as long as the scene. */
void mppi_scene_add_table(mppi_scene_reader *reader, hed_json_node place, const char *name,
    const float *values, uint64_t count);
/* True if the model or a term reads a table of this name. */
bool mppi_scene_reads(const hed_mppi_scene *scene, const char *table);

/* Reports that no name of a list, which ends with NULL, is `typed`. */
void mppi_scene_refuse_name(
    hed_json_node node, const char *subject, const char *const *names, const char *typed);
/* Returns the index of a name among `count`; `count`, with an error, if it is not among them. */
uint32_t mppi_scene_find_name(mppi_scene_reader *reader, hed_json_node node, const char *what,
    const char *const *names, uint32_t count, const char *typed);

/* Readers of rows, with the reader as `user` and the scene as `at`, and the tables of further
 * objects. scene_run.c: values for states (all in order, or some by name), controls, the run. */
void mppi_scene_read_states(mppi_scene_reader *reader, hed_json_node node, float *values);
hed_field_read mppi_scene_read_start, mppi_scene_read_controls;
extern const hed_fields mppi_control_fields, mppi_run_fields, mppi_plant_fields, mppi_push_fields;
/* scene_mujoco.c: models of MuJoCo's. */
void mppi_scene_read_mujoco(mppi_scene_reader *reader, hed_json_node node);
/* Returns the text of a scene that has a file of MuJoCo's alone; NULL: out of memory. Free it. */
char *mppi_scene_of_mujoco(const char *path);
bool mppi_scene_is_mujoco(const char *path);
extern const hed_fields mppi_mujoco_fields, mppi_sensor_fields;
/* scene_timelines.c: parameters that change with time. */
hed_field_read mppi_scene_read_timelines, mppi_scene_read_times;
extern const hed_fields mppi_timeline_fields;
/* scene_robots.c: the robots of a fleet. */
hed_field_read mppi_scene_read_robots;
extern const hed_fields mppi_robot_fields;
/* scene_world.c: tables, the map, obstacles and the path. */
hed_field_read mppi_scene_read_tables, mppi_scene_read_map, mppi_scene_read_obstacles,
    mppi_scene_read_path;
/* Reads a map; makes the tables that terms of the scene read of it. Returns their number. */
uint32_t mppi_scene_map_tables(
    mppi_scene_reader *reader, hed_json_node node, hed_mppi_table tables[2]);
/* Sets the tables that change with time to their start. */
void mppi_scene_start_world(mppi_scene_reader *reader);
extern const hed_fields mppi_map_fields, mppi_obstacle_fields, mppi_path_fields;

#endif
