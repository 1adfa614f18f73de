/* support/: JSON that names the place, PNG, atomic files, progress, tables, benches. The option tables have cli_test.c. */
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/bench.h"
#include "support/conformance.h"
#include "support/exit.h"
#include "support/file.h"
#include "support/json.h"
#include "support/nearest.h"
#include "support/png.h"
#include "support/progress.h"
#include "support/table.h"

/* ---- help for the tests ---- */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/heddle-support-XXXXXX");
    cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert(system(command) == 0);
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Names in the folder, which is how a test sees that nothing was left behind. */
static int count_files(void)
{
    DIR *stream = opendir(folder);
    cr_assert(stream);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static bool file_is(const char *path, const char *expected)
{
    hed_error error;
    char *bytes;
    size_t size;
    OK(hed_file_read(path, 1 << 20, &bytes, &size, &error));
    bool same = size == strlen(expected) && memcmp(bytes, expected, size + 1) == 0;
    free(bytes);
    return same;
}

static hed_json *parse(const char *text)
{
    hed_error error;
    hed_json *json;
    OK(hed_json_parse("a.json", text, strlen(text), &json, &error));
    return json;
}

/* The document's problem must be exactly this. */
static void expect_problem(hed_json *json, const char *expected)
{
    hed_error error;
    FAILS(HED_ERROR_FORMAT, hed_json_status(json, &error));
    cr_assert_str_eq(error.text, expected);
    hed_json_free(json);
}

/* ---- JSON ---- */

static const char INSTRUMENT[] = "{\n"
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
    hed_error error;
    hed_json *json = parse(INSTRUMENT);
    hed_json_node root = hed_json_root(json);
    cr_assert_str_eq(hed_json_string(hed_json_member(root, "name")), "a\xc3\xa9 \"b\" }]");
    cr_assert(hed_json_count(hed_json_member(root, "empty")) == 0);
    cr_assert(hed_json_count(hed_json_member(root, "springs")) == 2);
    cr_assert(hed_json_number(hed_json_member(spring(json, 0), "stiffness"), 0, 2000) == 1500);
    cr_assert(hed_json_integer(hed_json_member(spring(json, 1), "whole"), 3, 3) == 3);
    cr_assert(hed_json_boolean(hed_json_member(spring(json, 1), "on")));
    cr_assert(hed_json_has(root, "nested") && !hed_json_has(root, "Nested"));
    static const char *const masses[] = {"m0", "m1", "m2", NULL};
    cr_assert(hed_json_choice(hed_json_member(spring(json, 0), "to"), masses) == 2);
    double pair[2];
    hed_json_numbers(hed_json_item(hed_json_member(root, "nested"), 0), pair, 2, 0, 9);
    cr_assert(pair[0] == 1 && pair[1] == 2);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
}

Test(json, error_names_path_line_and_column)
{
    hed_json *json = parse(INSTRUMENT);
    cr_assert_str_eq(hed_json_string(hed_json_member(spring(json, 1), "to")), "");
    expect_problem(json, "springs[1].to: expected a string, found a number (a.json:7:6)");

    json = parse(INSTRUMENT);
    hed_json_node inner = hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 1), 1);
    hed_json_number(hed_json_member(hed_json_item(inner, 1), "deep"), 0, 1);
    expect_problem(json, "nested[1][1][1].deep: expected a number, found null (a.json:3:33)");

    json = parse(INSTRUMENT);
    hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 0), 2);
    expect_problem(json, "nested[0]: expected more than 2 elements, found 2 (a.json:3:14)");

    json = parse(INSTRUMENT);
    hed_json_count(hed_json_item(hed_json_item(hed_json_member(hed_json_root(json), "nested"), 1), 2));
    expect_problem(json, "nested[1][2]: expected an array, found a number (a.json:3:49)");
}

Test(json, odd_keys_keep_their_place)
{
    hed_json *json = parse(INSTRUMENT);
    hed_json_string(hed_json_member(hed_json_member(hed_json_root(json), "na me"), "tab"));
    expect_problem(json, "[\"na me\"].tab: expected a string, found a number (a.json:10:23)");
    json = parse(INSTRUMENT);
    hed_json_boolean(hed_json_member(hed_json_member(hed_json_root(json), "na me"), "x.y"));
    expect_problem(json, "[\"na me\"][\"x.y\"]: expected true or false, found a number (a.json:10:13)");
}

