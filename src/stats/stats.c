/* Quantiles, the confidence interval of the median, summaries, and the deadline meter. Pure
 * functions on the caller's memory. */
#include "heddle/stats.h"

#include <assert.h>
#include <math.h>

double hed_quantile(const double *ascending, size_t count, double q)
{
    if (!ascending && count) return NAN;
    assert(count > 0 && q >= 0.0 && q <= 1.0);
    double position = (double)(count - 1) * q;
    size_t index = (size_t)position;
    if (index >= count - 1) return ascending[count - 1];
    double fraction = position - (double)index;
    double low = ascending[index], high = ascending[index + 1];
    /* equal ends first: the difference of two infinities is NAN */
    return low == high || fraction == 0.0 ? low : low + fraction * (high - low);
}

/* Probability of the middle, C(2m, m) / 4^m: that exactly half of 2m fair coins fall on one
 * side. */
static double central_probability(size_t m)
{
    enum { SERIES_FROM = 256 };
    if (m < SERIES_FROM) {
        double probability = 1.0;
        for (size_t index = 1; index <= m; index++)
            probability *= (double)(2 * index - 1) / (double)(2 * index);
        return probability;
    }
    /* Stirling's series of the central binomial coefficient; from m = 256 on the next term is below
     * 1e-17 */
    double x = 1.0 / (double)m;
    const double pi = 3.14159265358979323846;
    double tail = 5.0 / 1024 + x * (-21.0 / 32768 - x * 399.0 / 262144);
    return sqrt(x / pi) * (1.0 + x * (-1.0 / 8 + x * (1.0 / 128 + x * tail)));
}

double hed_median_interval(
    const double *ascending, size_t count, double confidence, double *low, double *high)
{
    if (!ascending && count) return NAN;
    assert(count > 0 && low && high);
    /* The median is between the order statistics r and n + 1 - r (from 1) if the number of values
     * below it, binomial with p = 1/2, is between r and n - r. Start at the middle and widen by one
     * on both sides until the probability suffices. An odd count starts at a single value, whose
     * coverage is 0; an even one at the middle pair. */
    size_t half = count / 2;
    bool odd = count % 2 != 0;
    double middle = central_probability(half);
    double coverage = odd ? 0.0 : middle;
    /* probability of exactly `rank` values below the median, for the next rank */
    double next = odd ? middle * (double)count / (double)(count + 1)
                      : middle * (double)half / (double)(half + 1);
    size_t rank = odd ? half + 1 : half;
    while (coverage < confidence && rank > 1) {
        rank--;
        coverage += 2.0 * next;
        next *= (double)rank / (double)(count - rank + 1);
    }
    *low = ascending[rank - 1];
    *high = ascending[count - rank];
    return coverage < 1.0 ? coverage : 1.0;
}

static void sift_down(double *values, size_t root, size_t count)
{
    double value = values[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) break;
        if (child + 1 < count && values[child] < values[child + 1]) child++;
        if (!(value < values[child])) break;
        values[root] = values[child];
        root = child;
    }
    values[root] = value;
}

hed_summary hed_summarize(double *values, size_t count)
{
    if (!values && count) return (hed_summary){0};
    hed_summary summary = {.count = count};
    if (count == 0) return summary;
    /* heapsort (Williams 1964), since qsort() of the C library may allocate */
    for (size_t root = count / 2; root > 0; root--) sift_down(values, root - 1, count);
    for (size_t last = count; last > 1; last--) {
        double largest = values[0];
        values[0] = values[last - 1];
        values[last - 1] = largest;
        sift_down(values, 0, last - 1);
    }
    summary.minimum = values[0];
    summary.p50 = hed_quantile(values, count, 0.50);
    summary.p99 = hed_quantile(values, count, 0.99);
    summary.maximum = values[count - 1];
    /* sum above the minimum, so that the mean of equal values is that value and no mean is below
     * the minimum */
    double excess = 0.0;
    for (size_t index = 0; index < count; index++) excess += values[index] - values[0];
    summary.mean = values[0] + excess / (double)count;
    hed_median_interval(values, count, 0.95, &summary.low, &summary.high);
    return summary;
}

