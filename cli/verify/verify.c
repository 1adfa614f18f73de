/* heddle verify: conformance suite on the user's devices. */
#include "cli/common/command.h"
#include "cli/verify/conformance.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_TOLD = 20 };

typedef struct mode_count {
    uint64_t passed, invalid, failed;
} mode_count;

/* Result of one kernel on one device. */
typedef struct result {
    const hed_kernel_def *def;
    hed_device_info device;
    mode_count modes[2]; /* indexed by hed_math */
    hed_conformance_report report;
    char invalid[256]; /* reason why one configuration was invalid */
} result;

typedef struct verification {
    bool json, quiet;
    hed_coverage coverage;
    hed_progress progress;
    uint64_t done, failures;
    uint32_t kernels; /* completely verified, counted over all devices */
    result *current;
    cli_report *table, *records; /* table for people; records for programs, two rows per kernel */
} verification;

static const char *const MODES[] = {[HED_MATH_FAST] = "fast", [HED_MATH_STRICT] = "strict"};

/* ---- one run ---- */

static void verify_after_run(void *user, const hed_conformance_run *run)
{
    verification *v = user;
    mode_count *count = &v->current->modes[run->math];
    count->passed += run->verdict == HED_VERDICT_PASSED;
    count->invalid += run->verdict == HED_VERDICT_INVALID;
    count->failed += run->verdict == HED_VERDICT_FAILED;
    if (run->verdict == HED_VERDICT_INVALID && !v->current->invalid[0])
        snprintf(v->current->invalid, sizeof v->current->invalid, "%.250s", run->text);
    hed_progress_update(&v->progress, ++v->done);
    if (run->verdict != HED_VERDICT_FAILED || ++v->failures > FAILURES_TOLD + 1) return;
    char config[256], problem[128];
    hed_config_format(run->def, run->config, config, sizeof config);
    cli_format_problem(run->def, run->problem, problem, sizeof problem);
    hed_progress_end(&v->progress);
    if (v->failures > FAILURES_TOLD) fputs("heddle: further failures are only counted\n", stderr);
    else
        fprintf(stderr, "heddle: %s on %s, %s, [%s], %s: %s\n", run->def->name,
            v->current->device.id, MODES[run->math], config, problem, run->text);
}

static bool verify_should_stop(void *user) { return hed_interrupted(); }

/* ---- report ---- */

static void verify_add(verification *v, const result *r)
{
    const char *word = r->report.failed ? "FAILED" : r->report.passed ? "passed" : "not valid here";
    char passed[2][48];
    for (int math = 0; math < 2; math++) {
        const mode_count *count = &r->modes[math];
        uint64_t ran = count->passed + count->failed;
        snprintf(passed[math], sizeof *passed, "%" PRIu64 " of %" PRIu64, count->passed, ran);
        if (!ran) strcpy(passed[math], "-");
        cli_report_row(v->records, CLI_TEXT("device", r->device.id),
            CLI_TEXT("kernel", r->def->name), CLI_TEXT("math", MODES[math]),
            CLI_WHOLE("passed", count->passed), CLI_WHOLE("not_valid", count->invalid),
            CLI_WHOLE("failed", count->failed));
        if (!ran) cli_report_more(v->records, CLI_TEXT("reason", r->invalid));
    }
    cli_report_row(v->table, CLI_TEXT(NULL, r->device.id, .heading = "DEVICE"),
        CLI_TEXT(NULL, r->def->name, .heading = "KERNEL"),
        CLI_TEXT(NULL, word, .heading = "RESULT"),
        CLI_TEXT(NULL, passed[HED_MATH_FAST], .heading = ">FAST"),
        CLI_TEXT(NULL, passed[HED_MATH_STRICT], .heading = ">STRICT"),
        CLI_WHOLE(NULL, r->report.invalid, .heading = ">NOT VALID"),
        CLI_WHOLE(NULL, r->report.written, .heading = ">ELEMENTS"),
        CLI_NUMBER(NULL, r->report.error, .heading = ">ERROR", .format = "%.2g"),
        CLI_TEXT(NULL, r->report.passed || r->report.failed ? "" : r->invalid, .heading = "WHY"));
}

