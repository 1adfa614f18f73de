/* Scene loader: data and functions common to its files: the object that they fill, its memory,
 * errors with a position, and motions. Readers go straight through the document: the first error
 * is kept (hed_json_*), and from then on readers return 0 or NULL and do nothing;
 * hed_cloth_scene_parse() checks once, at its end.
 *
 * All lengths here are in metres and in the scene's axes; a reader converts from the file's unit
 * as soon as it reads a number. */
#ifndef CLOTH_SCENE_PARTS_H
#define CLOTH_SCENE_PARTS_H

#include "heddle/cloth_scene.h"
#include "support/fields.h"

/* Keys of scene files; scene.schema.json and the tables of docs/cloth-scene.md are made from
 * them. */
extern const hed_document cloth_scene_document;

enum {
    CLOTH_SCENE_PARTICLES = 1 << 24, /* limit for all garments; for one shape: CLOTH_SCENE_SHAPE */
    CLOTH_SCENE_SHAPE = 1 << 22,
    CLOTH_SCENE_GARMENTS = 4096,
    CLOTH_SCENE_COLLIDERS = 1024,
    CLOTH_SCENE_KEYS = 100000 /* limit for one motion */
};

/* Limit of coordinates and lengths, m: everything that moves stays within the solver's limits. */
#define CLOTH_SCENE_FAR 1e4
#define CLOTH_SCENE_MUCH 1e6    /* s, degrees */
#define CLOTH_SCENE_LEAST 1e-12 /* smallest length above 0 in any unit */

/* Rows of tables of fields (support/fields.h), whose readers take the cloth_scene_reader as `user`.
 * Lengths and points become metres; places and extents stay in the scene's unit. */
hed_field_read cloth_read_length, cloth_read_point, cloth_read_place, cloth_read_extent,
    cloth_read_direction;
#define CLOTH_LENGTH(type, member, least) \
    HED_AS_NUMBER(type, member, least, HED_FIELD_ANY, NULL), .read = cloth_read_length
#define CLOTH_EXTENT(type, member) \
    HED_AS_NUMBER(type, member, CLOTH_SCENE_LEAST, HED_FIELD_ANY, NULL), .read = cloth_read_extent
#define CLOTH_POINT(type, member) HED_MEMBER(type, member), HED_AS_OTHER("point", cloth_read_point)
#define CLOTH_PLACE(type, member) HED_MEMBER(type, member), HED_AS_OTHER("point", cloth_read_place)
#define CLOTH_DIRECTION(type, member) \
    HED_MEMBER(type, member), HED_AS_OTHER("direction", cloth_read_direction)
#define CLOTH_COLOUR(type) HED_AS_VECTOR(type, colour, 3, 0, 1, NULL)

/* ---- motions ---- */

/* Rigid motion: p becomes turn p + move. */
typedef struct cloth_pose {
    double turn[9]; /* row by row */
    double move[3]; /* m */
} cloth_pose;

typedef struct cloth_key {
    double time;    /* s */
    double move[3]; /* m */
    double axis[3]; /* unit vector */
    double angle;   /* rad */
    /* jump: the position before stays until `time`, and cloth jumps along */
    bool teleport;
} cloth_key;

/* Motion: keyframes, and a continuous rotation on top of them. All zero: no motion. */
typedef struct cloth_motion {
    uint32_t key_count;
    const cloth_key *keys; /* (key_count) by time */
    bool loop;
    double centre[3];          /* centre of the rotations, m */
    double spin_axis[3], spin; /* rad/s */
} cloth_motion;

/* Positions over time. sample_count 0: no positions. */
typedef struct cloth_sequence {
    uint32_t sample_count;
    float *samples; /* (sample_count x vertices x 3) m, transformed */
    double rate;    /* samples a second */
    bool loop;
    uint32_t teleport_count;
    const double *teleports; /* (teleport_count) times of jumps, s */
} cloth_sequence;

/* Fan of a scene: its jet at rest, and its motion. */
typedef struct cloth_scene_fan {
    double position[3], direction[3]; /* m; of length 1 */
    double radius, speed;             /* m, m/s */
    double spread;                    /* rad: half the jet's angle */
    cloth_motion motion;
} cloth_scene_fan;

/* Mesh that nothing pushes: a collider, or the driver of a garment. */
typedef struct cloth_body {
    uint32_t vertex_count, triangle_count;
    const float *rest;         /* (vertex_count x 3) m, transformed */
    const uint32_t *triangles; /* (triangle_count x 3) */
    cloth_sequence sequence;
    cloth_motion motion;
    float *start;   /* (vertex_count x 3) positions at time 0, m; NULL: not a collider */
    float *now;     /* (vertex_count x 3) positions at the time last requested, m */
    float *normals; /* (vertex_count x 3) normals at that time; NULL: not needed */
    float *before; /* (vertex_count x 3) positions before a jump, m; NULL: no jumps in `sequence` */
} cloth_body;

