/* States of the tokenizer in which comments, document types and character references are read. */
#include <stdlib.h>

#include "entities.h"
#include "scan.h"
#include "html_tokenizer.h"

/* ---- comments ---- */

void html_bogus_comment(html_tokenizer *t, html_token *token)
{
    const char *begin = t->at, *end = memchr(begin, '>', (size_t)(t->end - begin));
    if (!end) end = t->end;
    t->at = end < t->end ? end + 1 : end;
    token->kind = HTML_COMMENT;
    token->text = html_slice(t, begin, end);
}

/* Comment start state and the following ones, from the character after "<!--". */
static void comment(html_tokenizer *t, html_token *token)
{
    const char *begin = t->at, *at = begin, *end = t->end;
    token->kind = HTML_COMMENT;
    token->text = html_slice(t, begin, begin);
    if (at < end && *at == '>') { /* <!--> */
        t->at = at + 1;
        return;
    }
    if (end - at >= 2 && at[0] == '-' && at[1] == '>') { /* <!---> */
        t->at = at + 2;
        return;
    }
    for (; at < end; at++) {
        at = memchr(at, '-', (size_t)(end - at));
        if (!at) break;
        if (end - at >= 2 && at[1] != '-') continue;
        const char *after = at + 1;
        if (after < end) after++; /* comment end state; more dashes belong to the comment */
        if (after < end && *after == '!') after++;
        if (after < end && *after != '>') continue;
        token->text = html_slice(t, begin, at);
        t->at = after < end ? after + 1 : end;
        return;
    }
    token->text = html_slice(t, begin, end);
    t->at = end;
}

/* ---- document types ---- */

/* True if a word follows; ASCII case is ignored. */
static bool follows(const html_tokenizer *t, const char *at, const char *word)
{
    for (; *word; word++, at++)
        if (at == t->end || css_ascii_lower(*at) != *word) return false;
    return true;
}

/* Reads a quoted identifier; false: the document type ends before its closing quote. */
static bool identifier(html_tokenizer *t, html_text *text, bool *present)
{
    char quote = *t->at++;
    const char *at = html_find(t->at, t->end, quote, '>', '>');
    *text = html_slice(t, t->at, at);
    *present = true;
    t->at = at < t->end && *at == quote ? at + 1 : at;
    return at < t->end && *at == quote;
}

static bool at_quote(const html_tokenizer *t)
{
    return t->at < t->end && (*t->at == '"' || *t->at == '\'');
}

/* After DOCTYPE name state and the following ones. The rest up to ">" is ignored. */
static void identifiers(html_tokenizer *t, html_token *token)
{
    bool is_public = follows(t, t->at, "public");
    token->force_quirks = true;
    if (!is_public && !follows(t, t->at, "system")) return;
    t->at = html_skip_space(t->at + 6, t->end);
    if (!at_quote(t)) return;
    if (is_public) {
        if (!identifier(t, &token->public_id, &token->has_public_id)) return;
        t->at = html_skip_space(t->at, t->end);
        if (t->at < t->end && *t->at == '>') token->force_quirks = false;
        if (!at_quote(t)) return;
    }
    if (!identifier(t, &token->system_id, &token->has_system_id)) return;
    t->at = html_skip_space(t->at, t->end);
    token->force_quirks = t->at == t->end;
}

/* DOCTYPE state and the following ones, from the character after "<!DOCTYPE". */
static void doctype(html_tokenizer *t, html_token *token)
{
    const html_text empty = {0, 0};
    const char *begin = html_skip_space(t->at, t->end), *at = begin;
    while (at < t->end && *at != '>' && !html_is_space(*at)) at++;
    token->kind = HTML_DOCTYPE;
    token->has_public_id = token->has_system_id = false;
    token->public_id = token->system_id = empty;
    token->has_name = at > begin;
    token->doctype_name = html_slice(t, begin, at);
    t->at = html_skip_space(at, t->end);
    token->force_quirks = !token->has_name || t->at == t->end;
    if (t->at < t->end && *t->at != '>') identifiers(t, token);
    const char *end = memchr(t->at, '>', (size_t)(t->end - t->at));
    t->at = end ? end + 1 : t->end;
}

