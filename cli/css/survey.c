/* See survey.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/progress.h"
#include "cli/css/recording.h"
#include "cli/css/survey.h"
#include "cli/css/verdict.h"
#include "support/sources.h"

enum { BATCH_BYTES = 16 << 20, BATCH_PAGES = 256 };

/* Pages that are matched together. */
typedef struct batch {
    hed_css_names *names;
    hed_css_document *documents[BATCH_PAGES];
    struct page_links {
        uint32_t *files, count, room;
    } links[BATCH_PAGES];
    uint32_t count, first_page;
    size_t bytes;
} batch;

static void batch_clear(batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        hed_css_document_destroy(b->documents[i]);
        free(b->links[i].files);
    }
    hed_css_names_destroy(b->names);
    *b = (batch){0};
}

/* ---- reading ---- */

static void see_style(void *user, const char *text, size_t length)
{
    css_survey *s = user;
    uint32_t number = hed_css_names_add(s->styles, text, length);
    if (number != HED_CSS_NONE && number >= s->style_count) s->style_count = number + 1;
}

/* Links a sheet and its imports to a page. */
static void link_file(css_survey *s, struct page_links *links, uint32_t file, hed_error *error)
{
    if (file == HED_CSS_NONE || !s->files.items[file].judged) return;
    for (uint32_t i = 0; i < links->count; i++)
        if (links->files[i] == file) return;
    links->files = css_more(links->files, &links->room, links->count, sizeof file, error);
    if (hed_failed(error)) return;
    links->files[links->count++] = file;
    css_file *sheet = &s->files.items[file];
    sheet->pages++;
    for (uint32_t i = 0; i < sheet->import_count; i++)
        link_file(s, links, sheet->imports[i], error);
}

static hed_status survey_read(const char *path, css_text *page, hed_error *error)
{
    if (css_read_page(path, page, error) || !css_page_refuse(path, page, error))
        return error->status;
    free(page->bytes);
    return error->status;
}

/* Number of sheet `index` of a page; HED_CSS_NONE: it is not on the disk. */
static uint32_t find_sheet(css_survey *s, const css_namer *namer, const hed_css_document *document,
    uint32_t index, hed_error *error)
{
    const char *href, *media;
    size_t length;
    const char *text = hed_css_document_sheet(document, index, &length, &href, &media);
    return text ? css_files_add_text(&s->files, namer, index, text, length, error)
                : css_files_find(&s->files, namer, href, error);
}

/* Sheets of a recording, which are linked to its page. */
typedef struct recorded_sheets {
    css_survey *survey;
    struct page_links *links; /* NULL: the sheets are listed alone */
    const css_namer *namer;
    uint32_t count;
    hed_error *error;
} recorded_sheets;

/* Adds a recorded sheet: the file of its address, if it is one, or its text. */
static void add_recorded(void *user, const char *url, const char *text, size_t length)
{
    recorded_sheets *r = user;
    bool is_file = strncmp(url, "file:", 5) == 0;
    uint32_t file =
        is_file ? css_files_find(&r->survey->files, r->namer, url, r->error)
                : css_files_add_text(&r->survey->files, r->namer, r->count, text, length, r->error);
    r->count++;
    if (r->links) link_file(r->survey, r->links, file, r->error);
}

static void find_recorded(css_survey *s, struct page_links *links, const css_namer *namer,
    const css_text *page, hed_error *error)
{
    recorded_sheets sheets = {s, links, namer, 0, error};
    if (page->recorded && !hed_failed(error))
        css_recording_sheets(
            namer->origin.file, page->bytes, page->length, add_recorded, &sheets, error);
}

