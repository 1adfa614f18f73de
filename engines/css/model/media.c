/* Conditions: Media Queries 4 (lists, ranges, three-valued logic) and Conditional 3 and 4
 * (@supports). Features that hed_css_medium lacks have the values of a desktop browser. */
#include <math.h>

#include "parser.h"
#include "properties.h"

enum { MOST_PARENTHESES = 64 };

typedef enum truth { NO, YES, UNKNOWN } truth;

struct condition {
    css_parser *p;
    css_tokenizer t;
    css_token now;
    bool supports; /* true: @supports; false: @media, or @container */
    bool container;
    uint32_t depth;
    bool bad; /* invalid */
};

static void condition_advance(struct condition *c)
{
    css_pass(c->p, &c->now);
    c->now = css_next_solid(&c->t);
}

static bool word_is(const struct condition *c, const char *word)
{
    return c->now.type == CSS_IDENT && css_is(c->p->text, &c->now, word);
}

/* Reads up to and including the bracket that closes when `open` brackets are open. */
static void close_bracket(struct condition *c, uint32_t open)
{
    while (c->now.type != CSS_END && !c->p->failed &&
           !(c->p->brackets.count == open && css_closes(c->p, &c->now)))
        condition_advance(c);
    if (c->now.type != CSS_END) condition_advance(c);
}

/* ---- features of media ---- */

/* NUMBER: result of a mathematical function, which may be an integer or a ratio. */
typedef enum unit { INTEGER, LENGTH, RATIO, RESOLUTION, NUMBER, WORD, NONE } unit;

struct quantity {
    unit unit;
    double value;
};

/* Present value of a feature that is compared with numbers; an unknown feature has no unit. */
static struct quantity numeric_feature(const char *name, const hed_css_medium *m)
{
    struct {
        const char *name;
        unit unit;
        double value;
    } features[] = {{"width", LENGTH, m->width}, {"height", LENGTH, m->height},
        {"device-width", LENGTH, m->width}, {"device-height", LENGTH, m->height},
        {"aspect-ratio", RATIO, m->height > 0 ? m->width / m->height : 1e300},
        {"device-aspect-ratio", RATIO, m->height > 0 ? m->width / m->height : 1e300},
        {"resolution", RESOLUTION, m->resolution},
        {"-webkit-device-pixel-ratio", RATIO, m->resolution}, {"color", INTEGER, 8},
        {"color-index", INTEGER, 0}, {"monochrome", INTEGER, 0}, {"grid", INTEGER, 0},
        {"-webkit-transform-3d", INTEGER, 1}, {"horizontal-viewport-segments", INTEGER, 1},
        {"vertical-viewport-segments", INTEGER, 1}};
    for (size_t i = 0; i < HED_COUNT(features); i++)
        if (strcmp(name, features[i].name) == 0)
            return (struct quantity){features[i].unit, features[i].value};
    return (struct quantity){NONE, 0};
}

/* Present value of a feature that is compared with words; *words: all its values. NULL: no such
 * feature. */
static const char *word_feature(const char *name, const hed_css_medium *m, const char **words)
{
    bool print = m->type && strcmp(m->type, "print") == 0;
    struct {
        const char *name, *present, *words;
    } features[] = {
        {"orientation", m->height >= m->width ? "portrait" : "landscape", "portrait landscape"},
        {"hover", m->hover ? "hover" : "none", "none hover"},
        {"any-hover", m->hover ? "hover" : "none", "none hover"},
        {"pointer", m->fine_pointer ? "fine" : "coarse", "none coarse fine"},
        {"any-pointer", m->fine_pointer ? "fine" : "coarse", "none coarse fine"},
        {"prefers-color-scheme", m->dark ? "dark" : "light", "light dark"},
        {"prefers-reduced-motion", m->reduced_motion ? "reduce" : "no-preference",
            "no-preference reduce"},
        {"prefers-contrast", "no-preference", "no-preference more less custom"},
        {"prefers-reduced-transparency", "no-preference", "no-preference reduce"},
        {"prefers-reduced-data", "no-preference", "no-preference reduce"},
        {"forced-colors", "none", "none active"},
        {"inverted-colors", "none", "none inverted"},
        {"color-gamut", "srgb", "srgb p3 rec2020"},
        {"dynamic-range", "standard", "standard high"},
        {"video-dynamic-range", "standard", "standard high"},
        {"scripting", "enabled", "none initial-only enabled"},
        {"display-mode", "browser",
            "browser fullscreen minimal-ui picture-in-picture standalone window-controls-overlay"},
        {"update", print ? "none" : "fast", "none slow fast"},
        {"overflow-block", print ? "paged" : "scroll", "none scroll paged"},
        {"overflow-inline", print ? "none" : "scroll", "none scroll"},
        {"scan", "progressive", "interlace progressive"},
    };
    for (size_t i = 0; i < HED_COUNT(features); i++)
        if (strcmp(name, features[i].name) == 0) {
            *words = features[i].words;
            return features[i].present;
        }
    return NULL;
}

