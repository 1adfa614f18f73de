/* Parser of command lines, driven by tables. */
#include "cli/common/options.h"

#include "heddle/author.h"
#include "support/nearest.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char HELP[] = "help";

/* State of the parser. */
typedef struct parser {
    hed_arguments *arguments;
    char *const *argv;
    int argc, next;
    bool only_positionals; /* after "--" */
    char line[256];        /* commands so far, such as "heddle bench", for messages */
    hed_error *error;
} parser;

/* ---- tables ---- */

const hed_command *hed_command_real(const hed_command *command)
{
    return command->same_as ? command->same_as : command;
}

const hed_command *hed_arguments_command(const hed_arguments *arguments)
{
    return arguments->path[arguments->depth - 1];
}

void hed_command_line(const hed_arguments *path, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < path->depth && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", path->names[i]);
}

bool hed_option_applies(const hed_arguments *path, uint32_t level, const hed_option *option)
{
    return !option->own || level == path->depth - 1;
}

const hed_option *hed_option_find(
    const hed_arguments *arguments, const char *name, size_t size, char letter)
{
    for (uint32_t level = arguments->depth; level-- > 0;) {
        for (const hed_option *o = arguments->path[level]->options; o && o->name; o++) {
            if (!hed_option_applies(arguments, level, o)) continue;
            if (letter ? o->letter == letter
                       : strlen(o->name) == size && memcmp(o->name, name, size) == 0)
                return o;
        }
    }
    return NULL;
}

