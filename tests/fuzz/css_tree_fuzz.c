/* libFuzzer harness for trees in arrays: what is no tree in document order is refused, and of all
 * else a matcher finds what selectors mean. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>

#include "css_tree_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 48, ATTRIBUTES = 3 };

/* The next byte; 0 behind the end. */
static uint8_t take(const uint8_t **data, size_t *size)
{
    if (!*size) return 0;
    --*size;
    return *(*data)++;
}

static hed_css_attribute attribute_of(const uint8_t **data, size_t *size)
{
    static const char *const names[] = {"id", "class", "href", "lang", "xml:lang", "dir", "type",
        "value", "disabled", "checked", "selected", "name", "form", "min", "required", "a", "open",
        "multiple", "xlink:href", ""};
    static const char *const values[] = {"a", "b", "a b", " b  a a", "", "de-AT", "rtl", "auto",
        "radio", "checkbox", "number", "5", "x\xff", "B", NULL};
    hed_css_attribute attribute = {.name = names[take(data, size) % HED_COUNT(names)]};
    attribute.value = values[take(data, size) % HED_COUNT(values)];
    if (attribute.value && take(data, size) % 8 == 0 && attribute.value[0])
        attribute.value_length = 1;
    return attribute;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const tags[] = {"html", "p", "a", "b", "form", "input", "select", "option",
        "fieldset", "legend", "details", "table", "svg", "optgroup", "textarea", "P", ""};
    hed_css_element elements[MOST];
    hed_css_attribute attributes[MOST * ATTRIBUTES];
    hed_css_names *names;
    hed_css_document *document = NULL;
    hed_error error = {0};
    uint32_t count = 0, next = 0;
    bool quirks = take(&data, &size) & 1, wrong = false;
    for (; size && count < MOST; count++) {
        uint8_t parent = take(&data, &size), kind = take(&data, &size);
        hed_css_element *x = &elements[count];
        uint32_t up = parent % 8, open = count ? count - 1 : CSS_NONE;
        *x = (hed_css_element){.parent = CSS_NONE, .name = tags[kind % HED_COUNT(tags)]};
        for (; up && open != CSS_NONE; up--) open = elements[open].parent;
        x->parent = parent >= 252 ? (uint32_t)parent - 240 : parent == 251 ? CSS_NONE : open;
        wrong |= !x->name[0] || (x->parent != CSS_NONE && x->parent >= count);
        x->name_space = (hed_css_namespace)(take(&data, &size) % 4);
        x->has_text = take(&data, &size) & 1;
        x->attribute_count = take(&data, &size) % (ATTRIBUTES + 1);
        x->attributes = &attributes[next];
        for (uint32_t i = 0; i < x->attribute_count; i++)
            attributes[next++] = attribute_of(&data, &size);
        if (x->parent != open && x->parent != CSS_NONE) wrong = true; /* perhaps: is not judged */
    }
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    hed_css_document_def def = {.elements = elements, .element_count = count, .quirks = quirks};
    if (hed_css_document_create(names, &def, &document, &error) == HED_OK) {
        check_document(document);
        check_matches(names, document);
        hed_css_document_destroy(document);
    } else must(error.status == HED_ERROR_FORMAT && wrong);
    hed_css_names_destroy(names);
    return 0;
}
