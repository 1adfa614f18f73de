/* Packing: vectors, some of them by hand, exhaustive oracles on small cases, thousands of random
 * distributions, extremes; every layout is checked entity by entity. That it allocates nothing is
 * pack_rt.c's. */
#include "heddle/pack.h"

#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 4096 };

static const char *const method_names[] = {
    "naive", "greedy", "exact", "exact-cost", "spread", "rows"};

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 24) % below;
}

/* ---- a layout has every entity once, in a lane of its own, and is what it says ---- */

static void check_pieces(
    const hed_pack_def *def, const hed_pack_piece *pieces, const hed_pack_layout *layout)
{
    uint64_t place = 0;
    uint32_t lane = 0, types_of_row = 0, types_of_list = 0, occupancy = 0, rows = 0, used = 0;
    double cost = 0, dearest = 0;
    for (uint32_t i = 0; i < layout->piece_count; i++) {
        const hed_pack_piece *p = &pieces[i];
        uint64_t here = (uint64_t)p->warp << 32 | p->row;
        bool new_warp = i == 0 || p->warp != pieces[i - 1].warp,
             new_row = new_warp || p->row != pieces[i - 1].row;
        CHECK(p->type < def->types && p->warp < def->warps && p->count > 0);
        CHECK(i == 0 || here >= place, "pieces are out of order at %u", i);
        CHECK_EQ(p->row, new_warp ? 0 : pieces[i - 1].row + new_row, "a row is left out");
        if (new_row) lane = types_of_row = 0;
        if (new_warp) {
            types_of_list = 0;
            cost = 0;
            used++;
        }
        CHECK_EQ(p->lane, lane, "lanes are left out within a row");
        lane += p->count;
        CHECK(lane <= def->lanes);
        if (!(types_of_row >> p->type & 1)) cost += def->costs ? (double)def->costs[p->type] : 1;
        CHECK(def->method == HED_PACK_NAIVE || !(types_of_row >> p->type & 1),
            "a type twice in a row");
        types_of_row |= 1u << p->type;
        types_of_list |= 1u << p->type;
        uint32_t types = (uint32_t)__builtin_popcount(
            def->method == HED_PACK_ROWS ? types_of_list : types_of_row);
        occupancy = types > occupancy ? types : occupancy;
        rows = p->row + 1 > rows ? p->row + 1 : rows;
        dearest = cost > dearest ? cost : dearest;
        place = here;
    }
    CHECK_EQ(layout->max_occupancy, occupancy);
    CHECK_EQ(layout->rows, rows);
    CHECK_EQ(layout->warps_used, used);
    CHECK(fabs(layout->max_cost - dearest) <= 1e-9 * dearest, "%.17g, counted %.17g",
        layout->max_cost, dearest);
}

static void check_entities(const hed_pack_def *def, const hed_pack_piece *pieces, uint32_t count)
{
    for (uint32_t type = 0; type < def->types; type++) {
        uint8_t *seen = calloc(def->counts[type] + 1, 1);
        uint32_t found = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (pieces[i].type != type) continue;
            for (uint32_t e = pieces[i].first; e < pieces[i].first + pieces[i].count; e++) {
                CHECK(e < def->counts[type] && !seen[e],
                    "type %u: entity %u is wrong or twice there", type, e);
                seen[e] = 1;
                found++;
            }
        }
        CHECK_EQ(
            found, def->counts[type], "type %u: %u of %u entities", type, found, def->counts[type]);
        free(seen);
    }
}

static hed_pack_layout pack(const uint32_t *counts, const float *costs, uint32_t types,
    uint32_t warps, uint32_t lanes, hed_pack_method method)
{
    static hed_pack_piece pieces[MOST_PIECES];
    hed_pack_def def = {counts, costs, types, warps, lanes, method};
    hed_pack_layout layout;
    uint32_t capacity = hed_pack_capacity(&def);
    CHECK(capacity <= MOST_PIECES);
    CHECK_EQ(hed_pack(&def, pieces, capacity, &layout), HED_OK, "%s: %u pieces, not %u",
        method_names[method], layout.piece_count, capacity);
    check_pieces(&def, pieces, &layout);
    check_entities(&def, pieces, layout.piece_count);
    return layout;
}

