/* What work-groups of a device do together to find the pairs of cloth: triangles whose boxes overlap,
 * the list that comes of them, and the pairs of a substep. After broad_phase.h and WG, the items of
 * a group. Natively broad_phase_cpu.h does the same.
 *
 * On a GPU a way down a tree waits for memory at each step, work items that find something wait for
 * those that do not, and a counter that all of them ask is slower than what it counts. So
 *
 *   - a group compares boxes of whole rows of the tree, an item for each: of 128 clusters at once,
 *     then of single clusters, then of the leaves in those, with those of a cluster of its own;
 *   - what passes a cheap test goes through a queue in local memory, from which each item takes one
 *     when there is one for each: vertices from one end, edges from the other, so that few warps have
 *     both;
 *   - places in lists are given to a whole group at a time. */
#ifndef CLOTH_CONTACT_GROUPS_H
#define CLOTH_CONTACT_GROUPS_H

#define CLOTH_CLUSTER 16u           /* leaves of a cluster, at most */
#define CLOTH_SEEK_OTHERS (2u * WG) /* leaves that are compared with those of a cluster at once */
#define CLOTH_SEEK_TESTS \
    (4u * WG) /* of which so many are tested before what was found is written */

/* Of a group that looks for triangles near each other. */
typedef struct cloth_seek {
    float4 low[CLOTH_CLUSTER], high[CLOTH_CLUSTER]; /* boxes; in w of low the bits of the first leaf
                                                       that each may meet */
    float4 other_low[CLOTH_SEEK_OTHERS], other_high[CLOTH_SEEK_OTHERS]; /* in w of low bits of the
                                                                           leaf */
    uint2 queue[2u * CLOTH_SEEK_TESTS];
    uint chunks[WG], nodes[WG];
    uint chunk_count, node_count, other_count, queue_count, at;
} cloth_seek;

/* Of a group that goes through pairs: queues of what is left of them, vertices and edges. */
typedef struct cloth_sift {
    uint queue[2][10u * WG];
    uint counts[2];
    uint wanted, at; /* places in a list */
} cloth_sift;

typedef union cloth_room {
    cloth_seek seek;
    cloth_sift sift;
} cloth_room;

/* ---- triangles that are near each other ---- */

CLOTH_FUNCTION uint cloth_overlap(float4 low, float4 high, float4 its_low, float4 its_high)
{
    return !(its_low.x > high.x || low.x > its_high.x || its_low.y > high.y || low.y > its_high.y ||
             its_low.z > high.z || low.z > its_high.z);
}

