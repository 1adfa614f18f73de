/* Host side of contact, for the files of this folder alone. */
#ifndef CLOTH_CONTACT_HOST_H
#define CLOTH_CONTACT_HOST_H

#include "contact/contact.h"

/* The triangles of all mesh colliders as a complete tree of boxes, with their neighbours. Made
 * once, from the first frame. */
typedef struct cloth_tree {
    hed_arena arena;   /* memory of the tree */
    hed_arena scratch; /* memory of its making */
    uint32_t mesh_count, vertex_count, triangle_count;
    uint32_t *mesh_vertices, *mesh_triangles; /* (mesh_count) counts of the program */
    /* (triangle_count) leaf by leaf: three vertices, mesh. Vertices at one position are one */
    uint4 *triangles;
    /* (triangle_count) triangles beyond edges ab, bc, ca, or CLOTH_MESH_NONE; number of the
     * program */
    uint4 *edges;
    uint32_t *incident_at; /* (vertex_count + 1) */
    /* (3 x triangle_count) triangles around each vertex */
    uint32_t *incident;
    uint32_t leaves;   /* a power of 2 */
    uint32_t *leaf_at; /* (leaves + 1) first triangle of each */
    bool *closed;      /* (mesh_count) no edge has one triangle only */
} cloth_tree;

/* Makes the tree. Errors: ARGUMENT (index out of bounds; names mesh and triangle), LIMIT,
 * MEMORY. */
hed_status cloth_tree_create(const hed_allocator *allocator, const hed_cloth_mesh_collider *meshes,
    uint32_t mesh_count, cloth_tree **tree, hed_error *error);
void cloth_tree_destroy(cloth_tree *tree);
/* Orders elements with these centres for `leaves` leaves from `first_leaf` on: halves them along
 * the longest axis until one leaf is left. leaf_at: first element of each leaf. */
void cloth_tree_order(const uint32_t *leaf_at, uint32_t *order, const float (*centres)[3],
    uint32_t first_leaf, uint32_t leaves);

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
    CLOTH_FEATURE_FIND,
    CLOTH_FEATURE_SOLVE,
    CLOTH_PAIRS_BEGIN, /* the kernels from here on are in the order of contact_stage */
    CLOTH_PAIRS_CHECK,
    CLOTH_PAIRS_SLOPES,
    CLOTH_PAIRS_BOXES,
    CLOTH_PAIRS_FIND,
    CLOTH_PAIRS_LIST,
    CLOTH_PAIRS_TAKE,
    CLOTH_PAIRS_PUSH,
    CLOTH_PAIRS_PART,
    CLOTH_PAIRS_PULL,
    CLOTH_PAIRS_APPLY,
    CLOTH_PAIRS_CUT,
    CLOTH_PAIRS_FINISH,
    CLOTH_PAIRS_SUBSTEP, /* all stages */
    CLOTH_CONTACT_KERNELS
} cloth_contact_kernel;

/* Device memory of balls around particles. */
typedef struct cloth_self_buffers {
    /* (particles) float4: position at rest; w: bits of the body, or CLOTH_SELF_NONE */
    hed_buffer *rests;
    hed_buffer *bodies;     /* (copies of all garments) float4: thickness, friction, garment */
    hed_buffer *starts;     /* (buckets + 1) uint: counts, then prefix sums in each tile */
    hed_buffer *totals;     /* (tiles + 1) uint */
    hed_buffer *entries;    /* (particles) uint2 */
    hed_buffer *slots;      /* (particles) uint */
    hed_buffer *sorted[2];  /* (particles x 2) float4, in turn from pass to pass */
    hed_buffer *rows;       /* (particles) uint */
    hed_buffer *neighbours; /* (CLOTH_SELF_NEAR x particles) uint */
    hed_buffer *counts;     /* (particles) uint */
} cloth_self_buffers;

/* Device memory of mesh colliders. */
typedef struct cloth_mesh_buffers {
    /* (vertices) float4, in turn: previous and present positions */
    hed_buffer *place[2];
    hed_buffer *kinds; /* (meshes) float4: friction, 1 where closed */
    hed_buffer *triangles, *edges, *incident_at, *incident, *leaf_at; /* cloth_tree */
    hed_buffer *boxes;                                                /* (2 x leaves x 2) float4 */
    hed_buffer *anchors;                                              /* (particles) float4 */
} cloth_mesh_buffers;

