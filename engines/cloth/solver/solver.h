/* The inside of a hed_cloth: what the solvers (colours.c, patches.c, native.c) and the
 * collisions (contact.c) share. cloth.c owns it.
 *
 * All garments and their copies lie one behind another: particle i of copy k of garment g is
 * first_particle[g] + k * garments[g]->particle_count + i, and vertices likewise. */
#ifndef CLOTH_SOLVER_H
#define CLOTH_SOLVER_H

#include "kernels/kernels.h"
#include "model/garment.h"

/* Device memory. NULL where the definition has no use for it; kernels then get `none`, a buffer of
 * 64 bytes. Buffers and nothing else, so that CLOTH_BUFFERS() lists them. */
typedef struct cloth_buffers {
    hed_buffer *none;
    hed_buffer *position; /* (particles) float4: x y z, inverse mass */
    hed_buffer *previous; /* (particles) float4: x y z, number of the garment */
    /* (particles) uint2: cloth_carry_pack(): what ways are more than the difference of the two */
    hed_buffer *carry;
    hed_buffer *garments; /* (garments x 2) float4: struct cloth_cloth */
    hed_buffer *air;      /* (particles) float4: normal of length 1, area / mass in m^2/kg */
    hed_buffer *tether;   /* (particles) uint2: anchor (0xffffffff: none), bits of the length */
    hed_buffer *anchors;  /* (anchors) uint: the particle each is */
    /* Two halves each, of which cloth_drive() mostly reads the first: (2 x particles) float4. */
    /* positions, then normals; where a frame begins and ends */
    hed_buffer *driver_from, *driver_to;
    /* R b r s, then k 0 0 0; R is CLOTH_UNDRIVEN where no driver is */
    hed_buffer *driver_map;
    /* (particles) uint2: RGBA8, bits of the length moved by the driver */
    hed_buffer *debug;
    /* (max_colliders x CLOTH_COLLIDER_WORDS) float4 */
    hed_buffer *colliders;
    /* (particles x 2) float4: plane, motion; as cloth_touch() takes them */
    hed_buffer *contact;
    hed_buffer *vertex_particle;          /* (vertices) uint */
    hed_buffer *vertices[2], *normals[2]; /* (vertices) float4 */
    /* (particles + 1) uint, (3 x triangles) uint, (triangles x 3) uint */
    hed_buffer *incident_at, *incident, *triangles;
    hed_buffer *gases; /* (gases x 2) uint4: see cloth_gas() */
    /* uint4: x not 0 when a position is no longer finite, y when a packet did not come */
    hed_buffer *flags;
    /* the state to go back to */
    hed_buffer *good_position, *good_previous, *good_carry;
    /* (particles x 3) float, of the driver as the program has it */
    hed_buffer *fed_positions, *fed_normals;
} cloth_buffers;

typedef struct cloth_solver cloth_solver;     /* a solver's own state */
typedef struct cloth_contacts cloth_contacts; /* contact.c's */

/* What one of hed_cloth_solver does. */
typedef struct cloth_solver_ops {
    hed_cloth_solver id;
    /* Whether it can serve this cloth on this device, and if not, why (in words). */
    bool (*valid)(const hed_cloth *cloth, char *reason, size_t size);
    hed_status (*create)(hed_cloth *cloth, cloth_solver **solver, hed_error *error);
    void (*destroy)(hed_cloth *cloth, cloth_solver *solver);
    /* Enqueues `count` substeps: first the one described by `first`, then count - 1 like `rest`,
     * whose from and to go on by (rest->to - rest->from) and whose time goes on by dt from one to
     * the next. Never more than one when the cloth has self-collision. */
    hed_status (*substeps)(hed_cloth *cloth, cloth_solver *solver, const cloth_step *first,
        const cloth_step *rest, float dt, uint32_t count, hed_error *error);
    void (*report)(const hed_cloth *cloth, const cloth_solver *solver, hed_cloth_info *report);
} cloth_solver_ops;

extern const cloth_solver_ops cloth_colours_ops;  /* colours.c: HED_CLOTH_COLOURS */
extern const cloth_solver_ops cloth_sets_ops;     /* colours.c: HED_CLOTH_SETS */
extern const cloth_solver_ops cloth_patches_ops;  /* patches.c: HED_CLOTH_PATCHES */
extern const cloth_solver_ops cloth_garments_ops; /* patches.c: HED_CLOTH_GARMENTS */
extern const cloth_solver_ops cloth_cpu_ops;      /* native.c: HED_CLOTH_CPU */

