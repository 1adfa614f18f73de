/* Style sheets: CSS Syntax Module Level 3, section 5 (with its recovery from errors), Cascade 5
 * (@layer, @import), Conditional 3, Nesting 1. Open blocks are on an explicit stack; only @import
 * recurses. The text is copied; selectors and values are slices of the copy. */
#include <stdio.h>

#include "foreign.h"
#include "parser.h"
#include "properties.h"

enum { MOST_FRAMES = 256, MOST_IMPORT_LEVELS = 16, MOST_IMPORTS = 10000 };

/* Text for the selector of nested declarations, whose rule lacks a selector in the text. */
static const char bare_selector[] = "&";

/* Stages of a sheet: @import is valid in the first two, @namespace in the first three. An @layer
 * statement after an @import ends the imports (Cascade 5, section 2). */
enum { STAGE_LAYERS, STAGE_IMPORTS, STAGE_NAMESPACES, STAGE_RULES };

/* An open block. */
struct frame {
    bool top; /* the sheet itself */
    bool applies;
    bool names_layers;   /* all @media and @supports around it hold */
    bool nested;         /* inside of a style rule: declarations are valid */
    bool pseudo_element; /* the style rule around it has a pseudo-element */
    const char
        *unsupported;   /* reason for which rules inside are not matched; NULL: they are matched */
    uint32_t layer;     /* 0: none */
    uint32_t condition; /* see css_rule */
    uint32_t own_rule;  /* style rule whose block it is, or CSS_NONE */
    uint32_t
        rule; /* rule of the next declaration; CSS_NONE: a rule of nested declarations begins */
    uint32_t declarations; /* first declaration of that rule in css_parser */
    uint32_t part;         /* part of the block; CSS_NONE */
    css_parent parent;     /* parent of the rules inside */
    css_parent style;      /* list of the style rule around it, with pseudo-elements */
};

struct sheet_reader {
    css_parser p;
    css_tokenizer t;
    struct css_array frames;
    uint32_t source, imports, import_level, stage;
    uint32_t cursor, line, column; /* last position of locate() */
};

/* ---- layers ---- */

/* Number of layer `name` in layer `parent`; `counts`: it is named effectively. 0: out of memory. */
static uint32_t layer_number(struct sheet_reader *s, uint32_t parent, uint32_t name, bool counts)
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
    struct sheet_reader *s, css_tokenizer *t, css_token *token, uint32_t layer, bool counts)
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

/* ---- frames and rules ---- */

static struct frame *top_frame(const struct sheet_reader *s)
{
    return (struct frame *)s->frames.items + s->frames.count - 1;
}

static css_rule *rule_at(const struct sheet_reader *s, uint32_t rule)
{
    return (css_rule *)s->p.sheet->store[CSS_RULES].items + rule;
}

/* Finds line and column, in characters, of a position not before the last one. */
static void locate(struct sheet_reader *s, uint32_t position)
{
    for (; s->cursor < position; s->cursor++) {
        char c = s->p.text[s->cursor];
        bool newline = c == '\n' || c == '\f' || (c == '\r' && s->p.text[s->cursor + 1] != '\n');
        if (newline) {
            s->line++;
            s->column = 1;
        } else s->column += ((unsigned char)c & 0xc0) != 0x80;
    }
}

/* Adds a part, text[begin, end); returns its number. */
static uint32_t note_part(
    struct sheet_reader *s, char kind, uint32_t name, uint32_t begin, uint32_t end)
{
    struct css_array *store = &s->p.sheet->store[CSS_PARTS];
    struct css_part *part = css_push(store, 1, sizeof *part, &s->p);
    if (!part) return CSS_NONE;
    locate(s, begin);
    *part = (struct css_part){{.kind = kind,
                                  .rule = CSS_NONE,
                                  .line = s->line,
                                  .source = s->source,
                                  .begin = begin,
                                  .end = end},
        name, s->p.text};
    return store->count - 1;
}

