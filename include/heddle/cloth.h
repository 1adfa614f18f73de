/** @file cloth.h
 *  Cloth in real time: particles under time-corrected Verlet integration and coloured Gauss-Seidel
 *  projection of min/max distance constraints (position-based dynamics; XPBD compliance after
 *  Macklin, Müller and Chentanez 2016, small steps after Macklin et al. 2019). A hed_cloth holds
 *  any number of garments that move together on one device, in one submission. A library of its
 *  own: heddle-cloth. Meshes, point caches and scene files: cloth_mesh.h, cloth_scene.h.
 *
 *  One frame is `substeps` times
 *
 *      integrate, tether, then `iterations` times { distance constraints set by set, collide, drive
 *      }, self-collide
 *
 *  and write-back at its end. Positions are kept in float relative to an origin that follows the
 *  cloth, so precision does not depend on where in the world it is, as long as all its garments
 *  are near each other: garments that are far apart belong in separate cloths. A frame's
 *  `transform` is applied in double: one that moves the scene to zero loses no precision. Units
 *  are metres, kilograms and seconds. A particle is a moving point; a vertex is a corner of the
 *  program's mesh and shows one particle.
 *
 *  Thread class of everything here, unless it says otherwise: owner of the cloth.
 */
#ifndef HEDDLE_CLOTH_H
#define HEDDLE_CLOTH_H

#include "heddle/launch.h"
#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_cloth hed_cloth;

/* ---- what a garment is made of ---- */

/** The purpose of a constraint. */
typedef enum hed_cloth_family {
    HED_CLOTH_STRUCTURAL, /**< along the edges */
    HED_CLOTH_SHEAR,      /**< across a quad */
    HED_CLOTH_BEND,       /**< over a hinge, or to the second neighbour on a grid */
    HED_CLOTH_FAMILY_COUNT
} hed_cloth_family;

/** How a constraint yields. Between rest * compress and rest * stretch it does nothing. */
typedef struct hed_cloth_material {
    float compress;   /**< shortest length / rest length, 0 to 1 */
    float stretch;    /**< longest length / rest length, at least 1 */
    float compliance; /**< of the excess, m/N; 0: rigid */
} hed_cloth_material;

/** Keeps two particles at a distance. */
typedef struct hed_cloth_constraint {
    uint32_t a, b;     /**< particles */
    float rest;        /**< m, above 0 */
    uint32_t material; /**< index */
} hed_cloth_constraint;

/** How cloth is kept from passing through cloth. */
typedef enum hed_cloth_self_collision {
    HED_CLOTH_SELF_NONE,
    /** triangles and edges, which never cross, at any speed and thickness */
    HED_CLOTH_SELF_TRIANGLES,
    /** balls around particles, which cost less: thinner than the longest edge or faster than
     *  a thickness in a substep is thickened and slowed down, or passes */
    HED_CLOTH_SELF_BALLS,
    HED_CLOTH_SELF_COUNT
} hed_cloth_self_collision;

/** How stiff a fabric is, in SI units: of the fabric, whatever its mesh, its substeps and its rate.
 * What of it the substeps can give: hed_cloth_stiffness_of(). */
typedef struct hed_cloth_fabric {
    float warp, weft; /**< N/m: tension / strain, with the other direction free; 1e-3 to 1e9 */
    float shear;      /**< N/m: force along an edge / (its length x angle); 1e-3 to 1e9 */
    /** N m: moment / (width x curvature), bent along the warp (the weft); 0 to 1e6, 0: limp. Twisted
     * it has the root of their product */
    float bend_warp, bend_weft;
    float density; /**< kg/m^2; 0: the garment's */
} hed_cloth_fabric;

