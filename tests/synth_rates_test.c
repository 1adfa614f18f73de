/* Every rate: instruments that are stable at 48 kHz play from 8 to 192 kHz with the same pitch and
 * decay; the filters fold nothing audible into the band; sound, stems and inputs are in time. */
#include "synth_pitch.h"

#include "solver/solver.h"

#include <unistd.h>

/* The first four, unless HEDDLE_TEST_FULL is set: sounds of 48 and 44.1 kHz at lower rates, as they are, and
 * at a higher one. */
static const double rates[] = {
    8000, 11025, 44100, 192000, 22050, 96000, 16000, 32000, 50000, 64000, 88200};

static uint32_t rate_count(void) { return getenv("HEDDLE_TEST_FULL") ? HED_COUNT(rates) : 4; }

/* ---- pitch and decay ---- */

typedef struct note_found {
    double frequency; /* of the first partial, Hz */
    double decay;     /* dB in half a second */
} note_found;

/* Measures the partial of the note at `expected` Hz in two windows of half a second, from `settle` s
 * on. */
static note_found measure(hed_device *device, const pitch_part *part, uint8_t note, double expected,
    double rate, double settle)
{
    uint32_t half = (uint32_t)lround(0.5 * rate), size = 1, first = (uint32_t)lround(settle * rate);
    while (size < 8 * half) size <<= 1;
    double complex *sound = calloc(2ull * size, sizeof *sound);
    CHECK(sound);
    pitch_request request = {part, note, 100, rate, 0};
    CHECK(pitch_play(device, &request, sound, 2 * half + first));
    double bin = rate / size, peaks[2];
    note_found found = {0};
    for (int k = 1; k >= 0; k--) {
        double complex *window = sound + size;
        memset(window, 0, size * sizeof *window);
        memcpy(window, sound + first + (size_t)k * half, half * sizeof *window);
        pitch_power(window, half, size);
        found.frequency = pitch_line(window, bin, expected, &peaks[k]);
    }
    found.decay = 10 * log10(peaks[0] / peaks[1]);
    free(sound);
    return found;
}

/* `partial`: frequency of a partial divided by the note's. */
static void expect_same(const char *file, uint8_t note, double partial, bool is_struck)
{
    test_device t = test_open(NULL);
    pitch_part part = {file, 0, note, note};
    double expected = 440 * exp2((note - 69) / 12.0) * partial, settle = is_struck ? 0.1 : 1;
    note_found standard = measure(t.device, &part, note, expected, 48000, settle);
    for (uint32_t i = 0; i < rate_count(); i++) {
        if (expected > 0.44 * rates[i]) continue; /* the filter takes it away */
        note_found found = measure(t.device, &part, note, expected, rates[i], settle);
        double cents = 1200 * log2(found.frequency / standard.frequency);
        EXPECT_LT(fabs(cents), 3, "%s, note %u, %g Hz", file, note, rates[i]);
        if (is_struck)
            EXPECT_LT(fabs(found.decay - standard.decay), 0.1 + 0.03 * fabs(standard.decay),
                "%s, note %u, %g Hz: decays by %.2f dB; expected %.2f", file, note, rates[i],
                found.decay, standard.decay);
    }
    test_close(&t);
}

Test(synth_rates, harp) { expect_same("data/instruments/harp.json", 79, 1, true); }
Test(synth_rates, vibes) { expect_same("data/instruments/vibes.json", 76, 1, true); }
Test(synth_rates, fiddle) { expect_same("data/instruments/fiddle.json", 74, 1, false); }
Test(synth_rates, viola) { expect_same("data/instruments/viola.json", 72, 1, false); }
Test(synth_rates, hurdygurdy) { expect_same("data/instruments/hurdygurdy.json", 72, 1, false); }
Test(synth_rates, morinkhuur) { expect_same("data/instruments/morinkhuur.json", 68, 1, false); }
Test(synth_rates, glide) { expect_same("data/instruments/glide.json", 57, 1, false); }
/* A partial that is a grid of its own, tuned to 4,234.7 Hz: 17 cents lower at 96 kHz if the time step
 * alone changed. */
Test(synth_rates, glockenspiel_partial)
{
    expect_same("data/instruments/glockenspiel.json", 79, 4234.7 / 783.991, true);
}

