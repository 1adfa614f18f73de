/* Distance between groups: the elements of a dimension from one group to the next, by the factors
 * of the group's id in the entry point. `workgroup_id.x * TILE`, `vec2(workgroup_id.xy) * vec2(16)`
 * and `let tile = workgroup_id.x;` with `tile * 16 * ITEMS` are such products. Numbers that the
 * size of the group replaces in the text count as that size, so that the number of groups of a
 * launch can be derived from it. */
#include "support/wgsl_group.h"

/* Reads workgroup_id, a component, a swizzle or a name that `let` gave to one, from token `i`. */
static bool lanes_at(const group_reader *g, uint32_t i, group_lanes *lanes, uint32_t *next)
{
    static const char places[] = "xyz";
    const builtin_name *b = hed_wgsl_builtin_at(g, i, next);
    uint32_t alias = 0, c;
    if (b && b->value != GROUP_ID) return false;
    while (!b && alias < g->alias_count && !same_token(g->aliases[alias], token_at(g, i))) alias++;
    if (!b && (alias == g->alias_count || (i && is_at(g, i - 1, ".")))) return false;
    const group_lanes whole = b ? (group_lanes){{0, 1, 2}, 3} : g->alias_lanes[alias];
    *lanes = whole;
    if (!b) *next = i + 1;
    if ((c = hed_wgsl_component_at(g, *next, next)) < 3) {
        lanes->count = c < whole.count;
        lanes->dimensions[0] = whole.dimensions[c];
        return lanes->count;
    }
    if (!is_at(g, *next, ".")) return true;
    wgsl_token t = token_at(g, *next + 1);
    if (t.size > 3) return false;
    lanes->count = (uint32_t)t.size;
    for (uint32_t k = 0; k < t.size; k++) {
        const char *place = memchr(places, t.at[k], 3);
        if (!place || place - places >= whole.count) return false;
        lanes->dimensions[k] = whole.dimensions[place - places];
    }
    *next += 2;
    return true;
}

/* Returns the first token of the type before the bracket at token `open`, as in vec2<u32>( and
 * u32(. */
static uint32_t type_before(const group_reader *g, uint32_t open)
{
    uint32_t from = open >= 4 && is_at(g, open - 1, ">") ? open - 4 : open ? open - 1 : 0;
    wgsl_token t = token_at(g, from);
    bool is_type = starts_with(t, "vec") || wgsl_token_is(t, "u32") || wgsl_token_is(t, "i32");
    return is_type ? from : open;
}

/* Extends the tokens [*from, *to) by brackets and conversions around them. */
static void take_brackets(const group_reader *g, uint32_t *from, uint32_t *to)
{
    while (*from && is_at(g, *from - 1, "(") && is_at(g, *to, ")")) {
        uint32_t type = type_before(g, *from - 1);
        bool is_call = type == *from - 1 && type && wgsl_is_name(token_at(g, type - 1));
        if (is_call) return;
        *from = type;
        ++*to;
    }
}

static bool multiply(uint32_t number, hed_wgsl_stride *stride)
{
    enum { LARGEST = 1024 };
    if (!number || number > LARGEST / stride->number) return false;
    stride->number *= number;
    return true;
}

/* Multiplies by a number of the text, which edit_equal() makes a size of the group, or the double
 * of one. */
static bool multiply_by_number(const group_reader *g, uint32_t number, hed_wgsl_stride *stride)
{
    const uint32_t *sizes = g->r->out->sizes;
    bool is_line = sizes[1] == 1 && sizes[2] == 1;
    for (uint32_t c = 0; c < 3 && g->has_literal; c++) {
        if (sizes[c] < 2 || g->is_fixed[c] ||
            (number != sizes[c] && !(is_line && number == 2 * sizes[c])))
            continue;
        stride->powers[c]++;
        return multiply(number / sizes[c], stride);
    }
    if (!g->has_literal || sizes[1] < 2 || number != sizes[0] * sizes[1] || g->is_fixed[0] ||
        g->is_fixed[1])
        return multiply(number, stride);
    stride->powers[0]++;
    stride->powers[1]++;
    return true;
}

static uint32_t take_product(
    group_reader *g, uint32_t i, uint32_t lane, uint32_t depth, hed_wgsl_stride *stride);

/* Returns the token after = of a constant of the module, or of the body before token `use`; 0: not
 * found. */
static uint32_t value_of_name(const group_reader *g, wgsl_token name, uint32_t use)
{
    const wgsl_named *named = hed_wgsl_find_named(g->r, name);
    if (named) return named->alias ? 0 : hed_wgsl_token_from(g, named->value.at);
    for (uint32_t i = g->from; i < use; i++) {
        if (!(is_at(g, i, "let") || is_at(g, i, "const")) || !same_token(token_at(g, i + 1), name))
            continue;
        for (i += 2; i < use && !is_at(g, i, "=") && !is_at(g, i, ";");) i++;
        return is_at(g, i, "=") ? i + 1 : 0;
    }
    return 0;
}

/* Multiplies by a name: a size of the group, an override with a number, a constant that is a
 * product. */
static bool multiply_by_name(
    group_reader *g, uint32_t i, uint32_t lane, uint32_t depth, hed_wgsl_stride *stride)
{
    const hed_wgsl *out = g->r->out;
    wgsl_token t = token_at(g, i);
    for (uint32_t c = 0; c < out->group_count; c++)
        if (same_token(t, out->group[c])) {
            stride->powers[c]++;
            return true;
        }
    for (uint32_t k = 0; k < out->override_count; k++)
        if (wgsl_token_is(t, out->overrides[k].name))
            return out->overrides[k].plain && multiply((uint32_t)out->overrides[k].number, stride);
    uint32_t value = value_of_name(g, t, i),
             end = value ? take_product(g, value, lane, depth + 1, stride) : 0;
    return end && is_at(g, end, ";");
}

