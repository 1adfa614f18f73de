/* Writer of Alembic caches (alembic.h): a mesh (schema AbcGeom_PolyMesh_v1) below a transform of
 * the same name, whose points, normals and bounds have a sample for each frame. The vertical axis
 * of Alembic is y, and its faces have their corners in reverse. */
#include "files/alembic.h"
#include "files/mesh_file.h"
#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARY_VERSION = 10800, MOST_HEADERS = 2048, MOST_NAME = 256, KEY_BYTES = 16 };

/* A hash of 128 bits, by which readers know equal samples (SplitMix of Steele, Lea and Flood 2014
 * in two lanes). */
typedef struct key {
    uint64_t words[2];
} key;

typedef struct archive {
    cloth_text *text;
    uint64_t end; /* place of the next byte */
    key digest;   /* key of all samples */
} archive;

/* Headers of the properties of a compound, or of the children of an object. */
typedef struct headers {
    char bytes[MOST_HEADERS];
    size_t size;
} headers;

/* Texts of meta data by number; 0: an empty text. */
enum { PLAIN, BOX, POINT, NORMAL, TEXTURE, GEOMETRY, MESH, PLACE, TRANSFORM, META_COUNT };
static const char *const metas[META_COUNT] = {[PLAIN] = "", [BOX] = "interpretation=box",
    [POINT] = "geoScope=vtx;interpretation=point",
    [NORMAL] = "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
    [TEXTURE] = "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t",
    [GEOMETRY] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    [MESH] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    [PLACE] = "schema=AbcGeom_Xform_v3",
    [TRANSFORM] = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform"};

/* ---- keys ---- */

static uint64_t mix_bits(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static key sample_key_add(key k, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, from + i, size - i < 8 ? size - i : 8);
        k.words[0] = mix_bits(k.words[0] ^ word);
        k.words[1] = mix_bits(k.words[1] + word + k.words[0]);
    }
    return (key){{mix_bits(k.words[0] ^ size), mix_bits(k.words[1] + size)}};
}

/* ---- container ---- */

static void archive_put(archive *a, const void *bytes, size_t size)
{
    cloth_text_put(a->text, bytes, size);
    a->end += size;
}

static uint64_t put_data(archive *a, const void *bytes, uint64_t size)
{
    uint64_t place = a->end | CLOTH_ALEMBIC_DATA;
    if (size == 0) return CLOTH_ALEMBIC_DATA;
    archive_put(a, &size, sizeof size);
    archive_put(a, bytes, size);
    return place;
}

static uint64_t put_sample(archive *a, const void *bytes, uint64_t size)
{
    uint64_t place = a->end | CLOTH_ALEMBIC_DATA, whole = size + KEY_BYTES;
    key k = sample_key_add((key){{1, 2}}, bytes, size);
    a->digest = sample_key_add(a->digest, &k, sizeof k);
    archive_put(a, &whole, sizeof whole);
    archive_put(a, &k, sizeof k);
    archive_put(a, bytes, size);
    return place;
}

static uint64_t put_group(archive *a, const uint64_t *children, uint64_t count)
{
    uint64_t place = a->end;
    archive_put(a, &count, sizeof count);
    archive_put(a, children, count * sizeof *children);
    return place;
}

/* ---- headers ---- */

static void headers_add(headers *h, const void *bytes, size_t size)
{
    memcpy(h->bytes + h->size, bytes, size);
    h->size += size;
}

/* Adds the header of a property. Numbers have four bytes each. `bits`: CLOTH_ALEMBIC_SCALAR or
 * _ARRAY, 0 for a compound. */
