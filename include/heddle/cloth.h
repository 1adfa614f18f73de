/** @file cloth.h
 *  Cloth in real time: particles under time-corrected Verlet integration and coloured Gauss-Seidel
 *  projection of min/max distance constraints (position-based dynamics; XPBD compliance after
 *  Macklin, Müller and Chentanez 2016, small steps after Macklin et al. 2019). A hed_cloth has any
 *  number of garments that move together on one device, in one submission, or on several
 *  (hed_cloth_def.other_devices). A library of its own: heddle-cloth. Meshes, point caches and
 *  scene files: cloth_mesh.h, cloth_scene.h.
 *
 *  One frame is `substeps` times
 *
 *     integrate, tether, then `iterations` times { distance constraints set by set, collide, drive
 *     }, self-collide
 *
 *  and write-back at its end. Positions are kept in float relative to an origin that follows the
 *  cloth, so precision does not depend on the location in the world, as long as all its garments
 *  are near each other: distant garments belong in separate cloths. A frame's `transform` is
 *  applied in double: one that moves the scene to zero loses no precision. Units are metres,
 *  kilograms and seconds. A particle is a moving point; a vertex is a corner of the program's mesh
 *  and shows one particle.
 *
 *  Thread class of everything here, unless a function has its own: owner of the cloth. */
#ifndef HEDDLE_CLOTH_H
#define HEDDLE_CLOTH_H

#include "heddle/launch.h"
#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_cloth hed_cloth;

/* ---- the model: garments ---- */

/** Purpose of a constraint. */
typedef enum hed_cloth_family {
    HED_CLOTH_STRUCTURAL, /**< along the edges */
    HED_CLOTH_SHEAR,      /**< across a quad */
    HED_CLOTH_BEND,       /**< bending over a hinge, or to the neighbour after next on a grid */
    HED_CLOTH_FAMILY_COUNT
} hed_cloth_family;

/** Response of a constraint. Between rest * compress and rest * stretch it exerts no force. */
typedef struct hed_cloth_material {
    float compress;   /**< minimum length / rest length, 0 to 1 */
    float stretch;    /**< maximum length / rest length, at least 1 */
    float compliance; /**< compliance of the excess, m/N; 0: rigid */
} hed_cloth_material;

/** Constraint on the distance of two particles. */
typedef struct hed_cloth_constraint {
    uint32_t a, b;     /**< particles */
    float rest;        /**< rest length, m, above 0 */
    uint32_t material; /**< index of the material */
} hed_cloth_constraint;

/** Method that prevents cloth from passing through cloth. */
typedef enum hed_cloth_self_collision {
    HED_CLOTH_SELF_NONE,
    /** contacts of triangles and edges, which never cross, at any speed and thickness */
    HED_CLOTH_SELF_TRIANGLES,
    /** balls around particles, which cost less. If the thickness is below the longest edge, or the
     *  motion in a substep above the thickness, the cloth is thickened and slowed down, or
     *  passes */
    HED_CLOTH_SELF_BALLS,
    HED_CLOTH_SELF_COUNT
} hed_cloth_self_collision;

/** Stiffness of a fabric in SI units, independent of mesh, substeps and rate. The substeps limit
 *  the achieved stiffness: hed_cloth_stiffness_of(). */
typedef struct hed_cloth_fabric {
    float warp, weft; /**< tension / strain, with the other direction free, N/m, 1e-3 to 1e9 */
    float shear;      /**< force along an edge / (its length x angle), N/m, 1e-3 to 1e9 */
    /** moment / (width x curvature), bent along the warp or the weft, N m, 0 to 1e6; 0: limp.
     *  Stiffness of torsion is the root of their product */
    float bend_warp, bend_weft;
    float density; /**< kg/m^2; 0: the garment's */
    /** Poisson's ratio: contraction across / strain, pulled along the warp, 0 to 0.9; pulled along
     *  the weft it is weft / warp times that. poisson^2 x weft / warp is at most 0.9 */
    float poisson;
} hed_cloth_fabric;

/** hed_cloth_garment_def.layer of a garment that hed_cloth_lay() moves only if it begins within a
 *  body */
enum { HED_CLOTH_LAYER_AUTO = 1 << 30 };

