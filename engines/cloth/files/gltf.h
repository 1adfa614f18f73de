/* glTF documents, as far as meshes need them: the document, its buffers, and accessors as
 * arrays. */
#ifndef CLOTH_GLTF_H
#define CLOTH_GLTF_H

#include "files/mesh_file.h"
#include "support/json.h"

/* True if a path, with or without a node, ends with .glb or .gltf. */
bool cloth_gltf_is(const char *path);

/* Name of the program in a file that hed_cloth_mesh_save_glb() wrote. */
#define CLOTH_GLB_GENERATOR "Heddle"

/* End of the warning about a document with skins. */
#define CLOTH_GLTF_AT_REST \
    " skins and animations act in a \"sequence\" alone; the mesh at rest is as its vertices are stored"

typedef struct cloth_gltf_buffer {
    /* bytes of a data URI or a file; NULL: the binary chunk, or not loaded yet */
    char *owned;
    const char *bytes; /* NULL: not loaded yet */
    size_t size;
} cloth_gltf_buffer;

/* glTF document. The first error is kept: in `json`, or in `status` and `error` for memory and
 * other files. */
typedef struct cloth_gltf {
    hed_json *json;
    hed_json_node root;
    const char *name;
    const char *node; /* name of the node below which meshes are read; NULL: of the whole scene */
    /* folder of files that it names, "" or ending with '/'; NULL: no other file is read */
    const char *folder;
    const char *chunk; /* binary chunk; NULL: no chunk */
    size_t chunk_size;
    size_t buffer_count;
    cloth_gltf_buffer *buffers;
    hed_status status;
    hed_error *error;
} cloth_gltf;

/* Transformation of a node relative to its parent. */
typedef struct cloth_gltf_place {
    double move[3], turn[4], scale[3]; /* turn: a quaternion x y z w */
    bool fixed;                        /* `matrix` is used instead, which nothing animates */
    double matrix[12];                 /* rows of 4 */
} cloth_gltf_place;

/* Reads a node's own transformation. A node of hed_cloth_mesh_save_glb() has the identity: its mesh
 * keeps the unit and axes of the scene that wrote it. */
void cloth_gltf_read_place(const cloth_gltf *gltf, hed_json_node node, cloth_gltf_place *place);
void cloth_gltf_matrix(const cloth_gltf_place *place, double m[12]);
/* Computes a b of matrices with rows of 4. */
void cloth_gltf_product(const double a[12], const double b[12], double product[12]);

/* Vertices that a primitive of a node added. */
typedef struct cloth_gltf_part {
    uint32_t node, first, count;
    hed_json_node attributes, primitive;
} cloth_gltf_part;

/* Reads the mesh of an open document. `parts` (NULL: not needed): a row of cloth_gltf_part for
 * each primitive whose vertices are its own. */
hed_status cloth_gltf_read(
    cloth_gltf *gltf, cloth_list *parts, hed_cloth_mesh *mesh, hed_error *error);

/* Reads the container and the JSON of a .glb or .gltf. Call cloth_gltf_close() in any case.
 * Errors: FORMAT, MEMORY. */
hed_status cloth_gltf_open(const char *name, const char *bytes, size_t size, const char *folder,
    cloth_gltf *gltf, hed_error *error);
void cloth_gltf_close(cloth_gltf *gltf);

bool cloth_gltf_fine(const cloth_gltf *gltf);
/* Records a MEMORY error. */
void cloth_gltf_starve(cloth_gltf *gltf);
/* Records a LIMIT error if `count` is above 2^28: a few nodes that show a mesh again and again
 * request any amount of memory. */
void cloth_gltf_limit(cloth_gltf *gltf, uint64_t count, const char *what);
/* Finds element `index` (a number in the document) of a list of the document. */
hed_json_node cloth_gltf_find(cloth_gltf *gltf, hed_json_node index, const char *list);

/* Reads an accessor's elements, (count x components), to be freed; `index` is its number in the
 * document. Takes `least` to `most` components, or 16, of a 4 x 4 matrix column by column. NULL:
 * an error is recorded. */
float *cloth_gltf_floats(cloth_gltf *gltf, hed_json_node index, uint32_t least, uint32_t most,
    uint32_t *components, uint32_t *count);
/* Reads the weights of the morph targets of a node with a mesh: its own, else its mesh's, else 0.
 * (*count), to be freed; NULL: no targets, or an error is recorded. */
double *cloth_gltf_weights(cloth_gltf *gltf, hed_json_node node, uint32_t *count);
/* Reads the displacements of a morph target of a primitive with `count` vertices, (count x 3), to be
 * freed; NULL: it moves no vertex, or an error is recorded. */
float *cloth_gltf_target(
    cloth_gltf *gltf, hed_json_node primitive, uint32_t target, uint32_t count);
/* Reads indices, each below `limit`. */
uint32_t *cloth_gltf_indices(
    cloth_gltf *gltf, hed_json_node index, uint32_t limit, uint32_t *count);

#endif
