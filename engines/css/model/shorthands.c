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
static const struct row shorthands[] = {
    {"-webkit-border-after", "border-block-end"},
    {"-webkit-border-before", "border-block-start"},
    {"-webkit-border-end", "border-inline-end"},
    {"-webkit-border-start", "border-inline-start"},
    {"-webkit-text-stroke", "-webkit-text-stroke-width -webkit-text-stroke-color"},
    {"all", ""},
    {"animation", "animation-duration animation-timing-function animation-delay "
        "animation-iteration-count animation-direction animation-fill-mode animation-play-state "
        "animation-name animation-timeline animation-range"},
    {"animation-range", "animation-range-start animation-range-end"},
    {"background", "background-image background-position background-size background-repeat "
        "background-attachment background-origin background-clip background-color"},
    {"background-position", "background-position-x background-position-y"},
    {"border", "border-top border-right border-bottom border-left border-image"},
    {"border-block", "border-block-start border-block-end"},
    {"border-block-color", "border-block-start-color border-block-end-color"},
    {"border-block-end", "border-block-end-width border-block-end-style border-block-end-color"},
    {"border-block-start", "border-block-start-width border-block-start-style border-block-start-color"},
    {"border-block-style", "border-block-start-style border-block-end-style"},
    {"border-block-width", "border-block-start-width border-block-end-width"},
    {"border-bottom", "border-bottom-width border-bottom-style border-bottom-color"},
    {"border-color", "border-top-color border-right-color border-bottom-color border-left-color"},
    {"border-image", "border-image-source border-image-slice border-image-width border-image-outset "
        "border-image-repeat"},
    {"border-inline", "border-inline-start border-inline-end"},
    {"border-inline-color", "border-inline-start-color border-inline-end-color"},
    {"border-inline-end", "border-inline-end-width border-inline-end-style border-inline-end-color"},
    {"border-inline-start", "border-inline-start-width border-inline-start-style "
        "border-inline-start-color"},
    {"border-inline-style", "border-inline-start-style border-inline-end-style"},
    {"border-inline-width", "border-inline-start-width border-inline-end-width"},
    {"border-left", "border-left-width border-left-style border-left-color"},
    {"border-radius", "border-top-left-radius border-top-right-radius border-bottom-right-radius "
        "border-bottom-left-radius"},
    {"border-right", "border-right-width border-right-style border-right-color"},
    {"border-style", "border-top-style border-right-style border-bottom-style border-left-style"},
    {"border-top", "border-top-width border-top-style border-top-color"},
    {"border-width", "border-top-width border-right-width border-bottom-width border-left-width"},
    {"column-rule", "column-rule-width column-rule-style column-rule-color"},
    {"columns", "column-width column-count"},
    {"contain-intrinsic-size", "contain-intrinsic-width contain-intrinsic-height"},
    {"container", "container-name container-type"},
    {"flex", "flex-grow flex-shrink flex-basis"},
    {"flex-flow", "flex-direction flex-wrap"},
    {"font", "font-style font-variant font-weight font-stretch font-size line-height font-family "
        "font-optical-sizing font-size-adjust font-kerning font-feature-settings "
        "font-variation-settings font-language-override"},
    {"font-synthesis", "font-synthesis-weight font-synthesis-style font-synthesis-small-caps"},
    {"font-variant", "font-variant-ligatures font-variant-caps font-variant-alternates "
        "font-variant-numeric font-variant-east-asian font-variant-position font-variant-emoji"},
    {"gap", "row-gap column-gap"},
    {"grid", "grid-template grid-auto-flow grid-auto-rows grid-auto-columns"},
    {"grid-area", "grid-row grid-column"},
    {"grid-column", "grid-column-start grid-column-end"},
    {"grid-row", "grid-row-start grid-row-end"},
    {"grid-template", "grid-template-rows grid-template-columns grid-template-areas"},
    {"inset", "top right bottom left"},
    {"inset-block", "inset-block-start inset-block-end"},
    {"inset-inline", "inset-inline-start inset-inline-end"},
    {"list-style", "list-style-position list-style-image list-style-type"},
    {"margin", "margin-top margin-right margin-bottom margin-left"},
    {"margin-block", "margin-block-start margin-block-end"},
    {"margin-inline", "margin-inline-start margin-inline-end"},
    {"marker", "marker-start marker-mid marker-end"},
    {"mask", "mask-image mask-position mask-size mask-repeat mask-origin mask-clip mask-composite "
        "mask-mode"},
    {"offset", "offset-position offset-path offset-distance offset-rotate offset-anchor"},
    {"outline", "outline-color outline-style outline-width"},
    {"overflow", "overflow-x overflow-y"},
    {"overscroll-behavior", "overscroll-behavior-x overscroll-behavior-y"},
    {"padding", "padding-top padding-right padding-bottom padding-left"},
    {"padding-block", "padding-block-start padding-block-end"},
    {"padding-inline", "padding-inline-start padding-inline-end"},
    {"place-content", "align-content justify-content"},
    {"place-items", "align-items justify-items"},
    {"place-self", "align-self justify-self"},
    {"position-try", "position-try-order position-try-fallbacks"},
    {"row-rule", "row-rule-width row-rule-style row-rule-color"},
    {"scroll-margin", "scroll-margin-top scroll-margin-right scroll-margin-bottom scroll-margin-left"},
    {"scroll-margin-block", "scroll-margin-block-start scroll-margin-block-end"},
    {"scroll-margin-inline", "scroll-margin-inline-start scroll-margin-inline-end"},
    {"scroll-padding", "scroll-padding-top scroll-padding-right scroll-padding-bottom "
        "scroll-padding-left"},
    {"scroll-padding-block", "scroll-padding-block-start scroll-padding-block-end"},
    {"scroll-padding-inline", "scroll-padding-inline-start scroll-padding-inline-end"},
    {"scroll-timeline", "scroll-timeline-name scroll-timeline-axis"},
    {"text-box", "text-box-trim text-box-edge"},
    {"text-decoration", "text-decoration-line text-decoration-thickness text-decoration-style "
        "text-decoration-color"},
    {"text-emphasis", "text-emphasis-style text-emphasis-color"},
    {"text-wrap", "text-wrap-mode text-wrap-style"},
    {"transition", "transition-property transition-duration transition-timing-function "
        "transition-delay transition-behavior"},
    {"view-timeline", "view-timeline-name view-timeline-axis view-timeline-inset"},
    {"white-space", "white-space-collapse text-wrap-mode"},
};

