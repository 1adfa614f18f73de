/* Functions common to the parts of the scene loader: memory, texts, paths, tables, names. */
#include "files/mppi_scene_parts.h"

#include "support/nearest.h"

#include <stdio.h>
#include <string.h>

bool mppi_scene_fine(const mppi_scene_reader *reader)
{
    return hed_json_status(reader->json, NULL) == HED_OK;
}

void mppi_scene_keep(mppi_scene_reader *reader, const hed_error *error)
{
    if (hed_failed(error)) hed_json_fail_as(hed_json_root(reader->json), error);
}

void *mppi_scene_new(mppi_scene_reader *reader, uint64_t count, size_t size)
{
    hed_error error = {0};
    if (!mppi_scene_fine(reader)) return NULL;
    void *memory = hed_arena_new(&reader->scene->arena, count ? count : 1, size, &error);
    mppi_scene_keep(reader, &error);
    return memory;
}

const char *mppi_scene_text(mppi_scene_reader *reader, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mppi_scene_new(reader, size, 1);
    return copy ? memcpy(copy, text, size) : "";
}

const char *mppi_scene_path(mppi_scene_reader *reader, hed_json_node node)
{
    const char *file = hed_json_string(node);
    if (!mppi_scene_fine(reader)) return "";
    if (!file[0]) hed_json_reject(node, "expected the name of a file, found \"\"");
    if (file[0] == '/' || !reader->folder[0]) return mppi_scene_text(reader, file);
    size_t size = strlen(reader->folder) + strlen(file) + 2;
    char *path = mppi_scene_new(reader, size, 1);
    if (path) snprintf(path, size, "%s/%s", reader->folder, file);
    return path ? path : "";
}

void mppi_scene_add_table(mppi_scene_reader *reader, hed_json_node place, const char *name,
    const float *values, uint64_t count)
{
    hed_mppi_scene *scene = reader->scene;
    name = mppi_scene_text(reader, name);
    if (!mppi_scene_fine(reader)) return;
    for (uint32_t i = 0; i < scene->def.table_count; i++)
        if (strcmp(scene->tables[i].name, name) == 0)
            hed_json_reject(place, "there is already a table \"%s\"", name);
    if (scene->def.table_count == HED_MPPI_MAX_TABLES)
        hed_json_reject(place, "expected at most %d tables", HED_MPPI_MAX_TABLES);
    if (count > MPPI_SCENE_TABLE)
        hed_json_reject(place, "a table of %llu numbers: at most %d are read",
            (unsigned long long)count, MPPI_SCENE_TABLE);
    if (mppi_scene_fine(reader))
        scene->tables[scene->def.table_count++] =
            (hed_mppi_table){name, values, (uint32_t)count, (uint32_t)count, false};
}

static bool scene_text_reads(const char *const *tables, uint32_t count, const char *table)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(tables[i], table) == 0) return true;
    return false;
}

bool mppi_scene_reads(const hed_mppi_scene *scene, const char *table)
{
    bool reads = scene_text_reads(scene->model.tables, scene->model.table_count, table);
    for (uint32_t i = 0; i < scene->def.term_count; i++)
        reads =
            reads || scene_text_reads(scene->terms[i].tables, scene->terms[i].table_count, table);
    return reads;
}

/* Rejects a name, with a list of names for "did you mean". */
void mppi_scene_refuse_name(
    hed_json_node node, const char *subject, const char *const *names, const char *typed)
{
    const char *suggestion = hed_nearest(typed, names);
    hed_json_reject(node, "there is no %s \"%s\"%s%s%s", subject, typed,
        suggestion ? "; did you mean \"" : "", suggestion ? suggestion : "", suggestion ? "\"?" : "");
}

uint32_t mppi_scene_find_name(mppi_scene_reader *reader, hed_json_node node, const char *subject,
    const char *const *names, uint32_t count, const char *typed)
{
    if (!mppi_scene_fine(reader)) return count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], typed) == 0) return i;
    const char *list[HED_MPPI_MAX_PARAMETERS + 1] = {NULL};
    for (uint32_t i = 0; i < count && i < HED_MPPI_MAX_PARAMETERS; i++) list[i] = names[i];
    mppi_scene_refuse_name(node, subject, list, typed);
    return count;
}
