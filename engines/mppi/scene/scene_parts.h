/* What the parts of the scene loader share. Readers go straight through the document: the first thing
 * that is wrong is kept (scene_reject, hed_json_*), and from then on they give 0 or NULL and do
 * nothing; the loader asks once, at its end. */
#ifndef MPPI_SCENE_PARTS_H
#define MPPI_SCENE_PARTS_H

#include "heddle/author.h"
#include "heddle/mppi_scene.h"
#include "support/json.h"

/* The keys that the loader knows at each place, each list ending with NULL; the schema has the same. */
typedef struct mppi_scene_keys {
    const char *name; /* the schema's: "" for the whole, else of a definition */
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
    bool closed;         /* from the last point to the first, for ever; else it stops */
    const float *path;   /* (segments x HED_MPPI_PATH_SEGMENT); segments 0: it stands */
    uint32_t segments;
    float at[2]; /* where it begins */
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
    /* what changes as time goes on */
    uint32_t obstacle_count;
    const mppi_scene_obstacle *obstacles;
    const float *path;              /* the whole */
    uint32_t path_segments, window; /* of the part that lies ahead */
    bool path_closed;
    float *obstacle_table, *path_table;
    uint32_t
        place; /* segment of the path where the state was last; UINT32_MAX: not looked for yet */
    hed_mppi_table live[2];
};

typedef struct mppi_scene_reader {
    hed_mppi_scene *scene;
    hed_json *json;
    const char *folder;
    hed_error error; /* of files; of the document: the document's */
} mppi_scene_reader;

bool mppi_scene_fine(const mppi_scene_reader *reader);
/* Memory of the scene; NULL where there is none, or something was wrong before. */
void *mppi_scene_new(mppi_scene_reader *reader, uint64_t count, size_t size);
/* A path beside the scene's file; "" where something is wrong. */
const char *mppi_scene_path(mppi_scene_reader *reader, hed_json_node node);
const char *mppi_scene_text(mppi_scene_reader *reader, const char *text);
/* A member that may be missing. */
double mppi_scene_number(
    hed_json_node object, const char *key, double otherwise, double low, double high);
bool mppi_scene_boolean(hed_json_node object, const char *key, bool otherwise);
/* A table for the controller; `values` lives as long as the scene. */
void mppi_scene_add_table(mppi_scene_reader *reader, hed_json_node place, const char *name,
    const float *values, uint64_t count);
/* Whether the model or a term reads a table of this name. */
bool mppi_scene_reads(const hed_mppi_scene *scene, const char *table);

/* Place of a name among `count`; `count` where it is none of them, with an error. */
uint32_t mppi_scene_find_name(mppi_scene_reader *reader, hed_json_node node, const char *what,
    const char *const *names, uint32_t count, const char *typed);

/* scene_run.c: what is said of states, all in order or some by name; of controls; and the run. */
void mppi_scene_read_states(mppi_scene_reader *reader, hed_json_node node, float *values);
void mppi_scene_read_controls(mppi_scene_reader *reader, hed_json_node object);
void mppi_scene_read_run(mppi_scene_reader *reader, hed_json_node node);
extern const char *const mppi_scene_keys_control[],
    *const mppi_scene_keys_run[], *const mppi_scene_keys_plant[], *const mppi_scene_keys_push[];

/* scene_world.c: tables, map, obstacles, path. */
void mppi_scene_read_world(mppi_scene_reader *reader, hed_json_node root);
extern const char *const mppi_scene_keys_map[], *const mppi_scene_keys_obstacle[],
                                                    *const mppi_scene_keys_path[];

#endif
