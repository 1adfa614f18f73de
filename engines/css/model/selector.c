/* Reader of Selectors Level 4 and CSS Nesting 1, with one token of look-ahead. Nested lists are
 * read by recursion, at most CSS_NESTING deep. selector_pseudo.c reads pseudo-classes and
 * pseudo-elements. */
#include <stdarg.h>
#include <stdio.h>

#include "selector_reader.h"

uint32_t css_specificity_sum(uint32_t x, uint32_t y)
{
    uint32_t sum = 0;
    for (int shift = 0; shift <= 20; shift += 10) {
        uint32_t digit = (x >> shift & 1023) + (y >> shift & 1023);
        sum |= (digit < 1023 ? digit : 1023) << shift;
    }
    return sum;
}

/* ---- tokens ---- */

bool css_selector_fails(css_reader *r, const char *format, ...)
{
    if (r->out->reason[0]) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->out->reason, sizeof r->out->reason, format, arguments);
    va_end(arguments);
    return false;
}

bool css_selector_expects(css_reader *r, const char *expected)
{
    uint32_t length = r->now.end - r->now.begin;
    if (r->now.type == CSS_END) return css_selector_fails(r, "expected %s, found the end", expected);
    return css_selector_fails(r, "expected %s, found \"%.*s\"", expected,
        (int)(length < 40 ? length : 40), r->p->text + r->now.begin);
}

/* ---- simple selectors ---- */

css_simple *css_push_simple(css_reader *r, css_kind kind, uint32_t specificity)
{
    css_simple *simple = css_push(&r->p->simples, 1, sizeof *simple, r->p);
    if (!simple) return NULL;
    *simple = (css_simple){.kind = (uint8_t)kind, .name_space = CSS_NONE, .name = CSS_NONE};
    simple->lower = simple->value = CSS_NONE;
    r->specificity = css_specificity_sum(r->specificity, specificity);
    return simple;
}

/* Adds a simple selector with the name of the current token, and reads the next token. */
static bool push_named(css_reader *r, css_kind kind, uint32_t specificity, uint32_t name_space)
{
    uint32_t name = css_token_name(r->p, &r->now), lower = CSS_NONE;
    css_simple *simple = css_push_simple(r, kind, specificity);
    if (!r->p->failed) lower = css_name_lower(r->p->names, name);
    if (!simple || lower == CSS_NONE) {
        r->p->failed = true;
        return false;
    }
    simple->name = name;
    simple->lower = lower;
    simple->name_space = name_space;
    css_advance(r);
    return true;
}

static const css_prefix *find_prefix(const css_reader *r, uint32_t name)
{
    const css_prefix *prefixes = r->p->prefixes.items;
    for (uint32_t i = r->p->prefixes.count; i-- > 0;)
        if (prefixes[i].prefix == name) return &prefixes[i];
    return NULL;
}

/* Reads `prefix|`, `*|` or `|` before a name (or, for a type, before `*`). *has_prefix: there was
 * one. False: the prefix is not declared. */
static bool read_prefix(css_reader *r, bool of_type, uint32_t *name_space, bool *has_prefix)
{
    *has_prefix = false;
    css_tokenizer t = r->t;
    css_token bar = r->now;
    bool bare = css_at_delim(r, '|'), is_any = css_at_delim(r, '*');
    if (!bare && !is_any && r->now.type != CSS_IDENT) return true;
    if (!bare) bar = css_next(&t);
    if (!css_is_delim(r->p->text, &bar, '|')) return true;
    css_token name = css_next(&t);
    if (name.type != CSS_IDENT && !(of_type && css_is_delim(r->p->text, &name, '*'))) return true;
    *has_prefix = true;
    if (bare) *name_space = 0;
    else if (is_any) *name_space = CSS_NONE;
    else {
        const css_prefix *prefix = find_prefix(r, css_token_name(r->p, &r->now));
        if (!prefix) return css_selector_expects(r, "a prefix declared by @namespace");
        *name_space = of_type ? prefix->name_space : prefix->attributes;
    }
    if (!bare) css_advance(r);
    css_advance(r);
    return true;
}

/* True for attributes whose values HTML compares without ASCII case (HTML, "case-sensitivity of
 * selectors"). */
static bool html_folds(const char *name)
{
    static const char words[] =
        "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact "
        "declare defer dir direction disabled enctype face frame hreflang http-equiv lang language "
        "link media method multiple nohref noresize noshade nowrap readonly rel rev rules scope "
        "scrolling selected shape target text type valign valuetype vlink";
    return css_among(words, name);
}

