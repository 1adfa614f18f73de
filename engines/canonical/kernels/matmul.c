/* Description and native version of `matmul`. */
#include <string.h>

#include "canonical_kernels.h"
#include "simd.h"

enum {
    A,
    B,
    C,
    M,
    N,
    K, /* arguments */
};
enum {
    MWG,
    NWG,
    KWG,
    MDIMC,
    NDIMC,
    MDIMA,
    NDIMB,
    KWI,
    VWM,
    VWN,
    SA,
    SB,
    AHEAD,
    PAIRED, /* parameters */
};
enum {
    PART_K = 256,
    PART_N = 2 * HED_LANES,
    PART_M = 6, /* native: see body() */
};

static const int64_t sides[] = {32, 64, 128, 256};
static const int64_t parts_k[] = {8, 16, 32};
static const int64_t items_along[] = {8, 16};
static const int64_t copying_m[] = {32, 64, 128};
static const int64_t copying_n[] = {16, 32};
static const int64_t unrolled[] = {2, 8};
static const int64_t widths[] = {1, 4};
static const int64_t switches[] = {0, 1};

/* Whether a group's part of A (of B) can be copied by items side by side along m (n), `wide`
 * elements each. */
static bool copies_evenly(int64_t items, int64_t part, int64_t part_k, int64_t side, int64_t wide)
{
    return items % side == 0 && part % (side * wide) == 0 && part_k % (items / side) == 0;
}

static bool valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)strict;
    const int64_t *v = config->values;
    int64_t items = v[MDIMC] * v[NDIMC];
    if (v[MWG] % (v[MDIMC] * v[VWM]) || v[NWG] % (v[NDIMC] * v[VWN]) || v[KWG] % v[KWI])
        return false;
    /* What a switch turns off has one value, so that no two configurations are the same. */
    if (v[SA] ? !copies_evenly(items, v[MWG], v[KWG], v[MDIMA], 1) : v[MDIMA] != copying_m[0])
        return false;
    if (v[SB] ? !copies_evenly(items, v[NWG], v[KWG], v[NDIMB], v[VWN]) : v[NDIMB] != copying_n[0])
        return false;
    if (v[AHEAD] && !(v[SA] && v[SB])) return false;
    if (v[PAIRED] && !(v[SA] && v[SB] && v[VWM] == 4 && v[VWN] == 4)) return false;
    int64_t rows = v[MWG] / v[MDIMC], columns = v[NWG] / v[NDIMC];
    int64_t copied = (v[SA] ? v[MWG] * v[KWG] / items : 0) + (v[SB] ? v[NWG] * v[KWG] / items : 0);
    int64_t registers = rows * columns + rows + columns + 32 + (v[AHEAD] ? copied : 0);
    int64_t local = 4 * v[KWG] * (1 + v[AHEAD]) * ((v[SA] ? v[MWG] + 4 : 0) + (v[SB] ? v[NWG] : 0));
    return rows * columns >= 16 && copied <= 64 && registers <= 224 &&
           hed_registers_fit(device, (uint64_t)items, (uint64_t)registers) &&
           hed_static_local_fits(device, (uint64_t)local);
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    const int64_t *v = config->values;
    uint64_t m = (uint64_t)problem->sizes[0], n = (uint64_t)problem->sizes[1],
             k = (uint64_t)problem->sizes[2];
    uint64_t items = (uint64_t)(v[MDIMC] * v[NDIMC]);
    layout->dimensions = 1;
    layout->global[0] =
        hed_ceil_divide(m, (uint64_t)v[MWG]) * hed_ceil_divide(n, (uint64_t)v[NWG]) * items;
    layout->group[0] = (uint32_t)items;
    layout->native_items = m;
    layout->native_grain = hed_ceil_divide(hed_ceil_divide(1 << 16, n * k), PART_M) * PART_M;
}

/* ---- native: blocks after Goto and van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008) ---- */

/* c[0 .. rows)[0 .. PART_N) += a b, where b is packed: PART_N elements for each of `steps` steps,
 * ascending. All of c is in registers if `rows`, a constant, is at most PART_M. */
static inline __attribute__((always_inline)) void micro(int rows, const float *a, uint64_t a_pitch,
    const float *b, uint64_t steps, float *c, uint64_t c_pitch)
{
    hed_lanes sum[PART_M][2];
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) memcpy(sum[r], c + (uint64_t)r * c_pitch, sizeof sum[r]);
    for (uint64_t step = 0; step < steps; step++, b += PART_N) {
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++) {
            float factor = a[(uint64_t)r * a_pitch + step];
            HED_LANES_FMA(sum[r][0], factor, b);
            HED_LANES_FMA(sum[r][1], factor, b + HED_LANES);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) memcpy(c + (uint64_t)r * c_pitch, sum[r], sizeof sum[r]);
}

static inline void pack(const float *b, uint64_t n, uint64_t steps, uint64_t columns, float *packed)
{
    for (uint64_t step = 0; step < steps; step++) {
        memcpy(packed + step * PART_N, b + step * n, columns * sizeof *packed);
        memset(packed + step * PART_N + columns, 0, (PART_N - columns) * sizeof *packed);
    }
}

