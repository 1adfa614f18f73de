/* Reader of the pseudo-classes and pseudo-elements of Selectors Level 4, and of An+B of CSS Syntax
 * 3. pseudo.c has the valid names. */
#include <stdio.h>

#include "document.h"
#include "pseudo.h"
#include "selector_reader.h"

/* ---- An+B ---- */

static int32_t clamp_integer(double value)
{
    return value > INT32_MAX ? INT32_MAX : value < -INT32_MAX ? -INT32_MAX : (int32_t)value;
}

/* Value of a text of digits; false: it is empty, or has other characters. */
static bool digits_value(const char *text, double *value)
{
    *value = 0;
    if (!*text) return false;
    for (; *text >= '0' && *text <= '9'; text++) *value = *value * 10 + (*text - '0');
    return !*text;
}

/* Reads the rest after `n` or, with `minus`, `n-`: nothing, a signed number, or a sign and an
 * unsigned number. */
static bool read_nth_rest(css_reader *r, bool minus, int32_t *b)
{
    const char *text = r->p->text;
    css_tokenizer at = r->t;
    css_token token = r->now;
    while (token.type == CSS_SPACE) token = css_next(&at);
    int sign = minus ? -1 : 0;
    if (!minus && (css_is_delim(text, &token, '+') || css_is_delim(text, &token, '-'))) {
        sign = text[token.begin] == '+' ? 1 : -1;
        token = css_next_solid(&at);
    }
    bool is_signed = text[token.begin] == '+' || text[token.begin] == '-';
    if (token.type != CSS_NUMBER || !token.integer || is_signed == (sign != 0)) {
        if (sign == 0 && (token.type != CSS_NUMBER || !is_signed)) return true; /* `b` stays 0 */
        return css_selector_fails(r, "expected an integer in An+B");
    }
    *b = clamp_integer((sign ? sign : 1) * css_number(text, &token));
    r->t = at;
    r->now = css_next(&r->t);
    return true;
}

/* Reads An+B from the word `n`, `n-` or `n-3`, in lower case, with the factor `a`. */
static bool read_nth_word(css_reader *r, const char *word, double a, css_simple *nth)
{
    double digits;
    if (word[0] != 'n') return css_selector_expects(r, "An+B");
    nth->a = clamp_integer(a);
    if (word[1] == 0) {
        css_advance(r);
        return read_nth_rest(r, false, &nth->b);
    }
    if (word[1] != '-') return css_selector_expects(r, "An+B");
    if (word[2] == 0) {
        css_advance(r);
        return read_nth_rest(r, true, &nth->b);
    }
    if (!digits_value(word + 2, &digits)) return css_selector_expects(r, "An+B");
    nth->b = clamp_integer(-digits);
    css_advance(r);
    return true;
}

static bool read_nth(css_reader *r, css_simple *nth)
{
    char word[64];
    bool plus = css_at_delim(r, '+');
    if (plus) css_advance(r); /* a name must follow without space */
    css_keyword(r->p->text, &r->now, word, sizeof word);
    if (r->now.type == CSS_IDENT && word[0] == '-' && !plus)
        return read_nth_word(r, word + 1, -1, nth);
    if (r->now.type == CSS_IDENT && (word[0] == 'n' || plus)) return read_nth_word(r, word, 1, nth);
    if (plus) return css_selector_expects(r, "An+B");
    if (r->now.type == CSS_DIMENSION && r->now.integer)
        return read_nth_word(r, word, css_number(r->p->text, &r->now), nth);
    bool odd = r->now.type == CSS_IDENT && strcmp(word, "odd") == 0;
    if (odd || (r->now.type == CSS_IDENT && strcmp(word, "even") == 0)) {
        nth->a = 2;
        nth->b = odd;
    } else if (r->now.type == CSS_NUMBER && r->now.integer) {
        nth->b = clamp_integer(css_number(r->p->text, &r->now));
    } else return css_selector_expects(r, "An+B");
    css_advance(r);
    return true;
}

/* ---- pseudo-classes ---- */

static bool read_close(css_reader *r)
{
    css_skip_space(r);
    if (r->now.type == CSS_END) return true;
    if (r->now.type != CSS_CLOSE_ROUND) return css_selector_expects(r, "\")\"");
    css_advance(r);
    return true;
}

