/* heddle synth check: what is known of an instrument before it sounds, and where it runs in real
 * time. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Above it a block now and then is late: the rest of the time belongs to the system, the driver,
 * other programs. */
static const double REAL_TIME = 0.8;

typedef struct check {
    const hed_arguments *arguments;
    const char *path;
    bool json;
    double rate;
    uint32_t block;
    cli_session session;
    hed_synth_instrument *instrument;
    hed_records *records; /* with --json */
    bool stable;
} check;

/* ---- what it consists of ---- */

static void tell_contents(check *c)
{
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(c->instrument);
    static const char *const modes[] = {"singleton", "voices", "mpe"};
    uint32_t instances = def->mode == HED_SYNTH_SINGLETON ? 1 : def->voices;
    if (c->json) {
        hed_records_next(c->records);
        hed_records_text(c->records, "record", "instrument");
        hed_records_text(c->records, "file", c->path);
        hed_records_text(c->records, "mode", modes[def->mode]);
        hed_records_integer(c->records, "instances", instances);
        hed_records_open(c->records, "entities");
        for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            hed_records_integer(c->records, hed_synth_entity_type_name(type),
                hed_synth_instrument_count(c->instrument, type));
        hed_records_close(c->records);
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

static void advise(const check *c, const hed_synth_stability *s, const char *body)
{
    double factor = s->worst / 2;
    printf(
        "NOT STABLE: %" PRIu32
        " %s beyond what is proven safe, %s by %.3g times: h^2 s^2 sum(k)/m is %.3g at %g Hz, at most 2 is safe.\n",
        s->unsafe, s->unsafe == 1 ? "body is" : "bodies are", body, factor, s->worst, c->rate);
    printf("  Make it %.3g times heavier, or the springs at it %.3g times softer", factor, factor);
    if (s->largest_dilation > 1) {
        double semitones = 6 * log2(factor); /* frequency goes with the root of stiffness */
        printf(
            ", or lower the highest note (\"high\") and the bends together by %.0f semitones (the highest plays "
            "%.3g times as fast as written)",
            ceil(semitones), s->largest_dilation);
    }
    puts(".");
}

static hed_status check_stability(check *c, hed_error *error)
{
    hed_synth_stability s;
    char body[512] = "";
    hed_status status = hed_synth_instrument_stability(c->instrument, c->rate, &s, error);
    if (status != HED_OK) return status;
    c->stable = s.unsafe == 0;
    if (s.body) hed_synth_instrument_describe(c->instrument, s.body, body, sizeof body);
    if (c->json) {
        hed_records_next(c->records);
        hed_records_text(c->records, "record", "stability");
        hed_records_boolean(c->records, "stable", c->stable);
        hed_records_number(c->records, "worst", s.worst);
        hed_records_number(c->records, "limit", 2);
        hed_records_text(c->records, "body", body);
        hed_records_integer(c->records, "unsafe", s.unsafe);
        hed_records_number(c->records, "largest_dilation", s.largest_dilation);
        hed_records_number(c->records, "rate", c->rate);
    } else if (!c->stable) {
        advise(c, &s, body);
    } else if (s.body) {
        printf("stable: at worst %.3g of 2, at %s (%g Hz", s.worst, body, c->rate);
        if (s.largest_dilation > 1)
            printf(", the highest note plays %.3g times as fast as written", s.largest_dilation);
        puts(")");
    } else {
        puts("stable: nothing in it moves");
    }
    return HED_OK;
}

/* ---- pitch ---- */

/* "A4 +0.0": the nearest note, and the cents that it is off. */
static void name_pitch(double frequency, char *text, size_t size, double *cents)
{
    static const char *const names[] = {
        "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
    double note = 69 + 12 * log2(frequency / 440), nearest = round(note);
    *cents = 100 * (note - nearest);
    int number = (int)nearest;
    snprintf(text, size, "%s%d", names[((number % 12) + 12) % 12], (int)floor(number / 12.0) - 1);
}

static void tell_pitch(check *c, hed_table *table, const hed_synth_grid_info *grid)
{
    char note[16];
    double cents;
    name_pitch(grid->frequency, note, sizeof note, &cents);
    uint32_t axes = grid->def.size[2] > 1 ? 3 : grid->def.size[1] > 1 ? 2 : 1;
    const char *what = axes == 3 ? "lattice" : axes == 2 ? "membrane" : "string";
    if (c->json) {
        hed_records_next(c->records);
        hed_records_text(c->records, "record", "pitch");
        hed_records_text(c->records, "name", grid->name);
        hed_records_text(c->records, "kind", what);
        hed_records_integer(c->records, "bodies", grid->generated.bodies);
        hed_records_number(c->records, "frequency", grid->frequency);
        hed_records_text(c->records, "note", note);
        hed_records_number(c->records, "cents", cents);
        return;
    }
    hed_table_cell(table, "%s", grid->name);
    hed_table_cell(table, "%s", what);
    hed_table_cell(table, "%" PRIu32, grid->generated.bodies);
    hed_table_cell(table, "%.6f", grid->frequency);
    hed_table_cell(table, "%s", note);
    hed_table_cell(table, "%+.3f", fabs(cents) < 0.0005 ? 0.0 : cents);
}

static hed_status check_pitches(check *c, hed_error *error)
{
    hed_table *table = hed_table_create(
        (const char *const[]){"grid", "kind", ">bodies", ">mode 1 (Hz)", "note", ">cents", NULL});
    uint32_t shown = 0;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < hed_synth_instrument_grid_count(c->instrument) && status == HED_OK; i++) {
        hed_synth_grid_info grid;
        status = hed_synth_instrument_grid_at(c->instrument, i, c->rate, &grid, error);
        if (status != HED_OK || grid.frequency == 0) continue;
        tell_pitch(c, table, &grid);
        shown++;
    }
    if (status == HED_OK && !c->json && shown > 0) {
        puts("");
        status = hed_table_print(table, stdout, error);
    }
    hed_table_free(table);
    return status;
}

/* ---- load ---- */

/* Plays in real time: every block, or all but those that something else on the machine delays. */
static bool in_time(const cli_synth_load *load)
{
    return load->runs && !load->broke && load->worst <= REAL_TIME;
}

static bool keeps_up(const cli_synth_load *load)
{
    return load->runs && !load->broke && load->load <= REAL_TIME;
}

static const char *judge(const cli_synth_load *load, char *text, size_t size)
{
    if (!load->runs) return load->reason;
    if (load->broke) return "it runs away: the breaker opened";
    if (in_time(load)) return "real time";
    if (keeps_up(load)) return "keeps up, but some blocks are late: is the machine busy?";
    snprintf(text, size, "%.3g times too slow", load->load / REAL_TIME);
    return text;
}

static void tell_load(check *c, hed_table *table, const char *device, const cli_synth_load *load)
{
    char bytes[32] = "", text[64];
    const char *verdict = judge(load, text, sizeof text);
    if (c->json) {
        hed_records_next(c->records);
        hed_records_text(c->records, "record", "load");
        hed_records_text(c->records, "device", device);
        hed_records_text(c->records, "solver", hed_synth_solver_name(load->solver));
        hed_records_boolean(c->records, "real_time", in_time(load));
        hed_records_number(c->records, "load", load->runs ? load->load : NAN);
        hed_records_number(c->records, "load_p99", load->runs ? load->worst : NAN);
        hed_records_integer(c->records, "store_bytes", load->bytes);
        hed_records_text(c->records, "says", verdict);
        return;
    }
    hed_table_cell(table, "%s", device);
    hed_table_cell(table, "%s", hed_synth_solver_name(load->solver));
    if (load->runs) {
        cli_format_bytes(load->bytes, bytes, sizeof bytes);
        hed_table_cell(table, "%s", bytes);
        hed_table_cell(table, "%.1f %%", 100 * load->load);
        hed_table_cell(table, "%.1f %%", 100 * load->worst);
    } else {
        for (uint32_t i = 0; i < 3; i++) hed_table_cell(table, "%s", "");
    }
    hed_table_cell(table, "%s", verdict);
}

/* The solvers to ask on a device: the processor itself runs that of the cpu, the others what they
 * have. */
static uint32_t solvers_of(const hed_device *device, hed_synth_solver solvers[3])
{
    if (strcmp(hed_device_get_info(device)->backend, "host") == 0) {
        solvers[0] = HED_SYNTH_CPU;
        return 1;
    }
    solvers[0] = HED_SYNTH_GROUP;
    solvers[1] = HED_SYNTH_GLOBAL;
    solvers[2] = HED_SYNTH_GRID;
    return 3;
}

/* The best so far; `load.runs` false: none yet. */
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

static hed_status check_device(
    check *c, hed_device *device, hed_table *table, best_load *best, hed_error *error)
{
    hed_synth_solver solvers[3];
    uint32_t count = solvers_of(device, solvers);
    const char *id = hed_device_get_info(device)->id;
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < count && status == HED_OK && !hed_interrupted(); i++) {
        cli_synth_load load;
        status =
            cli_synth_measure(device, c->instrument, solvers[i], c->rate, c->block, &load, error);
        if (status != HED_OK) continue;
        tell_load(c, table, id, &load);
        if (is_better(&load, &best->load)) *best = (best_load){load, id};
    }
    return status;
}

static void sum_up(const check *c, const best_load *best)
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
            "\nplays in real time on none of these: the best is %s on %s, %.3g times too slow. Render it, make it "
            "smaller, or take a faster device%s\n",
            solver, best->device, best->load.load / REAL_TIME,
            best->load.solver == HED_SYNTH_GRID ? "" : "; the largest play by solver grid on GPUs");
    else puts("\nplays on none of these devices");
}

