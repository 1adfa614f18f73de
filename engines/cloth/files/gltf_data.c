/* Data of glTF 2.0 (Khronos, glTF 2.0 Specification, chapters 3.6, 4 and 5): the binary
 * container, buffers in it, in data URIs and in files of the document's folder, and accessors
 * with strides, normalized integers and sparse values. */
#include "files/gltf.h"

#include "heddle/author.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const int64_t MOST_BYTES = (int64_t)1 << 40;

/* ---- errors ---- */

bool cloth_gltf_fine(const cloth_gltf *g)
{
    return g->status == HED_OK && hed_json_status(g->json, NULL) == HED_OK;
}

void cloth_gltf_starve(cloth_gltf *g)
{
    if (cloth_gltf_fine(g))
        g->status = hed_fail(g->error, HED_ERROR_MEMORY, "out of memory while reading %s", g->name);
}

void cloth_gltf_limit(cloth_gltf *g, uint64_t count, const char *what)
{
    static const uint64_t limit = UINT64_C(1) << 28;
    if (count > limit && cloth_gltf_fine(g))
        g->status = hed_fail(g->error, HED_ERROR_LIMIT,
            "%s: found %llu %s or more, expected at most 2^28 in all: write fewer copies of its meshes",
            g->name, (unsigned long long)count, what);
}

/* ---- the container ---- */

static uint32_t word_at(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Finds the JSON, and the binary chunk after it. */
static hed_status open_container(
    cloth_gltf *g, const char *bytes, size_t size, const char **text, size_t *text_size)
{
    static const uint32_t JSON = 0x4e4f534a, BIN = 0x004e4942;
    const char *name = g->name;
    if (size < 20)
        return hed_fail(
            g->error, HED_ERROR_FORMAT, "%s is cut: a GLB file has at least 20 bytes", name);
    if (word_at(bytes + 4) != 2)
        return hed_fail(g->error, HED_ERROR_FORMAT,
            "%s: found version %u of GLB, expected 2: write it as glTF 2.0", name,
            word_at(bytes + 4));
    if (word_at(bytes + 8) > size)
        return hed_fail(g->error, HED_ERROR_FORMAT, "%s is cut: expected %u bytes, found %zu", name,
            word_at(bytes + 8), size);
    size = word_at(bytes + 8);
    for (size_t at = 12; at + 8 <= size;) {
        uint32_t length = word_at(bytes + at), kind = word_at(bytes + at + 4);
        bool first = at == 12;
        at += 8;
        if (length > size - at || (first && kind != JSON))
            return hed_fail(g->error, HED_ERROR_FORMAT, "%s: byte %zu: found a chunk of %u bytes%s",
                name, at - 8, length,
                length > size - at ? ", expected one that ends within the file"
                                   : " of another kind, expected JSON");
        if (first) {
            *text = bytes + at;
            *text_size = length;
        } else if (kind == BIN && !g->chunk) {
            g->chunk = bytes + at;
            g->chunk_size = length;
        }
        at += length;
    }
    while (*text_size > 0 && ((*text)[*text_size - 1] == ' ' || (*text)[*text_size - 1] == 0))
        --*text_size;
    return *text ? HED_OK
                 : hed_fail(g->error, HED_ERROR_FORMAT, "%s: found no chunk of JSON", name);
}

bool cloth_gltf_is(const char *path)
{
    return cloth_path_ends(path, ".glb") || cloth_path_ends(path, ".gltf");
}

hed_status cloth_gltf_open(const char *name, const char *bytes, size_t size, const char *folder,
    cloth_gltf *g, hed_error *error)
{
    const char *node = cloth_node_in(name);
    *g = (cloth_gltf){
        .name = name, .node = node ? node + 1 : NULL, .folder = folder, .error = error};
    const char *text = NULL;
    size_t text_size = 0;
    hed_status status = HED_OK;
    if (size >= 4 && memcmp(bytes, "glTF", 4) == 0)
        status = open_container(g, bytes, size, &text, &text_size);
    else {
        text = bytes;
        text_size = size;
    }
    if (status == HED_OK) status = hed_json_parse(name, text, text_size, &g->json, error);
    if (status != HED_OK) return status;
    g->root = hed_json_root(g->json);
    if (hed_json_has(g->root, "buffers"))
        g->buffer_count = hed_json_count(hed_json_member(g->root, "buffers"));
    g->buffers = calloc(g->buffer_count + 1, sizeof *g->buffers);
    if (!g->buffers) cloth_gltf_starve(g);
    return g->status;
}

void cloth_gltf_close(cloth_gltf *g)
{
    for (size_t i = 0; g->buffers && i < g->buffer_count; i++) free(g->buffers[i].owned);
    free(g->buffers);
    hed_json_free(g->json);
}

hed_json_node cloth_gltf_find(cloth_gltf *g, hed_json_node index, const char *list)
{
    int64_t number = hed_json_integer(index, 0, INT32_MAX);
    hed_json_node items = hed_json_member(g->root, list);
    size_t count = hed_json_count(items);
    if (cloth_gltf_fine(g) && (uint64_t)number >= count)
        hed_json_reject(index, "found %lld, but there are %zu %s, counted from 0",
            (long long)number, count, list);
    return hed_json_item(items, cloth_gltf_fine(g) ? (size_t)number : 0);
}

/* ---- buffers ---- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Decodes base64 (RFC 4648). NULL: invalid text, or out of memory (`*starved`). */
static char *gltf_data_decode(const char *text, size_t *size, bool *starved)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') length--;
    char *bytes = malloc(length / 4 * 3 + 3);
    *starved = !bytes;
    uint32_t bits = 0;
    for (size_t i = 0; bytes && i < length; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 > 0) bytes[i / 4 * 3 + i % 4 - 1] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    *size = length / 4 * 3 + (length % 4 ? length % 4 - 1 : 0);
    return bytes;
}

