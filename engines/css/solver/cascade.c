/* Which rule wins: Cascade 5, section 6, as one maximum over ranks of 64 bits. */
#include "solver/cascade.h"

#include "solver/plain.h"

/* Larger wins: origin and importance, specificity, order. */
static uint64_t rank_of(const css_matched *m, uint32_t rule, uint32_t specificity)
{
    uint32_t s = 0;
    while (rule >= m->first_rule[s + 1]) s++;
    const css_rule *r = &m->sheets[s]->rules[rule - m->first_rule[s]];
    uint64_t origin = m->sheets[s]->def.origin;
    uint64_t level = r->info.important ? 5 - origin : origin; /* important: in reverse, above all */
    return level << 56 | (uint64_t)specificity << 24 | (rule & 0xffffff);
}

void hed_css_winners(const hed_css_matcher *matcher, uint32_t *winners)
{
    const css_matched matched = css_matcher_parts(matcher), *m = &matched;
    const hed_css_result *r = &m->result;
    for (uint32_t n = 0; n < m->document_count; n++) {
        const hed_css_document *d = m->documents[n];
        for (uint32_t e = 0; e < d->count; e++) {
            uint32_t c = r->element_class[m->first_element[n] + e], winner = CSS_NONE;
            uint64_t best = 0;
            for (uint32_t i = r->class_begin[c]; i < r->class_begin[c + 1]; i++) {
                uint32_t rule = r->rule[i], s = 0;
                while (rule >= m->first_rule[s + 1]) s++;
                const hed_css_sheet *sheet = m->sheets[s];
                const css_rule *own = &sheet->rules[rule - m->first_rule[s]];
                for (uint32_t k = 0; k < own->count; k++) { /* the most specific one that matches */
                    uint32_t specificity = sheet->complexes[own->list + k].specificity;
                    uint64_t rank = rank_of(m, rule, specificity);
                    if (winner != CSS_NONE && rank <= best) continue;
                    if (own->count > 1 &&
                        !css_plain_match(sheet, d, own->list + k, e, m->states_possible))
                        continue;
                    best = rank;
                    winner = rule;
                }
            }
            winners[m->first_element[n] + e] = winner;
        }
    }
}
