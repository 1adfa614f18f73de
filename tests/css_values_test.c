/* Values of properties by their grammar: typical mistakes, valid values of every part of the value
 * definition syntax, the place of a fault with what was expected, and limits of time and memory. */
#include "model/properties.h"
#include "testing.h"

static bool valid(const char *property, const char *value)
{
    return css_value_valid(property, value, strlen(value), false, NULL);
}

Test(css_values, typical_mistakes_are_invalid_and_named)
{
    static const struct {
        const char *property, *value;
        uint32_t begin, end;
        const char *expected, *suggestion; /* expected: a part of the text */
    } cases[] = {
        {"display", "flexx", 0, 5, "block, inline", "flex"},
        {"width", "-5px", 0, 4, "<length-percentage [0,∞]>, auto", ""},
        {"width", "10", 0, 2, "<length-percentage [0,∞]>", ""},
        {"margin", "1px 2px 3px 4px 5px", 16, 19, "the end", ""},
        {"color", "rgb(1,2)", 7, 8, "a comma", ""},
        {"color", "#ff", 0, 3, "<color>", ""},
        {"color", "reed", 0, 4, "<color>", "red"},
        {"color", "rgb(1 2 3, 4)", 9, 10, "the end", ""},
        {"transform", "rotate(45)", 7, 9, "<angle> or 0", ""},
        {"transform", "translate(1px 2px)", 14, 17, "a comma", ""},
        {"transform", "translte(1px)", 0, 13, "<transform-function>", "translate()"},
        {"border", "1px sold red", 4, 8, "<line-style>", "solid"},
        {"transition", "all 1", 4, 5, "<time", ""},
        {"font-weight", "bolt", 0, 4, "<number [1,1000]>", "bold"},
        {"background", "url(a.png) no-repet", 11, 19, "<bg-position>", "no-repeat"},
        {"grid-template-columns", "repeat(3 1fr)", 9, 12, "a comma", ""},
        {"z-index", "1.5", 0, 3, "<integer>", ""},
        {"opacity", "50 %", 3, 4, "the end", ""},
        {"width", "calc(1px + 2)", 0, 13, "<length-percentage", ""},
        {"width", "calc(1px+2px)", 0, 13, "<length-percentage", ""},
        {"width", "var(a)", 4, 5, "custom property", ""},
        {"font-family", "", 0, 0, "<family-name>", ""},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const char *value = cases[i].value;
        css_value_fault fault;
        bool fits = css_value_valid(cases[i].property, value, strlen(value), false, &fault);
        EXPECT(!fits, "%s: %s", cases[i].property, value);
        if (fits) continue;
        EXPECT_EQ(fault.begin, cases[i].begin, "%s: %s", cases[i].property, value);
        EXPECT_EQ(fault.end, cases[i].end, "%s: %s", cases[i].property, value);
        EXPECT(strstr(fault.expected, cases[i].expected), "%s: %s: %s", cases[i].property, value,
            fault.expected);
        EXPECT_TEXT(fault.suggestion, cases[i].suggestion, "%s: %s", cases[i].property, value);
        EXPECT_EQ(fault.lacks_unit,
            strcmp(value, "10") == 0 || strcmp(value, "rotate(45)") == 0 ||
                strcmp(value, "all 1") == 0,
            "%s", value);
    }
}

