/* Reader of Alembic caches (alembic.h): all meshes of a file, or the meshes below a named object, each placed by the
 * transforms above it (schema AbcGeom_Xform_v3; of a subdivision surface, its cage), at the first sample or at times in even steps. */
#include "files/alembic.h"
#include "files/mesh_file.h"
#include "heddle/author.h"
#include "support/strict_math.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NUMBERS ((uint64_t)1 << 31)
#define DEGREE 0.017453292519943295
#define ACYCLIC 1e300 /* a period above it: every sample has a stored time */

enum { MOST_ELEMENTS = 1 << 28,
    MOST_DEPTH = 64,
    MOST_METAS = 256,
    KEY_BYTES = 16,
    NO_TRANSFORM = -1
};

typedef struct span {
    const char *bytes;
    uint64_t size;
} span;

/* Times of samples: `count` stored ones, repeated with a period. */
typedef struct timing {
    double period;
    uint32_t count;
    const char *times;
} timing;

typedef struct group {
    uint64_t place, count;
} group;

typedef struct property {
    uint32_t bits, samples, first, last, timing;
    group children;
} property;

typedef struct transform {
    int32_t parent; /* NO_TRANSFORM: the world */
    bool is_own;    /* the parent does not move it */
    property ops, values;
} transform;

typedef struct shape {
    int32_t transform;
    span name;
    property positions, corners, counts, textures, texture_corners;
    uint32_t first, vertices; /* vertices in the whole mesh */
} shape;

/* An open archive. The first error is kept in `error`. */
typedef struct archive {
    const char *bytes, *name, *node;
    uint64_t size;
    hed_error *error; /* not NULL */
    span metas[MOST_METAS];
    cloth_list timings, transforms, shapes;
    uint32_t objects;
    uint32_t thin_faces; /* skipped faces of fewer than three corners */
} archive;

/* ---- container ---- */

static bool fine(const archive *a) { return a->error->status == HED_OK; }

static void reject(archive *a, uint64_t place, const char *expected)
{
    if (fine(a))
        hed_fail(a->error, HED_ERROR_FORMAT, "%s: byte %" PRIu64 ": expected %s", a->name, place, expected);
}

static void alembic_starve(archive *a)
{
    if (fine(a)) HED_OUT_OF_MEMORY(a->error, "the meshes of %s", a->name);
}

static uint64_t archive_word(const archive *a, uint64_t place)
{
    uint64_t word;
    memcpy(&word, a->bytes + place, sizeof word);
    return word;
}

static group open_children(archive *a, uint64_t place)
{
    if (place == 0 || !fine(a)) return (group){0};
    if (place & CLOTH_ALEMBIC_DATA || place > a->size - 8) {
        reject(a, place & ~CLOTH_ALEMBIC_DATA, "a group");
        return (group){0};
    }
    group g = {place + 8, archive_word(a, place)};
    if (g.count <= (a->size - place - 8) / 8) return g;
    reject(a, place, "as many children as there is room for");
    return (group){0};
}

static uint64_t child(archive *a, group g, uint64_t index)
{
    if (index < g.count) return archive_word(a, g.place + 8 * index);
    reject(a, g.place, "another child of this group");
    return CLOTH_ALEMBIC_DATA;
}

static span open_data(archive *a, uint64_t word)
{
    uint64_t place = word & ~CLOTH_ALEMBIC_DATA;
    if (place == 0 || !fine(a)) return (span){0};
    if (!(word & CLOTH_ALEMBIC_DATA) || place > a->size - 8 ||
        archive_word(a, place) > a->size - place - 8) {
        reject(a, place, "data within the file");
        return (span){0};
    }
    return (span){a->bytes + place + 8, archive_word(a, place)};
}

