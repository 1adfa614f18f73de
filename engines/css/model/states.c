/* States that HTML defines without a user: links, form controls, language and direction (HTML
 * Living Standard, "Pseudo-classes" and the sections that it names). Constraint validation covers
 * required values, types, ranges, steps and patterns (inputs.c), but not scripts. */
#include "states.h"

#include <stdlib.h>

#include "inputs.h"

/* Names of elements and attributes in the rules below; each is looked up once. */
enum {
#define WORDS(W) \
    W(a) \
    W(area) \
    W(button) \
    W(input) \
    W(select) \
    W(textarea) \
    W(fieldset) \
    W(legend) W(optgroup) W(option) W(form) W(progress) W(details) W(dialog) W(bdi) W(meta) \
        W(datalist) W(href) W(checked) W(selected) W(multiple) W(size) W(type) W(name) W(disabled) \
            W(required) W(readonly) W(placeholder) W(value) W(min) W(max) W(open) W(lang) W(dir) \
                W(contenteditable) W(content) W(step) W(pattern) W(is) W(id) W(table) W(tbody) \
                    W(thead) W(tfoot) W(tr) W(minlength) W(maxlength) W(command) W(commandfor) \
                        W(method) W(formmethod) W(closedby) W(hidden)
#define NUMBER(word) W_##word,
    WORDS(NUMBER) W_http_equiv,
    WORD_COUNT
};
enum { WORD_SLOTS = 256, TAG_NOTES = 64 };
_Static_assert(WORD_COUNT <= 64, "a word has no bit");
#define TEXT(word) #word,
static const char *const word_texts[] = {WORDS(TEXT) "http-equiv"};

typedef struct states {
    hed_css_document *d;
    uint32_t word[WORD_COUNT];
    struct word_slot {
        uint32_t name;   /* CSS_NONE: free */
        uint8_t word;    /* 1 + number of the word */
    } slots[WORD_SLOTS]; /* hash table of the words by their names */
    uint8_t *tag_word;   /* (N) 1 + number of the word that names an HTML element; 0: another one */
    uint64_t *has_words; /* (N) a bit for each word that is the name of an attribute */
    uint64_t tags, attributes; /* bits of all of them: passes without elements are skipped */
    struct tag_note {
        uint32_t name;   /* 1 + name; 0: free */
        bool custom;     /* custom elements can have it */
    } notes[TAG_NOTES];  /* tags seen last, by their name */
    uint8_t *type;       /* (N) css_input_type of input elements */
    uint32_t *form;      /* (N) form owner */
    bool *shut;          /* (N) inside a disabled fieldset */
    bool *unlisted;      /* (N) inside a datalist */
    bool *off;           /* (N) inside a disabled select */
    bool *editable;      /* (N) contenteditable */
    bool *submits;       /* (N) forms that have their default button */
    bool *bad;           /* (N) forms that own an invalid element */
    bool *holds_bad;     /* (N) the subtree has an invalid element */
    bool *holds_changes; /* (N) the subtree has an element whose validity a reader can change */
} states;

static bool is(const states *s, uint32_t e, int word) { return s->tag_word[e] == word + 1; }
static bool has(const states *s, uint32_t e, int word) { return s->has_words[e] >> word & 1; }
static bool any(const states *s, int word) { return s->tags >> word & 1; }
static bool any_has(const states *s, int word) { return s->attributes >> word & 1; }
static const char *value(const states *s, uint32_t e, int word, size_t *length)
{
    if (!has(s, e, word)) return NULL;
    return hed_css_names_text(s->d->names, css_attribute_value(s->d, e, s->word[word]), length);
}

/* Slot of a name: its own, or the free one where it would be. */
static inline struct word_slot *find_slot(states *s, uint32_t name)
{
    uint32_t at = name * 0x9e3779b1u >> 24;
    while (s->slots[at].name != name && s->slots[at].name != CSS_NONE) at = (at + 1) % WORD_SLOTS;
    return &s->slots[at];
}

