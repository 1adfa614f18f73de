/** @file mppi.h
 *  Sampling model-predictive control: model-predictive path integral control (MPPI; Williams et
 *  al., ICRA 2017 and T-RO 2018), Tube-MPPI (Williams et al., RSS 2018) and Robust MPPI (Gandhi et
 *  al., RA-L 2021). From the state of a system, a controller samples thousands of control sequences
 *  around its present plan, simulates each by the system's model, and weights them by their costs;
 *  the weighted mean is the new plan. A library of its own: heddle-mppi. Scene files and costmaps:
 *  mppi_scene.h.
 *
 *  Notation, in this header and in the kernels: N samples, T steps of dt seconds, nx states, nu
 *  controls, plan U (T x nu), noise e, sampled controls v = U + e, cost S of a sample, weight w =
 *  exp((min S - S) / lambda).
 *
 *  Every size is chosen when the program runs; after hed_mppi_create() nothing is allocated. The
 *  noise comes from a counter-based generator, so the same seed gives the same samples on every
 *  device and with every launch. Several devices can divide the samples of one controller:
 *  hed_mppi_def.other_devices.
 *
 *  Thread class of everything here, unless a function has its own: owner of the controller. */
#ifndef HEDDLE_MPPI_H
#define HEDDLE_MPPI_H

#include "heddle/launch.h"
#include "heddle/tune.h"

HED_BEGIN

typedef struct hed_mppi hed_mppi;

enum {
    HED_MPPI_MAX_STATES = 64,
    HED_MPPI_MAX_CONTROLS = 32,
    HED_MPPI_MAX_TERMS = 16,
    HED_MPPI_MAX_PARAMETERS = 128, /**< model and terms together */
    HED_MPPI_MAX_TABLES = 8,
    HED_MPPI_MAX_TIMELINES = 64,
    HED_MPPI_MAX_STEPS = 1024,
    HED_MPPI_MAX_DELAY = 32,
    HED_MPPI_MAX_ROLLOUTS = 32 /**< rollouts of one sample, for risk */
};

/* ---- the model: dynamics, and terms of the cost ---- */

/** A number that a text reads as P(name). It may change between two solves without a new build. */
typedef struct hed_mppi_parameter {
    const char *name;
    float value;
    const char *summary; /**< meaning and unit, for people; may be NULL */
    /** 0: a number. Otherwise an array, which a text reads as P_ARRAY(name)[i]: its length, or one
     *  of the two constants below. The program sets element i as "goal.2", or by the name of its
     *  state, "goal.theta". */
    int32_t length;
} hed_mppi_parameter;

enum {
    HED_MPPI_EACH_STATE = -1,  /**< hed_mppi_parameter.length: nx */
    HED_MPPI_EACH_CONTROL = -2 /**< hed_mppi_parameter.length: nu */
};

/** Value of a parameter: "mass" of the model, "goal.x" or "goal.weight" of a term. */
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
    /** true: each controller of a fleet has its own content, which begins as `values` and is replaced
     *  by hed_mppi_set_table() */
    bool per_controller;
} hed_mppi_table;

/** Values of a term's parameter over time, such as a goal that moves or a reference trajectory: after
 *  step t of a plan the value at (t + 1) dt from the controller's clock applies. It is linear between
 *  two moments, and constant before the first and after the last. */
typedef struct hed_mppi_timeline {
    const char *name;    /**< "goal.x", "quadratic.goal.theta", "goal.weight" */
    const double *times; /**< (count) ascending, s */
    const float *values; /**< (count) */
    uint32_t count;      /**< moments, at least 1 */
    uint32_t capacity;   /**< moments for hed_mppi_set_timeline(); 0: `count` */
    bool angle;          /**< true: between two moments by the shorter turn */
} hed_mppi_timeline;

/** Further inputs of the C function of a model or term. */
typedef struct hed_mppi_world {
    /** parameters of the model or term, in the order of its description */
    const float *parameters;
    const float *const *tables; /**< tables that its description names, in that order */
    const uint32_t *table_counts;
    float dt;
    uint32_t steps; /**< T */
    /** model of the controller, for terms that need nx, nu or the pose */
    const struct hed_mppi_model *model;
    const void *user; /**< `user` of the model or term */
} hed_mppi_world;

