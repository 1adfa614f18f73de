/* PLY, STL and glTF as they are read: every variant means the same mesh, what is broken is named
 * with its place, and assimp, where it is there, reads the same. */
#include "cloth_mesh_testing.h"

#include <stdarg.h>

#include "files/mesh_file.h"

TestSuite(cloth_mesh_readers, .init = folder_make, .fini = folder_remove);

/* ---- bytes of a file ---- */

typedef struct bytes {
    char data[8192];
    size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
    CHECK(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_text(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(bytes *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(b->data + b->size, sizeof b->data - b->size, format, arguments);
    va_end(arguments);
    CHECK(length >= 0 && (size_t)length < sizeof b->data - b->size);
    b->size += (size_t)length;
}

/* A value of `size` bytes, in the other order for `big`. */
static void put_value(bytes *b, const void *value, size_t size, bool big)
{
    const char *from = value;
    for (size_t i = 0; i < size; i++) put(b, from + (big ? size - 1 - i : i), 1);
}

static void put_float(bytes *b, float value, bool big) { put_value(b, &value, sizeof value, big); }
static void put_word(bytes *b, uint32_t value, bool big)
{
    put_value(b, &value, sizeof value, big);
}

typedef hed_status parser(
    const char *bytes, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error);

static hed_status parse_gltf(
    const char *data, size_t size, const char *name, hed_cloth_mesh *mesh, hed_error *error)
{
    return cloth_gltf_parse(name, data, size, NULL, mesh, error);
}

/* From memory that ends where the file does, so that a sanitizer sees whoever reads on. */
static hed_status parse_exactly(
    parser *parse_it, const char *data, size_t size, hed_cloth_mesh *mesh, hed_error *error)
{
    char *copy = malloc(size ? size : 1);
    CHECK_NOT_NULL(copy);
    memcpy(copy, data, size);
    hed_status status = parse_it(copy, size, "t", mesh, error);
    free(copy);
    return status;
}

static hed_cloth_mesh read_bytes(parser *parse_it, const bytes *b)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    OK(parse_it(b->data, b->size, "test", &mesh, &error));
    return mesh;
}

static void refuse(parser *parse_it, const bytes *b, const char *words)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    FAILS(HED_ERROR_FORMAT, parse_it(b->data, b->size, "test", &mesh, &error));
    CHECK(strstr(error.text, words), "\"%s\" instead of \"%s\"", error.text, words);
    CHECK(!mesh.positions && !mesh.corners);
}

/* Cut at every length it is refused, but for the last `whole` bytes. */
static void refuse_cuts(parser *parse_it, const bytes *b, size_t whole)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    for (size_t size = 0; size + whole < b->size; size++) {
        hed_error_clear(&error);
        hed_status status = parse_exactly(parse_it, b->data, size, &mesh, &error);
        CHECK(status == HED_ERROR_FORMAT && error.text[0] && !mesh.positions, "cut at %zu: %s",
            size, hed_status_name(status));
    }
    OK(parse_exactly(parse_it, b->data, b->size, &mesh, &error));
    hed_cloth_mesh_free(&mesh);
}

/* ---- PLY ---- */

static const float places[5][3] = {
    {0, 0, 0}, {1, 0, 0}, {1, 1, 0.25f}, {0, 1, -0.5f}, {2, 0.5f, 1e-3f}};
/* lengths in front */
static const uint32_t ply_corners[] = {4, 0, 1, 2, 3, 3, 1, 4, 2, 5, 0, 1, 4, 2, 3};

/* The same mesh in every format, with things between that are skipped. */
static bytes make_ply(const char *format, const char *line_end)
{
    bool text = strcmp(format, "ascii") == 0, big = strstr(format, "big") != NULL;
    bytes b = {0};
    static const char *const lines[] = {"comment made by a test", "obj_info nothing",
        "element vertex 5", "property double x", "property float y", "property uchar quality",
        "property list uchar short neighbours", "property float32 z", "element face 3",
        "property int flags", "property list uchar uint vertex_indices",
        "property list int float colours", "element edge 1", "property int vertex1",
        "property int vertex2", "end_header"};
    put_text(&b, "ply%sformat %s 1.0%s", line_end, format, line_end);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        put_text(&b, "%s%s", lines[i], line_end);
    for (uint32_t i = 0; i < 5; i++) {
        double x = (double)places[i][0];
        if (text) {
            put_text(&b, "%g %.9g 7 2 -1 %u\t%.9g %s", x, (double)places[i][1], i,
                (double)places[i][2], line_end);
            continue;
        }
        int16_t neighbours[2] = {-1, (int16_t)i};
        put_value(&b, &x, sizeof x, big);
        put_float(&b, places[i][1], big);
        put(&b, "\7\2", 2);
        for (int k = 0; k < 2; k++) put_value(&b, &neighbours[k], 2, big);
        put_float(&b, places[i][2], big);
    }
    for (const uint32_t *face = ply_corners; face < ply_corners + 15; face += 1 + *face) {
        if (text) {
            put_text(&b, "-3 %u", *face);
            for (uint32_t i = 1; i <= *face; i++) put_text(&b, " %u", face[i]);
            put_text(&b, " 1 0.5%s", line_end);
            continue;
        }
        put_word(&b, 99, big);
        put(&b, &(char){(char)*face}, 1);
        for (uint32_t i = 1; i <= *face; i++) put_word(&b, face[i], big);
        put_word(&b, 1, big);
        put_float(&b, 0.5f, big);
    }
    if (text) put_text(&b, "0 1%s", line_end);
    else {
        put_word(&b, 0, big);
        put_word(&b, 1, big);
    }
    return b;
}

