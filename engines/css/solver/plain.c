/* See plain.h. Equivalent to reference/naive.c, but positions, ends of subtrees and siblings are
 * read from the document's tables. */
#include "solver/plain.h"

typedef struct plain {
    const hed_css_sheet *sheet;
    const hed_css_document *d;
    css_plain_states states;
    uint32_t root; /* root of the scope */
} plain;

static bool plain_complex(const plain *p, uint32_t complex, uint32_t e, uint32_t anchor);

static bool plain_list(const plain *p, uint32_t list, uint32_t count, uint32_t e, uint32_t anchor)
{
    for (uint32_t i = 0; i < count; i++)
        if (plain_complex(p, list + i, e, anchor)) return true;
    return false;
}

static bool plain_attribute(const plain *p, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = p->d;
    bool html = d->name_space[e] == HED_CSS_HTML;
    bool insensitive =
        s->letter_case == CSS_INSENSITIVE || (s->letter_case == CSS_AS_DOCUMENT && html);
    bool any_case = html || p->states == CSS_PLAIN_GRANTED;
    uint32_t name = any_case ? s->lower : s->name;
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++) {
        const css_attribute *a = &d->attributes[i];
        uint32_t own = any_case && !html ? css_name_lower(d->names, a->name) : a->name;
        if (own != name) continue;
        if (s->name_space != CSS_NONE && s->name_space != a->name_space) continue;
        if (s->operation == CSS_PRESENT) return true;
        size_t operand_length, length;
        const char *operand = hed_css_names_text(d->names, s->value, &operand_length);
        const char *value = hed_css_names_text(d->names, a->value, &length);
        if (css_value_fits(s->operation, operand, operand_length, value, length, insensitive))
            return true;
    }
    return false;
}

/* ---- elements of an editor: each can be in any relation to the others, see relate() ---- */

static bool is_edited(const plain *p, uint32_t e) { return p->d->flags[e] & CSS_EDITED; }

/* Editor around an element, or the element itself; CSS_NONE: it is in no editor. */
static uint32_t editor_of(const plain *p, uint32_t e)
{
    while (e != CSS_NONE && !(p->d->flags[e] & CSS_EDITOR)) e = p->d->parent[e];
    return e;
}

/* True if a reader can put `e` after `left` and a combinator. */
static bool can_relate(const plain *p, char combinator, uint32_t left, uint32_t e)
{
    if (p->states != CSS_PLAIN_GRANTED || !is_edited(p, e)) return false;
    uint32_t editor = editor_of(p, e);
    return (is_edited(p, left) && editor_of(p, left) == editor) ||
           (combinator == '>' && left == editor);
}

/* True if a relation is not certain, as a reader can end it. */
static bool can_end(const plain *p, char combinator, uint32_t left, uint32_t e)
{
    return p->states == CSS_PLAIN_DENIED &&
           is_edited(p, combinator == '>' || combinator == '+' || combinator == '~' ? e : left);
}

static uint32_t next_sibling(const hed_css_document *d, uint32_t e)
{
    uint32_t parent = d->parent[e], next = d->end[e];
    return parent != CSS_NONE && next < d->end[parent] ? next : CSS_NONE;
}

static bool plain_nth(const plain *p, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = p->d;
    int64_t position = d->position[s->operation][e];
    if (s->count) {
        bool uncertain = p->states != CSS_PLAIN_GIVEN && (s->counts_changes || d->has_edited);
        if (uncertain && p->states == CSS_PLAIN_DENIED) return false;
        if (!plain_list(p, s->list, s->count, e, CSS_NONE)) return false;
        if (uncertain) return true;
        bool last = s->operation == CSS_LAST_CHILD;
        position = 1;
        for (uint32_t f = e;;) {
            f = last ? next_sibling(d, f) : d->previous[f];
            if (f == CSS_NONE) break;
            position += plain_list(p, s->list, s->count, f, CSS_NONE);
        }
    }
    if (!s->count && is_edited(p, e) && p->states != CSS_PLAIN_GIVEN)
        return p->states == CSS_PLAIN_GRANTED;
    int64_t rest = position - s->b; /* = a k, k >= 0 */
    return s->a == 0 ? rest == 0 : rest % s->a == 0 && rest / s->a >= 0;
}

static bool plain_language(const plain *p, const css_simple *s, uint32_t e)
{
    size_t length, range_length;
    if (p->d->language[e] == CSS_NONE) return false;
    const char *language = hed_css_names_text(p->d->names, p->d->language[e], &length);
    for (uint32_t i = 0; i < s->count; i++) {
        const char *range =
            hed_css_names_text(p->d->names, p->sheet->words[s->value + i], &range_length);
        if (css_language_fits(range, range_length, language, length)) return true;
    }
    return false;
}

/* True if some relative selector matches. Its last compound is on a descendant of the element or,
 * after + and ~, on a later sibling or its descendant. */
static bool plain_has(const plain *p, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = p->d;
    for (uint32_t i = 0; i < s->count; i++) {
        const css_complex *c = &p->sheet->complexes[s->list + i];
        char first = p->sheet->compounds[c->first].combinator;
        bool by_sibling = first == '+' || first == '~';
        uint32_t parent = d->parent[e], begin = by_sibling ? d->end[e] : e + 1;
        uint32_t end = !by_sibling ? d->end[e] : parent == CSS_NONE ? begin : d->end[parent];
        for (uint32_t f = begin; f < end; f++)
            if (!can_end(p, ' ', f, f) && plain_complex(p, s->list + i, f, e)) return true;
        uint32_t editor = p->states == CSS_PLAIN_GRANTED ? editor_of(p, e) : CSS_NONE;
        for (uint32_t f = editor; editor != CSS_NONE && f < d->end[editor]; f++)
            if (plain_complex(p, s->list + i, f, e)) return true;
    }
    return false;
}

