/* Reader and writer of PLY (G. Turk, The PLY Polygon File Format, 1994): text, and binary of
 * either byte order. Vertices and faces stay in the file's order, polygons keep all their
 * corners; elements and properties without a meaning for cloth are skipped. */
#include "files/mesh_file.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ELEMENTS = 32,
    MOST_PROPERTIES = 256, /* limit for an element */
};

enum format { TEXT, LITTLE, BIG };

enum type { NO_TYPE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 };

static const uint8_t type_bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

/* Roles of properties. */
enum role {
    X,
    Y,
    Z,
    NORMAL_X,
    NORMAL_Y,
    NORMAL_Z,
    RED,
    GREEN,
    BLUE,
    ALPHA,
    U,
    V,
    ROLES,
    CORNERS = ROLES, /* list of a face: its vertices */
    SKIPPED
};

typedef struct property {
    uint8_t type, count_type; /* count_type NO_TYPE: one value, else a list */
    uint8_t role;
} property;

typedef struct element {
    uint64_t count;
    char name[32];
    uint32_t property_count;
    property *properties;
} element;

typedef struct reader {
    cloth_reader text;
    enum format format;
    uint32_t element_count;
    element elements[MOST_ELEMENTS];
    const element *now; /* the element that is read */
    uint64_t row;       /* current row of the element */
    hed_cloth_mesh *mesh;
    cloth_list corners, face_at;
    bool face_textures; /* true: faces have texture coordinates, which are not read */
} reader;

/* ---- errors ---- */

/* Records an error with its position: the line of a text, or the element and its row. */
static hed_status ply_wrong(const reader *r, const char *found, const char *what)
{
    if (r->now && r->format != TEXT)
        return hed_fail(r->text.error, HED_ERROR_FORMAT,
            "%s: %s %" PRIu64 " (counted from 1): found %s, expected %s", r->text.name,
            r->now->name, r->row + 1, found, what);
    return hed_fail(r->text.error, HED_ERROR_FORMAT, "%s:%" PRIu64 ": found %s, expected %s",
        r->text.name, r->text.line, found, what);
}

/* ---- words of a text ---- */

static bool ply_at_line_end(const reader *r)
{
    return r->text.at == r->text.end || *r->text.at == '\n' || *r->text.at == '\r';
}

static void ply_skip_blanks(reader *r)
{
    while (r->text.at < r->text.end && (*r->text.at == ' ' || *r->text.at == '\t')) r->text.at++;
}

static void skip_line_end(reader *r)
{
    if (r->text.at < r->text.end && *r->text.at == '\r') r->text.at++;
    if (r->text.at < r->text.end && *r->text.at == '\n') r->text.at++;
    r->text.line++;
}

static bool ply_take_word(reader *r, const char *word)
{
    ply_skip_blanks(r);
    size_t length = strlen(word);
    if (cloth_reader_word(&r->text) != length || memcmp(r->text.at, word, length) != 0)
        return false;
    r->text.at += length;
    return true;
}

/* Records an error about the next word. */
static hed_status ply_expected(reader *r, const char *what)
{
    return cloth_reader_expected(&r->text, what);
}

static hed_status end_line(reader *r)
{
    ply_skip_blanks(r);
    if (!ply_at_line_end(r)) return ply_expected(r, "the end of the line");
    skip_line_end(r);
    return HED_OK;
}

/* Reads a whole number in digits, at most 2^53. */
static bool take_integer(reader *r, double *value)
{
    const char *at = r->text.at;
    bool negative = at < r->text.end && *at == '-';
    uint64_t digits = 0;
    if (at < r->text.end && (*at == '-' || *at == '+')) at++;
    const char *first = at;
    for (; at < r->text.end && *at >= '0' && *at <= '9'; at++)
        if (digits <= (uint64_t)1 << 49) digits = digits * 10 + (uint64_t)(*at - '0');
    if (at == first || (size_t)(at - r->text.at) != cloth_reader_word(&r->text)) return false;
    r->text.at = at;
    *value = negative ? -(double)digits : (double)digits;
    return true;
}

/* ---- the header ---- */

