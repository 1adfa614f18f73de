/* heddle synth bench: the time of a sample for instruments from eleven strings' worth to a million
 * masses, beside the bound that the device sets; the largest instruments that a processor plays in
 * real time; and how blocks keep their deadlines when the device is nearly full.
 *
 * Times are wall time of hed_synth_process(), so the launch, the copies and the mix of a block are
 * in them. */
#include "cli/common/command.h"
#include "heddle/stats.h"
#include "benchmarks/bench.h"
#include "heddle/author.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "benchmarks/instruments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BLOCK = 1024, /* block for times per sample: a launch costs as much as some hundred samples of a
               * small instrument */
    HOST_BLOCK =
        64, /* shorter than a time slice: other programs interrupt few blocks of the host */
    LIVE_BLOCK = 64, /* of what is timed against the clock */
    MOST_ROUNDS = 4001
};
static const double RATE = 48000;
static const double SECONDS_A_CASE = 0.5;

/* ---- the cases ---- */

/* ON_PACKETS: devices whose groups can exchange packets */

typedef struct synth_case {
    const char *name;
    cli_instrument_kind kind;
    uint32_t size[3];
    hed_synth_solver solver;
    int devices;
} synth_case;

static const synth_case CASES[] = {
    {"1,024 entities of all types", CLI_COUNTED, {6, 6, 6}, HED_SYNTH_SOLVER_AUTO, ON_HOST | ON_OTHERS},
    {"512 masses, 1,536 springs, 512 others", CLI_MIXED, {8, 8, 8}, HED_SYNTH_SOLVER_AUTO,
        ON_HOST | ON_OTHERS},
    {"1,000 masses, 3,000 springs, 64 others", CLI_NETWORK, {10, 10, 10}, HED_SYNTH_SOLVER_AUTO,
        ON_HOST | ON_OTHERS},
    {"lattice of 65,536 masses", CLI_LATTICE, {32, 32, 64}, HED_SYNTH_SOLVER_GRID, ON_PACKETS},
    {"lattice of 524,288 masses", CLI_LATTICE, {64, 64, 128}, HED_SYNTH_SOLVER_GRID, ON_PACKETS},
    {"lattice of 1,024,000 masses", CLI_LATTICE, {80, 80, 160}, HED_SYNTH_SOLVER_GRID, ON_PACKETS},
    {"irregular graph of 1,024,000 masses", CLI_IRREGULAR, {80, 80, 160}, HED_SYNTH_SOLVER_GRID,
        ON_PACKETS},
    {"the same, every mass off its place", CLI_SCATTERED, {80, 80, 160}, HED_SYNTH_SOLVER_GRID,
        ON_PACKETS},
    {"lattice of 2,000,000 masses", CLI_LATTICE, {100, 100, 200}, HED_SYNTH_SOLVER_GRID, ON_PACKETS},
};

/* ---- one instrument that plays ---- */

typedef struct player {
    hed_synth *synth;
    uint32_t block;
    float *sound;       /* (2 x block) */
    bool is_instrument; /* what was to be played can be made: a device may be asked to play it */
} player;

static void close_player(player *p)
{
    hed_synth_destroy(p->synth);
    free(p->sound);
}

/* Plays a block; the first one with a chord in it. */
static hed_status play(player *p, bool chord, hed_error *error)
{
    hed_synth_event events[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        events[i].kind = HED_SYNTH_EVENT_MIDI;
        memcpy(events[i].bytes, (uint8_t[]){0x90, (uint8_t)(60 + 4 * i), 100}, 3);
    }
    hed_synth_block block = {.frames = p->block, .events = events, .event_count = chord ? 3 : 0,
        .left = p->sound, .right = p->sound + p->block};
    return hed_synth_process(p->synth, &block, error);
}

/* How a device is driven. */
typedef enum bench_drive { DRIVE_LAUNCHES, DRIVE_AWAKE, DRIVE_RESIDENT, DRIVES } bench_drive;
static const char *const DRIVE_NAMES[] = {"", ", kept awake", ", by a resident kernel"};

