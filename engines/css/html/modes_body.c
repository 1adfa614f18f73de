/* Insertion mode "in body". */
#include "html_parser.h"
#include "scan.h"

/* Rules of the start tag and of the end tag of each html_tag. */
static const struct {
    uint8_t start, end;
} rules[] = {{HTML_RULE_ORDINARY, HTML_RULE_ORDINARY},
#define HTML_RULES(identifier, name, flags, start, end) {HTML_RULE_##start, HTML_RULE_##end},
    HTML_TAGS(HTML_RULES)
#undef HTML_RULES
};

static void close_p_in_button_scope(html_parser *p)
{
    if (html_in_button_scope(p, HTML_P)) html_close_p(p);
}

/* Inserts an element without contents. */
static void insert_void(html_parser *p, html_token *token)
{
    html_insert(p, token);
    html_pop(p);
}

/* "Any other end tag" in the body. */
static void any_other_end_tag(html_parser *p, html_token *token)
{
    for (uint32_t i = p->open_count; i-- > 0;) {
        uint32_t node = p->open[i].node;
        const html_node *n = &p->nodes[node];
        if (n->name_space == HED_CSS_HTML && n->name == token->name) {
            html_generate_implied(p, token->tag);
            html_pop_through(p, node);
            return;
        }
        if (html_is_special(p, node)) return;
    }
}

static void adopt(html_parser *p, html_token *token)
{
    if (html_adopt(p, token)) any_other_end_tag(p, token);
}

/* ---- start tags ---- */

static void start_outer(html_parser *p, html_token *token)
{
    uint32_t second = p->open_count > 1 ? p->open[1].node : 0;
    if (token->tag == HTML_HTML) {
        if (!html_has_open(p, HTML_TEMPLATE)) html_add_attributes(p, p->open[0].node, token);
        return;
    }
    if (!second || !html_is(p, second, HTML_BODY)) return;
    if (token->tag == HTML_BODY) {
        if (html_has_open(p, HTML_TEMPLATE)) return;
        p->frameset_not_ok = true;
        html_add_attributes(p, second, token);
        return;
    }
    if (p->frameset_not_ok) return;
    html_remove_node(p, second);
    while (p->open_count > 1) html_pop(p);
    html_insert(p, token);
    p->mode = p->modes->in_frameset;
}

static void start_form(html_parser *p, html_token *token)
{
    bool template = html_has_open(p, HTML_TEMPLATE);
    if (p->form && !template) return;
    close_p_in_button_scope(p);
    uint32_t form = html_insert(p, token);
    if (!template) p->form = form;
}

/* Start tag of li, dd and dt: closes the item that is open. */
static void start_item(html_parser *p, html_token *token)
{
    p->frameset_not_ok = true;
    for (uint32_t i = p->open_count; i-- > 0;) {
        uint32_t node = p->open[i].node;
        html_tag tag = (html_tag)p->nodes[node].tag;
        bool html = p->nodes[node].name_space == HED_CSS_HTML;
        bool item = token->tag == HTML_LI ? tag == HTML_LI : tag == HTML_DD || tag == HTML_DT;
        if (html && item) {
            html_generate_implied(p, tag);
            html_pop_until(p, tag);
            break;
        }
        if (html && (tag == HTML_ADDRESS || tag == HTML_DIV || tag == HTML_P)) continue;
        if (html_is_special(p, node)) break;
    }
    close_p_in_button_scope(p);
    html_insert(p, token);
}

static void start_formatting(html_parser *p, html_token *token)
{
    if (token->tag == HTML_A) {
        uint32_t open = html_find_formatting(p, HTML_A);
        if (open) {
            adopt(p, token);
            html_remove_formatting(p, open);
            html_remove_open(p, open);
        }
    }
    html_reconstruct(p);
    if (token->tag == HTML_NOBR && html_in_scope(p, HTML_NOBR)) {
        adopt(p, token);
        html_reconstruct(p);
    }
    uint32_t element = html_insert(p, token);
    html_push_formatting(p, element);
}

static void start_input(html_parser *p, html_token *token)
{
    size_t length;
    const char *type = html_token_value(p, token, "type", &length);
    if (p->fragment && p->context == HTML_SELECT && p->context_space == HED_CSS_HTML) return;
    if (html_in_scope(p, HTML_SELECT)) html_pop_until(p, HTML_SELECT);
    html_reconstruct(p);
    insert_void(p, token);
    if (!type || !html_equals(type, length, "hidden")) p->frameset_not_ok = true;
}

