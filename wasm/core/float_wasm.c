/* Rounding in WebAssembly, in place of src/base/float.c: to nearest, with denormals, always. */
#include "heddle/thread.h"

hed_float_state hed_float_strict(void) { return (hed_float_state){0}; }

void hed_float_restore(hed_float_state state) {}
