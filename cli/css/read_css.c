/* See read.h. */
#include "cli/css/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/css/address.h"
#include "cli/css/recording.h"
#include "heddle/css_unused.h"
#include "support/binary.h"
#include "support/file.h"
#include "support/sources.h"

enum { MOST_PAGE_BYTES = 512 << 20, MOST_SHEET_BYTES = 256 << 20 };

/* ---- the encoding of a page (HTML Living Standard, "Prescan a byte stream") ---- */

enum { PRESCAN_BYTES = 1024, MOST_PRESCAN = 1 << 16 };

static bool is_page_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

typedef struct prescan {
    const char *at, *end;
} prescan;

typedef struct attribute {
    const char *name, *value;
    size_t name_length, value_length;
} attribute;

static bool prescan_is(const prescan *p, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length) return false;
    for (size_t i = 0; i < length; i++) /* nearly all positions differ soon */
        if ((p->at[i] | 32) != (word[i] | 32)) return false;
    return strncasecmp(p->at, word, length) == 0;
}

/* Reads an attribute of a tag. False: the tag ends. */
static bool prescan_attribute(prescan *p, attribute *a)
{
    *a = (attribute){0};
    while (p->at < p->end && (is_page_space(*p->at) || *p->at == '/')) p->at++;
    if (p->at >= p->end || *p->at == '>') return false;
    a->name = p->at;
    while (p->at < p->end && !is_page_space(*p->at) && !strchr("/>=", *p->at)) p->at++;
    a->name_length = (size_t)(p->at - a->name);
    while (p->at < p->end && is_page_space(*p->at)) p->at++;
    if (p->at >= p->end || *p->at != '=') return a->name_length || p->at++ < p->end;
    p->at++;
    while (p->at < p->end && is_page_space(*p->at)) p->at++;
    char quote = p->at < p->end && (*p->at == '"' || *p->at == '\'') ? *p->at++ : 0;
    a->value = p->at;
    while (p->at < p->end && (quote ? *p->at != quote : !is_page_space(*p->at) && *p->at != '>'))
        p->at++;
    a->value_length = (size_t)(p->at - a->value);
    p->at += quote && p->at < p->end;
    return true;
}

static bool is_named(const attribute *a, const char *name)
{
    return a->name_length == strlen(name) && strncasecmp(a->name, name, a->name_length) == 0;
}

/* Encoding in a `content` attribute, as "text/html; charset=utf-8". */
static const hed_encoding *content_encoding(const char *value, size_t length)
{
    static const char word[] = "charset";
    const char *end = value + length;
    for (const char *at = value; end - at > 7; at++) {
        if (strncasecmp(at, word, 7) != 0) continue;
        const char *from = at + 7;
        while (from < end && is_page_space(*from)) from++;
        if (from == end || *from++ != '=') continue;
        while (from < end && is_page_space(*from)) from++;
        char quote = from < end && (*from == '"' || *from == '\'') ? *from++ : 0;
        const char *stop = from;
        while (stop < end && (quote ? *stop != quote : !is_page_space(*stop) && *stop != ';'))
            stop++;
        return hed_encoding_find(from, (size_t)(stop - from));
    }
    return NULL;
}

/* Encoding that a <meta> element declares, after its name. */
static const hed_encoding *meta_encoding(prescan *p)
{
    const hed_encoding *by_charset = NULL, *by_content = NULL;
    bool pragma = false;
    for (attribute a; prescan_attribute(p, &a);) {
        if (is_named(&a, "charset")) by_charset = hed_encoding_find(a.value, a.value_length);
        if (is_named(&a, "content")) by_content = content_encoding(a.value, a.value_length);
        if (is_named(&a, "http-equiv"))
            pragma = a.value_length == 12 && strncasecmp(a.value, "content-type", 12) == 0;
    }
    return by_charset ? by_charset : pragma ? by_content : NULL;
}

