/* heddle help, version, completion: output generated from the option tables. */
#include "cli/common/command.h"
#include "heddle/base.h"

#include <stdio.h>

/* ---- help ---- */

static int run_help(const hed_arguments *arguments, void *user)
{
    if (hed_given(arguments, "man")) {
        hed_options_man(arguments->path[0], HED_VERSION_TEXT, stdout);
        return HED_EXIT_OK;
    }
    const char *names[HED_COMMAND_DEPTH + 1], *unknown = NULL;
    uint32_t count = 0;
    while (count <= HED_COMMAND_DEPTH && (names[count] = hed_text_at(arguments, "COMMAND", count)))
        count++;
    hed_arguments path;
    if (!hed_options_find(arguments->path[0], names, count, &path, &unknown)) {
        fprintf(stderr,
            "heddle: there is no command \"%s\" to explain; \"heddle help\" lists them\n", unknown);
        return HED_EXIT_USAGE;
    }
    hed_options_help(&path, stdout);
    return HED_EXIT_OK;
}

static const hed_option HELP_OPTIONS[] = {
    {.name = "man", .kind = HED_OPTION_FLAG,
        .help = "print the man page of all commands, for man -l or mandoc"},
    {0}};
static const hed_option HELP_POSITIONALS[] = {
    POSITIONAL("COMMAND", TEXT, "the command to explain; without it, all of them", .repeated = true),
    {0}};
static const hed_example HELP_EXAMPLES[] = {
    {"heddle help bench kernels", "the same as heddle bench kernels --help"},
    {"heddle help --man | man -l -", "the man page"}, {0}};

const hed_command hed_command_help = {
    .name = "help", .summary = "explain a command",
    .description = "Explains a command, or lists all of them.", .options = HELP_OPTIONS,
    .positionals = HELP_POSITIONALS, .examples = HELP_EXAMPLES, .run = run_help,
};

/* ---- version ---- */

static int run_version(const hed_arguments *arguments, void *user)
{
    printf("heddle %s\n", hed_version_text());
    return HED_EXIT_OK;
}

const hed_command hed_command_version = {
    .name = "version", .summary = "print the version",
    .description = "Prints the version of the library that is running.", .run = run_version,
};

/* ---- completion ---- */

static const char *const SHELLS[] = {"bash", "zsh", "fish", NULL};

static int run_completion(const hed_arguments *arguments, void *user)
{
    hed_options_completion(arguments->path[0], (hed_shell)hed_choice_of(arguments, "SHELL"), stdout);
    return HED_EXIT_OK;
}

static const hed_option COMPLETION_POSITIONALS[] = {
    POSITIONAL("SHELL", CHOICE, "the shell to complete for", .choices = SHELLS, .required = true),
    {0}};
static const hed_example COMPLETION_EXAMPLES[] = {
    {"source <(heddle completion bash)", "in this shell; in ~/.bashrc, in every one"},
    {"source <(heddle completion zsh)", "the same in ~/.zshrc, after compinit"},
    {"heddle completion fish > ~/.config/fish/completions/heddle.fish", "for every fish"}, {0}};

const hed_command hed_command_completion = {
    .name = "completion", .summary = "print a shell's completion script", .description =
        "Prints a script with which a shell completes heddle's commands, options and their values.",
    .positionals = COMPLETION_POSITIONALS, .examples = COMPLETION_EXAMPLES, .run = run_completion,
};
