/* A build assembled from a description: owns the texts and lists that hed_build points to. */
#ifndef HED_CORE_PROGRAM_H
#define HED_CORE_PROGRAM_H

#include "core/objects.h"

typedef struct hed_build_text {
    hed_build build;
    hed_kernel_text chosen; /* chosen among the description's texts */
    hed_allocator allocator;
    hed_define *defines; /* (define_capacity + 1) */
    uint32_t define_capacity;
    hed_source *sources; /* (source_count + 1) */
    uint32_t source_count;
    struct {
        char *bytes;
        size_t size;
    } * owned; /* (source_count + 1) texts read from files */
    char values[HED_MAX_PARAMETERS][24];
} hed_build_text;

/* Returns the languages that a device accepts: bits 1 << hed_language. */
uint32_t hed_device_languages(const hed_device *device);
/* Returns the text of a kernel for a device: the description's own, or one of its alternatives. If
 * the device accepts no language of these, the own text. */
hed_kernel_text hed_kernel_text_for(const hed_device *device, const hed_kernel_def *def);

/* Assembles a build; free it with hed_build_text_free(), after a failure too. */
hed_status hed_build_text_make(hed_build_text *text, hed_device *device, const hed_kernel_def *def,
    hed_math math, const hed_config *config, const hed_define *defines, uint32_t define_count,
    uint32_t max_registers, hed_error *error);
void hed_build_text_free(hed_build_text *text);
/* Makes the loaded text the only one of a copy of the description. */
void hed_build_text_describe(const hed_build_text *text, hed_kernel_def *def);

/* Compiles one configuration into the disk cache, which must exist, or finds it there; nothing is
 * loaded, and on CUDA the device is not opened. `*seconds` is the compile time, 0 if the cache has
 * the binary. Thread class: any. Errors: BUILD, UNSUPPORTED, MEMORY, IO, DRIVER. */
hed_status hed_program_compile(hed_device *device, const hed_kernel_def *def, hed_math math,
    const hed_config *config, const hed_define *defines, uint32_t define_count, double *seconds,
    hed_error *error);

#endif
