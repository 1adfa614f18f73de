/* What HTML says of its elements without a user: links, form controls, language and direction (HTML
 * Living Standard, "Pseudo-classes" and the sections that it names). Constraint validation covers
 * what needs no other language: required values, e-mail and URL types, numbers and their ranges; a
 * `pattern` (a regular expression of JavaScript) is taken as matched. */
#include "states.h"

#include <math.h>
#include <stdlib.h>

/* Names that the rules below speak of; each is looked up once. */
enum {
#define WORDS(W) \
    W(a) \
    W(area) \
    W(button) W(input) W(select) W(textarea) W(fieldset) W(legend) W(optgroup) W(option) W(form) \
        W(progress) W(details) W(dialog) W(bdi) W(meta) W(datalist) W(object) W(output) W(href) \
            W(checked) W(selected) W(multiple) W(size) W(type) W(name) W(disabled) W(required) \
                W(readonly) W(placeholder) W(value) W(min) W(max) W(open) W(lang) W(dir) \
                    W(contenteditable) W(content) W(novalidate) W(step) W(maxlength)
#define NUMBER(word) W_##word,
    WORDS(NUMBER) W_http_equiv,
    WORD_COUNT
};
#define TEXT(word) #word,
static const char *const word_texts[] = {WORDS(TEXT) "http-equiv"};

/* Types of input, as far as states differ. */
typedef enum input_type {
    INPUT_TEXT, /* and unknown ones */
    INPUT_SEARCH,
    INPUT_TEL,
    INPUT_URL,
    INPUT_EMAIL,
    INPUT_PASSWORD,
    INPUT_NUMBER,
    INPUT_DATE, /* and time, month, week, datetime-local */
    INPUT_RANGE,
    INPUT_COLOR,
    INPUT_CHECKBOX,
    INPUT_RADIO,
    INPUT_FILE,
    INPUT_SUBMIT, /* and image */
    INPUT_RESET,  /* and button */
    INPUT_HIDDEN
} input_type;

typedef struct states {
    hed_css_document *d;
    uint32_t word[WORD_COUNT];
    uint8_t *type;  /* (N) of inputs */
    uint32_t *form; /* (N) nearest form; CSS_NONE */
    bool *shut;     /* (N) inside a disabled fieldset */
    bool *editable; /* (N) contenteditable */
    bool *submits;  /* (N) forms that have their default button */
    bool *bad;      /* (N) something in its subtree is invalid */
} states;

static bool is(const states *s, uint32_t e, int word)
{
    return s->d->name_space[e] == HED_CSS_HTML && s->d->tag[e] == s->word[word];
}
static const char *value(const states *s, uint32_t e, int word, size_t *length)
{
    uint32_t name = css_attribute_value(s->d, e, s->word[word]);
    return name == CSS_NONE ? NULL : hed_css_name_text(s->d->names, name, length);
}
static bool has(const states *s, uint32_t e, int word)
{
    return css_attribute_value(s->d, e, s->word[word]) != CSS_NONE;
}

/* Regardless of ASCII case. */
static bool same(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text + 32 : *text) != *word) return false;
    return *text == *word;
}

static input_type type_of(const states *s, uint32_t e)
{
    static const struct {
        const char *name;
        input_type type;
    } types[] = {{"search", INPUT_SEARCH}, {"tel", INPUT_TEL}, {"url", INPUT_URL},
        {"email", INPUT_EMAIL}, {"password", INPUT_PASSWORD}, {"number", INPUT_NUMBER},
        {"date", INPUT_DATE}, {"time", INPUT_DATE}, {"month", INPUT_DATE}, {"week", INPUT_DATE},
        {"datetime-local", INPUT_DATE}, {"range", INPUT_RANGE}, {"color", INPUT_COLOR},
        {"checkbox", INPUT_CHECKBOX}, {"radio", INPUT_RADIO}, {"file", INPUT_FILE},
        {"submit", INPUT_SUBMIT}, {"image", INPUT_SUBMIT}, {"reset", INPUT_RESET},
        {"button", INPUT_RESET}, {"hidden", INPUT_HIDDEN}};
    const char *text = value(s, e, W_type, NULL);
    for (size_t i = 0; text && i < HED_COUNT(types); i++)
        if (same(text, types[i].name)) return types[i].type;
    return INPUT_TEXT;
}

