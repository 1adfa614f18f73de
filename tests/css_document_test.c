/* Documents from HTML and from arrays: places among siblings, states that HTML itself holds, and
 * wrong input. */
#include <stdlib.h>

#include "css_pages.h"
#include "model/document.h"

TestSuite(css_document, .init = open_names, .fini = close_names);

/* The element with this id. */
static uint32_t by_id(const hed_css_document *d, const char *id)
{
    uint32_t name = css_name_find(names, id, strlen(id));
    for (uint32_t e = 0; e < d->count; e++)
        if (d->id[e] == name && name != CSS_NONE) return e;
    CHECK(false, "no element #%s", id);
    return 0;
}

Test(css_document, places_among_siblings)
{
    hed_css_document *d =
        page("<!doctype html><body><p id=a>x</p><div id=b></div><p id=c><i></i></p>");
    uint32_t a = by_id(d, "a"), b = by_id(d, "b"), c = by_id(d, "c");
    EXPECT(!d->quirks);
    EXPECT_EQ(d->count, 7u, "html head body p div p i");
    EXPECT_EQ(d->level[a], 2u);
    EXPECT_EQ(d->previous[b], a);
    EXPECT_EQ(d->end[c], 7u);
    EXPECT_EQ(d->position[CSS_CHILD][c], 3u);
    EXPECT_EQ(d->position[CSS_LAST_CHILD][a], 3u);
    EXPECT_EQ(d->position[CSS_OF_TYPE][c], 2u);
    EXPECT_EQ(d->position[CSS_LAST_OF_TYPE][a], 2u);
    EXPECT_EQ(d->position[CSS_LAST_OF_TYPE][b], 1u);
    EXPECT(d->flags[b] & CSS_EMPTY);
    EXPECT(!(d->flags[a] & CSS_EMPTY));
    EXPECT(d->flags[0] & CSS_ROOT);
    hed_css_document_destroy(d);
}

/* No name is cut: elements and selectors that differ in the last letter are different. */
Test(css_document, names_of_any_length)
{
    enum { LENGTH = 5000 };
    static char name[LENGTH + 1], html[2 * LENGTH + 100];
    memset(name, 'A', LENGTH);
    name[0] = 'x';
    name[1] = '-';
    name[LENGTH - 1] = 'B';
    size_t size = (size_t)snprintf(html, sizeof html, "<!doctype html><body><%s id=b></%s>", name, name);
    name[LENGTH - 1] = 'c';
    snprintf(html + size, sizeof html - size, "<i id=c></i>");
    hed_css_document *d = page(html);
    for (int i = 2; i < LENGTH - 1; i++) name[i] = 'a';
    uint32_t other = css_name_find(names, name, LENGTH);
    name[LENGTH - 1] = 'b';
    EXPECT_EQ(d->tag[by_id(d, "b")], css_name_find(names, name, LENGTH));
    EXPECT_EQ(other, CSS_NONE);
    hed_css_document_destroy(d);
}

Test(css_document, classes_are_sorted_once_each_and_folded_in_quirks_mode)
{
    hed_css_document *d = page("<!doctype html><p id=A class='b a  b\tC'>");
    uint32_t e = by_id(d, "A");
    EXPECT_EQ(d->class_end[e] - d->class_begin[e], 3u);
    hed_css_document_destroy(d);
    d = page("<p id=A class='b a B C c'>"); /* no doctype */
    EXPECT(d->quirks);
    e = by_id(d, "a");
    EXPECT_EQ(d->class_end[e] - d->class_begin[e], 3u);
    hed_css_document_destroy(d);
}

/* Flags of element #x of a body. */
static uint32_t flags_of(const char *body)
{
    char html[2048];
    snprintf(html, sizeof html, "<!doctype html><body>%s", body);
    hed_css_document *d = page(html);
    uint32_t flags = d->flags[by_id(d, "x")];
    hed_css_document_destroy(d);
    return flags;
}