static hed_status open_player(const synth_case *c, uint32_t threads, hed_device *device,
    uint32_t block, bench_drive drive, player *p, hed_error *error)
{
    *p = (player){.block = block, .sound = malloc(2 * (size_t)block * sizeof(float))};
    if (!p->sound) {
        *error = (hed_error){.status = HED_ERROR_MEMORY, .text = "no memory for a block of sound"};
        return HED_ERROR_MEMORY;
    }
    hed_synth_instrument *instrument = NULL;
    hed_status status = cli_instrument(c->kind, c->size, &instrument, error);
    p->is_instrument = !status;
    if (!status) {
        hed_synth_def def = hed_default_synth_def();
        def.instrument = instrument;
        def.rate = RATE;
        def.block = block;
        def.solver = c->solver;
        def.threads = threads;
        def.keep_awake = drive == DRIVE_AWAKE;
        def.resident = drive == DRIVE_RESIDENT;
        status = hed_synth_create(device, &def, &p->synth, error);
        hed_synth_instrument_destroy(instrument);
    }
    if (!status) status = play(p, true, error);
    if (!status) status = play(p, false, error);
    if (status) close_player(p);
    return status;
}

static hed_status interrupted(hed_error *error)
{
    if (!hed_interrupted()) return HED_OK;
    *error = (hed_error){.status = HED_ERROR_TIMEOUT, .text = "interrupted"};
    return HED_ERROR_TIMEOUT;
}

/* Seconds a sample. */
static hed_status time_player(player *p, double seconds, hed_summary *summary, hed_error *error)
{
    double times[MOST_ROUNDS], spent = 0;
    uint32_t rounds = 0;
    hed_status status = HED_OK;
    while (!status && rounds < MOST_ROUNDS && (rounds < 3 || spent < seconds)) {
        if ((status = interrupted(error))) break;
        uint64_t start = hed_now();
        status = play(p, false, error);
        double block = (double)(hed_now() - start) * 1e-9;
        times[rounds++] = block / p->block;
        spent += block;
    }
    *summary = hed_summarize(times, rounds);
    return status;
}

/* ---- the bound ---- */

/* Seconds a sample that the whole device cannot beat: local memory moves 128 bytes a clock and
 * multiprocessor; a mass with six springs reads six neighbours, its own place and its table and
 * writes its place: 108 bytes (docs/synth.md). NAN: not known. */
static double bound_of(const hed_synth_info *report, const hed_device_info *info)
{
    if (report->solver != HED_SYNTH_SOLVER_GRID || info->clock_mhz == 0) return NAN;
    return 108.0 * report->entities[HED_SYNTH_BODY] /
           (128.0 * info->compute_units * info->clock_mhz * 1e6);
}

/* ---- records ---- */

typedef struct bench_records {
    cli_report *report;
    uint32_t threads; /* of the host, that what is largest is found for besides one */
    uint32_t count, failed;
    bool broken; /* something failed that was not too large */
} bench_records;

/* The columns of a row; its further members follow. */
static void add_row(bench_records *to, const char *name, const char *device, double value,
    const char *unit, double us, double bound, double times, const char *what)
{
    to->count++;
    cli_report_row(to->report, CLI_TEXT("suite", "synth"),
        CLI_TEXT("device", device, .heading = "device"),
        CLI_TEXT("name", name, .heading = "instrument"), CLI_NUMBER("value", value),
        CLI_TEXT("unit", unit), CLI_NUMBER(NULL, us, .heading = ">us a sample", .format = "%.3f"),
        CLI_NUMBER(NULL, bound, .heading = ">bound", .format = "%.3f"),
        CLI_NUMBER(NULL, times, .heading = ">x real time", .format = "%.2f"),
        CLI_TEXT(NULL, what, .heading = "what"));
}

