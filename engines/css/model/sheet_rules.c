/* Blocks of a style sheet, style rules and their declarations: CSS Syntax Module Level 3, section 5
 * (with its recovery from errors), and Nesting 1. */
#include "sheet_reader.h"

const char css_bare_selector[] = "&";

static css_rule *rule_at(const css_sheet_reader *s, uint32_t rule)
{
    return (css_rule *)s->p.sheet->store[CSS_RULES].items + rule;
}

/* Finds line and column, in characters, of a position not before the last one. */
static void locate(css_sheet_reader *s, uint32_t position)
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

uint32_t css_note_part(css_sheet_reader *s, char kind, uint32_t name, uint32_t begin, uint32_t end)
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
static css_rule *push_rule(css_sheet_reader *s, const css_item *item)
{
    const css_frame *frame = css_top_frame(s);
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
        .condition = frame->condition,
        .scope = frame->scope};
    return rule;
}

/* Ends the rule that the declarations of the top block belong to: declarations after a nested block
 * are a rule of their own (Nesting 1, "nested declarations rules"). */
static void end_declarations(css_sheet_reader *s)
{
    css_frame *frame = css_top_frame(s);
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

void css_close_frame(css_sheet_reader *s)
{
    const css_frame *frame = css_top_frame(s);
    end_declarations(s);
    if (frame->own_rule != CSS_NONE && !s->p.failed)
        rule_at(s, frame->own_rule)->info.end = s->t.at;
    if (frame->part != CSS_NONE && !s->p.failed)
        ((struct css_part *)s->p.sheet->store[CSS_PARTS].items)[frame->part].info.end = s->t.at;
    s->frames.count--;
}

css_frame *css_open_frame(css_sheet_reader *s)
{
    end_declarations(s);
    css_frame inner = *css_top_frame(s), *pushed = css_push(&s->frames, 1, sizeof inner, &s->p);
    if (!pushed) return NULL;
    inner.top = false;
    inner.own_rule = inner.part = CSS_NONE;
    *pushed = inner;
    return pushed;
}

void css_push_condition(css_sheet_reader *s, const char *text, size_t length, bool holds)
{
    css_frame *frame = css_top_frame(s);
    struct css_array *store = &s->p.sheet->store[CSS_CONDITIONS];
    css_condition *condition = css_push(store, 1, sizeof *condition, &s->p);
    if (!condition) return;
    *condition = (css_condition){frame->condition, text, length, holds};
    frame->condition = store->count;
}

/* Begins a rule of nested declarations in the top block: its selectors are those of the style rule
 * around it, each with its own specificity. */
static bool begin_nested_declarations(css_sheet_reader *s, const css_item *first)
{
    css_frame *frame = css_top_frame(s);
    css_item place = {.begin = first->begin, .end = first->begin};
    css_rule *rule = push_rule(s, &place);
    if (!rule) return false;
    frame->rule = s->p.sheet->store[CSS_RULES].count - 1;
    rule->info.selector = css_bare_selector;
    rule->info.selector_length = 1;
    rule->info.specificity = frame->style.specificity;
    rule->info.state = frame->style.state;
    rule->info.changes = frame->style.changes;
    rule->info.shadow = frame->style.shadow;
    rule->info.inside = frame->style.inside;
    rule->info.pseudo_element = frame->pseudo_element;
    rule->list = frame->style.list;
    rule->count = frame->style.count;
    if (!frame->unsupported) return true;
    rule->info.validity = HED_CSS_UNSUPPORTED;
    rule->info.reason = frame->unsupported;
    rule->count = 0;
    return true;
}

void css_read_declaration(css_sheet_reader *s, const css_item *item)
{
    css_frame *frame = css_top_frame(s);
    css_declaration declaration;
    if (item->bad || !frame->nested || !css_make_declaration(&s->p, item, &declaration)) return;
    if (frame->rule == CSS_NONE && !begin_nested_declarations(s, item)) return;
    css_declaration *pushed = css_push(&s->p.declarations, 1, sizeof *pushed, &s->p);
    if (pushed) *pushed = declaration;
    uint32_t part = CSS_NONE, rule = frame->rule;
    if (rule != frame->own_rule)
        rule_at(s, rule)->info.end = item->stop == CSS_SEMICOLON ? s->t.at : item->end;
    if (item->custom)
        part = css_note_part(s, HED_CSS_PART_CUSTOM, declaration.property, item->begin, item->end);
    if (part != CSS_NONE)
        ((struct css_part *)s->p.sheet->store[CSS_PARTS].items)[part].info.rule = rule;
}

static css_parent make_style(const css_list *list, uint32_t scope)
{
    return (css_parent){.list = list->list,
        .count = list->count,
        .specificity = list->specificity,
        .depth = list->depth,
        .state = list->state,
        .changes = list->changes,
        .shadow = list->shadow,
        .inside = list->inside,
        .scope = scope};
}

/* List that `&` represents inside of a rule: its selectors without pseudo-elements. */
static css_parent make_parent(css_sheet_reader *s, const css_list *list)
{
    css_parent parent = make_style(list, css_top_frame(s)->scope);
    if (!list->pseudo_element || !list->count) return parent;
    struct css_array *store = &s->p.sheet->store[CSS_COMPLEXES];
    css_complex *copies = css_push(store, list->count, sizeof *copies, &s->p);
    if (!copies) return parent;
    const css_complex *from = (css_complex *)store->items + list->list;
    const css_compound *compounds = s->p.sheet->store[CSS_COMPOUNDS].items;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const css_compound *last = &compounds[from[i].first + from[i].count - 1];
        if (last->pseudo_element == CSS_NONE && !last->shadow) copies[kept_count++] = from[i];
    }
    parent.list = store->count - list->count;
    store->count = parent.list + kept_count;
    parent.count = kept_count;
    return parent;
}

