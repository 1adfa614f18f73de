/* See text_words.h. */
#include "cli/css/text_words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/css/files.h"
#include "cli/css/pages.h"
#include "cli/css/template.h"
#include "support/file.h"

enum { MOST_TEXT_BYTES = 64 << 20 };

/* ---- texts ---- */

static hed_status words_add(css_words *words, const char *label, const char *text, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    words->files =
        css_more(words->files, &words->file_room, words->file_count, sizeof(char *), error);
    words->texts =
        css_more(words->texts, &words->text_room, words->file_count, sizeof(char *), error);
    if (hed_failed(error)) return error->status;
    char *copy = text ? strdup(text) : NULL, *name = strdup(label);
    if (!name || (text && !copy)) {
        free(copy);
        free(name);
        return HED_OUT_OF_MEMORY(error, "the words of %s", label);
    }
    words->files[words->file_count] = name;
    words->texts[words->file_count++] = copy;
    return HED_OK;
}

hed_status css_words_add_text(
    css_words *words, const char *label, const char *text, hed_error *error)
{
    return words_add(words, label, text, error);
}

/* True if a file of a folder can have names of a sheet. */
static bool has_words(const char *path)
{
    return css_template_ending(path) || css_page_ending(path);
}

hed_status css_words_add_path(css_words *words, const char *path, hed_error *error)
{
    struct stat about;
    css_page_list list = {0};
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return words_add(words, path, NULL, error);
    css_page_list_folder(&list, path, has_words, error);
    if (!list.count && !hed_failed(error))
        hed_fail(error, HED_ERROR_ARGUMENT,
            "--words %s: no template, script or page in this folder; expected files such as "
            "App.jsx, index.php or page.md",
            path);
    for (uint32_t i = 0; i < list.count; i++) words_add(words, list.paths[i], NULL, error);
    css_page_list_free(&list);
    return hed_failed(error) ? error->status : HED_OK;
}

void css_words_free(css_words *words)
{
    for (uint32_t i = 0; i < words->file_count; i++) {
        free(words->files[i]);
        free(words->texts[i]);
    }
    for (uint32_t i = 0; i < words->count; i++) free(words->words[i].text);
    free(words->files);
    free(words->texts);
    free(words->words);
}

/* ---- names ---- */

hed_status css_words_expect(css_words *words, const char *name, hed_error *error)
{
    if (!*name || hed_failed(error)) return error->status;
    words->words = css_more(words->words, &words->room, words->count, sizeof *words->words, error);
    char *copy = hed_failed(error) ? NULL : strdup(name);
    if (!copy) return hed_failed(error) ? error->status : HED_OUT_OF_MEMORY(error, "the names of sheets");
    words->words[words->count++] = (css_word){copy, strlen(name), HED_CSS_NONE, 0};
    return HED_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const css_word *)a)->text, ((const css_word *)b)->text);
}

/* Sorts the names, each once. */
static void sort_words(css_words *words)
{
    uint32_t count = 0;
    if (words->count) qsort(words->words, words->count, sizeof *words->words, by_text);
    for (uint32_t i = 0; i < words->count; i++) {
        bool equal = count && strcmp(words->words[count - 1].text, words->words[i].text) == 0;
        if (equal) free(words->words[i].text);
        else words->words[count++] = words->words[i];
    }
    words->count = count;
    for (uint32_t i = 0, byte = 0; byte <= 256; byte++) {
        while (i < count && (unsigned char)words->words[i].text[0] < byte) i++;
        words->first[byte] = i;
    }
}

const css_word *css_words_find(const css_words *words, const char *name)
{
    const css_word key = {.text = (char *)name};
    if (!words->count) return NULL;
    const css_word *word = bsearch(&key, words->words, words->count, sizeof key, by_text);
    return word && word->file != HED_CSS_NONE ? word : NULL;
}

/* ---- scanning ---- */

static bool is_name_byte(unsigned char c)
{
    return c >= 0x80 || c == '_' || c == '-' || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* First of the words [low, high), which are equal before `depth`, whose byte there is at least
 * `byte`. */
static uint32_t lower_bound(
    const css_words *words, uint32_t low, uint32_t high, size_t depth, unsigned byte)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((unsigned char)words->words[middle].text[depth] < byte) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Marks the names that begin at a position of a text. */
static void find_at(css_words *words, const unsigned char *at, const unsigned char *end,
    uint32_t file, uint32_t line)
{
    uint32_t low = words->first[*at], high = words->first[*at + 1];
    for (size_t depth = 1; low < high; depth++) {
        css_word *word = &words->words[low];
        bool ends = word->length == depth;
        bool divided =
            at + depth >= end || !is_name_byte(at[depth]) || !is_name_byte(at[depth - 1]);
        if (ends && divided && word->file == HED_CSS_NONE) {
            word->file = file;
            word->line = line;
        }
        low += ends;
        if (at + depth >= end) break;
        low = lower_bound(words, low, high, depth, at[depth]);
        high = lower_bound(words, low, high, depth, at[depth] + 1u);
    }
}

static void scan_text(css_words *words, const char *text, size_t length, uint32_t file)
{
    const unsigned char *begin = (const unsigned char *)text, *end = begin + length;
    uint32_t line = 1;
    bool before = false;
    for (const unsigned char *at = begin; at < end; at++) {
        bool name = is_name_byte(*at);
        if (*at == '\n') line++;
        if (!before || !name) find_at(words, at, end, file, line);
        before = name;
    }
}

hed_status css_words_scan(css_words *words, hed_error *error)
{
    sort_words(words);
    words->markup = HED_CSS_NONE;
    for (uint32_t i = 0; i < words->file_count && !hed_failed(error); i++) {
        const char *given_text = words->texts[i];
        css_text text = {0};
        if (css_markup_ending(words->files[i]) && words->markup == HED_CSS_NONE) words->markup = i;
        if (given_text) scan_text(words, given_text, strlen(given_text), i);
        else if (css_read_plain(words->files[i], MOST_TEXT_BYTES, &text, error) == HED_OK)
            scan_text(words, text.bytes, text.length, i);
        words->bytes += given_text ? strlen(given_text) : text.length;
        free(text.bytes);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

const char *css_words_markup(const css_words *words, const char *element)
{
    static const char *const elements[] = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol",
        "li", "a", "em", "strong", "code", "pre", "blockquote", "img", "hr", "br", "table", "thead",
        "tbody", "tr", "th", "td", "del", "input", "sup", "section", "dl", "dt", "dd"};
    if (!words->file_count || words->markup == HED_CSS_NONE) return NULL;
    for (size_t i = 0; i < HED_COUNT(elements); i++)
        if (strcmp(elements[i], element) == 0) return words->files[words->markup];
    return NULL;
}
