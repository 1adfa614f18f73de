/* Inside of the solver, for the files of this folder: solvers, kernels, uploads, the saved good
 * state. */
#ifndef CLOTH_HOST_H
#define CLOTH_HOST_H

#include "contact/contact.h"
#include "object/cloth_object.h"

#include "kernels/particle.h"

#include "heddle/author.h"
#include "heddle/launch.h"
#include "heddle/view.h"

extern const cloth_solver_ops cloth_colours_ops;     /* colours.c: HED_CLOTH_SOLVER_COLOURS */
extern const cloth_solver_ops cloth_cooperative_ops; /* colours.c: HED_CLOTH_SOLVER_COOPERATIVE */
extern const cloth_solver_ops cloth_sets_ops;        /* colours.c: HED_CLOTH_SOLVER_SETS */
extern const cloth_solver_ops cloth_patches_ops;     /* patches.c: HED_CLOTH_SOLVER_PATCHES */
extern const cloth_solver_ops cloth_garments_ops;    /* patches.c: HED_CLOTH_SOLVER_GARMENTS */
extern const cloth_solver_ops cloth_newton_ops;      /* newton.c: HED_CLOTH_SOLVER_NEWTON */
extern const cloth_solver_ops cloth_cpu_ops;         /* native.c: HED_CLOTH_SOLVER_CPU */

/* True if a garment has sums of a fabric, cloth_sums_of() (cloth_choice.c). */
bool cloth_has_fabric_sums(const hed_cloth *cloth);
/* Chooses the solver of a cloth from a table of all solvers: as requested, as tuned, or by rule
 * (cloth_choice.c). `tries_newton`: HED_CLOTH_SOLVER_NEWTON, too, whose creation may fail.
 * Errors: UNSUPPORTED (the reason). */
hed_status cloth_choose_structure(hed_cloth *cloth, const cloth_solver_ops *const *solver_table,
    bool tries_newton, hed_error *error);

/* Chooses the substeps of a frame for garments that exist (substeps.c). */
uint32_t cloth_choose_substeps(const hed_cloth *cloth);
/* Chooses the substeps of a frame for HED_CLOTH_SOLVER_NEWTON. */
uint32_t cloth_choose_newton_substeps(const hed_cloth *cloth);
/* Longest motion of a body, m, in a substep of a cloth whose substeps are chosen. */
double cloth_choose_body_motion(const hed_cloth *cloth);
/* Substeps of a checked frame, and searches of the planes of all particles in it, since mesh
 * colliders move: a plane has no border, so cloth that slips over its triangle's edge within the
 * frame would be caught there. Stores the middle of the frame's driver (frame_substeps.c). */
uint32_t cloth_frame_substeps(hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t *searches);
/* Motion of a particle relative to its plane after which the plane is found again, m. */
double cloth_plane_slip(const hed_cloth *cloth);

/* Kernels of the solver, created by hed_cloth_create() if the definition announces their use,
 * else at first use. */
typedef enum cloth_kernel {
    CLOTH_KERNEL_INTEGRATE,
    CLOTH_KERNEL_DISTANCE,
    CLOTH_KERNEL_SETS,
    CLOTH_KERNEL_LINES,
    CLOTH_KERNEL_ELEMENTS,
    CLOTH_KERNEL_ELEMENT_PATCHES,
    CLOTH_KERNEL_CELLS,
    CLOTH_KERNEL_CHAINS,
    CLOTH_KERNEL_PLACES,
    CLOTH_KERNEL_SHARES,
    CLOTH_KERNEL_DRIVE,
    CLOTH_KERNEL_WRITE_BACK,
    CLOTH_KERNEL_SURFACE,
    CLOTH_KERNEL_WIND,
    CLOTH_KERNEL_GAS,
    CLOTH_KERNEL_EXPECT,
    CLOTH_KERNEL_TURN,
    CLOTH_KERNEL_MOVE,
    CLOTH_KERNEL_FEED,
    CLOTH_KERNEL_READ,
    CLOTH_KERNEL_COUNT
} cloth_kernel;