static bool read_operator(css_reader *r, css_operator *operation)
{
    static const char signs[] = "~|^$*";
    *operation = CSS_EQUALS;
    for (uint32_t i = 0; signs[i]; i++)
        if (css_at_delim(r, signs[i])) {
            *operation = (css_operator)(CSS_WORD + i);
            css_advance(r);
            break;
        }
    if (!css_at_delim(r, '=')) return css_selector_expects(r, "an operator");
    css_advance(r);
    return true;
}

/* Reads the flag after a value. */
static bool read_letter_case(css_reader *r, css_letter_case *letter_case)
{
    if (r->now.type != CSS_IDENT) return true;
    bool insensitive = css_is(r->p->text, &r->now, "i");
    if (!insensitive && !css_is(r->p->text, &r->now, "s"))
        return css_selector_expects(r, "\"i\", \"s\" or \"]\"");
    *letter_case = insensitive ? CSS_INSENSITIVE : CSS_SENSITIVE;
    css_advance(r);
    css_skip_space(r);
    return true;
}

/* Sets the flags of elements whose attribute a reader can set or remove: `open`, with an empty
 * value, and `hidden`. */
static void set_changes(css_reader *r, css_simple *attribute)
{
    const char *name = hed_css_names_text(r->p->names, attribute->lower, NULL);
    if (attribute->name_space != 0 && attribute->name_space != CSS_NONE) return;
    if (strcmp(name, "hidden") == 0) attribute->may_fail = CSS_CHANGES_HIDDEN;
    if (strcmp(name, "open") == 0) attribute->may_fail = CSS_CHANGES_OPEN;
    r->out->changes |= attribute->may_fail != 0;
    if (attribute->may_fail != CSS_CHANGES_OPEN) return;
    size_t length = 0;
    const char *operand = attribute->value == CSS_NONE
                              ? ""
                              : hed_css_names_text(r->p->names, attribute->value, &length);
    if (css_value_fits((css_operator)attribute->operation, operand, length, "", 0, false))
        attribute->may_hold = CSS_CHANGES_OPEN;
}

static bool read_attribute(css_reader *r)
{
    uint32_t name_space = 0;
    bool has_prefix;
    css_advance(r);
    css_skip_space(r);
    if (!read_prefix(r, false, &name_space, &has_prefix)) return false;
    if (r->now.type != CSS_IDENT) return css_selector_expects(r, "the name of an attribute");
    if (!push_named(r, CSS_ATTRIBUTE, CSS_SPECIFICITY_CLASS, name_space)) return false;
    css_simple simple = ((css_simple *)r->p->simples.items)[r->p->simples.count - 1];
    css_operator operation = CSS_PRESENT;
    css_letter_case letter_case =
        name_space == 0 && html_folds(hed_css_names_text(r->p->names, simple.lower, NULL))
            ? CSS_AS_DOCUMENT
            : CSS_SENSITIVE;
    css_skip_space(r);
    if (r->now.type != CSS_CLOSE_SQUARE && r->now.type != CSS_END) {
        if (!read_operator(r, &operation)) return false;
        css_skip_space(r);
        if (r->now.type != CSS_IDENT && r->now.type != CSS_STRING)
            return css_selector_expects(r, "a value, a word or a text in quotes,");
        simple.value = css_token_name(r->p, &r->now);
        css_advance(r);
        css_skip_space(r);
        if (!read_letter_case(r, &letter_case)) return false;
        if (r->now.type != CSS_CLOSE_SQUARE && r->now.type != CSS_END)
            return css_selector_expects(r, "\"]\"");
    }
    simple.operation = (uint8_t)operation;
    simple.letter_case = (uint8_t)letter_case;
    set_changes(r, &simple);
    ((css_simple *)r->p->simples.items)[r->p->simples.count - 1] = simple;
    if (r->now.type == CSS_CLOSE_SQUARE) css_advance(r);
    return true;
}

bool css_push_scope(css_reader *r, uint32_t specificity)
{
    css_simple *simple = css_push_simple(r, CSS_SCOPE, specificity);
    if (simple) simple->scoped = r->scoped = true;
    return simple != NULL;
}

/* Adds `&`: the list of the enclosing rule; outside of rules the root of the scope or of the tree,
 * with specificity 0. */
