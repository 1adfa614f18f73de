/* ctest: devices long */
/* The canonical kernels: what each computes by closed forms and invariants, then every kernel
 * against its native version. HEDDLE_TEST_CONFIGURATIONS=all runs every valid one; without it each
 * value of each parameter (on PoCL in one of the modes, unless HEDDLE_TEST_FULL is set), and a few
 * configurations from all over the large spaces. */
#include "fixture.h"

#include "core/objects.h"
#include "heddle/canonical.h"
#include "heddle/math.h"
#include "heddle/tree.h"
#include "cli/verify/conformance.h"
#include "engines/canonical/canonical_kernels.h"

static hed_error error;

TestSuite(canonical, .init = here_open, .fini = here_close);
TestSuite(conformance, .init = here_open, .fini = here_close);
static const hed_math modes[] = {HED_MATH_FAST, HED_MATH_STRICT};

/* ---- small help ---- */

static const hed_kernel_def *kernel_named(const char *name)
{
    const hed_kernel_def *def = hed_canonical_find(name);
    CHECK(def, "there is no canonical kernel \"%s\"", name);
    return def;
}

/* A buffer with these bytes; `data` NULL: with a pattern that no result has by chance. */
static hed_buffer *upload(test_device *t, const void *data, uint64_t bytes)
{
    static const uint32_t pattern = 0xffedcba9u; /* a NaN */
    hed_buffer_def def = hed_default_buffer_def(bytes);
    hed_buffer *buffer;
    OK(hed_buffer_create(t->device, &def, &buffer, &error));
    if (data) OK(hed_write(t->stream, buffer, 0, data, bytes, &error));
    else OK(hed_fill(t->stream, buffer, 0, bytes, &pattern, sizeof pattern, &error));
    OK(hed_stream_wait(t->stream, &error));
    return buffer;
}

/* Reads a buffer and destroys it. */
static void *take(test_device *t, hed_buffer *buffer)
{
    uint64_t bytes = hed_buffer_describe(buffer).size;
    void *data = malloc(bytes);
    OK(hed_read(t->stream, data, buffer, 0, bytes, &error));
    OK(hed_stream_wait(t->stream, &error));
    hed_buffer_destroy(buffer);
    return data;
}

static void run(test_device *t, const hed_kernel_def *def, hed_math math, hed_problem problem,
    const hed_argument *arguments)
{
    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel *kernel;
    options.math = math;
    OK(hed_kernel_create(t->device, def, &options, &kernel, &error));
    OK(hed_launch(t->stream, kernel, &problem, arguments, def->argument_count, &error));
    OK(hed_stream_wait(t->stream, &error));
    hed_kernel_destroy(kernel);
}

/* Whole numbers from 1 to 16, not in a simple order. */
static float *small_numbers(size_t count)
{
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) values[i] = (float)(1 + (i * 7 + i / 5) % 16);
    return values;
}

/* ---- the list ---- */

Test(canonical, descriptions)
{
    static const char *const wanted[] = {"copy", "saxpy", "transpose", "reduction", "scan",
        "scan_single", "convolution", "nbody", "matmul"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) kernel_named(wanted[i]);
    CHECK_NULL(hed_canonical_find("nothing"));
    for (uint32_t i = 0; i < hed_canonical_count(); i++) {
        const hed_kernel_def *def = hed_canonical_at(i);
        char name[64];
        snprintf(name, sizeof name, "%s.cl", def->name);
        CHECK_TEXT(
            def->sources[0].name, name, "%s has the text of %s", def->name, def->sources[0].name);
        CHECK_EQ(hed_canonical_find(def->name), def, "%s is there twice", def->name);
        CHECK((def->range || def->team) && def->geometry && def->work && def->sample.count > 3,
            "%s lacks a part", def->name);
        /* A text that stands alone is the default configuration. */
        const char *text = def->sources[0].text;
        for (uint32_t p = 0; p < def->parameter_count; p++) {
            char guard[128];
            snprintf(guard, sizeof guard, "#ifndef %s\n#define %s %lld\n#endif\n",
                def->parameters[p].name, def->parameters[p].name,
                (long long)def->parameters[p].value);
            EXPECT(strstr(text, guard), "%s does not hold\n%s", name, guard);
        }
    }
}

