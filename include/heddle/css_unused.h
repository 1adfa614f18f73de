/** @file css_unused.h
 *  Rules of style sheets that nothing on a site uses: sheets and pages in memory, the texts of the
 *  sheets without these rules, the reason for which each rule stays, and source maps.
 *  `heddle css unused` is this call. Part of heddle-css; docs/css.md describes the judgement.
 *
 *      hed_css_unused_def def = hed_default_css_unused_def();
 *      def.sheets = &sheet, def.sheet_count = 1, def.pages = &page, def.page_count = 1;
 *      if (hed_css_unused_create(&def, &unused, &error) == HED_OK &&
 *          hed_css_unused_run(unused, &error) == HED_OK)
 *          text = hed_css_unused_text(unused, 0, NULL, &length, &error);
 *      hed_css_unused_destroy(unused);
 *
 *  Thread class of everything here: owner of the object. */
#ifndef HEDDLE_CSS_UNUSED_H
#define HEDDLE_CSS_UNUSED_H

#include "heddle/css.h"

HED_BEGIN

typedef struct hed_css_unused hed_css_unused;

/* ---- the model: sheets, pages, words, patterns ---- */

/** A text in memory, UTF-8. */
typedef struct hed_css_text {
    const char *name; /**< name in messages and reasons, such as its path */
    const char *text;
    size_t length;
} hed_css_text;

/** A sheet, each selector of which is judged. */
typedef struct hed_css_unused_sheet {
    hed_css_text sheet;
    bool only_names; /**< true: it stays as it is, and is read for the names that it uses */
    /** called for each of its imports (nullable), as hed_css_sheet_def.import; the text that it
     *  returns becomes no part of this sheet: return NULL */
    const char *(*import)(void *user, uint32_t source, const char *url, size_t *length);
    void *user; /**< argument of `import` */
} hed_css_unused_sheet;

/** A page. */
typedef struct hed_css_unused_page {
    hed_css_text html; /**< text NULL: hed_css_unused_def.open creates its document */
    /** (sheet_count) numbers of the sheets that it has; NULL: all of the definition */
    const uint32_t *sheets;
    uint32_t sheet_count;
} hed_css_unused_page;

/** Effect of a pattern on a selector with a name that fits. */
typedef enum hed_css_keep_role {
    HED_CSS_KEEP_SELECTOR, /**< the selector stays */
    HED_CSS_KEEP_NAME,     /**< the name counts as present; the others have to be present */
    HED_CSS_KEEP_REST,     /**< the name and all names after it count as present */
    /** the selector is removed, although it matches; other patterns are stronger */
    HED_CSS_KEEP_NEVER
} hed_css_keep_role;

/** A pattern of names that stay. */
typedef struct hed_css_keep {
    /** name with * ? [abc] (a class), .class, \#id, `<element>`, [attribute], [attribute=value],
     *  --property, "@keyframes NAME", "@font-face NAME", /regular expression/i */
    const char *pattern;
    const char *origin; /**< name in messages and reasons; NULL: "keep" */
    hed_css_keep_role role;
    /** NULL: the form above; else `pattern` is a plain name, or with `flags` a regular expression,
     *  for these kinds of names: . # e [ as hed_css_name_kind, k keyframes, f fonts, - properties,
     *  / texts of selectors */
    const char *kinds;
    const char *flags; /**< flags of JavaScript; NULL: a plain name */
} hed_css_keep;

/** Sheets and pages of a site. Start from hed_default_css_unused_def(). Arrays and texts have to
 *  live until hed_css_unused_run() returns. */
