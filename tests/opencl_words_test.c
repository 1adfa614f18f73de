/* ctest: devices */
/* OpenCL C as it is written elsewhere (HED_OPENCL_TEXT): vectors of 8 and 16 of every type, all
 * names of their elements, literals, and the common, geometric, integer, relational and math
 * functions. One text runs on every device and must give what OpenCL C 1.2 says; without a device
 * NVRTC compiles it. A matrix product as libraries write it (vectors of any width by typedefs,
 * macros for everything, local memory by macros) and a reduction whose results are as many as its
 * groups, are tuned through their tune files. */
#include "folder.h"
#include "testing.h"

#include <math.h>

#include "backends/cuda/nvrtc.h"
#include "core/program.h"
#include "heddle/tune_file.h"

static hed_error error;

TestSuite(opencl_words, .init = folder_make, .fini = folder_remove);

/* Every line is one value of `y`, or of `z`. */
static const struct {
    const char *expression;
    double value;
} REALS[] = {
    {"((float8)(1, 2, 3, 4, 5, 6, 7, 8)).s6", 7},
    {"((float16)(v8, v8 * 2.0f)).sE", 14},
    {"((float16)(v8, v8 * 2.0f)).sf", 16},
    {"((float8)(v4, 5, 6, 7, 8)).lo.w", 4},
    {"((float8)(v4, 5, 6, 7, 8)).hi.y", 6},
    {"v4.s2 + v4.xy.y + v4.zw.x + v4.lo.s1 + v4.hi.s0", 3 + 2 + 3 + 2 + 3},
    {"((float4)(2)).w + ((float3)(v4.lo, 9)).z", 11},
    {"dot(v4, v4)", 30},
    {"dot(v4.xy, v4.zw)", 11},
    {"dot((float3)(1, 2, 3), (float3)(4, 5, 6))", 32},
    {"cross((float3)(1, 0, 0), (float3)(0, 1, 0)).z", 1},
    {"length((float2)(3, 4)) + distance((float2)(1, 1), (float2)(4, 5))", 10},
    {"normalize((float2)(3, 4)).y * 5", 4},
    {"clamp(v8, 2.0f, 4.0f).s7 + clamp(v4, (float4)(2), (float4)(3)).x", 6},
    {"mix(v4, v4 * 3.0f, 0.5f).w + mix(v4, v4 + 1.0f, (float4)(0.25f)).x", 8 + 1.25},
    {"step(2.0f, v4).y + step((float4)(2), v4).x + step(1.0f, 0.5f)", 1},
    {"smoothstep(0.0f, 4.0f, v4).y + smoothstep(0.0f, 1.0f, 0.5f)", 1},
    {"degrees(3.14159265f) + radians(180.0f)", 180 + 3.14159265},
    {"sign((float2)(-3, 0)).x + sign(2.0f)", 0},
    {"max(v8, 5.0f).s0 + min(v8, (float8)(3)).s7 + fmax(v4, 2.5f).x + fmin(v4.x, 0.5f)",
        5 + 3 + 2.5 + 0.5},
    {"fma(v4, v4, v4).w + mad(v8, v8, v8).s7", 20 + 72},
    {"floor((float4)(1.5f)).x + ceil((float4)(1.5f)).y + rint((float2)(2.5f)).x + trunc((float2)(-1.5f)).x + round((float2)(2.5f)).y",
        1 + 2 + 2 - 1 + 3},
    {"sqrt((float8)(9)).s5 + cbrt((float2)(27)).x + rsqrt((float2)(0.25f)).y", 8},
    {"exp2((float4)(3)).x + log2((float4)(8)).y + pow((float2)(2), (float2)(5)).x + pown((float2)(2), 3).y + rootn((float2)(27), 3).x + exp10(2.0f)",
        8 + 3 + 32 + 8 + 3 + 100},
    {"ldexp((float2)(3), 2).x + hypot((float2)(3), (float2)(4)).y + fmod((float2)(7), (float2)(4)).x + fdim(5.0f, 3.0f)",
        12 + 5 + 3 + 2},
    {"fract((float2)(2.25f), &p2).x + p2.y + fract(1.5f, &p1) + p1", 0.25 + 2 + 0.5 + 1},
    {"sincos((float2)(0), &p2).x + p2.y", 1},
    {"maxmag(-3.0f, 2.0f) + minmag(-3.0f, 2.0f)", -1},
    {"native_divide(6.0f, 4.0f) + native_recip((float2)(4)).x + native_sqrt(16.0f) + native_exp2(2.0f)",
        1.5 + 0.25 + 4 + 4},
    {"select(v4, v4 * 10.0f, v4 > 2.0f).z + select(1.0f, 2.0f, 0)", 30 + 1},
    {"convert_float4((int4)(1, 2, 3, 4)).z + convert_float8((uchar8)(200)).s3", 203},
    {"vload8(1, x).s1 + vload16(0, x).sA + vload3(1, x).y + vload2(3, x).x", 9 + 10 + 4 + 6},
    {"as_float(as_int(1.5f)) + as_float4(as_uint4(v4)).y + as_float2((ulong)0x4000000040400000UL).x",
        1.5 + 2 + 3},
    {"isequal(1.0f, 1.0f) + any(v4 > 3.0f) + all(v4 > 0.0f) + any(v4 > 9.0f) + (isnan((float2)(0)).x ? 5 : 0)",
        3},
    {"isordered(1.0f, 2.0f) * 5 + isunordered(1.0f, 2.0f) + all(isordered(v4, v4)) + any(isunordered(v4, v4))",
        6},
    {"sum16.s0 + sum16.sF + plus.s3", 0 + 15 + 10},
    {"(v4 *= 2.0f, v4 += (float4)(1), v4.w)", 9},
    {"vload_half4(0, h).z", 3},
    {"MACRO_LITERAL.w + SPLAT(3).y", 7},
    {"(float)(a) + (float)vector", 5 + 4},
};
static const struct {
    const char *expression;
    long value;
} WHOLES[] = {
    {"((int8)(1, 2, 3, 4, 5, 6, 7, 8) << 2).s7", 32},
    {"((uint16)(7) % 4u).sC", 3},
    {"((short4)(5) & (short4)(4)).x + (~(char4)(0)).y", 3},
    {"((int4)(1, 2, 3, 4) > 2).z + ((int4)(1, 2, 3, 4) == (int4)(1)).x", -2},
    {"(!(int2)(0, 3)).x", -1},
    {"add_sat((char)100, (char)100) + add_sat(i, 2147483647) % 1000 + sub_sat((uchar)3, (uchar)5)",
        127 + 647},
    {"sub_sat((int4)(-2147483647), (int4)(100)).x / 1000", -2147483},
    {"hadd((uchar)255, (uchar)253) + rhadd((uchar)254, (uchar)255)", 254 + 255},
    {"abs((int4)(-5)).x + abs((short)-7) + abs_diff(3u, 10u) + abs_diff((char)-100, (char)100)",
        5 + 7 + 7 + 200},
    {"clz((ushort)1) + clz((uint4)(256)).x + clz((ulong)1)", 15 + 23 + 63},
    {"popcount((uchar)255) + popcount((ulong4)(7)).y + popcount((short)-1)", 8 + 3 + 16},
    {"rotate((uchar)0x81, (uchar)1) + rotate((uint4)(0x80000000u), (uint4)(1)).z + rotate((ulong)1, (ulong)3)",
        3 + 1 + 8},
    {"mul_hi((short)1000, (short)1000) + mul_hi((uint2)(0x80000000u), (uint2)(6)).x + mul_hi((long)1 << 62, (long)8)",
        15 + 3 + 2},
    {"mad_hi(1 << 30, 8, 5) + mad_sat((uchar)20, (uchar)20, (uchar)9) + mad24(3, 4, 5) + mul24(3u, 4u)",
        7 + 255 + 17 + 12},
    {"upsample((uchar)1, (uchar)2) + (int)(upsample(1u, 2u) >> 32)", 258 + 1},
    {"bitselect((int4)(0xf0), (int4)(0x0f), (int4)(0x03)).x", 0xf0 + 3},
    {"convert_uchar_sat(300) + convert_char4_sat((int4)(-1000)).x + convert_int_rte(2.5f) + convert_uint_sat(-3.0f)",
        255 - 128 + 2},
    {"convert_short8((int8)(70000)).s2 + convert_int4_rtz((float4)(2.9f)).w", 70000 - 65536 + 2},
    {"as_uint(1.0f) >> 23", 127},
    {"as_char4(0x04030201).y + as_ushort2((uint)0x00020001u).y", 4},
    {"max((long4)(5), (long4)(3)).x + min((uchar4)(9), (uchar)4).y + clamp((short)9, (short)1, (short)4)",
        5 + 4 + 4},
    {"CHAR_BIT + SHRT_MAX / 1000 + UCHAR_MAX + (int)(LONG_MAX >> 60)", 8 + 32 + 255 + 7},
    {"(int)sizeof(float3) + (int)sizeof(char16) + (int)sizeof(double8)", 16 + 16 + 64},
    {"__OPENCL_VERSION__ >= CL_VERSION_1_1", 1},
    {"select((int2)(1), (int2)(2), (int2)(-1, 0)).x * 10 + select((int2)(1), (int2)(2), (int2)(-1, 0)).y",
        21},
};
enum { REAL_COUNT = sizeof REALS / sizeof *REALS, WHOLE_COUNT = sizeof WHOLES / sizeof *WHOLES };

