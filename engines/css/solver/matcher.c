/* Matchers: compiled sheets, element kinds of the documents, and for each match bind and pass, on
 * the processor or on a device. kernels/tables.h has the algorithm. */
#include <stdio.h>
#include <string.h>

#include "solver/cascade.h"
#include "solver/matcher.h"

/* ---- making ---- */

/* Compiles the sheets, unless they are compiled for such documents. */
static hed_status matcher_compile(hed_css_matcher *m, hed_error *error)
{
    if (m->is_compiled && m->compiled_options == m->options) return HED_OK;
    uint64_t begin = hed_now();
    hed_arena_free(&m->compiled_arena);
    m->is_compiled = css_compile(&m->compiled, &m->compiled_arena, m->sheets, m->sheet_count,
                         m->without, m->options, error) == HED_OK;
    m->compiled_options = m->options;
    m->seconds.compile = 1e-9 * (double)(hed_now() - begin);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status matcher_find_kinds(hed_css_matcher *m, hed_error *error)
{
    uint64_t begin = hed_now();
    hed_arena_free(&m->kinds_arena);
    css_forest_make(
        &m->forest, &m->kinds_arena, &m->compiled, m->documents, m->document_count, error);
    css_bound_make(&m->bound, &m->kinds_arena, &m->compiled, error);
    m->element_class = hed_arena_new(&m->kinds_arena, m->forest.count, sizeof(uint32_t), error);
    m->seconds.kinds = 1e-9 * (double)(hed_now() - begin);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Checks that documents have the table of names `names`, and copies their list. */
static hed_status matcher_take_documents(hed_css_matcher *m, const hed_css_names *names,
    hed_css_document *const *documents, uint32_t count, hed_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (documents[i]->names != names)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "css: document %u has a table of names of its own; documents and sheets that are "
                "matched together share one",
                i);
    hed_css_document **list = hed_new(&m->allocator, count, sizeof *list, error);
    if (!list) return error->status;
    hed_delete(&m->allocator, m->documents, m->document_count, sizeof *list);
    memcpy(list, documents, count * sizeof *list);
    m->documents = list;
    m->document_count = count;
    m->options = m->states_possible ? CSS_COMPILE_POSSIBLE : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i]->quirks) m->options |= CSS_COMPILE_QUIRKS;
        if (list[i]->has_edited) m->options |= CSS_COMPILE_EDITED;
        if (list[i]->tree_count) m->options |= CSS_COMPILE_SHADOW;
    }
    return HED_OK;
}

static void matcher_take_sheets(
    hed_css_matcher *m, const hed_css_matcher_def *def, hed_error *error)
{
    uint64_t rules = 0;
    m->sheets = hed_arena_new(&m->arena, def->sheet_count, sizeof(void *), error);
    m->first_rule =
        hed_arena_new(&m->arena, (uint64_t)def->sheet_count + 1, sizeof(uint32_t), error);
    if (hed_failed(error)) return;
    if (def->sheet_count) memcpy(m->sheets, def->sheets, def->sheet_count * sizeof(void *));
    for (uint32_t i = 0; i < def->sheet_count; i++) {
        rules += m->sheets[i]->rule_count;
        if (rules > UINT32_MAX / 2) {
            hed_fail(error, HED_ERROR_LIMIT, "css: more than 2^31 rules");
            return;
        }
        m->first_rule[i + 1] = (uint32_t)rules;
    }
    if (!def->without) return;
    bool *without = hed_arena_new(&m->arena, rules + 1, sizeof *without, error);
    if (without) memcpy(without, def->without, rules * sizeof *without);
    m->without = without;
}

