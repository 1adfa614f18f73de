/* Instrument files: what they mean, what is refused and in which words, that saving and loading
 * gives the same again, and that schema and document say what the reader does. */
#include <math.h>

#include "folder.h"
#include "heddle/synth_file.h"
#include "files/instrument_file.h"
#include "support/file.h"

static hed_error error;

TestSuite(synth_file, .init = folder_make, .fini = folder_remove);

static hed_synth_instrument *parse(const char *text)
{
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_parse(text, strlen(text), "i.json", &instrument, &error));
    return instrument;
}

/* ---- equal instruments ---- */

/* The same entity in both: of the same type, at the same place. */
static bool same_entity(const hed_synth_instrument *a, hed_synth_entity in_a,
    const hed_synth_instrument *b, hed_synth_entity in_b)
{
    const synth_place *one = synth_find(a, in_a), *other = synth_find(b, in_b);
    return one && other && one->type == other->type && one->index == other->index;
}

static void compare_type(
    const hed_synth_instrument *a, const hed_synth_instrument *b, uint32_t type)
{
    CHECK(a->counts[type] == b->counts[type], "%u and %u of %s", a->counts[type], b->counts[type],
        hed_synth_entity_type_name(type));
    for (uint32_t i = 0; i < a->counts[type]; i++) {
        hed_synth_entity_def one = {.type = type}, other = {.type = type};
        memcpy(&one.as, synth_element(a, type, i), synth_def_sizes[type]);
        memcpy(&other.as, synth_element(b, type, i), synth_def_sizes[type]);
        for (const hed_field *field = synth_fields[type].rows; field->key; field++) {
            hed_synth_entity in_a, in_b;
            if (!field->size) continue;
            memcpy(&in_a, (char *)&one.as + field->offset, sizeof in_a);
            memcpy(&in_b, (char *)&other.as + field->offset, sizeof in_b);
            bool same = synth_refers(field)
                            ? same_entity(a, in_a, b, in_b)
                            : synth_same_value(field, (char *)&one.as + field->offset,
                                  (char *)&other.as + field->offset);
            CHECK(same, "%s of %s %u", field->key, hed_synth_entity_type_name(type), i);
        }
        const char *name = hed_synth_instrument_name(a, a->ids[type][i]);
        if (name[0]) CHECK_TEXT(name, hed_synth_instrument_name(b, b->ids[type][i]));
    }
}

static void compare(const hed_synth_instrument *a, const hed_synth_instrument *b)
{
    for (const hed_field *field = synth_instrument_fields.rows; field->key; field++)
        CHECK(synth_same_value(
            field, (const char *)&a->def + field->offset, (const char *)&b->def + field->offset));
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) compare_type(a, b, type);
    CHECK(a->link_count == b->link_count && a->modulation_count == b->modulation_count);
    for (uint32_t i = 0; i < a->link_count; i++) {
        const synth_link *one = &a->links[i], *other = &b->links[i];
        CHECK(same_entity(a, one->from, b, other->from) && same_entity(a, one->to, b, other->to));
        CHECK(one->weight == other->weight);
    }
    for (uint32_t i = 0; i < a->modulation_count; i++) {
        const hed_synth_modulation_def *one = &a->modulations[i], *other = &b->modulations[i];
        CHECK(same_entity(a, one->source, b, other->source) &&
              same_entity(a, one->entity, b, other->entity));
        CHECK(one->target == other->target && one->mode == other->mode &&
              one->depth == other->depth && one->invert == other->invert);
    }
}

/* Saves, loads, compares, saves again: the second file is the first to the byte. Gives the file's
 * text. */
static char *round_trip(const hed_synth_instrument *instrument)
{
    hed_synth_instrument *loaded;
    char *first, *second;
    size_t first_size, second_size;
    OK(hed_synth_instrument_save(instrument, in_folder("1.json"), &error));
    OK(hed_synth_instrument_read(in_folder("1.json"), &loaded, &error));
    compare(instrument, loaded);
    OK(hed_synth_instrument_save(loaded, in_folder("2.json"), &error));
    OK(hed_file_read(in_folder("1.json"), 1 << 30, &first, &first_size, &error));
    OK(hed_file_read(in_folder("2.json"), 1 << 30, &second, &second_size, &error));
    CHECK(first_size == second_size && memcmp(first, second, first_size) == 0, "%s\n---\n%s", first,
        second);
    char *printed;
    OK(hed_synth_instrument_print(loaded, &printed, &second_size, &error));
    CHECK(first_size == second_size && memcmp(first, printed, first_size) == 0, "%s", printed);
    hed_synth_instrument_destroy(loaded);
    free(second);
    free(printed);
    return first;
}