static hed_status read_type(reader *r, uint8_t *type)
{
    static const struct {
        const char *word;
        uint8_t type;
    } types[] = {{"char", INT8}, {"int8", INT8}, {"uchar", UINT8}, {"uint8", UINT8},
        {"short", INT16}, {"int16", INT16}, {"ushort", UINT16}, {"uint16", UINT16}, {"int", INT32},
        {"int32", INT32}, {"uint", UINT32}, {"uint32", UINT32}, {"float", FLOAT32},
        {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ply_take_word(r, types[i].word)) {
            *type = types[i].type;
            return HED_OK;
        }
    return ply_expected(r, "a type: char, uchar, short, ushort, int, uint, float or double");
}

static uint8_t role_of(reader *r, const element *of, const property *p)
{
    static const struct {
        const char *word;
        uint8_t role;
    } roles[] = {{"x", X}, {"y", Y}, {"z", Z}, {"nx", NORMAL_X}, {"ny", NORMAL_Y}, {"nz", NORMAL_Z},
        {"red", RED}, {"green", GREEN}, {"blue", BLUE}, {"alpha", ALPHA}, {"u", U}, {"v", V},
        {"s", U}, {"t", V}, {"texture_u", U}, {"texture_v", V}};
    bool list = p->count_type != NO_TYPE;
    if (list && strcmp(of->name, "face") == 0 &&
        (ply_take_word(r, "vertex_indices") || ply_take_word(r, "vertex_index")))
        return CORNERS;
    r->face_textures |= list && strcmp(of->name, "face") == 0 && cloth_reader_word(&r->text) == 8 &&
                        memcmp(r->text.at, "texcoord", 8) == 0;
    for (size_t i = 0; !list && strcmp(of->name, "vertex") == 0 && i < sizeof roles / sizeof *roles;
         i++)
        if (ply_take_word(r, roles[i].word)) return roles[i].role;
    r->text.at += cloth_reader_word(&r->text);
    return SKIPPED;
}

static hed_status read_property(reader *r)
{
    element *of = r->element_count ? &r->elements[r->element_count - 1] : NULL;
    if (!of) return ply_expected(r, "an element before its properties");
    if (of->property_count == MOST_PROPERTIES)
        return hed_fail(r->text.error, HED_ERROR_LIMIT, "%s:%" PRIu64 ": more than %d properties",
            r->text.name, r->text.line, MOST_PROPERTIES);
    if (!of->properties) of->properties = calloc(MOST_PROPERTIES, sizeof *of->properties);
    if (!of->properties) return cloth_reader_starve(&r->text);
    property *added = &of->properties[of->property_count++];
    hed_status status = HED_OK;
    if (ply_take_word(r, "list")) {
        status = read_type(r, &added->count_type);
        if (status == HED_OK && added->count_type >= FLOAT32)
            return ply_wrong(r, "a list", "a whole number as the type of its length");
    }
    if (status == HED_OK) status = read_type(r, &added->type);
    if (status != HED_OK) return status;
    ply_skip_blanks(r);
    if (ply_at_line_end(r)) return ply_expected(r, "the property's name");
    added->role = role_of(r, of, added);
    if (added->role == CORNERS && added->type >= FLOAT32)
        return ply_wrong(r, "a list of numbers with a point", "vertices as whole numbers");
    for (property *earlier = of->properties; earlier < added; earlier++)
        if (added->role != SKIPPED && earlier->role == added->role)
            return ply_wrong(r, "the same property twice", "each once");
    return HED_OK;
}

static hed_status ply_read_element(reader *r)
{
    double count;
    if (r->element_count == MOST_ELEMENTS)
        return hed_fail(r->text.error, HED_ERROR_LIMIT, "%s:%" PRIu64 ": more than %d elements",
            r->text.name, r->text.line, MOST_ELEMENTS);
    ply_skip_blanks(r);
    size_t length = cloth_reader_word(&r->text);
    element *added = &r->elements[r->element_count];
    if (length == 0 || length >= sizeof added->name)
        return ply_expected(r, "an element's name of at most 31 letters");
    *added = (element){0};
    memcpy(added->name, r->text.at, length);
    r->element_count++;
    r->text.at += length;
    for (element *earlier = r->elements; earlier < added; earlier++)
        if (strcmp(earlier->name, added->name) == 0)
            return ply_wrong(r, "the same element twice", "each once");
    ply_skip_blanks(r);
    if (!take_integer(r, &count) || count < 0 || count >= CLOTH_NO_INDEX)
        return ply_expected(r, "how many there are, less than 2^32 - 1");
    added->count = (uint64_t)count;
    if (strcmp(added->name, "tristrips") == 0)
        return ply_wrong(r, "an element tristrips",
            "faces: strips of triangles are not read, write the file with faces");
    return HED_OK;
}

static hed_status read_header(reader *r)
{
    if (!ply_take_word(r, "ply") || !ply_at_line_end(r))
        return ply_expected(r, "ply in the first line");
    skip_line_end(r);
    for (bool format = false;;) {
        hed_status status = HED_OK;
        if (ply_take_word(r, "comment") || ply_take_word(r, "obj_info") || ply_at_line_end(r)) {
            if (r->text.at == r->text.end) return ply_expected(r, "end_header");
            while (!ply_at_line_end(r)) r->text.at++;
            skip_line_end(r);
            continue;
        }
        if (!format) {
            if (!ply_take_word(r, "format")) return ply_expected(r, "the format");
            bool text = ply_take_word(r, "ascii"),
                 little = !text && ply_take_word(r, "binary_little_endian");
            if (!text && !little && !ply_take_word(r, "binary_big_endian"))
                return ply_expected(r, "ascii, binary_little_endian or binary_big_endian");
            r->format = text ? TEXT : little ? LITTLE : BIG;
            if (!ply_take_word(r, "1.0")) return ply_expected(r, "version 1.0");
            format = true;
        } else if (ply_take_word(r, "element")) status = ply_read_element(r);
        else if (ply_take_word(r, "property")) status = read_property(r);
        else if (ply_take_word(r, "end_header")) {
            ply_skip_blanks(r);
            if (!ply_at_line_end(r) || r->text.at == r->text.end)
                return ply_expected(r, "the end of the line");
            skip_line_end(r);
            return HED_OK;
        } else return ply_expected(r, "element, property, comment or end_header");
        if (status == HED_OK) status = end_line(r);
        if (status != HED_OK) return status;
    }
}

/* ---- values ---- */

static double binary_value(const char *from, uint8_t type, bool big)
{
    unsigned char bytes[8];
    uint32_t size = type_bytes[type];
    for (uint32_t i = 0; i < size; i++) bytes[i] = (unsigned char)from[big ? size - 1 - i : i];
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } value;
    memcpy(&value, bytes, sizeof value);
    switch (type) {
    case INT8: return value.i8;
    case UINT8: return value.u8;
    case INT16: return value.i16;
    case UINT16: return value.u16;
    case INT32: return value.i32;
    case UINT32: return value.u32;
    case FLOAT32: return (double)value.f32;
    default: return value.f64;
    }
}

