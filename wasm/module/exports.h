/* Words of the exported functions. JavaScript sees numbers and the module's memory alone. */
#ifndef HEDDLE_WASM_EXPORTS_H
#define HEDDLE_WASM_EXPORTS_H

#include <heddle/heddle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exports a function under its own name; all begin with hedw_. */
#define EXPORT __attribute__((visibility("default"), used))

/* Error of the last failed call; the next hedw_error() returns and clears it. */
extern hed_error module_error;

/* The host device of the module's one context. NULL: module_error has the reason. */
hed_device *module_device(void);

/* Allocates zeroed memory of `count` elements; NULL: module_error is set. */
void *module_allocate(size_t count, size_t size);

/* Writes a text as a string of JSON. */
void module_put_text(FILE *stream, const char *text, size_t length);

#endif
