/* Inside of a hed_cloth, for the solvers and contact, and its device memory.
 *
 * Arrays have all garments and their copies in order: particle i of copy k of garment g is
 * first_particle[g] + k * garments[g]->particle_count + i. Vertices have the same order. */
#ifndef CLOTH_OBJECT_H
#define CLOTH_OBJECT_H

#include "kernels/kernels.h"
#include "model/garment.h"

/* Device memory. NULL where the definition has no use for it; kernels then get `none`, a buffer of
 * 64 bytes. Buffers and nothing else, so that CLOTH_BUFFERS() lists them. */
typedef struct cloth_buffers {
    hed_buffer *none;
    hed_buffer *position; /* (particles) float4: x y z, inverse mass */
    hed_buffer *previous; /* (particles) float4: x y z, number of the garment */
    /* (particles) uint2: cloth_carry_pack() of the motion less the difference of the two
     * positions */
    hed_buffer *carry;
    /* (particles) float4: positions from which friction of cloth on cloth measures slip */
    hed_buffer *grips;
    hed_buffer *garments; /* (garments x CLOTH_GARMENT_WORDS) float4: material, origin */
    /* (particles) float4: normal of length 1, area / mass in m^2/kg; with a field of wind then
     * (particles) its motion in a substep, m */
    hed_buffer *air;
    hed_buffer *fans;    /* (max_fans x CLOTH_FAN_WORDS) float4: cloth_wind_one() */
    hed_buffer *grid;    /* (nodes of the wind's grid) float4: velocity, m/s */
    hed_buffer *tether;  /* (particles) uint2: anchor (0xffffffff: none), bits of the length */
    hed_buffer *anchors; /* (anchors) uint: the particle each is */
    /* Two halves each, of which cloth_drive() mostly reads the first: (2 x particles) float4. */
    /* positions, then normals; where a frame begins and ends */
    hed_buffer *driver_from, *driver_to;
    /* R b r s, then k 0 0 0; R is CLOTH_UNDRIVEN where no driver is */
    hed_buffer *driver_map;
    /* (particles) uint2: RGBA8, bits of the length moved by the driver */
    hed_buffer *debug;
    /* (max_colliders x CLOTH_COLLIDER_WORDS) float4 */
    hed_buffer *colliders;
    /* (particles x CLOTH_CONTACT_WORDS) float4, as cloth_touch_planes() reads them */
    hed_buffer *contact;
    hed_buffer *vertex_particle;          /* (vertices) uint */
    hed_buffer *vertices[2], *normals[2]; /* (vertices) float4 */
    /* (particles + 1) uint, (3 x triangles) uint, (triangles x 3) uint */
    hed_buffer *incident_at, *incident, *triangles;
    hed_buffer *gases; /* (gases x 2) uint4: see cloth_gas() */
    /* (particles) float4, (particles of pieces) uint, (pieces) uint2: see turn.h */
    hed_buffer *expected, *members, *pieces;
    /* uint4: x not 0 when a position is no longer finite, y when a packet did not come */
    hed_buffer *flags;
    /* the state to go back to */
    hed_buffer *good_position, *good_previous, *good_carry;
    /* (particles x 3) float, of the driver as the program has it */
    hed_buffer *fed_positions, *fed_normals;
} cloth_buffers;

typedef struct cloth_solver cloth_solver;     /* a solver's own state */
typedef struct cloth_contacts cloth_contacts; /* contact/contact_host.h */

