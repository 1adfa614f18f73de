/* Mesh files: functions common to all formats (a list that grows, text written in pieces), and
 * each format's functions. */
#ifndef CLOTH_MESH_FILE_H
#define CLOTH_MESH_FILE_H

#include "model/mesh.h"
#include "support/file.h"
#include <stddef.h>

/* ---- numbers in text files ----
 *
 * With a decimal point in every locale, correctly rounded, and quick enough for millions. */

/* Returns a limit of bytes as hed_file_read() takes it: where a size has 32 bits, at most all of
 * it. */
static inline size_t cloth_file_limit(uint64_t bytes)
{
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* maximum of bytes that cloth_write_number() writes, the final zero included */
enum { CLOTH_NUMBER_TEXT = 24 };

/* Reads a number such as -1.5e3 at `at`; returns the position after it, NULL: no number. A
 * number too large becomes an infinity. */
const char *cloth_read_number(const char *at, const char *end, float *value);
/* Writes the shortest of 7, 8 or 9 digits that read back as the same float; returns its length.
 * `value` is finite. */
size_t cloth_write_number(char *text, float value);

/* PC2, PLY and GLB are little-endian, and are written directly from memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "files are written from memory, which has to be little-endian");

/* ---- lists ---- */

/* List of rows of `size` bytes. Start from {.size = ...}. */
typedef struct cloth_list {
    void *rows;
    size_t size, count, capacity;
} cloth_list;

/* Makes space for one more row; false if memory runs out. */
bool cloth_list_grow(cloth_list *list);

/* Appends a row, not yet filled; NULL if memory runs out. */
static inline void *cloth_list_add(cloth_list *list)
{
    if (list->count == list->capacity && !cloth_list_grow(list)) return NULL;
    return (char *)list->rows + list->size * list->count++;
}

/* ---- the rows of a mesh that is read ---- */

/* Indices of a corner, in the order of OBJ's slashes. */
enum { CLOTH_POSITION, CLOTH_TEXTURE, CLOTH_NORMAL, CLOTH_CORNER_KINDS };

typedef struct cloth_rows {
    cloth_list elements[CLOTH_CORNER_KINDS]; /* rows of 3, 2, 3 floats */
    /* rows of 4; empty until the first vertex with a colour */
    cloth_list colours;
    cloth_list corners[CLOTH_CORNER_KINDS]; /* words */
    cloth_list face_at;                     /* words */
    cloth_list materials, groups;           /* hed_cloth_mesh_span */
} cloth_rows;

/* Makes empty rows. */
cloth_rows cloth_rows_empty(void);
/* Moves all rows to a mesh; textures and normals of corners only if `used` is set for them. */
void cloth_rows_take(cloth_rows *rows, const bool *used, hed_cloth_mesh *mesh);

/* ---- reading text ---- */

/* Text that is read. The first error is kept in `error`. */
typedef struct cloth_reader {
    const char *at, *end;
    const char *name; /* name of the file, for messages */
    uint64_t line;
    hed_error *error; /* not NULL */
} cloth_reader;

/* Counts the bytes up to the next white space. */
size_t cloth_reader_word(const cloth_reader *reader);
/* Copies the text from `from` to the current position, without blanks around it; NULL: an error
 * is recorded. */
char *cloth_reader_copy(const cloth_reader *reader, const char *from);
/* Records an error: FORMAT with the position, the word found there and the expected one; MEMORY. */
hed_status cloth_reader_expected(const cloth_reader *reader, const char *what);
hed_status cloth_reader_starve(const cloth_reader *reader);

/* Appends a row to a list; NULL: an error is recorded. */
static inline void *cloth_reader_add(const cloth_reader *reader, cloth_list *list)
{
    void *row = cloth_list_add(list);
    if (!row) cloth_reader_starve(reader);
    return row;
}

/* Appends a row to a list of words. */
static inline hed_status cloth_reader_push(
    const cloth_reader *reader, cloth_list *list, uint32_t word)
{
    uint32_t *row = cloth_reader_add(reader, list);
    if (!row) return HED_ERROR_MEMORY;
    *row = word;
    return HED_OK;
}

/* Computes vertex normals of length 1 from the faces around each vertex, weighted by area
 * (glb.c). */
void cloth_mesh_normals(const hed_cloth_mesh *mesh, const float *positions, float *normals);

/* ---- writing text ---- */

/* Text that is written to a file, in large pieces. */
typedef struct cloth_text {
    hed_file_writer *writer;
    size_t used;
    char bytes[1 << 16];
} cloth_text;

hed_status cloth_text_open(const char *path, cloth_text **text, hed_error *error);
/* Writes the remaining text and frees `text`. */
hed_status cloth_text_close(cloth_text *text, hed_error *error);
void cloth_text_put(cloth_text *text, const char *bytes, size_t size);
void cloth_text_words(cloth_text *text, const char *words);
/* Writes numbers with a blank before each, and a newline after the last. */
void cloth_text_row(cloth_text *text, const float *numbers, uint32_t count);
void cloth_text_integer(cloth_text *text, uint64_t number);
void cloth_text_flush(cloth_text *text);

/* ---- writing meshes ---- */

/* Checks that all of `positions` can be written. Errors: ARGUMENT (names the vertex). */
hed_status cloth_mesh_require_finite(
    const char *path, const float *positions, uint32_t vertex_count, hed_error *error);
/* Checks that all frames of a stage can be written. Errors: ARGUMENT. */
hed_status cloth_mesh_require_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error);

/* ---- formats beyond OBJ ---- */

/* Finds "#NODE" in the path of a file with nodes, such as character.glb#dress and scene.abc#body;
 * NULL: no node is named. */
const char *cloth_node_in(const char *path);
/* True if a path, with or without a node, ends with `ending` (".glb"), in any case. */
bool cloth_path_ends(const char *path, const char *ending);

/* PLY, STL and glTF from memory; `name` replaces the file in messages. glTF may name files in
 * `folder` ("" or ending with '/'; NULL: no file is read). Errors: FORMAT, LIMIT, MEMORY; IO (a
 * file that glTF names). */
hed_status cloth_ply_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error);
hed_status cloth_stl_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error);
/* Does the work of hed_cloth_gltf_sample() from memory. */
hed_status cloth_gltf_sample(const char *name, const char *bytes, size_t size, const char *folder,
    const char *animation, double rate, hed_cloth_pc2_data *samples, hed_error *error);
hed_status cloth_gltf_parse(const char *name, const char *bytes, size_t size, const char *folder,
    hed_cloth_mesh *mesh, hed_error *error);
/* Reads an Alembic cache from memory: its meshes at their first sample, or their positions at all
 * samples, as hed_cloth_alembic_sample(). Errors: FORMAT, LIMIT, MEMORY, ARGUMENT (a rate that is
 * not above 0). */
hed_status cloth_alembic_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error);
hed_status cloth_alembic_sample(const char *name, const char *bytes, size_t size, double rate,
    hed_cloth_pc2_data *samples, hed_error *error);

/* True if files with this ending (without the dot, any case) are read through assimp; in a build
 * without assimp: if they would be. */
bool cloth_assimp_reads(const char *ending);
/* Reads a file through assimp. Errors: UNSUPPORTED (a build without assimp), FORMAT (assimp's
 * words), LIMIT, MEMORY. */
hed_status cloth_assimp_read(const char *path, hed_cloth_mesh *mesh, hed_error *error);

/* Reads a point cache from memory. Errors: FORMAT, MEMORY. */
hed_status cloth_pc2_parse(
    const char *name, const void *bytes, size_t size, hed_cloth_pc2_data *data, hed_error *error);

#endif