/* Numbers the words, and finds those of each element. */
static void find_words(states *s, hed_arena *work, hed_error *error)
{
    hed_css_document *d = s->d;
    for (int i = 0; i < WORD_SLOTS; i++) s->slots[i] = (struct word_slot){CSS_NONE, 0};
    for (int w = 0; w < WORD_COUNT; w++) {
        s->word[w] = hed_css_names_add(d->names, word_texts[w], strlen(word_texts[w]));
        if (s->word[w] == CSS_NONE)
            hed_fail(error, HED_ERROR_MEMORY, "css: out of memory for a name");
        else *find_slot(s, s->word[w]) = (struct word_slot){s->word[w], (uint8_t)(w + 1)};
    }
    s->tag_word = hed_arena_new(work, d->count, 1, error);
    s->has_words = hed_arena_new(work, d->count, sizeof *s->has_words, error);
    for (uint32_t e = 0; e < d->count && !hed_failed(error); e++) {
        if (d->name_space[e] == HED_CSS_HTML) s->tag_word[e] = find_slot(s, d->tag[e])->word;
        if (s->tag_word[e]) s->tags |= 1ull << (s->tag_word[e] - 1);
        for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++) {
            const css_attribute *a = &d->attributes[i];
            bool xml_lang = a->name_space == 2 && a->name == s->word[W_lang];
            uint8_t word = a->name_space && !xml_lang ? 0 : find_slot(s, a->name)->word;
            if (word) s->has_words[e] |= 1ull << (word - 1);
        }
        s->attributes |= s->has_words[e];
    }
}

/* True if a text equals `word`, which is in lower case; ASCII case is ignored. */
static bool same_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text + 32 : *text) != *word) return false;
    return *text == *word;
}

/* ---- from parents down: forms, fieldsets, editing, language, direction ---- */

static void inherit_direction(states *s, uint32_t e)
{
    hed_css_document *d = s->d;
    uint32_t p = d->parent[e];
    bool right = p != CSS_NONE && (d->flags[p] & CSS_RTL);
    const char *dir = value(s, e, W_dir, NULL);
    bool turns = p != CSS_NONE && d->flags[p] & CSS_CHANGES_DIRECTION;
    if (d->name_space[e] == HED_CSS_HTML) {
        bool is_right = dir && same_word(dir, "rtl"), is_left = dir && same_word(dir, "ltr");
        bool by_text =
            !is_right && !is_left && ((dir && same_word(dir, "auto")) || is(s, e, W_bdi));
        if (by_text) right = d->has_text[e] & CSS_TEXT_RIGHT;
        else if (is_right || is_left) right = is_right;
        else if (is(s, e, W_input) && s->type[e] == CSS_INPUT_TEL) right = false, is_left = true;
        /* true if a reader may change the text that decides the direction */
        if (!by_text) turns = turns && !is_right && !is_left;
        else if (is(s, e, W_input)) turns = s->type[e] <= CSS_INPUT_EMAIL;
        else turns = any_has(s, W_contenteditable) || is(s, e, W_textarea);
    }
    if (right) d->flags[e] |= CSS_RTL;
    if (turns) d->flags[e] |= CSS_CHANGES_DIRECTION;
}

/* Form owner, and the states of fieldsets, selects, datalists and editable elements. */
static void inherit_control(states *s, uint32_t e)
{
    hed_css_document *d = s->d;
    uint32_t p = d->parent[e];
    s->form[e] = p == CSS_NONE ? CSS_NONE : is(s, p, W_form) ? p : s->form[p];
    s->shut[e] = p != CSS_NONE && s->shut[p];
    s->unlisted[e] = p != CSS_NONE && (s->unlisted[p] || is(s, p, W_datalist));
    s->off[e] = p != CSS_NONE &&
                (s->off[p] || (is(s, p, W_select) && (has(s, p, W_disabled) || s->shut[p])));
    if (p != CSS_NONE && is(s, p, W_fieldset) && has(s, p, W_disabled)) {
        bool first_legend = is(s, e, W_legend) && d->position[CSS_OF_TYPE][e] == 1;
        if (!first_legend) s->shut[e] = true;
    }
    const char *editable = value(s, e, W_contenteditable, NULL);
    s->editable[e] = p != CSS_NONE && s->editable[p];
    if (editable && d->name_space[e] == HED_CSS_HTML) {
        if (same_word(editable, "") || same_word(editable, "true") ||
            same_word(editable, "plaintext-only"))
            s->editable[e] = true;
        else if (same_word(editable, "false")) s->editable[e] = false;
    }
    if (p != CSS_NONE && d->flags[p] & (CSS_EDITOR | CSS_EDITED)) {
        d->flags[e] |= CSS_EDITED;
        d->has_edited = true;
    } else if (s->editable[e]) d->flags[e] |= CSS_EDITOR;
}

static void inherit_language(states *s, uint32_t e)
{
    hed_css_document *d = s->d;
    uint32_t p = d->parent[e];
    d->language[e] = p == CSS_NONE ? CSS_NONE : d->language[p];
    for (uint32_t i = d->attribute_begin[e]; has(s, e, W_lang) && i < d->attribute_end[e]; i++) {
        const css_attribute *a = &d->attributes[i]; /* xml:lang has precedence over lang */
        if (a->name == s->word[W_lang] && (!a->name_space || a->name_space == 2))
            d->language[e] = a->value;
        if (a->name == s->word[W_lang] && a->name_space == 2) break;
    }
}

