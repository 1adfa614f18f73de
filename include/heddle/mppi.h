/** @file mppi.h
 *  Sampling model-predictive control: model-predictive path integral control (MPPI; Williams et al.,
 *  ICRA 2017 and T-RO 2018), Tube-MPPI (Williams et al., RSS 2018) and Robust MPPI (Gandhi et al.,
 *  RA-L 2021). From the state of a system, a controller samples thousands of control sequences around
 *  its present plan, rolls each through the system's model, weighs them by their costs, and the
 *  weighted mean is the new plan. A library of its own: heddle-mppi. Scene files and costmaps:
 *  mppi_scene.h.
 *
 *  Notation, from here to the kernels: N samples, T steps of dt seconds, nx states, nu controls,
 *  plan U (T x nu), noise e, sampled controls v = U + e, cost S of a sample, weight
 *  w = exp((min S - S) / lambda).
 *
 *  Every size is chosen when the program runs; after hed_mppi_create() nothing is allocated. The
 *  noise comes from a counter-based generator, so that the same seed gives the same samples on every
 *  device and whatever the launch. Several devices may share the samples of one controller out:
 *  hed_mppi_def.also.
 *
 *  Thread class of everything here, unless it says otherwise: owner of the controller.
 */
#ifndef HEDDLE_MPPI_H
#define HEDDLE_MPPI_H

#include "heddle/launch.h"
#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_mppi hed_mppi;

enum {
    HED_MPPI_MAX_STATES = 32,
    HED_MPPI_MAX_CONTROLS = 8,
    HED_MPPI_MAX_TERMS = 16,
    HED_MPPI_MAX_PARAMETERS = 128, /**< of model and terms together */
    HED_MPPI_MAX_TABLES = 8,
    HED_MPPI_MAX_STEPS = 1024,
    HED_MPPI_MAX_DELAY = 32,
    HED_MPPI_MAX_ROLLOUTS = 32 /**< of one sample, for risk */
};

/* ---- what is controlled: a model and the terms of its cost ---- */

/** A number that a text reads as P(name). It may change between two solves without a new build. */
typedef struct hed_mppi_parameter {
    const char *name;
    float value;
    const char *summary; /**< meaning and unit, for people; may be NULL */
    /** An array, which a text reads as P_ARRAY(name)[i]: its length, or one of the two below. 0: a
     *  number. Element i is "goal.2" from outside, or by the name of its state, "goal.theta". */
    int32_t length;
} hed_mppi_parameter;

enum {
    HED_MPPI_EACH_STATE = -1,  /**< hed_mppi_parameter.length: nx */
    HED_MPPI_EACH_CONTROL = -2 /**< nu */
};

/** A value for a parameter: "mass" of the model, "goal.x" or "goal.weight" of a term. */
typedef struct hed_mppi_setting {
    const char *name;
    float value;
} hed_mppi_setting;

/** An array of floats that a text reads as TABLE(name)[i]: a costmap, a path, obstacles, weights of
 *  a network. Its content may change between two solves, up to `capacity`. */
typedef struct hed_mppi_table {
    const char *name;
    const float *values; /**< (count), copied; NULL: zeros */
    uint32_t count;
    uint32_t capacity; /**< floats; 0: `count` */
} hed_mppi_table;

/** What a C function of a model or term is given beside the state. */
typedef struct hed_mppi_world {
    const float *parameters;    /**< its own, in the order of its description */
    const float *const *tables; /**< those that its description names, in that order */
    const uint32_t *table_counts;
    float dt;
    uint32_t steps;                     /**< T */
    const struct hed_mppi_model *model; /**< the controller's: a term takes nx, nu, pose from it */
    const void *user;                   /**< of the model or term */
} hed_mppi_world;

/** Moves x (nx) by one step of dt under u (nu). */
typedef void hed_mppi_step_function(
    float *x, const float *u, float dt, const hed_mppi_world *world);
