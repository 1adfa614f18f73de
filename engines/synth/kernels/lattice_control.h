/* The control group of places.cl: all entities that are not in the lattice, as a program
 * without bodies. Precedes places.cl. */
#ifndef SYNTH_LATTICE_CONTROL_H
#define SYNTH_LATTICE_CONTROL_H

#if CONTROL_LOCAL
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif
#define POKE_WORDS 3u /* synth_poke: frame, word, value */

LATTICE_FUNCTION lattice_vector control_along(lattice_vector to, lattice_vector n, float amount)
{
    to.x = fma(n.x, amount, to.x);
    to.y = fma(n.y, amount, to.y);
    to.z = fma(n.z, amount, to.z);
    return to;
}

LATTICE_FUNCTION float control_dot(lattice_vector a, lattice_vector b)
{
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

/* Combines the contacts of a linked body, in the order of synth_push(), into one affine map of
 * its h v. */
LATTICE_FUNCTION void control_push(
    const synth_layout *layout, const synth_at *at, __global uint4 *pushes, uint e, uint epoch)
{
    synth_list contacts =
        synth_list_of(at, layout->type[SYNTH_BODY].forces, layout->type[SYNTH_BODY].count, e);
    float dilation = synth_dilation(at),
          mobility = dilation * synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, e);
    float kept =
        dilation * synth_keep(synth_parameter(layout, at, SYNTH_BODY, BODY_P_RATE, e), dilation);
    lattice_vector x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f},
                   b = {0.0f, 0.0f, 0.0f}; /* columns, and the shift */
    for (uint i = 0; i < contacts.length; i++) {
        uint entry = contacts.first + i * SYNTH_FORCE_WORDS * contacts.stride;
        uint word = at->read + synth_word(at, entry), far = synth_word(at, entry + contacts.stride);
        lattice_vector n = {synth_number(at, word), synth_number(at, word + far),
            synth_number(at, word + 2u * far)};
        float share = synth_reciprocal(fma(mobility, synth_number(at, word + 4u * far), 1.0f));
        float less = share - 1.0f, push = mobility * synth_number(at, word + 3u * far) * share;
        x = control_along(x, n, less * control_dot(n, x));
        y = control_along(y, n, less * control_dot(n, y));
        z = control_along(z, n, less * control_dot(n, z));
        b = control_along(b, n, fma(less, control_dot(n, b), push));
    }
    if (contacts.length > 0) {
        lattice_put(pushes + 1, x.x - 1.0f, y.x, z.x, epoch);
        lattice_put(pushes + 2, x.y, y.y - 1.0f, z.y, epoch);
        lattice_put(pushes + 3, x.z, y.z, z.z - 1.0f, epoch);
    }
    lattice_put(pushes, kept * b.x, kept * b.y, kept * b.z, epoch);
}

/* Exchanges data of linked bodies: the last warps send the effect of contacts on each, the first
 * warps receive its position and velocity into the half that is read. Anchored bodies (weight 0)
 * do not move. Data that the host wrote have no epoch. */
LATTICE_FUNCTION void control_exchange(const synth_layout *layout, const synth_at *at,
    __global uint4 *packets, uint epoch, uint fresh, lattice_step step, __global uint *flags,
    uint item)
{
    uint count = layout->type[SYNTH_BODY].count,
         signal = at->read + layout->type[SYNTH_BODY].signal;
    for (uint e = WG - 1u - item; e < step.linked; e += WG)
        if (synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, e) != 0.0f)
            control_push(layout, at, packets + step.forces + LATTICE_PUSHES * e, e, epoch);
    for (uint e = item; e < step.linked; e += WG) {
        if (synth_parameter(layout, at, SYNTH_BODY, BODY_P_WEIGHT, e) == 0.0f) continue;
        __global const uint4 *from = packets + step.remote + LATTICE_TOLD * e;
        uint4 place = lattice_get(from), way = lattice_get(from + 1);
        if (!fresh) {
            place = lattice_wait(from, place, epoch, flags);
            way = lattice_wait(from + 1, way, epoch, flags);
        }
        at->store[signal + BODY_O_X * count + e] = place.x;
        at->store[signal + BODY_O_Y * count + e] = place.y;
        at->store[signal + BODY_O_Z * count + e] = place.z;
        at->store[signal + BODY_O_U * count + e] = way.x;
        at->store[signal + BODY_O_V * count + e] = way.y;
        at->store[signal + BODY_O_W * count + e] = way.z;
    }
}

