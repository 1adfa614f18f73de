/* What the command's files share: the commands, opening a context and devices as the options say,
 * and error messages. */
#ifndef HED_CLI_COMMON_COMMAND_H
#define HED_CLI_COMMON_COMMAND_H

#include "heddle/realtime.h"
#include "heddle/tuning.h"
#include "support/exit.h"
#include "cli/common/data.h"
#include "cli/common/options.h"

/* ---- commands, one file each ---- */

extern const hed_command hed_command_root;
extern const hed_command hed_command_devices;
extern const hed_command hed_command_data;
extern const hed_command hed_command_demo;
extern const hed_command hed_command_doctor;
extern const hed_command hed_command_cache;
extern const hed_command hed_command_verify;
extern const hed_command hed_command_bench;
extern const hed_command hed_command_bench_runtime;
extern const hed_command hed_command_bench_kernels;
extern const hed_command hed_command_bench_pack;
extern const hed_command hed_command_batch;
extern const hed_command hed_command_sweep;
extern const hed_command hed_command_tune;
extern const hed_command hed_command_tune_replay;
extern const hed_command hed_command_db;
extern const hed_command hed_command_serve;
extern const hed_command hed_command_pack;
extern const hed_command hed_command_cloth;
extern const hed_command hed_command_cloth_run;
extern const hed_command hed_command_cloth_drape;
extern const hed_command hed_command_cloth_view;
extern const hed_command hed_command_cloth_check;
extern const hed_command hed_command_cloth_inspect;
extern const hed_command hed_command_cloth_bench;
extern const hed_command hed_command_cloth_tune;
extern const hed_command hed_command_synth;
extern const hed_command hed_command_synth_render;
extern const hed_command hed_command_synth_play;
extern const hed_command hed_command_synth_check;
extern const hed_command hed_command_synth_import;
extern const hed_command hed_command_synth_tune;
extern const hed_command hed_command_synth_bench;
extern const hed_command hed_command_mppi_bench;
extern const hed_command hed_command_mppi;
extern const hed_command hed_command_css;
extern const hed_command hed_command_css_bench;
extern const hed_command hed_command_css_match;
extern const hed_command hed_command_css_unused;
extern const hed_command hed_command_css_cost;
extern const hed_command hed_command_css_explain;
extern const hed_command hed_command_mppi_run;
extern const hed_command hed_command_mppi_new;
extern const hed_command hed_command_mppi_tune;
extern const hed_command hed_command_version;
extern const hed_command hed_command_help;
extern const hed_command hed_command_completion;

/* ---- options that several commands have ---- */

/* Ids of the devices that are there; names of kernels. */
extern const hed_names cli_device_names, cli_kernel_names;

/* `not_below`: of the command alone, not of those below it. */
#define CLI_OPTION_JSON(not_below) \
    { \
        .name = "json", .kind = HED_OPTION_FLAG, \
        .help = "print JSON: one array of objects, nothing else", .own = (not_below) \
    }
#define CLI_OPTION_DEVICES(not_below) \
    { \
        .name = "device", .letter = 'd', .kind = HED_OPTION_TEXT, .value = "ID", .repeated = true, \
        .names = &cli_device_names, \
        .help = "device to use: its id, part of its name, best, or all", .own = (not_below) \
    }

/* How many threads the device host has. */
#define CLI_OPTION_THREADS \
    { \
        .name = "threads", .kind = HED_OPTION_INTEGER, .value = "COUNT", .own = true, .low = 1, \
        .high = 1024, \
        .help = \
            "threads of the device \"host\" (default: one for each processor; one for a small cloth)" \
    }

/* ---- opening ---- */

enum { CLI_MOST_DEVICES = 64 };

/* A context, and the devices that --device names (else HEDDLE_DEVICE, else the best). */
typedef struct cli_session {
    hed_context *context;
    hed_device *devices[CLI_MOST_DEVICES];
    uint32_t count;
    /* called before a message of the library is printed, from any thread; NULL: nothing */
    void (*before_message)(void *user);
    void *user;
} cli_session;