/** Cost of being in x after step t (0 to T - 1) under u; NaN, or beyond 1e30 in size: the sample is
 *  out. */
typedef float hed_mppi_cost_function(
    const float *x, const float *u, int32_t t, const hed_mppi_world *world);

/** The dynamics. `text` is for devices, the C function for the processor; either may be missing: then
 *  the controller does not run there, except that OpenCL on a processor runs texts. A text defines
 *
 *      MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
 *
 *  in OpenCL C with the words of engines/mppi/kernels/words.h; engines/mppi/models has examples. */
typedef struct hed_mppi_model {
    const char *name, *summary;
    uint32_t states, controls;
    const char *const *state_names;   /**< (states), or NULL */
    const char *const *control_names; /**< (controls), or NULL */
    const char *text;                 /**< NULL: no device but `host` */
    const char *file;             /**< what the compiler's messages call the text; NULL: `name` */
    hed_mppi_step_function *step; /**< NULL: not on `host`; rollouts of `host` call it */
    const hed_mppi_parameter *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    const char *const *tables; /**< (table_count) names of the tables that it reads */
    uint32_t table_count;
    /** (table_count) fewest floats that each of them must have; NULL: any number will do */
    const uint32_t *table_needs;
    /** Which states are position, heading, forward speed, turn rate and velocity along the axes, for
     *  terms that speak of them as POSE_X, POSE_Y, POSE_HEADING, SPEED, TURN, VELOCITY_X, VELOCITY_Y;
     *  -1: none. */
    int32_t pose_x, pose_y, pose_heading, speed, turn, velocity_x, velocity_y;
    uint32_t angles; /**< set of states that are angles (bit i: state i): differences are wrapped */
    /* what a controller begins from where its definition says nothing */
    float sigma[HED_MPPI_MAX_CONTROLS];   /**< standard deviation of the noise, control's unit */
    float minimum[HED_MPPI_MAX_CONTROLS]; /**< limits; both 0: none */
    float maximum[HED_MPPI_MAX_CONTROLS];
    float start[HED_MPPI_MAX_STATES];      /**< for demonstrations */
    float dt;                              /**< s */
    const void *user;                      /**< for the C function */
    const struct mppi_native_model *lanes; /**< Heddle's own models: a SIMD version; else NULL */
} hed_mppi_model;

/** When a term counts. */
typedef enum hed_mppi_when {
    HED_MPPI_RUNNING,  /**< after each step */
    HED_MPPI_TERMINAL, /**< after the last step alone */
    HED_MPPI_ALWAYS    /**< after each step, and after the last step once more */
} hed_mppi_when;

/** One term of the cost ("critic"). Its text defines
 *
 *      MPPI_FUNCTION float term_NAME(const float *x, const float *u, int t, MPPI_WORLD w)
 *
 *  with `name` for NAME; the controller adds weight * term. */
typedef struct hed_mppi_term {
    const char *name, *summary;
    const char *text;
    const char *file;
    hed_mppi_cost_function *cost;
    const hed_mppi_parameter *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    const char *const *tables; /**< (table_count) names of the tables that it reads */
    uint32_t table_count;
    float weight; /**< parameter "NAME.weight" of the controller */
    hed_mppi_when when;
    const void *user;
} hed_mppi_term;

/** Heddle's own models and terms, by index or by name; NULL past the end, or where there is none of
 *  that name. They live as long as the program. Thread class: any. */
HED_API const hed_mppi_model *hed_mppi_model_at(uint32_t index);
/** \copydoc hed_mppi_model_at() */
HED_API const hed_mppi_model *hed_mppi_model_find(const char *name);
/** \copydoc hed_mppi_model_at() */
HED_API const hed_mppi_term *hed_mppi_term_at(uint32_t index);
/** \copydoc hed_mppi_model_at() */
HED_API const hed_mppi_term *hed_mppi_term_find(const char *name);

