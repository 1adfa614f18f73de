/* Growing and bounded text. */
#include "base/text.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reserves space for `extra` bytes and the final zero. */
static bool text_reserve(hed_text *text, size_t extra)
{
    if (text->failed) return false;
    size_t free_bytes = text->capacity - text->size;
    if (extra < free_bytes) return true;
    size_t capacity = text->capacity > 0 ? text->capacity : 256;
    while (capacity - text->size <= extra) {
        if (capacity > SIZE_MAX / 2) {
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *bytes = hed_allocate(text->allocator, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    if (text->size > 0) memcpy(bytes, text->bytes, text->size);
    hed_release(text->allocator, text->bytes, text->capacity);
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void hed_text_add(hed_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!text_reserve(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->bytes + text->size, text->capacity - text->size, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}

void hed_text_add_bytes(hed_text *text, const void *bytes, size_t size)
{
    if (!text_reserve(text, size)) return;
    if (size > 0) memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void hed_text_add_define(hed_text *text, const char *name, const char *value)
{
    hed_text_add(text, "#define %s ", name);
    for (value = value ? value : ""; *value; value++)
        hed_text_add(text, *value == '\n' ? "\\\n" : "%c", *value);
    hed_text_add(text, "\n");
}

void hed_text_free(hed_text *text)
{
    hed_release(text->allocator, text->bytes, text->capacity);
    *text = (hed_text){.allocator = text->allocator};
}

bool hed_text_copy(char *to, size_t size, const char *from)
{
    if (size == 0) return false;
    size_t length = strlen(from);
    bool fits = length < size;
    length = fits ? length : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
    return fits;
}

/* Converts to lower case; tolower() would match names of devices differently in another locale. */
static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

bool hed_text_contains(const char *text, const char *part)
{
    for (;; text++) {
        size_t length = 0;
        while (part[length] != '\0' && lower(text[length]) == lower(part[length])) length++;
        if (part[length] == '\0') return true;
        if (*text == '\0') return false;
    }
}
