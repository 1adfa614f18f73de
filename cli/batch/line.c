/* Lines of fields: see batch.h. */
#include "batch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool batch_line_put(char *line, size_t *size, const char *const *fields, uint32_t count)
{
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i && at < BATCH_LINE) line[at++] = '\t';
        for (const char *c = fields[i]; *c && at + 2 < BATCH_LINE; c++) {
            const char *special = strchr("\tt\nn\\\\", *c);
            bool escape = *c == '\t' || *c == '\n' || *c == '\\';
            if (escape) line[at++] = '\\';
            line[at++] = escape ? special[1] : *c;
        }
    }
    if (at + 2 >= BATCH_LINE) return false;
    line[at++] = '\n';
    *size = at;
    return true;
}

uint32_t batch_line_take(char *line, const char **fields)
{
    uint32_t count = 1;
    char *to = line;
    fields[0] = line;
    for (const char *from = line; *from; from++) {
        if (*from == '\t') {
            *to++ = 0;
            if (count == BATCH_FIELDS) return 0;
            fields[count++] = to;
        } else if (*from == '\\' && from[1]) {
            from++;
            *to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : *from;
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return count;
}

bool batch_stream_fill(batch_stream *stream)
{
    if (stream->size == sizeof stream->bytes) return false;
    ssize_t got =
        read(stream->descriptor, stream->bytes + stream->size, sizeof stream->bytes - stream->size);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) return false;
    stream->size += (size_t)got;
    return true;
}

uint32_t batch_stream_next(batch_stream *stream, char *line, const char **fields)
{
    const char *end = memchr(stream->bytes, '\n', stream->size);
    if (!end) return 0;
    size_t size = (size_t)(end - stream->bytes);
    memcpy(line, stream->bytes, size);
    line[size] = 0;
    stream->size -= size + 1;
    memmove(stream->bytes, end + 1, stream->size);
    return batch_line_take(line, fields);
}

bool batch_send(int descriptor, const char *const *fields, uint32_t count)
{
    char line[BATCH_LINE];
    size_t size, sent = 0;
    if (!batch_line_put(line, &size, fields, count)) return false;
    while (sent < size) {
        ssize_t put = write(descriptor, line + sent, size - sent);
        if (put > 0) sent += (size_t)put;
        else if (put < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, 1000);
        else if (put < 0 && errno != EINTR) return false;
    }
    return true;
}
