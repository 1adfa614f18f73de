/* src/base: names, memory, errors, log, text and hash. Files and loaded libraries are in
 * path_test.c, the team in thread_test.c, the ring in ring_test.c. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"

#include "testing.h"

#include <unistd.h>

/* ---- names, version, memory, clock ---- */

Test(base, every_status_has_a_name_of_its_own)
{
    for (int a = 0; a < HED_STATUS_COUNT; a++) {
        CHECK(hed_status_name((hed_status)a)[0] != '\0');
        for (int b = 0; b <= a; b++) { /* the count itself stands for any unknown number */
            CHECK_TEXT_NE(hed_status_name((hed_status)(a + 1)), hed_status_name((hed_status)b));
        }
    }
    CHECK_TEXT(hed_status_name((hed_status)12345), hed_status_name(HED_STATUS_COUNT));
}

Test(base, version_is_the_header_s)
{
    char text[64];
    snprintf(
        text, sizeof text, "%d.%d.%d", HED_VERSION_MAJOR, HED_VERSION_MINOR, HED_VERSION_PATCH);
    CHECK_TEXT(hed_version_text(), text);
    CHECK_TEXT(hed_version_text(), HED_VERSION_TEXT);
}

Test(base, memory_is_zeroed_aligned_and_given_back_whole)
{
    test_allocator state = {0};
    hed_allocator counting = test_allocator_of(&state);
    const hed_allocator *allocators[] = {&counting, NULL};
    for (size_t index = 0; index < 2; index++) {
        for (size_t size = 0; size < 300; size += 37) {
            unsigned char *memory = hed_allocate(allocators[index], size);
            CHECK_NOT_NULL(memory);
            CHECK_EQ((uintptr_t)memory % 64, 0u);
            for (size_t byte = 0; byte < size; byte++) {
                CHECK_EQ(memory[byte], 0);
            }
            hed_release(allocators[index], memory, size);
        }
        char *copy = hed_copy_text(allocators[index], "weft");
        CHECK_TEXT(copy, "weft");
        hed_release_text(allocators[index], copy);
        CHECK_NULL(hed_copy_text(allocators[index], NULL));
        hed_release_text(allocators[index], NULL);
        hed_release(allocators[index], NULL, 10);
    }
    CHECK(state.live == 0 && state.bytes == 0 && state.calls == 10);
    state.fail_at = state.calls + 1;
    CHECK_NULL(hed_copy_text(&counting, "weft"));
}

Test(base, clock_runs_forward)
{
    hed_clock clock = hed_default_clock();
    uint64_t before = clock.now(clock.user);
    usleep(2000);
    uint64_t between = hed_now();
    usleep(2000);
    uint64_t after = clock.now(clock.user);
    CHECK(
        between - before >= 2000000 && after - between >= 2000000 && after - before < 60000000000u);
}

/* ---- errors and log ---- */

Test(base, fail_fills_the_error)
{
    hed_error error = {0};
    memset(&error, 'x', sizeof error);
    CHECK_EQ(hed_fail(&error, HED_ERROR_LIMIT, "group of %d: %s allows %d", 2048, "gpu", 1024),
        HED_ERROR_LIMIT);
    CHECK_EQ(error.status, HED_ERROR_LIMIT);
    CHECK_TEXT(error.text, "group of 2048: gpu allows 1024");
    CHECK_TEXT(error.log, "");
    hed_fail(&error, HED_ERROR_IO, "while loading: %s", error.text);
    CHECK_TEXT(
        error.text, "while loading: group of 2048: gpu allows 1024", "its own text as an argument");
    CHECK_EQ(hed_fail(NULL, HED_ERROR_IO, "%d", 1), HED_ERROR_IO);
}

Test(base, fail_cuts_long_text)
{
    hed_error error = {0};
    char text[HED_ERROR_TEXT + 1];
    memset(text, 'a', sizeof text);
    text[HED_ERROR_TEXT - 1] = '\0';
    hed_fail(&error, HED_ERROR_IO, "%s", text);
    CHECK_TEXT(error.text, text, "this one fits just so");
    text[HED_ERROR_TEXT - 1] = 'a';
    text[HED_ERROR_TEXT] = '\0';
    hed_fail(&error, HED_ERROR_IO, "%s", text);
    CHECK_EQ(strlen(error.text), HED_ERROR_TEXT - 1u);
    CHECK_TEXT(error.text + HED_ERROR_TEXT - 6, "aa...");
}

/* How many bytes the last line of a cut log says are missing; 0 if it says nothing. */
static size_t missing_bytes(const char *log)
{
    const char *last = strrchr(log, '(');
    size_t missing = 0;
    return last != NULL && sscanf(last, "(%zu more bytes", &missing) == 1 ? missing : 0;
}

