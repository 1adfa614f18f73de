#version 450
#extension GL_EXT_control_flow_attributes : require
/* C = A B in row order, tiled as in matmul.cl: a block of MWG x NWG of C for a group, KWG of the
 * sum at a time, MDIMC x NDIMC items (macros: a group's size cannot be an expression of constants),
 * blocks of VWM x VWN. SA, SB: A, B pass through shared memory, copied by MDIMA, NDIMB neighbouring
 * items; KWI: unrolled steps; AHEAD: two copies there; PAIRED: items in pairs one above the
 * other. */
#ifndef MDIMC
#define MDIMC 16
#endif
#ifndef NDIMC
#define NDIMC 8
#endif
layout(local_size_x = MDIMC * NDIMC) in;
layout(constant_id = 0) const uint MWG = 128u;
layout(constant_id = 1) const uint NWG = 128u;
layout(constant_id = 2) const uint KWG = 16u;
layout(constant_id = 3) const uint MDIMA = 64u;
layout(constant_id = 4) const uint NDIMB = 32u;
layout(constant_id = 5) const uint KWI = 8u;
layout(constant_id = 6) const uint VWM = 4u;
layout(constant_id = 7) const uint VWN = 4u;
layout(constant_id = 8) const uint SA = 1u;
layout(constant_id = 9) const uint SB = 1u;
layout(constant_id = 10) const uint AHEAD = 1u;
layout(constant_id = 11) const uint PAIRED = 1u;

const uint M_ITEMS = uint(MDIMC), N_ITEMS = uint(NDIMC);
const uint WG = M_ITEMS * N_ITEMS;
const uint MWI = MWG / M_ITEMS;
const uint NWI = NWG / N_ITEMS;
/* copying A: an item loads A_WIDE neighbours along k of each MDIMA-th row; 4 more words in a row */
const uint KDIMA = WG / MDIMA;
const uint A_ROWS = MWG / MDIMA;
const uint A_WIDE = KWG / KDIMA;
const uint A_PITCH = MWG + 4u;
const uint A_PART = KWG * A_PITCH;
/* copying B: vectors of VWN, NDIMB vectors apart, of each KDIMB-th row */
const uint KDIMB = WG / NDIMB;
const uint B_ROWS = KWG / KDIMB;
const uint B_VECTORS = NWG / (NDIMB * VWN);
const uint B_PART = KWG * NWG;

