/* States of forms and dialogs: owners, buttons that open a dialog, validity. */
#include <stdlib.h>

#include "states_reader.h"

/* ---- owners ---- */

/* Makes the index of ids if an element refers to another one by its id; otherwise it is empty. */
static id_index index_ids(states *s, hed_arena *work, hed_error *error)
{
    hed_css_document *d = s->d;
    id_index ids = {0};
    d->id_references = any_has(s, W_form) || any_has(s, W_commandfor);
    if (!d->id_references) return ids;
    for (uint32_t e = 0; e < d->count; e++) ids.count += has(s, e, W_id);
    ids.items = hed_arena_new(work, ids.count, sizeof *ids.items, error);
    if (hed_failed(error) || !ids.count) return (id_index){0};
    ids.count = 0;
    for (uint32_t e = 0; e < d->count; e++)
        if (has(s, e, W_id))
            ids.items[ids.count++] =
                (member){css_tree_of(d, e), CSS_NONE, css_attribute_value(d, e, s->word[W_id]), e};
    qsort(ids.items, ids.count, sizeof *ids.items, css_by_group);
    return ids;
}

/* First element with an id in the tree of `from`, if it has this tag; otherwise CSS_NONE. */
static uint32_t element_by_id(const states *s, id_index ids, uint32_t from, uint32_t id, int tag)
{
    uint32_t low = 0, high = ids.count, tree = css_tree_of(s->d, from);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const member *x = &ids.items[middle];
        if (x->tree < tree || (x->tree == tree && x->name < id)) low = middle + 1;
        else high = middle;
    }
    bool found = low < ids.count && ids.items[low].tree == tree && ids.items[low].name == id &&
                 is(s, ids.items[low].element, tag);
    return found ? ids.items[low].element : CSS_NONE;
}

/* Finds forms that own elements outside of them: by the attribute `form`, and in tables, where the
 * parser closes a form at once. */
static void find_owners(states *s, id_index ids)
{
    hed_css_document *d = s->d;
    uint32_t in_table = CSS_NONE, table_end = 0;
    if (!any(s, W_form) && !any_has(s, W_form)) return;
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t p = d->parent[e];
        bool empty_form = is(s, e, W_form) && d->end[e] == e + 1 && p != CSS_NONE;
        if (empty_form && (is(s, p, W_table) || is(s, p, W_tbody) || is(s, p, W_tr) ||
                              is(s, p, W_thead) || is(s, p, W_tfoot))) {
            in_table = e;
            table_end = d->end[p];
        }
        if (s->form[e] == CSS_NONE && e < table_end && in_table != CSS_NONE) s->form[e] = in_table;
        if (has(s, e, W_form))
            s->form[e] =
                element_by_id(s, ids, e, css_attribute_value(d, e, s->word[W_form]), W_form);
    }
}

/* ---- dialogs ---- */

/* True if a button opens a dialog by a command, or closes one that is open. A button of a form
 * submits or resets it, or does nothing, unless its type is "button". */
static bool commands_dialog(const states *s, uint32_t e, uint32_t dialog)
{
    const char *command = value(s, e, W_command, NULL), *type = value(s, e, W_type, NULL);
    if (!command || s->d->flags[e] & CSS_DISABLED) return false;
    if (s->form[e] != CSS_NONE && !(type && same_word(type, "button"))) return false;
    bool closes = same_word(command, "close") || same_word(command, "request-close");
    return same_word(command, "show-modal") || (closes && s->d->flags[dialog] & CSS_OPEN);
}

/* True if an element closes the dialog around it: a form, or its button, with method=dialog. */
static bool closes_dialog(const states *s, uint32_t e)
{
    const char *method = is(s, e, W_form)         ? value(s, e, W_method, NULL)
                         : css_submits_form(s, e) ? value(s, e, W_formmethod, NULL)
                                                  : NULL;
    return method && same_word(method, "dialog");
}

/* Finds the dialogs that a reader can open or close: by a button with a command, by a form inside
 * of them, or as `closedby` allows. */
static void change_dialogs(states *s, id_index ids)
{
    hed_css_document *d = s->d;
    if (!any(s, W_dialog)) return;
    for (uint32_t e = 0, dialog; e < d->count; e++) {
        if (!s->tag_word[e]) continue;
        const char *closed_by = is(s, e, W_dialog) ? value(s, e, W_closedby, NULL) : NULL;
        if (closed_by && d->flags[e] & CSS_OPEN &&
            (same_word(closed_by, "any") || same_word(closed_by, "closerequest")))
            d->flags[e] |= CSS_CHANGES_OPEN;
        if (is(s, e, W_button) && has(s, e, W_commandfor)) {
            uint32_t id = css_attribute_value(d, e, s->word[W_commandfor]);
            dialog = element_by_id(s, ids, e, id, W_dialog);
            if (dialog != CSS_NONE && commands_dialog(s, e, dialog))
                d->flags[dialog] |= CSS_CHANGES_OPEN;
        }
        if (!closes_dialog(s, e)) continue;
        for (dialog = e; dialog != CSS_NONE && !is(s, dialog, W_dialog);)
            dialog = d->parent[dialog];
        if (dialog != CSS_NONE && d->flags[dialog] & CSS_OPEN) d->flags[dialog] |= CSS_CHANGES_OPEN;
    }
}

hed_status css_find_references(states *s, hed_arena *work, hed_error *error)
{
    id_index ids = index_ids(s, work, error);
    if (hed_failed(error)) return error->status;
    find_owners(s, ids);
    change_dialogs(s, ids);
    return HED_OK;
}

/* ---- validity of forms ---- */

void css_judge_forms(states *s)
{
    hed_css_document *d = s->d;
    if (!any(s, W_form) && !any(s, W_fieldset)) return;
    for (uint32_t e = 0; e < d->count; e++) {
        uint32_t form = s->form[e];
        if (form == CSS_NONE || !(is(s, e, W_input) || is(s, e, W_button) || is(s, e, W_select) ||
                                    is(s, e, W_textarea)))
            continue;
        if (d->flags[e] & CSS_INVALID) s->bad[form] = true;
        d->flags[form] |= d->flags[e] & CSS_CHANGES_VALIDITY;
        if (!css_submits_form(s, e) || s->submits[form]) continue;
        s->submits[form] = true;
        d->flags[e] |= CSS_DEFAULT;
    }
    for (uint32_t e = d->count; e-- > 0;) { /* children before parents */
        uint32_t p = d->parent[e];
        if (is(s, e, W_form)) d->flags[e] |= s->bad[e] ? CSS_INVALID : CSS_VALID;
        if (is(s, e, W_fieldset)) d->flags[e] |= s->holds_bad[e] ? CSS_INVALID : CSS_VALID;
        bool bad = s->holds_bad[e] || (d->flags[e] & CSS_INVALID && !is(s, e, W_form));
        if (bad && p != CSS_NONE) s->holds_bad[p] = true;
        bool changes =
            s->holds_changes[e] || (d->flags[e] & CSS_CHANGES_VALIDITY && !is(s, e, W_form));
        if (changes && is(s, e, W_fieldset)) d->flags[e] |= CSS_CHANGES_VALIDITY;
        if (changes && p != CSS_NONE) s->holds_changes[p] = true;
    }
}
