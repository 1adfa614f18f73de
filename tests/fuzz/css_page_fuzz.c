/* libFuzzer harness for pages: whatever the bytes, a document whose arrays hold together, and a
 * matcher that finds in it what selectors mean. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>

#include "css_tree_checks.h"
#include "fuzz_draw.h"

enum { SAME_NAMES = 64 }; /* pages with one table of names */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a new table takes longer than a page of some bytes; pages of a program share one, too */
    static hed_css_names *names;
    static uint32_t runs;
    hed_css_document *document;
    hed_error error = {0};
    if (size == 0) return 0; /* a length of 0 asks for the final zero */
    if (runs++ % SAME_NAMES == 0) {
        hed_css_names_destroy(names);
        must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    }
    hed_css_document_def def = {.html = (const char *)data, .html_length = size};
    if (hed_css_document_create(names, &def, &document, &error) == HED_OK) {
        check_document(document);
        must(document->depth <= 512);
        must(document->count >= 3); /* html, head, and body or frameset */
        if (document->count < 80 && fuzz_draws(data, size, 64)) check_matches(names, document);
        hed_css_document_destroy(document);
    } else must(error.status == HED_ERROR_FORMAT || error.status == HED_ERROR_LIMIT);
    return 0;
}
