/* See site.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/site.h"
#include "support/file.h"

enum { MOST_BYTES = 512 << 20, MOST_PAGES = 100000 };

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

char *site_read(site *s, const char *path, size_t *length, hed_error *error)
{
    char *bytes = NULL;
    s->texts = site_room(s->texts, &s->text_room, s->text_count, sizeof *s->texts, error);
    if (hed_failed(error) || hed_file_read(path, MOST_BYTES, &bytes, length, error)) return NULL;
    return s->texts[s->text_count++] = bytes;
}

void site_close(site *s)
{
    hed_css_matcher_destroy(s->matcher);
    for (uint32_t i = 0; i < s->sheet_count; i++) {
        hed_css_sheet_destroy(s->sheets[i]);
        free(s->files[i]);
    }
    for (uint32_t i = 0; i < s->page_count; i++) hed_css_document_destroy(s->pages[i]);
    for (uint32_t i = 0; i < s->text_count; i++) free(s->texts[i]);
    hed_css_names_destroy(s->names);
    css_page_list_free(&s->page_files);
    for (uint32_t i = 0; i < s->import_count; i++) free(s->imports[i].file);
    free(s->imports);
    free(s->pages);
    free(s->texts);
}

/* Removes "." and each name before "..", as the URL Living Standard specifies: without reading
 * links. */
