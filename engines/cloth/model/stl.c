/* Reading STL (3D Systems, StereoLithography Interface Specification, 1989), text and binary. The
 * format knows facets alone, each with three places of its own; corners at exactly the same place
 * are made one vertex here, numbered in the order in which they first appear. Facets' normals are
 * not kept: they say nothing that the corners do not. */
#include "model/mesh.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    HEAD_BYTES = 84, /* of a binary file: 80 of anything, then the number of facets */
    FACET_BYTES = 50,
    LARGEST_COUNT = 0x55555554, /* so that corners can be counted in 32 bits */
};

typedef struct reader {
    const char *at, *end;
    const char *name;
    uint64_t line;
    hed_error *error;
    cloth_list places; /* rows of 3 floats, three for each facet */
    cloth_list solids; /* hed_cloth_mesh_span */
    char *warning;
} reader;

static hed_status stl_no_memory(const reader *r)
{
    return hed_fail(r->error, HED_ERROR_MEMORY, "out of memory while reading %s", r->name);
}

/* ---- text ---- */

/* Blanks and line ends alike: files are found with a facet in one line. */
static void stl_skip_space(reader *r)
{
    for (; r->at < r->end && (*r->at == ' ' || (*r->at >= '\t' && *r->at <= '\r')); r->at++)
        r->line += *r->at == '\n';
}

static size_t stl_word_length(const reader *r)
{
    const char *at = r->at;
    while (at<r->end && * at> ' ') at++;
    return (size_t)(at - r->at);
}

static bool stl_take_word(reader *r, const char *word)
{
    stl_skip_space(r);
    size_t length = strlen(word);
    if (stl_word_length(r) != length || strncasecmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static hed_status stl_expected(const reader *r, const char *what)
{
    int length = (int)(stl_word_length(r) < 20 ? stl_word_length(r) : 20);
    for (int i = 0; i < length; i++)
        if (r->at[i] > '~') length = i;
    if (length == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%llu: found %s, expected %s", r->name,
            (unsigned long long)r->line, r->at == r->end ? "the end of the file" : "no text", what);
    return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%llu: found \"%.*s\", expected %s", r->name,
        (unsigned long long)r->line, length, r->at, what);
}

static hed_status read_words(reader *r, const char *const *words)
{
    for (; *words; words++)
        if (!stl_take_word(r, *words)) return stl_expected(r, *words);
    return HED_OK;
}

static hed_status stl_read_place(reader *r)
{
    float place[3];
    if (!stl_take_word(r, "vertex")) return stl_expected(r, "vertex");
    for (int k = 0; k < 3; k++) {
        stl_skip_space(r);
        const char *behind = cloth_read_number(r->at, r->end, &place[k]);
        if (!behind || (size_t)(behind - r->at) != stl_word_length(r) || !isfinite(place[k]))
            return stl_expected(r, "a finite number");
        r->at = behind;
    }
    float *row = cloth_list_add(&r->places);
    if (!row) return stl_no_memory(r);
    memcpy(row, place, sizeof place);
    return HED_OK;
}

/* Behind the word facet. Its normal may be anything, "nan" too: it is not used. */
static hed_status read_facet(reader *r)
{
    static const char *const opening[] = {"outer", "loop", NULL}, *const closing[] = {
                                                                      "endloop", "endfacet", NULL};
    if (!stl_take_word(r, "normal")) return stl_expected(r, "normal");
    for (int k = 0; k < 3; k++) {
        stl_skip_space(r);
        if (stl_word_length(r) == 0) return stl_expected(r, "the facet's normal");
        r->at += stl_word_length(r);
    }
    hed_status status = read_words(r, opening);
    for (int k = 0; k < 3 && status == HED_OK; k++) status = stl_read_place(r);
    if (status == HED_OK) status = read_words(r, closing);
    if (status == HED_OK && r->places.count / 3 > LARGEST_COUNT)
        status =
            hed_fail(r->error, HED_ERROR_LIMIT, "%s: more than %d facets", r->name, LARGEST_COUNT);
    return status;
}

/* The rest of the line behind "solid". */
static hed_status begin_solid(reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at != '\n' && *r->at != '\r') r->at++;
    const char *to = r->at;
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    hed_cloth_mesh_span *span = cloth_list_add(&r->solids);
    if (!span) return stl_no_memory(r);
    *span = (hed_cloth_mesh_span){
        strndup(from, (size_t)(to - from)), (uint32_t)(r->places.count / 3), true};
    return span->name ? HED_OK : stl_no_memory(r);
}

static hed_status read_text(reader *r)
{
    for (;;) {
        if (!stl_take_word(r, "solid"))
            return r->solids.count > 0 && r->at == r->end ? HED_OK : stl_expected(r, "solid");
        hed_status status = begin_solid(r);
        while (status == HED_OK && stl_take_word(r, "facet")) status = read_facet(r);
        if (status != HED_OK) return status;
        if (!stl_take_word(r, "endsolid")) return stl_expected(r, "facet or endsolid");
        while (r->at < r->end && *r->at != '\n') r->at++; /* its name again */
    }
}

