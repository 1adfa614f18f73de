/* JavaScript module with a shader's best configurations for each device on which a browser has
 * tuned it, and functions that choose among them: by architecture, by vendor, else any, and never
 * one that exceeds the device's limits. The functions are in module.js. */
#include "cli/db/module.h"

#include "cli/common/command.h"
#include "cli/common/kernel_key.h"
#include "heddle/author.h"
#include "heddle/runner.h"
#include "heddle/space.h"
#include "heddle/tune_file.h"
#include "support/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source
    hed_module_files[]; /* embedded: module.js, module_shader.js, module_page.js */

enum { MOST_DEVICES = 64, BEST = 5, MOST_CONFIGS = MOST_DEVICES * (BEST + 1) + 1 };

typedef struct module_config {
    hed_config config;
    double seconds;
} module_config;

/* Best configurations of one device, from its latest tuning. */
typedef struct module_device {
    char *vendor, *name, *problem, *source;
    uint32_t architecture;
    int64_t begun;
    module_config best[BEST]; /* ascending */
    uint32_t count;
    bool has_choice; /* winner of the final rounds: listed first, even if single times differ */
    hed_config choice;
} module_device;

typedef struct module_table {
    const hed_kernel_def *kernel;
    char *source;         /* identity of the kernel's text, as records have it */
    uint32_t other_count; /* measurements of other texts of the kernel's name */
    module_device devices[MOST_DEVICES];
    uint32_t device_count;
    hed_config configs[MOST_CONFIGS]; /* the default first */
    uint32_t config_count;
} module_table;

/* Parses "NAME=VALUE NAME=VALUE"; false if the parameters differ. */
static bool config_parse(const hed_kernel_def *kernel, const char *text, hed_config *config)
{
    *config = (hed_config){.count = kernel->parameter_count};
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const char *name = kernel->parameters[i].name, *at = text;
        size_t size = strlen(name);
        while (at && (strncmp(at, name, size) != 0 || at[size] != '=')) {
            at = strchr(at, ' ');
            at += at != NULL;
        }
        if (!at) return false;
        config->values[i] = strtoll(at + size + 1, NULL, 10);
    }
    return true;
}

/* Replaces a text by a copy of another. */
static void set_text(char **to, const char *from, hed_error *error)
{
    char *copy = strdup(from);
    if (!copy) HED_OUT_OF_MEMORY(error, "a device of the module");
    if (!copy) return;
    free(*to);
    *to = copy;
}

static void table_free(module_table *t)
{
    free(t->source);
    for (uint32_t i = 0; i < t->device_count; i++) {
        free(t->devices[i].vendor);
        free(t->devices[i].name);
        free(t->devices[i].problem);
        free(t->devices[i].source);
    }
    free(t);
}

/* Entry of a device and a problem, added if missing; NULL: an error occurred. */
static module_device *table_device(module_table *t, const hed_database_entry *e, hed_error *error)
{
    module_device *d = t->devices;
    for (uint32_t i = 0; i < t->device_count; i++, d++)
        if (strcmp(d->vendor, e->vendor) == 0 && d->architecture == e->architecture &&
            strcmp(d->name, e->device) == 0 && strcmp(d->problem, e->problem) == 0)
            break;
    if (d == t->devices + t->device_count) {
        if (t->device_count == MOST_DEVICES) {
            hed_fail(error, HED_ERROR_LIMIT,
                "%s is device %d that has measured %s; a module has at most %d", e->device,
                MOST_DEVICES + 1, t->kernel->name, MOST_DEVICES);
            return NULL;
        }
        *d = (module_device){.architecture = e->architecture, .begun = INT64_MIN};
        t->device_count++;
        set_text(&d->vendor, e->vendor, error);
        set_text(&d->name, e->device, error);
        set_text(&d->source, e->source, error);
        set_text(&d->problem, e->problem, error);
    }
    if (hed_failed(error)) return NULL;
    if (e->begun > d->begun) d->begun = e->begun;
    return d;
}

