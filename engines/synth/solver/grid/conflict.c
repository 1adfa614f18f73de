/* Bank conflicts of the lattice's neighbour reads, lowered on the host. 32 bodies step together,
 * and slot j of all of them is read at once: places that lie in one of the 32 banks of local memory
 * wait for each other. Which of a body's half-springs is in which slot is free but in regular
 * lattices, so pairs of them are exchanged while the sum over banks of squared counts falls. */
#include "solver/grid/grid.h"

enum { BANKS = 32, SWEEPS = 3, MOST = LATTICE_MOST_DEGREE };

/* How many of a row's reads go to each bank, slot by slot. */
typedef uint8_t counts[MOST][BANKS];

/* What exchanging banks p of slot e and q of slot f for one body changes the sum of squares by,
 * halved. */
static int32_t change(counts reads, uint32_t e, uint32_t f, uint32_t p, uint32_t q)
{
    int32_t leaves = (int32_t)reads[e][p] + reads[f][q] - 2,
            comes = (int32_t)reads[e][q] + reads[f][p];
    return comes - leaves;
}

static void exchange(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void spread_row(uint32_t *place, uint32_t *spring, uint32_t spring_words, uint32_t own,
    uint32_t degree, bool aligned, uint32_t first)
{
    counts reads = {{0}};
    for (uint32_t j = 0; j < degree; j++)
        for (uint32_t lane = 0; lane < BANKS; lane++)
            reads[j][place[j * own + first + lane] % BANKS]++;
    bool better = true;
    for (uint32_t sweep = 0; sweep < SWEEPS && better; sweep++) {
        better = false;
        for (uint32_t i = first; i < first + BANKS; i++)
            for (uint32_t e = 1; e < degree; e++)
                for (uint32_t f = 0; f < e; f++) {
                    if (aligned && (spring[e * own + i] == e || spring[f * own + i] == f)) continue;
                    uint32_t *x = &place[e * own + i], *y = &place[f * own + i], p = *x % BANKS,
                             q = *y % BANKS;
                    if (p == q || change(reads, e, f, p, q) >= 0) continue;
                    reads[e][p]--, reads[e][q]++, reads[f][q]--, reads[f][p]++;
                    exchange(x, y);
                    for (uint32_t w = 0; w < spring_words; w++)
                        exchange(&spring[(e * own + i) * spring_words + w],
                            &spring[(f * own + i) * spring_words + w]);
                    better = true;
                }
    }
}

void synth_spread_banks(uint32_t *place, uint32_t *spring, uint32_t spring_words, uint32_t own,
    uint32_t degree, bool aligned)
{
    for (uint32_t first = 0; first + BANKS <= own; first += BANKS)
        spread_row(place, spring, spring_words, own, degree, aligned, first);
}