/* Writes what was found. All have met before. */
CLOTH_INLINE void cloth_seek_write(
    CLOTH_LOCAL cloth_seek *s, __global uint2 *near, __global int *counters, cloth_pairs pairs)
{
    uint item = (uint)get_local_id(0), count = s->queue_count;
    if (item == 0) s->at = (uint)atomic_add(counters + CLOTH_PAIRS_NEAR, (int)count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item, at = s->at; k < count; k += WG)
        if (at + k < 2u * pairs.capacity) near[at + k] = s->queue[k];
    if (item == 0) s->queue_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Compares the leaves of up to CLOTH_SEEK_OTHERS / width of the clusters found, from the first on,
 * with those of the group's own, which are in the box from low to high. */
CLOTH_INLINE void cloth_seek_leaves(uint first, uint width, float4 low, float4 high,
    CLOTH_LOCAL cloth_seek *s, __global const float4 *boxes, __global const uint4 *corners,
    uint own, __global uint2 *near, __global int *counters, cloth_pairs pairs)
{
    uint item = (uint)get_local_id(0), most = CLOTH_SEEK_OTHERS / width;
    uint clusters = min(s->node_count - first, most);
    for (uint k = item; k < clusters * width; k += WG) {
        uint leaf = s->nodes[first + k / width] * width + k % width, node = leaf + pairs.leaves;
        float4 l = boxes[2 * node], h = boxes[2 * node + 1];
        if (!cloth_overlap(low, high, l, h)) continue;
        uint at = atomic_add(&s->other_count, 1u);
        l.w = as_float(leaf);
        s->other_low[at] = l;
        s->other_high[at] = h;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tests = s->other_count * width;
    for (uint begin = 0; begin < tests; begin += CLOTH_SEEK_TESTS) {
        uint end = min(tests, begin + CLOTH_SEEK_TESTS);
        for (uint k = begin + item; k < end; k += WG) {
            float4 l = s->low[k % width], other = s->other_low[k / width];
            uint leaf = as_uint(other.w);
            if (leaf < as_uint(l.w)) continue;
            if (!cloth_overlap(l, s->high[k % width], other, s->other_high[k / width])) continue;
            if (!cloth_candidates(corners[own + k % width], corners[leaf])) continue;
            s->queue[atomic_add(&s->queue_count, 1u)] = hed_u2(own + k % width, leaf);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s->queue_count > CLOTH_SEEK_TESTS) cloth_seek_write(s, near, counters, pairs);
        else barrier(CLK_LOCAL_MEM_FENCE); /* all have read the count */
    }
    if (item == 0) s->other_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Puts triangles whose boxes overlap into `near`, which has room for two for each pair of a substep.
 * Nothing is noted within a node in which nothing meets. Where there is no room all stand, so a crowd
 * in one place ends the search: it neither holds the GPU up nor makes the counter start anew. */
CLOTH_INLINE void cloth_group_find(CLOTH_LOCAL cloth_seek *s, __global const float4 *boxes,
    __global const uint4 *corners, __global uint2 *near, __global int *counters, cloth_pairs pairs)
{
    uint item = (uint)get_local_id(0);
    uint width = min(CLOTH_CLUSTER, pairs.leaves), row = pairs.leaves / width;
    uint span = min((uint)WG, row), chunks = row / span; /* clusters of a chunk */
    if (item == 0) s->chunk_count = s->node_count = s->other_count = s->queue_count = s->at = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint cluster = (uint)get_group_id(0); cluster < row; cluster += (uint)get_num_groups(0)) {
        float4 low = boxes[2 * (row + cluster)], high = boxes[2 * (row + cluster) + 1];
        uint from = cloth_pairs_behind(boxes, row + cluster, row), own = cluster * width;
        if (item < width) {
            uint node = pairs.leaves + own + item;
            uint behind = cloth_pairs_behind(boxes, node, pairs.leaves);
            float4 l = boxes[2 * node];
            l.w = as_float(behind > own + item ? behind : own + item + 1u);
            s->low[item] = l;
            s->high[item] = boxes[2 * node + 1];
        }
        for (uint first = from / span; first < chunks; first += WG) {
            uint chunk = first + item;
            if (chunk < chunks && cloth_overlap(low, high, boxes[2 * (chunks + chunk)],
                                      boxes[2 * (chunks + chunk) + 1]))
                s->chunks[atomic_add(&s->chunk_count, 1u)] = chunk;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < s->chunk_count; k++) {
                uint node = s->chunks[k] * span + item;
                if (item < span && node >= from &&
                    cloth_overlap(low, high, boxes[2 * (row + node)], boxes[2 * (row + node) + 1]))
                    s->nodes[atomic_add(&s->node_count, 1u)] = node;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint n = 0; n < s->node_count && s->at <= 2u * pairs.capacity;
                     n += CLOTH_SEEK_OTHERS / width)
                    cloth_seek_leaves(
                        n, width, low, high, s, boxes, corners, own, near, counters, pairs);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item == 0) s->node_count = 0;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item == 0) s->chunk_count = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s->queue_count > 0) cloth_seek_write(s, near, counters, pairs);
}

/* ---- queues ---- */

CLOTH_INLINE void cloth_sift_open(CLOTH_LOCAL cloth_sift *s)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) s->counts[0] = s->counts[1] = s->wanted = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

CLOTH_FUNCTION void cloth_sift_push(CLOTH_LOCAL cloth_sift *s, uint edges, uint what)
{
    s->queue[edges][atomic_add(&s->counts[edges], 1u)] = what;
}

