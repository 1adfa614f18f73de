/* The cache of compiled kernels on disk: whatever becomes of its files, a kernel is the right one;
 * a damaged entry is rebuilt and never trusted; what is not the cache's stays. Mostly with the fake
 * OpenCL, which counts what it compiles. */
#include "cycle.h"
#include "fakes.h"
#include "folder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/alloc.h"

static _Thread_local hed_error error; /* tests with threads share no error */
static char cache[128]; /* a folder in the test's folder, which is not there at first */

static void make_folder(void)
{
    folder_make();
    snprintf(cache, sizeof cache, "%s/cache", folder);
}

TestSuite(cache, .init = make_folder, .fini = folder_remove);

static const char *in_cache(const char *name)
{
    char path[HED_PATH_MAX];
    snprintf(path, sizeof path, "cache/%s", name);
    return in_folder(path);
}

/* ---- kernels through the cache: the fake compiler counts ---- */

static char log_text[1024];

static void keep_log(void *user, hed_log_level level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", message);
}

static hed_context_def cached_def(void)
{
    hed_context_def def = fakes_def("opencl");
    def.cache_dir = cache;
    def.logger = (hed_logger){NULL, keep_log, HED_LOG_WARNING};
    log_text[0] = 0;
    return def;
}

/* One kernel in a context of its own, with OFFSET as given: whether it was compiled (1) or taken
 * from the cache (0), or, in a process where nothing may be asserted, -1 for a wrong result and -2
 * for an error. */
static int run_kernel(
    const hed_context_def *def, const hed_kernel_def *kernel_def, const char *offset_text)
{
    hed_context *context = NULL;
    hed_device *device = NULL;
    hed_stream *stream = NULL;
    hed_buffer *in = NULL, *out = NULL;
    hed_kernel *kernel = NULL;
    hed_argument arguments[6];
    hed_kernel_resources resources = {.from_cache = true};
    hed_problem problem = hed_problem_1d(CYCLE_N);
    const hed_define define = {"OFFSET", offset_text};
    hed_kernel_options options = hed_default_kernel_options();
    cycle c = {0};
    options.defines = &define;
    options.define_count = kernel_def == &cycle_def;
    hed_error_clear(&error);
    hed_status status = hed_context_create(def, &context, &error);
    if (!status) status = hed_device_find(context, "opencl", &device, &error);
    if (!status) status = hed_stream_create(device, NULL, &stream, &error);
    if (!status) status = cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &in, &error);
    if (!status) status = cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &out, &error);
    if (!status) status = hed_kernel_create(device, kernel_def, &options, &kernel, &error);
    if (!status) status = hed_kernel_measure_resources(kernel, &resources, &error);
    if (!status) status = hed_fill(stream, in, 0, CYCLE_BYTES, "\0", 1, &error);
    c.in = in;
    cycle_pack(&c, out, 1.0f, arguments);
    if (!status) status = hed_launch(stream, kernel, &problem, arguments, 6, &error);
    if (!status) status = hed_read(stream, c.output, out, 0, CYCLE_BYTES, &error);
    if (!status) status = hed_stream_wait(stream, &error);
    bool right = c.output[0] == cycle_moved.y + 9.0f + strtof(offset_text, NULL);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(out);
    hed_buffer_destroy(in);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    return status ? -2 : !right ? -1 : !resources.from_cache;
}

/* The same for the tests' own process: says whether the fake compiled, which must be what the
 * kernel says of itself. */
static bool compiles(const hed_context_def *def, const char *offset)
{
    fake_control *f = fakes_load(fakes_path("opencl"));
    int64_t before = f->builds;
    int result = run_kernel(def, &cycle_def, offset);
    CHECK(result >= 0, "%s", result == -1 ? "the kernel is another one" : error.text);
    CHECK_EQ(f->builds - before, result, "%lld builds, and the kernel says %d",
        (long long)(f->builds - before), result);
    return result;
}

/* NVIDIA's OpenCL tells of registers in the build's log alone, which is empty when its own cache
 * has the program, and answers 256 work items for every kernel. */
