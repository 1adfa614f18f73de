/* Quantiles, median interval, summary and meter against closed forms and against each other. */
#include "heddle/stats.h"

#include "test.h"
#include <math.h>
#include <stdlib.h>

#define NEAR(got, expected, tolerance) \
    do { \
        double got_ = (got), expected_ = (expected); \
        CHECK(fabs(got_ - expected_) <= (tolerance), "%s: %.17g, expected %.17g", #got, got_, \
            expected_); \
    } while (0)

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

Test(stats, quantile_type_7_by_hand)
{
    /* h = (n - 1) q + 1 from 1; these values are worked by hand and are those of R's quantile(type
     * = 7). */
    const double values[] = {1, 2, 4, 8};
    NEAR(hed_quantile(values, 4, 0.00), 1.0, 0);
    NEAR(hed_quantile(values, 4, 0.25), 1.75, 0);
    NEAR(hed_quantile(values, 4, 0.50), 3.0, 0);
    NEAR(hed_quantile(values, 4, 0.75), 5.0, 0);
    NEAR(hed_quantile(values, 4, 0.90), 6.8, 1e-12);
    NEAR(hed_quantile(values, 4, 1.00), 8.0, 0);
    const double ten[] = {3, 7, 8, 9, 12, 15, 21, 22, 40, 41};
    NEAR(hed_quantile(ten, 10, 0.10), 6.6, 1e-12);
    NEAR(hed_quantile(ten, 10, 0.50), 13.5, 0);
    NEAR(hed_quantile(ten, 10, 0.99), 40.91, 1e-12);
}

Test(stats, quantile_at_the_edges)
{
    const double one[] = {42};
    NEAR(hed_quantile(one, 1, 0.0), 42, 0);
    NEAR(hed_quantile(one, 1, 0.37), 42, 0);
    NEAR(hed_quantile(one, 1, 1.0), 42, 0);
    const double endless[] = {1, INFINITY, INFINITY};
    CHECK_EQ(
        hed_quantile(endless, 3, 0.75), (double)INFINITY, "two infinities must not make a NaN");
    CHECK_EQ(hed_quantile(endless, 3, 0.0), 1.0);
}

/* P(r <= B <= n - r) for B binomial(n, 1/2), summed from binomial coefficients, which a double
 * holds for n <= 60. */
static double binomial_coverage(unsigned n, unsigned r)
{
    double sum = 0.0, coefficient = 1.0;
    for (unsigned k = 0; k <= n; k++) {
        if (k >= r && k <= n - r) {
            sum += coefficient;
        }
        coefficient = coefficient * (n - k) / (k + 1);
    }
    return r <= n - r ? ldexp(sum, -(int)n) : 0.0;
}

Test(stats, median_interval_is_the_narrowest_that_covers)
{
    double values[60];
    for (unsigned index = 0; index < 60; index++) {
        values[index] = index + 1; /* the value is its rank */
    }
    const double confidences[] = {0.0, 0.5, 0.9, 0.95, 0.99, 0.999};
    for (unsigned n = 1; n <= 60; n++) {
        for (size_t index = 0; index < sizeof confidences / sizeof confidences[0]; index++) {
            double confidence = confidences[index], low, high;
            double coverage = hed_median_interval(values, n, confidence, &low, &high);
            unsigned r = (unsigned)low;
            CHECK_EQ(low + high, n + 1.0, "n %u: %g to %g is not symmetric", n, low, high);
            NEAR(coverage, binomial_coverage(n, r), 1e-14);
            CHECK(coverage >= confidence || r == 1, "n %u: %g covers only %g", n, low, coverage);
            if (2 * (r + 1) <= n + 1) {
                CHECK(binomial_coverage(n, r + 1) < confidence, "n %u: rank %u would do for %g", n,
                    r + 1, confidence);
            }
        }
    }
}

