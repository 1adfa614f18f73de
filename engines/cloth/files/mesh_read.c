/* Mesh files by format: by a file's ending, else by its first bytes. */
#include "files/gltf.h"
#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint64_t largest_file = UINT64_C(1) << 34;

/* Returns the folder of a file, up to the slash; NULL: out of memory. */
static char *folder_of(const char *path, hed_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!folder) hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", path);
    return folder;
}

/* Reads a file, without the node that its path may name. */
static hed_status read_bytes(const char *path, char **bytes, size_t *size, hed_error *error)
{
    const char *node = cloth_node_in(path);
    if (!node) return hed_file_read(path, cloth_file_limit(largest_file), bytes, size, error);
    char *file = strndup(path, (size_t)(node - path));
    if (!file) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while reading %s", path);
    hed_status status = hed_file_read(file, cloth_file_limit(largest_file), bytes, size, error);
    free(file);
    return status;
}

hed_status hed_cloth_gltf_sample(const char *path, const char *animation, double rate,
    hed_cloth_pc2_data *samples, hed_error *error)
{
    HED_REQUIRE(path, samples);
    *samples = (hed_cloth_pc2_data){0};
    char *bytes, *folder;
    size_t size;
    hed_status status = read_bytes(path, &bytes, &size, error);
    if (status != HED_OK) return status;
    folder = folder_of(path, error);
    status = folder ? cloth_gltf_sample(path, bytes, size, folder, animation, rate, samples, error)
                    : HED_ERROR_MEMORY;
    free(folder);
    free(bytes);
    return status;
}

hed_status hed_cloth_alembic_sample(
    const char *path, double rate, hed_cloth_pc2_data *samples, hed_error *error)
{
    HED_REQUIRE(path, samples);
    *samples = (hed_cloth_pc2_data){0};
    char *bytes;
    size_t size;
    hed_status status = read_bytes(path, &bytes, &size, error);
    if (status != HED_OK) return status;
    status = cloth_alembic_sample(path, bytes, size, rate, samples, error);
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
    } parsers[] = {
        {"obj", hed_cloth_mesh_parse_obj}, {"ply", cloth_ply_parse}, {"stl", cloth_stl_parse}};
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
    if (begins_with(text, size, "Ogawa")) return cloth_alembic_parse;
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
    mesh_parser *parser = cloth_gltf_is(path)             ? parse_gltf
                          : cloth_path_ends(path, ".abc") ? cloth_alembic_parse
                                                          : parser_of_ending(ending);
    if (!parser && cloth_assimp_reads(ending)) return cloth_assimp_read(path, mesh, error);
    char *text;
    size_t size;
    hed_status status = read_bytes(path, &text, &size, error);
    if (status != HED_OK) return status;
    if (!parser) parser = parser_of_content(text, size);
    status = parser ? parser(text, size, path, mesh, error) : cloth_assimp_read(path, mesh, error);
    free(text);
    return status;
}
