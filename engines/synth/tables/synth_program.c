/* Conversion of an instrument to a program: orders entities (modulated ones first in each type),
 * makes contacts of exciters, packs rows, lays out the store and fills it in. */
#include "tables/synth_parts.h"
#include "support/digits.h"

#include <stdlib.h>

#define TYPE_ASSERT(TYPE, ...) \
    _Static_assert((int)SYNTH_##TYPE == (int)HED_SYNTH_##TYPE, \
        "entity_list.h and layout.h have one order: " #TYPE);
SYNTH_ENTITIES(TYPE_ASSERT)
_Static_assert((int)SYNTH_EAR == (int)HED_SYNTH_ENTITY_TYPE_COUNT,
    "each row of layout.h except EAR has one in entity_list.h");

#define COST_OF(TYPE, name, parameters, states, signals, gated, step, cost) cost,
const float synth_costs[SYNTH_TYPES] = {SYNTH_TYPE_ROWS(COST_OF)};

#define SHAPE_OF(TYPE, name, parameters, states, signals, gated, step, cost) \
    {parameters, states, signals, gated},
const synth_shape synth_shapes[SYNTH_TYPES] = {SYNTH_TYPE_ROWS(SHAPE_OF)};

/* Allocates an array of the builder or the program; true if out of memory. */
#define NO_ROOM(of, array, count) \
    (!((array) = hed_arena_new(&(of)->arena, count, sizeof *(array), error)))

/* ---- the order of bodies ---- */

/* Order of bodies for vectors (solver/cpu/bodies.h) and warps. If most springs join bodies at
 * equal index distances, bodies keep the instrument's order, for bands. Otherwise bodies are
 * sorted by their number of springs within windows, so that the lanes of a slice end together:
 * SELL-C-sigma (Kreutzer et al., "A unified sparse matrix data format", SIAM J. Sci. Comput. 36,
 * 2014). Forces are summed in the order of the spring lists, so the order of bodies changes no
 * bit. */

enum {
    WINDOW = 1024,    /* bodies; small, so that neighbours stay near each other */
    MOST_SORTED = 64, /* larger numbers of springs count as this number */
    BAND = 16,        /* springs of one distance that make a band */
};

static uint32_t index_of(const hed_synth_instrument *in, hed_synth_entity body)
{
    return synth_find(in, body)->index;
}

static int program_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* True if nine in ten springs have an index distance that is common: with fewer, rows of bands
 * would not be full. */
static bool is_regular(const hed_synth_instrument *in, uint32_t *distances)
{
    uint32_t count = in->counts[HED_SYNTH_SPRING], regular = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = index_of(in, in->springs[i].from), to = index_of(in, in->springs[i].to);
        distances[i] = from < to ? to - from : from - to;
    }
    qsort(distances, count, sizeof *distances, program_compare);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && distances[end] == distances[begin]; end++) {}
        if (end - begin >= BAND) regular += end - begin;
    }
    return 10 * (uint64_t)regular >= 9 * (uint64_t)count;
}

static hed_status order_bodies(const hed_allocator *allocator, const hed_synth_instrument *in,
    uint32_t *order, hed_error *error)
{
    uint32_t bodies = in->counts[HED_SYNTH_BODY], springs = in->counts[HED_SYNTH_SPRING];
    hed_arena scratch = {.allocator = *allocator, .owner = "the order of bodies"};
    uint32_t *counts = hed_arena_new(&scratch, bodies, sizeof *counts, error),
             *distances = hed_arena_new(&scratch, springs, sizeof *distances, error);
    if (!error->status) {
        bool sorted = !is_regular(in, distances);
        /* count the springs of each body; an anchored body sums none */
        for (uint32_t i = 0; i < in->counts[HED_SYNTH_SPRING]; i++) {
            uint32_t ends[2] = {index_of(in, in->springs[i].from), index_of(in, in->springs[i].to)};
            for (int k = 0; k < 2; k++)
                if (!in->bodies[ends[k]].anchored && counts[ends[k]] < MOST_SORTED)
                    counts[ends[k]]++;
        }
        for (uint32_t i = 0; i < bodies; i++) order[i] = i;
        /* sort each window: most springs first, equal numbers in index order */
        for (uint32_t begin = 0; sorted && begin < bodies; begin += WINDOW) {
            uint32_t end = bodies - begin < WINDOW ? bodies : begin + WINDOW, at = begin;
            for (uint32_t length = MOST_SORTED + 1; length-- > 0;)
                for (uint32_t i = begin; i < end; i++)
                    if (counts[i] == length) order[at++] = i;
        }
    }
    hed_arena_free(&scratch);
    return error->status;
}

