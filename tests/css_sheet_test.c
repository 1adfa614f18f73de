/* Sheets as they are read: recovery from errors, numbers and places of rules, conditions, layers,
 * nesting, imports; hostile text in bounded time and memory; memory that runs out. */
#include "testing.h"

#include "benchmarks/css_generate.h"
#include "engines/css/model/selector.h"

/* ---- a sheet as a line of text: each rule's validity and selector ---- */

static hed_css_names *names;
static hed_css_sheet *sheet;
static char line_text[4096];

static void read_sheet(hed_css_sheet_def def)
{
    hed_error error = {0};
    hed_css_sheet_destroy(sheet);
    sheet = NULL;
    if (!names) OK(hed_css_names_create(NULL, &names, &error));
    if (!def.length && def.text) def.length = strlen(def.text);
    OK(hed_css_sheet_create(names, &def, &sheet, &error));
}

static const char *line_of(const char *text)
{
    read_sheet((hed_css_sheet_def){.text = text});
    size_t length = 0;
    line_text[0] = 0;
    for (uint32_t i = 0; i < hed_css_rule_count(sheet); i++) {
        hed_css_rule rule = hed_css_rule_at(sheet, i);
        length += (size_t)snprintf(line_text + length, sizeof line_text - length, "%s%s%c:%.*s",
            i ? "; " : "", rule.applies ? "" : "-", rule.validity, (int)rule.selector_length,
            rule.selector);
    }
    return line_text;
}

static void end_sheet(void)
{
    hed_css_sheet_destroy(sheet);
    hed_css_names_destroy(names);
    sheet = NULL;
    names = NULL;
}

TestSuite(css_sheets, .fini = end_sheet);

