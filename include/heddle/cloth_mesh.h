/** @file cloth_mesh.h
 *  Meshes and point caches for cloth: reading (OBJ, PLY, STL and glTF by Heddle's readers, other
 *  formats by assimp if it was built in), checking, mending, welding, and writing (OBJ, PLY with
 *  colours, GLB, PC2). Part of heddle-cloth. Thread class of everything here: any, one thread at a
 *  time for each object. */
#ifndef HEDDLE_CLOTH_MESH_H
#define HEDDLE_CLOTH_MESH_H

#include "heddle/base.h"

HED_BEGIN

/** A name of consecutive faces: material or group of an OBJ. */
typedef struct hed_cloth_mesh_span {
    char *name;
    uint32_t first_face; /**< the span ends at the next one's, or at the last face */
    bool object;         /**< groups: begun by o, not g */
} hed_cloth_mesh_span;

/** A polygon mesh. Vertices are in the file's order; corners have their own texture coordinates and
 *  normals, as in OBJ. Owned by its creator; free it with hed_cloth_mesh_free(). */
typedef struct hed_cloth_mesh {
    uint32_t vertex_count;
    float *positions;      /**< (vertex_count x 3) */
    float *vertex_colours; /**< (vertex_count x 4) RGBA 0 to 1; NULL: none */
    uint32_t face_count;
    uint32_t *face_at; /**< (face_count + 1) first corner of each face */
    uint32_t *corners; /**< (face_at[face_count]) vertices */
    uint32_t texture_count, normal_count;
    float *textures; /**< (texture_count x 2) */
    float *normals;  /**< (normal_count x 3) */
    /** index for each corner; UINT32_MAX: none; NULL: no texture coordinates */
    uint32_t *corner_textures;
    uint32_t *corner_normals; /**< index for each corner; UINT32_MAX: none; NULL: no normals */
    uint32_t material_count, group_count;
    hed_cloth_mesh_span *materials; /**< (material_count) usemtl */
    hed_cloth_mesh_span *groups;    /**< (group_count) o and g */
    char *material_library;         /**< mtllib; NULL: none */
    /** skipped contents of the file, one line for the user; NULL: nothing */
    char *warning;
} hed_cloth_mesh;

/** Reads a mesh file, whose format follows from its ending, else from its content. Vertices stay in
 *  the file's order. Several meshes (glTF, Alembic, FBX) follow each other in the order of the
 *  scene's nodes, each transformed by its node, a group for each. STL has only positions: equal
 *  ones become one vertex, in the order in which they first appear. hed_cloth_mesh_weld() finds
 *  further equal particles. Coordinates are not scaled to a unit, and axes are not turned.
 *  Errors: IO, FORMAT (file, line, the text expected), LIMIT, MEMORY, UNSUPPORTED (a format that
 *  needs assimp, in a build without it). */
HED_API hed_status hed_cloth_mesh_read(const char *path, hed_cloth_mesh *mesh, hed_error *error);
/** Reads an OBJ mesh from memory; `name` replaces the path in messages.
 *  Errors: FORMAT (name, line, the text expected), LIMIT, MEMORY. */
HED_API hed_status hed_cloth_mesh_parse_obj(
    const char *text, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error);
/** Frees all arrays and clears the mesh. */
HED_API void hed_cloth_mesh_free(hed_cloth_mesh *mesh);

/** Kind of a fault in a mesh. */
typedef enum hed_cloth_mesh_fault {
    HED_CLOTH_MESH_NOT_FINITE, /**< a coordinate is NaN or infinite */
    /** a face with the index of a vertex, texture coordinate or normal that does not exist */
    HED_CLOTH_MESH_BAD_INDEX,
    HED_CLOTH_MESH_DEGENERATE_FACE,   /**< a vertex twice, or no area */
    HED_CLOTH_MESH_DUPLICATE_FACE,    /**< the same corners as another face */
    HED_CLOTH_MESH_NON_MANIFOLD_EDGE, /**< an edge of more than two faces */
    /** an edge with the same direction in two faces */
    HED_CLOTH_MESH_INCONSISTENT_WINDING,
    HED_CLOTH_MESH_LOOSE_VERTEX, /**< a vertex of no face */
    HED_CLOTH_MESH_FAULT_COUNT
} hed_cloth_mesh_fault;

/** Returns a phrase for a kind of fault. */
HED_API const char *hed_cloth_mesh_fault_name(hed_cloth_mesh_fault fault);

/** Number of faults of each kind, and the first one (face, vertex or, for edges, first face). */
typedef struct hed_cloth_mesh_check {
    uint32_t count[HED_CLOTH_MESH_FAULT_COUNT];
    uint32_t first[HED_CLOTH_MESH_FAULT_COUNT];
} hed_cloth_mesh_check;

/** Counts the faults of a mesh. Errors: MEMORY. */
HED_API hed_status hed_cloth_mesh_inspect(
    const hed_cloth_mesh *mesh, hed_cloth_mesh_check *check, hed_error *error);