/* ---- what the controller does ---- */

/** Which controller. */
typedef enum hed_mppi_kind {
    HED_MPPI_PLAIN,  /**< MPPI */
    HED_MPPI_TUBE,   /**< Tube-MPPI: real and nominal system, iLQR tracks the nominal one */
    HED_MPPI_ROBUST, /**< RMPPI: both systems in each sample, with feedback; candidates */
    HED_MPPI_KIND_COUNT
} hed_mppi_kind;

/** What the cost of a sample is. lambda is in its unit: lambda for the sum is T times that for the
 *  mean. */
typedef enum hed_mppi_scale { HED_MPPI_MEAN, HED_MPPI_SUM } hed_mppi_scale;

/** Where noise comes from. All but LOG_NORMAL and GIVEN are e = sigma * (A n) with independent normal
 *  n: over the controls by `covariance`, over time by the sampler's matrix. */
typedef enum hed_mppi_sampler {
    HED_MPPI_GAUSSIAN,       /**< independent in time */
    HED_MPPI_COLOURED,       /**< power spectrum 1/f^exponent (Timmer and König 1995) */
    HED_MPPI_LOG_NORMAL,     /**< normal times log-normal (Mohamed et al. 2022) */
    HED_MPPI_SPLINE,         /**< knots, interpolated by cubic splines */
    HED_MPPI_SUPPORT_POINTS, /**< support points, radial basis functions (KMPPI) */
    HED_MPPI_GIVEN,          /**< hed_mppi_set_noise() */
    HED_MPPI_SAMPLER_COUNT
} hed_mppi_sampler;

/** How costs become weights. */
typedef enum hed_mppi_update {
    HED_MPPI_EXPONENTIAL, /**< exp(-(S - min S) / lambda) */
    HED_MPPI_ELITE,       /**< cross-entropy: equal weights on the best `elite` share */
    HED_MPPI_TSALLIS      /**< (1 - (S - min S) / gamma)^(1 / (r - 1)) below gamma, else 0 */
} hed_mppi_update;

/** What the shifted plan ends with. */
typedef enum hed_mppi_tail { HED_MPPI_HOLD, HED_MPPI_ZERO } hed_mppi_tail;

/** How the costs of `rollouts` disturbed rollouts become the cost of their sample. */
typedef enum hed_mppi_risk {
    HED_MPPI_EXPECTED,                 /**< their mean */
    HED_MPPI_VALUE_AT_RISK,            /**< their quantile `risk_level` */
    HED_MPPI_CONDITIONAL_VALUE_AT_RISK /**< the mean of those from that quantile on */
} hed_mppi_risk;

/** What a solve consists of on the device. */
typedef enum hed_mppi_solver {
    HED_MPPI_AUTO,     /**< the fastest that the device and the definition allow */
    HED_MPPI_CPU,      /**< threads of the processor; needs the C functions; `host` */
    HED_MPPI_LAUNCHES, /**< kernels one after another, in a graph where the device has graphs */
    HED_MPPI_PACKETS,  /**< one kernel whose groups hand their sums on as packets */
    HED_MPPI_RESIDENT, /**< the same, which stays on the device between solves */
    HED_MPPI_SOLVER_COUNT
} hed_mppi_solver;

/** How to make a controller. Start from hed_default_mppi_def(). Arrays are copied; model, terms and
 *  what they point to must outlive the controller. */
