/* A round as one kernel, on devices with packets: no barrier over the grid, no atomics, no
 * copies. Groups of system s: WORKERS compute tiles, MERGERS merge a slice of the scalars each.
 *
 *   reader   the first merger reads the inputs from mapped memory and forwards them as packets,
 *            because a read over the bus costs about 1.3 us for every group that does it
 *   workers  draw noise meanwhile (NOISE_AHEAD: the round's number follows from the last one),
 *            roll out, and send the sums of each chain: a header {min, sum w, sum w^2}, then
 *            three scalars a packet; after the scalars, the number of crashed samples
 *   mergers  poll the packets, poll missing packets again together, and write the results as
 *            {float, epoch} into mapped memory, which the host polls
 *
 * A packet contains the epoch of its round, so nothing is ever reset. Readers are the first
 * groups, and workers precede the other mergers: groups start in order, so every group that
 * another one waits for has started. RESIDENT: the kernel stays on the device, and the inputs'
 * epoch is its doorbell; without work for fixed.watch polls it reports so and leaves. Launched:
 * the launch never changes, so it can be a graph. */

#define DATA (SCALARS / 3 + 1)
#define PACKETS (DATA + 1)
#define INPUT_PACKETS ((INPUTS + 2) / 3)
enum { MAIL_IS_RUNNING, MAIL_HAS_LEFT, MAIL_HAS_FAILED };
/* Polls before a wait is given up: some seconds, as each poll takes half a microsecond or more.
 * A count instead of a time, because all groups share one clock of the device: hundreds of warps
 * that read it wait for one another. */
#define ROUND_POLLS (1u << 23)

/* State of an item in its group. */
typedef struct packets_place {
    uint system, role; /* role: 0 reader and first merger; to MERGERS - 1 mergers; then workers */
    uint id, epoch;
    __global uint4 *forward; /* (INPUT_PACKETS) */
    __global uint4 *packets; /* (CHAINS x PACKETS) */
    __global uint2 *answers; /* mapped: (SCALARS + 4) */
    __global uint *mail;     /* mapped: state */
} packets_place;

/* ---- inputs ---- */

/* Reads the inputs from mapped memory into local memory, then forwards them as packets. Items
 * read neighbouring words: the bus transfers 32 bytes at a time, and every further transfer
 * costs some 40 ns. All loads are issued before the first result is used. False: no work, or
 * request to leave. */
#define READS ((INPUTS + GROUP - 1) / GROUP)
HED_WORD bool packets_read(
    const packets_place *g, __global const uint2 *inputs, __local float *block, uint watch)
{
    uint2 words[READS];
    bool has_all = true;
    for (uint polls = 1;; polls++) {
        uint stale = 0;
        for (uint r = 0; r < READS; r++) {
            uint at = g->id + r * GROUP;
            words[r] = hed_u2(0, g->epoch);
            if ((r + 1) * GROUP <= INPUTS || at < INPUTS)
                words[r] = hed_system_get_pair(inputs + at);
        }
        for (uint r = 0; r < READS; r++) stale |= words[r].y ^ g->epoch;
        if (stale == 0) break;
        has_all = words[0].y != ~g->epoch && polls < watch;
        if (!has_all) break;
        HED_POLL_PAUSE(polls);
    }
    for (uint r = 0; r < READS; r++)
        if (g->id + r * GROUP < INPUTS)
            block[AT_INPUTS + g->id + r * GROUP] = hed_as_float(words[r].x);
    if (!__syncthreads_and(has_all)) return false;
    for (uint p = g->id; p < INPUT_PACKETS; p += GROUP) {
        __local const uint *from = (__local const uint *)block + AT_INPUTS + 3 * p;
        hed_packet_put(g->forward + p, hed_u4(from[0], from[1], from[2], g->epoch));
    }
    return true;
}

/* Receives the inputs from packets, in the other groups. */
HED_WORD bool packets_receive(const packets_place *g, __local float *block)
{
    for (uint p = g->id; p < INPUT_PACKETS; p += GROUP) {
        uint4 words = hed_packet_get(g->forward + p);
        for (uint polls = 1; words.w != g->epoch; polls++) {
            if (words.w == ~g->epoch || polls > ROUND_POLLS) return false;
            HED_POLL_PAUSE(polls);
            words = hed_packet_get(g->forward + p);
        }
        block[AT_INPUTS + 3 * p] = hed_as_float(words.x);
        block[AT_INPUTS + 3 * p + 1] = hed_as_float(words.y);
        block[AT_INPUTS + 3 * p + 2] = hed_as_float(words.z);
    }
    return true;
}

