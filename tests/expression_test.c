/* Expressions over parameters: a table of values by hand, what must be refused and in which words,
 * labels, the rules that hold for all of them (division, chains, what is left out), and every
 * allocation failing. */
#include "testing.h"

#include <math.h>

#include "heddle/space.h"
#include "search/expression.h"

static hed_error error;

static const char *const VARIANTS[] = {"scalar", "vector", "texture"};
static const char *const ORDERS[] = {"row", "column", "scalar"};
static const int64_t PLACES[] = {0, 1, 2};
static const int64_t FACTORS[] = {10, 20, 30};
static const int64_t SIZES[] = {8, 16, 32};

static const hed_parameter_def PARAMETERS[] = {
    {.name = "WG", .values = SIZES, .count = 3, .value = 8},
    {.name = "VARIANT", .values = PLACES, .count = 3, .labels = VARIANTS},
    {.name = "ORDER", .values = FACTORS, .count = 3, .value = 10, .labels = ORDERS},
};
static const char *const NAMES[] = {"WG", "VARIANT", "ORDER", "n", "max_group", "min", "zero"};
static const double VALUES[] = {32, 1, 20, 1000, 1024, 3, 0};
static const hed_expression_names SCOPE = {NAMES, 7, PARAMETERS, 3};

static double value_with(const char *text, const double *values)
{
    hed_expression *expression;
    OK(hed_expression_create(NULL, text, &SCOPE, &expression, &error));
    double value = hed_expression_value(expression, values);
    hed_expression_destroy(expression);
    return value;
}

static double value_of(const char *text) { return value_with(text, VALUES); }

typedef struct example {
    const char *text;
    double value;
} example;

static void check(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double found = value_of(examples[i].text);
        EXPECT(found == examples[i].value || (isnan(found) && isnan(examples[i].value)),
            "%s gives %.17g, not %.17g", examples[i].text, found, examples[i].value);
    }
}

