/* Declarations common to the solvers of devices: layout of a round (layout.c), and the text that
 * kernels are compiled from (text.c). */
#ifndef HED_MPPI_LAYOUT_H
#define HED_MPPI_LAYOUT_H

#include "heddle/code.h"
#include "kernels/words.h"
#include "kernels/fixed.h"
#include "model/controller.h"

/* Floats after the tables: vector words of maps and paths may read past the end of a short
 * table. */
enum { MPPI_TABLE_SLACK = 8 };

/* Tunable parameters of a tile, in the order of mppi_tile_parameters; tile.h explains them. */
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
/* Parameters of the processor's solver: threads of the team, any number up to the device's; costs
 * of a rollout computed after all its steps (split) or after each. They change no bit. */
enum { CPU_THREADS, CPU_SPLIT, CPU_PARAMETERS };

/* A name and number, defined in the text. */
typedef struct mppi_number {
    const char *name;
    uint32_t value;
} mppi_number;

enum {
    MPPI_MOST_NUMBERS = 80,
    MPPI_MOST_SOURCES = 2 * HED_MPPI_MAX_TERMS + 13,
    MPPI_SECTIONS = 15
};

/* Layout of a controller's rounds. */
typedef struct mppi_layout {
    hed_config config;
    uint32_t systems, samples; /* systems and samples of a round */
    bool both;                 /* ROBUST: nominal and real system in each sample */
    bool candidates;           /* ROBUST: a round for the candidates; no importance correction */
    uint32_t tiles, chains;
    uint32_t workers;      /* PACKETS: groups of a system with tiles */
    uint32_t merge_groups; /* PACKETS: parts into which a merger's items divide the chains */
    uint32_t slices;       /* LAUNCHES: groups of a system that merge */
    uint32_t inputs;       /* words of input of a system in a round */
    uint32_t state, parameters, past, plan, ratio, counts; /* offsets in the inputs */
    uint32_t timed,
        controller; /* offsets of parameters that change with time, and of the controller's number */
    uint32_t real_state, real_past, half, precision; /* offsets with `both` */
    uint32_t
        rank; /* ELITE, TSALLIS: offset of the elite's last rank, and of the number of samples */
    uint32_t scalars;
    uint64_t local_bytes;
    uint64_t stored; /* floats of global memory in which a group stores controls; 0: none */
    mppi_number numbers[MPPI_MOST_NUMBERS];
    uint32_t number_count;
    bool trace; /* true: for trace.cl */
} mppi_layout;

/* Returns the floats of a table on a device, of all controllers. */
static inline uint64_t mppi_table_floats(const hed_mppi *c, uint32_t table)
{
    const hed_mppi_table *t = &c->def.tables[table];
    return (uint64_t)t->capacity * (t->per_controller ? c->def.count : 1);
}

/* A run of floats that is an input. */
typedef struct mppi_section {
    uint32_t at, count;
    const float *from;
} mppi_section;

/* True if kernels can run this definition on this device. */
bool mppi_device_fits(const hed_mppi *c);
/* True if tiles read noise from an array (noise.c) instead of drawing it. */
bool mppi_noise_is_array(const hed_mppi *c);
/* Returns the number of multiprocessors that a solver with packets has for each system; 0: too
 * few. */
uint32_t mppi_packets_room(const hed_mppi *c);
/* Returns the parameters of a solver's choice: no description of a kernel that can be created. */
const hed_kernel_def *mppi_choice_parameters(hed_mppi_solver solver);
/* Applies a choice, such as "GROUP=256 NOISE=fused", over `config`, which has the parameters of
 * `list`; names of the other solvers' parameters are ignored. Errors: ARGUMENT. */
hed_status mppi_take_choice(
    const char *choice, const hed_kernel_def *list, hed_config *config, hed_error *error);
/* Chooses the layout by rules or by def.choice; sets c->choice and c->origin. Errors: ARGUMENT
 * (an invalid choice), LIMIT (the device is too small). */
hed_status mppi_layout_make(
    hed_mppi *c, hed_mppi_solver solver, mppi_layout *layout, hed_error *error);
