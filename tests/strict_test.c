/* ctest: drivers */
/* Strict mode: every device of this machine that says it can gives the same bits as this file's own
 * C, whatever the group size and whatever state the calling thread's floating point is in. Hashes
 * are fixed: they are what a user's golden test stands on, so a change of one is a change of
 * everybody's results. */
#include "backends/cuda/nvrtc.h"

#include "testing.h"

#include <fenv.h>

#include "strict_kernels/inputs.h"

static hed_error error;

/* ---- the kernels' text as C, one work item at a time ---- */

static _Thread_local uint32_t work_item;
#define __kernel static
#define __global
#define uint uint32_t
#define get_global_id(d) work_item
#define as_int(x) ((int32_t)hed_as_uint(x))
#define as_uint(x) hed_as_uint(x)
#define fma(a, b, c) fmaf(a, b, c)
#define sqrt(x) sqrtf(x)
#define floor(x) floorf(x)
#define ceil(x) ceilf(x)
#define trunc(x) truncf(x)
#define rint(x) rintf(x)
#define fabs(x) fabsf(x)
#include "strict_kernels/strict.cl"
#undef __kernel
#undef __global
#undef get_global_id
#undef as_int
#undef as_uint
#undef fma
#undef sqrt
#undef floor
#undef ceil
#undef trunc
#undef rint
#undef fabs
#undef uint

extern const hed_source hed_strict_files[]; /* strict.cl as text: tests/strict.cmake */

enum { ITEMS = 1 << 16, MASSES = 1 << 12, STEPS = 400, RING_STEPS = 60, INPUTS = 6, OUTPUTS = 27 };

#define NUMBER(index) (*(const uint32_t *)call->arguments[index])
#define ROWS (const float *)call->arguments[0], (uint32_t *)call->arguments[1], NUMBER(2)
#define NATIVE(entry, ...) \
    static void entry##_range(const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        for (work_item = (uint32_t)begin; work_item < end; work_item++) entry(__VA_ARGS__); \
    }
NATIVE(arithmetic, ROWS)
NATIVE(functions, ROWS)
NATIVE(spring, ROWS, NUMBER(3))
NATIVE(spring_own, ROWS, NUMBER(3))
NATIVE(ring, ROWS)

/* ---- descriptions ---- */

static const hed_argument_def row_arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "steps", .kind = HED_SCALAR, .type = HED_UINT32},
};

typedef struct row_kernel {
    const char *name;
    hed_native_range_function *range;
    uint32_t arguments, items, outputs, launches;
    uint32_t integers; /* bits of the outputs that are no floats */
    uint64_t hash;
} row_kernel;

static const row_kernel row_kernels[] = {
    {"arithmetic", arithmetic_range, 3, ITEMS, 27, 1, 1u << 26, UINT64_C(0x32417c03798aec12)},
    {"functions", functions_range, 3, ITEMS, 18, 1, 7u << 3, UINT64_C(0xd115c74e7caa3768)},
    {"spring", spring_range, 4, MASSES, 6, 1, 0, UINT64_C(0xa5239a8c27240910)},
    {"spring_own", spring_own_range, 4, MASSES, 6, 1, 0, UINT64_C(0xb63632e7c2d8ee48)},
    {"ring", ring_range, 3, MASSES, 6, RING_STEPS, 0, UINT64_C(0x4195f2a689c6e347)},
};
enum { ROW_KERNELS = sizeof row_kernels / sizeof *row_kernels };

static const char *const arithmetic_names[] = {"x+y", "x-y", "x*y", "fma", "x/y", "sqrt", "1/sqrt",
    "x*y+z*w", "x*y+z", "lerp", "length", "x/length", "1/x", "x/3", "x+0", "x-x", "x*0", "horner",
    "sum of 4", "floor", "ceil", "trunc", "rint", "fabs", "(float)int", "(float)uint",
    "comparisons"};
static const char *const function_names[] = {"hed_min", "hed_max", "hed_clamp", "hed_int",
    "hed_uint", "hed_canonical_bits", "hed_sin", "hed_cos", "hed_tan", "hed_exp", "hed_log",
    "hed_tanh", "hed_rsqrt", "hed_pow", "hed_atan2", "hed_pow(|x|, y)", "hed_log|x|",
    "hed_rsqrt|x|"};