/** One garment. Start from hed_default_cloth_garment_def(). Arrays are copied. */
typedef struct hed_cloth_garment_def {
    const char *name; /**< name in messages; NULL: "garment" */
    /* particles */
    uint32_t particle_count;
    const float *positions; /**< (particle_count x 3) start, m */
    /** (particle_count x 3) shape without forces, m; NULL: `positions` */
    const float *rest_positions;
    /** (particle_count) 1/kg; 0: locked; NULL: from `density` and the triangles, none locked */
    const float *inverse_masses;
    float density; /**< kg/m^2, used if inverse_masses is NULL */
    /* faces, for wind, normals and generated constraints */
    uint32_t triangle_count;
    /** (triangle_count x 3) particles, counter-clockwise from outside */
    const uint32_t *triangles;
    uint32_t quad_count;
    /** (quad_count x 4) particles, in order around, in addition to the triangles */
    const uint32_t *quads;
    /** Size of a regular grid whose particles are stored row after row: constraints and their sets
     *  then come from a formula. 0: no grid. grid_width * grid_height is particle_count, and
     *  `quads` are its cells, or empty: they are then generated. */
    uint32_t grid_width, grid_height;
    /* constraints */
    /** (constraint_count) all constraints; NULL: generated from the faces */
    const hed_cloth_constraint *constraints;
    uint32_t constraint_count;
    /** (material_count); NULL: one for each family, `family_material` */
    const hed_cloth_material *materials;
    uint32_t material_count;
    hed_cloth_material family_material[HED_CLOTH_FAMILY_COUNT];
    bool family[HED_CLOTH_FAMILY_COUNT]; /**< families that are generated from the faces */
    /** Stiffness in SI units, in place of the materials and families above, which depend on the
     *  mesh's spacing and the substeps. The garment bends from flat, for any `rest_positions`.
     *  NULL: none */
    const hed_cloth_fabric *fabric;
    /** direction of the warp in the rest shape; on a grid, along the rows. 0 0 0: y */
    float warp_axis[3];
    /** (particle_count) factor of warp, weft and shear, 1e-4 to 1e4; NULL: 1 */
    const float *stretch_scale;
    const float *bend_scale; /**< (particle_count) factor of bend_warp and bend_weft; NULL: 1 */
    /* tethers (long-range attachments, Kim, Chentanez and Müller 2012): to the nearest locked
     * particle along the cloth */
    bool tethers;
    /** maximum distance / distance along the cloth at rest; 1: no slack */
    float tether_slack;
    /** Tension is solved over the whole garment at once: by lattices of places over a grid or the
     *  flat parts of a mesh at rest, and along the lines of a grid, where few substeps then
     *  suffice. Only with 1 iteration; tethers are then not used. */
    bool lattices;
    /* Sewing: pairs of particles that are drawn together evenly from the start on, meet after
     * seam_seconds, and stay together. Until then each substep finds the planes of mesh colliders
     * again. */
    uint32_t seam_count;
    const uint32_t *seams; /**< (seam_count x 2) particles */
    float seam_seconds;    /**< s, 0 to 1e6 */
    /* Tearing. Edges that are too long at a submission's end open before the next one: a vertex at
     * their end splits. A garment that tears is a mesh, not a grid; its vertices are the corners of
     * its triangles, then those of its quads, so that their number never changes. It has 1 copy, no
     * lattices, driver, pressure or constraints of its own. The cloth waits for the device in each
     * hed_cloth_step(), and buffers of its vertices are new ones after a tear. */
    float
        tear; /**< (length - rest length) / rest length at which edges tear, 1e-4 to 1e4; 0: never */
    const float *tear_strength; /**< (particle_count) factor of `tear`, 1e-4 to 1e4; NULL: 1 */
    /* driver: position of each particle by skinning or keyframes
     * (hed_cloth_frame.driver_positions) */
    bool driven;
    /** (particle_count) radius of the ball around the driver, m; NULL or INFINITY: no limit; 0:
     *  locked */
    const float *max_distance;
    /** (particle_count) lower limit of the offset from the driver along its normal, m; NULL or
     *  -INFINITY: no backstop */
    const float *backstop_distance;
    /** (particle_count) radius of the backstop's sphere, m; NULL or 0: a plane */
    const float *backstop_radius;
    /** (particle_count) fraction of the distance to the driver that each substep removes, 0 to 1;
     *  NULL: 0 */
    const float *drive;
    const float *drive_stiffness; /**< (particle_count) stiffness of the ball, 0 to 1; NULL: 1 */
    /* motion */
    /** velocity at the start, m/s, and rad/s about the centre of mass */
    float velocity[3], angular_velocity[3];
    /** fraction of hed_cloth_frame.motion that the garment feels, 0 (it moves along without a
     *  force) to 1 (as if it were fixed in the world): of the translation of the frame's centre,
     *  and of the rotation about it */
    float linear_inertia, angular_inertia;
    /* surroundings */
    float damping; /**< fraction of the velocity lost in a second, 0 to below 1 */
    /** fraction of the vertical velocity lost in a second, in addition to `damping` */
    float vertical_damping;
    float drag, lift; /**< coefficients of air drag and lift; 0: no wind on this garment */
    /** pressure inside minus pressure outside, Pa, -1e6 to 1e6, of a closed mesh whose faces point
     *  outwards. With such a garment the cloth computes its surface in each substep, and air then
     *  acts on the area of particles instead of triangles. */
    float pressure;
    /** volume of a gas / volume of the faces at rest, 0 to 1000, at which its pressure is
     *  `pressure`; at other volumes it is inversely proportional. 0: the same pressure at any
     *  volume. Only for garments of one copy. */
    float rest_volume;
    /** Coulomb's coefficient, with itself and with colliders (which have their own: the root of the
     *  product applies) */
    float friction;
    /** distance from colliders and from other cloth, m; with HED_CLOTH_SELF_BALLS at least the
     *  longest edge */
    float thickness;
    /** method against itself and other garments of the same method; `true` is
     *  HED_CLOTH_SELF_TRIANGLES */
    hed_cloth_self_collision self_collision;
    /** order of garments that overlap at the start, for hed_cloth_lay(): 1 is on the body, higher
     *  numbers are outside of it; 0: the garment keeps its positions; HED_CLOTH_LAYER_AUTO: it
     *  keeps them unless it begins within a body */
    uint32_t layer;
    /* output */
    uint32_t vertex_count;           /**< 0: one for each particle */
    const uint32_t *vertex_particle; /**< (vertex_count) particle of each vertex */
    /** number of equal garments in the same submission, each with its own particles and vertices,
     *  at least 1 */
    uint32_t copies;
} hed_cloth_garment_def;

