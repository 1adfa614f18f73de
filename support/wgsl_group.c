/* Effect of the group's size on a shader's results. Items are independent of it ("free") if nothing
 * that the entry point reaches uses ids of the group, group memory or barriers, except in the sum
 * workgroup_id * SIZE + local_invocation_id of a component, which is global_invocation_id. A size
 * that the text has as a number becomes an override of the reader whose value is written into the
 * text: alone and in such sums for free items; else at the constant that it is named by, or at
 * every number equal to it, and in loops over group memory at its half, its double and the number
 * before it. The latter are guesses: the comparison of results decides. */
#include "support/wgsl_group.h"

#include <stdio.h>

static void list_tokens(group_reader *g)
{
    struct hed_wgsl_parse *r = g->r;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        for (wgsl_token t = hed_wgsl_token(r->text, r->end); t.size; t = wgsl_token_after(r, t)) {
            if (pass) g->tokens[count] = t;
            count++;
        }
        g->count = count;
        if (!pass)
            g->tokens = hed_arena_new(&r->out->arena, count + 1, sizeof *g->tokens, r->error);
        if (!g->tokens) return;
    }
}

uint32_t hed_wgsl_token_from(const group_reader *g, const char *at)
{
    uint32_t i = 0;
    while (i < g->count && g->tokens[i].at < at) i++;
    return i;
}

/* ---- built-in values ---- */

static void add_builtin(group_reader *g, wgsl_token kind, wgsl_token name, wgsl_token member)
{
    static const char *const names[] = {"global_invocation_id", "local_invocation_id",
        "local_invocation_index", "workgroup_id", "num_workgroups"};
    builtin_name *b = &g->builtins[g->builtin_count];
    if (g->builtin_count == MOST_BUILTINS) return;
    *b = (builtin_name){.value = OTHER_BUILTIN, .name = name, .member = member};
    for (int i = 0; i < OTHER_BUILTIN; i++)
        if (wgsl_token_is(kind, names[i])) b->value = (group_builtin)i;
    g->builtin_count++;
}

/* Reads @builtin(KIND) before the name at token `i`, after further attributes; size 0: not
 * found. */
static wgsl_token kind_before(const group_reader *g, uint32_t i)
{
    for (uint32_t back = 1; back <= i && back < 16; back++) {
        if (is_at(g, i - back, ",") || is_at(g, i - back, "{")) break;
        if (is_at(g, i - back, "builtin")) return token_at(g, i - back + 2);
    }
    return (wgsl_token){0};
}

static void list_builtins(group_reader *g, const wgsl_function *f)
{
    struct hed_wgsl_parse *r = g->r;
    for (uint32_t i = hed_wgsl_token_from(g, f->parameters);
         i < g->count && g->tokens[i].at < f->from; i++) {
        if (!is_at(g, i + 1, ":") || is_at(g, i, ":")) continue;
        wgsl_token kind = kind_before(g, i), name = token_at(g, i);
        if (kind.size) {
            add_builtin(g, kind, name, (wgsl_token){0});
            continue;
        }
        const wgsl_struct *s = hed_wgsl_find_struct(r, token_at(g, i + 2));
        uint32_t j = s ? hed_wgsl_token_from(g, s->from) : g->count;
        for (; j < g->count && !is_at(g, j, "}"); j++)
            if (is_at(g, j + 1, ":") && kind_before(g, j).size)
                add_builtin(g, kind_before(g, j), name, token_at(g, j));
    }
}

const builtin_name *hed_wgsl_builtin_at(const group_reader *g, uint32_t i, uint32_t *next)
{
    if (i && is_at(g, i - 1, ".")) return NULL;
    for (uint32_t k = 0; k < g->builtin_count; k++) {
        const builtin_name *b = &g->builtins[k];
        if (!same_token(b->name, token_at(g, i))) continue;
        *next = i + 1;
        if (!b->member.size) return b;
        if (!is_at(g, i + 1, ".") || !same_token(b->member, token_at(g, i + 2))) continue;
        *next = i + 3;
        return b;
    }
    return NULL;
}