/* ---- worker ---- */

HED_WORD void packets_send(
    const packets_place *g, __local const float *sums, const tile_chain *chain, uint number)
{
    __global uint4 *to = g->packets + number * PACKETS;
    TILE_UNROLL_BY(1)
    for (uint d = g->id; d < PACKETS; d += GROUP) {
        float v[3];
        for (uint k = 0; k < 3; k++) { /* no branches around the loads */
            uint j = 3 * (d - 1) + k, row = j < SCALARS ? j : ROWS;
            v[k] = sums[d == 0 ? SCALARS + k - 1 : row];
        }
        v[0] = d == 0 ? chain->minimum : v[0];
        hed_packet_put(
            to + d, hed_u4(hed_as_uint(v[0]), hed_as_uint(v[1]), hed_as_uint(v[2]), g->epoch));
    }
}

HED_WORD void packets_work(const packets_place *g, TILE, mppi_tile *own, uint next_round)
{
#if TIMED
    const uint limit = max((uint)(INPUT(IN_FRACTION) * (float)TILES), 1u);
#else
    const uint limit = TILES;
#endif
    for (uint c = g->role - MERGERS; c < CHAINS; c += WORKERS) {
        tile_chain chain = {MPPI_OUT, 0.0f};
        if (TIMED && c >= limit) { /* a chain without tiles has no sums */
            for (uint row = tile->id; row <= ROWS; row += GROUP) SUMS[row] = 0.0f;
            __syncthreads();
        }
        for (uint t = c; t < limit; t += CHAINS) {
            bool has_noise = NOISE == 2 && c < WORKERS && t == c && next_round == tile->number;
            own->first = TILE_BEGIN(g->system) + t * SAMPLES;
            if (NOISE == 2 && has_noise) tile_prepare(f, tile, 0, 1);
            else if (!FUSED) tile_prepare(f, tile, 1, 1);
            tile_add(f, tile, tile_rollout(f, tile), &chain);
        }
        packets_send(g, tile->block + AT_SUMS, &chain, c);
        if (c + WORKERS < CHAINS) __syncthreads();
    }
}

/* ---- merger ---- */

#define SLICE ((DATA + MERGERS - 1) / MERGERS) /* maximum packets of a chain for a merger */
#define HEADERS ((CHAINS + 31) / 32)
#define EACH_AT_ONCE (CHAINS < 8 * MERGE_GROUPS ? (CHAINS + MERGE_GROUPS - 1) / MERGE_GROUPS : 8)

/* Loads `count` packets (at least 1; the last one is repeated up to MOST), `stride` apart, at
 * once; loads missing ones again together. No branch between the loads. */
#define PACKETS_FETCH(name, MOST) \
    HED_WORD bool name(uint4 *h, const uint4 *at, uint stride, uint count, uint epoch) \
    { \
        for (uint i = 0; i < MOST; i++) \
            h[i] = hed_packet_get(at + (size_t)(min(i, count - 1u) * stride)); \
        for (uint polls = 1;; polls++) { \
            uint stale = 0; \
            for (uint i = 0; i < MOST; i++) stale |= h[i].w ^ epoch; \
            if (stale == 0) return true; \
            if (polls > ROUND_POLLS) return false; \
            HED_POLL_PAUSE(polls); \
            for (uint i = 0; i < MOST; i++) \
                if (h[i].w != epoch) \
                    h[i] = hed_packet_get(at + (size_t)(min(i, count - 1u) * stride)); \
        } \
    }
PACKETS_FETCH(packets_fetch_headers, HEADERS)
PACKETS_FETCH(packets_fetch_data, EACH_AT_ONCE)

HED_WORD void packets_answer(const packets_place *g, uint at, float value)
{
    hed_system_put_pair(g->answers + at, hed_u2(hed_as_uint(value), g->epoch));
}

/* Computes the minimum, and the chains' factors, weights and squares at AT_FACTORS. First warp. */
HED_WORD bool packets_headers(const packets_place *g, __local float *block, float *minimum)
{
    uint4 h[HEADERS];
    __local float *factors = block + AT_FACTORS;
    float inverse = block[AT_INPUTS + IN_INVERSE];
    uint first = min(g->id, CHAINS - 1u), count = (CHAINS - first + 31) / 32;
    bool has_all = packets_fetch_headers(
        h, g->packets + (size_t)first * PACKETS, 32 * PACKETS, count, g->epoch);
    *minimum = MPPI_OUT;
    for (uint i = 0; i < HEADERS; i++) *minimum = mppi_min(hed_as_float(h[i].x), *minimum);
    *minimum = hed_lane_min(*minimum);
    for (uint i = 0; i < HEADERS; i++)
        if (i < count && g->id < CHAINS) {
            uint c = g->id + 32 * i;
            factors[c] = mppi_weight(*minimum, hed_as_float(h[i].x), inverse);
            factors[CHAINS + c] = hed_as_float(h[i].y);
            factors[2 * CHAINS + c] = hed_as_float(h[i].z);
        }
    return has_all;
}