typedef struct hed_css_unused_def {
    const hed_css_unused_sheet *sheets; /**< (sheet_count) */
    uint32_t sheet_count;
    const hed_css_unused_page *pages; /**< (page_count) */
    uint32_t page_count;
    /** (word_count) templates, scripts and other texts, whose words keep rules */
    const hed_css_text *words;
    uint32_t word_count;
    const hed_css_keep *keep; /**< (keep_count) */
    uint32_t keep_count;
    /** removes \@keyframes, \@counter-style and \@position-try that nothing names; default true */
    bool keyframes;
    /** removes \@font-face, \@font-palette-values and \@font-feature-values that nothing names;
     *  default true */
    bool fonts;
    bool properties; /**< removes custom properties that nothing names; default false */
    /** threads that open and match pages; default 0: one for each processor, if there are pages
     *  enough. The result does not depend on it. 1: the caller's thread alone */
    uint32_t threads;
    /** creates the document of a page without a text (nullable); *document NULL and OK: the page is
     *  left out. Pages are opened once each, in any order; unless `threads` is 1, in several threads
     *  at the same time. */
    hed_status (*open)(void *user, uint32_t page, hed_css_names *names, hed_css_document **document,
        hed_error *error);
    /** links the sheets of a page (hed_css_unused_link()), in the order of the pages, in the
     *  caller's thread; NULL: the sheets of hed_css_unused_page, and the page's `<style>` elements
     *  for the names that they use */
    hed_status (*link)(void *user, hed_css_unused *unused, uint32_t page,
        const hed_css_document *document, hed_error *error);
    /** called in the caller's thread with the number of pages so far (nullable); false: ends the
     *  run without an error after these pages */
    bool (*progress)(void *user, uint32_t pages);
    void *user; /**< argument of the calls above */
} hed_css_unused_def;
/** Returns the defaults: no sheet, no page, keyframes and fonts judged.
 *  Thread class: any. */
HED_API hed_css_unused_def hed_default_css_unused_def(void);

/* ---- creation ---- */

/** Creates a search for unused rules, and reads its sheets and patterns. `allocator` may be NULL.
 *  Errors: ARGUMENT (no pattern of the forms of hed_css_keep), FORMAT (a binary sheet; a damaged
 *  regular expression), UNSUPPORTED (look-around ...), LIMIT, MEMORY. */
HED_API hed_status hed_css_unused_create(const hed_allocator *allocator,
    const hed_css_unused_def *def, hed_css_unused **unused, hed_error *error);
/** Destroys a search. NULL is allowed. */
HED_API void hed_css_unused_destroy(hed_css_unused *unused);
/** Adds a sheet, before the run or in a call of `link`; its text is copied. `number` (nullable)
 *  receives its number, from 0.
 *  Errors: FORMAT (a binary file), LIMIT, MEMORY. */
HED_API hed_status hed_css_unused_add_sheet(
    hed_css_unused *unused, const hed_css_unused_sheet *sheet, uint32_t *number, hed_error *error);
/** Links a sheet to a tree of the page of a call of `link`, as hed_css_tree_sheet.tree: the elements
 *  of the tree are matched against it. The same sheet may be linked to several trees.
 *  Errors: ARGUMENT (no such sheet), MEMORY. */
HED_API hed_status hed_css_unused_link_tree(
    hed_css_unused *unused, uint32_t sheet, uint32_t tree, hed_error *error);
/** Links a sheet to all trees of the page of a call of `link`. HED_CSS_NONE: the
 *  page, or one of its sheets, names a sheet that cannot be read and may use any name, so that names
 *  of keyframes, fonts and custom properties are not judged.
 *  Errors: ARGUMENT (no such sheet), MEMORY. */
HED_API hed_status hed_css_unused_link(hed_css_unused *unused, uint32_t sheet, hed_error *error);

/* ---- running ---- */

/** Reads and matches all pages, and judges the rules. To be called once.
 *  Errors: ARGUMENT (no sheet, neither a page nor words), FORMAT (a page that is binary, a template
 *  or has no element, and would make every rule unused), LIMIT, MEMORY, errors of `open`
 *  and `link`. */
HED_API hed_status hed_css_unused_run(hed_css_unused *unused, hed_error *error);

/* ---- results ---- */

