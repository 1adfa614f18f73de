/* Validity of a declaration's value: by the grammar of its property, after CSS-wide keywords and
 * the functions whose results are known only when the value is computed (Values 5, "arbitrary
 * substitution functions"). */
#include "values/values.h"

enum { MOST_OPEN = 100 };

/* Number of a token in the grammar's words. */
static uint16_t word_of(const char *text, const css_token *token)
{
    char word[66] = "";
    switch (token->type) {
    case CSS_IDENT: css_keyword(text, token, word, 64); break;
    case CSS_FUNCTION:
        css_keyword(text, token, word, 64);
        if (word[0]) strcat(word, "(");
        break;
    case CSS_DELIM: word[0] = text[token->begin]; break;
    case CSS_COMMA: word[0] = ','; break;
    case CSS_OPEN_SQUARE: word[0] = '['; break;
    default: break;
    }
    return word[0] ? css_grammar_word(word) : CSS_NO_WORD;
}

static bool is_substitution(const char *text, const css_token *token)
{
    char word[16];
    if (token->type != CSS_FUNCTION) return false;
    if (token->end - token->begin > 3 && memcmp(text + token->begin, "--", 2) == 0) return true;
    css_keyword(text, token, word, sizeof word);
    return css_among("var env attr if inherit", word);
}

/* True if var() begins with the name of a custom property, alone or before a comma. */
static bool variable_fits(const css_value *v, uint32_t at)
{
    const css_token *name = &v->tokens[at + 1].token, *next = &v->tokens[at + 2].token;
    if (!css_is(v->text, &v->tokens[at].token, "var")) return true;
    return at + 1 < v->count && name->type == CSS_IDENT && name->end - name->begin > 2 &&
           memcmp(v->text + name->begin, "--", 2) == 0 &&
           (at + 2 >= v->count || next->type == CSS_COMMA || next->type == CSS_CLOSE_ROUND);
}

css_value_kind css_value_read(css_value *v, const char *text, size_t length)
{
    css_tokenizer t = {text, 0, (uint32_t)length};
    uint32_t open[MOST_OPEN], depth = 0;
    bool computed = false;
    v->text = text;
    v->count = 0;
    for (css_token token = css_next(&t); token.type != CSS_END; token = css_next(&t)) {
        if (token.type == CSS_SPACE) continue;
        if (v->count == CSS_VALUE_TOKENS) return CSS_VALUE_UNJUDGED;
        uint32_t at = v->count++;
        v->tokens[at] = (css_value_token){token, word_of(text, &token), (uint16_t)(at + 1)};
        computed |= is_substitution(text, &token);
        if (depth && css_closer(&v->tokens[open[depth - 1]].token) == token.type)
            v->tokens[open[--depth]].after = (uint16_t)(at + 1);
        if (!css_closer(&token)) continue;
        if (depth == MOST_OPEN) return CSS_VALUE_UNJUDGED;
        open[depth++] = at;
    }
    while (depth) v->tokens[open[--depth]].after = (uint16_t)v->count;
    v->tokens[v->count] = (css_value_token){
        {.type = CSS_END, .begin = (uint32_t)length, .end = (uint32_t)length}, CSS_NO_WORD, 0};
    for (uint32_t i = 0; i < v->count && computed; i++)
        if (is_substitution(text, &v->tokens[i].token) && !variable_fits(v, i)) {
            v->begin = i;
            return CSS_VALUE_NO_VARIABLE;
        }
    if (computed) return CSS_VALUE_COMPUTED;
    return css_wide_value(text, length) ? CSS_VALUE_WIDE : CSS_VALUE_JUDGED;
}

/* True for properties that take numbers as lengths, and colours without `#`, in quirks mode (Quirks
 * Mode, section 3). */
static bool has_quirks(const char *property)
{
    static const char *const begins[] = {
        "margin-", "padding-", "border-top-", "border-right-", "border-bottom-", "border-left-"};
    if (css_among(
            "background-color background-position border-color border-spacing border-width bottom "
            "clip color font-size height left letter-spacing margin max-height max-width min-height "
            "min-width padding right text-indent top vertical-align width word-spacing",
            property))
        return true;
    for (size_t i = 0; i < HED_COUNT(begins); i++)
        if (strncmp(property, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

static bool is_size(const char *property)
{
    size_t length = strlen(property);
    const char *begin =
        strncmp(property, "m", 1) == 0 && strchr("ai", property[1]) ? strchr(property, '-') : NULL;
    if (strncmp(property, "margin", 6) == 0) return true;
    return length > 4 &&
           css_among("width height inline-size block-size", begin ? begin + 1 : property);
}

bool css_value_valid(
    const char *property, const char *text, size_t length, bool quirks, css_value_fault *fault)
{
    css_value v;
    css_value_stop stop = {0};
    if (property[0] == '-' && property[1] == '-') return true;
    uint32_t node = css_grammar_property(property);
    if (node == CSS_NO_NODE || length >= UINT32_MAX) return true;
    v.quirks = quirks && has_quirks(property);
    v.stop = NULL;
    v.anchors = css_among("top right bottom left", property) || strncmp(property, "inset", 5) == 0;
    v.anchor_sizes = v.anchors || is_size(property);
    switch (css_value_read(&v, text, length)) {
    case CSS_VALUE_NO_VARIABLE:
        stop.at = v.begin + 1;
        if (fault) css_value_describe(&v, &stop, fault);
        return false;
    case CSS_VALUE_JUDGED: break;
    default: return true;
    }
    if (css_value_matches(&v, node)) return true;
    if (!fault) return false;
    v.stop = &stop;
    css_value_matches(&v, node);
    css_value_describe(&v, &stop, fault);
    return false;
}
