/* Writer of Universal Scene Description as text (.usda, openusd.org: Usda file format; schema
 * UsdGeomMesh): one mesh with a time sample for each frame. */
#include "files/mesh_file.h"
#include "heddle/author.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a name as USD allows it: letters, digits and _, not a digit first. */
static void put_name(cloth_text *text, const char *name)
{
    if (!*name || isdigit((unsigned char)*name)) cloth_text_put(text, "_", 1);
    for (; *name; name++) cloth_text_put(text, isalnum((unsigned char)*name) ? name : "_", 1);
}

static void put_double(cloth_text *text, const char *key, double value)
{
    char line[96];
    snprintf(line, sizeof line, "    %s = %.17g\n", key, value);
    cloth_text_words(text, line);
}

/* Writes `count` tuples of `width` numbers as an array. */
static void put_tuples(cloth_text *text, const float *numbers, size_t count, uint32_t width)
{
    char number[CLOTH_NUMBER_TEXT + 2] = ", ";
    cloth_text_put(text, "[", 1);
    for (size_t i = 0; i < count; i++) {
        cloth_text_words(text, i ? ", (" : "(");
        for (uint32_t k = 0; k < width; k++) {
            size_t size = cloth_write_number(number + 2, numbers[width * i + k]);
            if (k) cloth_text_put(text, number, size + 2);
            else cloth_text_put(text, number + 2, size);
        }
        cloth_text_put(text, ")", 1);
    }
    cloth_text_put(text, "]", 1);
}

/* Writes `count` integers as an array: the differences of neighbours, or the integers. */
static void put_integers(cloth_text *text, const uint32_t *numbers, size_t count, bool differences)
{
    cloth_text_put(text, "[", 1);
    for (size_t i = 0; i < count; i++) {
        if (i) cloth_text_put(text, ", ", 2);
        cloth_text_integer(text, differences ? numbers[i + 1] - numbers[i] : numbers[i]);
    }
    cloth_text_words(text, "]\n");
}

static void put_head(cloth_text *text, const hed_cloth_stage *stage, uint32_t frame_count)
{
    cloth_text_words(text, "#usda 1.0\n(\n    defaultPrim = \"");
    put_name(text, stage->name);
    cloth_text_words(text, "\"\n");
    put_double(text, "endTimeCode", frame_count - 1.0);
    put_double(text, "framesPerSecond", stage->rate);
    put_double(text, "metersPerUnit", stage->unit);
    put_double(text, "startTimeCode", 0);
    put_double(text, "timeCodesPerSecond", stage->rate);
    cloth_text_words(text, stage->up == 2 ? "    upAxis = \"Z\"\n)\n\n" : "    upAxis = \"Y\"\n)\n\n");
}

static void put_topology(cloth_text *text, const hed_cloth_mesh *mesh)
{
    cloth_text_words(text, "    uniform bool doubleSided = 1\n"
                           "    uniform token subdivisionScheme = \"none\"\n"
                           "    int[] faceVertexCounts = ");
    put_integers(text, mesh->face_at, mesh->face_count, true);
    cloth_text_words(text, "    int[] faceVertexIndices = ");
    put_integers(text, mesh->corners, mesh->face_at[mesh->face_count], false);
    bool textured = mesh->corner_textures != NULL;
    for (uint32_t c = 0; textured && c < mesh->face_at[mesh->face_count]; c++)
        textured = mesh->corner_textures[c] != CLOTH_NO_INDEX;
    if (!textured) return;
    cloth_text_words(text, "    texCoord2f[] primvars:st = ");
    put_tuples(text, mesh->textures, mesh->texture_count, 2);
    cloth_text_words(text, " (\n        interpolation = \"faceVarying\"\n    )\n"
                           "    int[] primvars:st:indices = ");
    put_integers(text, mesh->corner_textures, mesh->face_at[mesh->face_count], false);
}

static void put_extent(cloth_text *text, const float *positions, uint32_t count)
{
    float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        box[i % 3] = fminf(box[i % 3], positions[i]);
        box[3 + i % 3] = fmaxf(box[3 + i % 3], positions[i]);
    }
    put_tuples(text, box, 2, 3);
}

enum { EXTENT, POINTS, NORMALS };

/* Writes an attribute with a sample for each frame. `scratch`: (vertices x 3). */
static void put_samples(cloth_text *text, const hed_cloth_mesh *mesh, const float *positions,
    uint32_t frame_count, int what, float *scratch)
{
    static const char *const heads[] = {"    float3[] extent.timeSamples = {\n",
        "    point3f[] points.timeSamples = {\n", "    normal3f[] normals.timeSamples = {\n"};
    if (what == NORMALS)
        cloth_text_words(text, "    normal3f[] normals (\n        interpolation = \"vertex\"\n    )\n");
    cloth_text_words(text, heads[what]);
    for (uint32_t frame = 0; frame < frame_count; frame++) {
        const float *at = positions + 3 * (size_t)mesh->vertex_count * frame;
        cloth_text_words(text, "        ");
        cloth_text_integer(text, frame);
        cloth_text_words(text, ": ");
        if (what == EXTENT) put_extent(text, at, mesh->vertex_count);
        if (what == POINTS) put_tuples(text, at, mesh->vertex_count, 3);
        if (what == NORMALS) {
            cloth_mesh_normals(mesh, at, scratch);
            put_tuples(text, scratch, mesh->vertex_count, 3);
        }
        cloth_text_words(text, ",\n");
    }
    cloth_text_words(text, "    }\n");
}

hed_status hed_cloth_mesh_save_usd_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error)
{
    HED_REQUIRE(mesh, path, stage, positions);
    HED_REQUIRE(stage->name);
    if (cloth_mesh_require_frames(mesh, path, stage, positions, frame_count, error))
        return error->status;
    if (stage->up == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s is not written: the vertical axis is x; USD has y and z", path);
    float *scratch = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *scratch);
    if (!scratch) return hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    cloth_text *text;
    hed_status status = cloth_text_open(path, &text, error);
    if (!status) {
        put_head(text, stage, frame_count);
        cloth_text_words(text, "def Mesh \"");
        put_name(text, stage->name);
        cloth_text_words(text, "\"\n{\n");
        put_topology(text, mesh);
        for (int what = EXTENT; what <= NORMALS; what++)
            put_samples(text, mesh, positions, frame_count, what, scratch);
        cloth_text_words(text, "}\n");
        status = cloth_text_close(text, error);
    }
    free(scratch);
    return status;
}