/* Length of 1 unit of a viewport (vw, svw, lvw, dvw ...), or of a container, which is absent; 0:
 * another unit. */
static double viewport_unit(const char *word, const hed_css_medium *m)
{
    double smaller = m->width < m->height ? m->width : m->height;
    double larger = m->width < m->height ? m->height : m->width;
    bool container = word[0] == 'c' && word[1] == 'q';
    bool sized = word[0] && strchr("sld", word[0]) && word[1] == 'v';
    if (!container && !sized && word[0] != 'v') return 0;
    const struct {
        const char *name;
        double value;
    } axes[] = {{"w", m->width}, {"h", m->height}, {"i", m->width}, {"b", m->height},
        {"min", smaller}, {"max", larger}};
    for (size_t i = 0; i < HED_COUNT(axes); i++)
        if (strcmp(word + 1 + (container || sized), axes[i].name) == 0) return axes[i].value / 100;
    return 0;
}

static struct quantity dimension_value(const struct condition *c)
{
    /* units of fonts refer to the initial font */
    static const struct {
        const char *name;
        unit unit;
        double value;
    } units[] = {{"px", LENGTH, 1}, {"em", LENGTH, 16}, {"rem", LENGTH, 16}, {"ex", LENGTH, 8},
        {"rex", LENGTH, 8}, {"ch", LENGTH, 8}, {"rch", LENGTH, 8}, {"cap", LENGTH, 11},
        {"rcap", LENGTH, 11}, {"ic", LENGTH, 16}, {"ric", LENGTH, 16}, {"lh", LENGTH, 19.2},
        {"rlh", LENGTH, 19.2}, {"cm", LENGTH, 96 / 2.54}, {"mm", LENGTH, 96 / 25.4},
        {"q", LENGTH, 96 / 101.6}, {"in", LENGTH, 96}, {"pt", LENGTH, 96 / 72.0},
        {"pc", LENGTH, 16}, {"dppx", RESOLUTION, 1}, {"x", RESOLUTION, 1},
        {"dpi", RESOLUTION, 1 / 96.0}, {"dpcm", RESOLUTION, 2.54 / 96}};
    double number = css_number(c->p->text, &c->now);
    char word[16];
    css_keyword(c->p->text, &c->now, word, sizeof word);
    for (size_t i = 0; i < HED_COUNT(units); i++)
        if (strcmp(word, units[i].name) == 0)
            return (struct quantity){units[i].unit, units[i].value * number};
    double length = viewport_unit(word, &c->p->medium);
    return (struct quantity){length > 0 ? LENGTH : NONE, length * number};
}

/* ---- mathematical functions (Values 4, section 10) ---- */

static struct quantity read_function(struct condition *c);
static struct quantity read_sum(struct condition *c);

static bool at_function(const struct condition *c)
{
    char name[16];
    css_keyword(c->p->text, &c->now, name, sizeof name);
    return c->now.type == CSS_FUNCTION &&
           css_among("calc -webkit-calc min max clamp abs sign sqrt hypot mod rem round", name);
}

