/* Rules of sheets against elements of documents, on the processor: for each element the rules whose
 * last compound names its id, one of its classes or its type, or none of them, are tried from right to
 * left (plain.h). Elements with the same list of rules share a class. */
#include <stdio.h>
#include <stdlib.h>

#include "model/document.h"
#include "model/selector.h"
#include "solver/cascade.h"
#include "solver/plain.h"

/* A complex selector under the name that an element must have for it. */
typedef struct entry {
    uint32_t sheet, complex, rule; /* rule: of all sheets together */
    uint32_t next;                 /* of the same name */
} entry;

struct hed_css_matcher {
    hed_allocator allocator;
    hed_arena arena;
    hed_css_document **documents;
    hed_css_sheet **sheets;
    uint32_t document_count, sheet_count;
    bool states_possible;
    uint32_t *first_element; /* (document_count + 1) */
    uint32_t *first_rule;    /* (sheet_count + 1) */
    /* entries by name, in ASCII lower case (quirks mode; exact names are tried anyway) */
    entry *entries;
    uint32_t entry_count, universal, name_count;
    uint32_t *by_id, *by_class, *by_type; /* (name_count) first entry; CSS_NONE */
    /* results */
    hed_arena found;
    uint32_t *element_class;
    uint32_t *class_begin, class_count, class_room;
    uint32_t *rules, rule_room;
    uint32_t *slots, slot_count; /* hash table: 1 + class */
};

/* ---- making ---- */

/* The name that the last compound asks for: an id before a class before a type. */
static void place_entry(hed_css_matcher *m, const hed_css_sheet *sheet, uint32_t index)
{
    entry *e = &m->entries[index];
    const css_complex *complex = &sheet->complexes[e->complex];
    const css_compound *last = &sheet->compounds[complex->first + complex->count - 1];
    uint32_t *place = &m->universal;
    int best = 0;
    for (uint32_t i = 0; i < last->count; i++) {
        const css_simple *s = &sheet->simples[last->first + i];
        int rank = s->kind == CSS_ID ? 3 : s->kind == CSS_CLASS ? 2 : s->kind == CSS_TYPE ? 1 : 0;
        if (rank <= best) continue;
        best = rank;
        place = &(rank == 3 ? m->by_id : rank == 2 ? m->by_class : m->by_type)[s->lower];
    }
    e->next = *place;
    *place = index;
}

static hed_status index_rules(hed_css_matcher *m, hed_css_names *names, hed_error *error)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < m->sheet_count; s++) {
        const hed_css_sheet *sheet = m->sheets[s];
        m->first_rule[s + 1] = m->first_rule[s] + sheet->rule_count;
        for (uint32_t r = 0; r < sheet->rule_count; r++) count += sheet->rules[r].count;
    }
    if (count > UINT32_MAX / 2)
        return hed_fail(error, HED_ERROR_LIMIT, "css: more than 2^31 selectors");
    m->name_count = names->count;
    m->entries = hed_arena_new(&m->arena, count, sizeof *m->entries, error);
    uint32_t **tables[] = {&m->by_id, &m->by_class, &m->by_type};
    for (int i = 0; i < 3; i++) {
        *tables[i] = hed_arena_new(&m->arena, m->name_count, sizeof(uint32_t), error);
        if (!hed_failed(error)) memset(*tables[i], 0xff, m->name_count * sizeof(uint32_t));
    }
    m->universal = CSS_NONE;
    for (uint32_t s = 0; s < m->sheet_count && !hed_failed(error); s++)
        for (uint32_t r = 0; r < m->sheets[s]->rule_count; r++) {
            const css_rule *rule = &m->sheets[s]->rules[r];
            if (rule->info.validity != HED_CSS_VALID) continue;
            for (uint32_t c = 0; c < rule->count; c++) {
                m->entries[m->entry_count] =
                    (entry){s, rule->list + c, m->first_rule[s] + r, CSS_NONE};
                place_entry(m, m->sheets[s], m->entry_count++);
            }
        }
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_css_matcher_create(
    hed_device *device, const hed_css_matcher_def *def, hed_css_matcher **matcher, hed_error *error)
{
    hed_error local = {0};
    if (!error) error = &local;
    if (hed_failed(error)) return error->status;
    *matcher = NULL;
    if (!def || (def->document_count && !def->documents) || (def->sheet_count && !def->sheets))
        return hed_fail(error, HED_ERROR_ARGUMENT, "css: a list of documents or sheets is NULL");
    if (!def->document_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "css: a matcher needs a document: 0 were given");
    hed_css_names *names = def->documents[0]->names;
    for (uint32_t i = 0; i < def->document_count; i++)
        if (def->documents[i]->names != names)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "css: document %u has a table of names of its own; documents and sheets that are "
                "matched together share one",
                i);
    for (uint32_t i = 0; i < def->sheet_count; i++)
        if (def->sheets[i]->names != names)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "css: sheet %u has a table of names of its own; documents and sheets that are matched "
                "together share one",
                i);
    if (device && strcmp(hed_device_describe(device)->backend, "host"))
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "css: device %s: sheets are matched on host",
            hed_device_describe(device)->id);
    hed_css_matcher *m = hed_new(&names->allocator, 1, sizeof *m, error);
    if (!m) return error->status;
    m->allocator = names->allocator;
    m->arena = (hed_arena){.allocator = names->allocator, .owner = "a matcher"};
    m->found = (hed_arena){.allocator = names->allocator, .owner = "the result of a match"};
    m->document_count = def->document_count;
    m->sheet_count = def->sheet_count;
    m->states_possible = def->states_possible;
    m->documents = hed_arena_new(&m->arena, def->document_count, sizeof(void *), error);
    m->sheets = hed_arena_new(&m->arena, def->sheet_count, sizeof(void *), error);
    m->first_element =
        hed_arena_new(&m->arena, (uint64_t)def->document_count + 1, sizeof(uint32_t), error);
    m->first_rule =
        hed_arena_new(&m->arena, (uint64_t)def->sheet_count + 1, sizeof(uint32_t), error);
    if (!hed_failed(error)) {
        memcpy(m->documents, def->documents, def->document_count * sizeof(void *));
        if (def->sheet_count) memcpy(m->sheets, def->sheets, def->sheet_count * sizeof(void *));
        for (uint32_t i = 0; i < def->document_count; i++)
            m->first_element[i + 1] = m->first_element[i] + def->documents[i]->count;
        m->element_class =
            hed_arena_new(&m->arena, m->first_element[m->document_count], sizeof(uint32_t), error);
        index_rules(m, names, error);
    }
    if (hed_failed(error)) {
        hed_css_matcher_destroy(m);
        return error->status;
    }
    *matcher = m;
    return HED_OK;
}