uint32_t hed_wgsl_component_at(const group_reader *g, uint32_t i, uint32_t *next)
{
    static const char *const letters[] = {"x", "y", "z"}, *const digits[] = {"0", "1", "2"};
    for (uint32_t c = 0; c < 3; c++) {
        if (is_at(g, i, ".") && is_at(g, i + 1, letters[c])) {
            *next = i + 2;
            return c;
        }
        wgsl_token t = token_at(g, i + 1);
        if (is_at(g, i, "[") && t.size && *t.at == *digits[c] && (t.size == 1 || t.at[1] == 'u') &&
            is_at(g, i + 2, "]")) {
            *next = i + 3;
            return c;
        }
    }
    return 3;
}

/* ---- sums that are a global id ---- */

static bool is_number(wgsl_token t, uint32_t value)
{
    double number;
    return value && t.size && hed_wgsl_number(t, &number) && number == value;
}

/* Reads the size of dimension `c` at token `i`: 64, WG, u32(WG). Returns the token of the size, and
 * the token after it; `g->count`: not found. */
static uint32_t size_at(const group_reader *g, uint32_t i, uint32_t c, uint32_t *next)
{
    const hed_wgsl *out = g->r->out;
    bool is_cast =
        (is_at(g, i, "u32") || is_at(g, i, "i32")) && is_at(g, i + 1, "(") && is_at(g, i + 3, ")");
    uint32_t at = is_cast ? i + 2 : i;
    wgsl_token t = token_at(g, at);
    bool is_size = is_number(t, out->sizes[c]) ||
                   (c < out->group_count && wgsl_is_name(t) && same_token(t, out->group[c]));
    *next = is_cast ? i + 4 : i + 1;
    return is_size ? at : g->count;
}

/* Reads a component of workgroup_id * SIZE, or its reverse, in brackets or not, from token `i`. */
static bool product_at(const group_reader *g, uint32_t i, group_sum *product)
{
    uint32_t open = 0, next = 0, size = g->count, c;
    product->from = i;
    while (is_at(g, i, "(")) open++, i++;
    const builtin_name *b = hed_wgsl_builtin_at(g, i, &next);
    if (b && b->value == GROUP_ID) {
        c = hed_wgsl_component_at(g, next, &next);
        if (c == 3 || !is_at(g, next, "*")) return false;
        size = size_at(g, next + 1, c, &next);
    } else {
        for (c = 0; c < 3; c++) {
            uint32_t after, of;
            size = size_at(g, i, c, &after);
            if (size == g->count || !is_at(g, after, "*")) continue;
            b = hed_wgsl_builtin_at(g, after + 1, &of);
            if (b && b->value == GROUP_ID && hed_wgsl_component_at(g, of, &next) == c) break;
        }
    }
    if (c == 3 || size == g->count) return false;
    for (; open && is_at(g, next, ")"); next++) open--;
    product->to = next;
    product->size = size;
    product->dimension = c;
    return !open;
}

/* True if component `c` of local_invocation_id, or the index in a group of one dimension, is at
 * token `i`. */
static bool local_at(group_reader *g, uint32_t i, uint32_t c, uint32_t *next)
{
    const uint32_t *sizes = g->r->out->sizes;
    const builtin_name *b = hed_wgsl_builtin_at(g, i, next);
    if (b && b->value == LOCAL_ID) return hed_wgsl_component_at(g, *next, next) == c;
    if (!b || b->value != LOCAL_INDEX) return false;
    for (uint32_t k = 0; k < 3; k++)
        if (k != c && sizes[k] != 1) return false;
    for (uint32_t k = 0; k < 3; k++) g->is_fixed[k] = g->is_fixed[k] || k != c;
    return true;
}