typedef struct hed_mppi_def {
    const hed_mppi_model *model;
    const hed_mppi_term *terms; /**< (term_count) */
    uint32_t term_count;
    const hed_mppi_table *tables; /**< (table_count) */
    uint32_t table_count;
    const hed_mppi_setting
        *settings; /**< (setting_count) parameters that differ from their default */
    uint32_t setting_count;

    hed_mppi_kind kind;
    uint32_t count;      /**< controllers that are solved in one submission, a fleet; 1 */
    uint32_t samples;    /**< N of each */
    uint32_t steps;      /**< T */
    float dt;            /**< s; 0: the model's */
    uint32_t iterations; /**< of sampling and updating in a solve; 1 */
    uint64_t seed;

    /* cost and weights */
    hed_mppi_scale scale;
    float lambda; /**< temperature, unit of the cost */
    /** 0: full importance correction lambda (1 - alpha) u' Sigma^-1 (v - u/2); 1: none */
    float alpha;
    hed_mppi_update update;
    float elite;                        /**< ELITE: share of N, 0 to 1 */
    float tsallis_r, tsallis_threshold; /**< TSALLIS: r > 1, gamma */
    /** > 0: lambda is adapted from solve to solve towards this effective sample size (of N), within
     *  1e6 times `lambda` */
    float ess_target;
    /** cost of a sample from which on it counts as crashed in the statistics; infinite and NaN
     *  always do */
    float crash_cost;

    /* noise */
    hed_mppi_sampler sampler;
    float sigma[HED_MPPI_MAX_CONTROLS]; /**< all 0: the model's */
    const float *sigma_steps;           /**< (T x nu) factors of sigma; NULL: 1 */
    /** (nu x nu) of the controls, symmetric, positive definite, in place of sigma^2; NULL: diagonal */
    const float *covariance;
    float exponent[HED_MPPI_MAX_CONTROLS]; /**< COLOURED: 0 white, 1 pink, 2 red */
    float
        offset_decay; /**< COLOURED: the noise at the first free step is subtracted, times this^t */
    float log_sigma;  /**< LOG_NORMAL: standard deviation of the logarithm */
    uint32_t knots;   /**< SPLINE, SUPPORT_POINTS: how many over T */
    float kernel_width; /**< SUPPORT_POINTS: of the radial basis functions, in knots */
    float pure_noise;   /**< share of samples whose mean is 0 instead of the plan */
    bool keep_plan;     /**< sample 0 is the plan itself, without noise */
    uint32_t committed; /**< first steps that no sample disturbs */

    /* limits */
    float minimum[HED_MPPI_MAX_CONTROLS]; /**< both 0: the model's */
    float maximum[HED_MPPI_MAX_CONTROLS];
    float rate[HED_MPPI_MAX_CONTROLS]; /**< largest change in a second; 0: none */
    uint32_t delay;                    /**< steps until a control reaches the actuator */

    /* the plan from solve to solve */
    hed_mppi_tail tail;
    bool smooth; /**< Savitzky-Golay over 5 steps, after each update */
    /** > 0: Smooth MPPI (Kim et al. 2022): the derivative is sampled, this weight on squared
     *  differences of the controls */
    float smooth_weight;

    /* risk */
    uint32_t rollouts; /**< of each sample; 1 */
    float
        disturbance[HED_MPPI_MAX_STATES]; /**< standard deviation added to each state in a second */
    hed_mppi_risk risk;
    float risk_level; /**< 0 to 1 */

    /* TUBE and ROBUST: tracking cost (x - x*)' Q (x - x*) + (u - u*)' R (u - u*), diagonals */
    float track_state[HED_MPPI_MAX_STATES];
    float track_control[HED_MPPI_MAX_CONTROLS];
    float track_final[HED_MPPI_MAX_STATES];
    float nominal_threshold; /**< TUBE: nominal := real below this difference of baselines */
    float value_threshold;   /**< ROBUST: bound on the free energy of a candidate */
    uint32_t candidates;     /**< ROBUST: odd, at least 3 */
    uint32_t candidate_samples;

    /* how */
    /** (also_count) further devices that take a share of the samples each, as one solve; they may be
     *  of any kind, and must outlive the controller. Not for ROBUST, ELITE and TSALLIS. */
    hed_device *const *also;
    uint32_t also_count;
    /** Consecutive parts, up to 64, that the samples are summed up in before they are merged; a device
     *  takes whole ones. In strict mode it is their number, and not the devices, that fixes the bits.
     *  0: 8 with several devices, else 1 */
    uint32_t blocks;
    hed_math math;
    hed_mppi_solver solver; /**< with several devices: of each */
    uint64_t deadline_ns;   /**< a solve returns what it has after this long; 0: none */
    /** Fixed choices for measurements: names of hed_mppi_parameters() as "GROUP=256 SAMPLES=16"; NULL:
     *  the rules', or what tuning has found */
    const char *choice;
} hed_mppi_def;