static hed_status ply_read_value(reader *r, uint8_t type, double *value)
{
    if (r->format != TEXT) {
        if ((size_t)(r->text.end - r->text.at) < type_bytes[type])
            return ply_wrong(r, "the end of the file", "its values");
        *value = binary_value(r->text.at, type, r->format == BIG);
        r->text.at += type_bytes[type];
        return HED_OK;
    }
    float number;
    ply_skip_blanks(r);
    if (type < FLOAT32) return take_integer(r, value) ? HED_OK : ply_expected(r, "a whole number");
    const char *number_end = cloth_read_number(r->text.at, r->text.end, &number);
    if (!number_end || (size_t)(number_end - r->text.at) != cloth_reader_word(&r->text))
        return ply_expected(r, "a number");
    r->text.at = number_end;
    *value = (double)number;
    return HED_OK;
}

static hed_status read_length(reader *r, const property *p, uint32_t *length)
{
    double value;
    if (ply_read_value(r, p->count_type, &value)) return r->text.error->status;
    /* bytes of each value, at least; in text a blank and a digit */
    uint64_t value_bytes = r->format == TEXT ? 2 : type_bytes[p->type];
    if (value < 0 || value > (double)((uint64_t)(r->text.end - r->text.at) / value_bytes))
        return ply_wrong(r, "a list longer than the file", "its values");
    *length = (uint32_t)value;
    return HED_OK;
}