/** Returns cotton-like defaults: 0.2 kg/m^2, inextensible structure, soft bending, slack 1, 1 copy.
 *  Thread class: any. */
HED_API hed_cloth_garment_def hed_default_cloth_garment_def(void);

/** Returns the fabric of a name, such as "cotton" or "denim"; NULL: no such fabric.
 *  Thread class: any. */
HED_API const hed_cloth_fabric *hed_cloth_fabric_named(const char *name);
/** Returns the name of fabric `index`, and its source; NULL: after the last. Thread class: any. */
HED_API const char *hed_cloth_fabric_name(uint32_t index, const char **source);

/* ---- creation ---- */

/** Distribution of the work over the device. */
typedef enum hed_cloth_solver {
    /** the fastest valid one: from the tuning database, else by rules */
    HED_CLOTH_SOLVER_AUTO,
    /** a launch for each set of independent constraints, in a graph: every device, every feature */
    HED_CLOTH_SOLVER_COLOURS,
    /** one group, sets of `set_width` constraints, a barrier after each set */
    HED_CLOTH_SOLVER_SETS,
    /** a patch of the cloth for each multiprocessor, with packets between them (HED_CAN_PACKETS) */
    HED_CLOTH_SOLVER_PATCHES,
    HED_CLOTH_SOLVER_GARMENTS, /**< a whole garment for each group, for many small garments */
    /** `host` only: four constraints at a time in SIMD registers, threads inside a garment */
    HED_CLOTH_SOLVER_CPU,
    /** the sets of COLOURS by resident groups in one launch, a barrier over all groups after each
     *  set (HED_CAN_GRID_BARRIER; else one group); one iteration, no tethers. In strict mode with
     *  the bits of COLOURS, in fast mode in an order that needs fewer barriers */
    HED_CLOTH_SOLVER_COOPERATIVE,
    /** the strains of meshes with a fabric by Newton's method, implicit: few substeps, each of
     *  which costs as much as several of the others, and the requested stiffness. Meshes of up to
     *  some 30,000 particles; one iteration, no tethers, seams, pressure and contact of cloth with
     *  itself */
    HED_CLOTH_SOLVER_NEWTON,
    HED_CLOTH_SOLVER_COUNT
} hed_cloth_solver;

/** Returns the name of a solver, such as "patches". Thread class: any. */
HED_API const char *hed_cloth_solver_name(hed_cloth_solver solver);

