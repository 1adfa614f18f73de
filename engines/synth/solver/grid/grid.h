/* What the parts of solver grid share: the network of an instrument (grid_network.c), its cut
 * into groups (partition.c), and the tables of lattice.cl (grid_tables.c, conflict.c). All of it is
 * made on the host, once. */
#ifndef SYNTH_GRID_H
#define SYNTH_GRID_H

#include "solver/solver.h"
#include "kernels/lattice.h"
#include "solver/group/kernels.h"

/* The kernel of lattice.cl as the host launches it. */

extern const char hed_synth_lattice_h[], hed_synth_lattice_springs_h[],
    hed_synth_lattice_control_h[], hed_synth_lattice_cl[];

/* Its arguments, in order. */
enum {
    LATTICE_GROUPS,
    LATTICE_TABLE,
    LATTICE_SPRINGS,
    LATTICE_CLASSES,
    LATTICE_PALETTE,
    LATTICE_HALO,
    LATTICE_LINKS,
    LATTICE_STATE,
    LATTICE_PACKETS,
    LATTICE_FLAGS,
    LATTICE_STORE,
    LATTICE_DELAY,
    LATTICE_POKES,
    LATTICE_INPUTS,
    LATTICE_STEMS,
    LATTICE_BUFFERS, /* how many buffers there are */
    LATTICE_STEP = LATTICE_BUFFERS,
    LATTICE_LAYOUT,
    LATTICE_HALO_ROOM,
    LATTICE_BLOCK,
    LATTICE_ARGUMENTS
};

/* Its parameters. */
enum { LATTICE_WG, LATTICE_EACH, LATTICE_RIM, LATTICE_HALO_ROUNDS, LATTICE_PARAMETERS };
enum { LATTICE_MOST_EACH = 16 };

extern const hed_kernel_def synth_lattice_def; /* a launch for each sample */
/* all samples in one launch, packets between groups */
extern const hed_kernel_def synth_lattice_packets_def;

enum {
    SYNTH_MOST_CLASSES = 256,
    SYNTH_MOST_MATERIALS = 256,
    SYNTH_MOST_KINDS = 255 /* and one that pulls nothing */
};
#define SYNTH_ANCHORED UINT32_MAX

/* A stiffness and a stretch that springs have: rest = L0/|d0|. */
typedef struct synth_material {
    float stiffness, cubic;
    double rest;
} synth_material;

/* The free bodies of an instrument and what pulls at them. Half-springs of body i: [begin[i],
 * begin[i + 1]). */
typedef struct synth_network {
    hed_arena arena, scratch; /* `body`; all else, until it is trimmed */
    const hed_synth_instrument *instrument;
    /* free bodies, all bodies, half-springs, most of one body */
    uint32_t count, all, entries, degree;
    uint32_t *body;  /* (count) place in the instrument */
    uint32_t *free;  /* (all) number among the free ones, SYNTH_ANCHORED */
    uint32_t *begin; /* (count + 1) */
    uint32_t *other; /* (entries) free body, SYNTH_ANCHORED */
    /* (entries) place in the instrument, SYNTH_SPRING_REVERSED */
    uint32_t *spring;
    uint8_t *kind;    /* (entries) slot, kind or material */
    uint8_t *classes; /* (count) */
    uint32_t class_count;
    float class_weight[SYNTH_MOST_CLASSES], class_rate[SYNTH_MOST_CLASSES]; /* h^2/m, 2 damping h */
    uint32_t form;                                                          /* SPRINGS_... */
    bool tense, cubic;
    bool same; /* one stiffness and cubic term for all */
    /* that, no cubic term, and one L0/|d0|: kinds differ in their rest vector alone */
    bool plain;
    double unit;             /* m: what lengths are counted in */
    uint32_t material_count; /* slots, kinds or materials */
    synth_material materials[SYNTH_MOST_MATERIALS];
    /* SPRINGS_SLOTS, SPRINGS_KINDS: their rest vectors, m */
    double vectors[SYNTH_MOST_MATERIALS][3];
    /* (all x 3) SPRINGS_OWN: bodies at rest, in units; else NULL */
    int32_t *places;
} synth_network;

/* Whether an instrument is of the kind that the grid takes, and if not, why. */
bool synth_network_valid(const hed_synth_instrument *instrument, char *reason, size_t size);
/* Errors: UNSUPPORTED (more masses, materials or springs at a body than the grid has room for),
 * MEMORY. */
hed_status synth_network_create(const hed_allocator *allocator,
    const hed_synth_instrument *instrument, double rate, synth_network *network, hed_error *error);
void synth_network_destroy(synth_network *network);
/* The stiffness that all forces are over: that of all springs, or 1. */
double synth_network_common(const synth_network *network);
/* SPRINGS_SLOTS: how a spring in a slot pulls at rest, along its rest vector, over |d0| and the
 * common stiffness. */
