/* libFuzzer harness for the frames that a worker at the end of a stream reads from its leader. The
 * first byte of each record says which frame follows: a job with bytes changed, a request, a head
 * of its own, or bytes alone. The job's version and the magic word are right, which no fuzzer would find. In
 * place of worker processes there is a runner that looks at its arguments. */
#include "fuzz.h"
#include "tests/worker_wild.h"
/* for its static functions: the library's own object is then not linked */
#include "workers/remote_serve.c"

static wild w;

/* ---- a runner that believes nothing ---- */

static void fake_destroy(hed_runner *runner) { free(runner); }

static hed_status fake_ahead(hed_runner *runner, const hed_config *config, hed_error *error)
{
    (void)runner;
    must(config->count <= HED_MAX_PARAMETERS);
    return config->count % 2 ? hed_fail(error, HED_ERROR_IO, "an odd one") : HED_OK;
}

static bool fake_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    (void)runner, (void)seconds, (void)config, (void)trial;
    return false;
}

static hed_status fake_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    (void)runner, (void)trial, (void)error;
    must(slot < HED_RUNNER_SLOTS && config->count <= HED_MAX_PARAMETERS);
    return HED_OK;
}

static hed_status fake_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    (void)runner, (void)trial, (void)error;
    must(slot < HED_RUNNER_SLOTS);
    for (uint32_t i = 0; i < runs; i++) values[i] = 1;
    return HED_OK;
}

static hed_status fake_output(hed_runner *runner, uint32_t slot, uint32_t argument,
    uint32_t pattern, void *data, hed_trial *trial, hed_error *error)
{
    (void)runner, (void)trial, (void)error;
    must(slot < HED_RUNNER_SLOTS && argument < HED_MAX_ARGUMENTS && data &&
         pattern < HED_RUNNER_PATTERNS);
    return HED_OK;
}

static const hed_runner_kind fake_kind = {.destroy = fake_destroy,
    .build_ahead = fake_ahead,
    .built = fake_built,
    .prepare = fake_prepare,
    .time = fake_time,
    .output = fake_output};

static hed_runner *fake_create(void)
{
    hed_runner *runner = calloc(1, sizeof *runner);
    must(runner != NULL);
    runner->kind = &fake_kind;
    return runner;
}

/* ---- the stream ---- */

static void put(int stream, const void *bytes, size_t size)
{
    must(write(stream, bytes, size) == (ssize_t)size);
}

static void put_frame(int stream, uint32_t kind, uint64_t size)
{
    const hed_frame frame = {HED_FRAME_MAGIC, kind, size};
    put(stream, &frame, sizeof frame);
}

static void put_job(int stream, const uint8_t *data, size_t size)
{
    hed_frame_job head = {.builders = 3};
    char *job = fuzz_copy(w.job, w.size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        job[((size_t)data[i] << 8 | data[i + 1]) % w.size] ^= (char)data[i + 2];
    put_frame(stream, HED_FRAME_JOB, sizeof head + w.size);
    put(stream, &head, sizeof head);
    put(stream, job, w.size);
    free(job);
}

static void put_request(int stream, const uint8_t *data, size_t size)
{
    hed_worker_request request = {0};
    memcpy(&request, data, size < sizeof request ? size : sizeof request);
    put_frame(stream, HED_FRAME_REQUEST, sizeof request);
    put(stream, &request, sizeof request);
}

/* Records: a byte for the kind, one for the length. */
static void put_records(int stream, const uint8_t *data, size_t size)
{
    while (size > 2) {
        size_t length = data[1] < size - 2 ? data[1] : size - 2;
        const uint8_t *content = data + 2;
        if (data[0] % 4 == 0) put_job(stream, content, length);
        else if (data[0] % 4 == 1) put_request(stream, content, length);
        else if (data[0] % 4 == 2 && length > 12) {
            hed_frame frame = {.magic = HED_FRAME_MAGIC};
            memcpy(&frame.kind, content, 12);
            put_frame(stream, frame.kind, frame.size);
            put(stream, content + 12, length - 12);
        } else put(stream, content, length);
        data += 2 + length;
        size -= 2 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int nowhere;
    hed_error error = {0};
    if (!w.job) {
        setenv("HEDDLE_WORKER", "/nonexistent", 1);
        must(wild_open(&w, &error));
        must((nowhere = memfd_create("replies", 0)) > 0);
    }
    served s = {
        .in = memfd_create("frames", 0), .out = nowhere, .context = w.context, .device = w.device};
    must(s.in > 0 && !pthread_mutex_init(&s.write_lock, NULL));
    put_records(s.in, data, size);
    must(lseek(s.in, 0, SEEK_SET) == 0 && ftruncate(nowhere, 0) == 0);
    while (served_read(&s, &error)) {
        if (s.has_job && !s.runner) s.runner = fake_create();
        if (s.pending_count) served_tell_built(&s);
    }
    served_close_job(&s);
    pthread_mutex_destroy(&s.write_lock);
    close(s.in);
    return 0;
}
