/* See plain.h. Equivalent to reference/naive.c, but positions, ends of subtrees and siblings are
 * read from the document's tables. */
#include "solver/plain.h"

#include "model/shadow.h"

typedef css_plain plain;

static bool plain_complex(const plain *p, uint32_t complex, uint32_t e, uint32_t anchor);
static bool plain_rest(
    const plain *p, const css_complex *complex, uint32_t last, uint32_t e, uint32_t anchor);
static bool plain_root(const plain *p, const css_compound *compound, uint32_t root);

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

/* True if an element or a text is assigned to a slot, or can be. */
static bool has_slotted(const plain *p, uint32_t e)
{
    const hed_css_document *d = p->d;
    uint32_t tree = css_tree_of(d, e), name = css_name_find(d->names, "name", 4);
    if (!tree || !css_is_html_slot(d, e)) return false;
    if (p->states != CSS_PLAIN_GIVEN) return p->states == CSS_PLAIN_GRANTED;
    uint32_t host = d->trees[tree].host;
    for (uint32_t child = host + 1; child < d->end[host]; child = d->end[child])
        if (d->assigned_slot[child] == e) return true;
    return d->has_text[host] && (name == CSS_NONE || css_attribute_value(d, e, name) == CSS_NONE);
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
    case CSS_HAS_SLOTTED: return has_slotted(p, e);
    case CSS_HOST:
    case CSS_SLOTTED:
    case CSS_PART:
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
    if (css_is_shadow_root(p->d, e))
        return plain_root(p, c, e) && plain_rest(p, complex, last, e, anchor);
    for (uint32_t i = 0; i < c->count; i++)
        if (!plain_simple(p, &p->sheet->simples[c->first + i], e)) return false;
    return plain_rest(p, complex, last, e, anchor);
}