/* ---- elements and their order ---- */

/* Orders bodies for vectors. Modulated bodies are not separated, so every body has a list of
 * links. */
static hed_status order_for_vectors(synth_builder *b, hed_error *error)
{
    const hed_synth_instrument *in = b->instrument;
    synth_type_layout *bodies = &b->program->layout.type[SYNTH_BODY];
    if (order_bodies(&b->arena.allocator, in, b->order[HED_SYNTH_BODY], error))
        return error->status;
    b->ordered[HED_SYNTH_BODY] = bodies->count = in->counts[HED_SYNTH_BODY];
    for (uint32_t i = 0; i < bodies->count; i++) {
        hed_synth_entity entity = in->ids[HED_SYNTH_BODY][b->order[HED_SYNTH_BODY][i]];
        b->element[entity] = i;
        if (b->marks[entity] & SYNTH_MARK_MODULATED) bodies->modulated = bodies->count;
    }
    return HED_OK;
}

/* Orders a type: modulated entities first, the rest of the order from `from` (indices in the
 * instrument; NULL: ascending). */
static void order_type(synth_builder *b, uint32_t type, const uint32_t *from)
{
    const hed_synth_instrument *in = b->instrument;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < in->counts[type]; k++) {
            uint32_t i = from ? from[k] : k;
            hed_synth_entity entity = in->ids[type][i];
            if ((b->marks[entity] & SYNTH_MARK_MODULATED) != (pass == 0)) continue;
            /* a program next to a grid has no springs, and only bodies with links */
            if (b->def->remote &&
                (type == HED_SYNTH_SPRING ||
                    (type == HED_SYNTH_BODY && !(b->marks[entity] & SYNTH_MARK_LINKED))))
                continue;
            b->element[entity] = count;
            b->order[type][count++] = i;
        }
        if (pass == 0) b->program->layout.type[type].modulated = count;
    }
    b->ordered[type] = b->program->layout.type[type].count = count;
}

static hed_status order_entities(synth_builder *b, hed_error *error)
{
    const hed_synth_instrument *in = b->instrument;
    if (NO_ROOM(b, b->marks, in->entity_count + 1u) ||
        NO_ROOM(b, b->element, in->entity_count + 1u))
        return HED_ERROR_MEMORY;
    memset(b->element, 0xff, (in->entity_count + 1u) * sizeof *b->element);
    for (uint32_t i = 0; i < in->modulation_count; i++) {
        b->marks[in->modulations[i].entity] |= SYNTH_MARK_MODULATED;
        if (in->modulations[i].target == HED_SYNTH_TARGET_DAMPING)
            b->marks[in->modulations[i].entity] |= SYNTH_MARK_DAMPED;
    }
    for (uint32_t i = 0; i < in->link_count; i++) b->marks[in->links[i].to] |= SYNTH_MARK_LINKED;

    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        if (NO_ROOM(b, b->order[type], in->counts[type])) return HED_ERROR_MEMORY;
        if (type != HED_SYNTH_BODY || b->def->remote) order_type(b, type, NULL);
        else if (b->def->vectors) order_for_vectors(b, error);
        else {
            /* bodies that step together should have similar numbers of springs */
            uint32_t *from = hed_arena_new(&b->arena, in->counts[type], sizeof *from, error);
            if (!order_bodies(&b->arena.allocator, in, from, error)) order_type(b, type, from);
        }
    }
    return error->status;
}

