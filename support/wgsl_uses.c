/* Use of buffers and group memory by the entry point of a text in WGSL, in its own body and in the
 * functions that it calls. A module often has several entry points, each with buffers of its own. A
 * local variable that has a buffer's name counts as that buffer. */
#include "support/wgsl_parse.h"

#include <stdio.h>
#include <stdlib.h>

/* True if a name is the target of a plain assignment at this position: name[...].member = value. */
static bool is_target(const struct hed_wgsl_parse *r, wgsl_token t)
{
    for (t = wgsl_token_after(r, t); t.size;) {
        uint32_t open = 0;
        if (wgsl_token_is(t, ".")) {
            t = wgsl_token_after(r, wgsl_token_after(r, t));
        } else if (wgsl_token_is(t, "[")) {
            do {
                open += wgsl_token_is(t, "[");
                open -= wgsl_token_is(t, "]");
                t = wgsl_token_after(r, t);
            } while (t.size && open);
        } else {
            return wgsl_token_is(t, "=");
        }
    }
    return false;
}

bool hed_wgsl_next_use(const struct hed_wgsl_parse *r, const char *name, wgsl_use *use)
{
    for (; use->function < r->function_count; use->function++, use->token = (wgsl_token){0}) {
        const wgsl_function *f = &r->functions[use->function];
        wgsl_token t = use->token;
        if (!f->reached) continue;
        use->before = t.size ? t : (wgsl_token){f->from, 0};
        t = t.size ? wgsl_token_after(r, t) : hed_wgsl_token(f->from, r->end);
        for (; t.size && t.at < f->to; use->before = t, t = wgsl_token_after(r, t)) {
            if (!wgsl_token_is(t, name)) continue;
            use->token = t;
            return true;
        }
    }
    return false;
}

/* Counts the occurrences of a name in the functions that are reached, and its occurrences as a
 * target. */
static void count_uses(
    const struct hed_wgsl_parse *r, const char *name, uint32_t *uses, uint32_t *targets)
{
    wgsl_use use = {0};
    *uses = *targets = 0;
    while (hed_wgsl_next_use(r, name, &use)) {
        if (wgsl_token_is(use.before, ".")) continue;
        ++*uses;
        *targets += is_target(r, use.token);
    }
}

static void reach_functions(struct hed_wgsl_parse *r)
{
    for (uint32_t i = 0; i < r->function_count; i++)
        r->functions[i].reached = strcmp(r->functions[i].name, r->out->entry) == 0;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < r->function_count; i++) {
            uint32_t uses = 0, targets;
            if (r->functions[i].reached) continue;
            count_uses(r, r->functions[i].name, &uses, &targets);
            r->functions[i].reached = uses > 0;
            has_changed = has_changed || uses > 0;
        }
    }
}

/* True if another binding has the same place: a module may declare both, an entry point uses one. */
static bool has_twin(const hed_wgsl *out, uint32_t index)
{
    const hed_wgsl_binding *binding = &out->bindings[index];
    for (uint32_t i = 0; i < out->binding_count; i++)
        if (i != index && out->bindings[i].group == binding->group &&
            out->bindings[i].binding == binding->binding)
            return true;
    return false;
}

static void drop_binding(hed_wgsl *out, uint32_t index)
{
    out->binding_count--;
    memmove(&out->bindings[index], &out->bindings[index + 1],
        (out->binding_count - index) * sizeof *out->bindings);
}

/* Writes the bytes of the arrays in group memory, as an expression. */
static void sum_group_memory(struct hed_wgsl_parse *r)
{
    char text[LONGEST_EXPRESSION] = "";
    size_t used = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < r->array_count && is_known; i++) {
        uint32_t uses = 1, targets;
        if (r->computes > 1) count_uses(r, r->arrays[i].name, &uses, &targets);
        if (!uses) continue;
        int length = r->arrays[i].bytes ? snprintf(text + used, sizeof text - used, "%s(%s)",
                                              used ? "+" : "", r->arrays[i].bytes)
                                        : -1;
        is_known = length > 0 && (size_t)length < sizeof text - used;
        used += is_known ? (size_t)length : 0;
    }
    r->out->group_bytes = is_known ? hed_wgsl_keep(r, text, used) : NULL;
}