static const char *output_name(int kernel, uint32_t output)
{
    return kernel == 0 ? arithmetic_names[output] : kernel == 1 ? function_names[output] : "";
}

static hed_kernel_def describe(const row_kernel *k)
{
    return (hed_kernel_def){.name = k->name,
        .sources = &hed_strict_files[0],
        .source_count = 1,
        .arguments = row_arguments,
        .argument_count = k->arguments,
        .range = k->range};
}

/* ---- inputs ---- */

static float inputs[INPUTS * ITEMS]; /* (4 x ITEMS) for the arithmetic */
static float masses[INPUTS * MASSES];

/* Argument k of item i; sixteenths of the items are of different kinds. */
static float operand(uint64_t *state, uint32_t i, uint32_t k)
{
    uint32_t kind = i / (ITEMS / 16), index = i % (ITEMS / 16);
    if (kind < 4) return hed_as_float(next_random(state));
    if (kind < 8) return next_unit(state) * 8.0f - 4.0f;
    if (kind < 11) return next_scaled(state, -20, 20);
    if (kind < 13 && k % 2 == 1) return next_scaled(state, -6, 6);
    /* where denormals begin */
    if (kind < 13) return hed_as_float(next_random(state) & 0x80ffffffu);
    if (kind < 14) return next_scaled(state, -80, -50); /* products underflow */
    /* x * y half way between two floats and z far below: a fused step must look at z */
    if (kind < 15) {
        int shift = 1 + (int)(index % 23);
        if (k == 0) return 1.0f + ldexpf(1.0f, -shift);
        if (k == 1) return 1.0f + ldexpf(1.0f, shift - 24);
        return k == 2 ? next_scaled(state, -120, -30) : next_unit(state);
    }
    return special(k == 0 ? index : k == 1 ? index / SPECIALS : next_random(state));
}

static void make_inputs(void)
{
    uint64_t seed = 1, *state = &seed;
    for (uint32_t i = 0; i < ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++) inputs[k * ITEMS + i] = operand(state, i, k);
    for (uint32_t i = 0; i < 3 * MASSES; i++) {
        masses[i] = next_unit(state) * 4.0f - 2.0f;
        masses[3 * MASSES + i] = next_unit(state) * 4.0f - 2.0f;
    }
}

/* ---- one kernel on one device ---- */

static hed_buffer *make_buffer(hed_device *device, uint64_t size)
{
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(size);
    OK(hed_buffer_create(device, &def, &buffer, &error));
    return buffer;
}

/* Runs kernel `k` as often as it says, output becoming input, and reads the last output. `group` 0:
 * Heddle's choice. */
static void run_rows(hed_device *device, const row_kernel *k, uint32_t group, uint32_t *results)
{
    hed_kernel_def def = describe(k);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = HED_MATH_STRICT;
    hed_kernel *kernel;
    hed_stream *stream;
    OK(hed_kernel_create(device, &def, &options, &kernel, &error));
    OK(hed_stream_create(device, NULL, &stream, &error));
    uint64_t in_bytes = INPUTS * sizeof(float) * k->items,
             out_bytes = OUTPUTS * sizeof(float) * k->items;
    hed_buffer *from = make_buffer(device, out_bytes), *to = make_buffer(device, out_bytes);
    OK(hed_write(stream, from, 0, k->items == ITEMS ? inputs : masses, in_bytes, &error));
    /* A result that was not written shows. */
    OK(hed_fill(stream, to, 0, out_bytes, &(uint32_t){0xaaaaaaaau}, 4, &error));
    hed_geometry geometry = {
        .dimensions = 1, .global = {k->items}, .group = {group, group ? 1 : 0, group ? 1 : 0}};
    for (uint32_t launch = 0; launch < k->launches; launch++) {
        hed_argument arguments[] = {hed_buffer_argument(from), hed_buffer_argument(to),
            hed_uint_argument(k->items), hed_uint_argument(STEPS)};
        OK(hed_launch_over(stream, kernel, &geometry, arguments, k->arguments, &error));
        hed_buffer *other = from;
        from = to;
        to = other;
    }
    OK(hed_read(stream, results, from, 0, (uint64_t)k->outputs * sizeof(float) * k->items, &error));
    OK(hed_stream_wait(stream, &error));
    hed_buffer_destroy(from);
    hed_buffer_destroy(to);
    hed_kernel_destroy(kernel);
    hed_stream_destroy(stream);
}