/* Uploads the tables to the matcher's device; kernels and buffers are reused if possible. */
static hed_status matcher_prepare_device(hed_css_matcher *m, hed_error *error)
{
    if (m->device && css_device_update(m->device, &m->compiled, &m->forest, error)) return HED_OK;
    css_device_destroy(m->device);
    m->device = NULL;
    if (m->on && !m->stale_kinds)
        css_device_create(m->on, m->allocator, &m->compiled, &m->forest, false, &m->device, error);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Finds the tables of the matcher's documents, on its device as well. */
static hed_status matcher_prepare(hed_css_matcher *m, hed_error *error)
{
    m->stale_kinds = matcher_compile(m, error) || matcher_find_kinds(m, error);
    return matcher_prepare_device(m, error);
}

hed_status hed_css_matcher_create(
    hed_device *device, const hed_css_matcher_def *def, hed_css_matcher **matcher, hed_error *error)
{
    HED_REQUIRE(def, matcher);
    hed_error local = {0};
    if (!error) error = &local;
    *matcher = NULL;
    if ((def->document_count && !def->documents) || (def->sheet_count && !def->sheets) ||
        (def->tree_sheet_count && !def->tree_sheets))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "css: a list of documents, sheets or trees is NULL");
    if (!def->document_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "css: a matcher needs a document: 0 were given");
    hed_css_names *names = def->documents[0]->names;
    for (uint32_t i = 0; i < def->sheet_count; i++)
        if (def->sheets[i]->names != names)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "css: sheet %u has a table of names of its own; documents and sheets that are matched "
                "together share one",
                i);
    hed_css_matcher *m = hed_new(&names->allocator, 1, sizeof *m, error);
    if (!m) return error->status;
    m->allocator = names->allocator;
    m->arena = (hed_arena){.allocator = names->allocator, .owner = "a matcher"};
    m->compiled_arena = (hed_arena){.allocator = names->allocator, .owner = "compiled sheets"};
    m->trees_arena = (hed_arena){.allocator = names->allocator, .owner = "sheets in shadow trees"};
    m->kinds_arena = (hed_arena){.allocator = names->allocator, .owner = "the shapes of documents"};
    m->found = (hed_arena){.allocator = names->allocator, .owner = "the result of a match"};
    m->sheet_count = def->sheet_count;
    m->states_possible = def->states_possible;
    if (device && strcmp(hed_device_describe(device).backend, "host")) m->on = device;
    if (matcher_take_documents(m, names, def->documents, def->document_count, error) == HED_OK)
        matcher_take_sheets(m, def, error);
    if (!hed_failed(error)) css_membership_make(&m->membership, &m->trees_arena, def, error);
    if (!hed_failed(error)) matcher_prepare(m, error);
    if (hed_failed(error)) {
        hed_css_matcher_destroy(m);
        return error->status;
    }
    *matcher = m;
    return HED_OK;
}

hed_status hed_css_matcher_set_documents(hed_css_matcher *matcher,
    hed_css_document *const *documents, uint32_t document_count, hed_error *error)
{
    HED_REQUIRE(matcher, documents);
    hed_error local = {0};
    if (!error) error = &local;
    if (!document_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "css: a matcher needs a document: 0 were given");
    const hed_css_names *names =
        matcher->sheet_count ? matcher->sheets[0]->names : documents[0]->names;
    if (matcher_take_documents(matcher, names, documents, document_count, error))
        return error->status;
    const hed_css_matcher_def def = {.documents = documents,
        .document_count = document_count,
        .sheet_count = matcher->sheet_count}; /* all sheets are in the pages, not in shadow trees */
    hed_arena_free(&matcher->trees_arena);
    if (css_membership_make(&matcher->membership, &matcher->trees_arena, &def, error))
        return error->status;
    hed_arena_free(&matcher->found);
    matcher->matched = matcher->by_pass = matcher->changes = matcher->edited = false;
    return matcher_prepare(matcher, error);
}

void hed_css_matcher_destroy(hed_css_matcher *m)
{
    if (!m) return;
    hed_allocator allocator = m->allocator;
    css_device_destroy(m->device);
    hed_arena_free(&m->found);
    for (size_t i = 0; i < HED_COUNT(m->filtered); i++) hed_arena_free(&m->filtered[i]);
    hed_arena_free(&m->kinds_arena);
    hed_arena_free(&m->compiled_arena);
    hed_arena_free(&m->trees_arena);
    hed_arena_free(&m->arena);
    hed_delete(&allocator, m->documents, m->document_count, sizeof *m->documents);
    hed_delete(&allocator, m, 1, sizeof *m);
}