static hed_status table_add(void *user, const hed_database_entry *e, hed_error *error)
{
    module_table *t = user;
    module_config c = {.seconds = e->seconds};
    bool choice = e->kind == HED_RECORD_CHOICE;
    if (strcmp(e->kernel, t->kernel->name) != 0 || strcmp(e->backend, "browser") != 0 ||
        strcmp(e->objective, "time") != 0 || !(e->seconds > 0) ||
        (!choice && strcmp(e->outcome, "measured") != 0) ||
        !config_parse(t->kernel, e->config, &c.config))
        return HED_OK;
    if (strcmp(e->source, t->source) != 0) {
        t->other_count += !choice;
        return HED_OK;
    }
    module_device *d = table_device(t, e, error);
    uint32_t place = 0;
    if (!d) return error->status;
    if (choice) {
        d->has_choice = true;
        d->choice = c.config;
        return HED_OK;
    }
    for (uint32_t i = 0; i < d->count; i++) /* measured again */
        if (hed_config_equal(&d->best[i].config, &c.config)) {
            memmove(d->best + i, d->best + i + 1, (d->count - i - 1) * sizeof *d->best);
            d->count--;
        }
    while (place < d->count && d->best[place].seconds <= c.seconds) place++;
    if (place == BEST) return HED_OK;
    if (d->count < BEST) d->count++;
    memmove(d->best + place + 1, d->best + place, (d->count - place - 1) * sizeof *d->best);
    d->best[place] = c;
    return HED_OK;
}

static hed_status table_take_key(void *user, const hed_database_entry *e, hed_error *error)
{
    module_table *t = user;
    set_text(&t->source, e->source, error);
    return error->status;
}

/* Finds the identity of the kernel's text. */
static hed_status table_find_source(module_table *t, const hed_tune_def *def, hed_error *error)
{
    hed_context *context = NULL;
    hed_device *device = NULL;
    hed_device_info limits = cli_any_browser;
    limits.driver = "\x01";
    if (!hed_context_create(NULL, &context, error) &&
        !hed_device_create_described(context, &limits, &device, error))
        cli_kernel_key(device, t->kernel, def, table_take_key, t, error);
    hed_device_release(device);
    hed_context_destroy(context);
    return error->status;
}

/* Index of a configuration, added if missing. */
static uint32_t table_config(module_table *t, const hed_config *config)
{
    uint32_t i = 0;
    while (i < t->config_count && !hed_config_equal(&t->configs[i], config)) i++;
    if (i == t->config_count) t->configs[t->config_count++] = *config;
    return i;
}

/* Bytes of group memory, computed by the last constraint of a shader: "... <= local_bytes". */
static double group_bytes(const hed_kernel_def *kernel, const hed_config *config)
{
    static const char end[] = " <= local_bytes";
    const char *names[HED_MAX_PARAMETERS];
    double values[HED_MAX_PARAMETERS], bytes = 0;
    char text[16384];
    const char *last =
        kernel->constraint_count ? kernel->constraints[kernel->constraint_count - 1] : "";
    size_t size = strlen(last), tail = sizeof end - 1;
    if (size <= tail || size >= sizeof text || strcmp(last + size - tail, end) != 0) return 0;
    snprintf(text, sizeof text, "%.*s", (int)(size - tail), last);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        names[i] = kernel->parameters[i].name;
        values[i] = (double)config->values[i];
    }
    const hed_expression_names names_of = {
        names, kernel->parameter_count, kernel->parameters, kernel->parameter_count};
    hed_expression *expression;
    if (hed_expression_create(NULL, text, &names_of, &expression, NULL)) return 0;
    bytes = hed_expression_value(expression, values);
    hed_expression_destroy(expression);
    return bytes > 0 ? bytes : 0;
}

/* ---- the text ---- */

/* Writes a JavaScript string. */
static void put_string(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '\'' || c == '\\' || c == '<' || c > '~') fprintf(out, "\\x%02x", c);
        else fputc(c, out);
    }
    fputc('\'', out);
}

