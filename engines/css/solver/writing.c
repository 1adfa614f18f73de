/* See writing.h. */
#include "solver/writing.h"

#include <stdio.h>

typedef enum css_flow {
    HORIZONTAL,
    VERTICAL_RIGHT, /* vertical-rl */
    VERTICAL_LEFT,  /* vertical-lr */
    SIDEWAYS_RIGHT, /* sideways-rl */
    SIDEWAYS_LEFT   /* sideways-lr */
} css_flow;

/* ---- pairs of properties ---- */

/* Physical side of a logical one: axis "block" or "inline". */
static const char *side_of(bool block, bool end, unsigned mode)
{
    static const char *const opposite[][2] = {
        {"top", "bottom"}, {"bottom", "top"}, {"left", "right"}, {"right", "left"}};
    css_flow flow = mode / 2;
    bool rtl = mode & 1;
    unsigned pair; /* row of `opposite` from the start to the end */
    if (block)
        pair = flow == HORIZONTAL ? 0 : flow == VERTICAL_LEFT || flow == SIDEWAYS_LEFT ? 2 : 3;
    else if (flow == HORIZONTAL) pair = rtl ? 3 : 2;
    else pair = (flow == SIDEWAYS_LEFT) != rtl ? 1 : 0;
    return opposite[pair][end];
}

/* Replaces the part of a name at `at`, `length` bytes, by a word. */
static void replace_part(
    const char *name, const char *at, size_t length, const char *word, char result[64])
{
    snprintf(result, 64, "%.*s%s%s", (int)(at - name), name, word, at + length);
}

/* Corner such as border-start-end-radius, which names the block side first. */
static bool radius_of(const char *logical, unsigned mode, char physical[64])
{
    char block[8], inline_side[8];
    if (sscanf(logical, "border-%5[a-z]-%5[a-z]-radius", block, inline_side) != 2) return false;
    bool block_end = strcmp(block, "end") == 0, inline_end = strcmp(inline_side, "end") == 0;
    if ((!block_end && strcmp(block, "start")) || (!inline_end && strcmp(inline_side, "start")))
        return false;
    bool block_first = mode / 2 == HORIZONTAL; /* the vertical side comes first */
    const char *block_physical = side_of(true, block_end, mode),
               *inline_physical = side_of(false, inline_end, mode);
    snprintf(physical, 64, "border-%s-%s-radius", block_first ? block_physical : inline_physical,
        block_first ? inline_physical : block_physical);
    return true;
}

bool css_physical_of(const char *logical, unsigned mode, char physical[64])
{
    static const struct {
        const char *part;
        bool block, end;
    } sides[] = {{"-block-start", true, false}, {"-block-end", true, true},
        {"-inline-start", false, false}, {"-inline-end", false, true}};
    bool horizontal = mode / 2 == HORIZONTAL;
    if (strlen(logical) > 40 || (!strstr(logical, "block") && !strstr(logical, "inline") &&
                                    strncmp(logical, "border-", 7) != 0))
        return false;
    for (size_t i = 0; i < HED_COUNT(sides); i++) {
        const char *at = strstr(logical, sides[i].part);
        if (!at) continue;
        const char *side = side_of(sides[i].block, sides[i].end, mode);
        if (strncmp(logical, "inset-", 6) == 0) snprintf(physical, 64, "%s", side);
        else replace_part(logical, at + 1, strlen(sides[i].part) - 1, side, physical);
        return css_property_known(physical);
    }
    const char *size = strstr(logical, "inline-size");
    bool is_inline = size != NULL;
    if (!size) size = strstr(logical, "block-size");
    if (size) {
        replace_part(
            logical, size, strlen(size), is_inline == horizontal ? "width" : "height", physical);
        return css_property_known(physical);
    }
    if (strncmp(logical, "overflow-", 9) == 0 ||
        strncmp(logical, "overscroll-behavior-", 20) == 0) {
        const char *axis = strrchr(logical, '-') + 1;
        is_inline = strcmp(axis, "inline") == 0;
        if (!is_inline && strcmp(axis, "block") != 0) return false;
        replace_part(logical, axis, strlen(axis), is_inline == horizontal ? "x" : "y", physical);
        return true;
    }
    return radius_of(logical, mode, physical);
}

uint32_t css_logical_pairs(unsigned mode, css_logical_pair *pairs)
{
    const char *name;
    uint32_t count = 0;
    for (uint32_t i = 0; count < CSS_MOST_LOGICAL && (name = css_property_at(i)); i++) {
        if (!css_physical_of(name, mode, pairs[count].physical) || css_shorthand(name) ||
            css_property_of(name) != name)
            continue;
        pairs[count++].logical = name;
    }
    return count;
}