/* Parameters are called as the prelude calls its own variables. */
static void write_words(void)
{
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text,
        "#define MACRO_LITERAL (float4)(1, 2, 3, 4)\n#define SPLAT(s) (float4)(s)\n"
        "typedef float16 wide;\n"
        "wide ramp(void) { wide r; r.s0 = 0; r.sF = 15; return r; }\n"
        "kernel void words(global float *y, global int *z, global const float *x, global half *h)\n{\n"
        "    float8 v8 = (float8)(1, 2, 3, 4, 5, 6, 7, 8);\n    float4 v4 = v8.lo;\n    float2 p2;\n    float p1;\n    int i = 5, at = 0;\n"
        "    wide sum16 = ramp();\n    int8 plus = convert_int8(v8);\n    ++plus; plus++; plus += plus; plus -= 2;\n"
        "    __local float8 tile[16];\n    tile[get_local_id(0)] = v8;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    vstore_half4((float4)(1, 2, 3, 4), 0, h);\n    vstore8(tile[0], 1, y + 100);\n");
    for (int i = 0; i < REAL_COUNT; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "    y[%d] = %s;\n", i, REALS[i].expression);
    for (int i = 0; i < WHOLE_COUNT; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "    z[%d] = %s;\n", i, WHOLES[i].expression);
    snprintf(text + used, sizeof text - used, "    z[99] = at + i;\n}\n");
    write_file(in_folder("words.cl"), text, strlen(text));
    static const char file[] =
        "{\"kernel\": \"words\", \"source\": \"words.cl\", \"group\": [1], \"global\": [1], \"parameters\": {\"a\": [5], \"vector\": [4], \"p\": [1], \"T\": [2]},"
        "\"arguments\": [{\"name\": \"y\", \"type\": \"float\", \"access\": \"read_write\", \"size\": 128, \"fill\": \"zeros\"},"
        "{\"name\": \"z\", \"type\": \"int\", \"access\": \"read_write\", \"size\": 128, \"fill\": \"zeros\"},"
        "{\"name\": \"x\", \"type\": \"float\", \"size\": 128, \"fill\": {\"sequence\": [0, 1]}},"
        "{\"name\": \"h\", \"type\": \"bytes\", \"access\": \"read_write\", \"size\": 64, \"fill\": \"zeros\"}]}";
    write_file(in_folder("words.json"), file, strlen(file));
}

