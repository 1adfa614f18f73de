/* See text_list.h. */
#include "cli/css/text_list.h"

#include <string.h>

#include "cli/css/config.h"
#include "cli/css/recording.h"
#include "support/json.h"

static const char NAME[] = "standard input";

bool css_is_text_list(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at])) at++;
    return at < length && text[at] == '{' && !css_is_recording(text, length);
}

/* Kinds of items in a list. */
typedef enum item_kind { ITEM_PAGE, ITEM_SHEET, ITEM_WORDS } item_kind;

static void add_text(
    css_settings *s, item_kind kind, const char *name, const char *text, hed_error *error)
{
    if (kind == ITEM_WORDS) css_word_files_add_text(&s->words, name, text, error);
    else if (kind == ITEM_SHEET)
        css_page_list_add_text(&s->sheets, name, text, strlen(text), error);
    else {
        css_page_list_add(&s->roots, name, error);
        css_page_list_add_text(&s->pages, name, text, strlen(text), error);
    }
}

/* Reads an item: a path, or a name with a text. */
static void read_item(css_settings *s, item_kind kind, hed_json_node item, hed_error *error)
{
    static const char *const keys[] = {"name", "text", NULL};
    if (hed_json_kind_of(item) == HED_JSON_STRING) {
        const char *path = hed_json_string(item);
        if (!*path || strcmp(path, "-") == 0)
            hed_json_fail(item, HED_ERROR_FORMAT, "\"%s\" is no path of a file", path);
        else if (kind == ITEM_WORDS) css_word_files_add(&s->words, path, error);
        else if (kind == ITEM_SHEET) css_page_list_add(&s->sheets, path, error);
        else {
            css_page_list_add(&s->roots, path, error);
            css_page_list_take(&s->pages, path, error);
        }
        return;
    }
    hed_json_only(item, keys);
    const char *name = hed_json_string(hed_json_member(item, "name"));
    const char *text = hed_json_string(hed_json_member(item, "text"));
    if (*name) add_text(s, kind, name, text, error);
    else hed_json_fail(item, HED_ERROR_FORMAT, "name is empty; expected the name of the text");
}

static void read_item_list(
    css_settings *s, item_kind kind, hed_json_node root, const char *key, hed_error *error)
{
    if (!hed_json_has(root, key)) return;
    hed_json_node array = hed_json_member(root, key);
    for (size_t i = 0; i < hed_json_count(array) && !hed_failed(error); i++)
        read_item(s, kind, hed_json_item(array, i), error);
}

static void read_config_item(css_settings *s, hed_json_node root, hed_error *error)
{
    static const char *const keys[] = {"name", "text", NULL};
    if (!hed_json_has(root, "config") || hed_failed(error)) return;
    hed_json_node config = hed_json_member(root, "config");
    if (hed_json_kind_of(config) == HED_JSON_STRING) {
        css_config_read(s, hed_json_string(config), error);
        return;
    }
    hed_json_only(config, keys);
    const char *name = hed_json_string(hed_json_member(config, "name"));
    const char *text = hed_json_string(hed_json_member(config, "text"));
    if (*name) css_config_read_text(s, name, text, strlen(text), error);
}

hed_status css_text_list_read(css_settings *s, const char *text, size_t length, hed_error *error)
{
    static const char *const keys[] = {
        "pages", "sheets", "words", "keep", "properties", "config", NULL};
    hed_json *json = NULL;
    if (hed_json_parse(NAME, text, length, &json, error)) return error->status;
    hed_json_node root = hed_json_root(json);
    hed_json_only(root, keys);
    read_item_list(s, ITEM_PAGE, root, "pages", error);
    read_item_list(s, ITEM_SHEET, root, "sheets", error);
    read_item_list(s, ITEM_WORDS, root, "words", error);
    if (hed_json_has(root, "keep")) {
        hed_json_node array = hed_json_member(root, "keep");
        for (size_t i = 0; i < hed_json_count(array) && !hed_failed(error); i++) {
            const hed_css_keep keep = {
                .pattern = hed_json_string(hed_json_item(array, i)), .origin = "keep"};
            css_settings_keep(s, keep, error);
        }
    }
    if (hed_json_has(root, "properties"))
        s->drops_properties |= hed_json_boolean(hed_json_member(root, "properties"));
    hed_error invalid = {0};
    if (!hed_failed(error) && hed_json_status(json, &invalid)) *error = invalid;
    read_config_item(s, root, error);
    if (!hed_failed(error)) hed_json_status(json, error);
    hed_json_free(json);
    return hed_failed(error) ? error->status : HED_OK;
}
