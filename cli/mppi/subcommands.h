/* Declarations common to the files of `heddle mppi`: the subject of control, the record of a
 * run, and its outputs. */
#ifndef HED_CLI_MPPI_H
#define HED_CLI_MPPI_H

#include "cli/common/command.h"
#include "heddle/mppi_scene.h"
#include "heddle/stats.h"
#include "support/png.h"

/* ---- the subject (subject.c) ---- */

enum { CLI_MPPI_MOST_SETTINGS = 256 };

/* A scene: a file, or a built-in scene, named by its own name or by that of its model. */
typedef struct cli_mppi_subject {
    const char *name; /* name typed by the user */
    hed_mppi_scene *scene;
    hed_mppi_def def;
    hed_mppi_setting settings[CLI_MPPI_MOST_SETTINGS];
    const float *start; /* (count x nx) */
    uint32_t steps;     /* steps of the closed loop; 0: not specified */
    /* def.tables with the current content of changing tables */
    hed_mppi_table tables[HED_MPPI_MAX_TABLES];
    uint32_t changing;                   /* bit i: table i changes during the run */
    char *texts[CLI_MPPI_MOST_SETTINGS]; /* memory of typed settings' names */
} cli_mppi_subject;

/* Opens MODEL, with the options of CLI_MPPI_SIZE_OPTIONS. Errors: ARGUMENT (no such name; an
 * option), IO, FORMAT. */
hed_status cli_mppi_subject_open(
    const hed_arguments *arguments, cli_mppi_subject *subject, hed_error *error);
void cli_mppi_subject_close(cli_mppi_subject *subject);
/* Posts tables that depend on the time of the run or on the state, before a solve. Errors: as
 * hed_mppi_post_table(). */
hed_status cli_mppi_subject_update(cli_mppi_subject *subject, hed_mppi *controller, double seconds,
    const float *x, hed_error *error);

/* Return the name of a state or control, for example "theta"; "x2" if it has no name. */
const char *cli_mppi_state_name(const hed_mppi_model *model, uint32_t state, char text[16]);
const char *cli_mppi_control_name(const hed_mppi_model *model, uint32_t control, char text[16]);

/* Returns the shortest decimal number that identifies a float: 0.02 rather than 0.0199999996. */
double cli_mppi_decimal(float value);

/* Names that MODEL accepts: built-in scenes and installed ones. */
extern const hed_names cli_mppi_names;
extern const char *const cli_mppi_kinds[];   /* names in the order of hed_mppi_kind */
extern const char *const cli_mppi_solvers[]; /* names in the order of hed_mppi_solver */

/* True if a device runs texts of models and terms: by OpenCL, by CUDA, or by a C compiler on `host`. */
bool cli_mppi_runs_texts(const hed_device *device);

/* Options that determine a subject's definition. The seed is not among them: the seed of a
 * tuning is that of its search. */
#define CLI_MPPI_SIZE_OPTIONS \
    OPTION("controller", CHOICE, "KIND", \
        "mppi, tube (Tube-MPPI) or rmppi (robust) (default: the scene's, else mppi)", \
        .choices = cli_mppi_kinds), \
        OPTION("samples", INTEGER, "N", "futures that are sampled in a solve", .letter = 'n', \
            .low = 1, .high = 16777216), \
        OPTION("horizon", INTEGER, "T", "steps of each future", .letter = 't', .low = 1, \
            .high = HED_MPPI_MAX_STEPS), \
        OPTION("set", TEXT, "NAME=VALUE", \
            "a parameter of the model (mass=2), of a term (goal.x=3) or a term's weight (goal.weight=5)", \
            .repeated = true)

/* ---- the plant (plant.c) ---- */

enum { CLI_MPPI_MOST_PUSHES = 4096 };

/* The plant: the model with its own parameters and disturbances. */
typedef struct cli_mppi_plant {
    const hed_mppi_def *def;
    const hed_mppi_model *model;
    uint32_t robot; /* number in a fleet */
    const char *names[HED_MPPI_MAX_PARAMETERS];
    float parameters[HED_MPPI_MAX_PARAMETERS]; /* the first are the model's */
    uint32_t own_count;
    bool differs; /* true: parameters differ from the controller's */
    const float *tables[HED_MPPI_MAX_TABLES];
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
    float pipe[HED_MPPI_MAX_DELAY + 1][HED_MPPI_MAX_CONTROLS]; /* controls in transit (delay) */
    float disturbance[HED_MPPI_MAX_STATES];
    hed_mppi_push pushes[CLI_MPPI_MOST_PUSHES];
    uint32_t push_count;
    uint64_t seed;
} cli_mppi_plant;