/* The mark says what the code does: no configuration gives a native function another share of the
 * work. */
Test(canonical, native_code_reads_no_parameter)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    for (uint32_t i = 0; i < hed_canonical_count(); i++) {
        const hed_kernel_def *def = hed_canonical_at(i);
        hed_config preferred = hed_config_default(def);
        for (uint32_t p = 0; p < def->sample.count; p++) {
            hed_space *space;
            hed_geometry usual = {0};
            OK(hed_space_create_for_kernel(
                host, def, &def->sample.problems[p], HED_MATH_FAST, &space, &error));
            EXPECT_EQ(hed_space_count(space), 1, "%s: %llu configurations on host", def->name,
                (unsigned long long)hed_space_count(space));
            hed_space_destroy(space);
            def->geometry(def, &preferred, &def->sample.problems[p], &usual);
            for (uint64_t c = 0; c < hed_config_count(def) && def->range; c += 7) {
                hed_config config = hed_config_at(def, c);
                if (!hed_kernel_valid(def, &config, NULL, host, HED_MATH_FAST, NULL, 0)) continue;
                hed_geometry other = {0};
                def->geometry(def, &config, &def->sample.problems[p], &other);
                CHECK(other.native_items == usual.native_items &&
                          other.native_grain == usual.native_grain,
                    "%s", def->name);
                CHECK_GT(other.native_items, 0);
            }
        }
    }
}

static uint64_t valid_count(hed_device *device, const hed_kernel_def *def, hed_math math)
{
    uint64_t valid = 0;
    for (uint64_t i = 0; i < hed_config_count(def); i++) {
        hed_config config = hed_config_at(def, i);
        valid += hed_kernel_valid(def, &config, NULL, device, math, NULL, 0);
    }
    return valid;
}

Test(canonical, spaces)
{
    for (uint32_t i = 0; i < hed_canonical_count(); i++) {
        const hed_kernel_def *def = hed_canonical_at(i);
        hed_config preferred = hed_config_default(def);
        for (int m = 0; m < 2; m++)
            EXPECT(hed_kernel_valid(def, &preferred, NULL, here.device, modes[m], NULL, 0),
                "%s: the default is not valid", def->name);
    }
    EXPECT_GE(valid_count(here.device, kernel_named("convolution"), HED_MATH_STRICT), 4000);
    EXPECT_GE(valid_count(here.device, kernel_named("matmul"), HED_MATH_STRICT), 4000);
    /* Another order of a sum is another result, so strict mode must refuse it. */
    static const char *const ordered[][2] = {
        {"reduction", "ORDER"}, {"scan", "MERGE"}, {"scan_single", "MERGE"}};
    for (int i = 0; i < 3; i++) {
        const hed_kernel_def *def = kernel_named(ordered[i][0]);
        hed_config config = hed_config_default(def);
        for (uint32_t p = 0; p < def->parameter_count; p++)
            if (!strcmp(def->parameters[p].name, ordered[i][1])) config.values[p] = 1;
        EXPECT(hed_kernel_valid(def, &config, NULL, here.device, HED_MATH_FAST, NULL, 0));
        EXPECT(!hed_kernel_valid(def, &config, NULL, here.device, HED_MATH_STRICT, NULL, 0),
            "%s: another order in strict", def->name);
    }
}

/* ---- copy, saxpy, transpose ---- */

Test(canonical, copy_and_saxpy)
{
    enum { N = 70001 };
    float *x = small_numbers(N);
    for (int m = 0; m < 2; m++) {
        hed_buffer *in = upload(&here, x, 4 * N), *out = upload(&here, NULL, 4 * N);
        hed_argument copy_arguments[] = {
            hed_buffer_argument(in), hed_buffer_argument(out), hed_uint_argument(N)};
        run(&here, kernel_named("copy"), modes[m], hed_problem_1d(N), copy_arguments);
        hed_argument saxpy_arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
            hed_float_argument(3.0f), hed_uint_argument(N)};
        run(&here, kernel_named("saxpy"), modes[m], hed_problem_1d(N), saxpy_arguments);
        float *y = take(&here, out);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(y[i], 4.0f * x[i], 0.0f, "x + 3 x is %g at %d", (double)y[i], i);
        free(y);
        hed_buffer_destroy(in);
    }
    free(x);
}

