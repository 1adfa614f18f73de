/* What sheets name and what uses it; parts of sheets; sheets whose lists are split. */
#include "testing.h"

#include "heddle/css.h"

static hed_css_names *usage_names;
static hed_css_sheet *usage_sheet;

static void open_sheet(const char *text, bool split)
{
    hed_error error = {0};
    const hed_css_sheet_def def = {.text = text, .length = strlen(text), .split = split};
    hed_css_sheet_destroy(usage_sheet);
    usage_sheet = NULL;
    if (!usage_names) OK(hed_css_names_create(NULL, &usage_names, &error));
    OK(hed_css_sheet_create(usage_names, &def, &usage_sheet, &error));
}

static void close_usage(void)
{
    hed_css_sheet_destroy(usage_sheet);
    hed_css_names_destroy(usage_names);
    usage_sheet = NULL;
    usage_names = NULL;
}

TestSuite(css_usage, .fini = close_usage);

/* Parts that are used, where the rules whose selector is "gone" do not stay, as a line of names. */
static const char *used_of(const char *sheet, const char *other)
{
    static char line[1024];
    static bool rules[64], used[64];
    hed_error error = {0};
    size_t length = 0, other_length = strlen(other);
    open_sheet(sheet, false);
    CHECK_LT(hed_css_rule_count(usage_sheet), 64);
    CHECK_LT(hed_css_part_count(usage_sheet), 64);
    for (uint32_t i = 0; i < hed_css_rule_count(usage_sheet); i++)
        rules[i] = strncmp(hed_css_rule_at(usage_sheet, i).selector, "gone", 4) != 0;
    memset(used, 0, sizeof used);
    const hed_css_follow_def def = {.sheets = &usage_sheet,
        .sheet_count = 1,
        .rules = rules,
        .texts = &other,
        .lengths = &other_length,
        .text_count = 1};
    OK(hed_css_follow(&def, used, &error));
    line[0] = 0;
    for (uint32_t i = 0; i < hed_css_part_count(usage_sheet); i++) {
        hed_css_part part = hed_css_part_at(usage_sheet, i);
        if (used[i])
            length += (size_t)snprintf(line + length, sizeof line - length, "%s%c %s",
                length ? ", " : "", part.kind, part.name);
    }
    return line;
}

Test(css_usage, names_are_followed)
{
    static const struct {
        const char *sheet, *other, *used;
    } cases[] = {{"@keyframes a{} @keyframes b{} p{animation:1s a}", "", "k a"},
        {"@keyframes a{} gone{animation:1s a}", "", ""},
        {"@keyframes a{}", "animation-name: a", "k a"},
        {"@keyframes 'a b'{} p{x:\"a b\"}", "", "k a b"},
        {"p{--x:1;--y:2;z:var(--x)}", "", "v --x"},
        {"p{--x:var(--y);--y:var(--z);--z:1;--u:var(--v);--v:1;a:var(--x)}", "",
            "v --x, v --y, v --z"},
        {"p{--x:spin;animation:var(--x)} @keyframes spin{to{a:var(--to)}} p{--to:1}", "",
            "v --x, k spin, v --to"},
        {"gone{--x:1} p{a:var(--x)}", "", ""}, {"p{--x:1}", "color:var(--x)", "v --x"},
        {"@property --x{syntax:'*'} @property --y{} p{a:var(--x)}", "", "p --x"},
        {"@font-face{font-family:Open Sans} @font-face{font-family:\"B\"} "
         "p{font:1em/normal open sans,serif}",
            "", "f Open Sans"},
        {"@font-face{font-family:\"B\"} p{font-family:'b'}", "", "f B"},
        {"@font-face{font-family:A  B} @font-face{src:url(x)}", "", "f , f "},
        {"@page wide{} @counter-style x{} @name word{} @name 'a b'{} @layer 1{}", "", "o , o , o , o "},
        {"@counter-style x{system:extends y} @counter-style y{} @counter-style z{} "
         "@counter-style disc{} p{list-style:x}",
            "", "c x, c y, c "},
        {"@font-palette-values --a{} @font-palette-values --b{} p{font-palette:--a}", "", "a --a"},
        {"@font-feature-values F{} @font-feature-values G{} @font-feature-values H, I{} p{font:1em F}",
            "", "e F, e "},
        {"@position-try --a{} @position-try --b{} p{position-try:--b}", "", "t --b"},
        {"@container style(--x:1){p{a:b}} p{--x:1}", "", "v --x"},
        {"@media print{p{--x:1} @page{margin:var(--x)}}", "", "v --x, o "},
        {"p:nope{a:var(--x)} p{--x:1}", "", "v --x"}, {"p{--X:1;a:var(--x)}", "", "v --X"},
        {"p{--\\78:1;a:var(--x)}", "", "v --x"}, {"p{/*--x*/--x:1;a:b/*var(--x)*/}", "", ""}};
    for (size_t i = 0; i < HED_COUNT(cases); i++)
        EXPECT_TEXT(used_of(cases[i].sheet, cases[i].other), cases[i].used, "%s", cases[i].sheet);
}

