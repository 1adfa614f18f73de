/* The conformance engine finds what it is there to find: every kind of fault, planted by a
 * parameter of a kernel, whose default does not have it. On host alone, without a driver. */
#include "testing.h"

#include <math.h>

#include "cli/verify/conformance.h"

enum {
    N = 100,
    RIGHT = 0,
    WRONG_VALUE,
    NOT_WRITTEN,
    UNASKED,
    BEHIND_THE_END,
    INPUT_CHANGED,
    SLIGHTLY_OFF,
    OTHER_NAN,
    FAULTS
};

/* out[i] = in[i] + 1 for all but the last element; out[3] is NaN. */
static void planted(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *in = call->arguments[0], *out = call->arguments[1];
    int64_t fault = call->config->values[0], n = call->problem->sizes[0];
    for (uint64_t i = begin; i < end; i++) {
        if (i == 7 && fault == NOT_WRITTEN) continue;
        out[i] = in[i] + 1;
        if (i == 3) out[i] = fault == OTHER_NAN ? -NAN : NAN;
        if (i == 7 && fault == WRONG_VALUE) out[i] = -5;
        if (i == 7 && fault == SLIGHTLY_OFF) out[i] = nextafterf(out[i], 100);
        if (i == 7 && fault == UNASKED) out[n - 1] = 0;
        if (i == 7 && fault == BEHIND_THE_END) out[n] = 0;
        if (i == 7 && fault == INPUT_CHANGED) in[0] = 3;
    }
}

static bool planted_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)device;
    (void)strict;
    return config->values[1] != 2;
}

/* The second fault in fast mode alone. */
static bool fast_alone(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    return planted_valid(def, config, device, strict) && !(strict && config->values[0] == 1);
}

static void planted_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    (void)config;
    *geometry =
        (hed_geometry){.dimensions = 1, .global = {(uint64_t)problem->sizes[0] - 1}, .group = {1}};
}

static uint64_t planted_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    (void)argument;
    return (uint64_t)problem->sizes[0] * 4;
}

static void planted_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    (void)problem;
    (void)argument;
    for (uint64_t i = 0; i < bytes / 4; i++) ((float *)data)[i] = (float)(i + seed);
}

static const hed_argument_def PLANTED_ARGUMENTS[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-6}};
static const int64_t FAULT_VALUES[] = {RIGHT, WRONG_VALUE, NOT_WRITTEN, UNASKED, BEHIND_THE_END,
    INPUT_CHANGED, SLIGHTLY_OFF, OTHER_NAN};
static const int64_t OTHER_VALUES[] = {1, 2, 3};
static const hed_parameter_def PLANTED_PARAMETERS[] = {
    {.name = "FAULT", .values = FAULT_VALUES, .count = FAULTS},
    {.name = "OTHER", .values = OTHER_VALUES, .count = 3, .value = 1}};
static const hed_problem PLANTED_PROBLEMS[] = {{1, {N}}, {1, {N + 1}}};
static const char *const PLANTED_DIMENSIONS[] = {"n"};
static const hed_kernel_def PLANTED = {.name = "planted", .arguments = PLANTED_ARGUMENTS,
    .argument_count = 2, .parameters = PLANTED_PARAMETERS, .parameter_count = 2,
    .dimensions = PLANTED_DIMENSIONS, .dimension_count = 1, .valid = planted_valid,
    .geometry = planted_geometry, .range = planted,
    .sample = {
        .problems = PLANTED_PROBLEMS, .count = 2, .bytes = planted_bytes, .fill = planted_fill}};

typedef struct verdicts {
    hed_verdict verdict[FAULTS][2];
    char text[FAULTS][2][512];
    uint64_t written[FAULTS][2], hash[FAULTS][2];
    int runs, stop_after, faults[FAULTS], others[4]; /* runs: all, and by each value */
    int strict[4];        /* runs in strict mode that were valid, by each value of OTHER */
    int valid[FAULTS][2]; /* valid runs by fault and mode */
    bool in_turn;
} verdicts;

