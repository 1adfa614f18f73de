/* Files of a recorded dispatch: NAME.json, a tune file (docs/tune-file.md); NAME.spv, the shader with
 * the program's constants as defaults; NAME.SET.BINDING.bin, the contents of a buffer; NAME.push.bin, the push
 * constants. */
#include "layer/layer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/author.h"
#include "heddle/shader.h"

enum { LONGEST_PATH = 4096 };

static const char *folder_of(void)
{
    const char *folder = getenv("HEDDLE_RECORD");
    if (!folder || !*folder) folder = "heddle-record";
    mkdir(folder, 0777);
    return folder;
}

void layer_report(const char *format, ...)
{
    char line[LONGEST_PATH], path[LONGEST_PATH];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    snprintf(path, sizeof path, "%s/record.log", folder_of());
    FILE *log = fopen(path, "a");
    if (log) fprintf(log, "heddle record: %s\n", line);
    if (log) fclose(log);
    fprintf(stderr, "heddle record: %s\n", line);
}

/* ---- constants ---- */

/* Replaces the default of one constant by the pipeline's value. */
static void put_constant(
    uint32_t *words, size_t count, uint32_t id, uint32_t spec, const VkSpecializationInfo *info)
{
    enum { SPEC_TRUE = 48, SPEC_FALSE, SPEC_CONSTANT, FIRST = 5 };
    const VkSpecializationMapEntry *entry = NULL;
    for (uint32_t i = 0; i < info->mapEntryCount; i++)
        if (info->pMapEntries[i].constantID == spec) entry = &info->pMapEntries[i];
    if (!entry || entry->offset > info->dataSize || entry->size > info->dataSize - entry->offset)
        return;
    const char *from = (const char *)info->pData + entry->offset;
    for (size_t at = FIRST; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t opcode = words[at] & 0xffff, length = words[at] >> 16;
        if (opcode < SPEC_TRUE || opcode > SPEC_CONSTANT || at + length > count ||
            words[at + 2] != id)
            continue;
        uint32_t truth = 0;
        size_t size = 4 * ((size_t)length - 3);
        memcpy(&truth, from, entry->size < 4 ? entry->size : 4);
        if (opcode == SPEC_CONSTANT)
            memcpy(&words[at + 3], from, entry->size < size ? entry->size : size);
        else words[at] = length << 16 | (truth ? SPEC_TRUE : SPEC_FALSE);
    }
}

uint32_t *layer_specialize(const layer_module *module, const VkSpecializationInfo *info)
{
    enum { DECORATE = 71, SPEC_ID = 1, FIRST = 5 };
    size_t count = module->size / 4;
    uint32_t *words = malloc(module->size + 4);
    if (!words) return NULL;
    memcpy(words, module->words, module->size);
    for (size_t at = FIRST; info && at < count && words[at] >> 16; at += words[at] >> 16)
        if ((words[at] & 0xffff) == DECORATE && at + 3 < count && words[at + 2] == SPEC_ID)
            put_constant(words, count, words[at + 1], words[at + 3], info);
    return words;
}

/* ---- files ---- */

static bool write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file)) is_written = false;
    if (!is_written) layer_report("%s: cannot be written (%s)", path, strerror(errno));
    return is_written;
}

/* Writes a size of the group: its constant, or a number. */
static void put_size(FILE *to, const hed_shader *shader, int i)
{
    int32_t constant = shader->group_constant[i];
    if (constant < 0) fprintf(to, "%u", shader->group[i]);
    else if (shader->constants[constant].name[0])
        fprintf(to, "%s", shader->constants[constant].name);
    else fprintf(to, "constant_%u", shader->constants[constant].id);
}

/* Writes the problem, items in each dimension, and the groups as the program dispatched them. */
static void put_launch(FILE *to, const hed_shader *shader, const uint32_t counts[3])
{
    static const char *const items[] = {"items_x", "items_y", "items_z"};
    int dimensions = 3;
    while (dimensions > 1 && counts[dimensions - 1] == 1 && shader->group[dimensions - 1] == 1 &&
           shader->group_constant[dimensions - 1] < 0)
        dimensions--;
    fputs("  \"problem\": {", to);
    for (int i = 0; i < dimensions; i++)
        fprintf(to, "%s\"%s\": %llu", i ? ", " : "", items[i],
            (unsigned long long)counts[i] * shader->group[i]);
    fputs("},\n  \"group\": [", to);
    for (int i = 0; i < dimensions; i++) {
        fputs(i ? ", \"" : "\"", to);
        put_size(to, shader, i);
        fputs("\"", to);
    }
    fputs("],\n  \"groups\": [", to);
    for (int i = 0; i < dimensions; i++) {
        fprintf(to, "%s\"ceil_div(%s, ", i ? ", " : "", items[i]);
        put_size(to, shader, i);
        fputs(")\"", to);
    }
    fputs("]", to);
}

