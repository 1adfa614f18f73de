/* A style sheet of the size and the mixture of a large framework's, for tests and benchmarks: the same
 * text for the same seed. */
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

/* One compound selector: mostly classes; tags, attributes, pseudo-classes as adminlte has them. */
static inline void css_write_compound(css_generator *g)
{
    static const char *const tags[] = {"a", "div", "p", "ul", "li", "table", "td", "th", "h1",
        "span", "input", "button", "label", "img", "code"};
    static const char *const words[] = {"btn", "card", "nav", "sidebar", "form", "table", "col",
        "text", "bg", "border", "dropdown", "modal", "alert", "badge", "list"};
    static const char *const pseudos[] = {":hover", ":focus", ":first-child", ":last-child",
        ":not(.disabled)", ":disabled", ":checked", ":nth-of-type(odd)", "::before",
        ":is(.show, .open)"};
    uint32_t kind = css_draw(g, 100);
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
            css_write_compound(g);
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

/* A sheet of `rules` style rules, some of them in @media; the caller frees it with free(). */
static inline char *css_generate(uint32_t rules, uint64_t seed, size_t *length)
{
    css_generator g = {.seed = seed};
    for (uint32_t i = 0; i < rules; i++) {
        bool group = i % 300 == 100;
        if (group) css_write(&g, "@media (min-width: %upx) {\n", 500 + css_draw(&g, 1000));
        css_write_rule(&g);
        if (i % 300 == 180) css_write(&g, "}\n");
    }
    if ((rules + 299) % 300 >= 100 && (rules + 299) % 300 < 180) css_write(&g, "}\n");
    *length = g.length;
    return g.text;
}

#endif
