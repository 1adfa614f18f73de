/* States of the tokenizer in which tags are read. */
#include "scan.h"
#include "html_tokenizer.h"

html_tag html_find_tag(const char *name, size_t length)
{
    static const char *const tags[] = {"",
#define HTML_NAME(identifier, text, flags, start, end) text,
        HTML_TAGS(HTML_NAME)
#undef HTML_NAME
    };
    uint32_t low = 1, high = HTML_TAG_COUNT;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strncmp(tags[middle], name, length);
        if (!order && tags[middle][length]) order = 1;
        if (!order) return (html_tag)middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return HTML_UNKNOWN;
}

/* Number of a name in lower case that is too long for the cache, or has U+0000. */
static uint32_t find_long_name(html_tokenizer *t, const char *begin, const char *end)
{
    uint32_t decoded = t->decoded_length;
    for (const char *at = begin; at < end; at++) {
        char c = css_ascii_lower(*at);
        html_decode(t, c ? &c : HTML_REPLACEMENT, c ? 1 : 3);
    }
    if (t->failed) return HED_CSS_NONE;
    uint32_t name = hed_css_names_add(t->names, t->decoded + decoded, t->decoded_length - decoded);
    t->failed = name == HED_CSS_NONE;
    t->decoded_length = decoded;
    return name;
}

/* Reads any name, as read_name(). */
static HTML_RARE uint32_t read_long_name(html_tokenizer *t, bool equals)
{
    const char *begin = t->at, *at = begin + 1, *end = t->end;
    while (at < end && *at != '>' && *at != '/' && !html_is_space(*at) && !(equals && *at == '='))
        at++;
    t->at = at;
    return find_long_name(t, begin, at);
}

/* Number of a name in lower case, padded with zeros; *tag: its tag. */
static inline uint32_t find_short_name(
    html_tokenizer *t, html_bytes bytes, unsigned length, html_tag *tag)
{
    uint64_t text[2];
    memcpy(text, &bytes, sizeof text);
    uint64_t hash = text[0] * 0x9e3779b97f4a7c15u + text[1] * 0xbf58476d1ce4e5b9u;
    struct html_cached_name *cached = &t->cache[hash >> 55];
    if (cached->text[0] != text[0] || cached->text[1] != text[1]) {
        *cached = (struct html_cached_name){{text[0], text[1]},
            hed_css_names_add(t->names, (const char *)text, length),
            html_find_tag((const char *)text, length)};
        if (cached->name == HED_CSS_NONE) t->failed = true;
    }
    *tag = cached->tag;
    return cached->name;
}

/* Reads a name at t->at, whose first character is part of it; `equals`: "=" ends the name. Returns
 * its number; t->at is at its end. */
static inline uint32_t read_name(html_tokenizer *t, bool equals, html_tag *tag)
{
    static const unsigned char prefix[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255}; /* 255 for each byte of the name */
    const char *begin = t->at, *end = t->end;
    html_bytes bytes = html_load(begin, end), mask;
    html_bytes ends = (html_bytes)(bytes <= ' ') | html_equal(bytes, '/') | html_equal(bytes, '>');
    if (equals) ends |= html_equal(bytes, '=');
    unsigned length = html_first(ends);
    if (length && length < 16 && length < end - begin &&
        (begin[length] > ' ' || html_is_space(begin[length]))) {
        t->at = begin + length;
        memcpy(&mask, prefix + 16 - length, 16);
        bytes |= (html_bytes)((html_bytes)(bytes - 'A') < 26) & 0x20;
        return find_short_name(t, bytes & mask, length, tag);
    }
    *tag = HTML_UNKNOWN;
    return read_long_name(t, equals);
}

/* True if the tag has an attribute of this name already. */
static bool is_repeated(html_tokenizer *t, uint32_t name)
{
    enum { SHORT_LIST = 12 };
    uint32_t count = t->attribute_count;
    if (count < SHORT_LIST) {
        for (uint32_t i = 0; i < count; i++)
            if (t->attributes[i].name == name) return true;
        return false;
    }
    uint32_t room = t->seen_room;
    if (!html_grow(&t->allocator, &t->attribute_seen, &t->seen_room, t->names->count,
            sizeof *t->attribute_seen)) {
        t->failed = true;
        return true;
    }
    if (room < t->seen_room)
        memset(t->attribute_seen + room, 0, (t->seen_room - room) * sizeof *t->attribute_seen);
    if (count == SHORT_LIST) {
        t->serial++;
        for (uint32_t i = 0; i < count; i++) t->attribute_seen[t->attributes[i].name] = t->serial;
    }
    bool repeated = t->attribute_seen[name] == t->serial;
    t->attribute_seen[name] = t->serial;
    return repeated;
}

