/* Description and native version of `matmul`. */
#include "canonical_kernels.h"

enum { A, B, C, M, N, K }; /* arguments */
/* parameters */
enum { MWG, NWG, KWG, MDIMC, NDIMC, MDIMA, NDIMB, KWI, VWM, VWN, SA, SB, AHEAD, PAIRED };
enum { PART_K = 256, PART_N = 2 * HED_LANES, PART_M = 6 }; /* native: see matmul_body() */
enum { LEAST_MDIMA = 32, LEAST_NDIMB = 16 };

/* True if items can copy a group's block of A (of B) evenly, `side` items along m (n), `wide`
 * elements each. */
static bool copies_evenly(int64_t items, int64_t part, int64_t part_k, int64_t side, int64_t wide)
{
    return items % side == 0 && part % (side * wide) == 0 && part_k % (items / side) == 0;
}

static bool matmul_valid(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    const int64_t *v = config->values;
    int64_t items = v[MDIMC] * v[NDIMC];
    if (v[MWG] % (v[MDIMC] * v[VWM]) || v[NWG] % (v[NDIMC] * v[VWN]) || v[KWG] % v[KWI])
        return false;
    /* Parameters of a variant that is off have one value, so that no two configurations are
     * equivalent. */
    if (v[SA] ? !copies_evenly(items, v[MWG], v[KWG], v[MDIMA], 1) : v[MDIMA] != LEAST_MDIMA)
        return false;
    if (v[SB] ? !copies_evenly(items, v[NWG], v[KWG], v[NDIMB], v[VWN]) : v[NDIMB] != LEAST_NDIMB)
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

static void matmul_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    const int64_t *v = config->values;
    uint64_t m = (uint64_t)problem->sizes[0], n = (uint64_t)problem->sizes[1],
             k = (uint64_t)problem->sizes[2];
    hed_geometry_1d(geometry,
        hed_ceil_divide(m, (uint64_t)v[MWG]) * hed_ceil_divide(n, (uint64_t)v[NWG]),
        v[MDIMC] * v[NDIMC], m, hed_round_up(hed_ceil_divide(1 << 16, n * k), PART_M));
}

/* ---- native: blocks after Goto and van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication" (2008) ---- */

/* c[0 .. rows)[0 .. PART_N) += a b, where b is packed: PART_N elements for each of `steps` steps,
 * ascending. All of c is in registers if `rows`, a constant, is at most PART_M. */
static inline __attribute__((always_inline)) void matmul_block(int rows, const float *a,
    uint64_t a_pitch, const float *b, uint64_t steps, float *c, uint64_t c_pitch)
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

/* Computes rows [begin, end) of one column of blocks of C, for one section of the sum. */
static inline __attribute__((always_inline)) void matmul_column(const float *a, uint64_t a_pitch,
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
        if (rows == PART_M)
            matmul_block(PART_M, a + row * a_pitch, a_pitch, packed, steps, target, pitch);
        else matmul_block(1, a + row * a_pitch, a_pitch, packed, steps, target, pitch);
        for (uint64_t r = 0; columns < PART_N && r < rows; r++)
            memcpy(to + r * n, edge + r * PART_N, columns * sizeof *edge);
        row += rows;
    }
}

/* Rows [begin, end): the sum in sections of PART_K steps. For each section PART_N columns of B are
 * packed and stay in the first cache, while all rows are computed, PART_M at a time in registers. C
 * stores the sums between sections, so each is one ascending chain. */
HED_NATIVE_BODY matmul_body(const hed_native_call *call, uint64_t begin, uint64_t end)
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
            for (uint64_t row = 0; row < steps; row++) {
                memcpy(
                    packed + row * PART_N, b + (step + row) * n + column, columns * sizeof *packed);
                memset(packed + row * PART_N + columns, 0, (PART_N - columns) * sizeof *packed);
            }
            matmul_column(a + step, k, packed, steps, c + column, n, columns, begin, end);
        }
    }
}
HED_NATIVE_CLONES(matmul_native, matmul_body)

/* ---- */

static void matmul_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->operations = 2.0 * work->items;
    work->items = (double)problem->sizes[0] * (double)problem->sizes[1];
}

const hed_kernel_def hed_matmul_def = {
    .name = "matmul",
    .summary = "C = A B of matrices of floats in row order",
    HED_CANONICAL_TEXT(matmul),
    HED_CANONICAL_SHADERS(matmul),
    HED_ARGUMENTS(HED_IN(float, a, .count = "m*k"), HED_IN(float, b, .count = "k*n"),
        HED_OUT(float, c, .count = "m*n", .tolerance = 1e-5), HED_VALUE(uint, m),
        HED_VALUE(uint, n), HED_VALUE(uint, k)),
    HED_PARAMETERS(HED_PARAMETER(MWG, 128, 32, 64, 128, 256),
        HED_PARAMETER(NWG, 128, 32, 64, 128, 256), HED_PARAMETER(KWG, 16, 8, 16, 32),
        HED_PARAMETER(MDIMC, 16, 8, 16), HED_PARAMETER(NDIMC, 8, 8, 16),
        HED_PARAMETER(MDIMA, 64, LEAST_MDIMA, 64, 128), HED_PARAMETER(NDIMB, 32, LEAST_NDIMB, 32),
        HED_PARAMETER(KWI, 8, 2, 8), HED_PARAMETER(VWM, 4, 1, 4), HED_PARAMETER(VWN, 4, 1, 4),
        HED_SWITCH(SA, 1), HED_SWITCH(SB, 1), HED_SWITCH(AHEAD, 1), HED_SWITCH(PAIRED, 1)),
    .native_ignores = HED_ALL_PARAMETERS,
    HED_DIMENSIONS("m", "n", "k"),
    .max_threads = "MDIMC*NDIMC",
    .valid = matmul_valid,
    .geometry = matmul_geometry,
    .range = matmul_native,
    .work = matmul_work,
    .metric = HED_METRIC_OPERATIONS,
    HED_PROBLEMS(HED_PROBLEM(1, 1, 1), HED_PROBLEM(5, 7, 3), HED_PROBLEM(64, 64, 64),
        HED_PROBLEM(131, 37, 67), HED_PROBLEM(40, 136, 100)),
    .sample.benchmark = HED_PROBLEM(4096, 4096, 4096),
    HED_DEFAULT_SAMPLE,
};
