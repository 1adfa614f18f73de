/* Instruments: what may be added, linked, modulated and removed, and under which names; memory that
 * runs out. Grids, pitch and stability are in synth_grids_test.c. */
#include <math.h>

#include "heddle/synth.h"
#include "model/synth_model.h"
#include "testing.h"

static hed_error error;
static hed_synth_instrument *instrument;

static void open(void) { OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error)); }

static void close(void) { hed_synth_instrument_destroy(instrument); }

TestSuite(synth_instrument, .init = open, .fini = close);

static hed_synth_entity add(hed_synth_entity_type type, const char *name)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    hed_synth_entity entity;
    if (type == HED_SYNTH_FOLLOWER)
        def.as.follower.source = hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, 0);
    if (type == HED_SYNTH_DELAY_LINE)
        def.as.delay_line.source = hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, 0);
    OK(hed_synth_instrument_add(instrument, &def, name, &entity, &error));
    return entity;
}

static hed_synth_entity add_body(float x, const char *name)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_entity entity;
    def.as.body.position[0] = x;
    OK(hed_synth_instrument_add(instrument, &def, name, &entity, &error));
    return entity;
}

static hed_synth_entity add_spring(hed_synth_entity from, hed_synth_entity to)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_synth_entity entity;
    def.as.spring.from = from;
    def.as.spring.to = to;
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    return entity;
}

/* ---- values ---- */

/* A definition of any type that is all right. */
static hed_synth_entity_def good(hed_synth_entity_type type)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(type);
    if (type == HED_SYNTH_SPRING) {
        def.as.spring.from = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 0);
        def.as.spring.to = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 1);
    }
    if (type == HED_SYNTH_FOLLOWER || type == HED_SYNTH_DELAY_LINE)
        memcpy(&def.as, instrument->ids[HED_SYNTH_MICROPHONE], sizeof(hed_synth_entity));
    return def;
}

static void refused(const hed_synth_entity_def *def, const char *key)
{
    hed_synth_entity entity;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(instrument, def, NULL, &entity, &error));
    EXPECT(strstr(error.text, key), "\"%s\" does not name %s", error.text, key);
    EXPECT(entity == 0);
}

/* A number at its ends, beyond them, and no number at all. */
static void try_number(hed_synth_entity_type type, const hed_field *field)
{
    hed_synth_entity_def def = good(type);
    float *value = (float *)((char *)&def.as + field->offset), low = (float)field->low,
          high = (float)field->high;
    hed_synth_entity entity;
    *value = low;
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    *value = high;
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    const float beyond[] = {
        nextafterf(low, -INFINITY), nextafterf(high, INFINITY), NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 5; i++) {
        *value = beyond[i];
        refused(&def, field->key);
    }
}

static void try_field(hed_synth_entity_type type, const hed_field *field)
{
    hed_synth_entity_def def = good(type);
    char *at = (char *)&def.as + field->offset;
    const uint32_t none = 12345;
    if (synth_refers(field)) memcpy(at, &none, sizeof none), refused(&def, field->key);
    if (field->fields == &synth_adsr_fields)
        ((hed_synth_adsr *)(void *)at)->sustain = 1.5f, refused(&def, "envelope: sustain is 1.5");
    if (field->fields == &synth_route_fields)
        *(hed_synth_route *)(void *)at = (hed_synth_route){0, 60, 59}, refused(&def, "lower one first");
    switch (field->kind) {
    case HED_FIELD_NUMBER: try_number(type, field); break;
    case HED_FIELD_VECTOR:
        memcpy(at, &(float){NAN}, sizeof(float)), refused(&def, field->key);
        memset(at, 0, 3 * sizeof(float));
        if (field->tag == SYNTH_FIELD_DIRECTION) refused(&def, "point somewhere");
        break;
    case HED_FIELD_CHOICE: memcpy(at, &none, sizeof none), refused(&def, field->key); break;
    case HED_FIELD_INTEGER:
        memcpy(at, &(uint32_t){(uint32_t)field->high + 1}, sizeof none), refused(&def, field->key);
        break;
    default: break;
    }
}

