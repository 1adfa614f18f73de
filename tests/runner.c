/* Runs the tests of a program, each in a process of its own: a test that crashes or hangs is
 * reported and ends alone, and it has passed only when its process has ended well, after whatever
 * a sanitizer looks for at the end. */
#include "test.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* EXIT_SKIPPED is what ctest knows as a skip; EXIT_SAID: checks failed, and said so. */
enum { EXIT_USAGE = 2, EXIT_SAID = 76, EXIT_SKIPPED = 77, MOST_JOBS = 64 };

static const char usage[] =
    "[OPTIONS]\n"
    "  --filter PATTERN  only the tests SUITE/NAME that match, with wildcards (*, ?, @(a|b), !(a))\n"
    "  --list            print their names and run none\n"
    "  -j N              this many at once (1)\n"
    "  --timeout SECONDS for a test that names none (1200)\n"
    "  --in-process      all in this process, for a debugger or valgrind; a crash ends everything\n"
    "  --verbose         name every test, and print its notes\n";

/* Which tests may skip, on which device, and why. */
static const struct {
    const char *device, *test, *why;
} may_skip[] = {
#include "skips.inc"
};

static struct {
    const char *filter;
    int jobs;
    double timeout;
    bool list, in_process, verbose;
} options = {.filter = "*", .jobs = 1, .timeout = 1200};

static test_case *tests, **tests_end = &tests, *suites;

void test_add(test_case *test)
{
    if (test->name) {
        *tests_end = test;
        tests_end = &test->next;
    } else {
        test->next = suites;
        suites = test;
    }
}

/* ---- in the process of a test ---- */

static test_case *running;
static pid_t running_in; /* a test may fork, and start threads: what fails there ends the process */
static pthread_t running_as;
static jmp_buf leave;
static atomic_int failures;
static bool skipped;

static uid_t started_as;
/* LeakSanitizer asks at the end. A process that has given up its rights cannot look into its own
 * threads any more. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return geteuid() != started_as; }

void test_leave(void)
{
    fflush(stdout);
    if (getpid() != running_in || !pthread_equal(pthread_self(), running_as)) _exit(EXIT_SAID);
    longjmp(leave, 1);
}

void test_failed(const char *file, int line, const char *expression, const char *left,
    const char *right, const char *format, ...)
{
    char text[16384]; /* one write, so that lines of tests that run at once stay whole */
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("[FAIL] %s/%s: %s:%d: %s%s%s%s%s%s%s%s\n", running->suite, running->name, file, line,
        expression, left ? " (" : "", left ? left : "", right ? ", " : "", right ? right : "",
        left ? ")" : "", text[1] ? ":" : "", text[1] ? text : "");
    fflush(stdout);
    failures++;
}

void test_note(const char *format, ...)
{
    if (!options.verbose) return;
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
}

/* As skips.inc has it: host, pocl, cuda, or else the selector. */
static const char *device_under_test(void)
{
    const char *selector = getenv("HEDDLE_DEVICE");
    if (!selector || !selector[0]) return "host";
    return strstr("Portable Computing Language", selector) ? "pocl" : selector;
}

void test_skip(const char *format, ...)
{
    char why[1024], name[256];
    bool allowed = false;
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    snprintf(name, sizeof name, "%s/%s", running->suite, running->name);
    for (size_t i = 0; i < sizeof may_skip / sizeof *may_skip; i++)
        allowed |= !fnmatch(may_skip[i].device, device_under_test(), FNM_EXTMATCH) &&
                   !fnmatch(may_skip[i].test, name, FNM_EXTMATCH);
    if (allowed) printf("[SKIP] %s: %s\n", name, why);
    else {
        printf("[FAIL] %s: skipped, which tests/skips.inc does not allow on %s: %s\n", name,
            device_under_test(), why);
        failures++;
    }
    skipped = true;
    test_leave();
}

const char *test_difference(const void *left, const void *right, size_t size)
{
    static _Thread_local char words[96];
    const unsigned char *a = left, *b = right;
    if (!size || !memcmp(a, b, size)) return NULL;
    size_t at = 0, different = 0;
    while (a[at] == b[at]) at++;
    for (size_t i = at; i < size; i++) different += a[i] != b[i];
    snprintf(words, sizeof words, "%zu of %zu bytes differ, the first at %zu: 0x%02x, 0x%02x",
        different, size, at, a[at], b[at]);
    return words;
}

#define VALUE(format, value) \
    test_value v; \
    snprintf(v.text, sizeof v.text, format, value); \
    return v
test_value test_signed(long long value) { VALUE("%lld", value); }
test_value test_unsigned(unsigned long long value) { VALUE("%llu", value); }
test_value test_real(double value) { VALUE("%.9g", value); }
test_value test_pointer(const volatile void *value) { VALUE("%p", (void *)value); }

static const test_case *suite_of(const test_case *test)
{
    const test_case *suite = suites;
    while (suite && strcmp(suite->suite, test->suite) != 0) suite = suite->next;
    return suite;
}

/* Runs a test with its suite's and its own preparation; what was prepared is undone, whatever
 * became of the test. */
