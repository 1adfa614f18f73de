/* What a worker believes of its leader: nothing. Jobs cut anywhere and with any byte changed, requests of
 * any content, memory that runs out while a job is read. worker_peer_test.c has the other direction. */
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "folder.h"
#include "testing.h"
#include "worker_wild.h"

static hed_error error;

TestSuite(worker_protocol, .init = folder_make, .fini = folder_remove);

static wild open_wild(void)
{
    wild w;
    CHECK(wild_open(&w, &error), "%s", error.text);
    return w;
}

Test(worker_protocol, a_job_comes_through)
{
    wild w = open_wild();
    hed_allocator allocator = hed_default_allocator();
    hed_worker_job job;
    OK(hed_worker_job_read(&allocator, w.job, w.size, &job, &error));
    CHECK_TEXT(job.context.device, "host");
    CHECK_TEXT(job.launched.def.name, "wild");
    CHECK_NULL(job.launched.def.entry);
    CHECK_TEXT(job.launched.def.max_threads, "A*32");
    CHECK(job.launched.def.source_count == 2 && job.launched.def.sources[0].size == 10 &&
          job.launched.def.sources[1].size == 11);
    CHECK_TEXT(job.launched.def.sources[1].text, "second text");
    CHECK(job.launched.def.define_count == 2 && job.runner.define_count == 1);
    CHECK_TEXT(job.launched.def.defines[1].name, "NAME");
    CHECK_TEXT(job.runner.defines[0].value, "yes");
    CHECK(job.launched.def.parameter_count == 2 && job.launched.def.parameters[1].count == 2 &&
          job.launched.def.parameters[0].values[2] == 3);
    CHECK_TEXT(job.launched.def.dimensions[1], "m");
    CHECK(job.launched.problem.count == 2 && job.launched.problem.sizes[1] == 7);
    CHECK(job.launched.def.arguments[1].access == HED_READ_WRITE &&
          job.launched.def.arguments[3].size == 24);
    CHECK_BYTES(job.contents[1].expected, wild_data, sizeof wild_data);
    CHECK_BYTES(job.contents[1].marks, wild_marks, sizeof wild_marks);
    CHECK_NULL(job.contents[0].marks);
    CHECK_BYTES(job.contents[2].data, &wild_count, sizeof wild_count);
    CHECK(job.contents[0].expected == NULL && job.contents[4].data == NULL &&
          job.contents[3].bytes == 24);
    CHECK_TEXT(job.context.capture, "");
    hed_worker_job_free(&job);
    wild_close(&w);
}

/* A file that shrinks takes the process that has mapped it with it. */
Test(worker_protocol, files_in_memory_are_sealed)
{
    wild w = open_wild();
    int result, job;
    OK(hed_worker_memory(4096, &result, &error));
    CHECK(ftruncate(result, 0) != 0 && ftruncate(result, 8192) != 0 && write(result, "x", 1) == 1);
    OK(hed_worker_job_pack(&w.def, "", &job, &error));
    CHECK(ftruncate(job, 0) != 0 && write(job, "x", 1) < 0);
    close(result);
    close(job);
    wild_close(&w);
}

Test(worker_protocol, a_job_cut_anywhere_is_refused)
{
    wild w = open_wild();
    for (size_t size = 0; size < w.size; size++, hed_error_clear(&error))
        CHECK_EQ(wild_read(w.job, size, &error), HED_ERROR_FORMAT);
    /* The size in the header made to fit: what is missing is noticed where it is missing. (Nothing
     * is in the last 40 bytes.) */
    for (uint64_t size = 24; size < w.size - 40; size++) {
        memcpy(w.job + 8, &size, sizeof size);
        hed_error_clear(&error);
        CHECK_EQ(wild_read(w.job, size, &error), HED_ERROR_FORMAT, "cut to %llu",
            (unsigned long long)size);
    }
    wild_close(&w);
}