/** A jet of air: within its radius it blows along `direction`, as fast as `speed` * `radius` / (the
 *  jet's radius there) * (1 - (distance from the axis / the jet's radius)^2)^2; behind the outlet
 *  and outside of the jet the air is still. The jet's radius is `radius` + `spread` * the distance
 *  from the outlet. */
typedef struct hed_cloth_fan {
    float position[3];  /**< centre of the outlet, m */
    float direction[3]; /**< unit vector */
    float radius;       /**< radius of the outlet, m, 1e-3 to 1e4 */
    float speed;        /**< speed in the middle of the outlet, m/s, -1e3 (suction) to 1e3 */
    float spread;       /**< 0 (a tunnel) to 10; a free jet of air: 0.2 */
} hed_cloth_fan;

/** Velocities of the air at the nodes of a regular grid: linear between them, 0 outside of it. */
typedef struct hed_cloth_wind_grid {
    uint32_t size[3];        /**< nodes along x, y and z, 2 to 1024; at most 2^24 nodes */
    float low[3], high[3];   /**< first and last node, m */
    const float *velocities; /**< (nodes x 3) m/s, components up to 1e3, x varies fastest */
} hed_cloth_wind_grid;

/** Definition of a cloth. Start from hed_default_cloth_def(). */
typedef struct hed_cloth_def {
    const hed_cloth_garment_def *garments; /**< (garment_count) */
    uint32_t garment_count;
    /** substeps of a frame, 1 to 1000; 0: the engine chooses them, and gives every garment lattices
     *  that can have them (hed_cloth_info.substeps, .lattices). Frames in which bodies move fast
     *  have more (hed_cloth_info.most_substeps) */
    uint32_t substeps;
    /** length of the frames that the engine chooses substeps for, s, up to 1; 0: 1/60 */
    float frame_seconds;
    uint32_t iterations; /**< iterations of a substep, 1 to 100 */
    uint32_t up;         /**< vertical axis: 0 x, 1 y, 2 z */
    /** true: gravity moves a particle by g dt^2, exact at a constant dt only; false: by g dt (dt +
     *  last dt) / 2, exact at any */
    bool slides_form;
    /** strict: the same bits on every device and with every solver but HED_CLOTH_SOLVER_CPU.
     *  PATCHES and GARMENTS are for garments of up to 65,536 particles in one iteration without
     *  fabric and lattices (docs/cloth-solvers.md) */
    hed_math math;
    hed_cloth_solver solver;
    /** HED_CLOTH_SOLVER_SETS: maximum number of constraints in a set, 4 to 1024, a multiple of 4;
     *  0: a whole colour */
    uint32_t set_width;
    uint32_t patches; /**< HED_CLOTH_SOLVER_PATCHES; 0: one for each compute unit */
    /** HED_CLOTH_SOLVER_CPU; 0: one for each 4,096 particles, at most
     *  hed_context_def.host_threads */
    uint32_t threads;
    /** maximum number of spheres, capsules and planes at once; 0: no kernel for them is compiled */
    uint32_t max_colliders;
    /** maximum number of triangles of all meshes; 0: no kernel for them is compiled */
    uint32_t max_collider_triangles;
    hed_stream *stream; /**< the program's own stream; NULL: a stream of the cloth */
    /** maximum number of fans at once, up to 64; 0: none */
    uint32_t max_fans;
    /** velocities of the air in space, in addition to the frame's wind and fans; copied. NULL:
     *  none */
    const hed_cloth_wind_grid *wind_grid;
    /** (other_device_count) devices in addition to the first, of any kind, for many garments or one
     *  large sheet; they must outlive the cloth. Each device moves consecutive copies of the
     *  garments, dealt by their particles, and all begin at once. One garment alone is cut into
     *  strips of consecutive rows, by HED_CLOTH_SOLVER_COLOURS, if it is a grid without lattices,
     *  fabric, tethers and seams. In strict mode the bits are those of one device. Not for garments
     *  that may touch each other (self_collision), that tear, nor for driver_buffer and
     *  hed_cloth_set_vertex_buffers(). `patches`, `threads` and the choice of the solver are those
     *  of each device */
    hed_device *const *other_devices;
    uint32_t other_device_count; /**< 0 to 63 */
} hed_cloth_def;

/** Returns the defaults: chosen substeps, 1 iteration, y up, exact gravity, fast math, AUTO, 64
 *  colliders.
 *  Thread class: any. */
HED_API hed_cloth_def hed_default_cloth_def(void);