static void add_property(headers *h, const char *name, uint32_t bits, cloth_alembic_type type,
    uint32_t extent, uint32_t meta, uint32_t samples)
{
    uint32_t size = (uint32_t)strlen(name), timed = 1;
    bits |= 2u << CLOTH_ALEMBIC_HINT | meta << CLOTH_ALEMBIC_META;
    if (bits & CLOTH_ALEMBIC_KIND) {
        bits |= (uint32_t)type << CLOTH_ALEMBIC_TYPE | extent << CLOTH_ALEMBIC_EXTENT |
                CLOTH_ALEMBIC_ALIKE;
        bits |= samples == 1 ? CLOTH_ALEMBIC_CONSTANT : CLOTH_ALEMBIC_TIMED;
    }
    headers_add(h, &bits, sizeof bits);
    if (bits & CLOTH_ALEMBIC_KIND) headers_add(h, &samples, sizeof samples);
    if (bits & CLOTH_ALEMBIC_TIMED) headers_add(h, &timed, sizeof timed);
    headers_add(h, &size, sizeof size);
    headers_add(h, name, size);
}

static void add_object(headers *h, const char *name, uint8_t meta)
{
    uint32_t size = (uint32_t)strlen(name);
    headers_add(h, &size, sizeof size);
    headers_add(h, name, size);
    headers_add(h, &meta, sizeof meta);
}

/* Writes the headers of an object's children with the hashes of its properties and of its
 * children. */
static uint64_t put_object_headers(archive *a, headers *h)
{
    key own = a->digest, children = sample_key_add(own, h->bytes, h->size);
    headers_add(h, &own, sizeof own);
    headers_add(h, &children, sizeof children);
    return put_data(a, h->bytes, h->size);
}

/* ---- the mesh ---- */

/* Mesh and frames that are written, with room for a sample of three numbers for each vertex and for
 * the children of a property. */
typedef struct cache {
    const hed_cloth_mesh *mesh;
    const float *positions;
    uint32_t frames, up;
    float *row, *normals; /* (vertices x 3) */
    uint32_t *corners;    /* (corners) */
    uint64_t *children;   /* (2 x frames) */
} cache;

/* Turns vectors so that y is up: a rotation, or as they are. */
static void turn(const cache *c, const float *from)
{
    for (size_t v = 0; v < c->mesh->vertex_count; v++) {
        const float *x = from + 3 * v;
        float *to = c->row + 3 * v;
        to[0] = c->up == 0 ? x[2] : x[0];
        to[1] = x[c->up];
        to[2] = c->up == 0 ? x[1] : c->up == 1 ? x[2] : -x[1];
    }
}

static const float *cache_frame(const cache *c, uint32_t frame)
{
    return c->positions + 3 * (size_t)c->mesh->vertex_count * frame;
}

static uint64_t put_bounds(archive *a, const cache *c)
{
    for (uint32_t frame = 0; frame < c->frames; frame++) {
        double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        turn(c, cache_frame(c, frame));
        for (size_t i = 0; i < 3 * (size_t)c->mesh->vertex_count; i++) {
            box[i % 3] = fmin(box[i % 3], (double)c->row[i]);
            box[3 + i % 3] = fmax(box[3 + i % 3], (double)c->row[i]);
        }
        c->children[frame] = put_sample(a, box, sizeof box);
    }
    return put_group(a, c->children, c->frames);
}

static uint64_t put_vectors(archive *a, const cache *c, bool normals)
{
    for (uint32_t frame = 0; frame < c->frames; frame++) {
        const float *at = cache_frame(c, frame);
        if (normals) cloth_mesh_normals(c->mesh, at, c->normals);
        turn(c, normals ? c->normals : at);
        c->children[2 * frame] =
            put_sample(a, c->row, 3 * sizeof(float) * (size_t)c->mesh->vertex_count);
        c->children[2 * frame + 1] = CLOTH_ALEMBIC_DATA;
    }
    return put_group(a, c->children, 2 * (uint64_t)c->frames);
}

/* Writes an array that is the same in all frames. */
static uint64_t put_constant(archive *a, const void *bytes, size_t size)
{
    uint64_t children[2] = {put_sample(a, bytes, size), CLOTH_ALEMBIC_DATA};
    return put_group(a, children, 2);
}

