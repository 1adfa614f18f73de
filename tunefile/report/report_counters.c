/* Hardware counters in words, for people who do not know the names of the metrics. */
#include "tunefile/report/report_numbers.h"

#include <math.h>
#include <stdio.h>

enum { MOST_WAITS = 3 }; /* causes of waiting that a text lists */

uint32_t hed_report_waits(const hed_counters *counters, hed_wait order[HED_WAIT_COUNT])
{
    uint32_t count = 0;
    for (int wait = 0; wait < HED_WAIT_COUNT; wait++) {
        if (!(counters->waits[wait] > 0)) continue;
        uint32_t at = count++;
        for (; at > 0 && counters->waits[order[at - 1]] < counters->waits[wait]; at--)
            order[at] = order[at - 1];
        order[at] = (hed_wait)wait;
    }
    return count;
}

static void print_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; unit < 4 && bytes >= 999.5; unit++) bytes /= 1000;
    snprintf(text, size, "%.3g %s", bytes, units[unit]);
}

static void print_part(double part, const char *words, char *text, size_t size)
{
    if (isfinite(part)) snprintf(text, size, "%.*f %% %s", part > 0 && part < 0.0995, 100 * part, words);
}

static void print_waits(const hed_counters *c, char *text, size_t size)
{
    hed_wait order[HED_WAIT_COUNT];
    uint32_t count = hed_report_waits(c, order);
    if (!isfinite(c->issues)) return;
    int used = snprintf(text, size, "issues in %.0f %%", 100 * c->issues);
    for (uint32_t i = 0; i < count && i < MOST_WAITS && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s for %s %.0f %%", i ? "," : "; waits",
            hed_wait_name(order[i]), 100 * c->waits[order[i]]);
}

static void print_counter(hed_report_counter row, const hed_counters *c, char *text, size_t size)
{
    char in[24], out[24];
    text[0] = 0;
    switch (row) {
    case HED_REPORT_OCCUPANCY: print_part(c->occupancy, "of the most possible", text, size); break;
    case HED_REPORT_TRAFFIC:
        if (!isfinite(c->bytes_read) || !isfinite(c->bytes_written)) break;
        print_bytes(c->bytes_read, in, sizeof in);
        print_bytes(c->bytes_written, out, sizeof out);
        snprintf(text, size, "%s read, %s written", in, out);
        break;
    case HED_REPORT_MEMORY: print_part(c->memory_busy, "of its peak", text, size); break;
    case HED_REPORT_CACHE:
        print_part(c->cache_hits, "of accesses find their data", text, size);
        break;
    case HED_REPORT_UNITS: print_part(c->units_busy, "of their peak", text, size); break;
    case HED_REPORT_CONFLICTS:
        print_part(c->conflicts, "of its cycles are conflicts of banks", text, size);
        break;
    default: print_waits(c, text, size); break;
    }
}

uint32_t hed_report_counters(
    const hed_tune_result *result, hed_report_counter_row rows[HED_REPORT_COUNTERS])
{
    static const char *const labels[HED_REPORT_COUNTERS] = {
        [HED_REPORT_OCCUPANCY] = "warps at work",
        [HED_REPORT_TRAFFIC] = "a launch's traffic",
        [HED_REPORT_MEMORY] = "memory",
        [HED_REPORT_CACHE] = "last-level cache",
        [HED_REPORT_UNITS] = "compute units",
        [HED_REPORT_CONFLICTS] = "local memory",
        [HED_REPORT_WAITS] = "a warp",
    };
    uint32_t count = 0;
    for (int i = 0; i < HED_REPORT_COUNTERS && result->has_counters; i++) {
        hed_report_counter_row *row = &rows[count];
        row->label = labels[i];
        print_counter((hed_report_counter)i, &result->counters, row->winner, sizeof row->winner);
        print_counter(
            (hed_report_counter)i, &result->default_counters, row->standard, sizeof row->standard);
        if (result->default_index == result->best) row->standard[0] = 0;
        if (row->winner[0] || row->standard[0]) count++;
    }
    return count;
}