static hed_status verify_kernel(verification *v, hed_context *context, hed_device *device,
    const hed_kernel_def *kernel, hed_error *error)
{
    hed_conformance_def def = {.device = device, .kernel = kernel, .coverage = v->coverage,
        .seed = 1, .each = verify_after_run, .stop = verify_should_stop, .user = v};
    result r = {.def = kernel, .device = hed_device_describe(device)};
    char label[96];
    hed_device_find(context, "host", &def.reference, error);
    uint64_t count = 0;
    hed_status status = hed_conformance_count(&def, &count, error);
    if (status) return status;
    snprintf(label, sizeof label, "verify %s on %s", kernel->name, r.device.id);
    v->current = &r;
    v->done = 0;
    v->progress = hed_progress_begin(label, "runs", count, v->quiet || v->json);
    status = hed_conformance(&def, &r.report, error);
    hed_progress_end(&v->progress);
    if (!status && !r.report.stopped) {
        verify_add(v, &r);
        v->kernels++;
    }
    return status;
}

/* ---- the command ---- */

static int verify_run(const hed_arguments *arguments, void *user)
{
    /* kernels named by --kernel, in order; without the option, all kernels */
    const hed_kernel_def *kernels[64];
    const char *unknown = NULL, *name;
    uint32_t count = 0;
    if (!hed_given(arguments, "kernel"))
        for (; count < cli_kernel_count() && count < HED_COUNT(kernels); count++)
            kernels[count] = cli_kernel_at(count);
    for (uint32_t i = 0; (name = hed_text_at(arguments, "kernel", i)) && count < HED_COUNT(kernels);
         i++)
        if (!(kernels[count++] = cli_kernel_find(name))) unknown = name;
    if (unknown) {
        fprintf(stderr, "heddle: there is no kernel \"%s\"; there are", unknown);
        for (uint32_t i = 0; i < cli_kernel_count(); i++)
            fprintf(stderr, "%s %s", i ? "," : "", cli_kernel_at(i)->name);
        fputc('\n', stderr);
        return HED_EXIT_USAGE;
    }
    cli_session session;
    hed_error error = {0};
    hed_status status = cli_open_devices(arguments, &session, &error);
    if (status) return cli_fail(&error);
    verification v = {.json = hed_given(arguments, "json"), .quiet = hed_given(arguments, "quiet")};
    v.coverage = hed_given(arguments, "quick")  ? HED_COVER_DEFAULT
                 : hed_given(arguments, "full") ? HED_COVER_ALL
                                                : HED_COVER_VALUES;
    v.table = v.json ? NULL : cli_report_create(false);
    v.records = v.json ? cli_report_create(true) : NULL;
    for (uint32_t d = 0; d < session.count; d++)
        for (uint32_t k = 0; k < count && !status && !hed_interrupted(); k++)
            status = verify_kernel(&v, session.context, session.devices[d], kernels[k], &error);
    status = cli_report_end(v.json ? v.records : v.table, status, &error);
    if (hed_interrupted() && !status)
        fprintf(stderr,
            "heddle: interrupted after %u of %u kernels; the table has those, and of the others nothing is "
            "kept\n",
            v.kernels, count * session.count);
    cli_close(&session);
    int code = cli_end(status, &error);
    return code == HED_EXIT_OK && v.failures ? HED_EXIT_FAILURE : code;
}

static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(false),
    OPTION("kernel", TEXT, "NAME", "only this kernel", .letter = 'k', .repeated = true, .names = &cli_kernel_names),
    FLAG("quick", "only the configuration that a user gets by default"),
    FLAG("full", "every valid configuration: hours, where each one has to be compiled and a kernel has thousands of them"),
    CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {{"heddle verify --quick", "seconds on the best device"},
    {"heddle verify --device all", "every value of every parameter, on every device"},
    {"heddle verify -d cuda:0 -k reduction -k scan", "two kernels on one device"}, {0}};

const hed_command hed_command_verify = {
    .name = "verify", .summary = "check that devices compute what the processor computes",
    .description =
        "Runs the kernels that come with Heddle, the canonical ones and those of the cloth engine, on a device, every sample "
        "problem with every value of every tunable parameter, and compares each element with the native C version on host: "
        "within the kernel's tolerance in fast mode, bit for bit in strict mode. Also looks for elements that were not written or should not have been, and for writes past the end.\n\n"
        "NOT VALID counts runs that the device cannot do and says so. ERROR is the largest |found - expected| / max(1, "
        "|expected|). The exit code is 1 if anything failed.",
    .options = OPTIONS, .examples = EXAMPLES, .run = verify_run,
};
