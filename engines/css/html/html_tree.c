/* Elements, texts and comments for tokens, and the appropriate place for inserting a node. */
#include "html_parser.h"
#include "scan.h"

html_place html_find_foster_place(const html_parser *p)
{
    uint32_t template = p->last_open[HTML_TEMPLATE], table = p->last_open[HTML_TABLE];
    if (template > table) return (html_place){p->open[template - 1].node, 0};
    if (!table) return (html_place){p->open[0].node, 0};
    uint32_t node = p->open[table - 1].node;
    if (p->nodes[node].parent) return (html_place){p->nodes[node].parent, node};
    return (html_place){p->open[table - 2].node, 0};
}

static HTML_RARE void insert_text(html_parser *p, html_place place, html_text text)
{
    uint32_t previous =
        place.before ? p->nodes[place.before].previous : p->nodes[place.parent].last;
    uint32_t node = html_new_node(p, HTML_NODE_TEXT);
    if (p->failed) return;
    p->nodes[node].text = text;
    if (previous && p->nodes[previous].kind == HTML_NODE_TEXT)
        p->nodes[node].flags = HTML_NODE_CONTINUES;
    html_insert_node(p, place, node);
}

void html_insert_characters(html_parser *p, html_text text)
{
    html_place place = html_find_place(p, 0);
    html_node *parent = &p->nodes[place.parent];
    if (!place.parent) return; /* a document has no text */
    if (!(parent->flags >> HTML_NODE_TEXTS & 2)) {
        bool blank = html_is_blank(p, text);
        parent->flags |= (uint8_t)((blank ? 1 : 3) << HTML_NODE_TEXTS);
    }
    if (p->keep_all || parent->tag == HTML_STYLE) insert_text(p, place, text);
}

void html_insert_replacement(html_parser *p)
{
    uint32_t begin = p->tokenizer.decoded_length;
    html_decode(&p->tokenizer, HTML_REPLACEMENT, 3);
    html_insert_characters(p, (html_text){begin | HTML_DECODED, 3});
}

void html_insert_comment(html_parser *p, const html_token *token, uint32_t parent)
{
    html_place place = {parent, 0};
    if (!p->keep_all) return;
    if (parent == CSS_NONE) place = html_find_place(p, 0);
    uint32_t node = html_new_node(p, HTML_NODE_COMMENT);
    if (p->failed) return;
    p->nodes[node].text = token->text;
    html_insert_node(p, place, node);
}

/* ---- elements ---- */

bool html_equals(const char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        if (css_ascii_lower(text[i]) != word[i] || !word[i]) return false;
    return !word[length];
}

const char *html_token_value(
    const html_parser *p, const html_token *token, const char *name, size_t *length)
{
    for (uint32_t i = 0; i < token->attribute_count; i++) {
        const html_token_attribute *a = &token->attributes[i];
        if (strcmp(hed_css_names_text(p->names, a->name, NULL), name)) continue;
        *length = a->value.length;
        return html_text_of(&p->tokenizer, a->value);
    }
    return NULL;
}

/* HTML_NODE_HTML_POINT and HTML_NODE_MATH_POINT of a foreign element. */
static uint8_t find_points(
    const html_parser *p, const html_token *token, hed_css_namespace name_space)
{
    size_t length;
    if (name_space == HED_CSS_SVG)
        return token->tag == HTML_FOREIGNOBJECT || token->tag == HTML_DESC ||
                       token->tag == HTML_TITLE
                   ? HTML_NODE_HTML_POINT
                   : 0;
    switch (token->tag) {
    case HTML_MI:
    case HTML_MO:
    case HTML_MN:
    case HTML_MS:
    case HTML_MTEXT: return HTML_NODE_MATH_POINT;
    case HTML_ANNOTATION_XML: break;
    default: return 0;
    }
    const char *encoding = html_token_value(p, token, "encoding", &length);
    return encoding && (html_equals(encoding, length, "text/html") ||
                           html_equals(encoding, length, "application/xhtml+xml"))
               ? HTML_NODE_HTML_POINT
               : 0;
}

/* Appends an attribute of a token to the attributes of the tree. */
static void add_attribute(html_parser *p, const html_token_attribute *a, hed_css_namespace of)
{
    if (p->attribute_count == p->attribute_room &&
        !html_grow(&p->allocator, &p->attributes, &p->attribute_room, p->attribute_count + 1ull,
            sizeof *p->attributes)) {
        p->failed = p->stopped = true;
        return;
    }
    css_attribute *to = &p->attributes[p->attribute_count++];
    *to = (css_attribute){.name = a->name};
    if (a->name == p->dir_name &&
        html_equals(html_text_of(&p->tokenizer, a->value), a->value.length, "auto"))
        p->keep_all = true; /* direction depends on the element's text */
    if (of != HED_CSS_HTML) to->name = html_foreign_attribute(p, of, a->name, &to->name_space);
    to->value = hed_css_names_add(p->names, html_text_of(&p->tokenizer, a->value), a->value.length);
    if (to->name == CSS_NONE || to->value == CSS_NONE) p->failed = p->stopped = true;
}

