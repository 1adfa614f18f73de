/* See survey.h. */
#include "survey.h"

#include <stdlib.h>
#include <string.h>

#include "support/binary.h"
#include "verdict.h"

/* Limits of a batch; a large page has 40 bytes of HTML for each element. */
enum { BATCH_ELEMENTS = 400000, BATCH_PAGES = 256 };

/* Pages that are matched together. */
typedef struct batch {
    hed_css_names *names;
    hed_css_document *documents[BATCH_PAGES];
    css_links links[BATCH_PAGES];
    uint32_t count, first_page;
    uint32_t elements;
} batch;

static void batch_clear(hed_css_unused *u, batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        hed_css_document_destroy(b->documents[i]);
        hed_delete(u->allocator, b->links[i].files, b->links[i].room, sizeof(uint32_t));
    }
    hed_css_names_destroy(b->names);
    *b = (batch){0};
}

/* ---- reading ---- */

static void see_style(void *user, const char *text, size_t length)
{
    hed_css_unused *u = user;
    uint32_t number = hed_css_names_add(u->styles, text, length);
    u->name_lost |= number == HED_CSS_NONE;
    if (number != HED_CSS_NONE && number >= u->style_count) u->style_count = number + 1;
}

hed_status hed_css_unused_link(hed_css_unused *unused, uint32_t sheet, hed_error *error)
{
    HED_REQUIRE(unused);
    css_links *links = unused->linking;
    unused->names_unknown |= sheet == HED_CSS_NONE;
    if (sheet == HED_CSS_NONE) return HED_OK;
    if (sheet >= unused->file_count || !links)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "sheet %unused cannot be linked; expected one of %unused sheets, in a call of `link`",
            sheet, unused->file_count);
    if (!unused->files[sheet].judged) return HED_OK;
    for (uint32_t i = 0; i < links->count; i++)
        if (links->files[i] == sheet) return HED_OK;
    hed_error local = {0};
    links->files =
        css_grow(unused->allocator, links->files, &links->room, links->count, sizeof sheet, &local);
    if (hed_failed(&local)) return hed_fail(error, local.status, "%s", local.text);
    links->files[links->count++] = sheet;
    unused->files[sheet].pages++;
    return HED_OK;
}

/* Links the sheets that the definition names for a page, and reads its <style> elements for the
 * names that they use. */
static hed_status link_page(
    hed_css_unused *u, uint32_t page, const hed_css_document *document, hed_error *error)
{
    const hed_css_unused_page *def = &u->def.pages[page];
    uint32_t count = def->sheets ? def->sheet_count : u->def.sheet_count;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++)
        hed_css_unused_link(u, def->sheets ? def->sheets[i] : i, error);
    count = hed_css_document_describe(document).style_sheets;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        const char *href, *media;
        hed_css_unused_sheet style = {.sheet.name = def->html.name, .only_names = true};
        style.sheet.text = hed_css_document_sheet(document, i, &style.sheet.length, &href, &media);
        if (style.sheet.text) hed_css_unused_add_sheet(u, &style, NULL, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Refuses a page that would make every rule unused. */
static hed_status refuse_page(const hed_css_text *page, hed_error *error)
{
    bool empty = false;
    if (hed_refuse_binary(page->name, page->text, page->length, "HTML", error)) return error->status;
    const char *kind = hed_css_template_kind(page->name, page->text, page->length, &empty);
    if (kind)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: text is %s; expected a page as browsers get it (HTML). Give the built page, or the "
            "text as words",
            page->name, kind);
    if (empty)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: page has no element (%zu bytes); expected HTML. Build the page first", page->name,
            page->length);
    return HED_OK;
}

/* Creates the document of a page; NULL without an error: the page is left out. */
static hed_css_document *open_page(
    hed_css_unused *u, uint32_t page, hed_css_names *names, hed_error *error)
{
    const hed_css_text *html = &u->def.pages[page].html;
    hed_css_document *document = NULL;
    const hed_css_document_def def = {
        .html = html->text, .html_length = html->length, .file = html->name, .templates = true};
    if (!html->text && u->def.open) u->def.open(u->def.user, page, names, &document, error);
    else if (refuse_page(html, error) == HED_OK)
        hed_css_document_create(names, &def, &document, error);
    return document;
}