static uint32_t occupancy(
    const uint32_t *counts, uint32_t types, uint32_t warps, hed_pack_method method)
{
    return pack(counts, NULL, types, warps, 32, method).max_occupancy;
}

/* ---- vectors ---- */

static const float COSTS[11] = {10, 2, 14, 12, 20, 16, 24, 9, 6, 5, 7};

typedef struct vector {
    uint32_t counts[11], warps;
    uint32_t greedy, exact, spread; /* types in the fullest row */
    double exact_cost, rows_cost;   /* with COSTS */
} vector;

static const vector VECTORS[] = {
    {{40, 8, 60, 4, 3, 2, 1, 5, 1, 6, 4}, 32, 1, 1, 1, 24, 24},
    {{1000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 32, 11, 11, 2, 125, 24},
    {{33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33}, 32, 1, 1, 1, 24, 24},
    {{93, 93, 93, 93, 93, 93, 93, 93, 93, 93, 94}, 32, 2, 2, 2, 40, 24},
    {{400, 20, 400, 30, 9, 8, 7, 11, 30, 40, 30}, 32, 2, 2, 2, 39, 24},
    {{23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 26}, 8, 3, 3, 3, 46, 24},
    {{11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11}, 4, 4, 4, 4, 62, 32},
};

Test(pack, vectors)
{
    for (size_t i = 0; i < sizeof VECTORS / sizeof VECTORS[0]; i++) {
        const vector *v = &VECTORS[i];
        EXPECT_EQ(occupancy(v->counts, 11, v->warps, HED_PACK_GREEDY), v->greedy, "vector %zu", i);
        EXPECT_EQ(occupancy(v->counts, 11, v->warps, HED_PACK_EXACT), v->exact, "vector %zu", i);
        EXPECT_EQ(occupancy(v->counts, 11, v->warps, HED_PACK_SPREAD), v->spread, "vector %zu", i);
        hed_pack_layout exact = pack(v->counts, COSTS, 11, v->warps, 32, HED_PACK_EXACT_COST);
        hed_pack_layout rows = pack(v->counts, COSTS, 11, v->warps, 32, HED_PACK_ROWS);
        EXPECT_EQ(exact.max_cost, v->exact_cost, "vector %zu", i);
        EXPECT_EQ(rows.max_cost, v->rows_cost, "vector %zu", i);
    }
}

/* By hand, with 4 lanes. */
Test(pack, pieces_by_hand)
{
    const uint32_t counts[] = {5, 0, 2, 3};
    hed_pack_piece pieces[16];
    hed_pack_layout layout;
    hed_pack_def def = {counts, NULL, 4, 3, 4, HED_PACK_EXACT};
    /* A row for each type is a row too many. 5 + 2 go into two rows; 2 + 3 would still need two. */
    const hed_pack_piece exact[] = {
        {0, 0, 4, 0, 0, 0}, {0, 4, 1, 1, 0, 0}, {2, 0, 2, 1, 0, 1}, {3, 0, 3, 2, 0, 0}};
    CHECK_EQ(hed_pack(&def, pieces, 16, &layout), HED_OK);
    CHECK_EQ(layout.piece_count, 4);
    CHECK_BYTES(pieces, exact, sizeof exact);
    /* A B C A B C A B A A in rows of 4: the naive order, two types or three in each. */
    const hed_pack_piece naive[] = {
        {0, 0, 1, 0, 0, 0},
        {2, 0, 1, 0, 0, 1},
        {3, 0, 1, 0, 0, 2},
        {0, 1, 1, 0, 0, 3},
        {2, 1, 1, 1, 0, 0},
        {3, 1, 1, 1, 0, 1},
        {0, 2, 1, 1, 0, 2},
        {3, 2, 1, 1, 0, 3},
        {0, 3, 2, 2, 0, 0},
    };
    def.method = HED_PACK_NAIVE;
    CHECK_EQ(hed_pack(&def, pieces, 16, &layout), HED_OK);
    CHECK_EQ(layout.piece_count, 9);
    CHECK_BYTES(pieces, naive, sizeof naive);
    CHECK_EQ(layout.max_occupancy, 3);
}

/* What need not share a row does not. */
Test(pack, nothing_is_joined_without_need)
{
    const uint32_t *counts = VECTORS[0].counts, *large = VECTORS[1].counts;
    for (uint32_t m = HED_PACK_GREEDY; m < HED_PACK_METHOD_COUNT; m++)
        CHECK_EQ(pack(counts, COSTS, 11, 32, 32, (hed_pack_method)m).piece_count, 13, "%s",
            method_names[m]);
    CHECK_EQ(
        pack(large, COSTS, 11, 32, 32, HED_PACK_SPREAD).piece_count, 42, "ten rows of two types");
}

/* Two rounds: ten rows on four warps. */
Test(pack, more_entities_than_lanes)
{
    const uint32_t counts[] = {96, 160, 64};
    const float costs[] = {3, 1, 2};
    hed_pack_layout rows = pack(counts, costs, 3, 4, 32, HED_PACK_ROWS);
    CHECK_EQ(rows.max_cost, 5, "3 3 3 2 2 1 1 1 1 1 on four warps: 18 in all");
    CHECK_EQ(rows.warps_used, 4);
    for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++)
        CHECK(pack(counts, costs, 3, 4, 32, (hed_pack_method)m).rows >= 3, "ten rows, four warps");
}

