/* Use of the names of a sheet: keyframes, fonts and custom properties that no value mentions are
 * unused. A value is read as words, whatever its property: a word that equals a name but has
 * another meaning counts as a mention, so that a part may stay without need but is never removed
 * wrongly. */
#include "parser.h"

/* Search for used parts: from the words of rules that stay to parts, and from the words of these to
 * further parts. */
struct follower {
    css_parser p; /* names and arrays */
    const hed_css_follow_def *def;
    bool *used;
    struct owned_part {
        const struct css_part *part;
        uint32_t next;  /* next part of the same name, or the end of the list */
        uint32_t after; /* next part to scan, or the end of the list */
        bool live;      /* the rule around it stays */
    } * parts;
    uint32_t count;
    uint32_t *first; /* (name_count) first part of a name in lower case */
    uint32_t name_count, waiting;
    struct css_array run; /* consecutive identifiers with single spaces: an unquoted font family */
};

static bool is_block(const struct css_part *part)
{
    return part->info.kind == HED_CSS_PART_GROUP || part->info.kind == HED_CSS_PART_LAYER;
}

static void use_part(struct follower *f, uint32_t part)
{
    f->used[part] = true;
    f->parts[part].after = f->waiting;
    f->waiting = part;
}

static void mention_name(struct follower *f, uint32_t name)
{
    uint32_t lower = name == CSS_NONE ? CSS_NONE : css_name_lower(f->p.names, name);
    if (lower >= f->name_count) return;
    for (uint32_t i = f->first[lower]; i != CSS_NONE; i = f->parts[i].next)
        if (!f->used[i] && f->parts[i].live) use_part(f, i);
}

/* Mentions a run and each of its ends, as other identifiers may precede a family: in `bold
 * 1em/normal Open Sans` the run is "normal Open Sans". */
static void mention_run(struct follower *f)
{
    const char *text = f->run.items;
    for (uint32_t at = 0; at < f->run.count; at++)
        if (at == 0 || text[at - 1] == ' ')
            mention_name(f, css_name_find(f->p.names, text + at, f->run.count - at));
    f->run.count = 0;
}

/* Appends an identifier to the run; a run of more than eight identifiers starts again. */
static void extend_run(struct follower *f, uint32_t name, uint32_t words)
{
    size_t length, space = f->run.count > 0 && words < 8;
    const char *text = hed_css_names_text(f->p.names, name, &length);
    if (!space) f->run.count = 0;
    if (length >= UINT32_MAX / 2) return;
    char *room = css_push(&f->run, (uint32_t)(space + length), 1, &f->p);
    if (!room) return;
    if (space) *room++ = ' ';
    memcpy(room, text, length);
}

/* Mentions every word of text[begin, end). */
static void mention_words(struct follower *f, const char *text, uint32_t begin, uint32_t end)
{
    css_tokenizer t = {text, begin, end};
    uint32_t words = 0;
    f->p.text = text;
    for (css_token token = css_next(&t); token.type != CSS_END && !f->p.failed;
         token = css_next(&t)) {
        if (token.type == CSS_SPACE) continue;
        bool word = token.type == CSS_IDENT;
        if (!word) {
            if (words > 1) mention_run(f);
            f->run.count = words = 0;
        }
        if (!word && token.type != CSS_STRING) continue;
        uint32_t name = css_token_name(&f->p, &token);
        if (f->p.failed) return;
        mention_name(f, name);
        if (!word) continue;
        extend_run(f, css_name_lower(f->p.names, name), words);
        words++;
    }
    if (words > 1) mention_run(f);
    f->run.count = 0;
}

/* Mentions the words of a used part. */
static void scan_part(struct follower *f, const struct css_part *part)
{
    uint32_t end = (uint32_t)part->info.end, begin = (uint32_t)part->info.begin;
    css_tokenizer t = {part->text, begin, end};
    css_token token = css_next(&t);
    if (part->info.kind == HED_CSS_PART_FONT_FACE ||
        part->info.kind == HED_CSS_PART_FONT_FEATURES ||
        part->info.kind == HED_CSS_PART_FONT_PALETTE)
        return;
    if (part->info.kind == HED_CSS_PART_CUSTOM) begin = token.end;
    if (part->info.kind == HED_CSS_PART_GROUP ||
        part->info.kind == HED_CSS_PART_LAYER) { /* scan the prelude only */
        while (token.type != CSS_END && token.type != CSS_OPEN_CURLY) token = css_next(&t);
        end = token.begin;
    } else if (part->info.kind != HED_CSS_PART_CUSTOM && part->info.kind != HED_CSS_PART_OTHER) {
        while (token.type != CSS_END && token.type != CSS_OPEN_CURLY) token = css_next(&t);
        begin = token.begin; /* a part does not use its own name */
    }
    mention_words(f, part->text, begin, end);
}

static void scan_rule(struct follower *f, const hed_css_sheet *sheet, const css_rule *rule)
{
    if (rule->info.validity != HED_CSS_VALID && !rule->declaration_count) {
        const char *text = rule->info.selector - rule->info.begin;
        mention_words(f, text, (uint32_t)rule->info.begin, (uint32_t)rule->info.end);
        return;
    }
    for (uint32_t i = 0; i < rule->declaration_count; i++) {
        const css_declaration *d = &sheet->declarations[rule->first_declaration + i];
        const char *property = hed_css_names_text(f->p.names, d->property, NULL);
        if (property[0] == '-' && property[1] == '-') continue; /* a separate part */
        mention_words(f, d->value, 0, d->value_length);
    }
}

