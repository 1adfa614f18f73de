/* Online tuning: what follows from measured times and compared outputs. Bookkeeping alone, no
 * device.
 *
 * A candidate is judged by the ratios of its time to that of the configuration in force, each pair
 * run one behind the other on the same inputs, so that a clock that drifts takes both along. It
 * wins if the 95 % interval of their median lies below 1 - MARGIN; it is given up as soon as that
 * cannot come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "heddle/stats.h"
#include "tune/online_state.h"

static const double MARGIN = 0.02, HOPELESS = 1.25;
enum {
    ENOUGH = 8, /* measured launches that give a typical time */
    FEWEST = 2  /* pairs that show a hopeless candidate */
};

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* ---- times of launches ---- */

static double median_of(const double *values, uint32_t count)
{
    double sorted[HED_ONLINE_WINDOW];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, by_value);
    return hed_quantile(sorted, count, 0.5);
}

static void begin_again(hed_online *online, hed_online_size *size)
{
    size->resting = false;
    size->begin_again = true;
    size->rested = 0;
    size->measured = 0;
    online->report.restarts++;
}

void hed_online_add_time(hed_online *online, hed_online_size *size, double seconds)
{
    size->window[size->measured++ % HED_ONLINE_WINDOW] = seconds;
    if (size->measured < ENOUGH) return;
    bool full = size->measured >= HED_ONLINE_WINDOW;
    size->typical = median_of(size->window, full ? HED_ONLINE_WINDOW : (uint32_t)size->measured);
    if (size->first == 0) {
        size->first = size->typical;
        size->found = size->config;
    }
    if (!full || !size->resting) return;
    if (size->rested == 0) size->rested = size->typical;
    else if (size->typical > size->rested * online->def.slowdown) begin_again(online, size);
}

/* ---- the candidate ---- */

static double ratio_of(const hed_online_size *size, double *low, double *high, double *coverage)
{
    double sorted[HED_ONLINE_PAIRS];
    memcpy(sorted, size->ratios, size->pairs * sizeof *sorted);
    qsort(sorted, size->pairs, sizeof *sorted, by_value);
    *coverage = hed_median_interval(sorted, size->pairs, 0.95, low, high);
    return hed_quantile(sorted, size->pairs, 0.5);
}

/* Of the ratios' median; false while there are too few for 95 %. */
static bool interval_of(const hed_online_size *size, double *low, double *high)
{
    double coverage = 0;
    *low = *high = NAN;
    if (size->pairs > 0) ratio_of(size, low, high, &coverage);
    return coverage >= 0.95;
}

void hed_online_conclude(
    hed_online *online, hed_online_size *size, hed_outcome outcome, const char *text)
{
    hed_evaluation *e = &size->evaluation;
    bool timed = outcome == HED_OUTCOME_MEASURED || outcome == HED_OUTCOME_DROPPED;
    *e = (hed_evaluation){.outcome = outcome, .seconds = NAN, .low = NAN, .high = NAN,
        .runs = size->pairs, .at = hed_online_seconds(online) - online->began,
        .error = size->sampled ? size->error : NAN};
    e->config = hed_kernel_config(size->candidate, NULL);
    hed_kernel_resources resources;
    if (!hed_kernel_get_resources(size->candidate, &resources, NULL))
        e->build_seconds = resources.build_seconds;
    if (timed && size->pairs > 0) {
        double coverage;
        e->seconds = ratio_of(size, &e->low, &e->high, &coverage) * size->typical;
        e->low *= size->typical;
        e->high *= size->typical;
    }
    hed_text_copy(e->text, sizeof e->text, text);
    size->over = true;
    online->report.candidates++;
    online->report.failed += !timed;
}

static void promote(hed_online *online, hed_online_size *size)
{
    hed_online_conclude(online, size, HED_OUTCOME_MEASURED, "");
    size->config = size->evaluation.config;
    size->promoted = true;
    size->choose = true;
    size->typical = size->evaluation.seconds;
    size->measured = 0;
    online->report.promotions++;
}

/* What the ratios say so far. */
static void judge(hed_online *online, hed_online_size *size)
{
    double low, high;
    bool known = interval_of(size, &low, &high);
    if (size->pairs >= FEWEST && low > HOPELESS) { /* of few values the interval is their range */
        hed_online_conclude(online, size, HED_OUTCOME_DROPPED, "");
    } else if (known && high < 1 - MARGIN) {
        if (size->whole) promote(online, size);
    } else if ((known && low > 1 - MARGIN) || size->pairs == HED_ONLINE_PAIRS) {
        hed_online_conclude(online, size, HED_OUTCOME_MEASURED, "");
    }
}

bool hed_online_wants_check(const hed_online_size *size, bool *whole)
{
    double low, high;
    *whole = size->sampled;
    if (size->over || size->whole) return false;
    return !size->sampled || (interval_of(size, &low, &high) && high < 1 - MARGIN);
}

void hed_online_add_pair(hed_online *online, hed_online_size *size, double ours, double theirs)
{
    /* what a first run does once: compiling for the size of group, filling caches */
    if (!size->warm) {
        size->warm = true;
        return;
    }
    if (!(ours > 0) || !(theirs > 0)) {
        hed_online_conclude(online, size, HED_OUTCOME_IMPOSSIBLE, "a time of 0");
        return;
    }
    size->ratios[size->pairs++] = theirs / ours;
    judge(online, size);
}

void hed_online_add_check(
    hed_online *online, hed_online_size *size, const hed_check *check, bool whole)
{
    size->sampled = true;
    size->whole = size->whole || whole;
    size->error = fmax(size->error, check->error);
    if (check->wrong) hed_online_conclude(online, size, HED_OUTCOME_WRONG, check->text);
    else if (size->pairs > 0) judge(online, size);
}
