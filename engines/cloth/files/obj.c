/* Reader of Wavefront OBJ: v (with colours after the coordinates, as MeshLab and others write
 * them), vt, vn, f, o, g, usemtl, mtllib. Vertices stay in the file's order. Format: Wavefront's
 * "Object Files", appendix B1 of the Advanced Visualizer manual. */
#include "files/mesh_file.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITION, TEXTURE, NORMAL, KINDS = CLOTH_CORNER_KINDS };

static const char *const kind_words[KINDS] = {"vertex", "texture coordinate", "normal"};
static const char *const kind_keys[KINDS] = {"v", "vt", "vn"};

typedef struct obj_reader {
    cloth_reader text;
    cloth_rows rows;
    bool used[KINDS];
    char *material_library;
    struct {
        uint64_t lines, first; /* count, and number of the first line */
        char words[64];        /* distinct words, truncated to the capacity */
    } unknown;                 /* lines whose words OBJ does not have */
    struct {
        uint32_t index; /* largest index used */
        uint64_t line;  /* line of that index */
    } farthest[KINDS];  /* a face may come before its vertices */
} obj_reader;

/* ---- words ---- */

static bool obj_at_line_end(const cloth_reader *r)
{
    return r->at == r->end || *r->at == '\n' || *r->at == '\r' || *r->at == '#';
}

/* Returns the length of a line's end (LF, CR LF or CR) at `at`, 0: no line end. */
static size_t line_break(const char *at, const char *end)
{
    if (at == end || (*at != '\n' && *at != '\r')) return 0;
    return *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
}

static void obj_skip_blanks(cloth_reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\\') { /* the line continues in the next one */
            size_t length = line_break(r->at + 1, r->end);
            if (length == 0) return;
            r->at += length;
            r->line++;
        } else if (*r->at != ' ' && *r->at != '\t') {
            return;
        }
    }
}

static void obj_skip_line(cloth_reader *r)
{
    for (; r->at < r->end && !line_break(r->at, r->end); r->at++) {
        size_t length = *r->at == '\\' ? line_break(r->at + 1, r->end) : 0;
        r->at += length;
        r->line += length > 0;
    }
    r->at += line_break(r->at, r->end);
    r->line++;
}

static bool is_word_end(const cloth_reader *r)
{
    return r->at == r->end || *r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r' ||
           *r->at == '#' || *r->at == '\\';
}

/* ---- numbers ---- */

/* Reads all numbers up to the line's end, at most `limit`. */
static hed_status read_numbers(
    cloth_reader *r, const char *what, float *numbers, uint32_t limit, uint32_t *count)
{
    *count = 0;
    for (obj_skip_blanks(r); !obj_at_line_end(r); obj_skip_blanks(r)) {
        if (*count == limit) return cloth_reader_expected(r, what);
        const char *number_end = cloth_read_number(r->at, r->end, &numbers[*count]);
        if (!number_end || !isfinite(numbers[*count]))
            return cloth_reader_expected(r, "a finite number");
        const char *from = r->at;
        r->at = number_end;
        if (!is_word_end(r)) {
            r->at = from;
            return cloth_reader_expected(r, "a number");
        }
        ++*count;
    }
    return HED_OK;
}

static hed_status obj_add_colour(obj_reader *o, const float *colour, uint32_t count)
{
    cloth_reader *r = &o->text;
    for (uint32_t i = 0; i < count; i++)
        if (!(colour[i] >= 0 && colour[i] <= 1))
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s:%" PRIu64 ": found %g in a vertex's colour, expected 0 to 1", r->name, r->line,
                (double)colour[i]);
    if (count == 0 && o->rows.colours.count == 0) return HED_OK;
    /* vertices without a colour are white */
    while (o->rows.colours.count < o->rows.elements[POSITION].count) {
        float *row = cloth_reader_add(r, &o->rows.colours);
        if (!row) return r->error->status;
        for (int i = 0; i < 4; i++) row[i] = 1;
    }
    float *last = (float *)o->rows.colours.rows + 4 * (o->rows.colours.count - 1);
    memcpy(last, colour, count * sizeof *last);
    return HED_OK;
}

/* Reads v, vt or vn. */
static hed_status obj_read_element(obj_reader *o, int kind)
{
    cloth_reader *r = &o->text;
    static const char *const whats[KINDS] = {
        "x y z, and behind them at most a weight or a colour (r g b or r g b a)",
        "u, or u v, or u v w",
        "x y z",
    };
    static const uint32_t minimum[KINDS] = {3, 1, 3}, maximum[KINDS] = {7, 3, 3};
    float numbers[7] = {0};
    uint32_t count;
    if (read_numbers(r, whats[kind], numbers, maximum[kind], &count)) return r->error->status;
    if (count < minimum[kind] || (kind == POSITION && count == 5))
        return cloth_reader_expected(r, whats[kind]);
    cloth_list *list = &o->rows.elements[kind];
    if (list->count == CLOTH_NO_INDEX)
        return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%" PRIu64 ": more than %u lines of %s",
            r->name, r->line, CLOTH_NO_INDEX, kind_keys[kind]);
    void *row = cloth_reader_add(r, list);
    if (!row) return r->error->status;
    memcpy(row, numbers, list->size);
    return kind == POSITION ? obj_add_colour(o, numbers + 3, count >= 6 ? count - 3 : 0) : HED_OK;
}

