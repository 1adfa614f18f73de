/* A user's kernel and all that tuning it needs, from a file: Heddle's own JSON (docs/tune-file.md),
 * or Kernel Tuner's T1, which is known by its keys. Files that it names lie beside it. Everything
 * belongs to the one object. */
#ifndef HED_SUPPORT_TUNE_SPEC_H
#define HED_SUPPORT_TUNE_SPEC_H

#include "heddle/tune.h"

typedef struct hed_tune_spec hed_tune_spec;

/* Reads it. Expressions may name limits of `device`. Errors: IO, FORMAT (file, line, path, what was
 * expected), LIMIT (an argument over what memory addresses), MEMORY. */
hed_status hed_tune_spec_load(
    const char *path, const hed_device_info *device, hed_tune_spec **spec, hed_error *error);
/* Gives argument `name` another first content than the file does: `content` is a file of the
 * current folder (.npy, else raw), or "LOW:HIGH", between which random numbers lie. What is read
 * alone, and symbols, may get another size with it. Errors: ARGUMENT (no such argument), IO,
 * FORMAT, MEMORY; none of them changes anything. */
hed_status hed_tune_spec_give(hed_tune_spec *spec, const hed_device_info *device, const char *name,
    const char *content, hed_error *error);
/* What the file leaves open and how it was taken, in a sentence; NULL: nothing. */
const char *hed_tune_spec_note(const hed_tune_spec *spec);
/* The description; lives as long as the spec. */
const hed_kernel_def *hed_tune_spec_kernel(const hed_tune_spec *spec);
/* Sets what the file decides: math, problem, arguments, reference and its kernel. All else
 * stays. */
void hed_tune_spec_apply(const hed_tune_spec *spec, hed_tune_def *def);
/* NULL is allowed. */
void hed_tune_spec_free(hed_tune_spec *spec);

/* The JSON schema of Heddle's own format, as text. */
const char *hed_tune_spec_schema(void);

#endif