/* Reads the sheets that a page names; skips a page from a pipe, which can be read only once. */
static hed_status find_sheets(css_survey *s, const char *path, hed_error *error)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return HED_OK;
    css_text page;
    hed_css_document *document = NULL;
    hed_css_names *names = NULL;
    if (survey_read(path, &page, error)) return error->status;
    if (!hed_is_report(page.bytes, page.length) && !hed_css_names_create(NULL, &names, error))
        css_page_document(names, path, &page, true, &document, error);
    const css_namer namer = {{path, hed_css_document_base(document)}, page.encoding, true};
    find_recorded(s, NULL, &namer, &page, error);
    free(page.bytes);
    uint32_t count = document ? hed_css_document_describe(document).style_sheets : 0;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++)
        find_sheet(s, &namer, document, i, error);
    hed_css_document_destroy(document);
    hed_css_names_destroy(names);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Links the sheets of a page: the sheets of the command line, or without any the sheets that the
 * page names. If the command line has sheets, the page's sheets are only read for the names that
 * they use. */
static void link_page(css_survey *s, struct page_links *links, const hed_css_document *document,
    css_namer namer, hed_error *error)
{
    const css_page_list *sheets = &s->settings->sheets;
    namer.judged = !sheets->count;
    for (uint32_t i = 0; i < sheets->count && !hed_failed(error); i++)
        link_file(s, links, css_files_add(&s->files, sheets->paths[i], NULL, true, error), error);
    uint32_t count = hed_css_document_describe(document).style_sheets;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++)
        link_file(s, links, find_sheet(s, &namer, document, i, error), error);
}

/* Reports a page that a script fills: as it is on the disk, nearly all rules are unused. */
static void note_shell(const css_survey *s, const hed_css_document *document, const char *path)
{
    enum { MOST_ELEMENTS = 16 };
    uint32_t scripts = 0, elements = hed_css_document_describe(document).elements;
    if (s->settings->words.file_count || elements > MOST_ELEMENTS) return;
    if (hed_css_select(document, "script[src]", NULL, 0, &scripts, NULL) || !scripts) return;
    fprintf(stderr,
        "heddle: note: %s: page has %u elements, and a script that may add others. Give the script "
        "with --words, or the recorded page (heddle css record)\n",
        path, elements);
}