Test(css_sheets, recovery)
{
    static const struct {
        const char *text, *line;
    } cases[] = {{"", ""}, {"  /* a */ ", ""}, {"/* never closed", ""}, {"a{}b{}", "M:a; M:b"},
        {"a{color:red", "M:a"}, {"a{b{", "M:a; M:b"}, {"a", ""}, {"a;b{}", "E:a;b"},
        {"} a{} b{}", "E:} a; M:b"}, {"a{}} b{} c{}", "M:a; E:} b; M:c"}, {"{} a{}", "E:; M:a"},
        {"a[x{} b{}", ""}, {"a(b{} c{}) d{} e{}", "E:a(b{} c{}) d; M:e"},
        {"a{x:\"y\n} b{}", "M:a; M:b"}, {"a{x:(} b{}", "M:a"}, {"a{x:(}) } b{}", "M:a; M:b"},
        {"<!-- a{} --> b{}", "M:a; M:b"}, {"a <!-- b{} c{}", "E:a <!-- b; M:c"},
        {"@nope a{} b{}", "M:b"}, {"@nope; a{}", "M:a"}, {"@nope {a{}} b{}", "M:b"},
        {"@nope (;) ; a{}", "M:a"}, {"@media{a{}}}b{}c{}", "M:a; E:}b; M:c"},
        {"@charset 'x'; a{}", "M:a"}, {"a{@nope{b{}} c{}}", "M:a; M:c"},
        {"a{;;color:red;;}", "M:a"}, {"a{color:red;x;b{}}", "M:a; M:b"},
        {"a{x b{} c{}}", "M:a; M:x b; M:c"}, {"a{!!;b{}}", "M:a; M:b"},
        {"a{b:c{} d{}}", "M:a; E:b:c; M:d"}, {"a{--x:{b{}} c{}; d{}}", "M:a; M:d"},
        {"a{--x:{b{}}; d{}}", "M:a; M:d"}, {"@media{x;a{}}", "M:a"}, {"@font-face{a{}} b{}", "M:b"},
        {"@keyframes x{from{} 50%{}} b{}", "M:b"}, {"@page :first{margin:0} b{}", "M:b"},
        {"\357\273\277a{}", "M:a"}, {"@import 'x' a{} b{}", "M:b"},
        {"@namespace q 'x'; q|b{}", "M:q|b"}, {"a{} @namespace q 'x'; q|b{}", "M:a; E:q|b"},
        {":nope{} @namespace q 'x'; q|b{}", "E::nope; M:q|b"},
        {"@media{@namespace q 'x'; q|b{}}", "E:q|b"}, {"a{x:url( y z)} b{}", "M:a; M:b"},
        {"a{x:url(\"y} b{}", "M:a"}, {"a\\{}b{} c{}", "E:a\\{}b; M:c"}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_TEXT(line_of(cases[i].text), cases[i].line, "%s", cases[i].text);
}

Test(css_sheets, places)
{
    const char *text =
        "\n  a,\n b { color: red }\r\n\r\n\303\244 \303\266{}/*\n*/  .c{ & d {} }\f@media{e{}";
    read_sheet((hed_css_sheet_def){.text = text});
    static const struct {
        const char *selector;
        uint32_t line, column;
    } places[] = {
        {"a,\n b", 2, 3}, {"\303\244 \303\266", 5, 1}, {".c", 6, 5}, {"& d", 6, 9}, {"e", 7, 8}};
    CHECK_EQ(hed_css_rule_count(sheet), HED_COUNT(places));
    for (uint32_t i = 0; i < HED_COUNT(places); i++) {
        hed_css_rule rule = hed_css_rule_at(sheet, i);
        CHECK_EQ(rule.selector_length, strlen(places[i].selector));
        CHECK_BYTES(rule.selector, places[i].selector, rule.selector_length);
        CHECK_EQ(rule.line, places[i].line, "rule %u", i);
        CHECK_EQ(rule.column, places[i].column, "rule %u", i);
        CHECK_BYTES(text + rule.begin, rule.selector, rule.selector_length);
        CHECK_EQ(text[rule.end - 1], '}', "rule %u", i);
    }
    hed_css_rule outer = hed_css_rule_at(sheet, 2), inner = hed_css_rule_at(sheet, 3);
    CHECK(outer.begin < inner.begin && inner.end < outer.end);
}

Test(css_sheets, declarations)
{
    read_sheet((hed_css_sheet_def){
        .text =
            "a { COLOR : red ; --Xy: { a } ! important; margin:0!IMPORTANT; x: ; y: (!important);"
            " z: !important; w: a !important b; u: 1 !important important; t: 1 !important!important; v: ]; --e:; left : 2 3;"
            " b{top:1} @media print{--n:;b{}top:2;right:3} bottom:4;c{}}"});
    static const struct {
        const char *property, *value;
        bool important;
    } cases[] = {{"color", "red", false}, {"--Xy", "{ a }", true}, {"margin", "0", true},
        {"y", "(!important)", false}, {"--e", "", false}, {"left", "2 3", false}};
    const css_rule *rule = &sheet->rules[0];
    CHECK_EQ(rule->declaration_count, HED_COUNT(cases));
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const css_declaration *d = &sheet->declarations[rule->first_declaration + i];
        CHECK_TEXT(hed_css_names_text(names, d->property, NULL), cases[i].property);
        CHECK_EQ(d->value_length, strlen(cases[i].value), "%s", cases[i].property);
        CHECK_BYTES(d->value, cases[i].value, d->value_length);
        CHECK_EQ(d->important, cases[i].important, "%s", cases[i].property);
    }
    CHECK(rule->info.important && !sheet->rules[1].info.important);
    /* b, and nested declarations, each behind the block before them */
    static const struct {
        const char *selector, *declarations;
        uint32_t count;
    } nested[] = {{"b", "b{top:1}", 1}, {"&", "--n:;", 1}, {"b", "b{}", 0},
        {"&", "top:2;right:3", 2}, {"&", "bottom:4;", 1}, {"c", "c{}", 0}};
    CHECK_EQ(hed_css_rule_count(sheet), 1 + HED_COUNT(nested));
    for (uint32_t i = 0; i < HED_COUNT(nested); i++) {
        hed_css_rule info = hed_css_rule_at(sheet, 1 + i);
        CHECK_BYTES(info.selector, nested[i].selector, info.selector_length);
        CHECK_EQ(info.end - info.begin, strlen(nested[i].declarations), "rule %u", i);
        CHECK_EQ(sheet->rules[1 + i].declaration_count, nested[i].count, "rule %u", i);
    }
    CHECK_EQ(hed_css_part_at(sheet, 3).rule, 2, "the part of --n");
}