void css_read_style_rule(css_sheet_reader *s, const css_item *item)
{
    const css_frame *around = css_top_frame(s);
    css_parent parent = around->parent;
    css_list list = {.reason = "a custom property outside of a rule"};
    bool custom =
        item->word && item->custom && !around->nested; /* not a selector, even `--x:hover` */
    bool good = !custom && css_read_selectors(&s->p, item->begin, item->end, &parent, &list);
    css_rule *rule = push_rule(s, item);
    if (!rule) return;
    const char *reason = around->unsupported;
    bool deep = s->frames.count >= CSS_MAX_FRAMES;
    if (!good || list.unsupported) reason = hed_arena_text(&s->p.sheet->arena, list.reason, NULL);
    if (good && deep) reason = "inside of too many blocks";
    if ((!good || list.unsupported) && !reason) {
        s->p.failed = true;
        return;
    }
    rule->info.specificity = list.specificity;
    rule->info.state = list.state;
    rule->info.changes = list.changes;
    rule->info.shadow = list.shadow;
    rule->info.inside = list.inside;
    rule->info.pseudo_element = list.pseudo_element;
    if (reason) {
        rule->info.validity = good ? HED_CSS_UNSUPPORTED : HED_CSS_INVALID;
        rule->info.reason = reason;
    } else {
        rule->list = list.list;
        rule->count = list.count;
        rule->other_browser = list.other_browser;
    }
    if (good) s->stage = CSS_STAGE_RULES;
    if (!good || deep) {
        css_skip_block(&s->p, &s->t);
        rule->info.end = s->t.at;
        return;
    }
    uint32_t number = s->p.sheet->store[CSS_RULES].count - 1;
    css_frame *frame = css_open_frame(s);
    if (!frame) return;
    frame->rule = frame->own_rule = number;
    frame->nested = true;
    frame->pseudo_element = list.pseudo_element;
    if (reason) frame->unsupported = "inside of a rule that is not matched";
    if (reason) list.count = 0;
    frame->style = make_style(&list, frame->scope);
    css_parent inner = make_parent(s, &list);
    css_top_frame(s)->parent = inner;
}
