/* Names in selectors and in documents: the rules that have certain names, and the rules that
 * elements with certain names could match. Lists are stored before the selectors that hold them, so
 * one pass in order is enough. */
#include "document.h"
#include "selector.h"

enum { MOST_VISITS = 4096 };

/* Name of a simple selector. False: it has no name. */
static bool simple_name(const hed_css_sheet *sheet, const css_simple *s, hed_css_used_name *name)
{
    static const hed_css_name_kind kinds[] = {[CSS_TYPE] = HED_CSS_NAME_ELEMENT,
        [CSS_ID] = HED_CSS_NAME_ID,
        [CSS_CLASS] = HED_CSS_NAME_CLASS,
        [CSS_ATTRIBUTE] = HED_CSS_NAME_ATTRIBUTE};
    if (s->kind >= HED_COUNT(kinds) || !kinds[s->kind]) return false;
    bool equals =
        s->kind == CSS_ATTRIBUTE && (s->operation == CSS_EQUALS || s->operation == CSS_WORD);
    name->kind = kinds[s->kind];
    name->name = hed_css_names_text(sheet->names, s->name, NULL);
    name->value = equals ? hed_css_names_text(sheet->names, s->value, NULL) : NULL;
    return true;
}

static bool holds_list(const css_simple *s)
{
    return s->count && (s->kind == CSS_IS || s->kind == CSS_NOT || s->kind == CSS_HAS ||
                           s->kind == CSS_NTH || s->kind == CSS_HOST || s->kind == CSS_SLOTTED);
}

hed_status hed_css_rules_naming(const hed_css_sheet *sheet,
    bool (*fits)(void *user, const hed_css_used_name *name), void *user, bool *named,
    hed_error *error)
{
    HED_REQUIRE(sheet, fits, named);
    uint64_t count = sheet->complex_count;
    bool *naming = hed_new(&sheet->allocator, count + 1, sizeof *naming, error);
    if (!naming) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const css_complex *complex = &sheet->complexes[i];
        for (uint32_t k = 0; k < complex->count; k++) {
            const css_compound *c = &sheet->compounds[complex->first + k];
            for (uint32_t n = 0; n < c->count; n++) {
                const css_simple *s = &sheet->simples[c->first + n];
                hed_css_used_name name;
                if (simple_name(sheet, s, &name)) naming[i] |= fits(user, &name);
                for (uint32_t l = 0; holds_list(s) && l < s->count; l++)
                    naming[i] |= naming[s->list + l];
            }
        }
    }
    for (uint32_t r = 0; r < sheet->rule_count; r++)
        for (uint32_t k = 0; k < sheet->rules[r].count; k++)
            named[r] |= naming[sheet->rules[r].list + k];
    hed_delete(&sheet->allocator, naming, count + 1, sizeof *naming);
    return HED_OK;
}

/* ---- rules that elements could match ---- */

typedef hed_css_presence presence_function(void *user, const hed_css_used_name *name);

/* Presence of a simple selector; `possible`: the results of the lists before. */
static hed_css_presence simple_presence(const hed_css_sheet *sheet, const css_simple *s,
    const bool *possible, presence_function *presence, void *user)
{
    hed_css_used_name name;
    if (simple_name(sheet, s, &name)) return presence(user, &name);
    if (s->kind == CSS_NEVER) return HED_CSS_ABSENT;
    if (!holds_list(s) || s->kind == CSS_NOT) return HED_CSS_PRESENT;
    for (uint32_t l = 0; l < s->count; l++)
        if (possible[s->list + l]) return HED_CSS_PRESENT;
    return HED_CSS_ABSENT;
}

static bool complex_possible(const hed_css_sheet *sheet, const css_complex *complex,
    const bool *possible, presence_function *presence, void *user)
{
    for (uint32_t k = 0; k < complex->count; k++) {
        const css_compound *c = &sheet->compounds[complex->first + k];
        for (uint32_t n = 0; n < c->count; n++) {
            hed_css_presence result =
                simple_presence(sheet, &sheet->simples[c->first + n], possible, presence, user);
            if (result != HED_CSS_PRESENT) return result == HED_CSS_PRESENT_WITH_REST;
        }
    }
    return true;
}