Test(css_sheets, conditions)
{
    static const struct {
        const char *condition;
        bool holds;
    } cases[] = {{"@media", true}, {"@media all", true}, {"@media screen", true},
        {"@media SCREEN", true}, {"@media print", false}, {"@media not print", true},
        {"@media only screen", true}, {"@media only", false}, {"@media print, screen", true},
        {"@media print,", false}, {"@media ,screen", true}, {"@media nope(", false},
        {"@media (min-width: 1920px)", true}, {"@media (min-width: 1921px)", false},
        {"@media (max-width:1919.98px)", false}, {"@media (width >= 100em)", true},
        {"@media (width > 120em)", false}, {"@media (400px < width <= 1920px)", true},
        {"@media (400px < width < 1920px)", false}, {"@media (1px <= width < 9999px)", true},
        {"@media (400px > width < 1px)", false}, {"@media (1920px = width)", true},
        {"@media (width: 1920px)", true}, {"@media (width)", true},
        {"@media (width < = 1px)", false}, {"@media (min-width: 0)", true},
        {"@media (min-width: 5)", false}, {"@media (min-aspect-ratio: 16/9)", true},
        {"@media (aspect-ratio > 1.8)", false}, {"@media (orientation: landscape)", true},
        {"@media (orientation: sideways)", false}, {"@media not (orientation: sideways)", false},
        {"@media (color)", true}, {"@media (grid)", false}, {"@media (monochrome)", false},
        {"@media (min-resolution: 96dpi)", true}, {"@media (min-resolution: 2dppx)", false},
        {"@media (-webkit-min-device-pixel-ratio: 1.5)", false},
        {"@media (hover: hover) and (pointer: fine)", true},
        {"@media (hover) and (pointer: coarse)", false},
        {"@media (prefers-color-scheme: dark)", false}, {"@media (prefers-reduced-motion)", false},
        {"@media (prefers-reduced-motion: no-preference)", true},
        {"@media screen and (min-width:1px) and (max-width:9999px)", true},
        {"@media screen and (min-width:1px) or (color)", false}, {"@media screen (color)", false},
        {"@media not screen and (grid)", true}, {"@media not all and (nope)", false},
        {"@media (nope)", false}, {"@media not (nope)", false}, {"@media (nope) or (color)", true},
        {"@media (nope: x) and (color)", false}, {"@media ((color))", true},
        {"@media (not (grid))", true}, {"@media ((grid) or (color)) and (hover)", true},
        {"@media (color) and (hover) or (grid)", false},
        {"@media (color) or (grid) and (hover)", false}, {"@media not(color)", false},
        {"@media screen and(color)", false}, {"@media and", false},
        {"@media (min-width: calc(1px + 1px))", true}, {"@media (color", true},
        {"@media (color))", false}, {"@supports (display: grid)", true},
        {"@supports (nope: grid)", false}, {"@supports not (nope: grid)", true},
        {"@supports (--x: y)", true}, {"@supports (--x:)", true}, {"@supports (display:)", false},
        {"@supports ((display:grid) and (not (float:nope)))", true},
        {"@supports (display:grid) or (nope:x)", true},
        {"@supports (display:grid) and (nope:x)", false},
        {"@supports (display:grid) and (top:0) or (x:y)", false}, {"@supports display:grid", false},
        {"@supports (color: red !important)", true}, {"@supports (color: #12)", false},
        {"@supports (display: -ms-grid)", false}, {"@supports (width: calc(1px + (2px)))", true},
        {"@supports selector(a > b)", true}, {"@supports selector(:nope)", false},
        {"@supports selector(a, b)", false}, {"@supports not selector(:is(a))", false},
        {"@supports font-format(woff2)", true}, {"@supports font-tech(nope)", false},
        {"@supports nope(x)", false}, {"@supports not nope(x)", true}, {"@supports", false},
        {"@supports (-webkit-appearance: none)", true}, {"@supports (-ms-ime-align: auto)", false},

        {"@media (min-width:calc(1px + 1em))", true}, {"@media (width >= calc(10px * 2))", true},
        {"@media (width >= calc(10px*2))", true}, {"@media (min-width:100dvw)", true},
        {"@media (min-width:101dvw)", false}, {"@media (min-width:100svw)", true},
        {"@media (width:100vi)", true}, {"@media (min-height:100vb)", true},
        {"@media (width > 100vmax)", false}, {"@media (width >= 177vmin)", true},
        {"@media (min-width:1cap)", true}, {"@media (min-width:1rlh)", true},
        {"@media (min-width:1cqw)", true}, {"@media (min-width:1vq)", false},
        {"@media (min-width:calc(1px + 1))", false}, {"@media (min-width:min(1px,2em))", true},
        {"@media (min-width:max(1px, 1000em))", false},
        {"@media (min-width:clamp(1px,2px,3px))", true},
        {"@media (min-width:calc(1px +2px))", false}, {"@media (min-width:calc(1px - -2px))", true},
        {"@media (min-width:calc(20px / 2))", true}, {"@media (min-width:calc(1px * 1px))", false},
        {"@media (min-width:calc(1px / 0))", false}, {"@media (max-width:calc(1px / 0))", true},
        {"@media (min-resolution:calc(1dppx * 0.5))", true},
        {"@media (min-resolution:calc(1x + 1dpi))", false}, {"@media (color:calc(4 + 4))", true},
        {"@media (min-color:calc(1 + 0.4))", true}, {"@media (min-aspect-ratio:calc(3*2)/5)", true},
        {"@media (aspect-ratio > calc(1))", true}, {"@media (min-width:round(10px,3px))", true},
        {"@media (width:round(up,1919px,3px))", true}, {"@media (min-width:sign(-1px))", false},
        {"@media (min-width:calc(1px * sign(2)))", true}, {"@media (min-width:mod(5px,3px))", true},
        {"@media (min-width:hypot(3px,4px))", true},
        {"@media (min-width:calc(sqrt(4) * 1px))", true},
        {"@media (max-width:calc(infinity * 1px))", true},
        {"@media (400px < width <= calc(1920px + 0px))", true},
        {"@media (calc(1px) < width)", true}, {"@media not (min-width:env(x))", false},
        {"@media (min-width:CALC((1px + 1px) * 2))", true}, {"@media (min-width:calc())", false},
        {"@media (min-width:calc(1px 2px))", false}, {"@media (width:calc(50vw + 50dvw))", true},
        {"@media (min-width:calc(2 * 3))", false}, {"@media (orientation:calc(1))", false},
        {"@media (min-width:calc(1px) 2)", false},
        {"@media not (min-width:calc(1px * 1px))", false},
        {"@media not (min-width:calc(1px * 5000))", true}, {"@media (min-width:min(1px,1))", false},
        {"@media (grid:calc(0))", true}, {"@media (aspect-ratio:1px/2)", false},
        {"@supports (display:grid) and (not (display:nope))", true},
        {"@supports (display:nope)", false}, {"@supports not (float:nope)", true},
        {"@supports (display:inline flex)", true}, {"@supports (display:var(--x))", true},
        {"@supports (display:1px)", false}, {"@supports (position:sticky)", true},
        {"@supports (position:-webkit-sticky)", false}, {"@supports (text-align:nope)", false},
        {"@supports (overflow:clip hidden)", true}, {"@supports (display:INHERIT)", true},
        {"@supports (not (not (display:nope)))", false}, {"@starting-style", false}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, "%s{a{}}", cases[i].condition);
        const char *expected = cases[i].holds ? "M:a" : "-M:a";
        if (strchr(cases[i].condition, '(') && !strchr(cases[i].condition, ')')) expected = "";
        EXPECT_TEXT(line_of(text), expected, "%s", cases[i].condition);
    }
}

