/* See change.h. A sweep visits elements in its own order, so that the rows that an element reads
 * are final when it is visited. A heap of element numbers, smallest first, gives this order;
 * backwards it has CSS_NONE - number. */
#include "solver/change.h"

#include <string.h>

hed_status css_changer_make(css_changer *c, hed_arena *arena, css_pass *pass, hed_error *error)
{
    const css_forest *f = pass->forest;
    uint32_t words = pass->dependency_words, slots = pass->bound->slots;
    uint64_t total = (uint64_t)f->count * words;
    if (hed_failed(error)) return error->status;
    *c = (css_changer){
        .pass = pass, .arena = arena, .sweeps = (pass->bound->sweeps + 1) / 2 * 2 + 1};
    c->rows = hed_arena_new(arena, c->sweeps, sizeof *c->rows, error);
    c->ready = hed_arena_new(arena, f->document_count, 1, error);
    c->queued = hed_arena_new(arena, f->count, 1, error);
    for (uint32_t s = 0; s < c->sweeps && !hed_failed(error) && total; s++) {
        css_rows *r = &c->rows[s];
        r->own = hed_arena_new(arena, total, sizeof(uint32_t), error);
        r->earlier_siblings = hed_arena_new(arena, total, sizeof(uint32_t), error);
        r->ancestors = hed_arena_new(arena, total, sizeof(uint32_t), error);
        if (pass->bound->counts)
            r->counts = hed_arena_new(arena, (uint64_t)f->count * slots, sizeof(uint32_t), error);
    }
    css_list_room(&c->work, arena, 3 * words + slots + pass->early_words, error);
    if (hed_failed(error)) return error->status;
    if (c->work.room) memset(c->work.items, 0, c->work.room * sizeof(uint32_t));
    return HED_OK;
}

/* ---- the heap ---- */

static void heap_push(css_changer *c, uint32_t key, hed_error *error)
{
    css_push(&c->heap, c->arena, key, error);
    if (hed_failed(error)) return;
    uint32_t *h = c->heap.items, at = c->heap.count - 1;
    for (; at && h[(at - 1) / 2] > key; at = (at - 1) / 2) h[at] = h[(at - 1) / 2];
    h[at] = key;
}

static uint32_t heap_pop(css_changer *c)
{
    uint32_t *h = c->heap.items, top = *h, last = h[--c->heap.count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= c->heap.count) break;
        if (child + 1 < c->heap.count && h[child + 1] < h[child]) child++;
        if (h[child] >= last) break;
        h[at] = h[child];
        at = child;
    }
    if (c->heap.count) h[at] = last;
    return top;
}

/* Adds an element of a document to the heap of a sweep. */
static void visit_later(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    uint8_t *queued = &c->queued[c->pass->forest->first[document] + e];
    if (e == CSS_NONE || *queued & 1) return;
    *queued |= 1;
    heap_push(c, sweep & 1 ? CSS_NONE - e : e, error);
}

/* ---- visiting ---- */

/* Row of an element; NULL if it does not exist. */
static uint32_t *row_of(const css_pass *p, uint32_t *rows, size_t element, bool exists)
{
    return exists ? rows + element * p->dependency_words : NULL;
}

/* Writes a | b to a row; NULL: an empty row. True: the row has changed. */
static bool row_set(const css_pass *p, uint32_t *to, const uint32_t *a, const uint32_t *b)
{
    bool changed = false;
    for (uint32_t w = 0; w < p->dependency_words; w++) {
        uint32_t word = (a ? a[w] : 0) | (b ? b[w] : 0);
        changed = changed || to[w] != word;
        to[w] = word;
    }
    return changed;
}

/* Sets the row of an element's earlier siblings, and its counts, from its previous sibling. True:
 * some have changed. */
static bool siblings_set(
    const css_pass *p, const css_rows *r, size_t element, size_t previous, bool has_previous)
{
    uint32_t slots = p->bound->slots;
    const uint32_t *own = row_of(p, r->own, previous, has_previous);
    bool changed = row_set(p, row_of(p, r->earlier_siblings, element, true), own,
        row_of(p, r->earlier_siblings, previous, has_previous));
    for (uint32_t s = 0; s < slots && r->counts; s++) {
        uint32_t *counts = &r->counts[element * slots + s];
        uint32_t count =
            has_previous ? r->counts[previous * slots + s] + (own[s >> 5] >> (s & 31) & 1) : 0;
        changed = changed || *counts != count;
        *counts = count;
    }
    return changed;
}

/* Changes of an element by a visit: bits. */
enum {
    CHANGED_SIBLING = 1, /* rows that siblings read, backwards also the parent */
    CHANGED_BELOW = 2,   /* rows or state that children read */
    CHANGED_BITS = 4     /* early bits */
};