/* Reads a nested list and the bracket that closes it. */
static bool read_inner_list(css_reader *r, unsigned mode, css_range *range)
{
    uint32_t specificity = r->specificity;
    bool scoped = r->scoped;
    r->scoped = false;
    if (++r->depth > CSS_NESTING) {
        r->too_deep = true;
        return css_selector_fails(r, "nested deeper than %d", CSS_NESTING);
    }
    if (r->out->depth < r->depth) r->out->depth = r->depth;
    bool good = css_read_list(r, mode | CSS_LIST_INSIDE, range) && read_close(r);
    range->scoped = r->scoped;
    r->scoped |= scoped;
    r->depth--;
    r->specificity = specificity;
    return good;
}

static bool read_logical(
    css_reader *r, const css_pseudo *pseudo, unsigned mode, bool behind_element)
{
    css_range range;
    const unsigned inherited = CSS_LIST_IN_HAS | CSS_LIST_BEHIND | CSS_LIST_PART | CSS_LIST_SHADOW;
    unsigned inner = CSS_LIST_FREE | (mode & inherited);
    if (behind_element) inner |= CSS_LIST_BEHIND | (r->part ? CSS_LIST_PART : 0);
    if (behind_element || mode & CSS_LIST_SHADOW) inner |= CSS_LIST_COMPOUND;
    if (pseudo->kind == CSS_HAS) {
        if (mode & CSS_LIST_IN_HAS) return css_selector_fails(r, ":has() inside of :has()");
        if (mode & CSS_LIST_SHADOW)
            return css_selector_fails(r, ":has() inside of :host() or ::slotted()");
        inner = CSS_LIST_FREE | CSS_LIST_IN_HAS | CSS_LIST_RELATIVE;
    } else if (pseudo->kind == CSS_IS)
        inner |= pseudo->bits ? CSS_LIST_COMPOUND : CSS_LIST_FORGIVING;
    if (!read_inner_list(r, inner, &range)) return false;
    css_simple *simple = css_push_simple(r, range.count ? (css_kind)pseudo->kind : CSS_NEVER,
        pseudo->negated ? 0 : range.specificity);
    if (!simple) return false;
    simple->list = range.list;
    simple->count = range.count;
    simple->scoped = range.scoped;
    return true;
}

static bool read_nth_function(css_reader *r, const css_pseudo *pseudo, unsigned mode)
{
    css_simple nth = {.kind = CSS_NTH, .operation = pseudo->operation, .name_space = CSS_NONE};
    css_range of = {0};
    nth.name = nth.lower = nth.value = CSS_NONE;
    css_skip_space(r);
    if (!read_nth(r, &nth)) return false;
    css_skip_space(r);
    bool may_of = nth.operation == CSS_CHILD || nth.operation == CSS_LAST_CHILD;
    if (may_of && r->now.type == CSS_IDENT && css_is(r->p->text, &r->now, "of")) {
        bool changes = r->out->changes;
        css_advance(r);
        r->out->changes = false;
        if (!read_inner_list(r, mode & CSS_LIST_IN_HAS, &of)) return false;
        nth.counts_changes = r->out->changes;
        r->out->changes |= changes;
    } else if (!read_close(r)) return false;
    css_simple *simple =
        css_push_simple(r, CSS_NTH, css_specificity_sum(CSS_SPECIFICITY_CLASS, of.specificity));
    if (!simple) return false;
    nth.list = of.list;
    nth.count = of.count;
    nth.scoped = of.scoped;
    *simple = nth;
    return true;
}

