/* Bodies of the cpu solver by vectors: finds the bands, and makes the tables of rows and their
 * values. step.h steps them. */
#include "solver/cpu/bodies.h"

#include <stdlib.h>

/* ---- tables ---- */

/* Records that a copy of a spring's values is at `place`, as the list of that place's body has
 * the spring. */
static void place_spring(synth_bodies *b, uint32_t spring, uint32_t place)
{
    uint32_t index = spring & SYNTH_SPRING_INDEX, free = 0;
    while (b->places[index * SYNTH_PLACES + free] != SYNTH_EMPTY) free++;
    b->places[index * SYNTH_PLACES + free] = place;
    b->filled[place / SYNTH_LANES] |= (uint16_t)(1u << place % SYNTH_LANES);
    if (spring & SYNTH_SPRING_REVERSED) b->reversed[index] |= (uint8_t)(1u << free);
}

/* Records the places of a band's spring: one, or two where the last part overlaps. */
static void place_in_band(synth_bodies *b, const synth_band *band, uint32_t lower, uint32_t spring)
{
    uint32_t parts = synth_part_count(band), part = (lower - band->low) / SYNTH_LANES,
             last = synth_part_begin(band, parts - 1);
    if (part < parts - 1)
        place_spring(
            b, spring, (band->part + part) * SYNTH_LANES + (lower - band->low) % SYNTH_LANES);
    if (lower >= last)
        place_spring(b, spring, (band->part + parts - 1) * SYNTH_LANES + lower - last);
}

static void place_bands(const synth_program *program, const synth_bands *bands, synth_bodies *b)
{
    for (uint32_t i = 0; i < bands->count; i++) {
        const synth_band *band = &bands->at[i];
        for (uint32_t part = 0; part < synth_part_count(band); part++) {
            uint32_t lower = synth_part_begin(band, part);
            b->parts[band->part + part] =
                (synth_part){lower, lower + band->distance, band->force + lower - band->low};
        }
    }
    for (uint32_t body = 0; body < program->layout.type[SYNTH_BODY].count; body++) {
        synth_list list = synth_springs_of(program, body);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t word = list.first + i * SYNTH_SPRING_WORDS * list.stride,
                     other = program->image[word];
            uint32_t spring = program->image[word + list.stride],
                     band = synth_band_of(bands, body, other);
            if (band == SYNTH_EMPTY) continue;
            /* add the spring by the lower body's list; if the lower body is an anchor without a
             * list, by the upper's, reversed */
            if (body < other) place_in_band(b, &bands->at[band], body, spring);
            else if (synth_springs_of(program, other).length == 0)
                place_in_band(b, &bands->at[band], other, spring ^ SYNTH_SPRING_REVERSED);
        }
    }
}

/* ---- rows ---- */

/* Progress of each lane of a slice in its list. */
typedef struct heads {
    const synth_program *program;
    const synth_bands *bands;
    uint32_t first;
    synth_list lists[SYNTH_LANES];
    uint32_t done[SYNTH_LANES];
} heads;

static bool is_left(const heads *h, uint32_t lane) { return h->done[lane] < h->lists[lane].length; }

/* Returns word `k` of entry `entry` of a lane. */
static uint32_t entry_word(const heads *h, uint32_t lane, uint32_t entry, uint32_t k)
{
    const synth_list *list = &h->lists[lane];
    return h->program->image[list->first + (entry * SYNTH_SPRING_WORDS + k) * list->stride];
}

/* Returns a number for the band of an entry and the side of its other body; SYNTH_EMPTY: no
 * band. */
static uint32_t side_of(const heads *h, uint32_t lane, uint32_t entry)
{
    uint32_t body = h->first + lane, other = entry_word(h, lane, entry, 0),
             band = synth_band_of(h->bands, body, other);
    return band == SYNTH_EMPTY ? band : band * 2 + (other < body);
}

/* True if a row may add this side's forces to all lanes: each lane has such a spring next, or
 * has none in its whole list, so that the force is 0. An anchored body may take any force. */
static bool may_add(const heads *h, uint32_t side)
{
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
        if (is_left(h, lane) && side_of(h, lane, h->done[lane]) == side) continue;
        for (uint32_t entry = 0; entry < h->lists[lane].length; entry++) {
            if (side_of(h, lane, entry) == side) return false;
        }
    }
    return true;
}

/* Chooses the row for the next entries: forces of a band if a side can be added, else springs
 * without a band, else any next springs. */
