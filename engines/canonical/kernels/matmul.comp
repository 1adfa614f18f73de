#version 450
#extension GL_EXT_control_flow_attributes : require
/* C = A B in row order, tiled as matmul.cl is: MWG x NWG of C a group, KWG of the sum at a time,
 * MDIMC x NDIMC items (macros: a group's size is no expression of constants), blocks of VWM x VWN.
 * SA, SB: A, B through shared memory, copied MDIMA, NDIMB items side by side; KWI steps unrolled;
 * AHEAD: two copies there; PAIRED: neighbours in pairs one above the other. */
#ifndef MDIMC
#define MDIMC 16
#endif
#ifndef NDIMC
#define NDIMC 8
#endif
layout(local_size_x = MDIMC * NDIMC) in;
layout(constant_id = 0) const uint MWG = 128;
layout(constant_id = 1) const uint NWG = 128;
layout(constant_id = 2) const uint KWG = 16;
layout(constant_id = 3) const uint MDIMA = 64;
layout(constant_id = 4) const uint NDIMB = 32;
layout(constant_id = 5) const uint KWI = 8;
layout(constant_id = 6) const uint VWM = 4;
layout(constant_id = 7) const uint VWN = 4;
layout(constant_id = 8) const uint SA = 1;
layout(constant_id = 9) const uint SB = 1;
layout(constant_id = 10) const uint AHEAD = 1;
layout(constant_id = 11) const uint PAIRED = 1;

const uint WG = MDIMC * NDIMC;
const uint MWI = MWG / MDIMC;
const uint NWI = NWG / NDIMC;
/* copying A: an item takes A_WIDE neighbours along k of each MDIMA-th row; 4 words more a row */
const uint KDIMA = WG / MDIMA;
const uint A_ROWS = MWG / MDIMA;
const uint A_WIDE = KWG / KDIMA;
const uint A_PITCH = MWG + 4;
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

shared float a_local[SA != 0 ? (1 + AHEAD) * A_PART : 1];
shared float b_local[SB != 0 ? (1 + AHEAD) * B_PART : 1];
float a_copied[SA != 0 ? A_ROWS * A_WIDE : 1];
float b_copied[SB != 0 ? B_ROWS * B_VECTORS * VWN : 1];
float sum[MWI * NWI];

void load(uint start, uint item, uint top, uint left)
{
    if (SA != 0)
        [[unroll]] for (uint i = 0; i < A_ROWS; i++) {
            uint row = min(top + item / KDIMA + i * MDIMA, m - 1) * k;
            uint column = start + item % KDIMA * A_WIDE;
            [[unroll]] for (uint v = 0; v < A_WIDE; v++)
                a_copied[i * A_WIDE + v] = a_matrix[row + min(column + v, k - 1)];
        }
    if (SB != 0)
        [[unroll]] for (uint i = 0; i < B_ROWS; i++) {
            uint row = min(start + item / NDIMB + i * KDIMB, k - 1) * n;
            [[unroll]] for (uint j = 0; j < B_VECTORS; j++) {
                uint column = left + (item % NDIMB + j * NDIMB) * VWN;
                [[unroll]] for (uint v = 0; v < VWN; v++)
                    b_copied[(i * B_VECTORS + j) * VWN + v] =
                        b_matrix[row + min(column + v, n - 1)];
            }
        }
}

void store(uint copy_of, uint item)
{
    if (SA != 0)
        [[unroll]] for (uint i = 0; i < A_ROWS; i++)
            [[unroll]] for (uint v = 0; v < A_WIDE; v++)
                a_local[copy_of * A_PART + (item % KDIMA * A_WIDE + v) * A_PITCH + item / KDIMA +
                        i * MDIMA] = a_copied[i * A_WIDE + v];
    if (SB != 0)
        [[unroll]] for (uint i = 0; i < B_ROWS; i++)
            [[unroll]] for (uint j = 0; j < B_VECTORS; j++)
                [[unroll]] for (uint v = 0; v < VWN; v++)
                    b_local[copy_of * B_PART + (item / NDIMB + i * KDIMB) * NWG +
                            (item % NDIMB + j * NDIMB) * VWN + v] =
                        b_copied[(i * B_VECTORS + j) * VWN + v];
}

/* One step of the sum, `step` in the part that begins at `start`. */
void multiply(uint start, uint step, uint copy_of, uint item_m, uint item_n, uint top, uint left)
{
    float a[MWI], b[NWI];
    [[unroll]] for (uint i = 0; i < MWI; i++) {
        uint row = (i / VWM * MDIMC + item_m) * VWM + i % VWM;
        if (SA != 0) a[i] = a_local[copy_of * A_PART + step * A_PITCH + row];
        else a[i] = a_matrix[min(top + row, m - 1) * k + start + step];
    }
    [[unroll]] for (uint j = 0; j < NWI; j++) {
        uint column = (j / VWN * NDIMC + item_n) * VWN + j % VWN;
        if (SB != 0) b[j] = b_local[copy_of * B_PART + step * NWG + column];
        else b[j] = b_matrix[(start + step) * n + min(left + column, n - 1)];
    }
    [[unroll]] for (uint i = 0; i < MWI; i++)
        [[unroll]] for (uint j = 0; j < NWI; j++)
            sum[i * NWI + j] = fma(a[i], b[j], sum[i * NWI + j]);
}

void main()
{
    uint item = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    uint item_m = item / NDIMC, item_n = item % NDIMC;
    if (PAIRED != 0) {
        uint lane = item % 32, warp = item / 32;
        item_m = warp / (NDIMC / 8) * 4 + lane / 16 * 2 + lane % 2;
        item_n = warp % (NDIMC / 8) * 8 + lane / 2 % 8;
    }
    uint groups_n = (n + NWG - 1) / NWG;
    uint top = group / groups_n * MWG, left = group % groups_n * NWG;
    [[unroll]] for (uint i = 0; i < MWI * NWI; i++) sum[i] = 0.0;
    if (AHEAD != 0) load(0, item, top, left);
    for (uint start = 0; start < k; start += KWG) {
        uint copy_of = AHEAD != 0 ? start / KWG % 2 : 0;
        if (AHEAD == 0) load(start, item, top, left);
        store(copy_of, item);
        barrier();
        if (AHEAD != 0) load(start + KWG, item, top, left);
        if (start + KWG <= k) {
            [[dont_unroll]] for (uint step = 0; step < KWG; step += KWI)
                [[unroll]] for (uint i = 0; i < KWI; i++)
                    multiply(start, step + i, copy_of, item_m, item_n, top, left);
        } else {
            for (uint step = 0; step < k - start; step++)
                multiply(start, step, copy_of, item_m, item_n, top, left);
        }
        if (AHEAD == 0) barrier();
    }
    [[unroll]] for (uint i = 0; i < MWI; i++) {
        uint row = top + (i / VWM * MDIMC + item_m) * VWM + i % VWM;
        [[unroll]] for (uint j = 0; j < NWI; j++) {
            uint column = left + (j / VWN * NDIMC + item_n) * VWN + j % VWN;
            if (row < m && column < n) c_matrix[row * n + column] = sum[i * NWI + j];
        }
    }
}
