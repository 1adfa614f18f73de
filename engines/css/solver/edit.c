/* Changes of a matcher's documents: the document is changed, the kinds of changed elements are
 * found again, and the elements that the change touches are matched again. If a predicate becomes
 * true on some element kind for the first time, prefixes may occur that were pruned: then
 * everything is bound and matched again. */
#include <string.h>

#include "model/states.h"
#include "solver/matcher.h"

static bool same_rules(const uint32_t *begin, const uint32_t *rule, uint32_t a,
    const uint32_t *other_begin, const uint32_t *other_rule, uint32_t b)
{
    uint32_t count = begin[a + 1] - begin[a];
    return other_begin[b + 1] - other_begin[b] == count &&
           !memcmp(rule + begin[a], other_rule + other_begin[b], count * sizeof *rule);
}

/* Makes a matcher ready for changes of a document: matched on the processor, and rows filled. */
static hed_status edit_begin(
    hed_css_matcher *m, uint32_t document, uint32_t element, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!m->matched)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: a change of a matcher that has not matched: call hed_css_match() first");
    if (document >= m->document_count || element >= m->documents[document]->count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: element %u of document %u: the matcher has %u documents, and this one %u elements",
            element, document, m->document_count,
            document < m->document_count ? m->documents[document]->count : 0);
    if (m->changes && m->changer.ready[document]) return HED_OK;
    for (uint32_t n = 0; n < m->document_count; n++)
        if (n != document && m->documents[n] == m->documents[document])
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "css: document %u is document %u of the matcher, too: a document that changes may be "
                "there once",
                document, n);
    if (!m->by_pass) {
        m->matched = false;
        hed_arena_free(&m->found);
        if (css_match_on_processor(m, error)) return error->status;
        m->matched = true;
    }
    if (!m->changes && css_changer_make(&m->changer, &m->found, &m->pass, error))
        return error->status;
    m->changes = true;
    return css_changer_prepare(&m->changer, document, error);
}

/* Finds the kind of an element again, and touches the element if its kind has changed. */
static void find_kind_again(hed_css_matcher *m, uint32_t document, uint32_t e, hed_error *error)
{
    uint32_t *kind = &m->forest.kind[m->forest.first[document] + e];
    uint32_t number = css_forest_kind(&m->forest, m->documents[document], e, error);
    if (hed_failed(error) || number == *kind) return;
    *kind = number;
    css_changer_touch(&m->changer, document, e, error);
}

/* Finds the states and languages of a document's elements again, and the kinds of elements that
 * differ. */
static void find_states_again(hed_css_matcher *m, uint32_t document, hed_error *error)
{
    hed_css_document *d = m->documents[document];
    hed_arena work = {.allocator = m->allocator, .owner = "a change of a document"};
    uint32_t *flags = hed_arena_new(&work, d->count, sizeof *flags, error);
    uint32_t *language = hed_arena_new(&work, d->count, sizeof *language, error);
    if (!hed_failed(error)) {
        memcpy(flags, d->flags, d->count * sizeof *flags);
        memcpy(language, d->language, d->count * sizeof *language);
        css_find_states(d, error);
    }
    for (uint32_t e = 0; e < d->count && !hed_failed(error); e++)
        if (flags[e] != d->flags[e] || language[e] != d->language[e])
            find_kind_again(m, document, e, error);
    hed_arena_free(&work);
}

/* Binds and matches everything again; lists the elements whose rules have changed. */
static void match_anew(hed_css_matcher *m, css_list *changed, hed_error *error)
{
    hed_arena work = {.allocator = m->allocator, .owner = "a change of a document"}, old = m->found;
    const uint32_t *begin = m->class_begin, *rule = m->rule;
    uint32_t *before = hed_arena_new(&work, m->forest.count, sizeof *before, error);
    if (!hed_failed(error)) {
        memcpy(before, m->result_class, m->forest.count * sizeof *before);
        m->found = (hed_arena){.allocator = m->allocator, .owner = old.owner};
        m->matched = m->by_pass = m->changes = false;
        css_match_on_processor(m, error);
        *changed = (css_list){0};
        for (uint32_t e = 0; e < m->forest.count && !hed_failed(error); e++)
            if (!same_rules(begin, rule, before[e], m->class_begin, m->rule, m->result_class[e]))
                css_push(changed, &m->found, e, error);
        m->matched = !hed_failed(error);
        hed_arena_free(&old);
    }
    hed_arena_free(&work);
}

/* Keeps the changed elements whose rules differ. */
static void list_changed(hed_css_matcher *m, css_changer *c)
{
    css_take_results(m);
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->changed.count; i++) {
        uint32_t e = c->changed.items[i];
        if (!same_rules(m->class_begin, m->rule, c->before.items[i], m->class_begin, m->rule,
                m->element_class[e]))
            c->changed.items[count++] = e;
    }
    c->changed.count = count;
}

/* Filters the results again; lists the elements whose rules have changed. */
static void filter_again(hed_css_matcher *m, css_list *changed, hed_error *error)
{
    const uint32_t *begin = m->class_begin, *rule = m->rule, *before = m->filtered_class;
    css_take_results(m);
    css_filter_results(m, error);
    changed->count = 0;
    for (uint32_t e = 0; e < m->forest.count && !hed_failed(error); e++)
        if (!same_rules(begin, rule, before[e], m->class_begin, m->rule, m->result_class[e]))
            css_push(changed, &m->found, e, error);
}