/* Adds a rule with its position; the caller completes it. */
static css_rule *push_rule(struct sheet_reader *s, const css_item *item)
{
    const struct frame *frame = top_frame(s);
    css_rule *rule = css_push(&s->p.sheet->store[CSS_RULES], 1, sizeof *rule, &s->p);
    if (!rule) return NULL;
    locate(s, item->begin);
    *rule = (css_rule){.info =
                           {
                               .validity = HED_CSS_VALID,
                               .selector = s->p.text + item->begin,
                               .selector_length = item->end - item->begin,
                               .reason = "",
                               .line = s->line,
                               .column = s->column,
                               .source = s->source,
                               .begin = item->begin,
                               .applies = frame->applies,
                               .number = s->p.sheet->store[CSS_RULES].count - 1,
                           },
        .layer = frame->layer,
        .condition = frame->condition};
    return rule;
}

/* Ends the rule that the declarations of the top block belong to: declarations after a nested block
 * are a rule of their own (Nesting 1, "nested declarations rules"). */
static void end_declarations(struct sheet_reader *s)
{
    struct frame *frame = top_frame(s);
    css_parser *p = &s->p;
    if (frame->rule != CSS_NONE && !p->failed) {
        struct css_array *store = &p->sheet->store[CSS_DECLARATIONS];
        uint32_t count = p->declarations.count - frame->declarations;
        css_declaration *to = css_push(store, count, sizeof *to, p);
        css_rule *rule = rule_at(s, frame->rule);
        if (to) {
            css_copy_tail(to, &p->declarations, frame->declarations, sizeof *to);
            rule->first_declaration = store->count - count;
            rule->declaration_count = count;
            for (uint32_t i = 0; i < count; i++) rule->info.important |= to[i].important;
        }
    }
    p->declarations.count = frame->declarations;
    frame->rule = CSS_NONE;
}

/* Ends the block on top. */
static void close_frame(struct sheet_reader *s)
{
    const struct frame *frame = top_frame(s);
    end_declarations(s);
    if (frame->own_rule != CSS_NONE && !s->p.failed)
        rule_at(s, frame->own_rule)->info.end = s->t.at;
    if (frame->part != CSS_NONE && !s->p.failed)
        ((struct css_part *)s->p.sheet->store[CSS_PARTS].items)[frame->part].info.end = s->t.at;
    s->frames.count--;
}

/* Opens a block inside of the top block, with its members; the caller changes some. */
static struct frame *open_frame(struct sheet_reader *s)
{
    end_declarations(s);
    struct frame inner = *top_frame(s), *pushed = css_push(&s->frames, 1, sizeof inner, &s->p);
    if (!pushed) return NULL;
    inner.top = false;
    inner.own_rule = inner.part = CSS_NONE;
    *pushed = inner;
    return pushed;
}

/* Adds a condition to the top block. */
static void push_condition(struct sheet_reader *s, const char *text, size_t length, bool holds)
{
    struct frame *frame = top_frame(s);
    struct css_array *store = &s->p.sheet->store[CSS_CONDITIONS];
    css_condition *condition = css_push(store, 1, sizeof *condition, &s->p);
    if (!condition) return;
    *condition = (css_condition){frame->condition, text, length, holds};
    frame->condition = store->count;
}

/* Begins a rule of nested declarations in the top block: its selectors are those of the style rule
 * around it, each with its own specificity. */
static bool begin_nested_declarations(struct sheet_reader *s, const css_item *first)
{
    struct frame *frame = top_frame(s);
    css_item place = {.begin = first->begin, .end = first->begin};
    css_rule *rule = push_rule(s, &place);
    if (!rule) return false;
    frame->rule = s->p.sheet->store[CSS_RULES].count - 1;
    rule->info.selector = bare_selector;
    rule->info.selector_length = 1;
    rule->info.specificity = frame->style.specificity;
    rule->info.state = frame->style.state;
    rule->info.pseudo_element = frame->pseudo_element;
    rule->list = frame->style.list;
    rule->count = frame->style.count;
    if (!frame->unsupported) return true;
    rule->info.validity = HED_CSS_UNSUPPORTED;
    rule->info.reason = frame->unsupported;
    rule->count = 0;
    return true;
}

