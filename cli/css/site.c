/* See site.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/recording.h"
#include "cli/css/sheet_cache.h"
#include "cli/css/site.h"

enum { MOST_PAGES = 100000 };

/* Enlarges an array that `count` elements fill. Returns the old array and an error if memory runs
 * out. */
static void *site_room(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error)
{
    if (count < *room) return array;
    uint32_t capacity = *room ? 2 * *room : 16;
    void *larger = realloc(array, capacity * size);
    if (!larger) {
        HED_OUT_OF_MEMORY(error, "the list of pages and sheets");
        return array;
    }
    *room = capacity;
    return larger;
}

/* Adds a text, which the site owns from now on; returns it. */
static char *site_own(site *s, char *bytes, hed_error *error)
{
    s->texts = site_room(s->texts, &s->text_room, s->text_count, sizeof *s->texts, error);
    if (!hed_failed(error)) return s->texts[s->text_count++] = bytes;
    free(bytes);
    return NULL;
}

/* True if the process keeps all sheets. */
static bool site_keeps_sheets(const site *s)
{
    bool kept = s->names_are_kept;
    for (uint32_t i = 0; i < s->sheet_count; i++) kept = kept && s->is_kept[i];
    return kept;
}

void site_close(site *s)
{
    bool keeps = site_keeps_sheets(s) && !s->states_possible;
    if (s->matcher && keeps) css_keep_matcher(s->matcher, s->device, s->sheets, s->sheet_count);
    else hed_css_matcher_destroy(s->matcher);
    for (uint32_t i = 0; i < s->sheet_count; i++) {
        if (!s->is_kept[i]) hed_css_sheet_destroy(s->sheets[i]);
        free(s->files[i]);
    }
    for (uint32_t i = 0; i < s->page_count; i++) hed_css_document_destroy(s->pages[i]);
    for (uint32_t i = 0; i < s->text_count; i++) free(s->texts[i]);
    if (!s->names_are_kept) hed_css_names_destroy(s->names);
    css_page_list_free(&s->page_files);
    for (uint32_t i = 0; i < s->import_count; i++) free(s->imports[i].file);
    free(s->imports);
    free(s->pages);
    free(s->encodings);
    free(s->texts);
    free(s->trees);
}

/* Reads the sheet at an address; `path` (PATH_MAX) receives its file. Returns NULL and a reason if
 * it is not there. */
static const char *site_read_sheet(site *s, const css_origin *origin, const char *address,
    char *path, size_t *length, hed_error *error)
{
    css_text text;
    const char *reason = NULL;
    snprintf(path, PATH_MAX, "%s", origin->file);
    if (css_address_is_data(address)) css_read_data(address, s->encoding, &text, error);
    else if ((reason = css_address_file(origin, address, path, PATH_MAX)))
        hed_fail(error, HED_ERROR_IO, "the sheet %s is not read: %s", address, reason);
    else css_read_sheet(path, s->encoding, &text, error);
    if (hed_failed(error)) return NULL;
    *length = text.length;
    return site_own(s, text.bytes, error);
}

static const char *site_import(void *user, uint32_t source, const char *url, size_t *length)
{
    site *s = user;
    hed_error error = {0};
    char path[PATH_MAX];
    s->has_imports = true;
    const css_origin origin = source ? (css_origin){site_file(s, s->sheet_count, source), NULL}
                                     : (css_origin){s->folder, s->base};
    const char *text = site_read_sheet(s, &origin, url, path, length, &error);
    if (text)
        s->imports =
            site_room(s->imports, &s->import_room, s->import_count, sizeof *s->imports, &error);
    char *file = text && !hed_failed(&error) ? strdup(path) : NULL;
    if (file) {
        s->imports[s->import_count++] = (struct site_import){s->sheet_count, file};
        return text;
    }
    fprintf(stderr, "heddle: warning: @import: %s\n", hed_failed(&error) ? error.text : "out of memory");
    return NULL;
}

