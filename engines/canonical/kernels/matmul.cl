/* C = A B in row order: A is m x k, B is k x n, C is m x n. Each element sums over ascending k, one
 * fma a step, so the bits do not depend on the parameters. Parameters and tiling as in Nugteren,
 * "CLBlast" (2018), section 3:
 *
 *     MWG x NWG     block of C of a group, with KWG steps of the sum at a time; MDIMC x NDIMC
 *     items,
 *                   each with MWI x NWI of C in registers, in blocks of VWM x VWN so that
 *                   neighbouring items read neighbouring vectors
 *     SA, SB        the group's block of A, of B is copied to local memory (A transposed: columns
 *     are
 *                   contiguous)
 *     MDIMA, NDIMB  number of items along m while A is copied, along n while B is copied
 *     KWI           unrolled steps of the sum
 *     AHEAD         two copies in local memory: the next block is loaded into registers while the
 *                   current one is used
 *     PAIRED        32 items compute 4 x 8 of a group's elements, in pairs one above the other: of
 *                   four neighbouring items two read the same vector of A and two the same of B,
 *                   which local memory broadcasts
 *
 * Rows and columns beyond the matrices read the last existing one, and are not written. */
#ifndef MWG
#define MWG 128
#endif
#ifndef NWG
#define NWG 128
#endif
#ifndef KWG
#define KWG 16
#endif
#ifndef MDIMC
#define MDIMC 16
#endif
#ifndef NDIMC
#define NDIMC 8
#endif
#ifndef MDIMA
#define MDIMA 64
#endif
#ifndef NDIMB
#define NDIMB 32
#endif
#ifndef KWI
#define KWI 8
#endif
#ifndef VWM
#define VWM 4
#endif
#ifndef VWN
#define VWN 4
#endif
#ifndef SA
#define SA 1
#endif
#ifndef SB
#define SB 1
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef PAIRED
#define PAIRED 1
#endif

#define WG (MDIMC * NDIMC)
#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)
#define BLOCKS_M (MWI / VWM)
#define BLOCKS_N (NWI / VWN)

#if VWM == 4
#define VECTOR_M float4
#elif VWM == 2
#define VECTOR_M float2
#else
#define VECTOR_M float
#endif
#if VWN == 4
#define VECTOR_N float4
#elif VWN == 2
#define VECTOR_N float2
#else
#define VECTOR_N float
#endif

/* Stores the elements of a vector one by one: to[0 .. width). */
#define PUT4(to, v) ((to)[0] = (v).x, (to)[1] = (v).y, (to)[2] = (v).z, (to)[3] = (v).w)
#define PUT2(to, v) ((to)[0] = (v).x, (to)[1] = (v).y)
#define PUT1(to, v) ((to)[0] = (v))
#define PUT_OF(width, to, v) PUT##width(to, v)
#define PUT(width, to, v) PUT_OF(width, to, v)

#if SA
/* Copying A: an item loads A_WIDE neighbours along k of each MDIMA-th row. 4 additional words in
 * each row of the transposed block keep its vectors aligned, and the items that write one column in
 * different banks. */
#define KDIMA (WG / MDIMA)
#define A_ROWS (MWG / MDIMA)
#define A_WIDE (KWG / KDIMA)
#define A_PITCH (MWG + 4)
#define A_PART (KWG * A_PITCH)

static void load_a(float *copied, __global const float *restrict a, uint row, uint column, uint m,
    uint k, int vectors)
{
    (void)vectors;
#pragma unroll
    for (uint i = 0; i < A_ROWS; i++) {
        __global const float *from = a + min(row + i * MDIMA, m - 1) * k;
#if A_WIDE % 4 == 0
        if (vectors) {
#pragma unroll
            for (uint v = 0; v < A_WIDE; v += 4) {
                float4 part = *(__global const float4 *)(from + min(column + v, k - 4));
                PUT4(copied + i * A_WIDE + v, part);
            }
        } else
#endif
        {
#pragma unroll
            for (uint v = 0; v < A_WIDE; v++) copied[i * A_WIDE + v] = from[min(column + v, k - 1)];
        }
    }
}

static void store_a(__local float *part, const float *copied, uint row, uint column)
{
#pragma unroll
    for (uint i = 0; i < A_ROWS; i++)
#pragma unroll
        for (uint v = 0; v < A_WIDE; v++)
            part[(column + v) * A_PITCH + row + i * MDIMA] = copied[i * A_WIDE + v];
}
#endif

