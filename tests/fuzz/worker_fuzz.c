/* Both ends of a worker's socket, and the job it reads. The first byte chooses: 0, a real job with
 * bytes changed (three bytes for each change: where, and what with); 1, requests that a worker
 * serves on the host device; else, what a worker answers. */
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

/* Records that are valid but for what the bytes say; the version is always right, which no fuzzer
 * would find. */
static void send_requests(const uint8_t *data, size_t size)
{
    hed_worker_request requests[MOST_REQUESTS];
    const void *records[MOST_REQUESTS];
    size_t sizes[MOST_REQUESTS], count = 0;
    for (; size && count < MOST_REQUESTS; count++) {
        size_t taken = size < 64 ? size : 64, header = sizeof requests[0].version;
        memset(&requests[count], 0, sizeof requests[count]);
        memcpy((char *)&requests[count] + header, data, taken);
        requests[count].version = hed_worker_version();
        requests[count].task %= HED_TASK_COUNT;
        requests[count].slot %= HED_RUNNER_SLOTS;
        requests[count].runs %= HED_WORKER_VALUES;
        requests[count].argument %= HED_MAX_ARGUMENTS;
        records[count] = &requests[count];
        sizes[count] = sizeof requests[count];
        data += taken;
        size -= taken;
    }
    wild_serve(w.job, w.size, records, sizes, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_worker_reply *reply = malloc(sizeof *reply);
    if (!w.job && !wild_open(&w, &error)) abort();
    if (size && data[0] == 0) {
        change_job(data + 1, size - 1);
    } else if (size && data[0] == 1) {
        send_requests(data + 1, size - 1);
    } else if (size) {
        hed_worker_reply wanted = {.version = hed_worker_version(), .number = 7};
        size_t taken = size - 1 < sizeof wanted - 12 ? size - 1 : sizeof wanted - 12;
        memcpy((char *)&wanted + 12, data + 1, taken);
        wild_answer(&wanted, sizeof wanted, reply);
    }
    free(reply);
    return 0;
}