static void inherit_all(states *s)
{
    const uint32_t n = s->d->count;
    bool controls = any(s, W_form) || any(s, W_fieldset) || any(s, W_select) ||
                    any(s, W_datalist) || any_has(s, W_contenteditable);
    bool directions = any(s, W_bdi) || any_has(s, W_dir);
    if (n && !controls) memset(s->form, 0xff, n * sizeof *s->form);
    for (uint32_t e = 0; e < n; e++) {
        if (controls) inherit_control(s, e);
        inherit_language(s, e);
        if (directions) inherit_direction(s, e);
    }
}

/* ---- one element ---- */

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

static bool submits_form(const states *s, uint32_t e)
{
    if (is(s, e, W_input)) return s->type[e] == CSS_INPUT_SUBMIT || s->type[e] == CSS_INPUT_IMAGE;
    const char *type = is(s, e, W_button) ? value(s, e, W_type, NULL) : "button";
    if (type && same_word(type, "submit")) return true;
    if (type && (same_word(type, "button") || same_word(type, "reset"))) return false;
    return !has(s, e, W_command) && !has(s, e, W_commandfor);
}

/* True if a name is that of a custom element (HTML, "valid custom element name"). */
static bool is_custom_name(const char *tag)
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
    if (tag) *note = (struct tag_note){name + 1, is_custom_name(tag)};
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

static uint32_t element_flags(states *s, uint32_t e)
{
    const hed_css_document *d = s->d;
    uint32_t flags = d->parent[e] == CSS_NONE ? CSS_ROOT : 0;
    if (d->end[e] == e + 1 && !(d->has_text[e] & CSS_TEXT)) flags |= CSS_EMPTY;
    if (!is_undefined(s, e)) flags |= CSS_DEFINED;
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
    if (is(s, e, W_button) && !disabled && !s->unlisted[e] && submits_form(s, e))
        flags |= CSS_VALID;
    return flags;
}

/* ---- several elements together ---- */

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

/* Sets the selected options of a select, and its validity. */
static void select_options(states *s, uint32_t select)
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
     * count */
    bool label = shows_one && last == first_option && last != CSS_NONE && d->parent[last] == select;
    if (d->flags[select] & CSS_REQUIRED && first != CSS_NONE)
        d->flags[select] |= CSS_CHANGES_VALIDITY;
    bool missing = last == CSS_NONE || (label && option_is_empty(s, last));
    d->flags[select] |= (d->flags[select] & CSS_REQUIRED) && missing ? CSS_INVALID : CSS_VALID;
}

/* Member of a group: radio buttons of one form and name, or details of one name; or an element with
 * an id. */
typedef struct member {
    uint32_t form, name, element;
} member;

static int by_group(const void *a, const void *b)
{
    const member *x = a, *y = b;
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
    qsort(radios, count, sizeof *radios, by_group);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        uint32_t checked = CSS_NONE, free = 0; /* free: buttons that a reader can check */
        bool required = false, has_name = radios[begin].name != CSS_NONE;
        for (end = begin; end < count; end++) {
            uint32_t e = radios[end].element;
            if (end > begin && (!has_name || radios[end].form != radios[begin].form ||
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
    qsort(details, count, sizeof *details, by_group);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t e = details[i].element, name = CSS_NONE;
        if (details[i].name != details[i - 1].name) continue;
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

static hed_status find_groups(states *s, hed_arena *work, hed_error *error)
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
            radio[radios++] = (member){s->form[e], group_name(s, e), e};
        if (!is(s, e, W_details) || !(d->flags[e] & CSS_OPEN)) continue;
        uint32_t name = group_name(s, e);
        if (name != CSS_NONE) open[details++] = (member){CSS_NONE, name, e};
    }
    group_radios(s, radio, radios);
    close_details(s, open, details);
    return HED_OK;
}

/* ---- forms ---- */

/* Elements with an id, sorted by it. */
typedef struct id_index {
    member *items;
    uint32_t count;
} id_index;

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
                (member){CSS_NONE, css_attribute_value(d, e, s->word[W_id]), e};
    qsort(ids.items, ids.count, sizeof *ids.items, by_group);
    return ids;
}

/* First element with an id, if it has this tag; otherwise CSS_NONE. */
static uint32_t element_by_id(const states *s, id_index ids, uint32_t id, int tag)
{
    uint32_t low = 0, high = ids.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids.items[middle].name < id) low = middle + 1;
        else high = middle;
    }
    bool found = low < ids.count && ids.items[low].name == id && is(s, ids.items[low].element, tag);
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
            s->form[e] = element_by_id(s, ids, css_attribute_value(d, e, s->word[W_form]), W_form);
    }
}