Test(cache, registers_that_the_driver_does_not_tell_again_are_no_limit)
{
    static const int64_t groups[] = {512};
    const hed_parameter_def parameter = {.name = "WG", .values = groups, .count = 1, .value = 512};
    hed_kernel_def large = cycle_def;
    large.parameters = &parameter;
    hed_context_def def = cached_def();
    char other[sizeof cache + 8];
    snprintf(other, sizeof other, "%s-anew", cache);
    fake_control *f = fakes_load(fakes_path("opencl"));
    fakes_reset(f);
    f->platform = "NVIDIA CUDA";
    CHECK_EQ(run_kernel(&def, &large, "123.0f"), 1, "%s", error.text);
    f->silent = true;
    CHECK_EQ(run_kernel(&def, &large, "123.0f"), 0, "with the log that was kept: %s", error.text);
    def.cache_dir = other;
    CHECK_EQ(run_kernel(&def, &large, "123.0f"), 1, "without a log: %s", error.text);
    CHECK_EQ(run_kernel(&def, &large, "123.0f"), 0, "from an entry without a log: %s", error.text);
}

/* Mesa's rusticl ends the process when it is given a binary, and answers the width of a subgroup
 * for every kernel's largest group. */
Test(cache, rusticl_is_never_given_a_binary)
{
    const hed_context_def def = cached_def();
    fake_control *f = fakes_load(fakes_path("opencl"));
    fakes_reset(f);
    f->platform = "rusticl";
    f->refused_binaries = 100;
    for (int i = 0; i < 2; i++)
        CHECK_GE(run_kernel(&def, &cycle_def, "77.0f"), 0, "%s", error.text);
    CHECK_EQ(f->refused_binaries, 100, "it was given a binary");
}

Test(cache, a_kernel_is_compiled_once)
{
    const hed_context_def def = cached_def();
    CHECK(compiles(&def, "1.5f"));
    CHECK_NOT(compiles(&def, "1.5f"));
    CHECK(compiles(&def, "2.5f"), "other defines, the same kernel");
    CHECK_NOT(compiles(&def, "1.5f"));
    CHECK_TEXT(log_text, "");
}

Test(cache, a_damaged_entry_is_compiled_again_and_mended)
{
    const hed_context_def def = cached_def();
    char path[HED_PATH_MAX];
    CHECK(compiles(&def, "1.5f"));
    strcpy(path, only_file_in(cache));
    CHECK_EQ(truncate(path, 100), 0);
    CHECK(compiles(&def, "1.5f"));
    CHECK(strstr(log_text, path), "nobody says so: %s", log_text);
    CHECK_NOT(compiles(&def, "1.5f"), "the damaged entry is still there");
    FILE *file = fopen(path, "r+");
    CHECK(fseek(file, -20, SEEK_END) == 0 && fputc('#', file) == '#' && fclose(file) == 0);
    CHECK(compiles(&def, "1.5f"));
    CHECK_NOT(compiles(&def, "1.5f"));
}

/* An entry is whole and its driver was exchanged: the driver says no, and the kernel is
 * compiled. */
Test(cache, an_entry_that_the_driver_refuses_is_compiled_again)
{
    const hed_context_def def = cached_def();
    fake_control *f = fakes_load(fakes_path("opencl"));
    CHECK(compiles(&def, "1.5f"));
    f->refused_binaries = 1;
    CHECK(compiles(&def, "1.5f"));
    CHECK(strstr(log_text, "refuses"), "nobody says so: %s", log_text);
    CHECK_NOT(compiles(&def, "1.5f"));
    f->refused_binaries = 2; /* and the one just made as well */
    CHECK_EQ(run_kernel(&def, &cycle_def, "1.5f"), -2);
    CHECK_EQ(error.status, HED_ERROR_DRIVER, "%s: %s", hed_status_name(error.status), error.text);
}

/* ---- folders that cannot be used ---- */

static hed_cache_info info(const hed_context_def *def)
{
    hed_context *context;
    hed_cache_info report;
    OK(hed_context_create(def, &context, &error));
    OK(hed_cache_measure(context, &report, &error));
    CHECK_TEXT(report.folder, def->cache_dir);
    report.folder = NULL;
    hed_context_destroy(context);
    return report;
}

Test(cache, no_cache_on_disk)
{
    hed_context_def def = cached_def();
    def.cache_dir = "";
    CHECK(compiles(&def, "1.5f"));
    CHECK(compiles(&def, "1.5f"));
    hed_cache_info report = info(&def);
    CHECK(report.entries == 0 && report.bytes == 0 && report.damaged == 0);
}

