/* Lists and texts that all formats of meshes share. */
#include "files/mesh_file.h"
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

const char *cloth_node_in(const char *path)
{
    static const char *const endings[] = {".glb", ".gltf", ".abc"};
    for (const char *mark = strchr(path, '#'); mark; mark = strchr(mark + 1, '#'))
        for (size_t i = 0; i < HED_COUNT(endings); i++) {
            size_t length = strlen(endings[i]);
            if ((size_t)(mark - path) > length &&
                strncasecmp(mark - length, endings[i], length) == 0)
                return mark;
        }
    return NULL;
}

bool cloth_path_ends(const char *path, const char *ending)
{
    const char *node = cloth_node_in(path);
    size_t size = node ? (size_t)(node - path) : strlen(path), length = strlen(ending);
    return size >= length && strncasecmp(path + size - length, ending, length) == 0;
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

hed_status cloth_mesh_require_frames(const hed_cloth_mesh *mesh, const char *path,
    const hed_cloth_stage *stage, const float *positions, uint32_t frame_count, hed_error *error)
{
    if (frame_count == 0 || !(stage->rate > 0) || !(stage->unit > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s is not written: %u frames, %g a second, unit %g m; expected all above 0", path,
            frame_count, stage->rate, stage->unit);
    if (stage->up > 2)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s is not written: the vertical axis is %u; expected 0, 1 or 2", path, stage->up);
    for (uint32_t frame = 0; frame < frame_count; frame++)
        if (cloth_mesh_require_finite(path, positions + 3 * (size_t)mesh->vertex_count * frame,
                mesh->vertex_count, error))
            return error->status;
    return HED_OK;
}