/* Rows [begin, end) of one column of parts of C, for one part of the sum. */
static inline __attribute__((always_inline)) void column_of_parts(const float *a, uint64_t a_pitch,
    const float *packed, uint64_t steps, float *c, uint64_t n, uint64_t columns, uint64_t begin,
    uint64_t end)
{
    float edge[PART_M * PART_N] = {0};
    for (uint64_t row = begin; row < end;) {
        uint64_t rows = end - row >= PART_M ? PART_M : 1;
        float *to = c + row * n;
        for (uint64_t r = 0; columns < PART_N && r < rows; r++)
            memcpy(edge + r * PART_N, to + r * n, columns * sizeof *edge);
        float *target = columns < PART_N ? edge : to;
        uint64_t pitch = columns < PART_N ? PART_N : n;
        if (rows == PART_M) micro(PART_M, a + row * a_pitch, a_pitch, packed, steps, target, pitch);
        else micro(1, a + row * a_pitch, a_pitch, packed, steps, target, pitch);
        for (uint64_t r = 0; columns < PART_N && r < rows; r++)
            memcpy(to + r * n, edge + r * PART_N, columns * sizeof *edge);
        row += rows;
    }
}

/* Rows [begin, end): the sum in parts of PART_K steps, for each of which PART_N columns of B are
 * packed and stay in the first cache while all rows go by, PART_M at a time in registers. Sums wait
 * in C, so each is one ascending chain. */
HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *a = call->arguments[A], *b = call->arguments[B];
    float *c = call->arguments[C];
    uint64_t n = *(const uint32_t *)call->arguments[N], k = *(const uint32_t *)call->arguments[K];
    float packed[PART_K * PART_N];
    memset(c + begin * n, 0, (end - begin) * n * sizeof *c);
    for (uint64_t step = 0; step < k; step += PART_K) {
        uint64_t steps = k - step < PART_K ? k - step : PART_K;
        for (uint64_t column = 0; column < n; column += PART_N) {
            uint64_t columns = n - column < PART_N ? n - column : PART_N;
            pack(b + step * n + column, n, steps, columns, packed);
            column_of_parts(a + step, k, packed, steps, c + column, n, columns, begin, end);
        }
    }
}
HED_NATIVE_CLONES(native, body)

/* ---- */

static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    (void)def;
    (void)config;
    double m = (double)problem->sizes[0], n = (double)problem->sizes[1],
           k = (double)problem->sizes[2];
    *amount = (hed_work){
        .bytes = 4.0 * (m * k + k * n + m * n), .operations = 2.0 * m * n * k, .items = m * n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    uint64_t m = (uint64_t)problem->sizes[0], n = (uint64_t)problem->sizes[1],
             k = (uint64_t)problem->sizes[2];
    return argument == A ? 4 * m * k : argument == B ? 4 * k * n : argument == C ? 4 * m * n : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument >= M) *(uint32_t *)data = (uint32_t)problem->sizes[argument - M];
    else hed_canonical_fill_floats(data, bytes / 4, seed, argument);
}

static const hed_argument_def arguments[] = {
    {.name = "a", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "b", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "c", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "m", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "k", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_parameter_def parameters[] = {
    {"MWG", sides, HED_COUNT(sides), 128, NULL},
    {"NWG", sides, HED_COUNT(sides), 128, NULL},
    {"KWG", parts_k, HED_COUNT(parts_k), 16, NULL},
    {"MDIMC", items_along, HED_COUNT(items_along), 16, NULL},
    {"NDIMC", items_along, HED_COUNT(items_along), 8, NULL},
    {"MDIMA", copying_m, HED_COUNT(copying_m), 64, NULL},
    {"NDIMB", copying_n, HED_COUNT(copying_n), 32, NULL},
    {"KWI", unrolled, HED_COUNT(unrolled), 8, NULL},
    {"VWM", widths, HED_COUNT(widths), 4, NULL},
    {"VWN", widths, HED_COUNT(widths), 4, NULL},
    {"SA", switches, HED_COUNT(switches), 1, NULL},
    {"SB", switches, HED_COUNT(switches), 1, NULL},
    {"AHEAD", switches, HED_COUNT(switches), 1, NULL},
    {"PAIRED", switches, HED_COUNT(switches), 1, NULL},
};
static const char *const dimensions[] = {"m", "n", "k"};
static const hed_problem problems[] = {
    {3, {1, 1, 1}}, {3, {5, 7, 3}}, {3, {64, 64, 64}}, {3, {131, 37, 67}}, {3, {40, 136, 100}}};

const hed_kernel_def hed_matmul_def = {
    .name = "matmul", .summary = "C = A B of matrices of floats in row order",
    .sources = &hed_canonical_files[HED_CANONICAL_MATMUL_CL], .source_count = 1,
    .arguments = arguments, .argument_count = HED_COUNT(arguments), .parameters = parameters,
    .parameter_count = HED_COUNT(parameters), .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions, .dimension_count = HED_COUNT(dimensions),
    .max_threads = "MDIMC*NDIMC", .valid = valid, .geometry = geometry, .range = native,
    .work = work, .metric = HED_METRIC_OPERATIONS, .metric_unit = "GFLOP/s",
    .sample = {problems, HED_COUNT(problems), {3, {4096, 4096, 4096}}, sample_bytes, sample_fill},
};
