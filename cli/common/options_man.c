/* The man page, in the classic man macros (groff_man(7), mandoc's man(7)). */
#include "cli/common/options_tree.h"

#include <ctype.h>
#include <string.h>

/* Text that roff leaves alone: no control lines, no escapes, real minus signs. Empty lines become
 * paragraphs. */
static void roff(FILE *stream, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", stream);
            text++;
            line_start = true;
            continue;
        }
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stream);
        if (*text == '\\') fputs("\\e", stream);
        else if (*text == '-') fputs("\\-", stream);
        else fputc(*text, stream);
        line_start = *text == '\n';
    }
}

/* The tables' phrases as sentences. */
static void sentence(FILE *stream, const char *text)
{
    char first[2] = {(char)toupper((unsigned char)text[0]), 0};
    roff(stream, first);
    if (text[0]) roff(stream, text + 1);
    fputs(".\n", stream);
}

static void tagged(FILE *stream, const char *term, const char *text)
{
    fputs(".TP\n.B ", stream);
    roff(stream, term);
    fputc('\n', stream);
    sentence(stream, text);
}

/* Options of a command; those of the root are told in two parts, the ones that go with every
 * command and its own. */
typedef enum hed_part { HED_PART_ALL, HED_PART_SHARED, HED_PART_OWN } hed_part;

static void print_options(const hed_option *options, hed_part part, FILE *stream)
{
    for (const hed_option *o = options; o && o->name; o++) {
        if (part != HED_PART_ALL && o->own != (part == HED_PART_OWN)) continue;
        char label[80], text[1024];
        hed_option_label(o, label, sizeof label);
        fputs(".TP\n\\fB", stream);
        if (o->letter) fprintf(stream, "\\-%c\\fR, \\fB", o->letter);
        roff(stream, label);
        fputs("\\fR", stream);
        if (o->value) {
            fputs(" \\fI", stream);
            roff(stream, o->value);
            fputs("\\fR", stream);
        }
        fputc('\n', stream);
        hed_option_explain(o, text, sizeof text);
        sentence(stream, text);
    }
}

static void print_usage(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    char line[256], item[128];
    hed_command_line(path, line, sizeof line);
    fputs("\\fB", stream);
    roff(stream, line);
    fputs("\\fR", stream);
    const hed_option *tables[] = {command->options, command->positionals};
    for (size_t t = 0; t < 2; t++) {
        for (const hed_option *o = tables[t]; o && o->name; o++) {
            hed_option_usage(o, item, sizeof item);
            fputc(' ', stream);
            roff(stream, item);
        }
    }
}

static void print_examples(const hed_example *examples, FILE *stream)
{
    for (const hed_example *e = examples; e && e->line; e++) tagged(stream, e->line, e->what);
}

/* One command that runs, with all that belongs to it. */
static void print_command(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    if (path->depth == 1 || !command->run) return;
    fputs(".SS ", stream);
    print_usage(path, stream);
    fputc('\n', stream);
    roff(stream, command->description ? command->description : command->summary);
    fputc('\n', stream);
    print_options(command->positionals, HED_PART_ALL, stream);
    print_options(command->options, HED_PART_ALL, stream);
    if (command->examples) fputs(".PP\nExamples:\n", stream);
    print_examples(command->examples, stream);
}

void hed_options_man(const hed_command *root, const char *version, FILE *stream)
{
    fputs(".\\\" Generated from the option tables of the command; changes here are lost.\n.TH ",
        stream);
    for (const char *c = root->name; *c; c++) fputc(toupper((unsigned char)*c), stream);
    fprintf(stream, " 1 \"\" \"%s %s\" \"User Commands\"\n.SH NAME\n%s \\- ", root->name, version,
        root->name);
    roff(stream, root->summary);
    fprintf(stream, "\n.SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n",
        root->name);
    roff(stream, root->description ? root->description : root->summary);
    fputs("\n.SH OPTIONS\nWith every command:\n", stream);
    print_options(root->options, HED_PART_SHARED, stream);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nExplain the command.\n.PP\nWithout a command:\n",
        stream);
    print_options(root->options, HED_PART_OWN, stream);
    fputs(".SH COMMANDS\n", stream);
    hed_commands_visit(root, print_command, stream);
    if (root->examples) fputs(".SH EXAMPLES\n", stream);
    print_examples(root->examples, stream);
    for (const hed_section *section = root->sections; section && section->title; section++) {
        fprintf(stream, ".SH \"%s\"\n", section->title);
        print_examples(section->entries, stream);
    }
}