static void read_declaration(struct sheet_reader *s, const css_item *item)
{
    struct frame *frame = top_frame(s);
    css_declaration declaration;
    if (item->bad || !frame->nested || !css_make_declaration(&s->p, item, &declaration)) return;
    if (frame->rule == CSS_NONE && !begin_nested_declarations(s, item)) return;
    css_declaration *pushed = css_push(&s->p.declarations, 1, sizeof *pushed, &s->p);
    if (pushed) *pushed = declaration;
    uint32_t part = CSS_NONE, rule = frame->rule;
    if (rule != frame->own_rule)
        rule_at(s, rule)->info.end = item->stop == CSS_SEMICOLON ? s->t.at : item->end;
    if (item->custom)
        part = note_part(s, HED_CSS_PART_CUSTOM, declaration.property, item->begin, item->end);
    if (part != CSS_NONE)
        ((struct css_part *)s->p.sheet->store[CSS_PARTS].items)[part].info.rule = rule;
}

static css_parent make_style(const css_list *list)
{
    return (css_parent){list->list, list->count, list->specificity, list->depth, list->state};
}

/* List that `&` represents inside of a rule: its selectors without pseudo-elements. */
static css_parent make_parent(struct sheet_reader *s, const css_list *list)
{
    css_parent parent = make_style(list);
    if (!list->pseudo_element || !list->count) return parent;
    struct css_array *store = &s->p.sheet->store[CSS_COMPLEXES];
    css_complex *copies = css_push(store, list->count, sizeof *copies, &s->p);
    if (!copies) return parent;
    const css_complex *from = (css_complex *)store->items + list->list;
    const css_compound *compounds = s->p.sheet->store[CSS_COMPOUNDS].items;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (compounds[from[i].first + from[i].count - 1].pseudo_element == CSS_NONE)
            copies[kept_count++] = from[i];
    parent.list = store->count - list->count;
    store->count = parent.list + kept_count;
    parent.count = kept_count;
    return parent;
}

static void read_style_rule(struct sheet_reader *s, const css_item *item)
{
    const struct frame *around = top_frame(s);
    css_parent parent = around->parent;
    css_list list = {.reason = "a custom property outside of a rule"};
    bool custom =
        item->word && item->custom && !around->nested; /* not a selector, even `--x:hover` */
    bool good = !custom && css_read_selectors(&s->p, item->begin, item->end, &parent, &list);
    css_rule *rule = push_rule(s, item);
    if (!rule) return;
    const char *reason = around->unsupported;
    bool deep = s->frames.count >= MOST_FRAMES;
    if (!good || list.unsupported) reason = hed_arena_text(&s->p.sheet->arena, list.reason, NULL);
    if (good && deep) reason = "inside of too many blocks";
    if ((!good || list.unsupported) && !reason) {
        s->p.failed = true;
        return;
    }
    rule->info.specificity = list.specificity;
    rule->info.state = list.state;
    rule->info.pseudo_element = list.pseudo_element;
    if (reason) {
        rule->info.validity = good ? HED_CSS_UNSUPPORTED : HED_CSS_INVALID;
        rule->info.reason = reason;
    } else {
        rule->list = list.list;
        rule->count = list.count;
    }
    if (good) s->stage = STAGE_RULES;
    if (!good || deep) {
        css_skip_block(&s->p, &s->t);
        rule->info.end = s->t.at;
        return;
    }
    uint32_t number = s->p.sheet->store[CSS_RULES].count - 1;
    struct frame *frame = open_frame(s);
    if (!frame) return;
    frame->rule = frame->own_rule = number;
    frame->nested = true;
    frame->pseudo_element = list.pseudo_element;
    if (reason) frame->unsupported = "inside of a rule that is not matched";
    if (reason) list.count = 0;
    frame->style = make_style(&list);
    css_parent inner = make_parent(s, &list);
    top_frame(s)->parent = inner;
}

/* ---- at-rules ---- */

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