Test(cloth_mesh_readers, ply_of_every_format_means_the_same)
{
    hed_cloth_mesh like = parse(
        "v 0 0 0\nv 1 0 0\nv 1 1 0.25\nv 0 1 -0.5\nv 2 0.5 1e-3\nf 1 2 3 4\nf 2 5 3\nf 1 2 5 3 4\n");
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; i < 6; i++) {
        bytes b = make_ply(formats[i / 2], i % 2 ? "\r\n" : "\n");
        hed_cloth_mesh mesh = read_bytes(cloth_ply_parse, &b);
        expect_same(&like, &mesh);
        hed_cloth_mesh_free(&mesh);
        /* the last line may lack its end */
        refuse_cuts(cloth_ply_parse, &b, i / 2 ? 0 : i % 2 ? 2 : 1);
    }
    hed_cloth_mesh_free(&like);
}

Test(cloth_mesh_readers, ply_has_normals_colours_and_texture_coordinates)
{
    bytes b = {0};
    put_text(&b,
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty ushort green\n"
        "property float blue\nproperty float s\nproperty float t\nelement face 1\n"
        "property list uchar int vertex_index\nproperty list uchar float texcoord\nend_header\n0 0 0 0 0 1 255 0 0.5 0 0\n1 0 0 0 1 0 51 65535 1 1 0\n"
        "\n1 1 0 1 0 0 0 0 0 0.25 1\n3 2 0 1 0\n");
    hed_cloth_mesh mesh = read_bytes(cloth_ply_parse, &b);
    CHECK(strstr(mesh.warning, "(texcoord) are not read"), "%s", mesh.warning);
    CHECK(mesh.normal_count == 3 && mesh.texture_count == 3);
    CHECK(same_floats(mesh.normals, (const float[]){0, 0, 1, 0, 1, 0, 1, 0, 0}, 9));
    CHECK(same_floats(mesh.textures, (const float[]){0, 0, 1, 0, 0.25f, 1}, 6));
    CHECK(same_floats(
        mesh.vertex_colours, (const float[]){1, 0, 0.5f, 1, 0.2f, 1, 1, 1, 0, 0, 0, 1}, 12));
    CHECK(same_words(mesh.corner_normals, mesh.corners, 3) &&
          same_words(mesh.corner_textures, mesh.corners, 3));
    CHECK(same_words(mesh.corners, (const uint32_t[]){2, 0, 1}, 3));
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_readers, ply_that_is_broken_is_named)
{
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define ONE \
    "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ \
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    static const char *const cases[][2] = {
        {"", "test:1: found the end of the file, expected ply in the first line"},
        {"plyx\n", "found \"plyx\""},
        {"ply\nelement vertex 3\n", "test:2: found \"element\", expected the format"},
        {"ply\nformat ascii 2.0\n", "expected version 1.0"},
        {"ply\nformat ascii 1.0\nproperty float x\n", "expected an element before its properties"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", "expected how many there are"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n",
            "test:4: found \"real\", expected a type"},
        {"ply\nformat ascii 1.0\nelement vertex 3\n" XYZ "property float x\n",
            "the same property twice"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nelement vertex 3\n", "the same element twice"},
        {"ply\nformat ascii 1.0\nelement vertex 1\n" XYZ "element tristrips 1\n",
            "write the file with faces"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
            "no property y"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex 1\n" XYZ
         "end_header\n3 0 0 0\n0 0 0\n",
            "found element face first, expected vertex"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nend_header\n0\n", "no property x"},
        {"ply\nformat ascii 1.0\nelement vertex 0\n" XYZ "end_header\n", "found no vertex"},
        {"ply\nformat ascii 1.0\nelement vertex 999999\n" XYZ "end_header\n0 0 0\n",
            "is cut: expected 999999 of element vertex"},
        {ONE "0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
            "test:11: found the end of the line, expected a number"},
        {ONE "0 0 0\n1 0 0 0\n0 1 0\n3 0 1 2\n",
            "test:11: found \"0\", expected the end of the line"},
        {ONE "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", "found \"nan\", expected a number"},
        {ONE "0 0 0\n1 0 1e60\n0 1 0\n3 0 1 2\n", "a number that is not finite"},
        {ONE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
            "test:13: found vertex 3 (counted from 0), expected one that is there"},
        {ONE "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "found vertex -1"},
        {ONE "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", "expected a whole number"},
        {ONE "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "a face of fewer than 3 corners"},
        {ONE "0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n", "a list longer than the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = {0};
        put(&b, cases[i][0], strlen(cases[i][0]));
        refuse(cloth_ply_parse, &b, cases[i][1]);
    }
    bytes b = make_ply("binary_little_endian", "\n");
    char *corner = memmem(b.data, b.size, "\4\0\0\0\0\1\0\0\0", 9);
    CHECK_NOT_NULL(corner);
    corner[1] = 9;
    refuse(cloth_ply_parse, &b, "test: face 1 (counted from 1): found vertex 9 (counted from 0)");
}

/* ---- STL ---- */

static const float facets[3][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    {{1, 0, -0.0f}, {1, 1, 0}, {0, 1, 0}}, {{5, 5, 5}, {5, 5, 5}, {6, 5, 5}}};

static bytes make_text_stl(void)
{
    bytes b = {0};
    for (int i = 0; i < 3; i++) {
        if (i != 1) put_text(&b, "solid %s\n", i ? "other" : "the first ");
        put_text(&b, " facet normal nan 0 1\n  outer loop\r\n");
        for (int k = 0; k < 3; k++)
            put_text(&b, "   VERTEX %g %g\t%g\n", (double)facets[i][k][0], (double)facets[i][k][1],
                (double)facets[i][k][2]);
        put_text(&b, "  endloop\n endfacet\n");
        if (i != 0) put_text(&b, "endsolid%s\n", i == 1 ? " the first" : "");
    }
    return b;
}

static bytes make_binary_stl(const char *head)
{
    bytes b = {0};
    char start[80] = {0};
    strcpy(start, head);
    put(&b, start, sizeof start);
    put_word(&b, 3, false);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) put_float(&b, NAN, false);
        for (int k = 0; k < 9; k++) put_float(&b, facets[i][k / 3][k % 3], false);
        put(&b, "\0\0", 2);
    }
    return b;
}

/* Corners at the same place are one vertex, in order of appearance; the two of a facet that has no
 * area stay two. */
Test(cloth_mesh_readers, stl_of_every_format_means_the_same)
{
    static const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 5, 5, 5, 5, 5, 5, 6, 5, 5};
    static const uint32_t corners[] = {0, 1, 2, 1, 3, 2, 4, 5, 6};
    const bytes files[] = {
        make_text_stl(), make_binary_stl("by a test"), make_binary_stl("solid by a test")};
    for (int i = 0; i < 3; i++) {
        hed_cloth_mesh mesh = read_bytes(cloth_stl_parse, &files[i]);
        CHECK(mesh.vertex_count == 7 && mesh.face_count == 3);
        CHECK(same_floats(mesh.positions, vertices, 21) && same_words(mesh.corners, corners, 9));
        CHECK(mesh.face_at[3] == 9 && !mesh.warning && mesh.group_count == (i ? 0 : 2));
        if (!i)
            CHECK(strcmp(mesh.groups[0].name, "the first") == 0 && mesh.groups[1].first_face == 2);
        hed_cloth_mesh_free(&mesh);
    }
    refuse_cuts(cloth_stl_parse, &files[1], 0);
    bytes last = files[0];
    /* what is whole ends so */
    last.size = (size_t)((char *)memmem(last.data, last.size, "endsolid", 8) - last.data) + 8;
    refuse_cuts(cloth_stl_parse, &last, 0);
    bytes longer = files[1];
    put(&longer, "xyz", 3);
    hed_cloth_mesh mesh = read_bytes(cloth_stl_parse, &longer);
    CHECK_TEXT(mesh.warning, "test: 3 bytes behind its last facet were skipped");
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_readers, stl_that_is_broken_is_named)
{
#define LOOP "solid\nfacet normal 0 0 1\nouter loop\n"
    static const char *const cases[][2] = {
        {"nothing", "no STL file"},
        {"solid a\nendsolid\n", "found no facet"},
        {"solid a\nfacet normals 0 0 1\n", "test:2: found \"normals\", expected normal"},
        {LOOP "vertex 0 0 inf\n", "test:4: found \"inf\", expected a finite number"},
        {LOOP "vertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nvertex 1 1 1\nendloop\n",
            "test:7: found \"vertex\", expected endloop"},
        {LOOP "vertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\nfacets\n",
            "expected facet or endsolid"},
        {LOOP "vertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\nmore\n",
            "found \"more\", expected solid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = {0};
        put(&b, cases[i][0], strlen(cases[i][0]));
        refuse(cloth_stl_parse, &b, cases[i][1]);
    }
    bytes b = make_binary_stl("x");
    memset(b.data + 84 + 50 + 12, 0xff, 4);
    refuse(cloth_stl_parse, &b, "facet 2 (counted from 1): found a coordinate that is not finite");
}

/* ---- glTF ---- */

/* A container of a document and a binary chunk. */
static bytes make_glb(const char *json, const bytes *chunk)
{
    bytes b = {0};
    uint32_t length = (uint32_t)(strlen(json) + 3) / 4 * 4,
             binary = chunk ? (uint32_t)(chunk->size + 3) / 4 * 4 : 0;
    put(&b, "glTF\2\0\0\0", 8);
    put_word(&b, 20 + length + (chunk ? 8 + binary : 0), false);
    put_word(&b, length, false);
    put(&b, "JSON", 4);
    put(&b, json, strlen(json));
    while (b.size < 20 + length) put(&b, " ", 1);
    if (!chunk) return b;
    put_word(&b, binary, false);
    put(&b, "BIN\0", 4);
    put(&b, chunk->data, chunk->size);
    while (b.size % 4) put(&b, "\0", 1);
    return b;
}

#define ASSET "{\"asset\":{\"version\":\"2.0\"}"
/* A triangle in a data URI: 0 0 0, 1 0 0, 0 1 0. */
#define DATA "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
#define VIEW36 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}]"
#define VEC3(count) \
    "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":" #count "}"
#define TRIANGLE_IN(uri, nodes, primitive, more) \
    ASSET ",\"buffers\":[{\"byteLength\":36,\"uri\":\"" uri "\"}]," VIEW36 \
          ",\"accessors\":[" VEC3(3) "]," \
                                     "\"meshes\":[{\"name\":\"m\",\"primitives\":[" primitive \
                                     "]}],\"nodes\":[" nodes "]" more "}"
#define TRIANGLE(nodes, primitive, more) \
    TRIANGLE_IN("data:application/octet-stream;base64," DATA, nodes, primitive, more)
#define PLAIN "{\"attributes\":{\"POSITION\":0}}"

static hed_cloth_mesh read_json(const char *json)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    OK(parse_gltf(json, strlen(json), "test.gltf", &mesh, &error));
    return mesh;
}

