/* See survey.h. */
#include "survey.h"

#include <stdatomic.h>

#include "page_batch.h"
#include "heddle/thread.h"

/* Limits of the batches of a wave together, and of each one; a large page has 40 bytes of HTML for
 * each element. */
enum { WAVE_ELEMENTS = 400000, BATCH_ELEMENTS = 50000, BATCH_PAGES = 256 };
enum { PAGES_BY_THREAD = 8 }; /* pages for which a further thread is worth its start */

/* ---- links ---- */

hed_status hed_css_unused_link(hed_css_unused *unused, uint32_t sheet, hed_error *error)
{
    HED_REQUIRE(unused);
    unused->names_unknown |= sheet == HED_CSS_NONE;
    if (sheet == HED_CSS_NONE) return HED_OK;
    return hed_css_unused_link_tree(unused, sheet, HED_CSS_NONE, error);
}

hed_status hed_css_unused_link_tree(
    hed_css_unused *unused, uint32_t sheet, uint32_t tree, hed_error *error)
{
    HED_REQUIRE(unused);
    css_links *links = unused->linking;
    bool linked = false;
    if (sheet >= unused->file_count || !links)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "sheet %u cannot be linked; expected one of %u sheets, in a call of `link`", sheet,
            unused->file_count);
    if (!unused->files[sheet].judged) return HED_OK;
    for (uint32_t i = 0; i < links->count; i++) {
        if (links->items[i].file != sheet) continue;
        if (links->items[i].tree == tree) return HED_OK;
        linked = true;
    }
    hed_error local = {0};
    links->items = css_grow(
        unused->allocator, links->items, &links->room, links->count, sizeof *links->items, &local);
    if (hed_failed(&local)) return hed_fail(error, local.status, "%s", local.text);
    links->items[links->count++] = (struct css_link){sheet, tree};
    unused->files[sheet].pages += !linked;
    unused->files[sheet].in_shadow_tree |= tree && tree != HED_CSS_NONE;
    unused->files[sheet].in_any_tree |= tree == HED_CSS_NONE;
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

/* ---- waves of batches ---- */

/* Batches of all threads. Each thread opens pages into its batch until the batch is full; then the
 * caller's thread links the pages in order, each thread matches its batch, and the caller's thread
 * counts the results in order. The result is therefore the same for any number of threads. */
typedef struct wave {
    hed_css_unused *unused;
    hed_team *team; /* NULL: the caller's thread alone */
    uint32_t threads;
    css_batch *batches;     /* (threads) */
    css_batch_page *pages;  /* (threads * BATCH_PAGES) pages of the wave, in order */
    uint32_t first;         /* number of the first page in the definition */
    uint32_t most_elements; /* limit of a batch */
    atomic_uint next;       /* number of the next page to open */
    atomic_uint opened;     /* pages that were opened, in all waves */
    atomic_bool stopped;    /* set by `progress` or an error */
} wave;

/* Opens pages into the batch of a thread. */
static void open_pages(void *user, hed_team *team, uint32_t member)
{
    wave *w = user;
    const hed_css_unused_def *def = &w->unused->def;
    css_batch *b = &w->batches[member];
    (void)team;
    while (b->count < BATCH_PAGES && b->elements < w->most_elements && !atomic_load(&w->stopped)) {
        uint32_t page = atomic_fetch_add(&w->next, 1);
        if (page >= def->page_count) break;
        css_batch_page *p = &w->pages[page - w->first];
        p->number = page;
        css_batch_open(b, p);
        uint32_t opened = atomic_fetch_add(&w->opened, 1) + 1;
        bool goes_on = !hed_failed(&p->error);
        if (goes_on && member == 0 && def->progress) goes_on = def->progress(def->user, opened);
        if (!goes_on) atomic_store(&w->stopped, true);
    }
}

static void match_pages(void *user, hed_team *team, uint32_t member)
{
    wave *w = user;
    (void)team;
    css_batch_match(&w->batches[member]);
}

static void clear_pages(void *user, hed_team *team, uint32_t member)
{
    wave *w = user;
    (void)team;
    css_batch_clear(&w->batches[member]);
}

static void wave_run(wave *w, void (*function)(void *user, hed_team *team, uint32_t member))
{
    if (w->team) hed_team_run(w->team, function, w);
    else function(w, NULL, 0);
}

/* Links an open page. */
static void link_open_page(hed_css_unused *u, css_batch_page *p, hed_error *error)
{
    u->linking = &p->links;
    if (u->def.link) u->def.link(u->def.user, u, p->number, p->document, error);
    else link_page(u, p->number, p->document, error);
    u->linking = NULL;
    p->use = u->page_count;
    u->pages[u->page_count++] = (hed_css_page_use){.name = u->def.pages[p->number].html.name,
        .elements = p->elements,
        .possible = p->possible};
}

