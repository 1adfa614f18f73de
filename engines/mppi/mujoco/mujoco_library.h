/* libmujoco, loaded and made callable: its functions and the functions of the text that is compiled
 * against its header. One for the process. */
#ifndef HED_MPPI_MUJOCO_LIBRARY_H
#define HED_MPPI_MUJOCO_LIBRARY_H

#include "heddle/base.h"
#include "mujoco/simulation.h"

#include <setjmp.h>

/* Returns the functions, loading the library at the first call. They live as long as the process.
 * Thread class: any, one thread at a time. Errors: UNSUPPORTED (the text names the packages),
 * BUILD, IO, MEMORY. */
hed_status mujoco_library_open(const mujoco_calls **calls, hed_error *error);

/* Place to which a fatal error of MuJoCo's returns in this thread, and its text. */
typedef struct mujoco_exit {
    jmp_buf place;
    char text[256];
} mujoco_exit;
/* Sets the place of this thread; NULL: a fatal error is left to MuJoCo, which ends the process. */
void mujoco_library_catch(mujoco_exit *exit);

#endif