static bool binds_tighter(const group_reader *g, uint32_t i, bool is_before)
{
    return is_at(g, i, "*") || is_at(g, i, "/") || is_at(g, i, "%") ||
           (is_before && is_at(g, i, "-"));
}

/* Finds the sums of the entry point's body. */
static void find_sums(group_reader *g)
{
    for (uint32_t i = g->from; i < g->to && g->sum_count < MOST_SUMS; i++) {
        group_sum sum;
        uint32_t after = 0;
        bool is_sum = false;
        if (!product_at(g, i, &sum)) continue;
        if (is_at(g, sum.to, "+") && local_at(g, sum.to + 1, sum.dimension, &after)) {
            sum.to = after;
            is_sum = true;
        } else if (i > g->from && is_at(g, i - 1, "+")) {
            for (uint32_t back = 2; back <= 6 && !is_sum && i >= g->from + back; back++) {
                is_sum = local_at(g, i - back, sum.dimension, &after) && after == i - 1;
                if (is_sum) sum.from = i - back;
            }
        }
        if (!is_sum || binds_tighter(g, sum.to, false) ||
            (sum.from && binds_tighter(g, sum.from - 1, true)))
            continue;
        g->sums[g->sum_count++] = sum;
        i = sum.to - 1;
    }
}

/* ---- all other uses ---- */

static void set_together(group_reader *g, uint32_t i)
{
    hed_wgsl *out = g->r->out;
    if (out->together) return;
    wgsl_token t = token_at(g, i);
    out->together = hed_wgsl_keep(g->r, t.at, t.size);
    out->together_line = hed_wgsl_line(g->r, t.at);
}

/* Takes a function that works on a group, an atomic result that is used, and group memory. */
static void take_word(group_reader *g, uint32_t i)
{
    const struct hed_wgsl_parse *r = g->r;
    wgsl_token t = token_at(g, i);
    bool is_call = is_at(g, i + 1, "(");
    if (is_call && (starts_with(t, "subgroup") || starts_with(t, "quad")))
        r->out->lacks_enable = !r->out->subgroups;
    if (is_call &&
        (wgsl_token_is(t, "workgroupBarrier") || wgsl_token_is(t, "storageBarrier") ||
            wgsl_token_is(t, "textureBarrier") || wgsl_token_is(t, "workgroupUniformLoad") ||
            starts_with(t, "subgroup") || starts_with(t, "quad")))
        set_together(g, i);
    if (is_call && starts_with(t, "atomic") && !wgsl_token_is(t, "atomicLoad") &&
        !wgsl_token_is(t, "atomicStore") && i && !is_at(g, i - 1, ";") && !is_at(g, i - 1, "{") &&
        !is_at(g, i - 1, "}"))
        r->out->is_unordered = true;
    for (uint32_t k = 0; k < r->array_count; k++)
        if (wgsl_token_is(t, r->arrays[k].name) && !(i && is_at(g, i - 1, "."))) set_together(g, i);
}

/* Takes a use of a built-in value that is in no sum. */
static void take_builtin(group_reader *g, const builtin_name *b, uint32_t i, uint32_t next)
{
    static const char places[] = "xyz";
    uint32_t after, c = hed_wgsl_component_at(g, next, &after);
    if (b->value == GLOBAL_ID || b->value == GROUP_ID) {
        bool *uses = b->value == GLOBAL_ID ? g->uses_global : g->uses_group;
        wgsl_token t = is_at(g, next, ".") ? token_at(g, next + 1) : (wgsl_token){0};
        if (c < 3) uses[c] = true;
        for (size_t k = 0; c == 3 && k < t.size; k++)
            if (memchr(places, t.at[k], 3)) uses[t.at[k] - 'x'] = true;
    }
    if (b->value == GLOBAL_ID) return;
    if (c < 3 && g->r->out->sizes[c] == 1 && b->value != OTHER_BUILTIN && b->value != LOCAL_INDEX)
        g->is_fixed[c] = true; /* the item's own id, or 0, while this size stays 1 */
    else set_together(g, i);
}