/* ---- from parents down: forms, fieldsets, editing, language, direction ---- */

static void inherit(states *s, uint32_t e)
{
    hed_css_document *d = s->d;
    uint32_t p = d->parent[e];
    s->form[e] = p == CSS_NONE ? CSS_NONE : is(s, p, W_form) ? p : s->form[p];
    s->shut[e] = p != CSS_NONE && s->shut[p];
    if (p != CSS_NONE && is(s, p, W_fieldset) && has(s, p, W_disabled)) {
        bool first_legend = is(s, e, W_legend) && d->position[CSS_OF_TYPE][e] == 1;
        if (!first_legend) s->shut[e] = true;
    }
    const char *editable = value(s, e, W_contenteditable, NULL);
    s->editable[e] = p != CSS_NONE && s->editable[p];
    if (editable && d->name_space[e] == HED_CSS_HTML) {
        if (same(editable, "") || same(editable, "true") || same(editable, "plaintext-only"))
            s->editable[e] = true;
        else if (same(editable, "false")) s->editable[e] = false;
    }
    d->language[e] = p == CSS_NONE ? CSS_NONE : d->language[p];
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_begin[e + 1]; i++) {
        const css_attribute *a = &d->attributes[i]; /* xml:lang is before lang */
        if (a->name == s->word[W_lang] && (!a->name_space || a->name_space == 2))
            d->language[e] = a->value;
        if (a->name == s->word[W_lang] && a->name_space == 2) break;
    }
    bool right = p != CSS_NONE && (d->flags[p] & CSS_RTL);
    const char *dir = value(s, e, W_dir, NULL);
    if (d->name_space[e] == HED_CSS_HTML) {
        if (dir && same(dir, "rtl")) right = true;
        else if (dir && same(dir, "ltr")) right = false;
        else if ((dir && same(dir, "auto")) || is(s, e, W_bdi)) right = d->has_text[e] == 2;
        else if (is(s, e, W_input) && s->type[e] == INPUT_TEL) right = false;
    }
    if (right) d->flags[e] |= CSS_RTL;
}

/* ---- one element ---- */

static bool takes_text(input_type type) { return type <= INPUT_NUMBER || type == INPUT_DATE; }

static bool is_disabled(const states *s, uint32_t e)
{
    if (has(s, e, W_disabled)) return true;
    if (is(s, e, W_optgroup)) return false;
    if (!is(s, e, W_option)) return s->shut[e];
    uint32_t p = s->d->parent[e];
    return p != CSS_NONE && is(s, p, W_optgroup) && has(s, p, W_disabled);
}

