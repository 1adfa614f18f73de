/* What `heddle cloth tune` and `heddle synth tune` have in common: an engine's choice of structure
 * tuned in the live view, and told. */
#include "tune.h"

static bool should_stop(void *user)
{
    (void)user;
    return hed_interrupted();
}

int cli_tune_engine(const hed_arguments *arguments, cli_session *session,
    const hed_kernel_def *description, const char *origin, cli_tune_engine_function *tune,
    const void *user, hed_error *error)
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
    cli_tuned tuned = {.kernel = description, .device = hed_device_get_info(session->devices[0]),
        .def = &def, .origin = origin};
    snprintf(title, sizeof title, "%s, %s, on %s (%s)", description->name, origin, tuned.device->id,
        tuned.device->name);
    cli_tune_view_open(
        &view, description, def.objective, title, json || hed_given(arguments, "quiet"));
    session->before_message = cli_tune_view_clear;
    session->user = &view;
    hed_status status = tune(session->devices[0], user, &def, &result, error);
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