/* Rows that are alike are dealt in whole rounds; the result is that of one after another. */
Test(pack, a_million_in_rows)
{
    const uint32_t counts[] = {1024000, 3072000, 20, 1};
    const float costs[] = {2, 3, 7, 31};
    hed_pack_def def = {counts, costs, 4, 32, 32, HED_PACK_ROWS};
    uint32_t capacity = hed_pack_capacity(&def);
    hed_pack_piece *pieces = calloc(capacity, sizeof *pieces);
    double load[32] = {0}, dearest = 0;
    for (uint32_t i = 0; i < 1 + 1 + 96000 + 32000; i++) {
        uint32_t least = 0;
        for (uint32_t w = 1; w < 32; w++)
            if (load[w] < load[least]) least = w;
        load[least] += i < 2 ? (i == 0 ? 31 : 7) : (i < 96002 ? 3 : 2);
        dearest = load[least] > dearest ? load[least] : dearest;
    }
    hed_pack_layout layout;
    CHECK_EQ(hed_pack(&def, pieces, capacity, &layout), HED_OK);
    CHECK_EQ(layout.max_cost, dearest);
    check_pieces(&def, pieces, &layout);
    check_entities(&def, pieces, layout.piece_count);
    for (uint32_t m = 0; m < HED_PACK_ROWS; m++) {
        if (m == HED_PACK_NAIVE) continue; /* four million pieces */
        def.method = (hed_pack_method)m;
        CHECK(hed_pack_capacity(&def) <= capacity + 64);
        CHECK_EQ(hed_pack(&def, pieces, capacity, &layout), HED_OK, "%s",
            hed_pack_method_name(def.method));
        check_pieces(&def, pieces, &layout);
        check_entities(&def, pieces, layout.piece_count);
    }
    free(pieces);
}

/* Of warps that are loaded alike that of the idlest scheduler is taken: cheap rows keep away from
 * dear ones. */
