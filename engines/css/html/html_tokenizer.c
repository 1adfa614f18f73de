/* States of the tokenizer in which text is read: data, RCDATA, RAWTEXT, script data, PLAINTEXT and
 * CDATA sections. A run of text becomes one token. */
#include "html_tokenizer.h"
#include "scan.h"

void html_tokenizer_init(html_tokenizer *t, hed_css_names *names, const char *text, size_t length)
{
    *t = (html_tokenizer){.text = text,
        .at = text,
        .end = text + length,
        .names = names,
        .allocator = names->allocator,
        .last_name = HED_CSS_NONE};
    t->cache = hed_new(&t->allocator, HTML_CACHED_NAMES, sizeof *t->cache, NULL);
    t->failed = !t->cache;
}

void html_tokenizer_free(html_tokenizer *t)
{
    hed_delete(&t->allocator, t->cache, HTML_CACHED_NAMES, sizeof *t->cache);
    hed_delete(&t->allocator, t->decoded, t->decoded_room, 1);
    hed_delete(&t->allocator, t->attributes, t->attribute_room, sizeof *t->attributes);
    hed_delete(&t->allocator, t->attribute_seen, t->seen_room, sizeof *t->attribute_seen);
}

/* ---- text ---- */

/* Takes the text up to `at`, if there is any. */
static bool take_text(html_tokenizer *t, html_token *token, const char *at)
{
    const char *begin = t->at;
    t->at = at;
    if (at == begin) return false;
    token->kind = HTML_CHARACTERS;
    token->text = html_slice(t, begin, at);
    return true;
}

/* Takes characters that are decoded, from position `decoded` on. */
static void take_decoded(html_tokenizer *t, html_token *token, uint32_t decoded)
{
    token->kind = HTML_CHARACTERS;
    token->text = (html_text){decoded | HTML_DECODED, t->decoded_length - decoded};
}

static void take_replacement(html_tokenizer *t, html_token *token)
{
    uint32_t decoded = t->decoded_length;
    t->at++;
    html_decode(t, HTML_REPLACEMENT, 3);
    take_decoded(t, token, decoded);
}

/* Takes the characters of a reference at t->at, which is "&"; false: "&" is a plain character. */
static HTML_RARE bool take_reference(html_tokenizer *t, html_token *token)
{
    uint32_t decoded = t->decoded_length;
    const char *after = html_character_reference(t, t->at, false);
    if (after == t->at) return false;
    t->at = after;
    take_decoded(t, token, decoded);
    return true;
}

/* Result of a search for markup. */
enum markup { MARKUP_ABSENT, MARKUP_SKIPPED, MARKUP_TAKEN };

/* Takes the token that begins at t->at, which is "<". MARKUP_ABSENT: the "<" is text;
 * MARKUP_SKIPPED: the markup is no token. */
static enum markup take_markup(html_tokenizer *t, html_token *token)
{
    const char *next = t->at + 1;
    if (next == t->end) return MARKUP_ABSENT;
    bool end_tag = *next == '/' && next + 1 < t->end;
    next += end_tag;
    if (html_is_letter(*next)) { /* tag open state, end tag open state */
        token->begin = (uint32_t)(t->at - t->text);
        token->kind = end_tag ? HTML_END_TAG : HTML_START_TAG;
        t->at = next;
        if (!html_tag_name(t, token)) token->kind = HTML_END_OF_FILE;
        return MARKUP_TAKEN;
    }
    if (!end_tag && *next != '!' && *next != '?') return MARKUP_ABSENT;
    t->at = next;
    if (end_tag && *next == '>') {
        t->at++;
        return MARKUP_SKIPPED;
    }
    if (end_tag || *next == '?') html_bogus_comment(t, token);
    else if (!html_markup_declaration(t, token)) {
        t->state = HTML_CDATA_SECTION_STATE;
        return MARKUP_SKIPPED;
    }
    return MARKUP_TAKEN;
}

/* True if a token is taken, as for the functions of the states below; else the state has
 * changed. */
static bool data_state(html_tokenizer *t, html_token *token)
{
    if (take_text(t, token, html_find(t->at, t->end, '<', '&', 0))) return true;
    if (t->at == t->end) {
        token->kind = HTML_END_OF_FILE;
        return true;
    }
    if (*t->at == '<') {
        enum markup markup = take_markup(t, token);
        if (markup != MARKUP_ABSENT) return markup == MARKUP_TAKEN;
    } else if (*t->at == '&') {
        if (take_reference(t, token)) return true;
    } else {
        t->at++;
        token->kind = HTML_NULL;
        return true;
    }
    return take_text(t, token, html_find(t->at + 1, t->end, '<', '&', 0));
}

/* True if the appropriate end tag begins at `at`, which is "<". */
static bool is_end_tag(const html_tokenizer *t, const char *at)
{
    size_t length;
    const char *name = hed_css_names_text(t->names, t->last_name, &length);
    if (t->last_name == HED_CSS_NONE || (size_t)(t->end - at) < length + 3 || at[1] != '/')
        return false;
    for (size_t i = 0; i < length; i++)
        if (css_ascii_lower(at[2 + i]) != name[i]) return false;
    char after = at[2 + length];
    return html_is_space(after) || after == '/' || after == '>';
}

