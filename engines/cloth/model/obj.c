/* Reading Wavefront OBJ: v (with colours behind the coordinates, as MeshLab and others write them),
 * vt, vn, f, o, g, usemtl, mtllib. Vertices stay in the file's order. Format: Wavefront's "Object
 * Files", appendix B1 of the Advanced Visualizer manual. */
#include "model/mesh.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSITION,
    TEXTURE,
    NORMAL,
    KINDS, /* what a corner names, in the order of its slashes */
};

static const char *const kind_words[KINDS] = {"vertex", "texture coordinate", "normal"};
static const char *const kind_keys[KINDS] = {"v", "vt", "vn"};

typedef struct reader {
    const char *at, *end;
    const char *name;
    uint64_t line;
    hed_error *error;
    cloth_list elements[KINDS]; /* rows of 3, 2, 3 floats */
    cloth_list colours;         /* rows of 4 floats; empty until the first vertex that has some */
    cloth_list face_at;
    cloth_list corners[KINDS];
    bool used[KINDS];
    cloth_list materials, groups;
    char *material_library;
    struct {
        uint64_t lines, first; /* how many, and the first one's number */
        char words[64];        /* the different ones, as many as fit */
    } unknown;                 /* words that OBJ does not have */
    struct {
        uint32_t index; /* largest one used */
        uint64_t line;  /* where */
    } farthest[KINDS];  /* a face may come before its vertices */
} reader;

/* ---- words ---- */

static bool obj_at_line_end(const reader *r)
{
    return r->at == r->end || *r->at == '\n' || *r->at == '\r' || *r->at == '#';
}

/* Length of a line's end (\n, \r\n or \r) at `at`, 0: none. */
static size_t line_break(const char *at, const char *end)
{
    if (at == end || (*at != '\n' && *at != '\r')) return 0;
    return *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
}

static void obj_skip_blanks(reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\\') { /* goes on in the next line */
            size_t length = line_break(r->at + 1, r->end);
            if (length == 0) return;
            r->at += length;
            r->line++;
        } else if (*r->at != ' ' && *r->at != '\t') {
            return;
        }
    }
}

static void obj_skip_line(reader *r)
{
    for (size_t length = 0; r->at < r->end && !(length = line_break(r->at, r->end)); r->at++) {
        if (*r->at == '\\' && (length = line_break(r->at + 1, r->end))) {
            r->at += length;
            r->line++;
        }
    }
    r->at += line_break(r->at, r->end);
    r->line++;
}

static bool is_word_end(const reader *r)
{
    return r->at == r->end || *r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r' ||
           *r->at == '#' || *r->at == '\\';
}

/* ---- complaints ---- */

static hed_status obj_no_memory(const reader *r)
{
    return hed_fail(
        r->error, HED_ERROR_MEMORY, "%s:%llu: out of memory", r->name, (unsigned long long)r->line);
}

static hed_status obj_expected(const reader *r, const char *what)
{
    int length = 0;
    while (length < 20 && r->at + length < r->end && r->at[length] > ' ' && r->at[length] <= '~')
        length++;
    if (length > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%llu: found \"%.*s\", expected %s", r->name,
            (unsigned long long)r->line, length, r->at, what);
    const char *found = r->at == r->end                   ? "the end of the file"
                        : line_break(r->at, r->end)       ? "the end of the line"
                        : *r->at == ' ' || *r->at == '\t' ? "a blank"
                                                          : "a character that no OBJ file has here";
    return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%llu: found %s, expected %s", r->name,
        (unsigned long long)r->line, found, what);
}

/* ---- numbers ---- */

/* All numbers up to the line's end, at most `most`. */
static hed_status read_numbers(
    reader *r, const char *what, float *numbers, uint32_t most, uint32_t *count)
{
    *count = 0;
    for (obj_skip_blanks(r); !obj_at_line_end(r); obj_skip_blanks(r)) {
        if (*count == most) return obj_expected(r, what);
        const char *behind = cloth_read_number(r->at, r->end, &numbers[*count]);
        if (!behind || !isfinite(numbers[*count])) return obj_expected(r, "a finite number");
        const char *from = r->at;
        r->at = behind;
        if (!is_word_end(r)) {
            r->at = from;
            return obj_expected(r, "a number");
        }
        ++*count;
    }
    return HED_OK;
}