Test(opencl_words, every_word)
{
    test_device d = test_open(NULL);
    const hed_device_info info = hed_device_describe(d.device);
    hed_tune_file *spec;
    if (!(info.capabilities & HED_CAN_SOURCE)) {
        test_close(&d);
        test_skip("the device compiles nothing");
    }
    write_words();
    OK(hed_tune_file_open(in_folder("words.json"), &info, &spec, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    hed_kernel *kernel;
    hed_status status = hed_kernel_create(d.device, def, NULL, &kernel, &error);
    CHECK(status == HED_OK, "%s\n%s", error.text, error.log);
    hed_buffer *buffers[4];
    hed_argument arguments[4];
    for (int i = 0; i < 4; i++) {
        hed_buffer_def buffer = hed_default_buffer_def(tune.arguments[i].bytes);
        OK(hed_buffer_create(d.device, &buffer, &buffers[i], &error));
        OK(hed_write(
            d.stream, buffers[i], 0, tune.arguments[i].data, tune.arguments[i].bytes, &error));
        arguments[i] = hed_buffer_argument(buffers[i]);
    }
    float y[128];
    int z[128];
    OK(hed_launch(d.stream, kernel, tune.problem, arguments, 4, &error));
    OK(hed_read(d.stream, y, buffers[0], 0, sizeof y, &error));
    OK(hed_read(d.stream, z, buffers[1], 0, sizeof z, &error));
    OK(hed_stream_wait(d.stream, &error));
    for (int i = 0; i < REAL_COUNT; i++)
        EXPECT(fabs((double)y[i] - REALS[i].value) <= 2e-4 * fmax(1, fabs(REALS[i].value)),
            "%s is %g, not %g", REALS[i].expression, y[i], REALS[i].value);
    for (int i = 0; i < WHOLE_COUNT; i++)
        EXPECT(z[i] == WHOLES[i].value, "%s is %d, not %ld", WHOLES[i].expression, z[i],
            WHOLES[i].value);
    for (int i = 0; i < 8; i++) EXPECT(y[108 + i] == (float)(i + 1));
    hed_kernel_destroy(kernel);
    for (int i = 0; i < 4; i++) hed_buffer_destroy(buffers[i]);
    hed_tune_file_close(spec);
    test_close(&d);
}

/* ---- kernels as libraries write them ---- */

/* A product of matrices with a vector's width for loads of both, by typedefs, and macros for
 * everything that differs; group sizes by an attribute; local memory by a macro. */
static const char PRODUCT[] =
    "#if WIDTH == 64\n#pragma OPENCL EXTENSION cl_khr_fp64: enable\n#endif\n"
    "typedef float real;\ntypedef float2 real2;\ntypedef float4 real4;\ntypedef float8 real8;\ntypedef float16 real16;\n"
    "#define LOCAL_PTR __local\n#define INLINE_FUNC inline\n#define SetToZero(a) a = 0.0f\n"
    "#if VW == 1\n typedef real realV;\n#elif VW == 2\n typedef real2 realV;\n#elif VW == 4\n typedef real4 realV;\n"
    "#elif VW == 8\n typedef real8 realV;\n#elif VW == 16\n typedef real16 realV;\n#endif\n"
    "INLINE_FUNC realV zero() {\n  realV r;\n"
    "#if VW == 1\n  SetToZero(r);\n#elif VW == 2\n  SetToZero(r.x);\n  SetToZero(r.y);\n#elif VW == 4\n"
    "  SetToZero(r.x); SetToZero(r.y); SetToZero(r.z); SetToZero(r.w);\n"
    "#else\n  SetToZero(r.s0); SetToZero(r.s1); SetToZero(r.s2); SetToZero(r.s3);\n"
    "  SetToZero(r.s4); SetToZero(r.s5); SetToZero(r.s6); SetToZero(r.s7);\n"
    "#if VW == 16\n  SetToZero(r.s8); SetToZero(r.s9); SetToZero(r.sA); SetToZero(r.sB);\n"
    "  SetToZero(r.sC); SetToZero(r.sD); SetToZero(r.sE); SetToZero(r.sF);\n#endif\n#endif\n  return r;\n}\n"
    "INLINE_FUNC realV multiply_add(realV c, const realV a, const real b) {\n"
    "  c += a * b;\n  return c;\n}\n"
    "INLINE_FUNC void load_tile(const __global realV* restrict agm, LOCAL_PTR realV* alm, const int m, const int tid, const int k0) {\n"
    "  #pragma unroll\n  for (int _k = 0; _k < KWG; _k += 1) alm[_k * MDIM + tid] = agm[(k0 + _k) * (m / VW) + tid + (int)get_group_id(0) * MDIM];\n}\n"
    "__attribute__((reqd_work_group_size(MDIM, 1, 1)))\n__kernel\n"
    "void product(const int m, const int n, const int k, const real alpha,\n"
    "             const __global realV* restrict agm, const __global real* restrict bgm, __global realV* cgm) {\n"
    "  volatile int tid = get_local_id(0);\n"
    "  #if SA == 1\n    __local realV alm[KWG * MDIM];\n  #endif\n"
    "  const int column = get_global_id(1);\n"
    "  realV acc[1];\n  acc[0] = zero();\n"
    "  for (int k0 = 0; k0 < k; k0 += KWG) {\n"
    "    #if SA == 1\n      load_tile(agm, alm, m, tid, k0);\n      barrier(CLK_LOCAL_MEM_FENCE);\n    #endif\n"
    "    for (int _k = 0; _k < KWG; _k += 1) {\n"
    "      #if SA == 1\n        const realV aval = alm[_k * MDIM + tid];\n"
    "      #else\n        const realV aval = agm[(k0 + _k) * (m / VW) + tid + (int)get_group_id(0) * MDIM];\n      #endif\n"
    "      acc[0] = multiply_add(acc[0], aval, bgm[(k0 + _k) * n + column]);\n    }\n"
    "    #if SA == 1\n      barrier(CLK_LOCAL_MEM_FENCE);\n    #endif\n  }\n"
    "  cgm[column * (m / VW) + tid + (int)get_group_id(0) * MDIM] = acc[0] * alpha;\n}\n";
static const char PRODUCT_FILE[] =
    "{\"kernel\": \"product\", \"source\": \"product.cl\", \"problem\": {\"m\": 128, \"n\": 32, \"k\": 64},"
    "\"parameters\": {\"VW\": [1, 2, 4, 8, 16], \"MDIM\": [8, 16], \"KWG\": [4, 16], \"SA\": [0, 1]},"
    "\"group\": [\"MDIM\", 1], \"global\": [\"m / VW\", \"n\"], \"constraints\": [\"m % (VW * MDIM) == 0\"],"
    "\"arguments\": [{\"name\": \"m\", \"type\": \"int\", \"value\": \"m\"}, {\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"},"
    "{\"name\": \"k\", \"type\": \"int\", \"value\": \"k\"}, {\"name\": \"alpha\", \"type\": \"float\", \"value\": 2},"
    "{\"name\": \"agm\", \"type\": \"float\", \"size\": \"m * k\", \"fill\": {\"uniform\": [-1, 1]}},"
    "{\"name\": \"bgm\", \"type\": \"float\", \"size\": \"n * k\", \"fill\": {\"uniform\": [-1, 1], \"seed\": 2}},"
    "{\"name\": \"cgm\", \"type\": \"float\", \"access\": \"write\", \"size\": \"m * n\"}]}";

/* Sums of parts, as many as there are groups; the order in which the last kernel of such a chain
 * takes them is nobody's. */
static const char SUMS[] =
    "#if (vector == 1)\n#define floatvector float\n#elif (vector == 2)\n#define floatvector float2\n#elif (vector == 4)\n#define floatvector float4\n"
    "#elif (vector == 8)\n#define floatvector float8\n#endif\n"
    "__kernel void sum_parts(__global float *sums, __global floatvector *array, int n) {\n"
    "    int ti = get_local_id(0);\n    float sum = 0.0f;\n"
    "    for (int i = get_group_id(0) * block_size_x + ti; i < n / vector; i += num_blocks * block_size_x) {\n"
    "        floatvector v = array[i];\n"
    "        #if vector == 1\n        sum += v;\n        #elif vector < 8\n        sum += dot(v, (floatvector)(1.0f));\n"
    "        #else\n        sum += dot(v.lo, (float4)(1.0f)) + dot(v.hi, (float4)(1.0f));\n        #endif\n    }\n"
    "    __local float sh_mem[block_size_x];\n    sh_mem[ti] = sum;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n    for (unsigned int s = block_size_x / 2; s > 0; s >>= 1) {\n"
    "        if (ti < s) sh_mem[ti] += sh_mem[ti + s];\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n"
    "    if (ti == 0) sums[get_group_id(0)] = sh_mem[0] + WRONG * (get_group_id(0) == 1);\n}\n";
static const char SUMS_FILE[] =
    "{\"kernel\": \"sum_parts\", \"source\": \"sums.cl\", \"problem\": {\"n\": 65536},"
    "\"parameters\": {\"block_size_x\": [16, 64], \"num_blocks\": [3, 8, 16], \"vector\": [1, 2, 4, 8], \"WRONG\": %s},"
    "\"group\": [\"block_size_x\"], \"groups\": [\"num_blocks\"],"
    "\"arguments\": [{\"name\": \"sums\", \"type\": \"float\", \"access\": \"write\", \"size\": \"num_blocks\", \"compare\": \"%s\"},"
    "{\"name\": \"array\", \"type\": \"float\", \"size\": \"n\", \"fill\": {\"uniform\": [0, 1]}},"
    "{\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"}]}";

