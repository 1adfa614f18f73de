/* heddle cloth tune: measures which structure moves cloth of this size fastest on a device, and keeps it. */
#include "cloth_sheet.h"
#include "heddle/cloth_scene.h"
#include "tune.h"

#include <string.h>

/* What is tuned: a scene's cloth, or sheets. */
typedef struct subject {
    hed_cloth_scene *scene;
    cli_sheet sheet;
    hed_cloth_garment_def garment;
    hed_cloth_def def;
    char origin[200];
} subject;

static hed_status open_subject(const hed_arguments *arguments, subject *s, hed_error *error)
{
    const char *path = hed_text_of(arguments, "SCENE");
    if (path) {
        hed_status status = hed_cloth_scene_open(path, NULL, &s->scene, error);
        if (status == HED_OK) s->def = hed_cloth_scene_def(s->scene);
        snprintf(s->origin, sizeof s->origin, "%s", path);
        return status;
    }
    hed_status status = cli_sheet_create((uint32_t)hed_integer_of(arguments, "sheet"), &s->sheet, error);
    if (status != HED_OK) return status;
    s->garment = cli_sheet_garment(&s->sheet);
    s->garment.copies = (uint32_t)hed_integer_of(arguments, "copies");
    s->def = hed_default_cloth_def();
    s->def.garments = &s->garment;
    s->def.garment_count = 1;
    snprintf(s->origin, sizeof s->origin, "%u of %u x %u", s->garment.copies, s->sheet.n, s->sheet.n);
    return HED_OK;
}

static void close_subject(subject *s)
{
    hed_cloth_scene_close(s->scene);
    cli_sheet_free(&s->sheet);
}

static bool should_stop(void *user)
{
    (void)user;
    return hed_interrupted();
}

static int tune(const hed_arguments *arguments, cli_session *session, const subject *s, hed_error *error)
{
    cli_tune_view view;
    hed_tune_result *result = NULL;
    hed_tune_def def = hed_default_tune_def();
    bool json = hed_given(arguments, "json");
    char title[512];
    def.limit_seconds = hed_number_of(arguments, "seconds");
    def.evaluations = 0;
    def.seed = (uint64_t)hed_integer_of(arguments, "seed");
    if (hed_given(arguments, "exhaustive")) def.strategy = HED_SEARCH_EXHAUSTIVE;
    def.progress = cli_tune_view_update;
    def.stop = should_stop;
    def.user = &view;
    cli_tuned tuned = {.kernel = hed_cloth_tune_description(),
                       .device = hed_device_get_info(session->devices[0]),
                       .def = &def,
                       .origin = s->origin};
    snprintf(title, sizeof title, "cloth, %s, on %s (%s)", s->origin, tuned.device->id, tuned.device->name);
    cli_tune_view_open(&view, tuned.kernel, def.objective, title, json || hed_given(arguments, "quiet"));
    session->before_message = cli_tune_view_clear;
    session->user = &view;
    hed_status status = hed_cloth_tune(session->devices[0], &s->def, &def, &result, error);
    session->before_message = NULL;
    cli_tune_view_close(&view);
    if (status != HED_OK) return cli_fail(error);
    tuned.result = result;
    hed_database *database = hed_context_database(session->context);
    tuned.database = database ? hed_database_path(database) : NULL;
    if (json) status = cli_tuned_print_json(&tuned, stdout, error);
    else cli_tuned_print(&tuned, stdout);
    hed_tune_result_free(result);
    return cli_end(status, error);
}

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error = {0};
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    subject s = {0};
    int code = HED_EXIT_USAGE;
    if (session.count != 1) fputs("heddle: one device at a time: what runs beside a measurement disturbs it\n", stderr);
    else if (open_subject(arguments, &s, &error) != HED_OK) code = cli_fail(&error);
    else code = tune(arguments, &session, &s, &error);
    close_subject(&s);
    cli_close(&session);
    return code;
}

#define NUMBER(word, type, what, otherwise, least, most, text) \
    { \
        .name = word, .kind = HED_OPTION_##type, .value = what, .fallback = otherwise, .low = least, .high = most, \
        .help = text \
    }
static const hed_option OPTIONS[] = {
    CLI_OPTION_JSON(true),
    CLI_OPTION_DEVICES(true),
    NUMBER("sheet", INTEGER, "N", "255", 2, 4096, "without a scene: sheets of N x N particles"),
    NUMBER("copies", INTEGER, "K", "1", 1, 65536, "so many of them"),
    NUMBER("seconds", NUMBER, "S", "60", 0, 86400, "time to take; 0: until every configuration is known"),
    NUMBER("seed", INTEGER, "N", "1", 0, 1e15, "of the search"),
    {.name = "exhaustive", .kind = HED_OPTION_FLAG, .help = "every configuration in order, instead of a search"},
    {0}};

const hed_command hed_command_cloth_tune = {
    .name = "tune",
    .summary = "find the fastest structure for cloth of a size on a device",
    .description = "Measures launches for each colour, patches with packets and whole garments for each group, and what they can be "
                   "built with, on a scene's cloth or on square sheets. The winner is kept in the tuning database, where cloth of about "
                   "that size finds it.",
    .options = OPTIONS,
    .positionals = (const hed_option[]){{.name = "SCENE", .kind = HED_OPTION_FILE, .help = "a scene file"}, {0}},
    .examples = (const hed_example[]){{"heddle cloth tune --sheet 1024 --device cuda:0", "a large sheet on the first CUDA device"}, {0}},
    .run = run,
};
