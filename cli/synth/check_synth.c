/* heddle synth check: facts about an instrument before it sounds, and devices that run it in
 * real time. */
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "heddle/synth_file.h"
#include "support/digits.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Largest load that counts as real time: the rest belongs to the system, the driver and other
 * programs; above it some blocks are late. */
static const double REAL_TIME = 0.8;

typedef struct check {
    const hed_arguments *arguments;
    const char *path;
    bool json;
    double rate, simulated; /* rates of frames and of the simulation, Hz */
    uint32_t block;
    cli_session session;
    hed_synth_instrument *instrument;
    cli_report *records; /* JSON records; NULL without --json */
    bool stable, sounds;
} check;

/* ---- the load of an instrument on a device, as measured by playing it for a moment ---- */

/* Performance of an instrument on one device in one solver. */
typedef struct cli_synth_load {
    hed_synth_solver solver;
    bool runs;  /* false: `reason` has the cause */
    bool broke; /* true: it diverged, and the breaker opened */
    /* median and p99 of the time of a block / its length: on the host the thread's own processor
     * time, which other programs do not lengthen; elsewhere the time that passed */
    double load, worst;
    double passed;  /* p99 of the time that passed / length */
    uint64_t bytes; /* memory of one instance, bytes */
    uint32_t instances;
    char reason[256];
} cli_synth_load;

enum { MOST_BLOCKS = 200, MOST_NOTES = 16 };
static const double LOAD_SECONDS = 0.2; /* spent on each pair */

typedef struct player {
    hed_synth *synth;
    uint32_t frames;
    bool is_host; /* the calling thread steps the instrument */
    float *left, *right;
} player;

/* Returns the number of input channels of the instrument; they are played with silence. */
static uint32_t inputs_of(const hed_synth_instrument *instrument)
{
    uint32_t count = 0;
    hed_synth_entity_def def;
    for (uint32_t i = 0; i < hed_synth_instrument_count(instrument, HED_SYNTH_AUDIO_INPUT); i++)
        if (hed_synth_instrument_get(instrument,
                hed_synth_instrument_at(instrument, HED_SYNTH_AUDIO_INPUT, i), &def,
                NULL) == HED_OK &&
            def.as.audio_input.channel >= count)
            count = def.as.audio_input.channel + 1;
    return count;
}

/* Times of a block, s. */
typedef struct block_time {
    double thread, passed;
} block_time;