const hed_command *hed_command_below(const hed_command *parent, const char *name)
{
    for (const hed_command *const *c = parent->commands; c && *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

const hed_command *hed_options_find(const hed_command *root, const char *const *names,
    uint32_t count, hed_arguments *path, const char **unknown)
{
    *path = (hed_arguments){.path = {root}, .names = {root->name}, .depth = 1};
    for (uint32_t i = 0; i < count; i++) {
        const hed_command *child = hed_command_below(hed_arguments_command(path), names[i]);
        if (!child || path->depth == HED_COMMAND_DEPTH) {
            *unknown = names[i];
            return NULL;
        }
        path->names[path->depth] = child->name;
        path->path[path->depth++] = hed_command_real(child);
    }
    return hed_arguments_command(path);
}

/* ---- messages ---- */

static hed_status parse_wrong(const parser *p, const char *words)
{
    return hed_fail(p->error, HED_ERROR_ARGUMENT, "%s (\"%s --help\" explains)", words, p->line);
}

/* Lists the visible commands below `parent`; ends with NULL. */
static void list_commands(const hed_command *parent, const char *names[64])
{
    size_t count = 0;
    for (const hed_command *const *c = parent->commands; *c && count < 63; c++)
        if (!(*c)->hidden) names[count++] = (*c)->name;
    names[count] = NULL;
}

static void list_words(char *text, size_t size, const char *const *words)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; words[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
}

static hed_status unknown_option(const parser *p, const char *typed, size_t size)
{
    const char *names[128];
    size_t count = 0;
    for (uint32_t level = p->arguments->depth; level-- > 0;)
        for (const hed_option *o = p->arguments->path[level]->options; o && o->name && count < 126;
             o++)
            if (hed_option_applies(p->arguments, level, o)) names[count++] = o->name;
    names[count++] = HELP;
    names[count] = NULL;
    char name[64], words[256];
    snprintf(name, sizeof name, "%.*s", (int)size, typed);
    const char *nearest = hed_nearest(name, names);
    snprintf(words, sizeof words, "unknown option --%s%s%s%s", name,
        nearest ? "; did you mean --" : "", nearest ? nearest : "", nearest ? "?" : "");
    return parse_wrong(p, words);
}

static hed_status unknown_command(const parser *p, const hed_command *parent, const char *typed)
{
    const char *names[64];
    list_commands(parent, names);
    const char *nearest = hed_nearest(typed, names);
    char words[512], list[384];
    list_words(list, sizeof list, names);
    if (nearest)
        snprintf(words, sizeof words, "unknown command \"%.64s\"; did you mean \"%s %s\"?", typed,
            p->line, nearest);
    else snprintf(words, sizeof words, "unknown command \"%.64s\"; there are %s", typed, list);
    return parse_wrong(p, words);
}

/* ---- values ---- */

void hed_option_label(const hed_option *option, char *text, size_t size)
{
    snprintf(text, size, "%s%s", option->value || option->kind == HED_OPTION_FLAG ? "--" : "",
        option->name);
}

static hed_status parse_choice(
    const parser *p, const hed_option *option, const char *label, const char *text)
{
    for (size_t i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], text) == 0) return HED_OK;
    const char *nearest = hed_nearest(text, option->choices);
    char words[512], list[256];
    list_words(list, sizeof list, option->choices);
    snprintf(words, sizeof words, "%s: found \"%.64s\", expected one of %s%s%s%s", label, text,
        list, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return parse_wrong(p, words);
}

static hed_status parse_number(
    const parser *p, const hed_option *option, const char *label, const char *text)
{
    char *end = NULL;
    errno = 0;
    double value =
        option->kind == HED_OPTION_INTEGER ? (double)strtoll(text, &end, 10) : strtod(text, &end);
    const char *kind = option->kind == HED_OPTION_INTEGER ? "a whole number" : "a number";
    bool limited = option->low != 0 || option->high != 0;
    if (end != text && !*end && errno == 0 && isfinite(value) &&
        (!limited || (value >= option->low && value <= option->high)))
        return HED_OK;
    char words[256];
    if (limited)
        snprintf(words, sizeof words, "%s: found \"%.64s\", expected %s from %.12g to %.12g", label,
            text, kind, option->low, option->high);
    else snprintf(words, sizeof words, "%s: found \"%.64s\", expected %s", label, text, kind);
    return parse_wrong(p, words);
}

static hed_status parse_value(parser *p, const hed_option *option, const char *text)
{
    char label[80], words[256];
    hed_option_label(option, label, sizeof label);
    hed_status status = HED_OK;
    if (option->kind == HED_OPTION_CHOICE) status = parse_choice(p, option, label, text);
    else if (option->kind == HED_OPTION_INTEGER || option->kind == HED_OPTION_NUMBER)
        status = parse_number(p, option, label, text);
    if (status != HED_OK) return status;
    for (uint32_t i = 0;
         i < p->arguments->count && !option->repeated && option->kind != HED_OPTION_FLAG; i++) {
        if (p->arguments->values[i].option == option) {
            snprintf(words, sizeof words, "%s was given twice: \"%.64s\" and \"%.64s\"", label,
                p->arguments->values[i].text, text);
            return parse_wrong(p, words);
        }
    }
    p->arguments->values[p->arguments->count++] = (hed_value){.option = option, .text = text};
    return HED_OK;
}

/* ---- arguments ---- */

/* Reads the next argument as the value of `option`. An option in its place means that the value is
 * missing. */
static hed_status take_value(parser *p, const hed_option *option)
{
    char label[80], words[256];
    hed_option_label(option, label, sizeof label);
    const char *text = p->next < p->argc ? p->argv[p->next] : NULL;
    if (!text || strncmp(text, "--", 2) == 0) {
        snprintf(words, sizeof words, "%s needs a value (%s)%s%.64s", label, option->value,
            text ? "; found " : "", text ? text : "");
        return parse_wrong(p, words);
    }
    hed_status status;
    do {
        status = parse_value(p, option, p->argv[p->next++]);
    } while (
        status == HED_OK && option->several && p->next < p->argc && p->argv[p->next][0] != '-');
    return status;
}

static hed_status parse_long(parser *p, const char *name)
{
    const char *equals = strchr(name, '=');
    size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const hed_option *option = hed_option_find(p->arguments, name, size, 0);
    if (!option && size == sizeof HELP - 1 && memcmp(name, HELP, size) == 0) {
        p->arguments->help = true;
        return HED_OK;
    }
    if (!option) return unknown_option(p, name, size);
    if (option->kind != HED_OPTION_FLAG)
        return equals ? parse_value(p, option, equals + 1) : take_value(p, option);
    if (equals) {
        char words[256];
        snprintf(
            words, sizeof words, "--%s takes no value; found \"%.64s\"", option->name, equals + 1);
        return parse_wrong(p, words);
    }
    return parse_value(p, option, "");
}

static hed_status parse_short(parser *p, const char *letters)
{
    hed_status status = HED_OK;
    for (; *letters && status == HED_OK && !p->arguments->help; letters++) {
        const hed_option *option = hed_option_find(p->arguments, NULL, 0, *letters);
        if (!option && *letters == 'h') {
            p->arguments->help = true;
        } else if (!option) {
            char words[64];
            snprintf(words, sizeof words, "unknown option -%.*s",
                ((unsigned char)*letters & 0x80) ? 4 : 1, letters);
            return parse_wrong(p, words);
        } else if (option->kind == HED_OPTION_FLAG) {
            status = parse_value(p, option, "");
        } else {
            return letters[1] ? parse_value(p, option, letters + 1) : take_value(p, option);
        }
    }
    return status;
}

/* Moves options of a parent command, given before the subcommand's name, to the subcommand's option
 * of the same name. */
static hed_status hand_down(parser *p)
{
    for (uint32_t i = 0; i < p->arguments->count; i++) {
        hed_value *value = &p->arguments->values[i];
        if (!value->option->own) continue;
        const hed_option *inherited =
            hed_option_find(p->arguments, value->option->name, strlen(value->option->name), 0);
        if (!inherited) {
            char words[256];
            snprintf(
                words, sizeof words, "--%s does not go with this command", value->option->name);
            return parse_wrong(p, words);
        }
        value->option = inherited;
    }
    return HED_OK;
}

static hed_status parse_positional(parser *p, const char *text)
{
    const hed_command *command = hed_arguments_command(p->arguments);
    /* a command with subcommands and arguments: its first word may name a subcommand, any other
     * word is an argument */
    bool begun = command->positionals && hed_given(p->arguments, command->positionals->name);
    const hed_command *child =
        p->only_positionals || begun ? NULL : hed_command_below(command, text);
    if (!child && command->commands && !command->positionals && !p->only_positionals)
        return unknown_command(p, command, text);
    if (child) {
        assert(p->arguments->depth < HED_COMMAND_DEPTH);
        p->arguments->names[p->arguments->depth] = child->name;
        p->arguments->path[p->arguments->depth++] = hed_command_real(child);
        size_t used = strlen(p->line);
        snprintf(p->line + used, sizeof p->line - used, " %s", child->name);
        return hand_down(p);
    }
    for (const hed_option *o = command->positionals; o && o->name; o++)
        if (o->repeated || !hed_given(p->arguments, o->name)) return parse_value(p, o, text);
    char words[256];
    snprintf(words, sizeof words, "one argument too many: \"%.160s\"", text);
    return parse_wrong(p, words);
}

/* Assigns the last word to the positional after a repeated one, which has consumed it. */
static void give_last(const hed_arguments *arguments)
{
    const hed_option *o = hed_arguments_command(arguments)->positionals;
    while (o && o->name && !o->repeated) o++;
    if (!o || !o->name || !o[1].name) return;
    for (uint32_t i = arguments->count; i-- > 0;)
        if (arguments->values[i].option == o) {
            arguments->values[i].option = &o[1];
            return;
        }
}

static hed_status check_required(const parser *p)
{
    const hed_command *command = hed_arguments_command(p->arguments);
    char words[704];
    if (!command->run) {
        const char *names[64];
        char list[384];
        list_commands(command, names);
        list_words(list, sizeof list, names);
        snprintf(words, sizeof words, "\"%s\" needs one of these behind it: %s", p->line, list);
        return parse_wrong(p, words);
    }
    const hed_option *tables[] = {command->options, command->positionals};
    for (size_t t = 0; t < 2; t++) {
        for (const hed_option *o = tables[t]; o && o->name; o++) {
            if (!o->required || hed_given(p->arguments, o->name)) continue;
            char label[80];
            hed_option_label(o, label, sizeof label);
            snprintf(words, sizeof words, "%s is missing: %s", label, o->help);
            return parse_wrong(p, words);
        }
    }
    return HED_OK;
}

hed_status hed_options_parse(const hed_command *root, int argc, char *const *argv,
    hed_arguments *arguments, hed_error *error)
{
    *arguments = (hed_arguments){.path = {root}, .names = {root->name}, .depth = 1};
    /* every argument has at most one value, except combined letters, which are bounded by their
     * bytes */
    size_t capacity = 1;
    for (int i = 1; i < argc; i++) capacity += strlen(argv[i]) + 1;
    arguments->values = calloc(capacity, sizeof *arguments->values);
    if (!arguments->values) return HED_OUT_OF_MEMORY(error, "the command line");
    parser p = {.arguments = arguments, .argv = argv, .argc = argc, .next = 1, .error = error};
    snprintf(p.line, sizeof p.line, "%s", root->name);
    hed_status status = HED_OK;
    while (p.next < argc && status == HED_OK && !arguments->help) {
        const char *text = argv[p.next++];
        if (p.only_positionals || text[0] != '-' || !text[1]) status = parse_positional(&p, text);
        else if (strcmp(text, "--") == 0) p.only_positionals = true;
        else if (text[1] == '-') status = parse_long(&p, text + 2);
        else status = parse_short(&p, text + 1);
    }
    if (status || arguments->help) return status;
    give_last(arguments);
    return check_required(&p);
}

hed_status hed_options_find_files(hed_arguments *arguments, const char *folder, hed_error *error)
{
    for (uint32_t i = 0; i < arguments->count && !arguments->help; i++) {
        hed_value *value = &arguments->values[i];
        const hed_names *names = value->option->names;
        if (!names || !names->find) continue;
        hed_status status = names->find(names, value->text, folder, &value->file, error);
        if (status != HED_OK) return status;
    }
    return HED_OK;
}

/* ---- endings ---- */

/* True if one of the words of `endings` is `ending`, ignoring case. */
static bool has_ending(const char *endings, const char *ending)
{
    size_t length = strlen(ending);
    for (const char *at = endings; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && strncasecmp(at, ending, word) == 0) return true;
        at += word;
    }
    return false;
}