Test(synth_instrument, every_value_has_its_range)
{
    add_body(0, NULL), add_body(1, NULL), add(HED_SYNTH_MICROPHONE, NULL);
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        hed_synth_entity_def def = good(type);
        hed_synth_entity entity;
        OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
        for (const hed_field *field = synth_fields[type].rows; field->key; field++)
            try_field(type, field);
    }
    hed_synth_entity_def unknown = {.type = HED_SYNTH_ENTITY_TYPE_COUNT};
    refused(&unknown, "no type 14");
}

Test(synth_instrument, the_whole_has_its_ranges)
{
    hed_synth_instrument_def def = hed_default_synth_instrument_def();
    OK(hed_synth_instrument_set_def(instrument, &def, &error));
    def.voices = 65;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set_def(instrument, &def, &error));
    EXPECT(strstr(error.text, "voices is 65"));
    def = hed_default_synth_instrument_def();
    def.low = 80, def.high = 79;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set_def(instrument, &def, &error));
    EXPECT(strstr(error.text, "lower note first"));
    EXPECT(hed_synth_instrument_definition(instrument)->high == 127,
        "a definition that is refused changes nothing");
}

Test(synth_instrument, names_are_told_apart)
{
    for (uint32_t a = 0; a < HED_SYNTH_ENTITY_TYPE_COUNT; a++)
        for (uint32_t b = a + 1; b < HED_SYNTH_ENTITY_TYPE_COUNT; b++)
            EXPECT(strcmp(hed_synth_entity_type_name(a), hed_synth_entity_type_name(b)) != 0);
    for (uint32_t a = 0; a < HED_SYNTH_TARGET_COUNT; a++) {
        uint32_t types = 0;
        for (uint32_t b = a + 1; b < HED_SYNTH_TARGET_COUNT; b++)
            EXPECT(strcmp(hed_synth_target_name(a), hed_synth_target_name(b)) != 0);
        for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            types += hed_synth_target_of(type, a);
        EXPECT(types > 0, "nothing has parameter %s", hed_synth_target_name(a));
    }
    EXPECT(!hed_synth_target_of(HED_SYNTH_BODY, HED_SYNTH_TARGET_PAN));
    EXPECT(!hed_synth_target_of(HED_SYNTH_ENTITY_TYPE_COUNT, HED_SYNTH_TARGET_MASS));
    EXPECT_TEXT(hed_synth_target_name(HED_SYNTH_TARGET_COUNT), "unknown");
    EXPECT_TEXT(hed_synth_entity_type_name(99), "unknown");
}

/* ---- names ---- */

Test(synth_instrument, entities_are_found_by_name)
{
    enum { COUNT = 5000 };
    char name[32];
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "b%u", i * 7919 % COUNT);
        add_body((float)i * 0.001f, i % 3 ? name : NULL);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "b%u", i * 7919 % COUNT);
        hed_synth_entity found = hed_synth_instrument_find(instrument, name);
        CHECK(found == (i % 3 ? i + 1 : 0), "%s is %u", name, found);
        CHECK_TEXT(hed_synth_instrument_name(instrument, i + 1), i % 3 ? name : "");
    }
}

Test(synth_instrument, names_that_are_refused)
{
    char longest[SYNTH_LONGEST_NAME + 2] = "";
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_entity entity;
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated made;
    add_body(0, "a");
    grid.size[0] = 4;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "row", &made, &error));
    static const char *const taken[] = {"a", "row", "row[3]", "row.springs[0]"};
    for (uint32_t i = 0; i < 4; i++) {
        FAILS(HED_ERROR_ARGUMENT,
            hed_synth_instrument_add(instrument, &def, taken[i], &entity, &error));
        EXPECT(strstr(error.text, "is taken"));
    }
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add_grid(instrument, &grid, "a", &made, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(instrument, &def, "", &entity, &error));
    static const char *const parts[] = {"later[3]", "deeper.springs[0]"}, *const grids[] = {
                                                                              "later", "deeper"};
    for (uint32_t i = 0; i < 2; i++) {
        OK(hed_synth_instrument_add(instrument, &def, parts[i], &entity, &error));
        FAILS(HED_ERROR_ARGUMENT,
            hed_synth_instrument_add_grid(instrument, &grid, grids[i], &made, &error));
        EXPECT(strstr(error.text, "would be a part of it"));
        OK(hed_synth_instrument_remove(instrument, entity, &error));
    }
    memset(longest, 'x', SYNTH_LONGEST_NAME + 1);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(instrument, &def, longest, &entity, &error));
    longest[SYNTH_LONGEST_NAME] = 0;
    OK(hed_synth_instrument_add(instrument, &def, longest, &entity, &error));
    EXPECT(hed_synth_instrument_find(instrument, longest) == entity);
    longest[SYNTH_LONGEST_GRID_NAME + 1] = 0;
    FAILS(HED_ERROR_ARGUMENT,
        hed_synth_instrument_add_grid(instrument, &grid, longest, &made, &error));
    longest[SYNTH_LONGEST_GRID_NAME] = 0;
    EXPECT(hed_synth_instrument_count(instrument, HED_SYNTH_BODY) == 6, "what is refused adds nothing");
}

