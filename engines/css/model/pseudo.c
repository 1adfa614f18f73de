/* Tables of pseudo_list.h, and the search in them. */
#include "pseudo.h"

#include <stdlib.h>

#include "document.h"
#include "pseudo_list.h"

#define ROW(name_, ...) {.name = (name_), __VA_ARGS__},
#define FLAG(name_, flag, changes_) \
    ROW(name_, .kind = CSS_FLAG, .bits = CSS_##flag, .changes = (changes_))

static const css_pseudo classes[] = {CSS_PSEUDO_CLASSES(FLAG, ROW)};
static const css_pseudo functions[] = {CSS_PSEUDO_FUNCTIONS(ROW)};
static const css_pseudo elements[] = {CSS_PSEUDO_ELEMENTS(ROW)};
static const css_pseudo element_functions[] = {CSS_PSEUDO_ELEMENT_FUNCTIONS(ROW)};

CSS_ASSERT_SORTED(CSS_PSEUDO_CLASSES(CSS_NEXT, CSS_NEXT));
CSS_ASSERT_SORTED(CSS_PSEUDO_FUNCTIONS(CSS_NEXT));
CSS_ASSERT_SORTED(CSS_PSEUDO_ELEMENTS(CSS_NEXT));
CSS_ASSERT_SORTED(CSS_PSEUDO_ELEMENT_FUNCTIONS(CSS_NEXT));

static int compare_pseudo(const void *name, const void *pseudo)
{
    return strcmp(name, ((const css_pseudo *)pseudo)->name);
}

const css_pseudo *css_find_pseudo(const char *name, css_pseudo_use use)
{
    static const struct {
        const css_pseudo *list;
        size_t count;
    } lists[] = {
        [CSS_PSEUDO_CLASS] = {classes, HED_COUNT(classes)},
        [CSS_PSEUDO_FUNCTION] = {functions, HED_COUNT(functions)},
        [CSS_PSEUDO_ELEMENT] = {elements, HED_COUNT(elements)},
        [CSS_PSEUDO_ELEMENT_FUNCTION] = {element_functions, HED_COUNT(element_functions)},
    };
    return bsearch(
        name, lists[use].list, lists[use].count, sizeof *lists[use].list, compare_pseudo);
}