/* Adds an attribute to the tag, unless it has one of this name. */
static void add_attribute(html_tokenizer *t, uint32_t name, html_text value)
{
    if (t->failed || is_repeated(t, name)) return;
    if (t->attribute_count == t->attribute_room &&
        !html_grow(&t->allocator, &t->attributes, &t->attribute_room, t->attribute_count + 1,
            sizeof *t->attributes)) {
        t->failed = true;
        return;
    }
    t->attributes[t->attribute_count++] = (html_token_attribute){name, value};
}

/* First character after an unquoted value, or the first one in it that must be decoded. */
static const char *find_unquoted_end(const char *at, const char *end)
{
    while (at < end && *at && *at != '>' && *at != '&' && !html_is_space(*at)) at++;
    return at;
}

/* Reads the rest of an attribute value from `begin`; `at` is the first character that has to be
 * decoded. Returns the value; t->at is at its end. */
static html_text decode_value(html_tokenizer *t, const char *begin, const char *at, char quote)
{
    uint32_t decoded = t->decoded_length;
    const char *end = t->end;
    while (at < end && (*at == '&' || !*at)) {
        html_decode(t, begin, (size_t)(at - begin));
        begin = at;
        if (!*at) {
            html_decode(t, HTML_REPLACEMENT, 3);
            begin = ++at;
        } else {
            at = html_character_reference(t, at, true);
            if (at == begin) at++;
            else begin = at;
        }
        at = quote ? html_find(at, end, quote, '&', 0) : find_unquoted_end(at, end);
    }
    html_decode(t, begin, (size_t)(at - begin));
    t->at = at;
    return (html_text){decoded | HTML_DECODED, t->decoded_length - decoded};
}

/* Before attribute value state and the following ones; false: the input ends. */
static bool attribute_value(html_tokenizer *t, html_text *value)
{
    const char *begin = html_skip_space(t->at, t->end), *at;
    char quote = 0;
    if (begin == t->end) return false;
    if (*begin == '"' || *begin == '\'') {
        quote = *begin++;
        at = html_find(begin, t->end, quote, '&', 0);
    } else at = find_unquoted_end(begin, t->end);
    t->at = at;
    if (at < t->end && (*at == '&' || !*at)) *value = decode_value(t, begin, at, quote);
    else *value = html_slice(t, begin, at);
    if (t->at == t->end) return false;
    if (quote) t->at++;
    return true;
}

/* Before attribute name state and the following ones, up to the end of the tag; false: the input
 * ends. */
static HTML_RARE bool attributes(html_tokenizer *t, html_token *token)
{
    html_tag tag;
    for (;;) {
        const char *at = html_skip_space(t->at, t->end);
        if (at == t->end) return false;
        if (*at == '/' || *at == '>') { /* self-closing start tag state */
            t->at = at + 1;
            if (*at == '>') return true;
            if (t->at == t->end) return false;
            if (*t->at != '>') continue;
            t->at++;
            return token->self_closing = true;
        }
        t->at = at;
        uint32_t name = read_name(t, true, &tag); /* "=" may begin a name */
        html_text value = html_slice(t, t->at, t->at);
        t->at = html_skip_space(t->at, t->end);
        if (t->at < t->end && *t->at == '=') {
            t->at++;
            if (t->at < t->end && *html_skip_space(t->at, t->end - 1) == '>')
                t->at = html_skip_space(t->at, t->end); /* the value is missing */
            else if (!attribute_value(t, &value)) return false;
        }
        add_attribute(t, name, value);
    }
}

bool html_tag_name(html_tokenizer *t, html_token *token)
{
    token->name = read_name(t, false, &token->tag);
    if (t->at == t->end) return false;
    token->self_closing = false;
    t->attribute_count = 0;
    if (*t->at == '>') t->at++;
    else if (!attributes(t, token)) return false;
    token->attributes = t->attributes;
    token->attribute_count = t->attribute_count;
    if (token->kind == HTML_START_TAG) t->last_name = token->name;
    return true;
}
