/* Documents from HTML: the parser's tree becomes the arrays of a document. Walks do not recurse. */
#include "html_document.h"
#include "model/foreign.h"
#include "model/html.h"
#include "model/inputs.h"
#include "html_parser.h"
#include "scan.h"

typedef struct builder {
    hed_css_document *d;
    const html_parser *p;
    hed_arena work;
    struct element {
        uint64_t path;         /* hash of the kinds of the element and its ancestors */
        uint32_t node, parent; /* node of the tree; parent: an element */
        uint32_t copied;       /* possible elements: paths that had copies before it */
        uint16_t level;
        uint8_t text; /* CSS_TEXT ... */
    } * elements;     /* (count) */
    uint32_t count, room;
    uint64_t attributes, classes;
    uint32_t sheets;
    uint64_t
        *places; /* (place_room) hashes of the paths that have copies of the contents; 0: free */
    uint32_t place_room, place_count;
    uint32_t *templates; /* (template_count) nodes of all templates, in order */
    uint32_t template_count;
    uint32_t page_count;    /* elements without the possible ones */
    css_shadow_tree *trees; /* (tree_count) shadow trees from 1 on */
    uint32_t tree_count, tree_room;
    uint32_t shadow_name;  /* name of the elements in place of shadow roots */
    uint32_t copies;       /* elements that may still be copied */
    html_node *typed;      /* (TYPED) elements that readers type or paste into an editor */
    uint32_t editable;     /* the name "contenteditable", if the table has it */
    const char *preferred; /* title of the preferred set of sheets; NULL: no title yet */
    hed_error *error;
} builder;

/* Value of an attribute without a namespace; NULL: absent. */
static const char *value_of(const builder *b, uint32_t node, const char *name, size_t *length)
{
    const html_node *n = &b->p->nodes[node];
    const css_attribute *a = b->p->attributes + n->attribute_begin;
    uint32_t number = css_name_find(b->d->names, name, strlen(name));
    for (uint32_t i = 0; i < n->attribute_count; i++)
        if (a[i].name == number && !a[i].name_space)
            return hed_css_names_text(b->d->names, a[i].value, length);
    return NULL;
}

/* Elements of HTML that typing, shortcuts and pasting make in an editor; the first one is also made
 * in an editor of plain text. */
static const char *const typed_tags[] = {"br", "div", "p", "span", "b", "i", "u", "s", "font", "em",
    "strong", "a", "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6",
    "blockquote", "pre", "code", "hr", "img", "table", "thead", "tbody", "tr", "td", "th", "sub",
    "sup"};

/* Node of an element: of the tree, or a typed one, which is numbered after the nodes of the
 * tree. */
static const html_node *node_at(const builder *b, uint32_t node)
{
    return node < b->p->node_count ? &b->p->nodes[node] : &b->typed[node - b->p->node_count];
}

static bool is_template(const html_node *n)
{
    return n->tag == HTML_TEMPLATE && n->name_space == HED_CSS_HTML;
}

/* ---- sheets ---- */

/* True if a list of words has a word in lower case; ASCII case is ignored. */
static bool has_word(const char *list, size_t length, const char *word)
{
    for (const char *at = list, *end = list + length; at < end;) {
        at = html_skip_space(at, end);
        const char *begin = at;
        while (at < end && !html_is_space(*at)) at++;
        if (html_equals(begin, (size_t)(at - begin), word)) return true;
    }
    return false;
}

/* Copies the text among the children of an element. */
static void copy_text(builder *b, uint32_t node, struct css_own_sheet *sheet)
{
    const html_node *nodes = b->p->nodes;
    size_t length = 0;
    for (uint32_t n = nodes[node].first; n; n = nodes[n].next)
        if (nodes[n].kind == HTML_NODE_TEXT) length += nodes[n].text.length;
    char *text = hed_arena_new(&b->d->arena, length + 1, 1, b->error);
    if (!text) return;
    sheet->text = text;
    sheet->length = length;
    for (uint32_t n = nodes[node].first; n; n = nodes[n].next) {
        if (nodes[n].kind != HTML_NODE_TEXT) continue;
        memcpy(text, html_text_of(&b->p->tokenizer, nodes[n].text), nodes[n].text.length);
        text += nodes[n].text.length;
    }
}