/* Tunes a file on the device under test; NULL where that compiles nothing. */
static hed_tune_result *tune_file(test_device *d, const char *path, hed_tune_file **spec)
{
    *d = test_open(NULL);
    const hed_device_info info = hed_device_describe(d->device);
    hed_tune_result *result = NULL;
    if (!(info.capabilities & HED_CAN_SOURCE)) {
        test_close(d);
        test_skip("the device compiles nothing");
    }
    OK(hed_tune_file_open(path, &info, spec, &error));
    hed_tune_def def = hed_default_tune_def();
    hed_tune_file_apply(*spec, &def);
    def.evaluations = 12;
    def.keep = false;
    def.isolation = HED_ISOLATION_NONE;
    OK(hed_tune_kernel(d->device, hed_tune_file_kernel(*spec), &def, &result, &error));
    return result;
}

static uint32_t count_outcome(const hed_tune_result *result, hed_outcome outcome)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->count; i++) count += result->evaluations[i].outcome == outcome;
    return count;
}

static void end_tuning(test_device *d, hed_tune_file *spec, hed_tune_result *result)
{
    hed_tune_result_free(result);
    hed_tune_file_close(spec);
    test_close(d);
}

Test(opencl_words, a_product_with_vectors_of_every_width)
{
    test_device d;
    hed_tune_file *spec;
    write_file(in_folder("product.cl"), PRODUCT, strlen(PRODUCT));
    write_file(in_folder("product.json"), PRODUCT_FILE, strlen(PRODUCT_FILE));
    hed_tune_result *result = tune_file(&d, in_folder("product.json"), &spec);
    uint32_t good =
        count_outcome(result, HED_OUTCOME_MEASURED) + count_outcome(result, HED_OUTCOME_DROPPED);
    for (uint32_t i = 0; i < result->count; i++)
        EXPECT(result->evaluations[i].outcome <= HED_OUTCOME_DROPPED, "%s",
            result->evaluations[i].text);
    EXPECT(good == result->count && good == 12);
    end_tuning(&d, spec, result);
}