/** MPPI, 1,024 samples, 100 steps, one iteration, lambda 1 on the mean, alpha 1, 1 % pure noise, the
 *  plan kept as a sample, one step committed, smoothing, tail held. Thread class: any. */
HED_API hed_mppi_def hed_default_mppi_def(void);

/** How a solve ended. All are answers: the controls may be applied. */
typedef enum hed_mppi_outcome {
    HED_MPPI_SOLVED,
    HED_MPPI_ALL_CRASHED, /**< no sample had a finite cost: the plan is the shifted former one, and the
                               next solve begins from zero (a soft reset) */
    HED_MPPI_DEADLINE,    /**< the deadline passed first: the best plan so far */
    HED_MPPI_DIVERGED     /**< the model gave NaN or infinity along the plan: as ALL_CRASHED */
} hed_mppi_outcome;

/** What a solve found, for each controller of a fleet. */
typedef struct hed_mppi_stats {
    hed_mppi_outcome outcome;
    float baseline;    /**< smallest cost of a sample */
    float free_energy; /**< -lambda ln(mean exp(-S / lambda)) */
    float normalizer;  /**< mean weight: 1/N one sample decides, 1 all alike */
    float ess;         /**< effective sample size, (sum w)^2 / sum w^2 */
    float crashed;     /**< share of samples */
    float lambda;      /**< that was used */
    uint32_t iterations;
    uint32_t candidate; /**< ROBUST: the one chosen; TUBE: 1 where the nominal state was reset */
    uint64_t solve_ns;  /**< host state to host controls */
    bool missed;        /**< over the deadline */
} hed_mppi_stats;

/** Makes a controller ready on a device. Thread class: any. Errors: ARGUMENT (names the member, what
 *  it is and what was expected), UNSUPPORTED (a model without its function on `host`; a solver that
 *  the device or the definition does not allow), BUILD (the compiler's words, with the text's own
 *  lines), LIMIT, MEMORY, DEVICE_MEMORY, DRIVER. */
HED_API hed_status hed_mppi_create(
    hed_device *device, const hed_mppi_def *def, hed_mppi **controller, hed_error *error);
/** NULL is allowed. */
HED_API void hed_mppi_destroy(hed_mppi *controller);

/** One solve: from state x (count x nx) to the controls u to apply now (count x nu; nullable); the
 *  plan is kept, not shifted. `stats` (count) is nullable. What was posted takes effect first.
 *  Allocates nothing. Errors: ARGUMENT (x is not finite), DRIVER, LOST. */
HED_API hed_status hed_mppi_solve(
    hed_mppi *controller, const float *x, float *u, hed_mppi_stats *stats, hed_error *error);
/** Goes on by `steps` steps: the plan is shifted, its tail filled. hed_mppi_solve() after it begins
 *  from the shifted plan. */
HED_API void hed_mppi_shift(hed_mppi *controller, uint32_t steps);
/** Forgets plan and history: the plan is zero, or `controls` (count x T x nu; nullable), in which a
 *  number that is not finite counts as 0. */
HED_API void hed_mppi_reset(hed_mppi *controller, const float *controls);

/* ---- what it found: of controller `index` of the fleet, valid until the next solve ---- */

/** The plan, (T x nu). */
HED_API const float *hed_mppi_controls(const hed_mppi *controller, uint32_t index);
/** The states along it, (T + 1 x nx); of the nominal system for TUBE and ROBUST. Always finite: where
 *  the model gives NaN or infinity (HED_MPPI_DIVERGED) the last finite state is repeated. */
