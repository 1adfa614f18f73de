/* Strict mode's promise as kernels: every result of these has the same bits on every device.
 * tests/strict_test.c compiles this text as C too, so there is one text and no second version that
 * could drift. */

#define PUT(k, value) out[(k)*n + i] = as_uint(value)
#define PUT_BITS(k, value) out[(k)*n + i] = (uint)(value)

/* What the platform must do itself. The expressions without fma() are there to be contracted by
 * whoever does. */
__kernel void arithmetic(__global const float *restrict in, __global uint *restrict out, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n) return;
    float x = in[i], y = in[n + i], z = in[2 * n + i], w = in[3 * n + i];
    float length3 = sqrt(x * x + y * y + z * z);
    PUT(0, x + y);
    PUT(1, x - y);
    PUT(2, x * y);
    PUT(3, fma(x, y, z));
    PUT(4, x / y);
    PUT(5, sqrt(x));
    PUT(6, 1.0f / sqrt(x));
    PUT(7, x * y + z * w);
    PUT(8, x * y + z);
    PUT(9, x + (y - x) * z);
    PUT(10, length3);
    PUT(11, x / length3);
    PUT(12, 1.0f / x);
    PUT(13, x / 3.0f);
    PUT(14, x + 0.0f);
    PUT(15, x - x);
    PUT(16, x * 0.0f);
    PUT(17, ((z * x + 0.3f) * x - 0.7f) * x + 1.1f);
    PUT(18, (x + y) + (z + w));
    PUT(19, floor(x));
    PUT(20, ceil(x));
    PUT(21, trunc(x));
    PUT(22, rint(x));
    PUT(23, fabs(x));
    PUT(24, (float)as_int(x));
    PUT(25, (float)as_uint(x));
    PUT_BITS(26, (x < y ? 1 : 0) | (x <= y ? 2 : 0) | (x == y ? 4 : 0) | (x != y ? 8 : 0) |
                     (x != x ? 16 : 0));
}

/* Heddle's own. */
__kernel void functions(__global const float *restrict in, __global uint *restrict out, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n) return;
    float x = in[i], y = in[n + i];
    PUT(0, hed_min(x, y));
    PUT(1, hed_max(x, y));
    PUT(2, hed_clamp(x, -1.0f, 1.0f));
    PUT_BITS(3, hed_int(x));
    PUT_BITS(4, hed_uint(x));
    PUT_BITS(5, hed_canonical_bits(x * y));
    PUT(6, hed_sin(x));
    PUT(7, hed_cos(x));
    PUT(8, hed_tan(x));
    PUT(9, hed_exp(x));
    PUT(10, hed_log(x));
    PUT(11, hed_tanh(x));
    PUT(12, hed_rsqrt(x));
    PUT(13, hed_pow(x, y));
    PUT(14, hed_atan2(x, y));
    PUT(15, hed_pow(fabs(x), y));
    PUT(16, hed_log(fabs(x)));
    PUT(17, hed_rsqrt(fabs(x)));
}

/* One mass on one spring, many steps in registers: a rounding that differs anywhere grows until it
 * shows. */
__kernel void spring(
    __global const float *restrict in, __global uint *restrict out, uint n, uint steps)
{
    uint i = (uint)get_global_id(0);
    if (i >= n) return;
    float anchor_x = in[i], anchor_y = in[n + i], anchor_z = in[2 * n + i];
    float x = in[3 * n + i], y = in[4 * n + i], z = in[5 * n + i], u = 0.0f, v = 0.0f, w = 0.0f;
    for (uint step = 0; step < steps; step++) {
        float dx = x - anchor_x, dy = y - anchor_y, dz = z - anchor_z;
        float length3 = sqrt(dx * dx + dy * dy + dz * dz);
        float force = 40.0f * (length3 - 0.7f) / length3;
        u = (u - force * dx * 0.01f) * 0.9999f;
        v = (v - force * dy * 0.01f - 0.001f) * 0.9999f;
        w = (w - force * dz * 0.01f) * 0.9999f;
        x = x + u * 0.01f;
        y = y + v * 0.01f;
        z = z + w * 0.01f;
    }
    PUT(0, x);
    PUT(1, y);
    PUT(2, z);
    PUT(3, u);
    PUT(4, v);
    PUT(5, w);
}

/* The same without a division or a root of the platform's, and with a driven anchor. */
__kernel void spring_own(
    __global const float *restrict in, __global uint *restrict out, uint n, uint steps)
{
    uint i = (uint)get_global_id(0);
    if (i >= n) return;
    float anchor_x = in[i], anchor_y = in[n + i], anchor_z = in[2 * n + i];
    float x = in[3 * n + i], y = in[4 * n + i], z = in[5 * n + i], u = 0.0f, v = 0.0f, w = 0.0f;
    for (uint step = 0; step < steps; step++) {
        float angle = (float)step * 0.05f;
        float dx = x - anchor_x - hed_sin(angle), dy = y - anchor_y - hed_cos(angle),
              dz = z - anchor_z;
        float force = fma(-28.0f, hed_rsqrt(dx * dx + dy * dy + dz * dz), 40.0f);
        u = (u - force * dx * 0.01f) * 0.9999f;
        v = (v - force * dy * 0.01f - 0.001f) * 0.9999f;
        w = (w - force * dz * 0.01f) * 0.9999f;
        x = x + u * 0.01f;
        y = y + v * 0.01f;
        z = z + w * 0.01f;
    }
    PUT(0, x);
    PUT(1, y);
    PUT(2, z);
    PUT(3, u);
    PUT(4, v);
    PUT(5, w);
}

/* One step of a ring of masses: (6 x n) positions and velocities, from `in` to `out`. */
__kernel void ring(__global const float *restrict in, __global uint *restrict out, uint n)
{
    uint i = (uint)get_global_id(0);
    if (i >= n) return;
    uint left = i == 0 ? n - 1 : i - 1, right = i + 1 == n ? 0 : i + 1;
    float x = in[i], y = in[n + i], z = in[2 * n + i];
    float lx = in[left] - x, ly = in[n + left] - y, lz = in[2 * n + left] - z;
    float rx = in[right] - x, ry = in[n + right] - y, rz = in[2 * n + right] - z;
    float l_length = sqrt(lx * lx + ly * ly + lz * lz),
          r_length = sqrt(rx * rx + ry * ry + rz * rz);
    float l = 40.0f * (l_length - 0.7f) / l_length, r = 40.0f * (r_length - 0.7f) / r_length;
    float u = (in[3 * n + i] + (l * lx + r * rx) * 0.01f) * 0.9999f;
    float v = (in[4 * n + i] + (l * ly + r * ry) * 0.01f) * 0.9999f;
    float w = (in[5 * n + i] + (l * lz + r * rz) * 0.01f) * 0.9999f;
    PUT(0, x + u * 0.01f);
    PUT(1, y + v * 0.01f);
    PUT(2, z + w * 0.01f);
    PUT(3, u);
    PUT(4, v);
    PUT(5, w);
}