/** Advances x (nx) by one step of dt under u (nu). */
typedef void hed_mppi_step_function(
    float *x, const float *u, float dt, const hed_mppi_world *world);
/** Arguments of a hed_mppi_roll_function: one sample. */
typedef struct hed_mppi_roll {
    const float *x;        /**< (nx) state before the first step */
    const float *controls; /**< (steps x nu) controls that reach the actuators */
    uint32_t steps;        /**< 1 to T */
    uint32_t thread;       /**< index of the calling thread, from 0 on, at most one call for each */
    float *states;         /**< (steps x nx) result: state after each step */
    float
        *cost; /**< result: sum of the model's own running costs over all steps; terms add theirs */
} hed_mppi_roll;
/** Simulates one sample from its first to its last step: a simulator with a state of its own for each
 *  thread, such as a physics engine, whose steps are too expensive to begin at any state. False: the
 *  simulation became unstable, and the sample has crashed. `states` and `cost` are finite otherwise. */
typedef bool hed_mppi_roll_function(const hed_mppi_roll *roll, const hed_mppi_world *world);
/** Returns the cost of state x after step t (0 to T - 1) under u. NaN, or a magnitude above 1e30:
 *  the sample has crashed. */
typedef float hed_mppi_cost_function(
    const float *x, const float *u, int32_t t, const hed_mppi_world *world);

/** The dynamics. Devices compile `text`. The processor calls a C function, or compiles the text too
 *  (code.h). A text defines
 *
 *     MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)
 *
 *  in OpenCL C with the words of engines/mppi/kernels/words.h; engines/mppi/catalogue has
 *  examples. */
typedef struct hed_mppi_model {
    const char *name, *summary;
    uint32_t states, controls;
    const char *const *state_names;   /**< (states), or NULL */
    const char *const *control_names; /**< (controls), or NULL */
    const char *text;                 /**< NULL: `host` only */
    const char *file; /**< name of the text in the compiler's messages; NULL: `name` */
    /** NULL: on `host` the C compiler compiles `text` when the controller is created */
    hed_mppi_step_function *step;
    /** not NULL: `host` calls it in place of `step`, for PLAIN without disturbances; on other devices
     *  the model does not run */
    hed_mppi_roll_function *roll;
    const hed_mppi_parameter *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    const char *const *tables; /**< (table_count) names of its tables */
    uint32_t table_count;
    /** (table_count) minimum length of each table, floats; NULL: any */
    const uint32_t *table_needs;
    /** Indices of position, heading, forward speed, turn rate and velocity along the axes among the
     *  states, for terms that use POSE_X, POSE_Y, POSE_HEADING, SPEED, TURN, VELOCITY_X,
     *  VELOCITY_Y; -1: none. */
    int32_t pose_x, pose_y, pose_heading, speed, turn, velocity_x, velocity_y;
    /** set of states that are angles (bit i: state i, below 32), whose differences are wrapped */
    uint32_t angles;
    /** (controls) 1 + index of the state that measures a control, such as the speed of a robot that is
     *  told a speed; 0: no state. The first solve takes its history from the state. */
    uint8_t measured_by[HED_MPPI_MAX_CONTROLS];
    /* defaults of the controller's definition */
    float sigma[HED_MPPI_MAX_CONTROLS];   /**< standard deviation of the noise, control's unit */
    float minimum[HED_MPPI_MAX_CONTROLS]; /**< limits; both 0: none */
    float maximum[HED_MPPI_MAX_CONTROLS];
    float start[HED_MPPI_MAX_STATES];      /**< start state of demonstrations */
    float dt;                              /**< s */
    const void *user;                      /**< argument of the C function */
    const struct mppi_native_model *lanes; /**< SIMD version of Heddle's own models; else NULL */
} hed_mppi_model;

/** Steps at which a term is evaluated. */
typedef enum hed_mppi_when {
    HED_MPPI_RUNNING,  /**< after each step */
    HED_MPPI_TERMINAL, /**< after the last step only */
    HED_MPPI_ALWAYS    /**< after each step, and once more after the last step */
} hed_mppi_when;

