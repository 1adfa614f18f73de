/* Writer of binary glTF 2.0 (Khronos Group, glTF 2.0 Specification, ISO/IEC 12113): one frame,
 * or an animation whose frames are morph targets; one mesh with a primitive for each run of a
 * material. glTF has one index for a vertex's position, texture coordinate and normal together:
 * a vertex keeps its number with the first pair of texture coordinate and normal that a face
 * uses it with; further pairs make further vertices after all others. */
#include "files/gltf.h"
#include "files/mesh_file.h"

#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON: fractions are not written by fprintf(), whose decimal point is the locale's ---- */

/* Returns the length of the UTF-8 sequence at `at`, bytes; 0: invalid. */
static size_t sequence(const unsigned char *at)
{
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : (at[0] & 0xf0) == 0xe0        ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    bool wrong =
        (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) ||
        (at[0] == 0xf4 && at[1] > 0x8f); /* overlong, half a surrogate pair, beyond Unicode */
    return wrong ? 0 : length;
}

/* Writes a string; a byte that is not UTF-8 becomes '?'. */
static void glb_put_string(FILE *j, const char *words)
{
    fputc('"', j);
    for (const unsigned char *at = (const unsigned char *)words; *at;) {
        size_t length = sequence(at);
        if (*at < 0x20) fprintf(j, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\') fprintf(j, "\\%c", *at);
        else fwrite(length ? (const char *)at : "?", 1, length ? length : 1, j);
        at += length ? length : 1;
    }
    fputc('"', j);
}

static void glb_put_vector(FILE *j, const char *key, const float *vector, int count)
{
    fprintf(j, ",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        char number[CLOTH_NUMBER_TEXT];
        size_t length = cloth_write_number(number, vector[i]);
        if (i > 0) fprintf(j, ",");
        fwrite(number, 1, length, j);
    }
    fprintf(j, "]");
}

/* ---- vertices of glTF ---- */

typedef struct vertex {
    uint32_t position, texture, normal;
    uint32_t next; /* another vertex of the same position, CLOTH_NO_INDEX: no more */
} vertex;

typedef struct exporter {
    const hed_cloth_mesh *mesh;
    const float *positions, *normals; /* `normals` NULL: normals of the mesh */
    cloth_list vertices;
    uint32_t *vertex_of;   /* (corners) */
    uint32_t *triangles;   /* (triangle_count x 3) */
    uint32_t *triangle_at; /* (face_count + 1) */
    bool has_normals, has_textures;
    /* animation: (frame_count x vertex_count x 3); 0: one frame */
    uint32_t frame_count;
    const float *frames;
    float *frame_normals;
    const hed_cloth_stage *stage; /* NULL: one frame in metres, y up */
    FILE *json;                   /* writes to `text` */
    char *text;
    size_t text_size;
} exporter;

static bool find_vertex(exporter *x, uint32_t position, uint32_t texture, uint32_t normal,
    uint8_t *met, uint32_t *number)
{
    vertex *row = (vertex *)x->vertices.rows + position;
    *number = position;
    if (!met[position]) {
        met[position] = 1;
        row->texture = texture;
        row->normal = normal;
        return true;
    }
    for (;; *number = row->next, row = (vertex *)x->vertices.rows + *number) {
        if (row->texture == texture && row->normal == normal) return true;
        if (row->next == CLOTH_NO_INDEX) break;
    }
    uint32_t last = *number;
    vertex *added = cloth_list_add(&x->vertices);
    if (!added) return false;
    *added = (vertex){position, texture, normal, CLOTH_NO_INDEX};
    *number = (uint32_t)x->vertices.count - 1;
    ((vertex *)x->vertices.rows)[last].next = *number;
    return true;
}

/* Finds the vertex of every corner. */
static bool glb_make_vertices(exporter *x)
{
    const hed_cloth_mesh *mesh = x->mesh;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        vertex *row = cloth_list_add(&x->vertices);
        if (!row) return false;
        *row = (vertex){i, CLOTH_NO_INDEX, CLOTH_NO_INDEX, CLOTH_NO_INDEX};
    }
    uint8_t *met = calloc((size_t)mesh->vertex_count + 1, 1);
    bool enough = met != NULL;
    for (uint32_t corner = 0; enough && corner < cloth_mesh_corner_count(mesh); corner++) {
        uint32_t texture = x->has_textures ? mesh->corner_textures[corner] : CLOTH_NO_INDEX;
        uint32_t normal =
            x->has_normals && !x->normals ? mesh->corner_normals[corner] : CLOTH_NO_INDEX;
        enough = find_vertex(x, mesh->corners[corner], texture, normal, met, &x->vertex_of[corner]);
    }
    free(met);
    return enough;
}

