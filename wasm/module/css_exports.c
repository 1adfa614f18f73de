/* Style sheets for JavaScript: sheets matched against pages, which are HTML or trees that a program
 * has parsed. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/css.h>

#include <inttypes.h>
#include <stdio.h>

enum { NAME_SPACE_BITS = 8, HAS_TEXT = 1 << NAME_SPACE_BITS };

typedef struct site {
    hed_css_names *names;
    hed_css_document **documents; /* (document_count) */
    hed_css_sheet **sheets;       /* (sheet_count) */
    uint32_t document_count, sheet_count;
    hed_css_matcher *matcher;
    uint32_t *counts, *hashes; /* (rules of all sheets) */
    uint32_t *bits;            /* ((elements + 31) / 32) elements of a rule */
    char *text;                /* result of the last call that returned a text */
    size_t text_size;
} site;

/* ---- opening ---- */

EXPORT void hedw_css_close(site *s)
{
    if (!s) return;
    hed_css_matcher_destroy(s->matcher);
    for (uint32_t i = 0; i < s->sheet_count; i++) hed_css_sheet_destroy(s->sheets[i]);
    for (uint32_t i = 0; i < s->document_count; i++) hed_css_document_destroy(s->documents[i]);
    hed_css_names_destroy(s->names);
    free(s->sheets);
    free(s->documents);
    free(s->counts);
    free(s->hashes);
    free(s->bits);
    free(s->text);
    free(s);
}

EXPORT site *hedw_css_open(void)
{
    site *s = module_allocate(1, sizeof *s);
    if (s && !hed_css_names_create(NULL, &s->names, &module_error)) return s;
    free(s);
    return NULL;
}

/* Makes space for one more pointer at the end of an array. */
static void *extend(void *array, uint32_t count)
{
    void *longer = realloc(array, ((size_t)count + 1) * sizeof(void *));
    if (!longer) HED_OUT_OF_MEMORY(&module_error, "a list of %" PRIu32, count + 1);
    return longer;
}

/* Adds a sheet; `split`: each selector of a list is a rule. */
EXPORT bool hedw_css_sheet(site *s, const char *text, uint32_t length, const char *file, bool split)
{
    void *sheets = extend(s->sheets, s->sheet_count);
    if (!sheets) return false;
    s->sheets = sheets;
    hed_css_sheet_def def = {
        .text = text, .length = length, .file = file, .origin = HED_CSS_AUTHOR, .split = split};
    if (hed_css_sheet_create(s->names, &def, &s->sheets[s->sheet_count], &module_error))
        return false;
    s->sheet_count++;
    return true;
}

static bool add_document(site *s, const hed_css_document_def *def)
{
    void *documents = extend(s->documents, s->document_count);
    if (!documents) return false;
    s->documents = documents;
    if (hed_css_document_create(s->names, def, &s->documents[s->document_count], &module_error))
        return false;
    s->document_count++;
    return true;
}

EXPORT bool hedw_css_html(site *s, const char *html, uint32_t length, const char *file)
{
    return add_document(
        s, &(hed_css_document_def){.html = html, .html_length = length, .file = file});
}

/* Adds a tree of `count` elements. `words`: for each element its parent, flags (namespace,
 * HAS_TEXT), the offset of its name and the number of its attributes, then for each attribute the
 * offsets of name and value and the value's length. Offsets are bytes of `texts`; names end with a
 * zero. */
EXPORT bool hedw_css_tree(
    site *s, const uint32_t *words, uint32_t count, const char *texts, bool quirks)
{
    size_t attribute_count = 0;
    const uint32_t *word = words;
    for (uint32_t e = 0; e < count; e++, word += 4 + 3 * (size_t)word[3])
        attribute_count += word[3];
    hed_css_element *elements = module_allocate(count, sizeof *elements);
    hed_css_attribute *attributes = module_allocate(attribute_count, sizeof *attributes),
                      *next = attributes;
    bool is_added = false;
    if (elements && attributes) {
        word = words;
        for (uint32_t e = 0; e < count; e++) {
            elements[e] = (hed_css_element){.parent = word[0],
                .name_space = (hed_css_namespace)(word[1] & (HAS_TEXT - 1)),
                .name = texts + word[2],
                .attributes = next,
                .attribute_count = word[3],
                .has_text = (word[1] & HAS_TEXT) != 0};
            word += 4;
            for (uint32_t i = 0; i < elements[e].attribute_count; i++, word += 3)
                *next++ = (hed_css_attribute){
                    .name = texts + word[0], .value = texts + word[1], .value_length = word[2]};
        }
        is_added =
            add_document(s, &(hed_css_document_def){
                                .elements = elements, .element_count = count, .quirks = quirks});
    }
    free(elements);
    free(attributes);
    return is_added;
}