Test(canonical, transpose)
{
    enum { W = 203, H = 97 };
    uint32_t *in = malloc(4 * W * H);
    for (uint32_t i = 0; i < W * H; i++) in[i] = i;
    hed_buffer *a = upload(&here, in, 4 * W * H), *b = upload(&here, NULL, 4 * W * H),
               *c = upload(&here, NULL, 4 * W * H);
    hed_argument there[] = {
        hed_buffer_argument(a), hed_buffer_argument(b), hed_uint_argument(W), hed_uint_argument(H)};
    hed_argument back[] = {
        hed_buffer_argument(b), hed_buffer_argument(c), hed_uint_argument(H), hed_uint_argument(W)};
    run(&here, kernel_named("transpose"), HED_MATH_FAST, hed_problem_2d(W, H), there);
    run(&here, kernel_named("transpose"), HED_MATH_FAST, hed_problem_2d(H, W), back);
    uint32_t *once = take(&here, b), *twice = take(&here, c);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) CHECK_EQ(once[x * H + y], y * W + x);
    CHECK_EQ(memcmp(in, twice, 4 * W * H), 0, "transposed twice is not what it was");
    hed_buffer_destroy(a);
    free(once);
    free(twice);
    free(in);
}

/* ---- sums and prefix sums ---- */

static float sum_of(test_device *t, hed_canonical_chain *chain, hed_buffer *in, uint32_t n)
{
    hed_buffer *out = upload(t, NULL, 4);
    OK(hed_canonical_sum(chain, t->stream, in, n, out, &error));
    float *sum = take(t, out), value = *sum;
    free(sum);
    return value;
}

/* Sum and prefix sums of x; the last prefix is the sum. */
static float *scan_of(
    test_device *t, hed_canonical_chain *chain, const float *x, uint32_t n, bool strict)
{
    hed_buffer *in = upload(t, x, 4 * (uint64_t)n), *out = upload(t, NULL, 4 * (uint64_t)n + 4);
    OK(hed_canonical_scan(chain, t->stream, in, n, out, &error));
    float sum = sum_of(t, chain, in, n), *prefixes = take(t, out);
    hed_buffer_destroy(in);
    CHECK_EQ(hed_as_uint(prefixes[n]), 0xffedcba9u, "written behind the %u prefix sums", n);
    if (strict)
        CHECK_EQ(hed_as_uint(sum), hed_as_uint(prefixes[n - 1]), "%u: sum %a, last prefix %a", n,
            sum, prefixes[n - 1]);
    return prefixes;
}

Test(canonical, sums_of_whole_numbers)
{
    enum { MOST = 300000 };
    float *x = malloc(4 * MOST);
    for (int m = 0; m < 2; m++) {
        hed_canonical_chain *chain;
        OK(hed_canonical_chain_create(here.device, MOST, modes[m], &chain, &error));
        /* 1 + 2 + .. + n, exact in floats as far as 2^24. */
        static const uint32_t counts[] = {1, 2, 31, 1000, 4096, 4097, 5792};
        for (uint32_t i = 0; i < MOST; i++) x[i] = (float)(i + 1);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            float *prefixes = scan_of(&here, chain, x, counts[c], true);
            for (uint32_t i = 0; i < counts[c]; i++)
                CHECK_NEAR(prefixes[i], (float)((i + 1) * (i + 2) / 2), 0.0f,
                    "prefix %u of %u is %g", i, counts[c], prefixes[i]);
            free(prefixes);
        }
        for (uint32_t i = 0; i < MOST; i++) x[i] = 1.0f;
        float *prefixes = scan_of(&here, chain, x, MOST, true);
        for (uint32_t i = 0; i < MOST; i++)
            CHECK_NEAR(prefixes[i], (float)(i + 1), 0.0f, "prefix %u is %g", i, prefixes[i]);
        free(prefixes);
        hed_canonical_chain_destroy(chain);
    }
    free(x);
}

/* Strict: the bits of the rule in heddle/tree.h. Fast: near the sum in double. The size takes two
 * launches of scan_tree. */
