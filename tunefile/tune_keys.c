/* Keys of Heddle's own tune files: one row for each. Checks, the JSON schema and the tables of
 * docs/tune-file.md are made from the rows. */
#include "tunefile/spec.h"

#include <float.h>

const char *const hed_spec_languages[] = {"opencl", "cuda", "wgsl", "glsl", "spirv", NULL};
const char *const hed_spec_types[] = {
    "bytes", "int", "uint", "long", "ulong", "float", "double", NULL};
static const char *const kinds[] = {"buffer", "scalar", "struct", "local", "symbol", NULL};
static const char *const accesses[] = {"read", "write", "read_write", NULL};
static const char *const compares[] = {"each", "sum", "sorted", NULL};
static const char *const maths[] = {"fast", "strict", NULL};

/* ---- arguments ---- */

#define OF(...) .with = "kind", .with_values = 0 __VA_ARGS__
#define BUFFER | 1 << HED_BUFFER
#define SCALAR | 1 << HED_SCALAR
#define STRUCT | 1 << HED_STRUCT
#define LOCAL | 1 << HED_LOCAL
#define SYMBOL | 1 << HED_SPEC_SYMBOL

static const hed_field argument_rows[] = {
    {"name", "name of the argument; of a symbol in CUDA C its C++ name, such as `shape::corners`",
        HED_AS_TEXT(hed_spec_argument, name), .required = true},
    {"kind",
        "`scalar` if there is a value, else `buffer`. `struct`: passed by value, at most 4096 bytes. "
        "`local`: array in local memory. `symbol`: `__constant__` or `__device__` variable of a "
        "text in CUDA C, whose place in the list is free",
        HED_AS_CHOICE(hed_spec_argument, kind, kinds)},
    {"type", "type of an element; a vector counts as several",
        HED_AS_CHOICE(hed_spec_argument, type, hed_spec_types), OF(BUFFER SCALAR LOCAL SYMBOL)},
    {"access", "`read` by default; the kernel finds the first content in a `read_write` one in every run",
        HED_AS_CHOICE(hed_spec_argument, access, accesses), OF(BUFFER)},
    {"size",
        "elements of a buffer, a symbol or a local array; a file has its own. Of a buffer that depends "
        "on parameters: the largest",
        HED_AS_OTHER("expression", NULL), OF(BUFFER LOCAL SYMBOL)},
    {"value",
        "scalars, and symbols of one number: of problem sizes, parameters and device limits; one "
        "that depends on parameters is set for each configuration",
        HED_AS_OTHER("expression", NULL), OF(SCALAR SYMBOL)},
    {"fill", "first content by a rule, the same on every machine", HED_AS_OTHER("content", NULL),
        OF(BUFFER SYMBOL)},
    {"file", "first content, or the bytes of a struct: `.npy`, else raw little-endian elements",
        .kind = HED_FIELD_TEXT, OF(BUFFER STRUCT SYMBOL)},
    {"expected", "right output: `.npy`, else raw little-endian elements", .kind = HED_FIELD_TEXT,
        OF(BUFFER)},
    {"compare",
        "`each` element by default; `sum`: the sums of all elements; `sorted`: the elements in "
        "ascending order. An output whose size depends on parameters needs one of the last two",
        HED_AS_CHOICE(hed_spec_argument, compare, compares), OF(BUFFER)},
    {"tolerance",
        "largest abs(found - expected) / max(1, abs(expected)); by default 1e-4 for float, 1e-9 for "
        "double, 0 for other types; strict mode compares bits",
        HED_AS_NUMBER(hed_spec_argument, tolerance, 0, DBL_MAX, NULL), OF(BUFFER)},
    {0}};
const hed_fields hed_spec_argument_fields = {
    "argument", "argument of the kernel", .rows = argument_rows};

/* Rules, in the order of hed_generator_kind. */
static const char *const rules[] = {"constant", "sequence", "uniform", "normal", "integers", NULL};
#define PAIR HED_AS_VECTOR(hed_spec_rule, pair, 2, -DBL_MAX, DBL_MAX, NULL)
static const hed_field fill_rows[] = {
    {"constant", "this number", HED_AS_NUMBER(hed_spec_rule, pair[0], -DBL_MAX, DBL_MAX, NULL)},
    {"sequence", "[first, step]", PAIR},
    {"uniform", "[low, high]: numbers between them, for float and double", PAIR},
    {"normal", "[mean, standard deviation], for float and double", PAIR},
    {"integers", "[low, high]: whole numbers, both ends included", PAIR},
    {"seed", "number of the random sequence", HED_AS_INTEGER(hed_spec_rule, seed, 0, INT64_MAX)},
    {0}};
const hed_fields hed_spec_fill_fields = {"fill",
    "rule of an array's content, the same on every machine", .rows = fill_rows, .one_of = rules};

