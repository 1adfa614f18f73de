/** @file library.h
 *  Optional libraries, loaded when they are first needed, so that neither building nor starting the
 *  program requires them. Heddle loads JACK and ALSA by this function. */
#ifndef HEDDLE_LIBRARY_H
#define HEDDLE_LIBRARY_H

#include "heddle/base.h"

HED_BEGIN

/** An optional library, with the texts of the message if it is missing. */
typedef struct hed_library_def {
    const char *name;         /**< name, such as "jack" */
    const char *purpose;      /**< use, such as "playing through a JACK server" */
    const char *const *files; /**< file names or paths, tried in turn; NULL ends the list */
    /** environment variable with a file that is tried instead; NULL: none */
    const char *setting;
    const char *debian; /**< Debian package of the library; NULL: unknown */
    const char *fedora; /**< Fedora package of the library; NULL: unknown */
} hed_library_def;

/** Loads a library for the rest of the program's run and finds functions in it. `functions[i]`
 *  receives the address of `names[i]`, i < count. `file` (nullable) receives the loaded one of
 *  def->files. `allocator` may be NULL.
 *  Thread class: any. Errors: UNSUPPORTED (no file loads, or a function is missing: the text has
 *  the cause and the packages of the library), MEMORY. */
HED_API hed_status hed_library_load(const hed_allocator *allocator, const hed_library_def *def,
    const char *const *names, void **functions, size_t count, const char **file, hed_error *error);

HED_END

#endif