Test(stats, median_interval_of_tables)
{
    /* Ranks that are printed in tables of the sign test at 95 %: n, rank. */
    const unsigned table[][2] = {{6, 1}, {10, 2}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    double values[100];
    for (unsigned index = 0; index < 100; index++) {
        values[index] = index + 1;
    }
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        double low, high;
        hed_median_interval(values, table[row][0], 0.95, &low, &high);
        CHECK_EQ(
            low, table[row][1], "n %u: rank %g, expected %u", table[row][0], low, table[row][1]);
    }
    double low, high;
    NEAR(hed_median_interval(values, 5, 0.95, &low, &high), 0.9375, 1e-15);
    CHECK(low == 1 && high == 5, "too few values give the range");
    NEAR(hed_median_interval(values, 1, 0.95, &low, &high), 0.0, 0);
    CHECK(low == 1 && high == 1);
}

/* The same sum for any n in long double, from the exact product for the middle, C(2m, m) / 4^m =
 * prod (2i - 1) / 2i. */
static double long_coverage(size_t n, size_t r)
{
    size_t half = n / 2;
    long double below = 1.0L, sum = 0.0L; /* the probability of exactly `half` values below */
    for (size_t index = 1; index <= half; index++) {
        below *= (long double)(2 * index - 1) / (long double)(2 * index);
    }
    below *= n % 2 != 0 ? (long double)n / (long double)(n + 1) : 1.0L;
    for (size_t k = half; k >= r; k--) {
        sum += 2 * k == n ? below : 2 * below;
        below *= (long double)k / (long double)(n - k + 1);
    }
    return (double)sum;
}

