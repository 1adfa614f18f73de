/** @file css.h
 *  Style sheets matched against whole documents: CSS Syntax 3, Selectors 4 and the cascade for
 *  every element at once, on any device. A library of its own: heddle-css.
 *
 *  There are three objects: a document (a tree, from HTML or from arrays), a sheet (from text), and
 *  a matcher, which finds the rules that match each element of its documents. Documents and sheets
 *  of one matcher use one table of names.
 *
 *  Results are classes: elements that match the same rules, and whose ancestors are in the same
 *  state, have the same class; a class has a sorted list of rules. Counts, pairs, bit sets and
 *  winners follow from it.
 *
 *  Elements are numbered in document order from 0, the root; contents of templates are not counted.
 *  The tree of each declarative shadow root comes after all other elements, below an element
 *  "\#shadow-root" that no selector but :host matches. Sheets match inside of the trees that they
 *  belong to (hed_css_tree_sheet); :host, \::slotted() and \::part() lead out of them and into them.
 *  Rules are style rules in source order from 0, those in \@media, \@supports and \@layer
 *  flattened, nested ones after the rule that contains them; \@keyframes, \@font-face and \@page
 *  have none.
 *
 *  Thread class of everything here, unless a function has its own: owner of the objects named. */
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

/* ---- the model: names ---- */

/** Creates a table of names for documents and sheets, which it must outlive. `allocator` may be
 *  NULL.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_names_create(
    const hed_allocator *allocator, hed_css_names **names, hed_error *error);
/** Destroys a table of names. NULL is allowed. */
HED_API void hed_css_names_destroy(hed_css_names *names);
/** Returns the number of a name, which is added if it is new; HED_CSS_NONE: out of memory. */
HED_API uint32_t hed_css_names_add(hed_css_names *names, const char *text, size_t length);
/** Returns the text of a name and its length (nullable). Lives as long as the table. */
HED_API const char *hed_css_names_text(const hed_css_names *names, uint32_t name, size_t *length);

/* ---- the model: documents ---- */

/** Namespace of an element's name. */
typedef enum hed_css_namespace {
    HED_CSS_HTML,
    HED_CSS_SVG,
    HED_CSS_MATHML,
    HED_CSS_OTHER
} hed_css_namespace;

/** States of an element that a document does not contain; a program sets them, none by default. */
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
    HED_CSS_OTHER_STATE = 1u << 13 /**< any other state: :paused, :muted, :state() ... */
} hed_css_state;

/** One attribute of a tree in arrays. */
typedef struct hed_css_attribute {
    const char *name; /**< lower case in HTML elements, else as written */
    const char *value;
    size_t value_length; /**< 0: up to its final zero */
} hed_css_attribute;

/** One element of a tree in arrays. */
typedef struct hed_css_element {
    uint32_t parent; /**< an earlier element; HED_CSS_NONE: a root; a forest has several roots */
    hed_css_namespace name_space;
    const char *name;                    /**< lower case in HTML; as written elsewhere */
    const hed_css_attribute *attributes; /**< (attribute_count) */
    uint32_t attribute_count;
    bool has_text; /**< true: one of its children is a text node of at least one character */
    /** true: it stands for the shadow root of element `host`, an earlier one: its descendants are the
     *  shadow tree, its parent is HED_CSS_NONE, it has no attributes, and its name is not read */
    bool shadow_root;
    uint32_t host; /**< if shadow_root; an element has one shadow root at most */
} hed_css_element;

/** A tree of the program, which is traversed once while a document is created. Nodes are elements;
 *  `node` is a pointer of the program. */
typedef struct hed_css_tree {
    const void *root;                                         /**< NULL: no tree */
    const void *(*first_child)(void *user, const void *node); /**< NULL: none */
    /** NULL: none; not called for the root */
    const void *(*next_sibling)(void *user, const void *node);
    /** Sets the members of `element`, which is zero, except its parent. Texts and attributes must
     *  live until the next call. */
    void (*describe)(void *user, const void *node, hed_css_element *element);
    void *user;
} hed_css_tree;

