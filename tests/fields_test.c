/* Tables of fields: reading each kind over given values, errors with their places, keys without
 * effect, checks of structs, the schema and the tables of keys. */
#include "testing.h"

#include "support/fields.h"

#include <stdlib.h>

typedef struct part {
    double width;
} part;

typedef struct thing {
    float number;
    double wide;
    uint8_t byte;
    uint32_t word, choice, length;
    uint64_t seed;
    bool flag;
    const char *text;
    float vector[3];
    double pair[2];
    part part;
    double doubled;
} thing;

static const char *const words[] = {"plain", "fancy", "odd", NULL};
static const char *const one_of[] = {"left", "right", NULL};

static void read_doubled(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(double *)at = 2 * hed_json_number(node, field->low, field->high);
    (*(int *)user)++;
}

static void read_list(const hed_field *field, hed_json_node node, void *at, void *user)
{
    ((thing *)at)->length = (uint32_t)hed_field_length(field, node);
}

static const hed_field part_rows[] = {
    {"width", "width of the part", HED_AS_NUMBER(part, width, 0, 10, "m"), .required = true},
    {0},
};
static const hed_fields part_fields = {"part", "a part", .rows = part_rows};

static const hed_field side_rows[] = {
    {"left", NULL, HED_AS_BOOLEAN(thing, flag)},
    {"right", NULL, HED_AS_BOOLEAN(thing, flag)},
    {0},
};
static const hed_fields side_fields = {
    "side", "one side", .rows = side_rows, .one_of = one_of, .rule = "'minProperties': 1"};

static const hed_field rows[] = {
    {"number", "a number", HED_AS_NUMBER(thing, number, 0, 1, "s")},
    {"wide", "any number", HED_AS_NUMBER(thing, wide, -HED_FIELD_ANY, HED_FIELD_ANY, NULL)},
    {"byte", NULL, HED_AS_INTEGER(thing, byte, 0, 127)},
    {"word", NULL, HED_AS_INTEGER(thing, word, 1, 100)},
    {"seed", NULL, HED_AS_INTEGER(thing, seed, 0, INT64_MAX)},
    {"flag", NULL, HED_AS_BOOLEAN(thing, flag)},
    {"text", NULL, HED_AS_TEXT(thing, text)},
    {"note", NULL, .kind = HED_FIELD_TEXT},
    {"choice", "a \"word\"", HED_AS_CHOICE(thing, choice, words)},
    {"vector", NULL, HED_AS_VECTOR(thing, vector, 3, -1, 1, NULL)},
    {"pair", NULL, HED_AS_VECTOR(thing, pair, 2, 0, 9, NULL), .with = "choice",
        .with_values = 1u << 1 | 1u << 2},
    {"part", NULL, HED_AS_OBJECT(thing, part, &part_fields)},
    {"side", NULL, HED_AS_PART(&side_fields, NULL)},
    {"doubled", NULL, HED_AS_NUMBER(thing, doubled, 0, 5, NULL), .read = read_doubled,
        .with = "word", .with_values = ~3u & ~(1u << 30)}, /* bit 31: 31 and more */
    {"list", NULL, HED_AS_LIST(&part_fields, 1, 2, read_list)},
    {"few", NULL, HED_AS_LIST(&part_fields, 0, 1, read_list)},
    {"other", "a form", HED_AS_OTHER("form", NULL)},
    {0},
};
static const thing defaults = {.number = 0.1f, .word = 2, .choice = 1, .vector = {0, 0, 1}};
static const hed_fields fields = {"", NULL, .rows = rows, .defaults = &defaults};
static const hed_fields *const tables[] = {&fields, &part_fields, &side_fields, NULL};
static const hed_form forms[] = {{"form", "text or number", "'type': ['string', 'number']"}, {0}};
static const hed_document document = {"Things", "All kinds.", tables, forms};

static hed_error error;
static hed_json *json;

static hed_status read_thing(const char *text, thing *into)
{
    int calls = 0;
    *into = defaults;
    hed_error_clear(&error);
    OK(hed_json_parse("t.json", text, strlen(text), &json, &error));
    hed_fields_read(&fields, hed_json_root(json), into, &calls);
    hed_status status = hed_json_status(json, &error);
    EXPECT(status != HED_OK || calls == (into->doubled != 0));
    return status;
}

Test(fields, each_kind_is_read_and_missing_keys_keep_their_values)
{
    thing t;
    OK(read_thing("{\"doubled\": 2, \"pair\": [1, 2], \"number\": 0.25, \"wide\": 1e30, \"byte\": 7, "
                  "\"seed\": 9223372036854775807, \"flag\": true, \"text\": \"a\", \"note\": \"b\", "
                  "\"choice\": \"odd\", \"vector\": [1, -1, 0.5], \"part\": {\"width\": 3}, "
                  "\"side\": {\"left\": false}, \"list\": [{}, {}], \"other\": 5}",
        &t));
    CHECK(t.number == 0.25f && t.byte == 7 && t.word == 2 && t.seed == INT64_MAX && !t.flag);
    CHECK(t.choice == 2 && t.vector[1] == -1 && t.pair[1] == 2 && t.part.width == 3);
    CHECK(t.doubled == 4 && t.length == 2);
    CHECK_TEXT(t.text, "a");
    hed_json_free(json);
    OK(read_thing("{\"word\": 31, \"doubled\": 1}", &t));
    hed_json_free(json);
    OK(read_thing("{}", &t));
    CHECK(memcmp(&t, &defaults, sizeof t) == 0);
    hed_json_free(json);
}

