/* What solver grid remembers between blocks: read, put to rest, and carried over to a changed
 * instrument. */
#include "solver/grid/grid.h"

static void state_clear(synth_solver *made, uint32_t which, hed_error *error)
{
    const uint32_t zero = 0;
    hed_buffer *buffer = made->buffers[which];
    hed_fill(made->stream, buffer, 0, hed_buffer_describe(buffer).size & ~3ull, &zero, sizeof zero,
        error);
}

hed_status synth_grid_read(synth_solver *made, uint32_t *stores, float *delays, hed_error *error)
{
    const synth_layout *layout = &made->program->layout;
    hed_read(made->stream, stores, made->buffers[LATTICE_STORE], 0, 4ull * layout->words, error);
    if (layout->delay_words)
        hed_read(made->stream, delays, made->buffers[LATTICE_DELAY], 0, 4ull * layout->delay_words,
            error);
    return synth_wait(made->stream, error);
}

/* The lattice comes to rest, too; a caller that wants it moving calls carry(). */
hed_status synth_grid_write(
    synth_solver *made, const uint32_t *stores, const float *delays, hed_error *error)
{
    const synth_layout *layout = &made->program->layout;
    const uint32_t *store = stores ? stores : made->program->image;
    made->step.epoch = made->step.fresh = 1;
    synth_grid_set_dilation(made, hed_as_float(store[SYNTH_DILATION]));
    hed_write(made->stream, made->buffers[LATTICE_STORE], 0, store, 4ull * layout->words, error);
    if (delays && layout->delay_words)
        hed_write(made->stream, made->buffers[LATTICE_DELAY], 0, delays, 4ull * layout->delay_words,
            error);
    if (!delays) state_clear(made, LATTICE_DELAY, error);
    state_clear(made, LATTICE_STATE, error);
    state_clear(made, LATTICE_PACKETS, error);
    state_clear(made, LATTICE_FLAGS, error);
    return synth_wait(made->stream, error);
}

/* ---- the lattice ---- */

static uint64_t floats_of(const synth_solver *made)
{
    return 6ull * made->tables.shape.groups * made->tables.own;
}

/* The state, to be given back by release_state(). */
static hed_status read_state(synth_solver *made, float **state, hed_error *error)
{
    uint64_t floats = floats_of(made);
    *state = hed_new(&made->arena.allocator, floats, sizeof **state, error);
    hed_read(made->stream, *state, made->buffers[LATTICE_STATE], 0, floats * sizeof **state, error);
    return hed_stream_wait(made->stream, error);
}

static void release_state(const synth_solver *made, float *state)
{
    hed_delete(&made->arena.allocator, state, floats_of(made), sizeof *state);
}

/* Where component 0 of a free body is among the state; the others are `own` further on each. */
static uint64_t state_at(const synth_solver *made, uint32_t body)
{
    uint32_t place = made->tables.place[body], own = made->tables.own;
    return 6ull * own * (place / own) + place % own;
}

hed_status synth_grid_bodies(
    synth_solver *made, float *positions, float *velocities, hed_error *error)
{
    float *state;
    hed_status status = read_state(made, &state, error);
    double unit = made->network.unit, speed = unit / made->program->step;
    float fastest = (float)(SYNTH_MOST_SPEED / made->program->step);
    uint32_t own = made->tables.own;
    if (!status && positions) memset(positions, 0, 3ull * made->network.all * sizeof *positions);
    if (!status && velocities) memset(velocities, 0, 3ull * made->network.all * sizeof *velocities);
    for (uint32_t i = 0; !status && i < made->network.count; i++) {
        const float *at = state + state_at(made, i);
        uint64_t body = made->network.body[i];
        for (uint32_t k = 0; k < 3; k++) {
            float place = (float)(at[k * own] * unit),
                  velocity = (float)(at[(k + 3) * own] * speed);
            if (positions) positions[3 * body + k] = synth_within(place, SYNTH_MOST_BODY);
            if (velocities) velocities[3 * body + k] = synth_within(velocity, fastest);
        }
    }
    release_state(made, state);
    return status;
}

/* ---- carrying over ---- */

static void state_put(uint32_t *packet, const float *from, uint32_t stride, float scale)
{
    for (uint32_t k = 0; k < 3; k++) packet[k] = hed_as_uint(scale * from[k * stride]);
}

/* What neighbours and the control group find at the first sample. */
static void fill_packets(const synth_solver *made, const float *state, uint32_t *packets)
{
    const synth_grid_tables *tables = &made->tables;
    uint32_t own = tables->own, room = tables->shape.rim * tables->shape.threads;
    packets += 4ull * (made->step.epoch & 1) * made->step.side;
    for (uint32_t g = 0; g < tables->shape.groups; g++) {
        const float *bodies = state + 6ull * own * g;
        for (uint32_t i = 0; i < tables->groups[g].rim; i++)
            state_put(packets + 4ull * (g * room + i), bodies + i, own, 1.0f);
        for (uint32_t i = 0; i < tables->groups[g].linked; i++) {
            uint32_t link = tables->links[g * tables->shape.threads + i];
            const float *body = bodies + i;
            uint32_t *told =
                packets + 4ull * (made->step.remote + LATTICE_TOLD * LATTICE_ELEMENT(link));
            state_put(told, body, own, made->step.unit);
            state_put(told + 4, body + 3 * own, own, made->step.unit);
        }
    }
}

hed_status synth_grid_carry(synth_solver *made, synth_solver *from, hed_error *error)
{
    float *old = NULL,
          *state = hed_new(&made->arena.allocator, floats_of(made), sizeof *state, error);
    uint64_t words = 8ull * made->step.side;
    uint32_t *packets = hed_new(&made->arena.allocator, words, sizeof *packets, error);
    if (!read_state(from, &old, error)) {
        /* Bodies that are in both, whose entity numbers rise in both. */
        float scale = (float)(from->network.unit / made->network.unit);
        for (uint32_t i = 0, j = 0; i < made->network.count; i++) {
            while (j < from->network.count && from->entities[j] < made->entities[i]) j++;
            if (j == from->network.count || from->entities[j] != made->entities[i]) continue;
            const float *was = old + state_at(from, j);
            float *is = state + state_at(made, i);
            for (uint32_t k = 0; k < 6; k++)
                is[k * made->tables.own] = scale * was[k * from->tables.own];
        }
        fill_packets(made, state, packets);
        hed_write(made->stream, made->buffers[LATTICE_STATE], 0, state,
            floats_of(made) * sizeof *state, error);
        hed_write(made->stream, made->buffers[LATTICE_PACKETS], 0, packets, words * sizeof *packets,
            error);
    }
    synth_wait(made->stream, error);
    release_state(from, old);
    release_state(made, state);
    hed_delete(&made->arena.allocator, packets, words, sizeof *packets);
    return error->status;
}