/* ---- what it means ---- */

static const char ORCHESTRA[] =
    "{\"version\": 1, \"instrument\": {\"mode\": \"mpe\", \"voices\": 3, \"low\": 20, \"high\": 90, \"gain\": -6},\n"
    "\"bodies\": [{\"name\": \"a\", \"position\": [0, 0, 0], \"anchored\": true}, {\"name\": \"b\", "
    "\"position\": [0.5, 0, 0], \"mass\": 0.25}],\n"
    "\"grids\": [{\"kind\": \"string\", \"name\": \"s\", \"size\": 10, \"origin\": [0, 1, 0], \"step\": [0.5, 0, 0], "
    "\"tune\": 200}, {\"kind\": \"lattice\", \"name\": \"l\", \"size\": [3, 4, 5], \"origin\": [0, 5, 0], "
    "\"step\": 0.25, \"anchor\": [\"first_k\"], \"diagonal\": 7, \"body\": {\"mass\": 0.5, \"damping\": 2}}],\n"
    "\"springs\": [{\"name\": \"ab\", \"from\": \"a\", \"to\": \"b\", \"rest_length\": 0.4}, {\"from\": \"s[3]\", "
    "\"to\": \"l[1,2,3]\"}],\n"
    "\"changes\": [{\"entity\": \"l[0..1,*,4]\", \"mass\": 0.75}, {\"entity\": \"s.springs[2]\", \"cubic\": 5}],\n"
    "\"microphones\": [{\"name\": \"m\", \"position\": [1, 2, 3], \"heard\": false}],\n"
    "\"followers\": [{\"name\": \"f\", \"source\": \"m\"}], \"delay_lines\": [{\"name\": \"d\", \"source\": \"m\", "
    "\"seconds\": 0.5}],\n"
    "\"mallets\": [{\"name\": \"h\", \"route\": {\"channel\": 3}}], \"audio_inputs\": [{\"name\": \"in\"}],\n"
    "\"lfos\": [{\"name\": \"w\", \"wave\": \"hold\"}], \"midi_sources\": [{\"name\": \"cc\", \"number\": 74}],\n"
    "\"links\": [{\"from\": \"m\", \"to\": [\"a\", \"s\", \"l[*,0,0]\"], \"weight\": 0.5}, {\"from\": \"h\", "
    "\"to\": \"b\"}, {\"from\": \"in\", \"to\": \"d\"}],\n"
    "\"modulations\": [{\"source\": \"w\", \"target\": \"s.springs\", \"parameter\": \"stiffness\", "
    "\"mode\": \"exponential\", \"depth\": 0.01, \"invert\": true}, {\"source\": \"f\", \"target\": \"w\", "
    "\"parameter\": \"frequency\"}]}";

Test(synth_file, a_file_is_what_it_says)
{
    hed_synth_instrument *i = parse(ORCHESTRA);
    EXPECT(i->def.mode == HED_SYNTH_VOICES_MPE && i->def.voices == 3 && i->def.low == 20 &&
           i->def.gain == -6);
    EXPECT(i->def.root_note == 60, "what is not said is as usual");
    EXPECT(i->counts[HED_SYNTH_BODY] == 2 + 10 + 60 && i->bodies[1].mass == 0.25f &&
           i->bodies[0].anchored);
    hed_synth_entity b = hed_synth_instrument_find(i, "b"), m = hed_synth_instrument_find(i, "m"),
                     far = hed_synth_instrument_find(i, "l[1,2,3]");
    const hed_synth_body_def *body = &i->bodies[synth_find(i, far)->index];
    EXPECT(body->position[0] == 0.25f && body->position[1] == 5.5f && body->position[2] == 0.75f);
    EXPECT(body->mass == 0.5f && body->damping == 2 && !body->anchored);
    EXPECT(i->bodies[synth_find(i, hed_synth_instrument_find(i, "l[1,2,0]"))->index].anchored);
    for (uint32_t x = 0; x < 3; x++)
        EXPECT(i->bodies[12 + (4 * 4 + 1) * 3 + x].mass == (x < 2 ? 0.75f : 0.5f));
    EXPECT(i->springs[2].cubic == 5 && i->springs[1].cubic == 0);
    const hed_synth_spring_def *last = &i->springs[i->counts[HED_SYNTH_SPRING] - 1];
    EXPECT(last->from == hed_synth_instrument_find(i, "s[3]") && last->to == far &&
           last->rest_length == -1);
    EXPECT(i->springs[0].stiffness != 1000 && i->springs[0].rest_length == -0.5f,
        "tuned, under tension");
    EXPECT(
        i->link_count == 1 + 10 + 3 + 1 + 1 && i->links[0].from == m && i->links[0].weight == 0.5f);
    EXPECT(i->links[14].to == b && i->links[14].weight == 1);
    EXPECT(
        i->modulation_count == 9 + 1 && i->modulations[8].mode == HED_SYNTH_MODULATE_EXPONENTIAL);
    EXPECT(i->modulations[8].entity == i->grids[0].generated.first_spring + 8 &&
           i->modulations[0].invert);
    EXPECT(i->mallets[0].route.channel == 3 && i->mallets[0].route.high == 127 &&
           i->lfos[0].wave == HED_SYNTH_WAVE_HOLD);
    EXPECT(i->midi_sources[0].number == 74 && !i->microphones[0].heard &&
           i->delay_lines[0].source == m);
    free(round_trip(i));
    hed_synth_instrument_destroy(i);
}