/* Takes `size` bytes of a span; NULL: it has fewer. */
static const char *take_bytes(archive *a, span *s, uint64_t size)
{
    const char *bytes = s->bytes;
    if (size > s->size) {
        reject(a, s->bytes ? (uint64_t)(s->bytes - a->bytes) : 0, "a longer header");
        return NULL;
    }
    s->bytes += size;
    s->size -= size;
    return bytes;
}

/* Takes a number of 1, 2 or 4 bytes. */
static uint32_t take_number(archive *a, span *s, uint32_t size)
{
    uint32_t number = 0;
    const char *bytes = take_bytes(a, s, size);
    if (bytes) memcpy(&number, bytes, size);
    return number;
}

static double take_double(archive *a, span *s)
{
    double number = 0;
    const char *bytes = take_bytes(a, s, sizeof number);
    if (bytes) memcpy(&number, bytes, sizeof number);
    return number;
}

static span take_span(archive *a, span *s, uint32_t size)
{
    const char *bytes = take_bytes(a, s, size);
    return bytes ? (span){bytes, size} : (span){0};
}

static bool span_is(span s, const char *text)
{
    return s.size == strlen(text) && memcmp(s.bytes, text, s.size) == 0;
}

static bool span_has(span s, const char *text)
{
    return s.bytes && memmem(s.bytes, s.size, text, strlen(text));
}

/* ---- properties ---- */

/* Takes a property's header without the place of its children; returns its name. */
static span take_header(archive *a, span *headers, property *p)
{
    *p = (property){.bits = take_number(a, headers, 4)};
    uint32_t hint = p->bits >> CLOTH_ALEMBIC_HINT & 3, bytes = hint < 3 ? 1u << hint : 4;
    if (hint == 3) reject(a, (uint64_t)(headers->bytes - a->bytes), "numbers of 1, 2 or 4 bytes");
    if (p->bits & CLOTH_ALEMBIC_KIND) {
        p->samples = take_number(a, headers, bytes);
        p->first = !(p->bits & CLOTH_ALEMBIC_CONSTANT);
        p->last = p->first && p->samples ? p->samples - 1 : 0;
        if (p->bits & CLOTH_ALEMBIC_RANGE) {
            p->first = take_number(a, headers, bytes);
            p->last = take_number(a, headers, bytes);
        }
        if (p->bits & CLOTH_ALEMBIC_TIMED) p->timing = take_number(a, headers, bytes);
    }
    span name = take_span(a, headers, take_number(a, headers, bytes));
    if (p->bits >> CLOTH_ALEMBIC_META == 255) take_span(a, headers, take_number(a, headers, bytes));
    if (p->timing >= a->timings.count) reject(a, (uint64_t)(headers->bytes - a->bytes), "the number of a time sampling");
    return name;
}

/* Finds a property of a compound; `samples` is 0 if the compound has no such property. */
static property find_property(archive *a, group compound, const char *name)
{
    property absent = {0};
    if (!compound.count || !fine(a)) return absent;
    span headers = open_data(a, child(a, compound, compound.count - 1));
    for (uint64_t i = 0; headers.size && fine(a); i++) {
        property p;
        if (!span_is(take_header(a, &headers, &p), name)) continue;
        p.children = open_children(a, child(a, compound, i));
        return p;
    }
    return absent;
}

/* Opens a sample's contents, which have to be of a type; an empty span: the property has no samples. */
static span open_sample(
    archive *a, const property *p, uint32_t sample, cloth_alembic_type type, uint64_t bytes)
{
    if (!p->samples || !fine(a)) return (span){0};
    if ((p->bits >> CLOTH_ALEMBIC_TYPE & 15) != type) {
        reject(a, p->children.place, "numbers of another type");
        return (span){0};
    }
    if (sample >= p->samples) sample = p->samples - 1;
    uint64_t index = sample < p->first || p->last == 0 ? 0
                     : sample > p->last                ? (uint64_t)p->last - p->first + 1
                                                       : (uint64_t)sample - p->first + 1;
    span s = open_data(a, child(a, p->children, p->bits & CLOTH_ALEMBIC_ARRAY ? 2 * index : index));
    if (s.size >= KEY_BYTES) take_bytes(a, &s, KEY_BYTES);
    if (s.size % bytes) reject(a, (uint64_t)(s.bytes - a->bytes), "whole elements");
    return s;
}

