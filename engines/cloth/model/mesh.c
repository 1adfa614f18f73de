/* Meshes: reading by format, freeing, grids and welding. */
#include "model/mesh.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lists and text ---- */

bool cloth_list_grow(cloth_list *list)
{
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    void *rows =
        capacity <= SIZE_MAX / 2 / list->size ? realloc(list->rows, capacity * list->size) : NULL;
    if (!rows) return false;
    list->rows = rows;
    list->capacity = capacity;
    return true;
}

cloth_rows cloth_rows_empty(void)
{
    cloth_rows rows = {.colours.size = 4 * sizeof(float), .face_at.size = sizeof(uint32_t)};
    for (int kind = 0; kind < CLOTH_CORNER_KINDS; kind++) {
        rows.elements[kind].size = (kind == CLOTH_TEXTURE ? 2 : 3) * sizeof(float);
        rows.corners[kind].size = sizeof(uint32_t);
    }
    rows.materials.size = rows.groups.size = sizeof(hed_cloth_mesh_span);
    return rows;
}

void cloth_rows_take(cloth_rows *rows, const bool *used, hed_cloth_mesh *mesh)
{
    for (int kind = CLOTH_TEXTURE; kind < CLOTH_CORNER_KINDS; kind++)
        if (!used[kind]) {
            free(rows->corners[kind].rows);
            rows->corners[kind].rows = NULL;
        }
    *mesh = (hed_cloth_mesh){
        .vertex_count = (uint32_t)rows->elements[CLOTH_POSITION].count,
        .positions = rows->elements[CLOTH_POSITION].rows,
        .vertex_colours = rows->colours.rows,
        .face_count = rows->face_at.count ? (uint32_t)rows->face_at.count - 1 : 0,
        .face_at = rows->face_at.rows,
        .corners = rows->corners[CLOTH_POSITION].rows,
        .texture_count = (uint32_t)rows->elements[CLOTH_TEXTURE].count,
        .normal_count = (uint32_t)rows->elements[CLOTH_NORMAL].count,
        .textures = rows->elements[CLOTH_TEXTURE].rows,
        .normals = rows->elements[CLOTH_NORMAL].rows,
        .corner_textures = rows->corners[CLOTH_TEXTURE].rows,
        .corner_normals = rows->corners[CLOTH_NORMAL].rows,
        .material_count = (uint32_t)rows->materials.count,
        .group_count = (uint32_t)rows->groups.count,
        .materials = rows->materials.rows,
        .groups = rows->groups.rows,
    };
}

size_t cloth_reader_word(const cloth_reader *r)
{
    const char *at = r->at;
    while (at < r->end && *at != ' ' && !(*at >= '\t' && *at <= '\r')) at++;
    return (size_t)(at - r->at);
}

char *cloth_reader_copy(const cloth_reader *r, const char *from)
{
    const char *to = r->at;
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    char *copy = strndup(from, (size_t)(to - from));
    if (!copy) cloth_reader_starve(r);
    return copy;
}

hed_status cloth_reader_expected(const cloth_reader *r, const char *what)
{
    int length = 0;
    while (length < 20 && r->at + length < r->end && r->at[length] > ' ' && r->at[length] <= '~')
        length++;
    if (length > 0)
        return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%" PRIu64 ": found \"%.*s\", expected %s",
            r->name, r->line, length, r->at, what);
    const char *finding = r->at == r->end                    ? "the end of the file"
                          : *r->at == '\n' || *r->at == '\r' ? "the end of the line"
                          : *r->at == ' ' || *r->at == '\t'
                              ? "a blank"
                              : "a character that no such file has here";
    return hed_fail(r->error, HED_ERROR_FORMAT, "%s:%" PRIu64 ": found %s, expected %s", r->name,
        r->line, finding, what);
}

hed_status cloth_reader_starve(const cloth_reader *r)
{
    return hed_fail(r->error, HED_ERROR_MEMORY, "out of memory while reading %s", r->name);
}

void cloth_text_flush(cloth_text *text)
{
    hed_file_writer_put(text->writer, text->bytes, text->used);
    text->used = 0;
}

hed_status cloth_text_open(const char *path, cloth_text **text, hed_error *error)
{
    cloth_text *result = malloc(sizeof *result);
    if (!result) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    result->used = 0;
    hed_status status = hed_file_writer_open(path, &result->writer, error);
    if (status) free(result);
    else *text = result;
    return status;
}

hed_status cloth_text_close(cloth_text *text, hed_error *error)
{
    cloth_text_flush(text);
    hed_status status = hed_file_writer_commit(text->writer, error);
    free(text);
    return status;
}

