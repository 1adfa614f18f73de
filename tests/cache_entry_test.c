/* One file of the cache of compiled kernels: cut, altered, exchanged, or no file at all, it is as
 * good as absent. What kernels make of that is in cache_test.c. */
#include "folder.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "core/build_cache.h"

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
        CHECK(
            entry.binary.size == sizeof code && memcmp(entry.binary.bytes, code, sizeof code) == 0,
            "another binary");
        CHECK(entry.binary.log_size == sizeof said &&
                  memcmp(entry.binary.log, said, sizeof said) == 0,
            "another log");
        CHECK_EQ(entry.build_seconds, 0.25);
        hed_binary_free(&settings, &entry.binary);
    }
    CHECK(state.live == 0 && state.bytes == 0);
    return found;
}

Test(cache_entry, an_entry_comes_back_as_it_was)
{
    CHECK_NOT(load(request), "found before it was stored");
    store(request);
    CHECK(load(request));
    CHECK_NOT(load("another request"));
    store(request); /* over the old one */
    CHECK(load(request));
}

Test(cache_entry, an_entry_cut_at_any_length_is_not_trusted)
{
    char *bytes, path[HED_PATH_MAX];
    size_t size;
    store(request);
    strcpy(path, only_file_in(cache));
    OK(hed_path_read(NULL, path, 1 << 20, &bytes, &size, &error));
    for (size_t length = size; length-- > 0;) {
        CHECK_EQ(truncate(path, (off_t)length), 0);
        CHECK_NOT(load(request), "trusted with %zu of %zu bytes", length, size);
    }
    write_file(path, bytes, size);
    CHECK(load(request));
    bytes[size] = 'x';
    write_file(path, bytes, size + 1);
    CHECK_NOT(load(request), "trusted with a byte more");
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
            CHECK_EQ(pwrite(file, &altered, 1, (off_t)at), 1);
            CHECK_NOT(load(request), "trusted with byte %zu of %zu altered by %02x", at, size,
                (unsigned char)masks[m]);
        }
        CHECK_EQ(pwrite(file, &bytes[at], 1, (off_t)at), 1);
    }
    close(file);
    CHECK(load(request), "the test itself altered it");
    hed_release(NULL, bytes, size + 1);
}

/* A file that is whole, under a name that is not its own: two requests whose hashes collide, or a
 * file that was copied. */
Test(cache_entry, an_entry_of_another_request_is_not_trusted)
{
    char path[HED_PATH_MAX], other[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    CHECK_EQ(unlink(path), 0);
    store("opencl\nsome device\noptions\nprelude 0123\nentry f\nsource f.cl 3\nabd");
    strcpy(other, only_file_in(cache));
    CHECK_EQ(rename(other, path), 0);
    CHECK_NOT(load(request));
    /* a request that begins with the whole other one */
    CHECK_EQ(unlink(path), 0);
    char longer[sizeof request + 1];
    snprintf(longer, sizeof longer, "%sd", request);
    store(request);
    strcpy(path, only_file_in(cache));
    CHECK_EQ(unlink(path), 0);
    store(longer);
    strcpy(other, only_file_in(cache));
    CHECK_EQ(rename(other, path), 0);
    CHECK_NOT(load(request), "an entry of a longer request");
}

/* Readers take a log for text. */
Test(cache_entry, a_log_without_its_end_is_not_trusted)
{
    const hed_cache_entry entry = {{code, sizeof code, said, sizeof said - 1}, 0.25};
    OK(hed_cache_store(cache, request, strlen(request), &entry, &error));
    CHECK_NOT(load(request));
}

Test(cache_entry, what_is_no_file_is_no_entry)
{
    char path[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(mkdir(path, 0755), 0);
    CHECK_NOT(load(request), "a folder");
    CHECK_EQ(rmdir(path), 0);
    CHECK_EQ(symlink("/nowhere/at/all", path), 0);
    CHECK_NOT(load(request), "a link to nothing");
    store(request);
    CHECK(load(request), "the link is replaced by the entry");
}

/* An entry may be machine code: whoever can write it could have it run. The next store replaces
 * it. */
Test(cache_entry, what_others_may_write_is_not_loaded)
{
    char path[HED_PATH_MAX];
    store(request);
    strcpy(path, only_file_in(cache));
    CHECK(load(request));
    CHECK_EQ(chmod(path, 0666), 0);
    CHECK_NOT(load(request), "writable by others");
    store(request);
    CHECK(load(request), "it was made anew");
    CHECK_EQ(rename(path, in_folder("elsewhere")), 0);
    CHECK_EQ(symlink(in_folder("elsewhere"), path), 0);
    CHECK_NOT(load(request), "a link");
    if (geteuid() != 0) test_skip("only root can give a file to another user");
    CHECK_EQ(unlink(path), 0);
    store(request);
    CHECK_EQ(chown(path, 12345, 12345), 0);
    CHECK_NOT(load(request), "of another user");
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
        CHECK(state.live == 0 && state.bytes == 0, "allocation %lld failing: %lld are left",
            (long long)n, (long long)state.live);
    }
    CHECK(found && n > 3, "%s after %lld tries", found ? "found" : "not found", (long long)n);
}