/* Matches the touched elements again; lists the elements whose rules have changed. */
static hed_status edit_end(
    hed_css_matcher *m, uint32_t document, hed_css_changes *changes, hed_error *error)
{
    css_changer *c = &m->changer;
    m->edited = true;
    bool anew = !hed_failed(error) && m->forest.kinds.count > m->bound.kind.count &&
                !css_bind_more(&m->bound, &m->forest, error);
    if (anew) match_anew(m, &c->changed, error);
    else if (css_pass_extend(&m->pass, error) && !css_changer_run(c, document, error)) {
        if (m->filtered_class) filter_again(m, &c->changed, error);
        else list_changed(m, c);
    }
    if (hed_failed(error)) { /* the results are undefined */
        m->matched = m->changes = false;
        m->stale_kinds = true;
        return error->status;
    }
    if (changes) *changes = (hed_css_changes){c->changed.count, c->changed.items};
    return HED_OK;
}

hed_status hed_css_set_attribute(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    const char *name, const char *value, hed_css_changes *changes, hed_error *error)
{
    if (changes) *changes = (hed_css_changes){0};
    HED_REQUIRE(matcher, name);
    hed_error local = {0};
    if (!error) error = &local;
    if (edit_begin(matcher, document, element, error)) return error->status;
    hed_css_document *d = matcher->documents[document];
    const char *part;
    uint32_t space = css_split_name((hed_css_namespace)d->name_space[element], name, &part);
    uint32_t number = hed_css_names_add(d->names, part, strlen(part));
    uint32_t text = value ? hed_css_names_add(d->names, value, strlen(value)) : CSS_NONE;
    if (number == CSS_NONE || (value && text == CSS_NONE))
        return hed_fail(error, HED_ERROR_MEMORY, "css: out of memory for a name");
    if (css_document_set(d, element, number, space, text, error)) return error->status;
    css_assign_slots(d);
    if (number != d->class_name && css_has_states(d, element, number, text))
        find_states_again(matcher, document, error);
    find_kind_again(matcher, document, element, error);
    return edit_end(matcher, document, changes, error);
}

hed_status hed_css_set_state(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t states, hed_css_changes *changes, hed_error *error)
{
    if (changes) *changes = (hed_css_changes){0};
    HED_REQUIRE(matcher);
    hed_error local = {0};
    if (!error) error = &local;
    if (edit_begin(matcher, document, element, error)) return error->status;
    matcher->documents[document]->states[element] = states;
    find_kind_again(matcher, document, element, error);
    return edit_end(matcher, document, changes, error);
}

/* Children of an element have other places among each other. */
static void touch_children(hed_css_matcher *m, uint32_t document, uint32_t parent, hed_error *error)
{
    const hed_css_document *d = m->documents[document];
    css_changer_touch(&m->changer, document, parent, error);
    for (uint32_t e = parent + 1; e < d->end[parent]; e = d->end[e])
        css_changer_touch(&m->changer, document, e, error);
}

hed_status hed_css_move(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t parent, uint32_t before, uint32_t *moved, hed_css_changes *changes, hed_error *error)
{
    if (changes) *changes = (hed_css_changes){0};
    HED_REQUIRE(matcher);
    hed_error local = {0};
    if (!error) error = &local;
    if (edit_begin(matcher, document, element, error)) return error->status;
    hed_css_document *d = matcher->documents[document];
    uint32_t end = d->end[element], from = d->parent[element], to = element;
    bool inside = parent < d->count && parent >= element && parent < end;
    if (parent >= d->count || inside || from == CSS_NONE || before == element ||
        (before != CSS_NONE && (before >= d->count || d->parent[before] != parent)))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: element %u cannot be moved below %u in front of %u: expected an element that is no "
            "root, a parent outside of it, and one of that parent's other children (or none)",
            element, parent, before);
    uint32_t target = before == CSS_NONE ? d->end[parent] : before;
    bool forward = target > element;
    uint32_t low = forward ? element : target, middle = forward ? end : element;
    uint32_t high = forward ? target : end, count = middle - low;
    hed_arena work = {.allocator = matcher->allocator, .owner = "a change of a document"};
    uint32_t *room = hed_arena_new(
        &work, css_changer_move_words(&matcher->changer, count), sizeof(uint32_t), error);
    if (css_document_move(d, element, parent, before, &to, error) == HED_OK) {
        css_changer_move(&matcher->changer, document, low, middle, high, room);
        if (matcher->filtered_class)
            css_change_places(matcher->filtered_class + matcher->forest.first[document],
                sizeof(uint32_t), low, middle, high, room);
        if (d->depth > matcher->forest.depth) matcher->forest.depth = d->depth;
        if (from >= low && from < high) from += from < middle ? high - middle : low - middle;
        touch_children(matcher, document, from, error);
        touch_children(matcher, document, d->parent[to], error);
        find_states_again(matcher, document, error);
    }
    hed_arena_free(&work);
    if (moved) *moved = to;
    return edit_end(matcher, document, changes, error);
}
