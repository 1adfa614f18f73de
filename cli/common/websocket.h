/* A WebSocket of this machine (RFC 6455), as a client: the handshake, and frames in both
 * directions. */
#ifndef HED_CLI_COMMON_WEBSOCKET_H
#define HED_CLI_COMMON_WEBSOCKET_H

#include "heddle/base.h"

/* Kinds of a frame. */
enum {
    WEBSOCKET_MORE = 0,
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10
};

typedef struct cli_websocket_frame {
    size_t header, size; /* bytes before the data, and of the data */
    int kind;
    bool is_last; /* the message ends with this frame */
} cli_websocket_frame;

/* Connects to a port of 127.0.0.1. The caller closes `*descriptor`. Errors: IO. */
hed_status cli_websocket_connect(
    uint16_t port, const char *path, int *descriptor, hed_error *error);
/* Writes a frame for the server into new memory, which the caller frees; NULL: out of memory. */
char *cli_websocket_write(int kind, const char *data, size_t size, size_t *written);
/* Reads the head of the frame at `bytes`; false: the frame is not complete. A size above 2^62 is
 * never complete. */
bool cli_websocket_read(const char *bytes, size_t size, cli_websocket_frame *frame);

#endif