static hed_status check_loads(check *c, hed_error *error)
{
    const char *const headings[] = {"device", "solver", ">store", ">load", ">p99", "", NULL};
    hed_table *table = hed_table_create(headings);
    best_load best = {0};
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < c->session.count && status == HED_OK; i++)
        status = check_device(c, c->session.devices[i], table, &best, error);
    if (status == HED_OK && !c->json) {
        puts("");
        status = hed_table_print(table, stdout, error);
        if (status == HED_OK) sum_up(c, &best);
    }
    hed_table_free(table);
    return status;
}

/* ---- the command ---- */

static hed_status open_devices(check *c, hed_error *error)
{
    if (hed_given(c->arguments, "device"))
        return cli_open_devices(c->arguments, &c->session, error);
    hed_status status = cli_open_context(c->arguments, &c->session, error);
    for (uint32_t i = 0;
         status == HED_OK && i < hed_device_count(c->session.context) && i < CLI_MOST_DEVICES; i++)
        c->session.devices[c->session.count++] = hed_device_at(c->session.context, i);
    return status;
}

static hed_status check_all(check *c, hed_error *error)
{
    tell_contents(c);
    hed_status status = check_stability(c, error);
    if (status == HED_OK) status = check_pitches(c, error);
    if (status == HED_OK && c->stable && !hed_given(c->arguments, "no-load")) {
        status = open_devices(c, error);
        if (status == HED_OK) status = check_loads(c, error);
        cli_close(&c->session);
    }
    if (status == HED_OK && c->json) status = hed_records_print(c->records, stdout, error);
    return status;
}

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    if (hed_given(arguments, "schema")) {
        fputs(hed_synth_instrument_schema(NULL), stdout);
        return HED_EXIT_OK;
    }
    check c = {.arguments = arguments, .path = hed_text_of(arguments, "FILE"),
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
    c.records = c.json ? hed_records_create() : NULL;
    hed_error error;
    hed_status status = hed_synth_instrument_load(c.path, &c.instrument, &error);
    if (status == HED_OK) status = check_all(&c, &error);
    hed_synth_instrument_destroy(c.instrument);
    hed_records_free(c.records);
    int code = cli_end(status, &error);
    return code == HED_EXIT_OK && !c.stable ? HED_EXIT_FAILURE : code;
}

