/* Searches in texts, eight bytes at a time. */
#ifndef HED_CSS_HTML_SCAN_H
#define HED_CSS_HTML_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool html_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}
static inline bool html_is_letter(char c) { return (unsigned char)((c | 32) - 'a') < 26; }

/* Bit 7 of each byte of `word` that equals `byte`; later bytes may be wrong, the first is right. */
static inline uint64_t html_equal_bytes(uint64_t word, unsigned char byte)
{
    word ^= 0x0101010101010101u * byte;
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* First of the bytes `a`, `b` and `c` in a text, or `end`. */
static inline const char *html_find(const char *at, const char *end, char a, char b, char c)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t word; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        uint64_t matches = html_equal_bytes(word, (unsigned char)a) |
                           html_equal_bytes(word, (unsigned char)b) |
                           html_equal_bytes(word, (unsigned char)c);
        if (matches) return at + (__builtin_ctzll(matches) >> 3);
    }
#endif
    while (at < end && *at != a && *at != b && *at != c) at++;
    return at;
}

/* Number of newlines in a text; `limit`: end of the memory that can be read. */
static inline uint32_t html_count_lines(const char *at, const char *end, const char *limit)
{
    uint32_t count = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    for (uint64_t word; at < end && limit - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        word ^= 0x0101010101010101u * '\n';
        uint64_t equal = ~(((word & low) + low) | word | low) >> 7; /* a bit for each newline */
        if (end - at < 8) equal &= (1ull << 8 * (end - at)) - 1;
        count += (uint32_t)(equal * 0x0101010101010101u >> 56);
    }
#endif
    for (; at < end; at++) count += *at == '\n';
    return count;
}

/* First character of a text that is not white space, or `end`. */
static inline const char *html_skip_space(const char *at, const char *end)
{
    while (at < end && html_is_space(*at)) at++;
    return at;
}

#endif
