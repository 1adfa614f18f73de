/* Reference matcher: selectors as the specification defines them, right to left with backtracking,
 * in exponential time and without tables. Tests compare the other matchers with it. */
#include "model/document.h"
#include "model/selector.h"

struct naive {
    const hed_css_sheet *sheet;
    const hed_css_document *d;
    uint32_t root; /* root of the scope */
};

static bool naive_complex(const struct naive *n, uint32_t complex, uint32_t e, uint32_t anchor);

static bool naive_list(const struct naive *n, uint32_t list, uint32_t count, uint32_t e)
{
    for (uint32_t i = 0; i < count; i++)
        if (naive_complex(n, list + i, e, CSS_NONE)) return true;
    return false;
}

static bool naive_attribute(const struct naive *n, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = n->d;
    bool html = d->name_space[e] == HED_CSS_HTML;
    bool insensitive =
        s->letter_case == CSS_INSENSITIVE || (s->letter_case == CSS_AS_DOCUMENT && html);
    size_t operand_length, length;
    const char *operand = hed_css_names_text(d->names, s->value, &operand_length);
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++) {
        const css_attribute *a = &d->attributes[i];
        if (a->name != (html ? s->lower : s->name)) continue;
        if (s->name_space != CSS_NONE && s->name_space != a->name_space) continue;
        const char *value = hed_css_names_text(d->names, a->value, &length);
        if (css_value_fits(s->operation, operand, operand_length, value, length, insensitive))
            return true;
    }
    return false;
}

static bool naive_nth(const struct naive *n, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = n->d;
    bool type = s->operation == CSS_OF_TYPE || s->operation == CSS_LAST_OF_TYPE;
    bool last = s->operation == CSS_LAST_CHILD || s->operation == CSS_LAST_OF_TYPE;
    if (s->count && !naive_list(n, s->list, s->count, e)) return false;
    int64_t position = 1;
    for (uint32_t f = 0; f < d->count; f++) {
        bool sibling = d->parent[e] != CSS_NONE && d->parent[f] == d->parent[e];
        if (!sibling || (last ? f <= e : f >= e)) continue;
        if (type && (d->tag[f] != d->tag[e] || d->name_space[f] != d->name_space[e])) continue;
        if (!s->count || naive_list(n, s->list, s->count, f)) position++;
    }
    int64_t rest = position - s->b; /* = a k, k >= 0 */
    return s->a == 0 ? rest == 0 : rest % s->a == 0 && rest / s->a >= 0;
}

static bool naive_language(const struct naive *n, const css_simple *s, uint32_t e)
{
    size_t length, range_length;
    const char *language = hed_css_names_text(n->d->names, n->d->language[e], &length);
    for (uint32_t i = 0; i < s->count; i++) {
        const char *range =
            hed_css_names_text(n->d->names, n->sheet->words[s->value + i], &range_length);
        if (css_language_fits(range, range_length, language, length)) return true;
    }
    return false;
}

static bool naive_has(const struct naive *n, const css_simple *s, uint32_t e)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t f = 0; f < n->d->count; f++)
            if (naive_complex(n, s->list + i, f, e)) return true;
    return false;
}

static bool naive_simple(const struct naive *n, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = n->d;
    bool in_space = s->name_space == CSS_NONE || s->name_space == 1u + d->name_space[e];
    switch ((css_kind)s->kind) {
    case CSS_TYPE:
        return in_space && d->tag[e] == (d->name_space[e] == HED_CSS_HTML ? s->lower : s->name);
    case CSS_UNIVERSAL: return in_space;
    case CSS_ID: return d->id[e] != CSS_NONE && d->id[e] == (d->quirks ? s->lower : s->name);
    case CSS_CLASS:
        for (uint32_t i = d->class_begin[e]; i < d->class_end[e]; i++)
            if (d->classes[i] == (d->quirks ? s->lower : s->name)) return true;
        return false;
    case CSS_ATTRIBUTE: return naive_attribute(n, s, e);
    case CSS_FLAG: return ((d->flags[e] & s->bits) == s->bits) != s->negated;
    case CSS_STATE: return ((d->states[e] & s->bits) != 0) != s->negated;
    case CSS_NTH: return naive_nth(n, s, e);
    case CSS_LANG: return naive_language(n, s, e);
    case CSS_IS: return naive_list(n, s->list, s->count, e);
    case CSS_NOT: return !naive_list(n, s->list, s->count, e);
    case CSS_HAS: return naive_has(n, s, e);
    case CSS_SCOPE: return e == n->root;
    case CSS_HOST:
    case CSS_HAS_SLOTTED:
    case CSS_SLOTTED:
    case CSS_PART:
    case CSS_NEVER: return false;
    }
    return false;
}

