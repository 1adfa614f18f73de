/* Meshes: cells of grids, faults and edges. */
#ifndef CLOTH_MESH_H
#define CLOTH_MESH_H

#include "heddle/cloth_mesh.h"

#define CLOTH_NO_INDEX UINT32_MAX /* no face, vertex, texture coordinate or normal */

/* Counts the corners of all faces. */
static inline uint32_t cloth_mesh_corner_count(const hed_cloth_mesh *mesh)
{
    return mesh->face_count ? mesh->face_at[mesh->face_count] : 0;
}

/* Finds the cell that a face is in a grid `width` wide: its corners in order around are i, i +
 * 1, i + width + 1, i + width, from any corner, in either direction. CLOTH_NO_INDEX: the face is
 * no cell. */
uint32_t cloth_mesh_cell_of(const uint32_t *corners, uint32_t width);

/* Faults of faces (degenerate or duplicate), and the edges of the faces without a fault. */
typedef struct cloth_topology {
    uint8_t *fault; /* (face_count) hed_cloth_mesh_fault + 1, 0: no fault */
    /* (corners) edge from this corner to the next of its face; CLOTH_NO_INDEX on faces with a
     * fault */
    uint32_t *edge;
    uint32_t edge_count;
} cloth_topology;

/* Finds the faults and edges of a mesh. Errors: MEMORY. */
hed_status cloth_topology_create(
    const hed_cloth_mesh *mesh, cloth_topology *topology, hed_error *error);
void cloth_topology_free(cloth_topology *topology);

#endif