Test(synth_file, kinds_of_grids_have_their_defaults)
{
    hed_synth_instrument *i = parse(
        "{\"version\": 1, \"grids\": [{\"kind\": \"string\", \"size\": 3}, {\"kind\": \"membrane\", "
        "\"size\": [3, 3]}, {\"kind\": \"plate\", \"size\": [3, 3], \"anchor\": \"ends\"}, "
        "{\"kind\": \"lattice\", \"size\": [3, 3, 3], \"step\": [[1, 0, 0], [0, 2, 0], "
        "[0, 0, 3]]}, {\"kind\": \"string\", \"size\": 3, \"anchor\": \"none\"}]}");
    static const uint32_t anchors[] = {2, 8, 8, 0, 0}, bodies[] = {3, 9, 9, 27, 3};
    for (uint32_t g = 0, at = 0; g < 5; g++) {
        uint32_t found = 0;
        for (uint32_t n = 0; n < bodies[g]; n++) found += i->bodies[at++].anchored;
        EXPECT(found == anchors[g], "grid %u has %u anchors", g, found);
        EXPECT(i->grids[g].def.spring.rest_length == (g == 0 || g == 1 || g == 4 ? -0.5f : -1.0f));
    }
    EXPECT(i->bodies[3 + 9 + 9 + 26].position[2] == 6 && i->bodies[2].position[0] == 0.02f);
    free(round_trip(i));
    hed_synth_instrument_destroy(i);
}

/* ---- saving and loading ---- */

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static float draw_number(double low, double high)
{
    double share = draw(1 << 20) / (double)(1 << 20);
    if (low > 0) return (float)(low * pow(high / low, share));
    return (float)(low + (high - low) * share);
}

/* Any values within their ranges. */
static void draw_fields(const hed_synth_instrument *instrument, const hed_fields *fields, char *def)
{
    for (const hed_field *field = fields->rows; field->key; field++) {
        void *at = def + field->offset;
        uint32_t word = 0;
        if (field->kind == HED_FIELD_NUMBER) *(float *)at = draw_number(field->low, field->high);
        if (field->kind == HED_FIELD_BOOLEAN) *(bool *)at = draw(2);
        for (uint32_t i = 0; field->kind == HED_FIELD_VECTOR && i < 3; i++)
            ((float *)at)[i] = draw_number(field->low, field->high);
        if (field->fields == &synth_adsr_fields)
            *(hed_synth_adsr *)at = (hed_synth_adsr){
                draw_number(0, 9), draw_number(0, 9), draw_number(0, 1), draw_number(0, 9)};
        if (field->fields == &synth_route_fields)
            *(hed_synth_route *)at =
                (hed_synth_route){(uint8_t)draw(17), 5, (uint8_t)(5 + draw(100))};
        bool whole = field->kind == HED_FIELD_INTEGER && field->size == sizeof word;
        if (whole) word = (uint32_t)field->low + draw((uint32_t)(field->high - field->low) + 1);
        while (field->kind == HED_FIELD_CHOICE && field->words[word + 1] && draw(2)) word++;
        if (synth_refers(field))
            word = hed_synth_instrument_at(
                instrument, field->tag, draw(instrument->counts[field->tag] + 1));
        if (whole || synth_refers(field) || field->kind == HED_FIELD_CHOICE)
            memcpy(at, &word, sizeof word);
    }
}

