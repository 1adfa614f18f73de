/* heddle data: files installed with Heddle, and their folder. */
#include "cli/common/command.h"
#include "cli/common/report.h"

#include <stdio.h>
#include <string.h>

/* ---- the list ---- */

/* Names of a kind, printed in lines of 80 columns below its title. */
struct listing {
    cli_report *report; /* NULL: text for people */
    const cli_data_kind *kind;
    uint32_t count, column;
};

static void list_name(void *user, const char *name, const char *explanation)
{
    enum { WIDTH = 80, INDENT = 4 };
    struct listing *list = user;
    char path[PATH_MAX] = "";
    (void)explanation;
    cli_data_path(list->kind, name, path);
    if (list->report) {
        cli_report_row(list->report, CLI_TEXT("kind", list->kind->title), CLI_TEXT("name", name),
            CLI_TEXT("path", path));
        return;
    }
    uint32_t length = (uint32_t)strlen(name);
    if (!list->count++) {
        printf("\n%s", list->kind->title);
        if (list->kind->line) printf(": %s", list->kind->line);
        list->column = WIDTH;
    }
    if (list->column + 1 + length > WIDTH) {
        printf("\n%*s%s", INDENT, "", name);
        list->column = INDENT + length;
    } else {
        printf(" %s", name);
        list->column += 1 + length;
    }
}

static int list_all(const hed_arguments *arguments, const char *folder)
{
    hed_error error = {0};
    bool json = hed_given(arguments, "json");
    struct listing list = {.report = json ? cli_report_create(true) : NULL};
    if (!json) printf("%s\n", folder);
    for (list.kind = cli_data_kinds; list.kind->folder; list.kind++) {
        list.count = 0;
        cli_data_list(list.kind, list_name, &list);
        if (list.count) putchar('\n');
    }
    return json ? cli_end(cli_report_end(list.report, HED_OK, &error), &error) : HED_EXIT_OK;
}

/* ---- the command ---- */

static int data_run(const hed_arguments *arguments, void *user)
{
    char folder[PATH_MAX], path[PATH_MAX];
    if (!cli_data_folder(folder)) {
        fputs("heddle: the data are not installed (found no share/heddle beside the command's folder); the package heddle-data has them\n",
            stderr);
        return HED_EXIT_FAILURE;
    }
    const char *name = hed_text_of(arguments, "NAME");
    if (!name) return list_all(arguments, folder);
    for (const cli_data_kind *kind = cli_data_kinds; kind->folder; kind++)
        if (cli_data_path(kind, name, path)) {
            puts(path);
            return HED_EXIT_OK;
        }
    fprintf(stderr, "heddle: no file \"%s\" in %s; \"heddle data\" lists them\n", name, folder);
    return HED_EXIT_USAGE;
}

static void list_names(const hed_names *names, hed_name_function *add, void *user)
{
    for (const cli_data_kind *kind = cli_data_kinds; kind->folder; kind++)
        cli_data_list(kind, add, user);
}

static const hed_names NAMES = {.list = list_names};
static const hed_option OPTIONS[] = {CLI_OPTION_JSON(true), {0}};
static const hed_option POSITIONALS[] = {
    POSITIONAL("NAME", TEXT, "print the path of this file alone", .names = &NAMES), {0}};
static const hed_example EXAMPLES[] = {{"heddle data", "the folder, and the names in it by kind"},
    {"cp $(heddle data vibes) mine.json", "a copy to change"}, {0}};

const hed_command hed_command_data = {
    .name = "data",
    .summary = "list the scenes, instruments and examples that are installed",
    .description =
        "Prints the folder of the data that come with Heddle, and lists them. Commands take their names: "
        "\"heddle cloth run flag\" runs scenes/flag.json of that folder. A file of the current folder comes "
        "first, and a name with a slash is always a path.",
    .options = OPTIONS,
    .positionals = POSITIONALS,
    .examples = EXAMPLES,
    .run = data_run,
};