static bool valid_email(const char *v)
{
    const char *at = strchr(v, '@');
    if (!at || at == v || !at[1] || strchr(at + 1, '@')) return false;
    for (const char *c = v; c < at; c++)
        if (!strchr(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+/=?^_`{|}~-",
                *c))
            return false;
    for (const char *label = at + 1; *label;) {
        size_t length = strcspn(label, ".");
        if (length == 0 || length > 63 || label[0] == '-' || label[length - 1] == '-') return false;
        for (size_t i = 0; i < length; i++)
            if (!strchr(
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", label[i]))
                return false;
        label += length;
        if (*label == '.' && !*++label) return false;
    }
    return true;
}

static bool number_of(const char *text, double *number)
{
    char *end;
    if (!text || !(*text == '-' || *text == '.' || (*text >= '0' && *text <= '9'))) return false;
    for (const char *c = text; *c; c++)
        if (!strchr("0123456789.-+eE", *c)) return false;
    *number = strtod(text, &end);
    return *end == 0 && isfinite(*number);
}

/* Range states of a number; false: it is out of its range. */
static bool in_range(const states *s, uint32_t e, bool *limited)
{
    double v, low = 0, high = 0;
    bool has_low = number_of(value(s, e, W_min, NULL), &low);
    bool has_high = number_of(value(s, e, W_max, NULL), &high);
    *limited = has_low || has_high;
    if (!number_of(value(s, e, W_value, NULL), &v)) return true;
    return !((has_low && v < low) || (has_high && v > high));
}

static uint32_t input_flags(const states *s, uint32_t e, bool disabled)
{
    input_type type = (input_type)s->type[e];
    uint32_t flags = 0;
    size_t length = 0, hint_length = 0;
    const char *text = value(s, e, W_value, &length);
    const char *hint = value(s, e, W_placeholder, &hint_length);
    bool read_only = has(s, e, W_readonly), check = type == INPUT_CHECKBOX || type == INPUT_RADIO;
    bool can_require = type != INPUT_HIDDEN && type != INPUT_RANGE && type != INPUT_COLOR &&
                       type != INPUT_SUBMIT && type != INPUT_RESET;
    flags |= can_require && has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
    if (takes_text(type) && !read_only && !disabled) flags |= CSS_READ_WRITE;
    bool shows = type <= INPUT_NUMBER; /* types that have a placeholder */
    if (shows && hint && hint[strspn(hint, "\r\n")] && length == 0) flags |= CSS_PLACEHOLDER_SHOWN;
    if (check && has(s, e, W_checked)) flags |= CSS_DEFAULT;
    bool barred = disabled || type == INPUT_HIDDEN || type == INPUT_RESET ||
                  (read_only && (takes_text(type)));
    bool limited = false, inside = true;
    if (type == INPUT_NUMBER) inside = in_range(s, e, &limited);
    if (type == INPUT_RANGE) limited = true;
    if (limited && !barred) flags |= inside ? CSS_IN_RANGE : CSS_OUT_OF_RANGE;
    bool missing = (flags & CSS_REQUIRED) && !check && length == 0;
    if (type == INPUT_CHECKBOX) missing = (flags & CSS_REQUIRED) && !has(s, e, W_checked);
    bool mismatch =
        (type == INPUT_EMAIL && length && !has(s, e, W_multiple) && !valid_email(text)) ||
        (type == INPUT_URL && length && !strstr(text, ":"));
    if (!barred) flags |= missing || mismatch || !inside ? CSS_INVALID : CSS_VALID;
    return flags;
}

static uint32_t element_flags(const states *s, uint32_t e)
{
    const hed_css_document *d = s->d;
    uint32_t flags = d->parent[e] == CSS_NONE ? CSS_ROOT : 0;
    if (d->end[e] == e + 1 && !d->has_text[e]) flags |= CSS_EMPTY;
    const char *tag = hed_css_name_text(d->names, d->tag[e], NULL);
    if (d->name_space[e] != HED_CSS_HTML || !strchr(tag, '-')) flags |= CSS_DEFINED;
    if (d->name_space[e] == HED_CSS_SVG && d->tag[e] == s->word[W_a])
        for (uint32_t i = d->attribute_begin[e]; i < d->attribute_begin[e + 1]; i++)
            if (d->attributes[i].name == s->word[W_href] && d->attributes[i].name_space <= 1)
                flags |= CSS_LINK;
    if (d->name_space[e] != HED_CSS_HTML) return flags;
    if ((is(s, e, W_a) || is(s, e, W_area)) && has(s, e, W_href)) flags |= CSS_LINK;
    if ((is(s, e, W_details) || is(s, e, W_dialog)) && has(s, e, W_open)) flags |= CSS_OPEN;
    if (is(s, e, W_progress) && !has(s, e, W_value)) flags |= CSS_INDETERMINATE;
    bool control = is(s, e, W_button) || is(s, e, W_input) || is(s, e, W_select) ||
                   is(s, e, W_textarea) || is(s, e, W_fieldset);
    bool disabled = false;
    if (control || is(s, e, W_optgroup) || is(s, e, W_option)) {
        disabled = is_disabled(s, e);
        flags |= disabled ? CSS_DISABLED : CSS_ENABLED;
    }
    if (s->editable[e]) flags |= CSS_READ_WRITE;
    if (is(s, e, W_input))
        flags = (flags & ~(uint32_t)CSS_READ_WRITE) | input_flags(s, e, disabled);
    if (is(s, e, W_textarea)) {
        bool open = !disabled && !has(s, e, W_readonly), empty = !d->has_text[e];
        const char *hint = value(s, e, W_placeholder, NULL);
        flags &= ~(uint32_t)CSS_READ_WRITE;
        if (open) flags |= CSS_READ_WRITE;
        flags |= has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
        if (hint && hint[strspn(hint, "\r\n")] && empty) flags |= CSS_PLACEHOLDER_SHOWN;
        if (open) flags |= has(s, e, W_required) && empty ? CSS_INVALID : CSS_VALID;
    }
    if (is(s, e, W_select)) flags |= has(s, e, W_required) ? CSS_REQUIRED : CSS_OPTIONAL;
    if (is(s, e, W_option) && has(s, e, W_selected)) flags |= CSS_DEFAULT;
    if (is(s, e, W_button) && !disabled) {
        const char *type = value(s, e, W_type, NULL);
        if (!type || !(same(type, "button") || same(type, "reset"))) flags |= CSS_VALID;
    }
    if (is(s, e, W_input) && has(s, e, W_checked) &&
        (s->type[e] == INPUT_CHECKBOX || s->type[e] == INPUT_RADIO))
        flags |= CSS_CHECKED;
    return flags;
}

/* ---- several elements together ---- */

/* Options of a select: which are selected, and whether it may be submitted. */
static void select_options(states *s, uint32_t select)
{
    hed_css_document *d = s->d;
    bool multiple = has(s, select, W_multiple);
    const char *size = value(s, select, W_size, NULL);
    uint32_t last = CSS_NONE, first = CSS_NONE, first_option = CSS_NONE;
    for (uint32_t e = select + 1; e < d->end[select]; e++) {
        if (!is(s, e, W_option)) continue;
        if (first_option == CSS_NONE) first_option = e;
        if (first == CSS_NONE && !(d->flags[e] & CSS_DISABLED)) first = e;
        if (!has(s, e, W_selected)) continue;
        if (multiple) d->flags[e] |= CSS_CHECKED;
        last = e;
    }
    bool one = !multiple && (!size || atoi(size) <= 1);
    if (!multiple && last == CSS_NONE && one) last = first;
    if (!multiple && last != CSS_NONE) d->flags[last] |= CSS_CHECKED;
    if (d->flags[select] & CSS_DISABLED) return;
    /* required: a placeholder label (first option, empty value, child of the select) does not count */
    bool missing = last == CSS_NONE;
    if (last != CSS_NONE && one && last == first_option && d->parent[last] == select) {
        size_t length = 1;
        const char *text = value(s, last, W_value, &length);
        missing = text ? length == 0 : !d->has_text[last];
    }
    d->flags[select] |= (d->flags[select] & CSS_REQUIRED) && missing ? CSS_INVALID : CSS_VALID;
}

/* A radio button, by what its group is: form and name. */
typedef struct radio {
    uint32_t form, name, element;
} radio;

static int by_group(const void *a, const void *b)
{
    const radio *x = a, *y = b;
    if (x->form != y->form) return x->form < y->form ? -1 : 1;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* The last checked button of a group stays; a group without one is indeterminate, and invalid where one
 * of it is required. A button without a name is a group of its own. */
static void group_radios(states *s, radio *radios, uint32_t count)
{
    uint32_t *flags = s->d->flags;
    qsort(radios, count, sizeof *radios, by_group);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        uint32_t checked = CSS_NONE;
        bool required = false;
        size_t length = 0;
        if (radios[begin].name != CSS_NONE)
            hed_css_name_text(s->d->names, radios[begin].name, &length);
        for (end = begin; end < count; end++) {
            uint32_t e = radios[end].element;
            if (end > begin && (!length || radios[end].form != radios[begin].form ||
                                   radios[end].name != radios[begin].name))
                break;
            if (flags[e] & CSS_CHECKED) checked = e;
            required = required || (flags[e] & CSS_REQUIRED);
        }
        for (uint32_t i = begin; i < end; i++) {
            uint32_t e = radios[i].element;
            if (checked != CSS_NONE && e != checked) flags[e] &= ~(uint32_t)CSS_CHECKED;
            if (checked == CSS_NONE) flags[e] |= CSS_INDETERMINATE;
            if (required && checked == CSS_NONE && (flags[e] & CSS_VALID))
                flags[e] ^= CSS_VALID | CSS_INVALID;
        }
    }
}

hed_status css_find_states(hed_css_document *d, hed_error *error)
{
    uint32_t n = d->count, radio_count = 0, meta_language = CSS_NONE;
    hed_arena work = {.allocator = d->allocator, .owner = "a document"};
    states s = {.d = d,
        .type = hed_arena_new(&work, n, 1, error),
        .form = hed_arena_new(&work, n, sizeof(uint32_t), error),
        .shut = hed_arena_new(&work, n, sizeof(bool), error),
        .editable = hed_arena_new(&work, n, sizeof(bool), error),
        .submits = hed_arena_new(&work, n, sizeof(bool), error),
        .bad = hed_arena_new(&work, n, sizeof(bool), error)};
    for (int w = 0; w < WORD_COUNT; w++)
        s.word[w] = hed_css_name(d->names, word_texts[w], strlen(word_texts[w]));
    uint32_t radios_most = 0;
    for (uint32_t e = 0; e < n && !hed_failed(error); e++) {
        if (is(&s, e, W_input)) s.type[e] = (uint8_t)type_of(&s, e);
        radios_most += is(&s, e, W_input) && s.type[e] == INPUT_RADIO;
        const char *pragma = is(&s, e, W_meta) ? value(&s, e, W_http_equiv, NULL) : NULL;
        if (pragma && same(pragma, "content-language") && meta_language == CSS_NONE)
            meta_language = css_attribute_value(d, e, s.word[W_content]);
    }
    radio *radios = hed_arena_new(&work, radios_most, sizeof *radios, error);
    for (uint32_t e = 0; e < n && !hed_failed(error); e++) {
        inherit(&s, e);
        d->flags[e] |= element_flags(&s, e);
        if (is(&s, e, W_input) && s.type[e] == INPUT_RADIO)
            radios[radio_count++] =
                (radio){s.form[e], css_attribute_value(d, e, s.word[W_name]), e};
        if (d->language[e] == CSS_NONE) d->language[e] = meta_language;
    }
    for (uint32_t e = 0; e < n && !hed_failed(error); e++)
        if (is(&s, e, W_select)) select_options(&s, e);
    if (!hed_failed(error)) group_radios(&s, radios, radio_count);
    /* The default button of a form is its first one that submits; forms and fieldsets are as valid as
     * what they hold. */
    for (uint32_t e = 0; e < n && !hed_failed(error); e++) {
        bool submit = is(&s, e, W_input) && s.type[e] == INPUT_SUBMIT;
        if (is(&s, e, W_button)) {
            const char *type = value(&s, e, W_type, NULL);
            submit = !type || !(same(type, "button") || same(type, "reset"));
        }
        uint32_t form = s.form[e];
        if (submit && form != CSS_NONE && !s.submits[form]) {
            s.submits[form] = true;
            d->flags[e] |= CSS_DEFAULT;
        }
    }
    for (uint32_t e = n; e-- > 0 && !hed_failed(error);) { /* children before parents */
        bool holds = is(&s, e, W_form) || is(&s, e, W_fieldset);
        bool bad = s.bad[e] || (!holds && (d->flags[e] & CSS_INVALID));
        if (holds) d->flags[e] |= bad ? CSS_INVALID : CSS_VALID;
        if (bad && d->parent[e] != CSS_NONE) s.bad[d->parent[e]] = true;
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
