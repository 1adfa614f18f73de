/* Captures: any bytes at all, and the same bytes with hashes that fit, which no fuzzer would find.
 * What is taken for a capture must be one whose description can be walked through, whose content
 * can be read, and whose table answers every question. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heddle/realtime.h"
#include "heddle/tuning.h"
#include "capture/capture_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum; /* of all that was read, so that it is */

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "capture_fuzz: %s\n", what);
    abort();
}

static void look_at(const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    for (uint64_t i = 0; at && i < size; i++) sum += at[i];
}

static void look_at_text(const char *text) { look_at(text, text ? strlen(text) : 0); }

static void look_at_description(const hed_kernel_def *def)
{
    look_at_text(def->name);
    look_at_text(def->entry);
    look_at_text(def->max_threads);
    for (uint32_t i = 0; i < def->source_count; i++)
        look_at(def->sources[i].text, def->sources[i].size + 1);
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        look_at_text(def->parameters[i].name);
        look_at(def->parameters[i].values, def->parameters[i].count * sizeof(int64_t));
        for (uint32_t j = 0; def->parameters[i].labels && j < def->parameters[i].count; j++)
            look_at_text(def->parameters[i].labels[j]);
    }
    for (uint32_t i = 0; i < def->constraint_count; i++) look_at_text(def->constraints[i]);
    for (uint32_t i = 0; i < def->condition_count; i++) look_at_text(def->conditions[i].when);
    for (uint32_t i = 0; i < def->define_count; i++) look_at_text(def->defines[i].value);
    for (uint32_t i = 0; i < def->dimension_count; i++) look_at_text(def->dimensions[i]);
}

static void look_at_capture(const hed_capture *capture)
{
    const hed_kernel_def *def = hed_capture_describe(capture).kernel;
    const hed_tune_argument *arguments = hed_capture_describe(capture).arguments;
    uint64_t count = hed_config_count(def), found = 0, limit = count < 4096 ? count : 4096;
    look_at_description(def);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        look_at_text(def->arguments[i].name);
        look_at(arguments[i].data, arguments[i].bytes);
        look_at(arguments[i].expected, arguments[i].bytes);
    }
    for (uint64_t i = 0; i < limit; i++) {
        hed_config config = hed_config_at(def, i);
        hed_geometry geometry = {0};
        bool valid = def->valid(def, &config, NULL, false);
        def->geometry(def, &config, hed_capture_describe(capture).problem, &geometry);
        require(valid == (geometry.dimensions > 0),
            "a geometry without a configuration, or the other way round");
        found += valid;
    }
    require(count > limit || found == hed_capture_describe(capture).configurations,
        "configurations are missing");
}

/* The hash of every section that lies in the file. */
static void mend(unsigned char *bytes, size_t size)
{
    hed_capture_head first = {.magic = HED_CAPTURE_MAGIC, .version = HED_CAPTURE_VERSION};
    if (size >= sizeof first) memcpy(bytes, &first, sizeof first);
    for (size_t at = sizeof first; at < size && size - at >= sizeof(hed_capture_section);) {
        hed_capture_section head;
        memcpy(&head, bytes + at, sizeof head);
        uint64_t left = size - at - sizeof head;
        if (head.size > left || hed_capture_tail(head.size) > left - head.size) return;
        hed_hash hash = hed_hash_bytes(hed_hash_start(), &head, sizeof head);
        if (head.size) hash = hed_hash_bytes(hash, bytes + at + sizeof head, head.size);
        at += sizeof head + head.size + hed_capture_tail(head.size);
        memcpy(bytes + at - sizeof hash, &hash, sizeof hash);
    }
}

static void open_bytes(hed_context *context, const unsigned char *bytes, size_t size)
{
    char path[64];
    hed_capture *capture;
    hed_error error = {0};
    int file = memfd_create("capture", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (hed_capture_open(context, path, &capture, &error) == HED_OK) look_at_capture(capture);
    else require(error.status == HED_ERROR_FORMAT && strstr(error.text, ": byte "), error.text);
    hed_capture_close(capture);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hed_context *context;
    hed_context_def def = hed_default_context_def();
    def.opencl_library = def.cuda_library = def.nvrtc_library = "";
    require(context || hed_context_create(&def, &context, NULL) == HED_OK, "no context");
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes) return 0;
    if (size) memcpy(bytes, data, size);
    open_bytes(context, bytes, size);
    mend(bytes, size);
    open_bytes(context, bytes, size);
    free(bytes);
    return 0;
}