void css_take_results(hed_css_matcher *m)
{
    m->classes = m->pass.class.count;
    m->class_begin = m->pass.class_begin.items;
    m->rule = m->pass.rules.items;
}

hed_status css_match_on_processor(hed_css_matcher *m, hed_error *error)
{
    uint64_t begin = hed_now();
    css_bind(&m->bound, &m->forest, error);
    uint64_t bound = hed_now();
    css_pass_make(&m->pass, &m->found, &m->forest, &m->bound, m->element_class, error);
    if (css_pass_run(&m->pass, error)) return error->status;
    css_take_results(m);
    m->by_pass = true;
    m->seconds.bind = 1e-9 * (double)(bound - begin);
    css_filter_results(m, error);
    m->seconds.pass = 1e-9 * (double)(hed_now() - bound);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Matches on the device, and converts finals to rules; false: the processor has to match. */
static bool match_on_device(hed_css_matcher *m, hed_error *error)
{
    css_found found;
    if (!css_device_match(m->device, &found, error)) return false;
    if (hed_failed(error)) return true;
    uint32_t count = found.class_begin[found.classes];
    uint32_t *rule = hed_arena_new(&m->found, count, sizeof *rule, error);
    if (!rule) return true;
    for (uint32_t i = 0; i < count; i++) rule[i] = m->compiled.tables.final[found.final[i]].rule;
    memcpy(m->element_class, found.element_class, m->forest.count * sizeof *rule);
    m->classes = found.classes;
    m->class_begin = found.class_begin;
    m->rule = rule;
    css_filter_results(m, error);
    return true;
}

hed_status hed_css_match(hed_css_matcher *matcher, hed_error *error)
{
    HED_REQUIRE(matcher);
    hed_error local = {0};
    if (!error) error = &local;
    hed_arena_free(&matcher->found);
    matcher->matched = matcher->by_pass = matcher->changes = false;
    if (matcher->stale_kinds &&
        (matcher_compile(matcher, error) || matcher_find_kinds(matcher, error)))
        return error->status;
    matcher->stale_kinds = false;
    if (matcher->edited) {
        matcher_prepare_device(matcher, error);
        matcher->edited = hed_failed(error);
        if (matcher->edited) return error->status;
    }
    if (!matcher->device || !match_on_device(matcher, error))
        css_match_on_processor(matcher, error);
    matcher->matched = !hed_failed(error);
    matcher->stale_kinds = !matcher->matched; /* the arena of forest and binding has failed */
    return matcher->matched ? HED_OK : error->status;
}

hed_status hed_css_matcher_measure(
    hed_css_matcher *matcher, uint32_t repeats, hed_css_times *times, hed_error *error)
{
    HED_REQUIRE(matcher, times);
    hed_error local = {0};
    if (!error) error = &local;
    if (!matcher->matched)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "css: nothing was matched that could be measured");
    if (matcher->by_pass)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "css: the last match was done on the processor");
    return css_device_measure(matcher->device, repeats, times, error);
}

/* ---- results ---- */

hed_css_result hed_css_matcher_results(const hed_css_matcher *m)
{
    if (!m) return (hed_css_result){0};
    hed_css_result result = {.elements = m->forest.count, .rules = m->compiled.rules};
    if (!m->matched) return result;
    const uint32_t *begin = m->class_begin;
    result.classes = m->classes;
    result.element_class = m->result_class;
    result.class_begin = begin;
    result.rule = m->rule;
    for (uint32_t e = 0; e < result.elements; e++) {
        uint32_t c = m->result_class[e];
        result.pairs += begin[c + 1] - begin[c];
    }
    return result;
}

