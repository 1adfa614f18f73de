/* ctest: devices long */
/* Tuning while a program works: whatever is tried, every launch gives the program the right
 * results; a slow default gives way to a fast configuration, a wrong one never wins, the share is
 * kept, and trouble of trials is never the launch's. Times are a simulated clock's where the device
 * is host; elsewhere configurations differ so much that no clock is needed to tell. */
#include <sched.h>
#include <unistd.h>

#include "folder.h"
#include "heddle/online.h"

static hed_error error;

TestSuite(online, .init = folder_make, .fini = folder_remove);

/* ---- a clock that only kernels move ---- */

static _Atomic uint64_t simulated;
static double slowness = 1; /* of everything */
static uint64_t simulated_now(void *user)
{
    (void)user;
    return simulated;
}

/* ---- a kernel whose parameters make it slow, fast, or wrong ---- */

enum {
    N = 960,
    MORE = 1024, /* elements of the output, which is written in part */
    ROUNDS = 8000
};
static const uint64_t PATIENCE_NS = 300000000000u;

static const char text[] =
    "__kernel void work(__global const float *restrict in, __global float *restrict out, "
    "__global int *restrict sum,\n"
    "                   __global int *restrict state)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "#if BROKEN\n"
    "#error this one does not compile\n"
    "#endif\n"
    "    float x = i < SIZE ? in[i] : 1.0f, y = x;\n"
    "    for (int r = 0; r < ROUNDS; r++) y = y * 0.5f + 1.0f;\n"
    "    if (i >= SIZE) return;\n"
    "    if (WAY != 2) out[i] = WAY == 1 ? 3.0f : 2.0f * x + (y > 1e30f ? y : 0.0f);\n"
    "    sum[i] += WAY == 3 ? 2 : 1;\n"
    "    state[i] += WAY == 3 ? 2 : 1;\n"
    "}\n";
static const hed_source source = {"work.cl", text, 0};

static int64_t get(const hed_native_call *call, const char *name)
{
    return hed_config_get(call->def, call->config, name);
}

static void work_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0];
    float *out = call->arguments[1];
    int32_t *sum = call->arguments[2], *state = call->arguments[3];
    int64_t way = get(call, "WAY");
    if (begin == 0)
        simulated += (uint64_t)((double)(1000 + get(call, "ROUNDS") * call->problem->sizes[0] / N) *
                                slowness);
    for (uint64_t i = begin; i < end; i++) {
        if (way != 2) out[i] = way == 1 ? 3.0f : 2.0f * in[i];
        sum[i] += way == 3 ? 2 : 1;
        state[i] += way == 3 ? 2 : 1;
    }
}

static void work_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    g->dimensions = 1;
    g->global[0] = (uint64_t)problem->sizes[0];
    g->group[0] = (uint32_t)hed_config_get(def, config, "WG");
    g->native_items = (uint64_t)problem->sizes[0];
    g->native_grain = (uint64_t)problem->sizes[0];
}

static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-6},
    {.name = "sum", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE},
    {.name = "state", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_WORKSPACE},
};
/* Way 0 is right; 1 writes something else, 2 leaves what is there, 3 is wrong in place. All of them
 * are faster than the default; the wrong ones most. */
static const int64_t groups[] = {8, 16}, rounds[] = {0, 100, ROUNDS}, ways[] = {0, 1, 2, 3},
                     broken[] = {0, 1};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = 2, .value = 16},
    {.name = "ROUNDS", .values = rounds, .count = 3, .value = ROUNDS},
    {.name = "WAY", .values = ways, .count = 4, .value = 0},
    {.name = "BROKEN", .values = broken, .count = 2, .value = 0},
};
/* The fastest right one is ROUNDS=100; ROUNDS=0 is always wrong. What does not compile is right
 * elsewhere. */
static const char *const constraints[] = {
    "ROUNDS > 0 || WAY > 0", "ROUNDS == 0 || WAY == 0", "!BROKEN || ROUNDS == 100 && WG == 8"};