#if SB
/* Copying B: an item loads vectors of VWN elements, NDIMB vectors apart, of each KDIMB-th row. */
#define KDIMB (WG / NDIMB)
#define B_ROWS (KWG / KDIMB)
#define B_VECTORS (NWG / (NDIMB * VWN))
#define B_PITCH (NWG / VWN)
#define B_PART (KWG * B_PITCH)
#endif

/* Loads VWN elements of a row of B at `column`. */
static VECTOR_N load_b(__global const float *restrict row, uint column, uint n, int vectors)
{
    (void)vectors;
#if VWN == 1
    return row[min(column, n - 1)];
#elif VWN == 2
    if (vectors) return *(__global const VECTOR_N *)(row + min(column, n - VWN));
    return hed_f2(row[min(column, n - 1)], row[min(column + 1, n - 1)]);
#else
    if (vectors) return *(__global const VECTOR_N *)(row + min(column, n - VWN));
    return hed_f4(row[min(column, n - 1)], row[min(column + 1, n - 1)], row[min(column + 2, n - 1)],
        row[min(column + 3, n - 1)]);
#endif
}

#if SB
static void load_b_part(VECTOR_N *copied, __global const float *restrict b, uint row, uint column,
    uint n, uint k, int vectors)
{
#pragma unroll
    for (uint i = 0; i < B_ROWS; i++) {
        __global const float *from = b + min(row + i * KDIMB, k - 1) * n;
#pragma unroll
        for (uint j = 0; j < B_VECTORS; j++)
            copied[i * B_VECTORS + j] = load_b(from, column + j * NDIMB * VWN, n, vectors);
    }
}

static void store_b_part(__local VECTOR_N *part, const VECTOR_N *copied, uint row, uint vector)
{
#pragma unroll
    for (uint i = 0; i < B_ROWS; i++)
#pragma unroll
        for (uint j = 0; j < B_VECTORS; j++)
            part[(row + i * KDIMB) * B_PITCH + vector + j * NDIMB] = copied[i * B_VECTORS + j];
}
#endif

/* Adds one step of the sum: an item's column of A times its row of B. */
static void multiply(float *sum, const float *a, const float *b)
{
#pragma unroll
    for (uint i = 0; i < MWI; i++)
#pragma unroll
        for (uint j = 0; j < NWI; j++) sum[i * NWI + j] = fma(a[i], b[j], sum[i * NWI + j]);
}

/* Reads the item's MWI elements of one column of A. */
#if SA
static void read_a(float *a, __local const float *column, uint item_m)
{
#pragma unroll
    for (uint i = 0; i < BLOCKS_M; i++) {
        VECTOR_M part = ((__local const VECTOR_M *)column)[i * MDIMC + item_m];
        PUT(VWM, a + i * VWM, part);
    }
}
#define COLUMN_OF_A(at, step) a_now + (step)*A_PITCH, item_m
#else
static void read_a(float *a, __global const float *column, const uint *row)
{
#pragma unroll
    for (uint i = 0; i < MWI; i++) a[i] = column[row[i]];
}
#define COLUMN_OF_A(at, step) a_matrix + (at), row
#endif

/* Reads the item's NWI elements of one row of B. */
#if SB
static void read_b(float *b, __local const VECTOR_N *row, uint item_n)
{
#pragma unroll
    for (uint j = 0; j < BLOCKS_N; j++) {
        VECTOR_N part = row[j * NDIMC + item_n];
        PUT(VWN, b + j * VWN, part);
    }
}
#define ROW_OF_B(at, step) b_now + (step)*B_PITCH, item_n
#else
static void read_b(float *b, __global const float *row, uint column, uint n, int vectors)
{
#pragma unroll
    for (uint j = 0; j < BLOCKS_N; j++) {
        VECTOR_N part = load_b(row, column + j * NDIMC * VWN, n, vectors);
        PUT(VWN, b + j * VWN, part);
    }
}
#define ROW_OF_B(at, step) b_matrix + (at)*n, left + item_n *VWN, n, b_vectors
#endif

/* One step; `step` counts within the block of KWG steps that begins at `start`. */
#define STEP(start, step) \
    do { \
        float a[MWI], b[NWI]; \
        read_a(a, COLUMN_OF_A((start) + (step), step)); \
        read_b(b, ROW_OF_B((start) + (step), step)); \
        multiply(sum, a, b); \
    } while (0)

