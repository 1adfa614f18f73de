/* Comparison of results. Most bytes are equal, so equal blocks are skipped by memcmp(). */
#include "base/hash.h"
#include "core/objects.h"
#include "heddle/runner.h"
#include "measure/check.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

uint32_t hed_check_element_bytes(hed_type type)
{
    static const uint32_t bytes[HED_TYPE_COUNT] = {[HED_BYTES] = 1,
        [HED_INT32] = 4,
        [HED_UINT32] = 4,
        [HED_INT64] = 8,
        [HED_UINT64] = 8,
        [HED_FLOAT] = 4,
        [HED_DOUBLE] = 8};
    return (unsigned)type < HED_TYPE_COUNT ? bytes[type] : 1;
}

/* ---- elements ---- */

typedef union element {
    unsigned char byte;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} element;

static element element_at(hed_type type, const unsigned char *at)
{
    element value = {0};
    memcpy(&value, at, hed_check_element_bytes(type));
    return value;
}

static double check_number(hed_type type, element value)
{
    switch (type) {
    case HED_INT32: return value.i32;
    case HED_UINT32: return value.u32;
    case HED_INT64: return (double)value.i64;
    case HED_UINT64: return (double)value.u64;
    case HED_FLOAT: return (double)value.f32;
    case HED_DOUBLE: return value.f64;
    default: return value.byte;
    }
}

static void check_print_element(hed_type type, element value, char *text, size_t size)
{
    if (type == HED_INT64) snprintf(text, size, "%" PRId64, value.i64);
    else if (type == HED_UINT64) snprintf(text, size, "%" PRIu64, value.u64);
    else snprintf(text, size, "%.9g", check_number(type, value));
}

/* Relative error of a value; infinite if only one of the two is a number. Integers beyond 2^53 may
 * differ and still be equal as doubles. */
static double check_error_of(hed_type type, element actual, element expected)
{
    double a = check_number(type, actual), b = check_number(type, expected);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INFINITY;
    bool is_float = type == HED_FLOAT || type == HED_DOUBLE;
    if (a == b) return is_float ? 0 : DBL_TRUE_MIN;
    double error = fabs(a - b) / fmax(1, fabs(b));
    return isnan(error) ? INFINITY : error;
}

/* ---- outputs ---- */

static void check_complain(hed_check *check, const hed_argument_def *argument, uint64_t index,
    element actual, element expected, double error, double tolerance)
{
    char a[48], b[48];
    if (check->wrong) return;
    check->wrong = true;
    check_print_element(argument->type, actual, a, sizeof a);
    check_print_element(argument->type, expected, b, sizeof b);
    int used = snprintf(check->text, sizeof check->text, "%.64s[%" PRIu64 "] is %s, expected %s",
        argument->name, index, a, b);
    if (tolerance > 0)
        snprintf(check->text + used, sizeof check->text - (size_t)used,
            " (error %.3g, tolerance %.3g)", error, tolerance);
}

/* Compares the elements of a block whose bytes differ. */
static void compare_elements(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const unsigned char *actual, const unsigned char *expected, uint64_t bytes, double tolerance)
{
    uint32_t size = hed_check_element_bytes(argument->type);
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        if (memcmp(actual + i, expected + i, size) == 0) continue;
        element a = element_at(argument->type, actual + i),
                b = element_at(argument->type, expected + i);
        double error = check_error_of(argument->type, a, b);
        bool both_nan = error == 0 && isnan(check_number(argument->type, b));
        if (error > check->error) check->error = error;
        if (!both_nan && (tolerance > 0 ? !(error <= tolerance) : true))
            check_complain(check, argument, (at + i) / size, a, b, error, tolerance);
    }
}

/* compare_elements() for a block of floats, the usual case: true if all are within the tolerance.
 * The loops have no branches so that the compiler vectorises them; the bound is slightly lower than
 * the tolerance, for rounding. */