/* Encoding of an XML declaration at the beginning. */
static const hed_encoding *xml_encoding(const char *bytes, size_t length)
{
    if (length < 5 || memcmp(bytes, "<?xml", 5) != 0) return NULL;
    const char *end = memchr(bytes, '>', length);
    const char *word = end ? memmem(bytes, (size_t)(end - bytes), "encoding", 8) : NULL;
    if (!word) return NULL;
    for (word += 8; word < end && is_page_space(*word); word++) {}
    if (*word != '=') return NULL;
    for (word++; word < end && is_page_space(*word); word++) {}
    const char *stop =
        *word == '"' || *word == '\'' ? memchr(word + 1, *word, (size_t)(end - word)) : NULL;
    return stop ? hed_encoding_find(word + 1, (size_t)(stop - word - 1)) : NULL;
}

/* The first 1,024 bytes are searched, and further ones up to the body: a parser changes the
 * encoding at a late <meta>, too. */
const hed_encoding *css_page_encoding(const char *bytes, size_t length)
{
    prescan p = {bytes, bytes + (length < MOST_PRESCAN ? length : MOST_PRESCAN)};
    const hed_encoding *encoding = NULL;
    while (!encoding && (p.at = memchr(p.at, '<', (size_t)(p.end - p.at)))) {
        if (p.at - bytes > PRESCAN_BYTES && prescan_is(&p, "<body")) break;
        const char *close = NULL;
        if (prescan_is(&p, "<!--")) close = memmem(p.at + 2, (size_t)(p.end - p.at - 2), "-->", 3);
        bool meta = prescan_is(&p, "<meta") && p.end - p.at > 5 &&
                    (is_page_space(p.at[5]) || p.at[5] == '/');
        p.at += meta ? 5 : 1;
        if (close) p.at = close + 3;
        else if (meta) encoding = meta_encoding(&p);
        else if (p.at < p.end && (*p.at == '/' || ((*p.at | 32) >= 'a' && (*p.at | 32) <= 'z'))) {
            while (p.at < p.end && !is_page_space(*p.at) && *p.at != '>') p.at++;
            for (attribute a; prescan_attribute(&p, &a);) {}
        }
    }
    if (!encoding) encoding = xml_encoding(bytes, length);
    return encoding && hed_encoding_is_utf16(encoding) ? hed_encodings : encoding;
}

/* ---- scripts in a page ---- */

/* True if scripting libraries read an attribute. */
static bool is_scripted(const attribute *a)
{
    static const char *const names[] = {
        ":", "@", "*", "[", "(", "#", "x-", "v-", "ng-", "hx-", "data-", "on", "_"};
    for (size_t i = 0; i < HED_COUNT(names); i++) {
        size_t length = strlen(names[i]);
        if (a->name_length >= length && (*a->name | 32) == (*names[i] | 32) &&
            strncasecmp(a->name, names[i], length) == 0)
            return true;
    }
    return false;
}

/* Writes the ends of the lines between two positions, so that a text keeps its line. */
static void keep_lines(FILE *stream, const char *from, const char *to)
{
    while ((from = memchr(from, '\n', (size_t)(to - from)))) {
        putc('\n', stream);
        from++;
    }
}

/* Adds the address of an attribute. */
static void take_address(css_page_list *list, const attribute *a, hed_error *error)
{
    char *address = strndup(a->value, a->value_length);
    if (address) css_page_list_add(list, address, error);
    else HED_OUT_OF_MEMORY(error, "the scripts of a page");
    free(address);
}

/* Writes the texts of the tags and scripts of a page, and of fields, from which scripts may make
 * elements; collects addresses. */
