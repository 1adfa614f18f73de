/* States of one element by its tag and attributes: disabled, checked, valid, read-only, a link
 * ... */
#include <stdlib.h>

#include "states_reader.h"

/* True if an element is disabled. As in browsers, so are the options of a disabled select. */
static bool is_disabled(const states *s, uint32_t e)
{
    if (has(s, e, W_disabled)) return true;
    if (is(s, e, W_optgroup)) return s->off[e];
    if (!is(s, e, W_option)) return s->shut[e];
    uint32_t p = s->d->parent[e];
    return s->off[e] || (p != CSS_NONE && is(s, p, W_optgroup) && has(s, p, W_disabled));
}

/* True if a text that a reader types can be invalid, besides a missing one. */
static bool limits_text(const states *s, uint32_t e)
{
    return has(s, e, W_minlength) || has(s, e, W_maxlength);
}

/* Changes that a reader can make to an input element with these flags. */
static uint32_t input_changes(const states *s, uint32_t e, uint32_t flags, bool disabled)
{
    css_input_type type = (css_input_type)s->type[e];
    bool checks = type == CSS_INPUT_CHECKBOX || type == CSS_INPUT_RADIO;
    uint32_t changes = 0;
    /* a disabled radio button loses its check to another one of its group */
    if (checks && (!disabled || (type == CSS_INPUT_RADIO && flags & CSS_CHECKED)))
        changes |= CSS_CHANGES_CHECKED;
    if (flags & CSS_READ_WRITE && type <= CSS_INPUT_NUMBER && has(s, e, W_placeholder))
        changes |= CSS_CHANGES_PLACEHOLDER;
    if (disabled) return changes;
    bool picks = (type >= CSS_INPUT_DATE && type <= CSS_INPUT_LOCAL) || type == CSS_INPUT_COLOR;
    if (picks) changes |= CSS_CHANGES_OPEN;
    if (!(flags & (CSS_VALID | CSS_INVALID))) return changes;
    bool format = type >= CSS_INPUT_URL && type <= CSS_INPUT_LOCAL;
    bool text = type <= CSS_INPUT_EMAIL && (has(s, e, W_pattern) || limits_text(s, e));
    if (flags & CSS_REQUIRED || format || text) changes |= CSS_CHANGES_VALIDITY;
    bool limited = has(s, e, W_min) || has(s, e, W_max);
    if (flags & (CSS_IN_RANGE | CSS_OUT_OF_RANGE) && type != CSS_INPUT_RANGE && limited)
        changes |= CSS_CHANGES_RANGE;
    return changes;
}

static uint32_t input_flags(const states *s, uint32_t e, bool disabled)
{
    css_input_type type = (css_input_type)s->type[e];
    const css_input input = {.type = type,
        .value = value(s, e, W_value, NULL),
        .min = value(s, e, W_min, NULL),
        .max = value(s, e, W_max, NULL),
        .step = value(s, e, W_step, NULL),
        .pattern = value(s, e, W_pattern, NULL),
        .multiple = has(s, e, W_multiple)};
    unsigned validity = css_check_input(&input);
    bool checks = type == CSS_INPUT_CHECKBOX || type == CSS_INPUT_RADIO;
    bool writes = type <= CSS_INPUT_LOCAL, read_only = has(s, e, W_readonly);
    bool can_require = writes || checks || type == CSS_INPUT_FILE, missing = false;
    uint32_t flags = can_require && has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
    if (writes && !read_only && !disabled) flags |= CSS_READ_WRITE;
    if (type <= CSS_INPUT_NUMBER && has(s, e, W_placeholder) && validity & CSS_VALUE_EMPTY)
        flags |= CSS_PLACEHOLDER_SHOWN;
    if (checks && has(s, e, W_checked)) flags |= CSS_DEFAULT | CSS_CHECKED;
    if (disabled || read_only || s->unlisted[e] || type == CSS_INPUT_HIDDEN ||
        type == CSS_INPUT_RESET || type == CSS_INPUT_IMAGE)
        return flags;
    if (validity & CSS_VALUE_INSIDE) flags |= CSS_IN_RANGE;
    if (validity & CSS_VALUE_OUTSIDE) flags |= CSS_OUT_OF_RANGE;
    if (flags & CSS_REQUIRED)
        missing = validity & CSS_VALUE_EMPTY || type == CSS_INPUT_FILE ||
                  (type == CSS_INPUT_CHECKBOX && !(flags & CSS_CHECKED));
    bool bad = missing || validity & (CSS_VALUE_WRONG | CSS_VALUE_OUTSIDE);
    return flags | (bad ? CSS_INVALID : CSS_VALID);
}

bool css_submits_form(const states *s, uint32_t e)
{
    if (is(s, e, W_input)) return s->type[e] == CSS_INPUT_SUBMIT || s->type[e] == CSS_INPUT_IMAGE;
    const char *type = is(s, e, W_button) ? value(s, e, W_type, NULL) : "button";
    if (type && same_word(type, "submit")) return true;
    if (type && (same_word(type, "button") || same_word(type, "reset"))) return false;
    return !has(s, e, W_command) && !has(s, e, W_commandfor);
}