hed_css_matcher_info hed_css_matcher_describe(const hed_css_matcher *m)
{
    if (!m) return (hed_css_matcher_info){0};
    hed_css_matcher_info info = {.predicates = m->compiled.predicate.count,
        .compounds = css_compounds(&m->compiled),
        .prefixes = m->compiled.node.count,
        .shapes = m->forest.kinds.count,
        .compile_seconds = m->seconds.compile,
        .shape_seconds = m->seconds.kinds,
        .bind_seconds = m->seconds.bind,
        .pass_seconds = m->seconds.pass};
    if (!m->by_pass) return info;
    info.signatures = m->pass.signature.count;
    info.states = css_interned(&m->pass.states);
    for (uint32_t e = 0; e < m->forest.count; e++)
        info.varying += m->bound.kind.items[m->forest.kind[e]].dynamics > 0;
    return info;
}

void hed_css_matcher_counts(const hed_css_matcher *m, uint32_t *counts, uint32_t *hashes)
{
    if (!m) return;
    for (uint32_t r = 0; r < m->compiled.rules; r++) {
        if (counts) counts[r] = 0;
        if (hashes) hashes[r] = 2166136261u;
    }
    if (!m->matched) return;
    const uint32_t *begin = m->class_begin, *rules = m->rule;
    for (uint32_t n = 0; n < m->document_count; n++)
        for (uint32_t e = 0; e < m->documents[n]->count; e++) {
            uint32_t c = m->result_class[m->forest.first[n] + e];
            for (uint32_t i = begin[c]; i < begin[c + 1]; i++) {
                uint32_t r = rules[i];
                if (counts) counts[r]++;
                for (int b = 0; hashes && b < 4; b++)
                    hashes[r] = (hashes[r] ^ (e >> (8 * b) & 0xff)) * 16777619u;
            }
        }
}

void hed_css_matcher_pairs(const hed_css_matcher *m, uint64_t *begin, uint32_t *rule)
{
    if (!m || !begin || !rule) return;
    hed_css_result r = hed_css_matcher_results(m);
    begin[0] = 0;
    for (uint32_t e = 0; e < r.elements; e++) {
        uint32_t from = 0, count = 0;
        if (r.classes) {
            from = r.class_begin[r.element_class[e]];
            count = r.class_begin[r.element_class[e] + 1] - from;
        }
        if (count) memcpy(rule + begin[e], r.rule + from, count * sizeof *rule);
        begin[e + 1] = begin[e] + count;
    }
}

hed_status hed_css_element_rules(
    const hed_css_matcher *matcher, uint32_t rule, uint32_t *bits, hed_error *error)
{
    HED_REQUIRE(matcher, bits);
    hed_css_result r = hed_css_matcher_results(matcher);
    if (rule >= r.rules)
        return hed_fail(error, HED_ERROR_ARGUMENT, "css: rule %u: there are %u", rule, r.rules);
    bool *has = hed_new(&matcher->allocator, r.classes + 1ull, sizeof *has,
        error); /* (classes) true if the class has the rule */
    if (!has) return HED_ERROR_MEMORY;
    for (uint32_t c = 0; c < r.classes; c++)
        for (uint32_t i = r.class_begin[c]; i < r.class_begin[c + 1] && !has[c]; i++)
            has[c] = r.rule[i] == rule;
    for (uint32_t w = 0; w < (r.elements + 31) / 32; w++) bits[w] = 0;
    for (uint32_t e = 0; e < r.elements && r.classes; e++)
        bits[e / 32] |= (uint32_t)has[r.element_class[e]] << e % 32;
    hed_delete(&matcher->allocator, has, r.classes + 1ull, sizeof *has);
    return HED_OK;
}

css_matched css_matcher_parts(const hed_css_matcher *m)
{
    return (css_matched){.allocator = m->allocator,
        .documents = m->documents,
        .sheets = m->sheets,
        .document_count = m->document_count,
        .sheet_count = m->sheet_count,
        .first_element = m->forest.first,
        .first_rule = m->first_rule,
        .membership = &m->membership,
        .states_possible = m->states_possible,
        .result = hed_css_matcher_results(m)};
}
