/* Types of a kernel's parameters in its mangled name, by the Itanium C++ ABI, section 5.1. */
#ifndef HED_CUDA_MANGLED_H
#define HED_CUDA_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* The parameters of a mangled name: start from the name itself. */
typedef struct hed_mangled {
    const char *at; /* NULL: no further parameter is known */
} hed_mangled;

/* Begins at the parameters of `name`; at none where it is not mangled, as of extern "C". */
hed_mangled hed_mangled_open(const char *name);
/* Takes the next parameter's type in words of C: "float *"; "" where it is a template's, a class's or a
 * repeated one. False after the last. */
bool hed_mangled_next(hed_mangled *mangled, char *words, size_t size);

#endif