Test(worker_protocol, a_job_with_a_byte_changed_is_read_within_its_bounds)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    wild w = open_wild();
    uint64_t data;
    memcpy(&data, w.job + 16, sizeof data);
    for (size_t at = 0; at < data; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            w.job[at] ^= changes[i];
            hed_error_clear(&error);
            wild_read(w.job, w.size, &error);
            w.job[at] ^= changes[i];
        }
    OK(wild_read(w.job, w.size, &error));
    wild_close(&w);
}

Test(worker_protocol, each_allocation_failing_while_a_job_is_read)
{
    wild w = open_wild();
    test_allocator state = {0};
    hed_worker_job job;
    hed_allocator allocator = test_allocator_of(&state);
    int n = 0;
    hed_status status;
    do {
        state = (test_allocator){.fail_at = ++n};
        error = (hed_error){0};
        status = hed_worker_job_read(&allocator, w.job, w.size, &job, &error);
        CHECK(state.calls < n ? status == HED_OK : status == HED_ERROR_MEMORY, "%d: %s", n,
            error.text);
        if (!status) hed_worker_job_free(&job);
        CHECK(state.live == 0 && state.bytes == 0);
    } while (state.calls >= n);
    CHECK(n == 2 && status == HED_OK, "%d allocations, then %s", n - 1, error.text);
    wild_close(&w);
}

/* ---- requests ---- */

static int serve_one(const wild *w, const void *bytes, size_t size)
{
    return wild_serve(w->job, w->size, bytes, size, &error);
}

Test(worker_protocol, a_worker_ends_with_its_socket)
{
    wild w = open_wild();
    CHECK_EQ(serve_one(&w, NULL, 0), 0);
    wild_close(&w);
}

static void check_refused(const wild *w, const wild_request *request)
{
    CHECK_EQ(serve_one(w, request, sizeof *request), 1);
    CHECK_TEXT(error.text, "invalid request from the parent");
}

Test(worker_protocol, a_worker_refuses_what_is_no_request)
{
    wild w = open_wild();
    struct {
        wild_request request;
        char more;
    } longer = {.request = wild_request_of(HED_TASK_OPEN)};
    const wild_request good = longer.request;
    wild_request bad;
    CHECK_EQ(serve_one(&w, &good, sizeof good), 0);
    CHECK_EQ(serve_one(&w, &good, sizeof good - 1), 1);
    CHECK_EQ(serve_one(&w, &longer, sizeof good + 1), 1);
    CHECK_EQ(serve_one(&w, "garbage", 7), 1);
    CHECK_EQ(serve_one(&w, "garbage of more than a frame's head", 35), 1);
    bad = good, bad.frame.kind = HED_FRAME_JOB, check_refused(&w, &bad);
    bad = good, bad.frame.kind = HED_FRAME_HELLO, check_refused(&w, &bad);
    bad = good, bad.frame.magic++, check_refused(&w, &bad);
    bad = good, bad.frame.size--, check_refused(&w, &bad);
    bad = good, bad.request.task = HED_TASK_COUNT, check_refused(&w, &bad);
    bad = good, bad.request.slot = HED_RUNNER_SLOTS, check_refused(&w, &bad);
    bad = good, bad.request.runs = HED_WORKER_VALUES + 1, check_refused(&w, &bad);
    bad = good, bad.request.argument = HED_MAX_ARGUMENTS, check_refused(&w, &bad);
    bad = good, bad.request.pattern = HED_RUNNER_PATTERNS, check_refused(&w, &bad);
    bad = good, bad.request.config.count = HED_MAX_PARAMETERS + 1, check_refused(&w, &bad);
    wild_close(&w);
}

/* Each task without what it needs: not opened, nothing in the slot, no such output. The worker goes
 * on. */
Test(worker_protocol, requests_in_any_order_do_no_harm)
{
    wild w = open_wild();
    wild_request requests[2 * HED_TASK_COUNT];
    for (uint32_t i = 0; i < 2 * HED_TASK_COUNT; i++) {
        requests[i] = wild_request_of((hed_worker_task)(HED_TASK_COUNT - 1 - i % HED_TASK_COUNT));
        requests[i].request.runs = 3;
    }
    CHECK_EQ(serve_one(&w, requests, sizeof requests), 0);
    wild_close(&w);
}