/* Body between two anchors with voices, played at C8 (4,186 Hz), four octaves above its root. */
static const char highest[] =
    "{\"version\": 1, \"instrument\": {\"mode\": \"voices\", \"root_note\": 60, \"high\": 108},"
    " \"grids\": [{\"kind\": \"string\", \"name\": \"s\", \"size\": 3, \"tune\": 261.6256,"
    " \"body\": {\"mass\": 0.001, \"damping\": 0.5}}], \"plectrums\": [{\"name\": \"p\"}],"
    " \"microphones\": [{\"name\": \"m\", \"position\": [0.01, 0, 1]}],"
    " \"links\": [{\"from\": \"p\", \"to\": \"s[1]\"}, {\"from\": \"m\", \"to\": \"s[1]\"}]}";
Test(synth_rates, highest_note_of_a_piano)
{
    char path[] = "/tmp/heddle-test-XXXXXX.json";
    int file = mkstemps(path, 5);
    CHECK_EQ(write(file, highest, sizeof highest - 1), (ssize_t)(sizeof highest - 1));
    close(file);
    /* dilation alone bends the note at 48 kHz: the others are compared with it */
    expect_same(path, 108, 1.013, true);
    remove(path);
}

/* ---- refusals ---- */

static hed_synth_instrument *read_instrument(const char *name)
{
    char path[256];
    hed_error error = {0};
    hed_synth_instrument *instrument;
    snprintf(path, sizeof path, "data/instruments/%s.json", name);
    OK(hed_synth_instrument_read(path, &instrument, &error));
    return instrument;
}

static hed_synth *make_synth(
    hed_device *device, const hed_synth_instrument *instrument, double rate, uint32_t inputs)
{
    hed_error error = {0};
    hed_synth *synth;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.inputs = inputs;
    def.solver = HED_SYNTH_SOLVER_CPU;
    OK(hed_synth_create(device, &def, &synth, &error));
    return synth;
}

Test(synth_rates, every_instrument_plays_at_every_rate)
{
    static const char *const names[] = {
        "harp", "viol", "drum", "cymbal", "vibes", "glide", "orrery", "tank", "consort"};
    test_device t = test_open(NULL);
    for (uint32_t i = 0; i < HED_COUNT(names); i++) {
        hed_synth_instrument *instrument = read_instrument(names[i]);
        for (uint32_t k = 0; k < HED_COUNT(rates); k++) {
            hed_synth *synth = make_synth(t.device, instrument, rates[k], 0);
            double factor = hed_synth_describe(synth).oversampling;
            EXPECT_GE(factor * rates[k], 44100);
            EXPECT_LE(factor * rates[k], 53000);
            EXPECT_EQ(factor * rates[k], hed_synth_instrument_rate(instrument, rates[k]));
            hed_synth_destroy(synth);
        }
        hed_synth_instrument_destroy(instrument);
    }
    test_close(&t);
}

/* A body on a spring that is stable at 48 kHz, not at 44.1 kHz. */
Test(synth_rates, an_unstable_rate_is_avoided)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_entity ends[2], spring;
    OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
    for (int i = 0; i < 2; i++) {
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
        body.as.body.position[0] = (float)i;
        body.as.body.mass = 1;
        body.as.body.anchored = i == 0;
        OK(hed_synth_instrument_add(instrument, &body, NULL, &ends[i], &error));
    }
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    def.as.spring.from = ends[0];
    def.as.spring.to = ends[1];
    def.as.spring.stiffness = 4 * 46000.0f * 46000.0f; /* stable from 46 kHz on */
    OK(hed_synth_instrument_add(instrument, &def, NULL, &spring, &error));
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 44100), 52920);
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 48000), 48000);
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 22050), 51450);
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 8000), 48000);
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 88200), 52920);
    EXPECT_EQ(hed_synth_instrument_rate(instrument, 96000), 48000);
    hed_synth_instrument_destroy(instrument);
}

/* ---- filters ---- */

static const synth_ratio ratios[] = {
    {2, 1}, {3, 1}, {4, 1}, {6, 1}, {3, 2}, {3, 4}, {1, 2}, {1, 4}, {5, 6}, {13, 12}};

/* Level of a tone of `frequency` (of samples) after conversion to frames, dB. */
static double level_after(const synth_filter *filter, double frequency)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    synth_converter *c;
    OK(synth_converter_create(&allocator, filter, true, 1, &c, &error));
    double power = 0;
    const synth_ratio ratio = filter->ratio;
    /* 1,000 periods of the lower rate, in which all tones have whole periods, or many */
    uint32_t skipped = 2 * filter->delay, frames = 0,
             count = ratio.frames > ratio.samples ? 1000 * ratio.frames / ratio.samples : 1000;
    for (uint32_t n = 0; frames < skipped + count; n++) {
        synth_converter_put(c, 0, (float)sin(2 * PITCH_PI * frequency * n));
        synth_converter_step(c);
        for (; synth_converter_is_ready(c); synth_converter_next(c), frames++) {
            double frame = (double)synth_convert(c, 0);
            if (frames >= skipped && frames < skipped + count) power += 2 * frame * frame;
        }
    }
    synth_converter_destroy(c);
    return 10 * log10(power / count + 1e-20);
}