/* Cloth that never crosses cloth. */
enum { CLOTH_PAIRS_LOOKS = 4 }; /* submissions whose counters may not have reached the host */

typedef struct cloth_pairing_buffers {
    hed_buffer *triangles;                               /* (leaves) contact_triangle */
    hed_buffer *boxes;                                   /* (2 x leaves x 2) float4 */
    hed_buffer *gradients, *around_at, *around, *convex; /* cloth_flat */
    hed_buffer *slopes;                                  /* (leaves x 3) float4 */
    hed_buffer *ranges;                                  /* (2 x leaves x 4) float4 */
    hed_buffer *rests;  /* (particles) float4: position at rest; w: body */
    hed_buffer *bodies; /* (copies of all garments) float4: thickness, friction */
    hed_buffer *start;  /* (particles) float4: position at the iteration's start; w: inverse mass */
    hed_buffer *moved;  /* (particles) float4: requested position, moved by contacts */
    hed_buffer *fractions;  /* (particles x CONTACT_FRACTION_WORDS) uint */
    hed_buffer *sums;       /* (particles) int4 */
    hed_buffer *marks;      /* CONTACT_MARKS */
    hed_buffer *counters;   /* contact_counters */
    hed_buffer *state;      /* state of a barrier over all groups */
    hed_buffer *covers;     /* (particles x 2) float4: motion that the list covers */
    hed_buffer *ahead;      /* (particles) float4: end of the motion that a list made now covers */
    hed_buffer *deviations; /* (particles) float: distance of the motion from `covers`, m */
    hed_buffer *list;       /* (list_capacity) contact_pair */
    hed_buffer *bounds;     /* (list_capacity) contact_bound */
    hed_buffer *pairs;      /* (capacity) contact_pair; contact_overlap while a list is made */
    hed_buffer *planes;     /* (capacity) contact_plane */
    hed_buffer *pinned;     /* (CLOTH_PAIRS_LOOKS) contact_counters, in pinned memory */
} cloth_pairing_buffers;

struct cloth_pairing {
    cloth_pairing_buffers b;
    contact_params params;
    hed_event *arrived[CLOTH_PAIRS_LOOKS]; /* counters in `pinned` */
    uint32_t submissions;
    uint32_t substeps;  /* substeps of this submission so far */
    uint32_t groups;    /* groups of cloth_pairs_substep; 0: unknown */
    bool is_unfinished; /* the last submission began and did not end */
};

/* ---- thin features of bodies (feature_contact.h) ---- */

/* Lengths that decide whether cloth feels a part of a body through its vertices. */
typedef struct cloth_feature_scale {
    float edge;      /* m, longest edge of the cloth, with CLOTH_FEATURE_STRETCH */
    float thickness; /* m, of the thinnest garment */
} cloth_feature_scale;

#define CLOTH_FEATURE_STRETCH 1.2f          /* length of an edge over its length at rest */
enum { CLOTH_MAX_MESH_FEATURES = 1 << 15 }; /* the sharpest ones */

/* Edge a b of a mesh, or tip a (b is a too), which may have an axis within the mesh. */
typedef struct cloth_mesh_feature {
    uint32_t a, b;        /* vertices of the tree */
    uint32_t face, other; /* triangles at the edge, or CLOTH_MESH_NONE */
    uint32_t mesh;
    uint32_t ends;   /* ends that it owns: 1 a, 2 b */
    /* m, longest edge of a triangle of cloth from which on it is a feature */
    float minimum_edge;
    float sharpness; /* angle, or more than pi */
    /* end of a tip's axis, as a part of the distance to cloth_tip_middle(), and the radius there,
     * m; 0: a point */
    float part, radius;
} cloth_mesh_feature;

/* Longest edge of a triangle, m, from which on cloth with its vertices outside a ball or capsule of
 * this radius can pass through it. */
float cloth_feature_minimum_edge(const cloth_feature_scale *scale, float radius);
/* Room for the selection of features, and its last result. */
typedef struct cloth_feature_room {
    float4 *places;           /* (vertices) positions at the last selection */
    void *normals;            /* (triangles) */
    uint8_t *is_sharp;        /* (vertices) */
    float *minimum_at;        /* (vertices) */
    cloth_mesh_feature *list; /* (3 triangles + vertices) */
} cloth_feature_room;

/* Allocates room in `arena`. Errors: MEMORY. */
hed_status cloth_feature_room_make(
    const cloth_tree *tree, hed_arena *arena, cloth_feature_room *room, hed_error *error);
