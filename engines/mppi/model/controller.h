/* Internals of a controller. mppi.c has the parts that are common to all devices: it keeps the
 * plan, submits rounds of sampling to a solver, and makes the next plan from a round's weighted
 * mean. A solver rolls samples out and averages them: mppi_cpu.c on the processor, launches.c and
 * packets.c on a device.
 *
 * THE ORDER OF SUMS, which fixes the bits in strict mode (and always on the processor):
 *   tile     samples k = tile S + l + 32 i, l < 32, i < S / 32, with S = mppi_tile(N); samples
 *            past N have weight 0. Weights w_k = exp((m - S_k) / lambda), with the tile's
 *            minimum m
 *   lane l   sum over i of w_k v_k, from i = 0 on, by fused multiply-add, beginning with 0
 *   tile     lanes l and l + 16, then l and l + 8, + 4, + 2, + 1: sum of halves
 *   chain    tiles c, c + C, c + 2 C, ... with C = min(tiles, 128): sums kept relative to the
 *            running minimum, rescaled by exp((new - old) / lambda), then the tile's sum added
 *            by fused multiply-add with its own factor
 *   all      8 groups, chains g, g + 8, ... each added by fused multiply-add with its factor
 *            exp((m - m_c) / lambda) in that order; then groups 0 to 7
 * The sum of weights has the same order, and so has the sum of their squares, with squared
 * factors. */
#ifndef HED_MPPI_CONTROLLER_H
#define HED_MPPI_CONTROLLER_H

#include <stdatomic.h>

#include "heddle/author.h"
#include "heddle/mppi.h"
#include "heddle/ring.h"

enum { MPPI_LANES = 32, MPPI_MOST_CHAINS = 128, MPPI_GROUPS = 8, MPPI_MOST_BLOCKS = 64 };

/* Returns the number of samples in a tile: the smallest power of two from 32 to 512 with which
 * there are at most MPPI_MOST_CHAINS tiles, so that a large GPU has a tile for each
 * multiprocessor. */
static inline uint32_t mppi_tile(uint32_t samples)
{
    uint32_t tile = MPPI_LANES;
    while (tile < 512 && (uint64_t)tile * MPPI_MOST_CHAINS < samples) tile *= 2;
    return tile;
}

/* One round of sampling for every system: `count` controllers, each with a real system, and for
 * TUBE with a nominal one, number count + i. Systems of one controller have the same noise. */
typedef struct mppi_sampling {
    uint32_t number; /* number of the round: the noise's counter */
    /* controller->systems and def.samples. For the candidates of ROBUST, system i + k count is
     * candidate k of controller i, and only sums are computed */
    uint32_t systems, samples;
    const float *state; /* (systems x nx) */
    const float *plan;  /* (systems x T x nu) mean of the samples */
    const float *ratio; /* (systems x T x nu) lambda (1 - alpha) Sigma^-1 u; NULL: no correction */
    const float *past;  /* (systems x past x nu) controls applied before, latest last */
    const float *gains; /* ROBUST: (count x T x nu x nx), else NULL */
    const float *parameters; /* (parameter_count) */
    const float *lambda;     /* (count) of the scaled cost */
    uint64_t deadline;       /* time of hed_now(); 0: no deadline */
    /* fraction of the tiles that a device rolls out, from the first on, at least one. The processor looks
     * at its clock instead */
    float fraction;
    uint32_t *counted; /* (systems) result: samples that were rolled out; NULL: not requested */
    /* results; of the controller's own blocks: (blocks x systems x ...) */
    /* (systems x T x nu) weighted mean of the sampled controls, within limits; NULL: not
     * requested */
    float *mean;
    float *sums; /* (systems x 4) min S, sum w, sum w^2, samples that crashed */
} mppi_sampling;

/* Speed of a kind of round on a device: time of one tile and of all samples, ns; 0: not measured. */
typedef struct mppi_pace {
    double tile_ns, full_ns;
} mppi_pace;