Test(css_usage, parts_have_places)
{
    const char *text = "@media print {\n@layer a.b { p { --x: 1 ; } }\n@nope x; }\n@layer c;";
    static const struct {
        char kind;
        const char *name, *text;
        uint32_t line, rule;
    } expected[] = {{'g', "", "@media print {\n@layer a.b { p { --x: 1 ; } }\n@nope x; }", 1, 0},
        {'l', "a.b", "@layer a.b { p { --x: 1 ; } }", 2, 0}, {'v', "--x", "--x: 1", 2, 0},
        {'o', "", "@nope x;", 3, 0}};
    open_sheet(text, false);
    CHECK_EQ(hed_css_part_count(usage_sheet), HED_COUNT(expected));
    for (uint32_t i = 0; i < HED_COUNT(expected); i++) {
        hed_css_part part = hed_css_part_at(usage_sheet, i);
        EXPECT_EQ(part.kind, expected[i].kind);
        EXPECT_TEXT(part.name, expected[i].name);
        EXPECT_EQ(part.line, expected[i].line);
        EXPECT_EQ(part.end - part.begin, strlen(expected[i].text), "part %u", i);
        EXPECT_BYTES(text + part.begin, expected[i].text, strlen(expected[i].text));
        if (part.kind == 'v') EXPECT_EQ(part.rule, expected[i].rule);
    }
}

Test(css_usage, a_layer_that_is_nested_too_deep_has_no_name)
{
    enum { DEPTH = 400 };
    static char text[DEPTH * 10 + DEPTH + 1];
    static bool used[DEPTH];
    uint32_t others = 0;
    hed_error error = {0};
    for (int i = 0; i < DEPTH; i++) memcpy(text + 10 * i, "@layer ab{", 10);
    memset(text + DEPTH * 10, '}', DEPTH);
    open_sheet(text, false);
    CHECK_LE(hed_css_part_count(usage_sheet), DEPTH);
    const hed_css_follow_def def = {.sheets = &usage_sheet, .sheet_count = 1};
    OK(hed_css_follow(&def, used, &error));
    for (uint32_t i = 0; i < hed_css_part_count(usage_sheet); i++) {
        hed_css_part part = hed_css_part_at(usage_sheet, i);
        if (part.kind != HED_CSS_PART_OTHER) continue;
        others++;
        EXPECT_TEXT(part.name, "");
        EXPECT(used[i]);
    }
    EXPECT_EQ(others, 1);
}

Test(css_usage, lists_are_split)
{
    static const struct {
        const char *selector;
        char validity;
        uint32_t number, specificity;
        bool state;
    } expected[] = {{"a", 'M', 0, 1, false}, {".b:hover > c", 'M', 0, 2 << 10 | 1, true},
        {"x:nope, y", 'E', 1, 0, false}, {"d", 'M', 2, 1, false},
        {"::slotted(e)", 'M', 2, 2, false}, {"p", 'M', 3, 1, false}, {"q", 'M', 3, 1, false},
        {"& f", 'M', 4, 2, false}, {"&", 'M', 5, 1, false}};
    open_sheet(
        "a, .b:hover > c {} x:nope, y {} d,::slotted(e){} p,q { & f {} @media print { a: b } }",
        true);
    CHECK_EQ(hed_css_rule_count(usage_sheet), HED_COUNT(expected));
    for (uint32_t i = 0; i < HED_COUNT(expected); i++) {
        hed_css_rule rule = hed_css_rule_at(usage_sheet, i);
        EXPECT_EQ(rule.selector_length, strlen(expected[i].selector), "rule %u", i);
        EXPECT_BYTES(rule.selector, expected[i].selector, strlen(expected[i].selector));
        EXPECT_EQ(rule.validity, expected[i].validity, "rule %u", i);
        EXPECT_EQ(rule.number, expected[i].number, "rule %u", i);
        EXPECT_EQ(rule.state, expected[i].state, "rule %u", i);
        if (rule.validity == 'M')
            EXPECT_EQ(rule.specificity, expected[i].specificity, "rule %u", i);
    }
}

static bool is_wanted(void *user, const hed_css_used_name *name)
{
    return (char)name->kind == *(char *)user && strcmp(name->name, "x") == 0;
}

Test(css_usage, rules_that_name_a_class)
{
    char kind = '.';
    bool named[9] = {0};
    hed_error error = {0};
    open_sheet(".x a{} #x{} :not(:is(b,.x)){} .y{& p{}} .x{& > p{} ~ q{}} [a='.x']{}", false);
    CHECK_EQ(hed_css_rule_count(usage_sheet), 9);
    OK(hed_css_rules_naming(usage_sheet, is_wanted, &kind, named, &error));
    static const bool expected[9] = {true, false, true, false, false, true, true, true, false};
    for (int i = 0; i < 9; i++) EXPECT_EQ(named[i], expected[i], "rule %d", i);
}