Test(css_document, states_that_html_holds)
{
    static const struct {
        const char *body;
        uint32_t set, clear;
    } cases[] = {
        {"<a id=x href=#>", CSS_LINK, CSS_ENABLED | CSS_DISABLED},
        {"<a id=x>", 0, CSS_LINK},
        {"<link id=x href=y>", 0, CSS_LINK},
        {"<svg><a id=x xlink:href=#></a></svg>", CSS_LINK, 0},
        {"<input id=x>", CSS_ENABLED | CSS_OPTIONAL | CSS_READ_WRITE | CSS_VALID,
            CSS_DISABLED | CSS_REQUIRED | CSS_PLACEHOLDER_SHOWN},
        {"<input id=x required>", CSS_REQUIRED | CSS_INVALID, CSS_OPTIONAL | CSS_VALID},
        {"<input id=x required value=1>", CSS_REQUIRED | CSS_VALID, CSS_INVALID},
        {"<input id=x placeholder=a>", CSS_PLACEHOLDER_SHOWN, 0},
        {"<input id=x placeholder=a value=b>", 0, CSS_PLACEHOLDER_SHOWN},
        {"<input id=x readonly>", 0, CSS_READ_WRITE | CSS_VALID | CSS_INVALID},
        {"<input id=x disabled>", CSS_DISABLED, CSS_ENABLED | CSS_READ_WRITE | CSS_VALID},
        {"<fieldset disabled><input id=x></fieldset>", CSS_DISABLED, CSS_ENABLED},
        {"<fieldset disabled><legend><input id=x></legend></fieldset>", CSS_ENABLED, CSS_DISABLED},
        {"<fieldset disabled><legend></legend><legend><input id=x></legend></fieldset>",
            CSS_DISABLED, CSS_ENABLED},
        {"<select><optgroup disabled><option id=x></select>", CSS_DISABLED, CSS_ENABLED},
        {"<input type=checkbox id=x checked>", CSS_CHECKED | CSS_DEFAULT, CSS_READ_WRITE},
        {"<input type=text id=x checked>", 0, CSS_CHECKED | CSS_DEFAULT},
        {"<input type=radio name=n id=x checked><input type=radio name=n checked>", CSS_DEFAULT,
            CSS_CHECKED | CSS_INDETERMINATE},
        {"<input type=radio name=n id=x><input type=radio name=n>", CSS_INDETERMINATE, CSS_CHECKED},
        {"<input type=radio id=x><input type=radio checked>", CSS_INDETERMINATE, CSS_CHECKED},
        {"<select><option id=x><option></select>", CSS_CHECKED, CSS_DEFAULT},
        {"<select><option disabled><option id=x></select>", CSS_CHECKED, 0},
        {"<select size=3><option id=x><option></select>", 0, CSS_CHECKED},
        {"<select><option id=x selected><option selected></select>", CSS_DEFAULT, CSS_CHECKED},
        {"<select id=x required><option value=''>a</select>", CSS_INVALID, CSS_VALID},
        {"<select id=x required><option value=b>a</select>", CSS_VALID, CSS_INVALID},
        {"<input type=number id=x min=1 max=5 value=7>", CSS_OUT_OF_RANGE | CSS_INVALID,
            CSS_IN_RANGE | CSS_VALID},
        {"<input type=number id=x min=1 value=7>", CSS_IN_RANGE | CSS_VALID, CSS_OUT_OF_RANGE},
        {"<input type=number id=x value=7>", CSS_VALID, CSS_IN_RANGE | CSS_OUT_OF_RANGE},
        {"<input type=email id=x value=a@b.c>", CSS_VALID, CSS_INVALID},
        {"<input type=email id=x value=ab.c>", CSS_INVALID, CSS_VALID},
        {"<form id=x><input required></form>", CSS_INVALID, CSS_VALID},
        {"<form id=x><input></form>", CSS_VALID, CSS_INVALID},
        {"<form><button type=button></button><button id=x></button></form>", CSS_DEFAULT, 0},
        {"<form><button></button><button id=x></button></form>", 0, CSS_DEFAULT},
        {"<progress id=x>", CSS_INDETERMINATE, 0},
        {"<details id=x open>", CSS_OPEN, 0},
        {"<my-element id=x>", 0, CSS_DEFINED},
        {"<div id=x contenteditable>", CSS_READ_WRITE, 0},
        {"<div contenteditable><p id=x>", CSS_READ_WRITE, 0},
        {"<div dir=rtl><p id=x>", CSS_RTL, 0},
        {"<div dir=rtl><p id=x dir=ltr>", 0, CSS_RTL},
        {"<p id=x dir=auto>12 \xd7\xa9 a", CSS_RTL, 0},
        {"<p id=x dir=auto>a \xd7\xa9", 0, CSS_RTL},
        {"<bdi id=x>\xd7\xa9</bdi>", CSS_RTL, 0},
    };
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        uint32_t flags = flags_of(cases[i].body);
        EXPECT_EQ(flags & cases[i].set, cases[i].set, "%s", cases[i].body);
        EXPECT_EQ(flags & cases[i].clear, 0u, "%s", cases[i].body);
    }
}