/* A solver's functions. */
typedef struct mppi_solver {
    hed_mppi_solver kind;
    /* True if the solver supports this definition on this device. */
    bool (*fits)(const hed_mppi *controller);
    /* Makes `controller->structure.data`; controller->def is complete and checked. */
    hed_status (*create)(hed_mppi *controller, hed_error *error);
    /* One round: begin() submits it; end() waits for the results and stores them, or returns
     * TIMEOUT after the deadline. A solver that stops early stores `counted`. */
    hed_status (*begin)(hed_mppi *controller, const mppi_sampling *round, hed_error *error);
    hed_status (*end)(hed_mppi *controller, const mppi_sampling *round, hed_error *error);
    /* Uploads new content of table `table`, before a round. */
    hed_status (*table)(hed_mppi *controller, uint32_t table, hed_error *error);
    /* Returns trajectories of a round, of the controller's own samples: see hed_mppi_trace(). */
    hed_status (*trace)(hed_mppi *controller, const mppi_sampling *round, uint32_t system,
        uint32_t count, bool best, float *states, float *costs, hed_error *error);
    /* Computes the states along the plan of each system, for a model without a C function. */
    hed_status (*along)(hed_mppi *controller, hed_error *error);
    void (*destroy)(hed_mppi *controller);
} mppi_solver;

extern const mppi_solver mppi_solver_cpu, mppi_solver_packets, mppi_solver_resident,
    mppi_solver_launches, mppi_solver_devices;

/* Data of a text: the range of its parameters, and the tables that it names. */
typedef struct mppi_part {
    uint32_t first, count;
    uint32_t weight; /* a term: index of the weight */
    uint32_t table_count;
    uint32_t table_index[HED_MPPI_MAX_TABLES]; /* (table_count) among the controller's */
    const float *tables[HED_MPPI_MAX_TABLES];  /* (table_count) */
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
} mppi_part;

/* A timeline of a controller. */
typedef struct mppi_timeline {
    uint32_t parameter, capacity;
    bool angle;
    double *times;    /* (count x capacity) */
    float *values;    /* (count x capacity) */
    uint32_t *counts; /* (count) */
} mppi_timeline;

/* Parameters that change with time (mppi_timed.c). */
typedef struct mppi_timed {
    double time; /* the controller's clock, s */
    mppi_timeline *lines;
    uint32_t
        count;   /* timelines; 0: no parameter changes with time, and the arrays below are NULL */
    float *rows; /* (count x T x parameter_count) parameters after each step */
    /* the same for devices: (count x T x slots) of the parameters in slots; arrays are whole */
    float *slot_rows;
    uint32_t slots;
    uint8_t slot[HED_MPPI_MAX_PARAMETERS]; /* 1 + slot of a parameter; 0: constant */
} mppi_timed;

/* A change that hed_mppi_post() sends. */
typedef struct mppi_change {
    uint32_t parameter;
    float value;
} mppi_change;

/* New content of a table, in one of its spares. */
typedef struct mppi_table_change {
    uint32_t table, spare, count;
} mppi_table_change;

/* Results of the last solve or reset for hed_mppi_control_at(), which other threads call. The owner
 * fills a slot that is not the latest and has no reader, then makes it the latest. */
enum { MPPI_PUBLISHED = 4 };
typedef struct mppi_published {
    atomic_uint latest;
    atomic_uint readers[MPPI_PUBLISHED];
    float *plan[MPPI_PUBLISHED];    /* (count x T x nu) */
    float *states[MPPI_PUBLISHED];  /* (count x T + 1 x nx) */
    float *gains[MPPI_PUBLISHED];   /* (count x T x nu x nx); PLAIN: NULL */
    float *applied[MPPI_PUBLISHED]; /* (count x nu) */
} mppi_published;

/* Structure of a controller's solves, which hed_mppi_set_choice() replaces (mppi_structure.c). */
typedef struct mppi_structure {
    const mppi_solver *solver;
    void *data;      /* memory of the solver, in `arena` */
    hed_arena arena; /* freed with the structure */
    hed_config_origin origin;
    char choice[128];
    bool measured; /* true: it was faster than the one before */
} mppi_structure;