static void start_select(html_parser *p, html_token *token)
{
    if (p->fragment && p->context == HTML_SELECT && p->context_space == HED_CSS_HTML) return;
    if (html_in_scope(p, HTML_SELECT)) {
        html_pop_until(p, HTML_SELECT);
        return;
    }
    html_reconstruct(p);
    html_insert(p, token);
    p->frameset_not_ok = true;
}

static void start_option(html_parser *p, html_token *token)
{
    if (html_in_scope(p, HTML_SELECT))
        html_generate_implied(p, token->tag == HTML_OPTION ? HTML_OPTGROUP : HTML_UNKNOWN);
    else if (html_is(p, html_current(p), HTML_OPTION)) html_pop(p);
    html_reconstruct(p);
    html_insert(p, token);
}

static void start_hr(html_parser *p, html_token *token)
{
    close_p_in_button_scope(p);
    if (html_in_scope(p, HTML_SELECT)) html_generate_implied(p, HTML_UNKNOWN);
    insert_void(p, token);
    p->frameset_not_ok = true;
}

static void start_button(html_parser *p, html_token *token)
{
    if (html_in_scope(p, HTML_BUTTON)) {
        html_generate_implied(p, HTML_UNKNOWN);
        html_pop_until(p, HTML_BUTTON);
    }
    html_reconstruct(p);
    html_insert(p, token);
    p->frameset_not_ok = true;
}

/* Start tags of elements whose contents are text. */
static void start_text(html_parser *p, html_token *token)
{
    if (token->tag == HTML_XMP) {
        close_p_in_button_scope(p);
        html_reconstruct(p);
    }
    if (token->tag == HTML_PLAINTEXT) {
        close_p_in_button_scope(p);
        html_insert(p, token);
        p->tokenizer.state = HTML_PLAINTEXT_STATE;
        return;
    }
    if (token->tag != HTML_NOEMBED) p->frameset_not_ok = true;
    p->skip_newline = token->tag == HTML_TEXTAREA;
    html_insert_raw(p, token, token->tag == HTML_TEXTAREA ? HTML_RCDATA_STATE : HTML_RAWTEXT_STATE);
}

/* Start tags of block elements. */
static void start_block(html_parser *p, html_token *token, uint8_t rule)
{
    close_p_in_button_scope(p);
    if (rule == HTML_RULE_HEADING && html_categories(p, html_current(p)) & HTML_HEADING)
        html_pop(p);
    html_insert(p, token);
    if (rule != HTML_RULE_PRE) return;
    p->skip_newline = p->frameset_not_ok = true;
}

static void start_object(html_parser *p, html_token *token)
{
    html_reconstruct(p);
    html_insert(p, token);
    html_push_marker(p);
    p->frameset_not_ok = true;
}

static void start_table(html_parser *p, html_token *token)
{
    if (!p->quirks) close_p_in_button_scope(p);
    html_insert(p, token);
    p->frameset_not_ok = true;
    p->mode = p->modes->in_table;
}

static void start_ruby(html_parser *p, html_token *token, html_tag except)
{
    if (html_in_scope(p, HTML_RUBY)) html_generate_implied(p, except);
    html_insert(p, token);
}

static bool start_tag(html_parser *p, html_token *token)
{
    uint8_t rule = rules[token->tag].start;
    switch (rule) {
    case HTML_RULE_HTML:
    case HTML_RULE_BODY:
    case HTML_RULE_FRAMESET: start_outer(p, token); break;
    case HTML_RULE_HEAD: return p->modes->in_head(p, token);
    case HTML_RULE_BLOCK:
    case HTML_RULE_HEADING:
    case HTML_RULE_PRE: start_block(p, token, rule); break;
    case HTML_RULE_FORM: start_form(p, token); break;
    case HTML_RULE_LI:
    case HTML_RULE_ITEM: start_item(p, token); break;
    case HTML_RULE_BUTTON: start_button(p, token); break;
    case HTML_RULE_A:
    case HTML_RULE_NOBR:
    case HTML_RULE_FORMATTING: start_formatting(p, token); break;
    case HTML_RULE_OBJECT: start_object(p, token); break;
    case HTML_RULE_TABLE: start_table(p, token); break;
    case HTML_RULE_IMAGE:
        token->tag = HTML_IMG;
        token->name = hed_css_names_add(p->names, "img", 3);
        if (token->name == CSS_NONE) p->failed = p->stopped = true;
        return true;
    case HTML_RULE_VOID:
        html_reconstruct(p);
        insert_void(p, token);
        p->frameset_not_ok = true;
        break;
    case HTML_RULE_SOURCE: insert_void(p, token); break;
    case HTML_RULE_INPUT: start_input(p, token); break;
    case HTML_RULE_HR: start_hr(p, token); break;
    case HTML_RULE_PLAINTEXT:
    case HTML_RULE_TEXTAREA:
    case HTML_RULE_XMP:
    case HTML_RULE_IFRAME:
    case HTML_RULE_NOEMBED: start_text(p, token); break;
    case HTML_RULE_SELECT: start_select(p, token); break;
    case HTML_RULE_OPTGROUP:
    case HTML_RULE_OPTION: start_option(p, token); break;
    case HTML_RULE_RUBY_BASE: start_ruby(p, token, HTML_UNKNOWN); break;
    case HTML_RULE_RUBY_TEXT: start_ruby(p, token, HTML_RTC); break;
    case HTML_RULE_MATH:
    case HTML_RULE_SVG:
        html_reconstruct(p);
        html_insert_foreign(p, token, token->tag == HTML_SVG ? HED_CSS_SVG : HED_CSS_MATHML);
        if (token->self_closing) html_pop(p);
        break;
    case HTML_RULE_IGNORED: break;
    default:
        html_reconstruct(p);
        html_insert(p, token);
        break;
    }
    return false;
}

