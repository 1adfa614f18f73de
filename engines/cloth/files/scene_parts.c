/* Scene loader: errors, memory, and plain values in the scene's unit. */
#include "files/scene_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

bool cloth_scene_fine(const cloth_scene_reader *reader)
{
    return hed_json_status(reader->json, NULL) == HED_OK;
}

void cloth_scene_warn(const cloth_scene_reader *reader, const char *format, ...)
{
    if (!reader->options->warn) return;
    char words[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    reader->options->warn(reader->options->user, words);
}

bool cloth_scene_failed(hed_json_node node, const hed_error *error)
{
    if (error->status) hed_json_fail(node, error->status, "%s", error->text);
    return error->status != HED_OK;
}

/* ---- memory ---- */

/* Block of memory that the scene owns. */
struct cloth_block {
    struct cloth_block *next;
    max_align_t content[];
};

void *cloth_scene_allocate(
    cloth_scene_reader *reader, hed_json_node node, uint64_t count, size_t size)
{
    if (!cloth_scene_fine(reader)) return NULL;
    struct cloth_block *block = NULL;
    if (count <= (SIZE_MAX - sizeof *block) / size) block = calloc(1, sizeof *block + count * size);
    if (!block) {
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for %llu x %zu bytes",
            (unsigned long long)count, size);
        return NULL;
    }
    block->next = reader->scene->blocks;
    reader->scene->blocks = block;
    return block->content;
}

void cloth_scene_free_blocks(hed_cloth_scene *scene)
{
    while (scene->blocks) {
        struct cloth_block *block = scene->blocks;
        scene->blocks = block->next;
        free(block);
    }
}

