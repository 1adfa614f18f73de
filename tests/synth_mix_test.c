/* The mix alone: sums in order, the limiter, the breaker, and that none of them knows of blocks. */
#include "testing.h"

#include "solver/solver.h"

#include <math.h>

enum { FRAMES = 48000 };
static const double RATE = 48000;

typedef struct mixed {
    float left[FRAMES], right[FRAMES];
    uint32_t opened; /* at which frame the breaker opened first; FRAMES: never */
    hed_synth_info report;
} mixed;

static synth_mix *make(const hed_synth_instrument_def *def)
{
    hed_error error = {0};
    hed_allocator allocator = hed_default_allocator();
    synth_mix *mix;
    OK(synth_mix_create(&allocator, def, RATE, NULL, SYNTH_MIX_WHOLE, &mix, &error));
    return mix;
}

/* As hed_synth_process() does: blocks in parts, of which none is longer than a rest or reaches
 * across its end. */
static void run_in_blocks(synth_mix *mix, const float *stems, uint32_t instances,
    uint32_t stem_count, uint32_t block, mixed *out)
{
    out->opened = FRAMES;
    for (uint32_t first = 0, frames; first < FRAMES; first += frames) {
        uint32_t resting = synth_mix_resting(mix),
                 most = resting && resting < block ? resting : block;
        if (most > SYNTH_MIX_HOLD) most = SYNTH_MIX_HOLD;
        frames = FRAMES - first < most ? FRAMES - first : most;
        const float *at = resting ? NULL : stems + (size_t)first * instances * stem_count * 2;
        synth_mix_out rest = {out->left + first, out->right + first, FRAMES - first};
        uint32_t sounding = synth_mix_run(mix, at, instances, stem_count, frames, &rest);
        if (sounding < frames && out->opened == FRAMES) out->opened = first + sounding;
    }
    out->report = (hed_synth_info){0};
    synth_mix_report(mix, &out->report);
}

static mixed *mix_of(const float *stems, const hed_synth_instrument_def *def, uint32_t block)
{
    mixed *out = calloc(1, sizeof *out);
    synth_mix *mix = make(def);
    run_in_blocks(mix, stems, 1, 1, block, out);
    synth_mix_destroy(mix);
    return out;
}

static float random_float(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)*state / 2147483648.0f;
}

/* (FRAMES x 2): noise whose level goes up and down over 80 dB, with impulses. */
static float *hostile(uint32_t seed)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t n = 0; n < FRAMES; n++) {
        float level = powf(10.0f, 1.5f * sinf((float)n * 0.0007f));
        stems[2 * n] = level * random_float(&seed);
        stems[2 * n + 1] = 0.3f * level * random_float(&seed);
        if (n % 1237 == 5) stems[2 * n + n % 2] = n % 3 ? 90.0f : -90.0f;
    }
    return stems;
}

static hed_synth_instrument_def plain(void)
{
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    def.gain = 0;
    def.limit = 0;
    def.limit_release = 0.1f;
    return def;
}

Test(synth_mix, passes_what_is_quiet_with_its_bits)
{
    float *stems = hostile(1);
    for (uint32_t i = 0; i < 2 * FRAMES; i++) stems[i] *= 0.01f;
    hed_synth_instrument_def def = plain();
    mixed *out = mix_of(stems, &def, 256);
    uint32_t late = out->report.latency;
    CHECK(late > 0 && late < RATE / 100);
    for (uint32_t n = late; n < FRAMES; n++) {
        CHECK(out->left[n] == stems[2 * (n - late)], "frame %u", n);
        CHECK(out->right[n] == stems[2 * (n - late) + 1], "frame %u", n);
    }
    CHECK(out->report.reduction == 0 && out->report.breaks == 0);
    free(out);
    free(stems);
}

