/* What the files of `heddle tune` share. */
#ifndef HED_CLI_TUNE_H
#define HED_CLI_TUNE_H

#include "cli/common/command.h"
#include "heddle/capture.h"
#include "heddle/tune_file.h"

#include <pthread.h>
#include <stdio.h>

/* ---- the live view (view.c) ---- */

enum {
    CLI_VIEW_LINES = 9,    /* a line less than the ten that it may take: the cursor waits below */
    CLI_VIEW_HISTORY = 48, /* steps of the small curve */
    CLI_VIEW_DEVICES = 16  /* of several devices so many have a line of their own */
};

typedef enum cli_view_kind {
    CLI_VIEW_SILENT,
    CLI_VIEW_BESIDE, /* lines with the title in front, since another one is shown beside */
    CLI_VIEW_LIVE
} cli_view_kind;

typedef struct cli_tune_view {
    FILE *stream;          /* NULL: silent */
    bool terminal, blocks; /* a terminal; one that shows block characters */
    bool beside;
    const hed_kernel_def *kernel;
    hed_objective objective;
    char title[256];
    /* the library's messages come from any thread, and take the view away first */
    pthread_mutex_t lock;

    hed_tune_progress now; /* with `best` pointing at the copy below */
    hed_evaluation best;
    uint32_t failures[HED_OUTCOME_COUNT];
    uint32_t recalled;                /* of those done: no work of this run */
    double begun;                     /* seconds until the first that was */
    double history[CLI_VIEW_HISTORY]; /* the best so far, one for every `every` evaluations */
    uint32_t history_count, every, in_step;

    double drawn; /* seconds of the tuning when it was last drawn or said */
    double told;  /* the best that was said last */
    /* columns of the lines that stand on the terminal */
    uint32_t widths[CLI_VIEW_LINES + CLI_VIEW_DEVICES];
    uint32_t lines;
    /* where else it is shown; NULL: nowhere */
    void (*also)(void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress);
    void *also_user;
} cli_tune_view;

/* The kernel must outlive it. */
void cli_tune_view_open(cli_tune_view *view, const hed_kernel_def *kernel, hed_objective objective,
    const char *title, cli_view_kind kind);
/* As hed_tune_def.progress; `user` is the view. */
void cli_tune_view_update(void *user, const hed_tune_progress *progress);
/* Takes the view off the terminal, so that something else can be printed there; the next update
 * draws it again. */
void cli_tune_view_clear(void *user);
void cli_tune_view_close(cli_tune_view *view);

/* ---- shaders in a browser (browser.c) ---- */

/* A server with a page of a browser; empty: none. */
typedef struct cli_browser {
    struct hed_web *web;
    int process;      /* of a browser that was started here; 0: none */
    char folder[64];  /* folder of this user alone, for the page and the profile; "": none */
    char page[160];   /* a file in it that leads to the server, as a URL */
    char profile[80]; /* profile of a browser that is ended with the tuning; "": none */
    const char *name; /* as --browser has it */
    bool headless;
} cli_browser;

/* Whether a file is a shader in WGSL, or a tune file of one. */
bool cli_is_shader(const char *path);
/* Serves, opens a browser as --browser and --headless say, and waits for its page. Errors: as
 * hed_web_create() and hed_web_wait(). */
hed_status cli_browser_open(cli_browser *browser, const hed_arguments *arguments,
    hed_context *context, hed_device **device, hed_error *error);
/* Has candidates run in the page. */
void cli_browser_use(const cli_browser *browser, hed_tune_def *def);
/* As cli_tune_view.also; `user` is the browser. */
void cli_browser_show(void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress);
/* Ends a browser that was started here. Zeroed ones are allowed. */
void cli_browser_close(cli_browser *browser);

/* ---- what is tuned (subject.c) ---- */

#define CLI_TUNE_PREFIX "heddle:" /* of kernels that come with Heddle */
/* Names that stand for KERNEL: kernels behind the prefix, installed tune files. */
extern const hed_names cli_tune_names;

/* What is tuned, and what it comes from. */
typedef struct cli_tune_subject {
    const hed_kernel_def *kernel;
    const char *origin;   /* as typed */
    hed_problem problem;  /* of a kernel by name */
    hed_tune_file *spec;  /* of a file */
    hed_capture *capture; /* of a capture */
    cli_browser browser;  /* of a shader */
} cli_tune_subject;

/* Finds what the command line names, and sets in `def` what belongs to it. `subject` has its origin, and
 * its browser where it is a shader. Gives an exit code, behind a message where it is not 0. */
int cli_tune_subject_open(const hed_arguments *arguments, cli_session *session,
    cli_tune_subject *subject, hed_tune_def *def, hed_error *error);

/* ---- the result (print.c) ---- */

/* A finished tuning, as it is reported. */
typedef struct cli_tuned {
    const hed_kernel_def *kernel;
    const hed_device_info *device;
    const hed_tune_def *def;
    const hed_tune_result *result;
    const char *origin;   /* as typed */
    const char *database; /* where the measurements are; NULL: nowhere */
    const char *report;   /* file; NULL: none */
} cli_tuned;

/* A configuration as "WG=64 TILE=4", released with free(); NULL: out of memory. */
char *cli_config_text(const hed_kernel_def *kernel, const hed_config *config);
void cli_tuned_print(const cli_tuned *tuned, FILE *out);
/* One JSON object. Errors: MEMORY, IO. */
hed_status cli_tuned_print_json(const cli_tuned *tuned, FILE *out, hed_error *error);

/* ---- engines (tune.c) ---- */

typedef hed_status cli_tune_engine_function(hed_device *device, const void *user,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);
/* Tunes on the session's one device, with the options seconds, seed, exhaustive, json and quiet,
 * and prints what came out. `origin` is what is tuned, as typed. Gives the exit code. */
int cli_tune_engine(const hed_arguments *arguments, cli_session *session,
    const hed_kernel_def *description, const char *origin, cli_tune_engine_function *tune,
    const void *user, hed_error *error);

/* The options that it reads, and its devices. */
#define CLI_TUNE_ENGINE_OPTIONS \
    CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true), \
        {.name = "seconds", \
            .kind = HED_OPTION_NUMBER, \
            .value = "S", \
            .fallback = "60", \
            .high = 86400, \
            .help = "time to take; 0: until every configuration is known"}, \
        {.name = "seed", \
            .kind = HED_OPTION_INTEGER, \
            .value = "N", \
            .fallback = "1", \
            .high = 1e15, \
            .help = "of the search"}, \
    { \
        .name = "exhaustive", .kind = HED_OPTION_FLAG, \
        .help = "every configuration in order, instead of a search" \
    }

#endif