Test(json, ranges)
{
    hed_json *json = parse(INSTRUMENT);
    cr_assert(hed_json_number(hed_json_member(spring(json, 1), "stiffness"), 0, 1e9) == 0);
    expect_problem(json, "springs[1].stiffness: expected a number from 0 to 1e+09, found -1 (a.json:8:6)");
    json = parse(INSTRUMENT);
    hed_json_integer(hed_json_member(spring(json, 1), "part"), 0, 10);
    expect_problem(json, "springs[1].part: expected a whole number, found 3.5 (a.json:8:37)");
    json = parse(INSTRUMENT);
    hed_json_integer(hed_json_member(spring(json, 1), "whole"), 4, 10);
    expect_problem(json, "springs[1].whole: expected a whole number from 4 to 10, found 3 (a.json:8:23)");
    json = parse("[1, 2, 3]");
    double values[2] = {7, 7};
    hed_json_numbers(hed_json_root(json), values, 2, 0, 1);
    cr_assert(values[0] == 0 && values[1] == 0);
    expect_problem(json, "the whole document: expected an array of 2 numbers, found 3 elements (a.json:1:1)");
}

Test(json, first_problem_stays)
{
    hed_json *json = parse(INSTRUMENT);
    hed_json_node root = hed_json_root(json);
    hed_json_member(root, "masses");
    cr_assert(hed_json_count(hed_json_member(root, "springs")) == 0, "nothing is found after the first problem");
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
    expect_problem(json, "springs[0].stiffness: unknown key; the keys here are \"from\", \"to\" (a.json:5:32)");
    static const char *const all[] = {"from", "to", "stiffness", NULL};
    json = parse(INSTRUMENT);
    hed_json_only(spring(json, 0), all);
    hed_json_choice(hed_json_member(spring(json, 0), "from"), far);
    expect_problem(json, "springs[0].from: expected one of \"from\", \"to\"; found \"m1\" (a.json:5:6)");
    json = parse(INSTRUMENT);
    hed_json_reject(hed_json_member(spring(json, 0), "to"), "no mass is called \"%s\"", "m2");
    expect_problem(json, "springs[0].to: no mass is called \"m2\" (a.json:5:20)");
}

Test(json, syntax_errors_name_the_line)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"{\n  \"a\": [1,\n 2,,\n}", "a.json:3:4: not JSON: unexpected token near ','"},
                 {"", "a.json is empty; expected JSON"},
                 {"\xef\xbb\xbf", "a.json is empty; expected JSON"},
                 {"{\"a\": 1, \"a\": 2}", "a.json:1:12: not JSON: duplicate object key near '\"a\"'"},
                 {"[1] 2", "a.json:1:5: not JSON: end of file expected near '2'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_error error;
        hed_json *json;
        FAILS(HED_ERROR_FORMAT, hed_json_parse("a.json", cases[i].text, strlen(cases[i].text), &json, &error));
        cr_assert(!json);
        cr_expect_str_eq(error.text, cases[i].expected);
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
    for (int i = 0; i < 100; i++)
        used += (size_t)sprintf(text + used, "{\"a_long_name\":");
    used += (size_t)sprintf(text + used, "1");
    for (int i = 0; i < 100; i++)
        text[used++] = '}';
    text[used] = 0;
    hed_json *json = parse(text);
    hed_json_node node = hed_json_root(json);
    for (int i = 0; i < 100; i++)
        node = hed_json_member(node, "a_long_name");
    hed_json_string(node);
    hed_error error;
    FAILS(HED_ERROR_FORMAT, hed_json_status(json, &error));
    cr_assert(strstr(error.text, "a_long_name.a_long_name: expected a string, found a number (a.json:1:1487)"), "%s", error.text);
    hed_json_free(json);
}

