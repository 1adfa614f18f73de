/* The pseudo-classes and pseudo-elements of Selectors 4, CSS Pseudo-Elements 4 and the
 * specifications that extend them, and names with `-webkit-` that pages rely on: the only place
 * that lists them. Sorted by name, by bytes, which pseudo.c asserts.
 *
 *   FLAG(name, flag, changes)   pseudo-class of a flag CSS_flag of the elements, which document.h
 *                               declares from this row and element_states.c sets; `changes`: flag of the
 *                               elements on which a reader can change it; 0: none
 *   ROW(name, members...)       all others: members of css_pseudo
 *
 * CONTRIBUTING.md has how to add one. */
#ifndef HED_CSS_PSEUDO_LIST_H
#define HED_CSS_PSEUDO_LIST_H

/* Elements of states. */
#define CSS_FIELDS "input select textarea"
#define CSS_MEDIA "audio video"
#define CSS_TARGETS "[id] a[name]"

/* clang-format off */
#define CSS_PSEUDO_CLASSES(FLAG, ROW) \
    ROW("-webkit-any-link", .kind = CSS_FLAG, .bits = CSS_LINK) \
    ROW("-webkit-autofill", .kind = CSS_STATE, .bits = HED_CSS_AUTOFILL, .elements = CSS_FIELDS) \
    ROW("-webkit-drag", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("-webkit-full-page-media", .kind = CSS_NEVER, .behind_element = true) \
    ROW("-webkit-full-screen", .kind = CSS_STATE, .bits = HED_CSS_FULLSCREEN) \
    ROW("-webkit-full-screen-ancestor", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("active", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_ACTIVE) \
    ROW("active-view-transition", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("any-link", .kind = CSS_FLAG, .bits = CSS_LINK) \
    ROW("autofill", .kind = CSS_STATE, .bits = HED_CSS_AUTOFILL, .elements = CSS_FIELDS) \
    ROW("blank", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("buffering", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    FLAG("checked", CHECKED, CSS_CHANGES_CHECKED) \
    ROW("corner-present", .kind = CSS_NEVER, .behind_element = true) \
    ROW("current", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE) \
    ROW("decrement", .kind = CSS_NEVER, .behind_element = true) \
    FLAG("default", DEFAULT, 0) \
    FLAG("defined", DEFINED, CSS_CHANGES_DEFINED) \
    FLAG("disabled", DISABLED, 0) \
    ROW("double-button", .kind = CSS_NEVER, .behind_element = true) \
    FLAG("empty", EMPTY, CSS_CHANGES_EMPTY) \
    FLAG("enabled", ENABLED, 0) \
    ROW("end", .kind = CSS_NEVER, .behind_element = true) \
    ROW("first-child", .kind = CSS_NTH) \
    ROW("first-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE) \
    ROW("focus", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_FOCUS) \
    ROW("focus-visible", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_FOCUS_VISIBLE) \
    ROW("focus-within", .kind = CSS_STATE, .behind_element = true, .role = CSS_PSEUDO_WITHIN, .bits = HED_CSS_FOCUS) \
    ROW("fullscreen", .kind = CSS_STATE, .bits = HED_CSS_FULLSCREEN) \
    ROW("future", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("has-slotted", .kind = CSS_HAS_SLOTTED, .role = CSS_PSEUDO_SHADOW) \
    ROW("horizontal", .kind = CSS_NEVER, .behind_element = true) \
    ROW("host", .kind = CSS_HOST, .role = CSS_PSEUDO_SHADOW) \
    ROW("hover", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_HOVER) \
    FLAG("in-range", IN_RANGE, CSS_CHANGES_RANGE) \
    ROW("increment", .kind = CSS_NEVER, .behind_element = true) \
    FLAG("indeterminate", INDETERMINATE, CSS_CHANGES_INDETERMINATE) \
    ROW("interest-source", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("interest-target", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    FLAG("invalid", INVALID, CSS_CHANGES_VALIDITY) \
    ROW("last-child", .kind = CSS_NTH, .operation = CSS_LAST_CHILD) \
    ROW("last-of-type", .kind = CSS_NTH, .operation = CSS_LAST_OF_TYPE) \
    FLAG("link", LINK, CSS_LINK) \
    ROW("local-link", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("modal", .kind = CSS_STATE, .bits = HED_CSS_MODAL) \
    ROW("muted", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    ROW("no-button", .kind = CSS_NEVER, .behind_element = true) \
    ROW("only-child", .kind = CSS_NTH, .role = CSS_PSEUDO_ONLY) \
    ROW("only-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE, .role = CSS_PSEUDO_ONLY) \
    FLAG("open", OPEN, CSS_CHANGES_OPEN) \
    FLAG("optional", OPTIONAL, 0) \
    FLAG("out-of-range", OUT_OF_RANGE, CSS_CHANGES_RANGE) \
    ROW("past", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("paused", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    ROW("picture-in-picture", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = "video") \
    FLAG("placeholder-shown", PLACEHOLDER_SHOWN, CSS_CHANGES_PLACEHOLDER) \
    ROW("playing", .kind = CSS_STATE, .bits = HED_CSS_PLAYING, .elements = CSS_MEDIA) \
    ROW("popover-open", .kind = CSS_STATE, .bits = HED_CSS_POPOVER_OPEN, .elements = "[popover]") \
    FLAG("read-only", READ_ONLY, 0) \
    FLAG("read-write", READ_WRITE, 0) \
    FLAG("required", REQUIRED, 0) \
    FLAG("root", ROOT, 0) \
    ROW("scope", .kind = CSS_FLAG, .role = CSS_PSEUDO_SCOPE, .bits = CSS_ROOT) \
    ROW("seeking", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    ROW("single-button", .kind = CSS_NEVER, .behind_element = true) \
    ROW("stalled", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    ROW("start", .kind = CSS_NEVER, .behind_element = true) \
    ROW("target", .kind = CSS_STATE, .bits = HED_CSS_TARGET, .elements = CSS_TARGETS) \
    ROW("target-after", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE) \
    ROW("target-before", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE) \
    ROW("target-current", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE) \
    ROW("target-within", .kind = CSS_STATE, .role = CSS_PSEUDO_WITHIN, .bits = HED_CSS_TARGET) \
    ROW("user-invalid", .kind = CSS_STATE, .bits = HED_CSS_USER_INVALID, .elements = CSS_FIELDS) \
    ROW("user-valid", .kind = CSS_STATE, .bits = HED_CSS_USER_VALID, .elements = CSS_FIELDS) \
    FLAG("valid", VALID, CSS_CHANGES_VALIDITY) \
    ROW("vertical", .kind = CSS_NEVER, .behind_element = true) \
    ROW("visited", .kind = CSS_STATE, .bits = HED_CSS_VISITED) \
    ROW("volume-locked", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE, .elements = CSS_MEDIA) \
    ROW("window-inactive", .kind = CSS_STATE, .behind_element = true, .bits = HED_CSS_OTHER_STATE) \
    ROW("xr-overlay", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE)

#define CSS_PSEUDO_FUNCTIONS(ROW) \
    ROW("-webkit-any", .kind = CSS_IS, .bits = 1) \
    ROW("active-view-transition-type", .kind = CSS_STATE, .bits = HED_CSS_OTHER_STATE) \
    ROW("dir", .kind = CSS_FLAG) \
    ROW("has", .kind = CSS_HAS) \
    ROW("host", .kind = CSS_HOST, .role = CSS_PSEUDO_SHADOW, .operation = CSS_HOST_LIST) \
    ROW("host-context", .kind = CSS_HOST, .role = CSS_PSEUDO_SHADOW, .operation = CSS_HOST_CONTEXT) \
    ROW("is", .kind = CSS_IS, .behind_element = true) \
    ROW("lang", .kind = CSS_LANG) \
    ROW("not", .kind = CSS_NOT, .behind_element = true) \
    ROW("nth-child", .kind = CSS_NTH) \
    ROW("nth-last-child", .kind = CSS_NTH, .operation = CSS_LAST_CHILD) \
    ROW("nth-last-of-type", .kind = CSS_NTH, .operation = CSS_LAST_OF_TYPE) \
    ROW("nth-of-type", .kind = CSS_NTH, .operation = CSS_OF_TYPE) \
    ROW("state", .kind = CSS_STATE, .argument = CSS_ARGUMENT_NAME, .bits = HED_CSS_OTHER_STATE) \
    ROW("where", .kind = CSS_IS, .negated = true, .behind_element = true)

#define CSS_PSEUDO_ELEMENTS(ROW) \
    ROW("after") \
    ROW("backdrop") \
    ROW("before") \
    ROW("checkmark") \
    ROW("column") \
    ROW("cue") \
    ROW("details-content", .role = CSS_PSEUDO_BACKED) \
    ROW("file-selector-button") \
    ROW("first-letter") \
    ROW("first-line") \
    ROW("grammar-error") \
    ROW("marker", .behind_element = true) \
    ROW("picker-icon") \
    ROW("placeholder") \
    ROW("scroll-marker", .behind_element = true) \
    ROW("scroll-marker-group") \
    ROW("search-text") \
    ROW("selection") \
    ROW("spelling-error") \
    ROW("target-text") \
    ROW("view-transition")

#define CSS_PSEUDO_ELEMENT_FUNCTIONS(ROW) \
    ROW("cue", .argument = CSS_ARGUMENT_COMPOUNDS) \
    ROW("highlight", .argument = CSS_ARGUMENT_NAME) \
    ROW("part", .kind = CSS_PART, .role = CSS_PSEUDO_SHADOW) \
    ROW("picker", .role = CSS_PSEUDO_BACKED, .argument = CSS_ARGUMENT_SELECT) \
    ROW("scroll-button", .argument = CSS_ARGUMENT_SIDE) \
    ROW("slotted", .kind = CSS_SLOTTED, .role = CSS_PSEUDO_SHADOW) \
    ROW("view-transition-group") \
    ROW("view-transition-group-children") \
    ROW("view-transition-image-pair") \
    ROW("view-transition-new") \
    ROW("view-transition-old")

/* clang-format on */

#endif
