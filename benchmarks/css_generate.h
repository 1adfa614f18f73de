/* A style sheet of the size and the mixture of a large framework's, for tests and benchmarks: the
 * same text for the same seed. */
#ifndef HED_TESTS_CSS_GENERATE_H
#define HED_TESTS_CSS_GENERATE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle/author.h"

typedef struct css_generator {
    char *text;
    size_t length, capacity;
    uint64_t seed, drawn;
} css_generator;

static inline uint32_t css_draw(css_generator *g, uint32_t below)
{
    return hed_sample_word(g->seed, 0, g->drawn++) % below;
}

__attribute__((format(printf, 2, 3))) static inline void css_write(
    css_generator *g, const char *format, ...)
{
    va_list arguments;
    if (g->capacity - g->length < 512) {
        g->capacity = 2 * g->capacity + 65536;
        g->text = realloc(g->text, g->capacity);
        if (!g->text) abort();
    }
    va_start(arguments, format);
    g->length += (size_t)vsnprintf(g->text + g->length, 512, format, arguments);
    va_end(arguments);
}

/* ---- a sheet ---- */

/* One compound selector of a framework: mostly classes of its own; where `begins` always, as pages
 * that do not use the framework match nothing then. */
static inline void css_write_compound(css_generator *g, bool begins)
{
    static const char *const tags[] = {"a", "div", "p", "ul", "li", "table", "td", "th", "h1",
        "span", "input", "button", "label", "img", "code"};
    static const char *const words[] = {"btn", "card", "nav", "sidebar", "form", "table", "col",
        "text", "bg", "border", "dropdown", "modal", "alert", "badge", "list"};
    static const char *const pseudos[] = {":hover", ":focus", ":first-child", ":last-child",
        ":not(.disabled)", ":disabled", ":checked", ":nth-of-type(odd)", "::before",
        ":is(.show, .open)"};
    uint32_t kind = begins ? 14 + css_draw(g, 86) : css_draw(g, 100);
    if (kind < 12) css_write(g, "%s", tags[css_draw(g, HED_COUNT(tags))]);
    else if (kind < 14) css_write(g, "[type=%s]", tags[css_draw(g, HED_COUNT(tags))]);
    else css_write(g, ".%s-%u", words[css_draw(g, HED_COUNT(words))], css_draw(g, 200));
    if (kind > 85) css_write(g, ".%s", words[css_draw(g, HED_COUNT(words))]);
    if (css_draw(g, 8) == 0) css_write(g, "%s", pseudos[css_draw(g, HED_COUNT(pseudos))]);
}

static inline void css_write_rule(css_generator *g)
{
    static const char *const combinators[] = {" ", " ", " ", " > ", " > ", " + ", " ~ "};
    uint32_t selectors = css_draw(g, 5) ? 1 : 1 + css_draw(g, 3);
    for (uint32_t i = 0; i < selectors; i++) {
        uint32_t compounds = css_draw(g, 3) ? 1 : 2 + css_draw(g, 3);
        if (i) css_write(g, ",\n");
        for (uint32_t k = 0; k < compounds; k++) {
            size_t before = g->length;
            if (k) css_write(g, "%s", combinators[css_draw(g, HED_COUNT(combinators))]);
            css_write_compound(g, k == 0);
            g->text[g->length] = 0;
            if (strstr(g->text + before, "::")) break;
        }
    }
    css_write(g, " {\n");
    for (uint32_t i = css_draw(g, 5) + 1; i > 0; i--)
        css_write(g, "  padding-left: calc(var(--bs-gutter-%u) * %u.5)%s;\n", css_draw(g, 9),
            css_draw(g, 9), css_draw(g, 20) ? "" : " !important");
    css_write(g, "}\n");
}

/* Rules about elements by their type and the few classes that a document has: what of a framework
 * matches it. */
static const char *const css_plain_rules[] = {"*, ::before, ::after", "*", ":root", "body", "hr",
    "h1, h2, h3, h4, h5, h6", "h1", "h2", "h3", "h4", "h5", "h6", "p", "p", "abbr[title]",
    "ol, ul, dl", "ol ol, ul ul, ol ul, ul ol", "dt", "dd", "blockquote", "b, strong", "small",
    "mark", "sub, sup", "a", "a", "a:hover", "a:not([href]):not([class])", "pre, code, kbd, samp",
    "pre", "pre code", "code", "code", "a > code", "kbd", "figure", "img, svg", "table", "caption",
    "th", "thead, tbody, tfoot, tr, td, th", "td, th", "table td > p", "thead th:first-child",
    "label", "button", "input", "textarea", "legend", "li:last-child", "li + li", "dl dd > p",
    "div", "span", "[class]", ":not(div)", "*", ":where(:not(html))", "*:not(title)",
    "dd:last-child", "dt:first-child", "ul:only-child", "col:first-child", "colgroup + thead",
    "tr:nth-child(even)", "h2:first-child", "p, code"};