/* Makes the path of a relative reference in the document's folder: "my%20mesh.bin". NULL: out of
 * memory. */
static char *gltf_data_path_of(const char *folder, const char *uri)
{
    char *path = malloc(strlen(folder) + strlen(uri) + 1);
    if (!path) return NULL;
    char *to = stpcpy(path, folder);
    for (const char *from = uri; *from; from++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *high = *from == '%' && from[1] ? strchr(digits, from[1]) : NULL;
        const char *low = high && from[2] ? strchr(digits, from[2]) : NULL;
        *to++ = low ? (char)((high - digits) % 16 * 16 + (low - digits) % 16) : *from;
        if (low) from += 2;
    }
    *to = 0;
    return path;
}

static void load_uri(cloth_gltf *g, hed_json_node node, cloth_gltf_buffer *buffer)
{
    const char *uri = hed_json_string(node), *comma = strchr(uri, ',');
    bool starved = false;
    if (!cloth_gltf_fine(g)) return;
    if (strncasecmp(uri, "data:", 5) == 0) {
        if (comma && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0)
            buffer->owned = gltf_data_decode(comma + 1, &buffer->size, &starved);
        if (starved) cloth_gltf_starve(g);
        else if (!buffer->owned) hed_json_reject(node, "found a data URI that is not base64");
    } else if (!g->folder || strstr(uri, "://")) {
        hed_json_reject(
            node, "found \"%.100s\", expected data in the file itself or in a file beside it", uri);
    } else {
        hed_error error = {0};
        char *path = gltf_data_path_of(g->folder, uri);
        hed_status status =
            path ? hed_file_read(path, (size_t)MOST_BYTES, &buffer->owned, &buffer->size, &error)
                 : HED_ERROR_MEMORY;
        free(path);
        if (status == HED_ERROR_MEMORY) cloth_gltf_starve(g);
        else if (status != HED_OK) {
            hed_json_reject(node, "%s", error.text);
            g->status = hed_json_status(g->json, g->error);
            g->status = status;
            if (g->error) g->error->status = status;
        }
    }
    buffer->bytes = buffer->owned;
}

