/* heddle mppi bench: the time of a solve, host state to host control, in closed loop with the model
 * as the plant: median, 99th percentile and maximum, by the number of samples and the solver. */
#include "benchmarks/bench.h"
#include "benchmarks/mppi_deadlines.h"
#include "benchmarks/mppi_loop.h"
#include "benchmarks/mppi_nav2.h"
#include "benchmarks/mppi_stages.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "heddle/author.h"
#include "heddle/mppi.h"
#include "heddle/mppi_scene.h"
#include "heddle/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOLVES = 1000000, WARM_SOLVES = 150 };

/* ---- the cases ---- */

/* A cost that is made expensive: 50 cosines in each step. */
static const char COSINES[] =
    "MPPI_FUNCTION float term_fifty(const float *x, const float *u, int t, MPPI_WORLD w)\n"
    "{\n"
    "    float sum = 0.0f;\n"
    "    for (int i = 1; i <= 50; i++) sum += mppi_cos(x[2] * (float)i + x[0]);\n"
    "    return 1e-6f * sum;\n"
    "}\n";

static float cosines_cost(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    float sum = 0;
    for (int i = 1; i <= 50; i++) sum += cosf(x[2] * (float)i + x[0]);
    (void)u, (void)t, (void)world;
    return 1e-6f * sum;
}

/* A map of 11 x 11 m in cells of 0.1 m with a pillar in every third metre, as the setup of
 * MPPI-Generic's published benchmark has one. */
enum { CELLS = 110 };
static float room[HED_MPPI_GRID_HEAD + CELLS * CELLS];

static void bench_fill_room(void)
{
    static float values[CELLS * CELLS];
    const hed_mppi_map map = {
        .width = CELLS, .height = CELLS, .resolution = 0.1, .x = -5.5, .y = -5.5, .values = values};
    for (int i = 0; i < CELLS * CELLS; i++) {
        int x = i % CELLS % 30 - 15, y = i / CELLS % 30 - 15;
        values[i] = x * x + y * y < 16 ? 1 : 0;
    }
    hed_mppi_map_table(&map, values, room);
}

/* A network of weights that leave its tanh in their middle. */
enum { WEIGHTS = 1412 };
static float network[WEIGHTS];

typedef struct bench_problem {
    const char *name, *model;
    bool cosines;
    float sigma, limit;
    hed_mppi_setting settings[24];
} bench_problem;

/* The cartpole of MPPI-Generic's example: for its limits it has an effective sample size of 1, so
 * it is for timing alone. */
static const bench_problem PROBLEMS[] = {
    {"cartpole", "cartpole", false, 5, 5,
        {{"quadratic.state.x", 50}, {"quadratic.state.velocity", 10},
            {"quadratic.state.theta", 200}, {"quadratic.state.rate", 1}, {"quadratic.goal.x", 20},
            {"quadratic.goal.theta", 3.14159265f}}},
    {"cartpole, 50 cosines", "cartpole", true, 5, 5,
        {{"quadratic.state.x", 50}, {"quadratic.state.velocity", 10},
            {"quadratic.state.theta", 200}, {"quadratic.state.rate", 1}, {"quadratic.goal.x", 20},
            {"quadratic.goal.theta", 3.14159265f}}},
    {"quadrotor", "quadrotor", false, 0.1f, 5, {{0}}},
    {"differential drive", "differential_drive", false, 0.2f, 0.5f,
        {{"goal.weight", 5}, {"goal.x", 4}, {"goal.y", 4}, {"goal_angle.weight", 5},
            {"goal_angle.x", 4}, {"goal_angle.y", 4}, {"costmap.weight", 20}}},
    {"network", "network", false, 0.3f, 1,
        {{"quadratic.state.speed", 1}, {"quadratic.goal.speed", 5}}},
};

static const struct {
    hed_mppi_solver solver;
    const char *name;
} SOLVERS[] = {{HED_MPPI_SOLVER_CPU, "cpu"}, {HED_MPPI_SOLVER_PACKETS, "packets"},
    {HED_MPPI_SOLVER_RESIDENT, "resident"}, {HED_MPPI_SOLVER_LAUNCHES, "launches"},
    {HED_MPPI_SOLVER_AUTO, "auto"}}; /* the last where it is asked for: that of each device */