/* A sheet of `rules` style rules, some of them in @media; the caller frees it with free(). `plain`:
 * with those about elements by their type. */
static inline char *css_generate(uint32_t rules, bool plain, uint64_t seed, size_t *length)
{
    css_generator g = {.seed = seed};
    uint32_t begin = plain ? (uint32_t)HED_COUNT(css_plain_rules) : 0;
    for (uint32_t i = 0; i < begin && i < rules; i++)
        css_write(&g, "%s {\n  margin: 0;\n}\n", css_plain_rules[i]);
    for (uint32_t i = begin; i < rules; i++) {
        bool group = i % 300 == 100;
        if (group) css_write(&g, "@media (min-width: %upx) {\n", 500 + css_draw(&g, 1000));
        css_write_rule(&g);
        if (i % 300 == 180) css_write(&g, "}\n");
    }
    if ((rules + 299) % 300 >= 100 && (rules + 299) % 300 < 180) css_write(&g, "}\n");
    *length = g.length;
    return g.text;
}

/* Selectors that ask everything of every element: positions, siblings, ancestors, lists, :has(). */
static inline char *css_generate_stress(uint32_t rules, uint64_t seed, size_t *length)
{
    static const char *const parts[] = {"div", "p", "code", "li", "td", ".paragraph", ".k1", ".k2",
        "*", ":nth-child(2n+1)", ":nth-last-child(-n+3)", ":first-child", ":last-of-type",
        ":nth-child(3n)", ":empty", "a", "span", ".sect", ":not(p, div)", ":not(:first-child)",
        ":is(td, li) > p", ":nth-child(even of code, a)", ":has(> code)", ":has(+ p)", "[class]",
        "[class~=k3]", "tr", "dd", "ul", ":only-child"};
    static const char *const combinators[] = {" ", " ", " > ", " > ", " + ", " ~ "};
    css_generator g = {.seed = seed};
    for (uint32_t i = 0; i < rules; i++) {
        uint32_t compounds = 1 + css_draw(&g, 4);
        for (uint32_t k = 0; k < compounds; k++)
            css_write(&g, "%s%s", k ? combinators[css_draw(&g, HED_COUNT(combinators))] : "",
                parts[css_draw(&g, HED_COUNT(parts))]);
        css_write(&g, " { margin: 0 }\n");
    }
    *length = g.length;
    return g.text;
}

/* ---- a page ---- */

typedef struct css_page {
    css_generator g;
    uint32_t elements, most, ids; /* so far; at most; ids given */
} css_page;

/* An element with a class (NULL: none) and what is in it. */
static inline void css_open(css_page *p, const char *tag, const char *class_name)
{
    p->elements++;
    if (class_name) css_write(&p->g, "<%s class=\"%s\">", tag, class_name);
    else css_write(&p->g, "<%s>", tag);
}

static inline bool css_full(const css_page *p, uint32_t more)
{
    return p->elements + more > p->most;
}

/* Words with links, code and emphasis between them. */
static inline void css_write_words(css_page *p)
{
    static const char *const tags[] = {"code", "a", "em", "strong", "code", "sub", "sup", "code"};
    css_write(&p->g, "The ");
    for (uint32_t i = css_draw(&p->g, 6); i-- > 0 && !css_full(p, 2);) {
        const char *tag = tags[css_draw(&p->g, HED_COUNT(tags))];
        p->elements++;
        if (*tag == 'a') {
            css_write(&p->g, "<a href=\"#item-%u\">", css_draw(&p->g, 20000));
            if (css_draw(&p->g, 2)) {
                p->elements++;
                css_write(&p->g, "<code>item</code>");
            } else css_write(&p->g, "item");
            css_write(&p->g, "</a> of ");
        } else css_write(&p->g, "<%s>%u</%s> and ", tag, css_draw(&p->g, 99), tag);
    }
}

static inline void css_write_paragraph(css_page *p)
{
    css_open(p, "div", "paragraph");
    css_open(p, "p", NULL);
    css_write_words(p);
    css_write(&p->g, "</p></div>\n");
}

/* A table with a head and rows of two or three cells. */
static inline void css_write_table(css_page *p)
{
    uint32_t columns = 2 + css_draw(&p->g, 2), rows = 4 + css_draw(&p->g, 24);
    css_open(p, "table", "tableblock frame-all grid-all stretch");
    css_open(p, "colgroup", NULL);
    for (uint32_t c = 0; c < columns; c++) css_open(p, "col", NULL);
    css_write(&p->g, "</colgroup>");
    css_open(p, "thead", NULL);
    css_open(p, "tr", NULL);
    for (uint32_t c = 0; c < columns; c++) {
        css_open(p, "th", c ? "tableblock halign-left valign-top" : "tableblock halign-left");
        css_write(&p->g, "head</th>");
    }
    css_write(&p->g, "</tr></thead>");
    css_open(p, "tbody", NULL);
    for (uint32_t r = 0; r < rows && !css_full(p, 40); r++) {
        css_open(p, "tr", NULL);
        for (uint32_t c = 0; c < columns; c++) {
            css_open(p, "td", c ? "tableblock halign-left valign-top" : "tableblock halign-left");
            css_open(p, "p", "tableblock");
            css_write_words(p);
            css_write(&p->g, "</p></td>");
        }
        css_write(&p->g, "</tr>\n");
    }
    css_write(&p->g, "</tbody></table>\n");
}

