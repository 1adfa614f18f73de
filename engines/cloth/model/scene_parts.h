/* What the parts of the scene loader share: the object they fill, its memory, complaints with a
 * place, and what moves. Readers go straight through the document: the first thing that is wrong is
 * kept (hed_json_*), and from then on they give 0 or NULL and do nothing;
 * hed_cloth_scene_parse() asks once, at its end.
 *
 * Everything in here is in metres and in the scene's axes; the file's unit is gone as soon as a
 * number is read. */
#ifndef CLOTH_SCENE_PARTS_H
#define CLOTH_SCENE_PARTS_H

#include "heddle/cloth_scene.h"
#include "support/json.h"

/* The keys that the loader knows at each place. */
typedef struct cloth_scene_key_list {
    const char *name;           /* the schema's: "" for the whole, else of a definition */
    const char *const keys[48]; /* end with NULL */
} cloth_scene_key_list;
extern const cloth_scene_key_list cloth_scene_key_lists[]; /* ends with NULL */
/* Those of a place. */
const char *const *cloth_scene_keys(const char *name);

enum {
    CLOTH_SCENE_PARTICLES = 1 << 24, /* of all garments, and of a shape 1 << 22 */
    CLOTH_SCENE_SHAPE = 1 << 22,
    CLOTH_SCENE_GARMENTS = 4096,
    CLOTH_SCENE_COLLIDERS = 1024,
    CLOTH_SCENE_KEYS = 100000 /* of a motion */
};

/* m: no coordinate or length is beyond, so that whatever moves stays within what the solver
 * takes. */
#define CLOTH_SCENE_FAR 1e4
#define CLOTH_SCENE_MUCH 1e6 /* s, degrees */

/* ---- what moves ---- */

/* A rigid motion: p becomes turn p + move. */
typedef struct cloth_pose {
    double turn[9]; /* row by row */
    double move[3]; /* m */
} cloth_pose;

typedef struct cloth_key {
    double time;    /* s */
    double move[3]; /* m */
    double axis[3]; /* of length 1 */
    double angle;   /* rad */
} cloth_key;

/* Keyframes, and a turning without end on top. All zero: stays where it is. */
typedef struct cloth_motion {
    uint32_t key_count;
    const cloth_key *keys; /* (key_count) by time */
    bool loop;
    double centre[3];          /* m, of the turns */
    double spin_axis[3], spin; /* rad/s */
} cloth_motion;

/* Positions over time. sample_count 0: none. */
typedef struct cloth_sequence {
    uint32_t sample_count;
    float *samples; /* (sample_count x vertices x 3) m, placed */
    double rate;    /* samples a second */
    bool loop;
} cloth_sequence;

/* A mesh that cannot be pushed: a collider, or what drives a garment. */
typedef struct cloth_body {
    uint32_t vertex_count, triangle_count;
    const float *rest;         /* (vertex_count x 3) m, placed */
    const uint32_t *triangles; /* (triangle_count x 3) */
    cloth_sequence sequence;
    cloth_motion motion;
    float *now;     /* (vertex_count x 3) m, where it was last asked for */
    float *normals; /* (vertex_count x 3) likewise; NULL: not needed */
} cloth_body;

/* Where a particle hangs on a driver's surface. */
typedef struct cloth_hold {
    uint32_t triangle;
    float weight[3]; /* of its corners */
    float offset[3]; /* m, along the first edge, the normal, and across both */
} cloth_hold;

/* ---- the scene ---- */

/* Pinned particles that move by themselves. */
typedef struct cloth_pins {
    uint32_t count;
    const uint32_t *particles;
    cloth_motion motion;
} cloth_pins;

/* What is written to files is multiplied with: (count x 3 x 4) row by row in the scene's unit, one for
 * each sample, of which the last holds on; count 0: nothing. */
typedef struct cloth_output {
    uint32_t count;
    const double *matrices;
} cloth_output;

typedef struct cloth_scene_garment {
    const char *name;
    const char *file;             /* of the mesh; NULL: a shape */
    const hed_cloth_mesh *mesh;   /* one for all of an array */
    const uint32_t *particle_of;  /* (vertices) */
    const uint32_t *first_vertex; /* (particles) */
    const float *positions;       /* (particles x 3) m, at the start */
    double placing[12];           /* from the mesh to there */
    hed_cloth_garment_def def;
    float colour[3];
    float shift[3];          /* m, of this one in its array */
    cloth_body *driver;      /* NULL: only moving pins, if any */
    const cloth_hold *holds; /* (particles) NULL: the driver's vertices are the particles */
    uint32_t pins_count;
    const cloth_pins *pins; /* (pins_count) those that have a motion */
    const bool *still;      /* (particles) pins that do not follow the driver; NULL: none */
    cloth_output output;
} cloth_scene_garment;

