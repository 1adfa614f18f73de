/* Surface under garments that are laid on each other (layers.c): its sides, the height of a point
 * over it, and the room there. */
#ifndef CLOTH_LAYER_SURFACE_H
#define CLOTH_LAYER_SURFACE_H

#include "heddle/author.h"
#include "heddle/cloth_check.h"
#include "model/nearest_point.h"

#include <stdbool.h>

/* Surface under the garments: a body, or a garment already placed. */
typedef struct layer_surface {
    uint32_t garment; /* number of the garment or body */
    bool body;
    float thickness; /* m; 0 for a body */
    hed_cloth_check_surface seen;
    float low[3], high[3]; /* bounds */
    cloth_search search;
    /* (triangles) normals of a face, of the edges opposite its corners, and of its corners; 0 at
     * a border, which has no side */
    float (*normals)[7][3];
} layer_surface;

/* Makes the search and the normals of a surface whose positions and triangles are set. */
hed_status layer_surface_open(layer_surface *surface, hed_arena *arena, hed_error *error);

/* Computes the height of a point over a surface, below 0 inside, and the direction out; false:
 * beyond a border. A point within the surface whose cloth faces against the nearest part of it, such
 * as a sleeve that begins beyond the middle of an arm, belongs to a part that faces as the cloth
 * does, if there is one not much farther away. `facing`: normal of the cloth; NULL: not known. */
bool layer_surface_height(const layer_surface *surface, const float *point, const float *facing,
    uint32_t *guess, float *height, float out[3]);

/* Returns the clearance over the nearest point of a surface, `height` below `point` along `out`:
 * `clearance`, or a third of a cleft that is narrower than two clearances, as in contact
 * (cloth_mesh_room()). */
float layer_surface_room(const layer_surface *surface, const float *point, uint32_t guess,
    float height, const float out[3], float clearance);

/* Scales a vector to length 1; 0 stays. */
void layer_scale_to_one(float v[3]);

#endif
