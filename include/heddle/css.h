/** @file css.h
 *  Style sheets matched against whole documents: CSS Syntax 3, Selectors 4 and the cascade for every
 *  element at once, on any device. A library of its own: heddle-css.
 *
 *  Three objects: a document (a tree, from HTML or from arrays), a sheet (from text), and a matcher,
 *  which holds documents and sheets on a device and says which rules match which elements. Documents
 *  and sheets that are matched together share a table of names.
 *
 *  Results are classes: elements that match the same rules, in the same state of their ancestors, have
 *  the same class; a class has a sorted list of rules. From it come counts, pairs, bit sets, winners.
 *
 *  Elements are numbered in document order from 0, the root; contents of templates are not counted.
 *  Rules are style rules in source order from 0, those in \@media, \@supports and \@layer flattened,
 *  nested ones behind the rule that holds them; \@keyframes, \@font-face and \@page have none.
 *
 *  Thread class of everything here, unless it says otherwise: owner of the objects named.
 */
#ifndef HEDDLE_CSS_H
#define HEDDLE_CSS_H

#include "heddle/device.h"

HED_BEGIN

typedef struct hed_css_names hed_css_names;
typedef struct hed_css_document hed_css_document;
typedef struct hed_css_sheet hed_css_sheet;
typedef struct hed_css_matcher hed_css_matcher;

/** No element, no rule, no name. */
#define HED_CSS_NONE UINT32_MAX

/* ---- names ---- */

/** A table of names that documents and sheets share; it must outlive them. `allocator` may be NULL.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_names_create(
    const hed_allocator *allocator, hed_css_names **names, hed_error *error);
HED_API void hed_css_names_destroy(hed_css_names *names); /**< NULL is allowed */
/** Number of a name, which is added where it is new; HED_CSS_NONE where memory runs out. */
HED_API uint32_t hed_css_name(hed_css_names *names, const char *text, size_t length);
/** The text of a name, with its length (nullable). Lives as long as the table. */
HED_API const char *hed_css_name_text(const hed_css_names *names, uint32_t name, size_t *length);

/* ---- documents ---- */

/** What an element's name belongs to. */
typedef enum hed_css_namespace {
    HED_CSS_HTML,
    HED_CSS_SVG,
    HED_CSS_MATHML,
    HED_CSS_OTHER
} hed_css_namespace;

/** States that a document does not hold: bits that a program sets for an element, default none. */
typedef enum hed_css_state {
    HED_CSS_HOVER = 1u << 0,
    HED_CSS_ACTIVE = 1u << 1,
    HED_CSS_FOCUS = 1u << 2,
    HED_CSS_FOCUS_VISIBLE = 1u << 3,
    HED_CSS_TARGET = 1u << 4,
    HED_CSS_VISITED = 1u << 5,
    HED_CSS_FULLSCREEN = 1u << 6,
    HED_CSS_MODAL = 1u << 7,
    HED_CSS_POPOVER_OPEN = 1u << 8,
    HED_CSS_USER_VALID = 1u << 9,
    HED_CSS_USER_INVALID = 1u << 10,
    HED_CSS_AUTOFILL = 1u << 11,
    HED_CSS_PLAYING = 1u << 12,
    HED_CSS_OTHER_STATE = 1u << 13 /**< any other one: :paused, :muted, :state() ... */
} hed_css_state;

/** One attribute of a tree in arrays. */
typedef struct hed_css_attribute {
    const char *name; /**< as written; lower case in HTML elements */
    const char *value;
    size_t value_length; /**< 0: up to its final zero */
} hed_css_attribute;

/** One element of a tree in arrays. */
typedef struct hed_css_element {
    uint32_t parent; /**< an earlier element; HED_CSS_NONE: a root, which a forest has several of */
    hed_css_namespace name_space;
    const char *name;                    /**< lower case in HTML; as written elsewhere */
    const hed_css_attribute *attributes; /**< (attribute_count) */
    uint32_t attribute_count;
    bool has_text; /**< a text node of at least one character is among its children */
} hed_css_element;

/** A tree that a program holds, walked once, while a document is made of it. Nodes are elements, and what
 *  `node` points to is the program's own. */