Test(worker_protocol, a_worker_without_a_job_says_so)
{
    wild w = open_wild();
    const wild_request good = wild_request_of(HED_TASK_OPEN);
    CHECK_EQ(wild_serve(w.job, w.size / 2, &good, sizeof good, &error), 1);
    CHECK(strstr(error.text, "the job"), "%s", error.text);
    CHECK_EQ(wild_serve(w.job, 0, &good, sizeof good, &error), 1);
    CHECK_EQ(wild_serve(w.job, 0, "x", 1, &error), 1);
    wild_close(&w);
}

/* ---- what a worker writes ---- */

static hed_worker speaking(int output[2])
{
    CHECK_EQ(pipe2(output, O_NONBLOCK), 0);
    return (hed_worker){.pid = 1, .socket = -1, .output = output[0], .busy = true, .deadline = 100};
}

static hed_worker_event look(hed_worker *worker, double now)
{
    struct pollfd polled[HED_WORKER_POLLED];
    hed_worker_message message;
    hed_worker_poll(worker, polled);
    poll(polled, HED_WORKER_POLLED, 0);
    return hed_worker_handle_events(worker, polled, now, &message);
}

Test(worker_protocol, a_worker_that_never_stops_writing_is_late_all_the_same)
{
    static const char text[1 << 16] = {'x'};
    int output[2], left = 0;
    hed_worker worker = speaking(output);
    CHECK_GE(fcntl(output[1], F_SETPIPE_SZ, 1 << 18), 1 << 18);
    while (write(output[1], text, sizeof text) > 0) continue;
    CHECK_EQ(look(&worker, 100), HED_WORKER_LATE);
    CHECK(ioctl(output[0], FIONREAD, &left) == 0 && left > 0, "all was waited for");
    close(output[0]);
    close(output[1]);
}

Test(worker_protocol, a_worker_that_closes_its_output_is_not_listened_to)
{
    int output[2];
    hed_worker worker = speaking(output);
    struct pollfd polled[HED_WORKER_POLLED];
    CHECK_EQ(write(output[1], "last words", 10), 10);
    close(output[1]);
    CHECK_EQ(look(&worker, 0), HED_WORKER_NOTHING);
    CHECK_TEXT(worker.tail, "last words");
    hed_worker_poll(&worker, polled);
    CHECK_EQ(poll(polled, HED_WORKER_POLLED, 0), 0, "nothing more to wait for");
    CHECK_EQ(look(&worker, 100), HED_WORKER_LATE);
}

/* As a driver's compiler, which a worker has started and does not wait for. */
Test(worker_protocol, what_a_worker_has_started_ends_with_it)
{
    static const char *const texts[] = {"#!/bin/sh\nsleep 5 &\necho started\nexit 3\n",
        "#!/bin/sh\nsleep 5 &\necho started\nwait\n"};
    const char *program = in_folder("worker");
    int memory;
    OK(hed_worker_memory(64, &memory, &error));
    /* what is left becomes a child of this test */
    CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int i = 0; i < 2; i++) {
        hed_worker worker = {0};
        char text[128];
        int status = 0;
        write_file(program, texts[i], strlen(texts[i]));
        CHECK_EQ(chmod(program, 0755), 0);
        OK(hed_worker_start(&worker, program, NULL, memory, memory, &error));
        CHECK_EQ(poll(&(struct pollfd){.fd = worker.output, .events = POLLIN}, 1, 10000), 1);
        hed_worker_end(
            &worker, i == 0 ? HED_WORKER_DIED : HED_WORKER_LATE, text, sizeof text, NULL);
        CHECK(strstr(text, i == 0 ? "exit code 3: started" : "killed: started"), "%s", text);
        CHECK_GT(waitpid(-1, &status, 0), 0);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "what it had started went on");
    }
    close(memory);
}
