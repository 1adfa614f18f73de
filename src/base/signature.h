/* Comparison of a kernel's parameter types with its description: types as a driver reports them,
 * and as its text declares them. A type that only a compiler can resolve is not compared. */
#ifndef HED_BASE_SIGNATURE_H
#define HED_BASE_SIGNATURE_H

#include "heddle/author.h"

/* A kernel and its text. */
typedef struct hed_signature {
    const hed_kernel_def *def;
    hed_language language;
    const char *entry;
    const hed_define *defines; /* definitions that apply when the text is compiled */
    uint32_t define_count;
    const hed_source *sources;
    uint32_t source_count;
} hed_signature;

/* Compares one parameter (its index in the description) with its type in words: "uint", "const
 * float4 *". Integers of one size count as one type. Elements of a pointer are not compared: a text
 * may read the words of a buffer as another type. Errors: ARGUMENT (names both types). */
hed_status hed_signature_compare(const hed_signature *signature, uint32_t argument,
    const char *type, size_t length, hed_error *error);

/* Compares the parameters in the text of the entry point, in OpenCL C or CUDA C. Passes if the text
 * alone does not determine them: because of macros, overloads, or `#if` within the list. Errors:
 * ARGUMENT (names both types, or both numbers of parameters). */
hed_status hed_signature_check(const hed_signature *signature, hed_error *error);

#endif