static void refuse_json(const char *json, const char *words)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    FAILS(HED_ERROR_FORMAT, parse_gltf(json, strlen(json), "test.gltf", &mesh, &error));
    CHECK(strstr(error.text, words), "\"%s\" instead of \"%s\"", error.text, words);
    CHECK(!mesh.positions && !mesh.corners);
}

static bool near(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(a[i] - b[i]) > 1e-6f) return false;
    return true;
}

Test(cloth_mesh_readers, gltf_nodes_place_their_meshes)
{
    hed_cloth_mesh mesh = read_json(TRIANGLE("{\"mesh\":0}", PLAIN, ""));
    CHECK(mesh.vertex_count == 3 && mesh.face_count == 1 &&
          same_words(mesh.corners, (const uint32_t[]){0, 1, 2}, 3));
    CHECK(!mesh.normals && !mesh.textures && !mesh.vertex_colours && !mesh.warning);
    CHECK(mesh.group_count == 1 && strcmp(mesh.groups[0].name, "m") == 0 && mesh.groups[0].object);
    hed_cloth_mesh_free(&mesh);
    /* A turn of 90 degrees around z, twice as large, moved; below it the same mesh mirrored, by a
     * matrix. Parents first. */
    mesh = read_json(TRIANGLE(
        "{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1]},"
        "{\"children\":[0],\"mesh\":0,\"translation\":[10,0,0],\"rotation\":[0,0,0.70710678,0.70710678],\"scale\":[2,2,2]},{\"mesh\":0}",
        PLAIN, ",\"scenes\":[{},{\"nodes\":[1]}],\"scene\":1"));
    CHECK(mesh.vertex_count == 6 && mesh.face_count == 2);
    static const float placed[] = {10, 0, 0, 10, 2, 0, 8, 0, 0, 10, 10, 0, 10, 8, 0, 8, 10, 0};
    CHECK(near(mesh.positions, placed, 18));
    CHECK(same_words(mesh.corners, (const uint32_t[]){0, 1, 2, 3, 5, 4}, 6),
        "a mirrored triangle turns round");
    hed_cloth_mesh_free(&mesh);
    /* Without a scene all that nobody has as a child; the first scene where none is named. */
    mesh = read_json(TRIANGLE("{\"mesh\":0},{\"children\":[0]},{\"mesh\":0}", PLAIN, ""));
    CHECK_EQ(mesh.face_count, 2);
    hed_cloth_mesh_free(&mesh);
    mesh = read_json(TRIANGLE(
        "{\"mesh\":0},{\"mesh\":0}", PLAIN, ",\"scenes\":[{\"nodes\":[0]},{\"nodes\":[0,1]}]"));
    CHECK_EQ(mesh.face_count, 1);
    hed_cloth_mesh_free(&mesh);
    mesh = read_json(TRIANGLE(
        "{\"mesh\":0,\"skin\":0}", PLAIN ",{\"mode\":0,\"attributes\":{\"POSITION\":0}}", ""));
    CHECK_TEXT(mesh.warning, "test.gltf: 1 parts without triangles were skipped; skins and "
                             "animations act in a \"sequence\" alone; the mesh at rest is as its "
                             "vertices are stored");
    hed_cloth_mesh_free(&mesh);
}

