/** @file runner.h
 *  Tuning somewhere else: a device that is described and not opened, and a runner that the caller
 *  brings. A runner builds, checks and times candidates of one kernel wherever they run: in a
 *  browser, on a phone, on another machine. The search, the race, the final rounds, the database and
 *  the reports are those of hed_tune_kernel(), which asks the runner one thing at a time:
 *
 *  @code
 *  hed_device_info info = {.id = "browser", .backend = "browser", .name = "...", .max_group = 256,
 *      .capabilities = HED_CAN_WGSL, ...};
 *  hed_device_create_described(context, &info, &device, &error);
 *  def.open_runner = open_mine; // fills in a struct that begins with a hed_runner
 *  hed_tune_kernel(device, &kernel, &def, &result, &error);
 *  @endcode
 */
#ifndef HEDDLE_RUNNER_H
#define HEDDLE_RUNNER_H

#include "heddle/tune.h"

HED_BEGIN

/** Makes a device of which only `info` is known: limits of 0 are no limits but for max_group (then
 *  1) and local_bytes (none), `driver` is part of the key of what is measured on it, and two of the
 *  same backend, vendor and `architecture` (any number but 0) count as one architecture. Texts have
 *  at most 255 bytes each, and are copied; NULL is "". Everything that would open it is refused with
 *  UNSUPPORTED. It is not in the list of the context; destroy it with hed_device_release(). Thread
 *  class: any. Errors: LIMIT, MEMORY. */
HED_API hed_status hed_device_create_described(
    hed_context *context, const hed_device_info *info, hed_device **device, hed_error *error);

/** What one argument of the kernel holds. */
typedef struct hed_runner_argument {
    const void *data; /**< first content; NULL: only written, or local */
    uint64_t bytes;
    const void *expected;    /**< right content afterwards; NULL: not compared */
    uint64_t expected_bytes; /**< 0: as `bytes` */
    /** (hed_runner_mask_bytes()) bit i % 8 of byte i / 8 is set: the reference does not write element
     *  i of `expected`, so the element is not compared, and a candidate that writes it is wrong.
     *  Where not each element is compared with its own (HED_COMPARE_SUM, HED_COMPARE_SORTED), the
     *  elements that still hold the pattern are skipped. NULL: everything is compared */
    const uint8_t *unwritten;
    double tolerance; /**< largest |a - b| / max(1, |b|); 0: equal bits */
} hed_runner_argument;

/** Bytes of hed_runner_argument.expected. Thread class: rt. */
static inline uint64_t hed_runner_expected_bytes(const hed_runner_argument *argument)
{
    if (!argument) return 0;
    return argument->expected_bytes ? argument->expected_bytes : argument->bytes;
}

/** Bytes of hed_runner_argument.unwritten. Thread class: rt. */
static inline uint64_t hed_runner_mask_bytes(
    const hed_argument_def *def, const hed_runner_argument *argument)
{
    return (hed_runner_expected_bytes(argument) / hed_type_bytes(def->type) + 7) / 8;
}

enum { HED_RUNNER_PATTERNS = 2 };

/** Pattern `number` % HED_RUNNER_PATTERNS: the byte that fills outputs without first content before a
 *  check; candidates are checked with the patterns in turn. As a float or a double it is so large
 *  that no tolerance takes it for a result. Thread class: rt. */
static inline unsigned char hed_runner_pattern(uint32_t number)
{
    return number % HED_RUNNER_PATTERNS ? 0xda : 0x5a;
}

/** What a runner is opened for. Everything that it points to outlives the runner. */
struct hed_runner_def {
    hed_device *device;
    const hed_kernel_def *kernel;
    hed_math math;
    const hed_define *defines; /**< (define_count) */
    uint32_t define_count;
    const hed_problem *problem;
    const hed_runner_argument *arguments; /**< (kernel->argument_count) */
    hed_objective objective;
    bool cold_cache;
    double timeout_seconds; /**< of one run; 0: none */
    /** of a candidate's first run, beside that: where the driver compiles in it; 0: none */
    double compile_seconds;
    /** how many candidates to compile ahead at once; 0: as many as the machine has processors */
    uint32_t builders;
    /** no run can be faster: work over the device's peaks, halved; 0: not known */
    double floor_seconds;
    /** Called at least ten times a second while a candidate is waited for; may be NULL. true: the
     *  waiting ends; the candidate is then HED_OUTCOME_DROPPED, and nothing is known of it. */
    bool (*idle)(void *user);
    void *user;
};

/** The result of preparing, checking or timing a candidate. */
typedef struct hed_trial {
    hed_outcome outcome; /**< MEASURED: all well */
    double build_seconds;
    double error; /**< of the check: largest |found - expected| / max(1, |expected|); NAN: none */
    hed_kernel_resources resources; /**< -1 where not known */
    char text[192];                 /**< why the outcome is another one */
} hed_trial;

enum { HED_RUNNER_SLOTS = 32 };

/** What a runner does. The fault of a candidate is an outcome in `trial`; a status is an error that
 *  makes going on pointless: MEMORY, DRIVER, LOST, IO. All of it is called from the thread that
 *  tunes. */
typedef struct hed_runner_kind {
    void (*destroy)(hed_runner *runner);
    /** Asks for a configuration to be compiled ahead, in parallel to everything else; prepare() then
     *  finds it compiled. Not called where hed_runner.builders is 0. */
    hed_status (*build_ahead)(hed_runner *runner, const hed_config *config, hed_error *error);
    /** Takes one configuration whose compiling ahead has ended (it may have failed: `trial`). false:
     *  none is done within `seconds`. */
    bool (*built)(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial);
    /** Puts a candidate into slot `slot` < HED_RUNNER_SLOTS, in place of the one that it held:
     *  compiled, run once on outputs filled with a pattern and restored inputs, results compared. The first run
     *  is thrown away as a time. */
    hed_status (*prepare)(hed_runner *runner, uint32_t slot, const hed_config *config,
        hed_trial *trial, hed_error *error);
    /** Times `runs` runs of a slot, in-place inputs restored before each, into `values` (runs):
     *  seconds, or joules. By a clock that steps back, values may be 0 or less. */
    hed_status (*time)(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
        hed_trial *trial, hed_error *error);
    /** Runs a slot once over outputs that are filled with pattern `pattern` (hed_runner_pattern()), and
     *  gives the content of written argument `argument` afterwards, `data` (its bytes). For making
     *  references. */
    hed_status (*output)(hed_runner *runner, uint32_t slot, uint32_t argument, uint32_t pattern,
        void *data, hed_trial *trial, hed_error *error);
    /** Says that slots[0], slots[1], ... will be timed next in this order, runs[i] runs each: a
     *  runner for which every question is slow may measure all of them at once now, in turns, and
     *  answer time() from that. NULL: never called. */
    hed_status (*announce)(hed_runner *runner, const uint32_t *slots, const uint32_t *runs,
        uint32_t count, hed_error *error);
} hed_runner_kind;

/** What the struct of each kind of runner begins with. */
struct hed_runner {
    const hed_runner_kind *kind;
    uint32_t builders; /**< so many candidates are compiled ahead at once; 0: none */
    bool device_time;  /**< times come from the device's clock */
    /** a candidate has hung or broken the device, so that nothing more can be measured */
    bool lost;
};

HED_END

#endif