HED_API const float *hed_mppi_states(const hed_mppi *controller, uint32_t index);
/** Feedback gains K_t, (T x nu x nx): u = u*_t + K_t (x - x*_t). NULL for PLAIN. */
HED_API const float *hed_mppi_gains(const hed_mppi *controller, uint32_t index);
/** The control `seconds` after the solve's state, interpolated in time, for state x (feedback applied
 *  where there are gains, and where it is finite; x NULL: none). u: (nu), finite. Thread class: rt. */
HED_API void hed_mppi_control_at(
    const hed_mppi *controller, uint32_t index, float seconds, const float *x, float *u);
/** Rolls samples of the last solve out once more, for display: sample 0 to count - 1, or with `best`
 *  those of least cost. states: (count x T + 1 x nx), costs: (count); both nullable. */
HED_API hed_status hed_mppi_trace(hed_mppi *controller, uint32_t index, uint32_t count, bool best,
    float *states, float *costs, hed_error *error);

/* ---- changes while it runs ---- */

/** Index of a parameter: "mass" of the model, "goal.x" or "goal.weight" of a term; UINT32_MAX: none.
 *  Thread class: rt. */
HED_API uint32_t hed_mppi_parameter_find(const hed_mppi *controller, const char *name);
/** Parameter `index`, for listing: its name (UINT32_MAX... NULL past the end) and value (nullable). */
HED_API const char *hed_mppi_parameter_at(const hed_mppi *controller, uint32_t index, float *value);
/** Sets a parameter from the next solve on. Thread class: rt, one thread beside the owner. False: the
 *  ring is full, or there is no such parameter. */
HED_API bool hed_mppi_post(hed_mppi *controller, uint32_t parameter, float value);
/** Replaces the content of table `name` from the next solve on; `values` (count) is copied. Thread
 *  class: the thread that posts; allocates nothing. Errors: ARGUMENT (no such table, too long, NaN),
 *  NOT_READY (two are waiting already). */
HED_API hed_status hed_mppi_post_table(
    hed_mppi *controller, const char *name, const float *values, uint32_t count, hed_error *error);
/** GIVEN: noise of the next solve, (T x nu x N), in units of the control, without the plan. */
HED_API hed_status hed_mppi_set_noise(hed_mppi *controller, const float *noise, hed_error *error);

/* ---- how it runs ---- */

/** What a controller was made into. */
typedef struct hed_mppi_info {
    const hed_mppi_def *def;  /**< as completed from the model; lives as long as the controller */
    hed_device *device;       /**< the first, of which the two below are, too */
    hed_mppi_solver solver;   /**< never AUTO */
    char choice[128];         /**< "GROUP=256 SAMPLES=16 ..." */
    hed_config_origin origin; /**< where that came from */
    uint32_t parameter_count;
} hed_mppi_info;
/** Thread class: rt. */
HED_API hed_mppi_info hed_mppi_describe(const hed_mppi *controller);
/** Finds the fastest solver, group sizes and kernel variant for a definition on a device, by whole
 *  solves, and keeps them in the context's database; `def` without `also` and `blocks`. `tune` as for hed_tune_pipeline(), its problem is
 *  filled in here; NULL: its defaults. Errors: as hed_mppi_create() and hed_tune_pipeline();
 *  UNSUPPORTED (host, strict: nothing to choose). */
HED_API hed_status hed_mppi_tune(hed_device *device, const hed_mppi_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);
/** Describes the search space of hed_mppi_tune(), for displaying a result. Thread class: any. */
HED_API const hed_kernel_def *hed_mppi_tune_description(void);

/** A hash of controls, states and statistics, for strict mode. */
HED_API uint64_t hed_mppi_hash(const hed_mppi *controller);

HED_END

#endif
