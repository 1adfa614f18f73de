/* tune_own_loop: the search alone, in a loop of the program. It tunes plain C, without a device: a
 * matrix transposed in tiles, whose best size depends on this machine's caches. */
#include <heddle/tuning.h>
#include <stdio.h>

enum { SIZE = 1536, TRIES = 30, RUNS = 3 };

static void transpose(const float *from, float *to, int64_t width, int64_t height)
{
    for (int64_t y = 0; y < SIZE; y += height)
        for (int64_t x = 0; x < SIZE; x += width)
            for (int64_t j = y; j < y + height; j++)
                for (int64_t i = x; i < x + width; i++) to[i * SIZE + j] = from[j * SIZE + i];
}

/* Returns the time of the fastest of a few runs, s. */
static double try_it(const hed_config *config, const float *from, float *to)
{
    uint64_t best = UINT64_MAX;
    for (int run = 0; run < RUNS; run++) {
        uint64_t started = hed_now();
        transpose(from, to, config->values[0], config->values[1]);
        uint64_t passed = hed_now() - started;
        if (passed < best) best = passed;
    }
    return 1e-9 * (double)best;
}

int main(void)
{
    static float from[SIZE * SIZE], to[SIZE * SIZE];
    const hed_parameter_def parameters[] = {
        HED_PARAMETER(WIDTH, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
        HED_PARAMETER(HEIGHT, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)};
    hed_space_def space_def = {
        .parameters = parameters, .parameter_count = 2, HED_CONSTRAINTS("WIDTH * HEIGHT <= 16384")};
    hed_search_def search_def = {.seed = 1};
    hed_space *space = NULL;
    hed_search *search = NULL;
    hed_config config;
    hed_error error = {0};
    double seconds = 0;
    hed_space_create(&space_def, &space, &error);
    search_def.space = space;
    hed_search_create(&search_def, &search, &error);
    for (int i = 0; i < TRIES && !hed_search_ask(search, &config, &error); i++)
        hed_search_tell(search, &config, try_it(&config, from, to), &error);
    if (hed_failed(&error) || !hed_search_best(search, &config, &seconds))
        fprintf(stderr, "%s\n", error.text);
    else
        printf("tiles of %d x %d: %.2f ms, the best of %d tried among %d\n", (int)config.values[0],
            (int)config.values[1], 1e3 * seconds, TRIES, (int)hed_space_count(space));
    hed_search_destroy(search);
    hed_space_destroy(space);
    return hed_failed(&error);
}
