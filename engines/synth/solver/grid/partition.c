/* Partition of a network into groups of nearly equal size with few springs between them:
 * recursive bisection of the bodies' positions, which divides regular lattices into boxes. If
 * this cuts many springs, because springs join distant bodies, METIS (multilevel k-way) is
 * tried, if it was built in, and used if it cuts fewer. */
#include "solver/grid/grid.h"

#ifdef SYNTH_METIS
#include <metis.h>
#endif

/* ---- bisection of places ---- */

enum { KEY_STEPS = 1 << 20, DEEPEST = 64 };

/* Bodies in order, by integer keys: positions that differ only by rounding have equal keys. */
typedef struct bisection {
    uint32_t *order;
    int32_t *keys; /* (count x 3) */
} bisection;

static bool before(const bisection *b, uint32_t axis, uint32_t p, uint32_t q)
{
    for (uint32_t k = 0; k < 3; k++) {
        int32_t x = b->keys[3 * p + (axis + k) % 3], y = b->keys[3 * q + (axis + k) % 3];
        if (x != y) return x < y;
    }
    return p < q;
}

static void partition_exchange(uint32_t *a, uint32_t *b)
{
    uint32_t temporary = *a;
    *a = *b;
    *b = temporary;
}

/* Quickselect: moves the bodies that belong before `middle` of [low, high) there. */
static void select_middle(bisection *b, uint32_t axis, uint32_t low, uint32_t high, uint32_t middle)
{
    while (high - low > 2) {
        uint32_t centre = low + (high - low) / 2, last = high - 1;
        if (before(b, axis, b->order[centre], b->order[low]))
            partition_exchange(&b->order[centre], &b->order[low]);
        if (before(b, axis, b->order[last], b->order[low]))
            partition_exchange(&b->order[last], &b->order[low]);
        if (before(b, axis, b->order[last], b->order[centre]))
            partition_exchange(&b->order[last], &b->order[centre]);
        uint32_t pivot = b->order[centre], i = low, j = last;
        for (;;) {
            while (before(b, axis, b->order[i], pivot)) i++;
            while (before(b, axis, pivot, b->order[j])) j--;
            if (i >= j) break;
            partition_exchange(&b->order[i++], &b->order[j--]);
        }
        if (middle <= j) high = j + 1;
        else low = j + 1;
    }
    if (high - low == 2 && before(b, axis, b->order[high - 1], b->order[low]))
        partition_exchange(&b->order[low], &b->order[high - 1]);
}

static uint32_t longest_axis(const bisection *b, uint32_t low, uint32_t high)
{
    int32_t low_keys[3] = {INT32_MAX, INT32_MAX, INT32_MAX},
            high_keys[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t i = low; i < high; i++)
        for (uint32_t k = 0; k < 3; k++) {
            int32_t key = b->keys[3 * b->order[i] + k];
            if (key < low_keys[k]) low_keys[k] = key;
            if (key > high_keys[k]) high_keys[k] = key;
        }
    uint32_t axis = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (high_keys[k] - low_keys[k] > high_keys[axis] - low_keys[axis]) axis = k;
    return axis;
}

/* Converts positions to integers along the longest extent of all; rounding errors are far below
 * one step. */
static void fill_keys(const synth_network *network, bisection *b)
{
    const hed_synth_body_def *bodies = network->instrument->bodies;
    double lowest[3] = {1e300, 1e300, 1e300}, extent = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        double highest = -1e300;
        for (uint32_t i = 0; i < network->count; i++) {
            double x = bodies[network->body[i]].position[k];
            if (x < lowest[k]) lowest[k] = x;
            if (x > highest) highest = x;
        }
        if (highest - lowest[k] > extent) extent = highest - lowest[k];
    }
    double scale = extent > 0.0 ? KEY_STEPS / extent : 0.0;
    for (uint32_t i = 0; i < network->count; i++) {
        b->order[i] = i;
        for (uint32_t k = 0; k < 3; k++)
            b->keys[3 * i + k] =
                (int32_t)((bodies[network->body[i]].position[k] - lowest[k]) * scale + 0.5);
    }
}

static void bisect(bisection *b, uint32_t count, uint32_t groups, uint32_t *group_of)
{
    struct {
        uint32_t low, high, first, groups;
    } stack[DEEPEST] = {{0, count, 0, groups}};
    for (uint32_t depth = 1; depth > 0;) {
        uint32_t low = stack[--depth].low, high = stack[depth].high, first = stack[depth].first,
                 parts = stack[depth].groups;
        if (parts == 1) {
            for (uint32_t i = low; i < high; i++) group_of[b->order[i]] = first;
            continue;
        }
        uint32_t half = parts / 2, middle = low + (uint32_t)((uint64_t)(high - low) * half / parts);
        select_middle(b, longest_axis(b, low, high), low, high, middle);
        stack[depth].low = low, stack[depth].high = middle, stack[depth].first = first,
        stack[depth++].groups = half;
        stack[depth].low = middle, stack[depth].high = high, stack[depth].first = first + half,
        stack[depth++].groups = parts - half;
    }
}