/* Shift since the last solve (mppi_shift.c). */
typedef struct mppi_shift {
    /* steps since the plan and history below, 0: unshifted; and since the last solve, at most T */
    double steps, elapsed;
    float *plan, *drive; /* (systems x T x nu) before the first shift; drive as hed_mppi.drive */
    float *pasts;        /* (systems x past x nu) before the first shift */
    float *controls;     /* (systems x nu) controls that the actuators hold, with `since` below 1 */
    float since; /* steps since `controls` were applied; 1: after whole steps, see `pasts` */
} mppi_shift;

struct hed_mppi {
    hed_mppi_def def; /* complete; its arrays are copies in `arena` */
    hed_mppi_model model;
    hed_arena arena;
    hed_device *device;
    mppi_structure structure;
    char requested[128]; /* memory of def.choice */
    /* best solver of the database, for solver AUTO: has precedence over the rules, if it is
     * valid */
    hed_mppi_solver tuned_solver;
    char tuned[128];
    struct mppi_code *compiled; /* texts compiled for the processor (cpu.h); NULL: no such text */

    uint32_t systems; /* count; 2 count for TUBE */
    /* Blocks (blocks.c): all samples are one block of `block`, or def.blocks blocks of a
     * multiple of 512, of which the last may be short or empty. A part (the controller's copy
     * for one of several devices) has some of the blocks. */
    uint32_t first_block, blocks, block;
    uint32_t shares;   /* systems x blocks: units that a solver samples and sums separately */
    float *block_mean; /* (shares x T x nu); NULL: one block */
    float *block_sums; /* (shares x 4) */
    hed_mppi **parts;  /* (1 + def.other_device_count); NULL: one device */
    uint32_t past;     /* number of past controls kept: at least 2, and the delay */
    bool disturbed;    /* some disturbance is above 0 */
    /* parameters and tables */
    /* (text_rows x 1 + term_count) the model, then the terms; see mppi_text(). text_rows: def.count if
     * a table is each controller's own, else 1 */
    mppi_part *texts;
    uint32_t text_rows;
    float *parameters; /* (count x parameter_count) */
    uint32_t stepped;  /* controller whose model mppi_step() steps */
    mppi_timed timed;
    const char *parameter_names[HED_MPPI_MAX_PARAMETERS];
    uint32_t parameter_count;
    float *tables[HED_MPPI_MAX_TABLES]; /* (capacity); with `per_controller` (count x capacity) */
    uint32_t *table_counts;             /* (count x HED_MPPI_MAX_TABLES) */
    uint32_t *numbers;                  /* (count) 0, 1, 2, ...: an input of kernels */
    uint32_t changed_tables;            /* bit i: table i has content that the solver lacks */
    uint32_t table_needs[HED_MPPI_MAX_TABLES]; /* fewest floats that the model reads */
    hed_ring *changes;
    hed_ring *table_changes;              /* mppi_table_change */
    float *spare[HED_MPPI_MAX_TABLES][2]; /* (capacity) */
    atomic_bool spare_used[HED_MPPI_MAX_TABLES][2];
    /* state from solve to solve; TUBE: systems `count` and on are nominal */
    float *state;     /* (systems x nx) at the last solve */
    float *plan;      /* (systems x T x nu) */
    float *ratio;     /* (systems x T x nu), or NULL */
    float *pasts;     /* (systems x past x nu) */
    float *mean;      /* (systems x T x nu) */
    float *sums;      /* (systems x 4) */
    float *states;    /* (systems x (T + 1) x nx) along the plan */
    float *gains;     /* (count x T x nu x nx); PLAIN: NULL */
    float *applied;   /* (count x nu) by the last solve */
    bool has_history; /* true: `pasts` were set by a shift or hed_mppi_set_applied() */
    bool unshifted;   /* true: `applied` is not in `pasts` yet */
    mppi_shift shift;
    mppi_published *published;
    float *drive;        /* smooth_weight: (systems x T x nu) derivative times dt; else NULL */
    float *sampled;      /* (systems x T x nu) plan of the last round, for traces */
    float *sampled_past; /* (systems x past x nu) */
    mppi_sampling last;  /* the last round */
    /* TUBE and ROBUST */
    bool started;
    float *stride;          /* (count) steps since the last solve, at most T */
    uint32_t *candidate;    /* (count) hed_mppi_stats.candidate */
    bool *over_threshold;   /* (count) ROBUST: no candidate was below `value_threshold` */
    float *track_states;    /* (2 x (T + 1) x nx) */
    float *track_controls;  /* (3 x T x nu) */
    float *candidate_state; /* ROBUST: (candidates x count x nx) */
    float *candidate_plan;  /* (candidates x count x T x nu) */
    float *candidate_sums;  /* (candidates x count x 4) */
    float *lambda;          /* (count) */
    float *scratch;         /* (T + 4) */
    float *arriving; /* (T x nu) with model.roll: controls of the plan that reach the actuators */
    bool *crashed;   /* (systems) in the last round */
    /* (systems) of the last solve: 1: it crashed or diverged; 2: so did one of the T solves
     * before it */
    uint8_t *failures;
    uint16_t *recent; /* (systems) solves for which the last failure still counts */
    float *precision; /* (nu x nu) inverse of the covariance of the controls */
    float *factor;    /* (nu x nu) lower Cholesky factor of the covariance; NULL: diagonal, sigma */
    /* sampler.c: noise of control i is sigma sum_m mix[i][t][m] n_m; NULL: independent in time */
    float *mix; /* (nu x T x mix_columns) */
    uint32_t mix_columns;
    float *time_precision;  /* (nu x T x T) for the importance correction, with `mix` */
    float *noise;           /* GIVEN: (T x nu x N), set by the user */
    uint32_t noise_number;  /* counts settings of the noise */
    hed_mppi_stats *stats;  /* (count) of the last solve */
    hed_mppi_stages stages; /* stages of the last solve */
    uint32_t round;         /* number of the next round */
    bool is_cut;            /* true: the deadline came before all samples and iterations */
    uint32_t *counted;      /* (systems) samples of the last round that were rolled out */
    uint32_t
        *candidate_counted; /* ROBUST: (candidates x count) the same of the candidates' round */
    /* deadlines: time of a solve after its last samples, ns, and its deviation from that mean */
    double after_ns, deviation_ns;
    mppi_pace pace, candidate_pace;
};