static void check_unusable(const hed_context_def *def, bool listed)
{
    hed_context *context;
    hed_cache_info report;
    CHECK(compiles(def, "1.5f"));
    CHECK(compiles(def, "1.5f"));
    CHECK(strstr(log_text, "not kept"), "nobody says so: %s", log_text);
    OK(hed_context_create(def, &context, &error));
    if (listed) {
        OK(hed_cache_measure(context, &report, &error));
        CHECK_EQ(report.entries, 0);
        OK(hed_cache_clear(context, NULL, &error));
    } else {
        FAILS(HED_ERROR_IO, hed_cache_measure(context, &report, &error));
        CHECK(strstr(error.text, def->cache_dir), "the error does not name the folder: %s",
            error.text);
        FAILS(HED_ERROR_IO, hed_cache_clear(context, NULL, &error));
    }
    hed_context_destroy(context);
}

Test(cache, a_folder_that_is_a_file)
{
    char below[256];
    hed_context_def def = cached_def();
    write_file(cache, "keep me", 7);
    check_unusable(&def, false);
    snprintf(below, sizeof below, "%s/below", cache);
    def.cache_dir = below;
    check_unusable(&def, false);
    char *bytes;
    size_t size;
    OK(hed_path_read(NULL, cache, 100, &bytes, &size, &error));
    CHECK(size == 7 && !memcmp(bytes, "keep me", 7), "the file was changed");
    hed_release(NULL, bytes, size + 1);
}

Test(cache, a_folder_with_a_name_too_long)
{
    static char longest[HED_PATH_MAX];
    hed_context_def def = cached_def();
    memset(longest, 'a', sizeof longest - 1);
    memcpy(longest, folder, strlen(folder));
    longest[strlen(folder)] = '/';
    def.cache_dir = longest;
    CHECK(compiles(&def, "1.5f"));
    CHECK(compiles(&def, "1.5f"));
}

/* Root may write anywhere: the test goes on as somebody else. */
static void become_nobody(void)
{
    if (geteuid() != 0) return;
    fakes_load(fakes_path("opencl")); /* while it can be read */
    CHECK(setegid(65534) == 0 && seteuid(65534) == 0, "%s", strerror(errno));
}

Test(cache, a_folder_that_is_read_only)
{
    const hed_context_def def = cached_def();
    CHECK_EQ(mkdir(cache, 0555), 0);
    become_nobody();
    check_unusable(&def, true);
}

Test(cache, a_read_only_folder_serves_what_is_there)
{
    const hed_context_def def = cached_def();
    hed_context *context;
    CHECK(compiles(&def, "1.5f"));
    CHECK_EQ(chmod(cache, 0555), 0);
    become_nobody();
    CHECK_NOT(compiles(&def, "1.5f"));
    OK(hed_context_create(&def, &context, &error));
    FAILS(HED_ERROR_IO, hed_cache_clear(context, NULL, &error));
    CHECK(strstr(error.text, cache), "the error does not name the file: %s", error.text);
    hed_context_destroy(context);
    CHECK_EQ(info(&def).entries, 1);
}

Test(cache, a_folder_that_cannot_be_looked_into)
{
    const hed_context_def def = cached_def();
    CHECK_EQ(mkdir(cache, 0), 0);
    become_nobody();
    check_unusable(&def, false);
}

Test(cache, a_full_disk)
{
    const hed_context_def def = cached_def();
    static char filler[1 << 20]; /* many times what an entry of the fake takes: some 64 KiB */
    char path[256];
    const void *parts[] = {filler};
    size_t size = sizeof filler;
    memset(filler, 'x', sizeof filler);
    CHECK_EQ(mkdir(cache, 0755), 0);
    /* A file system of 1 MiB, in a mount namespace that ends with this process. */
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("heddle-test", cache, "tmpfs", 0, "size=1048576"))
        test_skip("no right to mount a small file system: %s", strerror(errno));
    snprintf(path, sizeof path, "%s/filler", cache);
    OK(hed_path_write_own(path, parts, &size, 1, &error));
    CHECK(compiles(&def, "1.5f"));
    CHECK(compiles(&def, "1.5f"));
    CHECK(strstr(log_text, "not kept") && strstr(log_text, strerror(ENOSPC)), "nobody says so: %s",
        log_text);
    hed_cache_info report = info(&def);
    CHECK(report.entries == 0 && report.damaged == 0 && report.bytes == 0, "half a file was left");
    CHECK_EQ(unlink(path), 0);
    CHECK(compiles(&def, "1.5f"));
    CHECK_NOT(compiles(&def, "1.5f"), "and with room again it is kept: %s", log_text);
    umount(cache);
}

/* ---- several processes and threads at once ---- */

