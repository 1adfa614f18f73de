/* Pages and sheets of `heddle css unused` for the library's search: files are opened when the search
 * comes to them, and each page is linked to the sheets that it names, as far as they are files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/progress.h"
#include "cli/css/page_words.h"
#include "cli/css/recording.h"
#include "cli/css/unused.h"
#include "heddle/thread.h"
#include "support/sources.h"

/* A page between its opening and its linking. */
typedef struct page_state {
    const hed_encoding *encoding;
    css_text recording; /* recording whose sheets are linked to the page, or NULL */
    bool is_report;     /* a report of Heddle's, which is left out */
} page_state;

typedef struct page_reader {
    css_unused *unused;
    page_state *states; /* (page_count) */
    hed_progress progress;
} page_reader;

/* ---- a page ---- */

static hed_status read_page(
    const css_page_list *pages, uint32_t index, css_text *page, hed_error *error)
{
    if (css_page_list_read(pages, index, page, error) ||
        !css_page_refuse(pages->paths[index], page, error))
        return error->status;
    free(page->bytes);
    *page = (css_text){0};
    return error->status;
}

/* Number of sheet `index` of a page; HED_CSS_NONE: it is not on the disk. */
static uint32_t find_sheet(css_files *files, const css_namer *namer,
    const hed_css_document *document, uint32_t index, hed_error *error)
{
    const char *href, *media;
    size_t length;
    const char *text = hed_css_document_sheet(document, index, &length, &href, &media);
    return text ? css_files_add_text(files, namer, index, text, length, error)
                : css_files_find(files, namer, href, error);
}

/* Sheets of a recording. */
typedef struct recorded_sheets {
    css_files *files;
    const hed_css_document *document; /* NULL: the sheets are listed alone */
    const css_namer *namer;
    uint32_t count;
    uint32_t file; /* the sheet that is being linked */
    hed_error *error;
} recorded_sheets;

static void link_recorded(void *user, uint32_t tree)
{
    recorded_sheets *r = user;
    css_files_link(r->files, r->file, tree, r->error);
}

/* Adds a recorded sheet: the file of its address, if it is one, or its text. */
static void add_recorded(void *user, const css_recorded_sheet *sheet)
{
    recorded_sheets *r = user;
    bool is_file = strncmp(sheet->url, "file:", 5) == 0;
    r->file = is_file ? css_files_find(r->files, r->namer, sheet->url, r->error)
                      : css_files_add_text(
                            r->files, r->namer, r->count, sheet->text, sheet->length, r->error);
    r->count++;
    if (r->document) css_recording_trees(r->document, sheet, link_recorded, r);
}

static void find_recorded(css_files *files, const hed_css_document *document,
    const css_namer *namer, const css_text *page, hed_error *error)
{
    recorded_sheets sheets = {files, document, namer, 0, 0, error};
    if (page->recorded && !hed_failed(error))
        css_recording_sheets(
            namer->origin.file, page->bytes, page->length, add_recorded, &sheets, error);
}

/* ---- sheets that are found before the search ---- */

enum { SCANNED_TOGETHER = 256, SCAN_BY_THREAD = 8 };

/* A page whose sheets are added next. */
typedef struct scanned_page {
    css_text page;
    hed_css_names *names;
    hed_css_document *document; /* NULL: a recording's, a report's, or the page is skipped */
    hed_error error;
} scanned_page;

/* Pages that are read together. */
typedef struct page_scan {
    const css_page_list *pages;
    uint32_t first;
    scanned_page *items; /* (SCANNED_TOGETHER) */
} page_scan;

/* Reads a page; skips a page from a pipe, which can be read only once. */
static void scan_page(const css_page_list *pages, uint32_t index, scanned_page *scanned)
{
    struct stat about;
    const char *path = pages->paths[index];
    bool in_memory = css_page_list_text(pages, index).bytes;
    *scanned = (scanned_page){0};
    if (!in_memory && stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return;
    css_text *page = &scanned->page;
    hed_error *error = &scanned->error;
    if (read_page(pages, index, page, error)) return;
    if (!hed_is_report(page->bytes, page->length) &&
        !hed_css_names_create(NULL, &scanned->names, error))
        css_page_document(scanned->names, path, page, true, &scanned->document, error);
}

static void scan_pages(void *user, uint64_t begin, uint64_t end)
{
    page_scan *scan = user;
    for (uint64_t i = begin; i < end; i++)
        scan_page(scan->pages, scan->first + (uint32_t)i, &scan->items[i]);
}

/* Adds the sheets that a page names. */
static void add_scanned(
    css_files *files, const char *path, const scanned_page *scanned, hed_error *error)
{
    const css_namer namer = {
        {path, hed_css_document_base(scanned->document)}, scanned->page.encoding, true};
    if (hed_failed(&scanned->error)) *error = scanned->error;
    find_recorded(files, NULL, &namer, &scanned->page, error);
    uint32_t count = hed_css_document_describe(scanned->document).style_sheets;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++)
        find_sheet(files, &namer, scanned->document, i, error);
}