void cloth_text_put(cloth_text *text, const char *bytes, size_t size)
{
    if (size > sizeof text->bytes - text->used) cloth_text_flush(text);
    if (size > sizeof text->bytes) {
        hed_file_writer_put(text->writer, bytes, size);
        return;
    }
    memcpy(text->bytes + text->used, bytes, size);
    text->used += size;
}

void cloth_text_words(cloth_text *text, const char *words)
{
    cloth_text_put(text, words, strlen(words));
}

void cloth_text_row(cloth_text *text, const float *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char number[CLOTH_NUMBER_TEXT + 1] = " ";
        cloth_text_put(text, number, 1 + cloth_write_number(number + 1, numbers[i]));
    }
    cloth_text_put(text, "\n", 1);
}

void cloth_text_integer(cloth_text *text, uint64_t number)
{
    char digits[20];
    size_t from = sizeof digits;
    do digits[--from] = (char)('0' + number % 10);
    while (number /= 10);
    cloth_text_put(text, digits + from, sizeof digits - from);
}

/* ---- meshes ---- */

static void free_spans(hed_cloth_mesh_span *spans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) free(spans[i].name);
    free(spans);
}

void hed_cloth_mesh_free(hed_cloth_mesh *mesh)
{
    if (!mesh) return;
    free(mesh->positions);
    free(mesh->vertex_colours);
    free(mesh->face_at);
    free(mesh->corners);
    free(mesh->textures);
    free(mesh->normals);
    free(mesh->corner_textures);
    free(mesh->corner_normals);
    free_spans(mesh->materials, mesh->material_count);
    free_spans(mesh->groups, mesh->group_count);
    free(mesh->material_library);
    free(mesh->warning);
    *mesh = (hed_cloth_mesh){0};
}

hed_status cloth_mesh_require_finite(
    const char *path, const float *positions, uint32_t vertex_count, hed_error *error)
{
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        if (!isfinite(positions[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s is not written: coordinate %c of vertex %zu (counted from 1) is %g", path,
                "xyz"[i % 3], i / 3 + 1, (double)positions[i]);
    return HED_OK;
}

/* ---- reading ---- */

static const size_t largest_file = (size_t)1 << 34;

/* Returns the folder of a file, up to the slash; NULL: out of memory. */
static char *folder_of(const char *path, hed_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!folder) hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", path);
    return folder;
}

hed_status hed_cloth_gltf_sample(const char *path, const char *animation, double rate,
    hed_cloth_pc2_data *samples, hed_error *error)
{
    HED_REQUIRE(path, samples);
    *samples = (hed_cloth_pc2_data){0};
    char *bytes, *folder;
    size_t size;
    hed_status status = hed_file_read(path, largest_file, &bytes, &size, error);
    if (status != HED_OK) return status;
    folder = folder_of(path, error);
    status = folder ? cloth_gltf_sample(path, bytes, size, folder, animation, rate, samples, error)
                    : HED_ERROR_MEMORY;
    free(folder);
    free(bytes);
    return status;
}

static hed_status parse_gltf(
    const char *bytes, size_t size, const char *path, hed_cloth_mesh *mesh, hed_error *error)
{
    char *folder = folder_of(path, error);
    if (!folder) return HED_ERROR_MEMORY;
    hed_status status = cloth_gltf_parse(path, bytes, size, folder, mesh, error);
    free(folder);
    return status;
}

typedef hed_status mesh_parser(
    const char *bytes, size_t size, const char *path, hed_cloth_mesh *mesh, hed_error *error);

/* Finds the parser for an ending; NULL: Heddle has no parser for it. */
static mesh_parser *parser_of_ending(const char *ending)
{
    static const struct {
        const char *ending;
        mesh_parser *parser;
    } parsers[] = {{"obj", hed_cloth_mesh_parse_obj}, {"ply", cloth_ply_parse},
        {"stl", cloth_stl_parse}, {"glb", parse_gltf}, {"gltf", parse_gltf}};
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++)
        if (strcasecmp(ending, parsers[i].ending) == 0) return parsers[i].parser;
    return NULL;
}

static bool begins_with(const char *text, size_t size, const char *mark)
{
    return size >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0;
}

/* Finds the parser for a file of unknown ending by its first bytes; NULL: a format that assimp
 * reads. */