/* Interleaved vertices with normals, texture coordinates and colours in bytes; indices of each
 * size; strips and fans. */
Test(cloth_mesh_readers, gltf_accessors_of_every_kind)
{
    bytes chunk = {0};
    for (uint32_t i = 0; i < 5; i++) { /* 40 bytes each */
        for (int k = 0; k < 3; k++) put_float(&chunk, places[i][k], false);
        for (int k = 0; k < 3; k++) put_float(&chunk, k == 2 ? 3.0f : 0, false);
        uint16_t texture[2] = {(uint16_t)(i * 65535 / 4), 0};
        put(&chunk, texture, 4);
        put(&chunk, (const uint8_t[]){255, 51, 0, (uint8_t)(51 * i)}, 4);
        put(&chunk, (const int16_t[]){(int16_t)(100 * i), -32768, 32767, 0}, 8);
    }
    put(&chunk, "\0\1\2\3\0", 5);                                   /* 200: unsigned bytes */
    put(&chunk, "\0", 1);                                           /* 205 */
    put(&chunk, (const uint16_t[]){0, 1, 2, 0, 2, 3, 1, 4, 2}, 18); /* 206 */
    put(&chunk, (const uint32_t[]){3, 2, 1}, 12);                   /* 224 */
    put(&chunk, (const uint8_t[]){0, 4}, 2);                        /* 236: sparse indices, */
    put(&chunk, "\0\0", 2);                                         /* 238 */
    put(&chunk, (const float[]){7, 7, 7, 8, 8, 8}, 24);             /* 240: and values */
    static const char json[] = ASSET
        ",\"buffers\":[{\"byteLength\":264}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":200,\"byteStride\":40},"
        "{\"buffer\":0,\"byteOffset\":200,\"byteLength\":64}],\"accessors\":[" VEC3(
            5) ",{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"type\":\"VEC3\",\"count\":5},"
               "{\"bufferView\":0,\"byteOffset\":24,\"componentType\":5123,\"normalized\":true,\"type\":\"VEC2\",\"count\":5},"
               "{\"bufferView\":0,\"byteOffset\":28,\"componentType\":5121,\"normalized\":true,\"type\":\"VEC4\",\"count\":5},"
               "{\"bufferView\":1,\"componentType\":5121,\"type\":\"SCALAR\",\"count\":5},"
               "{\"bufferView\":1,\"byteOffset\":6,\"componentType\":5123,\"type\":\"SCALAR\",\"count\":9},"
               "{\"bufferView\":1,\"byteOffset\":24,\"componentType\":5125,\"type\":\"SCALAR\",\"count\":3},"
               "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":5,\"sparse\":{\"count\":2,\"indices\":"
               "{\"bufferView\":1,\"byteOffset\":36,\"componentType\":5121},\"values\":{\"bufferView\":1,\"byteOffset\":40}}},"
               "{\"bufferView\":0,\"byteOffset\":32,\"componentType\":5122,\"normalized\":true,\"type\":\"VEC3\",\"count\":5}],"
               "\"materials\":[{\"name\":\"red\"}],\"meshes\":[{\"primitives\":["
               "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"COLOR_0\":3},\"indices\":5,\"material\":0},"
               "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2,\"COLOR_0\":3},\"indices\":6},"
               "{\"attributes\":{\"POSITION\":7},\"indices\":4,\"mode\":6},{\"attributes\":{\"POSITION\":8},\"mode\":5}]}],"
               "\"nodes\":[{\"mesh\":0,\"scale\":[1,1,2]}],\"extensionsRequired\":[\"KHR_mesh_quantization\",\"KHR_materials_unlit\"]}";
    bytes b = make_glb(json, &chunk);
    hed_cloth_mesh mesh = read_bytes(parse_gltf, &b);
    CHECK_EQ(mesh.vertex_count, 15, "the first two share their vertices: %u", mesh.vertex_count);
    CHECK_EQ(mesh.face_count, 3 + 1 + 3 + 3);
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 1, 4, 2, 3, 2, 1, 6, 7, 5, 7, 8, 5, 8, 5,
        5, 10, 11, 12, 11, 13, 12, 12, 13, 14};
    CHECK(same_words(mesh.corners, corners, 30));
    for (int i = 0; i < 5; i++) {
        CHECK(
            mesh.positions[3 * i] == places[i][0] && mesh.positions[3 * i + 2] == 2 * places[i][2]);
        CHECK(mesh.positions[3 * (10 + i) + 1] == -1 && mesh.positions[3 * (10 + i) + 2] == 2,
            "shorts are normalized");
        CHECK(near(mesh.vertex_colours + 4 * i, (const float[]){1, 0.2f, 0, 0.2f * (float)i}, 4));
        CHECK(fabsf(mesh.textures[2 * i] - 0.25f * (float)i) < 2e-5f &&
              mesh.textures[2 * i + 1] == 1);
    }
    CHECK(near(mesh.positions + 15, (const float[]){7, 7, 14}, 3) &&
              near(mesh.positions + 27, (const float[]){8, 8, 16}, 3),
        "sparse");
    CHECK(mesh.positions[18] == 1 && mesh.vertex_colours[4 * 7] == 1,
        "vertices without colours are white");
    CHECK(mesh.normal_count == 5 && mesh.corner_normals[0] == 0 &&
          mesh.corner_normals[12] == UINT32_MAX);
    CHECK(near(mesh.normals, (const float[]){0, 0, 1}, 3), "normals have length 1");
    CHECK(mesh.material_count == 4 && strcmp(mesh.materials[0].name, "red") == 0 &&
          mesh.materials[1].first_face == 3);
    hed_cloth_mesh_free(&mesh);
    refuse_cuts(parse_gltf, &b, 0);
    /* Indices are unsigned: a negative one is no vertex. */
    char text[sizeof json];
    memcpy(text, json, sizeof json);
    memcpy(strstr(strstr(text, "\"byteOffset\":6,"), "5123"), "5122", 4);
    hed_error error = {0};
    bytes other = make_glb(text, &chunk);
    FAILS(HED_ERROR_FORMAT, parse_gltf(other.data, other.size, "test", &mesh, &error));
    CHECK(strstr(error.text, "accessors[5]: elements are no indices (componentType 5122)"), "%s",
        error.text);
}