/* True if `left` and `e` are related by a combinator. */
static bool naive_relation(const hed_css_document *d, char combinator, uint32_t left, uint32_t e)
{
    uint32_t at;
    switch (combinator) {
    case '>': return d->parent[e] == left;
    case '+': return d->previous[e] == left;
    case '~':
        for (at = d->previous[e]; at != CSS_NONE; at = d->previous[at])
            if (at == left) return true;
        return false;
    default:
        for (at = d->parent[e]; at != CSS_NONE; at = d->parent[at])
            if (at == left) return true;
        return false;
    }
}

/* True if compounds 0 to `last` of a complex selector match with the last one on `e`; if the first
 * compound has a combinator, it relates the compound to `anchor`. */
static bool naive_compounds(
    const struct naive *n, const css_complex *complex, uint32_t last, uint32_t e, uint32_t anchor)
{
    const css_compound *c = &n->sheet->compounds[complex->first + last];
    for (uint32_t i = 0; i < c->count; i++)
        if (!naive_simple(n, &n->sheet->simples[c->first + i], e)) return false;
    if (last == 0) return !c->combinator || naive_relation(n->d, c->combinator, anchor, e);
    bool sibling = c->combinator == '+' || c->combinator == '~';
    const uint32_t *next = sibling ? n->d->previous : n->d->parent;
    for (uint32_t left = next[e]; left != CSS_NONE; left = next[left]) {
        if (naive_compounds(n, complex, last - 1, left, anchor)) return true;
        if (c->combinator == '+' || c->combinator == '>') break;
    }
    return false;
}

static bool naive_complex(const struct naive *n, uint32_t complex, uint32_t e, uint32_t anchor)
{
    const css_complex *c = &n->sheet->complexes[complex];
    return naive_compounds(n, c, c->count - 1, e, anchor);
}

bool css_naive_match(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element)
{
    struct naive n = {sheet, document, CSS_NONE};
    return naive_complex(&n, complex, element, CSS_NONE);
}

/* ---- scopes ---- */

static bool is_inside(const hed_css_document *d, uint32_t e, uint32_t root)
{
    while (e != CSS_NONE && e != root) e = d->parent[e];
    return e == root;
}

/* True if an element is in scope number `scope`, and in the scopes around it, by a root. */
static bool naive_in_scope(const struct naive *n, uint32_t scope, uint32_t root, uint32_t e)
{
    const css_scope *s = &n->sheet->scopes[scope - 1];
    struct naive at = *n;
    bool is_root = false;
    if (!is_inside(n->d, e, root)) return false;
    for (uint32_t r = 0; r < (s->around ? n->d->count : 1) && !is_root; r++) {
        at.root = s->around ? r : CSS_NONE;
        if (s->around && !(is_inside(n->d, root, r) && naive_in_scope(n, s->around, r, e)))
            continue;
        is_root = s->implicit ? root == n->sheet->def.scope_root
                              : naive_list(&at, s->roots, s->root_count, root);
    }
    at.root = root;
    for (uint32_t f = 0; f < n->d->count; f++)
        if (f != root && is_inside(n->d, f, root) && is_inside(n->d, e, f) &&
            naive_list(&at, s->limits, s->limit_count, f))
            return false;
    return is_root;
}

bool css_naive_rule(const hed_css_sheet *sheet, const hed_css_document *document,
    const css_rule *rule, uint32_t element)
{
    struct naive n = {sheet, document, CSS_NONE};
    if (!rule->scope) return naive_list(&n, rule->list, rule->count, element);
    for (uint32_t root = 0; root < document->count; root++) {
        n.root = root;
        if (naive_list(&n, rule->list, rule->count, element) &&
            naive_in_scope(&n, rule->scope, root, element))
            return true;
    }
    return false;
}
