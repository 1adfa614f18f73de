/* Rules that nothing on a site uses, by the library's call: sheets and pages in memory, the reason for each
 * rule, reduced texts, source maps. */
#include "testing.h"

#include "heddle/css_unused.h"

static hed_css_unused *search;

static void close_search(void)
{
    hed_css_unused_destroy(search);
    search = NULL;
}

TestSuite(css_unused, .fini = close_search);

static const hed_css_text no_text = {0};
static hed_css_unused_def site;
static hed_css_unused_sheet site_sheets[4];
static hed_css_unused_page site_pages[4];

static hed_css_text text_of(const char *name, const char *text)
{
    return (hed_css_text){name, text, strlen(text)};
}

/* Sets the site to one page and one sheet; NULL: none. */
static void set_site(const char *page, const char *sheet)
{
    close_search();
    site = hed_default_css_unused_def();
    memset(site_sheets, 0, sizeof site_sheets);
    memset(site_pages, 0, sizeof site_pages);
    site_sheets[0].sheet = sheet ? text_of("app.css", sheet) : no_text;
    site_pages[0].html = page ? text_of("index.html", page) : no_text;
    site.sheets = site_sheets;
    site.sheet_count = sheet != NULL;
    site.pages = site_pages;
    site.page_count = page != NULL;
}

static void run_site(void)
{
    hed_error error = {0};
    OK(hed_css_unused_create(NULL, &site, &search, &error));
    OK(hed_css_unused_run(search, &error));
}

static const char *reduced(uint32_t sheet)
{
    hed_error error = {0};
    size_t length;
    const char *text = hed_css_unused_text(search, sheet, NULL, &length, &error);
    CHECK(text != NULL, "%s", error.text);
    CHECK_EQ(strlen(text), length);
    return text;
}

/* Entries of a sheet as lines: kind, line, text, reason, evidence. */
static char lines[4096];

static void add_line(void *user, const hed_css_unused_entry *entry)
{
    size_t used = strlen(lines);
    const char *text = user;
    CHECK(entry->begin < entry->end && entry->end <= strlen(text));
    CHECK(!entry->removed || entry->use.reason == HED_CSS_UNUSED);
    snprintf(lines + used, sizeof lines - used, "%s %u %s: %s", entry->kind, entry->line,
        entry->text, hed_css_reason_text(entry->use.reason));
    used = strlen(lines);
    if (*entry->use.found)
        snprintf(lines + used, sizeof lines - used, ", %s in %s:%u", entry->use.found,
            entry->use.where, entry->use.line);
    strcat(lines, "\n");
}

static const char *entries(uint32_t sheet)
{
    hed_error error = {0};
    lines[0] = 0;
    void *text = (void *)(uintptr_t)hed_css_unused_sheet_at(search, sheet).text;
    OK(hed_css_unused_entries(search, sheet, add_line, text, &error));
    return lines;
}

/* A browser drops a list with a selector of another one; without that selector it would take the
 * list. */
Test(css_unused, a_list_with_a_selector_of_another_browser_stays_whole)
{
    set_site("<!doctype html><p class=a>",
        ".a, .gone::-moz-x { top: 0 }\n.lost, .a:-ms-y, .gone { left: 0 }\n.gone::-moz-x, .lost { top: 1 }\n"
        ".gone::-webkit-x, .a { top: 2 }\n");
    run_site();
    CHECK_TEXT(reduced(0),
        ".a, .gone::-moz-x { top: 0 }\n.lost, .a:-ms-y, .gone { left: 0 }\n.a { top: 2 }\n");
}