static hed_synth_entity any(const hed_synth_instrument *instrument)
{
    return 1 + draw(instrument->entity_count + 1);
}

static void add_entity(hed_synth_instrument *i, hed_synth_entity_type type)
{
    static const char *const odd[] = {NULL, NULL, "b\"ack\\slash", "umlaut \xc3\xa4", "line\nbreak",
        "a..b", "x[3]", "body.3", "body.5'", "grid.0", "grid.1[2]", "grid[1]", " "};
    hed_synth_entity_def def = {.type = type};
    hed_synth_entity entity;
    draw_fields(i, &synth_fields[type], (char *)&def.as);
    hed_synth_instrument_add(i, &def, odd[draw(sizeof odd / sizeof *odd)], &entity, NULL);
}

static void add_grid(hed_synth_instrument *i)
{
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated made;
    for (uint32_t axis = 0; axis < 3; axis++) {
        grid.size[axis] = 1 + draw(4);
        grid.origin[axis] = draw_number(-9, 9);
        grid.anchor_ends[axis][draw(2)] = draw(2);
    }
    grid.body.mass = draw_number(0.1, 3);
    if (draw(2)) grid.diagonal = draw_number(1, 50);
    if (draw(2)) grid.bend = draw_number(1, 50);
    hed_synth_instrument_add_grid(i, &grid, draw(2) ? "grid" : NULL, &made, NULL);
}

/* Links, modulations and changes, mostly of what cannot be joined. */
static void join_anything(hed_synth_instrument *i)
{
    hed_synth_entity_def def;
    hed_synth_modulation_def modulation = {
        any(i), any(i), draw(HED_SYNTH_TARGET_COUNT), draw(3), draw_number(-2, 2), draw(2)};
    hed_synth_instrument_link(i, any(i), any(i), draw_number(-2, 2), NULL);
    hed_synth_instrument_modulate(i, &modulation, NULL);
    hed_synth_entity entity = any(i);
    if (hed_synth_instrument_get(i, entity, &def, NULL) != HED_OK) return;
    draw_fields(i, &synth_fields[def.type], (char *)&def.as);
    hed_synth_instrument_set(i, entity, &def, NULL);
}

/* In the order of files, so that grids may stay grids, or in any order, with removals. */
static void add_anything(hed_synth_instrument *i, bool ordered)
{
    for (uint32_t n = 0; n < 200; n++) {
        uint32_t what = draw(12);
        if (ordered && n < 20) add_entity(i, HED_SYNTH_BODY);
        else if (ordered ? n < 26 : what == 0) add_grid(i);
        else if (what < 5) join_anything(i);
        else if (what == 5 && !ordered) hed_synth_instrument_remove(i, any(i), NULL);
        else if (what < 9) add_entity(i, ordered ? HED_SYNTH_SPRING : draw(2));
        else add_entity(i, HED_SYNTH_SPRING + draw(HED_SYNTH_ENTITY_TYPE_COUNT - 1));
    }
}

Test(synth_file, anything_comes_back)
{
    uint32_t ordered_grids = 0, with_grids = 0, with_changes = 0, entities = 0;
    for (uint32_t round = 0; round < 60; round++) {
        hed_synth_instrument *i;
        random_state = round + 1;
        OK(hed_synth_instrument_create(NULL, NULL, &i, &error));
        draw_fields(i, &synth_instrument_fields, (char *)&i->def);
        add_anything(i, round % 2);
        char *text = round_trip(i);
        ordered_grids += round % 2 && i->grid_count > 0; /* a taken name refuses a grid */
        with_grids += strstr(text, "\"grids\"") != NULL;
        with_changes += strstr(text, "\"changes\"") != NULL;
        for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            entities += i->counts[type];
        free(text);
        hed_synth_instrument_destroy(i);
    }
    EXPECT(with_grids == ordered_grids && with_grids > 20 && with_changes > 15,
        "%u of %u had grids as such, %u changes", with_grids, ordered_grids, with_changes);
    EXPECT(entities > 60 * 50, "%u entities", entities);
}