Test(canonical, sums_of_fractions)
{
    enum { MOST = 4096 * 4096 + 4099 };
    static const uint32_t counts[] = {MOST, 300007, 777};
    float *x = malloc(4 * (size_t)MOST), *expected = malloc(4 * (size_t)MOST);
    for (uint32_t i = 0; i < MOST; i++) x[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f - 0.4f;
    for (int m = 0; m < 2; m++) {
        hed_canonical_chain *chain;
        OK(hed_canonical_chain_create(here.device, MOST, modes[m], &chain, &error));
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            uint32_t n = counts[c];
            bool strict = modes[m] == HED_MATH_STRICT;
            float *prefixes = scan_of(&here, chain, x, n, strict);
            if (strict) {
                hed_tree_scan(x, expected, n);
                for (uint32_t i = 0; i < n; i++)
                    CHECK_EQ(hed_as_uint(prefixes[i]), hed_as_uint(expected[i]),
                        "prefix %u of %u: %a, by the rule %a", i, n, prefixes[i], expected[i]);
            } else {
                double sum = 0.0;
                for (uint32_t i = 0; i < n; i++) {
                    sum += (double)x[i];
                    CHECK_NEAR((double)prefixes[i], sum, 1e-5 * (sum > 1.0 ? sum : 1.0),
                        "prefix %u of %u", i, n);
                }
            }
            free(prefixes);
        }
        hed_canonical_chain_destroy(chain);
    }
    free(x);
    free(expected);
}

/* One workspace through launches of all sizes and several configurations, with other content each
 * time: nothing that an earlier launch left there is taken for this one's. The INTEGER of the text:
 * sums that wrap. */
Test(canonical, single_pass_again_and_again)
{
    enum { MOST = 200003 };
    static const uint32_t counts[] = {MOST, 5, 70000, 1024, 199999, 1, 131072};
    static const int64_t tiles[][3] = {{128, 4, 8}, {128, 4, 2}, {256, 1, 4}}; /* WG, VEC, ROWS */
    static const hed_define integer = {"INTEGER", "1"};
    hed_kernel_def def = *kernel_named("scan_single");
    hed_argument_def words[4];
    memcpy(words, def.arguments, sizeof words);
    words[0].type = words[1].type = HED_UINT32;
    def.arguments = words;
    def.defines = &integer;
    hed_kernel *kernels[3];
    for (int k = 0; k < 3; k++) {
        hed_kernel_options options = hed_default_kernel_options();
        hed_config config = hed_config_default(&def);
        memcpy(config.values, tiles[k], sizeof tiles[k]);
        options.config = &config;
        OK(hed_kernel_create(here.device, &def, &options, &kernels[k], &error));
    }
    uint64_t bytes = def.sample.bytes(&def, &(hed_config){0}, &(hed_problem){1, {MOST}}, 2);
    uint32_t *x = malloc(4 * MOST), *zeros = calloc(bytes, 1);
    hed_buffer *workspace = upload(&here, zeros, bytes);
    for (uint32_t round = 0; round < 21; round++) {
        uint32_t n = counts[round % 7], sum = 0;
        for (uint32_t i = 0; i < n; i++) x[i] = (i + round) * 2654435761u;
        hed_buffer *in = upload(&here, x, 4 * (uint64_t)n),
                   *out = upload(&here, NULL, 4 * (uint64_t)n);
        hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
            hed_buffer_argument(workspace), hed_uint_argument(n)};
        hed_problem problem = hed_problem_1d(n);
        OK(hed_launch(here.stream, kernels[round / 3 % 3], &problem, arguments, 4, &error));
        uint32_t *prefixes = take(&here, out);
        for (uint32_t i = 0; i < n; i++)
            CHECK_EQ(prefixes[i], sum += x[i], "round %u: prefix %u of %u", round, i, n);
        free(prefixes);
        hed_buffer_destroy(in);
    }
    for (int k = 0; k < 3; k++) hed_kernel_destroy(kernels[k]);
    hed_buffer_destroy(workspace);
    free(x);
    free(zeros);
}

/* Tickets that have been through the 2^10 launches which they count: the launch's number goes
 * on. */