static bool floats_within(
    hed_check *check, const unsigned char *actual, const unsigned char *expected, double tolerance)
{
    enum { COUNT = BLOCK / sizeof(float) };
    float a[COUNT], b[COUNT], errors[COUNT],
        bound = (float)fmin(tolerance * (1 - 1e-6), (double)FLT_MAX);
    uint32_t outside = 0;
    memcpy(a, actual, sizeof a);
    memcpy(b, expected, sizeof b);
    for (uint32_t i = 0; i < COUNT; i++) {
        float magnitude = fabsf(b[i]), scale = magnitude > 1 ? magnitude : 1;
        errors[i] = fabsf(a[i] - b[i]) / scale;
        outside |= !(errors[i] <= bound);
    }
    if (outside) return false;
    /* Maximum by repeated halving, since compilers do not vectorise a running maximum. */
    for (uint32_t half = COUNT / 2; half > 0; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            errors[i] = errors[i] > errors[half + i] ? errors[i] : errors[half + i];
    if ((double)errors[0] > check->error) check->error = (double)errors[0];
    return true;
}

void hed_check_output(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, uint64_t bytes, double tolerance)
{
    const unsigned char *a = actual, *b = expected;
    check->compared = true;
    for (uint64_t i = 0; i < bytes; i += BLOCK) {
        uint64_t size = bytes - i < BLOCK ? bytes - i : BLOCK;
        if (memcmp(a + i, b + i, size) == 0) continue;
        bool quick = argument->type == HED_FLOAT && tolerance > 0 && size == BLOCK;
        if (quick && floats_within(check, a + i, b + i, tolerance)) continue;
        compare_elements(check, argument, at + i, a + i, b + i, size, tolerance);
    }
}

/* ---- elements that the reference does not write, or not always alike ---- */

static bool is_pattern(const unsigned char *at, uint32_t size, unsigned char pattern)
{
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != pattern) return false;
    return true;
}

static hed_runner_mark mark_at(const uint8_t *marks, uint64_t index)
{
    return (hed_runner_mark)(marks[index / 4] >> 2 * (index % 4) & 3);
}

/* Returns the mark of an element that differs between the first and another run. */
static hed_runner_mark mark_of(const hed_check_runs *runs, hed_runner_mark former,
    const unsigned char *first, const unsigned char *repeat)
{
    hed_type type = runs->argument->type;
    uint32_t size = hed_check_element_bytes(type);
    if (runs->is_filled && former != HED_ELEMENT_UNSTEADY &&
        (runs->run == 1 || former == HED_ELEMENT_UNWRITTEN) &&
        is_pattern(first, size, hed_runner_pattern(0)) &&
        is_pattern(repeat, size, hed_runner_pattern(runs->run)))
        return HED_ELEMENT_UNWRITTEN;
    if (runs->argument->compare != HED_COMPARE_EACH) return HED_ELEMENT_COMPARED;
    element a = element_at(type, repeat), b = element_at(type, first);
    double error = check_error_of(type, a, b);
    bool both_nan = error == 0 && isnan(check_number(type, b)),
         is_equal = both_nan || (runs->tolerance > 0 && error <= runs->tolerance);
    return is_equal && former == HED_ELEMENT_COMPARED ? former : HED_ELEMENT_UNSTEADY;
}

bool hed_check_mark(
    const hed_check_runs *runs, uint8_t *marks, uint64_t *unwritten, uint64_t *unsteady)
{
    const unsigned char *a = runs->first, *b = runs->repeat;
    uint32_t size = hed_check_element_bytes(runs->argument->type);
    uint64_t before = *unsteady;
    for (uint64_t begin = 0; begin < runs->bytes; begin += BLOCK) {
        uint64_t length = runs->bytes - begin < BLOCK ? runs->bytes - begin : BLOCK;
        if (memcmp(a + begin, b + begin, length) == 0) continue;
        for (uint64_t i = begin; i + size <= begin + length; i += size) {
            if (memcmp(a + i, b + i, size) == 0) continue;
            hed_runner_mark former = mark_at(marks, i / size),
                            mark = mark_of(runs, former, a + i, b + i);
            if (mark == former) continue;
            *unwritten += (uint64_t)(mark == HED_ELEMENT_UNWRITTEN);
            *unwritten -= (uint64_t)(former == HED_ELEMENT_UNWRITTEN);
            *unsteady += (uint64_t)(mark == HED_ELEMENT_UNSTEADY);
            uint64_t index = i / size;
            uint32_t shift = 2 * (index % 4);
            marks[index / 4] =
                (uint8_t)((marks[index / 4] & ~(3u << shift)) | (uint32_t)mark << shift);
        }
    }
    return *unsteady > before;
}

/* Compares elements, and names one that still contains the pattern, and so was left out, rather
 * than its number. */
static void check_block(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const unsigned char *actual, const unsigned char *expected, unsigned char pattern,
    uint64_t bytes, double tolerance)
{
    uint32_t size = hed_check_element_bytes(argument->type);
    bool was_wrong = check->wrong;
    hed_check_output(check, argument, at, actual, expected, bytes, tolerance);
    if (was_wrong || !check->wrong || size < sizeof(float)) return;
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        if (!is_pattern(actual + i, size, pattern) || is_pattern(expected + i, size, pattern))
            continue;
        snprintf(check->text, sizeof check->text,
            "does not write element %" PRIu64 " of %.64s, which the reference writes",
            (at + i) / size, argument->name);
        return;
    }
}

