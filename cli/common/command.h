/* Interfaces between the commands: the commands themselves, contexts and devices by the options,
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
extern const hed_command hed_command_synth_view;
extern const hed_command hed_command_synth_window;
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
extern const hed_command hed_command_css_record;
extern const hed_command hed_command_css_cost;
extern const hed_command hed_command_css_explain;
extern const hed_command hed_command_mppi_run;
extern const hed_command hed_command_mppi_import;
extern const hed_command hed_command_mppi_new;
extern const hed_command hed_command_mppi_tune;
extern const hed_command hed_command_version;
extern const hed_command hed_command_help;
extern const hed_command hed_command_completion;

/* ---- options that several commands have ---- */

/* Ids of available devices; names of kernels. */
extern const hed_names cli_device_names, cli_kernel_names;

/* `not_below`: not inherited by the commands below. */
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

/* Number of threads of the device "host". */
#define CLI_OPTION_THREADS \
    { \
        .name = "threads", .kind = HED_OPTION_INTEGER, .value = "COUNT", .own = true, .low = 1, \
        .high = 1024, \
        .help = \
            "threads of the device \"host\" (default: one for each processor; one for a small cloth)" \
    }

/* ---- opening ---- */

enum { CLI_MOST_DEVICES = 64 };

/* A context, and the devices named by --device (else by HEDDLE_DEVICE, else the best). */
typedef struct cli_session {
    hed_context *context;
    hed_device *devices[CLI_MOST_DEVICES];
    uint32_t count;
    /* called before a message of the library is printed, from any thread; NULL: not called */
    void (*before_message)(void *user);
    void *user;
    bool quiet; /* --quiet: nothing is printed */
} cli_session;

/* Opens the context, with --threads if the command has it, and installs the interrupt flag.
 * Warnings of the library are printed to stderr unless --quiet. The session must not move until
 * cli_close(). */
hed_status cli_open_context(const hed_arguments *arguments, cli_session *session, hed_error *error);
/* Description of the most capable browser, for reading shaders before a browser has connected. */
extern const hed_device_info cli_any_browser;

/* Finds the device named by `selector`, a value of --device; NULL: the default device. Errors:
 * NO_DEVICE. */
hed_status cli_find_device(
    const cli_session *session, const char *selector, hed_device **device, hed_error *error);

/* cli_open_context() with OpenGL's devices, which are otherwise listed only if one is named. */
hed_status cli_open_whole_context(
    const hed_arguments *arguments, cli_session *session, hed_error *error);
/* Opens a context that loads the libraries of one backend; "host": no libraries. */
hed_status cli_open_backend_context(
    const hed_arguments *arguments, const char *backend, cli_session *session, hed_error *error);
/* Tries each backend in a process of its own. A backend whose driver ends that process is named on
 * stderr, and contexts opened afterwards do without it. Returns their number. `arguments` NULL:
 * nothing is printed. */
uint32_t cli_leave_out_dead(const hed_arguments *arguments);
/* Opens the context and the devices. The command must have CLI_OPTION_DEVICES. */
hed_status cli_open_devices(const hed_arguments *arguments, cli_session *session, hed_error *error);
void cli_close(cli_session *session);
/* Keeps contexts open from now on and reuses them, for several commands in one process. */
void cli_keep_context(void);
/* True after cli_keep_context(): further commands follow in this process. */
bool cli_keeps_context(void);
/* True if cli_close() leaves this context open. */
bool cli_context_is_kept(const hed_context *context);
/* Closes the kept contexts. */
void cli_close_kept(void);
/* Forgets the last command line, before another one in a process that keeps its contexts. */
void cli_begin_kept(void);
/* True if a further command may run in this process after one that ended with `code`: it was not
 * interrupted, and failed at most by its words and files, not by a device that is lost. */
bool cli_may_go_on(int code);
/* Runs a whole command line, like main(). Returns the exit code. */
int cli_run(int argc, char *const *argv);

/* ---- several devices at once (devices.c) ---- */

/* Devices of one kind, whose results have the same key. */
typedef struct cli_device_group {
    hed_device *devices[CLI_MOST_DEVICES];
    uint32_t count;
} cli_device_group;

/* Groups the devices named by --device; "all" means every GPU once, no option the default device.
 * A device named twice counts as two. `groups` (HED_TUNE_DEVICES). Errors: NO_DEVICE, LIMIT. */
hed_status cli_device_groups(const hed_arguments *arguments, cli_session *session,
    cli_device_group *groups, uint32_t *count, hed_error *error);
/* Opens the context, and stores the same devices in session->devices, for one task on all of them.
 * Errors: NO_DEVICE, LIMIT. */
hed_status cli_open_devices_together(
    const hed_arguments *arguments, cli_session *session, hed_error *error);
/* Writes the ids of devices, such as "cuda:0 + cuda:1". */
void cli_device_ids(hed_device *const *devices, uint32_t count, char *text, size_t size);
/* True if a worker is "fd:7", a socket that heddle-mpi passes; `*descriptor` is its number. */
bool cli_is_socket(const char *worker, int *descriptor);
/* Adds a device to the group of its kind. Errors: LIMIT. */
hed_status cli_device_group_add(
    cli_device_group *groups, uint32_t *count, hed_device *device, hed_error *error);

/* ---- ending ---- */

/* Prints "heddle: <text>" and the error's log on stderr. Returns HED_EXIT_FAILURE,
 * HED_EXIT_INTERRUPTED after Ctrl-C, or HED_EXIT_USAGE for an ARGUMENT or NO_DEVICE error that
 * begins with an option's name: the command line is wrong. */
int cli_fail(const hed_error *error);
/* Prints an error in the value of a positional argument, like cli_fail(). Returns HED_EXIT_USAGE
 * for an ARGUMENT or FORMAT error. */
int cli_refuse(const hed_error *error);
/* Prepends an option and its value to a library's message about that value, as "--property colour:
 * ". Changes only ARGUMENT and NO_DEVICE errors. */
void cli_name_option(hed_error *error, const char *option, const char *value);
/* Exit code for a status; prints an error if there is one. */
int cli_end(hed_status status, const hed_error *error);
/* Flushes stdout and returns the exit code: HED_EXIT_FAILURE if some output could not be written,
 * for example to a full disk, even through a pipe. */
int cli_end_output(int code);

/* Formats a size for people: "640 MiB", "1.5 GiB". */
void cli_format_bytes(uint64_t bytes, char *text, size_t size);
/* Formats a problem by the names of its dimensions: "width=512 height=512". */
void cli_format_problem(
    const hed_kernel_def *def, const hed_problem *problem, char *text, size_t size);

/* ---- kernels: the canonical ones, then those of the engines ---- */

uint32_t cli_kernel_count(void);
const hed_kernel_def *cli_kernel_at(uint32_t index);
/* Finds a kernel by name; NULL if there is no such kernel. */
const hed_kernel_def *cli_kernel_find(const char *name);

#endif