/* Elements 1 and 2 are listed, element 0 is zero. */
Test(cloth_mesh_readers, gltf_without_a_buffer_view_is_zero)
{
    static const char json[] = ASSET
        ",\"buffers\":[{\"byteLength\":26,\"uri\":\"data:;base64,AACAPwAAAAAAAAAAAAAAAAAAAEAAAAAAAQI=\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":24,\"byteLength\":2}],"
        "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"sparse\":{\"count\":2,"
        "\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":0}}}],"
        "\"meshes\":[{\"primitives\":[{\"mode\":0,\"attributes\":{\"POSITION\":0}}," PLAIN
        "]}],\"nodes\":[{\"mesh\":0}]}";
    hed_error error = {0};
    hed_cloth_mesh mesh;
    OK(parse_gltf(json, sizeof json - 1, "test.gltf", &mesh, &error));
    CHECK(mesh.vertex_count == 3 &&
          same_floats(mesh.positions, (const float[]){0, 0, 0, 1, 0, 0, 0, 2, 0}, 9));
    CHECK_TEXT(mesh.warning, "test.gltf: 1 parts without triangles were skipped");
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_readers, gltf_data_may_lie_beside_the_document)
{
    static const char json[] = TRIANGLE_IN("my%20mesh.bin", "{\"mesh\":0}", PLAIN, ""),
                      missing[] = TRIANGLE_IN("gone.bin", "{\"mesh\":0}", PLAIN, "");
    static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    hed_error error = {0};
    hed_cloth_mesh mesh;
    write_file(in_folder("a.gltf"), json, sizeof json - 1);
    write_file(in_folder("b.gltf"), missing, sizeof missing - 1);
    write_file(in_folder("my mesh.bin"), triangle, sizeof triangle);
    OK(hed_cloth_mesh_read(in_folder("a.gltf"), &mesh, &error));
    CHECK(mesh.vertex_count == 3 && same_floats(mesh.positions, triangle, 9));
    hed_cloth_mesh_free(&mesh);
    FAILS(HED_ERROR_IO, hed_cloth_mesh_read(in_folder("b.gltf"), &mesh, &error));
    CHECK(strstr(error.text, "buffers[0].uri: cannot open") && strstr(error.text, "gone.bin"), "%s",
        error.text);
    write_file(in_folder("my mesh.bin"), triangle, 35);
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_read(in_folder("a.gltf"), &mesh, &error));
    CHECK(strstr(error.text, "is cut: expected 36 bytes, found 35"), "%s", error.text);
}

