/* Shared declarations of the two readers of tune files: the object that they fill, its memory,
 * errors with a position, expressions, and the content of arguments. A function that fails records
 * an error (hed_json_fail) and returns 0, NULL or false; a reader continues to its end and checks
 * once. */
#ifndef HED_TUNEFILE_SPEC_H
#define HED_TUNEFILE_SPEC_H

#include "tunefile/tunefile_data.h"
#include "support/fields.h"
#include "support/wgsl.h"
#include "heddle/author.h"
#include "heddle/tune_file.h"

enum {
    HED_SPEC_VALUES = 65535,           /* limit of a parameter's values, as in a space */
    HED_SPEC_SETTINGS = 64,            /* limit of the caller's settings */
    HED_SPEC_FOLDERS = 255,            /* limit of the folders of a list */
    HED_SPEC_LONGEST_SOURCE = 16 << 20 /* bytes of a kernel's text */
};

/* A kernel with the expressions for the layout of its launch: the tuned kernel, or its
 * reference. */
typedef struct hed_spec_kernel {
    hed_kernel_def def;
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    uint32_t texts;     /* bit i: the macro of parameter i is its text, not its number */
    uint32_t fractions; /* bit i: the texts of parameter i are numbers */
    /* Names available to expressions, in the order of their slots: parameters, dimensions, device
     * limits. */
    const char *names[HED_MAX_PARAMETERS + HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS];
    double constants[HED_DEVICE_CONSTANTS];
    hed_expression *group[3], *global[3];
    uint32_t dimensions; /* dimensions of the launch */
    bool counts_groups;  /* `global` counts groups, not work items */
    /* elements of local arrays, and of buffers whose size depends on parameters; values of scalars
     * that depend on parameters */
    hed_expression *local[HED_MAX_ARGUMENTS];
    uint32_t local_bytes[HED_MAX_ARGUMENTS]; /* bytes of one element */
    hed_expression *bytes, *operations;      /* members of hed_work; NULL: unknown */
} hed_spec_kernel;

/* Limit of a tune file's metrics. */
enum { HED_SPEC_METRICS = 16 };

/* A metric: an expression over the names of the kernel and of a launch. */
typedef struct hed_spec_metric {
    const hed_tune_file *file;
    hed_expression *expression;
} hed_spec_metric;

/* Content of a file, allocated by the C library. */
struct hed_spec_bytes {
    struct hed_spec_bytes *next;
    char *bytes;
};

struct hed_tune_file {
    hed_arena arena;
    hed_json *json;                /* lives as long as the object: names are its strings */
    struct hed_spec_bytes *files;  /* list of the files that were read */
    hed_spec_kernel kernel, other; /* `other`: the reference kernel, if `reference` specifies one */
    const char *dimensions[HED_MAX_DIMENSIONS];
    hed_problem problem;
    hed_argument_def argument_defs[HED_MAX_ARGUMENTS];
    hed_tune_argument arguments[HED_MAX_ARGUMENTS];
    hed_math math;
    hed_reference reference;
    uint32_t evaluations;                      /* T1's budget; 0: no limit */
    double limit_seconds;                      /* T1's budget; 0: no limit */
    hed_tune_metric metrics[HED_SPEC_METRICS]; /* (metric_count) `user`: hed_spec_metric */
    hed_spec_metric measures[HED_SPEC_METRICS];
    uint32_t metric_count;
    const char *objective; /* word of the file; NULL: no word */
    hed_json_node argument_list;
    /* element types of symbols, which the description has as structs of bytes */
    hed_type symbol_types[HED_MAX_ARGUMENTS];
    /* an assumption about a detail that the file omits; NULL: no assumption */
    const char *note;
};

/* Sizes of the group that a text in GLSL has as numbers, which are macros of it now. */
typedef struct hed_spec_sizes {
    const char *names[3]; /* (dimensions) parameters; one name for equal sizes is one parameter */
    uint32_t values[3];   /* sizes in the text */
    uint32_t dimensions;  /* 0: the text has other sizes */
    uint32_t launch;      /* dimensions of the launch, by the ids that are used */
    bool is_together;     /* items of a group work together */
    bool names_width;     /* the text's width of subgroups is HED_SUBGROUP_SIZE now */
    const char *note;
} hed_spec_sizes;

