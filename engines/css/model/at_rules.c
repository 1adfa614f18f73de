/* Readers of at-rules: Cascade 5 (@layer, @import), Conditional 3 (@media, @supports), Namespaces 3.
 * At-rules without style rules inside become parts. */
#include "properties.h"
#include "sheet_reader.h"

/* Number of layer `name` in layer `parent`; `counts`: it is named effectively. 0: out of memory. */
static uint32_t layer_number(css_sheet_reader *s, uint32_t parent, uint32_t name, bool counts)
{
    css_layers *layers = &s->p.sheet->layers;
    uint32_t number = s->p.failed ? CSS_NONE : css_layer_number(layers, parent, name);
    s->p.failed |= number == CSS_NONE;
    if (s->p.failed) return 0;
    if (counts) css_layer_name(layers, number);
    return number;
}

/* Reads a dotted name from `token` on; `token` becomes the one after it. 0: no valid name. */
static uint32_t read_layer_name(
    css_sheet_reader *s, css_tokenizer *t, css_token *token, uint32_t layer, bool counts)
{
    for (;;) {
        char word[16];
        css_keyword(s->p.text, token, word, sizeof word);
        if (token->type != CSS_IDENT || css_wide_keyword(word)) return 0;
        layer = layer_number(s, layer, css_token_name(&s->p, token), counts);
        *token = css_next(t);
        if (!css_is_delim(s->p.text, token, '.')) return layer;
        *token = css_next(t);
    }
}

struct font_family {
    hed_css_names *names;
    uint32_t name;
};

static void see_font_family(void *user, const css_declaration *declaration)
{
    struct font_family *family = user;
    const char *property = hed_css_names_text(family->names, declaration->property, NULL);
    if (strcmp(property, "font-family") != 0) return;
    const char *text = declaration->value;
    size_t length = declaration->value_length;
    if (length >= 2 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0]) {
        text++;
        length -= 2;
    }
    /* names with escapes, comments or repeated spaces are not compared: such a font counts as
     * used */
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\' || text[i] == '/' || (unsigned char)text[i] < ' ' ||
            (text[i] == ' ' && text[i + 1] == ' '))
            return;
    family->name = hed_css_names_add(family->names, text, length);
}

static hed_css_part_kind part_kind(const char *name)
{
    static const struct {
        const char *name;
        hed_css_part_kind kind;
    } kinds[] = {{"keyframes", HED_CSS_PART_KEYFRAMES}, {"font-face", HED_CSS_PART_FONT_FACE},
        {"property", HED_CSS_PART_PROPERTY}, {"counter-style", HED_CSS_PART_COUNTER_STYLE},
        {"font-palette-values", HED_CSS_PART_FONT_PALETTE},
        {"font-feature-values", HED_CSS_PART_FONT_FEATURES},
        {"position-try", HED_CSS_PART_POSITION_TRY}};
    for (size_t i = 0; i < HED_COUNT(kinds); i++)
        if (strcmp(name, kinds[i].name) == 0) return kinds[i].kind;
    return HED_CSS_PART_OTHER;
}

/* True if a counter style is that of a list's attribute `type`, or of lists by default. */
static bool is_list_type(const css_sheet_reader *s, const css_token *token)
{
    static const char *const types[] = {"decimal", "disc", "circle", "square", "lower-alpha",
        "upper-alpha", "lower-roman", "upper-roman"};
    for (size_t i = 0; i < HED_COUNT(types); i++)
        if (css_is(s->p.text, token, types[i])) return true;
    return false;
}

/* Adds an at-rule without style rules as a part. */
static void read_other_block(
    css_sheet_reader *s, const char *name, const css_item *prelude, uint32_t begin)
{
    static const char *const other_rules[] = {
        "page", "view-transition", "color-profile", "function"};
    uint32_t block = s->t.at, part_name = CSS_NONE;
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next(&t);
    css_skip_block(&s->p, &s->t);
    hed_css_part_kind kind = part_kind(name);
    if (kind == HED_CSS_PART_FONT_FACE) {
        struct font_family family = {s->p.names, CSS_NONE};
        uint32_t end = s->t.at - (s->t.at > block && s->p.text[s->t.at - 1] == '}');
        if (!css_read_declarations(
                s->p.names, s->p.text + block, end - block, see_font_family, &family))
            s->p.failed = true;
        part_name = family.name;
    } else if (kind == HED_CSS_PART_FONT_FEATURES && css_next_solid(&t).type != CSS_END)
        part_name = CSS_NONE; /* a list of families counts as used */
    else if (kind != HED_CSS_PART_OTHER && (token.type == CSS_IDENT || token.type == CSS_STRING) &&
             !(kind == HED_CSS_PART_COUNTER_STYLE && is_list_type(s, &token)))
        part_name = css_token_name(&s->p, &token); /* parts of kind OTHER need no name */
    bool is_known = kind != HED_CSS_PART_OTHER;
    for (size_t i = 0; i < HED_COUNT(other_rules); i++)
        is_known |= strcmp(name, other_rules[i]) == 0;
    if (is_known) s->stage = CSS_STAGE_RULES;
    css_note_part(s, kind, part_name, begin, s->t.at);
}