static mesh_parser *parser_of_content(const char *text, size_t size)
{
    if (begins_with(text, size, "ply\n") || begins_with(text, size, "ply\r\n"))
        return cloth_ply_parse;
    if (begins_with(text, size, "glTF")) return parse_gltf;
    if (begins_with(text, size, "solid ")) return cloth_stl_parse;
    static const char *const marks[] = {"OFF\n", "Kaydara FBX", "<?xml", "BLENDER"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (begins_with(text, size, marks[i])) return NULL;
    return hed_cloth_mesh_parse_obj;
}

hed_status hed_cloth_mesh_read(const char *path, hed_cloth_mesh *mesh, hed_error *error)
{
    HED_REQUIRE(path, mesh);
    *mesh = (hed_cloth_mesh){0};
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const char *ending = dot && (!slash || dot > slash) ? dot + 1 : "";
    mesh_parser *parser = parser_of_ending(ending);
    if (!parser && cloth_assimp_reads(ending)) return cloth_assimp_read(path, mesh, error);
    char *text;
    size_t size;
    hed_status status = hed_file_read(path, largest_file, &text, &size, error);
    if (status != HED_OK) return status;
    if (!parser) parser = parser_of_content(text, size);
    status = parser ? parser(text, size, path, mesh, error) : cloth_assimp_read(path, mesh, error);
    free(text);
    return status;
}

/* ---- grids ---- */

uint32_t cloth_mesh_cell_of(const uint32_t *corners, uint32_t width)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < 4; i++)
        if (corners[i] < corners[first]) first = i;
    uint32_t at = corners[first], next = corners[(first + 1) & 3],
             across = corners[(first + 2) & 3], last = corners[(first + 3) & 3];
    bool around = (next == at + 1 && last == at + width) || (next == at + width && last == at + 1);
    if (!around || across != at + width + 1 || at % width == width - 1) return CLOTH_NO_INDEX;
    return at / width * (width - 1) + at % width;
}

bool hed_cloth_mesh_is_grid(const hed_cloth_mesh *mesh, uint32_t *width, uint32_t *height)
{
    if (!mesh || !width || !height) return false;
    *width = *height = 0;
    if (mesh->face_count == 0 || mesh->face_at[1] != 4) return false;
    uint32_t low = CLOTH_NO_INDEX, high = 0;
    for (int i = 0; i < 4; i++) {
        if (mesh->corners[i] < low) low = mesh->corners[i];
        if (mesh->corners[i] > high) high = mesh->corners[i];
    }
    if (high - low < 3) return false;

    /* the only grid that can contain the first face */
    uint32_t w = high - low - 1, h = mesh->vertex_count / w;
    if (h < 2 || (uint64_t)w * h != mesh->vertex_count ||
        (uint64_t)(w - 1) * (h - 1) != mesh->face_count)
        return false;
    /* a grid counts as any other mesh if memory ran out */
    uint8_t *is_filled = calloc(mesh->face_count, 1);
    bool grid = is_filled != NULL;
    for (uint32_t face = 0; grid && face < mesh->face_count; face++) {
        uint32_t cell = mesh->face_at[face + 1] - mesh->face_at[face] == 4
                            ? cloth_mesh_cell_of(mesh->corners + mesh->face_at[face], w)
                            : CLOTH_NO_INDEX;
        grid = cell < mesh->face_count && !is_filled[cell];
        if (grid) is_filled[cell] = 1;
    }
    free(is_filled);
    if (grid) {
        *width = w;
        *height = h;
    }
    return grid;
}

/* Welding of vertices into particles: a hash grid finds vertices close together (M. Teschner et
 * al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, 2003), and the
 * faces decide which of them must stay separate. */

typedef struct welder {
    const hed_cloth_mesh *mesh;
    /* m; cell 0: only vertices with equal coordinates are welded, each its own cell */
    double distance, cell;
    uint32_t *particle_of;
    uint32_t *vertex_of;        /* (particles so far) the first vertex of each particle */
    uint32_t *heads, *next;     /* particles of a bucket of the grid */
    uint64_t buckets;           /* a power of two */
    uint32_t *faces_at, *faces; /* (vertices + 2), (corners): faces around each vertex */
    uint32_t particle_count;
} welder;

/* ---- the grid ---- */

static uint64_t mesh_bucket_of(const welder *w, const double *cell)
{
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        double whole = cell[axis] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &whole, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash & (w->buckets - 1);
}

/* ---- conditions of welding ---- */

/* True if a face of `vertex` has a corner that is already this particle. */
static bool share_face(const welder *w, uint32_t vertex, uint32_t particle)
{
    for (uint32_t i = w->faces_at[vertex]; i < w->faces_at[vertex + 1]; i++) {
        uint32_t face = w->faces[i];
        for (uint32_t corner = w->mesh->face_at[face]; corner < w->mesh->face_at[face + 1];
             corner++) {
            uint32_t neighbour = w->mesh->corners[corner];
            if (neighbour < vertex && w->particle_of[neighbour] == particle) return true;
        }
    }
    return false;
}