/* Members of a shader's comment that its reader finds by itself: lists of JSON without their
 * brackets (remedy.c). */
enum { HED_SPEC_SOURCE, HED_SPEC_INCLUDE, HED_SPEC_DEFINES, HED_SPEC_ENTRY, HED_SPEC_REMEDIES };
typedef struct hed_spec_remedy {
    char members[HED_SPEC_REMEDIES][1100];
    char entries[256]; /* names of all entry points */
    char choices[512]; /* macros of which the program defines one; "": no choice */
    bool is_new;       /* the last read found more */
    bool adds_defines; /* the comment has "defines", to which the found ones are added */
} hed_spec_remedy;

/* State of one load. */
typedef struct hed_spec_reader {
    hed_tune_file *spec;
    const char *path;
    const hed_device_info *device;
    hed_wgsl *shader;     /* the kernel's text if it is a shader, else NULL */
    hed_spec_sizes sizes; /* sizes of a text in GLSL */
    const char
        *groups[3]; /* derived numbers of groups of a launch; NULL: items by the group's size */
    uint32_t push_bytes;          /* bytes of push constants that are one argument; 0: numbers */
    bool has_halves;              /* the bits of a type are a parameter */
    bool uses_subgroups;          /* a shader of Vulkan or OpenGL with operations of subgroups */
    bool is_shader;               /* the file itself is a shader; its JSON is in a comment */
    const hed_tune_memory *files; /* (file_count) files that need not be on disk */
    uint32_t file_count;
    const char *entry;           /* entry point of a shader, by the caller; NULL: not given */
    const char *const *settings; /* (setting_count) NAME=VALUE of the caller */
    uint32_t setting_count;
    uint64_t settings_used; /* bit i: setting i is applied */
    const char *names;      /* names that settings may have, for messages */
    hed_spec_remedy *remedy; /* NULL: the text is read as it is */
} hed_spec_reader;

/* Name of the push constants as one argument. */
/* Tolerance of floats where the bits of a type are a parameter: ten roundings of f16. */
#define HED_SPEC_HALF_TOLERANCE 1e-2
#define HED_SPEC_PUSH "hed_push"

/* Properties of an argument that are known before the JSON is read. */
typedef struct hed_spec_given {
    const char *name;
    hed_argument_kind kind;
    hed_type type;
    hed_access access;
    double elements;                 /* number of elements of a buffer */
    const char *value;               /* value of a scalar, an expression */
    const hed_wgsl_binding *binding; /* buffer that it describes; NULL: a number */
    hed_compare compare;
} hed_spec_given;

/* Iterates over the members of an object. */
#define HED_SPEC_EACH(at, object) \
    for (hed_json_node at = hed_json_next(object, NULL); at.key; at = hed_json_next(object, at.key))

/* ---- errors, memory, files (reader.c) ---- */

/* True if no error has been recorded. */
bool hed_spec_fine(const hed_spec_reader *reader);
/* Allocates zeroed memory, aligned to 64 bytes, that lives as long as the spec. */
void *hed_spec_allocate(hed_spec_reader *reader, size_t size, hed_json_node node);
/* Makes space for one more element of a list that grows from NULL: returns the list or a longer
 * copy. NULL when memory runs out. */
void *hed_spec_grow(
    hed_spec_reader *reader, void *list, uint32_t count, size_t element, hed_json_node node);
/* Formats a text that lives as long as the spec; "" when memory runs out. */
const char *hed_spec_text(hed_spec_reader *reader, hed_json_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads a file: in the spec's folder, or if it is missing there and `folders_above` is 1, in the
 * parent folder. */
bool hed_spec_read_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, size_t limit, char **bytes, size_t *size);
/* Finds a file in memory by its name; NULL: not found. */
const hed_tune_memory *hed_spec_in_memory(const hed_spec_reader *reader, const char *file);
/* Returns the path that hed_spec_read_file() would read. */
const char *hed_spec_path(
    hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above);