static hed_status batch_add(hed_css_unused *u, batch *b, uint32_t page, hed_error *error)
{
    if (!b->count) b->first_page = u->page_count;
    if (!b->names) hed_css_names_create(u->allocator, &b->names, error);
    if (hed_failed(error)) return error->status;
    hed_css_document *document = open_page(u, page, b->names, error);
    if (!document) {
        u->page_total--;
        return hed_failed(error) ? error->status : HED_OK;
    }
    b->documents[b->count] = document;
    u->linking = &b->links[b->count++];
    if (u->def.link && !hed_failed(error)) u->def.link(u->def.user, u, page, document, error);
    else if (!hed_failed(error)) link_page(u, page, document, error);
    u->linking = NULL;
    hed_css_document_styles(document, see_style, u);
    if (u->page_names) css_verdict_page(u, document, error);
    hed_css_document_info info = hed_css_document_describe(document);
    b->elements += info.elements;
    u->pages[u->page_count++] = (hed_css_page_use){
        .name = u->def.pages[page].html.name, .elements = info.elements, .possible = info.possible};
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- matching ---- */

/* Sheets of a batch, made with its table of names, and work space for counting its results. */
typedef struct matching {
    hed_arena arena;
    hed_css_sheet **sheets;
    uint32_t *files; /* (sheet_count) */
    uint32_t sheet_count;
    uint32_t *rule_file, *rule_head; /* (rules) file, and first selector of the list */
    uint32_t *rule_number;           /* (rules) number in all files */
    uint32_t *rule_page, *head_page; /* (rules) 1 + last page with a match of it, of its list */
    uint32_t *file_page;             /* (files) 1 + last page that names it */
    uint32_t *class_page, *tally,
        *first;        /* (classes) 1 + last page, its elements, its first element */
    uint32_t *touched; /* classes of a page in the order of their first elements */
} matching;

static hed_status matching_open(
    const hed_css_unused *u, matching *m, const batch *b, hed_error *error)
{
    uint32_t *linked = hed_arena_new(&m->arena, u->file_count + 1, sizeof *linked, error);
    m->sheets = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->sheets, error);
    m->files = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->files, error);
    m->file_page = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->file_page, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t d = 0; d < b->count; d++)
        for (uint32_t i = 0; i < b->links[d].count; i++) linked[b->links[d].files[i]] = 1;
    for (uint32_t i = 0; i < u->file_count && !hed_failed(error); i++) {
        const css_file *file = &u->files[i];
        if (!linked[i] || !file->rules) continue;
        const hed_css_sheet_def def = {.text = file->text,
            .length = file->length,
            .file = file->name,
            .origin = HED_CSS_AUTHOR,
            .split = true};
        if (hed_css_sheet_create(b->names, &def, &m->sheets[m->sheet_count], error) == HED_OK)
            m->files[m->sheet_count++] = i;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status matching_room(
    const hed_css_unused *u, matching *m, const hed_css_result *r, hed_error *error)
{
    uint32_t **by_rule[] = {
        &m->rule_file, &m->rule_head, &m->rule_page, &m->head_page, &m->rule_number};
    uint32_t **by_class[] = {&m->class_page, &m->tally, &m->first, &m->touched};
    for (size_t i = 0; i < HED_COUNT(by_rule); i++)
        *by_rule[i] = hed_arena_new(&m->arena, r->rules + 1ull, sizeof(uint32_t), error);
    for (size_t i = 0; i < HED_COUNT(by_class); i++)
        *by_class[i] = hed_arena_new(&m->arena, r->classes + 1ull, sizeof(uint32_t), error);
    if (hed_failed(error)) return error->status;
    for (uint32_t sheet = 0, rule = 0; sheet < m->sheet_count; sheet++) {
        const css_file *file = &u->files[m->files[sheet]];
        for (uint32_t i = 0; i < file->rules; i++, rule++) {
            bool continues_list = i && hed_css_rule_at(file->sheet, i).number ==
                                           hed_css_rule_at(file->sheet, i - 1).number;
            m->rule_file[rule] = m->files[sheet];
            m->rule_number[rule] = file->first_rule + i;
            m->rule_head[rule] = continues_list ? m->rule_head[rule - 1] : rule;
        }
    }
    return HED_OK;
}

/* Counts the elements of a class on a page for a selector that matches them. */
static void use_selector(hed_css_unused *u, matching *m, const hed_css_document *document,
    uint32_t page, uint32_t rule, uint32_t class, hed_error *error)
{
    css_use *use = &u->uses[m->rule_number[rule]];
    if (m->file_page[m->rule_file[rule]] != page + 1) return;
    use->elements += m->tally[class] ? m->tally[class] : 1;
    if (m->rule_page[rule] == page + 1) return;
    m->rule_page[rule] = page + 1;
    if (m->head_page[m->rule_head[rule]] != page + 1) {
        m->head_page[m->rule_head[rule]] = page + 1;
        u->pages[page].rules++;
    }
    if (use->pages++) return;
    char element[160];
    hed_css_element_text(document, m->first[class], element, sizeof element);
    use->page = page;
    use->line = hed_css_element_line(document, m->first[class]);
    use->element = hed_arena_text(&u->arena, element, error);
}

/* Counts the selectors that a page uses. `classes`: class of each element of the page. */
static void collect_page(hed_css_unused *u, matching *m, const batch *b, uint32_t document,
    const hed_css_result *r, const uint32_t *classes, hed_error *error)
{
    uint32_t page = b->first_page + document, touched = 0;
    for (uint32_t i = 0; i < b->links[document].count; i++)
        m->file_page[b->links[document].files[i]] = page + 1;
    uint32_t page_elements = u->pages[page].elements - u->pages[page].possible;
    for (uint32_t e = 0; e < u->pages[page].elements; e++) {
        uint32_t c = classes[e];
        if (m->class_page[c] != page + 1) {
            m->class_page[c] = page + 1;
            m->tally[c] = 0;
            m->first[c] = e;
            m->touched[touched++] = c;
        }
        m->tally[c] += e < page_elements;
    }
    for (uint32_t i = 0; i < touched && !hed_failed(error); i++)
        for (uint32_t c = m->touched[i], k = r->class_begin[c]; k < r->class_begin[c + 1]; k++)
            use_selector(u, m, b->documents[document], page, r->rule[k], c, error);
}

static hed_status batch_match(hed_css_unused *u, batch *b, hed_error *error)
{
    matching m = {.arena = {.allocator = u->arena.allocator, .owner = "a batch of pages"}};
    hed_css_matcher *matcher = NULL;
    matching_open(u, &m, b, error);
    u->uses = css_grow(u->allocator, u->uses, &u->use_room, u->rules, sizeof *u->uses, error);
    const hed_css_matcher_def def = {.documents = b->documents,
        .document_count = b->count,
        .sheets = m.sheets,
        .sheet_count = m.sheet_count,
        .states_possible = true};
    if (m.sheet_count && hed_css_matcher_create(NULL, &def, &matcher, error) == HED_OK &&
        hed_css_match(matcher, error) == HED_OK) {
        hed_css_result result = hed_css_matcher_results(matcher);
        const uint32_t *classes = result.element_class;
        matching_room(u, &m, &result, error);
        for (uint32_t d = 0; d < b->count && !hed_failed(error); d++) {
            collect_page(u, &m, b, d, &result, classes, error);
            classes += u->pages[b->first_page + d].elements;
        }
    }
    hed_css_matcher_destroy(matcher);
    for (uint32_t i = 0; i < m.sheet_count; i++) hed_css_sheet_destroy(m.sheets[i]);
    hed_arena_free(&m.arena);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- names that are used ---- */

static hed_status follow_names(hed_css_unused *u, hed_error *error)
{
    hed_arena arena = {.allocator = u->arena.allocator, .owner = "the names in sheets"};
    bool *stays = hed_arena_new(&arena, u->rules + 1ull, sizeof *stays, error);
    hed_css_sheet **sheets = hed_arena_new(&arena, u->file_count + 1ull, sizeof *sheets, error);
    const char **texts = hed_arena_new(&arena, u->style_count + 1ull, sizeof *texts, error);
    size_t *lengths = hed_arena_new(&arena, u->style_count + 1ull, sizeof *lengths, error);
    for (uint32_t i = 0; i < u->file_count && lengths; i++) {
        const css_file *file = &u->files[i];
        sheets[i] = file->sheet;
        for (uint32_t r = 0; r < file->rules; r++)
            stays[file->first_rule + r] = css_judgement(u, file, r) != HED_CSS_UNUSED;
    }
    for (uint32_t i = 0; i < u->style_count && lengths; i++)
        texts[i] = hed_css_names_text(u->styles, i, &lengths[i]);
    const hed_css_follow_def def = {sheets, u->file_count, stays, texts, lengths, u->style_count};
    if (lengths) hed_css_follow(&def, u->used, error);
    hed_arena_free(&arena);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Counts the rules that only one page uses. */
static void count_unique_rules(hed_css_unused *u)
{
    for (uint32_t i = 0; i < u->file_count; i++) {
        const css_file *file = &u->files[i];
        for (uint32_t r = 0, next; r < file->rules; r = next) {
            uint32_t number = hed_css_rule_at(file->sheet, r).number, page = HED_CSS_NONE;
            bool alone = true;
            for (next = r;
                 next < file->rules && hed_css_rule_at(file->sheet, next).number == number;
                 next++) {
                const css_use *use = &u->uses[file->first_rule + next];
                if (!use->pages) continue;
                alone &= use->pages == 1 && (page == HED_CSS_NONE || page == use->page);
                page = use->page;
            }
            if (alone && page != HED_CSS_NONE) u->pages[page].unique_rules++;
        }
    }
}

/* ---- the whole ---- */

hed_status css_survey_follow(hed_css_unused *u, hed_error *error)
{
    if (follow_names(u, error) == HED_OK) count_unique_rules(u);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_survey_pages(hed_css_unused *u, hed_error *error)
{
    batch b = {0};
    for (uint32_t i = 0; i < u->def.page_count && !hed_failed(error); i++) {
        batch_add(u, &b, i, error);
        if (!hed_failed(error) && (b.elements >= BATCH_ELEMENTS || b.count == BATCH_PAGES)) {
            batch_match(u, &b, error);
            batch_clear(u, &b);
        }
        if (u->def.progress && !u->def.progress(u->def.user, i + 1)) break;
    }
    if (b.count && !hed_failed(error)) batch_match(u, &b, error);
    batch_clear(u, &b);
    u->uses = css_grow(u->allocator, u->uses, &u->use_room, u->rules, sizeof *u->uses, error);
    return hed_failed(error) ? error->status : HED_OK;
}