/** One garment. Start from hed_default_cloth_garment_def(). Arrays are copied. */
typedef struct hed_cloth_garment_def {
    const char *name; /**< for messages; NULL: "garment" */
    /* particles */
    uint32_t particle_count;
    const float *positions; /**< (particle_count x 3) m, at the start */
    /** (particle_count x 3) m, its shape without forces; NULL: `positions` */
    const float *rest_positions;
    /** (particle_count) 1/kg, 0: locked; NULL: from `density` and the triangles, none locked */
    const float *inverse_masses;
    float density; /**< kg/m^2, with inverse_masses NULL */
    /* faces: for wind, normals, and constraints made here */
    uint32_t triangle_count;
    /** (triangle_count x 3) particles, counter-clockwise from outside */
    const uint32_t *triangles;
    uint32_t quad_count;
    const uint32_t *quads; /**< (quad_count x 4) particles, in order around; beside the triangles */
    /** Particles in rows of a grid, row after row: constraints and their sets are then made in
     *  closed form. 0: no grid. grid_width * grid_height is particle_count, and `quads` are its
     *  cells, or none: they are then made here. */
    uint32_t grid_width, grid_height;
    /* constraints */
    /** (constraint_count) all of them; NULL: made from the faces */
    const hed_cloth_constraint *constraints;
    uint32_t constraint_count;
    /** (material_count); NULL: one for each family, `family_material` */
    const hed_cloth_material *materials;
    uint32_t material_count;
    hed_cloth_material family_material[HED_CLOTH_FAMILY_COUNT];
    bool family[HED_CLOTH_FAMILY_COUNT]; /**< which families are made from the faces */
    /** In place of the materials and families above, which know neither the mesh's spacing nor the
     * substeps: stiffness in SI units. It bends from flat, whatever `rest_positions` are. NULL: none
     */
    const hed_cloth_fabric *fabric;
    /** Along the warp, in the rest shape; on a grid it runs along the rows. 0 0 0: y */
    float warp_axis[3];
    const float
        *stretch_scale;      /**< (particle_count) times warp, weft, shear: 1e-4 to 1e4; NULL: 1 */
    const float *bend_scale; /**< (particle_count) times bend_warp, bend_weft; NULL: 1 */
    /* tethers (long-range attachments, Kim, Chentanez and Müller 2012): to the nearest locked
     * particle along the cloth */
    bool tethers;
    /** longest distance / distance along the cloth at rest; 1: none */
    float tether_slack;
    /* sewing: pairs of particles that are drawn together evenly, from the start on, until they meet
     * after seam_seconds, and stay so. A submission of several frames draws them once, to where they
     * are at its end. */
    uint32_t seam_count;
    const uint32_t *seams; /**< (seam_count x 2) particles */
    float seam_seconds;    /**< s, 0 to 1e6 */
    /* driver: where each particle would be by skinning or keyframes
     * (hed_cloth_frame.driver_positions) */
    bool driven;
    /** (particle_count) m, radius of the ball around the driver; NULL or INFINITY: no limit. 0
     * locks */
    const float *max_distance;
    /** (particle_count) m along the driver's normal, below which it may not sink; NULL or
     * -INFINITY: no backstop */
    const float *backstop_distance;
    /** (particle_count) m, of the backstop's sphere; NULL or 0: a plane */
    const float *backstop_radius;
    /** (particle_count) 0 to 1, pulled so far to the driver in each substep; NULL: 0 */
    const float *drive;
    const float *drive_stiffness; /**< (particle_count) 0 to 1, of the ball; NULL: 1 */
    /* motion */
    /** m/s, rad/s (about the middle of its particles' masses) at the start */
    float velocity[3], angular_velocity[3];
    /** how much of hed_cloth_frame.motion it feels, 0 (it goes along as if nothing moved) to 1 (as if
     *  it stood in the world): of the motion of the frame's centre, and of the turning around it */
    float linear_inertia, angular_inertia;
    /* surroundings */
    float damping; /**< share of the velocity lost in a second, 0 to below 1 */
    /** the same for the vertical part, beside it (the slides' mVerticalSpeedDampening) */
    float vertical_damping;
    float drag, lift; /**< coefficients of air, 0: no wind on this garment */
    /** Pa, more inside than outside, -1e6 to 1e6; of a closed mesh whose faces look outwards. A
     *  cloth with such a garment finds its surface anew in each substep, and air then meets the
     *  area that particles show, not that of their triangles. */
    float pressure;
    /** 0 to 1000: a gas, whose pressure is `pressure` at so many times the volume that the faces
     * enclose at rest, and elsewhere inversely as the volume. 0: the same at any volume. Of a garment
     * of one copy. */
    float rest_volume;
    /** Coulomb's, with itself and with colliders (that have their own: the product's root) */
    float friction;
    /** m, distance kept from colliders and from other cloth; with HED_CLOTH_SELF_BALLS at least the
     * longest edge */
    float thickness;
    /** with itself and with other garments that have the same; `true` is
     *  HED_CLOTH_SELF_TRIANGLES */
    hed_cloth_self_collision self_collision;
    /** Who lies outside of whom where garments begin over each other, for hed_cloth_lay(): 1 lies on
     * the body, higher ones outside of it; 0: it begins where it is */
    uint32_t layer;
    /* output */
    uint32_t vertex_count;           /**< 0: one for each particle */
    const uint32_t *vertex_particle; /**< (vertex_count) which particle each shows */
    /** Further garments exactly like this one in the same submission, each with its own particles
     * and vertices. */
    uint32_t copies; /**< at least 1 */
} hed_cloth_garment_def;

