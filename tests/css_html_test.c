/* The HTML parser: limits, positions, damaged input, memory that runs out. Its trees are compared
 * by css_html/html_trees.c. */
#include <stdlib.h>

#include "css_pages.h"
#include "html/html_parser.h"

TestSuite(css_html, .init = open_names, .fini = close_names);

/* `text` repeated `count` times between two other texts; the caller frees it. */
static char *repeated(const char *begin, const char *text, size_t count, const char *end)
{
    size_t length = strlen(text), first = strlen(begin);
    char *html = malloc(first + count * length + strlen(end) + 1);
    memcpy(html, begin, first);
    for (size_t i = 0; i < count; i++) memcpy(html + first + i * length, text, length);
    strcpy(html + first + count * length, end);
    return html;
}

Test(css_html, tags_are_sorted_by_name)
{
    static const char *const tags[] = {"",
#define NAME(identifier, name, flags, start, end) name,
        HTML_TAGS(NAME)
#undef NAME
    };
    for (uint32_t i = 1; i < HTML_TAG_COUNT; i++) {
        EXPECT(strcmp(tags[i - 1], tags[i]) < 0, "%s", tags[i]);
        EXPECT_EQ((uint32_t)html_find_tag(tags[i], strlen(tags[i])), i, "%s", tags[i]);
    }
    EXPECT_EQ((int)html_find_tag("bod", 3), HTML_UNKNOWN);
    EXPECT_EQ((int)html_find_tag("bodyx", 5), HTML_UNKNOWN);
}

/* Depth is cut as in browsers, and no algorithm takes the square of the depth. */
Test(css_html, depth_is_cut, .timeout = 120)
{
    static const char *const tags[] = {"<div>", "<b>", "<b><p>", "<table><td>", "<svg><g>",
        "<template>", "<span id=a>", "<font color=a><div>", "<ul><li>", "<a><div>",
        "<select><option><selectedcontent>", "<select><selectedcontent><option>1"};
    for (size_t i = 0; i < HED_COUNT(tags); i++) {
        char *html = repeated("<!doctype html>", tags[i], 20000, "</div></b></p></x><p>1");
        hed_css_document *d = page(html);
        EXPECT_LE(d->depth, (uint32_t)HTML_MAX_DEPTH, "%s", tags[i]);
        hed_css_document_destroy(d);
        free(html);
    }
    char *html = repeated("<!doctype html><body>", "<div>", 200000, "");
    hed_css_document *d = page(html);
    EXPECT_EQ(d->count, 200003u);
    EXPECT_EQ(d->depth, (uint32_t)HTML_MAX_DEPTH);
    EXPECT_EQ(d->level[200002], d->level[1000], "siblings below the cut");
    hed_css_document_destroy(d);
    free(html);
}

/* Formatting elements that are repeated in each paragraph cannot fill the memory. */
Test(css_html, nodes_are_limited, .timeout = 120)
{
    enum { DIFFERENT = 400 };
    char begin[DIFFERENT * 16] = "<p>";
    for (int i = 0, at = 3; i < DIFFERENT; i++) at += sprintf(begin + at, "<b id=%d>", i);
    char *html = repeated(begin, "<p>x", 20000, "");
    hed_error error = {0};
    hed_css_document *d = NULL;
    FAILS(
        HED_ERROR_LIMIT, hed_css_document_create(names,
                             &(hed_css_document_def){.html = html, .file = "a.html"}, &d, &error));
    EXPECT(strstr(error.text, "a.html: more than"), "%s", error.text);
    free(html);
}

Test(css_html, lines_and_damaged_text)
{
    static const char html[] =
        "\357\273\277<!doctype html>\r\n<p id=a>\r<p id=b\n>\n<style>\n\na{}</style><p id=c\xff>"
        "<i>\xe2\x82</i>";
    hed_css_document *d = page(html);
    uint32_t last = d->count - 2;
    EXPECT(!d->quirks, "a byte order mark is no text");
    EXPECT_EQ(d->line[3], 2u);
    EXPECT_EQ(d->line[4], 3u);
    EXPECT_EQ(d->line[last], 7u);
    EXPECT_EQ(hed_css_document_sheet_line(d, 0), 5u);
    EXPECT_TEXT(hed_css_names_text(names, d->id[last], NULL), "c\357\277\275");
    EXPECT(d->has_text[last + 1] & CSS_TEXT_SOLID);
    hed_css_document_destroy(d);
}

Test(css_html, shadow_roots_are_trees_of_their_own_and_templates_are_not_in_the_tree)
{
    hed_css_document *d =
        page("<!doctype html><body><div id=a><template shadowrootmode=open><p></template></div>"
             "<p><template><b></template><template shadowrootmode=x></template>");
    EXPECT_EQ(d->count, 9u, "html head body div p template template, then #shadow-root p");
    EXPECT(d->flags[3] & CSS_EMPTY);
    CHECK_EQ(d->tree_count, 2u);
    EXPECT_EQ(d->trees[1].host, 3u);
    EXPECT_EQ(d->trees[1].root, 7u);
    EXPECT_EQ(d->parent[7], CSS_NONE);
    EXPECT_EQ(d->parent[8], 7u);
    EXPECT_EQ(d->tree_of[8], 1u);
    EXPECT_EQ(d->shadow_tree[3], 1u);
    EXPECT(!(d->flags[7] & CSS_ROOT), "a shadow root is no :root");
    hed_css_document_destroy(d);
}