Test(css_values, values_of_all_kinds)
{
    static const struct {
        const char *property, *value;
        bool valid;
    } cases[] = {
        /* combinations in any order, and each at most once */
        {"border", "red solid 1px", true},
        {"border", "solid solid", false},
        {"text-decoration", "underline wavy red 2px", true},
        {"color-scheme", "dark only", true},
        {"grid-column", "span 2 / -1", true},
        {"grid-column", "0", false},
        /* lists, and commas that go with what is left out */
        {"transition", "color 1s, width .5s ease-in 1s", true},
        {"transition", "color 1s,", false},
        {"transition", "color 1s,, width 1s", false},
        {"background", "url(a) 1px / cover, linear-gradient(to right, red, 10%, blue) red", true},
        {"background", "red, url(a)", false},
        {"color", "rgb(1,2,3,)", false},
        {"background-image", "linear-gradient(, red, blue)", false},
        {"clip-path", "polygon(evenodd, 0 0, 1px 1px)", true},
        {"clip-path", "polygon(0 0, 1px 1px)", true},
        {"clip-path", "polygon(evenodd 0 0, 1px 1px)", false},
        /* colours of today */
        {"color", "oklch(from var(--a) l c h / 50%)", true},
        {"color", "oklch(from red calc(l * 2) c h)", true},
        {"color", "oklch(from red calc(r * 2) c h)", false},
        {"color", "color-mix(in oklab shorter hue, red, blue)", false},
        {"color", "color-mix(in oklch shorter hue, red 10%, blue)", true},
        {"color", "hsl(120deg 10% 20% / .5)", true},
        {"color", "hsl(120deg, 10, 20)", false},
        {"color", "CurrentColor", true},
        /* mathematical functions and their types */
        {"width", "calc(1px * (2 + 3) / 4)", true},
        {"width", "calc(1px * 1px)", false},
        {"width", "calc(1px * 1px / 1px)", true},
        {"opacity", "calc(1px / 2px)", true},
        {"width", "min(10px, 5%, 2em + 1px)", true},
        {"letter-spacing", "clamp(1px, 2%, none)", true},
        {"width", "clamp(1px, 2%)", false},
        {"width", "round(up, 5px, 1px)", true},
        {"rotate", "atan2(1px, 2em)", true},
        {"width", "calc(10px * sin(30deg))", true},
        {"width", "calc()", false},
        {"border-width", "calc(1px + 1%)", false},
        {"z-index", "calc(1.5)", true},
        {"top", "calc(anchor(bottom) + 1em)", true},
        {"width", "calc(anchor(bottom) + 1em)", false},
        {"height", "calc-size(auto, size + 10%)", true},
        /* numbers and units */
        {"width", "1e3px", true},
        {"width", "+.5EM", true},
        {"width", "0", true},
        {"transform", "rotate(0)", true},
        {"transition-delay", "0", false},
        {"width", "10px\\9", false},
        /* names, strings and keywords for every property */
        {"font-family", "Open Sans, 'a b', serif", true},
        {"font-family", "inherit, serif", false},
        {"animation-name", "initial", true},
        {"animation-name", "a, initial", false},
        {"container-name", "a b", true},
        {"container-name", "a none", false},
        {"font-feature-settings", "\"kern\" 1, \"liga\" off", true},
        {"font-feature-settings", "\"kerning\"", false},
        {"margin", "REVERT-layer", true},
        {"margin", "inherit 1px", false},
        {"grid-template-areas", "'a b' 'a c'", true},
        {"grid-template-columns", "[full-start] minmax(1rem, 1fr) [end] subgrid", false},
        {"font", "italic small-caps bold condensed 1em/1.2 a b, serif", true},
        {"font", "bold", false},
        /* known when computed */
        {"width", "env(safe-area-inset-left, 1px) nonsense", true},
        {"width", "--f(1)", true},
        {"color", "rgb(var(--x) 1)", true},
        {"color", "var(--x y)", false},
        /* own names of engines */
        {"-webkit-mask-composite", "source-over", true},
        {"mask-composite", "source-over", false},
        {"page-break-after", "always", true},
        {"break-after", "always", false},
        {"-webkit-hyphens", "1px", true}, /* unknown: not judged here */
        {"--x", "{ ] anything", true},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(valid(cases[i].property, cases[i].value), cases[i].valid, "%s: %s",
            cases[i].property, cases[i].value);
}

/* Time and memory are limited for any value; beyond the limits it counts as valid. */
Test(css_values, values_of_any_size_end, .timeout = 60)
{
    enum { SIZE = 1 << 20 };
    static char text[SIZE + 64];
    static const struct {
        const char *property, *begin, *repeated;
    } cases[] = {{"width", "", "calc("}, {"width", "", "("}, {"color", "", "color-mix(in lab,"},
        {"font-variant", "", "historical-forms "}, {"grid-template-columns", "", "[a] 1fr "},
        {"transition", "a", ", a"}, {"background", "", "1px / 2px "}, {"will-change", "a", ",a"},
        {"box-shadow", "1px 1px", ",1px 1px"}, {"font-family", "", "a "}, {"mask", "none", ",none"}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        for (size_t size = 100; size <= SIZE; size *= 10) {
            size_t used = strlen(cases[i].begin), more = strlen(cases[i].repeated);
            strcpy(text, cases[i].begin);
            for (; used + more < size; used += more) strcpy(text + used, cases[i].repeated);
            css_value_fault fault = {0};
            bool fits = css_value_valid(cases[i].property, text, used, false, &fault);
            if (used > 100000) EXPECT(fits, "%s", cases[i].property);
            if (!fits) EXPECT(fault.end <= used && fault.begin <= fault.end, "%s", fault.expected);
        }
    /* a long list of valid values, as pictures of shadows have */
    strcpy(text, "0 0 red");
    for (size_t used = strlen(text); used < 1000; used += 9) strcpy(text + used, ", 1px 0 x");
    EXPECT(!valid("box-shadow", text));
}

Test(css_values, in_quirks_mode_numbers_are_lengths)
{
    EXPECT(css_value_valid("width", "10", 2, true, NULL));
    EXPECT(css_value_valid("margin", "1 2", 3, true, NULL));
    EXPECT(css_value_valid("color", "a0b1c2", 6, true, NULL));
    EXPECT(css_value_valid("color", "123", 3, true, NULL));
    EXPECT(!css_value_valid("color", "1234", 4, true, NULL));
    EXPECT(!css_value_valid("color", "a0b1c2", 6, false, NULL));
    EXPECT(!css_value_valid("flex-basis", "10", 2, true, NULL));
    EXPECT(!css_value_valid("width", "calc(10)", 8, true, NULL));
}
