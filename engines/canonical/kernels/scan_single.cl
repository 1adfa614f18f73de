/* Prefix sums of n elements in one pass, 2 n words moved: out[i] = S(in, i + 1) by the rule of
 * heddle/tree.h.
 *
 * A group takes the next tile of TILE elements by a ticket, so that all tiles to its left have been
 * started; an item takes ROWS vectors of the tile, WG vectors apart. The tile's prefix sums are
 * computed by the rule: in vectors, between the items of a row, between rows. The sum of the tiles
 * to the left is then looked up (decoupled look-back; Merrill and Garland 2016), but not as one
 * running sum, which would be another order. Instead the nodes of the tree of tile sums are
 * published, on each LOOK-th level, by the group of the last tile below the node. For each digit of
 * LOOK bits of its tile's number, from the lowest on, a group reads the nodes to its left in the
 * same block, up to 2^LOOK - 1 of them at once, and computes the nodes of the levels between from
 * them. The path from a tile's own sum to any other tile has log2(tiles) / LOOK such steps.
 *
 * LANES: within a warp sums are passed by lane exchange. MERGE: the sums to the left are first
 * combined to one, added once; another order: not in strict mode. INTEGER: elements are uint.
 *
 * `workspace` is zeros before the first launch and unchanged between launches: 2 + 2 n / 1024
 * packets and a few. A packet is valid in the launch whose number it contains. */
#ifndef WG
#define WG 128
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef LOOK
#define LOOK 5
#endif
#ifndef LANES
#define LANES 1
#endif
#ifndef MERGE
#define MERGE 0
#endif
#ifndef INTEGER
#define INTEGER 0
#endif

#if INTEGER
#define ELEMENT uint
#define NEUTRAL 0u
#define TO_BITS(x) (x)
#define FROM_BITS(x) (x)
#else
#define ELEMENT float
#define NEUTRAL HED_TREE_NEUTRAL
#define TO_BITS(x) as_uint(x)
#define FROM_BITS(x) as_float(x)
#endif

/* Joins and splits the elements of a vector. */
#if VEC == 4 && INTEGER
#define VECTOR uint4
#define JOIN(from) hed_u4((from)[0], (from)[1], (from)[2], (from)[3])
#elif VEC == 4
#define VECTOR float4
#define JOIN(from) hed_f4((from)[0], (from)[1], (from)[2], (from)[3])
#elif VEC == 2 && INTEGER
#define VECTOR uint2
#define JOIN(from) hed_u2((from)[0], (from)[1])
#elif VEC == 2
#define VECTOR float2
#define JOIN(from) hed_f2((from)[0], (from)[1])
#else
#define VECTOR ELEMENT
#define JOIN(from) (from)[0]
#endif
#if VEC == 4
#define SPLIT(to, v) ((to)[0] = (v).x, (to)[1] = (v).y, (to)[2] = (v).z, (to)[3] = (v).w)
#elif VEC == 2
#define SPLIT(to, v) ((to)[0] = (v).x, (to)[1] = (v).y)
#else
#define SPLIT(to, v) ((to)[0] = (v))
#endif

#define ROW (WG * VEC)
#define TILE (ROWS * ROW)
#define TILE_BITS 22 /* bits of a tile's number: n < 2^32, TILE >= 1024 */
#define DIGITS ((TILE_BITS + LOOK - 1) / LOOK)
#define DIGIT_MASK ((1u << LOOK) - 1)
#define FIRST_NODE 2 /* first packet of the nodes, after the tickets and the launches */

/* ---- packets: a value and the number of the launch, read together or not at all ---- */

#if HED_HAS_PACKETS
static void put(__global uint4 *at, uint value, uint launch)
{
    hed_packet_put(at, hed_u4(value, 0, 0, launch));
}

static uint take(__global const uint4 *at, uint launch)
{
    uint4 packet;
    while (!hed_packet_wait(at, launch, UINT_MAX, &packet)) {}
    return packet.x;
}

#define LOAD_WORD(at) hed_packet_get(at).x
#define STORE_WORD(at, value) hed_packet_put(at, hed_u4(value, 0, 0, 0))
#else
/* Stores a byte of the value in each of four words, the launch in the bits above it: no order
 * between words is required. */
static void put(__global uint4 *at, uint value, uint launch)
{
    volatile __global uint *words = (volatile __global uint *)at;
    for (uint i = 0; i < 4; i++) atomic_xchg(words + i, launch << 8 | (value >> 8 * i & 255));
}

static uint take(__global uint4 *at, uint launch)
{
    volatile __global uint *words = (volatile __global uint *)at;
    uint value = 0;
    for (uint i = 0; i < 4; i++) {
        uint word;
        do word = atomic_or(words + i, 0u);
        while (word >> 8 != (launch & 0xffffff));
        value |= (word & 255) << 8 * i;
    }
    return value;
}