const char *cloth_scene_text(
    cloth_scene_reader *reader, hed_json_node node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? cloth_scene_allocate(reader, node, (uint64_t)length + 1, 1) : NULL;
    if (!text) return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

const char *cloth_scene_path(cloth_scene_reader *reader, hed_json_node node)
{
    const char *file = hed_json_string(node);
    if (!cloth_scene_fine(reader)) return "";
    if (!file[0]) hed_json_reject(node, "expected the name of a file, found \"\"");
    if (file[0] == '/' || !reader->folder[0]) return file;
    return cloth_scene_text(reader, node, "%s/%s", reader->folder, file);
}

/* ---- plain values ---- */

double cloth_scene_number(
    hed_json_node object, const char *key, double otherwise, double low, double high)
{
    return hed_json_has(object, key) ? hed_json_number(hed_json_member(object, key), low, high)
                                     : otherwise;
}

uint32_t cloth_scene_integer(
    hed_json_node object, const char *key, uint32_t otherwise, uint32_t low, uint32_t high)
{
    return hed_json_has(object, key)
               ? (uint32_t)hed_json_integer(hed_json_member(object, key), low, high)
               : otherwise;
}

bool cloth_scene_boolean(hed_json_node object, const char *key, bool otherwise)
{
    return hed_json_has(object, key) ? hed_json_boolean(hed_json_member(object, key)) : otherwise;
}

double cloth_scene_length(
    cloth_scene_reader *reader, hed_json_node object, const char *key, double otherwise, double low)
{
    double unit = reader->scene->unit;
    if (!hed_json_has(object, key)) return otherwise;
    return unit * hed_json_number(hed_json_member(object, key), low, CLOTH_SCENE_FAR / unit);
}

void cloth_scene_point(cloth_scene_reader *reader, hed_json_node node, double point[3])
{
    double unit = reader->scene->unit;
    hed_json_numbers(node, point, 3, -CLOTH_SCENE_FAR / unit, CLOTH_SCENE_FAR / unit);
    for (int i = 0; i < 3; i++) point[i] *= unit;
}

bool cloth_scene_check_near(hed_json_node node, const char *what, const float *points, size_t count)
{
    for (size_t i = 0; i < 3 * count; i++) {
        if (fabsf(points[i]) <= CLOTH_SCENE_FAR) continue; /* false for NaN */
        hed_json_reject(
            node, "%s: vertex %zu is placed further away than ten kilometres", what, i / 3);
        return false;
    }
    return true;
}

void cloth_scene_direction(cloth_scene_reader *reader, hed_json_node node, double direction[3])
{
    static const char *const words[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
    for (int i = 0; i < 3; i++) direction[i] = 0;
    if (hed_json_kind_of(node) == HED_JSON_STRING) {
        uint32_t word = hed_json_choice(node, words);
        direction[word % 3] = word < 3 ? 1 : -1;
        return;
    }
    hed_json_numbers(node, direction, 3, -CLOTH_SCENE_MUCH, CLOTH_SCENE_MUCH);
    double length = sqrt(
        direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    if (cloth_scene_fine(reader) && !(length > 1e-9))
        hed_json_reject(node, "expected a direction, found a vector without length");
    for (int i = 0; i < 3 && length > 0; i++) direction[i] /= length;
}

void cloth_scene_colour(hed_json_node object, float rgb[3])
{
    if (!hed_json_has(object, "colour")) return;
    double values[3] = {0};
    hed_json_numbers(hed_json_member(object, "colour"), values, 3, 0, 1);
    for (int i = 0; i < 3; i++) rgb[i] = (float)values[i];
}

uint32_t cloth_scene_one_of(hed_json_node object, const char *const *keys)
{
    uint32_t present = 0, index = 0;
    char list[128] = "";
    for (uint32_t i = 0; keys[i]; i++) {
        if (hed_json_has(object, keys[i])) {
            present++;
            index = i;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "", keys[i]);
    }
    if (present != 1)
        hed_json_reject(
            object, "expected exactly one of %s, found %s", list, present ? "several" : "none");
    return index;
}

/* Keys of scene files, object by object. scene.schema.json has the same keys, which a test
 * compares. */
const cloth_scene_key_list cloth_scene_key_lists[] = {
    {"", {"$schema", "up", "unit", "rate", "frames", "substeps", "iterations", "gravity", "wind",
             "camera", "ground", "carrier", "garments", "colliders", "output_matrix"}},
    {"wind", {"velocity", "gust"}},
    {"camera", {"eye", "target", "up", "field_of_view", "width", "height"}},
    {"ground", {"height", "friction", "colour"}},
    {"garment", {"name", "mesh", "grid", "disc", "sleeve", "skirt", "transform", "weld", "mend",
                    "materials", "fabric", "density", "pins", "driver", "max_distance",
                    "backstop_distance", "backstop_radius", "drive", "drive_stiffness", "tethers",
                    "damping", "vertical_damping", "drag", "lift", "friction", "thickness",
                    "self_collision", "copies", "array", "colour", "output_matrix", "velocity",
                    "spin", "inertia", "sewing", "pressure", "rest_volume", "layer"}},
    {"sewing", {"seconds", "seams"}},
    {"seam", {"from", "to"}},
    {"inertia", {"linear", "angular"}},
    {"grid", {"width", "height", "size", "origin", "axes", "folds", "gap"}},
    {"disc", {"radius", "rings", "centre", "axis"}},
    {"sleeve", {"radius", "length", "around", "rows", "origin", "axis"}},
    {"skirt", {"radius", "length", "around", "rows", "origin", "axis"}},
    {"materials", {"structural", "shear", "bend"}},
    {"material", {"compress", "stretch", "compliance"}},
    {"fabric", {"name", "warp", "weft", "shear", "bend_warp", "bend_weft", "warp_axis",
                   "stretch_scale", "bend_scale"}},
    {"tethers", {"slack"}},
    {"array", {"columns", "rows", "across", "along"}},
    {"pin", {"vertices", "box", "colour", "above", "follow", "motion"}},
    {"box", {"low", "high"}},
    {"driver", {"mesh", "transform", "mend", "sequence", "motion"}},
    {"map", {"file", "colour", "scale", "offset"}},
    {"collider", {"plane", "sphere", "capsule", "mesh", "transform", "sequence", "mend", "motion",
                     "friction", "colour"}},
    {"plane", {"point", "normal"}},
    {"sphere", {"centre", "radius"}},
    {"capsule", {"from", "to", "radius"}},
    {"transform", {"scale", "rotate", "move"}},
    {"turn", {"axis", "degrees"}},
    {"motion", {"keys", "loop", "centre", "spin"}},
    {"key", {"time", "move", "axis", "degrees"}},
    {"spin", {"axis", "degrees_per_second"}},
    {"sequence", {"file", "animation", "first", "last", "rate", "loop"}},
    {NULL, {NULL}},
};

const char *const *cloth_scene_keys(const char *name)
{
    const cloth_scene_key_list *list = cloth_scene_key_lists;
    while (strcmp(list->name, name) != 0) list++;
    return list->keys;
}
