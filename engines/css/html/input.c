/* The input stream: UTF-8 whose damaged parts become U+FFFD, and newlines that become LF (HTML
 * Living Standard, "Preprocessing the input stream"; Encoding, "UTF-8 decoder"). */
#include "html_parser.h"
#include "scan.h"

/* Length of the UTF-8 sequence at `at`; if it is damaged, minus the length of its longest valid
 * part. */
static int sequence_length(const unsigned char *at, const unsigned char *end)
{
    unsigned char c = *at, low = 0x80, high = 0xbf;
    if (c < 0x80) return 1;
    int length = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (!length) return -1;
    if (c == 0xe0) low = 0xa0;
    if (c == 0xed) high = 0x9f;
    if (c == 0xf0) low = 0x90;
    if (c == 0xf4) high = 0x8f;
    for (int i = 1; i < length; i++) {
        if (at + i == end || at[i] < low || at[i] > high) return -i;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

/* Number of bytes before the first one that has to be changed. */
static size_t valid_length(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        html_bytes bytes, damage = {0};
        for (; end - at >= 64; at += 64) { /* 64 plain characters */
            for (int i = 0; i < 64; i += 16) {
                memcpy(&bytes, at + i, 16);
                damage |= (html_bytes)(bytes > 0x7f) | html_equal(bytes, '\r');
            }
            if (html_first(damage) < 16) break;
        }
        bytes = html_load((const char *)at, (const char *)end);
        unsigned plain = html_first((html_bytes)(bytes > 0x7f) | html_equal(bytes, '\r'));
        if (plain >= end - at) return length;
        if (plain == 16) {
            at += 16;
            continue;
        }
        at += plain;
        int sequence = sequence_length(at, end);
        if (sequence < 0 || *at == '\r') break;
        at += sequence;
    }
    return (size_t)(at - (const unsigned char *)text);
}

bool html_prepare_input(
    const hed_allocator *allocator, const char *text, size_t *length, char **copy, size_t *room)
{
    size_t valid = valid_length(text, *length);
    *copy = NULL;
    if (valid == *length) return true;
    *room = valid + 3 * (*length - valid); /* a damaged byte becomes three */
    char *to = *copy = hed_new(allocator, *room, 1, NULL);
    if (!to) return false;
    memcpy(to, text, valid);
    to += valid;
    const unsigned char *at = (const unsigned char *)text + valid,
                        *end = (const unsigned char *)text + *length;
    while (at < end) {
        if (*at == '\r') {
            *to++ = '\n';
            at += at + 1 < end && at[1] == '\n' ? 2 : 1;
        } else {
            memcpy(to, HTML_REPLACEMENT, 3);
            to += 3;
            at -= sequence_length(at, end);
        }
        size_t plain = valid_length((const char *)at, (size_t)(end - at));
        memcpy(to, at, plain);
        to += plain;
        at += plain;
    }
    *length = (size_t)(to - *copy);
    return true;
}