Test(css_sheets, another_medium)
{
    const char *text =
        "@media print { a{} } @media (width <= 600px) { b{} } @media (hover) { c{} }"
        "@media (prefers-color-scheme: dark) { d{} } @media (min-resolution: 2x) { e{} }";
    hed_css_sheet_def def = {.text = text,
        .medium = &(hed_css_medium){
            .type = "print", .width = 600, .height = 800, .resolution = 2, .dark = true}};
    read_sheet(def);
    static const bool expected[] = {true, true, false, true, true};
    for (uint32_t i = 0; i < 5; i++)
        CHECK_EQ(hed_css_rule_at(sheet, i).applies, expected[i], "%u", i);
    def.media = "screen, (width > 700px)";
    read_sheet(def);
    for (uint32_t i = 0; i < 5; i++) CHECK(!hed_css_rule_at(sheet, i).applies);
}

/* Rules' layers, in rising order. */
Test(css_sheets, layers)
{
    static const struct {
        const char *text;
        int layers[6];
    } cases[] = {{"a{} @layer x{b{}} c{}", {-1, 0, -1}},
        {"@layer y, x; @layer x{a{}} @layer y{b{}}", {1, 0}},
        {"@layer x{a{} @layer y{b{}} c{}}", {1, 0, 1}},
        {"@layer x.y{a{}} @layer x{b{} @layer y{c{}}}", {0, 1, 0}},
        {"@layer{a{}} @layer{b{}}", {0, 1}}, {"@layer x{a{}} @layer{b{}} @layer x{c{}}", {0, 1, 0}},
        {"@layer x, !; @layer z{a{}} @layer x{b{}}", {0, 1}}, {"@layer x y{a{}} b{}", {-1}},
        {"@layer x,y{a{}} b{}", {-1}}, {"@media print{@layer x{a{}}} @layer y{b{}}", {1, 0}},
        {"@media print{@layer x{a{}}} @layer y, x; @layer x{b{}}", {1, 1}},
        {"@media print{@layer y.x;} @layer z, y.w; @layer y.x{a{}} @layer y.w{b{}} @layer z{c{}}",
            {2, 1, 0}},
        {"@media screen{@layer x;} @layer y{a{}} @layer x{b{}}", {1, 0}},
        {"@starting-style{@layer x;} @layer y{a{}} @layer x{b{}}", {1, 0}},
        {"@import 'u' layer(x.y) print; @layer z{a{}} @layer x{b{}}", {0, 2}},
        {"@import 'u' layer(x.y); @layer z{a{}} @layer x{b{}}", {2, 1}},
        {"@layer inherit{a{}} @layer z{b{}}", {0}},
        {"a{@layer x{b{}} @layer y{color:red}}", {-1, 0, 1}},
        {"@layer b.c; @layer a; @layer b{a{}} @layer a{b{}}", {1, 2}}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        line_of(cases[i].text);
        for (uint32_t k = 0; k < hed_css_rule_count(sheet); k++)
            EXPECT_EQ((int)hed_css_rule_at(sheet, k).layer, cases[i].layers[k], "%s: rule %u",
                cases[i].text, k);
    }
}

