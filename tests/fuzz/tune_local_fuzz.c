/* libFuzzer harness for the rewriting of local memory in users' kernels: whatever the text, it
 * stays within its room, ends, and keeps every line. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tunefile/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_tune_file spec = {0};
    hed_spec_reader reader = {.spec = &spec, .path = "fuzz"};
    char *text = malloc(size + 1);
    if (!text || hed_json_parse("fuzz", "{}", 2, &spec.json, NULL) != HED_OK) abort();
    memcpy(text, data, size);
    text[size] = 0;
    hed_source source = {.name = "fuzz.cl", .text = text};
    hed_spec_use_words(&reader, hed_json_root(spec.json), &source);
    if (lines_of(source.text) != lines_of(text)) abort();
    hed_arena_free(&spec.arena);
    hed_json_free(spec.json);
    free(text);
    return 0;
}
