/* Reads declarations of WGSL: types with their sizes and alignments ("Memory layout" of the
 * specification), and the declarations of a module. Structs, aliases and constants may be used
 * before their declarations, so these are collected before anything is read. */
#include "support/wgsl_parse.h"

#include <math.h>
#include <stdio.h>

#include "heddle/space.h"

typedef struct hed_wgsl_parse reader;

/* ---- words ---- */

static uint32_t line_of(const reader *r, const char *at)
{
    uint32_t line = 1;
    for (const char *c = r->text; c < at; c++) line += *c == '\n';
    return line;
}

static void reject_as(reader *r, hed_status status, wgsl_token t, const char *words)
{
    uint32_t column = 1;
    if (hed_failed(r->error)) return;
    for (const char *c = t.at; c > r->text && c[-1] != '\n'; c--) column++;
    hed_fail(r->error, status, "%s:%u:%u: %s, found \"%.*s\"", r->file, line_of(r, t.at), column,
        words, t.size ? (int)(t.size < 40 ? t.size : 40) : 15, t.size ? t.at : "the end of text");
}
static void reject(reader *r, wgsl_token t, const char *words)
{
    reject_as(r, HED_ERROR_FORMAT, t, words);
}

static void advance(reader *r) { r->token = wgsl_token_after(r, r->token); }

static bool accept(reader *r, const char *word)
{
    bool is_found = wgsl_token_is(r->token, word);
    if (is_found) advance(r);
    return is_found;
}

static void expect(reader *r, const char *word)
{
    char words[64];
    snprintf(words, sizeof words, "expected \"%s\"", word);
    if (!accept(r, word)) reject(r, r->token, words);
}

static const char *read_name(reader *r, const char *expected)
{
    char words[64];
    wgsl_token t = r->token;
    snprintf(words, sizeof words, "expected the name of %s", expected);
    if (!wgsl_is_name(t)) reject(r, t, words);
    if (hed_failed(r->error)) return "";
    advance(r);
    return hed_wgsl_keep(r, t.at, t.size);
}

/* Reads an expression up to one of `ends` outside of brackets; `ends` are single characters. */
static hed_wgsl_span read_expression(reader *r, const char *ends)
{
    const char *from = r->token.at, *to = from;
    uint32_t open = 0;
    while (r->token.size && !hed_failed(r->error)) {
        char c = r->token.size == 1 ? *r->token.at : 0;
        if (!open && c && strchr(ends, c)) break;
        /* the end of two templates at once */
        if (!open && strchr(ends, '>') && wgsl_token_is(r->token, ">>")) break;
        open += c == '(' || c == '[';
        if (c == ')' || c == ']') {
            if (!open) reject(r, r->token, "expected an expression");
            open--;
        }
        if (c == ';' || c == '{' || c == '}') reject(r, r->token, "expected an expression");
        to = r->token.at + r->token.size;
        advance(r);
    }
    if (!r->token.size) reject(r, r->token, "expected the end of an expression");
    if (to == from) reject(r, r->token, "expected an expression");
    return (hed_wgsl_span){from, (size_t)(to - from)};
}

/* Records that an expression contains an override, so that it is not constant. */
static bool meets_override(void *user, const char *name)
{
    (void)name;
    *(bool *)user = true;
    return false;
}

/* Evaluates an expression of numbers and constants; false: not constant, or not a number. */
static bool evaluate(const reader *r, hed_wgsl_span span, double *number)
{
    static const hed_expression_names no_names = {0};
    hed_expression *expression;
    hed_error ignored = {0};
    bool varies = false;
    if (hed_wgsl_number(span, number)) return true;
    const char *text = hed_wgsl_expression(r->out, span, meets_override, &varies);
    if (!text || varies || hed_expression_create(NULL, text, &no_names, &expression, &ignored))
        return false;
    *number = hed_expression_value(expression, NULL);
    hed_expression_destroy(expression);
    return isfinite(*number);
}