static hed_css_presence has_letter(void *user, const hed_css_used_name *name)
{
    (void)user;
    if (name->kind == HED_CSS_NAME_ATTRIBUTE && name->value)
        return strcmp(name->value, "1") ? HED_CSS_ABSENT : HED_CSS_PRESENT;
    return name->name[0] == 'x'   ? HED_CSS_PRESENT
           : name->name[0] == 'd' ? HED_CSS_PRESENT_WITH_REST
                                  : HED_CSS_ABSENT;
}

static void count_name(void *user, const hed_css_used_name *name)
{
    (void)name;
    ++*(int *)user;
}

Test(css_usage, rules_that_names_make_possible)
{
    bool possible[14] = {0};
    hed_error error = {0};
    open_sheet(".x{} #x x{} .y{} .x .y{} .x:not(.y){} :is(.y,.x){} .x:has(.y){} .x:nth-child(1 of .y){} .x{& .y{} & + x{}} "
               "[a='1']{} [a='2']{} .x .d .y{}", false);
    OK(hed_css_rules_possible(usage_sheet, has_letter, NULL, possible, &error));
    static const bool expected[14] = {
        true, true, false, false, true, true, false, false, true, false, true, true, false, true};
    for (int i = 0; i < 14; i++) EXPECT_EQ(possible[i], expected[i], "rule %d", i);
    int names = 0;
    hed_css_rule_names(usage_sheet, 9, count_name, &names);
    EXPECT_EQ(names, 2);
}

static void note_document_name(void *user, const hed_css_used_name *name)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 200 - used, "%c%s%s%s ", name->kind, name->name, name->value ? "=" : "",
        name->value ? name->value : "");
}

Test(css_usage, names_of_a_document)
{
    static const char html[] = "<p class='x y' id=i><p class=x a=b>";
    char text[200] = "";
    hed_error error = {0};
    hed_css_document *document;
    open_sheet(".x{}", false);
    const hed_css_document_def page = {.html = html, .html_length = sizeof html - 1};
    OK(hed_css_document_create(usage_names, &page, &document, &error));
    OK(hed_css_document_names(document, note_document_name, text, &error));
    CHECK_TEXT(text, "ehtml ehead ebody ep #i .x .y [class=x y [id=i [class=x [a=b ");
    CHECK_NULL(hed_css_document_base(document));
    hed_css_document_destroy(document);
}

Test(css_usage, rules_may_be_left_out)
{
    static const char html[] = "<p class=x><i></i></p><p>";
    static const bool without[3] = {false, true, false};
    hed_error error = {0};
    hed_css_document *document;
    open_sheet(".x i{} p{} p:first-child > i{}", false);
    const hed_css_document_def page = {.html = html, .html_length = sizeof html - 1};
    OK(hed_css_document_create(usage_names, &page, &document, &error));
    for (int out = 0; out < 2; out++) {
        uint32_t counts[3];
        hed_css_matcher *matcher;
        const hed_css_matcher_def def = {.documents = &document,
            .document_count = 1,
            .sheets = &usage_sheet,
            .sheet_count = 1,
            .without = out ? without : NULL};
        OK(hed_css_matcher_create(NULL, &def, &matcher, &error));
        OK(hed_css_match(matcher, &error));
        hed_css_matcher_counts(matcher, counts, NULL);
        EXPECT_EQ(counts[0], 1);
        EXPECT_EQ(counts[1], out ? 0 : 2);
        EXPECT_EQ(counts[2], 1);
        hed_css_matcher_destroy(matcher);
    }
    hed_css_document_destroy(document);
}

static hed_status follow_with(const hed_allocator *allocator, hed_error *error)
{
    static const char text[] = "p{--x:var(--y);font:1em Some long Family Name}@keyframes K{} "
                               "@font-face{font-family:Some long family name} p{--y:k}";
    const hed_css_sheet_def def = {.text = text, .length = sizeof text - 1};
    const char *other = "a: var(--X) \\6b";
    size_t length = strlen(other);
    bool rules[2] = {true, true}, used[8] = {0};
    hed_css_names *own = NULL;
    hed_css_sheet *made = NULL;
    hed_css_names_create(allocator, &own, error);
    if (!hed_failed(error)) hed_css_sheet_create(own, &def, &made, error);
    const hed_css_follow_def follow = {&made, 1, rules, &other, &length, 1};
    if (!hed_failed(error)) hed_css_follow(&follow, used, error);
    if (!hed_failed(error)) hed_css_rules_naming(made, is_wanted, "", rules, error);
    if (!hed_failed(error)) CHECK(used[0] && used[1] && used[2] && used[3], "all are used");
    hed_css_sheet_destroy(made);
    hed_css_names_destroy(own);
    return error->status;
}

Test(css_usage, every_allocation_may_fail)
{
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_error error = {0};
        hed_status status = follow_with(&allocator, &error);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        if (memory.calls < at) {
            CHECK_EQ(status, HED_OK);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        refused++;
    }
    CHECK_GE(refused, 10);
}
