/* Command lines from tables: one tree of commands that parses what was typed, explains itself
 * (--help), writes the man page and the shells' completions. Nothing about an option is said in two
 * places.
 *
 * Options come before, between or after the positional arguments: --name VALUE, --name=VALUE, -n
 * VALUE, -nVALUE, flags bundled as -ab; after "--" everything is positional. A command takes the
 * options of the commands above it too. A command that has both arguments and commands below it
 * takes a first word that names one of those as that command. --help and -h are there by
 * themselves. All texts are static; tables end with an entry that is all zero.
 */
#ifndef HED_CLI_COMMON_OPTIONS_H
#define HED_CLI_COMMON_OPTIONS_H

#include "heddle/base.h"

#include <stdio.h>

enum { HED_COMMAND_DEPTH = 4 };

typedef enum hed_option_kind {
    HED_OPTION_FLAG,
    HED_OPTION_TEXT,
    HED_OPTION_INTEGER, /* from low to high */
    HED_OPTION_NUMBER,  /* finite, from low to high */
    HED_OPTION_CHOICE,  /* one of `choices` */
    HED_OPTION_FILE,    /* as text, but shells complete it as a file name; the command reads it */
    HED_OPTION_OUTPUT,  /* as FILE, but the command writes it; has one of `endings` */
    HED_OPTION_FOLDER
} hed_option_kind;

/* Names that can stand for the value of an option, such as ids of devices or installed files. */
typedef void hed_name_function(void *user, const char *name, const char *explanation);
typedef struct hed_names hed_names;
struct hed_names {
    /* Calls `add` for each name, for completion; the explanation may be NULL. */
    void (*list)(const hed_names *names, hed_name_function *add, void *user);
    /* Sets *file to the path that `text` stands for (the caller frees it), or to NULL where the text
     * itself is the value. `folder`: of files with relative names. NULL: every text is a value.
     * Errors: ARGUMENT (no such name), MEMORY. */
    hed_status (*find)(const hed_names *names, const char *text, const char *folder, char **file,
        hed_error *error);
    const void *of; /* data of the two functions */
};

/* An option, or a positional argument (letter 0, not a flag). */
typedef struct hed_option {
    const char *name; /* without dashes; of a positional as help shows it, such as "FILE" */
    char letter;      /* short form; 0: none */
    hed_option_kind kind;
    const char *value;          /* what help calls the value, such as "ID"; flags: NULL */
    const char *help;           /* one sentence, no full stop */
    const char *const *choices; /* ends with NULL */
    const char *endings;        /* endings an OUTPUT may have, as ".html .htm"; NULL: any */
    const hed_names *names;     /* names accepted as its value; NULL: none */
    const char *fallback;       /* the value if it is not given, as text; NULL: none */
    double low, high;           /* both 0: no limit */
    bool required;
    bool own; /* of this command alone, not of those below it */
    bool
        repeated; /* may be given more than once; a positional: takes all that follow, but one word for
                    * another positional behind it */
    bool several; /* and takes all words up to the next option: --warm A B C */
} hed_option;

/* Rows of an option table, of options that commands below this one do not take: the word, the kind
 * without its prefix, what help calls the value; then the help and further members. */
#define FLAG(word, ...) \
    { \
        .name = word, .kind = HED_OPTION_FLAG, .own = true, .help = __VA_ARGS__ \
    }
#define OPTION(word, type, what, ...) \
    { \
        .name = word, .kind = HED_OPTION_##type, .value = what, .own = true, .help = __VA_ARGS__ \
    }

typedef struct hed_example {
    const char *line;
    const char *what;
} hed_example;

/* A part of the man page, such as ENVIRONMENT, as pairs of a term and its meaning. */
typedef struct hed_section {
    const char *title;
    const hed_example *entries;
} hed_section;

struct hed_arguments;
/* gives an exit code */
typedef int hed_command_function(const struct hed_arguments *arguments, void *user);

typedef struct hed_command hed_command;
struct hed_command {
    const char *name;
    const char *summary;     /* one line, no full stop */
    const char *description; /* paragraphs, with an empty line between two */
    const hed_option *options;
    const hed_option *positionals;
    const hed_command *const *commands; /* below this one; ends with NULL */
    const hed_example *examples;
    const hed_section *sections; /* of the man page; root only */
    const hed_command *same_as;  /* this is another name for that command; only name is read then */
    bool hidden;                 /* parsed, but not shown: a second way to something */
    bool repeats; /* it leaves nothing behind: a batch may run it again and again in one process */
    hed_command_function *run; /* NULL: one of `commands` has to follow */
};

