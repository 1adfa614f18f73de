/* Documents from one of their sources: arrays, a tree that callbacks describe, HTML. */
#include "document.h"
#include "html/html_document.h"

hed_status hed_css_document_create(hed_css_names *names, const hed_css_document_def *def,
    hed_css_document **document, hed_error *error)
{
    HED_REQUIRE(names, def, document);
    hed_error local = {0};
    if (!error) error = &local;
    *document = NULL;
    if (!def->html && !def->elements && def->element_count)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "css: a document needs HTML or elements: both are NULL");
    const hed_css_tree *tree = &def->tree;
    if (tree->root && (!tree->first_child || !tree->next_sibling || !tree->describe))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "css: a tree needs first_child, next_sibling and describe: one of them is NULL");
    hed_css_document *d = hed_new(&names->allocator, 1, sizeof *d, error);
    if (!d) return error->status;
    d->allocator = names->allocator;
    d->arena = (hed_arena){.allocator = names->allocator, .owner = "a document"};
    d->names = names;
    d->class_name = hed_css_names_add(names, "class", 5);
    d->id_name = hed_css_names_add(names, "id", 2);
    if (d->class_name == CSS_NONE || d->id_name == CSS_NONE)
        hed_fail(error, HED_ERROR_MEMORY, "css: out of memory for a name");
    d->file = hed_arena_text(&d->arena, def->file ? def->file : "page", error);
    if (!hed_failed(error)) {
        if (def->tree.root) css_document_from_tree(d, def, error);
        else if (def->html) css_document_from_html(d, def, error);
        else css_document_from_elements(d, def, error);
    }
    if (!hed_failed(error)) css_document_finish(d, error);
    d->class_fixed = d->class_count;
    d->attribute_fixed = d->attribute_count;
    if (hed_failed(error)) {
        hed_css_document_destroy(d);
        return error->status;
    }
    *document = d;
    return HED_OK;
}
