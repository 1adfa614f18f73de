/* Growing and bounded text. */
#ifndef HED_BASE_TEXT_H
#define HED_BASE_TEXT_H

#include "heddle/base.h"

/* Growing text; an allocation failure sets `failed`, which the caller checks once at the end. */
typedef struct hed_text {
    const hed_allocator *allocator;
    char *bytes; /* zero-terminated; NULL while empty */
    size_t size, capacity;
    bool failed;
} hed_text;

void hed_text_add(hed_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hed_text_add_bytes(hed_text *text, const void *bytes, size_t size);
/* Adds "#define NAME VALUE"; a value may have several lines. */
void hed_text_add_define(hed_text *text, const char *name, const char *value);
void hed_text_free(hed_text *text);

/* Copies with a zero at the end, cut to `size`; true if it fit. */
bool hed_text_copy(char *to, size_t size, const char *from);
/* True if `part` occurs in `text`, ignoring case (ASCII). */
bool hed_text_contains(const char *text, const char *part);

#endif
