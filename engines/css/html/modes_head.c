/* Insertion modes up to the body: "initial" to "after head", "text" and "in template". */
#include "html_parser.h"
#include "scan.h"

/* ---- document types ---- */

/* Text of a document type in lower case, cut to `size`. */
static const char *lower_text(const html_parser *p, html_text text, char *lower, size_t size)
{
    const char *from = html_text_of(&p->tokenizer, text);
    size_t length = text.length < size ? text.length : size - 1;
    for (size_t i = 0; i < length; i++) lower[i] = css_ascii_lower(from[i]);
    lower[length] = 0;
    return lower;
}

static bool begins_with(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, list[i], strlen(list[i])) == 0) return true;
    return false;
}

/* True if a document type sets quirks mode. */
static bool is_quirky(const html_parser *p, const html_token *token)
{
    static const char *const exact[] = {
        "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"};
    static const char *const begins[] = {"+//silmaril//dtd html pro v0r11 19970101//",
        "-//as//dtd html 3.0 aswedit + extensions//",
        "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html 2.0 level 1//",
        "-//ietf//dtd html 2.0 level 2//", "-//ietf//dtd html 2.0 strict level 1//",
        "-//ietf//dtd html 2.0 strict level 2//", "-//ietf//dtd html 2.0 strict//",
        "-//ietf//dtd html 2.0//", "-//ietf//dtd html 2.1e//", "-//ietf//dtd html 3.0//",
        "-//ietf//dtd html 3.2 final//", "-//ietf//dtd html 3.2//", "-//ietf//dtd html 3//",
        "-//ietf//dtd html level 0//", "-//ietf//dtd html level 1//", "-//ietf//dtd html level 2//",
        "-//ietf//dtd html level 3//", "-//ietf//dtd html strict level 0//",
        "-//ietf//dtd html strict level 1//", "-//ietf//dtd html strict level 2//",
        "-//ietf//dtd html strict level 3//", "-//ietf//dtd html strict//", "-//ietf//dtd html//",
        "-//metrius//dtd metrius presentational//",
        "-//microsoft//dtd internet explorer 2.0 html strict//",
        "-//microsoft//dtd internet explorer 2.0 html//",
        "-//microsoft//dtd internet explorer 2.0 tables//",
        "-//microsoft//dtd internet explorer 3.0 html strict//",
        "-//microsoft//dtd internet explorer 3.0 html//",
        "-//microsoft//dtd internet explorer 3.0 tables//", "-//netscape comm. corp.//dtd html//",
        "-//netscape comm. corp.//dtd strict html//", "-//o'reilly and associates//dtd html 2.0//",
        "-//o'reilly and associates//dtd html extended 1.0//",
        "-//o'reilly and associates//dtd html extended relaxed 1.0//",
        "-//sq//dtd html 2.0 hotmetal + extensions//",
        "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
        "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
        "-//spyglass//dtd html 2.0 extended//", "-//sun microsystems corp.//dtd hotjava html//",
        "-//sun microsystems corp.//dtd hotjava strict html//", "-//w3c//dtd html 3 1995-03-24//",
        "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//", "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2s draft//", "-//w3c//dtd html 4.0 frameset//",
        "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental 19960712//",
        "-//w3c//dtd html experimental 970421//", "-//w3c//dtd w3 html//",
        "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html 2.0//",
        "-//webtechs//dtd mozilla html//"};
    static const char *const without_system[] = {
        "-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"};
    char name[8], public_id[128], system_id[128];
    lower_text(p, token->doctype_name, name, sizeof name);
    lower_text(p, token->public_id, public_id, sizeof public_id);
    lower_text(p, token->system_id, system_id, sizeof system_id);
    if (token->force_quirks || strcmp(name, "html")) return true;
    for (size_t i = 0; i < HED_COUNT(exact); i++)
        if (strcmp(public_id, exact[i]) == 0) return true;
    return strcmp(system_id, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") == 0 ||
           begins_with(public_id, begins, HED_COUNT(begins)) ||
           (!token->has_system_id &&
               begins_with(public_id, without_system, HED_COUNT(without_system)));
}

/* ---- before the body ---- */

bool html_initial(html_parser *p, html_token *token)
{
    if (token->kind == HTML_CHARACTERS && !html_skip_token_space(p, token, NULL)) return false;
    if (token->kind == HTML_COMMENT) {
        html_insert_comment(p, token, 0);
        return false;
    }
    p->mode = html_before_html;
    p->quirks = true;
    if (token->kind != HTML_DOCTYPE) return true;
    html_insert_node(p, (html_place){0, 0}, html_new_node(p, HTML_NODE_DOCTYPE));
    p->doctype = *token;
    p->quirks = is_quirky(p, token);
    return false;
}

/* True for end tags that act as if there were the start tag of an element that is missing. */
static bool is_outer_end_tag(const html_token *token)
{
    return token->tag == HTML_HEAD || token->tag == HTML_BODY || token->tag == HTML_HTML ||
           token->tag == HTML_BR;
}

bool html_before_html(html_parser *p, html_token *token)
{
    if (token->kind == HTML_DOCTYPE) return false;
    if (token->kind == HTML_CHARACTERS && !html_skip_token_space(p, token, NULL)) return false;
    if (token->kind == HTML_COMMENT) {
        html_insert_comment(p, token, 0);
        return false;
    }
    if (token->kind == HTML_END_TAG && !is_outer_end_tag(token)) return false;
    bool html = token->kind == HTML_START_TAG && token->tag == HTML_HTML;
    if (html) html_insert(p, token);
    else html_insert_tag(p, HTML_HTML);
    p->mode = html_before_head;
    return !html;
}

bool html_before_head(html_parser *p, html_token *token)
{
    if (token->kind == HTML_DOCTYPE) return false;
    if (token->kind == HTML_CHARACTERS && !html_skip_token_space(p, token, NULL)) return false;
    if (token->kind == HTML_COMMENT) {
        html_insert_comment(p, token, CSS_NONE);
        return false;
    }
    bool start = token->kind == HTML_START_TAG;
    if (start && token->tag == HTML_HTML) return p->modes->in_body(p, token);
    if (token->kind == HTML_END_TAG && !is_outer_end_tag(token)) return false;
    bool head = start && token->tag == HTML_HEAD;
    p->head = head ? html_insert(p, token) : html_insert_tag(p, HTML_HEAD);
    p->mode = html_in_head;
    return !head;
}

/* True if an element can get a declarative shadow root. */
static bool takes_shadow_root(const html_parser *p, uint32_t host)
{
    const html_node *n = &p->nodes[host];
    if (!p->shadow_roots || n->name_space != HED_CSS_HTML || p->open_count < 2) return false;
    bool custom =
        n->tag == HTML_UNKNOWN && strchr(hed_css_names_text(p->names, n->name, NULL), '-') != NULL;
    if (!custom && !(html_categories(p, host) & HTML_SHADOW_HOST)) return false;
    for (uint32_t child = n->first; child; child = p->nodes[child].next)
        if (p->nodes[child].flags & HTML_NODE_SHADOW) return false;
    return true;
}

static void start_template(html_parser *p, html_token *token)
{
    size_t length;
    const char *mode = html_token_value(p, token, "shadowrootmode", &length);
    bool shadow = mode && (html_equals(mode, length, "open") || html_equals(mode, length, "closed"));
    shadow = shadow && takes_shadow_root(p, html_current(p));
    html_push_marker(p);
    p->frameset_not_ok = true;
    p->mode = html_in_template;
    html_push_template_mode(p, html_in_template);
    uint32_t template = html_insert(p, token);
    if (shadow && !p->failed) p->nodes[template].flags |= HTML_NODE_SHADOW;
}

/* Start tags "in head"; false: another start tag. */
static bool start_in_head(html_parser *p, html_token *token)
{
    switch (token->tag) {
    case HTML_BASE:
    case HTML_BASEFONT:
    case HTML_BGSOUND:
    case HTML_LINK:
    case HTML_META:
        html_insert(p, token);
        html_pop(p);
        break;
    case HTML_TITLE: html_insert_raw(p, token, HTML_RCDATA_STATE); break;
    case HTML_NOSCRIPT:
        html_insert(p, token);
        p->mode = html_in_head_noscript;
        break;
    case HTML_NOFRAMES:
    case HTML_STYLE: html_insert_raw(p, token, HTML_RAWTEXT_STATE); break;
    case HTML_SCRIPT: html_insert_raw(p, token, HTML_SCRIPT_DATA_STATE); break;
    case HTML_TEMPLATE: start_template(p, token); break;
    case HTML_HEAD: break;
    default: return false;
    }
    return true;
}

bool html_in_head(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_skip_token_space(p, token, html_insert_characters)) return false;
        break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (start_in_head(p, token)) return false;
        break;
    case HTML_END_TAG:
        if (token->tag == HTML_TEMPLATE) {
            if (!html_has_open(p, HTML_TEMPLATE)) return false;
            html_generate_implied_thoroughly(p);
            html_pop_until(p, HTML_TEMPLATE);
            html_clear_to_marker(p);
            if (p->template_mode_count) p->template_mode_count--;
            html_reset_mode(p);
            return false;
        }
        if (!is_outer_end_tag(token)) return false;
        break;
    default: break;
    }
    html_pop(p);
    p->mode = html_after_head;
    return token->kind != HTML_END_TAG || token->tag != HTML_HEAD;
}