static hed_status obj_add_colour(reader *r, const float *colour, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(colour[i] >= 0 && colour[i] <= 1))
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s:%llu: found %g in a vertex's colour, expected 0 to 1", r->name,
                (unsigned long long)r->line, (double)colour[i]);
    if (count == 0 && r->colours.count == 0) return HED_OK;
    while (r->colours.count < r->elements[POSITION].count) { /* vertices without one are white */
        float *row = cloth_list_add(&r->colours);
        if (!row) return obj_no_memory(r);
        for (int i = 0; i < 4; i++) row[i] = 1;
    }
    float *last = (float *)r->colours.rows + 4 * (r->colours.count - 1);
    memcpy(last, colour, count * sizeof *last);
    return HED_OK;
}

/* v, vt or vn. */
static hed_status obj_read_element(reader *r, int kind)
{
    static const char *const whats[KINDS] = {
        "x y z, and behind them at most a weight or a colour (r g b or r g b a)",
        "u, or u v, or u v w",
        "x y z",
    };
    static const uint32_t least[KINDS] = {3, 1, 3}, most[KINDS] = {7, 3, 3};
    float numbers[7] = {0};
    uint32_t count;
    hed_status status = read_numbers(r, whats[kind], numbers, most[kind], &count);
    if (status != HED_OK) return status;
    if (count < least[kind] || (kind == POSITION && count == 5))
        return obj_expected(r, whats[kind]);
    cloth_list *list = &r->elements[kind];
    if (list->count == CLOTH_NO_INDEX)
        return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%llu: more than %u lines of %s", r->name,
            (unsigned long long)r->line, CLOTH_NO_INDEX, kind_keys[kind]);
    void *row = cloth_list_add(list);
    if (!row) return obj_no_memory(r);
    memcpy(row, numbers, list->size);
    return kind == POSITION ? obj_add_colour(r, numbers + 3, count >= 6 ? count - 3 : 0) : HED_OK;
}

/* ---- faces ---- */

/* One of a corner's numbers: counted from 1, or from the last one back if negative. */
static hed_status obj_read_index(reader *r, int kind, uint32_t *index)
{
    const char *from = r->at;
    bool negative = r->at < r->end && *r->at == '-';
    uint64_t value = 0;
    r->at += negative;
    const char *digits = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (value <= CLOTH_NO_INDEX) value = value * 10 + (uint64_t)(*r->at - '0');
    bool any = r->at > digits;
    uint64_t count = r->elements[kind].count;
    if (any && value > 0 && value < CLOTH_NO_INDEX && (!negative || value <= count)) {
        *index = (uint32_t)(negative ? count - value : value - 1);
        if (*index >= r->farthest[kind].index) {
            r->farthest[kind].index = *index;
            r->farthest[kind].line = r->line;
        }
        r->used[kind] = true;
        return HED_OK;
    }
    r->at = from;
    if (any && negative && value > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%llu: found %s -%llu, expected at most as many back as there are so far: %llu",
            r->name, (unsigned long long)r->line, kind_words[kind], (unsigned long long)value,
            (unsigned long long)count);
    static const char *const whats[KINDS] = {
        "the number of a vertex, counted from 1, or from the last one back if negative",
        "the number of a texture coordinate, counted from 1, or nothing before the next /",
        "the number of a normal, counted from 1",
    };
    return obj_expected(r, whats[kind]);
}

static hed_status read_corner(reader *r)
{
    uint32_t index[KINDS] = {CLOTH_NO_INDEX, CLOTH_NO_INDEX, CLOTH_NO_INDEX};
    hed_status status = obj_read_index(r, POSITION, &index[POSITION]);
    for (int kind = TEXTURE; kind < KINDS && status == HED_OK && r->at < r->end && *r->at == '/';
         kind++) {
        r->at++;
        bool left_out = kind == TEXTURE && r->at < r->end && *r->at == '/';
        if (!left_out) status = obj_read_index(r, kind, &index[kind]);
    }
    if (status != HED_OK) return status;
    if (!is_word_end(r)) return obj_expected(r, "a corner: v, v/vt, v//vn or v/vt/vn");
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t *row = cloth_list_add(&r->corners[kind]);
        if (!row) return obj_no_memory(r);
        *row = index[kind];
    }
    return HED_OK;
}

