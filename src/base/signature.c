/* Compares the parameters in a kernel's text with its description: see signature.h. There is no
 * preprocessor here: a name is resolved by its only #define or typedef; any other construct leaves
 * the type unknown. */
#include "base/signature.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ALIASES = 8 /* aliases of aliases */ };

/* A range of a text. */
typedef struct piece {
    const char *begin;
    size_t length;
} piece;

/* Type of a parameter, as far as its words specify it. */
typedef struct parameter_type {
    bool is_known; /* the element's type is known; else only is_pointer is valid */
    bool is_pointer, is_local, is_float;
    uint32_t bytes, lanes; /* bytes of one lane; lanes of an element */
} parameter_type;

/* ---- tokens ---- */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Returns the position after a comment, a string or a character that begins here; `at` if there is
 * no such token. */
static const char *skip_quoted(const char *at, const char *end)
{
    if (end - at > 1 && at[0] == '/' && at[1] == '/') {
        while (at < end && *at != '\n') at++;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (at += 2; at < end && !(at[0] == '*' && end - at > 1 && at[1] == '/'); at++) {}
        at = end - at > 1 ? at + 2 : end;
    } else if (*at == '"' || *at == '\'') {
        char quote = *at++;
        while (at < end && *at != quote && *at != '\n') at += *at == '\\' && end - at > 1 ? 2 : 1;
        at += at < end;
    }
    return at;
}

/* Returns the next word or sign; length 0 at the end. A line of the preprocessor is one token. */
static piece next_token(const char *at, const char *end)
{
    while (at < end) {
        const char *after = isspace((unsigned char)*at) ? at + 1 : skip_quoted(at, end);
        if (after == at) break;
        at = after;
    }
    if (at == end) return (piece){end, 0};
    const char *begin = at;
    if (*at == '#')
        while (at < end && *at != '\n') at += *at == '\\' && end - at > 1 ? 2 : 1;
    else if (in_word(*at))
        while (at < end && in_word(*at)) at++;
    else at++;
    return (piece){begin, (size_t)(at - begin)};
}

static bool is_type_word(piece p, const char *word)
{
    return p.length == strlen(word) && memcmp(p.begin, word, p.length) == 0;
}

static bool is_same_word(piece a, piece b)
{
    return a.length == b.length && memcmp(a.begin, b.begin, a.length) == 0;
}

static bool is_listed(piece p, const char *const *words)
{
    while (*words && !is_type_word(p, *words)) words++;
    return *words;
}

/* Returns the text from `at`, after an opening bracket, to its closing bracket; length 0 if the
 * bracket is not closed. */
static piece within_brackets(const char *at, const char *end)
{
    const char *begin = at;
    int depth = 1;
    for (piece p = next_token(at, end); p.length; p = next_token(at, end)) {
        at = p.begin + p.length;
        depth += (*p.begin == '(') - (*p.begin == ')');
        if (depth == 0) return (piece){begin, (size_t)(p.begin - begin)};
    }
    return (piece){begin, 0};
}

/* ---- names of types ---- */

typedef struct base_type {
    const char *name;
    bool is_float;
    uint32_t bytes;
} base_type;

static const base_type base_types[] = {{"char", false, 1}, {"uchar", false, 1}, {"bool", false, 1},
    {"short", false, 2}, {"ushort", false, 2}, {"half", true, 2}, {"int", false, 4},
    {"uint", false, 4}, {"float", true, 4}, {"long", false, 8}, {"ulong", false, 8},
    {"double", true, 8}, {"longlong", false, 8}, {"ulonglong", false, 8}, {"int8_t", false, 1},
    {"uint8_t", false, 1}, {"int16_t", false, 2}, {"uint16_t", false, 2}, {"int32_t", false, 4},
    {"uint32_t", false, 4}, {"int64_t", false, 8}, {"uint64_t", false, 8}};

