/* What the solvers of devices share: how a round is laid out (choice.c), and the text that kernels are
 * compiled from (text.c). */
#ifndef HED_MPPI_DEVICE_H
#define HED_MPPI_DEVICE_H

#include "kernels/words.h"
#include "kernels/fixed.h"
#include "model/controller.h"

/* Floats behind the tables: words of maps and paths may read so far past a short one. */
enum { MPPI_TABLE_SLACK = 8 };

/* Tunable parameters of a tile, in the order of mppi_tile_parameters. tile.h says what they mean. */
enum {
    TILE_GROUP,
    TILE_SAMPLES,
    TILE_NOISE,
    TILE_SPLIT,
    TILE_STORE,
    TILE_UNROLL,
    TILE_MERGERS,
    TILE_TEAM,
    TILE_PARAMETERS
};
enum { TILE_NOISE_PHASE, TILE_NOISE_FUSED, TILE_NOISE_AHEAD };
enum { TILE_STORE_LOCAL, TILE_STORE_AGAIN, TILE_STORE_GLOBAL };
extern const hed_parameter_def mppi_tile_parameters[TILE_PARAMETERS];

/* One name and number that the text has as a define. */
typedef struct mppi_number {
    const char *name;
    uint32_t value;
} mppi_number;

enum {
    MPPI_MOST_NUMBERS = 80,
    MPPI_MOST_SOURCES = 2 * HED_MPPI_MAX_TERMS + 13,
    MPPI_SECTIONS = 12
};

/* How rounds of one controller run. */
typedef struct mppi_layout {
    hed_config config;
    uint32_t systems, samples; /* of a round */
    bool both;                 /* ROBUST: nominal and real system in each sample */
    bool candidates;           /* ROBUST: a round for the candidates; no importance correction */
    uint32_t tiles, chains;
    uint32_t workers;      /* PACKETS: groups of a system with tiles */
    uint32_t merge_groups; /* PACKETS: parts that a merger's items share the chains out in */
    uint32_t slices;       /* LAUNCHES: groups of a system that merge */
    uint32_t inputs;       /* words that a system is given for a round */
    uint32_t state, parameters, past, plan, ratio, counts; /* where they lie among them */
    uint32_t real_state, real_past, half, precision;       /* with `both` */
    uint32_t scalars;
    uint64_t local_bytes;
    uint64_t stored; /* floats of global memory a group keeps controls in; 0: none */
    mppi_number numbers[MPPI_MOST_NUMBERS];
    uint32_t number_count;
    bool trace; /* for trace.cl */
} mppi_layout;

/* A run of floats that is an input. */
typedef struct mppi_section {
    uint32_t at, count;
    const float *from;
} mppi_section;

/* Whether texts and the round of tile.h can do this definition on this device. */
bool mppi_device_fits(const hed_mppi *c);
/* Whether noise is an array that tiles read (noise.c), and not what they draw. */
bool mppi_noise_is_array(const hed_mppi *c);
/* Multiprocessors that a solver with packets has for each system; 0: too few. */
uint32_t mppi_packets_room(const hed_mppi *c);
/* The layout by rules or by def.choice; also c->choice and c->origin. Errors: ARGUMENT (a choice that
 * does not exist), LIMIT (the device is too small). */
hed_status mppi_layout_make(
    hed_mppi *c, hed_mppi_solver solver, mppi_layout *layout, hed_error *error);
/* The layout of a round for the candidates of ROBUST instead. */
void mppi_layout_candidates(const hed_mppi *c, mppi_layout *layout);
/* The layout of traces instead. */
void mppi_layout_trace(const hed_mppi *c, mppi_layout *layout);
/* What is the same in all rounds of `samples`. */
mppi_fixed mppi_fixed_of(const hed_mppi *c, uint32_t samples);
/* The inputs of a system in a round but the first two words, number and 1 / lambda. */
uint32_t mppi_list_inputs(const hed_mppi *c, const mppi_layout *layout, const mppi_sampling *round,
    uint32_t system, mppi_section sections[MPPI_SECTIONS]);

/* The sources of a kernel, in `arena`, where they must live as long as it: words, with `tile` the
 * model, the terms, numbers and the tile, then the kernel's own text. Errors: MEMORY, LIMIT. */
hed_status mppi_sources(const hed_mppi *c, hed_arena *arena, const mppi_layout *layout, bool tile,
    hed_source kernel, hed_kernel_def *def, hed_error *error);

/* Noise as an array, (scalars x N) of each controller, or of all where it is given. */
typedef struct mppi_noise {
    hed_buffer *array; /* always there */
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: none is made on the device */
    hed_geometry geometry;
    hed_buffer *matrix, *factors;
    mppi_fixed fixed;
    uint32_t given; /* controller->noise_number that lies in the array */
} mppi_noise;

hed_status mppi_noise_create(hed_mppi *c, const mppi_layout *layout, hed_stream *stream,
    mppi_noise *noise, hed_error *error);
/* Makes or copies the noise of round `number`. */
hed_status mppi_noise_round(const hed_mppi *c, const mppi_layout *layout, hed_stream *stream,
    mppi_noise *noise, uint32_t number, hed_error *error);
void mppi_noise_destroy(mppi_noise *noise);

/* The kernel of traces, built by the first of them. */
typedef struct mppi_trace {
    hed_arena arena;
    mppi_layout layout;
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: not built yet */
} mppi_trace;

/* hed_mppi_trace(). `layout`: that of rounds. */
hed_status mppi_trace_device(hed_mppi *c, mppi_trace *trace, const mppi_layout *layout,
    hed_stream *stream, hed_buffer *tables, hed_buffer *noise, const mppi_sampling *round,
    uint32_t system, uint32_t count, bool best, float *states, float *costs, hed_error *error);

void mppi_trace_destroy(mppi_trace *trace);

/* States along the plan of a model without a C function. */
typedef struct mppi_along {
    mppi_layout layout;
    mppi_fixed fixed;
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: the model has its function */
    hed_geometry geometry;
    hed_stream *stream;
    hed_graph *graph;
    hed_buffer *tables, *buffers[2], *staging[2]; /* inputs, states */
} mppi_along;

hed_status mppi_along_create(hed_mppi *c, const mppi_layout *layout, hed_buffer *tables,
    mppi_along *along, hed_error *error);
/* Fills controller->states from its state and its plan. */
hed_status mppi_along_run(hed_mppi *c, mppi_along *along, hed_error *error);
void mppi_along_destroy(mppi_along *along);

#endif
