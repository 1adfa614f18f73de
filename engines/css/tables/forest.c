/* See forest.h. */
#include "tables/forest.h"

#include <string.h>

/* Identity of an element kind; sets of facts and classes follow it. */
typedef struct css_identity {
    uint32_t tag, name_space, flags, states; /* members of css_element_kind */
    uint32_t sets;                           /* number of sets of facts */
} css_identity;

enum { IDENTITY_WORDS = sizeof(css_identity) / sizeof(uint32_t) };

/* Adds a new element kind. `tail`: sets of facts, then classes. */
static void forest_add_kind(css_forest *f, const css_identity *identity, const uint32_t *tail,
    uint32_t tail_count, hed_error *error)
{
    css_element_kind kind = {.tag = identity->tag,
        .name_space = identity->name_space,
        .flags = identity->flags,
        .states = identity->states,
        .first_class = f->kind_class.count,
        .classes = tail_count - identity->sets,
        .first_fact = f->kind_fact.count};
    for (uint32_t i = 0; i < identity->sets; i++) {
        css_span set = css_sequence(&f->facts.sets, tail[i]);
        for (uint32_t k = set.begin; k < set.end; k++)
            css_push(&f->kind_fact, f->arena, f->facts.sets.words.items[k], error);
    }
    kind.facts = f->kind_fact.count - kind.first_fact;
    if (CSS_ROOM(&f->kind_class, f->arena, kind.classes, error) && kind.classes) {
        memcpy(f->kind_class.items + f->kind_class.count, tail + identity->sets,
            kind.classes * sizeof *tail);
        f->kind_class.count += kind.classes;
    }
    CSS_PUSH(&f->kinds, f->arena, error, kind);
}

uint32_t css_forest_kind(css_forest *f, const hed_css_document *d, uint32_t e, hed_error *error)
{
    uint32_t classes = d->class_end[e] - d->class_begin[e];
    uint32_t attributes = d->attribute_end[e] - d->attribute_begin[e];
    f->scratch.count = 0;
    if (!css_list_room(&f->scratch, f->arena, IDENTITY_WORDS + 1 + classes + attributes, error))
        return 0;
    uint32_t *tail = f->scratch.items + IDENTITY_WORDS, *to = tail;
    uint32_t set = css_language_facts(&f->facts, d->names, d->language[e], error);
    if (set) *to++ = set;
    for (uint32_t i = 0; i < attributes; i++) {
        const css_attribute *a = &d->attributes[d->attribute_begin[e] + i];
        set = css_attribute_facts(&f->facts, d, e, a, error);
        if (set) *to++ = set;
    }
    css_identity *identity = (css_identity *)f->scratch.items;
    identity->tag = d->tag[e];
    identity->name_space = d->name_space[e] | (uint32_t)d->quirks << 8;
    identity->flags = d->flags[e];
    identity->states = d->states[e];
    identity->sets = (uint32_t)(to - tail);
    if (classes) memcpy(to, d->classes + d->class_begin[e], classes * sizeof *to);
    uint32_t words = (uint32_t)(to - tail) + classes, total = f->kinds.count;
    uint32_t kind =
        css_intern(&f->identities, f->arena, f->scratch.items, IDENTITY_WORDS + words, error);
    if (kind == total && !hed_failed(error)) forest_add_kind(f, identity, tail, words, error);
    return hed_failed(error) ? 0 : kind;
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
    f->kind = hed_arena_new(arena, count, sizeof(uint32_t), error);
    css_facts_make(&f->facts, arena, compiled, documents[0]->names, error);
    if (!css_interner_make(&f->identities, arena, error)) return error->status;
    f->first[document_count] = f->count;
    for (uint32_t n = 0; n < document_count && !hed_failed(error); n++) {
        const hed_css_document *d = documents[n];
        uint32_t *kind = f->kind + f->first[n];
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++)
            kind[e] = css_forest_kind(f, d, e, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}
