/* See text_words.h. */
#include "text_words.h"

#include <stdlib.h>
#include <string.h>

#include "survey.h"

/* ---- names ---- */

static hed_status words_add(css_words *words, const char *text, bool is_name, hed_error *error)
{
    if (!*text || hed_failed(error)) return error->status;
    words->words = css_grow(
        words->allocator, words->words, &words->room, words->count, sizeof *words->words, error);
    if (hed_failed(error)) return error->status;
    words->words[words->count++] = (css_word){.text = text,
        .length = strlen(text),
        .file = HED_CSS_NONE,
        .part_file = HED_CSS_NONE,
        .is_name = is_name};
    return HED_OK;
}

hed_status css_words_expect(css_words *words, const char *name, hed_error *error)
{
    return words_add(words, name, true, error);
}

void css_words_free(css_words *words)
{
    hed_delete(words->allocator, words->words, words->room, sizeof *words->words);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const css_word *)a)->text, ((const css_word *)b)->text);
}

static bool is_joint(char c) { return c == '-' || c == '_'; }

/* True if a name can be put together of its first `at` bytes and the rest. */
static bool parts_at(const css_word *name, size_t at)
{
    return is_joint(name->text[at - 1]) || is_joint(name->text[at]);
}

/* True if the parts of a name are looked for. Parts of a name are together as long as its square: of a
 * longer one than a person writes, such as a text in an attribute, they would fill the memory. */
static bool has_parts(const css_word *name)
{
    enum { MOST_PARTED = 256 };
    return name->is_name && name->length <= MOST_PARTED;
}

/* Adds the parts of the names. */
static void expect_parts(css_words *words, hed_error *error)
{
    uint32_t count = words->count;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        const css_word name = words->words[i];
        if (!has_parts(&name)) continue;
        for (size_t at = 1; at < name.length && !hed_failed(error); at++) {
            if (!parts_at(&name, at)) continue;
            char *head = hed_arena_new(words->arena, at + 1, 1, error);
            if (head) memcpy(head, name.text, at);
            if (head) words_add(words, head, false, error);
            words_add(words, name.text + at, false, error);
        }
    }
}

/* Sorts the names, each once. */
static void sort_words(css_words *words)
{
    uint32_t count = 0;
    if (words->count) qsort(words->words, words->count, sizeof *words->words, by_text);
    for (uint32_t i = 0; i < words->count; i++) {
        bool equal = count && strcmp(words->words[count - 1].text, words->words[i].text) == 0;
        if (equal) words->words[count - 1].is_name |= words->words[i].is_name;
        else words->words[count++] = words->words[i];
    }
    words->count = count;
    for (uint32_t i = 0, byte = 0; byte <= 256; byte++) {
        while (i < count && (unsigned char)words->words[i].text[0] < byte) i++;
        words->first[byte] = i;
    }
}

static const css_word *words_at(const css_words *words, const char *text)
{
    const css_word key = {.text = text};
    return words->count ? bsearch(&key, words->words, words->count, sizeof key, by_text) : NULL;
}