/** Source of a document. */
typedef struct hed_css_document_def {
    const char *html; /**< HTML, UTF-8; NULL: `elements` */
    size_t html_length;
    /** HTML: adds the elements that scripts can make of templates. They are the last elements of the
     *  document (hed_css_document_info.possible): a second page and second shadow trees, in which
     *  each kind of element has copies of the contents of all templates; of large pages, as many as
     *  262,144 elements. The sheets include those in templates. */
    bool templates;
    const char *file;                /**< name in messages; NULL: "page" */
    const hed_css_element *elements; /**< (element_count), parents before children */
    uint32_t element_count;
    hed_css_tree tree; /**< if it has a root: in place of `html` and `elements` */
    bool quirks;       /**< `elements` and `tree`: ids and classes match in any case */
} hed_css_document_def;

/** Creates a document. There is no invalid HTML, and damaged UTF-8 is read as U+FFFD; but a
 *  picture, an archive or UTF-16, recognised by the first bytes, is an error. Elements below level
 *  512 become siblings, as in browsers. Time is in proportion to the HTML and the nodes made of it.
 *  Errors: ARGUMENT, FORMAT (no text; a parent that is no earlier element), LIMIT (1 GiB of HTML;
 *  more than 8 nodes for each of its bytes, of formatting elements that are never closed),
 *  MEMORY. */
HED_API hed_status hed_css_document_create(hed_css_names *names, const hed_css_document_def *def,
    hed_css_document **document, hed_error *error);
/** Destroys a document. NULL is allowed. */
HED_API void hed_css_document_destroy(hed_css_document *document);

/** Properties of a document. */
typedef struct hed_css_document_info {
    uint32_t elements;
    uint32_t possible; /**< the last elements, which `templates` has added */
    uint32_t depth;    /**< level of the deepest element; that of the root is 0 */
    bool quirks;
    uint32_t style_sheets; /**< number of `<style>` and `<link rel=stylesheet>` */
    uint32_t
        trees; /**< 1 + number of shadow trees; the tree of number 0 is the page without them */
} hed_css_document_info;
/** Returns the properties of a document. Thread class: any. */
HED_API hed_css_document_info hed_css_document_describe(const hed_css_document *document);
/** Returns sheet `index` of the page: the text of a `<style>`, or NULL and the `href` of a link;
 *  its media attribute ("": none; "not all" also for a disabled link, and for a title other than that
 *  of the page's first titled sheet). Sheets are in the order of the page. */
HED_API const char *hed_css_document_sheet(const hed_css_document *document, uint32_t index,
    size_t *length, const char **href, const char **media);
/** Returns the tree that contains sheet `index` of the page: 0 the page, from 1 a shadow tree;
 *  HED_CSS_NONE: the sheet is in a template, which scripts can copy to any tree. */
HED_API uint32_t hed_css_document_sheet_tree(const hed_css_document *document, uint32_t index);
/** Returns the line of the page on which the text of its sheet `index` begins, from 1; 0: a
 *  link. */
HED_API uint32_t hed_css_document_sheet_line(const hed_css_document *document, uint32_t index);
/** Returns the `href` of the page's first `<base>` that has one, from which its addresses start;
 *  NULL: none. */
HED_API const char *hed_css_document_base(const hed_css_document *document);
/** Writes a short text of element `element` for people, such as "div#main.wide", cut to `size`. */
HED_API void hed_css_element_text(
    const hed_css_document *document, uint32_t element, char *text, size_t size);
/** Returns the parent of an element; HED_CSS_NONE: it is a root. Thread class: any. */
HED_API uint32_t hed_css_element_parent(const hed_css_document *document, uint32_t element);
/** Returns the element that has the shadow root of tree `tree`; HED_CSS_NONE: no shadow tree.
 *  Thread class: any. */
HED_API uint32_t hed_css_tree_host(const hed_css_document *document, uint32_t tree);
/** Returns the line of an element's start tag, from 1; 0: unknown. */
HED_API uint32_t hed_css_element_line(const hed_css_document *document, uint32_t element);

/** Calls `each` for attributes with CSS: `style`, those of fonts, any value with "var(". The texts
 *  are the document's. */
HED_API void hed_css_document_styles(const hed_css_document *document,
    void (*each)(void *user, const char *text, size_t length), void *user);

/* ---- the model: sheets ---- */

