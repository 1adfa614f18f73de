/** @file runner.h
 *  Tuning elsewhere: a device that is described but not opened, and a runner of the caller. A
 *  runner builds, checks and times candidates of one kernel in a browser, on a phone or on another
 *  machine. The search, the race, the final rounds, the database and the reports are those of
 *  hed_tune_kernel(), which calls one function of the runner at a time:
 *
 *  @code
 *  hed_device_info info = {.id = "browser", .backend = "browser", .name = "...", .max_group = 256,
 *     .capabilities = HED_CAN_WGSL, ...};
 *  hed_device_create_described(context, &info, &device, &error);
 *  def.open_runner = open_mine; // fills in a struct that begins with a hed_runner
 *  hed_tune_kernel(device, &kernel, &def, &result, &error);
 *  @endcode */
#ifndef HEDDLE_RUNNER_H
#define HEDDLE_RUNNER_H

#include "heddle/tune.h"

HED_BEGIN

/** Creates a device from its description alone, for tuning by a runner. A limit of 0 is no limit,
 *  except for max_group (then 1) and local_bytes (no local memory). `driver` is part of the key of
 *  measurements. Two devices with the same backend, vendor and `architecture` (any number except 0)
 *  are of one architecture. Texts have at most 255 bytes each, and are copied; NULL is "". Calls
 *  that would open the device return UNSUPPORTED. It is not in the list of the context; destroy it
 *  with hed_device_release().
 *  Thread class: any. Errors: LIMIT, MEMORY. */
HED_API hed_status hed_device_create_described(
    hed_context *context, const hed_device_info *info, hed_device **device, hed_error *error);

/** State of an output's element, from several runs of the reference. */
typedef enum hed_runner_mark {
    HED_ELEMENT_COMPARED,
    /** the reference does not write the element: it is not compared, and a candidate that writes it
     *  is wrong */
    HED_ELEMENT_UNWRITTEN,
    /** the reference's results differ from run to run by more than the tolerance: the element is not
     *  compared */
    HED_ELEMENT_UNSTEADY
} hed_runner_mark;

/** Content of one argument of the kernel. */
typedef struct hed_runner_argument {
    const void *data; /**< first content; NULL: only written, or local */
    uint64_t bytes;
    const void *expected;    /**< right content afterwards; NULL: not compared */
    uint64_t expected_bytes; /**< 0: as `bytes` */
    /** (hed_runner_mark_bytes()) two bits for each element of `expected`, a hed_runner_mark, that of
     *  element i in bits 2 * (i % 4) of byte i / 4. With HED_COMPARE_SUM and HED_COMPARE_SORTED,
     *  elements that still contain the pattern are skipped. NULL: everything is compared */
    const uint8_t *marks;
    double tolerance; /**< largest |a - b| / max(1, |b|); 0: equal bits */
} hed_runner_argument;

/** Returns the bytes of hed_runner_argument.expected. Thread class: rt. */
static inline uint64_t hed_runner_expected_bytes(const hed_runner_argument *argument)
{
    if (!argument) return 0;
    return argument->expected_bytes ? argument->expected_bytes : argument->bytes;
}

/** Returns the bytes of hed_runner_argument.marks. Thread class: rt. */
static inline uint64_t hed_runner_mark_bytes(
    const hed_argument_def *def, const hed_runner_argument *argument)
{
    if (!def) return 0;
    return (hed_runner_expected_bytes(argument) / hed_type_bytes(def->type) + 3) / 4;
}

enum { HED_RUNNER_PATTERNS = 2 };

/** Returns pattern `number` % HED_RUNNER_PATTERNS: the byte that fills outputs without first
 *  content before a check; candidates are checked with the patterns in turn. As a float or a double
 *  it is too large for any tolerance.
 *  Thread class: rt. */
static inline unsigned char hed_runner_pattern(uint32_t number)
{
    return number % HED_RUNNER_PATTERNS ? 0xda : 0x5a;
}