static const hed_define defines[] = {{"SIZE", "960"}};
static const char *const dimensions[] = {"n"};

static hed_kernel_def work_def(void)
{
    return (hed_kernel_def){.name = "work", .sources = &source, .source_count = 1,
        .arguments = arguments, .argument_count = 4, .parameters = parameters, .parameter_count = 4,
        .constraints = constraints, .constraint_count = 3, .defines = defines, .define_count = 1,
        .dimensions = dimensions, .dimension_count = 1, .geometry = work_geometry,
        .range = work_range};
}

/* ---- a program that launches it ---- */

typedef struct program {
    test_device t;
    hed_kernel_def def;
    hed_kernel *kernel;
    hed_online *online;
    hed_buffer *in, *out, *sum, *state;
    hed_argument arguments[4];
    hed_problem problem;
    int launches;
    float input[N], output[MORE];
    int32_t sums[N], states[N], expected[N];
} program;

static bool is_simulated(const program *p)
{
    return strcmp(hed_device_describe(p->t.device).id, "host") == 0;
}

static hed_context_def program_context(void)
{
    hed_context_def def = hed_default_context_def();
    const char *wanted = getenv("HEDDLE_DEVICE");
    if (!wanted || !wanted[0] || strcmp(wanted, "host") == 0)
        def.clock = (hed_clock){NULL, simulated_now};
    def.data_dir = folder;
    def.host_threads = 1;
    return def;
}

static hed_status program_buffers(program *p)
{
    hed_buffer_def in = hed_default_buffer_def(sizeof p->input),
                   out = hed_default_buffer_def(sizeof p->output),
                   sum = hed_default_buffer_def(sizeof p->sums);
    for (int i = 0; i < N; i++) p->input[i] = (float)((i * 37) % 101) * 0.125f - 3.0f;
    for (int i = 0; i < MORE; i++) p->output[i] = -7.0f;
    hed_status status = hed_buffer_create(p->t.device, &in, &p->in, &error);
    if (!status) status = hed_buffer_create(p->t.device, &out, &p->out, &error);
    if (!status) status = hed_buffer_create(p->t.device, &sum, &p->sum, &error);
    if (!status) status = hed_buffer_create(p->t.device, &sum, &p->state, &error);
    if (!status) status = hed_write(p->t.stream, p->state, 0, p->states, sizeof p->states, &error);
    if (!status) status = hed_write(p->t.stream, p->in, 0, p->input, sizeof p->input, &error);
    if (!status) status = hed_write(p->t.stream, p->out, 0, p->output, sizeof p->output, &error);
    if (!status) status = hed_write(p->t.stream, p->sum, 0, p->sums, sizeof p->sums, &error);
    p->arguments[0] = hed_buffer_argument(p->in);
    p->arguments[1] = hed_buffer_argument(p->out);
    p->arguments[2] = hed_buffer_argument(p->sum);
    p->arguments[3] = hed_buffer_argument(p->state);
    return status ? status : hed_stream_wait(p->t.stream, &error);
}

/* A large share, so that a test does not take long; `def` may be NULL. */
static hed_status program_open(
    program *p, const hed_context_def *context, const hed_online_def *given)
{
    hed_online_def def = hed_default_online_def();
    hed_context_def own = program_context();
    def.share = 0.5;
    slowness = 1;
    *p = (program){.def = work_def(), .problem = hed_problem_1d(N)};
    p->t = test_open(context ? context : &own);
    hed_status status = hed_kernel_create(p->t.device, &p->def, NULL, &p->kernel, &error);
    if (!status) status = hed_online_create(p->kernel, given ? given : &def, &p->online, &error);
    return status ? status : program_buffers(p);
}

