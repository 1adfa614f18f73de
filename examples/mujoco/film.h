/* A row of pictures of a run in MuJoCo, rendered without a window (EGL). */
#ifndef HED_EXAMPLES_FILM_H
#define HED_EXAMPLES_FILM_H

#include "support/png.h"

#include <mujoco/mujoco.h>

typedef struct film film;

/* Opens a strip of `count` pictures from the model's camera "film".
 * Errors: NO_DEVICE (no OpenGL without a window), MEMORY. */
film *film_open(const mjModel *model, uint32_t count, hed_error *error);
/* Takes the next picture: the plant, `words` in its corner, and `points` (count x 3) as small
 * spheres that fade along the row, the first `marks` of them large. Calls after the last picture
 * are ignored. `reel` NULL: does nothing. */
void film_take(film *reel, const mjModel *model, mjData *data, const char *words,
    const float *points, uint32_t count, uint32_t marks);
/* Writes the row as a PNG. Errors: IO, MEMORY. */
hed_status film_save(const film *reel, const char *path, hed_error *error);
void film_close(film *reel); /* NULL is allowed */

#endif