/* Opens the plant of a robot from the scene and the options of `run`, before the controllers of a
 * fleet get parameters of their own; `plant` must be zeroed. Errors: ARGUMENT, LIMIT, UNSUPPORTED
 * (another parameter for a model without a C function). */
hed_status cli_mppi_plant_open(const hed_arguments *arguments, const cli_mppi_subject *subject,
    const hed_mppi *controller, uint32_t robot, cli_mppi_plant *plant, hed_error *error);
/* Moves x by step `step` under the control u, which arrives after the delay, then disturbs it. A
 * model without a C function moves to the state that the controller has computed. */
void cli_mppi_plant_step(
    cli_mppi_plant *plant, const hed_mppi *controller, uint32_t step, float *x, const float *u);

/* ---- the record of a run (record.c) ---- */

enum { CLI_MPPI_FUTURES = 48, CLI_MPPI_MOST_MOMENTS = 16 };

/* Futures that the controller considered in one solve: rows of (T + 1 x nx) states. */
typedef struct cli_mppi_moment {
    uint32_t step;
    float *states; /* the plan, the best sample, then CLI_MPPI_FUTURES samples */
    float *costs;  /* costs of all rows; NAN for the plan, whose cost is unknown */
    /* content of tables that change in the run; NULL: as at the start */
    float *tables[HED_MPPI_MAX_TABLES];
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
} cli_mppi_moment;

typedef struct cli_mppi_record {
    const hed_mppi_def *def; /* complete */
    uint32_t robots;         /* def->count */
    uint32_t steps, done;
    float *states;         /* (steps + 1 x robots x nx); row k is the state before control k */
    float *controls;       /* (steps x robots x nu) */
    hed_mppi_stats *stats; /* (steps x robots) */
    hed_meter meter;       /* durations from the arrival of a state to its control */
    cli_mppi_moment moments[CLI_MPPI_MOST_MOMENTS];
    uint32_t moment_count, every; /* every: steps between two moments */
} cli_mppi_record;

/* Summary of a record. */
typedef struct cli_mppi_figures {
    hed_summary solve_ms, ess, cost; /* cost: of the solves with a finite cost */
    uint32_t outcomes[4];            /* number of each hed_mppi_outcome */
    float crashed;                   /* largest fraction */
    uint32_t over_threshold;         /* rmppi: solves in which no candidate met the threshold */
} cli_mppi_figures;

/* Allocates a record of `steps` steps, with moments of a single robot if `pictures`. Errors: MEMORY. */
hed_status cli_mppi_record_open(cli_mppi_record *record, const hed_mppi_def *def, uint32_t steps,
    bool pictures, hed_error *error);
/* Records the futures of the last solve if a moment is due. When the moments are full, every
 * second one is dropped, and the interval doubles. */
hed_status cli_mppi_record_look(cli_mppi_record *record, const cli_mppi_subject *subject,
    hed_mppi *controller, hed_error *error);
/* Computes the summary of a record. Errors: MEMORY. */
hed_status cli_mppi_record_sum(
    const cli_mppi_record *record, cli_mppi_figures *figures, hed_error *error);
/* Writes a row for each step: time, state, control, statistics. Errors: IO, MEMORY. */
hed_status cli_mppi_record_write_csv(
    const cli_mppi_record *record, const char *path, hed_error *error);
void cli_mppi_record_close(cli_mppi_record *record);

extern const char *const cli_mppi_outcomes[]; /* names in the order of hed_mppi_outcome */

/* ---- pictures (mppi_picture.c, fleet_picture.c) ---- */

/* Writes the picture of a run. Errors: MEMORY, IO. */
hed_status cli_mppi_picture_write(const cli_mppi_subject *subject, const cli_mppi_record *record,
    const cli_mppi_figures *figures, const hed_mppi *controller, const char *path,
    hed_error *error);
/* Writes the picture of a fleet's run: each robot on its map. Errors: MEMORY, IO, UNSUPPORTED (a model
 * without a pose). */
hed_status cli_mppi_fleet_picture_write(const cli_mppi_subject *subject,
    const cli_mppi_record *record, const cli_mppi_figures *figures, const hed_mppi *controller,
    const char *path, hed_error *error);

#endif