Test(base, fail_log_is_cut_at_the_end_of_a_line)
{
    hed_error error = {0};
    hed_fail_log(&error, "a.cl:3: error\n");
    CHECK_TEXT(error.log, "a.cl:3: error\n");
    hed_fail_log(&error, NULL);
    CHECK_TEXT(error.log, "");
    hed_fail_log(NULL, "nobody listens");

    static char log[20001];
    for (size_t index = 0; index < 20000; index++) {
        log[index] = index % 100 == 99 ? '\n' : (char)('a' + index / 100 % 26);
    }
    hed_fail_log(&error, log);
    const char *last = strrchr(error.log, '(');
    CHECK_NOT_NULL(last);
    size_t kept = (size_t)(last - error.log);
    CHECK_EQ(kept % 100, 0u, "%zu bytes are not whole lines", kept);
    CHECK_EQ(memcmp(error.log, log, kept), 0);
    CHECK_EQ(kept + missing_bytes(error.log), strlen(log));
    CHECK(kept > HED_ERROR_LOG - 300, "only %zu bytes kept", kept);
}

Test(base, fail_log_at_its_limit)
{
    static char log[20001];
    hed_error error = {0};
    memset(log, 'm', 20000);
    log[HED_ERROR_LOG - 1] = '\0';
    hed_fail_log(&error, log);
    CHECK_TEXT(error.log, log, "this one fits just so");
    log[HED_ERROR_LOG - 1] = 'm';
    log[HED_ERROR_LOG] = '\0';
    hed_fail_log(&error, log); /* one byte too long */
    CHECK_NE(missing_bytes(error.log), 0u);
    log[HED_ERROR_LOG] = 'm';
    hed_fail_log(&error, log); /* one endless line */
    size_t kept = strspn(error.log, "m");
    CHECK_EQ(error.log[kept], '\n');
    CHECK_EQ(kept + missing_bytes(error.log), 20000u);
    CHECK(strlen(error.log) < HED_ERROR_LOG);
}

typedef struct log_lines {
    int count;
    hed_log_level level;
    char last[4096];
} log_lines;

static void keep_line(void *user, hed_log_level level, const char *message)
{
    log_lines *lines = user;
    lines->count++;
    lines->level = level;
    hed_text_copy(lines->last, sizeof lines->last, message);
}

Test(base, log_keeps_to_its_level_and_to_one_line)
{
    log_lines lines = {0};
    hed_logger logger = {&lines, keep_line, HED_LOG_WARNING};
    hed_log_message(&logger, HED_LOG_INFO, "too small a matter");
    CHECK_EQ(lines.count, 0);
    hed_log_message(&logger, HED_LOG_WARNING, "driver %d says\nno\n", 7);
    CHECK(lines.count == 1 && lines.level == HED_LOG_WARNING);
    CHECK_TEXT(lines.last, "driver 7 says no");
    hed_log_message(&logger, HED_LOG_ERROR, "%5000d", 1);
    CHECK(lines.count == 2 && strlen(lines.last) > 1000);
    logger.log = NULL;
    hed_log_message(&logger, HED_LOG_ERROR, "nobody listens");
    hed_log_message(NULL, HED_LOG_ERROR, "nobody listens");
}

/* ---- text ---- */

Test(base, text_grows)
{
    test_allocator state = {0};
    hed_allocator allocator = test_allocator_of(&state);
    hed_text text = {.allocator = &allocator};
    static char expected[60000];
    size_t length = 0;
    for (int index = 0; index < 5000; index++) {
        hed_text_add(&text, "%d,", index);
        length += (size_t)sprintf(expected + length, "%d,", index);
        CHECK_EQ(text.size, length);
    }
    hed_text_add_bytes(&text, "a\0b", 3);
    hed_text_add_bytes(&text, NULL, 0);
    CHECK_NOT(text.failed);
    CHECK_EQ(memcmp(text.bytes, expected, length), 0);
    CHECK_EQ(memcmp(text.bytes + length, "a\0b", 4), 0, "the zero behind the text counts too");
    hed_text_free(&text);
    CHECK(text.bytes == NULL && text.size == 0 && state.live == 0 && state.bytes == 0);
    for (size_t size = 1; size <= 1100; size++) { /* over each size at which it grows */
        hed_text_add_bytes(&text, "m", 1);
        CHECK(text.size == size && text.size < text.capacity, "no room for the zero at %zu", size);
        CHECK_EQ(text.bytes[size], '\0');
    }
    hed_text_free(&text);
    CHECK(state.live == 0 && state.bytes == 0);
}

