/* Container of an Alembic archive: groups and data, properties, times of samples, and a walk over
 * its objects. */
#include "files/alembic_archive.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ACYCLIC 1e300 /* a period above it: every sample has a stored time */

enum { MOST_DEPTH = 64, KEY_BYTES = 16 };

/* ---- container ---- */

bool cloth_archive_fine(const cloth_archive *a) { return a->error->status == HED_OK; }

void cloth_archive_reject(cloth_archive *a, uint64_t place, const char *expected)
{
    if (cloth_archive_fine(a))
        hed_fail(a->error, HED_ERROR_FORMAT, "%s: byte %" PRIu64 ": expected %s", a->name, place, expected);
}

void cloth_archive_starve(cloth_archive *a)
{
    if (cloth_archive_fine(a)) HED_OUT_OF_MEMORY(a->error, "the meshes of %s", a->name);
}

static uint64_t archive_word(const cloth_archive *a, uint64_t place)
{
    uint64_t word;
    memcpy(&word, a->bytes + place, sizeof word);
    return word;
}

static cloth_archive_group open_children(cloth_archive *a, uint64_t place)
{
    if (place == 0 || !cloth_archive_fine(a)) return (cloth_archive_group){0};
    if (place & CLOTH_ALEMBIC_DATA || place > a->size - 8) {
        cloth_archive_reject(a, place & ~CLOTH_ALEMBIC_DATA, "a group");
        return (cloth_archive_group){0};
    }
    cloth_archive_group g = {place + 8, archive_word(a, place)};
    if (g.count <= (a->size - place - 8) / 8) return g;
    cloth_archive_reject(a, place, "as many children as there is room for");
    return (cloth_archive_group){0};
}

static uint64_t child(cloth_archive *a, cloth_archive_group g, uint64_t index)
{
    if (index < g.count) return archive_word(a, g.place + 8 * index);
    cloth_archive_reject(a, g.place, "another child of this group");
    return CLOTH_ALEMBIC_DATA;
}

static cloth_archive_span open_data(cloth_archive *a, uint64_t word)
{
    uint64_t place = word & ~CLOTH_ALEMBIC_DATA;
    if (place == 0 || !cloth_archive_fine(a)) return (cloth_archive_span){0};
    if (!(word & CLOTH_ALEMBIC_DATA) || place > a->size - 8 ||
        archive_word(a, place) > a->size - place - 8) {
        cloth_archive_reject(a, place, "data within the file");
        return (cloth_archive_span){0};
    }
    return (cloth_archive_span){a->bytes + place + 8, archive_word(a, place)};
}

/* Takes `size` bytes of a span; NULL: it has fewer. */
static const char *take_bytes(cloth_archive *a, cloth_archive_span *s, uint64_t size)
{
    const char *bytes = s->bytes;
    if (size > s->size) {
        cloth_archive_reject(a, s->bytes ? (uint64_t)(s->bytes - a->bytes) : 0, "a longer header");
        return NULL;
    }
    s->bytes += size;
    s->size -= size;
    return bytes;
}

/* Takes a number of 1, 2 or 4 bytes. */
static uint32_t take_number(cloth_archive *a, cloth_archive_span *s, uint32_t size)
{
    uint32_t number = 0;
    const char *bytes = take_bytes(a, s, size);
    if (bytes) memcpy(&number, bytes, size);
    return number;
}

static double take_double(cloth_archive *a, cloth_archive_span *s)
{
    double number = 0;
    const char *bytes = take_bytes(a, s, sizeof number);
    if (bytes) memcpy(&number, bytes, sizeof number);
    return number;
}

static cloth_archive_span take_span(cloth_archive *a, cloth_archive_span *s, uint32_t size)
{
    const char *bytes = take_bytes(a, s, size);
    return bytes ? (cloth_archive_span){bytes, size} : (cloth_archive_span){0};
}

static bool span_is(cloth_archive_span s, const char *text)
{
    return s.size == strlen(text) && memcmp(s.bytes, text, s.size) == 0;
}

static bool span_has(cloth_archive_span s, const char *text)
{
    return s.bytes && memmem(s.bytes, s.size, text, strlen(text));
}

/* ---- properties ---- */

/* Takes a property's header without the place of its children; returns its name. */
static cloth_archive_span take_header(
    cloth_archive *a, cloth_archive_span *headers, cloth_archive_property *p)
{
    *p = (cloth_archive_property){.bits = take_number(a, headers, 4)};
    uint32_t hint = p->bits >> CLOTH_ALEMBIC_HINT & 3, bytes = hint < 3 ? 1u << hint : 4;
    if (hint == 3) cloth_archive_reject(a, (uint64_t)(headers->bytes - a->bytes), "numbers of 1, 2 or 4 bytes");
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
    cloth_archive_span name = take_span(a, headers, take_number(a, headers, bytes));
    if (p->bits >> CLOTH_ALEMBIC_META == 255) take_span(a, headers, take_number(a, headers, bytes));
    if (p->timing >= a->timings.count)
        cloth_archive_reject(
            a, (uint64_t)(headers->bytes - a->bytes), "the number of a time sampling");
    return name;
}

