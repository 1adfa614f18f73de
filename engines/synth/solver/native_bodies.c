/* Bodies of the native structure by vectors: which springs stand in which rows, and what is in them. native_step.c steps them. */
#include "solver/native_bodies.h"

#include "solver/memory.h"

/* ---- tables ---- */

static synth_at image_of(const synth_program *program)
{
    return (synth_at){.store = program->image, .read = program->layout.signals, .write = program->layout.signals};
}

/* Springs that pull a body: none where it is anchored. */
static synth_list springs_of(const synth_program *program, uint32_t body)
{
    const synth_layout *layout = &program->layout;
    synth_at at = image_of(program);
    synth_list list = synth_list_of(&at, layout->type[SYNTH_BODY].list, layout->type[SYNTH_BODY].count, body);
    if (synth_parameter(layout, &at, SYNTH_BODY, BODY_P_WEIGHT, body) == 0.0f) list.length = 0;
    return list;
}

static bool is_plain(const synth_program *program, uint32_t body)
{
    const synth_layout *layout = &program->layout;
    synth_at at = image_of(program);
    uint32_t count = layout->type[SYNTH_BODY].count;
    return body >= layout->type[SYNTH_BODY].modulated && synth_list_of(&at, layout->type[SYNTH_BODY].forces, count, body).length == 0;
}

/* How far each lane of a slice has come in its list. */
typedef struct heads {
    uint32_t first;
    synth_list lists[SYNTH_LANES];
    uint32_t done[SYNTH_LANES];
} heads;

static bool is_left(const heads *h, uint32_t lane) { return h->done[lane] < h->lists[lane].length; }

/* Word `k` of the lane's next entry. */
static uint32_t head(const synth_program *program, const heads *h, uint32_t lane, uint32_t k)
{
    const synth_list *list = &h->lists[lane];
    return program->image[list->first + (h->done[lane] * SYNTH_SPRING_WORDS + k) * list->stride];
}

/* Whether most lanes that are left go to bodies equally far on, and LANES bodies lie there: then *first is the first of those. In a lattice that
 * is the rule, though bodies at its faces lack springs. */
static bool go_together(const synth_program *program, const heads *h, uint32_t *first)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count, left = 0, best = 0;
    for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
        if (!is_left(h, lane)) continue;
        left++;
        uint32_t start = head(program, h, lane, 0) - lane, votes = 0;
        for (uint32_t other = 0; other < SYNTH_LANES; other++) votes += is_left(h, other) && head(program, h, other, 0) - other == start;
        if (votes > best && start <= count - SYNTH_LANES) {
            best = votes;
            *first = start;
        }
    }
    return best * 4 >= left * 3;
}

static void place_spring(synth_bodies *b, uint32_t spring, uint32_t slot)
{
    uint32_t index = spring & SYNTH_SPRING_INDEX, end = 0;
    while (b->slots[index * SYNTH_ENDS + end] != SYNTH_EMPTY) end++;
    b->slots[index * SYNTH_ENDS + end] = slot;
    if (spring & SYNTH_SPRING_REVERSED) b->reversed[index] |= (uint8_t)(1u << end);
}

/* The rows of one slice, from row `row` on; gives the row behind them. Each lane's springs keep their order: their sum is as synth_body() has it.
 * Lanes without a spring in a row have stiffness 0. With `b->others` NULL rows are only counted. */
static uint32_t place_rows(const synth_program *program, synth_bodies *b, heads *h, uint32_t row)
{
    for (;; row++) {
        uint32_t left = 0, first = 0;
        for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) left += is_left(h, lane);
        if (left == 0) return row;
        bool together = go_together(program, h, &first);
        for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
            bool takes = is_left(h, lane) && (!together || head(program, h, lane, 0) == first + lane);
            uint32_t slot = row * SYNTH_LANES + lane;
            if (b->others) b->others[slot] = together ? first + lane : takes ? head(program, h, lane, 0) : h->first + lane;
            if (b->others && takes) place_spring(b, head(program, h, lane, 1), slot);
            h->done[lane] += takes;
        }
        if (b->others) b->in_line[row] = together;
    }
}

