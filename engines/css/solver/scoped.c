/* See scoped.h. */
#include "solver/scoped.h"

#include "model/shadow.h"

static bool any_below(const css_scoper *s, uint32_t first, uint32_t count, uint32_t e,
    css_plain_states states, uint32_t root)
{
    const css_plain plain = {s->sheet, s->d, states, root, s->tree};
    for (uint32_t i = 0; i < count; i++)
        if (css_plain_match(&plain, first + i, e)) return true;
    return false;
}

static css_plain_states granted(const css_scoper *s)
{
    return s->possible ? CSS_PLAIN_GRANTED : CSS_PLAIN_GIVEN;
}

/* True if an element is a root of a scope that is in no other one. */
static bool is_outer_root(const css_scoper *s, uint32_t scope, uint32_t e)
{
    const css_scope *of = &s->sheet->scopes[scope - 1];
    size_t at = (size_t)(scope - 1) * s->d->count + e;
    if (!s->roots || !s->roots[at]) {
        bool is_root = any_below(s, of->roots, of->root_count, e, granted(s), CSS_NONE);
        if (!s->roots) return is_root;
        s->roots[at] = is_root ? 1 : 2;
    }
    return s->roots[at] == 1;
}

/* True if a limit of the scope is between a root and an element, which may be the limit. */
static bool is_limited(const css_scoper *s, const css_scope *of, uint32_t root, uint32_t e)
{
    css_plain_states states = s->possible ? CSS_PLAIN_DENIED : CSS_PLAIN_GIVEN;
    for (; of->limit_count && e != root; e = s->d->parent[e])
        if (any_below(s, of->limits, of->limit_count, e, states, root)) return true;
    return false;
}

/* True if an element is in scope by a root, which is the element or above it: of the scope and of
 * the scopes around it. The root of a scope without selectors is unknown where anything that is
 * possible counts. */
static bool is_in_scope(const css_scoper *s, uint32_t scope, uint32_t root, uint32_t e)
{
    const css_scope *of = &s->sheet->scopes[scope - 1];
    uint32_t implicit_root = s->tree ? s->d->trees[s->tree].root : s->sheet->def.scope_root;
    bool is_root = of->implicit && (s->possible || root == implicit_root);
    if (of->implicit && !is_root) return false;
    if (!of->around) is_root = is_root || is_outer_root(s, scope, root);
    else { /* the root is in scope by a root of the scope around, as the element is */
        bool implicit = is_root;
        is_root = false;
        for (uint32_t r = root; r != CSS_NONE && !is_root; r = s->d->parent[r])
            is_root = (implicit || any_below(s, of->roots, of->root_count, root, granted(s), r)) &&
                      is_in_scope(s, of->around, r, e);
    }
    return is_root && !is_limited(s, of, root, e);
}

bool css_scope_match(
    const css_scoper *s, const css_rule *rule, uint32_t complex, uint32_t element, uint32_t *hops)
{
    *hops = CSS_NONE;
    if (!rule->scope) return any_below(s, complex, 1, element, granted(s), CSS_NONE);
    uint32_t distance = 0;
    if (s->tree && s->d->trees[s->tree].host == element) element = s->d->trees[s->tree].root;
    for (uint32_t r = element; r != CSS_NONE; r = s->d->parent[r], distance++) {
        if (!any_below(s, complex, 1, element, granted(s), r) ||
            !is_in_scope(s, rule->scope, r, element))
            continue;
        *hops = distance;
        return true;
    }
    return false;
}
