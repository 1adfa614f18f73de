/* Names of SVG and MathML, which are adjusted. */
#include "html_parser.h"

/* Number of an adjusted name; `name` if it is NULL. */
static uint32_t adjust(html_parser *p, const char *adjusted, uint32_t name)
{
    if (!adjusted) return name;
    name = hed_css_names_add(p->names, adjusted, strlen(adjusted));
    if (name == CSS_NONE) p->failed = p->stopped = true;
    return name;
}

uint32_t html_svg_name(html_parser *p, uint32_t name)
{
    return adjust(p, css_svg_tag(hed_css_names_text(p->names, name, NULL)), name);
}

uint32_t html_foreign_attribute(
    html_parser *p, hed_css_namespace of, uint32_t name, uint32_t *name_space)
{
    static const char *const svg[] = {"attributeName", "attributeType", "baseFrequency",
        "baseProfile", "calcMode", "clipPathUnits", "diffuseConstant", "edgeMode", "filterUnits",
        "glyphRef", "gradientTransform", "gradientUnits", "kernelMatrix", "kernelUnitLength",
        "keyPoints", "keySplines", "keyTimes", "lengthAdjust", "limitingConeAngle", "markerHeight",
        "markerUnits", "markerWidth", "maskContentUnits", "maskUnits", "numOctaves", "pathLength",
        "patternContentUnits", "patternTransform", "patternUnits", "pointsAtX", "pointsAtY",
        "pointsAtZ", "preserveAlpha", "preserveAspectRatio", "primitiveUnits", "refX", "refY",
        "repeatCount", "repeatDur", "requiredExtensions", "requiredFeatures", "specularConstant",
        "specularExponent", "spreadMethod", "startOffset", "stdDeviation", "stitchTiles",
        "surfaceScale", "systemLanguage", "tableValues", "targetX", "targetY", "textLength",
        "viewBox", "viewTarget", "xChannelSelector", "yChannelSelector", "zoomAndPan"};
    static const char *const spaced[] = {"xlink:actuate", "xlink:arcrole", "xlink:href",
        "xlink:role", "xlink:show", "xlink:title", "xlink:type", "xml:lang", "xml:space",
        "xmlns:xlink"};
    static const char *const math[] = {"definitionURL"};
    const char *text = hed_css_names_text(p->names, name, NULL), *local = text;
    *name_space = 0;
    if (strcmp(text, "xmlns") == 0) {
        *name_space = 3;
        return name;
    }
    if (css_find_adjusted(spaced, HED_COUNT(spaced), text)) {
        *name_space = css_split_name(of, text, &local);
        return adjust(p, local, name);
    }
    if (of == HED_CSS_MATHML)
        return adjust(p, css_find_adjusted(math, HED_COUNT(math), text), name);
    return adjust(p, css_find_adjusted(svg, HED_COUNT(svg), text), name);
}
