/* See forest.h. */
#include "solver/forest.h"

#include <string.h>

/* What tells shapes from each other begins with these; sets of facts and classes follow. */
enum {
    IDENTITY_TAG,
    IDENTITY_SPACE,
    IDENTITY_FLAGS,
    IDENTITY_STATES,
    IDENTITY_SETS,
    IDENTITY_WORDS
};

/* The flat form of a new shape. */
static void forest_add_shape(
    css_forest *f, const uint32_t *identity, uint32_t words, hed_error *error)
{
    uint32_t sets = identity[IDENTITY_SETS], first_class = f->shape_class.count;
    uint32_t first_fact = f->shape_fact.count;
    for (uint32_t i = 0; i < sets; i++) {
        const uint32_t *set = f->facts.sets.begin.items + identity[IDENTITY_WORDS + i];
        for (uint32_t k = set[0]; k < set[1]; k++)
            css_push(&f->shape_fact, f->arena, f->facts.sets.words.items[k], error);
    }
    for (uint32_t i = IDENTITY_WORDS + sets; i < words; i++)
        css_push(&f->shape_class, f->arena, identity[i], error);
    const uint32_t shape[CSS_SHAPE_WORDS] = {[CSS_SHAPE_TAG] = identity[IDENTITY_TAG],
        [CSS_SHAPE_SPACE] = identity[IDENTITY_SPACE],
        [CSS_SHAPE_FLAGS] = identity[IDENTITY_FLAGS],
        [CSS_SHAPE_STATES] = identity[IDENTITY_STATES],
        [CSS_SHAPE_CLASS] = first_class,
        [CSS_SHAPE_CLASSES] = f->shape_class.count - first_class,
        [CSS_SHAPE_FACT] = first_fact,
        [CSS_SHAPE_FACTS] = f->shape_fact.count - first_fact};
    for (int w = 0; w < CSS_SHAPE_WORDS; w++) css_push(&f->shapes, f->arena, shape[w], error);
}

uint32_t css_forest_shape(css_forest *f, const hed_css_document *d, uint32_t e, hed_error *error)
{
    uint32_t classes = d->class_end[e] - d->class_begin[e];
    uint32_t attributes = d->attribute_end[e] - d->attribute_begin[e];
    if (f->scratch.room < IDENTITY_WORDS + 1 + classes + attributes &&
        !css_list_grow(&f->scratch, f->arena, IDENTITY_WORDS + 1 + classes + attributes, error))
        return 0;
    uint32_t *identity = f->scratch.items, *to = identity + IDENTITY_WORDS;
    identity[IDENTITY_TAG] = d->tag[e];
    identity[IDENTITY_SPACE] = d->name_space[e] | (uint32_t)d->quirks << 8;
    identity[IDENTITY_FLAGS] = d->flags[e];
    identity[IDENTITY_STATES] = d->states[e];
    uint32_t set = css_language_facts(&f->facts, d->names, d->language[e], error);
    if (set) *to++ = set;
    for (uint32_t i = 0; i < attributes; i++) {
        const css_attribute *a = &d->attributes[d->attribute_begin[e] + i];
        set = css_attribute_facts(&f->facts, d, e, a, error);
        if (set) *to++ = set;
    }
    identity[IDENTITY_SETS] = (uint32_t)(to - identity) - IDENTITY_WORDS;
    if (classes) memcpy(to, d->classes + d->class_begin[e], classes * sizeof *to);
    uint32_t words = (uint32_t)(to - identity) + classes, known = css_shapes(f);
    uint32_t shape = css_intern(&f->identities, f->arena, identity, words, error);
    if (shape == known && !hed_failed(error)) forest_add_shape(f, identity, words, error);
    return hed_failed(error) ? 0 : shape;
}

hed_status css_forest_make(css_forest *f, hed_arena *arena, const css_compiled *compiled,
    hed_css_document *const *documents, uint32_t document_count, hed_error *error)
{
    uint64_t count = 0;
    if (hed_failed(error)) return error->status;
    *f = (css_forest){.arena = arena, .documents = documents, .document_count = document_count};
    f->first = hed_arena_new(arena, (uint64_t)document_count + 1, sizeof(uint32_t), error);
    for (uint32_t n = 0; n < document_count && f->first; n++) {
        f->first[n] = (uint32_t)count;
        count += documents[n]->count;
        if (documents[n]->depth > f->depth) f->depth = documents[n]->depth;
    }
    if (count > UINT32_MAX / 2)
        return hed_fail(
            error, HED_ERROR_LIMIT, "css: %llu elements: 2^31 at most", (unsigned long long)count);
    if (documents[0]->names->count > UINT32_MAX / 4)
        return hed_fail(error, HED_ERROR_LIMIT, "css: %u names: 2^30 at most",
            (unsigned)documents[0]->names->count);
    f->count = (uint32_t)count;
    f->shape = hed_arena_new(arena, count, sizeof(uint32_t), error);
    f->level = hed_arena_new(arena, count, sizeof(uint32_t), error);
    css_facts_make(&f->facts, arena, compiled, documents[0]->names, error);
    if (!css_interner_make(&f->identities, arena, error)) return error->status;
    f->first[document_count] = f->count;
    for (uint32_t n = 0; n < document_count && !hed_failed(error); n++) {
        const hed_css_document *d = documents[n];
        uint32_t *shape = f->shape + f->first[n];
        if (d->count) memcpy(f->level + f->first[n], d->level, d->count * sizeof *f->level);
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++)
            shape[e] = css_forest_shape(f, d, e, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}