Test(css_html, many_attributes_take_no_square, .timeout = 120)
{
    enum { COUNT = 100000 };
    char *html = malloc(COUNT * 9 + 100), *at = html + sprintf(html, "<p ");
    for (int i = 0; i < COUNT; i++) at += sprintf(at, "a%d ", i % (COUNT / 2));
    strcpy(at, ">");
    hed_css_document *d = page(html);
    EXPECT_EQ(d->attribute_count, COUNT / 2u);
    hed_css_document_destroy(d);
    free(html);
}

Test(css_html, every_allocation_may_fail)
{
    static const char html[] =
        "<!doctype html><body class='a b'><p title=&amp; id=x>1&lt;<b><i>2</b>3<table> 4<td>5<svg "
        "viewbox=0><template><td></template><style>a{}</style><p dir=auto>\r\xff";
    hed_error error = {0};
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_css_names *own = NULL;
        hed_css_document *d = NULL;
        error = (hed_error){0};
        hed_css_names_create(&allocator, &own, &error);
        hed_status status =
            hed_css_document_create(own, &(hed_css_document_def){.html = html}, &d, &error);
        hed_css_document_destroy(d);
        hed_css_names_destroy(own);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        if (memory.calls < at) {
            CHECK_EQ(status, HED_OK);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        refused++;
    }
    CHECK_GE(refused, 12);
}

/* Contents of templates are possible elements at every kind of place. */
Test(css_html, contents_of_templates_are_possible)
{
    static const char html[] =
        "<!doctype html><body><ul class=list><li class=item><li class=item></ul>"
        "<template id=t><li class='item new'><b>1</b><template><i></i></template></template>"
        "<div><template shadowrootmode=open><style>u{}</style><u>2</u></template></div>";
    hed_error error = {0};
    hed_css_document *d = NULL;
    hed_css_document_def def = {.html = html, .templates = true};
    OK(hed_css_document_create(names, &def, &d, &error));
    hed_css_document_info info = hed_css_document_describe(d);
    uint32_t own = info.elements - info.possible, list = css_name_find(names, "list", 4);
    EXPECT_EQ(own, 11u, "html head body ul li li template div, #shadow-root style u");
    EXPECT_EQ(info.style_sheets, 1u);
    uint32_t below_list = 0, below_body = 0;
    for (uint32_t e = own; e < d->count; e++) {
        const char *tag = hed_css_names_text(names, d->tag[e], NULL);
        uint32_t p = d->parent[e];
        bool fresh = d->class_end[e] - d->class_begin[e] == 2 && strcmp(tag, "li") == 0;
        if (!fresh) continue;
        bool in_list = d->class_end[p] > d->class_begin[p] && d->classes[d->class_begin[p]] == list;
        below_list += in_list;
        below_body += strcmp(hed_css_names_text(names, d->tag[p], NULL), "body") == 0;
        EXPECT_EQ(d->end[e], e + 3, "li with b and i");
    }
    EXPECT_EQ(below_list, 1u);
    EXPECT_EQ(below_body, 1u);
    hed_css_document_destroy(d);
}

/* Texts are read in blocks of 16 bytes: no position of a text in them changes its tree, and no block
 * reaches beyond the end (a sanitizer or valgrind sees it). */
Test(css_html, blocks_do_not_show)
{
    static const char text[] =
        "<p id=a><fifteen-letters><sixteen-letters1 ABCDEFGHIJKLMNO=1 ABCDEFGHIJKLMNOP='2' "
        "x=\"&amp;3\"><seventeen-letter/></sixteen-letters1><B\001\177B c\001=4>&lt;<p id=\303\251>1 < 2";
    enum { SHIFTS = 33, EXPECTED = 8 };
    static const char *const tags[EXPECTED] = {"html", "head", "body", "p", "fifteen-letters",
        "sixteen-letters1", "seventeen-letter", "b\001\177b"};
    for (int shift = 0; shift < SHIFTS; shift++) {
        char html[SHIFTS + sizeof text];
        memset(html, ' ', sizeof html);
        strcpy(html + shift, text);
        hed_css_document *d = page(html);
        EXPECT_EQ(d->count, EXPECTED + 1u, "shift %d", shift);
        for (uint32_t e = 0; e < EXPECTED; e++)
            EXPECT_TEXT(hed_css_names_text(names, d->tag[e], NULL), tags[e]);
        EXPECT_EQ(d->attribute_count, 6u);
        EXPECT_TEXT(hed_css_names_text(names, d->attributes[1].name, NULL), "abcdefghijklmno");
        EXPECT_TEXT(hed_css_names_text(names, d->attributes[2].name, NULL), "abcdefghijklmnop");
        EXPECT_TEXT(hed_css_names_text(names, d->attributes[3].value, NULL), "&3");
        EXPECT_TEXT(hed_css_names_text(names, d->id[EXPECTED], NULL), "\303\251");
        hed_css_document_destroy(d);
    }
    for (size_t length = 1; length < sizeof text; length++) {
        char *html = malloc(length); /* without a zero at its end */
        memcpy(html, text, length);
        hed_error error = {0};
        hed_css_document *d = NULL;
        OK(hed_css_document_create(
            names, &(hed_css_document_def){.html = html, .html_length = length}, &d, &error));
        hed_css_document_destroy(d);
        free(html);
    }
}

/* Texts are only kept for elements whose direction depends on them. */
Test(css_html, directions_need_texts)
{
    hed_css_document *d = page("<html dir=ltr><p dir=auto>\327\220<p dir=AUTO>a<bdi>\327\220</bdi>");
    EXPECT(d->flags[3] & CSS_RTL);
    EXPECT(!(d->flags[4] & CSS_RTL));
    EXPECT(d->flags[5] & CSS_RTL);
    hed_css_document_destroy(d);
}
