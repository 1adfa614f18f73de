/* The synth's kernels: their texts (embedded by CMakeLists.txt) and descriptions. */
#ifndef SYNTH_KERNELS_H
#define SYNTH_KERNELS_H

#include "heddle/synth.h"

#define SYNTH_COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