/* Below 0.44 of the lower rate all passes; half of the rate of frames and more is not folded. */
Test(synth_rates, conversion_folds_nothing)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    for (uint32_t i = 0; i < HED_COUNT(ratios); i++) {
        synth_filter *filter;
        OK(synth_filter_create(&allocator, ratios[i], &filter, &error));
        double lower = fmin(1, (double)ratios[i].frames / ratios[i].samples);
        for (double f = 0.013; f < 0.44; f += 0.0301)
            EXPECT_LT(fabs(level_after(filter, f * lower)), 0.01, "%u: %g passes", i, f);
        for (double f = 0.5007; f < 0.5 / lower; f += 0.0307)
            EXPECT_LT(level_after(filter, f * lower), -85, "%u: %g is folded", i, f);
        synth_filter_destroy(filter);
    }
}

/* Images are as far down, and both directions together delay by a whole number of frames. */
static void expect_delay(synth_ratio ratio)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    synth_filter *filter;
    synth_converter *in, *out;
    OK(synth_filter_create(&allocator, ratio, &filter, &error));
    OK(synth_converter_create(&allocator, filter, false, 1, &in, &error));
    OK(synth_converter_create(&allocator, filter, true, 1, &out, &error));
    const uint32_t delay = 2 * filter->delay;
    double turn = 0.7 * fmin(1, (double)ratio.samples / ratio.frames);
    uint32_t sample = 0, frame = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        synth_converter_put(in, 0, (float)sin(turn * n));
        synth_converter_step(in);
        for (; synth_converter_is_ready(in); synth_converter_next(in), sample++) {
            float x = synth_convert(in, 0);
            double time = (double)sample * ratio.frames / ratio.samples - filter->delay;
            if (n > 2 * delay) EXPECT_LT(fabs(x - sin(turn * time)), 1e-4);
            synth_converter_put(out, 0, x);
            synth_converter_step(out);
            for (; synth_converter_is_ready(out); synth_converter_next(out), frame++)
                if (n > 2 * delay)
                    EXPECT_LT(
                        fabs(synth_convert(out, 0) - sin(turn * ((double)frame - delay))), 2e-4);
        }
    }
    EXPECT_EQ(sample, (uint32_t)synth_samples_before(ratio, 1000));
    EXPECT_EQ(frame, (uint32_t)synth_frames_before(ratio, sample));
    synth_converter_destroy(in);
    synth_converter_destroy(out);
    synth_filter_destroy(filter);
}

Test(synth_rates, both_directions_only_delay)
{
    for (uint32_t i = 0; i < HED_COUNT(ratios); i++) expect_delay(ratios[i]);
}

/* ---- time ---- */

enum { FRAMES = 4000 };

typedef struct take {
    float left[FRAMES], right[FRAMES], stem_left[FRAMES], stem_right[FRAMES];
    hed_synth_info info;
} take;

/* Plays an instrument in blocks of `block` frames: a note, and a click in its inputs. */
static take *play(hed_device *device, const char *name, uint32_t block, double rate)
{
    hed_error error = {0};
    hed_synth_instrument *instrument = read_instrument(name);
    hed_synth *synth = make_synth(device, instrument, rate, 2);
    take *out = calloc(1, sizeof *out);
    float *click = calloc(FRAMES, sizeof *click);
    CHECK(out && click);
    for (uint32_t n = 100; n < 103; n++) click[n] = n == 101 ? 0.5f : 0.25f;
    for (uint32_t first = 0; first < FRAMES; first += block) {
        uint32_t frames = FRAMES - first < block ? FRAMES - first : block;
        hed_synth_event on = {
            .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}, .frame = 100 - first};
        float *stems[16], unheard[256];
        for (int i = 0; i < 16; i++) stems[i] = unheard;
        stems[0] = out->stem_left + first;
        stems[1] = out->stem_right + first;
        hed_synth_block b = {.frames = frames, .left = out->left + first,
            .right = out->right + first, .stems = stems, .events = &on,
            .inputs = (const float *const[]){click + first, click + first},
            .event_count = first <= 100 && 100 < first + frames};
        OK(hed_synth_process(synth, &b, &error));
    }
    out->info = hed_synth_describe(synth);
    free(click);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    return out;
}

