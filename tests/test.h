/* The words in which a test is written; tests/runner.c runs them.
 *
 *     Test(suite, name, .timeout = 60) { CHECK_EQ(1 + 1, 2, "arithmetic of %d bits", 64); }
 *
 * CHECK ends the test where it does not hold, EXPECT goes on. Both print the expression, where it
 * stands, the two values of a comparison, and the message, which is optional. */
#ifndef HED_TESTS_TEST_H
#define HED_TESTS_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct test_case {
    const char *suite, *name;
    void (*run)(void), (*init)(void), (*fini)(void);
    const char *skip; /* why it is not run at all */
    double timeout;   /* seconds on a quiet machine; 0: as long as any other */
    struct test_case *next;
} test_case;

void test_add(test_case *test); /* to the list of tests, or of suites where it has no name */

#define TEST_REGISTER(id, ...) \
    static test_case id##_registered = {__VA_ARGS__}; \
    __attribute__((constructor)) static void id##_register(void) { test_add(&id##_registered); }

/* Test(suite, name, .init = ..., .fini = ..., .timeout = ..., .skip = ...) { ... } */
#define Test(suite_, name_, ...) \
    static void suite_##_##name_##_run(void); \
    TEST_REGISTER(suite_##_##name_, .suite = #suite_, .name = #name_, \
        .run = suite_##_##name_##_run, __VA_ARGS__) \
    static void suite_##_##name_##_run(void)

/* What is done before and after each test of a suite, outside the test's own. */
#define TestSuite(suite_, ...) TEST_REGISTER(suite_, .suite = #suite_, __VA_ARGS__)

/* Ends the test as skipped; as failed, unless tests/skips.inc lists it for this device. */
_Noreturn void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line for --verbose. */
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- checks ---- */

void test_failed(const char *file, int line, const char *expression, const char *left,
    const char *right, const char *format, ...) __attribute__((format(printf, 6, 7)));
_Noreturn void test_leave(void);
/* The first difference of two blocks of memory in words, or NULL: they are the same. */
const char *test_difference(const void *left, const void *right, size_t size);

typedef struct test_value {
    char text[32];
} test_value;
test_value test_signed(long long value);
test_value test_unsigned(unsigned long long value);
test_value test_real(double value);
test_value test_pointer(const volatile void *value);

/* clang-format off */
#define TEST_VALUE(x) \
    _Generic((x), bool: test_unsigned, char: test_signed, signed char: test_signed, \
        short: test_signed, int: test_signed, long: test_signed, long long: test_signed, \
        unsigned char: test_unsigned, unsigned short: test_unsigned, unsigned: test_unsigned, \
        unsigned long: test_unsigned, unsigned long long: test_unsigned, float: test_real, \
        double: test_real, default: test_pointer)(x).text

#define TEST_THAT(leave, holds, expression, left, right, ...) \
    do { \
        if (!(holds)) { \
            test_failed(__FILE__, __LINE__, expression, left, right, " " __VA_ARGS__); \
            leave; \
        } \
    } while (0)
/* The comparison is that of the expressions themselves: a constant may have any sign. */
#define TEST_COMPARE(leave, a, compare, b, expression, ...) \
    do { \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wsign-compare\"") \
        __auto_type test_a = (a); \
        __auto_type test_b = (b); \
        TEST_THAT(leave, test_a compare test_b, expression, TEST_VALUE(test_a), \
            TEST_VALUE(test_b), __VA_ARGS__); \
        _Pragma("GCC diagnostic pop") \
    } while (0)
#define TEST_NEAR(leave, a, b, most, expression, ...) \
    do { \
        double test_a = (double)(a), test_b = (double)(b); \
        TEST_THAT(leave, fabs(test_a - test_b) <= (double)(most), expression, \
            test_real(test_a).text, test_real(test_b).text, __VA_ARGS__); \
    } while (0)
#define TEST_TEXT(leave, a, same, b, expression, ...) \
    do { \
        const char *test_a = (a), *test_b = (b); \
        TEST_THAT(leave, test_a && test_b && (strcmp(test_a, test_b) == 0) == same, expression, \
            test_a ? test_a : "NULL", test_b ? test_b : "NULL", __VA_ARGS__); \
    } while (0)
#define TEST_BYTES(leave, a, b, size, expression, ...) \
    do { \
        const char *test_words = test_difference((a), (b), (size)); \
        TEST_THAT(leave, !test_words, expression, test_words, NULL, __VA_ARGS__); \
    } while (0)
