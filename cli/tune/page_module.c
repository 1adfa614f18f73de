/* See page_module.h. The tables and the author's lines are made by web/record/tables.js. */
#include "cli/tune/page_module.h"

#include "support/file.h"
#include "support/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const hed_source
    hed_module_files[]; /* embedded: module.js, module_shader.js, module_page.js, .d.ts */

enum { MOST_MODULE = 1 << 22 };

static const char tables_begin[] = "\nconst tables = [\n", tables_end[] = "\n];\n";

hed_status page_module_read(const char *path, json_t **tables, hed_error *error)
{
    char *text = NULL;
    size_t size;
    *tables = NULL;
    if (access(path, F_OK)) *tables = json_array();
    else {
        hed_output_written(path); /* the module is continued, and replaced in the end */
        if (hed_file_read(path, MOST_MODULE, &text, &size, error)) return error->status;
        hed_source_forget(path);
    }
    char *begin = text ? strstr(text, tables_begin) : NULL,
         *end = begin ? strstr(begin, tables_end) : NULL;
    if (end) {
        begin += sizeof tables_begin - 3; /* '[' */
        *tables = json_loadb(begin, (size_t)(end - begin) + 2, 0, NULL);
    }
    free(text);
    if (!*tables)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s: it is there, and no module of heddle tune --module; remove it, or give another name", path);
    return error->status;
}

/* Calls a function of the realm's tools with `list` (owned) as its arguments. */
static hed_status call_tools(page_tuning *tuning, uint32_t realm, const char *name, json_t *list,
    json_t **value, hed_error *error)
{
    char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
    page_realm place = tuning->session.realms[realm];
    *value = NULL;
    json_decref(list);
    if (!text) return HED_OUT_OF_MEMORY(error, "the module's tables");
    text[strlen(text) - 1] = 0; /* the brackets of the array */
    page_run(&tuning->session, &place, name, text + 1, NULL, NULL, value, error);
    free(text);
    return error->status;
}

static json_t *pipeline_of(const page_tuning *tuning, uint32_t realm, double id)
{
    json_t *pipeline;
    size_t i;
    json_array_foreach(
        tuning->pipelines, i, pipeline) if (page_number_at(pipeline, "realm") == realm &&
                                            page_number_at(pipeline, "id") == id) return pipeline;
    return NULL;
}

/* Finds the lines that use the pipelines of a realm. */
static hed_status find_uses(
    page_tuning *tuning, uint32_t realm, const json_t *result, const char *path, hed_error *error)
{
    json_t *names = json_object_get(result, "names"), *list = json_array(), *pair, *uses = NULL;
    size_t i;
    json_array_foreach(names, i, pair) json_array_append_new(
        list, json_pack("[O, O]", json_array_get(pair, 0), json_array_get(pair, 3)));
    if (call_tools(tuning, realm, "uses", json_pack("[o, s]", list, path), &uses, error))
        return error->status;
    json_array_foreach(names, i, pair)
    {
        json_t *pipeline = pipeline_of(tuning, realm, json_number_value(json_array_get(pair, 0)));
        if (!pipeline) continue;
        json_object_set(pipeline, "changes", json_array_get(json_object_get(uses, "changes"), i));
        json_object_set(pipeline, "home", json_object_get(uses, "home"));
        json_object_set(pipeline, "table", json_array_get(pair, 1));
        json_object_set(pipeline, "bound", json_array_get(pair, 2));
    }
    json_array_foreach(json_object_get(result, "left"), i, pair)
    {
        json_t *pipeline = pipeline_of(tuning, realm, page_number_at(pair, "id"));
        if (pipeline) json_object_set(pipeline, "omitted", json_object_get(pair, "reason"));
    }
    json_decref(uses);
    return HED_OK;
}

static hed_status write_texts(const char *path, const json_t *tables, hed_error *error)
{
    char *text = NULL, *types = NULL, *types_path = NULL;
    size_t size = 0, types_size = 0, i;
    FILE *out = open_memstream(&text, &size), *types_out = open_memstream(&types, &types_size);
    json_t *table;
    int stem = (int)(strrchr(path, '.') - path);
    const char *ending = strcmp(path + stem, ".mjs") == 0 ? ".d.mts" : ".d.ts";
    if (!out || !types_out || asprintf(&types_path, "%.*s%s", stem, path, ending) < 0)
        return HED_OUT_OF_MEMORY(error, "%s", path);
    fputs("// Sizes of the compute pipelines of a page that were measured in browsers. Made by `heddle tune PAGE\n"
          "// --module`: run it again, on other devices or with other data, to add their results.", out);
    fputs(tables_begin, out);
    json_array_foreach(tables, i, table)
    {
        char *line = json_dumps(table, JSON_COMPACT | JSON_ENSURE_ASCII);
        fprintf(out, "%s%s", i ? ",\n" : "", line ? line : "");
        free(line);
    }
    fprintf(out, "%s\n%s%s", tables_end, hed_module_files[0].text, hed_module_files[2].text);
    fputs(hed_module_files[3].text, types_out);
    json_array_foreach(tables, i, table)
    {
        fprintf(out, "const pipeline%zu = new Pipeline(tables[%zu]);\nexport { pipeline%zu as %s };\n", i, i, i,
            page_text_at(table, "name"));
        fprintf(types_out, "export const %s: Pipeline;\n", page_text_at(table, "name"));
    }
    fclose(out);
    fclose(types_out);
    if (!hed_file_write(path, text, size, error))
        hed_file_write(types_path, types, types_size, error);
    free(text);
    free(types);
    free(types_path);
    return error->status;
}

hed_status page_module_write(page_tuning *tuning, hed_error *error)
{
    const char *path = hed_text_of(tuning->arguments, "module");
    for (uint32_t r = 0; r < tuning->session.realm_count; r++) {
        json_t *tuned = json_array(), *result = NULL, *pipeline;
        size_t i;
        json_array_foreach(tuning->pipelines, i, pipeline)
        {
            json_t *one = json_object_get(pipeline, "tuned");
            if (one && page_number_at(pipeline, "realm") == r)
                json_array_append_new(tuned,
                    json_pack("{s:O, s:O}", "id", json_object_get(pipeline, "id"), "tuned", one));
        }
        if (!json_array_size(tuned)) {
            json_decref(tuned);
            continue;
        }
        if (call_tools(tuning, r, "addTables", json_pack("[o, O]", tuned, tuning->tables), &result, error)) {
            hed_error cause = *error;
            *error = (hed_error){0};
            return hed_fail(error, cause.status, "%s: %s", path, cause.text);
        }
        json_decref(tuning->tables);
        tuning->tables = json_incref(json_object_get(result, "tables"));
        find_uses(tuning, r, result, path, error);
        json_decref(result);
        if (hed_failed(error)) return error->status;
    }
    if (json_array_size(tuning->tables) && write_texts(path, tuning->tables, error))
        return error->status;
    if (!hed_given(tuning->arguments, "json")) page_print_module(tuning, path);
    return HED_OK;
}