/* Selects the features of the meshes into room->list; returns their number. */
uint32_t cloth_feature_select(const cloth_tree *tree, const float4 *places,
    const cloth_feature_scale *scale, cloth_feature_room *room);
/* Middle of the corners of the triangles around a tip. */
float4 cloth_tip_middle(const cloth_tree *tree, const float4 *places, uint32_t tip);
/* Direction out of the mesh at a feature, length 1; 0 at a rim. */
float4 cloth_feature_guard(
    const cloth_tree *tree, const float4 *places, const cloth_mesh_feature *feature);

typedef struct cloth_feature_buffers {
    hed_buffer *features, *boxes;      /* FEATURE_ARRAYS */
    hed_buffer *triangles;             /* (leaves) contact_triangle */
    hed_buffer *cluster_at, *clusters; /* particles of each cluster of triangles */
    hed_buffer *pairs, *touches;       /* (capacity) feature_pair, feature_touch */
    hed_buffer *sums;                  /* (particles) int4 */
    hed_buffer *fractions;             /* (particles) uint */
    hed_buffer *counters;              /* feature_counters */
} cloth_feature_buffers;

typedef struct cloth_features {
    cloth_feature_buffers b;
    feature_params params;
    cloth_feature_scale scale;
    hed_arena arena;              /* memory of `selection` and `friction` */
    cloth_feature_room selection; /* features at the frame's positions */
    uint32_t mesh_count;          /* features in selection.list */
    float *friction;              /* (meshes) */
    bool has_meshes;              /* the meshes were searched for features */
    bool is_active;               /* this frame has features */
    /* features of the frame: as made, as sent in the order of the leaves, boxes of the tree */
    uint32_t count, room; /* room: leaves in `memory` */
    void *memory;
    float4 *words, *sent, *boxes;
    uint32_t *order;
    bool is_sent;
} cloth_features;
/* Bytes of `memory` for each leaf. */
enum { CLOTH_FEATURE_ROW = (2 * FEATURE_WORDS + 4) * sizeof(float4) + sizeof(uint32_t) };

/* feature_launch.c */
hed_status cloth_features_create(hed_cloth *cloth, cloth_features **features, hed_error *error);
void cloth_features_destroy(hed_cloth *cloth, cloth_features *features);
hed_status cloth_features_measure(
    hed_cloth *cloth, cloth_features *features, hed_cloth_metrics *quality, hed_error *error);
hed_status cloth_features_reset(hed_cloth *cloth, cloth_features *features, hed_error *error);

struct cloth_contacts {
    hed_allocator allocator;
    /* created with the contacts if the definition announces them, else at first use */
    hed_kernel *kernels[CLOTH_CONTACT_KERNELS];
    /* cloth that never crosses cloth; NULL if no garment takes part */
    struct cloth_pairing *pairing;
    struct cloth_explanation *explanation; /* NULL: contact is not explained */
    /* balls */
    cloth_self self;
    cloth_self_buffers sb;
    /* mesh colliders */
    cloth_mesh_buffers mb;
    uint32_t turn; /* index of the present positions in mb.place */
    cloth_tree *tree;
    float4 *places;          /* (vertices) positions in the world */
    float4 *sent;            /* (vertices) positions relative to `origin`, as in place[turn] */
    float4 *began;           /* (vertices) the same at the frame's start */
    hed_buffer *begin, *end; /* of mb.place, at this frame's start and end */
    double move;             /* m, longest motion of a vertex in this frame */
    cloth_features *features;
    double origin[3];
    float4 *known; /* (known_count) positions of a saved state, until the next frame; else NULL */
    uint32_t known_count;
    /* the meshes have no motion in the next frame */
    bool jumped;
};

/* Creates the kernels that the definition of the cloth announces (contact_run.c). */
hed_status cloth_contact_ensure_announced(
    hed_cloth *cloth, cloth_contacts *contacts, hed_error *error);
/* Launches a kernel for `size` elements; creates the kernel at first use. */
hed_status cloth_contact_run(hed_cloth *cloth, cloth_contacts *contacts,
    cloth_contact_kernel kernel, uint64_t size, const hed_argument *arguments, uint32_t count,
    hed_error *error);
/* Uploads the positions at rest with the body of each particle that takes part, and the
 * thickness, friction and garment of each body. */
hed_status cloth_upload_bodies(hed_cloth *cloth, bool (*takes_part)(const cloth_garment *),
    hed_buffer **rests, hed_buffer **bodies, hed_error *error);

