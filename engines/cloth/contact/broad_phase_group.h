/* Broad phase by work-groups of a device: overlaps of triangles, the list of pairs, and the
 * pairs of an iteration. After broad_phase.h and WG, the items of a group.
 *
 * On a GPU a descent of the tree waits for memory at each step, work items that find a pair wait
 * for items that do not, and a counter that all items increment is slower than the work it
 * counts. Therefore
 *
 *   - a group compares boxes of whole rows of the tree, one node for each item, with the cluster
 *     of the group: 128 clusters at once, then single clusters, then their leaves;
 *   - candidates that pass a cheap test go through a queue in local memory, from which each item
 *     takes one as soon as there is one for each item: vertices from one end, edges from the
 *     other, so that few warps have both;
 *   - a whole group reserves its slots of a list at once. */
#ifndef CLOTH_BROAD_PHASE_GROUP_H
#define CLOTH_BROAD_PHASE_GROUP_H

#define CONTACT_CLUSTER 16u /* leaves of a cluster, maximum */
#define CONTACT_SEEK_LEAVES \
    (2u * WG) /* leaves that are compared with the leaves of a cluster at once */
#define CONTACT_SEEK_TESTS (4u * WG) /* comparisons of leaves between two looks at the queue */
#define CONTACT_SEEK_CHUNKS 4u       /* chunks whose clusters are compared at once */
#define CONTACT_SEEK_NODES (2u * CONTACT_SEEK_CHUNKS * WG)

/* Local memory of a group that searches for overlaps. */
typedef struct contact_seek {
    float4 low[CONTACT_CLUSTER], high[CONTACT_CLUSTER]; /* boxes of the group's cluster; low.w: bits
                                                           of the first leaf that each may meet */
    float4 other_low[CONTACT_SEEK_LEAVES], other_high[CONTACT_SEEK_LEAVES]; /* low.w: bits of the
                                                                               leaf */
    contact_triangle triangles[CONTACT_CLUSTER], other_triangles[CONTACT_SEEK_LEAVES];
    contact_overlap queue[2u * CONTACT_SEEK_TESTS];
    uint chunks[WG], nodes[CONTACT_SEEK_NODES];
    uint convex[2u * CONTACT_CLUSTER]; /* nodes of the cluster, from 1 on: not 0 if one cannot meet
                                          itself */
    uint first_node; /* end of the highest node above the cluster that cannot meet itself, or 0 */
    uint chunk_count, node_count, other_count, queue_count, at;
} contact_seek;

/* Local memory of a group that tests pairs: queues of vertices (0) and edges (1). */
typedef struct contact_sift {
    uint queue[2][10u * WG];
    uint counts[2];
    uint requests, at; /* slots of a list */
} contact_sift;

#define CONTACT_KEPT (4u * WG) /* pairs of a group in local memory, maximum */

/* Local memory of a group in passes: its first pairs, with their planes, and the pairs that the pass
 * has weighed. Pair k of a group is its (k / WG)-th block's item k % WG. */
typedef struct contact_kept {
    contact_pair pairs[CONTACT_KEPT];
    contact_plane planes[CONTACT_KEPT];
    uint weighed[CONTACT_KEPT]; /* the first of them; further ones are in `marks` */
    uint weighed_count;
} contact_kept;

typedef union contact_local {
    contact_seek seek;
    contact_sift sift;
    contact_kept kept;
} contact_local;

/* ---- overlaps ---- */

CLOTH_FUNCTION uint contact_boxes_overlap(
    float4 low, float4 high, float4 other_low, float4 other_high)
{
    return !(other_low.x > high.x || low.x > other_high.x || other_low.y > high.y ||
             low.y > other_high.y || other_low.z > high.z || low.z > other_high.z);
}