Test(json, records)
{
    static const char *const list[] = {"x", "\xff y"};
    char *text = NULL;
    size_t size;
    hed_error error;
    hed_records *records = hed_records_create();
    hed_records_next(records);
    hed_records_text(records, "b", "text \"q\"");
    hed_records_number(records, "a", 0.1);
    hed_records_number(records, "none", NAN);
    hed_records_integer(records, "big", (uint64_t)1 << 53);
    hed_records_boolean(records, "yes", true);
    hed_records_texts(records, "list", list, 2);
    FILE *stream = open_memstream(&text, &size);
    OK(hed_records_print(records, stream, &error));
    fclose(stream);
    hed_records_free(records);
    cr_assert_str_eq(text, "[\n  {\n    \"b\": \"text \\\"q\\\"\",\n    \"a\": 0.1,\n    \"none\": null,\n    \"big\": 9007199254740992,\n"
                           "    \"yes\": true,\n    \"list\": [\n      \"x\",\n      \"? y\"\n    ]\n  }\n]\n");
    free(text);
    FAILS(HED_ERROR_MEMORY, hed_records_print(NULL, stdout, &error));
}

Test(json, full_disk_is_told)
{
    hed_error error;
    hed_records *records = hed_records_create();
    hed_records_next(records);
    FILE *full = fopen("/dev/full", "w");
    cr_assert(full);
    FAILS(HED_ERROR_IO, hed_records_print(records, full, &error));
    fclose(full);
    hed_records_free(records);
}

/* ---- nearest ---- */

Test(nearest, slips)
{
    static const char *const words[] = {"device", "json", "kernel", "quick", NULL};
    cr_assert_str_eq(hed_nearest("jsno", words), "json");
    cr_assert_str_eq(hed_nearest("devcie", words), "device");
    cr_assert_str_eq(hed_nearest("kern", words), "kernel");
    cr_assert_str_eq(hed_nearest("quik", words), "quick");
    cr_assert_null(hed_nearest("verbose", words));
    cr_assert_null(hed_nearest("", words));
}

/* ---- files ---- */

Test(file, written_whole, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    const char *path = in_folder("a");
    OK(hed_file_write(path, "one", 3, &error));
    cr_assert(file_is(path, "one"));
    cr_assert(chmod(path, 0640) == 0);
    OK(hed_file_write(path, "", 0, &error));
    struct stat after;
    cr_assert(stat(path, &after) == 0 && after.st_size == 0 && (after.st_mode & 07777) == 0640, "mode is kept");
    cr_assert(count_files() == 1);
}

Test(file, abort_leaves_everything_as_it_was, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    hed_file_writer *writer;
    const char *path = in_folder("a");
    OK(hed_file_write(path, "old", 3, &error));
    OK(hed_file_writer_open(path, &writer, &error));
    OK(hed_file_writer_put(writer, "new and longer", 14));
    cr_assert(count_files() == 2, "the temporary file is in the same folder");
    cr_assert(file_is(path, "old"), "the old file is there while the new one is written");
    hed_file_writer_abort(writer);
    cr_assert(count_files() == 1);
    cr_assert(file_is(path, "old"));
    OK(hed_file_writer_open(in_folder("b"), &writer, &error));
    hed_file_writer_abort(writer);
    hed_file_writer_abort(NULL);
    cr_assert(count_files() == 1);
}

Test(file, failures_are_explained, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    hed_file_writer *writer;
    FAILS(HED_ERROR_IO, hed_file_write(in_folder("no/such"), "x", 1, &error));
    cr_assert(strstr(error.text, "no/such") && strstr(error.text, strerror(ENOENT)), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_writer_open(folder, &writer, &error));
    cr_assert(strstr(error.text, strerror(EISDIR)), "%s", error.text);
    char *bytes;
    size_t size;
    FAILS(HED_ERROR_IO, hed_file_read(in_folder("nothing"), 10, &bytes, &size, &error));
    FAILS(HED_ERROR_IO, hed_file_read(folder, 10, &bytes, &size, &error));
    OK(hed_file_write(in_folder("a"), "0123456789", 10, &error));
    FAILS(HED_ERROR_LIMIT, hed_file_read(in_folder("a"), 9, &bytes, &size, &error));
    cr_assert(!bytes);
    OK(hed_file_read(in_folder("a"), 10, &bytes, &size, &error));
    free(bytes);
    /* A folder that vanishes under the writer. */
    cr_assert(mkdir(in_folder("sub"), 0777) == 0);
    OK(hed_file_writer_open(in_folder("sub/a"), &writer, &error));
    char command[160];
    snprintf(command, sizeof command, "rm -r %s/sub", folder);
    cr_assert(system(command) == 0);
    FAILS(HED_ERROR_IO, hed_file_writer_commit(writer, &error));
    cr_assert(count_files() == 1);
}

