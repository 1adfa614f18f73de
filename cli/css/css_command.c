/* heddle css: style sheets against pages; a file for each of its commands. */
#include "cli/common/command.h"

static int css_none(const hed_arguments *arguments, void *user)
{
    (void)user;
    hed_options_help(arguments, stderr);
    return HED_EXIT_USAGE;
}

const hed_command hed_command_css = {
    .name = "css",
    .summary = "style sheets against pages: what matches, what is unused, who wins",
    .description = "Style sheets against whole pages: CSS Syntax 3 and Selectors 4.",
    .commands = (const hed_command *const[]){&hed_command_css_match, &hed_command_css_unused,
        &hed_command_css_explain, &hed_command_css_cost, &hed_command_css_record,
        &hed_command_css_bench, NULL},
    .examples = (const hed_example[]){{"heddle css unused site", "rules that no page uses"},
        {"heddle css explain page.html '#main'", "what each rule does to an element"}, {0}},
    .run = css_none,
};
