/* Bank packing. A multiprocessor's local memory serves eight lanes of 16 bytes at a time, each
 * from one of eight 16-byte banks (local number modulo 8). Entries of a step are independent, so
 * their order is free; a pair may exchange its ends, and a figure may be turned in the four
 * orientations that keep its three matchings. Greedy: each next lane takes an entry that adds no
 * conflict to the group of eight. */
#include "tables/parts.h"

#include <string.h>

enum { BANKS = 8, LANES = 8, CLASSES = BANKS * BANKS, BANK_WINDOW = 48 };

/* Passes over local memory: in the current order, and the smallest possible number. */
typedef struct passes {
    double made, least;
} passes;

static void add_passes(passes *sum, const uint32_t *used, uint32_t arrays)
{
    for (uint32_t a = 0; a < arrays; a++) {
        uint32_t worst = 0;
        for (uint32_t b = 0; b < BANKS; b++)
            if (used[a * BANKS + b] > worst) worst = used[a * BANKS + b];
        sum->made += worst;
        sum->least += 1.0;
    }
}

/* ---- pairs ---- */

static uint32_t class_of(const cloth_pair *pair)
{
    uint32_t a = pair->a % BANKS, b = pair->b % BANKS;
    return a < b ? a * BANKS + b : b * BANKS + a;
}

/* Chooses the class of the next pair: the fullest of the classes that add no conflict; else the
 * fullest. `turned`: larger bank first. */
static uint32_t choose_class(
    const uint32_t count[CLASSES], const uint32_t used[2 * BANKS], bool *turned)
{
    uint32_t best = CLOTH_NONE, fullest = CLOTH_NONE;
    *turned = false;
    for (uint32_t c = 0; c < CLASSES; c++) {
        if (!count[c]) continue;
        if (fullest == CLOTH_NONE || count[c] > count[fullest]) fullest = c;
        if (best != CLOTH_NONE && count[c] <= count[best]) continue;
        uint32_t low = c / BANKS, high = c % BANKS;
        if (!used[low] && !used[BANKS + high]) {
            best = c;
            *turned = false;
        } else if (!used[high] && !used[BANKS + low]) {
            best = c;
            *turned = true;
        }
    }
    return best != CLOTH_NONE ? best : fullest;
}

static void pack_pairs(cloth_pair *pairs, uint32_t count, cloth_pair *scratch, passes *sum)
{
    uint32_t begin[CLASSES + 1] = {0}, left[CLASSES] = {0};
    for (uint32_t k = 0; k < count; k++) left[class_of(&pairs[k])]++;
    for (uint32_t c = 0; c < CLASSES; c++) {
        begin[c + 1] = begin[c] + left[c];
        left[c] = 0;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t c = class_of(&pairs[k]);
        scratch[begin[c] + left[c]++] = pairs[k];
    }
    for (uint32_t k = 0; k < count;) {
        uint32_t used[2 * BANKS] = {0};
        for (uint32_t lane = 0; lane < LANES && k < count; lane++, k++) {
            bool turned;
            uint32_t c = choose_class(left, used, &turned);
            cloth_pair pair = scratch[begin[c] + --left[c]];
            if (pair.a % BANKS != (turned ? c % BANKS : c / BANKS))
                pair = (cloth_pair){pair.b, pair.a, pair.constraint};
            used[pair.a % BANKS]++;
            used[BANKS + pair.b % BANKS]++;
            pairs[k] = pair;
        }
        add_passes(sum, used, 2);
    }
}

/* ---- figures ---- */

/* Orientations of a figure: its particles, and its constraints in the same orientation. */
static const uint8_t turned_particle[4][4] = {
    {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
static const uint8_t turned_constraint[4][6] = {
    {0, 1, 2, 3, 4, 5}, {0, 1, 3, 2, 5, 4}, {1, 0, 2, 3, 5, 4}, {1, 0, 3, 2, 4, 5}};

/* Finds the figure and the orientation with the fewest conflicts among the last BANK_WINDOW of
 * the remaining figures. */
static uint32_t choose_figure(
    const cloth_figure *figures, uint32_t left, const uint32_t used[4 * BANKS], uint32_t *way)
{
    uint32_t best = left - 1, fewest = UINT32_MAX, window = left < BANK_WINDOW ? left : BANK_WINDOW;
    for (uint32_t k = 0; k < window && fewest; k++) {
        for (uint32_t w = 0; w < 4 && fewest; w++) {
            uint32_t conflicts = 0;
            for (uint32_t v = 0; v < 4; v++)
                conflicts +=
                    used[v * BANKS + figures[left - 1 - k].particle[turned_particle[w][v]] % BANKS];
            if (conflicts >= fewest) continue;
            fewest = conflicts;
            best = left - 1 - k;
            *way = w;
        }
    }
    return best;
}

static void pack_figures(
    cloth_figure *figures, uint32_t count, cloth_figure *scratch, uint64_t *random, passes *sum)
{
    memcpy(scratch, figures, count * sizeof *scratch);
    /* Neighbours in the mesh have neighbouring banks; shuffled, a window has some of each bank. */
    for (uint32_t k = count; k > 1; k--) {
        uint32_t swapped = cloth_random(random) % k;
        cloth_figure last = scratch[k - 1];
        scratch[k - 1] = scratch[swapped];
        scratch[swapped] = last;
    }
    for (uint32_t k = 0; k < count;) {
        uint32_t used[4 * BANKS] = {0};
        for (uint32_t lane = 0; lane < LANES && k < count; lane++, k++) {
            uint32_t way = 0, left = count - k, chosen = choose_figure(scratch, left, used, &way);
            for (uint32_t v = 0; v < 4; v++)
                figures[k].particle[v] = scratch[chosen].particle[turned_particle[way][v]];
            for (uint32_t e = 0; e < 6; e++)
                figures[k].constraint[e] = scratch[chosen].constraint[turned_constraint[way][e]];
            scratch[chosen] = scratch[left - 1];
            for (uint32_t v = 0; v < 4; v++) used[v * BANKS + figures[k].particle[v] % BANKS]++;
        }
        add_passes(sum, used, 4);
    }
}

double cloth_plan_pack_banks(cloth_plan *plan)
{
    uint64_t random = 88172645463325252ull, pairs = plan->most_pairs, figures = plan->most_figures;
    passes sum = {0};
    hed_arena scratch = {.allocator = plan->arena.allocator};
    cloth_pair *pair_scratch = hed_arena_new(&scratch, pairs, sizeof *pair_scratch, NULL);
    cloth_figure *figure_scratch = hed_arena_new(&scratch, figures, sizeof *figure_scratch, NULL);
    for (uint32_t p = 0; p < plan->patch_count && pair_scratch && figure_scratch; p++) {
        const uint32_t *pair_at = plan->pair_at + (uint64_t)p * (plan->pair_steps + 1);
        const uint32_t *figure_at = plan->figure_at + (uint64_t)p * (plan->figure_steps + 1);
        for (uint32_t s = 0; s < plan->pair_steps; s++)
            pack_pairs(plan->pairs + pair_at[s], pair_at[s + 1] - pair_at[s], pair_scratch, &sum);
        for (uint32_t s = 0; s < plan->figure_steps; s++)
            pack_figures(plan->figures + figure_at[s], figure_at[s + 1] - figure_at[s],
                figure_scratch, &random, &sum);
    }
    hed_arena_free(&scratch);
    return sum.least > 0.0 ? sum.made / sum.least : 0.0;
}
