/* Shorthands of the specifications that browsers of 2025 implement, including the properties that
 * they only reset (border resets border-image, font the variants), and aliases of properties. The
 * physical and the logical property of a pair, such as margin-left and margin-inline-start, are two
 * properties here: if both are set, the writing mode determines the one that applies. Sorted by
 * bytes. */
#include <stdlib.h>

#include "properties.h"

struct row {
    const char *name, *sets;
};

/* clang-format off */
#define SHORTHANDS(ROW) \
    ROW("-webkit-border-after", "border-block-end") \
    ROW("-webkit-border-before", "border-block-start") \
    ROW("-webkit-border-end", "border-inline-end") \
    ROW("-webkit-border-start", "border-inline-start") \
    ROW("-webkit-text-stroke", "-webkit-text-stroke-width -webkit-text-stroke-color") \
    ROW("all", "") \
    ROW("animation", "animation-duration animation-timing-function animation-delay " \
        "animation-iteration-count animation-direction animation-fill-mode animation-play-state " \
        "animation-name animation-timeline animation-range") \
    ROW("animation-range", "animation-range-start animation-range-end") \
    ROW("background", "background-image background-position background-size background-repeat " \
        "background-attachment background-origin background-clip background-color") \
    ROW("background-position", "background-position-x background-position-y") \
    ROW("border", "border-top border-right border-bottom border-left border-image") \
    ROW("border-block", "border-block-start border-block-end") \
    ROW("border-block-color", "border-block-start-color border-block-end-color") \
    ROW("border-block-end", "border-block-end-width border-block-end-style border-block-end-color") \
    ROW("border-block-start", "border-block-start-width border-block-start-style border-block-start-color") \
    ROW("border-block-style", "border-block-start-style border-block-end-style") \
    ROW("border-block-width", "border-block-start-width border-block-end-width") \
    ROW("border-bottom", "border-bottom-width border-bottom-style border-bottom-color") \
    ROW("border-color", "border-top-color border-right-color border-bottom-color border-left-color") \
    ROW("border-image", "border-image-source border-image-slice border-image-width border-image-outset " \
        "border-image-repeat") \
    ROW("border-inline", "border-inline-start border-inline-end") \
    ROW("border-inline-color", "border-inline-start-color border-inline-end-color") \
    ROW("border-inline-end", "border-inline-end-width border-inline-end-style border-inline-end-color") \
    ROW("border-inline-start", "border-inline-start-width border-inline-start-style " \
        "border-inline-start-color") \
    ROW("border-inline-style", "border-inline-start-style border-inline-end-style") \
    ROW("border-inline-width", "border-inline-start-width border-inline-end-width") \
    ROW("border-left", "border-left-width border-left-style border-left-color") \
    ROW("border-radius", "border-top-left-radius border-top-right-radius border-bottom-right-radius " \
        "border-bottom-left-radius") \
    ROW("border-right", "border-right-width border-right-style border-right-color") \
    ROW("border-style", "border-top-style border-right-style border-bottom-style border-left-style") \
    ROW("border-top", "border-top-width border-top-style border-top-color") \
    ROW("border-width", "border-top-width border-right-width border-bottom-width border-left-width") \
    ROW("column-rule", "column-rule-width column-rule-style column-rule-color") \
    ROW("columns", "column-width column-count") \
    ROW("contain-intrinsic-size", "contain-intrinsic-width contain-intrinsic-height") \
    ROW("container", "container-name container-type") \
    ROW("flex", "flex-grow flex-shrink flex-basis") \
    ROW("flex-flow", "flex-direction flex-wrap") \
    ROW("font", "font-style font-variant font-weight font-stretch font-size line-height font-family " \
        "font-optical-sizing font-size-adjust font-kerning font-feature-settings " \
        "font-variation-settings font-language-override") \
    ROW("font-synthesis", "font-synthesis-weight font-synthesis-style font-synthesis-small-caps") \
    ROW("font-variant", "font-variant-ligatures font-variant-caps font-variant-alternates " \
        "font-variant-numeric font-variant-east-asian font-variant-position font-variant-emoji") \
    ROW("gap", "row-gap column-gap") \
    ROW("grid", "grid-template grid-auto-flow grid-auto-rows grid-auto-columns") \
    ROW("grid-area", "grid-row grid-column") \
    ROW("grid-column", "grid-column-start grid-column-end") \
    ROW("grid-row", "grid-row-start grid-row-end") \
    ROW("grid-template", "grid-template-rows grid-template-columns grid-template-areas") \
    ROW("inset", "top right bottom left") \
    ROW("inset-block", "inset-block-start inset-block-end") \
    ROW("inset-inline", "inset-inline-start inset-inline-end") \
    ROW("list-style", "list-style-position list-style-image list-style-type") \
    ROW("margin", "margin-top margin-right margin-bottom margin-left") \
    ROW("margin-block", "margin-block-start margin-block-end") \
    ROW("margin-inline", "margin-inline-start margin-inline-end") \
    ROW("marker", "marker-start marker-mid marker-end") \
    ROW("mask", "mask-image mask-position mask-size mask-repeat mask-origin mask-clip mask-composite " \
        "mask-mode") \
    ROW("offset", "offset-position offset-path offset-distance offset-rotate offset-anchor") \
    ROW("outline", "outline-color outline-style outline-width") \
    ROW("overflow", "overflow-x overflow-y") \
    ROW("overscroll-behavior", "overscroll-behavior-x overscroll-behavior-y") \
    ROW("padding", "padding-top padding-right padding-bottom padding-left") \
    ROW("padding-block", "padding-block-start padding-block-end") \
    ROW("padding-inline", "padding-inline-start padding-inline-end") \
    ROW("place-content", "align-content justify-content") \
    ROW("place-items", "align-items justify-items") \
    ROW("place-self", "align-self justify-self") \
    ROW("position-try", "position-try-order position-try-fallbacks") \
    ROW("row-rule", "row-rule-width row-rule-style row-rule-color") \
    ROW("scroll-margin", "scroll-margin-top scroll-margin-right scroll-margin-bottom scroll-margin-left") \
    ROW("scroll-margin-block", "scroll-margin-block-start scroll-margin-block-end") \
    ROW("scroll-margin-inline", "scroll-margin-inline-start scroll-margin-inline-end") \
    ROW("scroll-padding", "scroll-padding-top scroll-padding-right scroll-padding-bottom " \
        "scroll-padding-left") \
    ROW("scroll-padding-block", "scroll-padding-block-start scroll-padding-block-end") \
    ROW("scroll-padding-inline", "scroll-padding-inline-start scroll-padding-inline-end") \
    ROW("scroll-timeline", "scroll-timeline-name scroll-timeline-axis") \
    ROW("text-box", "text-box-trim text-box-edge") \
    ROW("text-decoration", "text-decoration-line text-decoration-thickness text-decoration-style " \
        "text-decoration-color") \
    ROW("text-emphasis", "text-emphasis-style text-emphasis-color") \
    ROW("text-wrap", "text-wrap-mode text-wrap-style") \
    ROW("transition", "transition-property transition-duration transition-timing-function " \
        "transition-delay transition-behavior") \
    ROW("view-timeline", "view-timeline-name view-timeline-axis view-timeline-inset") \
    ROW("white-space", "white-space-collapse text-wrap-mode")

