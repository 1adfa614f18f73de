/* Selectors as they are read: which are valid, what they weigh, what An+B and escapes mean. */
#include "testing.h"

#include "engines/css/model/document.h"
#include "engines/css/model/selector.h"
#include "engines/css/model/tokenizer.h"

static hed_css_names *names;
static hed_css_sheet *sheet;

/* A sheet of this text; the one before is gone. */
static void read_css(const char *text, size_t length)
{
    hed_error error = {0};
    hed_css_sheet_destroy(sheet);
    sheet = NULL;
    if (!names) OK(hed_css_names_create(NULL, &names, &error));
    OK(hed_css_sheet_create(
        names, &(hed_css_sheet_def){.text = text, .length = length}, &sheet, &error));
}

static hed_css_rule read_rule(const char *selector)
{
    char text[4096] =
        "@namespace svg url(http://www.w3.org/2000/svg);\n@namespace x 'http://example.org/';\n";
    size_t start = strlen(text);
    int length = snprintf(text + start, sizeof text - start, "%s{}", selector);
    read_css(text, start + (size_t)length);
    CHECK_EQ(hed_css_rule_count(sheet), 1, "%s", selector);
    return hed_css_rule_at(sheet, 0);
}

static void end_names(void)
{
    hed_css_sheet_destroy(sheet);
    hed_css_names_destroy(names);
    sheet = NULL;
    names = NULL;
}

TestSuite(css_selectors, .fini = end_names);

Test(css_selectors, valid_ones)
{
    static const char *const valid[] = {"*", "a", "a b", "a>b", "a > b", "a+b", "a ~ b", "a\tb\n>c",
        "a,b , c", "#id", ".c", "a#i.c.d", "*.c", "*|*", "*|a", "|a", "svg|rect", "svg|*", "\\66oo",
        ".\\31 a", "#\\#", ".a\\.b", "-a", "--a", "-\\-", ".--x", "\\-", "_x", "\303\274",
        ".\360\237\230\200", "[a]", "[ a ]", "[a=b]", "[a='b']", "[a=\"b c\"]", "[a~=b]", "[a|=b]",
        "[a^=b]", "[a$=b]", "[a*=b]", "[a=b i]", "[a='b'i]", "[a=b S]", "[a = b I ]", "[*|a]",
        "[|a]", "[svg|a]", "[svg|a|=b]", "[a='']", "[a=\"]{\"]", ":root", ":ROOT", "a:hover:focus",
        ":not(a)", ":not(a, b > c)", ":not(:not(a))", ":not( a )", ":is()", ":is( )", ":is(,)",
        ":is(a,)", ":is(!)", ":is(a, :nope, b)", ":where(::before)", ":is(:has(a))", ":has(a)",
        ":has(> a)", ":has(+ a, ~ b)", ":has(a:not(.b) c)", ":has(:is(:has(a)))",
        ":has(:focus-within)", ":nth-child(2)", ":nth-child(odd)", ":NTH-CHILD(EVEN)",
        ":nth-child(2n+1)", ":nth-child(2n + 1 of a, .b > c)", ":nth-last-child(-n+3 of :is(a))",
        ":nth-of-type(n)", ":nth-last-of-type(+3n-2)", ":first-child", ":only-of-type", ":lang(de)",
        ":lang(de, 'en-*')", ":lang('*-CH')", ":lang('')", ":dir(ltr)", ":dir(nowhere)", ":host",
        ":host(.a)", ":host-context(.a)", "::slotted(a)", "::part(a b)", "::before", ":before",
        "a::AFTER", ":first-line", "::first-letter", "::before:hover", "::selection", "::marker",
        "::before::marker", "::placeholder", "::backdrop", "::cue(b)", "::file-selector-button",
        "::-webkit-anything", "::-webkit-scrollbar-thumb:horizontal", "::view-transition-group(*)",
        "::highlight(x)", "::details-content", "&", "&.a", "a&", "a &", ":checked", ":default",
        ":any-link", ":-webkit-any-link", ":-webkit-autofill", ":-webkit-any(a, b)",
        ":placeholder-shown", ":user-valid", ":popover-open", ":modal", ":target", ":focus-visible",
        ":state(x)", ":defined", ":scope", "a /**/ b", "a/**/.b", "a/**/>/**/b", ":is(a /* ) */ b)",
        "[a=/**/b]", ":is(:is(:is(a)))"};
    for (size_t i = 0; i < HED_COUNT(valid); i++) {
        hed_css_rule rule = read_rule(valid[i]);
        EXPECT_NE(rule.validity, HED_CSS_INVALID, "%s: %s", valid[i], rule.reason);
    }
}