/* Text of a number with a fraction as C has it, with the fewest digits that give the same number:
 * "0.5", "2.0", "1e-05". */
const char *hed_spec_fraction_text(hed_spec_reader *reader, hed_json_node node, double number);
/* Reads a file by its path. */
bool hed_spec_read_path(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **bytes, size_t *size);
/* Reads a text by its path, without byte order marks: some editors put one in front, and a joined
 * text has one of each file. */
bool hed_spec_read_text(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **text, size_t *size);

/* ---- names and expressions (scope.c) ---- */

/* True if the text is a valid name in C and in expressions. */
bool hed_spec_is_name(const char *text);

/* Sets the names available to a kernel's expressions, once its parameters and the spec's dimensions
 * are known. */
void hed_spec_set_scope(hed_spec_reader *reader, hed_spec_kernel *kernel);
/* Writes the values of a kernel's names, in the order of their slots. */
void hed_spec_values(const hed_spec_kernel *kernel, const hed_config *config,
    const hed_problem *problem, double *values);
/* Compiles an expression over a kernel's names, a string or a number. NULL after an error. */
hed_expression *hed_spec_expression(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node);
/* Allocator of the spec's memory, for expressions. */
hed_allocator hed_spec_allocator(hed_spec_reader *reader);
/* Compiles an expression over `names`; `allocator` NULL: the C library's. */
hed_expression *hed_spec_compile(hed_spec_reader *reader, const hed_allocator *allocator,
    const hed_expression_names *names, hed_json_node node, const char *text);
/* Compiles an expression over a kernel's names; `node` is its position for errors. */
hed_expression *hed_spec_expression_of(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node, const char *text);
/* Evaluates an expression over dimensions and device limits, without parameters. */
double hed_spec_number_of(hed_spec_reader *reader, hed_json_node node, const char *text);
/* Returns the maximum of a size over all values of the parameters in it; an error and 0 if there
 * are too many combinations. */
double hed_spec_largest(hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel,
    const hed_expression *size);
/* Evaluates an expression over a kernel's names for the parameters' default values. */
double hed_spec_usual_value(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, const hed_expression *expression);
/* True if an expression names a parameter. */
bool hed_spec_uses_parameters(const hed_spec_kernel *kernel, const hed_expression *expression);

/* Reads the metrics, and the objective that may name one (metrics.c). */
void hed_spec_read_metrics(hed_spec_reader *reader, hed_json_node root);

/* ---- texts (source.c) ---- */

/* Reads a kernel's text, with the files that it includes from its own folder and from `folders`
 * (ends with NULL; NULL: no folders) inserted. */
bool hed_spec_read_source(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, const char *const *folders, hed_source *source);
/* Replaces a text's #include lines by the files; `path` is the text's. */
void hed_spec_put_includes(hed_spec_reader *reader, hed_json_node node, const char *path,
    const char *const *folders, hed_language language, hed_source *source);
