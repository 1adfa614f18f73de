/* Packing with contiguous types: types in their given order are cut into runs. A run begins a new
 * row and has no gaps, so runs are independent, and a layout is defined by its cuts.
 *
 * - greedy: the five steps of the Anukari devlog ("The new warp alignment optimizer")
 * - exact: minimises the number of types in the fullest row, by dynamic programming over cuts
 * - exact-cost: minimises the cost of the most expensive row, by bisection over the occurring
 *   costs
 *
 * A plan of runs has at most 2 kinds per type (rows of that type alone, and the row that its rest
 * opens), and 3 parts. */
#include "pack/plan.h"

/* ---- a run under construction ---- */

typedef struct run {
    uint32_t rows;
    uint32_t used;      /* lanes of the last row; 0: it is full, or there is no row */
    uint32_t types;     /* types in the last row, if it has free lanes */
    uint32_t occupancy; /* maximum number of types in a row */
    double cost;        /* cost of the last row, if it has free lanes */
    double dearest;
} run;

static uint32_t pack_most(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void pack_append(const pack_problem *p, run *r, uint32_t type)
{
    uint32_t used = r->used + p->rest[type];
    double cost = p->cost[type];
    if (r->used > 0) { /* the type continues the last row */
        r->types++;
        r->cost += cost;
        r->occupancy = pack_most(r->occupancy, r->types);
        r->dearest = r->cost > r->dearest ? r->cost : r->dearest;
        if (p->full[type] == 0 && used < p->lanes) {
            r->used = used;
            return;
        }
        r->rows--;
    }
    r->rows += p->full[type] + (used > 0) + (used > p->lanes);
    r->used = used < p->lanes ? used : used - p->lanes;
    r->types = 1;
    r->cost = cost;
    r->occupancy = pack_most(r->occupancy, 1);
    r->dearest = cost > r->dearest ? cost : r->dearest;
}

/* ---- from cuts to a plan ---- */

static void pack_plan_run(const pack_problem *p, uint32_t from, uint32_t to, pack_plan *plan)
{
    uint32_t used = 0;
    for (uint32_t type = from; type < to; type++) {
        uint32_t left = p->count[type];
        if (used > 0) {
            uint32_t count = left < p->lanes - used ? left : p->lanes - used;
            pack_add_part(plan, p, type, count);
            left -= count;
            used = (used + count) % p->lanes;
        }
        if (left >= p->lanes) {
            pack_begin_kind(plan, left / p->lanes);
            pack_add_part(plan, p, type, p->lanes);
            left %= p->lanes;
        }
        if (left > 0) {
            pack_begin_kind(plan, 1);
            pack_add_part(plan, p, type, left);
            used = left;
        }
    }
}

/* ---- lower bound ---- */

/* Lower bound on the occupancy. Types j to i - 1 can use only the rows left by the types before and
 * after them, which fill ceil(entities / lanes) rows; the last (or first) of these rows may be used
 * as well, but then also has one of the other types. A type fills at least full - 1 rows alone,
 * wherever it begins (`full` if one further entity would need another row). The remaining (type,
 * row) incidences, of at least ceil(count / lanes) per type, are distributed over the remaining
 * rows, which gives the bound. */
uint32_t pack_occupancy_bound(const pack_problem *p)
{
    int64_t before[HED_PACK_MAX_TYPES + 1], meetings[HED_PACK_MAX_TYPES + 1],
        alone[HED_PACK_MAX_TYPES + 1];
    int64_t shut_left[HED_PACK_MAX_TYPES + 1], shut_right[HED_PACK_MAX_TYPES + 1];
    before[0] = meetings[0] = alone[0] = 0;
    for (uint32_t t = 0; t < p->types; t++) {
        bool brim = p->rest[t] == p->lanes - 1;
        before[t + 1] = before[t] + p->count[t];
        meetings[t + 1] = meetings[t] + p->full[t] + (p->rest[t] > 0);
        alone[t + 1] = alone[t] + p->full[t] - (p->full[t] > 0 && !brim);
    }
    for (uint32_t t = 0; t <= p->types; t++) {
        shut_left[t] = t > 0 ? (before[t] - 1) / p->lanes : 0;
        shut_right[t] = t < p->types ? (p->total - before[t] - 1) / p->lanes : 0;
    }
    int64_t bound = 1;
    for (uint32_t i = 1; i <= p->types; i++) {
        for (uint32_t j = 0; j < i; j++) {
            int64_t filled = alone[i] - alone[j];
            int64_t remaining = meetings[i] - meetings[j] - filled + (j > 0) + (i < p->types);
            int64_t room = p->rows - shut_left[j] - shut_right[i] - filled;
            if (room > 0 && remaining > bound * room) bound = (remaining + room - 1) / room;
        }
    }
    return (uint32_t)bound;
}

/* ---- greedy ---- */

/* Step 4: from left to right, each run absorbs the next one if no row then has more than `allowed`
 * types. One pass suffices: a run that could not absorb the next one cannot absorb it after that
 * has grown. Returns the number of rows. */
static uint32_t pack_merge(const pack_problem *p, uint32_t allowed, uint8_t *begin, uint32_t *runs)
{
    uint32_t run_count = 0, rows = 0;
    run current = {0};
    for (uint32_t r = 0; r < *runs; r++) {
        run joined = current, separate = {0};
        for (uint32_t type = begin[r]; type < begin[r + 1]; type++) {
            pack_append(p, &joined, type);
            pack_append(p, &separate, type);
        }
        if (r > 0 && joined.occupancy <= allowed) {
            current = joined;
            continue;
        }
        rows += current.rows;
        begin[run_count++] = begin[r];
        current = separate;
    }
    *runs = run_count;
    begin[run_count] = (uint8_t)p->types;
    return rows + current.rows;
}

void pack_greedy(const pack_problem *p, pack_plan *plan, uint32_t *iterations)
{
    uint8_t begin[HED_PACK_MAX_TYPES + 1];
    uint32_t runs = p->types;
    for (uint32_t t = 0; t <= p->types; t++)
        begin[t] = (uint8_t)t; /* step 1: each type has its own rows */
    /* Start from the lower bound, since smaller numbers cannot suffice. At 1 there is nothing to
     * merge. */
    uint32_t allowed = pack_occupancy_bound(p), rows = 0;
    for (uint32_t t = 0; t < p->types; t++) {
        run alone = {0};
        pack_append(p, &alone, t);
        rows += alone.rows;
    }
    if (allowed > 1) rows = pack_merge(p, allowed, begin, &runs);
    /* Step 2. Step 3, which removes dead space where no row gains types, has no effect: runs have
     * no gaps, and closing the space between two runs adds a type to a row. */
    for (*iterations = 1; rows > p->rows; ++*iterations)
        rows = pack_merge(p, ++allowed, begin, &runs);
    for (uint32_t r = 0; r < runs; r++) pack_plan_run(p, begin[r], begin[r + 1], plan);
}

/* ---- exact ---- */

/* Rows and cost of the run of types j to i - 1, at [j][i]. */
typedef struct ranges {
    uint32_t rows[HED_PACK_MAX_TYPES][HED_PACK_MAX_TYPES + 1];
    /* minimised: types or cost of the worst row */
    double key[HED_PACK_MAX_TYPES][HED_PACK_MAX_TYPES + 1];
} ranges;

static void pack_fill_ranges(const pack_problem *p, bool by_cost, ranges *table)
{
    for (uint32_t j = 0; j < p->types; j++) {
        run r = {0};
        for (uint32_t i = j + 1; i <= p->types; i++) {
            pack_append(p, &r, i - 1);
            table->rows[j][i] = r.rows;
            table->key[j][i] = by_cost ? r.dearest : r.occupancy;
        }
    }
}

/* True if runs within the bound need at most the available rows; from[i]: begin of the last run of
 * the first i types. Among cuts with equally many rows the one with the shorter last run is taken,
 * so that types are not joined without gain. */
static bool pack_fits(const pack_problem *p, const ranges *table, double bound, uint8_t *from)
{
    uint32_t row_count[HED_PACK_MAX_TYPES + 1] = {0};
    for (uint32_t i = 1; i <= p->types; i++) {
        row_count[i] = UINT32_MAX;
        for (uint32_t j = i; j-- > 0;) {
            if (table->key[j][i] > bound) continue;
            uint32_t rows = row_count[j] + table->rows[j][i];
            if (rows < row_count[i]) {
                row_count[i] = rows;
                from[i] = (uint8_t)j;
            }
        }
    }
    return row_count[p->types] <= p->rows;
}

/* Plans the runs found by pack_fits(), which need the fewest rows within the bound. Spare rows are
 * used to separate types again, from left to right. */
static void pack_plan_cuts(
    const pack_problem *p, const ranges *table, double bound, const uint8_t *from, pack_plan *plan)
{
    uint8_t ends[HED_PACK_MAX_TYPES + 1];
    uint32_t runs = 0, spare = p->rows;
    for (uint32_t i = p->types; i > 0; i = from[i]) {
        ends[runs++] = (uint8_t)i;
        spare -= table->rows[from[i]][i];
    }
    for (uint32_t begin = 0; runs > 0; begin = ends[runs]) {
        uint32_t end = ends[--runs];
        for (uint32_t split = begin + 1; split < end; split++) {
            uint32_t extra =
                table->rows[begin][split] + table->rows[split][end] - table->rows[begin][end];
            if (extra > spare || table->key[split][end] > bound) continue;
            spare -= extra;
            pack_plan_run(p, begin, split, plan);
            begin = split;
        }
        pack_plan_run(p, begin, end, plan);
    }
}

void pack_exact(const pack_problem *p, pack_plan *plan)
{
    ranges table;
    uint8_t from[HED_PACK_MAX_TYPES + 1] = {0};
    uint32_t bound = pack_occupancy_bound(p);
    pack_fill_ranges(p, false, &table);
    while (!pack_fits(p, &table, bound, from)) bound++;
    pack_plan_cuts(p, &table, bound, from, plan);
}

/* Shellsort with Ciura's gaps. */
static void pack_sort(double *values, uint32_t count)
{
    static const uint32_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (uint32_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            double value = values[i];
            uint32_t j = i;
            for (; j >= gaps[g] && values[j - gaps[g]] > value; j -= gaps[g])
                values[j] = values[j - gaps[g]];
            values[j] = value;
        }
    }
}

bool pack_exact_cost(const pack_problem *p, double bound, pack_plan *plan)
{
    ranges table;
    uint8_t from[HED_PACK_MAX_TYPES + 1] = {0};
    double values[HED_PACK_MAX_TYPES * (HED_PACK_MAX_TYPES + 1) / 2], floor = 0;
    uint32_t count = 0;
    pack_fill_ranges(p, true, &table);
    for (uint32_t t = 0; t < p->types; t++)
        floor = p->cost[t] > floor ? p->cost[t] : floor; /* each type is in some row */
    for (uint32_t j = 0; j < p->types; j++)
        for (uint32_t i = j + 1; i <= p->types; i++)
            if (table.key[j][i] >= floor && table.key[j][i] < bound)
                values[count++] = table.key[j][i];
    pack_sort(values, count);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (pack_fits(p, &table, values[middle], from)) high = middle;
        else low = middle + 1;
    }
    if (low == count) return false;
    pack_fits(p, &table, values[low], from);
    pack_plan_cuts(p, &table, values[low], from, plan);
    return true;
}
