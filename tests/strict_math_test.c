/* support/strict_math.h: accuracy against the C library's long doubles, special cases against
 * C99's, and fixed hashes: the bits are the same on every processor and by every C library. */
#include "testing.h"

#include <math.h>

#include "base/hash.h"
#include "strict_kernels/inputs.h"
#include "support/strict_math.h"

/* A double in [low, high): exact in its arithmetic, so that every machine draws the same. */
static double draw(uint64_t *state, double low, double high)
{
    double upper = next_random(state) * 0x1p-32, lower = next_random(state) * 0x1p-64;
    double unit = upper + lower;
    return low + (high - low) * unit;
}

static double distance(double got, long double exact)
{
    int exponent;
    if (isnan((double)exact)) return isnan(got) ? 0 : INFINITY;
    if (exact == 0 || isinf((double)exact)) return got == (double)exact ? 0 : INFINITY;
    frexpl(exact, &exponent);
    if (exponent < -1021) exponent = -1021; /* denormal */
    return (double)(fabsl(got - exact) / ldexpl(1, exponent - 53));
}

typedef struct subject {
    const char *name;
    double (*own)(double);
    double (*library)(double);
    long double (*exact)(long double);
    double low, high;
    bool by_exponent; /* arguments are 2^low to 2^high */
    double limit;     /* ulp */
} subject;

static const subject subjects[] = {
    {"exp", hed_strict_exp, exp, expl, -708, 709, false, 0.56},
    {"exp2", hed_strict_exp2, exp2, exp2l, -1022, 1023, false, 0.56},
    {"log", hed_strict_log, log, logl, -1074, 1023, true, 0.51},
    {"log", hed_strict_log, log, logl, 0.5, 2, false, 0.51},
    {"log2", hed_strict_log2, log2, log2l, -1074, 1023, true, 0.51},
    {"log2", hed_strict_log2, log2, log2l, 0.5, 2, false, 0.51},
    {"log10", hed_strict_log10, log10, log10l, -1074, 1023, true, 0.51},
    {"log10", hed_strict_log10, log10, log10l, 0.5, 2, false, 0.51},
    {"sin", hed_strict_sin, sin, sinl, -10, 10, false, 0.8},
    {"sin", hed_strict_sin, sin, sinl, -1e9, 1e9, false, 0.8},
    {"cos", hed_strict_cos, cos, cosl, -10, 10, false, 0.8},
    {"cos", hed_strict_cos, cos, cosl, -1e9, 1e9, false, 0.8},
    {"asin", hed_strict_asin, asin, asinl, -1, 1, false, 2.2},
    {"acos", hed_strict_acos, acos, acosl, -1, 1, false, 1.6},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, DRAWS = 50000 };

static double argument(const subject *s, uint64_t *state)
{
    double x = draw(state, s->low, s->high), whole = floor(x);
    return s->by_exponent ? ldexp(1 + (x - whole), (int)whole) : x;
}

Test(strict_math, functions_of_one_argument_are_as_near_as_promised)
{
    for (int k = 0; k < SUBJECTS; k++) {
        uint64_t state = 7;
        double worst = 0, at = 0;
        for (int i = 0; i < DRAWS; i++) {
            double x = argument(&subjects[k], &state);
            double d = distance(subjects[k].own(x), subjects[k].exact(x));
            if (!(d <= worst)) worst = d, at = x;
        }
        EXPECT(worst <= subjects[k].limit, "%s(%a): %g ulp; expected at most %g", subjects[k].name,
            at, worst, subjects[k].limit);
    }
}

Test(strict_math, powers_and_angles_of_sides_are_as_near_as_promised)
{
    uint64_t state = 11;
    for (int i = 0; i < DRAWS; i++) {
        double x = hed_strict_exp(draw(&state, -30, 30)), y = draw(&state, -20, 20);
        double d = distance(hed_strict_pow(x, y), powl(x, y));
        CHECK(d <= 0.56, "pow(%a, %a): %g ulp", x, y, d);
        double small = draw(&state, 0.99, 1.01), large = draw(&state, -20000, 20000);
        d = distance(hed_strict_pow(small, large), powl(small, large));
        CHECK(d <= 0.56, "pow(%a, %a): %g ulp", small, large, d);
        double side = draw(&state, -1, 1), other = side * hed_strict_exp(y);
        d = distance(hed_strict_atan2(other, -side), atan2l(other, -side));
        CHECK(d <= 1.2, "atan2(%a, %a): %g ulp", other, -side, d);
    }
}

/* ---- special cases: those of C99 ---- */

static const double specials[] = {0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, INFINITY, -INFINITY,
    NAN, 1e308, -1e308, 5e-324, -5e-324, 1e-310, 0x1p53, -0x1p53 - 2, 1100, -1100};
enum { COUNT = sizeof specials / sizeof *specials };

/* Same class and sign; where finite and not 0, one within 2 ulp of the other. */
static bool is_alike(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (!signbit(a) != !signbit(b)) return false;
    return a == b || (isfinite(a) && isfinite(b) && a != 0 && b != 0 && distance(a, b) <= 2);
}

Test(strict_math, special_cases_are_those_of_c99)
{
    for (int i = 0; i < COUNT; i++) {
        double x = specials[i];
        bool is_angle = fabs(x) < 0x1p52 || !isfinite(x);
        for (int k = 0; k < SUBJECTS; k++) {
            const subject *s = &subjects[k];
            if (!is_angle && (s->library == sin || s->library == cos)) continue;
            EXPECT(is_alike(s->own(x), s->library(x)), "%s(%g) is %g; expected %g", s->name, x,
                s->own(x), s->library(x));
        }
        for (int j = 0; j < COUNT; j++) {
            double y = specials[j], power = hed_strict_pow(x, y), angle = hed_strict_atan2(x, y);
            EXPECT(is_alike(power, pow(x, y)), "pow(%g, %g) is %g", x, y, power);
            EXPECT(is_alike(angle, atan2(x, y)), "atan2(%g, %g) is %g", x, y, angle);
        }
    }
    for (int i = 0; i <= 22; i++) { /* exact powers of ten */
        double ten = hed_strict_pow(10, i);
        EXPECT_EQ(hed_strict_log10(ten), i);
        EXPECT_EQ(
            ten, strtod((char[]){'1', 'e', (char)('0' + i / 10), (char)('0' + i % 10), 0}, NULL));
    }
    EXPECT_EQ(hed_strict_hypot(3, -4), 5);
}

/* ---- bits ---- */

Test(strict_math, bits_are_the_same_everywhere)
{
    static const char *const expected = "601487749be9a52f57e17324cd97c678";
    hed_hash hash = hed_hash_start();
    uint64_t state = 5;
    for (int k = 0; k < SUBJECTS; k++)
        for (int i = 0; i < 20000; i++) {
            double result = subjects[k].own(argument(&subjects[k], &state));
            hash = hed_hash_bytes(hash, &result, sizeof result);
        }
    for (int i = 0; i < 20000; i++) {
        double x = draw(&state, 0, 100), y = draw(&state, -50, 50);
        double results[3] = {hed_strict_pow(x, y), hed_strict_atan2(x, y), hed_strict_hypot(x, y)};
        hash = hed_hash_bytes(hash, results, sizeof results);
    }
    char text[33];
    hed_hash_format(hash, text);
    EXPECT_TEXT(text, expected);
}