/* ---- times ---- */

static bool is_constant(const property *p)
{
    return p->samples < 2 || (p->first == 0 && p->last == 0);
}

static const timing *timing_of(const archive *a, const property *p)
{
    return (const timing *)a->timings.rows + p->timing;
}

static double sample_time(const archive *a, const property *p, uint32_t sample)
{
    const timing *t = timing_of(a, p);
    uint32_t stored = t->period > ACYCLIC && sample >= t->count ? t->count - 1 : sample % t->count;
    double time;
    memcpy(&time, t->times + sizeof time * stored, sizeof time);
    return t->period > ACYCLIC ? time : time + t->period * (sample / t->count);
}

/* Finds the last sample that is not after a time, and how near a time is to the next one, 0 to 1. */
static uint32_t sample_at(const archive *a, const property *p, double time, float *part)
{
    uint32_t low = 0, high = is_constant(p) ? 0 : p->samples - 1;
    *part = 0;
    while (low < high) { /* sample_time(low) <= time, unless low is 0 */
        uint32_t middle = high - (high - low) / 2;
        if (sample_time(a, p, middle) <= time + 1e-7) low = middle;
        else high = middle - 1;
    }
    if (is_constant(p) || low + 1 >= p->samples) return low;
    double from = sample_time(a, p, low), to = sample_time(a, p, low + 1);
    if (to > from && time > from + 1e-7) *part = (float)((time - from) / (to - from));
    return low;
}

static void read_samplings(archive *a, span s)
{
    while (s.size && fine(a)) {
        take_number(a, &s, 4); /* number of samples */
        timing t = {.period = take_double(a, &s)};
        t.count = take_number(a, &s, 4);
        t.times = take_bytes(a, &s, (uint64_t)t.count * sizeof(double));
        if (t.count == 0) reject(a, 0, "a time for each time sampling");
        timing *row = cloth_list_add(&a->timings);
        if (!row) alembic_starve(a);
        else *row = t;
    }
}

/* ---- objects ---- */

static void read_transform(archive *a, group properties, int32_t *parent)
{
    transform t = {.parent = *parent};
    group schema = find_property(a, properties, ".xform").children;
    property inherits = find_property(a, schema, ".inherits");
    span own = open_sample(a, &inherits, 0, CLOTH_ALEMBIC_BOOL, 1);
    t.is_own = own.size && !own.bytes[0];
    t.ops = find_property(a, schema, ".ops");
    t.values = find_property(a, schema, ".vals");
    transform *row = fine(a) ? cloth_list_add(&a->transforms) : NULL;
    if (row) *row = t;
    else alembic_starve(a);
    *parent = (int32_t)a->transforms.count - 1;
}

static void read_polygons(archive *a, group properties, span name, int32_t parent)
{
    group schema = find_property(a, properties, ".geom").children, uv = {0};
    shape s = {.transform = parent, .name = name, .positions = find_property(a, schema, "P"),
        .corners = find_property(a, schema, ".faceIndices"), .counts = find_property(a, schema, ".faceCounts")};
    property textures = find_property(a, schema, "uv");
    if (textures.bits & CLOTH_ALEMBIC_KIND) s.textures = textures; /* one for each corner */
    else uv = textures.children;
    if (uv.count) {
        s.textures = find_property(a, uv, ".vals");
        s.texture_corners = find_property(a, uv, ".indices");
    }
    if (fine(a) && (!s.positions.samples || !s.corners.samples || !s.counts.samples))
        reject(a, properties.place, "points and faces of a mesh");
    shape *row = fine(a) ? cloth_list_add(&a->shapes) : NULL;
    if (row) *row = s;
    else alembic_starve(a);
}

