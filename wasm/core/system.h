/* Words that emscripten's C library lacks, and Heddle's multiply-add in place of its fmaf(). The
 * compiler reads this file before every source file, so the sources need no condition for
 * WebAssembly. */
#ifndef HEDDLE_WASM_SYSTEM_H
#define HEDDLE_WASM_SYSTEM_H

#include "fma.h"

#include <string.h>

/* texts of error numbers: C's function in place of GNU's */
#define strerror_r(code, text, size) ((void)(text), strerror(code))
#define strerrordesc_np(code) strerror(code)
/* the module's one thread waits for no other */
#define pthread_cond_clockwait(condition, lock, clock, time) \
    pthread_cond_timedwait(condition, lock, time)
#define _SC_LEVEL3_CACHE_SIZE (-1) /* sysconf() reports that it knows no such value */
#define secure_getenv getenv       /* a module has neither variables nor another user's rights */

#endif