Test(pack, ties_balance_the_schedulers)
{
    const uint32_t counts[] = {64, 192};
    const float costs[] = {10, 1};
    hed_pack_piece pieces[8];
    hed_pack_layout layout;
    hed_pack_def def = {counts, costs, 2, 32, 32, HED_PACK_ROWS};
    double load[4] = {0};
    CHECK_EQ(hed_pack(&def, pieces, 8, &layout), HED_OK);
    for (uint32_t i = 0; i < 8; i++) load[pieces[i].warp % 4] += (double)costs[pieces[i].type];
    CHECK(load[0] == 10 && load[1] == 10 && load[2] == 3, "%g %g %g %g", load[0], load[1], load[2],
        load[3]);
}

/* ---- oracles ---- */

/* Every way to cut types in order into runs; least types of the fullest row, or least cost of the
 * dearest. */
static double best_cuts(
    const uint32_t *counts, const float *costs, uint32_t types, uint32_t warps, uint32_t lanes)
{
    double best = INFINITY;
    for (uint32_t mask = 0; mask < 1u << (types - 1); mask++) {
        uint32_t rows = 0, lane = 0, in_row = 0;
        double worst = 0, cost = 0;
        for (uint32_t type = 0; type < types; type++) {
            if (type > 0 && mask >> (type - 1) & 1) lane = 0; /* a new run */
            for (uint32_t e = 0; e < counts[type]; e++, lane = (lane + 1) % lanes) {
                if (lane == 0) {
                    rows++;
                    in_row = 0;
                    cost = 0;
                }
                if (!(in_row >> type & 1)) cost += costs ? (double)costs[type] : 1;
                in_row |= 1u << type;
                worst = cost > worst ? cost : worst;
            }
        }
        if (rows <= warps && worst < best) best = worst;
    }
    return best;
}

/* Whether what is `left` fits so many rows, at most `most` types in each; every distribution is
 * tried. The first row has been offered the types below `type`: it has `room` lanes left and `used`
 * types. */
static bool any_layout(uint32_t *left, uint32_t types, uint32_t rows, uint32_t lanes, uint32_t most,
    uint32_t type, uint32_t room, uint32_t used)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < types; i++) total += left[i];
    if (total == 0) return true;
    if (rows == 0 || total > (rows - 1) * lanes + room) return false;
    if (type == types || used == most || room == 0)
        return any_layout(left, types, rows - 1, lanes, most, 0, lanes, 0);
    for (uint32_t take = left[type] < room ? left[type] : room;; take--) {
        left[type] -= take;
        bool found =
            any_layout(left, types, rows, lanes, most, type + 1, room - take, used + (take > 0));
        left[type] += take;
        if (found || take == 0) return found;
    }
}

/* Rows dealt to warps in every way. */
static double best_lists(
    const float *rows, uint32_t count, double *load, uint32_t warps, double bound)
{
    double highest = 0;
    for (uint32_t w = 0; w < warps; w++) highest = load[w] > highest ? load[w] : highest;
    if (count == 0 || highest >= bound) return highest < bound ? highest : bound;
    for (uint32_t w = 0; w < warps; w++) {
        load[w] += (double)rows[0];
        bound = best_lists(rows + 1, count - 1, load, warps, bound);
        load[w] -= (double)rows[0];
        if (load[w] == 0) break; /* the other empty ones are like it */
    }
    return bound;
}

Test(pack, exact_against_every_layout_in_order)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < 1500; i++) {
        uint32_t types = 1 + next_random(&state, 8), warps = 1 + next_random(&state, 7);
        uint32_t lanes = 1 + next_random(&state, 8);
        uint32_t counts[8], left = warps * lanes;
        float costs[8];
        for (uint32_t t = 0; t < types; t++) {
            counts[t] = next_random(&state, 2 * warps * lanes / types + 2);
            counts[t] = counts[t] < left ? counts[t] : left;
            left -= counts[t];
            costs[t] = (float)(1 + next_random(&state, 9));
        }
        double best = best_cuts(counts, NULL, types, warps, lanes);
        double cheapest = best_cuts(counts, costs, types, warps, lanes);
        CHECK_EQ(pack(counts, NULL, types, warps, lanes, HED_PACK_EXACT).max_occupancy, best);
        CHECK_EQ(pack(counts, costs, types, warps, lanes, HED_PACK_EXACT_COST).max_cost, cheapest);
    }
}

