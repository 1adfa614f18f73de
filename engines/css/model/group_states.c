/* States of elements that depend on each other: options of a select, radio buttons of a group, details
 * of one name. */
#include <stdlib.h>

#include "states_reader.h"

static bool option_is_off(const states *s, uint32_t e)
{
    uint32_t p = s->d->parent[e];
    return has(s, e, W_disabled) ||
           (p != CSS_NONE && is(s, p, W_optgroup) && has(s, p, W_disabled));
}

/* True if an option's value is empty: its attribute, or without one its text. */
static bool option_is_empty(const states *s, uint32_t e)
{
    size_t length;
    if (value(s, e, W_value, &length)) return length == 0;
    for (uint32_t inner = e; inner < s->d->end[e]; inner++)
        if (s->d->has_text[inner] & CSS_TEXT_SOLID) return false;
    return true;
}

/* Sets the changes that a reader can make to a select and its options. */
static void change_options(states *s, uint32_t select, bool opens)
{
    uint32_t *flags = s->d->flags;
    if (flags[select] & CSS_DISABLED) return;
    if (opens) flags[select] |= CSS_CHANGES_OPEN;
    for (uint32_t e = select + 1; e < s->d->end[select]; e++)
        if (is(s, e, W_option) && (flags[e] & CSS_CHECKED || !option_is_off(s, e)))
            flags[e] |= CSS_CHANGES_CHECKED;
}

void css_select_options(states *s, uint32_t select)
{
    hed_css_document *d = s->d;
    bool multiple = has(s, select, W_multiple);
    const char *size = value(s, select, W_size, NULL);
    uint32_t last = CSS_NONE, first = CSS_NONE, first_option = CSS_NONE;
    for (uint32_t e = select + 1; e < d->end[select]; e++) {
        if (!is(s, e, W_option)) continue;
        if (first_option == CSS_NONE) first_option = e;
        if (first == CSS_NONE && !option_is_off(s, e)) first = e;
        if (has(s, e, W_selected)) last = e;
        if (!multiple) d->flags[e] &= ~(uint32_t)CSS_CHECKED;
    }
    bool shows_one = !multiple && (!size || atoi(size) <= 1);
    if (last == CSS_NONE && shows_one) last = first;
    if (!multiple && last != CSS_NONE) d->flags[last] |= CSS_CHECKED;
    /* a multiple select of size 1 is a drop-down box, too (HTML, "display size") */
    change_options(s, select, shows_one || (multiple && size && atoi(size) == 1));
    if (d->flags[select] & CSS_DISABLED || s->unlisted[select]) return;
    /* required: a placeholder label (first option, empty value, child of the select) does not
     * count; without one a select that shows one option always has a value */
    bool label = shows_one && first_option != CSS_NONE && d->parent[first_option] == select &&
                 option_is_empty(s, first_option);
    if (d->flags[select] & CSS_REQUIRED && first != CSS_NONE && (label || !shows_one))
        d->flags[select] |= CSS_CHANGES_VALIDITY;
    bool missing = last == CSS_NONE || (label && last == first_option);
    d->flags[select] |= (d->flags[select] & CSS_REQUIRED) && missing ? CSS_INVALID : CSS_VALID;
}

int css_by_group(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
    if (x->form != y->form) return x->form < y->form ? -1 : 1;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* The last checked button of a group stays checked; a group without a checked button is
 * indeterminate, and invalid if one of its buttons is required. A button without a name is a group
 * of its own and is never missing. */
static void group_radios(states *s, member *radios, uint32_t count)
{
    uint32_t *flags = s->d->flags;
    qsort(radios, count, sizeof *radios, css_by_group);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        uint32_t checked = CSS_NONE, free = 0; /* free: buttons that a reader can check */
        bool required = false, has_name = radios[begin].name != CSS_NONE;
        for (end = begin; end < count; end++) {
            uint32_t e = radios[end].element;
            if (end > begin && (!has_name || radios[end].tree != radios[begin].tree ||
                                   radios[end].form != radios[begin].form ||
                                   radios[end].name != radios[begin].name))
                break;
            if (flags[e] & CSS_CHECKED) checked = e;
            required = required || (has_name && flags[e] & CSS_REQUIRED);
            free += !(flags[e] & CSS_DISABLED);
        }
        /* a checked button without another one that can be checked stays checked */
        if (checked != CSS_NONE && free == !(flags[checked] & CSS_DISABLED))
            flags[checked] &= ~(uint32_t)CSS_CHANGES_CHECKED;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t e = radios[i].element;
            if (checked != CSS_NONE && e != checked) flags[e] &= ~(uint32_t)CSS_CHECKED;
            if (checked == CSS_NONE) flags[e] |= CSS_INDETERMINATE | CSS_CHANGES_INDETERMINATE;
            if (required && flags[e] & (CSS_VALID | CSS_INVALID)) flags[e] |= CSS_CHANGES_VALIDITY;
            if (required && checked == CSS_NONE && (flags[e] & CSS_VALID))
                flags[e] ^= CSS_VALID | CSS_INVALID;
        }
    }
}

/* Closes the open details of one name except the first; the others lose the attribute `open`, which
 * a copy of their name replaces. */
static void close_details(states *s, member *details, uint32_t count)
{
    hed_css_document *d = s->d;
    qsort(details, count, sizeof *details, css_by_group);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t e = details[i].element, name = CSS_NONE;
        if (details[i].name != details[i - 1].name || details[i].tree != details[i - 1].tree)
            continue;
        d->flags[e] &= ~(uint32_t)CSS_OPEN;
        for (uint32_t k = d->attribute_begin[e]; k < d->attribute_end[e]; k++)
            if (d->attributes[k].name == s->word[W_name]) name = k;
        for (uint32_t k = d->attribute_begin[e]; k < d->attribute_end[e]; k++)
            if (d->attributes[k].name == s->word[W_open]) d->attributes[k] = d->attributes[name];
    }
}

/* Name of the group of an element; CSS_NONE: no name, or an empty one. */
static uint32_t group_name(const states *s, uint32_t e)
{
    size_t length;
    return value(s, e, W_name, &length) && length ? css_attribute_value(s->d, e, s->word[W_name])
                                                  : CSS_NONE;
}

hed_status css_find_groups(states *s, hed_arena *work, hed_error *error)
{
    hed_css_document *d = s->d;
    uint32_t radios = 0, details = 0;
    if (!any(s, W_input) && !any(s, W_details)) return HED_OK;
    for (uint32_t e = 0; e < d->count; e++) {
        radios += is(s, e, W_input) && s->type[e] == CSS_INPUT_RADIO;
        details += is(s, e, W_details) && d->flags[e] & CSS_OPEN;
    }
    member *radio = hed_arena_new(work, radios, sizeof *radio, error);
    member *open = hed_arena_new(work, details, sizeof *open, error);
    if (hed_failed(error)) return error->status;
    radios = details = 0;
    for (uint32_t e = 0; e < d->count; e++) {
        if (is(s, e, W_input) && s->type[e] == CSS_INPUT_RADIO)
            radio[radios++] = (member){css_tree_of(d, e), s->form[e], group_name(s, e), e};
        if (!is(s, e, W_details) || !(d->flags[e] & CSS_OPEN)) continue;
        uint32_t name = group_name(s, e);
        if (name != CSS_NONE) open[details++] = (member){css_tree_of(d, e), CSS_NONE, name, e};
    }
    group_radios(s, radio, radios);
    close_details(s, open, details);
    return HED_OK;
}
