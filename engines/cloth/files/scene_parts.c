/* Scene loader: errors, memory, and plain values in the scene's unit. */
#include "files/cloth_scene_parts.h"

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
        if (isnan(points[i]))
            hed_json_reject(
                node, "%s: vertex %zu has a coordinate that is not a number", what, i / 3);
        else
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

/* ---- rows ---- */

static void store_vector(const hed_field *field, void *at, const double vector[3])
{
    for (int i = 0; i < 3; i++) {
        if (field->size == 3 * sizeof(float)) ((float *)at)[i] = (float)vector[i];
        else ((double *)at)[i] = vector[i];
    }
}

void cloth_read_length(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double unit = ((cloth_scene_reader *)user)->scene->unit;
    double length = unit * hed_json_number(node, field->low, CLOTH_SCENE_FAR / unit);
    if (field->size == sizeof(float)) *(float *)at = (float)length;
    else *(double *)at = length;
}

void cloth_read_extent(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double unit = ((cloth_scene_reader *)user)->scene->unit, numbers[2] = {0};
    if (field->kind == HED_FIELD_VECTOR)
        hed_json_numbers(node, numbers, 2, 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    else numbers[0] = hed_json_number(node, 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    memcpy(at, numbers, field->size);
}

void cloth_read_point(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double point[3] = {0};
    cloth_scene_point(user, node, point);
    store_vector(field, at, point);
}

void cloth_read_place(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double unit = ((cloth_scene_reader *)user)->scene->unit, place[3] = {0};
    hed_json_numbers(node, place, 3, -CLOTH_SCENE_FAR / unit, CLOTH_SCENE_FAR / unit);
    store_vector(field, at, place);
}

void cloth_read_direction(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double direction[3];
    cloth_scene_direction(user, node, direction);
    store_vector(field, at, direction);
}
