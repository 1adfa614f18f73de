/* Interfaces between the files of `heddle tune`. */
#ifndef HED_CLI_TUNE_H
#define HED_CLI_TUNE_H

#include "cli/common/browser.h"
#include "cli/common/command.h"
#include "cli/common/report.h"
#include "heddle/capture.h"
#include "heddle/tune_file.h"

#include <pthread.h>
#include <stdio.h>

/* ---- the live view (view.c) ---- */

enum {
    CLI_VIEW_LINES = 9,    /* one less than the ten lines available: the cursor waits below them */
    CLI_VIEW_HISTORY = 48, /* steps of the small curve */
    CLI_VIEW_DEVICES = 16  /* maximum number of devices with their own line */
};

typedef enum cli_view_kind {
    CLI_VIEW_SILENT,
    CLI_VIEW_BESIDE, /* lines with the title in front, since several tunings are shown together */
    CLI_VIEW_LIVE
} cli_view_kind;

typedef struct cli_tune_view {
    FILE *stream;          /* NULL: silent */
    bool terminal, blocks; /* the stream is a terminal; it can show block characters */
    bool shares_terminal;
    const hed_kernel_def *kernel;
    const hed_tune_def *def;
    char title[256];
    /* messages of the library come from any thread, and erase the view first */
    pthread_mutex_t lock;

    hed_tune_progress progress; /* last progress; its `best` points to the copy below */
    hed_evaluation best;
    uint32_t failures[HED_OUTCOME_COUNT];
    uint32_t recalled;                /* recalled evaluations, which are no work of this run */
    double begun;                     /* tuning time at the first new evaluation, s */
    double history[CLI_VIEW_HISTORY]; /* best time so far, once per `every` evaluations */
    uint32_t history_count, stride, in_step;

    double last_drawn; /* tuning time of the last drawing or line, s */
    double last_best;  /* best time of the last line */
    /* columns of each line on the terminal */
    uint32_t widths[CLI_VIEW_LINES + CLI_VIEW_DEVICES];
    uint32_t lines;
    /* second display; NULL: not used */
    void (*second_display)(
        void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress);
    void *also_user;
} cli_tune_view;

/* Opens a view. The kernel and `def`, which has the objective and the metrics, must outlive it. */
void cli_tune_view_open(cli_tune_view *view, const hed_kernel_def *kernel, const hed_tune_def *def,
    const char *title, cli_view_kind kind);
/* Shows progress, as hed_tune_def.progress; `user` is the view. */
void cli_tune_view_update(void *user, const hed_tune_progress *progress);
/* Erases the view, so that other text can be printed; the next update draws it again. */
void cli_tune_view_clear(void *user);
void cli_tune_view_close(cli_tune_view *view);

/* ---- shaders in a browser (browser.c) ---- */

/* A server and the browser with its page; zeroed: no server. */
typedef struct cli_browser {
    struct hed_web *web;
    cli_browser_process process;
    const char *name; /* argument of --browser */
    bool headless;
} cli_browser;

/* True if a file is a WGSL shader, or a tune file of one. */
bool cli_is_shader(const char *path);
/* Prints for a shader whose own results differ from run to run that its items race with each
 * other. */
void cli_tune_print_race(const hed_kernel_def *kernel, const hed_tune_result *result, FILE *out);
/* Names the causes for which all sizes but one are wrong: the number of groups if they cover other
 * elements than the reference, else the meaning of the size, or items that work on each other's
 * elements. */
void cli_tune_print_groups(const hed_kernel_def *kernel, const hed_tune_result *result, FILE *out);
/* Prints other inputs to try after a tuning of a shader in which no configuration works. */
void cli_tune_print_remedy(
    const hed_kernel_def *kernel, const hed_problem *problem, const hed_error *error);
/* Rejects options that require a shader, or exclude it; true: rejected, with a message. */
bool cli_browser_check(const hed_arguments *arguments, bool shader);
/* Starts the server, opens a browser as --browser and --headless request, and waits for its page.
 * Errors: as hed_web_create() and hed_web_wait(). */
hed_status cli_browser_open(cli_browser *browser, const hed_arguments *arguments,
    hed_context *context, hed_device **device, hed_error *error);
/* Makes a tuning run its candidates in the page. */
void cli_browser_use(const cli_browser *browser, hed_tune_def *def);
/* Shows progress in the page, as cli_tune_view.second_display; `user` is the browser. */
void cli_browser_show(void *user, const hed_kernel_def *kernel, const hed_tune_progress *progress);
/* Ends a browser that was started here; a zeroed one is allowed. */
void cli_browser_close(cli_browser *browser);

/* ---- subject of a tuning (subject.c) ---- */

#define CLI_TUNE_PREFIX "heddle:" /* prefix of kernels that come with Heddle */
/* Names accepted for KERNEL: kernels with the prefix, installed tune files. */
extern const hed_names cli_tune_names;