Test(canonical, single_pass_after_many_launches)
{
    enum { N = 3000 };
    const hed_kernel_def *def = kernel_named("scan_single");
    hed_kernel *kernel;
    OK(hed_kernel_create(here.device, def, NULL, &kernel, &error));
    uint64_t bytes = def->sample.bytes(def, &(hed_config){0}, &(hed_problem){1, {N}}, 2);
    unsigned char *zeros = calloc(bytes, 1);
    float *x = malloc(4 * N);
    for (int i = 0; i < N; i++) x[i] = 1.0f;
    hed_buffer *in = upload(&here, x, 4 * N), *out = upload(&here, NULL, 4 * N),
               *workspace = upload(&here, zeros, bytes);
    hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
        hed_buffer_argument(workspace), hed_uint_argument(N)};
    hed_problem problem = hed_problem_1d(N);
    for (int launch = 0; launch < 1100; launch++)
        OK(hed_launch(here.stream, kernel, &problem, arguments, 4, &error));
    float *prefixes = take(&here, out);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(prefixes[i], (float)(i + 1), 0.0f, "prefix %d: %g", i, prefixes[i]);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(in);
    uint32_t *left = take(&here, workspace);
    if (strcmp(hed_device_describe(here.device).backend, "host"))
        CHECK_EQ(left[4] & 0xffff, 1100, "%u launches were counted", left[4]);
    free(left);
    free(prefixes);
    free(x);
    free(zeros);
}

Test(canonical, chain_refuses)
{
    hed_canonical_chain *chain = NULL;
    FAILS(HED_ERROR_ARGUMENT,
        hed_canonical_chain_create(here.device, 0, HED_MATH_FAST, &chain, &error));
    OK(hed_canonical_chain_create(here.device, 5000, HED_MATH_FAST, &chain, &error));
    float *ones = small_numbers(5001);
    hed_buffer *in = upload(&here, ones, 4 * 5001), *small = upload(&here, NULL, 4 * 4999),
               *out = upload(&here, NULL, 4 * 5001);
    FAILS(HED_ERROR_BOUNDS, hed_canonical_scan(chain, here.stream, in, 5001, out, &error));
    FAILS(HED_ERROR_BOUNDS, hed_canonical_scan(chain, here.stream, in, 5000, small, &error));
    FAILS(HED_ERROR_BOUNDS, hed_canonical_sum(chain, here.stream, small, 5000, out, &error));
    OK(hed_canonical_scan(chain, here.stream, in, 0, out, &error));
    EXPECT_NEAR(sum_of(&here, chain, in, 0), 0.0f, 0.0f, "the sum of nothing");
    hed_canonical_chain_destroy(NULL);
    hed_canonical_chain_destroy(chain);
    hed_buffer_destroy(in);
    hed_buffer_destroy(small);
    hed_buffer_destroy(out);
    free(ones);
}

/* Every allocation of a chain may fail; nothing leaks, nothing crashes. */
Test(canonical, chain_without_memory)
{
    uint32_t refused = 0;
    for (int64_t fail_at = 1;; fail_at++) {
        test_allocator counter = {0};
        hed_context_def def = hed_default_context_def();
        def.allocator = test_allocator_of(&counter);
        test_device t = test_open(&def);
        hed_canonical_chain *chain;
        /* A first one: what the context makes when it is first needed, and keeps, is there. */
        OK(hed_canonical_chain_create(t.device, 10000, HED_MATH_FAST, &chain, &error));
        hed_canonical_chain_destroy(chain);
        int64_t live = counter.live;
        counter.fail_at = counter.calls + fail_at;
        hed_error_clear(&error);
        hed_status status =
            hed_canonical_chain_create(t.device, 10000, HED_MATH_FAST, &chain, &error);
        bool failed = counter.calls >= counter.fail_at;
        counter.fail_at = 0;
        if (status == HED_OK) hed_canonical_chain_destroy(chain);
        else
            CHECK(failed && error.status == status, "allocation %lld: %s", (long long)fail_at,
                error.text);
        if (status != HED_OK && !strcmp(hed_device_describe(t.device).backend, "host"))
            CHECK_EQ(counter.live, live, "allocation %lld leaks", (long long)fail_at);
        test_close(&t);
        CHECK_EQ(counter.live, 0, "allocation %lld leaks", (long long)fail_at);
        refused += status != HED_OK;
        if (!failed) break;
    }
    CHECK_GT(refused, 3);
}