enum { PROCESSES = 3, OFFSETS = 8, ROUNDS = 3 };

/* In a process of its own: every kernel several times; the exit code tells what was wrong. */
static int run_all(const hed_context_def *def, int first)
{
    for (int i = 0; i < OFFSETS * ROUNDS; i++) {
        char offset[16];
        snprintf(offset, sizeof offset, "%d.5f", (first + i) % OFFSETS);
        int result = run_kernel(def, &cycle_def, offset);
        if (result < 0) return -result;
    }
    return 0;
}

Test(cache, processes_fill_a_cold_folder_together)
{
    const hed_context_def def = cached_def();
    int start[2];
    char go[PROCESSES] = {0};
    CHECK_EQ(pipe(start), 0);
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] == 0) {
            if (read(start[0], go, 1) != 1) _exit(9);
            _exit(run_all(&def, p));
        }
    }
    CHECK_EQ(write(start[1], go, PROCESSES), PROCESSES);
    for (int p = 0; p < PROCESSES; p++) {
        int result;
        CHECK_EQ(waitpid(children[p], &result, 0), children[p]);
        CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0, "process %d ended with %x", p,
            (unsigned)result);
    }
    hed_cache_info report = info(&def);
    CHECK(report.entries == OFFSETS && report.damaged == 0, "%llu entries, %llu damaged",
        (unsigned long long)report.entries, (unsigned long long)report.damaged);
}

static _Atomic bool clearing;

static void *clear_often(void *user)
{
    hed_context *context = user;
    hed_error own = {0};
    while (clearing) {
        hed_status status = hed_cache_clear(context, NULL, &own);
        CHECK_EQ(status, HED_OK, "%s", own.text);
    }
    return NULL;
}

/* Entries vanish at any moment: between lookup and reading, between writing and renaming. */
Test(cache, a_folder_that_is_cleared_all_the_time)
{
    const hed_context_def def = cached_def();
    hed_context *context;
    pthread_t thread;
    OK(hed_context_create(&def, &context, &error));
    clearing = true;
    CHECK_EQ(pthread_create(&thread, NULL, clear_often, context), 0);
    int result = run_all(&def, 0);
    for (int i = 0; i < 10 && !result; i++) result = run_all(&def, i);
    clearing = false;
    pthread_join(thread, NULL);
    CHECK_EQ(result, 0, "%s", result == 1 ? "a wrong kernel" : error.text);
    OK(hed_cache_clear(context, NULL, &error));
    CHECK_EQ(info(&def).bytes, 0);
    hed_context_destroy(context);
}

/* ---- info and clear ---- */

Test(cache, info_and_clear_count_right_and_leave_what_is_foreign)
{
    static const char *const foreign[] = {"notes.txt", "kernel.hedk", "0123.hedk",
        "0123456789abcdef0123456789abcdef.hedk.bak", ".heddle-7.txt",
        "0123456789ABCDEF0123456789abcdef.hedk"};
    static const char left[] = ".heddle-1-2-3.tmp";
    const hed_context_def def = cached_def();
    hed_context *context;
    hed_cache_info before, removed;
    struct stat about;
    CHECK_EQ(info(&def).bytes, 0, "a folder that does not exist is not empty");
    CHECK(compiles(&def, "1.5f") && compiles(&def, "2.5f") && compiles(&def, "3.5f"));
    uint64_t bytes = info(&def).bytes;
    CHECK_EQ(info(&def).entries, 3);
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        write_file(in_cache(foreign[i]), "mine", 4);
    CHECK_EQ(mkdir(in_cache("0123456789abcdef0123456789abcde0.hedk"), 0755), 0);
    CHECK_EQ(mkfifo(in_cache("0123456789abcdef0123456789abcde1.hedk"), 0644), 0);
    write_file(in_cache(left), "half", 4);
    write_file(in_cache("0123456789abcdef0123456789abcde2.hedk"), "torn", 4);
    before = info(&def);
    CHECK(before.entries == 3 && before.damaged == 2 && before.bytes == bytes + 8,
        "%llu entries, %llu damaged, %llu bytes", (unsigned long long)before.entries,
        (unsigned long long)before.damaged, (unsigned long long)before.bytes);
    OK(hed_context_create(&def, &context, &error));
    OK(hed_cache_clear(context, &removed, &error));
    CHECK(removed.entries == 3 && removed.damaged == 2 && removed.bytes == before.bytes);
    CHECK_TEXT(removed.folder, cache);
    hed_context_destroy(context);
    CHECK(info(&def).entries == 0 && info(&def).damaged == 0 && info(&def).bytes == 0);
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        CHECK(stat(in_cache(foreign[i]), &about) == 0 && about.st_size == 4, "%s is gone",
            foreign[i]);
    CHECK(stat(in_cache("0123456789abcdef0123456789abcde0.hedk"), &about) == 0 &&
              S_ISDIR(about.st_mode),
        "the folder is gone");
    CHECK(lstat(in_cache("0123456789abcdef0123456789abcde1.hedk"), &about) == 0 &&
              S_ISFIFO(about.st_mode),
        "the pipe is gone");
    CHECK(stat(in_cache(left), &about) != 0, "what a writer left is still there");
}