/* Position of a particle relative to a driver's surface. */
typedef struct cloth_hold {
    uint32_t triangle;
    float weight[3]; /* weights of the triangle's corners */
    float offset[3]; /* along the first edge, the normal, and the cross product of the two, m */
} cloth_hold;

/* ---- the scene ---- */

/* Pinned particles that move by themselves. */
typedef struct cloth_pins {
    uint32_t count;
    const uint32_t *particles;
    cloth_motion motion;
} cloth_pins;

/* Matrices for the positions written to files: (count x 3 x 4) row by row in the scene's unit,
 * one for each sample; the last applies to all later samples. count 0: no matrix. */
typedef struct cloth_output {
    uint32_t count;
    const double *matrices;
} cloth_output;

typedef struct cloth_scene_garment {
    const char *name;
    const char *file;             /* file of the mesh; NULL: a shape */
    const hed_cloth_mesh *mesh;   /* one mesh for all garments of an array */
    const uint32_t *particle_of;  /* (vertices) */
    const uint32_t *first_vertex; /* (particles) */
    const float *positions;       /* (particles x 3) m, at the start */
    double placing[12];           /* matrix from the mesh to `positions` */
    hed_cloth_garment_def def;
    float colour[3];
    float shift[3];          /* shift of this garment in its array, m */
    cloth_body *driver;      /* NULL: moving pins at most */
    const cloth_hold *holds; /* (particles) NULL: the driver's vertices are the particles */
    uint32_t pins_count;
    const cloth_pins *pins; /* (pins_count) pins that have a motion */
    const bool *still;      /* (particles) pins that do not follow the driver; NULL: no such pins */
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
    hed_cloth_collider simple; /* plane, sphere or capsule, at rest */
    cloth_motion motion;       /* motion of `simple` */
    cloth_body *body;          /* body of a mesh */
    float friction;
    float colour[3];
    cloth_body shown; /* body to draw: made from `simple`; `now` is in the scene's unit */
} cloth_obstacle;

struct hed_cloth_scene {
    struct cloth_block *blocks;
    double unit; /* m */
    hed_cloth_def def;
    double rate;
    uint32_t frames;
    double gravity[3], gust;
    uint32_t wind_count; /* 0: no wind */
    /* (wind_count x 3) m/s, one for each frame; the last applies to all later frames */
    const double *winds;
    uint32_t fan_count;
    const cloth_scene_fan *fans; /* (fan_count) */
    hed_cloth_fan *jets;         /* (fan_count) at the time last requested */
    hed_cloth_wind_grid grid;    /* def.wind_grid points to it */
    uint32_t garment_count;
    cloth_scene_garment *garments;
    hed_cloth_garment_def *garment_defs; /* the definitions of `garments`, in one array */
    uint32_t particle_count;             /* number of particles, copies included */
    uint32_t mesh_count;
    hed_cloth_mesh **meshes; /* meshes to free */
    uint32_t obstacle_count;
    cloth_obstacle *obstacles;
    hed_cloth_camera camera; /* camera, lengths in the scene's unit */
    cloth_output output;     /* output of garments that have no output of their own */
    /* values of the frame last requested */
    float *driver_positions, *driver_normals; /* (particle_count x 3) NULL: nothing is driven */
    hed_cloth_collider *colliders, *collider_starts;
    hed_cloth_mesh_collider *mesh_colliders;
    bool carried; /* the garments' frame of reference moves */
    cloth_motion carrier;
    float carrier_motion[16]; /* column by column */
    float *teleports; /* (garment_count x 16) column by column; NULL: nothing in the scene jumps */
    float transform[16]; /* metres to the scene's unit */
};

/* One load of a scene. */
typedef struct cloth_scene_reader {
    hed_cloth_scene *scene;
    hed_json *json;
    const char *folder; /* folder of files that the scene names */
    const hed_cloth_scene_options *options;
} cloth_scene_reader;

/* ---- complaints, memory, plain values (scene_parts.c) ---- */