Test(synth_instrument, parts_of_grids_have_names)
{
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated string, plate, block;
    char text[SYNTH_DESCRIPTION];
    grid.size[0] = 5;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "s", &string, &error));
    grid.size[1] = 4;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "p", &plate, &error));
    grid.size[2] = 3;
    OK(hed_synth_instrument_add_grid(instrument, &grid, "b", &block, &error));
    EXPECT(hed_synth_instrument_find(instrument, "s[4]") == string.first_body + 4);
    EXPECT(hed_synth_instrument_find(instrument, "p[2,3]") == plate.first_body + 17);
    EXPECT(hed_synth_instrument_find(instrument, "b[1,2,2]") == block.first_body + 51);
    EXPECT(hed_synth_instrument_find(instrument, "b.springs[7]") == block.first_spring + 7);
    static const char *const nothing[] = {"s", "s[5]", "s[-1]", "s[]", "s[1", "s[1,1]", "p[1]",
        "p[*,1]", "p[1,1]x", "b[0..1,0,0]", "s.springs", "s.springs[4]", "s.springs[4",
        "s.spring[0]", "", "[", "[0]", "s[99999999999]", "b[0,0,0"};
    for (uint32_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        EXPECT(hed_synth_instrument_find(instrument, nothing[i]) == 0, "\"%s\" is no single entity",
            nothing[i]);
    EXPECT_TEXT(hed_synth_instrument_describe(instrument, plate.first_body + 17, text, sizeof text),
        "\"p[2,3]\"");
    EXPECT_TEXT(hed_synth_instrument_describe(instrument, block.first_body + 51, text, sizeof text),
        "\"b[1,2,2]\"");
    EXPECT_TEXT(
        hed_synth_instrument_describe(instrument, string.first_spring + 2, text, sizeof text),
        "\"s.springs[2]\"");
    hed_synth_entity body = add_body(9, NULL);
    EXPECT_TEXT(hed_synth_instrument_describe(instrument, body, text, sizeof text), "body 85");
    OK(hed_synth_instrument_remove(instrument, string.first_body + 4, &error));
    EXPECT(hed_synth_instrument_find(instrument, "s[4]") == 0);
    EXPECT(hed_synth_instrument_find(instrument, "s[3]") == string.first_body + 3);
}

/* ---- links and modulations ---- */