/* All slices; with `b->others` NULL rows are only counted. */
static void place_slices(const synth_program *program, synth_bodies *b)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count;
    b->rows = 0;
    for (uint32_t s = 0; s < b->slices; s++) {
        heads h = {.first = s * SYNTH_LANES < count - SYNTH_LANES ? s * SYNTH_LANES : count - SYNTH_LANES};
        b->first[s] = h.first;
        b->begin[s] = b->rows;
        b->plain[s] = 1;
        for (uint32_t lane = 0; lane < SYNTH_LANES; lane++) {
            h.lists[lane] = springs_of(program, h.first + lane);
            if (!is_plain(program, h.first + lane)) b->plain[s] = 0;
        }
        b->rows = place_rows(program, b, &h, b->rows);
    }
    b->begin[b->slices] = b->rows;
}

hed_status synth_bodies_create(const hed_allocator *allocator, const synth_program *program, synth_bodies *b, hed_error *error)
{
    uint32_t count = program->layout.type[SYNTH_BODY].count, springs = program->layout.type[SYNTH_SPRING].count;
    *b = (synth_bodies){.slices = count >= SYNTH_LANES ? (count + SYNTH_LANES - 1) / SYNTH_LANES : 0};
    b->first = synth_new(allocator, b->slices, sizeof *b->first);
    b->begin = synth_new(allocator, b->slices + 1u, sizeof *b->begin);
    b->plain = synth_new(allocator, b->slices, sizeof *b->plain);
    b->slots = synth_new(allocator, (uint64_t)springs * SYNTH_ENDS, sizeof *b->slots);
    b->reversed = synth_new(allocator, springs, sizeof *b->reversed);
    bool whole = b->first && b->begin && b->plain && b->slots && b->reversed;
    if (whole) {
        place_slices(program, b);
        b->others = synth_new(allocator, (uint64_t)b->rows * SYNTH_LANES, sizeof *b->others);
        b->in_line = synth_new(allocator, b->rows, sizeof *b->in_line);
        whole = b->others && b->in_line;
    }
    if (!whole) {
        synth_bodies_destroy(allocator, program, b);
        return synth_fail(error, HED_ERROR_MEMORY, "no memory for the rows of %u bodies and %u springs", count, springs);
    }
    memset(b->slots, 0xff, (size_t)springs * SYNTH_ENDS * sizeof *b->slots);
    place_slices(program, b);
    return HED_OK;
}

void synth_bodies_destroy(const hed_allocator *allocator, const synth_program *program, synth_bodies *b)
{
    uint32_t springs = program->layout.type[SYNTH_SPRING].count;
    synth_release(allocator, b->first, b->slices, sizeof *b->first);
    synth_release(allocator, b->begin, b->slices + 1u, sizeof *b->begin);
    synth_release(allocator, b->plain, b->slices, sizeof *b->plain);
    synth_release(allocator, b->slots, (uint64_t)springs * SYNTH_ENDS, sizeof *b->slots);
    synth_release(allocator, b->reversed, springs, sizeof *b->reversed);
    synth_release(allocator, b->others, (uint64_t)b->rows * SYNTH_LANES, sizeof *b->others);
    synth_release(allocator, b->in_line, b->rows, sizeof *b->in_line);
    *b = (synth_bodies){0};
}

/* ---- values ---- */

static void load_spring(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values, uint32_t spring)
{
    for (uint32_t end = 0; end < SYNTH_ENDS; end++) {
        uint32_t slot = b->slots[spring * SYNTH_ENDS + end], sign = b->reversed[spring] >> end & 1u ? SYNTH_SPRING_REVERSED : 0;
        if (slot == SYNTH_EMPTY) return;
        float *to = values->rows + (size_t)(slot / SYNTH_LANES) * SPRING_PARAMETERS * SYNTH_LANES + slot % SYNTH_LANES;
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

void synth_bodies_load(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values)
{
    for (uint32_t i = 0; i < layout->type[SYNTH_SPRING].count; i++) load_spring(b, layout, at, values, i);
    for (uint32_t i = 0; i < layout->type[SYNTH_BODY].count; i++) load_body(layout, at, values, i);
}

void synth_bodies_poked(const synth_bodies *b, const synth_layout *layout, const synth_at *at, synth_body_values *values, uint32_t word)
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
