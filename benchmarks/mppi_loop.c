/* A controller at a fixed rate, as a robot runs it: each solve begins on the clock's beat, and one
 * that has not ended by the next beat is a miss. Beside the times it counts what may be the cause
 * of a miss: switches to other threads, page faults, gaps while the loop only looked at the clock,
 * and memory that Heddle took. */
#include "benchmarks/mppi_loop.h"

#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "heddle/author.h"
#include "heddle/stats.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { WARM_BEATS = 500, MOST_MISSES = 1000, PRINTED_MISSES = 20, GAP_NS = 10000 };

/* ---- memory that Heddle takes ---- */

typedef struct counted {
    hed_allocator from;
    atomic_ullong calls;
} counted;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counted *c = user;
    atomic_fetch_add(&c->calls, 1);
    return c->from.allocate(c->from.user, size, alignment);
}

static void counted_release(void *user, void *pointer, size_t size)
{
    counted *c = user;
    c->from.release(c->from.user, pointer, size);
}

/* ---- one beat ---- */

/* What happened to this thread since it began. */
typedef struct loop_marks {
    long preempted, slept, faults, disk_faults;
} loop_marks;

static loop_marks marks_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (loop_marks){usage.ru_nivcsw, usage.ru_nvcsw, usage.ru_minflt, usage.ru_majflt};
}

typedef struct loop_miss {
    uint32_t solve;
    uint64_t late_ns;  /* begun after the beat */
    uint64_t took_ns;  /* host state to host controls */
    uint64_t inner_ns; /* the same by the controller's own clock */
    loop_marks marks;
} loop_miss;

/* Causes of a solve that takes long. */
typedef enum loop_cause {
    CAUSE_DISK,
    CAUSE_PREEMPTED,
    CAUSE_LATE,
    CAUSE_FAULT,
    CAUSE_SLEPT,
    CAUSE_OUTSIDE,
    CAUSES
} loop_cause;
static const char *const CAUSE_TEXTS[CAUSES] = {"page read from disk",
    "another thread was given the processor", "processor away before the solve began", "page fault",
    "waited asleep in the driver or for the team",
    "no switch, no fault: an interrupt, the hypervisor, or the device"};

typedef struct loop {
    hed_mppi *controller;
    double *times;   /* (beats) us */
    uint8_t *causes; /* (beats) cause of each, if it took long */
    uint32_t beats, warm, missed;
    uint64_t period_ns;
    loop_miss misses[MOST_MISSES]; /* the first ones */
    uint64_t gaps, longest_gap_ns; /* while the loop only looked at the clock */
    loop_marks before;             /* after the warm beats */
    uint64_t allocated_before;
} loop;

/* Waits for a beat; a look at the clock that took long is a gap that no solve has caused. */
static uint64_t loop_wait(loop *l, uint64_t beat_ns)
{
    uint64_t now = hed_now(), before = now;
    for (; now < beat_ns; before = now) {
        now = hed_now();
        uint64_t gap = now - before;
        l->gaps += gap > GAP_NS;
        if (gap > l->longest_gap_ns) l->longest_gap_ns = gap;
    }
    return now;
}

static loop_cause loop_cause_of(const loop *l, const loop_miss *miss)
{
    if (miss->marks.disk_faults) return CAUSE_DISK;
    if (miss->marks.preempted) return CAUSE_PREEMPTED;
    if (miss->late_ns > l->period_ns / 2) return CAUSE_LATE;
    if (miss->marks.faults) return CAUSE_FAULT;
    return miss->marks.slept ? CAUSE_SLEPT : CAUSE_OUTSIDE;
}

static void loop_note(loop *l, const loop_miss *miss)
{
    if (l->missed < MOST_MISSES) l->misses[l->missed] = *miss;
    l->missed++;
}

