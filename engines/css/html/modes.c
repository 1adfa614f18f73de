/* Functions of all insertion modes: raw texts, templates, and the mode that the open elements
 * require. */
#include "html_parser.h"

void html_insert_raw(html_parser *p, html_token *token, html_state state)
{
    html_insert(p, token);
    p->tokenizer.state = state;
    p->original_mode = p->mode;
    p->mode = p->modes->text;
}

void html_push_template_mode(html_parser *p, html_mode *mode)
{
    if (!html_grow(&p->allocator, &p->template_modes, &p->template_mode_room,
            p->template_mode_count + 1ull, sizeof *p->template_modes)) {
        p->failed = p->stopped = true;
        return;
    }
    p->template_modes[p->template_mode_count++] = mode;
}

/* Insertion mode for an open element with this tag; NULL: the next lower one decides. */
static html_mode *mode_of(const html_parser *p, html_tag tag, bool last)
{
    switch (tag) {
    case HTML_TD:
    case HTML_TH: return last ? NULL : p->modes->in_cell;
    case HTML_TR: return p->modes->in_row;
    case HTML_TBODY:
    case HTML_THEAD:
    case HTML_TFOOT: return p->modes->in_table_body;
    case HTML_CAPTION: return p->modes->in_caption;
    case HTML_COLGROUP: return p->modes->in_column_group;
    case HTML_TABLE: return p->modes->in_table;
    case HTML_TEMPLATE:
        return p->template_mode_count ? p->template_modes[p->template_mode_count - 1] : NULL;
    case HTML_HEAD: return last ? NULL : p->modes->in_head;
    case HTML_BODY: return p->modes->in_body;
    case HTML_FRAMESET: return p->modes->in_frameset;
    case HTML_HTML: return p->head ? p->modes->after_head : p->modes->before_head;
    default: return NULL;
    }
}

void html_reset_mode(html_parser *p)
{
    for (uint32_t i = p->open_count; i-- > 0;) {
        const html_node *n = &p->nodes[p->open[i].node];
        bool last = i == 0 && p->fragment;
        html_tag tag = last ? p->context : (html_tag)n->tag;
        uint8_t name_space = last ? p->context_space : n->name_space;
        html_mode *mode = name_space == HED_CSS_HTML ? mode_of(p, tag, last) : NULL;
        if (mode) {
            p->mode = mode;
            return;
        }
    }
    p->mode = p->modes->in_body;
}