static void add_sample_record(const synth_case *c, const player *p, const hed_summary *s,
    const hed_device_info *info, bench_records *to)
{
    hed_synth_info report;
    report = hed_synth_describe(p->synth);
    double us = 1e6 * s->p50, least = 1e6 * s->minimum, bound = 1e6 * bound_of(&report, info),
           period = 1e6 / RATE;
    const char *solver = hed_synth_solver_name(report.solver);
    uint32_t bodies = report.entities[HED_SYNTH_BODY], springs = report.entities[HED_SYNTH_SPRING];
    char what[128];
    snprintf(what, sizeof what, "%u bodies, %u springs, %s, least %.3f%s", bodies, springs, solver,
        least, report.breaks ? ", BROKE" : "");
    add_row(to, c->name, info->id, us, "us/sample", us, bound, period / us, what);
    cli_report_more(to->report, CLI_NUMBER("spread", us * hed_bench_spread(s)),
        CLI_NUMBER("least", least), CLI_NUMBER("floor", bound),
        CLI_NUMBER("times_real_time", period / us), CLI_WHOLE("bodies", bodies),
        CLI_WHOLE("springs", springs), CLI_WHOLE("bytes", report.bytes),
        CLI_WHOLE("breaks", report.breaks), CLI_TEXT("solver", solver));
}

static hed_status run_case(
    const synth_case *c, hed_device *device, bench_records *to, hed_error *error)
{
    player p;
    hed_summary summary;
    const hed_device_info info = hed_device_describe(device);
    uint32_t block = strcmp(info.backend, "host") == 0 ? HOST_BLOCK : BLOCK;
    hed_status status = open_player(c, 1, device, block, DRIVE_LAUNCHES, &p, error);
    if (status) return status;
    status = time_player(&p, SECONDS_A_CASE, &summary, error);
    if (!status) add_sample_record(c, &p, &summary, &info, to);
    close_player(&p);
    return status;
}

/* ---- the largest in real time ---- */

static const struct {
    const char *name;
    cli_instrument_kind kind;
    uint32_t dimensions, first; /* masses along a side of the first that is tried */
} LARGEST[] = {{"largest string in real time", CLI_STRING, 1, 64},
    {"largest membrane in real time", CLI_MEMBRANE, 2, 8},
    {"largest lattice in real time", CLI_LATTICE, 3, 4}};

/* What keeps a larger one from being played. */
typedef enum bench_limit { LIMIT_TIME, LIMIT_DEVICE, LIMIT_INSTRUMENT } bench_limit;
static const char *const LIMIT_NAMES[] = {"time", "device", "instrument"};

/* A search by the side of a string, square or cube: `low` plays in time, `high` does not. */
typedef struct largest {
    synth_case best; /* of side `low` */
    uint32_t index, threads;
    bench_drive drive;  /* keeping the device awake costs a grid one multiprocessor */
    uint32_t low, high; /* high 0: not known yet */
    /* time of a sample over its period; HUGE_VAL: there is no such one, by `limit` */
    double load, high_load;
    bench_limit limit;
} largest;

static double masses_of(const synth_case *c)
{
    return (double)c->size[0] * c->size[1] * c->size[2];
}

/* What AUTO takes; but from here on what has no room in a grid is refused at once, not played by
 * one work-group. */
enum { MASSES_OF_A_GRID = 8192 };

static synth_case sized(uint32_t index, uint32_t side, const hed_device_info *info)
{
    synth_case c = {LARGEST[index].name, LARGEST[index].kind, {1, 1, 1}, HED_SYNTH_SOLVER_AUTO, 0};
    for (uint32_t axis = 0; axis < LARGEST[index].dimensions; axis++) c.size[axis] = side;
    if (strcmp(info->backend, "host") != 0 && masses_of(&c) >= MASSES_OF_A_GRID)
        c.solver = HED_SYNTH_SOLVER_GRID;
    return c;
}

static bool is_too_much(hed_status status)
{
    return status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT ||
           status == HED_ERROR_DEVICE_MEMORY;
}

/* The load of an instrument. */
static hed_status load_of(const synth_case *c, const largest *l, hed_device *device, double *load,
    bench_limit *limit, hed_error *error)
{
    player p;
    hed_summary summary;
    hed_status status = open_player(c, l->threads, device, BLOCK, l->drive, &p, error);
    *limit = p.is_instrument ? LIMIT_DEVICE : LIMIT_INSTRUMENT;
    *load = HUGE_VAL;
    if (is_too_much(status) || (status == HED_ERROR_ARGUMENT && !p.is_instrument)) {
        hed_error_clear(error);
        return HED_OK;
    }
    if (status) return status;
    status = time_player(&p, 0.1, &summary, error);
    *load = summary.p50 * RATE;
    *limit = LIMIT_TIME;
    close_player(&p);
    return status;
}

