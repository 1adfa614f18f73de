/* Lines of fields: see batch.h. */
#include "batch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool line_is_special(char c) { return c == '\t' || c == '\n' || c == '\\'; }

char *batch_line_make(const char *const *fields, uint32_t count, size_t *size)
{
    size_t at = 0, bytes = 2; /* the newline and the zero after it */
    for (uint32_t i = 0; i < count; i++) {
        bytes++;
        for (const char *c = fields[i]; *c; c++) bytes += 1 + line_is_special(*c);
    }
    char *line = bytes <= BATCH_LINE_LIMIT ? malloc(bytes) : NULL;
    if (!line) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (i) line[at++] = '\t';
        for (const char *c = fields[i]; *c; c++) {
            if (line_is_special(*c)) line[at++] = '\\';
            line[at++] = (char)(*c == '\t' ? 't' : *c == '\n' ? 'n' : *c);
        }
    }
    line[at++] = '\n';
    line[at] = 0;
    *size = at;
    return line;
}

bool batch_line_take(char *line, batch_fields *fields)
{
    uint32_t count = 1;
    for (const char *c = line; *c; c++) count += *c == '\t';
    fields->count = 0;
    if (count > fields->capacity) {
        const char **items = realloc(fields->items, count * sizeof *items);
        if (!items) return false;
        fields->items = items;
        fields->capacity = count;
    }
    char *to = line;
    fields->items[fields->count++] = line;
    for (const char *from = line; *from; from++) {
        if (*from == '\t') {
            *to++ = 0;
            fields->items[fields->count++] = to;
        } else if (*from == '\\' && from[1]) {
            from++;
            *to++ = (char)(*from == 't' ? '\t' : *from == 'n' ? '\n' : *from);
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
    return true;
}

bool batch_stream_fill(batch_stream *stream)
{
    stream->size -= stream->begin;
    if (stream->begin) memmove(stream->bytes, stream->bytes + stream->begin, stream->size);
    stream->begin = 0;
    if (stream->size == stream->capacity) {
        size_t capacity = stream->capacity ? 2 * stream->capacity : 1 << 14;
        char *bytes = capacity <= BATCH_LINE_LIMIT ? realloc(stream->bytes, capacity) : NULL;
        if (!bytes) return false;
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
    ssize_t got =
        read(stream->descriptor, stream->bytes + stream->size, stream->capacity - stream->size);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) return false;
    stream->size += (size_t)got;
    return true;
}

uint32_t batch_stream_next(batch_stream *stream)
{
    char *line = stream->bytes + stream->begin;
    char *end =
        stream->size > stream->begin ? memchr(line, '\n', stream->size - stream->begin) : NULL;
    if (!end) return 0;
    *end = 0;
    stream->begin += (size_t)(end - line) + 1;
    return batch_line_take(line, &stream->fields) ? stream->fields.count : 0;
}

void batch_stream_free(batch_stream *stream)
{
    free(stream->bytes);
    free(stream->fields.items);
    *stream = (batch_stream){.descriptor = stream->descriptor};
}

bool batch_send(int descriptor, const char *const *fields, uint32_t count)
{
    size_t size, done = 0;
    char *line = batch_line_make(fields, count, &size);
    bool good = line != NULL;
    while (good && done < size) {
        ssize_t written = write(descriptor, line + done, size - done);
        if (written > 0) done += (size_t)written;
        else if (written < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, 1000);
        else if (written < 0 && errno != EINTR) good = false;
    }
    free(line);
    return good;
}