/* Sums agree whatever the number of parts; a part that is wrong is found. */
Test(opencl_words, parts_that_are_summed)
{
    test_device d;
    hed_tune_file *spec;
    char file[2048];
    write_file(in_folder("sums.cl"), SUMS, strlen(SUMS));
    snprintf(file, sizeof file, SUMS_FILE, "[0]", "sum");
    write_file(in_folder("sums.json"), file, strlen(file));
    hed_tune_result *result = tune_file(&d, in_folder("sums.json"), &spec);
    for (uint32_t i = 0; i < result->count; i++)
        EXPECT(result->evaluations[i].outcome <= HED_OUTCOME_DROPPED, "%s",
            result->evaluations[i].text);
    EXPECT(result->count == 12);
    end_tuning(&d, spec, result);
    snprintf(file, sizeof file, SUMS_FILE, "[0, 100]", "sum");
    write_file(in_folder("sums.json"), file, strlen(file));
    result = tune_file(&d, in_folder("sums.json"), &spec);
    for (uint32_t i = 0; i < result->count; i++) {
        bool wrong = hed_config_get(
                         hed_tune_file_kernel(spec), &result->evaluations[i].config, "WRONG") != 0;
        EXPECT((result->evaluations[i].outcome == HED_OUTCOME_WRONG) == wrong, "%s",
            result->evaluations[i].text);
        if (wrong)
            EXPECT(strstr(result->evaluations[i].text, "the sum of sums is "), "%s",
                result->evaluations[i].text);
    }
    EXPECT(count_outcome(result, HED_OUTCOME_WRONG) > 0);
    end_tuning(&d, spec, result);
}