/* The next side: where the load would be `target` if it grew with the masses; at most eight times
 * as many as before, a quarter more at the least. Making large ones takes long, so there should be
 * few that do not play in time. */
static uint32_t next_side(const largest *l, uint32_t dimensions, double target)
{
    double masses, factor = target / l->load, most = pow((double)l->high / l->low, dimensions);
    if (l->high == 0) {
        masses = fmin(fmax(factor, 1.25), 8);
    } else if (isinf(l->high_load)) {
        masses = sqrt(most);
    } else {
        masses = 1 + (most - 1) * (target - l->load) / (l->high_load - l->load);
        masses = fmin(fmax(masses, pow(most, 0.25)), pow(most, 0.75));
    }
    uint32_t side = (uint32_t)(l->low * pow(masses, 1.0 / dimensions) + 0.5);
    if (side <= l->low) side = l->low + 1;
    return l->high && side >= l->high ? l->high - 1 : side;
}

static hed_status try_side(
    largest *l, uint32_t side, hed_device *device, double target, hed_error *error)
{
    double load;
    bench_limit limit;
    const hed_device_info info = hed_device_describe(device);
    synth_case c = sized(l->index, side, &info);
    hed_status status = load_of(&c, l, device, &load, &limit, error);
    if (status) return status;
    if (load > target) {
        l->high = side;
        l->high_load = load;
        l->limit = limit;
    } else {
        l->low = side;
        l->load = load;
        l->best = c;
    }
    return HED_OK;
}

/* The largest, down to a twentieth. Errors: UNSUPPORTED (not even the first plays in time). */
static hed_status find_largest(uint32_t index, uint32_t threads, bench_drive drive,
    hed_device *device, double target, largest *l, hed_error *error)
{
    uint32_t dimensions = LARGEST[index].dimensions, side = LARGEST[index].first;
    *l = (largest){.index = index, .threads = threads, .drive = drive};
    hed_status status = try_side(l, side, device, target, error);
    if (!status && l->low == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "not even %.0f masses play in time",
            pow(side, dimensions));
    while (!status && (l->high == 0 || (l->high > l->low + 1 &&
                                           pow((double)l->high / l->low, dimensions) > 1.05)))
        status = try_side(l, next_side(l, dimensions, target), device, target, error);
    return status;
}

static hed_status run_largest(
    uint32_t index, uint32_t threads, hed_device *device, bench_records *to, hed_error *error)
{
    largest l;
    hed_status status = find_largest(index, threads, DRIVE_LAUNCHES, device, 1.0, &l, error);
    if (status) return status;
    char name[96];
    const uint32_t *size = l.best.size;
    if (threads > 1) snprintf(name, sizeof name, "%s, %u threads", l.best.name, threads);
    else snprintf(name, sizeof name, "%s", l.best.name);
    char what[128];
    snprintf(what, sizeof what, "%u x %u x %u masses, limited by %s", size[0], size[1], size[2],
        LIMIT_NAMES[l.limit]);
    add_row(to, name, hed_device_describe(device).id, masses_of(&l.best), "masses",
        l.load * 1e6 / RATE, NAN, 1 / l.load, what);
    cli_report_more(
        to->report, CLI_NUMBER("load", l.load), CLI_TEXT("limit", LIMIT_NAMES[l.limit]));
    return HED_OK;
}

/* ---- against the clock ---- */

/* Starts each block when its time has come, as a sound card would, and counts those that are not
 * there when the next one starts. */
static hed_status play_live(player *p, double seconds, hed_meter *meter, hed_error *error)
{
    uint64_t period = (uint64_t)(1e9 * p->block / RATE);
    hed_meter_reset(meter, period);
    hed_status status = HED_OK;
    uint64_t next = hed_now(), end = next + (uint64_t)(seconds * 1e9);
    while (!status && next < end) {
        if ((status = interrupted(error))) break;
        while (hed_now() < next)
            if (next - hed_now() > 200000) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        uint64_t start = hed_now();
        status = play(p, false, error);
        uint64_t now = hed_now();
        hed_meter_add(meter, now - start);
        /* after a miss a sound card goes on with the next block */
        next = now > next + period ? now : next + period;
    }
    return status;
}