Test(synth_mix, never_a_sample_above_the_limit)
{
    static const float limits[] = {0, -0.1f, -6, -40};
    for (uint32_t seed = 0; seed < 4; seed++) {
        float *stems = hostile(seed + 7);
        hed_synth_instrument_def def = plain();
        def.limit = limits[seed];
        def.gain = 6;
        mixed *out = mix_of(stems, &def, 64);
        float most = hed_exp(def.limit * 0.11512925f), peak = 0;
        for (uint32_t n = 0; n < FRAMES; n++) {
            CHECK(fabsf(out->left[n]) <= most && fabsf(out->right[n]) <= most, "frame %u: %g %g", n,
                (double)out->left[n], (double)out->right[n]);
            if (fabsf(out->left[n]) > peak) peak = fabsf(out->left[n]);
        }
        CHECK(peak > 0.99f * most, "it takes away more than it has to: %g of %g", (double)peak,
            (double)most);
        CHECK(out->report.peak > 150 && out->report.reduction > 20);
        free(out);
        free(stems);
    }
}

/* The gain by its definition, in double precision and with a search through the window for each
 * sample. */
Test(synth_mix, gain_is_the_mean_of_the_least_that_peaks_ask_for)
{
    float *stems = hostile(3);
    hed_synth_instrument_def def = plain();
    mixed *out = mix_of(stems, &def, 256);
    uint32_t window = out->report.latency + 1;
    double *wanted = calloc(FRAMES, sizeof *wanted), *envelope = calloc(FRAMES, sizeof *envelope);
    double last = 1, release = 1 / (def.limit_release * RATE);
    for (uint32_t n = 0; n < FRAMES; n++) {
        double peak = fmax(fabs(stems[2 * n]), fabs(stems[2 * n + 1])), least = 1;
        wanted[n] = peak > 1 ? 1 / peak : 1;
        for (uint32_t k = n >= window ? n - window + 1 : 0; k <= n; k++)
            least = fmin(least, wanted[k]);
        last = fmin(least, last + (1 - last) * release);
        envelope[n] = last;
    }
    for (uint32_t n = window; n < FRAMES; n++) {
        double mean = 0;
        for (uint32_t k = n - window + 1; k <= n; k++) mean += envelope[k] / window;
        CHECK(mean <= wanted[n - window + 1] + 1e-12);
        CHECK_NEAR(out->left[n], mean * stems[2 * (n - window + 1)], 1e-4, "frame %u", n);
    }
    free(wanted);
    free(envelope);
    free(out);
    free(stems);
}

/* A peak turns the rest down within the look-ahead, without a step, and it comes back with the
 * release time. */
Test(synth_mix, gain_moves_without_a_step)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t n = 0; n < FRAMES; n++)
        stems[2 * n] = stems[2 * n + 1] = n == 20000 ? 4.0f : 0.5f;
    hed_synth_instrument_def def = plain();
    mixed *out = mix_of(stems, &def, 256);
    uint32_t late = out->report.latency, at = 20000 + late;
    for (uint32_t n = late + 1; n < FRAMES; n++) {
        if (n == at || n == at + 1) continue; /* the peak itself */
        CHECK(fabsf(out->left[n] - out->left[n - 1]) < 0.51f / (float)late, "frame %u", n);
    }
    CHECK(out->left[at] <= 1.0f && out->left[at] > 0.999f);
    CHECK(out->left[at - late - 1] == 0.5f, "it looks further ahead than it says");
    float after = out->left[at + late + (uint32_t)(def.limit_release * RATE)];
    CHECK_NEAR(after, 0.5 * (1 - 0.75 * exp(-1)), 0.005);
    CHECK(out->left[FRAMES - 1] < 0.5f && out->left[FRAMES - 1] > 0.498f);
    free(out);
    free(stems);
}