static hed_status loop_run(loop *l, counted *memory, hed_error *error)
{
    uint32_t states = hed_mppi_describe(l->controller).def->model->states;
    float x[HED_MPPI_MAX_STATES] = {0}, u[HED_MPPI_MAX_CONTROLS];
    hed_mppi_stats stats;
    uint64_t beat_ns = hed_now() + l->period_ns;
    for (uint32_t n = 0; n < l->warm + l->beats; n++, beat_ns += l->period_ns) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        if (n == l->warm) {
            l->gaps = l->longest_gap_ns = 0;
            l->allocated_before = atomic_load(&memory->calls);
            l->before = marks_now();
        }
        loop_marks before = marks_now();
        uint64_t begin = loop_wait(l, beat_ns);
        if (hed_mppi_solve(l->controller, x, u, &stats, error)) return error->status;
        uint64_t end = hed_now();
        memcpy(x, hed_mppi_states(l->controller, 0) + states, states * sizeof *x);
        hed_mppi_shift(l->controller, 1);
        uint64_t beat = beat_ns;
        while (beat_ns + l->period_ns < end) beat_ns += l->period_ns; /* those are lost */
        if (n < l->warm) continue;
        loop_marks after = marks_now();
        const loop_miss solve = {.solve = n - l->warm,
            .late_ns = begin - beat,
            .took_ns = end - begin,
            .inner_ns = stats.solve_ns,
            .marks = {after.preempted - before.preempted, after.slept - before.slept,
                after.faults - before.faults, after.disk_faults - before.disk_faults}};
        l->times[solve.solve] = (double)solve.took_ns * 1e-3;
        l->causes[solve.solve] = (uint8_t)loop_cause_of(l, &solve);
        if (beat_ns != beat) loop_note(l, &solve);
    }
    return HED_OK;
}

/* ---- what it found ---- */

/* Solves that take more than SLOW medians, by cause. */
typedef struct loop_slow {
    uint32_t solves[CAUSES];
    double excess_us[CAUSES], total_us; /* beyond the median */
} loop_slow;

static loop_slow loop_sort_out(const loop *l, double median)
{
    static const double SLOW = 1.2;
    loop_slow slow = {0};
    for (uint32_t i = 0; i < l->beats; i++) {
        if (l->times[i] <= SLOW * median) continue;
        slow.solves[l->causes[i]]++;
        slow.excess_us[l->causes[i]] += l->times[i] - median;
        slow.total_us += l->times[i] - median;
    }
    return slow;
}

static void loop_report_slow(const loop_slow *slow, const mppi_loop_def *def, cli_report *report)
{
    cli_report_open_list(report, "slow");
    for (int k = 0; k < CAUSES; k++)
        if (slow->solves[k])
            cli_report_row(report, CLI_TEXT("cause", CAUSE_TEXTS[k]),
                CLI_WHOLE("solves", slow->solves[k]),
                CLI_NUMBER("share", slow->excess_us[k] / slow->total_us),
                CLI_NUMBER("excess_us", slow->excess_us[k]));
    cli_report_close(report);
    for (int k = 0; k < CAUSES && !def->json; k++)
        if (slow->solves[k])
            fprintf(stderr, "above 1.2 medians: %u solves, %.0f %% of the time beyond: %s\n",
                slow->solves[k], 100 * slow->excess_us[k] / slow->total_us, CAUSE_TEXTS[k]);
}

