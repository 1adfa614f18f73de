/* Configurations of PurgeCSS, read as data. A name of `safelist.standard` counts as present, `deep`
 * also keeps the rest of the selector, `greedy` the whole; names of `blocklist` remove it.
 * Functions, as extractors, are named on stderr and not read. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/config.h"
#include "cli/css/glob.h"
#include "cli/css/literal.h"

typedef struct purgecss {
    css_settings *settings;
    css_literals literals;
    const char *path;
    css_page_list skipped;
    hed_error *error;
} purgecss;

#define FOR_ITEMS(p, item, list) \
    for (const css_literal *item = css_literal_first(&(p)->literals, list); \
         item && !hed_failed((p)->error); item = css_literal_next(&(p)->literals, item))

/* Reports a value that is not read. */
static void pass_over(const purgecss *p, const char *member, const css_literal *value)
{
    static const char *const kinds[] = {"code", "null", "a boolean", "a number", "a string",
        "a regular expression", "an array", "an object"};
    const char *text = value->kind == CSS_LITERAL_CODE ? value->text : "";
    char line[32] = "";
    if (value->line) snprintf(line, sizeof line, ":%u", value->line);
    fprintf(stderr, "heddle: note: %s%s: %s: %s is not read%s%s\n", p->path, line, member,
        kinds[value->kind], *text ? ": " : "", text);
}

static const css_literal *member_of(const purgecss *p, const css_literal *object, const char *key)
{
    return css_literal_member(&p->literals, object, key);
}

/* ---- lists of files ---- */

/* Adds the patterns of a list that begin with "!" to the skipped ones. */
static void purgecss_skipped(purgecss *p, const char *member, const css_literal *list, bool negated)
{
    FOR_ITEMS(p, item, list) {
        bool text = item->kind == CSS_LITERAL_STRING;
        if (text && (!negated || *item->text == '!'))
            css_page_list_add(&p->skipped, item->text + negated, p->error);
        else if (!text && !negated) pass_over(p, member, item);
    }
}

static void read_content(purgecss *p, const css_literal *list)
{
    char label[PATH_MAX];
    FOR_ITEMS(p, item, list) {
        const css_literal *raw = member_of(p, item, "raw");
        if (item->kind == CSS_LITERAL_STRING) {
            if (*item->text != '!')
                css_config_content(p->settings, "", item->text, &p->skipped, p->error);
        } else if (raw && raw->kind == CSS_LITERAL_STRING) {
            const css_literal *ending = member_of(p, item, "extension");
            bool page = ending && ending->kind == CSS_LITERAL_STRING &&
                        (strcmp(ending->text, "html") == 0 || strcmp(ending->text, "htm") == 0);
            snprintf(label, sizeof label, "%s: content", p->path);
            if (page)
                css_page_list_add_text(
                    &p->settings->pages, label, raw->text, strlen(raw->text), p->error);
            else css_word_files_add_text(&p->settings->words, label, raw->text, p->error);
        } else pass_over(p, "content", item);
    }
}

static void read_sheets(purgecss *p, const css_literal *list)
{
    if (p->settings->sheets.count) return; /* the command line is stronger */
    FOR_ITEMS(p, item, list) {
        if (item->kind == CSS_LITERAL_STRING)
            css_glob_find(&p->settings->sheets, "", item->text, &p->skipped, p->error);
        else pass_over(p, "css", item);
    }
}

/* ---- patterns ---- */

/* Adds the names and regular expressions of a list; `kinds`: kinds of names. */
static void read_patterns(purgecss *p, const char *member, const css_literal *list,
    hed_css_keep_role role, const char *kinds)
{
    char origin[PATH_MAX];
    snprintf(origin, sizeof origin, "%s: %s", p->path, member);
    const char *label = css_settings_text(p->settings, origin, p->error);
    if (list && list->kind == CSS_LITERAL_CODE) pass_over(p, member, list);
    FOR_ITEMS(p, item, list) {
        bool pattern = item->kind == CSS_LITERAL_PATTERN;
        if (pattern || item->kind == CSS_LITERAL_STRING)
            css_settings_keep(p->settings,
                (hed_css_keep){item->text, label, role, kinds, pattern ? item->flags : NULL},
                p->error);
        else pass_over(p, member, item);
    }
}

static void read_safelist(purgecss *p, const css_literal *list)
{
    static const char NAMES[] = ".#e[";
    if (!list || list->kind != CSS_LITERAL_OBJECT) {
        read_patterns(p, "safelist", list, HED_CSS_KEEP_NAME, NAMES);
        return;
    }
    read_patterns(p, "safelist.standard", member_of(p, list, "standard"), HED_CSS_KEEP_NAME, NAMES);
    read_patterns(p, "safelist.deep", member_of(p, list, "deep"), HED_CSS_KEEP_REST, NAMES);
    read_patterns(p, "safelist.greedy", member_of(p, list, "greedy"), HED_CSS_KEEP_SELECTOR, NAMES);
    read_patterns(p, "safelist.keyframes", member_of(p, list, "keyframes"), HED_CSS_KEEP_SELECTOR, "k");
    read_patterns(p, "safelist.variables", member_of(p, list, "variables"), HED_CSS_KEEP_SELECTOR, "-");
}

