/* Loops compiled for two widths of vectors, of which the processor's own is taken at run time. Contraction is off everywhere
 * (cmake/compiler.cmake), and none of these loops sums along a vector, so both give the same bits.
 *
 * gcc with glibc alone: others, and sanitizers, do without what the dynamic linker has to do for this.
 */
#ifndef HED_TUNE_CLONES_H
#define HED_TUNE_CLONES_H

#include <stdlib.h> /* __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HED_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HED_CLONES
#endif

#endif