static void program_close(program *p)
{
    hed_online_destroy(p->online);
    hed_kernel_destroy(p->kernel);
    hed_buffer_destroy(p->in);
    hed_buffer_destroy(p->out);
    hed_buffer_destroy(p->sum);
    hed_buffer_destroy(p->state);
    test_close(&p->t);
}

/* One launch, and a look at everything that it should and should not have written. */
static void launch_once(program *p)
{
    OK(hed_fill(p->t.stream, p->out, 0, N * sizeof(float), "\0", 1, &error));
    OK(hed_online_launch(p->online, p->t.stream, &p->problem, p->arguments, 4, &error));
    OK(hed_read(p->t.stream, p->output, p->out, 0, sizeof p->output, &error));
    OK(hed_read(p->t.stream, p->sums, p->sum, 0, sizeof p->sums, &error));
    OK(hed_read(p->t.stream, p->states, p->state, 0, sizeof p->states, &error));
    OK(hed_stream_wait(p->t.stream, &error));
    p->launches++;
    for (int i = 0; i < N; i++) {
        bool mine = i < (int)p->problem.sizes[0];
        p->expected[i] += mine;
        CHECK_EQ(
            p->sums[i], p->expected[i], "launch %d: sum[%d] is %d", p->launches, i, p->sums[i]);
        CHECK_EQ(p->states[i], p->expected[i], "launch %d: state[%d] is %d", p->launches, i,
            p->states[i]);
        CHECK_EQ(p->output[i], mine ? 2.0f * p->input[i] : 0, "launch %d: out[%d] is %g",
            p->launches, i, (double)p->output[i]);
    }
    for (int i = N; i < MORE; i++)
        CHECK_EQ(p->output[i], -7.0f, "launch %d writes out[%d]", p->launches, i);
}

/* Launches until it rests; five minutes are more than anything here takes. */
static hed_online_info launch_until_rest(program *p)
{
    uint64_t end = hed_now() + PATIENCE_NS;
    hed_online_info report;
    do {
        launch_once(p);
        report = hed_online_describe(p->online);
        sched_yield(); /* the thread beside builds */
    } while (!report.resting && hed_now() < end);
    CHECK(report.resting, "after %llu launches and %llu trials it does not rest",
        (unsigned long long)report.launches, (unsigned long long)report.trials);
    return report;
}

static int64_t value_of(const hed_config *config, const char *name)
{
    hed_kernel_def def = work_def();
    return hed_config_get(&def, config, name);
}

/* The configuration of a promotion is built in the background: launches until the fastest one is in
 * force, and goes on for a while. */
static hed_config in_force(program *p)
{
    uint64_t end = hed_now() + PATIENCE_NS;
    hed_config config = {0};
    for (int left = 200; left && hed_now() < end; left -= value_of(&config, "ROUNDS") == 100) {
        launch_once(p);
        usleep(100);
        config = hed_kernel_config(p->kernel, NULL);
    }
    return config;
}

/* ---- */

Test(online, a_slow_default_gives_way_and_every_launch_is_right)
{
    program p;
    OK(program_open(&p, NULL, NULL));
    hed_online_info report = launch_until_rest(&p);
    hed_config config = in_force(&p);
    CHECK_EQ(value_of(&config, "ROUNDS"), 100, "ROUNDS=%d is in force",
        (int)value_of(&config, "ROUNDS"));
    CHECK_EQ(value_of(&config, "WAY"), 0, "one with wrong results is in force");
    CHECK(report.promotions >= 1 && report.restarts == 0 && report.reason[0] == 0, "%s",
        report.reason);
    bool compiles = hed_device_describe(p.t.device).capabilities & HED_CAN_SOURCE;
    CHECK_EQ(
        report.failed, 6 + (compiles ? 1 : 0), "%d configurations do not work", (int)report.failed);
    CHECK_EQ(report.candidates, 6 + 4, "%d candidates", (int)report.candidates);
    CHECK(report.best_seconds < report.first_seconds / 2, "%g, then %g", report.first_seconds,
        report.best_seconds);
    if (is_simulated(&p)) CHECK_NEAR(report.first_seconds, (1000 + ROUNDS) * 1e-9, 1e-12);
    program_close(&p);
}