Test(css_selectors, invalid_ones)
{
    static const char *const invalid[] = {"", ",", "a,", ",a", "a,,b", ">", "> a", "a >", "a > > b",
        "a + ~ b", "a || b", "a >>> b", "a /deep/ b", "1", "1a", ".1a", "..a", ". a", "#1a", "# a",
        "#", ".", "a b!", "a;b", "a@b", "$", "div/**/p", "a*", ".a*", "*a", "a.b c|d", "nope|a",
        "nope|*", "[nope|a]", "svg|", "svg||a", "[]", "[=a]", "[a=]", "[a=b c]", "[a=b i s]",
        "[a=1]", "[a==b]", "[a~ =b]", "[a!=b]", "[a=b] !", "[*]", "[a|*]", "[.a]", ":",
        "::", ": root", "::::before", ":nope", ":nope()", "::nope", "::nope()", ":not()", ":not( )",
        ":not(a,)", ":not(!)", ":not(::before)", ":has()", ":has(!)", ":has(a, !)", ":has(:has(a))",
        ":has(:not(:has(a)))", ":has(::before)", ":has(> > a)", ":nth-child()", ":nth-child( )",
        ":nth-child(n of)", ":nth-child(of a)", ":nth-of-type(2 of a)", ":nth-child(2 of !)",
        ":root()", ":is", ":not", ":lang()", ":lang(1)", ":lang(a b)", ":dir()", ":dir(ltr rtl)",
        "::before a", "::before > a", "::before.a", "::before::after", "::before#a", "::before[a]",
        "::before:first-child", "::before:checked", "a::before::before", ":is(a)b", ":first",
        ":left", ":contains(a)", ":selection", ":placeholder", "::hover", "::-moz-selection",
        "::-webkit-x()", "::part()", ":nth-child(2 3)", "&a", "a, & > ", "%", ":-webkit-any(a b)",
        "\\\n", "'a'", "url(a)"};
    for (size_t i = 0; i < HED_COUNT(invalid); i++) {
        hed_css_rule rule = read_rule(invalid[i]);
        EXPECT_EQ(rule.validity, HED_CSS_INVALID, "%s", invalid[i]);
        EXPECT(rule.reason[0], "%s: no reason", invalid[i]);
    }
}

