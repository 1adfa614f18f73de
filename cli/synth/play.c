/* heddle synth play: an instrument, live, with a meter. */
#include "cli/common/command.h"
#include "render.h"

#include "heddle/synth_file.h"
#include "heddle/synth_live.h"

#include "heddle/author.h"
#include "cli/common/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static hed_synth_live_def play_def(
    const hed_arguments *a, const hed_synth_instrument *instrument, hed_device *device)
{
    hed_synth_live_def def = hed_default_synth_live_def();
    def.driver = hed_given(a, "alsa") ? HED_SYNTH_LIVE_ALSA : HED_SYNTH_LIVE_JACK;
    def.device = device;
    def.midi_port = hed_text_of(a, "midi");
    def.output = hed_text_of(a, "output");
    def.rate = (uint32_t)hed_integer_of(a, "rate");
    def.block = (uint32_t)hed_integer_of(a, "block");
    def.synth.instrument = instrument;
    def.synth.inputs = (uint32_t)hed_integer_of(a, "inputs");
    def.synth.math = hed_given(a, "strict") ? HED_MATH_STRICT : HED_MATH_FAST;
    def.synth.solver = (hed_synth_solver)hed_choice_of(a, "solver");
    def.synth.seed = (uint64_t)hed_integer_of(a, "seed");
    def.synth.threads = (uint32_t)hed_integer_of(a, "threads");
    def.synth.transpose = (int32_t)hed_integer_of(a, "transpose");
    def.synth.fold = hed_given(a, "fold");
    def.synth.keep_awake = hed_given(a, "keep-awake");
    return def;
}

/* ---- the meter ---- */

static void meter_line(const hed_synth_live_info *r, char *text, size_t size)
{
    double block = 1e9 * r->block / r->rate;
    snprintf(text, size,
        "load p50 %.1f %%, p99 %.1f %%, max %.1f %%; xruns %" PRIu64 ", missed %" PRIu64
        "; %" PRIu32 " sounding",
        100 * r->load.p50_ns / block, 100 * r->load.p99_ns / block,
        100 * r->load.maximum_ns / block, r->xruns, r->load.misses + r->late, r->synth.sounding);
    size_t used = strlen(text);
    if (r->synth.notes.dropped && used < size)
        snprintf(text + used, size - used, ", %" PRIu64 " dropped", r->synth.notes.dropped);
}

/* Watches until Ctrl-C, the time limit, or the end of the driver; prints a line four times a
 * second on a terminal, else every ten seconds. */
static void play_watch(
    hed_synth_live *live, double seconds, bool quiet, hed_synth_live_info *report, hed_error *error)
{
    bool terminal = isatty(STDERR_FILENO);
    uint64_t begin = hed_now(), step = terminal ? 250000000u : 10000000000u, next = begin + step;
    while (!hed_failed(error) && !hed_interrupted() &&
           (seconds == 0 || hed_now() - begin < seconds * 1e9)) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        hed_synth_live_measure(live, report, error);
        if (quiet || hed_now() < next) continue;
        char text[160];
        meter_line(report, text, sizeof text);
        fprintf(stderr, terminal ? "\r%.78s\033[K" : "%s\n", text);
        next += step;
    }
    if (terminal && !quiet) fputs("\r\033[K", stderr);
}

static hed_status play_json(
    const hed_arguments *a, const hed_synth_live_info *r, const char *device, hed_error *error)
{
    double block = 1e9 * r->block / r->rate;
    cli_report *report = cli_report_create(true);
    cli_report_row(report, CLI_TEXT("instrument", hed_text_of(a, "INSTRUMENT")),
        CLI_TEXT("device", device), CLI_TEXT("solver", hed_synth_solver_name(r->synth.solver)),
        CLI_WHOLE("rate", r->rate), CLI_WHOLE("block", r->block), CLI_WHOLE("latency", r->latency),
        CLI_WHOLE("blocks", r->load.count));
    cli_report_open(report, "load");
    cli_report_more(report, CLI_NUMBER("p50", r->load.p50_ns / block),
        CLI_NUMBER("p99", r->load.p99_ns / block), CLI_NUMBER("max", r->load.maximum_ns / block));
    cli_report_close(report);
    cli_report_more(report, CLI_WHOLE("xruns", r->xruns),
        CLI_WHOLE("missed", r->load.misses + r->late), CLI_WHOLE("late", r->late),
        CLI_WHOLE("events", r->events), CLI_WHOLE("events_lost", r->events_lost),
        CLI_WHOLE("breaks", r->synth.breaks));
    cli_synth_report_notes(report, &r->synth.notes);
    return cli_report_end(report, HED_OK, error);
}

/* ---- the command ---- */