static hed_status order_links(synth_builder *b, hed_error *error)
{
    const hed_synth_instrument *in = b->instrument;
    if (NO_ROOM(b, b->link_begin, in->entity_count + 2u) ||
        NO_ROOM(b, b->link_order, in->link_count))
        return HED_ERROR_MEMORY;
    uint32_t *begin = b->link_begin + 1;
    for (uint32_t i = 0; i < in->link_count; i++) begin[in->links[i].from]++;
    for (uint32_t entity = 1; entity <= in->entity_count; entity++)
        begin[entity] += begin[entity - 1];
    for (uint32_t i = in->link_count; i-- > 0;) b->link_order[--begin[in->links[i].from]] = i;
    /* begin[e] is now the first link of e, the later link_begin[e + 1]: shift it to
     * link_begin[e] */
    memmove(b->link_begin, begin, (in->entity_count + 1u) * sizeof *begin);
    b->link_begin[in->entity_count + 1] = in->link_count;
    return HED_OK;
}

/* Writes the contacts of exciter `entity` to `to` unless it is NULL; returns their number. */
static uint32_t list_contacts(
    const synth_builder *b, uint32_t exciter, hed_synth_entity entity, synth_contact *to)
{
    const hed_synth_instrument *in = b->instrument;
    uint32_t count = 0, delays = 0;
    const uint32_t *begin = b->link_order + b->link_begin[entity],
                   *end = b->link_order + b->link_begin[entity + 1];
    for (const uint32_t *at = begin; at < end; at++)
        delays += synth_find(in, in->links[*at].to)->type == HED_SYNTH_DELAY_LINE;
    for (const uint32_t *at = begin; at < end; at++) {
        const synth_link *link = &in->links[*at];
        if (synth_find(in, link->to)->type != HED_SYNTH_BODY) continue;
        synth_contact contact = {exciter, b->element[link->to], link->weight, 0};
        if (delays == 0) {
            if (to) to[count] = contact;
            count++;
        }
        for (const uint32_t *from = begin; delays && from < end; from++) {
            const synth_link *source = &in->links[*from];
            if (synth_find(in, source->to)->type != HED_SYNTH_DELAY_LINE) continue;
            if (to)
                to[count] = (synth_contact){
                    exciter, contact.body, link->weight * source->weight, source->to};
            count++;
        }
    }
    return count;
}

/* Makes an element for each contact of an exciter. */
static hed_status make_contacts(synth_builder *b, hed_error *error)
{
    for (uint32_t type = SYNTH_FIRST_CONTACT; type <= SYNTH_LAST_CONTACT; type++) {
        synth_type_layout *layout = &b->program->layout.type[type];
        const hed_synth_entity *ids = b->instrument->ids[type];
        uint64_t count = 0;
        uint32_t modulated = layout->modulated;
        for (uint32_t i = 0; i < b->ordered[type]; i++) {
            if (i == modulated) layout->modulated = (uint32_t)count;
            hed_synth_entity entity = ids[b->order[type][i]];
            b->element[entity] = (uint32_t)count;
            count += list_contacts(b, b->order[type][i], entity, NULL);
        }
        if (b->ordered[type] == modulated) layout->modulated = (uint32_t)count;
        layout->count = (uint32_t)count;
        if (NO_ROOM(b, b->contacts[type], count)) return HED_ERROR_MEMORY;
        for (uint32_t i = 0; i < b->ordered[type]; i++) {
            hed_synth_entity entity = ids[b->order[type][i]];
            list_contacts(b, b->order[type][i], entity, b->contacts[type] + b->element[entity]);
        }
    }
    return HED_OK;
}

static hed_status make_ears(synth_builder *b, hed_error *error)
{
    synth_layout *layout = &b->program->layout;
    uint32_t microphones = b->ordered[HED_SYNTH_MICROPHONE];
    if (NO_ROOM(b, b->first_ear, microphones + 1u)) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < microphones; i++) {
        hed_synth_entity entity =
            b->instrument->ids[HED_SYNTH_MICROPHONE][b->order[HED_SYNTH_MICROPHONE][i]];
        uint32_t bodies = b->link_begin[entity + 1] - b->link_begin[entity];
        b->first_ear[i + 1] = b->first_ear[i] + (bodies + SYNTH_EAR_BODIES - 1) / SYNTH_EAR_BODIES;
    }
    layout->type[SYNTH_EAR].count = b->first_ear[microphones];
    return HED_OK;
}