/* Opens the context, with --threads where the command has it, and installs the interrupt flag;
 * warnings of the library go to stderr unless --quiet. The session stays where it is until
 * cli_close(). */
hed_status cli_open_context(const hed_arguments *arguments, cli_session *session, hed_error *error);
/* A browser as able as one may be, for shaders that are read before one is asked. */
extern const hed_device_info cli_any_browser;

/* Finds the device that `selector` names, a value of --device; NULL: the default one. Errors:
 * NO_DEVICE. */
hed_status cli_find_device(
    const cli_session *session, const char *selector, hed_device **device, hed_error *error);

/* With OpenGL's devices, which are else listed where one is named. */
hed_status cli_open_whole_context(
    const hed_arguments *arguments, cli_session *session, hed_error *error);
/* Opens a context that loads the libraries of one backend alone; "host": of none. */
hed_status cli_open_backend_context(
    const hed_arguments *arguments, const char *backend, cli_session *session, hed_error *error);
/* The same, and the devices. The command must have CLI_OPTION_DEVICES. */
hed_status cli_open_devices(const hed_arguments *arguments, cli_session *session, hed_error *error);
void cli_close(cli_session *session);
/* From now on contexts are not closed, and opened again: for one command after the other in one
 * process. */
void cli_keep_context(void);
/* A whole command line, as main() does it. Gives the exit code. */
int cli_run(int argc, char *const *argv);

/* ---- several devices at once (devices.c) ---- */

/* Devices of one kind, whose results have one key. */
typedef struct cli_device_group {
    hed_device *devices[CLI_MOST_DEVICES];
    uint32_t count;
} cli_device_group;

/* The devices that --device names, `groups` (HED_TUNE_DEVICES), of which "all" is every GPU once;
 * with none the default one. Errors: NO_DEVICE, LIMIT. */
hed_status cli_device_groups(const hed_arguments *arguments, cli_session *session,
    cli_device_group *groups, uint32_t *count, hed_error *error);
/* Opens the context, and the same devices for one piece of work on all of them, in session->devices. A
 * device that is named twice counts as two. Errors: NO_DEVICE, LIMIT. */
hed_status cli_open_devices_together(
    const hed_arguments *arguments, cli_session *session, hed_error *error);
/* Adds a device, to the group of its kind. Errors: LIMIT. */
hed_status cli_device_group_add(
    cli_device_group *groups, uint32_t *count, hed_device *device, hed_error *error);

/* ---- ending ---- */

/* Prints "heddle: <text>" and the error's log on stderr. Returns HED_EXIT_FAILURE,
 * HED_EXIT_INTERRUPTED after Ctrl-C, or HED_EXIT_USAGE for an ARGUMENT or NO_DEVICE error that
 * begins with an option's name: the command line is wrong. */
int cli_fail(const hed_error *error);
/* Prints an error of a positional argument's value, as cli_fail(). Returns HED_EXIT_USAGE for an
 * ARGUMENT or FORMAT error. */
int cli_refuse(const hed_error *error);
/* Puts an option and its value before a library's message about that value, as
 * "--property colour: ". Errors of other statuses than ARGUMENT and NO_DEVICE stay as they are. */
void cli_name_option(hed_error *error, const char *option, const char *value);
/* The exit code for a status; prints the error where there is one. */
int cli_end(hed_status status, const hed_error *error);

/* "640 MiB", "1.5 GiB": for people. */
void cli_format_bytes(uint64_t bytes, char *text, size_t size);
/* "width=512 height=512": a problem by the names of its dimensions. */
void cli_format_problem(
    const hed_kernel_def *def, const hed_problem *problem, char *text, size_t size);

/* ---- kernels: the canonical ones, then those of the engines ---- */

uint32_t cli_kernel_count(void);
const hed_kernel_def *cli_kernel_at(uint32_t index);
/* NULL: there is none of this name. */
const hed_kernel_def *cli_kernel_find(const char *name);

#endif