/* As many sorted elements as the reference has, or none is right. */
Test(opencl_words, results_in_any_order)
{
    static const char text[] =
        "__kernel void list(__global int *found, __global int *count, __global const int *x, int n) {\n"
        "    int i = get_global_id(0);\n"
        "    if (i < n && x[i] % 3 == 0) found[atomic_inc(count)] = BACK ? x[n - 1 - i] / 3 * 3 : x[i];\n}\n";
    static const char file[] =
        "{\"kernel\": \"list\", \"source\": \"list.cl\", \"problem\": {\"n\": 3000}, \"parameters\": {\"WG\": [10, 50, 100], \"BACK\": [0, 1]},"
        "\"group\": [\"WG\"], \"arguments\": [{\"name\": \"found\", \"type\": \"int\", \"access\": \"write\", \"size\": \"n / 3\", \"compare\": \"sorted\"},"
        "{\"name\": \"count\", \"type\": \"int\", \"access\": \"read_write\", \"size\": 1, \"fill\": \"zeros\"},"
        "{\"name\": \"x\", \"type\": \"int\", \"size\": \"n\", \"fill\": {\"sequence\": [0, 1]}}, {\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"}]}";
    test_device d;
    hed_tune_file *spec;
    write_file(in_folder("list.cl"), text, strlen(text));
    write_file(in_folder("list.json"), file, strlen(file));
    hed_tune_result *result = tune_file(&d, in_folder("list.json"), &spec);
    EXPECT(result->count == 6);
    for (uint32_t i = 0; i < result->count; i++)
        EXPECT(result->evaluations[i].outcome <= HED_OUTCOME_DROPPED, "in order or backwards: %s",
            result->evaluations[i].text);
    end_tuning(&d, spec, result);
}