/** One term of the cost ("critic"). Its text defines
 *
 *     MPPI_FUNCTION float term_NAME(const float *x, const float *u, int t, MPPI_WORLD w)
 *
 *  with `name` for NAME; the controller adds weight * term. */
typedef struct hed_mppi_term {
    const char *name, *summary;
    const char *text;
    const char *file;
    hed_mppi_cost_function *cost;
    const hed_mppi_parameter *parameters; /**< (parameter_count) */
    uint32_t parameter_count;
    const char *const *tables; /**< (table_count) names of its tables */
    uint32_t table_count;
    float weight; /**< parameter "NAME.weight" of the controller */
    hed_mppi_when when;
    const void *user;
} hed_mppi_term;

/** Returns Heddle's model `index`; NULL: after the last. It lives as long as the program.
 *  Thread class: any. */
HED_API const hed_mppi_model *hed_mppi_model_at(uint32_t index);
/** Returns Heddle's model of a name; NULL: no such model. It lives as long as the program.
 *  Thread class: any. */
HED_API const hed_mppi_model *hed_mppi_model_find(const char *name);
/** Returns Heddle's term `index`; NULL: after the last. It lives as long as the program.
 *  Thread class: any. */
HED_API const hed_mppi_term *hed_mppi_term_at(uint32_t index);
/** Returns Heddle's term of a name; NULL: no such term. It lives as long as the program.
 *  Thread class: any. */
HED_API const hed_mppi_term *hed_mppi_term_find(const char *name);

/* ---- creation ---- */

/** Kind of controller. */
typedef enum hed_mppi_kind {
    HED_MPPI_PLAIN,  /**< MPPI */
    HED_MPPI_TUBE,   /**< Tube-MPPI: real and nominal system, iLQR tracks the nominal one */
    HED_MPPI_ROBUST, /**< RMPPI: both systems in each sample, with feedback; candidate states */
    HED_MPPI_KIND_COUNT
} hed_mppi_kind;

/** Cost of a sample over its steps. lambda is in the unit of the cost: lambda for the sum is T
 *  times that for the mean. */
typedef enum hed_mppi_scale { HED_MPPI_MEAN, HED_MPPI_SUM } hed_mppi_scale;

/** Distribution of the noise. Except for LOG_NORMAL and GIVEN, e = sigma * (A n) with independent
 *  normal n: over the controls by `covariance`, over time by the sampler's matrix. */
typedef enum hed_mppi_sampler {
    HED_MPPI_GAUSSIAN,       /**< independent in time */
    HED_MPPI_COLOURED,       /**< power spectrum 1/f^exponent (Timmer and König 1995) */
    HED_MPPI_LOG_NORMAL,     /**< normal times log-normal (Mohamed et al. 2022) */
    HED_MPPI_SPLINE,         /**< knots, interpolated by cubic splines */
    HED_MPPI_SUPPORT_POINTS, /**< support points, radial basis functions (KMPPI) */
    HED_MPPI_GIVEN,          /**< set by hed_mppi_set_noise() */
    HED_MPPI_SAMPLER_COUNT
} hed_mppi_sampler;

/** Weights from costs. */
typedef enum hed_mppi_update {
    HED_MPPI_EXPONENTIAL, /**< exp(-(S - min S) / lambda) */
    HED_MPPI_ELITE,       /**< cross-entropy: equal weights on the best fraction `elite` */
    HED_MPPI_TSALLIS      /**< (1 - (S - min S) / gamma)^(1 / (r - 1)) below gamma, else 0 */
} hed_mppi_update;

/** Last control of the shifted plan. */
typedef enum hed_mppi_tail { HED_MPPI_HOLD, HED_MPPI_ZERO } hed_mppi_tail;

/** Cost of a sample from the costs of its `rollouts` disturbed rollouts. */
typedef enum hed_mppi_risk {
    HED_MPPI_EXPECTED,                 /**< the mean */
    HED_MPPI_VALUE_AT_RISK,            /**< the quantile `risk_level` */
    HED_MPPI_CONDITIONAL_VALUE_AT_RISK /**< the mean from the quantile `risk_level` on */
} hed_mppi_risk;