static void find_uses(group_reader *g)
{
    const struct hed_wgsl_parse *r = g->r;
    for (uint32_t f = 0; f < r->function_count; f++) {
        const wgsl_function *function = &r->functions[f];
        if (!function->reached) continue;
        bool is_entry = function->name == r->out->entry;
        uint32_t sum = 0;
        for (uint32_t i = hed_wgsl_token_from(g, function->from);
             i < g->count && g->tokens[i].at < function->to; i++) {
            uint32_t next;
            while (is_entry && sum < g->sum_count && g->sums[sum].from < i) sum++;
            if (is_entry && sum < g->sum_count && g->sums[sum].from == i) {
                g->uses_global[g->sums[sum].dimension] = true;
                i = g->sums[sum].to - 1;
                continue;
            }
            const builtin_name *b = is_entry ? hed_wgsl_builtin_at(g, i, &next) : NULL;
            if (b) take_builtin(g, b, i, next);
            else take_word(g, i);
        }
    }
}

/* ---- the text's places of a size ---- */

static void add_edit(group_reader *g, wgsl_token t, hed_wgsl_edit edit)
{
    hed_wgsl *out = g->r->out;
    size_t at = (size_t)(t.at - g->r->text);
    uint32_t place = 0;
    char last = t.size > 1 ? t.at[t.size - 1] : 0;
    while (place < out->edit_count && out->edits[place].at < at) place++;
    if (out->edit_count == HED_WGSL_EDITS ||
        (place < out->edit_count && out->edits[place].at == at))
        return;
    memmove(
        &out->edits[place + 1], &out->edits[place], (out->edit_count - place) * sizeof *out->edits);
    edit.at = at;
    edit.size = t.size;
    edit.line = hed_wgsl_line(g->r, t.at);
    edit.suffix = !wgsl_is_name(t) && (last == 'u' || last == 'i') ? last : 0;
    out->edits[place] = edit;
    out->edit_count++;
}

static bool is_taken(const group_reader *g, const char *name)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (wgsl_token_is(g->tokens[i], name)) return true;
    return false;
}

/* Adds the override of a size; `value` has its number. */
static const char *add_override(
    group_reader *g, const char *name, hed_wgsl_span value, uint32_t number)
{
    hed_wgsl *out = g->r->out;
    for (uint32_t i = 0; i < out->override_count; i++)
        if (strcmp(out->overrides[i].name, name) == 0) return name;
    if (out->override_count == HED_WGSL_MOST) return NULL;
    out->overrides[out->override_count++] = (hed_wgsl_override){.name = name,
        .type = HED_WGSL_U32,
        .value = value,
        .plain = true,
        .number = number,
        .line = hed_wgsl_line(g->r, value.at),
        .is_text = true};
    return name;
}

const wgsl_named *hed_wgsl_constant_of(const group_reader *g, uint32_t c)
{
    const hed_wgsl *out = g->r->out;
    wgsl_token t = hed_wgsl_token(out->group[c].at, out->group[c].at + out->group[c].size);
    const wgsl_named *named = t.size == out->group[c].size ? hed_wgsl_find_named(g->r, t) : NULL;
    return named && !named->alias ? named : NULL;
}

/* Replaces the number at token `i` if it is the half, the double or one less than the size of a
 * group of one dimension, where loops over group memory have such numbers: `var s = 128u;`, `if (l
 * < 128u)`, `part[l + 128u]`, `part[255u]`, `workgroup_id.x * 512u` and the length of an array. */