typedef struct bench_case {
    const bench_problem *problem;
    uint32_t samples, solver; /* of SOLVERS */
    hed_math math;
    const char *choice;
    uint32_t blocks;
    hed_device *const *other_devices; /* (other_device_count) */
    uint32_t other_device_count;
    const char *devices; /* their names, for the report */
} bench_case;

typedef struct bench_run {
    cli_report *report;
    double *times;              /* (MOST_SOLVES) us */
    mppi_stages_sample *stages; /* (solves) NULL without --stages */
    uint32_t solves, count, failed;
    double rate;     /* Hz; 0: one solve after the other */
    double deadline; /* ms; 0: none */
    bool json;
} bench_run;

/* ---- one case ---- */

static void bench_define(const bench_case *c, hed_mppi_term terms[3], hed_mppi_def *def)
{
    static const hed_mppi_table tables[] = {
        {.name = "costmap", .values = room, .count = HED_COUNT(room)}};
    static const hed_mppi_table weights[] = {
        {.name = "network", .values = network, .count = WEIGHTS}};
    bool drives = !strcmp(c->problem->model, "differential_drive");
    *def = hed_default_mppi_def();
    terms[0] = *hed_mppi_term_find("quadratic");
    terms[1] = (hed_mppi_term){
        .name = "fifty", .text = COSINES, .file = "fifty.h", .cost = cosines_cost, .weight = 1};
    def->model = hed_mppi_model_find(c->problem->model);
    def->terms = terms;
    def->term_count = c->problem->cosines ? 2 : 1;
    if (drives) {
        terms[0] = *hed_mppi_term_find("goal");
        terms[1] = *hed_mppi_term_find("goal_angle");
        terms[2] = *hed_mppi_term_find("costmap");
        def->term_count = 3;
        def->tables = tables;
        def->table_count = 1;
    }
    if (!strcmp(c->problem->model, "network")) {
        def->tables = weights;
        def->table_count = 1;
    }
    def->settings = c->problem->settings;
    while (def->setting_count < HED_COUNT(c->problem->settings) &&
           c->problem->settings[def->setting_count].name)
        def->setting_count++;
    def->samples = c->samples;
    def->dt = 0.02f;
    def->lambda = drives ? 1 : 0.25f;
    for (uint32_t i = 0; i < def->model->controls; i++) {
        def->sigma[i] = c->problem->sigma;
        def->minimum[i] = drives ? -0.35f : -c->problem->limit;
        def->maximum[i] = c->problem->limit;
    }
    def->solver = SOLVERS[c->solver].solver;
    def->math = c->math;
    def->choice = c->choice;
    def->blocks = c->blocks;
    def->other_devices = c->other_devices;
    def->other_device_count = c->other_device_count;
}

/* The state moves along the plan, and some 5 us pass between two solves. */
static hed_status bench_solves(hed_mppi *controller, bench_run *to, hed_error *error)
{
    uint32_t states = hed_mppi_describe(controller).def->model->states;
    float x[HED_MPPI_MAX_STATES] = {0}, u[HED_MPPI_MAX_CONTROLS];
    for (uint32_t n = 0; n < WARM_SOLVES + to->solves; n++) {
        uint64_t before = hed_now();
        while (hed_now() - before < 5000) {}
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        uint32_t switches = to->stages ? cli_mppi_switches() : 0;
        uint64_t begin = hed_now();
        hed_status status = hed_mppi_solve(controller, x, u, NULL, error);
        uint64_t end = hed_now();
        if (status) return status;
        if (n >= WARM_SOLVES) to->times[n - WARM_SOLVES] = (double)(end - begin) * 1e-3;
        if (n >= WARM_SOLVES && to->stages)
            to->stages[n - WARM_SOLVES] = (mppi_stages_sample){(double)(end - begin) * 1e-3,
                hed_mppi_last_stages(controller), cli_mppi_switches() - switches};
        memcpy(x, hed_mppi_states(controller, 0) + states, states * sizeof *x);
        hed_mppi_shift(controller, 1);
    }
    return HED_OK;
}

