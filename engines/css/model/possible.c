/* Values that are certainly invalid. The grammars of single properties are not implemented; the
 * rules here hold for all properties except custom ones (Syntax 3, Values 4), and find values
 * written for other engines. Invalid values:
 *   - a CSS-wide keyword (inherit, revert ...) together with other words; any other keyword for
 *     `all`;
 *   - punctuation that no value has: `=`, `:`, `;`, curly brackets (`progid:`,
 *     `alpha(opacity=50)`), and `+`, `*` outside of brackets;
 *   - a colour with # and not 3, 4, 6 or 8 hexadecimal digits;
 *   - a number with an unknown unit (`10px\9`);
 *   - words with characters other than letters, digits, `-` and `_` (`solid\9`), and words and
 *     functions with the prefix of another engine (-ms-, -moz-, -o-, -khtml-), unless the word can
 *     be a name that the author chooses;
 *   - a number without a unit, except 0, for properties that take only lengths and percentages;
 *     quirks mode allows it.
 * A value with var(), env(), attr() or if() is possible, as it is known only when it is computed. */
#include "properties.h"
#include "tokenizer.h"

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

static bool is_colour(const char *text, const css_token *token)
{
    uint32_t digits = token->name_end - token->name;
    for (uint32_t i = token->name; i < token->name_end; i++)
        if (!strchr("0123456789abcdefABCDEF", text[i]) || !text[i]) return false;
    return token->plain && (digits == 3 || digits == 4 || digits == 6 || digits == 8);
}

static bool is_unit(const char *word)
{
    return css_among(
        "px em rem ex rex ch rch cap rcap ic ric lh rlh vw vh vi vb vmin vmax svw svh svi svb svmin "
        "svmax lvw lvh lvi lvb lvmin lvmax dvw dvh dvi dvb dvmin dvmax cqw cqh cqi cqb cqmin cqmax cm "
        "mm q in pt pc deg grad rad turn s ms hz khz dpi dpcm dppx x fr st db",
        word);
}

