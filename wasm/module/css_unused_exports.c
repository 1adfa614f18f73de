/* Unused rules for JavaScript: sheets without the rules that no page uses. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/css_unused.h>

#include <stdio.h>

/* Role of a text of a search. */
typedef enum text_kind { SHEET, PAGE, WORDS, PATTERN, KIND_COUNT } text_kind;

/* A search for unused rules. It owns the texts that JavaScript has allocated for it. */
typedef struct search {
    hed_css_text *texts[KIND_COUNT]; /* (counts[kind]) */
    uint32_t counts[KIND_COUNT];
    hed_css_unused_sheet *sheets;
    hed_css_unused_page *pages;
    hed_css_keep *keep;
    hed_css_unused *unused;
    char *report;
    size_t report_size;
} search;

EXPORT void hedw_unused_close(search *s)
{
    if (!s) return;
    hed_css_unused_destroy(s->unused);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < s->counts[kind]; i++) {
            free((void *)s->texts[kind][i].name);
            free((void *)s->texts[kind][i].text);
        }
        free(s->texts[kind]);
    }
    free(s->sheets);
    free(s->pages);
    free(s->keep);
    free(s->report);
    free(s);
}

EXPORT search *hedw_unused_open(void) { return module_allocate(1, sizeof(search)); }

/* Adds a text and takes ownership of it and its name, both from hedw_alloc(). `kind`: text_kind. */
EXPORT bool hedw_unused_add(search *s, uint32_t kind, char *name, char *text, uint32_t length)
{
    hed_css_text *longer = realloc(s->texts[kind], ((size_t)s->counts[kind] + 1) * sizeof *longer);
    if (!longer) {
        HED_OUT_OF_MEMORY(&module_error, "a list of texts");
        return false;
    }
    s->texts[kind] = longer;
    longer[s->counts[kind]++] = (hed_css_text){.name = name, .text = text, .length = length};
    return true;
}

/* Runs the search over all added texts. */
EXPORT bool hedw_unused_run(search *s, bool keyframes, bool fonts, bool properties)
{
    s->sheets = module_allocate(s->counts[SHEET], sizeof *s->sheets);
    s->pages = module_allocate(s->counts[PAGE], sizeof *s->pages);
    s->keep = module_allocate(s->counts[PATTERN], sizeof *s->keep);
    if (module_error.status) return false;
    for (uint32_t i = 0; i < s->counts[SHEET]; i++) s->sheets[i].sheet = s->texts[SHEET][i];
    for (uint32_t i = 0; i < s->counts[PAGE]; i++) s->pages[i].html = s->texts[PAGE][i];
    for (uint32_t i = 0; i < s->counts[PATTERN]; i++)
        s->keep[i] = (hed_css_keep){
            .pattern = s->texts[PATTERN][i].text, .origin = s->texts[PATTERN][i].name};
    hed_css_unused_def def = hed_default_css_unused_def();
    def.sheets = s->sheets;
    def.sheet_count = s->counts[SHEET];
    def.pages = s->pages;
    def.page_count = s->counts[PAGE];
    def.words = s->texts[WORDS];
    def.word_count = s->counts[WORDS];
    def.keep = s->keep;
    def.keep_count = s->counts[PATTERN];
    def.keyframes = keyframes;
    def.fonts = fonts;
    def.properties = properties;
    def.threads = 1;
    return !hed_css_unused_create(NULL, &def, &s->unused, &module_error) &&
           !hed_css_unused_run(s->unused, &module_error);
}

/* Text of a sheet without its unused parts; its size is that of hedw_unused_size(). NULL: error. */
EXPORT const char *hedw_unused_text(search *s, uint32_t sheet)
{
    return hed_css_unused_text(s->unused, sheet, NULL, &s->report_size, &module_error);
}
EXPORT uint32_t hedw_unused_size(search *s) { return (uint32_t)s->report_size; }

/* Writes a number after its key; printf() took 8 % of a search. */
static void put_number(FILE *stream, const char *key, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = '\0';
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    fputs(key, stream);
    fputs(first, stream);
}

static void put_entry(void *user, const hed_css_unused_entry *entry)
{
    FILE *stream = user;
    fputs(ftell(stream) > 1 ? ",{\"kind\":\"" : "{\"kind\":\"", stream);
    fputs(entry->kind, stream);
    put_number(stream, "\",\"line\":", entry->line);
    put_number(stream, ",\"begin\":", entry->begin);
    put_number(stream, ",\"end\":", entry->end);
    put_number(stream, ",\"bytes\":", entry->bytes);
    fputs(entry->removed ? ",\"removed\":true,\"selector\":" : ",\"removed\":false,\"selector\":", stream);
    module_put_text(stream, entry->text, strlen(entry->text));
    fputs(",\"reason\":\"", stream);
    fputs(hed_css_reason_text(entry->use.reason), stream);
    put_number(stream, "\",\"elements\":", entry->use.elements);
    fputs(",\"found\":", stream);
    module_put_text(stream, entry->use.found, strlen(entry->use.found));
    fputc('}', stream);
}

/* List of all rules, selectors and parts of a sheet with their judgement, JSON of
 * hedw_unused_size() bytes. NULL: error. */
EXPORT const char *hedw_unused_entries(search *s, uint32_t sheet)
{
    free(s->report);
    s->report = NULL;
    FILE *stream = open_memstream(&s->report, &s->report_size);
    if (!stream) {
        HED_OUT_OF_MEMORY(&module_error, "a list of rules");
        return NULL;
    }
    fputc('[', stream);
    hed_css_unused_entries(s->unused, sheet, put_entry, stream, &module_error);
    fputc(']', stream);
    if (fclose(stream)) HED_OUT_OF_MEMORY(&module_error, "a list of rules");
    return module_error.status ? NULL : s->report;
}

/* True if pattern `index` has fitted a name of the sheets. */
EXPORT bool hedw_unused_fits(search *s, uint32_t index)
{
    return hed_css_unused_keep_fits(s->unused, index);
}