static hed_status run_live(hed_device *device, double seconds, bench_drive drive, const char *what,
    const synth_case *c, bench_records *to, hed_error *error)
{
    player p;
    hed_status status = open_player(c, 1, device, LIVE_BLOCK, drive, &p, error);
    if (status) return status;
    hed_meter meter;
    status = play_live(&p, seconds, &meter, error);
    close_player(&p);
    if (status) return status;
    hed_meter_info r = hed_meter_describe(&meter);
    char name[96];
    snprintf(name, sizeof name, "%.3g s in blocks of %d, %s%s", seconds, LIVE_BLOCK, what,
        DRIVE_NAMES[drive]);
    char figures[192];
    snprintf(figures, sizeof figures,
        "load %.2f, p99/p50 %.2f, max/p50 %.2f, missed %" PRIu64 " of %" PRIu64
        "; %u x %u x %u masses",
        r.load, r.p99_ns / r.p50_ns, r.maximum_ns / r.p50_ns, r.misses, r.count, c->size[0],
        c->size[1], c->size[2]);
    add_row(to, name, hed_device_describe(device).id, r.p50_ns * 1e-3, "us/block",
        r.p50_ns * 1e-3 / LIVE_BLOCK, NAN, 1 / r.load, figures);
    cli_report_more(to->report, CLI_NUMBER("p99", r.p99_ns * 1e-3),
        CLI_NUMBER("max", r.maximum_ns * 1e-3), CLI_NUMBER("load", r.load),
        CLI_WHOLE("missed", r.misses), CLI_WHOLE("blocks", r.count));
    return HED_OK;
}

/* A lattice that takes four fifths of the time there is, played in blocks of 64 with and without
 * keeping the device awake; and, for a tenth as long, a small instrument, between whose blocks a
 * device may clock down. */
static hed_status run_realtime(
    hed_device *device, double seconds, bench_records *to, hed_error *error)
{
    largest l;
    const hed_device_info info = hed_device_describe(device);
    bool host = strcmp(info.backend, "host") == 0, resident = info.capabilities & HED_CAN_RESIDENT;
    /* how many there are */
    bench_drive drives = host ? DRIVE_AWAKE : resident ? DRIVES : DRIVE_RESIDENT;
    hed_status status =
        find_largest(2, 1, host ? DRIVE_LAUNCHES : DRIVE_AWAKE, device, 0.8, &l, error);
    for (bench_drive drive = 0; drive < drives && drive < DRIVE_RESIDENT && !status; drive++)
        status = run_live(device, seconds, drive, "a lattice at 80 % load", &l.best, to, error);
    for (bench_drive drive = 0; drive < drives && !status; drive++)
        status = run_live(device, seconds / 10, drive, CASES[0].name, &CASES[0], to, error);
    return status;
}

/* ---- the command ---- */

/* A case that fails is worth a line, not the end: what was measured before it, and after, took its
 * time. Where it is no more than too large, all is well. */
static hed_status excuse(
    hed_status status, const char *name, const char *device, bench_records *to, hed_error *error)
{
    if (!status || hed_interrupted()) return status;
    fprintf(
        stderr, "heddle: %s on %s: %s: %s\n", name, device, hed_status_name(status), error->text);
    to->failed++;
    if (!is_too_much(status)) to->broken = true;
    hed_error_clear(error); /* the next case starts without it */
    return HED_OK;
}

static hed_status run_device(hed_device *device, const char *only, double live_seconds,
    bench_records *to, bool silent, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    enum {
        SAMPLE_CASES = sizeof CASES / sizeof *CASES,
        LARGEST_CASES = sizeof LARGEST / sizeof *LARGEST
    };
    hed_progress progress =
        hed_progress_begin(info.id, "cases", SAMPLE_CASES + LARGEST_CASES + 1, silent);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < SAMPLE_CASES && !status; i++) {
        hed_progress_update(&progress, i);
        if (!cli_runs_on(CASES[i].devices, &info) || (only && !strstr(CASES[i].name, only)))
            continue;
        status = excuse(run_case(&CASES[i], device, to, error), CASES[i].name, info.id, to, error);
    }
    for (uint32_t i = 0; i < LARGEST_CASES && !status; i++) {
        hed_progress_update(&progress, SAMPLE_CASES + i);
        if (only && !strstr(LARGEST[i].name, only)) continue;
        status = excuse(run_largest(i, 1, device, to, error), LARGEST[i].name, info.id, to, error);
        if (status || to->threads == 1 || strcmp(info.backend, "host") != 0) continue;
        status = excuse(
            run_largest(i, to->threads, device, to, error), LARGEST[i].name, info.id, to, error);
    }
    hed_progress_update(&progress, SAMPLE_CASES + LARGEST_CASES);
    if (!status && live_seconds > 0)
        status =
            excuse(run_realtime(device, live_seconds, to, error), "real time", info.id, to, error);
    hed_progress_end(&progress);
    return status;
}