/* Line on which the text of a style element begins. */
static uint32_t text_line(const builder *b, uint32_t node)
{
    const html_tokenizer *t = &b->p->tokenizer;
    uint32_t first = b->p->nodes[node].first, line = 1;
    while (first && b->p->nodes[first].kind != HTML_NODE_TEXT) first = b->p->nodes[first].next;
    if (!first || b->p->nodes[first].text.begin & HTML_DECODED) return b->p->nodes[node].line;
    line += html_count_lines(t->text, t->text + b->p->nodes[first].text.begin);
    return line;
}

/* True if the type of an element is that of a sheet; that of a link may have parameters. */
static bool has_sheet_type(const builder *b, uint32_t node)
{
    size_t length = 0;
    const char *type = value_of(b, node, "type", &length);
    const char *end = type && b->p->nodes[node].tag == HTML_LINK ? memchr(type, ';', length) : NULL;
    if (end) length = (size_t)(end - type);
    return !length || html_equals(type, length, "text/css");
}

/* True for a sheet that applies only if a reader or script enables it: a disabled link, or a sheet of
 * the page whose title is not that of its first titled sheet, the preferred set (CSSOM, 6.2). */
static bool is_off(builder *b, uint32_t node, uint32_t tree)
{
    size_t length = 0;
    bool is_link = b->p->nodes[node].tag == HTML_LINK;
    if (is_link && value_of(b, node, "disabled", NULL)) return true;
    const char *title = tree ? NULL : value_of(b, node, "title", &length);
    if (!title || !length) return false;
    if (!b->preferred) b->preferred = title;
    return strcmp(b->preferred, title) != 0;
}

/* Takes the sheet of a style or link element in a tree of the document. */
static void take_sheet(builder *b, uint32_t node, uint32_t tree)
{
    hed_css_document *d = b->d;
    struct css_own_sheet *sheet = &d->sheets[d->sheet_count];
    size_t length = 0;
    const char *media = value_of(b, node, "media", NULL);
    if (!has_sheet_type(b, node)) return;
    if (b->p->nodes[node].tag == HTML_LINK) {
        const char *rel = value_of(b, node, "rel", &length);
        const char *href = value_of(b, node, "href", NULL);
        if (!rel || !href || !has_word(rel, length, "stylesheet") ||
            has_word(rel, length, "alternate"))
            return;
        sheet->href = hed_arena_text(&d->arena, href, b->error);
    } else {
        copy_text(b, node, sheet);
        sheet->line = text_line(b, node);
    }
    if (is_off(b, node, tree)) media = "not all";
    sheet->media = hed_arena_text(&d->arena, media ? media : "", b->error);
    sheet->tree = tree;
    d->sheet_count++;
}

/* ---- direction ---- */

/* True if an element has a valid `dir` attribute; `with_auto`: or "auto". */
static bool has_direction(const builder *b, uint32_t node, bool with_auto)
{
    size_t length;
    const char *dir = value_of(b, node, "dir", &length);
    return dir && (html_equals(dir, length, "ltr") || html_equals(dir, length, "rtl") ||
                      (with_auto && html_equals(dir, length, "auto")));
}

/* Direction of the text of an element, without descendants that have a direction of their own; 0:
 * no strong letter. */
static int content_direction(const builder *b, uint32_t root)
{
    const html_parser *p = b->p;
    for (uint32_t n = p->nodes[root].first; n;) {
        const html_node *x = &p->nodes[n];
        if (x->kind == HTML_NODE_TEXT) {
            int direction =
                css_first_direction(html_text_of(&p->tokenizer, x->text), x->text.length);
            if (direction) return direction;
        }
        bool skip = x->kind == HTML_NODE_ELEMENT &&
                    (x->tag == HTML_SCRIPT || x->tag == HTML_STYLE || x->tag == HTML_TEXTAREA ||
                        x->tag == HTML_BDI || is_template(x) || has_direction(b, n, true));
        n = x->first && !skip ? x->first : html_after_subtree(p, root, n);
    }
    return 0;
}

/* Direction of the value of an input, if the value is text; 0: no strong letter. */
static int input_direction(const builder *b, uint32_t node)
{
    size_t length;
    css_input_type type = css_input_type_of(value_of(b, node, "type", NULL));
    bool text = type <= CSS_INPUT_EMAIL || type == CSS_INPUT_SUBMIT || type == CSS_INPUT_RESET ||
                type == CSS_INPUT_HIDDEN;
    const char *value = value_of(b, node, "value", &length);
    return text && value ? css_first_direction(value, length) : 0;
}

