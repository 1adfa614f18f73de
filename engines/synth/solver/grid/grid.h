/* Declarations common to the files of solver grid: the network of an instrument (network.c), its
 * partition into groups (partition.c), and the tables of places.cl (tables.c). All are made on
 * the host, once. */
#ifndef SYNTH_GRID_H
#define SYNTH_GRID_H

#include "solver/solver.h"
#include "kernels/lattice.h"
#include "solver/group/group_kernels.h"

/* Texts of the kernel of places.cl. */

extern const char hed_synth_lattice_h[], hed_synth_lattice_springs_h[],
    hed_synth_lattice_control_h[], hed_synth_lattice_cl[];

typedef uint8_t uchar;
HED_VIEW(synth_lattice_view, SYNTH_LATTICE)
#define LATTICE_ROW(name) HED_ROW(synth_lattice_view, name)
enum { LATTICE_BUFFERS = LATTICE_ROW(step) }; /* number of buffers */

/* Parameters of the kernel. */
enum { LATTICE_WG, LATTICE_EACH, LATTICE_RIM, LATTICE_HALO_ROUNDS, LATTICE_PARAMETERS };
enum { LATTICE_MOST_EACH = 16 };

extern const hed_kernel_def synth_lattice_def; /* a launch for each sample */
/* all samples in one launch, packets between groups */
extern const hed_kernel_def synth_lattice_packets_def;

enum {
    SYNTH_MOST_CLASSES = 256,
    SYNTH_MOST_MATERIALS = 256,
    SYNTH_MOST_KINDS = 255 /* one more kind has no force */
};
#define SYNTH_ANCHORED UINT32_MAX

/* A stiffness and stretch of springs: rest = L0/|d0|. */
typedef struct synth_material {
    float stiffness, cubic;
    double rest;
} synth_material;

/* The free bodies of an instrument and their half-springs. Half-springs of body i: [begin[i],
 * begin[i + 1]). */
typedef struct synth_network {
    hed_arena arena, scratch; /* memory of `body`; of everything else, until synth_network_trim() */
    const hed_synth_instrument *instrument;
    /* free bodies, all bodies, half-springs, maximum half-springs of a body */
    uint32_t count, all, entries, degree;
    uint32_t *body;  /* (count) index in the instrument */
    uint32_t *free;  /* (all) index among the free bodies, SYNTH_ANCHORED */
    uint32_t *begin; /* (count + 1) */
    uint32_t *other; /* (entries) free body, SYNTH_ANCHORED */
    /* (entries) index in the instrument, SYNTH_SPRING_REVERSED */
    uint32_t *spring;
    uint8_t *kind;    /* (entries) slot, kind or material */
    uint8_t *classes; /* (count) */
    uint32_t class_count;
    float class_weight[SYNTH_MOST_CLASSES], class_rate[SYNTH_MOST_CLASSES]; /* h^2/m, 2 damping h */
    uint32_t form;                                                          /* SPRINGS_... */
    bool tense, cubic;
    bool same; /* one stiffness and cubic term for all */
    /* `same`, no cubic term, and one L0/|d0|: kinds differ only in their rest vectors */
    bool plain;
    double unit;             /* m; unit of lengths */
    uint32_t material_count; /* slots, kinds or materials */
    synth_material materials[SYNTH_MOST_MATERIALS];
    /* SPRINGS_SLOTS, SPRINGS_KINDS: rest vectors, m */
    double vectors[SYNTH_MOST_MATERIALS][3];
    /* (all x 3) SPRINGS_OWN: bodies at rest, in units; else NULL */
    int32_t *places;
} synth_network;

/* True if the grid supports an instrument; else writes the reason. */
bool synth_network_valid(const hed_synth_instrument *instrument, char *reason, size_t size);
/* Makes the network of an instrument. Errors: UNSUPPORTED (more masses, materials or springs at
 * a body than the grid supports), MEMORY. */
hed_status synth_network_create(const hed_allocator *allocator,
    const hed_synth_instrument *instrument, double rate, synth_network *network, hed_error *error);
void synth_network_destroy(synth_network *network);
/* Returns the stiffness by which all forces are divided: that of all springs, or 1. */
double synth_network_common(const synth_network *network);
/* SPRINGS_SLOTS: returns the pull at rest of a spring in a slot, along its rest vector, divided
 * by |d0| and the common stiffness. */
