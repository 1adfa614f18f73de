/* libFuzzer harness for `heddle css unused`: the page up to the first zero byte, then its sheet,
 * and after a second zero byte a script of --words.
 * The sheet without what is unused matches the page as the sheet did: as many pairs of an element
 * and a selector whose rule declares something. */
#include "cli/common/command.h"
#include "engines/css/model/selector.h"
#include "fuzz.h"
#include "support/file.h"

static char page_path[96], sheet_path[96], words_path[96], out_path[96], report_path[96];

static void remove_files(void)
{
    const char *const paths[] = {page_path, sheet_path, words_path, out_path, report_path};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) unlink(paths[i]);
    fuzz_folder_remove();
}

static void set_paths(void)
{
    const char *folder = fuzz_folder();
    snprintf(page_path, sizeof page_path, "%s/page.html", folder);
    snprintf(sheet_path, sizeof sheet_path, "%s/sheet.css", folder);
    snprintf(words_path, sizeof words_path, "%s/words.js", folder);
    snprintf(out_path, sizeof out_path, "%s/out.css", folder);
    snprintf(report_path, sizeof report_path, "%s/report.html", folder);
    atexit(remove_files);
    must(freopen("/dev/null", "w", stdout) != NULL);
}

enum { NO_SHEET = -1 };

/* Pairs of an element and a selector of a rule with declarations that matches it, states assumed to
 * hold; NO_SHEET: the sheet is refused, as a picture is. A sheet without its first rule may begin
 * as one does. */
static int64_t count_pairs(const char *page, size_t page_size, const char *sheet, size_t sheet_size)
{
    hed_css_names *names;
    hed_css_document *document;
    hed_css_sheet *parsed;
    hed_css_matcher *matcher;
    hed_error error = {0};
    const hed_css_document_def page_def = {.html = page, .html_length = page_size};
    const hed_css_sheet_def sheet_def = {.text = sheet, .length = sheet_size, .split = true};
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    must(hed_css_document_create(names, &page_def, &document, &error) == HED_OK);
    hed_status status = hed_css_sheet_create(names, &sheet_def, &parsed, &error);
    must(!status || status == HED_ERROR_FORMAT);
    if (status) {
        hed_css_document_destroy(document);
        hed_css_names_destroy(names);
        return NO_SHEET;
    }
    const hed_css_matcher_def def = {.documents = &document,
        .document_count = 1,
        .sheets = &parsed,
        .sheet_count = 1,
        .states_possible = true};
    must(hed_css_matcher_create(NULL, &def, &matcher, &error) == HED_OK);
    must(hed_css_match(matcher, &error) == HED_OK);
    const hed_css_result result = hed_css_matcher_results(matcher);
    int64_t pairs = 0;
    for (uint32_t e = 0; e < result.elements; e++)
        for (uint32_t k = result.class_begin[result.element_class[e]];
             k < result.class_begin[result.element_class[e] + 1]; k++)
            pairs += parsed->rules[result.rule[k]].declaration_count > 0;
    hed_css_matcher_destroy(matcher);
    hed_css_sheet_destroy(parsed);
    hed_css_document_destroy(document);
    hed_css_names_destroy(names);
    return pairs;
}

/* Other files than these are not to be read: texts that name one by its path are left out. */
static bool is_alone(const uint8_t *data, size_t size)
{
    static const char *const words[] = {"/", "\\", "import", "IMPORT", "map"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(data, size, words[i], strlen(words[i]))) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t page_size = end ? (size_t)(end - data) : 0, sheet_size = end ? size - page_size - 1 : 0;
    if (!page_size || !sheet_size || !is_alone(data, size)) return 0;
    const uint8_t *texts = memchr(end + 1, 0, sheet_size);
    if (texts) sheet_size = (size_t)(texts - end - 1);
    if (!sheet_size) return 0;
    if (!page_path[0]) set_paths();
    fuzz_write(page_path, data, page_size);
    fuzz_write(sheet_path, end + 1, sheet_size);
    unlink(out_path);
    char *const words[] = {"heddle", "css", "unused", page_path, "--css", sheet_path, "--out",
        out_path, "--report", report_path, "-q", texts ? "--words" : NULL, words_path, NULL};
    if (texts) fuzz_write(words_path, texts + 1, (size_t)(data + size - texts - 1));
    if (cli_run(texts ? 13 : 11, words) != 0) return 0; /* a picture, or text in UTF-16 */
    char *reduced;
    size_t reduced_size;
    hed_error error = {0};
    must(hed_file_read(out_path, 1 << 24, &reduced, &reduced_size, &error) == HED_OK);
    const char *page = (const char *)data, *sheet = (const char *)end + 1;
    const int64_t before = count_pairs(page, page_size, sheet, sheet_size);
    const int64_t after = count_pairs(page, page_size, reduced, reduced_size);
    must(before == after || after == NO_SHEET);
    free(reduced);
    return 0;
}
