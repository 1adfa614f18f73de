/* ctest: devices */
/* Several threads on one device: opening it, making and destroying buffers, streams, events and
 * kernels, and launching, each thread in a stream of its own. Under ThreadSanitizer on host and on
 * the fake drivers, whose code it sees. */
#include "cycle.h"
#include "fakes.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 6 };

static _Thread_local hed_error error; /* tests with threads share no error */

/* What the threads share, and what each of them finds wrong: an assertion is for the test's own
 * thread. */
typedef struct crew {
    hed_context *context;
    hed_device *device;
    pthread_barrier_t start;
} crew;

typedef struct worker {
    crew *crew;
    int index;
    hed_status status;
    hed_error error;
    cycle c;
} worker;

/* One round: everything is made, used and destroyed while the other threads do the same. */
static hed_status work(worker *w, int round)
{
    cycle *c = &w->c;
    hed_error *why = &w->error;
    hed_device *device = w->crew->device;
    const hed_config config = {1, {cycle_groups[(w->index + round) % 2]}};
    hed_kernel_options options = hed_default_kernel_options();
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_argument arguments[6];
    hed_event *event = NULL;
    hed_graph *graph = NULL;
    float a = (float)(w->index + 1);
    hed_status status;
    options.config = &config;
    options.defines = cycle_own_defines;
    options.define_count = 1;
    options.background = round % 2;
    TRY(hed_kernel_create(device, &cycle_def, &options, &c->kernel, why));
    TRY(hed_stream_create(device, NULL, &c->stream, why));
    TRY(cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &c->in, why));
    TRY(cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &c->out, why));
    TRY(cycle_buffer(device, HED_MEMORY_PINNED, CYCLE_BYTES, NULL, &c->pinned, why));
    TRY(hed_event_create(device, true, &event, why));
    c->end = event;
    TRY(hed_write(c->stream, c->in, 0, c->input, CYCLE_BYTES, why));
    while ((status = hed_kernel_ready(c->kernel, why)) == HED_ERROR_NOT_READY) usleep(50);
    TRY(status);
    cycle_pack(c, c->out, a, arguments);
    for (int i = 0; i < 20; i++) TRY(hed_launch(c->stream, c->kernel, &problem, arguments, 6, why));
    TRY(hed_graph_begin(c->stream, why));
    TRY(hed_launch(c->stream, c->kernel, &problem, arguments, 6, why));
    TRY(hed_call(c->stream, cycle_count, &c->calls, why));
    TRY(hed_graph_end(c->stream, &graph, why));
    c->graph = graph;
    for (int i = 0; i < 5; i++) TRY(hed_graph_replay(graph, c->stream, why));
    TRY(hed_copy(c->stream, c->pinned, 0, c->out, 0, CYCLE_BYTES, why));
    TRY(hed_event_record(event, c->stream, why));
    TRY(hed_event_wait(event, 20000000000u, why));
    TRY(hed_stream_wait(c->stream, why));
    memcpy(c->output, hed_buffer_describe(c->pinned).host, CYCLE_BYTES);
    for (int i = 0; i < CYCLE_N; i++) {
        float want = a * c->input[i] + cycle_moved.x * (float)i + cycle_moved.y + 9.5f;
        if (c->output[i] > want + 1e-3f || c->output[i] < want - 1e-3f || c->calls != 5) {
            snprintf(why->text, sizeof why->text, "element %d is %g instead of %g, %d calls", i,
                (double)c->output[i], (double)want, c->calls);
            return HED_ERROR_FORMAT;
        }
    }
    return HED_OK;
}

static void *run_worker(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < CYCLE_N; i++) w->c.input[i] = (float)((i * 31 + w->index) % 89) * 0.25f;
    int round = 0;
    for (; round < ROUNDS && !w->status; round++) {
        pthread_barrier_wait(&w->crew->start); /* the first one: all open the device at once */
        w->status = work(w, round);
        hed_graph_destroy(w->c.graph);
        hed_kernel_destroy(w->c.kernel);
        hed_event_destroy(w->c.end);
        hed_buffer_destroy(w->c.pinned);
        hed_buffer_destroy(w->c.out);
        hed_buffer_destroy(w->c.in);
        hed_stream_destroy(w->c.stream);
        w->c.graph = NULL;
        w->c.kernel = NULL;
        w->c.end = NULL;
        w->c.pinned = w->c.out = w->c.in = NULL;
        w->c.stream = NULL;
        w->c.calls = 0;
    }
    for (; round < ROUNDS; round++) pthread_barrier_wait(&w->crew->start); /* let the others end */
    return NULL;
}

static void run_crew(hed_context_def def, const char *selector)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    test_allocator state = {0};
    crew c;
    memset(workers, 0, sizeof workers);
    def.allocator = test_allocator_of(&state);
    OK(hed_context_create(&def, &c.context, &error));
    OK(hed_device_find(c.context, selector, &c.device, &error));
    CHECK_EQ(pthread_barrier_init(&c.start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i].crew = &c;
        workers[i].index = i;
        CHECK_EQ(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(workers[i].status, HED_OK, "thread %d: %s: %s\n%s", i,
            hed_status_name(workers[i].status), workers[i].error.text, workers[i].error.log);
    pthread_barrier_destroy(&c.start);
    hed_context_destroy(c.context);
    CHECK(state.live == 0 && state.bytes == 0, "%lld allocations of ours are left",
        (long long)state.live);
}

Test(threads, everything_at_once_on_the_device_under_test)
{
    test_device t = test_open(NULL); /* skips where it is not there */
    char selector[256];
    snprintf(selector, sizeof selector, "%s", hed_device_describe(t.device).id);
    test_close(&t);
    run_crew(hed_default_context_def(), selector);
}

static void run_on_fakes(const char *backend, const char *selector)
{
    fake_control *f = fakes_load(fakes_path(backend));
    fakes_reset(f);
    run_crew(fakes_def(backend), selector);
    CHECK_EQ(fakes_alive(f), 0, "%lld objects are left", (long long)fakes_alive(f));
    CHECK_EQ(f->misuses, 0, "%s was given nonsense", f->misused);
}

Test(threads, everything_at_once_on_the_fake_cuda) { run_on_fakes("cuda", "cuda:0"); }
Test(threads, everything_at_once_on_the_fake_opencl) { run_on_fakes("opencl", "opencl:0:0"); }

/* ---- contexts that do not know of each other ---- */

static void *run_life(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < 3 && !w->status; i++) {
        hed_device *device;
        hed_context *context = NULL;
        hed_stream *stream = NULL;
        hed_buffer *buffer = NULL;
        w->status = hed_context_create(NULL, &context, &w->error);
        if (!w->status) w->status = hed_device_find(context, NULL, &device, &w->error);
        if (!w->status) w->status = hed_stream_create(device, NULL, &stream, &w->error);
        if (!w->status)
            w->status = cycle_buffer(device, HED_MEMORY_DEVICE, 4096, NULL, &buffer, &w->error);
        if (!w->status) w->status = hed_fill(stream, buffer, 0, 4096, "x", 1, &w->error);
        hed_buffer_destroy(buffer);
        hed_stream_destroy(stream);
        hed_context_destroy(context);
    }
    return NULL;
}

Test(threads, contexts_come_and_go_side_by_side)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, run_life, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(workers[i].status, HED_OK, "thread %d: %s", i, workers[i].error.text);
}