Test(cloth_mesh_readers, gltf_that_is_broken_is_named)
{
    static const char *const cases[][2] = {
        {"{}", "asset"},
        {"{\"asset\":{\"version\":\"1.0\"}}", "found glTF 1.0, expected 2.0"},
        {ASSET "}", "nodes"},
        {ASSET ",\"nodes\":[]}", "found no triangles in its scene"},
        {ASSET ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
            "extensionsRequired[0]: its meshes are compressed (KHR_draco_mesh_compression)"},
        {ASSET ",\"extensionsRequired\":[\"EXT_meshopt_compression\"]}",
            "write the file without compression"},
        {ASSET ",\"extensionsRequired\":[\"XYZ_other\"]}", "needs the extension XYZ_other"},
        {TRIANGLE("{\"mesh\":1}", PLAIN, ""), "nodes[0].mesh: found 1, but there are 1 meshes"},
        {TRIANGLE("{\"mesh\":0,\"children\":[0]}", PLAIN, ",\"scenes\":[{\"nodes\":[0]}]"),
            "expected a tree"},
        {TRIANGLE("{\"children\":[1]},{\"children\":[0]}", PLAIN, ""), "found no triangles"},
        {TRIANGLE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":0},\"indices\":0}", ""),
            "found VEC3, expected SCALAR"},
        {TRIANGLE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":7}}", ""),
            "meshes[0].primitives[0].attributes.POSITION: found 7"},
        {TRIANGLE("{\"mesh\":0,\"scale\":[1e30,1e30,1e30]},{\"scale\":[1e30,1,1],\"children\":[0]}",
             PLAIN, ""),
            "placed beyond all numbers"},
        {TRIANGLE("{\"mesh\":0,\"matrix\":[1,2]}", PLAIN, ""), "nodes[0].matrix"},
        {TRIANGLE_IN("http://x.org/a.bin", "{\"mesh\":0}", PLAIN, ""),
            "found \"http://x.org/a.bin\", expected data in the file"},
        {TRIANGLE_IN("data:,abc", "{\"mesh\":0}", PLAIN, ""), "a data URI that is not base64"},
        {TRIANGLE_IN("data:;base64,AA*A", "{\"mesh\":0}", PLAIN, ""),
            "a data URI that is not base64"},
        {TRIANGLE_IN("data:;base64,AAAA", "{\"mesh\":0}", PLAIN, ""),
            "buffers[0].byteLength: is cut: expected 36 bytes, found 3"},
        {ASSET
            ",\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":16777217}],\"meshes\":[{\"primitives\":[" PLAIN
            "]}],"
            "\"nodes\":[{\"mesh\":0}]}",
            "accessors[0]: found 16777217 elements and no bufferView"},
        {ASSET ",\"buffers\":[{\"byteLength\":36}]," VIEW36 ",\"accessors\":[" VEC3(
             3) "],\"meshes\":[{\"primitives\":[" PLAIN "]}],\"nodes\":[{\"mesh\":0}]}",
            "the data is missing"},
        {ASSET ",\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64," DATA "\"}]," VIEW36
               ",\"accessors\":[" VEC3(4) "],"
                                          "\"meshes\":[{\"primitives\":[" PLAIN
                                          "]}],\"nodes\":[{\"mesh\":0}]}",
            "accessors[0]: reaches to byte 48 of a bufferView of 36"},
        {ASSET ",\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64," DATA
               "\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":37}],"
               "\"accessors\":[" VEC3(3) "],\"meshes\":[{\"primitives\":[" PLAIN
                                         "]}],\"nodes\":[{\"mesh\":0}]}",
            "bufferViews[0]: reaches to byte 37 of a buffer of 36"},
        {ASSET ",\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64," DATA
               "\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,"
               "\"extensions\":{\"EXT_meshopt_compression\":{}}}],\"accessors\":[" VEC3(
                   3) "],\"meshes\":[{\"primitives\":[" PLAIN "]}],\"nodes\":[{\"mesh\":0}]}",
            "compressed by meshopt"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuse_json(cases[i][0], cases[i][1]);
    bytes chunk = {0};
    put(&chunk, (const float[]){0, 0, 0, 1, 0, 0, 0, NAN, 0}, 36);
    put(&chunk, (const uint32_t[]){0, 1, 3}, 12);
    static const char json[] = ASSET
        ",\"buffers\":[{\"byteLength\":48}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"accessors\":[" VEC3(
            3) ",{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5125,\"type\":\"SCALAR\",\"count\":3}],"
               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"nodes\":[{\"mesh\":0}]}";
    bytes b = make_glb(json, &chunk);
    refuse(parse_gltf, &b, "element 2 (counted from 0) has a number that is not finite");
    memset(chunk.data + 28, 0, 4);
    b = make_glb(json, &chunk);
    refuse(parse_gltf, &b,
        "meshes[0].primitives[0].indices: index 2 (counted from 0) is vertex 3, but there are 3");
    b.data[4] = 1;
    refuse(parse_gltf, &b, "found version 1 of GLB, expected 2");
}

