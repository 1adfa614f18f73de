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

/* ---- felts ---- */

/* Greatest common divisor of the number of a string's springs and of the places that dampers touch. */
typedef struct felt_string {
    const char *name;
    uint32_t divisor, touched;
} felt_string;

static void touch_string(felt_string *string, const char *target)
{
    size_t length = strlen(string->name);
    unsigned place;
    if (strncmp(target, string->name, length) != 0 || sscanf(target + length, "[%u]", &place) != 1)
        return;
    string->touched++;
    for (uint32_t swap; place;
         swap = string->divisor % place, string->divisor = place, place = swap) {}
}

static bool is_damper(hed_json_node root, const char *name)
{
    hed_json_node dampers = hed_json_member(root, "dampers");
    for (size_t i = 0; i < hed_json_count(dampers); i++)
        if (strcmp(hed_json_string(hed_json_member(hed_json_item(dampers, i), "name")), name) == 0)
            return true;
    return false;
}

static void touch_by_links(hed_json_node root, felt_string *string)
{
    hed_json_node links = hed_json_member(root, "links");
    for (size_t i = 0; i < hed_json_count(links); i++) {
        hed_json_node from = hed_json_member(hed_json_item(links, i), "from"),
                      to = hed_json_member(hed_json_item(links, i), "to");
        if (hed_json_kind_of(from) != HED_JSON_STRING || !is_damper(root, hed_json_string(from)))
            continue;
        if (hed_json_kind_of(to) == HED_JSON_STRING) touch_string(string, hed_json_string(to));
        else
            for (size_t k = 0; k < hed_json_count(to); k++)
                touch_string(string, hed_json_string(hed_json_item(to, k)));
    }
}

static uint32_t expect_felts(const char *path)
{
    hed_error error = {0};
    hed_json *json;
    uint32_t felted = 0;
    OK(hed_json_read(path, &json, &error));
    hed_json_node root = hed_json_root(json);
    for (size_t i = 0;
         hed_json_has(root, "dampers") && i < hed_json_count(hed_json_member(root, "grids")); i++) {
        hed_json_node grid = hed_json_item(hed_json_member(root, "grids"), i);
        if (strcmp(hed_json_string(hed_json_member(grid, "kind")), "string") != 0) continue;
        felt_string string = {hed_json_string(hed_json_member(grid, "name")),
            (uint32_t)hed_json_integer(hed_json_member(grid, "size"), 2, 1000) - 1, 0};
        touch_by_links(root, &string);
        if (string.touched < 2) continue;
        felted++;
        EXPECT_EQ(string.divisor, 1u, "%s, %s: every partial that is a multiple of its springs over %u "
            "has a node at all felts", path, string.name, string.divisor);
    }
    hed_json_free(json);
    return felted;
}

/* No partial has a node at all felts of its string: it would ring on for seconds after the note. */
Test(synth_sounds, felts_reach_all_partials)
{
    glob_t found;
    uint32_t felted = 0;
    CHECK_EQ(glob("data/instruments/*.json", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) felted += expect_felts(found.gl_pathv[i]);
    globfree(&found);
    EXPECT_GE(felted, 80u);
}

/* ---- notes ---- */

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
