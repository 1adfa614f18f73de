/* Words of models, terms and samplers: one text for OpenCL C, CUDA and C. In strict mode and in
 * C every operation is rounded separately in the order written here, so that all devices compute
 * the same bits; in fast mode the device's approximate functions are used. Nothing here
 * branches, so that loops over samples become SIMD code on a processor.
 *
 * A model's or term's text may use:
 *
 *   MPPI_FUNCTION                     begins a function
 *   P(name)  P_ARRAY(name)[i]         its parameters
 *   TABLE(name)[i]  TABLE_COUNT(name) a table of the controller; there is memory for 8 floats,
 *                   however short it is
 *   MODEL_STATES MODEL_CONTROLS       numbers of states and controls
 *   MODEL_ANGLES                      set of the states that are angles: bit i is state i < 32
 *   POSE_X POSE_Y POSE_HEADING SPEED TURN VELOCITY_X VELOCITY_Y
 *                                     indices into x, as the model describes them
 *   STEPS  w->dt                      T, and the length of a step in seconds
 *   hed_fma(a, b, c)                  a b + c in one step; in strict mode, where nothing else is
 *                                     contracted, it also saves time
 *   mppi_sin_cos mppi_sin mppi_cos mppi_exp mppi_log mppi_tanh mppi_atan2 mppi_sqrt mppi_divide
 *   mppi_reciprocal mppi_square mppi_wrap mppi_floor mppi_abs mppi_min mppi_max mppi_clamp
 *   mppi_select
 *   mppi_crash(cost)                  cost of a state that must not be: `cost`; 0: the sample is out
 *   mppi_difference(a, b, i)          a - b of state i; an angle's by the shorter turn
 *   mppi_nearest_turn(a, b, i)        a; of an angle, its equal nearest to b
 *   mppi_grid_at mppi_path_nearest    maps and paths in tables
 *   MPPI_TEAM                         number of work items that move one sample together, all
 *                                     with the same x and u; 1, 2, 4 ... 32. A text with this
 *                                     word may divide its work: mppi_member() is the index of
 *                                     this item, mppi_of_member(y, n) the value of item n,
 *                                     mppi_team_sum(y) the sum over all, by halves
 *   MPPI_UNROLL                       before a loop of fixed length that must be unrolled
 *
 * Angles are in radians; beyond 131,072 sine and cosine are NaN. Private arrays are indexed by
 * constants, or in loops that unroll. */
#ifndef MPPI_WORDS_H
#define MPPI_WORDS_H

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)
#define MPPI_ON_DEVICE 1
#if defined(__OPENCL_C_VERSION__)
#define MPPI_FUNCTION static inline __attribute__((unused))
#else
#define MPPI_FUNCTION static __device__ __forceinline__ __attribute__((unused))
#endif
#define MPPI_FAST (!HED_STRICT)
#else
#include "heddle/math.h"
#define MPPI_ON_DEVICE 0
#define MPPI_FUNCTION static inline __attribute__((always_inline, unused))
#define MPPI_FAST 0
#define __global
#define __local
typedef uint32_t uint;
#endif

#if MPPI_ON_DEVICE || defined(__clang__)
#define MPPI_UNROLL _Pragma("unroll")
#else
#define MPPI_UNROLL _Pragma("GCC unroll 64")
#endif

/* 1.5 * 2^23: the sum with a float of at most 2^22 is rounded to an integer, which is in the low
 * bits of the sum. */
#define MPPI_ROUNDER 12582912.0f

/* Arguments of a text in addition to state and control. */
typedef struct mppi_world {
    __local const float *p; /* parameters: all of them on a device, those of the text in C */
#if MPPI_ON_DEVICE
    __global const float
        *tables; /* one after the other, at offsets that solver/mppi_text.c defines */
    __local const float *moving; /* parameters that change with time, after the step in hand */
    int controller;              /* number in its fleet, for tables of each controller's own */
#else
    const float *const *tables; /* tables of the text */
    const uint32_t *table_counts;
    const struct hed_mppi_model *model;
    int steps;
#endif
    float dt;
} mppi_world;
#define MPPI_WORLD const mppi_world *

/* ---- arithmetic ---- */

