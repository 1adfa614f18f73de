/* What is believed of a worker at the other end of a stream: nothing. First words cut anywhere and
 * with any byte changed; workers that lie, end, or say nothing, at each step. worker_peer_test.c has the
 * lies that a worker process of this machine can tell as well. */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner_testing.h"
#include "workers/remote_device.h"

static hed_hello made_up(void)
{
    return (hed_hello){.machine = "elsewhere",
        .build_key = "opencl made up",
        .info = {.id = "opencl:3:1",
            .backend = "opencl",
            .platform = "p",
            .name = "a card",
            .vendor = "v",
            .driver = "7",
            .type = HED_DEVICE_GPU,
            .compute_units = 4,
            .max_group = 256,
            .max_group_size = {256, 256, 64},
            .max_groups = {1 << 30, 1 << 30, 1 << 30},
            .local_bytes = 1 << 15,
            .memory_bytes = 1 << 30,
            .max_buffer_bytes = 1 << 28,
            .buffer_alignment = 64,
            .max_arguments_bytes = 1024,
            .architecture = 0,
            .capabilities = HED_CAN_SOURCE}};
}

static hed_text put_hello(void)
{
    static hed_allocator allocator;
    allocator = hed_default_allocator();
    hed_text text = {.allocator = &allocator};
    const hed_hello hello = made_up();
    hed_hello_put(&text, &hello);
    return text;
}

Test(remote, a_device_comes_through)
{
    hed_text text = put_hello();
    hed_hello hello;
    OK(hed_hello_read(text.bytes, text.size, &hello, &error));
    CHECK_TEXT(hello.machine, "elsewhere");
    CHECK_TEXT(hello.info.driver, "7");
    CHECK_EQ(hello.info.max_group_size[2], 64);
    CHECK_EQ(hello.info.capabilities, HED_CAN_SOURCE);
    hed_text_free(&text);
}

Test(remote, a_torn_first_word_is_refused)
{
    hed_text text = put_hello();
    hed_hello hello;
    for (size_t size = 0; size < text.size; size++) {
        char *cut = malloc(size + 1);
        memcpy(cut, text.bytes, size);
        hed_error why = {0};
        CHECK_NE(hed_hello_read(cut, size, &hello, &why), HED_OK, "cut after %zu bytes", size);
        free(cut);
    }
    for (size_t at = 0; at < text.size; at++)
        for (int bit = 0; bit < 8; bit++) {
            hed_error why = {0};
            text.bytes[at] ^= (char)(1 << bit);
            if (!hed_hello_read(text.bytes, text.size, &hello, &why))
                CHECK(strlen(hello.info.name) < text.size && hello.info.max_group > 0);
            text.bytes[at] ^= (char)(1 << bit);
        }
    hed_text_free(&text);
}

/* ---- a worker that lies ---- */

typedef enum lie {
    HONEST,
    ONLY_ALIVE, /* and never a hello */
    ENDS_AT_ONCE,
    GONE_BEFORE, /* when it is asked, which is no signal to the program */
    SILENT,
    FEW_TIMES,
    LOSES_ITS_DEVICE,
    LIES
} lie;

typedef struct liar {
    lie about;
    int socket;
    pthread_t thread;
    bool (*idle)(void *user); /* of the leader; NULL: none */
} liar;

static void liar_answer(const liar *l, const hed_worker_request *request)
{
    hed_worker_reply reply = {.number = request->number};
    reply.trial = hed_local_new_trial();
    reply.count = request->runs;
    for (uint32_t i = 0; i < reply.count; i++) reply.values[i] = 1e-3;
    if (l->about == FEW_TIMES && request->task == HED_TASK_TIME) reply.count--;
    if (l->about == LOSES_ITS_DEVICE && request->task != HED_TASK_OPEN) reply.is_lost = 1;
    hed_frame_write(l->socket, HED_FRAME_REPLY, &reply, sizeof reply, 0);
}

/* Reads a job and the request to open it. */
static bool liar_open(const liar *l)
{
    hed_worker_request request;
    uint64_t left;
    char waste[4096];
    if (hed_order_read(l->socket, &request, &left) != HED_ORDER_JOB) return false;
    while (left) {
        size_t size = left < sizeof waste ? (size_t)left : sizeof waste;
        if (!hed_stream_read_all(l->socket, waste, size)) return false;
        left -= size;
    }
    if (hed_order_read(l->socket, &request, &left) != HED_ORDER_REQUEST) return false;
    hed_frame_write(l->socket, HED_FRAME_ALIVE, NULL, 0, 0);
    liar_answer(l, &request);
    return true;
}

static void *liar_run(void *user)
{
    liar *l = user;
    hed_text text = put_hello();
    hed_worker_request request;
    uint64_t size;
    if (l->about == ONLY_ALIVE)
        while (hed_frame_write(l->socket, HED_FRAME_ALIVE, NULL, 0, 0)) usleep(20000);
    else if (l->about != ENDS_AT_ONCE)
        hed_frame_write(l->socket, HED_FRAME_HELLO, text.bytes, text.size, 0);
    hed_text_free(&text);
    if (l->about != ONLY_ALIVE && l->about != ENDS_AT_ONCE && liar_open(l))
        while (l->about != GONE_BEFORE &&
               hed_order_read(l->socket, &request, &size) == HED_ORDER_REQUEST)
            if (l->about != SILENT) liar_answer(l, &request);
    close(l->socket);
    return NULL;
}