struct hed_cloth {
    hed_allocator allocator;
    hed_device *device;
    hed_stream *stream;
    bool own_stream;
    hed_cloth_def def; /* `garments` is NULL here: see below */
    uint32_t garment_count;
    cloth_garment **garments; /* (garment_count) */
    uint32_t *first_particle; /* (garment_count + 1) */
    uint32_t *first_vertex;   /* (garment_count + 1) */
    uint32_t *first_triangle; /* (garment_count + 1) copies included */
    uint32_t *first_anchor;   /* (garment_count + 1) copies included */
    uint32_t particles, vertices, triangles;
    bool has_tethers, has_driver, has_air, has_self, has_balls, wants_normals;
    bool has_seams, has_pressure;
    uint32_t gases;   /* garments whose pressure depends on their volume */
    bool has_inertia; /* a garment feels the motion of the frame of reference */
    cloth_buffers buffers;
    double origin[3]; /* m, where all places on the device are measured from: state.c */
    hed_config tuned; /* what measurement has found for such a cloth (tune.h); count 0: nothing */
    hed_config_origin configured;
    const cloth_solver_ops *ops;
    cloth_solver *solver;
    cloth_contacts *contacts; /* NULL until there is a mesh collider or self-collision */
    float last_dt;            /* s, of the last substep; 0 at the start */
    double time;              /* s since the start */
    uint32_t frame;           /* frames so far */
    struct cloth_host *host;  /* cloth.c's own: staging, saved state, kernels */
};

/* ---- collisions beyond simple colliders: contact.c ---- */

/* Makes what self-collision needs; mesh colliders are added by the first frame that has them. */
hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error);
void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts);
/* Enqueues: for each particle the plane of the nearest triangle of the mesh colliders into
 * buffers.contact, from positions at the frame's beginning; `seconds` is how far ahead a particle's
 * way is looked along. */
hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double seconds, hed_error *error);
/* At a submission's beginning, when places and motion are fed: notes where cloth that never crosses
 * begins, and makes more room for it where the last submissions needed most of it. At the end:
 * what was needed goes on its way to the host. */
hed_status cloth_contacts_begin(hed_cloth *cloth, hed_error *error);
hed_status cloth_contacts_end(hed_cloth *cloth, hed_error *error);
/* Enqueues what keeps cloth from cloth at the end of the substep `step` of `dt` seconds (whose
 * colliders it respects). */
hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, float dt, hed_error *error);
/* Waits for what is known of cloth that never crosses. */
hed_status cloth_contacts_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);
/* The longest way, in m, that a particle may go in a substep so that no ball passes through other
 * balls: for cloth_step.longest_move. 1e9 without them. */
float cloth_contacts_longest_move(const hed_cloth *cloth);
/* Bytes of its buffers. */
uint64_t cloth_contacts_bytes(cloth_contacts *contacts);
/* Moving part of the mesh colliders, for hed_cloth_save(): size, write, check (`contacts` may be
 * NULL), read what was checked. */
uint64_t cloth_contacts_state_size(const cloth_contacts *contacts);
void cloth_contacts_state(const cloth_contacts *contacts, void *state);
hed_status cloth_contacts_check_state(
    const cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
hed_status cloth_contacts_set_state(
    hed_cloth *cloth, cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error);
/* Everything jumped: forget where the colliders were. */
hed_status cloth_contacts_reset(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error);
/* Where mesh colliders were goes through a rigid 4 x 4 matrix, column by column. */
void cloth_contacts_move(cloth_contacts *contacts, const float *matrix);

/* ---- shared by all solvers ---- */

/* A point through a 4 x 4 matrix, column by column. */
void cloth_point_through(const float *matrix, const float *from, float *to);
/* A place of the world as the device has it, relative to the origin. */
float4 cloth_from_world(const hed_cloth *cloth, const float *place, float w);

/* Whether some garment bends as a fabric does, or has elements: cloth.c. */
bool cloth_has_fabric_sums(const hed_cloth *cloth);

/* Copies of all garments together. */
static inline uint32_t cloth_copies(const hed_cloth *cloth)
{
    uint32_t copies = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) copies += cloth->garments[g]->copies;
    return copies;
}

/* What a kernel is given for an array that this cloth may lack. */
static inline hed_buffer *cloth_or_none(const hed_cloth *cloth, hed_buffer *buffer)
{
    return buffer ? buffer : cloth->buffers.none;
}

static inline void *cloth_host_of(const hed_buffer *buffer)
{
    return buffer ? hed_buffer_describe(buffer).host : NULL;
}

/* A struct of buffers as a list of them, and its length. */
#define CLOTH_BUFFERS(set) (hed_buffer **)(set), sizeof *(set) / sizeof(hed_buffer *)
/* Destroys those that are there, and forgets them. */
void cloth_buffers_destroy(hed_buffer **buffers, size_t count);
uint64_t cloth_buffers_bytes(hed_buffer **buffers, size_t count);

/* A device buffer with this content (NULL: zeros), written through the cloth's stream and waited
 * for. */
hed_status cloth_upload(
    hed_cloth *cloth, const void *content, uint64_t size, hed_buffer **buffer, hed_error *error);

#endif