/* Names that are made up are nobody's, and the longest are not too long with their brackets. */
Test(synth_file, names_that_are_made_up)
{
    char text[512], name[SYNTH_LONGEST_GRID_NAME + 1] = "";
    memset(name, 'g', SYNTH_LONGEST_GRID_NAME);
    snprintf(text, sizeof text,
        "{\"version\": 1, \"grids\": [{\"kind\": \"lattice\", \"size\": [2, 2, 2], \"name\": \"%s\"}]}",
        name);
    hed_synth_instrument *i = parse(text);
    OK(hed_synth_instrument_remove(i, 1, &error));
    free(round_trip(i));
    hed_synth_instrument_destroy(i);
    i = parse(
        "{\"version\": 1, \"bodies\": [{\"position\": [0, 0, 0]}, {\"position\": [1, 0, 0], \"name\": \"body.1\"}, "
        "{\"position\": [2, 0, 0], \"name\": \"grid.0[1]\"}], \"grids\": [{\"kind\": \"string\", \"size\": 3, "
        "\"origin\": [0, 1, 0]}], \"springs\": [{\"from\": \"body.1\", \"to\": \"grid.0[1]\"}]}");
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_synth_entity entity;
    def.as.spring.from = 1;
    def.as.spring.to = i->grids[0].generated.first_body + 1;
    OK(hed_synth_instrument_add(i, &def, NULL, &entity, &error));
    char *saved = round_trip(i);
    EXPECT(strstr(saved, "{\"from\": \"body.1'\", \"to\": \"grid.0'[1]\"}"), "%s", saved);
    free(saved);
    hed_synth_instrument_destroy(i);
}

Test(synth_file, changed_grids_stay_grids)
{
    hed_synth_instrument *i = parse(ORCHESTRA);
    hed_synth_entity body = hed_synth_instrument_find(i, "s[4]");
    hed_synth_entity_def def;
    OK(hed_synth_instrument_get(i, body, &def, &error));
    def.as.body.position[2] = -0.0f;
    def.as.body.damping = 1.0f / 3;
    OK(hed_synth_instrument_set(i, body, &def, &error));
    char *text = round_trip(i);
    EXPECT(
        strstr(text, "{\"entity\": \"s[4]\", \"position\": [2, 1, -0.0], \"damping\": 0.33333334}"),
        "%s", text);
    EXPECT(strstr(text, "\"to\": \"s\""), "a microphone that hears a whole grid is one link");
    free(text);
    OK(hed_synth_instrument_remove(i, body, &error));
    text = round_trip(i);
    EXPECT(!strstr(text, "\"grids\"") && strstr(text, "\"s[5]\""),
        "a grid with a hole is written body by body");
    free(text);
    hed_synth_instrument_destroy(i);
}

/* Names of a host's knobs go into a file, a copy and out again; those behind the last are left
 * out. */
Test(synth_file, macros_have_names)
{
    hed_synth_instrument *i =
        parse("{\"version\": 1, \"macros\": [\"Bow\", \"\", \"A \\\"hard\\\" one\", \"\"]}"), *copy;
    OK(hed_synth_instrument_copy(i, &copy, &error));
    CHECK_TEXT(hed_synth_instrument_macro(copy, 0), "Bow");
    CHECK_TEXT(hed_synth_instrument_macro(copy, 1), "");
    CHECK_TEXT(hed_synth_instrument_macro(copy, 2), "A \"hard\" one");
    CHECK_TEXT(hed_synth_instrument_macro(copy, HED_SYNTH_MACROS), "");
    char *text = round_trip(copy);
    EXPECT(strstr(text, "\"macros\": [\"Bow\", \"\", \"A \\\"hard\\\" one\"]"), "%s", text);
    free(text);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set_macro(i, HED_SYNTH_MACROS, "x", &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set_macro(i, 0, "a\nb", &error));
    error = (hed_error){0};
    OK(hed_synth_instrument_set_macro(i, 0, NULL, &error));
    CHECK_TEXT(hed_synth_instrument_macro(i, 0), "");
    hed_synth_instrument_destroy(copy);
    hed_synth_instrument_destroy(i);
}

/* As large as they come: a short file, and nothing in the way that grows faster than the
 * instrument. */
Test(synth_file, a_million_bodies)
{
    hed_synth_instrument *i = parse(
        "{\"version\": 1, \"grids\": [{\"kind\": \"lattice\", \"name\": \"block\", \"size\": [100, 100, "
        "100], \"anchor\": [\"first_i\"]}], \"microphones\": [{\"name\": \"m\", \"position\": [0, 0, "
        "9]}], \"links\": [{\"from\": \"m\", \"to\": \"block\"}], \"changes\": [{\"entity\": "
        "\"block[7,*,*]\", \"mass\": 2}]}");
    hed_synth_stability stability;
    EXPECT(i->counts[HED_SYNTH_BODY] == 1000000 &&
           i->counts[HED_SYNTH_SPRING] == 2970000 - 2 * 99 * 100 && i->link_count == 1000000);
    EXPECT(
        i->bodies[synth_find(i, hed_synth_instrument_find(i, "block[7,99,99]"))->index].mass == 2);
    OK(hed_synth_instrument_stability(i, 48000, &stability, &error));
    hed_synth_instrument_destroy(i);
}