Test(css_sheets, nesting)
{
    static const struct {
        const char *text, *line;
        uint32_t specificity; /* of the last rule */
    } cases[] = {{"a{b{}}", "M:a; M:b", 2}, {"a{&.b{}}", "M:a; M:&.b", 1 << 10 | 1},
        {"#a, b{& c{}}", "M:#a, b; M:& c", 1 << 20 | 1}, {"a{> b, + c{}}", "M:a; M:> b, + c", 2},
        {"a{.b &{}}", "M:a; M:.b &", 1 << 10 | 1}, {"a{:is(&, b) c{}}", "M:a; M::is(&, b) c", 2},
        {"a{:not(&){}}", "M:a; M::not(&)", 1}, {".a{&{&{&{}}}}", "M:.a; M:&; M:&; M:&", 1 << 10},
        {"a{&&&{}}", "M:a; M:&&&", 3}, {"a{@media screen{color:red;b{}}}", "M:a; M:&; M:b", 2},
        {"a{@media print{color:red}}", "M:a; -M:&", 1}, {"a{b{}color:red}", "M:a; M:b; M:&", 1},
        {"a{b{};x;c{}}", "M:a; M:b; M:c", 2},
        {"a,#b{c{}color:red;d{}top:0}", "M:a,#b; M:c; M:&; M:d; M:&", 1 << 20},
        {"a::before{b{}color:red}", "M:a::before; M:b; M:&", 2},
        {"a{@scope(x){color:red}top:0}", "M:a; M:&; M:&", 1},
        {"a{@media print{b{c{}}}}", "M:a; -M:b; -M:c", 3},
        {"a{@supports(x:0){b{}}}", "M:a; M:b", 2},
        {"a::before{&:hover{}}", "M:a::before; M:&:hover", 0},
        {":nope{b{}} c{}", "E::nope; M:c", 1}, {"a{:nope{b{}} c{}}", "M:a; E::nope; M:c", 2},
        {"a{@scope(x){b{}}}", "M:a; M:b", 1}, {"@container (width>1px){a{b{}}}", "U:a; U:b", 0},
        {":host{b{}}", "M::host; M:b", 1025}, {":host,a{b{}}", "M::host,a; M:b", 1025},
        {"a{b c;d{}}", "M:a; M:d", 2}, {"a{& > {} e{}}", "M:a; E:& >; M:e", 2},
        {"& a{}", "M:& a", 1}, {"> a{} b{}", "E:> a; M:b", 1}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        EXPECT_TEXT(line_of(cases[i].text), cases[i].line, "%s", cases[i].text);
        hed_css_rule last = hed_css_rule_at(sheet, hed_css_rule_count(sheet) - 1);
        if (cases[i].specificity)
            EXPECT_EQ(last.specificity, cases[i].specificity, "%s", cases[i].text);
    }
    /* each selector of a list is relative, or not, for itself */
    line_of("a { & b, c, > d {} }");
    for (uint32_t i = 0; i < 3; i++) {
        const css_complex *relative = &sheet->complexes[sheet->rules[1].list + i];
        CHECK_EQ(relative->count, 2, "selector %u", i);
        CHECK_EQ(sheet->compounds[relative->first + 1].combinator, i == 2 ? '>' : ' ');
    }
    /* `&` is the list itself, without selectors that have a pseudo-element */
    line_of("a, b::after, c { & d { e {} } }");
    const css_complex *complex = &sheet->complexes[sheet->rules[1].list];
    CHECK_EQ(complex->count, 2);
    const css_simple *is = &sheet->simples[sheet->compounds[complex->first].first];
    CHECK_EQ(is->kind, CSS_IS);
    CHECK_EQ(is->count, 2);
    const css_complex *inner = &sheet->complexes[sheet->rules[2].list];
    CHECK_EQ(inner->count, 2, "e behind &");
    is = &sheet->simples[sheet->compounds[inner->first].first];
    CHECK_EQ(is->list, sheet->rules[1].list);
}