static void edit_derived(group_reader *g, uint32_t i, const char *name, bool is_array)
{
    enum { SMALLEST = 8 };
    const uint32_t *sizes = g->r->out->sizes, size = sizes[0];
    wgsl_token t = token_at(g, i);
    if (!name || !i || size < SMALLEST || sizes[1] != 1 || sizes[2] != 1) return;
    bool is_start = is_at(g, i - 1, "=") && is_at(g, i + 1, ";"),
         is_compared = is_at(g, i - 1, "<") || is_at(g, i - 1, ">="),
         is_index = is_at(g, i + 1, "]");
    if (is_number(t, size / 2) && size % 2 == 0 && !is_array &&
        (is_start || is_compared || (is_index && is_at(g, i - 1, "+"))))
        add_edit(g, t, (hed_wgsl_edit){.factors = {name}, .is_half = true});
    if (is_number(t, size * 2) && (is_array || is_compared || is_at(g, i - 1, "*")))
        add_edit(g, t, (hed_wgsl_edit){.factors = {name}, .is_double = true});
    if (is_number(t, size - 1) && !is_array &&
        (is_at(g, i - 1, "==") || (is_index && is_at(g, i - 1, "["))))
        add_edit(g, t, (hed_wgsl_edit){.factors = {name}, .is_less_one = true});
}

/* Replaces every number equal to a size, or to the product of two, in reached code: the
 * group's memory, the bodies, and constants. */
static void edit_equal(group_reader *g, const char *const names[3])
{
    const struct hed_wgsl_parse *r = g->r;
    const uint32_t *sizes = r->out->sizes;
    uint32_t depth = 0;
    bool is_constant = false;
    for (uint32_t i = 0; i < g->count; i++) {
        wgsl_token t = g->tokens[i];
        depth += wgsl_token_is(t, "{");
        if (depth) depth -= wgsl_token_is(t, "}");
        if (!depth && wgsl_token_is(t, "const")) is_constant = true;
        if (wgsl_token_is(t, ";")) is_constant = false;
        bool is_inside = !depth && is_constant, is_array = false;
        for (uint32_t k = 0; k < r->function_count && !is_inside; k++)
            is_inside = r->functions[k].reached && t.at >= r->functions[k].from &&
                        t.at < r->functions[k].to;
        for (uint32_t k = 0; k < r->array_count && !is_inside; k++)
            is_array = is_inside = t.at >= r->arrays[k].from && t.at < r->arrays[k].to;
        if (!is_inside) continue;
        for (uint32_t c = 0; c < 3; c++)
            if (names[c] && sizes[c] > 1 && is_number(t, sizes[c]))
                add_edit(g, t, (hed_wgsl_edit){.factors = {names[c]}});
        if (names[0] && names[1] && sizes[1] > 1 && is_number(t, sizes[0] * sizes[1]))
            add_edit(g, t, (hed_wgsl_edit){.factors = {names[0], names[1]}});
        edit_derived(g, i, names[0], is_array);
    }
}

/* Chooses the parameter of size `c`, and its places. */
static const char *choose_parameter(group_reader *g, uint32_t c)
{
    static const char *const usual_names[] = {"WG_X", "WG_Y", "WG_Z"}, *const reserve_names[] = {"HED_WG_X",
                                                                   "HED_WG_Y", "HED_WG_Z"};
    hed_wgsl *out = g->r->out;
    const wgsl_named *constant = out->together ? hed_wgsl_constant_of(g, c) : NULL;
    const char *name = is_taken(g, usual_names[c]) ? reserve_names[c] : usual_names[c];
    if (constant) {
        wgsl_token value = hed_wgsl_token(constant->value.at, g->r->end);
        value.size = constant->value.size - (size_t)(value.at - constant->value.at);
        while (value.size && isspace((unsigned char)value.at[value.size - 1])) value.size--;
        name = add_override(g, constant->name, value, out->sizes[c]);
        if (name) add_edit(g, value, (hed_wgsl_edit){.factors = {name}});
        return name;
    }
    for (uint32_t k = 0; k < c && out->together; k++) /* 8 x 8 stays a square */
        if (out->sizes[k] == out->sizes[c] && !hed_wgsl_constant_of(g, k))
            name = is_taken(g, usual_names[k]) ? reserve_names[k] : usual_names[k];
    name = add_override(g, name, out->group[c], out->sizes[c]);
    if (!name) return NULL;
    add_edit(g, (wgsl_token)out->group[c], (hed_wgsl_edit){.factors = {name}});
    for (uint32_t k = 0; k < g->sum_count; k++)
        if (g->sums[k].dimension == c)
            add_edit(g, g->tokens[g->sums[k].size], (hed_wgsl_edit){.factors = {name}});
    return name;
}

