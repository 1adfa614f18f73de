/* ctest: devices */
/* Golden renders: short, strict, the same bits on every device. tests/golden/NAME.json is an
 * instrument, the table below says what is played on it, tests/golden/hashes.txt has the hash of
 * each render. All parameters that modulation reaches are tried one by one on base.json.
 *
 * HEDDLE_GOLDEN_WRITE=1 writes the hashes anew; look at the difference, and say in the commit why
 * sound changed. */
#include "testing.h"

#include <inttypes.h>

#include "heddle/synth_file.h"
#include "model/synth_model.h"
#include "support/file.h"

enum {
    RATE = 48000,
    BLOCK = 256,
    MOST_EVENTS = 64,
    MOST_HASHES = 256,
    FRAMES = 6000,
    MODULATED_FRAMES = 3000,
    MORE = 500 /* at least, behind the last event */
};

static const char folder[] = "tests/golden/", hashes_path[] = "tests/golden/hashes.txt";

/* ---- what is played ---- */

/* Events are FRAME KIND NUMBERS, separated by semicolons; KIND is on, off, aftertouch, cc, program,
 * pressure, bend (all with the channel, 1 to 16, first), tempo, host, or set (ENTITY PARAMETER
 * VALUE). */
typedef struct golden {
    const char *instrument; /* and name, where `name` is NULL */
    const char *name;
    const char *events;
} golden;

#define NOTE "0 on 1 60 100; 4000 off 1 60 64"
/* When the LFO that modulates what a note's start takes has left 0. */
#define LATE_NOTE "100 on 1 60 100; 2500 off 1 60 64"

