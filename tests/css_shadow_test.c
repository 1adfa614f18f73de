/* Shadow trees: elements in arrays and declarative roots, sheets in trees, the order of trees in the
 * cascade, slots after a change, what is refused, memory that runs out. Chromium judges random pages
 * (css_oracle/shadow.py) and closed cases (css_cases/shadow.txt). */
#include "model/document.h"
#include "testing.h"

static hed_css_names *shadow_names;

static void open_shadow(void)
{
    hed_error error = {0};
    OK(hed_css_names_create(NULL, &shadow_names, &error));
}

static void close_shadow(void) { hed_css_names_destroy(shadow_names); }

TestSuite(css_shadow, .init = open_shadow, .fini = close_shadow);

/* A page, its own sheets in their trees, and the matcher of them. */
typedef struct shadow_site {
    hed_css_document *page;
    hed_css_sheet *sheets[8];
    uint32_t sheet_count;
    hed_css_matcher *matcher;
} shadow_site;

static hed_status site_make(
    shadow_site *s, hed_css_names *names, const char *html, hed_error *error)
{
    hed_css_tree_sheet trees[8];
    *s = (shadow_site){0};
    if (hed_css_document_create(names, &(hed_css_document_def){.html = html}, &s->page, error))
        return error->status;
    uint32_t count = hed_css_document_describe(s->page).style_sheets;
    for (uint32_t i = 0; i < count; i++) {
        const char *href, *media;
        hed_css_sheet_def def = {.origin = HED_CSS_AUTHOR};
        def.text = hed_css_document_sheet(s->page, i, &def.length, &href, &media);
        if (hed_css_sheet_create(names, &def, &s->sheets[i], error)) return error->status;
        trees[i] = (hed_css_tree_sheet){0, i, hed_css_document_sheet_tree(s->page, i)};
        s->sheet_count++;
    }
    const hed_css_matcher_def def = {.documents = &s->page,
        .document_count = 1,
        .sheets = s->sheets,
        .sheet_count = s->sheet_count,
        .tree_sheets = trees,
        .tree_sheet_count = count};
    return hed_css_matcher_create(NULL, &def, &s->matcher, error)
               ? error->status
               : hed_css_match(s->matcher, error);
}

static void site_end(shadow_site *s)
{
    hed_css_matcher_destroy(s->matcher);
    for (uint32_t i = 0; i < s->sheet_count; i++) hed_css_sheet_destroy(s->sheets[i]);
    hed_css_document_destroy(s->page);
}

/* Number of the rule that wins `top` on the first element of a tag. */
static uint32_t winner_on(const shadow_site *s, const char *tag)
{
    hed_error error = {0};
    uint32_t winners[32], element, count;
    CHECK_LE(hed_css_document_describe(s->page).elements, 32);
    OK(hed_css_cascade(s->matcher, "top", winners, &error));
    OK(hed_css_select(s->page, tag, &element, 1, &count, &error));
    CHECK_GE(count, 1, "%s", tag);
    return winners[element];
}

static const char nested_page[] =
    "<!doctype html><style>x-a{top:0}x-a::part(p){top:1px}</style><body><x-a id=x><template "
    "shadowrootmode=open><style>:host{top:2px;left:1px}i{top:3px!important}b{top:4px}"
    "::slotted(u){top:5px}</style><i part=p></i><b part=p style='top:6px'></b><slot></slot></template>"
    "<u>1</u><s slot=n>2</s></x-a>";

Test(css_shadow, outer_trees_win_and_lose_when_important)
{
    hed_error error = {0};
    shadow_site s;
    OK(site_make(&s, shadow_names, nested_page, &error));
    EXPECT_EQ(winner_on(&s, "x-a"), 0u, "the page before :host");
    EXPECT_EQ(winner_on(&s, "i"), 3u, "important: the inner tree before ::part()");
    EXPECT_EQ(winner_on(&s, "b"), 1u, "::part() before a style attribute inside");
    EXPECT_EQ(winner_on(&s, "u"), 5u);
    EXPECT_EQ(winner_on(&s, "s"), HED_CSS_NONE, "a slot of that name is missing");
    site_end(&s);
}

/* Rule that wins `top` on the only <u>; the page is freed. */
static uint32_t winner_on_u(const char *html)
{
    hed_error error = {0};
    uint32_t winners[1024], element, count;
    shadow_site s;
    OK(site_make(&s, shadow_names, html, &error));
    CHECK_LE(hed_css_document_describe(s.page).elements, HED_COUNT(winners));
    OK(hed_css_cascade(s.matcher, "top", winners, &error));
    OK(hed_css_select(s.page, "u", &element, 1, &count, &error));
    CHECK_EQ(count, 1u);
    site_end(&s);
    return winners[element];
}

/* The element goes through slot after slot into trees of trees. */
Test(css_shadow, a_slot_in_a_slot_ninety_times)
{
    enum { DEPTH = 90 };
    char html[64 << 10] = "<!doctype html><body>", *at = html + strlen(html);
    for (int i = 0; i < DEPTH; i++) at += sprintf(at, "<x-%d><template shadowrootmode=open>", i);
    at += sprintf(at, "<style>::slotted(u){top:0}</style><slot></slot>");
    for (int i = DEPTH; i--;)
        at += sprintf(at, "</template>%s</x-%d>", i ? "<slot></slot>" : "<u></u>", i);
    EXPECT_EQ(winner_on_u(html), 0u);
}