/** Reason for which a rule or a part stays; UNUSED: for which it does not. */
typedef enum hed_css_reason {
    HED_CSS_UNUSED,
    HED_CSS_BY_ELEMENT, /**< an element matches */
    HED_CSS_BY_STATE,   /**< an element matches if it is hovered, focused, checked, opened ... */
    HED_CSS_BY_WORD,    /**< words contain its names */
    HED_CSS_BY_KEEP,    /**< a pattern or a comment of the sheet keeps it */
    HED_CSS_NOT_JUDGED, /**< invalid, not supported, or in a list with a selector of another browser */
    HED_CSS_BY_NAME,    /**< a part that a rule or a style attribute names, or that stays anyway */
    HED_CSS_REASON_COUNT
} hed_css_reason;
/** Returns the word of a reason: "unused", "element", "state", "word", "keep", "not judged",
 *  "name". Thread class: any. */
HED_API const char *hed_css_reason_text(hed_css_reason reason);

/** Sums of a search. Style rules are counted with all their selectors as one. */
typedef struct hed_css_unused_info {
    uint32_t sheets;            /**< all sheets, including sheets that are read for names only */
    uint32_t pages, page_total; /**< pages read; pages of the definition that are not skipped */
    uint32_t rules, unused_rules;
    uint32_t selectors, unused_selectors;   /**< selectors in lists of rules that stay */
    uint32_t reasons[HED_CSS_REASON_COUNT]; /**< rules that stay, by their reason */
    size_t bytes, unused_bytes;
    bool names_judged; /**< false: a sheet of the pages could not be read */
} hed_css_unused_info;
/** Returns the sums. */
HED_API hed_css_unused_info hed_css_unused_describe(const hed_css_unused *unused);

/** Use of a page. */
typedef struct hed_css_page_use {
    const char *name;
    uint32_t elements;     /**< elements, including the possible ones */
    uint32_t possible;     /**< elements that only scripts make of templates */
    uint32_t rules;        /**< rules with a selector that matches on the page */
    uint32_t unique_rules; /**< rules that match on no other page */
} hed_css_page_use;
/** Returns the use of page `page`, below hed_css_unused_info.pages. */
HED_API hed_css_page_use hed_css_unused_page_at(const hed_css_unused *unused, uint32_t page);

/** A rule or a part of a sheet, with its position. */
typedef struct hed_css_unused_item {
    size_t begin, end; /**< bytes of the sheet's text */
    /** end of a comment after it that ends the line, as it belongs to the item; else `end` */
    size_t comment_end;
    char kind;       /**< 'r' a style rule; otherwise a hed_css_part_kind */
    uint32_t index;  /**< a part; the first selector of a rule (hed_css_rule_at()) */
    uint32_t count;  /**< selectors of the rule */
    uint32_t around; /**< the enclosing item; HED_CSS_NONE */
    bool stays;      /**< used, whatever it contains */
    bool holds;      /**< contains an item that stays */
    bool removed;    /**< itself or an enclosing item */
    bool bare;       /**< declarations in a condition's block: no selector in the text */
    bool inner;      /**< contains an item */
} hed_css_unused_item;

/** A sheet of a search. Texts and arrays live as long as the search. */
typedef struct hed_css_sheet_use {
    const char *name;
    const char *text; /**< the whole sheet */
    size_t length;
    bool judged;                      /**< false: read for the names that it uses */
    uint32_t pages;                   /**< number of pages that have it */
    const hed_css_sheet *sheet;       /**< each selector of a list is a rule */
    const hed_css_unused_item *items; /**< (item_count) by position, outer ones first */
    uint32_t item_count;
    size_t unused_bytes;
    const char *map_url; /**< address of its source map, in its last comment; NULL: absent */
    size_t map_url_length;
} hed_css_sheet_use;
/** Returns sheet `sheet`, below hed_css_unused_info.sheets; items after the run. */
HED_API hed_css_sheet_use hed_css_unused_sheet_at(const hed_css_unused *unused, uint32_t sheet);