/* Return the first sample of the block of one of `shares`, and the number of samples in the
 * controller's own blocks. */
static inline uint32_t mppi_block_begin(const hed_mppi *c, uint32_t share)
{
    return c->def.blocks > 1 ? (c->first_block + share / c->systems) * c->block : 0;
}
static inline uint32_t mppi_own_samples(const hed_mppi *c)
{
    uint32_t begin = c->first_block * c->block, capacity = c->blocks * c->block;
    uint32_t left = begin < c->def.samples ? c->def.samples - begin : 0;
    return left < capacity ? left : capacity;
}

/* Returns a text of a controller: k = 0 the model, 1 + i term i. */
static inline mppi_part *mppi_text(const hed_mppi *c, uint32_t controller, uint32_t k)
{
    return c->texts + (c->text_rows > 1 ? controller : 0) * (1 + c->def.term_count) + k;
}
/* Returns the parameters of a controller's terms after step t. */
static inline const float *mppi_values(const hed_mppi *c, uint32_t controller, uint32_t t)
{
    if (!c->timed.count) return c->parameters + (uint64_t)controller * c->parameter_count;
    return c->timed.rows + ((uint64_t)controller * c->def.steps + t) * c->parameter_count;
}

/* Return the largest change of control i in a step, 0: unlimited; and the largest towards 0. */
static inline float mppi_reach(const hed_mppi *c, uint32_t i)
{
    bool only_brakes = c->def.rate[i] == 0 && c->def.deceleration[i] > 0;
    return only_brakes ? 3e38f : c->def.rate[i] * c->def.dt;
}
static inline float mppi_brake(const hed_mppi *c, uint32_t i)
{
    return c->def.deceleration[i] > 0 ? c->def.deceleration[i] * c->def.dt : mppi_reach(c, i);
}
/* Returns smooth_weight in the scale of the samples' costs. */
static inline float mppi_smooth_weight(const hed_mppi *c)
{
    bool mean = c->def.scale == HED_MPPI_MEAN;
    return c->def.smooth_weight * (mean ? 1.0f / (float)c->def.steps : 1);
}