/* The same by a plain loop in this thread. */
static void run_reference(const row_kernel *k, uint32_t *results)
{
    static uint32_t from[OUTPUTS * ITEMS], to[OUTPUTS * ITEMS];
    uint32_t n = k->items, steps = STEPS;
    memcpy(from, n == ITEMS ? inputs : masses, INPUTS * sizeof(float) * n);
    void *arguments[] = {from, to, &n, &steps};
    for (uint32_t launch = 0; launch < k->launches; launch++) {
        k->range(&(hed_native_call){.arguments = arguments}, 0, n);
        memcpy(from, to, sizeof(float) * k->outputs * n);
    }
    memcpy(results, to, sizeof(float) * k->outputs * n);
}

static uint32_t canonical(const row_kernel *k, uint32_t output, uint32_t bits)
{
    return k->integers >> output & 1 ? bits : hed_canonical_bits(hed_as_float(bits));
}

/* FNV-1a over canonical words */
static uint64_t hash_rows(const row_kernel *k, const uint32_t *results)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t output = 0; output < k->outputs; output++)
        for (uint32_t i = 0; i < k->items; i++)
            hash = (hash ^ canonical(k, output, results[output * k->items + i])) *
                   UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t count_differences(
    const char *device, int kernel, const uint32_t *wanted, const uint32_t *got)
{
    const row_kernel *k = &row_kernels[kernel];
    uint32_t all = 0;
    for (uint32_t output = 0; output < k->outputs; output++) {
        uint32_t count = 0, first = 0;
        for (uint32_t i = 0; i < k->items; i++) {
            uint32_t at = output * k->items + i;
            if (canonical(k, output, wanted[at]) == canonical(k, output, got[at])) continue;
            if (count++ == 0) first = i;
        }
        if (count)
            printf("%s: %s %s: %u of %u differ, first item %u: %08x, not %08x\n", device, k->name,
                output_name(kernel, output), count, k->items, first, got[output * k->items + first],
                wanted[output * k->items + first]);
        all += count;
    }
    return all;
}

/* ---- the devices ---- */

static hed_context *open_context(void)
{
    hed_context *context;
    OK(hed_context_create(NULL, &context, &error));
    return context;
}

static bool can_strict(const hed_device *device)
{
    return (hed_device_describe(device).capabilities & HED_CAN_STRICT) != 0;
}

/* CI says which backends must be there: a strict test that found no device would prove nothing. */
static void require_backends(const hed_context *context)
{
    const char *required = getenv("HEDDLE_REQUIRE_DEVICES");
    static const char *const backends[] = {"host", "opencl", "cuda"};
    for (int b = 0; b < 3; b++) {
        bool found = false;
        for (uint32_t i = 0; i < hed_context_describe(context).devices; i++) {
            hed_device *device = hed_device_at(context, i);
            if (can_strict(device) && !strcmp(hed_device_describe(device).backend, backends[b]))
                found = true;
        }
        CHECK(found || !required || !strstr(required, backends[b]),
            "no device of %s can be strict, and it is required", backends[b]);
    }
}

static uint32_t wanted[ROW_KERNELS][OUTPUTS * ITEMS], got[OUTPUTS * ITEMS];

static void make_reference(void)
{
    hed_float_state state = hed_float_strict();
    make_inputs();
    for (int k = 0; k < ROW_KERNELS; k++) run_reference(&row_kernels[k], wanted[k]);
    hed_float_restore(state);
}

static void compare_device(hed_device *device, uint32_t group)
{
    const char *id = hed_device_describe(device).id;
    for (int k = 0; k < ROW_KERNELS; k++) {
        memset(got, 0x55, sizeof got);
        run_rows(device, &row_kernels[k], group, got);
        uint32_t differ = count_differences(id, k, wanted[k], got);
        uint64_t hash = hash_rows(&row_kernels[k], got);
        printf("%s, groups of %u: %s %016llx\n", id, group, row_kernels[k].name,
            (unsigned long long)hash);
        EXPECT(differ == 0, "%s: %s: %u results differ from C", id, row_kernels[k].name, differ);
        EXPECT(hash == row_kernels[k].hash, "%s: %s: hash %016llx, promised %016llx", id,
            row_kernels[k].name, (unsigned long long)hash, (unsigned long long)row_kernels[k].hash);
    }
}

