/* heddle synth tune: measures which structure plays an instrument fastest on a device, and keeps it. */
#include "heddle/synth_file.h"
#include "tune.h"

static bool should_stop(void *user)
{
    (void)user;
    return hed_interrupted();
}

static int tune(const hed_arguments *arguments, cli_session *session, const hed_synth_def *synth, hed_error *error)
{
    cli_tune_view view;
    hed_tune_result *result = NULL;
    hed_tune_def def = hed_default_tune_def();
    bool json = hed_given(arguments, "json");
    char title[512];
    def.limit_seconds = hed_number_of(arguments, "seconds");
    def.evaluations = 0;
    def.seed = (uint64_t)hed_integer_of(arguments, "seed");
    def.progress = cli_tune_view_update;
    def.stop = should_stop;
    def.user = &view;
    cli_tuned tuned = {.kernel = hed_synth_tune_description(),
                       .device = hed_device_get_info(session->devices[0]),
                       .def = &def,
                       .origin = hed_text_of(arguments, "INSTRUMENT")};
    snprintf(title, sizeof title, "%s on %s (%s)", tuned.origin, tuned.device->id, tuned.device->name);
    cli_tune_view_open(&view, tuned.kernel, def.objective, title, json || hed_given(arguments, "quiet"));
    session->before_message = cli_tune_view_clear;
    session->user = &view;
    hed_status status = hed_synth_tune(session->devices[0], synth, &def, &result, error);
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
    hed_instrument *instrument = NULL;
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    hed_synth_def def = hed_default_synth_def();
    def.block = (uint32_t)hed_integer_of(arguments, "block");
    int code = HED_EXIT_USAGE;
    if (session.count != 1)
        fputs("heddle: one device at a time: what runs beside a measurement disturbs it\n", stderr);
    else if (hed_instrument_load(hed_text_of(arguments, "INSTRUMENT"), &instrument, &error) != HED_OK)
        code = cli_fail(&error);
    else {
        def.instrument = instrument;
        code = tune(arguments, &session, &def, &error);
    }
    hed_instrument_destroy(instrument);
    cli_close(&session);
    return code;
}

static const hed_option OPTIONS[] = {CLI_OPTION_JSON(true),
                                     CLI_OPTION_DEVICES(true),
                                     {.name = "block",
                                      .kind = HED_OPTION_INTEGER,
                                      .value = "N",
                                      .fallback = "256",
                                      .low = 1,
                                      .high = 65536,
                                      .help = "frames of a block"},
                                     {.name = "seconds",
                                      .kind = HED_OPTION_NUMBER,
                                      .value = "S",
                                      .fallback = "60",
                                      .low = 0,
                                      .high = 86400,
                                      .help = "time to take; 0: until every configuration is known"},
                                     {.name = "seed",
                                      .kind = HED_OPTION_INTEGER,
                                      .value = "N",
                                      .fallback = "1",
                                      .low = 0,
                                      .high = 1e15,
                                      .help = "of the search"},
                                     {0}};

const hed_command hed_command_synth_tune = {
    .name = "tune",
    .summary = "find the fastest structure for an instrument on a device",
    .description = "Measures a work-group with its state in local or global memory, the whole device, and how "
                   "entities are packed into lanes. The "
                   "winner is kept in the tuning database, where instruments of about that size find it.",
    .options = OPTIONS,
    .positionals =
        (const hed_option[]){
            {.name = "INSTRUMENT", .kind = HED_OPTION_FILE, .required = true, .help = "an instrument file"}, {0}},
    .examples =
        (const hed_example[]){{"heddle synth tune harp.json --device cuda:0", "a harp on the first CUDA device"},
                              {0}},
    .run = run,
};