Test(file, full_disk, .init = make_folder, .fini = remove_folder)
{
    /* /dev/full is no regular file, so the bytes go straight to it; a rename would replace the device. */
    hed_error error;
    hed_file_writer *writer;
    OK(hed_file_writer_open("/dev/full", &writer, &error));
    static char block[1 << 16];
    hed_status put = HED_OK;
    for (int i = 0; i < 8; i++)
        put = hed_file_writer_put(writer, block, sizeof block);
    cr_assert(put == HED_ERROR_IO);
    FAILS(HED_ERROR_IO, hed_file_writer_commit(writer, &error));
    cr_assert(strstr(error.text, strerror(ENOSPC)), "%s", error.text);
    struct stat device;
    cr_assert(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    OK(hed_file_write("/dev/null", "x", 1, &error));
    cr_assert(stat("/dev/null", &device) == 0 && S_ISCHR(device.st_mode));
}

Test(file, links_are_followed, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    char link[128];
    snprintf(link, sizeof link, "%s", in_folder("link"));
    cr_assert(symlink("target", link) == 0);
    OK(hed_file_write(link, "new", 3, &error));
    OK(hed_file_write(link, "newer", 5, &error));
    struct stat found;
    cr_assert(lstat(link, &found) == 0 && S_ISLNK(found.st_mode));
    cr_assert(file_is(in_folder("target"), "newer"));
    cr_assert(count_files() == 2);
}

/* ---- PNG ---- */

static hed_image make_image(uint32_t width, uint32_t height, uint32_t channels)
{
    hed_error error;
    hed_image image;
    OK(hed_image_create(width, height, channels, &image, &error));
    uint32_t state = 1;
    for (size_t i = 0; i < (size_t)width * height * channels; i++)
        image.pixels[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    return image;
}

Test(png, round_trip, .init = make_folder, .fini = remove_folder)
{
    static const uint32_t channels[] = {1, 3, 4};
    hed_error error;
    for (int i = 0; i < 3; i++) {
        hed_image image = make_image(37, 19, channels[i]), back;
        OK(hed_png_write(in_folder("a.png"), &image, &error));
        OK(hed_png_read(in_folder("a.png"), &back, &error));
        cr_assert(back.width == 37 && back.height == 19 && back.channels == channels[i]);
        cr_assert(memcmp(back.pixels, image.pixels, (size_t)37 * 19 * channels[i]) == 0);
        hed_image_free(&image);
        hed_image_free(&back);
    }
    cr_assert(count_files() == 1);
}

Test(png, cut_short_at_every_length, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    hed_image image = make_image(9, 7, 3), back;
    char *bytes;
    size_t size;
    OK(hed_png_write(in_folder("a.png"), &image, &error));
    OK(hed_file_read(in_folder("a.png"), 1 << 20, &bytes, &size, &error));
    for (size_t length = 0; length < size; length++) {
        FAILS(HED_ERROR_FORMAT, hed_png_decode("a.png", bytes, length, &back, &error));
        cr_assert(!back.pixels && strstr(error.text, "a.png"));
    }
    OK(hed_png_decode("a.png", bytes, size, &back, &error));
    hed_image_free(&back);
    /* Every single byte turned: an error or a picture, but no crash; the pixels' checksum sees most of it. */
    int refused = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x20;
        refused += hed_png_decode("a.png", bytes, size, &back, &error) != HED_OK;
        hed_image_free(&back);
        bytes[i] ^= 0x20;
    }
    cr_assert(refused > (int)size / 2, "%d of %zu", refused, size);
    free(bytes);
    hed_image_free(&image);
}

Test(png, refusals, .init = make_folder, .fini = remove_folder)
{
    hed_error error;
    hed_image image;
    FAILS(HED_ERROR_ARGUMENT, hed_image_create(0, 5, 1, &image, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_image_create(5, 5, 2, &image, &error));
    FAILS(HED_ERROR_LIMIT, hed_image_create(UINT32_MAX, UINT32_MAX, 4, &image, &error));
    image = (hed_image){.width = 3, .height = 3, .channels = 2};
    FAILS(HED_ERROR_ARGUMENT, hed_png_write(in_folder("a.png"), &image, &error));
    FAILS(HED_ERROR_IO, hed_png_read(in_folder("a.png"), &image, &error));
    OK(hed_file_write(in_folder("a.png"), "GIF89a..", 8, &error));
    FAILS(HED_ERROR_FORMAT, hed_png_read(in_folder("a.png"), &image, &error));
    image = make_image(4, 4, 1);
    FAILS(HED_ERROR_IO, hed_png_write(in_folder("no/a.png"), &image, &error));
    FAILS(HED_ERROR_IO, hed_png_write("/dev/full", &image, &error));
    hed_image_free(&image);
    cr_assert(count_files() == 1);
}

/* Palette with transparency, 16-bit gray, 1-bit gray and interlaced: put together chunk by chunk. */
Test(png, other_kinds_are_converted)
{
    static const struct {
        const char *name, *hex;
        uint32_t channels;
        uint8_t first[4];
    } files[] = {
#include "support_png.inc"
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unsigned char bytes[512];
        size_t size = strlen(files[i].hex) / 2;
        for (size_t j = 0; j < size; j++)
            sscanf(files[i].hex + 2 * j, "%2hhx", &bytes[j]);
        hed_error error;
        hed_image image;
        OK(hed_png_decode(files[i].name, bytes, size, &image, &error));
        cr_expect(image.channels == files[i].channels, "%s: %u channels", files[i].name, image.channels);
        cr_expect(memcmp(image.pixels, files[i].first, image.channels) == 0, "%s: first pixel %u %u", files[i].name, image.pixels[0],
                  image.pixels[1]);
        hed_image_free(&image);
    }
}

/* ---- progress ---- */

static uint64_t fake_now;

static uint64_t read_fake(void *user)
{
    (void)user;
    return fake_now;
}

static hed_progress fake_progress(FILE *stream, bool terminal, uint64_t total)
{
    hed_progress progress = hed_progress_begin("verify", "runs", total, false);
    fake_now = 0;
    progress.clock = (hed_clock){.now = read_fake};
    progress.started = progress.drawn = 0;
    progress.stream = stream;
    progress.terminal = terminal;
    return progress;
}

/* Ten updates a second for `seconds`; what came out, to be freed. */
static char *watch(bool terminal, int seconds)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    hed_progress progress = fake_progress(stream, terminal, 480);
    for (int i = 1; i <= seconds * 10; i++) {
        fake_now = (uint64_t)i * 100000000;
        hed_progress_update(&progress, (uint64_t)i);
    }
    hed_progress_end(&progress);
    fclose(stream);
    return text;
}

Test(progress, says_nothing_below_a_second)
{
    char *text = watch(true, 0);
    cr_assert_str_eq(text, "");
    free(text);
    text = watch(false, 9);
    cr_assert_str_eq(text, "");
    free(text);
}

Test(progress, lines)
{
    char *text = watch(false, 20);
    cr_assert_str_eq(text, "verify: 100 of 480 runs, 10 runs/s, 21 %, 38 s left\nverify: 200 of 480 runs, 10 runs/s, 42 %, 28 s left\n");
    free(text);
    text = watch(true, 1);
    cr_assert_str_eq(text, "\rverify: 10 of 480 runs, 10 runs/s, 2 %, 47 s left\033[K\r\033[K");
    free(text);
    char line[128];
    hed_progress unknown = fake_progress(stderr, true, 0);
    unknown.done = 7;
    hed_progress_format(&unknown, 2, line, sizeof line);
    cr_assert_str_eq(line, "verify: 7 runs, 3.5 runs/s");
    hed_progress quiet = hed_progress_begin("a", "b", 1, true);
    cr_assert(!quiet.stream);
}

/* ---- tables ---- */

Test(table, aligned)
{
    static const char *const headings[] = {"NAME", ">COUNT", "EMPTY", "NOTE", NULL};
    char *text = NULL;
    size_t size;
    hed_error error;
    hed_table *table = hed_table_create(headings);
    const char *rows[2][4] = {{"caf\xc3\xa9", "7", "", "x"}, {"a", "1234567", "", "two\nlines"}};
    for (int i = 0; i < 8; i++)
        hed_table_cell(table, "%s", rows[i / 4][i % 4]);
    FILE *stream = open_memstream(&text, &size);
    OK(hed_table_print(table, stream, &error));
    fclose(stream);
    cr_assert_str_eq(text, "NAME    COUNT  NOTE\ncaf\xc3\xa9        7  x\na     1234567  two lines\n");
    free(text);
    hed_table_free(table);
    FAILS(HED_ERROR_MEMORY, hed_table_print(NULL, stdout, &error));
}

/* ---- interrupts ---- */

Test(interrupt, first_sets_the_flag_second_kills)
{
    pid_t child = fork();
    if (child == 0) {
        hed_interrupt_install();
        if (hed_interrupted())
            _exit(3);
        raise(SIGTERM);
        if (!hed_interrupted())
            _exit(4);
        raise(SIGINT);
        _exit(5);
    }
    int state;
    cr_assert(waitpid(child, &state, 0) == child);
    cr_assert(WIFSIGNALED(state) && WTERMSIG(state) == SIGINT, "state %x", state);
}

/* ---- bench ---- */

typedef struct fake_case {
    double *order;
    int *calls;
    double seconds;
} fake_case;

static hed_status fake_run(void *user, double *seconds, hed_error *error)
{
    (void)error;
    fake_case *f = user;
    f->order[(*f->calls)++] = f->seconds;
    /* The round before the first must not count. */
    *seconds = *f->calls <= 2 ? 100 : f->seconds;
    return HED_OK;
}

Test(bench, rounds_take_turns_and_the_first_is_thrown_away)
{
    static double order[2 * 2001];
    int calls = 0;
    hed_error error;
    fake_case fakes[2] = {{order, &calls, 1}, {order, &calls, 2}};
    hed_bench_case cases[2] = {{.run = fake_run, .user = &fakes[0]}, {.run = fake_run, .user = &fakes[1]}};
    OK(hed_bench_measure(cases, 2, 0, &error));
    cr_assert(calls == 12, "%d", calls);
    cr_assert(cases[0].seconds.p50 == 1 && cases[0].seconds.maximum == 1 && cases[0].seconds.count == 5);
    cr_assert(cases[1].seconds.p50 == 2 && cases[1].seconds.maximum == 2);
    cr_assert(order[2] == 1 && order[3] == 2 && order[4] == 2 && order[5] == 1, "every second round goes backwards");
    cr_assert(hed_bench_spread(&cases[0].seconds) == 0);
}

static hed_status failing_run(void *user, double *seconds, hed_error *error)
{
    (void)seconds;
    snprintf(error->text, sizeof error->text, "broken");
    error->status = HED_ERROR_DRIVER;
    return --*(int *)user > 0 ? HED_OK : HED_ERROR_DRIVER;
}

Test(bench, failure_ends_it)
{
    hed_error error = {0};
    int left = 3;
    hed_bench_case one = {.run = failing_run, .user = &left};
    cr_assert(hed_bench_measure(&one, 1, 0, &error) == HED_ERROR_DRIVER);
    cr_assert(left == 0);
}

Test(bench, records_have_what_applies)
{
    char *text = NULL;
    size_t size;
    hed_error error;
    hed_bench *bench = hed_bench_create();
    hed_bench_record all = {"suite", "name", "host", 2, "GB/s", 4, 0.5, "memcpy", 0.1};
    hed_bench_record few = {"suite", "other", "host", 3, "us", NAN, NAN, NULL, NAN};
    hed_bench_add(bench, &all);
    hed_bench_add(bench, &few);
    FILE *stream = open_memstream(&text, &size);
    OK(hed_bench_print(bench, true, stream, &error));
    fclose(stream);
    hed_json *json = parse(text);
    free(text);
    static const char *const all_keys[] = {"suite", "name", "device", "value", "unit", "floor", "ratio", "against", "spread", NULL};
    static const char *const few_keys[] = {"suite", "name", "device", "value", "unit", NULL};
    hed_json_node root = hed_json_root(json);
    cr_assert(hed_json_count(root) == 2);
    hed_json_only(hed_json_item(root, 0), all_keys);
    hed_json_only(hed_json_item(root, 1), few_keys);
    cr_assert(hed_json_number(hed_json_member(hed_json_item(root, 0), "ratio"), 0, 1) == 0.5);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
    stream = open_memstream(&text, &size);
    OK(hed_bench_print(bench, false, stream, &error));
    fclose(stream);
    cr_assert(strstr(text, "suite  name   host        2  GB/s  5.0 %"), "%s", text);
    free(text);
    hed_bench_free(bench);
}

/* ---- conformance: faults planted by a parameter, which the default does not have ---- */

enum { N = 100,
       RIGHT = 0,
       WRONG_VALUE,
       NOT_WRITTEN,
       UNASKED,
       BEHIND_THE_END,
       INPUT_CHANGED,
       SLIGHTLY_OFF,
       OTHER_NAN,
       FAULTS };

/* out[i] = in[i] + 1 for all but the last element; out[3] is NaN. */
static void planted(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *in = call->arguments[0], *out = call->arguments[1];
    int64_t fault = call->config->values[0], n = call->problem->sizes[0];
    for (uint64_t i = begin; i < end; i++) {
        if (i == 7 && fault == NOT_WRITTEN) continue;
        out[i] = in[i] + 1;
        if (i == 3) out[i] = fault == OTHER_NAN ? -NAN : NAN;
        if (i == 7 && fault == WRONG_VALUE) out[i] = -5;
        if (i == 7 && fault == SLIGHTLY_OFF) out[i] = nextafterf(out[i], 100);
        if (i == 7 && fault == UNASKED) out[n - 1] = 0;
        if (i == 7 && fault == BEHIND_THE_END) out[n] = 0;
        if (i == 7 && fault == INPUT_CHANGED) in[0] = 3;
    }
}

static bool planted_valid(const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)device;
    (void)strict;
    return config->values[1] != 2;
}

