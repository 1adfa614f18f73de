/* Presets keep their rules at their lowest and highest notes; synth_sounds_all measures every note. */
#include "synth_sounds.h"

static judge player;

static void expect_facts(const sound_file *file, void *user)
{
    (void)user;
    sound_expect_facts(file);
}

Test(synth_sounds, presets_have_a_family_two_lines_four_macros_and_a_phrase)
{
    EXPECT_EQ(sound_each(expect_facts, NULL), 60u);
}

/* Bows, which have to settle for a second, are left to synth_sounds_all. Machines may start slowly. */
static void expect_some_notes(const sound_file *file, void *user)
{
    if (strcmp(file->family, "bowed") == 0) return;
    judge_open(&player, user, file->path);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(player.instrument);
    double levels[2];
    for (int k = 0; k < 2; k++) {
        uint8_t key = k ? def->high : def->low;
        judge_sound sound = {0};
        bool is_slow = strcmp(file->family, "strange machines") == 0;
        judge_note note = {key, 100, 0, is_slow ? 1.4 : 0.5, false};
        judge_play_note(&player, &note);
        judge_pitch(&player, &note, &sound);
        sound_expect_pitch(file, key, &sound);
        levels[k] = judge_level(&player, judge_loudest(&player), JUDGE_SPAN);
    }
    sound_expect_levels(file, 100, fmin(levels[0], levels[1]), fmax(levels[0], levels[1]));
    judge_close(&player);
}

Test(synth_sounds, presets_are_in_tune_and_even, .timeout = 1200)
{
    test_device t = test_open(NULL);
    EXPECT_GE(sound_each(expect_some_notes, t.device), 20u);
    test_close(&t);
}
