/* Report of `heddle css unused --report`: unused.html around tables of sheets and pages, and the
 * text of each sheet in rows, one for each rule. Texts of sheets and pages are untrusted:
 * page_text() escapes all of them. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/css/line_history.h"
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
    hed_css_sheet_use file;
    css_history history;
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
    const css_files *files = &p->unused->files;
    const hed_css_unused_info *u = &p->unused->info;
    page_put(p,
        "<header><h1>Unused CSS</h1>\n<p class=lead>%.0f %% of the sheets' bytes match "
        "nothing on %u page%s.</p>\n",
        share(u->unused_bytes, u->bytes), u->pages, u->pages == 1 ? "" : "s");
    if (u->pages < u->page_total)
        page_put(p,
            "<p class=warning>Interrupted: %u of %u pages were read, so that rules that the "
            "others use are among the unused ones.</p>\n",
            u->pages, u->page_total);
    if (!u->names_judged) {
        page_put(p, "<p class=warning>Names of keyframes, fonts and custom properties are not "
                    "judged, because sheets of the pages could not be read:");
        for (uint32_t i = 0; i < files->missing_count; i++) {
            page_put(p, "%s <code>", i ? "," : "");
            page_text(p, files->missing[i], strlen(files->missing[i]));
            page_put(p, "</code>");
        }
        page_put(p, "</p>\n");
    }
    page_put(p, "</header>\n<dl class=figures>\n");
    write_figure(p, "Bytes unused", u->unused_bytes, "", u->bytes);
    write_figure(p, "Rules unused", u->unused_rules, "", u->rules);
    write_figure(p, "Selectors unused in other rules", u->unused_selectors, "", u->selectors);
    write_figure(p, "Pages read", u->pages, "", u->page_total);
    page_put(p, "</dl>\n");
}

typedef struct sheet_rank {
    uint32_t sheet;
    size_t unused_bytes;
} sheet_rank;

static int by_unused_bytes(const void *a, const void *b)
{
    const sheet_rank *x = a, *y = b;
    if (x->unused_bytes != y->unused_bytes) return x->unused_bytes < y->unused_bytes ? 1 : -1;
    return (x->sheet > y->sheet) - (x->sheet < y->sheet);
}

/* Lists the sheets, the one with the most unused bytes first. */
static void write_sheets(page *p)
{
    const uint32_t count = p->unused->info.sheets;
    sheet_rank *order = calloc(count + 1ull, sizeof *order);
    char a[32], b[32];
    if (!order) {
        HED_OUT_OF_MEMORY(&p->error, "the list of sheets");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] =
            (sheet_rank){i, hed_css_unused_sheet_at(p->unused->files.search, i).unused_bytes};
    qsort(order, count, sizeof *order, by_unused_bytes);
    page_put(p, "<section><h2>Sheets</h2>\n<div class=\"scroll list\" tabindex=0 role=region "
                "aria-label=Sheets><table><thead><tr><th>Sheet</th>"
                "<th class=value>Bytes</th><th class=value>Unused</th><th></th><th></th>"
                "<th class=value>Pages</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count; i++) {
        const hed_css_sheet_use file =
            hed_css_unused_sheet_at(p->unused->files.search, order[i].sheet);
        if (!file.judged) continue;
        double part = share(file.unused_bytes, file.length);
        page_put(p, "<tr><td><a href=\"#s%u\">", order[i].sheet);
        page_text(p, file.name, strlen(file.name));
        page_put(p,
            "</a></td><td class=value>%s</td><td class=value>%s</td>"
            "<td class=value>%.0f %%</td><td><svg viewBox=\"0 0 100 10\" "
            "preserveAspectRatio=none aria-hidden=true><rect class=all width=100 height=10 />"
            "<rect class=part width=\"%.1f\" height=10 /></svg></td>"
            "<td class=value>%u</td></tr>\n",
            grouped(file.length, a), grouped(file.unused_bytes, b), part, part, file.pages);
    }
    free(order);
    page_put(p, "</tbody></table></div></section>\n");
}

