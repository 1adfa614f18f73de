/* libFuzzer harness for recordings of pages. After an even first byte the input is a file, or a
 * message of a page; after an odd one its bytes choose nodes, trees and sheets of a recording, some
 * of them wrong. A file is refused with a message, or becomes a document that is a tree, and a
 * message that was added leaves a recording that counts it. */
#include "cli/css/recording.h"
#include "css_tree_checks.h"

#include <stdio.h>
#include <string.h>

enum { SAME_NAMES = 64 }; /* recordings with one table of names */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static uint8_t take(bytes *b)
{
    if (!b->size) return 0;
    b->size--;
    return *b->data++;
}

/* Writes numbers below `limit`, and now and then another one. */
static void write_numbers(FILE *to, bytes *b, uint32_t limit)
{
    uint32_t count = take(b) % 4;
    fputc('[', to);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t number = take(b);
        fprintf(to, "%s%d", i ? "," : "", number > 250 || !limit ? number - 252 : number % limit);
    }
    fputc(']', to);
}

static void write_node(FILE *to, bytes *b, uint32_t number)
{
    static const char *const names[] = {"html", "p", "a", "my-box", "svg", "input", "#text", ""};
    static const char *const attributes[] = {"[\"class\",\"a b\"]", "[\"id\",\"x\"]",
        "[\"type\",\"checkbox\"],[\"checked\",\"\"]", "[\"dir\",\"auto\"]", "[\"lang\"]", "0"};
    uint8_t kind = take(b), of = take(b);
    const char *name = names[kind % HED_COUNT(names)];
    uint8_t attribute = of % 8;
    fprintf(to, "%s[\"%s\",%d,[%s],%d,", number ? "," : "", name, of / 8 % 6 - (of > 240),
        attribute < HED_COUNT(attributes) ? attributes[attribute] : "", kind > 127);
    write_numbers(to, b, number);
    fputc(',', to);
    write_numbers(to, b, number);
    fputc(']', to);
}

/* Writes a recording whose parts the bytes choose. */
static void write_recording(FILE *to, bytes *b)
{
    static const char *const hosts[] = {"[\"\"]", "[\"my-box\"]", "[\"my-box\",\"\"]", "[\"other\"]", "[]", "[1]", "0"};
    uint32_t nodes = take(b) % 24, trees = take(b) % 4, sheets = take(b) % 3;
    fprintf(
        to, "{\"format\":\"heddle css recording\",\"version\":%d,\"nodes\":[", 1 + (take(b) > 250));
    for (uint32_t i = 0; i < nodes; i++) write_node(to, b, i);
    fprintf(to, "],\"pages\":[{\"url\":\"u\",\"quirks\":%s,\"trees\":[",
        take(b) & 1 ? "true" : "false");
    for (uint32_t i = 0; i < trees; i++) {
        if (i) fputc(',', to);
        write_numbers(to, b, nodes);
    }
    fputs("]}],\"sheets\":[", to);
    for (uint32_t i = 0; i < sheets; i++)
        fprintf(to, "%s{\"url\":\"s\",\"hosts\":%s,\"text\":%s}", i ? "," : "",
            hosts[take(b) % HED_COUNT(hosts)], take(b) > 250 ? "1" : "\"p{color:red}\"");
    fputs("]}", to);
}

static void see_tree(void *user, uint32_t tree)
{
    const hed_css_document *document = user;
    must(tree == HED_CSS_NONE || tree < hed_css_document_describe(document).trees);
}

static void see_sheet(void *user, const css_recorded_sheet *sheet)
{
    must(sheet->url && strlen(sheet->text) <= sheet->length);
    if (user) css_recording_trees(user, sheet, see_tree, user);
}

static void check_file(const char *text, size_t size)
{
    /* a new table takes longer than a recording of some bytes */
    static hed_css_names *names;
    static uint32_t runs;
    hed_css_document *document = NULL;
    hed_error error = {0};
    if (runs++ % SAME_NAMES == 0) {
        hed_css_names_destroy(names);
        must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    }
    if (css_recording_document(names, "r", text, size, &document, &error) == HED_OK) {
        must(document && document->count);
        check_document(document);
    } else must(error.text[0]);
    error = (hed_error){0};
    must(css_recording_sheets("r", text, size, see_sheet, document, &error) == HED_OK ||
         error.text[0]);
    hed_css_document_destroy(document);
}

static void check_message(const char *text)
{
    css_recording *recording;
    hed_error error = {0};
    must(css_recording_create(&recording, &error) == HED_OK);
    bool added = css_recording_add(recording, text, &error) == HED_OK;
    must(added ? css_recording_count(recording).pages == 1 : error.text[0] != 0);
    error = (hed_error){0};
    must(!added || css_recording_add(recording, text, &error) == HED_OK);
    css_recording_destroy(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    bool chosen = take(&b) & 1;
    char *text = NULL;
    size_t length = b.size;
    if (chosen) {
        FILE *to = open_memstream(&text, &length);
        must(to != NULL);
        write_recording(to, &b);
        must(fclose(to) == 0);
    } else {
        text = malloc(length + 1);
        must(text != NULL);
        if (length) memcpy(text, b.data, length);
        text[length] = 0;
        check_message(text);
    }
    must(!chosen || css_is_recording(text, length));
    check_file(text, length);
    free(text);
    return 0;
}