/* ---- faces ---- */

/* Reads one of a corner's numbers: counted from 1, or from the last one back if negative. */
static hed_status obj_read_index(obj_reader *o, int kind, uint32_t *index)
{
    cloth_reader *r = &o->text;
    const char *from = r->at;
    bool negative = r->at < r->end && *r->at == '-';
    uint64_t value = 0;
    r->at += negative;
    const char *digits = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (value <= CLOTH_NO_INDEX) value = value * 10 + (uint64_t)(*r->at - '0');
    bool has_digits = r->at > digits;
    uint64_t count = o->rows.elements[kind].count;
    if (has_digits && value > 0 && value < CLOTH_NO_INDEX && (!negative || value <= count)) {
        *index = (uint32_t)(negative ? count - value : value - 1);
        if (*index >= o->farthest[kind].index) {
            o->farthest[kind].index = *index;
            o->farthest[kind].line = r->line;
        }
        o->used[kind] = true;
        return HED_OK;
    }
    r->at = from;
    if (has_digits && negative && value > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%" PRIu64 ": found %s -%" PRIu64
            ", expected at most as many back as there are so far: %" PRIu64,
            r->name, r->line, kind_words[kind], value, count);
    static const char *const whats[KINDS] = {
        "the number of a vertex, counted from 1, or from the last one back if negative",
        "the number of a texture coordinate, counted from 1, or nothing before the next /",
        "the number of a normal, counted from 1",
    };
    return cloth_reader_expected(r, whats[kind]);
}

static hed_status read_corner(obj_reader *o)
{
    cloth_reader *r = &o->text;
    uint32_t index[KINDS] = {CLOTH_NO_INDEX, CLOTH_NO_INDEX, CLOTH_NO_INDEX};
    hed_status status = obj_read_index(o, POSITION, &index[POSITION]);
    for (int kind = TEXTURE; kind < KINDS && status == HED_OK && r->at < r->end && *r->at == '/';
         kind++) {
        r->at++;
        bool left_out = kind == TEXTURE && r->at < r->end && *r->at == '/';
        if (!left_out) status = obj_read_index(o, kind, &index[kind]);
    }
    if (status != HED_OK) return status;
    if (!is_word_end(r)) return cloth_reader_expected(r, "a corner: v, v/vt, v//vn or v/vt/vn");
    for (int kind = 0; kind < KINDS; kind++)
        if (cloth_reader_push(r, &o->rows.corners[kind], index[kind])) return r->error->status;
    return HED_OK;
}

static hed_status obj_read_face(obj_reader *o)
{
    cloth_reader *r = &o->text;
    size_t first = o->rows.corners[POSITION].count;
    for (obj_skip_blanks(r); !obj_at_line_end(r); obj_skip_blanks(r))
        if (read_corner(o)) return r->error->status;
    size_t count = o->rows.corners[POSITION].count;
    if (count - first < 3) return cloth_reader_expected(r, "a face of at least 3 corners");
    if (count >= CLOTH_NO_INDEX)
        return hed_fail(r->error, HED_ERROR_LIMIT, "%s:%" PRIu64 ": more than %u corners", r->name,
            r->line, CLOTH_NO_INDEX);
    return cloth_reader_push(r, &o->rows.face_at, (uint32_t)count);
}

/* ---- names ---- */

/* Copies the remainder of the line: names may contain blanks, but end at a line continuation.
 * NULL: an error is recorded. */
static char *obj_read_name(cloth_reader *r)
{
    obj_skip_blanks(r);
    const char *from = r->at;
    while (r->at < r->end && !line_break(r->at, r->end) &&
           !(*r->at == '\\' && line_break(r->at + 1, r->end)))
        r->at++;
    return cloth_reader_copy(r, from);
}

static hed_status read_span(obj_reader *o, cloth_list *spans, bool object)
{
    cloth_reader *r = &o->text;
    hed_cloth_mesh_span *span = cloth_reader_add(r, spans);
    if (!span) return r->error->status;
    *span = (hed_cloth_mesh_span){obj_read_name(r), (uint32_t)(o->rows.face_at.count - 1), object};
    return span->name ? HED_OK : r->error->status;
}

/* ---- lines ---- */

static bool is_one_of(const char *word, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(word, *list, length) == 0) return true;
    return false;
}

static const char known_words[] = "v, vt, vn, f, o, g, s, usemtl, mtllib or another word of OBJ";