static uint32_t choose_side(const heads *h, bool *loose)
{
    *loose = false;
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
        uint32_t side = is_left(h, lane) ? side_of(h, lane, h->done[lane]) : SYNTH_EMPTY;
        if (side != SYNTH_EMPTY && may_add(h, side)) return side;
        if (is_left(h, lane) && side == SYNTH_EMPTY) *loose = true;
    }
    return SYNTH_EMPTY;
}

/* Adds a row that gathers. Lanes without a spring get the body itself as the other end, and
 * stiffness 0. `follows`: the previous row gathers too, so it is extended. */
static void add_gathering_row(synth_bodies *b, heads *h, bool loose, bool follows)
{
    if (!follows) {
        if (b->rows) b->rows[b->row_count] = (synth_row){SYNTH_ROW_GATHER, b->blocks, 0};
        b->row_count++;
    }
    if (b->rows) b->rows[b->row_count - 1].count++;
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
        bool takes = is_left(h, lane) && (!loose || side_of(h, lane, h->done[lane]) == SYNTH_EMPTY);
        uint32_t place = b->blocks * SYNTH_LANES + lane,
                 last = h->program->layout.type[SYNTH_BODY].count - 1;
        if (b->rows) {
            b->others[place] = SYNTH_PACKED * (takes ? entry_word(h, lane, h->done[lane], 0)
                                                  : h->first + lane < last ? h->first + lane
                                                                           : last);
            if (takes) place_spring(b, entry_word(h, lane, h->done[lane], 1), place);
        }
        h->done[lane] += takes;
    }
    b->blocks++;
}

/* Sets a slice's first body and its lanes' lists; returns the number of their entries. */
static uint32_t begin_slice(const synth_program *program, synth_bodies *b, uint32_t slice, heads *h)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count, left = 0;
    h->first = slice * SYNTH_LANES;
    if (h->first + SYNTH_LANES > count) h->first = count > SYNTH_LANES ? count - SYNTH_LANES : 0;
    b->first[slice] = h->first;
    b->row_begin[slice] = b->row_count;
    b->touched[slice] = b->modulated[slice] = 0;
    for (uint32_t lane = 0; lane < SYNTH_LANES && h->first + lane < count; lane++) {
        h->lists[lane] = synth_springs_of(program, h->first + lane);
        left += h->lists[lane].length;
        synth_at at = {.store = program->image};
        const synth_type_layout *bodies = &program->layout.type[SYNTH_BODY];
        uint32_t body = h->first + lane;
        if (synth_links_of(&program->layout, &at, SYNTH_BODY, body).length > 0)
            b->modulated[slice] |= (uint16_t)(1u << lane);
        else if (synth_list_of(&at, bodies->forces, bodies->count, body).length > 0)
            b->touched[slice] |= (uint16_t)(1u << lane);
    }
    return left;
}

/* Places all slices; with `b->rows` NULL rows and blocks are only counted. */
static void place_slices(const synth_program *program, const synth_bands *bands, synth_bodies *b)
{
    b->row_count = 0;
    b->blocks = b->part_count;
    for (uint32_t s = 0; s < b->slices; s++) {
        heads h = {.program = program, .bands = bands};
        uint32_t left = begin_slice(program, b, s, &h);
        for (bool loose, gathers = false; left > 0;) {
            uint32_t side = choose_side(&h, &loose);
            if (side != SYNTH_EMPTY) {
                const synth_band *band = &bands->at[side / 2];
                uint32_t at = band->force + h.first - band->low - (side & 1 ? band->distance : 0);
                if (b->rows)
                    b->rows[b->row_count] =
                        (synth_row){side & 1 ? SYNTH_ROW_MINUS : SYNTH_ROW_PLUS, at, 1};
                b->row_count++;
                for (uint32_t lane = 0; lane < SYNTH_LANES; lane++)
                    h.done[lane] += is_left(&h, lane) && side_of(&h, lane, h.done[lane]) == side;
            } else add_gathering_row(b, &h, loose, gathers);
            gathers = side == SYNTH_EMPTY;
            left = 0;
            for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) left += is_left(&h, lane);
        }
    }
    b->row_begin[b->slices] = b->row_count;
}