layout(std430, set = 0, binding = 0) restrict readonly buffer A { float a_matrix[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer B { float b_matrix[]; };
layout(std430, set = 0, binding = 2) restrict writeonly buffer C { float c_matrix[]; };
layout(push_constant) uniform Size { uint m, n, k; };

shared float a_local[SA != 0u ? (1u + AHEAD) * A_PART : 1u];
shared float b_local[SB != 0u ? (1u + AHEAD) * B_PART : 1u];
float a_copied[SA != 0u ? A_ROWS * A_WIDE : 1u];
float b_copied[SB != 0u ? B_ROWS * B_VECTORS * VWN : 1u];
float sum[MWI * NWI];

void load(uint start, uint item, uint top, uint left)
{
    if (SA != 0u)
        [[unroll]] for (uint i = 0u; i < A_ROWS; i++) {
            uint row = min(top + item / KDIMA + i * MDIMA, m - 1u) * k;
            uint column = start + item % KDIMA * A_WIDE;
            [[unroll]] for (uint v = 0u; v < A_WIDE; v++)
                a_copied[i * A_WIDE + v] = a_matrix[row + min(column + v, k - 1u)];
        }
    if (SB != 0u)
        [[unroll]] for (uint i = 0u; i < B_ROWS; i++) {
            uint row = min(start + item / NDIMB + i * KDIMB, k - 1u) * n;
            [[unroll]] for (uint j = 0u; j < B_VECTORS; j++) {
                uint column = left + (item % NDIMB + j * NDIMB) * VWN;
                [[unroll]] for (uint v = 0u; v < VWN; v++)
                    b_copied[(i * B_VECTORS + j) * VWN + v] =
                        b_matrix[row + min(column + v, n - 1u)];
            }
        }
}

void store(uint copy_of, uint item)
{
    if (SA != 0u)
        [[unroll]] for (uint i = 0u; i < A_ROWS; i++)
            [[unroll]] for (uint v = 0u; v < A_WIDE; v++)
                a_local[copy_of * A_PART + (item % KDIMA * A_WIDE + v) * A_PITCH + item / KDIMA +
                        i * MDIMA] = a_copied[i * A_WIDE + v];
    if (SB != 0u)
        [[unroll]] for (uint i = 0u; i < B_ROWS; i++)
            [[unroll]] for (uint j = 0u; j < B_VECTORS; j++)
                [[unroll]] for (uint v = 0u; v < VWN; v++)
                    b_local[copy_of * B_PART + (item / NDIMB + i * KDIMB) * NWG +
                            (item % NDIMB + j * NDIMB) * VWN + v] =
                        b_copied[(i * B_VECTORS + j) * VWN + v];
}

/* Adds one step of the sum; `step` counts within the block that begins at `start`. */
void multiply(uint start, uint step, uint copy_of, uint item_m, uint item_n, uint top, uint left)
{
    float a[MWI], b[NWI];
    [[unroll]] for (uint i = 0u; i < MWI; i++) {
        uint row = (i / VWM * M_ITEMS + item_m) * VWM + i % VWM;
        if (SA != 0u) a[i] = a_local[copy_of * A_PART + step * A_PITCH + row];
        else a[i] = a_matrix[min(top + row, m - 1u) * k + start + step];
    }
    [[unroll]] for (uint j = 0u; j < NWI; j++) {
        uint column = (j / VWN * N_ITEMS + item_n) * VWN + j % VWN;
        if (SB != 0u) b[j] = b_local[copy_of * B_PART + step * NWG + column];
        else b[j] = b_matrix[(start + step) * n + min(left + column, n - 1u)];
    }
    [[unroll]] for (uint i = 0u; i < MWI; i++)
        [[unroll]] for (uint j = 0u; j < NWI; j++)
            sum[i * NWI + j] = fma(a[i], b[j], sum[i * NWI + j]);
}

void main()
{
    uint item = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    uint item_m = item / N_ITEMS, item_n = item % N_ITEMS;
    if (PAIRED != 0u) {
        uint lane = item % 32u, warp = item / 32u;
        item_m = warp / (N_ITEMS / 8u) * 4u + lane / 16u * 2u + lane % 2u;
        item_n = warp % (N_ITEMS / 8u) * 8u + lane / 2u % 8u;
    }
    uint groups_n = (n + NWG - 1u) / NWG;
    uint top = group / groups_n * MWG, left = group % groups_n * NWG;
    [[unroll]] for (uint i = 0u; i < MWI * NWI; i++) sum[i] = 0.0;
    if (AHEAD != 0u) load(0u, item, top, left);
    for (uint start = 0u; start < k; start += KWG) {
        uint copy_of = AHEAD != 0u ? start / KWG % 2u : 0u;
        if (AHEAD == 0u) load(start, item, top, left);
        store(copy_of, item);
        barrier();
        if (AHEAD != 0u) load(start + KWG, item, top, left);
        if (start + KWG <= k) {
            [[dont_unroll]] for (uint step = 0u; step < KWG; step += KWI)
                [[unroll]] for (uint i = 0u; i < KWI; i++)
                    multiply(start, step + i, copy_of, item_m, item_n, top, left);
        } else {
            for (uint step = 0u; step < k - start; step++)
                multiply(start, step, copy_of, item_m, item_n, top, left);
        }
        if (AHEAD == 0u) barrier();
    }
    [[unroll]] for (uint i = 0u; i < MWI; i++) {
        uint row = top + (i / VWM * M_ITEMS + item_m) * VWM + i % VWM;
        [[unroll]] for (uint j = 0u; j < NWI; j++) {
            uint column = left + (j / VWN * N_ITEMS + item_n) * VWN + j % VWN;
            if (row < m && column < n) c_matrix[row * n + column] = sum[i * NWI + j];
        }
    }
}