/* ---- without a device ---- */

/* Each width, with local memory and without, compiles for CUDA. */
Test(opencl_words, cuda_compiles_them, .timeout = 240)
{
    static const hed_device_info device = {
        .id = "cuda:0", .max_group = 1024, .local_bytes = 232448, .architecture = 90};
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *nvrtc = NULL;
    char reason[256] = "";
    OK(hed_nvrtc_open(
        &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason));
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    char sums[2048];
    snprintf(sums, sizeof sums, SUMS_FILE, "[0]", "sum");
    write_words();
    write_file(in_folder("product.cl"), PRODUCT, strlen(PRODUCT));
    write_file(in_folder("product.json"), PRODUCT_FILE, strlen(PRODUCT_FILE));
    write_file(in_folder("sums.cl"), SUMS, strlen(SUMS));
    write_file(in_folder("sums.json"), sums, strlen(sums));
    static const char *const files[] = {"words.json", "product.json", "sums.json"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        hed_tune_file *spec;
        OK(hed_tune_file_open(in_folder(files[f]), &device, &spec, &error));
        const hed_kernel_def *def = hed_tune_file_kernel(spec);
        uint64_t count = hed_config_count(def);
        for (uint64_t i = 0; i<count; i += count> 8 ? 3 : 1) {
            hed_config config = hed_config_at(def, i);
            hed_define defines[HED_MAX_PARAMETERS + 8];
            char values[HED_MAX_PARAMETERS][24];
            hed_binary binary = {0};
            uint32_t defined = 0;
            for (uint32_t k = 0; k < def->parameter_count; k++) {
                snprintf(values[k], sizeof values[k], "%lld", (long long)config.values[k]);
                defines[defined++] = (hed_define){def->parameters[k].name, values[k]};
            }
            for (uint32_t k = 0; k < def->define_count; k++) defines[defined++] = def->defines[k];
            hed_build build = {.def = def,
                .entry = def->entry,
                .defines = defines,
                .define_count = defined,
                .sources = def->sources,
                .source_count = def->source_count,
                .max_threads = hed_config_max_threads(def, &config)};
            hed_error_clear(&error);
            hed_status status = hed_nvrtc_compile(nvrtc, "compute_90", &build, &binary, &error);
            CHECK(status == HED_OK, "%s %llu: %s\n%s", files[f], (unsigned long long)i, error.text,
                error.log);
            EXPECT(!binary.log || !strstr(binary.log, "warning"), "%s: %s", files[f], binary.log);
            char entry[64];
            snprintf(entry, sizeof entry, ".entry %s(", def->entry);
            EXPECT(strstr(binary.bytes, entry) && strstr(binary.bytes, ".maxntid"),
                "%s is a kernel with launch bounds", def->entry);
            hed_release(&allocator, binary.bytes, binary.size);
            hed_release(&allocator, binary.log, binary.log_size);
        }
        hed_tune_file_close(spec);
    }
    hed_nvrtc_close(nvrtc);
}