/** Creates a cloth: constraints, their sets, tables, and all kernels that a frame of this
 *  definition can need (one or two seconds on CUDA the first time, then from the cache), so that no
 *  step compiles. Set max_colliders to 0 for a cloth without them.
 *  Thread class: any. Errors: ARGUMENT (a number out of its range, an index out of bounds, a
 *  backstop outside its ball, NaN: the text names garment and element), UNSUPPORTED (the solver is
 *  not valid here, with the cause), LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
HED_API hed_status hed_cloth_create(
    hed_device *device, const hed_cloth_def *def, hed_cloth **cloth, hed_error *error);
/** Destroys a cloth, after its work is done. NULL is allowed. */
HED_API void hed_cloth_destroy(hed_cloth *cloth);

/* ---- running: frames ---- */

/** Shape of a simple collider. */
typedef enum hed_cloth_shape {
    HED_CLOTH_PLANE,
    HED_CLOTH_SPHERE,
    HED_CLOTH_CAPSULE
} hed_cloth_shape;

/** A simple collider at the end of the frame; during the frame it moves evenly from its position at
 *  the frame's beginning. */
typedef struct hed_cloth_collider {
    hed_cloth_shape shape;
    /** point of the plane, centre of the sphere, one end of the capsule's axis, m */
    float a[3];
    float b[3];      /**< plane: normal, of length 1; capsule: the other end, m */
    float radius[2]; /**< radius of the sphere, of the capsule at a and b, m */
    float friction;
} hed_cloth_collider;

/** A triangle mesh that cloth may not enter, at the end of the frame. The number of meshes, their
 *  sizes and triangles stay as in the first frame; only positions change. */
typedef struct hed_cloth_mesh_collider {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /**< (vertex_count x 3) m */
    const uint32_t *triangles; /**< (triangle_count x 3), counter-clockwise from outside */
    float friction;
    /** (vertex_count x 3) positions at the frame's beginning, m; NULL: those of the last frame; in
     *  the first frame `positions`, as if the mesh had been at rest */
    const float *start_positions;
} hed_cloth_mesh_collider;

/** Input of a frame. Start from hed_default_cloth_frame(). NULL or 0: unchanged. */
typedef struct hed_cloth_frame {
    double seconds; /**< length of the frame, s, 1e-6 to 10 */
    /** number of equal frames in one submission, 1 to 100000; driver and colliders move evenly over
     *  all of them */
    uint32_t frames;
    float gravity[3]; /**< m/s^2, components up to 1e4 */
    float wind[3];    /**< m/s, components up to 1e3 */
    /** fraction of the wind that varies in space and time, 0 to 1 */
    float gust;
    /** (4 x 4) column by column, rigid: motion of the frame of reference in this frame, such as
     *  that of a running character. Cloth, air, and the former positions of driver and colliders
     *  move along; garments feel it by their linear_inertia and angular_inertia. */
    const float *motion;
    float motion_centre[3]; /**< centre of that motion at the start of the frame, m */
    /** (particles of all garments in order x 3) at the frame's end, m; only those of driven
     *  garments are read */
    const float *driver_positions;
    const float *driver_normals; /**< (particles x 3) of length 1 */
    /** both in device memory, in place of the arrays, (particles x 2) float4: position, normal.
     *  The driver of a particle stays if its pair is not finite or is more than 1e6 m away */
    hed_buffer *driver_buffer;
    /** (collider_count) those of the last frame in the same order, new ones at the end */
    const hed_cloth_collider *colliders;
    uint32_t collider_count;
    /** (collider_count) `colliders` at the frame's beginning; NULL: as the last frame left them,
     *  new ones at their end, as if they had been at rest. A collider that moves in its first frame
     *  needs it: without it, all of that frame's motion is missing */
    const hed_cloth_collider *collider_starts;
    const hed_cloth_mesh_collider *meshes; /**< (mesh_count) */
    uint32_t mesh_count;
    const float *transform; /**< (4 x 4) column by column, for write-back; NULL: identity */
    /** (garments x 16) a rigid 4 x 4 matrix for each garment, column by column: jumps before the
     *  frame, as hed_cloth_teleport() does them, such as those of a character; the identity: the
     *  garment stays. NULL: none. A collider that jumps along begins where it ends
     *  (`collider_starts`, `start_positions`) */
    const float *teleports;
    const hed_cloth_fan *fans; /**< (fan_count) at the frame's end, in addition to `wind` */
    uint32_t fan_count;        /**< 0: no fans */
} hed_cloth_frame;