/* ---- mppi_choice.c, mppi_structure.c, blocks.c ---- */

/* Chooses the solver of a controller or a part: the tuned one, else by definition and device. */
hed_status mppi_choose_solver(hed_mppi *controller, hed_error *error);
/* Makes the structure of a controller or a part by its definition. Errors: the solver's. */
hed_status mppi_make_structure(hed_mppi *controller, hed_error *error);
/* Destroys a structure. `controller`: its owner, whose own structure is another one. */
void mppi_drop_structure(hed_mppi *controller, mppi_structure *structure);
/* Times other structures of a new controller for def.measure_ns, and keeps the fastest. Errors: the
 * solver's. */
hed_status mppi_measure_structures(hed_mppi *controller, hed_error *error);

/* Runs one round of the controller's solver and merges its blocks. Errors: the solver's. */
hed_status mppi_round(hed_mppi *controller, mppi_sampling *round, hed_error *error);
/* Divides the samples of a complete controller into blocks, and allocates memory for their
 * results. */
hed_status mppi_make_blocks(hed_mppi *controller, hed_error *error);
/* Measures rounds of a controller with a deadline on a device. Errors: the solver's. */
void mppi_measure_rounds(hed_mppi *controller, hed_error *error);
/* Runs a round of a solve that ends at `round->deadline`: on a device with as many tiles as its
 * measured speed allows, which the round adjusts. `counted` is filled in. Errors: the solver's. */
hed_status mppi_timed_round(
    hed_mppi *controller, mppi_pace *pace, mppi_sampling *round, hed_error *error);
/* True if another round of a solve can end before its deadline, or without a deadline. */
bool mppi_has_time(const hed_mppi *controller, const mppi_sampling *round);
/* Returns the time of a solve's last samples, for a solve that begins at `begin`; 0: no deadline. */
uint64_t mppi_last_samples(const hed_mppi *controller, uint64_t begin);
/* Learns from a solve that began at `begin`, whose rounds ended at `rounds`, and that ended at `end`. */
void mppi_learn_reserve(hed_mppi *controller, uint64_t begin, uint64_t rounds, uint64_t end);
/* Merges the results of all blocks into the results of the round. */
void mppi_merge_blocks(hed_mppi *controller, const mppi_sampling *round);

/* ---- check.c ---- */

extern const hed_mppi_def mppi_default_def; /* default of hed_default_mppi_def() */

/* Completes a definition from the model and checks it; fills in controller->def and its copied
 * arrays. Errors name the member, its value and the expected range. */
hed_status mppi_complete(hed_mppi *controller, const hed_mppi_def *def, hed_error *error);
/* Checks a complete definition of TUBE and ROBUST; PLAIN is valid. Errors: ARGUMENT, UNSUPPORTED. */
hed_status mppi_check_pair(const hed_mppi *controller, hed_error *error);
/* Lists names and first values of all parameters; applies def.settings. */
hed_status mppi_list_parameters(hed_mppi *controller, hed_error *error);

/* ---- mppi_code.c ---- */

/* Compiles texts without a C function for the processor, if `host` is among the devices, or if TUBE
 * and ROBUST need the model's function. Errors: as hed_code_create(). */
hed_status mppi_compile_texts(hed_mppi *controller, hed_error *error);
void mppi_free_code(hed_mppi *controller);

/* ---- published.c ---- */

/* Allocates the slots of controller->published. */
hed_status mppi_make_published(hed_mppi *controller, hed_error *error);
/* Publishes plan, states, gains and applied controls. */
void mppi_publish(hed_mppi *controller);

/* ---- sampler.c ---- */

/* Fills in controller->mix and time_precision for samplers correlated in time. */
hed_status mppi_make_sampler(hed_mppi *controller, hed_error *error);

/* ---- plan.c: operations on a plan on the host, O(T) ---- */

/* Smooths a plan by a 5-point quadratic Savitzky-Golay filter (1964). Before the plan are the
 * last two applied controls, after it its last control is repeated. `scratch`: (T + 4). */