static void loop_report(const loop *l, const counted *memory, const char *device,
    const mppi_loop_def *def, cli_report *report)
{
    double *sorted = hed_new(NULL, l->beats, sizeof *sorted, NULL);
    if (!sorted) return;
    memcpy(sorted, l->times, l->beats * sizeof *sorted);
    hed_summary times = hed_summarize(sorted, l->beats);
    double thousandth = hed_quantile(sorted, l->beats, 0.999);
    loop_slow slow = loop_sort_out(l, times.p50);
    hed_delete(NULL, sorted, l->beats, sizeof *sorted);
    hed_mppi_info info = hed_mppi_describe(l->controller);
    loop_marks now = marks_now();
    cli_report_row(report, CLI_TEXT("device", device, .heading = "DEVICE"),
        CLI_TEXT("problem", def->problem, .heading = "PROBLEM"),
        CLI_WHOLE("samples", info.def->samples, .heading = ">N"),
        CLI_TEXT("solver", def->solver, .heading = "SOLVER"),
        CLI_NUMBER("rate_hz", def->rate, .heading = ">RATE Hz", .format = "%g"),
        CLI_WHOLE("solves", l->beats, .heading = ">SOLVES"),
        CLI_NUMBER("median_us", times.p50, .heading = ">MEDIAN us", .format = "%.2f"),
        CLI_NUMBER("p99_us", times.p99, .heading = ">P99", .format = "%.2f"),
        CLI_NUMBER("p999_us", thousandth, .heading = ">P99.9", .format = "%.2f"),
        CLI_NUMBER("max_us", times.maximum, .heading = ">MAX", .format = "%.2f"),
        CLI_WHOLE("missed", l->missed, .heading = ">MISSED"),
        CLI_WHOLE("allocations", atomic_load(&memory->calls) - l->allocated_before,
            .heading = ">ALLOCATIONS"),
        CLI_WHOLE("page_faults", now.faults - l->before.faults, .heading = ">FAULTS"),
        CLI_WHOLE("preempted", now.preempted - l->before.preempted, .heading = ">PREEMPTED"),
        CLI_WHOLE("gaps_waiting", l->gaps, .heading = ">GAPS"),
        CLI_NUMBER("longest_gap_us", (double)l->longest_gap_ns * 1e-3, .heading = ">LONGEST us",
            .format = "%.1f"),
        CLI_TEXT("choice", info.choice));
    loop_report_slow(&slow, def, report);
    cli_report_open_list(report, "misses");
    for (uint32_t i = 0; i < l->missed && i < MOST_MISSES; i++) {
        const loop_miss *m = &l->misses[i];
        cli_report_row(report, CLI_WHOLE("solve", m->solve),
            CLI_TEXT("cause", CAUSE_TEXTS[loop_cause_of(l, m)]),
            CLI_NUMBER("late_us", (double)m->late_ns * 1e-3),
            CLI_NUMBER("took_us", (double)m->took_ns * 1e-3),
            CLI_NUMBER("solve_us", (double)m->inner_ns * 1e-3),
            CLI_WHOLE("preempted", m->marks.preempted), CLI_WHOLE("slept", m->marks.slept),
            CLI_WHOLE("page_faults", m->marks.faults + m->marks.disk_faults));
    }
    cli_report_close(report);
    for (uint32_t i = 0; i < l->missed && i < PRINTED_MISSES && !def->json; i++) {
        const loop_miss *m = &l->misses[i];
        fprintf(stderr, "missed: solve %u begun %.1f us late took %.1f us: %s\n", m->solve,
            (double)m->late_ns * 1e-3, (double)m->took_ns * 1e-3, CAUSE_TEXTS[loop_cause_of(l, m)]);
    }
    if (l->missed > PRINTED_MISSES && !def->json)
        fprintf(stderr, "missed: %u more; --json lists them\n", l->missed - PRINTED_MISSES);
}

hed_status cli_mppi_loop(
    const char *device, const mppi_loop_def *def, cli_report *report, hed_error *error)
{
    counted memory = {.from = hed_default_allocator()};
    hed_context_def with = hed_default_context_def();
    with.allocator = (hed_allocator){&memory, counted_allocate, counted_release};
    hed_context *context = NULL;
    hed_device *on = NULL;
    loop *l = hed_new(&memory.from, 1, sizeof *l, error);
    double *times = hed_new(&memory.from, def->solves, sizeof *times, error);
    uint8_t *causes = hed_new(&memory.from, def->solves, 1, error);
    if (!hed_failed(error)) {
        *l = (loop){.times = times, .causes = causes, .beats = def->solves, .warm = WARM_BEATS};
        l->period_ns = (uint64_t)(1e9 / def->rate);
        hed_context_create(&with, &context, error);
        hed_device_find(context, device, &on, error);
        hed_mppi_create(on, def->controller, &l->controller, error);
        if (!hed_failed(error)) loop_run(l, &memory, error);
        if (!hed_failed(error)) loop_report(l, &memory, device, def, report);
        hed_mppi_destroy(l->controller);
        hed_context_destroy(context);
    }
    hed_delete(&memory.from, causes, def->solves, 1);
    hed_delete(&memory.from, times, def->solves, sizeof *times);
    hed_delete(&memory.from, l, 1, sizeof *l);
    return hed_failed(error) ? error->status : HED_OK;
}