/* ---- triangles ---- */

/* True if a quad cut from its first corner to its third one is folded over, as it is at a corner
 * that points inwards. */
static bool folds(const exporter *x, uint32_t first)
{
    double normal[2][3];
    for (int half = 0; half < 2; half++) {
        const float *o = x->positions + 3 * (size_t)x->mesh->corners[first];
        const float *p = x->positions + 3 * (size_t)x->mesh->corners[first + 1 + (uint32_t)half];
        const float *q = x->positions + 3 * (size_t)x->mesh->corners[first + 2 + (uint32_t)half];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            normal[half][i] = ((double)p[j] - o[j]) * ((double)q[k] - o[k]) -
                              ((double)p[k] - o[k]) * ((double)q[j] - o[j]);
        }
    }
    return normal[0][0] * normal[1][0] + normal[0][1] * normal[1][1] + normal[0][2] * normal[1][2] <
           0;
}

/* Cuts quads along the inner diagonal, larger polygons into a fan. */
static void glb_make_triangles(exporter *x)
{
    uint32_t *out = x->triangles, triangle_count = 0;
    for (uint32_t face = 0; face < x->mesh->face_count; face++) {
        uint32_t first = x->mesh->face_at[face], count = x->mesh->face_at[face + 1] - first;
        uint32_t from = count == 4 && folds(x, first) ? 1 : 0;
        x->triangle_at[face] = triangle_count;
        for (uint32_t i = 1; i + 1 < count; i++, triangle_count++) {
            *out++ = x->vertex_of[first + from];
            *out++ = x->vertex_of[first + (from + i) % count];
            *out++ = x->vertex_of[first + (from + i + 1) % count];
        }
    }
    x->triangle_at[x->mesh->face_count] = triangle_count;
}

/* ---- the document ---- */

enum {
    FLOATS = 5126,
    WORDS = 5125,
    BYTES = 5121, /* component types */
};

/* Part of the binary chunk: a buffer view and an accessor. The parts follow one another. */
typedef struct part {
    const char *type, *attribute; /* attribute NULL: indices */
    uint32_t component, bytes;    /* bytes of a row */
    bool there;
} part;

enum { POSITIONS, NORMALS, TEXTURES, COLOURS, PARTS };

/* Returns the first face of a run of faces of one material; run 0 is the faces before the first
 * name. */
static uint32_t run_begin(const hed_cloth_mesh *mesh, uint32_t run)
{
    return run == 0                      ? 0
           : run <= mesh->material_count ? mesh->materials[run - 1].first_face
                                         : mesh->face_count;
}

/* Displacement of a vertex coordinate from frame 0 to a frame after it. */
static float target_of(const exporter *x, const float *rows, uint32_t frame, size_t number)
{
    return rows[3 * (size_t)x->mesh->vertex_count * frame + number] - rows[number];
}

/* Writes the accessors of the frames after the first: a POSITION and a NORMAL each, their times,
 * and the weights of all targets at each time. */
static void put_target_accessors(exporter *x, uint32_t view)
{
    FILE *j = x->json;
    uint64_t count = x->vertices.count, targets = x->frame_count - 1;
    size_t numbers = 3 * (size_t)x->mesh->vertex_count;
    for (uint32_t frame = 1; frame < x->frame_count; frame++) {
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < numbers; i++) {
            low[i % 3] = fminf(low[i % 3], target_of(x, x->frames, frame, i));
            high[i % 3] = fmaxf(high[i % 3], target_of(x, x->frames, frame, i));
        }
        for (int normal = 0; normal < 2; normal++) {
            fprintf(j,
                ",{\"bufferView\":%u,\"byteOffset\":%" PRIu64
                ",\"componentType\":%u,\"count\":%" PRIu64 ",\"type\":\"VEC3\"",
                view, 12 * count * (2 * (uint64_t)(frame - 1) + (uint64_t)normal), FLOATS, count);
            if (!normal) {
                glb_put_vector(j, "min", low, 3);
                glb_put_vector(j, "max", high, 3);
            }
            fprintf(j, "}");
        }
    }
    float end = (float)((double)targets / x->stage->rate);
    fprintf(j, ",{\"bufferView\":%u,\"componentType\":%u,\"count\":%u,\"type\":\"SCALAR\"",
        view + 1, FLOATS, x->frame_count);
    glb_put_vector(j, "min", (const float[]){0}, 1);
    glb_put_vector(j, "max", &end, 1);
    fprintf(j,
        "},{\"bufferView\":%u,\"componentType\":%u,\"count\":%" PRIu64 ",\"type\":\"SCALAR\"}",
        view + 2, FLOATS, x->frame_count * targets);
}