/* Other programs read metres with y up, Heddle the positions as they were. */
Test(cloth_mesh_readers, glb_of_a_scene_in_another_unit)
{
    static const char obj[] = "v 100 0 0\nv 0 200 0\nv 0 0 300\nvn 0 0 1\nf 1//1 2//1 3//1\n";
    static const float expected[3][9] = {
        {0, 1, 0, 0, 0, 2, 3, 0, 0}, {1, 0, 0, 0, 2, 0, 0, 0, 3}, {1, 0, 0, 0, 0, -2, 0, 3, 0}};
    static const float normals[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    hed_error error = {0};
    hed_cloth_mesh mesh, again;
    OK(hed_cloth_mesh_parse_obj(obj, sizeof obj - 1, "a.obj", &mesh, &error));
    for (uint32_t up = 0; up < 3; up++)
        for (int frames = 0; frames < 2; frames++) {
            const hed_cloth_stage stage = {"", 30, 0.01, up};
            const char *path = in_folder("u.glb");
            char *file;
            size_t size;
            if (frames)
                OK(hed_cloth_mesh_save_glb_frames(&mesh, path, &stage, mesh.positions, 1, &error));
            else OK(hed_cloth_mesh_save_glb(&mesh, path, &stage, NULL, NULL, &error));
            OK(hed_cloth_mesh_read(path, &again, &error));
            CHECK_BYTES(again.positions, mesh.positions, sizeof expected[0]);
            hed_cloth_mesh_free(&again);
            OK(hed_file_read(path, 1 << 20, &file, &size, &error));
            char *generator = strstr(file + 20, "\"Heddle\"");
            CHECK(generator);
            memcpy(generator, "\"Others\"", 8);
            write_file(path, file, size);
            free(file);
            OK(hed_cloth_mesh_read(path, &again, &error));
            for (int i = 0; i < 9; i++) CHECK_NEAR(again.positions[i], expected[up][i], 1e-6);
            for (int i = 0; i < 3 && !frames; i++)
                CHECK_NEAR(again.normals[i], normals[up][i], 1e-6);
            hed_cloth_mesh_free(&again);
        }
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_mesh_save_glb(&mesh, in_folder("u.glb"),
                                  &(hed_cloth_stage){"", 30, 0, 1}, NULL, NULL, &error));
    hed_cloth_mesh_free(&mesh);
}