/* ---- rows ---- */

static hed_status read_skipped(reader *r, const property *p)
{
    uint32_t length = 1;
    double value;
    hed_status status = p->count_type ? read_length(r, p, &length) : HED_OK;
    for (uint32_t i = 0; i < length && status == HED_OK; i++)
        status = ply_read_value(r, p->type, &value);
    return status;
}

static hed_status read_vertex(reader *r)
{
    const element *vertices = r->now;
    hed_cloth_mesh *mesh = r->mesh;
    double values[ROLES] = {0};
    values[ALPHA] = 1;
    for (uint32_t i = 0; i < vertices->property_count; i++) {
        const property *p = &vertices->properties[i];
        if (p->role >= ROLES) {
            if (read_skipped(r, p)) return r->text.error->status;
            continue;
        }
        double *value = &values[p->role];
        if (ply_read_value(r, p->type, value)) return r->text.error->status;
        if (!isfinite((float)*value))
            return ply_wrong(r, "a number that is not finite", "finite ones");
        if (p->role < RED || p->role > ALPHA) continue;
        /* Scaled to 1: whole numbers count to the largest of their type; int and uint, which
         * some programs write, to 255. */
        if (p->type < FLOAT32) *value /= p->type == UINT16 ? 65535 : p->type == INT16 ? 32767 : 255;
        if (!(*value >= 0 && *value <= 1))
            return ply_wrong(r, "a colour beyond its range", "0 to 255, or 0 to 1 with a point");
    }
    size_t at = mesh->vertex_count++;
    for (size_t k = 0; k < 3; k++) mesh->positions[3 * at + k] = (float)values[X + k];
    for (size_t k = 0; mesh->normals && k < 3; k++)
        mesh->normals[3 * at + k] = (float)values[NORMAL_X + k];
    for (size_t k = 0; mesh->vertex_colours && k < 4; k++)
        mesh->vertex_colours[4 * at + k] = (float)values[RED + k];
    for (size_t k = 0; mesh->textures && k < 2; k++)
        mesh->textures[2 * at + k] = (float)values[U + k];
    return HED_OK;
}

static hed_status read_corners(reader *r, const property *p)
{
    uint32_t length = 0;
    hed_status status = read_length(r, p, &length);
    if (status == HED_OK && length < 3)
        status = ply_wrong(r, "a face of fewer than 3 corners", "3 or more");
    for (uint32_t i = 0; i < length && status == HED_OK; i++) {
        double value;
        status = ply_read_value(r, p->type, &value);
        if (status != HED_OK) break;
        /* read_rows() has checked that vertices come first */
        if (value < 0 || value >= (double)r->elements[0].count) {
            char finding[40];
            snprintf(finding, sizeof finding, "vertex %.0f (counted from 0)", value);
            return ply_wrong(r, finding, "one that is there");
        }
        status = cloth_reader_push(&r->text, &r->corners, (uint32_t)value);
    }
    if (status == HED_OK && r->corners.count >= CLOTH_NO_INDEX)
        return hed_fail(r->text.error, HED_ERROR_LIMIT, "%s: more than %u corners", r->text.name,
            CLOTH_NO_INDEX);
    return status;
}

static hed_status ply_read_face(reader *r)
{
    for (uint32_t i = 0; i < r->now->property_count; i++) {
        const property *p = &r->now->properties[i];
        if (p->role == CORNERS ? read_corners(r, p) : read_skipped(r, p))
            return r->text.error->status;
    }
    return cloth_reader_push(&r->text, &r->face_at, (uint32_t)r->corners.count);
}

/* ---- elements ---- */

static bool has_role(const element *e, uint8_t role)
{
    for (uint32_t i = 0; i < e->property_count; i++)
        if (e->properties[i].role == role) return true;
    return false;
}