/* Writes the buffer views of the frames after the first, from `offset` on: targets, times,
 * weights. Returns their bytes. */
static uint64_t put_target_views(exporter *x, uint64_t offset)
{
    uint64_t targets = x->frame_count - 1,
             sizes[3] = {24 * x->vertices.count * targets, 4 * (uint64_t)x->frame_count,
                 4 * targets * x->frame_count};
    for (int i = 0; i < 3; i++) {
        fprintf(x->json, ",{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 "%s}",
            offset, sizes[i], i ? "" : ",\"byteStride\":12,\"target\":34962");
        offset += sizes[i];
    }
    return sizes[0] + sizes[1] + sizes[2];
}

/* Counts the accessors of indices: one for each run that has triangles. */
static uint32_t run_count(const exporter *x)
{
    uint32_t runs = 0;
    for (uint32_t run = 0; run <= x->mesh->material_count; run++)
        runs +=
            x->triangle_at[run_begin(x->mesh, run)] < x->triangle_at[run_begin(x->mesh, run + 1)];
    return runs;
}

/* Writes buffer views and accessors of the vertices, then of each run's indices, then of further
 * frames; returns the binary chunk's size. */
static uint64_t put_accessors(exporter *x, const part *parts)
{
    FILE *j = x->json;
    const hed_cloth_mesh *mesh = x->mesh;
    uint64_t count = x->vertices.count, offset = 0;
    float low[3], high[3];
    for (int i = 0; i < 3; i++) low[i] = high[i] = x->positions[i];
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        if (x->positions[i] < low[i % 3]) low[i % 3] = x->positions[i];
        if (x->positions[i] > high[i % 3]) high[i % 3] = x->positions[i];
    }
    fprintf(j, ",\"accessors\":[");
    for (uint32_t i = 0, view = 0; i < PARTS; i++) {
        if (!parts[i].there) continue;
        fprintf(j,
            "%s{\"bufferView\":%u,\"componentType\":%u,\"count\":%" PRIu64 ",\"type\":\"%s\"",
            view ? "," : "", view, parts[i].component, count, parts[i].type);
        if (i == POSITIONS) {
            glb_put_vector(j, "min", low, 3);
            glb_put_vector(j, "max", high, 3);
        }
        fprintf(j, "}");
        view++;
    }
    uint32_t view = 1u + parts[NORMALS].there + parts[TEXTURES].there + parts[COLOURS].there;
    for (uint32_t run = 0; run <= mesh->material_count; run++) {
        uint32_t begin = x->triangle_at[run_begin(mesh, run)],
                 end = x->triangle_at[run_begin(mesh, run + 1)];
        if (begin < end)
            fprintf(j,
                ",{\"bufferView\":%u,\"byteOffset\":%" PRIu64
                ",\"componentType\":%u,\"count\":%" PRIu64 ",\"type\":\"SCALAR\"}",
                view, (uint64_t)12 * begin, WORDS, (uint64_t)3 * (end - begin));
    }
    if (x->frame_count > 1) put_target_accessors(x, view + 1);
    fprintf(j, "],\"bufferViews\":[");
    for (uint32_t i = 0; i < PARTS; i++) {
        if (!parts[i].there) continue;
        fprintf(j,
            "{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64
            ",\"target\":34962},",
            offset, (count * parts[i].bytes));
        offset += count * parts[i].bytes;
    }
    uint64_t index_bytes = 12ull * x->triangle_at[mesh->face_count];
    fprintf(j,
        "{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 ",\"target\":34963}",
        offset, index_bytes);
    offset += index_bytes;
    if (x->frame_count > 1) offset += put_target_views(x, offset);
    fprintf(j, "]");
    return offset;
}