static const hed_option OPTIONS[] = {
    CLI_OPTION_DEVICES(true),
    {.name = "rate", .letter = 'r', .kind = HED_OPTION_NUMBER, .value = "HZ", .own = true,
        .fallback = "48000", .low = 1000, .high = 768000, .help = "sample rate"},
    {.name = "block", .kind = HED_OPTION_INTEGER, .value = "FRAMES", .own = true, .fallback = "256",
        .low = 1, .high = 65536, .help = "frames of a block"},
    {.name = "no-load", .kind = HED_OPTION_FLAG, .own = true,
        .help = "measure nothing, use no device"},
    CLI_OPTION_JSON(true),
    {.name = "schema", .kind = HED_OPTION_FLAG, .own = true,
        .help = "print the JSON schema of instrument files"},
    {0},
};
static const hed_option POSITIONALS[] = {
    {.name = "FILE", .kind = HED_OPTION_FILE, .help = "the instrument, FILE.json"}, {0}};
static const hed_example EXAMPLES[] = {
    {"heddle synth check harp.json", "everything, on each device"},
    {"heddle synth check harp.json --device host --block 64",
        "whether this processor keeps up with short blocks"},
    {"heddle synth check harp.json --no-load --json", "stability and pitches alone"}, {0}};

const hed_command hed_command_synth_check = {
    .name = "check", .summary = "stability, pitches and load of an instrument", .description =
        "Reads an instrument file and says whether it is stable at its highest note and, if not, which body to "
        "change and by how much; "
        "the exact pitch of the lowest mode of each string, membrane and lattice whose ends are anchored; what it "
        "consists of; and its load on "
        "each device in each solver that can serve it, measured by playing it for a moment with as many notes as "
        "it has "
        "voices. Load is the time of a block over its length. It ends with 1 if the instrument is not stable.",
    .options = OPTIONS, .positionals = POSITIONALS, .examples = EXAMPLES, .run = run,
};