/* Reads the name of a scalar or vector type: "float", "float4". */
static bool read_base(piece word, parameter_type *type)
{
    for (size_t i = 0; i < HED_COUNT(base_types); i++) {
        const base_type *base = &base_types[i];
        size_t length = strlen(base->name), digits = word.length - length;
        if (word.length < length || memcmp(word.begin, base->name, length) != 0) continue;
        uint32_t lanes = 0;
        for (size_t d = 0; d < digits && digits < 3; d++) {
            char c = word.begin[length + d];
            lanes = c >= '0' && c <= '9' ? 10 * lanes + (uint32_t)(c - '0') : 100;
        }
        bool vector = (lanes >= 1 && lanes <= 4) || lanes == 8 || lanes == 16;
        if (digits && !vector) continue;
        type->is_known = true;
        type->is_float = base->is_float;
        type->bytes = base->bytes;
        type->lanes = digits ? lanes : 1;
        return true;
    }
    return false;
}

/* ---- aliases of types ---- */

/* Reads the value of `#define NAME VALUE` from the whole `line`; false if it defines another
 * name. */
static bool defines_name(piece line, piece name, piece *value)
{
    const char *end = line.begin + line.length;
    piece word = next_token(line.begin + 1, end);
    piece defined = next_token(word.begin + word.length, end);
    const char *after = defined.begin + defined.length;
    if (!is_type_word(word, "define") || defined.length != name.length ||
        memcmp(defined.begin, name.begin, name.length) != 0)
        return false;
    *value =
        after < end && *after == '(' ? (piece){after, 0} : (piece){after, (size_t)(end - after)};
    return true;
}

/* Reads the type in `typedef TYPE NAME;`, which begins at `at`; false if it defines another
 * name. */
static bool typedef_names(const char *at, const char *end, piece name, piece *value)
{
    const char *begin = at;
    piece last = {at, 0};
    for (piece p = next_token(at, end); p.length && *p.begin != ';'; p = next_token(at, end)) {
        if (*p.begin == '{' || *p.begin == '(' || *p.begin == '[' || *p.begin == '#') return false;
        last = p;
        at = p.begin + p.length;
    }
    *value = (piece){begin, (size_t)(last.begin - begin)};
    return last.length == name.length && memcmp(last.begin, name.begin, name.length) == 0;
}

/* Counts the definitions of a name; `value` is the last one. A definition of the build comes first
 * and is the only one counted. */
static uint32_t find_alias(const hed_signature *s, piece name, piece *value)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->define_count; i++)
        if (is_type_word(name, s->defines[i].name)) {
            *value = (piece){s->defines[i].value, strlen(s->defines[i].value)};
            return 1;
        }
    for (uint32_t i = 0; i < s->source_count; i++) {
        const char *at = s->sources[i].text;
        const char *end = at + (s->sources[i].size ? s->sources[i].size : strlen(at));
        if (!memmem(at, (size_t)(end - at), name.begin, name.length)) continue;
        for (piece p = next_token(at, end); p.length; p = next_token(at, end)) {
            piece match;
            at = p.begin + p.length;
            if ((*p.begin == '#' && defines_name(p, name, &match)) ||
                (is_type_word(p, "typedef") && typedef_names(at, end, name, &match))) {
                *value = match;
                count++;
            }
        }
    }
    return count;
}

/* ---- one parameter ---- */

static const char *const qualifiers[] = {"const", "volatile", "restrict", "__restrict__",
    "__restrict", "global", "__global", "constant", "__constant", "private", "__private",
    "__grid_constant__", "signed", "register", "generic", "__generic", NULL};
static const char *const locals[] = {"local", "__local", "__shared__", NULL};
static const char *const attributes[] = {"__attribute__", "__align__", "alignas", NULL};
static const char *const opaque[] = {"struct", "union", "enum", "class", "typename", NULL};

/* Words of a type so far. */
typedef struct type_words {
    parameter_type type;
    /* opaque: the next word is a type's name, whose definition is unknown */
    bool is_unsigned, is_opaque;
    uint32_t longs;
    bool has_base;
} type_words;

static void signature_words(const hed_signature *s, piece text, type_words *w, int depth);