/* First list of rows of an item, and its lane; computed once, because integer divisions are
 * slow. */
typedef struct control_place {
    uint list, lists, lane;
} control_place;

LATTICE_FUNCTION control_place control_place_of(const synth_layout *layout, uint item)
{
    control_place place;
    place.lists = WG / layout->lanes;
    place.lane = item % layout->lanes;
    place.list = item < place.lists * layout->lanes ? item / layout->lanes : layout->warps;
    return place;
}

/* Steps all seats of the program, one list of rows for each of `warps`. */
LATTICE_FUNCTION void control_rows(
    const synth_layout *layout, const synth_at *at, control_place place)
{
    for (uint w = place.list; w < layout->warps; w += place.lists)
        for (uint row = synth_word(at, layout->row_begin + w);
             row < synth_word(at, layout->row_begin + w + 1u); row++) {
            uint seat = synth_word(at, layout->rows + row * layout->lanes + place.lane);
            if (seat != SYNTH_EMPTY)
                synth_entity(layout, at, SYNTH_SEAT_TYPE(seat), SYNTH_SEAT_ENTITY(seat));
        }
}

LATTICE_FUNCTION uint control_due(__global const uint *pokes, uint poke, uint end)
{
    return poke < end ? pokes[POKE_WORDS * poke] : LATTICE_NOTHING;
}

LATTICE_FUNCTION void control_run(SYNTH_SPACE uint *store, __global float *delay,
    __global const uint *pokes, __global const float *inputs, __global float *stems,
    __global uint4 *packets, __global uint *flags, synth_layout layout, lattice_step step,
    uint item)
{
    synth_at at;
    uint poke = step.poke, due = control_due(pokes, poke, step.poke_end);
    control_place place = control_place_of(&layout, item);
    at.store = store;
    at.instance = 0;
    at.frames = step.frames;
    at.inputs = inputs;
    at.delay = delay;
    for (uint n = 0; n < step.count; n++) {
        uint epoch = step.epoch + n, fresh = n == 0 ? step.fresh : 0u,
             parity = (step.sample + n) & 1u;
        at.read = layout.signals + parity * layout.signal_count;
        at.write = layout.signals + (parity ^ 1u) * layout.signal_count;
        at.sample = step.sample + n;
        at.frame = step.frame + n;
        at.stems = stems + 2u * layout.stems * at.frame;
        if (due <= at.frame) {
            barrier(FENCE);
            for (; due <= at.frame; due = control_due(pokes, ++poke, step.poke_end))
                if (item == 0) store[pokes[POKE_WORDS * poke + 1u]] = pokes[POKE_WORDS * poke + 2u];
            barrier(FENCE);
        }
        control_exchange(
            &layout, &at, packets + (epoch & 1u) * step.side, epoch, fresh, step, flags, item);
        barrier(FENCE);
        control_rows(&layout, &at, place);
        barrier(FENCE);
        if (!synth_is_checked(at.sample) || layout.stems == 0u) continue;
        barrier(CLK_GLOBAL_MEM_FENCE); /* an item marks the sound that another one wrote */
        if (synth_is_broken(&layout, &at, item, WG)) at.stems[0] = as_float(HED_NAN_BITS);
        barrier(FENCE); /* levels are of this sample */
    }
}

/* Computes the control group's samples, with its store copied to local memory if CONTROL_LOCAL. */
LATTICE_FUNCTION void control_all(__local float *block, __global uint *store, __global float *delay,
    __global const uint *pokes, __global const float *inputs, __global float *stems,
    __global uint4 *packets, __global uint *flags, const synth_layout *layout,
    const lattice_step *step, uint item)
{
#if CONTROL_LOCAL
    __local uint *own = (__local uint *)block;
    for (uint k = item; k < layout->words; k += WG) own[k] = store[k];
    barrier(FENCE);
    control_run(own, delay, pokes, inputs, stems, packets, flags, *layout, *step, item);
    for (uint k = item; k < layout->words; k += WG) store[k] = own[k];
#else
    (void)block;
    control_run(store, delay, pokes, inputs, stems, packets, flags, *layout, *step, item);
#endif
}

#endif