Test(stats, median_interval_of_many_values)
{
    /* from 512 on the middle is a series */
    const size_t counts[] = {511, 512, 513, 514, 100000, 100001};
    double *values = malloc(100001 * sizeof *values);
    CHECK_NOT_NULL(values);
    for (size_t index = 0; index < 100001; index++) {
        values[index] = (double)index + 1;
    }
    double low, high;
    for (size_t index = 0; index < sizeof counts / sizeof counts[0]; index++) {
        size_t n = counts[index];
        double coverage = hed_median_interval(values, n, 0.95, &low, &high);
        CHECK(coverage >= 0.95 && low + high == (double)n + 1);
        NEAR(coverage, long_coverage(n, (size_t)low), n < 1000 ? 2e-14 : 1e-12);
        CHECK(long_coverage(n, (size_t)low + 1) < 0.95, "n %zu: not the narrowest", n);
    }
    NEAR(hed_median_interval(values, 100000, 1.0, &low, &high), 1.0, 1e-12);
    free(values);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Test(stats, summary_against_qsort)
{
    uint64_t random = 88172645463325252u;
    for (size_t count = 1; count <= 300; count++) {
        double values[300], sorted[300], sum = 0.0;
        for (size_t index = 0; index < count; index++) {
            /* with equal values */
            sorted[index] = values[index] = (double)(next_random(&random) % 100);
            sum += values[index];
        }
        qsort(sorted, count, sizeof sorted[0], compare);
        hed_summary summary = hed_summarize(values, count);
        for (size_t index = 0; index < count; index++) {
            CHECK_EQ(values[index], sorted[index], "count %zu: not sorted at %zu", count, index);
        }
        CHECK_EQ(summary.count, count);
        CHECK_EQ(summary.minimum, sorted[0]);
        CHECK_EQ(summary.maximum, sorted[count - 1]);
        CHECK_EQ(summary.p50, hed_quantile(sorted, count, 0.5));
        CHECK_EQ(summary.p99, hed_quantile(sorted, count, 0.99));
        NEAR(summary.mean, sum / (double)count, 1e-12 * (1.0 + sum));
        double low, high;
        hed_median_interval(sorted, count, 0.95, &low, &high);
        CHECK(summary.low == low && summary.high == high);
    }
}

Test(stats, summary_of_nothing_and_of_equals)
{
    hed_summary none = hed_summarize(NULL, 0);
    CHECK(none.count == 0 && none.minimum == 0 && none.maximum == 0 && none.mean == 0 &&
          none.p99 == 0);
    double values[10];
    for (size_t index = 0; index < 10; index++) {
        values[index] = 0.1;
    }
    hed_summary equal = hed_summarize(values, 10);
    CHECK(equal.mean == 0.1 && equal.p50 == 0.1 && equal.low == 0.1 && equal.high == 0.1);
}

Test(stats, meter_counts_exactly)
{
    static hed_meter meter;
    hed_meter_reset(&meter, 1000);
    const uint64_t times[] = {500, 1000, 1001, 2000, 30, 999};
    uint64_t total = 0;
    for (size_t index = 0; index < 6; index++) {
        hed_meter_add(&meter, times[index]);
        total += times[index];
    }
    hed_meter_info report = hed_meter_describe(&meter);
    CHECK_EQ(report.count, 6u);
    CHECK_EQ(report.misses, 2u, "a time equal to the deadline is in time");
    CHECK_EQ(report.minimum_ns, 30.0);
    CHECK_EQ(report.maximum_ns, 2000.0);
    NEAR(report.mean_ns, (double)total / 6, 1e-9);
    NEAR(report.load, (double)total / 6000, 1e-12);
    hed_meter_reset(&meter, 0);
    report = hed_meter_describe(&meter);
    CHECK(report.count == 0 && report.maximum_ns == 0 && report.p99_ns == 0 && report.load == 0);
    hed_meter_add(&meter, UINT64_MAX); /* the last bucket; no deadline, so not missed */
    report = hed_meter_describe(&meter);
    CHECK(report.misses == 0 && report.load == 0 && report.p50_ns == (double)UINT64_MAX);
}

Test(stats, meter_is_exact_for_short_times)
{
    static hed_meter meter;
    for (uint64_t time = 0; time < 32; time++) {
        hed_meter_reset(&meter, 0);
        /* Three equal times between a shorter and a longer one: the ends cannot help the median. */
        const uint64_t times[] = {time > 1 ? 1 : 0, time, time, time, 1000};
        for (size_t index = 0; index < 5; index++) {
            hed_meter_add(&meter, times[index]);
        }
        hed_meter_info report = hed_meter_describe(&meter);
        CHECK_EQ(report.p50_ns, time > 0 ? (double)time : 1.0, "%g for %llu", report.p50_ns,
            (unsigned long long)time);
    }
}

Test(stats, meter_quantiles_within_the_stated_error)
{
    enum { COUNT = 2000 };
    static hed_meter meter;
    static double exact[COUNT];
    uint64_t random = 362436069;
    double worst = 0.0;
    /* times over 1 to 40 octaves, even in the logarithm */
    for (unsigned octaves = 1; octaves <= 40; octaves++) {
        hed_meter_reset(&meter, 0);
        for (size_t index = 0; index < COUNT; index++) {
            double unit = (double)(next_random(&random) >> 11) * 0x1p-53;
            uint64_t time = (uint64_t)(100.0 * exp2(octaves * unit));
            exact[index] = (double)time;
            hed_meter_add(&meter, time);
        }
        qsort(exact, COUNT, sizeof exact[0], compare);
        hed_meter_info report = hed_meter_describe(&meter);
        worst = fmax(worst, fabs(report.p50_ns / hed_quantile(exact, COUNT, 0.50) - 1.0));
        worst = fmax(worst, fabs(report.p99_ns / hed_quantile(exact, COUNT, 0.99) - 1.0));
        CHECK_EQ(report.minimum_ns, exact[0]);
        CHECK_EQ(report.maximum_ns, exact[COUNT - 1]);
    }
    CHECK(worst <= 1.0 / 32, "off by %.2f %%", 100 * worst);
    CHECK(worst > 0.001, "off by %.4f %%: so small that the test cannot have compared anything",
        100 * worst);
}

Test(stats, meter_error_holds_at_every_bucket_edge)
{
    static hed_meter meter;
    double worst = 0.0;
    for (unsigned octave = 4; octave < 63; octave++) {
        for (uint64_t step = 16; step < 32; step++) {
            uint64_t low = step << (octave - 4), high = ((step + 1) << (octave - 4)) - 1;
            const uint64_t edges[] = {low, high};
            for (int side = 0; side < 2; side++) {
                hed_meter_reset(&meter, 0);
                hed_meter_add(&meter, 1);
                hed_meter_add(&meter, edges[side]);
                hed_meter_add(&meter, UINT64_MAX / 2);
                worst = fmax(
                    worst, fabs(hed_meter_describe(&meter).p50_ns / (double)edges[side] - 1.0));
            }
        }
    }
    CHECK(worst <= 1.0 / 32, "off by %.3f %%", 100 * worst);
}
