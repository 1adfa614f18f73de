/* Exponentials, logarithms, powers and angles as polynomials in double-double arithmetic (Dekker
 * 1971): a number is the sum of two doubles, the second at most half a unit in the last place of
 * the first. Polynomials are Taylor's, on short intervals. */
#include "support/strict_math.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct double_double {
    double high, low;
} double_double;

/* ---- sums and products without an error ---- */

/* a + b; |a| >= |b|, or a is 0. */
static double_double sum_of_ordered(double a, double b)
{
    double high = a + b;
    return (double_double){high, b - (high - a)};
}

static double_double twofold_sum(double a, double b)
{
    double high = a + b, part = high - a;
    return (double_double){high, (a - (high - part)) + (b - part)};
}

/* Splits a into its upper 26 bits and the remaining bits. */
static double_double halves(double a)
{
    double shifted = 134217729.0 * a, high = shifted - (shifted - a); /* 2^27 + 1 */
    return (double_double){high, a - high};
}

/* a * b, below 2^996. */
static double_double product_of(double a, double b)
{
    double high = a * b;
    double_double p = halves(a), q = halves(b);
    return (double_double){
        high, ((p.high * q.high - high) + p.high * q.low + p.low * q.high) + p.low * q.low};
}

/* Multiplies with a relative error of 2^-102. */
static double_double twofold_product(double_double a, double_double b)
{
    double_double p = product_of(a.high, b.high);
    return sum_of_ordered(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* |a| >= |b|, or a is 0. */
static double_double add(double_double a, double_double b)
{
    double_double s = sum_of_ordered(a.high, b.high);
    return sum_of_ordered(s.high, s.low + (a.low + b.low));
}

/* c[0] + c[1] x + ... */
static double polynomial(const double *c, size_t count, double x)
{
    double value = c[count - 1];
    for (size_t i = count - 1; i-- > 0;) value = value * x + c[i];
    return value;
}
#define POLYNOMIAL(coefficients, x) \
    polynomial(coefficients, sizeof(coefficients) / sizeof *(coefficients), x)

static double nearest_integer(double x) { return x < 0 ? -floor(0.5 - x) : floor(x + 0.5); }

/* ---- exponentials ---- */

/* log 2: 41 bits, whose product with an exponent is exact, and the remainder; and as a
 * double-double. */
static const double LOG2_HEAD = 0x1.62e42fefa4p-1, LOG2_TAIL = -0x1.8432a1b0e2634p-43;
static const double_double LOG_OF_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const double_double PER_LOG_OF_2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
static const double_double PER_LOG_OF_10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

/* 2^exponent e^r, |r| <= 0.35: 1 + r + r^2 / 2 + r^3 (1/6 + r/24 + ...), the small terms added
 * first. */
static double exponential(double_double r, double exponent)
{
    static const double c[] = {1 / 6.0, 1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0, 1 / 40320.0,
        1 / 362880.0, 1 / 3628800.0, 1 / 39916800.0, 1 / 479001600.0, 1 / 6227020800.0};
    double x = r.high;
    double_double square = product_of(x, x), linear = sum_of_ordered(1, x),
                  sum = sum_of_ordered(linear.high, square.high / 2);
    double rest = square.low / 2 + (x * r.low + x * square.high * POLYNOMIAL(c, x));
    return ldexp(sum.high + (sum.low + (linear.low + (r.low + rest))), (int)exponent);
}

/* e^x for x that exceeds neither end of the range of doubles by more than a factor of 2^30. */
static double exponential_of(double_double x)
{
    double k = nearest_integer(x.high * PER_LOG_OF_2.high);
    double_double head = twofold_sum(x.high - k * LOG2_HEAD, -k * LOG2_TAIL);
    return exponential(twofold_sum(head.high, head.low + x.low), k);
}

double hed_strict_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 710) return INFINITY;
    if (x < -746) return 0;
    return exponential_of((double_double){x, 0});
}

double hed_strict_exp2(double x)
{
    if (isnan(x)) return x;
    if (x >= 1024) return INFINITY;
    if (x < -1076) return 0;
    double k = nearest_integer(x);
    return exponential(twofold_product((double_double){x - k, 0}, LOG_OF_2), k);
}

/* ---- logarithms ---- */