/* True if size `c` becomes a parameter. */
static bool is_parameter(const group_reader *g, uint32_t c)
{
    const hed_wgsl *out = g->r->out;
    return c < out->dimensions && c < out->group_count && !g->is_fixed[c] &&
           !(out->sizes[c] == 1 && out->together);
}

static void name_sizes(group_reader *g)
{
    hed_wgsl *out = g->r->out;
    const char *names[3] = {NULL};
    for (uint32_t c = 0; c < 3; c++) {
        names[c] = is_parameter(g, c) ? choose_parameter(g, c) : NULL;
        if (names[c]) out->group[c] = (hed_wgsl_span){names[c], strlen(names[c])};
    }
    if (g->has_literal) edit_equal(g, names);
}

/* True if the text from `from` to `to` has a type, by its name or as the type of a struct's member
 * or of another alias. */
static bool has_type(const group_reader *g, const char *from, const char *to, const char *name, int levels)
{
    const struct hed_wgsl_parse *r = g->r;
    if (!levels) return true; /* an unknown type */
    for (wgsl_token t = hed_wgsl_token(from, to); t.size; t = hed_wgsl_token(t.at + t.size, to)) {
        const wgsl_struct *s = hed_wgsl_find_struct(r, t);
        const wgsl_named *n = hed_wgsl_find_named(r, t);
        if (wgsl_token_is(t, name)) return true;
        if (s) {
            const char *end = memchr(s->from, '}', (size_t)(r->end - s->from));
            if (!end || has_type(g, s->from, end, name, levels - 1)) return true;
        }
        if (n && n->alias && has_type(g, n->value.at, n->value.at + n->value.size, name, levels - 1)) return true;
    }
    return false;
}

/* Returns the name of a buffer whose type has the alias; NULL: no buffer has it, so that the
 * program gives the shader the same bytes whatever the alias is. */
static const char *buffer_with(group_reader *g, const char *name)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const char *from = g->tokens[i].at;
        depth += is_at(g, i, "{");
        if (depth) depth -= is_at(g, i, "}");
        if (depth || !is_at(g, i, "var") || !is_at(g, i + 1, "<") || is_at(g, i + 2, "private") ||
            is_at(g, i + 2, "workgroup"))
            continue;
        const char *end = memchr(from, ';', (size_t)(g->r->end - from));
        while (i < g->count && !is_at(g, i, ">")) i++;
        const wgsl_token variable = token_at(g, i + 1);
        if (!end || has_type(g, from, end, name, DEEPEST_TYPE))
            return hed_wgsl_keep(g->r, variable.at, variable.size);
    }
    return NULL;
}

/* Makes the type of an alias, `alias real = f32;`, an override of its bits, if no buffer has it. */
static void name_halves(group_reader *g)
{
    struct hed_wgsl_parse *r = g->r;
    hed_wgsl *out = r->out;
    for (uint32_t i = 0; i < r->named_count; i++) {
        const wgsl_named *named = &r->named[i];
        wgsl_token t = hed_wgsl_token(named->value.at, named->value.at + named->value.size);
        bool is_half = wgsl_token_is(t, "f16");
        if (!named->alias || (!is_half && !wgsl_token_is(t, "f32"))) continue;
        const char *buffer = buffer_with(g, named->name);
        if (buffer && !out->half_buffer) out->half_alias = named->name, out->half_buffer = buffer;
        const wgsl_token bits = {t.at + 1, t.size - 1};
        const char *name = buffer ? NULL : add_override(g, named->name, bits, is_half ? 16 : 32);
        if (!name) continue;
        out->overrides[out->override_count - 1].type = HED_WGSL_F16;
        add_edit(g, bits, (hed_wgsl_edit){.factors = {name}});
    }
}