/* Returns the processor time of this thread, s. */
static double own_time(void)
{
    struct timespec time;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
               ? 1e-9 * (double)hed_now()
               : (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static hed_status player_play(
    player *p, const hed_synth_event *events, uint32_t count, block_time *time, hed_error *error)
{
    hed_synth_block block = {.frames = p->frames,
        .events = events,
        .event_count = count,
        .left = p->left,
        .right = p->right};
    uint64_t begin = hed_now();
    double thread = own_time();
    hed_status status = hed_synth_process(p->synth, &block, error);
    thread = own_time() - thread;
    double passed = 1e-9 * (double)(hed_now() - begin);
    *time =
        (block_time){.thread = p->is_host && thread < passed ? thread : passed, .passed = passed};
    return status;
}

/* Makes a note for each voice, spread over the instrument's range. */
static uint32_t make_notes(const hed_synth_instrument_def *def, hed_synth_event events[MOST_NOTES])
{
    uint32_t count = def->mode == HED_SYNTH_SINGLETON ? MOST_NOTES
                     : def->voices < MOST_NOTES       ? def->voices
                                                      : MOST_NOTES;
    uint32_t span = def->high - def->low + 1u;
    if (count > span) count = span;
    for (uint32_t i = 0; i < count; i++) {
        events[i] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI};
        uint8_t note = (uint8_t)(def->low + i * span / count);
        memcpy(events[i].bytes, (uint8_t[]){0x90, note, 100}, 3);
    }
    return count;
}

static hed_status player_measure(player *p, const hed_synth_instrument *instrument, double rate,
    uint32_t block, cli_synth_load *load, hed_error *error)
{
    hed_synth_event notes[MOST_NOTES];
    block_time time;
    double times[MOST_BLOCKS], passed[MOST_BLOCKS], spent = 0;
    uint32_t note_count = make_notes(hed_synth_instrument_definition(instrument), notes), count = 0;
    /* the first frame includes builds and first touches; the second determines how many frames
     * fit into the time */
    p->frames = 1;
    if (player_play(p, notes, note_count, &time, error) || player_play(p, NULL, 0, &time, error))
        return error->status;
    double affordable = time.passed > 0 ? LOAD_SECONDS / time.passed : block;
    p->frames = affordable >= block ? block : affordable > 1 ? (uint32_t)affordable : 1;
    while (count < MOST_BLOCKS && spent < LOAD_SECONDS && !hed_interrupted()) {
        if (player_play(p, NULL, 0, &time, error)) return error->status;
        spent += time.passed;
        passed[count] = time.passed * rate / p->frames;
        times[count++] = time.thread * rate / p->frames;
    }
    if (count == 0) return HED_OK;
    hed_summary summary = hed_summarize(times, count);
    hed_synth_info report;
    report = hed_synth_describe(p->synth);
    load->runs = true;
    load->broke = report.breaks > 0;
    load->load = summary.p50;
    load->worst = summary.p99;
    load->passed = hed_summarize(passed, count).p99;
    load->instances = report.instances;
    load->bytes = report.instances > 0 ? report.bytes / report.instances : report.bytes;
    return HED_OK;
}

/* Plays the instrument for a fraction of a second with as many notes as it has voices. Returns
 * an error only if the machine fails; a limit of this pair of device and solver is a result. */
static hed_status synth_measure(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, double rate, uint32_t block, cli_synth_load *load, hed_error *error)
{
    *load = (cli_synth_load){.solver = solver};
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.block = block;
    def.solver = solver;
    def.inputs = inputs_of(instrument);
    player p = {.is_host = strcmp(hed_device_describe(device).backend, "host") == 0,
        .left = calloc(block, sizeof(float)),
        .right = calloc(block, sizeof(float))};
    if (!p.left || !p.right) HED_OUT_OF_MEMORY(error, "a block of sound");
    if (!hed_synth_create(device, &def, &p.synth, error))
        player_measure(&p, instrument, rate, block, load, error);
    hed_status status = error->status;
    hed_synth_destroy(p.synth);
    free(p.left);
    free(p.right);
    /* limits of this pair; another pair may run */
    bool answer = status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT ||
                  status == HED_ERROR_DEVICE_MEMORY || status == HED_ERROR_BUILD;
    if (!answer) return status;
    /* drop the solver and device at the beginning, which are printed next to the reason */
    char head[128];
    const char *id = hed_device_describe(device).id;
    int length =
        snprintf(head, sizeof head, "solver %s on %s: ", hed_synth_solver_name(solver), id);
    const char *reason =
        strncmp(error->text, head, (size_t)length) == 0 ? error->text + length : error->text;
    snprintf(load->reason, sizeof load->reason, "%.255s", reason);
    hed_error_clear(error);
    return HED_OK;
}

/* ---- contents of the instrument ---- */

static void tell_contents(check *c)
{
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(c->instrument);
    static const char *const modes[] = {"singleton", "voices", "mpe"};
    uint32_t instances = def->mode == HED_SYNTH_SINGLETON ? 1 : def->voices;
    if (c->json) {
        cli_report_row(c->records, CLI_TEXT("record", "instrument"), CLI_TEXT("file", c->path),
            CLI_TEXT("mode", modes[def->mode]), CLI_WHOLE("instances", instances));
        cli_report_open(c->records, "entities");
        for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            cli_report_more(c->records, CLI_WHOLE(hed_synth_entity_type_name(type),
                                            hed_synth_instrument_count(c->instrument, type)));
        cli_report_close(c->records);
        return;
    }
    printf("%s: %s", c->path, modes[def->mode]);
    if (instances > 1) printf(", %" PRIu32 " instances", instances);
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        uint32_t count = hed_synth_instrument_count(c->instrument, type);
        if (count > 0) printf(", %s: %" PRIu32, hed_synth_entity_type_name(type), count);
    }
    puts("");
}