Test(pack, spread_against_every_layout)
{
    uint64_t state = 0xd1b54a32d192ed03u;
    uint32_t above = 0, crowded = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t types = 1 + next_random(&state, 7), warps = 1 + next_random(&state, 4);
        uint32_t lanes = 2 + next_random(&state, 5);
        uint32_t counts[7], left = warps * lanes, present = 0, least = 0;
        for (uint32_t t = 0; t < types; t++) {
            counts[t] = next_random(&state, 2 * warps * lanes / types + 2);
            counts[t] = counts[t] < left ? counts[t] : left;
            left -= counts[t];
            present += counts[t] > 0;
        }
        if (present == 0) continue;
        do least++;
        while (!any_layout(counts, types, warps, lanes, least, 0, lanes, 0));
        uint32_t found = pack(counts, NULL, types, warps, lanes, HED_PACK_SPREAD).max_occupancy;
        CHECK(found == least || (present > warps + 1 && found == least + 1), "%u instead of %u",
            found, least);
        above += found > least;
        crowded += present > warps + 1;
    }
    test_note(
        "spread: above the least in %u of %u cases with more types than warps + 1", above, crowded);
    CHECK(crowded > 300 && above * 20 < crowded, "%u of %u", above, crowded);
}

Test(pack, rows_against_every_assignment)
{
    uint64_t state = 0x2545f4914f6cdd1du;
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t counts[7], warps = 1 + next_random(&state, 4);
        float costs[7], rows[7];
        double load[4] = {0};
        for (uint32_t t = 0; t < 7; t++) {
            counts[t] = 1 + next_random(&state, 32);
            rows[t] = costs[t] = (float)(1 + next_random(&state, 20));
        }
        double best = best_lists(rows, 7, load, warps, INFINITY);
        double found = pack(counts, costs, 7, warps, 32, HED_PACK_ROWS).max_cost;
        CHECK(found >= best && found <= best * (4.0 / 3 - 1.0 / (3 * warps)) + 1e-9, "%g, best %g",
            found, best);
    }
}

/* The longest-processing-time rule makes 7 of 3 3 2 2 2 on two warps, and the exact layout in order
 * is 6. */
Test(pack, rows_are_never_dearer_than_an_alignment)
{
    const uint32_t counts[] = {6, 6, 6, 6, 6};
    const float costs[] = {3, 3, 2, 2, 2};
    CHECK_EQ(pack(counts, costs, 5, 2, 32, HED_PACK_EXACT_COST).max_cost, 6);
    CHECK_EQ(pack(counts, costs, 5, 2, 32, HED_PACK_ROWS).max_cost, 6);
}

/* Most types in a row of a run that is packed tight. */
static uint32_t occupancy_of_run(const uint32_t *counts, uint32_t types, uint32_t lanes)
{
    uint32_t lane = 0, in_row = 0, most = 0;
    for (uint32_t type = 0; type < types; type++) {
        for (uint32_t e = 0; e < counts[type]; e++, lane = (lane + 1) % lanes) {
            if (lane == 0) in_row = 0;
            in_row |= 1u << type;
            uint32_t number = (uint32_t)__builtin_popcount(in_row);
            most = number > most ? number : most;
        }
    }
    return most;
}

/* The five steps word for word: what can be merged is, from left to right and again until nothing
 * can, then one more type is allowed. Gives how many are in the end, and how many rows there
 * are. */