/* Writes the queued overlaps. All items have met before. */
CLOTH_INLINE void contact_seek_write(CLOTH_LOCAL contact_seek *s, contact_find_view view)
{
    uint item = (uint)get_local_id(0), count = s->queue_count;
    if (item == 0) s->at = (uint)atomic_add(&view.counters->total.overlaps, (int)count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item, at = s->at; k < count; k += WG)
        if (at + k < 2u * view.params.capacity) view.overlaps[at + k] = s->queue[k];
    if (item == 0) s->queue_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Loads a cluster of `width` leaves, node `cluster` of a row of `row`: boxes and triangles of its
 * leaves, and the first leaves and clusters that may meet them. Ends of nodes that cannot meet
 * themselves grow from node to node upwards, so the largest counts. */
CLOTH_INLINE void contact_seek_open(
    CLOTH_LOCAL contact_seek *s, uint cluster, uint width, uint row, contact_find_view view)
{
    __global const float4 *boxes = view.boxes;
    uint item = (uint)get_local_id(0), top = row + cluster, leaf = cluster * width + item;
    barrier(CLK_LOCAL_MEM_FENCE); /* all items have read the cluster before */
    if (item == 0) s->first_node = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 32u && top >> item > 0 && boxes[2 * (top >> item)].w > 0.0f)
        atomic_max(&s->first_node, (((top >> item) + 1u) << item) - row);
    if (item > 0 && item < 2u * width) {
        uint level = 31u - clz(item), node = (top << level) + item - (1u << level);
        s->convex[item] = boxes[2 * node].w > 0.0f;
    }
    if (item < width) {
        s->low[item] = boxes[2 * (view.params.leaves + leaf)];
        s->high[item] = boxes[2 * (view.params.leaves + leaf) + 1];
        s->triangles[item] = view.triangles[leaf];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) {
        uint first = item + 1u, step = 1;
        for (uint node = width + item; node > 1u; node >>= 1, step *= 2)
            if (s->convex[node]) first = (node + 1u) * step - width;
        first += cluster * width;
        s->low[item].w = as_float(max(first, s->first_node * width));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Compares the leaves of up to CONTACT_SEEK_LEAVES / width of the clusters [first, last) of `nodes`
 * with the leaves of the group's cluster, whose box is low to high and whose leaves
 * begin at `cluster_leaf`. An item has one leaf of the group's cluster. */
CLOTH_INLINE void contact_seek_leaves(uint first, uint last, uint width, float4 low, float4 high,
    CLOTH_LOCAL contact_seek *s, uint cluster_leaf, contact_find_view view)
{
    __global const float4 *boxes = view.boxes;
    uint item = (uint)get_local_id(0), limit = CONTACT_SEEK_LEAVES / width, own = item % width;
    uint clusters = min(last - first, limit);
    for (uint k = item; k < clusters * width; k += WG) {
        uint leaf = s->nodes[first + k / width] * width + k % width,
             node = leaf + view.params.leaves;
        float4 l = boxes[2 * node], h = boxes[2 * node + 1];
        contact_triangle triangle = view.triangles[leaf];
        if (!contact_boxes_overlap(low, high, l, h)) continue;
        uint at = atomic_add(&s->other_count, 1u);
        l.w = as_float(leaf);
        s->other_low[at] = l;
        s->other_high[at] = h;
        s->other_triangles[at] = triangle;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tests = s->other_count * width;
    float4 own_low = s->low[own], own_high = s->high[own];
    for (uint begin = 0; begin < tests; begin += CONTACT_SEEK_TESTS) {
        uint end = min(tests, begin + CONTACT_SEEK_TESTS);
        for (uint k = begin + item; k < end; k += WG) {
            float4 other = s->other_low[k / width];
            contact_overlap overlap;
            overlap.leaf = cluster_leaf + own;
            overlap.other = as_uint(other.w);
            if (overlap.other < as_uint(own_low.w)) continue;
            if (!contact_boxes_overlap(own_low, own_high, other, s->other_high[k / width]))
                continue;
            if (!contact_candidates(s->triangles[own], s->other_triangles[k / width])) continue;
            s->queue[atomic_add(&s->queue_count, 1u)] = overlap;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s->queue_count > CONTACT_SEEK_TESTS) contact_seek_write(s, view);
        else barrier(CLK_LOCAL_MEM_FENCE); /* all items have read the count */
    }
    if (item == 0 && tests > 0) s->other_count = 0; /* after a barrier of the loop */
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Adds the clusters of `count` chunks, from the first-th of `chunks` on, that may meet the group's
 * cluster to `nodes`. Boxes of all chunks are loaded before the first is compared. */
CLOTH_INLINE void contact_seek_nodes(uint first, uint count, uint span, uint from, float4 low,
    float4 high, uint row, CLOTH_LOCAL contact_seek *s, __global const float4 *boxes)
{
    uint item = (uint)get_local_id(0), nodes[CONTACT_SEEK_CHUNKS];
    float4 lows[CONTACT_SEEK_CHUNKS], highs[CONTACT_SEEK_CHUNKS];
    for (uint c = 0; c < CONTACT_SEEK_CHUNKS; c++) {
        nodes[c] = s->chunks[first + min(c, count - 1u)] * span + min(item, span - 1u);
        lows[c] = boxes[2 * (row + nodes[c])];
        highs[c] = boxes[2 * (row + nodes[c]) + 1];
    }
    for (uint c = 0; c < CONTACT_SEEK_CHUNKS; c++)
        if (c < count && item < span && nodes[c] >= from &&
            contact_boxes_overlap(low, high, lows[c], highs[c]))
            s->nodes[atomic_add(&s->node_count, 1u)] = nodes[c];
}

/* Writes the overlaps of all leaves: 2 capacity is room for them. Nodes that cannot meet
 * themselves are skipped. If there is no room, all vertices are frozen, so the search ends: a
 * crowd in one place neither blocks the GPU nor makes the counter overflow. */
CLOTH_INLINE void contact_group_find(CLOTH_LOCAL contact_seek *s, contact_find_view view)
{
    __global const float4 *boxes = view.boxes;
    contact_params params = view.params;
    uint item = (uint)get_local_id(0);
    uint width = min(CONTACT_CLUSTER, params.leaves), row = params.leaves / width;
    uint span = min((uint)WG, row), chunks = row / span; /* clusters of a chunk */
    if (item == 0) s->chunk_count = s->node_count = s->other_count = s->queue_count = s->at = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint cluster = (uint)get_group_id(0); cluster < row; cluster += (uint)get_num_groups(0)) {
        float4 low = boxes[2 * (row + cluster)], high = boxes[2 * (row + cluster) + 1];
        contact_seek_open(s, cluster, width, row, view);
        uint from = max(cluster, s->first_node);
        for (uint first = from / span; first < chunks; first += WG) {
            uint chunk = first + item;
            if (chunk < chunks && contact_boxes_overlap(low, high, boxes[2 * (chunks + chunk)],
                                      boxes[2 * (chunks + chunk) + 1]))
                s->chunks[atomic_add(&s->chunk_count, 1u)] = chunk;
            barrier(CLK_LOCAL_MEM_FENCE);
            uint found = s->chunk_count;
            for (uint k = 0; k < found; k += CONTACT_SEEK_CHUNKS) {
                uint count = min(found - k, CONTACT_SEEK_CHUNKS);
                contact_seek_nodes(k, count, span, from, low, high, row, s, boxes);
                barrier(CLK_LOCAL_MEM_FENCE);
                uint nodes = s->node_count, is_last = k + count == found;
                barrier(CLK_LOCAL_MEM_FENCE); /* all items have read the count */
                if (!is_last && nodes + CONTACT_SEEK_CHUNKS * WG <= CONTACT_SEEK_NODES) continue;
                for (uint n = 0; n < nodes && s->at <= 2u * params.capacity;
                     n += CONTACT_SEEK_LEAVES / width)
                    contact_seek_leaves(n, nodes, width, low, high, s, cluster * width, view);
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
    if (s->queue_count > 0) contact_seek_write(s, view);
}

/* ---- queues ---- */

CLOTH_INLINE void contact_sift_open(CLOTH_LOCAL contact_sift *s)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) s->counts[0] = s->counts[1] = s->requests = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

CLOTH_FUNCTION void contact_sift_push(CLOTH_LOCAL contact_sift *s, uint edges, uint entry)
{
    s->queue[edges][atomic_add(&s->counts[edges], 1u)] = entry;
}

/* Takes one entry for each item from queues of `*vertices` and `*edges` entries. Returns 0 for
 * items without an entry. */
CLOTH_FUNCTION uint contact_sift_pop(
    CLOTH_LOCAL contact_sift *s, uint *vertices, uint *edges, uint *entry)
{
    uint item = (uint)get_local_id(0), has_entry = 0;
    uint from_vertices = min(*vertices, (uint)WG), from_edges = min(*edges, WG - from_vertices);
    if (item < from_vertices) {
        *entry = s->queue[0][*vertices - 1u - item];
        has_entry = 1u;
    } else if (item >= WG - from_edges) {
        *entry = s->queue[1][*edges - (WG - item)];
        has_entry = 1u;
    }
    *vertices -= from_vertices;
    *edges -= from_edges;
    return has_entry;
}

/* Stores the counts of both queues. All items have popped. */
CLOTH_INLINE void contact_sift_store(CLOTH_LOCAL contact_sift *s, uint vertices, uint edges)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        s->counts[0] = vertices;
        s->counts[1] = edges;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Returns a slot for each item that requests one; the group increments `counter` once. The count of
 * requests is cleared between two barriers of its own: compilers read it for all items where one
 * does. */
CLOTH_INLINE uint contact_sift_reserve(
    CLOTH_LOCAL contact_sift *s, uint request, __global int *counter)
{
    uint rank = request ? atomic_add(&s->requests, 1u) : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && s->requests > 0)
        s->at = (uint)atomic_add(counter, (int)s->requests);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint slot = s->at + rank;
    if (get_local_id(0) == 0) s->requests = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return slot;
}

/* ---- the list ---- */

typedef struct contact_box {
    float4 low, high;
} contact_box;

CLOTH_INLINE contact_box contact_box_of(contact_list_view view, uint particle)
{
    float4 from = view.start[particle], to = view.ahead[particle];
    contact_box box;
    box.low = contact_lower(from, to);
    box.high = contact_upper(from, to);
    return box;
}

CLOTH_INLINE contact_box contact_box_with(contact_box a, contact_box b)
{
    a.low = contact_lower(a.low, b.low);
    a.high = contact_upper(a.high, b.high);
    return a;
}

/* Bits of the boxes a, b, c that are nearer than `distance` to `box`. */
CLOTH_INLINE uint contact_boxes_near(
    contact_box box, contact_box a, contact_box b, contact_box c, float distance)
{
    return (contact_boxes_apart(box.low, box.high, a.low, a.high, distance) ? 0u : 1u) |
           (contact_boxes_apart(box.low, box.high, b.low, b.high, distance) ? 0u : 2u) |
           (contact_boxes_apart(box.low, box.high, c.low, c.high, distance) ? 0u : 4u);
}

/* Candidates of two triangles whose sides' boxes are near each other: bits as
 * contact_candidates(). */
CLOTH_INLINE uint contact_near_candidates(
    contact_triangle s, contact_triangle t, contact_list_view view, contact_params params)
{
    float limit = contact_near_gap(contact_reach(s.a, t.a, view), contact_listed_margins(params));
    contact_box a = contact_box_of(view, s.a), b = contact_box_of(view, s.b),
                c = contact_box_of(view, s.c);
    contact_box d = contact_box_of(view, t.a), e = contact_box_of(view, t.b),
                f = contact_box_of(view, t.c);
    contact_box de = contact_box_with(d, e), ef = contact_box_with(e, f),
                fd = contact_box_with(f, d);
    uint found = contact_boxes_near(contact_box_with(de, f), a, b, c, limit) |
                 contact_boxes_near(contact_box_with(contact_box_with(a, b), c), d, e, f, limit)
                     << 3 |
                 contact_boxes_near(contact_box_with(a, b), de, ef, fd, limit) << 6 |
                 contact_boxes_near(contact_box_with(b, c), de, ef, fd, limit) << 9 |
                 contact_boxes_near(contact_box_with(c, a), de, ef, fd, limit) << 12;
    return found & contact_candidates(s, t);
}

/* Lists the pairs of all overlaps that may meet while each vertex stays within `cover` of the
 * covered motion. */
CLOTH_INLINE void contact_group_list(CLOTH_LOCAL contact_sift *s,
    __global const contact_overlap *overlaps, contact_list_view view, contact_params params)
{
    uint count = contact_overlaps(view.counters, params), step = (uint)get_global_size(0);
    contact_sift_open(s);
    for (uint first = (uint)get_group_id(0) * WG; first < count; first += step) {
        uint k = first + (uint)get_local_id(0), last = count - first <= step;
        if (k < count) {
            uint bits = contact_near_candidates(
                view.triangles[overlaps[k].leaf], view.triangles[overlaps[k].other], view, params);
            CLOTH_ROLLED
            for (; bits; bits &= bits - 1u) {
                uint candidate = 31u - clz(bits & (0u - bits));
                contact_sift_push(s, candidate < 6u ? 0u : 1u, k << 4 | candidate);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint vertices = s->counts[0], edges = s->counts[1];
        while (vertices + edges >= WG || (last && vertices + edges > 0)) {
            uint entry = 0, request = 0;
            contact_pair pair;
            float reach = 0.0f, gap = 0.0f;
            if (contact_sift_pop(s, &vertices, &edges, &entry)) {
                contact_overlap overlap = overlaps[entry >> 4];
                contact_triangle a = view.triangles[overlap.leaf],
                                 b = view.triangles[overlap.other];
                pair = contact_candidate(entry & 15u, a, b);
                reach = contact_reach(a.a, b.a, view);
                gap = contact_gap_of(contact_ends_of(view.start, pair),
                    contact_ends_of(view.ahead, pair), hed_f4(0.0f, 0.0f, 0.0f, 0.0f),
                    contact_edges(pair))
                          .min_gap;
                request = !(gap >= contact_near_gap(reach, contact_listed_margins(params))) &&
                          contact_is_listed(pair, &reach, gap, view, params);
            }
            uint at = contact_sift_reserve(s, request, &view.counters->total.listed);
            if (request) contact_list_write(at, pair, reach, gap, view, params);
        }
        contact_sift_store(s, vertices, edges);
    }
}

/* ---- the pairs of a contact iteration ---- */

/* Writes the listed pairs, with their planes, that may meet while contacts push each vertex at most
 * `spare` off its motion. */
CLOTH_INLINE void contact_group_take(CLOTH_LOCAL contact_sift *s, contact_pair_view view,
    __global contact_counters *counters, contact_params params)
{
    uint count = contact_listed(counters, params), step = (uint)get_global_size(0);
    uint is_fresh = (uint)counters->iteration[params.slot].list_needed;
    contact_margins margins = contact_taken_margins(counters, params);
    float4 shift = contact_shift(counters, params);
    contact_sift_open(s);
    for (uint first = (uint)get_group_id(0) * WG; first < count; first += step) {
        uint k = first + (uint)get_local_id(0), last = count - first <= step;
        if (k < count) {
            contact_pair pair = view.list[k];
            if (!contact_is_far(pair, view.bounds[k], view.deviations, is_fresh, margins))
                contact_sift_push(s, contact_edges(pair) ? 1u : 0u, k);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint vertices = s->counts[0], edges = s->counts[1];
        while (vertices + edges >= WG || (last && vertices + edges > 0)) {
            uint entry = 0, request = 0;
            contact_pair pair;
            float reach = 0.0f;
            contact_gap gap;
            if (contact_sift_pop(s, &vertices, &edges, &entry)) {
                pair = view.list[entry];
                reach = view.bounds[entry].reach;
                contact_ends x = contact_ends_of(view.start, pair),
                             y = contact_ends_of(view.position, pair);
                uint kind = contact_edges(pair);
                float limit = contact_near_gap(reach, margins);
                if (!contact_sides_apart(x, y, shift, kind, limit)) {
                    gap = contact_gap_of(x, y, shift, kind);
                    request = !(gap.min_gap >= limit);
                }
            }
            uint at = contact_sift_reserve(s, request, &counters->iteration[params.slot].pairs);
            if (request) contact_pair_write(at, pair, reach, gap, view, params);
        }
        contact_sift_store(s, vertices, edges);
    }
}

#endif