/** Execution of a solve on the device. */
typedef enum hed_mppi_solver {
    HED_MPPI_SOLVER_AUTO,     /**< the fastest one that the device and the definition allow */
    HED_MPPI_SOLVER_CPU,      /**< threads of the processor; needs the C functions; `host` only */
    HED_MPPI_SOLVER_LAUNCHES, /**< kernels one after another, as a graph if the device has graphs */
    HED_MPPI_SOLVER_PACKETS,  /**< one kernel whose groups exchange their sums as packets */
    HED_MPPI_SOLVER_RESIDENT, /**< the kernel of PACKETS, resident on the device between solves */
    HED_MPPI_SOLVER_COUNT
} hed_mppi_solver;

/** Definition of a controller. Start from hed_default_mppi_def(). Arrays are copied; model, terms
 *  and the memory that they refer to must outlive the controller. */
typedef struct hed_mppi_def {
    const hed_mppi_model *model;
    const hed_mppi_term *terms; /**< (term_count) */
    uint32_t term_count;
    const hed_mppi_table *tables; /**< (table_count) */
    uint32_t table_count;
    const hed_mppi_timeline *timelines; /**< (timeline_count) parameters that change with time */
    uint32_t timeline_count;
    /** (setting_count) parameters with another value than their default */
    const hed_mppi_setting *settings;
    uint32_t setting_count;

    hed_mppi_kind kind;
    uint32_t count;      /**< number of controllers in one submission, a fleet; 1 */
    uint32_t samples;    /**< N, for each controller */
    uint32_t steps;      /**< T */
    float dt;            /**< s; 0: the model's */
    uint32_t iterations; /**< rounds of sampling and updating in a solve; 1 */
    uint64_t seed;

    /* cost and weights */
    hed_mppi_scale scale;
    float lambda; /**< temperature, in the unit of the cost */
    /** 0: full importance correction lambda (1 - alpha) u' Sigma^-1 (v - u/2); 1: none */
    float alpha;
    hed_mppi_update update;
    float elite;                        /**< ELITE: fraction of N, 0 to 1 */
    float tsallis_r, tsallis_threshold; /**< TSALLIS: r > 1, gamma */
    /** > 0: lambda is adapted from solve to solve towards this effective sample size (of N), within
     *  1e6 times `lambda` */
    float ess_target;
    /** minimum cost of a sample that counts as crashed in the statistics; infinite and NaN always
     *  do */
    float crash_cost;

    /* noise */
    hed_mppi_sampler sampler;
    /** all 0: the model's. 0 for some: these controls are not sampled */
    float sigma[HED_MPPI_MAX_CONTROLS];
    const float *sigma_steps; /**< (T x nu) factors of sigma; NULL: 1 */
    /** (nu x nu) covariance of the controls, symmetric, positive definite, in place of sigma^2;
     *  NULL: diagonal */
    const float *covariance;
    float exponent[HED_MPPI_MAX_CONTROLS]; /**< COLOURED: 0 white, 1 pink, 2 red */
    /** COLOURED: the noise at the first free step is subtracted, times this^t */
    float offset_decay;
    float log_sigma;    /**< LOG_NORMAL: standard deviation of the logarithm */
    uint32_t knots;     /**< SPLINE, SUPPORT_POINTS: number of knots over T */
    float kernel_width; /**< SUPPORT_POINTS: width of the radial basis functions, in knots */
    float pure_noise;   /**< fraction of the samples whose mean is 0 instead of the plan */
    bool keep_plan;     /**< sample 0 is the plan itself, without noise */
    uint32_t committed; /**< number of first steps without noise */

    /* limits */
    float minimum[HED_MPPI_MAX_CONTROLS]; /**< limits; both 0: the model's, unless given */
    float maximum[HED_MPPI_MAX_CONTROLS];
    /** set of controls whose limits are given even if both are 0 (bit i: control i), which switches
     *  a control off */
    uint32_t limits_given;
    float rate[HED_MPPI_MAX_CONTROLS]; /**< maximum change in a second; 0: no limit */
    /** maximum change towards 0 in a second, where braking and accelerating differ; 0: `rate` */
    float deceleration[HED_MPPI_MAX_CONTROLS];
    uint32_t delay; /**< number of steps until a control reaches the actuator */

    /* the plan between solves */
    hed_mppi_tail tail;
    bool smooth; /**< Savitzky-Golay over 5 steps, after each update */
    /** > 0: Smooth MPPI (Kim et al. 2022): the derivative is sampled (`sigma` is in units of the
     *  control a second), with this weight on the squared difference of the controls of two steps,
     *  cost for each squared unit of the control; scaled as the terms are */
    float smooth_weight;

    /* risk */
    uint32_t rollouts; /**< number of rollouts of each sample; 1 */
    /** standard deviation of the noise added to each state in a second */
    float disturbance[HED_MPPI_MAX_STATES];
    hed_mppi_risk risk;
    float risk_level; /**< 0 to 1 */

    /* TUBE and ROBUST: tracking cost (x - x*)' Q (x - x*) + (u - u*)' R (u - u*), diagonals */
    float track_state[HED_MPPI_MAX_STATES];
    float track_control[HED_MPPI_MAX_CONTROLS];
    float track_final[HED_MPPI_MAX_STATES];
    /** TUBE: difference of baselines below which the nominal state becomes the real one */
    float nominal_threshold;
    float value_threshold; /**< ROBUST: bound on the free energy of a candidate */
    uint32_t candidates;   /**< ROBUST: number of candidates, odd, at least 3 */
    uint32_t candidate_samples;

    /* execution */
    /** (other_device_count) devices in addition to the first, each of which takes a fraction of the
     *  samples of one solve. They may be of any kind, and must outlive the controller. Not for
     *  ROBUST, ELITE and TSALLIS. */
    hed_device *const *other_devices;
    uint32_t other_device_count;
    /** Number of consecutive blocks of samples, up to 64, that are summed separately and then
     *  merged; each device takes whole blocks. In strict mode it determines the bits, independent
     *  of the devices. 0: 8 with several devices, else 1 */
    uint32_t blocks;
    hed_math math;
    hed_mppi_solver solver; /**< solver, on each of several devices */
    /** limit of a solve, which then returns the best plan so far; 0: none. Creation then takes some
     *  solves to measure its speed */
    uint64_t deadline_ns;
    /** Fixed choices for measurements, such as "GROUP=256 SAMPLES=16", or "THREADS=4 SPLIT=yes" on
     *  `host`: by the names of the tuning's parameters, or hed_mppi_info.choice of another controller.
     *  NULL: by rules, or from tuning */
    const char *choice;
    /** Creation times rounds of other structures (solver, split or combined costs, sizes), from the
     *  stored choice on, and keeps the fastest; a structure is replaced by one that takes at least 3 %
     *  less. Strict bits are those of any choice. Without effect if `choice` or `solver` fixes it */
    bool measure;
    /** limit of the time for that, ns; 100 ms. Texts count that are compiled for it: a structure
     *  whose build is expected to take longer than the time left is not tried */
    uint64_t measure_ns;
} hed_mppi_def;