/* Opens a block of rules, and adds it as a part. False: the block is skipped, as its kind is OTHER
 * or it is nested too deep. */
static bool open_group(css_sheet_reader *s, hed_css_part_kind kind, uint32_t name, uint32_t begin)
{
    bool whole = kind != HED_CSS_PART_OTHER && s->frames.count < CSS_MAX_FRAMES;
    if (!whole) {
        css_skip_block(&s->p, &s->t);
        kind = HED_CSS_PART_OTHER;
        name = CSS_NONE;
    }
    uint32_t part = css_note_part(s, kind, name, begin, s->t.at);
    css_frame *frame = whole ? css_open_frame(s) : NULL;
    if (frame) frame->part = part;
    return frame != NULL;
}

/* @layer a, b.c; or @layer name { */
static void read_layer(css_sheet_reader *s, const css_item *prelude, uint32_t begin)
{
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next_solid(&t);
    uint32_t around = css_top_frame(s)->layer, layer = 0;
    bool counts = css_top_frame(s)->names_layers;
    bool block = prelude->stop == CSS_OPEN_CURLY, good = true;
    css_tokenizer after_first = t;
    css_token first = token;
    if (token.type == CSS_END && block) layer = layer_number(s, around, CSS_NONE, counts);
    else /* pass 0 checks all names, pass 1 names the layers */
        for (int pass = 0; pass < 2 && good; pass++, t = after_first, token = first)
            for (;; token = css_next_solid(&t)) {
                layer = read_layer_name(s, &t, &token, around, counts && pass);
                while (token.type == CSS_SPACE) token = css_next(&t);
                good = layer && (token.type == CSS_END || (token.type == CSS_COMMA && !block));
                if (!good || token.type == CSS_END) break;
            }
    if (!block) {
        if (good && s->stage == CSS_STAGE_IMPORTS) s->stage = CSS_STAGE_NAMESPACES;
        return;
    }
    s->stage = CSS_STAGE_RULES;
    uint32_t length = prelude->end - prelude->begin, name = CSS_NONE;
    if (good && length) name = hed_css_names_add(s->p.names, s->p.text + prelude->begin, length);
    if (open_group(s, good ? HED_CSS_PART_LAYER : HED_CSS_PART_OTHER, name, begin))
        css_top_frame(s)->layer = layer;
}

static void read_namespace(css_sheet_reader *s, const css_item *prelude)
{
    static const struct {
        const char *url;
        uint32_t types, attributes;
    } name_spaces[] = {{"http://www.w3.org/1999/xhtml", 1 + HED_CSS_HTML, 4},
        {"http://www.w3.org/2000/svg", 1 + HED_CSS_SVG, 4},
        {"http://www.w3.org/1998/Math/MathML", 1 + HED_CSS_MATHML, 4},
        {"http://www.w3.org/1999/xlink", 1 + HED_CSS_OTHER, 1},
        {"http://www.w3.org/XML/1998/namespace", 1 + HED_CSS_OTHER, 2},
        {"http://www.w3.org/2000/xmlns/", 1 + HED_CSS_OTHER, 3}, {"", 0, 0}};
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next_solid(&t);
    css_prefix prefix = {CSS_NONE, 1 + HED_CSS_OTHER, 4};
    if (token.type == CSS_IDENT) {
        prefix.prefix = css_token_name(&s->p, &token);
        token = css_next_solid(&t);
    }
    if (token.type == CSS_FUNCTION && css_is(s->p.text, &token, "url")) {
        token = css_next_solid(&t);
        if (token.type == CSS_STRING && css_next_solid(&t).type != CSS_CLOSE_ROUND) return;
    }
    if ((token.type != CSS_STRING && token.type != CSS_URL) || css_next_solid(&t).type != CSS_END)
        return;
    size_t length;
    const char *url = hed_css_names_text(s->p.names, css_token_name(&s->p, &token), &length);
    for (size_t i = 0; i < HED_COUNT(name_spaces) && !s->p.failed; i++)
        if (length == strlen(name_spaces[i].url) && memcmp(url, name_spaces[i].url, length) == 0) {
            prefix.name_space = name_spaces[i].types;
            prefix.attributes = name_spaces[i].attributes;
        }
    css_prefix *pushed = css_push(&s->p.prefixes, 1, sizeof prefix, &s->p);
    if (pushed) *pushed = prefix;
    s->stage = CSS_STAGE_NAMESPACES;
}