bool html_in_head_noscript(html_parser *p, html_token *token)
{
    bool end = token->kind == HTML_END_TAG;
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_skip_token_space(p, token, html_insert_characters)) return false;
        break;
    case HTML_COMMENT:
    case HTML_DOCTYPE: return html_in_head(p, token);
    case HTML_START_TAG:
        switch (token->tag) {
        case HTML_HTML: return p->modes->in_body(p, token);
        case HTML_BASEFONT:
        case HTML_BGSOUND:
        case HTML_LINK:
        case HTML_META:
        case HTML_NOFRAMES:
        case HTML_STYLE: return html_in_head(p, token);
        case HTML_HEAD:
        case HTML_NOSCRIPT: return false;
        default: break;
        }
        break;
    case HTML_END_TAG:
        if (token->tag != HTML_NOSCRIPT && token->tag != HTML_BR) return false;
        break;
    default: break;
    }
    html_pop(p);
    p->mode = html_in_head;
    return !end || token->tag != HTML_NOSCRIPT;
}

bool html_after_head(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_CHARACTERS:
        if (!html_skip_token_space(p, token, html_insert_characters)) return false;
        break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); return false;
    case HTML_DOCTYPE: return false;
    case HTML_START_TAG:
        if (token->tag == HTML_HTML) return p->modes->in_body(p, token);
        if (token->tag == HTML_HEAD) return false;
        if (token->tag == HTML_BODY || token->tag == HTML_FRAMESET) {
            html_insert(p, token);
            p->mode = token->tag == HTML_BODY ? p->modes->in_body : p->modes->in_frameset;
            if (token->tag == HTML_BODY) p->frameset_not_ok = true;
            return false;
        }
        if (token->tag == HTML_NOSCRIPT) break;
        html_push(p, p->head);
        if (start_in_head(p, token)) {
            html_remove_open(p, p->head);
            return false;
        }
        html_pop(p);
        break;
    case HTML_END_TAG:
        if (token->tag == HTML_TEMPLATE) return html_in_head(p, token);
        if (!is_outer_end_tag(token)) return false;
        break;
    default: break;
    }
    html_insert_tag(p, HTML_BODY);
    p->mode = p->modes->in_body;
    return true;
}