/** Returns the defaults: 1/60 s, one frame, gravity -9.81 along y, no wind. Thread class: any. */
HED_API hed_cloth_frame hed_default_cloth_frame(void);

/** Enqueues a frame and returns while the device works. On `host` it returns when the work is done;
 *  with HED_CLOTH_SELF_TRIANGLES on a device without HED_CAN_GRID_BARRIER, when the last substep is
 *  done. Arrays are copied before it returns.
 *  Errors: ARGUMENT (a number that is not finite or out of range, with its place; nothing was
 *  enqueued), LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER, LOST, UNSUPPORTED (driver_buffer on
 *  several devices). After an error between two of several devices, frames are refused (DRIVER)
 *  until hed_cloth_reset() or hed_cloth_load(). */
HED_API hed_status hed_cloth_step(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error);
/** Waits for all frames so far.
 *  Errors: DRIVER, LOST, FORMAT (a position is no longer finite: the text names particle and
 *  garment, and the cloth returns to the last good state). Good states are the start, those set by
 *  hed_cloth_reset() and hed_cloth_load(), and then, copied on the device, that of the first
 *  successful wait at least 30 frames after the previous one. */
HED_API hed_status hed_cloth_wait(hed_cloth *cloth, hed_error *error);

/* ---- results ---- */

/** Returns the number of particles of all garments, copies included. Thread class: rt. */
HED_API uint32_t hed_cloth_particle_count(const hed_cloth *cloth);
/** Returns the number of vertices of all garments, copies included. Thread class: rt. */
HED_API uint32_t hed_cloth_vertex_count(const hed_cloth *cloth);
/** Returns the first particle and the first vertex of a garment's first copy; copies follow each
 *  other.
 *  Thread class: rt. */
HED_API void hed_cloth_garment_range(
    const hed_cloth *cloth, uint32_t garment, uint32_t *first_particle, uint32_t *first_vertex);

/** Waits and copies the vertices; each pointer may be NULL. `positions` and `normals`:
 *  (vertex_count x 3), transformed by the last frame's transform, and in metres before the first
 *  frame (hed_cloth_scene_start() has the start of a scene in the scene's unit); `colours`:
 *  (vertex_count x 4) bytes, diagnostic colours of the driver constraint. The first call that needs
 *  staging memory allocates it.
 *  Errors: as hed_cloth_wait(); MEMORY, DEVICE_MEMORY. */
HED_API hed_status hed_cloth_read(
    hed_cloth *cloth, float *positions, float *normals, uint8_t *colours, hed_error *error);
/** Returns the last frame's vertices on the device: (vertex_count) float4, x y z and RGBA8 in the
 *  bits of w. Frames write two buffers in turn, so the next frame does not change the returned one.
 *  NULL: the cloth is on several devices.
 *  Thread class: rt. */
HED_API hed_buffer *hed_cloth_vertex_buffer(const hed_cloth *cloth);
/** Returns the last frame's normals on the device: (vertex_count) float4, two buffers in turn;
 *  NULL: hed_cloth_enable_normals() was not called, or the cloth is on several devices.
 *  Thread class: rt. */
HED_API hed_buffer *hed_cloth_normal_buffer(const hed_cloth *cloth);
/** Enables the computation of normals at each frame's end, from the next frame on; wind needs them
 *  anyway.
 *  Errors: MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
HED_API hed_status hed_cloth_enable_normals(hed_cloth *cloth, hed_error *error);
/** Sets two buffers of the program for write-back in turn, from the next frame on, such as those of
 *  hed_buffer_from_gl(), which are acquired and released around it. NULL, NULL: the cloth's own.
 *  Errors: BOUNDS, ARGUMENT (only one of them is shared with OpenGL), UNSUPPORTED (the cloth is on
 *  several devices). */
HED_API hed_status hed_cloth_set_vertex_buffers(
    hed_cloth *cloth, hed_buffer *even, hed_buffer *odd, hed_error *error);
/** Returns the stream of the cloth; NULL: the cloth is on several devices. Thread class: rt. */
HED_API hed_stream *hed_cloth_stream(const hed_cloth *cloth);

/* ---- changes: jumps and saved states ---- */

/** Resets the cloth to the start, at rest. Errors: MEMORY, DRIVER, LOST. */
HED_API hed_status hed_cloth_reset(hed_cloth *cloth, hed_error *error);
/** Moves a garment, all copies, by a rigid 4 x 4 matrix that also turns the velocities, without a
 *  force from the jump.
 *  Errors: ARGUMENT (no such garment, a matrix that is not rigid), MEMORY, DRIVER, LOST. */
