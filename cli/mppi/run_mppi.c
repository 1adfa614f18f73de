/* heddle mppi run: a model under control, step by step, in a closed loop. */
#include "nav2_world.h"
#include "subcommands.h"

#include "heddle/author.h"
#include "heddle/code.h"
#include "cli/common/report.h"
#include "support/digits.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

typedef struct mppi_run {
    const hed_arguments *arguments;
    bool quiet, json;
    cli_session session;
    cli_mppi_subject subject;
    hed_mppi *controller;
    hed_mppi_info info;
    cli_mppi_record record;
    cli_mppi_plant *plants; /* (count) */
} mppi_run;

/* ---- opening ---- */

/* True if the definition has a text without a C function. */
static bool run_needs_compiler(const hed_mppi_def *def)
{
    bool needs = !def->model->step && !def->model->roll;
    for (uint32_t i = 0; i < def->term_count; i++) needs = needs || !def->terms[i].cost;
    return needs;
}

bool cli_mppi_runs_texts(const hed_device *device)
{
    char compiler[PATH_MAX];
    const char *backend = hed_device_describe(device).backend;
    if (!strcmp(backend, "host")) return hed_code_compiler(compiler, sizeof compiler);
    return !strcmp(backend, "opencl") || !strcmp(backend, "cuda") || !strcmp(backend, "hip");
}

/* Returns the session's device; if it cannot run a text of the definition, and unless the user names
 * a device, the first that can. */
static hed_device *run_device(mppi_run *r)
{
    hed_device *first = r->session.devices[0];
    uint32_t count = hed_context_describe(r->session.context).devices;
    if (!r->subject.def.model->text && !hed_given(r->arguments, "device")) {
        hed_error error = {0};
        hed_device_find(r->session.context, "host", &r->session.devices[0], &error);
        return r->session.devices[0];
    }
    if (!run_needs_compiler(&r->subject.def) || hed_given(r->arguments, "device") ||
        cli_mppi_runs_texts(first))
        return first;
    for (uint32_t i = 0; i < count; i++) {
        hed_device *device = hed_device_at(r->session.context, i);
        if (cli_mppi_runs_texts(device)) return r->session.devices[0] = device;
    }
    return first;
}

static hed_status run_open(mppi_run *r, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    if (cli_mppi_subject_open(a, &r->subject, error) != HED_OK) return error->status;
    uint32_t steps =
        hed_given(a, "steps") ? (uint32_t)hed_integer_of(a, "steps") : r->subject.steps;
    if (steps == 0) steps = 1000;
    float dt = r->subject.def.dt > 0 ? r->subject.def.dt : r->subject.def.model->dt;
    if (hed_given(a, "seconds"))
        steps = (uint32_t)fmax(1, nearbyint(hed_number_of(a, "seconds") / (double)dt));
    if (hed_given(a, "seed")) r->subject.def.seed = (uint64_t)hed_integer_of(a, "seed");
    if (hed_given(a, "strict")) r->subject.def.math = HED_MATH_STRICT;
    if (hed_given(a, "solver")) r->subject.def.solver = (hed_mppi_solver)hed_choice_of(a, "solver");
    if (hed_given(a, "deadline"))
        r->subject.def.deadline_ns = (uint64_t)(1e6 * hed_number_of(a, "deadline"));
    if (hed_given(a, "choice")) r->subject.def.choice = hed_text_of(a, "choice");
    if (hed_given(a, "measure")) {
        r->subject.def.measure = true;
        r->subject.def.measure_ns = (uint64_t)(1e6 * hed_number_of(a, "measure"));
    }
    hed_device *first = run_device(r);
    r->subject.def.other_devices = r->session.devices + 1;
    r->subject.def.other_device_count = r->session.count - 1;
    hed_mppi_create(first, &r->subject.def, &r->controller, error);
    if (hed_failed(error)) return error->status;
    r->info = hed_mppi_describe(r->controller);
    uint32_t robots = r->info.def->count;
    r->plants = calloc(robots, sizeof *r->plants);
    if (!r->plants) return HED_OUT_OF_MEMORY(error, "%u robots", robots);
    for (uint32_t i = 0; i < robots; i++)
        if (cli_mppi_plant_open(a, &r->subject, r->controller, i, &r->plants[i], error))
            return error->status;
    for (uint32_t i = 0; i < robots; i++) {
        const hed_mppi_robot robot = hed_mppi_scene_robot(r->subject.scene, i);
        if (hed_mppi_set_robot(r->controller, i, &robot, error)) return error->status;
    }
    return cli_mppi_record_open(&r->record, r->info.def, steps, hed_given(a, "plot"), error);
}