/* Logical longhand that is one with a physical one in a mode; NULL: it has no pair. */
static const char *css_logical_of(const char *physical, unsigned mode)
{
    css_logical_pair pairs[CSS_MOST_LOGICAL];
    uint32_t count = css_logical_pairs(mode, pairs);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(pairs[i].physical, physical) == 0) return pairs[i].logical;
    return NULL;
}

/* ---- modes of elements ---- */

enum { UNKNOWN_MODE = 0xff };

typedef struct css_modes {
    css_matched m;
    uint32_t *winners[2]; /* (elements) of writing-mode and direction */
    uint8_t *modes;
} css_modes;

/* Value of the last declaration of a property in a rule or a style attribute. */
typedef struct css_last_value {
    hed_css_names *names;
    const char *property;
    char value[16]; /* text in lower case; "": no declaration */
    bool important, quirks;
} css_last_value;

static void see_declaration(void *user, const css_declaration *declaration)
{
    css_last_value *last = user;
    const char *name = hed_css_names_text(last->names, declaration->property, NULL);
    if (!css_property_sets(css_property_of(name), last->property)) return;
    if (last->important && !declaration->important) return;
    if (!css_value_valid(name, declaration->value, declaration->value_length, last->quirks, NULL))
        return;
    last->important = declaration->important;
    snprintf(last->value, sizeof last->value, "%.*s",
        (int)(declaration->value_length < 15 ? declaration->value_length : 15), declaration->value);
    for (char *c = last->value; *c; c++) *c = css_ascii_lower(*c);
}

/* Value of a property that wins on an element; "": no declaration. */
static css_last_value winning_value(const css_modes *x, const hed_css_document *d, uint32_t element,
    uint32_t winner, bool direction)
{
    css_last_value last = {.names = d->names, .property = direction ? "direction" : "writing-mode"};
    if (winner == HED_CSS_NONE) return last;
    if (winner == HED_CSS_OWN_STYLE) {
        size_t length;
        uint32_t style = css_name_find(d->names, "style", 5);
        uint32_t value = css_attribute_value(d, element, style);
        const char *text = hed_css_names_text(d->names, value, &length);
        css_read_declarations(d->names, text, length, see_declaration, &last);
        return last;
    }
    uint32_t s = css_sheet_of(&x->m, winner);
    const hed_css_sheet *sheet = x->m.sheets[s];
    const css_rule *rule = &sheet->rules[winner - x->m.first_rule[s]];
    for (uint32_t i = 0; i < rule->declaration_count; i++)
        see_declaration(&last, &sheet->declarations[rule->first_declaration + i]);
    return last;
}

/* Mode of an element with these winning values; `mode`: that of the parent. */
static uint8_t mode_with(uint8_t mode, const char *writing, const char *direction)
{
    static const char *const flows[] = {[HORIZONTAL] = "horizontal-tb lr lr-tb rl rl-tb initial",
        [VERTICAL_RIGHT] = "vertical-rl tb tb-rl",
        [VERTICAL_LEFT] = "vertical-lr",
        [SIDEWAYS_RIGHT] = "sideways-rl",
        [SIDEWAYS_LEFT] = "sideways-lr"};
    for (unsigned flow = 0; flow < HED_COUNT(flows); flow++)
        if (css_among(flows[flow], writing)) mode = (uint8_t)(2 * flow | (mode & 1));
    if (css_among("ltr initial", direction)) mode &= (uint8_t)~1u;
    if (strcmp(direction, "rtl") == 0) mode |= 1;
    return mode;
}

/* Sets the mode of an element, whose parent in the flattened tree has this one. */
static uint8_t set_mode(const css_modes *x, uint32_t n, uint32_t e, uint8_t mode)
{
    const hed_css_document *d = x->m.documents[n];
    uint32_t first = x->m.first_element[n], dir = css_name_find(d->names, "dir", 3);
    css_last_value values[2];
    if (dir != CSS_NONE && css_attribute_value(d, e, dir) != CSS_NONE)
        mode = (uint8_t)((mode & ~1u) | (d->flags[e] & CSS_RTL ? 1 : 0));
    for (int i = 0; i < 2; i++)
        values[i] = winning_value(x, d, e, x->winners[i][first + e], i == 1);
    return x->modes[first + e] = mode_with(mode, values[0].value, values[1].value);
}