/* @import url layer(name) supports(condition) media; */
static css_import read_import(css_sheet_reader *s, const css_item *prelude, uint32_t rule_begin)
{
    css_import no_import = {0};
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next_solid(&t), url = token;
    uint32_t layer = css_top_frame(s)->layer;
    bool applies = true;
    if (token.type == CSS_FUNCTION && css_is(s->p.text, &token, "url")) {
        url = css_next_solid(&t);
        if (css_next_solid(&t).type != CSS_CLOSE_ROUND) return no_import;
    }
    if (url.type != CSS_STRING && url.type != CSS_URL) return no_import;
    s->stage = CSS_STAGE_IMPORTS;
    const char *address = hed_css_names_text(s->p.names, css_token_name(&s->p, &url), NULL);
    css_tokenizer rest = t;
    token = css_next_solid(&t);
    bool in_layer = css_is(s->p.text, &token, "layer");
    if (token.type == CSS_IDENT && in_layer) {
        layer = layer_number(s, layer, CSS_NONE, false);
        rest = t;
    } else if (token.type == CSS_FUNCTION && in_layer) {
        css_token name = css_next_solid(&t);
        uint32_t named_layer = read_layer_name(s, &t, &name, layer, false);
        while (name.type == CSS_SPACE) name = css_next(&t);
        if (named_layer && name.type == CSS_CLOSE_ROUND) {
            layer = named_layer;
            rest = t;
        }
    }
    t = rest;
    token = css_next_solid(&t);
    bool has_condition = token.type != CSS_END;
    if (token.type == CSS_FUNCTION && css_is(s->p.text, &token, "supports")) {
        uint32_t base = s->p.brackets.count, begin = token.end;
        do {
            css_pass(&s->p, &token);
            token = css_next(&t);
        } while (token.type != CSS_END && !s->p.failed &&
                 !(s->p.brackets.count == base + 1 && css_closes(&s->p, &token)));
        s->p.brackets.count = base;
        applies = css_supports_holds(&s->p, begin, token.begin, true);
        rest = t;
    }
    applies &= css_media_holds(&s->p, rest.at, prelude->end);
    if (s->p.failed) return no_import;
    if (applies && css_top_frame(s)->names_layers) css_layer_name(&s->p.sheet->layers, layer);
    return (css_import){.url = address,
        .applies = applies,
        .has_condition = has_condition,
        .layer = layer,
        .condition = {.begin = rule_begin, .end = prelude->end}};
}

/* ---- @scope ---- */

/* Reads a selector list in round brackets, of an @scope; *good becomes false if there is none. */
static css_list read_scope_list(
    css_sheet_reader *s, css_tokenizer *t, const css_parent *parent, bool *good)
{
    css_list list = {0};
    css_token token = css_next_solid(t);
    uint32_t base = s->p.brackets.count, begin = token.end;
    if (token.type != CSS_OPEN_ROUND) {
        *good = false;
        return list;
    }
    do {
        css_pass(&s->p, &token);
        token = css_next(t);
    } while (token.type != CSS_END && !s->p.failed &&
             !(s->p.brackets.count == base + 1 && css_closes(&s->p, &token)));
    s->p.brackets.count = base;
    *good = *good && css_read_selectors(&s->p, begin, token.begin, parent, &list) &&
            !list.pseudo_element;
    return list;
}

/* Reads `(roots) to (limits)`, each of which may be missing. *number: 1 + number of the scope.
 * Returns NULL, or the reason for which rules inside of the scope are not matched; false in *good:
 * the prelude is invalid. */
static const char *read_scope(
    css_sheet_reader *s, const css_item *prelude, uint32_t *number, bool *good)
{
    const css_frame *frame = css_top_frame(s);
    css_scope scope = {.around = frame->scope};
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end}, first = t;
    css_token token = css_next_solid(&t);
    const char *unsupported = frame->unsupported;
    uint32_t next = s->p.sheet->store[CSS_SCOPES].count + 1;
    scope.implicit = token.type != CSS_OPEN_ROUND;
    if (!scope.implicit) {
        css_list roots = read_scope_list(s, &first, &frame->parent, good);
        scope.roots = roots.list;
        scope.root_count = roots.count;
        if (roots.unsupported) unsupported = "inside of an @scope that is not matched";
        t = first;
        token = css_next_solid(&t);
    }
    if (*good && token.type == CSS_IDENT && css_is(s->p.text, &token, "to")) {
        const css_parent inside = {.count = CSS_NONE, .scope = next};
        css_list limits = read_scope_list(s, &t, &inside, good);
        scope.limits = limits.list;
        scope.limit_count = limits.count;
        if (limits.unsupported) unsupported = "inside of an @scope that is not matched";
        token = css_next_solid(&t);
    }
    *good = *good && token.type == CSS_END;
    if (!*good) return NULL;
    scope.self = css_push_scope_root(&s->p);
    css_scope *pushed = css_push(&s->p.sheet->store[CSS_SCOPES], 1, sizeof *pushed, &s->p);
    if (pushed) *pushed = scope;
    *number = next;
    return unsupported;
}

