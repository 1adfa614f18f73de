/* Insertion modes after the body, and insertion modes of framesets. */
#include "html_parser.h"
#include "scan.h"

/* Processes white space by the rules of the body. */
static void space_in_body(html_parser *p, html_text text)
{
    html_token token = {.kind = HTML_CHARACTERS, .text = text};
    p->modes->in_body(p, &token);
}

static bool is_end_of_html(const html_token *token)
{
    return token->kind == HTML_END_TAG && token->tag == HTML_HTML;
}

static bool is_start_of_html(const html_token *token)
{
    return token->kind == HTML_START_TAG && token->tag == HTML_HTML;
}

bool html_after_body(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_skip_token_space(p, token, space_in_body)) return false;
        break;
    case HTML_COMMENT: html_insert_comment(p, token, p->open[0].node); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG:
        if (is_start_of_html(token)) return p->modes->in_body(p, token);
        break;
    case HTML_END_TAG:
        if (!is_end_of_html(token)) break;
        if (!p->fragment) p->mode = html_after_after_body;
        return false;
    case HTML_END_OF_FILE: p->stopped = true; return false;
    default: break;
    }
    p->mode = p->modes->in_body;
    return true;
}

bool html_after_after_body(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_skip_token_space(p, token, space_in_body)) return false;
        break;
    case HTML_COMMENT: html_insert_comment(p, token, 0); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG:
        if (is_start_of_html(token)) return p->modes->in_body(p, token);
        break;
    case HTML_END_OF_FILE: p->stopped = true; return false;
    default: break;
    }
    p->mode = p->modes->in_body;
    return true;
}

/* ---- framesets ---- */

bool html_in_frameset(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS: html_insert_space(p, token->text, html_insert_characters); break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); break;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (token->tag == HTML_NOFRAMES) return p->modes->in_head(p, token);
        if (token->tag != HTML_FRAMESET && token->tag != HTML_FRAME) break;
        html_insert(p, token);
        if (token->tag == HTML_FRAME) html_pop(p);
        break;
    case HTML_END_TAG:
        if (token->tag != HTML_FRAMESET || p->open_count <= 1) break;
        html_pop(p);
        if (!p->fragment && !html_is(p, html_current(p), HTML_FRAMESET))
            p->mode = html_after_frameset;
        break;
    case HTML_END_OF_FILE: p->stopped = true; break;
    default: break;
    }
    return false;
}

bool html_after_frameset(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS: html_insert_space(p, token->text, html_insert_characters); break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); break;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (token->tag == HTML_NOFRAMES) return p->modes->in_head(p, token);
        break;
    case HTML_END_TAG:
        if (is_end_of_html(token)) p->mode = html_after_after_frameset;
        break;
    case HTML_END_OF_FILE: p->stopped = true; break;
    default: break;
    }
    return false;
}

bool html_after_after_frameset(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS: html_insert_space(p, token->text, space_in_body); break;
    case HTML_COMMENT: html_insert_comment(p, token, 0); break;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (token->tag == HTML_NOFRAMES) return p->modes->in_head(p, token);
        break;
    case HTML_END_OF_FILE: p->stopped = true; break;
    default: break;
    }
    return false;
}