/** Returns the defaults: MPPI, 1,024 samples, 100 steps, one iteration, lambda 1 on the mean, alpha
 *  1, 1 % pure noise, the plan kept as a sample, one step committed, smoothing, tail held.
 *  Thread class: any. */
HED_API hed_mppi_def hed_default_mppi_def(void);

/** Creates a controller on a device.
 *  Thread class: any. Errors: ARGUMENT (names the member, its value and the value expected),
 *  UNSUPPORTED (a text on `host` without a C compiler; a solver that the device or the definition
 *  does not allow), BUILD (the compiler's messages, with the text's own lines), LIMIT, MEMORY,
 *  DEVICE_MEMORY, DRIVER. */
HED_API hed_status hed_mppi_create(
    hed_device *device, const hed_mppi_def *def, hed_mppi **controller, hed_error *error);
/** Replaces the structure of the solves between two of them: `solver`, AUTO for the rules' one, and
 *  `choice` as hed_mppi_def.choice. Plan, history and posted changes are kept. After an error the
 *  structure is the former one. With several devices it applies to each.
 *  Errors: ARGUMENT (names the parameter and its values), UNSUPPORTED (a solver that the device or the
 *  definition does not allow), BUILD, LIMIT, MEMORY, DEVICE_MEMORY, DRIVER. */