static void write_pages(page *p)
{
    const uint32_t count = p->unused->info.pages;
    char a[32], b[32], c[32];
    page_put(p,
        "<section><details%s><summary>Pages</summary>\n<div class=scroll><table><thead><tr>"
        "<th>Page</th><th class=value>Elements</th><th class=value>Rules used</th>"
        "<th class=value>Used here alone</th></tr></thead><tbody>\n",
        count <= 12 ? " open" : "");
    for (uint32_t i = 0; i < count; i++) {
        const hed_css_page_use use = hed_css_unused_page_at(p->unused->files.search, i);
        page_put(p, "<tr><td>");
        page_link(p, use.name);
        page_put(p,
            "</td><td class=value>%s</td><td class=value>%s</td><td class=value>%s</td></tr>\n",
            grouped(use.elements - use.possible, a), grouped(use.rules, b),
            grouped(use.unique_rules, c));
    }
    page_put(p, "</tbody></table></div></details></section>\n");
}

/* ---- a sheet ---- */

static const struct {
    const char *class, *label;
} row_kinds[] = {[HED_CSS_UNUSED] = {"never", "Never used"},
    [HED_CSS_BY_ELEMENT] = {"used", "Used"},
    [HED_CSS_BY_STATE] = {"state", "Used in a state"},
    [HED_CSS_BY_WORD] = {"word", "Kept by a word"},
    [HED_CSS_BY_KEEP] = {"pattern", "Kept by pattern"},
    [HED_CSS_NOT_JUDGED] = {"open", "Not judged"}};

/* Judgement on an item: on a rule, or on a part by its use. */
static hed_css_reason item_reason(const page *p, const hed_css_unused_item *item)
{
    if (item->kind != 'r' && !p->unused->info.names_judged) return HED_CSS_NOT_JUDGED;
    if (item->kind != 'r') return item->stays ? HED_CSS_BY_ELEMENT : HED_CSS_UNUSED;
    return hed_css_unused_rule(p->unused->files.search, p->sheet, item);
}

static hed_css_selector_use selector_use(const page *p, uint32_t rule)
{
    return hed_css_unused_selector(p->unused->files.search, p->sheet, rule);
}

/* Writes the number of matches of an item, and the first one. */
static void write_use(page *p, const hed_css_unused_item *item)
{
    hed_css_selector_use first = {0};
    uint64_t matches = 0;
    uint32_t most_pages = 0;
    char number[32];
    for (uint32_t i = 0; i < item->count; i++) {
        const hed_css_selector_use use = selector_use(p, item->index + i);
        matches += use.elements;
        if (use.pages > most_pages) most_pages = use.pages;
        if (use.pages &&
            (!first.pages || use.element_page < first.element_page ||
                (use.element_page == first.element_page && use.element_line < first.element_line)))
            first = use;
    }
    if (!first.pages) return;
    page_put(p, "<b>%s</b> %s on %s%u page%s, first <code>", grouped(matches, number),
        item->count > 1 ? (matches == 1 ? "match" : "matches")
                        : (matches == 1 ? "element" : "elements"),
        item->count > 1 && most_pages < p->unused->info.pages ? "at least " : "", most_pages,
        most_pages == 1 ? "" : "s");
    page_text(p, first.element, strlen(first.element));
    page_put(p, "</code> in ");
    page_link(p, hed_css_unused_page_at(p->unused->files.search, first.element_page).name);
    if (first.element_line) page_put(p, ", line %u", first.element_line);
}

/* Writes the evidence for the first selector of a rule with a judgement. */
static void write_evidence(page *p, const hed_css_unused_item *item, hed_css_reason reason)
{
    uint32_t i = item->index;
    hed_css_selector_use use = selector_use(p, i);
    while (i + 1 < item->index + item->count && use.reason != reason) use = selector_use(p, ++i);
    char *from = css_evidence(&use);
    if (from) page_text(p, from, strlen(from));
    free(from);
}

/* True if another item is on the first or the last line of an item, as in minified sheets. */
static bool shares_line(const page *p, const hed_css_unused_item *item)
{
    const hed_css_unused_item *items = p->file.items, *end = items + p->file.item_count,
                              *next = item;
    const char *text = p->file.text;
    while (next < end && next->begin < item->end) next++;
    bool before =
        item > items && !memchr(text + item[-1].begin, '\n', item->begin - item[-1].begin);
    return before || (next < end && !memchr(text + item->end, '\n', next->begin - item->end));
}