static void planted_geometry(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    (void)config;
    *geometry = (hed_geometry){.dimensions = 1, .global = {(uint64_t)problem->sizes[0] - 1}, .group = {1}};
}

static uint64_t planted_bytes(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, uint32_t argument)
{
    (void)def;
    (void)config;
    (void)argument;
    return (uint64_t)problem->sizes[0] * 4;
}

static void planted_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    (void)problem;
    (void)argument;
    for (uint64_t i = 0; i < bytes / 4; i++) ((float *)data)[i] = (float)(i + seed);
}

static const hed_argument_def PLANTED_ARGUMENTS[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-6}};
static const int64_t FAULT_VALUES[] = {RIGHT, WRONG_VALUE, NOT_WRITTEN, UNASKED, BEHIND_THE_END, INPUT_CHANGED, SLIGHTLY_OFF, OTHER_NAN};
static const int64_t OTHER_VALUES[] = {1, 2, 3};
static const hed_parameter_def PLANTED_PARAMETERS[] = {{.name = "FAULT", .values = FAULT_VALUES, .count = FAULTS},
                                                       {.name = "OTHER", .values = OTHER_VALUES, .count = 3, .value = 1}};
static const hed_problem PLANTED_PROBLEMS[] = {{1, {N}}, {1, {N + 1}}};
static const char *const PLANTED_DIMENSIONS[] = {"n"};
static const hed_kernel_def PLANTED = {
    .name = "planted",
    .arguments = PLANTED_ARGUMENTS,
    .argument_count = 2,
    .parameters = PLANTED_PARAMETERS,
    .parameter_count = 2,
    .dimensions = PLANTED_DIMENSIONS,
    .dimension_count = 1,
    .valid = planted_valid,
    .geometry = planted_geometry,
    .range = planted,
    .sample = {.problems = PLANTED_PROBLEMS, .count = 2, .bytes = planted_bytes, .fill = planted_fill}};

