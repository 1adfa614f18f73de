/* A picture without a file: woven cloth, from an oblique view. */
#ifndef HED_EXAMPLES_SCENE_H
#define HED_EXAMPLES_SCENE_H

#include "support/png.h"

/* Draws into `image`, which has 3 channels. */
void scene_draw_cloth(hed_image *image);

#endif