static void signature_word(const hed_signature *s, piece p, type_words *w, int depth)
{
    piece value = {NULL, 0};
    parameter_type base = {0};
    bool is_base = !w->has_base && !w->is_opaque && read_base(p, &base);
    bool plain = is_base || w->has_base || w->is_opaque || w->longs || w->is_unsigned ||
                 is_type_word(p, "long") || is_type_word(p, "unsigned");
    uint32_t aliases = plain ? 0 : find_alias(s, p, &value);
    if (aliases == 1 && value.length && depth < MOST_ALIASES) {
        signature_words(s, value, w, depth + 1);
    } else if (aliases) {
        w->has_base = true;
        w->type.is_known = false;
    } else if (is_type_word(p, "long")) {
        w->longs++;
    } else if (is_type_word(p, "unsigned")) {
        w->is_unsigned = true;
    } else if (is_base) { /* "int", also in "long int" */
        w->has_base = true;
        w->type.is_known = true;
        w->type.is_float = base.is_float;
        w->type.bytes = base.bytes;
        w->type.lanes = base.lanes;
    } else if (!w->longs && !w->is_unsigned) { /* otherwise a parameter's name: "unsigned n" */
        w->has_base = true;
    }
}

static void signature_words(const hed_signature *s, piece text, type_words *w, int depth)
{
    const char *at = text.begin, *end = at + text.length;
    for (piece p = next_token(at, end); p.length && *p.begin != '='; p = next_token(at, end)) {
        at = p.begin + p.length;
        if (is_listed(p, attributes)) {
            piece open = next_token(at, end);
            piece inner = within_brackets(open.begin + open.length, end);
            at = inner.begin + inner.length + 1 < end ? inner.begin + inner.length + 1 : end;
        } else if (*p.begin == '*' || *p.begin == '[') {
            w->type.is_pointer = true;
            if (*p.begin == '[') break;
        } else if (is_listed(p, locals)) {
            w->type.is_local = true;
        } else if (is_listed(p, opaque)) {
            w->is_opaque = true;
        } else if (in_word(*p.begin) && !is_listed(p, qualifiers)) {
            signature_word(s, p, w, depth);
        } else if (!in_word(*p.begin)) {
            w->has_base = true; /* a template, a namespace, a reference */
            w->type.is_known = false;
            w->is_opaque = true;
        }
    }
}

static parameter_type signature_type(const hed_signature *s, const char *text, size_t length)
{
    type_words w = {0};
    piece whole = {text, length};
    piece first = next_token(text, text + length);
    if (is_type_word(first, "HED_LOCAL")) { /* HED_LOCAL(T, name) */
        const char *inner = memchr(text, '(', length), *end = inner ? text + length : NULL;
        const char *comma = inner ? memchr(inner, ',', (size_t)(end - inner)) : NULL;
        if (comma) whole = (piece){inner + 1, (size_t)(comma - inner - 1)};
        w.type.is_local = w.type.is_pointer = true;
    }
    signature_words(s, whole, &w, 0);
    bool plain = w.longs || w.is_unsigned;
    if (plain && !w.has_base) /* "unsigned", "long" */
        w.type.is_known = true, w.type.is_float = false, w.type.lanes = 1, w.type.bytes = 4;
    if (w.longs && w.type.is_known) w.type.bytes = 8;
    if (w.is_opaque) w.type.is_known = false;
    return w.type;
}

/* ---- the comparison ---- */

static const char *const type_names[HED_TYPE_COUNT] = {
    "bytes", "int32", "uint32", "int64", "uint64", "float", "double"};

static bool is_same_type(const parameter_type *type, hed_type of)
{
    uint32_t size = hed_type_size(of);
    bool is_float = of == HED_FLOAT || of == HED_DOUBLE;
    return of == HED_BYTES || (is_float == type->is_float &&
                                  (size == type->bytes || size == type->bytes * type->lanes));
}