/* Reads a number, a dimension, a constant, a function or a sum in parentheses. */
static struct quantity read_operand(struct condition *c)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536},
        {"infinity", INFINITY}, {"-infinity", -INFINITY}, {"nan", NAN}};
    struct quantity quantity = {NONE, 0};
    if (c->now.type == CSS_FUNCTION) return read_function(c);
    if (c->now.type == CSS_OPEN_ROUND && c->depth < MOST_PARENTHESES) {
        c->depth++;
        condition_advance(c);
        quantity = read_sum(c);
        c->depth--;
        if (c->now.type != CSS_CLOSE_ROUND && c->now.type != CSS_END) quantity.unit = NONE;
        if (c->now.type == CSS_CLOSE_ROUND) condition_advance(c);
        return quantity;
    }
    if (c->now.type == CSS_DIMENSION) quantity = dimension_value(c);
    else if (c->now.type == CSS_NUMBER)
        quantity = (struct quantity){NUMBER, css_number(c->p->text, &c->now)};
    for (size_t i = 0; i < HED_COUNT(constants); i++)
        if (word_is(c, constants[i].name)) quantity = (struct quantity){NUMBER, constants[i].value};
    if (quantity.unit != NONE) condition_advance(c);
    return quantity;
}

static struct quantity read_product(struct condition *c)
{
    struct quantity left = read_operand(c);
    while (css_is_delim(c->p->text, &c->now, '*') || css_is_delim(c->p->text, &c->now, '/')) {
        bool divides = c->p->text[c->now.begin] == '/';
        condition_advance(c);
        struct quantity right = read_operand(c);
        bool number = right.unit == NUMBER || (!divides && left.unit == NUMBER);
        if (left.unit == NONE || right.unit == NONE || !number) left.unit = NONE;
        else if (right.unit != NUMBER) left.unit = right.unit;
        left.value = divides ? left.value / right.value : left.value * right.value;
    }
    return left;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static struct quantity read_sum(struct condition *c)
{
    const char *text = c->p->text;
    struct quantity left = read_product(c);
    while (css_is_delim(text, &c->now, '+') || css_is_delim(text, &c->now, '-')) {
        double sign = text[c->now.begin] == '+' ? 1 : -1;
        if (!is_white(text[c->now.begin - 1]) || !is_white(text[c->now.end])) left.unit = NONE;
        condition_advance(c);
        struct quantity right = read_product(c);
        if (right.unit != left.unit) left.unit = NONE;
        left.value += sign * right.value;
    }
    return left;
}

/* Nearest multiple of a step in the direction of a strategy of round(). */
static double round_to(const char *strategy, double value, double step)
{
    double steps = value / step;
    if (strcmp(strategy, "up") == 0) return ceil(steps) * step;
    if (strcmp(strategy, "down") == 0) return floor(steps) * step;
    if (strcmp(strategy, "to-zero") == 0) return trunc(steps) * step;
    return floor(steps + 0.5) * step;
}

/* Value of a function with 1 to 3 arguments of one unit; the unit is NONE if it is invalid. */
static struct quantity function_value(
    const char *name, const char *strategy, unit common, const double *x, uint32_t count)
{
    const struct {
        const char *name;
        uint32_t count;
        double value;
    } functions[] = {{"calc", 1, x[0]}, {"-webkit-calc", 1, x[0]}, {"abs", 1, fabs(x[0])},
        {"sign", 1, (x[0] > 0) - (x[0] < 0)}, {"sqrt", 1, sqrt(x[0])},
        {"clamp", 3, fmax(x[0], fmin(x[1], x[2]))}, {"mod", 2, x[0] - floor(x[0] / x[1]) * x[1]},
        {"rem", 2, x[0] - trunc(x[0] / x[1]) * x[1]}, {"round", 2, round_to(strategy, x[0], x[1])}};
    bool number = strcmp(name, "sqrt") == 0;
    if (strcmp(name, "round") == 0 && count == 1) {
        number = true;
        count = 2;
    }
    if (number && common != NUMBER) return (struct quantity){NONE, 0};
    if (strcmp(name, "sign") == 0) common = NUMBER;
    for (size_t i = 0; i < HED_COUNT(functions); i++)
        if (strcmp(name, functions[i].name) == 0 && count == functions[i].count)
            return (struct quantity){common, functions[i].value};
    return (struct quantity){NONE, 0};
}

/* Reads a function; the current token is its name. */
static struct quantity read_function(struct condition *c)
{
    char name[16], strategy[16] = "nearest";
    uint32_t open = c->p->brackets.count + 1, count = 0;
    double x[3] = {0, 1, 0}, least = INFINITY, greatest = -INFINITY, squares = 0;
    unit common = NONE;
    css_keyword(c->p->text, &c->now, name, sizeof name);
    bool good = c->depth < MOST_PARENTHESES && at_function(c);
    condition_advance(c);
    if (good && strcmp(name, "round") == 0 && c->now.type == CSS_IDENT) {
        css_keyword(c->p->text, &c->now, strategy, sizeof strategy);
        if (css_among("nearest up down to-zero", strategy)) condition_advance(c);
        good = c->now.type == CSS_COMMA;
        condition_advance(c);
    }
    c->depth++;
    while (good) {
        struct quantity argument = read_sum(c);
        good = argument.unit != NONE && (!count || argument.unit == common);
        common = argument.unit;
        if (count < 3) x[count] = argument.value;
        least = fmin(least, argument.value);
        greatest = fmax(greatest, argument.value);
        squares += argument.value * argument.value;
        count++;
        if (c->now.type != CSS_COMMA) break;
        condition_advance(c);
    }
    c->depth--;
    good = good && (c->now.type == CSS_CLOSE_ROUND || c->now.type == CSS_END);
    close_bracket(c, open);
    if (!good) return (struct quantity){NONE, 0};
    if (strcmp(name, "min") == 0) return (struct quantity){common, least};
    if (strcmp(name, "max") == 0) return (struct quantity){common, greatest};
    if (strcmp(name, "hypot") == 0) return (struct quantity){common, sqrt(squares)};
    return function_value(name, strategy, common, x, count);
}

/* ---- comparisons of features ---- */

/* Reads a number, a dimension or a function. */
static struct quantity read_value(struct condition *c)
{
    struct quantity quantity = {NONE, 0};
    if (c->now.type == CSS_FUNCTION) {
        quantity = read_function(c);
        if (isnan(quantity.value)) quantity.value = 0;
        return quantity;
    }
    if (c->now.type == CSS_DIMENSION) quantity = dimension_value(c);
    else if (c->now.type == CSS_NUMBER)
        quantity =
            (struct quantity){c->now.integer ? INTEGER : RATIO, css_number(c->p->text, &c->now)};
    else return quantity;
    condition_advance(c);
    return quantity;
}

static bool is_number(struct quantity quantity)
{
    return quantity.unit == INTEGER || quantity.unit == RATIO || quantity.unit == NUMBER;
}

/* Reads a value; a word is written to `word` (32 bytes). */
static struct quantity read_quantity(struct condition *c, char *word)
{
    if (c->now.type == CSS_IDENT) {
        css_keyword(c->p->text, &c->now, word, 32);
        condition_advance(c);
        return (struct quantity){WORD, 0};
    }
    struct quantity quantity = read_value(c);
    if (!is_number(quantity) || !css_is_delim(c->p->text, &c->now, '/')) return quantity;
    condition_advance(c);
    struct quantity denominator = read_value(c);
    if (!is_number(denominator)) return (struct quantity){NONE, 0};
    double ratio = denominator.value > 0 ? quantity.value / denominator.value : 1e300;
    return (struct quantity){RATIO, ratio};
}

/* Reads a comparison: '<', '>', '=', 'l' for <=, 'g' for >=, or 0. */
static char read_comparison(struct condition *c)
{
    const char *text = c->p->text;
    if (c->now.type != CSS_DELIM || !strchr("<>=", text[c->now.begin])) return 0;
    char sign = text[c->now.begin];
    uint32_t sign_end = c->now.end;
    condition_advance(c);
    if (sign == '=' || c->now.begin != sign_end || !css_is_delim(text, &c->now, '=')) return sign;
    condition_advance(c);
    return sign == '<' ? 'l' : 'g';
}

static truth compare(double left, char sign, double right)
{
    switch (sign) {
    case '<': return left < right ? YES : NO;
    case 'l': return left <= right ? YES : NO;
    case '>': return left > right ? YES : NO;
    case 'g': return left >= right ? YES : NO;
    default: return left == right ? YES : NO;
    }
}

static bool units_fit(struct quantity feature, struct quantity value)
{
    if (value.unit == feature.unit) return true;
    if (feature.unit == RATIO) return is_number(value);
    if (feature.unit == INTEGER) return value.unit == NUMBER;
    return feature.unit == LENGTH && value.value == 0 && is_number(value);
}

/* Result of FEATURE sign VALUE. */
static truth feature_compares(
    const struct condition *c, const char *name, char sign, struct quantity value)
{
    bool size = strcmp(name, "inline-size") == 0 || strcmp(name, "block-size") == 0;
    if (size && c->container) name = name[0] == 'i' ? "width" : "height";
    struct quantity feature = numeric_feature(name, &c->p->medium);
    if (feature.unit == NONE || !units_fit(feature, value)) return UNKNOWN;
    if (feature.unit == INTEGER) value.value = floor(value.value + 0.5);
    return compare(feature.value, sign, value.value);
}

static truth truth_and(truth x, truth y)
{
    return x == NO || y == NO ? NO : x == UNKNOWN || y == UNKNOWN ? UNKNOWN : YES;
}

/* Reads the rest of `name` or `name: value`. */
static truth plain_feature(struct condition *c, const char *name)
{
    const char *words, *present = word_feature(name, &c->p->medium, &words);
    char word[32] = "";
    if (c->now.type != CSS_COLON) {
        if (present) return strcmp(present, "none") && strcmp(present, "no-preference") ? YES : NO;
        struct quantity feature = numeric_feature(name, &c->p->medium);
        return feature.unit == NONE ? UNKNOWN : feature.value != 0 ? YES : NO;
    }
    condition_advance(c);
    struct quantity value = read_quantity(c, word);
    if (present) {
        if (value.unit != WORD || !css_among(words, word)) return UNKNOWN;
        return strcmp(word, present) == 0 ? YES : NO;
    }
    if (strncmp(name, "min-", 4) == 0) return feature_compares(c, name + 4, 'g', value);
    if (strncmp(name, "max-", 4) == 0) return feature_compares(c, name + 4, 'l', value);
    if (strcmp(name, "-webkit-min-device-pixel-ratio") == 0)
        return feature_compares(c, "-webkit-device-pixel-ratio", 'g', value);
    if (strcmp(name, "-webkit-max-device-pixel-ratio") == 0)
        return feature_compares(c, "-webkit-device-pixel-ratio", 'l', value);
    return feature_compares(c, name, '=', value);
}

static char mirrored(char sign)
{
    return sign == '<' ? '>' : sign == '>' ? '<' : sign == 'l' ? 'g' : sign == 'g' ? 'l' : sign;
}

static truth read_feature(struct condition *c)
{
    char name[32] = "", word[32];
    truth result;
    if (c->now.type == CSS_IDENT) {
        css_keyword(c->p->text, &c->now, name, sizeof name);
        condition_advance(c);
        char sign = read_comparison(c);
        result =
            sign ? feature_compares(c, name, sign, read_quantity(c, word)) : plain_feature(c, name);
    } else {
        struct quantity left = read_quantity(c, word);
        char sign = read_comparison(c);
        if (!sign || read_quantity(c, name).unit != WORD) return UNKNOWN;
        result = feature_compares(c, name, mirrored(sign), left);
        char second = read_comparison(c);
        if (second) {
            bool one_way = sign != '=' && second != '=' &&
                           (sign == '<' || sign == 'l') == (second == '<' || second == 'l');
            truth right = feature_compares(c, name, second, read_quantity(c, word));
            result = one_way ? truth_and(result, right) : UNKNOWN;
        }
    }
    return c->now.type == CSS_CLOSE_ROUND || c->now.type == CSS_END ? result : UNKNOWN;
}

/* ---- @supports ---- */

/* Reads `property: value` up to the closing bracket. */
static truth supports_declaration(struct condition *c)
{
    char name[64];
    if (c->now.type != CSS_IDENT) return NO;
    bool custom = c->now.end - c->now.begin > 2 && memcmp(c->p->text + c->now.begin, "--", 2) == 0;
    css_keyword(c->p->text, &c->now, name, sizeof name);
    condition_advance(c);
    if (c->now.type != CSS_COLON) return NO;
    condition_advance(c);
    uint32_t open = c->p->brackets.count, begin = c->now.begin, end = 0;
    while (c->now.type != CSS_END && !c->p->failed &&
           !(c->p->brackets.count == open && css_closes(c->p, &c->now))) {
        bool bang = css_is_delim(c->p->text, &c->now, '!');
        if (end) return NO; /* more than `important` after an exclamation mark */
        if (bang) end = c->now.begin;
        condition_advance(c);
        if (bang && !word_is(c, "important")) return NO;
        if (bang) condition_advance(c);
    }
    if (!end) end = c->now.begin;
    if (custom) return YES;
    if (begin == end || !css_property_known(name)) return NO;
    const char *value = c->p->text + begin;
    return css_value_valid(name, value, end - begin, false, NULL) ? YES : NO;
}

/* Reads selector(), font-tech() or font-format(); the current token is the function. */
static truth supports_function(struct condition *c)
{
    char word[64];
    uint32_t open = c->p->brackets.count + 1;
    bool selector = css_is(c->p->text, &c->now, "selector");
    bool format = css_is(c->p->text, &c->now, "font-format");
    bool tech = css_is(c->p->text, &c->now, "font-tech");
    condition_advance(c);
    uint32_t begin = c->now.begin;
    css_keyword(c->p->text, &c->now, word, sizeof word);
    while (c->now.type != CSS_END && !c->p->failed &&
           !(c->p->brackets.count == open && css_closes(c->p, &c->now)))
        condition_advance(c);
    bool good = false;
    if (selector) good = css_is_selector(c->p, begin, c->now.begin);
    if (format) good = css_among("collection opentype truetype woff woff2", word);
    if (tech)
        good = css_among("color-colrv0 color-colrv1 color-sbix color-cbdt features-opentype "
                         "features-aat palettes variations incremental",
            word);
    close_bracket(c, open);
    return good ? YES : NO;
}

/* ---- logic of @media and @supports ---- */

static truth read_condition(struct condition *c, bool with_or);

static truth read_parentheses(struct condition *c)
{
    uint32_t open = c->p->brackets.count + 1;
    if (c->now.type == CSS_FUNCTION) {
        if (c->supports) return supports_function(c);
        condition_advance(c);
        close_bracket(c, open);
        return UNKNOWN;
    }
    if (c->now.type != CSS_OPEN_ROUND) {
        c->bad = true;
        return NO;
    }
    condition_advance(c);
    truth result = c->supports ? NO : UNKNOWN;
    bool function = c->now.type == CSS_FUNCTION && (c->supports || !at_function(c));
    bool inner = c->now.type == CSS_OPEN_ROUND || function || word_is(c, "not");
    if (inner && c->depth < MOST_PARENTHESES) {
        c->depth++;
        truth inner_result = read_condition(c, true);
        c->depth--;
        bool whole = !c->bad && c->p->brackets.count == open &&
                     (c->now.type == CSS_CLOSE_ROUND || c->now.type == CSS_END);
        if (whole) result = inner_result;
        c->bad = false; /* parentheses may contain anything */
    } else if (!inner) result = c->supports ? supports_declaration(c) : read_feature(c);
    close_bracket(c, open);
    return result;
}

static truth read_condition(struct condition *c, bool with_or)
{
    if (word_is(c, "not")) {
        condition_advance(c);
        truth inner = read_parentheses(c);
        return inner == UNKNOWN ? UNKNOWN : inner == YES ? NO : YES;
    }
    truth result = read_parentheses(c);
    bool is_or = word_is(c, "or") && with_or;
    while (!c->bad && (is_or ? word_is(c, "or") : word_is(c, "and"))) {
        condition_advance(c);
        truth next = read_parentheses(c);
        if (!is_or) result = truth_and(result, next);
        else if (result == YES || next == YES) result = YES;
        else if (next == UNKNOWN) result = UNKNOWN;
    }
    return result;
}

/* Reads a media query up to a comma or the end. */
static truth read_query(struct condition *c)
{
    bool inverted = word_is(c, "not"), has_only = word_is(c, "only");
    css_tokenizer t = c->t;
    css_token next = css_next_solid(&t);
    truth result;
    if (c->now.type != CSS_IDENT || (inverted && next.type != CSS_IDENT))
        return read_condition(c, true);
    if (inverted || has_only) condition_advance(c);
    char word[32];
    css_keyword(c->p->text, &c->now, word, sizeof word);
    c->bad |= c->now.type != CSS_IDENT || css_among("not only and or layer", word);
    if (c->bad) return NO;
    bool same = strcmp(word, "all") == 0 || strcmp(word, c->p->medium.type) == 0;
    result = same ? YES : NO;
    condition_advance(c);
    if (word_is(c, "and")) {
        condition_advance(c);
        result = truth_and(result, read_condition(c, false));
    }
    if (result == UNKNOWN || !inverted) return result;
    return result == YES ? NO : YES;
}

bool css_media_holds(css_parser *p, uint32_t begin, uint32_t end)
{
    struct condition c = {.p = p, .t = {p->text, begin, end}};
    uint32_t base = p->brackets.count;
    c.now = css_next_solid(&c.t);
    if (c.now.type == CSS_END) return true;
    bool holds = false;
    for (;;) {
        c.bad = false;
        truth query = read_query(&c);
        bool ends = c.now.type == CSS_COMMA || c.now.type == CSS_END;
        if (query == YES && !c.bad && ends && p->brackets.count == base) holds = true;
        while (c.now.type != CSS_END && !p->failed &&
               !(c.now.type == CSS_COMMA && p->brackets.count == base))
            condition_advance(&c);
        if (c.now.type == CSS_END || p->failed) break;
        condition_advance(&c);
    }
    p->brackets.count = base;
    return holds;
}

bool css_supports_holds(css_parser *p, uint32_t begin, uint32_t end, bool bare)
{
    struct condition c = {.p = p, .t = {p->text, begin, end}, .supports = true};
    uint32_t base = p->brackets.count;
    c.now = css_next_solid(&c.t);
    css_tokenizer t = c.t;
    css_token next = css_next_solid(&t);
    truth result;
    if (bare && c.now.type == CSS_IDENT && next.type == CSS_COLON)
        result = supports_declaration(&c);
    else {
        result = read_condition(&c, true);
        if (c.now.type != CSS_END) c.bad = true;
    }
    p->brackets.count = base;
    return result == YES && !c.bad;
}

/* Container that a query without a name, or with this one, is about; NULL: none is given. */
static const hed_css_container *find_container(const hed_css_medium *medium, const char *name)
{
    for (uint32_t i = 0; i < medium->container_count; i++)
        if (strcmp(medium->containers[i].name, name) == 0) return &medium->containers[i];
    return !name[0] && medium->container_count ? &medium->containers[0] : NULL;
}

bool css_container_holds(css_parser *p, uint32_t begin, uint32_t end)
{
    struct condition c = {.p = p, .t = {p->text, begin, end}, .container = true};
    uint32_t base = p->brackets.count;
    char name[64] = "";
    c.now = css_next_solid(&c.t);
    if (c.now.type == CSS_IDENT && !word_is(&c, "not")) {
        size_t length = c.now.name_end - c.now.name;
        if (length < sizeof name) memcpy(name, p->text + c.now.name, length);
        condition_advance(&c);
    }
    const hed_css_container *container = find_container(&p->medium, name);
    if (!container) return false;
    hed_css_medium medium = p->medium;
    p->medium.width = container->width;
    p->medium.height = container->height;
    bool holds = c.now.type == CSS_END ? name[0] != 0 : read_condition(&c, true) == YES && !c.bad;
    p->medium = medium;
    p->brackets.count = base;
    return holds;
}