void mppi_smooth(const hed_mppi *controller, uint32_t system, float *scratch);
/* Clamps a plan to limits and rates. */
void mppi_limit(const hed_mppi *controller, uint32_t system);
/* Clamps the control (nu) that a system's actuators get next to limits, and to rates from the last
 * applied control on: the last step before a control leaves the library. */
void mppi_hold(const hed_mppi *controller, uint32_t system, float *u);
/* Checks the data that a system keeps between calls; to be called after every change. Plan,
 * derivative and applied controls that are not finite become 0. States along the plan, by the
 * model's C function or the solver, are finite up to the end: the last finite ones are repeated.
 * False: a number was not finite. */
bool mppi_keep(hed_mppi *controller, uint32_t system);
/* Restarts a system after a failure: empties its plan, and clamps its past controls to values
 * that sampling could have found. */
void mppi_begin_again(hed_mppi *controller, uint32_t system);
/* Steps the model of controller->stepped on the host; `u` is the control that arrives, delay included. */
void mppi_step(const hed_mppi *controller, float *x, const float *u);
/* Return the arguments of the C functions of controller `index`: of its model; of term k after step t. */
hed_mppi_world mppi_model_world(const hed_mppi *controller, uint32_t index);
hed_mppi_world mppi_term_world(const hed_mppi *controller, uint32_t index, uint32_t k, uint32_t t);

/* ---- mppi_shift.c ---- */

/* Allocates the arrays of controller->shift, after controller->drive. */
hed_status mppi_make_shift(hed_mppi *controller, hed_error *error);
/* Marks the present plan as unshifted, after a solve or reset. */
void mppi_end_shift(hed_mppi *controller);
/* Writes a plan (T x nu) shifted by `whole` steps and the fraction f of one to `out`. After its end
 * it has its last control; `zero`, or nothing left: 0. */
void mppi_shift_plan(
    const hed_mppi *controller, const float *plan, uint32_t whole, float f, bool zero, float *out);
/* Interpolates states (T + 1 x nx) at `step`, angles by the shorter turn. */
void mppi_state_at(const hed_mppi *controller, const float *states, float step, float *x);

/* ---- mppi_changes.c, mppi_timed.c ---- */

/* Sets a table's content, of one controller or all; the solver gets it before the next round. */
void mppi_set_table(
    hed_mppi *controller, uint32_t index, uint32_t table, const float *values, uint32_t count);

/* Copies def.timelines, after the parameters are listed. Errors: ARGUMENT, LIMIT, MEMORY. */
hed_status mppi_make_timed(hed_mppi *controller, hed_error *error);
/* Computes the parameters after each step from the clock on, before a solve. */
void mppi_fill_timed(hed_mppi *controller);

/* ---- track.c ---- */

/* Computes gains (T x nu x nx) that track states (T + 1 x nx) and controls (T x nu) from x0 by
 * `iterations` of iterative LQR; the last trajectory stays in controller->track_states and
 * track_controls. False: no convergence to finite values. */
bool mppi_track(hed_mppi *controller, const float *x0, const float *states, const float *controls,
    uint32_t iterations, float *gains);

/* ---- nominal.c: TUBE and ROBUST ---- */

/* Returns the system whose plan and states are shown to users. */
uint32_t mppi_shown(const hed_mppi *controller, uint32_t index);
/* Describes candidate k of ROBUST: weights of the previous nominal state, the nominal state now
 * and the real state; number of steps, up to `stride`, by which its plan is shifted. */
void mppi_candidate(const hed_mppi_def *def, uint32_t candidate, uint32_t stride, float weights[3],
    uint32_t *shift);
/* Prepares the rounds of a solve: nominal states and, for ROBUST, gains. */
hed_status mppi_nominal_begin(hed_mppi *controller, mppi_sampling *round, hed_error *error);
/* Computes the nominal trajectory, gains and the control u (nu) to apply, after the rounds.
 * False: the nominal system has diverged. */
bool mppi_nominal_end(hed_mppi *controller, uint32_t index, float *u);

#endif