static hed_status batch_add(css_survey *s, batch *b, const char *path, hed_error *error)
{
    css_text page;
    if (!b->count) {
        b->first_page = s->page_count;
        if (!b->names) hed_css_names_create(NULL, &b->names, error);
    }
    if (hed_failed(error) || survey_read(path, &page, error)) return error->status;
    if (hed_is_report(page.bytes, page.length)) {
        fprintf(stderr, "heddle: %s is left out: it is a report of Heddle's, not a page\n", path);
        free(page.bytes);
        s->page_total--;
        return HED_OK;
    }
    hed_css_document **document = &b->documents[b->count];
    if (css_page_document(b->names, path, &page, true, document, error)) {
        free(page.bytes);
        return error->status;
    }
    css_namer namer = {{path, hed_css_document_base(*document)}, page.encoding, true};
    struct page_links *links = &b->links[b->count++];
    link_page(s, links, *document, namer, error);
    namer.judged = !s->settings->sheets.count;
    find_recorded(s, links, &namer, &page, error);
    free(page.bytes);
    note_shell(s, *document, path);
    hed_css_document_styles(*document, see_style, s);
    if (s->page_names) css_verdict_page(s, *document, error);
    b->bytes += page.length;
    hed_css_document_info info = hed_css_document_describe(*document);
    s->pages[s->page_count++] =
        (css_page){.path = path, .elements = info.elements, .possible = info.possible};
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- matching ---- */

/* Sheets of a batch, made with its table of names, and work space for counting its results. */
typedef struct matching {
    hed_arena arena;
    hed_css_sheet **sheets;
    uint32_t *files; /* (sheet_count) */
    uint32_t sheet_count;
    uint32_t *rule_file, *rule_head; /* (rules) file, and first selector of the list */
    uint32_t *rule_number;           /* (rules) number in all files */
    uint32_t *rule_page, *head_page; /* (rules) 1 + last page with a match of it, of its list */
    uint32_t *file_page;             /* (files) 1 + last page that names it */
    uint32_t *class_page, *tally,
        *first;        /* (classes) 1 + last page, its elements, its first element */
    uint32_t *touched; /* classes of a page in the order of their first elements */
} matching;

static hed_status matching_open(const css_survey *s, matching *m, const batch *b, hed_error *error)
{
    uint32_t *linked = hed_arena_new(&m->arena, s->files.count + 1, sizeof *linked, error);
    m->sheets = hed_arena_new(&m->arena, s->files.count + 1, sizeof *m->sheets, error);
    m->files = hed_arena_new(&m->arena, s->files.count + 1, sizeof *m->files, error);
    m->file_page = hed_arena_new(&m->arena, s->files.count + 1, sizeof *m->file_page, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t d = 0; d < b->count; d++)
        for (uint32_t i = 0; i < b->links[d].count; i++) linked[b->links[d].files[i]] = 1;
    for (uint32_t i = 0; i < s->files.count && !hed_failed(error); i++) {
        const css_file *file = &s->files.items[i];
        if (!linked[i] || !file->rules) continue;
        const hed_css_sheet_def def = {.text = file->text,
            .length = file->length,
            .file = file->name,
            .origin = HED_CSS_AUTHOR,
            .split = true};
        if (hed_css_sheet_create(b->names, &def, &m->sheets[m->sheet_count], error) == HED_OK)
            m->files[m->sheet_count++] = i;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status matching_room(
    const css_survey *s, matching *m, const hed_css_result *r, hed_error *error)
{
    uint32_t **by_rule[] = {
        &m->rule_file, &m->rule_head, &m->rule_page, &m->head_page, &m->rule_number};
    uint32_t **by_class[] = {&m->class_page, &m->tally, &m->first, &m->touched};
    for (size_t i = 0; i < HED_COUNT(by_rule); i++)
        *by_rule[i] = hed_arena_new(&m->arena, r->rules + 1ull, sizeof(uint32_t), error);
    for (size_t i = 0; i < HED_COUNT(by_class); i++)
        *by_class[i] = hed_arena_new(&m->arena, r->classes + 1ull, sizeof(uint32_t), error);
    if (hed_failed(error)) return error->status;
    for (uint32_t sheet = 0, rule = 0; sheet < m->sheet_count; sheet++) {
        const css_file *file = &s->files.items[m->files[sheet]];
        for (uint32_t i = 0; i < file->rules; i++, rule++) {
            bool continues_list = i && hed_css_rule_at(file->sheet, i).number ==
                                           hed_css_rule_at(file->sheet, i - 1).number;
            m->rule_file[rule] = m->files[sheet];
            m->rule_number[rule] = file->first_rule + i;
            m->rule_head[rule] = continues_list ? m->rule_head[rule - 1] : rule;
        }
    }
    return HED_OK;
}

/* Counts the elements of a class on a page for a selector that matches them. */
static void use_selector(css_survey *s, matching *m, const hed_css_document *document,
    uint32_t page, uint32_t rule, uint32_t class, hed_error *error)
{
    css_use *use = &s->uses[m->rule_number[rule]];
    if (m->file_page[m->rule_file[rule]] != page + 1) return;
    use->elements += m->tally[class] ? m->tally[class] : 1;
    if (m->rule_page[rule] == page + 1) return;
    m->rule_page[rule] = page + 1;
    if (m->head_page[m->rule_head[rule]] != page + 1) {
        m->head_page[m->rule_head[rule]] = page + 1;
        s->pages[page].rules++;
    }
    if (use->pages++) return;
    char element[160];
    hed_css_element_text(document, m->first[class], element, sizeof element);
    use->page = page;
    use->line = hed_css_element_line(document, m->first[class]);
    use->element = strdup(element);
    if (!use->element) HED_OUT_OF_MEMORY(error, "the names of elements");
}

/* Counts the selectors that a page uses. `classes`: class of each element of the page. */
static void collect_page(css_survey *s, matching *m, const batch *b, uint32_t document,
    const hed_css_result *r, const uint32_t *classes, hed_error *error)
{
    uint32_t page = b->first_page + document, touched = 0;
    for (uint32_t i = 0; i < b->links[document].count; i++)
        m->file_page[b->links[document].files[i]] = page + 1;
    uint32_t page_elements = s->pages[page].elements - s->pages[page].possible;
    for (uint32_t e = 0; e < s->pages[page].elements; e++) {
        uint32_t c = classes[e];
        if (m->class_page[c] != page + 1) {
            m->class_page[c] = page + 1;
            m->tally[c] = 0;
            m->first[c] = e;
            m->touched[touched++] = c;
        }
        m->tally[c] += e < page_elements;
    }
    for (uint32_t i = 0; i < touched && !hed_failed(error); i++)
        for (uint32_t c = m->touched[i], k = r->class_begin[c]; k < r->class_begin[c + 1]; k++)
            use_selector(s, m, b->documents[document], page, r->rule[k], c, error);
}

static hed_status batch_match(css_survey *s, batch *b, hed_error *error)
{
    matching m = {.arena = {.owner = "a batch of pages"}};
    hed_css_matcher *matcher = NULL;
    matching_open(s, &m, b, error);
    s->uses = css_more(s->uses, &s->use_room, s->files.rules, sizeof *s->uses, error);
    const hed_css_matcher_def def = {.documents = b->documents,
        .document_count = b->count,
        .sheets = m.sheets,
        .sheet_count = m.sheet_count,
        .states_possible = true};
    if (m.sheet_count && hed_css_matcher_create(NULL, &def, &matcher, error) == HED_OK &&
        hed_css_match(matcher, error) == HED_OK) {
        hed_css_result result = hed_css_matcher_results(matcher);
        const uint32_t *classes = result.element_class;
        matching_room(s, &m, &result, error);
        for (uint32_t d = 0; d < b->count && !hed_failed(error); d++) {
            collect_page(s, &m, b, d, &result, classes, error);
            classes += s->pages[b->first_page + d].elements;
        }
    }
    hed_css_matcher_destroy(matcher);
    for (uint32_t i = 0; i < m.sheet_count; i++) hed_css_sheet_destroy(m.sheets[i]);
    hed_arena_free(&m.arena);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- names that are used ---- */

static hed_status survey_follow(css_survey *s, hed_error *error)
{
    const css_files *files = &s->files;
    bool *stays = calloc(files->rules + 1ull, sizeof *stays);
    hed_css_sheet **sheets = calloc(files->count + 1ull, sizeof *sheets);
    const char **texts = calloc(s->style_count + 1ull, sizeof *texts);
    size_t *lengths = calloc(s->style_count + 1ull, sizeof *lengths);
    if (!stays || !sheets || !texts || !lengths) HED_OUT_OF_MEMORY(error, "the names in sheets");
    else {
        for (uint32_t i = 0; i < files->count; i++) {
            const css_file *file = &files->items[i];
            sheets[i] = file->sheet;
            for (uint32_t r = 0; r < file->rules; r++)
                stays[file->first_rule + r] = css_survey_verdict(s, file, r) != CSS_NEVER;
        }
        for (uint32_t i = 0; i < s->style_count; i++)
            texts[i] = hed_css_names_text(s->styles, i, &lengths[i]);
        const hed_css_follow_def def = {
            sheets, files->count, stays, texts, lengths, s->style_count};
        hed_css_follow(&def, s->used, error);
    }
    free(stays);
    free(sheets);
    free(texts);
    free(lengths);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Counts the rules that only one page uses. */
static void survey_only(css_survey *s)
{
    for (uint32_t i = 0; i < s->files.count; i++) {
        const css_file *file = &s->files.items[i];
        for (uint32_t r = 0, next; r < file->rules; r = next) {
            uint32_t number = hed_css_rule_at(file->sheet, r).number, page = HED_CSS_NONE;
            bool alone = true;
            for (next = r;
                 next < file->rules && hed_css_rule_at(file->sheet, next).number == number;
                 next++) {
                const css_use *use = &s->uses[file->first_rule + next];
                if (!use->pages) continue;
                alone &= use->pages == 1 && (page == HED_CSS_NONE || page == use->page);
                page = use->page;
            }
            if (alone && page != HED_CSS_NONE) s->pages[page].unique_rules++;
        }
    }
}

/* ---- the whole ---- */

hed_status css_survey_open(css_survey *s, css_settings *settings, bool all_sheets, hed_error *error)
{
    const css_page_list *sheets = &settings->sheets;
    bool by_names = settings->words.file_count ||
                    css_keeps_have(&settings->keeps, CSS_KEEP_NAME, 0) ||
                    css_keeps_have(&settings->keeps, CSS_KEEP_REST, 0);
    s->settings = settings;
    s->page_total = settings->pages.count;
    s->pages = calloc(s->page_total + 1ull, sizeof *s->pages);
    if (!s->pages) return HED_OUT_OF_MEMORY(error, "the list of pages");
    css_files_open(&s->files, error);
    hed_css_names_create(NULL, &s->styles, error);
    if (by_names) hed_css_names_create(NULL, &s->page_names, error);
    for (uint32_t i = 0; i < sheets->count && !hed_failed(error); i++)
        css_files_add(&s->files, sheets->paths[i], NULL, true, error);
    bool by_pages = all_sheets && !sheets->count;
    for (uint32_t i = 0; i < s->page_total && by_pages && !hed_failed(error); i++) {
        if (hed_interrupted()) break;
        find_sheets(s, settings->pages.paths[i], error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Reads and matches all pages. */
static void survey_pages(css_survey *s, hed_error *error)
{
    batch b = {0};
    char *const *pages = s->settings->pages.paths;
    hed_progress progress =
        hed_progress_begin("css unused", "pages", s->page_total, s->settings->json);
    for (uint32_t i = 0; i < s->settings->pages.count && !hed_failed(error); i++) {
        if (hed_interrupted()) break;
        batch_add(s, &b, pages[i], error);
        if (!hed_failed(error) && (b.bytes >= BATCH_BYTES || b.count == BATCH_PAGES)) {
            batch_match(s, &b, error);
            batch_clear(&b);
        }
        hed_progress_update(&progress, i + 1);
    }
    if (b.count && !hed_failed(error)) batch_match(s, &b, error);
    batch_clear(&b);
    hed_progress_end(&progress);
}

hed_status css_survey_run(css_survey *s, hed_error *error)
{
    const css_page_list *pages = &s->settings->pages;
    survey_pages(s, error);
    if (!hed_failed(error) && pages->count && !s->page_total)
        hed_fail(error, HED_ERROR_ARGUMENT, "%s: no page was given, but reports of Heddle's alone",
            pages->paths[0]);
    if (!hed_failed(error) && !s->files.count)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "no style sheet was given, and %s names none of its own that is on this machine",
            pages->paths[0]);
    s->names_judged = s->files.missing_count == 0;
    s->uses = css_more(s->uses, &s->use_room, s->files.rules, sizeof *s->uses, error);
    if (!hed_failed(error)) css_verdict_find(s, error);
    if (!hed_failed(error)) survey_follow(s, error);
    if (!hed_failed(error)) survey_only(s);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_survey_close(css_survey *s)
{
    for (uint32_t i = 0; s->uses && i < s->files.rules; i++) free(s->uses[i].element);
    free(s->pages);
    free(s->uses);
    free(s->reasons);
    free(s->used);
    css_files_close(&s->files);
    hed_css_names_destroy(s->styles);
    hed_css_names_destroy(s->page_names);
}
