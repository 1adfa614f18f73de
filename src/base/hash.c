/* A 128-bit hash of two 64-bit lanes. Every 8 bytes, read as a little-endian word on any machine,
 * enter both lanes, and each lane is mixed by two rounds of multiply and xorshift, the construction
 * of Steele, Lea and Flood's SplitMix (2014). Two rounds a word, not one: after one multiplication
 * a difference in the top bit stays a single bit, which the next word could cancel. */
#include "base/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_mix_a(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static uint64_t hash_mix_b(uint64_t word)
{
    word = (word ^ (word >> 33)) * 0xff51afd7ed558ccdu;
    word = (word ^ (word >> 29)) * 0x9fb21c651e98df25u;
    return word ^ (word >> 32);
}

static hed_hash hash_absorb(hed_hash hash, uint64_t word)
{
    hash.a = hash_mix_a(hash.a ^ word);
    hash.b = hash_mix_b(hash.b + word);
    return hash;
}

static uint64_t hash_read_word(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t index = 0; index < size; index++) word |= (uint64_t)bytes[index] << (8 * index);
    return word;
}

hed_hash hed_hash_start(void)
{
    /* Fraction bits of the square roots of 2 and 3: no lane starts at zero. */
    return (hed_hash){0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu};
}

hed_hash hed_hash_bytes(hed_hash hash, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    size_t left = size;
    for (; left >= 8; left -= 8, next += 8) hash = hash_absorb(hash, hash_read_word(next, 8));
    if (left > 0) hash = hash_absorb(hash, hash_read_word(next, left));
    /* distinguishes "ab" + "c" from "a" + "bc", and a tail from the same tail with zeros */
    hash = hash_absorb(hash, size);
    /* The lanes are combined once per call, so that each half of the result depends on both lanes.
     * The map is invertible. */
    hash.a += hash.b;
    hash.b = hash_mix_b(hash.b ^ (hash.a << 32 | hash.a >> 32));
    return hash;
}

hed_hash hed_hash_text(hed_hash hash, const char *text)
{
    return hed_hash_bytes(hash, text, strlen(text));
}

void hed_hash_format(hed_hash hash, char text[33])
{
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.a, (unsigned long long)hash.b);
}

/* ---- code ---- */

/* End of the comment, string or character at `at`, or the next byte. `kind`: '/' a comment, '"'
 * text. */
static const char *code_piece(const char *at, const char *end, char *kind)
{
    *kind = *at == '"' || *at == '\'' ? '"' : 0;
    if (*kind) {
        const char quote = *at++;
        while (at < end && *at != quote && *at != '\n') at += *at == '\\' && end - at > 1 ? 2 : 1;
        return at < end ? at + 1 : end;
    }
    if (*at != '/' || end - at < 2 || (at[1] != '/' && at[1] != '*')) return at + 1;
    *kind = '/';
    if (at[1] == '/') {
        while (at < end && *at != '\n') at++;
        return at;
    }
    for (at += 2; end - at >= 2; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return end;
}

/* Code in blocks of a fixed size, so that a text hashes at the speed of its bytes. */
typedef struct code_block {
    hed_hash hash;
    size_t used;
    char bytes[512];
} code_block;

static void code_put(code_block *block, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        block->bytes[block->used++] = bytes[i];
        if (block->used < sizeof block->bytes) continue;
        block->hash = hed_hash_bytes(block->hash, block->bytes, block->used);
        block->used = 0;
    }
}

hed_hash hed_hash_code(hed_hash hash, const char *text, size_t size)
{
    const char *end = text + size, *next;
    code_block block = {.hash = hash};
    char blank = 0, kind; /* blank: pending white space, as one blank or one end of a line */
    bool begun = false;
    for (const char *at = text; at < end; at = next) {
        next = code_piece(at, end, &kind);
        if (kind == '/' || (!kind && isspace((unsigned char)*at))) {
            if (blank != '\n') blank = *at == '\n' ? '\n' : ' ';
            continue;
        }
        if (blank && begun) code_put(&block, &blank, 1);
        code_put(&block, at, (size_t)(next - at));
        blank = 0;
        begun = true;
    }
    return hed_hash_bytes(block.hash, block.bytes, block.used);
}