/** Checks that cloth can be made of a mesh. Loose vertices, winding, and edges of more than two
 *  faces (pockets, fins) are no obstacle.
 *  Errors: FORMAT (the first fault with its place: "face 12 of vertices 3, 3, 7 (in the file's
 *  order, counted from 1) ..."), MEMORY. */
HED_API hed_status hed_cloth_mesh_require_sound(
    const char *name, const hed_cloth_mesh *mesh, hed_error *error);
/** Removes degenerate and duplicate faces; a corner that repeats the one before it is removed alone
 *  if a face remains. Vertices stay, in order, and so do all faces at an edge of more than two.
 *  `*removed` receives the number of removed faces.
 *  Errors: MEMORY; FORMAT if mending is not safe (NaN, bad indices). */
HED_API hed_status hed_cloth_mesh_mend(hed_cloth_mesh *mesh, uint32_t *removed, hed_error *error);

/** Finds vertices within `distance` of each other, which are one particle. `particle_of`
 *  (vertex_count) receives numbers from 0 in order of first appearance, `*particle_count` their
 *  count. Two ends of one face are never welded.
 *  Errors: MEMORY. */
HED_API hed_status hed_cloth_mesh_weld(const hed_cloth_mesh *mesh, float distance,
    uint32_t *particle_of, uint32_t *particle_count, hed_error *error);
/** True if vertices are the rows of a regular grid of quads, row after row (width x height); false
 *  too if memory runs out. */
HED_API bool hed_cloth_mesh_is_grid(const hed_cloth_mesh *mesh, uint32_t *width, uint32_t *height);

/** Writes an OBJ file. `positions` and `normals` (vertex_count x 3) replace the mesh's own; NULL:
 *  the mesh's. Order, texture coordinates, materials and groups are the mesh's. The file appears
 *  whole or not at all.
 *  Errors: IO, MEMORY, ARGUMENT (a position that is not finite). */
HED_API hed_status hed_cloth_mesh_save_obj(const hed_cloth_mesh *mesh, const char *path,
    const float *positions, const float *normals, hed_error *error);
/** Writes a binary PLY file with a colour for each vertex. `colours`: (vertex_count x 4) bytes
 *  RGBA; NULL: the mesh's own, if any.
 *  Errors: as hed_cloth_mesh_save_obj(). */
HED_API hed_status hed_cloth_mesh_save_ply(const hed_cloth_mesh *mesh, const char *path,
    const float *positions, const uint8_t *colours, hed_error *error);
/** Facts that a file has beside the positions: for hed_cloth_mesh_save_glb(),
 *  hed_cloth_mesh_save_glb_frames(), hed_cloth_mesh_save_usd_frames() and
 *  hed_cloth_mesh_save_alembic_frames(). */
typedef struct hed_cloth_stage {
    /** name of the mesh, not NULL; characters that the format lacks become "_"; not in glTF */
    const char *name;
    double rate; /**< frames a second, above 0 */
    double unit; /**< metres of a unit of the positions, above 0; not in Alembic */
    uint32_t up; /**< vertical axis: 0 x, which USD lacks, 1 y, 2 z */
} hed_cloth_stage;

/** Writes one frame as a binary glTF 2.0 file: triangles, a primitive for each material. Its first
 *  vertex_count vertices are the mesh's; after them come those with further texture coordinates or
 *  normals. The numbers are the positions; the file's node turns and scales them to metres, y up,
 *  as glTF requires, by `unit` and `up` of `stage` (NULL: they are). hed_cloth_mesh_read() ignores
 *  this node, so it reads the positions as they were.
 *  Errors: as hed_cloth_mesh_save_obj(), ARGUMENT (no face, a number of `stage` out of its range),
 *  LIMIT (4 GiB). */
HED_API hed_status hed_cloth_mesh_save_glb(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, const float *normals, hed_error *error);

/** Writes all frames as a binary glTF 2.0 file with an animation. Frame 0 is the mesh, every
 *  further one a morph target (POSITION and NORMAL, of vertices alone), and an animation "cloth"
 *  blends from one to the next, at the rate of `stage`. Blender reads the targets as shape keys. 24
 *  bytes for each vertex and frame. `positions`: (frame_count x vertex_count x 3).
 *  Errors: as hed_cloth_mesh_save_glb(); ARGUMENT (no frame). */
HED_API hed_status hed_cloth_mesh_save_glb_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error);

/** Writes all frames as Universal Scene Description in text (.usda): a mesh whose points, normals
 *  and extent have a time sample for each frame, from time code 0 on, with its polygons and texture
 *  coordinates unchanged. Houdini, Maya and Blender read it.
 *  `positions`: (frame_count x vertex_count x 3).
 *  Errors: IO, MEMORY, ARGUMENT (no frame, a position that is not finite, a number of `stage` out
 *  of its range). */
