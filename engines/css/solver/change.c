/* See change.h. Each sweep visits elements in its own order, so that what an element reads is final when
 * it is visited: a heap of numbers, smallest first; backwards they are turned round. */
#include "solver/change.h"

#include <string.h>

hed_status css_changer_make(css_changer *c, hed_arena *arena, css_pass *pass, hed_error *error)
{
    const css_forest *f = pass->forest;
    uint64_t words = (uint64_t)f->count * pass->feed_words;
    if (hed_failed(error)) return error->status;
    *c = (css_changer){
        .pass = pass, .arena = arena, .sweeps = (pass->bound->sweeps + 1) / 2 * 2 + 1};
    c->rows = hed_arena_new(arena, c->sweeps, sizeof *c->rows, error);
    c->ready = hed_arena_new(arena, f->document_count, 1, error);
    c->queued = hed_arena_new(arena, f->count, 1, error);
    for (uint32_t s = 0; s < c->sweeps && !hed_failed(error) && words; s++) {
        struct css_rows *r = &c->rows[s];
        r->feeds = hed_arena_new(arena, words, sizeof(uint32_t), error);
        r->some = hed_arena_new(arena, words, sizeof(uint32_t), error);
        r->above = hed_arena_new(arena, words, sizeof(uint32_t), error);
        if (pass->bound->counts)
            r->counts = hed_arena_new(
                arena, (uint64_t)f->count * pass->bound->feed_slots, sizeof(uint32_t), error);
    }
    /* rows that are put together: two, and an empty one; early bits as they were */
    css_list_room(
        &c->work, arena, 3 * pass->feed_words + pass->bound->feed_slots + pass->early_words, error);
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
    uint32_t *h = c->heap.items, top = h[0], last = h[--c->heap.count], at = 0;
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

/* An element of a document into the heap of a sweep. */
static void visit_later(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    uint8_t *queued = &c->queued[c->pass->forest->first[document] + e];
    if (e == CSS_NONE || *queued & 1) return;
    *queued |= 1;
    heap_push(c, sweep & 1 ? CSS_NONE - e : e, error);
}

/* ---- visiting ---- */

/* a | b into a row (of fw words); NULL: nothing. Gives whether it was another one. */
static bool row_set(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t fw)
{
    bool other = false;
    for (uint32_t w = 0; w < fw; w++) {
        uint32_t word = (a ? a[w] : 0) | (b ? b[w] : 0);
        other = other || to[w] != word;
        to[w] = word;
    }
    return other;
}

/* Counts of the siblings visited before: those of the neighbour, and itself. */
static bool counts_set(
    const css_pass *p, const struct css_rows *r, size_t element, size_t near, bool has_near)
{
    bool other = false;
    uint32_t slots = p->bound->feed_slots;
    for (uint32_t s = 0; s < slots && r->counts; s++) {
        const uint32_t *feeds = r->feeds + near * p->feed_words;
        uint32_t count =
            has_near ? r->counts[near * slots + s] + (feeds[s >> 5] >> (s & 31) & 1) : 0;
        other = other || r->counts[element * slots + s] != count;
        r->counts[element * slots + s] = count;
    }
    return other;
}

/* What changed about an element when it was visited. */
enum { OTHER_BESIDE = 1, OTHER_BELOW = 2, OTHER_BITS = 4 };

static uint32_t visit_class(css_changer *c, const hed_css_document *d, uint32_t document,
    uint32_t e, const uint32_t **feeds, const css_around *around, hed_error *error)
{
    css_pass *p = c->pass;
    uint32_t first = p->forest->first[document], shape = p->forest->shape[first + e];
    const uint32_t *bound = p->bound->bound.items + (size_t)shape * CSS_BOUND_WORDS;
    if (bound[CSS_BOUND_ASKS])
        css_find_bits(p, d, e, bound, p->early + (size_t)(first + e) * p->early_words, around);
    uint32_t signature = css_signature_of(p, shape, error), parent = d->parent[e];
    if (hed_failed(error)) return 0;
    uint32_t state =
        parent == CSS_NONE ? 0 : p->class_state.items[p->element_class[first + parent]];
    uint32_t class_number = css_class_of(p, state, signature, error);
    if (hed_failed(error)) return 0;
    uint32_t *mine = &p->element_class[first + e], before = *mine;
    *feeds = p->signatures[signature].feeds == CSS_NONE
                 ? NULL
                 : p->feeds.items + p->signatures[signature].feeds;
    if (before == class_number) return 0;
    *mine = class_number;
    css_push(&c->changed, c->arena, first + e, error);
    css_push(&c->before, c->arena, before, error);
    return p->class_state.items[before] != p->class_state.items[class_number] ? OTHER_BELOW : 0;
}

static uint32_t visit_forward(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    css_pass *p = c->pass;
    const hed_css_document *d = p->forest->documents[document];
    uint32_t first = p->forest->first[document], fw = p->feed_words, other = 0;
    bool last = sweep + 1 == c->sweeps;
    const uint32_t *feeds = NULL;
    if (!fw) return visit_class(c, d, document, e, &feeds, NULL, error);
    const struct css_rows *r = &c->rows[sweep];
    const uint32_t *none = c->work.items;
    uint32_t near = d->previous[e], parent = d->parent[e];
    size_t mine = (size_t)(first + e), near_at = (size_t)first + near, up = (size_t)first + parent;
    const uint32_t *near_feeds = near == CSS_NONE ? NULL : r->feeds + near_at * fw;
    const uint32_t *up_feeds = parent == CSS_NONE ? NULL : r->feeds + up * fw;
    if (row_set(r->some + mine * fw, near_feeds, near_feeds ? r->some + near_at * fw : NULL, fw))
        other |= OTHER_BESIDE;
    if (p->bound->up &&
        row_set(r->above + mine * fw, up_feeds, up_feeds ? r->above + up * fw : NULL, fw))
        other |= OTHER_BELOW;
    if (counts_set(p, r, mine, near_at, near_feeds != NULL)) other |= OTHER_BESIDE;
    const css_around around = {.near = near_feeds ? near_feeds : none,
        .some = r->some + mine * fw,
        .counts = r->counts + mine * p->bound->feed_slots,
        .parent = up_feeds ? up_feeds : none,
        .above = r->above + mine * fw};
    if (last) other |= visit_class(c, d, document, e, &feeds, &around, error);
    else {
        uint32_t shape = p->forest->shape[mine];
        css_sweep_element(p, d, e, p->bound->bound.items + (size_t)shape * CSS_BOUND_WORDS, sweep,
            p->early + mine * p->early_words, &around);
        feeds = p->feed.items;
    }
    if (row_set(r->feeds + mine * fw, feeds, NULL, fw))
        other |= p->bound->up ? OTHER_BESIDE | OTHER_BELOW : OTHER_BESIDE;
    return other;
}

static uint32_t visit_backward(css_changer *c, uint32_t document, uint32_t sweep, uint32_t e)
{
    css_pass *p = c->pass;
    const hed_css_document *d = p->forest->documents[document];
    uint32_t first = p->forest->first[document], fw = p->feed_words, other = 0;
    const struct css_rows *r = &c->rows[sweep];
    const uint32_t *none = c->work.items;
    uint32_t *some_child = c->work.items + fw, *below = some_child + fw;
    uint32_t parent = d->parent[e], near = d->end[e];
    bool has_near = parent != CSS_NONE && near<d->end[parent], has_child = d->end[e]> e + 1;
    size_t mine = (size_t)(first + e), near_at = (size_t)first + near, child = mine + 1;
    const uint32_t *near_feeds = has_near ? r->feeds + near_at * fw : NULL;
    if (row_set(r->some + mine * fw, near_feeds, has_near ? r->some + near_at * fw : NULL, fw))
        other |= OTHER_BESIDE;
    if (counts_set(p, r, mine, near_at, has_near)) other |= OTHER_BESIDE;
    row_set(some_child, has_child ? r->feeds + child * fw : NULL,
        has_child ? r->some + child * fw : NULL, fw);
    row_set(below, has_child ? r->above + child * fw : NULL, NULL, fw);
    const css_around around = {.near = near_feeds ? near_feeds : none,
        .some = r->some + mine * fw,
        .counts = r->counts + mine * p->bound->feed_slots,
        .some_child = some_child,
        .below = below};
    uint32_t shape = p->forest->shape[mine];
    css_sweep_element(p, d, e, p->bound->bound.items + (size_t)shape * CSS_BOUND_WORDS, sweep,
        p->early + mine * p->early_words, &around);
    if (row_set(r->feeds + mine * fw, p->feed.items, NULL, fw)) other |= OTHER_BESIDE;
    row_set(below, below, p->feed.items, fw);
    if (row_set(r->above + mine * fw, below, has_near ? r->above + near_at * fw : NULL, fw))
        other |= OTHER_BESIDE;
    return other;
}

/* Visits an element in a sweep; gives what is different about it. */
static uint32_t visit(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, hed_error *error)
{
    css_pass *p = c->pass;
    uint32_t *early = p->early + (size_t)(p->forest->first[document] + e) * p->early_words;
    uint32_t *before = c->work.items + 3 * p->feed_words;
    size_t bytes = p->early_words * sizeof *early;
    if (bytes) memcpy(before, early, bytes);
    uint32_t other = sweep & 1 ? visit_backward(c, document, sweep, e)
                               : visit_forward(c, document, sweep, e, error);
    return other | (bytes && memcmp(before, early, bytes) ? OTHER_BITS : 0);
}

static bool sweep_used(const css_changer *c, uint32_t sweep)
{
    return sweep + 1 == c->sweeps || c->pass->used >> css_sweep_bit(sweep) & 1;
}

hed_status css_changer_prepare(css_changer *c, uint32_t document, hed_error *error)
{
    const hed_css_document *d = c->pass->forest->documents[document];
    if (hed_failed(error)) return error->status;
    if (c->ready[document]) return HED_OK;
    for (uint32_t s = 0; s < c->sweeps && c->pass->feed_words; s++)
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

/* The neighbours that read what is different. */
static void visit_neighbours(
    css_changer *c, uint32_t document, uint32_t sweep, uint32_t e, uint32_t other, hed_error *error)
{
    const hed_css_document *d = c->pass->forest->documents[document];
    uint32_t parent = d->parent[e];
    if (sweep & 1) {
        if (!(other & OTHER_BESIDE) || parent == CSS_NONE) return;
        visit_later(
            c, document, sweep, d->previous[e] == CSS_NONE ? parent : d->previous[e], error);
        return;
    }
    if (other & OTHER_BESIDE && parent != CSS_NONE && d->end[e] < d->end[parent])
        visit_later(c, document, sweep, d->end[e], error);
    for (uint32_t x = e + 1; x < d->end[e] && other & OTHER_BELOW; x = d->end[x])
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
            uint32_t other = visit(c, document, s, e, error);
            if (other & OTHER_BITS) css_changer_touch(c, document, e, error);
            if (other) visit_neighbours(c, document, s, e, other, error);
        }
    }
    for (uint32_t i = 0; i < c->dirty.count; i++) queued[c->dirty.items[i]] = 0;
    c->dirty.count = 0;
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- places ---- */

uint64_t css_changer_move_words(const css_changer *c, uint32_t elements)
{
    uint32_t most = c->pass->feed_words;
    if (c->pass->early_words > most) most = c->pass->early_words;
    if (c->pass->bound->counts && c->pass->bound->feed_slots > most)
        most = c->pass->bound->feed_slots;
    return (uint64_t)elements * (most ? most : 1);
}

void css_changer_move(
    css_changer *c, uint32_t document, uint32_t low, uint32_t middle, uint32_t high, uint32_t *work)
{
    css_pass *p = c->pass;
    size_t first = p->forest->first[document], row = p->feed_words * sizeof(uint32_t);
    css_change_places(p->forest->shape + first, sizeof(uint32_t), low, middle, high, work);
    css_change_places(p->element_class + first, sizeof(uint32_t), low, middle, high, work);
    if (p->early_words)
        css_change_places(p->early + first * p->early_words, p->early_words * sizeof(uint32_t), low,
            middle, high, work);
    for (uint32_t s = 0; s < c->sweeps && row; s++) {
        uint32_t *rows[] = {c->rows[s].feeds, c->rows[s].some, c->rows[s].above};
        for (size_t i = 0; i < HED_COUNT(rows); i++)
            css_change_places(rows[i] + first * p->feed_words, row, low, middle, high, work);
        if (c->rows[s].counts)
            css_change_places(c->rows[s].counts + first * p->bound->feed_slots,
                p->bound->feed_slots * sizeof(uint32_t), low, middle, high, work);
    }
}