static const golden goldens[] = {
    {"string", NULL, NOTE},
    {"string", "string_soft", "0 on 1 60 20; 2000 on 1 60 127"},
    {"stiff_string", NULL, NOTE},
    {"cubic", NULL, NOTE},
    {"membrane", NULL, "0 on 1 60 90; 3000 on 1 62 60"},
    {"plate", NULL, NOTE},
    {"lattice", NULL, NOTE},
    {"mallet", NULL, "0 on 1 60 127; 1500 on 1 60 30; 3000 on 1 60 80"},
    {"plectrum", NULL, "0 on 1 60 127; 3000 on 1 61 64"},
    {"bow", NULL, "0 on 1 60 100; 3500 off 1 60 0; 4500 on 1 60 40"},
    {"damper", NULL, "0 on 1 60 127; 2000 off 1 60 0; 2500 cc 1 64 127; 3000 on 1 60 80; 3500 off 1 60 0; 4500 cc 1 64 0"},
    {"oscillator", NULL, "0 on 1 57 100; 3000 off 1 57 0; 3200 on 1 69 100"},
    {"audio", NULL, "500 on 1 60 100; 4000 off 1 60 0"},
    {"microphone", NULL, NOTE},
    {"compressor", NULL, "0 on 1 60 127; 3000 on 1 60 20"},
    {"delay", NULL, NOTE},
    {"lfo", NULL, "0 on 1 60 100; 2000 tempo 240; 4000 on 1 60 100"},
    {"envelope", NULL, "0 on 1 60 100; 3000 off 1 60 0"},
    {"follower", NULL, NOTE},
    {"midi", NULL,
        "0 cc 1 1 10; 0 on 1 60 100; 1000 cc 1 1 127; 1500 bend 1 16000; 2000 pressure 1 100; "
        "2500 aftertouch 1 60 90; 3000 host 3 0.75; 3500 on 1 67 40"},
    {"modulators", NULL, NOTE},
    {"modes", NULL, NOTE},
    {"routes", NULL, "0 on 1 60 100; 1000 on 2 60 100; 2000 on 1 72 100; 3000 on 2 72 100"},
    {"voices", NULL,
        "0 on 1 60 100; 500 on 1 64 90; 1000 on 1 67 80; 3000 off 1 60 0; 3000 off 1 64 0"},
    {"voices", "voices_steal",
        "0 on 1 60 100; 400 on 1 62 100; 800 on 1 64 100; 1200 on 1 65 100; 1600 on 1 67 100; "
        "2000 on 1 69 100"},
    {"voices", "voices_bend",
        "0 on 1 60 100; 500 on 1 67 100; 1000 bend 1 16383; 2500 bend 1 0; "
        "4000 bend 1 8192"},
    {"voices", "voices_sustain",
        "0 on 1 60 100; 500 cc 1 64 127; 1000 off 1 60 0; 1500 on 1 62 100; "
        "2000 off 1 62 0; 3500 cc 1 64 0"},
    {"voices", "voices_all_off",
        "0 on 1 60 100; 100 on 1 62 100; 2000 cc 1 123 0; 3000 on 1 64 100; "
        "4000 cc 1 120 0"},
    {"voices", "voices_program",
        "0 on 1 60 100; 1000 program 1 5; 2000 on 1 60 0; 2500 on 1 60 90"},
    {"mpe", NULL,
        "0 on 2 60 100; 0 on 3 60 100; 1000 bend 2 9000; 1500 pressure 3 120; 2000 bend 1 10000; "
        "3000 off 2 60 0"},
    {"string", "set",
        "0 on 1 60 100; 1500 set middle damping 200; 3000 set ear gain -30; 4500 set ear pan -1"},
    {"sleep", NULL, "0 on 1 60 100; 13007 on 1 70 90; 15001 on 1 62 100; 17500 off 1 62 0"},
    {"base", NULL, NOTE},
    {"base", "base_sequence",
        "0 on 1 48 127; 1200 off 1 48 0; 1200 on 1 60 80; 2400 off 1 60 0; 2400 on 1 72 40; "
        "3600 off 1 72 0"},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

/* ---- events ---- */

static const struct word {
    const char *text;
    uint8_t status;
} words[] = {{"off", 0x80}, {"on", 0x90}, {"aftertouch", 0xa0}, {"cc", 0xb0}, {"program", 0xc0},
    {"pressure", 0xd0}, {"bend", 0xe0}};

static void read_midi(const char *kind, const char *rest, hed_synth_event *event)
{
    unsigned channel = 0, first = 0, second = 0;
    int read = sscanf(rest, "%u %u %u", &channel, &first, &second);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].text, kind) != 0) continue;
        bool bend = words[i].status == 0xe0;
        CHECK_GE(read, 2);
        event->kind = HED_SYNTH_EVENT_MIDI;
        event->bytes[0] = (uint8_t)(words[i].status | (channel - 1));
        event->bytes[1] = (uint8_t)(bend ? first & 127 : first);
        event->bytes[2] = (uint8_t)(bend ? first >> 7 : second);
        return;
    }
    FAIL("no event \"%s\"", kind);
}

static void read_set(
    const hed_synth_instrument *instrument, const char *rest, hed_synth_event *event)
{
    char name[32], parameter[32];
    CHECK_EQ(sscanf(rest, "%31s %31s %f", name, parameter, &event->value), 3);
    event->kind = HED_SYNTH_EVENT_SET;
    event->entity = hed_synth_instrument_find(instrument, name);
    CHECK_NE(event->entity, 0, "no entity \"%s\"", name);
    while (event->target < HED_SYNTH_TARGET_COUNT &&
           strcmp(hed_synth_target_name(event->target), parameter) != 0)
        event->target++;
    CHECK_LT(event->target, HED_SYNTH_TARGET_COUNT, "no parameter \"%s\"", parameter);
}

static uint32_t read_events(
    const hed_synth_instrument *instrument, const char *text, hed_synth_event *events)
{
    uint32_t count = 0;
    for (const char *next = text; next; next = strchr(next, ';') ? strchr(next, ';') + 1 : NULL) {
        CHECK_LT(count, MOST_EVENTS);
        hed_synth_event event = {0};
        char kind[32];
        int begin = 0;
        CHECK_EQ(sscanf(next, "%u %31s%n", &event.frame, kind, &begin), 2, "%s", next);
        const char *rest = next + begin;
        if (strcmp(kind, "tempo") == 0) {
            event.kind = HED_SYNTH_EVENT_TEMPO;
            CHECK_EQ(sscanf(rest, "%f", &event.value), 1);
        } else if (strcmp(kind, "host") == 0) {
            event.kind = HED_SYNTH_EVENT_HOST;
            CHECK_EQ(sscanf(rest, "%u %f", &event.number, &event.value), 2);
        } else if (strcmp(kind, "set") == 0) {
            read_set(instrument, rest, &event);
        } else {
            read_midi(kind, rest, &event);
        }
        CHECK(count == 0 || events[count - 1].frame <= event.frame, "out of order: %s", next);
        events[count++] = event;
    }
    return count;
}

