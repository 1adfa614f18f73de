/* Insertion modes of tables. */
#include "html_parser.h"

static bool is_start(const html_token *token, html_tag tag)
{
    return token->kind == HTML_START_TAG && token->tag == tag;
}
static bool is_end(const html_token *token, html_tag tag)
{
    return token->kind == HTML_END_TAG && token->tag == tag;
}

/* True for caption, col, colgroup, tbody, td, tfoot, th, thead and tr. */
static bool is_part(html_tag tag)
{
    switch (tag) {
    case HTML_CAPTION:
    case HTML_COL:
    case HTML_COLGROUP:
    case HTML_TBODY:
    case HTML_TD:
    case HTML_TFOOT:
    case HTML_TH:
    case HTML_THEAD:
    case HTML_TR: return true;
    default: return false;
    }
}

/* True for tbody, tfoot and thead. */
static bool is_section(html_tag tag)
{
    return tag == HTML_TBODY || tag == HTML_TFOOT || tag == HTML_THEAD;
}

/* Processes a token by the rules of the body, with foster parenting. */
static bool anything_else(html_parser *p, html_token *token)
{
    p->foster_parenting = true;
    bool reprocess = p->modes->in_body(p, token);
    p->foster_parenting = false;
    return reprocess;
}

/* Inserts an element at the table, and changes the insertion mode. */
static void insert_at_table(html_parser *p, html_token *token, html_tag tag, html_mode *mode)
{
    html_clear_back_to(p, HTML_TABLE, HTML_TABLE, HTML_TABLE);
    if (token) html_insert(p, token);
    else html_insert_tag(p, tag);
    p->mode = mode;
}

/* Start tag of a hidden input or of a form directly in a table; false: another start tag. */
static bool insert_input_or_form(html_parser *p, html_token *token)
{
    size_t length;
    if (token->tag == HTML_INPUT) {
        const char *type = html_token_value(p, token, "type", &length);
        if (!type || !html_equals(type, length, "hidden")) return false;
        html_insert(p, token);
        html_pop(p);
        return true;
    }
    if (token->tag != HTML_FORM) return false;
    if (html_has_open(p, HTML_TEMPLATE) || p->form) return true;
    p->form = html_insert(p, token);
    html_pop(p);
    return true;
}

static bool start_in_table(html_parser *p, html_token *token)
{
    switch (token->tag) {
    case HTML_CAPTION:
        html_clear_back_to(p, HTML_TABLE, HTML_TABLE, HTML_TABLE);
        html_push_marker(p);
        insert_at_table(p, token, HTML_CAPTION, html_in_caption);
        return false;
    case HTML_COLGROUP:
        insert_at_table(p, token, HTML_COLGROUP, html_in_column_group);
        return false;
    case HTML_COL: insert_at_table(p, NULL, HTML_COLGROUP, html_in_column_group); return true;
    case HTML_TBODY:
    case HTML_TFOOT:
    case HTML_THEAD: insert_at_table(p, token, token->tag, html_in_table_body); return false;
    case HTML_TD:
    case HTML_TH:
    case HTML_TR: insert_at_table(p, NULL, HTML_TBODY, html_in_table_body); return true;
    case HTML_TABLE:
        if (!html_in_table_scope(p, HTML_TABLE)) return false;
        html_pop_until(p, HTML_TABLE);
        html_reset_mode(p);
        return true;
    case HTML_STYLE:
    case HTML_SCRIPT:
    case HTML_TEMPLATE: return p->modes->in_head(p, token);
    default: return !insert_input_or_form(p, token) && anything_else(p, token);
    }
}

bool html_in_table(html_parser *p, html_token *token)
{
    uint32_t current = html_current(p);
    switch (token->kind) {
    case HTML_CHARACTERS:
    case HTML_NULL:
        if (!(html_categories(p, current) & HTML_FOSTERS) && !html_is(p, current, HTML_TEMPLATE))
            break;
        p->table_text_count = 0;
        p->original_mode = p->mode;
        p->mode = html_in_table_text;
        return true;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG: return start_in_table(p, token);
    case HTML_END_TAG:
        if (token->tag == HTML_TABLE) {
            if (!html_in_table_scope(p, HTML_TABLE)) return false;
            html_pop_until(p, HTML_TABLE);
            html_reset_mode(p);
            return false;
        }
        if (token->tag == HTML_TEMPLATE) return p->modes->in_head(p, token);
        if (is_part(token->tag) || token->tag == HTML_BODY || token->tag == HTML_HTML) return false;
        break;
    case HTML_END_OF_FILE: return p->modes->in_body(p, token);
    }
    return anything_else(p, token);
}

bool html_in_table_text(html_parser *p, html_token *token)
{
    bool solid = false;
    if (token->kind == HTML_NULL) return false;
    if (token->kind == HTML_CHARACTERS) {
        if (!html_grow(&p->allocator, &p->table_text, &p->table_text_room,
                p->table_text_count + 1ull, sizeof *p->table_text))
            p->failed = p->stopped = true;
        else p->table_text[p->table_text_count++] = token->text;
        return false;
    }
    for (uint32_t i = 0; i < p->table_text_count; i++) solid |= !html_is_blank(p, p->table_text[i]);
    for (uint32_t i = 0; i < p->table_text_count && !p->failed; i++) {
        html_token text = {.kind = HTML_CHARACTERS, .text = p->table_text[i]};
        if (solid) anything_else(p, &text);
        else html_insert_characters(p, text.text);
    }
    p->mode = p->original_mode;
    return true;
}