Test(synth_instrument, what_may_be_linked)
{
    hed_synth_entity body = add_body(0, "body"), first[HED_SYNTH_ENTITY_TYPE_COUNT];
    first[HED_SYNTH_BODY] = body;
    first[HED_SYNTH_SPRING] = add_spring(body, add_body(1, NULL));
    for (uint32_t type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        first[type] = add(type, NULL);
    for (uint32_t from = 0; from < HED_SYNTH_ENTITY_TYPE_COUNT; from++)
        for (uint32_t to = 0; to < HED_SYNTH_ENTITY_TYPE_COUNT; to++) {
            bool may = (to == HED_SYNTH_BODY && from >= HED_SYNTH_MICROPHONE &&
                           from <= HED_SYNTH_AUDIO_INPUT) ||
                       (from == HED_SYNTH_AUDIO_INPUT && to == HED_SYNTH_DELAY_LINE);
            hed_error_clear(&error);
            hed_status status =
                hed_synth_instrument_link(instrument, first[from], first[to], 1, &error);
            EXPECT(status == (may ? HED_OK : HED_ERROR_ARGUMENT), "%s to %s",
                hed_synth_entity_type_name(from), hed_synth_entity_type_name(to));
        }
    uint32_t count = instrument->link_count;
    OK(hed_synth_instrument_link(instrument, first[HED_SYNTH_MALLET], body, 0.25f, &error));
    EXPECT(instrument->link_count == count, "linking twice replaces the weight");
    for (uint32_t i = 0; i < count; i++)
        EXPECT(instrument->links[i].weight ==
               (instrument->links[i].from == first[HED_SYNTH_MALLET] ? 0.25f : 1.0f));
    FAILS(HED_ERROR_ARGUMENT,
        hed_synth_instrument_link(instrument, first[HED_SYNTH_MALLET], body, NAN, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_link(instrument, 99, body, 1, &error));
    hed_synth_entity second = add(HED_SYNTH_DELAY_LINE, NULL);
    FAILS(HED_ERROR_ARGUMENT,
        hed_synth_instrument_link(instrument, first[HED_SYNTH_AUDIO_INPUT], second, 1, &error));
    EXPECT(strstr(error.text, "another delay line"));
}

Test(synth_instrument, what_may_be_modulated)
{
    hed_synth_entity first[HED_SYNTH_ENTITY_TYPE_COUNT];
    first[HED_SYNTH_BODY] = add_body(0, NULL);
    first[HED_SYNTH_SPRING] = add_spring(first[HED_SYNTH_BODY], add_body(1, NULL));
    for (uint32_t type = HED_SYNTH_MICROPHONE; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        first[type] = add(type, NULL);
    for (uint32_t source = 0; source < HED_SYNTH_ENTITY_TYPE_COUNT; source++)
        for (uint32_t target = 0; target < HED_SYNTH_ENTITY_TYPE_COUNT; target++)
            for (uint32_t parameter = 0; parameter < HED_SYNTH_TARGET_COUNT; parameter++) {
                bool modulator = source >= HED_SYNTH_LFO && source <= HED_SYNTH_MIDI_SOURCE;
                bool own = target == HED_SYNTH_BODY && parameter >= HED_SYNTH_TARGET_POSITION_X &&
                           parameter <= HED_SYNTH_TARGET_POSITION_Z;
                bool may = modulator && hed_synth_target_of(target, parameter) && !own;
                hed_synth_modulation_def def = {first[source], first[target], parameter,
                    HED_SYNTH_MODULATE_MULTIPLY, 0.5f, false};
                hed_error_clear(&error);
                hed_status status = hed_synth_instrument_modulate(instrument, &def, &error);
                CHECK(status == (may ? HED_OK : HED_ERROR_ARGUMENT), "%s of %s by %s",
                    hed_synth_target_name(parameter), hed_synth_entity_type_name(target),
                    hed_synth_entity_type_name(source));
            }
    hed_synth_entity_def anchor = hed_default_synth_entity_def(HED_SYNTH_BODY);
    anchor.as.body.anchored = true;
    OK(hed_synth_instrument_set(instrument, first[HED_SYNTH_BODY], &anchor, &error));
    hed_synth_modulation_def moved = {first[HED_SYNTH_LFO], first[HED_SYNTH_BODY],
        HED_SYNTH_TARGET_POSITION_Z, HED_SYNTH_MODULATE_ADD, 1, false};
    OK(hed_synth_instrument_modulate(instrument, &moved, &error));
    moved.mode = HED_SYNTH_MODULATION_MODE_COUNT;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_modulate(instrument, &moved, &error));
    moved.mode = HED_SYNTH_MODULATE_ADD;
    moved.depth = INFINITY;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_modulate(instrument, &moved, &error));
}

/* ---- springs, changes, removal ---- */

Test(synth_instrument, springs_need_two_places)
{
    hed_synth_entity a = add_body(0, "a"), b = add_body(0, "b");
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_synth_entity entity;
    def.as.spring.from = a;
    def.as.spring.to = b;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    EXPECT(strstr(error.text, "\"a\" and \"b\" are at the same place"));
    def.as.spring.to = a;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
    body.as.body.position[1] = 0.5f;
    OK(hed_synth_instrument_set(instrument, b, &body, &error));
    def.as.spring.to = b;
    def.as.spring.rest_length = -0.9f;
    OK(hed_synth_instrument_add(instrument, &def, NULL, &entity, &error));
    EXPECT_NEAR(synth_rest_length(instrument, &def.as.spring), 0.45f, 1e-7f);
    def.as.spring.rest_length = 0.3f;
    EXPECT(synth_rest_length(instrument, &def.as.spring) == 0.3f);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_set(instrument, b, &def, &error));
    EXPECT(strstr(error.text, "is a body and cannot become a spring"));
}