typedef enum cloth_obstacle_kind {
    CLOTH_OBSTACLE_PLANE,
    CLOTH_OBSTACLE_SPHERE,
    CLOTH_OBSTACLE_CAPSULE,
    CLOTH_OBSTACLE_MESH
} cloth_obstacle_kind;

typedef struct cloth_obstacle {
    cloth_obstacle_kind kind;
    const char *name;
    hed_cloth_collider simple; /* at rest */
    cloth_motion motion;       /* of simple ones */
    cloth_body *body;          /* of a mesh */
    float friction;
    float colour[3];
    cloth_body shown; /* what to draw: made of simple ones, in `now` in the scene's unit */
} cloth_obstacle;

struct hed_cloth_scene {
    struct cloth_block *blocks;
    double unit; /* m */
    hed_cloth_def def;
    double rate;
    uint32_t frames;
    double gravity[3], gust;
    uint32_t wind_count; /* 0: none */
    const double *winds; /* (wind_count x 3) m/s, one for each frame, of which the last holds on */
    uint32_t garment_count;
    cloth_scene_garment *garments;
    hed_cloth_garment_def *garment_defs; /* the same, one behind another */
    uint32_t particle_count;             /* with copies */
    uint32_t mesh_count;
    hed_cloth_mesh **meshes; /* to free */
    uint32_t obstacle_count;
    cloth_obstacle *obstacles;
    hed_cloth_camera camera; /* in the scene's unit */
    cloth_output output;     /* of garments that have none */
    /* of the frame last asked for */
    float *driver_positions, *driver_normals; /* (particle_count x 3) NULL: nothing is driven */
    hed_cloth_collider *colliders;
    hed_cloth_mesh_collider *mesh_colliders;
    bool carried; /* the garments' frame of reference moves */
    cloth_motion carrier;
    float carrier_motion[16]; /* column by column */
    float transform[16];      /* metres to the scene's unit */
};

/* One load. */
typedef struct cloth_scene_reader {
    hed_cloth_scene *scene;
    hed_json *json;
    const char *folder; /* where files are looked for */
    const hed_cloth_scene_options *options;
} cloth_scene_reader;

/* ---- complaints, memory, plain values (scene_parts.c) ---- */