/* ---- stability ---- */

static void stability_advise(const check *c, const hed_synth_stability *s, const char *body)
{
    double factor = s->worst / 2;
    if (!isfinite(factor)) {
        printf(
            "NOT STABLE: modulation takes the mass of %s to 0 or below: a smaller depth keeps it above.\n",
            body);
        return;
    }
    printf(
        "NOT STABLE: %" PRIu32
        " %s beyond what is proven safe, %s by %s times: h^2 s^2 sum(k)/m is %s at %g Hz, at most 2 is safe.\n",
        s->unsafe, s->unsafe == 1 ? "body is" : "bodies are", body, hed_digits(factor, 3).text,
        hed_digits(s->worst, 3).text, c->simulated);
    printf("  Make it %s times heavier, or the springs at it %s times softer",
        hed_digits(factor, 3).text, hed_digits(factor, 3).text);
    if (s->largest_dilation > 1) {
        /* frequency is proportional to the root of stiffness */
        double semitones = 6 * log2(factor);
        printf(
            ", or lower the highest note (\"high\") and the bends together by %.0f semitones (the highest plays "
            "%s times as fast as written)",
            ceil(semitones), hed_digits(s->largest_dilation, 3).text);
    }
    puts(".");
}

static hed_status check_stability(check *c, hed_error *error)
{
    hed_synth_stability s;
    char body[512] = "";
    hed_status status = hed_synth_instrument_stability(c->instrument, c->simulated, &s, error);
    if (status) return status;
    c->stable = s.unsafe == 0 && !s.growing;
    char growing[512] = "";
    if (s.growing) hed_synth_instrument_describe(c->instrument, s.growing, growing, sizeof growing);
    if (s.body) hed_synth_instrument_describe(c->instrument, s.body, body, sizeof body);
    if (c->json) {
        cli_report_row(c->records, CLI_TEXT("record", "stability"), CLI_FLAG("stable", c->stable),
            CLI_NUMBER("worst", s.worst), CLI_NUMBER("limit", 2), CLI_TEXT("body", body),
            CLI_TEXT("growing", growing), CLI_WHOLE("unsafe", s.unsafe),
            CLI_NUMBER("largest_dilation", s.largest_dilation), CLI_NUMBER("rate", c->rate),
            CLI_NUMBER("simulated_rate", c->simulated));
    } else if (s.unsafe) {
        stability_advise(c, &s, body);
    } else if (s.growing) {
        printf(
            "NOT STABLE: modulation can take the damping of %s below 0, so that its motion grows without end: "
            "a smaller depth, or more damping, keeps it above.\n",
            growing);
    } else if (s.body) {
        printf("stable: at worst %s of 2, at %s (%g Hz", hed_digits(s.worst, 3).text, body,
            c->simulated);
        if (c->simulated != c->rate)
            printf(", %g samples a frame of %g Hz", c->simulated / c->rate, c->rate);
        if (s.largest_dilation > 1)
            printf(", the highest note plays %s times as fast as written",
                hed_digits(s.largest_dilation, 3).text);
        puts(")");
    } else {
        puts("stable: nothing in it moves");
    }
    return HED_OK;
}

/* ---- silence ---- */