/* Reads the objects below one; `is_chosen`: it or one above it has the name that is asked for. */
static void read_objects(archive *a, group object, int32_t parent, bool is_chosen, int depth)
{
    if (!object.count || !fine(a)) return;
    span headers = open_data(a, child(a, object, object.count - 1));
    for (uint64_t i = 1; headers.size > 32 && fine(a); i++) {
        span name = take_span(a, &headers, take_number(a, &headers, 4));
        uint32_t number = take_number(a, &headers, 1);
        span meta =
            number == 255 ? take_span(a, &headers, take_number(a, &headers, 4)) : a->metas[number];
        group children = open_children(a, child(a, object, i)),
              properties = children.count ? open_children(a, child(a, children, 0)) : children;
        bool chosen = is_chosen || span_is(name, a->node);
        int32_t place = parent;
        if (++a->objects > a->size / 24 || depth > MOST_DEPTH) reject(a, object.place, "no object within itself");
        if (fine(a) && span_has(meta, "AbcGeom_Xform")) read_transform(a, properties, &place);
        if (fine(a) && chosen &&
            (span_has(meta, "AbcGeom_PolyMesh") || span_has(meta, "AbcGeom_SubD")))
            read_polygons(a, properties, name, place);
        read_objects(a, children, place, chosen, depth + 1);
    }
}

static void read_metas(archive *a, span s)
{
    for (uint32_t i = 1; s.size && i < MOST_METAS - 1 && fine(a); i++)
        a->metas[i] = take_span(a, &s, take_number(a, &s, 1));
}

/* Opens an archive; call archive_close() in any case. */
static hed_status archive_open(
    archive *a, const char *name, const char *bytes, size_t size, hed_error *error)
{
    const char *node = cloth_node_in(name);
    *a = (archive){.bytes = bytes,
        .name = name,
        .node = node ? node + 1 : "",
        .size = size,
        .error = error,
        .timings.size = sizeof(timing),
        .transforms.size = sizeof(transform),
        .shapes.size = sizeof(shape)};
    if (size >= 4 && memcmp(bytes, "\x89HDF", 4) == 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: an Alembic cache in HDF5, as programs wrote it until 2013; expected its core Ogawa: export it anew", name);
    if (size < 24 || memcmp(bytes, "Ogawa", 5) != 0)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: expected an Alembic cache, which begins with \"Ogawa\"", name);
    if (bytes[5] != '\xff')
        return hed_fail(error, HED_ERROR_FORMAT, "%s: the program that wrote it did not close it", name);
    group root = open_children(a, archive_word(a, 8));
    read_samplings(a, open_data(a, child(a, root, 4)));
    read_metas(a, open_data(a, child(a, root, 5)));
    if (fine(a)) read_objects(a, open_children(a, child(a, root, 2)), NO_TRANSFORM, !node, 0);
    if (fine(a) && !a->shapes.count)
        hed_fail(error, HED_ERROR_FORMAT, node ? "%s: no mesh in an object \"%s\"" : "%s: no mesh", name, a->node);
    return error->status;
}

static void archive_close(archive *a)
{
    free(a->timings.rows);
    free(a->transforms.rows);
    free(a->shapes.rows);
}

/* ---- places ---- */

/* Computes b = a b of matrices whose rows are multiplied from the left. */
static void multiply_from_left(const double a[16], double b[16])
{
    double product[16];
    for (int i = 0; i < 16; i++) {
        product[i] = 0;
        for (int k = 0; k < 4; k++) product[i] += a[i / 4 * 4 + k] * b[4 * k + i % 4];
    }
    memcpy(b, product, sizeof product);
}

/* Makes the matrix of an operation (0 scale, 1 move, 2 turn about an axis, 3 matrix, 4 to 6 turn about x, y, z) of its
 * numbers. Returns how many it takes; 0: there are fewer. */