/* ---- parameters and launch ---- */

static const char *const ways[] = {"range", "powers_of_two", "choices", "texts", NULL};
static const hed_field parameter_rows[] = {
    {"range", "[first, last] or [first, last, step]; the last is included",
        HED_AS_OTHER("integers", NULL)},
    {"powers_of_two", "[first, last]", HED_AS_OTHER("integers", NULL)},
    {"choices",
        "names, numbered from 0. The macro is the number, NAME_choice a macro of each number; in "
        "expressions names are quoted",
        HED_AS_OTHER("words", NULL)},
    {"texts", "texts that are in the kernel as they are, such as types; in expressions they are quoted",
        HED_AS_OTHER("words", NULL)},
    {0}};
const hed_fields hed_spec_parameter_fields = {"parameter",
    "values of a parameter, at most 65,535, by a rule", .rows = parameter_rows, .one_of = ways};

/* Rows of the kernel and of a reference kernel. */
#define LAUNCH_ROWS \
    {"source", "file, or files that are compiled as one text in this order", \
        HED_AS_OTHER("files", NULL)}, \
        {"language", \
            "language of the text; by default that of the last file's ending: `cuda` for .cu, .cuh " \
            "and .hip, `wgsl` for .wgsl, `glsl` for .comp, .glsl, .compute, .csh and .cs, `spirv` for .spv, else `opencl`", \
            .kind = HED_FIELD_CHOICE, .words = hed_spec_languages}, \
        {"group", "work items of a group (CUDA: threads of a block); required unless a shader has it", \
            HED_AS_OTHER("sizes", NULL)}, \
        {"global", \
            "work items of the launch, rounded up to whole groups; by default the problem's first " \
            "sizes", \
            HED_AS_OTHER("sizes", NULL)}, \
        {"groups", "the launch counted in groups (CUDA: blocks), instead of `global`", \
            HED_AS_OTHER("sizes", NULL)}, \
        {"max_threads", \
            "maximum work items of a group, for launch bounds: parameters and numbers with * between " \
            "them; in CUDA C the macro HED_MAX_THREADS. By default from `group` if that is simple", \
            HED_AS_OTHER("expression", NULL)}, \
        {"defines", "further macros of the text; in WGSL also names that the text does not declare, and its placeholders {NAME}, ${NAME}, {{NAME}} and $NAME$", HED_AS_OTHER("macros", NULL)}, \
        {"include", "folders that #include searches after that of the text", \
            HED_AS_OTHER("files", NULL)}, \
        {"options", \
            "options of the device's compiler, such as --maxrregcount=64; -DNAME=VALUE and -IFOLDER " \
            "too", \
            HED_AS_OTHER("files", NULL)}

static const hed_field reference_rows[] = {
    {"kernel", "entry point of the reference", HED_AS_OTHER("entry", NULL)}, LAUNCH_ROWS,
    {"parameters", "fixed values, instead of the parameters with their defaults",
        HED_AS_OTHER("constants", NULL)},
    {0}};
const hed_fields hed_spec_reference_fields = {"reference",
    "another kernel with the same arguments and problem; it has the keys of the whole that it lacks, "
    "except `max_threads`",
    .rows = reference_rows};

static const hed_field work_rows[] = {
    {"bytes", "each input read once, each output written once", HED_AS_OTHER("expression", NULL)},
    {"operations", "floating-point operations", HED_AS_OTHER("expression", NULL)}, {0}};
const hed_fields hed_spec_work_fields = {
    "work", "minimum work of a launch, for rates and the roofline", .rows = work_rows};

static const hed_field root_rows[] = {{"$schema", "for editors", .kind = HED_FIELD_TEXT},
    {"kernel",
        "entry point in the text; in CUDA C an expression that names one kernel, such as "
        "`scale<float, WG>`. Required unless a shader has one",
        HED_AS_OTHER("entry", NULL)},
    LAUNCH_ROWS,
    {"problem", "named sizes, at most 8, of which all else is made", HED_AS_OTHER("problem", NULL)},
    {"parameters", "what is tuned, at most 24: each is a macro of its name in the text",
        HED_AS_OTHER("parameters", NULL)},
    {"defaults",
        "configuration to start from and to compare with; a missing parameter starts at its first value",
        HED_AS_OTHER("configuration", NULL)},
    {"constraints", "expressions that must hold", HED_AS_OTHER("conditions", NULL)},
    {"conditions",
        "for parameters that matter only where an expression holds; elsewhere they keep their default",
        HED_AS_OTHER("expressions", NULL)},
    {"arguments", "arguments of the kernel in order; a shader has most of them",
        HED_AS_LIST(&hed_spec_argument_fields, 0, HED_MAX_ARGUMENTS, NULL)},
    {"reference",
        "reference for results without `expected`: `default`, the default configuration; `none`; or "
        "another kernel",
        HED_AS_OTHER("comparison", NULL)},
    {"work", "minimum work of a launch, for rates and the roofline", .kind = HED_FIELD_OBJECT,
        .fields = &hed_spec_work_fields},
    {"metrics",
        "quantities of a launch that the results show, at most 16: expressions that also have `time` (s), "
        "`energy` (J) and, from `work`, `operations` and `bytes`",
        HED_AS_OTHER("metrics", NULL)},
    {"objective",
        "what is minimized: `time` by default, `energy`, `time,energy` or `energy,time` (the first one, and "
        "the front of both is shown), or a metric of the time",
        .kind = HED_FIELD_TEXT},
    {"math", "`fast` by default; `strict`: the same bits in every configuration",
        HED_AS_CHOICE(hed_tune_file, math, maths)},
    {0}};