static void fold_dots(char *path)
{
    char *to = path, *first = path[0] == '/' ? path + 1 : path;
    for (const char *from = path; *from;) {
        size_t length = strcspn(from, "/");
        bool up = length == 2 && strncmp(from, "..", 2) == 0, is_dot = length == 1 && *from == '.';
        char *last = to;
        while (last > first && (last == to || last[-1] != '/')) last--;
        bool removes = up && last < to && strncmp(last, "../", 3) != 0;
        if (removes) to = last;
        length += from[length] == '/';
        if (!removes && !is_dot) {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = 0;
}

bool css_beside(const char *from, const char *path, char *joined, size_t size)
{
    size_t length = strcspn(path, "?#"), scheme = strcspn(path, ":/");
    const char *slash = strrchr(from, '/');
    int folder = path[0] == '/' || !slash ? 0 : (int)(slash + 1 - from);
    if (path[scheme] == ':' || (path[0] == '/' && path[1] == '/') || length == 0) return false;
    size_t whole = (size_t)folder + length + 1;
    char *whole_path = malloc(whole);
    if (!whole_path) return false;
    snprintf(whole_path, whole, "%.*s%.*s", folder, from, (int)length, path);
    fold_dots(whole_path);
    bool fits = strlen(whole_path) < size;
    if (fits) strcpy(joined, whole_path);
    free(whole_path);
    return fits;
}

void css_relative(const char *from, const char *path, char *relative, size_t size)
{
    char folder[PATH_MAX], base[PATH_MAX], target[PATH_MAX];
    const char *slash = strrchr(from, '/');
    snprintf(
        folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - from) : 2, slash ? from : "./");
    if (!realpath(folder, base) || !realpath(path, target)) {
        snprintf(relative, size, "%s", path);
        return;
    }
    size_t common = 0, used = 0;
    for (size_t i = 0; base[i] == target[i] || (!base[i] && target[i] == '/'); i++) {
        if (target[i] == '/') common = i + 1;
        if (!base[i] || !target[i]) break;
    }
    relative[0] = 0;
    if (common <= strlen(base)) {
        used += (size_t)snprintf(relative, size, "../");
        for (const char *c = base + common; *c; c++)
            if (*c == '/' && used < size)
                used += (size_t)snprintf(relative + used, size - used, "../");
    }
    if (used < size) snprintf(relative + used, size - used, "%s", target + common);
}

static const char *site_import(void *user, uint32_t source, const char *url, size_t *length)
{
    site *s = user;
    hed_error error = {0};
    char path[PATH_MAX];
    const char *from = source ? site_file(s, s->sheet_count, source) : s->folder;
    if (!css_beside(from, url, path, sizeof path)) return NULL;
    s->imports =
        site_room(s->imports, &s->import_room, s->import_count, sizeof *s->imports, &error);
    char *file = hed_failed(&error) ? NULL : strdup(path);
    const char *text = file ? site_read(s, path, length, &error) : NULL;
    if (text) {
        s->imports[s->import_count++] = (struct site_import){s->sheet_count, file};
        return text;
    }
    fprintf(stderr, "heddle: warning: @import: %s\n", file ? error.text : "out of memory");
    free(file);
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
    def.medium = s->medium;
    def.import = site_import;
    def.user = s;
    def.split = s->split;
    if (hed_css_sheet_create(s->names, &def, &s->sheets[s->sheet_count], error))
        return error->status;
    s->files[s->sheet_count] = strdup(def.file);
    s->sheet_count++;
    return HED_OK;
}

/* Adds the sheets that page `index` names, except sheets that earlier pages name. */
static hed_status site_add_own(site *s, const char *page, uint32_t index, hed_error *error)
{
    const hed_css_document *d = s->pages[index];
    hed_css_document_info info = hed_css_document_describe(d);
    for (uint32_t i = 0; i < info.style_sheets && !hed_failed(error); i++) {
        const char *href;
        char path[PATH_MAX];
        hed_css_sheet_def def = {.file = page, .quirks = info.quirks};
        def.text = hed_css_document_sheet(d, i, &def.length, &href, &def.media);
        def.line = hed_css_document_sheet_line(d, i);
        if (def.text) {
            site_add_sheet(s, def, error);
            continue;
        }
        bool listed = false;
        if (!css_beside(page, href, path, sizeof path)) {
            fprintf(
                stderr, "heddle: warning: %s: the sheet %s is not on this machine\n", page, href);
            continue;
        }
        for (uint32_t k = 0; k < s->sheet_count; k++) listed = listed || !strcmp(s->files[k], path);
        if (listed) continue;
        hed_error missing = {0};
        def.file = path;
        def.text = site_read(s, path, &def.length, &missing);
        if (!def.text) fprintf(stderr, "heddle: warning: %s: %s\n", page, missing.text);
        else site_add_sheet(s, def, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status site_add_page(site *s, const char *path, hed_error *error)
{
    size_t length;
    if (s->page_count == MOST_PAGES)
        return hed_fail(error, HED_ERROR_LIMIT, "more than %d pages", MOST_PAGES);
    s->pages = site_room(s->pages, &s->page_room, s->page_count, sizeof(void *), error);
    const char *text = site_read(s, path, &length, error);
    if (!text) return error->status;
    const hed_css_document_def def = {.html = text, .html_length = length, .file = path};
    if (hed_css_document_create(s->names, &def, &s->pages[s->page_count], error))
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

hed_status site_open(site *s, const hed_arguments *arguments, const char *pages, const char *sheets,
    bool states_possible, hed_error *error)
{
    const char *path;
    bool quirks = false;
    s->medium = s->has_medium ? site_medium(arguments) : hed_default_css_medium();
    if (s->has_medium) read_containers(s, arguments, error);
    if (hed_failed(error)) return error->status;
    if (css_page_list_open(&s->page_files, arguments, pages, error) ||
        hed_css_names_create(NULL, &s->names, error))
        return error->status;
    char *const *files = s->page_files.paths;
    s->page_file = files[0];
    for (uint32_t i = 0; i < s->page_files.count && !hed_failed(error); i++) {
        if (hed_interrupted()) return hed_fail(error, HED_ERROR_TIMEOUT, "interrupted");
        site_add_page(s, files[i], error);
        if (!hed_failed(error)) quirks = quirks || hed_css_document_describe(s->pages[i]).quirks;
    }
    for (uint32_t i = 0; (path = hed_text_at(arguments, sheets, i)) && !hed_failed(error); i++) {
        hed_css_sheet_def def = {.file = path, .quirks = quirks};
        def.text = site_read(s, path, &def.length, error);
        if (def.text) site_add_sheet(s, def, error);
    }
    if (!hed_given(arguments, sheets))
        for (uint32_t i = 0; i < s->page_count && !hed_failed(error); i++)
            site_add_own(s, files[i], i, error);
    if (hed_failed(error)) return error->status;
    if (!s->sheet_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "no style sheet was given, and %s names none of its own", files[0]);
    const hed_css_matcher_def def = {.documents = s->pages,
        .document_count = s->page_count,
        .sheets = s->sheets,
        .sheet_count = s->sheet_count,
        .states_possible = states_possible};
    hed_css_matcher_create(s->device, &def, &s->matcher, error);
    return hed_css_match(s->matcher, error);
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
    if (text) css_one_line(rule, text, rule->selector_length + 1);
    return text;
}

void css_one_line(const hed_css_rule *rule, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < rule->selector_length && used + 1 < size; i++) {
        char c = rule->selector[i];
        bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
        if (space && used && text[used - 1] == ' ') continue;
        text[used++] = space ? ' ' : c;
    }
    text[used] = 0;
}
