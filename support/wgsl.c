/* Reads the declarations of a module in WGSL. Structs, aliases and constants may be used before
 * their declarations, so these are collected before anything is read. */
#include "support/wgsl_parse.h"

#include <stdio.h>

typedef struct hed_wgsl_parse reader;

/* Skips a body, or a parameter list. */
static void skip_brackets(reader *r, char open, char close)
{
    uint32_t depth = 0;
    wgsl_token from = r->token;
    do {
        if (r->token.size == 1) depth += *r->token.at == open;
        if (r->token.size == 1) depth -= *r->token.at == close;
        if (!r->token.size) hed_wgsl_reject(r, from, "expected the end of these brackets");
        hed_wgsl_advance(r);
    } while (depth && !hed_failed(r->error));
}

/* ---- declarations ---- */

static void read_struct(reader *r)
{
    wgsl_struct *s = hed_wgsl_find_struct(r, r->token);
    hed_wgsl_read_name(r, "a struct");
    if (!s || hed_failed(r->error)) return;
    if (s->members_read) skip_brackets(r, '{', '}');
    else hed_wgsl_read_members(r, s);
}

/* Reads an alias or a constant; its value was collected before, so only errors are found here. */
static void read_named(reader *r, bool alias)
{
    hed_wgsl_read_name(r, alias ? "a type" : "a constant");
    if (!alias && hed_wgsl_accept(r, ":")) hed_wgsl_read_type(r);
    hed_wgsl_expect(r, "=");
    if (alias) hed_wgsl_read_type(r);
    else hed_wgsl_read_expression(r, ";");
    hed_wgsl_expect(r, ";");
}

static void read_override(reader *r)
{
    hed_wgsl_override override = {.line = hed_wgsl_line(r, r->token.at), .type = HED_WGSL_F32};
    wgsl_token from = r->token;
    override.name = hed_wgsl_read_name(r, "an override");
    bool typed = hed_wgsl_accept(r, ":");
    if (typed) override.type = hed_wgsl_read_type(r).scalar;
    if (hed_wgsl_accept(r, "=")) override.value = hed_wgsl_read_expression(r, ";");
    hed_wgsl_expect(r, ";");
    override.plain = hed_wgsl_number(override.value, &override.number);
    if (!typed && override.value.size) {
        char last = override.value.at[override.value.size - 1];
        bool real = last == 'f' || memchr(override.value.at, '.', override.value.size);
        override.type = last == 'u' ? HED_WGSL_U32 : real ? HED_WGSL_F32 : HED_WGSL_I32;
    }
    if (r->out->override_count == HED_WGSL_MOST) hed_wgsl_reject(r, from, "expected at most 64 overrides");
    else r->out->overrides[r->out->override_count++] = override;
}

/* Lists the numbers of a binding's fixed part, and of an element of the array without a length. */
static void list_numbers(
    reader *r, hed_wgsl_binding *binding, const wgsl_type *type, const wgsl_type *element)
{
    wgsl_fields fixed = {0}, repeated = {0};
    bool is_open = !binding->bytes && element;
    if (type != element || !is_open) hed_wgsl_list_numbers(r, &fixed, binding->name, type, 0);
    if (is_open) hed_wgsl_list_numbers(r, &repeated, binding->name, element, 0);
    binding->numbers = fixed.at;
    binding->number_count = fixed.count;
    binding->element_numbers = repeated.at;
    binding->element_number_count = repeated.count;
}

/* Sets the elements of a storage buffer: of its array, which may be the last member of a struct, or
 * of the whole if all its numbers are of one kind. */