/* ---- dialogs ---- */

/* True if a button opens a dialog by a command, or closes one that is open. */
static bool commands_dialog(const states *s, uint32_t e, uint32_t dialog)
{
    const char *command = value(s, e, W_command, NULL);
    if (!command || s->d->flags[e] & CSS_DISABLED) return false;
    bool closes = same_word(command, "close") || same_word(command, "request-close");
    return same_word(command, "show-modal") || (closes && s->d->flags[dialog] & CSS_OPEN);
}

/* True if an element closes the dialog around it: a form, or its button, with method=dialog. */
static bool closes_dialog(const states *s, uint32_t e)
{
    const char *method = is(s, e, W_form)     ? value(s, e, W_method, NULL)
                         : submits_form(s, e) ? value(s, e, W_formmethod, NULL)
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
            dialog = element_by_id(s, ids, id, W_dialog);
            if (dialog != CSS_NONE && commands_dialog(s, e, dialog))
                d->flags[dialog] |= CSS_CHANGES_OPEN;
        }
        if (!closes_dialog(s, e)) continue;
        for (dialog = e; dialog != CSS_NONE && !is(s, dialog, W_dialog);)
            dialog = d->parent[dialog];
        if (dialog != CSS_NONE && d->flags[dialog] & CSS_OPEN) d->flags[dialog] |= CSS_CHANGES_OPEN;
    }
}

/* ---- validity of forms ---- */

/* Sets the default button of each form, its first submit button, and the validity of forms, by the
 * elements that they own, and of fieldsets, by the elements inside. */
static void judge_forms(states *s)
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
        if (!submits_form(s, e) || s->submits[form]) continue;
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

bool css_has_states(const hed_css_document *d, uint32_t e, uint32_t name, uint32_t attribute)
{
    const char *text = hed_css_names_text(d->names, name, NULL);
    for (int w = 0; w < WORD_COUNT; w++)
        if (*text == *word_texts[w] && !strcmp(text, word_texts[w])) {
            if (w == W_hidden && !(d->flags[e] & CSS_CHANGES_HIDDEN))
                return attribute != CSS_NONE &&
                       same_word(hed_css_names_text(d->names, attribute, NULL), "until-found");
            return w != W_id || d->id_references;
        }
    return false;
}

hed_status css_find_states(hed_css_document *d, hed_error *error)
{
    uint32_t n = d->count, meta_language = CSS_NONE;
    hed_arena work = {.allocator = d->allocator, .owner = "a document"};
    states s = {.d = d,
        .type = hed_arena_new(&work, n, 1, error),
        .form = hed_arena_new(&work, n, sizeof(uint32_t), error)};
    bool **marks[] = {&s.shut, &s.unlisted, &s.off, &s.editable, &s.submits, &s.bad, &s.holds_bad,
        &s.holds_changes};
    for (size_t i = 0; i < HED_COUNT(marks); i++)
        *marks[i] = hed_arena_new(&work, n, sizeof(bool), error);
    find_words(&s, &work, error);
    if (n) memset(d->flags, 0, n * sizeof *d->flags);
    d->has_edited = false;
    bool has_types = any(&s, W_input) || any(&s, W_meta);
    for (uint32_t e = 0; e < n && has_types && !hed_failed(error); e++) {
        if (is(&s, e, W_input)) s.type[e] = (uint8_t)css_input_type_of(value(&s, e, W_type, NULL));
        const char *pragma = is(&s, e, W_meta) ? value(&s, e, W_http_equiv, NULL) : NULL;
        if (pragma && same_word(pragma, "content-language") && meta_language == CSS_NONE)
            meta_language = css_attribute_value(d, e, s.word[W_content]);
    }
    if (!hed_failed(error)) inherit_all(&s);
    for (uint32_t e = 0; e < n && !hed_failed(error); e++) {
        d->flags[e] |= element_flags(&s, e);
        if (d->language[e] == CSS_NONE) d->language[e] = meta_language;
    }
    id_index ids = hed_failed(error) ? (id_index){0} : index_ids(&s, &work, error);
    if (!hed_failed(error)) {
        find_owners(&s, ids);
        change_dialogs(&s, ids);
    }
    if (!hed_failed(error)) find_groups(&s, &work, error);
    for (uint32_t e = 0; e < n && any(&s, W_select) && !hed_failed(error); e++)
        if (is(&s, e, W_select)) select_options(&s, e);
    if (!hed_failed(error)) judge_forms(&s);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