/* ---- the deadline meter ---- */

/* Histogram with 16 buckets per octave: the leading bit of a time is its octave, the next four bits
 * its bucket, as in floating-point numbers. A bucket's width is at most 1/16 of its lower end, and
 * its middle represents it, so a quantile is off by at most 1/32, 3.1 %. Times below 32 ns are
 * exact, except 0, which counts as 1. */

enum { PER_OCTAVE = 16, OCTAVE_BITS = 4 };

static unsigned meter_bucket(uint64_t nanoseconds)
{
    uint64_t time = nanoseconds > 0 ? nanoseconds : 1;
    unsigned octave = 63u - (unsigned)__builtin_clzll(time);
    uint64_t scaled =
        octave >= OCTAVE_BITS ? time >> (octave - OCTAVE_BITS) : time << (OCTAVE_BITS - octave);
    return octave * PER_OCTAVE + (unsigned)(scaled % PER_OCTAVE);
}

void hed_meter_add(hed_meter *meter, uint64_t nanoseconds)
{
    if (!meter) return;
    if (meter->count == 0 || nanoseconds < meter->minimum_ns) meter->minimum_ns = nanoseconds;
    if (nanoseconds > meter->maximum_ns) meter->maximum_ns = nanoseconds;
    meter->count++;
    meter->total_ns += nanoseconds;
    if (meter->deadline_ns > 0 && nanoseconds > meter->deadline_ns) meter->misses++;
    uint32_t *bucket = &meter->buckets[meter_bucket(nanoseconds)];
    if (*bucket < UINT32_MAX) /* full after months: saturates instead of restarting at 0 */
        (*bucket)++;
}

/* Time of a rank (from 0) in the histogram. */
static double meter_time(const hed_meter *meter, uint64_t rank)
{
    uint64_t cumulative = 0;
    double time = 0.0;
    for (unsigned bucket = 0; bucket < HED_METER_BUCKETS; bucket++) {
        cumulative += meter->buckets[bucket];
        if (cumulative > rank) {
            /* middle of the integers in the bucket */
            unsigned octave = bucket / PER_OCTAVE;
            double width = (double)(UINT64_C(1) << octave) / PER_OCTAVE;
            double low = (PER_OCTAVE + bucket % PER_OCTAVE) * width;
            time = width > 1.0 ? low + (width - 1.0) / 2.0 : low;
            break;
        }
    }
    /* minimum and maximum are known exactly */
    double minimum = (double)meter->minimum_ns, maximum = (double)meter->maximum_ns;
    time = time > minimum ? time : minimum;
    return time < maximum ? time : maximum;
}

/* Same definition as hed_quantile(), on times rounded to their bucket. */
static double meter_quantile(const hed_meter *meter, uint64_t counted, double q)
{
    double position = (double)(counted - 1) * q;
    uint64_t rank = (uint64_t)position;
    double low = meter_time(meter, rank);
    double high = rank + 1 < counted ? meter_time(meter, rank + 1) : low;
    return low + (position - (double)rank) * (high - low);
}

hed_meter_info hed_meter_describe(const hed_meter *meter)
{
    if (!meter) return (hed_meter_info){0};
    if (meter->count == 0) return (hed_meter_info){0};
    uint64_t counted = 0; /* below meter->count once a bucket is full */
    for (unsigned bucket = 0; bucket < HED_METER_BUCKETS; bucket++)
        counted += meter->buckets[bucket];
    double mean = (double)meter->total_ns / (double)meter->count;
    return (hed_meter_info){
        .count = meter->count,
        .misses = meter->misses,
        .minimum_ns = (double)meter->minimum_ns,
        .p50_ns = meter_quantile(meter, counted, 0.50),
        .p99_ns = meter_quantile(meter, counted, 0.99),
        .maximum_ns = (double)meter->maximum_ns,
        .mean_ns = mean,
        .load = meter->deadline_ns > 0 ? mean / (double)meter->deadline_ns : 0.0,
    };
}
