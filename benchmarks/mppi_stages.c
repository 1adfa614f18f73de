/* Where the time of late solves goes: solves in ranges of their time, with the mean of each stage, the
 * longest time between two looks at the results, and the solves during which the thread lost its
 * processor. A wait that grows without a gap is the device's; with a gap, the host's. */
#include "benchmarks/mppi_stages.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

uint32_t cli_mppi_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint32_t)usage.ru_nivcsw;
}

static int stages_by_time(const void *a, const void *b)
{
    double x = ((const mppi_stages_sample *)a)->time, y = ((const mppi_stages_sample *)b)->time;
    return (x > y) - (x < y);
}

static void stages_add_row(const mppi_stages_case *of, const mppi_stages_sample *samples,
    uint32_t first, uint32_t end, double fraction, const char *range, cli_report *report)
{
    double sums[5] = {0}, n = end > first ? end - first : NAN;
    uint32_t switched = 0;
    for (uint32_t i = first; i < end; i++) {
        const hed_mppi_stages *s = &samples[i].stages;
        const uint64_t stages[4] = {s->submit_ns, s->wait_ns, s->finish_ns, s->gap_ns};
        for (int k = 0; k < 4; k++) sums[k] += 1e-3 * (double)stages[k];
        sums[4] += samples[i].time;
        switched += samples[i].switches > 0;
    }
    cli_report_row(report, CLI_TEXT("device", of->device, .heading = "DEVICE"),
        CLI_TEXT("problem", of->problem, .heading = "PROBLEM"),
        CLI_WHOLE("samples", of->samples, .heading = ">N"),
        CLI_TEXT("solver", of->solver, .heading = "SOLVER"),
        CLI_TEXT("math", of->math, .heading = "MATH"),
        CLI_TEXT("range", range, .heading = "TIME / MEDIAN"),
        CLI_WHOLE("solves", end - first, .heading = ">SOLVES"),
        CLI_NUMBER("percent", 100 * fraction, .heading = ">%", .format = "%.2f"),
        CLI_NUMBER("mean_us", sums[4] / n, .heading = ">MEAN us", .format = "%.2f"),
        CLI_NUMBER("submit_us", sums[0] / n, .heading = ">SUBMIT", .format = "%.2f"),
        CLI_NUMBER("wait_us", sums[1] / n, .heading = ">WAIT", .format = "%.2f"),
        CLI_NUMBER("finish_us", sums[2] / n, .heading = ">FINISH", .format = "%.2f"),
        CLI_NUMBER("gap_us", sums[3] / n, .heading = ">GAP", .format = "%.2f"),
        CLI_WHOLE("switched", switched, .heading = ">SWITCHED"));
}

void cli_mppi_stages(
    const mppi_stages_case *of, mppi_stages_sample *samples, uint32_t count, cli_report *report)
{
    static const struct {
        double to; /* of the median */
        const char *text;
    } ranges[] = {{1.05, "to 1.05"}, {1.1, "to 1.1"}, {1.2, "to 1.2"}, {1.5, "to 1.5"}, {2, "to 2"},
        {4, "to 4"}, {INFINITY, "above 4"}};
    qsort(samples, count, sizeof *samples, stages_by_time);
    double median = count ? samples[count / 2].time : 0;
    uint32_t first = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        uint32_t end = first;
        while (end < count && samples[end].time <= ranges[r].to * median) end++;
        stages_add_row(
            of, samples, first, end, (double)(end - first) / count, ranges[r].text, report);
        first = end;
    }
}