/** Origin of a sheet, in ascending order of its normal declarations in the cascade. */
typedef enum hed_css_origin { HED_CSS_USER_AGENT, HED_CSS_USER, HED_CSS_AUTHOR } hed_css_origin;

/** A container that \@container queries. */
typedef struct hed_css_container {
    const char *name;     /**< "": queries without a name */
    double width, height; /**< CSS pixels */
} hed_css_container;

/** Medium of \@media and \@supports. Start from hed_default_css_medium(): a desktop. */
typedef struct hed_css_medium {
    const char *type;     /**< "screen", "print" */
    double width, height; /**< CSS pixels */
    double resolution;    /**< dots for each CSS pixel */
    bool dark, reduced_motion, hover, fine_pointer;
    /** (container_count) sizes for \@container, as every container of a name had one size; without
     *  any, rules inside of \@container are UNSUPPORTED, except in a sheet that is split */
    const hed_css_container *containers;
    uint32_t container_count;
} hed_css_medium;
/** Returns the defaults: screen, 1,920 x 1,080, one dot a pixel, light, a mouse.
 *  Thread class: any. */
HED_API hed_css_medium hed_default_css_medium(void);

/** Source of a sheet. */
typedef struct hed_css_sheet_def {
    const char *text; /**< UTF-8; damaged bytes are read as U+FFFD, as the specification requires */
    size_t length;
    const char *file; /**< name in messages; NULL: "sheet" */
    uint32_t line;    /**< line of the file on which the text begins, from 1; 0: the first */
    hed_css_origin origin;
    const char *media;            /**< media of the link or style element; NULL: all */
    bool quirks;                  /**< quirks mode of its documents */
    const hed_css_medium *medium; /**< copied; NULL: a desktop, hed_default_css_medium() */
    /** Called for \@import in text `source` (hed_css_rule). Returns the imported text, which must
     *  live until the sheet is created, or NULL. */
    const char *(*import)(void *user, uint32_t source, const char *url, size_t *length);
    void *user;
    /** element that is the root of an \@scope without roots in documents of its matcher: the parent
     *  of the style element; 0: the root of the tree */
    uint32_t scope_root;
    /** makes each selector of a list a rule of its own, to find out which of them match */
    bool split;
    /** makes pseudo-elements and pseudo-classes with the prefix of another browser valid, such as
     *  ::-moz-range-thumb; such a pseudo-class is a state that an element may be in */
    bool other_browsers;
} hed_css_sheet_def;

/** Creates a sheet. There is no invalid sheet: errors are recovered from as CSS Syntax 3 specifies,
 *  and the rule or declaration is dropped. Selectors nested deeper than 64 lists are UNSUPPORTED;
 *  contents of more than 256 nested blocks, and more than 16 levels or 10,000 texts of \@import,
 *  are skipped. Time is in proportion to the text; memory is 4 to 10 times the text, at most 150
 *  times.
 *  Errors: ARGUMENT, FORMAT (a picture, an archive or UTF-16, by its first bytes), LIMIT,
 *  MEMORY. */
HED_API hed_status hed_css_sheet_create(
    hed_css_names *names, const hed_css_sheet_def *def, hed_css_sheet **sheet, hed_error *error);
/** Destroys a sheet. NULL is allowed. */
HED_API void hed_css_sheet_destroy(hed_css_sheet *sheet);

/** Validity of a rule. */
typedef enum hed_css_validity {
    HED_CSS_VALID = 'M',
    HED_CSS_INVALID = 'E', /**< dropped, as the specification requires */
    /** valid, but not matched by Heddle (\@container without a container, deep nesting) */
    HED_CSS_UNSUPPORTED = 'U'
} hed_css_validity;