/* Adds a sheet; `def`: its text, length, file, line, media, quirks. */
static hed_status site_add_sheet(site *s, hed_css_sheet_def def, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (s->sheet_count == MOST_SHEETS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: more than %d sheets", def.file, MOST_SHEETS);
    snprintf(s->folder, sizeof s->folder, "%s", def.file);
    def.origin = HED_CSS_AUTHOR;
    if (def.media && !*def.media) def.media = NULL;
    def.medium = &s->medium;
    def.import = site_import;
    def.user = s;
    def.split = s->split;
    hed_css_sheet *sheet = s->names_are_kept ? css_kept_sheet(&def) : NULL;
    bool is_kept = sheet;
    s->has_imports = false;
    if (!is_kept && hed_css_sheet_create(s->names, &def, &sheet, error)) return error->status;
    if (!is_kept && s->names_are_kept && !s->has_imports) is_kept = css_keep_sheet(&def, sheet);
    s->sheets[s->sheet_count] = sheet;
    s->is_kept[s->sheet_count] = is_kept;
    s->files[s->sheet_count] = strdup(def.file);
    s->sheet_count++;
    return HED_OK;
}

/* Puts a sheet into a tree of a page. */
static void site_add_tree(site *s, uint32_t page, uint32_t sheet, uint32_t tree, hed_error *error)
{
    s->trees = site_room(s->trees, &s->tree_room, s->tree_count, sizeof *s->trees, error);
    if (!hed_failed(error)) s->trees[s->tree_count++] = (hed_css_tree_sheet){page, sheet, tree};
}

/* Number of a sheet with this file or, of a style element in a shadow tree, with this text; MOST_SHEETS:
 * absent. Sheets before `first` are not searched, so that the sheets of a tree keep their order. */
static uint32_t site_find_sheet(
    const site *s, const char *file, const hed_css_sheet_def *style, uint32_t first)
{
    for (uint32_t k = first; k < s->sheet_count; k++) {
        bool is_equal = style ? s->styles[k] && strcmp(s->styles[k], style->text) == 0
                              : !s->styles[k] && strcmp(s->files[k], file) == 0;
        if (is_equal) return k;
    }
    return MOST_SHEETS;
}

/* A recording whose sheets are added to a site. */
typedef struct site_recording {
    site *s;
    const char *page;
    uint32_t index; /* number of the page */
    uint32_t sheet; /* the sheet that is being linked */
    hed_error *error;
} site_recording;

static void site_link_recorded(void *user, uint32_t tree)
{
    site_recording *r = user;
    site_add_tree(r->s, r->index, r->sheet, tree, r->error);
}

/* Adds a recorded sheet as its text. */
static void site_add_recorded(void *user, const css_recorded_sheet *sheet)
{
    site_recording *r = user;
    char *copy = hed_failed(r->error) ? NULL : strndup(sheet->text, sheet->length);
    hed_css_sheet_def def = {.file = *sheet->url ? sheet->url : r->page, .length = sheet->length};
    def.text = copy ? site_own(r->s, copy, r->error) : NULL;
    r->sheet = r->s->sheet_count;
    if (def.text) site_add_sheet(r->s, def, r->error);
    if (r->s->sheet_count > r->sheet)
        css_recording_trees(r->s->pages[r->index], sheet, site_link_recorded, r);
    if (!def.text && !hed_failed(r->error)) HED_OUT_OF_MEMORY(r->error, "the sheets of %s", r->page);
}

/* Adds sheet `i` of page `index`, unless an equal one is there from number `first` on; returns its
 * number. MOST_SHEETS: it is not there, or an error. */
static uint32_t site_add_named(
    site *s, const char *page, uint32_t index, uint32_t i, uint32_t first, hed_error *error)
{
    const hed_css_document *d = s->pages[index];
    const css_origin origin = {page, hed_css_document_base(d)};
    const char *href;
    char path[PATH_MAX];
    hed_css_sheet_def def = {.file = page, .quirks = hed_css_document_describe(d).quirks};
    def.text = hed_css_document_sheet(d, i, &def.length, &href, &def.media);
    def.line = hed_css_document_sheet_line(d, i);
    s->base = def.text || css_address_is_data(href) ? origin.base : NULL;
    s->encoding = s->encodings[index];
    uint32_t listed = MOST_SHEETS, count = s->sheet_count, tree = hed_css_document_sheet_tree(d, i);
    if (def.text) {
        if (tree && !*def.media) listed = site_find_sheet(s, NULL, &def, first);
        if (listed != MOST_SHEETS) return listed;
        site_add_sheet(s, def, error);
        if (s->sheet_count > count && tree && !*def.media) s->styles[count] = def.text;
        return s->sheet_count > count ? count : MOST_SHEETS;
    }
    bool is_file =
        !css_address_is_data(href) && !css_address_file(&origin, href, path, sizeof path);
    if (is_file) listed = site_find_sheet(s, path, NULL, tree ? first : 0);
    if (listed != MOST_SHEETS) return listed;
    hed_error missing = {0};
    def.file = path;
    def.text = site_read_sheet(s, &origin, href, path, &def.length, &missing);
    if (!def.text) fprintf(stderr, "heddle: warning: %s: %s\n", page, missing.text);
    else site_add_sheet(s, def, error);
    return s->sheet_count > count ? count : MOST_SHEETS;
}

/* Adds the sheets that page `index` names, except sheets that earlier pages or trees name. */
static hed_status site_add_own(site *s, const char *page, uint32_t index, hed_error *error)
{
    const hed_css_document *d = s->pages[index];
    hed_css_document_info info = hed_css_document_describe(d);
    css_text text = {0};
    site_recording r = {s, page, index, 0, error};
    if (!info.style_sheets && css_page_list_read(&s->page_files, index, &text, error) == HED_OK &&
        text.recorded)
        css_recording_sheets(page, text.bytes, text.length, site_add_recorded, &r, error);
    free(text.bytes);
    for (uint32_t i = 0, tree = 0, first = 0; i < info.style_sheets && !hed_failed(error); i++) {
        if (hed_css_document_sheet_tree(d, i) != tree) first = 0;
        tree = hed_css_document_sheet_tree(d, i);
        uint32_t sheet = site_add_named(s, page, index, i, first, error);
        if (sheet == MOST_SHEETS) continue;
        first = sheet + 1;
        if (info.trees > 1) site_add_tree(s, index, sheet, tree, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status site_add_page(site *s, uint32_t index, hed_error *error)
{
    const char *path = s->page_files.paths[index];
    css_text text;
    if (s->page_count == MOST_PAGES)
        return hed_fail(error, HED_ERROR_LIMIT, "more than %d pages", MOST_PAGES);
    s->pages = site_room(s->pages, &s->page_room, s->page_count, sizeof(void *), error);
    s->encodings =
        site_room(s->encodings, &s->encoding_room, s->page_count, sizeof *s->encodings, error);
    if (hed_failed(error) || css_page_list_read(&s->page_files, index, &text, error))
        return error->status;
    s->encodings[s->page_count] = text.encoding;
    if (s->names_are_kept) css_kept_page(text.length);
    if (text.template)
        fprintf(stderr, "heddle: warning: %s: file is %s, not a page as browsers get it\n", path,
            text.template);
    if (!site_own(s, text.bytes, error) ||
        css_page_document(s->names, path, &text, false, &s->pages[s->page_count], error))
        return error->status;
    s->page_count++;
    return HED_OK;
}

/* Reads the --container options. */
static void read_containers(site *s, const hed_arguments *arguments, hed_error *error)
{
    const char *text;
    for (uint32_t i = 0; (text = hed_text_at(arguments, "container", i)) && !hed_failed(error); i++) {
        const char *equals = strrchr(text, '='), *size = equals ? equals + 1 : text;
        char rest[2];
        if (i == MOST_CONTAINERS) {
            hed_fail(error, HED_ERROR_LIMIT, "--container: more than %d", MOST_CONTAINERS);
            return;
        }
        hed_css_container *container = &s->containers[i];
        snprintf(s->container_names[i], sizeof s->container_names[i], "%.*s",
            equals ? (int)(equals - text) : 0, text);
        container->name = s->container_names[i];
        if (sscanf(size, "%lfx%lf%1s", &container->width, &container->height, rest) != 2 ||
            (equals && equals - text > 63))
            hed_fail(error, HED_ERROR_ARGUMENT,
                "--container %s: expected [NAME=]WIDTHxHEIGHT in pixels, such as card=400x300", text);
        s->medium.container_count = i + 1;
    }
    s->medium.containers = s->containers;
}

/* Medium that the options specify. */
static hed_css_medium site_medium(const hed_arguments *arguments)
{
    hed_css_medium medium = hed_default_css_medium();
    medium.width = hed_number_of(arguments, "width");
    medium.height = hed_number_of(arguments, "height");
    medium.dark = hed_given(arguments, "dark");
    medium.reduced_motion = hed_given(arguments, "reduced-motion");
    if (hed_given(arguments, "print")) medium.type = "print";
    return medium;
}

/* Compiles the sheets, unless the former command of this process has, and matches the pages. */
static hed_status site_match(site *s, hed_error *error)
{
    const hed_css_matcher_def def = {.documents = s->pages,
        .document_count = s->page_count,
        .sheets = s->sheets,
        .sheet_count = s->sheet_count,
        .tree_sheets = s->trees,
        .tree_sheet_count = s->tree_count,
        .states_possible = s->states_possible};
    if (site_keeps_sheets(s) && !s->states_possible && !s->tree_count)
        s->matcher = css_take_kept_matcher(s->device, s->sheets, s->sheet_count);
    if (s->matcher) hed_css_matcher_set_documents(s->matcher, s->pages, s->page_count, error);
    else hed_css_matcher_create(s->device, &def, &s->matcher, error);
    if (hed_failed(error)) {
        hed_css_matcher_destroy(s->matcher);
        s->matcher = NULL;
        return error->status;
    }
    return hed_css_match(s->matcher, error);
}

hed_status site_open(site *s, const hed_arguments *arguments, const char *pages, const char *sheets,
    bool states_possible, hed_error *error)
{
    const char *path;
    bool quirks = false;
    s->states_possible = states_possible;
    s->medium = s->has_medium ? site_medium(arguments) : hed_default_css_medium();
    if (s->has_medium) read_containers(s, arguments, error);
    if (hed_failed(error)) return error->status;
    s->names = css_kept_names(error);
    s->names_are_kept = s->names;
    if (!s->names) hed_css_names_create(NULL, &s->names, error);
    if (hed_failed(error) || css_page_list_open(&s->page_files, arguments, pages, error))
        return error->status;
    char *const *files = s->page_files.paths;
    s->page_file = files[0];
    for (uint32_t i = 0; i < s->page_files.count && !hed_failed(error); i++) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        site_add_page(s, i, error);
        if (!hed_failed(error)) quirks = quirks || hed_css_document_describe(s->pages[i]).quirks;
    }
    for (uint32_t i = 0; (path = hed_text_at(arguments, sheets, i)) && !hed_failed(error); i++) {
        hed_css_sheet_def def = {.file = path, .quirks = quirks};
        css_text text;
        s->base = NULL;
        s->encoding = NULL;
        if (css_read_sheet(path, NULL, &text, error)) break;
        def.length = text.length;
        def.text = site_own(s, text.bytes, error);
        if (def.text) site_add_sheet(s, def, error);
    }
    if (!hed_given(arguments, sheets))
        for (uint32_t i = 0; i < s->page_count && !hed_failed(error); i++)
            site_add_own(s, files[i], i, error);
    if (hed_failed(error)) return error->status;
    if (!s->sheet_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "no style sheet was given, and %s names none of its own", files[0]);
    return site_match(s, error);
}

hed_css_rule site_rule(const site *s, uint32_t rule, uint32_t *sheet)
{
    uint32_t i = 0;
    for (; rule >= hed_css_rule_count(s->sheets[i]); i++) rule -= hed_css_rule_count(s->sheets[i]);
    if (sheet) *sheet = i;
    return hed_css_rule_at(s->sheets[i], rule);
}

uint32_t site_first_rule(const site *s, uint32_t sheet)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < sheet; i++) first += hed_css_rule_count(s->sheets[i]);
    return first;
}

const char *site_file(const site *s, uint32_t sheet, uint32_t source)
{
    for (uint32_t i = 0; i < s->import_count && source; i++)
        if (s->imports[i].sheet == sheet && --source == 0) return s->imports[i].file;
    return s->files[sheet];
}

char *css_selector_line(const hed_css_rule *rule)
{
    char *text = malloc(rule->selector_length + 1);
    if (text) hed_css_selector_text(rule, text, rule->selector_length + 1);
    return text;
}