/* ---- convolution ---- */

enum { IMAGE_W = 211, IMAGE_H = 75, FILTER_SIDE = 17 };

static float *blur(test_device *t, hed_math math, const float *image, const float *filter)
{
    hed_buffer *in = upload(t, image, 4 * IMAGE_W * IMAGE_H),
               *out = upload(t, NULL, 4 * IMAGE_W * IMAGE_H),
               *weights = upload(t, filter, 4 * FILTER_SIDE * FILTER_SIDE);
    hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
        hed_buffer_argument(weights), hed_uint_argument(IMAGE_W), hed_uint_argument(IMAGE_H),
        hed_local_argument(), hed_local_argument()};
    run(t, kernel_named("convolution"), math, hed_problem_2d(IMAGE_W, IMAGE_H), arguments);
    hed_buffer_destroy(in);
    hed_buffer_destroy(weights);
    return take(t, out);
}

static int within(int i, int size) { return i < 0 ? 0 : i < size ? i : size - 1; }

Test(canonical, convolution)
{
    float *image = small_numbers(IMAGE_W * IMAGE_H), *constant = malloc(4 * IMAGE_W * IMAGE_H);
    for (int i = 0; i < IMAGE_W * IMAGE_H; i++) constant[i] = 5.0f;
    for (int m = 0; m < 2; m++) {
        /* Weights that add up to 1 exactly leave a constant image as it is, at its borders too. */
        float filter[FILTER_SIDE * FILTER_SIDE] = {0};
        for (int i = 0; i < 256; i++) filter[i] = 1.0f / 256.0f;
        float *out = blur(&here, modes[m], constant, filter);
        for (int i = 0; i < IMAGE_W * IMAGE_H; i++)
            CHECK_NEAR(out[i], 5.0f, 0.0f, "constant image: %g at %d", (double)out[i], i);
        free(out);
        /* One weight moves the image, its border repeated. */
        memset(filter, 0, sizeof filter);
        filter[3 * FILTER_SIDE + 14] = 2.0f;
        out = blur(&here, modes[m], image, filter);
        for (int y = 0; y < IMAGE_H; y++)
            for (int x = 0; x < IMAGE_W; x++) {
                float moved =
                    2.0f *
                    image[within(y + 3 - 8, IMAGE_H) * IMAGE_W + within(x + 14 - 8, IMAGE_W)];
                CHECK_NEAR(out[y * IMAGE_W + x], moved, 0.0f,
                    "moved image: %g, not %g, at (%d, %d)", (double)out[y * IMAGE_W + x],
                    (double)moved, x, y);
            }
        free(out);
    }
    free(image);
    free(constant);
}

/* Another filter is a copy of the description with other defines. */
Test(canonical, convolution_with_own_filter_size)
{
    hed_kernel_def small = *kernel_named("convolution");
    static const hed_define defines[] = {{"FILTER_W", "3"}, {"FILTER_H", "1"}};
    small.defines = defines;
    static const float filter[] = {1.0f, 2.0f, 4.0f}, image[] = {1.0f, 10.0f, 100.0f, 1000.0f},
                       expected[] = {43.0f, 421.0f, 4210.0f, 6100.0f};
    hed_buffer *in = upload(&here, image, sizeof image), *out = upload(&here, NULL, sizeof image),
               *weights = upload(&here, filter, sizeof filter);
    hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
        hed_buffer_argument(weights), hed_uint_argument(4), hed_uint_argument(1),
        hed_local_argument(), hed_local_argument()};
    run(&here, &small, HED_MATH_FAST, hed_problem_2d(4, 1), arguments);
    float *made = take(&here, out);
    for (int i = 0; i < 4; i++)
        EXPECT_NEAR(made[i], expected[i], 0.0f, "%g, not %g", (double)made[i], (double)expected[i]);
    free(made);
    hed_buffer_destroy(in);
    hed_buffer_destroy(weights);
}

/* ---- n-body ---- */