typedef struct hed_css_tree {
    const void *root;                                          /**< NULL: there is none */
    const void *(*first_child)(void *user, const void *node);  /**< NULL: none */
    const void *(*next_sibling)(void *user, const void *node); /**< NULL: none; not of the root */
    /** Fills `element`, which is all zero before, but for its parent. Texts and attributes must live until
     *  the next call. */
    void (*describe)(void *user, const void *node, hed_css_element *element);
    void *user;
} hed_css_tree;

/** Where a document comes from. */
typedef struct hed_css_document_def {
    const char *html; /**< HTML, UTF-8; NULL: `elements` */
    size_t html_length;
    const char *file;                /**< for messages; NULL: "page" */
    const hed_css_element *elements; /**< (element_count), parents before children */
    uint32_t element_count;
    hed_css_tree tree; /**< where it has a root: in place of `html` and `elements` */
    bool quirks;       /**< of `elements` and `tree`: ids and classes regardless of case */
} hed_css_document_def;

/** Makes a document. There is no wrong HTML, and damaged UTF-8 is read as U+FFFD; but what is a picture,
 *  an archive or UTF-16 by its first bytes is refused. HTML of n bytes takes libgumbo time in proportion
 *  to n, and beyond that to the square of the depth and of the attributes of one tag.
 *  Errors: ARGUMENT, FORMAT (that; a parent that is no earlier element), LIMIT (1 GiB of HTML), MEMORY,
 *  UNSUPPORTED (HTML without libgumbo). */
HED_API hed_status hed_css_document_create(hed_css_names *names, const hed_css_document_def *def,
    hed_css_document **document, hed_error *error);
HED_API void hed_css_document_destroy(hed_css_document *document); /**< NULL is allowed */

/** Facts about a document. */
typedef struct hed_css_document_info {
    uint32_t elements;
    uint32_t depth; /**< of the deepest element; the root has 0 */
    bool quirks;
    uint32_t style_sheets; /**< `<style>` and `<link rel=stylesheet>`, in order */
} hed_css_document_info;
/** Thread class: any. */
HED_API hed_css_document_info hed_css_document_describe(const hed_css_document *document);
/** The page's own sheet `index`: text of a `<style>`, or NULL and the `href` of a link; its media
 *  attribute ("" where there is none). */
HED_API const char *hed_css_document_sheet(const hed_css_document *document, uint32_t index,
    size_t *length, const char **href, const char **media);
/** Line of the page on which the text of its own sheet `index` begins, from 1; 0: a link. */
HED_API uint32_t hed_css_document_sheet_line(const hed_css_document *document, uint32_t index);
/** Element `element` as a short text for people, "div#main.wide"; cut to `size`. */
HED_API void hed_css_element_text(
    const hed_css_document *document, uint32_t element, char *text, size_t size);
/** The element's parent; HED_CSS_NONE: it is a root. Thread class: any. */
HED_API uint32_t hed_css_parent(const hed_css_document *document, uint32_t element);
/** Line of its start tag, from 1; 0: unknown. */
HED_API uint32_t hed_css_line(const hed_css_document *document, uint32_t element);

/** Calls `each` for attributes that hold CSS: `style`, those of fonts, any value with "var(". The texts
 *  are the document's. */
HED_API void hed_css_document_styles(const hed_css_document *document,
    void (*each)(void *user, const char *text, size_t length), void *user);

/* ---- sheets ---- */

/** Who a sheet is from, in rising order of normal declarations. */
typedef enum hed_css_origin { HED_CSS_USER_AGENT, HED_CSS_USER, HED_CSS_AUTHOR } hed_css_origin;

/** What \@media and \@supports are asked. Start from hed_default_css_medium(): a desktop. */
typedef struct hed_css_medium {
    const char *type;     /**< "screen", "print" */
    double width, height; /**< CSS pixels */
    double resolution;    /**< dots for each CSS pixel */
    bool dark, reduced_motion, hover, fine_pointer;
} hed_css_medium;
/** screen, 1,920 x 1,080, one dot a pixel, light, a mouse. Thread class: any. */
HED_API hed_css_medium hed_default_css_medium(void);

