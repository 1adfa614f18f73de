/* heddle synth import: an instrument from a preset of Anukari's published schema. */
#include "cli/common/command.h"

#include "heddle/synth_file.h"

#include <stdio.h>

/* What is left for the user to know: what was not carried over, and whether it can be played as it
 * is. */
static hed_status tell(const hed_synth_instrument *instrument, const char *path,
    const hed_synth_import_report *report, hed_error *error)
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

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    const char *from = hed_text_of(arguments, "PRESET"), *to = hed_text_of(arguments, "out");
    hed_synth_instrument *instrument;
    hed_synth_import_report report;
    hed_error error = {0};
    hed_status status = hed_synth_instrument_import_ank(from, &instrument, &report, &error);
    if (status == HED_OK) status = hed_synth_instrument_save(instrument, to, &error);
    if (status == HED_OK && !hed_given(arguments, "quiet"))
        status = tell(instrument, to, &report, &error);
    hed_synth_instrument_destroy(instrument);
    return cli_end(status, &error);
}

static const hed_option OPTIONS[] = {
    {.name = "out", .letter = 'o', .kind = HED_OPTION_FILE, .value = "FILE",
        .help = "the instrument file to write", .required = true},
    {0},
};
static const hed_option POSITIONALS[] = {
    {.name = "PRESET", .kind = HED_OPTION_FILE, .help = "a preset (.ank)", .required = true},
    {0},
};
static const hed_example EXAMPLES[] = {
    {"heddle synth import preset.ank -o preset.json", "the preset as an instrument file"},
    {0},
};

const hed_command hed_command_synth_import = {
    .name = "import", .summary = "turn an Anukari preset into an instrument file", .description =
        "Reads a preset of Anukari's published format and writes what of it has a counterpart as an instrument file. "
        "What is left out or changed is listed.",
    .options = OPTIONS, .positionals = POSITIONALS, .examples = EXAMPLES, .run = run,
};
