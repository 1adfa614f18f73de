/* Reader of Alembic caches (alembic_archive.h): all meshes of a file, or the meshes below a named
 * object, each placed by the transforms above it (schema AbcGeom_Xform_v3; of a subdivision
 * surface, its cage), at the first sample or at times in even steps. */
#include "files/alembic_archive.h"
#include "heddle/author.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NUMBERS ((uint64_t)1 << 31)
#define MOST_SECONDS 1e9
#define DEGREE 0.017453292519943295

enum { MOST_ELEMENTS = 1 << 28 };

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

/* Makes the matrix of an operation (0 scale, 1 move, 2 turn about an axis, 3 matrix, 4 to 6 turn
 * about x, y, z) of its numbers. Returns how many it takes; 0: there are fewer. */
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
static uint64_t values_at(
    cloth_archive *a, const cloth_archive_property *p, double time, double *values, uint64_t most)
{
    float part;
    uint32_t sample = cloth_archive_sample_at(a, p, time, &part);
    cloth_archive_span from =
                           cloth_archive_sample(a, p, sample, CLOTH_ALEMBIC_DOUBLE, sizeof(double)),
                       to = part > 0 ? cloth_archive_sample(
                                           a, p, sample + 1, CLOTH_ALEMBIC_DOUBLE, sizeof(double))
                                     : from;
    uint64_t count = from.size / sizeof(double);
    if (count > most || to.size != from.size) {
        cloth_archive_reject(a, p->children.place, "fewer operations of a transform, as many in all samples");
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
static void place_at(cloth_archive *a, int32_t index, double time, double world[16])
{
    enum { MOST_VALUES = 1024 };
    double values[MOST_VALUES], own[16], m[16];
    for (int i = 0; i < 16; i++) world[i] = i % 5 == 0;
    while (index != CLOTH_ARCHIVE_NO_TRANSFORM && cloth_archive_fine(a)) {
        const cloth_archive_transform *t =
            (const cloth_archive_transform *)a->transforms.rows + index;
        cloth_archive_span ops = cloth_archive_sample(a, &t->ops, 0, CLOTH_ALEMBIC_UINT8, 1);
        uint64_t count = values_at(a, &t->values, time, values, MOST_VALUES), at = 0;
        for (int i = 0; i < 16; i++) own[i] = i % 5 == 0;
        for (uint64_t i = 0; i < ops.size && cloth_archive_fine(a); i++) {
            uint32_t width = make_matrix((uint8_t)ops.bytes[i] >> 4, values + at, count - at, m);
            if (!width) cloth_archive_reject(a, t->ops.children.place, "numbers for each operation of a transform");
            multiply_from_left(m, own);
            at += width;
        }
        multiply_from_left(world, own); /* operations of parents come last */
        memcpy(world, own, sizeof own);
        index = t->is_own ? CLOTH_ARCHIVE_NO_TRANSFORM : t->parent;
    }
}

/* Writes the positions of all shapes at a time. */
static void pose(cloth_archive *a, double time, float *positions)
{
    for (size_t i = 0; i < a->shapes.count && cloth_archive_fine(a); i++) {
        const cloth_archive_shape *s = (const cloth_archive_shape *)a->shapes.rows + i;
        double m[16];
        float part;
        uint32_t sample = cloth_archive_sample_at(a, &s->positions, time, &part),
                 width = 3 * sizeof(float);
        cloth_archive_span from = cloth_archive_sample(
                               a, &s->positions, sample, CLOTH_ALEMBIC_FLOAT, width),
                           to = part > 0 ? cloth_archive_sample(a, &s->positions, sample + 1,
                                               CLOTH_ALEMBIC_FLOAT, width)
                                         : from;
        if (cloth_archive_fine(a) &&
            (from.size != (uint64_t)width * s->vertices || to.size != from.size))
            cloth_archive_reject(a, s->positions.children.place, "as many points in all samples");
        place_at(a, s->transform, time, m);
        for (uint64_t v = 0; v < s->vertices && cloth_archive_fine(a); v++) {
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

static void require_finite(cloth_archive *a, const float *positions, uint32_t vertices)
{
    if (cloth_mesh_require_finite(a->name, positions, vertices, a->error))
        a->error->status = HED_ERROR_FORMAT;
}

/* ---- meshes ---- */

static uint32_t index_at(cloth_archive_span s, uint64_t i)
{
    uint32_t index;
    memcpy(&index, s.bytes + sizeof index * i, sizeof index);
    return index;
}

/* Records a LIMIT error: objects that show one array again and again request any amount of
 * memory. */
static void require_room(cloth_archive *a, uint64_t elements)
{
    if (elements > MOST_ELEMENTS && cloth_archive_fine(a))
        hed_fail(a->error, HED_ERROR_LIMIT, "%s: over %d vertices, corners or texture coordinates", a->name, MOST_ELEMENTS);
}

/* Counts the vertices of all shapes; 0: an error is recorded. */
static uint32_t count_vertices(cloth_archive *a)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->shapes.count && cloth_archive_fine(a); i++) {
        cloth_archive_shape *s = (cloth_archive_shape *)a->shapes.rows + i;
        uint64_t vertices =
            cloth_archive_sample(a, &s->positions, 0, CLOTH_ALEMBIC_FLOAT, 3 * sizeof(float)).size /
            (3 * sizeof(float));
        require_room(a, count + vertices);
        s->first = (uint32_t)count;
        s->vertices = (uint32_t)vertices;
        count += vertices;
    }
    if (cloth_archive_fine(a) && !count) cloth_archive_reject(a, 0, "points of a mesh");
    return cloth_archive_fine(a) ? (uint32_t)count : 0;
}

static uint32_t *add_word(cloth_archive *a, cloth_list *list)
{
    uint32_t *word = cloth_list_add(list);
    if (!word) cloth_archive_starve(a);
    return word;
}

/* Reads texture coordinates; returns the index of the first, CLOTH_NO_INDEX if they are not one for
 * each corner. */
static uint32_t alembic_add_textures(cloth_archive *a, const cloth_archive_shape *s,
    uint64_t corners, cloth_archive_span *indices, cloth_rows *rows)
{
    cloth_list *list = &rows->elements[CLOTH_TEXTURE];
    uint32_t first = (uint32_t)list->count, width = 2 * sizeof(float);
    *indices = (cloth_archive_span){0};
    if (!s->textures.samples ||
        (s->textures.bits >> CLOTH_ALEMBIC_TYPE & 15) != CLOTH_ALEMBIC_FLOAT)
        return CLOTH_NO_INDEX;
    cloth_archive_span values =
        cloth_archive_sample(a, &s->textures, 0, CLOTH_ALEMBIC_FLOAT, width);
    *indices =
        cloth_archive_sample(a, &s->texture_corners, 0, CLOTH_ALEMBIC_UINT32, sizeof(uint32_t));
    uint64_t count = values.size / width;
    if (s->texture_corners.samples ? indices->size / sizeof(uint32_t) != corners : count != corners)
        return CLOTH_NO_INDEX;
    for (uint64_t i = 0; i < indices->size / sizeof(uint32_t) && cloth_archive_fine(a); i++)
        if (index_at(*indices, i) >= count)
            cloth_archive_reject(
                a, s->texture_corners.children.place, "texture coordinates that exist");
    require_room(a, list->count + count);
    for (uint64_t i = 0; i < count && cloth_archive_fine(a); i++) {
        float *row = cloth_list_add(list);
        if (row) memcpy(row, values.bytes + width * i, width);
        else cloth_archive_starve(a);
    }
    return first;
}

/* Adds the faces of a shape, whose corners the file has in reverse. */
static void alembic_add_faces(
    cloth_archive *a, const cloth_archive_shape *s, cloth_rows *rows, bool *textured)
{
    cloth_archive_span counts = cloth_archive_sample(
                           a, &s->counts, 0, CLOTH_ALEMBIC_INT32, sizeof(uint32_t)),
                       corners = cloth_archive_sample(
                           a, &s->corners, 0, CLOTH_ALEMBIC_INT32, sizeof(uint32_t)),
                       uv;
    uint64_t at = 0, most = corners.size / sizeof(uint32_t);
    uint32_t first = alembic_add_textures(a, s, most, &uv, rows);
    *textured |= first != CLOTH_NO_INDEX;
    require_room(a, rows->corners[CLOTH_POSITION].count + most);
    require_room(a, rows->face_at.count + counts.size / sizeof(uint32_t));
    for (uint64_t face = 0; face < counts.size / sizeof(uint32_t) && cloth_archive_fine(a);
         face++) {
        uint64_t end = at + index_at(counts, face);
        if (end > most) cloth_archive_reject(a, s->counts.children.place, "as many corners as the faces have");
        for (uint64_t k = end; end >= at + 3 && k > at && cloth_archive_fine(a); k--) {
            uint32_t vertex = index_at(corners, k - 1);
            uint32_t *corner = add_word(a, &rows->corners[CLOTH_POSITION]),
                     *texture = add_word(a, &rows->corners[CLOTH_TEXTURE]);
            if (vertex >= s->vertices) cloth_archive_reject(a, s->corners.children.place, "vertices that exist");
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

static void alembic_add_span(cloth_archive *a, const cloth_archive_shape *s, cloth_rows *rows)
{
    hed_cloth_mesh_span *row = cloth_list_add(&rows->groups);
    char *name = strndup(s->name.bytes, s->name.size);
    if (row && name)
        *row = (hed_cloth_mesh_span){
            .name = name, .first_face = (uint32_t)rows->face_at.count - 1, .object = true};
    else {
        if (row) rows->groups.count--;
        free(name);
        cloth_archive_starve(a);
    }
}

/* ---- times ---- */

/* Times of all that moves: from its first to its last sample, and the number of samples if all have
 * the same times in even steps. */
typedef struct extent {
    double from, to;
    double period; /* s, after which times of a shutter repeat, several a frame; else 0 */
    uint32_t samples, timing;
    bool moves, is_even;
} extent;

static void extent_add(const cloth_archive *a, const cloth_archive_property *p, extent *e)
{
    if (cloth_archive_is_constant(p)) return;
    double from = cloth_archive_time(a, p, 0), to = cloth_archive_time(a, p, p->samples - 1);
    const cloth_archive_timing *timing = cloth_archive_timing_of(a, p);
    bool even = timing->count == 1;
    e->is_even =
        even && (!e->moves || (e->is_even && e->timing == p->timing && e->samples == p->samples));
    e->from = e->moves ? fmin(e->from, from) : from;
    e->to = e->moves ? fmax(e->to, to) : to;
    if (!even && timing->period > 0 && timing->period < MOST_SECONDS) e->period = timing->period;
    e->samples = p->samples;
    e->timing = p->timing;
    e->moves = true;
}

/* A shutter may open before its frame, whose time is a whole number of periods: the first frame is
 * the start, not the first sample. */
static extent extent_of(const cloth_archive *a)
{
    extent e = {0};
    for (size_t i = 0; i < a->shapes.count; i++) {
        const cloth_archive_shape *s = (const cloth_archive_shape *)a->shapes.rows + i;
        extent_add(a, &s->positions, &e);
        for (int32_t t = s->transform; t != CLOTH_ARCHIVE_NO_TRANSFORM;
             t = ((const cloth_archive_transform *)a->transforms.rows)[t].parent)
            extent_add(a, &((const cloth_archive_transform *)a->transforms.rows)[t].values, &e);
    }
    if (!e.moves) e.from = -INFINITY;
    double frame = e.period > 0 ? e.period * floor(e.from / e.period + 0.5 + 1e-6) : e.from;
    if (frame < e.to) e.from = frame;
    return e;
}

static void read_shapes(cloth_archive *a, hed_cloth_mesh *mesh)
{
    cloth_rows rows = cloth_rows_empty();
    bool used[CLOTH_CORNER_KINDS] = {true};
    uint32_t vertices = count_vertices(a),
             *start = cloth_archive_fine(a) ? add_word(a, &rows.face_at) : NULL;
    float *positions =
        cloth_archive_fine(a) ? malloc(3 * sizeof *positions * (size_t)vertices) : NULL;
    if (start) *start = 0;
    if (!positions) cloth_archive_starve(a);
    for (size_t i = 0; i < a->shapes.count && cloth_archive_fine(a); i++) {
        const cloth_archive_shape *s = (const cloth_archive_shape *)a->shapes.rows + i;
        alembic_add_span(a, s, &rows);
        if (cloth_archive_fine(a)) alembic_add_faces(a, s, &rows, &used[CLOTH_TEXTURE]);
    }
    if (cloth_archive_fine(a)) pose(a, extent_of(a).from, positions);
    if (cloth_archive_fine(a)) require_finite(a, positions, vertices);
    cloth_rows_take(&rows, used, mesh);
    mesh->positions = positions;
    mesh->vertex_count = vertices;
    if (cloth_archive_fine(a) && a->thin_faces &&
        asprintf(&mesh->warning, "%s: %u faces of fewer than three corners are skipped", a->name, a->thin_faces) < 0)
        mesh->warning = NULL;
    if (!cloth_archive_fine(a)) hed_cloth_mesh_free(mesh);
}

hed_status cloth_alembic_parse(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    cloth_archive a;
    *mesh = (hed_cloth_mesh){0};
    hed_error first = {0};
    if (!cloth_archive_open(&a, name, bytes, size, &first)) read_shapes(&a, mesh);
    cloth_archive_close(&a);
    if (first.status && error) *error = first;
    return first.status;
}

/* ---- sampling ---- */

static void sample_archive(cloth_archive *a, double rate, hed_cloth_pc2_data *samples)
{
    uint32_t vertices = count_vertices(a);
    extent e = extent_of(a);
    for (size_t i = 0; i < a->shapes.count && cloth_archive_fine(a); i++) {
        const cloth_archive_shape *s = (const cloth_archive_shape *)a->shapes.rows + i;
        if (!cloth_archive_is_constant(&s->corners) || !cloth_archive_is_constant(&s->counts))
            cloth_archive_reject(a, s->corners.children.place, "the same faces in all samples");
    }
    /* uneven samples, as of a shutter, are read in even steps from the first */
    double seconds = e.moves ? e.to - e.from : 0,
           steps = !e.moves    ? 0
                   : e.is_even ? e.samples - 1.0
                               : fmax(ceil(seconds * rate - 1e-6), 1),
           step = e.is_even ? seconds / steps : 1 / rate;
    if (cloth_archive_fine(a) && !(seconds >= 0 && seconds < MOST_SECONDS))
        cloth_archive_reject(a, 0, "times that grow");
    if (cloth_archive_fine(a) && 3.0 * vertices * (steps + 1) > (double)MOST_NUMBERS)
        hed_fail(a->error, HED_ERROR_LIMIT, "%s: %u vertices in %.0f samples are more than 2^31 numbers", a->name, vertices,
            steps + 1);
    uint32_t count = cloth_archive_fine(a) ? (uint32_t)steps + 1 : 0;
    float *positions =
        cloth_archive_fine(a) ? malloc(3 * sizeof *positions * (size_t)vertices * count) : NULL;
    if (cloth_archive_fine(a) && !positions)
        HED_OUT_OF_MEMORY(a->error, "the samples of %s", a->name);
    for (uint32_t s = 0; s < count && cloth_archive_fine(a); s++) {
        float *at = positions + 3 * (size_t)vertices * s;
        pose(a, s < steps ? e.from + s * step : e.to, at);
        if (cloth_archive_fine(a)) require_finite(a, at, vertices);
    }
    *samples =
        (hed_cloth_pc2_data){vertices, count, 0, (float)(seconds > 0 ? rate * step : 1), positions};
    if (!cloth_archive_fine(a)) hed_cloth_pc2_free(samples);
}

hed_status cloth_alembic_sample(const char *name, const char *bytes, size_t size, double rate,
    hed_cloth_pc2_data *samples, hed_error *error)
{
    cloth_archive a;
    hed_error first = {0};
    *samples = (hed_cloth_pc2_data){0};
    if (!(rate > 0)) return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %g samples a second; expected above 0", name, rate);
    if (!cloth_archive_open(&a, name, bytes, size, &first)) sample_archive(&a, rate, samples);
    cloth_archive_close(&a);
    if (first.status && error) *error = first;
    return first.status;
}