/* ---- matching ---- */

/* Compiles the sheets for the documents. `states_possible`: hovered, focused and the like count as
 * possible. */
EXPORT bool hedw_css_compile(site *s, bool states_possible)
{
    const hed_css_matcher_def def = {.documents = s->documents,
        .document_count = s->document_count,
        .sheets = s->sheets,
        .sheet_count = s->sheet_count,
        .states_possible = states_possible};
    hed_css_matcher_destroy(s->matcher);
    s->matcher = NULL;
    if (hed_css_matcher_create(NULL, &def, &s->matcher, &module_error)) return false;
    uint32_t rules = 0;
    for (uint32_t i = 0; i < s->sheet_count; i++) rules += hed_css_rule_count(s->sheets[i]);
    free(s->counts);
    free(s->hashes);
    s->counts = module_allocate(rules, sizeof *s->counts);
    s->hashes = module_allocate(rules, sizeof *s->hashes);
    return s->counts && s->hashes;
}

EXPORT bool hedw_css_match(site *s)
{
    if (hed_css_match(s->matcher, &module_error)) return false;
    hed_css_matcher_counts(s->matcher, s->counts, s->hashes);
    return true;
}

EXPORT uint32_t hedw_css_rules(site *s) { return hed_css_matcher_results(s->matcher).rules; }
EXPORT uint32_t hedw_css_elements(site *s) { return hed_css_matcher_results(s->matcher).elements; }
EXPORT uint32_t *hedw_css_counts(site *s) { return s->counts; }
EXPORT uint32_t *hedw_css_hashes(site *s) { return s->hashes; }

/* Writes the elements of a rule as bits; NULL: error. */
EXPORT uint32_t *hedw_css_elements_of(site *s, uint32_t rule)
{
    free(s->bits);
    s->bits = module_allocate((hedw_css_elements(s) + 31) / 32, sizeof *s->bits);
    if (s->bits && hed_css_element_rules(s->matcher, rule, s->bits, &module_error)) return NULL;
    return s->bits;
}

/* ---- texts: JSON, which the site owns ---- */

static void put_rule(FILE *stream, const hed_css_sheet *sheet, uint32_t index)
{
    hed_css_rule rule = hed_css_rule_at(sheet, index);
    fputs("{\"selector\":", stream);
    module_put_text(stream, rule.selector, rule.selector_length);
    fprintf(stream,
        ",\"line\":%" PRIu32 ",\"column\":%" PRIu32 ",\"begin\":%zu,\"end\":%zu,\"valid\":%s,\"applies\":%s,\"reason\":",
        rule.line, rule.column, rule.begin, rule.end,
        rule.validity == HED_CSS_VALID ? "true" : "false", rule.applies ? "true" : "false");
    module_put_text(stream, rule.reason, strlen(rule.reason));
    fputc('}', stream);
}

/* Writes the rules of a sheet as a list. NULL: error. */
EXPORT const char *hedw_css_rules_text(site *s, uint32_t sheet)
{
    free(s->text);
    s->text = NULL;
    FILE *stream = open_memstream(&s->text, &s->text_size);
    uint32_t count = hed_css_rule_count(s->sheets[sheet]);
    if (stream) fputc('[', stream);
    for (uint32_t i = 0; stream && i < count; i++) {
        if (i) fputc(',', stream);
        put_rule(stream, s->sheets[sheet], i);
    }
    if (stream) fputc(']', stream);
    if (!stream || fclose(stream)) HED_OUT_OF_MEMORY(&module_error, "a list of rules");
    return module_error.status ? NULL : s->text;
}

EXPORT uint32_t hedw_css_text_size(site *s) { return (uint32_t)s->text_size; }

/* Name of an element of all documents for people, such as "div#main.wide". */
EXPORT const char *hedw_css_element_text(site *s, uint32_t element)
{
    static char text[256];
    for (uint32_t i = 0; i < s->document_count; i++) {
        uint32_t count = hed_css_document_describe(s->documents[i]).elements;
        if (element < count) {
            hed_css_element_text(s->documents[i], element, text, sizeof text);
            return text;
        }
        element -= count;
    }
    return NULL;
}