HED_API hed_status hed_cloth_mesh_save_usd_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error);

/** Writes all frames as an Alembic cache (.abc, in its core Ogawa): a mesh with its polygons and
 *  texture coordinates below a transform that changes nothing, with a sample of points, normals and
 *  bounds for each frame, from time 0 on. Its vertical axis is y, as in all such files, so
 *  positions of another axis are turned; their unit stays. Blender, Houdini and Maya read it.
 *  `positions`: (frame_count x vertex_count x 3).
 *  Errors: IO (a pipe too), MEMORY, ARGUMENT (as hed_cloth_mesh_save_usd_frames()). */
HED_API hed_status hed_cloth_mesh_save_alembic_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error);

/* ---- point caches ---- */

/** A PC2 file being written: positions of all vertices for each frame, as Blender's Mesh Cache
 *  modifier reads it. Every finished frame is readable at any moment: the count in the header is
 *  updated after the data. */
typedef struct hed_cloth_pc2 hed_cloth_pc2;

/** Creates a PC2 file. Errors: IO, MEMORY, ARGUMENT (no vertex). */
HED_API hed_status hed_cloth_pc2_create(const char *path, uint32_t vertex_count, float start,
    float sampling, hed_cloth_pc2 **cache, hed_error *error);
/** Opens a PC2 file to append after its last whole frame; `*frames` receives their number.
 *  Errors: IO, FORMAT (no PC2, other vertex count), ARGUMENT (no vertex), MEMORY. */
HED_API hed_status hed_cloth_pc2_resume(const char *path, uint32_t vertex_count,
    hed_cloth_pc2 **cache, uint32_t *frames, hed_error *error);
/** Truncates a PC2 file to `frames` frames. Errors: IO, ARGUMENT (it has fewer). */
HED_API hed_status hed_cloth_pc2_cut(hed_cloth_pc2 *cache, uint32_t frames, hed_error *error);
/** Appends a frame, (vertex_count x 3). After a failure (a full disk) the frames before it stay
 *  readable.
 *  Errors: IO, ARGUMENT (not finite), LIMIT (2^31 - 1 frames). */
HED_API hed_status hed_cloth_pc2_add(
    hed_cloth_pc2 *cache, const float *positions, hed_error *error);
/** Closes a PC2 file durably. NULL is allowed. Errors: IO. */
HED_API hed_status hed_cloth_pc2_close(hed_cloth_pc2 *cache, hed_error *error);

/** Content of a PC2 file. */
typedef struct hed_cloth_pc2_data {
    uint32_t vertex_count, frame_count;
    float start, sampling;
    float *positions; /**< (frame_count x vertex_count x 3) */
} hed_cloth_pc2_data;
/** Reads a PC2 file. Errors: IO, FORMAT, LIMIT, MEMORY. */
HED_API hed_status hed_cloth_pc2_read(const char *path, hed_cloth_pc2_data *data, hed_error *error);
/** Frees the content of a PC2 file. */
HED_API void hed_cloth_pc2_free(hed_cloth_pc2_data *data);

/* ---- animated characters ---- */

/** Samples the vertex positions of a glTF file over time, in the order of hed_cloth_mesh_read():
 *  nodes moved by an animation (translation, rotation, scale; STEP, LINEAR, CUBICSPLINE), and skins
 *  bent by their joints (JOINTS_n and WEIGHTS_n; linear blending, by the glTF 2.0 specification,
 *  chapters 3.7.3 and 3.11). Morph targets have their weights. `animation`: a name; NULL: any.
 *  Animations of this name that move the mesh act together, as a skeleton's and one of weights;
 *  one with a target of an earlier one is another clip, and is skipped. Samples are evenly spaced
 *  from time 0 to the animation's end, about `rate` a second; `sampling` receives rate * (seconds
 *  from one sample to the next).
 *  Errors: IO, FORMAT (path inside the document, the value expected), ARGUMENT (no such animation:
 *  the text names the existing ones; a rate that is not above 0), LIMIT (over 2^31 numbers),
 *  MEMORY. */
HED_API hed_status hed_cloth_gltf_sample(const char *path, const char *animation, double rate,
    hed_cloth_pc2_data *samples, hed_error *error);

/** Samples the vertex positions of an Alembic cache (.abc, in its core Ogawa) over time, in the
 *  order of hed_cloth_mesh_read(), placed by the transforms above them. Samples are the file's own
 *  if all that moves has the same times in even steps, else evenly spaced, about `rate` a second;
 *  the first one is the file's first, at whatever time. `sampling` receives rate * (seconds from
 *  one sample to the next).
 *  Errors: IO, FORMAT (byte, the thing expected; faces that change), ARGUMENT (a rate that is not
 *  above 0), LIMIT (over 2^31 numbers), MEMORY. */
HED_API hed_status hed_cloth_alembic_sample(
    const char *path, double rate, hed_cloth_pc2_data *samples, hed_error *error);

HED_END

#endif