/* clang-format on */

#define CHECK(holds, ...) TEST_THAT(test_leave(), holds, #holds, NULL, NULL, __VA_ARGS__)
#define CHECK_NOT(holds, ...) \
    TEST_THAT(test_leave(), !(holds), "!(" #holds ")", NULL, NULL, __VA_ARGS__)
#define CHECK_NULL(p, ...) TEST_THAT(test_leave(), !(p), #p " == NULL", NULL, NULL, __VA_ARGS__)
#define CHECK_NOT_NULL(p, ...) TEST_THAT(test_leave(), p, #p " != NULL", NULL, NULL, __VA_ARGS__)
#define CHECK_EQ(a, b, ...) TEST_COMPARE(test_leave(), a, ==, b, #a " == " #b, __VA_ARGS__)
#define CHECK_NE(a, b, ...) TEST_COMPARE(test_leave(), a, !=, b, #a " != " #b, __VA_ARGS__)
#define CHECK_LT(a, b, ...) TEST_COMPARE(test_leave(), a, <, b, #a " < " #b, __VA_ARGS__)
#define CHECK_LE(a, b, ...) TEST_COMPARE(test_leave(), a, <=, b, #a " <= " #b, __VA_ARGS__)
#define CHECK_GT(a, b, ...) TEST_COMPARE(test_leave(), a, >, b, #a " > " #b, __VA_ARGS__)
#define CHECK_GE(a, b, ...) TEST_COMPARE(test_leave(), a, >=, b, #a " >= " #b, __VA_ARGS__)
#define CHECK_NEAR(a, b, most, ...) TEST_NEAR(test_leave(), a, b, most, #a " near " #b, __VA_ARGS__)
#define CHECK_TEXT(a, b, ...) TEST_TEXT(test_leave(), a, true, b, #a " is " #b, __VA_ARGS__)
#define CHECK_TEXT_NE(a, b, ...) TEST_TEXT(test_leave(), a, false, b, #a " is not " #b, __VA_ARGS__)
#define CHECK_BYTES(a, b, size, ...) TEST_BYTES(test_leave(), a, b, size, #a " is " #b, __VA_ARGS__)

#define EXPECT(holds, ...) TEST_THAT((void)0, holds, #holds, NULL, NULL, __VA_ARGS__)
#define EXPECT_NOT(holds, ...) \
    TEST_THAT((void)0, !(holds), "!(" #holds ")", NULL, NULL, __VA_ARGS__)
#define EXPECT_NULL(p, ...) TEST_THAT((void)0, !(p), #p " == NULL", NULL, NULL, __VA_ARGS__)
#define EXPECT_NOT_NULL(p, ...) TEST_THAT((void)0, p, #p " != NULL", NULL, NULL, __VA_ARGS__)
#define EXPECT_EQ(a, b, ...) TEST_COMPARE((void)0, a, ==, b, #a " == " #b, __VA_ARGS__)
#define EXPECT_NE(a, b, ...) TEST_COMPARE((void)0, a, !=, b, #a " != " #b, __VA_ARGS__)
#define EXPECT_LT(a, b, ...) TEST_COMPARE((void)0, a, <, b, #a " < " #b, __VA_ARGS__)
#define EXPECT_LE(a, b, ...) TEST_COMPARE((void)0, a, <=, b, #a " <= " #b, __VA_ARGS__)
#define EXPECT_GT(a, b, ...) TEST_COMPARE((void)0, a, >, b, #a " > " #b, __VA_ARGS__)
#define EXPECT_GE(a, b, ...) TEST_COMPARE((void)0, a, >=, b, #a " >= " #b, __VA_ARGS__)
#define EXPECT_NEAR(a, b, most, ...) TEST_NEAR((void)0, a, b, most, #a " near " #b, __VA_ARGS__)
#define EXPECT_TEXT(a, b, ...) TEST_TEXT((void)0, a, true, b, #a " is " #b, __VA_ARGS__)
#define EXPECT_TEXT_NE(a, b, ...) TEST_TEXT((void)0, a, false, b, #a " is not " #b, __VA_ARGS__)
#define EXPECT_BYTES(a, b, size, ...) TEST_BYTES((void)0, a, b, size, #a " is " #b, __VA_ARGS__)
#define FAIL(...) TEST_THAT(test_leave(), false, "", NULL, NULL, __VA_ARGS__)

#endif