/* Maximum numbers of garments that a common origin follows, and whose distance from it parts all:
 * each costs a small copy. */
enum { CLOTH_LOOKS = 8, CLOTH_PART_LOOKS = 64 };

/* Submissions within which motions of a garment may be unknown to the host. */
enum { CLOTH_UNSEEN = 20 };

#define CLOTH_ORIGIN_FARTHEST 1048576.0 /* largest coordinate of an origin, m: 2^20 */

/* State of the origin, which follows the cloth (origin.c). */
typedef struct cloth_look {
    hed_buffer *pinned; /* (garments) float4, copied positions; NULL before the first copy */
    hed_event *done;
    uint32_t submissions; /* since the last look */
    /* submissions until the origin moves to the copied positions; 0: no copy is pending */
    uint32_t after;
    bool known;      /* `middle`, `parts` and the garments' places are valid */
    bool parts;      /* garments are so far from each other that each gets its own origin */
    float middle[3]; /* m, centre of the copied positions, relative to the common origin */
    double start[3]; /* the origin at the start */
} cloth_look;

/* Memory of hed_cloth_read(): rows on the device, and pinned memory for chunks of them. Created
 * at first use. */
enum { CLOTH_READ_PARTS = 3, CLOTH_READ_SLOTS = 4 };
typedef struct cloth_reading {
    /* (vertices) of positions, normals, colours: 12, 12 and 4 bytes */
    hed_buffer *rows[CLOTH_READ_PARTS];
    hed_buffer *pinned[CLOTH_READ_SLOTS];
    hed_event *arrived[CLOTH_READ_SLOTS];
} cloth_reading;

/* s, time of the motions that garments start with; exact as a float */
#define CLOTH_START_DT 0.00390625

typedef struct cloth_host {
    hed_kernel *kernels[CLOTH_KERNEL_COUNT];
    /* list to which cloth_run() appends; NULL: it launches (solver/cooperative.h) */
    struct cloth_cooperative *gathering;
    bool native[HED_CLOTH_ALGORITHM_COUNT]; /* runs as C between map and unmap */
    /* the last uploads */
    float garments_dt;             /* dt of the values in buffers.garments, s */
    bool garments_old;             /* buffers.garments has former origins */
    hed_cloth_collider *colliders; /* (collider_count) current positions */
    /* (max_colliders x CLOTH_COLLIDER_WORDS) as they are on the device */
    float4 *collider_words;
    float4 *scratch_words; /* (max_colliders x CLOTH_COLLIDER_WORDS) the next ones */
    uint32_t collider_count;
    hed_cloth_wind_grid grid; /* `velocities` NULL: on the device; size 0: no grid */
    bool has_meshes;
    bool driver_moves; /* driver_from is not driver_to */
    bool has_driver_middle;
    double driver_middle[3]; /* m, mean of the driver's last targets in the world */
    bool air_fresh;          /* buffers.air belongs to the current positions */
    /* write-back */
    float transform[16]; /* the frame's matrix, column by column, for positions of the world */
    cloth_view view;     /* the matrix for positions relative to the origin */
    hed_buffer *into[2]; /* the program's, or NULL */
    bool into_gl;
    uint32_t turn; /* index in `into` of the next write-back */
    cloth_reading reading;
    /* last good state */
    float good_dt;
    double good_time;
    uint32_t good_frame;
    cloth_home *good_homes; /* (cloth_home_count()) */
    bool good_apart;
    cloth_look look;
    /* motion of the frame of reference in the last frame, and its time, s; 0: no frame yet, or a
     * jump since */
    float pace[16];
    double pace_seconds;
    bool dirty; /* commands were enqueued since the last successful wait */
} cloth_host;

HED_VIEW_LAUNCH(cloth_move_launch, CLOTH_MOVE)