/** Where a sheet comes from. */
typedef struct hed_css_sheet_def {
    const char *text; /**< UTF-8; damaged bytes are read as U+FFFD, as the specification says */
    size_t length;
    const char *file; /**< for messages; NULL: "sheet" */
    uint32_t line;    /**< of the file on which the text begins, from 1; 0: the first */
    hed_css_origin origin;
    const char *media;     /**< of the link or style element; NULL: all */
    bool quirks;           /**< of the documents it is for */
    hed_css_medium medium; /**< all zero: the default */
    /** called for \@import in text `source` (hed_css_rule): gives the text (which must live until the
     *  sheet is made), or NULL */
    const char *(*import)(void *user, uint32_t source, const char *url, size_t *length);
    void *user;
    bool split; /**< each selector of a list is a rule of its own, to learn which of them match */
} hed_css_sheet_def;

/** Makes a sheet. There is no wrong sheet: errors in it are recovered from as CSS Syntax 3 says, and
 *  the rule or declaration is dropped. Selectors nested deeper than 64 lists are UNSUPPORTED; what is
 *  nested in more than 256 blocks, and more than 16 levels or 10,000 texts of \@import, are left out.
 *  Time is in proportion to the text, and memory: 4 to 10 bytes for each of it, at most 150.
 *  Errors: ARGUMENT, FORMAT (a picture, an archive or UTF-16, by its first bytes), LIMIT, MEMORY. */
HED_API hed_status hed_css_sheet_create(
    hed_css_names *names, const hed_css_sheet_def *def, hed_css_sheet **sheet, hed_error *error);
HED_API void hed_css_sheet_destroy(hed_css_sheet *sheet); /**< NULL is allowed */

/** Whether a rule takes part. */
typedef enum hed_css_validity {
    HED_CSS_VALID = 'M',
    HED_CSS_INVALID = 'E', /**< dropped, as the specification says */
    /** valid, but about what is not matched here (shadow trees, \@scope) */
    HED_CSS_UNSUPPORTED = 'U'
} hed_css_validity;

/** Facts about a rule. Texts live as long as the sheet. */
typedef struct hed_css_rule {
    hed_css_validity validity;
    const char *selector; /**< as written, without outer space */
    size_t selector_length;
    const char *reason;    /**< of INVALID and UNSUPPORTED, for people; else "" */
    uint32_t line, column; /**< of the selector, from 1 */
    /** of the style rule, from 0: its own number, but for a sheet that is split */
    uint32_t number;
    /** text that it is in: 0 the sheet's own, else the how-manieth that `import` gave */
    uint32_t source;
    size_t begin, end; /**< bytes of the whole rule in that text */
    bool applies;      /**< its \@media and \@supports hold */
    bool state;        /**< it asks for a state that a document does not hold */
    bool pseudo_element;
    bool important; /**< one of its declarations is */
    uint32_t
        specificity; /**< largest of its selectors: a << 20 | b << 10 | c, each at most 1,023 */
    uint32_t layer;  /**< order of its layer, from 0; HED_CSS_NONE: none */
} hed_css_rule;
/** Number of style rules, those of imported texts among them. */
HED_API uint32_t hed_css_rule_count(const hed_css_sheet *sheet);
/** Rule `rule`, below the count. */
HED_API hed_css_rule hed_css_rule_at(const hed_css_sheet *sheet, uint32_t rule);

/** The layer of a rule, "base.forms"; an anonymous one is "(anonymous)"; "": none. Cut to `size`. */
HED_API void hed_css_layer_text(const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size);
/** What a rule is under, from the innermost out: "@media print in @supports (gap: 0)"; "": nothing. Cut
 *  to `size`. */
HED_API void hed_css_condition_text(
    const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size);

/* ---- what rules name, and what is no style rule ---- */

/** What else a sheet consists of, as far as it is known by a name or holds rules. */
typedef enum hed_css_part_kind {
    HED_CSS_PART_KEYFRAMES = 'k',
    HED_CSS_PART_FONT_FACE = 'f',
    HED_CSS_PART_PROPERTY = 'p', /**< \@property */
    HED_CSS_PART_CUSTOM = 'v',   /**< a declaration of a custom property in a style rule */
    HED_CSS_PART_LAYER = 'l',    /**< a block of \@layer */
    HED_CSS_PART_GROUP = 'g',    /**< a block of \@media, \@supports, \@container ... */
    HED_CSS_PART_OTHER = 'o'     /**< \@page, what is not known, and statements inside of a block */
} hed_css_part_kind;