static hed_status bodies_make_tables(hed_arena *arena, const synth_program *program,
    const synth_bands *bands, synth_bodies *b, hed_error *error)
{
    uint64_t springs = program->layout.type[SYNTH_SPRING].count;
    b->first = hed_arena_new(arena, b->slices, sizeof *b->first, error);
    b->row_begin = hed_arena_new(arena, b->slices + 1u, sizeof *b->row_begin, error);
    b->touched = hed_arena_new(arena, b->slices, sizeof *b->touched, error);
    b->modulated = hed_arena_new(arena, b->slices, sizeof *b->modulated, error);
    b->parts = hed_arena_new(arena, b->part_count, sizeof *b->parts, error);
    b->places = hed_arena_new(arena, springs * SYNTH_PLACES, sizeof *b->places, error);
    b->reversed = hed_arena_new(arena, springs, sizeof *b->reversed, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    memset(b->places, 0xff, springs * SYNTH_PLACES * sizeof *b->places);
    place_slices(program, bands, b);
    b->others = hed_arena_new(arena, (uint64_t)b->blocks * SYNTH_LANES, sizeof *b->others, error);
    b->filled = hed_arena_new(arena, b->blocks, sizeof *b->filled, error);
    b->rows = hed_arena_new(arena, b->row_count, sizeof *b->rows, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    place_bands(program, bands, b);
    place_slices(program, bands, b);
    return HED_OK;
}

/* Elements of a type that the CPU steps: the column `step` of layout.h. */
enum {
    SYNTH_STEP_VECTORS,   /* bodies: here */
    SYNTH_STEP_MODULATED, /* modulated ones */
    SYNTH_STEP_ALL,
    SYNTH_STEP_ACTIVE, /* elements that is_idle() has not found inactive */
    SYNTH_STEP_LATE,   /* the same, when the bodies have moved */
    SYNTH_STEP_SUMS    /* ears */
};
#define CAN_SLEEP(TYPE, name, parameters, states, signals, gated, step, cost) \
    SYNTH_STEP_##step == SYNTH_STEP_ACTIVE || SYNTH_STEP_##step == SYNTH_STEP_LATE,
static const bool can_sleep[SYNTH_TYPES] = {SYNTH_TYPE_ROWS(CAN_SLEEP)};

hed_status synth_bodies_create(
    hed_arena *arena, const synth_program *program, synth_bodies *b, hed_error *error)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count;
    *b = (synth_bodies){.slices = (count + SYNTH_LANES - 1) / SYNTH_LANES};
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        b->sleepers[type + 1] =
            b->sleepers[type] + (can_sleep[type] ? program->layout.type[type].count : 0);
    synth_bands bands;
    hed_status status = synth_find_bands(&arena->allocator, program, &bands, error);
    if (status) return status;
    b->part_count = bands.parts;
    b->forces = bands.forces;
    return bodies_make_tables(arena, program, &bands, b, error);
}

/* ---- shares ---- */

hed_status synth_share_create(hed_arena *arena, const synth_bodies *b, uint32_t index,
    uint32_t count, synth_share *share, hed_error *error)
{
    *share = (synth_share){.slice_begin = (uint32_t)((uint64_t)b->slices * index / count),
        .slice_end = (uint32_t)((uint64_t)b->slices * (index + 1) / count), .others = index == 0};
    share->parts = hed_arena_new(arena, b->part_count, sizeof *share->parts, error);
    if (!share->parts) return HED_ERROR_MEMORY;
    if (share->slice_begin == share->slice_end) return HED_OK;
    uint32_t begin = b->first[share->slice_begin],
             end = b->first[share->slice_end - 1] + SYNTH_LANES;
    for (uint32_t i = 0; i < b->part_count; i++) {
        /* true if one of the share's bodies takes the part's band force */
        const synth_part *part = &b->parts[i];
        if ((part->lower < end && part->lower + SYNTH_LANES > begin) ||
            (part->upper < end && part->upper + SYNTH_LANES > begin))
            share->parts[share->part_count++] = i;
    }
    return HED_OK;
}

/* ---- values ---- */

static void load_spring(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values, uint32_t spring)
{
    for (uint32_t i = 0; i < SYNTH_PLACES; i++) {
        uint32_t place = b->places[spring * SYNTH_PLACES + i],
                 sign = b->reversed[spring] >> i & 1u ? SYNTH_SPRING_REVERSED : 0;
        if (place == SYNTH_EMPTY) return;
        float *to = values->blocks +
                    (size_t)(place / SYNTH_LANES) * SPRING_PARAMETERS * SYNTH_LANES +
                    place % SYNTH_LANES;
        for (uint32_t field = 0; field < SPRING_PARAMETERS; field++) {
            float value = synth_parameter(layout, at, SYNTH_SPRING, field, spring);
            to[field * SYNTH_LANES] = field <= SPRING_P_Z ? hed_flip(value, sign) : value;
        }
    }
}

static void load_body(
    const synth_layout *layout, const synth_at *at, const synth_body_values *values, uint32_t body)
{
    float dilation = synth_dilation(at);
    values->mobility[body] =
        dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, body);
    values->keep[body] =
        synth_keep(synth_parameter(layout, at, SYNTH_BODY, BODY_P_RATE, body), dilation);
}

