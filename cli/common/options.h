/* Command lines from tables: one tree of commands defines parsing, --help, the man page and the
 * shells' completions.
 *
 * Options may precede, separate or follow the positional arguments: --name VALUE, --name=VALUE, -n
 * VALUE, -nVALUE, flags combined as -ab; after "--" every word is positional. A command accepts the
 * options of the commands above it. If a command has both arguments and subcommands, a first word
 * that names a subcommand selects it. --help and -h exist implicitly. All texts are static; tables
 * end with a zeroed entry. */
#ifndef HED_CLI_COMMON_OPTIONS_H
#define HED_CLI_COMMON_OPTIONS_H

#include "heddle/base.h"

#include <stdio.h>

enum { HED_COMMAND_DEPTH = 4 };

typedef enum hed_option_kind {
    HED_OPTION_FLAG,
    HED_OPTION_TEXT,
    HED_OPTION_INTEGER, /* integer from low to high */
    HED_OPTION_NUMBER,  /* finite, from low to high */
    HED_OPTION_CHOICE,  /* one of `choices` */
    HED_OPTION_FILE,    /* text that shells complete as a file name; the command reads the file */
    /* like FILE, but the command writes the file; its suffix is one of `endings` */
    HED_OPTION_OUTPUT,
    HED_OPTION_FOLDER
} hed_option_kind;

/* Names accepted as the value of an option, such as device ids or installed files. */
typedef void hed_name_function(void *user, const char *name, const char *explanation);
typedef struct hed_names hed_names;
struct hed_names {
    /* Calls `add` for each name, for completion; the explanation may be NULL. */
    void (*list)(const hed_names *names, hed_name_function *add, void *user);
    /* Sets *file to the path that `text` refers to (the caller frees it), or to NULL if the text
     * itself is the value. `folder`: folder of relative names. NULL: every text is accepted.
     * Errors: ARGUMENT (no such name), MEMORY. */
    hed_status (*find)(const hed_names *names, const char *text, const char *folder, char **file,
        hed_error *error);
    const void *of; /* data of the two functions */
};

/* An option, or a positional argument (letter 0, not a flag). */
typedef struct hed_option {
    const char *name; /* name without dashes; for a positional as help shows it, such as "FILE" */
    char letter;      /* short form; 0: no short form */
    hed_option_kind kind;
    const char *value;          /* placeholder of the value in help, such as "ID"; flags: NULL */
    const char *help;           /* one sentence without a full stop */
    const char *const *choices; /* ends with NULL */
    const char *endings;        /* allowed suffixes of an OUTPUT, as ".html .htm"; NULL: any */
    const hed_names *names;     /* names accepted as the value; NULL: no names */
    const char *fallback;       /* default value as text; NULL: no default */
    double low, high;           /* bounds of the value; both 0: no limit */
    bool required;
    bool own; /* not inherited by the commands below */
    /* may be given more than once; a positional: accepts all further words, except one word for a
     * positional after it */
    bool repeated;
    bool several; /* accepts all words up to the next option: --warm A B C */
} hed_option;

/* Rows of an option table, for options that commands below do not inherit: name, kind without
 * prefix, placeholder of the value; then the help and further members. */
#define FLAG(word, ...) \
    { \
        .name = word, .kind = HED_OPTION_FLAG, .own = true, .help = __VA_ARGS__ \
    }
#define OPTION(word, type, what, ...) \
    { \
        .name = word, .kind = HED_OPTION_##type, .value = what, .own = true, .help = __VA_ARGS__ \
    }
#define POSITIONAL(word, type, ...) \
    { \
        .name = word, .kind = HED_OPTION_##type, .help = __VA_ARGS__ \
    }

typedef struct hed_example {
    const char *line;
    const char *what;
} hed_example;

/* Section of the man page, such as ENVIRONMENT: pairs of a term and its meaning. */
typedef struct hed_section {
    const char *title;
    const hed_example *entries;
} hed_section;

struct hed_arguments;
/* returns an exit code */
typedef int hed_command_function(const struct hed_arguments *arguments, void *user);

typedef struct hed_command hed_command;
struct hed_command {
    const char *name;
    const char *summary;     /* one line without a full stop */
    const char *description; /* paragraphs, separated by an empty line */
    const hed_option *options;
    const hed_option *positionals;
    const hed_command *const *commands; /* subcommands; ends with NULL */
    const hed_example *examples;
    const hed_section *sections; /* sections of the man page; root only */
    const hed_command *same_as;  /* alias of that command; only `name` is used then */
    bool hidden;                 /* parsed, but not shown: an alias */
    /* has no lasting effect on its process: a batch may run it repeatedly in one process */
    bool repeats;
    bool is_brief;             /* takes milliseconds: a batch sends several to a device at once */
    hed_command_function *run; /* NULL: one of `commands` must follow */
};