static void keep_verdict(void *user, const hed_conformance_run *run)
{
    verdicts *v = user;
    v->runs++;
    v->faults[run->config->values[0]]++;
    v->valid[run->config->values[0]][run->math] += run->verdict != HED_VERDICT_INVALID;
    v->others[run->config->values[1]]++;
    v->strict[run->config->values[1]] +=
        run->math == HED_MATH_STRICT && run->verdict != HED_VERDICT_INVALID;
    if (run->config->values[1] != 1 || run->problem->sizes[0] != N) return;
    int64_t fault = run->config->values[0];
    v->verdict[fault][run->math] = run->verdict;
    v->written[fault][run->math] = run->written;
    v->hash[fault][run->math] = run->hash;
    snprintf(v->text[fault][run->math], 512, "%s", run->text);
}

static bool stop_now(void *user)
{
    const verdicts *v = user;
    return v->stop_after && v->runs >= v->stop_after;
}

static hed_conformance_report conform_def(
    const hed_kernel_def *kernel, hed_coverage coverage, verdicts *v)
{
    hed_error error = {0};
    hed_context *context;
    hed_context_def context_def = hed_default_context_def();
    context_def.opencl_library = context_def.cuda_library = context_def.nvrtc_library = "";
    context_def.cache_dir = "";
    OK(hed_context_create(&context_def, &context, &error));
    hed_conformance_def def = {.kernel = kernel, .coverage = coverage, .seed = 1,
        .modes_in_turn = v->in_turn, .each = keep_verdict, .stop = stop_now, .user = v};
    OK(hed_device_find(context, "host", &def.device, &error));
    def.reference = def.device;
    uint64_t count;
    hed_conformance_report report;
    OK(hed_conformance_count(&def, &count, &error));
    OK(hed_conformance(&def, &report, &error));
    CHECK(v->stop_after || v->in_turn || count == (uint64_t)v->runs, "%d of %u", v->runs, (unsigned)count);
    CHECK(report.passed + report.invalid + report.failed == (uint64_t)v->runs);
    CHECK(report.stopped == (v->stop_after != 0));
    hed_context_destroy(context);
    return report;
}

static hed_conformance_report conform(hed_coverage coverage, verdicts *v)
{
    return conform_def(&PLANTED, coverage, v);
}

Test(conformance, finds_planted_faults)
{
    static verdicts v;
    hed_conformance_report report = conform(HED_COVER_ALL, &v);
    CHECK(v.runs == FAULTS * 3 * 2 * 2);
    CHECK(report.invalid == FAULTS * 2 * 2, "one value of three is never valid");
    static const char *const texts[FAULTS] = {
        [WRONG_VALUE] = "out[7]: error 1.56, tolerance 1e-06, expected 9, found -5",
        [NOT_WRITTEN] = "out[7]: not written",
        [UNASKED] = "out[99]: written, though the native version leaves it alone",
        [BEHIND_THE_END] = "out: written 0 bytes past its end",
        [INPUT_CHANGED] = "in: an input was changed"};
    for (int fault = 0; fault < FAULTS; fault++) {
        bool right = fault == RIGHT || fault == SLIGHTLY_OFF || fault == OTHER_NAN;
        EXPECT(v.verdict[fault][HED_MATH_FAST] == (right ? HED_VERDICT_PASSED : HED_VERDICT_FAILED),
            "fault %d", fault);
        EXPECT_TEXT(v.text[fault][HED_MATH_FAST], texts[fault] ? texts[fault] : "");
        EXPECT(v.written[fault][HED_MATH_FAST] == N - 1 - (fault == NOT_WRITTEN), "fault %d: %u",
            fault, (unsigned)v.written[fault][HED_MATH_FAST]);
    }
    EXPECT(v.verdict[RIGHT][HED_MATH_STRICT] == HED_VERDICT_PASSED);
    EXPECT(v.verdict[SLIGHTLY_OFF][HED_MATH_STRICT] == HED_VERDICT_FAILED);
    EXPECT_TEXT(v.text[SLIGHTLY_OFF][HED_MATH_STRICT],
        "out[7]: other bits (strict), expected 9, found 9.00000095");
    EXPECT(v.verdict[OTHER_NAN][HED_MATH_STRICT] == HED_VERDICT_PASSED, "NaNs are made canonical");
    EXPECT(v.hash[OTHER_NAN][HED_MATH_STRICT] == v.hash[RIGHT][HED_MATH_STRICT]);
    EXPECT(v.hash[SLIGHTLY_OFF][HED_MATH_STRICT] != v.hash[RIGHT][HED_MATH_STRICT]);
}