/* A changed instrument may have another gain. */
Test(synth_mix, gain_changes_without_a_step)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    static float left[FRAMES], right[FRAMES];
    for (uint32_t n = 0; n < FRAMES; n++) stems[2 * n] = 0.5f;
    hed_synth_instrument_def def = plain();
    synth_mix *mix = make(&def);
    synth_mix_run(mix, stems, 1, 1, 10000, &(synth_mix_out){left, right, FRAMES});
    def.gain = -20;
    synth_mix_adopt(mix, &def);
    synth_mix_run(
        mix, stems + 20000, 1, 1, 1000, &(synth_mix_out){left + 10000, right + 10000, FRAMES});
    def.gain = -6;
    synth_mix_adopt(mix, &def); /* on the way to the other one */
    synth_mix_run(mix, stems + 22000, 1, 1, FRAMES - 11000,
        &(synth_mix_out){left + 11000, right + 11000, FRAMES});
    CHECK(left[9000] == 0.5f && left[11000] < 0.45f);
    CHECK(left[FRAMES - 1] == 0.5f * hed_exp(-6 * 0.11512925f));
    for (uint32_t n = 200; n < FRAMES; n++)
        CHECK(fabsf(left[n] - left[n - 1]) < 0.0003f, "frame %u", n);
    synth_mix_destroy(mix);
    free(stems);
}

/* What comes back from a peak comes back whole. */
Test(synth_mix, recovers_to_the_bit)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t n = 0; n < FRAMES; n++) stems[2 * n] = n == 100 ? 1.5f : 0.3f;
    hed_synth_instrument_def def = plain();
    def.limit_release = 0.01f;
    mixed *out = mix_of(stems, &def, 256);
    CHECK(out->left[200] < 0.3f);
    CHECK(out->left[FRAMES - 1] == 0.3f);
    free(out);
    free(stems);
}

Test(synth_mix, sound_does_not_depend_on_blocks)
{
    static const uint32_t blocks[] = {1, 7, 64, 480, SYNTH_MIX_HOLD, 65536};
    float *stems = hostile(5);
    stems[2 * 9000] = NAN;
    stems[2 * 30001 + 1] = INFINITY;
    hed_synth_instrument_def def = plain();
    mixed *whole = mix_of(stems, &def, 256);
    CHECK(whole->opened == 9000 && whole->report.breaks == 2, "opened at %u, %u times",
        whole->opened, whole->report.breaks);
    for (uint32_t i = 0; i < 6; i++) {
        mixed *out = mix_of(stems, &def, blocks[i]);
        CHECK(memcmp(out->left, whole->left, sizeof out->left) == 0 &&
                  memcmp(out->right, whole->right, sizeof out->right) == 0,
            "blocks of %u", blocks[i]);
        CHECK(out->opened == whole->opened && out->report.breaks == 2 &&
              out->report.muted == 2 * SYNTH_MIX_HOLD);
        CHECK(out->report.peak == whole->report.peak &&
              out->report.reduction == whole->report.reduction);
        free(out);
    }
    free(whole);
    free(stems);
}

/* A slow sine, so that whatever jumps is the breaker's. */
static float *sine(float level)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t n = 0; n < FRAMES; n++)
        stems[2 * n] = stems[2 * n + 1] = level * sinf((float)n * 0.002f);
    return stems;
}

Test(synth_mix, breaker_mutes_and_recovers_without_a_click)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -1e7f};
    for (uint32_t i = 0; i < 5; i++) {
        float *stems = sine(0.9f);
        stems[2 * 20000 + i % 2] = bad[i];
        hed_synth_instrument_def def = plain();
        mixed *out = mix_of(stems, &def, 256);
        uint32_t late = out->report.latency;
        CHECK(
            out->opened == 20000 && out->report.breaks == 1 && out->report.muted == SYNTH_MIX_HOLD);
        CHECK(out->report.peak <= 0.9f, "what was not let through counts as peak: %g",
            (double)out->report.peak);
        for (uint32_t n = 1; n < FRAMES; n++) {
            CHECK(isfinite(out->left[n]) && isfinite(out->right[n]));
            CHECK(fabsf(out->left[n] - out->left[n - 1]) < 0.0018f + 0.9f / (float)late + 1e-5f,
                "frame %u", n);
            if (n > 20000 + late && n < 20000 + SYNTH_MIX_HOLD + late)
                CHECK(out->left[n] == 0.0f && out->right[n] == 0.0f, "frame %u", n);
        }
        for (uint32_t n = 20000 + SYNTH_MIX_HOLD + 2500 + late; n < FRAMES; n++)
            CHECK(out->left[n] == stems[2 * (n - late)], "frame %u", n);
        free(out);
        free(stems);
    }
}