double synth_network_pull(const synth_network *network, uint32_t slot);
/* Frees the arrays that only the making of tables needs. */
void synth_network_trim(synth_network *network);

/* Divides the free bodies into `groups` of at most `most`; fills in group_of (count). Errors:
 * MEMORY, LIMIT. */
hed_status synth_partition(const synth_network *network, uint32_t groups, uint32_t most,
    uint32_t *group_of, hed_error *error);

/* Sizes of the kernel. */
typedef struct synth_grid_shape {
    /* lattice groups; WG, EACH, RIM, HALO of places.cl */
    uint32_t groups, threads, each, rim, halo;
    uint32_t degree, places;
    bool table_local;
    uint64_t local_bytes;
} synth_grid_shape;

/* Tables for the device. `own` = threads x each positions in a group. */
typedef struct synth_grid_tables {
    /* memory of permanent arrays; of arrays for upload, until synth_grid_tables_trim() */
    hed_arena arena, scratch;
    synth_grid_shape shape;
    uint32_t bodies, own, halo_room, spring_words, linked;
    uint32_t *place; /* (network count) group x own + position in the group */
    lattice_group *groups;
    uint32_t *table; /* (groups x degree / 2 x own) two byte offsets in the local x array each */
    /* (groups x spring_words) kinds, half-springs slot by slot, or corrections for holes */
    uint32_t *springs;
    uint8_t *classes; /* (groups x own) */
    uint32_t *halo;   /* (groups x halo_room) packets to receive */
    uint32_t *links;  /* (groups x threads) LATTICE_LINK */
    uint64_t cut;     /* springs between groups */
} synth_grid_tables;

/* A body of which the control group has a copy. */
typedef struct synth_linked {
    uint32_t body; /* free body, SYNTH_ANCHORED */
    bool pushed;   /* true: it has contacts */
} synth_linked;

enum { SYNTH_MOST_PLACES = 16383 }; /* bodies of a group: byte offsets have 16 bits */

/* Capacity of the device. */
typedef struct synth_grid_limits {
    uint32_t groups;        /* maximum; 0: unlimited */
    uint32_t threads, each; /* maxima */
    bool table_local;       /* true: the neighbour table may be in local memory */
    uint64_t local_bytes;
} synth_grid_limits;

/* Makes the tables. `linked`: (linked_count) by the control group's element; anchored ones are
 * skipped. Errors: LIMIT (too large), MEMORY. */
hed_status synth_grid_tables_create(const synth_network *network, const synth_grid_limits *limits,
    const synth_linked *linked, uint32_t linked_count, synth_grid_tables *tables, hed_error *error);
void synth_grid_tables_destroy(synth_grid_tables *tables);
/* Frees arrays that have been uploaded; shape, positions, groups and links stay. */
void synth_grid_tables_trim(synth_grid_tables *tables);

/* Reorders the half-springs of each body so that the 32 bodies that step together read fewer
 * words of one bank at once. Slot j of body i is at j x own + i of `place` and of `spring`
 * (times spring_words). `aligned`: half-springs whose word is the number of their slot keep it. */
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
    hed_synth_entity *entities; /* (network count) of free bodies, in the instrument's order */
    uint32_t springs;
    hed_buffer *buffers[LATTICE_BUFFERS];
    uint64_t bytes, poke_room;
    uint32_t block, inputs;
    uint32_t *flags; /* flags of the last block, see lattice.h */
    /* one kernel with packets; else the lattice's and the control group's */
    hed_kernel *kernels[2];
    hed_geometry geometries[2];
    lattice_step step;
};

/* Sets all constants of a launch that depend on the dilation. */
void synth_grid_set_dilation(synth_solver *solver, float dilation);
/* Members of synth_solver_ops, in state.c. */
hed_status synth_grid_read(synth_solver *solver, uint32_t *stores, float *delays, hed_error *error);
hed_status synth_grid_write(
    synth_solver *solver, const uint32_t *stores, const float *delays, hed_error *error);
hed_status synth_grid_bodies(
    synth_solver *solver, float *positions, float *velocities, hed_error *error);
hed_status synth_grid_carry(synth_solver *solver, synth_solver *from, hed_error *error);

#endif