static hed_status open_liar(liar *l, lie about, hed_context *context, hed_device **device)
{
    int sockets[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    *l = (liar){.about = about, .socket = sockets[1], .idle = l->idle};
    CHECK_EQ(pthread_create(&l->thread, NULL, liar_run, l), 0);
    const hed_remote_def def = {.descriptor = sockets[0],
        .patience_seconds = about == SILENT || about == ONLY_ALIVE ? 0.5 : 100,
        .idle = l->idle};
    error = (hed_error){0};
    return hed_device_create_remote(context, &def, device, &error);
}

static bool give_up(void *user) { return true; }

/* Ctrl-C of a leader: without a limit, the worker that says only that it is alive held it for
 * ever. */
Test(remote, the_first_word_is_given_up, .timeout = 60)
{
    test_device on = test_open(NULL);
    hed_device *device;
    liar l = {.idle = give_up};
    CHECK_EQ(open_liar(&l, ONLY_ALIVE, on.context, &device), HED_ERROR_LOST);
    CHECK(strstr(error.text, "was abandoned"), "%s", error.text);
    pthread_join(l.thread, NULL);
    error = (hed_error){0};
    test_close(&on);
}

Test(remote, an_honest_worker_is_used)
{
    runner_test t = {.on = test_open(NULL)};
    liar l = {0};
    hed_device *device;
    double values[100];
    hed_trial trial;
    OK(open_liar(&l, HONEST, t.on.context, &device));
    CHECK_TEXT(hed_device_describe(device).id, "elsewhere:opencl:3:1");
    describe_scale(&t);
    t.def.device = device;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    OK(t.runner->kind->time(t.runner, 0, 100, values, &trial, &error));
    CHECK_EQ(values[99], 1e-3);
    FAILS(HED_ERROR_LOST, t.runner->kind->output(t.runner, 0, 1, 0, values, &trial, &error));
    error = (hed_error){0};
    hed_runner_destroy(t.runner);
    hed_buffer *buffer;
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_buffer_create(device, &(hed_buffer_def){.size = 64}, &buffer, &error));
    hed_device_release(device);
    pthread_join(l.thread, NULL);
    test_close(&t.on);
}

Test(remote, liars_are_lost)
{
    runner_test t = {.on = test_open(NULL)};
    for (lie about = ONLY_ALIVE; about < LIES; about++) {
        liar l = {0};
        hed_device *device = NULL;
        hed_trial trial;
        double value;
        hed_config config = config_of(64, RIGHT);
        hed_status status = open_liar(&l, about, t.on.context, &device);
        if (about <= ENDS_AT_ONCE) {
            CHECK_EQ(status, HED_ERROR_LOST, "lie %d: %s", about, error.text);
            CHECK_NULL(device);
        } else {
            OK(status);
            describe_scale(&t);
            t.def.device = device;
            OK(hed_runner_create_worker(&t.def, &t.runner, &error));
            if (about == GONE_BEFORE) usleep(50000);
            status = t.runner->kind->prepare(t.runner, 0, &config, &trial, &error);
            if (!status) status = t.runner->kind->time(t.runner, 0, 1, &value, &trial, &error);
            CHECK_EQ(status, HED_ERROR_LOST, "lie %d: %s", about, error.text);
            CHECK(strstr(error.text, "the worker behind"), "lie %d: %s", about, error.text);
            CHECK(t.runner->lost, "lie %d", about);
            hed_runner_destroy(t.runner);
            error = (hed_error){0};
            CHECK_NE(hed_runner_create_worker(&t.def, &t.runner, &error), HED_OK, "lost for good");
            hed_device_release(device);
        }
        pthread_join(l.thread, NULL);
    }
    error = (hed_error){0};
    test_close(&t.on);
}

Test(remote, commands_that_are_no_workers)
{
    static const struct {
        const char *command, *words;
        double patience;
    } commands[] = {{"exit 3", "exit code 3", 100}, {"sleep 60", "sent nothing", 0.3},
        {"echo no route to host >&2; exit 255", "its last output: no route to host", 100},
        {"kill -9 $$", "SIGKILL", 100}, {"cat", "sent nothing", 0.3}, {"yes", "invalid reply", 100},
        {"/nothing/heddle-worker", "not found", 100}};
    test_device on = test_open(NULL);
    for (size_t i = 0; i < HED_COUNT(commands); i++) {
        hed_device *device;
        const hed_remote_def def = {
            .command = commands[i].command, .patience_seconds = commands[i].patience};
        FAILS(HED_ERROR_LOST, hed_device_create_remote(on.context, &def, &device, &error));
        CHECK(strstr(error.text, commands[i].words), "%s: %s", commands[i].command, error.text);
    }
    error = (hed_error){0};
    test_close(&on);
}

Test(remote, every_allocation_may_fail)
{
    test_allocator state = {0};
    hed_context_def def = hed_default_context_def();
    runner_test t = {0};
    uint32_t refused = 0;
    bool whole = false;
    def.allocator = test_allocator_of(&state);
    t.on = test_open(&def);
    for (uint32_t n = 1; !whole; n++) {
        liar l = {0};
        hed_device *device = NULL;
        hed_config config = config_of(64, RIGHT);
        int64_t live = state.live;
        state.fail_at = state.calls + n;
        hed_status status = open_liar(&l, HONEST, t.on.context, &device);
        t.runner = NULL;
        describe_scale(&t);
        t.def.device = device;
        if (!status) status = hed_runner_create_worker(&t.def, &t.runner, &error);
        if (!status) status = t.runner->kind->build_ahead(t.runner, &config, &error);
        whole = state.calls < state.fail_at;
        state.fail_at = 0;
        CHECK_EQ(status, whole ? HED_OK : HED_ERROR_MEMORY, "allocation %u: %s", n, error.text);
        refused += !whole;
        hed_runner_destroy(t.runner);
        hed_device_release(device);
        pthread_join(l.thread, NULL);
        CHECK_EQ(state.live, live, "allocation %u", n);
    }
    CHECK_GE(refused, 6);
    error = (hed_error){0};
    test_close(&t.on);
}