/* Writes a word for each corner, in the order in which Alembic's faces turn. */
static uint64_t put_corners(archive *a, const cache *c, const uint32_t *words)
{
    const uint32_t *face_at = c->mesh->face_at;
    for (uint32_t face = 0; face < c->mesh->face_count; face++)
        for (uint32_t k = face_at[face]; k < face_at[face + 1]; k++)
            c->corners[k] = words[face_at[face] + face_at[face + 1] - 1 - k];
    return put_constant(a, c->corners, sizeof(uint32_t) * (size_t)face_at[c->mesh->face_count]);
}

static uint64_t put_face_counts(archive *a, const cache *c)
{
    for (uint32_t face = 0; face < c->mesh->face_count; face++)
        c->corners[face] = c->mesh->face_at[face + 1] - c->mesh->face_at[face];
    return put_constant(a, c->corners, sizeof(uint32_t) * (size_t)c->mesh->face_count);
}

static uint64_t put_textures(archive *a, const cache *c)
{
    headers h = {.size = 0};
    uint64_t children[3] = {
        put_constant(a, c->mesh->textures, 2 * sizeof(float) * (size_t)c->mesh->texture_count),
        put_corners(a, c, c->mesh->corner_textures)};
    add_property(&h, ".vals", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_FLOAT, 2, TEXTURE, 1);
    add_property(&h, ".indices", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_UINT32, 1, PLAIN, 1);
    children[2] = put_data(a, h.bytes, h.size);
    return put_group(a, children, 3);
}

/* True if each corner has a texture coordinate. */
static bool is_textured(const hed_cloth_mesh *mesh)
{
    if (!mesh->corner_textures || !mesh->texture_count) return false;
    for (uint32_t k = 0; k < mesh->face_at[mesh->face_count]; k++)
        if (mesh->corner_textures[k] == CLOTH_NO_INDEX) return false;
    return true;
}

static uint64_t put_geometry(archive *a, const cache *c)
{
    headers h = {.size = 0};
    uint64_t children[7], count = 0;
    children[count++] = put_bounds(a, c);
    add_property(&h, ".selfBnds", CLOTH_ALEMBIC_SCALAR, CLOTH_ALEMBIC_DOUBLE, 6, BOX, c->frames);
    children[count++] = put_vectors(a, c, false);
    add_property(&h, "P", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_FLOAT, 3, POINT, c->frames);
    children[count++] = put_corners(a, c, c->mesh->corners);
    add_property(&h, ".faceIndices", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_INT32, 1, PLAIN, 1);
    children[count++] = put_face_counts(a, c);
    add_property(&h, ".faceCounts", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_INT32, 1, PLAIN, 1);
    children[count++] = put_vectors(a, c, true);
    add_property(&h, "N", CLOTH_ALEMBIC_ARRAY, CLOTH_ALEMBIC_FLOAT, 3, NORMAL, c->frames);
    if (is_textured(c->mesh)) {
        children[count++] = put_textures(a, c);
        add_property(&h, "uv", 0, 0, 0, TEXTURE, 0);
    }
    children[count++] = put_data(a, h.bytes, h.size);
    return put_group(a, children, count);
}

/* Writes a compound with one property, a compound too, as each object has for its schema. */
static uint64_t put_schema(archive *a, const char *name, uint32_t meta, uint64_t contents)
{
    headers h = {.size = 0};
    add_property(&h, name, 0, 0, 0, meta, 0);
    uint64_t children[2] = {contents, put_data(a, h.bytes, h.size)};
    return put_group(a, children, 2);
}

/* ---- the archive ---- */

/* Writes a transform without operations; it inherits that of its parent. */
static uint64_t put_transform(archive *a)
{
    static const uint8_t inherits = 1;
    headers h = {.size = 0};
    uint64_t sample = put_sample(a, &inherits, sizeof inherits);
    uint64_t children[2] = {put_group(a, &sample, 1)};
    add_property(&h, ".inherits", CLOTH_ALEMBIC_SCALAR, CLOTH_ALEMBIC_BOOL, 1, PLAIN, 1);
    children[1] = put_data(a, h.bytes, h.size);
    return put_group(a, children, 2);
}