static bool push_nesting(css_reader *r)
{
    const css_parent *parent = r->parent;
    r->nesting = true;
    if (parent->count == CSS_NONE && parent->scope) return css_push_scope(r, 0);
    if (parent->count == CSS_NONE) {
        css_simple *simple = css_push_simple(r, CSS_FLAG, 0);
        if (simple) simple->bits = CSS_ROOT;
        return simple;
    }
    uint32_t depth = r->depth + 1 + parent->depth;
    if (depth > CSS_NESTING) {
        r->too_deep = true;
        return css_selector_fails(r, "nested deeper than %d", CSS_NESTING);
    }
    if (r->out->depth < depth) r->out->depth = depth;
    r->out->state |= parent->state;
    r->out->changes |= parent->changes;
    css_simple *simple =
        css_push_simple(r, parent->count ? CSS_IS : CSS_NEVER, parent->specificity);
    if (!simple) return false;
    simple->list = parent->list;
    simple->count = parent->count;
    simple->scoped = parent->scope != 0;
    r->scoped |= simple->scoped;
    r->shadow |= parent->shadow;
    r->inside |= parent->inside;
    return true;
}

/* ---- compound selectors ---- */

static bool read_type(css_reader *r, bool *has_type)
{
    const css_prefix *standard = find_prefix(r, CSS_NONE);
    uint32_t name_space = standard ? standard->name_space : CSS_NONE;
    bool has_prefix;
    *has_type = true;
    if (!read_prefix(r, true, &name_space, &has_prefix)) return false;
    if (r->now.type == CSS_IDENT) return push_named(r, CSS_TYPE, CSS_SPECIFICITY_TYPE, name_space);
    if (css_at_delim(r, '*')) {
        css_simple *simple = css_push_simple(r, CSS_UNIVERSAL, 0);
        if (!simple) return false;
        simple->name_space = name_space;
        css_advance(r);
        return true;
    }
    *has_type = false;
    return true;
}

/* Adds the default namespace to a compound without a type selector. */
static bool push_default(css_reader *r)
{
    const css_prefix *standard = find_prefix(r, CSS_NONE);
    css_simple *simple = standard ? css_push_simple(r, CSS_UNIVERSAL, 0) : NULL;
    if (simple) simple->name_space = standard->name_space;
    return simple || !standard;
}

/* True if the compound just read is the last one of its selector. */
static bool is_subject(const css_reader *r)
{
    css_tokenizer t = r->t;
    css_token token = r->now;
    while (token.type == CSS_SPACE) token = css_next(&t);
    return token.type == CSS_COMMA || token.type == CSS_CLOSE_ROUND || token.type == CSS_END;
}

static bool read_simple(css_reader *r, unsigned mode, css_compound *compound, bool *end)
{
    const char *wrong = NULL;
    css_token next;
    *end = false;
    switch (r->now.type) {
    case CSS_COLON: return css_read_pseudo(r, mode, compound);
    case CSS_HASH:
        if (compound->pseudo_element != CSS_NONE) break;
        if (!r->now.identifier) return css_selector_expects(r, "an id");
        return push_named(r, CSS_ID, CSS_SPECIFICITY_ID, CSS_NONE);
    case CSS_OPEN_SQUARE:
        if (compound->pseudo_element != CSS_NONE) break;
        return read_attribute(r);
    case CSS_DELIM:
        if (css_at_delim(r, '&') && compound->pseudo_element == CSS_NONE) {
            css_advance(r);
            return push_nesting(r);
        }
        if (!css_at_delim(r, '.')) break;
        css_tokenizer ahead = r->t;
        next = css_next(&ahead);
        if (compound->pseudo_element != CSS_NONE) wrong = "nothing behind a pseudo-element";
        else if (next.type != CSS_IDENT) wrong = "a class";
        css_advance(r);
        if (wrong) return css_selector_expects(r, wrong);
        return push_named(r, CSS_CLASS, CSS_SPECIFICITY_CLASS, CSS_NONE);
    default: break;
    }
    *end = true;
    return true;
}

static bool read_compound(css_reader *r, unsigned mode, char combinator)
{
    uint32_t base = r->p->simples.count;
    css_compound compound = {.combinator = combinator, .pseudo_element = CSS_NONE};
    bool has_simple = false, end = false;
    if (r->depth == 0) r->backed = r->transition = r->slotted = r->part = false;
    if (mode & CSS_LIST_BEHIND) compound.pseudo_element = 0;
    else if (!read_type(r, &has_simple)) return false;
    bool typed = has_simple || mode & CSS_LIST_BEHIND;
    for (;;) {
        uint32_t before = r->now.begin;
        if (!read_simple(r, mode, &compound, &end)) return false;
        if (end) break;
        has_simple |= r->now.begin != before;
    }
    if (!has_simple) return css_selector_expects(r, "a selector");
    if (!typed && !(mode & CSS_LIST_FREE && is_subject(r)) && !push_default(r)) return false;
    bool itself = compound.shadow && (r->slotted || r->part);
    if (mode & CSS_LIST_BEHIND || itself) compound.pseudo_element = CSS_NONE;
    compound.count = r->p->simples.count - base;
    struct css_array *store = &r->p->sheet->store[CSS_SIMPLES];
    css_simple *simples = css_push(store, compound.count, sizeof *simples, r->p);
    css_compound *pushed = css_push(&r->p->compounds, 1, sizeof *pushed, r->p);
    if (!simples || !pushed) return false;
    css_copy_tail(simples, &r->p->simples, base, sizeof *simples);
    r->p->simples.count = base;
    compound.first = store->count - compound.count;
    *pushed = compound;
    return true;
}