/* Reads a number in brackets, the argument of an attribute. */
static uint32_t read_index(reader *r, uint32_t low, uint32_t high)
{
    double number = 0;
    char words[64];
    wgsl_token from = r->token;
    expect(r, "(");
    hed_wgsl_span span = read_expression(r, ",)");
    accept(r, ",");
    expect(r, ")");
    snprintf(words, sizeof words, "expected a number from %u to %u", low, high);
    if (!hed_failed(r->error) &&
        (!evaluate(r, span, &number) || !(number >= low && number <= high)))
        reject(r, from, words);
    return hed_failed(r->error) ? low : (uint32_t)number;
}

/* ---- types ---- */

static uint32_t round_to(uint32_t value, uint32_t step)
{
    return (uint32_t)hed_round_up(value, step ? step : 1);
}

static void set_bytes(reader *r, wgsl_type *type)
{
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%u", type->size);
    type->bytes = hed_wgsl_keep(r, digits, (size_t)length);
}

static bool read_scalar(wgsl_token t, wgsl_type *type)
{
    static const struct {
        const char *name;
        hed_wgsl_scalar scalar;
        uint32_t size;
    } scalars[] = {{"u32", HED_WGSL_U32, 4}, {"i32", HED_WGSL_I32, 4}, {"f32", HED_WGSL_F32, 4},
        {"f16", HED_WGSL_F16, 2}, {"bool", HED_WGSL_BOOL, 4}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (wgsl_token_is(t, scalars[i].name)) {
            *type = (wgsl_type){.scalar = scalars[i].scalar,
                .scalars = 1,
                .size = scalars[i].size,
                .align = scalars[i].size};
            return true;
        }
    return false;
}

/* Reads a short name of a vector or matrix: vec3f and mat2x3h mean vec3<f32> and mat2x3<f16>. */
static bool read_short(wgsl_token t, uint32_t *columns, uint32_t *rows, char *scalar)
{
    bool vector = t.size >= 4 && !memcmp(t.at, "vec", 3) && strchr("234", t.at[3]),
         matrix = t.size >= 6 && !memcmp(t.at, "mat", 3) && strchr("234", t.at[3]) &&
                  t.at[4] == 'x' && strchr("234", t.at[5]);
    size_t used = matrix ? 6 : 4;
    if ((!vector && !matrix) || t.size > used + 1) return false;
    *columns = matrix ? (uint32_t)(t.at[3] - '0') : 1;
    *rows = (uint32_t)(t.at[matrix ? 5 : 3] - '0');
    *scalar = t.size > used ? t.at[used] : 0;
    return !*scalar || strchr("uifh", *scalar);
}

static wgsl_type read_type(reader *r);

/* Reads one > of a token that may have two characters: >> or >=. */
static void close_template(reader *r)
{
    if (r->token.size == 2 && *r->token.at == '>') r->token = (wgsl_token){r->token.at + 1, 1};
    else expect(r, ">");
}

static wgsl_type read_vector(reader *r, uint32_t columns, uint32_t rows, char scalar)
{
    wgsl_type of = {.scalar = HED_WGSL_F32, .scalars = 1, .size = 4, .align = 4};
    if (scalar == 'u') of.scalar = HED_WGSL_U32;
    if (scalar == 'i') of.scalar = HED_WGSL_I32;
    if (scalar == 'h') of.scalar = HED_WGSL_F16, of.size = of.align = 2;
    if (!scalar) {
        expect(r, "<");
        of = read_type(r);
        close_template(r);
    }
    uint32_t padded = rows == 3 ? 4 : rows;
    wgsl_type type = {.scalar = of.scalar,
        .scalars = columns * rows,
        .align = padded * of.size,
        .size = columns > 1 ? columns * padded * of.size : rows * of.size};
    set_bytes(r, &type);
    return type;
}

static wgsl_type read_array(reader *r)
{
    wgsl_type type = {0};
    double count = 0;
    expect(r, "<");
    wgsl_type *element = hed_arena_new(&r->out->arena, 1, sizeof *element, r->error);
    if (!element) return type;
    *element = read_type(r);
    bool counted = accept(r, ",") && !wgsl_token_is(r->token, ">");
    hed_wgsl_span size = counted ? read_expression(r, ",>") : (hed_wgsl_span){0};
    accept(r, ",");
    close_template(r);
    type = (wgsl_type){.scalar = element->scalar, .align = element->align, .element = element};
    uint32_t stride = round_to(element->size, element->align);
    if (counted && element->size && evaluate(r, size, &count) && count > 0 &&
        count * stride < 1e9) {
        type.size = (uint32_t)count * stride;
        set_bytes(r, &type);
    } else if (counted && element->bytes) {
        char element_text[32];
        snprintf(element_text, sizeof element_text, "%u", stride);
        const char *of = element->size ? element_text : element->bytes;
        size_t length = strlen(of) + size.size + sizeof "()*()";
        char *text = hed_arena_new(&r->out->arena, length, 1, r->error);
        if (text) snprintf(text, length, "(%s)*(%.*s)", of, (int)size.size, size.at);
        type.bytes = text;
    }
    return type;
}

static void read_members(reader *r, wgsl_struct *s);

static wgsl_struct *find_struct(const reader *r, wgsl_token t)
{
    for (uint32_t i = 0; i < r->struct_count; i++)
        if (wgsl_token_is(t, r->structs[i]->name)) return r->structs[i];
    return NULL;
}

/* Reads the name of a struct or an alias, which may be declared later. */
static wgsl_type read_named_type(reader *r, wgsl_token t)
{
    wgsl_struct *s = find_struct(r, t);
    const wgsl_named *alias = hed_wgsl_find_named(r, t);
    wgsl_type type = {0};
    wgsl_token after = r->token;
    if (s && s->members_read) return s->type;
    if (s && s->being_read) {
        reject(r, t, "expected a type that does not contain itself");
    } else if (s) {
        r->token = hed_wgsl_token(s->from, r->end);
        read_members(r, s);
        type = s->type;
    } else if (alias && alias->alias) {
        r->token = hed_wgsl_token(alias->value.at, r->end);
        type = read_type(r);
    } else {
        reject(r, t, "expected a type");
    }
    r->token = after;
    return type;
}

static void reject_texture(reader *r, wgsl_token t)
{
    char words[128];
    snprintf(words, sizeof words,
        "textures and samplers are no arguments of kernels yet: expected \"%.40s\" to be a buffer",
        r->variable ? r->variable : "this");
    reject_as(r, HED_ERROR_UNSUPPORTED, t, words);
}

static wgsl_type read_type(reader *r)
{
    wgsl_type type = {0};
    wgsl_token t = r->token;
    uint32_t columns, rows;
    char scalar;
    if (++r->depth > DEEPEST) reject(r, t, "expected types nested less deep");
    if (!hed_failed(r->error)) {
        if (!wgsl_is_name(t)) reject(r, t, "expected a type");
        advance(r);
        if (read_scalar(t, &type)) set_bytes(r, &type);
        else if (read_short(t, &columns, &rows, &scalar))
            type = read_vector(r, columns, rows, scalar);
        else if (wgsl_token_is(t, "array")) type = read_array(r);
        else if (wgsl_token_is(t, "atomic")) {
            expect(r, "<");
            type = read_type(r);
            close_template(r);
        } else if (t.size > 7 && (!memcmp(t.at, "texture", 7) || !memcmp(t.at, "sampler", 7)))
            reject_texture(r, t);
        else if (wgsl_token_is(t, "sampler")) reject_texture(r, t);
        else type = read_named_type(r, t);
    }
    r->depth--;
    return type;
}

/* ---- attributes ---- */

static void read_attribute(reader *r, wgsl_attributes *attributes)
{
    wgsl_token name = r->token;
    if (!wgsl_is_name(name)) reject(r, name, "expected an attribute");
    advance(r);
    if (wgsl_token_is(name, "compute")) {
        attributes->compute = true;
    } else if (wgsl_token_is(name, "group")) {
        attributes->group = read_index(r, 0, 1000);
        attributes->bound = true;
    } else if (wgsl_token_is(name, "binding")) {
        attributes->binding = read_index(r, 0, 1000);
        attributes->bound = true;
    } else if (wgsl_token_is(name, "align")) {
        attributes->align = read_index(r, 1, 1 << 20);
        if (attributes->align & (attributes->align - 1)) reject(r, name, "expected a power of two");
    } else if (wgsl_token_is(name, "size")) {
        attributes->bytes = read_index(r, 1, 1 << 30);
    } else if (wgsl_token_is(name, "workgroup_size")) {
        expect(r, "(");
        while (
            !hed_failed(r->error) && attributes->size_count < 3 && !wgsl_token_is(r->token, ")")) {
            attributes->size[attributes->size_count++] = read_expression(r, ",)");
            if (!accept(r, ",")) break;
        }
        expect(r, ")");
    } else if (wgsl_token_is(r->token, "(")) {
        advance(r);
        if (!wgsl_token_is(r->token, ")")) read_expression(r, ")");
        expect(r, ")");
    }
}

static void read_attributes(reader *r, wgsl_attributes *attributes)
{
    *attributes = (wgsl_attributes){0};
    while (!hed_failed(r->error) && accept(r, "@")) read_attribute(r, attributes);
}

/* Skips a body, or a parameter list. */
static void skip_brackets(reader *r, char open, char close)
{
    uint32_t depth = 0;
    wgsl_token from = r->token;
    do {
        if (r->token.size == 1) depth += *r->token.at == open;
        if (r->token.size == 1) depth -= *r->token.at == close;
        if (!r->token.size) reject(r, from, "expected the end of these brackets");
        advance(r);
    } while (depth && !hed_failed(r->error));
}

/* ---- declarations ---- */

static void read_member(reader *r, wgsl_struct *s)
{
    wgsl_attributes attributes;
    wgsl_token from = r->token;
    uint32_t index = s->count++;
    read_attributes(r, &attributes);
    s->members[index].name = read_name(r, "a member");
    expect(r, ":");
    wgsl_type type = s->members[index].type = read_type(r);
    if (hed_failed(r->error)) return;
    if (type.bytes && !type.size)
        reject_as(r, HED_ERROR_UNSUPPORTED, from, "expected an array with a constant length");
    if (attributes.bytes && attributes.bytes < type.size)
        reject(r, from, "expected a @size that the type fits in");
    uint32_t align = attributes.align ? attributes.align : type.align;
    s->members[index].offset = round_to(s->type.size, align);
    s->type.size = s->members[index].offset + (attributes.bytes ? attributes.bytes : type.size);
    if (align > s->type.align) s->type.align = align;
    if (s->type.size > 1 << 30) reject(r, from, "expected a struct of at most 1 GiB");
}

/* Reads the members from { to }. */
static void read_members(reader *r, wgsl_struct *s)
{
    s->being_read = true;
    expect(r, "{");
    while (!hed_failed(r->error) && !wgsl_token_is(r->token, "}")) {
        if (s->count == HED_WGSL_MOST) reject(r, r->token, "expected at most 64 members");
        else read_member(r, s);
        if (!accept(r, ",")) break;
    }
    expect(r, "}");
    s->type.size = round_to(s->type.size, s->type.align);
    set_bytes(r, &s->type);
    s->members_read = true;
}

static void read_struct(reader *r)
{
    wgsl_struct *s = find_struct(r, r->token);
    read_name(r, "a struct");
    if (!s || hed_failed(r->error)) return;
    if (s->members_read) skip_brackets(r, '{', '}');
    else read_members(r, s);
}

/* Reads an alias or a constant; its value was collected before, so only errors are found here. */
static void read_named(reader *r, bool alias)
{
    read_name(r, alias ? "a type" : "a constant");
    if (!alias && accept(r, ":")) read_type(r);
    expect(r, "=");
    if (alias) read_type(r);
    else read_expression(r, ";");
    expect(r, ";");
}

static void read_override(reader *r)
{
    hed_wgsl_override override = {.line = line_of(r, r->token.at), .type = HED_WGSL_F32};
    wgsl_token from = r->token;
    override.name = read_name(r, "an override");
    bool typed = accept(r, ":");
    if (typed) override.type = read_type(r).scalar;
    if (accept(r, "=")) override.value = read_expression(r, ";");
    expect(r, ";");
    override.plain = hed_wgsl_number(override.value, &override.number);
    if (!typed && override.value.size) {
        char last = override.value.at[override.value.size - 1];
        bool real = last == 'f' || memchr(override.value.at, '.', override.value.size);
        override.type = last == 'u' ? HED_WGSL_U32 : real ? HED_WGSL_F32 : HED_WGSL_I32;
    }
    if (r->out->override_count == HED_WGSL_MOST) reject(r, from, "expected at most 64 overrides");
    else r->out->overrides[r->out->override_count++] = override;
}

/* Adds the numbers of a uniform with their names: a struct's members, else the number itself. */
static void add_members(reader *r, const char *name, const wgsl_type *type, uint32_t offset)
{
    static const char places[] = "xyzw";
    hed_wgsl *out = r->out;
    if (type->members) {
        for (uint32_t i = 0; i < type->members->count; i++)
            add_members(r, type->members->members[i].name, &type->members->members[i].type,
                offset + type->members->members[i].offset);
        return;
    }
    if (!type->scalars || type->scalars > 4) {
        reject_as(r, HED_ERROR_UNSUPPORTED, r->token,
            "a uniform consists of numbers and vectors: expected no arrays and matrices in it");
        return;
    }
    for (uint32_t i = 0; i < type->scalars && !hed_failed(r->error); i++) {
        if (out->member_count == HED_WGSL_MOST) {
            reject(r, r->token, "expected at most 64 numbers in uniforms");
            return;
        }
        size_t length = strlen(name) + sizeof ".x";
        char *text = hed_arena_new(&out->arena, length, 1, r->error);
        if (!text) return;
        if (type->scalars == 1) snprintf(text, length, "%s", name);
        else snprintf(text, length, "%s.%c", name, places[i]);
        out->members[out->member_count++] = (hed_wgsl_member){.name = text,
            .type = type->scalar,
            .offset = offset + i * (type->scalar == HED_WGSL_F16 ? 2 : 4),
            .binding = out->binding_count};
    }
}

/* True if a type consists of one kind of numbers, all of 32 bits, whatever the gaps between
 * them. */
static bool is_of_one_kind(const wgsl_type *type, hed_wgsl_scalar *kind)
{
    const wgsl_struct *members = type->members;
    if (type->element) return is_of_one_kind(type->element, kind);
    if (!members && *kind == HED_WGSL_STRUCT) *kind = type->scalar;
    if (!members) return type->scalars && *kind == type->scalar && *kind != HED_WGSL_F16;
    for (uint32_t i = 0; i < members->count; i++)
        if (!is_of_one_kind(&members->members[i].type, kind)) return false;
    return members->count > 0;
}

static void add_binding(reader *r, const wgsl_attributes *attributes, hed_wgsl_binding binding,
    const wgsl_type *type, wgsl_token from)
{
    const wgsl_type *element = type->element ? type->element : type;
    binding.group = attributes->group;
    binding.binding = attributes->binding;
    binding.line = line_of(r, from.at);
    binding.bytes = type->size;
    binding.element = element->scalars ? element->scalar : HED_WGSL_STRUCT;
    binding.per_element = element->scalars ? element->scalars : 1;
    binding.stride = round_to(element->size, element->align);
    if (element->scalars == 3) binding.per_element = 4; /* including the gap after it */
    hed_wgsl_scalar kind = HED_WGSL_STRUCT;
    if (binding.element == HED_WGSL_STRUCT && binding.stride && is_of_one_kind(element, &kind)) {
        binding.element = kind;
        binding.per_element = binding.stride / 4;
    }
    if (!attributes->bound) reject(r, from, "expected @group and @binding in front of a buffer");
    if (r->out->binding_count == HED_MAX_ARGUMENTS) reject(r, from, "expected at most 32 bindings");
    if (binding.uniform) add_members(r, binding.name, type, 0);
    if (!hed_failed(r->error)) r->out->bindings[r->out->binding_count++] = binding;
}

static void read_var(reader *r, const wgsl_attributes *attributes)
{
    hed_wgsl_binding binding = {0};
    bool storage = false, group = false;
    wgsl_token from = r->token;
    if (accept(r, "<")) {
        storage = wgsl_token_is(r->token, "storage");
        binding.uniform = wgsl_token_is(r->token, "uniform");
        group = wgsl_token_is(r->token, "workgroup");
        advance(r);
        if (accept(r, ",")) {
            binding.writable = wgsl_token_is(r->token, "read_write") || wgsl_token_is(r->token, "write");
            advance(r);
        }
        expect(r, ">");
    }
    binding.name = r->variable = read_name(r, "a variable");
    wgsl_type type = {0};
    if (accept(r, ":")) type = read_type(r);
    if (accept(r, "=")) read_expression(r, ";");
    expect(r, ";");
    if (hed_failed(r->error)) return;
    if (storage || binding.uniform) add_binding(r, attributes, binding, &type, from);
    else if (group && r->array_count == HED_WGSL_MOST)
        reject(r, r->token, "expected at most 64 variables in group memory");
    else if (group) r->arrays[r->array_count++] = (wgsl_array){binding.name, type.bytes};
}

static void read_function(reader *r, const wgsl_attributes *attributes)
{
    wgsl_token from = r->token;
    const char *name = read_name(r, "a function");
    if (wgsl_token_is(r->token, "(")) skip_brackets(r, '(', ')');
    while (r->token.size && !wgsl_token_is(r->token, "{") && !wgsl_token_is(r->token, ";"))
        advance(r);
    const char *body = r->token.at;
    if (wgsl_token_is(r->token, "{")) skip_brackets(r, '{', '}');
    else reject(r, r->token, "expected the body of a function");
    if (r->function_count == MOST_FUNCTIONS) reject(r, from, "expected at most 256 functions");
    else r->functions[r->function_count++] = (wgsl_function){name, body, r->token.at, false};
    r->computes += attributes->compute;
    if (!attributes->compute || (r->entry_name && strcmp(r->entry_name, name) != 0)) return;
    if (++r->entries > 1 && !r->entry_name) {
        reject(r, from, "several compute entry points: expected \"kernel\" to name one");
        return;
    }
    r->out->entry = name;
    r->out->group_count = attributes->size_count;
    memcpy(r->out->group, attributes->size, sizeof r->out->group);
    if (!attributes->size_count)
        reject(r, from, "expected @workgroup_size at a compute entry point");
}

/* Reads `enable f16, subgroups;`, and skips other directives. */
static void read_directive(reader *r)
{
    bool enables = wgsl_token_is(r->token, "enable");
    for (; r->token.size && !accept(r, ";"); advance(r)) {
        r->out->halves = r->out->halves || (enables && wgsl_token_is(r->token, "f16"));
        r->out->subgroups = r->out->subgroups || (enables && wgsl_token_is(r->token, "subgroups"));
    }
}

/* ---- later declarations ---- */

static void collect_struct(reader *r, wgsl_token name)
{
    wgsl_struct *s = hed_arena_new(&r->out->arena, 1, sizeof *s, r->error);
    if (!s) return;
    s->name = hed_wgsl_keep(r, name.at, name.size);
    s->from = name.at + name.size;
    s->type = (wgsl_type){.scalar = HED_WGSL_STRUCT, .members = s};
    if (r->struct_count == HED_WGSL_MOST) reject(r, name, "expected at most 64 structs");
    else r->structs[r->struct_count++] = s;
}

static void collect_named(reader *r, wgsl_token name, bool alias)
{
    wgsl_token t = name;
    wgsl_named named = {.alias = alias, .name = hed_wgsl_keep(r, name.at, name.size)};
    while (t.size && !wgsl_token_is(t, "=") && !wgsl_token_is(t, ";")) t = wgsl_token_after(r, t);
    const char *from = t.at + t.size;
    while (t.size && !wgsl_token_is(t, ";")) t = wgsl_token_after(r, t);
    named.value = (hed_wgsl_span){from, t.at > from ? (size_t)(t.at - from) : 0};
    if (r->named_count == MOST_NAMED) reject(r, name, "expected at most 256 constants and aliases");
    else r->named[r->named_count++] = named;
}

/* Collects structs, aliases and constants outside of functions; errors in them are reported
 * later. */
static void collect(reader *r)
{
    uint32_t depth = 0;
    wgsl_token next;
    for (wgsl_token t = hed_wgsl_token(r->text, r->end); t.size && !hed_failed(r->error);
         t = next) {
        next = wgsl_token_after(r, t);
        depth += wgsl_token_is(t, "{");
        if (depth) depth -= wgsl_token_is(t, "}");
        if (depth || !wgsl_is_name(next)) continue;
        if (wgsl_token_is(t, "struct")) collect_struct(r, next);
        else if (wgsl_token_is(t, "alias")) collect_named(r, next, true);
        else if (wgsl_token_is(t, "const")) collect_named(r, next, false);
    }
}

/* ---- the module ---- */

static void read_module(reader *r)
{
    collect(r);
    r->token = hed_wgsl_token(r->text, r->end);
    while (r->token.size && !hed_failed(r->error)) {
        wgsl_attributes attributes;
        read_attributes(r, &attributes);
        if (hed_failed(r->error) || accept(r, ";")) continue;
        if (accept(r, "struct")) read_struct(r);
        else if (accept(r, "alias")) read_named(r, true);
        else if (accept(r, "const")) read_named(r, false);
        else if (accept(r, "override")) read_override(r);
        else if (accept(r, "var")) read_var(r, &attributes);
        else if (accept(r, "fn")) read_function(r, &attributes);
        else if (wgsl_token_is(r->token, "enable") || wgsl_token_is(r->token, "requires") ||
                 wgsl_token_is(r->token, "diagnostic") || wgsl_token_is(r->token, "const_assert"))
            read_directive(r);
        else
            reject(r, r->token,
                "expected a declaration (struct, alias, const, override, var, fn, enable)");
    }
}

/* ---- the object ---- */

hed_status hed_wgsl_read(const char *name, const char *text, size_t size, const char *entry,
    hed_wgsl **wgsl, hed_error *error)
{
    hed_error cause = {0};
    error = error ? error : &cause;
    if (hed_failed(error)) return error->status;
    *wgsl = NULL;
    hed_wgsl *object = hed_new(NULL, 1, sizeof *object, error);
    if (!object) return error->status;
    reader *r = object->parse = hed_arena_new(&object->arena, 1, sizeof *r, error);
    if (r) {
        *r = (reader){.file = name,
            .text = text,
            .end = text + size,
            .entry_name = entry,
            .out = object,
            .error = error};
        read_module(r);
        if (!hed_failed(error) && !object->entry)
            hed_fail(error, HED_ERROR_FORMAT,
                entry ? "%s has no compute entry point called \"%s\""
                      : "%s has no compute entry point: expected a function with @compute%.0s",
                name, entry ? entry : "");
        if (!hed_failed(error)) hed_wgsl_find_uses(r);
        r->error = NULL;
    }
    if (hed_failed(error)) hed_wgsl_free(object);
    else *wgsl = object;
    return error->status;
}

void hed_wgsl_free(hed_wgsl *wgsl)
{
    if (!wgsl) return;
    hed_arena_free(&wgsl->arena);
    hed_delete(NULL, wgsl, 1, sizeof *wgsl);
}