static int play_watched(
    const hed_arguments *a, hed_synth_live *live, const char *device, hed_error *error)
{
    bool json = hed_given(a, "json"), quiet = json || hed_given(a, "quiet");
    hed_synth_live_info report;
    hed_synth_live_measure(live, &report, error);
    if (!quiet)
        fprintf(stderr,
            "heddle: playing on %s (%s), %" PRIu32 " Hz, blocks of %" PRIu32
            ", %.1f ms of our latency; Ctrl-C ends\n",
            device, hed_synth_solver_name(report.synth.solver), report.rate, report.block,
            1e3 * report.latency / report.rate);
    play_watch(live, hed_number_of(a, "seconds"), quiet, &report, error);
    if (hed_failed(error)) {
        fprintf(stderr, "heddle: %s\n", error->text);
        return HED_EXIT_FAILURE;
    }
    char text[160];
    meter_line(&report, text, sizeof text);
    char dropped[HED_ERROR_TEXT];
    if (report.synth.notes.dropped && !hed_given(a, "quiet"))
        fprintf(stderr, "heddle: %s\n",
            cli_synth_describe_dropped(&report.synth.notes, dropped, sizeof dropped));
    if (json) play_json(a, &report, device, error);
    else printf("%" PRIu64 " blocks: %s\n", report.load.count, text);
    return hed_failed(error)   ? cli_fail(error)
           : hed_interrupted() ? HED_EXIT_INTERRUPTED
                               : HED_EXIT_OK;
}

static int play_run(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "jack") && hed_given(arguments, "alsa")) {
        fputs("heddle: --jack or --alsa, not both\n", stderr);
        return HED_EXIT_USAGE;
    }
    cli_session session;
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error)) return cli_fail(&error);
    hed_synth_instrument *instrument = NULL;
    hed_synth_live *live = NULL;
    hed_synth_instrument_read(hed_text_of(arguments, "INSTRUMENT"), &instrument, &error);
    hed_synth_live_def def = play_def(arguments, instrument, session.devices[0]);
    float pitches[128];
    if (!cli_synth_read_tuning(arguments, pitches, &def.synth, &error))
        hed_synth_live_open(&def, &live, &error);
    int code =
        live ? play_watched(arguments, live, hed_device_describe(session.devices[0]).id, &error)
             : cli_fail(&error);
    hed_synth_live_close(live);
    hed_synth_instrument_destroy(instrument);
    cli_close(&session);
    return code;
}

static const char *const SOLVERS[] = {"auto", "cpu", "group", "global", "grid", NULL};

static const hed_option OPTIONS[] = {
    FLAG("jack", "through JACK, which sets rate and block (the default)"),
    FLAG("alsa", "through ALSA"),
    OPTION("midi", TEXT, "PORT",
        "the MIDI port to listen to: its name or part of it, or ALSA's CLIENT:PORT; else connect one yourself",
        .letter = 'm'),
    OPTION("output", TEXT, "NAME",
        "where the sound goes: JACK ports by a pattern, or an ALSA device, where --inputs come from, too; else "
        "the first there is",
        .letter = 'o'),
    OPTION("threads", INTEGER, "COUNT",
        "threads of the cpu solver: voices, or the bodies of one large instrument, are divided among them; they wait by spinning",
        .fallback = "1", .low = 1, .high = 256),
    OPTION("inputs", INTEGER, "COUNT", "channels of sound that come in", .fallback = "0", .low = 0,
        .high = 64),
    OPTION("device", TEXT, "ID", "device to use: its id, part of its name, or best", .letter = 'd', .names = &cli_device_names),
    FLAG("strict", "the same bits on every device"),
    OPTION("solver", CHOICE, "NAME", "how it runs", .choices = SOLVERS, .fallback = "auto"),
    CLI_SYNTH_NOTE_OPTIONS,
    CLI_SYNTH_TUNING_OPTIONS,
    FLAG("keep-awake", "keep a device busy between blocks, where it clocks down"),
    OPTION("rate", INTEGER, "HZ", "samples per second, with ALSA", .letter = 'r',
        .fallback = "48000", .low = 8000, .high = 768000),
    OPTION("block", INTEGER, "FRAMES", "samples a period, with ALSA", .fallback = "256", .low = 16,
        .high = 8192),
    OPTION("seed", INTEGER, "N", "of the noise", .fallback = "0", .low = 0,
        .high = 9007199254740992.0),
    OPTION("seconds", NUMBER, "SECONDS", "end after this time; 0: play until Ctrl-C",
        .fallback = "0", .low = 0, .high = 1e6),
    FLAG("json", "print JSON at the end: one array with one object, nothing else"),
    {0},
};
static const hed_option POSITIONALS[] = {POSITIONAL("INSTRUMENT", FILE, "the instrument, FILE.json",
                                             .names = &cli_data_instruments, .required = true),
    {0}};
static const hed_example EXAMPLES[] = {{"heddle synth play harp.json --midi keyboard",
                                           "through JACK, from the keyboard that is connected"},
    {"heddle synth play harp.json --alsa --output hw:0 --block 128 --midi 20:0",
        "without a server"},
    {"heddle synth play tank.json --alsa --inputs 1", "sound in, sound out"},
    {"heddle synth play plate.json --device cuda:0 --keep-awake",
        "on a GPU that is not to fall asleep"},
    {0}};

const hed_command hed_command_synth_play = {
    .name = "play", .summary = "play an instrument live, through JACK or ALSA",
    .description =
        "The meter shows how much of a block's time the audio thread takes, the driver's xruns, and the "
        "blocks that were not ready in time. With the cpu solver it plays in the audio thread; any other device "
        "is one block behind, and the first line says so.",
    .options = OPTIONS, .positionals = POSITIONALS, .examples = EXAMPLES, .run = play_run,
};
