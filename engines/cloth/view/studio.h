/* Studio, common to all renderers of pictures: position of light and ground, and the matrices of
 * one picture. */
#ifndef CLOTH_STUDIO_H
#define CLOTH_STUDIO_H

#include "heddle/base.h"
#include "heddle/cloth_scene.h"

/* Vectors, 4 x 4 matrices (column by column, as in OpenGL) and boxes for the view. */

typedef struct cloth_box {
    float low[3], high[3]; /* low above high: empty */
} cloth_box;

cloth_box cloth_box_nothing(void);
/* Extends the box by `count` points (count x 3); points that are not finite are skipped. */
void cloth_box_add(cloth_box *box, const float *points, uint32_t count);
void cloth_box_join(cloth_box *box, const cloth_box *added);
bool cloth_box_empty(const cloth_box *box);
void cloth_box_centre(const cloth_box *box, float centre[3]);
float cloth_box_radius(const cloth_box *box); /* half of the diagonal */

float cloth_dot(const float a[3], const float b[3]);
void cloth_cross(const float a[3], const float b[3], float out[3]);
/* Scales to length 1; a zero vector stays. */
void cloth_normalize(float a[3]);
/* a + s b */
void cloth_along(const float a[3], float s, const float b[3], float out[3]);

void cloth_multiply(const float a[16], const float b[16], float out[16]);
void cloth_look_at(const float eye[3], const float target[3], const float up[3], float out[16]);
void cloth_perspective(
    float degrees, float aspect, float near_plane, float far_plane, float out[16]);
/* Projects a cube of half the size `radius` around the origin of view space, `depth` before
 * and after the origin. */
void cloth_orthographic(float radius, float depth, float out[16]);

/* Normals of vertices from the triangles around them. */

/* Sums the triangles' cross products, which weighs them by area; the result is not scaled to
 * length 1, which the shader does. `normals` (vertex_count x 3). Indices must be below
 * vertex_count. */
void cloth_make_normals(const float *positions, uint32_t vertex_count, const uint32_t *triangles,
    uint32_t triangle_count, float *normals);

enum { CLOTH_SHADOW_SIZE = 2048 }; /* width of the shadow map, pixels */
#define CLOTH_PENUMBRA 0.006f      /* radius of a shadow's edge, in widths of the shadow map */

/* State that is kept from one picture of a scene to the next, so that light and ground do not
 * jump about. */
typedef struct cloth_studio {
    bool set;
    float up[3];            /* the axis that is up */
    float key_direction[3]; /* direction to the light */
    float ground;           /* height */
    float size;             /* radius of the scene, m */
} cloth_studio;

/* Fits the studio: light from the camera's left shoulder, ground below everything. `box` is the
 * box to look at: the smaller it is, the sharper are the shadows. `whole` is the box around all
 * that is drawn. Once set, the studio changes only if `whole` sinks below the ground. */
void cloth_studio_fit(cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box,
    const cloth_box *whole);

/* One picture. */
typedef struct cloth_shot {
    const cloth_studio *studio;
    const hed_cloth_camera *camera;
    float centre[3], radius; /* centre and radius of the box to look at */
    float view[16], view_projection[16], shadow_matrix[16];
    float shadow_texel; /* m */
    int up_axis;        /* 0 x, 1 y, 2 z */
    /* true: the camera is above the ground; from below the ground would hide everything */
    bool ground_seen;
    float ground_centre[3]; /* below `centre`, on the ground */
    float ground_reach;     /* distance at which the ground has faded out, m */
    float ground_spacing;   /* spacing of the ground's grid, m */
} cloth_shot;

cloth_shot cloth_shot_begin(
    const cloth_studio *studio, const hed_cloth_camera *camera, const cloth_box *box, float aspect);

#endif