/* Collects the parts by their names; a custom property is live if its rule stays. */
static void collect_parts(struct follower *f)
{
    uint32_t rule_base = 0, at = 0;
    for (uint32_t s = 0; s < f->def->sheet_count; s++) {
        const hed_css_sheet *sheet = f->def->sheets[s];
        uint32_t rule = 0;
        for (uint32_t i = 0; i < sheet->part_count && !f->p.failed; i++, at++) {
            const struct css_part *part = &sheet->parts[i];
            struct owned_part *collected = &f->parts[at];
            *collected = (struct owned_part){
                part, CSS_NONE, CSS_NONE, part->info.kind != HED_CSS_PART_CUSTOM};
            if (part->info.kind == HED_CSS_PART_CUSTOM) {
                /* numbers rise with rules, and parts are noted inside of rules that may hold
                 * others */
                if (rule < sheet->rule_count && sheet->rules[rule].info.number > part->info.rule)
                    rule = 0;
                while (sheet->rules[rule].info.number < part->info.rule) rule++;
                for (uint32_t r = rule;
                     r < sheet->rule_count && sheet->rules[r].info.number == part->info.rule; r++)
                    collected->live |= f->def->rules[rule_base + r];
            }
            uint32_t name = part->name;
            bool by_name = name != CSS_NONE && part->info.kind != HED_CSS_PART_LAYER;
            if (by_name) name = css_name_lower(f->p.names, name);
            if (by_name && name == CSS_NONE) f->p.failed = true;
            if (!by_name || name >= f->name_count) continue;
            collected->next = f->first[name];
            f->first[name] = at;
        }
        rule_base += sheet->rule_count;
    }
}

static void follow_all(struct follower *f)
{
    collect_parts(f);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct css_part *part = f->parts[i].part;
        if (is_block(part)) continue;
        if (part->name == CSS_NONE || (f->used[i] && f->parts[i].live)) use_part(f, i);
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (is_block(f->parts[i].part)) scan_part(f, f->parts[i].part);
    for (uint32_t s = 0, at = 0; s < f->def->sheet_count; s++)
        for (uint32_t r = 0; r < f->def->sheets[s]->rule_count; r++, at++)
            if (f->def->rules[at]) scan_rule(f, f->def->sheets[s], &f->def->sheets[s]->rules[r]);
    for (uint32_t i = 0; i < f->def->text_count; i++)
        mention_words(f, f->def->texts[i], 0, (uint32_t)f->def->lengths[i]);
    while (f->waiting != CSS_NONE && !f->p.failed) {
        const struct owned_part *next = &f->parts[f->waiting];
        f->waiting = next->after;
        scan_part(f, next->part);
    }
}

hed_status hed_css_follow(const hed_css_follow_def *def, bool *used, hed_error *error)
{
    HED_REQUIRE(def, used);
    if (!def->sheet_count) return HED_OK;
    hed_css_names *names = def->sheets[0]->names;
    hed_arena work = {.allocator = names->allocator, .owner = "names of sheets"};
    struct follower f = {
        .p = {.names = names}, .def = def, .used = used, .waiting = CSS_NONE, .name_count = 0};
    /* add the lower-case names of parts first, so that `first` covers all of them */
    for (uint32_t s = 0; s < def->sheet_count; s++) {
        const hed_css_sheet *sheet = def->sheets[s];
        f.count += sheet->part_count;
        for (uint32_t i = 0; i < sheet->part_count; i++)
            if (sheet->parts[i].name != CSS_NONE &&
                css_name_lower(names, sheet->parts[i].name) == CSS_NONE)
                f.p.failed = true;
    }
    f.name_count = names->count;
    f.parts = hed_arena_new(&work, f.count + 1ull, sizeof *f.parts, NULL);
    f.first = hed_arena_new(&work, f.name_count + 1ull, sizeof *f.first, NULL);
    f.p.failed |= !f.parts || !f.first;
    if (!f.p.failed) {
        memset(f.first, 0xff, f.name_count * sizeof *f.first);
        follow_all(&f);
    }
    css_free_parser(&f.p);
    css_free_array(&names->allocator, &f.run);
    hed_arena_free(&work);
    if (!f.p.failed) return HED_OK;
    return HED_OUT_OF_MEMORY(error, "the names of sheets");
}

/* ---- parts ---- */

uint32_t hed_css_part_count(const hed_css_sheet *sheet)
{
    if (!sheet) return 0;
    return sheet->part_count;
}

hed_css_part hed_css_part_at(const hed_css_sheet *sheet, uint32_t part)
{
    if (!sheet) return (hed_css_part){0};
    hed_css_part info = sheet->parts[part].info;
    uint32_t name = sheet->parts[part].name;
    info.name = name == CSS_NONE ? "" : hed_css_names_text(sheet->names, name, NULL);
    return info;
}
