/* Text of a parser's tree, a line for each node, in the form of the public conformance tests of
 * HTML parsers (html5lib). */
#ifndef HED_TESTS_CSS_HTML_DUMP_H
#define HED_TESTS_CSS_HTML_DUMP_H

#include <stdio.h>
#include <stdlib.h>

#include "html/html_parser.h"

static inline void dump_indent(FILE *out, uint32_t depth)
{
    fprintf(out, "| %*s", (int)(2 * depth), "");
}

/* Writes bytes in which U+0000 means U+FFFD. */
static inline void dump_bytes(FILE *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i]) putc(bytes[i], out);
        else fputs(HTML_REPLACEMENT, out);
}

static inline void dump_slice(FILE *out, const html_parser *p, html_text text)
{
    dump_bytes(out, html_text_of(&p->tokenizer, text), text.length);
}

static int dump_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void dump_attributes(
    FILE *out, const html_parser *p, const html_node *n, uint32_t depth)
{
    static const char *const spaces[] = {"", "xlink ", "xml ", "xmlns "};
    char **lines = calloc(n->attribute_count + 1, sizeof *lines);
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        const css_attribute *a = &p->attributes[n->attribute_begin + i];
        size_t length, size;
        const char *value = hed_css_names_text(p->names, a->value, &length);
        FILE *line = open_memstream(&lines[i], &size);
        fprintf(line, "%s%s=\"", spaces[a->name_space], hed_css_names_text(p->names, a->name, NULL));
        dump_bytes(line, value, length);
        fputs("\"\n", line);
        fclose(line);
    }
    qsort(lines, n->attribute_count, sizeof *lines, dump_compare);
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        dump_indent(out, depth);
        fputs(lines[i], out);
        free(lines[i]);
    }
    free(lines);
}

static inline void dump_doctype(FILE *out, const html_parser *p)
{
    const html_token *t = &p->doctype;
    const char *name = html_text_of(&p->tokenizer, t->doctype_name);
    fprintf(out, "| <!DOCTYPE ");
    for (uint32_t i = 0; i < t->doctype_name.length; i++) {
        char c = css_ascii_lower(name[i]);
        dump_bytes(out, &c, 1);
    }
    if (t->public_id.length || t->system_id.length) {
        fputs(" \"", out);
        dump_slice(out, p, t->public_id);
        fputs("\" \"", out);
        dump_slice(out, p, t->system_id);
        putc('"', out);
    }
    fputs(">\n", out);
}

static inline void dump_node(FILE *out, const html_parser *p, uint32_t node, uint32_t depth)
{
    static const char *const spaces[] = {
        [HED_CSS_HTML] = "", [HED_CSS_SVG] = "svg ", [HED_CSS_MATHML] = "math "};
    const html_node *n = &p->nodes[node];
    if (n->kind == HTML_NODE_ELEMENT) {
        dump_indent(out, depth);
        fprintf(out, "<%s%s>\n", spaces[n->name_space], hed_css_names_text(p->names, n->name, NULL));
        dump_attributes(out, p, n, depth + 1);
        if (n->tag != HTML_TEMPLATE || n->name_space != HED_CSS_HTML) return;
        dump_indent(out, depth + 1);
        fputs("content\n", out);
    } else if (n->kind == HTML_NODE_DOCTYPE) dump_doctype(out, p);
    else if (n->kind == HTML_NODE_COMMENT) {
        dump_indent(out, depth);
        fputs("<!-- ", out);
        dump_slice(out, p, n->text);
        fputs(" -->\n", out);
    } else {
        bool follows = n->next && p->nodes[n->next].flags & HTML_NODE_CONTINUES;
        if (!(n->flags & HTML_NODE_CONTINUES)) {
            dump_indent(out, depth);
            putc('"', out);
        }
        dump_slice(out, p, n->text);
        if (!follows) fputs("\"\n", out);
    }
}

/* Writes the children of a node; of a fragment: those of its root element. */
static inline void dump_tree(FILE *out, const html_parser *p)
{
    uint32_t root = p->fragment ? p->nodes[0].first : 0, node = p->nodes[root].first, depth = 0;
    while (node) {
        const html_node *n = &p->nodes[node];
        dump_node(out, p, node, depth);
        bool template = n->tag == HTML_TEMPLATE && n->name_space == HED_CSS_HTML;
        if (n->first) {
            depth += n->kind == HTML_NODE_ELEMENT && template ? 2 : 1;
            node = n->first;
            continue;
        }
        while (node && !p->nodes[node].next) {
            node = p->nodes[node].parent == root ? 0 : p->nodes[node].parent;
            const html_node *parent = &p->nodes[node];
            if (node)
                depth -= parent->tag == HTML_TEMPLATE && parent->name_space == HED_CSS_HTML ? 2 : 1;
        }
        if (node) node = p->nodes[node].next;
    }
}

#endif
