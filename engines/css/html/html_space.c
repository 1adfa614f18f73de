/* White space of texts and tokens. */
#include "html_parser.h"
#include "scan.h"

bool html_skip_token_space(
    html_parser *p, html_token *token, void (*space)(html_parser *parser, html_text text))
{
    const char *begin = html_text_of(&p->tokenizer, token->text);
    uint32_t length = (uint32_t)(html_skip_space(begin, begin + token->text.length) - begin);
    if (length && space) space(p, (html_text){token->text.begin, length});
    token->text.begin += length;
    token->text.length -= length;
    return token->text.length;
}

void html_insert_space(
    html_parser *p, html_text text, void (*insert)(html_parser *parser, html_text text))
{
    const char *begin = html_text_of(&p->tokenizer, text);
    for (uint32_t at = 0, end; at < text.length; at = end + 1) {
        for (end = at; end < text.length && html_is_space(begin[end]);) end++;
        if (end == at) continue;
        insert(p, (html_text){text.begin + at, end - at});
        begin = html_text_of(&p->tokenizer, text);
    }
}