/* Opens the block of an @scope: `&` is its root, which also takes declarations. */
static void open_scope(css_sheet_reader *s, const css_item *prelude, uint32_t begin)
{
    bool good = true;
    uint32_t number = 0;
    const char *unsupported = read_scope(s, prelude, &number, &good);
    if (!open_group(s, good ? HED_CSS_PART_GROUP : HED_CSS_PART_OTHER, CSS_NONE, begin)) return;
    css_frame *frame = css_top_frame(s);
    const css_scope *scope = (css_scope *)s->p.sheet->store[CSS_SCOPES].items + number - 1;
    frame->scope = number;
    frame->unsupported = unsupported;
    frame->parent = (css_parent){.count = CSS_NONE, .scope = number};
    frame->style = (css_parent){.list = scope->self, .count = 1, .scope = number};
    frame->nested = true;
    frame->pseudo_element = false;
    css_push_condition(s, s->p.text + begin, prelude->end - begin, true);
}

/* Opens the block of an at-rule that contains style rules; false: another at-rule. */
static bool read_group(
    css_sheet_reader *s, const char *name, const css_item *prelude, uint32_t begin)
{
    bool applies = true;
    const char *unsupported = NULL;
    if (strcmp(name, "scope") == 0) {
        s->stage = CSS_STAGE_RULES;
        open_scope(s, prelude, begin);
        return true;
    }
    if (strcmp(name, "media") == 0) applies = css_media_holds(&s->p, prelude->begin, prelude->end);
    else if (strcmp(name, "supports") == 0)
        applies = css_supports_holds(&s->p, prelude->begin, prelude->end, false);
    else if (strcmp(name, "starting-style") == 0) applies = false;
    else if (strcmp(name, "container") == 0 && !s->p.medium.container_count) {
        /* a split sheet is compared by its selectors alone */
        if (!s->p.sheet->def.split) unsupported = "inside of @container";
    } else if (strcmp(name, "container") == 0)
        applies = css_container_holds(&s->p, prelude->begin, prelude->end);
    else return false;
    s->stage = CSS_STAGE_RULES;
    if (!open_group(s, HED_CSS_PART_GROUP, CSS_NONE, begin)) return true;
    css_frame *frame = css_top_frame(s);
    frame->applies &= applies;
    frame->names_layers &= applies || strcmp(name, "starting-style") == 0;
    if (unsupported) frame->unsupported = unsupported;
    css_push_condition(s, s->p.text + begin, prelude->end - begin, applies);
    return true;
}

css_import css_read_at_rule(css_sheet_reader *s, const css_token *at)
{
    char word[48];
    const char *name = word;
    bool whole = css_top_frame(s)->top;
    css_keyword(s->p.text, at, word, sizeof word);
    if (strcmp(word, "-webkit-keyframes") == 0 || strcmp(word, "-moz-keyframes") == 0 ||
        strcmp(word, "-o-keyframes") == 0)
        name = "keyframes";
    css_item prelude = css_scan_item(&s->p, &s->t, css_next_solid(&s->t), true, !whole);
    if (s->p.failed) return (css_import){0};
    if (strcmp(name, "layer") == 0) read_layer(s, &prelude, at->begin);
    else if (prelude.stop == CSS_OPEN_CURLY) {
        if (!read_group(s, name, &prelude, at->begin))
            read_other_block(s, name, &prelude, at->begin);
    } else if (whole && strcmp(name, "import") == 0 && s->stage <= CSS_STAGE_IMPORTS)
        return read_import(s, &prelude, at->begin);
    else if (whole && strcmp(name, "namespace") == 0 && s->stage <= CSS_STAGE_NAMESPACES)
        read_namespace(s, &prelude);
    if (!whole && prelude.stop != CSS_OPEN_CURLY)
        css_note_part(s, HED_CSS_PART_OTHER, CSS_NONE, at->begin, s->t.at);
    return (css_import){0};
}