/** Properties of a rule. Texts live as long as the sheet. */
typedef struct hed_css_rule {
    hed_css_validity validity;
    const char *selector; /**< text as written, without outer space */
    size_t selector_length;
    const char *reason;    /**< cause of INVALID and UNSUPPORTED, for people; else "" */
    uint32_t line, column; /**< position of the selector, from 1 */
    /** number of the style rule, from 0: the rule's own number, unless the sheet is split */
    uint32_t number;
    /** index of its text: 0 the sheet's, else that of the text that `import` returned, from 1 */
    uint32_t source;
    size_t begin, end; /**< position of the whole rule in that text, bytes */
    bool applies;      /**< true: its \@media and \@supports apply */
    bool state;        /**< true: its selector has a state that documents do not contain */
    bool changes;      /**< true: it depends on a state, or on changes that a reader can make */
    bool shadow; /**< true: its selector has :host, :host-context(), \::slotted() or \::part() */
    bool inside; /**< true: it has one of them but \::part(): for sheets in shadow trees */
    bool pseudo_element;
    bool important; /**< true: one of its declarations is important */
    /** maximum over its selectors: a << 20 | b << 10 | c, each at most 1,023 */
    uint32_t specificity;
    uint32_t layer; /**< index of its layer, from 0; HED_CSS_NONE: none */
} hed_css_rule;
/** Returns the number of style rules, those of imported texts included. */
HED_API uint32_t hed_css_rule_count(const hed_css_sheet *sheet);
/** Returns the properties of rule `rule`, below the count. */
HED_API hed_css_rule hed_css_rule_at(const hed_css_sheet *sheet, uint32_t rule);

/** Writes the layer of a rule, such as "base.forms"; an anonymous one is "(anonymous)"; "": none.
 *  Cut to `size`. */
HED_API void hed_css_layer_text(const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size);
/** Writes the conditions of a rule, the innermost first, such as "@media print in @supports (gap:
 *  0)"; "": none. Cut to `size`. */
HED_API void hed_css_condition_text(
    const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size);
/** Writes the outermost condition of a rule that does not hold, such as "@media print"; "": all
 *  hold. Cut to `size`. */
HED_API void hed_css_failing_condition(
    const hed_css_sheet *sheet, uint32_t rule, char *text, size_t size);

/* ---- the model: parts of sheets, and names in rules ---- */

/** Kind of a part of a sheet that has a name, contains rules, or is no style rule. */
typedef enum hed_css_part_kind {
    HED_CSS_PART_KEYFRAMES = 'k',
    HED_CSS_PART_FONT_FACE = 'f',
    HED_CSS_PART_PROPERTY = 'p', /**< \@property */
    HED_CSS_PART_COUNTER_STYLE = 'c',
    HED_CSS_PART_FONT_PALETTE = 'a',  /**< \@font-palette-values */
    HED_CSS_PART_FONT_FEATURES = 'e', /**< \@font-feature-values */
    HED_CSS_PART_POSITION_TRY = 't',
    HED_CSS_PART_CUSTOM = 'v', /**< a declaration of a custom property in a style rule */
    HED_CSS_PART_LAYER = 'l',  /**< a block of \@layer */
    HED_CSS_PART_GROUP = 'g',  /**< a block of \@media, \@supports, \@container ... */
    HED_CSS_PART_OTHER = 'o'   /**< \@page, unknown at-rules, and statements inside a block */
} hed_css_part_kind;

/** A part of a sheet. Texts live as long as the table of names. */
typedef struct hed_css_part {
    hed_css_part_kind kind;
    /** name of keyframes, font family, property, counter style, palette, position or layer as
     *  written; "": none, OTHER */
    const char *name;
    uint32_t rule;     /**< CUSTOM: number of its style rule */
    uint32_t line;     /**< from 1 */
    uint32_t source;   /**< index of its text, as in hed_css_rule */
    size_t begin, end; /**< position in that text, bytes; a declaration is without its semicolon */
} hed_css_part;
/** Returns the number of parts, in the order in which they begin. */
HED_API uint32_t hed_css_part_count(const hed_css_sheet *sheet);
/** Returns part `part`, below the count. */
HED_API hed_css_part hed_css_part_at(const hed_css_sheet *sheet, uint32_t part);

/** Input of hed_css_follow(): the rules and texts of a site that remain. */
typedef struct hed_css_follow_def {
    hed_css_sheet *const *sheets; /**< (sheet_count), of one table of names */
    uint32_t sheet_count;
    /** (rules of all sheets, one sheet after the other) true: the rule remains */
    const bool *rules;
    /** (text_count) other CSS that uses names, such as style attributes */
    const char *const *texts;
    const size_t *lengths; /**< (text_count) */
    uint32_t text_count;
} hed_css_follow_def;
/** Finds the parts that remaining rules use, so that all others can be removed. Sets `used` (parts
 *  of all sheets, one sheet after the other) for each part whose name is in a value of a remaining
 *  rule, in `texts`, or in another used part; parts that are already set count as used. Layers and
 *  groups are not changed. Names are compared in any ASCII case, and in any property: rather too
 *  many are used than too few.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_follow(const hed_css_follow_def *def, bool *used, hed_error *error);

/** Kind of a name. */
typedef enum hed_css_name_kind {
    HED_CSS_NAME_CLASS = '.',
    HED_CSS_NAME_ID = '#',
    HED_CSS_NAME_ELEMENT = 'e',
    HED_CSS_NAME_ATTRIBUTE = '['
} hed_css_name_kind;

