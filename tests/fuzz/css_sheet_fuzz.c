/* libFuzzer harness for style sheets: whatever the bytes, a sheet whose arrays hold together and
 * whose rules have places in the text. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engines/css/model/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) abort();
}

/* Lists inside of a selector lie before it, so none holds itself. */
static void check_complex(const hed_css_sheet *sheet, uint32_t index)
{
    const css_complex *complex = &sheet->complexes[index];
    must(complex->count && complex->first + complex->count <= sheet->compound_count);
    for (uint32_t i = 0; i < complex->count; i++) {
        const css_compound *c = &sheet->compounds[complex->first + i];
        must(c->first + c->count <= sheet->simple_count && (i == 0 || c->combinator));
        for (uint32_t k = 0; k < c->count; k++) {
            const css_simple *s = &sheet->simples[c->first + k];
            bool list = s->kind == CSS_IS || s->kind == CSS_NOT || s->kind == CSS_HAS;
            must(s->list + s->count <= (s->kind == CSS_LANG ? sheet->word_count : index) ||
                 s->kind == CSS_LANG);
            must(!list || s->count);
            must(s->kind != CSS_LANG || s->value + s->count <= sheet->word_count);
        }
    }
}

/* Parts lie in the text, in order; names can be followed, and more is used where more stays. */
static void check_parts(hed_css_sheet *sheet, size_t size)
{
    hed_error error = {0};
    bool *rules = calloc(sheet->rule_count + 1, 1), *used = calloc(2 * sheet->part_count + 1, 1);
    must(rules && used);
    for (uint32_t i = 0; i < sheet->part_count; i++) {
        hed_css_part part = hed_css_part_at(sheet, i);
        must(part.begin < part.end && part.end <= size && part.line);
        must(part.kind != HED_CSS_PART_CUSTOM || part.rule < sheet->rule_count);
    }
    const hed_css_follow_def def = {.sheets = &sheet, .sheet_count = 1, .rules = rules};
    must(hed_css_follow(&def, used, &error) == HED_OK);
    memset(rules, 1, sheet->rule_count);
    must(hed_css_follow(&def, used + sheet->part_count, &error) == HED_OK);
    for (uint32_t i = 0; i < sheet->part_count; i++) must(!used[i] || used[sheet->part_count + i]);
    free(rules);
    free(used);
}

/* A text that @import gives: the sheet itself, once. */
struct importer {
    const char *text;
    size_t length;
    int calls;
};

static const char *import_itself(void *user, uint32_t source, const char *url, size_t *length)
{
    struct importer *importer = user;
    must(url != NULL && source <= 3);
    *length = importer->length;
    return importer->calls++ < 3 ? importer->text : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_css_names *names;
    hed_css_sheet *sheet;
    hed_error error = {0};
    struct importer importer = {(const char *)data, size, 0};
    must(hed_css_names_create(NULL, &names, &error) == HED_OK);
    hed_css_sheet_def def = {
        .text = importer.text, .length = size, .import = import_itself, .user = &importer};
    if (hed_css_sheet_create(names, &def, &sheet, &error) != HED_OK) {
        must(error.status == HED_ERROR_FORMAT); /* a picture */
        hed_css_names_destroy(names);
        return 0;
    }
    for (uint32_t i = 0; i < sheet->complex_count; i++) check_complex(sheet, i);
    for (uint32_t i = 0; i < sheet->rule_count; i++) {
        const css_rule *rule = &sheet->rules[i];
        const hed_css_rule *info = &rule->info;
        must(info->begin <= info->end && info->end <= size && info->line && info->column);
        must((info->validity == HED_CSS_VALID) == !info->reason[0]);
        must(info->validity == HED_CSS_VALID || rule->count == 0);
        must(rule->list + rule->count <= sheet->complex_count);
        must(rule->first_declaration + rule->declaration_count <= sheet->declaration_count);
        must(info->layer == HED_CSS_NONE || info->layer < sheet->layers.count);
    }
    check_parts(sheet, size);
    uint32_t rules = sheet->rule_count ? sheet->rules[sheet->rule_count - 1].info.number + 1 : 0;
    must(rules == sheet->rule_count);
    hed_css_sheet_destroy(sheet);
    /* the same with a rule for each selector */
    def.import = NULL;
    def.split = true;
    must(hed_css_sheet_create(names, &def, &sheet, &error) == HED_OK);
    for (uint32_t i = 0; i < sheet->rule_count; i++) {
        const hed_css_rule *info = &sheet->rules[i].info;
        must(sheet->rules[i].count <= 1 || info->selector_length == 1);
        must(info->selector_length <= info->end - info->begin);
        must(i == 0 || info->number - sheet->rules[i - 1].info.number <= 1);
    }
    check_parts(sheet, size);
    hed_css_sheet_destroy(sheet);
    hed_css_names_destroy(names);
    return 0;
}