const css_word *css_words_find(const css_words *words, const char *name)
{
    const css_word *word = words_at(words, name);
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

static bool is_quote(unsigned char c) { return c == '"' || c == '\'' || c == '`'; }

static bool is_letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* True if a value of a template begins here: ${kind}, {{ kind }}, {kind}, #{kind}, <?= kind ?>,
 * <%= kind %>, $kind, %s, @kind, or $& and $1 of a replacement. */
static bool begins_value(const unsigned char *at, const unsigned char *end)
{
    if (at >= end || end - at < 2) return false;
    switch (at[0]) {
    case '{': return true;
    case '#': return at[1] == '{';
    case '<': return at[1] == '?' || at[1] == '%';
    case '$': return is_name_byte(at[1]) || strchr("{&<(", at[1]);
    case '%': return strchr("sdiu({", at[1]) || (at[1] >= '1' && at[1] <= '9');
    case '@': return is_letter(at[1]) || at[1] == '(';
    default: return false;
    }
}

/* True if a word is a part of a name: one that a dash or an underscore ends is before a quote or a
 * value, one that begins with it is after a quote or a value. A minus of arithmetic is beside
 * neither. */
static bool is_part(
    const unsigned char *at, size_t length, const unsigned char *begin, const unsigned char *end)
{
    enum { MOST_VALUE = 80 };
    const unsigned char *after = at + length;
    if (is_joint((char)after[-1]) && after < end && (is_quote(*after) || begins_value(after, end)))
        return true;
    if (!is_joint((char)*at) || at == begin) return false;
    if (is_quote(at[-1])) return true;
    if (at - begin < 3) return false;
    if (at[-1] == '>') return at[-2] == '?' || at[-2] == '%';
    if (at[-1] != '}') return false;
    const unsigned char *open = at - 2;
    while (open > begin && at - open < MOST_VALUE && *open != '{') open--;
    if (open < begin || *open != '{') return false;
    /* arithmetic, as in {off}-1, has no letter there; a template, as in {kind}-big, has one */
    return (open > begin && strchr("$#{", open[-1])) || (at + 1 < end && is_letter(at[1]));
}

/* Marks the names that begin at a position of a text. */
static void find_at(css_words *words, const unsigned char *at, const unsigned char *begin,
    const unsigned char *end, uint32_t file, uint32_t line)
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
        if (ends && divided && word->part_file == HED_CSS_NONE && is_part(at, depth, begin, end)) {
            word->part_file = file;
            word->part_line = line;
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
        if (!before || !name) find_at(words, at, begin, end, file, line);
        before = name;
    }
}

/* Marks the names that are two parts: one that is quoted, and a word. A name that is found so is no
 * part of another one. */
static void join_parts(css_words *words, hed_error *error)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < words->count; i++)
        if (words->words[i].length > longest) longest = words->words[i].length;
    char *head = hed_arena_new(words->arena, longest + 1, 1, error);
    const css_word **found = hed_arena_new(words->arena, words->count + 1ull, sizeof *found, error);
    if (hed_failed(error)) return;
    for (uint32_t i = 0; i < words->count; i++) {
        const css_word *name = &words->words[i];
        if (!has_parts(name) || name->file != HED_CSS_NONE) continue;
        for (size_t at = 1; at < name->length && !found[i]; at++) {
            if (!parts_at(name, at)) continue;
            memcpy(head, name->text, at);
            head[at] = 0;
            const css_word *parts[] = {words_at(words, head), words_at(words, name->text + at)};
            const bool joins[] = {is_joint(head[at - 1]), is_joint(name->text[at])};
            for (int k = 0; k < 2; k++)
                if (joins[k] && parts[k]->part_file != HED_CSS_NONE &&
                    parts[!k]->file != HED_CSS_NONE)
                    found[i] = parts[k];
        }
    }
    for (uint32_t i = 0; i < words->count; i++) {
        if (!found[i]) continue;
        words->words[i].file = found[i]->part_file;
        words->words[i].line = found[i]->part_line;
    }
}

hed_status css_words_scan(css_words *words, hed_error *error)
{
    if (words->text_count) expect_parts(words, error);
    sort_words(words);
    words->markup = HED_CSS_NONE;
    for (uint32_t i = 0; i < words->text_count && !hed_failed(error); i++) {
        const hed_css_text *text = &words->texts[i];
        const char *kind = hed_css_template_ending(text->name);
        bool is_markup = kind && strcmp(kind, "a text with markup") == 0; /* Markdown and others */
        if (words->markup == HED_CSS_NONE && is_markup) words->markup = i;
        scan_text(words, text->text, text->length, i);
    }
    if (words->text_count && !hed_failed(error)) join_parts(words, error);
    return hed_failed(error) ? error->status : HED_OK;
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
