/* The cascade: closed cases of Cascade 5, random sheets against a sort of all declarations, what is
 * dropped, and what runs out. */
#include <stdlib.h>

#include "model/document.h"
#include "model/properties.h"
#include "model/selector.h"
#include "testing.h"

enum { MOST_SHEETS = 3 };

static hed_css_names *names;
static hed_css_document *page;
static hed_css_sheet *sheets[MOST_SHEETS];
static uint32_t sheet_count;
static hed_css_matcher *matcher;

static void open_names(void)
{
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &names, &error));
}

static void close_site(void)
{
    hed_css_matcher_destroy(matcher);
    for (uint32_t i = 0; i < sheet_count; i++) hed_css_sheet_destroy(sheets[i]);
    hed_css_document_destroy(page);
    matcher = NULL;
    page = NULL;
    sheet_count = 0;
}

static void close_names(void)
{
    close_site();
    hed_css_names_destroy(names);
}

TestSuite(css_cascade, .init = open_names, .fini = close_names);

static void add_sheet(const char *text, hed_css_origin origin)
{
    hed_error error = {0};
    hed_css_sheet_def def = {.text = text, .length = strlen(text), .origin = origin};
    OK(hed_css_sheet_create(names, &def, &sheets[sheet_count++], &error));
}

static void match_page(const char *html)
{
    hed_error error = {0};
    OK(hed_css_document_create(names, &(hed_css_document_def){.html = html}, &page, &error));
    hed_css_matcher_def def = {
        .documents = &page, .document_count = 1, .sheets = sheets, .sheet_count = sheet_count};
    OK(hed_css_matcher_create(NULL, &def, &matcher, &error));
    OK(hed_css_match(matcher, &error));
}

/* Winner of the first paragraph: a rule, -1 for none, -2 for its style attribute. */
static int winner_of(const char *property)
{
    hed_error error = {0};
    static uint32_t winners[4096];
    CHECK_LT(page->count, HED_COUNT(winners));
    OK(hed_css_cascade(matcher, property, winners, &error));
    uint32_t e = 0;
    while (strcmp(hed_css_names_text(names, page->tag[e], NULL), "p") != 0) e++;
    return winners[e] == HED_CSS_NONE ? -1 : winners[e] == HED_CSS_OWN_STYLE ? -2 : (int)winners[e];
}

/* `sheets` up to three, of the author but for a letter in front: "u:" the user's, "b:" the
 * browser's. */
static int cascade_of(const char *const *texts, const char *style, const char *property)
{
    char html[256];
    for (int i = 0; i < MOST_SHEETS && texts[i]; i++) {
        bool other = texts[i][0] && texts[i][1] == ':';
        add_sheet(texts[i] + 2 * other, !other               ? HED_CSS_AUTHOR
                                        : texts[i][0] == 'u' ? HED_CSS_USER
                                                             : HED_CSS_USER_AGENT);
    }
    snprintf(html, sizeof html, "<!doctype html><body><p id=i class=c style='%s'>1</p>", style);
    match_page(html);
    int winner = winner_of(property);
    close_site();
    return winner;
}