/* Adds an at-rule without style rules as a part. */
static void read_other_block(
    struct sheet_reader *s, const char *name, const css_item *prelude, uint32_t begin)
{
    static const char *const others[] = {"page", "counter-style", "font-feature-values",
        "font-palette-values", "position-try", "view-transition", "color-profile", "function"};
    uint32_t block = s->t.at, part_name = CSS_NONE;
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next(&t);
    css_skip_block(&s->p, &s->t);
    char kind = HED_CSS_PART_OTHER;
    if (strcmp(name, "keyframes") == 0) kind = HED_CSS_PART_KEYFRAMES;
    else if (strcmp(name, "font-face") == 0) kind = HED_CSS_PART_FONT_FACE;
    else if (strcmp(name, "property") == 0) kind = HED_CSS_PART_PROPERTY;
    if (kind == HED_CSS_PART_FONT_FACE) {
        struct font_family family = {s->p.names, CSS_NONE};
        uint32_t end = s->t.at - (s->t.at > block && s->p.text[s->t.at - 1] == '}');
        if (!css_read_declarations(
                s->p.names, s->p.text + block, end - block, see_font_family, &family))
            s->p.failed = true;
        part_name = family.name;
    } else if (kind != HED_CSS_PART_OTHER && (token.type == CSS_IDENT || token.type == CSS_STRING))
        part_name = css_token_name(&s->p, &token); /* parts of kind OTHER need no name */
    bool is_known = kind != HED_CSS_PART_OTHER;
    for (size_t i = 0; i < HED_COUNT(others); i++) is_known |= strcmp(name, others[i]) == 0;
    if (is_known) s->stage = STAGE_RULES;
    note_part(s, kind, part_name, begin, s->t.at);
}

/* Opens a block of rules, and adds it as a part. False: the block is skipped, as its kind is OTHER
 * or it is nested too deep. */
static bool open_group(
    struct sheet_reader *s, hed_css_part_kind kind, uint32_t name, uint32_t begin)
{
    bool whole = kind != HED_CSS_PART_OTHER && s->frames.count < MOST_FRAMES;
    if (!whole) {
        css_skip_block(&s->p, &s->t);
        kind = HED_CSS_PART_OTHER;
        name = CSS_NONE;
    }
    uint32_t part = note_part(s, kind, name, begin, s->t.at);
    struct frame *frame = whole ? open_frame(s) : NULL;
    if (frame) frame->part = part;
    return frame != NULL;
}

/* @layer a, b.c; or @layer name { */
static void read_layer(struct sheet_reader *s, const css_item *prelude, uint32_t begin)
{
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next_solid(&t);
    uint32_t around = top_frame(s)->layer, layer = 0;
    bool counts = top_frame(s)->names_layers;
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
        if (good && s->stage == STAGE_IMPORTS) s->stage = STAGE_NAMESPACES;
        return;
    }
    s->stage = STAGE_RULES;
    uint32_t length = prelude->end - prelude->begin, name = CSS_NONE;
    if (good && length) name = hed_css_names_add(s->p.names, s->p.text + prelude->begin, length);
    if (open_group(s, good ? HED_CSS_PART_LAYER : HED_CSS_PART_OTHER, name, begin))
        top_frame(s)->layer = layer;
}

static void read_namespace(struct sheet_reader *s, const css_item *prelude)
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
    s->stage = STAGE_NAMESPACES;
}

static void read_text(struct sheet_reader *s, const char *text, size_t length);

/* Reads the text that an @import names. */
static void import_text(struct sheet_reader *s, const char *url, bool applies, uint32_t layer,
    const css_item *condition)
{
    const hed_css_sheet_def *def = &s->p.sheet->def;
    size_t length = 0;
    if (!def->import || s->import_level == MOST_IMPORT_LEVELS || s->imports == MOST_IMPORTS) return;
    const char *text = def->import(def->user, s->source, url, &length);
    if (!text) return;
    struct sheet_reader around = *s;
    struct frame *frame = open_frame(s);
    if (!frame) return;
    frame->applies &= applies;
    frame->names_layers &= applies;
    frame->layer = layer;
    frame->top = true;
    if (condition)
        push_condition(s, s->p.text + condition->begin, condition->end - condition->begin, applies);
    s->source = ++s->imports;
    s->import_level++;
    s->p.prefixes = (struct css_array){0};
    read_text(s, text, length);
    css_free_array(&s->p.names->allocator, &s->p.prefixes);
    s->p.prefixes = around.p.prefixes;
    s->p.text = around.p.text;
    s->t = around.t;
    s->source = around.source;
    s->import_level = around.import_level;
    s->stage = around.stage;
    s->cursor = around.cursor;
    s->line = around.line;
    s->column = around.column;
    if (s->frames.count) s->frames.count--;
}