HED_API hed_status hed_mppi_set_choice(
    hed_mppi *controller, hed_mppi_solver solver, const char *choice, hed_error *error);
/** Destroys a controller. NULL is allowed. */
HED_API void hed_mppi_destroy(hed_mppi *controller);

/* ---- running: solves ---- */

/** Outcome of a solve. After each of them the controls may be applied. */
typedef enum hed_mppi_outcome {
    HED_MPPI_SOLVED,
    /** all samples crashed. If no sample had a finite cost, the plan is the shifted former one, and the
     *  next solve begins from zero (a soft reset) */
    HED_MPPI_ALL_CRASHED,
    /** the deadline came before all samples and iterations: the plan is made of the computed samples,
     *  hed_mppi_stats.samples */
    HED_MPPI_DEADLINE,
    /** the model returned NaN or infinity along the plan; otherwise as ALL_CRASHED */
    HED_MPPI_DIVERGED
} hed_mppi_outcome;

/** Statistics of a solve, for each controller of a fleet. */
typedef struct hed_mppi_stats {
    hed_mppi_outcome outcome;
    float baseline;    /**< minimum cost of a sample */
    float free_energy; /**< -lambda ln(mean exp(-S / lambda)) */
    float normalizer;  /**< mean weight: 1/N if one sample decides, 1 if all are alike */
    float ess;         /**< effective sample size, (sum w)^2 / sum w^2 */
    float crashed;     /**< fraction of the samples that crashed */
    uint32_t samples;  /**< samples of the last round that were computed; N without a deadline */
    float lambda;      /**< lambda of this solve */
    uint32_t iterations;
    /** ROBUST: index of the chosen candidate; TUBE: 1 if the nominal state was reset */
    uint32_t candidate;
    /** ROBUST: no candidate's free energy was below `value_threshold`: candidate 0 was taken */
    bool over_threshold;
    uint64_t solve_ns; /**< time from host state to host controls */
    bool missed;       /**< true: over the deadline */
} hed_mppi_stats;

/** Solves once: computes the controls u to apply now (count x nu; nullable) from state x (count x
 *  nx), after posted changes take effect. A fleet solves for all its controllers at once: on a device
 *  in one submission. The plan is kept, not shifted. `stats` (count) is
 *  nullable. Allocates nothing.
 *  Errors: ARGUMENT (x is not finite), DRIVER, LOST. */
HED_API hed_status hed_mppi_solve(
    hed_mppi *controller, const float *x, float *u, hed_mppi_stats *stats, hed_error *error);
/** Shifts the plan by `steps` steps and fills its tail; the next solve begins from it. Several shifts
 *  between two solves are one shift by their sum. */
HED_API void hed_mppi_shift(hed_mppi *controller, uint32_t steps);
/** Shifts the plan by a time, for a loop whose period is no multiple of dt: 1 / 30 s with steps of
 *  0.05 s. Steps of the plan and of the history are means of the controls that they cover, nominal
 *  states are interpolated, and the next control keeps its rate over the time since the one before.
 *  A time of 0 or less, or NaN, has no effect. */
HED_API void hed_mppi_shift_seconds(hed_mppi *controller, double seconds);
/** Sets the controls that the actuators really executed (count x nu), measured speeds included,
 *  where they differ from the controls of the last solve. Rates of the next solve begin from them, so that a
 *  robot that is already in motion, or was braked by another system, is not torn. Numbers that are
 *  not finite are ignored. */
HED_API void hed_mppi_set_applied(hed_mppi *controller, const float *u);
/** Resets plan and history: the plan is zero, or `controls` (count x T x nu; nullable), in which a
 *  number that is not finite counts as 0. */
HED_API void hed_mppi_reset(hed_mppi *controller, const float *controls);

/* ---- results ---- */