/* True if the parameter's type is compatible with the description. */
static bool fits(
    const hed_argument_def *argument, hed_language language, const parameter_type *type)
{
    bool value = type->is_known && !type->is_pointer;
    uint32_t lanes = type->lanes == 3 ? 4 : type->lanes;
    switch (argument->kind) {
    case HED_SCALAR:
        return !type->is_pointer &&
               (!type->is_known || (type->lanes == 1 && is_same_type(type, argument->type)));
    case HED_STRUCT: return !type->is_pointer && (!value || lanes * type->bytes == argument->size);
    case HED_LOCAL: /* CUDA C: the array's offset in dynamic shared memory */
        if (language == HED_CUDA_C) return !type->is_pointer && (!value || type->bytes == 4);
        return !value;
    default: return !value; /* a buffer's words may be read as another type on purpose */
    }
}

hed_status hed_signature_compare(const hed_signature *signature, uint32_t argument,
    const char *type, size_t length, hed_error *error)
{
    static const char *const kinds[] = {"buffer of ", "", "struct of ", "local array of "};
    const hed_argument_def *described = &signature->def->arguments[argument];
    const parameter_type actual = signature_type(signature, type, length);
    char bytes[32];
    if (fits(described, signature->language, &actual)) return HED_OK;
    while (length && isspace((unsigned char)*type)) type++, length--;
    while (length && isspace((unsigned char)type[length - 1])) length--;
    snprintf(bytes, sizeof bytes, "%zu bytes", described->size);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: parameter %u of kernel \"%s\" is \"%.*s\" in its text, and argument \"%s\" is %s%s in its description; expected one type in both",
        signature->def->name, argument, signature->entry, (int)(length < 200 ? length : 200), type,
        described->name, kinds[described->kind],
        described->kind == HED_STRUCT ? bytes : type_names[described->type]);
}

/* ---- the text's list ---- */

/* Returns the name alone: "scale" of "ns::scale<float, WG>". */
static piece entry_name(const char *entry)
{
    const char *end = entry + strcspn(entry, "<"), *begin = entry;
    for (const char *at = entry; at < end; at++)
        if (*at == ':') begin = at + 1;
    while (begin < end && isspace((unsigned char)end[-1])) end--;
    return (piece){begin, (size_t)(end - begin)};
}

/* Finds the parameter list of the only kernel of this name; length 0 if there is no kernel, or more
 * than one. */
static piece find_list(const hed_signature *s)
{
    static const char *const kernels[] = {"__kernel", "kernel", "__global__", NULL};
    const piece name = entry_name(s->entry);
    piece list = {NULL, 0};
    for (uint32_t i = 0; i < s->source_count; i++) {
        const char *at = s->sources[i].text;
        const char *end = at + (s->sources[i].size ? s->sources[i].size : strlen(at));
        bool is_kernel = false;
        if (!memmem(at, (size_t)(end - at), name.begin, name.length)) continue;
        for (piece p = next_token(at, end); p.length; p = next_token(at, end)) {
            at = p.begin + p.length;
            if (is_listed(p, kernels)) is_kernel = true;
            if (strchr(";{}", *p.begin)) is_kernel = false;
            if (!is_kernel || p.length != name.length || memcmp(p.begin, name.begin, p.length))
                continue;
            piece open = next_token(at, end);
            if (!open.length || *open.begin != '(') continue;
            piece parameters = within_brackets(open.begin + 1, end);
            bool is_duplicate =
                list.begin && (parameters.length != list.length ||
                                  memcmp(parameters.begin, list.begin, parameters.length) != 0);
            if (is_duplicate || !parameters.length) return (piece){NULL, 0};
            list = parameters;
            is_kernel = false;
        }
    }
    return list;
}

/* Cuts the next parameter off the list; false at its end. */
static bool signature_next(const char **at, const char *end, piece *parameter)
{
    int depth = 0;
    const char *begin = *at;
    if (begin > end) return false;
    piece p = next_token(begin, end);
    for (; p.length; p = next_token(p.begin + p.length, end)) {
        depth += (strchr("([<", *p.begin) != NULL) - (strchr(")]>", *p.begin) != NULL);
        if (depth == 0 && *p.begin == ',') break;
    }
    *parameter = (piece){begin, (size_t)(p.begin - begin)};
    *at = p.begin + 1;
    return true;
}