/* Changes the layout to that of a round for the candidates of ROBUST. */
void mppi_layout_candidates(const hed_mppi *c, mppi_layout *layout);
/* Changes the layout to that of traces. */
void mppi_layout_trace(const hed_mppi *c, mppi_layout *layout);
/* Returns the constants of all rounds of `samples` samples. */
mppi_fixed mppi_fixed_of(const hed_mppi *c, uint32_t samples);
/* Returns the number of samples of a system in the tiles of a round's fraction. */
uint32_t mppi_counted(const hed_mppi *c, const mppi_layout *layout, const mppi_sampling *round);
/* Lists the inputs of a system in a round, except number, 1 / lambda and the rank of the elite. */
uint32_t mppi_list_inputs(const hed_mppi *c, const mppi_layout *layout, const mppi_sampling *round,
    uint32_t system, mppi_section sections[MPPI_SECTIONS]);

/* Makes the sources of a kernel in `arena`, where they must live as long as the kernel: words;
 * with `tile` the model, the terms, numbers and the tile; then the kernel's own text. Errors:
 * MEMORY, LIMIT. */
hed_status mppi_sources(const hed_mppi *c, hed_arena *arena, const mppi_layout *layout, bool tile,
    hed_source kernel, hed_kernel_def *def, hed_error *error);
/* Lists the texts for the processor: of the model, if `model`, and of a set of terms. They define
 * functions with the prefix own_: see catalogue/alone.h. Errors: LIMIT, MEMORY. */
hed_status mppi_code_sources(const hed_mppi *controller, hed_arena *arena, bool model,
    uint32_t terms, hed_code_def *def, hed_error *error);

/* Noise as an array, (scalars x N) of each controller, or of all controllers if it was set by
 * the user. */
typedef struct mppi_noise {
    hed_buffer *array; /* exists for every sampler */
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: no noise is made on the device */
    hed_geometry geometry;
    hed_buffer *matrix, *factors;
    mppi_fixed fixed;
    uint32_t given; /* controller->noise_number of the array's content */
} mppi_noise;

hed_status mppi_noise_create(hed_mppi *c, const mppi_layout *layout, hed_stream *stream,
    mppi_noise *noise, hed_error *error);
/* Makes or copies the noise of round `number`, of at least the first `limit` samples. */
hed_status mppi_noise_round(const hed_mppi *c, const mppi_layout *layout, hed_stream *stream,
    mppi_noise *noise, uint32_t number, uint32_t limit, hed_error *error);
void mppi_noise_destroy(mppi_noise *noise);

/* Kernel of traces, built by the first trace. */
typedef struct mppi_trace {
    hed_arena arena;
    mppi_layout layout;
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: not built yet */
} mppi_trace;

/* Implements hed_mppi_trace(). `layout`: that of rounds. */
hed_status mppi_trace_device(hed_mppi *c, mppi_trace *trace, const mppi_layout *layout,
    hed_stream *stream, hed_buffer *tables, hed_buffer *noise, const mppi_sampling *round,
    uint32_t system, uint32_t count, bool best, float *states, float *costs, hed_error *error);

void mppi_trace_destroy(mppi_trace *trace);

/* Computation of the states along the plan, for a model without a C function. */
typedef struct mppi_along {
    mppi_layout layout;
    mppi_fixed fixed;
    hed_kernel_def def;
    hed_kernel *kernel; /* NULL: the model has a C function */
    hed_geometry geometry;
    hed_stream *stream;
    hed_graph *graph;
    hed_buffer *tables, *buffers[2], *staging[2]; /* inputs, states */
} mppi_along;

hed_status mppi_along_create(hed_mppi *c, const mppi_layout *layout, hed_buffer *tables,
    mppi_along *along, hed_error *error);
/* Computes controller->states from state and plan. */
hed_status mppi_along_run(hed_mppi *c, mppi_along *along, hed_error *error);
void mppi_along_destroy(mppi_along *along);

/* ---- choice.c: the tuned solver and tile ---- */

/* Returns the bytes of a pipeline's version: a line, and the texts. */
size_t mppi_version_bytes(const hed_mppi *controller);
/* Builds the pipeline of a measurement, without its functions. Its version covers everything that
 * determines its speed in addition to the sizes; it has the texts as they are, since their comments
 * do not count in a version. `version`: mppi_version_bytes(). */
hed_pipeline_def mppi_tune_pipeline(const hed_mppi *controller, char *version);
hed_problem mppi_tune_problem(const hed_mppi *controller);
/* Converts a configuration to the solver and choice of hed_mppi_def. */
void mppi_tuned_choice(const hed_config *config, hed_mppi_solver *solver, char *text, size_t size);

#endif