/* True if a name has the suffix of a format that is not in `endings`. Other text after a dot is
 * part of the name, as in flag-0.5. */
static bool names_other_format(const char *path, const char *endings)
{
    static const char formats[] =
        ".pc2 .obj .ply .stl .glb .gltf .fbx .dae .abc .usd .usda .usdc .usdz .mdd .bvh .3ds .x "
        ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .svg .pdf .eps .ps "
        ".wav .flac .aiff .w64 .rf64 .caf .au .mp3 .ogg .opus .mid .midi "
        ".html .htm .css .js .mjs .json .csv .tsv .txt .xml .md .db .npy .zip .gz "
        ".c .h .cl .clh .cu .wgsl .comp .glsl .spv .hcap .ank";
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && has_ending(formats, dot) && !has_ending(endings, dot);
}

hed_status hed_options_check_endings(const hed_arguments *arguments, hed_error *error)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        const hed_value *value = &arguments->values[i];
        const char *endings = value->option->endings;
        char label[80], line[256];
        if (!endings || !names_other_format(value->text, endings)) continue;
        hed_option_label(value->option, label, sizeof label);
        hed_command_line(arguments, line, sizeof line);
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s %s: expected a name that ends with %s (\"%s --help\" explains)", label, value->text,
            endings, line);
    }
    return HED_OK;
}

