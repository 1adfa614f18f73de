/* Reader of STL (3D Systems, StereoLithography Interface Specification, 1989), text and binary.
 * The format has only facets, each with three positions of its own; corners at exactly the same
 * position become one vertex here, numbered in the order of first appearance. Facets' normals
 * are not kept: the corners determine them. */
#include "files/mesh_file.h"

#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    HEAD_BYTES = 84, /* head of a binary file: 80 arbitrary bytes, then the number of facets */
    FACET_BYTES = 50,
    LARGEST_COUNT = 0x55555554, /* limit that keeps the number of corners in 32 bits */
};

typedef struct reader {
    cloth_reader text;
    cloth_rows rows; /* three positions for each facet; groups: solids */
    char *warning;
} reader;

/* ---- text ---- */

/* Skips blanks and line ends, as some files have a facet in one line. */
static void stl_skip_space(cloth_reader *r)
{
    for (; r->at < r->end && (*r->at == ' ' || (*r->at >= '\t' && *r->at <= '\r')); r->at++)
        r->line += *r->at == '\n';
}

static bool stl_take_word(cloth_reader *r, const char *word)
{
    stl_skip_space(r);
    size_t length = strlen(word);
    if (cloth_reader_word(r) != length || strncasecmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static hed_status read_words(reader *r, const char *const *words)
{
    for (; *words; words++)
        if (!stl_take_word(&r->text, *words)) return cloth_reader_expected(&r->text, *words);
    return HED_OK;
}

static hed_status stl_read_place(reader *r)
{
    float place[3];
    if (!stl_take_word(&r->text, "vertex")) return cloth_reader_expected(&r->text, "vertex");
    for (int k = 0; k < 3; k++) {
        stl_skip_space(&r->text);
        const char *number_end = cloth_read_number(r->text.at, r->text.end, &place[k]);
        if (!number_end || (size_t)(number_end - r->text.at) != cloth_reader_word(&r->text) ||
            !isfinite(place[k]))
            return cloth_reader_expected(&r->text, "a finite number");
        r->text.at = number_end;
    }
    float *row = cloth_reader_add(&r->text, &r->rows.elements[CLOTH_POSITION]);
    if (!row) return HED_ERROR_MEMORY;
    memcpy(row, place, sizeof place);
    return HED_OK;
}

/* Reads a facet after the word facet. Its normal may be anything, even "nan": it is not used. */
static hed_status read_facet(reader *r)
{
    static const char *const opening[] = {"outer", "loop", NULL}, *const closing[] = {
                                                                      "endloop", "endfacet", NULL};
    if (!stl_take_word(&r->text, "normal")) return cloth_reader_expected(&r->text, "normal");
    for (int k = 0; k < 3; k++) {
        stl_skip_space(&r->text);
        if (cloth_reader_word(&r->text) == 0)
            return cloth_reader_expected(&r->text, "the facet's normal");
        r->text.at += cloth_reader_word(&r->text);
    }
    hed_status status = read_words(r, opening);
    for (int k = 0; k < 3 && status == HED_OK; k++) status = stl_read_place(r);
    if (status == HED_OK) status = read_words(r, closing);
    if (status == HED_OK && r->rows.elements[CLOTH_POSITION].count / 3 > LARGEST_COUNT)
        status = hed_fail(
            r->text.error, HED_ERROR_LIMIT, "%s: more than %d facets", r->text.name, LARGEST_COUNT);
    return status;
}

static hed_status read_text(reader *r)
{
    cloth_reader *t = &r->text;
    for (;;) {
        if (!stl_take_word(t, "solid"))
            return r->rows.groups.count > 0 && t->at == t->end ? HED_OK
                                                               : cloth_reader_expected(t, "solid");
        const char *from = t->at; /* name of the solid: the remainder of the line */
        while (t->at < t->end && *t->at != '\n' && *t->at != '\r') t->at++;
        hed_cloth_mesh_span *span = cloth_reader_add(t, &r->rows.groups);
        if (!span) return HED_ERROR_MEMORY;
        uint32_t facets = (uint32_t)(r->rows.elements[CLOTH_POSITION].count / 3);
        *span = (hed_cloth_mesh_span){cloth_reader_copy(t, from), facets, true};
        if (!span->name) return HED_ERROR_MEMORY;
        while (stl_take_word(t, "facet"))
            if (read_facet(r)) return t->error->status;
        if (!stl_take_word(t, "endsolid")) return cloth_reader_expected(t, "facet or endsolid");
        while (t->at < t->end && *t->at != '\n') t->at++; /* name again */
    }
}

/* ---- binary ---- */

static uint32_t facet_count(const reader *r)
{
    uint32_t count;
    memcpy(&count, r->text.at + HEAD_BYTES - sizeof count, sizeof count);
    return count;
}

static hed_status read_binary(reader *r)
{
    uint64_t size = (uint64_t)(r->text.end - r->text.at), count = facet_count(r);
    if (count > (size - HEAD_BYTES) / FACET_BYTES)
        return hed_fail(r->text.error, HED_ERROR_FORMAT,
            "%s is cut, or no STL: expected %" PRIu64
            " facets of 50 bytes behind the first 84, found %" PRIu64 " bytes",
            r->text.name, count, size - HEAD_BYTES);
    if (count > LARGEST_COUNT)
        return hed_fail(
            r->text.error, HED_ERROR_LIMIT, "%s: more than %d facets", r->text.name, LARGEST_COUNT);
    uint64_t excess = size - HEAD_BYTES - count * FACET_BYTES;
    if (excess > 0 &&
        asprintf(&r->warning, "%s: %" PRIu64 " bytes behind its last facet were skipped",
            r->text.name, excess) < 0) {
        r->warning = NULL;
        return cloth_reader_starve(&r->text);
    }
    r->rows.elements[CLOTH_POSITION].rows = malloc(count * 9 * sizeof(float) + 1);
    if (!r->rows.elements[CLOTH_POSITION].rows) return cloth_reader_starve(&r->text);
    float *to = r->rows.elements[CLOTH_POSITION].rows;
    for (uint64_t i = 0; i < count; i++, to += 9) {
        /* after its normal */
        memcpy(to, r->text.at + HEAD_BYTES + i * FACET_BYTES + 12, 9 * sizeof(float));
        for (int k = 0; k < 9; k++)
            if (!isfinite(to[k]))
                return hed_fail(r->text.error, HED_ERROR_FORMAT,
                    "%s: facet %" PRIu64 " (counted from 1): found a coordinate that is not finite",
                    r->text.name, i + 1);
    }
    r->rows.elements[CLOTH_POSITION].count = 3 * count;
    return HED_OK;
}

/* ---- vertices ---- */

/* Makes one vertex of corners at the same position. A facet with two corners at one position
 * keeps both corners. */
static hed_status stl_weld(reader *r, hed_cloth_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, *vertex_of = malloc(count * sizeof *vertex_of),
             vertices = 0;
    if (!vertex_of) return cloth_reader_starve(&r->text);
    hed_status status = hed_cloth_mesh_weld(mesh, 0, vertex_of, &vertices, r->text.error);
    for (uint32_t i = 0, next = 0; i < count && status == HED_OK; i++) {
        if (vertex_of[i] == next)
            memmove(mesh->positions + 3 * (size_t)next++, mesh->positions + 3 * (size_t)i,
                3 * sizeof(float));
        mesh->corners[i] = vertex_of[i];
    }
    free(vertex_of);
    if (status != HED_OK) return status;
    mesh->vertex_count = vertices;
    float *smaller = realloc(mesh->positions, vertices * 3 * sizeof *smaller);
    if (smaller) mesh->positions = smaller;
    return HED_OK;
}

static hed_status make_mesh(reader *r, hed_cloth_mesh *mesh)
{
    uint32_t corners = mesh->vertex_count;
    if (corners == 0)
        return hed_fail(r->text.error, HED_ERROR_FORMAT, "%s: found no facet in it", r->text.name);
    mesh->face_count = corners / 3;
    mesh->corners = malloc(corners * sizeof *mesh->corners);
    mesh->face_at = malloc((mesh->face_count + 1) * sizeof *mesh->face_at);
    if (!mesh->corners || !mesh->face_at) return cloth_reader_starve(&r->text);
    for (uint32_t i = 0; i < corners; i++) mesh->corners[i] = i;
    for (uint32_t i = 0; i <= mesh->face_count; i++) mesh->face_at[i] = 3 * i;
    return stl_weld(r, mesh);
}

hed_status cloth_stl_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    hed_error local_error = {0};
    if (!error) error = &local_error;
    reader r = {{bytes, bytes + size, name, 1, error}, .rows = cloth_rows_empty()};
    /* Binary files may begin with "solid", too: their size distinguishes them. */
    bool text = size >= 5 && strncasecmp(bytes, "solid", 5) == 0;
    if (text && size >= HEAD_BYTES && size == HEAD_BYTES + (uint64_t)facet_count(&r) * FACET_BYTES)
        text = false;
    if (!text && size < HEAD_BYTES)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s is no STL file: expected \"solid\", or 84 bytes and facets", name);
    else if (text) read_text(&r);
    else read_binary(&r);
    cloth_rows_take(&r.rows, (const bool[CLOTH_CORNER_KINDS]){false}, mesh);
    mesh->warning = r.warning;
    if (error->status || make_mesh(&r, mesh)) hed_cloth_mesh_free(mesh);
    return error->status;
}