double synth_network_pull(const synth_network *network, uint32_t slot);
/* Gives back what is needed for making tables only. */
void synth_network_trim(synth_network *network);

/* Cuts the free bodies into `groups` of at most `most`; group_of (count) is filled. Errors: MEMORY,
 * LIMIT. */
hed_status synth_partition(const synth_network *network, uint32_t groups, uint32_t most,
    uint32_t *group_of, hed_error *error);

/* How the kernel is laid out. */
typedef struct synth_grid_shape {
    /* lattice groups; WG, EACH, RIM, HALO of lattice.cl */
    uint32_t groups, threads, each, rim, halo;
    uint32_t degree, places;
    bool table_local;
    uint64_t local_bytes;
} synth_grid_shape;

/* What goes to the device. `own` = threads x each places of a group. */
typedef struct synth_grid_tables {
    hed_arena arena, scratch; /* what stays; what goes to the device, until it is trimmed */
    synth_grid_shape shape;
    uint32_t bodies, own, halo_room, spring_words, linked;
    uint32_t *place; /* (network count) group x own + place in it */
    lattice_group *groups;
    uint32_t *table; /* (groups x degree / 2 x own) two bytes of the local x array each */
    /* (groups x spring_words): kinds, half-springs slot by slot, or what makes up for holes */
    uint32_t *springs;
    uint8_t *classes; /* (groups x own) */
    uint32_t *halo;   /* (groups x halo_room) packet */
    uint32_t *links;  /* (groups x threads) LATTICE_LINK */
    uint64_t cut;     /* springs between groups */
} synth_grid_tables;

/* A body that the control group knows. */
typedef struct synth_linked {
    uint32_t body; /* free body, SYNTH_ANCHORED */
    bool pushed;   /* whether there are contacts */
} synth_linked;

enum { SYNTH_MOST_PLACES = 16383 }; /* of a group: their bytes are 16-bit numbers */

/* What the device has room for. */
typedef struct synth_grid_limits {
    uint32_t groups;        /* most; 0: any number */
    uint32_t threads, each; /* most */
    bool table_local;       /* whether the neighbour table may be in local memory */
    uint64_t local_bytes;
} synth_grid_limits;

/* `linked`: (linked_count) by the control group's element; anchored ones are left out. Errors:
 * LIMIT (it does not fit), MEMORY. */
hed_status synth_grid_tables_create(const synth_network *network, const synth_grid_limits *limits,
    const synth_linked *linked, uint32_t linked_count, synth_grid_tables *tables, hed_error *error);
void synth_grid_tables_destroy(synth_grid_tables *tables);
/* Gives back what is on the device now; shape, places, groups and links stay. */
void synth_grid_tables_trim(synth_grid_tables *tables);

/* Puts the half-springs of each body of 32 that step together into an order in which they read
 * fewer words of one bank at once. Slot j of body i is at j x own + i of `place` and of `spring`
 * (times spring_words). With `aligned` half-springs whose word is the number of their slot stay. */
void synth_spread_banks(uint32_t *place, uint32_t *spring, uint32_t spring_words, uint32_t own,
    uint32_t degree, bool aligned);

/* ---- the solver itself (grid.c, grid_state.c) ---- */

#define SYNTH_PACKET_BYTES 16

struct synth_solver {
    hed_arena arena;
    hed_device *device;
    hed_stream *stream;
    const synth_program *program;
    bool packets, awake, uniform, control_local;
    synth_network network;      /* trimmed */
    synth_grid_tables tables;   /* trimmed */
    hed_synth_entity *entities; /* (network count) the free bodies, in the instrument's order */
    uint32_t springs;
    hed_buffer *buffers[LATTICE_BUFFERS];
    uint64_t bytes, poke_room;
    uint32_t block, inputs;
    uint32_t *flags; /* of the last block, as lattice.h describes them */
    /* with packets one that does it all; else the lattice's and the control group's */
    hed_kernel *kernels[2];
    hed_geometry geometries[2];
    lattice_step step;
};

/* Everything of the constants of a launch that depends on the dilation. */
void synth_grid_set_dilation(synth_solver *made, float dilation);
/* What synth_solver_ops say. */
hed_status synth_grid_read(synth_solver *made, uint32_t *stores, float *delays, hed_error *error);
hed_status synth_grid_write(
    synth_solver *made, const uint32_t *stores, const float *delays, hed_error *error);
hed_status synth_grid_bodies(
    synth_solver *made, float *positions, float *velocities, hed_error *error);
hed_status synth_grid_carry(synth_solver *made, synth_solver *from, hed_error *error);

#endif