Test(css_document, language_is_inherited)
{
    hed_css_document *d =
        page("<!doctype html><html lang=en><body><p id=a><q lang=de-AT id=b></q>");
    EXPECT_TEXT(hed_css_names_text(names, d->language[by_id(d, "a")], NULL), "en");
    EXPECT_TEXT(hed_css_names_text(names, d->language[by_id(d, "b")], NULL), "de-AT");
    hed_css_document_destroy(d);
}

Test(css_document, a_page_names_its_sheets)
{
    hed_css_document *d = page(
        "<style media=print>a{}</style><link rel=stylesheet href=x.css>"
        "<link rel='alternate stylesheet' href=y.css><link rel=icon href=z><style>b{}</style>");
    const char *href, *media;
    size_t length;
    CHECK_EQ(hed_css_document_describe(d).style_sheets, 3u);
    EXPECT_TEXT(hed_css_document_sheet(d, 0, &length, &href, &media), "a{}");
    EXPECT_TEXT(media, "print");
    EXPECT_EQ(length, 3u);
    EXPECT(!hed_css_document_sheet(d, 1, NULL, &href, NULL));
    EXPECT_TEXT(href, "x.css");
    EXPECT_TEXT(hed_css_document_sheet(d, 2, NULL, NULL, NULL), "b{}");
    hed_css_document_destroy(d);
}

Test(css_document, trees_in_arrays)
{
    static const hed_css_attribute attributes[] = {{"class", "wide  low", 0}, {"id", "m", 0}};
    hed_css_element elements[4] = {{.parent = HED_CSS_NONE, .name = "html"},
        {.parent = 0, .name = "div", .attributes = attributes, .attribute_count = 2},
        {.parent = 1, .name = "p"}, {.parent = 0, .name = "p", .has_text = true}};
    hed_css_document_def def = {.elements = elements, .element_count = 4};
    hed_css_document *d;
    hed_error error = {0};
    char text[64];
    OK(hed_css_document_create(names, &def, &d, &error));
    EXPECT_EQ(d->end[1], 3u);
    EXPECT_EQ(d->position[CSS_CHILD][3], 2u);
    hed_css_element_text(d, 1, text, sizeof text);
    EXPECT(strstr(text, "div#m") && strstr(text, ".wide") && strstr(text, ".low"), "%s", text);
    hed_css_document_destroy(d);
    elements[2].parent = 3;
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(names, &def, &d, &error));
    elements[2].parent = 1;
    elements[3].parent = 2;
    elements[3].name = NULL;
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(names, &def, &d, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_css_document_create(names, &(hed_css_document_def){.element_count = 1}, &d, &error));
}

/* Ten thousand levels, and a hundred thousand siblings: no recursion, no square. */
Test(css_document, deep_and_wide, .timeout = 120)
{
    enum { DEEP = 10000, WIDE = 100000 };
    hed_css_element *elements = calloc(WIDE + 1, sizeof *elements);
    hed_css_document *d;
    hed_error error = {0};
    for (uint32_t i = 0; i < DEEP; i++)
        elements[i] = (hed_css_element){.parent = i ? i - 1 : HED_CSS_NONE, .name = "div"};
    hed_css_document_def def = {.elements = elements, .element_count = DEEP};
    OK(hed_css_document_create(names, &def, &d, &error));
    EXPECT_EQ(d->depth, DEEP - 1u);
    EXPECT_EQ(d->end[0], (uint32_t)DEEP);
    hed_css_document_destroy(d);
    for (uint32_t i = 0; i <= WIDE; i++)
        elements[i] = (hed_css_element){.parent = i ? 0 : HED_CSS_NONE, .name = i % 2 ? "p" : "q"};
    def.element_count = WIDE + 1;
    OK(hed_css_document_create(names, &def, &d, &error));
    EXPECT_EQ(d->position[CSS_OF_TYPE][WIDE], WIDE / 2u);
    EXPECT_EQ(d->position[CSS_LAST_OF_TYPE][1], WIDE / 2u);
    hed_css_document_destroy(d);
    free(elements);
}

/* ---- a program's own tree: a document again ---- */

/* Nodes are places in the array of parents. */
static const void *tree_child(void *user, const void *node)
{
    const hed_css_document *d = user;
    uint32_t e = (uint32_t)((const uint32_t *)node - d->parent);
    return e + 1 < d->end[e] ? &d->parent[e + 1] : NULL;
}

static const void *tree_next(void *user, const void *node)
{
    const hed_css_document *d = user;
    uint32_t e = (uint32_t)((const uint32_t *)node - d->parent);
    return d->end[e] < d->end[d->parent[e]] ? &d->parent[d->end[e]] : NULL;
}