/* True if a comment of several lines is open after this line. */
bool hed_spec_in_comment(const char *line, size_t length, bool open);
/* Replaces local memory and vector literals of plain OpenCL C by the prelude's names. */
void hed_spec_use_words(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Blanks out the host code of a text in CUDA C (cuda_host.c). */
void hed_spec_drop_host_code(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* True if a file's name is that of a text in CUDA C, as .cu and .cu.hip. */
bool hed_spec_is_cuda_file(const char *file);

/* ---- descriptions (description.c) ---- */

/* Sets entry and name of a kernel: a name, or in CUDA C an expression that names one. */
void hed_spec_set_entry(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char *entry);
/* Reads options of the compiler, one per word; folders of -I are added to `folders` (2 *
 * HED_SPEC_FOLDERS + 1, ends with NULL), -D to the defines. */
void hed_spec_read_options(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char **folders);
/* Returns text that makes parameters (`texts`, one bit each) macros of their text: "" if there are
 * no such parameters. */
const char *hed_spec_define_texts(
    hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel, uint32_t texts);
/* Refuses a text in OpenCL C or CUDA C that defines a parameter itself, outside #if: no value of
 * the parameter would reach the kernel. */
void hed_spec_refuse_defined(hed_spec_reader *reader, hed_json_node node,
    const hed_spec_kernel *kernel, const hed_source *source);
/* Completes the description: geometry(), work(), and launch bounds if the group's sizes (NULL: not
 * plain) are parameters and numbers. */
void hed_spec_finish_kernel(
    hed_spec_reader *reader, hed_spec_kernel *kernel, const char *const group[3]);
/* True if a launch bound may contain the factor: a parameter's name, or a whole number. */
bool hed_spec_is_factor(const hed_spec_kernel *kernel, const char *text);
/* Adds macros to the defines: NAME_label, the number of each label of a parameter. */
void hed_spec_define_labels(hed_spec_reader *reader, hed_spec_kernel *kernel, hed_json_node node);

/* ---- remedies (remedy.c) ---- */

/* Adds values to a member of the comment with which the text will be read again: "source",
 * "include", "defines" or "kernel". */
void hed_spec_add_remedy(hed_spec_reader *reader, const char *member, const char *values);
/* Adds files, a list of JSON, that the text with this name is joined with. */
void hed_spec_add_source(
    hed_spec_reader *reader, hed_json_node node, const char *base, const char *files);
/* Returns the comment's object with the remedy's members; NULL: no memory. The caller frees it. */
char *hed_spec_remedy_json(const hed_spec_remedy *remedy, const char *json, size_t size);
/* Notes the comment with which the text was read. */
void hed_spec_note_remedy(hed_spec_reader *reader, hed_json_node node);
/* Adds the comment with which the text was read to an error. */
void hed_spec_name_remedy(const hed_spec_remedy *remedy, hed_error *error);
/* Adds a line to the notes of the tune file. */
void hed_spec_add_note(hed_spec_reader *reader, hed_json_node node, const char *text);

/* ---- shaders (shader.c): values from the text that the JSON omits ---- */

/* Returns the end of the WGSL's comment at `at`; `at`: another text follows. */
const char *hed_spec_skip_comment(const char *at);

/* Detects a shader by its file's extension. */
bool hed_spec_is_shader_file(const char *file, hed_language *language);
/* Reads the text into reader->shader and the kernel's source. `file` NULL: the file itself is the
 * shader; `entry` NULL: its only compute entry point; `folders` (ends with NULL) are searched for
 * files that GLSL includes. */
void hed_spec_read_shader(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    const char *file, const char *entry, const char *const *folders, hed_source *source);
/* Reads SPIR-V, or GLSL, into reader->shader (spirv.c). */
void hed_spec_read_module(hed_spec_reader *reader, hed_json_node node, const hed_kernel_def *kernel,
    hed_source *source, const char *entry);
/* Makes sizes of the group that are numbers of the text macros of it, and the text's width of
 * subgroups that of the device: writes the new text to `source` (glsl_group.c). */
void hed_spec_name_glsl_sizes(
    hed_spec_reader *reader, hed_json_node node, hed_source *source, hed_spec_sizes *sizes);
/* Joins a text in WGSL with the further files of the JSON's list and with the included files, and
 * replaces macros and placeholders by their values in `defines` (wgsl_text.c). */
void hed_spec_join_wgsl(hed_spec_reader *reader, hed_json_node node, hed_json_node files,
    hed_json_node defines, const char *path, hed_source *source);
/* Executes the lines of a preprocessor and replaces macros (wgsl_macros.c). */
void hed_spec_expand_wgsl(hed_spec_reader *reader, hed_json_node node, hed_json_node defines,
    const char *path, hed_source *source);
/* Writes words of WGSL of 2021 and of native wgpu as browsers take them (wgsl_dialect.c). */
void hed_spec_put_dialect(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Adds the parentheses around mixed operators that native programs omit and browsers require
 * (wgsl_operators.c). */
void hed_spec_put_parentheses(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Evaluates the condition of an #if: names without a value (NULL by `value_of`) are 0. False: it is
 * not understood (wgsl_macros.c). */
bool hed_spec_condition(const char *at, size_t size,
    const char *(*value_of)(void *user, const char *name, size_t length), void *user, bool *is_met);
/* Blanks out the branches of a text in GLSL that the description's macros close (glsl_passes.c). */
void hed_spec_drop_closed_branches(
    hed_spec_reader *reader, hed_json_node node, const hed_kernel_def *kernel, hed_source *source);
/* Returns a remedy for a text in GLSL whose program chooses a pass by a macro, by the compiler's
 * log; "": another fault (glsl_passes.c). */
const char *hed_spec_glsl_passes_hint(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, const char *text, const char *log);
/* Returns a remedy for a text in GLSL that declares a name of the compiler's log in branches alone:
 * the macros that open one of them; "": another fault. `open`: the text without its closed branches
 * (glsl_passes.c). */
const char *hed_spec_glsl_choice_hint(hed_spec_reader *reader, hed_json_node node,
    const hed_kernel_def *kernel, const char *text, const char *open, const char *log);
/* Names that a shader does not declare, as the members of a JSON object with guesses of their
 * values. */
typedef struct hed_spec_name_list {
    char text[1024];
    size_t used;
} hed_spec_name_list;
/* Adds a name. `value`: a type, or a number; NULL: guessed by the name's words. */
void hed_spec_list_name(
    hed_spec_name_list *list, const char *name, size_t length, const char *value);
/* True for a name in capitals, as programs write names of their own. */
bool hed_spec_is_in_capitals(const char *name, size_t length);
/* A word or a sign of a text in GLSL; size 0: the end. */
typedef struct hed_glsl_word {
    const char *at;
    size_t size;
} hed_glsl_word;
/* Reads the next word from `at` on, after blanks, comments and lines of the preprocessor
 * (glsl_names.c). */
hed_glsl_word hed_spec_glsl_next(const char *text, const char *at);
/* Rewrites a text for OpenGL as Vulkan has to have it; `only_clashes`: only if resources of two
 * kinds have one number. False: the text is unchanged (glsl_opengl.c). */
bool hed_spec_from_opengl(
    hed_spec_reader *reader, hed_json_node node, bool only_clashes, hed_source *source);
/* Returns a remedy for a text in GLSL with names that nothing declares; "": all are declared.
 * `open`: the text without its closed branches (glsl_names.c). */
const char *hed_spec_glsl_names_hint(hed_spec_reader *reader, hed_json_node node, const char *text,
    const char *open, const char *log);
/* Returns a type for a name that a text uses as one; NULL: it is no type (glsl_names.c). */
const char *hed_spec_glsl_type_guess(const char *text, hed_glsl_word name);
/* True if the word between these two is the name of a declaration, not a type or a word of GLSL
 * (glsl_names.c). */
bool hed_spec_glsl_names(hed_glsl_word before, hed_glsl_word next);
/* True if a text defines a name as a macro whatever its program chooses: outside of branches, or in
 * one that has an #else (glsl_names.c). */
bool hed_spec_glsl_defines(const char *text, hed_glsl_word name);
/* True if a text without its closed branches defines a name in a branch, or tests it
 * (glsl_names.c). */
bool hed_spec_glsl_may_have(const char *open, hed_glsl_word name);
/* True if a text declares a name, as a macro, type, function or variable (glsl_names.c). */
bool hed_spec_glsl_declares(const char *text, hed_glsl_word name);
/* True if a name is one that the compiler's log says a text lacks (glsl_names.c). */
bool hed_spec_glsl_lacks(const char *text, hed_glsl_word name, const char *log);
/* Inserts the texts after the first of a list after the lines `#version` and `#extension`, as lines
 * with #include (glsl_join.c). */
void hed_spec_put_glsl_texts(
    hed_spec_reader *reader, hed_json_node node, hed_json_node list, hed_source *source);
/* Enables extensions that drivers know without a line of the text (glsl_join.c). */
void hed_spec_put_extensions(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Makes 2f 2.0f, as some drivers take it (glsl_join.c). */
void hed_spec_complete_literals(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Makes global constants that begin with uniforms variables, as OpenGL's drivers take them
 * (glsl_join.c). */
void hed_spec_free_constants(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Defines names of ncnn, which its program defines before each text, and a group of a size
 * (glsl_join.c). */
void hed_spec_put_prelude(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Replaces placeholders of the program that writes the text, as [[NAME]], by their names
 * (glsl_join.c). */
void hed_spec_name_placeholders(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Returns the comment that joins a text in GLSL with the texts of its folder that declare its
 * names; "": not found (glsl_join.c). */
const char *hed_spec_glsl_join_hint(
    hed_spec_reader *reader, hed_json_node node, const char *text, const char *log);
/* Returns the comment that joins a text with the texts near it that declare its names. */
const char *hed_spec_join_hint(hed_spec_reader *reader, hed_json_node node, const char *path);
/* Returns a remedy for a text with a type that it does not declare; "": another fault. */
const char *hed_spec_wgsl_hint(
    hed_spec_reader *reader, hed_json_node node, const char *path, const char *message);
/* Compares a kernel's parameters with the overrides, and adds overrides that the JSON does not
 * name. */
void hed_spec_shader_parameters(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel);
/* True if a name of a shader is a parameter, which stays a name. `kernel`: hed_spec_kernel. */
bool hed_spec_shader_keeps(void *kernel, const char *name);
/* Returns size `index` of the group, an expression over the kernel's parameters. */
const char *hed_spec_shader_group(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, uint32_t index);
/* Adds the constraint that groups of `elements`, an expression, end where the invented problem
 * does, if they do so by default: a text without a guard writes beyond a row of it otherwise. A
 * size of the caller must be a power of two for it. */
void hed_spec_shader_cover(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel,
    uint32_t dimension, const char *elements);
/* Adds the constraint that group memory suffices. */
void hed_spec_shader_memory(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel);
/* Lists the arguments: storage buffers, then the numbers of uniforms. Returns their number. */
uint32_t hed_spec_shader_arguments(
    hed_spec_reader *reader, hed_json_node node, hed_spec_given given[HED_MAX_ARGUMENTS]);

/* ---- inventions: values that neither a shader nor its comment specifies (invent.c) ---- */

/* True if the name of a bool is a method, as TILED and USE_SHARED; others choose the result. */
bool hed_spec_is_switch(const char *name);
/* Finds the caller's setting of a name; false: not found. */
bool hed_spec_setting(hed_spec_reader *reader, const char *name, double *value);
/* Invents the sizes of the problem: n, or width, height and depth. */
void hed_spec_invent_problem(hed_spec_reader *reader, hed_json_node node);
/* Returns a plausible value of a number in a uniform, by its name. */
double hed_spec_invent_number(hed_spec_reader *reader, const hed_wgsl_member *member);
/* Returns the value of an override; items of a group and numbers of groups follow the default
 * size. */
double hed_spec_invent_override(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, const hed_wgsl_member *member);
/* Returns the number as an expression; a number of blocks or groups follows the group's size. */
const char *hed_spec_invent_value(
    hed_spec_reader *reader, hed_json_node node, const hed_wgsl_member *member);
/* Fills a buffer, texture or uniform with numbers of its types. */
void hed_spec_invent_content(
    hed_spec_reader *reader, hed_json_node list, hed_spec_given given, hed_tune_argument *argument);
/* Writes the note on everything invented, as the comment that would specify it. */
void hed_spec_note_inventions(hed_spec_reader *reader, hed_json_node root);

/* ---- contents of arguments (data.c) ---- */

/* Reads a file: npy by its extension, whose elements must be of `type`; else raw bytes. NULL after
 * an error. */
void *hed_spec_read_data(
    hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type, uint64_t *bytes);
/* Computes the bytes of `count` elements; false after an error: not a whole number, or more than a
 * buffer of the device may have. */
bool hed_spec_size(hed_spec_reader *reader, hed_json_node node, double count,
    uint32_t element_bytes, uint64_t *bytes);
/* Checks that a file has as many bytes as the argument; otherwise records an error. */
bool hed_spec_check_bytes(hed_spec_reader *reader, hed_json_node node, const char *file,
    uint64_t found, uint64_t expected);
/* Makes an argument with a content a symbol of the text (hed_argument_def.symbol). */
void hed_spec_make_symbol(hed_spec_reader *reader, hed_json_node node, hed_argument_def *def,
    const hed_tune_argument *argument);
/* Replaces the first content of an argument: by a file, or by "LOW:HIGH" for random numbers. */
void hed_spec_give(hed_spec_reader *reader, const char *name, const char *content);
/* Returns the default tolerance for results of a type: rounding differs between configurations that
 * sum in different orders; whole numbers do not round. */
static inline double hed_spec_tolerance(hed_type type)
{
    return type == HED_FLOAT ? 1e-4 : type == HED_DOUBLE ? 1e-9 : 0;
}
/* Writes a number as a scalar of a type, converted as in C; a number out of range is 0. */
void hed_spec_put_scalar(hed_type type, double value, void *to);
/* Converts a number to a scalar argument of a type: exactly, or an error and NULL. */
void *hed_spec_scalar(hed_spec_reader *reader, hed_json_node node, hed_type type, double value);

/* ---- the readers ---- */

void hed_spec_read_json(hed_spec_reader *reader, hed_json_node root); /* json.c */
/* arguments.c */
void hed_spec_read_arguments(hed_spec_reader *reader, hed_json_node root);
/* Reads the sizes of local arrays, over the names of a kernel. */
void hed_spec_read_local_sizes(
    hed_spec_reader *reader, hed_json_node list, hed_spec_kernel *kernel);
void hed_spec_read_t1(hed_spec_reader *reader, hed_json_node root); /* t1.c */

/* ---- T1 (t1_values.c) ---- */

/* True if a character may be part of a name or number. */
bool hed_t1_is_letter(char c);
/* Translates Python to the syntax of expressions: ProblemSize[0] becomes ProblemSize_0, and
 * max(name) of a parameter the maximum of its values, which is its meaning in a size. */
const char *hed_t1_rewrite(hed_spec_reader *reader, hed_json_node node, const char *text);
/* Returns a string or number as text, rewritten. */
const char *hed_t1_text(hed_spec_reader *reader, hed_json_node node);

/* Returns a member; missing if the file omits it or has null there. */
hed_json_node hed_t1_optional(hed_json_node object, const char *key);

/* Reads arguments and reference arguments of a KernelSpecification (t1_arguments.c). */
void hed_t1_read_arguments(hed_spec_reader *reader, hed_json_node specification);

/* ---- keys of the JSON format (tune_keys.c) ---- */

enum { HED_SPEC_SYMBOL = HED_LOCAL + 1 }; /* kind of argument, in addition to hed_argument_kind */

/* Values of an argument that do not depend on others. */
typedef struct hed_spec_argument {
    const char *name;
    uint32_t kind;
    hed_type type;
    hed_access access;
    hed_compare compare;
    double tolerance;
} hed_spec_argument;

/* Rule of an array's content. */
typedef struct hed_spec_rule {
    double pair[2];
    uint64_t seed;
} hed_spec_rule;

/* Indices of the rules of a parameter: hed_spec_parameter_fields.one_of. */
enum { HED_SPEC_RANGE, HED_SPEC_POWERS, HED_SPEC_CHOICES, HED_SPEC_TEXTS };

extern const hed_fields hed_spec_root_fields, hed_spec_parameter_fields, hed_spec_argument_fields,
    hed_spec_fill_fields, hed_spec_reference_fields, hed_spec_work_fields;
extern const hed_document hed_tune_file_document;
/* Words in the order of hed_language, and of hed_type. */
extern const char *const hed_spec_languages[], *const hed_spec_types[];

#endif
