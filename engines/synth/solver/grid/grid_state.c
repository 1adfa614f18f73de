/* State of solver grid between blocks: reading, resetting, and carrying over to a changed
 * instrument. */
#include "solver/grid/grid.h"
#include "support/strict_math.h"

static void state_clear(synth_solver *solver, uint32_t index, hed_error *error)
{
    const uint32_t zero = 0;
    hed_buffer *buffer = solver->buffers[index];
    hed_fill(solver->stream, buffer, 0, hed_buffer_describe(buffer).size & ~3ull, &zero,
        sizeof zero, error);
}

hed_status synth_grid_read(synth_solver *solver, uint32_t *stores, float *delays, hed_error *error)
{
    const synth_layout *layout = &solver->program->layout;
    hed_read(solver->stream, stores, solver->buffers[LATTICE_ROW(store)], 0, 4ull * layout->words,
        error);
    if (layout->delay_words)
        hed_read(solver->stream, delays, solver->buffers[LATTICE_ROW(delay)], 0,
            4ull * layout->delay_words, error);
    return synth_wait(solver->stream, error);
}

/* Writes stores and delays; the lattice is reset, too. To keep its motion, a caller calls
 * carry() afterwards. */
hed_status synth_grid_write(
    synth_solver *solver, const uint32_t *stores, const float *delays, hed_error *error)
{
    const synth_layout *layout = &solver->program->layout;
    const uint32_t *store = stores ? stores : solver->program->image;
    solver->step.epoch = solver->step.fresh = 1;
    synth_grid_set_dilation(solver, hed_as_float(store[SYNTH_DILATION]));
    hed_write(
        solver->stream, solver->buffers[LATTICE_ROW(store)], 0, store, 4ull * layout->words, error);
    if (delays && layout->delay_words)
        hed_write(solver->stream, solver->buffers[LATTICE_ROW(delay)], 0, delays,
            4ull * layout->delay_words, error);
    if (!delays) state_clear(solver, LATTICE_ROW(delay), error);
    state_clear(solver, LATTICE_ROW(state), error);
    state_clear(solver, LATTICE_ROW(packets), error);
    state_clear(solver, LATTICE_ROW(flags), error);
    return synth_wait(solver->stream, error);
}

/* ---- the lattice ---- */

static uint64_t floats_of(const synth_solver *solver)
{
    return 6ull * solver->tables.shape.groups * solver->tables.own;
}

/* Reads the state, to be freed by release_state(). */
static hed_status read_state(synth_solver *solver, float **state, hed_error *error)
{
    uint64_t floats = floats_of(solver);
    *state = hed_new(&solver->arena.allocator, floats, sizeof **state, error);
    hed_read(solver->stream, *state, solver->buffers[LATTICE_ROW(state)], 0,
        floats * sizeof **state, error);
    return hed_stream_wait(solver->stream, error);
}

static void release_state(const synth_solver *solver, float *state)
{
    hed_delete(&solver->arena.allocator, state, floats_of(solver), sizeof *state);
}

/* Returns the index of component 0 of a free body in the state; components are `own` apart. */
static uint64_t state_at(const synth_solver *solver, uint32_t body)
{
    uint32_t place = solver->tables.place[body], own = solver->tables.own;
    return 6ull * own * (place / own) + place % own;
}

hed_status synth_grid_bodies(
    synth_solver *solver, float *positions, float *velocities, hed_error *error)
{
    float *state;
    hed_status status = read_state(solver, &state, error);
    double unit = solver->network.unit, speed = unit / solver->program->step;
    float fastest = (float)(SYNTH_MOST_SPEED / solver->program->step);
    uint32_t own = solver->tables.own;
    if (!status && positions) memset(positions, 0, 3ull * solver->network.all * sizeof *positions);
    if (!status && velocities)
        memset(velocities, 0, 3ull * solver->network.all * sizeof *velocities);
    for (uint32_t i = 0; !status && i < solver->network.count; i++) {
        const float *at = state + state_at(solver, i);
        uint64_t body = solver->network.body[i];
        for (uint32_t k = 0; k < 3; k++) {
            float place = (float)(at[k * own] * unit),
                  velocity = (float)(at[(k + 3) * own] * speed);
            if (positions) positions[3 * body + k] = synth_within(place, SYNTH_MOST_BODY);
            if (velocities) velocities[3 * body + k] = synth_within(velocity, fastest);
        }
    }
    release_state(solver, state);
    return status;
}

