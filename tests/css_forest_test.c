/* Shapes of a forest: elements that no selector can tell apart but by what varies share one. */
#include <stdlib.h>

#include "css_pages.h"
#include "tables/forest.h"

TestSuite(css_forest, .init = open_names, .fini = close_names);

/* A forest of documents as far as a sheet asks; the caller frees the arena and destroys the
 * sheet. */
static css_forest forest_of(hed_arena *arena, const char *text, hed_css_document *const *documents,
    uint32_t count, css_compiled *compiled, hed_css_sheet **sheet)
{
    hed_error error = {0};
    css_forest f;
    *sheet = sheet_of(text);
    OK(css_compile(compiled, arena, sheet, 1, NULL, 0, &error));
    OK(css_forest_make(&f, arena, compiled, documents, count, &error));
    return f;
}

Test(css_forest, what_a_shape_is)
{
    hed_arena arena = {.owner = "a test"};
    hed_css_document *pages[2] = {
        page("<!doctype html><body>"
             "<p id=a class='x y'></p><p id=b class='y x'></p><p class='x y' id=c>t</p>"
             "<p class='x y' lang=de></p><p title=1></p><p title=2></p><p title=12></p>"
             "<a href=#1></a><a href=#2></a><a href=x></a>"),
        page("<!doctype html><body><p title=2>")};
    css_compiled compiled;
    hed_css_sheet *sheet;
    css_forest f = forest_of(&arena, "#c { } [title^='1'] { } [href^='#'] { } :lang(de) { }", pages,
        2, &compiled, &sheet);
    const uint32_t *s = f.kind + 3; /* behind html, head, body */
    EXPECT_EQ(s[0], s[1], "no rule asks for their ids, nor for the order of classes");
    EXPECT_NE(s[0], s[2], "an id that a rule names");
    EXPECT_NE(s[0], s[3], "another language");
    EXPECT_NE(s[4], s[5], "[title^='1'] holds on one of them");
    EXPECT_EQ(s[4], s[6]);
    EXPECT_EQ(s[7], s[8]);
    EXPECT_NE(s[7], s[9]);
    EXPECT_EQ(f.kind[f.first[1] + 3], s[5], "documents share shapes");
    hed_arena_free(&arena);
    hed_css_sheet_destroy(sheet);
    for (int i = 0; i < 2; i++) hed_css_document_destroy(pages[i]);
}

/* Random trees: as many shapes as there are distinct texts of all that a shape holds. */
Test(css_forest, shapes_are_exact)
{
    enum { N = 3000 };
    static const char *const tags[] = {"div", "p", "span"}, *const classes[] = {
                                                                "", "a", "b", "a b"};
    hed_arena arena = {.owner = "a test"};
    hed_error error = {0};
    hed_css_element *elements = calloc(N, sizeof *elements);
    hed_css_attribute *attributes = calloc(2 * N, sizeof *attributes);
    char(*values)[16] = calloc(N, sizeof *values);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t w = hed_sample_word(7, 0, i);
        snprintf(values[i], sizeof values[i], "%u", w % 50);
        attributes[2 * i] = (hed_css_attribute){"class", classes[w % 4], 0};
        attributes[2 * i + 1] = (hed_css_attribute){w >> 20 & 1 ? "title" : "data-x", values[i], 0};
        elements[i] = (hed_css_element){.parent = i ? 0 : HED_CSS_NONE,
            .name = tags[w >> 8 & 1],
            .attributes = attributes + 2 * i,
            .attribute_count = 2,
            .has_text = w >> 30};
    }
    hed_css_document_def def = {.elements = elements, .element_count = N};
    hed_css_document *d;
    hed_css_sheet *sheet;
    css_compiled compiled;
    OK(hed_css_document_create(names, &def, &d, &error));
    css_forest f = forest_of(&arena, "[title$='1'] { } [title] { }", &d, 1, &compiled, &sheet);
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < N; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; k++) {
            const hed_css_attribute *x = &attributes[2 * i], *y = &attributes[2 * k];
            bool title = !strcmp(x[1].name, "title");
            bool same = !strcmp(elements[i].name, elements[k].name) && d->flags[i] == d->flags[k] &&
                        !strcmp(x[0].value, y[0].value) && !strcmp(x[1].name, y[1].name) &&
                        (!title || (x[1].value[strlen(x[1].value) - 1] == '1') ==
                                       (y[1].value[strlen(y[1].value) - 1] == '1'));
            if (same != (f.kind[i] == f.kind[k])) CHECK_EQ(f.kind[i], f.kind[k], "%u %u", i, k);
            seen = same;
        }
        distinct += !seen;
    }
    EXPECT_EQ(f.kinds.count, distinct);
    hed_css_document_destroy(d);
    hed_css_sheet_destroy(sheet);
    hed_arena_free(&arena);
    free(values);
    free(attributes);
    free(elements);
}
