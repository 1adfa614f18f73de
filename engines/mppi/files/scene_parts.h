/* Declarations common to the parts of the scene loader. Readers process the document without
 * checking for errors: the first error is kept (scene_reject, hed_json_*), after it every reader
 * returns 0 or NULL and does nothing, and the loader tests for an error once, at its end. */
#ifndef MPPI_SCENE_PARTS_H
#define MPPI_SCENE_PARTS_H

#include "heddle/author.h"
#include "heddle/mppi_scene.h"
#include "support/json.h"

/* Keys of an object of the document, ending with NULL; the schema has the same keys. */
typedef struct mppi_scene_keys {
    const char *name; /* the schema's: "" for the document, else the name of a definition */
    const char *const *keys;
} mppi_scene_keys;
extern const mppi_scene_keys mppi_scene_key_lists[]; /* ends with NULL */

enum {
    MPPI_SCENE_OBSTACLES = 1024,
    MPPI_SCENE_POINTS = 1 << 16,
    MPPI_SCENE_PUSHES = 4096,
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
} mppi_scene_obstacle;

struct hed_mppi_scene {
    hed_arena arena;
    hed_mppi_def def;
    hed_mppi_model model;
    hed_mppi_term terms[HED_MPPI_MAX_TERMS];
    hed_mppi_table tables[HED_MPPI_MAX_TABLES];
    hed_mppi_setting settings[HED_MPPI_MAX_PARAMETERS];
    float start[HED_MPPI_MAX_STATES];
    uint32_t run_steps;
    hed_mppi_plant plant;
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
    hed_error error; /* error of a file; errors of the document are kept in `json` */
} mppi_scene_reader;

bool mppi_scene_fine(const mppi_scene_reader *reader);
/* Allocates memory of the scene; NULL: out of memory, or an earlier error. */
void *mppi_scene_new(mppi_scene_reader *reader, uint64_t count, size_t size);
/* Returns a path relative to the scene's file; "" after an error. */
const char *mppi_scene_path(mppi_scene_reader *reader, hed_json_node node);
const char *mppi_scene_text(mppi_scene_reader *reader, const char *text);
/* Return an optional member, or `otherwise` if it is missing. */
double mppi_scene_number(
    hed_json_node object, const char *key, double otherwise, double low, double high);
bool mppi_scene_boolean(hed_json_node object, const char *key, bool otherwise);
/* Adds a table for the controller; `values` must live as long as the scene. */
void mppi_scene_add_table(mppi_scene_reader *reader, hed_json_node place, const char *name,
    const float *values, uint64_t count);
/* True if the model or a term reads a table of this name. */
bool mppi_scene_reads(const hed_mppi_scene *scene, const char *table);

/* Returns the index of a name among `count`; `count`, with an error, if it is not among them. */
uint32_t mppi_scene_find_name(mppi_scene_reader *reader, hed_json_node node, const char *what,
    const char *const *names, uint32_t count, const char *typed);

/* scene_run.c: reads values for states (all in order, or some by name), for controls, and the
 * run. */
void mppi_scene_read_states(mppi_scene_reader *reader, hed_json_node node, float *values);
void mppi_scene_read_controls(mppi_scene_reader *reader, hed_json_node object);
void mppi_scene_read_run(mppi_scene_reader *reader, hed_json_node node);
extern const char *const mppi_scene_keys_control[],
    *const mppi_scene_keys_run[], *const mppi_scene_keys_plant[], *const mppi_scene_keys_push[];

/* scene_world.c: reads tables, map, obstacles and path. */
void mppi_scene_read_world(mppi_scene_reader *reader, hed_json_node root);
extern const char *const mppi_scene_keys_map[], *const mppi_scene_keys_obstacle[],
                                                    *const mppi_scene_keys_path[];

#endif
