/* heddle cloth bench: whole frames of square sheets, beside the bound that the device sets and the
 * worst stretch that a user would see.
 *
 * The sheet is that of every comparison in docs/cloth.md: n x n particles over 2 m x 2 m, level at
 * the start, two corners pinned, structural, shear and bend constraints, 60 frames a second of 5
 * substeps. Times are wall time of many steps in a row, the wait at the end included. */
#include "cli/cloth/sheet.h"
#include "cli/common/command.h"
#include "heddle/author.h"
#include "heddle/stats.h"
#include "benchmarks/cloth_row.h"
#include "benchmarks/bench.h"
#include "benchmarks/cloth_gate.h"
#include "benchmarks/cloth_heap.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_A_STEP = 30,   /* of the submission that is timed */
    SETTLED_FRAMES = 900, /* after which stretch is measured */
    MOST_ROUNDS = 31
};
static const double SECONDS_A_CASE = 0.6;
/* slower devices show the stretch of fewer frames, and say so */
static const double SETTLE_SECONDS = 6;

/* ---- the cases ---- */

typedef struct sheet_case {
    const char *name;
    uint32_t n, copies, substeps;
    bool tethers, surroundings; /* surroundings: driver, tethers, a plane, a sphere and a capsule */
    hed_cloth_solver solver;
    uint32_t threads, devices; /* NATIVE; bits below */
    bool scalar;               /* on a host device of one thread of its own */
} sheet_case;

static const sheet_case CASES[] = {
    {"255 x 255", 255, 1, 5, false, false, HED_CLOTH_SOLVER_AUTO, 0, ON_OTHERS, false},
    {"128 x 128", 128, 1, 5, false, false, HED_CLOTH_SOLVER_AUTO, 0, ON_OTHERS, false},
    {"1024 x 1024", 1024, 1, 5, false, false, HED_CLOTH_SOLVER_AUTO, 0, ON_OTHERS, false},
    {"1056 of 32 x 32", 32, 1056, 5, false, false, HED_CLOTH_SOLVER_AUTO, 0, ON_OTHERS, false},
    {"255 x 255, driver, tethers, colliders", 255, 1, 5, true, true, HED_CLOTH_SOLVER_AUTO, 0,
        ON_PACKETS, false},
    {"128 x 128, driver, tethers, colliders", 128, 1, 5, true, true, HED_CLOTH_SOLVER_AUTO, 0,
        ON_PACKETS, false},
    {"1024 x 1024, driver, tethers, colliders", 1024, 1, 5, true, true, HED_CLOTH_SOLVER_AUTO, 0,
        ON_PACKETS, false},
    {"128 x 128, tethers, 50 substeps", 128, 1, 50, true, false, HED_CLOTH_SOLVER_AUTO, 0,
        ON_PACKETS, false},
    {"255 x 255, tethers, 100 substeps", 255, 1, 100, true, false, HED_CLOTH_SOLVER_AUTO, 0,
        ON_PACKETS, false},
    {"255 x 255, a launch a colour", 255, 1, 5, false, false, HED_CLOTH_SOLVER_COLOURS, 0,
        ON_OTHERS, false},
    {"255 x 255, one thread", 255, 1, 5, false, false, HED_CLOTH_SOLVER_CPU, 1, ON_HOST, false},
    {"255 x 255, two threads", 255, 1, 5, false, false, HED_CLOTH_SOLVER_CPU, 2, ON_HOST, false},
    {"255 x 255, scalar C, one thread", 255, 1, 5, false, false, HED_CLOTH_SOLVER_COLOURS, 1,
        ON_HOST, true},
    {"1024 x 1024, all threads", 1024, 1, 5, false, false, HED_CLOTH_SOLVER_CPU, 0, ON_HOST, false},
    {"1056 of 32 x 32, all threads", 32, 1056, 5, false, false, HED_CLOTH_SOLVER_CPU, 0, ON_HOST, false},
};

/* ---- one case ---- */

typedef struct sheet_run {
    hed_cloth *cloth;
    cli_sheet sheet;
    hed_cloth_frame frame;
    hed_cloth_collider colliders[3];
    hed_buffer *driver;          /* what a program that skins on the device hands over each frame */
    double seconds[MOST_ROUNDS]; /* a frame, in steps of FRAMES_A_STEP */
    double single;               /* s a frame, one frame a step */
    hed_summary summary;
    hed_cloth_metrics quality;
    uint32_t settled; /* frames before the quality was measured */
} sheet_run;