Test(expression, numbers)
{
    static const example examples[] = {
        {"7", 7},
        {"0", 0},
        {"007", 7},
        {"0.5", 0.5},
        {".25", 0.25},
        {"3.", 3},
        {"1e3", 1000},
        {"1E+3", 1000},
        {"25e-2", 0.25},
        {"0.1", 0.1},
        {"0x1F", 31},
        {"0xff", 255},
        {"9007199254740992", 9007199254740992.0},
        {"1.0e-05", 1e-5},
        {"true", 1},
        {"False", 0},
        {"3.14159265358979", 3.14159265358979},
        {"\t 1 \n", 1},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, arithmetic_and_precedence)
{
    static const example examples[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"2 - 3 - 4", -5},
        {"100 / 10 / 2", 5},
        {"7 / 2", 3.5},
        {"7 // 2", 3},
        {"-7 // 2", -4},
        {"7 // -2", -4},
        {"-7 // -2", 3},
        {"7 % 3", 1},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"-6 % 3", 0},
        {"7.5 % 2", 1.5},
        {"2 ** 3 ** 2", 512},
        {"-2 ** 2", -4},
        {"(-2) ** 2", 4},
        {"2 ** -1", 0.5},
        {"2 * 3 ** 2", 18},
        {"2 ** 3 * 2", 16},
        {"- - 3", 3},
        {"--3", 3},
        {"+3", 3},
        {"2 * -3", -6},
        {"1 - -1", 2},
        {"7 // 2 * 2", 6},
        {"7 % 4 * 2", 6},
        {"12 / 3 % 3", 1},
        {"9007199254740991 // 2", 4503599627370495.0},
        {"n * WG", 32000},
        {"WG*WG<=max_group", 1},
        {"(-8) ** (1 / 3)", NAN},
        {"!0 + 1", 2},
        {"-!0", -1},
        {"!2 ** 2", 0},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, comparisons_and_logic)
{
    static const example examples[] = {
        {"1 < 2", 1},
        {"2 < 1", 0},
        {"2 <= 2", 1},
        {"2 > 2", 0},
        {"2 >= 2", 1},
        {"2 == 2", 1},
        {"2 != 2", 0},
        /* C would say 1 to the first three. */
        {"3 > 2 > 1", 1},
        {"1 < 3 < 2", 0},
        {"3 > 2 == 1", 0},
        {"1 < 2 < 3 < 4", 1},
        {"1 < 2 < 2 < 4", 0},
        {"32 <= WG <= max_group", 1},
        {"1 and 2", 1},
        {"0 or 5", 1},
        {"0 || 0", 0},
        {"1 && 0", 0},
        {"1 or 0 and 0", 1},
        {"1 || 0 && 0", 1},
        {"(1 or 0) and 0", 0},
        {"not 0", 1},
        {"not 3", 0},
        {"not not 3", 1},
        {"!3", 0},
        {"!!3", 1},
        {"!0 == 1", 1},
        /* not binds looser than a comparison, ! tighter. */
        {"not 2 == 3", 1},
        {"!2 == 3", 0},
        {"not 1 and 0", 0},
        {"not (1 and 0)", 1},
        {"not 0 and not 0", 1},
        {"1 + 1 == 2 and 3 * 3 == 9", 1},
        {"1 and 2 and 3 and 0", 0},
        {"0 or 0 or 0 or 4", 1},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, choices)
{
    static const example examples[] = {
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 3", 3},
        {"2 if 1 else 3", 2},
        {"2 if 0 else 3", 3},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1 if 0 else 2 if 0 else 3", 3},
        {"1 ? 0 ? 4 : 5 : 6", 5},
        {"(4 if 0 else 5) if 1 else 6", 5},
        {"1 ? 2 : 3 + 10", 2},
        {"2 if 1 else 3 + 10", 2},
        {"1 + 2 if 0 else 3", 3},
        {"1 or 0 ? 5 : 6", 5},
        {"0 ? 1 : 2 if 1 else 3", 2},
        {"1 if 0 else 0 ? 2 : 3", 3},
        {"WG > 16 ? n : 0", 1000},
        {"n if WG < 16 else 0", 0},
        {"WG*2 if WG > 16 and n > 10 else WG", 64},
        {"(1 < 2 < 3 ? 10 : 20) + (5 if 3 > 2 > 1 else 7)", 15},
        {"(1 and 0) if (0 or 1) else 5", 0},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, lists_and_functions)
{
    static const example examples[] = {
        {"WG in (8, 16, 32)", 1},
        {"WG in [8, 16]", 0},
        {"WG not in (8, 16)", 1},
        {"WG not in [32]", 0},
        {"WG in (32,)", 1},
        {"WG in (30 + 2, 1)", 1},
        {"8 < WG in (32, 64)", 1},
        {"32 < WG in (32, 64)", 0},
        {"not WG in (32)", 0},
        {"WG in (1, 2) or n in [1000]", 1},
        {"2 * 16 in (32,)", 1},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 2)", 3},
        {"min(2, -2)", -2},
        {"abs(-2.5)", 2.5},
        {"ceil(2.1)", 3},
        {"floor(-2.1)", -3},
        {"ceil(-2.1)", -2},
        {"round(2.4)", 2},
        {"round(2.5)", 2},
        {"round(3.5)", 4},
        {"log2(8)", 3},
        {"ceil_div(7, 2)", 4},
        {"ceil_div(8, 2)", 4},
        {"ceil_div(-7, 2)", -3},
        {"ceil_div(n, WG) * WG", 1024},
        {"max(min(1, 2), ceil_div(9, 2)) + 1", 6},
        {"2 ** log2(max_group)", 1024},
        {"min", 3},
        {"min(min, 5)", 3},
        {"max(1 ? 2 : 3, 1 and 0)", 2},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, no_answer_is_not_an_answer)
{
    static const example examples[] = {
        {"1 / zero", NAN},
        {"1 // zero", NAN},
        {"1 % zero", NAN},
        {"0 / 0", NAN},
        {"zero ** -1", NAN},
        {"log2(0)", NAN},
        {"log2(-1)", NAN},
        {"ceil_div(1, zero)", NAN},
        {"1 / zero > 1", NAN},
        {"1 / zero != 1", NAN},
        {"not 1 / zero", NAN},
        {"!(1 / zero)", NAN},
        {"1 / zero and 1", NAN},
        {"1 and 1 / zero", NAN},
        {"1 / zero or 1", NAN},
        {"1 / zero ? 2 : 3", NAN},
        {"2 if 1 / zero else 3", NAN},
        {"1 / zero in (1, 2)", NAN},
        {"1 in (1 / zero, 1)", NAN},
        {"min(1, 1 / zero)", NAN},
        {"max(1 / zero, 1)", NAN},
        {"1 < 1 / zero < 3", NAN},
        {"1 / zero < 3 < 2", NAN},
        {"ceil(1 / zero)", NAN},
        {"1 not in (1 / zero,)", NAN},
        {"(1 / zero ? 2 : 3) + 1", NAN},
        {"1 / zero ** 0", 1},
        /* What is left out does no harm. */
        {"zero != 0 and 1 / zero > 2", 0},
        {"zero == 0 or 1 / zero", 1},
        {"zero ? 1 / zero : 4", 4},
        {"1 / zero if zero else 4", 4},
        {"1 in (1, 1 / zero)", 1},
        {"2 < 1 < 1 / zero", 0},
    };
    check(examples, sizeof examples / sizeof *examples);
}

Test(expression, labels)
{
    static const example examples[] = {
        {"VARIANT == \"vector\"", 1},
        {"VARIANT == 'scalar'", 0},
        {"'vector' == VARIANT", 1},
        {"VARIANT != \"texture\"", 1},
        {"VARIANT in ('scalar', 'vector')", 1},
        {"VARIANT not in ['scalar', 'vector']", 0},
        {"ORDER == 'column'", 1},
        /* Of the parameter that it stands beside: "scalar" is 0 for VARIANT, 30 for ORDER. */
        {"VARIANT * 0 == 0 and VARIANT == 'scalar'", 0},
        {"ORDER > 'scalar'", 0},
        {"'scalar' > ORDER", 1},
        {"(ORDER) < ('scalar')", 1},
        {"'row' < ORDER < 'scalar'", 1},
        {"VARIANT == 'vector' != ORDER - 10", 1},
        /* Elsewhere: one meaning is enough. */
        {"'column' + 1", 21},
        {"'texture' if 1 else 0", 2},
        {"max('row', 'column')", 20},
        {"'vector' * 2 == 2", 1},
    };
    check(examples, sizeof examples / sizeof *examples);
}

static void refuse(hed_status status, const char *text, const char *words)
{
    hed_expression *expression = (hed_expression *)&error;
    FAILS(status, hed_expression_create(NULL, text, &SCOPE, &expression, &error));
    EXPECT(!expression);
    EXPECT(strstr(error.text, words), "%s\nis refused with   %s\ninstead of        %s", text,
        error.text, words);
}

Test(expression, what_is_wrong_is_said_with_its_place)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ": column 1: expected a number, a name, a label or (, found the end"},
        {"WG *", "WG *: column 5: expected a number, a name, a label or (, found the end"},
        {"WG * * 2", "column 6: expected a number, a name, a label or (, found *"},
        {"(WG", "column 4: expected an operator or ), found the end"},
        {"WG)", "column 3: expected an operator or the end, found )"},
        {"WG 2", "column 4: expected an operator or the end, found 2"},
        {"WG = 2", "column 4: write == to compare"},
        {"WG & 2", "column 4: write && or and"},
        {"WG $ 2", "column 4: this character means nothing here"},
        {"WG ^ 2", "column 4: this character means nothing here"},
        {"1 ? 2", "column 6: expected an operator or :, found the end"},
        {"1 ? 2 3", "column 7: expected an operator or :, found 3"},
        {"1 if 2", "column 7: expected an operator or else, found the end"},
        {"WG in 3", "column 7: expected a list as (1, 2) or [1, 2], found 3"},
        {"WG in ()", "column 8: expected a number, a name, a label or (, found )"},
        {"WG in (1", "column 9: expected a comma or the end of the list, found the end"},
        {"WG in (1]", "column 9: expected a comma or the end of the list, found ]"},
        {"WG in (1,,2)", "column 10: expected a number"},
        {"WG not 3", "column 8: expected in, found 3"},
        {"1 + not 2",
            "column 5: expected a value (put not and what follows in parentheses), found not"},
        {"1 + and", "column 5: expected a value, found and"},
        {"if", "column 1: expected a value, found if"},
        {"1.2.3", "column 1: expected a number as 12, 0.5, 1e9 or 0xff"},
        {"12abc", "column 1: expected a number as"},
        {"0x", "column 1: expected a number as"},
        {"1e", "column 1: expected a number: its exponent is missing"},
        {"1e9999", "column 1: expected a number: its exponent is missing or too large"},
        {"1e400", "column 1: expected a number as"},
        {"'vector", "column 1: the label that begins here has no closing quote"},
        {"min(1)", "column 1: min takes 2 arguments or more, found 1"},
        {"abs(1, 2)", "column 1: abs takes 1 argument, found 2"},
        {"ceil_div(1, 2, 3)", "column 1: ceil_div takes 2 arguments, found 3"},
        {"min()", "column 5: expected a number"},
        {"min(1, 2", "column 9: expected a comma or ), found the end"},
        {"VARIANT 'vector'", "column 9: expected an operator or the end, found a label"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(HED_ERROR_FORMAT, cases[i].text, cases[i].words);
}

Test(expression, unknown_words_name_the_known_ones)
{
    refuse(HED_ERROR_ARGUMENT, "WG * WH",
        "column 6: there is no \"WH\"; known are: WG, VARIANT, ORDER, n, max_group, min, zero");
    refuse(HED_ERROR_ARGUMENT, "sqrt(2)", "column 1: no such function; there are: min, max");
    refuse(HED_ERROR_ARGUMENT, "VARIANT == 'vectr'",
        "column 13: VARIANT has no choice \"vectr\"; it has: scalar, vector, texture");
    refuse(HED_ERROR_ARGUMENT, "WG == 'vector'",
        "column 8: WG has no choice \"vector\"; it has no named choices");
    refuse(HED_ERROR_ARGUMENT, "n in ('vector',)", "n has no choice \"vector\"");
    refuse(HED_ERROR_ARGUMENT, "1 + 'vectr'", "every parameter has no choice");
    refuse(HED_ERROR_ARGUMENT, "1 + 'scalar'",
        "\"scalar\" means 0 for VARIANT and 30 for ORDER; compare it with one of them");
    static const hed_expression_names nothing = {0};
    hed_expression *expression;
    FAILS(HED_ERROR_ARGUMENT, hed_expression_create(NULL, "x", &nothing, &expression, &error));
    EXPECT(strstr(error.text, "known are: no names at all"), "%s", error.text);
}

Test(expression, long_lists_of_names_are_cut)
{
    static char words[200][16];
    const char *names[200];
    for (int i = 0; i < 200; i++) {
        snprintf(words[i], sizeof words[i], "PARAMETER_%d", i);
        names[i] = words[i];
    }
    hed_expression_names many = {names, 200, NULL, 0};
    hed_expression *expression;
    FAILS(HED_ERROR_ARGUMENT, hed_expression_create(NULL, "x", &many, &expression, &error));
    EXPECT(strstr(error.text, "PARAMETER_0, PARAMETER_1") &&
               strcmp(error.text + strlen(error.text) - 3, "...") == 0,
        "%s", error.text);
}

/* `count` times `before`, then "1", then `count` times `after`. */
static char *nest(const char *before, const char *after, size_t count)
{
    char *text = malloc(count * (strlen(before) + strlen(after)) + 2);
    CHECK(text);
    text[0] = 0;
    char *end = text;
    for (size_t i = 0; i < count; i++) end = stpcpy(end, before);
    end = stpcpy(end, "1");
    for (size_t i = 0; i < count; i++) end = stpcpy(end, after);
    return text;
}

Test(expression, depth_and_length_have_an_end)
{
    static const struct {
        const char *before, *after;
        size_t works;
    } cases[] = {
        {"(", ")", 60},
        {"-", "", 120},
        {"not ", "", 120},
        {"!", "", 120},
        {"1**", "", 60},
        {"1 + (", ")", 60},
        {"1 ? 1 : ", "", 120},
        {"max(1, ", ")", 60},
        {"1 if 1 else ", "", 120},
        {"1 < (", ") < 2", 60},
        {"1 in (0, ", ")", 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = nest(cases[i].before, cases[i].after, cases[i].works);
        EXPECT(!isnan(value_of(text)));
        free(text);
        text = nest(cases[i].before, cases[i].after, 300);
        refuse(HED_ERROR_FORMAT, text, "too ");
        free(text);
    }
    /* What is wide is not deep. */
    char *text = nest("1 + ", "", 4000);
    EXPECT(value_of(text) == 4001);
    free(text);
    text = nest("0 or ", "", 3000);
    EXPECT(value_of(text) == 1);
    free(text);
    text = nest("1 <= ", "", 3000);
    EXPECT(value_of(text) == 1);
    free(text);
    text = nest("1 + ", "", 5000);
    refuse(HED_ERROR_FORMAT, text, "expression has 20001 bytes; expected at most 16384");
    free(text);
}

/* Whole numbers a and b, b not 0: a == b * (a // b) + a % b, the remainder has b's sign and is
 * smaller, and ceil_div is the other side of //. */
Test(expression, rules_of_division)
{
    double values[7] = {0};
    for (int a = -50; a <= 50; a++)
        for (int b = -9; b <= 9; b++) {
            values[0] = a, values[3] = b;
            if (b == 0) continue;
            EXPECT(value_with("WG == n * (WG // n) + WG % n", values) == 1, "%d, %d", a, b);
            EXPECT(value_with("0 <= WG % n < n or n < WG % n <= 0", values) == 1, "%d, %d", a, b);
            EXPECT(value_with(
                       "WG // n == floor(WG / n) and ceil_div(WG, n) == ceil(WG / n)", values) == 1,
                "%d, %d", a, b);
        }
}

/* For all truth values: de Morgan, both spellings alike, both kinds of choice alike, a chain is its
 * links. */
Test(expression, rules_of_logic)
{
    double v[7] = {0};
    for (int bits = 0; bits < 27; bits++) {
        v[0] = bits % 3, v[1] = bits / 3 % 3, v[3] = bits / 9;
        EXPECT(value_with("(not (WG and n)) == (not WG or not n)", v) == 1);
        EXPECT(value_with("(WG and n or VARIANT) == (WG && n || VARIANT)", v) == 1);
        EXPECT(value_with("(WG ? n : VARIANT) == (n if WG else VARIANT)", v) == 1);
        EXPECT(value_with("(WG < n <= VARIANT) == ((WG < n) and (n <= VARIANT))", v) == 1);
        EXPECT(value_with("(WG in (n, VARIANT)) == (WG == n or WG == VARIANT)", v) == 1);
        EXPECT(value_with("(WG not in (n, VARIANT)) == (not (WG in [n, VARIANT]))", v) == 1);
        EXPECT(value_with("min(WG, n) + max(WG, n) == WG + n", v) == 1);
    }
}

Test(expression, names_that_are_used)
{
    hed_expression *expression;
    OK(hed_expression_create(
        NULL, "WG * 2 < n if VARIANT == 'vector' else 1", &SCOPE, &expression, &error));
    static const bool used[] = {true, true, false, true, false, false, false};
    for (uint32_t i = 0; i < 7; i++)
        EXPECT(hed_expression_uses(expression, i) == used[i], "%s", NAMES[i]);
    hed_expression_destroy(expression);
    hed_expression_destroy(NULL);
}

Test(expression, memory)
{
    test_allocator state = {0};
    hed_allocator allocator = test_allocator_of(&state);
    hed_expression *expression;
    for (int64_t n = 1; n <= 2; n++) {
        state = (test_allocator){.fail_at = n};
        FAILS(HED_ERROR_MEMORY,
            hed_expression_create(&allocator, "WG * 2", &SCOPE, &expression, &error));
        EXPECT(!expression && state.live == 0);
    }
    state = (test_allocator){0};
    OK(hed_expression_create(&allocator, "WG * 2", &SCOPE, &expression, &error));
    EXPECT(state.calls == 2 && hed_expression_value(expression, VALUES) == 64);
    hed_expression_destroy(expression);
    EXPECT(state.live == 0 && state.bytes == 0);
    FAILS(HED_ERROR_FORMAT, hed_expression_create(&allocator, "WG *", &SCOPE, &expression, &error));
    EXPECT(state.live == 0);
}