Test(synth_instrument, removal_takes_what_refers_to_it)
{
    hed_synth_entity a = add_body(0, "a"), b = add_body(1, "b"), c = add_body(2, "c");
    hed_synth_entity ab = add_spring(a, b), bc = add_spring(b, c), ac = add_spring(a, c);
    hed_synth_entity microphone = add(HED_SYNTH_MICROPHONE, "ear"),
                     follower = add(HED_SYNTH_FOLLOWER, "f"),
                     delay = add(HED_SYNTH_DELAY_LINE, "d");
    hed_synth_entity input = add(HED_SYNTH_AUDIO_INPUT, "in"), lfo = add(HED_SYNTH_LFO, "lfo");
    OK(hed_synth_instrument_link(instrument, microphone, a, 1, &error));
    OK(hed_synth_instrument_link(instrument, microphone, b, 1, &error));
    OK(hed_synth_instrument_link(instrument, input, delay, 1, &error));
    hed_synth_modulation_def by_follower = {
        follower, lfo, HED_SYNTH_TARGET_DEPTH, HED_SYNTH_MODULATE_ADD, 1, false};
    hed_synth_modulation_def of_spring = {
        lfo, bc, HED_SYNTH_TARGET_STIFFNESS, HED_SYNTH_MODULATE_ADD, 1, false};
    hed_synth_modulation_def of_other = {
        lfo, ac, HED_SYNTH_TARGET_STIFFNESS, HED_SYNTH_MODULATE_ADD, 1, true};
    OK(hed_synth_instrument_modulate(instrument, &by_follower, &error));
    OK(hed_synth_instrument_modulate(instrument, &of_spring, &error));
    OK(hed_synth_instrument_modulate(instrument, &of_other, &error));

    OK(hed_synth_instrument_remove(instrument, b, &error));
    EXPECT(hed_synth_instrument_count(instrument, HED_SYNTH_BODY) == 2 &&
           hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 1) == c);
    EXPECT(hed_synth_instrument_count(instrument, HED_SYNTH_SPRING) == 1 &&
           hed_synth_instrument_at(instrument, HED_SYNTH_SPRING, 0) == ac);
    EXPECT(!synth_find(instrument, ab) && !synth_find(instrument, bc) &&
           hed_synth_instrument_find(instrument, "b") == 0);
    EXPECT(instrument->link_count == 2 && instrument->modulation_count == 2);
    OK(hed_synth_instrument_remove(instrument, microphone, &error));
    EXPECT(!synth_find(instrument, follower) && !synth_find(instrument, delay) &&
           hed_synth_instrument_find(instrument, "d") == 0);
    EXPECT(instrument->link_count == 0 && instrument->modulation_count == 1 &&
           instrument->modulations[0].invert);
    EXPECT(hed_synth_instrument_find(instrument, "in") == input &&
           hed_synth_instrument_find(instrument, "c") == c);
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_remove(instrument, b, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_remove(instrument, 0, &error));
    hed_synth_entity_def def;
    FAILS(HED_ERROR_ARGUMENT, hed_synth_instrument_get(instrument, b, &def, &error));
    EXPECT(add_body(3, "b") > lfo, "a number is never used again");
}

/* ---- against a plain list ---- */

enum { MOST = 600 };