/* Finds a property of a compound; `samples` is 0 if the compound has no such property. */
static cloth_archive_property find_property(
    cloth_archive *a, cloth_archive_group compound, const char *name)
{
    cloth_archive_property absent = {0};
    if (!compound.count || !cloth_archive_fine(a)) return absent;
    cloth_archive_span headers = open_data(a, child(a, compound, compound.count - 1));
    for (uint64_t i = 0; headers.size && cloth_archive_fine(a); i++) {
        cloth_archive_property p;
        if (!span_is(take_header(a, &headers, &p), name)) continue;
        p.children = open_children(a, child(a, compound, i));
        return p;
    }
    return absent;
}

cloth_archive_span cloth_archive_sample(cloth_archive *a, const cloth_archive_property *p,
    uint32_t sample, cloth_alembic_type type, uint64_t bytes)
{
    if (!p->samples || !cloth_archive_fine(a)) return (cloth_archive_span){0};
    if ((p->bits >> CLOTH_ALEMBIC_TYPE & 15) != type) {
        cloth_archive_reject(a, p->children.place, "numbers of another type");
        return (cloth_archive_span){0};
    }
    if (sample >= p->samples) sample = p->samples - 1;
    uint64_t index = sample < p->first || p->last == 0 ? 0
                     : sample > p->last                ? (uint64_t)p->last - p->first + 1
                                                       : (uint64_t)sample - p->first + 1;
    cloth_archive_span s =
        open_data(a, child(a, p->children, p->bits & CLOTH_ALEMBIC_ARRAY ? 2 * index : index));
    if (s.size >= KEY_BYTES) take_bytes(a, &s, KEY_BYTES);
    if (s.size % bytes) cloth_archive_reject(a, (uint64_t)(s.bytes - a->bytes), "whole elements");
    return s;
}

/* ---- times ---- */

bool cloth_archive_is_constant(const cloth_archive_property *p)
{
    return p->samples < 2 || (p->first == 0 && p->last == 0);
}

const cloth_archive_timing *cloth_archive_timing_of(
    const cloth_archive *a, const cloth_archive_property *p)
{
    return (const cloth_archive_timing *)a->timings.rows + p->timing;
}

double cloth_archive_time(const cloth_archive *a, const cloth_archive_property *p, uint32_t sample)
{
    const cloth_archive_timing *t = cloth_archive_timing_of(a, p);
    uint32_t stored = t->period > ACYCLIC && sample >= t->count ? t->count - 1 : sample % t->count;
    double time;
    memcpy(&time, t->times + sizeof time * stored, sizeof time);
    return t->period > ACYCLIC ? time : time + t->period * (sample / t->count);
}

uint32_t cloth_archive_sample_at(
    const cloth_archive *a, const cloth_archive_property *p, double time, float *part)
{
    uint32_t low = 0, high = cloth_archive_is_constant(p) ? 0 : p->samples - 1;
    *part = 0;
    while (low < high) { /* cloth_archive_time(low) <= time, unless low is 0 */
        uint32_t middle = high - (high - low) / 2;
        if (cloth_archive_time(a, p, middle) <= time + 1e-7) low = middle;
        else high = middle - 1;
    }
    if (cloth_archive_is_constant(p) || low + 1 >= p->samples) return low;
    double from = cloth_archive_time(a, p, low), to = cloth_archive_time(a, p, low + 1);
    if (to > from && time > from + 1e-7) *part = (float)((time - from) / (to - from));
    return low;
}

static void read_samplings(cloth_archive *a, cloth_archive_span s)
{
    while (s.size && cloth_archive_fine(a)) {
        take_number(a, &s, 4); /* number of samples */
        cloth_archive_timing t = {.period = take_double(a, &s)};
        t.count = take_number(a, &s, 4);
        t.times = take_bytes(a, &s, (uint64_t)t.count * sizeof(double));
        if (t.count == 0) cloth_archive_reject(a, 0, "a time for each time sampling");
        cloth_archive_timing *row = cloth_list_add(&a->timings);
        if (!row) cloth_archive_starve(a);
        else *row = t;
    }
}

/* ---- objects ---- */

static void read_transform(cloth_archive *a, cloth_archive_group properties, int32_t *parent)
{
    cloth_archive_transform t = {.parent = *parent};
    cloth_archive_group schema = find_property(a, properties, ".xform").children;
    cloth_archive_property inherits = find_property(a, schema, ".inherits");
    cloth_archive_span own = cloth_archive_sample(a, &inherits, 0, CLOTH_ALEMBIC_BOOL, 1);
    t.is_own = own.size && !own.bytes[0];
    t.ops = find_property(a, schema, ".ops");
    t.values = find_property(a, schema, ".vals");
    cloth_archive_transform *row = cloth_archive_fine(a) ? cloth_list_add(&a->transforms) : NULL;
    if (row) *row = t;
    else cloth_archive_starve(a);
    *parent = (int32_t)a->transforms.count - 1;
}

