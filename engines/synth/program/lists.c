/* The lists of the store (layout.h): springs and forces of bodies, bodies of ears, modulations. All
 * entries are gone through twice: to count them, and to write them. */
#include "program/parts.h"

/* Word where entry 0 of an entity lies, and how many entries it has, follow the list's own word. */
static void emit(synth_builder *b, uint32_t list_index, uint32_t entity, const uint32_t *words)
{
    synth_list_plan *list = &b->lists[list_index];
    if (!b->appending) {
        list->counts[entity]++;
        return;
    }
    uint32_t *store = b->program->image;
    uint32_t first = store[list->word + entity],
             *count = &store[list->word + list->entities + entity];
    for (uint32_t k = 0; k < list->words; k++)
        store[first + (*count * list->words + k) * SYNTH_STRIDE(list->entities)] = words[k];
    ++*count;
}

/* Both ends compute a spring's force; an anchored end needs none. */
static void list_springs(synth_builder *b)
{
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < b->ordered[HED_SYNTH_SPRING]; i++) {
        const hed_synth_spring_def *spring = &in->springs[b->order[HED_SYNTH_SPRING][i]];
        uint32_t from = b->element[spring->from], to = b->element[spring->to];
        if (!in->bodies[b->order[HED_SYNTH_BODY][from]].anchored)
            emit(b, SYNTH_LIST_SPRINGS, from, (uint32_t[]){to, i});
        if (!in->bodies[b->order[HED_SYNTH_BODY][to]].anchored)
            emit(b, SYNTH_LIST_SPRINGS, to, (uint32_t[]){from, i | SYNTH_SPRING_REVERSED});
    }
}

static void list_forces(synth_builder *b)
{
    const synth_layout *layout = &b->program->layout;
    for (uint32_t type = SYNTH_MALLET; type <= SYNTH_AUDIO; type++)
        for (uint32_t i = 0; i < layout->type[type].count; i++)
            emit(b, SYNTH_LIST_FORCES, b->contacts[type][i].body,
                (uint32_t[]){
                    synth_signal(layout, type, CONTACT_O_NX, i), layout->type[type].count});
}

static void list_ears(synth_builder *b)
{
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < b->ordered[HED_SYNTH_MICROPHONE]; i++) {
        hed_synth_entity entity = in->ids[HED_SYNTH_MICROPHONE][b->order[HED_SYNTH_MICROPHONE][i]];
        uint32_t begin = b->link_begin[entity], end = b->link_begin[entity + 1];
        for (uint32_t k = begin; k < end; k++) {
            const synth_link *link = &in->links[b->link_order[k]];
            emit(b, SYNTH_LIST_EARS, b->first_ear[i] + (k - begin) / SYNTH_EAR_BODIES,
                (uint32_t[]){b->element[link->to], hed_as_uint(link->weight)});
        }
    }
}

/* Every contact of an exciter has all its modulations. */
static void list_modulations(synth_builder *b)
{
    const synth_program *program = b->program;
    const hed_synth_instrument *in = b->instrument;
    for (uint32_t i = 0; i < in->modulation_count; i++) {
        const hed_synth_modulation_def *m = &in->modulations[i];
        uint32_t seat = program->seats[m->target], source = program->seats[m->source];
        if (seat == SYNTH_EMPTY) continue; /* left out, or an exciter without a body */
        uint32_t type = SYNTH_SEAT_TYPE(seat), count = program->layout.type[type].count;
        uint32_t words[SYNTH_LINK_WORDS] = {synth_signal(&program->layout, SYNTH_SEAT_TYPE(source),
                                                MODULATOR_O_SIGNAL, SYNTH_SEAT_ENTITY(source)),
            hed_as_uint(m->depth), SYNTH_LINK(m->parameter, m->mode, m->invert)};
        for (uint32_t e = SYNTH_SEAT_ENTITY(seat);
             e < count && program->entities[type][e] == m->target; e++)
            emit(b, SYNTH_LIST_LINKS + type, e, words);
    }
}

static void list_all(synth_builder *b)
{
    list_springs(b);
    list_forces(b);
    list_ears(b);
    list_modulations(b);
}

/* Where each entity's entries begin, from `word` on, if `first` is there to be written; gives the
 * list's words. */
static uint64_t place_list(const synth_list_plan *list, uint64_t word, uint32_t *first)
{
    uint64_t at = word + 2 * (uint64_t)list->entities;
    uint32_t stride = SYNTH_STRIDE(list->entities);
    for (uint32_t slice = 0; slice < list->entities; slice += SYNTH_SLICE) {
        uint32_t longest = 0;
        for (uint32_t i = slice; i < list->entities && i < slice + SYNTH_SLICE; i++) {
            if (first) first[i] = (uint32_t)at + i - slice;
            if (list->counts[i] > longest) longest = list->counts[i];
        }
        at += (uint64_t)longest * list->words * stride;
    }
    return at - word;
}

hed_status synth_count_lists(synth_builder *b, uint64_t *words, hed_error *error)
{
    const synth_layout *layout = &b->program->layout;
    b->lists[SYNTH_LIST_SPRINGS] =
        (synth_list_plan){NULL, layout->type[SYNTH_BODY].count, SYNTH_SPRING_WORDS, 0};
    b->lists[SYNTH_LIST_FORCES] =
        (synth_list_plan){NULL, layout->type[SYNTH_BODY].count, SYNTH_FORCE_WORDS, 0};
    b->lists[SYNTH_LIST_EARS] =
        (synth_list_plan){NULL, layout->type[SYNTH_EAR].count, SYNTH_EAR_WORDS, 0};
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        b->lists[SYNTH_LIST_LINKS + type] =
            (synth_list_plan){NULL, layout->type[type].modulated, SYNTH_LINK_WORDS, 0};
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) {
        b->lists[i].counts = synth_new(b->allocator, b->lists[i].entities, sizeof(uint32_t));
        if (!b->lists[i].counts)
            return synth_fail(
                error, HED_ERROR_MEMORY, "no memory to list what bodies are joined by");
    }
    list_all(b);
    *words = 0;
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) *words += place_list(&b->lists[i], 0, NULL);
    return HED_OK;
}

void synth_fill_lists(synth_builder *b, uint32_t word)
{
    synth_layout *layout = &b->program->layout;
    for (uint32_t i = 0; i < SYNTH_LISTS; i++) {
        b->lists[i].word = word;
        word += (uint32_t)place_list(&b->lists[i], word, b->program->image + word);
    }
    layout->type[SYNTH_BODY].list = b->lists[SYNTH_LIST_SPRINGS].word;
    layout->type[SYNTH_BODY].forces = b->lists[SYNTH_LIST_FORCES].word;
    layout->type[SYNTH_EAR].list = b->lists[SYNTH_LIST_EARS].word;
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        layout->type[type].links = b->lists[SYNTH_LIST_LINKS + type].word;
    b->appending = true;
    list_all(b);
}

void synth_release_lists(synth_builder *b)
{
    for (uint32_t i = 0; i < SYNTH_LISTS; i++)
        synth_release(b->allocator, b->lists[i].counts, b->lists[i].entities, sizeof(uint32_t));
}