/* ---- raw text and templates ---- */

bool html_text_mode(html_parser *p, html_token *token)
{
    if (token->kind == HTML_CHARACTERS) {
        html_insert_characters(p, token->text);
        return false;
    }
    html_pop(p);
    p->mode = p->original_mode;
    return token->kind == HTML_END_OF_FILE;
}

/* Insertion mode for the contents of a template that begin with this tag. */
static html_mode *template_mode_for(const html_parser *p, html_tag tag)
{
    switch (tag) {
    case HTML_CAPTION:
    case HTML_COLGROUP:
    case HTML_TBODY:
    case HTML_TFOOT:
    case HTML_THEAD: return p->modes->in_table;
    case HTML_COL: return p->modes->in_column_group;
    case HTML_TR: return p->modes->in_table_body;
    case HTML_TD:
    case HTML_TH: return p->modes->in_row;
    default: return p->modes->in_body;
    }
}

bool html_in_template(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_START_TAG:
        switch (token->tag) {
        case HTML_BASE:
        case HTML_BASEFONT:
        case HTML_BGSOUND:
        case HTML_LINK:
        case HTML_META:
        case HTML_NOFRAMES:
        case HTML_SCRIPT:
        case HTML_STYLE:
        case HTML_TEMPLATE:
        case HTML_TITLE: return html_in_head(p, token);
        default: break;
        }
        p->mode = template_mode_for(p, token->tag);
        if (p->template_mode_count) p->template_modes[p->template_mode_count - 1] = p->mode;
        return true;
    case HTML_END_TAG: return token->tag == HTML_TEMPLATE && html_in_head(p, token);
    case HTML_END_OF_FILE:
        if (!html_has_open(p, HTML_TEMPLATE)) {
            p->stopped = true;
            return false;
        }
        html_pop_until(p, HTML_TEMPLATE);
        html_clear_to_marker(p);
        if (p->template_mode_count) p->template_mode_count--;
        html_reset_mode(p);
        return true;
    default: return p->modes->in_body(p, token);
    }
}