static hed_status place_driver(hed_device *device, sheet_run *run, hed_error *error)
{
    size_t count = (size_t)run->sheet.n * run->sheet.n;
    float *both = malloc(count * 8 * sizeof(float));
    if (!both) return HED_OUT_OF_MEMORY(error, "a driver");
    for (size_t i = 0; i < count; i++) {
        const float *p = run->sheet.positions + 3 * i;
        memcpy(both + 8 * i, (float[]){p[0], p[1], p[2], 0, 0, 1, 0, 0}, 8 * sizeof(float));
    }
    hed_buffer_def def = hed_default_buffer_def(count * 8 * sizeof(float));
    hed_stream *stream = NULL;
    hed_buffer_create(device, &def, &run->driver, error);
    hed_stream_create(device, NULL, &stream, error);
    hed_write(stream, run->driver, 0, both, def.size, error);
    hed_stream_wait(stream, error);
    hed_stream_destroy(stream);
    free(both);
    return error->status;
}

static hed_status surround(hed_device *device, sheet_run *run, hed_error *error)
{
    run->colliders[0] =
        (hed_cloth_collider){HED_CLOTH_PLANE, {0, -2.5f, 0}, {0, 1, 0}, {0, 0}, 0.5f};
    run->colliders[1] =
        (hed_cloth_collider){HED_CLOTH_SPHERE, {0.2f, -0.6f, -0.3f}, {0, 0, 0}, {0.3f, 0.3f}, 0.5f};
    run->colliders[2] = (hed_cloth_collider){
        HED_CLOTH_CAPSULE, {-0.6f, -1.0f, 0}, {0.6f, -1.0f, 0}, {0.2f, 0.2f}, 0.5f};
    run->frame.colliders = run->colliders;
    run->frame.collider_count = 3;
    hed_status status = place_driver(device, run, error);
    run->frame.driver_buffer = run->driver;
    return status;
}

static void close_case(sheet_run *run)
{
    hed_cloth_destroy(run->cloth);
    hed_buffer_destroy(run->driver);
    cli_sheet_free(&run->sheet);
}

static hed_status open_case(const sheet_case *c, hed_device *const *devices, uint32_t count,
    sheet_run *run, hed_error *error)
{
    if (cli_sheet_create(c->n, &run->sheet, error)) return error->status;
    hed_cloth_garment_def garment = cli_sheet_garment(&run->sheet);
    garment.tethers = c->tethers;
    garment.copies = c->copies;
    garment.driven = c->surroundings;
    garment.max_distance = c->surroundings ? run->sheet.max_distance : NULL;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &garment;
    def.garment_count = 1;
    def.substeps = c->substeps;
    def.solver = c->solver;
    def.threads = c->threads;
    def.other_devices = devices + 1;
    def.other_device_count = count - 1;
    run->frame = hed_default_cloth_frame();
    if (c->surroundings) surround(devices[0], run, error);
    if (hed_cloth_create(devices[0], &def, &run->cloth, error)) close_case(run);
    return error->status;
}

/* `steps` steps of `frames` frames: seconds a frame. */
static hed_status time_steps(
    sheet_run *run, uint32_t steps, uint32_t frames, double *seconds, hed_error *error)
{
    run->frame.frames = frames;
    uint64_t start = hed_now();
    for (uint32_t s = 0; s < steps; s++) hed_cloth_step(run->cloth, &run->frame, error);
    hed_cloth_wait(run->cloth, error);
    *seconds = (double)(hed_now() - start) * 1e-9 / ((double)steps * frames);
    return error->status;
}

static hed_status stop_if_interrupted(hed_error *error)
{
    if (error->status || !hed_interrupted()) return error->status;
    return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
}

