/* libFuzzer harness for the cascade: a sheet, and behind its first zero byte a style attribute.
 * Whatever they say, the winner of a property wins something by the explanation of the element.
 * Build with
 * -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/css.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) abort();
}

/* The rule that wins a property, and whether it was among those that win something. */
struct wanted {
    uint32_t winner;
    bool found;
};

static void check_declaration(void *user, const hed_css_declaration *d)
{
    struct wanted *wanted = user;
    must(d->wins <= d->sets && (d->standing == HED_CSS_TAKES_PART || !d->wins));
    must(d->property && d->value && d->pseudo_element);
    if (d->pseudo_element[0] || !d->wins) return;
    wanted->found |= d->rule == wanted->winner;
}

static void check_element(const hed_css_matcher *m, uint32_t element, uint32_t winner)
{
    struct wanted wanted = {.winner = winner};
    hed_error error = {0};
    must(hed_css_explain(m, element, check_declaration, &wanted, &error) == HED_OK);
    must(winner == HED_CSS_NONE || wanted.found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char html[] =
        "<!doctype html><body><p class=a>1<p id=i class='a b'>2<div><p>3</div>";
    const uint8_t *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - data) : size;
    char *style = calloc(size - length + 1, 1);
    must(style != NULL);
    if (zero) memcpy(style, zero + 1, size - length - 1);
    hed_css_names *names;
    hed_css_document *documents[2];
    hed_css_sheet *sheet;
    hed_css_matcher *m;
    hed_error error = {0};
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    const hed_css_attribute attribute = {"style", style, 0};
    const hed_css_element own = {HED_CSS_NONE, HED_CSS_HTML, "p", &attribute, 1, true};
    const hed_css_document_def defs[2] = {{.html = html}, {.elements = &own, .element_count = 1}};
    for (int i = 0; i < 2; i++)
        must(hed_css_document_create(names, &defs[i], &documents[i], &error) == HED_OK);
    const hed_css_sheet_def def = {
        .text = (const char *)data, .length = length, .origin = HED_CSS_AUTHOR};
    hed_status status = hed_css_sheet_create(names, &def, &sheet, &error);
    must(!status ||
         status == HED_ERROR_FORMAT); /* a picture, an archive or text in UTF-16 is refused */
    if (status) {
        for (int i = 0; i < 2; i++) hed_css_document_destroy(documents[i]);
        hed_css_names_destroy(names);
        free(style);
        return 0;
    }
    const hed_css_matcher_def both = {
        .documents = documents, .document_count = 2, .sheets = &sheet, .sheet_count = 1};
    must(hed_css_matcher_create(NULL, &both, &m, &error) == HED_OK);
    must(hed_css_match(m, &error) == HED_OK);
    uint32_t winners[16];
    hed_css_result result = hed_css_matcher_results(m);
    must(result.elements <= 16);
    must(hed_css_element_winners(m, winners, &error) == HED_OK);
    must(hed_css_cascade(m, "--a", winners, &error) == HED_OK);
    must(hed_css_cascade(m, "color", winners, &error) == HED_OK);
    for (uint32_t e = 0; e < result.elements; e++) {
        must(winners[e] < result.rules || winners[e] >= HED_CSS_OWN_STYLE);
        check_element(m, e, winners[e]);
    }
    for (uint32_t r = 0; r < result.rules; r++) {
        char text[64];
        hed_css_layer_text(sheet, r, text, sizeof text);
        hed_css_condition_text(sheet, r, text, sizeof text);
        must(memchr(text, 0, sizeof text) != NULL);
    }
    uint32_t count;
    hed_css_select(documents[0], style, NULL, 0, &count, NULL);
    hed_css_matcher_destroy(m);
    hed_css_sheet_destroy(sheet);
    for (int i = 0; i < 2; i++) hed_css_document_destroy(documents[i]);
    hed_css_names_destroy(names);
    free(style);
    return 0;
}