/* ---- the live line ---- */

static void live_line(const mppi_run *r, FILE *stream, bool terminal)
{
    const cli_mppi_record *record = &r->record;
    uint32_t last = (record->done - 1) * record->robots, nx = record->def->model->states,
             columns = 160;
    const hed_mppi_stats *stats = &record->stats[last]; /* the first robot of a fleet */
    hed_meter_info times = hed_meter_describe(&record->meter);
    char text[1024], name[16];
    size_t used = (size_t)snprintf(text, sizeof text,
        "step %" PRIu32 " of %" PRIu32 ": cost %s, ESS %s, p50 %s p99 %s max %s ms, "
        "%" PRIu64 " missed;",
        record->done, record->steps, hed_digits(stats->baseline, 4).text,
        hed_digits(stats->ess, 3).text, hed_digits(1e-6 * times.p50_ns, 3).text,
        hed_digits(1e-6 * times.p99_ns, 3).text, hed_digits(1e-6 * times.maximum_ns, 3).text,
        times.misses);
    for (uint32_t i = 0; i < nx && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s %s",
            cli_mppi_state_name(record->def->model, i, name),
            hed_digits(record->states[(size_t)record->done * record->robots * nx + i], 3).text);
    struct winsize window;
    if (terminal && ioctl(fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
        columns = window.ws_col - 1u;
    fprintf(stream, terminal ? "\r%.*s\033[K" : "%.*s\n", (int)columns, text);
    fflush(stream);
}

/* ---- the loop ---- */

/* Sleeps until shortly before a time of hed_now(), then polls: a sleep alone may be late by the
 * duration of a solve. */
static void wait_until(uint64_t due)
{
    static const uint64_t EARLY = 200000;
    uint64_t now = hed_now();
    if (due > now + EARLY) {
        uint64_t left = due - now - EARLY;
        nanosleep(&(struct timespec){.tv_sec = (time_t)(left / 1000000000u),
                      .tv_nsec = (long)(left % 1000000000u)},
            NULL);
    }
    while (hed_now() < due && !hed_interrupted()) {}
}

static hed_status run_step(mppi_run *r, uint64_t due, hed_error *error)
{
    cli_mppi_record *record = &r->record;
    const hed_mppi_model *model = r->info.def->model;
    size_t robots = record->robots, row = record->done * robots;
    float *x = record->states + row * model->states, *next = x + robots * model->states;
    float *u = record->controls + row * model->controls;
    hed_mppi_stats *stats = &record->stats[row];
    double seconds = record->done * (double)r->info.def->dt;
    hed_status status = cli_mppi_subject_update(&r->subject, r->controller, seconds, x, error);
    if (status == HED_OK) status = hed_mppi_solve(r->controller, x, u, stats, error);
    if (status != HED_OK) return status;
    uint64_t took = hed_now() - due;
    hed_meter_add(&record->meter, took);
    bool late = record->meter.deadline_ns && took > record->meter.deadline_ns;
    for (size_t i = 0; i < robots; i++) stats[i].missed = stats[i].missed || late;
    status = cli_mppi_record_look(record, &r->subject, r->controller, error);
    memcpy(next, x, robots * model->states * sizeof *x);
    for (size_t i = 0; i < robots; i++)
        cli_mppi_plant_step(&r->plants[i], r->controller, record->done, next + i * model->states,
            u + i * model->controls);
    hed_mppi_shift(r->controller, 1);
    record->done++;
    return status;
}

static hed_status run_go(mppi_run *r, hed_error *error)
{
    double rate = hed_number_of(r->arguments, "rate");
    uint64_t period = rate > 0 ? (uint64_t)(1e9 / rate) : 0;
    hed_meter_reset(&r->record.meter, r->info.def->deadline_ns ? r->info.def->deadline_ns : period);
    bool terminal = isatty(STDERR_FILENO) == 1, shown = false;
    uint64_t pause = terminal ? 100000000u : 10000000000u, drawn = hed_now(), due = hed_now();
    hed_status status = HED_OK;
    memcpy(r->record.states, r->subject.start,
        r->record.robots * r->info.def->model->states * sizeof(float));
    while (r->record.done < r->record.steps && status == HED_OK && !hed_interrupted()) {
        if (period) wait_until(due);
        else due = hed_now();
        if (hed_interrupted()) break;
        status = run_step(r, due, error);
        uint64_t now = hed_now();
        if (!r->quiet && !r->json && status == HED_OK && now - drawn > pause) {
            live_line(r, stderr, terminal);
            drawn = now;
            shown = true;
        }
        /* cycles start at fixed times: a late cycle waits for the next one */
        if (period) due += period * (1 + (now > due + period ? (now - due - 1) / period : 0));
    }
    if (shown && terminal) fputs("\r\033[K", stderr);
    return status;
}

/* ---- ending ---- */

static const char *run_math(const mppi_run *r)
{
    return r->info.def->math == HED_MATH_STRICT ? "strict" : "fast";
}

/* Returns the statistics of the last solve, (robots); NULL: before the first solve. */
static const hed_mppi_stats *last_stats(const cli_mppi_record *record)
{
    return record->done ? &record->stats[(size_t)(record->done - 1) * record->robots] : NULL;
}

/* Lists the last state and cost of each robot of a fleet. x: (robots x nx). */
static void run_tell_robots(
    const cli_mppi_record *record, const float *x, const hed_mppi_stats *last, cli_report *c)
{
    const hed_mppi_model *model = record->def->model;
    char name[16];
    cli_report_open_list(c, "robots");
    for (uint32_t i = 0; i < record->robots; i++, x += model->states) {
        cli_report_row(c, CLI_NUMBER("cost", last ? last[i].baseline : NAN));
        for (uint32_t k = 0; k < model->states; k++)
            cli_report_more(c, CLI_NUMBER(cli_mppi_state_name(model, k, name), x[k]));
    }
    cli_report_close(c);
}

static hed_status run_tell_json(
    const mppi_run *r, const cli_mppi_figures *f, const char *device, hed_error *error)
{
    const hed_mppi_def *def = r->info.def;
    const cli_mppi_record *record = &r->record;
    const float *x = record->states + (size_t)record->done * record->robots * def->model->states;
    const hed_mppi_stats *last = last_stats(record);
    char hash[20], name[16];
    snprintf(hash, sizeof hash, "%016" PRIx64, hed_mppi_hash(r->controller));
    cli_report *c = cli_report_create(true);
    cli_report_row(c, CLI_TEXT("model", def->model->name), CLI_TEXT("scene", r->subject.name),
        CLI_TEXT("controller", cli_mppi_kinds[def->kind]), CLI_TEXT("device", device),
        CLI_TEXT("solver", cli_mppi_solvers[r->info.solver]), CLI_TEXT("choice", r->info.choice),
        CLI_FLAG("measured", r->info.measured), CLI_TEXT("math", run_math(r)),
        CLI_WHOLE("samples", def->samples), CLI_WHOLE("horizon", def->steps),
        CLI_NUMBER("dt", cli_mppi_decimal(def->dt)), CLI_WHOLE("seed", def->seed),
        CLI_NUMBER("lambda", cli_mppi_decimal(last ? last->lambda : def->lambda)),
        CLI_WHOLE("steps", record->done), CLI_FLAG("interrupted", record->done < record->steps));
    if (record->robots > 1) run_tell_robots(record, x, last, c);
    cli_report_open(c, "state");
    for (uint32_t i = 0; i < def->model->states; i++)
        cli_report_more(c, CLI_NUMBER(cli_mppi_state_name(def->model, i, name), x[i]));
    cli_report_close(c);
    cli_report_open(c, "cost");
    cli_report_more(c, CLI_NUMBER("first", record->done ? record->stats[0].baseline : NAN),
        CLI_NUMBER("last", last ? last->baseline : NAN), CLI_NUMBER("p50", f->cost.p50),
        CLI_NUMBER("min", f->cost.minimum), CLI_NUMBER("max", f->cost.maximum));
    cli_report_close(c);
    cli_report_more(c, CLI_NUMBER("free_energy", last ? last->free_energy : NAN));
    cli_report_open(c, "ess");
    cli_report_more(c, CLI_NUMBER("p50", f->ess.p50), CLI_NUMBER("min", f->ess.minimum),
        CLI_NUMBER("last", last ? last->ess : NAN));
    cli_report_close(c);
    cli_report_more(c, CLI_NUMBER("crashed", f->crashed));
    cli_report_open(c, "solve_ms");
    cli_report_more(c, CLI_NUMBER("p50", f->solve_ms.p50), CLI_NUMBER("p99", f->solve_ms.p99),
        CLI_NUMBER("max", f->solve_ms.maximum));
    cli_report_close(c);
    cli_report_open(c, "outcomes");
    for (uint32_t i = 0; cli_mppi_outcomes[i]; i++)
        cli_report_more(c, CLI_WHOLE(cli_mppi_outcomes[i], f->outcomes[i]));
    cli_report_close(c);
    cli_report_more(c, CLI_NUMBER("deadline_ms", 1e-6 * (double)record->meter.deadline_ns),
        CLI_WHOLE("missed", record->meter.misses), CLI_TEXT("hash", hash));
    return cli_report_end(c, HED_OK, error);
}

static void run_tell(const mppi_run *r, const cli_mppi_figures *f, const char *device)
{
    const hed_mppi_def *def = r->info.def;
    const cli_mppi_record *record = &r->record;
    const float *x = record->states + (size_t)record->done * record->robots * def->model->states;
    const hed_mppi_stats *last = last_stats(record);
    char name[16];
    printf("%s: %" PRIu32 " steps of %g s on %s (%s, %s, %s), %" PRIu32 " samples of %" PRIu32
           " steps\n",
        r->subject.name, record->done, def->dt, device, cli_mppi_kinds[def->kind],
        cli_mppi_solvers[r->info.solver], run_math(r), def->samples, def->steps);
    if (r->info.measured) printf("fastest of the measured structures: %s\n", r->info.choice);
    for (uint32_t n = 0; n < record->robots; n++, x += def->model->states) {
        if (record->robots > 1) printf("robot %" PRIu32 ", ", n);
        printf("last state:");
        for (uint32_t i = 0; i < def->model->states; i++)
            printf("%s %s %s", i ? "," : "", cli_mppi_state_name(def->model, i, name),
                hed_digits(x[i], 4).text);
        if (record->robots > 1 && last) printf("; cost %s", hed_digits(last[n].baseline, 4).text);
        putchar('\n');
    }
    if (last)
        printf("cost: first %s, last %s; effective samples: p50 %s, least %s of %" PRIu32 "\n",
            hed_digits(record->stats[0].baseline, 4).text, hed_digits(last->baseline, 4).text,
            hed_digits(f->ess.p50, 3).text, hed_digits(f->ess.minimum, 3).text, def->samples);
    printf("a solve: p50 %s ms, p99 %s ms, max %s ms", hed_digits(f->solve_ms.p50, 3).text,
        hed_digits(f->solve_ms.p99, 3).text, hed_digits(f->solve_ms.maximum, 3).text);
    if (record->meter.deadline_ns)
        printf("; %" PRIu64 " of %" PRIu64 " missed the deadline of %g ms", record->meter.misses,
            record->meter.count, 1e-6 * (double)record->meter.deadline_ns);
    putchar('\n');
    if (f->outcomes[HED_MPPI_ALL_CRASHED])
        printf("all samples crashed in %" PRIu32 " solves, at most %s %% in the others\n",
            f->outcomes[HED_MPPI_ALL_CRASHED], hed_digits(100 * f->crashed, 3).text);
    if (f->over_threshold)
        printf("no candidate met the value threshold %g in %" PRIu32 " solves\n",
            (double)def->value_threshold, f->over_threshold);
    if (f->outcomes[HED_MPPI_DIVERGED])
        printf("the model diverged along the plan in %" PRIu32 " solves\n",
            f->outcomes[HED_MPPI_DIVERGED]);
}

/* Ends a run with `status`: writes files and a summary, even after an interruption. */
static int run_end(mppi_run *r, hed_status status, hed_error *error)
{
    const hed_arguments *a = r->arguments;
    const char *plot = hed_text_of(a, "plot"), *csv = hed_text_of(a, "csv");
    char device[256];
    size_t used = 0;
    for (uint32_t i = 0; i < r->session.count && used < sizeof device; i++)
        used += (size_t)snprintf(device + used, sizeof device - used, "%s%s", i ? " + " : "",
            hed_device_describe(r->session.devices[i]).id);
    cli_mppi_figures figures;
    int code = status != HED_OK ? HED_EXIT_FAILURE : HED_EXIT_OK;
    if (status != HED_OK)
        fprintf(stderr, "heddle: step %" PRIu32 ": %s\n", r->record.done, error->text);
    hed_error_clear(error);
    status = cli_mppi_record_sum(&r->record, &figures, error);
    if (status == HED_OK && csv) status = cli_mppi_record_write_csv(&r->record, csv, error);
    if (status == HED_OK && plot)
        status = (r->record.robots > 1 ? cli_mppi_fleet_picture_write : cli_mppi_picture_write)(
            &r->subject, &r->record, &figures, r->controller, plot, error);
    if (status == HED_OK && r->json) status = run_tell_json(r, &figures, device, error);
    else if (status == HED_OK) {
        run_tell(r, &figures, device);
        if (plot) printf("%s: the picture\n", plot);
        if (csv) printf("%s: %" PRIu32 " rows\n", csv, r->record.done * r->record.robots);
    }
    if (status != HED_OK) {
        fprintf(stderr, "heddle: %s\n", error->text);
        return HED_EXIT_FAILURE;
    }
    if (code == HED_EXIT_OK && figures.outcomes[HED_MPPI_ALL_CRASHED]) {
        fprintf(stderr,
            "heddle: all futures crashed in %" PRIu32 " of %" PRIu32 " solves: the robot is in "
            "collision, or nothing that it can do avoids one\n",
            figures.outcomes[HED_MPPI_ALL_CRASHED], r->record.done * r->record.robots);
        code = HED_EXIT_CRASHED;
    }
    if (r->record.done == r->record.steps || code == HED_EXIT_FAILURE) return code;
    fprintf(stderr, "heddle: interrupted after step %" PRIu32 " of %" PRIu32 "\n", r->record.done,
        r->record.steps);
    return HED_EXIT_INTERRUPTED;
}

static int mppi_run_main(const hed_arguments *arguments, void *user)
{
    (void)user;
    if (hed_given(arguments, "schema")) {
        fputs(hed_mppi_scene_schema(), stdout);
        return HED_EXIT_OK;
    }
    if (!hed_given(arguments, "MODEL")) {
        fputs("heddle: name a model or a scene file (\"heddle mppi models\" lists the models; --schema prints "
              "a scene's format)\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    if (cli_nav2_is_file(hed_text_of(arguments, "MODEL")))
        return cli_nav2_run(arguments, hed_text_of(arguments, "MODEL"));
    mppi_run r = {.arguments = arguments};
    r.quiet = hed_given(arguments, "quiet");
    r.json = hed_given(arguments, "json");
    hed_error error = {0};
    if (cli_open_devices_together(arguments, &r.session, &error) != HED_OK) return cli_fail(&error);
    hed_status status = run_open(&r, &error);
    int code = status == HED_OK ? run_end(&r, run_go(&r, &error), &error) : cli_fail(&error);
    cli_mppi_record_close(&r.record);
    free(r.plants);
    hed_mppi_destroy(r.controller);
    cli_mppi_subject_close(&r.subject);
    cli_close(&r.session);
    return code;
}

/* ---- the command ---- */

static const hed_option OPTIONS[] = {
    CLI_MPPI_SIZE_OPTIONS,
    OPTION("seed", INTEGER, "S", "of the noise, and of what disturbs the plant", .low = 0, .high = 9007199254740992.0),
    OPTION("solver", CHOICE, "NAME", "what a solve consists of on the device (default: auto)",
        .choices = cli_mppi_solvers),
    OPTION("choice", TEXT, "CHOICE", "structure of a solve, such as \"GROUP=256 SAMPLES=16\", as --json prints it", .letter = 0),
    OPTION("measure", NUMBER, "MS",
        "time other structures for so many milliseconds before the run, and take the fastest (100 is a good number)",
        .letter = 0, .low = 0, .high = 1e6),
    FLAG("strict", "the same bits on every device"),
    OPTION("device", TEXT, "ID",
        "device to use: its id, part of its name, best, or all (every GPU once); several share the samples out",
        .letter = 'd', .repeated = true, .names = &cli_device_names),
    CLI_OPTION_THREADS,
    OPTION("plant", TEXT, "NAME=VALUE",
        "a parameter of the plant that the controller does not know, such as mass=1.2",
        .repeated = true),
    OPTION("disturb", TEXT, "STATE=SIGMA",
        "normal noise on a state of the plant: standard deviation in a second, times the root of dt in a step",
        .repeated = true),
    OPTION("push", TEXT, "SECONDS:STATE=CHANGE",
        "moves a state of the plant once, such as 2.5:x=0.3", .repeated = true),
    OPTION("steps", INTEGER, "COUNT", "steps of the closed loop (default: the scene's, else 1000)",
        .low = 1, .high = 1000000),
    OPTION("seconds", NUMBER, "S", "time of the closed loop, instead of --steps", .low = 1e-6, .high = 1e4),
    OPTION("rate", NUMBER, "HZ",
        "begin so many solves a second and count those that do not end before the next; else as fast as it goes",
        .low = 0.001, .high = 100000),
    OPTION("deadline", NUMBER, "MS",
        "a solve gives what it has after so many milliseconds; such solves are counted",
        .low = 0.001, .high = 1e6),
    OPTION("plot", OUTPUT, "FILE",
        "a picture of the run (SVG): where it went, sampled futures, controls, cost, times",
        .letter = 'p', .endings = ".svg"),
    OPTION("csv", OUTPUT, "FILE", "a row for each step: time, state, control, statistics",
        .letter = 0, .endings = ".csv .txt"),
    FLAG("json", "print JSON: one array with one object, nothing else"),
    OPTION("map", FILE, "FILE", "map for a parameter file of Nav2: the YAML of a ROS map server"),
    OPTION("goal", TEXT, "X,Y,YAW", "goal for a parameter file of Nav2, to which a path is found on the map", .letter = 0),
    OPTION("path", FILE, "FILE", "path for a parameter file of Nav2, instead of a goal: lines of x,y,yaw", .letter = 0),
    OPTION("start", TEXT, "X,Y,YAW",
        "where the robot begins (default: the path's first pose, or the initial pose of the file)", .letter = 0),
    OPTION("disc", TEXT, "X,Y,RADIUS", "an obstacle of which the path does not know", .letter = 0, .repeated = true),
    FLAG("no-detour", "as Nav2: stop in front of an obstacle on the path, and touch corners"),
    FLAG("schema", "print the JSON schema of scene files"),
    {0},
};
static const hed_option POSITIONALS[] = {POSITIONAL("MODEL", FILE, "a model of Heddle's, a scene, FILE.json, a model of MuJoCo's, FILE.xml, or a parameter file of Nav2, FILE.yaml", .names = &cli_mppi_names),
    {0}};
static const hed_example EXAMPLES[] = {
    {"heddle mppi run cartpole --plot swing.svg", "swing a pole up, and look at it"},
    {"heddle mppi run my_robot.json --device cuda:0 -n 65536 --rate 1000",
        "a scene in real time, a thousand solves a second"},
    {"heddle mppi run my_robot.json --device cuda:0 --device cuda:1 -n 1048576",
        "a million futures, half of them on each of two devices"},
    {"heddle mppi run cartpole --set length=0.5 --set quadratic.goal.x=0 --json",
        "another pole, another goal, figures for a program"},
    {"heddle mppi run walker.xml --seconds 5 --plot walk.svg", "a model of MuJoCo's, whose sensors have costs"},
    {"heddle mppi run nav2_params.yaml --map map.yaml --goal 6.3,3.7,0 --plot drive.svg",
        "a robot's own parameter file of Nav2"},
    {"heddle mppi run circle --controller tube --disturb vx=1.4 --disturb vy=1.4 --plot gusts.svg",
        "in gusts that the controller does not know of"},
    {0}};

const hed_command hed_command_mppi_run = {
    .name = "run",
    .summary = "control a model in a closed loop, and show how it went",
    .description =
        "Solves from the model's present state, applies the first control of the plan to the model, and so on. The "
        "line on the terminal shows how far it is, the least cost of a future, the effective sample size (ESS), times of "
        "solves, missed deadlines and the state.\n\n"
        "If all futures of a solve are in collision, the run goes on, says so at its end, and ends with exit code 3.\n\n"
        "Ctrl-C ends the run; picture, log and summary are of what was done until then.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .repeats = true,
    .run = mppi_run_main,
};
