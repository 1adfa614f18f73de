/* Selectors Level 4 and CSS Nesting 1: from tokens to arrays. One token of look-ahead; lists inside of
 * lists are read by recursion, at most CSS_NESTING deep. Which names are valid is in pseudo.c. */
#include <stdarg.h>
#include <stdio.h>

#include "parser.h"
#include "document.h"
#include "pseudo.h"

/* How a list is read. */
enum {
    INSIDE = 1,    /* of a function: no pseudo-elements */
    FORGIVING = 2, /* a selector that is none is left out */
    RELATIVE = 4,  /* begins with a combinator: :has() */
    IN_HAS = 8,    /* :has() is none here */
    COMPOUND = 16, /* no combinators */
    SINGLE = 64,   /* no commas */
    FREE = 128,    /* the default namespace is not for subjects */
    BEHIND = 32    /* of a function behind a pseudo-element: states of that alone */
};

struct reader {
    css_parser *p;
    css_tokenizer t;
    css_token now;
    const css_parent *parent;
    css_list *out;
    uint32_t depth;       /* lists around */
    uint32_t specificity; /* of the complex selector at hand */
    bool nesting;         /* it has a `&` */
    bool shadow;          /* it is about shadow trees */
    bool backed;          /* its pseudo-element may have pseudo-elements */
    bool transition;      /* its pseudo-element may be an only child */
    bool too_deep;
};

typedef struct css_range {
    uint32_t list, count, specificity;
} css_range;

static bool read_list(struct reader *r, unsigned mode, css_range *range);

static uint32_t specificity_sum(uint32_t x, uint32_t y)
{
    uint32_t sum = 0;
    for (int shift = 0; shift <= 20; shift += 10) {
        uint32_t digit = (x >> shift & 1023) + (y >> shift & 1023);
        sum |= (digit < 1023 ? digit : 1023) << shift;
    }
    return sum;
}

enum { SPECIFICITY_ID = 1 << 20, SPECIFICITY_CLASS = 1 << 10, SPECIFICITY_TYPE = 1 };

/* ---- tokens ---- */

__attribute__((format(printf, 2, 3))) static bool selector_fails(
    struct reader *r, const char *format, ...)
{
    if (r->out->reason[0]) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->out->reason, sizeof r->out->reason, format, arguments);
    va_end(arguments);
    return false;
}

static bool selector_expects(struct reader *r, const char *what)
{
    uint32_t length = r->now.end - r->now.begin;
    if (r->now.type == CSS_END) return selector_fails(r, "expected %s, found the end", what);
    return selector_fails(r, "expected %s, found \"%.*s\"", what, (int)(length < 40 ? length : 40),
        r->p->text + r->now.begin);
}

static void advance(struct reader *r)
{
    css_pass(r->p, &r->now);
    r->now = css_next(&r->t);
}

static bool skip_space(struct reader *r)
{
    bool any = r->now.type == CSS_SPACE;
    while (r->now.type == CSS_SPACE) r->now = css_next(&r->t);
    return any;
}

static bool is_delim(const struct reader *r, char c)
{
    return css_is_delim(r->p->text, &r->now, c);
}

/* The token behind the one at hand. */
static css_token look(const struct reader *r)
{
    css_tokenizer t = r->t;
    return css_next(&t);
}

/* ---- simple selectors ---- */

static css_simple *push_simple(struct reader *r, css_kind kind, uint32_t specificity)
{
    css_simple *simple = css_push(&r->p->simples, 1, sizeof *simple, r->p);
    if (!simple) return NULL;
    *simple = (css_simple){.kind = (uint8_t)kind, .name_space = CSS_NONE, .name = CSS_NONE};
    simple->lower = simple->value = CSS_NONE;
    r->specificity = specificity_sum(r->specificity, specificity);
    return simple;
}

/* A simple selector with the name of the token at hand, which is passed. */
static bool push_named(struct reader *r, css_kind kind, uint32_t specificity, uint32_t name_space)
{
    uint32_t name = css_token_name(r->p, &r->now), lower = CSS_NONE;
    css_simple *simple = push_simple(r, kind, specificity);
    if (!r->p->failed) lower = css_name_lower(r->p->names, name);
    if (!simple || lower == CSS_NONE) {
        r->p->failed = true;
        return false;
    }
    simple->name = name;
    simple->lower = lower;
    simple->name_space = name_space;
    advance(r);
    return true;
}

static const css_prefix *find_prefix(const struct reader *r, uint32_t name)
{
    const css_prefix *prefixes = r->p->prefixes.items;
    for (uint32_t i = r->p->prefixes.count; i-- > 0;)
        if (prefixes[i].prefix == name) return &prefixes[i];
    return NULL;
}

