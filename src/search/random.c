/* Random numbers of a search: a counter with SplitMix64's increment and a mixer of two
 * multiplications. */
#include "search/search_state.h"

static uint64_t next(hed_random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return mixed ^ mixed >> 32;
}

hed_random hed_random_seed(uint64_t seed)
{
    hed_random random = {seed};
    random.state = next(&random); /* one step separates neighbouring seeds */
    return random;
}

double hed_random_unit(hed_random *random) { return (double)(next(random) >> 11) * 0x1p-53; }

uint64_t hed_random_below(hed_random *random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)next(random) * count >> 64);
}
