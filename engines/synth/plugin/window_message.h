/* Messages between a plugin and the process of its window, over a socket of stream type: a head, then
 * `size` bytes. Both ends run on one machine, so numbers have its byte order. */
#ifndef SYNTH_PLUGIN_WINDOW_MESSAGE_H
#define SYNTH_PLUGIN_WINDOW_MESSAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Greeting of `heddle synth window --check`; another number: another form of messages. */
#define WINDOW_GREETING "heddle synth window 1\n"

enum { WINDOW_MOST_TEXT = 64 << 20, WINDOW_WIDTH = 1000, WINDOW_HEIGHT = 680 };

typedef enum window_kind {
    /* instrument that was opened, both ways: its name, a zero, its text */
    WINDOW_INSTRUMENT = 1,
    WINDOW_EDIT,    /* text of the same instrument, edited in the page */
    WINDOW_KNOB,    /* window_knob, both ways */
    WINDOW_TOUCH,   /* window_knob from the page; value 1: held from now on, 0: released */
    WINDOW_NOTE,    /* MIDI from the page, three bytes */
    WINDOW_REFUSED, /* message of an error for the page: a text was refused */
    WINDOW_SHOW,    /* command to the window, as the next three */
    WINDOW_HIDE,
    WINDOW_SIZE, /* window_size */
    WINDOW_TITLE /* text */
} window_kind;

typedef struct window_head {
    uint32_t kind, size; /* size: bytes after the head */
} window_head;

typedef struct window_knob {
    uint32_t knob;
    float value;
} window_knob;

typedef struct window_size {
    uint32_t width, height;
} window_size;

/* Sends all bytes; false: the other end is closed. */
static inline bool window_send_bytes(int socket, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t count = send(socket, from, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        from += count;
        size -= (size_t)count;
    }
    return true;
}

/* Sends a message of up to two parts; false: the other end is closed. */
static inline bool window_send(int socket, window_kind kind, const void *first, size_t first_size,
    const void *second, size_t second_size)
{
    const window_head head = {(uint32_t)kind, (uint32_t)(first_size + second_size)};
    return window_send_bytes(socket, &head, sizeof head) &&
           window_send_bytes(socket, first, first_size) &&
           window_send_bytes(socket, second, second_size);
}

/* Receives exactly `size` bytes; false: the other end is closed. */
static inline bool window_receive(int socket, void *bytes, size_t size)
{
    char *to = bytes;
    while (size > 0) {
        ssize_t received = recv(socket, to, size, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        to += received;
        size -= (size_t)received;
    }
    return true;
}

#endif