static hed_status measure_case(sheet_run *run, hed_error *error)
{
    double first = 0;
    time_steps(run, 1, 2, &first, error); /* compiles, loads, warms */
    time_steps(run, 1, 4, &first, error);
    uint32_t frames = first * FRAMES_A_STEP > SECONDS_A_CASE ? 1 : FRAMES_A_STEP;
    double a_step = first * frames;
    uint32_t steps = a_step > 0.02 ? 1 : (uint32_t)(0.02 / a_step) + 1, rounds = 0;
    double spent = 0;
    while (!error->status && rounds < MOST_ROUNDS && (rounds < 5 || spent < SECONDS_A_CASE)) {
        if (stop_if_interrupted(error)) break;
        time_steps(run, steps, frames, &run->seconds[rounds], error);
        spent += run->seconds[rounds++] * steps * frames;
    }
    if (error->status) return error->status;
    run->summary = hed_summarize(run->seconds, rounds);
    time_steps(run, steps * frames / 4 + 1, 1, &run->single, error);

    run->settled = SETTLED_FRAMES;
    while (run->settled > 60 && run->settled * run->summary.p50 > SETTLE_SECONDS) run->settled /= 2;
    hed_cloth_reset(run->cloth, error);
    double unused;
    for (uint32_t done = 0; done < run->settled && !stop_if_interrupted(error); done += frames)
        time_steps(run, 1, frames, &unused, error);
    return hed_cloth_evaluate(run->cloth, &run->quality, error);
}

/* ---- the bound ---- */

/* Seconds a frame that the device cannot beat, of notes in docs/cloth.md: local memory moves 32
 * bytes a constraint at 128 bytes a clock and multiprocessor; and no substep is shorter than its
 * steps one after another (150 clocks each) and one exchange (1000 clocks). A launch for each
 * colour is bound by the launches, 0.51 us each. NAN: not known for this device. */
static double bound_of(
    const sheet_case *c, const hed_cloth_info *report, const hed_device_info *info)
{
    bool packets = info->capabilities & HED_CAN_PACKETS;
    if (!packets || info->clock_mhz == 0) return NAN;
    if (report->solver == HED_CLOTH_SOLVER_COLOURS)
        return 0.51e-6 * c->substeps * (report->colours + 1);
    double clock = info->clock_mhz * 1e6;
    double moved = 32.0 * (double)report->constraints / (128.0 * info->compute_units * clock);
    double steps = (150.0 * report->degree + (report->patches > 1 ? 1000.0 : 0.0)) / clock;
    return c->substeps * (moved > steps ? moved : steps);
}

/* ---- records ---- */

static void add_record(const sheet_case *c, const sheet_run *run, const char *devices,
    const hed_device_info *info, cli_report *to)
{
    const hed_cloth_info report = hed_cloth_describe(run->cloth);
    char stretch[32];
    snprintf(stretch, sizeof stretch, "%.2f%s", 100 * run->quality.worst_stretch,
        run->settled < SETTLED_FRAMES ? "*" : "");
    const cloth_row row = {.device = devices,
        .name = c->name,
        .stretch = stretch,
        .substeps = c->substeps,
        .frames = run->settled,
        .seconds = run->summary.p50,
        .spread = hed_bench_spread(&run->summary),
        .single = run->single,
        .bound = 1e3 * bound_of(c, &report, info) / (double)report.devices,
        .worst = run->quality.worst_stretch,
        .p99 = run->quality.stretch_p99};
    cloth_row_begin(to, &row, &report);
    cli_report_more(to, CLI_NUMBER("stretch_p50", run->quality.stretch_p50));
    cloth_row_end(to, &row, &report);
}

/* The scalar case wants a host device with one thread, which is a matter of the context. */
static hed_status open_one_thread(hed_context **context, hed_device **device, hed_error *error)
{
    hed_context_def def = hed_default_context_def();
    def.host_threads = 1;
    def.opencl_library = def.cuda_library = def.nvrtc_library = "";
    hed_context_create(&def, context, error);
    return hed_device_find(*context, "host", device, error);
}

static hed_status run_case(const sheet_case *c, hed_device *const *devices, uint32_t count,
    cli_report *to, hed_error *error)
{
    hed_context *own = NULL;
    hed_device *scalar;
    sheet_run run = {0};
    char ids[256];
    cli_device_ids(devices, count, ids, sizeof ids);
    if (c->scalar && !open_one_thread(&own, &scalar, error)) devices = &scalar;
    if (!error->status && !open_case(c, devices, count, &run, error)) {
        const hed_device_info info = hed_device_describe(devices[0]);
        if (!measure_case(&run, error)) add_record(c, &run, ids, &info, to);
        close_case(&run);
    }
    hed_context_destroy(own);
    return error->status;
}

