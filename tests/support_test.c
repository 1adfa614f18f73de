/* support/: atomic files, PNG, progress, tables, interrupts, benches. JSON has json_test.c, the
 * option tables cli_test.c. */
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/bench.h"
#include "support/exit.h"
#include "support/file.h"
#include "support/json.h"
#include "support/png.h"
#include "support/sources.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"

/* ---- help for the tests ---- */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/heddle-support-XXXXXX");
    CHECK(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
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
    CHECK(stream);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static bool file_is(const char *path, const char *expected)
{
    hed_error error = {0};
    char *bytes;
    size_t size;
    OK(hed_file_read(path, 1 << 20, &bytes, &size, &error));
    bool same = size == strlen(expected) && memcmp(bytes, expected, size + 1) == 0;
    free(bytes);
    return same;
}

/* ---- files ---- */

Test(file, written_whole, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
    const char *path = in_folder("a");
    OK(hed_file_write(path, "one", 3, &error));
    CHECK(file_is(path, "one"));
    CHECK(chmod(path, 0640) == 0);
    OK(hed_file_write(path, "", 0, &error));
    struct stat after;
    CHECK(stat(path, &after) == 0 && after.st_size == 0 && (after.st_mode & 07777) == 0640,
        "mode is kept");
    CHECK(count_files() == 1);
}

Test(file, abort_leaves_everything_as_it_was, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
    hed_file_writer *writer;
    const char *path = in_folder("a");
    OK(hed_file_write(path, "old", 3, &error));
    OK(hed_file_writer_open(path, &writer, &error));
    OK(hed_file_writer_put(writer, "new and longer", 14));
    CHECK(count_files() == 2, "the temporary file is in the same folder");
    CHECK(file_is(path, "old"), "the old file is there while the new one is written");
    hed_file_writer_abort(writer);
    CHECK(count_files() == 1);
    CHECK(file_is(path, "old"));
    OK(hed_file_writer_open(in_folder("b"), &writer, &error));
    hed_file_writer_abort(writer);
    hed_file_writer_abort(NULL);
    CHECK(count_files() == 1);
}

Test(file, failures_are_explained, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
    hed_file_writer *writer;
    FAILS(HED_ERROR_IO, hed_file_write(in_folder("no/such"), "x", 1, &error));
    CHECK(strstr(error.text, "no/such") && strstr(error.text, strerror(ENOENT)), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_writer_open(folder, &writer, &error));
    CHECK(strstr(error.text, strerror(EISDIR)), "%s", error.text);
    char *bytes;
    size_t size;
    FAILS(HED_ERROR_IO, hed_file_read(in_folder("nothing"), 10, &bytes, &size, &error));
    FAILS(HED_ERROR_IO, hed_file_read(folder, 10, &bytes, &size, &error));
    OK(hed_file_write(in_folder("a"), "0123456789", 10, &error));
    FAILS(HED_ERROR_LIMIT, hed_file_read(in_folder("a"), 9, &bytes, &size, &error));
    CHECK(!bytes);
    OK(hed_file_read(in_folder("a"), 10, &bytes, &size, &error));
    free(bytes);
    /* A folder that vanishes under the writer. */
    CHECK(mkdir(in_folder("sub"), 0777) == 0);
    OK(hed_file_writer_open(in_folder("sub/a"), &writer, &error));
    char command[160];
    snprintf(command, sizeof command, "rm -r %s/sub", folder);
    CHECK(system(command) == 0);
    FAILS(HED_ERROR_IO, hed_file_writer_commit(writer, &error));
    CHECK(count_files() == 1);
}

/* A pipe that would be refused is not opened either: whoever waits to write into it goes on waiting. */
Test(file, a_pipe_is_not_opened_in_passing, .init = make_folder, .fini = remove_folder,
    .timeout = 60)
{
    hed_error error = {0};
    char path[128];
    strcpy(path, in_folder("pipe"));
    CHECK(mkfifo(path, 0600) == 0);
    int watch = inotify_init1(IN_NONBLOCK);
    CHECK(watch >= 0 && inotify_add_watch(watch, path, IN_OPEN) >= 0);
    CHECK(hed_file_open_regular(path) < 0 && errno == EINVAL);
    FAILS(HED_ERROR_IO, hed_file_require_regular(path, &error));
    FAILS(HED_ERROR_IO, hed_file_write(path, "x", 1, &error)); /* opened, without a reader: ENXIO */
    char events[4096];
    CHECK(read(watch, events, sizeof events) < 0 && errno == EAGAIN);
    close(watch);
    CHECK(hed_file_open_regular(in_folder("nothing")) < 0 && errno == ENOENT);
    CHECK(hed_file_open_regular(folder) < 0 && errno == EINVAL);
    OK(hed_file_write(in_folder("file"), "abc", 3, &error));
    int file = hed_file_open_regular(in_folder("file"));
    CHECK(file >= 0 && read(file, events, sizeof events) == 3);
    close(file);
}

/* A pipe that nobody has open at its other end is not waited for; one that somebody writes into is
 * read, however slowly. */
Test(file, what_is_no_file_is_named, .init = make_folder, .fini = remove_folder, .timeout = 60)
{
    hed_error error = {0};
    char *bytes;
    size_t size;
    char pipe_path[128];
    strcpy(pipe_path, in_folder("pipe"));
    CHECK(mkfifo(pipe_path, 0600) == 0);
    FAILS(HED_ERROR_IO, hed_file_read(pipe_path, 100, &bytes, &size, &error));
    CHECK(!bytes && strstr(error.text, pipe_path) &&
              strstr(error.text, "is a pipe that nothing is written into"),
        "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_write(pipe_path, "x", 1, &error));
    CHECK(strstr(error.text, "it is a pipe without a reader"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_require_regular(pipe_path, &error));
    CHECK(strstr(error.text, "is a pipe, expected a file"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_read("/dev/zero", 1u << 30, &bytes, &size, &error));
    CHECK(strstr(error.text, "is a device, expected a file"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_read(folder, 100, &bytes, &size, &error));
    CHECK(strstr(error.text, "is a folder, expected a file"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_file_require_regular(in_folder("nothing"), &error));
    CHECK(strstr(error.text, strerror(ENOENT)), "%s", error.text);
    OK(hed_file_require_regular("/proc/self/status", &error));
    OK(hed_file_read("/proc/self/status", 1 << 20, &bytes, &size, &error));
    CHECK(size > 100);
    free(bytes);
    pid_t writer = fork();
    if (writer == 0) {
        FILE *stream = fopen(pipe_path, "w");
        fputs("slow", stream);
        fflush(stream);
        usleep(100000);
        fputs(" but there", stream);
        fclose(stream);
        _exit(0);
    }
    /* so that the pipe has a writer before the other process is there */
    int held = open(pipe_path, O_RDWR);
    CHECK(held >= 0);
    struct pollfd wait = {.fd = held, .events = POLLIN};
    CHECK(poll(&wait, 1, 30000) == 1);
    int reader = open(pipe_path, O_RDONLY | O_NONBLOCK); /* keeps what is in the pipe */
    close(held);
    CHECK(file_is(pipe_path, "slow but there"));
    close(reader);
    waitpid(writer, NULL, 0);
}

Test(file, full_disk, .init = make_folder, .fini = remove_folder)
{
    /* /dev/full is no regular file, so the bytes go straight to it; a rename would replace the
     * device. */
    hed_error error = {0};
    hed_file_writer *writer;
    OK(hed_file_writer_open("/dev/full", &writer, &error));
    static char block[1 << 16];
    hed_status put = HED_OK;
    for (int i = 0; i < 8; i++) put = hed_file_writer_put(writer, block, sizeof block);
    CHECK(put == HED_ERROR_IO);
    errno = EINTR;
    CHECK(hed_file_writer_put(writer, block, 1) == HED_ERROR_IO && errno == ENOSPC, "%s",
        strerror(errno));
    FAILS(HED_ERROR_IO, hed_file_writer_commit(writer, &error));
    CHECK(strstr(error.text, strerror(ENOSPC)), "%s", error.text);
    struct stat device;
    CHECK(stat("/dev/full", &device) == 0 && S_ISCHR(device.st_mode));
    OK(hed_file_write("/dev/null", "x", 1, &error));
    CHECK(stat("/dev/null", &device) == 0 && S_ISCHR(device.st_mode));
}

Test(file, links_are_refused, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
    char link[128];
    snprintf(link, sizeof link, "%s", in_folder("link"));
    CHECK(symlink("target", link) == 0);
    for (int there = 0; there < 2; there++) {
        FAILS(HED_ERROR_IO, hed_file_write(link, "new", 3, &error));
        EXPECT(strstr(error.text, link) && strstr(error.text, "symbolic link (to target)"), "%s",
            error.text);
        CHECK(count_files() == 1 + there);
        OK(hed_file_write(in_folder("target"), "old", 3, &error));
    }
    struct stat found;
    CHECK(lstat(link, &found) == 0 && S_ISLNK(found.st_mode));
    CHECK(file_is(in_folder("target"), "old"));
}

/* ---- outputs and sources ---- */

hed_file_register *hed_command_register;

static hed_file_register test_register = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin_command(void)
{
    make_folder();
    hed_command_register = &test_register;
}

static void end_command(void)
{
    hed_file_register_clear(&test_register);
    hed_command_register = NULL;
    remove_folder();
}

Test(outputs, none_replaces_a_source, .init = begin_command, .fini = end_command)
{
    hed_error error = {0};
    char source[128], other[128], *bytes;
    size_t size;
    snprintf(source, sizeof source, "%s", in_folder("source"));
    snprintf(other, sizeof other, "%s", in_folder("other"));
    OK(hed_file_write(source, "kept", 4, &error));
    CHECK_EQ(link(source, other), 0);
    OK(hed_file_read(source, 100, &bytes, &size, &error));
    free(bytes);
    FAILS(HED_ERROR_ARGUMENT, hed_file_write(other, "new", 3, &error));
    CHECK(strstr(error.text, source) && strstr(error.text, other), "%s", error.text);
    FAILS(HED_ERROR_ARGUMENT, hed_output_announce("--out", other, &error));
    CHECK(strstr(error.text, source) && strstr(error.text, "--out"), "%s", error.text);
    CHECK(file_is(source, "kept") && count_files() == 2);
    hed_source_forget(other);
    OK(hed_file_write(source, "new", 3, &error));
}

Test(outputs, none_is_read_before_it_is_written, .init = begin_command, .fini = end_command)
{
    hed_error error = {0};
    char out[128], *bytes;
    size_t size;
    snprintf(out, sizeof out, "%s", in_folder("out"));
    OK(hed_output_announce("--out", out, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_output_announce("--csv", out, &error));
    CHECK(strstr(error.text, "--csv") && strstr(error.text, "--out"), "%s", error.text);
    hed_file_register_clear(&test_register);
    OK(hed_file_write(out, "old", 3, &error));
    OK(hed_output_announce("--out", out, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_file_read(out, 100, &bytes, &size, &error));
    CHECK_NULL(bytes);
    hed_file_register_clear(&test_register);
    OK(hed_output_announce("--out", out, &error));
    OK(hed_file_write(out, "new", 3, &error));
    CHECK(file_is(out, "new"));
}

Test(outputs, reports_may_be_replaced, .init = begin_command, .fini = end_command)
{
    hed_error error = {0};
    static const char report[] = "<!doctype html>" HED_REPORT_MARK "<p>";
    char out[128], *bytes;
    size_t size;
    snprintf(out, sizeof out, "%s", in_folder("report.html"));
    OK(hed_file_write(out, report, sizeof report - 1, &error));
    OK(hed_file_read(out, 1000, &bytes, &size, &error));
    CHECK(hed_is_report(bytes, size) && !hed_is_report("<p>", 3));
    free(bytes);
    OK(hed_output_announce("--report", out, &error));
    OK(hed_file_write(out, "new", 3, &error));
}

/* ---- PNG ---- */

static hed_image make_image(uint32_t width, uint32_t height, uint32_t channels)
{
    hed_error error = {0};
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
    hed_error error = {0};
    for (int i = 0; i < 3; i++) {
        hed_image image = make_image(37, 19, channels[i]), back;
        OK(hed_png_write(in_folder("a.png"), &image, &error));
        OK(hed_png_read(in_folder("a.png"), &back, &error));
        CHECK(back.width == 37 && back.height == 19 && back.channels == channels[i]);
        CHECK(memcmp(back.pixels, image.pixels, (size_t)37 * 19 * channels[i]) == 0);
        hed_image_free(&image);
        hed_image_free(&back);
    }
    CHECK(count_files() == 1);
}

Test(png, cut_short_at_every_length, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
    hed_image image = make_image(9, 7, 3), back;
    char *bytes;
    size_t size;
    OK(hed_png_write(in_folder("a.png"), &image, &error));
    OK(hed_file_read(in_folder("a.png"), 1 << 20, &bytes, &size, &error));
    for (size_t length = 0; length < size; length++) {
        FAILS(HED_ERROR_FORMAT, hed_png_decode("a.png", bytes, length, &back, &error));
        CHECK(!back.pixels && strstr(error.text, "a.png"));
    }
    OK(hed_png_decode("a.png", bytes, size, &back, &error));
    hed_image_free(&back);
    /* Every single byte turned: an error or a picture, but no crash; the pixels' checksum sees most
     * of it. */
    int refused = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x20;
        hed_error_clear(&error);
        refused += hed_png_decode("a.png", bytes, size, &back, &error) != HED_OK;
        hed_image_free(&back);
        bytes[i] ^= 0x20;
    }
    CHECK(refused > (int)size / 2, "%d of %zu", refused, size);
    free(bytes);
    hed_image_free(&image);
}

Test(png, refusals, .init = make_folder, .fini = remove_folder)
{
    hed_error error = {0};
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
    CHECK(count_files() == 1);
}

/* Palette with transparency, 16-bit gray, 1-bit gray and interlaced: put together chunk by
 * chunk. */
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
        for (size_t j = 0; j < size; j++) sscanf(files[i].hex + 2 * j, "%2hhx", &bytes[j]);
        hed_error error = {0};
        hed_image image;
        OK(hed_png_decode(files[i].name, bytes, size, &image, &error));
        EXPECT(
            image.channels == files[i].channels, "%s: %u channels", files[i].name, image.channels);
        EXPECT(memcmp(image.pixels, files[i].first, image.channels) == 0, "%s: first pixel %u %u",
            files[i].name, image.pixels[0], image.pixels[1]);
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
    progress.started = progress.last_drawn = 0;
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
    CHECK_TEXT(text, "");
    free(text);
    text = watch(false, 9);
    CHECK_TEXT(text, "");
    free(text);
}

Test(progress, lines)
{
    char *text = watch(false, 20);
    CHECK_TEXT(text,
        "verify: 100 of 480 runs, 10 runs/s, 21 %, 38 s left\nverify: 200 of 480 runs, 10 runs/s, 42 %, 28 s left\n");
    free(text);
    text = watch(true, 1);
    CHECK_TEXT(text, "\rverify: 10 of 480 runs, 10 runs/s, 2 %, 47 s left\033[K\r\033[K");
    free(text);
    char line[128];
    hed_progress unknown = fake_progress(stderr, true, 0);
    unknown.done = 7;
    hed_progress_format(&unknown, 2, line, sizeof line);
    CHECK_TEXT(line, "verify: 7 runs, 3.5 runs/s");
    hed_progress quiet = hed_progress_begin("a", "b", 1, true);
    CHECK(!quiet.stream);
}

/* ---- tables ---- */

Test(table, aligned)
{
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    cli_report *table = cli_report_create(false);
    const char *rows[3][4] = {
        {"caf\xc3\xa9", "7", "", "x"}, {"a", "1234567", "", "two\nlines"}, {"b", "", "", ""}};
    for (int i = 0; i < 3; i++)
        cli_report_row(table, CLI_TEXT("a", rows[i][0], .heading = "NAME"), CLI_FLAG("json", true),
            CLI_TEXT("b", "another", .heading = ">COUNT", .shown = rows[i][1]),
            CLI_NUMBER("c", NAN, .heading = "EMPTY"),
            CLI_TEXT(NULL, rows[i][3], .heading = "NOTE"));
    CHECK(cli_report_rows(table) == 3);
    FILE *stream = open_memstream(&text, &size);
    OK(cli_report_print(table, stream, &error));
    fclose(stream);
    CHECK_TEXT(text, "NAME    COUNT  NOTE\ncaf\xc3\xa9        7  x\na     1234567  two lines\nb\n");
    free(text);
    cli_report_free(table);
    FAILS(HED_ERROR_MEMORY, cli_report_print(NULL, stdout, &error));
}

/* ---- interrupts ---- */

Test(interrupt, first_sets_the_flag_second_kills)
{
    pid_t child = fork();
    if (child == 0) {
        hed_interrupt_install();
        if (hed_interrupted()) _exit(3);
        raise(SIGTERM);
        if (!hed_interrupted()) _exit(4);
        raise(SIGINT);
        _exit(5);
    }
    int state;
    CHECK(waitpid(child, &state, 0) == child);
    CHECK(WIFSIGNALED(state) && WTERMSIG(state) == SIGINT, "state %x", state);
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
    hed_error error = {0};
    fake_case fakes[2] = {{order, &calls, 1}, {order, &calls, 2}};
    hed_bench_case cases[2] = {
        {.run = fake_run, .user = &fakes[0]}, {.run = fake_run, .user = &fakes[1]}};
    OK(hed_bench_measure(cases, 2, 0, &error));
    CHECK(calls == 12, "%d", calls);
    CHECK(
        cases[0].seconds.p50 == 1 && cases[0].seconds.maximum == 1 && cases[0].seconds.count == 5);
    CHECK(cases[1].seconds.p50 == 2 && cases[1].seconds.maximum == 2);
    CHECK(order[2] == 1 && order[3] == 2 && order[4] == 2 && order[5] == 1,
        "every second round goes backwards");
    CHECK(hed_bench_spread(&cases[0].seconds) == 0);
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
    CHECK(hed_bench_measure(&one, 1, 0, &error) == HED_ERROR_DRIVER);
    CHECK(left == 0);
}

Test(bench, records_have_what_applies)
{
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    cli_report *bench = cli_report_create(true), *table = cli_report_create(false);
    hed_bench_record all = {"suite", "name", "host", 2, "GB/s", 4, 0.5, "memcpy", 0.1};
    hed_bench_record few = {"suite", "other", "host", 3, "us", NAN, NAN, NULL, NAN};
    hed_bench_add(bench, &all);
    hed_bench_add(bench, &few);
    hed_bench_add(table, &all);
    hed_bench_add(table, &few);
    FILE *stream = open_memstream(&text, &size);
    OK(cli_report_print(bench, stream, &error));
    fclose(stream);
    hed_json *json;
    OK(hed_json_parse("bench", text, size, &json, &error));
    free(text);
    static const char *const all_keys[] = {
        "suite", "name", "device", "value", "unit", "floor", "ratio", "against", "spread", NULL};
    static const char *const few_keys[] = {"suite", "name", "device", "value", "unit", NULL};
    hed_json_node root = hed_json_root(json);
    CHECK(hed_json_count(root) == 2);
    hed_json_only(hed_json_item(root, 0), all_keys);
    hed_json_only(hed_json_item(root, 1), few_keys);
    CHECK(hed_json_number(hed_json_member(hed_json_item(root, 0), "ratio"), 0, 1) == 0.5);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
    stream = open_memstream(&text, &size);
    OK(cli_report_print(table, stream, &error));
    fclose(stream);
    CHECK(strstr(text, "suite  name   host        2  GB/s  5.0 %"), "%s", text);
    free(text);
    cli_report_free(bench);
    cli_report_free(table);
}