static void put_push(
    FILE *to, const hed_shader *shader, const layer_shot *shot, const char *name, bool *is_first)
{
    const unsigned char *push = shot->push;
    bool has_numbers = true;
    for (uint32_t i = 0; i < shader->member_count; i++)
        has_numbers = has_numbers && shader->members[i].size == 4;
    for (uint32_t i = 0; has_numbers && i < shader->member_count; i++) {
        const hed_shader_member *member = &shader->members[i];
        int32_t whole;
        float real;
        memcpy(&whole, push + member->offset, 4);
        memcpy(&real, push + member->offset, 4);
        fprintf(to, "%s\n    {\"name\": \"%s\", \"value\": ", *is_first ? "" : ",", member->name);
        if (member->type == HED_FLOAT) fprintf(to, "%.9g}", (double)real);
        else if (member->type == HED_INT32) fprintf(to, "%d}", whole);
        else fprintf(to, "%u}", (uint32_t)whole);
        *is_first = false;
    }
    if (!has_numbers)
        fprintf(to, "%s\n    {\"name\": \"hed_push\", \"kind\": \"struct\", \"file\": \"%s.push.bin\"}",
            *is_first ? "" : ",", name);
}

/* Writes the list of arguments: buffers with their sizes and files, of which one that was cut is then
 * refused, and push constants. */
static void put_arguments(
    FILE *to, const hed_shader *shader, const layer_shot *shot, const char *name)
{
    bool is_first = true;
    fputs(",\n  \"arguments\": [", to);
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        const hed_shader_binding *binding = &shader->bindings[i];
        const layer_content *content = NULL;
        for (uint32_t j = 0; j < shot->content_count; j++)
            if (shot->contents[j].set == binding->set &&
                shot->contents[j].binding == binding->binding)
                content = &shot->contents[j];
        if (!content) continue;
        fprintf(to, "%s\n    {\"name\": \"%s\", ", is_first ? "" : ",", binding->name);
        if (binding->access != HED_WRITE)
            fprintf(to, "\"file\": \"%s.%u.%u.bin\", ", name, content->set, content->binding);
        fprintf(to, "\"size\": %llu}",
            (unsigned long long)content->size / hed_type_bytes(binding->type));
        is_first = false;
    }
    put_push(to, shader, shot, name, &is_first);
    fputs("\n  ]\n}\n", to);
}

static void write_tune_file(
    const char *folder, const char *name, const hed_shader *shader, const layer_shot *shot)
{
    char *text = NULL, file[512];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return;
    fprintf(to, "{\n  \"source\": \"%s.spv\",\n  \"kernel\": \"%s\",\n", name, shot->pipeline->entry);
    put_launch(to, shader, shot->counts);
    put_arguments(to, shader, shot, name);
    fclose(to);
    snprintf(file, sizeof file, "%s.json", name);
    if (write_file(folder, file, text, size))
        layer_report("%s/%s: %u x %u x %u groups; heddle tune %s/%s", folder, file, shot->counts[0],
            shot->counts[1], shot->counts[2], folder, file);
    free(text);
}

/* Returns the first set that the shader reads and of which no buffer is known; -1: none. */
static int find_missing_set(const hed_shader *shader, const layer_shot *shot)
{
    for (uint32_t i = 0; i < shader->binding_count; i++) {
        bool is_known = false;
        for (uint32_t j = 0; j < shot->content_count; j++)
            is_known = is_known || shot->contents[j].set == shader->bindings[i].set;
        if (!is_known) return (int)shader->bindings[i].set;
    }
    return -1;
}

void layer_write(const layer_shot *shot, void *const *bytes)
{
    const char *folder = folder_of();
    const hed_allocator allocator = hed_default_allocator();
    char name[256], file[512];
    hed_error error = {0};
    hed_shader *shader = malloc(sizeof *shader);
    snprintf(name, sizeof name, "%.100s-%016llx-%ux%ux%u", shot->pipeline->entry,
        (unsigned long long)shot->pipeline->hash, shot->counts[0], shot->counts[1],
        shot->counts[2]);
    if (!shader || hed_shader_read_spirv(shot->pipeline->words, shot->pipeline->size,
                       shot->pipeline->entry, NULL, 0, &allocator, shader, &error)) {
        layer_report("%s: not recorded, since %s", name, shader ? error.text : "memory ran out");
        free(shader);
        return;
    }
    int missing = find_missing_set(shader, shot);
    if (missing >= 0) {
        layer_report("%s: not recorded, since set %d was bound in a way that is not followed", name, missing);
        free(shader);
        return;
    }
    snprintf(file, sizeof file, "%s.spv", name);
    bool is_written = write_file(folder, file, shot->pipeline->words, shot->pipeline->size);
    for (uint32_t i = 0; i < shot->content_count; i++) {
        const layer_content *content = &shot->contents[i];
        snprintf(file, sizeof file, "%s.%u.%u.bin", name, content->set, content->binding);
        if (!bytes[i]) layer_report("%s: not recorded, since a buffer cannot be read", name);
        is_written = is_written && bytes[i] && write_file(folder, file, bytes[i], content->size);
    }
    snprintf(file, sizeof file, "%s.push.bin", name);
    if (shader->member_bytes)
        is_written = is_written && write_file(folder, file, shot->push, shader->member_bytes);
    if (is_written) write_tune_file(folder, name, shader, shot);
    free(shader);
}
