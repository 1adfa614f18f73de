/* Templates that are given as pages: files that a program turns into pages, such as JSX and PHP. A
 * browser never sees these files, so their trees have other elements than the site. Marks count
 * where a page has no use for them: before the first tag, inside a tag, at the beginning of a line
 * of text. Scripts, styles, examples of code and comments may contain anything. */
#include "heddle/css_unused.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { MOST_STATEMENT = 256 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- endings ---- */

static const struct {
    const char *endings, *name;
} endings[] = {{" jsx tsx mdx ", "a JSX component"}, {" vue ", "a Vue component"},
    {" svelte ", "a Svelte component"}, {" astro ", "an Astro component"},
    {" js mjs cjs ts mts cts coffee ", "a script"}, {" php phtml ", "a PHP template"},
    {" erb rhtml ejs jsp eex heex leex ", "a template (<% %>)"},
    {" twig j2 jinja jinja2 njk liquid tera ", "a template ({% %})"},
    {" hbs handlebars mustache tmpl gohtml gotmpl ", "a template ({{ }})"},
    {" cshtml vbhtml razor aspx ascx ", "an ASP.NET template"},
    {" pug jade haml slim ", "an indented template"}, {" md markdown rmd qmd rst adoc ", "a text with markup"},
    {" css scss sass less styl pcss ", "a style sheet (give it with --css)"}, {" json yaml yml toml ", "data"}};

static const char *kind_by_ending(const char *path)
{
    char ending[16] = " ";
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t length = dot ? strlen(dot + 1) : 0;
    if (!length || length + 3 > sizeof ending) return NULL;
    for (size_t i = 0; i < length; i++)
        ending[1 + i] =
            dot[1 + i] >= 'A' && dot[1 + i] <= 'Z' ? (char)(dot[1 + i] + 32) : dot[1 + i];
    ending[1 + length] = ' ';
    for (size_t i = 0; i < COUNT(endings); i++)
        if (strstr(endings[i].endings, ending)) return endings[i].name;
    return NULL;
}

const char *hed_css_template_ending(const char *name) { return name ? kind_by_ending(name) : NULL; }

/* ---- texts ---- */

/* Position in a text. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static bool starts(const cursor *c, const char *word)
{
    /* nearly all positions differ in one of two characters */
    if (c->end - c->at < 2 || (c->at[0] | 32) != (word[0] | 32) ||
        (c->at[1] | 32) != (word[1] | 32))
        return false;
    size_t length = strlen(word);
    return (size_t)(c->end - c->at) >= length && strncasecmp(c->at, word, length) == 0;
}

static bool is_template_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static const struct {
    const char *mark, *name;
} statements[] = {{"<?php", "a PHP template"}, {"<?=", "a PHP template"}, {"<%", "a template (<% %>)"},
    {"{%", "a template ({% %})"}, {"{#if", "a Svelte component"}, {"{#each", "a Svelte component"},
    {"{{#", "a template ({{ }})"}, {"{{>", "a template ({{ }})"}, {"{{ define", "a template ({{ }})"},
    {"{{define", "a template ({{ }})"}, {"{{- ", "a template ({{ }})"}, {"@extends(", "a Blade template"},
    {"@section(", "a Blade template"}, {"@include(", "a Blade template"}};

/* Kind of the template whose statement is at the position; NULL: no template. */
static const char *statement_kind(const cursor *c)
{
    for (size_t i = 0; i < COUNT(statements); i++) {
        const char *mark = statements[i].mark;
        if (!starts(c, mark)) continue;
        size_t rest = (size_t)(c->end - c->at);
        bool closed = mark[1] != '%' || memmem(c->at, rest < MOST_STATEMENT ? rest : MOST_STATEMENT,
                                            mark[0] == '<' ? "%>" : "%}", 2);
        return closed ? statements[i].name : NULL;
    }
    return NULL;
}

/* Kind of a file by its first words; NULL: a page may begin with them. */
static const char *head_kind(const cursor *c)
{
    static const struct {
        const char *mark, *name;
    } heads[] = {{"import ", "a script or a JSX component"}, {"export ", "a script or a JSX component"},
        {"const ", "a script or a JSX component"}, {"'use ", "a script or a JSX component"},
        {"\"use ", "a script or a JSX component"}, {"function ", "a script or a JSX component"},
        {"{{", "a template ({{ }})"}, {"{#", "a template ({% %})"}};
    for (size_t i = 0; i < COUNT(heads); i++)
        if (starts(c, heads[i].mark)) return heads[i].name;
    return statement_kind(c);
}

/* Kind of the template that has such a text between tags; NULL: no template. Statements begin a
 * line. */
static const char *text_kind(const char *text, const char *end, bool line_begins)
{
    const char *newline, *kind = NULL;
    for (cursor c = {text, end}; c.at < end && !kind; line_begins = true) {
        while (line_begins && c.at < end && is_template_space(*c.at)) c.at++;
        if (line_begins && c.at < end && strchr("{@", *c.at)) kind = statement_kind(&c);
        newline = memchr(c.at, '\n', (size_t)(end - c.at));
        c.at = newline ? newline + 1 : end;
    }
    return kind;
}