static void write_row(__global float *row, const float *sum, uint column, uint n, int vectors)
{
    (void)vectors;
#pragma unroll
    for (uint j = 0; j < BLOCKS_N; j++) {
        uint at = column + j * NDIMC * VWN;
#if VWN == 4
        if (vectors && at < n) {
            *(__global VECTOR_N *)(row + at) =
                hed_f4(sum[j * 4], sum[j * 4 + 1], sum[j * 4 + 2], sum[j * 4 + 3]);
            continue;
        }
#elif VWN == 2
        if (vectors && at < n) {
            *(__global VECTOR_N *)(row + at) = hed_f2(sum[j * 2], sum[j * 2 + 1]);
            continue;
        }
#endif
#pragma unroll
        for (uint v = 0; v < VWN; v++)
            if (at + v < n) row[at + v] = sum[j * VWN + v];
    }
}

__kernel void matmul(__global const float *restrict a_matrix,
    __global const float *restrict b_matrix, __global float *restrict c_matrix, uint m, uint n,
    uint k)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
#if PAIRED
    uint lane = item % 32, warp = item / 32;
    uint item_m = warp / (NDIMC / 8) * 4 + lane / 16 * 2 + lane % 2;
    uint item_n = warp % (NDIMC / 8) * 8 + lane / 2 % 8;
#else
    uint item_m = item / NDIMC, item_n = item % NDIMC;
#endif
    uint groups_n = (n + NWG - 1) / NWG;
    uint top = group / groups_n * MWG, left = group % groups_n * NWG;
    int b_vectors = n % VWN == 0;
#if SA
    HED_LOCAL_ARRAY(float4, a_local, (1 + AHEAD) * A_PART / 4);
    uint a_row = item / KDIMA, a_column = item % KDIMA * A_WIDE;
    int a_vectors = k % 4 == 0;
    float a_copied[A_ROWS * A_WIDE];
#else
    uint row[MWI];
#pragma unroll
    for (uint i = 0; i < MWI; i++)
        row[i] = min(top + (i / VWM * MDIMC + item_m) * VWM + i % VWM, m - 1) * k;
#endif
#if SB
    HED_LOCAL_ARRAY(VECTOR_N, b_local, (1 + AHEAD) * B_PART);
    uint b_row = item / NDIMB, b_vector = item % NDIMB;
    VECTOR_N b_copied[B_ROWS * B_VECTORS];
#endif
    float sum[MWI * NWI];
#pragma unroll
    for (uint i = 0; i < MWI * NWI; i++) sum[i] = 0.0f;

#if SA
#define LOAD_A(start) load_a(a_copied, a_matrix, top + a_row, (start) + a_column, m, k, a_vectors)
#else
#define LOAD_A(start)
#endif
#if SB
#define LOAD_B(start) \
    load_b_part(b_copied, b_matrix, (start) + b_row, left + b_vector * VWN, n, k, b_vectors)
#else
#define LOAD_B(start)
#endif
#if AHEAD
    LOAD_A(0);
    LOAD_B(0);
#endif
    for (uint start = 0; start < k; start += KWG) {
#if !AHEAD
        LOAD_A(start);
        LOAD_B(start);
#endif
#if SA
        __local float *a_now = (__local float *)a_local + (AHEAD ? start / KWG % 2 * A_PART : 0);
        store_a(a_now, a_copied, a_row, a_column);
#endif
#if SB
        __local VECTOR_N *b_now = b_local + (AHEAD ? start / KWG % 2 * B_PART : 0);
        store_b_part(b_now, b_copied, b_row, b_vector);
#endif
#if SA || SB
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if AHEAD
        LOAD_A(start + KWG);
        LOAD_B(start + KWG);
#endif
        if (start + KWG <= k) {
#pragma unroll KWI
            for (uint step = 0; step < KWG; step++) STEP(start, step);
        } else {
            for (uint step = 0; step < k - start; step++) STEP(start, step);
        }
#if (SA || SB) && !AHEAD
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }

#pragma unroll
    for (uint i = 0; i < MWI; i++) {
        uint at = top + (i / VWM * MDIMC + item_m) * VWM + i % VWM;
        if (at < m) write_row(c_matrix + at * n, sum + i * NWI, left + item_n * VWN, n, b_vectors);
    }
}