/* ---- METIS ---- */

#ifdef SYNTH_METIS
enum { FEW_CUT = 16 /* reciprocal of the fraction of cut springs above which METIS is tried */ };

/* Partitions by METIS. False: METIS failed, or exceeded `most`. */
static bool by_metis(const synth_network *network, uint32_t groups, uint32_t max_size, idx_t *begin,
    idx_t *other, idx_t *part, uint32_t *sizes)
{
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)network->count, constraints = 1,
                                   parts = (idx_t)groups, edge_cut, edges = 0;
    for (uint32_t i = 0; i < network->count; i++) {
        begin[i] = edges;
        for (uint32_t e = network->begin[i]; e < network->begin[i + 1]; e++)
            if (network->other[e] != SYNTH_ANCHORED && network->other[e] != i)
                other[edges++] = (idx_t)network->other[e];
    }
    begin[network->count] = edges;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_UFACTOR] = 10;
    double slack = ((double)max_size * groups / network->count - 1.0) * 1000.0;
    if (slack < 10.0) options[METIS_OPTION_UFACTOR] = slack < 1.0 ? 1 : (idx_t)slack;
    if (METIS_PartGraphKway(&vertices, &constraints, begin, other, NULL, NULL, NULL, &parts, NULL,
            NULL, options, &edge_cut, part) != METIS_OK)
        return false;
    memset(sizes, 0, groups * sizeof *sizes);
    for (uint32_t i = 0; i < network->count; i++)
        if (++sizes[part[i]] > max_size) return false;
    return true;
}

/* Counts springs between groups, each twice. */
static uint64_t cut_of(const synth_network *network, const uint32_t *group_of)
{
    uint64_t edge_cut = 0;
    for (uint32_t i = 0; i < network->count; i++)
        for (uint32_t e = network->begin[i]; e < network->begin[i + 1]; e++)
            edge_cut +=
                network->other[e] != SYNTH_ANCHORED && group_of[network->other[e]] != group_of[i];
    return edge_cut;
}

/* Replaces the partition by that of METIS if it is better; out of memory, the partition stays. */
static void improve(
    const synth_network *network, uint32_t groups, uint32_t max_size, uint32_t *group_of)
{
    _Static_assert(sizeof(idx_t) == sizeof(uint32_t), "METIS with 32-bit indices");
    uint64_t edge_cut = cut_of(network, group_of);
    if (edge_cut * FEW_CUT <= network->entries) return;
    hed_arena scratch = {.allocator = network->arena.allocator};
    idx_t *begin = hed_arena_new(&scratch, network->count + 1ull, sizeof *begin, NULL),
          *other = hed_arena_new(&scratch, network->entries, sizeof *other, NULL);
    uint32_t *sizes = hed_arena_new(&scratch, groups, sizeof *sizes, NULL),
             *part = hed_arena_new(&scratch, network->count, sizeof *part, NULL);
    if (begin && other && sizes && part &&
        by_metis(network, groups, max_size, begin, other, (idx_t *)part, sizes) &&
        cut_of(network, part) < edge_cut)
        memcpy(group_of, part, network->count * sizeof *part);
    hed_arena_free(&scratch);
}
#endif

hed_status synth_partition(const synth_network *network, uint32_t groups, uint32_t max_size,
    uint32_t *group_of, hed_error *error)
{
    if ((uint64_t)groups * max_size < network->count)
        return hed_fail(error, HED_ERROR_LIMIT, "%u bodies: %u groups of %u have no room for them",
            network->count, groups, max_size);
    if (groups == 1) {
        memset(group_of, 0, network->count * sizeof *group_of);
        return HED_OK;
    }
    hed_arena scratch = {.allocator = network->arena.allocator, .owner = "groups of bodies"};
    bisection b = {.order = hed_arena_new(&scratch, network->count, sizeof *b.order, error),
        .keys = hed_arena_new(&scratch, 3 * (uint64_t)network->count, sizeof *b.keys, error)};
    if (!scratch.failed) {
        fill_keys(network, &b);
        bisect(&b, network->count, groups, group_of);
    }
    hed_arena_free(&scratch);
    hed_status status = error->status;
#ifdef SYNTH_METIS
    if (!status && network->form != SPRINGS_SLOTS) improve(network, groups, max_size, group_of);
#endif
    return status;
}