/* Records the entity of each element, and the seat of each entity. */
static hed_status name_elements(synth_builder *b, hed_error *error)
{
    synth_program *program = b->program;
    const hed_synth_instrument *in = b->instrument;
    program->entity_count = in->entity_count;
    if (NO_ROOM(program, program->seats, in->entity_count + 1u)) return HED_ERROR_MEMORY;
    if (NO_ROOM(program, program->factors, program->layout.type[SYNTH_BODY].count))
        return HED_ERROR_MEMORY;
    memset(program->seats, 0xff, (in->entity_count + 1u) * sizeof *program->seats);
    if (NO_ROOM(program, program->entities[SYNTH_EAR], program->layout.type[SYNTH_EAR].count))
        return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < b->ordered[HED_SYNTH_MICROPHONE]; i++)
        for (uint32_t ear = b->first_ear[i]; ear < b->first_ear[i + 1]; ear++)
            program->entities[SYNTH_EAR][ear] =
                in->ids[HED_SYNTH_MICROPHONE][b->order[HED_SYNTH_MICROPHONE][i]];
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        uint32_t count = program->layout.type[type].count;
        if (NO_ROOM(program, program->entities[type], count)) return HED_ERROR_MEMORY;
        if (synth_is_contact(type) && NO_ROOM(program, program->contact_body[type], count))
            return HED_ERROR_MEMORY;
        /* backwards, so that the seat of an exciter is its first contact */
        for (uint32_t i = count; i-- > 0;) {
            const synth_contact *contact = synth_is_contact(type) ? &b->contacts[type][i] : NULL;
            hed_synth_entity entity = in->ids[type][contact ? contact->exciter : b->order[type][i]];
            program->entities[type][i] = entity;
            program->seats[entity] = SYNTH_SEAT(type, i);
            if (contact) program->contact_body[type][i] = contact->body;
        }
    }
    return HED_OK;
}

/* ---- gates, targets, stems: counted, then filled ---- */

static hed_status make_gates(synth_builder *b, hed_error *error)
{
    synth_program *program = b->program;
    const hed_synth_instrument *in = b->instrument;
    synth_layout *layout = &program->layout;
    uint64_t room = 0, targets = 0;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        room += synth_shapes[type].gated ? in->counts[type] : 0;
    targets = program->layout.type[SYNTH_MIDI_SOURCE].count +
              program->layout.type[SYNTH_OSCILLATOR].count + program->layout.type[SYNTH_LFO].count;
    if (NO_ROOM(program, program->gates, room) || NO_ROOM(program, program->targets, targets) ||
        NO_ROOM(program, program->stems, program->layout.type[SYNTH_MICROPHONE].count))
        return HED_ERROR_MEMORY;
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
        for (uint32_t i = 0; synth_shapes[type].gated && i < in->counts[type]; i++) {
            hed_synth_route route = *synth_route_of(in, type, i);
            uint32_t g = 0;
            while (g < layout->gates && !synth_is_same_route(program->gates[g].route, route)) g++;
            if (g == layout->gates)
                program->gates[layout->gates++] =
                    (synth_gate){route, SYNTH_FIRST_GATE + g * SYNTH_GATE_WORDS, false};
            program->gates[g].starts |= type == HED_SYNTH_AUDIO_INPUT ? in->audio_inputs[i].gated
                                        : type == HED_SYNTH_LFO       ? in->lfos[i].retrigger
                                                                      : true;
        }
    return HED_OK;
}

/* ---- rows and words ---- */