/* ---- complex selectors ---- */

/* Reads a combinator with the space around it, or 0. */
static char read_combinator(css_reader *r)
{
    char c = css_skip_space(r) ? ' ' : 0;
    if (r->now.type != CSS_DELIM || !strchr(">+~", r->p->text[r->now.begin])) return c;
    c = r->p->text[r->now.begin];
    css_advance(r);
    css_skip_space(r);
    return c;
}

/* Inserts `&` and a combinator before the compounds from `first` on. */
static bool prepend_nesting(css_reader *r, uint32_t first)
{
    struct css_array *store = &r->p->sheet->store[CSS_SIMPLES];
    uint32_t base = r->p->simples.count;
    if (!push_nesting(r)) return false;
    css_simple *simple = css_push(store, 1, sizeof *simple, r->p);
    css_compound *compounds = css_push(&r->p->compounds, 1, sizeof *compounds, r->p);
    if (!simple || !compounds) return false;
    *simple = ((css_simple *)r->p->simples.items)[base];
    r->p->simples.count = base;
    compounds = (css_compound *)r->p->compounds.items + first;
    memmove(compounds + 1, compounds, (r->p->compounds.count - 1 - first) * sizeof *compounds);
    compounds[0] = (css_compound){store->count - 1, 1, 0, CSS_NONE, 0};
    if (!compounds[1].combinator) compounds[1].combinator = ' ';
    return true;
}

/* True if the selector ends here, at a comma or the end of its list. `open`: number of brackets
 * around the list. */
static bool list_pauses(const css_reader *r, uint32_t open)
{
    if (r->now.type == CSS_END) return true;
    if (r->p->brackets.count != open) return false;
    return r->now.type == CSS_COMMA || (r->depth > 0 && r->now.type == CSS_CLOSE_ROUND);
}

static bool read_complex(css_reader *r, unsigned mode, uint32_t open)
{
    uint32_t first = r->p->compounds.count, begin = r->now.begin, end = begin;
    bool in_rule = r->parent->count != CSS_NONE, leading = false;
    bool nested = (in_rule || r->parent->scope) && r->depth == 0;
    char combinator = 0;
    r->specificity = 0;
    if (mode & CSS_LIST_RELATIVE || nested) {
        combinator = read_combinator(r);
        if (mode & CSS_LIST_RELATIVE && !combinator) combinator = ' ';
        leading = nested && combinator;
    }
    for (;;) {
        if (!read_compound(r, mode, combinator)) return false;
        end = r->now.begin;
        combinator = read_combinator(r);
        if (list_pauses(r, open) && (combinator == 0 || combinator == ' ')) break;
        if (!combinator) return css_selector_expects(r, "a combinator or the end");
        const css_compound *last =
            (css_compound *)r->p->compounds.items + r->p->compounds.count - 1;
        if (last->pseudo_element != CSS_NONE || last->shadow)
            return css_selector_fails(r, "a combinator behind a pseudo-element");
        if (mode & CSS_LIST_COMPOUND)
            return css_selector_fails(r, "a combinator where only one compound may be");
    }
    bool placed = r->nesting || (!in_rule && r->scoped);
    if (nested && (leading || !placed) && !prepend_nesting(r, first)) return false;
    uint32_t count = r->p->compounds.count - first;
    struct css_array *store = &r->p->sheet->store[CSS_COMPOUNDS];
    css_compound *compounds = css_push(store, count, sizeof *compounds, r->p);
    css_complex *complex = css_push(&r->p->complexes, 1, sizeof *complex, r->p);
    if (!compounds || !complex) return false;
    css_copy_tail(compounds, &r->p->compounds, first, sizeof *compounds);
    r->p->compounds.count = first;
    *complex = (css_complex){store->count - count, count, r->specificity, begin, end, r->shadow,
        r->out->state, r->inside, r->out->changes};
    r->out->shadow |= r->shadow;
    r->out->inside |= r->inside;
    return true;
}