static hed_status bench_time(
    hed_device *device, const bench_case *c, bench_run *to, hed_error *error)
{
    hed_mppi_def def;
    hed_mppi_term terms[3];
    hed_mppi *controller = NULL;
    bench_define(c, terms, &def);
    if (hed_mppi_create(device, &def, &controller, error)) {
        if (error->status != HED_ERROR_UNSUPPORTED || c->choice) return error->status;
        hed_error_clear(error); /* this solver is not for this device */
        return HED_OK;
    }
    hed_status status = bench_solves(controller, to, error);
    hed_mppi_info info = hed_mppi_describe(controller);
    const mppi_stages_case named = {c->devices, c->problem->name, SOLVERS[c->solver].name,
        c->math == HED_MATH_STRICT ? "strict" : "fast", c->samples};
    if (!status && to->stages) {
        cli_mppi_stages(&named, to->stages, to->solves, to->report);
        to->count++;
    } else if (!status) {
        hed_summary times = hed_summarize(to->times, to->solves);
        cli_report_row(to->report, CLI_TEXT("device", c->devices, .heading = "DEVICE"),
            CLI_TEXT("problem", c->problem->name, .heading = "PROBLEM"),
            CLI_WHOLE("samples", c->samples, .heading = ">N"),
            CLI_WHOLE("blocks", info.def->blocks, .heading = ">BLOCKS"),
            CLI_TEXT("solver", SOLVERS[c->solver].name, .heading = "SOLVER"),
            CLI_TEXT("math", c->math == HED_MATH_STRICT ? "strict" : "fast", .heading = "MATH"),
            CLI_NUMBER("median_us", times.p50, .heading = ">MEDIAN us", .format = "%.2f"),
            CLI_NUMBER("p99_us", times.p99, .heading = ">P99", .format = "%.2f"),
            CLI_NUMBER("max_us", times.maximum, .heading = ">MAX", .format = "%.2f"),
            CLI_NUMBER("min_us", times.minimum, .heading = ">MIN", .format = "%.2f"),
            CLI_TEXT("choice", info.choice, .heading = "CHOICE"));
        to->count++;
    }
    hed_mppi_destroy(controller);
    return status;
}

/* The same case against the clock. */
static hed_status bench_loop(
    hed_device *device, const bench_case *c, const bench_run *to, hed_error *error)
{
    hed_mppi_def def;
    hed_mppi_term terms[3];
    bench_define(c, terms, &def);
    const mppi_loop_def loop = {.controller = &def,
        .problem = c->problem->name,
        .solver = SOLVERS[c->solver].name,
        .rate = to->rate,
        .solves = to->solves,
        .json = to->json};
    hed_status status = cli_mppi_loop(hed_device_describe(device).id, &loop, to->report, error);
    if (status != HED_ERROR_UNSUPPORTED || c->choice) return status;
    hed_error_clear(error); /* this solver is not for this device */
    return HED_OK;
}

/* The same case with a deadline, by all controllers. */
static hed_status bench_deadlines(
    hed_device *device, const bench_case *c, const bench_run *to, hed_error *error)
{
    hed_mppi_def def;
    hed_mppi_term terms[3];
    bench_define(c, terms, &def);
    const mppi_deadlines_def with = {.controller = &def,
        .problem = c->problem->name,
        .deadline = to->deadline,
        .solves = to->solves};
    return cli_mppi_deadlines(device, &with, to->report, error);
}

/* ---- the command ---- */

/* A case that fails is worth a line, not the end. */
static hed_status bench_excuse(const bench_case *c, bench_run *to, hed_error *error)
{
    if (!hed_failed(error)) return HED_OK;
    if (hed_interrupted()) return error->status;
    fprintf(stderr, "heddle: %s, %u samples, %s: %s: %s\n", c->problem->name, c->samples,
        SOLVERS[c->solver].name, hed_status_name(error->status), error->text);
    to->failed++;
    hed_error_clear(error);
    return HED_OK;
}

static bool bench_wanted(const hed_arguments *arguments, const char *option, const char *name)
{
    return !hed_given(arguments, option) || strcmp(hed_text_of(arguments, option), name) == 0;
}

/* Without --solver: all solvers but AUTO; with a deadline AUTO alone. */
static bool bench_takes_solver(const hed_arguments *arguments, const bench_run *to, uint32_t solver)
{
    if (hed_given(arguments, "solver"))
        return bench_wanted(arguments, "solver", SOLVERS[solver].name);
    return !SOLVERS[solver].solver == (to->deadline > 0);
}

