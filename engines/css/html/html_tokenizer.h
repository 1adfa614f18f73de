/* The tokenizer of HTML (HTML Living Standard, "Tokenization"). The input is UTF-8 whose newlines
 * are LF (input.c). A text is a slice of the input, or of `decoded` where characters of the input
 * are replaced. */
#ifndef HED_CSS_HTML_TOKENIZER_H
#define HED_CSS_HTML_TOKENIZER_H

#include "model/names.h"
#include "tags.h"

/* A slice of the input; HTML_DECODED in `begin`: of the decoded characters. */
typedef struct html_text {
    uint32_t begin, length;
} html_text;
#define HTML_DECODED 0x80000000u

/* State between two tokens. */
typedef enum html_state {
    HTML_DATA_STATE,
    HTML_RCDATA_STATE,
    HTML_RAWTEXT_STATE,
    HTML_SCRIPT_DATA_STATE,
    HTML_SCRIPT_DATA_ESCAPED_STATE,
    HTML_SCRIPT_DATA_DOUBLE_ESCAPED_STATE,
    HTML_PLAINTEXT_STATE,
    HTML_CDATA_SECTION_STATE
} html_state;

typedef struct html_token_attribute {
    uint32_t name; /* number of the name in lower case */
    html_text value;
} html_token_attribute;

typedef enum html_token_kind {
    HTML_END_OF_FILE,
    HTML_CHARACTERS, /* text, at least one character; U+0000 comes as HTML_NULL */
    HTML_NULL,       /* the character U+0000 */
    HTML_START_TAG,
    HTML_END_TAG,
    HTML_COMMENT, /* text; U+0000 in it means U+FFFD */
    HTML_DOCTYPE
} html_token_kind;

typedef struct html_token {
    html_token_kind kind;
    html_text text;
    html_tag tag;
    uint32_t name; /* tags: number of the name in lower case */
    bool self_closing;
    uint32_t begin; /* tags: position in the input */
    html_token_attribute *attributes;
    uint32_t attribute_count;
    /* document types: U+0000 in the texts means U+FFFD */
    html_text doctype_name, public_id, system_id;
    bool has_name, has_public_id, has_system_id, force_quirks;
} html_token;

enum { HTML_CACHED_NAMES = 512, HTML_ALIGNMENT = 64 };

typedef struct html_tokenizer {
    const char *text, *at, *end;
    html_state state;
    uint32_t
        last_name; /* name of the last start tag, whose end tag ends RCDATA, RAWTEXT and scripts */
    bool foreign;  /* the adjusted current node is not an HTML element */
    hed_css_names *names;
    hed_allocator allocator;
    bool failed; /* memory ran out */
    char *decoded;
    uint32_t decoded_length, decoded_room;
    html_token_attribute *attributes;
    uint32_t attribute_count, attribute_room;
    uint32_t *attribute_seen; /* (seen_room) by name: serial number of the last tag that has it */
    uint32_t seen_room, serial;
    struct html_cached_name {
        uint64_t text[2]; /* a name of up to 16 bytes, in lower case, padded with zeros */
        uint32_t name;
        html_tag tag;
    } * cache; /* (HTML_CACHED_NAMES) */
} html_tokenizer;

/* Prepares a tokenizer; on failure too it is freed by html_tokenizer_free(). */
void html_tokenizer_init(
    html_tokenizer *tokenizer, hed_css_names *names, const char *text, size_t length);
void html_tokenizer_free(html_tokenizer *tokenizer);
/* Reads the next token. The attributes of a token live until the next tag, its texts as long as the
 * tokenizer. */
void html_next(html_tokenizer *tokenizer, html_token *token);
/* First byte of a text; valid until the next token. */
static inline const char *html_text_of(const html_tokenizer *t, html_text text)
{
    return text.begin & HTML_DECODED ? t->decoded + (text.begin & ~HTML_DECODED)
                                     : t->text + text.begin;
}
/* Number of an element's name; HTML_UNKNOWN: not in tags.h. */
html_tag html_find_tag(const char *name, size_t length);
/* Enlarges an array for `count` items of `size` bytes, which are not zeroed: most pages fill a part
 * of it; false: out of memory. */
bool html_grow(
    const hed_allocator *allocator, void *items, uint32_t *room, uint64_t count, size_t size);

/* ---- between the files of the tokenizer ---- */

/* Slice of the input. */
static inline html_text html_slice(const html_tokenizer *t, const char *begin, const char *end)
{
    return (html_text){(uint32_t)(begin - t->text), (uint32_t)(end - begin)};
}
/* Appends bytes to the decoded characters. */
void html_decode(html_tokenizer *tokenizer, const char *bytes, size_t length);
#define HTML_REPLACEMENT "\357\277\275" /* U+FFFD */
/* Reads a character reference at `at`, which is "&", and appends its characters to the decoded
 * ones; returns the position after it, or `at` if it is no reference. */
const char *html_character_reference(html_tokenizer *tokenizer, const char *at, bool in_attribute);
/* Reads a tag from the first letter of its name; false: the input ends in it. */
bool html_tag_name(html_tokenizer *tokenizer, html_token *token);
/* Reads a comment or a document type from its "!"; false: the start of a CDATA section, which has no
 * token. */
bool html_markup_declaration(html_tokenizer *tokenizer, html_token *token);
void html_bogus_comment(html_tokenizer *tokenizer, html_token *token);

#endif