Test(synth_rates, blocks_change_no_bit)
{
    static const struct {
        const char *name;
        double rate;
        uint32_t block;
    } parts[] = {{"vibes", 11025, 37}, {"tank", 11025, 37}, {"tank", 32000, 7}, {"vibes", 96000, 1},
        {"tank", 192000, 1}, {"vibes", 192000, 3}, {"tank", 64000, 5}};
    test_device t = test_open(NULL);
    for (uint32_t i = 0; i < HED_COUNT(parts); i++) {
        take *whole = play(t.device, parts[i].name, 256, parts[i].rate),
             *part = play(t.device, parts[i].name, parts[i].block, parts[i].rate);
        EXPECT_EQ(whole->info.samples, FRAMES);
        EXPECT_EQ(part->info.samples, FRAMES);
        EXPECT_GT(whole->info.peak, 1e-3);
        CHECK(memcmp(whole->left, part->left, sizeof whole->left) == 0, "%u", i);
        CHECK(memcmp(whole->stem_left, part->stem_left, sizeof whole->left) == 0, "%u", i);
        free(whole);
        free(part);
    }
    test_close(&t);
}

/* Returns the frame of the first sound above a hundredth of the peak. */
static uint32_t onset(const float *sound)
{
    float peak = 0;
    for (uint32_t n = 0; n < FRAMES; n++) peak = fmaxf(peak, fabsf(sound[n]));
    for (uint32_t n = 0; n < FRAMES; n++)
        if (fabsf(sound[n]) > 0.01f * peak) return n;
    return FRAMES;
}

Test(synth_rates, sound_stems_and_inputs_are_in_time)
{
    test_device t = test_open(NULL);
    static const double others[] = {16000, 32000, 64000, 96000, 192000};
    take *standard = play(t.device, "vibes", 256, 48000);
    for (uint32_t i = 0; i < HED_COUNT(others); i++) {
        take *other = play(t.device, "vibes", 256, others[i]);
        double seconds[2][2] = {
            {(onset(standard->left) - standard->info.latency - 100.0) / 48000,
                (onset(standard->stem_left) - standard->info.stem_latency - 100.0) / 48000},
            {(onset(other->left) - other->info.latency - 100.0) / others[i],
                (onset(other->stem_left) - other->info.stem_latency - 100.0) / others[i]}};
        EXPECT_LT(fabs(seconds[0][0] - seconds[1][0]), 2.5e-4, "%g", others[i]);
        EXPECT_LT(fabs(seconds[0][1] - seconds[1][1]), 2.5e-4, "%g", others[i]);
        free(other);
    }
    free(standard);
    test_close(&t);
}

/* ---- failures ---- */

static hed_status fail_to_run(synth_solver *solver, const synth_run *run, hed_error *error)
{
    (void)solver, (void)run;
    return hed_fail(error, HED_ERROR_DRIVER, "the device is lost");
}

/* A block that fails is silent, and takes nothing from the blocks after it. */
Test(synth_rates, blocks_after_a_failure_are_whole)
{
    test_device t = test_open(NULL);
    hed_error error = {0};
    hed_synth_instrument *instrument = read_instrument("vibes");
    hed_synth *synth = make_synth(t.device, instrument, 192000, 0);
    const synth_solver_ops *ops = synth->ops;
    synth_solver_ops failing = *ops;
    failing.run = fail_to_run;
    float left[7], right[7], peak = 0;
    for (uint32_t i = 0; i < 600; i++) {
        hed_synth_event on = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}, .frame = 5};
        hed_synth_block block = {.frames = 7, .left = left, .right = right, .events = &on,
            .event_count = i == 0 || i == 60};
        for (uint32_t k = 0; k < 7; k++) left[k] = right[k] = 9;
        synth->ops = i == 51 ? &failing : ops;
        if (i == 51) FAILS(HED_ERROR_DRIVER, hed_synth_process(synth, &block, &error));
        else OK(hed_synth_process(synth, &block, &error));
        for (uint32_t k = 0; k < 7; k++) {
            CHECK(fabsf(left[k]) < 2 && fabsf(right[k]) < 2, "block %u, frame %u", i, k);
            if (i == 51) CHECK_EQ(left[k], 0.0f);
            if (i > 60) peak = fmaxf(peak, fabsf(left[k]));
        }
    }
    EXPECT_GT(peak, 1e-3f);
    EXPECT_EQ(hed_synth_describe(synth).samples, 600 * 7u);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}
