/* Help for people: --help, and the words that the man page shares with it. */
#include "cli/common/options_tree.h"

#include <string.h>

enum { WIDTH = 80 };

/* ---- words ---- */

void hed_option_usage(const hed_option *option, char *text, size_t size)
{
    char label[80];
    hed_option_label(option, label, sizeof label);
    const char *value = option->value ? option->value : "";
    snprintf(text, size, "%s%s%s%s%s%s", option->required ? "" : "[", label, *value ? " " : "",
        value, option->required ? "" : "]", option->repeated ? "..." : "");
}

void hed_option_explain(const hed_option *option, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", option->help);
    const char *separator = ": ";
    for (size_t i = 0; option->choices && option->choices[i] && used < size; i++, separator = ", ")
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, option->choices[i]);
    if ((option->low != 0 || option->high != 0) && used < size)
        used += (size_t)snprintf(
            text + used, size - used, ", from %.12g to %.12g", option->low, option->high);
    if (option->repeated && option->value && used < size)
        used += (size_t)snprintf(text + used, size - used, "; may be given more than once");
    if (option->fallback && used < size)
        snprintf(text + used, size - used, " (default: %s)", option->fallback);
}

static void visit_below(hed_arguments *path, hed_visit_function *visit, FILE *stream)
{
    visit(path, stream);
    const hed_command *const *children = hed_arguments_command(path)->commands;
    for (; children && *children; children++) {
        if ((*children)->hidden || (*children)->same_as) continue;
        path->names[path->depth] = (*children)->name;
        path->path[path->depth++] = *children;
        visit_below(path, visit, stream);
        path->depth--;
    }
}

void hed_commands_visit(const hed_command *root, hed_visit_function *visit, FILE *stream)
{
    hed_arguments path = {.path = {root}, .names = {root->name}, .depth = 1};
    visit_below(&path, visit, stream);
}

/* ---- layout ---- */

/* Prints words from column `column` on, with `indent` at the front of each further line, and a
 * newline at the end. */
static void wrap(FILE *stream, const char *text, int column, int indent)
{
    bool first = true;
    while (*text) {
        int size = (int)strcspn(text, " \n");
        if (!first && column + 1 + size > WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        if (size > 0) {
            column += fprintf(stream, "%s%.*s", first ? "" : " ", size, text);
            first = false;
        }
        text += size;
        if (*text == '\n') {
            /* An empty line ends a paragraph; a single line break is only a space. */
            bool paragraph = text[1] == '\n';
            text += paragraph ? 2 : 1;
            if (paragraph) {
                fprintf(stream, "\n\n%*s", indent, "");
                column = indent;
                first = true;
            }
        } else if (*text == ' ') {
            text++;
        }
    }
    fputc('\n', stream);
}

static void pair(FILE *stream, const char *term, const char *text)
{
    enum { INDENT = 24 };
    int column = fprintf(stream, "  %s", term);
    if (column + 2 > INDENT) {
        fputc('\n', stream);
        column = 0;
    }
    fprintf(stream, "%*s", INDENT - column, "");
    wrap(stream, text, INDENT, INDENT);
}

static void usage(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    char line[256], item[128];
    hed_command_line(path, line, sizeof line);
    int indent = fprintf(stream, "Usage: %s", line), column = indent;
    const hed_option *tables[] = {command->options, command->positionals};
    for (size_t t = 0; t < 2; t++) {
        for (const hed_option *o = tables[t]; o && o->name; o++) {
            hed_option_usage(o, item, sizeof item);
            int size = (int)strlen(item);
            if (column + 1 + size > WIDTH) {
                fprintf(stream, "\n%*s", indent, "");
                column = indent;
            }
            fprintf(stream, " %s", item);
            column += 1 + size;
        }
    }
    if (command->commands && command->positionals)
        fprintf(stream, "\n   or: %s COMMAND ...\n", line);
    else fputs(command->commands ? command->run ? " [COMMAND]\n" : " COMMAND ...\n" : "\n", stream);
}

static void print_option(const hed_option *option, FILE *stream)
{
    char label[80], term[160], text[1024];
    hed_option_label(option, label, sizeof label);
    char letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    else if (label[0] == '-') snprintf(letter, sizeof letter, "    ");
    snprintf(term, sizeof term, "%s%s%s%s", letter, label, option->value ? " " : "",
        option->value ? option->value : "");
    hed_option_explain(option, text, sizeof text);
    pair(stream, term, text);
}

void hed_options_help(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    usage(path, stream);
    fputc('\n', stream);
    wrap(stream, command->description ? command->description : command->summary, 0, 0);
    if (command->commands) fputs("\nCommands:\n", stream);
    for (const hed_command *const *c = command->commands; c && *c; c++)
        if (!(*c)->hidden) pair(stream, (*c)->name, hed_command_real(*c)->summary);
    if (command->positionals) fputs("\nArguments:\n", stream);
    for (const hed_option *o = command->positionals; o && o->name; o++) print_option(o, stream);
    fputs("\nOptions:\n", stream);
    for (uint32_t level = path->depth; level-- > 0;)
        for (const hed_option *o = path->path[level]->options; o && o->name; o++)
            if (hed_option_applies(path, level, o)) print_option(o, stream);
    pair(stream, "-h, --help", "show this text");
    if (command->examples) fputs("\nExamples:\n", stream);
    for (const hed_example *e = command->examples; e && e->line; e++) {
        fprintf(stream, "  %s\n      ", e->line);
        wrap(stream, e->what, 6, 6);
    }
    if (command->commands)
        fprintf(stream, "\n\"%s help COMMAND\" tells more about a command.\n", path->path[0]->name);
}
