/* The pseudo-classes and pseudo-elements of Selectors 4, CSS Pseudo-Elements 4 and the
 * specifications that extend them, and names with `-webkit-` that pages rely on. Sorted by name, by
 * bytes. */
#include "pseudo.h"

#include <stdlib.h>

#include "document.h"

/* clang-format off */
static const css_pseudo classes[] = {
    {.name = "-webkit-any-link", .kind = CSS_FLAG, .bits = CSS_LINK},
    {.name = "-webkit-autofill", .kind = CSS_STATE, .bits = HED_CSS_AUTOFILL},
    {.name = "-webkit-drag", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "-webkit-full-page-media", .kind = CSS_NEVER, .behind_element = true},
    {.name = "-webkit-full-screen", .kind = CSS_STATE, .bits = HED_CSS_FULLSCREEN},
    {.name = "-webkit-full-screen-ancestor", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "active", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_ACTIVE},
    {.name = "active-view-transition", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "any-link", .kind = CSS_FLAG, .bits = CSS_LINK},
    {.name = "autofill", .kind = CSS_STATE, .bits = HED_CSS_AUTOFILL},
    {.name = "blank", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "buffering", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "checked", .kind = CSS_FLAG, .bits = CSS_CHECKED, .changes = CSS_CHANGES_CHECKED},
    {.name = "corner-present", .kind = CSS_NEVER, .behind_element = true},
    {.name = "current", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE},
    {.name = "decrement", .kind = CSS_NEVER, .behind_element = true},
    {.name = "default", .kind = CSS_FLAG, .bits = CSS_DEFAULT},
    {.name = "defined", .kind = CSS_FLAG, .bits = CSS_DEFINED},
    {.name = "disabled", .kind = CSS_FLAG, .bits = CSS_DISABLED},
    {.name = "double-button", .kind = CSS_NEVER, .behind_element = true},
    {.name = "empty", .kind = CSS_FLAG, .bits = CSS_EMPTY, .changes = CSS_CHANGES_EMPTY},
    {.name = "enabled", .kind = CSS_FLAG, .bits = CSS_ENABLED},
    {.name = "end", .kind = CSS_NEVER, .behind_element = true},
    {.name = "first-child", .kind = CSS_NTH},
    {.name = "first-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE},
    {.name = "focus", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_FOCUS},
    {.name = "focus-visible", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_FOCUS_VISIBLE},
    {.name = "focus-within", .kind = CSS_STATE, .behind_element = true, .role = CSS_PSEUDO_WITHIN, .bits = HED_CSS_FOCUS},
    {.name = "fullscreen", .kind = CSS_STATE, .bits = HED_CSS_FULLSCREEN},
    {.name = "future", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "has-slotted", .kind = CSS_NEVER, .role = CSS_PSEUDO_SHADOW},
    {.name = "horizontal", .kind = CSS_NEVER, .behind_element = true},
    {.name = "host", .kind = CSS_NEVER, .role = CSS_PSEUDO_SHADOW},
    {.name = "hover", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_HOVER},
    {.name = "in-range", .kind = CSS_FLAG, .bits = CSS_IN_RANGE, .changes = CSS_CHANGES_RANGE},
    {.name = "increment", .kind = CSS_NEVER, .behind_element = true},
    {.name = "indeterminate", .kind = CSS_FLAG, .bits = CSS_INDETERMINATE, .changes = CSS_CHANGES_INDETERMINATE},
    {.name = "interest-source", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "interest-target", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "invalid", .kind = CSS_FLAG, .bits = CSS_INVALID, .changes = CSS_CHANGES_VALIDITY},
    {.name = "last-child", .kind = CSS_NTH, .operation = CSS_LAST_CHILD},
    {.name = "last-of-type", .kind = CSS_NTH, .operation = CSS_LAST_OF_TYPE},
    {.name = "link", .kind = CSS_FLAG, .bits = CSS_LINK, .changes = CSS_LINK},
    {.name = "local-link", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "modal", .kind = CSS_STATE, .bits = HED_CSS_MODAL},
    {.name = "muted", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "no-button", .kind = CSS_NEVER, .behind_element = true},
    {.name = "only-child", .kind = CSS_NTH, .role = CSS_PSEUDO_ONLY},
    {.name = "only-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE, .role = CSS_PSEUDO_ONLY},
    {.name = "open", .kind = CSS_FLAG, .bits = CSS_OPEN, .changes = CSS_CHANGES_OPEN},
    {.name = "optional", .kind = CSS_FLAG, .bits = CSS_OPTIONAL},
    {.name = "out-of-range", .kind = CSS_FLAG, .bits = CSS_OUT_OF_RANGE, .changes = CSS_CHANGES_RANGE},
    {.name = "past", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "paused", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "picture-in-picture", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "placeholder-shown", .kind = CSS_FLAG, .bits = CSS_PLACEHOLDER_SHOWN, .changes = CSS_CHANGES_PLACEHOLDER},
    {.name = "playing", .kind = CSS_STATE, .bits = HED_CSS_PLAYING},
    {.name = "popover-open", .kind = CSS_STATE, .bits = HED_CSS_POPOVER_OPEN},
    {.name = "read-only", .kind = CSS_FLAG, .bits = CSS_READ_ONLY},
    {.name = "read-write", .kind = CSS_FLAG, .bits = CSS_READ_WRITE},
    {.name = "required", .kind = CSS_FLAG, .bits = CSS_REQUIRED},
    {.name = "root", .kind = CSS_FLAG, .bits = CSS_ROOT},
    {.name = "scope", .kind = CSS_FLAG, .bits = CSS_ROOT},
    {.name = "seeking", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "single-button", .kind = CSS_NEVER, .behind_element = true},
    {.name = "stalled", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "start", .kind = CSS_NEVER, .behind_element = true},
    {.name = "target", .kind = CSS_STATE, .bits = HED_CSS_TARGET},
    {.name = "target-after", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE},
    {.name = "target-before", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE},
    {.name = "target-current", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE},
    {.name = "target-within", .kind = CSS_STATE, .role = CSS_PSEUDO_WITHIN, .bits = HED_CSS_TARGET},
    {.name = "user-invalid", .kind = CSS_STATE, .bits = HED_CSS_USER_INVALID},
    {.name = "user-valid", .kind = CSS_STATE, .bits = HED_CSS_USER_VALID},
    {.name = "valid", .kind = CSS_FLAG, .bits = CSS_VALID, .changes = CSS_CHANGES_VALIDITY},
    {.name = "vertical", .kind = CSS_NEVER, .behind_element = true},
    {.name = "visited", .kind = CSS_STATE, .bits = HED_CSS_VISITED},
    {.name = "volume-locked", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "window-inactive", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE},
    {.name = "xr-overlay", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
};

static const css_pseudo functions[] = {
    {.name = "-webkit-any", .kind = CSS_IS, .bits = 1},
    {.name = "active-view-transition-type", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE},
    {.name = "dir", .kind = CSS_FLAG},
    {.name = "has", .kind = CSS_HAS},
    {.name = "host", .kind = CSS_NEVER, .role = CSS_PSEUDO_SHADOW, .argument = CSS_ARGUMENT_COMPOUND},
    {.name = "host-context", .kind = CSS_NEVER, .role = CSS_PSEUDO_SHADOW, .argument = CSS_ARGUMENT_COMPOUND},
    {.name = "is", .kind = CSS_IS, .behind_element = true},
    {.name = "lang", .kind = CSS_LANG},
    {.name = "not", .kind = CSS_NOT, .behind_element = true},
    {.name = "nth-child", .kind = CSS_NTH},
    {.name = "nth-last-child", .kind = CSS_NTH, .operation = CSS_LAST_CHILD},
    {.name = "nth-last-of-type", .kind = CSS_NTH, .operation = CSS_LAST_OF_TYPE},
    {.name = "nth-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE},
    {.name = "state", .kind = CSS_STATE, .argument = CSS_ARGUMENT_NAME, .bits = HED_CSS_OTHER_STATE},
    {.name = "where", .kind = CSS_IS, .negated = true, .behind_element = true},
};

static const css_pseudo elements[] = {
    {.name = "after"},
    {.name = "backdrop"},
    {.name = "before"},
    {.name = "checkmark"},
    {.name = "column"},
    {.name = "cue"},
    {.name = "details-content", .role = CSS_PSEUDO_BACKED},
    {.name = "file-selector-button"},
    {.name = "first-letter"},
    {.name = "first-line"},
    {.name = "grammar-error"},
    {.name = "marker", .behind_element = true},
    {.name = "picker-icon"},
    {.name = "placeholder"},
    {.name = "scroll-marker", .behind_element = true},
    {.name = "scroll-marker-group"},
    {.name = "search-text"},
    {.name = "selection"},
    {.name = "spelling-error"},
    {.name = "target-text"},
    {.name = "view-transition"},
};

static const css_pseudo element_functions[] = {
    {.name = "cue", .argument = CSS_ARGUMENT_COMPOUNDS},
    {.name = "highlight", .argument = CSS_ARGUMENT_NAME},
    {.name = "part", .role = CSS_PSEUDO_SHADOW, .argument = CSS_ARGUMENT_NAMES},
    {.name = "picker", .role = CSS_PSEUDO_BACKED, .argument = CSS_ARGUMENT_SELECT},
    {.name = "scroll-button", .argument = CSS_ARGUMENT_SIDE},
    {.name = "slotted", .role = CSS_PSEUDO_SHADOW, .argument = CSS_ARGUMENT_COMPOUND},
    {.name = "view-transition-group"},
    {.name = "view-transition-group-children"},
    {.name = "view-transition-image-pair"},
    {.name = "view-transition-new"},
    {.name = "view-transition-old"},
};
/* clang-format on */

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