#define LOAD_WORD(at) atomic_or((volatile __global uint *)(at), 0u)
#define STORE_WORD(at, value) atomic_xchg((volatile __global uint *)(at), value)
#endif

/* Assigns the group its tile and the launch's number, from 1. Each launch adds 2^TILE_BITS to the
 * tickets, so they begin at 0 again, and their high bits are the low bits of the number of
 * launches. The group with the last ticket counts the launch, while others may still be about to
 * read the count: the bits of the ticket show if they read it before or after. */
static void draw(__global uint4 *workspace, uint tiles, __local uint *drawn)
{
    volatile __global uint *tickets = (volatile __global uint *)workspace;
    uint seen = LOAD_WORD(workspace + 1), ticket = atomic_inc(tickets);
    uint launches = seen - ((seen - (ticket >> TILE_BITS)) & ((1u << (32 - TILE_BITS)) - 1));
    uint tile = ticket & ((1u << TILE_BITS) - 1);
    if (tile == tiles - 1) {
        atomic_add(tickets, (1u << TILE_BITS) - tiles);
        STORE_WORD(workspace + 1, launches + 1);
    }
    drawn[0] = tile;
    drawn[1] = launches + 1;
}

/* Returns the position of node `index` of a digit's level; the levels are stored one after
 * another. */
static __global uint4 *place(__global uint4 *workspace, uint tiles, uint digit, uint index)
{
    workspace += FIRST_NODE + index;
    for (; digit > 0; digit--) {
        workspace += tiles;
        tiles >>= LOOK;
    }
    return workspace;
}

/* ---- between items ---- */

#if LANES && HED_HAS_LANES
#define LANE_WIDTH 32
#else
#define LANE_WIDTH 1
#endif
#define SLOTS (WG / LANE_WIDTH)
#define ROOM (SLOTS * ROWS)

/* Sets others[i] to values[i] of the item whose number differs in the bit `mask`, i < COUNT. For
 * masks beyond the width of the exchanged lanes, all these lanes have the same values, and pass
 * them through `room`, its two halves in turn: no item overwrites a value that a slower one still
 * reads from the last exchange. */
#if LANES && HED_HAS_LANES
#define BY_LANES(COUNT, values, others, mask) \
    if ((mask) < LANE_WIDTH) { \
        _Pragma("unroll") for (uint i = 0; i < (COUNT); i++) others[i] = \
            hed_lane_xor(values[i], mask); \
    } else
#else
#define BY_LANES(COUNT, values, others, mask)
#endif
#define EXCHANGE(COUNT, values, others, mask) \
    BY_LANES(COUNT, values, others, mask) \
    { \
        __local ELEMENT *half_room = room + (popcount((mask)-1) % 2) * ROOM; \
        _Pragma("unroll") for (uint i = 0; i < (COUNT); i++) if (item % LANE_WIDTH == 0) \
            half_room[i * SLOTS + item / LANE_WIDTH] = values[i]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        _Pragma("unroll") for (uint i = 0; i < (COUNT); i++) others[i] = \
            half_room[i * SLOTS + (item ^ (mask)) / LANE_WIDTH]; \
    }

/* Copies the value of item `from` to `to`, which the first item reads after the next exchange. */
#if LANES && HED_HAS_LANES
#define KEEP(to, value, from) \
    do { \
        ELEMENT kept = hed_lane_shuffle(value, from); \
        if (item == 0) to = kept; \
    } while (0)
#else
#define KEEP(to, value, from) \
    do { \
        if (item == (from)) to = value; \
    } while (0)
#endif

/* The look-back: left[k] becomes the sum of the 2^k tiles to the left of the block of 2^k that
 * contains this tile, for each bit k of its number; `total` is the tile's own sum. Digit by digit,
 * so that a node only waits for the nodes that it consists of: it is published as soon as the
 * digits below it are done. With lanes the first warp does all of it, without a barrier. */