/* ---- still slices ---- */

static void disturb_slice(const synth_bodies *b, const synth_layout *layout,
    const synth_body_values *values, uint32_t slice)
{
    uint32_t count = layout->type[SYNTH_BODY].count, begin = b->first[slice];
    bool held = !b->modulated[slice];
    for (uint32_t body = begin; body < begin + SYNTH_LANES && body < count; body++)
        held &= values->mobility[body] == 0.0f;
    values->still[slice] = held;
    values->still[b->slices] = 1;
}

/* Marks a body as changed. The last slice may overlap the previous one. */
static void disturb(const synth_bodies *b, const synth_layout *layout,
    const synth_body_values *values, uint32_t body)
{
    uint32_t slice = body / SYNTH_LANES, last = b->slices - 1;
    disturb_slice(b, layout, values, slice);
    if (slice != last && body >= b->first[last]) disturb_slice(b, layout, values, last);
}

/* True if all slices of LANES bodies from `body` on are skipped. */
static bool are_still(const synth_bodies *b, const synth_body_values *values, uint32_t body)
{
    uint32_t last = b->slices - 1, end = body + SYNTH_LANES;
    for (uint32_t slice = body / SYNTH_LANES; slice <= last && slice * SYNTH_LANES < end; slice++)
        if (values->still[slice] != SYNTH_STILL) return false;
    return end <= b->first[last] || values->still[last] == SYNTH_STILL;
}

void synth_bodies_settle(const synth_bodies *b, const synth_body_values *values)
{
    if (!values->still[b->slices]) return;
    values->still[b->slices] = 0;
    for (uint32_t i = 0; i < b->part_count; i++)
        values->spare[i] =
            are_still(b, values, b->parts[i].lower) && are_still(b, values, b->parts[i].upper);
}

bool synth_bodies_still(const synth_bodies *b, const synth_body_values *values)
{
    for (uint32_t slice = 0; slice < b->slices; slice++)
        if (values->still[slice] != SYNTH_STILL) return false;
    return true;
}

/* Copies signal `signal` of bodies in half `half` to the packed array from which rows gather. */
static void load_signal(const synth_layout *layout, const synth_at *at,
    const synth_body_values *values, uint32_t half, uint32_t signal)
{
    const synth_type_layout *bodies = &layout->type[SYNTH_BODY];
    uint32_t field = signal / bodies->count, body = signal % bodies->count;
    synth_packed_at(layout, values, half, field >= BODY_O_U)[body * SYNTH_PACKED + field % 3] =
        synth_number(at, layout->signals + half * layout->signal_count + bodies->signal + signal);
}

void synth_bodies_load(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values)
{
    uint32_t count = layout->type[SYNTH_BODY].count;
    for (uint32_t i = 0; i < layout->type[SYNTH_SPRING].count; i++)
        load_spring(b, layout, at, values, i);
    for (uint32_t i = 0; i < count; i++) load_body(layout, at, values, i);
    for (uint32_t i = 0; i < 2 * BODY_SIGNALS * count; i++)
        load_signal(layout, at, values, i & 1, i / 2);
    for (uint32_t slice = 0; slice < b->slices; slice++) disturb_slice(b, layout, values, slice);
    memset(values->idle, 0, b->sleepers[SYNTH_TYPES]);
}

void synth_bodies_poked(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values, uint32_t word)
{
    const synth_type_layout *body = &layout->type[SYNTH_BODY],
                            *spring = &layout->type[SYNTH_SPRING];
    if (word - spring->parameter < SPRING_PARAMETERS * spring->count) {
        load_spring(b, layout, at, values, (word - spring->parameter) % spring->count);
        return;
    }
    if (word == SYNTH_DILATION) {
        for (uint32_t i = 0; i < body->count; i++) load_body(layout, at, values, i);
        /* BODY_P_WEIGHT and BODY_P_RATE */
    } else if (word - body->parameter < (BODY_P_RATE + 1u) * body->count) {
        load_body(layout, at, values, (word - body->parameter) % body->count);
        disturb(b, layout, values, (word - body->parameter) % body->count);
    }
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t signal = word - (layout->signals + half * layout->signal_count + body->signal);
        if (signal >= BODY_SIGNALS * body->count) continue;
        load_signal(layout, at, values, half, signal);
        disturb(b, layout, values, signal % body->count);
    }
    memset(values->idle, 0, b->sleepers[SYNTH_TYPES]);
}