/** A part. Texts live as long as the table of names. */
typedef struct hed_css_part {
    hed_css_part_kind kind;
    const char *name;  /**< keyframes, font family, property or layer as written; "": none, OTHER */
    uint32_t rule;     /**< CUSTOM: number of the style rule that it is in */
    uint32_t line;     /**< from 1 */
    uint32_t source;   /**< as in hed_css_rule */
    size_t begin, end; /**< bytes in that text; of a declaration without its semicolon */
} hed_css_part;
/** Number of parts, in the order in which they begin. */
HED_API uint32_t hed_css_part_count(const hed_css_sheet *sheet);
/** Part `part`, below the count. */
HED_API hed_css_part hed_css_part_at(const hed_css_sheet *sheet, uint32_t part);

/** Which names of parts are used by what stays of a site. */
typedef struct hed_css_follow_def {
    hed_css_sheet *const *sheets; /**< (sheet_count), of one table of names */
    uint32_t sheet_count;
    const bool *rules; /**< (rules of all sheets, one sheet after the other) which ones stay */
    const char *const *texts; /**< (text_count) other CSS that names them: style attributes ... */
    const size_t *lengths;    /**< (text_count) */
    uint32_t text_count;
} hed_css_follow_def;
/** Sets `used` (parts of all sheets, one sheet after the other) for those whose name stands in a value
 *  of a rule that stays, in `texts`, or in another part that is used; those set before count as used.
 *  Layers and groups are left as they are. Names are compared regardless of ASCII case, and whatever
 *  the property: rather too many are used than too few. Errors: MEMORY. */
HED_API hed_status hed_css_follow(const hed_css_follow_def *def, bool *used, hed_error *error);

/** Sets `named` (rules of the sheet) for rules of which a selector, at any depth, names a class or an id
 *  ('.' or '#') that `fits`. Errors: MEMORY. */
HED_API hed_status hed_css_rules_naming(const hed_css_sheet *sheet,
    bool (*fits)(void *user, char kind, const char *name), void *user, bool *named,
    hed_error *error);

/* ---- matching ---- */

/** What a matcher holds. */
typedef struct hed_css_matcher_def {
    hed_css_document *const *documents; /**< (document_count), matched as one forest */
    uint32_t document_count;
    hed_css_sheet *const *sheets; /**< (sheet_count); rules are numbered on from sheet to sheet */
    uint32_t sheet_count;
    bool states_possible; /**< states that documents do not hold are taken for granted (`unused`) */
    const bool *without;  /**< (rules of all sheets) rules that take no part; NULL: all do */
} hed_css_matcher_def;

/** Makes a matcher on a device (NULL: plain C without a context), which has the same results on all.
 *  What is no work for the device (documents deeper than 256, :nth-child(of ...) among more than 4,096
 *  siblings, more than 8,192 rules for an
 *  element, more than its memory) is done on the processor. Documents and sheets must outlive it.
 *  Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER, UNSUPPORTED (a device without atomics
 *  in its memory). */
HED_API hed_status hed_css_matcher_create(hed_device *device, const hed_css_matcher_def *def,
    hed_css_matcher **matcher, hed_error *error);
HED_API void hed_css_matcher_destroy(hed_css_matcher *matcher); /**< NULL is allowed */
/** Matches everything. Errors: MEMORY, LIMIT, DEVICE_MEMORY, DRIVER, LOST. */
HED_API hed_status hed_css_match(hed_css_matcher *matcher, hed_error *error);

/** Most launches that hed_css_times has times of. */
enum { HED_CSS_MOST_KERNELS = 16 };
/** How long a device takes for the parts of a match: medians, in seconds. */
typedef struct hed_css_times {
    double bind, pass;    /**< kernels alone, between two events of the device */
    double pass_launched; /**< pass, from the launch to the end of waiting on the host; */
    double both_launched; /**< bind and pass; */
    double down_launched; /**< pass, and the elements' classes into host memory; */
    double cold;          /**< the same, with sheets and documents up before, bound as they were; */
    double cold_bound;    /**< and with bind */
    double element_bytes; /**< memory on the device that grows with the elements, over them */
    /** of each launch of bind and pass, one after the other between events, which add about a
     *  microsecond to each */
    struct hed_css_kernel_time {
        const char *name;
        double seconds;
    } kernels[HED_CSS_MOST_KERNELS];
    uint32_t kernel_count;
} hed_css_times;
/** Repeats the last match's parts on its device, each `repeats` times. Errors: ARGUMENT (nothing was
 *  matched), UNSUPPORTED (it was matched on the processor), MEMORY, DRIVER, LOST. */