/* Refuses --only if no instrument has such a name; with --live a sound is measured all the same. */
static hed_status check_only(const hed_arguments *arguments, hed_error *error)
{
    const char *only = hed_text_of(arguments, "only");
    bool any = !only || hed_number_of(arguments, "live") > 0;
    for (size_t i = 0; i < HED_COUNT(CASES) && !any; i++) any = strstr(CASES[i].name, only) != NULL;
    for (size_t i = 0; i < HED_COUNT(LARGEST) && !any; i++)
        any = strstr(LARGEST[i].name, only) != NULL;
    if (any) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "--only %s: no instrument has this in its name; there are \"%s\" and others", only,
        CASES[0].name);
}

static int run_bench(const hed_arguments *arguments, void *user)
{
    hed_error error = {0};
    cli_session session;
    bool json = hed_given(arguments, "json");
    if (check_only(arguments, &error)) return cli_fail(&error);
    hed_status status = cli_open_devices(arguments, &session, &error);
    if (status) return cli_fail(&error);
    bench_records to = {
        cli_report_create(json), (uint32_t)hed_integer_of(arguments, "threads"), 0, 0, false};
    for (uint32_t d = 0; d < session.count && !status; d++)
        status = run_device(session.devices[d], hed_text_of(arguments, "only"),
            hed_number_of(arguments, "live"), &to, json || hed_given(arguments, "quiet"), &error);
    hed_error unwritten = {0};
    hed_status printed = cli_report_end(to.report, HED_OK, status ? &unwritten : &error);
    if (!status) status = printed;
    cli_close(&session);
    if (!status && to.count == 0) {
        if (to.failed) return HED_EXIT_FAILURE; /* with a line each */
        fprintf(stderr,
            "heddle: nothing was measured: no instrument for these devices has a name that contains \"%s\"\n",
            hed_given(arguments, "only") ? hed_text_of(arguments, "only") : "");
        return HED_EXIT_FAILURE;
    }
    return to.broken && !status ? HED_EXIT_FAILURE : cli_end(status, &error);
}

const hed_command hed_command_synth_bench = {
    .name = "bench", .summary = "time instruments by the sample, beside the device's bound",
    .description =
        "Microseconds a sample at 48 kHz (20.8 are real time), median and least, in blocks of 1,024 (host: 64); the largest string, "
        "membrane and lattice that play in real time, and what limits them: time, the device's room, "
        "or what an instrument holds; with --live, a lattice that takes 80 % of the time played against "
        "the clock in blocks of 64, missed deadlines counted, with and without keeping the device awake; "
        "and for a tenth as long a small instrument, by a resident kernel, too.",
    .options = (const hed_option[]){CLI_OPTION_JSON(true), CLI_OPTION_DEVICES(true),
        {.name = "only", .kind = HED_OPTION_TEXT, .value = "TEXT",
            .help = "only instruments whose name contains this"},
        {.name = "threads", .kind = HED_OPTION_INTEGER, .value = "COUNT", .fallback = "2", .low = 1,
            .high = 256,
            .help = "of the host: what it plays in real time is found for one thread and for "
                    "as many"},
        {.name = "live", .kind = HED_OPTION_NUMBER, .value = "SECONDS", .fallback = "0", .low = 0,
            .high = 86400, .help = "play that long against the clock, too"},
        {0}},
    .examples =
        (const hed_example[]){{"heddle synth bench --device host", "what this processor can play"},
            {"heddle synth bench --device cuda:0 --live 60",
                "and how it keeps its deadlines for a minute"},
            {0}}, .run = run_bench,
};
