/* See text_words.h. */
#include "text_words.h"

#include <stdlib.h>
#include <string.h>

#include "survey.h"

/* ---- names ---- */

hed_status css_words_expect(css_words *words, const char *name, hed_error *error)
{
    if (!*name || hed_failed(error)) return error->status;
    words->words = css_grow(
        words->allocator, words->words, &words->room, words->count, sizeof *words->words, error);
    if (hed_failed(error)) return error->status;
    words->words[words->count++] = (css_word){name, strlen(name), HED_CSS_NONE, 0};
    return HED_OK;
}

void css_words_free(css_words *words)
{
    hed_delete(words->allocator, words->words, words->room, sizeof *words->words);
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
        if (!equal) words->words[count++] = words->words[i];
    }
    words->count = count;
    for (uint32_t i = 0, byte = 0; byte <= 256; byte++) {
        while (i < count && (unsigned char)words->words[i].text[0] < byte) i++;
        words->first[byte] = i;
    }
}

const css_word *css_words_find(const css_words *words, const char *name)
{
    const css_word key = {.text = name};
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

void css_words_scan(css_words *words)
{
    sort_words(words);
    words->markup = HED_CSS_NONE;
    for (uint32_t i = 0; i < words->text_count; i++) {
        const hed_css_text *text = &words->texts[i];
        const char *kind = hed_css_template_ending(text->name);
        bool is_markup = kind && strcmp(kind, "a text with markup") == 0; /* Markdown and others */
        if (words->markup == HED_CSS_NONE && is_markup) words->markup = i;
        scan_text(words, text->text, text->length, i);
    }
}

const char *css_words_markup(const css_words *words, const char *element)
{
    static const char *const elements[] = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol",
        "li", "a", "em", "strong", "code", "pre", "blockquote", "img", "hr", "br", "table", "thead",
        "tbody", "tr", "th", "td", "del", "input", "sup", "section", "dl", "dt", "dd"};
    if (!words->text_count || words->markup == HED_CSS_NONE) return NULL;
    for (size_t i = 0; i < HED_COUNT(elements); i++)
        if (strcmp(elements[i], element) == 0) return words->texts[words->markup].name;
    return NULL;
}
