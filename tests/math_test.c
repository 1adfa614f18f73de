/* Heddle's mathematics in C: accuracy against the C library's double functions, special cases
 * against C99's, conversions and bits. That other devices give the same bits is strict_test.c's
 * part.
 *
 * The limits below are what was measured over every float; the sweep here takes about one float in
 * a thousand, all around powers of two and multiples of pi / 2, and the special values. hed_pow and
 * hed_atan2 get pairs made by a generator. */
#include "testing.h"

#include "strict_kernels/inputs.h"

static float of_bits(uint32_t bits) { return hed_as_float(bits); }

/* ---- distance in units of the last place ---- */

static double last_place(double exact)
{
    int exponent;
    frexp(exact, &exponent);
    if (exponent < -125) exponent = -125; /* denormal */
    if (exponent > 128) exponent = 128;
    return ldexp(1.0, exponent - 24);
}

/* Infinite where NaN, infinity or a zero's sign is not as it should be. */
static double distance(float got, double exact)
{
    if (isnan(exact)) return isnan(got) ? 0.0 : INFINITY;
    if (isnan(got) || !signbit(got) != !signbit(exact)) return INFINITY;
    if (isinf(exact) || exact == 0.0) return (double)got == exact ? 0.0 : INFINITY;
    if (isinf((float)exact) && isinf(got)) return 0.0;
    return fabs(got - exact) / last_place(exact);
}

typedef struct worst {
    double distance;
    float x, y;
    uint64_t tried;
} worst;

static void note(worst *w, double d, float x, float y)
{
    w->tried++;
    if (d > w->distance) *w = (worst){d, x, y, w->tried};
}

static void report(const char *name, const worst *w, double limit)
{
    printf("%s: %.4f ulp at most (limit %.2f), at %a %a, %llu tried\n", name, w->distance, limit,
        w->x, w->y, (unsigned long long)w->tried);
    EXPECT(w->distance <= limit, "%s(%a, %a): %g ulp, the header promises %g", name, w->x, w->y,
        w->distance, limit);
}

/* ---- functions of one argument ---- */

typedef struct unary {
    const char *name;
    float (*own)(float);
    double (*exact)(double);
    double limit;
    float worst; /* where it was found */
} unary;

static double exact_rsqrt(double x) { return x == 0.0 ? copysign(INFINITY, x) : 1.0 / sqrt(x); }

static const unary unaries[] = {
    {"hed_sin", hed_sin, sin, 1.58, 0x1.ce5738p+87f},
    {"hed_cos", hed_cos, cos, 1.58, 0x1.d02c14p+30f},
    {"hed_tan", hed_tan, tan, 1.49, 0x1.cf638cp+8f},
    {"hed_exp", hed_exp, exp, 0.90, -0x1.765026p+2f},
    {"hed_log", hed_log, log, 0.93, 0x1.69b14cp-1f},
    {"hed_tanh", hed_tanh, tanh, 1.59, 0x1.1ba7bp-1f},
    {"hed_rsqrt", hed_rsqrt, exact_rsqrt, 1.00, 0x1.0001b4p-126f},
};
enum { UNARIES = sizeof unaries / sizeof *unaries };

static void try_around(const unary *f, worst *w, float x)
{
    uint32_t bits = hed_as_uint(x);
    for (uint32_t i = 0; i < 65; i++) {
        float near = of_bits(bits + i - 32);
        note(w, distance(f->own(near), f->exact(near)), near, 0.0f);
        note(w, distance(f->own(-near), f->exact(-near)), -near, 0.0f);
    }
}

Test(math, functions_of_one_argument_are_as_near_as_promised)
{
    for (int k = 0; k < UNARIES; k++) {
        const unary *f = &unaries[k];
        worst w = {0};
        for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 1021) {
            float x = of_bits((uint32_t)bits);
            note(&w, distance(f->own(x), f->exact(x)), x, 0.0f);
        }
        try_around(f, &w, f->worst);
        for (int e = -149; e < 128; e++)
            try_around(
                f, &w, ldexpf(1.0f, e)); /* the edge of the far reduction, 2^17, among them */
        for (int n = 1; n < 400; n++) try_around(f, &w, (float)(n * 1.5707963267948966));
        static const float edges[] = {
            0.0f, INFINITY, NAN, 88.72284f, 87.33655f, 103.97208f, 0.55f, 9.0109f, 1.41421356f};
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) try_around(f, &w, edges[i]);
        report(f->name, &w, f->limit);
    }
}

/* ---- functions of two ---- */

/* Pairs of several kinds; of pow, mostly such that the result is a number. */
static void make_pow(uint32_t kind, uint64_t *state, float *x, float *y)
{
    *x = of_bits(next_random(state));
    *y = of_bits(next_random(state));
    if (kind == 0) return;
    if (kind == 1) { /* small whole exponents */
        *x = next_unit(state) * 8.0f - 4.0f;
        *y = (float)(next_random(state) % 41) - 20.0f;
        return;
    }
    if (kind == 2) *x = hed_magnitude(*x);
    else *x = 1.0f + ldexpf(next_unit(state) - 0.5f, -(int)(next_random(state) % 20));
    double scale = log2((double)*x);
    double power = kind == 2 ? next_unit(state) * 300.0 - 150.0 : 120.0 + next_unit(state) * 8.0;
    *y = scale == 0.0 || isnan(scale) || isinf(scale) ? 1.0f : (float)(power / scale);
}