/* ---- rendering ---- */

static uint64_t hash_samples(uint64_t hash, const float *samples, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { /* FNV-1a over the bytes, lowest first */
        uint32_t bits;
        memcpy(&bits, &samples[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3ull;
    }
    return hash;
}

/* Plays events in blocks, and gives the hash of both channels. It has to be sound: neither silence
 * nor out of hand. */
static uint64_t render(const test_device *t, const hed_synth_instrument *instrument,
    const char *name, const char *text, uint32_t frames)
{
    hed_error error = {0};
    hed_synth_event events[MOST_EVENTS], part[MOST_EVENTS];
    uint32_t count = read_events(instrument, text, events), next = 0;
    if (events[count - 1].frame + MORE > frames) frames = events[count - 1].frame + MORE;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = RATE;
    def.block = BLOCK;
    def.inputs = 1;
    def.seed = 7;
    def.math = HED_MATH_STRICT;
    hed_synth *synth;
    OK(hed_synth_create(t->device, &def, &synth, &error));
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t at = 0; at < frames; at += BLOCK) {
        float left[BLOCK], right[BLOCK], input[BLOCK];
        for (uint32_t i = 0; i < BLOCK; i++) /* a sawtooth of 125 Hz */
            input[i] = (float)((at + i) % 384) / 192.0f - 1.0f;
        const float *inputs[] = {input};
        uint32_t in_block = 0, length = frames - at < BLOCK ? frames - at : BLOCK;
        for (; next < count && events[next].frame < at + length; next++) {
            part[in_block] = events[next];
            part[in_block++].frame -= at;
        }
        hed_synth_block block = {.frames = length, .events = part, .event_count = in_block,
            .inputs = inputs, .left = left, .right = right};
        OK(hed_synth_process(synth, &block, &error));
        hash = hash_samples(hash_samples(hash, left, length), right, length);
    }
    hed_synth_info report;
    report = hed_synth_describe(synth);
    EXPECT_GT(report.peak, 0.003f, "%s: silence, or nearly (peak %g)", name, (double)report.peak);
    EXPECT_LT(report.peak, 4.0f, "%s: much too loud (peak %g)", name, (double)report.peak);
    EXPECT_EQ(report.breaks, 0u, "%s: the breaker opened", name);
    test_note("golden %s: %s, %.2f us a sample", name, hed_synth_solver_name(report.solver),
        report.load.p50_ns * 1e-3 / BLOCK);
    hed_synth_destroy(synth);
    return hash;
}

static hed_synth_instrument *load(const char *name)
{
    hed_error error = {0};
    char path[128];
    hed_synth_instrument *instrument;
    snprintf(path, sizeof path, "%s%s.json", folder, name);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    return instrument;
}

/* ---- hashes ---- */

typedef struct hash_list {
    struct {
        char name[64];
        uint64_t hash;
    } lines[MOST_HASHES];
    uint32_t count;
} hash_list;

static void read_hashes(hash_list *list)
{
    hed_error error = {0};
    char *text;
    size_t size;
    list->count = 0;
    OK(hed_file_read(hashes_path, 1 << 20, &text, &size, &error));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        CHECK_LT(list->count, MOST_HASHES);
        int read = sscanf(
            line, "%63s %" SCNx64, list->lines[list->count].name, &list->lines[list->count].hash);
        CHECK_EQ(read, 2, "%s", line);
        list->count++;
    }
    free(text);
}

