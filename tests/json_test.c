/* JSON that names the place of what is wrong, JSON that is written, and the nearest word. */
#include "testing.h"

#include <math.h>

#include "cli/common/report.h"
#include "support/json.h"
#include "support/nearest.h"

static hed_json *parse(const char *text)
{
    hed_error error = {0};
    hed_json *json;
    OK(hed_json_parse("a.json", text, strlen(text), &json, &error));
    return json;
}

/* The document's problem must be exactly this. */
static void expect_problem(hed_json *json, const char *expected)
{
    hed_error error = {0};
    FAILS(HED_ERROR_FORMAT, hed_json_status(json, &error));
    CHECK_TEXT(error.text, expected);
    hed_json_free(json);
}

/* ---- reading ---- */

static const char INSTRUMENT[] =
    "{\n"
    "  \"name\": \"a\\u00e9 \\\"b\\\" }]\", \"empty\": [],\n"
    "  \"nested\": [[1, 2], [3, [\"x\", {\"deep\": null}], 5]],\n"
    "  \"springs\": [\n"
    "    {\"from\": \"m1\", \"to\": \"m2\", \"stiffness\": 1.5e3},\n"
    "    {\"from\": \"m2\",\n"
    "     \"to\": 7,\n"
    "     \"stiffness\": -1, \"whole\": 3.0, \"part\": 3.5, \"on\": true}\n"
    "  ],\n"
    "  \"na me\": {\"x.y\": 1, \"t\\u0061b\": 2}\n"
    "}\n";

static hed_json_node spring(hed_json *json, size_t index)
{
    return hed_json_item(hed_json_member(hed_json_root(json), "springs"), index);
}

Test(json, values)
{
    hed_error error = {0};
    hed_json *json = parse(INSTRUMENT);
    hed_json_node root = hed_json_root(json);
    CHECK_TEXT(hed_json_string(hed_json_member(root, "name")), "a\xc3\xa9 \"b\" }]");
    CHECK(hed_json_count(hed_json_member(root, "empty")) == 0);
    CHECK(hed_json_count(hed_json_member(root, "springs")) == 2);
    CHECK(hed_json_number(hed_json_member(spring(json, 0), "stiffness"), 0, 2000) == 1500);
    CHECK(hed_json_integer(hed_json_member(spring(json, 1), "whole"), 3, 3) == 3);
    CHECK(hed_json_boolean(hed_json_member(spring(json, 1), "on")));
    CHECK(hed_json_has(root, "nested") && !hed_json_has(root, "Nested"));
    static const char *const masses[] = {"m0", "m1", "m2", NULL};
    CHECK(hed_json_choice(hed_json_member(spring(json, 0), "to"), masses) == 2);
    double pair[2];
    hed_json_numbers(hed_json_item(hed_json_member(root, "nested"), 0), pair, 2, 0, 9);
    CHECK(pair[0] == 1 && pair[1] == 2);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
}

Test(json, members_in_their_order)
{
    hed_error error = {0};
    hed_json *json = parse(INSTRUMENT);
    static const char *const expected[] = {"name", "empty", "nested", "springs", "na me"};
    hed_json_node root = hed_json_root(json), at = hed_json_next(root, NULL);
    for (size_t i = 0; i < 5; i++, at = hed_json_next(root, at.key))
        CHECK_TEXT(at.key, expected[i]);
    CHECK(!at.key && hed_json_kind_of(at) == HED_JSON_NOTHING);
    OK(hed_json_status(json, &error));
    hed_json_string(hed_json_next(spring(json, 1), "to"));
    expect_problem(json, "springs[1].stiffness: expected a string, found a number (a.json:8:6)");
    json = parse("[1]");
    hed_json_next(hed_json_root(json), NULL);
    expect_problem(json, "the whole document: expected an object, found an array (a.json:1:1)");
}

Test(json, error_names_path_line_and_column)
{
    hed_json *json = parse(INSTRUMENT);
    CHECK_TEXT(hed_json_string(hed_json_member(spring(json, 1), "to")), "");
    expect_problem(json, "springs[1].to: expected a string, found a number (a.json:7:6)");

    json = parse(INSTRUMENT);
    hed_json_node inner =
        hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 1), 1);
    hed_json_number(hed_json_member(hed_json_item(inner, 1), "deep"), 0, 1);
    expect_problem(json, "nested[1][1][1].deep: expected a number, found null (a.json:3:33)");

    json = parse(INSTRUMENT);
    hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 0), 2);
    expect_problem(json, "nested[0]: expected more than 2 elements, found 2 (a.json:3:14)");

    json = parse(INSTRUMENT);
    hed_json_count(
        hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 1), 2));
    expect_problem(json, "nested[1][2]: expected an array, found a number (a.json:3:49)");
}

