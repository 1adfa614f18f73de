/* See trees.h. */
#include "solver/trees.h"

/* ---- sheets in trees ---- */

static hed_status check_row(
    const hed_css_matcher_def *def, const hed_css_tree_sheet *row, hed_error *error)
{
    if (row->document >= def->document_count || row->sheet >= def->sheet_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: sheet %u in a tree of document %u: the matcher has %u sheets and %u documents",
            row->sheet, row->document, def->sheet_count, def->document_count);
    uint32_t trees = def->documents[row->document]->tree_count;
    if (row->tree != CSS_NONE && row->tree >= (trees ? trees : 1))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: sheet %u in tree %u of document %u, which has %u shadow trees", row->sheet,
            row->tree, row->document, trees ? trees - 1 : 0);
    return HED_OK;
}

/* Adds the rows of a definition to the bits of their documents. */
static void add_rows(css_membership *m, const hed_css_matcher_def *def, bool *named)
{
    for (uint32_t i = 0; i < def->tree_sheet_count; i++) {
        const hed_css_tree_sheet *row = &def->tree_sheets[i];
        uint32_t *bits = m->rows[row->document], word = row->sheet / 32;
        uint32_t trees = def->documents[row->document]->tree_count;
        if (!bits) continue;
        uint32_t first = row->tree == CSS_NONE ? 0 : row->tree;
        uint32_t end = row->tree == CSS_NONE ? trees : row->tree + 1;
        for (uint32_t tree = first; tree < end; tree++)
            bits[tree * m->sheet_words + word] |= 1u << row->sheet % 32;
        named[(size_t)row->document * def->sheet_count + row->sheet] = true;
    }
    for (uint32_t n = 0; n < def->document_count; n++)
        for (uint32_t s = 0; s < def->sheet_count && m->rows[n]; s++)
            if (!named[(size_t)n * def->sheet_count + s]) m->rows[n][s / 32] |= 1u << s % 32;
}

hed_status css_membership_make(
    css_membership *m, hed_arena *arena, const hed_css_matcher_def *def, hed_error *error)
{
    *m = (css_membership){.sheet_words = (def->sheet_count + 31) / 32};
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < def->tree_sheet_count; i++)
        if (check_row(def, &def->tree_sheets[i], error)) return error->status;
    for (uint32_t n = 0; n < def->document_count; n++)
        m->has_trees |= def->documents[n]->tree_count > 0;
    if (!m->has_trees) return HED_OK;
    hed_arena work = {.allocator = arena->allocator, .owner = "sheets in shadow trees"};
    bool *named = hed_arena_new(
        &work, (uint64_t)def->document_count * def->sheet_count, sizeof *named, error);
    m->rows = hed_arena_new(arena, def->document_count, sizeof *m->rows, error);
    for (uint32_t n = 0; n < def->document_count && !hed_failed(error); n++) {
        uint64_t words = (uint64_t)def->documents[n]->tree_count * m->sheet_words;
        if (words) m->rows[n] = hed_arena_new(arena, words, sizeof **m->rows, error);
    }
    if (!hed_failed(error)) add_rows(m, def, named);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- trees around an element ---- */

uint32_t css_next_possible_slot(const hed_css_document *d, uint32_t e, uint32_t tree)
{
    uint32_t parent = d->parent[e];
    if (parent == CSS_NONE || css_is_shadow_root(d, e) || !d->tree_count || d->shadow_tree[parent])
        return CSS_NONE;
    for (uint32_t t = tree + 1; t < d->tree_count; t++) {
        uint32_t host = d->trees[t].host;
        if (d->trees[t].original == t && d->tag[host] == d->tag[parent] &&
            d->name_space[host] == d->name_space[parent])
            return t;
    }
    return CSS_NONE;
}

/* True if a tree has a slot that the element is assigned to, directly or through slots. */
static bool is_assigned_in(const hed_css_document *d, uint32_t e, uint32_t tree)
{
    for (uint32_t slot = d->assigned_slot[e]; slot != CSS_NONE; slot = d->assigned_slot[slot])
        if (d->tree_of[slot] == tree) return true;
    return false;
}

enum { WALK_OWN, WALK_HOSTED, WALK_SLOTS, WALK_POSSIBLE, WALK_PARTS, WALK_OUTWARDS, WALK_OVER };

css_contexts css_contexts_of(const hed_css_document *d, uint32_t e, bool possible)
{
    bool has_slots = d->tree_count && !css_is_shadow_root(d, e);
    return (css_contexts){.document = d,
        .element = e,
        .possible = possible,
        .slot = has_slots ? d->assigned_slot[e] : CSS_NONE};
}

static bool arrive(css_contexts *c, uint32_t tree, css_tree_relation relation)
{
    c->tree = tree;
    c->relation = relation;
    return true;
}

/* Moves to the next tree of the walk's stage; false: the stage has no further one. */
static bool next_of_stage(css_contexts *c)
{
    const hed_css_document *d = c->document;
    uint32_t e = c->element, slot = c->slot;
    switch (c->stage) {
    case WALK_HOSTED:
        c->stage = WALK_SLOTS;
        return d->shadow_tree[e] && arrive(c, d->shadow_tree[e], CSS_TREE_HOSTED);
    case WALK_SLOTS:
        if (slot == CSS_NONE) return false;
        c->slot = d->assigned_slot[slot];
        return arrive(c, d->tree_of[slot], CSS_TREE_SLOT);
    case WALK_POSSIBLE:
        do c->possible_tree =
               c->possible ? css_next_possible_slot(d, e, c->possible_tree) : CSS_NONE;
        while (c->possible_tree != CSS_NONE && is_assigned_in(d, e, c->possible_tree));
        return c->possible_tree != CSS_NONE && arrive(c, c->possible_tree, CSS_TREE_SLOT);
    case WALK_PARTS:
        if (!css_part_begin(d, e, &c->part)) return false;
        c->stage = WALK_OUTWARDS;
        return arrive(c, css_tree_of(d, d->trees[c->part.tree].host), CSS_TREE_OUTER);
    default:
        return css_part_outwards(d, &c->part) &&
               arrive(c, css_tree_of(d, d->trees[c->part.tree].host), CSS_TREE_OUTER);
    }
}

bool css_contexts_next(css_contexts *c)
{
    const hed_css_document *d = c->document;
    if (c->stage == WALK_OWN) {
        bool is_alone = !d->tree_count || css_is_shadow_root(d, c->element);
        c->stage = is_alone ? WALK_OVER : WALK_HOSTED;
        return arrive(c, css_tree_of(d, c->element), CSS_TREE_OWN);
    }
    while (c->stage < WALK_OVER) {
        int stage = c->stage;
        if (next_of_stage(c)) return true;
        if (c->stage == stage) c->stage = stage == WALK_PARTS ? WALK_OVER : stage + 1;
    }
    return false;
}

uint32_t css_context_depth(const hed_css_document *d, uint32_t tree, css_tree_relation relation)
{
    if (relation == CSS_TREE_HOSTED) return d->tree_levels + 1;
    return tree ? d->trees[tree].level : 0;
}
