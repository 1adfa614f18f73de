/* See sheet_cache.h. */
#include "cli/css/sheet_cache.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "heddle/author.h"

enum {
    MOST_KEPT = 32,
    MOST_KEPT_BYTES = 16 << 20, /* longest sheet */
    MOST_PAGE_BYTES = 64 << 20  /* pages whose names the table collects before it is emptied */
};

typedef struct kept_sheet {
    hed_css_sheet_def def; /* copies of text, file, media and medium */
    hed_css_medium medium; /* copy of def.medium, whose type is a constant */
    hed_css_sheet *sheet;  /* NULL: free */
    uint64_t command;      /* number of the last command that has used it */
} kept_sheet;

static struct {
    hed_css_names *names;
    kept_sheet items[MOST_KEPT];
    struct {
        hed_css_matcher *matcher; /* NULL: absent */
        hed_device *device;
        hed_css_sheet *sheets[MOST_KEPT];
        uint32_t sheet_count;
    } last;            /* matcher of the last command */
    uint32_t next;     /* item that is replaced next */
    size_t page_bytes; /* bytes of the pages so far */
    uint64_t command;  /* number of the command */
} cache;

/* Frees a sheet and the matcher, which may have compiled the sheet. */
static void kept_free(kept_sheet *item)
{
    hed_css_matcher_destroy(cache.last.matcher);
    cache.last.matcher = NULL;
    hed_css_sheet_destroy(item->sheet);
    free((char *)(uintptr_t)item->def.text);
    free((char *)(uintptr_t)item->def.file);
    free((char *)(uintptr_t)item->def.media);
    *item = (kept_sheet){0};
}

hed_css_names *css_kept_names(hed_error *error)
{
    if (!cli_keeps_context() || hed_failed(error)) return NULL;
    cache.command++;
    if (cache.page_bytes > MOST_PAGE_BYTES) {
        for (uint32_t i = 0; i < MOST_KEPT; i++) kept_free(&cache.items[i]);
        hed_css_names_destroy(cache.names);
        cache.names = NULL;
        cache.page_bytes = 0;
    }
    if (!cache.names) hed_css_names_create(NULL, &cache.names, error);
    return cache.names;
}

void css_kept_page(size_t bytes) { cache.page_bytes += bytes; }

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_medium(const hed_css_medium *a, const hed_css_medium *b)
{
    return same_text(a->type, b->type) && a->width == b->width && a->height == b->height &&
           a->resolution == b->resolution && a->dark == b->dark &&
           a->reduced_motion == b->reduced_motion && a->hover == b->hover &&
           a->fine_pointer == b->fine_pointer && !a->container_count && !b->container_count;
}

static bool same_def(const hed_css_sheet_def *a, const hed_css_sheet_def *b)
{
    return a->length == b->length && a->line == b->line && a->origin == b->origin &&
           a->quirks == b->quirks && a->split == b->split && a->scope_root == b->scope_root &&
           same_text(a->file, b->file) && same_text(a->media, b->media) &&
           same_medium(a->medium, b->medium) && memcmp(a->text, b->text, a->length) == 0;
}

hed_css_sheet *css_kept_sheet(const hed_css_sheet_def *def)
{
    for (uint32_t i = 0; i < MOST_KEPT && cache.names; i++) {
        kept_sheet *item = &cache.items[i];
        if (!item->sheet || !same_def(&item->def, def)) continue;
        item->command = cache.command;
        return item->sheet;
    }
    return NULL;
}

bool css_keep_sheet(const hed_css_sheet_def *def, hed_css_sheet *sheet)
{
    kept_sheet *to = &cache.items[cache.next % MOST_KEPT];
    bool in_use = to->sheet && to->command == cache.command;
    if (!cache.names || in_use || def->length > MOST_KEPT_BYTES || def->medium->container_count)
        return false;
    kept_sheet item = {
        .def = *def, .medium = *def->medium, .sheet = sheet, .command = cache.command};
    char *text = malloc(def->length + 1);
    item.def.text = text;
    item.def.file = strdup(def->file);
    item.def.media = def->media ? strdup(def->media) : NULL;
    if (!text || !item.def.file || (def->media && !item.def.media)) {
        item.sheet = NULL;
        kept_free(&item);
        return false;
    }
    memcpy(text, def->text, def->length);
    kept_free(to);
    cache.next++;
    *to = item;
    to->def.medium = &to->medium;
    return true;
}

hed_css_matcher *css_take_kept_matcher(
    hed_device *device, hed_css_sheet *const *sheets, uint32_t count)
{
    hed_css_matcher *matcher = cache.last.matcher;
    if (!matcher || cache.last.device != device || cache.last.sheet_count != count ||
        memcmp(cache.last.sheets, sheets, count * sizeof *sheets) != 0)
        return NULL;
    cache.last.matcher = NULL;
    return matcher;
}

void css_keep_matcher(
    hed_css_matcher *matcher, hed_device *device, hed_css_sheet *const *sheets, uint32_t count)
{
    bool keeps = count <= MOST_KEPT && (!device || cli_context_is_kept(hed_device_context(device)));
    hed_css_matcher_destroy(cache.last.matcher);
    cache.last.matcher = keeps ? matcher : NULL;
    if (!keeps) {
        hed_css_matcher_destroy(matcher);
        return;
    }
    cache.last.device = device;
    cache.last.sheet_count = count;
    memcpy(cache.last.sheets, sheets, count * sizeof *sheets);
}
