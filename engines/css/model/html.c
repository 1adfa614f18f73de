/* Documents from HTML, parsed by libgumbo (a conforming HTML5 parser as of 2015). Walks over
 * gumbo's tree do not recurse, as documents may be ten thousand elements deep. */
#include <gumbo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "foreign.h"
#include "html.h"
#include "inputs.h"

static bool is_element(const GumboNode *node)
{
    return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

/* The node after the subtree of `node` in document order, inside `root`, or NULL. */
static const GumboNode *node_after_subtree(const GumboNode *root, const GumboNode *node)
{
    while (node != root) {
        const GumboNode *parent = node->parent;
        const GumboVector *children = &parent->v.element.children;
        if (node->index_within_parent + 1 < children->length)
            return children->data[node->index_within_parent + 1];
        node = parent;
    }
    return NULL;
}

/* The node after `node` in document order, inside `root`, or NULL. The content of a template does
 * not belong to the document. */
static const GumboNode *node_after(const GumboNode *root, const GumboNode *node)
{
    if (node->type == GUMBO_NODE_ELEMENT && node->v.element.children.length)
        return node->v.element.children.data[0];
    return node_after_subtree(root, node);
}

/* Name of an element as in the document object model: from gumbo's list, or for other names the
 * text of the tag in lower case. */
static uint32_t element_name(hed_css_document *d, const GumboElement *x)
{
    const char *listed = NULL;
    GumboStringPiece piece = x->original_tag;
    gumbo_tag_from_original_text(&piece);
    if (x->tag_namespace == GUMBO_NAMESPACE_SVG) listed = gumbo_normalize_svg_tagname(&piece);
    if ((x->tag != GUMBO_TAG_UNKNOWN && x->tag_namespace == GUMBO_NAMESPACE_HTML) ||
        (!listed && !piece.length))
        listed = gumbo_normalized_tagname(x->tag);
    if (listed) return hed_css_names_add(d->names, listed, strlen(listed));
    char *small = malloc(piece.length); /* a name may have any length */
    if (!small) return CSS_NONE;
    for (size_t i = 0; i < piece.length; i++) {
        char c = piece.data[i];
        small[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    uint32_t name = hed_css_names_add(d->names, small, piece.length);
    free(small);
    return name;
}

static uint32_t attribute_space(const GumboAttribute *a)
{
    return a->attr_namespace == GUMBO_ATTR_NAMESPACE_XLINK   ? 1
           : a->attr_namespace == GUMBO_ATTR_NAMESPACE_XML   ? 2
           : a->attr_namespace == GUMBO_ATTR_NAMESPACE_XMLNS ? 3
                                                             : 0;
}

static bool equals_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text; text++) { /* a list of words; ASCII case is ignored */
        size_t i = 0;
        while (i < length && ((unsigned char)text[i] | 32) == (unsigned char)word[i]) i++;
        if (i == length && (text[i] == 0 || strchr(" \t\n\f\r", text[i]))) return true;
        while (*text && !strchr(" \t\n\f\r", *text)) text++;
        if (!*text) break;
    }
    return false;
}

static const char *value_of(const GumboElement *x, const char *name)
{
    const GumboAttribute *a = gumbo_get_attribute(&x->attributes, name);
    return a ? a->value : NULL;
}

/* Takes the sheet of a style or link element. */
static hed_status take_sheet(hed_css_document *d, const GumboElement *x, hed_error *error)
{
    struct css_own_sheet *s = &d->sheets[d->sheet_count];
    const char *media = value_of(x, "media"), *type = value_of(x, "type");
    if (type && *type && strcmp(type, "text/css")) return HED_OK;
    if (x->tag == GUMBO_TAG_LINK) {
        const char *rel = value_of(x, "rel"), *href = value_of(x, "href");
        if (!rel || !href || !equals_word(rel, "stylesheet") || equals_word(rel, "alternate"))
            return HED_OK;
        s->href = hed_arena_text(&d->arena, href, error);
    } else {
        size_t length = 0;
        for (uint32_t i = 0; i < x->children.length; i++) {
            const GumboNode *child = x->children.data[i];
            if (child->type == GUMBO_NODE_TEXT) length += strlen(child->v.text.text);
        }
        char *text = hed_arena_new(&d->arena, length + 1, 1, error);
        if (!text) return error->status;
        s->text = text;
        s->length = length;
        for (uint32_t i = 0; i < x->children.length; i++) {
            const GumboNode *child = x->children.data[i];
            if (child->type != GUMBO_NODE_TEXT) continue;
            if (!s->line) s->line = child->v.text.start_pos.line;
            size_t part = strlen(child->v.text.text);
            memcpy(text, child->v.text.text, part);
            text += part;
        }
    }
    s->media = hed_arena_text(&d->arena, media ? media : "", error);
    d->sheet_count++;
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status take_element(
    hed_css_document *d, const GumboNode *node, uint32_t e, uint32_t *attribute, hed_error *error)
{
    const GumboElement *x = &node->v.element;
    d->name_space[e] = (uint8_t)x->tag_namespace;
    d->tag[e] = element_name(d, x);
    d->line[e] = x->start_pos.line;
    d->attribute_begin[e] = *attribute;
    for (uint32_t i = 0; i < x->attributes.length; i++) {
        const GumboAttribute *a = x->attributes.data[i];
        css_attribute *to = &d->attributes[(*attribute)++];
        to->name_space = attribute_space(a);
        to->name = hed_css_names_add(d->names, a->name, strlen(a->name));
        to->value = hed_css_names_add(d->names, a->value, strlen(a->value));
        if (to->name == CSS_NONE || to->value == CSS_NONE) d->tag[e] = CSS_NONE;
    }
    d->attribute_end[e] = d->attribute_count = *attribute;
    if (d->tag[e] == CSS_NONE)
        return hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for a name", d->file);
    for (uint32_t i = 0; i < x->children.length && node->type == GUMBO_NODE_ELEMENT; i++) {
        const GumboNode *child = x->children.data[i];
        bool text = child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_WHITESPACE ||
                    child->type == GUMBO_NODE_CDATA;
        if (text && child->v.text.text[0]) d->has_text[e] |= CSS_TEXT;
        if (child->type == GUMBO_NODE_TEXT) d->has_text[e] |= CSS_TEXT_SOLID;
    }
    d->class_begin[e] = d->class_count;
    css_document_classes(d, e, error);
    d->class_count = d->class_end[e];
    return hed_failed(error) ? error->status : HED_OK;
}

/* True if an element has a valid `dir` attribute; `any`: also "auto". */
static bool has_direction(const GumboElement *x, bool any)
{
    const char *dir = value_of(x, "dir");
    return dir && (!strcasecmp(dir, "ltr") || !strcasecmp(dir, "rtl") ||
                      (any && !strcasecmp(dir, "auto")));
}

/* Direction of the text of an element, without descendants that have a direction of their own; 0:
 * no strong letter. */
static int content_direction(const GumboNode *root)
{
    const GumboNode *n = node_after(root, root);
    while (n) {
        if (n->type == GUMBO_NODE_TEXT) {
            int direction = css_first_direction(n->v.text.text);
            if (direction) return direction;
        }
        const GumboElement *x = n->type == GUMBO_NODE_ELEMENT ? &n->v.element : NULL;
        bool skip = x && (x->tag == GUMBO_TAG_SCRIPT || x->tag == GUMBO_TAG_STYLE ||
                             x->tag == GUMBO_TAG_TEXTAREA || x->tag == GUMBO_TAG_BDI ||
                             has_direction(x, true));
        n = skip ? node_after_subtree(root, n) : node_after(root, n);
    }
    return 0;
}

/* Direction of the value of an input, if the value is text; 0: no strong letter. */
static int input_direction(const GumboElement *x)
{
    css_input_type type = css_input_type_of(value_of(x, "type"));
    bool text = type <= CSS_INPUT_EMAIL || type == CSS_INPUT_SUBMIT || type == CSS_INPUT_RESET ||
                type == CSS_INPUT_HIDDEN;
    const char *value = value_of(x, "value");
    return text && value ? css_first_direction(value) : 0;
}

/* Sets CSS_TEXT_RIGHT on elements with `dir=auto`, and on bdi elements, whose text runs from right
 * to left. */
static void find_directions(hed_css_document *d, const GumboNode *const *nodes)
{
    for (uint32_t e = 0; e < d->count; e++) {
        const GumboElement *x = &nodes[e]->v.element;
        const char *dir = value_of(x, "dir");
        bool is_auto = dir && !strcasecmp(dir, "auto");
        if (!is_auto && (x->tag != GUMBO_TAG_BDI || has_direction(x, false))) continue;
        int direction =
            x->tag == GUMBO_TAG_INPUT ? input_direction(x) : content_direction(nodes[e]);
        if (direction == 2) d->has_text[e] |= CSS_TEXT_RIGHT;
    }
}

hed_status css_document_from_html(
    hed_css_document *d, const hed_css_document_def *def, hed_error *error)
{
    GumboOptions options = kGumboDefaultOptions;
    size_t length = def->html_length ? def->html_length : strlen(def->html);
    uint64_t elements = 0, attributes = 0, classes = 0;
    uint32_t sheets = 0, e = 0, attribute = 0;
    options.max_errors = 0;
    if (length > UINT32_MAX / 4)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%s: %zu bytes of HTML: 1 GiB at most", d->file, length);
    if (css_refuse_foreign(def->html, length, d->file, "HTML", error)) return error->status;
    GumboOutput *output = gumbo_parse_with_options(&options, def->html, length);
    if (!output)
        return hed_fail(
            error, HED_ERROR_MEMORY, "%s: out of memory for the tree of the page", d->file);
    d->quirks = output->document->v.document.doc_type_quirks_mode == GUMBO_DOCTYPE_QUIRKS;
    for (const GumboNode *n = output->root; n; n = node_after(output->root, n)) {
        if (!is_element(n)) continue;
        elements++;
        attributes += n->v.element.attributes.length;
        const char *class_value = value_of(&n->v.element, "class");
        if (class_value) classes += css_count_words(class_value, strlen(class_value));
        sheets += n->v.element.tag == GUMBO_TAG_STYLE || n->v.element.tag == GUMBO_TAG_LINK;
    }
    css_document_room(d, (uint32_t)elements, (uint32_t)attributes, (uint32_t)classes, error);
    d->sheets = hed_arena_new(&d->arena, sheets, sizeof *d->sheets, error);
    hed_arena work = {.allocator = d->allocator, .owner = "a document"};
    const GumboNode **nodes = hed_arena_new(&work, elements, sizeof *nodes, error);
    /* gumbo's nodes cannot hold element numbers, so `open` follows the open elements */
    uint32_t open = CSS_NONE;
    for (const GumboNode *n = output->root; n && !hed_failed(error);
         n = node_after(output->root, n)) {
        if (!is_element(n)) continue;
        while (open != CSS_NONE && nodes[open] != n->parent) open = d->parent[open];
        nodes[e] = n;
        d->parent[e] = open;
        open = e;
        take_element(d, n, e, &attribute, error);
        GumboTag tag = n->v.element.tag;
        if (tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_LINK) take_sheet(d, &n->v.element, error);
        e++;
    }
    if (!hed_failed(error)) find_directions(d, nodes);
    hed_arena_free(&work);
    gumbo_destroy_output(&options, output);
    return hed_failed(error) ? error->status : HED_OK;
}