/* Only kernels move the clock, so what trials took is known exactly. */
Test(online, the_share_is_kept)
{
    hed_online_def def = hed_default_online_def();
    program p;
    OK(program_open(&p, NULL, &def));
    if (!is_simulated(&p)) {
        program_close(&p);
        test_skip("this device has a clock of its own");
    }
    double dearest = 0, before = 0;
    uint64_t end = hed_now() + PATIENCE_NS;
    hed_online_info report;
    do {
        launch_once(&p);
        report = hed_online_describe(p.online);
        dearest = report.trial_seconds - before > dearest ? report.trial_seconds - before : dearest;
        before = report.trial_seconds;
        CHECK(report.trial_seconds <= def.share * report.launch_seconds + dearest,
            "%g s of trials in %g s of launches", report.trial_seconds, report.launch_seconds);
        usleep(100); /* the thread has always something ready, and only the share holds it back */
    } while (!report.resting && hed_now() < end);
    CHECK(report.resting && report.trials > 20 && report.trial_seconds > 0);
    CHECK(dearest < 2.1 * (1000 + ROUNDS) * 1e-9, "a trial takes %g s", dearest);
    program_close(&p);
}

Test(online, what_was_found_is_known_at_the_next_start)
{
    program p;
    OK(program_open(&p, NULL, NULL));
    launch_until_rest(&p);
    program_close(&p);
    OK(program_open(&p, NULL, NULL));
    hed_config_origin configured;
    launch_once(&p); /* for this size */
    hed_config config = hed_kernel_config(p.kernel, &configured);
    CHECK(configured == HED_ORIGIN_EXACT && value_of(&config, "ROUNDS") == 100, "%s, ROUNDS=%d",
        hed_config_origin_name(configured), (int)value_of(&config, "ROUNDS"));
    hed_online_info report = launch_until_rest(&p);
    CHECK_EQ(report.trials, 0, "what was tried is tried again");
    program_close(&p);
}

Test(online, each_size_has_its_own)
{
    program p;
    OK(program_open(&p, NULL, NULL));
    launch_until_rest(&p);
    p.problem = hed_problem_1d(N / 2);
    launch_once(&p);
    CHECK(!hed_online_describe(p.online).resting, "a new size rests at once");
    hed_online_info report = launch_until_rest(&p);
    hed_config config = in_force(&p);
    CHECK_EQ(value_of(&config, "ROUNDS"), 100);
    p.problem = hed_problem_1d(N);
    launch_once(&p);
    report = hed_online_describe(p.online);
    CHECK(report.resting, "a size that came to rest begins again");
    program_close(&p);
}

Test(online, more_sizes_than_are_kept)
{
    program p;
    OK(program_open(&p, NULL, NULL));
    for (int turn = 0; turn < 40; turn++) {
        p.problem = hed_problem_1d(N - 16 * (turn % 20));
        for (int i = 0; i < 10; i++) launch_once(&p);
        if (turn % 8 == 7) usleep(2000);
    }
    program_close(&p);
}

