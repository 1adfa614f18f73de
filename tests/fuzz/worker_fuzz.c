/* Both ends of a worker's stream, and the job it reads. The first byte chooses: 0, a real job with
 * bytes changed (three bytes for each change: where, and what with); 1, requests that a worker
 * serves on the host device; 2, any bytes of a worker; else, a reply with these numbers. */
#include <stdint.h>

#include "tests/worker_wild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_REQUESTS = 12 };

static wild w;
static hed_error error;

static void change_job(const uint8_t *data, size_t size)
{
    unsigned char *job = malloc(w.size);
    memcpy(job, w.job, w.size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        job[((size_t)data[i] << 8 | data[i + 1]) % w.size] ^= data[i + 2];
    wild_read(job, w.size, &error);
    free(job);
}

/* Requests that are valid but for what the bytes say. */
static void send_requests(const uint8_t *data, size_t size)
{
    wild_request requests[MOST_REQUESTS];
    size_t count = 0;
    for (; size && count < MOST_REQUESTS; count++) {
        size_t taken = size < 64 ? size : 64;
        hed_worker_request *request = &requests[count].request;
        requests[count] = wild_request_of(HED_TASK_OPEN);
        memcpy(request, data, taken);
        request->task %= HED_TASK_COUNT;
        request->slot %= HED_RUNNER_SLOTS;
        request->runs %= HED_WORKER_VALUES;
        request->argument %= HED_MAX_ARGUMENTS;
        data += taken;
        size -= taken;
    }
    wild_serve(w.job, w.size, requests, count * sizeof *requests, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_worker_message message;
    if (!w.job && !wild_open(&w, &error)) abort();
    if (size && data[0] == 0) {
        change_job(data + 1, size - 1);
    } else if (size && data[0] == 1) {
        send_requests(data + 1, size - 1);
    } else if (size && data[0] == 2) {
        wild_answer(data + 1, size - 1, &message);
    } else if (size) {
        wild_reply answer = {
            {HED_FRAME_MAGIC, HED_FRAME_REPLY, sizeof(hed_worker_reply)}, {.number = 7}};
        size_t kept = sizeof answer.reply.number, room = sizeof answer.reply - kept;
        memcpy((char *)&answer.reply + kept, data + 1, size - 1 < room ? size - 1 : room);
        wild_answer(&answer, sizeof answer, &message);
    }
    return 0;
}
