/* Quantiles, the confidence interval of the median, and summaries. Pure functions on the caller's
 * memory. */
#include "heddle/stats.h"

#include <assert.h>
#include <math.h>

double hed_quantile(const double *ascending, size_t count, double q)
{
    assert(count > 0 && q >= 0.0 && q <= 1.0);
    double position = (double)(count - 1) * q;
    size_t below = (size_t)position;
    if (below >= count - 1) return ascending[count - 1];
    double fraction = position - (double)below;
    double low = ascending[below], high = ascending[below + 1];
    /* Equal ends first: two infinities have no difference. */
    return low == high || fraction == 0.0 ? low : low + fraction * (high - low);
}

/* The probability of the middle, C(2m, m) / 4^m, that as many of 2m fair coins fall on one side as
 * on the other. */
static double central_probability(size_t m)
{
    enum { SERIES_FROM = 256 };
    if (m < SERIES_FROM) {
        double probability = 1.0;
        for (size_t index = 1; index <= m; index++)
            probability *= (double)(2 * index - 1) / (double)(2 * index);
        return probability;
    }
    /* Stirling's series of the central binomial coefficient; the next term is below 1e-17 from 256
     * on. */
    double x = 1.0 / (double)m;
    const double pi = 3.14159265358979323846;
    double tail = 5.0 / 1024 + x * (-21.0 / 32768 - x * 399.0 / 262144);
    return sqrt(x / pi) * (1.0 + x * (-1.0 / 8 + x * (1.0 / 128 + x * tail)));
}

double hed_median_interval(
    const double *ascending, size_t count, double confidence, double *low, double *high)
{
    assert(count > 0 && low != NULL && high != NULL);
    /* The median lies between the order statistics r and n + 1 - r (from 1) when the number of
     * values below it, binomial with p = 1/2, is r to n - r. Start at the middle and widen by one
     * on both sides until that is likely enough. An odd count starts at one value, which covers
     * nothing; an even one at the middle pair. */
    size_t half = count / 2;
    bool odd = count % 2 != 0;
    double middle = central_probability(half);
    double coverage = odd ? 0.0 : middle;
    /* The probability of exactly `rank` values below, for the next rank to be let in. */
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

/* Heapsort (Williams 1964), since qsort() of the C library may allocate. */
static void sort_ascending(double *values, size_t count)
{
    for (size_t root = count / 2; root > 0; root--) sift_down(values, root - 1, count);
    for (size_t last = count; last > 1; last--) {
        double largest = values[0];
        values[0] = values[last - 1];
        values[last - 1] = largest;
        sift_down(values, 0, last - 1);
    }
}

hed_summary hed_summarize(double *values, size_t count)
{
    hed_summary summary = {.count = count};
    if (count == 0) return summary;
    sort_ascending(values, count);
    summary.minimum = values[0];
    summary.p50 = hed_quantile(values, count, 0.50);
    summary.p99 = hed_quantile(values, count, 0.99);
    summary.maximum = values[count - 1];
    /* Summed above the minimum, so that the mean of equal values is that value and no mean falls
     * below the minimum. */
    double above = 0.0;
    for (size_t index = 0; index < count; index++) above += values[index] - values[0];
    summary.mean = values[0] + above / (double)count;
    hed_median_interval(values, count, 0.95, &summary.low, &summary.high);
    return summary;
}
