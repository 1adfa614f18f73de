/* Foreign content: SVG and MathML, whose names are adjusted. */
#include "html_parser.h"

/* ---- names ---- */

/* Finds a name whose ASCII lower case is `lower` in a list, which is sorted by that; NULL:
 * absent. */
static const char *find_adjusted(const char *const *list, uint32_t count, const char *lower)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2, i = 0;
        const char *name = list[middle];
        while (name[i] && css_ascii_lower(name[i]) == lower[i]) i++;
        int order = (unsigned char)css_ascii_lower(name[i]) - (unsigned char)lower[i];
        if (!order) return name;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

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
    static const char *const names[] = {"altGlyph", "altGlyphDef", "altGlyphItem", "animateColor",
        "animateMotion", "animateTransform", "clipPath", "feBlend", "feColorMatrix",
        "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
        "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB",
        "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology",
        "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence",
        "foreignObject", "glyphRef", "linearGradient", "radialGradient", "textPath"};
    return adjust(
        p, find_adjusted(names, HED_COUNT(names), hed_css_names_text(p->names, name, NULL)), name);
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
    if (find_adjusted(spaced, HED_COUNT(spaced), text)) {
        *name_space = css_split_name(of, text, &local);
        return adjust(p, local, name);
    }
    if (of == HED_CSS_MATHML) return adjust(p, find_adjusted(math, HED_COUNT(math), text), name);
    return adjust(p, find_adjusted(svg, HED_COUNT(svg), text), name);
}

/* ---- tokens ---- */

/* True for start tags that end foreign content. */
static bool breaks_out(const html_parser *p, const html_token *token)
{
    size_t length;
    switch (token->tag) {
    case HTML_B: case HTML_BIG: case HTML_BLOCKQUOTE: case HTML_BODY: case HTML_BR:
    case HTML_CENTER: case HTML_CODE: case HTML_DD: case HTML_DIV: case HTML_DL: case HTML_DT:
    case HTML_EM: case HTML_EMBED: case HTML_H1: case HTML_H2: case HTML_H3: case HTML_H4:
    case HTML_H5: case HTML_H6: case HTML_HEAD: case HTML_HR: case HTML_I: case HTML_IMG:
    case HTML_LI: case HTML_LISTING: case HTML_MENU: case HTML_META: case HTML_NOBR: case HTML_OL:
    case HTML_P: case HTML_PRE: case HTML_RUBY: case HTML_S: case HTML_SMALL: case HTML_SPAN:
    case HTML_STRONG: case HTML_STRIKE: case HTML_SUB: case HTML_SUP: case HTML_TABLE: case HTML_TT:
    case HTML_U: case HTML_UL: case HTML_VAR: return true;
    case HTML_FONT:
        return html_token_value(p, token, "color", &length) ||
               html_token_value(p, token, "face", &length) ||
               html_token_value(p, token, "size", &length);
    default: return false;
    }
}

/* Closes the foreign elements, and processes the token by the insertion mode. */
static bool break_out(html_parser *p, html_token *token)
{
    while (p->open_count > 1) {
        const html_node *n = &p->nodes[html_current(p)];
        if (n->name_space == HED_CSS_HTML ||
            n->flags & (HTML_NODE_HTML_POINT | HTML_NODE_MATH_POINT))
            break;
        html_pop(p);
    }
    return p->mode(p, token);
}

static bool foreign_end_tag(html_parser *p, html_token *token)
{
    for (uint32_t i = p->open_count; i-- > 1;) {
        uint32_t node = p->open[i].node;
        const html_node *n = &p->nodes[node];
        if (n->name_space == HED_CSS_HTML) return p->mode(p, token);
        if (css_name_lower(p->names, n->name) == token->name) {
            html_pop_through(p, node);
            return false;
        }
    }
    return false;
}

bool html_in_foreign(html_parser *p, html_token *token)
{
    switch (token->kind) {
    case HTML_NULL: html_insert_replacement(p); break;
    case HTML_CHARACTERS:
        html_insert_characters(p, token->text);
        if (!p->frameset_not_ok) p->frameset_not_ok = !html_is_blank(p, token->text);
        break;
    case HTML_COMMENT: html_insert_comment(p, token, CSS_NONE); break;
    case HTML_START_TAG: {
        if (breaks_out(p, token)) return break_out(p, token);
        bool at_context = p->open_count == 1 && p->fragment;
        uint8_t of = at_context ? p->context_space : p->nodes[html_current(p)].name_space;
        html_insert_foreign(p, token, (hed_css_namespace)of);
        if (token->self_closing) html_pop(p);
        break;
    }
    case HTML_END_TAG:
        if (token->tag == HTML_BR || token->tag == HTML_P) return break_out(p, token);
        return foreign_end_tag(p, token);
    default: break;
    }
    return false;
}