Test(synth_file, what_comes_with_heddle_loads)
{
    DIR *listing = opendir("data/instruments");
    uint32_t count = 0;
    CHECK_NOT_NULL(listing);
    for (struct dirent *file; (file = readdir(listing));) {
        char path[300];
        hed_synth_instrument *i;
        hed_synth_stability stability;
        const char *end = strrchr(file->d_name, '.');
        /* The largest one is a grid and little more, as a_million_bodies is. */
        if (!end || strcmp(end, ".json") != 0 || strncmp(file->d_name, "million", 7) == 0) continue;
        snprintf(path, sizeof path, "data/instruments/%s", file->d_name);
        OK(hed_synth_instrument_read(path, &i, &error));
        OK(hed_synth_instrument_stability(i, 48000, &stability, &error));
        EXPECT(stability.unsafe == 0, "%s: %g", path, stability.worst);
        char *text = round_trip(i);
        EXPECT(i->grid_count == 0 || strstr(text, "\"grids\""), "%s keeps its grids", path);
        free(text);
        hed_synth_instrument_destroy(i);
        count++;
    }
    closedir(listing);
    EXPECT(count > 0, "there are none");
}

/* ---- what is refused ---- */

#define BODIES \
    "\"bodies\": [{\"name\": \"a\", \"position\": [0, 0, 0]}, {\"name\": \"b\", \"position\": [1, 0, 0]}]"
#define GRIDS "\"grids\": [{\"kind\": \"membrane\", \"name\": \"g\", \"size\": [4, 3]}]"
#define FILE_OF(text) "{\"version\": 1, " text "}"

