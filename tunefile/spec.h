/* What the two readers of tune files share: the object they fill, its memory, complaints with a
 * place, expressions, and the content of arguments. Functions that fail leave a complaint behind
 * (hed_json_fail) and give 0, NULL or false; a reader goes straight through and asks once, at its
 * end. */
#ifndef HED_TUNEFILE_SPEC_H
#define HED_TUNEFILE_SPEC_H

#include "tunefile/data.h"
#include "support/json.h"
#include "support/wgsl.h"
#include "heddle/author.h"
#include "heddle/tune_file.h"

enum {
    HED_SPEC_VALUES = 255,             /* of one parameter: what a space takes */
    HED_SPEC_LONGEST_SOURCE = 16 << 20 /* bytes of a kernel's text */
};

/* A kernel with the expressions that lay out its launch: the one that is tuned, or its
 * reference. */
typedef struct hed_spec_kernel {
    hed_kernel_def def;
    hed_parameter_def parameters[HED_MAX_PARAMETERS];
    uint32_t texts; /* a bit for each: its macro is its text, not its number */
    /* What expressions may name, in the order of their slots: parameters, dimensions, device
     * limits. */
    const char *names[HED_MAX_PARAMETERS + HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS];
    double constants[HED_DEVICE_CONSTANTS];
    hed_expression *group[3], *global[3];
    uint32_t dimensions; /* of the launch */
    bool counts_groups;  /* `global` counts groups, not work items */
    /* elements of local arrays, and of buffers whose size depends on parameters */
    hed_expression *local[HED_MAX_ARGUMENTS];
    uint32_t local_bytes[HED_MAX_ARGUMENTS]; /* of one element */
    hed_expression *bytes, *operations;      /* of hed_work; NULL: not known */
} hed_spec_kernel;

struct hed_tune_file {
    hed_arena arena;
    hed_json *json;                /* kept: names are its strings */
    struct hed_spec_bytes *files;  /* that were read */
    hed_spec_kernel kernel, other; /* `other`: the reference kernel, if `reference` says so */
    const char *dimensions[HED_MAX_DIMENSIONS];
    hed_problem problem;
    hed_argument_def argument_defs[HED_MAX_ARGUMENTS];
    hed_tune_argument arguments[HED_MAX_ARGUMENTS];
    hed_math math;
    hed_reference reference;
    uint32_t evaluations; /* T1's budget; 0: it has none */
    double limit_seconds; /* likewise */
    hed_json_node argument_list;
    /* elements of what the description has as a struct of bytes */
    hed_type symbol_types[HED_MAX_ARGUMENTS];
    /* what the file leaves open, and how it was taken; NULL: nothing */
    const char *note;
};

/* One load. */
typedef struct hed_spec_reader {
    hed_tune_file *spec;
    const char *path;
    const hed_device_info *device;
    hed_wgsl *shader;             /* the kernel's text where that is a shader, else NULL */
    bool is_shader;               /* the file itself is one; its JSON stands in a comment */
    const hed_tune_memory *files; /* (file_count) that need not be on disk */
    uint32_t file_count;
} hed_spec_reader;

/* What is known of an argument before the JSON is asked. */
typedef struct hed_spec_given {
    const char *name;
    hed_argument_kind kind;
    hed_type type;
    hed_access access;
    double elements;   /* of a buffer */
    const char *value; /* of a scalar, an expression; NULL: the JSON has to say */
} hed_spec_given;

/* Goes through the members of an object. */
#define HED_SPEC_EACH(at, object) \
    for (hed_json_node at = hed_json_next(object, NULL); at.key; at = hed_json_next(object, at.key))

/* ---- complaints and memory (spec.c) ---- */

