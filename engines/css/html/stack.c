/* The stack of open elements. Each entry holds the ends of the scopes below it, so that "has an
 * element in scope" takes no search. */
#include "html_parser.h"

const uint16_t html_tag_categories[HTML_TAG_COUNT] = {0,
#define HTML_CATEGORIES(identifier, name, flags, start, end) flags,
    HTML_TAGS(HTML_CATEGORIES)
#undef HTML_CATEGORIES
};

/* True for elements of SVG and MathML that are special and end a scope. */
static bool is_foreign_point(const html_node *n)
{
    if (n->name_space == HED_CSS_HTML) return false;
    if (n->name_space == HED_CSS_MATHML)
        return n->flags & HTML_NODE_MATH_POINT || n->tag == HTML_ANNOTATION_XML;
    return n->flags & HTML_NODE_HTML_POINT;
}

bool html_is_special(const html_parser *p, uint32_t node)
{
    return html_categories(p, node) & HTML_SPECIAL || is_foreign_point(&p->nodes[node]);
}

/* Sets the scopes of entry `index`, which follow from the entries below, and the last open element
 * of its tag. */
static inline void enter(html_parser *p, uint32_t index)
{
    html_open *open = &p->open[index];
    const html_node *n = &p->nodes[open->node];
    uint32_t categories = html_categories(p, open->node);
    open->scopes = index ? open[-1].scopes : (html_scopes){0};
    if (categories & HTML_ANY_SCOPE || n->name_space != HED_CSS_HTML) {
        bool scope = categories & HTML_SCOPE || is_foreign_point(n);
        if (scope) open->scopes.ordinary = index;
        if (scope || categories & HTML_BUTTON_SCOPE) open->scopes.button = index;
        if (scope || categories & HTML_LIST_SCOPE) open->scopes.list = index;
        if (categories & HTML_TABLE_SCOPE) open->scopes.table = index;
    }
    open->next_same = 0;
    if (n->name_space != HED_CSS_HTML) return;
    open->next_same = p->last_open[n->tag];
    p->last_open[n->tag] = index + 1;
}

/* Undoes enter(). */
static inline void leave(html_parser *p, uint32_t index)
{
    const html_node *n = &p->nodes[p->open[index].node];
    if (n->name_space == HED_CSS_HTML) p->last_open[n->tag] = p->open[index].next_same;
}

/* Notes if the adjusted current node is an HTML element. */
static inline void note_current(html_parser *p)
{
    if (p->open_count == 1 && p->fragment) p->tokenizer.foreign = p->context_space != HED_CSS_HTML;
    else p->tokenizer.foreign = p->nodes[html_current(p)].name_space != HED_CSS_HTML;
}

void html_push(html_parser *p, uint32_t node)
{
    if (p->open_count == HTML_MAX_OPEN) html_pop(p);
    p->open[p->open_count].node = node;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    enter(p, p->open_count++);
    note_current(p);
}

void html_pop(html_parser *p)
{
    if (p->open_count <= 1) return; /* html stays */
    leave(p, --p->open_count);
    uint32_t node = p->open[p->open_count].node;
    p->nodes[node].flags &= (uint8_t)~HTML_NODE_OPEN;
    note_current(p);
    if (p->has_selectedcontent && html_is(p, node, HTML_OPTION)) html_take_option(p, node);
}

void html_pop_until(html_parser *p, html_tag tag)
{
    while (p->open_count > 1) {
        bool last = html_is(p, html_current(p), tag);
        html_pop(p);
        if (last) return;
    }
}

void html_pop_through(html_parser *p, uint32_t node)
{
    while (p->open_count > 1) {
        bool last = html_current(p) == node;
        html_pop(p);
        if (last) return;
    }
}

uint32_t html_open_index(const html_parser *p, uint32_t node)
{
    if (!(p->nodes[node].flags & HTML_NODE_OPEN)) return UINT32_MAX;
    for (uint32_t i = p->open_count; i-- > 0;)
        if (p->open[i].node == node) return i;
    return UINT32_MAX;
}

void html_remove_open(html_parser *p, uint32_t node)
{
    uint32_t index = html_open_index(p, node);
    if (index == UINT32_MAX) return;
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    p->open_count--;
    p->nodes[node].flags &= (uint8_t)~HTML_NODE_OPEN;
    for (uint32_t i = index; i < p->open_count; i++) {
        p->open[i].node = p->open[i + 1].node;
        enter(p, i);
    }
    note_current(p);
}

void html_replace_open(html_parser *p, uint32_t index, uint32_t node)
{
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    p->nodes[p->open[index].node].flags &= (uint8_t)~HTML_NODE_OPEN;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    p->open[index].node = node;
    for (uint32_t i = index; i < p->open_count; i++) enter(p, i);
}

void html_insert_open(html_parser *p, uint32_t index, uint32_t node)
{
    if (p->open_count == HTML_MAX_OPEN) html_pop(p);
    if (index > p->open_count) index = p->open_count;
    for (uint32_t i = p->open_count; i-- > index;) leave(p, i);
    for (uint32_t i = p->open_count++; i > index; i--) p->open[i].node = p->open[i - 1].node;
    p->open[index].node = node;
    p->nodes[node].flags |= HTML_NODE_OPEN;
    for (uint32_t i = index; i < p->open_count; i++) enter(p, i);
    note_current(p);
}

/* ---- scopes ---- */

static const html_open *top(const html_parser *p) { return &p->open[p->open_count - 1]; }

bool html_in_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->scopes.ordinary;
}
bool html_in_button_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->scopes.button;
}
bool html_in_list_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->scopes.list;
}
bool html_in_table_scope(const html_parser *p, html_tag tag)
{
    return p->last_open[tag] > top(p)->scopes.table;
}
bool html_node_in_scope(const html_parser *p, uint32_t node)
{
    uint32_t index = html_open_index(p, node);
    return index != UINT32_MAX && index >= top(p)->scopes.ordinary;
}

void html_generate_implied(html_parser *p, html_tag except)
{
    for (;;) {
        uint32_t node = html_current(p);
        if (!(html_categories(p, node) & HTML_IMPLIED) || p->nodes[node].tag == except) return;
        html_pop(p);
    }
}

void html_generate_implied_thoroughly(html_parser *p)
{
    while (html_categories(p, html_current(p)) & (HTML_IMPLIED | HTML_THOROUGHLY)) html_pop(p);
}

void html_close_p(html_parser *p)
{
    html_generate_implied(p, HTML_P);
    html_pop_until(p, HTML_P);
}

void html_clear_back_to(html_parser *p, html_tag a, html_tag b, html_tag c)
{
    while (p->open_count > 1) {
        const html_node *n = &p->nodes[html_current(p)];
        bool is_context = n->tag == a || n->tag == b || n->tag == c || n->tag == HTML_TEMPLATE;
        if (is_context && n->name_space == HED_CSS_HTML) return;
        html_pop(p);
    }
}