/* Growth without end is caught long before it is infinite; what is merely far too loud is the
 * limiter's business. */
Test(synth_mix, breaker_knows_running_away_from_loud)
{
    float *stems = sine(30.0f);
    hed_synth_instrument_def def = plain();
    mixed *loud = mix_of(stems, &def, 256);
    CHECK(loud->report.breaks == 0);
    float grown = 0;
    for (uint32_t n = 0; n < FRAMES; n++)
        stems[2 * n] = (n % 2 ? -1.0f : 1.0f) * 1e-6f * powf(1.002f, (float)n);
    mixed *away = mix_of(stems, &def, 256);
    CHECK(away->report.breaks >= 1 && away->opened < 12000, "opened at %u", away->opened);
    grown = fabsf(stems[2 * away->opened]);
    CHECK(grown < 1000, "it has grown to %g", (double)grown);
    free(loud);
    free(away);
    free(stems);
}

/* An instrument that is broken again at once: the breaker opens once for each rest and not for each
 * sample. */
Test(synth_mix, breaker_waits)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t i = 0; i < 2 * FRAMES; i++) stems[i] = NAN;
    hed_synth_instrument_def def = plain();
    mixed *out = mix_of(stems, &def, 256);
    CHECK(out->report.breaks == FRAMES / SYNTH_MIX_HOLD && out->report.muted == FRAMES);
    for (uint32_t n = 0; n < FRAMES; n++) CHECK(out->left[n] == 0.0f && out->right[n] == 0.0f);
    free(out);
    free(stems);
}

Test(synth_mix, voices_and_stems_are_summed_in_order)
{
    enum { INSTANCES = 3, STEMS = 2 };
    /* Not the same in any other order: 2^24 swallows a 1. */
    static const float stems[INSTANCES * STEMS * 2] = {
        16777216, 2, 1, 0, 1, 0, -16777216, 16777216, 1, 1, 0, -16777216};
    hed_synth_instrument_def def = plain();
    def.gain = -200;
    synth_mix *mix = make(&def);
    float sums[2] = {0, 0}, gain = hed_exp(def.gain * 0.11512925f), left[256], right[256];
    for (uint32_t i = 0; i < INSTANCES * STEMS * 2; i++) sums[i % 2] += stems[i];
    CHECK(sums[0] == 1 && sums[1] == 4);
    synth_mix_run(mix, stems, INSTANCES, STEMS, 1, &(synth_mix_out){left, right, FRAMES});
    float silent[INSTANCES * STEMS * 2] = {0};
    for (uint32_t n = 1; n < 256; n++)
        synth_mix_run(
            mix, silent, INSTANCES, STEMS, 1, &(synth_mix_out){left + n, right + n, FRAMES});
    uint32_t late = synth_mix_latency(mix);
    CHECK(left[late] == sums[0] * gain && right[late] == sums[1] * gain);
    synth_mix_reset(mix);
    synth_mix_run(mix, silent, INSTANCES, STEMS, 1, &(synth_mix_out){left, right, FRAMES});
    CHECK(left[0] == 0 && right[0] == 0);
    synth_mix_destroy(mix);
}