static void scan_scripts(prescan p, FILE *stream, css_page_scripts *scripts, hed_error *error)
{
    const char *written = p.at;
    bool has_script = false;
    for (prescan q = p; !has_script && (q.at = memchr(q.at, '<', (size_t)(q.end - q.at))); q.at++)
        has_script = prescan_is(&q, "<script");
    while ((p.at = memchr(p.at, '<', (size_t)(p.end - p.at)))) {
        bool script = prescan_is(&p, "<script"), base = prescan_is(&p, "<base"),
             field = has_script && prescan_is(&p, "<textarea");
        p.at++;
        if (p.at == p.end || (*p.at | 32) < 'a' || (*p.at | 32) > 'z') continue;
        while (p.at < p.end && !is_page_space(*p.at) && *p.at != '>') p.at++;
        for (attribute a; prescan_attribute(&p, &a);) {
            if (a.value_length && script && is_named(&a, "src"))
                take_address(&scripts->addresses, &a, error);
            if (a.value_length && base && is_named(&a, "href") && !scripts->bases.count)
                take_address(&scripts->bases, &a, error);
            if (!a.value_length || !is_scripted(&a)) continue;
            keep_lines(stream, written, a.value);
            fwrite(a.value, 1, a.value_length, stream);
            putc(' ', stream);
            written = a.value + a.value_length;
        }
        if (!script && !field) continue;
        const char *from = p.at;
        while (p.at < p.end && !prescan_is(&p, script ? "</script" : "</textarea")) p.at++;
        keep_lines(stream, written, from);
        fwrite(from, 1, (size_t)(p.at - from), stream);
        written = p.at;
    }
}

hed_status css_page_scripts_read(
    const char *bytes, size_t length, css_page_scripts *scripts, hed_error *error)
{
    size_t size;
    *scripts = (css_page_scripts){0};
    FILE *stream = open_memstream(&scripts->text, &size);
    if (stream) scan_scripts((prescan){bytes, bytes + length}, stream, scripts, error);
    if (!stream || fclose(stream) != 0) HED_OUT_OF_MEMORY(error, "the scripts of a page");
    else scripts->is_empty = strspn(scripts->text, " \t\r\n\f>") == size;
    return hed_failed(error) ? error->status : HED_OK;
}

void css_page_scripts_free(css_page_scripts *scripts)
{
    free(scripts->text);
    css_page_list_free(&scripts->addresses);
    css_page_list_free(&scripts->bases);
}

/* ---- texts ---- */

/* Decodes a text whose encoding without a byte-order mark is `declared`. */
static hed_status text_decode(
    css_text *text, const hed_encoding *declared, const char *name, hed_error *error)
{
    size_t mark;
    const hed_encoding *marked = hed_encoding_of_mark(text->bytes, text->length, &mark);
    text->encoding = marked ? marked : hed_encoding_is_utf16(declared) ? hed_encodings : declared;
    text->mark = mark == 3                  ? "\357\273\277"
                 : !mark                    ? ""
                 : text->bytes[0] == '\377' ? "\377\376"
                                            : "\376\377";
    text->length -= mark;
    memmove(text->bytes, text->bytes + mark, mark ? text->length + 1 : 0);
    return hed_encoding_decode(text->encoding, name, &text->bytes, &text->length, error);
}

static hed_status text_close(css_text *text, const hed_error *error)
{
    if (!hed_failed(error)) return HED_OK;
    free(text->bytes);
    *text = (css_text){0};
    return error->status;
}

/* Reads a file into a new text, and refuses a binary one. */
static hed_status text_read(
    const char *path, size_t limit, const char *expected, css_text *text, hed_error *error)
{
    *text = (css_text){0};
    bool input = strcmp(path, "-") == 0;
    if (input ? hed_input_read(limit, &text->bytes, &text->length, error)
              : hed_file_read(path, limit, &text->bytes, &text->length, error))
        return error->status;
    hed_refuse_binary(path, text->bytes, text->length, expected, error);
    return text_close(text, error);
}

/* Copies a text in memory, and refuses a binary one. */
static hed_status text_copy(
    const char *name, css_page_text from, const char *expected, css_text *text, hed_error *error)
{
    *text = (css_text){.bytes = malloc(from.length + 1), .length = from.length};
    if (!text->bytes) return HED_OUT_OF_MEMORY(error, "the text of %s", name);
    memcpy(text->bytes, from.bytes, from.length + 1);
    hed_refuse_binary(name, text->bytes, text->length, expected, error);
    return text_close(text, error);
}

/* Decodes the bytes of a page, and finds its kind. */
static hed_status page_decode(const char *path, css_text *text, hed_error *error)
{
    const hed_encoding *declared = css_page_encoding(text->bytes, text->length);
    if (!declared && !hed_is_utf8(text->bytes, text->length))
        declared = hed_encoding_find("windows-1252", 12);
    text_decode(text, declared ? declared : hed_encodings, path, error);
    text->recorded = !hed_failed(error) && css_is_recording(text->bytes, text->length);
    bool foreign = hed_failed(error) || text->recorded || hed_is_report(text->bytes, text->length);
    if (!foreign)
        text->template = hed_css_template_kind(path, text->bytes, text->length, &text->empty);
    return text_close(text, error);
}