/* Aliases, except the name of a property with the prefix -webkit-. */
#define ALIASES(ROW) \
    ROW("-webkit-border-after-color", "border-block-end-color") \
    ROW("-webkit-border-after-style", "border-block-end-style") \
    ROW("-webkit-border-after-width", "border-block-end-width") \
    ROW("-webkit-border-before-color", "border-block-start-color") \
    ROW("-webkit-border-before-style", "border-block-start-style") \
    ROW("-webkit-border-before-width", "border-block-start-width") \
    ROW("-webkit-border-end-color", "border-inline-end-color") \
    ROW("-webkit-border-end-style", "border-inline-end-style") \
    ROW("-webkit-border-end-width", "border-inline-end-width") \
    ROW("-webkit-border-start-color", "border-inline-start-color") \
    ROW("-webkit-border-start-style", "border-inline-start-style") \
    ROW("-webkit-border-start-width", "border-inline-start-width") \
    ROW("-webkit-column-break-after", "break-after") \
    ROW("-webkit-column-break-before", "break-before") \
    ROW("-webkit-column-break-inside", "break-inside") \
    ROW("-webkit-logical-height", "block-size") \
    ROW("-webkit-logical-width", "inline-size") \
    ROW("-webkit-margin-after", "margin-block-end") \
    ROW("-webkit-margin-before", "margin-block-start") \
    ROW("-webkit-margin-end", "margin-inline-end") \
    ROW("-webkit-margin-start", "margin-inline-start") \
    ROW("-webkit-max-logical-height", "max-block-size") \
    ROW("-webkit-max-logical-width", "max-inline-size") \
    ROW("-webkit-min-logical-height", "min-block-size") \
    ROW("-webkit-min-logical-width", "min-inline-size") \
    ROW("-webkit-padding-after", "padding-block-end") \
    ROW("-webkit-padding-before", "padding-block-start") \
    ROW("-webkit-padding-end", "padding-inline-end") \
    ROW("-webkit-padding-start", "padding-inline-start") \
    ROW("grid-column-gap", "column-gap") \
    ROW("grid-gap", "gap") \
    ROW("grid-row-gap", "row-gap") \
    ROW("page-break-after", "break-after") \
    ROW("page-break-before", "break-before") \
    ROW("page-break-inside", "break-inside") \
    ROW("word-wrap", "overflow-wrap")