/* Finds the bytes of the buffer that a view names. */
static const cloth_gltf_buffer *find_buffer(cloth_gltf *g, hed_json_node view)
{
    hed_json_node index = hed_json_member(view, "buffer"),
                  node = cloth_gltf_find(g, index, "buffers");
    int64_t length = hed_json_integer(hed_json_member(node, "byteLength"), 0, MOST_BYTES);
    if (!cloth_gltf_fine(g)) return NULL;
    size_t number = (size_t)hed_json_integer(index, 0, INT32_MAX);
    cloth_gltf_buffer *buffer = &g->buffers[number];
    if (!buffer->bytes) {
        if (hed_json_has(node, "uri")) load_uri(g, hed_json_member(node, "uri"), buffer);
        else if (number == 0 && g->chunk)
            *buffer = (cloth_gltf_buffer){NULL, g->chunk, g->chunk_size};
        else hed_json_reject(node, "found neither a uri nor a binary chunk: the data is missing");
    }
    if (cloth_gltf_fine(g) && (uint64_t)length > buffer->size)
        hed_json_reject(hed_json_member(node, "byteLength"),
            "is cut: expected %lld bytes, found %zu", (long long)length, buffer->size);
    return cloth_gltf_fine(g) ? buffer : NULL;
}

/* ---- accessors ---- */

typedef struct layout {
    int64_t component_type; /* 5120 and on */
    uint32_t component_bytes, components;
    bool normalized;
    uint32_t count;
} layout;

static uint32_t gltf_data_bytes_of(cloth_gltf *g, hed_json_node node, int64_t *type)
{
    /* 5120 byte, unsigned byte, short, unsigned short, -, unsigned int, float */
    static const uint8_t bytes[] = {1, 1, 2, 2, 0, 4, 4};
    *type = hed_json_integer(node, 5120, 5126);
    if (cloth_gltf_fine(g) && bytes[*type - 5120] == 0)
        hed_json_reject(
            node, "found %lld, which is no component type of glTF 2.0", (long long)*type);
    return cloth_gltf_fine(g) ? bytes[*type - 5120] : 1;
}

static double component(const char *at, const layout *l)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        uint32_t u32;
        float f32;
    } v;
    memcpy(&v, at, l->component_bytes);
    double value = 0, scale = 1;
    switch (l->component_type) {
    case 5120: value = v.i8, scale = 127; break;
    case 5121: value = v.u8, scale = 255; break;
    case 5122: value = v.i16, scale = 32767; break;
    case 5123: value = v.u16, scale = 65535; break;
    case 5125: value = v.u32; break;
    default: value = (double)v.f32; break;
    }
    return l->normalized && l->component_type < 5125 ? fmax(value / scale, -1) : value;
}

/* Finds the first of the `count` elements of `holder` ("bufferView", "byteOffset"), and the step
 * from one element to the next. */
static const char *find_elements(
    cloth_gltf *g, hed_json_node holder, uint64_t element_bytes, uint64_t count, uint64_t *stride)
{
    hed_json_node view = cloth_gltf_find(g, hed_json_member(holder, "bufferView"), "bufferViews");
    if (!cloth_gltf_fine(g)) return NULL;
    if (hed_json_has(view, "extensions")) {
        hed_json_node extensions = hed_json_member(view, "extensions");
        if (hed_json_has(extensions, "EXT_meshopt_compression") ||
            hed_json_has(extensions, "KHR_meshopt_compression"))
            hed_json_reject(extensions,
                "the data is compressed by meshopt, which is not read here; write the file without "
                "compression (gltf-transform copy does)");
    }
    const cloth_gltf_buffer *buffer = find_buffer(g, view);
    uint64_t from =
        hed_json_has(view, "byteOffset")
            ? (uint64_t)hed_json_integer(hed_json_member(view, "byteOffset"), 0, MOST_BYTES)
            : 0;
    uint64_t length =
        (uint64_t)hed_json_integer(hed_json_member(view, "byteLength"), 0, MOST_BYTES);
    uint64_t offset =
        hed_json_has(holder, "byteOffset")
            ? (uint64_t)hed_json_integer(hed_json_member(holder, "byteOffset"), 0, MOST_BYTES)
            : 0;
    *stride = hed_json_has(view, "byteStride")
                  ? (uint64_t)hed_json_integer(
                        hed_json_member(view, "byteStride"), (int64_t)element_bytes, 252)
                  : element_bytes;
    if (!cloth_gltf_fine(g) || !buffer) return NULL;
    if (from + length > buffer->size)
        hed_json_reject(view, "reaches to byte %llu of a buffer of %zu",
            (unsigned long long)(from + length), buffer->size);
    else if (offset + *stride * (count - 1) + element_bytes > length)
        hed_json_reject(holder, "reaches to byte %llu of a bufferView of %llu",
            (unsigned long long)(offset + *stride * (count - 1) + element_bytes),
            (unsigned long long)length);
    return cloth_gltf_fine(g) ? buffer->bytes + from + offset : NULL;
}