/* ---- the whole ---- */

static bool is_true(const purgecss *p, const css_literal *root, const char *key)
{
    const css_literal *value = member_of(p, root, key);
    return value && value->kind == CSS_LITERAL_BOOLEAN && value->number != 0;
}

/* Names the members that have no effect here. An object without any member of PurgeCSS is another
 * configuration. */
static hed_status name_others(const purgecss *p, const css_literal *root)
{
    static const char *const members[] = {"content", "css", "safelist", "whitelist",
        "whitelistPatterns", "whitelistPatternsChildren", "whitelistPatternsGreedy", "blocklist",
        "dynamicAttributes", "keyframes", "variables", "fontFace", "rejected", "rejectedCss",
        "output", "skippedContentGlobs", "sourceMap", "stdout", "stdin", "$schema"};
    bool has_member = false;
    FOR_ITEMS(p, item, root) {
        bool is_member = false;
        for (size_t i = 0; i < HED_COUNT(members); i++)
            is_member |= strcmp(members[i], item->key) == 0;
        if (!is_member) pass_over(p, item->key, item);
        has_member |= is_member;
    }
    if (has_member || hed_failed(p->error)) return p->error->status;
    return hed_fail(p->error, HED_ERROR_FORMAT,
        "%s: no member of a configuration of PurgeCSS; expected content, css, safelist ...", p->path);
}

/* Sets the output: a sheet that ends in .css, else a folder. */
static void read_output(purgecss *p, const css_literal *value)
{
    char path[PATH_MAX];
    const css_literal *first =
        css_literal_first(&p->literals, value); /* a list, as some configurations have it */
    if (first) value = first;
    if (!value || p->settings->out) return;
    if (value->kind != CSS_LITERAL_STRING) {
        pass_over(p, "output", value);
        return;
    }
    size_t length = strlen(value->text);
    bool file = length > 4 && strcmp(value->text + length - 4, ".css") == 0;
    bool slash = length && value->text[length - 1] == '/';
    snprintf(path, sizeof path, "%s%s", value->text, file || slash ? "" : "/");
    p->settings->out = css_settings_text(p->settings, path, p->error);
}

static void read_root(purgecss *p)
{
    static const char NAMES[] = ".#e[";
    const css_literal *root = &p->literals.items[p->literals.root];
    css_settings *s = p->settings;
    const css_literal *content = member_of(p, root, "content");
    if (content && content->kind == CSS_LITERAL_OBJECT) content = member_of(p, content, "files");
    purgecss_skipped(p, "skippedContentGlobs", member_of(p, root, "skippedContentGlobs"), false);
    purgecss_skipped(p, "content", content, true);
    if (content && content->kind < CSS_LITERAL_ARRAY) pass_over(p, "content", content);
    if (!s->roots.count) read_content(p, content);
    read_sheets(p, member_of(p, root, "css"));
    read_safelist(p, member_of(p, root, "safelist"));
    read_patterns(p, "whitelist", member_of(p, root, "whitelist"), HED_CSS_KEEP_NAME, NAMES);
    read_patterns(p, "whitelistPatterns", member_of(p, root, "whitelistPatterns"), HED_CSS_KEEP_NAME, NAMES);
    read_patterns(p, "whitelistPatternsChildren", member_of(p, root, "whitelistPatternsChildren"),
        HED_CSS_KEEP_REST, NAMES);
    read_patterns(p, "whitelistPatternsGreedy", member_of(p, root, "whitelistPatternsGreedy"),
        HED_CSS_KEEP_SELECTOR, NAMES);
    read_patterns(p, "blocklist", member_of(p, root, "blocklist"), HED_CSS_KEEP_NEVER, NAMES);
    read_patterns(p, "dynamicAttributes", member_of(p, root, "dynamicAttributes"), HED_CSS_KEEP_NAME, "[");
    s->keeps_keyframes = !is_true(p, root, "keyframes");
    s->keeps_fonts = !is_true(p, root, "fontFace");
    s->drops_properties |= is_true(p, root, "variables");
    read_output(p, member_of(p, root, "output"));
    name_others(p, root);
}

hed_status css_purgecss_read(
    css_settings *settings, const char *path, const char *text, size_t length, hed_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    purgecss p = {.settings = settings, .path = path, .error = error};
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (css_literals_read(&p.literals, path, text, length, folder, "purgecss", error) == HED_OK)
        read_root(&p);
    css_literals_free(&p.literals);
    css_page_list_free(&p.skipped);
    return hed_failed(error) ? error->status : HED_OK;
}