Test(synth_file, refuses_with_the_place)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "i.json is empty"},
        {"[]", "expected an object"},
        {"{}", "\"version\" is missing"},
        {"{\"version\": 2}",
            "version: 2, and this Heddle reads version 1: take a newer one (i.json:1:2)"},
        {"{\"version\": 1, \"sprigns\": []}", "sprigns: unknown key; did you mean \"springs\"?"},
        {"{\"version\": 1, \"version\": 1}", "duplicate"},
        {FILE_OF("\"instrument\": {\"voices\": 0}"),
            "instrument.voices: expected a whole number from 1 to 64, found 0"},
        {FILE_OF("\"instrument\": {\"mode\": \"poly\"}"),
            "instrument.mode: expected one of \"singleton\", \"voices\", \"mpe\""},
        {FILE_OF("\"instrument\": {\"low\": 9, \"high\": 8}"),
            "instrument: instrument: low is 9 and high 8"},
        {FILE_OF("\"macros\": [1]"), "macros[0]: expected a string, found a number"},
        {FILE_OF("\"macros\": [\"a\\nb\"]"), "macros[0]: the name of macro 0 has 3 bytes"},
        {FILE_OF("\"macros\": [\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"]"),
            "macros: expected at most 8 macros, found 9"},
        {FILE_OF("\"bodies\": {}"), "bodies: expected an array, found an object"},
        {FILE_OF("\"bodies\": [3]"), "bodies[0]: expected an object, found a number"},
        {FILE_OF("\"bodies\": [{}]"), "bodies[0]: \"position\" is missing"},
        {FILE_OF("\"bodies\": [{\"position\": [0, 0]}]"),
            "bodies[0].position: expected an array of 3 numbers"},
        {FILE_OF("\"bodies\": [{\"position\": [0, 0, 1e5]}]"),
            "bodies[0].position[2]: expected a number from -10000"},
        {FILE_OF("\"bodies\": [{\"position\": [0, 0, 0], \"mass\": 0}]"),
            "bodies[0].mass: expected a number from 1e-12"},
        {FILE_OF("\"bodies\": [{\"position\": [0, 0, 0], \"weight\": 1}]"),
            "bodies[0].weight: unknown key"},
        {FILE_OF("\"bodies\": [{\"position\": [0, 0, 0], \"anchored\": 1}]"),
            "anchored: expected true or false, found"},
        {FILE_OF("\"bodies\": [{\"name\": \"\", \"position\": [0, 0, 0]}]"),
            "bodies[0]: a name has 0 bytes"},
        {FILE_OF(BODIES ", \"springs\": [{\"to\": \"b\"}]"), "springs[0]: \"from\" is missing"},
        {FILE_OF(BODIES
             ",\n\"springs\": [{\"from\": \"a\", \"to\": \"b\"},\n {\"from\": \"a\",\n\"to\": \"b9\"}]"),
            "springs[1].to: no body \"b9\" (i.json:4:1)"},
        {FILE_OF(BODIES ", \"springs\": [{\"from\": \"a\", \"to\": \"a\"}]"),
            "springs[0]: spring: its ends \"a\" and \"a\""},
        {FILE_OF(GRIDS ", \"springs\": [{\"from\": \"g\", \"to\": \"g[0,0]\"}]"),
            "springs[0].from: no body \"g\""},
        {FILE_OF(BODIES ", \"microphones\": [{\"name\": \"a\", \"position\": [0, 0, 0]}]"),
            "the name \"a\" is taken"},
        {FILE_OF(BODIES ", \"followers\": [{\"source\": \"a\"}]"),
            "followers[0].source: expected a microphone, but \"a\" is"},
        {FILE_OF("\"lfos\": [{\"wave\": \"square\"}]"), "lfos[0].wave: expected one of \"sine\""},
        {FILE_OF("\"bows\": [{\"direction\": [0, 0, 0]}]"),
            "bows[0]: bow: direction is 0 0 0; it has to point somewhere"},
        {FILE_OF("\"bows\": [{\"envelope\": {\"hold\": 1}}]"),
            "bows[0].envelope.hold: unknown key"},
        {FILE_OF("\"mallets\": [{\"route\": {\"low\": 128}}]"),
            "mallets[0].route.low: expected a whole number from 0 to 127"},
        {FILE_OF("\"grids\": [{\"kind\": \"rope\", \"size\": 3}]"),
            "grids[0].kind: expected one of \"string\""},
        {FILE_OF("\"grids\": [{\"kind\": \"string\"}]"), "grids[0]: \"size\" is missing"},
        {FILE_OF("\"grids\": [{\"kind\": \"plate\", \"size\": [3, 3, 3]}]"),
            "grids[0].size: expected 2 numbers, found 3"},
        {FILE_OF("\"grids\": [{\"kind\": \"string\", \"size\": 0}]"),
            "grids[0].size: expected a whole number from 1"},
        {FILE_OF("\"grids\": [{\"kind\": \"string\", \"size\": 3, \"anchor\": [\"first_j\"]}]"),
            "this grid has 1 axes only"},
        {FILE_OF("\"grids\": [{\"kind\": \"plate\", \"size\": [3, 3], \"step\": [1, 0, 0]}]"),
            "expected a distance, or 2"},
        {FILE_OF(
             "\"grids\": [{\"kind\": \"string\", \"size\": 3, \"body\": {\"position\": [0, 0, 0]}}]"),
            "body.position: unk"},
        {FILE_OF("\"grids\": [{\"kind\": \"string\", \"size\": 9, \"tune\": 24000}]"),
            "grids[0]: grid: tune is 24000 Hz"},
        {FILE_OF(GRIDS ", \"changes\": [{\"entity\": \"g[4,0]\"}]"),
            "outside \"g\", whose places along axis 0 are 0 to 3"},
        {FILE_OF(GRIDS ", \"changes\": [{\"entity\": \"g[2..1,0]\"}]"),
            "changes[0].entity: \"g[2..1,0]\" is outside"},
        {FILE_OF(GRIDS ", \"changes\": [{\"entity\": \"g[1]\"}]"),
            "expected 2 of \"3\", \"0..9\" or \"*\""},
        {FILE_OF(GRIDS ", \"changes\": [{\"entity\": \"g.springs[99]\"}]"), "is none of \"g\"'s "},
        {FILE_OF(GRIDS ", \"changes\": [{\"entity\": \"g[0,0]\", \"stiffness\": 1}]"),
            "changes[0].stiffness: unknown key"},
        {FILE_OF(GRIDS ", \"changes\": [{\"mass\": 1}]"), "changes[0]: \"entity\" is missing"},
        {FILE_OF(GRIDS ", \"links\": [{\"from\": \"g[0,0]\", \"to\": \"g[1,1]\"}]"),
            "links[0].to: a link from \"g[0,0]\""},
        {FILE_OF(GRIDS ", \"links\": [{\"from\": \"g\", \"to\": \"g[1,1]\"}]"),
            "links[0].from: expected one entity, found 12"},
        {FILE_OF(GRIDS ", \"links\": [{\"from\": \"m\", \"to\": \"g\"}]"),
            "links[0].from: nothing has the name \"m\""},
        {FILE_OF("\"mallets\": [{\"name\": \"m\"}], " GRIDS
                 ", \"links\": [{\"from\": \"m\", \"to\": [\"g\", \"h\"]}]"),
            "links[0].to[1]: nothing has the name \"h\""},
        {FILE_OF(
             "\"lfos\": [{\"name\": \"l\"}], \"modulations\": [{\"source\": \"l\", \"target\": \"l\", "
             "\"parameter\": \"mass\"}]"),
            "modulations[0].target: a modulation of the mass of \"l\" by \"l\": this entity has no such value"},
        {FILE_OF(
             "\"lfos\": [{\"name\": \"l\"}], \"modulations\": [{\"source\": \"l\", \"target\": \"l\", "
             "\"parameter\": \"mas\"}]"),
            "modulations[0].parameter: expected one of"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        hed_synth_instrument *i;
        hed_error_clear(&error);
        hed_status status =
            hed_synth_instrument_parse(cases[n].text, strlen(cases[n].text), "i.json", &i, &error);
        CHECK(status == HED_ERROR_FORMAT && error.status == status, "%s: %s", cases[n].text,
            hed_status_name(status));
        EXPECT(strstr(error.text, cases[n].words), "%s\n  says: %s\n  not: %s", cases[n].text,
            error.text, cases[n].words);
        EXPECT(strstr(error.text, "i.json") && !i);
    }
}