hed_status css_read_page(const char *path, css_text *text, hed_error *error)
{
    if (text_read(path, MOST_PAGE_BYTES, "HTML", text, error)) return error->status;
    return page_decode(path, text, error);
}

hed_status css_page_list_read(
    const css_page_list *list, uint32_t index, css_text *text, hed_error *error)
{
    const css_page_text memory = css_page_list_text(list, index);
    if (!memory.bytes) return css_read_page(list->paths[index], text, error);
    if (text_copy(list->paths[index], memory, "HTML", text, error)) return error->status;
    return page_decode(list->paths[index], text, error);
}

hed_status css_page_refuse(const char *path, const css_text *page, hed_error *error)
{
    if (page->template)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: file is %s; expected a page as browsers get it (HTML). Give the built page, or the "
            "file as words: heddle css unused --words %s",
            path, page->template, path);
    if (page->empty)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: page has no element (%zu bytes); expected HTML. Build the page first", path,
            page->length);
    return HED_OK;
}

hed_status css_page_document(hed_css_names *names, const char *path, const css_text *page,
    bool templates, hed_css_document **document, hed_error *error)
{
    const hed_css_document_def def = {
        .html = page->bytes, .html_length = page->length, .file = path, .templates = templates};
    if (page->recorded)
        return css_recording_document(names, path, page->bytes, page->length, document, error);
    return hed_css_document_create(names, &def, document, error);
}

/* Encoding of an @charset rule at the beginning of a sheet. */
static const hed_encoding *charset_rule(const css_text *text)
{
    static const char head[] = "@charset \"";
    size_t length = strlen(head);
    if (text->length < length || memcmp(text->bytes, head, length) != 0) return NULL;
    const char *label = text->bytes + length;
    size_t limit = text->length - length < 1024 ? text->length - length : 1024;
    const char *end = memmem(label, limit, "\";", 2);
    const hed_encoding *encoding = end ? hed_encoding_find(label, (size_t)(end - label)) : NULL;
    return encoding && hed_encoding_is_utf16(encoding) ? hed_encodings : encoding;
}

static hed_status sheet_decode(
    const char *path, const hed_encoding *fallback, css_text *text, hed_error *error)
{
    const hed_encoding *declared = charset_rule(text);
    text_decode(text, declared ? declared : fallback ? fallback : hed_encodings, path, error);
    return text_close(text, error);
}

hed_status css_read_sheet(
    const char *path, const hed_encoding *fallback, css_text *text, hed_error *error)
{
    if (text_read(path, MOST_SHEET_BYTES, "a style sheet", text, error)) return error->status;
    return sheet_decode(path, fallback, text, error);
}

hed_status css_sheet_list_read(
    const css_page_list *list, uint32_t index, css_text *text, hed_error *error)
{
    const css_page_text memory = css_page_list_text(list, index);
    if (!memory.bytes) return css_read_sheet(list->paths[index], NULL, text, error);
    if (text_copy(list->paths[index], memory, "a style sheet", text, error)) return error->status;
    return sheet_decode(list->paths[index], NULL, text, error);
}

hed_status css_read_plain(const char *path, size_t limit, css_text *text, hed_error *error)
{
    if (text_read(path, limit, "a text", text, error)) return error->status;
    text_decode(text, hed_encodings, path, error);
    return text_close(text, error);
}

hed_status css_read_data(
    const char *address, const hed_encoding *fallback, css_text *text, hed_error *error)
{
    char label[64];
    *text = (css_text){0};
    if (css_address_data(address, &text->bytes, &text->length, label, sizeof label, error))
        return error->status;
    const hed_encoding *declared = hed_encoding_find(label, strlen(label));
    if (!declared) declared = charset_rule(text);
    text_decode(text, declared ? declared : fallback ? fallback : hed_encodings, "data:", error);
    return text_close(text, error);
}