Test(css_sheets, a_default_namespace)
{
    line_of("@namespace 'http://www.w3.org/2000/svg'; .a, *|b, c, :is(.d){}");
    static const uint32_t spaces[] = {
        1 + HED_CSS_SVG, HED_CSS_NONE, 1 + HED_CSS_SVG, 1 + HED_CSS_SVG};
    for (uint32_t i = 0; i < 4; i++) {
        const css_complex *complex = &sheet->complexes[sheet->rules[0].list + i];
        const css_compound *compound = &sheet->compounds[complex->first];
        const css_simple *type = &sheet->simples[compound->first];
        if (type->kind != CSS_TYPE) type += compound->count - 1; /* what was added is the last */
        CHECK(type->kind == CSS_UNIVERSAL || type->kind == CSS_TYPE);
        CHECK_EQ(type->name_space, spaces[i], "selector %u", i);
    }
    const css_complex *last = &sheet->complexes[sheet->rules[0].list + 3];
    const css_simple *is = &sheet->simples[sheet->compounds[last->first].first];
    const css_complex *inner = &sheet->complexes[is->list];
    CHECK_EQ(sheet->compounds[inner->first].count, 1, "the subject inside of a function has none");
}

/* ---- @import ---- */

static const char *import_one(void *user, uint32_t source, const char *url, size_t *length)
{
    static const struct {
        const char *url, *text;
    } texts[] = {{"one", "@namespace s 'http://www.w3.org/2000/svg'; s|a{} @layer in{b{}}"},
        {"two", "@import 'one'; c{} @import 'one';"}, {"self", "@import url(self); d{}"},
        {"empty", ""}};
    CHECK_LE(source, (uint32_t) * (int *)user, "a text that was given");
    ++*(int *)user;
    for (size_t i = 0; i < HED_COUNT(texts); i++)
        if (strcmp(url, texts[i].url) == 0) {
            *length = strlen(texts[i].text);
            return texts[i].text;
        }
    return NULL;
}

/* An @layer statement after an @import ends the imports, but not those before them. */
Test(css_sheets, imports_and_layers)
{
    static const struct {
        const char *text;
        int calls;
    } cases[] = {{"@import 'empty' layer(A);@layer Q;@import 'empty';", 1},
        {"@layer Q;@import 'empty';@import 'empty';", 2}, {"@layer a;@layer b;@import 'empty';", 1},
        {"@import 'empty';@layer !;@import 'empty';", 2}, {"@import;@layer a;@import 'empty';", 1},
        {"@import 'empty';@layer a{}@import 'empty';", 1}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        int calls = 0;
        read_sheet(
            (hed_css_sheet_def){.import = import_one, .user = &calls, .text = cases[i].text});
        EXPECT_EQ(calls, cases[i].calls, "%s", cases[i].text);
    }
    EXPECT_TEXT(line_of("@import 'x';@layer a;@namespace q 'x';q|b{}"), "M:q|b");
}