static void write_hashes(const hash_list *list)
{
    hed_error error = {0};
    hed_file_writer *writer;
    OK(hed_file_writer_open(hashes_path, &writer, &error));
    for (uint32_t i = 0; i < list->count; i++) {
        char line[128];
        int length = snprintf(
            line, sizeof line, "%s %016" PRIx64 "\n", list->lines[i].name, list->lines[i].hash);
        hed_file_writer_put(writer, line, (size_t)length);
    }
    OK(hed_file_writer_commit(writer, &error));
}

static void add_hash(hash_list *list, const char *name, uint64_t hash)
{
    CHECK_LT(list->count, MOST_HASHES);
    snprintf(list->lines[list->count].name, sizeof list->lines[0].name, "%s", name);
    list->lines[list->count++].hash = hash;
}

/* ---- every target modulated ---- */

/* What of base.json is modulated. Positions are those of what cannot move; the frequency of an LFO
 * that follows the tempo has a name of its own. */
static const char *target_name(hed_synth_entity_type type, hed_synth_target target)
{
    bool position = target >= HED_SYNTH_TARGET_POSITION_X && target <= HED_SYNTH_TARGET_POSITION_Z;
    if (type == HED_SYNTH_BODY && position) return "anchor";
    if (type == HED_SYNTH_LFO && target == HED_SYNTH_TARGET_SYNC_FREQUENCY) return "synced";
    return hed_synth_entity_type_name(type);
}

static hed_synth_modulation_def modulation_of(
    const hed_synth_instrument *base, hed_synth_entity_type type, hed_synth_target target)
{
    hed_synth_modulation_def def = {.source = hed_synth_instrument_find(base, "source"),
        .entity = hed_synth_instrument_find(base, target_name(type, target)), .target = target,
        .depth = 0.4f, .invert = target % 2 == 1};
    CHECK(def.source && def.entity, "base.json has no \"%s\"", target_name(type, target));
    bool position = target >= HED_SYNTH_TARGET_POSITION_X && target <= HED_SYNTH_TARGET_POSITION_Z;
    if (position || target == HED_SYNTH_TARGET_ROTATION || target == HED_SYNTH_TARGET_PAN) {
        def.mode = HED_SYNTH_MODULATE_ADD;
        if (position) def.depth = type == HED_SYNTH_BODY ? 0.0005f : 0.05f;
    } else {
        def.mode = target % 2 == 1 ? HED_SYNTH_MODULATE_MULTIPLY : HED_SYNTH_MODULATE_EXPONENTIAL;
    }
    return def;
}

/* Each has its hash, and none sounds like the instrument without the modulation. */
static void render_modulations(const test_device *t, hash_list *found)
{
    hed_error error = {0};
    hed_synth_instrument *base = load("base");
    uint64_t plain = render(t, base, "base without modulation", LATE_NOTE, MODULATED_FRAMES);
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t parameter = 0; parameter < HED_SYNTH_TARGET_COUNT; parameter++) {
            if (!hed_synth_target_of(type, parameter)) continue;
            char name[64];
            snprintf(name, sizeof name, "%s.%s", hed_synth_entity_type_name(type),
                hed_synth_target_name(parameter));
            hed_synth_instrument *instrument;
            OK(hed_synth_instrument_copy(base, &instrument, &error));
            hed_synth_modulation_def def = modulation_of(base, type, parameter);
            OK(hed_synth_instrument_modulate(instrument, &def, &error));
            uint64_t hash = render(t, instrument, name, LATE_NOTE, MODULATED_FRAMES);
            EXPECT_NE(hash, plain, "modulating %s changes nothing", name);
            add_hash(found, name, hash);
            hed_synth_instrument_destroy(instrument);
        }
    hed_synth_instrument_destroy(base);
}