static hed_status ply_make_vertices(reader *r, const element *e)
{
    hed_cloth_mesh *mesh = r->mesh;
    bool normals = has_role(e, NORMAL_X) && has_role(e, NORMAL_Y) && has_role(e, NORMAL_Z);
    bool textures = has_role(e, U) && has_role(e, V);
    bool colours = has_role(e, RED) && has_role(e, GREEN) && has_role(e, BLUE);
    for (int role = X; role <= Z; role++)
        if (!has_role(e, (uint8_t)role))
            return hed_fail(r->text.error, HED_ERROR_FORMAT,
                "%s: vertices have no property %c, expected x, y and z", r->text.name, "xyz"[role]);
    mesh->positions = malloc(e->count * 3 * sizeof(float) + 1);
    if (normals) mesh->normals = malloc(e->count * 3 * sizeof(float) + 1);
    if (textures) mesh->textures = malloc(e->count * 2 * sizeof(float) + 1);
    if (colours) mesh->vertex_colours = malloc(e->count * 4 * sizeof(float) + 1);
    bool enough = mesh->positions && (mesh->normals || !normals) && (mesh->textures || !textures) &&
                  (mesh->vertex_colours || !colours);
    mesh->normal_count = normals ? (uint32_t)e->count : 0;
    mesh->texture_count = textures ? (uint32_t)e->count : 0;
    return enough ? HED_OK : cloth_reader_starve(&r->text);
}

static hed_status read_rows(reader *r, const element *e)
{
    bool vertices = strcmp(e->name, "vertex") == 0, faces = strcmp(e->name, "face") == 0;
    r->now = e;
    r->row = 0;
    /* faces are checked against vertices, and no program writes another order */
    if (vertices != (e == r->elements))
        return hed_fail(r->text.error, HED_ERROR_FORMAT,
            "%s: found element %s first, expected vertex", r->text.name, r->elements[0].name);
    if (faces && e->count > 0 && !has_role(e, CORNERS))
        return hed_fail(r->text.error, HED_ERROR_FORMAT,
            "%s: faces have no list vertex_indices (or vertex_index)", r->text.name);

    /* minimum of bytes in a row: limits a row count in the file before memory is allocated for
     * it */
    uint64_t bytes = (uint64_t)(r->text.end - r->text.at), row_bytes = 0;
    for (uint32_t i = 0; i < e->property_count; i++) {
        const property *p = &e->properties[i];
        row_bytes += r->format == TEXT ? 2 : type_bytes[p->count_type ? p->count_type : p->type];
    }
    /* rows of an element without properties take no bytes */
    if (row_bytes == 0 && !vertices) return HED_OK;
    if (row_bytes > 0 && e->count > (bytes + 1) / row_bytes)
        return hed_fail(r->text.error, HED_ERROR_FORMAT,
            "%s is cut: expected %" PRIu64 " of element %s, found %" PRIu64 " bytes for them",
            r->text.name, e->count, e->name, bytes);
    hed_status status = vertices ? ply_make_vertices(r, e) : HED_OK;
    for (; r->row < e->count && status == HED_OK; r->row++) {
        while (r->format == TEXT && (ply_skip_blanks(r), ply_at_line_end(r)) &&
               r->text.at < r->text.end)
            skip_line_end(r);
        if (vertices) status = read_vertex(r);
        else if (faces) status = ply_read_face(r);
        for (uint32_t i = 0; !vertices && !faces && i < e->property_count && !status; i++)
            status = read_skipped(r, &e->properties[i]);
        if (status == HED_OK && r->format == TEXT) status = end_line(r);
    }
    return status;
}

static hed_status ply_read_all(reader *r)
{
    hed_error *error = r->text.error;
    if (read_header(r) || cloth_reader_push(&r->text, &r->face_at, 0)) return error->status;
    if (r->element_count == 0 || r->elements[0].count == 0)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: found no vertex in it", r->text.name);
    for (uint32_t i = 0; i < r->element_count; i++)
        if (read_rows(r, &r->elements[i])) return error->status;
    if (!r->corners.rows && !cloth_list_grow(&r->corners)) return cloth_reader_starve(&r->text);
    return HED_OK;
}