HED_API hed_status hed_cloth_teleport(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error);
/** Changes the radius of the ball around a particle's driver, m: 0 holds the particle at its
 *  driver, INFINITY removes the ball. The change stays through hed_cloth_reset() and
 *  hed_cloth_load(). A particle whose max_distance was 0 at creation is locked for good.
 *  Errors: ARGUMENT (no such particle, a garment without a driver, a radius below 0 or not a
 *  number), DRIVER, LOST. */
HED_API hed_status hed_cloth_set_max_distance(
    hed_cloth *cloth, uint32_t particle, float max_distance, hed_error *error);
/** Returns the number of bytes that hed_cloth_save() writes. Thread class: rt. */
HED_API uint64_t hed_cloth_save_size(const hed_cloth *cloth);
/** Waits and writes the whole state: positions, previous positions, carries, driver, colliders,
 *  origin, time. A cloth of the same definition that loads it continues bit for bit. `state`:
 *  (hed_cloth_save_size()) bytes.
 *  Errors: as hed_cloth_wait(). */
HED_API hed_status hed_cloth_save(hed_cloth *cloth, void *state, hed_error *error);
/** Loads a saved state, after all of it was checked.
 *  Errors: FORMAT (from a cloth of another definition, damaged, with a number that is not finite or
 *  out of range, or in the format of another version, which the text names), DRIVER, LOST,
 *  MEMORY. */
HED_API hed_status hed_cloth_load(
    hed_cloth *cloth, const void *state, uint64_t size, hed_error *error);
/** Continues the motion of another cloth of the same garments with other properties. `cloth` takes
 *  positions, velocities, time, driver and colliders from `from`; it keeps its own masses, fabric,
 *  materials, thickness, substeps, solver and device. A program changes such properties while the
 *  cloth moves by creating a second cloth that continues the first one.
 *  Errors: ARGUMENT (another number of garments, particles or max_colliders, or only one of them
 *  has a driver), and as hed_cloth_save() and hed_cloth_load(). */
HED_API hed_status hed_cloth_continue(hed_cloth *cloth, hed_cloth *from, hed_error *error);

/** Stages that can run as native C. */
typedef enum hed_cloth_algorithm {
    HED_CLOTH_INTEGRATE,
    HED_CLOTH_DISTANCE,
    HED_CLOTH_DRIVE,
    HED_CLOTH_WRITE_BACK,
    HED_CLOTH_ALGORITHM_COUNT
} hed_cloth_algorithm;

/** Runs one stage as native C on mapped buffers from the next frame on, or on the device again, to
 *  compare the two. HED_CLOTH_SOLVER_COLOURS and HED_CLOTH_SOLVER_SETS only.
 *  Errors: ARGUMENT, UNSUPPORTED. */
HED_API hed_status hed_cloth_use_native(
    hed_cloth *cloth, hed_cloth_algorithm algorithm, bool native, hed_error *error);

/* ---- information ---- */

/** Properties of a cloth as built. */
typedef struct hed_cloth_info {
    hed_cloth_solver solver;
    hed_config_origin configured; /**< origin of the choice of solver and launch */
    uint64_t particles, vertices, constraints, triangles, tethers;
    uint32_t colours; /**< sets of independent constraints, in the largest garment */
    /** maximum number of constraints at one particle, a lower bound of `colours` */
    uint32_t degree;
    uint64_t smallest_set, largest_set;
    uint32_t patches;      /**< patches of one garment; 0: none */
    uint64_t boundary;     /**< number of constraints between patches */
    uint64_t device_bytes; /**< size of all buffers */
    uint32_t devices;      /**< devices that move the garments; `choice` is the first one's */
    uint32_t substeps;     /**< substeps of a frame, as given or chosen */
    uint32_t lattices;     /**< garments whose tension is solved by lattices */
    /** maximum number of substeps of a frame so far: where the engine chooses them, frames in which
     *  bodies move fast have more than `substeps`. 0: no frame yet */
    uint32_t most_substeps;
    /** description of the launch, such as "joint, 160 threads, 128 patches" */
    char choice[256];
} hed_cloth_info;

/** Returns the properties of a cloth. Thread class: rt. */
HED_API hed_cloth_info hed_cloth_describe(const hed_cloth *cloth);

