/* Runs Criterion's tests under a sanitizer: what the macros of its headers call, without the
 * library.
 *
 * Criterion's own worker reports a test as passed before its process ends and a sanitizer finds
 * leaks, and its shared memory does not get along with ThreadSanitizer's. Here each test is a fork:
 * it counts as passed when the process has ended with code 0, after whatever the sanitizer looks
 * for at the end. Of the command line, --filter SUITE/NAME (with wildcards) is read. */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SKIP = 77 };

struct criterion_options criterion_options; /* the macros ask it for full_stats: no */

/* What the macros Test and TestSuite have left in sections of the program. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak)),
    *__stop_cr_sts[] __attribute__((weak));

/* Of the one test that this process runs. */
static const struct criterion_test *running;
static jmp_buf leave;
static atomic_int failures;
static bool skipped;
static uid_t started_as;

/* LeakSanitizer asks at the end. A process that has given up its rights cannot look into its own
 * threads any more. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return geteuid() != started_as; }

static const struct criterion_test_extra_data *suite_data(const char *name)
{
    for (struct criterion_suite **suite = __start_cr_sts; suite < __stop_cr_sts; suite++)
        if (*suite && !strcmp((*suite)->name, name)) return (*suite)->data;
    return NULL;
}

/* ---- what the macros call ---- */

void criterion_internal_test_setup(void)
{
    const struct criterion_test_extra_data *suite = suite_data(running->category);
    if (suite && suite->init) suite->init();
    if (running->data && running->data->init) running->data->init();
}

void criterion_internal_test_main(void (*function)(void))
{
    if (!setjmp(leave)) function();
}

void criterion_internal_test_teardown(void)
{
    const struct criterion_test_extra_data *suite = suite_data(running->category);
    if (running->data && running->data->fini) running->data->fini();
    if (suite && suite->fini) suite->fini();
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (stats->passed) return;
    failures++;
    printf(
        "[----] %s:%u: Assertion Failed\n[----]   %s\n", stats->file, stats->line, stats->message);
}

void criterion_abort_test(void)
{
    failures++;
    longjmp(leave, 1);
}

void criterion_continue_test(void) {}

void criterion_skip_test(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("[SKIP] %s::%s: ", running->category, running->name);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    skipped = true;
    longjmp(leave, 1);
}

void cri_asserts_passed_incr(void) {}

/* Criterion's default messages differ by the kind of assertion; the condition is in all of them. */
char *cr_translate_assert_msg(int kind, ...)
{
    va_list list;
    char *text = NULL;
    (void)kind;
    va_start(list, kind);
    if (asprintf(&text, "false: %s", va_arg(list, const char *)) < 0) abort();
    va_end(list);
    return text;
}

int cr_asprintf(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vasprintf(text, format, list);
    va_end(list);
    return length;
}

void cr_asprintf_free(char *text) { free(text); }

void cr_log(enum criterion_severity severity, const char *format, ...)
{
    va_list list;
    (void)severity;
    va_start(list, format);
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

/* ---- one process for each test ---- */

static void run_here(const struct criterion_test *test)
{
    running = test;
    test->test();
    fflush(stdout);
    if (skipped && !failures) _exit(EXIT_SKIP); /* what it had opened by then is no leak */
    exit(failures ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* 0 passed, 1 failed, EXIT_SKIP. */
static int run(const struct criterion_test *test)
{
    printf("[RUN ] %s::%s\n", test->category, test->name);
    fflush(stdout);
    pid_t child = fork();
    if (!child) run_here(test);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("fork");
        return 1;
    }
    int signal = test->data ? test->data->signal : 0, code = test->data ? test->data->exit_code : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) return EXIT_SKIP;
    bool passed =
        WIFSIGNALED(status) ? WTERMSIG(status) == signal : !signal && WEXITSTATUS(status) == code;
    if (passed) printf("[PASS] %s::%s\n", test->category, test->name);
    else if (WIFSIGNALED(status))
        printf("[FAIL] %s::%s: signal %d\n", test->category, test->name, WTERMSIG(status));
    else printf("[FAIL] %s::%s: exit code %d\n", test->category, test->name, WEXITSTATUS(status));
    return !passed;
}

int main(int argc, char **argv)
{
    const char *filter = "*";
    started_as = geteuid();
    int count[3] = {0}; /* passed, failed, skipped */
    for (int i = 1; i < argc - 1; i++)
        if (!strcmp(argv[i], "--filter")) filter = argv[i + 1];
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++) {
        char name[256];
        if (!*test) continue; /* padding between object files */
        snprintf(name, sizeof name, "%s/%s", (*test)->category, (*test)->name);
        if (fnmatch(filter, name, 0)) continue;
        int result = run(*test);
        count[result == EXIT_SKIP ? 2 : result]++;
    }
    printf("[====] Tested: %d | Passing: %d | Failing: %d | Skipped: %d\n", count[0] + count[1],
        count[0], count[1], count[2]);
    return count[1] ? EXIT_FAILURE : EXIT_SUCCESS;
}
