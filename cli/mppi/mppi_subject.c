/* Subject of `heddle mppi`: a scene file, an installed scene by its name, or else a built-in scene
 * by its name or that of its model; and the options that change it. */
#include "subcommands.h"

#include "heddle/author.h"
#include "support/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const hed_source hed_mppi_scenes_files[]; /* generated from data/mppi */

const char *const cli_mppi_kinds[] = {"mppi", "tube", "rmppi", NULL};
const char *const cli_mppi_solvers[] = {"auto", "cpu", "launches", "packets", "resident", NULL};

/* ---- names ---- */

static const char *mppi_name(const char *const *names, uint32_t i, char letter, char text[16])
{
    if (names && names[i]) return names[i];
    snprintf(text, 16, "%c%u", letter, i);
    return text;
}

const char *cli_mppi_state_name(const hed_mppi_model *model, uint32_t state, char text[16])
{
    return mppi_name(model->state_names, state, 'x', text);
}

const char *cli_mppi_control_name(const hed_mppi_model *model, uint32_t control, char text[16])
{
    return mppi_name(model->control_names, control, 'u', text);
}

double cli_mppi_decimal(float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", value);
    return strtod(text, NULL);
}

/* ---- opening ---- */

/* Adds a setting NAME=VALUE, `size` characters of text. */
static hed_status subject_set(cli_mppi_subject *s, const char *text, size_t size, hed_error *error)
{
    uint32_t at = s->def.setting_count;
    if (at == CLI_MPPI_MOST_SETTINGS)
        return hed_fail(error, HED_ERROR_LIMIT, "%u parameters are set; at most %d can be", at + 1,
            CLI_MPPI_MOST_SETTINGS);
    char *name = s->texts[at] = strndup(text, size), *equals = name ? strchr(name, '=') : NULL;
    if (!name) return HED_OUT_OF_MEMORY(error, "a setting");
    char *end = equals;
    float value = equals ? strtof(equals + 1, &end) : 0;
    if (!equals || equals == name || end == equals + 1 || *end || !isfinite(value))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--set %s: expected NAME=VALUE with a number, such as mass=2 or goal.weight=5", text);
    *equals = 0;
    s->settings[s->def.setting_count++] = (hed_mppi_setting){name, value};
    return HED_OK;
}

static void mppi_names_list(const hed_names *self, hed_name_function *add, void *user)
{
    const cli_data_kind *kind = cli_data_kind_of("mppi", ".json");
    char data[PATH_MAX];
    bool installed = cli_data_path(kind, "car", data);
    for (const hed_source *file = hed_mppi_scenes_files; !installed && file->name; file++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(file->name, "."), file->name);
        add(user, name, NULL);
    }
    cli_data_list(kind, add, user);
}

/* Opens the built-in scene of this name, else one of a model of this name. s->scene NULL: there
 * is none. */
static hed_status subject_find(cli_mppi_subject *s, hed_error *error)
{
    size_t length = strlen(s->name);
    for (int by_model = 0; by_model < 2; by_model++)
        for (const hed_source *file = hed_mppi_scenes_files; file->name; file++) {
            bool named = !strncmp(file->name, s->name, length) && !strcmp(file->name + length, ".json");
            if (!by_model && !named) continue;
            hed_mppi_scene_parse(file->text, strlen(file->text), file->name, ".", &s->scene, error);
            if (hed_failed(error)) return error->status;
            if (named || !strcmp(hed_mppi_scene_def(s->scene).model->name, s->name)) return HED_OK;
            hed_mppi_scene_close(s->scene);
            s->scene = NULL;
        }
    return HED_OK;
}

static hed_status subject_refuse(const char *name, hed_error *error)
{
    const char *names[64] = {NULL};
    const hed_mppi_model *model;
    if (hed_mppi_model_find(name))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "model \"%s\" has no task of its own: name a scene, FILE.json; \"heddle data\" lists some",
            name);
    for (uint32_t i = 0; i + 1 < HED_COUNT(names) && (model = hed_mppi_model_at(i)); i++)
        names[i] = model->name;
    const char *suggestion = hed_nearest(name, names);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "there is no model \"%s\"%s%s%s; a scene is a file, %s.json. \"heddle mppi models\" lists the "
        "models",
        name, suggestion ? "; did you mean " : "", suggestion ? suggestion : "", suggestion ? "?" : "", name);
}