/* RCDATA, RAWTEXT and PLAINTEXT. */
static void raw_state(html_tokenizer *t, html_token *token)
{
    bool references = t->state == HTML_RCDATA_STATE;
    for (const char *at = t->at;; at++) {
        at = html_find(
            at, t->end, t->state == HTML_PLAINTEXT_STATE ? 0 : '<', references ? '&' : 0, 0);
        if (at == t->end) {
            if (!take_text(t, token, at)) token->kind = HTML_END_OF_FILE;
            return;
        }
        if (*at == '&' && (take_text(t, token, at) || take_reference(t, token))) return;
        if (*at == '<' && is_end_tag(t, at)) {
            if (take_text(t, token, at)) return;
            t->state = HTML_DATA_STATE;
            take_markup(t, token);
            return;
        }
        if (*at) continue;
        if (!take_text(t, token, at)) take_replacement(t, token);
        return;
    }
}

/* True if "script" and a character that ends a tag name follow. */
static bool is_script(const html_tokenizer *t, const char *at)
{
    if (t->end - at < 7) return false;
    for (int i = 0; i < 6; i++)
        if (css_ascii_lower(at[i]) != "script"[i]) return false;
    return html_is_space(at[6]) || at[6] == '/' || at[6] == '>';
}

/* State of script data after the character at `at`, which is "<" or ">". */
static html_state script_state(const html_tokenizer *t, const char *at)
{
    if (*at == '>')
        return at - t->text >= 2 && at[-1] == '-' && at[-2] == '-' ? HTML_SCRIPT_DATA_STATE
                                                                   : t->state;
    if (t->state == HTML_SCRIPT_DATA_STATE && t->end - at >= 4 && memcmp(at, "<!--", 4) == 0)
        return HTML_SCRIPT_DATA_ESCAPED_STATE;
    if (t->state == HTML_SCRIPT_DATA_ESCAPED_STATE && is_script(t, at + 1))
        return HTML_SCRIPT_DATA_DOUBLE_ESCAPED_STATE;
    if (t->state == HTML_SCRIPT_DATA_DOUBLE_ESCAPED_STATE && t->end - at > 2 && at[1] == '/' &&
        is_script(t, at + 2))
        return HTML_SCRIPT_DATA_ESCAPED_STATE;
    return t->state;
}

static void script_data_state(html_tokenizer *t, html_token *token)
{
    for (const char *at = t->at;; at++) {
        at = html_find(at, t->end, '<', t->state == HTML_SCRIPT_DATA_STATE ? '<' : '>', 0);
        if (at == t->end) {
            if (!take_text(t, token, at)) token->kind = HTML_END_OF_FILE;
            return;
        }
        if (*at == '<' && t->state != HTML_SCRIPT_DATA_DOUBLE_ESCAPED_STATE && is_end_tag(t, at)) {
            if (take_text(t, token, at)) return;
            t->state = HTML_DATA_STATE;
            take_markup(t, token);
            return;
        }
        if (!*at) {
            if (!take_text(t, token, at)) take_replacement(t, token);
            return;
        }
        t->state = script_state(t, at);
    }
}

static bool cdata_section_state(html_tokenizer *t, html_token *token)
{
    for (const char *at = t->at;; at++) {
        at = html_find(at, t->end, ']', 0, 0);
        if (at == t->end) {
            if (!take_text(t, token, at)) token->kind = HTML_END_OF_FILE;
            return true;
        }
        if (*at == ']' && (t->end - at < 3 || at[1] != ']' || at[2] != '>')) continue;
        if (take_text(t, token, at)) return true;
        t->at += *at ? 3 : 1;
        if (*at) t->state = HTML_DATA_STATE;
        else token->kind = HTML_NULL;
        return !*at;
    }
}

/* Reads a token in any state but the data state; true: it is taken, else the state has changed. */
static HTML_RARE bool other_state(html_tokenizer *t, html_token *token)
{
    switch (t->state) {
    case HTML_RCDATA_STATE:
    case HTML_RAWTEXT_STATE:
    case HTML_PLAINTEXT_STATE: raw_state(t, token); return true;
    case HTML_SCRIPT_DATA_STATE:
    case HTML_SCRIPT_DATA_ESCAPED_STATE:
    case HTML_SCRIPT_DATA_DOUBLE_ESCAPED_STATE: script_data_state(t, token); return true;
    case HTML_CDATA_SECTION_STATE: return cdata_section_state(t, token);
    default: return false;
    }
}

void html_next(html_tokenizer *t, html_token *token)
{
    bool is_complete = false;
    while (!is_complete)
        is_complete = t->state == HTML_DATA_STATE ? data_state(t, token) : other_state(t, token);
    if (t->failed) token->kind = HTML_END_OF_FILE;
}