/* Counts the use of the selectors that match on a page. */
static void count_page(hed_css_unused *u, const css_batch_page *p, hed_error *error)
{
    u->pages[p->use].rules = p->rules;
    for (uint32_t i = 0; i < p->hit_count && !hed_failed(error); i++) {
        const css_hit *hit = &p->batch->hits[p->first_hit + i];
        css_use *use = &u->uses[hit->rule];
        use->elements += hit->elements;
        use->untouched |= hit->untouched;
        if (use->pages++) continue;
        char element[160];
        hed_css_element_text(p->document, hit->first, element, sizeof element);
        use->page = p->use;
        use->line = hed_css_element_line(p->document, hit->first);
        use->element = hed_arena_text(&u->arena, element, error);
    }
}

/* Opens, links, matches and counts the pages that fill the batches. */
static void wave_next(wave *w, hed_error *error)
{
    hed_css_unused *u = w->unused;
    w->first = atomic_load(&w->next);
    wave_run(w, open_pages);
    uint32_t end = atomic_load(&w->next), count;
    if (end > u->def.page_count) end = u->def.page_count;
    count = end - w->first;
    atomic_store(&w->next, end);
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        css_batch_page *p = &w->pages[i];
        if (hed_failed(&p->error)) *error = p->error;
        else if (p->document) link_open_page(u, p, error);
        else u->page_total--;
    }
    if (hed_failed(error)) return;
    u->uses = css_grow(u->allocator, u->uses, &u->use_room, u->rules, sizeof *u->uses, error);
    if (!hed_failed(error)) wave_run(w, match_pages);
    for (uint32_t i = 0; i < w->threads && !hed_failed(error); i++) {
        css_batch *b = &w->batches[i];
        if (hed_failed(&b->error)) *error = b->error;
        css_name_set_join(&u->styles, &b->styles);
        css_name_set_join(&u->page_names, &b->page_names);
    }
    for (uint32_t i = 0; i < count && !hed_failed(error); i++)
        if (w->pages[i].document) count_page(u, &w->pages[i], error);
    if (!hed_failed(error)) wave_run(w, clear_pages);
}

/* ---- names that are used ---- */

static hed_status follow_names(hed_css_unused *u, hed_error *error)
{
    hed_arena arena = {.allocator = u->arena.allocator, .owner = "the names in sheets"};
    bool *stays = hed_arena_new(&arena, u->rules + 1ull, sizeof *stays, error);
    hed_css_sheet **sheets = hed_arena_new(&arena, u->file_count + 1ull, sizeof *sheets, error);
    const char **texts = hed_arena_new(&arena, u->styles.count + 1ull, sizeof *texts, error);
    size_t *lengths = hed_arena_new(&arena, u->styles.count + 1ull, sizeof *lengths, error);
    for (uint32_t i = 0; i < u->file_count && lengths; i++) {
        const css_file *file = &u->files[i];
        sheets[i] = file->sheet;
        for (uint32_t r = 0; r < file->rules; r++)
            stays[file->first_rule + r] = css_judgement(u, file, r) != HED_CSS_UNUSED;
    }
    for (uint32_t i = 0; i < u->styles.count && lengths; i++)
        texts[i] = hed_css_names_text(u->styles.names, i, &lengths[i]);
    const hed_css_follow_def def = {sheets, u->file_count, stays, texts, lengths, u->styles.count};
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

/* Number of threads for the pages. */
static uint32_t count_threads(const hed_css_unused_def *def)
{
    uint32_t threads = def->threads ? def->threads : hed_processor_count();
    uint32_t limit = def->threads ? def->page_count : def->page_count / PAGES_BY_THREAD;
    if (threads > limit) threads = limit;
    return threads ? threads : 1;
}

hed_status css_survey_pages(hed_css_unused *u, hed_error *error)
{
    hed_arena arena = {.allocator = u->arena.allocator, .owner = "the pages"};
    const hed_css_unused_def *def = &u->def;
    wave w = {.unused = u, .threads = count_threads(def)};
    hed_error no_team = {0};
    /* a failure leaves the search to the caller's thread */
    if (w.threads > 1 && hed_team_create(u->allocator, w.threads, &w.team, &no_team)) w.threads = 1;
    w.most_elements = WAVE_ELEMENTS / w.threads;
    if (w.most_elements < BATCH_ELEMENTS) w.most_elements = BATCH_ELEMENTS;
    w.batches = hed_arena_new(&arena, w.threads, sizeof *w.batches, error);
    w.pages = hed_arena_new(&arena, (uint64_t)w.threads * BATCH_PAGES, sizeof *w.pages, error);
    for (uint32_t i = 0; i < w.threads && w.batches; i++) w.batches[i].unused = u;
    while (!hed_failed(error) && atomic_load(&w.next) < def->page_count && !atomic_load(&w.stopped))
        wave_next(&w, error);
    uint32_t opened = atomic_load(&w.opened);
    bool reports = w.threads > 1 && def->progress && !hed_failed(error) && !atomic_load(&w.stopped);
    if (reports) def->progress(def->user, opened);
    for (uint32_t i = 0; i < w.threads && w.batches; i++) css_batch_clear(&w.batches[i]);
    hed_team_destroy(w.team);
    hed_arena_free(&arena);
    u->uses = css_grow(u->allocator, u->uses, &u->use_room, u->rules, sizeof *u->uses, error);
    return hed_failed(error) ? error->status : HED_OK;
}