/** Cotton-like defaults: 0.2 kg/m^2, inextensible structure, soft bending, slack 1, 1 copy. Thread
 * class: any. */
HED_API hed_cloth_garment_def hed_default_cloth_garment_def(void);

/** A fabric by its name, as "cotton" or "denim"; NULL: there is none of that name. Thread class:
 * any. */
HED_API const hed_cloth_fabric *hed_cloth_fabric_named(const char *name);
/** Name and source of fabric `index`, from 0 on; NULL beyond the last. Thread class: any. */
HED_API const char *hed_cloth_fabric_name(uint32_t index, const char **source);

/* ---- the cloth ---- */

/** How the work is distributed over the device. */
typedef enum hed_cloth_solver {
    /** the fastest valid one: from the tuning database, else by rules */
    HED_CLOTH_AUTO,
    /** a launch for each set of independent constraints, in a graph: every device, every feature */
    HED_CLOTH_COLOURS,
    /** the slides' form: one group, sets of `set_width`, a barrier after each */
    HED_CLOTH_SETS,
    /** a patch for each multiprocessor, packets between them (HED_CAN_PACKETS) */
    HED_CLOTH_PATCHES,
    HED_CLOTH_GARMENTS, /**< a whole garment for each group: many small ones */
    /** `host` alone: figures of four in SIMD registers, threads inside a garment */
    HED_CLOTH_CPU,
    HED_CLOTH_SOLVER_COUNT
} hed_cloth_solver;

/** Its name, such as "patches". Thread class: any. */
HED_API const char *hed_cloth_solver_name(hed_cloth_solver solver);

/** How to make a cloth. Start from hed_default_cloth_def(). */
typedef struct hed_cloth_def {
    const hed_cloth_garment_def *garments; /**< (garment_count) */
    uint32_t garment_count;
    uint32_t substeps;   /**< per frame, 1 to 1000 */
    uint32_t iterations; /**< per substep, 1 to 100 */
    uint32_t up;         /**< axis that is vertical: 0 x, 1 y, 2 z */
    /** gravity enters as g dt^2, which is right at a constant dt only; else exact: g dt (dt + last
     * dt) / 2 */
    bool slides_form;
    hed_math math; /**< strict: HED_CLOTH_COLOURS, the same bits on every device */
    hed_cloth_solver solver;
    /** HED_CLOTH_SETS: most constraints in a set, 4 to 1024, a multiple of 4; 0: a whole colour
     * */
    uint32_t set_width;
    uint32_t patches; /**< HED_CLOTH_PATCHES; 0: one for each compute unit */
    uint32_t threads; /**< HED_CLOTH_CPU; 0: one for each 4,096 particles, no more than the
                                          device has (hed_context_def.host_threads) */
    /** spheres, capsules, planes at once; 0: no kernel for them is compiled */
    uint32_t max_colliders;
    uint32_t max_collider_triangles; /**< of all triangle-mesh colliders; 0: likewise */
    hed_stream *stream;              /**< the program's own; NULL: one of the cloth's */
} hed_cloth_def;

/** 5 substeps, 1 iteration, y up, exact form, fast math, AUTO, 64 colliders. Thread class: any. */
HED_API hed_cloth_def hed_default_cloth_def(void);

/** Builds a cloth: constraints, their sets, tables, and all kernels that a frame of this definition
 * can need (one or two seconds on CUDA the first time, then from the cache), so that no step
 *  compiles. Set max_colliders to 0 if there will be none. Thread class: any. Errors: ARGUMENT (a
 *  number out of its range, an index out of bounds, a backstop outside its ball, NaN: the text
 *  names garment and element), UNSUPPORTED (the solver is not valid here: the text says why),
 *  LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
HED_API hed_status hed_cloth_create(
    hed_device *device, const hed_cloth_def *def, hed_cloth **cloth, hed_error *error);
/** Waits for its work, then destroys it. NULL is allowed. */
HED_API void hed_cloth_destroy(hed_cloth *cloth);