/* ---- lists ---- */

/* Lengths of the arrays, to which an invalid selector is rolled back. */
struct mark {
    uint32_t complexes, compounds, simples, store[CSS_STORES];
};

static struct mark take_mark(const css_parser *p)
{
    struct mark mark = {p->complexes.count, p->compounds.count, p->simples.count, {0}};
    for (int i = 0; i < CSS_STORES; i++) mark.store[i] = p->sheet->store[i].count;
    return mark;
}

static void back_to(css_parser *p, const struct mark *mark)
{
    p->complexes.count = mark->complexes;
    p->compounds.count = mark->compounds;
    p->simples.count = mark->simples;
    for (int i = 0; i < CSS_STORES; i++) p->sheet->store[i].count = mark->store[i];
}

bool css_read_list(css_reader *r, unsigned mode, css_range *range)
{
    css_parser *p = r->p;
    uint32_t base = p->complexes.count, open = p->brackets.count, depth = r->depth;
    for (;; css_advance(r)) {
        css_skip_space(r);
        struct mark mark = take_mark(p);
        bool state = r->out->state, changes = r->out->changes;
        if (depth == 0) {
            r->out->changes = false;
            r->nesting = r->scoped = r->shadow = r->inside = r->out->state = false;
        }
        if (!read_complex(r, mode, open)) {
            if (p->failed || r->too_deep || !(mode & CSS_LIST_FORGIVING)) return false;
            r->out->reason[0] = 0;
            r->depth = depth;
            back_to(p, &mark);
            while (!list_pauses(r, open) && !p->failed) css_advance(r);
        }
        r->out->state |= state;
        r->out->changes |= changes;
        if (r->now.type != CSS_COMMA || p->failed) break;
        if (mode & CSS_LIST_SINGLE)
            return css_selector_fails(r, "a list where only one selector may be");
    }
    if (p->failed) return false;
    range->count = p->complexes.count - base;
    css_complex *complexes =
        css_push(&p->sheet->store[CSS_COMPLEXES], range->count, sizeof *complexes, p);
    if (!complexes) return false;
    css_copy_tail(complexes, &p->complexes, base, sizeof *complexes);
    p->complexes.count = base;
    range->list = p->sheet->store[CSS_COMPLEXES].count - range->count;
    range->specificity = 0;
    for (uint32_t i = 0; i < range->count; i++)
        if (complexes[i].specificity > range->specificity)
            range->specificity = complexes[i].specificity;
    return true;
}

bool css_read_selectors(
    css_parser *p, uint32_t begin, uint32_t end, const css_parent *parent, css_list *list)
{
    *list = (css_list){0};
    css_reader r = {.p = p, .t = {p->text, begin, end}, .parent = parent, .out = list};
    struct mark mark = take_mark(p);
    uint32_t brackets = p->brackets.count;
    css_range range;
    r.now = css_next(&r.t);
    bool good = css_read_list(&r, 0, &range);
    p->brackets.count = brackets;
    if (good) {
        list->list = range.list;
        list->count = range.count;
        list->specificity = range.specificity;
    } else {
        back_to(p, &mark);
        list->unsupported = r.too_deep && !p->failed;
    }
    return good || list->unsupported;
}

uint32_t css_push_scope_root(css_parser *p)
{
    css_simple *simple = css_push(&p->sheet->store[CSS_SIMPLES], 1, sizeof *simple, p);
    css_compound *compound = css_push(&p->sheet->store[CSS_COMPOUNDS], 1, sizeof *compound, p);
    css_complex *complex = css_push(&p->sheet->store[CSS_COMPLEXES], 1, sizeof *complex, p);
    if (!simple || !compound || !complex) return CSS_NONE;
    *simple = (css_simple){.kind = CSS_SCOPE, .scoped = true, .name_space = CSS_NONE};
    simple->name = simple->lower = simple->value = CSS_NONE;
    *compound = (css_compound){p->sheet->store[CSS_SIMPLES].count - 1, 1, 0, CSS_NONE, 0};
    *complex = (css_complex){.first = p->sheet->store[CSS_COMPOUNDS].count - 1, .count = 1};
    return p->sheet->store[CSS_COMPLEXES].count - 1;
}

bool css_is_selector(css_parser *p, uint32_t begin, uint32_t end)
{
    css_parent no_parent = {.count = CSS_NONE};
    struct mark mark = take_mark(p);
    css_list list;
    bool good = css_read_selectors(p, begin, end, &no_parent, &list) && list.count == 1;
    back_to(p, &mark);
    return good;
}