/** Definition of a runner. All memory that it refers to outlives the runner. */
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
    /** time() writes the members of hed_counters, in order, as its values; `runs` is their number. Only
     *  runners of the library are asked for this */
    bool counters;
    double timeout_seconds; /**< limit for one run, s; 0: none */
    /** above 0: after the first candidate that works the limit is 20 times its first run, s, but at
     *  least this and at most timeout_seconds; compile_seconds no longer applies. Runners may ignore
     *  it */
    double least_timeout_seconds;
    /** limit for a candidate's first run, in which the driver may compile, in addition to
     *  timeout_seconds, s; 0: none */
    double compile_seconds;
    /** number of candidates to compile ahead at once; 0: one for each processor of the machine */
    uint32_t builders;
    /** lower bound of a run's time, s: work over the device's peaks, halved; 0: unknown */
    double floor_seconds;
    /** Called at least ten times a second during waits for a candidate; may be NULL. True ends the
     *  wait; the candidate is then HED_OUTCOME_DROPPED, without a time. */
    bool (*idle)(void *user);
    void *user;
};

/** The result of preparing, checking or timing a candidate. */
typedef struct hed_trial {
    hed_outcome outcome; /**< MEASURED: success */
    double build_seconds;
    double error; /**< largest |found - expected| / max(1, |expected|); NAN: none */
    hed_kernel_resources resources; /**< -1: unknown */
    char text[192];                 /**< cause of another outcome */
} hed_trial;

enum { HED_RUNNER_SLOTS = 32 };

/** Functions of a runner. The fault of a candidate is an outcome in `trial`; a status is an error
 *  that ends the tuning: MEMORY, DRIVER, LOST, IO. The tuning thread calls all of them. */
typedef struct hed_runner_kind {
    void (*destroy)(hed_runner *runner);
    /** Starts compiling a configuration ahead, in parallel to all other work, for prepare(). Not
     *  called if hed_runner.builders is 0. */
    hed_status (*build_ahead)(hed_runner *runner, const hed_config *config, hed_error *error);
    /** Returns one configuration whose compiling ahead has ended (it may have failed: `trial`).
     *  False: none ended within `seconds`. */
    bool (*built)(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial);
    /** Loads a candidate into slot `slot` < HED_RUNNER_SLOTS, in place of its former one: compiles
     *  it, runs it once on outputs filled with a pattern and restored inputs, and compares the
     *  results. The time of this first run is not used. */
    hed_status (*prepare)(hed_runner *runner, uint32_t slot, const hed_config *config,
        hed_trial *trial, hed_error *error);
    /** Times `runs` runs of a slot, in-place inputs restored before each, into `values` (runs):
     *  seconds, or joules. By a clock that steps back, values may be 0 or less. */
    hed_status (*time)(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
        hed_trial *trial, hed_error *error);
    /** Runs a slot once over outputs filled with pattern `pattern` (hed_runner_pattern()), and
     *  writes the content of written argument `argument` to `data` (its bytes). For making
     *  references. */
    hed_status (*output)(hed_runner *runner, uint32_t slot, uint32_t argument, uint32_t pattern,
        void *data, hed_trial *trial, hed_error *error);
    /** Announces that slots[0], slots[1], ... will be timed next in this order, runs[i] runs each:
     *  a runner with slow calls may measure all of them at once now, in turns, and return those
     *  times from time(). NULL: never called. */
    hed_status (*announce)(hed_runner *runner, const uint32_t *slots, const uint32_t *runs,
        uint32_t count, hed_error *error);
} hed_runner_kind;

/** First member of the struct of each kind of runner. */
struct hed_runner {
    const hed_runner_kind *kind;
    uint32_t builders; /**< number of candidates that are compiled ahead at once; 0: none */
    bool device_time;  /**< times come from the device's clock */
    /** a candidate has hung or broken the device, so that nothing more can be measured */
    bool lost;
};

HED_END

#endif
