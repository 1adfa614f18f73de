/* Sheets of a search for unused rules. */
#include <string.h>

#include "support/binary.h"
#include "survey.h"
#include "verdict.h"

enum { MOST_SHEETS = 100000 };

/* Adds a sheet to the list; an equal text that has no other page is listed once. */
static hed_status read_sheet(
    hed_css_unused *u, const hed_css_unused_sheet *sheet, uint32_t *number, hed_error *error)
{
    const hed_css_text *text = &sheet->sheet;
    const hed_css_sheet_def def = {.text = text->text,
        .length = text->length,
        .file = text->name,
        .origin = HED_CSS_AUTHOR,
        .import = sheet->import,
        .user = sheet->user,
        .split = true,
        .other_browsers = true};
    if (u->file_count == MOST_SHEETS)
        return hed_fail(error, HED_ERROR_LIMIT, "%s: more than %d sheets", text->name, MOST_SHEETS);
    u->files =
        css_grow(u->allocator, u->files, &u->file_room, u->file_count, sizeof *u->files, error);
    char *copy = hed_arena_new(&u->arena, text->length + 1ull, 1, error);
    char *name = hed_arena_text(&u->arena, text->name, error);
    if (hed_failed(error)) return error->status;
    memcpy(copy, text->text ? text->text : "", text->length);
    css_file file = {
        .name = name, .text = copy, .length = text->length, .judged = !sheet->only_names};
    if (hed_css_sheet_create(u->names, &def, &file.sheet, error)) return error->status;
    file.first_rule = u->rules;
    file.first_part = u->parts;
    u->rules += file.rules = hed_css_rule_count(file.sheet);
    u->parts += file.parts = hed_css_part_count(file.sheet);
    if (number) *number = u->file_count;
    u->files[u->file_count++] = file;
    return HED_OK;
}

hed_status hed_css_unused_add_sheet(
    hed_css_unused *unused, const hed_css_unused_sheet *sheet, uint32_t *number, hed_error *error)
{
    HED_REQUIRE(unused, sheet);
    hed_error local = {0};
    hed_css_unused_sheet named = *sheet;
    if (!named.sheet.name) named.sheet.name = "sheet";
    const hed_css_text *text = &named.sheet;
    if (!text->text && text->length)
        hed_fail(&local, HED_ERROR_ARGUMENT, "%s: text is NULL; expected %zu bytes", text->name,
            text->length);
    else if (!hed_refuse_binary(text->name, text->text, text->length, "a style sheet", &local))
        read_sheet(unused, &named, number, &local);
    return hed_failed(&local) ? hed_fail(error, local.status, "%s", local.text) : HED_OK;
}