Test(synth_file, a_file_cut_short_says_where)
{
    for (size_t size = 0; size < sizeof ORCHESTRA - 1; size++) {
        hed_synth_instrument *i;
        FAILS(HED_ERROR_FORMAT, hed_synth_instrument_parse(ORCHESTRA, size, "cut.json", &i, &error));
        CHECK(strncmp(error.text, size ? "cut.json:" : "cut.json is empty", 9) == 0, "%s",
            error.text);
    }
}

Test(synth_file, limits_and_files_that_are_not_there)
{
    hed_synth_instrument *i;
    static const char large[] =
        "{\"version\": 1, \"grids\": [{\"kind\": \"lattice\", \"size\": [300, 300, 300]}]}";
    FAILS(HED_ERROR_LIMIT, hed_synth_instrument_parse(large, strlen(large), "i.json", &i, &error));
    EXPECT(
        strstr(error.text, "grids[0]: ") && strstr(error.text, "(i.json:1:26)"), "%s", error.text);
    static const char springs[] =
        "{\"version\": 1, \"grids\": [{\"kind\": \"lattice\", \"size\": [200, 200, 200]}]}";
    FAILS(HED_ERROR_LIMIT, hed_synth_instrument_parse(springs, strlen(springs), "i.json", &i, &error));
    FAILS(HED_ERROR_IO, hed_synth_instrument_read(in_folder("none.json"), &i, &error));
    EXPECT(strstr(error.text, "none.json"));
    i = parse("{\"version\": 1}");
    FAILS(HED_ERROR_IO, hed_synth_instrument_save(i, in_folder("no/such/folder.json"), &error));
    hed_synth_instrument_destroy(i);
}

/* ---- the document ---- */

/* Whether a word stands in the text by itself, in back quotes or in quotation marks. */
static bool tells_of(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        char before = at > text ? at[-1] : ' ', behind = at[length];
        if ((before == '`' || before == '"') && (behind == '`' || behind == '"')) return true;
    }
    return false;
}

Test(synth_file, the_documents_example_loads_and_it_has_all_parameters)
{
    char *text;
    size_t size;
    OK(hed_file_read("docs/instrument-file.md", 1 << 20, &text, &size, &error));
    const char *begin = strstr(text, "\n```json\n"),
               *end = begin ? strstr(begin + 9, "\n```\n") : NULL;
    CHECK_NOT_NULL(end);
    hed_synth_instrument *i;
    hed_synth_stability stability;
    OK(hed_synth_instrument_parse(begin + 9, (size_t)(end - begin - 9), "docs", &i, &error));
    OK(hed_synth_instrument_stability(i, 48000, &stability, &error));
    EXPECT(stability.unsafe == 0, "its instrument is stable: %g", stability.worst);
    hed_synth_instrument_destroy(i);
    for (uint32_t p = 0; p < HED_SYNTH_TARGET_COUNT; p++)
        EXPECT(tells_of(text, hed_synth_target_name(p)), "parameter \"%s\" is not told of",
            hed_synth_target_name(p));
    free(text);
}