static uint32_t make_matrix(uint32_t operation, const double *v, uint64_t count, double m[16])
{
    static const uint8_t widths[] = {3, 3, 4, 16, 1, 1, 1};
    for (int i = 0; i < 16; i++) m[i] = i % 5 == 0;
    if (operation >= HED_COUNT(widths) || widths[operation] > count) return 0;
    if (operation == 3) memcpy(m, v, 16 * sizeof *m);
    for (int k = 0; operation < 2 && k < 3; k++) m[operation == 0 ? 5 * k : 12 + k] = v[k];
    if (operation == 2 || operation > 3) {
        double axis[3] = {operation == 4, operation == 5, operation == 6};
        if (operation == 2) memcpy(axis, v, sizeof axis);
        double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]),
               angle = v[operation == 2 ? 3 : 0] * DEGREE, c = hed_strict_cos(angle),
               s = hed_strict_sin(angle);
        for (int k = 0; k < 3; k++) axis[k] = length > 0 ? axis[k] / length : 0;
        for (int i = 0; length > 0 && i < 3; i++)
            for (int k = 0; k < 3; k++) {
                double cross = i == k ? 0 : ((k - i + 3) % 3 == 1 ? 1 : -1) * axis[3 - i - k];
                m[4 * i + k] = axis[i] * axis[k] * (1 - c) + (i == k ? c : 0) + cross * s;
            }
    }
    return widths[operation];
}

/* Numbers of a transform's operations at a time, at most `most`; returns their count. */
static uint64_t values_at(archive *a, const property *p, double time, double *values, uint64_t most)
{
    float part;
    uint32_t sample = sample_at(a, p, time, &part);
    span from = open_sample(a, p, sample, CLOTH_ALEMBIC_DOUBLE, sizeof(double)),
         to = part > 0 ? open_sample(a, p, sample + 1, CLOTH_ALEMBIC_DOUBLE, sizeof(double)) : from;
    uint64_t count = from.size / sizeof(double);
    if (count > most || to.size != from.size) {
        reject(a, p->children.place, "fewer operations of a transform, as many in all samples");
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        double x, y;
        memcpy(&x, from.bytes + sizeof x * i, sizeof x);
        memcpy(&y, to.bytes + sizeof y * i, sizeof y);
        values[i] = x + (double)part * (y - x);
    }
    return count;
}

/* Computes the place of a transform in the world. */
static void place_at(archive *a, int32_t index, double time, double world[16])
{
    enum { MOST_VALUES = 1024 };
    double values[MOST_VALUES], own[16], m[16];
    for (int i = 0; i < 16; i++) world[i] = i % 5 == 0;
    while (index != NO_TRANSFORM && fine(a)) {
        const transform *t = (const transform *)a->transforms.rows + index;
        span ops = open_sample(a, &t->ops, 0, CLOTH_ALEMBIC_UINT8, 1);
        uint64_t count = values_at(a, &t->values, time, values, MOST_VALUES), at = 0;
        for (int i = 0; i < 16; i++) own[i] = i % 5 == 0;
        for (uint64_t i = 0; i < ops.size && fine(a); i++) {
            uint32_t width = make_matrix((uint8_t)ops.bytes[i] >> 4, values + at, count - at, m);
            if (!width) reject(a, t->ops.children.place, "numbers for each operation of a transform");
            multiply_from_left(m, own);
            at += width;
        }
        multiply_from_left(world, own); /* operations of parents come last */
        memcpy(world, own, sizeof own);
        index = t->is_own ? NO_TRANSFORM : t->parent;
    }
}