static hed_status pack_rows(synth_builder *b, hed_error *error)
{
    synth_layout *layout = &b->program->layout;
    uint32_t counts[SYNTH_TYPES], rows = 0;
    for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
        counts[type] =
            type == SYNTH_SPRING ? layout->type[type].modulated : layout->type[type].count;
        if (type == SYNTH_BODY && b->def->remote) counts[type] = 0;
        if (type == SYNTH_BOW && !b->def->remote) counts[type] = 0; /* steps late */
        rows += (counts[type] + b->def->lanes - 1) / b->def->lanes;
    }
    /* more lists than rows would only wait at the barrier */
    hed_pack_def def = {.counts = counts, .costs = synth_costs, .types = SYNTH_TYPES,
        .warps = rows < b->def->warps ? rows : b->def->warps, .lanes = b->def->lanes,
        .method = b->def->pack};
    if (def.warps == 0) def.warps = 1;
    b->piece_room = hed_pack_capacity(&def);
    if (NO_ROOM(b, b->pieces, b->piece_room) || NO_ROOM(b, b->warp_rows, HED_PACK_MAX_WARPS))
        return HED_ERROR_MEMORY;
    hed_status status = hed_pack(&def, b->pieces, b->piece_room, &b->program->packing);
    if (status)
        return hed_fail(error, status, "packing %u warps of %u lanes by %s: %s", def.warps,
            def.lanes, hed_pack_method_name(def.method), hed_status_name(status));
    for (uint32_t i = 0; i < b->program->packing.piece_count; i++) {
        uint32_t *row_count = &b->warp_rows[b->pieces[i].warp];
        if (*row_count <= b->pieces[i].row) *row_count = b->pieces[i].row + 1;
    }
    layout->warps = def.warps;
    layout->lanes = def.lanes;
    return HED_OK;
}

/* Returns the number of words to leave free after the signals of a half, so that the words that
 * a vector of bodies writes in one half differ in the last 12 bits of their addresses from those
 * that the next vector reads in the other half. If these bits are equal, a processor takes the
 * load for a read of the preceding store and waits: a lattice of 16 x 16 x 16 took 1.3 times as
 * long. */
static uint32_t signal_gap(uint32_t bodies, uint64_t signals)
{
    enum { PAGE = 1024, LINE = 16 }; /* words */
    uint32_t best = 0, farthest = 0;
    for (uint32_t gap = 0; gap < PAGE; gap += LINE) {
        uint32_t nearest = PAGE;
        for (int field = 1 - BODY_SIGNALS; field < BODY_SIGNALS; field++) {
            uint32_t distance = (uint32_t)(signals + gap + (uint32_t)field * bodies) % PAGE;
            if (distance > PAGE - distance) distance = PAGE - distance;
            if (distance < nearest) nearest = distance;
        }
        if (nearest > farthest) {
            farthest = nearest;
            best = gap;
        }
    }
    return best;
}

/* Assigns words in the order of layout.h. */
static hed_status lay_out(synth_builder *b, hed_error *error)
{
    synth_layout *layout = &b->program->layout;
    uint64_t word = SYNTH_FIRST_GATE + (uint64_t)layout->gates * SYNTH_GATE_WORDS, signals = 0,
             rows = 0;
    for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
        synth_type_layout *t = &layout->type[type];
        if (t->count > SYNTH_SEAT_ENTITY(UINT32_MAX))
            return hed_fail(error, HED_ERROR_LIMIT,
                "%u elements of one type; at most 2^24 - 1 are possible", t->count);
        t->parameter = (uint32_t)word;
        word += (uint64_t)synth_shapes[type].parameters * t->count;
    }
    for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
        layout->type[type].state = (uint32_t)word;
        word += (uint64_t)synth_shapes[type].states * layout->type[type].count;
    }
    for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
        layout->type[type].signal = (uint32_t)signals;
        signals += (uint64_t)synth_shapes[type].signals *
                   (type == SYNTH_SPRING ? layout->type[type].modulated : layout->type[type].count);
    }
    if (b->def->vectors) signals += signal_gap(layout->type[SYNTH_BODY].count, signals);
    layout->signals = (uint32_t)word;
    layout->signal_count = (uint32_t)signals;
    uint64_t lists = word + 2 * signals, list_words;
    hed_status status = synth_count_lists(b, &list_words, error);
    if (status) return status;
    word = lists + list_words;
    layout->row_begin = (uint32_t)word;
    layout->rows = (uint32_t)word + layout->warps + 1;
    for (uint32_t warp = 0; warp < layout->warps; warp++) rows += b->warp_rows[warp];
    word += layout->warps + 1 + rows * layout->lanes;
    if (word > 1u << 30)
        return hed_fail(error, HED_ERROR_LIMIT,
            "an instance takes %llu words; at most 2^30 are possible", (unsigned long long)word);
    layout->words = (uint32_t)word;
    if (NO_ROOM(b->program, b->program->image, word)) return HED_ERROR_MEMORY;
    synth_fill_lists(b, (uint32_t)lists);
    return HED_OK;
}