static uint32_t literal_greedy(const uint32_t *counts, uint32_t types, uint32_t warps,
    uint32_t lanes, uint32_t allowed, uint32_t *rows)
{
    uint32_t begin[13], runs = types;
    for (uint32_t t = 0; t <= types; t++) begin[t] = t;
    for (;; allowed++) {
        for (bool merged = allowed > 1; merged;) {
            merged = false;
            for (uint32_t r = 0; r + 1 < runs;) {
                if (occupancy_of_run(counts + begin[r], begin[r + 2] - begin[r], lanes) > allowed) {
                    r++;
                    continue;
                }
                memmove(begin + r + 1, begin + r + 2, (runs - r - 1) * sizeof begin[0]);
                runs--;
                merged = true;
            }
        }
        *rows = 0;
        for (uint32_t r = 0; r < runs; r++) {
            uint32_t sum = 0;
            for (uint32_t t = begin[r]; t < begin[r + 1]; t++) sum += counts[t];
            *rows += (sum + lanes - 1) / lanes;
        }
        if (*rows <= warps) return allowed;
    }
}

Test(pack, greedy_is_the_five_steps)
{
    uint64_t state = 0xa0761d6478bd642fu;
    uint32_t raised = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t types = 2 + next_random(&state, 11), warps = 2 + next_random(&state, 9);
        uint32_t lanes = 4 + next_random(&state, 9);
        uint32_t counts[12], total = 0, rows;
        for (uint32_t t = 0; t < types; t++)
            total += counts[t] =
                1 + next_random(&state, next_random(&state, 2) ? 3 : 2 * warps * lanes / types);
        if (total > warps * lanes) continue;
        hed_pack_layout l = pack(counts, NULL, types, warps, lanes, HED_PACK_GREEDY);
        /* that it is none too many is checked below */
        uint32_t guess = l.max_occupancy + 1 - l.iterations;
        CHECK_EQ(literal_greedy(counts, types, warps, lanes, guess, &rows), l.max_occupancy);
        CHECK_EQ(rows, l.warps_used);
        raised += l.iterations > 1;
    }
    CHECK(raised > 50, "%u", raised);
}

/* ---- 5,000 random distributions, as in the devlog ---- */

/* Three kinds of them: anything, all types alike, and many small ones beside few large ones. */
static void draw(uint64_t *state, uint32_t capacity, uint32_t counts[11], float costs[11])
{
    uint32_t kind = next_random(state, 3), left = capacity;
    for (uint32_t t = 0; t < 11; t++) {
        uint32_t wanted = kind == 0 ? next_random(state, capacity + 1)
                          : kind == 1
                              ? next_random(state, 2 * capacity / 11 + 1)
                              : next_random(state, next_random(state, 2) ? 8 : capacity + 1);
        counts[t] = wanted < left ? wanted : left;
        left -= counts[t];
        costs[t] = (float)(1 + next_random(state, 24));
    }
    for (uint32_t t = 10; t > 0; t--) { /* the large ones are not always first */
        uint32_t other = next_random(state, t + 1), swap = counts[t];
        counts[t] = counts[other];
        counts[other] = swap;
    }
}