bool cloth_scene_fine(const cloth_scene_reader *reader);
/* One line to the caller's warn(). */
void cloth_scene_warn(const cloth_scene_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Whether a call that was handed `error` failed, which is then the complaint about a node. */
bool cloth_scene_failed(hed_json_node node, const hed_error *error);
/* `count` zeroed elements that live as long as the scene; NULL after a complaint. */
void *cloth_scene_allocate(
    cloth_scene_reader *reader, hed_json_node node, uint64_t count, size_t size);
void cloth_scene_free_blocks(hed_cloth_scene *scene);
const char *cloth_scene_text(cloth_scene_reader *reader, hed_json_node node, const char *format,
    ...) __attribute__((format(printf, 3, 4)));
/* Where a file that the scene names is. */
const char *cloth_scene_path(cloth_scene_reader *reader, hed_json_node node);

/* A member if it is there: its number, else `otherwise`. */
double cloth_scene_number(
    hed_json_node object, const char *key, double otherwise, double low, double high);
uint32_t cloth_scene_integer(
    hed_json_node object, const char *key, uint32_t otherwise, uint32_t low, uint32_t high);
bool cloth_scene_boolean(hed_json_node object, const char *key, bool otherwise);
/* The same for lengths and points in the scene's unit: metres come out. */
double cloth_scene_length(cloth_scene_reader *reader, hed_json_node object, const char *key,
    double otherwise, double low);
void cloth_scene_point(cloth_scene_reader *reader, hed_json_node node, double point[3]);
/* Whether `count` points are near enough, and finite; else the complaint, about vertex number so
 * and so of `what`. */
bool cloth_scene_check_near(
    hed_json_node node, const char *what, const float *points, size_t count);
/* "x", "-z" or three numbers: of length 1. */
void cloth_scene_direction(cloth_scene_reader *reader, hed_json_node node, double direction[3]);
void cloth_scene_colour(hed_json_node object, float rgb[3]);
/* The one of these members that is there (NULL-terminated list): its number; a complaint if there
 * are none or several. */
uint32_t cloth_scene_one_of(hed_json_node object, const char *const *keys);

/* ---- motion (scene_motion.c) ---- */

void cloth_pose_apply(const cloth_pose *pose, const float *from, float *to, uint32_t count);
bool cloth_motion_is_still(const cloth_motion *motion);
cloth_pose cloth_motion_at(const cloth_motion *motion, double time);
void cloth_axis_turn(const double axis[3], double angle, double turn[9]);
/* "spin": `spin_axis` and `spin`. */
void cloth_scene_read_spin(cloth_scene_reader *reader, hed_json_node spin, cloth_motion *motion);
void cloth_scene_read_motion(cloth_scene_reader *reader, hed_json_node node, cloth_motion *motion);
/* "transform" of an object, if it is there: scale, rotate, move; in metres. `matrix`: (3 x 4) row
 * by row. */
void cloth_scene_read_transform(
    cloth_scene_reader *reader, hed_json_node object, double matrix[12]);
/* "output_matrix" of an object, if it is there. */
cloth_output cloth_scene_read_output(cloth_scene_reader *reader, hed_json_node object);
void cloth_scene_place(const double matrix[12], const float *from, float *to, uint32_t count);

/* ---- sequences (scene_motion.c) ---- */

void cloth_scene_read_sequence(cloth_scene_reader *reader, hed_json_node node,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence);
/* `positions` (vertex_count x 3) at a time from 0 on. */
void cloth_sequence_at(
    const cloth_sequence *sequence, uint32_t vertex_count, double time, float *positions);

/* ---- meshes and bodies (scene_body.c) ---- */

/* A mesh file, mended where that is asked for, sound; NULL after a complaint. Belongs to the
 * scene. */
const hed_cloth_mesh *cloth_scene_read_mesh(
    cloth_scene_reader *reader, hed_json_node file, bool mend);
/* Gives a mesh to the scene; its arrays are freed in any case. NULL after a complaint. */
hed_cloth_mesh *cloth_scene_own_mesh(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh);
/* Triangles of a mesh, polygons cut from their first corner; `particle_of` NULL: as they are. */
const uint32_t *cloth_scene_triangles(cloth_scene_reader *reader, hed_json_node node,
    const hed_cloth_mesh *mesh, const uint32_t *particle_of, bool without_quads, uint32_t *count);
/* "mesh", "transform", "sequence", "motion", "mend" of an object. */
cloth_body *cloth_scene_read_body(cloth_scene_reader *reader, hed_json_node object, bool normals);
/* Puts `now` and `normals` where they are at a time. */
void cloth_body_move(cloth_body *body, double time);
/* Holds points to the nearest places of a body at rest (scene_hold.c). */
const cloth_hold *cloth_body_hold(cloth_scene_reader *reader, hed_json_node node,
    const cloth_body *body, const float *points, uint32_t count);
/* Where a held point is now, and the body's normal there (NULL: not asked for). */
void cloth_body_follow(
    const cloth_body *body, const cloth_hold *hold, float point[3], float normal[3]);

/* ---- what the document holds ---- */

extern const char *const cloth_shape_keys[]; /* "mesh", "grid", "disc", "sleeve", "skirt" */
/* One of them but the first as a mesh, in the scene's unit. Grids tell their size,
        and folded ones have `*rest` (vertices x 3), m, not placed
 * (scene_shape.c). */
void cloth_scene_read_shape(cloth_scene_reader *reader, hed_json_node garment, uint32_t shape,
    cloth_scene_garment *made, float **rest);
/* scene_garment.c */
void cloth_scene_read_garments(cloth_scene_reader *reader, hed_json_node list);
/* A painted map by particle; NULL where the object has none of that name. `unit` turns its numbers
 * into the map's own (scene_maps.c). */
const float *cloth_scene_read_map(cloth_scene_reader *reader, hed_json_node object, const char *key,
    const cloth_scene_garment *made, double unit, double low, double high);
/* Pins, driver and painted maps of a garment whose mesh and particles are there (scene_maps.c). */
void cloth_scene_read_driver(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *made);
void cloth_scene_read_maps(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *made);
/* "sewing" of a garment whose mesh and particles are there. */
void cloth_scene_read_sewing(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *made);
/* Sets inverse masses of pinned particles to 0. */
void cloth_scene_read_pins(cloth_scene_reader *reader, hed_json_node garment, float *inverse_masses,
    cloth_scene_garment *made);
/* scene_obstacle.c */
void cloth_scene_read_obstacles(cloth_scene_reader *reader, hed_json_node root);
/* scene_show.c: where the garments are at the start, m; a camera that sees everything, then what
 * the file says of it. */
void cloth_scene_bounds(const hed_cloth_scene *scene, double low[3], double high[3]);
void cloth_scene_read_camera(cloth_scene_reader *reader, hed_json_node root);
/* Puts the shapes to show where they are at a time. */
void cloth_scene_show(hed_cloth_scene *scene, double time);

#endif