Test(online, a_lasting_slowdown_starts_it_again)
{
    program p;
    OK(program_open(&p, NULL, NULL));
    if (!is_simulated(&p)) {
        program_close(&p);
        test_skip("this device has a clock of its own");
    }
    uint64_t trials = launch_until_rest(&p).trials, failed = hed_online_describe(p.online).failed;
    for (int i = 0; i < 2000; i++) launch_once(&p);
    slowness = 3;
    for (int i = 0; i < 100; i++) launch_once(&p); /* not lasting yet: one in sixteen is measured */
    slowness = 1;
    for (int i = 0; i < 2000; i++) launch_once(&p);
    CHECK_EQ(hed_online_describe(p.online).restarts, 0, "a short slowdown starts it again");
    CHECK_EQ(hed_online_describe(p.online).trials, trials, "it does not rest");
    slowness = 3;
    for (int i = 0; i < 2000 && hed_online_describe(p.online).restarts == 0; i++) launch_once(&p);
    CHECK_EQ(hed_online_describe(p.online).restarts, 1);
    hed_online_info report = launch_until_rest(&p);
    CHECK(report.trials > trials, "nothing is tried again");
    CHECK_EQ(report.failed, failed, "what failed is tried again");
    for (int i = 0; i < 2000; i++) launch_once(&p);
    CHECK_EQ(hed_online_describe(p.online).restarts, 1, "what it now takes is a slowdown, too");
    program_close(&p);
}

/* ---- launches without trials ---- */

static void expect_reason(program *p, const char *words)
{
    uint64_t end = hed_now() + PATIENCE_NS;
    hed_online_info report = {0};
    for (int i = 0; i < 200 || (!report.resting && hed_now() < end); i++) {
        OK(hed_online_launch(p->online, p->t.stream, &p->problem, p->arguments, 4, &error));
        OK(hed_stream_wait(p->t.stream, &error));
        if (i % 20 == 0) usleep(1000);
        report = hed_online_describe(p->online);
    }
    CHECK(strstr(report.reason, words) && report.resting, "\"%s\" does not say \"%s\"",
        report.reason, words);
    CHECK_EQ(report.trials, 0);
}

Test(online, launches_that_cannot_be_tried_are_launched_and_say_why)
{
    program p;
    hed_online_def def = hed_default_online_def();
    def.copy_limit = 1000;
    OK(program_open(&p, NULL, &def));
    expect_reason(&p, "copy_limit");
    program_close(&p);
    OK(program_open(&p, NULL, NULL));
    p.arguments[0] = p.arguments[1];
    expect_reason(&p, "shares memory");
    program_close(&p);
    OK(program_open(&p, NULL, NULL));
    hed_online_destroy(p.online);
    hed_kernel_destroy(p.kernel);
    p.def.constraints = (const char *const[]){"WG == 16", "ROUNDS == 100", "WAY == 0 && !BROKEN"};
    OK(hed_kernel_create(p.t.device, &p.def, NULL, &p.kernel, &error));
    OK(hed_online_create(p.kernel, NULL, &p.online, &error));
    expect_reason(&p, "no second");
    program_close(&p);
}

Test(online, kernels_that_wait_for_others_are_never_tried)
{
    test_device t = test_open(NULL);
    hed_kernel_def def = work_def();
    hed_kernel *kernel;
    hed_online *online;
    uint64_t needs = hed_device_describe(t.device).capabilities &
                     (HED_CAN_COOPERATIVE | HED_CAN_MAPPED | HED_CAN_RESIDENT);
    if (!needs) {
        test_close(&t);
        test_skip("no kernel can wait for others here");
    }
    def.needs = needs;
    OK(hed_kernel_create(t.device, &def, NULL, &kernel, &error));
    OK(hed_online_create(kernel, NULL, &online, &error));
    CHECK(hed_online_describe(online).reason[0] && hed_online_describe(online).resting);
    hed_online_destroy(online);
    hed_kernel_destroy(kernel);
    test_close(&t);
}