/* Subject of a tuning, and its source. */
typedef struct cli_tune_subject {
    const hed_kernel_def *kernel;
    const char *origin;      /* argument as typed */
    hed_problem problem;     /* problem of a kernel by name */
    hed_tune_file *spec;     /* tune file of a file */
    hed_capture *capture;    /* capture of a capture file */
    hed_kernel_def captured; /* kernel of the capture, under a name with the launch's numbers */
    char *name;              /* name of `captured` */
    cli_browser browser;     /* browser of a shader */
    /* sizes of the problem, "n=4096", in place of invented ones that took too long; the list ends
     * with NULL */
    char size_texts[3][96];
    const char *sizes[4];
    bool is_invented; /* neither the file nor the user has given the problem */
} cli_tune_subject;

/* Finds the subject that the command line names, and sets its part of `def`. `subject` has its
 * origin and, for a shader, its browser. Returns an exit code; prints a message if it is not 0. */
int cli_tune_subject_open(const hed_arguments *arguments, cli_session *session,
    cli_tune_subject *subject, hed_tune_def *def, hed_error *error);

/* Selects the best shader device for a shader in GLSL or SPIR-V, which other devices cannot run. */
void cli_prefer_shaders(
    const hed_arguments *arguments, cli_session *session, const char *origin, hed_device **chosen);

/* ---- the result (print.c) ---- */

/* A finished tuning and the data of its report. */
typedef struct cli_tuned {
    const hed_kernel_def *kernel;
    hed_device_info device;
    const hed_tune_def *def;
    const hed_tune_result *result;
    const hed_tune_resources *resources; /* winner's; NULL: unknown */
    const char *origin;                  /* argument as typed */
    const char *database; /* path of the database with the measurements; NULL: not stored */
    const char *report;   /* path of the report; NULL: no report */
} cli_tuned;

/* Finds the resources of a tuning's winner. False if they are unknown: CUDA and HIP report them. */
bool cli_tune_find_resources(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, const hed_tune_result *result, hed_tune_resources *resources);

/* A configuration as "WG=64 TILE=4"; free it with free(). NULL if memory is short. */
char *cli_config_text(const hed_kernel_def *kernel, const hed_config *config);
void cli_tuned_print(const cli_tuned *tuned, FILE *out);
/* Prints one JSON object. Errors: MEMORY, IO. */
hed_status cli_tuned_print_json(const cli_tuned *tuned, FILE *out, hed_error *error);

/* ---- tunings of a kernel (tunings.c) ---- */

/* Tuning of a kernel on devices of one kind. */
typedef struct cli_tuning {
    const hed_arguments *arguments;
    cli_session session; /* devices of one kind */
    cli_tune_subject s;
    hed_tune_def def;
    bool shares_terminal; /* several tunings are shown together */
    hed_tune_result *result;
    hed_status status;
    hed_error error;
    int code;
} cli_tuning;

/* Opens the subject, and reads the settings. Returns an exit code; prints a message if it is not
 * 0. */
int cli_tuning_open(cli_tuning *tuning);
/* Tunes with the problem as it is, or with smaller ones while the default takes too long. */
void cli_tuning_run(cli_tuning *tuning);
/* Prints the result, and writes the files. Returns an exit code. */
int cli_tuning_print(cli_tuning *tuning);
void cli_tuning_close(cli_tuning *tuning);

/* Tuning of several files: state of their common output. */
typedef struct cli_sweep {
    cli_report *table; /* table of the winners */
    bool has_output;   /* an object was printed as JSON already */
} cli_sweep;

/* Tunes a kernel on all groups of devices, and prints the results. `output`: the sweep that this
 * kernel is a part of; NULL: none. Returns an exit code. */
int cli_tune_groups(const hed_arguments *arguments, cli_session *session, const char *origin,
    const cli_device_group *groups, uint32_t count, cli_sweep *output);

/* True if the user has interrupted; `user` is ignored. */
bool cli_tune_should_stop(void *user);

/* ---- engines (tunings.c) ---- */

typedef hed_status cli_tune_engine_function(hed_device *device, const void *user,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error);
/* Tunes on the session's single device, with the options seconds, seed, exhaustive, json and quiet,
 * and prints the result. `origin`: the subject as typed. Returns the exit code. */
int cli_tune_engine(const hed_arguments *arguments, cli_session *session,
    const hed_kernel_def *description, const char *origin, cli_tune_engine_function *tune,
    const void *user, hed_error *error);

/* Options of cli_tune_engine(), and its devices. */
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

/* tune_script.c: true if a path names a script in Python. */
bool cli_is_script(const char *path);
/* Runs a script of Kernel Tuner's in place of this process, with --budget and --time. Returns the
 * exit code of a failure. */
int cli_tune_script(const hed_arguments *arguments, const char *path);

/* sketch.c: true if a path names a text in OpenCL C, CUDA C or HIP. */
bool cli_is_kernel_text(const char *path);
/* Prints a first tune file of the kernel of a text, or of the one named `entry` (nullable). Returns
 * the exit code. */
int cli_tune_sketch(const char *path, const char *entry);

#endif