static void set_elements(reader *r, hed_wgsl_binding *binding, const wgsl_type *type)
{
    const wgsl_type *element = type->element ? type->element : type;
    const wgsl_struct *s = type->members;
    hed_wgsl_scalar kind = HED_WGSL_STRUCT;
    if (s && s->count && s->members[s->count - 1].type.element &&
        !s->members[s->count - 1].type.size) {
        element = s->members[s->count - 1].type.element;
        binding->header = s->members[s->count - 1].offset;
        binding->bytes = 0;
    }
    binding->stride = hed_wgsl_round(element->size, element->align);
    binding->element = element->scalars ? element->scalar : HED_WGSL_STRUCT;
    binding->per_element = element->scalars ? element->scalars : 1;
    if (element->scalars > 1)
        binding->per_element = binding->stride / 4; /* gaps between columns included */
    if (binding->header) binding->element = HED_WGSL_STRUCT;
    if (binding->element == HED_WGSL_STRUCT && binding->stride &&
        hed_wgsl_is_of_one_kind(binding->header ? type : element, &kind)) {
        binding->element = kind;
        binding->per_element = binding->stride / 4;
    }
    list_numbers(r, binding, type, element);
}

static void set_texture(hed_wgsl_binding *binding, const wgsl_type *type)
{
    binding->shape = type->shape;
    binding->sample = type->sample;
    binding->format = type->format;
    binding->access = type->access;
    binding->texel_bytes = binding->stride = type->size;
    binding->element = type->scalar;
    binding->per_element = type->scalar == HED_WGSL_STRUCT ? 1 : type->size / 4;
    binding->writable = type->access && strstr(type->access, "write");
    binding->only_written = type->access && !strcmp(type->access, "write");
}

static void add_binding(reader *r, const wgsl_attributes *attributes, hed_wgsl_binding binding,
    const wgsl_type *type, wgsl_token from)
{
    binding.group = attributes->group;
    binding.binding = attributes->binding;
    binding.line = hed_wgsl_line(r, from.at);
    binding.resource = type->resource;
    binding.plain = binding.uniform && hed_wgsl_is_plain(type);
    if (type->resource) {
        set_texture(&binding, type);
    } else {
        binding.bytes = type->size;
        set_elements(r, &binding, type);
    }
    if (!attributes->bound)
        hed_wgsl_reject(r, from, "expected @group and @binding in front of a buffer");
    if (r->out->binding_count == HED_MAX_ARGUMENTS)
        hed_wgsl_reject(r, from, "expected at most 32 bindings");
    if (!hed_failed(r->error)) r->out->bindings[r->out->binding_count++] = binding;
}

static void read_var(reader *r, const wgsl_attributes *attributes)
{
    hed_wgsl_binding binding = {0};
    bool storage = false, group = false;
    wgsl_token from = r->token;
    if (hed_wgsl_accept(r, "<")) {
        if (wgsl_token_is(r->token, "push_constant") || wgsl_token_is(r->token, "immediate"))
            hed_wgsl_reject_as(r, HED_ERROR_UNSUPPORTED, r->token,
                "expected an address space of browsers, such as `@group(1) @binding(0) var<uniform>`: push constants "
                "exist in native wgpu alone");
        storage = wgsl_token_is(r->token, "storage");
        binding.uniform = wgsl_token_is(r->token, "uniform");
        group = wgsl_token_is(r->token, "workgroup");
        hed_wgsl_advance(r);
        if (hed_wgsl_accept(r, ",")) {
            binding.writable = wgsl_token_is(r->token, "read_write") || wgsl_token_is(r->token, "write");
            hed_wgsl_advance(r);
        }
        hed_wgsl_expect(r, ">");
    }
    binding.name = r->variable = hed_wgsl_read_name(r, "a variable");
    wgsl_type type = {0};
    if (hed_wgsl_accept(r, ":")) type = hed_wgsl_read_type(r);
    if (hed_wgsl_accept(r, "=")) hed_wgsl_read_expression(r, ";");
    hed_wgsl_expect(r, ";");
    if (hed_failed(r->error)) return;
    if (storage || binding.uniform || type.resource)
        add_binding(r, attributes, binding, &type, from);
    else if (group && r->array_count == HED_WGSL_MOST)
        hed_wgsl_reject(r, r->token, "expected at most 64 variables in group memory");
    else if (group)
        r->arrays[r->array_count++] = (wgsl_array){binding.name, type.bytes, from.at, r->token.at};
}