/* Sets CSS_TEXT_RIGHT on an element with `dir=auto`, or a bdi element, whose text runs from right
 * to left. */
static void find_direction(builder *b, uint32_t e)
{
    size_t length;
    uint32_t node = b->elements[e].node;
    const char *dir = value_of(b, node, "dir", &length);
    bool is_auto = dir && html_equals(dir, length, "auto");
    if (!is_auto && has_direction(b, node, false)) return;
    bool input = b->p->nodes[node].tag == HTML_INPUT;
    int direction = input ? input_direction(b, node) : content_direction(b, node);
    if (direction == 2) b->d->has_text[e] |= CSS_TEXT_RIGHT;
}

/* ---- elements ---- */

/* CSS_TEXT and CSS_TEXT_SOLID of a node. */
static uint8_t texts_of(const html_node *n)
{
    unsigned bits = n->flags >> HTML_NODE_TEXTS;
    return (uint8_t)((bits & 1 ? CSS_TEXT : 0) | (bits & 2 ? CSS_TEXT_SOLID : 0));
}

/* Hash of the name, the id, the classes and contenteditable of an element, and of the path of its
 * parent. */
static uint64_t hash_path(const builder *b, const html_node *n, uint64_t parent)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t hash = (parent + n->name + 1) * factor + n->name_space;
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        const css_attribute *a = &b->p->attributes[n->attribute_begin + i];
        if (a->name == b->d->class_name || a->name == b->d->id_name || a->name == b->editable)
            hash = (hash ^ hash >> 29) * factor + a->name * 31ull + a->value;
    }
    return hash | 1;
}

/* Takes an element below element `parent`; elements below level HTML_MAX_DEPTH, which only the
 * adoption agency can make, go to that level. Returns its index. */
static uint32_t take_element(builder *b, uint32_t node, uint32_t parent)
{
    const html_node *n = node_at(b, node);
    if (b->count == b->room && !html_grow(&b->d->allocator, &b->elements, &b->room, b->count + 1ull,
                                   sizeof *b->elements)) {
        hed_fail(b->error, HED_ERROR_MEMORY, "%s: out of memory for the elements", b->d->file);
        return parent;
    }
    struct element *x = &b->elements[b->count];
    if (parent != CSS_NONE && b->elements[parent].level == HTML_MAX_DEPTH)
        parent = b->elements[parent].parent;
    *x = (struct element){
        .node = node, .parent = parent, .text = texts_of(n), .copied = b->place_count};
    if (parent != CSS_NONE) x->level = (uint16_t)(b->elements[parent].level + 1);
    b->attributes += n->attribute_count;
    b->sheets += n->tag == HTML_STYLE || n->tag == HTML_LINK;
    if (b->places) x->path = hash_path(b, n, parent == CSS_NONE ? 0 : b->elements[parent].path);
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        const css_attribute *a = &b->p->attributes[n->attribute_begin + i];
        if (a->name != b->d->class_name) continue;
        size_t length;
        const char *value = hed_css_names_text(b->d->names, a->value, &length);
        b->classes += css_count_words(value, length);
    }
    return b->count++;
}

static void copy_contents(builder *b, uint32_t element);

/* True if an element has an attribute that makes it editable. */
static bool is_editor(const builder *b, uint32_t node, bool *plain)
{
    size_t length;
    const char *value = value_of(b, node, "contenteditable", &length);
    *plain = value && html_equals(value, length, "plaintext-only");
    return value && b->p->nodes[node].name_space == HED_CSS_HTML &&
           (!length || html_equals(value, length, "true") || *plain);
}

/* Adds the elements that a reader can type into an element. */
static void take_typed(builder *b, uint32_t element)
{
    bool plain;
    if (!b->typed || !is_editor(b, b->elements[element].node, &plain)) return;
    uint32_t count = plain ? 1 : (uint32_t)HED_COUNT(typed_tags);
    for (uint32_t i = 0; i < count && !hed_failed(b->error); i++)
        take_element(b, b->p->node_count + i, element);
}

/* Takes the nodes below `root` as descendants of element `open`. Contents of templates are left
 * out; with `contents`, they take the place of their template. With places for copies, each element
 * whose path is new gets copies of the contents of all templates; an element of a known path, with
 * known paths alone inside, loses its descendants again. */