/** Finds the fastest solver for cloths like this one (their number of particles, garments and
 *  substeps) and how to build it, and stores it in the context's database, where hed_cloth_create()
 *  with HED_CLOTH_AUTO finds it. A choice counts as correct if its state after 20 frames is close
 *  to that of HED_CLOTH_COLOURS, with about as little stretch. `tune` as for hed_tune_pipeline(),
 *  its problem is filled in here; NULL: its defaults. Thread class: owner of the device's time.
 *  Errors: as hed_cloth_create() and hed_tune_pipeline(); UNSUPPORTED (host, strict: nothing to
 *  choose). */
HED_API hed_status hed_cloth_tune(hed_device *device, const hed_cloth_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);

/** Describes the search space of hed_cloth_tune(), its parameters and dimensions, for displaying a
 *  result; it is not a kernel that can be created. Thread class: any. */
HED_API const hed_kernel_def *hed_cloth_tune_description(void);

/* ---- each frame ---- */

/** The shape of a simple collider. */
typedef enum hed_cloth_shape {
    HED_CLOTH_PLANE,
    HED_CLOTH_SPHERE,
    HED_CLOTH_CAPSULE
} hed_cloth_shape;

/** A simple collider at the end of the frame; it moves there evenly from its place at the end of
 * the last one. */
typedef struct hed_cloth_collider {
    hed_cloth_shape shape;
    /** m: point of the plane, centre of the sphere, one end of the capsule's axis */
    float a[3];
    float b[3];      /**< plane: normal, of length 1; capsule: the other end, m */
    float radius[2]; /**< m: of the sphere, of the capsule at a and b */
    float friction;
} hed_cloth_collider;

/** A triangle mesh that cloth may not enter, at the end of the frame. The number of meshes, their
 *  sizes and triangles stay as in the first frame; only positions move. */
typedef struct hed_cloth_mesh_collider {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /**< (vertex_count x 3) m */
    const uint32_t *triangles; /**< (triangle_count x 3), counter-clockwise from outside */
    float friction;
} hed_cloth_mesh_collider;

/** The input of a frame. Start from hed_default_cloth_frame(). What stays as it was may be NULL or
 * 0. */
typedef struct hed_cloth_frame {
    double seconds;   /**< length of the frame, 1e-6 to 10 */
    uint32_t frames;  /**< 1 to 100000 frames like this in one submission; driver and colliders
                                              move evenly over all of them */
    float gravity[3]; /**< m/s^2, each at most 1e4 in size */
    float wind[3];    /**< m/s, each at most 1e3 in size */
    /** share of the wind that varies in space and time, 0 to 1 */
    float gust;
    /** (4 x 4) column by column, rigid: how the frame of reference moves in this frame (the slides'
     *  deltaPos; a character that runs). Cloth, and where the driver and colliders were, go along;
     *  what garments feel of it is their linear_inertia and angular_inertia. Air goes along, too. */
    const float *motion;
    float motion_centre[3]; /**< m, where the middle of that motion is when the frame begins */
    /** (particles of all garments in order x 3) m, at the frame's end; only driven ones are read */
    const float *driver_positions;
    const float *driver_normals; /**< (the same x 3), of length 1 */
    /** instead: device memory, (particles x 2) float4: position, normal; a pair that is not finite or
     *  farther than 1e6 m leaves its particle's driver where it was */
    hed_buffer *driver_buffer;
    /** (collider_count) the same ones in the same order as in the last frame; new ones at the end
     * */
    const hed_cloth_collider *colliders;
    uint32_t collider_count;
    const hed_cloth_mesh_collider *meshes; /**< (mesh_count) */
    uint32_t mesh_count;
    const float *transform; /**< (4 x 4) column by column, for write-back; NULL: identity */
} hed_cloth_frame;

/** 1/60 s, one frame, gravity -9.81 along y, no wind. Thread class: any. */
HED_API hed_cloth_frame hed_default_cloth_frame(void);

