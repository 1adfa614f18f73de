/* libFuzzer harness for configurations in JavaScript: an object, or an error with a message. Each
 * value has its texts, and lists end. */
#include "cli/css/literal.h"
#include "engines/css/unused/ignore.h"
#include "fuzz.h"

enum { MOST_VALUES = 1000000 };

static void visit(
    const css_literals *literals, const css_literal *value, uint32_t depth, uint32_t *visits)
{
    must(value->text && value->flags && depth < 512);
    for (const css_literal *item = css_literal_first(literals, value);
         item && ++*visits < MOST_VALUES; item = css_literal_next(literals, item)) {
        must(value->kind != CSS_LITERAL_OBJECT || item->key);
        visit(literals, item, depth + 1, visits);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    must(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    css_literals literals = {0};
    hed_error error = {0};
    uint32_t visits = 0;
    hed_status status = css_literals_read(&literals, "config", text, size, "folder", "purgecss", &error);
    must(status == HED_OK || error.text[0]);
    if (status == HED_OK) visit(&literals, &literals.items[literals.root], 0, &visits);
    css_literals_free(&literals);
    /* comments of sheets: ranges inside of the text */
    static const hed_allocator standard = {0};
    css_ignores ignores = {.allocator = &standard};
    error = (hed_error){0};
    must(css_ignores_find(&ignores, text, size, &error) == HED_OK);
    for (uint32_t i = 0; i < ignores.count; i++) must(ignores.items[i].end <= size);
    css_ignores_free(&ignores);
    free(text);
    return 0;
}