static hed_status obj_read_face(reader *r)
{
    size_t first = r->corners[POSITION].count;
    for (obj_skip_blanks(r); !obj_at_line_end(r); obj_skip_blanks(r)) {
        hed_status status = read_corner(r);
        if (status != HED_OK) return status;
    }
    size_t count = r->corners[POSITION].count;
    if (count - first < 3) return obj_expected(r, "a face of at least 3 corners");
    if (count >= CLOTH_NO_INDEX)
        return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%llu: more than %u corners", r->name,
            (unsigned long long)r->line, CLOTH_NO_INDEX);
    uint32_t *end = cloth_list_add(&r->face_at);
    if (!end) return obj_no_memory(r);
    *end = (uint32_t)count;
    return HED_OK;
}

/* ---- names ---- */

/* The rest of the line without blanks around it: names may have blanks inside, but end where a line
 * goes on in the next one. NULL when memory runs out. */
static char *obj_read_name(reader *r)
{
    obj_skip_blanks(r);
    const char *from = r->at;
    while (r->at < r->end && !line_break(r->at, r->end) &&
           !(*r->at == '\\' && line_break(r->at + 1, r->end)))
        r->at++;
    const char *to = r->at;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    return strndup(from, (size_t)(to - from));
}

static hed_status read_span(reader *r, cloth_list *spans, bool object)
{
    hed_cloth_mesh_span *span = cloth_list_add(spans);
    if (!span) return obj_no_memory(r);
    *span = (hed_cloth_mesh_span){obj_read_name(r), (uint32_t)(r->face_at.count - 1), object};
    return span->name ? HED_OK : obj_no_memory(r);
}

/* ---- lines ---- */

static bool is_one_of(const char *word, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(word, *list, length) == 0) return true;
    return false;
}

static const char known_words[] = "v, vt, vn, f, o, g, s, usemtl, mtllib or another word of OBJ";

/* Whether a word could be a program's own (ARCSim writes ny and nv): a letter, then letters, digits
 * and _. */
static bool is_name(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = word[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '_'))) return false;
    }
    return true;
}

/* Remembers a word that is skipped, its first letters if it is long; " ..." stands for those that
 * do not fit. */
static void note_unknown(reader *r, const char *word, size_t length)
{
    static const char rest[] = " ...";
    char *words = r->unknown.words;
    size_t used = strlen(words), room = sizeof r->unknown.words - sizeof rest;
    if (length > room) length = room;
    if (r->unknown.lines++ == 0) r->unknown.first = r->line;
    for (const char *known = words; *known; known += strcspn(known, " "), known += *known == ' ')
        if (strcspn(known, " ") == length && memcmp(known, word, length) == 0) return;
    bool full = used >= strlen(rest) && strcmp(words + used - strlen(rest), rest) == 0;
    if (full) return;
    if (used + (used > 0) + length > room) {
        memcpy(words + used, rest, sizeof rest);
        return;
    }
    if (used) words[used++] = ' ';
    memcpy(words + used, word, length);
    words[used + length] = 0;
}

static hed_status obj_read_line(reader *r)
{
    /* What has no meaning for a mesh: smoothing, points, lines, how things are shown. */
    static const char *const ignored[] = {"s", "p", "l", "vp", "mg", "lod", "bevel", "c_interp",
        "d_interp", "shadow_obj", "trace_obj", "maplib", "usemap", NULL};
    static const char *const curved[] = {"cstype", "deg", "bmat", "step", "curv", "curv2", "surf",
        "parm", "trim", "hole", "scrv", "sp", "end", "con", "bzp", "bsp", "cdc", "cdp", "res",
        "ctech", "stech", NULL};
    const char *word = r->at;
    while (!is_word_end(r)) r->at++;
    size_t length = (size_t)(r->at - word);
    if (length == 1 && *word == 'v') return obj_read_element(r, POSITION);
    if (length == 1 && *word == 'f') return obj_read_face(r);
    if (length == 2 && memcmp(word, "vt", 2) == 0) return obj_read_element(r, TEXTURE);
    if (length == 2 && memcmp(word, "vn", 2) == 0) return obj_read_element(r, NORMAL);
    if (length == 1 && (*word == 'o' || *word == 'g'))
        return read_span(r, &r->groups, *word == 'o');
    if (length == 6 && memcmp(word, "usemtl", 6) == 0) return read_span(r, &r->materials, false);
    if (length == 6 && memcmp(word, "mtllib", 6) == 0) {
        free(r->material_library);
        r->material_library = obj_read_name(r);
        return r->material_library ? HED_OK : obj_no_memory(r);
    }
    if (is_one_of(word, length, ignored)) return HED_OK;
    r->at = word;
    if (is_one_of(word, length, curved))
        return obj_expected(
            r, "polygons alone: curves and surfaces are not read, convert them to polygons before");
    if (!is_name(word, length)) return obj_expected(r, known_words);
    note_unknown(r, word, length);
    return HED_OK;
}