/* Launches a kernel for `size` elements, or runs its native version on mapped buffers if the
 * program requests that. */
hed_status cloth_run(hed_cloth *cloth, cloth_kernel kernel, uint64_t size,
    const hed_argument *arguments, uint32_t count, hed_error *error);
/* Enqueues the integrator, with tethers; then colliders, contacts and driver, without the flags
 * `skipped`. `steps`: buffer of cloth_step. */
hed_status cloth_integrate_all(
    hed_cloth *cloth, hed_buffer *steps, uint32_t substep, hed_error *error);
hed_status cloth_drive_all(
    hed_cloth *cloth, hed_buffer *steps, uint32_t substep, uint32_t skipped, hed_error *error);
/* Creates a kernel, unless it exists or is a task of HED_CLOTH_SOLVER_COOPERATIVE. */
hed_status cloth_kernel_ensure(
    hed_cloth *cloth, cloth_kernel kernel, uint64_t size, hed_error *error);
/* Creates the kernels that frames of this definition may need in addition to the solver's, so
 * that no step compiles. */
hed_status cloth_kernels_announced(hed_cloth *cloth, hed_error *error);
/* True if an algorithm of the substep currently runs as C, which no graph can contain. */
bool cloth_runs_native(const hed_cloth *cloth);

/* Creates and fills all buffers of a cloth whose garments exist. */
hed_status cloth_upload_all(hed_cloth *cloth, hed_error *error);
/* Uploads positions and previous positions of the start. */
hed_status cloth_upload_start(hed_cloth *cloth, hed_error *error);
/* Uploads the driver at the start. */
hed_status cloth_upload_driver(hed_cloth *cloth, hed_error *error);
/* Creates a cloth of the present form of another one's garments that tear, at its start, on its
 * stream (cloth.c). */
hed_status cloth_create_torn(const hed_cloth *from, hed_cloth **cloth, hed_error *error);
/* Opens the edges that are too long at the end of the last submission (torn.c). */
hed_status cloth_open_tears(hed_cloth *cloth, hed_error *error);
/* Makes the present form of a cloth that tears, at its start, with the program's settings; then
 * puts it in the place of the cloth, or destroys it after an error (cloth_form.c). */
hed_status cloth_form_create(const hed_cloth *cloth, hed_cloth **form, hed_error *error);
void cloth_form_use(hed_cloth *cloth, hed_cloth *form, const hed_error *error);
/* Takes over the state of a cloth of the same particles, with other masses, and with moved rows:
 * `splits` of each garment follow each other, `counts` of them (state.c). */
struct cloth_tear_split;
hed_status cloth_take_state(hed_cloth *cloth, hed_cloth *from,
    const struct cloth_tear_split *splits, const uint32_t *counts, hed_error *error);

/* Uploads the arrays from which normals and air are computed. */
hed_status cloth_upload_surface(hed_cloth *cloth, hed_error *error);
/* Writes materials and origins of the garments into buffers.garments, unless they are as they were.
 * Outside of a submission, `dt` is that of the last one, and the device is waited for. */
hed_status cloth_feed_garments(hed_cloth *cloth, float dt, hed_error *error);
hed_status cloth_renew_garments(hed_cloth *cloth, hed_error *error);

/* Enqueues normals and areas of the current positions into buffers.air. */
hed_status cloth_find_surface(hed_cloth *cloth, hed_error *error);
/* Checks the wind of a definition, and of a frame (wind.c). */
hed_status cloth_check_wind_grid(const hed_cloth_def *def, hed_error *error);
hed_status cloth_check_fans(const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error);
/* Uploads the wind's grid, and makes space for fans. */
hed_status cloth_upload_winds(hed_cloth *cloth, const hed_cloth_wind_grid *grid, hed_error *error);
hed_status cloth_feed_fans(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error);
/* Enqueues the wind of the field at the current positions, for substeps of `dt`, into the second
 * half of buffers.air. */
