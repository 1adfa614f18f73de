/* heddle synth tune: measures which solver plays an instrument fastest on a device, and keeps
 * it. */
#include "heddle/synth_file.h"
#include "cli/tune/tune.h"

static hed_status tune(hed_device *device, const void *user, const hed_tune_def *def,
    hed_tune_result **result, hed_error *error)
{
    return hed_synth_tune(device, user, def, result, error);
}

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    cli_session session;
    hed_error error = {0};
    hed_synth_instrument *instrument = NULL;
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    hed_synth_def def = hed_default_synth_def();
    def.block = (uint32_t)hed_integer_of(arguments, "block");
    int code = HED_EXIT_USAGE;
    if (session.count != 1)
        fputs("heddle: one device at a time: what runs beside a measurement disturbs it\n", stderr);
    else if (hed_synth_instrument_load(hed_text_of(arguments, "INSTRUMENT"), &instrument, &error) !=
             HED_OK)
        code = cli_fail(&error);
    else {
        def.instrument = instrument;
        code = cli_tune_engine(arguments, &session, hed_synth_tune_description(),
            hed_text_of(arguments, "INSTRUMENT"), tune, &def, &error);
    }
    hed_synth_instrument_destroy(instrument);
    cli_close(&session);
    return code;
}

static const hed_option OPTIONS[] = {CLI_TUNE_ENGINE_OPTIONS,
    {.name = "block", .kind = HED_OPTION_INTEGER, .value = "N", .fallback = "256", .low = 1,
        .high = 65536, .help = "frames of a block"},
    {0}};

const hed_command hed_command_synth_tune = {
    .name = "tune", .summary = "find the fastest solver for an instrument on a device",
    .description =
        "Measures a work-group with its state in local or global memory, the whole device, and how "
        "entities are packed into lanes. The winner is kept in the tuning database, where "
        "instruments of about that size find it.",
    .options = OPTIONS,
    .positionals = (const hed_option[]){{.name = "INSTRUMENT", .kind = HED_OPTION_FILE,
                                            .required = true, .help = "an instrument file"},
        {0}},
    .examples = (const hed_example[]){{"heddle synth tune harp.json --device cuda:0",
                                          "a harp on the first CUDA device"},
        {0}},
    .run = run,
};