/* One for each item, of so many, or 0. `what`: what was put in. */
CLOTH_FUNCTION uint cloth_sift_pop(
    CLOTH_LOCAL cloth_sift *s, uint *vertices, uint *edges, uint *what)
{
    uint item = (uint)get_local_id(0), has = 0;
    uint ends = min(*vertices, (uint)WG), sides = min(*edges, WG - ends);
    if (item < ends) {
        *what = s->queue[0][*vertices - 1u - item];
        has = 1u;
    } else if (item >= WG - sides) {
        *what = s->queue[1][*edges - (WG - item)];
        has = 1u;
    }
    *vertices -= ends;
    *edges -= sides;
    return has;
}

/* What is left in the queues. All have popped. */
CLOTH_FUNCTION void cloth_sift_keep(CLOTH_LOCAL cloth_sift *s, uint vertices, uint edges)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        s->counts[0] = vertices;
        s->counts[1] = edges;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A place for each item that wants one, from a counter that the group asks once. What it counts in is
 * emptied between two barriers of its own: compilers read it for all items where one does. */
CLOTH_INLINE uint cloth_sift_place(CLOTH_LOCAL cloth_sift *s, uint wants, __global int *counter)
{
    uint rank = wants ? atomic_add(&s->wanted, 1u) : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && s->wanted > 0) s->at = (uint)atomic_add(counter, (int)s->wanted);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = s->at + rank;
    if (get_local_id(0) == 0) s->wanted = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return place;
}

/* ---- the list ---- */

typedef struct cloth_box {
    float4 low, high;
} cloth_box;

CLOTH_INLINE cloth_box cloth_box_of(cloth_pairs_view view, uint particle)
{
    float4 from = view.start[particle], to = view.ahead[particle];
    cloth_box box;
    box.low = cloth_lower(from, to);
    box.high = cloth_upper(from, to);
    return box;
}

CLOTH_INLINE cloth_box cloth_box_with(cloth_box a, cloth_box b)
{
    a.low = cloth_lower(a.low, b.low);
    a.high = cloth_upper(a.high, b.high);
    return a;
}

/* Which of three boxes are nearer than that to one, a bit for each. */
CLOTH_INLINE uint cloth_boxes_near(
    cloth_box one, cloth_box a, cloth_box b, cloth_box c, float distance)
{
    return (cloth_boxes_apart(one.low, one.high, a.low, a.high, distance) ? 0u : 1u) |
           (cloth_boxes_apart(one.low, one.high, b.low, b.high, distance) ? 0u : 2u) |
           (cloth_boxes_apart(one.low, one.high, c.low, c.high, distance) ? 0u : 4u);
}

/* Pairs of two triangles of which the sides' boxes are near each other: see cloth_candidates(). */
CLOTH_INLINE uint cloth_pairs_candidates_near(
    uint4 one, uint4 two, cloth_pairs_view view, cloth_pairs pairs)
{
    float keep = cloth_pairs_reach(one.x, two.x, view) + 2.0f * cloth_around(pairs);
    cloth_box a = cloth_box_of(view, one.x), b = cloth_box_of(view, one.y),
              c = cloth_box_of(view, one.z);
    cloth_box d = cloth_box_of(view, two.x), e = cloth_box_of(view, two.y),
              f = cloth_box_of(view, two.z);
    cloth_box de = cloth_box_with(d, e), ef = cloth_box_with(e, f), fd = cloth_box_with(f, d);
    uint found = cloth_boxes_near(cloth_box_with(de, f), a, b, c, keep) |
                 cloth_boxes_near(cloth_box_with(cloth_box_with(a, b), c), d, e, f, keep) << 3 |
                 cloth_boxes_near(cloth_box_with(a, b), de, ef, fd, keep) << 6 |
                 cloth_boxes_near(cloth_box_with(b, c), de, ef, fd, keep) << 9 |
                 cloth_boxes_near(cloth_box_with(c, a), de, ef, fd, keep) << 12;
    return found & cloth_candidates(one, two);
}

/* Lists all pairs of triangles that are near each other whose sides can come nearer than what they
 * keep while each vertex stays within `cover` of its way. */