void hed_check_partial(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, const uint8_t *marks, unsigned char pattern,
    uint64_t bytes, double tolerance)
{
    const unsigned char *a = actual, *b = expected;
    unsigned char block[BLOCK]; /* expected values; marked elements are copied from `actual` */
    uint32_t size = hed_check_element_bytes(argument->type);
    if (!marks) {
        check_block(check, argument, at, a, b, pattern, bytes, tolerance);
        return;
    }
    for (uint64_t begin = 0; begin < bytes; begin += BLOCK) {
        uint64_t length = bytes - begin < BLOCK ? bytes - begin : BLOCK;
        memcpy(block, b + begin, length);
        for (uint64_t i = 0; i + size <= length; i += size) {
            uint64_t index = (at + begin + i) / size;
            hed_runner_mark mark = mark_at(marks, index);
            if (mark == HED_ELEMENT_COMPARED) continue;
            memcpy(block + i, a + begin + i, size);
            if (check->wrong || mark == HED_ELEMENT_UNSTEADY ||
                is_pattern(a + begin + i, size, pattern))
                continue;
            check->wrong = true;
            snprintf(check->text, sizeof check->text,
                "writes element %" PRIu64 " of %.64s, which the reference does not write", index,
                argument->name);
        }
        check_block(check, argument, at + begin, a + begin, block, pattern, length, tolerance);
    }
}

uint64_t hed_check_drop_marked(hed_type type, void *data, uint64_t bytes, const uint8_t *marks)
{
    unsigned char *at = data;
    uint32_t size = hed_check_element_bytes(type);
    uint64_t remaining = 0;
    if (!marks) return bytes;
    for (uint64_t i = 0; i < bytes / size; i++)
        if (mark_at(marks, i) == HED_ELEMENT_COMPARED)
            memmove(at + size * remaining++, at + i * size, size);
    return size * remaining;
}

uint64_t hed_check_drop_pattern(hed_type type, void *data, uint64_t bytes, unsigned char pattern)
{
    unsigned char *at = data;
    uint32_t size = hed_check_element_bytes(type);
    uint64_t remaining = 0;
    for (uint64_t i = 0; i < bytes / size; i++)
        if (!is_pattern(at + i * size, size, pattern))
            memmove(at + size * remaining++, at + i * size, size);
    return size * remaining;
}

/* ---- outputs whose size or order depends on the configuration ---- */

uint64_t hed_check_result_bytes(const hed_geometry *geometry, uint32_t argument, uint64_t bytes)
{
    uint64_t written = geometry->local_bytes[argument];
    return written > 0 && written < bytes ? written : bytes;
}

/* Sum of all elements: integers modulo 2^64, so that equality is exact; other types in long
 * double. */
static long double check_sum_of(hed_type type, const unsigned char *from, uint64_t bytes)
{
    uint32_t size = hed_check_element_bytes(type);
    bool real = type == HED_FLOAT || type == HED_DOUBLE;
    long double sum = 0;
    uint64_t whole = 0;
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        element value = element_at(type, from + i);
        if (real) sum += check_number(type, value);
        else
            whole += type == HED_INT32    ? (uint64_t)value.i32
                     : type == HED_UINT32 ? value.u32
                     : type == HED_BYTES  ? value.byte
                                          : value.u64;
    }
    return real                                     ? sum
           : type == HED_INT32 || type == HED_INT64 ? (long double)(int64_t)whole
                                                    : (long double)whole;
}

static void check_sum(hed_check *check, const hed_argument_def *argument, const void *actual,
    uint64_t actual_bytes, const void *expected, uint64_t expected_bytes, double tolerance)
{
    long double a = check_sum_of(argument->type, actual, actual_bytes),
                b = check_sum_of(argument->type, expected, expected_bytes);
    double error = a == b ? 0 : (double)(fabsl(a - b) / fmaxl(1, fabsl(b)));
    if (isnan(error)) error = isnan(a) && isnan(b) ? 0 : INFINITY;
    if (error > check->error) check->error = error;
    if (error <= tolerance || check->wrong) return;
    check->wrong = true;
    snprintf(check->text, sizeof check->text,
        "the sum of %.64s is %.9Lg, expected %.9Lg (error %.3g, tolerance %.3g)", argument->name, a,
        b, error, tolerance);
}

