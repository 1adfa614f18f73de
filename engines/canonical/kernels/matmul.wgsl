// C = A B in row order, tiled as in matmul.cl, for browsers: a block of MWG x NWG of C for a group,
// KWG of the sum at a time, blocks of VWM x VWN for each of MDIMC x NDIMC items. SA, SB: A, B pass
// through group memory, copied by MDIMA, NDIMB neighbouring items; KWI: steps at once; AHEAD: two
// copies there, so that a step of the sum has one barrier; PAIRED: items in pairs one above the
// other.
override MWG: u32 = 128;
override NWG: u32 = 128;
override KWG: u32 = 16;
override MDIMC: u32 = 16;
override NDIMC: u32 = 8;
override MDIMA: u32 = 64;
override NDIMB: u32 = 32;
override KWI: u32 = 8;
override VWM: u32 = 4;
override VWN: u32 = 4;
override SA: u32 = 1;
override SB: u32 = 1;
override AHEAD: u32 = 1;
override PAIRED: u32 = 1;
override WG: u32 = MDIMC * NDIMC;
override MWI: u32 = MWG / MDIMC;
override NWI: u32 = NWG / NDIMC;
override A_PITCH: u32 = MWG + 4u;
override A_WORDS: u32 = select(1u, (1u + AHEAD) * KWG * A_PITCH, SA != 0u);
override B_WORDS: u32 = select(1u, (1u + AHEAD) * KWG * NWG, SB != 0u);

struct Size { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> size: Size;
var<workgroup> a_local: array<f32, A_WORDS>;
var<workgroup> b_local: array<f32, B_WORDS>;

fn at_a(row: u32, column: u32) -> f32 {
    return a[min(row, size.m - 1u) * size.k + min(column, size.k - 1u)];
}
fn at_b(row: u32, column: u32) -> f32 {
    return b[min(row, size.k - 1u) * size.n + min(column, size.n - 1u)];
}

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) item: u32, @builtin(workgroup_id) at: vec3<u32>) {
    var item_m = item / NDIMC;
    var item_n = item % NDIMC;
    if (PAIRED != 0u) {
        let lane = item % 32u;
        let warp = item / 32u;
        item_m = warp / (NDIMC / 8u) * 4u + lane / 16u * 2u + lane % 2u;
        item_n = warp % (NDIMC / 8u) * 8u + lane / 2u % 8u;
    }
    let groups_n = (size.n + NWG - 1u) / NWG;
    let top = at.x / groups_n * MWG;
    let left = at.x % groups_n * NWG;
    var sum: array<f32, 256>; // MWI x NWI, at most 224
    for (var start = 0u; start < size.k; start += KWG) {
        let copied = select(0u, start / KWG % 2u, AHEAD != 0u);
        let a_part = copied * KWG * A_PITCH;
        let b_part = copied * KWG * NWG;
        if (SA != 0u) {
            for (var row = item % MDIMA; row < MWG; row += MDIMA) {
                for (var step = item / MDIMA; step < KWG; step += WG / MDIMA) {
                    a_local[a_part + step * A_PITCH + row] = at_a(top + row, start + step);
                }
            }
        }
        if (SB != 0u) {
            for (var step = item / NDIMB; step < KWG; step += WG / NDIMB) {
                for (var column = item % NDIMB * VWN; column < NWG; column += NDIMB * VWN) {
                    for (var v = 0u; v < VWN; v++) {
                        b_local[b_part + step * NWG + column + v] =
                            at_b(start + step, left + column + v);
                    }
                }
            }
        }
        workgroupBarrier();
        let steps = min(KWG, size.k - start);
        for (var step = 0u; step < steps; step += KWI) {
            for (var part = step; part < min(step + KWI, steps); part++) {
                for (var i = 0u; i < MWI; i++) {
                    let row = (i / VWM * MDIMC + item_m) * VWM + i % VWM;
                    var x = 0.0;
                    if (SA != 0u) { x = a_local[a_part + part * A_PITCH + row]; }
                    else { x = at_a(top + row, start + part); }
                    for (var j = 0u; j < NWI; j++) {
                        let column = (j / VWN * NDIMC + item_n) * VWN + j % VWN;
                        var y = 0.0;
                        if (SB != 0u) { y = b_local[b_part + part * NWG + column]; }
                        else { y = at_b(start + part, left + column); }
                        sum[i * NWI + j] = fma(x, y, sum[i * NWI + j]);
                    }
                }
            }
        }
        if (AHEAD == 0u) { workgroupBarrier(); }
    }
    for (var i = 0u; i < MWI; i++) {
        let row = top + (i / VWM * MDIMC + item_m) * VWM + i % VWM;
        for (var j = 0u; j < NWI; j++) {
            let column = left + (j / VWN * NDIMC + item_n) * VWN + j % VWN;
            if (row < size.m && column < size.n) { c[row * size.n + column] = sum[i * NWI + j]; }
        }
    }
}