Test(json, odd_keys_keep_their_place)
{
    hed_json *json = parse(INSTRUMENT);
    hed_json_string(hed_json_member(hed_json_member(hed_json_root(json), "na me"), "tab"));
    expect_problem(json, "[\"na me\"].tab: expected a string, found a number (a.json:10:23)");
    json = parse(INSTRUMENT);
    hed_json_boolean(hed_json_member(hed_json_member(hed_json_root(json), "na me"), "x.y"));
    expect_problem(
        json, "[\"na me\"][\"x.y\"]: expected true or false, found a number (a.json:10:13)");
}

Test(json, ranges)
{
    hed_json *json = parse(INSTRUMENT);
    CHECK(hed_json_number(hed_json_member(spring(json, 1), "stiffness"), 0, 1e9) == 0);
    expect_problem(
        json, "springs[1].stiffness: expected a number from 0 to 1e+09, found -1 (a.json:8:6)");
    json = parse(INSTRUMENT);
    hed_json_integer(hed_json_member(spring(json, 1), "part"), 0, 10);
    expect_problem(json, "springs[1].part: expected a whole number, found 3.5 (a.json:8:37)");
    json = parse(INSTRUMENT);
    hed_json_integer(hed_json_member(spring(json, 1), "whole"), 4, 10);
    expect_problem(
        json, "springs[1].whole: expected a whole number from 4 to 10, found 3 (a.json:8:23)");
    json = parse("[1, 2, 3]");
    double values[2] = {7, 7};
    hed_json_numbers(hed_json_root(json), values, 2, 0, 1);
    CHECK(values[0] == 0 && values[1] == 0);
    expect_problem(
        json, "the whole document: expected an array of 2 numbers, found 3 elements (a.json:1:1)");
}

Test(json, first_problem_stays)
{
    hed_json *json = parse(INSTRUMENT);
    hed_json_node root = hed_json_root(json);
    hed_json_member(root, "masses");
    CHECK(hed_json_count(hed_json_member(root, "springs")) == 0,
        "nothing is found after the first problem");
    hed_json_reject(root, "too late");
    expect_problem(json, "the whole document: \"masses\" is missing (a.json:1:1)");
}

Test(json, unknown_keys_and_choices)
{
    static const char *const near[] = {"form", "too", "stifness", NULL};
    hed_json *json = parse(INSTRUMENT);
    hed_json_only(spring(json, 0), near);
    expect_problem(json, "springs[0].from: unknown key; did you mean \"form\"? (a.json:5:6)");
    static const char *const far[] = {"from", "to", NULL};
    json = parse(INSTRUMENT);
    hed_json_only(spring(json, 0), far);
    expect_problem(json,
        "springs[0].stiffness: unknown key; the keys here are \"from\", \"to\" (a.json:5:32)");
    static const char *const all[] = {"from", "to", "stiffness", NULL};
    json = parse(INSTRUMENT);
    hed_json_only(spring(json, 0), all);
    hed_json_choice(hed_json_member(spring(json, 0), "from"), far);
    expect_problem(
        json, "springs[0].from: expected one of \"from\", \"to\"; found \"m1\" (a.json:5:6)");
    json = parse(INSTRUMENT);
    hed_json_reject(hed_json_member(spring(json, 0), "to"), "no mass is called \"%s\"", "m2");
    expect_problem(json, "springs[0].to: no mass is called \"m2\" (a.json:5:20)");
}

Test(json, syntax_errors_name_the_line)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"{\n  \"a\": [1,\n 2,,\n}", "a.json:3:4: not JSON: unexpected token near ','"},
        {"", "a.json is empty; expected JSON"}, {"\xef\xbb\xbf", "a.json is empty; expected JSON"},
        {"{\"a\": 1, \"a\": 2}", "a.json:1:12: not JSON: duplicate object key near '\"a\"'"},
        {"[1] 2", "a.json:1:5: not JSON: end of file expected near '2'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_error error = {0};
        hed_json *json;
        FAILS(HED_ERROR_FORMAT,
            hed_json_parse("a.json", cases[i].text, strlen(cases[i].text), &json, &error));
        CHECK(!json);
        EXPECT_TEXT(error.text, cases[i].expected);
    }
}

