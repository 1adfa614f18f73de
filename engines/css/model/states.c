/* States that HTML defines without a user: links, form controls, language and direction (HTML
 * Living Standard, "Pseudo-classes" and the sections that it names). Constraint validation covers
 * required values, types, ranges, steps and patterns (inputs.c), but not scripts. */
#include "states_reader.h"

#define TEXT(word) #word,
static const char *const word_texts[] = {WORDS(TEXT) "http-equiv"};

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

/* ---- from parents down: forms, fieldsets, editing, language, direction ---- */

/* Element from which language and direction are inherited: the parent, or of a shadow root its
 * host. */
static uint32_t inherits_from(const hed_css_document *d, uint32_t e)
{
    return css_is_shadow_root(d, e) ? d->trees[d->tree_of[e]].host : d->parent[e];
}

static void inherit_direction(states *s, uint32_t e)
{
    hed_css_document *d = s->d;
    uint32_t p = inherits_from(d, e);
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
    uint32_t p = inherits_from(d, e);
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
        d->flags[e] |= css_element_flags(&s, e);
        if (d->language[e] == CSS_NONE) d->language[e] = meta_language;
    }
    if (!hed_failed(error)) css_find_references(&s, &work, error);
    if (!hed_failed(error)) css_find_groups(&s, &work, error);
    for (uint32_t e = 0; e < n && any(&s, W_select) && !hed_failed(error); e++)
        if (is(&s, e, W_select)) css_select_options(&s, e);
    if (!hed_failed(error)) css_judge_forms(&s);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