typedef struct hed_value {
    const hed_option *option;
    const char *text; /* words as typed */
    /* path that the text refers to, which replaces it; NULL: the text is the value */
    char *file;
} hed_value;

/* The value: the file's path if there is one, else the text. */
const char *hed_value_text(const hed_value *value);

/* Parsed command line. */
typedef struct hed_arguments {
    const hed_command *path[HED_COMMAND_DEPTH]; /* root first */
    /* names as typed: an alias has its own name */
    const char *names[HED_COMMAND_DEPTH];
    uint32_t depth;
    bool help; /* --help was given; parsing stopped there */
    hed_value *values;
    uint32_t count;
} hed_arguments;

/* ---- parsing ---- */

/* Parses argv[1] and on. After a failure `arguments` has the commands parsed so far; free it in
 * either case. Errors: ARGUMENT (quotes the word, and the nearest valid one), MEMORY. */
hed_status hed_options_parse(const hed_command *root, int argc, char *const *argv,
    hed_arguments *arguments, hed_error *error);
/* Replaces names of installed files by their paths, except with --help. `folder`: folder of
 * relative names. Errors: ARGUMENT (an unknown name), MEMORY. */
hed_status hed_options_find_files(hed_arguments *arguments, const char *folder, hed_error *error);
/* Rejects an output whose suffix belongs to another format. Errors: ARGUMENT. */
hed_status hed_options_check_endings(const hed_arguments *arguments, hed_error *error);
void hed_arguments_free(hed_arguments *arguments);

/* Command to run: the last of the path. */
const hed_command *hed_arguments_command(const hed_arguments *arguments);
/* True if the command or one above it has an option of this name. */
bool hed_has_option(const hed_arguments *arguments, const char *name);
bool hed_has_positional(const hed_arguments *arguments, const char *name);
/* True if an option or positional was given. In these functions an unknown name is a bug. */
bool hed_given(const hed_arguments *arguments, const char *name);
/* Last value of an option, else its default, else NULL. */
const char *hed_text_of(const hed_arguments *arguments, const char *name);
/* Value `index` of a repeated option; NULL after the last. */
const char *hed_text_at(const hed_arguments *arguments, const char *name, uint32_t index);
/* Value as a number; 0 without a value and a default. */
int64_t hed_integer_of(const hed_arguments *arguments, const char *name);
double hed_number_of(const hed_arguments *arguments, const char *name);
/* Index of the value in `choices`; the number of choices without a value and a default. */
uint32_t hed_choice_of(const hed_arguments *arguments, const char *name);

/* Finds the command with these names below root ("bench", "kernels"); else returns NULL, and the
 * first unknown name in `unknown`. */
const hed_command *hed_options_find(const hed_command *root, const char *const *names,
    uint32_t count, hed_arguments *path, const char **unknown);

/* ---- output generated from the tables ---- */

/* Prints help for the last command of the path, 80 columns wide. */
void hed_options_help(const hed_arguments *path, FILE *stream);
/* Prints the whole tree as a man page of section 1. */
void hed_options_man(const hed_command *root, const char *version, FILE *stream);

typedef enum hed_shell { HED_BASH, HED_ZSH, HED_FISH } hed_shell;
/* Prints a shell's script, which calls `PROGRAM __complete WORDS...` for each completion. */
void hed_options_completion(const hed_command *root, hed_shell shell, FILE *stream);
/* Prints the completions of the last of `words`, which follow the program's name: one per line,
 * with a tab and an explanation if there is one. A first line ":file" or ":folder" makes the shell
 * complete file names as well. */
void hed_options_complete(
    const hed_command *root, const char *const *words, uint32_t count, FILE *stream);

/* ---- shared by options.c and options_text.c ---- */

/* The command itself, or the command that it is an alias of. */
const hed_command *hed_command_real(const hed_command *command);
const hed_command *hed_command_below(const hed_command *parent, const char *name);
/* True if an option of the command at `level` of the path applies to the last one. */
bool hed_option_applies(const hed_arguments *path, uint32_t level, const hed_option *option);
/* Finds an option by name or letter, in the last command or the commands above it. */
const hed_option *hed_option_find(
    const hed_arguments *arguments, const char *name, size_t size, char letter);
/* Formats the commands: "heddle bench kernels". */
void hed_command_line(const hed_arguments *path, char *text, size_t size);
/* Formats a name: "--device" for an option, "FILE" for a positional. */
void hed_option_label(const hed_option *option, char *text, size_t size);

#endif