/** A name in a selector, or of an element. Texts live as long as the table of names. */
typedef struct hed_css_used_name {
    hed_css_name_kind kind;
    const char *name;
    const char *value; /**< ATTRIBUTE: value that it has to have; NULL: no single value */
} hed_css_used_name;

/** Finds the rules with certain names. Sets `named` (rules of the sheet) for each rule of which a
 *  selector, at any depth, has a name for which `fits` returns true.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_rules_naming(const hed_css_sheet *sheet,
    bool (*fits)(void *user, const hed_css_used_name *name), void *user, bool *named,
    hed_error *error);

/** Presence of a name on the pages of a site. */
typedef enum hed_css_presence {
    HED_CSS_ABSENT,
    HED_CSS_PRESENT,
    HED_CSS_PRESENT_WITH_REST /**< the selector after this name counts as present, too */
} hed_css_presence;

/** Finds the rules that elements with certain names could match, wherever these elements are. Sets
 *  `possible` (rules of the sheet) for each rule with a selector all names of which are present by
 *  `presence`; of an :is() or a :has() one selector is enough, and :not() needs none.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_rules_possible(const hed_css_sheet *sheet,
    hed_css_presence (*presence)(void *user, const hed_css_used_name *name), void *user,
    bool *possible, hed_error *error);
/** Calls `visit` for the names of a rule's selectors, at any depth. */
HED_API void hed_css_rule_names(const hed_css_sheet *sheet, uint32_t rule,
    void (*visit)(void *user, const hed_css_used_name *name), void *user);
/** Calls `visit` for each class, id and name of elements of a document once, and for each attribute
 *  with its value.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_document_names(const hed_css_document *document,
    void (*visit)(void *user, const hed_css_used_name *name), void *user, hed_error *error);

/* ---- creation ---- */

/** Membership of a sheet in a tree of a document. A sheet without a row for a document belongs to
 *  the page, tree 0, and to none of its shadow trees. */
typedef struct hed_css_tree_sheet {
    uint32_t document, sheet; /**< numbers in the matcher */
    /** 0: the page; from 1: a shadow tree, in the order of the shadow roots among the elements;
     *  HED_CSS_NONE: every tree */
    uint32_t tree;
} hed_css_tree_sheet;

/** Documents and sheets of a matcher. */
typedef struct hed_css_matcher_def {
    hed_css_document *const *documents; /**< (document_count), matched as one forest */
    uint32_t document_count;
    /** (sheet_count); numbers of rules continue from sheet to sheet */
    hed_css_sheet *const *sheets;
    uint32_t sheet_count;
    const hed_css_tree_sheet *tree_sheets; /**< (tree_sheet_count) copied */
    uint32_t tree_sheet_count;
    /** treats as possible the states that documents do not contain, and the changes that a reader
     *  can make without a script (checks, open details, typed text), for finding unused rules */
    bool states_possible;
    const bool *without; /**< (rules of all sheets) true: the rule is ignored; NULL: none is */
} hed_css_matcher_def;

/** Creates a matcher on a device (NULL: plain C without a context). The results are the same on
 *  all. The processor does the work that no device can do: documents deeper than 256, :nth-child(of
 *  ...) among more than 4,096 siblings, more than 8,192 rules for an element, more than the
 *  device's memory. Documents and sheets must outlive the matcher.
 *  Errors: ARGUMENT, LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER, UNSUPPORTED (a device without
 *  atomics in its memory). */
HED_API hed_status hed_css_matcher_create(hed_device *device, const hed_css_matcher_def *def,
    hed_css_matcher **matcher, hed_error *error);