static bool bench_is_nav2(const hed_arguments *arguments)
{
    return hed_given(arguments, "problem") && !strcmp(hed_text_of(arguments, "problem"), MPPI_NAV2_PROBLEM);
}

/* `count` devices: one, or those that share the samples out. */
static hed_status bench_devices(hed_device *const *devices, uint32_t count,
    const hed_arguments *arguments, bench_run *to, hed_error *error)
{
    static const uint32_t all[] = {128, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072},
                          timed[] = {64, 1024, 16384, 262144};
    const uint32_t *sizes = to->deadline > 0 ? timed : all;
    size_t size_count = to->deadline > 0 ? HED_COUNT(timed) : HED_COUNT(all);
    bench_fill_room();
    for (uint32_t i = 0, state = 1; i < WEIGHTS; i++) {
        state = state * 1664525u + 1013904223u;
        network[i] = (float)(state >> 8) * 0x1p-24f - 0.5f;
    }
    char names[256];
    cli_device_ids(devices, count, names, sizeof names);
    bench_case c = {
        .choice = hed_given(arguments, "choice") ? hed_text_of(arguments, "choice") : NULL,
        .blocks = (uint32_t)hed_integer_of(arguments, "blocks"),
        .other_devices = devices + 1,
        .other_device_count = count - 1,
        .devices = names};
    uint32_t only = (uint32_t)hed_integer_of(arguments, "samples");
    if (bench_is_nav2(arguments)) {
        const mppi_nav2_def def = {devices[0], only, to->solves, to->times};
        return cli_mppi_nav2_bench(&def, to->report, error);
    }
    for (size_t p = 0; p < HED_COUNT(PROBLEMS); p++)
        for (c.solver = 0; c.solver < HED_COUNT(SOLVERS); c.solver++)
            for (size_t n = 0; n < (only ? 1 : size_count); n++)
                for (int strict = 0; strict < 2; strict++) {
                    c.problem = &PROBLEMS[p];
                    c.samples = only ? only : sizes[n];
                    c.math = strict ? HED_MATH_STRICT : HED_MATH_FAST;
                    if (!hed_mppi_model_find(c.problem->model) ||
                        !bench_wanted(arguments, "problem", c.problem->name) ||
                        !bench_takes_solver(arguments, to, c.solver) ||
                        (strict && !hed_given(arguments, "strict")))
                        continue;
                    if (to->deadline > 0) bench_deadlines(devices[0], &c, to, error);
                    else if (to->rate > 0) bench_loop(devices[0], &c, to, error);
                    else bench_time(devices[0], &c, to, error);
                    if (bench_excuse(&c, to, error)) return error->status;
                }
    return HED_OK;
}

/* Refuses --problem and --solver if there is none of that name. */
static hed_status bench_check_names(const hed_arguments *arguments, hed_error *error)
{
    bool problem = bench_is_nav2(arguments), solver = false;
    for (size_t i = 0; i < HED_COUNT(PROBLEMS); i++)
        problem |= bench_wanted(arguments, "problem", PROBLEMS[i].name);
    for (size_t i = 0; i < HED_COUNT(SOLVERS); i++)
        solver |= bench_wanted(arguments, "solver", SOLVERS[i].name);
    const char *option = problem ? "solver" : "problem";
    if (problem && solver) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT, "--%s %s: there is none of this name; there are \"%s\" and others",
        option, hed_text_of(arguments, option), problem ? SOLVERS[0].name : PROBLEMS[0].name);
}

