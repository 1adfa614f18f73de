/* See websocket.h. */
#include "cli/common/websocket.h"

#include "heddle/author.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST_HEAD = 14, SHORT = 126, LONG = 127 };

/* Reads the answer to the handshake up to its empty line. */
static bool read_answer(int descriptor)
{
    char answer[2048] = "";
    size_t used = 0;
    while (used + 1 < sizeof answer && !strstr(answer, "\r\n\r\n")) {
        ssize_t size = read(descriptor, answer + used, 1); /* frames follow at once */
        if (size <= 0) return false;
        answer[++used] = 0;
    }
    return strncmp(answer, "HTTP/1.1 101", 12) == 0;
}

hed_status cli_websocket_connect(uint16_t port, const char *path, int *descriptor, hed_error *error)
{
    char request[512];
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int length = snprintf(request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        path, port);
    *descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_open = *descriptor >= 0 &&
                   connect(*descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
                   send(*descriptor, request, (size_t)length, MSG_NOSIGNAL) == length &&
                   read_answer(*descriptor);
    if (is_open) return HED_OK;
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    return hed_fail(error, HED_ERROR_IO, "browser: port %u of 127.0.0.1 does not answer as a WebSocket", port);
}

char *cli_websocket_write(int kind, const char *data, size_t size, size_t *written)
{
    static const unsigned char mask[4] = {0x48, 0x65, 0x64, 0x6c}; /* the server removes it */
    unsigned char *frame = malloc(size + LONGEST_HEAD);
    size_t used = 0;
    if (!frame) return NULL;
    frame[used++] = (unsigned char)(0x80 | kind);
    int bytes = size < SHORT ? 0 : size < 1 << 16 ? 2 : 8;
    frame[used++] = (unsigned char)(0x80 | (bytes == 0 ? size : bytes == 2 ? SHORT : LONG));
    for (int i = bytes - 1; i >= 0; i--) frame[used++] = (unsigned char)((uint64_t)size >> 8 * i);
    memcpy(frame + used, mask, sizeof mask);
    used += sizeof mask;
    for (size_t i = 0; i < size; i++) frame[used++] = (unsigned char)data[i] ^ mask[i % 4];
    *written = used;
    return (char *)frame;
}

bool cli_websocket_read(const char *bytes, size_t size, cli_websocket_frame *frame)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (size < 2) return false;
    size_t length = at[1] & 0x7f;
    *frame = (cli_websocket_frame){.header = 2, .kind = at[0] & 15, .is_last = at[0] >> 7};
    size_t bytes_of_length = length == SHORT ? 2 : length == LONG ? 8 : 0;
    frame->size = bytes_of_length ? 0 : length;
    frame->header += bytes_of_length;
    if (size < frame->header) return false;
    for (size_t i = 0; i < bytes_of_length; i++) frame->size = frame->size << 8 | at[2 + i];
    return frame->size < (uint64_t)1 << 62 && size - frame->header >= frame->size;
}
