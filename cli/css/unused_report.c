/* Report of `heddle css unused --report`: unused.html around tables of sheets and pages, and the
 * text of each sheet in rows, one for each rule. Texts of sheets and pages are untrusted:
 * page_text() escapes all of them. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/css/site.h"
#include "cli/css/unused.h"
#include "heddle/kernel.h"
#include "support/file.h"

extern const hed_source hed_css_unused_files[]; /* embedded: unused.html */

typedef struct page {
    hed_file_writer *writer;
    const css_unused *unused;
    const char *path;
    /* the current sheet */
    uint32_t sheet;
    const css_file *file;
    const css_reduction *reduction;
    struct mark {
        size_t begin, end;
    } * marks; /* unused bytes inside rules that stay, ascending */
    uint32_t mark_count, mark_room, mark_at;
    hed_error error;
} page;

/* ---- writing ---- */

static void page_put(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void page_put(page *p, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hed_file_writer_put(p->writer, text, (size_t)length < sizeof text ? (size_t)length : 0);
}

/* Writes text with all characters of HTML escaped. */
static void page_text(page *p, const char *text, size_t length)
{
    static const struct {
        char c;
        const char *text;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"},
        {0, "\357\277\275"}};
    size_t from = 0;
    for (size_t i = 0; i < length; i++)
        for (size_t k = 0; k < HED_COUNT(escapes); k++)
            if (text[i] == escapes[k].c) {
                hed_file_writer_put(p->writer, text + from, i - from);
                hed_file_writer_put(p->writer, escapes[k].text, strlen(escapes[k].text));
                from = i + 1;
            }
    hed_file_writer_put(p->writer, text + from, length - from);
}

/* Formats 1204 as 1,204. */
static const char *grouped(uint64_t value, char text[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
    return text;
}

/* Writes a link to a file, relative to the report's folder. */
static void page_link(page *p, const char *path)
{
    char address[3 * PATH_MAX];
    page_put(p, "<a href=\"");
    css_relative(p->path, path, address, sizeof address);
    for (const char *c = address; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("/._-~", *c);
        page_put(p, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    page_put(p, "\">");
    page_text(p, path, strlen(path));
    page_put(p, "</a>");
}

/* ---- head of the report ---- */

static double share(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_figure(page *p, const char *name, uint64_t value, const char *unit, uint64_t of)
{
    char number[32], total[32];
    page_put(p, "<div><dt>%s</dt><dd>%s%s<small>of %s</small></dd></div>\n", name,
        grouped(value, number), unit, grouped(of, total));
}

static void write_head(page *p)
{
    const css_unused *u = p->unused;
    const css_survey *s = &u->survey;
    page_put(p,
        "<header><h1>Unused CSS</h1>\n<p class=lead>%.0f %% of the sheets' bytes match "
        "nothing on %u page%s.</p>\n",
        share(u->unused_bytes, u->bytes), s->page_count, s->page_count == 1 ? "" : "s");
    if (s->page_count < s->page_total)
        page_put(p,
            "<p class=warning>Interrupted: %u of %u pages were read, so that rules that the "
            "others use are among the unused ones.</p>\n",
            s->page_count, s->page_total);
    if (!s->names_judged) {
        page_put(p, "<p class=warning>Names of keyframes, fonts and custom properties are not "
                    "judged, because sheets of the pages could not be read:");
        for (uint32_t i = 0; i < s->files.missing_count; i++) {
            page_put(p, "%s <code>", i ? "," : "");
            page_text(p, s->files.missing[i], strlen(s->files.missing[i]));
            page_put(p, "</code>");
        }
        page_put(p, "</p>\n");
    }
    page_put(p, "</header>\n<dl class=figures>\n");
    write_figure(p, "Bytes unused", u->unused_bytes, "", u->bytes);
    write_figure(p, "Rules unused", u->unused_rules, "", u->rules);
    write_figure(p, "Selectors unused in other rules", u->unused_selectors, "", u->selectors);
    write_figure(p, "Pages read", s->page_count, "", s->page_total);
    page_put(p, "</dl>\n");
}

static void write_sheets(page *p)
{
    const css_files *files = &p->unused->survey.files;
    char a[32], b[32];
    page_put(p, "<section><h2>Sheets</h2>\n<div class=scroll><table><thead><tr><th>Sheet</th>"
                "<th class=value>Bytes</th><th class=value>Unused</th><th></th><th></th>"
                "<th class=value>Pages</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < files->count; i++) {
        const css_file *file = &files->items[i];
        if (!file->judged) continue;
        double part = share(p->unused->reductions[i].bytes, file->length);
        page_put(p, "<tr><td><a href=\"#s%u\">", i);
        page_text(p, file->name, strlen(file->name));
        page_put(p,
            "</a></td><td class=value>%s</td><td class=value>%s</td>"
            "<td class=value>%.0f %%</td><td><svg viewBox=\"0 0 100 10\" "
            "preserveAspectRatio=none aria-hidden=true><rect class=all width=100 height=10 />"
            "<rect class=part width=\"%.1f\" height=10 /></svg></td>"
            "<td class=value>%u</td></tr>\n",
            grouped(file->length, a), grouped(p->unused->reductions[i].bytes, b), part, part,
            file->pages);
    }
    page_put(p, "</tbody></table></div></section>\n");
}

static void write_pages(page *p)
{
    const css_survey *s = &p->unused->survey;
    char a[32], b[32], c[32];
    page_put(p,
        "<section><details%s><summary>Pages</summary>\n<div class=scroll><table><thead><tr>"
        "<th>Page</th><th class=value>Elements</th><th class=value>Rules used</th>"
        "<th class=value>Used here alone</th></tr></thead><tbody>\n",
        s->page_count <= 12 ? " open" : "");
    for (uint32_t i = 0; i < s->page_count; i++) {
        page_put(p, "<tr><td>");
        page_link(p, s->pages[i].path);
        page_put(p,
            "</td><td class=value>%s</td><td class=value>%s</td><td class=value>%s</td></tr>\n",
            grouped(s->pages[i].elements - s->pages[i].possible, a), grouped(s->pages[i].rules, b),
            grouped(s->pages[i].unique_rules, c));
    }
    page_put(p, "</tbody></table></div></details></section>\n");
}

/* ---- a sheet ---- */

static const struct {
    const char *class, *label;
} row_kinds[] = {[CSS_NEVER] = {"never", "Never used"},
    [CSS_USED] = {"used", "Used"},
    [CSS_BY_STATE] = {"state", "Used in a state"},
    [CSS_BY_WORD] = {"word", "Kept by a word"},
    [CSS_BY_PATTERN] = {"pattern", "Kept by pattern"},
    [CSS_NOT_JUDGED] = {"open", "Not judged"}};

/* Verdict on an item: on a rule, or on a part by its use. */
static css_verdict item_verdict(const page *p, const css_item *item)
{
    if (item->kind != 'r') return item->stays ? CSS_USED : CSS_NEVER;
    return css_rule_verdict(&p->unused->survey, p->file, item);
}

/* Writes the number of matches of an item, and the first one. */
static void write_use(page *p, const css_item *item)
{
    const css_survey *s = &p->unused->survey;
    const css_use *first = NULL;
    uint64_t matches = 0;
    uint32_t most_pages = 0;
    char number[32];
    for (uint32_t i = 0; i < item->count; i++) {
        const css_use *use = &s->uses[p->file->first_rule + item->index + i];
        matches += use->elements;
        if (use->pages > most_pages) most_pages = use->pages;
        if (use->pages && (!first || use->page < first->page ||
                              (use->page == first->page && use->line < first->line)))
            first = use;
    }
    if (!first) return;
    page_put(p, "<b>%s</b> %s on %s%u page%s, first <code>", grouped(matches, number),
        item->count > 1 ? (matches == 1 ? "match" : "matches")
                        : (matches == 1 ? "element" : "elements"),
        item->count > 1 && most_pages < s->page_count ? "at least " : "", most_pages,
        most_pages == 1 ? "" : "s");
    page_text(p, first->element, strlen(first->element));
    page_put(p, "</code> in ");
    page_link(p, s->pages[first->page].path);
    if (first->line) page_put(p, ", line %u", first->line);
}

/* Writes the evidence for the first selector of a rule with a verdict. */
static void write_evidence(page *p, const css_item *item, css_verdict verdict)
{
    const css_survey *s = &p->unused->survey;
    uint32_t i = item->index;
    while (i + 1 < item->index + item->count && css_survey_verdict(s, p->file, i) != verdict) i++;
    char *from = css_evidence(s, p->file, i);
    if (from) page_text(p, from, strlen(from));
    free(from);
}

static void write_never(page *p, const css_item *item)
{
    bool blocked = false;
    for (uint32_t i = item->index; i < item->index + item->count; i++)
        blocked |= p->unused->survey.reasons[p->file->first_rule + i].blocked;
    page_put(p, blocked ? "<b>Removed</b>: " : "<b>Matches nothing</b>");
    if (blocked) write_evidence(p, item, CSS_NEVER);
}

static void write_note(page *p, const css_item *item, css_verdict verdict)
{
    page_put(p, "<p>");
    if (item->kind != 'r') {
        if (verdict == CSS_NEVER) page_put(p, "<b>Nothing names it</b>");
        else if (item->kind != HED_CSS_PART_OTHER) page_put(p, "<b>Used</b> by name");
    } else if (verdict == CSS_NEVER) write_never(p, item);
    else if (verdict == CSS_BY_WORD || verdict == CSS_BY_PATTERN) {
        page_put(p, verdict == CSS_BY_WORD ? "<b>Word</b>: " : "<b>Kept</b>: ");
        write_evidence(p, item, verdict);
        page_put(p, "; matches nothing");
    } else if (verdict == CSS_NOT_JUDGED) {
        const char *reason = hed_css_rule_at(p->file->sheet, item->index).reason;
        page_put(p, "<b>Not judged</b>: ");
        page_text(p, reason, strlen(reason));
    } else {
        write_use(p, item);
        if (verdict == CSS_BY_STATE) page_put(p, "; needs a state");
    }
    page_put(p, "</p>");
}

/* Writes bytes of the sheet; marked bytes are struck through. */
static void write_code(page *p, size_t begin, size_t end)
{
    while (begin < end) {
        while (p->mark_at < p->mark_count && p->marks[p->mark_at].end <= begin) p->mark_at++;
        struct mark mark = {end, end};
        if (p->mark_at < p->mark_count && p->marks[p->mark_at].begin < end)
            mark = p->marks[p->mark_at];
        size_t plain = mark.begin > begin ? mark.begin : begin,
               stop = mark.end < end ? mark.end : end;
        page_text(p, p->file->text + begin, plain - begin);
        if (stop > plain) page_put(p, "<s>");
        page_text(p, p->file->text + plain, stop - plain);
        if (stop > plain) page_put(p, "</s>");
        begin = stop;
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Writes a row for text[begin, end). `item`: the innermost item around it, or NULL; `first`: the
 * row begins the item. */
static void write_row(page *p, size_t begin, size_t end, const css_item *item, bool first)
{
    const char *text = p->file->text;
    uint32_t line = 0;
    while (begin < end && is_space(text[begin])) {
        if (text[begin] == '\n' || first) begin++;
        else { /* the indentation of the first line stays */ size_t next = begin;
            while (next < end && is_space(text[next]) && text[next] != '\n') next++;
            if (next < end && text[next] != '\n') break;
            begin = next;
        }
    }
    while (end > begin && is_space(text[end - 1])) end--;
    if (begin == end) return;
    bool block = item && (item->kind == HED_CSS_PART_GROUP || item->kind == HED_CSS_PART_LAYER);
    css_verdict verdict = item ? item_verdict(p, item) : CSS_USED;
    bool plain = !item || (block && !item->removed) || item->kind == HED_CSS_PART_OTHER;
    if (block) verdict = CSS_NEVER;
    bool has_marks = p->mark_at < p->mark_count && item && item->kind == 'r' && item->stays;
    for (uint32_t i = p->mark_at; has_marks && p->marks[i].begin < begin;)
        if (++i == p->mark_count) has_marks = false;
    has_marks = has_marks && p->mark_count && p->marks[p->mark_at].begin < end;
    if (item && first)
        line = item->kind == 'r' ? hed_css_rule_at(p->file->sheet, item->index).line
                                 : hed_css_part_at(p->file->sheet, item->index).line;
    page_put(p, "<div class=\"r %s%s\"", plain ? "plain" : row_kinds[verdict].class,
        has_marks ? " some" : "");
    if (line) {
        uint32_t number = (uint32_t)(item - p->reduction->items);
        page_put(p, " id=\"s%u-%u\"><a href=\"#s%u-%u\">%u</a>", p->sheet, number, p->sheet, number,
            line);
    } else page_put(p, "><span></span>");
    page_put(p, "<pre>");
    write_code(p, begin, end);
    page_put(p, "</pre>");
    if (item && first && !block) write_note(p, item, verdict);
    page_put(p, "</div>\n");
}

/* Writes the rows of an item and the items inside it; returns the next item after it. Custom
 * properties, and declarations in a condition's block, belong to the row of the enclosing item. */
static uint32_t write_item(page *p, uint32_t i)
{
    const css_item *items = p->reduction->items, *item = &items[i];
    size_t at = item->begin;
    bool first = true;
    uint32_t next = i + 1;
    while (next < p->reduction->count && items[next].begin < item->end) {
        if (items[next].bare || items[next].kind == HED_CSS_PART_CUSTOM) {
            next++;
            continue;
        }
        write_row(p, at, items[next].begin, item, first);
        first = false;
        at = css_comment_behind(p->file, items[next].end);
        next = write_item(p, next);
    }
    write_row(p, at, css_comment_behind(p->file, item->end), item, first);
    return next;
}

static void collect_marks(page *p)
{
    p->mark_count = p->mark_at = 0;
    for (uint32_t i = 0; i < p->reduction->count; i++) {
        const css_item *item = &p->reduction->items[i];
        bool custom = item->kind == HED_CSS_PART_CUSTOM;
        bool around =
            !custom || item->around == HED_CSS_NONE || p->reduction->items[item->around].stays;
        const char *base = NULL;
        uint32_t count = custom ? !item->stays && around : 0;
        if (item->kind == 'r' && item->stays && !item->bare) {
            hed_css_rule rule = hed_css_rule_at(p->file->sheet, item->index);
            base = rule.selector - rule.begin;
            count = item->count;
        }
        for (uint32_t k = 0; k < count; k++) {
            struct mark mark = {item->begin, item->end};
            if (base) {
                hed_css_rule rule = hed_css_rule_at(p->file->sheet, item->index + k);
                css_verdict v = css_survey_verdict(&p->unused->survey, p->file, item->index + k);
                if (v != CSS_NEVER) continue;
                mark.begin = (size_t)(rule.selector - base);
                mark.end = mark.begin + rule.selector_length;
            }
            p->marks = css_more(p->marks, &p->mark_room, p->mark_count, sizeof mark, &p->error);
            if (hed_failed(&p->error)) return;
            p->marks[p->mark_count++] = mark;
        }
    }
}

static void write_sheet(page *p, uint32_t index)
{
    p->sheet = index;
    p->file = &p->unused->survey.files.items[index];
    p->reduction = &p->unused->reductions[index];
    collect_marks(p);
    page_put(p, "<section id=\"s%u\"><h2>", index);
    if (p->file->identity) page_link(p, p->file->name);
    else page_text(p, p->file->name, strlen(p->file->name));
    page_put(p, "</h2>\n<div class=sheet>\n");
    size_t at = 0;
    for (uint32_t i = 0; i < p->reduction->count;) {
        write_row(p, at, p->reduction->items[i].begin, NULL, false);
        at = css_comment_behind(p->file, p->reduction->items[i].end);
        i = write_item(p, i);
    }
    write_row(p, at, p->file->length, NULL, false);
    page_put(p, "</div></section>\n");
}

/* Writes the filter of rows: radio buttons, as these work without a script. */
static void write_filter(page *p)
{
    uint32_t counts[HED_COUNT(row_kinds)] = {0};
    char number[32];
    for (uint32_t f = 0; f < p->unused->survey.files.count; f++) {
        p->file = &p->unused->survey.files.items[f];
        for (uint32_t i = 0; p->file->judged && i < p->unused->reductions[f].count; i++) {
            const css_item *item = &p->unused->reductions[f].items[i];
            if (item->kind == 'r' && !item->bare) counts[item_verdict(p, item)]++;
        }
    }
    page_put(p, "<form class=filter><input type=radio name=show id=show-all checked>"
                "<label for=show-all>All</label>\n");
    for (size_t i = 0; i < HED_COUNT(row_kinds); i++)
        if (counts[i])
            page_put(p,
                "<input type=radio name=show id=show-%s><label class=%s for=show-%s>%s "
                "<span class=soft>%s</span></label>\n",
                row_kinds[i].class, row_kinds[i].class, row_kinds[i].class, row_kinds[i].label,
                grouped(counts[i], number));
    page_put(p,
        "</form>\n<p class=soft>A row is a rule. <s>Marked</s> in a rule that is used: a "
        "selector that matches nothing, or a custom property that nothing names. A used rule "
        "says how often it matches, and where first.</p>\n");
}

hed_status css_write_report(const css_unused *unused, const char *path, hed_error *error)
{
    static const char mark[] = "@BODY@";
    const char *template = hed_css_unused_files[0].text, *body = strstr(template, mark);
    page p = {.unused = unused, .path = path};
    if (hed_failed(error) || hed_file_writer_open(path, &p.writer, error)) return error->status;
    hed_file_writer_put(p.writer, template, (size_t)(body - template));
    write_head(&p);
    write_sheets(&p);
    write_pages(&p);
    write_filter(&p);
    for (uint32_t i = 0; i < unused->survey.files.count && !hed_failed(&p.error); i++)
        if (unused->survey.files.items[i].judged) write_sheet(&p, i);
    hed_file_writer_put(p.writer, body + strlen(mark), strlen(body + strlen(mark)));
    free(p.marks);
    if (hed_failed(&p.error)) {
        hed_file_writer_abort(p.writer);
        *error = p.error;
        return error->status;
    }
    return hed_file_writer_commit(p.writer, error);
}