/* Writes the positions of all shapes at a time. */
static void pose(archive *a, double time, float *positions)
{
    for (size_t i = 0; i < a->shapes.count && fine(a); i++) {
        const shape *s = (const shape *)a->shapes.rows + i;
        double m[16];
        float part;
        uint32_t sample = sample_at(a, &s->positions, time, &part), width = 3 * sizeof(float);
        span from = open_sample(a, &s->positions, sample, CLOTH_ALEMBIC_FLOAT, width),
             to = part > 0 ? open_sample(a, &s->positions, sample + 1, CLOTH_ALEMBIC_FLOAT, width)
                           : from;
        if (fine(a) && (from.size != (uint64_t)width * s->vertices || to.size != from.size))
            reject(a, s->positions.children.place, "as many points in all samples");
        place_at(a, s->transform, time, m);
        for (uint64_t v = 0; v < s->vertices && fine(a); v++) {
            float x[3], y[3];
            memcpy(x, from.bytes + width * v, sizeof x);
            memcpy(y, to.bytes + width * v, sizeof y);
            for (int k = 0; k < 3; k++) x[k] += part * (y[k] - x[k]);
            for (int k = 0; k < 3; k++)
                positions[3 * (s->first + v) + (unsigned)k] =
                    (float)(x[0] * m[k] + x[1] * m[4 + k] + x[2] * m[8 + k] + m[12 + k]);
        }
    }
}

static void require_finite(archive *a, const float *positions, uint32_t vertices)
{
    if (cloth_mesh_require_finite(a->name, positions, vertices, a->error))
        a->error->status = HED_ERROR_FORMAT;
}

/* ---- meshes ---- */

static uint32_t index_at(span s, uint64_t i)
{
    uint32_t index;
    memcpy(&index, s.bytes + sizeof index * i, sizeof index);
    return index;
}

/* Records a LIMIT error: objects that show one array again and again request any amount of memory. */
static void require_room(archive *a, uint64_t elements)
{
    if (elements > MOST_ELEMENTS && fine(a))
        hed_fail(a->error, HED_ERROR_LIMIT, "%s: over %d vertices, corners or texture coordinates", a->name, MOST_ELEMENTS);
}

/* Counts the vertices of all shapes; 0: an error is recorded. */
static uint32_t count_vertices(archive *a)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->shapes.count && fine(a); i++) {
        shape *s = (shape *)a->shapes.rows + i;
        uint64_t vertices =
            open_sample(a, &s->positions, 0, CLOTH_ALEMBIC_FLOAT, 3 * sizeof(float)).size /
            (3 * sizeof(float));
        require_room(a, count + vertices);
        s->first = (uint32_t)count;
        s->vertices = (uint32_t)vertices;
        count += vertices;
    }
    if (fine(a) && !count) reject(a, 0, "points of a mesh");
    return fine(a) ? (uint32_t)count : 0;
}

static uint32_t *add_word(archive *a, cloth_list *list)
{
    uint32_t *word = cloth_list_add(list);
    if (!word) alembic_starve(a);
    return word;
}

/* Reads texture coordinates; returns the index of the first, CLOTH_NO_INDEX if they are not one for each corner. */
static uint32_t alembic_add_textures(
    archive *a, const shape *s, uint64_t corners, span *indices, cloth_rows *rows)
{
    cloth_list *list = &rows->elements[CLOTH_TEXTURE];
    uint32_t first = (uint32_t)list->count, width = 2 * sizeof(float);
    *indices = (span){0};
    if (!s->textures.samples ||
        (s->textures.bits >> CLOTH_ALEMBIC_TYPE & 15) != CLOTH_ALEMBIC_FLOAT)
        return CLOTH_NO_INDEX;
    span values = open_sample(a, &s->textures, 0, CLOTH_ALEMBIC_FLOAT, width);
    *indices = open_sample(a, &s->texture_corners, 0, CLOTH_ALEMBIC_UINT32, sizeof(uint32_t));
    uint64_t count = values.size / width;
    if (s->texture_corners.samples ? indices->size / sizeof(uint32_t) != corners : count != corners)
        return CLOTH_NO_INDEX;
    for (uint64_t i = 0; i < indices->size / sizeof(uint32_t) && fine(a); i++)
        if (index_at(*indices, i) >= count) reject(a, s->texture_corners.children.place, "texture coordinates that exist");
    require_room(a, list->count + count);
    for (uint64_t i = 0; i < count && fine(a); i++) {
        float *row = cloth_list_add(list);
        if (row) memcpy(row, values.bytes + width * i, width);
        else alembic_starve(a);
    }
    return first;
}