static void put_primitives(exporter *x, const part *parts)
{
    FILE *j = x->json;
    const hed_cloth_mesh *mesh = x->mesh;
    uint32_t before = 1u + parts[NORMALS].there + parts[TEXTURES].there + parts[COLOURS].there,
             accessor = before;
    bool first = true;
    fprintf(j, ",\"meshes\":[{\"primitives\":[");
    for (uint32_t run = 0; run <= mesh->material_count; run++) {
        if (x->triangle_at[run_begin(mesh, run)] == x->triangle_at[run_begin(mesh, run + 1)])
            continue;
        fprintf(j, "%s{\"attributes\":{", first ? "" : ",");
        for (uint32_t i = 0, view = 0; i < PARTS; i++)
            if (parts[i].there) {
                fprintf(j, "%s\"%s\":%u", view ? "," : "", parts[i].attribute, view);
                view++;
            }
        fprintf(j, "},\"indices\":%u", accessor++);
        uint32_t material = run > 0 ? 0 : mesh->material_count; /* the first span of this name */
        while (
            run > 0 && strcmp(mesh->materials[material].name, mesh->materials[run - 1].name) != 0)
            material++;
        fprintf(j, ",\"material\":%u", material);
        uint32_t target = before + run_count(x); /* after the indices */
        for (uint32_t frame = 1; frame < x->frame_count; frame++, target += 2)
            fprintf(j, "%s{\"POSITION\":%u,\"NORMAL\":%u}", frame > 1 ? "," : ",\"targets\":[",
                target, target + 1);
        fprintf(j, x->frame_count > 1 ? "]}" : "}");
        first = false;
    }
    fprintf(j, "]");
    for (uint32_t frame = 1; frame < x->frame_count; frame++)
        fprintf(j, frame > 1 ? ",0" : ",\"weights\":[0");
    fprintf(j, x->frame_count > 1 ? "]}]" : "}]");
    if (x->frame_count < 2) return;
    uint32_t times = before + run_count(x) + 2 * (x->frame_count - 1);
    fprintf(j,
        ",\"animations\":[{\"name\":\"cloth\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
        "\"path\":\"weights\"}}],\"samplers\":[{\"input\":%u,\"output\":%u,"
        "\"interpolation\":\"LINEAR\"}]}]",
        times, times + 1);
}

/* Writes the node, which brings the positions to metres with y up. */
static void put_node(exporter *x)
{
    /* quaternions that turn x and z to y */
    static const char *const turns[] = {
        ",\"rotation\":[0.5,0.5,0.5,0.5]", "", ",\"rotation\":[-0.70710678,0,0,0.70710678]"};
    fprintf(x->json, "\"nodes\":[{\"mesh\":0");
    if (x->stage) {
        float unit = (float)x->stage->unit;
        fprintf(x->json, "%s", turns[x->stage->up]);
        if (unit != 1) glb_put_vector(x->json, "scale", (const float[]){unit, unit, unit}, 3);
    }
    fprintf(x->json, "}]");
}

static uint64_t glb_put_document(exporter *x, const part *parts)
{
    FILE *j = x->json;
    fprintf(j, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"" CLOTH_GLB_GENERATOR
               "\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],");
    put_node(x);
    static const char two_sided[] =
        "\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0}}";
    fprintf(j, ",\"materials\":[");
    for (uint32_t i = 0; i < x->mesh->material_count; i++) {
        fprintf(j, "{\"name\":");
        glb_put_string(j, x->mesh->materials[i].name);
        fprintf(j, ",%s,", two_sided);
    }
    fprintf(j, "{%s]", two_sided); /* material of the other faces: cloth has no back side */
    put_primitives(x, parts);
    uint64_t bytes = put_accessors(x, parts);
    fprintf(j, ",\"buffers\":[{\"byteLength\":%" PRIu64 "}]}", bytes);
    while (fflush(j) == 0 && x->text_size % 4 != 0) fputc(' ', j);
    return bytes;
}

/* ---- the file ---- */