static const char *find_word(const char *text, const char *end, const char *word)
{
    return memmem(text, (size_t)(end - text), word, strlen(word));
}

/* True if a start tag has a character without which it has no mark of tag_kind(). */
static bool may_have_mark(const char *tag, const char *end)
{
    size_t length = (size_t)(end - tag - 1);
    return memchr(tag + 1, '{', length) || memchr(tag + 1, '<', length) ||
           memchr(tag + 1, 'N', length);
}

/* Kind of the template of a start tag, by its attributes; NULL: a page's tag. */
static const char *tag_kind(const char *tag, const char *end)
{
    static const struct {
        const char *mark, *name;
    } marks[] = {{"<?php", "a PHP template"}, {"<?=", "a PHP template"}, {"<%", "a template (<% %>)"}, {"{%", "a template ({% %})"},
        {" className=", "a JSX component"}, {"\nclassName=", "a JSX component"}, {" class={", "a component (class={ })"}};
    if (!may_have_mark(tag, end)) return NULL;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (find_word(tag, end, marks[i].mark)) return marks[i].name;
    const char *class = find_word(tag, end, " class=");
    if (!class || class[7] == 0) return NULL;
    const char *value = class + 7, *stop;
    bool quoted = *value == '"' || *value == '\'';
    stop = quoted ? memchr(value + 1, *value, (size_t)(end - value - 1)) : NULL;
    if (quoted && !stop) stop = end;
    for (const char *c = value; !quoted && !stop && c <= end; c++)
        if (c == end || is_template_space(*c)) stop = c;
    return find_word(value, stop, "{{") ? "a template ({{ }})" : find_word(value, stop, "${") ? "a script" : NULL;
}

/* End of a start tag, or of the text; quotes hide `>`. */
static const char *tag_end(const char *at, const char *end)
{
    for (; at < end && *at != '>'; at++) {
        if ((*at != '"' && *at != '\'') || at[-1] != '=') continue;
        at = memchr(at + 1, *at, (size_t)(end - at - 1));
        if (!at) return end;
    }
    return at;
}

/* Elements whose contents are no markup, or examples of other languages. */
static const char *const opaque[] = {"script", "style", "textarea", "pre", "code", "template", "samp", "xmp", "title"};

/* Moves to the end tag of an opaque element, if the start tag begins one. */
static void skip_opaque(cursor *c, const char *name)
{
    for (size_t i = 0; i < COUNT(opaque); i++) {
        size_t length = strlen(opaque[i]);
        cursor tag = {name, c->end};
        if (!starts(&tag, opaque[i]) || (size_t)(c->end - name) == length) continue;
        if (!is_template_space(name[length]) && name[length] != '>' && name[length] != '/')
            continue;
        for (; (c->at = memchr(c->at, '<', (size_t)(c->end - c->at))); c->at++) {
            tag.at = c->at + 2;
            if (c->at + 1 < c->end && c->at[1] == '/' && starts(&tag, opaque[i])) return;
        }
        c->at = c->end;
        return;
    }
}

/* Kind of a text; *tags: number of its start tags, counted up to the first mark. */
static const char *scan(const char *text, size_t length, uint64_t *tags)
{
    cursor c = {text, text + length};
    while (c.at < c.end && is_template_space(*c.at)) c.at++;
    const char *kind = head_kind(&c);
    for (const char *from = c.at; !kind; from = c.at) {
        const char *open = c.at < c.end ? memchr(c.at, '<', (size_t)(c.end - c.at)) : NULL;
        kind = text_kind(from, open ? open : c.end, from == text || from[-1] == '\n');
        if (kind || !open || open + 1 == c.end) break;
        c.at = open;
        if (starts(&c, "<!--")) {
            const char *close = find_word(open + 4, c.end, "-->");
            c.at = close ? close + 3 : c.end;
            continue;
        }
        char letter = open[1] | 32;
        bool is_tag = letter >= 'a' && letter <= 'z';
        bool is_end = open[1] == '/';
        kind = is_tag || is_end || starts(&c, "<?xml") ? NULL : statement_kind(&c);
        const char *close = is_tag ? tag_end(open + 1, c.end) : open + 1;
        c.at = close;
        if (kind || !is_tag) continue;
        ++*tags;
        kind = tag_kind(open, close);
        skip_opaque(&c, open + 1);
    }
    return kind;
}

const char *hed_css_template_kind(const char *name, const char *text, size_t length, bool *empty)
{
    uint64_t tags = 0;
    if (!text) return NULL;
    const char *kind = scan(text, length, &tags), *by_ending = hed_css_template_ending(name);
    cursor c = {text, text + length};
    while (c.at < c.end && is_template_space(*c.at)) c.at++;
    bool page = starts(&c, "<!doctype html") || starts(&c, "<html");
    if (kind) return by_ending ? by_ending : kind;
    if (empty) *empty = tags == 0;
    return page ? NULL : by_ending;
}