/* Reads all pages on all cores, and adds the sheets that they name in the order of the pages. */
static hed_status find_all_sheets(css_files *files, const css_page_list *pages, hed_error *error)
{
    page_scan scan = {.pages = pages, .items = calloc(SCANNED_TOGETHER, sizeof *scan.items)};
    hed_team *team = NULL;
    hed_error no_team = {0};
    if (!scan.items) return HED_OUT_OF_MEMORY(error, "the list of pages");
    if (pages->count >= 2 * SCAN_BY_THREAD) hed_team_create(NULL, 0, &team, &no_team);
    for (; scan.first < pages->count && !hed_failed(error) && !hed_interrupted();
         scan.first += SCANNED_TOGETHER) {
        uint32_t left = pages->count - scan.first;
        uint32_t count = left < SCANNED_TOGETHER ? left : SCANNED_TOGETHER;
        if (team) hed_team_for(team, count, 1, scan_pages, &scan);
        else scan_pages(&scan, 0, count);
        for (uint32_t i = 0; i < count; i++) {
            scanned_page *scanned = &scan.items[i];
            if (!hed_failed(error))
                add_scanned(files, pages->paths[scan.first + i], scanned, error);
            free(scanned->page.bytes);
            hed_css_document_destroy(scanned->document);
            hed_css_names_destroy(scanned->names);
        }
    }
    hed_team_destroy(team);
    free(scan.items);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Reports scripts that are not read: they may use rules that the output lists. */
static void note_scripts(const css_settings *s)
{
    uint32_t count = s->unread_scripts;
    if (count)
        fprintf(stderr,
            "heddle: note: %u script%s of the pages %s not read, the first \"%s\": what it adds to a "
            "page is not known. Give such scripts with --words, or the recorded page "
            "(heddle css record)\n",
            count, count == 1 ? "" : "s", count == 1 ? "is" : "are", s->unread_script);
}

/* ---- calls of the search; open_page() runs in several threads ---- */

static hed_status open_page(
    void *user, uint32_t index, hed_css_names *names, hed_css_document **document, hed_error *error)
{
    page_reader *r = user;
    const char *path = r->unused->settings->pages.paths[index];
    css_text page;
    if (read_page(&r->unused->settings->pages, index, &page, error)) return error->status;
    if (hed_is_report(page.bytes, page.length)) {
        r->states[index].is_report = true;
        free(page.bytes);
        return HED_OK;
    }
    css_page_document(names, path, &page, true, document, error);
    r->states[index].encoding = page.encoding;
    if (page.recorded) r->states[index].recording = page;
    else free(page.bytes);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Links the sheets of a page: the sheets of the command line, or without any the sheets that the
 * page names. If the command line has sheets, the page's sheets are only read for the names that
 * they use. A sheet that the page does not name can be in any tree, as scripts can put it there. */
static hed_status link_page(void *user, hed_css_unused *search, uint32_t index,
    const hed_css_document *document, hed_error *error)
{
    page_reader *r = user;
    (void)search;
    css_files *files = &r->unused->files;
    const css_settings *s = r->unused->settings;
    const css_page_list *sheets = &s->sheets;
    const char *path = s->pages.paths[index];
    css_text *recording = &r->states[index].recording;
    const css_namer namer = {
        {path, hed_css_document_base(document)}, r->states[index].encoding, !sheets->count};
    uint32_t count = hed_css_document_describe(document).style_sheets;
    uint32_t *named = calloc(count + 1ull, sizeof *named);
    if (!named) return HED_OUT_OF_MEMORY(error, "the sheets of %s", path);
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        named[i] = find_sheet(files, &namer, document, i, error);
        css_files_link(files, named[i], hed_css_document_sheet_tree(document, i), error);
    }
    for (uint32_t i = 0; i < sheets->count && !hed_failed(error); i++) {
        bool is_named = false;
        for (uint32_t k = 0; k < count; k++) is_named |= named[k] == r->unused->sheets[i];
        if (!is_named) css_files_link(files, r->unused->sheets[i], HED_CSS_NONE, error);
    }
    free(named);
    find_recorded(files, document, &namer, recording, error);
    free(recording->bytes);
    *recording = (css_text){0};
    return hed_failed(error) ? error->status : HED_OK;
}

static bool count_page(void *user, uint32_t pages)
{
    page_reader *r = user;
    hed_progress_update(&r->progress, pages);
    return !hed_interrupted();
}

/* ---- the search ---- */

/* Creates the search with the given sheets and, for --out, the sheets that the pages name, so that
 * all are known before the pages are matched. */
static hed_status search_open(css_unused *u, const hed_css_unused_def *def, hed_error *error)
{
    const css_page_list *sheets = &u->settings->sheets, *pages = &u->settings->pages;
    hed_css_unused_create(NULL, def, &u->files.search, error);
    u->sheets = calloc(sheets->count + 1ull, sizeof *u->sheets);
    if (!u->sheets) return HED_OUT_OF_MEMORY(error, "the list of sheets");
    for (uint32_t i = 0; i < sheets->count && !hed_failed(error); i++)
        u->sheets[i] = css_files_add_given(&u->files, sheets, i, error);
    bool by_pages = u->out.path && !sheets->count;
    if (by_pages && !hed_failed(error)) find_all_sheets(&u->files, pages, error);
    if (!hed_failed(error) && u->out.path && !hed_interrupted()) css_out_check(u, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Reports the pages that were left out. */
static void report_left_out(const page_reader *r, const css_page_list *pages)
{
    for (uint32_t i = 0; i < pages->count; i++)
        if (r->states[i].is_report)
            fprintf(stderr, "heddle: %s is left out: it is a report of Heddle's, not a page\n",
                pages->paths[i]);
}

/* Reports the patterns that have fitted nothing on stderr, in one line for each origin. */
static void report_keeps(const css_unused *u)
{
    enum { MOST_NAMED = 8 };
    const css_keep_list *keeps = &u->settings->keeps;
    for (uint32_t i = 0, next; i < keeps->count; i = next) {
        const char *origin = keeps->items[i].origin;
        uint32_t count = 0, named = 0;
        for (next = i; next < keeps->count && strcmp(keeps->items[next].origin, origin) == 0;
             next++)
            count += !hed_css_unused_keep_fits(u->files.search, next);
        if (!count) continue;
        fprintf(stderr, "heddle: warning: %s: %u pattern%s nothing in the sheets:", origin, count,
            count == 1 ? " fits" : "s fit");
        for (uint32_t k = i; k < next && named < MOST_NAMED; k++)
            if (!hed_css_unused_keep_fits(u->files.search, k))
                fprintf(stderr, "%s %s", named++ ? "," : "", keeps->items[k].pattern);
        fprintf(stderr, "%s\n", count > named ? " ..." : "");
    }
}

hed_status css_unused_find(css_unused *u, css_settings *settings, hed_error *error)
{
    const uint32_t count = settings->pages.count;
    u->settings = settings;
    u->out = css_out_of(settings);
    css_page_words_add(settings, error);
    page_reader reader = {.unused = u, .states = calloc(count + 1ull, sizeof *reader.states)};
    hed_css_unused_page *pages = calloc(count + 1ull, sizeof *pages);
    if (!pages || !reader.states) HED_OUT_OF_MEMORY(error, "the list of pages");
    for (uint32_t i = 0; i < count && pages; i++) pages[i].html.name = settings->pages.paths[i];
    hed_css_unused_def def = hed_default_css_unused_def();
    def.pages = pages;
    def.page_count = count;
    def.words = settings->words.texts;
    def.word_count = settings->words.count;
    def.keep = settings->keeps.items;
    def.keep_count = settings->keeps.count;
    def.keyframes = !settings->keeps_keyframes;
    def.fonts = !settings->keeps_fonts;
    def.properties = settings->drops_properties;
    def.open = open_page;
    def.link = link_page;
    def.progress = count_page;
    def.user = &reader;
    if (!hed_failed(error) && search_open(u, &def, error) == HED_OK) {
        reader.progress = hed_progress_begin("css unused", "pages", count, settings->json);
        hed_css_unused_run(u->files.search, error);
        hed_progress_end(&reader.progress);
        report_left_out(&reader, &settings->pages);
    }
    for (uint32_t i = 0; i < count && reader.states; i++) free(reader.states[i].recording.bytes);
    free(reader.states);
    free(pages);
    if (hed_failed(error)) return error->status;
    u->info = hed_css_unused_describe(u->files.search);
    report_keeps(u);
    note_scripts(settings);
    return HED_OK;
}

void css_unused_close(css_unused *u)
{
    hed_css_unused_destroy(u->files.search);
    css_files_close(&u->files);
    free(u->sheets);
}