void synth_bodies_refresh(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
    const synth_body_values *values)
{
    uint32_t modulated = layout->type[SYNTH_SPRING].modulated;
    for (uint32_t i = 0; i < modulated; i++) {
        for (const uint32_t *place = b->places + i * SYNTH_PLACES;
             place < b->places + (i + 1) * SYNTH_PLACES && *place != SYNTH_EMPTY; place++) {
            float *to =
                values->blocks +
                ((size_t)(*place / SYNTH_LANES) * SPRING_PARAMETERS + SPRING_P_REST) * SYNTH_LANES +
                *place % SYNTH_LANES;
            for (uint32_t field = 0; field < SPRING_SIGNALS; field++)
                to[field * SYNTH_LANES] = synth_number(
                    at, at->read + layout->type[SYNTH_SPRING].signal + field * modulated + i);
        }
    }
}

/* A spring of a possible band: distance of its bodies' numbers, and the lower number. */

typedef struct pair {
    uint32_t distance, lower;
} pair;

static int bodies_compare(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->lower < y->lower ? -1 : x->lower > y->lower;
}

synth_list synth_springs_of(const synth_program *program, uint32_t body)
{
    const synth_layout *layout = &program->layout;
    synth_at at = {.store = program->image};
    synth_list list =
        synth_list_of(&at, layout->type[SYNTH_BODY].list, layout->type[SYNTH_BODY].count, body);
    if (synth_parameter(layout, &at, SYNTH_BODY, BODY_P_WEIGHT, body) == 0.0f) list.length = 0;
    return list;
}

/* Lists each spring between free bodies and each spring between a free body and an anchor once. */
static uint32_t list_pairs(const synth_program *program, pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t body = 0; body < program->layout.type[SYNTH_BODY].count; body++) {
        synth_list list = synth_springs_of(program, body);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t other = program->image[list.first + i * SYNTH_SPRING_WORDS * list.stride];
            /* the other body lists this spring, too */
            if (other < body && synth_springs_of(program, other).length > 0) continue;
            pairs[count++] =
                (pair){other > body ? other - body : body - other, other > body ? body : other};
        }
    }
    return count;
}

/* Makes a band of `count` pairs of one distance if at least half of its bodies have a spring,
 * and none has two. */
static void consider(const pair *pairs, uint32_t count, synth_bands *bands)
{
    synth_band band = {
        .distance = pairs[0].distance, .low = pairs[0].lower, .high = pairs[count - 1].lower};
    uint32_t span = band.high - band.low + 1;
    if (span < SYNTH_LANES || count < span / 2 || bands->count == SYNTH_MOST_BANDS) return;
    for (uint32_t i = 1; i < count; i++) {
        if (pairs[i].lower == pairs[i - 1].lower) return;
    }
    band.force = bands->forces + SYNTH_LANES;
    band.part = bands->parts;
    bands->forces += span + 2 * SYNTH_LANES;
    bands->parts += synth_part_count(&band);
    bands->at[bands->count++] = band;
}

hed_status synth_find_bands(const hed_allocator *allocator, const synth_program *program,
    synth_bands *bands, hed_error *error)
{
    uint32_t springs = program->layout.type[SYNTH_SPRING].count;
    *bands = (synth_bands){.count = 0};
    pair *pairs = hed_new(allocator, springs, sizeof *pairs, error);
    if (!pairs) return HED_ERROR_MEMORY;
    uint32_t count = list_pairs(program, pairs);
    qsort(pairs, count, sizeof *pairs, bodies_compare);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && pairs[end].distance == pairs[begin].distance; end++) {}
        consider(pairs + begin, end - begin, bands);
    }
    hed_delete(allocator, pairs, springs, sizeof *pairs);
    return HED_OK;
}

uint32_t synth_band_of(const synth_bands *bands, uint32_t body, uint32_t other)
{
    uint32_t lower = body < other ? body : other, distance = (body < other ? other : body) - lower;
    for (uint32_t i = 0; i < bands->count; i++) {
        const synth_band *band = &bands->at[i];
        if (band->distance == distance && lower >= band->low && lower <= band->high) return i;
    }
    return SYNTH_EMPTY;
}

uint32_t synth_part_begin(const synth_band *band, uint32_t part)
{
    uint32_t begin = band->low + part * SYNTH_LANES, last = band->high + 1 - SYNTH_LANES;
    return begin < last ? begin : last;
}