/* @import url layer(name) supports(condition) media; */
static void read_import(struct sheet_reader *s, const css_item *prelude, uint32_t rule_begin)
{
    css_tokenizer t = {s->p.text, prelude->begin, prelude->end};
    css_token token = css_next_solid(&t), url = token;
    uint32_t layer = top_frame(s)->layer;
    bool applies = true;
    if (token.type == CSS_FUNCTION && css_is(s->p.text, &token, "url")) {
        url = css_next_solid(&t);
        if (css_next_solid(&t).type != CSS_CLOSE_ROUND) return;
    }
    if (url.type != CSS_STRING && url.type != CSS_URL) return;
    s->stage = STAGE_IMPORTS;
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
    css_item whole = {.begin = rule_begin, .end = prelude->end};
    bool conditional = token.type != CSS_END;
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
    if (s->p.failed) return;
    if (applies && top_frame(s)->names_layers) css_layer_name(&s->p.sheet->layers, layer);
    import_text(s, address, applies, layer, conditional ? &whole : NULL);
}

/* Opens the block of an at-rule that contains style rules; false: another at-rule. */
static bool read_group(
    struct sheet_reader *s, const char *name, const css_item *prelude, uint32_t begin)
{
    bool applies = true;
    const char *unsupported = NULL;
    if (strcmp(name, "media") == 0) applies = css_media_holds(&s->p, prelude->begin, prelude->end);
    else if (strcmp(name, "supports") == 0)
        applies = css_supports_holds(&s->p, prelude->begin, prelude->end, false);
    else if (strcmp(name, "starting-style") == 0) applies = false;
    else if (strcmp(name, "container") == 0 && !s->p.medium.container_count)
        unsupported = "inside of @container";
    else if (strcmp(name, "container") == 0)
        applies = css_container_holds(&s->p, prelude->begin, prelude->end);
    else if (strcmp(name, "scope") == 0) unsupported = "inside of @scope";
    else return false;
    s->stage = STAGE_RULES;
    if (!open_group(s, HED_CSS_PART_GROUP, CSS_NONE, begin)) return true;
    struct frame *frame = top_frame(s);
    frame->applies &= applies;
    frame->names_layers &= applies || strcmp(name, "starting-style") == 0;
    if (unsupported) frame->unsupported = unsupported;
    push_condition(s, s->p.text + begin, prelude->end - begin, applies);
    return true;
}

static void read_at_rule(struct sheet_reader *s, const css_token *at)
{
    char word[48];
    const char *name = word;
    bool whole = top_frame(s)->top;
    css_keyword(s->p.text, at, word, sizeof word);
    if (strcmp(word, "-webkit-keyframes") == 0 || strcmp(word, "-moz-keyframes") == 0 ||
        strcmp(word, "-o-keyframes") == 0)
        name = "keyframes";
    css_item prelude = css_scan_item(&s->p, &s->t, css_next_solid(&s->t), true, !whole);
    if (s->p.failed) return;
    if (strcmp(name, "layer") == 0) read_layer(s, &prelude, at->begin);
    else if (prelude.stop == CSS_OPEN_CURLY) {
        if (!read_group(s, name, &prelude, at->begin))
            read_other_block(s, name, &prelude, at->begin);
    } else if (whole && strcmp(name, "import") == 0 && s->stage <= STAGE_IMPORTS)
        read_import(s, &prelude, at->begin);
    else if (whole && strcmp(name, "namespace") == 0 && s->stage <= STAGE_NAMESPACES)
        read_namespace(s, &prelude);
    if (!whole && prelude.stop != CSS_OPEN_CURLY)
        note_part(s, HED_CSS_PART_OTHER, CSS_NONE, at->begin, s->t.at);
}

/* ---- sheets ---- */