hed_status hed_css_rules_possible(const hed_css_sheet *sheet,
    hed_css_presence (*presence)(void *user, const hed_css_used_name *name), void *user,
    bool *possible, hed_error *error)
{
    HED_REQUIRE(sheet, presence, possible);
    uint64_t count = sheet->complex_count;
    bool *complexes = hed_new(&sheet->allocator, count + 1, sizeof *complexes, error);
    if (!complexes) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        complexes[i] = complex_possible(sheet, &sheet->complexes[i], complexes, presence, user);
    for (uint32_t r = 0; r < sheet->rule_count; r++)
        for (uint32_t k = 0; k < sheet->rules[r].count; k++)
            possible[r] |= complexes[sheet->rules[r].list + k];
    hed_delete(&sheet->allocator, complexes, count + 1, sizeof *complexes);
    return HED_OK;
}

/* ---- names one by one ---- */

struct name_visit {
    const hed_css_sheet *sheet;
    void (*visit)(void *user, const hed_css_used_name *name);
    void *user;
    uint32_t visits;
};

/* Visits the names of a list, which is nested at most CSS_NESTING deep. */
static void visit_list(struct name_visit *v, uint32_t list, uint32_t count)
{
    for (uint32_t i = list; i < list + count && v->visits++ < MOST_VISITS; i++) {
        const css_complex *complex = &v->sheet->complexes[i];
        for (uint32_t k = 0; k < complex->count; k++) {
            const css_compound *c = &v->sheet->compounds[complex->first + k];
            for (uint32_t n = 0; n < c->count; n++) {
                const css_simple *s = &v->sheet->simples[c->first + n];
                hed_css_used_name name;
                if (simple_name(v->sheet, s, &name)) v->visit(v->user, &name);
                if (holds_list(s)) visit_list(v, s->list, s->count);
            }
        }
    }
}

void hed_css_rule_names(const hed_css_sheet *sheet, uint32_t rule,
    void (*visit)(void *user, const hed_css_used_name *name), void *user)
{
    if (!sheet || !visit || rule >= sheet->rule_count) return;
    struct name_visit v = {sheet, visit, user, 0};
    visit_list(&v, sheet->rules[rule].list, sheet->rules[rule].count);
}

/* Names that have been visited: a bit for each name of the table. */
typedef struct visited_names {
    uint32_t *elements, *ids, *classes;
} visited_names;

/* Calls `visit` with a name unless `noted`, bits by the numbers of names, has it. */
static void document_name(const hed_css_document *d, hed_css_name_kind kind, uint32_t name,
    uint32_t *noted, void (*visit)(void *user, const hed_css_used_name *name), void *user)
{
    if (name == CSS_NONE || noted[name / 32] & 1u << name % 32) return;
    noted[name / 32] |= 1u << name % 32;
    visit(user, &(hed_css_used_name){kind, hed_css_names_text(d->names, name, NULL), NULL});
}

hed_status hed_css_document_names(const hed_css_document *document,
    void (*visit)(void *user, const hed_css_used_name *name), void *user, hed_error *error)
{
    HED_REQUIRE(document, visit);
    hed_arena work = {.allocator = document->allocator, .owner = "the names of a document"};
    uint64_t words = document->names->count / 32 + 1ull;
    const visited_names noted = {.elements = hed_arena_new(&work, words, sizeof(uint32_t), error),
        .ids = hed_arena_new(&work, words, sizeof(uint32_t), error),
        .classes = hed_arena_new(&work, words, sizeof(uint32_t), error)};
    for (uint32_t e = 0; e < document->count && !hed_failed(error); e++) {
        document_name(
            document, HED_CSS_NAME_ELEMENT, document->tag[e], noted.elements, visit, user);
        document_name(document, HED_CSS_NAME_ID, document->id[e], noted.ids, visit, user);
        for (uint32_t k = document->class_begin[e]; k < document->class_end[e]; k++)
            document_name(
                document, HED_CSS_NAME_CLASS, document->classes[k], noted.classes, visit, user);
        for (uint32_t k = document->attribute_begin[e]; k < document->attribute_end[e]; k++) {
            const css_attribute *a = &document->attributes[k];
            visit(user, &(hed_css_used_name){HED_CSS_NAME_ATTRIBUTE,
                            hed_css_names_text(document->names, a->name, NULL),
                            hed_css_names_text(document->names, a->value, NULL)});
        }
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