bool html_in_caption(html_parser *p, html_token *token)
{
    bool start = token->kind == HTML_START_TAG, end = token->kind == HTML_END_TAG;
    bool closes =
        is_end(token, HTML_CAPTION) || is_end(token, HTML_TABLE) || (start && is_part(token->tag));
    if (closes) {
        if (!html_in_table_scope(p, HTML_CAPTION)) return false;
        html_generate_implied(p, HTML_UNKNOWN);
        html_pop_until(p, HTML_CAPTION);
        html_clear_to_marker(p);
        p->mode = html_in_table;
        return !is_end(token, HTML_CAPTION);
    }
    if (end && (is_part(token->tag) || token->tag == HTML_BODY || token->tag == HTML_HTML))
        return false;
    return p->modes->in_body(p, token);
}

bool html_in_column_group(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_is(p, html_current(p), HTML_COLGROUP)) { /* the contents of a template */
            html_insert_space(p, token->text, html_insert_characters);
            return false;
        }
        if (!html_skip_token_space(p, token, html_insert_characters)) return false;
        break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (token->tag == HTML_TEMPLATE) return p->modes->in_head(p, token);
        if (token->tag != HTML_COL) break;
        html_insert(p, token);
        html_pop(p);
        return false;
    case HTML_END_TAG:
        if (token->tag == HTML_COL) return false;
        if (token->tag == HTML_TEMPLATE) return p->modes->in_head(p, token);
        break;
    case HTML_END_OF_FILE: return p->modes->in_body(p, token);
    default: break;
    }
    if (!html_is(p, html_current(p), HTML_COLGROUP)) return false;
    html_pop(p);
    p->mode = html_in_table;
    return !is_end(token, HTML_COLGROUP);
}

static void clear_to_body(html_parser *p)
{
    html_clear_back_to(p, HTML_TBODY, HTML_TFOOT, HTML_THEAD);
}

/* Closes the table body, or ignores the token outside a table body. */
static bool close_table_body(html_parser *p, bool reprocess)
{
    if (!html_in_table_scope(p, HTML_TBODY) && !html_in_table_scope(p, HTML_THEAD) &&
        !html_in_table_scope(p, HTML_TFOOT))
        return false;
    clear_to_body(p);
    html_pop(p);
    p->mode = html_in_table;
    return reprocess;
}

bool html_in_table_body(html_parser *p, html_token *token)
{
    html_tag tag = token->tag;
    if (token->kind == HTML_START_TAG) switch (tag) {
        case HTML_TR:
            clear_to_body(p);
            html_insert(p, token);
            p->mode = html_in_row;
            return false;
        case HTML_TD:
        case HTML_TH:
            clear_to_body(p);
            html_insert_tag(p, HTML_TR);
            p->mode = html_in_row;
            return true;
        default:
            if (is_part(tag)) return close_table_body(p, true);
            return html_in_table(p, token);
        }
    if (token->kind != HTML_END_TAG) return html_in_table(p, token);
    if (is_section(tag)) return html_in_table_scope(p, tag) && close_table_body(p, false);
    if (tag == HTML_TABLE) return close_table_body(p, true);
    if (is_part(tag) || tag == HTML_BODY || tag == HTML_HTML) return false;
    return html_in_table(p, token);
}

/* Closes the row, or ignores the token outside a row. */
static bool close_row(html_parser *p, bool reprocess)
{
    if (!html_in_table_scope(p, HTML_TR)) return false;
    html_clear_back_to(p, HTML_TR, HTML_TR, HTML_TR);
    html_pop(p);
    p->mode = html_in_table_body;
    return reprocess;
}

bool html_in_row(html_parser *p, html_token *token)
{
    html_tag tag = token->tag;
    if (is_start(token, HTML_TD) || is_start(token, HTML_TH)) {
        html_clear_back_to(p, HTML_TR, HTML_TR, HTML_TR);
        html_insert(p, token);
        p->mode = html_in_cell;
        html_push_marker(p);
        return false;
    }
    if (token->kind == HTML_START_TAG && is_part(tag)) return close_row(p, true);
    if (token->kind != HTML_END_TAG) return html_in_table(p, token);
    if (tag == HTML_TR) return close_row(p, false);
    if (tag == HTML_TABLE) return close_row(p, true);
    if (is_section(tag)) return html_in_table_scope(p, tag) && close_row(p, true);
    if (is_part(tag) || tag == HTML_BODY || tag == HTML_HTML) return false;
    return html_in_table(p, token);
}

/* Closes the cell with tag `tag`; HTML_UNKNOWN: td or th. */
static void close_cell(html_parser *p, html_tag tag)
{
    html_generate_implied(p, HTML_UNKNOWN);
    if (!tag) tag = p->last_open[HTML_TD] > p->last_open[HTML_TH] ? HTML_TD : HTML_TH;
    html_pop_until(p, tag);
    html_clear_to_marker(p);
    p->mode = html_in_row;
}

bool html_in_cell(html_parser *p, html_token *token)
{
    html_tag tag = token->tag;
    if (token->kind == HTML_START_TAG && is_part(tag)) {
        if (!html_in_table_scope(p, HTML_TD) && !html_in_table_scope(p, HTML_TH)) return false;
        close_cell(p, HTML_UNKNOWN);
        return true;
    }
    if (token->kind != HTML_END_TAG) return p->modes->in_body(p, token);
    if (tag == HTML_TD || tag == HTML_TH) {
        if (html_in_table_scope(p, tag)) close_cell(p, tag);
        return false;
    }
    if (tag == HTML_TABLE || tag == HTML_TR || is_section(tag)) {
        if (!html_in_table_scope(p, tag)) return false;
        close_cell(p, HTML_UNKNOWN);
        return true;
    }
    if (is_part(tag) || tag == HTML_BODY || tag == HTML_HTML) return false;
    return p->modes->in_body(p, token);
}