/* Sums the weights and their squares over chains g, g + 8, ...; first 8 items. */
HED_WORD void packets_weights(const packets_place *g, __local float *block)
{
    __local float *factors = block + AT_FACTORS;
    float w = 0.0f, squares = 0.0f;
    for (uint c = g->id; c < CHAINS; c += 8) {
        w = hed_fma(factors[c], factors[CHAINS + c], w);
        squares = hed_fma(factors[c] * factors[c], factors[2 * CHAINS + c], squares);
    }
    block[AT_TOTALS + g->id] = w;
    block[AT_TOTALS + 8 + g->id] = squares;
}

HED_WORD void packets_add(const packets_place *g, __local const float *block, uint packet,
    uint begin, const uint4 *h, float *sums)
{
    for (uint i = 0; i < EACH_AT_ONCE; i++) {
        uint c = begin + i * MERGE_GROUPS;
        float factor = block[AT_FACTORS + min(c, CHAINS - 1u)], unit = c < CHAINS ? 1.0f : 0.0f;
        const float v[3] = {hed_as_float(h[i].x), hed_as_float(h[i].y), hed_as_float(h[i].z)};
        factor = c < CHAINS ? factor : 0.0f;
        for (uint k = 0; k < 3; k++) {
            /* the element after the last scalar is a sample count */
            bool counts = k == SCALARS % 3 && packet == DATA - 1;
            sums[k] = hed_fma(counts ? unit : factor, v[k], sums[k]);
        }
    }
}

HED_WORD uint packets_many(uint begin)
{
    return begin < CHAINS ? (CHAINS - begin + MERGE_GROUPS - 1) / MERGE_GROUPS : 0;
}

HED_WORD bool packets_merge(const packets_place *g, __local float *block)
{
    uint first = DATA * g->role / MERGERS, width = DATA * (g->role + 1) / MERGERS - first;
    uint item = g->id - 32, items = width * MERGE_GROUPS;
    uint packet = first + item % width, begin = item / width;
    __local float *parts = block + AT_PARTS;
    uint4 h[EACH_AT_ONCE];
    float minimum = MPPI_OUT;
    bool has_all = true;
    /* issue loads before the factors are known */
    if (g->id < 32) has_all = packets_headers(g, block, &minimum);
    else if (item < items && begin < CHAINS)
        has_all = packets_fetch_data(h, g->packets + (size_t)begin * PACKETS + 1 + packet,
            MERGE_GROUPS * PACKETS, packets_many(begin), g->epoch);
    if (!__syncthreads_and(has_all)) return false;
    if (g->id < 8) packets_weights(g, block);
    if (g->id >= 32)
        for (uint at = item; at < items && has_all; at += GROUP - 32) {
            if (at != item) {
                packet = first + at % width;
                begin = at / width;
            }
            float sums[3] = {0.0f, 0.0f, 0.0f};
            for (uint c = begin; c < CHAINS && has_all; c += EACH_AT_ONCE * MERGE_GROUPS) {
                if (at != item || c != begin)
                    has_all = packets_fetch_data(h, g->packets + (size_t)c * PACKETS + 1 + packet,
                        MERGE_GROUPS * PACKETS, packets_many(c), g->epoch);
                packets_add(g, block, packet, c, h, sums);
            }
            for (uint k = 0; k < 3; k++) parts[3 * at + k] = sums[k];
        }
    if (!__syncthreads_and(has_all)) return false;
    float w = block[AT_TOTALS], squares = block[AT_TOTALS + 8];
    for (uint i = 1; i < 8; i++) {
        w += block[AT_TOTALS + i];
        squares += block[AT_TOTALS + 8 + i];
    }
    float normalizer = HED_STRICT ? 1.0f / w : mppi_divide(1.0f, w);
    for (uint r = g->id; r < 3 * width; r += GROUP) {
        uint j = 3 * first + r;
        float sum = parts[r];
        for (uint i = 1; i < MERGE_GROUPS; i++) sum += parts[i * 3 * width + r];
        if (j < SCALARS) packets_answer(g, j, sum * normalizer);
        if (j == SCALARS) packets_answer(g, SCALARS + 3, sum);
    }
    if (g->role == 0 && g->id < 3)
        packets_answer(g, SCALARS + g->id, g->id == 0 ? minimum : g->id == 1 ? w : squares);
    return true;
}

