/* Random pages and selectors, small ones that meet often: the same for the same seed. */
#ifndef HED_TESTS_CSS_RANDOM_H
#define HED_TESTS_CSS_RANDOM_H

#include <stdio.h>
#include <string.h>

#include "heddle/author.h"

typedef struct css_random {
    uint64_t seed, drawn;
} css_random;

static inline uint32_t css_random_below(css_random *r, uint32_t below)
{
    return hed_sample_word(r->seed, 0, r->drawn++) % below;
}

static inline void css_random_append(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s", text);
}

/* `depth`: lists around it; `in_has`: one of them is that of :has(), which does not nest. */
static inline void css_random_selector(css_random *r, char *to, size_t size, int depth, bool in_has)
{
    static const char *const simple[] = {"p", "div", "span", ".a", ".b", ".c", "#i1", "#i2",
        "[title]", "[title=x]", "[title^=x]", ":first-child", ":last-child", ":nth-child(2n+1)",
        ":nth-last-of-type(2)", ":empty", ":only-child", "*", ":nth-child(-n+3)", ":link", ":root",
        "[class~=b]", ":first-of-type", ":lang(en)", ":dir(ltr)", ":not(.a)"};
    static const char *const combinators[] = {" ", " > ", " + ", " ~ "};
    uint32_t compounds = 1 + css_random_below(r, 3);
    for (uint32_t c = 0; c < compounds; c++) {
        if (c) css_random_append(to, size, combinators[css_random_below(r, 4)]);
        css_random_append(to, size, simple[css_random_below(r, HED_COUNT(simple))]);
        for (uint32_t s = css_random_below(r, 2); s--;) {
            const char *more = simple[3 + css_random_below(r, HED_COUNT(simple) - 3)];
            css_random_append(to, size, *more == '*' ? ".b" : more);
        }
        if (depth < 3 && css_random_below(r, depth ? 4 : 3) == 0) {
            static const char *const functions[] = {":is(", ":where(", ":not(", ":nth-child(2 of ",
                ":nth-child(2n + 1 of ", ":nth-last-child(-n + 2 of ", ":has(", ":has(> ",
                ":has(+ ", ":has(~ "};
            uint32_t f = css_random_below(r, in_has ? 6 : HED_COUNT(functions));
            css_random_append(to, size, functions[f]);
            for (uint32_t n = 1 + css_random_below(r, 3); n--;) {
                css_random_selector(r, to, size, depth + 1, in_has || f >= 6);
                if (n) css_random_append(to, size, ", ");
            }
            css_random_append(to, size, ")");
        }
    }
}

/* Scopes with random roots and limits, and rules that name the root in some place. */
static inline void css_random_scope(css_random *r, char *to, size_t size, int depth)
{
    static const char *const roots[] = {":scope", "&", ":scope > .a", "> div", ":not(:scope)",
        ":is(:scope, p) .b", "div :scope", ":scope:has(> .a)", "p:nth-child(2n of :scope > *)",
        "+ p", ":where(:scope) .c ~ *"};
    css_random_append(to, size, "@scope (");
    css_random_selector(r, to, size, 1, false);
    css_random_append(to, size, ")");
    if (css_random_below(r, 2)) {
        static const char *const limits[] = {".a", ":scope > .b", "> p > *", "&:not(.a) div", "*"};
        css_random_append(to, size, " to (");
        css_random_append(to, size, limits[css_random_below(r, HED_COUNT(limits))]);
        css_random_append(to, size, ")");
    }
    css_random_append(to, size, " { top: 0;\n");
    for (int i = 0; i < 4; i++) {
        uint32_t kind = css_random_below(r, HED_COUNT(roots) + 5);
        if (kind < HED_COUNT(roots)) css_random_append(to, size, roots[kind]);
        else css_random_selector(r, to, size, 1, false);
        css_random_append(to, size, " { left: 0; & .b {} }\n");
    }
    if (depth < 2 && css_random_below(r, 2)) css_random_scope(r, to, size, depth + 1);
    css_random_append(to, size, "}\n");
}

/* A page of about `count` elements. */
static inline void css_random_page(css_random *r, char *html, size_t size, int count)
{
    static const char *const tags[] = {"p", "div", "span"};
    uint32_t open = 0;
    snprintf(html, size, "<!doctype html><html lang=en><body>");
    for (int i = 0; i < count; i++) {
        char text[128];
        uint32_t tag = open ? 1 + css_random_below(r, 2) : css_random_below(r, 3);
        snprintf(text, sizeof text, "<%s%s%s%s>%s", tags[tag],
            css_random_below(r, 2)   ? " class='a b'"
            : css_random_below(r, 2) ? " class=c"
                                     : "",
            css_random_below(r, 8)   ? ""
            : css_random_below(r, 2) ? " id=i1"
                                     : " id=i2",
            css_random_below(r, 3)   ? ""
            : css_random_below(r, 2) ? " title=x"
                                     : " title=xy",
            css_random_below(r, 3) ? "" : "t");
        css_random_append(html, size, text);
        if (tag == 0 || css_random_below(r, 2)) {
            snprintf(text, sizeof text, "</%s>", tags[tag]);
            css_random_append(html, size, text);
        } else open++;
    }
}

#endif