Test(css_sheets, imports)
{
    int calls = 0;
    hed_css_sheet_def def = {.import = import_one,
        .user = &calls,
        .text = "@charset 'x'; @layer first; @import 'two'; @import url(\"one\") layer(x.y) print;"
                "@import url(nowhere); @import 'one' supports(nope: x); @import 'empty' layer;"
                "@namespace t ''; e{} s|f{} @import 'one';"};
    read_sheet(def);
    static const struct {
        const char *selector;
        char validity;
        bool applies;
        int layer;
        uint32_t source;
    } rules[] = {{"s|a", 'M', true, -1, 2}, {"b", 'M', true, 1, 2}, {"c", 'M', true, -1, 1},
        {"s|a", 'M', false, 4, 3}, {"b", 'M', false, 3, 3}, {"s|a", 'M', false, -1, 4},
        {"b", 'M', false, 1, 4}, {"e", 'M', true, -1, 0}, {"s|f", 'E', true, -1, 0}};
    CHECK_EQ(calls, 6);
    CHECK_EQ(hed_css_rule_count(sheet), HED_COUNT(rules));
    for (uint32_t i = 0; i < HED_COUNT(rules); i++) {
        hed_css_rule rule = hed_css_rule_at(sheet, i);
        CHECK_BYTES(rule.selector, rules[i].selector, rule.selector_length, "rule %u", i);
        CHECK_EQ(rule.validity, rules[i].validity, "rule %u", i);
        CHECK_EQ(rule.applies, rules[i].applies, "rule %u", i);
        CHECK_EQ((int)rule.layer, rules[i].layer, "rule %u", i);
        CHECK_EQ(rule.source, rules[i].source, "rule %u", i);
    }
    /* a text that imports itself ends */
    def.text = "@import 'self'; a{}";
    read_sheet(def);
    CHECK_EQ(hed_css_rule_count(sheet), 17, "16 levels, and the sheet's own rule");
}

Test(css_sheets, what_is_no_style_rule)
{
    const char *text = "@font-face{src:url(x);font-family:\"Foo Bar\"}@keyframes spin{to{}}"
                       "@-webkit-keyframes 'x y'{to{}} @property --p{syntax:'*'} @page{margin:0}";
    read_sheet((hed_css_sheet_def){.text = text});
    static const struct {
        char kind;
        const char *name;
    } expected[] = {{'f', "Foo Bar"}, {'k', "spin"}, {'k', "x y"}, {'p', "--p"}, {'o', ""}};
    CHECK_EQ(sheet->part_count, HED_COUNT(expected));
    for (size_t i = 0; i < HED_COUNT(expected); i++) {
        CHECK_EQ(sheet->parts[i].info.kind, expected[i].kind);
        CHECK_TEXT(hed_css_names_text(names, sheet->parts[i].name, NULL), expected[i].name);
        CHECK_EQ(text[sheet->parts[i].info.begin], '@');
        CHECK_EQ(text[sheet->parts[i].info.end - 1], '}');
    }
}

static void count_declaration(void *user, const css_declaration *declaration)
{
    *(uint32_t *)user += 1 + declaration->important;
}

Test(css_sheets, declarations_of_a_style_attribute)
{
    uint32_t count = 0;
    const char *text = "color:red; top : 0 !important; x; y:; {z:1} left:} 2; right:3";
    line_of("");
    CHECK(css_read_declarations(names, text, strlen(text), count_declaration, &count));
    CHECK_EQ(count, 4);
}

/* ---- hostile text ---- */

static char *repeated(const char *unit, size_t count, const char *end, size_t *length)
{
    size_t size = strlen(unit);
    *length = size * count + strlen(end);
    char *text = malloc(*length + 1);
    CHECK_NOT_NULL(text);
    for (size_t i = 0; i < count; i++) memcpy(text + i * size, unit, size);
    strcpy(text + size * count, end);
    return text;
}