/* Finds the particle with the lowest number that a vertex may become; CLOTH_NO_INDEX: a new
 * particle. */
static uint32_t find_particle(const welder *w, uint32_t vertex)
{
    double low[3], cell[3];
    int count[3];
    uint32_t best = CLOTH_NO_INDEX;
    /* cells that a ball around the vertex reaches: one or two along each axis */
    const float *at = w->mesh->positions + 3 * (size_t)vertex;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = w->cell > 0 ? floor((at[axis] - w->distance) / w->cell) : at[axis];
        double high = w->cell > 0 ? floor((at[axis] + w->distance) / w->cell) : at[axis];
        count[axis] = high > low[axis] ? 2 : 1;
    }
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        cell[0] = low[0] + i % count[0];
        cell[1] = low[1] + i / count[0] % count[1];
        cell[2] = low[2] + i / count[0] / count[1];
        for (uint32_t particle = w->heads[mesh_bucket_of(w, cell)]; particle != CLOTH_NO_INDEX;
             particle = w->next[particle]) {
            const float *candidate = w->mesh->positions + 3 * (size_t)w->vertex_of[particle];
            double x = (double)at[0] - candidate[0], y = (double)at[1] - candidate[1],
                   z = (double)at[2] - candidate[2];
            if (particle < best && x * x + y * y + z * z <= w->distance * w->distance &&
                !share_face(w, vertex, particle))
                best = particle;
        }
    }
    return best;
}

static void add_particle(welder *w, uint32_t vertex)
{
    double cell[3];
    for (int axis = 0; axis < 3; axis++) {
        double at = w->mesh->positions[3 * (size_t)vertex + (size_t)axis];
        cell[axis] = w->cell > 0 ? floor(at / w->cell) : at;
    }
    uint64_t bucket = mesh_bucket_of(w, cell);
    uint32_t particle = w->particle_count++;
    w->vertex_of[particle] = vertex;
    w->next[particle] = w->heads[bucket];
    w->heads[bucket] = particle;
}

/* Lists the faces around each vertex. Counts are stored two positions ahead and filled one
 * position ahead, so that faces_at has the starts in the end. */
static void gather_faces(welder *w)
{
    const hed_cloth_mesh *mesh = w->mesh;
    for (uint32_t corner = 0; corner < cloth_mesh_corner_count(mesh); corner++)
        if (mesh->corners[corner] < mesh->vertex_count)
            w->faces_at[(size_t)mesh->corners[corner] + 2]++;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        w->faces_at[(size_t)vertex + 1] += w->faces_at[vertex];
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t corner = mesh->face_at[face]; corner < mesh->face_at[face + 1]; corner++)
            if (mesh->corners[corner] < mesh->vertex_count)
                w->faces[w->faces_at[(size_t)mesh->corners[corner] + 1]++] = face;
}

hed_status hed_cloth_mesh_weld(const hed_cloth_mesh *mesh, float distance, uint32_t *particle_of,
    uint32_t *particle_count, hed_error *error)
{
    HED_REQUIRE(mesh, particle_of, particle_count);
    *particle_count = 0;
    size_t n = mesh->vertex_count, corners = cloth_mesh_corner_count(mesh);
    /* Cells of eight distances: most vertices then search only one cell. */
    welder w = {.mesh = mesh,
        .distance = distance > 0 ? distance : 0,
        .particle_of = particle_of,
        .buckets = 4};
    w.cell = 8 * w.distance;
    while (w.buckets < n) w.buckets *= 2;
    uint32_t *memory = malloc((2 * n + w.buckets + corners + 1) * sizeof *memory);
    w.faces_at = calloc(n + 2, sizeof *w.faces_at);
    if (memory && w.faces_at) {
        w.vertex_of = memory;
        w.next = w.vertex_of + n;
        w.heads = w.next + n;
        w.faces = w.heads + w.buckets;
        memset(w.heads, 0xff, w.buckets * sizeof *w.heads);
        gather_faces(&w);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
            particle_of[vertex] = find_particle(&w, vertex);
            if (particle_of[vertex] != CLOTH_NO_INDEX) continue;
            particle_of[vertex] = w.particle_count;
            add_particle(&w, vertex);
        }
    }
    bool enough = memory && w.faces_at;
    free(memory);
    free(w.faces_at);
    if (!enough)
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while %u vertices were welded",
            mesh->vertex_count);
    *particle_count = w.particle_count;
    return HED_OK;
}