/** Enqueues a frame; returns while the device works (on `host`: when the work is done; with
 *  HED_CLOTH_SELF_TRIANGLES on a device without HED_CAN_GRID_BARRIER: when that of the last substep
 *  is). Arrays are copied before it returns. Errors: ARGUMENT (a number that is not finite or out of range, with
 *  the place; nothing was enqueued), LIMIT, DRIVER, LOST. */
HED_API hed_status hed_cloth_step(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error);
/** Waits for all frames so far. Errors: DRIVER, LOST, FORMAT (a position is no longer finite: the
 *  text names particle and garment, and the cloth goes back to the last good state). Good states
 *  are the start, those that hed_cloth_reset() and hed_cloth_load() set, and then, copied on the
 *  device, that of the first successful wait at least 30 frames after the previous one. */
HED_API hed_status hed_cloth_wait(hed_cloth *cloth, hed_error *error);

/* ---- results ---- */

/** Particles and vertices of all garments, copies included. Thread class: rt. */
HED_API uint32_t hed_cloth_particle_count(const hed_cloth *cloth);
/** \copydoc hed_cloth_particle_count() */
HED_API uint32_t hed_cloth_vertex_count(const hed_cloth *cloth);
/** First particle and first vertex of a garment's first copy; copies follow each other. Thread
 * class: rt. */
HED_API void hed_cloth_garment_range(
    const hed_cloth *cloth, uint32_t garment, uint32_t *first_particle, uint32_t *first_vertex);

/** Waits and copies; each pointer may be NULL. `positions` and `normals`: (vertex_count x 3),
 *  through the frame's transform; `colours`: (vertex_count x 4) bytes, the driver constraint's
 *  diagnostic colours. Staging memory is allocated by the first call that needs it. Errors: as
 *  hed_cloth_wait(); MEMORY, DEVICE_MEMORY. */
HED_API hed_status hed_cloth_read(
    hed_cloth *cloth, float *positions, float *normals, uint8_t *colours, hed_error *error);
/** The last frame's vertices on the device: (vertex_count) float4, x y z and RGBA8 in the bits of
 * w. Two buffers in turn: the next frame leaves the returned one untouched. Thread class: rt. */
HED_API hed_buffer *hed_cloth_vertex_buffer(const hed_cloth *cloth);
/** (vertex_count) float4 normals, likewise; NULL if hed_cloth_enable_normals() was not called.
 *  Thread class: rt. */
HED_API hed_buffer *hed_cloth_normal_buffer(const hed_cloth *cloth);
/** From the next frame on normals are computed at each frame's end (they are anyway where there is
 * wind). Errors: MEMORY, DRIVER. */
HED_API hed_status hed_cloth_enable_normals(hed_cloth *cloth, hed_error *error);
/** From the next frame on write-back goes into these buffers in turn, such as two of
 * hed_buffer_from_gl(); they are acquired and
 *  released around it. NULL, NULL: the cloth's own. Errors: BOUNDS, ARGUMENT. */
HED_API hed_status hed_cloth_set_vertex_buffers(
    hed_cloth *cloth, hed_buffer *even, hed_buffer *odd, hed_error *error);
/** The stream the cloth works in. Thread class: rt. */
HED_API hed_stream *hed_cloth_stream(const hed_cloth *cloth);

/* ---- jumps and saved states ---- */

/** Back to the start, at rest. */
HED_API hed_status hed_cloth_reset(hed_cloth *cloth, hed_error *error);
/** Moves a garment (all copies) by a rigid 4 x 4 matrix, which also turns the velocities; the jump
 * itself exerts no force. */
HED_API hed_status hed_cloth_teleport(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error);
/** Bytes that hed_cloth_save() writes. Thread class: rt. */
HED_API uint64_t hed_cloth_save_size(const hed_cloth *cloth);
/** Waits and writes the whole state: positions, previous positions, carries, driver, colliders,
 * origin, time. A cloth of the same definition that loads it continues bit for bit. */
HED_API hed_status hed_cloth_save(hed_cloth *cloth, void *state, hed_error *error);
/** Sets a saved state, of which all is checked before any is taken. Errors: FORMAT (from a cloth of
 *  another definition, damaged, with a number that is not finite or out of range, or in the format of
 *  another version, which the text names), DRIVER, LOST, MEMORY. */
HED_API hed_status hed_cloth_load(
    hed_cloth *cloth, const void *state, uint64_t size, hed_error *error);

/* ---- insight ---- */