/* ---- end tags ---- */

static void end_form(html_parser *p)
{
    if (html_has_open(p, HTML_TEMPLATE)) {
        if (!html_in_scope(p, HTML_FORM)) return;
        html_generate_implied(p, HTML_UNKNOWN);
        html_pop_until(p, HTML_FORM);
        return;
    }
    uint32_t form = p->form;
    p->form = 0;
    if (!form || !html_node_in_scope(p, form)) return;
    html_generate_implied(p, HTML_UNKNOWN);
    html_remove_open(p, form);
}

static void end_heading(html_parser *p)
{
    bool in_scope = false;
    for (int tag = HTML_H1; tag <= HTML_H6; tag++) in_scope |= html_in_scope(p, (html_tag)tag);
    if (!in_scope) return;
    html_generate_implied(p, HTML_UNKNOWN);
    for (bool heading = false; !heading && p->open_count > 1;) {
        heading = html_categories(p, html_current(p)) & HTML_HEADING;
        html_pop(p);
    }
}

/* End tag of an element that has to be in scope. */
static void end_block(html_parser *p, html_tag tag, html_tag except)
{
    if (!html_in_scope(p, tag)) return;
    html_generate_implied(p, except);
    html_pop_until(p, tag);
}

static bool end_tag(html_parser *p, html_token *token)
{
    html_tag tag = token->tag;
    switch (rules[tag].end) {
    case HTML_RULE_TEMPLATE: return p->modes->in_head(p, token);
    case HTML_RULE_BODY:
    case HTML_RULE_HTML:
        if (!html_in_scope(p, HTML_BODY)) break;
        p->mode = p->modes->after_body;
        return tag == HTML_HTML;
    case HTML_RULE_BLOCK: end_block(p, tag, HTML_UNKNOWN); break;
    case HTML_RULE_FORM: end_form(p); break;
    case HTML_RULE_P:
        if (!html_in_button_scope(p, HTML_P)) html_insert_tag(p, HTML_P);
        html_close_p(p);
        break;
    case HTML_RULE_LI:
        if (html_in_list_scope(p, HTML_LI)) end_block(p, HTML_LI, HTML_LI);
        break;
    case HTML_RULE_ITEM: end_block(p, tag, tag); break;
    case HTML_RULE_HEADING: end_heading(p); break;
    case HTML_RULE_FORMATTING: adopt(p, token); break;
    case HTML_RULE_OBJECT:
        if (!html_in_scope(p, tag)) break;
        end_block(p, tag, HTML_UNKNOWN);
        html_clear_to_marker(p);
        break;
    case HTML_RULE_BR:
        html_reconstruct(p);
        html_insert_tag(p, HTML_BR);
        html_pop(p);
        p->frameset_not_ok = true;
        break;
    default: any_other_end_tag(p, token); break;
    }
    return false;
}

bool html_in_body(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        html_reconstruct(p);
        html_insert_characters(p, token->text);
        if (!p->frameset_not_ok) p->frameset_not_ok = !html_is_blank(p, token->text);
        return false;
    case HTML_NULL:
    case HTML_DOCTYPE: return false;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); return false;
    case HTML_START_TAG: return start_tag(p, token);
    case HTML_END_TAG: return end_tag(p, token);
    case HTML_END_OF_FILE: break;
    }
    if (p->template_mode_count) return p->modes->in_template(p, token);
    p->stopped = true;
    return false;
}