Test(css_unused, texts_in_and_out)
{
    const hed_css_text words[] = {text_of("src/App.jsx", "\n<i className=\"w\" />")};
    const hed_css_keep keep[] = {{.pattern = "js-*", .origin = "--keep"}, {.pattern = "/^\\.zz/"}};
    set_site("<!doctype html>\n<p class=a style='animation:spin'>x",
        ".a {}\n.b {}\n.a, .b:hover {}\np:hover {}\n.w {}\n.js-x {}\n@keyframes spin {}\n@keyframes gone {}\n"
        "@media print { .b {} }\n@layer l { .b {} }\n/* purgecss ignore */\n.c {}\n");
    site.words = words;
    site.word_count = 1;
    site.keep = keep;
    site.keep_count = 2;
    run_site();
    EXPECT_TEXT(reduced(0),
        ".a {}\n.a {}\np:hover {}\n.w {}\n.js-x {}\n@keyframes spin {}\n@layer l;\n"
        "/* purgecss ignore */\n.c {}\n");
    EXPECT_TEXT(entries(0), "selector 1 .a: element, p.a in index.html:2\n"
                            "rule 2 .b: unused\n"
                            "selector 3 .a: element, p.a in index.html:2\n"
                            "selector 3 .b:hover: unused\n"
                            "selector 4 p:hover: state, p.a in index.html:2\n"
                            "selector 5 .w: word, w in src/App.jsx:2\n"
                            "selector 6 .js-x: keep, js-* in --keep:0\n"
                            "@keyframes 7 spin: name\n"
                            "@keyframes 8 gone: unused\n"
                            "rule 9 .b: unused\n"
                            "@layer 10 l: unused\n"
                            "rule 10 .b: unused\n"
                            "selector 12 .c: keep, a comment in the sheet in :0\n");
    hed_css_unused_info info = hed_css_unused_describe(search);
    EXPECT_EQ(info.rules, 9);
    EXPECT_EQ(info.unused_rules, 3);
    EXPECT_EQ(info.unused_selectors, 1);
    EXPECT_EQ(info.reasons[HED_CSS_BY_ELEMENT], 2);
    EXPECT_EQ(info.reasons[HED_CSS_BY_KEEP], 2);
    EXPECT_EQ(info.bytes - info.unused_bytes, strlen(reduced(0)));
    EXPECT(hed_css_unused_keep_fits(search, 0) && !hed_css_unused_keep_fits(search, 1));
    hed_css_page_use page = hed_css_unused_page_at(search, 0);
    EXPECT_TEXT(page.name, "index.html");
    EXPECT_EQ(page.rules, 3);
}

Test(css_unused, pages_have_the_sheets_that_they_are_given)
{
    static const uint32_t second = 1;
    set_site("<p class=a>", ".a {} .b {} @keyframes own {} @font-face { font-family: F }");
    site_sheets[1].sheet = text_of("two.css", ".a {} .b {}");
    site_pages[1].html = text_of("two.html", "<p class=b><style>p { animation: own }</style>");
    site_pages[1].sheets = &second;
    site_pages[1].sheet_count = 1;
    site.sheet_count = site.page_count = 2;
    run_site();
    EXPECT_TEXT(reduced(0), ".a {} @keyframes own {}"); /* a <style> element names the keyframes */
    EXPECT_TEXT(reduced(1), ".a {} .b {}");
    EXPECT_EQ(hed_css_unused_describe(search).sheets, 3);
    EXPECT(!hed_css_unused_sheet_at(search, 2).judged);
    set_site("<p>", "p { --x: 1; --y: 2; top: var(--y) } @keyframes k {}");
    site.properties = true;
    site.keyframes = false;
    run_site();
    EXPECT_TEXT(reduced(0), "p { --y: 2; top: var(--y) } @keyframes k {}");
}

Test(css_unused, source_maps)
{
    hed_error error = {0};
    size_t length;
    static const char old[] = "{\"version\":3,\"sources\":[\"a.scss\"],\"names\":[],\"mappings\":\"AAAA;AACA;AACA\"}";
    set_site("<p>", "p {}\n.gone {}\np + p, p {}\n/*# sourceMappingURL=a.css.map */");
    run_site();
    hed_css_sheet_use sheet = hed_css_unused_sheet_at(search, 0);
    CHECK_EQ(sheet.map_url_length, 9);
    EXPECT_BYTES(sheet.map_url, "a.css.map", 9);
    hed_css_map_def def = {.map = old, .map_length = strlen(old), .file = "b.css", .root = "../"};
    const char *map = hed_css_unused_map(search, 0, &def, &length, &error);
    CHECK(map != NULL, "%s", error.text);
    EXPECT_TEXT(map, "{\"version\":3,\"sources\":[\"a.scss\"],\"names\":[],\"mappings\":\"AAAA;AAEA\",\"file\":\"b.css\",\"sourceRoot\":\"../\"}");
    EXPECT_TEXT(hed_css_unused_text(search, 0, "b.css.map", &length, &error),
        "p {}\np {}\n/*# sourceMappingURL=b.css.map */");
    EXPECT_TEXT(hed_css_unused_map(search, 0, &(hed_css_map_def){0}, &length, &error),
        "{\"version\":3,\"sources\":[\"app.css\"],\"names\":[],\"mappings\":\"AAAA;AAEO;AACP\"}");
    def.map = "[]";
    def.map_length = 2;
    EXPECT(!hed_css_unused_map(search, 0, &def, &length, &error));
    EXPECT_EQ(error.status, HED_ERROR_FORMAT);
}

