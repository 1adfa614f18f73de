/* CSS-wide keywords (Cascade 5, section 7.3). */
#include "model/properties.h"
#include "model/tokenizer.h"

css_wide css_wide_keyword(const char *word)
{
    if (strcmp(word, "revert") == 0) return CSS_REVERT;
    if (strcmp(word, "revert-layer") == 0) return CSS_REVERT_LAYER;
    return css_among("initial inherit unset", word) ? CSS_KEYWORD : CSS_NO_KEYWORD;
}

css_wide css_wide_value(const char *value, size_t length)
{
    char word[16];
    css_tokenizer t = {value, 0, (uint32_t)length};
    css_token token = css_next(&t);
    if (token.type != CSS_IDENT || length > 64) return CSS_NO_KEYWORD;
    css_keyword(value, &token, word, sizeof word);
    for (token = css_next(&t); token.type == CSS_SPACE;) token = css_next(&t);
    return token.type == CSS_END ? css_wide_keyword(word) : CSS_NO_KEYWORD;
}