Test(json, byte_order_mark_is_skipped)
{
    hed_json *json = parse("\xef\xbb\xbf{\"a\": 1}");
    hed_json_string(hed_json_member(hed_json_root(json), "a"));
    expect_problem(json, "a: expected a string, found a number (a.json:1:2)");
}

Test(json, long_paths_are_cut_at_the_front)
{
    char text[8192];
    size_t used = 0;
    for (int i = 0; i < 100; i++) used += (size_t)sprintf(text + used, "{\"a_long_name\":");
    used += (size_t)sprintf(text + used, "1");
    for (int i = 0; i < 100; i++) text[used++] = '}';
    text[used] = 0;
    hed_json *json = parse(text);
    hed_json_node node = hed_json_root(json);
    for (int i = 0; i < 100; i++) node = hed_json_member(node, "a_long_name");
    hed_json_string(node);
    hed_error error = {0};
    FAILS(HED_ERROR_FORMAT, hed_json_status(json, &error));
    CHECK(strstr(error.text,
              "a_long_name.a_long_name: expected a string, found a number (a.json:1:1487)"),
        "%s", error.text);
    hed_json_free(json);
}

Test(json, records)
{
    static const char *const list[] = {"x", "\xff y"};
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    cli_report *records = cli_report_create(true);
    cli_report_row(records, CLI_TEXT("b", "text \"q\"", .heading = "B", .shown = "other"),
        CLI_NUMBER("a", 0.1), CLI_NUMBER("none", NAN), CLI_WHOLE("big", (uint64_t)1 << 53),
        CLI_TEXT(NULL, "for people", .heading = "C"), CLI_FLAG("yes", true));
    cli_report_texts(records, "list", list, 2);
    FILE *stream = open_memstream(&text, &size);
    OK(cli_report_print(records, stream, &error));
    fclose(stream);
    cli_report_free(records);
    CHECK_TEXT(text,
        "[\n  {\n    \"b\": \"text \\\"q\\\"\",\n    \"a\": 0.1,\n    \"none\": null,\n    \"big\": 9007199254740992,\n"
        "    \"yes\": true,\n    \"list\": [\n      \"x\",\n      \"? y\"\n    ]\n  }\n]\n");
    free(text);
    FAILS(HED_ERROR_MEMORY, cli_report_print(NULL, stdout, &error));
}

Test(json, records_inside_records)
{
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    cli_report *records = cli_report_create(true);
    cli_report_begin(records);
    cli_report_open_list(records, "rows");
    for (uint32_t i = 0; i < 2; i++) {
        cli_report_begin(records);
        cli_report_open_list(records, "lanes");
        cli_report_begin(records);
        cli_report_open(records, "inner");
        cli_report_more(records, CLI_WHOLE("a", i));
        cli_report_close(records);
        cli_report_close(records);
        cli_report_more(records, CLI_WHOLE("b", i));
    }
    cli_report_close(records);
    cli_report_more(records, CLI_FLAG("end", true));
    FILE *stream = open_memstream(&text, &size);
    OK(cli_report_print_one(records, stream, &error));
    fclose(stream);
    cli_report_free(records);
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' && *from != '\n') *to++ = *from;
    *to = 0;
    CHECK_TEXT(text,
        "{\"rows\":[{\"lanes\":[{\"inner\":{\"a\":0}}],\"b\":0},{\"lanes\":[{\"inner\":{\"a\":1}}],\"b\":1}],\"end\":true}");
    free(text);
}

Test(json, full_disk_is_told)
{
    hed_error error = {0};
    cli_report *records = cli_report_create(true);
    cli_report_begin(records);
    FILE *full = fopen("/dev/full", "w");
    CHECK(full);
    FAILS(HED_ERROR_IO, cli_report_print(records, full, &error));
    fclose(full);
    cli_report_free(records);
}

/* ---- nearest ---- */

Test(nearest, slips)
{
    static const char *const words[] = {"device", "json", "kernel", "quick", NULL};
    CHECK_TEXT(hed_nearest("jsno", words), "json");
    CHECK_TEXT(hed_nearest("devcie", words), "device");
    CHECK_TEXT(hed_nearest("kern", words), "kernel");
    CHECK_TEXT(hed_nearest("quik", words), "quick");
    CHECK_NULL(hed_nearest("verbose", words));
    CHECK_NULL(hed_nearest("", words));
}