Test(css_unused, refusals)
{
    hed_error error = {0};
    static const struct {
        const char *page, *sheet;
        hed_status status;
    } cases[] = {{"", "p {}", HED_ERROR_FORMAT}, {"import React from 'react'; <p className=a>", "p {}", HED_ERROR_FORMAT},
        {"\1\2\3", "p {}", HED_ERROR_FORMAT}, {NULL, "p {}", HED_ERROR_ARGUMENT}, {"<p>", NULL, HED_ERROR_ARGUMENT}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        set_site(cases[i].page, cases[i].sheet);
        OK(hed_css_unused_create(NULL, &site, &search, &error));
        FAILS(cases[i].status, hed_css_unused_run(search, &error));
        error = (hed_error){0};
    }
    set_site("<p>", "p\1 {}");
    FAILS(HED_ERROR_FORMAT, hed_css_unused_create(NULL, &site, &search, &error));
    set_site("<p>", "p {}");
    site.keep = &(hed_css_keep){.pattern = "/(/"};
    site.keep_count = 1;
    error = (hed_error){0};
    FAILS(HED_ERROR_FORMAT, hed_css_unused_create(NULL, &site, &search, &error));
    site.keep = &(hed_css_keep){.pattern = "<x"};
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_unused_create(NULL, &site, &search, &error));
    site.keep_count = 0;
    error = (hed_error){0};
    run_site();
    FAILS(HED_ERROR_ARGUMENT, hed_css_unused_run(search, &error));
    error = (hed_error){0};
    FAILS(HED_ERROR_ARGUMENT, hed_css_unused_link(search, 0, &error));
    EXPECT(!hed_css_unused_text(search, 7, NULL, NULL, NULL));
    EXPECT_EQ(hed_css_unused_selector(search, 0, 99).pages, 0);
}

/* A program that opens and links its pages itself. */
static hed_status open_page(
    void *user, uint32_t page, hed_css_names *names, hed_css_document **document, hed_error *error)
{
    static const char html[] = "<p class=a>";
    ++*(int *)user;
    if (page == 1) return HED_OK; /* left out */
    return hed_css_document_create(
        names, &(hed_css_document_def){.html = html, .html_length = strlen(html)}, document, error);
}

static hed_status link_page(void *user, hed_css_unused *unused, uint32_t page,
    const hed_css_document *document, hed_error *error)
{
    const hed_css_unused_sheet sheet = {.sheet = text_of("late.css", ".a {} .b {}")};
    uint32_t number = 0;
    (void)user;
    CHECK(page != 1 && hed_css_document_describe(document).elements > 1);
    if (page == 0 && hed_css_unused_add_sheet(unused, &sheet, &number, error)) return error->status;
    return hed_css_unused_link(unused, number, error);
}

static bool stop_after_two(void *user, uint32_t pages)
{
    (void)user;
    return pages < 3;
}

Test(css_unused, pages_from_a_program)
{
    int opened = 0;
    set_site(NULL, NULL);
    for (int i = 0; i < 4; i++) site_pages[i].html.name = "page";
    site.page_count = 4;
    site.open = open_page;
    site.link = link_page;
    site.progress = stop_after_two;
    site.user = &opened;
    run_site();
    EXPECT_EQ(opened, 3);
    EXPECT_TEXT(reduced(0), ".a {}");
    hed_css_unused_info info = hed_css_unused_describe(search);
    EXPECT_EQ(info.pages, 2);
    EXPECT_EQ(info.page_total, 3);
    EXPECT_EQ(hed_css_unused_sheet_at(search, 0).pages, 2);
}

/* ---- threads ---- */

enum { MANY = 600, PAGE_BYTES = 400 }; /* pages of several batches */

/* Sets the site to MANY pages with classes that few pages share; page `broken` is no page. */
static void set_many(char (*texts)[PAGE_BYTES], hed_css_unused_page *pages, uint32_t broken)
{
    set_site(NULL, ".c0, .c1 .d2 {} .c3 > .d4 {} .c5:hover {} .none {} .c7 ~ p {} .d8:has(.c9) {} .w {}");
    memset(pages, 0, MANY * sizeof *pages);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t used = (size_t)snprintf(texts[i], PAGE_BYTES, i >= broken ? "<%% page %%>" : "<!doctype html>\n<p>");
        for (uint32_t k = 0; k < i % 7; k++)
            used += (size_t)snprintf(texts[i] + used, PAGE_BYTES - used, "<div class=c%u>\n<p class=d%u style='x:var(--y%u)'></p>",
                (i * 31 + k) % 97, (i * 17 + k) % 89, i % 13);
        pages[i].html = text_of("page.html", texts[i]);
    }
    site.pages = pages;
    site.page_count = MANY;
}