hed_status cloth_find_wind(hed_cloth *cloth, uint32_t fans, double dt, hed_error *error);
/* Finds the connected parts of garments under pressure (pieces.c). */
hed_status cloth_upload_pieces(hed_cloth *cloth, hed_error *error);
/* Enqueues positions after the integration of a substep, which precedes it. */
hed_status cloth_expect(hed_cloth *cloth, const cloth_step *step, hed_error *error);
/* Enqueues the rotation that cancels the torque of a substep's constraints. */
hed_status cloth_turn(hed_cloth *cloth, const cloth_step *step, hed_error *error);
/* Enqueues write-back into the next buffers, and switches to them. */
hed_status cloth_show(hed_cloth *cloth, hed_error *error);

/* Sets the origins to the middle of the garments' initial positions (origin.c). */
void cloth_origin_start(hed_cloth *cloth);
/* Enqueues a rigid matrix of the world on all particles and their driver, with their origins. */
hed_status cloth_move_all(hed_cloth *cloth, const float *matrix, hed_error *error);
/* Moves one garment of the whole cloth by a rigid matrix of the world; its origin, if it has one,
 * moves too, also in parts without the garment. */
hed_status cloth_move_garment(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error);
/* Moves each garment by its rigid matrix of the world, column by column: (garment_count x 16), of
 * the whole cloth. */
hed_status cloth_jump(hed_cloth *cloth, const float *matrices, hed_error *error);
/* Moves the frame of reference with all particles and the previous driver and colliders, then
 * changes motions by the inertia that garments feel (inertia.c). */
hed_status cloth_move_frame(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error);
/* Transforms a collider by a rigid 4 x 4 matrix, column by column. */
hed_cloth_collider cloth_collider_through(const float *matrix, const hed_cloth_collider *collider);
/* Position of a collider at the beginning of a frame. */
hed_cloth_collider cloth_collider_before(
    const cloth_host *host, const hed_cloth_frame *frame, uint32_t index);
/* cloth_garment.reach of a garment. */
double cloth_origin_reach(const cloth_garment *garment);
/* Distance along an axis of the box around a garment's middle that contains the garment, in
 * addition to its motion in the last CLOTH_UNSEEN submissions, m; INFINITY: unknown. */
double cloth_origin_range(const hed_cloth *cloth, uint32_t garment);
/* Start of a submission, where the origin may move, and its end, where positions may be copied. */
hed_status cloth_origin_follow(hed_cloth *cloth, hed_error *error);
hed_status cloth_origin_look(hed_cloth *cloth, hed_error *error);
/* Waits for a pending copy of positions, for saved states. */
hed_status cloth_origin_seen(hed_cloth *cloth, hed_error *error);
/* Sets the origins of positions that were restored, and moves the driver to them. */
hed_status cloth_origin_go_back(
    hed_cloth *cloth, const cloth_home *homes, bool is_apart, hed_error *error);
/* Sets origins that positions on the device still have. */
void cloth_origin_return(hed_cloth *cloth, const cloth_home *homes, bool is_apart);
/* Sets the origins of a saved state: one, or one for each garment (`is_apart`), in which case
 * garments that may touch get a common one. */
hed_status cloth_origin_load(hed_cloth *cloth, const double *origin, const cloth_home *homes,
    bool is_apart, hed_error *error);

/* Enqueues a copy of the current state as the last good state. */
hed_status cloth_keep_state(hed_cloth *cloth, hed_error *error);
/* Sets cloth_host.transform from a 4 x 4 matrix (NULL: identity), and the view. */
void cloth_set_view(hed_cloth *cloth, const float *transform);

/* ARGUMENT unless a 4 x 4 matrix is finite and its last row is 0 0 0 1; `rigid`: and it neither
 * stretches nor mirrors. */
hed_status cloth_check_matrix(const float *matrix, bool rigid, const char *what, hed_error *error);

#endif
