/* Working data of states.c and its parts: words of the rules, and properties of each element. */
#ifndef HED_CSS_STATES_READER_H
#define HED_CSS_STATES_READER_H

#include "inputs.h"
#include "shadow.h"
#include "states.h"

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

static inline bool is(const states *s, uint32_t e, int word) { return s->tag_word[e] == word + 1; }
static inline bool has(const states *s, uint32_t e, int word)
{
    return s->has_words[e] >> word & 1;
}
static inline bool any(const states *s, int word) { return s->tags >> word & 1; }
static inline bool any_has(const states *s, int word) { return s->attributes >> word & 1; }
static inline const char *value(const states *s, uint32_t e, int word, size_t *length)
{
    if (!has(s, e, word)) return NULL;
    return hed_css_names_text(s->d->names, css_attribute_value(s->d, e, s->word[word]), length);
}

/* True if a text equals `word`, which is in lower case; ASCII case is ignored. */
static inline bool same_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text + 32 : *text) != *word) return false;
    return *text == *word;
}

/* Member of a group: radio buttons of one form and name, or details of one name, or elements with one
 * id; each in one tree. */
typedef struct member {
    uint32_t tree, form, name, element;
} member;

/* Elements with an id, sorted by tree and id. */
typedef struct id_index {
    member *items;
    uint32_t count;
} id_index;

/* Orders members by tree, form, name and element, for qsort(). */
int css_by_group(const void *a, const void *b);

/* ---- element_states.c ---- */

/* Flags of an element that follow from its tag, its attributes and its inherited properties. */
uint32_t css_element_flags(states *s, uint32_t e);
/* True if a button submits its form. */
bool css_submits_form(const states *s, uint32_t e);

/* ---- group_states.c: options of selects, groups of radio buttons, details of one name ---- */

/* Sets the selected options of a select, and its validity. */
void css_select_options(states *s, uint32_t select);
/* Sets the flags of groups of radio buttons, and closes all details of a name except the first. */
hed_status css_find_groups(states *s, hed_arena *work, hed_error *error);

/* ---- form_states.c: form owners, dialogs, validity of forms ---- */

/* Sets form owners and dialogs, which refer to elements by their ids. */
hed_status css_find_references(states *s, hed_arena *work, hed_error *error);
/* Sets the default button of each form, its first submit button, and the validity of forms, by the
 * elements that they own, and of fieldsets, by the elements inside. */
void css_judge_forms(states *s);

#endif