/* `prefix|`, `*|` and `|` in front of a name, which are passed: where the token behind the bar is a name
 * (or, of a type, `*`). `given`: there was one. */
static bool read_prefix(struct reader *r, bool of_type, uint32_t *name_space, bool *given)
{
    *given = false;
    css_tokenizer t = r->t;
    css_token bar = r->now;
    bool bare = is_delim(r, '|'), any = is_delim(r, '*');
    if (!bare && !any && r->now.type != CSS_IDENT) return true;
    if (!bare) bar = css_next(&t);
    if (!css_is_delim(r->p->text, &bar, '|')) return true;
    css_token name = css_next(&t);
    if (name.type != CSS_IDENT && !(of_type && css_is_delim(r->p->text, &name, '*'))) return true;
    *given = true;
    if (bare) *name_space = 0;
    else if (any) *name_space = CSS_NONE;
    else {
        const css_prefix *prefix = find_prefix(r, css_token_name(r->p, &r->now));
        if (!prefix) return selector_expects(r, "a prefix declared by @namespace");
        *name_space = of_type ? prefix->name_space : prefix->attributes;
    }
    if (!bare) advance(r);
    advance(r);
    return true;
}

/* Attributes whose values HTML compares regardless of case (HTML, "case-sensitivity of selectors"). */
static bool html_folds(const char *name)
{
    static const char words[] =
        "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact "
        "declare defer dir direction disabled enctype face frame hreflang http-equiv lang language "
        "link media method multiple nohref noresize noshade nowrap readonly rel rev rules scope "
        "scrolling selected shape target text type valign valuetype vlink";
    return css_among(words, name);
}

static bool read_operator(struct reader *r, css_operator *operation)
{
    static const char signs[] = "~|^$*";
    *operation = CSS_EQUALS;
    for (uint32_t i = 0; signs[i]; i++)
        if (is_delim(r, signs[i])) {
            *operation = (css_operator)(CSS_WORD + i);
            advance(r);
            break;
        }
    if (!is_delim(r, '=')) return selector_expects(r, "an operator");
    advance(r);
    return true;
}

/* Of the flag behind a value. */
static bool read_letter_case(struct reader *r, css_letter_case *letter_case)
{
    if (r->now.type != CSS_IDENT) return true;
    bool insensitive = css_is(r->p->text, &r->now, "i");
    if (!insensitive && !css_is(r->p->text, &r->now, "s"))
        return selector_expects(r, "\"i\", \"s\" or \"]\"");
    *letter_case = insensitive ? CSS_INSENSITIVE : CSS_SENSITIVE;
    advance(r);
    skip_space(r);
    return true;
}

static bool read_attribute(struct reader *r)
{
    uint32_t name_space = 0;
    bool given;
    advance(r);
    skip_space(r);
    if (!read_prefix(r, false, &name_space, &given)) return false;
    if (r->now.type != CSS_IDENT) return selector_expects(r, "the name of an attribute");
    if (!push_named(r, CSS_ATTRIBUTE, SPECIFICITY_CLASS, name_space)) return false;
    css_simple simple = ((css_simple *)r->p->simples.items)[r->p->simples.count - 1];
    css_operator operation = CSS_PRESENT;
    css_letter_case letter_case =
        name_space == 0 && html_folds(hed_css_name_text(r->p->names, simple.lower, NULL))
            ? CSS_AS_DOCUMENT
            : CSS_SENSITIVE;
    skip_space(r);
    if (r->now.type != CSS_CLOSE_SQUARE && r->now.type != CSS_END) {
        if (!read_operator(r, &operation)) return false;
        skip_space(r);
        if (r->now.type != CSS_IDENT && r->now.type != CSS_STRING)
            return selector_expects(r, "a value, a word or a text in quotes,");
        simple.value = css_token_name(r->p, &r->now);
        advance(r);
        skip_space(r);
        if (!read_letter_case(r, &letter_case)) return false;
        if (r->now.type != CSS_CLOSE_SQUARE && r->now.type != CSS_END)
            return selector_expects(r, "\"]\"");
    }
    simple.operation = (uint8_t)operation;
    simple.letter_case = (uint8_t)letter_case;
    ((css_simple *)r->p->simples.items)[r->p->simples.count - 1] = simple;
    if (r->now.type == CSS_CLOSE_SQUARE) advance(r);
    return true;
}

/* ---- An+B ---- */

static int32_t clamp_integer(double value)
{
    return value > INT32_MAX ? INT32_MAX : value < -INT32_MAX ? -INT32_MAX : (int32_t)value;
}