/* Writes one element into an array of floats or, for `words`, of uint32_t. */
static void take_element(const char *from, const layout *l, bool words, void *array, size_t number)
{
    for (uint32_t k = 0; k < l->components; k++, from += l->component_bytes) {
        double value = component(from, l);
        if (words) ((uint32_t *)array)[number * l->components + k] = (uint32_t)value;
        else ((float *)array)[number * l->components + k] = (float)value;
    }
}

/* Replaces the elements that "sparse" lists. */
static void read_sparse(
    cloth_gltf *g, hed_json_node accessor, const layout *l, bool words, void *array)
{
    hed_json_node sparse = hed_json_member(accessor, "sparse");
    hed_json_node indices = hed_json_member(sparse, "indices"),
                  values = hed_json_member(sparse, "values");
    layout index = {.components = 1};
    uint64_t count = (uint64_t)hed_json_integer(hed_json_member(sparse, "count"), 1, l->count),
             index_stride = 0, stride = 0;
    index.component_bytes =
        gltf_data_bytes_of(g, hed_json_member(indices, "componentType"), &index.component_type);
    const char *index_at = find_elements(g, indices, index.component_bytes, count, &index_stride);
    const char *value_at =
        find_elements(g, values, (uint64_t)l->component_bytes * l->components, count, &stride);
    for (uint64_t i = 0; cloth_gltf_fine(g) && i < count; i++) {
        double number = component(index_at + i * index_stride, &index);
        if (!(number >= 0 && number < l->count))
            hed_json_reject(indices, "found element %g, but there are %u", number, l->count);
        else take_element(value_at + i * stride, l, words, array, (size_t)number);
    }
}

static layout read_layout(cloth_gltf *g, hed_json_node accessor, uint32_t least, uint32_t most)
{
    static const char *const types[] = {
        "SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", NULL};
    layout l = {0};
    hed_json_node type = hed_json_member(accessor, "type");
    uint32_t kind = hed_json_choice(type, types), expected = least == 16 ? 6 : least - 1;
    l.components = kind == 6 ? 16 : kind + 1;
    bool is_unknown = kind == 4 || kind == 5; /* matrices that the readers do not need */
    if (cloth_gltf_fine(g) && (is_unknown || l.components < least || l.components > most))
        hed_json_reject(type, "found %s, expected %s%s%s", hed_json_string(type), types[expected],
            least < most ? " or " : "", least < most ? types[most - 1] : "");
    l.component_bytes =
        gltf_data_bytes_of(g, hed_json_member(accessor, "componentType"), &l.component_type);
    l.count = (uint32_t)hed_json_integer(hed_json_member(accessor, "count"), 1, CLOTH_NO_INDEX - 1);
    l.normalized = hed_json_has(accessor, "normalized") &&
                   hed_json_boolean(hed_json_member(accessor, "normalized"));
    return l;
}

