/** @file stats.h
 *  Quantiles, confidence intervals and the deadline meter. Pure functions; no device.
 */
#ifndef HEDDLE_STATS_H
#define HEDDLE_STATS_H

#include "heddle/base.h"

HED_BEGIN

/** Returns quantile q in [0, 1] of `count` >= 1 ascending values, by linear interpolation between
 *  order statistics (Hyndman and Fan 1996, type 7).
 *  Thread class: rt. */
HED_API double hed_quantile(const double *ascending, size_t count, double q);

/** Computes a distribution-free confidence interval of the median from the order statistics of
 *  `count` >= 1 ascending values (binomial; David and Nagaraja 2003, section 7.1). It is the
 *  narrowest symmetric interval that covers at least `confidence`; with too few values, the range.
 *  Returns the actual coverage.
 *  Thread class: rt. */
HED_API double hed_median_interval(
    const double *ascending, size_t count, double confidence, double *low, double *high);

/** Summary of a sample. */
typedef struct hed_summary {
    size_t count;
    double minimum, p50, p99, maximum, mean;
    double low, high; /**< 95 % confidence interval of the median */
} hed_summary;

/** Sorts `values` in place and summarizes them. `count` 0: all members are 0. Thread class: rt. */
HED_API hed_summary hed_summarize(double *values, size_t count);

enum { HED_METER_BUCKETS = 64 * 16 };

/** Meter of a periodic task's durations against its deadline. Durations are counted in buckets 1/16
 *  octave wide, so quantiles are within 4.5 %; minimum, maximum, count and misses are exact. It is
 *  a plain value of fixed size, without allocations. */
typedef struct hed_meter {
    uint64_t deadline_ns;
    uint64_t count, misses;
    uint64_t minimum_ns, maximum_ns, total_ns;
    uint32_t buckets[HED_METER_BUCKETS];
} hed_meter;

/** Statistics of a meter. */
typedef struct hed_meter_info {
    uint64_t count, misses;
    double minimum_ns, p50_ns, p99_ns, maximum_ns, mean_ns;
    double load; /**< mean / deadline */
} hed_meter_info;

/** Empties the meter. `deadline_ns` 0: no duration is a miss. Thread class: rt. */
static inline void hed_meter_reset(hed_meter *meter, uint64_t deadline_ns)
{
    const hed_meter empty = HED_ZERO;
    if (!meter) return;
    *meter = empty;
    meter->deadline_ns = deadline_ns;
}
/** Adds a duration. Thread class: rt, one thread. */
HED_API void hed_meter_add(hed_meter *meter, uint64_t nanoseconds);
/** Returns the statistics of the durations since the last reset. Thread class: rt. */
HED_API hed_meter_info hed_meter_describe(const hed_meter *meter);

HED_END

#endif