typedef struct verdicts {
    hed_verdict verdict[FAULTS][2];
    char text[FAULTS][2][512];
    uint64_t written[FAULTS][2], hash[FAULTS][2];
    int runs, stop_after;
} verdicts;

static void keep_verdict(void *user, const hed_conformance_run *run)
{
    verdicts *v = user;
    v->runs++;
    if (run->config->values[1] != 1 || run->problem->sizes[0] != N) return;
    int64_t fault = run->config->values[0];
    v->verdict[fault][run->math] = run->verdict;
    v->written[fault][run->math] = run->written;
    v->hash[fault][run->math] = run->hash;
    snprintf(v->text[fault][run->math], 512, "%s", run->text);
}

static bool stop_now(void *user)
{
    const verdicts *v = user;
    return v->stop_after && v->runs >= v->stop_after;
}

static hed_conformance_report conform(hed_coverage coverage, verdicts *v)
{
    hed_error error;
    hed_context *context;
    hed_context_def context_def = hed_default_context_def();
    context_def.opencl_library = context_def.cuda_library = context_def.nvrtc_library = "";
    context_def.cache_dir = "";
    OK(hed_context_create(&context_def, &context, &error));
    hed_conformance_def def = {.kernel = &PLANTED, .coverage = coverage, .seed = 1, .each = keep_verdict, .stop = stop_now, .user = v};
    OK(hed_device_find(context, "host", &def.device, &error));
    def.reference = def.device;
    uint64_t count;
    hed_conformance_report report;
    OK(hed_conformance_count(&def, &count, &error));
    OK(hed_conformance(&def, &report, &error));
    cr_assert(v->stop_after || count == (uint64_t)v->runs, "%d of %u", v->runs, (unsigned)count);
    cr_assert(report.passed + report.invalid + report.failed == (uint64_t)v->runs);
    cr_assert(report.stopped == (v->stop_after != 0));
    hed_context_destroy(context);
    return report;
}

