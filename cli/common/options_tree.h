/* What parsing, help, man page and completion share about the tables. */
#ifndef HED_CLI_COMMON_OPTIONS_TREE_H
#define HED_CLI_COMMON_OPTIONS_TREE_H

#include "cli/common/options.h"

/* The command itself, or what it is another name for. */
const hed_command *hed_command_real(const hed_command *command);
/* Whether an option of the command at `level` of the path can be given to the last one. */
bool hed_option_applies(const hed_arguments *path, uint32_t level, const hed_option *option);
/* "heddle bench kernels". */
void hed_command_line(const hed_arguments *path, char *text, size_t size);
/* "--device" of an option, "FILE" of a positional. */
void hed_option_label(const hed_option *option, char *text, size_t size);
/* "[--device ID]", "FILE...", "[SHELL]": as a usage line shows it. */
void hed_option_usage(const hed_option *option, char *text, size_t size);
/* Help, choices, limits and fallback in one text. */
void hed_option_explain(const hed_option *option, char *text, size_t size);

/* Calls `visit` for every command that is not hidden, a parent before its children. */
typedef void hed_visit_function(const hed_arguments *path, FILE *stream);
void hed_commands_visit(const hed_command *root, hed_visit_function *visit, FILE *stream);

#endif