static void take_nodes(builder *b, uint32_t root, uint32_t open, bool contents)
{
    const html_node *nodes = b->p->nodes;
    uint32_t node = nodes[root].first, below_limit = 0;
    while (node && !hed_failed(b->error)) {
        const html_node *n = &nodes[node];
        bool template = is_template(n), element = n->kind == HTML_NODE_ELEMENT;
        if (element && !(n->flags & HTML_NODE_SHADOW) && !(contents && template)) {
            bool at_limit = open != CSS_NONE && b->elements[open].level == HTML_MAX_DEPTH;
            uint32_t index = take_element(b, node, open);
            if (at_limit) below_limit++;
            else open = index;
        } else if (contents && template) b->elements[open].text |= texts_of(n);
        if (n->first && (contents || !template)) {
            node = n->first;
            continue;
        }
        for (;; node = nodes[node].parent) { /* leave nodes without a next one */
            if (node == root) return;
            n = &nodes[node];
            template = is_template(n);
            if (n->kind == HTML_NODE_ELEMENT && !(n->flags & HTML_NODE_SHADOW) &&
                !(contents && template)) {
                if (below_limit) below_limit--;
                else {
                    if (b->places && !contents) copy_contents(b, open);
                    if (b->places && !contents && b->elements[open].copied == b->place_count)
                        b->count = open + 1;
                    if (b->places) take_typed(b, open);
                    open = b->elements[open].parent;
                }
            }
            if (n->next) break;
        }
        node = nodes[node].next;
    }
}

/* Adds copies of the contents of all templates to an element, if no element with its path has
 * them. */
static void copy_contents(builder *b, uint32_t element)
{
    uint64_t path = b->elements[element].path;
    uint32_t at = (uint32_t)(path >> 32) & (b->place_room - 1), before = b->count;
    for (; b->places[at]; at = (at + 1) & (b->place_room - 1))
        if (b->places[at] == path) return;
    b->places[at] = path;
    b->place_count++;
    for (uint32_t i = 0; i < b->template_count && b->copies; i++) {
        take_nodes(b, b->templates[i], element, true);
        uint32_t added = b->count - before;
        b->copies -= added < b->copies ? added : b->copies;
        before = b->count;
    }
}

/* ---- shadow trees ---- */

/* True if an element of the document stands for the shadow root of a node. */
static bool is_shadow_element(const builder *b, uint32_t e)
{
    return node_at(b, b->elements[e].node)->flags & HTML_NODE_SHADOW;
}

/* Takes the shadow tree of an element, and of its original tree if it is a copy. */
static void take_shadow_tree(builder *b, uint32_t host, uint32_t root, uint32_t original)
{
    if (b->tree_count + 1 >= b->tree_room && !html_grow(&b->d->allocator, &b->trees, &b->tree_room,
                                                 b->tree_count + 2ull, sizeof *b->trees)) {
        hed_fail(b->error, HED_ERROR_MEMORY, "%s: out of memory for the shadow trees", b->d->file);
        return;
    }
    if (!b->tree_count)
        b->trees[b->tree_count++] = (css_shadow_tree){.host = CSS_NONE, .root = CSS_NONE};
    uint32_t element = take_element(b, root, CSS_NONE), number = b->tree_count++;
    b->trees[number] =
        (css_shadow_tree){.host = host, .root = element, .original = original ? original : number};
    take_nodes(b, root, element, false);
}

/* Takes the shadow trees of all elements, also inside of shadow trees. */
static void take_shadow_trees(builder *b)
{
    const html_node *nodes = b->p->nodes;
    bool has_roots = false;
    for (uint32_t node = 1; node < b->p->node_count && !has_roots; node++)
        has_roots = nodes[node].kind == HTML_NODE_ELEMENT && nodes[node].flags & HTML_NODE_SHADOW;
    if (has_roots) b->shadow_name = hed_css_names_add(b->d->names, "#shadow-root", 12);
    if (b->shadow_name == CSS_NONE)
        hed_fail(b->error, HED_ERROR_MEMORY, "%s: out of memory for a name", b->d->file);
    for (uint32_t e = 0; has_roots && e < b->count && !hed_failed(b->error); e++)
        for (uint32_t child = nodes[b->elements[e].node].first; child; child = nodes[child].next)
            if (nodes[child].kind == HTML_NODE_ELEMENT && nodes[child].flags & HTML_NODE_SHADOW)
                take_shadow_tree(b, e, child, 0);
}

/* Lists the templates of the tree, which scripts can copy; shadow roots of the page are left
 * out. */
