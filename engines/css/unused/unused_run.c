/* Search for unused rules: its creation and its run. */
#include <stdlib.h>
#include <string.h>

#include "support/binary.h"
#include "reduce.h"
#include "verdict.h"

hed_css_unused_def hed_default_css_unused_def(void)
{
    return (hed_css_unused_def){.keyframes = true, .fonts = true};
}

/* ---- creation ---- */

static hed_status check_texts(const hed_css_unused_def *def, hed_error *error)
{
    for (uint32_t i = 0; i < def->page_count; i++) {
        const hed_css_text *page = &def->pages[i].html;
        if (!page->name || (!page->text && !def->open))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "page %u: %s is NULL; expected a page with a name and a text", i,
                page->name ? "text" : "name");
    }
    for (uint32_t i = 0; i < def->word_count; i++)
        if (!def->words[i].name || !def->words[i].text)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "words %u: %s is NULL; expected a name and a text", i,
                def->words[i].name ? "text" : "name");
    return HED_OK;
}

static hed_status search_open(hed_css_unused *u, hed_error *error)
{
    const hed_css_unused_def *def = &u->def;
    if (check_texts(def, error)) return error->status;
    u->words = (css_words){.allocator = u->allocator,
        .arena = &u->arena,
        .texts = def->words,
        .text_count = def->word_count};
    u->page_total = def->page_count;
    u->pages = hed_arena_new(&u->arena, def->page_count + 1ull, sizeof *u->pages, error);
    hed_css_names_create(u->allocator, &u->names, error);
    hed_css_names_create(u->allocator, &u->styles.names, error);
    css_keeps_read(&u->keeps, &u->arena, def->keep, def->keep_count, error);
    bool by_names = def->word_count || css_keeps_have(&u->keeps, HED_CSS_KEEP_NAME, 0) ||
                    css_keeps_have(&u->keeps, HED_CSS_KEEP_REST, 0);
    if (by_names) hed_css_names_create(u->allocator, &u->page_names.names, error);
    for (uint32_t i = 0; i < def->sheet_count && !hed_failed(error); i++)
        hed_css_unused_add_sheet(u, &def->sheets[i], NULL, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_css_unused_create(const hed_allocator *allocator, const hed_css_unused_def *def,
    hed_css_unused **unused, hed_error *error)
{
    HED_REQUIRE(def, unused);
    HED_REQUIRE(def->sheets || !def->sheet_count, def->pages || !def->page_count,
        def->words || !def->word_count, def->keep || !def->keep_count);
    *unused = NULL;
    hed_error local = {0};
    hed_css_unused *created = hed_new(allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->def = *def;
    created->arena = (hed_arena){
        .allocator = allocator ? *allocator : hed_default_allocator(), .owner = "unused rules"};
    created->allocator = &created->arena.allocator;
    if (search_open(created, &local) == HED_OK) {
        *unused = created;
        return HED_OK;
    }
    hed_css_unused_destroy(created);
    return hed_fail(error, local.status, "%s", local.text);
}

void hed_css_unused_destroy(hed_css_unused *u)
{
    if (!u) return;
    for (uint32_t i = 0; i < u->file_count; i++) {
        if (u->reductions) css_reduction_free(u, &u->files[i], &u->reductions[i]);
        hed_css_sheet_destroy(u->files[i].sheet);
    }
    hed_delete(u->allocator, u->files, u->file_room, sizeof *u->files);
    hed_delete(u->allocator, u->uses, u->use_room, sizeof *u->uses);
    css_words_free(&u->words);
    hed_css_names_destroy(u->names);
    hed_css_names_destroy(u->styles.names);
    hed_css_names_destroy(u->page_names.names);
    hed_arena arena = u->arena;
    hed_arena_free(&arena);
    hed_delete(&arena.allocator, u, 1, sizeof *u);
}

/* ---- the run ---- */

static hed_status search_run(hed_css_unused *u, hed_error *error)
{
    const hed_css_unused_def *def = &u->def;
    if (u->has_run)
        return hed_fail(error, HED_ERROR_ARGUMENT, "unused rules: the search has run already");
    u->has_run = true;
    if (!def->page_count && !def->word_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "unused rules: neither a page nor a text with words was given; every rule would be unused");
    for (uint32_t i = 0; i < def->word_count; i++)
        if (hed_refuse_binary(
                def->words[i].name, def->words[i].text, def->words[i].length, "a text", error))
            return error->status;
    if (css_survey_pages(u, error)) return error->status;
    if (def->page_count && !u->page_total)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: no page was given, but reports of Heddle's alone", def->pages[0].html.name);
    if (!u->file_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "no style sheet was given, and %s names none of its own that is on this machine",
            def->page_count ? def->pages[0].html.name : def->words[0].name);
    if (css_verdict_find(u, error) || css_survey_follow(u, error)) return error->status;
    u->reductions = hed_arena_new(&u->arena, u->file_count + 1ull, sizeof *u->reductions, error);
    for (uint32_t i = 0; i < u->file_count && !hed_failed(error); i++)
        if (u->files[i].judged) css_reduce(u, &u->files[i], &u->reductions[i], error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_css_unused_run(hed_css_unused *unused, hed_error *error)
{
    HED_REQUIRE(unused);
    hed_error local = {0};
    return search_run(unused, &local) ? hed_fail(error, local.status, "%s", local.text) : HED_OK;
}