/* True if a name refers to a file of the user's: a regular file in `folder`, or any path. */
static bool is_own_file(const char *name, const char *folder)
{
    char path[PATH_MAX];
    struct stat status;
    if (strchr(name, '/')) return true;
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    return size < (int)sizeof path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Rejects a name that is neither a scene's nor that of a model with one. */
static hed_status mppi_names_find(
    const hed_names *self, const char *text, const char *folder, char **file, hed_error *error)
{
    cli_mppi_subject subject = {.name = text};
    char path[PATH_MAX];
    (void)self;
    *file = NULL;
    bool is_path = strchr(text, '.') || is_own_file(text, folder);
    if (is_path || cli_data_path(cli_data_kind_of("mppi", ".json"), text, path)) return HED_OK;
    hed_status status = subject_find(&subject, error);
    bool found = subject.scene != NULL;
    cli_mppi_subject_close(&subject);
    return status || found ? status : subject_refuse(text, error);
}

const hed_names cli_mppi_names = {.list = mppi_names_list, .find = mppi_names_find};

static hed_status subject_take_scene(cli_mppi_subject *s, hed_error *error)
{
    char installed[PATH_MAX];
    bool is_own = is_own_file(s->name, ".");
    if (!is_own && cli_data_path(cli_data_kind_of("mppi", ".json"), s->name, installed))
        hed_mppi_scene_open(installed, &s->scene, error);
    else if (is_own || strchr(s->name, '.')) hed_mppi_scene_open(s->name, &s->scene, error);
    else subject_find(s, error);
    if (hed_failed(error)) return error->status;
    if (!s->scene) return subject_refuse(s->name, error);
    s->def = hed_mppi_scene_def(s->scene);
    s->steps = hed_mppi_scene_run_steps(s->scene);
    s->start = hed_mppi_scene_start(s->scene);
    memcpy(s->tables, s->def.tables, s->def.table_count * sizeof *s->tables);
    memcpy(s->settings, s->def.settings, s->def.setting_count * sizeof *s->settings);
    s->def.settings = s->settings;
    return HED_OK;
}

/* True if `name` is PARAMETER or PARAMETER.ELEMENT of a table of parameters. */
static bool parameters_have(const hed_mppi_parameter *parameters, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(parameters[i].name);
        bool begins = strncmp(name, parameters[i].name, length) == 0;
        if (begins && (!name[length] || (name[length] == '.' && parameters[i].length))) return true;
    }
    return false;
}

static bool subject_has_parameter(const hed_mppi_def *def, const char *name)
{
    const hed_mppi_parameter weight = {.name = "weight"};
    if (parameters_have(def->model->parameters, def->model->parameter_count, name)) return true;
    for (uint32_t i = 0; i < def->term_count; i++) {
        const hed_mppi_term *term = &def->terms[i];
        size_t length = strlen(term->name);
        if (strncmp(name, term->name, length) || name[length] != '.') continue;
        const char *parameter = name + length + 1;
        if (parameters_have(&weight, 1, parameter) ||
            parameters_have(term->parameters, term->parameter_count, parameter))
            return true;
    }
    return false;
}

static hed_status subject_take_options(
    const hed_arguments *a, cli_mppi_subject *s, hed_error *error)
{
    if (hed_given(a, "controller")) s->def.kind = (hed_mppi_kind)hed_choice_of(a, "controller");
    if (hed_given(a, "samples")) s->def.samples = (uint32_t)hed_integer_of(a, "samples");
    if (hed_given(a, "horizon")) s->def.steps = (uint32_t)hed_integer_of(a, "horizon");
    const char *text;
    for (uint32_t i = 0; (text = hed_text_at(a, "set", i)); i++) {
        if (subject_set(s, text, strlen(text), error) != HED_OK) return error->status;
        if (!subject_has_parameter(&s->def, s->settings[s->def.setting_count - 1].name))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "--set %s: %s has no such parameter; \"heddle mppi models\" lists those of models and terms",
                text, s->name);
    }
    return HED_OK;
}

hed_status cli_mppi_subject_open(
    const hed_arguments *arguments, cli_mppi_subject *subject, hed_error *error)
{
    *subject = (cli_mppi_subject){.name = hed_text_of(arguments, "MODEL")};
    hed_status status = subject_take_scene(subject, error);
    return status == HED_OK ? subject_take_options(arguments, subject, error) : status;
}

/* Copies the scene's changing tables into those of the subject, by name. */
static void subject_take_tables(cli_mppi_subject *s, double seconds, const float *x)
{
    const hed_mppi_table *live;
    uint32_t count = hed_mppi_scene_tables(s->scene, seconds, x, &live);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; t < s->def.table_count; t++)
            if (!strcmp(live[i].name, s->tables[t].name)) {
                s->tables[t] = live[i];
                s->changing |= 1u << t;
            }
}

hed_status cli_mppi_subject_update(cli_mppi_subject *subject, hed_mppi *controller, double seconds,
    const float *x, hed_error *error)
{
    subject_take_tables(subject, seconds, x);
    for (uint32_t t = 0; t < subject->def.table_count; t++)
        if (subject->changing >> t & 1)
            hed_mppi_post_table(controller, subject->tables[t].name, subject->tables[t].values,
                subject->tables[t].count, error);
    return error->status;
}

void cli_mppi_subject_close(cli_mppi_subject *subject)
{
    for (uint32_t i = 0; i < CLI_MPPI_MOST_SETTINGS; i++) free(subject->texts[i]);
    hed_mppi_scene_close(subject->scene);
    *subject = (cli_mppi_subject){0};
}