HED_API hed_status hed_css_measure(
    hed_css_matcher *matcher, uint32_t repeats, hed_css_times *times, hed_error *error);

/** What was found; arrays are the matcher's, until the next match or change. */
typedef struct hed_css_result {
    uint32_t elements, classes, rules;
    const uint32_t *element_class; /**< (elements) */
    const uint32_t *class_begin;   /**< (classes + 1) where a class's rules begin in `rule` */
    const uint32_t *rule;          /**< rules of each class, ascending */
    uint64_t pairs;                /**< of element and rule */
} hed_css_result;
/** Of the last hed_css_match(). */
HED_API hed_css_result hed_css_results(const hed_css_matcher *matcher);
/** What a matcher is made of, and how long its parts took. */
typedef struct hed_css_matcher_info {
    uint32_t predicates, compounds, prefixes; /**< of all sheets, shared by equal parts */
    /** kinds of elements that rules cannot tell apart but by places */
    uint32_t shapes;
    uint32_t varying;    /**< elements of whose place something is asked; of the last
                          match on the processor, as below */
    uint32_t signatures; /**< shapes with what their places answer */
    uint32_t states;     /**< of ancestors */
    double compile_seconds, shape_seconds; /**< while it was made */
    double bind_seconds, pass_seconds;     /**< of the last match */
} hed_css_matcher_info;
/** Of a matcher as it is now. */
HED_API hed_css_matcher_info hed_css_matcher_describe(const hed_css_matcher *matcher);
/** For each rule how many elements it matches, and the FNV-1a hash (32 bits, basis 2166136261, prime
 *  16777619) over their numbers in their documents, ascending, 4 bytes each, lowest first. Both
 *  (rules), nullable. */
HED_API void hed_css_counts(const hed_css_matcher *matcher, uint32_t *counts, uint32_t *hashes);
/** The rules of each element written out, ascending: those of element e are rule[begin[e]] to
 *  rule[begin[e + 1] - 1]. begin: (elements + 1); rule: (hed_css_result.pairs). */
HED_API void hed_css_pairs(const hed_css_matcher *matcher, uint64_t *begin, uint32_t *rule);
/** The elements that a rule matches as bits: element e is bit e % 32 of word e / 32.
 *  bits: ((elements + 31) / 32). Errors: ARGUMENT (no such rule), MEMORY. */
HED_API hed_status hed_css_matching(
    const hed_css_matcher *matcher, uint32_t rule, uint32_t *bits, hed_error *error);
/** For each element the rule that would win if every rule declared one same property, important where
 *  one of its declarations is, conditions and layers ignored; HED_CSS_NONE: none. Selectors with a
 *  pseudo-element have no part in it. winners: (elements). Errors: ARGUMENT, MEMORY, LIMIT. */
HED_API hed_status hed_css_winners(
    const hed_css_matcher *matcher, uint32_t *winners, hed_error *error);

/* ---- the cascade ---- */

/** In place of a rule: the style attribute of the element itself. */
#define HED_CSS_OWN_STYLE (UINT32_MAX - 1)

/** For each element the rule whose declaration of `property` wins the cascade (Cascade 5): by origin and
 *  importance, style attributes, layers, specificity of the selector that matches, and order, where the
 *  rule's conditions hold. HED_CSS_OWN_STYLE: the element's style attribute; HED_CSS_NONE: nothing sets
 *  it, or what does is rolled back by `revert` or `revert-layer`, which hand on to what they leave.
 *
 *  `property` is a longhand ("display", "margin-left") or a custom property ("--gap"); a declaration of a
 *  shorthand that sets it, or of `all`, counts. Names with -webkit- and other old names are those that
 *  they mean. The physical and the logical property of a pair are two. A value is dropped where it
 *  is certainly none (docs/css.md says what is checked), which is less than a browser drops. Not part
 *  of it: a browser's own sheet, unless it is one of the sheets, attributes such as `bgcolor`,
 *  animations, and pseudo-elements. winners: (elements). Errors: ARGUMENT (no such property, or a
 *  shorthand: the error names its longhands), MEMORY, LIMIT (2^30 rules times layers). */
