/* Types of a kernel's parameters in its mangled name, by the Itanium C++ ABI, section 5.1. */
#ifndef HED_CUDA_MANGLED_H
#define HED_CUDA_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* An iterator over the parameters of a mangled name. */
typedef struct hed_mangled {
    const char *at; /* NULL: no further parameter is known */
} hed_mangled;

/* Starts at the first parameter of `name`; the list is empty if the name is not mangled (extern
 * "C"). */
hed_mangled hed_mangled_open(const char *name);
/* Writes the next parameter's type in words of C: "float *"; "" for a template parameter, a class
 * or a substitution. False after the last parameter. */
bool hed_mangled_next(hed_mangled *mangled, char *words, size_t size);

#endif