/* Returns the cause for which an instrument cannot sound; NULL: it can. */
static const char *reason_for_silence(const hed_synth_instrument *in)
{
    uint32_t heard = 0, exciters = 0, free_bodies = 0;
    hed_synth_entity_def def;
    for (uint32_t i = 0; i < hed_synth_instrument_count(in, HED_SYNTH_MICROPHONE); i++) {
        hed_synth_entity ear = hed_synth_instrument_at(in, HED_SYNTH_MICROPHONE, i);
        heard += !hed_synth_instrument_get(in, ear, &def, NULL) && def.as.microphone.heard &&
                 hed_synth_instrument_reaches(in, ear);
    }
    for (uint32_t type = HED_SYNTH_MALLET; type <= HED_SYNTH_AUDIO_INPUT; type++)
        for (uint32_t i = 0; type != HED_SYNTH_DAMPER &&
                             i < hed_synth_instrument_count(in, (hed_synth_entity_type)type);
             i++)
            exciters += hed_synth_instrument_reaches(
                in, hed_synth_instrument_at(in, (hed_synth_entity_type)type, i));
    for (uint32_t i = 0; i < hed_synth_instrument_count(in, HED_SYNTH_BODY); i++)
        free_bodies += !hed_synth_instrument_get(
                           in, hed_synth_instrument_at(in, HED_SYNTH_BODY, i), &def, NULL) &&
                       !def.as.body.anchored;
    if (!free_bodies) return "all bodies are anchored";
    if (!hed_synth_instrument_count(in, HED_SYNTH_MICROPHONE)) return "it has no microphone";
    if (!heard) return "no microphone that is heard is linked to a body";
    if (!exciters && !hed_synth_instrument_count(in, HED_SYNTH_LFO))
        return "no exciter is linked to a body that can move";
    return NULL;
}

/* Finds causes for which an instrument cannot sound. */
static void check_silence(check *c)
{
    const char *reason = reason_for_silence(c->instrument);
    c->sounds = !reason;
    if (c->json)
        cli_report_row(c->records, CLI_TEXT("record", "sound"), CLI_FLAG("sounds", c->sounds),
            CLI_TEXT("reason", reason ? reason : ""));
    else if (reason) printf("SILENT: %s\n", reason);
}

/* ---- pitch ---- */

/* Writes the nearest note and the deviation in cents: "A4 +0.0". */
static void pitch_name(double frequency, char *text, size_t size, double *cents)
{
    static const char *const names[] = {
        "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
    double note = 69 + 12 * log2(frequency / 440), nearest = round(note);
    *cents = 100 * (note - nearest);
    int number = (int)nearest;
    snprintf(text, size, "%s%d", names[((number % 12) + 12) % 12], (int)floor(number / 12.0) - 1);
}

static hed_status check_pitches(check *c, hed_error *error)
{
    cli_report *report = c->json ? c->records : cli_report_create(false);
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < hed_synth_instrument_grid_count(c->instrument) && !status; i++) {
        hed_synth_grid_info grid;
        char note[16];
        double cents;
        status = hed_synth_instrument_grid_at(c->instrument, i, c->simulated, &grid, error);
        if (status || grid.frequency == 0) continue;
        pitch_name(grid.frequency, note, sizeof note, &cents);
        const char *kind = grid.def.size[2] > 1   ? "lattice"
                           : grid.def.size[1] > 1 ? "membrane"
                                                  : "string";
        cli_report_row(report, CLI_TEXT("record", "pitch"),
            CLI_TEXT("name", grid.name, .heading = "grid"),
            CLI_TEXT("kind", kind, .heading = "kind"),
            CLI_WHOLE("bodies", grid.generated.bodies, .heading = ">bodies"),
            CLI_NUMBER("frequency", grid.frequency, .heading = ">mode 1 (Hz)", .format = "%.6f"),
            CLI_TEXT("note", note, .heading = "note"),
            CLI_NUMBER("cents", fabs(cents) < 0.0005 ? 0.0 : cents, .heading = ">cents",
                .format = "%+.3f"));
    }
    if (c->json) return status;
    if (cli_report_rows(report)) puts("");
    return cli_report_end(report, status, error);
}

/* ---- load ---- */

/* True if the instrument plays in real time: every block in time, or all but those that other
 * load on the machine delays. */