/* Splits each rule into one rule for each selector of its list. */
static void split_rules(struct sheet_reader *s)
{
    struct css_array *store = &s->p.sheet->store[CSS_RULES], whole = *store;
    const css_rule *rules = whole.items;
    const css_complex *complexes = s->p.sheet->store[CSS_COMPLEXES].items;
    *store = (struct css_array){0};
    for (uint32_t i = 0; i < whole.count; i++) {
        const css_rule *rule = &rules[i];
        uint32_t count = rule->count ? rule->count : 1;
        css_rule *split = css_push(store, count, sizeof *split, &s->p);
        if (!split) break;
        /* the list of a bare selector belongs to the enclosing rule, so it is not split */
        const char *text = rule->info.selector - rule->info.begin;
        bool has_list = rule->info.selector != bare_selector;
        for (uint32_t k = 0; k < count; k++) {
            split[k] = *rule;
            if (!has_list || !rule->count) continue;
            const css_complex *complex = &complexes[rule->list + k];
            split[k].list = rule->list + k;
            split[k].count = 1;
            split[k].info.selector = text + complex->begin;
            split[k].info.selector_length = complex->end - complex->begin;
            split[k].info.specificity = complex->specificity;
            split[k].info.state = complex->state;
            if (!complex->shadow) continue;
            split[k].info.validity = HED_CSS_UNSUPPORTED;
            split[k].info.reason = "about shadow trees, which are not matched";
            split[k].count = 0;
        }
        if (!has_list) store->count -= count - 1;
    }
    css_free_array(&s->p.names->allocator, &whole);
}

static void read_items(struct sheet_reader *s)
{
    uint32_t base = s->frames.count;
    while (!s->p.failed) {
        struct frame *frame = top_frame(s);
        css_token token = css_next(&s->t);
        switch (token.type) {
        case CSS_END:
            while (s->frames.count > base) close_frame(s);
            return;
        case CSS_SPACE: continue;
        case CSS_CDO:
        case CSS_CDC:
            if (frame->top) continue;
            break;
        case CSS_SEMICOLON:
            if (!frame->top) continue;
            break;
        case CSS_CLOSE_CURLY:
            if (frame->top) break;
            close_frame(s);
            continue;
        case CSS_AT: read_at_rule(s, &token); continue;
        default: break;
        }
        css_item item = css_scan_item(&s->p, &s->t, token, !frame->top, !frame->top);
        if (s->p.failed) return;
        if (item.stop == CSS_OPEN_CURLY) read_style_rule(s, &item);
        else read_declaration(s, &item);
    }
}

/* Reads a copy of a text into the top block. */
static void read_text(struct sheet_reader *s, const char *text, size_t length)
{
    if (length >= UINT32_MAX) s->p.failed = s->p.limit = true;
    char *copy = s->p.failed ? NULL : hed_arena_new(&s->p.sheet->arena, length + 1, 1, NULL);
    if (!copy) {
        s->p.failed = true;
        return;
    }
    if (length) memcpy(copy, text, length);
    uint32_t begin = length >= 3 && memcmp(copy, "\357\273\277", 3) == 0 ? 3 : 0;
    s->p.text = copy;
    s->t = (css_tokenizer){copy, begin, (uint32_t)length};
    s->cursor = begin;
    s->line = s->source == 0 && s->p.sheet->def.line ? s->p.sheet->def.line : 1;
    s->column = 1;
    s->stage = STAGE_LAYERS;
    read_items(s);
}

/* Sets the arrays of the sheet. */
static void finish_sheet(struct sheet_reader *s)
{
    hed_css_sheet *sheet = s->p.sheet;
    const struct css_array *store = sheet->store;
    sheet->rules = store[CSS_RULES].items;
    sheet->rule_count = store[CSS_RULES].count;
    sheet->complexes = store[CSS_COMPLEXES].items;
    sheet->complex_count = store[CSS_COMPLEXES].count;
    sheet->compounds = store[CSS_COMPOUNDS].items;
    sheet->compound_count = store[CSS_COMPOUNDS].count;
    sheet->simples = store[CSS_SIMPLES].items;
    sheet->simple_count = store[CSS_SIMPLES].count;
    sheet->declarations = store[CSS_DECLARATIONS].items;
    sheet->declaration_count = store[CSS_DECLARATIONS].count;
    sheet->words = store[CSS_WORDS].items;
    sheet->word_count = store[CSS_WORDS].count;
    sheet->parts = store[CSS_PARTS].items;
    sheet->part_count = store[CSS_PARTS].count;
    css_layers_order(&sheet->layers);
    for (uint32_t i = 0; i < sheet->rule_count; i++)
        sheet->rules[i].info.layer = sheet->layers.items[sheet->rules[i].layer].order;
}

