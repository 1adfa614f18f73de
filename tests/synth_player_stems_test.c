/* Stems of players: microphones by themselves, in time with the mix, whatever plays. */
#include "synth_player.h"

#include <math.h>

enum { FRAMES = 9000, STEMS = 50 };

static float left[FRAMES], right[FRAMES], stems[2 * STEMS][FRAMES], inputs[STEMS][FRAMES];
static float *rows[2 * STEMS];

static hed_synth_player *open_player(void)
{
    hed_error error = {0};
    hed_synth_player *player;
    hed_synth_player_def def = hed_default_synth_player_def();
    def.rate = 48000;
    def.inputs = def.stems = STEMS;
    for (uint32_t k = 0; k < 2 * STEMS; k++) rows[k] = stems[k];
    OK(hed_synth_player_create(&def, &player, &error));
    return player;
}

static void load(hed_synth_player *player, const char *text)
{
    hed_error error = {0};
    OK(hed_synth_player_load_text(player, text, strlen(text), "a test's", &error));
}

/* Plays from a frame on, in runs of changing size. */
static void run(hed_synth_player *player, uint32_t first, uint32_t end, const float *const *from)
{
    uint32_t state = 7, frames;
    for (; first < end; first += frames) {
        float *at[2 * STEMS];
        frames = 1 + player_draw(&state, 700);
        if (frames > end - first) frames = end - first;
        for (uint32_t k = 0; k < 2 * STEMS; k++) at[k] = stems[k] + first;
        hed_synth_player_run_stems(player, frames, from, left + first, right + first, at);
    }
}

static void expect_sum(uint32_t first, uint32_t end, uint32_t microphones)
{
    double loudest = 0;
    for (uint32_t n = first; n < end; n++) {
        double sum[2] = {0, 0};
        for (uint32_t k = 0; k < 2 * STEMS; k++) {
            sum[k & 1] += (double)stems[k][n];
            CHECK(k < 2 * microphones || stems[k][n] == 0, "stem %u sounds", k);
        }
        EXPECT_LT(fabs(sum[0] - (double)left[n]), 1e-6, "frame %u, left: %g", n, (double)left[n]);
        EXPECT_LT(fabs(sum[1] - (double)right[n]), 1e-6, "frame %u, right: %g", n, (double)right[n]);
        loudest = fmax(loudest, fabs((double)left[n]));
    }
    CHECK(loudest > 1e-4 && loudest < 0.8, "peak %g", loudest);
}

static void strike(hed_synth_player *player, uint8_t key)
{
    hed_synth_player_midi(player, 100, (const uint8_t[]){0x90, key, 70}, 3);
}

Test(synth_player_stems, the_mix_is_their_sum)
{
    hed_error error = {0};
    static const char *const names[] = {"data/instruments/harp.json", "data/instruments/vibes.json"};
    for (size_t i = 0; i < HED_COUNT(names); i++) {
        hed_synth_player *player = open_player();
        char name[64];
        OK(hed_synth_player_load(player, names[i], &error));
        strike(player, 60);
        hed_synth_player_turn(player, 500, HED_SYNTH_KNOB_GAIN, -5);
        run(player, 0, FRAMES, NULL);
        expect_sum(0, FRAMES, 2);
        CHECK(hed_synth_player_microphone(player, 1, name, sizeof name) && name[0], "no name");
        CHECK(!hed_synth_player_microphone(player, 2, name, sizeof name) && !name[0], "%s", name);
        hed_synth_player_destroy(player);
    }
}

Test(synth_player_stems, layers_have_theirs_one_after_the_other)
{
    hed_synth_player *player = open_player();
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "{\"version\": 1, \"instrument\": {\"gain\": -2}, \"layers\": [{\"name\": \"a\", \"instrument\": %s}, "
                "{\"name\": \"b\", \"gain\": -7, \"instrument\": %s}]}", player_voices, player_single);
    fclose(to);
    load(player, text);
    strike(player, 50);
    run(player, 0, FRAMES, NULL);
    expect_sum(0, FRAMES, 2);
    char name[64];
    CHECK(hed_synth_player_microphone(player, 1, name, sizeof name), "one microphone");
    EXPECT_TEXT(name, "b/ear");
    hed_synth_player_destroy(player);
    free(text);
}

Test(synth_player_stems, another_instrument_takes_over_in_all)
{
    hed_synth_player *player = open_player();
    load(player, player_single);
    strike(player, 50);
    run(player, 0, FRAMES / 2, NULL);
    load(player, player_voices);
    run(player, FRAMES / 2, FRAMES, NULL);
    expect_sum(0, FRAMES / 2, 1);
    /* the mix of the new instrument is silent for its look-ahead, in which the former one fades */
    for (uint32_t n = FRAMES / 2 + 1; n < FRAMES; n++)
        EXPECT_LT(fabs((double)stems[0][n] - (double)stems[0][n - 1]), 0.1, "a click at frame %u", n);
    hed_synth_player_destroy(player);
}

Test(synth_player_stems, fifty_inputs_reach_their_fifty_microphones_alone)
{
    hed_synth_player *player = open_player();
    char *text = player_fifty();
    const float *from[STEMS];
    load(player, text);
    for (uint32_t at = 0; at < STEMS; at += 7) {
        for (uint32_t n = 0; n < FRAMES; n++) inputs[at][n] = (float)sin(0.06 * n);
        for (uint32_t i = 0; i < STEMS; i++) from[i] = i == at ? inputs[at] : NULL;
        hed_synth_player_reset(player);
        hed_synth_player_run_stems(player, FRAMES, from, left, right, rows);
        for (uint32_t k = 0; k < 2 * STEMS; k++) {
            double loudest = 0;
            for (uint32_t n = 0; n < FRAMES; n++)
                loudest = fmax(loudest, fabs((double)stems[k][n]));
            CHECK(k / 2 == at ? loudest > 1e-3 : loudest < 1e-7, "input %u: %g in channel %u", at,
                loudest, k);
        }
    }
    free(text);
    hed_synth_player_destroy(player);
}

Test(synth_player_stems, no_instrument_is_silence_and_too_many_are_refused)
{
    hed_error error = {0};
    hed_synth_player *player = open_player();
    stems[99][3] = 1;
    hed_synth_player_run_stems(player, 10, NULL, left, right, rows);
    EXPECT_EQ(stems[99][3], 0.0f);
    hed_synth_player_destroy(player);
    hed_synth_player_def def = hed_default_synth_player_def();
    def.stems = 65;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_player_create(&def, &player, &error));
}
