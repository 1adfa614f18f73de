/* Output generated from the tables: --help, the man page in the classic man macros (groff_man(7),
 * mandoc's man(7)), and completion. */
#include "cli/common/options.h"

#include <ctype.h>
#include <string.h>

enum { HELP_WIDTH = 80 };

/* ---- words ---- */

static void option_usage(const hed_option *option, char *text, size_t size)
{
    char label[80];
    hed_option_label(option, label, sizeof label);
    const char *value = option->value ? option->value : "";
    snprintf(text, size, "%s%s%s%s%s%s", option->required ? "" : "[", label, *value ? " " : "",
        value, option->required ? "" : "]", option->repeated ? "..." : "");
}

static void option_explain(const hed_option *option, char *text, size_t size)
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

/* ---- help ---- */

/* Prints words from column `column` on, with `indent` before each further line, and a newline at
 * the end. */
static void help_wrap(FILE *stream, const char *text, int column, int indent)
{
    bool first = true;
    while (*text) {
        int size = (int)strcspn(text, " \n");
        if (!first && column + 1 + size > HELP_WIDTH) {
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
            /* an empty line ends a paragraph; a single newline is a space */
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

static void help_pair(FILE *stream, const char *term, const char *text)
{
    enum { INDENT = 24 };
    int column = fprintf(stream, "  %s", term);
    if (column + 2 > INDENT) {
        fputc('\n', stream);
        column = 0;
    }
    fprintf(stream, "%*s", INDENT - column, "");
    help_wrap(stream, text, INDENT, INDENT);
}

/* True if a command has visible subcommands. */
static bool shows_commands(const hed_command *command)
{
    bool has_visible = false;
    for (const hed_command *const *c = command->commands; c && *c; c++)
        has_visible |= !(*c)->hidden;
    return has_visible;
}

static void help_usage(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    char line[256], item[128];
    hed_command_line(path, line, sizeof line);
    int indent = fprintf(stream, "Usage: %s", line), column = indent;
    const hed_option *tables[] = {command->options, command->positionals};
    for (size_t t = 0; t < 2; t++) {
        for (const hed_option *o = tables[t]; o && o->name; o++) {
            option_usage(o, item, sizeof item);
            int size = (int)strlen(item);
            if (column + 1 + size > HELP_WIDTH) {
                fprintf(stream, "\n%*s", indent, "");
                column = indent;
            }
            fprintf(stream, " %s", item);
            column += 1 + size;
        }
    }
    bool commands = shows_commands(command);
    if (commands && command->positionals) fprintf(stream, "\n   or: %s COMMAND ...\n", line);
    else fputs(commands ? command->run ? " [COMMAND]\n" : " COMMAND ...\n" : "\n", stream);
}

static void help_option(const hed_option *option, FILE *stream)
{
    char label[80], term[160], text[1024];
    hed_option_label(option, label, sizeof label);
    char letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    else if (label[0] == '-') snprintf(letter, sizeof letter, "    ");
    snprintf(term, sizeof term, "%s%s%s%s", letter, label, option->value ? " " : "",
        option->value ? option->value : "");
    option_explain(option, text, sizeof text);
    help_pair(stream, term, text);
}

void hed_options_help(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    help_usage(path, stream);
    fputc('\n', stream);
    help_wrap(stream, command->description ? command->description : command->summary, 0, 0);
    bool commands = shows_commands(command);
    if (commands) fputs("\nCommands:\n", stream);
    for (const hed_command *const *c = command->commands; c && *c; c++)
        if (!(*c)->hidden) help_pair(stream, (*c)->name, hed_command_real(*c)->summary);
    if (command->positionals) fputs("\nArguments:\n", stream);
    for (const hed_option *o = command->positionals; o && o->name; o++) help_option(o, stream);
    fputs("\nOptions:\n", stream);
    for (uint32_t level = path->depth; level-- > 0;)
        for (const hed_option *o = path->path[level]->options; o && o->name; o++)
            if (hed_option_applies(path, level, o)) help_option(o, stream);
    help_pair(stream, "-h, --help", "show this text");
    if (command->examples) fputs("\nExamples:\n", stream);
    for (const hed_example *e = command->examples; e && e->line; e++) {
        fprintf(stream, "  %s\n      ", e->line);
        help_wrap(stream, e->what, 6, 6);
    }
    if (commands)
        fprintf(stream, "\n\"%s help COMMAND\" tells more about a command.\n", path->path[0]->name);
}

/* ---- the man page ---- */

/* Writes text so that man prints it unchanged: no control lines, no escapes, real minus signs.
 * Empty lines become paragraphs. */
static void man_text(FILE *stream, const char *text)
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

/* Writes a table's phrase as a sentence. */
static void man_sentence(FILE *stream, const char *text)
{
    char first[2] = {(char)toupper((unsigned char)text[0]), 0};
    man_text(stream, first);
    if (text[0]) man_text(stream, text + 1);
    fputs(".\n", stream);
}

/* Options of a command; the root's options are printed in two parts: options of every command,
 * and the root's own. */
typedef enum man_part { MAN_PART_ALL, MAN_PART_SHARED, MAN_PART_OWN } man_part;

static void man_options(const hed_option *options, man_part part, FILE *stream)
{
    for (const hed_option *o = options; o && o->name; o++) {
        if (part != MAN_PART_ALL && o->own != (part == MAN_PART_OWN)) continue;
        char label[80], text[1024];
        hed_option_label(o, label, sizeof label);
        fputs(".TP\n\\fB", stream);
        if (o->letter) fprintf(stream, "\\-%c\\fR, \\fB", o->letter);
        man_text(stream, label);
        fputs("\\fR", stream);
        if (o->value) {
            fputs(" \\fI", stream);
            man_text(stream, o->value);
            fputs("\\fR", stream);
        }
        fputc('\n', stream);
        option_explain(o, text, sizeof text);
        man_sentence(stream, text);
    }
}

static void man_usage(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    char line[256], item[128];
    hed_command_line(path, line, sizeof line);
    fputs("\\fB", stream);
    man_text(stream, line);
    fputs("\\fR", stream);
    const hed_option *tables[] = {command->options, command->positionals};
    for (size_t t = 0; t < 2; t++) {
        for (const hed_option *o = tables[t]; o && o->name; o++) {
            option_usage(o, item, sizeof item);
            fputc(' ', stream);
            man_text(stream, item);
        }
    }
}

static void man_examples(const hed_example *examples, FILE *stream)
{
    for (const hed_example *e = examples; e && e->line; e++) {
        fputs(".TP\n.B ", stream);
        man_text(stream, e->line);
        fputc('\n', stream);
        man_sentence(stream, e->what);
    }
}

/* Writes the section of a command that runs. */
static void man_command(const hed_arguments *path, FILE *stream)
{
    const hed_command *command = hed_arguments_command(path);
    if (path->depth == 1 || !command->run) return;
    fputs(".SS ", stream);
    man_usage(path, stream);
    fputc('\n', stream);
    man_text(stream, command->description ? command->description : command->summary);
    fputc('\n', stream);
    man_options(command->positionals, MAN_PART_ALL, stream);
    man_options(command->options, MAN_PART_ALL, stream);
    if (command->examples) fputs(".PP\nExamples:\n", stream);
    man_examples(command->examples, stream);
}

/* Writes a command and the commands below it, parents first. */
static void man_commands(hed_arguments *path, FILE *stream)
{
    man_command(path, stream);
    const hed_command *const *child = hed_arguments_command(path)->commands;
    for (; child && *child; child++) {
        if ((*child)->hidden || (*child)->same_as) continue;
        path->names[path->depth] = (*child)->name;
        path->path[path->depth++] = *child;
        man_commands(path, stream);
        path->depth--;
    }
}

void hed_options_man(const hed_command *root, const char *version, FILE *stream)
{
    fputs(".\\\" Generated from the option tables of the command; changes here are lost.\n.TH ",
        stream);
    for (const char *c = root->name; *c; c++) fputc(toupper((unsigned char)*c), stream);
    fprintf(stream, " 1 \"\" \"%s %s\" \"User Commands\"\n.SH NAME\n%s \\- ", root->name, version,
        root->name);
    man_text(stream, root->summary);
    fprintf(stream, "\n.SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n",
        root->name);
    man_text(stream, root->description ? root->description : root->summary);
    fputs("\n.SH OPTIONS\nWith every command:\n", stream);
    man_options(root->options, MAN_PART_SHARED, stream);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nExplain the command.\n.PP\nWithout a command:\n",
        stream);
    man_options(root->options, MAN_PART_OWN, stream);
    fputs(".SH COMMANDS\n", stream);
    hed_arguments path = {.path = {root}, .names = {root->name}, .depth = 1};
    man_commands(&path, stream);
    if (root->examples) fputs(".SH EXAMPLES\n", stream);
    man_examples(root->examples, stream);
    for (const hed_section *section = root->sections; section && section->title; section++) {
        fprintf(stream, ".SH \"%s\"\n", section->title);
        man_examples(section->entries, stream);
    }
}

/* ---- completion ---- */

/* Names that begin with the word under the cursor, printed after `front`. */
struct completion {
    const char *front, *begun;
    FILE *out;
};

static void complete_name(void *user, const char *name, const char *explanation)
{
    const struct completion *c = user;
    if (strncmp(name, c->begun, strlen(c->begun)) != 0) return;
    fprintf(c->out, "%s%s%s%s\n", c->front, name, explanation ? "\t" : "",
        explanation ? explanation : "");
}

/* Prints candidates for the value of `option`: choices, names, or a request to the shell to
 * complete files. */
static void complete_value(
    const hed_option *option, const char *front, const char *begun, FILE *out)
{
    struct completion to = {.front = front, .begun = begun, .out = out};
    if (option->kind == HED_OPTION_FILE || option->kind == HED_OPTION_OUTPUT) fputs(":file\n", out);
    if (option->kind == HED_OPTION_FOLDER) fputs(":folder\n", out);
    for (const char *const *c = option->choices; c && *c; c++) complete_name(&to, *c, NULL);
    if (option->names) option->names->list(option->names, complete_name, &to);
}

static void complete_options(const hed_arguments *path, const char *begun, FILE *out)
{
    char word[80];
    for (uint32_t level = path->depth; level-- > 0;)
        for (const hed_option *o = path->path[level]->options; o && o->name; o++) {
            snprintf(word, sizeof word, "--%s", o->name);
            if (hed_option_applies(path, level, o) && strncmp(word, begun, strlen(begun)) == 0)
                fprintf(out, "%s\t%s\n", word, o->help);
        }
    if (strncmp("--help", begun, strlen(begun)) == 0) fputs("--help\tshow help\n", out);
}

/* Follows the words before the cursor down the tree, as the parser does. */
void hed_options_complete(
    const hed_command *root, const char *const *words, uint32_t count, FILE *stream)
{
    hed_arguments path = {.path = {root}, .names = {root->name}, .depth = 1};
    const hed_option *due = NULL;  /* option whose value comes next */
    uint32_t positional_count = 0; /* number of positionals */
    for (uint32_t i = 0; i + 1 < count; i++) {
        const char *word = words[i];
        if (strcmp(word, "=") == 0) continue; /* bash splits --name=value into three words */
        const hed_command *child =
            due ? NULL : hed_command_below(hed_arguments_command(&path), word);
        if (due) due = NULL;
        else if (word[0] == '-' && word[1]) {
            due = word[1] == '-' ? hed_option_find(&path, word + 2, strlen(word + 2), 0)
                  : word[2]      ? NULL
                                 : hed_option_find(&path, NULL, 0, word[1]);
            if (due && due->kind == HED_OPTION_FLAG) due = NULL;
        } else if (child && !child->hidden && path.depth < HED_COMMAND_DEPTH) {
            path.names[path.depth] = child->name;
            path.path[path.depth++] = hed_command_real(child);
        } else positional_count++;
    }
    const char *begun = count && strcmp(words[count - 1], "=") ? words[count - 1] : "";
    const char *equals = begun[0] == '-' ? strchr(begun, '=') : NULL;
    if (due) {
        complete_value(due, "", begun, stream);
    } else if (equals) {
        char front[80];
        snprintf(front, sizeof front, "%.*s", (int)(equals + 1 - begun), begun);
        due = hed_option_find(&path, begun + 2, (size_t)(equals - begun - 2), 0);
        if (due) complete_value(due, front, equals + 1, stream);
    } else if (begun[0] == '-') {
        complete_options(&path, begun, stream);
    } else {
        const hed_command *command = hed_arguments_command(&path);
        const hed_option *next = command->positionals;
        while (next && next->name && positional_count > 0 && !next->repeated)
            next++, positional_count--;
        if (next && next->name) complete_value(next, "", begun, stream);
        for (const hed_command *const *c = command->commands; c && *c; c++)
            if (!(*c)->hidden && strncmp((*c)->name, begun, strlen(begun)) == 0)
                fprintf(stream, "%s\t%s\n", (*c)->name, hed_command_real(*c)->summary);
    }
}

/* %1$s is the program, which is called as `PROGRAM __complete WORDS...`. */
static const char *const COMPLETION_SCRIPTS[] = {
    [HED_BASH] =
        "# bash completion for %1$s\n"
        "_%1$s() {\n"
        /* bash splits words at : and =, and completes only the last part */
        "    local current=${COMP_WORDS[COMP_CWORD]} lines words=() front glue= i\n"
        "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
        "        if [[ ${#words[@]} -gt 0 && ($glue || ${COMP_WORDS[i]} == [:=]*) ]]; then words[-1]+=${COMP_WORDS[i]}\n"
        "        else words+=(\"${COMP_WORDS[i]}\"); fi\n"
        "        [[ ${COMP_WORDS[i]} == *[:=] ]] && glue=1 || glue=\n"
        "    done\n"
        "    [[ $current == [:=]* ]] && current=\n"
        "    front=${words[-1]%%\"$current\"}\n"
        "    mapfile -t lines < <(%1$s __complete \"${words[@]}\")\n"
        "    COMPREPLY=()\n"
        "    case ${lines[0]} in\n"
        "        :file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
        "        :folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
        "    esac\n"
        "    for line in \"${lines[@]}\"; do [[ $line == :* ]] || { line=${line#\"$front\"}; COMPREPLY+=(\"${line%%%%$'\\t'*}\"); }; done\n"
        "}\n"
        "complete -F _%1$s %1$s\n",
    [HED_ZSH] = "#compdef %1$s\n"
                "_%1$s() {\n"
                "    local -a lines=(${(f)\"$(%1$s __complete \"${(@)words[2,CURRENT]}\")\"})\n"
                "    case $lines[1] in\n"
                "        :file) shift lines; compset -P '*='; _files ;;\n"
                "        :folder) shift lines; compset -P '*='; _files -/ ;;\n"
                "    esac\n"
                "    lines=(\"${(@)${(@)lines//:/\\\\:}/$'\\t'/:}\")\n"
                "    (( $#lines )) && _describe %1$s lines\n"
                "}\n"
                "if [[ $funcstack[1] == _%1$s ]]; then _%1$s \"$@\"; else compdef _%1$s %1$s; fi\n",
    [HED_FISH] = "# fish completion for %1$s\n"
                 "function __%1$s_complete\n"
                 "    set -l current (commandline -ct)\n"
                 "    set -l lines (%1$s __complete (commandline -opc)[2..-1] \"$current\")\n"
                 "    switch \"$lines[1]\"\n"
                 "        case :file; __fish_complete_path \"$current\"; set -e lines[1]\n"
                 "        case :folder; __fish_complete_directories \"$current\"; set -e lines[1]\n"
                 "    end\n"
                 "    string join \\n -- $lines\n"
                 "end\n"
                 "complete -c %1$s -f -a '(__%1$s_complete)'\n",
};

void hed_options_completion(const hed_command *root, hed_shell shell, FILE *stream)
{
    for (const char *c = COMPLETION_SCRIPTS[shell]; *c; c++)
        if (strncmp(c, "%1$s", 4) == 0) fputs(root->name, stream), c += 3;
        else if (c[0] == '%' && c[1] == '%') fputc(*c++, stream);
        else fputc(*c, stream);
}