static void put_vertex_data(const exporter *x, const part *parts, cloth_text *out)
{
    const vertex *rows = x->vertices.rows;
    for (size_t i = 0; i < x->vertices.count; i++)
        cloth_text_put(out, (const char *)(x->positions + 3 * (size_t)rows[i].position), 12);
    for (size_t i = 0; i < x->vertices.count && parts[NORMALS].there; i++) {
        /* A normal must have length 1; a vertex without a face, or with flat faces only, has no
         * meaningful normal. */
        const float *from = x->normals ? x->normals + 3 * (size_t)rows[i].position
                            : rows[i].normal != CLOTH_NO_INDEX
                                ? x->mesh->normals + 3 * (size_t)rows[i].normal
                                : (const float[3]){0};
        double length =
            sqrt((double)from[0] * from[0] + (double)from[1] * from[1] + (double)from[2] * from[2]);
        bool usable = length > 1e-30 && isfinite(length);
        float normal[3];
        for (int k = 0; k < 3; k++) normal[k] = usable ? (float)(from[k] / length) : k == 2;
        cloth_text_put(out, (const char *)normal, sizeof normal);
    }
    for (size_t i = 0; i < x->vertices.count && parts[TEXTURES].there; i++) {
        /* OBJ counts from the picture's lower edge, glTF from its upper edge */
        float at[2] = {0, 1};
        if (rows[i].texture != CLOTH_NO_INDEX)
            memcpy(at, x->mesh->textures + 2 * (size_t)rows[i].texture, sizeof at);
        at[1] = 1 - at[1];
        cloth_text_put(out, (const char *)at, sizeof at);
    }
    for (size_t i = 0; i < x->vertices.count && parts[COLOURS].there; i++)
        cloth_text_put(
            out, (const char *)(x->mesh->vertex_colours + 4 * (size_t)rows[i].position), 16);
}

/* Writes targets, times, and weights: 1 for the target of its own time. */
static void put_target_data(const exporter *x, cloth_text *out)
{
    const vertex *rows = x->vertices.rows;
    for (uint32_t frame = 1; frame < x->frame_count; frame++)
        for (int normal = 0; normal < 2; normal++)
            for (size_t i = 0; i < x->vertices.count; i++) {
                float way[3];
                for (size_t k = 0; k < 3; k++)
                    way[k] = target_of(x, normal ? x->frame_normals : x->frames, frame,
                        3 * (size_t)rows[i].position + k);
                cloth_text_put(out, (const char *)way, sizeof way);
            }
    for (uint32_t frame = 0; frame < x->frame_count; frame++) {
        float time = (float)(frame / x->stage->rate);
        cloth_text_put(out, (const char *)&time, sizeof time);
    }
    for (uint32_t frame = 0; frame < x->frame_count; frame++)
        for (uint32_t target = 1; target < x->frame_count; target++) {
            float weight = frame == target;
            cloth_text_put(out, (const char *)&weight, sizeof weight);
        }
}

static hed_status write_file(const char *path, exporter *x, cloth_text *out, hed_error *error)
{
    const part parts[PARTS] = {[POSITIONS] = {"VEC3", "POSITION", FLOATS, 12, true},
        [NORMALS] = {"VEC3", "NORMAL", FLOATS, 12, x->has_normals},
        [TEXTURES] = {"VEC2", "TEXCOORD_0", FLOATS, 8, x->has_textures},
        [COLOURS] = {"VEC4", "COLOR_0", FLOATS, 16, x->mesh->vertex_colours != NULL}};
    uint64_t binary = glb_put_document(x, parts), total = 12 + 8 + x->text_size + 8 + binary;
    if (ferror(x->json))
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    if (total > UINT32_MAX)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s would have %" PRIu64 " bytes, and a GLB file has less than 4 GiB", path, total);
    hed_status status = hed_file_writer_open(path, &out->writer, error);
    if (status != HED_OK) return status;
    const uint32_t head[] = {
        0x46546c67 /* glTF */, 2, (uint32_t)total, (uint32_t)x->text_size, 0x4e4f534a /* JSON */};
    const uint32_t chunk[] = {(uint32_t)binary, 0x004e4942 /* BIN */};
    out->used = 0;
    cloth_text_put(out, (const char *)head, sizeof head);
    cloth_text_put(out, x->text, x->text_size);
    cloth_text_put(out, (const char *)chunk, sizeof chunk);
    put_vertex_data(x, parts, out);
    cloth_text_put(
        out, (const char *)x->triangles, 12 * (size_t)x->triangle_at[x->mesh->face_count]);
    if (x->frame_count > 1) put_target_data(x, out);
    cloth_text_flush(out);
    return hed_file_writer_commit(out->writer, error);
}