Test(online, recordings_and_streams_of_high_priority_are_left_alone)
{
    program p;
    hed_graph *graph;
    hed_stream *urgent;
    hed_stream_def def = hed_default_stream_def();
    OK(program_open(&p, NULL, NULL));
    for (int i = 0; i < 60; i++) launch_once(&p);
    def.priority = 1;
    OK(hed_stream_create(p.t.device, &def, &urgent, &error));
    uint64_t trials = hed_online_describe(p.online).trials;
    for (int i = 0; i < 50; i++) {
        OK(hed_online_launch(p.online, urgent, &p.problem, p.arguments, 4, &error));
        OK(hed_stream_wait(urgent, &error));
    }
    OK(hed_graph_begin(p.t.stream, &error));
    for (int i = 0; i < 50; i++)
        OK(hed_online_launch(p.online, p.t.stream, &p.problem, p.arguments, 4, &error));
    OK(hed_graph_end(p.t.stream, &graph, &error));
    CHECK_EQ(hed_graph_step_count(graph), 50, "a trial is recorded");
    CHECK_EQ(hed_online_describe(p.online).trials, trials);
    hed_graph_destroy(graph);
    hed_stream_destroy(urgent);
    program_close(&p);
}

Test(online, mistakes_of_the_caller)
{
    program p;
    hed_online *none;
    hed_online_def def = hed_default_online_def();
    OK(program_open(&p, NULL, NULL));
    def.share = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_online_create(p.kernel, &def, &none, &error));
    def = hed_default_online_def();
    def.slowdown = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_online_create(p.kernel, &def, &none, &error));
    hed_argument buffer = p.arguments[0];
    p.arguments[0] = hed_int_argument(1);
    FAILS(HED_ERROR_ARGUMENT,
        hed_online_launch(p.online, p.t.stream, &p.problem, p.arguments, 4, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_online_launch(p.online, p.t.stream, &p.problem, p.arguments, 3, &error));
    p.arguments[0] = buffer;
    FAILS(
        HED_ERROR_ARGUMENT, hed_online_launch(p.online, p.t.stream, NULL, p.arguments, 4, &error));
    p.problem.sizes[0] = 0;
    FAILS(HED_ERROR_ARGUMENT,
        hed_online_launch(p.online, p.t.stream, &p.problem, p.arguments, 4, &error));
    p.problem.sizes[0] = N;
    launch_once(&p);
    hed_online_destroy(NULL);
    program_close(&p);
}

/* ---- memory ---- */

/* With one allocation failing, wherever it is: launches that say they succeeded are right, and
 * nothing is left. */
Test(online, each_allocation_failing)
{
    test_allocator state = {0};
    test_device held = test_open(NULL);
    bool quick = is_simulated(&(program){.t = held});
    int64_t last = 0;
    for (int64_t n = 1; n < 4000; n = quick ? n + (n < 100 ? 1 : 37) : 4 * n) {
        program p;
        hed_context_def def = program_context();
        state = (test_allocator){0};
        def.allocator = test_allocator_of(&state);
        def.data_dir = "";
        OK(program_open(&p, &def, NULL));
        state.fail_at = state.calls + n;
        for (int i = 0, beyond = 0;
             i < 100000 && beyond < 30 && !hed_online_describe(p.online).resting; i++) {
            hed_error_clear(&error);
            hed_status status =
                hed_online_launch(p.online, p.t.stream, &p.problem, p.arguments, 4, &error);
            CHECK(status == HED_OK || (!quick && status == HED_ERROR_MEMORY),
                "allocation %lld failing: %s", (long long)n,
                error
                    .text); /* a plain launch on host needs no memory, and a trial must not fail it */
            p.launches += status == HED_OK;
            OK(hed_stream_wait(p.t.stream, &error));
            beyond += state.calls >= state.fail_at;
            sched_yield();
        }
        bool reached = state.calls >= state.fail_at;
        OK(hed_read(p.t.stream, p.sums, p.sum, 0, sizeof p.sums, &error));
        OK(hed_stream_wait(p.t.stream, &error));
        for (int i = 0; i < N; i++)
            CHECK_EQ(p.sums[i], p.launches, "allocation %lld failing", (long long)n);
        program_close(&p);
        CHECK(state.live == 0 && state.bytes == 0, "allocation %lld failing: %lld are left",
            (long long)n, (long long)state.live);
        if (!reached) break;
        last = n;
    }
    CHECK(last > 20, "%lld allocations", (long long)last);
    test_close(&held);
}
