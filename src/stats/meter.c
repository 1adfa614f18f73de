/* The deadline meter: a histogram with 16 buckets to the octave, as floating-point numbers have
 * them (the leading bit of a time gives the octave, the next four bits the bucket in it). A bucket
 * is at most 1/16 of its lower end wide and answers with its middle, so that a quantile is off by
 * at most 1/32, 3.1 %. Times below 32 ns are exact, but for 0, which shares the bucket of 1. */
#include "heddle/stats.h"

#include <string.h>

enum { PER_OCTAVE = 16, OCTAVE_BITS = 4 };

static unsigned bucket_of(uint64_t nanoseconds)
{
    uint64_t time = nanoseconds > 0 ? nanoseconds : 1;
    unsigned octave = 63u - (unsigned)__builtin_clzll(time);
    uint64_t scaled =
        octave >= OCTAVE_BITS ? time >> (octave - OCTAVE_BITS) : time << (OCTAVE_BITS - octave);
    return octave * PER_OCTAVE + (unsigned)(scaled % PER_OCTAVE);
}

/* The middle of the whole numbers that fall into the bucket. */
static double middle_of(unsigned bucket)
{
    unsigned octave = bucket / PER_OCTAVE;
    double width = (double)(UINT64_C(1) << octave) / PER_OCTAVE;
    double low = (PER_OCTAVE + bucket % PER_OCTAVE) * width;
    return width > 1.0 ? low + (width - 1.0) / 2.0 : low;
}

void hed_meter_reset(hed_meter *meter, uint64_t deadline_ns)
{
    memset(meter, 0, sizeof *meter);
    meter->deadline_ns = deadline_ns;
}

void hed_meter_add(hed_meter *meter, uint64_t nanoseconds)
{
    if (meter->count == 0 || nanoseconds < meter->minimum_ns) meter->minimum_ns = nanoseconds;
    if (nanoseconds > meter->maximum_ns) meter->maximum_ns = nanoseconds;
    meter->count++;
    meter->total_ns += nanoseconds;
    if (meter->deadline_ns > 0 && nanoseconds > meter->deadline_ns) meter->misses++;
    uint32_t *bucket = &meter->buckets[bucket_of(nanoseconds)];
    if (*bucket < UINT32_MAX) /* full after months: stays, rather than start again at 0 */
        (*bucket)++;
}

/* The time with this rank (from 0) among those in the buckets. */
static double time_of_rank(const hed_meter *meter, uint64_t rank)
{
    uint64_t below = 0;
    double time = 0.0;
    for (unsigned bucket = 0; bucket < HED_METER_BUCKETS; bucket++) {
        below += meter->buckets[bucket];
        if (below > rank) {
            time = middle_of(bucket);
            break;
        }
    }
    /* The ends are known exactly. */
    double minimum = (double)meter->minimum_ns, maximum = (double)meter->maximum_ns;
    time = time > minimum ? time : minimum;
    return time < maximum ? time : maximum;
}

/* The same definition as hed_quantile(), on times known to their bucket. */
static double quantile(const hed_meter *meter, uint64_t counted, double q)
{
    double position = (double)(counted - 1) * q;
    uint64_t below = (uint64_t)position;
    double low = time_of_rank(meter, below);
    double high = below + 1 < counted ? time_of_rank(meter, below + 1) : low;
    return low + (position - (double)below) * (high - low);
}

hed_meter_report hed_meter_read(const hed_meter *meter)
{
    if (meter->count == 0) return (hed_meter_report){0};
    uint64_t counted = 0; /* less than meter->count once a bucket is full */
    for (unsigned bucket = 0; bucket < HED_METER_BUCKETS; bucket++)
        counted += meter->buckets[bucket];
    double mean = (double)meter->total_ns / (double)meter->count;
    return (hed_meter_report){
        .count = meter->count, .misses = meter->misses, .minimum_ns = (double)meter->minimum_ns,
        .p50_ns = quantile(meter, counted, 0.50), .p99_ns = quantile(meter, counted, 0.99),
        .maximum_ns = (double)meter->maximum_ns, .mean_ns = mean,
        .load = meter->deadline_ns > 0 ? mean / (double)meter->deadline_ns : 0.0,
    };
}