Test(css_shadow, a_part_of_seventy_names)
{
    char html[8 << 10], *at = html;
    at += sprintf(html, "<!doctype html><style>x-a::part(n69){top:0}</style><body>"
                        "<x-a><template shadowrootmode=open><u part='");
    for (int i = 0; i < 70; i++) at += sprintf(at, "n%d ", i);
    sprintf(at, "'></u></template></x-a>");
    EXPECT_EQ(winner_on_u(html), 0u);
}

static void note_defeat(void *user, const hed_css_declaration *d)
{
    if (strcmp(d->property, "top") == 0 && !d->wins) *(hed_css_declaration *)user = *d;
}

Test(css_shadow, the_reason_is_the_tree)
{
    hed_error error = {0};
    shadow_site s;
    uint32_t host, count;
    hed_css_declaration defeated = {0};
    OK(site_make(&s, shadow_names, nested_page, &error));
    OK(hed_css_select(s.page, "x-a", &host, 1, &count, &error));
    OK(hed_css_explain(s.matcher, host, note_defeat, &defeated, &error));
    EXPECT_EQ(defeated.rule, 2u);
    EXPECT_EQ(defeated.defeat, HED_CSS_BY_TREE);
    EXPECT_EQ(defeated.winner, 0u);
    EXPECT_EQ(defeated.tree, 1u);
    EXPECT_EQ(defeated.winner_tree, 0u);
    EXPECT_EQ(hed_css_tree_host(s.page, 1), host);
    EXPECT_EQ(hed_css_tree_host(s.page, 0), HED_CSS_NONE);
    site_end(&s);
}

Test(css_shadow, slots_follow_a_change_of_an_attribute)
{
    hed_error error = {0};
    shadow_site s;
    uint32_t element, count;
    OK(site_make(&s, shadow_names, nested_page, &error));
    OK(hed_css_select(s.page, "u", &element, 1, &count, &error));
    OK(hed_css_set_attribute(s.matcher, 0, element, "slot", "n", NULL, &error));
    EXPECT_EQ(winner_on(&s, "u"), HED_CSS_NONE);
    OK(hed_css_set_attribute(s.matcher, 0, element, "slot", NULL, NULL, &error));
    EXPECT_EQ(winner_on(&s, "u"), 5u);
    site_end(&s);
}

Test(css_shadow, roots_in_arrays)
{
    enum { HOST, LIGHT, ROOT, INNER };
    hed_css_element elements[] = {[HOST] = {.parent = HED_CSS_NONE, .name = "x-a"},
        [LIGHT] = {.parent = HOST, .name = "p"},
        [ROOT] = {.parent = HED_CSS_NONE, .shadow_root = true, .host = HOST},
        [INNER] = {.parent = ROOT, .name = "slot"}};
    hed_error error = {0};
    hed_css_document *d;
    const hed_css_document_def def = {.elements = elements, .element_count = HED_COUNT(elements)};
    OK(hed_css_document_create(shadow_names, &def, &d, &error));
    EXPECT_EQ(hed_css_document_describe(d).trees, 2u);
    EXPECT_EQ(d->assigned_slot[LIGHT], (uint32_t)INNER);
    uint32_t found[4], count;
    OK(hed_css_select(d, ":host > slot", found, 4, &count, &error));
    EXPECT_EQ(count, 1u);
    OK(hed_css_select(d, "* > slot", found, 4, &count, &error));
    EXPECT_EQ(count, 0u, "a shadow root is no element");
    OK(hed_css_select(d, "::slotted(p)", found, 4, &count, &error));
    CHECK_EQ(count, 1u);
    EXPECT_EQ(found[0], (uint32_t)LIGHT);
    hed_css_document_destroy(d);
    elements[ROOT].host = ROOT;
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(shadow_names, &def, &d, &error));
    elements[ROOT].host = HOST;
    elements[ROOT].parent = HOST;
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(shadow_names, &def, &d, &error));
}

Test(css_shadow, trees_that_do_not_exist_are_refused)
{
    hed_error error = {0};
    shadow_site s;
    hed_css_matcher *matcher = NULL;
    OK(site_make(&s, shadow_names, nested_page, &error));
    static const hed_css_tree_sheet wrong[] = {{0, 0, 2}, {1, 0, 0}, {0, 2, 0}};
    for (size_t i = 0; i < HED_COUNT(wrong); i++) {
        const hed_css_matcher_def def = {.documents = &s.page,
            .document_count = 1,
            .sheets = s.sheets,
            .sheet_count = s.sheet_count,
            .tree_sheets = &wrong[i],
            .tree_sheet_count = 1};
        FAILS(HED_ERROR_ARGUMENT, hed_css_matcher_create(NULL, &def, &matcher, &error));
    }
    site_end(&s);
}

Test(css_shadow, every_allocation_may_fail, .timeout = 120)
{
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_error error = {0}, second = {0};
        hed_css_names *own = NULL;
        shadow_site s = {0};
        uint32_t winners[32];
        hed_css_names_create(&allocator, &own, &error);
        if (own && site_make(&s, own, nested_page, &error) == HED_OK)
            hed_css_cascade(s.matcher, "top", winners, &second);
        site_end(&s);
        hed_css_names_destroy(own);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        if (memory.calls < at) break;
        CHECK_EQ(error.status ? error.status : second.status, HED_ERROR_MEMORY, "allocation %lld",
            (long long)at);
        refused++;
    }
    CHECK_GE(refused, 60);
}
