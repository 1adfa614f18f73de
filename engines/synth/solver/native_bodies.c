/* Bodies of the native structure by vectors: which springs stand in which rows, and what is in them. native_step.c
 * steps them. */
#include "solver/native_bands.h"
#include "solver/memory.h"

/* ---- tables ---- */

static bool is_special(const synth_program *program, uint32_t body)
{
    const synth_layout *layout = &program->layout;
    synth_at at = {.store = program->image};
    uint32_t count = layout->type[SYNTH_BODY].count;
    return body < layout->type[SYNTH_BODY].modulated ||
           synth_list_of(&at, layout->type[SYNTH_BODY].forces, count, body).length > 0;
}

/* A spring, as the list of its body at this place has it, has its values there, too. */
static void place_spring(synth_bodies *b, uint32_t spring, uint32_t place)
{
    uint32_t index = spring & SYNTH_SPRING_INDEX, free = 0;
    while (b->places[index * SYNTH_PLACES + free] != SYNTH_EMPTY) free++;
    b->places[index * SYNTH_PLACES + free] = place;
    if (spring & SYNTH_SPRING_REVERSED) b->reversed[index] |= (uint8_t)(1u << free);
}

/* A spring of a band, in the one or two parts it is in. */
static void place_in_band(synth_bodies *b, const synth_band *band, uint32_t lower, uint32_t spring)
{
    uint32_t parts = synth_part_count(band), part = (lower - band->low) / SYNTH_LANES,
             last = synth_part_begin(band, parts - 1);
    if (part < parts - 1)
        place_spring(b, spring, (band->part + part) * SYNTH_LANES + (lower - band->low) % SYNTH_LANES);
    if (lower >= last) place_spring(b, spring, (band->part + parts - 1) * SYNTH_LANES + lower - last);
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
            uint32_t word = list.first + i * SYNTH_SPRING_WORDS * list.stride, other = program->image[word];
            uint32_t spring = program->image[word + list.stride], band = synth_band_of(bands, body, other);
            if (band == SYNTH_EMPTY) continue;
            /* By the lower body's list; where that is an anchor and has none, by the upper's, the other way round. */
            if (body < other) place_in_band(b, &bands->at[band], body, spring);
            else if (synth_springs_of(program, other).length == 0)
                place_in_band(b, &bands->at[band], other, spring ^ SYNTH_SPRING_REVERSED);
        }
    }
}

/* ---- rows ---- */

/* How far each lane of a slice has come in its list. */
typedef struct heads {
    const synth_program *program;
    const synth_bands *bands;
    uint32_t first;
    synth_list lists[SYNTH_LANES];
    uint32_t done[SYNTH_LANES];
} heads;

static bool is_left(const heads *h, uint32_t lane) { return h->done[lane] < h->lists[lane].length; }

/* Word `k` of entry `entry` of a lane. */
static uint32_t entry_word(const heads *h, uint32_t lane, uint32_t entry, uint32_t k)
{
    const synth_list *list = &h->lists[lane];
    return h->program->image[list->first + (entry * SYNTH_SPRING_WORDS + k) * list->stride];
}

/* A number for band and side of the other body of an entry; SYNTH_EMPTY: it is of no band. */
static uint32_t side_of(const heads *h, uint32_t lane, uint32_t entry)
{
    uint32_t body = h->first + lane, other = entry_word(h, lane, entry, 0),
             band = synth_band_of(h->bands, body, other);
    return band == SYNTH_EMPTY ? band : band * 2 + (other < body);
}

/* Whether a row may add this side's forces to all lanes: each has it next, or has no such spring at all, so that 0
 * stands there. An anchored body takes any force. */
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

/* The row for the next entries: forces of a band where a side can be added, else springs that are of no band, else
 * whatever comes next. */
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