/* Properties with -webkit- that differ from the property without it. */
static const char *const own_webkit[] = {
    "-webkit-border-image", "-webkit-box-align", "-webkit-box-decoration-break",
    "-webkit-box-direction", "-webkit-box-flex", "-webkit-box-ordinal-group", "-webkit-box-orient",
    "-webkit-box-pack", "-webkit-box-reflect", "-webkit-line-break", "-webkit-line-clamp",
    "-webkit-ruby-position", "-webkit-text-combine", "-webkit-text-orientation",
    "-webkit-writing-mode",
};
/* clang-format on */

#define ROW(name, sets) {name, sets},
static const struct row shorthands[] = {SHORTHANDS(ROW)}, aliases[] = {ALIASES(ROW)};
CSS_ASSERT_SORTED(SHORTHANDS(CSS_NEXT));
CSS_ASSERT_SORTED(ALIASES(CSS_NEXT));

static int compare_row(const void *name, const void *row)
{
    return strcmp(name, ((const struct row *)row)->name);
}

const char *css_property_of(const char *name)
{
    const struct row *row = bsearch(name, aliases, HED_COUNT(aliases), sizeof *row, compare_row);
    if (row) return row->sets;
    if (strncmp(name, "-webkit-", 8) != 0) return name;
    for (size_t i = 0; i < HED_COUNT(own_webkit); i++)
        if (strcmp(own_webkit[i], name) == 0) return name;
    return css_property_known(name) && css_property_known(name + 8) ? name + 8 : name;
}

const char *css_shorthand(const char *property)
{
    const struct row *row =
        bsearch(property, shorthands, HED_COUNT(shorthands), sizeof *row, compare_row);
    return row ? row->sets : NULL;
}

bool css_property_sets(const char *property, const char *longhand)
{
    if (strcmp(property, longhand) == 0) return true;
    const char *sets = css_shorthand(property);
    if (!sets) return false;
    bool custom = longhand[0] == '-' && longhand[1] == '-';
    if (!*sets)
        return !custom && strcmp(longhand, "direction") != 0 && strcmp(longhand, "unicode-bidi");
    for (const char *at = sets; *at;) {
        char word[64];
        size_t length = strcspn(at, " ");
        memcpy(word, at, length);
        word[length] = 0;
        if (css_property_sets(word, longhand)) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}