CLOTH_INLINE void cloth_group_list(
    CLOTH_LOCAL cloth_sift *s, __global const uint2 *near, cloth_pairs_view view, cloth_pairs pairs)
{
    uint count = cloth_pairs_near(view.counters, pairs), step = (uint)get_global_size(0);
    cloth_sift_open(s);
    for (uint first = (uint)get_group_id(0) * WG; first < count; first += step) {
        uint k = first + (uint)get_local_id(0), last = count - first <= step;
        if (k < count) {
            uint left = cloth_pairs_candidates_near(
                view.corners[near[k].x], view.corners[near[k].y], view, pairs);
            CLOTH_ROLLED
            for (; left; left &= left - 1u) {
                uint which = 31u - clz(left & (0u - left));
                cloth_sift_push(s, which < 6u ? 0u : 1u, k << 4 | which);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint vertices = s->counts[0], edges = s->counts[1];
        while (vertices + edges >= WG || (last && vertices + edges > 0)) {
            uint what = 0, wants = 0;
            uint4 pair;
            float reach = 0.0f, apart = 0.0f;
            if (cloth_sift_pop(s, &vertices, &edges, &what)) {
                uint4 one = view.corners[near[what >> 4].x], two = view.corners[near[what >> 4].y];
                pair = cloth_candidate(what & 15u, one, two);
                reach = cloth_pairs_reach(one.x, two.x, view);
                apart =
                    cloth_pair_gap(cloth_ends_of(view.start, pair), cloth_ends_of(view.ahead, pair),
                        hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pair.x & CLOTH_PAIR_EDGES)
                        .apart;
                wants = !(apart >= reach + 2.0f * cloth_around(pairs)) &&
                        cloth_pairs_keeps(pair, &reach, apart, view, pairs);
            }
            uint at = cloth_sift_place(s, wants, view.counters + CLOTH_PAIRS_LISTED);
            if (wants) cloth_pairs_note(at, pair, reach, apart, view, pairs);
        }
        cloth_sift_keep(s, vertices, edges);
    }
}

/* ---- the pairs of a substep ---- */

/* What the pairs of a substep are taken from and put to. */
typedef struct cloth_pairs_taking {
    __global const uint4 *list;
    __global const uint2 *kept;
    __global const float *offs;
    __global const float4 *start, *position, *rests, *bodies;
    __global uint4 *found;
    __global float4 *planes;
} cloth_pairs_taking;

/* Takes all pairs of the list, with their planes, whose sides can come nearer than what they keep
 * while contacts push each vertex at most `spare` off its way. */
CLOTH_INLINE void cloth_group_take(
    CLOTH_LOCAL cloth_sift *s, cloth_pairs_taking t, __global int *counters, cloth_pairs pairs)
{
    uint count = cloth_pairs_listed(counters, pairs), step = (uint)get_global_size(0);
    uint made = (uint)counters[pairs.bank + CLOTH_PAIRS_NEED];
    float room = cloth_pair_room(counters, pairs);
    float4 shift = cloth_pair_shift(counters, pairs);
    cloth_sift_open(s);
    for (uint first = (uint)get_group_id(0) * WG; first < count; first += step) {
        uint k = first + (uint)get_local_id(0), last = count - first <= step;
        if (k < count) {
            uint4 pair = t.list[k];
            if (!cloth_pair_stays(pair, t.kept[k], t.offs, made, room))
                cloth_sift_push(s, pair.x & CLOTH_PAIR_EDGES ? 1u : 0u, k);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint vertices = s->counts[0], edges = s->counts[1];
        while (vertices + edges >= WG || (last && vertices + edges > 0)) {
            uint what = 0, wants = 0;
            uint4 pair;
            float reach = 0.0f;
            cloth_gap between;
            if (cloth_sift_pop(s, &vertices, &edges, &what)) {
                pair = t.list[what];
                reach = as_float(t.kept[what].x);
                cloth_ends x = cloth_ends_of(t.start, pair), y = cloth_ends_of(t.position, pair);
                uint sides = pair.x & CLOTH_PAIR_EDGES;
                if (!cloth_sides_apart(x, y, shift, sides, reach + room)) {
                    between = cloth_pair_gap(x, y, shift, sides);
                    wants = !(between.apart >= reach + room);
                }
            }
            uint at = cloth_sift_place(s, wants, counters + pairs.bank + CLOTH_PAIRS_COUNT);
            if (wants)
                cloth_pairs_put(
                    at, pair, reach, between, t.rests, t.bodies, t.found, t.planes, pairs);
        }
        cloth_sift_keep(s, vertices, edges);
    }
}

#endif
