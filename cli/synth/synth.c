/* heddle synth: mass-spring instruments, from a file to sound. */
#include "cli/common/command.h"

static const hed_command *const COMMANDS[] = {&hed_command_synth_render, &hed_command_synth_play,
    &hed_command_synth_check, &hed_command_synth_import, &hed_command_synth_tune,
    &hed_command_synth_bench, NULL};
static const hed_example EXAMPLES[] = {{"heddle synth render harp.json song.mid -o song.wav",
                                           "a song on an instrument, as a sound file"},
    {"heddle synth play harp.json --midi keyboard", "live, through JACK"},
    {"heddle synth check harp.json",
        "whether it is stable, how it is tuned, where it runs in real time"},
    {"heddle synth bench --device host", "what this processor can play"}, {0}};

const hed_command hed_command_synth = {
    .name = "synth", .summary = "play mass-spring instruments: into a file or live", .description =
        "Instruments are bodies joined by springs, struck, plucked, bowed and heard. Their files are described in "
        "docs/instrument-file.md; \"heddle synth check --schema\" prints the schema.",
    .commands = COMMANDS, .examples = EXAMPLES,
};
