/* Running a kernel over poisoned buffers, and comparing what it left behind with the native
 * version. */
#include "cli/verify/compare.h"

#include "support/errors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

static hed_status read_back(const hed_sample *sample, hed_stream *stream, const hed_placed *placed,
    hed_outcome *outcome, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < sample->def->argument_count && status == HED_OK; i++) {
        if (!placed->buffers[i]) continue;
        uint64_t size = sample->bytes[i] + HED_GUARD_BYTES;
        outcome->data[i] = malloc(size);
        if (!outcome->data[i])
            status = hed_error_set(
                error, HED_ERROR_MEMORY, "out of memory for %" PRIu64 " bytes of results", size);
        else status = hed_read(stream, outcome->data[i], placed->buffers[i], 0, size, error);
    }
    return status;
}

hed_status hed_outcome_run(const hed_sample *sample, hed_stream *stream, hed_kernel *kernel,
    unsigned char poison, hed_outcome *outcome, hed_error *error)
{
    *outcome = (hed_outcome){0};
    hed_placed placed;
    hed_status status = hed_sample_place(sample, stream, HED_GUARD_BYTES, poison, &placed, error);
    if (status != HED_OK) return status;
    status = hed_launch(
        stream, kernel, &sample->problem, placed.arguments, sample->def->argument_count, error);
    if (status == HED_OK) status = read_back(sample, stream, &placed, outcome, error);
    /* Even after a failure: what was enqueued still uses the buffers. */
    hed_status waited = hed_stream_wait(stream, status == HED_OK ? error : NULL);
    hed_placed_free(&placed);
    if (status == HED_OK) status = waited;
    if (status != HED_OK) hed_outcome_free(outcome);
    return status;
}

void hed_outcome_free(hed_outcome *outcome)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) free(outcome->data[i]);
    *outcome = (hed_outcome){0};
}

/* ---- elements ---- */

/* An element as a number; exact for everything but 64-bit integers, which are compared by their
 * bytes. */
static double number(hed_type type, const unsigned char *at)
{
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value = {0};
    memcpy(&value, at, hed_type_bytes(type));
    switch (type) {
    case HED_INT32: return value.i32;
    case HED_UINT32: return value.u32;
    case HED_INT64: return (double)value.i64;
    case HED_UINT64: return (double)value.u64;
    case HED_FLOAT: return (double)value.f32;
    case HED_DOUBLE: return value.f64;
    default: return at[0];
    }
}

/* |a - b| / max(1, |b|); infinite where only one of them is a number. */
static double error_of(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    double error = fabs(a - b) / fmax(1, fabs(b));
    return isnan(error) ? INFINITY : error;
}

static bool is_float(hed_type type) { return type == HED_FLOAT || type == HED_DOUBLE; }