static int bench_command(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    cli_session session;
    bool together = hed_given(arguments, "together");
    if (together && hed_number_of(arguments, "rate") > 0) {
        fputs("heddle: --rate is for one device: leave --together out\n", stderr);
        return HED_EXIT_USAGE;
    }
    if (bench_check_names(arguments, &error)) return cli_fail(&error);
    if (together) cli_open_devices_together(arguments, &session, &error);
    else cli_open_devices(arguments, &session, &error);
    if (hed_failed(&error)) return cli_fail(&error);
    bench_run to = {.report = cli_report_create(hed_given(arguments, "json")),
        .times = calloc(MOST_SOLVES, sizeof(double)),
        .solves = (uint32_t)hed_integer_of(arguments, "solves"),
        .rate = hed_number_of(arguments, "rate"),
        .deadline = hed_number_of(arguments, "deadline"),
        .json = hed_given(arguments, "json")};
    if (hed_given(arguments, "stages")) to.stages = calloc(to.solves, sizeof *to.stages);
    if (!to.times || (hed_given(arguments, "stages") && !to.stages))
        HED_OUT_OF_MEMORY(&error, "the times of solves");
    for (uint32_t d = 0; d < session.count && !hed_failed(&error);
         d += together ? session.count : 1)
        bench_devices(session.devices + d, together ? session.count : 1, arguments, &to, &error);
    hed_error unwritten = {0};
    cli_report_end(to.report, HED_OK, hed_failed(&error) ? &unwritten : &error);
    free(to.times);
    free(to.stages);
    cli_close(&session);
    (void)user;
    if (!hed_failed(&error) && to.failed) return HED_EXIT_FAILURE; /* with a line each */
    return cli_end(error.status, &error);
}

const hed_command hed_command_mppi_bench = {
    .name = "bench",
    .summary = "time solves, by samples, solver and model",
    .description =
        "Microseconds of a solve from the host's state to the host's controls, 100 steps, in closed "
        "loop: a cartpole, one whose cost has 50 cosines more, a quadrotor, a robot on two wheels "
        "with a map of 11 x 11 m, and a car that is a neural network. \"--problem nav2\": cycles of "
        "Nav2's controller with all its critics, and without the critics of the path.",
    .options = (const hed_option[]){CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true),
        {.name = "problem", .kind = HED_OPTION_TEXT, .value = "NAME", .help = "this problem alone"},
        {.name = "solver",
            .kind = HED_OPTION_TEXT,
            .value = "NAME",
            .help = "cpu, packets, resident or launches alone; auto: that of each device"},
        {.name = "samples",
            .kind = HED_OPTION_INTEGER,
            .value = "N",
            .fallback = "0",
            .low = 0,
            .high = 1 << 24,
            .help = "this number of samples alone; 0: 128 to 131,072"},
        {.name = "together",
            .kind = HED_OPTION_FLAG,
            .help =
                "the devices share the samples of one controller out; one that is named twice counts as two"},
        {.name = "blocks",
            .kind = HED_OPTION_INTEGER,
            .value = "COUNT",
            .fallback = "0",
            .low = 0,
            .high = 64,
            .help = "parts that the samples are summed up in; 0: 8 with several devices, else 1"},
        {.name = "choice",
            .kind = HED_OPTION_TEXT,
            .value = "CHOICE",
            .help = "\"GROUP=256 SAMPLES=16\": over what the rules choose"},
        {.name = "strict", .kind = HED_OPTION_FLAG, .help = "in strict mode, too"},
        {.name = "solves",
            .kind = HED_OPTION_INTEGER,
            .value = "COUNT",
            .fallback = "500",
            .low = 5,
            .high = MOST_SOLVES,
            .help = "of each case"},
        {.name = "stages",
            .kind = HED_OPTION_FLAG,
            .help = "the distribution of the times, each range split by stage: submission, wait, work of the host"},
        {.name = "rate",
            .kind = HED_OPTION_NUMBER,
            .value = "HZ",
            .fallback = "0",
            .low = 0,
            .high = 100000,
            .help = "start solves at fixed times, and list those that are late with their cause"},
        {.name = "deadline",
            .kind = HED_OPTION_NUMBER,
            .value = "MS",
            .fallback = "0",
            .low = 0,
            .high = 10000,
            .help = "solves with this deadline, by all controllers and rules, 64 to 262,144 samples"},
        {0}},
    .examples = (const hed_example[]){{"heddle mppi bench --device cuda:0", "everything a GPU has"},
        {"heddle mppi bench --problem cartpole --samples 8192 --rate 1000 --solves 120000",
            "two minutes at 1 kHz"},
        {"heddle mppi bench --solver packets --samples 1024 --choice \"SAMPLES=8\"",
            "one size, one choice"},
        {0}},
    .run = bench_command,
};
