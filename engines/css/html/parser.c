/* The parser: start and end of a parse, the choice of the rules for a token, and
 * table of insertion modes. */
#include "html_parser.h"
#include "scan.h"

static const html_modes modes = {.initial = html_initial,
    .before_html = html_before_html,
    .before_head = html_before_head,
    .in_head = html_in_head,
    .in_head_noscript = html_in_head_noscript,
    .after_head = html_after_head,
    .in_body = html_in_body,
    .text = html_text_mode,
    .in_table = html_in_table,
    .in_table_text = html_in_table_text,
    .in_caption = html_in_caption,
    .in_column_group = html_in_column_group,
    .in_table_body = html_in_table_body,
    .in_row = html_in_row,
    .in_cell = html_in_cell,
    .in_template = html_in_template,
    .after_body = html_after_body,
    .in_frameset = html_in_frameset,
    .after_frameset = html_after_frameset,
    .after_after_body = html_after_after_body,
    .after_after_frameset = html_after_after_frameset};

/* ---- tokens ---- */

/* True if the rules of the insertion mode apply to a token in a foreign element; false: the rules
 * for foreign content. */
static bool is_html_content(const html_parser *p, const html_token *token)
{
    bool at_context = p->open_count == 1 && p->fragment, characters, start;
    const html_node *n = &p->nodes[html_current(p)];
    bool math_point = n->flags & HTML_NODE_MATH_POINT, html_point = n->flags & HTML_NODE_HTML_POINT;
    html_tag tag = (html_tag)n->tag;
    if (token->kind == HTML_END_OF_FILE) return true;
    if (at_context) {
        tag = p->context;
        html_point = p->context_is_integration && p->context_space == HED_CSS_SVG;
        math_point = p->context_is_integration && p->context_space == HED_CSS_MATHML;
    }
    characters = token->kind == HTML_CHARACTERS || token->kind == HTML_NULL;
    start = token->kind == HTML_START_TAG;
    if (math_point &&
        (characters || (start && token->tag != HTML_MGLYPH && token->tag != HTML_MALIGNMARK)))
        return true;
    uint8_t name_space = at_context ? p->context_space : n->name_space;
    if (name_space == HED_CSS_MATHML && tag == HTML_ANNOTATION_XML && start &&
        token->tag == HTML_SVG)
        return true;
    return html_point && (characters || start);
}

static void process(html_parser *p, html_token *token)
{
    if (p->skip_newline) {
        p->skip_newline = false;
        if (token->kind == HTML_CHARACTERS && *html_text_of(&p->tokenizer, token->text) == '\n') {
            token->text.begin++;
            if (!--token->text.length) return;
        }
    }
    for (bool reprocess = true; reprocess && !p->failed;)
        reprocess = !p->tokenizer.foreign || is_html_content(p, token) ? p->mode(p, token)
                                                                       : html_in_foreign(p, token);
}

/* ---- start and end ---- */

/* Prepares the parse of a fragment: context element, root element, states. */
static void start_fragment(html_parser *p, const char *context)
{
    p->fragment = true;
    if (strncmp(context, "svg ", 4) == 0) p->context_space = HED_CSS_SVG;
    if (strncmp(context, "math ", 5) == 0) p->context_space = HED_CSS_MATHML;
    if (p->context_space != HED_CSS_HTML) context = strchr(context, ' ') + 1;
    char name[32];
    size_t length = strlen(context);
    if (length >= sizeof name) length = sizeof name - 1;
    for (size_t i = 0; i < length; i++) name[i] = css_ascii_lower(context[i]);
    html_tag tag = p->context = html_find_tag(name, length);
    if (p->context_space == HED_CSS_SVG)
        p->context_is_integration =
            tag == HTML_FOREIGNOBJECT || tag == HTML_DESC || tag == HTML_TITLE;
    if (p->context_space == HED_CSS_MATHML)
        p->context_is_integration = tag == HTML_MI || tag == HTML_MO || tag == HTML_MN ||
                                    tag == HTML_MS || tag == HTML_MTEXT;
    bool html = p->context_space == HED_CSS_HTML;
    if (html && (tag == HTML_TITLE || tag == HTML_TEXTAREA)) p->tokenizer.state = HTML_RCDATA_STATE;
    if (html && (tag == HTML_STYLE || tag == HTML_XMP || tag == HTML_IFRAME ||
                    tag == HTML_NOEMBED || tag == HTML_NOFRAMES))
        p->tokenizer.state = HTML_RAWTEXT_STATE;
    if (html && tag == HTML_SCRIPT) p->tokenizer.state = HTML_SCRIPT_DATA_STATE;
    if (html && tag == HTML_PLAINTEXT) p->tokenizer.state = HTML_PLAINTEXT_STATE;
    html_insert_tag(p, HTML_HTML);
    if (html && tag == HTML_TEMPLATE) html_push_template_mode(p, html_in_template);
    html_reset_mode(p);
    if (html && tag == HTML_FORM) p->form = html_new_node(p, HTML_NODE_ELEMENT);
}

bool html_parse(html_parser *p, hed_css_names *names, const html_source *source)
{
    html_token token = {0};
    *p = (html_parser){.names = names,
        .allocator = names->allocator,
        .modes = &modes,
        .mode = html_initial,
        .line = 1,
        .shadow_roots = source->shadow_roots,
        .keep_all = source->keep_all,
        .dir_name = hed_css_names_add(names, "dir", 3),
        .max_nodes = (uint64_t)HTML_MAX_CLONES * source->length + (1u << 16)};
    html_tokenizer_init(&p->tokenizer, names, source->text, source->length);
    p->newline = html_find(source->text, p->tokenizer.end, '\n', '\n', '\n');
    p->open = hed_new(&p->allocator, HTML_MAX_OPEN, sizeof *p->open, NULL);
    p->formatting = hed_new(&p->allocator, HTML_MAX_FORMATTING, sizeof *p->formatting, NULL);
    bool room = html_grow(&p->allocator, &p->nodes, &p->node_room, source->length / 32 + 16,
                    sizeof *p->nodes) &&
                html_grow(&p->allocator, &p->attributes, &p->attribute_room,
                    source->length / 100 + 16, sizeof *p->attributes);
    if (!p->open || !p->formatting || !room || p->dir_name == CSS_NONE || p->tokenizer.failed)
        return false;
    html_new_node(p, HTML_NODE_DOCUMENT);
    if (source->context) start_fragment(p, source->context);
    while (!p->stopped) {
        html_next(&p->tokenizer, &token);
        process(p, &token);
    }
    while (p->open_count > 1) html_pop(p);
    return !p->failed && !p->tokenizer.failed;
}

void html_parser_free(html_parser *p)
{
    html_tokenizer_free(&p->tokenizer);
    hed_delete(&p->allocator, p->nodes, p->node_room, sizeof *p->nodes);
    hed_delete(&p->allocator, p->attributes, p->attribute_room, sizeof *p->attributes);
    hed_delete(&p->allocator, p->open, HTML_MAX_OPEN, sizeof *p->open);
    hed_delete(&p->allocator, p->formatting, HTML_MAX_FORMATTING, sizeof *p->formatting);
    hed_delete(&p->allocator, p->template_modes, p->template_mode_room, sizeof *p->template_modes);
    hed_delete(&p->allocator, p->table_text, p->table_text_room, sizeof *p->table_text);
}