/* Writes a file from an exporter whose mesh, positions and normals are set. */
static hed_status glb_write(const char *path, exporter *x, hed_error *error)
{
    const hed_cloth_mesh *mesh = x->mesh;
    if (mesh->face_count == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s is not written: a mesh without faces", path);
    hed_status status = HED_OK;
    size_t corners = cloth_mesh_corner_count(mesh);
    x->vertices.size = sizeof(vertex);
    x->has_normals = x->normals || mesh->corner_normals;
    x->has_textures = mesh->corner_textures != NULL;
    x->vertex_of = malloc(corners * sizeof *x->vertex_of);
    x->triangles = malloc(3 * corners * sizeof *x->triangles);
    x->triangle_at = malloc(((size_t)mesh->face_count + 1) * sizeof *x->triangle_at);
    x->json = open_memstream(&x->text, &x->text_size);
    cloth_text *out = malloc(sizeof *out);
    if (x->vertex_of && x->triangles && x->triangle_at && out && x->json && glb_make_vertices(x)) {
        glb_make_triangles(x);
        status = write_file(path, x, out, error);
    } else {
        status = hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    }
    free(x->vertices.rows);
    free(x->vertex_of);
    free(x->triangles);
    free(x->triangle_at);
    if (x->json) fclose(x->json);
    free(x->text);
    free(out);
    return status;
}

void cloth_mesh_normals(const hed_cloth_mesh *mesh, const float *positions, float *normals)
{
    memset(normals, 0, 3 * (size_t)mesh->vertex_count * sizeof *normals);
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t c = mesh->face_at[face] + 2; c < mesh->face_at[face + 1]; c++) {
            const uint32_t corner[3] = {
                mesh->corners[mesh->face_at[face]], mesh->corners[c - 1], mesh->corners[c]};
            const float *p[3];
            for (int i = 0; i < 3; i++) p[i] = positions + 3 * (size_t)corner[i];
            for (size_t k = 0; k < 3; k++) {
                size_t m = (k + 1) % 3, n = (k + 2) % 3;
                float size = (p[1][m] - p[0][m]) * (p[2][n] - p[0][n]) -
                             (p[1][n] - p[0][n]) * (p[2][m] - p[0][m]);
                for (int i = 0; i < 3; i++) normals[3 * (size_t)corner[i] + k] += size;
            }
        }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *n = normals + 3 * v;
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        for (int k = 0; k < 3; k++) n[k] = length > 0 ? (float)(n[k] / length) : k == 2;
    }
}

hed_status hed_cloth_mesh_save_glb_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error)
{
    HED_REQUIRE(path, mesh, positions, stage);
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    if (cloth_mesh_require_frames(mesh, path, stage, positions, frame_count, error))
        return error->status;
    float *normals = malloc((numbers * frame_count + 1) * sizeof *normals);
    if (!normals) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    for (uint32_t frame = 0; frame < frame_count; frame++)
        cloth_mesh_normals(mesh, positions + numbers * frame, normals + numbers * frame);
    exporter x = {.mesh = mesh,
        .positions = positions,
        .normals = normals,
        .frame_count = frame_count,
        .frames = positions,
        .frame_normals = normals,
        .stage = stage};
    hed_status status = glb_write(path, &x, error);
    free(normals);
    return status;
}

hed_status hed_cloth_mesh_save_glb(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, const float *normals, hed_error *error)
{
    HED_REQUIRE(path, mesh);
    if (!positions) positions = mesh->positions;
    hed_status status = stage
                            ? cloth_mesh_require_frames(mesh, path, stage, positions, 1, error)
                            : cloth_mesh_require_finite(path, positions, mesh->vertex_count, error);
    exporter x = {.mesh = mesh, .positions = positions, .normals = normals, .stage = stage};
    return status == HED_OK ? glb_write(path, &x, error) : status;
}