void hed_css_matcher_destroy(hed_css_matcher *m)
{
    if (!m) return;
    hed_allocator allocator = m->allocator;
    hed_arena_free(&m->found);
    hed_arena_free(&m->arena);
    hed_delete(&allocator, m, 1, sizeof *m);
}

/* ---- matching ---- */

/* Room for `count` numbers and what is to come: twice as much, the old content copied. */
static uint32_t *grow(
    hed_css_matcher *m, uint32_t *old, uint32_t *room, uint64_t count, hed_error *error)
{
    if (count <= *room || hed_failed(error)) return old;
    uint64_t wanted = *room ? *room : 1024;
    while (wanted < count) wanted *= 2;
    uint32_t *more =
        wanted <= UINT32_MAX ? hed_arena_new(&m->found, wanted, sizeof *more, error) : NULL;
    if (!more) {
        hed_fail(error, HED_ERROR_LIMIT, "css: the result of a match needs 2^32 numbers");
        return old;
    }
    if (old) memcpy(more, old, *room * sizeof *more);
    *room = (uint32_t)wanted;
    return more;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t hash_list(const uint32_t *rules, uint32_t count)
{
    uint64_t hash = 0x9e3779b97f4a7c15u + count;
    for (uint32_t i = 0; i < count; i++) hash = (hash ^ rules[i]) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

static void insert_class(hed_css_matcher *m, uint32_t class_number)
{
    uint32_t begin = m->class_begin[class_number], end = m->class_begin[class_number + 1];
    uint32_t at = hash_list(m->rules + begin, end - begin) & (m->slot_count - 1);
    while (m->slots[at]) at = (at + 1) & (m->slot_count - 1);
    m->slots[at] = class_number + 1;
}

/* The class of the list that stands behind the last class's, and has `count` rules. */
static uint32_t class_of(hed_css_matcher *m, uint32_t count, hed_error *error)
{
    uint32_t begin = m->class_begin[m->class_count];
    const uint32_t *list = m->rules + begin;
    uint32_t at = hash_list(list, count) & (m->slot_count - 1);
    for (; m->slots[at]; at = (at + 1) & (m->slot_count - 1)) {
        uint32_t known = m->slots[at] - 1, first = m->class_begin[known];
        if (m->class_begin[known + 1] - first != count) continue;
        if (!memcmp(m->rules + first, list, count * sizeof *list)) return known;
    }
    m->class_begin = grow(m, m->class_begin, &m->class_room, m->class_count + 3ull, error);
    if (hed_failed(error)) return 0;
    m->class_begin[++m->class_count] = begin + count;
    if (2 * m->class_count < m->slot_count) {
        m->slots[at] = m->class_count;
        return m->class_count - 1;
    }
    m->slot_count *= 2;
    m->slots = hed_arena_new(&m->found, m->slot_count, sizeof *m->slots, error);
    for (uint32_t k = 0; k < m->class_count && m->slots; k++) insert_class(m, k);
    return m->class_count - 1;
}

/* Tries the entries of a list; gives how many rules stand in the scratch list behind the classes. */
static uint32_t try_entries(hed_css_matcher *m, const hed_css_document *d, uint32_t element,
    uint32_t first, uint32_t count, hed_error *error)
{
    uint32_t begin = m->class_begin[m->class_count];
    for (uint32_t i = first; i != CSS_NONE && !hed_failed(error); i = m->entries[i].next) {
        const entry *e = &m->entries[i];
        if (!css_plain_match(m->sheets[e->sheet], d, e->complex, element, m->states_possible))
            continue;
        m->rules = grow(m, m->rules, &m->rule_room, begin + count + 1ull, error);
        if (!hed_failed(error)) m->rules[begin + count++] = e->rule;
    }
    return count;
}

hed_status hed_css_match(hed_css_matcher *m, hed_error *error)
{
    hed_error local = {0};
    if (!error) error = &local;
    if (hed_failed(error)) return error->status;
    hed_arena_free(&m->found);
    m->class_begin = m->rules = NULL;
    m->class_room = m->rule_room = m->class_count = 0;
    m->slot_count = 1024;
    m->slots = hed_arena_new(&m->found, m->slot_count, sizeof *m->slots, error);
    m->class_begin = grow(m, NULL, &m->class_room, 2, error);
    for (uint32_t n = 0; n < m->document_count; n++) {
        const hed_css_document *d = m->documents[n];
        for (uint32_t e = 0; e < d->count && !hed_failed(error); e++) {
            uint32_t count = 0, lower = css_name_lower(d->names, d->tag[e]);
            /* names that the sheets do not know were added after the index */
            if (lower < m->name_count)
                count = try_entries(m, d, e, m->by_type[lower], count, error);
            if (d->id[e] != CSS_NONE) {
                lower = css_name_lower(d->names, d->id[e]);
                if (lower < m->name_count)
                    count = try_entries(m, d, e, m->by_id[lower], count, error);
            }
            for (uint32_t i = d->class_begin[e]; i < d->class_begin[e + 1]; i++) {
                lower = css_name_lower(d->names, d->classes[i]);
                if (lower < m->name_count)
                    count = try_entries(m, d, e, m->by_class[lower], count, error);
            }
            count = try_entries(m, d, e, m->universal, count, error);
            if (hed_failed(error)) break;
            uint32_t *list = m->rules + m->class_begin[m->class_count], kept = 0;
            if (count > 1) qsort(list, count, sizeof *list, ascending);
            for (uint32_t i = 0; i < count; i++)
                if (i == 0 || list[i] != list[i - 1]) list[kept++] = list[i];
            m->element_class[m->first_element[n] + e] = class_of(m, kept, error);
        }
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- what follows from classes ---- */

hed_css_result hed_css_results(const hed_css_matcher *m)
{
    hed_css_result result = {.elements = m->first_element[m->document_count],
        .classes = m->class_count,
        .rules = m->first_rule[m->sheet_count],
        .element_class = m->element_class,
        .class_begin = m->class_begin,
        .rule = m->rules};
    for (uint32_t e = 0; e < result.elements && m->class_count; e++) {
        uint32_t c = m->element_class[e];
        result.pairs += m->class_begin[c + 1] - m->class_begin[c];
    }
    return result;
}

void hed_css_counts(const hed_css_matcher *m, uint32_t *counts, uint32_t *hashes)
{
    uint32_t rules = m->first_rule[m->sheet_count];
    for (uint32_t r = 0; r < rules; r++) {
        if (counts) counts[r] = 0;
        if (hashes) hashes[r] = 2166136261u;
    }
    for (uint32_t n = 0; n < m->document_count; n++)
        for (uint32_t e = 0; e < m->documents[n]->count; e++) {
            uint32_t c = m->element_class[m->first_element[n] + e];
            for (uint32_t i = m->class_begin[c]; i < m->class_begin[c + 1]; i++) {
                uint32_t r = m->rules[i];
                if (counts) counts[r]++;
                for (int b = 0; hashes && b < 4; b++)
                    hashes[r] = (hashes[r] ^ (e >> (8 * b) & 0xff)) * 16777619u;
            }
        }
}

css_matched css_matcher_parts(const hed_css_matcher *m)
{
    return (css_matched){.allocator = m->allocator,
        .documents = m->documents,
        .sheets = m->sheets,
        .document_count = m->document_count,
        .sheet_count = m->sheet_count,
        .first_element = m->first_element,
        .first_rule = m->first_rule,
        .states_possible = m->states_possible,
        .result = hed_css_results(m)};
}