/* Aliases, except the name of a property with the prefix -webkit-. */
static const struct row aliases[] = {
    {"-webkit-border-after-color", "border-block-end-color"},
    {"-webkit-border-after-style", "border-block-end-style"},
    {"-webkit-border-after-width", "border-block-end-width"},
    {"-webkit-border-before-color", "border-block-start-color"},
    {"-webkit-border-before-style", "border-block-start-style"},
    {"-webkit-border-before-width", "border-block-start-width"},
    {"-webkit-border-end-color", "border-inline-end-color"},
    {"-webkit-border-end-style", "border-inline-end-style"},
    {"-webkit-border-end-width", "border-inline-end-width"},
    {"-webkit-border-start-color", "border-inline-start-color"},
    {"-webkit-border-start-style", "border-inline-start-style"},
    {"-webkit-border-start-width", "border-inline-start-width"},
    {"-webkit-column-break-after", "break-after"},
    {"-webkit-column-break-before", "break-before"},
    {"-webkit-column-break-inside", "break-inside"},
    {"-webkit-logical-height", "block-size"},
    {"-webkit-logical-width", "inline-size"},
    {"-webkit-margin-after", "margin-block-end"},
    {"-webkit-margin-before", "margin-block-start"},
    {"-webkit-margin-end", "margin-inline-end"},
    {"-webkit-margin-start", "margin-inline-start"},
    {"-webkit-max-logical-height", "max-block-size"},
    {"-webkit-max-logical-width", "max-inline-size"},
    {"-webkit-min-logical-height", "min-block-size"},
    {"-webkit-min-logical-width", "min-inline-size"},
    {"-webkit-padding-after", "padding-block-end"},
    {"-webkit-padding-before", "padding-block-start"},
    {"-webkit-padding-end", "padding-inline-end"},
    {"-webkit-padding-start", "padding-inline-start"},
    {"grid-column-gap", "column-gap"},
    {"grid-gap", "gap"},
    {"grid-row-gap", "row-gap"},
    {"page-break-after", "break-after"},
    {"page-break-before", "break-before"},
    {"page-break-inside", "break-inside"},
    {"word-wrap", "overflow-wrap"},
};

/* Properties with -webkit- that differ from the property without it. */
static const char *const own_webkit[] = {
    "-webkit-border-image", "-webkit-box-align", "-webkit-box-decoration-break",
    "-webkit-box-direction", "-webkit-box-flex", "-webkit-box-ordinal-group", "-webkit-box-orient",
    "-webkit-box-pack", "-webkit-box-reflect", "-webkit-line-break", "-webkit-line-clamp",
    "-webkit-ruby-position", "-webkit-text-combine", "-webkit-text-orientation",
    "-webkit-writing-mode",
};
/* clang-format on */

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