/* Order for qsort_r(); NaNs come last. */
static int order(const void *left, const void *right, void *user)
{
    const hed_type type = *(const hed_type *)user;
    element a = element_at(type, left), b = element_at(type, right);
    if (type == HED_INT64) return (a.i64 > b.i64) - (a.i64 < b.i64);
    if (type == HED_UINT64) return (a.u64 > b.u64) - (a.u64 < b.u64);
    double x = check_number(type, a), y = check_number(type, b);
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

void hed_check_reduced(hed_check *check, const hed_argument_def *argument, void *actual,
    uint64_t actual_bytes, void *expected, uint64_t expected_bytes, double tolerance)
{
    uint32_t size = hed_check_element_bytes(argument->type);
    hed_type type = argument->type;
    check->compared = true;
    if (argument->compare == HED_COMPARE_SUM) {
        check_sum(check, argument, actual, actual_bytes, expected, expected_bytes, tolerance);
        return;
    }
    if (actual_bytes != expected_bytes && !check->wrong) {
        check->wrong = true;
        snprintf(check->text, sizeof check->text,
            "%.64s has %" PRIu64 " elements, expected %" PRIu64, argument->name,
            actual_bytes / size, expected_bytes / size);
    }
    if (actual_bytes != expected_bytes) return;
    qsort_r(actual, actual_bytes / size, size, order, &type);
    qsort_r(expected, expected_bytes / size, size, order, &type);
    hed_check_output(check, argument, 0, actual, expected, actual_bytes, tolerance);
}

/* ---- inputs and guards ---- */

void hed_check_input(hed_check *check, const hed_argument_def *argument, uint64_t at,
    const void *actual, const void *expected, uint64_t bytes)
{
    const unsigned char *a = actual, *b = expected;
    if (check->wrong || memcmp(a, b, bytes) == 0) return;
    uint64_t i = 0;
    while (a[i] == b[i]) i++;
    check->wrong = true;
    snprintf(check->text, sizeof check->text,
        "%.64s is only read, and its byte %" PRIu64 " was changed", argument->name, at + i);
}

void hed_check_guard(hed_check *check, const hed_argument_def *argument, bool before,
    const unsigned char *actual, uint64_t bytes, unsigned char poison)
{
    /* start of the run of changed bytes nearest to the buffer */
    uint64_t first = before ? bytes : 0;
    if (check->wrong) return;
    if (before) {
        while (first > 0 && actual[first - 1] == poison) first--;
        if (first == 0) return;
        while (first > 0 && actual[first - 1] != poison) first--;
    } else {
        while (first < bytes && actual[first] == poison) first++;
        if (first == bytes) return;
    }
    check->wrong = true;
    snprintf(check->text, sizeof check->text, "%.64s was written %" PRIu64 " bytes %s",
        argument->name, before ? bytes - first : first,
        before ? "before its beginning" : "behind its end");
}

/* ---- the judge ---- */

/* Version of the rules of this file; change it with them, so that earlier verdicts are not taken
 * over. */
static const char RULES[] = "rules 2";

static hed_hash hash_content(hed_hash hash, const void *bytes, uint64_t size)
{
    return hed_hash_bytes(hash, bytes ? bytes : "", bytes ? size : 0);
}

void hed_check_judge(
    const hed_kernel_def *def, const hed_runner_argument *arguments, char judge[33])
{
    hed_hash hash = hed_hash_text(hed_hash_start(), RULES);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_runner_argument *argument = &arguments[i];
        const uint32_t rule = (uint32_t)def->arguments[i].compare;
        hash = hed_hash_bytes(hash, &rule, sizeof rule);
        hash = hed_hash_bytes(hash, &argument->tolerance, sizeof argument->tolerance);
        hash = hash_content(hash, argument->data, argument->bytes);
        hash = hash_content(hash, argument->expected, hed_runner_expected_bytes(argument));
        hash = hash_content(
            hash, argument->marks, hed_runner_mark_bytes(&def->arguments[i], argument));
    }
    hed_hash_format(hash, judge);
}

/* ---- copies of the buffers that a launch writes ---- */

hed_status hed_scratch_check(const hed_kernel_def *def, hed_device *device,
    const hed_argument *arguments, uint32_t count, hed_error *error)
{
    if (count != def->argument_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s takes %u arguments; %u were given",
            def->name, def->argument_count, count);
    for (uint32_t i = 0; i < count; i++) {
        bool fits = arguments[i].kind == def->arguments[i].kind;
        if (fits && arguments[i].kind == HED_BUFFER)
            fits = arguments[i].value.buffer && arguments[i].value.buffer->device == device;
        if (fits && arguments[i].kind == HED_STRUCT)
            fits = arguments[i].value.bytes && arguments[i].size == def->arguments[i].size;
        if (fits && arguments[i].kind == HED_SCALAR)
            fits = arguments[i].type == def->arguments[i].type;
        if (!fits)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: argument %u differs in kind, type, size or device from \"%s\" of the description",
                def->name, i, def->arguments[i].name);
    }
    return HED_OK;
}