static void find_templates(builder *b)
{
    const html_node *nodes = b->p->nodes;
    uint32_t count = 0;
    bool *is_element = hed_arena_new(&b->work, b->p->node_count, sizeof *is_element, b->error);
    if (!is_element) return;
    for (uint32_t t = 1; t < b->tree_count; t++)
        is_element[b->elements[b->trees[t].root].node] = true;
    for (uint32_t node = 1; node < b->p->node_count; node++)
        count +=
            nodes[node].kind == HTML_NODE_ELEMENT && is_template(&nodes[node]) && !is_element[node];
    b->templates = count ? hed_arena_new(&b->work, count, sizeof *b->templates, b->error) : NULL;
    for (uint32_t node = 1; node < b->p->node_count && b->templates; node++)
        if (nodes[node].kind == HTML_NODE_ELEMENT && is_template(&nodes[node]) &&
            !is_element[node] && nodes[node].parent)
            b->templates[b->template_count++] = node;
}

/* Makes the nodes of typed elements. */
static void make_typed(builder *b)
{
    hed_css_names *names = b->d->names;
    b->typed = hed_arena_new(&b->work, HED_COUNT(typed_tags), sizeof *b->typed, b->error);
    for (size_t i = 0; i < HED_COUNT(typed_tags) && b->typed; i++) {
        b->typed[i] = (html_node){.name_space = HED_CSS_HTML,
            .name = hed_css_names_add(names, typed_tags[i], strlen(typed_tags[i]))};
        if (b->typed[i].name == CSS_NONE)
            hed_fail(b->error, HED_ERROR_MEMORY, "%s: out of memory for a name", b->d->file);
    }
}

/* Takes a second tree, in which each kind of element has copies of the contents of all templates,
 * and each editor the elements that a reader can type. */
static void take_possible(builder *b)
{
    uint32_t page_count = b->page_count, tree_count = b->tree_count;
    bool plain;
    find_templates(b);
    for (uint32_t node = 1; node < b->p->node_count && !b->typed; node++)
        if (b->p->nodes[node].kind == HTML_NODE_ELEMENT && is_editor(b, node, &plain))
            make_typed(b);
    if (!b->templates && !b->typed) return;
    b->place_room = 16;
    while (b->place_room < 2 * page_count) b->place_room *= 2;
    b->places = hed_arena_new(&b->work, b->place_room, sizeof *b->places, b->error);
    b->copies = HTML_MAX_COPIES;
    if (!hed_failed(b->error)) take_nodes(b, 0, CSS_NONE, false);
    for (uint32_t t = 1; t < tree_count && !hed_failed(b->error); t++)
        take_shadow_tree(b, b->trees[t].host, b->elements[b->trees[t].root].node, t);
    b->d->possible = b->count - page_count;
}

/* ---- the document ---- */

/* Fills element `e` of the document. */
static void fill_element(builder *b, uint32_t e)
{
    hed_css_document *d = b->d;
    const struct element *x = &b->elements[e];
    const html_node *n = node_at(b, x->node);
    d->parent[e] = x->parent;
    d->has_text[e] = x->text;
    d->name_space[e] = n->name_space;
    d->tag[e] = n->name;
    d->line[e] = n->line;
    d->attribute_begin[e] = d->attribute_end[e] = d->attribute_count;
    d->class_begin[e] = d->class_end[e] = d->class_count;
    if (is_shadow_element(b, e)) {
        d->name_space[e] = CSS_SHADOW_ROOT;
        d->tag[e] = b->shadow_name;
        d->id[e] = CSS_NONE;
        return;
    }
    if (n->attribute_count)
        memcpy(d->attributes + d->attribute_count, b->p->attributes + n->attribute_begin,
            n->attribute_count * sizeof *d->attributes);
    d->attribute_end[e] = d->attribute_count += n->attribute_count;
    css_document_classes(d, e, b->error);
    d->class_count = d->class_end[e];
}

static bool has_sheet(const html_node *n)
{
    return n->kind == HTML_NODE_ELEMENT && (n->tag == HTML_STYLE || n->tag == HTML_LINK);
}