static bool in_time(const cli_synth_load *load)
{
    return load->runs && !load->broke && load->worst <= REAL_TIME;
}

static bool keeps_up(const cli_synth_load *load)
{
    return load->runs && !load->broke && load->load <= REAL_TIME;
}

static const char *load_verdict(const cli_synth_load *load, char *text, size_t size)
{
    if (!load->runs) return load->reason;
    if (load->broke) return "it runs away: the breaker opened";
    if (in_time(load))
        return load->passed > REAL_TIME
                   ? "real time by its own processor time; other programs ran, and some blocks were late"
                   : "real time";
    if (keeps_up(load)) return "keeps up, but some blocks are late: is the machine busy?";
    snprintf(text, size, "%s times too slow", hed_digits(load->load / REAL_TIME, 3).text);
    return text;
}

static void add_load(cli_report *report, const char *device, const cli_synth_load *load)
{
    char bytes[32] = "", text[64], shares[2][16] = {"", ""};
    if (load->runs) {
        cli_format_bytes(load->bytes, bytes, sizeof bytes);
        snprintf(shares[0], sizeof *shares, "%.1f %%", 100 * load->load);
        snprintf(shares[1], sizeof *shares, "%.1f %%", 100 * load->worst);
    }
    cli_report_row(report, CLI_TEXT("record", "load"),
        CLI_TEXT("device", device, .heading = "device"),
        CLI_TEXT("solver", hed_synth_solver_name(load->solver), .heading = "solver"),
        CLI_FLAG("real_time", in_time(load)),
        CLI_WHOLE("store_bytes", load->bytes, .heading = ">store", .shown = bytes),
        CLI_NUMBER("load", load->runs ? load->load : NAN, .heading = ">load", .shown = shares[0]),
        CLI_NUMBER(
            "load_p99", load->runs ? load->worst : NAN, .heading = ">p99", .shown = shares[1]),
        CLI_NUMBER("passed_p99", load->runs ? load->passed : NAN),
        CLI_TEXT("says", load_verdict(load, text, sizeof text), .heading = ""));
}

/* Lists the solvers to test on a device: cpu on the host, the others elsewhere. */
static uint32_t solvers_of(const hed_device *device, hed_synth_solver solvers[3])
{
    if (strcmp(hed_device_describe(device).backend, "host") == 0) {
        solvers[0] = HED_SYNTH_SOLVER_CPU;
        return 1;
    }
    solvers[0] = HED_SYNTH_SOLVER_GROUP;
    solvers[1] = HED_SYNTH_SOLVER_GLOBAL;
    solvers[2] = HED_SYNTH_SOLVER_GRID;
    return 3;
}

/* Best load so far; `load.runs` false: none yet. */
typedef struct best_load {
    cli_synth_load load;
    const char *device;
} best_load;

static bool is_better(const cli_synth_load *a, const cli_synth_load *b)
{
    if (!a->runs || a->broke) return false;
    if (!b->runs || in_time(a) != in_time(b)) return !b->runs || in_time(a);
    return in_time(a) ? a->worst < b->worst : a->load < b->load;
}

/* Progress of the measurements, drawn by a thread of its own: a driver may compile for minutes, in
 * which it returns for no signal either. The lock guards all members. */
typedef struct load_watch {
    pthread_mutex_t lock;
    pthread_t thread;
    hed_progress progress;
    char label[96]; /* pair that is being measured */
    uint64_t done;
    const cli_report *table; /* loads so far */
    bool json, is_ended;
} load_watch;

/* Draws the progress until the end. A second after Ctrl-C prints the loads so far and ends the
 * program. */