/* convex_nodes.c: nodes of the tree over the cloth's own triangles that are convex at rest. */
typedef struct cloth_flat {
    float4 *gradients;            /* (leaves) contact_tree.gradients */
    uint32_t *around_at, *around; /* (particles + 1), leaves around each particle */
    uint32_t *convex;             /* (2 x leaves) not 0: the node is convex */
} cloth_flat;
/* Finds the convex nodes. The arrays are in `scratch`. Errors: MEMORY. */
hed_status cloth_flat_make(const hed_cloth *cloth, const contact_triangle *triangles,
    uint32_t leaves, hed_arena *scratch, cloth_flat *flat, hed_error *error);

/* contact_leaves.c */
/* True for garments with HED_CLOTH_SELF_TRIANGLES that have triangles and a thickness. */
bool cloth_garment_pairs(const cloth_garment *garment);
/* Makes the leaves of the tree, a power of 2, in `scratch`. Errors: MEMORY. */
hed_status cloth_contact_leaves(const hed_cloth *cloth, bool (*takes_part)(const cloth_garment *),
    hed_arena *scratch, contact_triangle **triangles, uint32_t *leaf_count, hed_error *error);
/* Longest edge at rest of the garments that take part, m. */
float cloth_longest_edge(const hed_cloth *cloth, bool (*takes_part)(const cloth_garment *));

/* contact_launch.c: cloth that never crosses cloth. */
typedef struct cloth_pairing cloth_pairing;
/* Creates the pairing; `*pairing` stays NULL if no garment takes part. After a failure
 * cloth_pairs_destroy() frees the rest. Errors: MEMORY, DEVICE_MEMORY. */
hed_status cloth_pairs_create(hed_cloth *cloth, cloth_pairing **pairing, hed_error *error);
void cloth_pairs_destroy(hed_cloth *cloth, cloth_pairing *pairing);
uint64_t cloth_pairs_bytes(cloth_pairing *pairing);
/* True if a substep is one launch of CLOTH_PAIRS_SUBSTEP. */
bool cloth_pairs_at_once(const hed_cloth *cloth);
/* Elements of a launch, for kernels that are created before it. */
uint64_t cloth_pairs_size(const cloth_pairing *pairing, cloth_contact_kernel kernel);
/* Parts of cloth_contacts_begin(), _self(), _end(), _measure() and _reset(). */
hed_status cloth_pairs_prepare(hed_cloth *cloth, cloth_pairing *pairing, hed_error *error);
hed_status cloth_pairs_substep(hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *pairing,
    const cloth_step *step, float dt, hed_error *error);
hed_status cloth_pairs_look(hed_cloth *cloth, cloth_pairing *pairing, hed_error *error);
hed_status cloth_pairs_measure(
    hed_cloth *cloth, cloth_pairing *pairing, hed_cloth_metrics *quality, hed_error *error);
hed_status cloth_pairs_reset(hed_cloth *cloth, cloth_pairing *pairing, hed_error *error);

/* Waits for the counters and reads them. */
hed_status cloth_pairs_read_counters(
    hed_cloth *cloth, const cloth_pairing *pairing, contact_counters *counters, hed_error *error);

/* contact_explain.c: vertices that contact limits, and the reasons. */
typedef struct cloth_explanation cloth_explanation;
/* Forgets the limits of the last submission. */
void cloth_explanation_begin(cloth_explanation *explanation);
/* Appends the limits of a contact iteration, of which CONTACT_FINISH is the next stage. */
hed_status cloth_explain_iteration(hed_cloth *cloth, const cloth_pairing *pairing,
    cloth_explanation *explanation, hed_error *error);
void cloth_explanation_destroy(hed_cloth *cloth, cloth_explanation *explanation);

/* ball_launch.c: garments with HED_CLOTH_SELF_BALLS. */
hed_status cloth_balls_create(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error);
hed_status cloth_balls_push(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error);

/* mesh_launch.c */
/* Adds the particles that clefts left no room to `body_pressed`. */
hed_status cloth_meshes_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error);
hed_status cloth_meshes_reset(hed_cloth *cloth, hed_error *error);
void cloth_contact_meshes_destroy(cloth_contacts *contacts);
/* Drops the previous positions of the mesh colliders, and the positions of a loaded state. */
void cloth_contact_forget_places(cloth_contacts *contacts);

#endif
