/* Records between a worker and its parent: see worker_protocol.h. */
#include "tune/worker_protocol.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

uint64_t hed_worker_version(void)
{
    const uint64_t layout = sizeof(hed_worker_request) * 65536 + sizeof(hed_worker_reply);
    return (uint64_t)hed_version() << 40 | layout;
}

bool hed_worker_request_valid(const hed_worker_request *request, size_t size)
{
    return size == sizeof *request && request->version == hed_worker_version() &&
           request->task < HED_TASK_COUNT && request->slot < HED_RUNNER_SLOTS &&
           request->runs <= HED_WORKER_VALUES && request->argument < HED_MAX_ARGUMENTS &&
           request->config.count <= HED_MAX_PARAMETERS;
}

static bool has_end(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

bool hed_worker_reply_valid(const hed_worker_reply *reply, size_t size)
{
    if (size != sizeof *reply || reply->version != hed_worker_version()) return false;
    unsigned char from_cache; /* a bool that holds neither 0 nor 1 must not be read as one */
    memcpy(&from_cache, &reply->trial.resources.from_cache, 1);
    return reply->status < HED_STATUS_COUNT && reply->count <= HED_WORKER_VALUES &&
           (unsigned)reply->trial.outcome < HED_OUTCOME_COUNT && from_cache <= 1 &&
           has_end(reply->trial.text, sizeof reply->trial.text) &&
           has_end(reply->text, sizeof reply->text);
}

bool hed_worker_send(int socket, const void *record, size_t size)
{
    ssize_t sent;
    do sent = send(socket, record, size, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

ptrdiff_t hed_worker_receive(int socket, void *record, size_t size)
{
    ssize_t got;
    do got = recv(socket, record, size, MSG_TRUNC);
    while (got < 0 && errno == EINTR);
    return got;
}
