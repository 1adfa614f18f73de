/* A single HTML file that tunes by itself: the page's modules, the shader, its data and a list of
 * configurations, to send to a person with another GPU. */
#include "heddle/author.h"
#include "heddle/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file.h"
#include "web/job.h"

extern const hed_source hed_web_page_files[];

static const hed_source *single_file(const char *name)
{
    const hed_source *file = hed_web_page_files;
    while (strcmp(file->name, name) != 0) file++;
    return file;
}

/* ---- the job ---- */

static json_t *base64_of(const void *data, uint64_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = data;
    size_t used = 0;
    char *text = malloc((size_t)(size + 2) / 3 * 4 + 1);
    if (!text) return NULL;
    for (uint64_t i = 0; i < size; i += 3) {
        uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
        uint32_t word = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                        (left > 2 ? from[i + 2] : 0);
        for (uint32_t j = 0; j < 4; j++)
            text[used++] = j <= left ? digits[word >> (18 - 6 * j) & 63] : '=';
    }
    json_t *object = json_stringn(text, used);
    free(text);
    return object;
}

static json_t *single_data(const hed_runner_def *def)
{
    json_t *data = json_object();
    for (uint32_t i = 0; i < def->kernel->argument_count; i++) {
        const hed_runner_argument *argument = &def->arguments[i];
        char place[12];
        if (def->kernel->arguments[i].kind != HED_BUFFER) continue;
        json_t *object = json_object();
        if (argument->data)
            json_object_set_new(object, "first", base64_of(argument->data, argument->bytes));
        if (argument->expected)
            json_object_set_new(object, "expected",
                base64_of(argument->expected, hed_runner_expected_bytes(argument)));
        if (argument->marks)
            json_object_set_new(object, "marks",
                base64_of(
                    argument->marks, hed_runner_mark_bytes(&def->kernel->arguments[i], argument)));
        snprintf(place, sizeof place, "%u", i);
        json_object_set_new(data, place, object);
    }
    return data;
}

/* Formats a configuration as text; free it with free(). NULL: out of memory. */
static char *single_config(const hed_kernel_def *kernel, const hed_config *config)
{
    for (size_t size = 1024;; size *= 2) { /* grow until the text fits */
        char *text = malloc(size);
        if (text) hed_config_format(kernel, config, text, size);
        if (!text || strlen(text) + 1 < size) return text;
        free(text);
    }
}

static json_t *single_candidates(
    const hed_runner_def *def, const hed_wgsl *shader, const hed_config *configs, uint32_t count)
{
    enum { SAMPLES = 5 };
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        hed_geometry g = {0};
        char *text = single_config(def->kernel, &configs[i]);
        json_t *entry = hed_job_candidate(def, shader, &configs[i], SAMPLES),
               *values = json_array();
        def->kernel->geometry(def->kernel, &configs[i], def->problem, &g);
        for (uint32_t j = 0; j < configs[i].count; j++)
            json_array_append_new(values, json_integer((json_int_t)configs[i].values[j]));
        json_object_set_new(entry, "values", values);
        /* NULL if memory ran out, as `text` then is */
        json_object_set_new(entry, "config", json_string(text));
        free(text);
        json_object_set_new(entry, "size",
            json_pack("[III]", (json_int_t)(g.group[0] ? g.group[0] : 1),
                (json_int_t)(g.group[1] ? g.group[1] : 1),
                (json_int_t)(g.group[2] ? g.group[2] : 1)));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *single_job(const hed_runner_def *def, const hed_wgsl *shader,
    const hed_config *configs, uint32_t count, const hed_database_entry *key)
{
    json_t *names = json_array();
    for (uint32_t i = 0; i < def->kernel->parameter_count; i++)
        json_array_append_new(names, json_string(def->kernel->parameters[i].name));
    return json_pack("{ss ss so so so so so sf s{ss ss ss ss ss ss}}", "version", HED_VERSION_TEXT,
        "entry", shader->entry, "code", hed_job_code(def, shader), "bindings",
        hed_job_bindings(def, shader), "data", single_data(def), "candidates",
        single_candidates(def, shader, configs, count), "parameters", names, "timeout",
        def->timeout_seconds, "record", "kernel", key->kernel, "source", key->source, "math",
        key->math, "objective", key->objective, "compiler", key->compiler, "problem", key->problem);
}

/* ---- the file ---- */

/* Writes a module as a section of one script, without imports and exports. */
static void put_script(FILE *out, const hed_source *file)
{
    static const char imports[] = "import ", exports[] = "export ";
    for (const char *line = file->text, *end = file->text + file->size; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (strncmp(line, exports, sizeof exports - 1) == 0) line += sizeof exports - 1;
        if (strncmp(line, imports, sizeof imports - 1) != 0)
            fwrite(line, 1, (size_t)(next - line), out);
        line = next;
    }
}

/* Writes JSON for use in a script: < is escaped. */
static void put_json(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<') fputs("\\u003c", out);
        else fputc(*text, out);
}

/* Writes the page, with its style and its scripts in place of the lines that name them. */
static void put_page(FILE *out, const char *job)
{
    static const char *const modules[] = {
        "device.js", "clock.js", "kernel.js", "measure.js", "view.js", "single.js"};
    const hed_source *page = single_file("index.html"), *style = single_file("page.css");
    const char *link = strstr(page->text, "<link"), *script = strstr(page->text, "<script");
    const char *behind_link = strchr(link, '\n'), *behind_script = strchr(script, '\n');
    fwrite(page->text, 1, (size_t)(link - page->text), out);
    fprintf(out, "<style>\n%s</style>", style->text);
    fwrite(behind_link, 1, (size_t)(script - behind_link), out);
    fputs("<script type=\"application/json\" id=\"job\">", out);
    put_json(out, job);
    fputs("</script>\n<script type=\"module\">\n", out);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        put_script(out, single_file(modules[i]));
    fprintf(out, "</script>%s", behind_script);
}

hed_status hed_web_save_page(const hed_runner_def *def, const hed_config *configs, uint32_t count,
    const hed_database_entry *key, const char *path, hed_error *error)
{
    HED_REQUIRE(def, configs || !count, key, path);
    const hed_source *source = &def->kernel->sources[def->kernel->source_count - 1];
    hed_wgsl *shader = NULL;
    char *text = NULL, *job = NULL;
    size_t size = 0;
    if (hed_wgsl_read(source->name, source->text,
            source->size ? source->size : strlen(source->text), def->kernel->entry, &shader, error))
        return error->status;
    hed_wgsl_name_sizes(shader, error);
    json_t *job_json = single_job(def, shader, configs, count, key);
    job = job_json ? json_dumps(job_json, JSON_COMPACT) : NULL;
    FILE *out = job ? open_memstream(&text, &size) : NULL;
    if (out) put_page(out, job);
    if (!out || fclose(out)) HED_OUT_OF_MEMORY(error, "%s", path);
    else hed_file_write(path, text, size, error);
    json_decref(job_json);
    hed_wgsl_free(shader);
    free(job);
    free(text);
    return error->status;
}