bool html_markup_declaration(html_tokenizer *t, html_token *token)
{
    const char *at = ++t->at; /* after "!" */
    if (follows(t, at, "--")) {
        t->at += 2;
        comment(t, token);
    } else if (follows(t, at, "doctype")) {
        t->at += 7;
        doctype(t, token);
    } else if (t->foreign && t->end - at >= 7 && memcmp(at, "[CDATA[", 7) == 0) {
        t->at += 7;
        return false;
    } else html_bogus_comment(t, token);
    return true;
}

/* ---- character references ---- */

static void decode_character(html_tokenizer *t, uint32_t code)
{
    char bytes[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(length == 1 ? code : (0xf00u >> length & 0xf0) | code);
    html_decode(t, bytes, length);
}

/* Numeric character reference state and the following ones. */
static const char *numeric_reference(html_tokenizer *t, const char *at)
{
    /* characters for 0x80 to 0x9f, from windows-1252 */
    static const uint16_t windows[] = {0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021,
        0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c,
        0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178};
    const char *digits = at + 2;
    bool hexadecimal = digits < t->end && (*digits | 32) == 'x';
    uint32_t code = 0;
    if (hexadecimal) digits++;
    const char *end = digits;
    for (; end < t->end; end++) {
        uint32_t digit = (uint32_t)(*end - '0'), letter = (uint32_t)((*end | 32) - 'a');
        if (hexadecimal && letter < 6) digit = letter + 10;
        else if (digit > 9) break;
        code = code * (hexadecimal ? 16 : 10) + digit;
        if (code > 0x10ffff) code = 0x110000;
    }
    if (end == digits) return at;
    if (end < t->end && *end == ';') end++;
    if (code >= 0x80 && code < 0xa0) code = windows[code - 0x80];
    if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    decode_character(t, code);
    return end;
}

/* Named character reference. */
typedef struct named_reference {
    uint32_t index, bits; /* number of the name, html_entity_bits */
    const char *end;      /* after the reference in the text; NULL: no name fits */
} named_reference;

/* Finds the longest reference at the beginning of a text. Each name of the group has a part in
 * common with the name before, so no letter is compared twice. */
static named_reference find_reference(const char *text, const char *limit)
{
    named_reference longest = {.end = NULL};
    uint32_t letter = *text <= 'Z' ? (uint32_t)(*text - 'A') : (uint32_t)(*text - 'a') + 26;
    const html_entity_group *group = &html_entity_groups[letter];
    const uint8_t *at = html_entity_names + group->begin, *end = html_entity_names + group[1].begin;
    size_t fitting = 0; /* number of leading letters that the last name shares with the text */
    for (uint32_t index = group->index; at < end; index++) {
        uint32_t bits = *at++, common = bits & HTML_ENTITY_COMMON;
        if (common < fitting) break; /* no later name has the letters found so far */
        const char *next = text + fitting;
        bool fits = common == fitting;
        for (bool is_last = false; !is_last; at++) {
            is_last = *at & HTML_ENTITY_END;
            fits = fits && next < limit && *next == (char)(*at & ~HTML_ENTITY_END);
            next += fits;
        }
        fitting = (size_t)(next - text);
        if (!fits) continue;
        bool has_semicolon = next < limit && *next == ';';
        if (has_semicolon || bits & HTML_ENTITY_BARE)
            longest = (named_reference){index, bits, next + has_semicolon};
    }
    return longest;
}

const char *html_character_reference(html_tokenizer *t, const char *at, bool in_attribute)
{
    const char *name = at + 1;
    if (name < t->end && *name == '#') return numeric_reference(t, at);
    if (name == t->end || (!html_is_letter(*name))) return at;
    named_reference longest = find_reference(name, t->end);
    const char *end = longest.end;
    if (!end) return at;
    if (in_attribute && end[-1] != ';' && end < t->end &&
        (*end == '=' || html_is_letter(*end) || (*end >= '0' && *end <= '9')))
        return at;
    decode_character(
        t, html_entity_codes[longest.index] + (longest.bits & HTML_ENTITY_HIGH ? 0x10000u : 0));
    const html_entity_second *second = html_entity_seconds;
    while (second->index < longest.index) second++;
    if (second->index == longest.index) decode_character(t, second->code);
    return end;
}