/* True if a word could be an extension of a program (ARCSim writes ny and nv): a letter, then
 * letters, digits and _. */
static bool is_name(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = word[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '_'))) return false;
    }
    return true;
}

/* Records a word that is skipped, truncated if it is long; " ..." replaces words that do not
 * fit. */
static void note_unknown(obj_reader *o, const char *word, size_t length)
{
    cloth_reader *r = &o->text;
    static const char rest[] = " ...";
    char *words = o->unknown.words;
    size_t used = strlen(words), room = sizeof o->unknown.words - sizeof rest;
    if (length > room) length = room;
    if (o->unknown.lines++ == 0) o->unknown.first = r->line;
    for (const char *listed = words; *listed;
         listed += strcspn(listed, " "), listed += *listed == ' ')
        if (strcspn(listed, " ") == length && memcmp(listed, word, length) == 0) return;
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

static hed_status obj_read_line(obj_reader *o)
{
    cloth_reader *r = &o->text;
    /* words without a meaning for a mesh: smoothing, points, lines, display */
    static const char *const ignored[] = {"s", "p", "l", "vp", "mg", "lod", "bevel", "c_interp",
        "d_interp", "shadow_obj", "trace_obj", "maplib", "usemap", NULL};
    static const char *const curved[] = {"cstype", "deg", "bmat", "step", "curv", "curv2", "surf",
        "parm", "trim", "hole", "scrv", "sp", "end", "con", "bzp", "bsp", "cdc", "cdp", "res",
        "ctech", "stech", NULL};
    const char *word = r->at;
    while (!is_word_end(r)) r->at++;
    size_t length = (size_t)(r->at - word);
    if (length == 1 && *word == 'v') return obj_read_element(o, POSITION);
    if (length == 1 && *word == 'f') return obj_read_face(o);
    if (length == 2 && memcmp(word, "vt", 2) == 0) return obj_read_element(o, TEXTURE);
    if (length == 2 && memcmp(word, "vn", 2) == 0) return obj_read_element(o, NORMAL);
    if (length == 1 && (*word == 'o' || *word == 'g'))
        return read_span(o, &o->rows.groups, *word == 'o');
    if (length == 6 && memcmp(word, "usemtl", 6) == 0)
        return read_span(o, &o->rows.materials, false);
    if (length == 6 && memcmp(word, "mtllib", 6) == 0) {
        free(o->material_library);
        o->material_library = obj_read_name(r);
        return o->material_library ? HED_OK : r->error->status;
    }
    if (is_one_of(word, length, ignored)) return HED_OK;
    r->at = word;
    if (is_one_of(word, length, curved))
        return cloth_reader_expected(
            r, "polygons alone: curves and surfaces are not read, convert them to polygons before");
    if (!is_name(word, length)) return cloth_reader_expected(r, known_words);
    note_unknown(o, word, length);
    return HED_OK;
}

static hed_status read_lines(obj_reader *o)
{
    cloth_reader *r = &o->text;
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    if (cloth_reader_push(r, &o->rows.face_at, 0)) return r->error->status;
    while (r->at < r->end) {
        obj_skip_blanks(r);
        if (!obj_at_line_end(r) && obj_read_line(o)) return r->error->status;
        obj_skip_line(r);
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (o->used[kind] && o->farthest[kind].index >= o->rows.elements[kind].count)
            return hed_fail(r->error, HED_ERROR_FORMAT,
                "%s:%" PRIu64 ": found %s %u, expected at most %zu: so many lines of %s are there",
                r->name, o->farthest[kind].line, kind_words[kind], o->farthest[kind].index + 1,
                o->rows.elements[kind].count, kind_keys[kind]);
    if (o->rows.elements[POSITION].count == 0 && o->unknown.lines > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s:%" PRIu64 ": found \"%s\" and no vertex at all, expected %s", r->name,
            o->unknown.first, o->unknown.words, known_words);
    if (o->rows.elements[POSITION].count == 0)
        return hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: found no vertex in it, expected lines of v and f", r->name);
    return HED_OK;
}

hed_status hed_cloth_mesh_parse_obj(
    const char *text, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    HED_REQUIRE(name, text || !size, mesh);
    hed_error local_error = {0};
    if (!error) error = &local_error;
    if (error->status) return error->status;
    obj_reader r = {{text, text + size, name, 1, error}, .rows = cloth_rows_empty()};
    read_lines(&r);
    cloth_rows_take(&r.rows, r.used, mesh);
    mesh->material_library = r.material_library;
    if (!error->status && r.unknown.lines > 0 &&
        asprintf(&mesh->warning,
            "%s: %" PRIu64 " lines skipped, from line %" PRIu64
            " on, whose words are not OBJ's: %s",
            name, r.unknown.lines, r.unknown.first, r.unknown.words) < 0) {
        mesh->warning = NULL;
        cloth_reader_starve(&r.text);
    }
    if (error->status) hed_cloth_mesh_free(mesh);
    return error->status;
}