/** Evidence for the judgement on a selector. Texts live as long as the search. */
typedef struct hed_css_selector_use {
    hed_css_reason reason;
    uint64_t elements;     /**< elements that match on all pages */
    uint32_t pages;        /**< pages with such an element */
    const char *element;   /**< the first one, such as "div#main"; NULL: absent */
    uint32_t element_page; /**< page of the first element */
    uint32_t element_line; /**< line of the page, from 1; 0: unknown */
    /** evidence for the reason, for people: the element, the word, the pattern, "a comment in the
     *  sheet", "blocklist ...", the cause of NOT_JUDGED; "": no evidence */
    const char *found;
    const char *where; /**< page, text or origin of `found`; "": unknown */
    uint32_t line;     /**< line of `where`, from 1; 0: unknown */
    bool blocked;      /**< a pattern of NEVER removes it, although elements may match */
} hed_css_selector_use;
/** Returns the judgement on a selector: rule `rule` of hed_css_sheet_use.sheet. */
HED_API hed_css_selector_use hed_css_unused_selector(
    const hed_css_unused *unused, uint32_t sheet, uint32_t rule);
/** Returns the judgement on a rule: the strongest reason of its selectors. */
HED_API hed_css_reason hed_css_unused_rule(
    const hed_css_unused *unused, uint32_t sheet, const hed_css_unused_item *item);

/** An entry in the list of all rules, selectors and parts of a sheet with their judgement. */
typedef struct hed_css_unused_entry {
    /** "rule" (all its selectors are unused), "selector", "\@keyframes", "\@font-face",
     *  "\@property", "custom property", "\@layer" */
    const char *kind;
    uint32_t line;     /**< from 1 */
    size_t begin, end; /**< bytes of the sheet's text */
    size_t bytes;      /**< size of the text that is removed if the entry is unused */
    bool removed;      /**< the reduced text is without it */
    const char *text;  /**< selector on one line, or name; lives until the call returns */
    hed_css_selector_use use;
} hed_css_unused_entry;
/** Calls `each` for the entries of a sheet in the order of their positions: an unused rule is one
 *  entry, of any other rule each selector is.
 *  Errors: MEMORY. */
HED_API hed_status hed_css_unused_entries(const hed_css_unused *unused, uint32_t sheet,
    void (*each)(void *user, const hed_css_unused_entry *entry), void *user, hed_error *error);

/** True if pattern `keep` of the definition has fitted a name of the sheets. */
HED_API bool hed_css_unused_keep_fits(const hed_css_unused *unused, uint32_t keep);

/** Returns the text of a sheet without its unused parts, and its length (nullable); comments and
 *  layout of the rest are as they were. The comment with the address of a source map has `map_url`
 *  in its place; NULL: the comment is left out. Lives as long as the search. NULL: an error.
 *  Errors: ARGUMENT (no such sheet), MEMORY. */
HED_API const char *hed_css_unused_text(
    hed_css_unused *unused, uint32_t sheet, const char *map_url, size_t *length, hed_error *error);
/** Source map of a reduced sheet. */
typedef struct hed_css_map_def {
    const char *map; /**< JSON: map of the sheet itself; NULL: the new map leads to the sheet */
    size_t map_length;
    const char *file; /**< name of the reduced sheet in the map; NULL: as in `map` */
    const char *root; /**< folder before its relative sourceRoot, with a slash; NULL: no folder */
} hed_css_map_def;
/** Returns the source map (ECMA-426, revision 3, JSON) of the text of hed_css_unused_text(). Lives
 *  as long as the search. NULL: an error.
 *  Errors: ARGUMENT (no such sheet), FORMAT (no map, or a damaged one), MEMORY. */
HED_API const char *hed_css_unused_map(hed_css_unused *unused, uint32_t sheet,
    const hed_css_map_def *def, size_t *length, hed_error *error);

/* ---- information on texts ---- */

/** Returns the kind of a text that is no page, by its name and its text, such as "a JSX component";
 *  NULL: a page. A browser never sees a template, so its elements are not elements of the site.
 *  `empty` (nullable) is set to true if a page has no start tag. Thread class: any. */
HED_API const char *hed_css_template_kind(
    const char *name, const char *text, size_t length, bool *empty);
/** Returns the kind of a template, script or text with markup by the ending of its name; NULL:
 *  another file. Thread class: any. */
HED_API const char *hed_css_template_ending(const char *name);
/** Writes the selector of a rule on one line, cut to `size`. Thread class: any. */
HED_API void hed_css_selector_text(const hed_css_rule *rule, char *text, size_t size);

HED_END

#endif