/* Frames as morph targets: the file's JSON names them, and its numbers are those of the frames. */
Test(cloth_mesh_readers, glb_with_frames)
{
    static const char obj[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nf 1/1 2/1 3/2\nf 1/2 3/1 4/1\n";
    static const float frames[3][12] = {{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
        {0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}, {5, 0, 0, 5, 0, -1, 5, 1, -1, 5, 1, 0}};
    hed_cloth_mesh mesh, again;
    char *file;
    hed_error error = {0};
    size_t size;
    OK(hed_cloth_mesh_parse_obj(obj, sizeof obj - 1, "a.obj", &mesh, &error));
    OK(hed_cloth_mesh_save_glb_frames(
        &mesh, in_folder("f.glb"), &(hed_cloth_stage){"", 30, 1, 1}, frames[0], 3, &error));
    OK(hed_cloth_mesh_read(in_folder("f.glb"), &again, &error));
    uint32_t vertices = again.vertex_count; /* seams have their own */
    CHECK(vertices > 4);
    CHECK_BYTES(again.positions, frames[0], sizeof frames[0]);
    hed_cloth_mesh_free(&again);
    OK(hed_file_read(in_folder("f.glb"), 1 << 20, &file, &size, &error));
    CHECK(strstr(file + 20,
              "\"targets\":[{\"POSITION\":4,\"NORMAL\":5},{\"POSITION\":6,\"NORMAL\":7}]"),
        "%.*s", 1500, file + 20);
    CHECK(strstr(file + 20, "\"weights\":[0,0]"));
    CHECK(strstr(
        file + 20, "\"samplers\":[{\"input\":8,\"output\":9,\"interpolation\":\"LINEAR\"}]"));
    uint32_t text;
    memcpy(&text, file + 12, 4);
    /* positions, normals, textures, 6 indices; then the targets */
    const char *at = file + 28 + text + vertices * 32 + 24;
    float number;
    for (uint32_t f = 1; f < 3; f++)
        for (uint32_t v = 0; v < vertices; v++)
            for (uint32_t k = 0; k < 3; k++) {
                memcpy(&number, at + 24 * vertices * (f - 1) + 12 * v + 4 * k, 4);
                if (v < 4) CHECK_EQ(number, frames[f][3 * v + k] - frames[0][3 * v + k]);
            }
    at += (size_t)48 * vertices;
    static const float rest[] = {0, 1 / 30.0f, 2 / 30.0f, 0, 0, 1, 0, 0, 1};
    CHECK_BYTES(at, rest, sizeof rest);
    CHECK(at + sizeof rest == file + size);
    free(file);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_mesh_save_glb_frames(&mesh, in_folder("f.glb"),
                                  &(hed_cloth_stage){"", 30, 1, 1}, frames[0], 0, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_mesh_save_glb_frames(&mesh, in_folder("f.glb"),
                                  &(hed_cloth_stage){"", 0, 1, 1}, frames[0], 1, &error));
    OK(hed_cloth_mesh_save_glb_frames(
        &mesh, in_folder("f.glb"), &(hed_cloth_stage){"", 30, 1, 1}, frames[0], 1, &error));
    hed_cloth_mesh_free(&mesh);
}

/* The text of a stage, to the byte: usd-core and Blender have read such texts. */
Test(cloth_mesh_readers, usd_with_frames)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/1\n";
    static const char expected[] =
        "#usda 1.0\n(\n    defaultPrim = \"_7_a_b\"\n    endTimeCode = 1\n    framesPerSecond = 24\n"
        "    metersPerUnit = 0.5\n    startTimeCode = 0\n    timeCodesPerSecond = 24\n"
        "    upAxis = \"Z\"\n)\n\ndef Mesh \"_7_a_b\"\n{\n    uniform bool doubleSided = 1\n"
        "    uniform token subdivisionScheme = \"none\"\n    int[] faceVertexCounts = [3]\n"
        "    int[] faceVertexIndices = [0, 1, 2]\n"
        "    texCoord2f[] primvars:st = [(0, 0), (1, 0)] (\n        interpolation = \"faceVarying\"\n"
        "    )\n    int[] primvars:st:indices = [0, 1, 0]\n    float3[] extent.timeSamples = {\n"
        "        0: [(0, 0, 0), (1, 1, 0)],\n        1: [(0, -2.5, 0), (1, 1, 0)],\n    }\n"
        "    point3f[] points.timeSamples = {\n        0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n"
        "        1: [(0, -2.5, 0), (1, 0, 0), (0, 1, 0)],\n    }\n"
        "    normal3f[] normals (\n        interpolation = \"vertex\"\n    )\n"
        "    normal3f[] normals.timeSamples = {\n        0: [(0, 0, 1), (0, 0, 1), (0, 0, 1)],\n"
        "        1: [(0, 0, 1), (0, 0, 1), (0, 0, 1)],\n    }\n}\n";
    static const float frames[2][9] = {
        {0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, -2.5f, 0, 1, 0, 0, 0, 1, 0}};
    hed_cloth_stage stage = {"7 a-b", 24, 0.5, 2};
    hed_cloth_mesh mesh;
    hed_error error = {0};
    char *file;
    size_t size;
    OK(hed_cloth_mesh_parse_obj(obj, sizeof obj - 1, "a.obj", &mesh, &error));
    OK(hed_cloth_mesh_save_usd_frames(&mesh, in_folder("f.usda"), &stage, frames[0], 2, &error));
    OK(hed_file_read(in_folder("f.usda"), 1 << 20, &file, &size, &error));
    CHECK_EQ(size, sizeof expected - 1, "%s", file);
    CHECK_BYTES(file, expected, size);
    free(file);
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_usd_frames(&mesh, in_folder("f.usda"), &stage, frames[0], 0, &error));
    stage.up = 0;
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_usd_frames(&mesh, in_folder("f.usda"), &stage, frames[0], 2, &error));
    EXPECT(strstr(error.text, "vertical axis is x"), "%s", error.text);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_readers, glb_survives_a_round_trip)
{
    hed_error error = {0};
    hed_cloth_mesh
        mesh = parse(SQUARE
            "v 3 0 0\nv 1.5 0.2 0\nvt 0 0\nvt 1 0\nvt 0.5 0.25\nusemtl red\nf 1/1 2/2 3/3 4/1\nusemtl blue\nf 3/2 2/2 5/1\n"),
        again;
    OK(hed_cloth_mesh_save_glb(&mesh, in_folder("a.glb"), NULL, NULL, NULL, &error));
    OK(hed_cloth_mesh_read(in_folder("a.glb"), &again, &error));
    CHECK(again.vertex_count == 7 && again.face_count == 3);
    CHECK(same_floats(again.positions, mesh.positions, 18));
    CHECK(same_floats(again.positions + 18, mesh.positions + 6, 3));
    CHECK(again.material_count == 2 && strcmp(again.materials[1].name, "blue") == 0 &&
          again.materials[1].first_face == 2);
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

/* ---- assimp reads the same ---- */

/* The same places, texture coordinates and colours at every corner, whatever the numbers of the
 * vertices. */
static void compare_with_assimp(const char *path)
{
    hed_error error = {0};
    hed_cloth_mesh own, other;
    hed_status status = cloth_assimp_read(path, &other, &error);
    if (status == HED_ERROR_UNSUPPORTED) return; /* a build without it */
    CHECK(status == HED_OK, "%s: %s", path, error.text);
    OK(hed_cloth_mesh_read(path, &own, &error));
    CHECK(own.face_count == other.face_count, "%s: %u faces, assimp has %u", path, own.face_count,
        other.face_count);
    CHECK(same_words(own.face_at, other.face_at, own.face_count + 1));
    CHECK(!own.textures == !other.textures, "%s: textures %d %d", path, !!own.textures,
        !!other.textures);
    CHECK(!own.vertex_colours == !other.vertex_colours, "%s: colours", path);
    for (uint32_t c = 0; c < own.face_at[own.face_count]; c++) {
        uint32_t a = own.corners[c], b = other.corners[c];
        CHECK(near(own.positions + 3 * a, other.positions + 3 * b, 3), "%s: corner %u", path, c);
        if (own.vertex_colours)
            CHECK(near(own.vertex_colours + 4 * a, other.vertex_colours + 4 * b, 4));
        if (own.textures)
            CHECK(near(own.textures + 2 * own.corner_textures[c],
                other.textures + 2 * other.corner_textures[c], 2));
        if (own.normals && other.normals)
            CHECK(near(own.normals + 3 * own.corner_normals[c],
                other.normals + 3 * other.corner_normals[c], 3));
    }
    hed_cloth_mesh_free(&own);
    hed_cloth_mesh_free(&other);
}

Test(cloth_mesh_readers, assimp_reads_the_same)
{
    hed_error error = {0};
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; i < 3; i++) {
        bytes b = make_ply(formats[i], "\n");
        write_file(in_folder("a.ply"), b.data, b.size);
        compare_with_assimp(in_folder("a.ply"));
    }
    bytes stl = make_binary_stl("x");
    write_file(in_folder("a.stl"), stl.data, stl.size);
    compare_with_assimp(in_folder("a.stl"));
    hed_cloth_mesh mesh = parse(everything);
    for (uint32_t i = 0; i < mesh.texture_count; i++) mesh.textures[2 * i + 1] = 0.25f;
    OK(hed_cloth_mesh_save_glb(&mesh, in_folder("a.glb"), NULL, NULL, mesh.positions, &error));
    compare_with_assimp(in_folder("a.glb"));
    OK(hed_cloth_mesh_save_ply(&mesh, in_folder("b.ply"), NULL, NULL, &error));
    compare_with_assimp(in_folder("b.ply"));
    hed_cloth_mesh_free(&mesh);
    static const char json[] = TRIANGLE(
        "{\"mesh\":0,\"rotation\":[0.5,0.5,0.5,0.5],\"scale\":[1,2,3]},{\"children\":[0],\"translation\":[1,2,3]}",
        PLAIN ",{\"attributes\":{\"POSITION\":0},\"mode\":4}",
        ",\"scenes\":[{\"nodes\":[1]}],\"scene\":0");
    write_file(in_folder("a.gltf"), json, sizeof json - 1);
    compare_with_assimp(in_folder("a.gltf"));
}