/* Returns the name of a number, with its uniform's if another uniform has a number of this name. */
static const char *name_number(struct hed_wgsl_parse *r, uint32_t binding, const char *name)
{
    const hed_wgsl *out = r->out;
    bool is_double = false;
    for (uint32_t i = 0; i < out->binding_count; i++)
        for (uint32_t j = 0; i != binding && j < out->bindings[i].number_count; j++)
            is_double = is_double || (out->bindings[i].uniform &&
                                         strcmp(out->bindings[i].numbers[j].name, name) == 0);
    if (!is_double) return name;
    size_t size = strlen(out->bindings[binding].name) + strlen(name) + sizeof ".";
    char *text = hed_arena_new(&r->out->arena, size, 1, r->error);
    if (text) snprintf(text, size, "%s.%s", out->bindings[binding].name, name);
    return text ? text : name;
}

/* True if the text has a conversion to a whole number of this number alone: u32(params.count). */
static bool is_converted(
    const struct hed_wgsl_parse *r, const hed_wgsl_binding *binding, const char *name)
{
    wgsl_token before = {r->text, 0};
    for (wgsl_token t = hed_wgsl_token(r->text, r->end); t.size;
         before = t, t = wgsl_token_after(r, t)) {
        bool is_cast =
            (wgsl_token_is(before, "u32") || wgsl_token_is(before, "i32")) && wgsl_token_is(t, "(");
        if (!is_cast) continue;
        wgsl_token variable = wgsl_token_after(r, t), next = wgsl_token_after(r, variable);
        const char *left = name;
        if (!wgsl_token_is(variable, binding->name)) continue;
        if (wgsl_token_is(next, ")") && strcmp(name, binding->name) == 0) return true;
        for (next = wgsl_token_after(r, next); next.size && !strncmp(left, next.at, next.size);
             next = wgsl_token_after(r, next))
            left += next.size;
        if (!*left && wgsl_token_is(next, ")")) return true;
    }
    return false;
}

/* Lists the numbers of the uniforms that are used. */
static void list_members(struct hed_wgsl_parse *r)
{
    hed_wgsl *out = r->out;
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->binding_count; i++)
        if (out->bindings[i].uniform) count += out->bindings[i].number_count;
    out->members = hed_arena_new(&out->arena, count + 1, sizeof *out->members, r->error);
    for (uint32_t i = 0; i < out->binding_count && out->members; i++) {
        const hed_wgsl_binding *binding = &out->bindings[i];
        for (uint32_t j = 0; binding->uniform && j < binding->number_count; j++) {
            hed_wgsl_member *member = &out->members[out->member_count++];
            *member = binding->numbers[j];
            member->binding = i;
            member->is_cast = binding->plain && member->type == HED_WGSL_F32 &&
                              is_converted(r, binding, member->name);
            if (binding->plain) member->name = name_number(r, i, member->name);
        }
    }
}

/* Refuses a texture that the entry point uses and that no copy can fill. */
static void check_texture(struct hed_wgsl_parse *r, const hed_wgsl_binding *binding)
{
    bool is_texture =
        binding->resource == HED_WGSL_TEXTURE || binding->resource == HED_WGSL_STORAGE_TEXTURE;
    if (!is_texture || (binding->shape && binding->format)) return;
    hed_fail(r->error, HED_ERROR_UNSUPPORTED,
        "%s:%u: texture \"%s\" is multisampled, external or of a format that cannot be copied; "
        "expected a texture of 1, 2 or 3 dimensions or a cube",
        r->file, binding->line, binding->name);
}

/* ---- elements per item ---- */

static uint32_t factor_of_name(const struct hed_wgsl_parse *r, wgsl_token name);