/* Takes the sheets of the page; if it has possible elements, the sheets in templates too. */
static void take_sheets(builder *b)
{
    hed_css_document *d = b->d;
    const html_node *nodes = b->p->nodes;
    uint32_t tree = 0;
    bool *is_element = hed_arena_new(&b->work, b->p->node_count, sizeof *is_element, b->error);
    if (d->possible)
        for (uint32_t node = 1; node < b->p->node_count; node++)
            b->sheets += has_sheet(&nodes[node]);
    d->sheets = hed_arena_new(&d->arena, b->sheets, sizeof *d->sheets, b->error);
    for (uint32_t e = 0; e < b->page_count && !hed_failed(b->error); e++) {
        uint32_t node = b->elements[e].node;
        tree += is_shadow_element(b, e);
        is_element[node] = true;
        if (has_sheet(&nodes[node])) take_sheet(b, node, tree);
    }
    for (uint32_t node = 1; node < b->p->node_count && d->possible && !hed_failed(b->error); node++)
        if (has_sheet(&nodes[node]) && !is_element[node]) take_sheet(b, node, CSS_NONE);
}

/* Fills the document from the tree. */
static void take_tree(builder *b, bool templates)
{
    hed_css_document *d = b->d;
    if (!html_grow(&d->allocator, &b->elements, &b->room, b->p->node_count, sizeof *b->elements))
        hed_fail(b->error, HED_ERROR_MEMORY, "%s: out of memory for the elements", d->file);
    else take_nodes(b, 0, CSS_NONE, false);
    if (!hed_failed(b->error)) take_shadow_trees(b);
    b->page_count = b->count;
    if (templates && !hed_failed(b->error)) take_possible(b);
    if (b->attributes > UINT32_MAX / 2 || b->classes > UINT32_MAX / 2)
        hed_fail(b->error, HED_ERROR_LIMIT, "%s: more than 2^31 attributes or classes", d->file);
    if (hed_failed(b->error)) return;
    css_document_room(d, b->count, (uint32_t)b->attributes, (uint32_t)b->classes, b->error);
    for (uint32_t e = 0; e < d->count && !hed_failed(b->error); e++) fill_element(b, e);
    if (!hed_failed(b->error)) take_sheets(b);
    d->trees =
        b->tree_count ? hed_arena_new(&d->arena, b->tree_count, sizeof *d->trees, b->error) : NULL;
    if (d->trees) {
        memcpy(d->trees, b->trees, b->tree_count * sizeof *d->trees);
        d->tree_count = b->tree_count;
    }
    uint32_t dir = css_name_find(d->names, "dir", 3);
    for (uint32_t e = 0; e < d->count && !hed_failed(b->error); e++)
        if (node_at(b, b->elements[e].node)->tag == HTML_BDI ||
            (dir != CSS_NONE && css_attribute_value(d, e, dir) != CSS_NONE))
            find_direction(b, e);
}

hed_status css_document_from_html(
    hed_css_document *d, const hed_css_document_def *def, hed_error *error)
{
    size_t length = def->html_length ? def->html_length : strlen(def->html), room = 0;
    char *copy = NULL;
    html_parser parser = {0};
    if (length > UINT32_MAX / 4)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%s: %zu bytes of HTML: 1 GiB at most", d->file, length);
    if (css_refuse_foreign(def->html, length, d->file, "HTML", error)) return error->status;
    bool valid = html_prepare_input(&d->allocator, def->html, &length, &copy, &room);
    html_source source = {.text = copy ? copy : def->html, .length = length, .shadow_roots = true};
    bool bom = length >= 3 && memcmp(source.text, "\357\273\277", 3) == 0;
    if (bom) source.text += 3, source.length -= 3;
    if (!valid || !html_parse(&parser, d->names, &source)) {
        if (parser.overflow)
            hed_fail(error, HED_ERROR_LIMIT,
                "%s: more than %llu nodes from %zu bytes of HTML; expected fewer formatting "
                "elements without end tags, which every paragraph repeats",
                d->file, (unsigned long long)parser.max_nodes, length);
        else
            hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for the tree of the page", d->file);
    }
    builder b = {.d = d, .p = &parser, .error = error};
    b.editable = css_name_find(d->names, "contenteditable", 15);
    b.work = (hed_arena){.allocator = d->allocator, .owner = "a document"};
    d->quirks = parser.quirks;
    if (!hed_failed(error)) take_tree(&b, def->templates);
    hed_arena_free(&b.work);
    hed_delete(&d->allocator, b.elements, b.room, sizeof *b.elements);
    hed_delete(&d->allocator, b.trees, b.tree_room, sizeof *b.trees);
    if (valid) html_parser_free(&parser);
    hed_delete(&d->allocator, copy, room, 1);
    return hed_failed(error) ? error->status : HED_OK;
}
