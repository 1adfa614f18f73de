/* ctest: devices=pocl,cuda */
/* What a leader believes of a worker: nothing. One list of streams, each sent by a program in the place of
 * heddle-worker, once as a worker process of this machine and once as the command of a worker elsewhere. */
#include "core/objects.h"
#include "folder.h"
#include "runner_testing.h"
#include "workers/remote_device.h"

static void open_folder(void)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    if (!wanted || !wanted[0] || !strcmp(wanted, "host"))
        test_skip("host runs the program's own functions, which no worker has");
    folder_make();
}

TestSuite(worker_peer, .init = open_folder, .fini = folder_remove);

/* A stream: a HELLO, then the reply to the first request, which is to open the job. */
typedef struct stream {
    hed_text hello; /* without its frame */
    hed_frame hello_frame;
    struct {
        hed_frame frame;
        hed_worker_reply reply;
    } answer;
    size_t most; /* bytes of it that are sent */
    bool no_hello, hello_twice;
} stream;

static hed_allocator allocator;

static stream honest(const hed_device *device)
{
    allocator = hed_default_allocator();
    stream s = {.hello = {.allocator = &allocator}, .most = SIZE_MAX};
    const hed_hello hello = {
        .info = device->info, .machine = "here", .build_key = device->build_key};
    hed_hello_put(&s.hello, &hello);
    s.hello_frame = (hed_frame){HED_FRAME_MAGIC, HED_FRAME_HELLO, s.hello.size};
    s.answer.frame = (hed_frame){HED_FRAME_MAGIC, HED_FRAME_REPLY, sizeof s.answer.reply};
    s.answer.reply = (hed_worker_reply){.number = 1, .count = 1};
    s.answer.reply.trial = hed_local_new_trial();
    return s;
}

/* Writes the stream into the folder. */
static void write_stream(stream *s)
{
    hed_text all = {.allocator = &allocator};
    for (int i = s->no_hello ? 1 : 0; i < (s->hello_twice ? 2 : 1); i++) {
        hed_text_add_bytes(&all, &s->hello_frame, sizeof s->hello_frame);
        hed_text_add_bytes(&all, s->hello.bytes, s->hello.size);
    }
    hed_text_add_bytes(&all, &s->answer, sizeof s->answer);
    write_file(in_folder("stream"), all.bytes, all.size < s->most ? all.size : s->most);
    hed_text_free(&all);
    hed_text_free(&s->hello);
}

/* Opens a job with a worker process of this machine that sends the stream. */
static hed_status try_process(const test_device *on, bool ends)
{
    char text[256];
    hed_context_def def = hed_default_context_def();
    runner_test t = {0};
    const char *program = in_folder("worker");
    snprintf(text, sizeof text, "#!/bin/sh\ncat '%s' >&3\n%s\n", in_folder("stream"),
        ends ? "exit 3" : "exec cat <&3 >/dev/null");
    write_file(program, text, strlen(text));
    CHECK_EQ(chmod(program, 0755), 0);
    def.worker = program;
    t.on = test_open(&def);
    CHECK_TEXT(hed_device_describe(t.on.device).id, on->device->info.id);
    describe_scale(&t);
    hed_status status = hed_runner_create_worker(&t.def, &t.runner, &error);
    hed_runner_destroy(t.runner);
    test_close(&t.on);
    return status;
}

/* Opens a job with a worker elsewhere. */
static hed_status try_command(const test_device *on, bool ends)
{
    char text[256];
    runner_test t = {.on = *on};
    hed_device *device;
    snprintf(text, sizeof text, "cat '%s'; %s", in_folder("stream"),
        ends ? "exit 3" : "exec cat >/dev/null");
    const hed_remote_def def = {.command = text, .patience_seconds = 100};
    hed_status status = hed_device_create_remote(on->context, &def, &device, &error);
    describe_scale(&t);
    t.def.device = device;
    if (!status) status = hed_runner_create_worker(&t.def, &t.runner, &error);
    hed_runner_destroy(t.runner);
    hed_device_release(device);
    return status;
}

/* Checks that both leaders refuse a stream with `words`. */
static void check_refused(const test_device *on, stream s, const char *words)
{
    bool ends = s.most != SIZE_MAX;
    write_stream(&s);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        error = (hed_error){0};
        hed_status status = elsewhere ? try_command(on, ends) : try_process(on, ends);
        CHECK_EQ(status, HED_ERROR_LOST, "%s, expected \"%s\": %s",
            elsewhere ? "command" : "process", words, error.text);
        CHECK(strstr(error.text, words), "no \"%s\" in: %s", words, error.text);
    }
    error = (hed_error){0};
}

Test(worker_peer, one_honest_stream_is_taken_from_both)
{
    test_device on = test_open(NULL);
    stream s = honest(on.device);
    write_stream(&s);
    OK(try_process(&on, false));
    OK(try_command(&on, false));
    test_close(&on);
}

Test(worker_peer, greetings_that_are_none_are_refused)
{
    test_device on = test_open(NULL);
    stream s;
    s = honest(on.device), s.no_hello = true, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.hello_twice = true, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.hello_frame.magic++, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.hello_frame.kind = HED_FRAME_JOB, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.hello_frame.size = UINT64_MAX, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.hello_frame.size--, check_refused(&on, s, "invalid greeting");
    s = honest(on.device), s.hello.bytes[0]++, check_refused(&on, s, "another version of Heddle");
    s = honest(on.device), s.hello.bytes[8] = 'x', check_refused(&on, s, "invalid greeting");
    s = honest(on.device), s.most = 0, check_refused(&on, s, "exit code 3");
    s = honest(on.device), s.most = 100, check_refused(&on, s, "exit code 3");
    test_close(&on);
}

Test(worker_peer, replies_that_are_none_are_refused)
{
    test_device on = test_open(NULL);
    stream s;
    hed_worker_reply *reply = &s.answer.reply;
    s = honest(on.device), s.answer.frame.magic++, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.answer.frame.kind = HED_FRAME_BYTES, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.answer.frame.kind = HED_FRAME_COUNT, check_refused(&on, s, "invalid reply");
    s = honest(on.device), s.answer.frame.size--, check_refused(&on, s, "invalid reply");
    s = honest(on.device), reply->number += 5, check_refused(&on, s, "unknown request");
    s = honest(on.device), reply->status = HED_STATUS_COUNT, check_refused(&on, s, "out of range");
    s = honest(on.device), reply->count = HED_WORKER_VALUES + 1,
    check_refused(&on, s, "out of range");
    s = honest(on.device), reply->trial.outcome = HED_OUTCOME_COUNT,
    check_refused(&on, s, "out of range");
    s = honest(on.device), memset(&reply->trial.resources.from_cache, 2, 1),
    check_refused(&on, s, "out of range");
    s = honest(on.device), memset(reply->text, 'x', sizeof reply->text),
    check_refused(&on, s, "out of range");
    s = honest(on.device), memset(reply->trial.text, 'x', sizeof reply->trial.text),
    check_refused(&on, s, "out of range");
    s = honest(on.device), s.most = s.hello.size + 100, check_refused(&on, s, "exit code 3");
    test_close(&on);
}

/* A driver that was updated while the program runs. */
Test(worker_peer, a_process_with_another_device_is_refused)
{
    test_device on = test_open(NULL);
    const char *driver = on.device->info.driver;
    on.device->info.driver = "another";
    stream s = honest(on.device);
    on.device->info.driver = driver;
    write_stream(&s);
    FAILS(HED_ERROR_LOST, try_process(&on, false));
    CHECK(strstr(error.text, "another device now, or another driver"), "%s", error.text);
    test_close(&on);
}
