/* Prints the rules that win on the elements of a page: matching, the cascade of a property, and one
 * element explained. */
#include <heddle/css.h>
#include <stdio.h>
#include <string.h>

static const char page[] =
    "<!doctype html><body><p>one<p class=note>two<p id=last style='margin: 0'>three";
static const char text[] = "@layer base { p { margin: 1em } }\n"
                           ".note, #last { margin-left: 2em }\n"
                           "p::first-letter { margin: 9px }\n";

static void show(void *user, const hed_css_declaration *d)
{
    (void)user;
    printf("  %s%s%s: %.*s wins %u of %u\n", d->pseudo_element, d->pseudo_element[0] ? " " : "",
        d->property, (int)d->value_length, d->value, d->wins, d->sets);
}

int main(void)
{
    hed_error error = {0};
    hed_css_names *names = NULL;
    hed_css_document *document = NULL;
    hed_css_sheet *sheet = NULL;
    hed_css_matcher *matcher = NULL;
    uint32_t winners[16], last = 0, count = 0;

    hed_css_names_create(NULL, &names, &error); /* after an error, the next calls do nothing */
    hed_css_document_create(names, &(hed_css_document_def){.html = page}, &document, &error);
    hed_css_sheet_create(names,
        &(hed_css_sheet_def){.text = text, .length = strlen(text), .origin = HED_CSS_AUTHOR},
        &sheet, &error);
    hed_css_matcher_create(NULL,
        &(hed_css_matcher_def){
            .documents = &document, .document_count = 1, .sheets = &sheet, .sheet_count = 1},
        &matcher, &error);
    hed_css_match(matcher, &error);
    hed_css_cascade(
        matcher, "margin-left", winners, &error); /* 6 elements: html, head, body, p ... */
    hed_css_select(document, "#last", &last, 1, &count, &error);
    if (hed_failed(&error)) fprintf(stderr, "%s\n", error.text);
    for (uint32_t e = 0; !hed_failed(&error) && e < hed_css_document_describe(document).elements;
         e++) {
        char name[64];
        hed_css_element_text(document, e, name, sizeof name);
        if (winners[e] == HED_CSS_NONE) continue;
        if (winners[e] == HED_CSS_OWN_STYLE) printf("%s: its style attribute\n", name);
        else printf("%s: line %u\n", name, hed_css_rule_at(sheet, winners[e]).line);
    }
    if (!hed_failed(&error)) hed_css_explain(matcher, last, show, NULL, &error);
    hed_css_matcher_destroy(matcher);
    hed_css_sheet_destroy(sheet);
    hed_css_document_destroy(document);
    hed_css_names_destroy(names);
    return hed_failed(&error);
}