/* Writes everything that a search found to a new text. */
static char *describe_search(void)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    CHECK(stream);
    hed_css_unused_info info = hed_css_unused_describe(search);
    fprintf(stream, "%s\n%s%u of %u pages\n", reduced(0), entries(0), info.pages, info.page_total);
    for (uint32_t rule = 0; rule < info.rules; rule++) {
        hed_css_selector_use use = hed_css_unused_selector(search, 0, rule);
        fprintf(stream, "%u: %llu elements, %u pages, first %u:%u %s\n", rule,
            (unsigned long long)use.elements, use.pages, use.element_page, use.element_line,
            use.element ? use.element : "-");
    }
    for (uint32_t i = 0; i < info.pages; i++) {
        hed_css_page_use page = hed_css_unused_page_at(search, i);
        fprintf(stream, "%u: %u elements, %u rules, %u unique\n", i, page.elements, page.rules, page.unique_rules);
    }
    fclose(stream);
    return text;
}

Test(css_unused, threads_find_the_same, .timeout = 120)
{
    static char texts[MANY][PAGE_BYTES];
    static hed_css_unused_page pages[MANY];
    const hed_css_text words[] = {text_of("App.jsx", "<i className=w>")};
    char *alone = NULL;
    for (uint32_t threads = 1; threads < 8; threads += 2) {
        set_many(texts, pages, MANY);
        site.words = words;
        site.word_count = 1;
        site.threads = threads;
        run_site();
        char *found = describe_search();
        if (alone) EXPECT_TEXT(found, alone, "%u threads", threads);
        else alone = found;
        if (found != alone) free(found);
    }
    CHECK(strstr(alone, "600 of 600 pages"));
    free(alone);
}

Test(css_unused, threads_report_the_first_error)
{
    static char texts[MANY][PAGE_BYTES];
    static hed_css_unused_page pages[MANY];
    for (uint32_t threads = 1; threads < 8; threads += 2) {
        hed_error error = {0};
        char name[16];
        set_many(texts, pages, 300);
        snprintf(name, sizeof name, "%u.html", 300);
        pages[300].html.name = name;
        site.threads = threads;
        OK(hed_css_unused_create(NULL, &site, &search, &error));
        FAILS(HED_ERROR_FORMAT, hed_css_unused_run(search, &error));
        EXPECT(strncmp(error.text, "300.html", 8) == 0, "%u threads: %s", threads, error.text);
    }
}

static bool stop_after_fifty(void *user, uint32_t pages)
{
    *(uint32_t *)user = pages;
    return pages < 50;
}

Test(css_unused, threads_stop)
{
    static char texts[MANY][PAGE_BYTES];
    static hed_css_unused_page pages[MANY];
    for (uint32_t threads = 1; threads < 4; threads++) {
        uint32_t reported = 0;
        set_many(texts, pages, MANY);
        site.threads = threads;
        site.progress = stop_after_fifty;
        site.user = &reported;
        run_site();
        hed_css_unused_info info = hed_css_unused_describe(search);
        EXPECT(info.pages >= 50 && info.pages < MANY, "%u threads: %u pages", threads, info.pages);
        EXPECT(reported <= info.pages && reported >= 50);
        EXPECT_GE(hed_css_unused_sheet_at(search, 0).pages, info.pages);
    }
}

Test(css_unused, every_allocation_may_fail, .timeout = 120)
{
    int refused = 0;
    const hed_css_text words[] = {text_of("App.jsx", "<i className=w>")};
    const hed_css_keep keep[] = {{.pattern = "/j/i"}, {.pattern = "[a=b]"}};
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_error error = {0};
        set_site("<!doctype html><p class=a style='animation:spin'>x", ".a, .b {} .w {} .j {} @keyframes spin {} /* purgecss ignore */ .q {}");
        site.words = words;
        site.word_count = 1;
        site.keep = keep;
        site.keep_count = 2;
        hed_status status = hed_css_unused_create(&allocator, &site, &search, &error);
        if (status == HED_OK) status = hed_css_unused_run(search, &error);
        if (status == HED_OK && !hed_css_unused_text(search, 0, NULL, NULL, &error))
            status = error.status;
        if (status == HED_OK && !hed_css_unused_map(search, 0, &(hed_css_map_def){0}, NULL, &error))
            status = error.status;
        bool done = memory.calls < at;
        CHECK_EQ(status, done ? HED_OK : HED_ERROR_MEMORY, "allocation %lld: %s", (long long)at, error.text);
        if (done) EXPECT_TEXT(reduced(0), ".a {} .w {} .j {} @keyframes spin {} /* purgecss ignore */ .q {}");
        close_search();
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        refused += status != HED_OK;
        if (done) break;
    }
    CHECK_GE(refused, 50);
}