/* Digits up to the end of a text; false: there is something else, or nothing. */
static bool digits_value(const char *text, double *value)
{
    *value = 0;
    if (!*text) return false;
    for (; *text >= '0' && *text <= '9'; text++) *value = *value * 10 + (*text - '0');
    return !*text;
}

/* What follows `n` and `n-`: nothing, a signed number, or a sign and a number without one. */
static bool read_nth_rest(struct reader *r, bool minus, int32_t *b)
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
        return selector_fails(r, "expected an integer in An+B");
    }
    *b = clamp_integer((sign ? sign : 1) * css_number(text, &token));
    r->t = at;
    r->now = css_next(&r->t);
    return true;
}

/* `n`, `n-` or `n-3`, in lower case, behind the factor `a`. */
static bool read_nth_word(struct reader *r, const char *word, double a, css_simple *nth)
{
    double digits;
    if (word[0] != 'n') return selector_expects(r, "An+B");
    nth->a = clamp_integer(a);
    if (word[1] == 0) {
        advance(r);
        return read_nth_rest(r, false, &nth->b);
    }
    if (word[1] != '-') return selector_expects(r, "An+B");
    if (word[2] == 0) {
        advance(r);
        return read_nth_rest(r, true, &nth->b);
    }
    if (!digits_value(word + 2, &digits)) return selector_expects(r, "An+B");
    nth->b = clamp_integer(-digits);
    advance(r);
    return true;
}

static bool read_nth(struct reader *r, css_simple *nth)
{
    char word[64];
    bool plus = is_delim(r, '+');
    if (plus) advance(r); /* a name follows at once */
    css_keyword(r->p->text, &r->now, word, sizeof word);
    if (r->now.type == CSS_IDENT && word[0] == '-' && !plus)
        return read_nth_word(r, word + 1, -1, nth);
    if (r->now.type == CSS_IDENT && (word[0] == 'n' || plus)) return read_nth_word(r, word, 1, nth);
    if (plus) return selector_expects(r, "An+B");
    if (r->now.type == CSS_DIMENSION && r->now.integer)
        return read_nth_word(r, word, css_number(r->p->text, &r->now), nth);
    bool odd = r->now.type == CSS_IDENT && strcmp(word, "odd") == 0;
    if (odd || (r->now.type == CSS_IDENT && strcmp(word, "even") == 0)) {
        nth->a = 2;
        nth->b = odd;
    } else if (r->now.type == CSS_NUMBER && r->now.integer) {
        nth->b = clamp_integer(css_number(r->p->text, &r->now));
    } else return selector_expects(r, "An+B");
    advance(r);
    return true;
}

/* ---- pseudo-classes ---- */

static bool read_close(struct reader *r)
{
    skip_space(r);
    if (r->now.type == CSS_END) return true;
    if (r->now.type != CSS_CLOSE_ROUND) return selector_expects(r, "\")\"");
    advance(r);
    return true;
}

/* A list, one deeper, up to and with the bracket that closes it. */
static bool read_inner_list(struct reader *r, unsigned mode, css_range *range)
{
    uint32_t specificity = r->specificity;
    if (++r->depth > CSS_NESTING) {
        r->too_deep = true;
        return selector_fails(r, "nested deeper than %d", CSS_NESTING);
    }
    if (r->out->depth < r->depth) r->out->depth = r->depth;
    bool good = read_list(r, mode | INSIDE, range) && read_close(r);
    r->depth--;
    r->specificity = specificity;
    return good;
}

static bool read_logical(
    struct reader *r, const css_pseudo *pseudo, unsigned mode, bool behind_element)
{
    css_range range;
    unsigned inner = FREE | (mode & (IN_HAS | BEHIND));
    if (behind_element) inner |= BEHIND | COMPOUND;
    if (pseudo->kind == CSS_HAS) {
        if (mode & IN_HAS) return selector_fails(r, ":has() inside of :has()");
        inner = FREE | IN_HAS | RELATIVE;
    } else if (pseudo->kind == CSS_IS) inner |= pseudo->bits ? COMPOUND : FORGIVING;
    if (!read_inner_list(r, inner, &range)) return false;
    css_simple *simple = push_simple(r, range.count ? (css_kind)pseudo->kind : CSS_NEVER,
        pseudo->negated ? 0 : range.specificity);
    if (!simple) return false;
    simple->list = range.list;
    simple->count = range.count;
    return true;
}