Test(synth_golden, renders)
{
    test_device t = test_open(NULL);
    static hash_list known, found;
    for (uint32_t i = 0; i < GOLDENS; i++) {
        const char *name = goldens[i].name ? goldens[i].name : goldens[i].instrument;
        hed_synth_instrument *instrument = load(goldens[i].instrument);
        add_hash(&found, name, render(&t, instrument, name, goldens[i].events, FRAMES));
        hed_synth_instrument_destroy(instrument);
    }
    render_modulations(&t, &found);
    test_close(&t);
    if (getenv("HEDDLE_GOLDEN_WRITE")) write_hashes(&found);
    read_hashes(&known);
    CHECK_EQ(known.count, found.count, "%s has %u lines, there are %u renders", hashes_path,
        known.count, found.count);
    for (uint32_t i = 0; i < found.count; i++) {
        EXPECT_TEXT(known.lines[i].name, found.lines[i].name);
        EXPECT_EQ(known.lines[i].hash, found.lines[i].hash,
            "%s: %016" PRIx64 ", expected %016" PRIx64, found.lines[i].name, found.lines[i].hash,
            known.lines[i].hash);
    }
}

/* ---- what they exercise between them ---- */

typedef struct coverage {
    uint32_t types[HED_SYNTH_ENTITY_TYPE_COUNT], midi[HED_SYNTH_MIDI_KIND_COUNT], voices[3];
    uint32_t oscillators[HED_SYNTH_WAVE_COUNT], lfos[HED_SYNTH_WAVE_COUNT];
    uint32_t modes[2 * HED_SYNTH_MODULATION_MODE_COUNT]; /* upright, then inverted */
    uint32_t modulated_modulators;
} coverage;

static void cover_instrument(const hed_synth_instrument *instrument, coverage *c)
{
    c->voices[hed_synth_instrument_definition(instrument)->mode]++;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < hed_synth_instrument_count(instrument, type); i++) {
            hed_synth_entity_def def;
            CHECK_EQ(hed_synth_instrument_get(
                         instrument, hed_synth_instrument_at(instrument, type, i), &def, NULL),
                HED_OK);
            c->types[type]++;
            if (type == HED_SYNTH_MIDI_SOURCE) c->midi[def.as.midi_source.kind]++;
            if (type == HED_SYNTH_OSCILLATOR) c->oscillators[def.as.oscillator.wave]++;
            if (type == HED_SYNTH_LFO) c->lfos[def.as.lfo.wave]++;
        }
    for (uint32_t i = 0; i < instrument->modulation_count; i++) {
        const hed_synth_modulation_def *def = &instrument->modulations[i];
        c->modes[def->mode + (def->invert ? HED_SYNTH_MODULATION_MODE_COUNT : 0)]++;
        c->modulated_modulators += synth_is_modulator(synth_find(instrument, def->entity)->type);
    }
}

static void expect_all(const uint32_t *counts, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++)
        EXPECT_GT(counts[i], 0u, "no golden render has %s %u", what, i);
}

Test(synth_golden, exercise_everything_between_them)
{
    coverage c = {0};
    uint32_t statuses[16] = {0}, events[HED_SYNTH_EVENT_HOST + 1] = {0};
    for (uint32_t i = 0; i < GOLDENS; i++) {
        hed_synth_instrument *instrument = load(goldens[i].instrument);
        cover_instrument(instrument, &c);
        hed_synth_event list[MOST_EVENTS];
        uint32_t count = read_events(instrument, goldens[i].events, list);
        for (uint32_t k = 0; k < count; k++) {
            events[list[k].kind]++;
            if (list[k].kind == HED_SYNTH_EVENT_MIDI) statuses[list[k].bytes[0] >> 4]++;
        }
        hed_synth_instrument_destroy(instrument);
    }
    expect_all(c.types, HED_SYNTH_ENTITY_TYPE_COUNT, "entity type");
    expect_all(c.midi, HED_SYNTH_MIDI_KIND_COUNT, "MIDI source of kind");
    expect_all(c.oscillators, HED_SYNTH_WAVE_COUNT, "oscillator of wave");
    expect_all(c.lfos, HED_SYNTH_WAVE_COUNT, "LFO of wave");
    expect_all(c.modes, 2 * HED_SYNTH_MODULATION_MODE_COUNT, "modulation of mode");
    expect_all(&c.modulated_modulators, 1, "modulator of a modulator, number");
    expect_all(c.voices, 3, "voice mode");
    expect_all(events, HED_SYNTH_EVENT_HOST + 1, "event of kind");
    expect_all(statuses + 8, 7, "MIDI status 8 +");
}