static void run_here(test_case *test)
{
    const test_case *const stages[] = {suite_of(test), test};
    volatile int prepared = 0;
    running = test;
    running_in = getpid();
    running_as = pthread_self();
    failures = 0;
    skipped = false;
    if (!setjmp(leave)) {
        if (test->skip) test_skip("%s", test->skip);
        for (int i = 0; i < 2; i++, prepared++)
            if (stages[i] && stages[i]->init) stages[i]->init();
        test->run();
    }
    while (prepared > 0) {
        const test_case *stage = stages[--prepared];
        if (stage && stage->fini && !setjmp(leave)) stage->fini();
    }
    fflush(stdout);
}

/* ---- in the program ---- */

typedef struct test_job {
    test_case *test; /* NULL: free */
    pid_t process;
    double start;
    bool late;
} test_job;

static int passed, failed, skips;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void announce(const test_case *test)
{
    if (options.verbose) printf("[RUN ] %s/%s\n", test->suite, test->name);
    fflush(stdout);
}

static void start_job(test_job *job, test_case *test, const sigset_t *signals)
{
    announce(test);
    *job = (test_job){.test = test, .process = fork(), .start = now()};
    if (job->process > 0) return;
    if (job->process < 0) {
        perror("fork");
        exit(EXIT_FAILURE);
    }
    sigprocmask(SIG_SETMASK, signals, NULL);
    run_here(test);
    if (skipped && !failures) _exit(EXIT_SKIPPED); /* what it had opened by then is no leak */
    exit(failures ? EXIT_SAID : EXIT_SUCCESS);
}

static void end_job(test_job *job, int status)
{
    const test_case *test = job->test;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, signal = WTERMSIG(status);
    double seconds = now() - job->start;
    job->test = NULL;
    if (code == 0) {
        passed++;
        if (options.verbose) printf("[PASS] %s/%s (%.2f s)\n", test->suite, test->name, seconds);
    } else if (code == EXIT_SKIPPED) skips++;
    else {
        failed++;
        if (code == EXIT_SAID) return;
        printf("[FAIL] %s/%s: ", test->suite, test->name);
        if (job->late) printf("not done after %.0f s\n", seconds);
        else if (code < 0) printf("signal %d (%s)\n", signal, strsignal(signal));
        else printf("exit code %d\n", code);
    }
}

/* Waits for one of them to end, or to be ended for its time. */
static void wait_for_one(test_job *jobs, const sigset_t *ends)
{
    int status;
    pid_t process = waitpid(-1, &status, WNOHANG);
    for (int i = 0; i < options.jobs; i++) {
        test_job *job = &jobs[i];
        if (!job->test) continue;
        double timeout = job->test->timeout > 0 ? job->test->timeout : options.timeout;
        if (job->process == process) end_job(job, status);
        else if (now() - job->start > timeout && !job->late) {
            job->late = true;
            kill(job->process, SIGKILL);
        }
    }
    if (process <= 0) sigtimedwait(ends, NULL, &(struct timespec){.tv_nsec = 200000000});
}

static void run_in_processes(void)
{
    static test_job jobs[MOST_JOBS];
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    test_case *next = tests;
    for (int busy = 1; next || busy;) {
        busy = 0;
        for (int i = 0; i < options.jobs; i++) {
            if (!jobs[i].test && next) {
                start_job(&jobs[i], next, &before);
                next = next->next;
            }
            busy += jobs[i].test != NULL;
        }
        if (busy) wait_for_one(jobs, &ends);
    }
}

static void run_in_process(void)
{
    for (test_case *test = tests; test; test = test->next) {
        announce(test);
        run_here(test);
        if (failures) failed++;
        else if (skipped) skips++;
        else passed++;
    }
}

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(word, "--verbose")) options.verbose = true;
        else if (!strcmp(word, "--list")) options.list = true;
        else if (!strcmp(word, "--in-process")) options.in_process = true;
        else if (!strcmp(word, "--filter") && next) options.filter = argv[++i];
        else if (!strcmp(word, "--timeout") && next) options.timeout = atof(argv[++i]);
        else if (!strncmp(word, "-j", 2) && (word[2] || next))
            options.jobs = atoi(word[2] ? word + 2 : argv[++i]);
        else {
            fprintf(stderr, "%s %s", argv[0], usage);
            exit(EXIT_USAGE);
        }
    }
    if (options.jobs < 1) options.jobs = 1;
    if (options.jobs > MOST_JOBS) options.jobs = MOST_JOBS;
}

int main(int argc, char **argv)
{
    started_as = geteuid();
    read_options(argc, argv);
    for (test_case **at = &tests; *at;) {
        char name[256];
        snprintf(name, sizeof name, "%s/%s", (*at)->suite, (*at)->name);
        if (fnmatch(options.filter, name, FNM_EXTMATCH) != 0) *at = (*at)->next;
        else {
            if (options.list) printf("%s\n", name);
            at = &(*at)->next;
        }
    }
    if (options.list) return EXIT_SUCCESS;
    if (!tests) {
        fprintf(stderr, "%s: no test matches \"%s\" (--list)\n", argv[0], options.filter);
        return EXIT_USAGE;
    }
    double start = now();
    if (options.in_process) run_in_process();
    else run_in_processes();
    printf(
        "%d tests passed, %d failed, %d skipped in %.1f s\n", passed, failed, skips, now() - start);
    return failed ? EXIT_FAILURE : skips && !passed ? EXIT_SKIPPED : EXIT_SUCCESS;
}
