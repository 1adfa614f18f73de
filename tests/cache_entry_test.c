/* One file of the cache of compiled kernels: cut, altered, exchanged, or no file at all, it is as
 * good as absent. What kernels make of that is in cache_test.c. */
#include "folder.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "core/cache.h"

static hed_error error;
static char cache[128]; /* a folder in the test's folder, which is not there at first */

static void make_folder(void)
{
    folder_make();
    snprintf(cache, sizeof cache, "%s/cache", folder);
}

TestSuite(cache_entry, .init = make_folder, .fini = folder_remove);

static const char request[] =
    "opencl\nsome device\noptions\nprelude 0123\nentry f\nsource f.cl 3\nabc";
static unsigned char code[300];
static char said[] = "warning: nothing\n";

static hed_settings settings_of(test_allocator *state)
{
    return (hed_settings){.allocator = test_allocator_of(state), .clock = hed_default_clock()};
}

static void store(const char *asked)
{
    for (size_t i = 0; i < sizeof code; i++) code[i] = (unsigned char)(i * 7 + i / 50);
    const hed_cache_entry entry = {{code, sizeof code, said, sizeof said}, 0.25};
    OK(hed_cache_store(cache, asked, strlen(asked), &entry, &error));
}

/* Whether `asked` is found; what is found is what was stored, and nothing of it stays allocated. */
static bool load(const char *asked)
{
    test_allocator state = {0};
    const hed_settings settings = settings_of(&state);
    hed_cache_entry entry = {{0}, 0};
    bool found = hed_cache_load(&settings, cache, asked, strlen(asked), &entry);
    if (found) {
        cr_assert(
            entry.binary.size == sizeof code && memcmp(entry.binary.bytes, code, sizeof code) == 0,
            "another binary");
        cr_assert(entry.binary.log_size == sizeof said &&
                      memcmp(entry.binary.log, said, sizeof said) == 0,
            "another log");
        cr_assert_eq(entry.build_seconds, 0.25);
        hed_binary_free(&settings, &entry.binary);
    }
    cr_assert(state.live == 0 && state.bytes == 0);
    return found;
}

Test(cache_entry, an_entry_comes_back_as_it_was)
{
    cr_assert_not(load(request), "found before it was stored");
    store(request);
    cr_assert(load(request));
    cr_assert_not(load("another request"));
    store(request); /* over the old one */
    cr_assert(load(request));
}

Test(cache_entry, an_entry_cut_at_any_length_is_not_trusted)
{
    char *bytes, path[HED_PATH_MAX];
    size_t size;
    store(request);
    strcpy(path, only_file_in(cache));
    OK(hed_path_read(NULL, path, 1 << 20, &bytes, &size, &error));
    for (size_t length = size; length-- > 0;) {
        cr_assert_eq(truncate(path, (off_t)length), 0);
        cr_assert_not(load(request), "trusted with %zu of %zu bytes", length, size);
    }
    write_file(path, bytes, size);
    cr_assert(load(request));
    bytes[size] = 'x';
    write_file(path, bytes, size + 1);
    cr_assert_not(load(request), "trusted with a byte more");
    hed_release(NULL, bytes, size + 1);
}

Test(cache_entry, an_entry_with_any_byte_altered_is_not_trusted)
{
    char *bytes, path[HED_PATH_MAX];
    size_t size;
    store(request);
    strcpy(path, only_file_in(cache));
    OK(hed_path_read(NULL, path, 1 << 20, &bytes, &size, &error));
    int file = open(path, O_WRONLY);
    for (size_t at = 0; at < size; at++) {
        const char masks[] = {1, (char)0x80, (char)0xff};
        for (int m = 0; m < 3; m++) {
            char altered = (char)(bytes[at] ^ masks[m]);
            cr_assert_eq(pwrite(file, &altered, 1, (off_t)at), 1);
            cr_assert_not(load(request), "trusted with byte %zu of %zu altered by %02x", at, size,
                (unsigned char)masks[m]);
        }
        cr_assert_eq(pwrite(file, &bytes[at], 1, (off_t)at), 1);
    }
    close(file);
    cr_assert(load(request), "the test itself altered it");
    hed_release(NULL, bytes, size + 1);
}

/* A file that is whole, under a name that is not its own: two requests whose hashes collide, or a
 * file that was copied. */
Test(cache_entry, an_entry_of_another_request_is_not_trusted)
{
    char path[HED_PATH_MAX], other[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    cr_assert_eq(unlink(path), 0);
    store("opencl\nsome device\noptions\nprelude 0123\nentry f\nsource f.cl 3\nabd");
    strcpy(other, only_file_in(cache));
    cr_assert_eq(rename(other, path), 0);
    cr_assert_not(load(request));
}

Test(cache_entry, what_is_no_file_is_no_entry)
{
    char path[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkdir(path, 0755), 0);
    cr_assert_not(load(request), "a folder");
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(symlink("/nowhere/at/all", path), 0);
    cr_assert_not(load(request), "a link to nothing");
    store(request);
    cr_assert(load(request), "the link is replaced by the entry");
}

/* An entry may be machine code: whoever can write it could have it run. The next store replaces
 * it. */
Test(cache_entry, what_others_may_write_is_not_loaded)
{
    char path[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    cr_assert(load(request));
    cr_assert_eq(chmod(path, 0666), 0);
    cr_assert_not(load(request), "writable by others");
    store(request);
    cr_assert(load(request), "it was made anew");
    cr_assert_eq(rename(path, in_folder("elsewhere")), 0);
    cr_assert_eq(symlink(in_folder("elsewhere"), path), 0);
    cr_assert_not(load(request), "a link");
    if (geteuid() != 0) cr_skip_test("only root can give a file to another user");
    cr_assert_eq(unlink(path), 0);
    store(request);
    cr_assert_eq(chown(path, 12345, 12345), 0);
    cr_assert_not(load(request), "of another user");
}

Test(cache_entry, each_allocation_failing_while_an_entry_is_read)
{
    store(request);
    bool found = false;
    int64_t n = 0;
    while (!found && n < 20) {
        test_allocator state = {.fail_at = ++n};
        const hed_settings settings = settings_of(&state);
        hed_cache_entry entry = {{0}, 0};
        found = hed_cache_load(&settings, cache, request, strlen(request), &entry);
        if (found) hed_binary_free(&settings, &entry.binary);
        cr_assert(state.live == 0 && state.bytes == 0, "allocation %lld failing: %lld are left",
            (long long)n, (long long)state.live);
    }
    cr_assert(found && n > 3, "%s after %lld tries", found ? "found" : "not found", (long long)n);
}
