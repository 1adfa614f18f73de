/* heddle synth: mass-spring instruments, from a file to sound. The command itself, and its small
 * subcommands: import of presets, and tuning of the solver for a device. */
#include "cli/common/command.h"
#include "render.h"
#include "cli/tune/tune_command.h"
#include "heddle/synth_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- import: an instrument from a preset of Anukari's published schema ---- */

/* Prints the import's losses, and the stability of the result. */
static hed_status import_tell(const hed_synth_instrument *instrument, const char *path,
    const hed_synth_import_info *report, hed_error *error)
{
    hed_synth_stability stability;
    hed_status status = hed_synth_instrument_stability(instrument, 48000.0, &stability, error);
    if (status != HED_OK) return status;
    printf("%s: %u taken, %u left out, %u changed\n%s", path, report->entities, report->left_out,
        report->changed, report->text);
    if (report->unlisted) printf("and %u more lines\n", report->unlisted);
    if (stability.unsafe)
        printf(
            "%s is not proven stable at 48 kHz: \"heddle synth check %s\" says where and what to do.\n",
            path, path);
    return HED_OK;
}

static int import_run(const hed_arguments *arguments, void *user)
{
    const char *from = hed_text_of(arguments, "PRESET"), *to = hed_text_of(arguments, "out");
    hed_synth_instrument *instrument;
    hed_synth_import_info report;
    hed_error error = {0};
    hed_synth_instrument_read_ank(from, &instrument, &report, &error);
    hed_synth_instrument_save(instrument, to, &error);
    if (!error.status && !hed_given(arguments, "quiet"))
        import_tell(instrument, to, &report, &error);
    hed_synth_instrument_destroy(instrument);
    return cli_end(error.status, &error);
}

static const hed_option IMPORT_OPTIONS[] = {
    OPTION("out", OUTPUT, "FILE", "the instrument file to write", .letter = 'o', .required = true, .endings = ".json"),
    {0},
};
static const hed_option IMPORT_POSITIONALS[] = {
    POSITIONAL("PRESET", FILE, "a preset (.ank)", .required = true),
    {0},
};
static const hed_example IMPORT_EXAMPLES[] = {
    {"heddle synth import preset.ank -o preset.json", "the preset as an instrument file"},
    {0},
};

const hed_command hed_command_synth_import = {
    .name = "import", .summary = "turn an Anukari preset into an instrument file", .description =
        "Reads a preset of Anukari's published format and writes what of it has a counterpart as an instrument file. "
        "What is left out or changed is listed.",
    .options = IMPORT_OPTIONS,
    .positionals = IMPORT_POSITIONALS,
    .examples = IMPORT_EXAMPLES,
    .run = import_run,
};

/* ---- tune ---- */

static hed_status synth_tune(hed_device *device, const void *user, const hed_tune_def *def,
    hed_tune_result **result, hed_error *error)
{
    return hed_synth_tune(device, user, def, result, error);
}

static int synth_tune_run(const hed_arguments *arguments, void *user)
{
    cli_session session;
    hed_error error = {0};
    hed_synth_instrument *instrument = NULL;
    if (cli_open_devices(arguments, &session, &error) != HED_OK) return cli_fail(&error);
    hed_synth_def def = hed_default_synth_def();
    def.block = (uint32_t)hed_integer_of(arguments, "block");
    int code = HED_EXIT_USAGE;
    if (session.count != 1)
        fputs("heddle: one device at a time: what runs beside a measurement disturbs it\n", stderr);
    else if (hed_synth_instrument_read(hed_text_of(arguments, "INSTRUMENT"), &instrument, &error) !=
             HED_OK)
        code = cli_fail(&error);
    else {
        def.instrument = instrument;
        code = cli_tune_engine(arguments, &session, hed_synth_tune_description(),
            hed_text_of(arguments, "INSTRUMENT"), synth_tune, &def, &error);
    }
    hed_synth_instrument_destroy(instrument);
    cli_close(&session);
    return code;
}

static const hed_option TUNE_OPTIONS[] = {CLI_TUNE_ENGINE_OPTIONS,
    OPTION("block", INTEGER, "N", "frames of a block", .fallback = "256", .low = 1, .high = 65536),
    {0}};

const hed_command hed_command_synth_tune = {
    .name = "tune", .summary = "find the fastest solver for an instrument on a device",
    .description =
        "Measures a work-group with its state in local or global memory, the whole device, and how "
        "entities are packed into lanes. The winner is kept in the tuning database, where "
        "instruments of about that size find it.",
    .options = TUNE_OPTIONS,
    .positionals = (const hed_option[]){POSITIONAL("INSTRUMENT", FILE, "an instrument file",
                                            .names = &cli_data_instruments, .required = true),
        {0}},
    .examples = (const hed_example[]){{"heddle synth tune harp.json --device cuda:0",
                                          "a harp on the first CUDA device"},
        {0}},
    .run = synth_tune_run,
};

/* ---- synth ---- */

static const hed_command *const SYNTH_COMMANDS[] = {&hed_command_synth_render,
    &hed_command_synth_play, &hed_command_synth_view, &hed_command_synth_window,
    &hed_command_synth_check, &hed_command_synth_import, &hed_command_synth_tune,
    &hed_command_synth_bench, NULL};
static const hed_example SYNTH_EXAMPLES[] = {{"heddle synth render harp.json song.mid -o song.wav",
                                                 "a song on an instrument, as a sound file"},
    {"heddle synth play harp.json --midi keyboard", "live, through JACK"},
    {"heddle synth view harp", "the instrument in a page: seen, played and edited"},
    {"heddle synth check harp.json",
        "whether it is stable, how it is tuned, where it runs in real time"},
    {"heddle synth bench --device host", "what this processor can play"}, {0}};

const hed_command hed_command_synth = {
    .name = "synth", .summary = "play mass-spring instruments: into a file or live", .description =
        "Instruments are bodies joined by springs, struck, plucked, bowed and heard. Their files are described in "
        "docs/instrument-file.md; \"heddle synth check --schema\" prints the schema.",
    .commands = SYNTH_COMMANDS, .examples = SYNTH_EXAMPLES,
};
