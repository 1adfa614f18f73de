/* What every renderer of pictures agrees on: where light and ground are, and the matrices of one
 * picture. */
#ifndef CLOTH_STUDIO_H
#define CLOTH_STUDIO_H

#include "heddle/cloth_scene.h"
#include "space.h"

enum { CLOTH_SHADOW_SIZE = 2048 }; /* of the shadow map, pixels a side */
#define CLOTH_PENUMBRA 0.006f      /* radius of a shadow's edge, in widths of the shadow map */

/* What stays the same from one picture of a scene to the next, so that light and ground do not jump
 * about. */
typedef struct cloth_studio {
    bool set;
    float up[3];            /* the axis that is up */
    float key_direction[3]; /* to the light */
    float ground;           /* height */
    float size;             /* radius of the scene, m */
} cloth_studio;

/* Light from the camera's left shoulder, ground below everything. `box` is what is looked at:
 * shadows are as sharp as it is small. Once set, only a piercing of the ground changes it. */
void cloth_studio_fit(cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box);

/* One picture. */
typedef struct cloth_shot {
    const cloth_studio *studio;
    const hed_cloth_camera *camera;
    float centre[3], radius; /* of what is looked at */
    float view[16], view_projection[16], shadow_matrix[16];
    float shadow_texel;     /* m */
    int up_axis;            /* 0 x, 1 y, 2 z */
    bool ground_seen;       /* from below it would hide everything */
    float ground_centre[3]; /* below `centre`, on the ground */
    float ground_reach;     /* m, where it has faded */
    float ground_spacing;   /* m, of its grid */
} cloth_shot;

cloth_shot cloth_shot_begin(
    const cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box, float aspect);

#endif
