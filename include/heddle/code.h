/** @file code.h
 *  C text compiled at run time for this processor, by the C compiler of the machine, and loaded into
 *  the program: the counterpart of a kernel on `host`. The machine code is stored in the cache of
 *  compiled kernels, under the same rules. A text is a program: it runs with the privileges of its
 *  process. */
#ifndef HEDDLE_CODE_H
#define HEDDLE_CODE_H

#include "heddle/kernel.h"

HED_BEGIN

/** Loaded machine code. */
typedef struct hed_code hed_code;

/** One translation unit. It is linked to no library, and needs no header of the system; functions of
 *  the C library that the compiler itself calls, such as memcpy(), belong to the
 *  process. */
typedef struct hed_code_def {
    const char *name;          /**< name in messages */
    const hed_source *sources; /**< (source_count) C17; the compiler's messages have these names */
    uint32_t source_count;
    const char *const *options; /**< (option_count) further options of the compiler: "-mavx2" */
    uint32_t option_count;
    const char *const *symbols; /**< (symbol_count) names of the functions that are called */
    uint32_t symbol_count;
} hed_code_def;

/** Compiles a text, or loads it from the cache, and finds its functions: `functions` (symbol_count).
 *  The compiler is $CC, else the first of cc, gcc and clang in $PATH. Products are not contracted, so
 *  every instruction set gives the same bits. The code must not be destroyed before its last call.
 *  Thread class: any. Errors: UNSUPPORTED (no compiler: the text names the packages), BUILD (the log
 *  has the compiler's messages), IO, LIMIT, MEMORY. */
HED_API hed_status hed_code_create(hed_context *context, const hed_code_def *def, void **functions,
    hed_code **code, hed_error *error);
/** Unloads code. NULL is allowed.
 *  Thread class: any. */
HED_API void hed_code_destroy(hed_code *code);
/** Writes the path of the compiler that hed_code_create() runs, "" without one. True if there is
 *  one.
 *  Thread class: any. */
HED_API bool hed_code_compiler(char *path, size_t size);

HED_END

#endif