static void add_band_row(synth_bodies *b, heads *h, uint32_t side)
{
    const synth_band *band = &h->bands->at[side / 2];
    uint32_t at = band->force + h->first - band->low - (side & 1 ? band->distance : 0);
    if (b->rows) b->rows[b->row_count] = (synth_row){side & 1 ? SYNTH_ROW_MINUS : SYNTH_ROW_PLUS, at};
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++)
        h->done[lane] += is_left(h, lane) && side_of(h, lane, h->done[lane]) == side;
}

/* Lanes without a spring in it have the body itself at the other end and stiffness 0. */
static void add_gathering_row(synth_bodies *b, heads *h, bool loose)
{
    if (b->rows) b->rows[b->row_count] = (synth_row){SYNTH_ROW_GATHER, b->blocks};
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
        bool takes = is_left(h, lane) && (!loose || side_of(h, lane, h->done[lane]) == SYNTH_EMPTY);
        uint32_t place = b->blocks * SYNTH_LANES + lane;
        if (b->rows) {
            b->others[place] = takes ? entry_word(h, lane, h->done[lane], 0) : h->first + lane;
            if (takes) place_spring(b, entry_word(h, lane, h->done[lane], 1), place);
        }
        h->done[lane] += takes;
    }
    b->blocks++;
}

/* All slices; with `b->rows` NULL rows and blocks are only counted. */
static void place_slices(const synth_program *program, const synth_bands *bands, synth_bodies *b)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count;
    b->row_count = 0;
    b->blocks = b->part_count;
    for (uint32_t s = 0; s < b->slices; s++) {
        heads h = {.program = program,
                   .bands = bands,
                   .first = s * SYNTH_LANES < count - SYNTH_LANES ? s * SYNTH_LANES : count - SYNTH_LANES};
        b->first[s] = h.first;
        b->row_begin[s] = b->row_count;
        b->special[s] = 0;
        uint32_t left = 0, side = 0;
        for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
            h.lists[lane] = synth_springs_of(program, h.first + lane);
            left += h.lists[lane].length;
            if (is_special(program, h.first + lane)) b->special[s] |= (uint16_t)(1u << lane);
        }
        for (bool loose; left > 0; b->row_count++) {
            side = choose_side(&h, &loose);
            if (side != SYNTH_EMPTY) add_band_row(b, &h, side);
            else add_gathering_row(b, &h, loose);
            left = 0;
            for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) left += is_left(&h, lane);
        }
    }
    b->row_begin[b->slices] = b->row_count;
}

static bool make_tables(const hed_allocator *allocator, const synth_program *program, const synth_bands *bands,
                        synth_bodies *b)
{
    uint64_t springs = program->layout.type[SYNTH_SPRING].count;
    b->first = synth_new(allocator, b->slices, sizeof *b->first);
    b->row_begin = synth_new(allocator, b->slices + 1u, sizeof *b->row_begin);
    b->special = synth_new(allocator, b->slices, sizeof *b->special);
    b->parts = synth_new(allocator, b->part_count, sizeof *b->parts);
    b->places = synth_new(allocator, springs * SYNTH_PLACES, sizeof *b->places);
    b->reversed = synth_new(allocator, springs, sizeof *b->reversed);
    if (!b->first || !b->row_begin || !b->special || !b->parts || !b->places || !b->reversed) return false;
    memset(b->places, 0xff, springs * SYNTH_PLACES * sizeof *b->places);
    place_slices(program, bands, b);
    b->others = synth_new(allocator, (uint64_t)b->blocks * SYNTH_LANES, sizeof *b->others);
    b->rows = synth_new(allocator, b->row_count, sizeof *b->rows);
    if (!b->others || !b->rows) return false;
    place_bands(program, bands, b);
    place_slices(program, bands, b);
    return true;
}