/* True if a parameter is written out: a type and a name, no macro and no line of the
 * preprocessor. */
static bool is_written_out(piece parameter)
{
    const char *at = parameter.begin, *end = at + parameter.length;
    uint32_t words = 0;
    bool local = false;
    for (piece p = next_token(at, end); p.length; p = next_token(at, end)) {
        at = p.begin + p.length;
        piece after = next_token(at, end);
        if (*p.begin == '#') return false;
        if (is_listed(p, attributes)) continue;
        if (is_type_word(p, "HED_LOCAL")) local = true;
        else if (in_word(*p.begin) && !local && after.length && *after.begin == '(') return false;
        words += in_word(*p.begin) && !is_listed(p, qualifiers);
    }
    return words > 1;
}

/* Returns the index of the first argument from `index` on that is a parameter of the text. */
static uint32_t skip_symbols(const hed_signature *s, uint32_t index)
{
    while (s->language == HED_CUDA_C && index < s->def->argument_count &&
           s->def->arguments[index].symbol)
        index++;
    return index;
}

/* ---- lists of heddle/view.h ---- */

/* Parameters with each HED_VIEW_PARAMETERS(LIST) replaced by its rows. */
typedef struct expansion {
    const hed_signature *signature;
    bool has_rows;
    size_t used;
    char text[4096];
} expansion;

static bool expansion_add(expansion *to, const char *format, ...) HED_PRINTF(2, 3);
static bool expansion_add(expansion *to, const char *format, ...)
{
    size_t capacity = sizeof to->text - to->used;
    va_list values;
    va_start(values, format);
    int length = vsnprintf(to->text + to->used, capacity, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= capacity) return false;
    to->used += (size_t)length;
    return true;
}

/* Finds the macro with arguments of this name: the text from its parameters on; length 0 if no
 * source defines it. */
static piece find_macro(const hed_signature *s, piece name)
{
    for (uint32_t i = 0; i < s->source_count; i++) {
        const char *at = s->sources[i].text;
        const char *end = at + (s->sources[i].size ? s->sources[i].size : strlen(at));
        for (piece p = next_token(at, end), value; p.length; p = next_token(at, end)) {
            at = p.begin + p.length;
            if (*p.begin == '#' && defines_name(p, name, &value) && *value.begin == '(')
                return (piece){value.begin + 1, (size_t)(at - value.begin - 1)};
        }
    }
    return (piece){NULL, 0};
}

/* Adds the parameter of a row `KIND, type, name`. */
static bool expand_row(expansion *to, piece row)
{
    static const char *const values[] = {"VALUE", "STRUCT", NULL}, *const arrays[] = {"IN", "OUT",
                                                                       "INOUT", "SHARED_IN",
                                                                       "SHARED_OUT", "SHARED",
                                                                       "SCRATCH", NULL};
    const char *at = row.begin, *end = at + row.length;
    piece parts[3];
    for (int i = 0; i < 3; i++)
        if (!signature_next(&at, end, &parts[i])) return false;
    const piece kind = next_token(parts[0].begin, end), type = parts[1], name = parts[2];
    const char *format = is_listed(kind, arrays)       ? "%s__global %.*s *%.*s"
                         : is_listed(kind, values)     ? "%s%.*s %.*s"
                         : is_type_word(kind, "LOCAL") ? "%sHED_LOCAL(%.*s, %.*s)"
                                                       : NULL;
    if (!format) return false;
    to->has_rows = true;
    return expansion_add(to, format, to->used ? ", " : "", (int)type.length, type.begin,
        (int)name.length, name.begin);
}