static bool read_lang(css_reader *r)
{
    uint32_t first = r->p->sheet->store[CSS_WORDS].count, count = 0;
    for (;; count++) {
        css_skip_space(r);
        if (r->now.type != CSS_IDENT && r->now.type != CSS_STRING)
            return css_selector_expects(r, "a language");
        uint32_t *word = css_push(&r->p->sheet->store[CSS_WORDS], 1, sizeof *word, r->p);
        if (!word) return false;
        *word = css_token_name(r->p, &r->now);
        css_advance(r);
        css_skip_space(r);
        if (r->now.type != CSS_COMMA) break;
        css_advance(r);
    }
    if (!read_close(r)) return false;
    css_simple *simple = css_push_simple(r, CSS_LANG, CSS_SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->value = first;
    simple->count = count + 1;
    return true;
}

static bool read_dir(css_reader *r)
{
    css_skip_space(r);
    if (r->now.type != CSS_IDENT) return css_selector_expects(r, "\"ltr\" or \"rtl\"");
    bool right = css_is(r->p->text, &r->now, "rtl"), left = css_is(r->p->text, &r->now, "ltr");
    css_advance(r);
    if (!read_close(r)) return false;
    css_simple *simple =
        css_push_simple(r, right || left ? CSS_FLAG : CSS_NEVER, CSS_SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->bits = CSS_RTL;
    simple->negated = left;
    simple->may_hold = simple->may_fail = CSS_CHANGES_DIRECTION;
    r->out->changes = true;
    return true;
}

/* Skips the argument of a function and the bracket that closes it; false: the argument is empty. */
static bool skip_function(css_reader *r)
{
    uint32_t open = r->p->brackets.count;
    bool has_argument = false;
    while (r->now.type != CSS_END && r->p->brackets.count >= open && !r->p->failed) {
        bool closes = r->p->brackets.count == open && css_closes(r->p, &r->now);
        has_argument |= r->now.type != CSS_SPACE && !closes;
        css_advance(r);
    }
    return has_argument || css_selector_expects(r, "an argument");
}

/* Checks the argument of a function and reads the closing bracket; the argument is not stored. */
static bool read_argument(css_reader *r, const css_pseudo *pseudo, unsigned mode)
{
    static const char sides[] =
        " left right up down block-start block-end inline-start inline-end prev next ";
    char word[48], spaced[50];
    css_range range;
    bool good = true;
    if (pseudo->argument == CSS_ARGUMENT_ANY) return skip_function(r);
    if (pseudo->argument == CSS_ARGUMENT_COMPOUNDS)
        return read_inner_list(r, (mode & CSS_LIST_IN_HAS) | CSS_LIST_COMPOUND, &range);
    css_skip_space(r);
    if (pseudo->argument == CSS_ARGUMENT_SIDE && css_at_delim(r, '*')) {
        css_advance(r);
        return read_close(r);
    }
    if (r->now.type != CSS_IDENT) return css_selector_expects(r, "a name");
    css_keyword(r->p->text, &r->now, word, sizeof word);
    snprintf(spaced, sizeof spaced, " %s ", word);
    if (pseudo->argument == CSS_ARGUMENT_SIDE) good = strstr(sides, spaced) != NULL;
    if (pseudo->argument == CSS_ARGUMENT_SELECT) good = strcmp(word, "select") == 0;
    if (!good) return css_selector_expects(r, "a word that this pseudo-element knows");
    css_advance(r);
    return read_close(r);
}

/* ---- shadow trees ---- */

/* Adds :host, or :host(), :host-context() and ::slotted() with their argument, one compound
 * selector. */
static bool read_with_compound(
    css_reader *r, const css_pseudo *pseudo, unsigned mode, bool argument)
{
    css_range range = {0};
    uint32_t base = pseudo->kind == CSS_HOST ? CSS_SPECIFICITY_CLASS : 0;
    unsigned inner =
        (mode & CSS_LIST_IN_HAS) | CSS_LIST_COMPOUND | CSS_LIST_SINGLE | CSS_LIST_SHADOW;
    if (argument && !read_inner_list(r, inner, &range)) return false;
    r->shadow = r->inside = true;
    css_simple *simple =
        css_push_simple(r, (css_kind)pseudo->kind, css_specificity_sum(base, range.specificity));
    if (!simple) return false;
    simple->operation = pseudo->operation;
    simple->list = range.list;
    simple->count = range.count;
    simple->scoped = range.scoped;
    return true;
}

/* Adds ::part() with its argument, names separated by white space. */
static bool read_part(css_reader *r)
{
    uint32_t first = r->p->sheet->store[CSS_WORDS].count, count = 0;
    css_skip_space(r);
    if (r->now.type != CSS_IDENT) return css_selector_expects(r, "a name");
    for (; r->now.type == CSS_IDENT; count++) {
        uint32_t *word = css_push(&r->p->sheet->store[CSS_WORDS], 1, sizeof *word, r->p);
        if (!word) return false;
        *word = css_token_name(r->p, &r->now);
        css_advance(r);
        css_skip_space(r);
    }
    r->shadow = true;
    css_simple *simple = read_close(r) ? css_push_simple(r, CSS_PART, 0) : NULL;
    if (!simple) return false;
    simple->value = first;
    simple->count = count;
    return true;
}

/* True if a pseudo-element may follow ::slotted(): one of a box in the tree. */
static bool follows_slotted(const css_pseudo *pseudo, const char *name)
{
    static const char unfit[] = "cue first-letter first-line grammar-error highlight search-text "
                                "selection spelling-error target-text";
    return pseudo && !css_among(unfit, name);
}

/* ---- states ---- */

/* Name of a word, or CSS_NONE and `failed`. */
static uint32_t word_name(css_reader *r, const char *word, size_t length)
{
    uint32_t name = hed_css_names_add(r->p->names, word, length);
    r->p->failed |= name == CSS_NONE;
    return name;
}

/* Adds one of the elements that can be in a state, "tag[attribute]", as a complex selector. */
static bool push_element(css_reader *r, const char *word, size_t length)
{
    struct css_array *store = r->p->sheet->store;
    const char *attribute = memchr(word, '[', length);
    size_t tag_length = attribute ? (size_t)(attribute - word) : length;
    uint32_t first = store[CSS_SIMPLES].count, count = (tag_length > 0) + (attribute != NULL);
    css_simple *simple = css_push(&store[CSS_SIMPLES], count, sizeof *simple, r->p);
    css_compound *compound = css_push(&store[CSS_COMPOUNDS], 1, sizeof *compound, r->p);
    css_complex *complex = css_push(&store[CSS_COMPLEXES], 1, sizeof *complex, r->p);
    if (!simple || !compound || !complex) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool tag = i == 0 && tag_length;
        uint32_t name = tag ? word_name(r, word, tag_length)
                            : word_name(r, attribute + 1, length - tag_length - 2);
        simple[i] = (css_simple){.kind = tag ? CSS_TYPE : CSS_ATTRIBUTE,
            .name_space = tag ? 1 + HED_CSS_HTML : 0,
            .name = name,
            .lower = name,
            .value = CSS_NONE};
    }
    *compound = (css_compound){first, count, 0, CSS_NONE, 0};
    *complex = (css_complex){.first = store[CSS_COMPOUNDS].count - 1, .count = 1};
    return !r->p->failed;
}

/* Adds the elements that can be in a state, as :where(audio, video). */
static bool push_elements(css_reader *r, const char *elements)
{
    struct css_array *complexes = &r->p->sheet->store[CSS_COMPLEXES];
    uint32_t first = complexes->count;
    for (const char *at = elements; *at;) {
        size_t length = strcspn(at, " ");
        if (!push_element(r, at, length)) return false;
        at += length + (at[length] == ' ');
    }
    css_simple *simple = css_push_simple(r, CSS_IS, 0);
    if (!simple) return false;
    simple->list = first;
    simple->count = complexes->count - first;
    if (r->out->depth < r->depth + 1) r->out->depth = r->depth + 1;
    return true;
}

/* Adds :focus-within, or the like, as :is(STATE, :has(STATE)). */
static bool push_within(css_reader *r, uint32_t bits)
{
    css_simple blank = {
        .name_space = CSS_NONE, .name = CSS_NONE, .lower = CSS_NONE, .value = CSS_NONE};
    css_simple *simples = css_push(&r->p->sheet->store[CSS_SIMPLES], 2, sizeof *simples, r->p);
    css_compound *compounds =
        css_push(&r->p->sheet->store[CSS_COMPOUNDS], 3, sizeof *compounds, r->p);
    css_complex *complexes =
        css_push(&r->p->sheet->store[CSS_COMPLEXES], 3, sizeof *complexes, r->p);
    css_simple *simple = css_push_simple(r, CSS_IS, CSS_SPECIFICITY_CLASS);
    if (!simples || !compounds || !complexes || !simple) return false;
    uint32_t first_simple = r->p->sheet->store[CSS_SIMPLES].count - 2;
    uint32_t first_compound = r->p->sheet->store[CSS_COMPOUNDS].count - 3;
    uint32_t first_complex = r->p->sheet->store[CSS_COMPLEXES].count - 3;
    simples[0] = simples[1] = blank;
    simples[0].kind = CSS_STATE;
    simples[0].bits = bits;
    simples[1].kind = CSS_HAS;
    simples[1].list = first_complex;
    simples[1].count = 1;
    /* 0: " STATE", the list of :has(); 1 and 2: "STATE" and ":has()", the list of :is() */
    compounds[0] = (css_compound){first_simple, 1, ' ', CSS_NONE, 0};
    compounds[1] = (css_compound){first_simple, 1, 0, CSS_NONE, 0};
    compounds[2] = (css_compound){first_simple + 1, 1, 0, CSS_NONE, 0};
    for (uint32_t i = 0; i < 3; i++)
        complexes[i] = (css_complex){
            .first = first_compound + i, .count = 1, .specificity = CSS_SPECIFICITY_CLASS};
    simple->list = first_complex + 1;
    simple->count = 2;
    r->out->state = r->out->changes = true;
    if (r->out->depth < r->depth + 2) r->out->depth = r->depth + 2;
    return true;
}

/* Adds a pseudo-class whose argument, if any, has been read. */
static bool push_pseudo_class(css_reader *r, const css_pseudo *pseudo, bool behind_element)
{
    bool of_pseudo = r->transition && pseudo->role == CSS_PSEUDO_ONLY;
    if (pseudo->role == CSS_PSEUDO_SHADOW) r->shadow = r->inside = true;
    if (behind_element && (pseudo->kind == CSS_NEVER || of_pseudo)) {
        /* a state of the pseudo-element, which is not matched */
        r->specificity = css_specificity_sum(r->specificity, CSS_SPECIFICITY_CLASS);
        return true;
    }
    if (pseudo->role == CSS_PSEUDO_WITHIN) return push_within(r, pseudo->bits);
    if (pseudo->role == CSS_PSEUDO_SCOPE && r->parent->scope)
        return css_push_scope(r, CSS_SPECIFICITY_CLASS);
    css_simple *simple = css_push_simple(r, pseudo->kind, CSS_SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->operation = pseudo->operation;
    simple->negated = pseudo->negated;
    simple->bits = pseudo->bits;
    simple->may_hold = simple->may_fail = pseudo->changes;
    simple->b = pseudo->kind == CSS_NTH;
    if (pseudo->kind == CSS_STATE) r->out->state = true;
    r->out->changes |= pseudo->kind == CSS_STATE || pseudo->changes;
    if (pseudo->elements && !push_elements(r, pseudo->elements)) return false;
    if (pseudo->role != CSS_PSEUDO_ONLY) return true;
    /* :only-child is :first-child:last-child */
    css_simple *last = css_push_simple(r, CSS_NTH, 0);
    if (!last) return false;
    last->operation = (uint8_t)(pseudo->operation + 1);
    last->b = 1;
    return true;
}

/* True if a word has the prefix of a browser, and the sheet is read for all browsers. */
static bool takes_prefix(css_reader *r, const char *word)
{
    bool prefixed = word[0] == '-' && word[1] != '-' && word[1] && strchr(word + 2, '-');
    if (!prefixed || !r->p->sheet->def.other_browsers) return false;
    r->out->other_browser = true;
    return true;
}

/* True if a pseudo-class may follow ::part(): it is not about the structure of the tree. */
static bool follows_part(const css_pseudo *pseudo)
{
    bool structural = pseudo->kind == CSS_NTH || pseudo->kind == CSS_HAS ||
                      pseudo->kind == CSS_NEVER || pseudo->role == CSS_PSEUDO_SHADOW ||
                      pseudo->role == CSS_PSEUDO_SCOPE;
    return !structural &&
           !(pseudo->kind == CSS_FLAG && (pseudo->bits == CSS_EMPTY || pseudo->bits == CSS_ROOT));
}

static bool read_pseudo_class(css_reader *r, unsigned mode, bool behind_element)
{
    static const css_pseudo prefixed = {.kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE};
    char word[48];
    bool function = r->now.type == CSS_FUNCTION;
    css_keyword(r->p->text, &r->now, word, sizeof word);
    const css_pseudo *pseudo =
        css_find_pseudo(word, function ? CSS_PSEUDO_FUNCTION : CSS_PSEUDO_CLASS);
    if (!pseudo && !function && takes_prefix(r, word)) pseudo = &prefixed;
    if (!pseudo) return css_selector_expects(r, "a pseudo-class");
    bool of_pseudo =
        r->transition && pseudo->role == CSS_PSEUDO_ONLY; /* a state of the pseudo-element */
    bool of_part = (r->part || mode & CSS_LIST_PART) && follows_part(pseudo);
    if (behind_element && !pseudo->behind_element && !of_pseudo && !of_part)
        return css_selector_fails(r, ":%s behind a pseudo-element", word);
    css_advance(r);
    if (pseudo->kind == CSS_HOST) return read_with_compound(r, pseudo, mode, function);
    if (!function) return push_pseudo_class(r, pseudo, behind_element);
    switch (pseudo->kind) {
    case CSS_IS:
    case CSS_NOT:
    case CSS_HAS: return read_logical(r, pseudo, mode, behind_element);
    case CSS_NTH: return read_nth_function(r, pseudo, mode);
    case CSS_LANG: return read_lang(r);
    case CSS_FLAG: return read_dir(r);
    default: return read_argument(r, pseudo, mode) && push_pseudo_class(r, pseudo, behind_element);
    }
}

/* Reads a pseudo-element after `::`, or after the `:` of older syntax. */
static bool read_pseudo_element(css_reader *r, unsigned mode, css_compound *compound)
{
    char word[48];
    bool function = r->now.type == CSS_FUNCTION;
    if (r->now.type != CSS_IDENT && !function) return css_selector_expects(r, "a pseudo-element");
    css_keyword(r->p->text, &r->now, word, sizeof word);
    const css_pseudo *pseudo =
        css_find_pseudo(word, function ? CSS_PSEUDO_ELEMENT_FUNCTION : CSS_PSEUDO_ELEMENT);
    bool webkit = !function && r->now.plain && r->now.name_end - r->now.name >= 8 &&
                  strncmp(word, "-webkit-", 8) == 0;
    bool known = pseudo || webkit || (!function && takes_prefix(r, word));
    if (!known) return css_selector_expects(r, "a pseudo-element");
    if (mode & CSS_LIST_INSIDE) return css_selector_fails(r, "::%s inside of a function", word);
    bool shadow = pseudo && pseudo->role == CSS_PSEUDO_SHADOW;
    bool follows = r->slotted ? follows_slotted(pseudo, word) : r->backed;
    if (compound->pseudo_element != CSS_NONE && (!follows || shadow) &&
        !(pseudo && pseudo->behind_element))
        return css_selector_fails(r, "::%s behind a pseudo-element", word);
    compound->pseudo_element = css_token_name(r->p, &r->now);
    r->out->pseudo_element = true;
    r->specificity = css_specificity_sum(r->specificity, CSS_SPECIFICITY_TYPE);
    css_advance(r);
    r->backed = pseudo && pseudo->role == CSS_PSEUDO_BACKED;
    r->transition = function && strncmp(word, "view-transition-", 16) == 0;
    r->slotted = r->part = false;
    if (!shadow) return !function || read_argument(r, pseudo, mode);
    compound->shadow = pseudo->kind;
    bool read = pseudo->kind == CSS_PART ? read_part(r) : read_with_compound(r, pseudo, mode, true);
    r->backed = pseudo->kind == CSS_PART;
    r->slotted = pseudo->kind == CSS_SLOTTED;
    r->part = pseudo->kind == CSS_PART;
    return read;
}

bool css_read_pseudo(css_reader *r, unsigned mode, css_compound *compound)
{
    char word[16] = "";
    css_advance(r);
    if (r->now.type == CSS_COLON) {
        css_advance(r);
        return read_pseudo_element(r, mode, compound);
    }
    if (r->now.type == CSS_IDENT) css_keyword(r->p->text, &r->now, word, sizeof word);
    if (strcmp(word, "before") == 0 || strcmp(word, "after") == 0 ||
        strcmp(word, "first-line") == 0 || strcmp(word, "first-letter") == 0)
        return read_pseudo_element(r, mode, compound);
    if (r->now.type != CSS_IDENT && r->now.type != CSS_FUNCTION)
        return css_selector_expects(r, "a pseudo-class");
    return read_pseudo_class(r, mode, compound->pseudo_element != CSS_NONE);
}