/** Returns the plan of controller `index`, (T x nu), valid until the next solve. */
HED_API const float *hed_mppi_controls(const hed_mppi *controller, uint32_t index);
/** Returns the states along the plan of controller `index`, (T + 1 x nx), of the nominal system for
 *  TUBE and ROBUST; valid until the next solve. Always finite: if the model returns NaN or infinity
 *  (HED_MPPI_DIVERGED), the last finite state is repeated. */
HED_API const float *hed_mppi_states(const hed_mppi *controller, uint32_t index);
/** Returns the feedback gains K_t of controller `index`, (T x nu x nx): u = u*_t + K_t (x - x*_t);
 *  valid until the next solve. NULL: PLAIN has none. */
HED_API const float *hed_mppi_gains(const hed_mppi *controller, uint32_t index);
/** Computes the control `seconds` after the state of the last solve, interpolated in time, for state
 *  x: with finite feedback if there are gains; x NULL: without. u: (nu), finite, within limits. It
 *  reads the plan that the last solve or reset published whole; hed_mppi_shift() does not move it.
 *  Thread class: rt, up to two threads in addition to the owner, during a solve, too. */
HED_API void hed_mppi_control_at(
    const hed_mppi *controller, uint32_t index, float seconds, const float *x, float *u);
/** Simulates samples of the last solve again, for display: sample 0 to count - 1, or with `best`
 *  those with the least cost. states: (count x T + 1 x nx), costs: (count); both nullable.
 *  Errors: ARGUMENT (no such controller or number of samples; no solve yet), MEMORY, DEVICE_MEMORY,
 *  DRIVER, LOST. */
HED_API hed_status hed_mppi_trace(hed_mppi *controller, uint32_t index, uint32_t count, bool best,
    float *states, float *costs, hed_error *error);

/* ---- changes: parameters, tables, noise ---- */

/** Returns the index of a parameter: "mass" of the model, "goal.x" or "goal.weight" of a term;
 *  UINT32_MAX: none.
 *  Thread class: rt. */
HED_API uint32_t hed_mppi_parameter_find(const hed_mppi *controller, const char *name);
/** Returns the name of parameter `index`, for listing, and its value (nullable); NULL: after the
 *  last. */
HED_API const char *hed_mppi_parameter_at(const hed_mppi *controller, uint32_t index, float *value);
/** Sets a parameter from the next solve on. False: the queue is full, or no such parameter.
 *  Thread class: rt, one thread in addition to the owner. */
HED_API bool hed_mppi_post(hed_mppi *controller, uint32_t parameter, float value);
/** Replaces the content of table `name` from the next solve on; `values` (count) is copied.
 *  Allocates nothing.
 *  Thread class: the thread that posts. Errors: ARGUMENT (no such table, too long, NaN), NOT_READY
 *  (two are pending). */
HED_API hed_status hed_mppi_post_table(
    hed_mppi *controller, const char *name, const float *values, uint32_t count, hed_error *error);
/** Index of all controllers of a fleet. */
#define HED_MPPI_ALL UINT32_MAX

/** Sets a parameter of controller `index`, or of all, from the next solve on: goals of a fleet. False:
 *  no such parameter or controller, or the value is not finite. */
HED_API bool hed_mppi_set_parameter(
    hed_mppi *controller, uint32_t index, uint32_t parameter, float value);
/** Replaces the content of table `name` of controller `index`, or of all, from the next solve on: maps
 *  of a fleet, for a table with `per_controller`.
 *  Errors: ARGUMENT (no such table or controller, too long, NaN; one controller's content of a table
 *  that all share). */
HED_API hed_status hed_mppi_set_table(hed_mppi *controller, uint32_t index, const char *name,
    const float *values, uint32_t count, hed_error *error);
/** Differences of a robot of a fleet from the definition. */
typedef struct hed_mppi_robot {
    const hed_mppi_setting *settings; /**< (setting_count) parameters of the model and the terms */
    uint32_t setting_count;
    const hed_mppi_table *tables; /**< (table_count) content of tables: `name`, `values`, `count` */
    uint32_t table_count;
} hed_mppi_robot;
/** Sets parameters and tables of controller `index`, or of all, from the next solve on.
 *  Errors: ARGUMENT (no such parameter or controller), as hed_mppi_set_table(). */