/* Copies the corners: every corner has its vertex's normal and texture coordinate. */
static uint32_t *ply_copy_corners(reader *r)
{
    uint32_t *copy = malloc(r->corners.count * sizeof *copy + 1);
    if (copy) memcpy(copy, r->corners.rows, r->corners.count * sizeof *copy);
    else cloth_reader_starve(&r->text);
    return copy;
}

hed_status cloth_ply_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    hed_error local_error = {0};
    if (!error) error = &local_error;
    *mesh = (hed_cloth_mesh){0};
    reader *r = calloc(1, sizeof *r);
    if (!r) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", name);
    *r = (reader){.text = {bytes, bytes + size, name, 1, error}, .mesh = mesh};
    r->corners.size = r->face_at.size = sizeof(uint32_t);
    ply_read_all(r);
    mesh->corners = r->corners.rows;
    mesh->face_at = r->face_at.rows;
    mesh->face_count = r->face_at.count ? (uint32_t)r->face_at.count - 1 : 0;
    if (!error->status && mesh->normals) mesh->corner_normals = ply_copy_corners(r);
    if (!error->status && mesh->textures) mesh->corner_textures = ply_copy_corners(r);
    if (!error->status && r->face_textures &&
        asprintf(&mesh->warning,
            "%s: the texture coordinates of its faces (texcoord) are not read, those of vertices are",
            name) < 0) {
        mesh->warning = NULL;
        cloth_reader_starve(&r->text);
    }
    for (uint32_t i = 0; i < r->element_count; i++) free(r->elements[i].properties);
    free(r);
    if (error->status) hed_cloth_mesh_free(mesh);
    return error->status;
}

static void put_head(cloth_text *text, const hed_cloth_mesh *mesh, bool coloured, bool wide)
{
    cloth_text_words(text, "ply\nformat binary_little_endian 1.0\nelement vertex ");
    cloth_text_integer(text, mesh->vertex_count);
    cloth_text_words(text, "\nproperty float x\nproperty float y\nproperty float z\n");
    if (coloured)
        cloth_text_words(text,
            "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n");
    cloth_text_words(text, "element face ");
    cloth_text_integer(text, mesh->face_count);
    cloth_text_words(text, wide ? "\nproperty list uint uint vertex_indices\n"
                                : "\nproperty list uchar uint vertex_indices\n");
    cloth_text_words(text, "end_header\n");
}

hed_status hed_cloth_mesh_save_ply(const hed_cloth_mesh *mesh, const char *path,
    const float *positions, const uint8_t *colours, hed_error *error)
{
    HED_REQUIRE(path, mesh);
    if (!positions) positions = mesh->positions;
    cloth_text *text;
    hed_status status = cloth_mesh_require_finite(path, positions, mesh->vertex_count, error);
    if (status || (status = cloth_text_open(path, &text, error))) return status;
    bool wide = false; /* true: a face's count of corners exceeds a byte */
    for (uint32_t face = 0; face < mesh->face_count; face++)
        wide = wide || mesh->face_at[face + 1] - mesh->face_at[face] > UINT8_MAX;
    put_head(text, mesh, colours || mesh->vertex_colours, wide);
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        uint8_t colour[4];
        cloth_text_put(text, (const char *)(positions + 3 * vertex), 3 * sizeof(float));
        if (colours) memcpy(colour, colours + 4 * vertex, sizeof colour);
        else if (mesh->vertex_colours)
            for (size_t c = 0; c < 4; c++)
                colour[c] = (uint8_t)(mesh->vertex_colours[4 * vertex + c] * 255 + 0.5f);
        if (colours || mesh->vertex_colours)
            cloth_text_put(text, (const char *)colour, sizeof colour);
    }
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh->face_at[face], count = mesh->face_at[face + 1] - first;
        cloth_text_put(text, (const char *)&count,
            wide ? sizeof count : 1); /* little-endian: the lowest byte comes first */
        cloth_text_put(text, (const char *)(mesh->corners + first), count * sizeof *mesh->corners);
    }
    return cloth_text_close(text, error);
}