static void *watch_run(void *user)
{
    static const uint64_t PAUSE = 100000000, GRACE = 1000000000; /* ns */
    load_watch *w = user;
    uint64_t interrupted = 0;
    for (bool is_ended = false; !is_ended;) {
        pthread_mutex_lock(&w->lock);
        is_ended = w->is_ended;
        if (!is_ended && !interrupted) hed_progress_update(&w->progress, w->done);
        if (hed_interrupted() && !interrupted) interrupted = hed_now();
        if (!is_ended && interrupted && hed_now() - interrupted > GRACE) {
            hed_error error = {0};
            hed_progress_end(&w->progress);
            if (!w->json) puts("");
            cli_report_print(w->table, stdout, &error);
            fflush(stdout);
            fputs("heddle: interrupted\n", stderr);
            _exit(HED_EXIT_INTERRUPTED);
        }
        pthread_mutex_unlock(&w->lock);
        if (!is_ended) nanosleep(&(struct timespec){.tv_nsec = (long)PAUSE}, NULL);
    }
    return NULL;
}

static hed_status check_on_device(check *c, hed_device *device, load_watch *watch,
    cli_report *table, best_load *best, hed_error *error)
{
    hed_synth_solver solvers[3];
    uint32_t count = solvers_of(device, solvers);
    const char *id = hed_device_describe(device).id;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < count && !status && !hed_interrupted(); i++) {
        cli_synth_load load;
        pthread_mutex_lock(&watch->lock);
        snprintf(watch->label, sizeof watch->label, "load of %s on %s",
            hed_synth_solver_name(solvers[i]), id);
        pthread_mutex_unlock(&watch->lock);
        status = synth_measure(device, c->instrument, solvers[i], c->rate, c->block, &load, error);
        if (status) continue;
        pthread_mutex_lock(&watch->lock);
        add_load(table, id, &load);
        watch->done++;
        pthread_mutex_unlock(&watch->lock);
        if (is_better(&load, &best->load)) *best = (best_load){load, id};
    }
    return status;
}

static void check_sum_up(const check *c, const best_load *best)
{
    const char *solver = hed_synth_solver_name(best->load.solver);
    if (in_time(&best->load))
        printf("\nplays in real time: %s on %s, blocks of %" PRIu32
               " frames within %.1f %% of their time\n",
            solver, best->device, c->block, 100 * best->load.worst);
    else if (keeps_up(&best->load))
        printf(
            "\nkeeps up with %s on %s (%.1f %%), but not each block was in time: longer blocks (--block), or a "
            "machine that does nothing else\n",
            solver, best->device, 100 * best->load.load);
    else if (best->load.runs)
        printf(
            "\nplays in real time on none of these: the best is %s on %s, %s times too slow. Render it, make it "
            "smaller, or take a faster device%s\n",
            solver, best->device, hed_digits(best->load.load / REAL_TIME, 3).text,
            best->load.solver == HED_SYNTH_SOLVER_GRID
                ? ""
                : "; the largest play by solver grid on GPUs");
    else puts("\nplays on none of these devices");
}

static hed_status check_loads(check *c, hed_error *error)
{
    cli_report *report = c->json ? c->records : cli_report_create(false);
    best_load best = {0};
    load_watch watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .table = report, .json = c->json};
    hed_synth_solver solvers[3];
    uint64_t total = 0;
    for (uint32_t i = 0; i < c->session.count; i++)
        total += solvers_of(c->session.devices[i], solvers);
    watch.progress =
        hed_progress_begin(watch.label, "loads", total, hed_given(c->arguments, "quiet"));
    fflush(stdout); /* the pitches, before a driver compiles */
    bool is_watched = pthread_create(&watch.thread, NULL, watch_run, &watch) == 0;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < c->session.count && !status; i++)
        status = check_on_device(c, c->session.devices[i], &watch, report, &best, error);
    pthread_mutex_lock(&watch.lock);
    watch.is_ended = true;
    pthread_mutex_unlock(&watch.lock);
    if (is_watched) pthread_join(watch.thread, NULL);
    hed_progress_end(&watch.progress);
    if (c->json) return status;
    if (!status) puts("");
    status = cli_report_end(report, status, error);
    if (!status && !hed_interrupted()) check_sum_up(c, &best);
    return status;
}