typedef struct hed_value {
    const hed_option *option;
    const char *text; /* as typed */
    char *file;       /* path that the text stands for, the value instead of it; NULL: none */
} hed_value;

/* The value: the file's path where there is one, else the text. */
const char *hed_value_text(const hed_value *value);

/* What was typed. */
typedef struct hed_arguments {
    const hed_command *path[HED_COMMAND_DEPTH]; /* root first */
    /* as they were typed: another name of a command has its own */
    const char *names[HED_COMMAND_DEPTH];
    uint32_t depth;
    bool help; /* --help was among it; what follows it was not read */
    hed_value *values;
    uint32_t count;
} hed_arguments;

/* ---- parsing ---- */

/* Reads argv[1] and on. On failure `arguments` holds the commands that were understood; free it in
 * either case. Errors: ARGUMENT (says what was found, and the nearest that there is), MEMORY. */
hed_status hed_options_parse(const hed_command *root, int argc, char *const *argv,
    hed_arguments *arguments, hed_error *error);
/* Replaces names of installed files by the paths of those files, except with --help. `folder`: folder of relative names.
 * Errors: ARGUMENT (a value that names nothing), MEMORY. */
hed_status hed_options_find_files(hed_arguments *arguments, const char *folder, hed_error *error);
/* Refuses an output whose name ends as a file of another format does. Errors: ARGUMENT. */
hed_status hed_options_check_endings(const hed_arguments *arguments, hed_error *error);
void hed_arguments_free(hed_arguments *arguments);

/* The command to run: the last of the path. */
const hed_command *hed_arguments_command(const hed_arguments *arguments);
/* Whether the command or one above it has an option of this name. */
bool hed_has_option(const hed_arguments *arguments, const char *name);
bool hed_has_positional(const hed_arguments *arguments, const char *name);
/* Whether an option or positional was given. In these functions a name that no command of the path
 * has is a bug. */
bool hed_given(const hed_arguments *arguments, const char *name);
/* Its last value, else its fallback, else NULL. */
const char *hed_text_of(const hed_arguments *arguments, const char *name);
/* Value `index` of a repeated one; NULL behind the last. */
const char *hed_text_at(const hed_arguments *arguments, const char *name, uint32_t index);
/* The value as a number; 0 where there is neither a value nor a fallback. */
int64_t hed_integer_of(const hed_arguments *arguments, const char *name);
double hed_number_of(const hed_arguments *arguments, const char *name);
/* Which of the choices it is; the number of choices where there is neither a value nor a
 * fallback. */
uint32_t hed_choice_of(const hed_arguments *arguments, const char *name);

/* The command at these names below root ("bench", "kernels"); NULL and the first name that there is
 * not in `unknown`. */
const hed_command *hed_options_find(const hed_command *root, const char *const *names,
    uint32_t count, hed_arguments *path, const char **unknown);

/* ---- what is made from the same tables ---- */

/* Help for the last command of the path, 80 columns wide. */
void hed_options_help(const hed_arguments *path, FILE *stream);
/* The whole tree as a man page in section 1. */
void hed_options_man(const hed_command *root, const char *version, FILE *stream);

typedef enum hed_shell { HED_BASH, HED_ZSH, HED_FISH } hed_shell;
/* A shell's script, which asks `PROGRAM __complete WORDS...` on each completion. */
void hed_options_completion(const hed_command *root, hed_shell shell, FILE *stream);
/* The answer: what can stand for the last of the words behind the program's name, one to a line,
 * with a tab and an explanation behind it where there is one. A first line ":file" or ":folder"
 * asks the shell to complete file names as well. */
void hed_options_complete(
    const hed_command *root, const char *const *words, uint32_t count, FILE *stream);

/* ---- between options.c and options_text.c ---- */

/* The command itself, or what it is another name for. */
const hed_command *hed_command_real(const hed_command *command);
const hed_command *hed_command_below(const hed_command *parent, const char *name);
/* Whether an option of the command at `level` of the path can be given to the last one. */
bool hed_option_applies(const hed_arguments *path, uint32_t level, const hed_option *option);
/* The option of this name or letter, of the last command or one above it. */
const hed_option *hed_option_find(
    const hed_arguments *arguments, const char *name, size_t size, char letter);
/* "heddle bench kernels". */
void hed_command_line(const hed_arguments *path, char *text, size_t size);
/* "--device" of an option, "FILE" of a positional. */
void hed_option_label(const hed_option *option, char *text, size_t size);

#endif
