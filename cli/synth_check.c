/* heddle synth check: what is known of an instrument before it sounds. */
#include "command.h"

#include "heddle/synth_file.h"

#include <stdio.h>

static int run(const hed_arguments *arguments, void *user)
{
    (void)user;
    if (hed_given(arguments, "schema")) {
        size_t size;
        fputs(hed_instrument_schema(&size), stdout);
        return HED_EXIT_OK;
    }
    hed_instrument *instrument;
    hed_error error;
    hed_status status = hed_instrument_load(hed_text_of(arguments, "FILE"), &instrument, &error);
    hed_instrument_destroy(instrument);
    return cli_end(status, &error);
}

static const hed_option OPTIONS[] = {
    {.name = "schema", .kind = HED_OPTION_FLAG, .own = true, .help = "print the JSON schema of instrument files"},
    {0},
};
static const hed_option POSITIONALS[] = {{.name = "FILE", .kind = HED_OPTION_FILE, .help = "the instrument, FILE.json"}, {0}};

extern const hed_command hed_command_synth_check;
const hed_command hed_command_synth_check = {
    .name = "check",
    .summary = "stability, pitches and load of an instrument",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .run = run,
};