void hed_wgsl_find_group(struct hed_wgsl_parse *r)
{
    hed_wgsl *out = r->out;
    group_reader *g = hed_arena_new(&out->arena, 1, sizeof *g, r->error);
    const wgsl_function *entry = r->functions;
    double number;
    if (!g) return;
    g->r = r;
    list_tokens(g);
    while (entry->name != out->entry) entry++;
    if (!g->tokens) return;
    uint32_t fn = hed_wgsl_token_from(g, entry->parameters);
    while (fn && !is_at(g, fn, "fn")) fn--;
    out->entry_at = (size_t)(g->tokens[fn].at - r->text);
    g->from = hed_wgsl_token_from(g, entry->from);
    g->to = hed_wgsl_token_from(g, entry->to);
    for (uint32_t c = 0; c < 3; c++) {
        bool is_known = c >= out->group_count || hed_wgsl_evaluate(r, out->group[c], &number);
        bool is_size = is_known && (c >= out->group_count || (number >= 1 && number <= UINT32_MAX));
        out->sizes[c] = !is_size ? 0 : c >= out->group_count ? 1 : (uint32_t)number;
    }
    list_builtins(g, entry);
    find_sums(g);
    find_uses(g);
    out->dimensions = 1;
    for (uint32_t c = 0; c < 3; c++)
        if (g->uses_global[c] || g->uses_group[c] || out->sizes[c] != 1) out->dimensions = c + 1;
    for (uint32_t c = 0; c < 3; c++)
        g->has_literal =
            g->has_literal || (out->together && is_parameter(g, c) && !hed_wgsl_constant_of(g, c));
    out->is_one_group = g->builtin_count < MOST_BUILTINS;
    for (uint32_t i = 0; i < g->builtin_count; i++)
        out->is_one_group = out->is_one_group && (g->builtins[i].value == LOCAL_ID ||
                                                     g->builtins[i].value == LOCAL_INDEX);
    out->subgroups = out->subgroups || out->lacks_enable;
    r->group = g;
}

void hed_wgsl_name_sizes(hed_wgsl *wgsl, hed_error *error)
{
    struct hed_wgsl_parse *r = wgsl->parse;
    r->error = error;
    if (r->group && wgsl->sizes[0] && wgsl->sizes[1] && wgsl->sizes[2]) name_sizes(r->group);
    if (r->group) name_halves(r->group);
    r->error = NULL;
}

/* ---- textures ---- */

void hed_wgsl_texture_size(const hed_wgsl_binding *binding, const int64_t *sizes, uint32_t count,
    hed_wgsl_texture *texture)
{
    enum { WIDEST = 4096, LAYERS = 4, COPY_ALIGNMENT = 256 };
    const char *shape = binding->shape;
    int64_t width = count ? sizes[0] : 1, height = count > 1 ? sizes[1] : 1, layers = 1;
    bool is_cube = !strncmp(shape, "cube", 4), is_line = !strcmp(shape, "1d");
    if (count == 1 && !is_line) { /* a square of about as many texels */
        for (height = 1; height * height < width; height *= 2) {}
        width = height;
    }
    if (width > WIDEST) width = WIDEST;
    if (height > WIDEST) height = WIDEST;
    if (is_cube) height = width;
    if (is_line) height = 1;
    if (!strcmp(shape, "3d") || !strcmp(shape, "2d-array")) layers = count > 2 ? sizes[2] : LAYERS;
    if (is_cube) layers = 6;
    *texture = (hed_wgsl_texture){.width = (uint32_t)width,
        .height = (uint32_t)height,
        .layers = (uint32_t)(layers < 256 ? layers : 256),
        .row_bytes = hed_wgsl_round((uint32_t)width * binding->texel_bytes, COPY_ALIGNMENT)};
}
