/** @file library.h
 *  Libraries that a program does without where they are not installed: loaded when they are first
 *  needed, so that nothing of them has to be there to build the program or to start it. Heddle
 *  plays through JACK and ALSA in this way.
 */
#ifndef HEDDLE_LIBRARY_H
#define HEDDLE_LIBRARY_H

#include "heddle/base.h"

HED_BEGIN

/** A library, and what messages say about it. */
typedef struct hed_library_def {
    const char *name;         /**< "jack" */
    const char *purpose;      /**< what it is for: "playing through a JACK server" */
    const char *const *files; /**< file names or paths, tried in turn; NULL ends them */
    /** environment variable that names a file to be tried instead; NULL: none */
    const char *setting;
    const char *debian; /**< the package that has it; NULL: not known */
    const char *fedora; /**< likewise */
} hed_library_def;

/** Loads a library, for as long as the program runs, and finds functions in it: `functions[i]`
 *  becomes the address of `names[i]`, for i < count. `file` (nullable) becomes the one of the names
 *  that was loaded. `allocator` may be NULL. Thread class: any. Errors: UNSUPPORTED (none of the
 *  files loads, or a function is missing: the text says why, and which packages bring the library),
 *  MEMORY. */
HED_API hed_status hed_library_load(const hed_allocator *allocator, const hed_library_def *def,
    const char *const *names, void **functions, size_t count, const char **file, hed_error *error);

HED_END

#endif