static void make_atan2(uint32_t kind, uint64_t *state, float *y, float *x)
{
    *y = of_bits(next_random(state));
    *x = of_bits(next_random(state));
    if (kind == 1) { /* the same magnitude or nearly */
        *y = next_unit(state) * 4.0f - 2.0f;
        *x = next_unit(state) * 4.0f - 2.0f;
    } else if (kind == 2) {
        *y = of_bits((hed_as_uint(*y) & 0x80ffffffu) | (hed_as_uint(*x) & 0x7f000000u));
    } else if (kind == 3) { /* denormal or nearly */
        *y = of_bits(hed_as_uint(*y) & 0x81ffffffu);
        *x = of_bits(hed_as_uint(*x) & 0x81ffffffu);
    }
}

/* Whole and half numbers about where floats cease to have halves, and what ends a range, beside the
 * common specials. */
static float special_operand(uint32_t index)
{
    static const float more[] = {2.0f, 0x1p24f, 0x1.fffffep23f, 0x1p25f, 8388607.5f, 8388609.0f,
        1e10f, 127.0f, 128.0f, 149.0f, 150.0f};
    return index < SPECIALS ? special(index) : more[index - SPECIALS];
}

typedef struct binary {
    const char *name;
    float (*own)(float, float);
    double (*exact)(double, double);
    void (*make)(uint32_t kind, uint64_t *state, float *a, float *b);
    double limit;
} binary;

static void try_pairs(const binary *f)
{
    worst w = {0};
    enum { PAIRS = 1 << 20, OPERANDS = SPECIALS + 11 };
    uint64_t state = 1;
    for (uint32_t i = 0; i < PAIRS; i++) {
        float a, b;
        f->make(i % 4, &state, &a, &b);
        note(&w, distance(f->own(a, b), f->exact(a, b)), a, b);
    }
    for (uint32_t i = 0; i < 4 * OPERANDS * OPERANDS; i++) {
        float a = special_operand(i / 4 % OPERANDS), b = special_operand(i / 4 / OPERANDS);
        a = i & 1 ? -a : a;
        b = i & 2 ? -b : b;
        note(&w, distance(f->own(a, b), f->exact(a, b)), a, b);
    }
    report(f->name, &w, f->limit);
}

Test(math, pow_is_as_near_as_promised)
{
    try_pairs(&(binary){"hed_pow", hed_pow, pow, make_pow, 0.94});
}
Test(math, atan2_is_as_near_as_promised)
{
    try_pairs(&(binary){"hed_atan2", hed_atan2, atan2, make_atan2, 1.56});
}

/* ---- comparisons, conversions, bits ---- */

Test(math, conversions_saturate)
{
    static const struct {
        float x;
        int32_t i;
        uint32_t u;
    } cases[] = {
        {0.0f, 0, 0},
        {-0.0f, 0, 0},
        {0.99f, 0, 0},
        {-0.99f, 0, 0},
        {1.5f, 1, 1},
        {-1.5f, -1, 0},
        {0x1p-149f, 0, 0},
        {2147483520.0f, 2147483520, 2147483520u},
        {2147483648.0f, INT32_MAX, 2147483648u},
        {4294967040.0f, INT32_MAX, 4294967040u},
        {4294967296.0f, INT32_MAX, UINT32_MAX},
        {-2147483520.0f, -2147483520, 0},
        {-2147483648.0f, INT32_MIN, 0},
        {-2147483904.0f, INT32_MIN, 0},
        {INFINITY, INT32_MAX, UINT32_MAX},
        {-INFINITY, INT32_MIN, 0},
        {NAN, 0, 0},
        {-NAN, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT_EQ(
            hed_int(cases[i].x), cases[i].i, "hed_int(%a) is %d", cases[i].x, hed_int(cases[i].x));
        EXPECT_EQ(hed_uint(cases[i].x), cases[i].u, "hed_uint(%a) is %u", cases[i].x,
            hed_uint(cases[i].x));
    }
}

Test(math, comparisons_choose_as_documented)
{
    EXPECT(hed_min(1.0f, 2.0f) == 1.0f && hed_min(2.0f, 1.0f) == 1.0f);
    EXPECT(hed_max(1.0f, 2.0f) == 2.0f && hed_max(2.0f, 1.0f) == 2.0f);
    EXPECT(hed_min(NAN, 2.0f) == 2.0f && isnan(hed_min(2.0f, NAN)));
    EXPECT(hed_max(NAN, 2.0f) == 2.0f && isnan(hed_max(2.0f, NAN)));
    EXPECT(!signbit(hed_min(-0.0f, 0.0f)) && signbit(hed_min(0.0f, -0.0f)));
    EXPECT(!signbit(hed_max(-0.0f, 0.0f)) && signbit(hed_max(0.0f, -0.0f)));
    EXPECT(hed_clamp(-3.0f, -1.0f, 1.0f) == -1.0f && hed_clamp(3.0f, -1.0f, 1.0f) == 1.0f);
    EXPECT(hed_clamp(0.5f, -1.0f, 1.0f) == 0.5f && isnan(hed_clamp(NAN, -1.0f, 1.0f)));
}

Test(math, every_nan_hashes_alike)
{
    static const uint32_t nans[] = {
        0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0x7f800001u, 0xff800001u, 0xffffffffu};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        EXPECT_EQ(hed_canonical_bits(of_bits(nans[i])), 0x7fc00000u);
    static const uint32_t others[] = {0u, 0x80000000u, 1u, 0x7f800000u, 0xff800000u, 0x3f800000u};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_EQ(hed_canonical_bits(of_bits(others[i])), others[i]);
}