/* Adds the rows of a list and of the lists within it; false if a list or a kind is unknown. */
static bool expand_view(expansion *to, piece name, int depth)
{
    const piece macro = find_macro(to->signature, name);
    const char *at = macro.begin, *end = at + macro.length;
    if (!macro.length || depth == MOST_ALIASES) return false;
    const piece first = next_token(at, end), comma = next_token(first.begin + first.length, end),
                next = next_token(comma.begin + comma.length, end),
                close = next_token(next.begin + next.length, end);
    at = close.begin + close.length;
    for (piece p = next_token(at, end); p.length; p = next_token(at, end)) {
        at = p.begin + p.length;
        if (*p.begin == '\\') continue;
        const piece open = next_token(at, end);
        if (!in_word(*p.begin) || !open.length || *open.begin != '(') return false;
        const piece inner = within_brackets(open.begin + 1, end);
        const bool is_row = is_same_word(p, first) || is_same_word(p, next);
        if (!(is_row ? expand_row(to, inner) : expand_view(to, p, depth + 1))) return false;
        at = inner.begin + inner.length + 1;
    }
    return true;
}

/* Returns the parameters of a kernel with the rows of its lists; the same parameters if they name
 * no list, or an unknown one. */
static piece expand_list(expansion *to, piece list)
{
    const char *at = list.begin, *end = at + list.length;
    piece parameter;
    while (list.length && signature_next(&at, end, &parameter)) {
        const char *close = parameter.begin + parameter.length;
        const piece word = next_token(parameter.begin, close),
                    open = next_token(word.begin + word.length, close),
                    name = next_token(open.begin + open.length, close);
        bool is_added = is_type_word(word, "HED_VIEW_PARAMETERS")
                            ? expand_view(to, name, 0)
                            : expansion_add(to, "%s%.*s", to->used ? ", " : "",
                                  (int)parameter.length, parameter.begin);
        if (!is_added) return list;
    }
    return to->has_rows ? (piece){to->text, to->used} : list;
}

/* Returns the number of parameters that the kernel has by its description. `count`: that of its
 * text. Dynamic shared memory in CUDA C is the last argument, and not a parameter. */
static uint32_t count_described(const hed_signature *signature, uint32_t count)
{
    const hed_kernel_def *def = signature->def;
    uint32_t described = 0;
    for (uint32_t i = skip_symbols(signature, 0); i < def->argument_count;
         i = skip_symbols(signature, i + 1))
        described++;
    bool is_shared = signature->language == HED_CUDA_C && described == count + 1 &&
                     def->arguments[def->argument_count - 1].kind == HED_LOCAL;
    return is_shared ? count : described;
}

/* Fails if a parameter does not end with the argument's name. */
static hed_status compare_name(
    const hed_signature *signature, uint32_t argument, piece parameter, hed_error *error)
{
    const char *name = signature->def->arguments[argument].name, *at = parameter.begin,
               *end = at + parameter.length;
    piece last = {at, 0};
    for (piece p = next_token(at, end); p.length; p = next_token(p.begin + p.length, end))
        if (in_word(*p.begin)) last = p;
    if (is_type_word(last, name)) return HED_OK;
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: parameter %u of kernel \"%s\" is \"%.*s\" in its list, and argument \"%s\" in its description; expected one name in both",
        signature->def->name, argument, signature->entry, (int)last.length, last.begin, name);
}

hed_status hed_signature_check(const hed_signature *signature, hed_error *error)
{
    expansion expanded = {.signature = signature};
    const piece list = expand_list(&expanded, find_list(signature));
    const char *end = list.begin + list.length, *at = list.begin;
    const hed_kernel_def *def = signature->def;
    piece parameter;
    uint32_t count = 0, index = skip_symbols(signature, 0);
    if (!list.length) return HED_OK;
    while (signature_next(&at, end, &parameter)) {
        if (!is_written_out(parameter)) return HED_OK;
        count++;
    }
    const uint32_t described = count_described(signature, count);
    if (count != described)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "kernel \"%s\" takes %u arguments in its text and %u in the description of %s",
            signature->entry, count, described, def->name);
    for (at = list.begin; signature_next(&at, end, &parameter);
         index = skip_symbols(signature, index + 1)) {
        hed_status status =
            hed_signature_compare(signature, index, parameter.begin, parameter.length, error);
        if (!status && list.begin == expanded.text)
            status = compare_name(signature, index, parameter, error);
        if (status) return status;
    }
    return HED_OK;
}