Test(synth_mix, what_nobody_hears_is_zero)
{
    float *stems = calloc(2 * FRAMES, sizeof *stems);
    for (uint32_t i = 0; i < 2 * FRAMES; i++) stems[i] = 1e-30f;
    hed_synth_instrument_def def = plain();
    mixed *out = mix_of(stems, &def, 256);
    for (uint32_t n = 0; n < FRAMES; n++) CHECK(out->left[n] == 0.0f);
    free(out);
    free(stems);
}

/* ---- a whole synth that is broken while it plays ---- */

enum { PLAYED = 30000, BROKEN = 5000 };

typedef struct played {
    float left[PLAYED], right[PLAYED], stems[2][PLAYED];
    hed_synth_info report;
} played;

/* A string with a pluck for each note, and an input through which something comes in that is no
 * number. */
static hed_synth_instrument *fragile(void)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_generated string;
    hed_synth_entity pluck, input, microphone;
    OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    grid.size[0] = 12;
    grid.anchor_ends[0][0] = grid.anchor_ends[0][1] = true;
    grid.spring.rest_length = -0.5f;
    grid.body.damping = 2;
    grid.tune = 300;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "string", &string, &error));
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_PLECTRUM);
    OK(hed_synth_instrument_add(instrument, &def, "pluck", &pluck, &error));
    def = hed_default_synth_entity_def(HED_SYNTH_AUDIO_INPUT);
    OK(hed_synth_instrument_add(instrument, &def, "input", &input, &error));
    def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone.position[2] = 0.1f;
    OK(hed_synth_instrument_add(instrument, &def, "microphone", &microphone, &error));
    OK(hed_synth_instrument_link(instrument, pluck, string.first_body + 3, 1, &error));
    OK(hed_synth_instrument_link(instrument, input, string.first_body + 6, 1, &error));
    OK(hed_synth_instrument_link(instrument, microphone, string.first_body + 5, 1, &error));
    return instrument;
}

/* The note of sample 6900 falls into the rest, and so does the end of the first. */
static const struct {
    uint32_t sample;
    uint8_t bytes[3];
} keys[] = {{100, {0x90, 60, 90}}, {6000, {0x80, 60, 0}}, {6900, {0x90, 62, 120}},
    {20000, {0x90, 64, 80}}, {20000, {0x80, 62, 0}}};

static played *play(hed_device *device, const hed_synth_instrument *instrument, uint32_t block)
{
    hed_error error = {0};
    hed_synth *synth;
    played *p = calloc(1, sizeof *p);
    float *input = calloc(PLAYED, sizeof *input);
    input[BROKEN] = NAN;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.block = block;
    def.inputs = 1;
    OK(hed_synth_create(device, &def, &synth, &error));
    for (uint32_t first = 0; first < PLAYED; first += block) {
        hed_synth_event events[5];
        hed_synth_block b = {.frames = PLAYED - first < block ? PLAYED - first : block,
            .left = p->left + first, .right = p->right + first};
        b.events = events;
        for (uint32_t i = 0; i < 5; i++)
            if (keys[i].sample >= first && keys[i].sample < first + b.frames) {
                events[b.event_count] = (hed_synth_event){
                    .frame = keys[i].sample - first, .kind = HED_SYNTH_EVENT_MIDI};
                memcpy(events[b.event_count++].bytes, keys[i].bytes, 3);
            }
        b.inputs = (const float *const[]){input + first};
        b.stems = (float *const[]){p->stems[0] + first, p->stems[1] + first};
        OK(hed_synth_process(synth, &b, &error));
    }
    p->report = hed_synth_describe(synth);
    hed_synth_destroy(synth);
    free(input);
    return p;
}