/* Result of a simple selector, after the changes that a reader can make. */
static bool after_changes(const plain *p, const css_simple *s, uint32_t e, bool holds)
{
    if (p->states == CSS_PLAIN_GRANTED) return holds || p->d->flags[e] & s->may_hold;
    if (p->states == CSS_PLAIN_DENIED) return holds && !(p->d->flags[e] & s->may_fail);
    return holds;
}

static bool plain_simple(const plain *p, const css_simple *s, uint32_t e)
{
    const hed_css_document *d = p->d;
    bool in_space = s->name_space == CSS_NONE || s->name_space == 1u + d->name_space[e];
    uint32_t name = d->quirks ? s->lower : s->name;
    switch ((css_kind)s->kind) {
    case CSS_TYPE:
        if (d->name_space[e] != HED_CSS_HTML && p->states == CSS_PLAIN_GRANTED)
            return in_space && css_name_lower(d->names, d->tag[e]) == s->lower;
        return in_space && d->tag[e] == (d->name_space[e] == HED_CSS_HTML ? s->lower : s->name);
    case CSS_UNIVERSAL: return in_space;
    case CSS_ID: return d->id[e] != CSS_NONE && d->id[e] == name;
    case CSS_CLASS:
        for (uint32_t i = d->class_begin[e]; i < d->class_end[e]; i++)
            if (d->classes[i] == name) return true;
        return false;
    case CSS_ATTRIBUTE: return after_changes(p, s, e, plain_attribute(p, s, e));
    case CSS_FLAG:
        return after_changes(p, s, e, ((d->flags[e] & s->bits) == s->bits) != s->negated);
    case CSS_STATE:
        if (p->states != CSS_PLAIN_GIVEN) return p->states == CSS_PLAIN_GRANTED;
        return ((d->states[e] & s->bits) != 0) != s->negated;
    case CSS_NTH: return plain_nth(p, s, e);
    case CSS_LANG: return plain_language(p, s, e);
    case CSS_IS: return plain_list(p, s->list, s->count, e, CSS_NONE);
    case CSS_NOT: {
        plain inside = *p;
        if (p->states != CSS_PLAIN_GIVEN)
            inside.states = p->states == CSS_PLAIN_GRANTED ? CSS_PLAIN_DENIED : CSS_PLAIN_GRANTED;
        return !plain_list(&inside, s->list, s->count, e, CSS_NONE);
    }
    case CSS_HAS: return plain_has(p, s, e);
    case CSS_SCOPE: return e == p->root;
    case CSS_NEVER: return false;
    }
    return false;
}

/* True if `left` and `e` are related by a combinator. */
static bool plain_relation(const hed_css_document *d, char combinator, uint32_t left, uint32_t e)
{
    switch (combinator) {
    case '>': return d->parent[e] == left;
    case '+': return d->previous[e] == left;
    case '~': return left < e && d->parent[left] == d->parent[e] && d->parent[e] != CSS_NONE;
    default: return left < e && e < d->end[left];
    }
}

/* True if compounds 0 to `last` of a complex selector match with the last one on `e`; if the first
 * compound has a combinator, it relates the compound to `anchor`. */
static bool plain_compounds(
    const plain *p, const css_complex *complex, uint32_t last, uint32_t e, uint32_t anchor)
{
    const css_compound *c = &p->sheet->compounds[complex->first + last];
    for (uint32_t i = 0; i < c->count; i++)
        if (!plain_simple(p, &p->sheet->simples[c->first + i], e)) return false;
    if (last == 0)
        return !c->combinator || plain_relation(p->d, c->combinator, anchor, e) ||
               can_relate(p, c->combinator, anchor, e);
    uint32_t editor =
        is_edited(p, e) && p->states == CSS_PLAIN_GRANTED ? editor_of(p, e) : CSS_NONE;
    for (uint32_t left = editor; editor != CSS_NONE && left < p->d->end[editor]; left++)
        if (can_relate(p, c->combinator, left, e) &&
            plain_compounds(p, complex, last - 1, left, anchor))
            return true;
    bool sibling = c->combinator == '+' || c->combinator == '~';
    const uint32_t *next = sibling ? p->d->previous : p->d->parent;
    for (uint32_t left = next[e]; left != CSS_NONE; left = next[left]) {
        if (!can_end(p, c->combinator, left, e) &&
            plain_compounds(p, complex, last - 1, left, anchor))
            return true;
        if (c->combinator == '+' || c->combinator == '>') break;
    }
    return false;
}

static bool plain_complex(const plain *p, uint32_t complex, uint32_t e, uint32_t anchor)
{
    const css_complex *c = &p->sheet->complexes[complex];
    return plain_compounds(p, c, c->count - 1, e, anchor);
}

bool css_plain_below(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element, css_plain_states states, uint32_t root)
{
    const plain p = {sheet, document, states, root};
    return plain_complex(&p, complex, element, CSS_NONE);
}

bool css_plain_match(const hed_css_sheet *sheet, const hed_css_document *document, uint32_t complex,
    uint32_t element, bool possible)
{
    return css_plain_below(sheet, document, complex, element,
        possible ? CSS_PLAIN_GRANTED : CSS_PLAIN_GIVEN, CSS_NONE);
}