Test(cache, each_allocation_failing_in_info_and_clear)
{
    hed_context_def def = cached_def();
    CHECK(compiles(&def, "1.5f"));
    for (int clear = 0; clear < 2; clear++) {
        test_allocator state = {0};
        hed_context *context;
        hed_cache_info report;
        def.allocator = test_allocator_of(&state);
        OK(hed_context_create(&def, &context, &error));
        hed_status status;
        int64_t n = 0;
        do {
            state.fail_at = state.calls + ++n;
            hed_error_clear(&error);
            status = clear ? hed_cache_clear(context, &report, &error)
                           : hed_cache_measure(context, &report, &error);
            CHECK(status == HED_OK || status == HED_ERROR_MEMORY, "%s", hed_status_name(status));
        } while (status);
        CHECK(n > 1 && report.entries == 1, "%lld tries, %llu entries", (long long)n,
            (unsigned long long)report.entries);
        hed_context_destroy(context);
        CHECK(state.live == 0 && state.bytes == 0);
    }
}

/* ---- kernel files ---- */

static const hed_source built_in = {"own.cl",
    "#define OFFSET 0.5f\n"
    "__kernel void cycle(__global float *out, __global const float *in, "
    "float a, uint n, shift s, HED_LOCAL(float, row))\n",
    0};

static const hed_kernel_def *own_def(const char *text)
{
    static hed_kernel_def def;
    static hed_source source;
    source = built_in;
    source.text = text;
    def = cycle_def;
    def.sources = &source;
    def.source_count = 1;
    def.defines = NULL;
    def.define_count = 0;
    return &def;
}

static void write_kernel(const char *offset)
{
    char text[512], path[HED_PATH_MAX];
    snprintf(text, sizeof text, "#define OFFSET %s\n%s", offset, strchr(built_in.text, '\n') + 1);
    CHECK(hed_path_join(path, folder, built_in.name));
    write_file(path, text, strlen(text));
}

Test(cache, a_kernel_file_replaces_the_built_in_text)
{
    hed_context_def def = cached_def();
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "0.5"), 1);
    def.kernel_dir = folder;
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "0.5"), 0,
        "a file that is not there changes nothing");
    write_kernel("7.5f");
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "7.5"), 1, "%s", error.text);
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "7.5"), 0);
    write_kernel("8.5f");
    CHECK_EQ(
        run_kernel(&def, own_def(built_in.text), "8.5"), 1, "the file was changed, the kernel not");
    def.kernel_dir = NULL;
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "0.5"), 0);
    setenv("HEDDLE_KERNEL_DIR", folder, 1);
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "8.5"), 0);
    def.kernel_dir = "";
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "0.5"), 0,
        "the program's own word is weaker than the environment's");
    setenv("HEDDLE_KERNEL_DIR", "/nowhere", 1);
    def.kernel_dir = NULL;
    CHECK_EQ(run_kernel(&def, own_def(built_in.text), "0.5"), 0);
    unsetenv("HEDDLE_KERNEL_DIR");
}

Test(cache, a_kernel_that_is_only_a_file)
{
    hed_context_def def = cached_def();
    CHECK_EQ(run_kernel(&def, own_def(NULL), "9.5"), -2);
    CHECK(error.status == HED_ERROR_IO && strstr(error.text, built_in.name), "%s: %s",
        hed_status_name(error.status), error.text);
    write_kernel("9.5f");
    CHECK_EQ(chdir(folder), 0);
    CHECK_EQ(run_kernel(&def, own_def(NULL), "9.5"), 1, "%s", error.text);
    CHECK_EQ(chdir("/"), 0);
    def.kernel_dir = folder;
    CHECK_EQ(run_kernel(&def, own_def(NULL), "9.5"), 0, "%s", error.text);
}