/* ---- the kernel ---- */

HED_WORD void packets_find(packets_place *g)
{
    uint group = (uint)get_group_id(0);
    g->id = threadIdx.x;
    if (group < SYSTEMS) { /* readers */
        g->system = group;
        g->role = 0;
    } else if (group < SYSTEMS * (1 + WORKERS)) {
        g->system = (group - SYSTEMS) / WORKERS;
        g->role = MERGERS + (group - SYSTEMS) % WORKERS;
    } else {
        g->system = (group - SYSTEMS * (1 + WORKERS)) / (MERGERS - 1 + (MERGERS == 1));
        g->role = 1 + (group - SYSTEMS * (1 + WORKERS)) % (MERGERS - 1 + (MERGERS == 1));
    }
}

/* Runs one round of this group; false: the kernel must end. */
HED_WORD bool packets_round(const packets_place *g, const mppi_fixed *f, mppi_tile *own,
    __global const uint2 *inputs, uint *number)
{
    const mppi_tile *tile = own;
    bool reader = g->role == 0, has_inputs;
    own->number = *number;
    own->first = TILE_BEGIN(g->system) + (g->role - MERGERS) * SAMPLES;
    if (NOISE == 2 && g->role >= MERGERS) tile_prepare(f, tile, 1, 0);
    if (reader) has_inputs = packets_read(g, inputs, own->block, RESIDENT ? f->watch : ROUND_POLLS);
    else has_inputs = packets_receive(g, own->block);
    if (!__syncthreads_and(has_inputs)) {
        if (reader && g->id == 0) { /* make the other groups leave, too */
            for (uint p = 0; p < INPUT_PACKETS; p++)
                hed_packet_put(g->forward + p, hed_u4(0, 0, 0, ~g->epoch));
            if (!RESIDENT) hed_system_put(g->mail, MAIL_HAS_FAILED);
        }
        return false;
    }
    own->number = hed_as_uint(INPUT(IN_NUMBER));
    if (g->role < MERGERS) {
        if (!packets_merge(g, own->block)) {
            if (g->id == 0) hed_system_put(g->mail, MAIL_HAS_FAILED);
            return false;
        }
    } else packets_work(g, f, tile, own, *number);
    *number = own->number + 1;
    return true;
}

__kernel void mppi_packets(__global uint2 *state, __global const uint2 *inputs,
    __global uint4 *forward, __global uint4 *packets, __global uint2 *answers, __global uint *mail,
    __global float *store, __global const float *tables, __global const float *noise,
    const mppi_fixed fixed, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    HED_LOCAL_ARRAY(uint, begin, 2);
    const mppi_fixed *f = &fixed;
    packets_place g;
    mppi_tile tile;
    packets_find(&g);
    state += get_group_id(0);
    if (g.id == 0) {
        uint2 now = *state; /* epoch, and the number of the expected round */
        begin[0] = now.x;
        begin[1] = now.y;
    }
    tile.block = block;
#if STORE == 2
    tile.controls = store + get_group_id(0) * SCALARS * STRIDE;
#else
    tile.controls = block + AT_CONTROLS;
#endif
    tile.stream = g.system % f->streams;
    tile.noise = noise + (NOISE_STREAMS ? (size_t)tile.stream * SCALARS * f->row : 0);
    tile.tables = tables;
    tile.id = g.id;
    g.forward = forward + g.system * INPUT_PACKETS;
    g.packets = packets + (size_t)g.system * CHAINS * PACKETS;
    g.answers = answers + g.system * (SCALARS + 4);
    g.mail = mail;
    inputs += g.system * INPUTS;
    __syncthreads();
    g.epoch = begin[0];
    uint number = begin[1];
    bool is_running = true;
    while (is_running) {
        is_running = packets_round(&g, f, &tile, inputs, &number);
        if (is_running) g.epoch++;
        if (!RESIDENT) break;
        __syncthreads();
    }
    if (g.id == 0) *state = hed_u2(g.epoch, number);
    if (RESIDENT && !is_running && g.role == 0 && g.id == 0) {
        /* launches follow one another, so the state is written before the next launch reads it */
        if (hed_resident_load(g.mail) != MAIL_HAS_FAILED) hed_system_put(g.mail, MAIL_HAS_LEFT);
    }
}