/* Returns l with x = 2^exponent e^l, |l| <= log(2) / 2, for a positive finite x. With s = (m - 1) /
 * (m + 1), log m = 2 s + (2/3) s^3 + (2/5) s^5 + ...; relative error 2^-66. */
static double_double logarithm(double x, int *exponent)
{
    static const double c[] = {2 / 5.0, 2 / 7.0, 2 / 9.0, 2 / 11.0, 2 / 13.0, 2 / 15.0, 2 / 17.0,
        2 / 19.0, 2 / 21.0, 2 / 23.0, 2 / 25.0, 2 / 27.0};
    static const double_double two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
    double m = frexp(x, exponent);
    if (m < 0.70710678118654752) m *= 2, --*exponent;
    double f = m - 1;
    double_double denominator = sum_of_ordered(2, f), s = {f / denominator.high, 0};
    double_double back = product_of(s.high, denominator.high);
    s.low = (((f - back.high) - back.low) - s.high * denominator.low) / denominator.high;
    double_double square = twofold_product(s, s),
                  cube = twofold_product(twofold_product(square, s), two_thirds);
    cube.low += s.high * square.high * square.high * POLYNOMIAL(c, square.high);
    return add((double_double){2 * s.high, 2 * s.low}, cube);
}

/* log x for a positive finite x. */
static double_double logarithm_of(double x)
{
    int exponent;
    double_double l = logarithm(x, &exponent);
    if (exponent == 0) return l;
    double_double head = sum_of_ordered(exponent * LOG2_HEAD, exponent * LOG2_TAIL);
    return add(head, l);
}

/* Results of a logarithm of 0, of a negative number, of infinity, of NaN. */
static bool is_special_logarithm(double x, double *result)
{
    if (x > 0 && x < INFINITY) return false;
    *result = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return true;
}

double hed_strict_log(double x)
{
    double special;
    if (is_special_logarithm(x, &special)) return special;
    double_double l = logarithm_of(x);
    return l.high + l.low;
}

double hed_strict_log2(double x)
{
    double special;
    if (is_special_logarithm(x, &special)) return special;
    int exponent;
    double_double l = twofold_product(logarithm(x, &exponent), PER_LOG_OF_2);
    if (exponent == 0) return l.high + l.low;
    double_double sum = sum_of_ordered(exponent, l.high);
    return sum.high + (sum.low + l.low);
}

double hed_strict_log10(double x)
{
    double special;
    if (is_special_logarithm(x, &special)) return special;
    double_double l = twofold_product(logarithm_of(x), PER_LOG_OF_10);
    return l.high + l.low;
}

/* ---- powers ---- */

/* |x|^y for finite |x| except 0 and 1. */
static double power_of_positive(double x, double y)
{
    double_double l = logarithm_of(x);
    /* |log x| >= 2^-53, and products beyond 2^11 overflow */
    double estimate = y * l.high;
    if (fabs(y) > 0x1p65 || fabs(estimate) > 750) return estimate > 0 ? INFINITY : 0;
    return exponential_of(twofold_product((double_double){y, 0}, l));
}

double hed_strict_pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return x + y;
    bool is_odd = fabs(y) < 0x1p53 && fmod(y, 2) != 0 && floor(y) == y;
    double size = fabs(x), sign = signbit(x) && is_odd ? -1 : 1;
    if (size == 1 && isinf(y)) return 1;
    if (isinf(y)) return (size > 1) == (y > 0) ? INFINITY : 0;
    if (size == 0 || isinf(size)) return sign * ((size == 0) == (y < 0) ? INFINITY : 0);
    if (x < 0 && floor(y) != y) return NAN;
    return sign * (size == 1 ? 1 : power_of_positive(size, y));
}

/* ---- angles ---- */

static const double_double HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const double HALF_PI_REST = -0x1.f1976b7ed8fbcp-110;

/* x - k pi / 2 for the nearest k; returns the last two bits of k. Products with the two halves of
 * pi / 2 are exact (Cody and Waite 1980). */