Test(conformance, coverage)
{
    static verdicts some, values, stopped = {.stop_after = 3};
    conform(HED_COVER_DEFAULT, &some);
    CHECK(some.runs == 2 * 2);
    /* The default and 7 other faults, one of them with OTHER=3; OTHER=2 is never valid. */
    conform(HED_COVER_VALUES, &values);
    CHECK_EQ(values.runs, FAULTS * 2 * 2);
    for (int fault = 0; fault < FAULTS; fault++)
        CHECK_EQ(values.faults[fault], 2 * 2, "fault %d", fault);
    CHECK_EQ(values.others[3], 2 * 2);
    CHECK_EQ(values.others[2], 0);
    /* A value that is valid in one mode alone takes no other value with it. */
    hed_kernel_def narrow = PLANTED;
    narrow.valid = fast_alone;
    static verdicts both;
    conform_def(&narrow, HED_COVER_VALUES, &both);
    CHECK_EQ(both.strict[3], 2, "OTHER=3 in strict mode");
    conform(HED_COVER_VALUES, &stopped);
    CHECK(stopped.runs == 3);
}

/* The default in both modes, each other fault in one of them, in the other where that is its only
 * valid one. */
Test(conformance, modes_in_turn)
{
    static verdicts v = {.in_turn = true}, narrow_v = {.in_turn = true};
    conform(HED_COVER_VALUES, &v);
    hed_kernel_def narrow = PLANTED;
    narrow.valid = fast_alone;
    conform_def(&narrow, HED_COVER_VALUES, &narrow_v);
    int strict = 0;
    for (int fault = 0; fault < FAULTS; fault++) {
        strict += v.valid[fault][HED_MATH_STRICT] > 0;
        EXPECT_EQ(v.faults[fault], fault == RIGHT ? 2 * 2 : 2, "fault %d", fault);
        EXPECT_EQ(v.valid[fault][0] + v.valid[fault][1], v.faults[fault], "fault %d", fault);
        EXPECT_GE(narrow_v.valid[fault][0] + narrow_v.valid[fault][1], 2, "fault %d", fault);
    }
    EXPECT_EQ(strict, FAULTS / 2 + 1);
    EXPECT_EQ(v.valid[WRONG_VALUE][HED_MATH_FAST], 0);
    EXPECT_EQ(narrow_v.valid[WRONG_VALUE][HED_MATH_FAST], 2);
}

/* Configurations that differ in what the device does not read are run once. */
Test(conformance, what_is_not_read_is_not_run_again)
{
    static verdicts all, values;
    hed_kernel_def kernel = PLANTED;
    kernel.native_ignores = 2; /* OTHER */
    conform_def(&kernel, HED_COVER_ALL, &all);
    CHECK(all.runs == FAULTS * 2 * 2, "%d", all.runs);
    CHECK(all.verdict[WRONG_VALUE][HED_MATH_FAST] == HED_VERDICT_FAILED);
    conform_def(&kernel, HED_COVER_VALUES, &values);
    CHECK(values.runs == FAULTS * 2 * 2, "%d", values.runs);
}
