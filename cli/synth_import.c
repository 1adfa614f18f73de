/* heddle synth import: an instrument from a preset of Anukari's published schema. */
#include "command.h"

#include "heddle/synth_file.h"

#include <stdio.h>
#include <string.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    const char *from = hed_text_of(arguments, "PRESET"), *to = hed_text_of(arguments, "out");
    hed_instrument *instrument;
    hed_import_report report;
    hed_error error;
    hed_status status = hed_instrument_import_ank(from, &instrument, &report, &error);
    if (status != HED_OK) return cli_fail(&error);
    status = hed_instrument_save(instrument, to, &error);
    hed_instrument_destroy(instrument);
    if (status != HED_OK) return cli_fail(&error);
    if (!hed_given(arguments, "quiet"))
        printf("%s: %u entities taken, %u left out\n%s", to, report.entities, report.left_out, report.text);
    return HED_EXIT_OK;
}

static const hed_option OPTIONS[] = {
    {.name = "out", .letter = 'o', .kind = HED_OPTION_FILE, .value = "FILE", .help = "the instrument file to write", .required = true},
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
    .name = "import",
    .summary = "turn an Anukari preset into an instrument file",
    .description = "Reads a preset of Anukari's published format and writes what of it has a counterpart as an instrument file. "
                   "What is left out or changed is listed.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = run,
};
