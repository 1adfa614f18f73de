/* ctest: full long */
/* Every preset at every note: pitch and level at three velocities, damping, chords, rest. `--verbose`
 * prints the table of docs/synth-presets.md. HEDDLE_PRESETS='guitar:40-52' judges these notes of the
 * guitar alone, HEDDLE_PRESETS='h*' the presets whose names begin with h. */
#include "synth_sounds.h"

static judge player;

/* Results of a preset for the table. */
typedef struct sound_row {
    double cents;       /* largest distance from the pitch */
    double spread;      /* largest distance of a level from the middle of its velocity, dB */
    double decay[2];    /* T60 of the lowest and the highest note at velocity 100, s */
    double centroid[2]; /* of the middle note at velocities 30 and 127, Hz */
    double second;      /* loudest line of a sustained note that is no partial, dB */
    double partials[3]; /* of the middle note */
    double load[2];     /* of twelve voices, and of none a few seconds later; fractions of a core */
} sound_row;

/* Duration of a note: a bow takes a second to settle, a breath half of one, and low pitches need as
 * long to be told apart by a cent. */
static double seconds_of(const sound_file *file, uint8_t key)
{
    double settle = strcmp(file->family, "bowed") == 0                      ? 2
                    : strcmp(file->family, "blown by noise and delay") == 0 ? 1
                    : strcmp(file->family, "strange machines") == 0         ? 1.4
                                                                            : 0;
    return fmax(settle, fmin(1.4, fmax(0.5, 100 / judge_frequency(key))));
}

static void measure_velocity(
    const sound_file *file, uint8_t velocity, uint8_t low, uint8_t high, sound_row *row)
{
    double lowest = 1e9, highest = -1e9;
    for (uint8_t key = low; key <= high; key++) {
        judge_note note = {key, velocity, 0, seconds_of(file, key), false};
        if (velocity == 100 && (key == low || key == high)) note.seconds = 4;
        judge_sound sound = judge_measure(&player, &note);
        sound_expect_pitch(file, key, &sound);
        row->cents = fmax(row->cents, fabs(sound.cents));
        row->second = fmax(row->second, sound.second);
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

/* Processor time of twelve notes over the range, and of the rest that follows. */
static void measure_load(uint8_t low, uint8_t high, sound_row *row)
{
    hed_synth_event events[12];
    for (int k = 0; k < 12; k++)
        events[k] = judge_message(0, 0x90, (uint8_t)(low + k * (high - low) / 11), 100);
    judge_play(&player, events, 12, 0.1);
    row->load[0] = judge_load(&player, 0.5);
    judge_play_note(&player, &(judge_note){low, 100, 0.2, 7.2, false});
    row->load[1] = judge_load(&player, 2);
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
    sound_row row = {.second = -200};
    sound_choice choice = sound_choose();
    clock_t start = clock();
    judge_open(&player, part->device, file->path);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(player.instrument);
    uint8_t low = (uint8_t)(choice.low > def->low ? choice.low : def->low),
            high = (uint8_t)(choice.high < def->high ? choice.high : def->high);
    for (int k = 0; k < 3; k++)
        measure_velocity(file, (uint8_t[]){30, 100, 127}[k], low, high, &row);
    for (uint8_t key = low; key <= high; key += 6) sound_expect_damping(&player, file, key);
    for (uint8_t key = low; key + 12 <= high; key += 3) sound_expect_headroom(&player, file, key);
    for (int k = 0; k < 3; k++)
        sound_expect_rest(&player, file, (uint8_t)(low + k * (high - low) / 2));
    measure_load(low, high, &row);
    test_note("| `%s` | %u to %u | %.1f | %.1f | %.2f, %.2f | %.0f, %.0f | %.2f, %.2f, %.2f | %.0f |",
        file->name, low, high, row.cents, row.spread, row.decay[0], row.decay[1], row.centroid[0],
        row.centroid[1], row.partials[0], row.partials[1], row.partials[2], 100 * row.load[0]);
    test_note("%s: second series %.1f dB, at rest %.3f %% of a core; judged in %.1f s", file->name,
        row.second, 100 * row.load[1], (double)(clock() - start) / CLOCKS_PER_SEC);
    judge_close(&player);
}

static void expect_family(const char *family)
{
    test_device t = test_open(NULL);
    sound_part part = {t.device, family, 0};
    sound_each(expect_all_notes, &part);
    if (part.played == 0 && getenv("HEDDLE_PRESETS")) test_skip("HEDDLE_PRESETS has none of %s", family);
    EXPECT_GE(part.played, 1u, "%s", family);
    test_close(&t);
}

Test(synth_sounds_all, plucked, .timeout = 7200) { expect_family(sound_families[0]); }
Test(synth_sounds_all, bowed, .timeout = 7200) { expect_family(sound_families[1]); }
Test(synth_sounds_all, struck_bars, .timeout = 7200) { expect_family(sound_families[2]); }
Test(synth_sounds_all, skins_and_plates, .timeout = 7200) { expect_family(sound_families[3]); }
Test(synth_sounds_all, blown, .timeout = 7200) { expect_family(sound_families[4]); }
Test(synth_sounds_all, strange_machines, .timeout = 7200) { expect_family(sound_families[5]); }