/* Adds the faces of a shape, whose corners the file has in reverse. */
static void alembic_add_faces(archive *a, const shape *s, cloth_rows *rows, bool *textured)
{
    span counts = open_sample(a, &s->counts, 0, CLOTH_ALEMBIC_INT32, sizeof(uint32_t)),
         corners = open_sample(a, &s->corners, 0, CLOTH_ALEMBIC_INT32, sizeof(uint32_t)), uv;
    uint64_t at = 0, most = corners.size / sizeof(uint32_t);
    uint32_t first = alembic_add_textures(a, s, most, &uv, rows);
    *textured |= first != CLOTH_NO_INDEX;
    require_room(a, rows->corners[CLOTH_POSITION].count + most);
    require_room(a, rows->face_at.count + counts.size / sizeof(uint32_t));
    for (uint64_t face = 0; face < counts.size / sizeof(uint32_t) && fine(a); face++) {
        uint64_t end = at + index_at(counts, face);
        if (end > most) reject(a, s->counts.children.place, "as many corners as the faces have");
        for (uint64_t k = end; end >= at + 3 && k > at && fine(a); k--) {
            uint32_t vertex = index_at(corners, k - 1);
            uint32_t *corner = add_word(a, &rows->corners[CLOTH_POSITION]),
                     *texture = add_word(a, &rows->corners[CLOTH_TEXTURE]);
            if (vertex >= s->vertices) reject(a, s->corners.children.place, "vertices that exist");
            if (!corner || !texture) return;
            *corner = s->first + vertex;
            *texture = first == CLOTH_NO_INDEX
                           ? first
                           : first + (uv.size ? index_at(uv, k - 1) : (uint32_t)(k - 1));
        }
        uint32_t *row = end >= at + 3 ? add_word(a, &rows->face_at) : NULL;
        if (row) *row = (uint32_t)rows->corners[CLOTH_POSITION].count;
        else a->thin_faces++;
        at = end;
    }
}

static void alembic_add_span(archive *a, const shape *s, cloth_rows *rows)
{
    hed_cloth_mesh_span *row = cloth_list_add(&rows->groups);
    char *name = strndup(s->name.bytes, s->name.size);
    if (row && name)
        *row = (hed_cloth_mesh_span){
            .name = name, .first_face = (uint32_t)rows->face_at.count - 1, .object = true};
    else {
        if (row) rows->groups.count--;
        free(name);
        alembic_starve(a);
    }
}

static void read_shapes(archive *a, hed_cloth_mesh *mesh)
{
    cloth_rows rows = cloth_rows_empty();
    bool used[CLOTH_CORNER_KINDS] = {true};
    uint32_t vertices = count_vertices(a), *start = fine(a) ? add_word(a, &rows.face_at) : NULL;
    float *positions = fine(a) ? malloc(3 * sizeof *positions * (size_t)vertices) : NULL;
    if (start) *start = 0;
    if (!positions) alembic_starve(a);
    for (size_t i = 0; i < a->shapes.count && fine(a); i++) {
        const shape *s = (const shape *)a->shapes.rows + i;
        alembic_add_span(a, s, &rows);
        if (fine(a)) alembic_add_faces(a, s, &rows, &used[CLOTH_TEXTURE]);
    }
    if (fine(a)) pose(a, -INFINITY, positions);
    if (fine(a)) require_finite(a, positions, vertices);
    cloth_rows_take(&rows, used, mesh);
    mesh->positions = positions;
    mesh->vertex_count = vertices;
    if (fine(a) && a->thin_faces &&
        asprintf(&mesh->warning, "%s: %u faces of fewer than three corners are skipped", a->name, a->thin_faces) < 0)
        mesh->warning = NULL;
    if (!fine(a)) hed_cloth_mesh_free(mesh);
}