/* ---- the command ---- */

/* `count` devices: one, or those that divide the garments of cases with many. */
static hed_status run_devices(hed_device *const *devices, uint32_t count, const char *only,
    cli_report *to, bool silent, hed_error *error)
{
    const hed_device_info info = hed_device_describe(devices[0]);
    hed_progress progress =
        hed_progress_begin(info.id, "cases", sizeof CASES / sizeof *CASES, silent);
    for (uint32_t i = 0; i < sizeof CASES / sizeof *CASES && !error->status; i++) {
        hed_progress_update(&progress, i);
        if (!cli_runs_on(CASES[i].devices, &info) || CASES[i].copies < count ||
            (only && !strstr(CASES[i].name, only)))
            continue;
        hed_status status = run_case(&CASES[i], devices, count, to, error);
        if (status != HED_ERROR_UNSUPPORTED && status != HED_ERROR_DEVICE_MEMORY) continue;
        /* Too much for this device is worth a line, not the end. */
        hed_progress_end(&progress);
        fprintf(stderr, "heddle: %s on %s: %s\n", CASES[i].name, info.id, error->text);
        hed_error_clear(error);
    }
    hed_progress_end(&progress);
    if (count > 1 || cloth_gate_run(devices[0], only, to, error)) return error->status;
    return cloth_heap_run(devices[0], only, to, error);
}

static int run_bench(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    cli_session session;
    bool json = hed_given(arguments, "json"), together = hed_given(arguments, "together");
    const char *only = hed_text_of(arguments, "only");
    bool any = cloth_gate_matches(only) || cloth_heap_matches(only);
    for (size_t i = 0; i < HED_COUNT(CASES) && !any; i++) any = strstr(CASES[i].name, only) != NULL;
    if (!any)
        hed_fail(&error, HED_ERROR_ARGUMENT,
            "--only %s: no sheet has this in its name; there are \"%s\" and others", only,
            CASES[0].name);
    if (any && together) cli_open_devices_together(arguments, &session, &error);
    else if (any) cli_open_devices(arguments, &session, &error);
    if (error.status) return cli_fail(&error);
    cli_report *to = cli_report_create(json);
    const uint32_t each = together ? session.count : 1;
    for (uint32_t d = 0; d < session.count && !error.status; d += each)
        run_devices(
            session.devices + d, each, only, to, json || hed_given(arguments, "quiet"), &error);
    hed_error unwritten = {0};
    cli_report_end(to, HED_OK, error.status ? &unwritten : &error);
    cli_close(&session);
    return cli_end(error.status, &error);
}

const hed_command hed_command_cloth_bench = {
    .name = "bench", .summary = "time square sheets of cloth, beside the device's bound",
    .description =
        "Whole frames at 60 Hz with 5 substeps, structural, shear and bend constraints, two corners pinned. \"ms a frame\" is measured in "
        "submissions of 30 frames, \"one a step\" in submissions of one. Stretch is that of the worst structural constraint after 900 "
        "frames (* after fewer, where the device is slow). Bytes are device memory for each particle. Rows \"hung\", \"ball\", \"folded\" and "
        "\"mesh\" are at equal quality: the fewest substeps that keep 99 % of the edges within 2 % of their length, all within 5 %, in every "
        "frame (a mesh, whose fabric gives: within its reference), and the drape within 4 cm of that with 60 (a mesh: 240); their stretch is the worst of "
        "60 frames. \"folded\" never crosses itself. \"heap\" is 50 layers of cotton that fall on a ball and a floor; its frames are judged "
        "for crossings. \"folded\", \"mesh\", \"heap\" and \"hung 1024 x 1024\" take minutes to hours on a processor, which runs them only "
        "with --only.",
    .options = (const hed_option[]){CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true),
        {.name = "only", .kind = HED_OPTION_TEXT, .value = "TEXT",
            .help = "only sheets whose name contains this"},
        {.name = "together",
            .kind = HED_OPTION_FLAG,
            .help = "the devices divide the garments of each case that has many"},
        {0}},
    .examples = (const hed_example[]){{"heddle cloth bench --device cuda:0",
                                          "sheets on the first CUDA device"},
        {"heddle cloth bench --together --device cuda:0 --device cuda:1",
            "many garments, divided between two devices"},
        {0}},
    .run = run_bench,
};