/* ---- carrying over ---- */

static void state_put(uint32_t *packet, const float *from, uint32_t stride, float scale)
{
    for (uint32_t k = 0; k < 3; k++) packet[k] = hed_as_uint(scale * from[k * stride]);
}

/* Fills in the packets that neighbours and the control group read at the first sample. */
static void fill_packets(const synth_solver *solver, const float *state, uint32_t *packets)
{
    const synth_grid_tables *tables = &solver->tables;
    uint32_t own = tables->own, room = tables->shape.rim * tables->shape.threads;
    packets += 4ull * (solver->step.epoch & 1) * solver->step.side;
    for (uint32_t g = 0; g < tables->shape.groups; g++) {
        const float *bodies = state + 6ull * own * g;
        for (uint32_t i = 0; i < tables->groups[g].rim; i++)
            state_put(packets + 4ull * (g * room + i), bodies + i, own, 1.0f);
        for (uint32_t i = 0; i < tables->groups[g].linked; i++) {
            uint32_t link = tables->links[g * tables->shape.threads + i];
            const float *body = bodies + i;
            uint32_t *packet =
                packets + 4ull * (solver->step.remote + LATTICE_TOLD * LATTICE_ELEMENT(link));
            state_put(packet, body, own, solver->step.unit);
            state_put(packet + 4, body + 3 * own, own, solver->step.unit);
        }
    }
}

hed_status synth_grid_carry(synth_solver *solver, synth_solver *from, hed_error *error)
{
    float *old = NULL,
          *state = hed_new(&solver->arena.allocator, floats_of(solver), sizeof *state, error);
    uint64_t words = 8ull * solver->step.side;
    uint32_t *packets = hed_new(&solver->arena.allocator, words, sizeof *packets, error);
    if (!read_state(from, &old, error)) {
        /* bodies in both instruments; entity numbers ascend in both */
        float scale = (float)(from->network.unit / solver->network.unit);
        for (uint32_t i = 0, j = 0; i < solver->network.count; i++) {
            while (j < from->network.count && from->entities[j] < solver->entities[i]) j++;
            if (j == from->network.count || from->entities[j] != solver->entities[i]) continue;
            const float *was = old + state_at(from, j);
            float *is = state + state_at(solver, i);
            for (uint32_t k = 0; k < 6; k++)
                is[k * solver->tables.own] = scale * was[k * from->tables.own];
        }
        fill_packets(solver, state, packets);
        hed_write(solver->stream, solver->buffers[LATTICE_ROW(state)], 0, state,
            floats_of(solver) * sizeof *state, error);
        hed_write(solver->stream, solver->buffers[LATTICE_ROW(packets)], 0, packets,
            words * sizeof *packets, error);
    }
    synth_wait(solver->stream, error);
    release_state(from, old);
    release_state(solver, state);
    hed_delete(&solver->arena.allocator, packets, words, sizeof *packets);
    return error->status;
}

/* Sets all constants that depend on the dilation. */
void synth_grid_set_dilation(synth_solver *solver, float dilation)
{
    const synth_network *network = &solver->network;
    double decay = hed_strict_exp(-(double)network->class_rate[0] * dilation);
    solver->step.dilation = dilation;
    solver->step.slowness = 1.0f / dilation;
    solver->step.decay = (float)decay;
    solver->step.gain = (float)(decay * network->class_weight[0] * dilation * dilation *
                                synth_network_common(network));
}