void hed_arguments_free(hed_arguments *arguments)
{
    for (uint32_t i = 0; arguments->values && i < arguments->count; i++)
        free(arguments->values[i].file);
    free(arguments->values);
    arguments->values = NULL;
    arguments->count = 0;
}

/* ---- queries ---- */

bool hed_has_option(const hed_arguments *arguments, const char *name)
{
    return hed_option_find(arguments, name, strlen(name), 0) != NULL;
}

static const hed_option *find_positional(const hed_arguments *arguments, const char *name)
{
    const hed_option *o = hed_arguments_command(arguments)->positionals;
    while (o && o->name && strcmp(o->name, name) != 0) o++;
    return o && o->name ? o : NULL;
}

bool hed_has_positional(const hed_arguments *arguments, const char *name)
{
    return find_positional(arguments, name) != NULL;
}

static const hed_option *known(const hed_arguments *arguments, const char *name)
{
    const hed_option *option = hed_option_find(arguments, name, strlen(name), 0);
    if (!option) option = find_positional(arguments, name);
    assert(option && "a name that the command's tables do not have");
    return option;
}

const char *hed_value_text(const hed_value *value)
{
    return value->file ? value->file : value->text;
}

const char *hed_text_at(const hed_arguments *arguments, const char *name, uint32_t index)
{
    const hed_option *option = known(arguments, name);
    for (uint32_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].option == option && index-- == 0)
            return hed_value_text(&arguments->values[i]);
    return NULL;
}

bool hed_given(const hed_arguments *arguments, const char *name)
{
    return hed_text_at(arguments, name, 0) != NULL;
}

const char *hed_text_of(const hed_arguments *arguments, const char *name)
{
    const hed_option *option = known(arguments, name);
    const char *text = option->fallback;
    for (uint32_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].option == option) text = hed_value_text(&arguments->values[i]);
    return text;
}

int64_t hed_integer_of(const hed_arguments *arguments, const char *name)
{
    const char *text = hed_text_of(arguments, name);
    return text ? strtoll(text, NULL, 10) : 0;
}

double hed_number_of(const hed_arguments *arguments, const char *name)
{
    const char *text = hed_text_of(arguments, name);
    return text ? strtod(text, NULL) : 0;
}

uint32_t hed_choice_of(const hed_arguments *arguments, const char *name)
{
    const char *text = hed_text_of(arguments, name);
    const char *const *choices = known(arguments, name)->choices;
    uint32_t i = 0;
    while (choices[i] && !(text && strcmp(choices[i], text) == 0)) i++;
    return i;
}