/* Functions of one hed_cloth_solver. */
typedef struct cloth_solver_ops {
    hed_cloth_solver id;
    /* Returns true if the solver supports this cloth on this device; else writes the reason as
     * text. */
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

/* Origin of a garment's positions. */
typedef struct cloth_home {
    double origin[3]; /* m, in the world */
    double start[3];  /* m, middle of its start positions */
    /* m, the last copied position of one of its particles, relative to the origin */
    float place[3];
    /* motion of the garment since that copy, column by column */
    float since[16];
    double middle[3]; /* m, middle of the garment when it was last looked at, relative to the origin */
    float drift[3];   /* m, motion of the middle between the last two looks */
} cloth_home;

enum { CLOTH_SLOTS = 3 }; /* submissions whose staging memory may be in use at once */

/* Pinned memory of the uploads of one hed_cloth_step(). */
typedef struct cloth_slot {
    hed_buffer *pinned; /* NULL until the first upload */
    hed_event *done;
    uint64_t used; /* bytes */
    bool busy;     /* `done` is recorded and was not waited for */
} cloth_slot;

/* Uploads of a frame are copied into pinned memory first, so that hed_cloth_step() returns while
 * the device works, and the program's arrays are free at once. */
typedef struct cloth_staging {
    cloth_slot slots[CLOTH_SLOTS];
    uint32_t current;
    uint64_t bytes; /* size of a slot; 0: uploads need no staging, since the device is the host */
} cloth_staging;

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
    bool is_chosen; /* the definition leaves the substeps to the engine */
    /* longest motion of a body in a substep, m, where substeps are chosen: frames with faster
     * bodies have more substeps. 0: any */
    double body_motion;
    uint32_t frame_substeps; /* number in the last frame; 0: no frame yet */
    uint32_t frame_at;       /* number in its frame of the substep with which the solver begins */
    uint32_t most_substeps;  /* largest number so far */
    /* A cloth on several devices has no stream, buffers, host and solver of its own: each of its
     * parts is a cloth on one device, of consecutive copies of the garments (object/division.h). */
    hed_cloth **parts;      /* (part_count) NULL: one device */
    uint32_t part_count;    /* 0 on one device */
    const hed_cloth *whole; /* cloth that a part belongs to; NULL: no part */
    /* number in the whole of a part's first garment, its first copy, particle, vertex; else 0 */
    uint32_t base_garment, base_copy, base_particle, base_vertex;
    /* particles that a cloth answers for: all, or those of a strip between its margins */
    uint32_t own_first, own_count;
    struct cloth_strips *strips; /* solver/strips.h; NULL: garments are not cut */
    bool is_split; /* a frame failed, and strips are of different substeps until a reset or load */
    bool has_tethers, has_driver, has_air, has_self, has_balls, wants_normals;
    bool has_seams, has_pressure;
    struct cloth_tear *tear; /* model/tear.h; NULL: no garment tears */
    bool has_field;   /* garments with air may be in the jets of fans, or in a grid of wind */
    uint32_t gases;   /* garments whose pressure depends on their volume */
    uint32_t pieces;  /* connected parts of garments under pressure */
    bool has_inertia; /* a garment feels the motion of the frame of reference */
    cloth_buffers buffers;
    /* m, in the world: origin of colliders, drivers and wind on the device, and of all positions
     * unless is_apart (origin.c) */
    double origin[3];
    cloth_home *homes; /* (cloth_home_count()) of all parts' garments, alike in all parts */
    bool is_apart;     /* each garment has an origin of its own, and `origin` is 0 */
    hed_config
        tuned; /* tuned configuration of such a cloth (solver/patches.h); count 0: not tuned */
    hed_config_origin configured;
    const cloth_solver_ops *ops;
    cloth_solver *solver;
    cloth_contacts *contacts; /* NULL until there is a mesh collider or self-collision */
    float last_dt;            /* s, of the last substep; 0 at the start */
    double time;              /* s since the start */
    uint32_t frame;           /* frames so far */
    cloth_staging staging;
    struct cloth_host *host; /* solver/host.h */
};

/* ---- device memory, in device_memory.c ---- */

/* Transforms a point by a 4 x 4 matrix, column by column. */
void cloth_point_through(const float *matrix, const float *from, float *to);
/* Position of the world relative to the cloth's origin, as on the device. */
float4 cloth_from_world(const hed_cloth *cloth, const float *place, float w);
/* Position of a garment's particle in the world relative to the garment's origin, as on the
 * device. */
float4 cloth_from_home(const hed_cloth *cloth, uint32_t garment, const float *place, float w);

/* ---- cloths on several devices ---- */

/* Number of cloths with device memory: the parts, or the cloth itself. */
static inline uint32_t cloth_part_count(const hed_cloth *cloth)
{
    return cloth->parts ? cloth->part_count : 1;
}
static inline hed_cloth *cloth_part(hed_cloth *cloth, uint32_t part)
{
    return cloth->parts ? cloth->parts[part] : cloth;
}
/* First of these, for everything that all of them have alike: origin, time, colliders. */
static inline const hed_cloth *cloth_lead(const hed_cloth *cloth)
{
    return cloth->parts ? cloth->parts[0] : cloth;
}
/* Cloth with all garments, for everything that depends on more than a part's own. */
static inline const hed_cloth *cloth_whole(const hed_cloth *cloth)
{
    return cloth->whole ? cloth->whole : cloth;
}

/* Number of garments that have an origin: all of the whole cloth. */
static inline uint32_t cloth_home_count(const hed_cloth *cloth)
{
    return cloth_whole(cloth)->garment_count;
}

/* Copies of all garments together. */
static inline uint32_t cloth_copies(const hed_cloth *cloth)
{
    uint32_t copies = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) copies += cloth->garments[g]->copies;
    return copies;
}

/* Argument of a kernel for an array that this cloth may lack. */
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
/* Destroys the buffers and sets them to NULL. */
void cloth_buffers_destroy(hed_buffer **buffers, size_t count);
uint64_t cloth_buffers_bytes(hed_buffer **buffers, size_t count);

/* A device buffer with this content (NULL: zeros), written through the cloth's stream and waited
 * for. */
hed_status cloth_upload(
    hed_cloth *cloth, const void *content, uint64_t size, hed_buffer **buffer, hed_error *error);

/* Staging: begin and end of a submission, and an upload of a copy of `data` in between. */
hed_status cloth_stage_begin(hed_cloth *cloth, hed_error *error);
hed_status cloth_stage_end(hed_cloth *cloth, hed_error *error);
hed_status cloth_send(hed_cloth *cloth, hed_buffer *to, uint64_t offset, const void *data,
    uint64_t size, hed_error *error);
void cloth_staging_destroy(cloth_staging *staging);

#endif