static uint64_t put_objects(archive *a, const cache *c, const char *name)
{
    headers childless = {.size = 0}, mesh = {.size = 0}, transform = {.size = 0};
    add_object(&mesh, name, MESH);
    add_object(&transform, name, TRANSFORM);
    uint64_t inner[2] = {put_schema(a, ".geom", GEOMETRY, put_geometry(a, c))};
    inner[1] = put_object_headers(a, &childless);
    uint64_t middle[3] = {put_schema(a, ".xform", PLACE, put_transform(a)), put_group(a, inner, 2)};
    middle[2] = put_object_headers(a, &mesh);
    uint64_t outer[3] = {0, put_group(a, middle, 3)};
    outer[2] = put_object_headers(a, &transform);
    return put_group(a, outer, 3);
}

/* Writes the two time samplings: of constants, and of frames. */
static uint64_t put_times(archive *a, uint32_t frames, double rate)
{
    headers h = {.size = 0};
    for (int i = 0; i < 2; i++) {
        uint32_t samples = i ? frames : 1, stored = 1;
        double period = i ? 1 / rate : 1, start = 0;
        headers_add(&h, &samples, sizeof samples);
        headers_add(&h, &period, sizeof period);
        headers_add(&h, &stored, sizeof stored);
        headers_add(&h, &start, sizeof start);
    }
    return put_data(a, h.bytes, h.size);
}

static uint64_t put_metas(archive *a)
{
    headers h = {.size = 0};
    for (uint32_t i = 1; i < META_COUNT; i++) {
        uint8_t size = (uint8_t)strlen(metas[i]);
        headers_add(&h, &size, 1);
        headers_add(&h, metas[i], size);
    }
    return put_data(a, h.bytes, h.size);
}

static void put_archive(archive *a, const cache *c, const hed_cloth_stage *stage)
{
    static const unsigned char head[16] = {'O', 'g', 'a', 'w', 'a', 0xff, 0, 1};
    static const int32_t version = 0, library = LIBRARY_VERSION;
    char about[96], name[MOST_NAME];
    snprintf(name, sizeof name, "%s", *stage->name ? stage->name : "cloth");
    for (char *letter = name; *letter; letter++)
        if (*letter == '/' || *letter == ';' || *letter == '=') *letter = '_';
    snprintf(about, sizeof about, "FramesPerTimeUnit=%.6f;_ai_Application=Heddle", stage->rate);
    archive_put(a, head, sizeof head);
    uint64_t root[6] = {
        put_data(a, &version, sizeof version), put_data(a, &library, sizeof library)};
    root[2] = put_objects(a, c, name);
    root[3] = put_data(a, about, strlen(about));
    root[4] = put_times(a, c->frames, stage->rate);
    root[5] = put_metas(a);
    uint64_t place = put_group(a, root, 6);
    cloth_text_flush(a->text);
    hed_file_writer_seek(a->text->writer, 8);
    archive_put(a, &place, sizeof place);
}

hed_status hed_cloth_mesh_save_alembic_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error)
{
    HED_REQUIRE(mesh, path, stage, positions);
    HED_REQUIRE(stage->name);
    if (cloth_mesh_require_frames(mesh, path, stage, positions, frame_count, error))
        return error->status;
    size_t vertices = (size_t)mesh->vertex_count + 1,
           corners = (size_t)mesh->face_at[mesh->face_count] + 1;
    cache c = {mesh, positions, frame_count, stage->up, .row = malloc(3 * vertices * sizeof *c.row),
        .normals = malloc(3 * vertices * sizeof *c.normals),
        .corners = malloc(corners * sizeof *c.corners),
        .children = malloc(2 * (size_t)frame_count * sizeof *c.children)};
    archive a = {.digest = {{3, 4}}};
    hed_status status = !c.row || !c.normals || !c.corners || !c.children
                            ? hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path)
                            : cloth_text_open(path, &a.text, error);
    if (!status) {
        put_archive(&a, &c, stage);
        status = cloth_text_close(a.text, error);
    }
    free(c.row);
    free(c.normals);
    free(c.corners);
    free(c.children);
    return status;
}