bool css_is_custom_name(const char *tag)
{
    static const char *const reserved[] = {"annotation-xml", "color-profile", "font-face",
        "font-face-src", "font-face-uri", "font-face-format", "font-face-name", "missing-glyph"};
    if (!strchr(tag, '-')) return false;
    for (size_t i = 0; i < HED_COUNT(reserved); i++)
        if (strcmp(tag, reserved[i]) == 0) return false;
    return true;
}

/* True for a custom element, or an element to be upgraded to one; a reserved name has no
 * upgrade. */
static bool is_undefined(states *s, uint32_t e)
{
    uint32_t name = s->d->tag[e];
    struct tag_note *note = &s->notes[name % TAG_NOTES];
    if (s->d->name_space[e] != HED_CSS_HTML) return false;
    if (s->tag_word[e] && !is(s, e, W_http_equiv)) return has(s, e, W_is);
    const char *tag = note->name == name + 1 ? NULL : hed_css_names_text(s->d->names, name, NULL);
    if (tag) *note = (struct tag_note){name + 1, css_is_custom_name(tag)};
    return note->custom ||
           (has(s, e, W_is) && !strchr(hed_css_names_text(s->d->names, name, NULL), '-'));
}

static uint32_t textarea_flags(const states *s, uint32_t e, bool disabled)
{
    bool open = !disabled && !has(s, e, W_readonly), empty = !(s->d->has_text[e] & CSS_TEXT);
    uint32_t flags = has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
    if (open) flags |= CSS_READ_WRITE;
    if (has(s, e, W_placeholder) && empty) flags |= CSS_PLACEHOLDER_SHOWN;
    if (open && has(s, e, W_placeholder)) flags |= CSS_CHANGES_PLACEHOLDER;
    if (!open || s->unlisted[e]) return flags;
    if (flags & CSS_REQUIRED || limits_text(s, e)) flags |= CSS_CHANGES_VALIDITY;
    return flags | (flags & CSS_REQUIRED && empty ? CSS_INVALID : CSS_VALID);
}

static bool is_link(const states *s, uint32_t e)
{
    const hed_css_document *d = s->d;
    if (is(s, e, W_a) || is(s, e, W_area)) return has(s, e, W_href);
    if (d->name_space[e] != HED_CSS_SVG || d->tag[e] != s->word[W_a]) return false;
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++)
        if (d->attributes[i].name == s->word[W_href] && d->attributes[i].name_space <= 1)
            return true;
    return false;
}

uint32_t css_element_flags(states *s, uint32_t e)
{
    const hed_css_document *d = s->d;
    if (css_is_shadow_root(d, e)) return d->flags[e];
    uint32_t flags = d->parent[e] == CSS_NONE ? CSS_ROOT : 0;
    if (d->end[e] == e + 1 && !(d->has_text[e] & CSS_TEXT)) flags |= CSS_EMPTY;
    flags |= is_undefined(s, e) ? CSS_CHANGES_DEFINED : CSS_DEFINED;
    if (is_link(s, e)) flags |= CSS_LINK;
    if (d->name_space[e] != HED_CSS_HTML) return flags;
    if (is(s, e, W_details)) flags |= CSS_CHANGES_OPEN;
    const char *hidden = value(s, e, W_hidden, NULL);
    if (hidden && same_word(hidden, "until-found")) flags |= CSS_CHANGES_HIDDEN;
    if (s->editable[e]) flags |= CSS_CHANGES_EMPTY;
    if (!s->tag_word[e]) return flags | (s->editable[e] ? CSS_READ_WRITE : CSS_READ_ONLY);
    if ((is(s, e, W_details) || is(s, e, W_dialog)) && has(s, e, W_open)) flags |= CSS_OPEN;
    if (is(s, e, W_progress) && !has(s, e, W_value)) flags |= CSS_INDETERMINATE;
    if (is(s, e, W_option) && has(s, e, W_selected)) flags |= CSS_DEFAULT | CSS_CHECKED;
    bool control = is(s, e, W_button) || is(s, e, W_input) || is(s, e, W_select) ||
                   is(s, e, W_textarea) || is(s, e, W_fieldset);
    bool disabled = false, writes = s->editable[e];
    if (control || is(s, e, W_optgroup) || is(s, e, W_option)) {
        disabled = is_disabled(s, e);
        flags |= disabled ? CSS_DISABLED : CSS_ENABLED;
    }
    if (is(s, e, W_input)) {
        flags |= input_flags(s, e, disabled);
        flags |= input_changes(s, e, flags, disabled);
    } else if (is(s, e, W_textarea)) flags |= textarea_flags(s, e, disabled);
    else if (writes) flags |= CSS_READ_WRITE;
    if (!(flags & CSS_READ_WRITE)) flags |= CSS_READ_ONLY;
    if (is(s, e, W_select)) flags |= has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
    if (is(s, e, W_button)) flags |= CSS_OPTIONAL; /* browsers do so */
    if (is(s, e, W_button) && !disabled && !s->unlisted[e] && css_submits_form(s, e))
        flags |= CSS_VALID;
    return flags;
}