static hed_status read_lines(reader *r)
{
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    uint32_t *first = cloth_list_add(&r->face_at);
    if (!first) return obj_no_memory(r);
    *first = 0;
    while (r->at < r->end) {
        obj_skip_blanks(r);
        hed_status status = obj_at_line_end(r) ? HED_OK : obj_read_line(r);
        if (status != HED_OK) return status;
        obj_skip_line(r);
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (r->used[kind] && r->farthest[kind].index >= r->elements[kind].count)
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s:%llu: found %s %llu, expected at most %zu: so many lines of %s are there",
                r->name, (unsigned long long)r->farthest[kind].line, kind_words[kind],
                (unsigned long long)r->farthest[kind].index + 1, r->elements[kind].count,
                kind_keys[kind]);
    if (r->elements[POSITION].count == 0 && r->unknown.lines > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%llu: found \"%s\" and no vertex at all, expected %s", r->name,
            (unsigned long long)r->unknown.first, r->unknown.words, known_words);
    if (r->elements[POSITION].count == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: found no vertex in it, expected lines of v and f", r->name);
    return HED_OK;
}

/* Takes what was read over into the mesh. */
static void obj_hand_over(reader *r, hed_cloth_mesh *mesh)
{
    for (int kind = TEXTURE; kind < KINDS; kind++)
        if (!r->used[kind]) {
            free(r->corners[kind].rows);
            r->corners[kind].rows = NULL;
        }
    *mesh = (hed_cloth_mesh){
        .vertex_count = (uint32_t)r->elements[POSITION].count,
        .positions = r->elements[POSITION].rows,
        .vertex_colours = r->colours.rows,
        .face_count = (uint32_t)r->face_at.count - 1,
        .face_at = r->face_at.rows,
        .corners = r->corners[POSITION].rows,
        .texture_count = (uint32_t)r->elements[TEXTURE].count,
        .normal_count = (uint32_t)r->elements[NORMAL].count,
        .textures = r->elements[TEXTURE].rows,
        .normals = r->elements[NORMAL].rows,
        .corner_textures = r->corners[TEXTURE].rows,
        .corner_normals = r->corners[NORMAL].rows,
        .material_count = (uint32_t)r->materials.count,
        .group_count = (uint32_t)r->groups.count,
        .materials = r->materials.rows,
        .groups = r->groups.rows,
        .material_library = r->material_library,
    };
}

hed_status hed_cloth_mesh_parse_obj(
    const char *name, const char *text, size_t size, hed_cloth_mesh *mesh, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    reader r = {.at = text, .end = text + size, .name = name, .line = 1, .error = error};
    r.elements[POSITION].size = r.elements[NORMAL].size = 3 * sizeof(float);
    r.elements[TEXTURE].size = 2 * sizeof(float);
    r.colours.size = 4 * sizeof(float);
    r.face_at.size = sizeof(uint32_t);
    for (int kind = 0; kind < KINDS; kind++) r.corners[kind].size = sizeof(uint32_t);
    r.materials.size = r.groups.size = sizeof(hed_cloth_mesh_span);
    hed_status status = read_lines(&r);
    obj_hand_over(&r, mesh);
    if (status == HED_OK && r.unknown.lines > 0 &&
        asprintf(&mesh->warning,
            "%s: %" PRIu64 " lines skipped, from line %" PRIu64
            " on, whose words are not OBJ's: %s",
            r.name, r.unknown.lines, r.unknown.first, r.unknown.words) < 0) {
        mesh->warning = NULL;
        status = obj_no_memory(&r);
    }
    if (status != HED_OK) hed_cloth_mesh_free(mesh);
    return status;
}

/* Writing Wavefront OBJ as it was read: vertices, texture coordinates and normals in order,
 * polygons as they are, materials and groups before the same faces. */

/* Spans that begin at face `face`, from span `next` on; gives the next one. */
static uint32_t put_spans(cloth_text *text, const hed_cloth_mesh_span *spans, uint32_t count,
    uint32_t next, uint32_t face, const char *key)
{
    for (; next < count && spans[next].first_face <= face; next++) {
        cloth_text_words(text, spans[next].object ? "o" : key);
        cloth_text_words(text, " ");
        cloth_text_words(text, spans[next].name);
        cloth_text_words(text, "\n");
    }
    return next;
}

static void put_corner(cloth_text *text, uint32_t vertex, uint32_t texture, uint32_t normal)
{
    cloth_text_put(text, " ", 1);
    cloth_text_integer(text, (uint64_t)vertex + 1);
    if (texture != CLOTH_NO_INDEX || normal != CLOTH_NO_INDEX) cloth_text_put(text, "/", 1);
    if (texture != CLOTH_NO_INDEX) cloth_text_integer(text, (uint64_t)texture + 1);
    if (normal != CLOTH_NO_INDEX) {
        cloth_text_put(text, "/", 1);
        cloth_text_integer(text, (uint64_t)normal + 1);
    }
}

/* `own_normals`: corners name normals of the mesh; else each its vertex's. */
static void put_faces(cloth_text *text, const hed_cloth_mesh *mesh, bool own_normals)
{
    uint32_t material = 0, group = 0;
    for (uint32_t face = 0; face <= mesh->face_count; face++) {
        group = put_spans(text, mesh->groups, mesh->group_count, group, face, "g");
        material = put_spans(text, mesh->materials, mesh->material_count, material, face, "usemtl");
        if (face == mesh->face_count) return;
        cloth_text_put(text, "f", 1);
        for (uint32_t corner = mesh->face_at[face]; corner < mesh->face_at[face + 1]; corner++) {
            uint32_t normal = !own_normals           ? mesh->corners[corner]
                              : mesh->corner_normals ? mesh->corner_normals[corner]
                                                     : CLOTH_NO_INDEX;
            put_corner(text, mesh->corners[corner],
                mesh->corner_textures ? mesh->corner_textures[corner] : CLOTH_NO_INDEX, normal);
        }
        cloth_text_put(text, "\n", 1);
    }
}

static void put_vertices(cloth_text *text, const hed_cloth_mesh *mesh, const float *positions)
{
    uint32_t channels =
        mesh->vertex_colours
            ? 3
            : 0; /* with opacity only where there is some: most readers take three */
    for (size_t i = 0; channels == 3 && i < mesh->vertex_count; i++)
        if (mesh->vertex_colours[4 * i + 3] != 1) channels = 4;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        float row[7] = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
        for (uint32_t c = 0; c < channels; c++) row[3 + c] = mesh->vertex_colours[4 * i + c];
        cloth_text_put(text, "v", 1);
        cloth_text_row(text, row, 3 + channels);
    }
}

hed_status hed_cloth_mesh_write_obj(const char *path, const hed_cloth_mesh *mesh,
    const float *positions, const float *normals, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!positions) positions = mesh->positions;
    cloth_text *text;
    hed_status status = cloth_mesh_require_finite(path, positions, mesh->vertex_count, error);
    if (status || (status = cloth_text_open(path, &text, error))) return status;
    if (mesh->material_library) {
        cloth_text_words(text, "mtllib ");
        cloth_text_words(text, mesh->material_library);
        cloth_text_words(text, "\n");
    }
    put_vertices(text, mesh, positions);
    for (size_t i = 0; i < mesh->texture_count; i++) {
        cloth_text_words(text, "vt");
        cloth_text_row(text, mesh->textures + 2 * i, 2);
    }
    const float *written = normals ? normals : mesh->normals;
    uint32_t normal_count = normals ? mesh->vertex_count : mesh->normal_count;
    for (size_t i = 0; i < normal_count; i++) {
        cloth_text_words(text, "vn");
        cloth_text_row(text, written + 3 * i, 3);
    }
    put_faces(text, mesh, !normals);
    return cloth_text_close(text, error);
}