/* Finds the class of an element in the pass; *own: its row of dependencies, or NULL. */
static uint32_t visit_class(css_changer *c, const hed_css_document *d, uint32_t document,
    uint32_t e, const uint32_t **own, const css_around *around, hed_error *error)
{
    css_pass *p = c->pass;
    uint32_t first = p->forest->first[document], kind = p->forest->kind[first + e];
    const css_bound_kind *bound = &p->bound->kind.items[kind];
    if (bound->dynamics)
        css_find_bits(p, d, e, bound, p->early + (size_t)(first + e) * p->early_words, around);
    uint32_t signature = css_signature_of(p, kind, error), parent = d->parent[e];
    if (hed_failed(error)) return 0;
    uint32_t state =
        parent == CSS_NONE ? 0 : p->class.items[p->element_class[first + parent]].state;
    uint32_t number = css_class_of(p, state, signature, error);
    if (hed_failed(error)) return 0;
    uint32_t *element_class = &p->element_class[first + e], before = *element_class;
    uint32_t first_word = p->signature.items[signature].first_dependency_word;
    *own = first_word == CSS_NONE ? NULL : p->dependency_rows.items + first_word;
    if (before == number) return 0;
    *element_class = number;
    css_push(&c->changed, c->arena, first + e, error);
    css_push(&c->before, c->arena, before, error);
    return p->class.items[before].state != p->class.items[number].state ? CHANGED_BELOW : 0;
}

static uint32_t visit_forward(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    css_pass *p = c->pass;
    const hed_css_document *d = p->forest->documents[document];
    uint32_t first = p->forest->first[document], changes = 0;
    const uint32_t *own = NULL;
    if (!p->dependency_words) return visit_class(c, d, document, e, &own, NULL, error);
    const css_rows *r = &c->rows[sweep];
    const uint32_t *empty = c->work.items;
    bool has_previous = d->previous[e] != CSS_NONE, has_parent = d->parent[e] != CSS_NONE;
    size_t at = (size_t)first + e, previous = (size_t)first + d->previous[e];
    size_t parent = (size_t)first + d->parent[e];
    const uint32_t *previous_own = row_of(p, r->own, previous, has_previous);
    const uint32_t *parent_own = row_of(p, r->own, parent, has_parent);
    uint32_t *ancestors = row_of(p, r->ancestors, at, true);
    if (siblings_set(p, r, at, previous, has_previous)) changes |= CHANGED_SIBLING;
    if (p->bound->looks_up &&
        row_set(p, ancestors, parent_own, row_of(p, r->ancestors, parent, has_parent)))
        changes |= CHANGED_BELOW;
    const css_around around = {.previous_sibling = previous_own ? previous_own : empty,
        .earlier_siblings = row_of(p, r->earlier_siblings, at, true),
        .counts = r->counts + at * p->bound->slots,
        .parent = parent_own ? parent_own : empty,
        .ancestors = ancestors};
    if (sweep + 1 == c->sweeps) changes |= visit_class(c, d, document, e, &own, &around, error);
    else {
        css_sweep_element(
            p, d, e, p->forest->kind[at], sweep, p->early + at * p->early_words, &around);
        own = p->row.items;
    }
    if (row_set(p, row_of(p, r->own, at, true), own, NULL))
        changes |= p->bound->looks_up ? CHANGED_SIBLING | CHANGED_BELOW : CHANGED_SIBLING;
    return changes;
}

static uint32_t visit_backward(css_changer *c, uint32_t document, uint32_t sweep, uint32_t e)
{
    css_pass *p = c->pass;
    const hed_css_document *d = p->forest->documents[document];
    uint32_t first = p->forest->first[document], changes = 0;
    const css_rows *r = &c->rows[sweep];
    const uint32_t *empty = c->work.items;
    uint32_t *children = c->work.items + p->dependency_words;
    uint32_t *descendants = children + p->dependency_words;
    uint32_t parent = d->parent[e], end = d->end[e];
    bool has_next = parent != CSS_NONE && end<d->end[parent], has_child = end> e + 1;
    size_t at = (size_t)first + e, next = (size_t)first + end, child = at + 1;
    const uint32_t *next_own = row_of(p, r->own, next, has_next);
    if (siblings_set(p, r, at, next, has_next)) changes |= CHANGED_SIBLING;
    row_set(p, children, row_of(p, r->own, child, has_child),
        row_of(p, r->earlier_siblings, child, has_child));
    row_set(p, descendants, row_of(p, r->ancestors, child, has_child), NULL);
    const css_around around = {.previous_sibling = next_own ? next_own : empty,
        .earlier_siblings = row_of(p, r->earlier_siblings, at, true),
        .counts = r->counts + at * p->bound->slots,
        .children = children,
        .descendants = descendants};
    css_sweep_element(p, d, e, p->forest->kind[at], sweep, p->early + at * p->early_words, &around);
    if (row_set(p, row_of(p, r->own, at, true), p->row.items, NULL)) changes |= CHANGED_SIBLING;
    row_set(p, descendants, descendants, p->row.items);
    if (row_set(p, row_of(p, r->ancestors, at, true), descendants,
            row_of(p, r->ancestors, next, has_next)))
        changes |= CHANGED_SIBLING;
    return changes;
}