/* Sets the modes of a document; `path`: (elements) work space. */
static void set_modes(const css_modes *x, uint32_t n, uint32_t *path)
{
    const hed_css_document *d = x->m.documents[n];
    uint8_t *modes = x->modes + x->m.first_element[n];
    memset(modes, UNKNOWN_MODE, d->count);
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t length = 0, at = e;
        for (; at != CSS_NONE && modes[at] == UNKNOWN_MODE; at = css_flat_parent(d, at))
            path[length++] = at;
        uint8_t mode = at == CSS_NONE ? 0 : modes[at];
        while (length) mode = set_mode(x, n, path[--length], mode);
    }
}

hed_status css_find_modes(const hed_css_matcher *matcher, uint8_t *modes, hed_error *error)
{
    css_modes x = {.m = css_matcher_parts(matcher), .modes = modes};
    hed_arena work = {.allocator = x.m.allocator, .owner = "writing modes"};
    for (int i = 0; i < 2 && !hed_failed(error); i++) {
        x.winners[i] =
            hed_arena_new(&work, x.m.result.elements + 1ull, sizeof *x.winners[i], error);
        if (x.winners[i])
            css_query_winners(matcher, i ? "direction" : "writing-mode", NULL, x.winners[i], error);
    }
    uint32_t *path = hed_arena_new(&work, x.m.result.elements + 1ull, sizeof *path, error);
    for (uint32_t n = 0; n < x.m.document_count && !hed_failed(error); n++) set_modes(&x, n, path);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- the cascade of a property ---- */

/* Finds the longhand of a name; `text` is work space. */
static hed_status resolve_property(
    const char *name, char text[64], const char **property, hed_error *error)
{
    if (!name) name = "";
    size_t length = strlen(name);
    bool custom = length >= 2 && name[0] == '-' && name[1] == '-';
    *property = name;
    if (custom && length > 2) return HED_OK;
    for (size_t i = 0; i <= length && length < 64; i++) text[i] = css_ascii_lower(name[i]);
    if (!length || length >= 64 || custom || !css_property_known(text))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: \"%.64s\" is no property of CSS that is known here; a custom property begins with --",
            name);
    *property = css_property_of(text);
    const char *sets = css_shorthand(*property);
    if (!sets) return HED_OK;
    if (!*sets)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: \"%s\" sets nearly every property: ask for one of them, such as color",
            *property);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "css: \"%s\" is a shorthand, and what it sets may be won by several rules: ask for one of %s",
        *property, sets);
}

/* Finds the winners of a logical or physical property: for the elements of each writing mode, the
 * winners of the pair that is one property in it. */
static hed_status pair_winners(
    const hed_css_matcher *matcher, const char *property, uint32_t *winners, hed_error *error)
{
    css_matched m = css_matcher_parts(matcher);
    uint32_t elements = m.result.elements;
    hed_arena work = {.allocator = m.allocator, .owner = "a cascade"};
    uint8_t *modes = hed_arena_new(&work, elements + 1ull, 1, error);
    uint32_t *of_mode = hed_arena_new(&work, elements + 1ull, sizeof *of_mode, error);
    bool present[CSS_WRITING_MODES] = {0};
    if (!hed_failed(error)) css_find_modes(matcher, modes, error);
    for (uint32_t e = 0; e < elements && !hed_failed(error); e++) present[modes[e]] = true;
    for (unsigned mode = 0; mode < CSS_WRITING_MODES && !hed_failed(error); mode++) {
        char physical[64];
        bool logical = css_physical_of(property, mode, physical);
        const char *pair = logical ? property : css_logical_of(property, mode);
        if (!present[mode] ||
            css_query_winners(matcher, logical ? physical : property, pair, of_mode, error))
            continue;
        for (uint32_t e = 0; e < elements; e++)
            if (modes[e] == mode) winners[e] = of_mode[e];
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_css_cascade(
    const hed_css_matcher *matcher, const char *property, uint32_t *winners, hed_error *error)
{
    HED_REQUIRE(matcher, property, winners);
    hed_error local = {0};
    char text[64], physical[64];
    if (!error) error = &local;
    const char *longhand;
    if (resolve_property(property, text, &longhand, error)) return error->status;
    bool paired = css_physical_of(longhand, 0, physical) || css_logical_of(longhand, 0);
    return paired && css_matcher_parts(matcher).result.class_begin
               ? pair_winners(matcher, longhand, winners, error)
               : css_query_winners(matcher, longhand, NULL, winners, error);
}