Test(synth_mix, a_broken_synth_recovers_at_the_same_samples_in_any_block)
{
    static const uint32_t blocks[] = {1, 100, 4801, PLAYED};
    test_device t = test_open(NULL);
    hed_synth_instrument *instrument = fragile();
    played *whole = play(t.device, instrument, 256);
    uint32_t late = whole->report.latency;
    float before = 0, after = 0;
    CHECK(whole->report.breaks == 1 && whole->report.muted == SYNTH_MIX_HOLD &&
          whole->report.samples == PLAYED);
    for (uint32_t n = 0; n < PLAYED; n++) {
        CHECK(isfinite(whole->left[n]) && isfinite(whole->stems[0][n]) &&
                  isfinite(whole->stems[1][n]),
            "frame %u", n);
        if (n > BROKEN + 10 + late && n < BROKEN + SYNTH_MIX_HOLD)
            CHECK(whole->left[n] == 0.0f && whole->stems[0][n] == 0.0f, "frame %u", n);
        if (n < BROKEN) before = fmaxf(before, fabsf(whole->left[n]));
        if (n > 20000) after = fmaxf(after, fabsf(whole->left[n]));
    }
    CHECK(before > 1e-3f && after > 1e-3f, "%g before, %g after", (double)before, (double)after);
    for (uint32_t i = 0; i < 4; i++) {
        played *p = play(t.device, instrument, blocks[i]);
        CHECK(memcmp(p->left, whole->left, sizeof p->left) == 0 &&
                  memcmp(p->right, whole->right, sizeof p->right) == 0,
            "blocks of %u", blocks[i]);
        CHECK(memcmp(p->stems, whole->stems, sizeof p->stems) == 0, "stems in blocks of %u",
            blocks[i]);
        free(p);
    }
    free(whole);
    hed_synth_instrument_destroy(instrument);
    test_close(&t);
}

Test(synth_mix, memory_runs_out)
{
    test_allocator counting = {.fail_at = 1};
    hed_allocator allocator = test_allocator_of(&counting);
    hed_synth_instrument_def def = plain();
    synth_mix *mix;
    hed_error error = {0};
    FAILS(HED_ERROR_MEMORY,
        synth_mix_create(&allocator, &def, RATE, NULL, SYNTH_MIX_WHOLE, &mix, &error));
    counting = (test_allocator){0};
    OK(synth_mix_create(&allocator, &def, RATE, NULL, SYNTH_MIX_WHOLE, &mix, &error));
    synth_mix_destroy(mix);
    synth_mix_destroy(NULL);
    CHECK(counting.live == 0 && counting.bytes == 0);
}

/* ---- what is cut off ---- */

/* Of two instances at 0.25 and 0.5 one is cut off: it falls to 1/e in 2 ms, without a step; the
 * other stays. */
Test(synth_mix, what_is_cut_off_fades)
{
    enum { BEFORE = 300, AFTER = 4800 };
    static float stems[(BEFORE + AFTER) * 4], left[BEFORE + AFTER], right[BEFORE + AFTER];
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    synth_mix *mix = make(&def);
    for (uint32_t n = 0; n < BEFORE + AFTER; n++) {
        stems[4 * n] = n < BEFORE ? 0.25f : 0.0f;
        stems[4 * n + 2] = stems[4 * n + 3] = 0.5f;
    }
    synth_mix_run(mix, stems, 2, 1, BEFORE, &(synth_mix_out){left, right, FRAMES});
    synth_mix_cut(mix, 1);
    synth_mix_run(mix, stems + 4 * BEFORE, 2, 1, AFTER,
        &(synth_mix_out){left + BEFORE, right + BEFORE, FRAMES});
    uint32_t late = synth_mix_latency(mix), end = BEFORE + late;
    for (uint32_t n = late; n < BEFORE + AFTER; n++) {
        float expected = n < end ? 0.75f : 0.5f + 0.25f * expf(-(float)(n - end + 1) / 96.0f);
        CHECK_NEAR(left[n], expected, 1e-5, "sample %u: %g, expected %g", n, left[n], expected);
        CHECK_NEAR(right[n], 0.5f, 1e-6, "sample %u", n);
    }
    CHECK_EQ(left[BEFORE + AFTER - 1], 0.5f);
    synth_mix_destroy(mix);
}