Test(css_sheets, hostile_text_is_read_in_linear_time, .timeout = 600)
{
    static const char *const units[] = {"(", "[", "{", "a{", "a{b:c{", ":is(", ":not(:is(",
        "a{--x:{", "@media(", "@media{", "@layer{", "@layer a{", "a.b ", "a>", "@import'a';", "\\",
        "/*", "\"", "url(", "a{}", "a:nope{", "@supports(not(", ":has(", "[a", "&{", "@layer a.",
        "!", "a,", "\377", "a{x:y}}", ":is(!,", "@layer a,", "#", ":nth-child(2n of ", "-"};
    static const char *const ends[] = {"", "{}", "){} b{}"};
    for (size_t i = 0; i < HED_COUNT(units); i++)
        for (size_t k = 0; k < HED_COUNT(ends); k++) {
            size_t length;
            char *text = repeated(units[i], 50000, ends[k], &length);
            read_sheet((hed_css_sheet_def){.text = text, .length = length});
            CHECK_LE(hed_css_rule_count(sheet), 50002, "%s", units[i]);
            free(text);
        }
}

Test(css_sheets, long_selectors_and_lists)
{
    size_t length;
    char *text = repeated(".a > ", 10000, "b{}", &length);
    read_sheet((hed_css_sheet_def){.text = text, .length = length});
    CHECK_EQ(sheet->complexes[sheet->rules[0].list].count, 10001);
    free(text);
    text = repeated(".a,", 100000, "b{}", &length);
    read_sheet((hed_css_sheet_def){.text = text, .length = length});
    CHECK_EQ(sheet->rules[0].count, 100001);
    free(text);
    text = repeated(".a{", 1000, "", &length);
    read_sheet((hed_css_sheet_def){.text = text, .length = length});
    CHECK_LE(hed_css_rule_count(sheet), 256);
    CHECK_EQ(hed_css_rule_at(sheet, 255 - 1).validity, HED_CSS_UNSUPPORTED, "too deep for `&`");
    free(text);
}

Test(css_sheets, a_sheet_as_large_as_a_framework)
{
    size_t length;
    char *text = css_generate(3560, false, 1, &length);
    read_sheet((hed_css_sheet_def){.text = text, .length = length});
    CHECK_EQ(hed_css_rule_count(sheet), 3560);
    for (uint32_t i = 0; i < 3560; i++)
        CHECK_EQ(
            hed_css_rule_at(sheet, i).validity, HED_CSS_VALID, "%s", sheet->rules[i].info.reason);
    free(text);
}

/* ---- faults ---- */

static hed_status read_everything(const hed_allocator *allocator, hed_error *error)
{
    static const char text[] =
        "@layer a, b.c; @import 'two' layer(q); @namespace s 'http://www.w3.org/2000/svg';"
        "a\\62 > .b:is(.c, !, .d e):focus-within:nth-child(2n of .f), s|g[h=i]:lang(de){x:y;--z:{};"
        "& i::before{top:0!important} @media screen{left:0} @layer w{b{}}} :nope{} @supports(x:0){j{}}"
        "@font-face{font-family:x} @keyframes y{} :has(> k){}";
    int calls = 0;
    hed_css_names *own = NULL;
    hed_css_sheet *made = NULL;
    hed_css_names_create(allocator, &own, error);
    hed_status status = hed_css_sheet_create(own,
        &(hed_css_sheet_def){.text = text,
            .length = sizeof text - 1,
            .import = import_one,
            .user = &calls,
            .media = "screen"},
        &made, error);
    if (status == HED_OK) CHECK_EQ(hed_css_rule_count(made), 10);
    hed_css_sheet_destroy(made);
    hed_css_names_destroy(own);
    return status;
}

Test(css_sheets, every_allocation_may_fail)
{
    hed_error error = {0};
    OK(read_everything(NULL, &error));
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        error = (hed_error){0};
        hed_status status = read_everything(&allocator, &error);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        if (memory.calls < at) {
            CHECK_EQ(status, HED_OK);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        CHECK_EQ(error.status, HED_ERROR_MEMORY);
        refused++;
    }
    CHECK_GE(refused, 20);
}

Test(css_sheets, wrong_arguments)
{
    hed_error error = {0};
    hed_css_sheet *made;
    line_of("");
    FAILS(HED_ERROR_ARGUMENT, hed_css_sheet_create(names, NULL, &made, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_sheet_create(names, &(hed_css_sheet_def){0}, NULL, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_css_sheet_create(names, &(hed_css_sheet_def){.length = 1}, &made, &error));
    error = (hed_error){0};
    OK(hed_css_sheet_create(names, &(hed_css_sheet_def){0}, &made, &error));
    CHECK_EQ(hed_css_rule_count(made), 0);
    hed_css_sheet_destroy(made);
}