static void read_function(reader *r, const wgsl_attributes *attributes)
{
    wgsl_token from = r->token;
    const char *name = hed_wgsl_read_name(r, "a function");
    const char *parameters = r->token.at;
    if (wgsl_token_is(r->token, "(")) skip_brackets(r, '(', ')');
    while (r->token.size && !wgsl_token_is(r->token, "{") && !wgsl_token_is(r->token, ";"))
        hed_wgsl_advance(r);
    const char *body = r->token.at;
    if (wgsl_token_is(r->token, "{")) skip_brackets(r, '{', '}');
    else hed_wgsl_reject(r, r->token, "expected the body of a function");
    if (r->function_count == MOST_FUNCTIONS)
        hed_wgsl_reject(r, from, "expected at most 256 functions");
    else
        r->functions[r->function_count++] =
            (wgsl_function){name, parameters, body, r->token.at, false};
    r->stages += attributes->stage;
    if (!attributes->compute) return;
    size_t used = strlen(r->entries_list);
    snprintf(r->entries_list + used, sizeof r->entries_list - used, "%s%s",
        r->computes++ ? ", " : "", name);
    if (r->entry_name && strcmp(r->entry_name, name) != 0) return;
    if (++r->entries > 1) return;
    r->out->entry = name;
    r->out->group_count = attributes->size_count;
    memcpy(r->out->group, attributes->size, sizeof r->out->group);
    if (!attributes->size_count)
        hed_wgsl_reject(r, from, "expected @workgroup_size at a compute entry point");
}

/* Reads `enable f16, subgroups;`, and skips other directives. */
static void read_directive(reader *r)
{
    bool enables = wgsl_token_is(r->token, "enable");
    for (; r->token.size && !hed_wgsl_accept(r, ";"); hed_wgsl_advance(r)) {
        if (enables && r->token.size > 5 && !memcmp(r->token.at, "wgpu_", 5))
            hed_wgsl_reject_as(r, HED_ERROR_UNSUPPORTED, r->token,
                "expected extensions of browsers (f16, subgroups): those named wgpu_ exist in native wgpu alone");
        r->out->halves = r->out->halves || (enables && wgsl_token_is(r->token, "f16"));
        r->out->sets_width =
            r->out->sets_width || (enables && wgsl_token_is(r->token, "subgroup_size_control"));
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
    if (r->struct_count == HED_WGSL_MOST) hed_wgsl_reject(r, name, "expected at most 64 structs");
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
    if (r->named_count == MOST_NAMED) hed_wgsl_reject(r, name, "expected at most 256 constants and aliases");
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
        hed_wgsl_read_attributes(r, &attributes);
        if (hed_failed(r->error) || hed_wgsl_accept(r, ";")) continue;
        if (hed_wgsl_accept(r, "struct")) read_struct(r);
        else if (hed_wgsl_accept(r, "alias")) read_named(r, true);
        else if (hed_wgsl_accept(r, "const")) read_named(r, false);
        else if (hed_wgsl_accept(r, "override")) read_override(r);
        else if (hed_wgsl_accept(r, "var")) read_var(r, &attributes);
        else if (hed_wgsl_accept(r, "fn")) read_function(r, &attributes);
        else if (wgsl_token_is(r->token, "enable") || wgsl_token_is(r->token, "requires") ||
                 wgsl_token_is(r->token, "diagnostic") || wgsl_token_is(r->token, "const_assert"))
            read_directive(r);
        else
            hed_wgsl_reject(r, r->token,
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
                entry ? "%s has no compute entry point called \"%s\"; expected one of: %s"
                      : "%s has no compute entry point: expected a function with @compute%.0s%.0s",
                name, entry ? entry : "", r->entries_list);
        if (!hed_failed(error) && object->parse->entries > 1)
            hed_fail(error, HED_ERROR_FORMAT,
                "%s: found %u compute entry points (%s); expected one. Add --entry NAME, or "
                "\"kernel\": \"NAME\" in a comment /* heddle {...} */",
                name, r->computes, r->entries_list);
        if (!hed_failed(error)) hed_wgsl_find_uses(r);
        if (!hed_failed(error)) hed_wgsl_find_race(r);
        if (!hed_failed(error)) hed_wgsl_find_group(r);
        if (!hed_failed(error)) hed_wgsl_find_strides(r);
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