static void tree_describe(void *user, const void *node, hed_css_element *element)
{
    static hed_css_attribute attributes[16];
    static char name[16][64]; /* another text each time, in the same place */
    const hed_css_document *d = user;
    uint32_t e = (uint32_t)((const uint32_t *)node - d->parent);
    element->name_space = (hed_css_namespace)d->name_space[e];
    element->name = hed_css_names_text(d->names, d->tag[e], NULL);
    element->has_text = d->has_text[e];
    element->attributes = attributes;
    for (uint32_t i = d->attribute_begin[e]; i < d->attribute_end[e]; i++) {
        uint32_t k = element->attribute_count++;
        snprintf(name[k], sizeof name[k], "%s",
            hed_css_names_text(d->names, d->attributes[i].name, NULL));
        attributes[k].name = name[k];
        attributes[k].value =
            hed_css_names_text(d->names, d->attributes[i].value, &attributes[k].value_length);
    }
}

static hed_css_tree tree_of(hed_css_document *d)
{
    return (hed_css_tree){d->parent, tree_child, tree_next, tree_describe, d};
}

Test(css_document, a_programs_tree)
{
    hed_error error = {0};
    hed_css_document *d = page(
                         "<!doctype html><body class='b a'><p id=x>1<p><i></i><b title='q r'><u>2"
                         "</u></b><svg><a></a></svg><p lang=de></p>"),
                     *again = NULL;
    OK(hed_css_document_create(names, &(hed_css_document_def){.tree = tree_of(d)}, &again, &error));
    CHECK_EQ(again->count, d->count);
    CHECK_BYTES(again->parent, d->parent, d->count * sizeof *d->parent);
    CHECK_BYTES(again->tag, d->tag, d->count * sizeof *d->tag);
    CHECK_BYTES(again->id, d->id, d->count * sizeof *d->id);
    CHECK_BYTES(again->flags, d->flags, d->count * sizeof *d->flags);
    CHECK_BYTES(again->language, d->language, d->count * sizeof *d->language);
    CHECK_BYTES(again->class_end, d->class_end, d->count * sizeof *d->class_end);
    CHECK_BYTES(again->attributes, d->attributes, d->attribute_count * sizeof *d->attributes);
    hed_css_document_destroy(again);
    hed_css_document_def def = {.tree = tree_of(d), .file = "mine"};
    def.tree.describe = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_css_document_create(names, &def, &again, &error));
    hed_css_document_destroy(d);
}

static void describe_nothing(void *user, const void *node, hed_css_element *element)
{
    (void)user;
    (void)node;
    (void)element;
}

static void describe_missing_attributes(void *user, const void *node, hed_css_element *element)
{
    (void)user;
    (void)node;
    element->name = "p";
    element->attribute_count = 2;
}

static const void *no_node(void *user, const void *node)
{
    (void)user;
    (void)node;
    return NULL;
}

Test(css_document, wrong_trees)
{
    hed_error error = {0};
    hed_css_document *d;
    hed_css_document_def def = {
        .tree = {.root = &def, no_node, no_node, describe_nothing}, .file = "mine"};
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(names, &def, &d, &error));
    CHECK(strstr(error.text, "mine: element 0 has no name"), "%s", error.text);
    def.tree.describe = describe_missing_attributes;
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(names, &def, &d, &error));
    CHECK(strstr(error.text, "2 attributes, which are NULL"), "%s", error.text);
    hed_css_element element = {.parent = CSS_NONE, .name = "p", .name_space = (hed_css_namespace)9};
    def = (hed_css_document_def){.elements = &element, .element_count = 1};
    FAILS(HED_ERROR_FORMAT, hed_css_document_create(names, &def, &d, &error));
    CHECK(strstr(error.text, "namespace 9"), "%s", error.text);
}

Test(css_document, every_allocation_of_a_tree_may_fail)
{
    hed_error error = {0};
    hed_css_document *d = page("<!doctype html><body class='b a'><p id=x title=1>1<p><i></i>"),
                     *again;
    int refused = 0;
    for (int64_t at = 1;; at++) {
        test_allocator memory = {.fail_at = at};
        hed_allocator allocator = test_allocator_of(&memory);
        hed_css_names *own = NULL;
        error = (hed_error){0};
        again = NULL;
        hed_css_names_create(&allocator, &own, &error);
        hed_css_document_def def = {.tree = tree_of(d)};
        hed_status status = hed_css_document_create(own, &def, &again, &error);
        hed_css_document_destroy(again);
        hed_css_names_destroy(own);
        CHECK_EQ(memory.live, 0, "allocation %lld", (long long)at);
        if (memory.calls < at) {
            CHECK_EQ(status, HED_OK);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %lld", (long long)at);
        refused++;
    }
    CHECK_GE(refused, 8);
    hed_css_document_destroy(d);
}
