/* Rules for tokens in foreign content: SVG and MathML. */
#include "html_parser.h"

/* True for start tags that end foreign content. */
static bool breaks_out(const html_parser *p, const html_token *token)
{
    size_t length;
    switch (token->tag) {
    case HTML_B: case HTML_BIG: case HTML_BLOCKQUOTE: case HTML_BODY: case HTML_BR:
    case HTML_CENTER: case HTML_CODE: case HTML_DD: case HTML_DIV: case HTML_DL: case HTML_DT:
    case HTML_EM: case HTML_EMBED: case HTML_H1: case HTML_H2: case HTML_H3: case HTML_H4:
    case HTML_H5: case HTML_H6: case HTML_HEAD: case HTML_HR: case HTML_I: case HTML_IMG:
    case HTML_LI: case HTML_LISTING: case HTML_MENU: case HTML_META: case HTML_NOBR: case HTML_OL:
    case HTML_P: case HTML_PRE: case HTML_RUBY: case HTML_S: case HTML_SMALL: case HTML_SPAN:
    case HTML_STRONG: case HTML_STRIKE: case HTML_SUB: case HTML_SUP: case HTML_TABLE: case HTML_TT:
    case HTML_U: case HTML_UL: case HTML_VAR: return true;
    case HTML_FONT:
        return html_token_value(p, token, "color", &length) ||
               html_token_value(p, token, "face", &length) ||
               html_token_value(p, token, "size", &length);
    default: return false;
    }
}

/* Closes the foreign elements, and processes the token by the insertion mode. */
static bool break_out(html_parser *p, html_token *token)
{
    while (p->open_count > 1) {
        const html_node *n = &p->nodes[html_current(p)];
        if (n->name_space == HED_CSS_HTML ||
            n->flags & (HTML_NODE_HTML_POINT | HTML_NODE_MATH_POINT))
            break;
        html_pop(p);
    }
    return p->mode(p, token);
}

static bool foreign_end_tag(html_parser *p, html_token *token)
{
    for (uint32_t i = p->open_count; i-- > 1;) {
        uint32_t node = p->open[i].node;
        const html_node *n = &p->nodes[node];
        if (n->name_space == HED_CSS_HTML) return p->mode(p, token);
        if (css_name_lower(p->names, n->name) == token->name) {
            html_pop_through(p, node);
            return false;
        }
    }
    return false;
}

bool html_in_foreign(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_NULL: html_insert_replacement(p); break;
    case HTML_CHARACTERS:
        html_insert_characters(p, token->text);
        if (!p->frameset_not_ok) p->frameset_not_ok = !html_is_blank(p, token->text);
        break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); break;
    case HTML_START_TAG: {
        if (breaks_out(p, token)) return break_out(p, token);
        bool at_context = p->open_count == 1 && p->fragment;
        uint8_t of = at_context ? p->context_space : p->nodes[html_current(p)].name_space;
        html_insert_foreign(p, token, (hed_css_namespace)of);
        if (token->self_closing) html_pop(p);
        break;
    }
    case HTML_END_TAG:
        if (token->tag == HTML_BR || token->tag == HTML_P) return break_out(p, token);
        return foreign_end_tag(p, token);
    default: break;
    }
    return false;
}