HED_API hed_status hed_css_cascade(
    const hed_css_matcher *matcher, const char *property, uint32_t *winners, hed_error *error);

/** Whether a declaration has a part in the cascade. */
typedef enum hed_css_standing {
    HED_CSS_TAKES_PART,
    HED_CSS_CONDITION_FAILS, /**< its rule's \@media or \@supports do not hold */
    HED_CSS_NO_PROPERTY,     /**< none that is known here */
    HED_CSS_NO_VALUE,        /**< certainly no value of its property */
    HED_CSS_EMPTY_RULE       /**< in place of the declarations of a rule that has none */
} hed_css_standing;

/** A declaration on an element. Texts live until the call returns. */
typedef struct hed_css_declaration {
    uint32_t rule;              /**< of all sheets together; HED_CSS_OWN_STYLE: a style attribute */
    const char *pseudo_element; /**< "before": it is for that; "": for the element itself */
    const char *property;       /**< in lower case but for custom ones; "": EMPTY_RULE */
    const char *value;          /**< as written, without `!important`; no final zero */
    size_t value_length;
    bool important;
    uint32_t specificity; /**< of the rule's strongest selector that matches; as hed_css_rule's */
    hed_css_standing standing;
    uint32_t sets, wins; /**< longhands that it sets, and wins */
} hed_css_declaration;

/** Every declaration of the rules that match an element, and of its style attribute: those of the element
 *  itself, then those of each pseudo-element, the stronger ones first. What has no part stands where it
 *  would if it had. `element`: of all documents together. Errors: ARGUMENT, MEMORY, LIMIT. */
HED_API hed_status hed_css_explain(const hed_css_matcher *matcher, uint32_t element,
    void (*each)(void *user, const hed_css_declaration *declaration), void *user, hed_error *error);

/** Elements of a document that a selector matches, in order: up to `room` of them (`elements` may be NULL
 *  where it is 0), and in `count` how many there are. A pseudo-element stands for the element that it
 *  is of. Errors: ARGUMENT, FORMAT (no selector; the error says what was expected), UNSUPPORTED (about
 *  shadow trees), MEMORY. */
HED_API hed_status hed_css_select(const hed_css_document *document, const char *selector,
    uint32_t *elements, uint32_t room, uint32_t *count, hed_error *error);

/* ---- changes ---- */

/** What a change has done; the array is the matcher's, until its next match or change. */
typedef struct hed_css_changes {
    uint32_t count;           /**< elements that match other rules now */
    const uint32_t *elements; /**< (count) in the forest, each once, in no order */
} hed_css_changes;
/** Changes an attribute of element `element` of document `document` (by their numbers in the matcher),
 *  and matches again what that can touch; hed_css_results() is up to date then. `name` as in
 *  hed_css_attribute; `value` NULL: it is removed. What HTML says of elements (:disabled, :lang(),
 *  :dir() ...) follows; dir=auto is as it was when the document was made. Where the change brings a
 *  class, an id or an attribute into the documents that a sheet asks for and nothing had, everything is
 *  matched. The document is changed: other matchers that hold it must be made anew. `changes` is
 *  nullable. Errors: ARGUMENT (not matched yet, no such element), MEMORY, LIMIT: nothing is changed, or
 *  hed_css_match() must follow. */
HED_API hed_status hed_css_set_attribute(hed_css_matcher *matcher, uint32_t document,
    uint32_t element, const char *name, const char *value, hed_css_changes *changes,
    hed_error *error);
/** The same of the states that a document does not hold: bits of hed_css_state. */
HED_API hed_status hed_css_set_state(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t states, hed_css_changes *changes, hed_error *error);
/** Moves an element with all below it to another place: below `parent`, in front of its child `before`
 *  or behind all (HED_CSS_NONE). Elements are numbered anew in document order, and `changes` uses the
 *  new numbers; `moved` (nullable) gets the element's own. Texts stay where they are. Errors: ARGUMENT
 *  (also a place within the element), and as above; after MEMORY the document has to be destroyed. */
HED_API hed_status hed_css_move(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t parent, uint32_t before, uint32_t *moved, hed_css_changes *changes, hed_error *error);

HED_END

#endif