bool hed_scratch_is_output(const hed_argument_def *argument)
{
    return argument->kind == HED_BUFFER &&
           (argument->access == HED_WRITE || argument->access == HED_READ_WRITE);
}

/* True if an argument gets a copy. A workspace counts as changed in place: a candidate that
 * corrupts it corrupts only a copy. */
static bool is_copied(const hed_argument_def *argument, hed_scratch_kind kind)
{
    if (argument->kind != HED_BUFFER || argument->access == HED_READ) return false;
    return kind == HED_SCRATCH_WRITTEN || argument->access != HED_WRITE;
}

/* ---- overlap ---- */

static bool meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b ? b - a < a_size : a - b < b_size;
}

/* True if two buffers overlap: by offset in a common parent or handle, and by address, since a
 * program can create two buffers over one piece of its memory. */
static bool buffers_meet(const hed_buffer *a, const hed_buffer *b)
{
    const hed_buffer *whole_a = a->parent ? a->parent : a, *whole_b = b->parent ? b->parent : b;
    if (whole_a == whole_b) return meet(a->offset, a->size, b->offset, b->size);
    if (whole_a->handle && whole_a->handle == whole_b->handle)
        return meet(a->offset, a->size, b->offset, b->size);
    if (a->address && b->address && meet(a->address, a->size, b->address, b->size)) return true;
    return a->host && b->host && meet((uintptr_t)a->host, a->size, (uintptr_t)b->host, b->size);
}

uint32_t hed_scratch_overlap(const hed_kernel_def *def, const hed_argument *arguments)
{
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (!is_copied(&def->arguments[i], HED_SCRATCH_WRITTEN)) continue;
        for (uint32_t j = 0; j < def->argument_count; j++)
            if (j != i && arguments[j].kind == HED_BUFFER &&
                buffers_meet(arguments[i].value.buffer, arguments[j].value.buffer))
                return i;
    }
    return UINT32_MAX;
}

/* ---- the copies ---- */

uint64_t hed_scratch_sizes(const hed_kernel_def *def, const hed_argument *arguments,
    hed_scratch_kind kind, uint64_t *sizes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        bool copied = i < def->argument_count && is_copied(&def->arguments[i], kind);
        sizes[i] = copied ? arguments[i].value.buffer->size : 0;
        sum += sizes[i];
    }
    return sum;
}

static bool has_size(const hed_buffer *buffer, uint64_t size)
{
    return buffer ? buffer->size == size : size == 0;
}

bool hed_scratch_fits(const hed_scratch *scratch, const uint64_t *sizes)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++)
        if (!has_size(scratch->buffers[i], sizes[i])) return false;
    return true;
}

hed_status hed_scratch_reserve(
    hed_scratch *scratch, hed_device *device, const uint64_t *sizes, hed_error *error)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        if (has_size(scratch->buffers[i], sizes[i])) continue;
        hed_buffer_destroy(scratch->buffers[i]);
        scratch->buffers[i] = NULL;
    }
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) {
        if (has_size(scratch->buffers[i], sizes[i])) continue;
        hed_buffer_def buffer = hed_default_buffer_def(sizes[i]);
        hed_buffer_create(device, &buffer, &scratch->buffers[i], error);
    }
    return error->status;
}

void hed_scratch_free(hed_scratch *scratch)
{
    for (uint32_t i = 0; i < HED_MAX_ARGUMENTS; i++) hed_buffer_destroy(scratch->buffers[i]);
    *scratch = (hed_scratch){0};
}

void hed_scratch_replace(const hed_scratch *scratch, const hed_kernel_def *def,
    const hed_argument *arguments, hed_argument *replaced)
{
    for (uint32_t i = 0; i < def->argument_count; i++)
        replaced[i] = scratch->buffers[i] ? hed_buffer_argument(scratch->buffers[i]) : arguments[i];
}

hed_status hed_scratch_fill(const hed_scratch *scratch, hed_stream *stream,
    const hed_kernel_def *def, const hed_argument *from, hed_error *error)
{
    const unsigned char poison = HED_SCRATCH_POISON;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < def->argument_count && !status; i++) {
        hed_buffer *copy = scratch->buffers[i];
        if (!copy) continue;
        status = def->arguments[i].access == HED_WRITE
                     ? hed_fill(stream, copy, 0, copy->size, &poison, 1, error)
                     : hed_copy(stream, copy, 0, from[i].value.buffer, 0, copy->size, error);
    }
    return status;
}
