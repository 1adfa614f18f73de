/* ctest: devices */
/* The words of models in strict mode: the same bits on this device as in C, and as near to the
 * exact value as kernels/words.h says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "heddle/author.h"
#include "kernels/words.h"

TestSuite(mppi_words, .init = here_open, .fini = here_close);

extern const char hed_mppi_words_h[];

enum { ITEMS = 1 << 18, OUTPUTS = 10, ROUNDED = 1 << 20 };
static const char *const names[OUTPUTS] = {"reciprocal", "sqrt", "sine", "cosine", "exp", "log",
    "tanh", "atan2", "first normal", "second normal"};
static const char KERNELS[] =
    "__kernel void words(__global const float *in, __global float *out, uint n)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    float x = in[i], s, c;\n"
    "    out[i] = mppi_reciprocal(x);\n"
    "    out[n + i] = mppi_sqrt(x);\n"
    "    mppi_sin_cos(x, &s, &c);\n"
    "    out[2u * n + i] = s;\n"
    "    out[3u * n + i] = c;\n"
    "    out[4u * n + i] = mppi_exp(x);\n"
    "    out[5u * n + i] = mppi_log(x);\n"
    "    out[6u * n + i] = mppi_tanh(x);\n"
    "    out[7u * n + i] = mppi_atan2(x, in[n - 1u - i]);\n"
    "    mppi_normal_pair(hed_as_uint(x), hed_as_uint(in[n - 1u - i]), &s, &c);\n"
    "    out[8u * n + i] = s;\n"
    "    out[9u * n + i] = c;\n"
    "}\n"
    "__kernel void rounded(__global float *out, uint begin, uint n)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    out[i] = mppi_reciprocal(hed_as_float(begin + i));\n"
    "    out[n + i] = mppi_sqrt(hed_as_float(begin + i));\n"
    "}\n";
static const hed_argument_def words_arguments[] = {
    HED_IN(float, in), HED_OUT(float, out), HED_VALUE(uint, n)};
static const hed_argument_def rounded_arguments[] = {
    HED_OUT(float, out), HED_VALUE(uint, begin), HED_VALUE(uint, n)};

static hed_kernel *words_kernel(const char *entry, const hed_argument_def *arguments)
{
    static const hed_source sources[] = {
        {"words.h", hed_mppi_words_h, 0}, {"words.cl", KERNELS, 0}};
    static hed_kernel_def def;
    hed_error error = {0};
    hed_kernel *kernel;
    hed_kernel_options options = hed_default_kernel_options();
    options.math = HED_MATH_STRICT;
    def = (hed_kernel_def){.name = entry,
        .sources = sources,
        .source_count = 2,
        .arguments = arguments,
        .argument_count = 3};
    OK(hed_kernel_create(here.device, &def, &options, &kernel, &error));
    return kernel;
}

static hed_buffer *words_buffer(uint64_t floats)
{
    hed_error error = {0};
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(4 * floats);
    OK(hed_buffer_create(here.device, &def, &buffer, &error));
    return buffer;
}

/* In C, as kernels have them. */
static void words_of(float x, float y, float out[OUTPUTS])
{
    out[0] = mppi_reciprocal(x);
    out[1] = mppi_sqrt(x);
    mppi_sin_cos(x, &out[2], &out[3]);
    out[4] = mppi_exp(x);
    out[5] = mppi_log(x);
    out[6] = mppi_tanh(x);
    out[7] = mppi_atan2(x, y);
    mppi_normal_pair(hed_as_uint(x), hed_as_uint(y), &out[8], &out[9]);
}

/* What a model meets, what it does not, and every bit pattern. */
static float words_input(uint32_t i, uint32_t *state)
{
    static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.17549435e-38f,
        1.1754942e-38f, 8.50705917e37f, 8.50706019e37f, 3.40282347e38f, 1e-45f, 3.9443045e-31f,
        3.944304e-31f, 131072.0f, 131072.016f, 1.99999988f};
    *state = *state * 1664525u + 1013904223u;
    uint32_t bits = *state ^ *state >> 15;
    float unit = (float)(bits >> 8) * 0x1p-23f - 1.0f;
    if (i < HED_COUNT(special)) return special[i];
    return i % 4 == 0   ? hed_as_float(bits)
           : i % 4 == 1 ? unit * 6.5f
           : i % 4 == 2 ? unit * 1000.0f
                        : unit * unit * unit;
}

static bool words_agree(float a, float b) { return hed_canonical_bits(a) == hed_canonical_bits(b); }

