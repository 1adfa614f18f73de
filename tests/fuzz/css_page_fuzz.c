/* libFuzzer harness for pages: whatever the bytes, a document whose arrays hold together, and a
 * matcher that finds in it what selectors mean. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>

#include "css_tree_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* True for one input of 16, by its bytes: a match takes three times as long as the page. */
static bool is_drawn(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619u;
    return hash >> 28 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_css_names *names;
    hed_css_document *document;
    hed_error error = {0};
    if (size == 0) return 0; /* a length of 0 asks for the final zero */
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    hed_css_document_def def = {.html = (const char *)data, .html_length = size};
    if (hed_css_document_create(names, &def, &document, &error) == HED_OK) {
        check_document(document);
        must(document->depth <= 512);
        must(document->count >= 3); /* html, head, and body or frameset */
        if (document->count < 80 && is_drawn(data, size)) check_matches(names, document);
        hed_css_document_destroy(document);
    } else must(error.status == HED_ERROR_FORMAT || error.status == HED_ERROR_LIMIT);
    hed_css_names_destroy(names);
    return 0;
}