const hed_fields hed_spec_root_fields = {"", NULL, .rows = root_rows, .rule = "'required': ['source']"};

/* ---- the document ---- */

_Static_assert(HED_SPEC_VALUES == 65535 && HED_SPEC_FOLDERS == 255 && HED_MAX_PARAMETERS == 24 &&
                   HED_MAX_DIMENSIONS == 8,
    "the texts of this file name these limits");
#define NAMED "'propertyNames': {'pattern': '^[A-Za-z_][A-Za-z0-9_]*$'}"
static const hed_form forms[] = {
    {"entry", "text", "'type': 'string', 'pattern': '^[A-Za-z_:][^\\\\n;{}]*$'"},
    {"expression", "number or expression", "'type': ['string', 'number']"},
    {"sizes", "list of 1 to 3 expressions",
        "'type': 'array', 'minItems': 1, 'maxItems': 3, 'items': {'$ref': '#/$defs/expression'}"},
    {"files", "text, or list of texts",
        "'anyOf': [{'type': 'string'}, {'type': 'array', 'items': {'type': 'string'}}]"},
    {"words", "list of at most 65,535 texts",
        "'type': 'array', 'minItems': 1, 'maxItems': 65535, 'items': {'type': 'string'}"},
    {"integers", "2 or 3 whole numbers",
        "'type': 'array', 'minItems': 2, 'maxItems': 3, 'items': {'type': 'integer'}"},
    {"macros", "object of names with texts or numbers, such as `{\"RADIUS\": 2}`",
        "'type': 'object', " NAMED ", 'additionalProperties': {'type': ['string', 'number']}"},
    {"constants", "object of names with whole numbers",
        "'type': 'object', 'additionalProperties': {'type': 'integer'}"},
    {"problem", "object of names with whole numbers, such as `{\"width\": 4096}`",
        "'type': 'object', 'maxProperties': 8, " NAMED
        ", 'additionalProperties': {'type': 'integer', 'minimum': 1}"},
    {"parameters", "object of names, each with a list of at most 65,535 numbers or a `parameter`",
        "'type': 'object', 'maxProperties': 24, " NAMED
        ", 'additionalProperties': {'anyOf': [{'type': 'array', 'minItems': 1, 'maxItems': 65535, "
        "'items': {'type': 'number'}}, {'$ref': '#/$defs/parameter'}]}"},
    {"configuration", "object of names with numbers or texts",
        "'type': 'object', 'additionalProperties': {'type': ['number', 'string']}"},
    {"conditions", "list of expressions", "'type': 'array', 'items': {'type': 'string'}"},
    {"expressions", "object of names with expressions, such as `{\"PAD\": \"VARIANT == 'tiled'\"}`",
        "'type': 'object', 'additionalProperties': {'type': 'string'}"},
    {"metrics", "object of names with expressions, such as `{\"GB/s\": \"bytes / time / 1e9\"}`",
        "'type': 'object', 'maxProperties': 16, 'additionalProperties': {'type': 'string'}"},
    {"content", "`zeros`, or `fill`", "'anyOf': [{'enum': ['zeros']}, {'$ref': '#/$defs/fill'}]"},
    {"comparison", "`default`, `none`, or `reference`",
        "'anyOf': [{'enum': ['default', 'none']}, {'$ref': '#/$defs/reference'}]"},
    {0}};
static const hed_fields *const tables[] = {&hed_spec_root_fields, &hed_spec_parameter_fields,
    &hed_spec_argument_fields, &hed_spec_fill_fields, &hed_spec_reference_fields,
    &hed_spec_work_fields, NULL};
const hed_document hed_tune_file_document = {"Heddle tune file",
    "A kernel of a user's, its parameters, its launch and its arguments: heddle tune FILE. An "
    "expression is arithmetic as in C and Python over parameters, problem sizes and device limits "
    "(max_group, max_group_x, max_group_y, max_group_z, local_bytes, lane_width, compute_units, "
    "registers, cache_bytes, memory_bytes, architecture). A shader has most of the keys itself.",
    tables, forms};
