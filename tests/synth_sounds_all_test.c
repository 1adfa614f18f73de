/* ctest: full long */
/* Every preset at every note: pitch and level at three velocities, damping, chords, rest. `--verbose`
 * prints the table of docs/synth-presets.md. */
#include "synth_sounds.h"

static judge player;

/* Results of a preset for the table. */
typedef struct sound_row {
    double cents;       /* largest distance from the pitch */
    double spread;      /* largest distance of a level from the middle of its velocity, dB */
    double decay[2];    /* T60 of the lowest and the highest note at velocity 100, s */
    double centroid[2]; /* of the middle note at velocities 30 and 127, Hz */
    double partials[3]; /* of the middle note */
} sound_row;

static void measure_velocity(
    const sound_file *file, uint8_t velocity, uint8_t low, uint8_t high, sound_row *row)
{
    double lowest = 1e9, highest = -1e9;
    for (uint8_t key = low; key <= high; key++) {
        judge_sound sound = judge_measure(&player, &(judge_note){key, velocity, 0, 2, false});
        sound_expect_pitch(file, key, &sound);
        row->cents = fmax(row->cents, fabs(sound.cents));
        lowest = fmin(lowest, sound.level);
        highest = fmax(highest, sound.level);
        if (velocity == 100 && (key == low || key == high)) row->decay[key == high] = sound.t60;
        if (key != (low + high) / 2) continue;
        if (velocity != 100) row->centroid[velocity > 100] = sound.centroid;
        memcpy(row->partials, sound.partials, sizeof row->partials);
    }
    sound_expect_levels(file, velocity, lowest, highest);
    row->spread = fmax(row->spread, (highest - lowest) / 2);
}

/* Presets of one family, and the device that plays them. */
typedef struct sound_part {
    hed_device *device;
    const char *family;
    uint32_t played;
} sound_part;

static void expect_all_notes(const sound_file *file, void *user)
{
    sound_part *part = user;
    if (strcmp(file->family, part->family) != 0) return;
    part->played++;
    sound_row row = {0};
    judge_open(&player, part->device, file->path);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(player.instrument);
    for (int k = 0; k < 3; k++)
        measure_velocity(file, (uint8_t[]){30, 100, 127}[k], def->low, def->high, &row);
    for (uint8_t key = def->low; key <= def->high; key += 6)
        sound_expect_damping(&player, file, key);
    for (uint8_t key = def->low; key + 12 <= def->high; key++)
        sound_expect_headroom(&player, file, key);
    sound_expect_rest(&player, file, (uint8_t)((def->low + def->high) / 2));
    test_note("| `%s` | %u to %u | %.1f | %.1f | %.2f, %.2f | %.0f, %.0f | %.2f, %.2f, %.2f |",
        file->name, def->low, def->high, row.cents, row.spread, row.decay[0], row.decay[1],
        row.centroid[0], row.centroid[1], row.partials[0], row.partials[1], row.partials[2]);
    judge_close(&player);
}

static void expect_family(const char *family)
{
    test_device t = test_open(NULL);
    sound_part part = {t.device, family, 0};
    sound_each(expect_all_notes, &part);
    EXPECT_GE(part.played, 3u, "%s", family);
    test_close(&t);
}

Test(synth_sounds_all, plucked, .timeout = 7200) { expect_family(sound_families[0]); }
Test(synth_sounds_all, bowed, .timeout = 7200) { expect_family(sound_families[1]); }
Test(synth_sounds_all, struck_bars, .timeout = 7200) { expect_family(sound_families[2]); }
Test(synth_sounds_all, skins_and_plates, .timeout = 7200) { expect_family(sound_families[3]); }
Test(synth_sounds_all, blown, .timeout = 7200) { expect_family(sound_families[4]); }
Test(synth_sounds_all, strange_machines, .timeout = 7200) { expect_family(sound_families[5]); }