static void read_polygons(
    cloth_archive *a, cloth_archive_group properties, cloth_archive_span name, int32_t parent)
{
    cloth_archive_group schema = find_property(a, properties, ".geom").children, uv = {0};
    cloth_archive_shape s = {.transform = parent,
        .name = name,
        .positions = find_property(a, schema, "P"),
        .corners = find_property(a, schema, ".faceIndices"),
        .counts = find_property(a, schema, ".faceCounts")};
    cloth_archive_property textures = find_property(a, schema, "uv");
    if (textures.bits & CLOTH_ALEMBIC_KIND) s.textures = textures; /* one for each corner */
    else uv = textures.children;
    if (uv.count) {
        s.textures = find_property(a, uv, ".vals");
        s.texture_corners = find_property(a, uv, ".indices");
    }
    if (cloth_archive_fine(a) && (!s.positions.samples || !s.corners.samples || !s.counts.samples))
        cloth_archive_reject(a, properties.place, "points and faces of a mesh");
    cloth_archive_shape *row = cloth_archive_fine(a) ? cloth_list_add(&a->shapes) : NULL;
    if (row) *row = s;
    else cloth_archive_starve(a);
}

/* Reads the objects below one; `is_chosen`: it or one above it has the name that is asked for. */
static void read_objects(
    cloth_archive *a, cloth_archive_group object, int32_t parent, bool is_chosen, int depth)
{
    if (!object.count || !cloth_archive_fine(a)) return;
    cloth_archive_span headers = open_data(a, child(a, object, object.count - 1));
    for (uint64_t i = 1; headers.size > 32 && cloth_archive_fine(a); i++) {
        cloth_archive_span name = take_span(a, &headers, take_number(a, &headers, 4));
        uint32_t number = take_number(a, &headers, 1);
        cloth_archive_span meta =
            number == 255 ? take_span(a, &headers, take_number(a, &headers, 4)) : a->metas[number];
        cloth_archive_group children = open_children(a, child(a, object, i)),
              properties = children.count ? open_children(a, child(a, children, 0)) : children;
        bool chosen = is_chosen || span_is(name, a->node);
        int32_t place = parent;
        if (++a->objects > a->size / 24 || depth > MOST_DEPTH)
            cloth_archive_reject(a, object.place, "no object within itself");
        if (cloth_archive_fine(a) && span_has(meta, "AbcGeom_Xform"))
            read_transform(a, properties, &place);
        if (cloth_archive_fine(a) && chosen &&
            (span_has(meta, "AbcGeom_PolyMesh") || span_has(meta, "AbcGeom_SubD")))
            read_polygons(a, properties, name, place);
        read_objects(a, children, place, chosen, depth + 1);
    }
}

static void read_metas(cloth_archive *a, cloth_archive_span s)
{
    for (uint32_t i = 1; s.size && i < CLOTH_ARCHIVE_METAS - 1 && cloth_archive_fine(a); i++)
        a->metas[i] = take_span(a, &s, take_number(a, &s, 1));
}

hed_status cloth_archive_open(
    cloth_archive *a, const char *name, const char *bytes, size_t size, hed_error *error)
{
    const char *node = cloth_node_in(name);
    *a = (cloth_archive){.bytes = bytes,
        .name = name,
        .node = node ? node + 1 : "",
        .size = size,
        .error = error,
        .timings.size = sizeof(cloth_archive_timing),
        .transforms.size = sizeof(cloth_archive_transform),
        .shapes.size = sizeof(cloth_archive_shape)};
    if (size >= 4 && memcmp(bytes, "\x89HDF", 4) == 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: an Alembic cache in HDF5, as programs wrote it until 2013; expected its core Ogawa: export it anew", name);
    if (size < 24 || memcmp(bytes, "Ogawa", 5) != 0)
        return hed_fail(error, HED_ERROR_FORMAT, "%s: expected an Alembic cache, which begins with \"Ogawa\"", name);
    if (bytes[5] != '\xff')
        return hed_fail(error, HED_ERROR_FORMAT, "%s: the program that wrote it did not close it", name);
    cloth_archive_group root = open_children(a, archive_word(a, 8));
    read_samplings(a, open_data(a, child(a, root, 4)));
    read_metas(a, open_data(a, child(a, root, 5)));
    if (cloth_archive_fine(a))
        read_objects(a, open_children(a, child(a, root, 2)), CLOTH_ARCHIVE_NO_TRANSFORM, !node, 0);
    if (cloth_archive_fine(a) && !a->shapes.count)
        hed_fail(error, HED_ERROR_FORMAT, node ? "%s: no mesh in an object \"%s\"" : "%s: no mesh", name, a->node);
    return error->status;
}

void cloth_archive_close(cloth_archive *a)
{
    free(a->timings.rows);
    free(a->transforms.rows);
    free(a->shapes.rows);
}