Test(conformance, finds_planted_faults)
{
    static verdicts v;
    hed_conformance_report report = conform(HED_COVER_ALL, &v);
    cr_assert(v.runs == FAULTS * 3 * 2 * 2);
    cr_assert(report.invalid == FAULTS * 2 * 2, "one value of three is never valid");
    static const char *const texts[FAULTS] = {[WRONG_VALUE] = "out[7]: error 1.56, tolerance 1e-06, expected 9, found -5",
                                              [NOT_WRITTEN] = "out[7]: not written",
                                              [UNASKED] = "out[99]: written, though the native version leaves it alone",
                                              [BEHIND_THE_END] = "out: written 0 bytes behind its end",
                                              [INPUT_CHANGED] = "in: an input was changed"};
    for (int fault = 0; fault < FAULTS; fault++) {
        bool right = fault == RIGHT || fault == SLIGHTLY_OFF || fault == OTHER_NAN;
        cr_expect(v.verdict[fault][HED_MATH_FAST] == (right ? HED_VERDICT_PASSED : HED_VERDICT_FAILED), "fault %d", fault);
        cr_expect_str_eq(v.text[fault][HED_MATH_FAST], texts[fault] ? texts[fault] : "");
        cr_expect(v.written[fault][HED_MATH_FAST] == N - 1 - (fault == NOT_WRITTEN), "fault %d: %u", fault,
                  (unsigned)v.written[fault][HED_MATH_FAST]);
    }
    cr_expect(v.verdict[RIGHT][HED_MATH_STRICT] == HED_VERDICT_PASSED);
    cr_expect(v.verdict[SLIGHTLY_OFF][HED_MATH_STRICT] == HED_VERDICT_FAILED);
    cr_expect_str_eq(v.text[SLIGHTLY_OFF][HED_MATH_STRICT], "out[7]: other bits (strict), expected 9, found 9.00000095");
    cr_expect(v.verdict[OTHER_NAN][HED_MATH_STRICT] == HED_VERDICT_PASSED, "NaNs are made canonical");
    cr_expect(v.hash[OTHER_NAN][HED_MATH_STRICT] == v.hash[RIGHT][HED_MATH_STRICT]);
    cr_expect(v.hash[SLIGHTLY_OFF][HED_MATH_STRICT] != v.hash[RIGHT][HED_MATH_STRICT]);
}

Test(conformance, coverage)
{
    static verdicts some, values, stopped = {.stop_after = 3};
    conform(HED_COVER_DEFAULT, &some);
    cr_assert(some.runs == 2 * 2);
    /* The default, 7 other faults, and OTHER=3; OTHER=2 is never valid. */
    conform(HED_COVER_VALUES, &values);
    cr_assert(values.runs == 9 * 2 * 2, "%d", values.runs);
    conform(HED_COVER_VALUES, &stopped);
    cr_assert(stopped.runs == 3);
}