bool cloth_scene_fine(const cloth_scene_reader *reader);
/* Sends one line to the caller's warn(). */
void cloth_scene_warn(const cloth_scene_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* True if a call with `error` failed; its error then becomes the error about a node. */
bool cloth_scene_failed(hed_json_node node, const hed_error *error);
/* Allocates `count` zeroed elements that live as long as the scene; NULL: an error is recorded. */
void *cloth_scene_allocate(
    cloth_scene_reader *reader, hed_json_node node, uint64_t count, size_t size);
void cloth_scene_free_blocks(hed_cloth_scene *scene);
const char *cloth_scene_text(cloth_scene_reader *reader, hed_json_node node, const char *format,
    ...) __attribute__((format(printf, 3, 4)));
/* Makes the path of a file that the scene names. */
const char *cloth_scene_path(cloth_scene_reader *reader, hed_json_node node);

/* Reads the integer of a member; `otherwise` if the member is absent. */
uint32_t cloth_scene_integer(
    hed_json_node object, const char *key, uint32_t otherwise, uint32_t low, uint32_t high);
bool cloth_scene_boolean(hed_json_node object, const char *key, bool otherwise);
/* Reads a point in the scene's unit; returns metres. */
void cloth_scene_point(cloth_scene_reader *reader, hed_json_node node, double point[3]);
/* Checks that `count` points are finite and within CLOTH_SCENE_FAR; else records an error with
 * the number of the vertex. */
bool cloth_scene_check_near(
    hed_json_node node, const char *what, const float *points, size_t count);
/* Reads "x", "-z" or three numbers as a direction of length 1. */
void cloth_scene_direction(cloth_scene_reader *reader, hed_json_node node, double direction[3]);

/* ---- motion (scene_motion.c) ---- */

void cloth_pose_apply(const cloth_pose *pose, const float *from, float *to, uint32_t count);
bool cloth_motion_is_still(const cloth_motion *motion);
cloth_pose cloth_motion_at(const cloth_motion *motion, double time);
/* Slack of the times of jumps, s: a jump counts as reached this early, since frames have times that
 * are quotients. */
#define CLOTH_JUMP_SLACK 1e-9
/* True if the motion jumps after `from`, and not after `to`, s (scene_jump.c). */
bool cloth_motion_jumps(const cloth_motion *motion, double from, double to);
bool cloth_body_jumps(const cloth_body *body, double from, double to);
/* Computes the matrices by which garments jump in a frame into scene->teleports. False: no
 * garment jumps. */
bool cloth_scene_jumps(hed_cloth_scene *scene, double from, double to);
/* True if some motion or sequence of the scene jumps at some time. */
bool cloth_scene_has_jumps(const hed_cloth_scene *scene);
void cloth_axis_turn(const double axis[3], double angle, double turn[9]);
/* Spin: `spin_axis` and `spin` of a cloth_motion. */
extern const hed_fields cloth_spin_fields, cloth_motion_fields, cloth_key_fields,
    cloth_transform_fields, cloth_turn_fields, cloth_sequence_fields;
void cloth_scene_read_motion(cloth_scene_reader *reader, hed_json_node node, cloth_motion *motion);
/* Reads "transform" of an object, if present: scale, rotate, move; in metres. `matrix`: (3 x 4)
 * row by row. */
void cloth_scene_read_transform(
    cloth_scene_reader *reader, hed_json_node object, double matrix[12]);
/* Reads "output_matrix" of an object, if present. */
cloth_output cloth_scene_read_output(cloth_scene_reader *reader, hed_json_node object);
void cloth_scene_place(const double matrix[12], const float *from, float *to, uint32_t count);

/* ---- wind (scene_wind.c) ---- */

hed_field_read cloth_scene_read_wind;
/* Sets the wind of a frame: its velocity, gusts, and the fans at its end. */
void cloth_scene_blow(hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame);
/* Reads the `count` numbers of a text file; `each`: their meaning, such as "one for each vertex"
 * (scene_hold.c). */
float *cloth_scene_read_numbers(
    cloth_scene_reader *reader, hed_json_node node, uint32_t count, const char *each);

/* ---- sequences (scene_motion.c) ---- */

void cloth_scene_read_sequence(cloth_scene_reader *reader, hed_json_node node,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence);
/* Computes `positions` (vertex_count x 3) at a time from 0 on. */
void cloth_sequence_at(
    const cloth_sequence *sequence, uint32_t vertex_count, double time, float *positions);

/* ---- meshes and bodies (scene_body.c) ---- */

/* Reads the "mesh" of an object, repairs it by "mend", and checks it; NULL: an error is recorded. The
 * mesh belongs to the scene. */
const hed_cloth_mesh *cloth_scene_read_mesh(cloth_scene_reader *reader, hed_json_node object);
/* Moves a mesh to the scene; its arrays are freed in any case. NULL: an error is recorded. */
hed_cloth_mesh *cloth_scene_own_mesh(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh);
/* Gives each corner of a garment that tears a vertex of its own, after all that counts vertices of
 * the file was read (scene_tear.c). */
void cloth_scene_split_faces(
    cloth_scene_reader *reader, hed_json_node node, cloth_scene_garment *result);
/* Makes the triangles of a mesh; polygons are cut from their first corner. `particle_of` NULL:
 * vertices are particles. */
const uint32_t *cloth_scene_triangles(cloth_scene_reader *reader, hed_json_node node,
    const hed_cloth_mesh *mesh, const uint32_t *particle_of, bool without_quads, uint32_t *count);
/* Reads "mesh", "transform", "sequence", "motion", "mend" of an object. */
cloth_body *cloth_scene_read_body(cloth_scene_reader *reader, hed_json_node object, bool normals);
/* Allocates `before` of a body whose sequence jumps. */
void cloth_body_make_jumps(cloth_scene_reader *reader, hed_json_node node, cloth_body *body);
/* Computes `now` and `normals` at a time. */
void cloth_body_move(cloth_body *body, double time);
/* Finds the nearest points of a body at rest, which hold the given points (scene_hold.c). */
const cloth_hold *cloth_body_hold(cloth_scene_reader *reader, hed_json_node node,
    const cloth_body *body, const float *points, uint32_t count);
/* Computes the current position of a held point, and the body's normal there (NULL: not needed). */
void cloth_body_follow(
    const cloth_body *body, const cloth_hold *hold, float point[3], float normal[3]);

/* ---- parts of the document ---- */

extern const hed_fields cloth_wind_fields, cloth_fan_fields, cloth_wind_grid_fields;
extern const hed_fields cloth_camera_fields, cloth_garment_fields;
extern const hed_fields cloth_grid_fields, cloth_disc_fields, cloth_sleeve_fields,
    cloth_skirt_fields, cloth_ground_fields, cloth_collider_fields, cloth_plane_fields,
    cloth_sphere_fields, cloth_capsule_fields; /* scene_shape.c */
extern const hed_fields cloth_driver_fields, cloth_map_fields, cloth_pin_fields, cloth_box_fields,
    cloth_sewing_fields, cloth_seam_fields; /* scene_hold.c */
extern const hed_fields cloth_materials_fields, cloth_material_fields, cloth_fabric_fields,
    cloth_tethers_fields, cloth_array_fields, cloth_inertia_fields; /* scene_garment.c */
extern const char *const cloth_shape_keys[]; /* "mesh", "grid", "disc", "sleeve", "skirt" */
/* Reads one of these shapes, except "mesh", as a mesh in the scene's unit (scene_shape.c). Grids
 * set their size, and folded grids have `*rest` (vertices x 3), m, not transformed. */
void cloth_scene_read_shape(cloth_scene_reader *reader, hed_json_node garment, uint32_t shape,
    cloth_scene_garment *result, float **rest);
/* scene_garment.c: reads the garments. */
hed_field_read cloth_scene_read_garments;
/* Reads a painted map by particle (scene_hold.c); NULL if the object has no map of that name.
 * `unit` converts its numbers to the map's unit. */
const float *cloth_scene_read_map(cloth_scene_reader *reader, hed_json_node object, const char *key,
    const cloth_scene_garment *result, double unit, double low, double high);
/* Reads pins, driver and painted maps of a garment whose mesh and particles are complete
 * (scene_hold.c). */
void cloth_scene_read_driver(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result);
void cloth_scene_read_maps(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result);
/* Reads "sewing" of a garment whose mesh and particles are complete. */
void cloth_scene_read_sewing(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result);
/* scene_borders.c: warns of panels that touch and are not joined, unless the file says how. */
void cloth_scene_warn_of_borders(
    cloth_scene_reader *reader, hed_json_node node, const cloth_scene_garment *garment);
/* scene_sizes.c: warn of a mesh whose size hints at a wrong unit. */
void cloth_scene_warn_of_garment_size(
    const cloth_scene_reader *reader, const cloth_scene_garment *garment);
void cloth_scene_warn_of_body_size(
    const cloth_scene_reader *reader, const cloth_obstacle *obstacle, const char *file);
/* Sets inverse masses of pinned particles to 0. */
void cloth_scene_read_pins(cloth_scene_reader *reader, hed_json_node garment, float *inverse_masses,
    cloth_scene_garment *result);
/* scene_shape.c: reads the obstacles. */
void cloth_scene_read_obstacles(cloth_scene_reader *reader, hed_json_node root);
/* scene_body.c: computes the bounds of the garments at the start, m; reads the camera, by
 * default one that sees everything. */
void cloth_scene_bounds(const hed_cloth_scene *scene, double low[3], double high[3]);
void cloth_scene_read_camera(cloth_scene_reader *reader, hed_json_node root);
/* Moves the shapes to draw to their positions at a time. */
void cloth_scene_show(hed_cloth_scene *scene, double time);

#endif