/** Achieved stiffness of a garment: 1 / given = 1 / asked + 1 / limit. A sweep over the constraints
 *  of a mesh of spacing a and density r kg/m^2, in substeps of t seconds, cannot be stiffer than
 *  about r (a/t)^2 N/m in stretch and r a^4 / (3 t^2) N m in bending. Bending of grids is solved
 *  line by line, except with HED_CLOTH_SOLVER_GARMENTS and HED_CLOTH_SOLVER_PATCHES, and reaches
 *  the requested stiffness. */
typedef struct hed_cloth_stiffness {
    /** requested stiffness, and the stiffness with the present substeps and iterations */
    hed_cloth_fabric asked, given;
    double part; /**< minimum of given / asked */
    /** substeps of a frame that reach 90 % of the requested stiffness, with these iterations;
     *  UINT32_MAX: more than 1e9 */
    uint32_t substeps_for_most;
} hed_cloth_stiffness;

/** Computes the achieved stiffness of a garment in frames of `seconds`. False: it has no fabric.
 *  Thread class: rt. */
HED_API bool hed_cloth_stiffness_of(
    const hed_cloth *cloth, uint32_t garment, double seconds, hed_cloth_stiffness *stiffness);

/** Quality of the last frame, measured on the host in double. */
typedef struct hed_cloth_metrics {
    /** maximum of length / maximum allowed length - 1 over structural constraints */
    double worst_stretch;
    /** 99th percentile of the same quantity; below 0: shorter than allowed */
    double stretch_p99;
    double stretch_p50;     /**< median of the same quantity */
    double residual;        /**< root mean square of violation / rest length over all constraints */
    double kinetic_energy;  /**< J */
    double low[3], high[3]; /**< m, bounding box */
    uint64_t not_finite;    /**< number of particles */
    uint64_t hash;          /**< hash of the bits of positions and origin */
    /* contacts of garments with HED_CLOTH_SELF_TRIANGLES, since the start, a reset or a load */
    /** contact pairs: in the last substep, and the maximum of one substep */
    uint64_t contact_pairs, contact_pairs_most;
    uint64_t contact_substeps; /**< substeps with a contact search */
    /** contact iterations of all substeps; a substep whose motion was cut gets another iteration */
    uint64_t contact_legs;
    uint64_t contact_lists; /**< contact lists, each of which serves several iterations */
    /** vertices whose motion was cut so that nothing crossed, in all substeps */
    uint64_t contact_cut;
    /** substeps in which all motion was frozen because a list was full; its capacity has grown
     *  since */
    uint64_t contact_still;
    /* thin features of bodies against edges and faces of cloth, since the start or a reset */
    uint64_t body_pairs_most; /**< maximum of one substep; of several devices, the sum of theirs */
    /** pairs that were not separated at the end of a substep, because two bodies leave the cloth no
     *  room, or because there was no capacity for them; in all substeps. And particles between two
     *  surfaces of meshes that close to less than a tenth of the thickness, in all searches of
     *  surfaces, of which a frame has one or more */
    uint64_t body_pressed;
} hed_cloth_metrics;

/** Waits and measures the quality of the last frame, for tests and for the choice of substeps;
 *  reads all positions.
 *  Errors: DRIVER, LOST, MEMORY. */
HED_API hed_status hed_cloth_evaluate(
    hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);

/* ---- tuning and kernels ---- */

/** Finds the fastest solver and layout for cloths like this one (their number of particles,
 *  garments and substeps), and stores them in the context's database, from where hed_cloth_create()
 *  with HED_CLOTH_SOLVER_AUTO loads them. A choice is correct if its state after 20 frames is close
 *  to that of HED_CLOTH_SOLVER_COLOURS, with about as little stretch. `tune` as for
 *  hed_tune_pipeline(), its problem is set here; NULL: its defaults.
 *  Thread class: owner of the device's time. Errors: as hed_cloth_create() and hed_tune_pipeline();
 *  UNSUPPORTED (host, strict: only one solver; other_devices). */
HED_API hed_status hed_cloth_tune(hed_device *device, const hed_cloth_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);

/** Describes the search space of hed_cloth_tune(), for displaying a result; it is not a kernel that
 *  can be created.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_cloth_tune_description(void);

/** Returns the number of the engine's kernels. Thread class: any. */
HED_API uint32_t hed_cloth_kernel_count(void);
/** Returns the description of kernel `index`, for conformance, tuning and benchmarks.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_cloth_kernel_at(uint32_t index);

HED_END

#endif