/* Visits an element in a sweep; returns its changes. */
static uint32_t visit(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    css_pass *p = c->pass;
    uint32_t *early = p->early + (size_t)(p->forest->first[document] + e) * p->early_words;
    uint32_t *before = c->work.items + 3 * p->dependency_words;
    size_t bytes = p->early_words * sizeof *early;
    if (bytes) memcpy(before, early, bytes);
    uint32_t changes = sweep & 1 ? visit_backward(c, document, sweep, e)
                                 : visit_forward(c, document, sweep, e, error);
    return changes | (bytes && memcmp(before, early, bytes) ? CHANGED_BITS : 0);
}

static bool sweep_used(const css_changer *c, uint32_t sweep)
{
    return sweep + 1 == c->sweeps || c->pass->used_sweeps >> css_sweep_bit(sweep) & 1;
}

hed_status css_changer_prepare(css_changer *c, uint32_t document, hed_error *error)
{
    const hed_css_document *d = c->pass->forest->documents[document];
    if (hed_failed(error)) return error->status;
    if (c->ready[document]) return HED_OK;
    for (uint32_t s = 0; s < c->sweeps && c->pass->dependency_words; s++)
        for (uint32_t i = 0; sweep_used(c, s) && i < d->count && !hed_failed(error); i++)
            visit(c, document, s, s & 1 ? d->count - 1 - i : i, error);
    c->changed.count = c->before.count = 0;
    c->ready[document] = !hed_failed(error);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_changer_touch(css_changer *c, uint32_t document, uint32_t e, hed_error *error)
{
    uint8_t *queued = &c->queued[c->pass->forest->first[document] + e];
    if (*queued & 2) return;
    *queued |= 2;
    css_push(&c->dirty, c->arena, e, error);
}

/* Adds the elements that read the changes of an element to the heap of a sweep. */
static void visit_neighbours(css_changer *c, uint32_t document, uint32_t sweep, uint32_t e,
    uint32_t changes, hed_error *error)
{
    const hed_css_document *d = c->pass->forest->documents[document];
    uint32_t parent = d->parent[e];
    if (sweep & 1) {
        if (!(changes & CHANGED_SIBLING) || parent == CSS_NONE) return;
        visit_later(
            c, document, sweep, d->previous[e] == CSS_NONE ? parent : d->previous[e], error);
        return;
    }
    if (changes & CHANGED_SIBLING && parent != CSS_NONE && d->end[e] < d->end[parent])
        visit_later(c, document, sweep, d->end[e], error);
    for (uint32_t x = e + 1; x < d->end[e] && changes & CHANGED_BELOW; x = d->end[x])
        visit_later(c, document, sweep, x, error);
}

hed_status css_changer_run(css_changer *c, uint32_t document, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    uint8_t *queued = c->queued + c->pass->forest->first[document];
    c->changed.count = c->before.count = c->heap.count = 0;
    for (uint32_t s = 0; s < c->sweeps && !hed_failed(error); s++) {
        for (uint32_t i = 0; i < c->dirty.count && sweep_used(c, s); i++)
            visit_later(c, document, s, c->dirty.items[i], error);
        while (c->heap.count && !hed_failed(error)) {
            uint32_t key = heap_pop(c), e = s & 1 ? CSS_NONE - key : key;
            queued[e] &= 2;
            uint32_t changes = visit(c, document, s, e, error);
            if (changes & CHANGED_BITS) css_changer_touch(c, document, e, error);
            if (changes) visit_neighbours(c, document, s, e, changes, error);
        }
    }
    for (uint32_t i = 0; i < c->dirty.count; i++) queued[c->dirty.items[i]] = 0;
    c->dirty.count = 0;
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- moves ---- */

uint64_t css_changer_move_words(const css_changer *c, uint32_t elements)
{
    const css_pass *p = c->pass;
    uint32_t words = p->dependency_words;
    if (p->early_words > words) words = p->early_words;
    if (p->bound->counts && p->bound->slots > words) words = p->bound->slots;
    return (uint64_t)elements * (words ? words : 1);
}

void css_changer_move(
    css_changer *c, uint32_t document, uint32_t low, uint32_t middle, uint32_t high, uint32_t *work)
{
    css_pass *p = c->pass;
    size_t first = p->forest->first[document], words = p->dependency_words;
    size_t slots = p->bound->slots, word = sizeof(uint32_t);
    css_change_places(p->forest->kind + first, word, low, middle, high, work);
    css_change_places(p->element_class + first, word, low, middle, high, work);
    if (p->early_words)
        css_change_places(
            p->early + first * p->early_words, p->early_words * word, low, middle, high, work);
    for (uint32_t s = 0; s < c->sweeps && words; s++) {
        const css_rows *r = &c->rows[s];
        uint32_t *rows[] = {r->own, r->earlier_siblings, r->ancestors};
        for (size_t i = 0; i < HED_COUNT(rows); i++)
            css_change_places(rows[i] + first * words, words * word, low, middle, high, work);
        if (r->counts)
            css_change_places(r->counts + first * slots, slots * word, low, middle, high, work);
    }
}
