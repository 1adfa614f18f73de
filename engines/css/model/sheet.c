/* Style sheets: items of a text, imports, and the finished sheet. Only @import recurses. The text is
 * copied; selectors and values are slices of the copy. */
#include <stdio.h>

#include "foreign.h"
#include "sheet_reader.h"

enum { MOST_IMPORT_LEVELS = 16, MOST_IMPORTS = 10000 };

/* Splits each rule into one rule for each selector of its list. */
static void split_rules(css_sheet_reader *s)
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
        bool has_list = rule->info.selector != css_bare_selector;
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
            split[k].info.changes = complex->changes;
            split[k].info.shadow = complex->shadow;
            split[k].info.inside = complex->inside;
        }
        if (!has_list) store->count -= count - 1;
    }
    css_free_array(&s->p.names->allocator, &whole);
}

static void read_text(css_sheet_reader *s, const char *text, size_t length);

/* Reads the text that an @import names. */
static void import_text(css_sheet_reader *s, const css_import *import)
{
    const hed_css_sheet_def *def = &s->p.sheet->def;
    size_t length = 0;
    if (!def->import || s->import_level == MOST_IMPORT_LEVELS || s->imports == MOST_IMPORTS) return;
    const char *text = def->import(def->user, s->source, import->url, &length);
    if (!text) return;
    css_sheet_reader around = *s;
    css_frame *frame = css_open_frame(s);
    if (!frame) return;
    frame->applies &= import->applies;
    frame->names_layers &= import->applies;
    frame->layer = import->layer;
    frame->top = true;
    const css_item *condition = &import->condition;
    if (import->has_condition)
        css_push_condition(
            s, s->p.text + condition->begin, condition->end - condition->begin, import->applies);
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

static void read_items(css_sheet_reader *s)
{
    uint32_t base = s->frames.count;
    while (!s->p.failed) {
        css_frame *frame = css_top_frame(s);
        css_token token = css_next(&s->t);
        switch (token.type) {
        case CSS_END:
            while (s->frames.count > base) css_close_frame(s);
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
            css_close_frame(s);
            continue;
        case CSS_AT: {
            css_import import = css_read_at_rule(s, &token);
            if (import.url) import_text(s, &import);
            continue;
        }
        default: break;
        }
        css_item item = css_scan_item(&s->p, &s->t, token, !frame->top, !frame->top);
        if (s->p.failed) return;
        if (item.stop == CSS_OPEN_CURLY) css_read_style_rule(s, &item);
        else css_read_declaration(s, &item);
    }
}

/* Reads a copy of a text into the top block. */
static void read_text(css_sheet_reader *s, const char *text, size_t length)
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
    s->stage = CSS_STAGE_LAYERS;
    read_items(s);
}

/* Sets the arrays of the sheet. */
static void finish_sheet(css_sheet_reader *s)
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
    sheet->scopes = store[CSS_SCOPES].items;
    sheet->scope_count = store[CSS_SCOPES].count;
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
static void begin_sheet(css_sheet_reader *s)
{
    const char *media = s->p.sheet->def.media;
    css_frame *frame = css_push(&s->frames, 1, sizeof *frame, &s->p);
    if (!frame) return;
    *frame = (css_frame){.top = true,
        .applies = true,
        .names_layers = true,
        .own_rule = CSS_NONE,
        .rule = CSS_NONE,
        .parent = {.count = CSS_NONE}};
    if (!media) return;
    s->p.text = media;
    bool applies = css_media_holds(&s->p, 0, (uint32_t)strlen(media));
    css_top_frame(s)->applies = css_top_frame(s)->names_layers = applies;
    size_t size = strlen(media) + sizeof "@media ";
    char *text = hed_arena_new(&s->p.sheet->arena, size, 1, NULL);
    s->p.failed |= !text;
    if (text) css_push_condition(s, text, (size_t)snprintf(text, size, "@media %s", media), applies);
}

hed_status hed_css_sheet_create(
    hed_css_names *names, const hed_css_sheet_def *def, hed_css_sheet **sheet, hed_error *error)
{
    HED_REQUIRE(names, def, sheet);
    if ((!def->text && def->length) || (def->media && strlen(def->media) >= UINT32_MAX))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a sheet: its text is NULL, or its media attribute too long");
    if (def->medium && !def->medium->type)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_css_medium.type is NULL; expected a type such as \"screen\"");
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
    css_sheet_reader s = {.p = {.sheet = created,
                              .names = names,
                              .medium = def->medium ? *def->medium : hed_default_css_medium()}};
    s.p.failed = !css_layers_open(&created->layers, &names->allocator);
    begin_sheet(&s);
    if (!s.p.failed) read_text(&s, def->text, def->length);
    if (!s.p.failed && def->split) split_rules(&s);
    if (!s.p.failed) finish_sheet(&s);
    /* texts of the definition belong to the caller */
    created->def.text = created->def.media = NULL;
    created->def.medium = NULL;
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
