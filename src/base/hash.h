/* A 128-bit non-cryptographic hash, for names of cache entries and checksums. A caller that uses
 * it for equality compares the data too. */
#ifndef HED_BASE_HASH_H
#define HED_BASE_HASH_H

#include "heddle/base.h"

typedef struct hed_hash {
    uint64_t a, b;
} hed_hash;

hed_hash hed_hash_start(void);
/* Adds bytes and their size to a hash: order and lengths matter. */
hed_hash hed_hash_bytes(hed_hash hash, const void *bytes, size_t size);
hed_hash hed_hash_text(hed_hash hash, const char *text);
/* Adds the code of a text in C or a language like it: comments and the amount of white space
 * between words do not count, ends of lines (which end directives) do. */
hed_hash hed_hash_code(hed_hash hash, const char *text, size_t size);
void hed_hash_format(hed_hash hash, char text[33]); /* 32 hexadecimal digits and a zero */

#endif