/** The four algorithms of the slides. */
typedef enum hed_cloth_algorithm {
    HED_CLOTH_INTEGRATE,
    HED_CLOTH_DISTANCE,
    HED_CLOTH_DRIVE,
    HED_CLOTH_WRITE_BACK,
    HED_CLOTH_ALGORITHM_COUNT
} hed_cloth_algorithm;

/** From the next frame on one algorithm runs as native C on mapped buffers, or on the device again.
 *  HED_CLOTH_COLOURS and HED_CLOTH_SETS only. Errors: UNSUPPORTED. */
HED_API hed_status hed_cloth_use_native(
    hed_cloth *cloth, hed_cloth_algorithm algorithm, bool native, hed_error *error);

/** The cloth as built. */
typedef struct hed_cloth_info {
    hed_cloth_solver solver;
    hed_config_origin configured; /**< where the choice of solver and launch came from */
    uint64_t particles, vertices, constraints, triangles, tethers;
    uint32_t colours; /**< sets of independent constraints; of the largest garment */
    /** largest number of constraints at one particle: no fewer colours are possible */
    uint32_t degree;
    uint64_t smallest_set, largest_set;
    uint32_t patches;      /**< of one garment; 0: none */
    uint64_t boundary;     /**< constraints between patches */
    uint64_t device_bytes; /**< all buffers */
    char choice[256];      /**< the launch, such as "joint, 160 threads, 128 patches" */
} hed_cloth_info;

/** Thread class: rt. */
HED_API void hed_cloth_report(const hed_cloth *cloth, hed_cloth_info *report);

/** What of a garment's stiffness is there, by 1 / given = 1 / asked + 1 / most: a sweep over the
 * constraints of a mesh of spacing a, of density r kg/m^2, in substeps of t seconds, cannot be
 * stiffer than about r (a/t)^2 N/m in stretch and r a^4 / (3 t^2) N m in bending. Bending of grids is
 * solved line by line, but for HED_CLOTH_GARMENTS and HED_CLOTH_PATCHES, and is as asked for. */
typedef struct hed_cloth_stiffness {
    hed_cloth_fabric asked, given; /**< given: by the present substeps and iterations */
    double part;                   /**< the least of given / asked */
    /** how many in a frame give 90 % of all that is asked, with these iterations; UINT32_MAX: more
     * than 1e9 */
    uint32_t substeps_for_most;
} hed_cloth_stiffness;

/** Of a garment in frames of `seconds`. False: it has no fabric. Thread class: rt. */
HED_API bool hed_cloth_stiffness_of(
    const hed_cloth *cloth, uint32_t garment, double seconds, hed_cloth_stiffness *stiffness);

/** How good the last frame is, measured on the host in double. */
typedef struct hed_cloth_metrics {
    /** largest of length / longest allowed length - 1 over structural constraints */
    double worst_stretch;
    /** the 99th percentile of the same; below 0: they are shorter */
    double stretch_p99;
    double stretch_p50;     /**< the median of the same */
    double residual;        /**< root mean square of the violation / rest length, all constraints */
    double kinetic_energy;  /**< J */
    double low[3], high[3]; /**< m, bounding box */
    uint64_t not_finite;    /**< particles */
    uint64_t hash;          /**< of the positions' bits and of where they are measured from */
    /* of garments with HED_CLOTH_SELF_TRIANGLES, since the start, a reset or a load */
    /** pairs that could meet, in the last substep and at most in one */
    uint64_t contact_pairs, contact_pairs_most;
    uint64_t contact_substeps; /**< in which they were looked for */
    uint64_t contact_legs;     /**< of all of them: what was cut goes on in a further one */
    uint64_t contact_lists;    /**< made of what may meet for some legs */
    /** vertices that went a part of their way only, so that nothing crossed; all substeps */
    uint64_t contact_cut;
    /** substeps in which all stood still for want of room, which has grown since */
    uint64_t contact_still;
} hed_cloth_metrics;

/** Waits and measures; reads all positions. Errors: DRIVER, LOST, MEMORY. */
HED_API hed_status hed_cloth_evaluate(
    hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);

/** Descriptions of the engine's kernels, for conformance, tuning and benchmarks. Thread class:
 * any. */
HED_API uint32_t hed_cloth_kernel_count(void);
/** \copydoc hed_cloth_kernel_count() */
HED_API const hed_kernel_def *hed_cloth_kernel_at(uint32_t index);

HED_END

#endif