/* Returns the first of the signs from `at` on, or the end of the text, which need not have a zero byte. */
static const char *find_sign(const struct hed_wgsl_parse *r, const char *at, const char *signs)
{
    while (at < r->end && !(*at && strchr(signs, *at))) at++;
    return at;
}

/* Returns a whole number; 0: the word begins with no digit. */
static uint32_t whole_number(wgsl_token t)
{
    uint32_t number = 0;
    for (size_t i = 0; i < t.size && i < 9 && isdigit((unsigned char)t.at[i]); i++)
        number = 10 * number + (uint32_t)(t.at[i] - '0');
    return number;
}

/* Returns the largest whole factor in an expression that ends before `end`, such as 2 in `2 * i + 1`; 1: no
 * factor. Sizes of the group do not count. */
static uint32_t factor_between(
    const struct hed_wgsl_parse *r, wgsl_token t, const char *end, bool with_names)
{
    enum { LARGEST = 16 };
    uint32_t factor = 1;
    wgsl_token before = {t.at, 0};
    for (; t.size && t.at < end; before = t, t = wgsl_token_after(r, t)) {
        wgsl_token next = wgsl_token_after(r, t);
        uint32_t number = 1;
        if (isdigit((unsigned char)*t.at) && (wgsl_token_is(before, "*") || wgsl_token_is(next, "*")))
            number = whole_number(t);
        else if (with_names && wgsl_is_name(t) && !wgsl_token_is(before, "."))
            number = factor_of_name(r, t);
        for (uint32_t i = 0; i < r->out->group_count; i++) {
            wgsl_token size = hed_wgsl_token(r->out->group[i].at, r->end);
            if (number == whole_number(size)) number = 1;
        }
        if (number > factor && number <= LARGEST) factor = number;
    }
    return factor;
}

/* Returns the factor in the value of a name: `let i = 2 * id.x;`. */
static uint32_t factor_of_name(const struct hed_wgsl_parse *r, wgsl_token name)
{
    wgsl_token before = {r->text, 0};
    for (wgsl_token t = hed_wgsl_token(r->text, r->end); t.size && t.at < name.at;
         before = t, t = wgsl_token_after(r, t)) {
        bool is_same = t.size == name.size && !memcmp(t.at, name.at, t.size);
        if (!is_same || !(wgsl_token_is(before, "let") || wgsl_token_is(before, "var"))) continue;
        return factor_between(r, t, find_sign(r, t.at, ";"), false);
    }
    return 1;
}

/* Finds the number of elements that an item uses of an array without a length. */
static uint32_t index_factor(const struct hed_wgsl_parse *r, const char *name)
{
    uint32_t factor = 1;
    for (wgsl_token t = hed_wgsl_token(r->text, r->end); t.size; t = wgsl_token_after(r, t)) {
        wgsl_token bracket = wgsl_token_after(r, t);
        if (!wgsl_token_is(t, name) || !wgsl_token_is(bracket, "[")) continue;
        const char *end = find_sign(r, bracket.at, "];");
        uint32_t larger = factor_between(r, wgsl_token_after(r, bracket), end, true);
        if (larger > factor) factor = larger;
    }
    return factor;
}

void hed_wgsl_find_uses(struct hed_wgsl_parse *r)
{
    hed_wgsl *out = r->out;
    reach_functions(r);
    for (uint32_t i = 0; i < out->binding_count;) {
        uint32_t uses, targets;
        count_uses(r, out->bindings[i].name, &uses, &targets);
        if (!out->bindings[i].resource)
            out->bindings[i].only_written = out->bindings[i].writable && uses && uses == targets;
        out->bindings[i].factor = index_factor(r, out->bindings[i].name);
        bool is_droppable = r->stages > 1 || out->bindings[i].resource || has_twin(out, i);
        if (!uses && is_droppable) drop_binding(out, i);
        else check_texture(r, &out->bindings[i++]);
    }
    list_members(r);
    sum_group_memory(r);
}