static bool read_nth_function(struct reader *r, const css_pseudo *pseudo, unsigned mode)
{
    css_simple nth = {.kind = CSS_NTH, .operation = pseudo->operation, .name_space = CSS_NONE};
    css_range of = {0};
    nth.name = nth.lower = nth.value = CSS_NONE;
    skip_space(r);
    if (!read_nth(r, &nth)) return false;
    skip_space(r);
    bool may_of = nth.operation == CSS_CHILD || nth.operation == CSS_LAST_CHILD;
    if (may_of && r->now.type == CSS_IDENT && css_is(r->p->text, &r->now, "of")) {
        advance(r);
        if (!read_inner_list(r, mode & IN_HAS, &of)) return false;
    } else if (!read_close(r)) return false;
    css_simple *simple =
        push_simple(r, CSS_NTH, specificity_sum(SPECIFICITY_CLASS, of.specificity));
    if (!simple) return false;
    nth.list = of.list;
    nth.count = of.count;
    *simple = nth;
    return true;
}

static bool read_lang(struct reader *r)
{
    uint32_t first = r->p->sheet->store[CSS_WORDS].count, count = 0;
    for (;; count++) {
        skip_space(r);
        if (r->now.type != CSS_IDENT && r->now.type != CSS_STRING)
            return selector_expects(r, "a language");
        uint32_t *word = css_push(&r->p->sheet->store[CSS_WORDS], 1, sizeof *word, r->p);
        if (!word) return false;
        *word = css_token_name(r->p, &r->now);
        advance(r);
        skip_space(r);
        if (r->now.type != CSS_COMMA) break;
        advance(r);
    }
    if (!read_close(r)) return false;
    css_simple *simple = push_simple(r, CSS_LANG, SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->value = first;
    simple->count = count + 1;
    return true;
}

static bool read_dir(struct reader *r)
{
    skip_space(r);
    if (r->now.type != CSS_IDENT) return selector_expects(r, "\"ltr\" or \"rtl\"");
    bool right = css_is(r->p->text, &r->now, "rtl"), left = css_is(r->p->text, &r->now, "ltr");
    advance(r);
    if (!read_close(r)) return false;
    css_simple *simple = push_simple(r, right || left ? CSS_FLAG : CSS_NEVER, SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->bits = CSS_RTL;
    simple->negated = left;
    return true;
}

/* Passes everything up to and with the bracket that closes what was opened last. */
static bool skip_function(struct reader *r)
{
    uint32_t open = r->p->brackets.count;
    bool any = false;
    while (r->now.type != CSS_END && r->p->brackets.count >= open && !r->p->failed) {
        bool closes = r->p->brackets.count == open && css_closes(r->p, &r->now);
        any |= r->now.type != CSS_SPACE && !closes;
        advance(r);
    }
    return any || selector_expects(r, "an argument");
}

/* Up to and with the bracket that closes a function, whose argument is given back as nothing. */
static bool read_argument(struct reader *r, const css_pseudo *pseudo, unsigned mode)
{
    static const char sides[] =
        " left right up down block-start block-end inline-start inline-end prev next ";
    char word[48], spaced[50];
    css_range range;
    bool good = true;
    if (pseudo->argument == CSS_ARGUMENT_ANY) return skip_function(r);
    if (pseudo->argument == CSS_ARGUMENT_COMPOUND)
        return read_inner_list(r, (mode & IN_HAS) | COMPOUND | SINGLE, &range);
    if (pseudo->argument == CSS_ARGUMENT_COMPOUNDS)
        return read_inner_list(r, (mode & IN_HAS) | COMPOUND, &range);
    skip_space(r);
    do {
        if (pseudo->argument == CSS_ARGUMENT_SIDE && is_delim(r, '*')) {
            advance(r);
            break;
        }
        if (r->now.type != CSS_IDENT) return selector_expects(r, "a name");
        css_keyword(r->p->text, &r->now, word, sizeof word);
        snprintf(spaced, sizeof spaced, " %s ", word);
        if (pseudo->argument == CSS_ARGUMENT_SIDE) good = strstr(sides, spaced) != NULL;
        if (pseudo->argument == CSS_ARGUMENT_SELECT) good = strcmp(word, "select") == 0;
        if (!good) return selector_expects(r, "a word that this pseudo-element knows");
        advance(r);
        skip_space(r);
    } while (pseudo->argument == CSS_ARGUMENT_NAMES && r->now.type == CSS_IDENT);
    return read_close(r);
}

/* One state, or what a state means in other selectors: :focus-within. Lists are made one by one from
 * what stands for each: CSS_STATE, and :has() of it. */
static bool push_within(struct reader *r, uint32_t bits)
{
    css_simple none = {
        .name_space = CSS_NONE, .name = CSS_NONE, .lower = CSS_NONE, .value = CSS_NONE};
    css_simple *simples = css_push(&r->p->sheet->store[CSS_SIMPLES], 2, sizeof *simples, r->p);
    css_compound *compounds =
        css_push(&r->p->sheet->store[CSS_COMPOUNDS], 3, sizeof *compounds, r->p);
    css_complex *complexes =
        css_push(&r->p->sheet->store[CSS_COMPLEXES], 3, sizeof *complexes, r->p);
    css_simple *simple = push_simple(r, CSS_IS, SPECIFICITY_CLASS);
    if (!simples || !compounds || !complexes || !simple) return false;
    uint32_t first_simple = r->p->sheet->store[CSS_SIMPLES].count - 2;
    uint32_t first_compound = r->p->sheet->store[CSS_COMPOUNDS].count - 3;
    uint32_t first_complex = r->p->sheet->store[CSS_COMPLEXES].count - 3;
    simples[0] = simples[1] = none;
    simples[0].kind = CSS_STATE;
    simples[0].bits = bits;
    simples[1].kind = CSS_HAS;
    simples[1].list = first_complex;
    simples[1].count = 1;
    /* in :has(): a descendant in this state; in :is(): this state, or that :has() */
    compounds[0] = (css_compound){first_simple, 1, ' ', CSS_NONE};
    compounds[1] = (css_compound){first_simple, 1, 0, CSS_NONE};
    compounds[2] = (css_compound){first_simple + 1, 1, 0, CSS_NONE};
    for (uint32_t i = 0; i < 3; i++)
        complexes[i] = (css_complex){
            .first = first_compound + i, .count = 1, .specificity = SPECIFICITY_CLASS};
    simple->list = first_complex + 1;
    simple->count = 2;
    r->out->state = true;
    if (r->out->depth < r->depth + 2) r->out->depth = r->depth + 2;
    return true;
}

/* A pseudo-class that is a word. */
static bool push_pseudo_class(struct reader *r, const css_pseudo *pseudo, bool behind_element)
{
    bool own = r->transition && pseudo->role == CSS_PSEUDO_ONLY;
    if (behind_element &&
        (pseudo->kind == CSS_NEVER || own)) { /* the pseudo-element's, not the element's */
        r->specificity = specificity_sum(r->specificity, SPECIFICITY_CLASS);
        return true;
    }
    if (pseudo->role == CSS_PSEUDO_WITHIN) return push_within(r, pseudo->bits);
    css_simple *simple = push_simple(r, pseudo->kind, SPECIFICITY_CLASS);
    if (!simple) return false;
    simple->operation = pseudo->operation;
    simple->negated = pseudo->negated;
    simple->bits = pseudo->bits;
    simple->b = pseudo->kind == CSS_NTH;
    if (pseudo->kind == CSS_STATE) r->out->state = true;
    if (pseudo->role == CSS_PSEUDO_SHADOW) r->shadow |= r->depth == 0;
    if (pseudo->role != CSS_PSEUDO_ONLY) return true;
    /* :only-child is :first-child:last-child */
    css_simple *last = push_simple(r, CSS_NTH, 0);
    if (!last) return false;
    last->operation = (uint8_t)(pseudo->operation + 1);
    last->b = 1;
    return true;
}

static bool read_pseudo_class(struct reader *r, unsigned mode, bool behind_element)
{
    char word[48];
    bool function = r->now.type == CSS_FUNCTION;
    css_keyword(r->p->text, &r->now, word, sizeof word);
    const css_pseudo *pseudo =
        css_find_pseudo(word, function ? CSS_PSEUDO_FUNCTION : CSS_PSEUDO_CLASS);
    if (!pseudo) return selector_expects(r, "a pseudo-class");
    bool own = r->transition && pseudo->role == CSS_PSEUDO_ONLY; /* the pseudo-element's */
    if (behind_element && !pseudo->behind_element && !own)
        return selector_fails(r, ":%s behind a pseudo-element", word);
    advance(r);
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

/* The name behind `::`, or behind `:` where that is an old way to write it. */
static bool read_pseudo_element(struct reader *r, unsigned mode, css_compound *compound)
{
    char word[48];
    bool function = r->now.type == CSS_FUNCTION;
    if (r->now.type != CSS_IDENT && !function) return selector_expects(r, "a pseudo-element");
    css_keyword(r->p->text, &r->now, word, sizeof word);
    const css_pseudo *pseudo =
        css_find_pseudo(word, function ? CSS_PSEUDO_ELEMENT_FUNCTION : CSS_PSEUDO_ELEMENT);
    bool webkit = !function && r->now.plain && r->now.name_end - r->now.name >= 8 &&
                  strncmp(word, "-webkit-", 8) == 0;
    if (!pseudo && !webkit) return selector_expects(r, "a pseudo-element");
    if (mode & INSIDE) return selector_fails(r, "::%s inside of a function", word);
    bool shadow = pseudo && pseudo->role == CSS_PSEUDO_SHADOW;
    if (compound->pseudo_element != CSS_NONE && (!r->backed || shadow) &&
        !(pseudo && pseudo->behind_element))
        return selector_fails(r, "::%s behind a pseudo-element", word);
    compound->pseudo_element = css_token_name(r->p, &r->now);
    r->out->pseudo_element = true;
    r->specificity = specificity_sum(r->specificity, SPECIFICITY_TYPE);
    advance(r);
    r->backed = pseudo && pseudo->role == CSS_PSEUDO_BACKED;
    r->transition = function && strncmp(word, "view-transition-", 16) == 0;
    if (function && !read_argument(r, pseudo, mode)) return false;
    if (!pseudo || pseudo->role != CSS_PSEUDO_SHADOW) return true;
    r->shadow = r->backed = true; /* no INSIDE here */
    return push_simple(r, CSS_NEVER, 0) != NULL;
}

static bool read_pseudo(struct reader *r, unsigned mode, css_compound *compound)
{
    char word[16] = "";
    advance(r);
    if (r->now.type == CSS_COLON) {
        advance(r);
        return read_pseudo_element(r, mode, compound);
    }
    if (r->now.type == CSS_IDENT) css_keyword(r->p->text, &r->now, word, sizeof word);
    if (strcmp(word, "before") == 0 || strcmp(word, "after") == 0 ||
        strcmp(word, "first-line") == 0 || strcmp(word, "first-letter") == 0)
        return read_pseudo_element(r, mode, compound);
    if (r->now.type != CSS_IDENT && r->now.type != CSS_FUNCTION)
        return selector_expects(r, "a pseudo-class");
    return read_pseudo_class(r, mode, compound->pseudo_element != CSS_NONE);
}

/* `&`: the list of the rule around; outside of rules the root, with no specificity. */
static bool push_nesting(struct reader *r)
{
    const css_parent *parent = r->parent;
    r->nesting = true;
    if (parent->count == CSS_NONE) {
        css_simple *simple = push_simple(r, CSS_FLAG, 0);
        if (simple) simple->bits = CSS_ROOT;
        return simple;
    }
    uint32_t depth = r->depth + 1 + parent->depth;
    if (depth > CSS_NESTING) {
        r->too_deep = true;
        return selector_fails(r, "nested deeper than %d", CSS_NESTING);
    }
    if (r->out->depth < depth) r->out->depth = depth;
    if (parent->state) r->out->state = true;
    css_simple *simple = push_simple(r, parent->count ? CSS_IS : CSS_NEVER, parent->specificity);
    if (!simple) return false;
    simple->list = parent->list;
    simple->count = parent->count;
    return true;
}

/* ---- compound selectors ---- */

static bool read_type(struct reader *r, bool *any)
{
    const css_prefix *standard = find_prefix(r, CSS_NONE);
    uint32_t name_space = standard ? standard->name_space : CSS_NONE;
    bool given;
    *any = true;
    if (!read_prefix(r, true, &name_space, &given)) return false;
    if (r->now.type == CSS_IDENT) return push_named(r, CSS_TYPE, SPECIFICITY_TYPE, name_space);
    if (is_delim(r, '*')) {
        css_simple *simple = push_simple(r, CSS_UNIVERSAL, 0);
        if (!simple) return false;
        simple->name_space = name_space;
        advance(r);
        return true;
    }
    *any = false;
    return true;
}

/* What has no type is of the default namespace, too. */
static bool push_default(struct reader *r)
{
    const css_prefix *standard = find_prefix(r, CSS_NONE);
    css_simple *simple = standard ? push_simple(r, CSS_UNIVERSAL, 0) : NULL;
    if (simple) simple->name_space = standard->name_space;
    return simple || !standard;
}

/* Whether what was just read is the last compound of its selector. */
static bool is_subject(const struct reader *r)
{
    css_tokenizer t = r->t;
    css_token token = r->now;
    while (token.type == CSS_SPACE) token = css_next(&t);
    return token.type == CSS_COMMA || token.type == CSS_CLOSE_ROUND || token.type == CSS_END;
}

static bool read_simple(struct reader *r, unsigned mode, css_compound *compound, bool *end)
{
    const char *wrong = NULL;
    css_token next;
    *end = false;
    switch (r->now.type) {
    case CSS_COLON: return read_pseudo(r, mode, compound);
    case CSS_HASH:
        if (compound->pseudo_element != CSS_NONE) break;
        if (!r->now.identifier) return selector_expects(r, "an id");
        return push_named(r, CSS_ID, SPECIFICITY_ID, CSS_NONE);
    case CSS_OPEN_SQUARE:
        if (compound->pseudo_element != CSS_NONE) break;
        return read_attribute(r);
    case CSS_DELIM:
        if (is_delim(r, '&') && compound->pseudo_element == CSS_NONE) {
            advance(r);
            return push_nesting(r);
        }
        if (!is_delim(r, '.')) break;
        next = look(r);
        if (compound->pseudo_element != CSS_NONE) wrong = "nothing behind a pseudo-element";
        else if (next.type != CSS_IDENT) wrong = "a class";
        advance(r);
        if (wrong) return selector_expects(r, wrong);
        return push_named(r, CSS_CLASS, SPECIFICITY_CLASS, CSS_NONE);
    default: break;
    }
    *end = true;
    return true;
}

static bool read_compound(struct reader *r, unsigned mode, char combinator)
{
    uint32_t base = r->p->simples.count;
    css_compound compound = {.combinator = combinator, .pseudo_element = CSS_NONE};
    bool any = false, end = false;
    if (mode & BEHIND) compound.pseudo_element = 0;
    else if (!read_type(r, &any)) return false;
    bool typed = any || mode & BEHIND;
    for (;;) {
        uint32_t before = r->now.begin;
        if (!read_simple(r, mode, &compound, &end)) return false;
        if (end) break;
        any |= r->now.begin != before;
    }
    if (!any) return selector_expects(r, "a selector");
    if (!typed && !(mode & FREE && is_subject(r)) && !push_default(r)) return false;
    if (mode & BEHIND) compound.pseudo_element = CSS_NONE;
    compound.count = r->p->simples.count - base;
    struct css_array *store = &r->p->sheet->store[CSS_SIMPLES];
    css_simple *simples = css_push(store, compound.count, sizeof *simples, r->p);
    css_compound *pushed = css_push(&r->p->compounds, 1, sizeof *pushed, r->p);
    if (!simples || !pushed) return false;
    css_copy_tail(simples, &r->p->simples, base, sizeof *simples);
    r->p->simples.count = base;
    compound.first = store->count - compound.count;
    *pushed = compound;
    return true;
}

/* ---- complex selectors ---- */

/* A combinator with the space around it; 0: there is none. */
static char read_combinator(struct reader *r)
{
    char c = skip_space(r) ? ' ' : 0;
    if (r->now.type != CSS_DELIM || !strchr(">+~", r->p->text[r->now.begin])) return c;
    c = r->p->text[r->now.begin];
    advance(r);
    skip_space(r);
    return c;
}

/* `&` and a combinator in front of the compounds from `first` on. */
static bool prepend_nesting(struct reader *r, uint32_t first)
{
    struct css_array *store = &r->p->sheet->store[CSS_SIMPLES];
    uint32_t base = r->p->simples.count;
    if (!push_nesting(r)) return false;
    css_simple *simple = css_push(store, 1, sizeof *simple, r->p);
    css_compound *compounds = css_push(&r->p->compounds, 1, sizeof *compounds, r->p);
    if (!simple || !compounds) return false;
    *simple = ((css_simple *)r->p->simples.items)[base];
    r->p->simples.count = base;
    compounds = (css_compound *)r->p->compounds.items + first;
    memmove(compounds + 1, compounds, (r->p->compounds.count - 1 - first) * sizeof *compounds);
    compounds[0] = (css_compound){store->count - 1, 1, 0, CSS_NONE};
    if (!compounds[1].combinator) compounds[1].combinator = ' ';
    return true;
}

/* Whether a list ends here, or goes on with a comma; `open`: brackets that are open in it. */
static bool list_pauses(const struct reader *r, uint32_t open)
{
    if (r->now.type == CSS_END) return true;
    if (r->p->brackets.count != open) return false;
    return r->now.type == CSS_COMMA || (r->depth > 0 && r->now.type == CSS_CLOSE_ROUND);
}

static bool read_complex(struct reader *r, unsigned mode, uint32_t open)
{
    uint32_t first = r->p->compounds.count, begin = r->now.begin, end = begin;
    bool nested = r->parent->count != CSS_NONE && r->depth == 0, leading = false;
    char combinator = 0;
    r->specificity = 0;
    if (mode & RELATIVE || nested) {
        combinator = read_combinator(r);
        if (mode & RELATIVE && !combinator) combinator = ' ';
        leading = nested && combinator;
    }
    for (;;) {
        if (!read_compound(r, mode, combinator)) return false;
        end = r->now.begin;
        combinator = read_combinator(r);
        if (list_pauses(r, open) && (combinator == 0 || combinator == ' ')) break;
        if (!combinator) return selector_expects(r, "a combinator or the end");
        const css_compound *last =
            (css_compound *)r->p->compounds.items + r->p->compounds.count - 1;
        if (last->pseudo_element != CSS_NONE)
            return selector_fails(r, "a combinator behind a pseudo-element");
        if (mode & COMPOUND)
            return selector_fails(r, "a combinator where only one compound may be");
    }
    if (nested && (leading || !r->nesting) && !prepend_nesting(r, first)) return false;
    uint32_t count = r->p->compounds.count - first;
    struct css_array *store = &r->p->sheet->store[CSS_COMPOUNDS];
    css_compound *compounds = css_push(store, count, sizeof *compounds, r->p);
    css_complex *complex = css_push(&r->p->complexes, 1, sizeof *complex, r->p);
    if (!compounds || !complex) return false;
    css_copy_tail(compounds, &r->p->compounds, first, sizeof *compounds);
    r->p->compounds.count = first;
    *complex = (css_complex){
        store->count - count, count, r->specificity, begin, end, r->shadow, r->out->state};
    return true;
}

/* ---- lists ---- */

/* Where the arrays were, so that a selector that is none leaves nothing behind. */
struct mark {
    uint32_t complexes, compounds, simples, store[CSS_STORES];
};

static struct mark take_mark(const css_parser *p)
{
    struct mark mark = {p->complexes.count, p->compounds.count, p->simples.count, {0}};
    for (int i = 0; i < CSS_STORES; i++) mark.store[i] = p->sheet->store[i].count;
    return mark;
}

static void back_to(css_parser *p, const struct mark *mark)
{
    p->complexes.count = mark->complexes;
    p->compounds.count = mark->compounds;
    p->simples.count = mark->simples;
    for (int i = 0; i < CSS_STORES; i++) p->sheet->store[i].count = mark->store[i];
}

static bool read_list(struct reader *r, unsigned mode, css_range *range)
{
    css_parser *p = r->p;
    uint32_t base = p->complexes.count, open = p->brackets.count, depth = r->depth;
    uint32_t shadows = 0, count = 0;
    for (;; advance(r)) {
        skip_space(r);
        struct mark mark = take_mark(p);
        bool state = r->out->state;
        if (depth == 0) r->nesting = r->shadow = r->backed = r->transition = r->out->state = false;
        if (read_complex(r, mode, open)) {
            shadows += r->shadow;
            count++;
        } else {
            if (p->failed || r->too_deep || !(mode & FORGIVING)) return false;
            r->out->reason[0] = 0;
            r->depth = depth;
            back_to(p, &mark);
            while (!list_pauses(r, open) && !p->failed) advance(r);
        }
        r->out->state |= state;
        if (r->now.type != CSS_COMMA || p->failed) break;
        if (mode & SINGLE) return selector_fails(r, "a list where only one selector may be");
    }
    if (p->failed) return false;
    if (depth == 0) r->out->unsupported = shadows == count;
    range->count = p->complexes.count - base;
    css_complex *complexes =
        css_push(&p->sheet->store[CSS_COMPLEXES], range->count, sizeof *complexes, p);
    if (!complexes) return false;
    css_copy_tail(complexes, &p->complexes, base, sizeof *complexes);
    p->complexes.count = base;
    range->list = p->sheet->store[CSS_COMPLEXES].count - range->count;
    range->specificity = 0;
    for (uint32_t i = 0; i < range->count; i++)
        if (complexes[i].specificity > range->specificity)
            range->specificity = complexes[i].specificity;
    return true;
}

bool css_read_selectors(
    css_parser *p, uint32_t begin, uint32_t end, const css_parent *parent, css_list *list)
{
    *list = (css_list){0};
    struct reader r = {.p = p, .t = {p->text, begin, end}, .parent = parent, .out = list};
    struct mark mark = take_mark(p);
    uint32_t brackets = p->brackets.count;
    css_range range;
    r.now = css_next(&r.t);
    bool good = read_list(&r, 0, &range);
    p->brackets.count = brackets;
    if (good) {
        list->list = range.list;
        list->count = range.count;
        list->specificity = range.specificity;
        if (list->unsupported) selector_fails(&r, "about shadow trees, which are not matched");
    } else {
        back_to(p, &mark);
        list->unsupported = r.too_deep && !p->failed;
    }
    return good || list->unsupported;
}

bool css_is_selector(css_parser *p, uint32_t begin, uint32_t end)
{
    css_parent none = {.count = CSS_NONE};
    struct mark mark = take_mark(p);
    css_list list;
    bool good = css_read_selectors(p, begin, end, &none, &list) && list.count == 1;
    back_to(p, &mark);
    return good;
}