/* Multiplies by the factor at token `i`, of a vector by its lane. Returns the token after it; 0:
 * its value is not known. */
static uint32_t take_factor(
    group_reader *g, uint32_t i, uint32_t lane, uint32_t depth, hed_wgsl_stride *stride)
{
    hed_wgsl_stride result = *stride;
    wgsl_token t = token_at(g, i);
    double number;
    uint32_t open = is_at(g, i + 1, "<") ? i + 4 : i + 1, next = i + 1, commas = 0, from, nested = 0;
    if (depth > DEEPEST || g->steps++ > MOST_STEPS) return 0;
    if (hed_wgsl_number(t, &number)) {
        bool is_whole = number >= 1 && number < UINT16_MAX && number == (uint32_t)number;
        if (!is_whole || !multiply_by_number(g, (uint32_t)number, &result)) return 0;
    } else if (is_at(g, i, "(") || (is_at(g, open, "(") && type_before(g, open) == i)) {
        if (is_at(g, i, "(")) open = i;
        from = open + 1;
        for (next = open + 1; next < g->count && (nested || !is_at(g, next, ")")); next++) {
            nested += is_at(g, next, "(");
            nested -= is_at(g, next, ")");
            if (!nested && is_at(g, next, ",") && ++commas <= lane) from = next + 1;
        }
        uint32_t end = take_product(g, from, lane, depth + 1, &result);
        if (!(is_at(g, end, ",") || is_at(g, end, ")"))) return 0;
        next++;
    } else if (!wgsl_is_name(t) || is_at(g, next, ".") || is_at(g, next, "[") ||
               is_at(g, next, "(") || !multiply_by_name(g, i, lane, depth, &result)) {
        return 0;
    }
    *stride = result;
    return next;
}

/* Multiplies by the factors from token `i` on. Returns the token after the last; 0: the first is
 * not known. */
static uint32_t take_product(
    group_reader *g, uint32_t i, uint32_t lane, uint32_t depth, hed_wgsl_stride *stride)
{
    uint32_t next = take_factor(g, i, lane, depth, stride), after = next;
    while (after && is_at(g, after, "*")) {
        after = take_factor(g, after + 1, lane, depth, stride);
        if (after) next = after;
    }
    return next;
}

/* Returns the first token of the factor that ends before token `end`. */
static uint32_t factor_before(const group_reader *g, uint32_t end)
{
    uint32_t i = end - 1, nested = 0;
    if (!is_at(g, i, ")")) return i && is_at(g, i - 1, ".") ? end : i;
    for (; i; i--) {
        nested += is_at(g, i, ")");
        nested -= is_at(g, i, "(");
        if (!nested) break;
    }
    return type_before(g, i);
}

static bool follows_size(const hed_wgsl_stride *stride)
{
    return stride->powers[0] || stride->powers[1] || stride->powers[2];
}

/* Takes an id of the group at tokens [from, to): the factors around it, and a buffer with one
 * element for each group. */
static void take_lanes(group_reader *g, const group_lanes *lanes, uint32_t from, uint32_t to)
{
    hed_wgsl *out = g->r->out;
    uint32_t id = from;
    take_brackets(g, &from, &to);
    for (uint32_t k = 0; k < lanes->count; k++) {
        hed_wgsl_stride stride = {.number = 1}, *best = &out->strides[lanes->dimensions[k]];
        bool has_factor = is_at(g, to, "*") && take_product(g, to + 1, k, 0, &stride);
        for (uint32_t i = from, next; i > g->from + 1 && is_at(g, i - 1, "*"); i = next) {
            next = factor_before(g, i - 1);
            if (next >= i - 1 || !take_factor(g, next, k, 0, &stride)) break;
            has_factor = true;
        }
        bool is_better = follows_size(&stride) == follows_size(best) ? stride.number > best->number
                                                                     : follows_size(&stride);
        if (has_factor && is_better) *best = stride;
    }
    if (lanes->count != 1 || from < 2 || !is_at(g, from - 1, "[") || !is_at(g, to, "]") ||
        out->by_group)
        return;
    for (uint32_t k = 0; k < out->binding_count; k++) {
        if (!out->bindings[k].writable || !is_at(g, to + 1, "=") ||
            !wgsl_token_is(token_at(g, from - 2), out->bindings[k].name))
            continue;
        out->by_group = out->bindings[k].name;
        out->by_group_line = hed_wgsl_line(g->r, token_at(g, id).at);
    }
}

void hed_wgsl_find_strides(struct hed_wgsl_parse *r)
{
    group_reader *g = r->group;
    if (!g) return;
    for (uint32_t i = g->from, next; i < g->to; i++) {
        group_lanes lanes;
        if (!lanes_at(g, i, &lanes, &next)) continue;
        uint32_t from = i, to = next, start;
        take_brackets(g, &from, &to);
        for (start = from; start > g->from && !is_at(g, start, ";") && !is_at(g, start, "let");)
            start--;
        bool is_alias = is_at(g, start, "let") && is_at(g, to, ";") && is_at(g, from - 1, "=") &&
                        g->alias_count < MOST_BUILTINS;
        if (is_alias) {
            g->alias_lanes[g->alias_count] = lanes;
            g->aliases[g->alias_count++] = token_at(g, start + 1);
        } else {
            take_lanes(g, &lanes, i, next);
        }
        i = next - 1;
    }
    for (uint32_t c = 0; c < 3; c++)
        r->out->counts_groups[c] =
            g->uses_group[c] && !g->uses_global[c] && !follows_size(&r->out->strides[c]);
}