/* ---- the command ---- */

/* Opens the devices of --device, or all. */
static hed_status check_open_devices(check *c, hed_error *error)
{
    if (hed_given(c->arguments, "device"))
        return cli_open_devices(c->arguments, &c->session, error);
    if (cli_open_context(c->arguments, &c->session, error)) return error->status;
    uint32_t device_count = hed_context_describe(c->session.context).devices;
    for (uint32_t i = 0; i < device_count && i < CLI_MOST_DEVICES; i++)
        c->session.devices[c->session.count++] = hed_device_at(c->session.context, i);
    return HED_OK;
}

static hed_status check_all(check *c, hed_error *error)
{
    bool loads = !hed_given(c->arguments, "no-load");
    if (loads && check_open_devices(c, error)) return error->status;
    tell_contents(c);
    check_silence(c);
    if (!check_stability(c, error) && !check_pitches(c, error) && c->stable && loads)
        check_loads(c, error);
    if (loads) cli_close(&c->session);
    if (error->status || !c->json) return error->status;
    return cli_report_print(c->records, stdout, error);
}

static int check_run(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "schema")) {
        fputs(hed_synth_instrument_schema(NULL), stdout);
        return HED_EXIT_OK;
    }
    check c = {.arguments = arguments,
        .path = hed_text_of(arguments, "FILE"),
        .json = hed_given(arguments, "json")};
    if (!c.path) {
        fputs(
            "heddle: name an instrument file (\"heddle synth check --help\" explains, --schema says what it may "
            "hold)\n",
            stderr);
        return HED_EXIT_USAGE;
    }
    c.rate = hed_number_of(arguments, "rate");
    c.block = (uint32_t)hed_integer_of(arguments, "block");
    c.records = c.json ? cli_report_create(true) : NULL;
    hed_error error = {0};
    if (!hed_synth_instrument_read(c.path, &c.instrument, &error)) {
        c.simulated = hed_synth_instrument_rate(c.instrument, c.rate);
        check_all(&c, &error);
    }
    hed_synth_instrument_destroy(c.instrument);
    cli_report_free(c.records);
    int code = cli_end(error.status, &error);
    return code == HED_EXIT_OK && !(c.stable && c.sounds) ? HED_EXIT_FAILURE : code;
}

static const hed_option OPTIONS[] = {
    CLI_OPTION_DEVICES(true),
    OPTION("rate", NUMBER, "HZ", "sample rate", .letter = 'r', .fallback = "48000", .low = 1000,
        .high = 768000),
    OPTION("block", INTEGER, "FRAMES", "frames of a block", .fallback = "256", .low = 1,
        .high = 65536),
    FLAG("no-load", "measure nothing, use no device"),
    CLI_OPTION_JSON(true),
    FLAG("schema", "print the JSON schema of instrument files"),
    {0},
};
static const hed_option POSITIONALS[] = {
    POSITIONAL("FILE", FILE, "the instrument, FILE.json", .names = &cli_data_instruments), {0}};
static const hed_example EXAMPLES[] = {
    {"heddle synth check harp.json", "everything, on each device"},
    {"heddle synth check harp.json --device host --block 64",
        "whether this processor keeps up with short blocks"},
    {"heddle synth check harp.json --no-load --json", "stability and pitches alone"}, {0}};

const hed_command hed_command_synth_check = {
    .name = "check",
    .summary = "stability, pitches and load of an instrument",
    .description =
        "Reads an instrument file and says whether it is stable at its highest note and, if not, which body to "
        "change and by how much; "
        "the exact pitch of the lowest mode of each string, membrane and lattice whose ends are anchored; what it "
        "consists of; and its load on "
        "each device in each solver that can serve it, measured by playing it for a moment with as many notes as "
        "it has "
        "voices. Load is the time of a block over its length, on the host the thread's own processor time. It ends with 1 if the "
        "instrument is not stable, or cannot sound. Ctrl-C keeps the loads that are measured.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = check_run,
};