Test(mppi_words, bits, .timeout = 240)
{
    static float in[ITEMS], out[OUTPUTS * ITEMS];
    const hed_device_info info = hed_device_describe(here.device);
    if (!strcmp(info.backend, "host") || !(info.capabilities & HED_CAN_STRICT)) return;
    hed_error error = {0};
    hed_stream *stream;
    hed_kernel *kernel = words_kernel("words", words_arguments);
    hed_buffer *input = words_buffer(ITEMS), *output = words_buffer(OUTPUTS * ITEMS);
    uint32_t state = 1;
    hed_geometry geometry = {0};
    OK(hed_stream_create(here.device, NULL, &stream, &error));
    for (uint32_t i = 0; i < ITEMS; i++) in[i] = words_input(i, &state);
    hed_write(stream, input, 0, in, sizeof in, &error);
    hed_geometry_1d(&geometry, ITEMS / 64, 64, 0, 0);
    hed_launch_over(stream, kernel, &geometry, HED_ARGS(input, output, (uint32_t)ITEMS), &error);
    hed_read(stream, out, output, 0, sizeof out, &error);
    OK(hed_stream_wait(stream, &error));
    for (uint32_t i = 0; i < ITEMS; i++) {
        float wanted[OUTPUTS];
        words_of(in[i], in[ITEMS - 1 - i], wanted);
        for (uint32_t k = 0; k < OUTPUTS; k++)
            CHECK(words_agree(out[k * ITEMS + i], wanted[k]), "%s of %a, %a: %a, wanted %a",
                names[k], (double)in[i], (double)in[ITEMS - 1 - i], (double)out[k * ITEMS + i],
                (double)wanted[k]);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(input);
    hed_buffer_destroy(output);
    hed_stream_destroy(stream);
}

/* Where there is a division without branches, every significand: a reciprocal depends on nothing
 * else, and a root on whether the exponent is odd. */
Test(mppi_words, reciprocals_and_roots_are_rounded, .timeout = 240)
{
    static float out[2 * ROUNDED];
    const hed_device_info info = hed_device_describe(here.device);
    if (strcmp(info.backend, "cuda")) return;
    hed_error error = {0};
    hed_stream *stream;
    hed_kernel *kernel = words_kernel("rounded", rounded_arguments);
    hed_buffer *output = words_buffer(2 * ROUNDED);
    hed_geometry geometry = {0};
    OK(hed_stream_create(here.device, NULL, &stream, &error));
    hed_geometry_1d(&geometry, ROUNDED / 64, 64, 0, 0);
    for (uint32_t begin = 0x3f800000u; begin < 0x40800000u; begin += ROUNDED) {
        hed_launch_over(
            stream, kernel, &geometry, HED_ARGS(output, begin, (uint32_t)ROUNDED), &error);
        hed_read(stream, out, output, 0, sizeof out, &error);
        OK(hed_stream_wait(stream, &error));
        for (uint32_t i = 0; i < ROUNDED; i++) {
            float x = hed_as_float(begin + i);
            CHECK(out[i] == 1.0f / x && out[ROUNDED + i] == sqrtf(x), "%a: %a, %a", (double)x,
                (double)out[i], (double)out[ROUNDED + i]);
        }
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(output);
    hed_stream_destroy(stream);
}

Test(mppi_words, accuracy)
{
    double worst[6] = {0};
    for (uint32_t i = 0; i < ITEMS; i++) {
        double x = (double)i / ITEMS * 60 - 30, s, c, turn;
        float out[OUTPUTS], y = (float)x;
        words_of(y, 1.0f, out);
        worst[0] = fmax(worst[0], fabs((double)out[2] - sin((double)y)));
        worst[1] = fmax(worst[1], fabs((double)out[3] - cos((double)y)));
        y = (float)(0.001 + x * x);
        worst[2] = fmax(worst[2], fabs(mppi_log(y) / log((double)y) - 1) * (fabs(y - 1) > 1e-3));
        worst[3] = fmax(worst[3], fabs(mppi_divide(3.0f, y) * (double)y / 3 - 1));
        uint32_t word = i * 32771u;
        turn = (double)(word & 0x7fffff) / 0x800000 - 0.5;
        s = sin(3.14159265358979 * turn), c = cos(3.14159265358979 * turn);
        if (word >> 31) s = -s, c = -c;
        mppi_normal_pair(0x123456u, word, &out[0], &out[1]);
        double radius = sqrt(-2 * log(1 - 0x123456 / 8388608.0));
        worst[4] = fmax(worst[4], fabs(out[0] - radius * c));
        worst[5] = fmax(worst[5], fabs(out[1] - radius * s));
    }
    EXPECT_LT(worst[0], 2e-7, "sine");
    EXPECT_LT(worst[1], 2e-7, "cosine");
    EXPECT_LT(worst[2], 4e-7, "logarithm");
    EXPECT_LT(worst[3], 2.4e-7, "division");
    EXPECT_LT(worst[4], 1e-6, "first normal");
    EXPECT_LT(worst[5], 1e-6, "second normal");
}

Test(mppi_words, a_table_that_is_no_grid_is_outside)
{
    /* width, height, centre, cells for each metre; NaN and infinity reach a solve by a table that
     * changes */
    static const float heads[][5] = {{NAN, 4, 0, 0, 1}, {4, NAN, 0, 0, 1}, {INFINITY, 4, 0, 0, 1},
        {4, INFINITY, 0, 0, 1}, {1e30f, 1e30f, 0, 0, 1}, {-3, 4, 0, 0, 1}, {1, 1, 0, 0, 1},
        {4, 3, 0, 0, 1}};
    for (size_t i = 0; i < HED_COUNT(heads); i++) {
        float table[MPPI_GRID_HEAD + 8] = {0};
        memcpy(table, heads[i], sizeof heads[i]);
        float value = mppi_grid_at(table, HED_COUNT(table), 1e9f, -1e9f, -7.0f);
        EXPECT_EQ(value, -7.0f, "head %zu", i);
    }
    float grid[MPPI_GRID_HEAD + 4] = {2, 2, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4};
    EXPECT_EQ(mppi_grid_at(grid, HED_COUNT(grid), 0.5f, 0.5f, -7.0f), 2.5f);
}
