/* NULL for every required pointer of every public function, in a process of its own: none ends by a
 * signal, functions with a status give HED_ERROR_ARGUMENT, and their error names the parameter.
 * null_walk.py makes the calls from the headers; null_optional.txt lists the parameters that may be
 * NULL. */
#include "testing.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* One parameter of one function. */
typedef struct null_call {
    const char *function, *parameter;
    /* `guard`: an address that may not be read */
    int (*call)(void *guard, hed_error *error);
    bool has_status, has_error;
} null_call;

#ifdef HAS_NULL_CALLS
#include "null_calls.inc"
#else
static const null_call null_calls[1];
#endif

enum { CALLS = HED_COUNT(null_calls), GUARD = 1 << 20 };

/* Progress of the child, in memory that it shares with the test. */
typedef struct null_walk {
    uint32_t next; /* call under way, or the next one */
    struct {
        bool wrong;
        int status, status_without; /* without: where `error` is NULL */
        char text[256];
    } calls[CALLS];
} null_walk;

static void walk_on(null_walk *walk, void *guard)
{
    for (; walk->next < CALLS; walk->next++) {
        const null_call *c = &null_calls[walk->next];
        hed_error error = {0};
        char words[160];
        int status = c->call(guard, &error);
        int without = c->call(guard, NULL);
        snprintf(words, sizeof words, "(): %s is NULL; expected", c->parameter);
        walk->calls[walk->next].status = status;
        walk->calls[walk->next].status_without = without;
        snprintf(walk->calls[walk->next].text, sizeof walk->calls->text, "%.200s", error.text);
        if (c->has_status && (status != HED_ERROR_ARGUMENT || without != HED_ERROR_ARGUMENT))
            walk->calls[walk->next].wrong = true;
        if (c->has_error && !strstr(error.text, words)) walk->calls[walk->next].wrong = true;
    }
}

Test(null_walk, no_required_pointer_ends_a_program, .timeout = 300)
{
#ifndef HAS_NULL_CALLS
    test_skip("there was no Python when this was built");
#endif
    null_walk *walk =
        mmap(NULL, sizeof *walk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void *guard = mmap(NULL, GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t faults = 0;
    CHECK(walk != MAP_FAILED && guard != MAP_FAILED);
    while (walk->next < CALLS) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            walk_on(walk, guard);
            _exit(0);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        if (walk->next == CALLS && status == 0) break;
        const null_call *c = &null_calls[walk->next++];
        EXPECT(false, "%s(): %s NULL: the process ended with %s %d", c->function, c->parameter,
            WIFSIGNALED(status) ? "signal" : "code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        faults++;
    }
    for (uint32_t i = 0; i < CALLS; i++) {
        if (!walk->calls[i].wrong) continue;
        EXPECT(false, "%s(): %s NULL: status %d, without an error %d, text \"%s\"; expected %d and the parameter's name",
            null_calls[i].function, null_calls[i].parameter, walk->calls[i].status,
            walk->calls[i].status_without, walk->calls[i].text, HED_ERROR_ARGUMENT);
        faults++;
    }
    printf("%d pointers of public functions: %u faults\n", (int)CALLS, faults);
    CHECK_GE((int)CALLS, 400);
    munmap(walk, sizeof *walk);
    munmap(guard, GUARD);
}

/* The lists of a description, of which each has a count. */
Test(null_walk, a_list_that_is_null_is_named, .timeout = 60)
{
    const hed_kernel_def defs[] = {{.name = "sources", .source_count = 1},
        {.name = "texts", .text_count = 1}, {.name = "arguments", .argument_count = 1},
        {.name = "parameters", .parameter_count = 1}, {.name = "constraints", .constraint_count = 1},
        {.name = "conditions", .condition_count = 1}, {.name = "defines", .define_count = 1},
        {.name = "options", .option_count = 1}, {.name = "dimensions", .dimension_count = 1}};
    hed_error error;
    test_device on = test_open(NULL);
    for (size_t i = 0; i < HED_COUNT(defs); i++) {
        hed_kernel *kernel;
        char words[64];
        FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(on.device, &defs[i], NULL, &kernel, &error));
        snprintf(words, sizeof words, "hed_kernel_def.%s is NULL", defs[i].name);
        CHECK(strstr(error.text, words), "%s", error.text);
        CHECK_NULL(kernel);
    }
    test_close(&on);
}