static void put_table(FILE *out, module_table *t, const hed_problem *problem)
{
    const hed_kernel_def *kernel = t->kernel;
    fprintf(out, "export const kernel = ");
    put_string(out, kernel->name);
    fprintf(out, ";\n\n// Text and problem that were measured.\nconst identity = ");
    put_string(out, t->devices[0].source);
    fprintf(out, " + ' ' + ");
    put_string(out, t->devices[0].problem);
    fprintf(out, ";\n\n// Overrides, in the order of the values below.\nconst names = [");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        fputs(i ? ", " : "", out);
        put_string(out, kernel->parameters[i].name);
    }
    fprintf(out, "];\n\n// Best first; numbers of `configs`.\nconst devices = [\n");
    for (uint32_t i = 0; i < t->device_count; i++) {
        module_device *d = &t->devices[i];
        if (!d->count && !d->has_choice) continue;
        fputs("  { vendor: ", out);
        put_string(out, d->vendor);
        fprintf(out, ", architecture: %u, name: ", d->architecture);
        put_string(out, d->name);
        fputs(", problem: ", out);
        put_string(out, d->problem);
        fputs(", best: [", out);
        if (d->has_choice) fprintf(out, "%u", table_config(t, &d->choice));
        for (uint32_t j = 0; j < d->count; j++)
            if (!d->has_choice || !hed_config_equal(&d->best[j].config, &d->choice))
                fprintf(out, "%s%u", j || d->has_choice ? ", " : "",
                    table_config(t, &d->best[j].config));
        fputs("] },\n", out);
    }
    fputs(
        "];\n\n// Values, size of the group, bytes of group memory; the first is the shader's own.\n"
        "const configs = [\n",
        out);
    for (uint32_t i = 0; i < t->config_count; i++) {
        hed_geometry g = {0};
        kernel->geometry(kernel, &t->configs[i], problem, &g);
        fputs("  [[", out);
        for (uint32_t j = 0; j < kernel->parameter_count; j++)
            fprintf(out, "%s%lld", j ? ", " : "", (long long)t->configs[i].values[j]);
        fprintf(out, "], [%u, %u, %u], %.0f],\n", g.group[0] ? g.group[0] : 1,
            g.group[1] ? g.group[1] : 1, g.group[2] ? g.group[2] : 1,
            group_bytes(kernel, &t->configs[i]));
    }
    fputs("];\n\n", out);
}

static hed_status write_module(
    module_table *t, const hed_problem *problem, const char *path, hed_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return HED_OUT_OF_MEMORY(error, "%s", path);
    fprintf(out,
        "// The best configurations of the shader \"%s\" that were measured in browsers, for web "
        "pages.\n// Made by `heddle db export`: make it again rather than change it.\n",
        t->kernel->name);
    put_table(out, t, problem);
    for (int i = 0; i < 2; i++) fwrite(hed_module_files[i].text, 1, hed_module_files[i].size, out);
    if (fclose(out)) HED_OUT_OF_MEMORY(error, "%s", path);
    else hed_file_write(path, text, size, error);
    free(text);
    return error->status;
}

hed_status cli_module_write(const hed_arguments *arguments, hed_database *database,
    const char *path, uint32_t *count, hed_error *error)
{
    const char *shader = hed_text_of(arguments, "shader");
    hed_tune_file *file = NULL;
    hed_tune_def def = hed_default_tune_def();
    module_table *t = calloc(1, sizeof *t);
    if (!t) return HED_OUT_OF_MEMORY(error, "%s", path);
    /* the page queries the limits of its adapter */
    if (!cli_tune_file_open(arguments, shader, &cli_any_browser, NULL, &file, error)) {
        hed_tune_file_apply(file, &def);
        t->kernel = hed_tune_file_kernel(file);
        const hed_record_filter filter = {.kinds = HED_RECORD_MEASUREMENT | HED_RECORD_CHOICE,
            .kernel = t->kernel->name,
            .device = "browser"};
        hed_config initial = hed_config_default(t->kernel);
        table_config(t, &initial);
        if (!table_find_source(t, &def, error) &&
            !hed_database_each(database, &filter, table_add, t, error) && !t->device_count)
            hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: no browser has measured this text of %s yet (found %u measurements of other "
                "texts); heddle tune %s does that, and its --set and --entry are given here again",
                shader, t->kernel->name, t->other_count, shader);
        if (!hed_failed(error)) write_module(t, def.problem, path, error);
        *count = t->config_count;
    }
    hed_tune_file_close(file);
    table_free(t);
    return error->status;
}