/* ---- binary ---- */

static uint32_t facet_count(const reader *r)
{
    uint32_t count;
    memcpy(&count, r->at + HEAD_BYTES - sizeof count, sizeof count);
    return count;
}

static hed_status read_binary(reader *r)
{
    uint64_t size = (uint64_t)(r->end - r->at), count = facet_count(r);
    if (count > (size - HEAD_BYTES) / FACET_BYTES)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s is cut, or no STL: expected %llu facets of 50 bytes behind the first 84, found %llu bytes",
            r->name, (unsigned long long)count, (unsigned long long)size - HEAD_BYTES);
    if (count > LARGEST_COUNT)
        return hed_fail(
            r->error, HED_ERROR_LIMIT, "%s: more than %d facets", r->name, LARGEST_COUNT);
    uint64_t behind = size - HEAD_BYTES - count * FACET_BYTES;
    if (behind > 0 && asprintf(&r->warning, "%s: %llu bytes behind its last facet were skipped",
                          r->name, (unsigned long long)behind) < 0) {
        r->warning = NULL;
        return stl_no_memory(r);
    }
    r->places.rows = malloc(count * 9 * sizeof(float) + 1);
    if (!r->places.rows) return stl_no_memory(r);
    float *to = r->places.rows;
    for (uint64_t i = 0; i < count; i++, to += 9) {
        /* behind its normal */
        memcpy(to, r->at + HEAD_BYTES + i * FACET_BYTES + 12, 9 * sizeof(float));
        for (int k = 0; k < 9; k++)
            if (!isfinite(to[k]))
                return hed_fail(r->error, HED_ERROR_FORMAT,
                    "%s: facet %llu (counted from 1): found a coordinate that is not finite",
                    r->name, (unsigned long long)i + 1);
    }
    r->places.count = 3 * count;
    return HED_OK;
}

/* ---- vertices ---- */

/* Makes one vertex of corners at the same place. A facet of which two corners are at one place
 * keeps both. */
static hed_status stl_weld(reader *r, hed_cloth_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, *vertex_of = malloc(count * sizeof *vertex_of),
             vertices = 0;
    if (!vertex_of) return stl_no_memory(r);
    hed_status status = hed_cloth_mesh_weld(mesh, 0, vertex_of, &vertices, r->error);
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
    uint32_t corners = (uint32_t)r->places.count;
    *mesh = (hed_cloth_mesh){.vertex_count = corners,
        .face_count = corners / 3,
        .positions = r->places.rows,
        .warning = r->warning};
    mesh->groups = r->solids.rows;
    mesh->group_count = (uint32_t)r->solids.count;
    if (corners == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s: found no facet in it", r->name);
    mesh->corners = malloc(corners * sizeof *mesh->corners);
    mesh->face_at = malloc((mesh->face_count + 1) * sizeof *mesh->face_at);
    if (!mesh->corners || !mesh->face_at) return stl_no_memory(r);
    for (uint32_t i = 0; i < corners; i++) mesh->corners[i] = i;
    for (uint32_t i = 0; i <= mesh->face_count; i++) mesh->face_at[i] = 3 * i;
    return stl_weld(r, mesh);
}

hed_status cloth_stl_parse(
    const char *name, const char *bytes, size_t size, hed_cloth_mesh *mesh, hed_error *error)
{
    reader r = {.at = bytes, .end = bytes + size, .name = name, .line = 1, .error = error};
    r.places.size = 3 * sizeof(float);
    r.solids.size = sizeof(hed_cloth_mesh_span);
    /* Binary files may begin with "solid", too: then their size says what they are. */
    bool text = size >= 5 && strncasecmp(bytes, "solid", 5) == 0;
    if (text && size >= HEAD_BYTES && size == HEAD_BYTES + (uint64_t)facet_count(&r) * FACET_BYTES)
        text = false;
    hed_status status;
    if (!text && size < HEAD_BYTES)
        status = hed_fail(error, HED_ERROR_FORMAT,
            "%s is no STL file: expected \"solid\", or 84 bytes and facets", name);
    else status = text ? read_text(&r) : read_binary(&r);
    hed_status made = HED_OK;
    if (status == HED_OK) made = make_mesh(&r, mesh);
    else {
        *mesh = (hed_cloth_mesh){
            .positions = r.places.rows, .groups = r.solids.rows, .warning = r.warning};
        mesh->group_count = (uint32_t)r.solids.count;
    }
    if (status == HED_OK) status = made;
    if (status != HED_OK) hed_cloth_mesh_free(mesh);
    return status;
}