/* Writes the last change of an item, as the repository of the sheet has it. */
static void write_change(page *p, const hed_css_unused_item *item, uint32_t line)
{
    uint32_t last = line;
    for (size_t i = item->begin; i < item->end; i++) last += p->file.text[i] == '\n';
    const css_commit *c = css_history_find(&p->history, line, last);
    char date[16] = "";
    struct tm day;
    if (!c) return;
    if (css_is_uncommitted(c)) {
        page_put(p, "; changed since the last commit");
        return;
    }
    time_t seconds = (time_t)c->time;
    if (gmtime_r(&seconds, &day)) strftime(date, sizeof date, "%Y-%m-%d", &day);
    page_put(p, "; %s <time>%s</time>, <code>%.9s</code> ",
        shares_line(p, item) ? "its line, with other rules, changed last on" : "unchanged since",
        date, c->id);
    page_text(p, c->summary, strlen(c->summary));
}

static void write_note(
    page *p, const hed_css_unused_item *item, hed_css_reason reason, uint32_t line)
{
    page_put(p, "<p>");
    if (item->kind != 'r') {
        if (reason == HED_CSS_UNUSED) page_put(p, "<b>Nothing names it</b>");
        else if (item->kind != HED_CSS_PART_OTHER)
            page_put(p, reason == HED_CSS_NOT_JUDGED
                            ? "<b>Not judged</b>: a sheet of the pages could not be read"
                            : "<b>Used</b> by name: in a value, a word, a pattern or a setting");
    } else if (reason == HED_CSS_UNUSED) {
        bool blocked = false;
        for (uint32_t i = item->index; i < item->index + item->count; i++)
            blocked |= selector_use(p, i).blocked;
        page_put(p, blocked ? "<b>Removed</b>: " : "<b>Matches nothing</b>");
        if (blocked) write_evidence(p, item, HED_CSS_UNUSED);
    } else if (reason == HED_CSS_BY_WORD || reason == HED_CSS_BY_KEEP) {
        page_put(p, reason == HED_CSS_BY_WORD ? "<b>Word</b>: " : "<b>Kept</b>: ");
        write_evidence(p, item, reason);
        page_put(p, "; matches nothing");
    } else if (reason == HED_CSS_NOT_JUDGED) {
        const char *cause = hed_css_rule_at(p->file.sheet, item->index).reason;
        page_put(p, "<b>Not judged</b>: ");
        page_text(p, cause, strlen(cause));
    } else {
        write_use(p, item);
        if (reason == HED_CSS_BY_STATE) page_put(p, "; needs a state");
    }
    if (reason == HED_CSS_UNUSED) write_change(p, item, line);
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
        page_text(p, p->file.text + begin, plain - begin);
        if (stop > plain) page_put(p, "<s>");
        page_text(p, p->file.text + plain, stop - plain);
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
static void write_row(
    page *p, size_t begin, size_t end, const hed_css_unused_item *item, bool first)
{
    const char *text = p->file.text;
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
    hed_css_reason reason = item ? item_reason(p, item) : HED_CSS_BY_ELEMENT;
    bool plain = !item || (block && !item->removed) || item->kind == HED_CSS_PART_OTHER;
    if (block) reason = HED_CSS_UNUSED;
    bool has_marks = p->mark_at < p->mark_count && item && item->kind == 'r' && item->stays;
    for (uint32_t i = p->mark_at; has_marks && p->marks[i].begin < begin;)
        if (++i == p->mark_count) has_marks = false;
    has_marks = has_marks && p->mark_count && p->marks[p->mark_at].begin < end;
    if (item && first)
        line = item->kind == 'r' ? hed_css_rule_at(p->file.sheet, item->index).line
                                 : hed_css_part_at(p->file.sheet, item->index).line;
    page_put(p, "<div class=\"r %s%s\"", plain ? "plain" : row_kinds[reason].class,
        has_marks ? " some" : "");
    if (line) {
        uint32_t number = (uint32_t)(item - p->file.items);
        page_put(p, " id=\"s%u-%u\"><a href=\"#s%u-%u\">%u</a>", p->sheet, number, p->sheet, number,
            line);
    } else page_put(p, "><span></span>");
    page_put(p, "<pre>");
    write_code(p, begin, end);
    page_put(p, "</pre>");
    if (item && first && !block) write_note(p, item, reason, line);
    page_put(p, "</div>\n");
}

/* Writes the rows of an item and the items inside it; returns the next item after it. Custom
 * properties, and declarations in a condition's block, belong to the row of the enclosing item. */
static uint32_t write_item(page *p, uint32_t i)
{
    const hed_css_unused_item *items = p->file.items, *item = &items[i];
    size_t at = item->begin;
    bool first = true;
    uint32_t next = i + 1;
    while (next < p->file.item_count && items[next].begin < item->end) {
        if (items[next].bare || items[next].kind == HED_CSS_PART_CUSTOM) {
            next++;
            continue;
        }
        write_row(p, at, items[next].begin, item, first);
        first = false;
        at = items[next].comment_end;
        next = write_item(p, next);
    }
    write_row(p, at, item->comment_end, item, first);
    return next;
}

static void collect_marks(page *p)
{
    p->mark_count = p->mark_at = 0;
    for (uint32_t i = 0; i < p->file.item_count; i++) {
        const hed_css_unused_item *item = &p->file.items[i];
        bool custom = item->kind == HED_CSS_PART_CUSTOM;
        bool around = !custom || item->around == HED_CSS_NONE || p->file.items[item->around].stays;
        const char *base = NULL;
        uint32_t count = custom ? !item->stays && around : 0;
        if (item->kind == 'r' && item->stays && !item->bare) {
            hed_css_rule rule = hed_css_rule_at(p->file.sheet, item->index);
            base = rule.selector - rule.begin;
            count = item->count;
        }
        for (uint32_t k = 0; k < count; k++) {
            struct mark mark = {item->begin, item->end};
            if (base) {
                hed_css_rule rule = hed_css_rule_at(p->file.sheet, item->index + k);
                if (selector_use(p, item->index + k).reason != HED_CSS_UNUSED) continue;
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
    p->file = hed_css_unused_sheet_at(p->unused->files.search, index);
    collect_marks(p);
    css_history_free(&p->history);
    if (p->unused->files.items[index].identity)
        css_history_read(&p->history, p->file.name, &p->error);
    page_put(p, "<section class=file id=\"s%u\"><h2>", index);
    if (p->unused->files.items[index].identity) page_link(p, p->file.name);
    else page_text(p, p->file.name, strlen(p->file.name));
    page_put(p, "</h2>\n<div class=sheet>\n");
    size_t at = 0;
    for (uint32_t i = 0; i < p->file.item_count;) {
        write_row(p, at, p->file.items[i].begin, NULL, false);
        at = p->file.items[i].comment_end;
        i = write_item(p, i);
    }
    write_row(p, at, p->file.length, NULL, false);
    page_put(p, "</div></section>\n");
}

/* Writes the filter of rows: radio buttons, as these work without a script. */
static void write_filter(page *p)
{
    uint32_t counts[HED_COUNT(row_kinds)] = {0};
    char number[32];
    for (p->sheet = 0; p->sheet < p->unused->info.sheets; p->sheet++) {
        p->file = hed_css_unused_sheet_at(p->unused->files.search, p->sheet);
        for (uint32_t i = 0; p->file.judged && i < p->file.item_count; i++) {
            const hed_css_unused_item *item = &p->file.items[i];
            if (item->kind == 'r' && !item->bare) counts[item_reason(p, item)]++;
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
    for (uint32_t i = 0; i < unused->info.sheets && !hed_failed(&p.error); i++)
        if (unused->files.items[i].judged) write_sheet(&p, i);
    hed_file_writer_put(p.writer, body + strlen(mark), strlen(body + strlen(mark)));
    free(p.marks);
    css_history_free(&p.history);
    if (hed_failed(&p.error)) {
        hed_file_writer_abort(p.writer);
        *error = p.error;
        return error->status;
    }
    return hed_file_writer_commit(p.writer, error);
}