Test(css_selectors, specificity)
{
    static const struct {
        const char *selector;
        uint32_t a, b, c;
    } cases[] = {{"*", 0, 0, 0}, {"li", 0, 0, 1}, {"ul li", 0, 0, 2}, {"ul ol+li", 0, 0, 3},
        {"h1 + *[rel=up]", 0, 1, 1}, {"ul ol li.red", 0, 1, 3}, {"li.red.level", 0, 2, 1},
        {"#x34y", 1, 0, 0}, {"#s12:not(foo)", 1, 0, 1}, {".foo :is(.bar, #baz)", 1, 1, 0},
        {":is(em, #foo)", 1, 0, 0}, {".qux:where(em, #foo#bar#baz)", 0, 1, 0},
        {":nth-child(even of li, .item)", 0, 2, 0}, {":not(em, strong#foo)", 1, 0, 1},
        {":has(> em, .a .b)", 0, 2, 0}, {":is()", 0, 0, 0}, {":is(:nope, a)", 0, 0, 1},
        {"a::before", 0, 0, 2}, {":before:hover", 0, 1, 1}, {":focus-within", 0, 1, 0},
        {"a:only-child", 0, 1, 1}, {"&", 0, 0, 0}, {":root", 0, 1, 0}, {"a, #b, .c", 1, 0, 0},
        {":lang(de)", 0, 1, 0}, {":nth-last-of-type(2)", 0, 1, 0}, {"svg|a", 0, 0, 1},
        {"::-webkit-scrollbar:horizontal", 0, 1, 1}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(read_rule(cases[i].selector).specificity,
            cases[i].a << 20 | cases[i].b << 10 | cases[i].c, "%s", cases[i].selector);
}

Test(css_selectors, specificity_stays_within_its_digits)
{
    char text[8192] = "";
    for (int i = 0; i < 1500; i++) strcat(text, ".a");
    strcat(text, "{}");
    read_css(text, strlen(text));
    CHECK_EQ(hed_css_rule_at(sheet, 0).specificity, 1023u << 10);
}

Test(css_selectors, a_n_plus_b)
{
    static const struct {
        const char *text;
        bool valid;
        int32_t a, b;
    } cases[] = {{"odd", true, 2, 1}, {"even", true, 2, 0}, {"OdD", true, 2, 1}, {"7", true, 0, 7},
        {"+7", true, 0, 7}, {"-7", true, 0, -7}, {"007", true, 0, 7}, {"n", true, 1, 0},
        {"N", true, 1, 0}, {"+n", true, 1, 0}, {"-n", true, -1, 0}, {"2n", true, 2, 0},
        {"-2n", true, -2, 0}, {"+2n", true, 2, 0}, {"0n+1", true, 0, 1}, {"n+3", true, 1, 3},
        {"n-3", true, 1, -3}, {"-n-3", true, -1, -3}, {"+n-3", true, 1, -3}, {"2n-3", true, 2, -3},
        {"2N-3", true, 2, -3}, {"2n+3", true, 2, 3}, {"2n +3", true, 2, 3}, {"2n -3", true, 2, -3},
        {"2n + 3", true, 2, 3}, {"2n - 3", true, 2, -3}, {"2n+ 3", true, 2, 3},
        {"2n- 3", true, 2, -3}, {"n- 3", true, 1, -3}, {"-n- 3", true, -1, -3},
        {"+n- 3", true, 1, -3}, {"n + 3", true, 1, 3}, {"n +3", true, 1, 3}, {" 2n+3 ", true, 2, 3},
        {"2\\6e+3", true, 2, 3}, {"\\6e", true, 1, 0}, {"99999999999", true, 0, INT32_MAX},
        {"-99999999999n", true, -INT32_MAX, 0}, {"2n/**/+/**/3", true, 2, 3},
        /* what the grammar leaves out */
        {"+ 3n - 2", false, 0, 0}, {"+ n", false, 0, 0}, {"+ 2n", false, 0, 0},
        {"2 n", false, 0, 0}, {"+ 2", false, 0, 0}, {"- 2", false, 0, 0}, {"- n", false, 0, 0},
        {"2n 3", false, 0, 0}, {"2n + -3", false, 0, 0}, {"2n + +3", false, 0, 0},
        {"2n- -3", false, 0, 0}, {"2n- +3", false, 0, 0}, {"2n+", false, 0, 0},
        {"2n-", false, 0, 0}, {"2n +", false, 0, 0}, {"1.5", false, 0, 0}, {"1.0n", false, 0, 0},
        {"2n+1.0", false, 0, 0}, {"1e1n", false, 0, 0}, {"foo", false, 0, 0}, {"+odd", false, 0, 0},
        {"-odd", false, 0, 0}, {"n n", false, 0, 0}, {"--n", false, 0, 0}, {"+-n", false, 0, 0},
        {"2px", false, 0, 0}, {"2n3", false, 0, 0}, {"2n-3x", false, 0, 0}, {"n-x", false, 0, 0},
        {"2%", false, 0, 0}, {"'2'", false, 0, 0}, {"n+3n", false, 0, 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char selector[64];
        snprintf(selector, sizeof selector, ":nth-child(%s)", cases[i].text);
        hed_css_rule rule = read_rule(selector);
        EXPECT_EQ(rule.validity == HED_CSS_VALID, cases[i].valid, "%s: %s", selector, rule.reason);
        if (rule.validity != HED_CSS_VALID || !cases[i].valid) continue;
        const css_simple *nth = &sheet->simples[sheet->compounds[0].first];
        EXPECT_EQ(nth->kind, CSS_NTH);
        EXPECT_EQ(nth->a, cases[i].a, "%s", selector);
        EXPECT_EQ(nth->b, cases[i].b, "%s", selector);
    }
}

Test(css_selectors, escapes_and_damaged_text)
{
    static const struct {
        const char *selector, *name;
        size_t length;
    } cases[] = {{".\\66 oo", "foo", 0}, {".\\000066oo", "foo", 0}, {".f\\6f\r\no", "foo", 0},
        {".\\.a", ".a", 0}, {".\\0", "\357\277\275", 0}, {".\\d800", "\357\277\275", 0},
        {".\\110000", "\357\277\275", 0}, {".\\1F600", "\360\237\230\200", 0},
        {".a\377b", "a\357\277\275b", 0},
        {".\355\240\200", "\357\277\275\357\277\275\357\277\275", 0},
        {".\342\202x", "\357\277\275x", 0}, {".\\\303\244", "\303\244", 0},
        {".a\0b", "a\357\277\275b", 4}, {".\\e4 \\e4", "\303\244\303\244", 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[64];
        size_t length = cases[i].length ? cases[i].length : strlen(cases[i].selector);
        memcpy(text, cases[i].selector, length);
        memcpy(text + length, " {}", 3);
        read_css(text, length + 3);
        CHECK_EQ(hed_css_rule_count(sheet), 1);
        CHECK_EQ(hed_css_rule_at(sheet, 0).validity, HED_CSS_VALID, "case %zu", i);
        EXPECT_TEXT(
            hed_css_names_text(names, sheet->simples[0].name, NULL), cases[i].name, "case %zu", i);
    }
}

/* The parts of a selector, where each of them is. */
Test(css_selectors, arrays)
{
    read_rule("svg|A.b > *|i[TYPE=x]:is(u ~ s, :hover) + :not(:link)::before");
    CHECK_EQ(sheet->rules[0].count, 1);
    const css_complex *complex = &sheet->complexes[sheet->rules[0].list];
    CHECK_EQ(complex->count, 3);
    const css_compound *c = &sheet->compounds[complex->first];
    CHECK_EQ(c[0].combinator, 0);
    CHECK_EQ(c[1].combinator, '>');
    CHECK_EQ(c[2].combinator, '+');
    CHECK_EQ(c[0].count, 2);
    CHECK_EQ(c[1].count, 3);
    CHECK_TEXT(hed_css_names_text(names, c[2].pseudo_element, NULL), "before");
    const css_simple *s = &sheet->simples[c[0].first];
    CHECK_EQ(s[0].kind, CSS_TYPE);
    CHECK_EQ(s[0].name_space, 1u + HED_CSS_SVG);
    CHECK_TEXT(hed_css_names_text(names, s[0].name, NULL), "A");
    CHECK_TEXT(hed_css_names_text(names, s[0].lower, NULL), "a");
    s = &sheet->simples[c[1].first];
    CHECK_EQ(s[0].name_space, HED_CSS_NONE);
    CHECK_EQ(s[1].kind, CSS_ATTRIBUTE);
    CHECK_EQ(s[1].name_space, 0);
    CHECK_EQ(s[1].letter_case, CSS_AS_DOCUMENT, "type is on HTML's list");
    CHECK_TEXT(hed_css_names_text(names, s[1].lower, NULL), "type");
    CHECK_EQ(s[2].kind, CSS_IS);
    CHECK_EQ(s[2].count, 2);
    CHECK_EQ(sheet->complexes[s[2].list].count, 2);
    CHECK_EQ(sheet->compounds[sheet->complexes[s[2].list].first + 1].combinator, '~');
    CHECK(sheet->rules[0].info.state && sheet->rules[0].info.pseudo_element);
    read_rule("[data-x=y]:has(> a b)");
    s = &sheet->simples[sheet->compounds[sheet->complexes[sheet->rules[0].list].first].first];
    CHECK_EQ(s[0].letter_case, CSS_SENSITIVE);
    CHECK_EQ(s[1].kind, CSS_HAS);
    CHECK_EQ(sheet->compounds[sheet->complexes[s[1].list].first].combinator, '>');
    CHECK_EQ(sheet->compounds[sheet->complexes[s[1].list].first + 1].combinator, ' ');
}

Test(css_selectors, values_of_attributes)
{
    static const struct {
        css_operator operation;
        const char *wanted, *value;
        bool insensitive, fits;
    } cases[] = {{CSS_PRESENT, "", "x", false, true}, {CSS_EQUALS, "a", "a", false, true},
        {CSS_EQUALS, "a", "A", false, false}, {CSS_EQUALS, "a", "A", true, true},
        {CSS_EQUALS, "", "", false, true}, {CSS_EQUALS, "a", "ab", false, false},
        {CSS_WORD, "b", "a b\tc", false, true}, {CSS_WORD, "B", "a b c", true, true},
        {CSS_WORD, "b", "ab b2", false, false}, {CSS_WORD, "a b", "a b", false, false},
        {CSS_WORD, "", "", false, false}, {CSS_WORD, "c", "a\fb\nc", false, true},
        {CSS_DASH, "en", "en", false, true}, {CSS_DASH, "en", "en-GB", false, true},
        {CSS_DASH, "en", "eng", false, false}, {CSS_DASH, "", "", false, true},
        {CSS_DASH, "", "-a", false, true}, {CSS_DASH, "", "a", false, false},
        {CSS_PREFIX, "ab", "abc", false, true}, {CSS_PREFIX, "", "abc", false, false},
        {CSS_PREFIX, "abcd", "abc", false, false}, {CSS_SUFFIX, "bc", "abc", false, true},
        {CSS_SUFFIX, "ab", "abc", false, false}, {CSS_SUFFIX, "", "abc", false, false},
        {CSS_SUBSTRING, "b", "abc", false, true}, {CSS_SUBSTRING, "", "abc", false, false},
        {CSS_SUBSTRING, "BC", "abc", true, true}, {CSS_SUBSTRING, "d", "abc", false, false}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(css_value_fits(cases[i].operation, cases[i].wanted, strlen(cases[i].wanted),
                      cases[i].value, strlen(cases[i].value), cases[i].insensitive),
            cases[i].fits, "case %zu: \"%s\" in \"%s\"", i, cases[i].wanted, cases[i].value);
}

Test(css_selectors, languages)
{
    static const struct {
        const char *range, *language;
        bool fits;
    } cases[] = {{"de", "de", true}, {"de", "de-DE", true}, {"de", "den", false},
        {"DE", "de-at", true}, {"de-DE", "de-Latn-DE", true}, {"de-DE", "de-DE-1996", true},
        {"de-DE", "de", false}, {"de-DE", "de-x-DE", false}, {"*-DE", "fr-DE", true},
        {"*-DE", "de-Latn-DE", true}, {"*-DE", "de", false}, {"*", "de", true}, {"*", "", false},
        {"", "", true}, {"", "de", false}, {"de-*-DE", "de-DE", true},
        {"de-*-DE", "de-Latn-DE", true}, {"en", "", false}, {"de-", "de", false}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(css_language_fits(cases[i].range, strlen(cases[i].range), cases[i].language,
                      strlen(cases[i].language)),
            cases[i].fits, "\"%s\" and \"%s\"", cases[i].range, cases[i].language);
}

Test(css_selectors, lists_nested_too_deep_are_unsupported)
{
    char text[4096] = "";
    for (int i = 0; i <= CSS_NESTING; i++) strcat(text, ":not(");
    strcat(text, "a");
    for (int i = 0; i <= CSS_NESTING; i++) strcat(text, ")");
    hed_css_rule rule = read_rule(text);
    CHECK_EQ(rule.validity, HED_CSS_UNSUPPORTED);
    CHECK(strstr(rule.reason, "64"), "%s", rule.reason);
    CHECK_EQ(read_rule(text + 5).validity, HED_CSS_INVALID, "one bracket too many");
    char *last = strrchr(text, ')');
    *last = 0;
    CHECK_EQ(read_rule(text + 5).validity, HED_CSS_VALID);
}

/* ---- what selectors match, by the plain matcher ---- */

Test(css_selectors, the_plain_matcher)
{
    static const char html[] =
        "<!doctype html><html id=0 lang=en><head id=1></head><body id=2>"
        "<div id=3 class='a b'><p id=4 class=a>x</p><p id=5></p><span id=6 class=b></span></div>"
        "<ul id=7 lang=de-AT><li id=8>1</li><li id=9 class=a>2</li><li id=A>3</li><li id=B class=a>4</li>"
        "</ul><input id=C type=TEXT disabled><svg id=D><linearGradient id=E /></svg></body></html>";
    static const struct {
        const char *selector, *ids; /* the last letters of ids, in document order */
    } cases[] = {{"p", "45"}, {"P", "45"}, {".a", "349B"}, {".A", ""}, {"#\\34", "4"},
        {"div p", "45"}, {"body p", "45"}, {"body > p", ""}, {".a .a", "4"}, {"p + span", "6"},
        {"p ~ *", "56"}, {".a + *", "57A"}, {".a ~ .a", "B"}, {"li:first-child", "8"},
        {"li:last-child", "B"}, {":only-child", "0E"}, {"li:nth-child(2n)", "9B"},
        {"li:nth-child(-n+2)", "89"}, {"li:nth-last-child(2)", "A"}, {"li:nth-child(2 of .a)", "B"},
        {"li:nth-last-child(2 of .a)", "9"}, {"p:first-of-type", "4"},
        {"div > :nth-last-of-type(1)", "56"}, {":root", "0"}, {"p:empty", "5"},
        {"[class]", "3469B"}, {"[class~=b]", "36"}, {"[class^=a]", "349B"}, {"[type=text]", "C"},
        {"[type=text s]", ""}, {"[class=A i]", "49B"}, {":lang(de)", "789AB"},
        {"div:lang(en)", "3"}, {"p:not(.a)", "5"}, {":not(p, li, :has(*))", "16CE"},
        {"div:has(> .a)", "3"}, {":has(.a)", "0237"}, {":has(+ ul)", "3"}, {"p:has(~ .b)", "45"},
        {"body:has(li + li .x)", ""}, {":is(div, ul) > .a", "49B"}, {":is(div > p, .z)", "45"},
        {":where(.a .b)", "6"}, {":disabled", "C"}, {"linearGradient", "E"}, {"lineargradient", ""},
        {"*|svg", "D"}, {"svg|*", "DE"}, {"p:hover", ""}, {"p:not(:hover)", "45"},
        {":focus-within", ""}, {":host", ""}, {"p, li.a", "459B"}, {"::before", "0123456789ABCDE"},
        {"div > .a, #\\33", "34"}, {"li:not(:first-child):not(.a)", "A"}, {":is()", ""},
        {"& > body", "2"}};
    hed_error error = {0};
    hed_css_document *document;
    read_rule("a");
    OK(hed_css_document_create(names, &(hed_css_document_def){.html = html}, &document, &error));
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char found[32] = "";
        read_rule(cases[i].selector);
        const css_rule *rule = &sheet->rules[0];
        for (uint32_t e = 0; e < document->count; e++)
            for (uint32_t k = 0; k < rule->count; k++)
                if (css_naive_match(sheet, document, rule->list + k, e)) {
                    strcat(found, hed_css_names_text(names, document->id[e], NULL));
                    break;
                }
        EXPECT_TEXT(found, cases[i].ids, "%s", cases[i].selector);
    }
    document->states[4] = HED_CSS_FOCUS;
    read_rule(":focus-within:not(html)");
    CHECK(css_naive_match(sheet, document, sheet->rules[0].list, 3), "a child has the focus");
    CHECK(css_naive_match(sheet, document, sheet->rules[0].list, 4));
    CHECK(!css_naive_match(sheet, document, sheet->rules[0].list, 0), "html is excluded");
    CHECK(!css_naive_match(sheet, document, sheet->rules[0].list, 5));
    hed_css_document_destroy(document);
}

/* A keyword that is written in escapes alone, of 88 and of 880 characters of the sheet. */
Test(css_selector, keywords_of_many_escapes)
{
    static const char word[] = "first-child";
    char escaped[sizeof word * 80] = "";
    for (const char *c = word; *c; c++) sprintf(escaped + strlen(escaped), "\\%06X ", *c);
    css_tokenizer t = {escaped, 0, (uint32_t)strlen(escaped)};
    css_token token = css_next(&t);
    char keyword[48];
    css_keyword(escaped, &token, keyword, sizeof keyword);
    CHECK_EQ(strlen(escaped), 88u);
    CHECK_TEXT(keyword, word);
    CHECK(css_is(escaped, &token, word));
    /* 255 letters in escapes are a keyword, though none that CSS knows; one more are none */
    char all[256 * 8 + 1] = "", longest[256];
    for (int i = 0; i < 256; i++) strcpy(all + 8 * i, "\\000061 ");
    memset(longest, 'a', 255);
    longest[255] = 0;
    t = (css_tokenizer){all, 0, 255 * 8};
    token = css_next(&t);
    CHECK(css_is(all, &token, longest));
    t = (css_tokenizer){all, 0, 256 * 8};
    token = css_next(&t);
    CHECK(!css_is(all, &token, longest));
}