hed_css_medium hed_default_css_medium(void)
{
    return (hed_css_medium){.type = "screen",
        .width = 1920,
        .height = 1080,
        .resolution = 1,
        .hover = true,
        .fine_pointer = true};
}

/* Opens the frame of the sheet itself. */
static void begin_sheet(struct sheet_reader *s)
{
    const char *media = s->p.sheet->def.media;
    struct frame *frame = css_push(&s->frames, 1, sizeof *frame, &s->p);
    if (!frame) return;
    *frame = (struct frame){.top = true,
        .applies = true,
        .names_layers = true,
        .own_rule = CSS_NONE,
        .rule = CSS_NONE,
        .parent = {.count = CSS_NONE}};
    if (!media) return;
    s->p.text = media;
    bool applies = css_media_holds(&s->p, 0, (uint32_t)strlen(media));
    top_frame(s)->applies = top_frame(s)->names_layers = applies;
    size_t size = strlen(media) + sizeof "@media ";
    char *text = hed_arena_new(&s->p.sheet->arena, size, 1, NULL);
    s->p.failed |= !text;
    if (text) push_condition(s, text, (size_t)snprintf(text, size, "@media %s", media), applies);
}

hed_status hed_css_sheet_create(
    hed_css_names *names, const hed_css_sheet_def *def, hed_css_sheet **sheet, hed_error *error)
{
    HED_REQUIRE(names, def, sheet);
    if ((!def->text && def->length) || (def->media && strlen(def->media) >= UINT32_MAX))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a sheet: its text is NULL, or its media attribute too long");
    *sheet = NULL;
    const char *file = def->file ? def->file : "sheet";
    if (css_refuse_foreign(def->text, def->length, file, "a style sheet", error))
        return error->status;
    hed_css_sheet *created = hed_new(&names->allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = names->allocator;
    created->arena = (hed_arena){.allocator = names->allocator, .owner = "a sheet"};
    created->names = names;
    created->def = *def;
    struct sheet_reader s = {.p = {.sheet = created, .names = names, .medium = def->medium}};
    if (!s.p.medium.type && s.p.medium.width == 0) s.p.medium = hed_default_css_medium();
    s.p.failed = !css_layers_open(&created->layers, &names->allocator);
    begin_sheet(&s);
    if (!s.p.failed) read_text(&s, def->text, def->length);
    if (!s.p.failed && def->split) split_rules(&s);
    if (!s.p.failed) finish_sheet(&s);
    /* texts of the definition belong to the caller */
    created->def.text = created->def.media = NULL;
    created->def.file = hed_arena_text(&created->arena, def->file ? def->file : "sheet", NULL);
    s.p.failed |= !created->def.file;
    css_free_parser(&s.p);
    css_free_array(&names->allocator, &s.frames);
    if (!s.p.failed) {
        *sheet = created;
        return HED_OK;
    }
    hed_css_sheet_destroy(created);
    if (s.p.limit)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: too large: at most 4 GiB of text", file);
    return hed_fail(error, HED_ERROR_MEMORY, "%s: out of memory for the sheet", file);
}

void hed_css_sheet_destroy(hed_css_sheet *sheet)
{
    if (!sheet) return;
    hed_allocator allocator = sheet->allocator;
    for (int i = 0; i < CSS_STORES; i++) css_free_array(&allocator, &sheet->store[i]);
    css_layers_close(&sheet->layers);
    hed_arena_free(&sheet->arena);
    hed_delete(&allocator, sheet, 1, sizeof *sheet);
}
