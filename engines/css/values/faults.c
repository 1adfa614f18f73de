/* Faults of values in words: the place, the components that the grammar has there, and the nearest
 * word. */
#include <stdio.h>

#include "support/nearest.h"
#include "values/values.h"

enum { MOST_NAMED = 6, MOST_WORDS = 512, MOST_PROPERTIES = 1024 };

/* Text of an expected component, such as "<length [0,∞]>", "rgb()" or "solid". */
static void node_text(uint32_t node, char *text, size_t size)
{
    static const char *const types[CSS_VALUE_TYPES] = {"name", "--name", "identifier", "string",
        "opentype-tag", "url", "hex-color", "zero", "anything", "calc-sum", "integer", "number",
        "percentage", "length", "angle", "time", "frequency", "resolution", "flex",
        "length-percentage", "angle-percentage", "time-percentage", "number-percentage"};
    const css_grammar_node *n = &css_values_grammar.nodes[node];
    const char *word = css_values_grammar.words[n->a < css_values_grammar.word_count ? n->a : 0];
    if (n->kind == CSS_GRAMMAR_RULE)
        snprintf(text, size, "<%s>", css_values_grammar.rules[n->a].name);
    else if (n->kind == CSS_GRAMMAR_WORD)
        snprintf(text, size, "%s", word[0] == ',' ? "a comma" : word);
    else if (n->kind == CSS_GRAMMAR_BLOCK)
        snprintf(text, size, "%s%s", word, word[0] == '[' ? "]" : ")");
    else if (n->a == CSS_VALUE_ZERO) snprintf(text, size, "0");
    else {
        const css_grammar_range *range = &css_values_grammar.ranges[n->b];
        char low[16] = "-∞", high[16] = "∞", limits[40] = "";
        if (range->low > -1e300) snprintf(low, sizeof low, "%g", range->low);
        if (range->high < 1e300) snprintf(high, sizeof high, "%g", range->high);
        if (range->low > -1e300 || range->high < 1e300)
            snprintf(limits, sizeof limits, " [%s,%s]", low, high);
        snprintf(text, size, "<%s%s>", types[n->a], limits);
    }
}

/* Writes a list of the components that were expected: data types before words. */
static void list_expected(const css_value_stop *stop, char *text, size_t size)
{
    const char *parts[MOST_NAMED];
    char texts[MOST_NAMED][48];
    uint32_t count = 0, total = stop->count + stop->comma + stop->end;
    for (int words = 0; words < 2; words++)
        for (uint32_t i = 0; i < stop->count && count < MOST_NAMED; i++) {
            uint8_t kind = css_values_grammar.nodes[stop->nodes[i]].kind;
            bool is_word = kind == CSS_GRAMMAR_WORD || kind == CSS_GRAMMAR_BLOCK;
            if (is_word != words) continue;
            node_text(stop->nodes[i], texts[count], sizeof texts[count]);
            parts[count] = texts[count];
            count++;
        }
    if (stop->comma && count < MOST_NAMED) parts[count++] = "a comma";
    if (stop->end && count < MOST_NAMED) parts[count++] = "the end";
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
            !i                                 ? ""
            : i + 1 == count && count == total ? " or "
                                               : ", ",
            parts[i]);
    if (total > count && used < size) snprintf(text + used, size - used, " ...");
}

/* Collects the words of a node outside of functions. */
static void collect_words(uint32_t node, const char **words, uint32_t *count, uint32_t depth)
{
    const css_grammar_node *n = &css_values_grammar.nodes[node];
    if (depth > 8 || *count + 1 >= MOST_WORDS) return;
    switch (n->kind) {
    case CSS_GRAMMAR_WORD:
    case CSS_GRAMMAR_BLOCK: words[(*count)++] = css_values_grammar.words[n->a]; break;
    case CSS_GRAMMAR_TYPE: break;
    case CSS_GRAMMAR_RULE:
        collect_words(css_values_grammar.rules[n->a].node, words, count, depth + 1);
        break;
    case CSS_GRAMMAR_REPEAT: collect_words(n->a, words, count, depth + 1); break;
    default:
        for (uint32_t i = 0; i < n->b; i++)
            collect_words(css_values_grammar.children[n->a + i], words, count, depth + 1);
    }
}

static void find_nearest(const css_value *v, const css_value_stop *stop, css_value_fault *fault)
{
    const char *words[MOST_WORDS];
    uint32_t count = 0;
    const css_token *token = &v->tokens[stop->at].token;
    char typed[50];
    bool function = token->type == CSS_FUNCTION;
    if (token->type != CSS_IDENT && !function) return;
    css_keyword(v->text, token, typed, sizeof typed - 1);
    if (!typed[0]) return;
    if (function) strcat(typed, "(");
    for (uint32_t i = 0; i < stop->count; i++) collect_words(stop->nodes[i], words, &count, 0);
    words[count] = NULL;
    const char *nearest = hed_nearest(typed, words);
    if (!nearest || strlen(nearest) < 2) return;
    bool call = nearest[strlen(nearest) - 1] == '(';
    snprintf(fault->suggestion, sizeof fault->suggestion, "%.40s%s", nearest, call ? ")" : "");
}

/* True if a number without a unit is in the place of a dimension. */
static bool lacks_unit(const css_value *v, const css_value_stop *stop)
{
    if (v->tokens[stop->at].token.type != CSS_NUMBER) return false;
    for (uint32_t i = 0; i < stop->count; i++) {
        const css_grammar_node *n = &css_values_grammar.nodes[stop->nodes[i]];
        if (n->kind == CSS_GRAMMAR_TYPE && n->a >= CSS_VALUE_LENGTH &&
            n->a != CSS_VALUE_NUMBER_PERCENTAGE)
            return true;
    }
    return false;
}

void css_value_describe(const css_value *v, const css_value_stop *stop, css_value_fault *fault)
{
    const css_token *token = &v->tokens[stop->at].token;
    *fault = (css_value_fault){.begin = token->begin, .end = token->end};
    if (css_closer(token)) fault->end = v->tokens[v->tokens[stop->at].after - 1].token.end;
    fault->lacks_unit = lacks_unit(v, stop) && css_number(v->text, token) != 0;
    if (stop->count || stop->comma || stop->end)
        list_expected(stop, fault->expected, sizeof fault->expected);
    else snprintf(fault->expected, sizeof fault->expected, "the name of a custom property");
    find_nearest(v, stop, fault);
}

const char *css_property_near(const char *name)
{
    static const char *const prefixes[] = {"-moz-", "-ms-", "-o-", "-webkit-", "-khtml-"};
    const char *names[MOST_PROPERTIES];
    uint32_t count = 0;
    for (size_t i = 0; i < HED_COUNT(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0)
            return css_property_known(name + length) ? name + length : NULL;
    }
    for (const char *property; count + 1 < MOST_PROPERTIES && (property = css_property_at(count));
         count++)
        names[count] = property;
    names[count] = NULL;
    return hed_nearest(name, names);
}