/* Line of a position in the input, which is not before the position of the last call; 0 for
 * elements that the parser makes. */
static uint32_t find_line(html_parser *p, uint32_t begin)
{
    if (begin == CSS_NONE) return 0;
    const char *at = p->tokenizer.text + begin, *end = p->tokenizer.end;
    while (p->newline < at) {
        p->line++;
        p->newline = html_find(p->newline + 1, end, '\n', '\n', '\n');
    }
    return p->line;
}

uint32_t html_create_element(html_parser *p, const html_token *token, hed_css_namespace name_space)
{
    uint32_t element = html_new_node(p, HTML_NODE_ELEMENT);
    html_node *node = &p->nodes[element];
    node->name_space = (uint8_t)name_space;
    node->tag = (uint8_t)token->tag;
    node->name = token->name;
    node->line = find_line(p, token->begin);
    if (token->tag == HTML_SELECTEDCONTENT) p->has_selectedcontent = true;
    if (token->tag == HTML_BDI) p->keep_all = true;
    node->attribute_begin = p->attribute_count;
    node->attribute_count = token->attribute_count;
    if (name_space != HED_CSS_HTML) {
        node->flags = find_points(p, token, name_space);
        if (name_space == HED_CSS_SVG) node->name = html_svg_name(p, token->name);
    }
    for (uint32_t i = 0; i < token->attribute_count && !p->failed; i++)
        add_attribute(p, &token->attributes[i], name_space);
    return element;
}

uint32_t html_clone_element(html_parser *p, uint32_t element)
{
    uint32_t clone = html_new_node(p, HTML_NODE_ELEMENT);
    if (p->failed) return clone;
    const html_node *from = &p->nodes[element];
    html_node *to = &p->nodes[clone];
    to->name_space = from->name_space;
    to->tag = from->tag;
    to->name = from->name;
    to->line = from->line;
    to->attribute_begin = from->attribute_begin;
    to->attribute_count = from->attribute_count;
    return clone;
}

uint32_t html_insert_foreign(html_parser *p, const html_token *token, hed_css_namespace name_space)
{
    html_place place = html_find_place(p, 0);
    if (!place.before && p->open_count > HTML_MAX_DEPTH && p->nodes[place.parent].parent &&
        place.parent == html_current(p))
        place.parent = p->nodes[place.parent].parent;
    uint32_t element = html_create_element(p, token, name_space);
    if (p->failed) return element;
    html_insert_node(p, place, element);
    html_push(p, element);
    if (token->tag == HTML_SELECTEDCONTENT) html_connect_contents(p, element);
    return element;
}

uint32_t html_insert_tag(html_parser *p, html_tag tag)
{
    static const char *const names[] = {[HTML_HTML] = "html", [HTML_HEAD] = "head",
        [HTML_BODY] = "body", [HTML_P] = "p", [HTML_COLGROUP] = "colgroup",
        [HTML_TBODY] = "tbody", [HTML_TR] = "tr", [HTML_BR] = "br"};
    html_token token = {.kind = HTML_START_TAG, .tag = tag, .begin = CSS_NONE};
    token.name = hed_css_names_add(p->names, names[tag], strlen(names[tag]));
    if (token.name == CSS_NONE) p->failed = p->stopped = true;
    return html_insert(p, &token);
}

void html_add_attributes(html_parser *p, uint32_t element, const html_token *token)
{
    html_node *node = &p->nodes[element];
    uint32_t begin = node->attribute_begin, count = node->attribute_count;
    if (!token->attribute_count) return;
    if (!html_grow(&p->allocator, &p->attributes, &p->attribute_room,
            (uint64_t)p->attribute_count + count, sizeof *p->attributes)) {
        p->failed = p->stopped = true;
        return;
    }
    node->attribute_begin = p->attribute_count;
    memcpy(
        p->attributes + p->attribute_count, p->attributes + begin, count * sizeof *p->attributes);
    p->attribute_count += count;
    for (uint32_t i = 0; i < token->attribute_count && !p->failed; i++) {
        bool present = false;
        for (uint32_t k = 0; k < count; k++)
            present |= p->attributes[begin + k].name == token->attributes[i].name;
        if (present) continue;
        add_attribute(p, &token->attributes[i], HED_CSS_HTML);
        node->attribute_count++;
    }
}