static bool plain_rest(
    const plain *p, const css_complex *complex, uint32_t last, uint32_t e, uint32_t anchor)
{
    const css_compound *c = &p->sheet->compounds[complex->first + last];
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

static bool plain_any(const plain *p, uint32_t list, uint32_t count, uint32_t e)
{
    return plain_list(p, list, count, e, CSS_NONE);
}

/* ---- shadow trees: CSS Scoping 1, CSS Shadow Parts 1. An element that stands for a shadow root is the host
 * as its own tree sees it: without features, so that :host alone matches it (Selectors 4, section 3.2) ---- */

/* ---- hosts ---- */

static bool same_tag(const hed_css_document *d, uint32_t a, uint32_t b)
{
    return d->tag[a] == d->tag[b] && d->name_space[a] == d->name_space[b];
}

/* True if a list holds on the host. Where states are granted, scripts can make any element of its
 * name such a host. */
static bool host_fits(const plain *p, const css_simple *s, uint32_t host)
{
    const hed_css_document *d = p->d;
    if (p->states == CSS_PLAIN_GIVEN) return plain_any(p, s->list, s->count, host);
    bool granted = p->states == CSS_PLAIN_GRANTED;
    for (uint32_t e = 0; e < d->count; e++)
        if (same_tag(d, e, host) && plain_any(p, s->list, s->count, e) == granted) return granted;
    return !granted;
}

/* True if a list holds on the host or on an element around it, in any tree. */
static bool context_fits(const plain *p, const css_simple *s, uint32_t host)
{
    const hed_css_document *d = p->d;
    if (p->states == CSS_PLAIN_DENIED) return false;
    for (uint32_t e = host; e != CSS_NONE; e = css_including_parent(d, e))
        if (plain_any(p, s->list, s->count, e)) return true;
    for (uint32_t e = 0; e < d->count && p->states == CSS_PLAIN_GRANTED; e++)
        if (!css_is_shadow_root(d, e) && plain_any(p, s->list, s->count, e)) return true;
    return false;
}

static bool names_host(const plain *p, const css_compound *compound);

/* True if some selector of a list can match a host in its own tree. */
static bool list_names_host(const plain *p, uint32_t list, uint32_t count)
{
    for (uint32_t i = list; i < list + count; i++) {
        const css_complex *c = &p->sheet->complexes[i];
        if (names_host(p, &p->sheet->compounds[c->first + c->count - 1])) return true;
    }
    return false;
}

/* True if a compound can match a host in its own tree: it has :host, itself or in an :is(),
 * :not(). */
static bool names_host(const plain *p, const css_compound *compound)
{
    for (uint32_t i = 0; i < compound->count; i++) {
        const css_simple *s = &p->sheet->simples[compound->first + i];
        bool list = s->kind == CSS_IS || s->kind == CSS_NOT;
        if (s->kind == CSS_HOST || s->kind == CSS_SCOPE) return true;
        if (list && list_names_host(p, s->list, s->count)) return true;
    }
    return false;
}

static bool root_simple(const plain *p, const css_simple *s, uint32_t root)
{
    const hed_css_document *d = p->d;
    uint32_t host = d->trees[d->tree_of[root]].host;
    switch ((css_kind)s->kind) {
    case CSS_HOST:
        if (s->operation == CSS_HOST_LIST) return host_fits(p, s, host);
        return s->operation == CSS_HOST_ANY || context_fits(p, s, host);
    case CSS_IS: return plain_simple(p, s, root);
    case CSS_NOT: return list_names_host(p, s->list, s->count) && plain_simple(p, s, root);
    case CSS_HAS:
    case CSS_SCOPE: return plain_simple(p, s, root);
    default: return false;
    }
}

static bool plain_root(const plain *p, const css_compound *compound, uint32_t root)
{
    if (!names_host(p, compound)) return false;
    for (uint32_t i = 0; i < compound->count; i++)
        if (!root_simple(p, &p->sheet->simples[compound->first + i], root)) return false;
    return true;
}

/* ---- slots ---- */

/* True if the selectors of a slot match one in the sheet's tree. */
static bool slot_fits(const plain *p, const css_complex *complex, uint32_t slot)
{
    const css_compound *c = &p->sheet->compounds[complex->first + complex->count - 1];
    if (css_tree_of(p->d, slot) != p->tree) return false;
    for (uint32_t i = 0; i < c->count; i++) {
        const css_simple *s = &p->sheet->simples[c->first + i];
        if (s->kind != CSS_SLOTTED && !plain_simple(p, s, slot)) return false;
    }
    return plain_rest(p, complex, complex->count - 1, slot, CSS_NONE);
}

/* True if an attribute has the same value on both elements; absent and empty are one value. */
static bool same_name(const hed_css_document *d, uint32_t slot, uint32_t child)
{
    uint32_t slot_name = css_name_find(d->names, "slot", 4), name = css_name_find(d->names, "name", 4);
    uint32_t empty = css_name_find(d->names, "", 0);
    uint32_t of_slot = name == CSS_NONE ? CSS_NONE : css_attribute_value(d, slot, name);
    uint32_t of_child = slot_name == CSS_NONE ? CSS_NONE : css_attribute_value(d, child, slot_name);
    if (of_slot == empty) of_slot = CSS_NONE;
    return of_slot == (of_child == empty ? CSS_NONE : of_child);
}

/* True if scripts can assign an element to a fitting slot: its parent has the name of the host, and
 * no shadow tree yet. */
static bool can_be_slotted(const plain *p, const css_complex *complex, uint32_t e)
{
    const hed_css_document *d = p->d;
    uint32_t parent = d->parent[e], tag = css_name_find(d->names, "slot", 4);
    if (p->states != CSS_PLAIN_GRANTED || parent == CSS_NONE || !p->tree) return false;
    const css_shadow_tree *tree = &d->trees[p->tree];
    if (d->shadow_tree[parent] || !same_tag(d, parent, tree->host)) return false;
    for (uint32_t slot = tree->root; slot < d->end[tree->root]; slot++)
        if (d->tag[slot] == tag && same_name(d, slot, e) && slot_fits(p, complex, slot))
            return true;
    return false;
}

static bool plain_slotted(const plain *p, const css_complex *complex, uint32_t e)
{
    const hed_css_document *d = p->d;
    const css_compound *c = &p->sheet->compounds[complex->first + complex->count - 1];
    /* a slot in a shadow tree is replaced by its contents */
    bool is_slot = d->tree_of[e] && css_is_html_slot(d, e);
    if (css_is_shadow_root(d, e) || is_slot) return false;
    for (uint32_t i = 0; i < c->count; i++) {
        const css_simple *s = &p->sheet->simples[c->first + i];
        if (s->kind == CSS_SLOTTED && !plain_any(p, s->list, s->count, e)) return false;
    }
    for (uint32_t slot = d->assigned_slot[e]; slot != CSS_NONE; slot = d->assigned_slot[slot])
        if (slot_fits(p, complex, slot)) return true;
    return can_be_slotted(p, complex, e);
}

/* ---- parts ---- */

/* True if a part has all names of a ::part(). */
static bool has_names(const plain *p, const css_simple *s, const css_part_context *part)
{
    for (uint32_t i = 0; i < s->count; i++) {
        size_t length;
        const char *name = hed_css_names_text(p->d->names, p->sheet->words[s->value + i], &length);
        uint32_t k = 0;
        while (k < part->count &&
               (part->lengths[k] != length || memcmp(part->names[k], name, length) != 0))
            k++;
        if (k == part->count && !part->has_more) return false;
    }
    return true;
}

/* True if the selectors of the host, before ::part(), match; `host` may stand for a shadow root. */
static bool host_of_part(
    const plain *p, const css_complex *complex, uint32_t part_index, uint32_t host)
{
    css_compound before = p->sheet->compounds[complex->first + complex->count - 1];
    before.count = part_index;
    if (css_is_shadow_root(p->d, host)) {
        if (!plain_root(p, &before, host)) return false;
    } else
        for (uint32_t i = 0; i < before.count; i++)
            if (!plain_simple(p, &p->sheet->simples[before.first + i], host)) return false;
    return plain_rest(p, complex, complex->count - 1, host, CSS_NONE);
}

static bool plain_part(const plain *p, const css_complex *complex, uint32_t e)
{
    const hed_css_document *d = p->d;
    const css_compound *c = &p->sheet->compounds[complex->first + complex->count - 1];
    const css_simple *simples = &p->sheet->simples[c->first];
    uint32_t index = 0;
    css_part_context part;
    if (css_is_shadow_root(d, e)) return false;
    while (simples[index].kind != CSS_PART) index++;
    bool unknown = p->states == CSS_PLAIN_GRANTED && css_tree_of(d, e) == p->tree &&
                   !(d->shadow_tree && d->shadow_tree[e]) && css_can_host(d, e, index == 0);
    if (unknown && host_of_part(p, complex, index, e)) return true;
    for (uint32_t i = index + 1; i < c->count; i++)
        if (!plain_simple(p, &simples[i], e)) return false;
    for (bool has_part = css_part_begin(d, e, &part); has_part;
         has_part = css_part_outwards(d, &part)) {
        const css_shadow_tree *tree = &d->trees[part.tree];
        /* :host::part() finds a part in its own tree, but no exported part (as browsers do) */
        bool inside = part.tree == p->tree && css_tree_of(d, e) == p->tree;
        bool outside = css_tree_of(d, tree->host) == p->tree;
        if ((inside || outside) && has_names(p, &simples[index], &part) &&
            host_of_part(p, complex, index, inside ? tree->root : tree->host))
            return true;
    }
    return false;
}

/* ---- the whole ---- */

bool css_plain_match(const css_plain *p, uint32_t complex, uint32_t e)
{
    const hed_css_document *d = p->d;
    const css_complex *c = &p->sheet->complexes[complex];
    uint8_t shadow = p->sheet->compounds[c->first + c->count - 1].shadow;
    if (shadow == CSS_SLOTTED) return d->tree_count && plain_slotted(p, c, e);
    if (shadow == CSS_PART) return plain_part(p, c, e);
    if (css_tree_of(d, e) == p->tree) return plain_complex(p, complex, e, CSS_NONE);
    bool hosts = p->tree && d->trees[p->tree].host == e;
    return hosts && plain_complex(p, complex, d->trees[p->tree].root, CSS_NONE);
}