typedef struct plain {
    hed_synth_entity entities[MOST];
    hed_synth_entity_def defs[MOST];
    uint32_t count;
} plain;

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static void plain_remove(plain *p, hed_synth_entity entity)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const hed_synth_spring_def *spring = &p->defs[i].as.spring;
        bool goes =
            p->entities[i] == entity || (p->defs[i].type == HED_SYNTH_SPRING &&
                                            (spring->from == entity || spring->to == entity));
        if (goes) continue;
        p->entities[kept] = p->entities[i];
        p->defs[kept++] = p->defs[i];
    }
    p->count = kept;
}

static void compare(const plain *p)
{
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < p->count; i++) {
            hed_synth_entity_def def;
            if (p->defs[i].type != type) continue;
            CHECK(hed_synth_instrument_at(instrument, type, found++) == p->entities[i]);
            OK(hed_synth_instrument_get(instrument, p->entities[i], &def, &error));
            CHECK(memcmp(&def.as, &p->defs[i].as, synth_def_sizes[type]) == 0);
        }
        CHECK(hed_synth_instrument_count(instrument, type) == found);
    }
}

/* The least damped body at the lowest note, bent down as far as it goes: 120 dB are ln(10^6) of its
 * amplitude. */
Test(synth_instrument, the_tail_is_that_of_the_lowest_bent_note)
{
    static const hed_synth_voice_mode modes[] = {
        HED_SYNTH_SINGLETON, HED_SYNTH_VOICES, HED_SYNTH_VOICES_MPE};
    static const double octaves[] = {0, 2 + 3 / 12.0, 2 + 3 / 12.0 + 2};
    for (size_t k = 0; k < HED_COUNT(modes); k++) {
        hed_synth_instrument_def def = hed_default_synth_instrument_def();
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
        hed_synth_instrument *made;
        hed_synth_entity entity;
        def.mode = modes[k];
        def.low = 36;
        def.root_note = 60;
        def.bend_range = 3;
        def.note_bend_range = 24;
        OK(hed_synth_instrument_create(NULL, &def, &made, &error));
        for (int b = 0; b < 2; b++) {
            body.as.body.position[0] = (float)b;
            body.as.body.damping = b ? 0.5f : 2.0f;
            OK(hed_synth_instrument_add(made, &body, NULL, &entity, &error));
        }
        double tail = log(1e6) / 0.5 * exp2(octaves[k]);
        EXPECT_NEAR(hed_synth_instrument_tail(made), tail, 1e-5 * tail, "mode %d", (int)modes[k]);
        hed_synth_instrument_destroy(made);
    }
}

Test(synth_instrument, a_storm_of_changes)
{
    static plain p;
    random_state = 1;
    for (uint32_t step = 0; step < 3000; step++) {
        uint32_t what = draw(10);
        if (what < 6 && p.count < MOST) {
            hed_synth_entity_def def =
                hed_default_synth_entity_def(draw(2) ? HED_SYNTH_BODY : HED_SYNTH_SPRING);
            hed_synth_entity from = p.count ? p.entities[draw(p.count)] : 0,
                             to = p.count ? p.entities[draw(p.count)] : 0;
            if (def.type == HED_SYNTH_BODY) def.as.body.position[0] = (float)step * 1e-3f;
            else def.as.spring.from = from, def.as.spring.to = to;
            hed_synth_entity entity;
            hed_error_clear(&error);
            if (hed_synth_instrument_add(instrument, &def, NULL, &entity, &error) != HED_OK)
                continue;
            p.entities[p.count] = entity;
            p.defs[p.count++] = def;
        } else if (what < 8 && p.count > 0) {
            uint32_t i = draw(p.count);
            if (p.defs[i].type != HED_SYNTH_BODY) continue;
            p.defs[i].as.body.mass = 1.0f + (float)step;
            OK(hed_synth_instrument_set(instrument, p.entities[i], &p.defs[i], &error));
        } else if (p.count > 0) {
            hed_synth_entity entity = p.entities[draw(p.count)];
            OK(hed_synth_instrument_remove(instrument, entity, &error));
            plain_remove(&p, entity);
        }
        if (step % 100 == 99) compare(&p);
    }
    EXPECT(p.count > 50, "%u entities are left", p.count);
    compare(&p);
}