static float *accelerations_of(
    test_device *t, hed_math math, const float *bodies, uint32_t n, float softening)
{
    hed_buffer *in = upload(t, bodies, 16 * (uint64_t)n), *out = upload(t, NULL, 16 * (uint64_t)n);
    hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
        hed_float_argument(softening), hed_uint_argument(n)};
    run(t, kernel_named("nbody"), math, hed_problem_1d(n), arguments);
    hed_buffer_destroy(in);
    return take(t, out);
}

Test(canonical, nbody)
{
    enum { N = 1013 };
    float *bodies = malloc(16 * N);
    for (uint32_t i = 0; i < 4 * N; i++)
        bodies[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f + (i % 4 == 3 ? 0.1f : -0.5f);
    for (int m = 0; m < 2; m++) {
        /* Two bodies 3 apart, softened by 4^2: the distance is 5, and 5^3 is 125. */
        static const float two[] = {1.0f, 2.0f, 3.0f, 125.0f, 4.0f, 2.0f, 3.0f, 250.0f};
        float *a = accelerations_of(&here, modes[m], two, 2, 16.0f);
        static const float expected[] = {6.0f, 0.0f, 0.0f, 0.0f, -3.0f, 0.0f, 0.0f, 0.0f};
        for (int i = 0; i < 8; i++)
            EXPECT_NEAR((double)a[i], (double)expected[i], 1e-5, "two bodies: %g, not %g",
                (double)a[i], (double)expected[i]);
        free(a);
        /* Forces come in pairs: the momentum of all stays. */
        a = accelerations_of(&here, modes[m], bodies, N, 0.01f);
        for (int axis = 0; axis < 3; axis++) {
            double force = 0.0, size = 0.0;
            for (int i = 0; i < N; i++) {
                force += (double)bodies[4 * i + 3] * (double)a[4 * i + axis];
                size += (double)bodies[4 * i + 3] * fabs((double)a[4 * i + axis]);
            }
            EXPECT(size > 1.0 && fabs(force) < 1e-5 * size, "momentum along %d grows by %g of %g",
                axis, force, size);
        }
        free(a);
    }
    free(bodies);
}

/* ---- matrix product ---- */

static float *product(test_device *t, hed_math math, const float *a, const float *b, uint32_t m,
    uint32_t n, uint32_t k)
{
    hed_buffer *left = upload(t, a, 4 * (uint64_t)m * k),
               *right = upload(t, b, 4 * (uint64_t)k * n),
               *out = upload(t, NULL, 4 * (uint64_t)m * n);
    hed_argument arguments[] = {hed_buffer_argument(left), hed_buffer_argument(right),
        hed_buffer_argument(out), hed_uint_argument(m), hed_uint_argument(n), hed_uint_argument(k)};
    run(t, kernel_named("matmul"), math, hed_problem_3d(m, n, k), arguments);
    hed_buffer_destroy(left);
    hed_buffer_destroy(right);
    return take(t, out);
}

Test(canonical, matmul)
{
    static const uint32_t shapes[][3] = {{1, 1, 1}, {139, 53, 53}, {53, 139, 71}, {200, 132, 260}};
    for (int mode = 0; mode < 2; mode++)
        for (int s = 0; s < 4; s++) {
            uint32_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
            float *a = small_numbers(m * k), *b = small_numbers(k * n),
                  *identity = calloc((size_t)k * k, 4);
            for (uint32_t i = 0; i < k; i++) identity[i * k + i] = 1.0f;
            float *same = product(&here, modes[mode], a, identity, m, k, k);
            CHECK_EQ(memcmp(same, a, 4 * (size_t)m * k), 0,
                "A times the identity is not A, %u x %u", m, k);
            free(same);
            /* Whole numbers below 2^24: exact in any order. */
            float *c = product(&here, modes[mode], a, b, m, n, k);
            for (uint32_t y = 0; y < m; y++)
                for (uint32_t x = 0; x < n; x++) {
                    float sum = 0.0f;
                    for (uint32_t i = 0; i < k; i++) sum += a[y * k + i] * b[i * n + x];
                    CHECK_NEAR(c[y * n + x], sum, 0.0f, "%u x %u x %u at (%u, %u): %g, not %g", m,
                        n, k, y, x, (double)c[y * n + x], (double)sum);
                }
            free(c);
            free(identity);
            free(b);
            free(a);
        }
}

/* ---- conformance ---- */

/* of one kernel's conformance where not everything is run */
static const uint64_t QUICK_NS = 40000000000;

static bool full_run(void)
{
    const char *which = getenv("HEDDLE_TEST_CONFIGURATIONS");
    return which && strcmp(which, "all") == 0;
}

typedef struct watch {
    uint64_t end, told, passed, least; /* so many have to pass, however long they take */
} watch;

static void report_run(void *user, const hed_conformance_run *done)
{
    watch *w = user;
    w->passed += done->verdict == HED_VERDICT_PASSED;
    if (done->verdict != HED_VERDICT_FAILED || ++w->told > 10) return;
    char config[256];
    hed_config_format(done->def, done->config, config, sizeof config);
    fprintf(stderr, "%s, %s, [%s], sizes %lld %lld %lld: %s\n", done->def->name,
        done->math == HED_MATH_STRICT ? "strict" : "fast", config,
        (long long)done->problem->sizes[0], (long long)done->problem->sizes[1],
        (long long)done->problem->sizes[2], done->text);
}

static bool time_is_over(void *user)
{
    const watch *w = user;
    return w->passed >= w->least && hed_now() > w->end;
}

static hed_conformance_report conform(
    test_device *t, const hed_kernel_def *def, hed_coverage coverage, uint64_t end)
{
    watch w = {.end = end, .least = def->sample.count};
    hed_device *host;
    OK(hed_device_find(t->context, "host", &host, &error));
    hed_conformance_def wanted = {.device = t->device, .reference = host, .kernel = def,
        .coverage = coverage, .seed = 7, .each = report_run, .stop = time_is_over, .user = &w,
        .modes_in_turn = t->device->compiles_at_launch && !full_run() && !getenv("HEDDLE_TEST_FULL")};
    hed_conformance_report report;
    OK(hed_conformance(&wanted, &report, &error));
    EXPECT_EQ(
        report.failed, 0, "%s: %llu runs failed", def->name, (unsigned long long)report.failed);
    return report;
}

static void conform_by_values(const char *name)
{
    uint64_t end = full_run() ? UINT64_MAX : hed_now() + QUICK_NS;
    hed_conformance_report report =
        conform(&here, kernel_named(name), full_run() ? HED_COVER_ALL : HED_COVER_VALUES, end);
    EXPECT_GE(report.passed, kernel_named(name)->sample.count, "%s: only %llu runs", name,
        (unsigned long long)report.passed);
    printf("%s: %llu runs passed, %llu not valid here%s\n", name, (unsigned long long)report.passed,
        (unsigned long long)report.invalid, report.stopped ? ", then the time was over" : "");
}

#define CONFORMS(name) \
    Test(conformance, name) { conform_by_values(#name); }
HED_CANONICAL_KERNELS(CONFORMS)

/* Valid configurations far from each other and from the default, each made the default of a copy of
 * the description. */
static void conform_here_and_there(const char *name)
{
    if (full_run()) test_skip("all configurations are run elsewhere");
    hed_kernel_def def = *kernel_named(name);
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    memcpy(parameters, def.parameters, def.parameter_count * sizeof *parameters);
    def.parameters = parameters;
    uint64_t count = hed_config_count(&def), configs = 0,
             enough = getenv("HEDDLE_TEST_FULL")        ? 40
                      : here.device->compiles_at_launch ? 2
                                                        : 8;
    /* Steps of the golden section of the product: never near to one taken before. */
    for (uint64_t step = 1; configs < enough && step <= 1000; step++) {
        hed_config config = hed_config_at(
            &def, (uint64_t)((double)count * fmod((double)step * 0.6180339887498949, 1.0)));
        if (!hed_kernel_valid(&def, &config, NULL, here.device, HED_MATH_FAST, NULL, 0)) continue;
        for (uint32_t p = 0; p < def.parameter_count; p++) parameters[p].value = config.values[p];
        configs += conform(&here, &def, HED_COVER_DEFAULT, UINT64_MAX).passed > 0;
    }
    printf("%s: %llu configurations from all over its space\n", name, (unsigned long long)configs);
    EXPECT_GT(configs, 0);
}

Test(conformance, convolution_here_and_there) { conform_here_and_there("convolution"); }
Test(conformance, matmul_here_and_there) { conform_here_and_there("matmul"); }