/** Replaces the documents of a matcher, whose sheets stay compiled: for matching one page after
 *  another against the same sheets. hed_css_match() has to follow. The former documents are not
 *  read, so they may have been destroyed.
 *  Errors: as hed_css_matcher_create(). After ARGUMENT the matcher is unchanged; after another error
 *  this function has to be called again before a match. */
HED_API hed_status hed_css_matcher_set_documents(hed_css_matcher *matcher,
    hed_css_document *const *documents, uint32_t document_count, hed_error *error);
/** Destroys a matcher. NULL is allowed. */
HED_API void hed_css_matcher_destroy(hed_css_matcher *matcher);

/* ---- running: matches ---- */

/** Matches all elements against all rules. Errors: MEMORY, LIMIT, DEVICE_MEMORY, DRIVER, LOST. */
HED_API hed_status hed_css_match(hed_css_matcher *matcher, hed_error *error);

/* ---- results ---- */

/** Result of a match. The arrays are the matcher's, valid until the next match or change. */
typedef struct hed_css_result {
    uint32_t elements, classes, rules;
    const uint32_t *element_class; /**< (elements) */
    /** (classes + 1) index in `rule` at which a class's rules begin */
    const uint32_t *class_begin;
    const uint32_t *rule; /**< rules of each class, ascending */
    uint64_t pairs;       /**< number of pairs of an element and a matching rule */
} hed_css_result;
/** Returns the result of the last hed_css_match(). */
HED_API hed_css_result hed_css_matcher_results(const hed_css_matcher *matcher);
/** Counts the elements of each rule, and hashes them: FNV-1a (32 bits, basis 2166136261, prime
 *  16777619) over their numbers in their documents, ascending, 4 bytes each, lowest first. Both
 *  (rules), nullable. */
HED_API void hed_css_matcher_counts(
    const hed_css_matcher *matcher, uint32_t *counts, uint32_t *hashes);
/** Writes the rules of each element, ascending: those of element e are rule[begin[e]] to
 *  rule[begin[e + 1] - 1]. begin: (elements + 1); rule: (hed_css_result.pairs). */
HED_API void hed_css_matcher_pairs(const hed_css_matcher *matcher, uint64_t *begin, uint32_t *rule);
/** Writes the elements of a rule as bits: element e is bit e % 32 of word e / 32. bits: ((elements
 *  + 31) / 32).
 *  Errors: ARGUMENT (no such rule), MEMORY. */
HED_API hed_status hed_css_element_rules(
    const hed_css_matcher *matcher, uint32_t rule, uint32_t *bits, hed_error *error);
/** Finds for each element the rule that would win if every rule declared one and the same property,
 *  important if one of its declarations is; HED_CSS_NONE: none. Conditions and layers are ignored,
 *  and so are selectors with a pseudo-element. winners: (elements).
 *  Errors: ARGUMENT, MEMORY, LIMIT. */
HED_API hed_status hed_css_element_winners(
    const hed_css_matcher *matcher, uint32_t *winners, hed_error *error);

/** Finds the elements of a document that a selector matches, in order: at most `room` of them are
 *  written to `elements` (may be NULL if it is 0), and `count` receives their total. A
 *  pseudo-element matches its element.
 *  Errors: ARGUMENT, FORMAT (no selector; with the text expected), UNSUPPORTED (too deep),
 *  MEMORY. */
HED_API hed_status hed_css_select(const hed_css_document *document, const char *selector,
    uint32_t *elements, uint32_t room, uint32_t *count, hed_error *error);

/* ---- results: the cascade ---- */

/** Number of the element's own style attribute, in place of a rule. */
#define HED_CSS_OWN_STYLE (UINT32_MAX - 1)

/** Finds for each element the rule whose declaration of `property` wins the cascade (Cascade 5): by
 *  origin and importance, style attributes, layers, specificity of the matching selector, and
 *  order, if the rule's conditions apply. HED_CSS_OWN_STYLE: the element's style attribute;
 *  HED_CSS_NONE: no declaration, or a winner that `revert` or `revert-layer` rolls back to none.
 *
 *  `property` is a longhand ("display", "margin-left") or a custom property ("--gap"); a
 *  declaration of a shorthand that sets it, or of `all`, counts. Names with -webkit- and other old
 *  names are aliases. The physical and the logical property of a pair are one, in the writing mode
 *  of each element. A declaration whose value is invalid by the grammar of its property is dropped.
 *  Not included: a browser's own sheet, unless it is one of the sheets, attributes such as
 *  `bgcolor`, animations, and pseudo-elements. winners: (elements). Errors: ARGUMENT (no such
 *  property, or a shorthand: the error names its longhands), MEMORY, LIMIT (2^30 rules times
 *  layers). */
