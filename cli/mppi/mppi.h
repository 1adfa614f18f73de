/* What the files of `heddle mppi` share: what is controlled, the record of a run, and what is made
 * of it. */
#ifndef HED_CLI_MPPI_H
#define HED_CLI_MPPI_H

#include "cli/common/command.h"
#include "heddle/mppi_scene.h"
#include "heddle/stats.h"
#include "support/png.h"

/* ---- what is controlled (subject.c) ---- */

enum { CLI_MPPI_MOST_SETTINGS = 256 };

/* A scene: a file, or by its name or that of its model one of those in the command. */
typedef struct cli_mppi_subject {
    const char *name; /* as typed */
    hed_mppi_scene *scene;
    hed_mppi_def def;
    hed_mppi_setting settings[CLI_MPPI_MOST_SETTINGS];
    float start[HED_MPPI_MAX_STATES];
    uint32_t steps; /* of the closed loop; 0: not said */
    /* as def.tables; those that change while it runs, as they are now */
    hed_mppi_table tables[HED_MPPI_MAX_TABLES];
    uint32_t changing;                   /* set of them */
    char *texts[CLI_MPPI_MOST_SETTINGS]; /* names of settings that were typed */
} cli_mppi_subject;

/* Opens MODEL, with the options of CLI_MPPI_SIZE_OPTIONS. Errors: ARGUMENT (there is none of this
 * name; an option), IO, FORMAT. */
hed_status cli_mppi_subject_open(
    const hed_arguments *arguments, cli_mppi_subject *subject, hed_error *error);
void cli_mppi_subject_close(cli_mppi_subject *subject);
/* Posts what changes with the time of the run and with the state, before a solve. Errors: as
 * hed_mppi_post_table(). */
hed_status cli_mppi_subject_update(cli_mppi_subject *subject, hed_mppi *controller, double seconds,
    const float *x, hed_error *error);

/* "theta" of a state or control, or "x2" where it has no name. */
const char *cli_mppi_state_name(const hed_mppi_model *model, uint32_t state, char text[16]);
const char *cli_mppi_control_name(const hed_mppi_model *model, uint32_t control, char text[16]);

/* A float as the decimal number that it stands for: 0.02 rather than 0.0199999996. */
double cli_mppi_decimal(float value);

/* Names that stand for MODEL: of the scenes in the command and of installed ones. */
extern const hed_names cli_mppi_names;
extern const char *const cli_mppi_kinds[];   /* in the order of hed_mppi_kind */
extern const char *const cli_mppi_solvers[]; /* in the order of hed_mppi_solver */

/* What makes a subject's definition. The seed is not among the first: that of a tuning is of its
 * search. */
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

/* The model with parameters of its own, and what disturbs it. */
typedef struct cli_mppi_plant {
    const hed_mppi_def *def;
    const hed_mppi_model *model;
    const char *names[HED_MPPI_MAX_PARAMETERS];
    float parameters[HED_MPPI_MAX_PARAMETERS]; /* the model's own are the first */
    uint32_t own_count;
    bool differs; /* from what the controller knows */
    const float *tables[HED_MPPI_MAX_TABLES];
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
    float pipe[HED_MPPI_MAX_DELAY + 1][HED_MPPI_MAX_CONTROLS]; /* controls on their way */
    float disturbance[HED_MPPI_MAX_STATES];
    hed_mppi_push pushes[CLI_MPPI_MOST_PUSHES];
    uint32_t push_count;
    uint64_t seed;
} cli_mppi_plant;

/* From the scene and the options of `run`; `plant` is zero before. Errors: ARGUMENT, LIMIT, UNSUPPORTED
 * (another parameter for a model without a C function). */
hed_status cli_mppi_plant_open(const hed_arguments *arguments, const cli_mppi_subject *subject,
    const hed_mppi *controller, cli_mppi_plant *plant, hed_error *error);
/* Moves x by step `step` under the control u, which arrives after the delay, then disturbs it. A model
 * without a C function goes where its controller has computed that it goes. */
void cli_mppi_plant_step(
    cli_mppi_plant *plant, const hed_mppi *controller, uint32_t step, float *x, const float *u);

/* ---- the record of a run (record.c) ---- */

enum { CLI_MPPI_FUTURES = 48, CLI_MPPI_MOST_MOMENTS = 16 };

/* What the controller looked at in one solve: rows of (T + 1 x nx) states. */
typedef struct cli_mppi_moment {
    uint32_t step;
    float *states; /* the plan, the best sample, then CLI_MPPI_FUTURES samples */
    float *costs;  /* of all rows; the plan's is not known: NAN */
    /* tables that change in the run, as they were; NULL: as at the start */
    float *tables[HED_MPPI_MAX_TABLES];
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
} cli_mppi_moment;

typedef struct cli_mppi_record {
    const hed_mppi_def *def; /* as completed */
    uint32_t steps, done;
    float *states;         /* (steps + 1 x nx); row k is the state before control k */
    float *controls;       /* (steps x nu) */
    hed_mppi_stats *stats; /* (steps) */
    hed_meter meter;       /* from the moment that a state is there until its control is */
    cli_mppi_moment moments[CLI_MPPI_MOST_MOMENTS];
    uint32_t moment_count, every; /* the latter: steps between two moments */
} cli_mppi_record;

/* What a record says in numbers. */
typedef struct cli_mppi_figures {
    hed_summary solve_ms, ess, cost; /* cost: of the solves that had a finite one */
    uint32_t outcomes[4];            /* of each hed_mppi_outcome */
    float crashed;                   /* largest share */
} cli_mppi_figures;

/* Memory for `steps` steps, and for moments if `pictures`. Errors: MEMORY. */
hed_status cli_mppi_record_open(cli_mppi_record *record, const hed_mppi_def *def, uint32_t steps,
    bool pictures, hed_error *error);
/* Keeps what the last solve looked at, if its turn has come. Where there is no more room every
 * second moment is dropped, and from then on half as many are kept. */
hed_status cli_mppi_record_look(cli_mppi_record *record, const cli_mppi_subject *subject,
    hed_mppi *controller, hed_error *error);
/* Errors: MEMORY. */
hed_status cli_mppi_record_sum(
    const cli_mppi_record *record, cli_mppi_figures *figures, hed_error *error);
/* A row for each step: time, state, control, statistics. Errors: IO, MEMORY. */
hed_status cli_mppi_record_write_csv(
    const cli_mppi_record *record, const char *path, hed_error *error);
void cli_mppi_record_close(cli_mppi_record *record);

extern const char *const cli_mppi_outcomes[]; /* in the order of hed_mppi_outcome */

/* ---- the picture (picture.c) ---- */

/* Errors: MEMORY, IO. */
hed_status cli_mppi_picture_write(const cli_mppi_subject *subject, const cli_mppi_record *record,
    const cli_mppi_figures *figures, const hed_mppi *controller, const char *path,
    hed_error *error);

#endif