hed_status synth_bodies_create(const hed_allocator *allocator, const synth_program *program, synth_bodies *b,
                               hed_error *error)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count;
    *b = (synth_bodies){.slices = count >= SYNTH_LANES ? (count + SYNTH_LANES - 1) / SYNTH_LANES : 0};
    synth_bands bands = {.count = 0};
    hed_status status = b->slices > 0 ? synth_find_bands(allocator, program, &bands, error) : HED_OK;
    if (status) return status;
    b->part_count = bands.parts;
    b->forces = bands.forces;
    if (make_tables(allocator, program, &bands, b)) return HED_OK;
    synth_bodies_destroy(allocator, program, b);
    return synth_fail(error, HED_ERROR_MEMORY, "no memory for the rows of %u bodies and their springs", count);
}

void synth_bodies_destroy(const hed_allocator *allocator, const synth_program *program, synth_bodies *b)
{
    uint64_t springs = program->layout.type[SYNTH_SPRING].count;
    synth_release(allocator, b->first, b->slices, sizeof *b->first);
    synth_release(allocator, b->row_begin, b->slices + 1u, sizeof *b->row_begin);
    synth_release(allocator, b->special, b->slices, sizeof *b->special);
    synth_release(allocator, b->parts, b->part_count, sizeof *b->parts);
    synth_release(allocator, b->places, springs * SYNTH_PLACES, sizeof *b->places);
    synth_release(allocator, b->reversed, springs, sizeof *b->reversed);
    synth_release(allocator, b->others, (uint64_t)b->blocks * SYNTH_LANES, sizeof *b->others);
    synth_release(allocator, b->rows, b->row_count, sizeof *b->rows);
    *b = (synth_bodies){0};
}

/* ---- values ---- */

static void load_spring(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                        synth_body_values *values, uint32_t spring)
{
    for (uint32_t i = 0; i < SYNTH_PLACES; i++) {
        uint32_t place = b->places[spring * SYNTH_PLACES + i],
                 sign = b->reversed[spring] >> i & 1u ? SYNTH_SPRING_REVERSED : 0;
        if (place == SYNTH_EMPTY) return;
        float *to =
            values->blocks + (size_t)(place / SYNTH_LANES) * SPRING_PARAMETERS * SYNTH_LANES + place % SYNTH_LANES;
        for (uint32_t field = 0; field < SPRING_PARAMETERS; field++) {
            float value = synth_parameter(layout, at, SYNTH_SPRING, field, spring);
            to[field * SYNTH_LANES] = field <= SPRING_P_Z ? hed_flip(value, sign) : value;
        }
    }
}

static void load_body(const synth_layout *layout, const synth_at *at, synth_body_values *values, uint32_t body)
{
    float dilation = synth_dilation(at);
    values->mobility[body] = dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, body);
    values->keep[body] = synth_keep(synth_parameter(layout, at, SYNTH_BODY, BODY_P_RATE, body), dilation);
}

void synth_bodies_load(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                       synth_body_values *values)
{
    for (uint32_t i = 0; i < layout->type[SYNTH_SPRING].count; i++) load_spring(b, layout, at, values, i);
    for (uint32_t i = 0; i < layout->type[SYNTH_BODY].count; i++) load_body(layout, at, values, i);
}

void synth_bodies_poked(const synth_bodies *b, const synth_layout *layout, const synth_at *at,
                        synth_body_values *values, uint32_t word)
{
    const synth_type_layout *body = &layout->type[SYNTH_BODY], *spring = &layout->type[SYNTH_SPRING];
    if (word == SYNTH_DILATION) {
        for (uint32_t i = 0; i < body->count; i++) load_body(layout, at, values, i);
    } else if (word - body->parameter < (BODY_P_RATE + 1u) * body->count) { /* BODY_P_WEIGHT and RATE */
        load_body(layout, at, values, (word - body->parameter) % body->count);
    } else if (word - spring->parameter < SPRING_PARAMETERS * spring->count) {
        load_spring(b, layout, at, values, (word - spring->parameter) % spring->count);
    }
}
