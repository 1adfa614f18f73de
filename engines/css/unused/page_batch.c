/* See page_batch.h. */
#include "page_batch.h"

#include "support/binary.h"
#include "solver/matcher.h"
#include "verdict.h"

void css_batch_clear(css_batch *b)
{
    const hed_css_unused *u = b->unused;
    for (uint32_t i = 0; i < b->count; i++) {
        hed_css_document_destroy(b->pages[i]->document);
        hed_delete(u->allocator, b->pages[i]->links.items, b->pages[i]->links.room,
            sizeof *b->pages[i]->links.items);
        *b->pages[i] = (css_batch_page){0};
    }
    hed_delete(u->allocator, b->pages, b->page_room, sizeof *b->pages);
    hed_delete(u->allocator, b->hits, b->hit_room, sizeof *b->hits);
    hed_css_names_destroy(b->names);
    hed_css_names_destroy(b->styles.names);
    hed_css_names_destroy(b->page_names.names);
    *b = (css_batch){.unused = u};
}

/* ---- opening ---- */

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

static void see_style(void *user, const char *text, size_t length)
{
    css_name_set_add(user, text, length);
}

/* Creates the tables of an empty batch. */
static hed_status batch_begin(css_batch *b, hed_error *error)
{
    const hed_css_unused *u = b->unused;
    hed_css_names_create(u->allocator, &b->names, error);
    hed_css_names_create(u->allocator, &b->styles.names, error);
    if (u->page_names.names) hed_css_names_create(u->allocator, &b->page_names.names, error);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_batch_open(css_batch *b, css_batch_page *page)
{
    const hed_css_unused *u = b->unused;
    const hed_css_text *html = &u->def.pages[page->number].html;
    hed_error *error = &page->error;
    if (!b->names && batch_begin(b, error)) return;
    b->pages = css_grow(u->allocator, b->pages, &b->page_room, b->count, sizeof *b->pages, error);
    if (hed_failed(error)) return;
    const hed_css_document_def def = {
        .html = html->text, .html_length = html->length, .file = html->name, .templates = true};
    if (!html->text && u->def.open)
        u->def.open(u->def.user, page->number, b->names, &page->document, error);
    else if (refuse_page(html, error) == HED_OK)
        hed_css_document_create(b->names, &def, &page->document, error);
    if (!page->document) return;
    page->batch = b;
    b->pages[b->count++] = page;
    hed_css_document_styles(page->document, see_style, &b->styles);
    if (b->page_names.names) css_verdict_page(&b->page_names, page->document, error);
    hed_css_document_info info = hed_css_document_describe(page->document);
    page->elements = info.elements;
    page->possible = info.possible;
    b->elements += info.elements;
}

/* ---- matching ---- */

/* Sheets of a batch, made with its table of names, and work space for counting its results. */
typedef struct matching {
    hed_arena arena;
    const hed_css_matcher *matcher;
    hed_css_sheet **sheets;
    uint32_t *files; /* (sheet_count) */
    uint32_t sheet_count;
    uint32_t *rule_file, *rule_head; /* (rules) file, and first selector of the list */
    uint32_t *rule_number;           /* (rules) number in all files */
    bool *rule_changes;              /* (rules) hed_css_rule.changes */
    uint32_t *rule_page, *head_page; /* (rules) 1 + last page with a match of it, of its list */
    uint32_t *rule_hit;              /* (rules) hit of that page */
    uint32_t *file_page;             /* (files) 1 + last page that names it */
    uint32_t *class_page, *tally,
        *first;        /* (classes) 1 + last page, its elements, its first element */
    uint32_t *touched; /* classes of a page in the order of their first elements */
} matching;

static hed_status matching_open(matching *m, const css_batch *b, hed_error *error)
{
    const hed_css_unused *u = b->unused;
    uint32_t *linked = hed_arena_new(&m->arena, u->file_count + 1, sizeof *linked, error);
    m->sheets = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->sheets, error);
    m->files = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->files, error);
    m->file_page = hed_arena_new(&m->arena, u->file_count + 1, sizeof *m->file_page, error);
    if (hed_failed(error)) return error->status;
    for (uint32_t d = 0; d < b->count; d++)
        for (uint32_t i = 0; i < b->pages[d]->links.count; i++)
            linked[b->pages[d]->links.items[i].file] = 1;
    for (uint32_t i = 0; i < u->file_count && !hed_failed(error); i++) {
        const css_file *file = &u->files[i];
        if (!linked[i] || !file->rules) continue;
        const hed_css_sheet_def def = {.text = file->text,
            .length = file->length,
            .file = file->name,
            .origin = HED_CSS_AUTHOR,
            .split = true,
            .other_browsers = true};
        if (hed_css_sheet_create(b->names, &def, &m->sheets[m->sheet_count], error) == HED_OK)
            m->files[m->sheet_count++] = i;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status matching_room(
    const hed_css_unused *u, matching *m, const hed_css_result *r, hed_error *error)
{
    uint32_t **by_rule[] = {
        &m->rule_file, &m->rule_head, &m->rule_page, &m->head_page, &m->rule_number, &m->rule_hit};
    uint32_t **by_class[] = {&m->class_page, &m->tally, &m->first, &m->touched};
    for (size_t i = 0; i < HED_COUNT(by_rule); i++)
        *by_rule[i] = hed_arena_new(&m->arena, r->rules + 1ull, sizeof(uint32_t), error);
    m->rule_changes = hed_arena_new(&m->arena, r->rules + 1ull, sizeof(bool), error);
    for (size_t i = 0; i < HED_COUNT(by_class); i++)
        *by_class[i] = hed_arena_new(&m->arena, r->classes + 1ull, sizeof(uint32_t), error);
    if (hed_failed(error)) return error->status;
    for (uint32_t sheet = 0, rule = 0; sheet < m->sheet_count; sheet++) {
        const css_file *file = &u->files[m->files[sheet]];
        for (uint32_t i = 0; i < file->rules; i++, rule++) {
            bool continues_list = i && hed_css_rule_at(file->sheet, i).number ==
                                           hed_css_rule_at(file->sheet, i - 1).number;
            m->rule_file[rule] = m->files[sheet];
            m->rule_changes[rule] = hed_css_rule_at(file->sheet, i).changes;
            m->rule_number[rule] = file->first_rule + i;
            m->rule_head[rule] = continues_list ? m->rule_head[rule - 1] : rule;
        }
    }
    return HED_OK;
}

/* Counts the elements of a class on page `mark` - 1 of the batch for a selector that matches
 * them. */
static void use_selector(
    css_batch *b, matching *m, uint32_t mark, uint32_t rule, uint32_t class, hed_error *error)
{
    css_batch_page *page = b->pages[mark - 1];
    uint32_t elements = m->tally[class] ? m->tally[class] : 1;
    if (m->file_page[m->rule_file[rule]] != mark) return;
    bool changes = m->rule_changes[rule];
    bool untouched = !changes || css_matches_as_given(m->matcher, mark - 1, rule, m->first[class]);
    if (m->rule_page[rule] == mark) {
        b->hits[m->rule_hit[rule]].elements += elements;
        b->hits[m->rule_hit[rule]].untouched |= untouched;
        return;
    }
    m->rule_page[rule] = mark;
    m->rule_hit[rule] = b->hit_count;
    b->hits =
        css_grow(b->unused->allocator, b->hits, &b->hit_room, b->hit_count, sizeof *b->hits, error);
    if (hed_failed(error)) return;
    b->hits[b->hit_count++] = (css_hit){m->rule_number[rule], elements, m->first[class], untouched};
    page->hit_count++;
    if (m->head_page[m->rule_head[rule]] == mark) return;
    m->head_page[m->rule_head[rule]] = mark;
    page->rules++;
}

/* Finds the selectors that match on a page. `classes`: class of each element of the page. */
static void find_hits(css_batch *b, matching *m, uint32_t index, const hed_css_result *r,
    const uint32_t *classes, hed_error *error)
{
    css_batch_page *page = b->pages[index];
    uint32_t mark = index + 1, touched = 0, page_elements = page->elements - page->possible;
    page->first_hit = b->hit_count;
    for (uint32_t i = 0; i < page->links.count; i++) m->file_page[page->links.items[i].file] = mark;
    for (uint32_t e = 0; e < page->elements; e++) {
        uint32_t c = classes[e];
        if (m->class_page[c] != mark) {
            m->class_page[c] = mark;
            m->tally[c] = 0;
            m->first[c] = e;
            m->touched[touched++] = c;
        }
        m->tally[c] += e < page_elements;
    }
    for (uint32_t i = 0; i < touched && !hed_failed(error); i++)
        for (uint32_t c = m->touched[i], k = r->class_begin[c]; k < r->class_begin[c + 1]; k++)
            use_selector(b, m, mark, r->rule[k], c, error);
}

/* Lists the trees of the sheets in the pages of a batch. Returns their number. */
static uint32_t list_trees(const css_batch *b, const matching *m, hed_arena *arena,
    hed_css_tree_sheet **trees, hed_error *error)
{
    uint64_t total = 0;
    uint32_t count = 0;
    uint32_t *sheet_of =
        hed_arena_new(arena, b->unused->file_count + 1ull, sizeof *sheet_of, error);
    for (uint32_t d = 0; d < b->count; d++) total += b->pages[d]->links.count;
    *trees = hed_arena_new(arena, total + 1, sizeof **trees, error);
    if (hed_failed(error)) return 0;
    for (uint32_t s = 0; s < m->sheet_count; s++) sheet_of[m->files[s]] = s + 1;
    for (uint32_t d = 0; d < b->count; d++) {
        const css_links *links = &b->pages[d]->links;
        if (hed_css_document_describe(b->pages[d]->document).trees == 1) continue;
        for (uint32_t i = 0; i < links->count; i++)
            if (sheet_of[links->items[i].file])
                (*trees)[count++] = (hed_css_tree_sheet){
                    d, sheet_of[links->items[i].file] - 1, links->items[i].tree};
    }
    return count;
}

static void match_against(css_batch *b, matching *m, hed_error *error)
{
    hed_arena arena = {.allocator = b->unused->arena.allocator, .owner = "a batch of pages"};
    hed_css_matcher *matcher = NULL;
    hed_css_document **documents = hed_arena_new(&arena, b->count, sizeof *documents, error);
    for (uint32_t i = 0; i < b->count && documents; i++) documents[i] = b->pages[i]->document;
    hed_css_tree_sheet *trees = NULL;
    uint32_t tree_count = list_trees(b, m, &arena, &trees, error);
    const hed_css_matcher_def def = {.documents = documents,
        .document_count = b->count,
        .sheets = m->sheets,
        .sheet_count = m->sheet_count,
        .tree_sheets = trees,
        .tree_sheet_count = tree_count,
        .states_possible = true};
    if (!hed_failed(error) && hed_css_matcher_create(NULL, &def, &matcher, error) == HED_OK &&
        hed_css_match(matcher, error) == HED_OK) {
        hed_css_result result = hed_css_matcher_results(matcher);
        const uint32_t *classes = result.element_class;
        m->matcher = matcher;
        matching_room(b->unused, m, &result, error);
        for (uint32_t i = 0; i < b->count && !hed_failed(error); i++) {
            find_hits(b, m, i, &result, classes, error);
            classes += b->pages[i]->elements;
        }
    }
    hed_css_matcher_destroy(matcher);
    hed_arena_free(&arena);
}

void css_batch_match(css_batch *b)
{
    matching m = {.arena = {.allocator = b->unused->arena.allocator, .owner = "a batch of pages"}};
    if (!b->count) return;
    if (matching_open(&m, b, &b->error) == HED_OK && m.sheet_count) match_against(b, &m, &b->error);
    for (uint32_t i = 0; i < m.sheet_count; i++) hed_css_sheet_destroy(m.sheets[i]);
    hed_arena_free(&m.arena);
}