/* Whether nothing was wrong so far. */
bool hed_spec_fine(const hed_spec_reader *reader);
/* Zeroed memory, aligned to 64 bytes, that lives as long as the spec. */
void *hed_spec_allocate(hed_spec_reader *reader, size_t size, hed_json_node node);
/* Text that lives as long as the spec; "" when memory runs out. */
const char *hed_spec_text(hed_spec_reader *reader, hed_json_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads a file: in the spec's folder, or if it is not there and `folders_above` is 1, in the one
 * above. */
bool hed_spec_read_file(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, size_t limit, char **bytes, size_t *size);
/* The file of that name that is in memory; NULL: none is. */
const hed_tune_memory *hed_spec_in_memory(const hed_spec_reader *reader, const char *file);
/* The path that hed_spec_read_file() would take. */
const char *hed_spec_path(
    hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above);
/* Reads a file by its path. */
bool hed_spec_read_path(hed_spec_reader *reader, hed_json_node node, const char *path, size_t limit,
    char **bytes, size_t *size);

/* ---- names and expressions ---- */

/* Whether C would take it as a name, and expressions too. */
bool hed_spec_is_name(const char *text);

/* Sets what expressions of a kernel may name, once its parameters and the spec's dimensions are
 * known. */
void hed_spec_set_scope(hed_spec_reader *reader, hed_spec_kernel *kernel);
/* An expression over a kernel's names: from a string or a number. NULL after a complaint. */
hed_expression *hed_spec_expression(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node);
/* Likewise from text that stands at a node. */
/* Compiles an expression over `names`; `allocator` NULL: the C library's. */
hed_expression *hed_spec_compile(hed_spec_reader *reader, const hed_allocator *allocator,
    const hed_expression_names *names, hed_json_node node, const char *text);
hed_expression *hed_spec_expression_of(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node, const char *text);
/* A number now: over dimensions and device limits, not over parameters. */
double hed_spec_number_of(hed_spec_reader *reader, hed_json_node node, const char *text);

/* ---- kernels ---- */

/* Likewise a kernel's text, with what it includes from beside it and from `folders` (ends with
 * NULL; NULL: none) in place. */
bool hed_spec_read_source(hed_spec_reader *reader, hed_json_node node, const char *file,
    int folders_above, const char *const *folders, hed_source *source);
/* Puts files in place of a text's #include lines; `path`: where the text is (source.c). */
void hed_spec_put_includes(hed_spec_reader *reader, hed_json_node node, const char *path,
    const char *const *folders, hed_source *source);
/* Puts local memory and vector literals of plain OpenCL C into the prelude's words (source.c). */
void hed_spec_use_words(hed_spec_reader *reader, hed_json_node node, hed_source *source);
/* Whether a file's name is that of a text in CUDA C: .cu, .cu.hip and such. */
bool hed_spec_is_cuda_file(const char *file);
/* Sets entry and name of a kernel: a name, or in CUDA C an expression that names one. */
void hed_spec_set_entry(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char *entry);
/* Words of the compiler, one option each; folders of -I go into `folders` (2 * HED_SPEC_VALUES + 1,
 * ends with NULL), -D into the defines. */
void hed_spec_read_options(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, const char **folders);
/* Text that makes parameters (`texts`, a bit for each) macros of their text: "" if there are
 * none. */
const char *hed_spec_define_texts(
    hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel, uint32_t texts);
/* Ends the description: geometry(), work(), and launch bounds where the group's sizes (NULL: not
 * plain) are parameters and numbers. */
void hed_spec_finish_kernel(
    hed_spec_reader *reader, hed_spec_kernel *kernel, const char *const group[3]);
/* Whether a launch bound may have it as a factor: a parameter's name, or a whole number. */
bool hed_spec_is_factor(const hed_spec_kernel *kernel, const char *text);
/* Adds macros to the defines: NAME_label, the number of each label of a parameter. */
void hed_spec_define_labels(hed_spec_reader *reader, hed_spec_kernel *kernel, hed_json_node node);

/* ---- shaders (shader.c): what the text says where the JSON says nothing ---- */

/* By a file's ending. */
bool hed_spec_is_shader_file(const char *file, hed_language *language);
/* Reads the text into reader->shader and `source`. `file` NULL: the file itself is the shader;
 * `entry` NULL: its only compute entry point. */
void hed_spec_read_shader(hed_spec_reader *reader, hed_json_node node, hed_language language,
    const char *file, const char *entry, hed_source *source);
/* Reads SPIR-V, or GLSL, into reader->shader (spirv.c). */
void hed_spec_read_module(hed_spec_reader *reader, hed_json_node node, hed_language language,
    const hed_source *source, const char *entry);
/* Compares a kernel's parameters with the overrides, and adds those that the JSON does not name. */
void hed_spec_shader_parameters(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel);
/* Size `index` of the group, an expression over the kernel's parameters. */
const char *hed_spec_shader_group(
    hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel, uint32_t index);
/* Adds the constraint that group memory suffices. */
void hed_spec_shader_memory(hed_spec_reader *reader, hed_json_node node, hed_spec_kernel *kernel);
/* The arguments: storage buffers, then the numbers of uniforms. Gives how many. */
uint32_t hed_spec_shader_arguments(
    hed_spec_reader *reader, hed_json_node node, hed_spec_given given[HED_MAX_ARGUMENTS]);

/* ---- contents of arguments (data.c) ---- */

/* The largest of a size over all values of the parameters it depends on; a complaint and 0 where
 * there are too many. */
double hed_spec_largest(hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel,
    const hed_expression *size);
/* Whether an expression names a parameter. */
bool hed_spec_uses_parameters(const hed_spec_kernel *kernel, const hed_expression *expression);
/* What a file holds: npy by its ending, whose elements have to be of `type`; else as it is. NULL
 * after a complaint.
 */
void *hed_spec_read_data(
    hed_spec_reader *reader, hed_json_node node, const char *file, hed_type type, uint64_t *bytes);
/* Bytes of `count` elements; false after a complaint: no whole number, or more than a buffer of the
 * device may have. */
bool hed_spec_size(hed_spec_reader *reader, hed_json_node node, double count,
    uint32_t element_bytes, uint64_t *bytes);
/* A complaint unless a file's bytes are as many as the argument's. */
bool hed_spec_check_bytes(hed_spec_reader *reader, hed_json_node node, const char *file,
    uint64_t found, uint64_t expected);
/* Makes an argument with a content a symbol of the text (hed_argument_def.symbol). */
void hed_spec_make_symbol(hed_spec_reader *reader, hed_json_node node, hed_argument_def *def,
    const hed_tune_argument *argument);
/* Gives an argument another first content: a file, or "LOW:HIGH" for random numbers. */
void hed_spec_give(hed_spec_reader *reader, const char *name, const char *content);
/* How far results of a type may be off unless the file says: rounding differs between
 * configurations that sum in different orders; whole numbers do not round. */
static inline double hed_spec_tolerance(hed_type type)
{
    return type == HED_FLOAT ? 1e-4 : type == HED_DOUBLE ? 1e-9 : 0;
}
/* One number as a scalar argument of a type: exact, or a complaint and NULL. */
void *hed_spec_scalar(hed_spec_reader *reader, hed_json_node node, hed_type type, double value);

/* ---- the readers ---- */

void hed_spec_read_json(hed_spec_reader *reader, hed_json_node root); /* json.c */
/* arguments.c */
void hed_spec_read_arguments(hed_spec_reader *reader, hed_json_node root);
/* The sizes of local arrays, by the names of a kernel. */
void hed_spec_read_local_sizes(
    hed_spec_reader *reader, hed_json_node list, hed_spec_kernel *kernel);
void hed_spec_read_t1(hed_spec_reader *reader, hed_json_node root); /* t1.c */

/* ---- T1 (t1.c) ---- */

/* Python that expressions do not have, put into their words: ProblemSize[0] becomes ProblemSize_0,
 * and max(name) of a parameter the largest of its values, which is what that is in a size. */
const char *hed_t1_rewrite(hed_spec_reader *reader, hed_json_node node, const char *text);
/* A string or number as text, rewritten. */
const char *hed_t1_text(hed_spec_reader *reader, hed_json_node node);

/* A member that may be missing or null, which is the same here: not there. */
hed_json_node hed_t1_optional(hed_json_node object, const char *key);

/* Arguments and reference arguments of a KernelSpecification (tune_spec_t1_arguments.c). */
void hed_t1_read_arguments(hed_spec_reader *reader, hed_json_node specification);

/* The keys that the JSON format knows at each place, each list ending with NULL: for the test of
 * the schema. */
typedef struct hed_spec_keys {
    const char *place; /* the schema's name of the place: "" for the whole, else of a definition */
    const char *const *keys;
} hed_spec_keys;
extern const hed_spec_keys hed_spec_json_keys[];     /* ends with NULL */
extern const hed_spec_keys hed_spec_argument_keys[]; /* likewise */

#endif
