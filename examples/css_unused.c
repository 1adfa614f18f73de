/* Prints a sheet without the rules that nothing on a page uses, and the reason for each rule. */
#include <heddle/css_unused.h>
#include <stdio.h>
#include <string.h>

static const char page[] = "<!doctype html><p class=note>one";
static const char text[] = ".note { margin: 1em }\n.old { margin: 0 }\n.js-open { top: 0 }\n";

static void show(void *user, const hed_css_unused_entry *entry)
{
    (void)user;
    printf("line %u: %s %s: %s %s\n", entry->line, entry->kind, entry->text,
        hed_css_reason_text(entry->use.reason), entry->use.found);
}

int main(void)
{
    hed_error error = {0};
    hed_css_unused *unused = NULL;
    const hed_css_unused_sheet sheet = {.sheet = {"app.css", text, strlen(text)}};
    const hed_css_unused_page index = {.html = {"index.html", page, strlen(page)}};
    const hed_css_keep keep = {.pattern = "js-*"};
    hed_css_unused_def def = hed_default_css_unused_def();
    def.sheets = &sheet;
    def.pages = &index;
    def.keep = &keep;
    def.sheet_count = def.page_count = def.keep_count = 1;

    hed_css_unused_create(
        NULL, &def, &unused, &error); /* after an error, the next calls do nothing */
    hed_css_unused_run(unused, &error);
    hed_css_unused_entries(unused, 0, show, NULL, &error);
    const char *reduced = hed_css_unused_text(unused, 0, NULL, NULL, &error);
    if (reduced) printf("%s", reduced);
    else fprintf(stderr, "%s\n", error.text);
    hed_css_unused_destroy(unused);
    return hed_failed(&error);
}