MPPI_FUNCTION float mppi_min(float a, float b) { return a < b ? a : b; }
MPPI_FUNCTION float mppi_max(float a, float b) { return a > b ? a : b; }
/* Clamps x; NaN stays NaN. */
MPPI_FUNCTION float mppi_clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}
/* Clamps a control to its rates: changes of at most `up` from the previous control `before`, and of
 * at most `down` towards 0. */
MPPI_FUNCTION float mppi_rate(float u, float before, float up, float down)
{
    float fall = before > 0.0f ? down : up, rise = before < 0.0f ? down : up;
    return mppi_clamp(u, before - fall, before + rise);
}
/* Returns `yes` if the condition (0 or 1) is 1, else `no`. Both are computed: a processor's
 * compiler would put a table's load behind a branch, and not make SIMD code of it. */
MPPI_FUNCTION float mppi_select(int condition, float yes, float no)
{
#if MPPI_ON_DEVICE
    return condition ? yes : no;
#else
    uint mask = 0u - (uint)condition;
    return hed_as_float((hed_as_uint(yes) & mask) | (hed_as_uint(no) & ~mask));
#endif
}
MPPI_FUNCTION float mppi_abs(float x)
{
#if MPPI_ON_DEVICE
    return fabs(x);
#else
    return hed_magnitude(x);
#endif
}
MPPI_FUNCTION float mppi_square(float x) { return x * x; }

/* Square root; in strict mode 0 below 2^-101. */
MPPI_FUNCTION float mppi_sqrt(float x)
{
#if MPPI_FAST
    return hed_near_sqrt(x);
#else
#if MPPI_ON_DEVICE
    float root = hed_exact_sqrt(x);
#else
    float root = sqrtf(x);
#endif
    root = x > 3.40282347e38f ? x : root;
    return mppi_abs(x) < 3.9443045e-31f ? 0.0f : root;
#endif
}

/* 1 / x; in strict mode correctly rounded from 2^-126 to 2^126, and beyond NaN: the operator,
 * which is correct everywhere, branches. */
MPPI_FUNCTION float mppi_reciprocal(float x)
{
#if MPPI_FAST
    return hed_near_rcp(x);
#else
#if MPPI_ON_DEVICE
    float inverse = hed_exact_rcp(x);
#else
    float inverse = 1.0f / x;
#endif
    float a = mppi_abs(x), none = hed_as_float(HED_NAN_BITS);
    inverse = a >= 1.17549435e-38f ? inverse : none;
    return a <= 8.50705917e37f ? inverse : none;
#endif
}

/* a / b to 2 ulp, within the range of mppi_reciprocal(b). */
MPPI_FUNCTION float mppi_divide(float a, float b) { return a * mppi_reciprocal(b); }

/* The nearest integer, ties to even, for |x| <= 2^22. */
MPPI_FUNCTION float mppi_nearest(float x) { return (x + MPPI_ROUNDER) - MPPI_ROUNDER; }

/* The largest integer not above x, for |x| <= 2^22. */
MPPI_FUNCTION float mppi_floor(float x)
{
    float n = mppi_nearest(x);
    return n > x ? n - 1.0f : n;
}

/* Sine and cosine to 2e-7: x = n pi + r with |r| <= pi / 2, minimax polynomials of degree 9 and
 * 8. */
MPPI_FUNCTION void mppi_sin_cos(float x, float *sine, float *cosine)
{
#if MPPI_FAST
    *sine = hed_near_sin(x);
    *cosine = hed_near_cos(x);
#else
    float t = hed_fma(x, 0.318309886f, MPPI_ROUNDER), n = t - MPPI_ROUNDER;
    float near = mppi_abs(x) <= 131072.0f ? x : hed_as_float(HED_NAN_BITS);
    float r = hed_fma(-n, -8.74227766e-08f, hed_fma(-n, 3.14159274f, near)), z = r * r;
    float s = hed_fma(z, 2.59882358e-06f, -0.000198060283f),
          c = hed_fma(z, 2.31890335e-05f, -0.00138557085f);
    s = hed_fma(z, s, 0.00833300874f);
    c = hed_fma(z, c, 0.0416639633f);
    s = hed_fma(z, s, -0.166666567f);
    c = hed_fma(z, c, -0.499999315f);
    *sine = hed_flip(hed_fma(r * z, s, r), hed_as_uint(t) << 31);
    *cosine = hed_flip(hed_fma(z, c, 1.0f), hed_as_uint(t) << 31);
#endif
}
MPPI_FUNCTION float mppi_sin(float x)
{
    float s, c;
    mppi_sin_cos(x, &s, &c);
    return s;
}
MPPI_FUNCTION float mppi_cos(float x)
{
    float s, c;
    mppi_sin_cos(x, &s, &c);
    return c;
}