Test(strict, every_device_gives_the_bits_of_c, .timeout = 300)
{
    hed_context *context = open_context();
    require_backends(context);
    make_reference();
    for (uint32_t i = 0; i < hed_context_describe(context).devices; i++) {
        hed_device *device = hed_device_at(context, i);
        if (can_strict(device)) {
            compare_device(device, 0);
            compare_device(device, 32);
        } else printf("%s cannot be strict\n", hed_device_describe(device).id);
    }
    hed_context_destroy(context);
}

/* ---- a caller whose thread flushes denormals and rounds upwards ---- */

static void flush_denormals(bool on)
{
#if defined(__x86_64__)
    unsigned bits = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(on ? bits | 0x8040u : bits & ~0x8040u);
#elif defined(__aarch64__)
    uint64_t bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    bits = on ? bits | UINT64_C(1) << 24 : bits & ~(UINT64_C(1) << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(bits));
#endif
}

static bool denormals_flushed(void)
{
    volatile float tiny = 0x1p-126f, half = 0.5f;
    return tiny * half == 0.0f;
}

Test(strict, the_callers_float_state_does_not_matter, .timeout = 300)
{
    make_reference();
    flush_denormals(true);
    fesetround(FE_UPWARD);
    CHECK(denormals_flushed(), "the test's own switch does nothing");
    hed_context *context = open_context(); /* its threads inherit the state */
    for (uint32_t i = 0; i < hed_context_describe(context).devices; i++) {
        hed_device *device = hed_device_at(context, i);
        const char *id = hed_device_describe(device).id;
        if (!can_strict(device)) continue;
        run_rows(device, &row_kernels[0], 0, got);
        EXPECT_EQ(count_differences(id, 0, wanted[0], got), 0u);
        run_rows(device, &row_kernels[1], 0, got);
        EXPECT_EQ(count_differences(id, 1, wanted[1], got), 0u);
        EXPECT(denormals_flushed() && fegetround() == FE_UPWARD,
            "%s: the caller's state was not put back", id);
    }
    hed_context_destroy(context);
    fesetround(FE_TONEAREST);
    flush_denormals(false);
}

/* ---- what NVRTC makes of the text, without a device ---- */

Test(strict, kernels_compile_for_cuda_without_a_spill)
{
    static const uint32_t architectures[] = {75, 80, 90};
    hed_allocator allocator = hed_default_allocator();
    char reason[256] = "", target[HED_NVRTC_TARGET];
    hed_nvrtc *nvrtc = NULL;
    const char *library = getenv("HEDDLE_NVRTC_LIBRARY");
    CHECK_EQ(hed_nvrtc_open(&allocator, library, 0, &nvrtc, reason, sizeof reason), HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    for (int i = 0; i < 3; i++) {
        CHECK(hed_nvrtc_target(nvrtc, architectures[i], target));
        if (strncmp(target, "sm_", 3) != 0) continue; /* an NVRTC older than the architecture */
        hed_kernel_def def = describe(&row_kernels[0]);
        hed_build build = {.def = &def,
            .entry = def.name,
            .math = HED_MATH_STRICT,
            .sources = def.sources,
            .source_count = 1};
        hed_binary binary = {0};
        OK(hed_nvrtc_compile(nvrtc, target, &build, &binary, &error));
        EXPECT(!strstr(binary.log, "warning"), "%s: %s", target, binary.log);
        for (int k = 0; k < ROW_KERNELS; k++) {
            hed_kernel_resources r = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
            hed_nvrtc_read_log(binary.log, row_kernels[k].name, &r);
            printf("%s %s: %lld registers\n", target, row_kernels[k].name, (long long)r.registers);
            EXPECT(r.registers > 0 && r.spill_bytes == 0 && r.stack_bytes == 0, "%s: %s", target,
                binary.log);
        }
        hed_release(&allocator, binary.bytes, binary.size);
        hed_release(&allocator, binary.log, binary.log_size);
    }
    hed_nvrtc_close(nvrtc);
}