static void run_random(uint32_t warps, uint32_t most_iterations)
{
    uint64_t state = 0x853c49e6748fea9bu;
    uint32_t iterations = 0, worse = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t counts[11];
        float costs[11];
        hed_pack_layout l[HED_PACK_METHOD_COUNT];
        draw(&state, warps * 32, counts, costs);
        for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++)
            l[m] = pack(counts, costs, 11, warps, 32, (hed_pack_method)m);
        CHECK(l[HED_PACK_EXACT].max_occupancy <= l[HED_PACK_GREEDY].max_occupancy);
        CHECK(l[HED_PACK_EXACT_COST].max_cost <= l[HED_PACK_EXACT].max_cost);
        CHECK(l[HED_PACK_SPREAD].max_occupancy <= l[HED_PACK_EXACT].max_occupancy);
        CHECK(l[HED_PACK_ROWS].max_cost <= l[HED_PACK_EXACT_COST].max_cost);
        CHECK(l[HED_PACK_EXACT].max_occupancy <= l[HED_PACK_NAIVE].max_occupancy);
        CHECK(warps < 32 || l[HED_PACK_SPREAD].max_occupancy <= 2,
            "11 types in 32 warps never need 3");
        uint32_t n = l[HED_PACK_GREEDY].iterations;
        /* The guess never is above what an exact layout needs: else a better one could be
         * missed. */
        CHECK(l[HED_PACK_GREEDY].max_occupancy + 1 <= l[HED_PACK_EXACT].max_occupancy + n);
        iterations = n > iterations ? n : iterations;
        worse += l[HED_PACK_GREEDY].max_occupancy > l[HED_PACK_EXACT].max_occupancy;
    }
    test_note("%u warps: greedy needs %u iterations at worst and is above the least in %u of 5000",
        warps, iterations, worse);
    CHECK(iterations <= most_iterations, "%u iterations", iterations);
}

Test(pack, random_distributions_32_warps) { run_random(32, 5); }
Test(pack, random_distributions_8_warps) { run_random(8, 5); }
Test(pack, random_distributions_4_warps) { run_random(4, 5); }

/* Anything that a definition allows. */
Test(pack, random_definitions)
{
    uint64_t state = 0xda942042e4dd58b5u;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t types = 1 + next_random(&state, HED_PACK_MAX_TYPES), counts[HED_PACK_MAX_TYPES];
        uint32_t warps = 1 + next_random(&state, HED_PACK_MAX_WARPS);
        uint32_t lanes = 1 + next_random(&state, HED_PACK_MAX_LANES);
        float costs[HED_PACK_MAX_TYPES];
        uint32_t scale = 1 + next_random(&state, next_random(&state, 2) ? 100 : 8);
        for (uint32_t t = 0; t < types; t++) {
            counts[t] = next_random(&state, scale);
            costs[t] = ldexpf(1, (int)next_random(&state, 20) - 10);
        }
        hed_pack_layout l[HED_PACK_METHOD_COUNT];
        for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++)
            l[m] = pack(counts, costs, types, warps, lanes, (hed_pack_method)m);
        CHECK(l[HED_PACK_EXACT].max_occupancy <= l[HED_PACK_GREEDY].max_occupancy);
        CHECK(l[HED_PACK_SPREAD].max_occupancy <= l[HED_PACK_EXACT].max_occupancy);
        CHECK(l[HED_PACK_ROWS].max_cost <= l[HED_PACK_EXACT_COST].max_cost * (1 + 1e-12));
    }
}

/* ---- edges ---- */

Test(pack, edges)
{
    const uint32_t none[3] = {0}, one[] = {0, 1, 0}, exact[] = {512, 512}, single[] = {1000};
    uint32_t ones[HED_PACK_MAX_TYPES];
    for (uint32_t t = 0; t < HED_PACK_MAX_TYPES; t++) ones[t] = 1;
    for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++) {
        hed_pack_method method = (hed_pack_method)m;
        hed_pack_layout l = pack(none, NULL, 3, 32, 32, method);
        CHECK(l.piece_count == 0 && l.warps_used == 0 && l.max_occupancy == 0 && l.max_cost == 0 &&
              l.rows == 0);
        l = pack(one, NULL, 3, 32, 32, method);
        CHECK(l.piece_count == 1 && l.warps_used == 1 && l.max_occupancy == 1 && l.max_cost == 1 &&
              l.rows == 1);
        l = pack(exact, NULL, 2, 32, 32, method);
        CHECK(l.warps_used == 32 && l.max_occupancy == (method == HED_PACK_NAIVE ? 2 : 1));
        CHECK_EQ(pack(single, NULL, 1, 32, 32, method).max_occupancy, 1);
        l = pack(ones, NULL, 32, 4, 32, method);
        CHECK_EQ(l.max_occupancy, method == HED_PACK_NAIVE ? 32 : 8, "%s: 32 types, 4 warps",
            method_names[m]);
        CHECK_EQ(pack(ones, NULL, 32, 1, 32, method).max_occupancy, 32);
        CHECK_EQ(pack(ones, NULL, 32, 1, 1, method).rows, 32, "one lane");
        CHECK_EQ(
            pack(ones, NULL, 32, 64, 128, method).max_occupancy, method == HED_PACK_NAIVE ? 32 : 1);
        CHECK_TEXT(hed_pack_method_name(method), method_names[m]);
    }
    CHECK_TEXT(hed_pack_method_name(HED_PACK_METHOD_COUNT), "unknown");
}