MPPI_FUNCTION float mppi_exp(float x)
{
#if MPPI_FAST
    return hed_near_exp2(x * 1.44269504f);
#else
    return hed_exp(x);
#endif
}

/* Natural logarithm of a normal number above 0, with relative error 4e-7: x = 2^e (1 + f) with 1
 * + f from sqrt(1/2) to sqrt(2), a minimax polynomial of degree 8. */
MPPI_FUNCTION float mppi_log(float x)
{
#if MPPI_FAST
    return hed_near_log2(x) * 0.693147181f;
#else
    uint bits = hed_as_uint(x) - 0x3f3504f3u;
    float e = hed_as_float((uint)((int)bits >> 23) + 0x4b400000u) - MPPI_ROUNDER;
    float f = hed_as_float((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    float p = hed_fma(f, -0.10083387f, 0.161799848f);
    p = hed_fma(f, p, -0.172426343f);
    p = hed_fma(f, p, 0.199069276f);
    p = hed_fma(f, p, -0.249712899f);
    p = hed_fma(f, p, 0.333347142f);
    p = hed_fma(f, p, -0.500003219f);
    return hed_fma(e, 0.693147182f, hed_fma(f * f, p, f));
#endif
}

MPPI_FUNCTION float mppi_tanh(float x)
{
    float a = mppi_min(mppi_abs(x), 10.0f), e = mppi_exp(-2.0f * a);
    return hed_flip(mppi_divide(1.0f - e, 1.0f + e), hed_as_uint(x));
}

/* Angle of (x, y) to about 1e-6; 0 for (0, 0). */
MPPI_FUNCTION float mppi_atan2(float y, float x)
{
    float a = mppi_abs(y), b = mppi_abs(x);
    float t = mppi_divide(mppi_min(a, b), mppi_max(mppi_max(a, b), 1.17549435e-38f)), z = t * t;
    /* minimax of atan(t) / t over [0, 1] */
    float p = hed_fma(z, -0.0117212f, 0.05265332f);
    p = hed_fma(z, p, -0.11643287f);
    p = hed_fma(z, p, 0.19354346f);
    p = hed_fma(z, p, -0.33262347f);
    p = hed_fma(z, p, 0.99997726f) * t;
    p = a > b ? 1.57079637f - p : p;
    p = hed_as_uint(x) >> 31 ? 3.14159274f - p : p;
    return hed_flip(p, hed_as_uint(y));
}

/* Wraps an angle to -pi to pi. */
MPPI_FUNCTION float mppi_wrap(float angle)
{
    return hed_fma(-6.28318548f, mppi_nearest(angle * 0.159154937f), angle);
}

/* Returns the difference a - b of two values of state `i`, an angle's from -pi to pi; `angles`: set of
 * the states that are angles. Every difference of states uses this function. */
MPPI_FUNCTION float mppi_state_difference(uint angles, int i, float a, float b)
{
    float difference = a - b;
    return (i < 32 && (angles >> (i & 31) & 1u)) ? mppi_wrap(difference) : difference;
}
/* Returns angle `a` plus the whole turns that bring it nearest to `b`; any other state unchanged. */
MPPI_FUNCTION float mppi_state_nearest_turn(uint angles, int i, float a, float b)
{
    float turns = mppi_nearest((a - b) * 0.159154937f);
    return (i < 32 && (angles >> (i & 31) & 1u)) ? hed_fma(-6.28318548f, turns, a) : a;
}
#define mppi_difference(a, b, i) mppi_state_difference(MODEL_ANGLES, (i), (a), (b))
#define mppi_nearest_turn(a, b, i) mppi_state_nearest_turn(MODEL_ANGLES, (i), (a), (b))

/* Returns the cost of a collision: `cost`; 0: 3e38, which makes a sample invalid as infinity does,
 * except that a term of weight 0 has no effect. */
MPPI_FUNCTION float mppi_crash(float cost) { return cost == 0.0f ? 3e38f : cost; }

/* ---- teams ---- */

#if defined(TEAM) && MPPI_ON_DEVICE && HED_HAS_LANES
#define MPPI_TEAM TEAM
MPPI_FUNCTION int mppi_member(void) { return (int)(hed_lane_id() % MPPI_TEAM); }
MPPI_FUNCTION float mppi_of_member(float y, int n)
{
    return MPPI_TEAM > 1 ? hed_lane_shuffle(y, hed_lane_id() / MPPI_TEAM * MPPI_TEAM + (uint)n) : y;
}
MPPI_FUNCTION float mppi_team_sum(float y)
{
    for (uint half = MPPI_TEAM / 2; half; half /= 2) y += hed_lane_xor(y, half);
    return y;
}
#else
#define MPPI_TEAM 1
MPPI_FUNCTION int mppi_member(void) { return 0; }
MPPI_FUNCTION float mppi_of_member(float y, int n)
{
    (void)n;
    return y;
}
MPPI_FUNCTION float mppi_team_sum(float y) { return y; }
#endif

/* ---- maps and paths in tables ---- */

enum { MPPI_GRID_HEAD = 8, MPPI_PATH_SEGMENT = 8 };

/* Returns the value of a grid, a table of `count` floats, at (x, y): between the centres of its
 * cells by bilinear interpolation, beyond the outermost centres that of the nearest; `outside`
 * off the grid, for NaN, and if the table is too short. A grid's table begins with its width and
 * height in cells (both at least 2), the centre of its first cell (x, y), and cells for each
 * metre; its values begin at MPPI_GRID_HEAD, rows of x, lowest y first. */
MPPI_FUNCTION float mppi_grid_at(
    __global const float *grid, uint count, float x, float y, float outside)
{
    int whole = (int)(grid[0] >= 2.0f) & (int)(grid[1] >= 2.0f) &
                (int)(grid[0] * grid[1] <= (float)count - (float)MPPI_GRID_HEAD);
    /* a table that is no grid counts as 2 x 2 cells, so that each index below is defined */
    float columns = mppi_select(whole, grid[0], 2.0f), rows = mppi_select(whole, grid[1], 2.0f);
    float column = (x - grid[2]) * grid[4], row = (y - grid[3]) * grid[4];
    float last_column = columns - 1.0f, last_row = rows - 1.0f;
    /* NaN becomes 0 by the comparison */
    float c = mppi_min(mppi_max(column, 0.0f), last_column),
          r = mppi_min(mppi_max(row, 0.0f), last_row);
    int whole_c = (int)mppi_min(c, last_column - 1.0f), whole_r = (int)mppi_min(r, last_row - 1.0f);
    int at = whole * (MPPI_GRID_HEAD + whole_r * (int)columns + whole_c);
    int upper = at + whole * (int)columns;
    float share_c = c - (float)whole_c, share_r = r - (float)whole_r;
    float low = hed_fma(grid[at + 1] - grid[at], share_c, grid[at]);
    float high = hed_fma(grid[upper + 1] - grid[upper], share_c, grid[upper]);
    /* half a cell around the outermost centres belongs to the grid */
    int inside = whole & (int)(mppi_abs(column - c) <= 0.5f) & (int)(mppi_abs(row - r) <= 0.5f);
    return mppi_select(inside, hed_fma(high - low, share_r, low), outside);
}

/* Position relative to a path. */
typedef struct mppi_on_path {
    float distance; /* distance from the nearest segment, m */
    float ahead;    /* length of the path after the nearest point, m */
    float heading;  /* heading of the nearest segment, rad */
} mppi_on_path;

/* Finds the nearest of a path's segments. The table has for each: begin (x, y), vector to the
 * end (x, y), 1 / length^2, length of the path from the segment's begin on, length, heading. */
MPPI_FUNCTION mppi_on_path mppi_path_nearest(
    __global const float *path, uint count, float x, float y)
{
    mppi_on_path nearest = {1e30f, 0.0f, 0.0f};
    int segments = (int)(count / MPPI_PATH_SEGMENT), i = 0;
    do { /* no branch, so that a processor's compiler makes SIMD code of it */
        __global const float *s = path + MPPI_PATH_SEGMENT * i;
        float dx = x - s[0], dy = y - s[1];
        float share = (dx * s[2] + dy * s[3]) * s[4];
        share = mppi_select(share > 0.0f, share, 0.0f);
        share = mppi_select(share < 1.0f, share, 1.0f);
        dx -= share * s[2];
        dy -= share * s[3];
        float square = dx * dx + dy * dy, ahead = s[5] - share * s[6];
        int nearer = (int)(square < nearest.distance) & (int)(i < segments);
        nearest.distance = mppi_select(nearer, square, nearest.distance);
        nearest.ahead = mppi_select(nearer, ahead, nearest.ahead);
        nearest.heading = mppi_select(nearer, s[7], nearest.heading);
    } while (++i < segments);
    nearest.distance = mppi_sqrt(nearest.distance);
    return nearest;
}

/* ---- noise: Philox4x32-10 (Salmon et al. 2011), then Box and Muller 1958 ---- */

typedef struct mppi_words {
    uint w[4];
} mppi_words;

/* Returns four random words for a counter. */
MPPI_FUNCTION mppi_words mppi_philox(uint c0, uint c1, uint c2, uint c3, uint k0, uint k1)
{
    mppi_words out;
    for (int round = 0; round < 10; round++) {
        uint h0 = hed_multiply_high(0xd2511f53u, c0), l0 = 0xd2511f53u * c0;
        uint h1 = hed_multiply_high(0xcd9e8d57u, c2), l1 = 0xcd9e8d57u * c2;
        c0 = h1 ^ c1 ^ k0;
        c1 = l1;
        c2 = h0 ^ c3 ^ k1;
        c3 = l0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out.w[0] = c0;
    out.w[1] = c1;
    out.w[2] = c2;
    out.w[3] = c3;
    return out;
}

/* Converts two words to two independent normal numbers: the radius by a uniform number in (0,
 * 1], the angle by one in [-1/4, 1/4) of a turn, 23 bits each, and one bit for the opposite
 * side. Sine and cosine of pi turn to 7e-7. */
MPPI_FUNCTION void mppi_normal_pair(uint a, uint b, float *first, float *second)
{
    float unit = 2.0f - hed_as_float((a & 0x007fffffu) | 0x3f800000u);
    float turn = hed_as_float((b & 0x007fffffu) | 0x3f800000u) - 1.5f;
#if MPPI_FAST
    float radius = hed_near_sqrt(-1.38629436f * hed_near_log2(unit));
    float s = hed_near_sin(3.14159265f * turn), c = hed_near_cos(3.14159265f * turn);
#else
    float radius = mppi_sqrt(-2.0f * mppi_log(unit)), z = turn * turn;
    float s = hed_fma(z, -0.554628372f, 2.54189563f), c = hed_fma(z, 0.220006987f, -1.33206236f);
    s = hed_fma(z, s, -5.16714239f);
    c = hed_fma(z, c, 4.05844736f);
    s = turn * hed_fma(z, s, 3.14158201f);
    c = hed_fma(z, hed_fma(z, c, -4.93479538f), 1.0f);
#endif
    radius = hed_flip(radius, b);
    *first = radius * c;
    *second = radius * s;
}

/* Draws normal numbers 4 q to 4 q + 3 of a sample: `stream` is the controller's number in its
 * fleet, `round` counts rounds of sampling. */
MPPI_FUNCTION void mppi_normals(
    uint sample, uint q, uint round, uint stream, uint seed_low, uint seed_high, float *normal)
{
    mppi_words r = mppi_philox(sample, q, round, stream, seed_low, seed_high);
    mppi_normal_pair(r.w[0], r.w[1], &normal[0], &normal[1]);
    mppi_normal_pair(r.w[2], r.w[3], &normal[2], &normal[3]);
}

#endif
