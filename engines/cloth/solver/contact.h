/* What the files of the collisions share: contact.c (life, cloth against cloth), contact_mesh.c
 * (mesh colliders), contact_tree.c. */
#ifndef CLOTH_CONTACT_H
#define CLOTH_CONTACT_H

#include "solver/host.h"

#include "kernels/kernels.h"

/* The triangles of all mesh colliders as a complete tree of boxes, and what lies around each: made
 * once from the first frame. */
typedef struct cloth_tree {
    hed_arena arena;   /* the tree's own and all that it points to */
    hed_arena scratch; /* while it is made */
    uint32_t mesh_count, vertex_count, triangle_count;
    uint32_t *mesh_vertices, *mesh_triangles; /* (mesh_count) as the program gave them */
    /* (triangle_count) leaf by leaf: three vertices, mesh. Vertices in one place are one */
    uint4 *triangles;
    /* (triangle_count) the triangle beyond edges ab, bc, ca, or CLOTH_MESH_NONE; its number as
     * given */
    uint4 *edges;
    uint32_t *incident_at; /* (vertex_count + 1) */
    /* (3 x triangle_count) triangles around each vertex */
    uint32_t *incident;
    uint32_t leaves;   /* a power of 2 */
    uint32_t *leaf_at; /* (leaves + 1) first triangle of each */
    bool *closed;      /* (mesh_count) no edge has one triangle only */
} cloth_tree;

/* Errors: ARGUMENT (an index out of bounds: names mesh and triangle), MEMORY. */
hed_status cloth_tree_create(const hed_allocator *allocator, const hed_cloth_mesh_collider *meshes,
    uint32_t mesh_count, cloth_tree **tree, hed_error *error);
void cloth_tree_destroy(cloth_tree *tree);

typedef enum cloth_contact_kernel {
    CLOTH_SELF_COUNT,
    CLOTH_SELF_SCAN,
    CLOTH_SELF_TOTALS,
    CLOTH_SELF_PLACE,
    CLOTH_SELF_ORDER,
    CLOTH_SELF_NEAR_KERNEL,
    CLOTH_SELF_PUSH,
    CLOTH_MESH_BOXES,
    CLOTH_MESH_FIND,
    CLOTH_CONTACT_KERNELS
} cloth_contact_kernel;

/* Of cloth against cloth. */
typedef struct cloth_self_buffers {
    /* (particles) float4: place at rest, and in the bits of w the body, or CLOTH_SELF_NONE */
    hed_buffer *rests;
    hed_buffer *bodies;    /* (copies of all garments) float4: thickness, friction, garment */
    hed_buffer *starts;    /* (buckets + 1) uint: counts, then prefix sums in each tile */
    hed_buffer *totals;    /* (tiles + 1) uint */
    hed_buffer *entries;   /* (particles) uint2 */
    hed_buffer *slots;     /* (particles) uint */
    hed_buffer *sorted[2]; /* (particles x 2) float4, in turn from pass to pass */
    hed_buffer *rows;      /* (particles) uint */
    hed_buffer *near;      /* (CLOTH_SELF_NEAR x particles) uint */
    hed_buffer *counts;    /* (particles) uint */
} cloth_self_buffers;

/* Of mesh colliders. */
typedef struct cloth_mesh_buffers {
    /* (vertices) float4, in turn: where they were, where they are */
    hed_buffer *place[2];
    hed_buffer *kinds; /* (meshes) float4: friction, 1 where closed */
    hed_buffer *triangles, *edges, *incident_at, *incident, *leaf_at; /* of the tree */
    hed_buffer *boxes;                                                /* (2 x leaves x 2) float4 */
} cloth_mesh_buffers;

struct cloth_contacts {
    hed_allocator allocator;
    /* made with it where they are announced, else when first needed */
    hed_kernel *kernels[CLOTH_CONTACT_KERNELS];
    /* cloth against cloth */
    cloth_self self;
    cloth_self_buffers sb;
    /* mesh colliders */
    cloth_mesh_buffers mb;
    uint32_t turn; /* of mb.place, the one where they are */
    cloth_tree *tree;
    float4 *places; /* (vertices) where they are in the world */
    float4 *sent;   /* (vertices) the same from `origin`, as in place[turn] */
    double origin[3];
    float4 *known; /* (known_count) where a saved state has them, until the next frame; else NULL */
    uint32_t known_count;
    /* the next frame finds them where they are then */
    bool jumped;
};

/* Launches a kernel for `size` elements, which is made if it is not there yet. */
hed_status cloth_contact_run(hed_cloth *cloth, cloth_contacts *contacts,
    cloth_contact_kernel kernel, uint64_t size, const hed_argument *arguments, uint32_t count,
    hed_error *error);
/* The meshes' part of cloth_contacts_destroy(). */
void cloth_contact_meshes_destroy(cloth_contacts *contacts);

#endif
