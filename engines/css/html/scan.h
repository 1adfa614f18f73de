/* Searches in texts, sixteen bytes at a time. */
#ifndef HED_CSS_HTML_SCAN_H
#define HED_CSS_HTML_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

/* Attribute of functions whose registers their callers need not save. */
#define HTML_RARE __attribute__((noinline))

static inline bool html_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}
static inline bool html_is_letter(char c) { return (unsigned char)((c | 32) - 'a') < 26; }

/* Sixteen bytes, or a mask for each of them: 0 or 255. */
typedef unsigned char html_bytes __attribute__((vector_size(16)));

/* The bytes at `at`; zeros after the end of the text. */
static inline html_bytes html_load(const char *at, const char *end)
{
    html_bytes bytes;
    if (__builtin_expect(end - at >= 16, 1)) {
        memcpy(&bytes, at, 16);
        return bytes;
    }
    unsigned char last[16] = {0}; /* an array of its own keeps `bytes` in a register */
    memcpy(last, at, (size_t)(end - at));
    memcpy(&bytes, last, 16);
    return bytes;
}

static inline html_bytes html_equal(html_bytes bytes, char c)
{
    return (html_bytes)(bytes == (unsigned char)c);
}

/* Index of the first byte that a mask has; 16: the mask is empty. */
static inline unsigned html_first(html_bytes mask)
{
#if defined __SSE2__
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8((__m128i)mask) | 1u << 16);
#elif defined __wasm_simd128__
    typedef signed char lanes __attribute__((vector_size(16)));
    return (unsigned)__builtin_ctz((unsigned)__builtin_wasm_bitmask_i8x16((lanes)mask) | 1u << 16);
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t words[2];
    memcpy(words, &mask, 16);
    return words[0]   ? (unsigned)__builtin_ctzll(words[0]) >> 3
           : words[1] ? 8 + ((unsigned)__builtin_ctzll(words[1]) >> 3)
                      : 16;
#else
    unsigned index = 0;
    while (index < 16 && !mask[index]) index++;
    return index;
#endif
}

/* First of the bytes `a`, `b` and `c` in a text, or `end`. */
static inline const char *html_find(const char *at, const char *end, char a, char b, char c)
{
    for (; at < end; at += 16) {
        html_bytes bytes = html_load(at, end);
        unsigned index =
            html_first(html_equal(bytes, a) | html_equal(bytes, b) | html_equal(bytes, c));
        if (index < 16) return index < end - at ? at + index : end;
    }
    return end;
}

/* Number of newlines in a text. */
static inline uint32_t html_count_lines(const char *at, const char *end)
{
    uint32_t count = 0;
    while ((at = html_find(at, end, '\n', '\n', '\n')) < end) {
        count++;
        at++;
    }
    return count;
}

/* First character of a text that is not white space, or `end`. */
static inline const char *html_skip_space(const char *at, const char *end)
{
    while (at < end && html_is_space(*at)) at++;
    return at;
}

#endif