HED_API hed_status hed_css_cascade(
    const hed_css_matcher *matcher, const char *property, uint32_t *winners, hed_error *error);

/** Participation of a declaration in the cascade. */
typedef enum hed_css_standing {
    HED_CSS_TAKES_PART,
    HED_CSS_CONDITION_FAILS, /**< the rule's \@media or \@supports do not apply */
    HED_CSS_NO_PROPERTY,     /**< unknown property */
    HED_CSS_NO_VALUE,        /**< certainly no value of its property */
    HED_CSS_EMPTY_RULE       /**< placeholder for a rule without declarations */
} hed_css_standing;

/** Reason for which another declaration wins, in the order in which the cascade decides. */
typedef enum hed_css_defeat {
    HED_CSS_NO_DEFEAT,      /**< it wins all that it sets, or does not take part */
    HED_CSS_BY_IMPORTANCE,  /**< the winner is important, or of a stronger origin */
    HED_CSS_BY_TREE,        /**< the winner is of an outer tree or, if important, of an inner one */
    HED_CSS_BY_STYLE,       /**< the winner is in a style attribute */
    HED_CSS_BY_LAYER,       /**< the winner's layer is stronger */
    HED_CSS_BY_SPECIFICITY, /**< the winner's selector is more specific */
    HED_CSS_BY_SCOPE,       /**< the root of the winner's \@scope is nearer */
    HED_CSS_BY_ORDER,       /**< the winner comes later */
    HED_CSS_BY_REVERT       /**< `revert` or `revert-layer` has rolled it back */
} hed_css_defeat;

/** A declaration on an element. Texts live until the call returns. */
typedef struct hed_css_declaration {
    uint32_t rule;              /**< rule among all sheets; HED_CSS_OWN_STYLE: a style attribute */
    const char *pseudo_element; /**< pseudo-element, such as "before"; "": the element itself */
    const char *property;       /**< name in lower case, except custom ones; "": EMPTY_RULE */
    const char *value;          /**< text as written, without `!important`; no final zero */
    size_t value_length;
    bool important;
    uint32_t specificity; /**< specificity of the rule's strongest matching selector */
    hed_css_standing standing;
    uint32_t sets, wins;   /**< numbers of longhands that it sets, and of those that it wins */
    hed_css_defeat defeat; /**< reason of the first longhand that it does not win */
    /** rule of the winner of that longhand, or of the keyword that rolled it back;
     *  HED_CSS_OWN_STYLE; HED_CSS_NONE: NO_DEFEAT */
    uint32_t winner;
    uint32_t winner_specificity; /**< specificity of the winner's selector */
    /** trees whose rules they are: 0 the page, else a shadow tree; of style attributes the element's */
    uint32_t tree, winner_tree;
    size_t fault_begin, fault_end; /**< NO_VALUE: bytes of the value that do not fit */
    bool lacks_unit;      /**< NO_VALUE: a number is in the place of a length, an angle or a time */
    const char *expected; /**< NO_VALUE: components that would fit there, for people; else "" */
    const char
        *suggestion; /**< NO_PROPERTY, NO_VALUE: a known word near the one written; else "" */
} hed_css_declaration;

/** Calls `each` for every declaration of the rules that match an element, and of its style
 *  attribute, to explain the cascade: those of the element itself, then those of each
 *  pseudo-element, the strongest first. Declarations that do not participate are at the position
 *  that they would have. `element`: number among all documents.
 *  Errors: ARGUMENT, MEMORY, LIMIT. */
HED_API hed_status hed_css_explain(const hed_css_matcher *matcher, uint32_t element,
    void (*each)(void *user, const hed_css_declaration *declaration), void *user, hed_error *error);

/* ---- changes: attributes, states, positions ---- */