static int reduce_angle(double x, double_double *rest)
{
    if (fabs(x) > 0x1p52) x = fmod(x, 4 * HALF_PI.high);
    double k = nearest_integer(x * 0x1.45f306dc9c883p-1);
    double_double p = product_of(k, HALF_PI.high), q = product_of(k, HALF_PI.low);
    double_double s = twofold_sum(x - p.high, -p.low), t = twofold_sum(s.high, -q.high);
    *rest = twofold_sum(t.high, t.low + (s.low - (q.low + k * HALF_PI_REST)));
    double quarter = fmod(k, 4);
    return (int)(quarter < 0 ? quarter + 4 : quarter);
}

/* Returns sin x for |x| up to slightly above pi / 4. */
static double sine(double_double x)
{
    static const double c[] = {-1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0,
        1 / 6227020800.0, -1 / 1307674368000.0, 1 / 355687428096000.0};
    double square = x.high * x.high;
    return x.high + (x.high * square * POLYNOMIAL(c, square) + x.low * (1 - square / 2));
}

static double cosine(double_double x)
{
    static const double c[] = {1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0, 1 / 479001600.0,
        -1 / 87178291200.0, 1 / 20922789888000.0, -1 / 6402373705728000.0};
    double_double square = product_of(x.high, x.high);
    double_double sum = sum_of_ordered(1, -square.high / 2);
    return sum.high + (sum.low + (square.high * square.high * POLYNOMIAL(c, square.high) -
                                     square.low / 2 - x.high * x.low));
}

double hed_strict_sin(double x)
{
    if (x == 0 || !isfinite(x)) return x == 0 ? x : NAN;
    double_double rest;
    switch (reduce_angle(x, &rest)) {
    case 0: return sine(rest);
    case 1: return cosine(rest);
    case 2: return -sine(rest);
    default: return -cosine(rest);
    }
}

double hed_strict_cos(double x)
{
    if (!isfinite(x)) return NAN;
    double_double rest;
    switch (reduce_angle(x, &rest)) {
    case 0: return cosine(rest);
    case 1: return -sine(rest);
    case 2: return -cosine(rest);
    default: return sine(rest);
    }
}

/* atan(n / d), 0 <= n <= d, d > 0: atan z = atan c + atan t, t = (z - c) / (1 + z c), for the
 * nearest c of eighths. */
static double_double arc_tangent(double n, double d)
{
    static const double_double table[] = {{0, 0}, {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    static const double c[] = {
        -1 / 3.0, 1 / 5.0, -1 / 7.0, 1 / 9.0, -1 / 11.0, 1 / 13.0, -1 / 15.0, 1 / 17.0};
    int exponent;
    if (n / d < 0x1p-30) return (double_double){n / d, 0};
    d = frexp(d, &exponent);
    n = ldexp(n, -exponent);
    double eighths = nearest_integer(8 * (n / d)), centre = eighths / 8;
    double_double at = product_of(centre, d);
    double t = ((n - at.high) - at.low) / (d + centre * n), square = t * t;
    double_double angle = table[(int)eighths], sum = twofold_sum(angle.high, t);
    return sum_of_ordered(sum.high, sum.low + (angle.low + t * square * POLYNOMIAL(c, square)));
}

/* atan(y / x) of a right-angled triangle; its sides are neither negative nor NaN. */
static double_double angle_of_sides(double y, double x)
{
    static const double_double quarter_pi = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    if (isinf(y) && isinf(x)) return quarter_pi;
    if (y == 0 || isinf(x)) return (double_double){0, 0};
    if (x == 0 || isinf(y)) return HALF_PI;
    if (y <= x) return arc_tangent(y, x);
    double_double angle = arc_tangent(x, y);
    return add(HALF_PI, (double_double){-angle.high, -angle.low});
}

double hed_strict_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) return x + y;
    double_double angle = angle_of_sides(fabs(y), fabs(x));
    if (signbit(x)) {
        double_double pi = {2 * HALF_PI.high, 2 * HALF_PI.low};
        angle = add(pi, (double_double){-angle.high, -angle.low});
    }
    return copysign(angle.high + angle.low, y);
}

double hed_strict_asin(double x) { return hed_strict_atan2(x, sqrt((1 - x) * (1 + x))); }

double hed_strict_acos(double x) { return hed_strict_atan2(sqrt((1 - x) * (1 + x)), x); }

double hed_strict_hypot(double x, double y) { return sqrt(x * x + y * y); }