hed_status cloth_alembic_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    archive a;
    *mesh = (hed_cloth_mesh){0};
    hed_error first = {0};
    if (!archive_open(&a, name, bytes, size, &first)) read_shapes(&a, mesh);
    archive_close(&a);
    if (first.status && error) *error = first;
    return first.status;
}

/* ---- sampling ---- */

/* Time from the first to the last sample of all that moves, and the number of samples if all have the same times in even
 * steps. */
typedef struct extent {
    double from, to;
    uint32_t samples, timing;
    bool moves, is_even;
} extent;

static void extent_add(const archive *a, const property *p, extent *e)
{
    if (is_constant(p)) return;
    double from = sample_time(a, p, 0), to = sample_time(a, p, p->samples - 1);
    bool even = timing_of(a, p)->count == 1;
    e->is_even =
        even && (!e->moves || (e->is_even && e->timing == p->timing && e->samples == p->samples));
    e->from = e->moves ? fmin(e->from, from) : from;
    e->to = e->moves ? fmax(e->to, to) : to;
    e->samples = p->samples;
    e->timing = p->timing;
    e->moves = true;
}

static void sample_archive(archive *a, double rate, hed_cloth_pc2_data *samples)
{
    uint32_t vertices = count_vertices(a);
    extent e = {0};
    for (size_t i = 0; i < a->shapes.count && fine(a); i++) {
        const shape *s = (const shape *)a->shapes.rows + i;
        extent_add(a, &s->positions, &e);
        for (int32_t t = s->transform; t != NO_TRANSFORM;
             t = ((const transform *)a->transforms.rows)[t].parent)
            extent_add(a, &((const transform *)a->transforms.rows)[t].values, &e);
        if (!is_constant(&s->corners) || !is_constant(&s->counts))
            reject(a, s->corners.children.place, "the same faces in all samples");
    }
    double seconds = e.to - e.from, steps = !e.moves    ? 0
                                            : e.is_even ? e.samples - 1.0
                                                        : fmax(rint(seconds * rate), 1);
    if (fine(a) && !(seconds >= 0 && seconds < 1e9)) reject(a, 0, "times that grow");
    if (fine(a) && 3.0 * vertices * (steps + 1) > (double)MOST_NUMBERS)
        hed_fail(a->error, HED_ERROR_LIMIT, "%s: %u vertices in %.0f samples are more than 2^31 numbers", a->name, vertices,
            steps + 1);
    uint32_t count = fine(a) ? (uint32_t)steps + 1 : 0;
    float *positions = fine(a) ? malloc(3 * sizeof *positions * (size_t)vertices * count) : NULL;
    if (fine(a) && !positions) HED_OUT_OF_MEMORY(a->error, "the samples of %s", a->name);
    for (uint32_t s = 0; s < count && fine(a); s++) {
        float *at = positions + 3 * (size_t)vertices * s;
        pose(a, e.from + (steps > 0 ? seconds * s / steps : 0), at);
        if (fine(a)) require_finite(a, at, vertices);
    }
    *samples = (hed_cloth_pc2_data){
        vertices, count, 0, (float)(seconds > 0 ? rate * seconds / steps : 1), positions};
    if (!fine(a)) hed_cloth_pc2_free(samples);
}

hed_status cloth_alembic_sample(const char *name, const char *bytes, size_t size, double rate,
    hed_cloth_pc2_data *samples, hed_error *error)
{
    archive a;
    hed_error first = {0};
    *samples = (hed_cloth_pc2_data){0};
    if (!(rate > 0)) return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %g samples a second; expected above 0", name, rate);
    if (!archive_open(&a, name, bytes, size, &first)) sample_archive(&a, rate, samples);
    archive_close(&a);
    if (first.status && error) *error = first;
    return first.status;
}