/* A listing in `kinds` colours. */
static inline void css_write_listing(css_page *p, uint32_t kinds)
{
    css_open(p, "div", "listingblock");
    css_open(p, "div", "content");
    css_open(p, "pre", "highlight");
    css_open(p, "code", "language-c");
    for (uint32_t i = 10 + css_draw(&p->g, 60); i-- > 0 && !css_full(p, 8);) {
        char kind[16];
        snprintf(kind, sizeof kind, "k%u", css_draw(&p->g, kinds));
        css_open(p, "span", kind);
        css_write(&p->g, "x</span> ");
    }
    css_write(&p->g, "</code></pre></div></div>\n");
}

/* A list, in which a list is down to `depth` more levels of three elements. */
static inline void css_write_list(css_page *p, uint32_t depth)
{
    css_open(p, "div", "ulist");
    css_open(p, "ul", NULL);
    for (uint32_t i = 2 + css_draw(&p->g, 4); i-- > 0 && !css_full(p, 40);) {
        css_open(p, "li", NULL);
        css_open(p, "p", NULL);
        p->elements += 2;
        css_write(&p->g, "<a href=\"#top\"><code>top</code></a> ");
        css_write_words(p);
        css_write(&p->g, "</p>");
        if (i == 0 && depth) css_write_list(p, depth - 1);
        if (css_draw(&p->g, 40) == 0) css_write_listing(p, 48);
        css_write(&p->g, "</li>\n");
    }
    css_write(&p->g, "</ul></div>\n");
}

static inline void css_write_terms(css_page *p)
{
    css_open(p, "div", "dlist");
    css_open(p, "dl", NULL);
    for (uint32_t i = 2 + css_draw(&p->g, 5); i-- > 0 && !css_full(p, 40);) {
        css_open(p, "dt", "hdlist1");
        css_write(&p->g, "term</dt>");
        css_open(p, "dd", NULL);
        css_open(p, "p", NULL);
        css_write_words(p);
        css_write(&p->g, "</p></dd>\n");
    }
    css_write(&p->g, "</dl></div>\n");
}

/* A manual as asciidoctor writes them, of `elements` elements, the deepest on level `depth` (10 and
 * a multiple of 3), with about 50 + `kinds` shapes; the caller frees it with free(). */
static inline char *css_generate_page(
    uint32_t elements, uint32_t depth, uint32_t kinds, uint64_t seed, size_t *length)
{
    css_page p = {.g = {.seed = seed}, .elements = 3, .most = elements};
    css_write(&p.g, "<!DOCTYPE html><html lang=\"en\"><head><title>Manual</title></head>");
    css_open(&p, "body", "article toc2");
    css_open(&p, "div", NULL); /* level 2 */
    for (uint32_t s = 0; !css_full(&p, 60); s++) {
        css_open(&p, "div", "sect");
        css_write(&p.g, "<h2 id=\"s%u\">", p.ids++);
        css_open(&p, "a", "anchor");
        css_write(&p.g, "</a>Section</h2>");
        p.elements++;
        css_open(&p, "div", "sectionbody"); /* level 4 */
        if (s == 0) css_write_list(&p, (depth - 10) / 3);
        for (uint32_t i = 4 + css_draw(&p.g, 12); i-- > 0 && !css_full(&p, 60);) {
            uint32_t kind = css_draw(&p.g, 100);
            if (kind < 45) css_write_paragraph(&p);
            else if (kind < 60) css_write_table(&p);
            else if (kind < 87) css_write_list(&p, css_draw(&p.g, 8) == 0);
            else if (kind < 93) css_write_terms(&p);
            else css_write_listing(&p, kinds);
        }
        css_write(&p.g, "</div></div>\n");
    }
    while (!css_full(&p, 1)) {
        css_open(&p, "em", NULL);
        css_write(&p.g, "end</em>");
    }
    css_write(&p.g, "</div></body></html>\n");
    *length = p.g.length;
    return p.g.text;
}

/* `count` siblings with two children each, in rows. */
static inline char *css_generate_siblings(uint32_t count, size_t *length)
{
    css_generator g = {0};
    css_write(&g, "<!DOCTYPE html><html><body><ul>");
    for (uint32_t i = 0; i < count; i++)
        css_write(&g, "<li class=\"%s\"><p>a<p class=\"x\">b</li>\n",
            i % 100 == 50 ? "row"
            : i % 10 == 0 ? "row x"
                          : "item");
    css_write(&g, "</ul></body></html>");
    *length = g.length;
    return g.text;
}

/* `depth` elements in each other. HTML readers end at 500 or so: the caller makes a tree of
 * arrays. */

#endif