Test(css_cascade, closed_cases)
{
    static const struct {
        const char *sheets[MOST_SHEETS];
        const char *style;
        int winner;
    } cases[] = {
        {{"p{color:aqua} p{color:blue}"}, "", 1},
        {{"#i{color:aqua} p.c{color:blue}"}, "", 0},
        {{"p{color:aqua;color:blue} q{color:cyan}"}, "", 0},
        {{"p{color:aqua!important} #i{color:blue}"}, "", 0},
        {{"p{top:0} q{color:blue}"}, "", -1},
        {{"p,#i{color:aqua} .c{color:blue}"}, "", 0},
        {{"p,q#i{color:aqua} .c{color:blue}"}, "", 1},
        {{"p,#i::before{color:aqua} .c{color:blue}"}, "", 1},
        {{"#i::before{color:aqua}"}, "", -1},
        {{"p::before{color:aqua;& {color:blue}}"}, "", -1},
        /* nested declarations: a rule at their place, with the selectors of the style rule */
        {{"p{color:aqua;&{color:blue}color:cyan}"}, "", 2},
        {{"p{@media screen{color:aqua}color:blue}"}, "", 2},
        {{"p{color:aqua;@media screen{color:blue;&{color:cyan}color:darkred}}"}, "", 3},
        {{"p{color:aqua;@media print{color:blue}color:cyan;&{top:0}left:0}"}, "", 2},
        {{"p{color:aqua;@media screen{color:blue}left:0}"}, "", 1},
        {{"p{@layer x{color:aqua}color:blue}"}, "", 2},
        {{"p{&{color:aqua}@layer{color:blue}}"}, "", 1},
        {{"p{color:aqua;:nope{}color:blue;&{color:cyan}}"}, "", 2},
        {{"p{&{color:aqua}color:blue!important;&{color:cyan!important}}"}, "", 3},
        {{"p,q#i{@media screen{color:aqua}} .c{color:blue}"}, "", 2},
        {{"p,q#i{&{color:aqua}} .c{color:blue}"}, "", 1},
        {{"p,#i{&{top:0}color:aqua} .c{color:blue}"}, "", 2},
        {{"p::before,p{@media screen{color:aqua}}"}, "", 1},
        {{"p::before{&{top:0}color:aqua}"}, "", -1},
        {{":is(q,#i){color:aqua} .c{color:blue}"}, "", 0},
        {{":where(#i){color:aqua} p{color:blue}"}, "", 1},
        /* origins */
        {{"p{color:aqua}", "u:p{color:blue}", "b:p{color:cyan}"}, "", 0},
        {{"p{color:aqua!important}", "u:p{color:blue!important}", "b:p{color:cyan}"}, "", 1},
        {{"p{color:aqua!important}", "u:p{color:blue!important}", "b:p{color:cyan!important}"}, "", 2},
        {{"b:#i{color:aqua}", "p{color:blue}"}, "", 1},
        /* style attributes */
        {{"#i{color:aqua}"}, "color:blue", -2},
        {{"p{color:aqua!important}"}, "color:blue", 0},
        {{"#i{color:aqua!important}"}, "color:blue!important", -2},
        {{"u:p{color:aqua!important}"}, "color:blue!important", 0},
        {{"p{color:aqua}"}, "top:0", 0},
        /* layers */
        {{"@layer a,b;@layer b{p{color:aqua}}@layer a{#i{color:blue}}"}, "", 0},
        {{"@layer a{#i{color:aqua}}p{color:blue}"}, "", 1},
        {{"@layer a,b;@layer b{p{color:aqua!important}}@layer a{p{color:blue!important}}"}, "", 1},
        {{"@layer a{p{color:aqua!important}}#i{color:blue!important}"}, "", 0},
        {{"@layer a{@layer x{#i{color:aqua}}p{color:blue}}"}, "", 1},
        {{"@layer a{p{color:aqua}}@layer a.x{#i{color:blue}}"}, "", 0},
        {{"@layer a{p{color:aqua!important}}@layer a.x{p{color:blue!important}}"}, "", 1},
        {{"@layer{p{color:aqua}}@layer{p{color:blue}}"}, "", 1},
        {{"@layer b,a;", "@layer a{p{color:aqua}}", "@layer b{#i{color:blue}}"}, "", 0},
        {{"@layer b{#i{color:aqua}}", "@layer a{p{color:blue}}", "@layer b{#i{color:cyan}}"}, "", 1},
        {{"@media print{@layer b;}@layer a,b;@layer b{p{color:aqua}}@layer a{p{color:blue}}"}, "", 0},
        {{"@media print{@layer b;}", "@layer a,b;@layer b{p{color:aqua}}@layer a{p{color:blue}}"}, "", 0},
        {{"u:@layer a,b;", "@layer b{p{color:aqua}}@layer a{p{color:blue}}"}, "", 1},
        {{"@layer a{p{color:aqua!important}}"}, "color:blue!important", -2},
        /* conditions */
        {{"p{color:aqua}@media print{#i{color:blue}}"}, "", 0},
        {{"p{color:aqua}@media screen{@supports (color:red){p{color:blue}}}"}, "", 1},
        {{"p{color:aqua}@supports (colour:red){p{color:blue}}"}, "", 0},
        /* what rolls back */
        {{"p{color:aqua}", "u:p{color:blue}", "#i{color:revert}"}, "", 1},
        {{"p{color:aqua}#i{color:revert}"}, "", -1},
        {{"p{color:aqua!important}", "u:p{color:blue}", "b:p{color:cyan}"}, "color:revert!important", 1},
        {{"u:p{color:revert}", "b:p{color:cyan}"}, "", 1},
        {{"b:p{color:aqua} p{color:revert}"}, "", -1},
        {{"@layer a,b;@layer a{p{color:aqua}}@layer b{p{color:revert-layer}}"}, "", 0},
        {{"@layer a{p{color:aqua}}p{color:blue}#i{color:revert-layer}"}, "", 0},
        {{"p{color:aqua}"}, "color:revert-layer", 0},
        {{"p{color:aqua}"}, "color:revert", -1},
        {{"p{color:aqua}"}, "color:revert-layer!important", 0},
        {{"@layer a{p{color:aqua}}p{color:revert-layer!important}"}, "color:blue", 0},
        {{"@layer a,b;@layer b{p{color:revert-layer!important}}@layer a{p{color:aqua}}p{color:blue}"},
            "", 1},
        {{"@layer a,b;@layer a{p{color:revert-layer!important}p{color:aqua}}@layer b{p{color:blue}}"},
            "", -1},
        {{"p{color:aqua}#i{color:revert-layer}", "u:p{color:blue}"}, "", 2},
        {{"p{color:aqua}#i{color:inherit}"}, "", 1},
        {{"p{color:aqua}#i{color:Revert}"}, "", -1},
        {{"p{color:aqua}#i{color:revert x}"}, "", 0},
        /* shorthands, names, values */
        {{"p{color:aqua}#i{all:unset}"}, "", 1},
        {{"p{color:aqua}#i{all:red}"}, "", 0},
        {{"p{color:aqua}#i{COLOR:blue}"}, "", 1},
        {{"p{color:aqua}#i{color:}"}, "", 0},
        {{"p{color:aqua}#i{color:#12}"}, "", 0},
        {{"p{color:aqua}#i{color:var(--x)}"}, "", 1},
        {{"p{color:aqua}#i{color:blue;;color:-moz-c}"}, "", 1},
        {{"p{color:aqua}#i{color:-moz-c}"}, "", 0},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_EQ(cascade_of(cases[i].sheets, cases[i].style, "color"), cases[i].winner,
            "%s %s %s, style=\"%s\"", cases[i].sheets[0],
            cases[i].sheets[1] ? cases[i].sheets[1] : "",
            cases[i].sheets[2] ? cases[i].sheets[2] : "", cases[i].style);
}

Test(css_cascade, shorthands_and_names)
{
    static const struct {
        const char *text, *property;
        int winner;
    } cases[] = {
        {"p{margin:0}p{margin-left:0}p{margin-top:0}", "margin-left", 1},
        {"p{margin-left:0}p{margin:0}", "margin-left", 1},
        {"p{margin-left:0}p{margin-inline:0}", "margin-left", 1},
        {"p{border-image-source:none}p{border:0}", "border-image-source", 1},
        {"p{border-top-color:red}p{border-color:red}p{border-bottom:0}", "border-top-color", 1},
        {"p{font-variant-caps:normal}p{font:12px x}", "font-variant-caps", 1},
        {"p{font-palette:normal}p{font:12px x}", "font-palette", 0},
        {"p{grid-row-end:1}p{grid-area:a}", "grid-row-end", 1},
        {"p{-webkit-transform:none}", "transform", 0},
        {"p{transform:none}", "-webkit-transform", 0},
        {"p{-webkit-line-clamp:2}", "-webkit-line-clamp", 0},
        {"p{word-wrap:normal}", "overflow-wrap", 0},
        {"p{page-break-after:always}", "break-after", 0},
        {"p{--a:1}p{--A:2}", "--a", 0},
        {"p{--a:1}p{--a:revert}", "--a", -1},
        {"p{--a:1}p{all:unset}", "--a", 0},
        {"p{--a:}", "--a", 0},
        {"p{--a: -moz-x progid:y}", "--a", 0},
        {"p{direction:ltr}p{all:unset}", "direction", 0},
        {"p{Color:red}", "COLOR", 0},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const char *text[MOST_SHEETS] = {cases[i].text};
        EXPECT_EQ(cascade_of(text, "", cases[i].property), cases[i].winner, "%s: %s", cases[i].text,
            cases[i].property);
    }
}

Test(css_cascade, values_that_are_none)
{
    static const struct {
        const char *property, *value;
        bool possible, in_quirks;
    } cases[] = {
        {"color", "red", true, true},
        {"color", "#abc", true, true},
        {"color", "#abcde", false, false},
        {"color", "#ggg", false, false},
        {"width", "10px\\9", false, false},
        {"width", "10", false, true},
        {"width", "0", true, true},
        {"width", "calc(2 * 3px)", true, true},
        {"line-height", "1.5", true, true},
        {"filter", "alpha(opacity=50)", false, false},
        {"filter", "progid:x.y(z)", false, false},
        {"color", "inherit red", false, false},
        {"color", "inherit", true, true},
        {"--x", "inherit red : {", true, true},
        {"display", "-ms-flexbox", false, false},
        {"font-family", "-ms-x", true, true},
        {"background", "-moz-linear-gradient(red, blue)", false, false},
        {"background", "url(x:y) no-repeat", true, true},
        {"width", "var(--x) = 1", true, true},
        {"all", "unset", true, true},
        {"all", "red", false, false},
        {"all", "unset unset", false, false},
        {"grid-template-columns", "[a] 1fr minmax(10px, 1fr)", true, true},
        {"width", "expression(1)", false, false},
        {"margin", "1 2px", false, true},
        {"transition", "-moz-transform 1s", true, true},
        {"font", "12px/1.5 x", true, true},
        {"aspect-ratio", "16 / 9", true, true},
        {"margin", "-1px auto", true, true},
        {"color", "rgb(1 2 3 / 50%)", true, true},
        {"width", "3px + 4px", false, false},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        for (int quirks = 0; quirks < 2; quirks++)
            EXPECT_EQ(css_value_valid(
                          cases[i].property, cases[i].value, strlen(cases[i].value), quirks, NULL),
                quirks ? cases[i].in_quirks : cases[i].possible, "%s: %s, quirks %d",
                cases[i].property, cases[i].value, quirks);
}

Test(css_cascade, properties_are_sorted_and_shorthands_set_known_ones)
{
    const char *name;
    for (uint32_t i = 0; (name = css_property_at(i)); i++) {
        EXPECT(css_property_known(name), "%s", name);
        const char *real = css_property_of(name), *sets = css_shorthand(real);
        EXPECT(css_property_known(real), "%s", real);
        EXPECT_TEXT(css_property_of(real), real);
        for (; sets && *sets; sets += strcspn(sets, " "), sets += *sets == ' ') {
            char word[64];
            snprintf(word, sizeof word, "%.*s", (int)strcspn(sets, " "), sets);
            EXPECT(css_property_known(word), "%s sets %s", real, word);
            EXPECT_TEXT(css_property_of(word), word);
        }
    }
}

/* ---- one element ---- */

struct told {
    char text[2048];
    size_t used;
};

static void tell(void *user, const hed_css_declaration *d)
{
    static const char *const standings[] = {"", " off", " no property", " no value", " empty"};
    struct told *told = user;
    told->used += (size_t)snprintf(told->text + told->used, sizeof told->text - told->used,
        "%s%s%s%d %s=%.*s%s %u/%u%s", told->used ? "; " : "", d->pseudo_element,
        d->pseudo_element[0] ? " " : "", d->rule == HED_CSS_OWN_STYLE ? -2 : (int)d->rule,
        d->property, (int)d->value_length, d->value, d->important ? "!" : "", d->wins, d->sets,
        standings[d->standing]);
}

Test(css_cascade, explanations)
{
    static const struct {
        const char *sheet, *style, *told;
    } cases[] = {
        {"p{top:0}#i{top:1px;left:0}", "", "1 left=0 1/1; 1 top=1px 1/1; 0 top=0 0/1"},
        {"p{margin:0 1px!important}p{margin-left:2px;margin-top:3px}", "margin-left:4px",
            "0 margin=0 1px! 4/4; -2 margin-left=4px 0/1; 1 margin-top=3px 0/1; "
            "1 margin-left=2px 0/1"},
        {"p{}p,p::before{top:0}#i::before,#i::after{top:1px}", "",
            "1 top=0 1/1; 0 = 0/0 empty; before 2 top=1px 1/1; before 1 top=0 0/1; "
            "after 2 top=1px 1/1"},
        {"p{tops:0;top:red\\9;--a:b}@media print{p{top:0}}q{top:0}", "",
            "1 top=0 0/1 off; 0 --a=b 1/1; 0 top=red\\9 0/1 no value; 0 tops=0 0/0 no property"},
        {"@layer a{p{top:0}}p{top:revert-layer}", "top:revert-layer",
            "-2 top=revert-layer 1/1; 1 top=revert-layer 1/1; 0 top=0 1/1"},
        {"@layer a,b;@layer b{p{top:revert-layer!important}}@layer a{p{top:0}}p{top:1px}", "",
            "0 top=revert-layer! 1/1; 2 top=1px 0/1; 1 top=0 1/1"},
        {"p{--a:1;--a:2}", "--a:3", "-2 --a=3 1/1; 0 --a=2 0/1; 0 --a=1 0/1"},
        {"q{top:0}", "", ""},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        struct told told = {0};
        hed_error error = {0};
        char html[256];
        uint32_t found, count;
        snprintf(
            html, sizeof html, "<!doctype html><body><b>1</b><p id=i style='%s'>2", cases[i].style);
        add_sheet(cases[i].sheet, HED_CSS_AUTHOR);
        match_page(html);
        OK(hed_css_select(page, "p", &found, 1, &count, &error));
        CHECK_EQ(count, 1);
        OK(hed_css_explain(matcher, found, tell, &told, &error));
        EXPECT_TEXT(told.text, cases[i].told);
        close_site();
    }
}

/* The reasons of each step of the cascade. */
struct reasons {
    char text[1024];
    size_t used;
};

static void tell_reason(void *user, const hed_css_declaration *d)
{
    static const char words[] = "-itsLSnor";
    struct reasons *told = user;
    told->used += (size_t)snprintf(told->text + told->used, sizeof told->text - told->used,
        "%s%d%c%d", told->used ? " " : "", (int)d->rule, words[d->defeat], (int)d->winner);
}

Test(css_cascade, reasons_of_defeats)
{
    static const struct {
        const char *sheet, *style, *told;
    } cases[] = {
        {"p{top:0}p{top:1px}", "", "1--1 0o1"},
        {"p{top:0;top:1px}", "", "0--1 0o0"},
        {"#i{top:0}p{top:1px}", "", "0--1 1S0"},
        {"@layer a{#i{top:0}}p{top:1px}", "", "1--1 0L1"},
        {"p{top:0!important}#i{top:1px}", "", "0--1 1i0"},
        {"#i{top:0}", "top:1px", "-2--1 0s-2"},
        {"p{top:0}#i{top:revert-layer}p{top:x}", "", "1--1 2--1 0r1"},
        {"p{margin:0}p{margin-left:1px}", "", "1--1 0o1"},
        {"@scope(body){p{top:0}}@scope(html){p{top:1px}}p{top:2px}", "", "0--1 1n0 2n0"},
        {"@scope(body){p{top:0}}@scope(html){:scope p{top:1px}}", "", "1--1 0S1"},
        {"@scope(p){top:0}@layer a{@scope(p){&{top:1px!important}}}", "", "1--1 0i1"},
        {"p{margin-inline-start:0}p{margin-left:1px}", "", "1--1 0o1"},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char html[256];
        hed_error error = {0};
        uint32_t found, count;
        struct reasons told = {0};
        snprintf(html, sizeof html, "<!doctype html><body><p id=i style='%s'>1", cases[i].style);
        add_sheet(cases[i].sheet, HED_CSS_AUTHOR);
        match_page(html);
        OK(hed_css_select(page, "p", &found, 1, &count, &error));
        OK(hed_css_explain(matcher, found, tell_reason, &told, &error));
        EXPECT_TEXT(told.text, cases[i].told, "%s %s", cases[i].sheet, cases[i].style);
        close_site();
    }
}

/* Logical properties in each writing mode. */
Test(css_cascade, logical_and_physical_properties_are_one)
{
    static const struct {
        const char *style, *logical, *physical;
    } cases[] = {
        {"", "margin-inline-start", "margin-left"},
        {"", "inset-block-end", "bottom"},
        {"", "inline-size", "width"},
        {"", "border-start-end-radius", "border-top-right-radius"},
        {"", "overflow-block", "overflow-y"},
        {"direction:rtl", "margin-inline-start", "margin-right"},
        {"direction:rtl", "border-start-start-radius", "border-top-right-radius"},
        {"writing-mode:vertical-rl", "margin-block-start", "margin-right"},
        {"writing-mode:vertical-rl", "border-inline-start-color", "border-top-color"},
        {"writing-mode:vertical-rl", "border-start-start-radius", "border-top-right-radius"},
        {"writing-mode:vertical-lr", "max-inline-size", "max-height"},
        {"writing-mode:sideways-lr", "padding-inline-start", "padding-bottom"},
        {"writing-mode:sideways-lr;direction:rtl", "padding-inline-start", "padding-top"},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char html[256], sheet[256];
        hed_error error = {0};
        uint32_t winners[8];
        const char *wide[] = {"inherit", "unset"};
        for (int swapped = 0; swapped < 2; swapped++) {
            snprintf(html, sizeof html, "<!doctype html><body style='%s'><p>1", cases[i].style);
            snprintf(sheet, sizeof sheet, "p{%s:%s}p{%s:%s}",
                swapped ? cases[i].physical : cases[i].logical, wide[0],
                swapped ? cases[i].logical : cases[i].physical, wide[1]);
            add_sheet(sheet, HED_CSS_AUTHOR);
            match_page(html);
            OK(hed_css_cascade(matcher, cases[i].physical, winners, &error));
            EXPECT_EQ(winners[page->count - 1], 1, "%s: %s", cases[i].style, sheet);
            OK(hed_css_cascade(matcher, cases[i].logical, winners, &error));
            EXPECT_EQ(winners[page->count - 1], 1, "%s: %s", cases[i].style, sheet);
            close_site();
        }
    }
}

/* What an explanation says wins one longhand is what the cascade says. */
Test(css_cascade, explanations_are_the_cascade)
{
    hed_error error = {0};
    uint32_t winners[8];
    add_sheet("@layer a{p{color:red}}p,#i{all:unset}.c{color:blue!important;top:0}p{color:red}"
              "p::before{color:y}",
        HED_CSS_AUTHOR);
    match_page("<!doctype html><body><p id=i>1<p class=c>2<p style='color:revert-layer'>3");
    OK(hed_css_cascade(matcher, "color", winners, &error));
    for (uint32_t e = 0; e < page->count; e++) {
        struct told told = {0};
        char wanted[32];
        OK(hed_css_explain(matcher, e, tell, &told, &error));
        snprintf(wanted, sizeof wanted, "%d ", (int)winners[e]);
        if (winners[e] == HED_CSS_NONE) EXPECT_TEXT(told.text, "");
        else EXPECT(strstr(told.text, wanted), "element %u: %d, %s", e, (int)winners[e], told.text);
    }
    EXPECT_EQ(winners[3], 1);
    EXPECT_EQ(winners[4], 2);
    EXPECT_EQ(winners[5], 3);
}

Test(css_cascade, selections)
{
    hed_error error = {0};
    uint32_t found[4], count;
    match_page("<!doctype html><body><p id=i>1<p class=c>2<p>3<b>4</b>");
    OK(hed_css_select(page, " p ", found, 2, &count, &error));
    EXPECT_EQ(count, 3);
    EXPECT_EQ(found[1], 4);
    OK(hed_css_select(page, "p:has(b), #i::before", NULL, 0, &count, &error));
    EXPECT_EQ(count, 2);
    OK(hed_css_select(page, "a:hover", NULL, 0, &count, &error));
    EXPECT_EQ(count, 0);
    static const char *const wrong[] = {
        "", "p[", "p{", "p{}q", "}", "p:nope", "@media x", "p,", "/*"};
    for (size_t i = 0; i < HED_COUNT(wrong); i++) {
        FAILS(HED_ERROR_FORMAT, hed_css_select(page, wrong[i], found, 4, &count, &error));
        EXPECT(strstr(error.text, "no selector"), "%s", error.text);
    }
    OK(hed_css_select(page, ":host", found, 4, &count, &error));
    EXPECT_EQ(count, 0, "no shadow root");
    FAILS(HED_ERROR_ARGUMENT, hed_css_select(page, NULL, found, 4, &count, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_select(page, "p", NULL, 4, &count, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_explain(matcher, 99, tell, NULL, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_explain(matcher, 0, NULL, NULL, &error));
}

/* ---- random sheets against a sort of all declarations ---- */

static uint64_t drawn;
static uint32_t pick(uint32_t below) { return hed_sample_word(23, 0, drawn++) % below; }

/* A declaration as it was written, with what the cascade sorts by. */
typedef struct written {
    uint32_t sheet, rule, order; /* rule of its sheet; HED_CSS_OWN_STYLE: style attribute `order` */
    int origin, layer; /* layer: its rank; above all of them: none, then style attributes */
    bool important, applies, possible;
    css_wide wide;
} written;

static written all[1024];
static uint32_t all_count;

static const struct {
    const char *text;
    bool possible;
    css_wide wide;
} values[] = {{"color: red", true, CSS_NO_KEYWORD}, {"color: blue", true, CSS_NO_KEYWORD},
    {"all: unset", true, CSS_KEYWORD}, {"color: revert", true, CSS_REVERT},
    {"color: revert-layer", true, CSS_REVERT_LAYER}, {"color: #12", false, CSS_NO_KEYWORD},
    {"color: inherit", true, CSS_KEYWORD}, {"all: revert-layer", true, CSS_REVERT_LAYER}};

static void write_declaration(char *text, size_t size, written about)
{
    uint32_t v = pick(HED_COUNT(values) + 4);
    if (v >= HED_COUNT(values)) v = 0;
    about.important = pick(4) == 0;
    about.possible = values[v].possible;
    about.wide = values[v].wide;
    about.order = all_count;
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s; top: 0; ", values[v].text,
        about.important ? " !important" : "");
    all[all_count++] = about;
}

/* Layers are named in this order, so their ranks are known: a.x, a, b, none. */
static const char *const layers[] = {"a.x", "a", "b"};

static void random_sheet(uint32_t sheet, int origin)
{
    static const char *const selectors[] = {"p", ".a", ".b", "#i", "div p", "p.a.b", "p::before",
        "body > .a", ":is(#i, .b)", ":where(.a)", "*", "p:first-child", "span .b", "#i.a"};
    static const char *const conditions[] = {
        "@media print {", "@media screen {", "@supports (nope:y) {"};
    char text[16384] = "@layer a.x, a, b; ";
    for (uint32_t rule = 0; rule < 12; rule++) {
        uint32_t layer = pick(6), condition = pick(8), count = 1 + pick(3);
        written about = {sheet, rule, 0, origin, layer < 3 ? (int)layer : 3, false,
            condition == 1 || condition > 2, false, CSS_NO_KEYWORD};
        size_t used = strlen(text);
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s", condition < 3 ? conditions[condition] : "");
        if (layer < 3)
            used += (size_t)snprintf(text + used, sizeof text - used, "@layer %s {", layers[layer]);
        for (uint32_t s = 0; s < count; s++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", s ? ", " : "",
                selectors[pick(HED_COUNT(selectors))]);
        snprintf(text + used, sizeof text - used, " { ");
        for (uint32_t d = 1 + pick(2); d--;) write_declaration(text, sizeof text, about);
        used = strlen(text);
        snprintf(text + used, sizeof text - used, "}%s%s\n", layer < 3 ? "}" : "",
            condition < 3 ? "}" : "");
    }
    add_sheet(text, (hed_css_origin)origin);
}

/* Specificity with which a declaration's rule matches an element, plus 1; 0: it does not. */
static uint32_t naive_specificity(const written *w, uint32_t element)
{
    const hed_css_sheet *sheet = sheets[w->sheet];
    const css_rule *rule = &sheet->rules[w->rule];
    uint32_t found = 0;
    for (uint32_t k = 0; k < rule->count; k++) {
        const css_complex *x = &sheet->complexes[rule->list + k];
        bool pseudo = sheet->compounds[x->first + x->count - 1].pseudo_element != CSS_NONE;
        if (!pseudo && x->specificity + 1 > found &&
            css_naive_match(sheet, page, rule->list + k, element))
            found = x->specificity + 1;
    }
    return found;
}

typedef struct contender {
    const written *w;
    uint32_t specificity;
} contender;

/* Weaker first: Cascade 5, section 6.1, one criterion after the other. */
static int by_strength(const void *a, const void *b)
{
    const contender *x = a, *y = b;
    int level[2] = {x->w->important ? 5 - x->w->origin : x->w->origin,
        y->w->important ? 5 - y->w->origin : y->w->origin};
    if (level[0] != level[1]) return level[0] - level[1];
    bool own[2] = {x->w->layer == 4, y->w->layer == 4};
    if (own[0] != own[1]) return own[0] - own[1];
    if (x->w->layer != y->w->layer)
        return x->w->important ? y->w->layer - x->w->layer : x->w->layer - y->w->layer;
    if (x->specificity != y->specificity) return x->specificity < y->specificity ? -1 : 1;
    return x->w->order < y->w->order ? -1 : 1;
}

static uint32_t naive_winner(uint32_t element, uint32_t style)
{
    contender list[HED_COUNT(all)];
    uint32_t count = 0;
    for (uint32_t i = 0; i < all_count; i++) {
        const written *w = &all[i];
        bool own = w->rule == HED_CSS_OWN_STYLE;
        uint32_t specificity = own ? style == w->sheet : naive_specificity(w, element);
        if (w->applies && w->possible && specificity) list[count++] = (contender){w, specificity};
    }
    if (count) qsort(list, count, sizeof *list, by_strength);
    while (count) {
        const written *top = list[count - 1].w;
        if (top->wide < CSS_REVERT)
            return top->rule == HED_CSS_OWN_STYLE ? top->rule : top->sheet * 12 + top->rule;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            const written *w = list[i].w;
            bool below = w->origin < top->origin ||
                         (w->origin == top->origin && top->wide == CSS_REVERT_LAYER &&
                             w->layer < top->layer);
            if (below) list[kept++] = list[i];
        }
        count = kept;
    }
    return HED_CSS_NONE;
}

Test(css_cascade, random_sheets_against_a_sort, .timeout = 120)
{
    enum { ROUNDS = 300, STYLES = 4 };
    uint32_t seen[3] = {0}; /* none, style attributes, rules */
    for (int round = 0; round < ROUNDS; round++) {
        hed_error error = {0};
        char html[8192] = "<!doctype html><body>", style[STYLES][256] = {"", "", "", ""};
        uint32_t of_element[64] = {0}, winners[64];
        all_count = 0;
        for (uint32_t s = 0; s < MOST_SHEETS; s++) random_sheet(s, s == 0 ? 2 : (int)pick(3));
        for (uint32_t k = 1; k < STYLES; k++)
            write_declaration(style[k], sizeof style[k],
                (written){k, HED_CSS_OWN_STYLE, 0, 2, 4, false, true, false, CSS_NO_KEYWORD});
        for (uint32_t e = 3; e < 40; e++) {
            static const char *const tags[] = {"p", "p", "span", "div"};
            const char *tag = tags[pick(4)];
            size_t used = strlen(html);
            of_element[e] = pick(3) ? 0 : 1 + pick(STYLES - 1);
            snprintf(html + used, sizeof html - used, "<%s class='%s%s' %s style='%s'></%s>", tag,
                pick(2) ? "a " : "", pick(2) ? "b" : "", pick(9) ? "" : "id=i",
                style[of_element[e]], tag);
        }
        match_page(html);
        CHECK_EQ(page->count, 40);
        OK(hed_css_cascade(matcher, "color", winners, &error));
        for (uint32_t e = 0; e < 40; e++) {
            uint32_t wanted = naive_winner(e, of_element[e]);
            CHECK_EQ(winners[e], wanted, "element %u of round %d: %s", e, round, html);
            seen[wanted == HED_CSS_NONE ? 0 : wanted == HED_CSS_OWN_STYLE ? 1 : 2]++;
        }
        close_site();
    }
    for (int i = 0; i < 3; i++) EXPECT_GT(seen[i], 200u, "%d", i);
}

/* Documents of one matcher: their elements are numbered on, and each has its own style
 * attributes. */
Test(css_cascade, several_documents)
{
    static const char *const html[] = {"<!doctype html><body><p>1<p style='color:red'>2",
        "<!doctype html><body><p style='top:0'>1<q>2</q>", "<body><p style='margin:1'>3"};
    static const uint32_t wanted[] = {HED_CSS_NONE, HED_CSS_NONE, HED_CSS_NONE, 1,
        HED_CSS_OWN_STYLE, HED_CSS_NONE, HED_CSS_NONE, HED_CSS_NONE, 1, 0, HED_CSS_NONE,
        HED_CSS_NONE, HED_CSS_NONE, 1};
    hed_error error = {0};
    hed_css_document *pages[3];
    uint32_t winners[HED_COUNT(wanted)];
    for (int i = 0; i < 3; i++)
        OK(hed_css_document_create(
            names, &(hed_css_document_def){.html = html[i]}, &pages[i], &error));
    add_sheet("q{color:aqua}p{color:blue}", HED_CSS_AUTHOR);
    hed_css_matcher_def def = {
        .documents = pages, .document_count = 3, .sheets = sheets, .sheet_count = 1};
    OK(hed_css_matcher_create(NULL, &def, &matcher, &error));
    OK(hed_css_match(matcher, &error));
    CHECK_EQ(hed_css_matcher_results(matcher).elements, HED_COUNT(wanted));
    OK(hed_css_cascade(matcher, "color", winners, &error));
    for (size_t e = 0; e < HED_COUNT(wanted); e++)
        EXPECT_EQ(winners[e], wanted[e], "element %zu", e);
    OK(hed_css_cascade(matcher, "margin-top", winners, &error));
    EXPECT_EQ(winners[13], HED_CSS_OWN_STYLE, "a length without a unit, in quirks mode");
    OK(hed_css_element_winners(matcher, winners, &error));
    EXPECT_EQ(winners[9], 0);
    struct told told = {0};
    OK(hed_css_explain(matcher, 8, tell, &told, &error));
    EXPECT_TEXT(told.text, "-2 top=0 1/1; 1 color=blue 1/1");
    hed_css_matcher_destroy(matcher);
    matcher = NULL;
    for (int i = 0; i < 3; i++) hed_css_document_destroy(pages[i]);
}

/* Numbers of rules and layers share 30 bits of a rank. */
Test(css_cascade, rules_and_layers_up_to_the_limit)
{
    static const struct {
        int count;
        hed_status status;
    } cases[] = {{16384 - 2, HED_OK}, {40000, HED_ERROR_LIMIT}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        static const char unit[] = "@layer{p{color:red}}";
        char *text = malloc(sizeof unit * (size_t)cases[i].count);
        hed_error error = {0};
        uint32_t winners[8];
        CHECK(text);
        for (int k = 0; k < cases[i].count; k++)
            memcpy(text + (sizeof unit - 1) * (size_t)k, unit, sizeof unit);
        add_sheet(text, HED_CSS_AUTHOR);
        match_page("<!doctype html><body><p>1");
        hed_status status = hed_css_cascade(matcher, "color", winners, &error);
        CHECK_EQ(status, cases[i].status, "%s", error.text);
        if (status == HED_OK) CHECK_EQ(winners[3], (uint32_t)cases[i].count - 1);
        else CHECK(strstr(error.text, "40000 rules in 40000 layers"), "%s", error.text);
        free(text);
        close_site();
    }
}

/* ---- what is asked wrongly, and what runs out ---- */

Test(css_cascade, wrong_names)
{
    hed_error error = {0};
    uint32_t winners[8];
    add_sheet("p{color:red}", HED_CSS_AUTHOR);
    match_page("<!doctype html><body><p>1");
    static const struct {
        const char *name, *words;
    } cases[] = {{"", "no property"}, {"colour", "colour"}, {"--", "no property"},
        {"margin", "margin-top margin-right"}, {"all", "such as color"},
        {"-moz-transform", "no property"}, {"-webkit-transition", "transition-property"},
        {"color ", "no property"},
        {"a-name-that-is-longer-than-any-property-of-any-specification-of-css", "no property"}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        FAILS(HED_ERROR_ARGUMENT, hed_css_cascade(matcher, cases[i].name, winners, &error));
        EXPECT(strstr(error.text, cases[i].words), "%s: %s", cases[i].name, error.text);
    }
    FAILS(HED_ERROR_ARGUMENT, hed_css_cascade(matcher, NULL, winners, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_cascade(matcher, "color", NULL, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_cascade(NULL, "color", winners, &error));
    hed_css_matcher *idle;
    hed_css_matcher_def def = {
        .documents = &page, .document_count = 1, .sheets = sheets, .sheet_count = 1};
    error = (hed_error){0};
    OK(hed_css_matcher_create(NULL, &def, &idle, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_cascade(idle, "color", winners, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_css_element_winners(idle, winners, &error));
    hed_css_matcher_destroy(idle);
}

Test(css_cascade, every_allocation_may_fail)
{
    hed_error error = {0};
    int refused = 0;
    for (int64_t at = 0;; at++) {
        test_allocator memory = {0};
        hed_allocator allocator = test_allocator_of(&memory);
        uint32_t winners[8];
        error = (hed_error){0};
        close_site();
        hed_css_names_destroy(names);
        OK(hed_css_names_create(&allocator, &names, &error));
        add_sheet("@layer a.b{p,#i{color:red}} p{--x:1}", HED_CSS_AUTHOR);
        match_page(
            "<!doctype html><body><p id=i style='color:blue;unseen-name:x'>1<p style='color:red'>2");
        memory.fail_at = at ? memory.calls + at : 0;
        int64_t live = memory.live;
        hed_status status = hed_css_cascade(matcher, "color", winners, &error);
        struct told told = {0};
        uint32_t count;
        if (status == HED_OK) status = hed_css_element_winners(matcher, winners, &error);
        if (status == HED_OK) status = hed_css_explain(matcher, 3, tell, &told, &error);
        if (status == HED_OK) status = hed_css_select(page, ".q > p", NULL, 0, &count, &error);
        bool done = at && memory.calls < memory.fail_at;
        EXPECT_LE(memory.live, live + 4, "allocation %lld: names alone may stay", (long long)at);
        CHECK_EQ(
            status, at == 0 || done ? HED_OK : HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        refused += status != HED_OK;
        close_site();
        hed_css_names_destroy(names);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        OK(hed_css_names_create(NULL, &names, &error));
        if (done) break;
    }
    CHECK_GE(refused, 10);
}