/* ---- memory ---- */

/* Everything that allocates, in an allocator that fails at its n-th call. False: it failed. */
static bool build(const hed_allocator *allocator)
{
    hed_synth_instrument *made = NULL, *copy = NULL;
    hed_synth_entity body = 0, ear = 0, lfo = 0;
    hed_synth_entity_def body_def = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         ear_def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    hed_synth_entity_def lfo_def = hed_default_synth_entity_def(HED_SYNTH_LFO);
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    hed_synth_generated generated = {0};
    hed_synth_stability stability;
    grid.size[0] = 20;
    hed_error_clear(&error);
    hed_status status = hed_synth_instrument_create(allocator, NULL, &made, &error);
    if (!status) status = hed_synth_instrument_add(made, &body_def, "body", &body, &error);
    if (!status) status = hed_synth_instrument_add_grid(made, &grid, "grid", &generated, &error);
    if (!status) status = hed_synth_instrument_add(made, &ear_def, "ear", &ear, &error);
    if (!status) status = hed_synth_instrument_add(made, &lfo_def, NULL, &lfo, &error);
    for (uint32_t i = 0; !status && i < generated.bodies; i++)
        status = hed_synth_instrument_link(made, ear, generated.first_body + i, 1, &error);
    hed_synth_modulation_def modulation = {lfo, generated.first_spring, HED_SYNTH_TARGET_STIFFNESS,
        HED_SYNTH_MODULATE_MULTIPLY, 0.1f, false};
    if (!status) status = hed_synth_instrument_modulate(made, &modulation, &error);
    modulation = (hed_synth_modulation_def){
        lfo, body, HED_SYNTH_TARGET_MASS, HED_SYNTH_MODULATE_MULTIPLY, 0.1f, false};
    if (!status) status = hed_synth_instrument_modulate(made, &modulation, &error);
    if (!status) status = hed_synth_instrument_stability(made, 48000, &stability, &error);
    if (!status) status = hed_synth_instrument_copy(made, &copy, &error);
    if (!status) status = hed_synth_instrument_remove(made, body, &error);
    CHECK(status == HED_OK || status == HED_ERROR_MEMORY, "%s", error.text);
    if (!status)
        CHECK(hed_synth_instrument_find(copy, "body") == body &&
              hed_synth_instrument_find(copy, "grid[19]") == generated.first_body + 19);
    hed_synth_instrument_destroy(made);
    hed_synth_instrument_destroy(copy);
    return status == HED_OK;
}

Test(synth_instrument, memory_that_runs_out)
{
    bool done = false;
    int64_t n = 0;
    while (!done && n < 1000) {
        test_allocator t = {.fail_at = ++n};
        hed_allocator allocator = test_allocator_of(&t);
        done = build(&allocator);
        CHECK(t.live == 0 && t.bytes == 0, "%lld blocks are left after failure %lld",
            (long long)t.live, (long long)n);
    }
    EXPECT(done && n > 40, "%lld allocations", (long long)n);
}

Test(synth_instrument, what_fails_changes_nothing)
{
    test_allocator t = {0};
    hed_allocator allocator = test_allocator_of(&t);
    hed_synth_instrument *made;
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    hed_synth_entity entity;
    char name[16];
    uint32_t refused = 0;
    OK(hed_synth_instrument_create(&allocator, NULL, &made, &error));
    for (uint32_t i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "b%u", i);
        while (hed_synth_instrument_add(made, &def, name, &entity, &error) != HED_OK) {
            CHECK(error.status == HED_ERROR_MEMORY, "%s", error.text);
            refused++;
            hed_error_clear(&error);
        }
        t.calls = 0;
        t.fail_at = 1 + i % 5; /* one of the next calls */
        CHECK(entity == i + 1 && hed_synth_instrument_count(made, HED_SYNTH_BODY) == i + 1);
        CHECK(hed_synth_instrument_find(made, name) == entity);
    }
    hed_synth_instrument_destroy(made);
    EXPECT(t.live == 0 && refused > 20, "%u refused", refused);
}