/* The element with every NaN made the same, for hashing (FNV-1a; Fowler, Noll and Vo). */
static uint64_t hash_element(uint64_t hash, hed_type type, const unsigned char *at)
{
    static const float quiet_float = NAN;
    static const double quiet_double = NAN;
    if (is_float(type) && isnan(number(type, at)))
        at = type == HED_FLOAT ? (const unsigned char *)&quiet_float
                               : (const unsigned char *)&quiet_double;
    for (uint32_t i = 0; i < hed_type_bytes(type); i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static bool same_bits(hed_type type, const unsigned char *a, const unsigned char *b)
{
    return memcmp(a, b, hed_type_bytes(type)) == 0 ||
           (is_float(type) && isnan(number(type, a)) && isnan(number(type, b)));
}

static bool is_poison(const unsigned char *at, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != HED_POISON_DEVICE) return false;
    return true;
}

static void print_element(hed_type type, const unsigned char *at, char *text, size_t size)
{
    int64_t integer;
    if (type == HED_INT64 || type == HED_UINT64) {
        memcpy(&integer, at, sizeof integer);
        snprintf(text, size, type == HED_INT64 ? "%" PRId64 : "%" PRIu64, integer);
    } else {
        snprintf(text, size, "%.9g", number(type, at));
    }
}

/* ---- comparing ---- */

typedef struct comparison {
    const hed_sample *sample;
    hed_conformance_run *run;
    uint64_t wrong; /* elements */
} comparison;

/* Counts a wrong element; the first one is told. */
static void complain(comparison *c, const hed_argument_def *argument, uint64_t element,
    const unsigned char *found, const unsigned char *expected, const char *what)
{
    if (c->wrong++ > 0) return;
    char a[64] = "", b[64] = "";
    print_element(argument->type, found, a, sizeof a);
    if (expected) print_element(argument->type, expected, b, sizeof b);
    snprintf(c->run->text, sizeof c->run->text, "%s[%" PRIu64 "]: %s%s%s%s%s", argument->name,
        element, what, expected ? ", expected " : "", b, expected ? ", found " : "",
        expected ? a : "");
}

static void compare_element(comparison *c, const hed_argument_def *argument, uint64_t element,
    const unsigned char *found, const unsigned char *expected, bool written)
{
    hed_conformance_run *run = c->run;
    if (!written) {
        if (!is_poison(found, hed_type_bytes(argument->type)))
            complain(c, argument, element, found, NULL,
                "written, though the native version leaves it alone");
        return;
    }
    bool same = same_bits(argument->type, found, expected);
    double error = error_of(number(argument->type, found), number(argument->type, expected));
    /* 64-bit integers beyond 2^53 may differ and look the same as numbers; -0 and 0 count as equal
     * in fast mode. */
    if (!same && error == 0 && !is_float(argument->type)) error = DBL_TRUE_MIN;
    if (error > run->error) run->error = error;
    if (run->math == HED_MATH_STRICT) run->hash = hash_element(run->hash, argument->type, found);
    bool good = run->math == HED_MATH_STRICT ? same : same || error <= argument->tolerance;
    if (good) {
        run->written++;
    } else if (is_poison(found, hed_type_bytes(argument->type))) {
        complain(c, argument, element, found, NULL, "not written");
    } else {
        run->written++;
        char what[96];
        if (run->math == HED_MATH_STRICT) snprintf(what, sizeof what, "other bits (strict)");
        else snprintf(what, sizeof what, "error %.3g, tolerance %.3g", error, argument->tolerance);
        complain(c, argument, element, found, expected, what);
    }
}

static void compare_output(
    comparison *c, const hed_expected *expected, const hed_outcome *found, uint32_t index)
{
    const hed_argument_def *argument = &c->sample->def->arguments[index];
    uint32_t size = hed_type_bytes(argument->type);
    for (uint64_t at = 0; at + size <= c->sample->bytes[index]; at += size) {
        const unsigned char *first = expected->first.data[index] + at;
        bool written = memcmp(first, expected->second.data[index] + at, size) == 0;
        compare_element(c, argument, at / size, found->data[index] + at, first, written);
    }
}

static void check_unchanged(comparison *c, const hed_outcome *found, uint32_t index)
{
    const hed_argument_def *argument = &c->sample->def->arguments[index];
    uint64_t bytes = c->sample->bytes[index];
    const unsigned char *data = found->data[index];
    if (argument->access == HED_READ && memcmp(data, c->sample->data[index], bytes) != 0 &&
        c->wrong++ == 0)
        snprintf(c->run->text, sizeof c->run->text, "%s: an input was changed", argument->name);
    for (uint64_t i = 0; i < HED_GUARD_BYTES; i++) {
        if (data[bytes + i] == HED_POISON_DEVICE) continue;
        if (c->wrong++ == 0)
            snprintf(c->run->text, sizeof c->run->text,
                "%s: written %" PRIu64 " bytes behind its end", argument->name, i);
        break;
    }
}

void hed_outcome_compare(const hed_sample *sample, const hed_expected *expected,
    const hed_outcome *found, hed_conformance_run *run)
{
    comparison c = {.sample = sample, .run = run};
    run->hash = run->math == HED_MATH_STRICT ? 0xcbf29ce484222325u : 0;
    for (uint32_t i = 0; i < sample->def->argument_count; i++) {
        if (sample->def->arguments[i].kind != HED_BUFFER) continue;
        if (sample->def->arguments[i].access == HED_WRITE ||
            sample->def->arguments[i].access == HED_READ_WRITE)
            compare_output(&c, expected, found, i);
        check_unchanged(&c, found, i);
    }
    if (run->written == 0 && c.wrong++ == 0)
        snprintf(run->text, sizeof run->text,
            "the native version writes nothing, so nothing was checked");
    run->verdict = c.wrong ? HED_VERDICT_FAILED : HED_VERDICT_PASSED;
    size_t used = strlen(run->text);
    if (c.wrong > 1)
        snprintf(
            run->text + used, sizeof run->text - used, "; %" PRIu64 " elements are wrong", c.wrong);
}