static void look_back(__global uint4 *workspace, uint tiles, uint tile, uint launch, uint item,
    ELEMENT total, __local ELEMENT *room, __local ELEMENT *left)
{
    ELEMENT node[1], beside[1];
    if (item == 0) put(place(workspace, tiles, 0, tile), TO_BITS(total), launch);
#if LANE_WIDTH == 1
    /* separates the last use of `room` above from the first one below */
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    if (item < LANE_WIDTH)
#endif
    {
        uint last = 1; /* 1: this is the last tile below the node that `total` grows to */
        for (uint digit = 0; tile >> digit * LOOK != 0; digit++) {
            uint here = tile >> digit * LOOK;
            node[0] = NEUTRAL;
            if (item < (here & DIGIT_MASK))
                node[0] = FROM_BITS(
                    take(place(workspace, tiles, digit, (here & ~DIGIT_MASK) + item), launch));
#pragma unroll
            for (uint level = 0; level < LOOK; level++) {
                uint block = (here & DIGIT_MASK) >> level;
                if (block & 1) KEEP(left[digit * LOOK + level], node[0], (block - 1) << level);
                EXCHANGE(1, node, beside, 1u << level)
                node[0] = node[0] + beside[0];
            }
            if (item == 0) {
                for (uint level = 0; level < LOOK && last; level++) {
                    last = here >> level & 1;
                    if (last) total = left[digit * LOOK + level] + total;
                }
                if (last)
                    put(place(workspace, tiles, digit + 1, here >> LOOK), TO_BITS(total), launch);
            }
#if LANE_WIDTH == 1
            /* The next digit's first exchange uses the half of `room` that this one's last exchange
             * used. */
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
    }
}

/* Adds `left` to the item's elements of row r, or to the carry that is added later. */
#if MERGE
#define PREPEND(r, left) carry[r] = (left) + carry[r]
#else
#define PREPEND(r, left) \
    _Pragma("unroll") for (uint e = 0; e < VEC; e++) x[(r)*VEC + e] = (left) + x[(r)*VEC + e]
#endif

__kernel void scan_single(__global const ELEMENT *restrict in, __global ELEMENT *restrict out,
    __global uint4 *workspace, uint n)
{
    HED_LOCAL_ARRAY(uint, drawn, 2);
    HED_LOCAL_ARRAY(ELEMENT, room, 2 * ROOM);
    HED_LOCAL_ARRAY(ELEMENT, left, DIGITS * LOOK);
    uint item = (uint)get_local_id(0), tiles = (n - 1) / TILE + 1;
    if (item == 0) draw(workspace, tiles, drawn);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tile = drawn[0], launch = drawn[1], rest = n - tile * TILE;
    int whole = rest >= TILE;
    in += tile * TILE;
    out += tile * TILE;

    ELEMENT x[ROWS * VEC], sum[ROWS], other[ROWS];
#if MERGE
    ELEMENT carry[ROWS];
#pragma unroll
    for (uint r = 0; r < ROWS; r++) carry[r] = NEUTRAL;
#endif
    if (whole) {
        __global const VECTOR *from = (__global const VECTOR *)in + item;
        VECTOR vector[ROWS];
#pragma unroll
        for (uint r = 0; r < ROWS; r++) vector[r] = from[r * WG];
#pragma unroll
        for (uint r = 0; r < ROWS; r++) SPLIT(x + r * VEC, vector[r]);
    } else {
#pragma unroll
        for (uint i = 0; i < ROWS * VEC; i++) {
            uint at = i / VEC * ROW + item * VEC + i % VEC;
            x[i] = at < rest ? in[at] : NEUTRAL;
        }
    }

    /* vectors first; then of two neighbouring blocks of 1, 2, 4.. items the right one adds the left
     * one's sum */
#pragma unroll
    for (uint level = 1; level < VEC; level *= 2)
#pragma unroll
        for (uint i = 0; i < ROWS * VEC; i++)
            if (i & level) x[i] = x[(i & ~(level - 1)) - 1] + x[i];
#pragma unroll
    for (uint r = 0; r < ROWS; r++) sum[r] = x[r * VEC + VEC - 1];
#pragma unroll
    for (uint items = 1; items < WG; items *= 2) {
        EXCHANGE(ROWS, sum, other, items)
#pragma unroll
        for (uint r = 0; r < ROWS; r++) {
            if (item & items) {
                PREPEND(r, other[r]);
            }
            sum[r] = sum[r] + other[r];
        }
    }
    /* rows last, whose sums every item has */
#pragma unroll
    for (uint level = 1; level < ROWS; level *= 2)
#pragma unroll
        for (uint r = 0; r < ROWS; r++)
            if (r & level) {
                ELEMENT before = sum[(r & ~(level - 1)) - 1];
                PREPEND(r, before);
                sum[r] = before + sum[r];
            }

    look_back(workspace, tiles, tile, launch, item, sum[ROWS - 1], room, left);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; tile >> k != 0; k++)
        if (tile >> k & 1) {
            ELEMENT before = left[k];
#pragma unroll
            for (uint r = 0; r < ROWS; r++) PREPEND(r, before);
        }

#if MERGE
#pragma unroll
    for (uint i = 0; i < ROWS * VEC; i++) x[i] = carry[i / VEC] + x[i];
#endif
    if (whole) {
        __global VECTOR *to = (__global VECTOR *)out + item;
#pragma unroll
        for (uint r = 0; r < ROWS; r++) to[r * WG] = JOIN(x + r * VEC);
    } else {
#pragma unroll
        for (uint i = 0; i < ROWS * VEC; i++) {
            uint at = i / VEC * ROW + item * VEC + i % VEC;
            if (at < rest) out[at] = x[i];
        }
    }
}
