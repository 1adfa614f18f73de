/* The presets of data/instruments that have a family, and the rules that each of them keeps. */
#ifndef HED_TESTS_SYNTH_SOUNDS_H
#define HED_TESTS_SYNTH_SOUNDS_H

#include "synth_judge.h"

#include <fnmatch.h>
#include <glob.h>

#include "support/json.h"

/* One preset file. */
typedef struct sound_file {
    char path[128], name[32];
    const char *family;      /* of `json` */
    const char *description; /* of `json` */
    uint32_t macros;
    hed_json *json;
} sound_file;

static const char *const sound_families[] = {"plucked", "bowed", "struck bars", "skins and plates",
    "blown by noise and delay", "strange machines"};

/* Reads a file of data/instruments; false: it has no family, so that it is no preset. */
static inline bool sound_open(sound_file *file, const char *path)
{
    hed_error error = {0};
    *file = (sound_file){0};
    snprintf(file->path, sizeof file->path, "%s", path);
    const char *base = strrchr(path, '/') + 1;
    snprintf(file->name, sizeof file->name, "%.*s", (int)(strlen(base) - 5), base);
    OK(hed_json_read(path, &file->json, &error));
    hed_json_node root = hed_json_root(file->json);
    if (!hed_json_has(root, "family")) {
        hed_json_free(file->json);
        return false;
    }
    file->family = hed_json_string(hed_json_member(root, "family"));
    file->description = hed_json_string(hed_json_member(root, "description"));
    if (hed_json_has(root, "macros")) file->macros = hed_json_count(hed_json_member(root, "macros"));
    return true;
}

static inline void sound_close(sound_file *file) { hed_json_free(file->json); }

/* Presets and notes to judge, from HEDDLE_PRESETS: a pattern of names, and perhaps ":LOW-HIGH". All if
 * it is unset. */
typedef struct sound_choice {
    char pattern[64];
    unsigned low, high;
} sound_choice;

static inline sound_choice sound_choose(void)
{
    sound_choice choice = {"*", 0, 127};
    const char *text = getenv("HEDDLE_PRESETS");
    if (text) sscanf(text, "%63[^:]:%u-%u", choice.pattern, &choice.low, &choice.high);
    return choice;
}

/* Runs a function with each preset; returns their number. */
static inline uint32_t sound_each(void (*visit)(const sound_file *file, void *user), void *user)
{
    glob_t found;
    uint32_t count = 0;
    sound_choice choice = sound_choose();
    CHECK_EQ(glob("data/instruments/*.json", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        sound_file file;
        if (!sound_open(&file, found.gl_pathv[i])) continue;
        if (fnmatch(choice.pattern, file.name, 0) == 0) visit(&file, user);
        sound_close(&file);
        count++;
    }
    globfree(&found);
    return count;
}

/* ---- rules ---- */

/* Pitch within 3 cents; no second series in the note of a bow or of breath. (The rhythm of a machine has
 * lines next to its partials.) */
static inline void sound_expect_pitch(const sound_file *file, uint8_t key, const judge_sound *sound)
{
    EXPECT_LT(fabs(sound->cents), 3, "%s, note %u: %+.2f cents", file->name, key, sound->cents);
    EXPECT_GT(sound->line, -30, "%s, note %u: the line at the note is at %.1f dB", file->name, key,
        sound->line);
    if (strcmp(file->family, "bowed") != 0 && strcmp(file->family, "blown by noise and delay") != 0)
        return;
    EXPECT_LT(sound->second, -60, "%s, note %u: a line of %.1f dB at %.1f Hz is no partial",
        file->name, key, sound->second, sound->second_hz);
}

/* Levels of one velocity within 3 dB of their middle. */
static inline void sound_expect_levels(
    const sound_file *file, uint8_t velocity, double lowest, double highest)
{
    EXPECT_LE(highest - lowest, 6, "%s, velocity %u: levels from %.1f to %.1f dB", file->name,
        velocity, lowest, highest);
}

/* A released note is 30 dB quieter a second later, and not with the pedal. */
static inline void sound_expect_damping(judge *j, const sound_file *file, uint8_t key)
{
    double released = judge_fall(j, key, 0.3, 1, false),
           pedalled = judge_fall(j, key, 0.3, 1, true);
    EXPECT_GT(
        released, 30, "%s, note %u: %.1f dB in 1 s after note-off", file->name, key, released);
    judge_play_note(j, &(judge_note){key, 100, 0, 1.5, false});
    double held = judge_level(j, 9, 3) - judge_level(j, 52, 3);
    EXPECT_LT(fabs(fmin(pedalled, 60) - fmin(held, 60)), 1,
        "%s, note %u: falls by %.1f dB in 1 s with the pedal, by %.1f dB while held", file->name,
        key, pedalled, held);
}

/* Four notes at velocity 100 stay below the limiter. */
static inline void sound_expect_headroom(judge *j, const sound_file *file, uint8_t low)
{
    uint8_t keys[4] = {low, (uint8_t)(low + 4), (uint8_t)(low + 7), (uint8_t)(low + 12)};
    double peak, reduction = judge_chord(j, keys, 0.6, &peak);
    EXPECT_EQ(reduction, 0.0, "%s: a chord on note %u peaks at %.1f dB, and the limiter takes %.1f dB",
        file->name, low, peak, reduction);
}

/* All of it sleeps 7 s after a short note, and twelve voices cost less than half of one core: a body
 * with two springs takes about 4 ns a sample in plain C (docs/synth.md). */
static inline void sound_expect_rest(judge *j, const sound_file *file, uint8_t key)
{
    judge_play_note(j, &(judge_note){key, 100, 0.2, 7.2, false});
    hed_synth_info info = hed_synth_describe(j->synth);
    EXPECT_GT(info.islands, 0u, "%s: nothing in it can sleep", file->name);
    EXPECT_EQ(info.asleep, info.islands, "%s: %u of %u islands sleep", file->name, info.asleep,
        info.islands);
    EXPECT_EQ(info.breaks, 0u, "%s: the breaker opened", file->name);
    uint32_t parts = info.entities[HED_SYNTH_BODY] + info.entities[HED_SYNTH_SPRING];
    EXPECT_LT(
        12 * parts, 5000u, "%s: twelve voices have %u bodies and springs", file->name, 12 * parts);
}

/* A family, two lines of text, four macros, twelve voices or all notes in one instance, and a phrase
 * of eight bars. */
static inline void sound_expect_facts(const sound_file *file)
{
    hed_error error = {0};
    bool is_known = false;
    for (size_t i = 0; i < sizeof sound_families / sizeof *sound_families; i++)
        is_known |= strcmp(file->family, sound_families[i]) == 0;
    EXPECT(is_known, "%s: family \"%s\"", file->name, file->family);
    const char *line = strchr(file->description, '\n');
    EXPECT(line && !strchr(line + 1, '\n'), "%s: the description has no two lines", file->name);
    EXPECT_EQ(file->macros, 4u, "%s", file->name);
    char song[160];
    hed_synth_midi_file *phrase;
    snprintf(song, sizeof song, "data/music/phrases/%s.mid", file->name);
    OK(hed_synth_midi_file_open(song, &phrase, &error));
    EXPECT_GT(hed_synth_midi_file_seconds(phrase), 7.0, "%s", song);
    hed_synth_midi_file_close(phrase);
}

#endif