Test(base, text_remembers_that_memory_ran_out)
{
    for (int fail_at = 1; fail_at <= 3; fail_at++) {
        test_allocator state = {.fail_at = fail_at};
        hed_allocator allocator = test_allocator_of(&state);
        hed_text text = {.allocator = &allocator};
        for (int index = 0; index < 200; index++) {
            hed_text_add(&text, "%05d", index);
        }
        CHECK(text.failed);
        CHECK_EQ(state.calls, fail_at, "it must not try again");
        hed_text_free(&text);
        CHECK(state.live == 0 && state.bytes == 0 && !text.failed);
    }
    hed_text text = {0};
    hed_text_add_bytes(&text, "x", 1);
    hed_text_add_bytes(&text, "x", SIZE_MAX - 10); /* must fail before it reads */
    CHECK(text.failed && text.size == 1);
    hed_text_free(&text);
}

Test(base, text_copy_is_bounded)
{
    char to[6] = "?????";
    CHECK(hed_text_copy(to, 5, "warp"));
    CHECK_TEXT(to, "warp");
    CHECK_NOT(hed_text_copy(to, 4, "warp"));
    CHECK_TEXT(to, "war");
    CHECK_NOT(hed_text_copy(to, 1, "x"));
    CHECK_TEXT(to, "");
    CHECK_NOT(hed_text_copy(NULL, 0, ""));
}

Test(base, text_contains_ignores_case)
{
    CHECK(hed_text_contains("NVIDIA H200", "h200"));
    CHECK(hed_text_contains("NVIDIA H200", "nVi"));
    CHECK(hed_text_contains("aab", "AB"));
    CHECK(hed_text_contains("x", ""));
    CHECK(hed_text_contains("", ""));
    CHECK_NOT(hed_text_contains("NVIDIA H200", "h2000"));
    CHECK_NOT(hed_text_contains("", "a"));
    CHECK_NOT(hed_text_contains("@[`{", "`["), "only letters have a case");
    CHECK_NOT(hed_text_contains("@", "`"));
}

/* ---- hash ---- */

static hed_hash hash_of(const void *bytes, size_t size)
{
    return hed_hash_bytes(hed_hash_start(), bytes, size);
}

static bool same(hed_hash x, hed_hash y) { return x.a == y.a && x.b == y.b; }

static hed_hash hash_of_code(const char *text)
{
    return hed_hash_code(hed_hash_start(), text, strlen(text));
}

Test(base, hash_is_the_same_everywhere)
{
    /* Computed with Python's whole numbers from the description in hash.c, not with hash.c. */
    const char *const known[][2] = {
        {"", "efa921b8e8c29a691269384413c502f3"},
        {"a", "2c2bc2ae2ffad851a1c837b4fcd8e44a"},
        {"heddle", "62f95fe938eb9d4ea825b6df9aad6168"},
        {"guides every warp thread to its place", "338dfc50bd66efac750f3cbf94474d67"},
    };
    char text[33];
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) {
        hed_hash_format(hed_hash_text(hed_hash_start(), known[index][0]), text);
        CHECK_TEXT(text, known[index][1]);
    }
    hed_hash_format((hed_hash){1, 0xabc}, text);
    CHECK_TEXT(text, "00000000000000010000000000000abc");
    char shifted[64] = "";
    /* where the bytes lie in memory does not matter */
    for (size_t offset = 1; offset < 9; offset++) {
        memcpy(shifted + offset, "guides every warp thread", 25);
        CHECK(same(hash_of(shifted + offset, 24), hash_of("guides every warp thread", 24)));
    }
}

/* A result belongs to the code of a kernel: another comment, or a line that is wrapped elsewhere,
 * leaves it. */
