/* Files and folders, also on a full disk and with several writers, and libraries loaded at run
 * time. */
#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/path.h"
#include "base/text.h"

#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test has a folder of its own. */
static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/heddle-base-XXXXXX");
    CHECK_NOT_NULL(mkdtemp(folder));
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_folder(void) { nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

TestSuite(path, .init = make_folder, .fini = remove_folder);

static const char *in_folder(const char *name)
{
    static char paths[4][HED_PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    CHECK(hed_path_join(path, folder, name));
    return path;
}

static int entries(const char *path)
{
    DIR *open_folder = opendir(path);
    CHECK_NOT_NULL(open_folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(open_folder);
    return count;
}

static hed_status write_text(const char *path, const char *text, hed_error *error)
{
    const void *parts[] = {text};
    const size_t sizes[] = {strlen(text)};
    return hed_path_write_own(path, parts, sizes, 1, error);
}

static void check_content(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    hed_error error = {0};
    OK(hed_path_read(NULL, path, 1 << 20, &bytes, &size, &error));
    CHECK_EQ(size, strlen(expected));
    CHECK_TEXT(bytes, expected);
    hed_release(NULL, bytes, size + 1);
}

Test(path, join)
{
    char path[HED_PATH_MAX], name[HED_PATH_MAX];
    CHECK(hed_path_join(path, "/a/b", "c.cl"));
    CHECK_TEXT(path, "/a/b/c.cl");
    CHECK(hed_path_join(path, "/", "c"));
    CHECK_TEXT(path, "/c");
    CHECK(hed_path_join(path, "", "c"));
    CHECK_TEXT(path, "c", "no folder is not the root");
    memset(name, 'n', sizeof name);
    name[HED_PATH_MAX - 3] = '\0';
    CHECK(hed_path_join(path, "f", name));
    name[HED_PATH_MAX - 3] = 'n';
    name[HED_PATH_MAX - 2] = '\0';
    CHECK_NOT(hed_path_join(path, "f", name));
}

Test(path, make_makes_all_that_is_missing)
{
    hed_error error = {0};
    OK(hed_path_make(in_folder("a/b/c"), &error));
    OK(hed_path_make(in_folder("a/b/c"), &error));
    OK(hed_path_make(in_folder("a//d/"), &error));
    CHECK(access(in_folder("a/b/c"), W_OK) == 0 && access(in_folder("a/d"), W_OK) == 0);
    CHECK_EQ(chdir(folder), 0);
    OK(hed_path_make("relative/one", &error));
    CHECK_EQ(access(in_folder("relative/one"), W_OK), 0);
    OK(hed_path_make("/", &error));
    FAILS(HED_ERROR_IO, hed_path_make("", &error));
    OK(write_text(in_folder("file"), "x", &error));
    FAILS(HED_ERROR_IO, hed_path_make(in_folder("file/below"), &error));
    CHECK_NOT_NULL(strstr(error.text, in_folder("file")), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_path_make(in_folder("file"), &error));
    CHECK_NOT_NULL(strstr(error.text, strerror(ENOTDIR)), "%s", error.text);
}

Test(path, read_gives_the_whole_file)
{
    const size_t lengths[] = {0, 1, 4094, 4095, 4096, 100000};
    static char content[100000];
    for (size_t index = 0; index < sizeof content; index++) {
        content[index] = (char)(index * 7 + index / 251);
    }
    for (size_t index = 0; index < sizeof lengths / sizeof lengths[0]; index++) {
        hed_error error = {0};
        test_allocator state = {0};
        hed_allocator allocator = test_allocator_of(&state);
        const void *parts[] = {content, content + lengths[index] / 3};
        const size_t sizes[] = {lengths[index] / 3, lengths[index] - lengths[index] / 3};
        OK(hed_path_write_own(in_folder("file"), parts, sizes, 2, &error));
        char *bytes = NULL;
        size_t size = 1;
        /* just the limit */
        OK(hed_path_read(&allocator, in_folder("file"), lengths[index], &bytes, &size, &error));
        CHECK(size == lengths[index] && memcmp(bytes, content, size) == 0 && bytes[size] == '\0');
        hed_release(&allocator, bytes, size + 1);
        CHECK(state.live == 0 && state.bytes == 0);
        if (lengths[index] > 0) {
            size_t limit = lengths[index] - 1;
            FAILS(HED_ERROR_IO,
                hed_path_read(&allocator, in_folder("file"), limit, &bytes, &size, &error));
            CHECK(strstr(error.text, "larger") != NULL && state.live == 0);
        }
    }
}

Test(path, read_does_not_need_to_know_the_size)
{
    char *bytes = NULL;
    size_t size = 0;
    hed_error error = {0};
    /* whose size is said to be 0 */
    OK(hed_path_read(NULL, "/proc/self/status", SIZE_MAX, &bytes, &size, &error));
    CHECK(size > 100 && strstr(bytes, "VmRSS") != NULL && strlen(bytes) == size);
    hed_release(NULL, bytes, size + 1);
    int ends[2];
    char name[64];
    CHECK_EQ(pipe(ends), 0);
    static char sent[20000];
    memset(sent, 's', sizeof sent);
    CHECK_EQ(write(ends[1], sent, sizeof sent), (ssize_t)sizeof sent);
    close(ends[1]);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
    OK(hed_path_read(NULL, name, 20000, &bytes, &size, &error));
    CHECK(size == sizeof sent && memcmp(bytes, sent, size) == 0);
    hed_release(NULL, bytes, size + 1);
}

Test(path, read_says_what_is_wrong)
{
    char *bytes = NULL;
    size_t size = 0;
    hed_error error = {0};
    FAILS(HED_ERROR_IO, hed_path_read(NULL, in_folder("missing"), 100, &bytes, &size, &error));
    CHECK(strstr(error.text, in_folder("missing")) && strstr(error.text, strerror(ENOENT)), "%s",
        error.text);
    FAILS(HED_ERROR_IO, hed_path_read(NULL, folder, 100, &bytes, &size, &error));
    CHECK(strstr(error.text, folder) && strstr(error.text, strerror(EISDIR)), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_path_read(NULL, "/dev/zero", 10000, &bytes, &size, &error));
    CHECK(mkfifo(in_folder("pipe"), 0600) == 0); /* that nobody ever writes into */
    FAILS(HED_ERROR_IO, hed_path_read(NULL, in_folder("pipe"), 10000, &bytes, &size, &error));
    CHECK(strstr(error.text, "a pipe that nothing is written into"), "%s", error.text);
    CHECK_NULL(bytes);
}

Test(path, read_survives_each_allocation_that_fails)
{
    for (int64_t fail_at = 1;; fail_at++) {
        test_allocator state = {.fail_at = fail_at};
        hed_allocator allocator = test_allocator_of(&state);
        char *bytes = NULL;
        size_t size = 0;
        hed_error error = {0};
        hed_status status = hed_path_read(&allocator, "/dev/zero", 1 << 14, &bytes, &size, &error);
        if (state.calls < fail_at) {
            CHECK(fail_at > 3, "expected several allocations, there were %d", (int)fail_at - 1);
            /* it is larger than that */
            CHECK(status == HED_ERROR_IO && state.live == 0, "%s", error.text);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY);
        CHECK(state.live == 0 && state.bytes == 0 && bytes == NULL);
    }
}

Test(path, write_replaces_at_once_and_leaves_nothing)
{
    hed_error error = {0};
    const void *parts[] = {"one ", "", "two ", "three"};
    const size_t sizes[] = {4, 0, 4, 5};
    OK(hed_path_write_own(in_folder("file"), parts, sizes, 4, &error));
    check_content(in_folder("file"), "one two three");
    OK(write_text(in_folder("file"), "new", &error));
    check_content(in_folder("file"), "new");
    OK(hed_path_write_own(in_folder("file"), NULL, NULL, 0, &error));
    check_content(in_folder("file"), "");
    CHECK_EQ(chdir(folder), 0);
    OK(write_text("plain", "beside", &error));
    check_content(in_folder("plain"), "beside");
    CHECK_EQ(entries(folder), 2);
    char name[256];
    memset(name, 'n', 255); /* as long as a name may be */
    name[255] = '\0';
    OK(write_text(in_folder(name), "long", &error));
    umask(0);
    OK(write_text(in_folder("mode"), "x", &error));
    struct stat about;
    CHECK(stat(in_folder("mode"), &about) == 0 && (about.st_mode & 0777) == 0644, "mode %o",
        about.st_mode);
}

Test(path, write_replaces_links_and_leaves_devices_alone)
{
    hed_error error = {0};
    OK(write_text(in_folder("real"), "old", &error));
    CHECK_EQ(symlink("real", in_folder("link")), 0);
    OK(write_text(in_folder("link"), "new", &error));
    check_content(in_folder("real"), "old");
    check_content(in_folder("link"), "new");
    struct stat about;
    CHECK(lstat(in_folder("link"), &about) == 0 && S_ISREG(about.st_mode));
    FAILS(HED_ERROR_IO, write_text("/dev/full", "x", &error));
    CHECK(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
    FAILS(HED_ERROR_IO, write_text(folder, "x", &error));
    FAILS(HED_ERROR_IO, write_text(in_folder("missing/file"), "x", &error));
    CHECK(strstr(error.text, in_folder("missing/file")) && strstr(error.text, strerror(ENOENT)),
        "%s", error.text);
    FAILS(HED_ERROR_IO, write_text("", "x", &error));
}

/* A link is refused; a file is written with the mode of other files. */
Test(path, a_file_that_the_user_names_is_not_written_through_links)
{
    hed_error error = {0};
    hed_path_writer writer;
    struct stat about;
    umask(022);
    CHECK_EQ(symlink("real", in_folder("link")), 0);
    OK(write_text(in_folder("real"), "old", &error));
    FAILS(HED_ERROR_IO, hed_path_begin(&writer, in_folder("link"), &error));
    CHECK(strstr(error.text, "link: it is a symbolic link"), "%s", error.text);
    check_content(in_folder("real"), "old");
    OK(hed_path_begin(&writer, in_folder("real"), &error));
    OK(hed_path_add(&writer, "new", 3, &error));
    OK(hed_path_commit(&writer, &error));
    check_content(in_folder("real"), "new");
    CHECK(lstat(in_folder("link"), &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(stat(in_folder("real"), &about) == 0 && (about.st_mode & 0777) == 0644, "mode %o",
        about.st_mode);
}

Test(path, folders_are_made_for_this_user_alone)
{
    hed_error error = {0};
    struct stat about;
    umask(0);
    OK(hed_path_make(in_folder("above/below"), &error));
    CHECK(stat(in_folder("above"), &about) == 0 && (about.st_mode & 0777) == 0700, "mode %o",
        about.st_mode);
    CHECK(stat(in_folder("above/below"), &about) == 0 && (about.st_mode & 0777) == 0700, "mode %o",
        about.st_mode);
}

Test(path, what_others_could_have_written_is_not_our_own)
{
    static const struct {
        mode_t mode;
        uid_t user; /* counted from this process's */
        gid_t group;
        bool own;
    } cases[] = {{S_IFREG | 0644, 0, 0, true}, {S_IFREG | 0600, 0, 5, true},
        {S_IFREG | 0664, 0, 0, true}, {S_IFREG | 0664, 0, 5, false}, {S_IFREG | 0646, 0, 0, false},
        {S_IFREG | 0644, 1, 1, false}, {S_IFDIR | 0700, 0, 0, true}, {S_IFDIR | 0777, 0, 0, false},
        {S_IFDIR | 01777, 0, 0, false}, {S_IFDIR | 0755, 1, 1, false}};
    char reason[96];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stat about = {.st_mode = cases[i].mode, .st_uid = geteuid() + cases[i].user,
            .st_gid = geteuid() + cases[i].group};
        CHECK_EQ(hed_path_is_own(&about, reason, sizeof reason), cases[i].own, "case %zu: mode %o",
            i, cases[i].mode);
        if (!cases[i].own)
            CHECK(
                strstr(reason, about.st_uid != geteuid() ? "another user" : "others may write it"),
                "%s", reason);
    }
    struct stat roots = {.st_mode = S_IFREG | 0644};
    CHECK(hed_path_is_own(&roots, reason, sizeof reason), "root's files are as good as the system");
}

Test(path, a_link_is_not_read_as_our_own)
{
    hed_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    OK(write_text(in_folder("file"), "content", &error));
    OK(hed_path_read_own(NULL, in_folder("file"), 100, &bytes, &size, &error));
    hed_release(NULL, bytes, size + 1);
    CHECK_EQ(symlink("file", in_folder("link")), 0);
    check_content(in_folder("link"), "content");
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_path_read_own(NULL, in_folder("link"), 100, &bytes, &size, &error));
    CHECK(strstr(error.text, in_folder("link")) &&
              strstr(error.text, "is not loaded: it is a symbolic link"),
        "%s", error.text);
}

/* Writes too much for the place and checks that the old file is whole and alone. */
static void check_write_that_does_not_fit(const char *path, int code)
{
    static char much[1 << 20];
    const void *parts[] = {much, much};
    const size_t sizes[] = {100, sizeof much};
    hed_error error = {0};
    OK(write_text(path, "the old content", &error));
    int before = entries(folder);
    FAILS(HED_ERROR_IO, hed_path_write_own(path, parts, sizes, 2, &error));
    CHECK(strstr(error.text, path) && strstr(error.text, strerror(code)), "%s", error.text);
    check_content(path, "the old content");
    CHECK_EQ(entries(folder), before, "something was left behind");
}

Test(path, write_that_fails_midway_keeps_the_old_file)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {1 << 16, 1 << 16};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    check_write_that_does_not_fit(in_folder("file"), EFBIG);
}

Test(path, write_to_a_full_disk_keeps_the_old_file)
{
    /* A file system of 64 KiB, in a mount namespace that ends with this process. */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("heddle-test", folder, "tmpfs", 0, "size=65536") != 0) {
        test_skip("no right to mount a small file system: %s", strerror(errno));
    }
    check_write_that_does_not_fit(in_folder("file"), ENOSPC);
    umount(folder);
}

enum { WRITES = 200 };

typedef struct writer {
    const char *path;
    char content[10000];
} writer;

static void *write_often(void *argument)
{
    writer *own = argument;
    for (int index = 0; index < WRITES; index++) {
        const void *parts[] = {own->content};
        const size_t sizes[] = {sizeof own->content};
        hed_error error = {0};
        OK(hed_path_write_own(own->path, parts, sizes, 1, &error));
    }
    return NULL;
}

Test(path, readers_never_see_half_a_file)
{
    static writer writers[2];
    pthread_t threads[2];
    const char *path = in_folder("shared");
    int seen = 0;
    for (int index = 0; index < 2; index++) {
        writers[index].path = path;
        memset(writers[index].content, 'a' + index, sizeof writers[index].content);
        CHECK_EQ(pthread_create(&threads[index], NULL, write_often, &writers[index]), 0);
    }
    while (seen < WRITES) {
        char *bytes = NULL;
        size_t size = 0;
        if (hed_path_read(NULL, path, 1 << 20, &bytes, &size, NULL) != HED_OK) {
            CHECK_EQ(seen, 0, "the file was gone for a while");
            continue;
        }
        char letter[2] = {bytes[0], 0};
        CHECK(size == 10000 && strspn(bytes, letter) == 10000, "a mixed or short file of %zu bytes",
            size);
        hed_release(NULL, bytes, size + 1);
        seen++;
    }
    for (int index = 0; index < 2; index++) {
        pthread_join(threads[index], NULL);
    }
    CHECK_EQ(entries(folder), 1);
}

Test(path, of_library_is_where_this_program_is)
{
    char program[HED_PATH_MAX] = "", found[HED_PATH_MAX];
    CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    hed_path_of_library(found, sizeof found);
    *strrchr(program, '/') = '\0';
    CHECK_TEXT(found, program);
    char little[3];
    hed_path_of_library(little, sizeof little);
    CHECK_TEXT(little, "", "half a path is worse than none");
}

/* ---- libraries loaded at run time ---- */

Test(path, dynlib_opens_the_first_that_loads)
{
    test_allocator state = {0};
    hed_allocator allocator = test_allocator_of(&state);
    const char *const names[] = {"libheddle-is-not-there.so.7", "libm.so.6", "libc.so.6", NULL};
    char reason[300] = "";
    hed_dynlib *library;
    CHECK_EQ(hed_dynlib_open(&allocator, names, &library, reason, sizeof reason), HED_OK);
    CHECK_NOT_NULL(library, "%s", reason);
    CHECK_TEXT(hed_dynlib_name(library), "libm.so.6");
    const char *const symbols[] = {"cbrt", "sqrt", "heddle_has_no_such_symbol", "nor_this_one"};
    void *slots[4];
    const char *missing = NULL;
    CHECK(hed_dynlib_symbols(library, symbols, slots, 2, &missing));
    CHECK_NULL(missing);
    double (*root)(double);
    memcpy(&root, &slots[1], sizeof root);
    CHECK_EQ(root(9.0), 3.0);
    CHECK_NOT(hed_dynlib_symbols(library, symbols, slots, 4, &missing));
    CHECK_TEXT(missing, "heddle_has_no_such_symbol");
    CHECK(slots[0] != NULL && slots[2] == NULL);
    CHECK_NOT(hed_dynlib_symbols(library, symbols, slots, 4, NULL));
    CHECK_EQ(hed_dynlib_symbol(library, "sqrt"), slots[1]);
    CHECK_NULL(hed_dynlib_symbol(library, "heddle_has_no_such_symbol"));
    hed_dynlib_close(&allocator, library);
    hed_dynlib_close(&allocator, NULL);
    CHECK(state.live == 0 && state.bytes == 0);
    for (int fail_at = 1; fail_at <= 2; fail_at++) {
        state = (test_allocator){.fail_at = fail_at};
        CHECK_EQ(hed_dynlib_open(&allocator, names + 1, &library, reason, sizeof reason),
            HED_ERROR_MEMORY);
        CHECK(library == NULL && strstr(reason, "memory") != NULL && state.live == 0 &&
              state.bytes == 0);
    }
}

Test(path, dynlib_prefers_the_reason_of_a_broken_library)
{
    char reason[300], broken[HED_PATH_MAX];
    hed_dynlib *library;
    hed_error error = {0};
    hed_text_copy(broken, sizeof broken, in_folder("libbroken.so"));
    OK(write_text(broken,
        "this is no ELF file, but there is plenty of text in it for the loader to read", &error));
    const char *const absent[] = {"libheddle-first.so.7", "libheddle-second.so.7", NULL};
    CHECK(hed_dynlib_open(NULL, absent, &library, reason, sizeof reason) == HED_OK &&
          library == NULL);
    CHECK(strstr(reason, "libheddle-first.so.7") != NULL, "%s", reason);
    const char *const mixed[] = {"libheddle-first.so.7", broken, "libheddle-second.so.7", NULL};
    CHECK(
        hed_dynlib_open(NULL, mixed, &library, reason, sizeof reason) == HED_OK && library == NULL);
    CHECK(strstr(reason, "libbroken.so") != NULL, "%s", reason);
    const char *const none[] = {NULL};
    CHECK(
        hed_dynlib_open(NULL, none, &library, reason, sizeof reason) == HED_OK && library == NULL);
    CHECK_NE(reason[0], '\0');
    CHECK(hed_dynlib_open(NULL, mixed, &library, NULL, 0) == HED_OK && library == NULL);
}