HED_API hed_status hed_mppi_set_robot(
    hed_mppi *controller, uint32_t index, const hed_mppi_robot *robot, hed_error *error);
/** Replaces the timeline of parameter `name` of controller `index`, or of all, from the next solve on.
 *  Errors: ARGUMENT (no such timeline or controller, too long, moments that do not ascend, NaN). */
HED_API hed_status hed_mppi_set_timeline(hed_mppi *controller, uint32_t index, const char *name,
    const double *times, const float *values, uint32_t count, hed_error *error);
/** Sets the controller's clock: the time of the state of the next solve, s, in the timelines' time.
 *  Shifts advance the clock, and a reset sets it to 0. NaN and infinity have no effect. */
HED_API void hed_mppi_set_time(hed_mppi *controller, double seconds);
/** Returns the controller's clock. */
HED_API double hed_mppi_time(const hed_mppi *controller);
/** Sets the noise of the next solve, for the sampler GIVEN: (T x nu x N), in units of the control,
 *  without the plan.
 *  Errors: ARGUMENT (another sampler, a number that is not finite). */
HED_API hed_status hed_mppi_set_noise(hed_mppi *controller, const float *noise, hed_error *error);

/* ---- information ---- */

/** Properties of a controller. */
typedef struct hed_mppi_info {
    /** definition completed from the model; lives as long as the controller */
    const hed_mppi_def *def;
    hed_device *device;       /**< first device; `solver` and `choice` are of it */
    hed_mppi_solver solver;   /**< solver, not AUTO */
    char choice[128];         /**< "GROUP=256 SAMPLES=16 ..."; valid as hed_mppi_def.choice */
    hed_config_origin origin; /**< origin of the choice; GIVEN for one that `measure` found */
    bool measured; /**< true: `measure` found a choice that is faster than the stored one */
    uint32_t parameter_count;
} hed_mppi_info;
/** Returns the properties of a controller. Thread class: rt. */
HED_API hed_mppi_info hed_mppi_describe(const hed_mppi *controller);

/** Stages of a solve by the host's clock, which find the cause of a late one: their sum is
 *  hed_mppi_stats.solve_ns. */
typedef struct hed_mppi_stages {
    uint64_t submit_ns; /**< inputs written and rounds given to the device */
    uint64_t wait_ns;   /**< until the results of all rounds had arrived; on `host`: sampling */
    uint64_t finish_ns; /**< work of the host before, between and after the rounds */
    /** longest time between two looks at the results, solvers `packets` and `resident`: some us; more,
     *  if the waiting thread was interrupted */
    uint64_t gap_ns;
} hed_mppi_stages;

/** Returns the stages of the last solve; several devices: gap_ns is 0. Thread class: owner. */
HED_API hed_mppi_stages hed_mppi_last_stages(const hed_mppi *controller);

/** Returns a hash of controls, states and statistics, for comparing strict mode on two devices. */
HED_API uint64_t hed_mppi_hash(const hed_mppi *controller);

/* ---- tuning ---- */

/** Finds the fastest solver, group sizes and kernel variant for a definition on a device, by whole
 *  solves, and stores them in the context's database, from where hed_mppi_create() with
 *  HED_MPPI_SOLVER_AUTO loads them; `def` without `other_devices` and `blocks`. `tune` as for
 *  hed_tune_pipeline(), its problem is set here; NULL: its defaults.
 *  Thread class: owner of the device's time. Errors: as hed_mppi_create() and hed_tune_pipeline();
 *  UNSUPPORTED (host, strict: only one solver). */
HED_API hed_status hed_mppi_tune(hed_device *device, const hed_mppi_def *def,
    const hed_tune_def *tune, hed_tune_result **result, hed_error *error);
/** Describes the search space of hed_mppi_tune(), for displaying a result; it is not a kernel that
 *  can be created.
 *  Thread class: any. */
HED_API const hed_kernel_def *hed_mppi_tune_description(void);

HED_END

#endif
