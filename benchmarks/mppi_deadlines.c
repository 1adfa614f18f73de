/* Deadlines kept: the time of each solve, from the first one on, for all controllers and rules. A
 * solve that is late because the machine was busy says nothing about the solver: a solve is quiet
 * if no thread of the process waited for a processor, and if, on a processor, the process ran
 * meanwhile. Late quiet solves are a column of their own. */
#include "benchmarks/mppi_deadlines.h"

#include "cli/common/command.h"
#include "heddle/author.h"
#include "heddle/stats.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LATE = 1.1;    /* of the deadline */
static const double RAN = 0.8;     /* of the solve's time: a quiet process runs longer */
static const double WAITED = 0.01; /* of the deadline: a wait that makes a solve a busy one */

/* ---- waits for a processor ---- */

/* Returns the time that all threads of the process have waited for a processor, ns; 0 where the
 * system does not count it. */
static double deadlines_waited(void)
{
    DIR *tasks = opendir("/proc/self/task");
    double sum = 0;
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300];
        double ran, waited;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = *task->d_name == '.' ? NULL : fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%lf %lf", &ran, &waited) == 2) sum += waited;
        fclose(file);
    }
    if (tasks) closedir(tasks);
    return sum;
}

/* Returns the time that the process has run, ns. */
static double deadlines_ran(void) { return 1e9 / CLOCKS_PER_SEC * (double)clock(); }

/* ---- a case ---- */

typedef struct deadlines_case {
    const char *name;
    hed_mppi_kind kind;
    hed_mppi_update update;
    float smooth_weight;
    uint32_t iterations;
    hed_mppi_sampler sampler;
} deadlines_case;

static const deadlines_case CASES[] = {
    {"plain", HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL, 0, 1, HED_MPPI_GAUSSIAN},
    {"elite", HED_MPPI_PLAIN, HED_MPPI_ELITE, 0, 1, HED_MPPI_GAUSSIAN},
    {"tsallis", HED_MPPI_PLAIN, HED_MPPI_TSALLIS, 0, 1, HED_MPPI_GAUSSIAN},
    {"smooth", HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL, 0.1f, 1, HED_MPPI_GAUSSIAN},
    {"3 rounds", HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL, 0, 3, HED_MPPI_GAUSSIAN},
    {"coloured", HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL, 0, 1, HED_MPPI_COLOURED},
    {"tube", HED_MPPI_TUBE, HED_MPPI_EXPONENTIAL, 0, 1, HED_MPPI_GAUSSIAN},
    {"robust", HED_MPPI_ROBUST, HED_MPPI_EXPONENTIAL, 0, 1, HED_MPPI_GAUSSIAN}};

typedef struct deadlines_result {
    double *times; /* (solves) of the deadline */
    uint32_t solves, late, busy, late_quiet, reported;
    double first;   /* time of the first solve, of the deadline */
    double samples; /* sum */
} deadlines_result;

static hed_status deadlines_loop(hed_mppi *controller, bool on_processor, double deadline_ns,
    deadlines_result *r, hed_error *error)
{
    uint32_t states = hed_mppi_describe(controller).def->model->states;
    float x[HED_MPPI_MAX_STATES] = {0};
    hed_mppi_stats stats;
    for (uint32_t n = 0; n < r->solves; n++) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        double waited = deadlines_waited(), ran = deadlines_ran();
        uint64_t begin = hed_now();
        if (hed_mppi_solve(controller, x, NULL, &stats, error)) return error->status;
        double took = (double)(hed_now() - begin) / deadline_ns;
        bool idle = on_processor && deadlines_ran() - ran < RAN * took * deadline_ns;
        bool busy = idle || deadlines_waited() - waited > WAITED * deadline_ns;
        r->times[n] = took;
        if (n == 0) r->first = took;
        r->late += took > LATE;
        r->busy += busy;
        r->late_quiet += took > LATE && !busy;
        r->reported += stats.missed;
        r->samples += stats.samples;
        memcpy(x, hed_mppi_states(controller, 0) + states, states * sizeof *x);
        hed_mppi_shift(controller, 1);
    }
    return HED_OK;
}

static void deadlines_row(const char *device, const mppi_deadlines_def *def,
    const deadlines_case *c, const deadlines_result *r, cli_report *report)
{
    hed_summary times = hed_summarize(r->times, r->solves);
    uint32_t quiet = r->solves - r->busy;
    double share = quiet ? 100.0 * (quiet - r->late_quiet) / quiet : 0;
    cli_report_row(report, CLI_TEXT("device", device, .heading = "DEVICE"),
        CLI_TEXT("problem", def->problem, .heading = "PROBLEM"),
        CLI_TEXT("controller", c->name, .heading = "CONTROLLER"),
        CLI_WHOLE("samples", def->controller->samples, .heading = ">N"),
        CLI_NUMBER("deadline_ms", def->deadline, .heading = ">ms", .format = "%g"),
        CLI_WHOLE("solves", r->solves, .heading = ">SOLVES"),
        CLI_NUMBER("counted", r->samples / r->solves, .heading = ">COUNTED", .format = "%.0f"),
        CLI_NUMBER("first", r->first, .heading = ">FIRST", .format = "%.3f"),
        CLI_NUMBER("median", times.p50, .heading = ">MEDIAN", .format = "%.3f"),
        CLI_NUMBER("p99", times.p99, .heading = ">P99", .format = "%.3f"),
        CLI_NUMBER("max", times.maximum, .heading = ">MAX", .format = "%.3f"),
        CLI_WHOLE("late", r->late, .heading = ">LATE"),
        CLI_WHOLE("reported", r->reported, .heading = ">REPORTED"),
        CLI_WHOLE("busy", r->busy, .heading = ">BUSY"),
        CLI_WHOLE("late_quiet", r->late_quiet, .heading = ">QUIET LATE"),
        CLI_NUMBER("kept_quiet_percent", share, .heading = ">KEPT %", .format = "%.2f"));
}

static hed_status deadlines_case_run(hed_device *device, const mppi_deadlines_def *def,
    const deadlines_case *c, deadlines_result *r, hed_error *error)
{
    hed_mppi_def with = *def->controller;
    hed_mppi *controller = NULL;
    double *times = r->times;
    *r = (deadlines_result){.times = times, .solves = def->solves};
    with.deadline_ns = (uint64_t)(def->deadline * 1e6);
    with.kind = c->kind;
    with.update = c->update;
    with.smooth_weight = c->smooth_weight;
    with.iterations = c->iterations;
    with.sampler = c->sampler;
    for (uint32_t i = 0; i < with.model->controls && c->sampler == HED_MPPI_COLOURED; i++)
        with.exponent[i] = 1;
    if (hed_mppi_create(device, &with, &controller, error)) return error->status;
    bool gpu = hed_device_describe(device).type == HED_DEVICE_GPU;
    hed_status status = deadlines_loop(controller, !gpu, def->deadline * 1e6, r, error);
    hed_mppi_destroy(controller);
    return status;
}

hed_status cli_mppi_deadlines(
    hed_device *device, const mppi_deadlines_def *def, cli_report *report, hed_error *error)
{
    deadlines_result r = {.times = calloc(def->solves, sizeof *r.times)};
    if (!r.times) return HED_OUT_OF_MEMORY(error, "the times of solves");
    for (size_t i = 0; i < HED_COUNT(CASES) && !hed_failed(error); i++)
        if (!deadlines_case_run(device, def, &CASES[i], &r, error))
            deadlines_row(hed_device_describe(device).id, def, &CASES[i], &r, report);
    free(r.times);
    return hed_failed(error) ? error->status : HED_OK;
}
