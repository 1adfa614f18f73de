/* heddle bench pack: how long laying out takes, and what it gains: an instrument with entities of
 * all types as one work-group, its entities in lanes by each method in turn. */
#include "benchmarks/bench.h"
#include "heddle/synth.h"
#include "heddle/author.h"
#include "cli/common/progress.h"
#include "benchmarks/instruments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SUITE[] = "pack";
static const double SECONDS = 1; /* for each comparison */

enum {
    TYPES = 11, /* the size that the devlog packs: that many types in 32 warps of 32 lanes */
    WARPS = 32,
    LANES = 32,
    DISTRIBUTIONS = 64,
    REPEATS = 10,
    FRAMES = 256
};

/* Masses of the instrument: with as many others and the springs that are modulated they just fit
 * the lanes of 32 warps. */
static const uint32_t MASSES[3] = {7, 8, 8};

static const hed_pack_method COMPARED[] = {
    HED_PACK_NAIVE, HED_PACK_GREEDY, HED_PACK_EXACT, HED_PACK_ROWS};
enum { COMPARED_COUNT = sizeof COMPARED / sizeof COMPARED[0] };

/* ---- the time of hed_pack() ---- */

/* Counts of up to 1,024 entities, alike for all runs: one large type and small ones, all types
 * alike, or anything. */
typedef struct distributions {
    uint32_t counts[DISTRIBUTIONS][TYPES];
    float costs[TYPES];
    hed_pack_piece pieces[WARPS * LANES];
} distributions;

static uint32_t below(uint32_t *state, uint32_t bound)
{
    *state ^= *state << 13; /* xorshift: Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * bound >> 32);
}

static void draw(distributions *d)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < DISTRIBUTIONS; i++) {
        uint32_t left = WARPS * LANES;
        for (uint32_t t = 0; t < TYPES; t++) {
            uint32_t most = i % 3 == 0   ? left
                            : i % 3 == 1 ? 2 * WARPS * LANES / TYPES
                            : t == 0     ? left
                                         : LANES / 2;
            uint32_t count = below(&state, most + 1);
            d->counts[i][t] = count < left ? count : left;
            left -= d->counts[i][t];
        }
    }
    for (uint32_t t = 0; t < TYPES; t++) d->costs[t] = (float)(1 + below(&state, 24));
}

typedef struct pack_case {
    distributions *distributions;
    hed_pack_method method;
} pack_case;

/* The slowest of the distributions. */
static hed_status time_packing(void *user, double *seconds, hed_error *error)
{
    const pack_case *c = user;
    *seconds = 0;
    for (uint32_t i = 0; i < DISTRIBUTIONS; i++) {
        hed_pack_layout layout;
        hed_pack_def def = {
            c->distributions->counts[i], c->distributions->costs, TYPES, WARPS, LANES, c->method};
        uint64_t started = hed_now();
        for (uint32_t r = 0; r < REPEATS; r++) {
            hed_status status = hed_pack(&def, c->distributions->pieces, WARPS * LANES, &layout);
            if (status != HED_OK)
                return hed_fail(error, status, "hed_pack: %s", hed_status_name(status));
        }
        double each = (double)(hed_now() - started) * 1e-9 / REPEATS;
        if (each > *seconds) *seconds = each;
    }
    return HED_OK;
}

static void add(cli_report *bench, const char *name, const char *device, const hed_summary *seconds,
    const char *against, const hed_summary *other)
{
    hed_bench_add(bench, &(hed_bench_record){.suite = SUITE, .name = name, .device = device,
                             .value = seconds->p50 * 1e6, .unit = "us", .floor = NAN,
                             .ratio = other ? seconds->p50 / other->p50 : NAN, .against = against,
                             .spread = hed_bench_spread(seconds) * seconds->p50 * 1e6});
}

static hed_status bench_packing(cli_report *bench, hed_error *error)
{
    distributions *d = calloc(1, sizeof *d);
    if (!d) return HED_OUT_OF_MEMORY(error, "%d distributions", DISTRIBUTIONS);
    pack_case users[HED_PACK_METHOD_COUNT];
    hed_bench_case cases[HED_PACK_METHOD_COUNT];
    draw(d);
    for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++) {
        users[m] = (pack_case){d, (hed_pack_method)m};
        cases[m] = (hed_bench_case){.run = time_packing, .user = &users[m]};
    }
    hed_status status = hed_bench_measure(cases, HED_PACK_METHOD_COUNT, SECONDS, error);
    for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT && status == HED_OK; m++) {
        char name[80];
        snprintf(name, sizeof name, "hed_pack %s, %d types in %d warps, slowest of %d",
            hed_pack_method_name(users[m].method), TYPES, WARPS, DISTRIBUTIONS);
        add(bench, name, "host", &cases[m].seconds, NULL, NULL);
    }
    free(d);
    return status;
}

/* ---- the time of a sample ---- */

typedef struct player {
    hed_synth *synth;
    float sound[2][FRAMES];
} player;

static hed_status play(player *p, bool chord, hed_error *error)
{
    hed_synth_event events[4] = {0};
    for (uint32_t i = 0; i < 4; i++)
        memcpy(events[i].bytes, (uint8_t[]){0x90, (uint8_t)(48 + 7 * i), 100}, 3);
    hed_synth_block block = {.frames = FRAMES, .left = p->sound[0], .right = p->sound[1]};
    block.events = events;
    block.event_count = chord ? 4 : 0;
    return hed_synth_process(p->synth, &block, error);
}