/** Result of a change; the array is the matcher's, valid until its next match or change. */
typedef struct hed_css_changes {
    uint32_t count;           /**< number of elements that match other rules now */
    const uint32_t *elements; /**< (count) numbers in the forest, each once, unordered */
} hed_css_changes;
/** Changes an attribute of element `element` of document `document` (by their numbers in the
 *  matcher), and matches the affected elements again, so that hed_css_matcher_results() is current.
 *  `name` as in hed_css_attribute; `value` NULL: removes it. Pseudo-classes that follow from HTML
 *  (:disabled, :lang(), :dir() ...) are updated; dir=auto keeps its direction. A class, id or
 *  attribute that is in a sheet and new in the documents causes a full match. The document is
 *  changed: other matchers of it must be created again. `changes` is nullable.
 *  Errors: ARGUMENT (not matched yet, no such element), MEMORY, LIMIT: nothing is changed, or
 *  hed_css_match() must follow. */
HED_API hed_status hed_css_set_attribute(hed_css_matcher *matcher, uint32_t document,
    uint32_t element, const char *name, const char *value, hed_css_changes *changes,
    hed_error *error);
/** Sets the states of an element that a document does not contain, bits of hed_css_state, and
 *  matches the affected elements again.
 *  Errors: as hed_css_set_attribute(). */
HED_API hed_status hed_css_set_state(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t states, hed_css_changes *changes, hed_error *error);
/** Moves an element with its descendants to another position: below `parent`, before its child
 *  `before` or after all children (HED_CSS_NONE), and matches the affected elements again. Elements
 *  are renumbered in document order, and `changes` uses the new numbers; `moved` (nullable)
 *  receives the element's own. Texts stay in place.
 *  Errors: ARGUMENT (also a position inside the element), and as hed_css_set_attribute(); after
 *  MEMORY the document has to be destroyed. */
HED_API hed_status hed_css_move(hed_css_matcher *matcher, uint32_t document, uint32_t element,
    uint32_t parent, uint32_t before, uint32_t *moved, hed_css_changes *changes, hed_error *error);

/* ---- information ---- */

/** Sizes of a matcher's tables, and times of its stages. */
typedef struct hed_css_matcher_info {
    uint32_t predicates, compounds, prefixes; /**< counts in all sheets; equal ones count once */
    /** kinds of elements that rules distinguish only by the neighbours */
    uint32_t shapes;
    /** elements with rules that depend on neighbours; of the last match on the processor, as the
     *  members below */
    uint32_t varying;
    /** kinds of elements together with the results of the predicates on their neighbours */
    uint32_t signatures;
    uint32_t states;                       /**< states of ancestors */
    double compile_seconds, shape_seconds; /**< times of its creation */
    double bind_seconds, pass_seconds;     /**< times of the last match */
} hed_css_matcher_info;
/** Returns the sizes and times of a matcher. */
HED_API hed_css_matcher_info hed_css_matcher_describe(const hed_css_matcher *matcher);

/** Maximum number of launches in hed_css_times. */
enum { HED_CSS_MOST_KERNELS = 16 };
/** Times of a match on a device: medians, s. */
typedef struct hed_css_times {
    double bind, pass;    /**< kernels only, between two events of the device */
    double pass_launched; /**< pass, from the launch to the end of the wait on the host */
    double both_launched; /**< bind and pass, from the launch to the end of the wait */
    double down_launched; /**< pass, and the copy of the elements' classes to host memory */
    double cold;          /**< upload of sheets and documents, pass and copy; already bound */
    double cold_bound;    /**< upload of sheets and documents, bind, pass and copy */
    double element_bytes; /**< device memory that grows with the elements / their number */
    /** each launch of bind and pass alone, between events, which add about a microsecond */
    struct hed_css_kernel_time {
        const char *name;
        double seconds;
    } kernels[HED_CSS_MOST_KERNELS];
    uint32_t kernel_count;
} hed_css_times;
/** Repeats the stages of the last match on its device, each `repeats` times, and measures them.
 *  Errors: ARGUMENT (nothing was matched), UNSUPPORTED (it was matched on the processor), MEMORY,
 *  DRIVER, LOST. */
HED_API hed_status hed_css_matcher_measure(
    hed_css_matcher *matcher, uint32_t repeats, hed_css_times *times, hed_error *error);

HED_END

#endif