/* True for properties whose values may be names that the author chooses. */
static bool has_names(const char *property)
{
    static const char *const begins[] = {"animation", "font", "transition", "will-change",
        "counter", "grid", "list-style", "container", "view-t", "anchor", "position-", "timeline",
        "scroll-timeline", "page", "quotes"};
    for (size_t i = 0; i < HED_COUNT(begins); i++)
        if (strncmp(property, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

/* True for properties without a value that has a number outside of brackets. */
static bool has_lengths(const char *property)
{
    static const char *const begins[] = {"margin", "padding", "border-top", "border-right",
        "border-bottom", "border-left", "border-block", "border-inline", "border-start",
        "border-end", "min-", "max-", "inset", "scroll-margin", "scroll-padding"};
    for (size_t i = 0; i < HED_COUNT(begins); i++)
        if (strncmp(property, begins[i], strlen(begins[i])) == 0) return true;
    return css_among(
        "width height block-size inline-size top right bottom left border border-width "
        "border-radius border-spacing font-size letter-spacing word-spacing text-indent "
        "outline outline-width outline-offset column-width column-gap row-gap gap "
        "vertical-align background-size background-position transform-origin flex-basis",
        property);
}

static bool is_foreign(const char *word)
{
    return strncmp(word, "-ms-", 4) == 0 || strncmp(word, "-moz-", 5) == 0 ||
           strncmp(word, "-o-", 3) == 0 || strncmp(word, "-khtml-", 7) == 0;
}

static bool is_keyword(const char *text, const css_token *token)
{
    char word[64];
    css_keyword(text, token, word, sizeof word);
    return word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static bool sign_possible(char sign, uint32_t depth)
{
    return sign == '/' || sign == '-' || (depth && (sign == '+' || sign == '*'));
}

bool css_value_possible(const char *property, const char *value, size_t length, bool quirks)
{
    css_tokenizer t = {value, 0, (uint32_t)length};
    bool good = true, names = has_names(property), lengths = !quirks && has_lengths(property);
    uint32_t depth = 0, count = 0, wide = 0;
    char word[64];
    if (property[0] == '-' && property[1] == '-') return true;
    for (css_token token = css_next(&t); token.type != CSS_END; token = css_next(&t)) {
        if (token.type == CSS_SPACE) continue;
        count += !depth;
        css_keyword(value, &token, word, sizeof word);
        switch (token.type) {
        case CSS_FUNCTION:
            if (css_among("var env attr if", word)) return true;
            good &= !is_foreign(word) && strcmp(word, "expression") != 0;
            depth++;
            break;
        case CSS_IDENT:
            wide += !depth && css_wide_keyword(word);
            good &= names || (!is_foreign(word) && is_keyword(value, &token));
            break;
        case CSS_HASH: good &= is_colour(value, &token); break;
        case CSS_DIMENSION: good &= is_unit(word); break;
        case CSS_NUMBER: good &= depth || !lengths || css_number(value, &token) == 0; break;
        case CSS_DELIM: good &= sign_possible(value[token.begin], depth); break;
        case CSS_OPEN_ROUND:
        case CSS_OPEN_SQUARE: depth++; break;
        case CSS_CLOSE_ROUND:
        case CSS_CLOSE_SQUARE: depth -= depth > 0; break;
        case CSS_COLON:
        case CSS_SEMICOLON:
        case CSS_OPEN_CURLY:
        case CSS_CLOSE_CURLY:
        case CSS_AT:
        case CSS_CDO:
        case CSS_CDC: good = false; break;
        default: break;
        }
    }
    if (strcmp(property, "all") == 0) good &= wide && count;
    return good && (!wide || count == 1);
}

/* Keywords of a property that takes nothing else; NULL: another property. */
static const char *keywords_of(const char *property)
{
    static const struct {
        const char *property, *keywords;
    } lists[] = {
        {"display", "none contents block inline flow flow-root table flex grid ruby math list-item "
                    "inline-block inline-table inline-flex inline-grid table-row-group table-row "
                    "table-header-group table-footer-group table-cell table-column "
                    "table-column-group table-caption ruby-text -webkit-box -webkit-inline-box "
                    "-webkit-flex -webkit-inline-flex"},
        {"float", "none left right inline-start inline-end"},
        {"clear", "none left right both inline-start inline-end"},
        {"position", "static relative absolute fixed sticky"},
        {"visibility", "visible hidden collapse"},
        {"box-sizing", "content-box border-box"},
        {"flex-direction", "row row-reverse column column-reverse"},
        {"flex-wrap", "nowrap wrap wrap-reverse"},
        {"overflow", "visible hidden clip scroll auto overlay"},
        {"overflow-x", "visible hidden clip scroll auto overlay"},
        {"overflow-y", "visible hidden clip scroll auto overlay"},
        {"isolation", "auto isolate"},
        {"object-fit", "fill contain cover none scale-down"},
        {"text-align", "start end left right center justify match-parent -webkit-left "
                       "-webkit-right -webkit-center -webkit-match-parent"},
    };
    for (size_t i = 0; i < HED_COUNT(lists); i++)
        if (strcmp(property, lists[i].property) == 0) return lists[i].keywords;
    return NULL;
}

bool css_keywords_known(const char *property, const char *value, size_t length)
{
    char word[64];
    css_tokenizer t = {value, 0, (uint32_t)length};
    const char *keywords = keywords_of(property);
    if (!keywords) return true;
    for (css_token token = css_next(&t); token.type != CSS_END; token = css_next(&t)) {
        if (token.type == CSS_SPACE) continue;
        css_keyword(value, &token, word, sizeof word);
        if (token.type == CSS_FUNCTION) return css_among("var env attr if", word);
        bool known = css_among(keywords, word) || css_wide_keyword(word);
        if (token.type != CSS_IDENT || !known) return false;
    }
    return true;
}