static hed_status time_sample(void *user, double *seconds, hed_error *error)
{
    uint64_t started = hed_now();
    hed_status status = play(user, false, error);
    *seconds = (double)(hed_now() - started) * 1e-9 / FRAMES;
    return status;
}

static void close_players(player *players)
{
    for (uint32_t i = 0; i < COMPARED_COUNT; i++) hed_synth_destroy(players[i].synth);
    memset(players, 0, COMPARED_COUNT * sizeof *players);
}

/* One for each method, all of one solver: else methods would not be what is compared. */
static hed_status open_players(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, player *players, hed_error *error)
{
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.block = FRAMES;
    def.solver = solver;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < COMPARED_COUNT && status == HED_OK; i++) {
        def.pack = COMPARED[i];
        status = hed_synth_create(device, &def, &players[i].synth, error);
        /* exciters are on their way */
        if (status == HED_OK) status = play(&players[i], true, error);
    }
    if (status != HED_OK) close_players(players);
    return status;
}

/* As one work-group, with the store in local memory where it has room. */
static hed_status open_group(
    hed_device *device, const hed_synth_instrument *instrument, player *players, hed_error *error)
{
    hed_error local = {0};
    hed_status status = open_players(device, instrument, HED_SYNTH_SOLVER_GROUP, players, &local);
    if (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT) {
        status = open_players(device, instrument, HED_SYNTH_SOLVER_GLOBAL, players, error);
        if (status == HED_OK) return HED_OK;
        hed_error global = *error;
        return hed_fail(error, status,
            "no work-group takes %u masses, their springs and as many others: %.400s; %.400s",
            hed_synth_instrument_count(instrument, HED_SYNTH_BODY), local.text, global.text);
    }
    if (status != HED_OK) *error = local;
    return status;
}

static void add_records(cli_report *bench, const hed_device_info *info, const player *players,
    const hed_bench_case *cases)
{
    hed_synth_info report;
    report = hed_synth_describe(players[0].synth);
    uint32_t entities = 0;
    for (uint32_t t = 0; t < HED_SYNTH_ENTITY_TYPE_COUNT; t++) entities += report.entities[t];
    for (uint32_t i = 0; i < COMPARED_COUNT; i++) {
        char name[96];
        snprintf(name, sizeof name, "a sample of %u entities, %u of them springs, %s, %s", entities,
            report.entities[HED_SYNTH_SPRING], hed_synth_solver_name(report.solver),
            hed_pack_method_name(COMPARED[i]));
        add(bench, name, info->id, &cases[i].seconds, i > 0 ? "naive order" : NULL,
            i > 0 ? &cases[0].seconds : NULL);
    }
}

static hed_status bench_device(hed_device *device, cli_report *bench, hed_error *error)
{
    player *players = calloc(COMPARED_COUNT, sizeof *players);
    if (!players) return HED_OUT_OF_MEMORY(error, "blocks of sound");
    hed_bench_case cases[COMPARED_COUNT];
    hed_synth_instrument *instrument = NULL;
    hed_status status = cli_instrument(CLI_MIXED, MASSES, &instrument, error);
    if (status == HED_OK) status = open_group(device, instrument, players, error);
    for (uint32_t i = 0; i < COMPARED_COUNT; i++)
        cases[i] = (hed_bench_case){.run = time_sample, .user = &players[i]};
    if (status == HED_OK) status = hed_bench_measure(cases, COMPARED_COUNT, SECONDS, error);
    const hed_device_info info = hed_device_describe(device);
    if (status == HED_OK) add_records(bench, &info, players, cases);
    close_players(players);
    hed_synth_instrument_destroy(instrument);
    free(players);
    return status;
}

/* ---- the command ---- */

hed_status cli_bench_pack(
    const cli_session *session, cli_report *bench, bool silent, hed_error *error)
{
    hed_progress progress = hed_progress_begin("bench pack", "devices", session->count + 1, silent);
    hed_status status = bench_packing(bench, error);
    for (uint32_t i = 0; i < session->count && status == HED_OK; i++) {
        hed_progress_update(&progress, i + 1);
        status = bench_device(session->devices[i], bench, error);
    }
    hed_progress_end(&progress);
    return status;
}

static int run(const hed_arguments *arguments, void *user)
{
    return cli_run_bench(arguments, (cli_suite *const[]){cli_bench_pack, NULL});
}

static const hed_option OPTIONS[] = {CLI_OPTION_DEVICES(false), CLI_OPTION_JSON(false), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle bench pack --device all", "what packing gains on each device"}, {0}};

const hed_command hed_command_bench_pack = {
    .name = "pack", .summary = "how long packing takes, and what it gains",
    .description =
        "First the time of hed_pack() for each method, on one core: 64 distributions of up to 1,024 entities over "
        "eleven types, of which the slowest counts. Then an instrument of all types, 448 masses, their springs and "
        "as many others, runs as one work-group on each device, its entities laid out in naive order (types "
        "interleaved in turn), by greedy, by exact and as row lists, in turn in the same run: the time of a sample, "
        "as blocks of 256 samples take it, with the launch in it.\n\nProcessors without lanes that step together "
        "have one list of rows, whatever the method.",
    .options = OPTIONS, .examples = EXAMPLES, .run = run,
};