Test(fields, errors_have_place_value_and_range)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"{\"number\": 2}", "number: expected a number from 0 to 1, found 2 (t.json:1:2)"},
        {"{\"byte\": 128}", "byte: expected a whole number from 0 to 127, found 128 (t.json:1:2)"},
        {"{\"seed\": -1}", "seed: expected a whole number from 0 to 9223372036854775807"},
        {"{\"flag\": 1}", "flag: expected true or false, found a number"},
        {"{\"note\": 1}", "note: expected a string, found a number"},
        {"{\"choice\": \"none\"}", "expected one of \"plain\", \"fancy\", \"odd\"; found \"none\""},
        {"{\"vector\": [1]}", "vector: expected an array of 3 numbers, found 1 elements"},
        {"{\"vector\": [1, 2, 0]}", "vector[1]: expected a number from -1 to 1, found 2"},
        {"{\"numbr\": 1}", "numbr: unknown key; did you mean \"number\"?"},
        {"{\"part\": {}}", "part: \"width\" is missing (t.json:1:2)"},
        {"{\"part\": {\"widht\": 1}}", "part.widht: unknown key; did you mean \"width\"?"},
        {"{\"list\": []}", "list: expected 1 to 2 list, found 0"},
        {"{\"few\": [{}, {}]}", "few: expected at most 1 few, found 2"},
        {"{\"word\": 30, \"doubled\": 1}", "doubled: no effect with \"word\": 30 (t.json:1:14)"},
        {"{\"side\": {}}", "side: expected exactly one of \"left\", \"right\", found none"},
        {"{\"side\": {\"left\": true, \"right\": true}}", "found several"},
        {"{\"choice\": \"plain\",\n\"pair\": [1, 2]}",
            "pair: no effect with \"choice\": \"plain\"; expected \"fancy\" or \"odd\" there "
            "(t.json:2:1)"},
        {"{\"word\": 1, \"doubled\": 1}", "doubled: no effect with \"word\": 1 (t.json:1:13)"},
        {"[]", "the whole document: expected an object, found an array"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        thing t;
        EXPECT_EQ(read_thing(bad[i].text, &t), HED_ERROR_FORMAT);
        EXPECT(strstr(error.text, bad[i].error), "%s: %s", bad[i].text, error.text);
        hed_json_free(json);
    }
}

Test(fields, structs_are_checked_by_the_same_ranges)
{
    thing t = defaults;
    t.part.width = 1;
    OK(hed_fields_check(&fields, &t, "thing", &error));
    t.choice = 3;
    FAILS(HED_ERROR_ARGUMENT, hed_fields_check(&fields, &t, "thing", &error));
    CHECK_TEXT(error.text, "thing: choice is 3; expected a value from 0 to 2");
    t = defaults, t.vector[2] = NAN;
    hed_error_clear(&error);
    FAILS(HED_ERROR_ARGUMENT, hed_fields_check(&fields, &t, "thing", &error));
    t = defaults, t.part.width = 11;
    hed_error_clear(&error);
    FAILS(HED_ERROR_ARGUMENT, hed_fields_check(&fields, &t, "thing", &error));
    CHECK(strstr(error.text, "thing: part: width is 11; expected a value from 0 to 10"));
}

static void has(const char *text, const char *line)
{
    EXPECT(strstr(text, line), "%s\nlacks\n%s", text, line);
}

Test(fields, schema_and_tables_come_from_the_rows)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    CHECK_NOT_NULL(file);
    hed_document_write_schema(&document, file);
    fclose(file);
    OK(hed_json_parse("schema", text, size, &json, &error));
    hed_json_free(json);
    has(text, "\"number\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1, \"default\": 0.1, "
              "\"description\": \"a number, s\"},\n");
    has(text, "\"wide\": {\"type\": \"number\", \"default\": 0, \"description\": \"any number\"},\n");
    has(text, "\"seed\": {\"type\": \"integer\", \"minimum\": 0, \"default\": 0},\n");
    has(text, "\"choice\": {\"enum\": [\"plain\", \"fancy\", \"odd\"], \"default\": \"fancy\", "
              "\"description\": \"a \\\"word\\\"\"},\n");
    has(text, "\"list\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 2, \"items\": {\"$ref\": "
              "\"#/$defs/part\"}},\n");
    has(text, "\"oneOf\": [{\"required\": [\"left\"]}, {\"required\": [\"right\"]}], "
              "\"minProperties\": 1, \"additionalProperties\": false");
    has(text, "\"form\": {\"description\": \"text or number\", \"type\": [\"string\", \"number\"]},");
    free(text);
    file = open_memstream(&text, &size);
    CHECK_NOT_NULL(file);
    hed_document_write_tables(&document, file);
    fclose(file);
    has(text, "| `number` | number from 0 to 1, s; 0.1 | a number |\n");
    has(text, "| `pair` | 2 numbers from 0 to 9; [0, 0] |  (only for `fancy`, `odd`) |\n");
    has(text, "| `other` | text or number | a form |\n");
    has(text, "`part`: a part\n\n| key | value | meaning |\n|---|---|---|\n| `width` (required) | ");
    free(text);
}