static void fill_rows(synth_builder *b)
{
    const synth_layout *layout = &b->program->layout;
    uint32_t *begin = b->program->image + layout->row_begin,
             *rows = b->program->image + layout->rows;
    for (uint32_t warp = 0; warp < layout->warps; warp++)
        begin[warp + 1] = begin[warp] + b->warp_rows[warp];
    memset(rows, 0xff, (size_t)begin[layout->warps] * layout->lanes * sizeof *rows);
    for (uint32_t i = 0; i < b->program->packing.piece_count; i++) {
        const hed_pack_piece *piece = &b->pieces[i];
        uint32_t *to = rows + (begin[piece->warp] + piece->row) * layout->lanes + piece->lane;
        for (uint32_t k = 0; k < piece->count; k++)
            to[k] = SYNTH_SEAT(piece->type, piece->first + k);
    }
}

/* ---- life ---- */

static hed_status program_check(const synth_program_def *def, hed_error *error)
{
    const hed_synth_instrument *in = def->instrument;
    hed_synth_stability stability;
    hed_status status = hed_synth_instrument_stability(in, def->rate, &stability, error);
    if (status || stability.unsafe == 0) return status;
    char text[SYNTH_DESCRIPTION];
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s%s%s is not proven stable: h^2 s^2 sum(k)/m is %s at %g Hz and dilation %s, 2 is safe (%u bodies "
        "are above). Softer springs, more mass, a higher rate or a narrower range of notes help",
        in->file ? in->file : "", in->file ? ": " : "",
        hed_synth_instrument_describe(in, stability.body, text, sizeof text),
        hed_digits(stability.worst, 3).text, def->rate,
        hed_digits(stability.largest_dilation, 3).text, stability.unsafe);
}

static hed_status program_build(synth_builder *b, hed_error *error)
{
    if (program_check(b->def, error) || order_entities(b, error) || order_links(b, error) ||
        make_contacts(b, error) || make_ears(b, error) || name_elements(b, error) ||
        make_gates(b, error) || pack_rows(b, error) || lay_out(b, error))
        return error->status;
    fill_rows(b);
    synth_fill_values(b);
    return HED_OK;
}

hed_status synth_program_create(const hed_allocator *allocator, const synth_program_def *def,
    synth_program **program, hed_error *error)
{
    const hed_synth_instrument_def *instrument = hed_synth_instrument_definition(def->instrument);
    *program = NULL;
    hed_arena arena = {.allocator = *allocator, .owner = "a program of the instrument"};
    synth_program *created = hed_arena_new(&arena, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->arena = arena;
    /* spare instances: for notes that begin while a stolen voice fades */
    bool is_single = instrument->mode == HED_SYNTH_SINGLETON,
         has_spares = !is_single && !def->remote;
    uint32_t voices = is_single ? 1 : instrument->voices,
             spares = voices < SYNTH_SPARE_VOICES ? voices : SYNTH_SPARE_VOICES,
             instances = voices + (has_spares ? spares : 0);
    created->instances = instances < SYNTH_INSTANCE_LIMIT ? instances : SYNTH_INSTANCE_LIMIT;
    created->rate = def->rate;
    created->step = 1.0 / def->rate;
    created->remote = def->remote;
    created->layout.seed = (uint32_t)(def->seed ^ def->seed >> 32);
    created->layout.step = (float)(1.0 / def->rate);
    synth_builder builder = {.arena = {.allocator = *allocator, .owner = arena.owner},
        .def = def,
        .instrument = def->instrument,
        .program = created,
        .step = created->step};
    hed_status status = program_build(&builder, error);
    hed_arena_free(&builder.arena);
    if (status) synth_program_destroy(created);
    else *program = created;
    return status;
}

void synth_program_destroy(synth_program *program)
{
    if (program) hed_arena_free(&program->arena);
}
