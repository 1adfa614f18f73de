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

static void add_context(css_contexts *c, uint32_t tree, css_tree_relation relation)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->of[i].tree == tree && c->of[i].relation == relation) return;
    if (c->count == CSS_MOST_CONTEXTS) return;
    c->of[c->count].tree = tree;
    c->of[c->count++].relation = relation;
}

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

void css_contexts_of(const hed_css_document *d, uint32_t e, bool possible, css_contexts *contexts)
{
    contexts->count = 0;
    add_context(contexts, css_tree_of(d, e), CSS_TREE_OWN);
    if (!d->tree_count || css_is_shadow_root(d, e)) return;
    if (d->shadow_tree[e]) add_context(contexts, d->shadow_tree[e], CSS_TREE_HOSTED);
    for (uint32_t slot = d->assigned_slot[e]; slot != CSS_NONE; slot = d->assigned_slot[slot])
        add_context(contexts, d->tree_of[slot], CSS_TREE_SLOT);
    for (uint32_t t = possible ? css_next_possible_slot(d, e, 0) : CSS_NONE; t != CSS_NONE;
         t = css_next_possible_slot(d, e, t))
        add_context(contexts, t, CSS_TREE_SLOT);
    css_part_context part;
    if (!css_part_begin(d, e, &part)) return;
    do add_context(contexts, css_tree_of(d, d->trees[part.tree].host), CSS_TREE_OUTER);
    while (css_part_outwards(d, &part));
}

uint32_t css_context_depth(const hed_css_document *d, uint32_t tree, css_tree_relation relation)
{
    if (relation == CSS_TREE_HOSTED) return d->tree_levels + 1;
    return tree ? d->trees[tree].level : 0;
}