Test(base, a_hash_of_code_leaves_out_comments)
{
    static const char code[] = "#define A 1\nint f(int x) { return x / 2; }\n";
    static const char *const equal[] = {
        "/* why */\n#define A 1 // one\n\n  int f(int x)\n{ return x /* half */ / 2; }",
        "#define A 1\n/* two\n lines */ int   f(int x)\n{ return x / 2; } // end",
        "\n\n#define A 1\nint f(int x)\n{ return x / 2; }"};
    static const char *const other[] = {"#define A 1 int f(int x)\n{ return x / 2; }",
        "#define A 1\nint f(int x)\n{ return x // 2; }\n",
        "#define A 2\nint f(int x)\n{ return x / 2; }",
        "#define A 1\nint f(intx)\n{ return x / 2; }", "", "#"};
    const char wrapped[] = "#define A 1\nint f(int x)\n{ return x / 2; }\n";
    CHECK_NOT(same(hash_of_code(code), hash_of_code(wrapped)), "an end of a line is kept");
    for (size_t i = 0; i < HED_COUNT(equal); i++)
        EXPECT(same(hash_of_code(wrapped), hash_of_code(equal[i])), "%zu", i);
    for (size_t i = 0; i < HED_COUNT(other); i++)
        EXPECT(!same(hash_of_code(wrapped), hash_of_code(other[i])), "%zu", i);
    CHECK_NOT(
        same(hash_of_code("\"/* a */\""), hash_of_code("\"/* b */\"")), "texts are no comments");
    CHECK(same(hash_of_code("'\"' /* a */ '\\''"), hash_of_code("'\"' '\\''")));
    /* what is open at the end ends there */
    CHECK(same(hash_of_code("a /* b"), hash_of_code("a")) &&
          same(hash_of_code("a // b"), hash_of_code("a /")) == false);
    hash_of_code("\"open"), hash_of_code("\"\\"), hash_of_code("/"), hash_of_code("/*"),
        hash_of_code("/*/");
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    hed_hash whole = hed_hash_code(hed_hash_start(), long_text, sizeof long_text);
    long_text[1500] = 'y';
    CHECK_NOT(same(whole, hed_hash_code(hed_hash_start(), long_text, sizeof long_text)));
}

Test(base, hash_tells_lengths_and_order)
{
    hed_hash start = hed_hash_start();
    CHECK_NOT(same(hed_hash_text(hed_hash_text(start, "ab"), "c"),
        hed_hash_text(hed_hash_text(start, "a"), "bc")));
    CHECK_NOT(same(hed_hash_text(hed_hash_text(start, "a"), "b"),
        hed_hash_text(hed_hash_text(start, "b"), "a")));
    CHECK_NOT(same(hed_hash_text(start, ""), start));
    const char zeros[64] = {0};
    for (size_t x = 0; x <= 64; x++) {
        for (size_t y = 0; y < x; y++) {
            CHECK_NOT(same(hash_of(zeros, x), hash_of(zeros, y)), "%zu zeros and %zu zeros", x, y);
        }
    }
}

Test(base, hash_spreads_single_bits)
{
    unsigned char message[40];
    memset(message, 0x5a, sizeof message);
    hed_hash before = hash_of(message, sizeof message);
    int least = 128, most = 0, total = 0, lane_a = 64, lane_b = 64;
    for (size_t bit = 0; bit < 8 * sizeof message; bit++) {
        message[bit / 8] ^= (unsigned char)(1u << bit % 8);
        hed_hash after = hash_of(message, sizeof message);
        message[bit / 8] ^= (unsigned char)(1u << bit % 8);
        int a = __builtin_popcountll(before.a ^ after.a),
            b = __builtin_popcountll(before.b ^ after.b);
        least = a + b < least ? a + b : least;
        most = a + b > most ? a + b : most;
        lane_a = a < lane_a ? a : lane_a;
        lane_b = b < lane_b ? b : lane_b;
        total += a + b;
    }
    /* Binomial with 128 trials has a deviation of 5.7: 320 draws stay within 5 of them. */
    CHECK(least >= 36 && most <= 92, "%d to %d bits of 128 change", least, most);
    CHECK(
        lane_a >= 12 && lane_b >= 12, "a half changes in only %d or %d bits of 64", lane_a, lane_b);
    CHECK(abs(total / 320 - 64) <= 1, "%d bits change on average", total / 320);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

Test(base, hash_halves_do_not_collide_on_near_messages)
{
    /* All messages of three words with at most two bits set: the differences that could cancel one
     * another. In 64 bits 18529 random values collide with probability 1e-11. */
    enum { WORDS = 3, BITS = 64 * WORDS, COUNT = 1 + BITS + BITS * (BITS - 1) / 2 };
    static uint64_t halves[2][COUNT];
    size_t count = 0;
    for (int first = -1; first < BITS; first++) {
        for (int second = first < 0 ? -1 : first; second < (first < 0 ? 0 : BITS); second++) {
            unsigned char message[8 * WORDS] = {0};
            if (first >= 0) {
                message[first / 8] |= (unsigned char)(1u << first % 8);
                message[second / 8] |= (unsigned char)(1u << second % 8);
            }
            hed_hash hash = hash_of(message, sizeof message);
            halves[0][count] = hash.a;
            halves[1][count++] = hash.b;
        }
    }
    CHECK_EQ(count, (size_t)COUNT);
    for (int half = 0; half < 2; half++) {
        qsort(halves[half], count, sizeof halves[half][0], compare_words);
        for (size_t index = 1; index < count; index++) {
            CHECK_NE(halves[half][index], halves[half][index - 1]);
        }
    }
}