Test(pack, refuses)
{
    const uint32_t counts[2] = {3, 4}, huge[2] = {0x7fffffff, 1};
    const float good[2] = {1, 2};
    hed_pack_piece pieces[8];
    hed_pack_layout layout;
    const hed_pack_def sound = {counts, good, 2, 4, 32, HED_PACK_EXACT};
    CHECK_EQ(hed_pack(&sound, pieces, 8, &layout), HED_OK);
    hed_pack_def wrong[14];
    for (size_t i = 0; i < 14; i++) wrong[i] = sound;
    const float bad[4][2] = {{1, 0}, {1, -1}, {1, NAN}, {INFINITY, 1}};
    wrong[0].counts = NULL;
    wrong[1].types = 0;
    wrong[2].types = HED_PACK_MAX_TYPES + 1;
    wrong[3].warps = 0;
    wrong[4].warps = HED_PACK_MAX_WARPS + 1;
    wrong[5].lanes = 0;
    wrong[6].lanes = HED_PACK_MAX_LANES + 1;
    wrong[7].method = HED_PACK_METHOD_COUNT;
    wrong[8].method = (hed_pack_method)-1;
    wrong[9].counts = huge;
    for (size_t i = 0; i < 4; i++) wrong[10 + i].costs = bad[i];
    for (size_t i = 0; i < 14; i++) {
        EXPECT_EQ(hed_pack(&wrong[i], pieces, 8, &layout), HED_ERROR_ARGUMENT, "definition %zu", i);
        EXPECT_EQ(hed_pack_capacity(&wrong[i]), 0, "definition %zu", i);
    }
    EXPECT_EQ(hed_pack(NULL, pieces, 8, &layout), HED_ERROR_ARGUMENT);
    EXPECT_EQ(hed_pack(&sound, NULL, 8, &layout), HED_ERROR_ARGUMENT);
}

/* Too little room: nothing beyond it is touched, and the answer says what is needed. */
Test(pack, too_few_pieces)
{
    for (uint32_t m = 0; m < HED_PACK_METHOD_COUNT; m++) {
        const vector *v = &VECTORS[4];
        hed_pack_def def = {v->counts, COSTS, 11, 32, 32, (hed_pack_method)m};
        hed_pack_piece whole[1024], cut[8];
        hed_pack_layout all, some;
        memset(cut, 0xa5, sizeof cut);
        CHECK_EQ(hed_pack(&def, whole, 1024, &all), HED_OK);
        CHECK_EQ(hed_pack(&def, cut, 7, &some), HED_ERROR_BOUNDS);
        CHECK_EQ(some.piece_count, all.piece_count);
        CHECK_BYTES(cut, whole, 7 * sizeof cut[0]);
        CHECK_EQ(((uint8_t *)&cut[7])[0], 0xa5);
        CHECK_EQ(hed_pack(&def, NULL, 0, &some), HED_ERROR_BOUNDS);
        CHECK_EQ(hed_pack(&def, whole, all.piece_count, &some), HED_OK);
    }
}