static void *read_accessor(
    cloth_gltf *g, hed_json_node index, uint32_t least, uint32_t most, bool words, layout *l)
{
    hed_json_node accessor = cloth_gltf_find(g, index, "accessors");
    *l = read_layout(g, accessor, least, most);
    uint64_t stride, element_bytes = (uint64_t)l->component_bytes * l->components;
    const bool is_unsigned =
        l->component_type == 5121 || l->component_type == 5123 || l->component_type == 5125;
    if (cloth_gltf_fine(g) && words && (!is_unsigned || l->normalized))
        hed_json_reject(accessor,
            "elements are no indices (componentType %lld%s); expected 5121, 5123 or 5125 (unsigned)",
            (long long)l->component_type, l->normalized ? ", normalized" : "");
    /* zeros: no bufferView, so all elements are zero except the elements in "sparse"; no data
     * limits their number */
    bool zeros = cloth_gltf_fine(g) && !hed_json_has(accessor, "bufferView");
    if (zeros && l->count > 1u << 24)
        hed_json_reject(
            accessor, "found %u elements and no bufferView, expected at most 2^24", l->count);
    const char *at = zeros ? NULL : find_elements(g, accessor, element_bytes, l->count, &stride);
    if (!cloth_gltf_fine(g) || (!at && !zeros)) return NULL;
    void *array = calloc((size_t)l->count * l->components, sizeof(float));
    if (!array) cloth_gltf_starve(g);
    for (size_t i = 0; array && at && i < l->count; i++)
        take_element(at + i * stride, l, words, array, i);
    if (array && hed_json_has(accessor, "sparse")) read_sparse(g, accessor, l, words, array);
    if (cloth_gltf_fine(g)) return array;
    free(array);
    return NULL;
}

float *cloth_gltf_floats(cloth_gltf *g, hed_json_node index, uint32_t least, uint32_t most,
    uint32_t *components, uint32_t *count)
{
    layout l;
    float *array = read_accessor(g, index, least, most, false, &l);
    *count = array ? l.count : 0;
    *components = l.components;
    for (size_t i = 0; array && i < (size_t)l.count * l.components; i++)
        if (!isfinite(array[i])) {
            hed_json_reject(index, "element %zu (counted from 0) has a number that is not finite",
                i / l.components);
            free(array);
            return NULL;
        }
    return array;
}

uint32_t *cloth_gltf_indices(cloth_gltf *g, hed_json_node index, uint32_t limit, uint32_t *count)
{
    layout l;
    uint32_t *array = read_accessor(g, index, 1, 1, true, &l);
    *count = array ? l.count : 0;
    for (size_t i = 0; array && i < l.count; i++)
        if (array[i] >= limit) {
            hed_json_reject(index, "index %zu (counted from 0) is vertex %u, but there are %u", i,
                array[i], limit);
            free(array);
            return NULL;
        }
    return array;
}

/* ---- morph targets ---- */

double *cloth_gltf_weights(cloth_gltf *g, hed_json_node node, uint32_t *count)
{
    *count = 0;
    hed_json_node mesh = cloth_gltf_find(g, hed_json_member(node, "mesh"), "meshes");
    hed_json_node primitives = hed_json_member(mesh, "primitives");
    if (!cloth_gltf_fine(g) || hed_json_count(primitives) == 0) return NULL;
    hed_json_node first = hed_json_item(primitives, 0);
    if (!hed_json_has(first, "targets")) return NULL;
    size_t targets = hed_json_count(hed_json_member(first, "targets"));
    double *weights = calloc(targets + 1, sizeof *weights);
    if (!weights) cloth_gltf_starve(g);
    if (!cloth_gltf_fine(g)) return weights;
    hed_json_node owner = hed_json_has(node, "weights") ? node : mesh;
    if (hed_json_has(owner, "weights"))
        hed_json_numbers(hed_json_member(owner, "weights"), weights, targets, -1e6, 1e6);
    *count = (uint32_t)targets;
    return weights;
}

float *cloth_gltf_target(cloth_gltf *g, hed_json_node primitive, uint32_t target, uint32_t count)
{
    if (!cloth_gltf_fine(g) || !hed_json_has(primitive, "targets")) return NULL;
    hed_json_node targets = hed_json_member(primitive, "targets");
    if (target >= hed_json_count(targets)) return NULL;
    hed_json_node attributes = hed_json_item(targets, target);
    if (!hed_json_has(attributes, "POSITION")) return NULL;
    uint32_t components, elements;
    hed_json_node index = hed_json_member(attributes, "POSITION");
    float *moves = cloth_gltf_floats(g, index, 3, 3, &components, &elements);
    if (!moves || elements == count) return moves;
    hed_json_reject(index, "moves %u vertices, expected %u", elements, count);
    free(moves);
    return NULL;
}
