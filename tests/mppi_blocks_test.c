/* ctest: devices */
/* Samples in blocks, which several devices share out: the bits of strict mode hang on the number of
 * blocks alone; fast mode gives the answer of one block; what is posted reaches every device. */
#include "fixture.h"
#include "heddle/author.h"
#include "heddle/mppi.h"

#include <math.h>

TestSuite(mppi_blocks, .init = here_open, .fini = here_close);

enum { MOST = 512 };

static hed_mppi_def blocks_def(uint32_t samples, uint32_t blocks)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("double_integrator");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.samples = samples;
    def.steps = 7;
    def.blocks = blocks;
    def.math = HED_MATH_STRICT;
    return def;
}

static hed_device *blocks_host(void)
{
    hed_error error = {0};
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    return host;
}

typedef struct blocks_answer {
    float controls[MOST];
    hed_mppi_stats stats;
    uint64_t hash;
} blocks_answer;

/* Two solves in closed loop on the first of `devices` and those behind it. */
static blocks_answer blocks_solve(hed_mppi_def def, hed_device *const *devices, uint32_t count)
{
    hed_error error = {0};
    hed_mppi *c;
    hed_mppi_stats stats[4];
    blocks_answer answer = {0};
    float x[4 * HED_MPPI_MAX_STATES] = {0};
    uint32_t nx = def.model->states, size = def.steps * def.model->controls;
    CHECK(size <= MOST && def.count <= 4);
    for (uint32_t i = 0; i < def.count * nx; i++) x[i] = 0.3f + 0.1f * (float)i;
    def.other_devices = devices + 1;
    def.other_device_count = count - 1;
    OK(hed_mppi_create(devices[0], &def, &c, &error));
    OK(hed_mppi_solve(c, x, NULL, stats, &error));
    hed_mppi_shift(c, 1);
    OK(hed_mppi_solve(c, x, NULL, stats, &error));
    memcpy(answer.controls, hed_mppi_controls(c, def.count - 1), size * sizeof(float));
    answer.stats = stats[def.count - 1];
    answer.hash = hed_mppi_hash(c);
    hed_mppi_destroy(c);
    return answer;
}

Test(mppi_blocks, the_same_bits_on_any_devices, .timeout = 300)
{
    hed_device *host = blocks_host();
    hed_device *const devices[] = {here.device, host, here.device};
    /* blocks of 1024: the fifth is short, three are empty */
    hed_mppi_def def = blocks_def(5000, 8);
    blocks_answer wanted = blocks_solve(def, &host, 1);
    EXPECT_EQ(wanted.stats.outcome, HED_MPPI_SOLVED);
    EXPECT_EQ(blocks_solve(def, devices, 3).hash, wanted.hash);
    def = blocks_def(1536, 3); /* noise as an array, two systems of two controllers, and the rest */
    def.kind = HED_MPPI_TUBE;
    def.sampler = HED_MPPI_COLOURED;
    def.exponent[0] = 1;
    def.count = 2;
    def.pure_noise = 0.4f;
    def.alpha = 0.5f;
    def.rate[0] = 20;
    def.delay = 2;
    wanted = blocks_solve(def, &host, 1);
    EXPECT_EQ(wanted.stats.outcome, HED_MPPI_SOLVED);
    EXPECT_EQ(blocks_solve(def, devices, 2).hash, wanted.hash);
}

/* The same samples whatever the blocks: least cost and crashes are the same, sums differ by
 * rounding. */
Test(mppi_blocks, one_block_and_several, .timeout = 300)
{
    hed_device *const devices[] = {here.device, here.device}, *const host = blocks_host();
    hed_mppi_def def = blocks_def(3000, 1);
    def.math = HED_MATH_FAST;
    def.crash_cost = 0.4f;
    blocks_answer one = blocks_solve(def, &host, 1), several;
    def.blocks = 0; /* 8 */
    several = blocks_solve(def, devices, 2);
    EXPECT_GT(one.stats.crashed, 0.0f);
    EXPECT_NEAR(several.stats.crashed, one.stats.crashed, 1e-3f);
    EXPECT_NEAR(several.stats.baseline, one.stats.baseline, 1e-4f * one.stats.baseline);
    EXPECT_NEAR(several.stats.ess, one.stats.ess, 1e-3f * one.stats.ess);
    EXPECT_NEAR(several.stats.free_energy, one.stats.free_energy, 1e-4f);
    for (uint32_t j = 0; j < def.steps * def.model->controls; j++)
        EXPECT_NEAR(several.controls[j], one.controls[j], 1e-3f, "control %u", j);
}

/* Noise that is given: what the blocks of one device take of it is what those of two do. */
Test(mppi_blocks, given_noise, .timeout = 120)
{
    enum { N = 1300 };
    hed_error error = {0};
    hed_device *host = blocks_host();
    hed_mppi_def def = blocks_def(N, 2);
    static float noise[7 * 8 * N];
    uint64_t hashes[2];
    def.sampler = HED_MPPI_GIVEN;
    for (uint32_t i = 0; i < HED_COUNT(noise); i++)
        noise[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f - 0.5f;
    CHECK_LE(def.model->controls, 8u);
    for (uint32_t several = 0; several < 2; several++) {
        hed_mppi *c;
        float x[HED_MPPI_MAX_STATES] = {1, 2};
        def.other_devices = &host;
        def.other_device_count = several;
        OK(hed_mppi_create(several ? here.device : host, &def, &c, &error));
        for (int n = 0; n < 2; n++) {
            OK(hed_mppi_set_noise(c, noise + n, &error));
            OK(hed_mppi_solve(c, x, NULL, NULL, &error));
        }
        hashes[several] = hed_mppi_hash(c);
        hed_mppi_destroy(c);
    }
    EXPECT_EQ(hashes[1], hashes[0]);
}

/* Parameters and tables reach every device, also while a solve is over its deadline. */
Test(mppi_blocks, changes, .timeout = 300)
{
    static const float before[] = {1, 1, 1, 0, 0.8f, 0.8f, 0.1f, 0},
                       after[] = {2, 1, 1, 0, 1, 0, 0.2f, 0, 0.5f, 0.6f, 0.05f, 0};
    hed_mppi_term terms[] = {*hed_mppi_term_find("quadratic"), *hed_mppi_term_find("obstacles")};
    hed_device *host = blocks_host();
    uint64_t hashes[2];
    for (uint32_t several = 0; several < 2; several++) {
        hed_error error = {0};
        hed_mppi_def def = blocks_def(2048, 4);
        hed_mppi *c;
        float x[HED_MPPI_MAX_STATES] = {0.5f, 0.5f};
        def.terms = terms;
        def.term_count = 2;
        def.tables = &(hed_mppi_table){"obstacles", before, HED_COUNT(before), HED_COUNT(after), false};
        def.table_count = 1;
        def.other_devices = &host;
        def.other_device_count = several;
        OK(hed_mppi_create(several ? here.device : host, &def, &c, &error));
        OK(hed_mppi_solve(c, x, NULL, NULL, &error));
        uint64_t first = hed_mppi_hash(c);
        CHECK(hed_mppi_post(c, hed_mppi_parameter_find(c, "obstacles.weight"), 3));
        OK(hed_mppi_post_table(c, "obstacles", after, HED_COUNT(after), &error));
        OK(hed_mppi_solve(c, x, NULL, NULL, &error));
        hashes[several] = hed_mppi_hash(c);
        EXPECT_NE(hashes[several], first);
        hed_mppi_destroy(c);
    }
    EXPECT_EQ(hashes[1], hashes[0]);
}

Test(mppi_blocks, a_deadline, .timeout = 120)
{
    hed_error error = {0};
    hed_device *host = blocks_host();
    hed_mppi_def def = blocks_def(4096, 4);
    hed_mppi *c;
    hed_mppi_stats stats;
    float x[HED_MPPI_MAX_STATES] = {1, 2};
    def.other_devices = &host;
    def.other_device_count = 1;
    def.iterations = 1000;
    def.deadline_ns = 3000000;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    for (int n = 0; n < 3; n++) {
        OK(hed_mppi_solve(c, x, NULL, &stats, &error));
        EXPECT_EQ(stats.outcome, HED_MPPI_DEADLINE);
    }
    hed_mppi_destroy(c);
}

/* Samples for display: those of one block, in the same order, whatever device has them. */
Test(mppi_blocks, traces, .timeout = 300)
{
    enum { SHOWN = 520, STEPS = 7 }; /* more than the first device has */
    static float states[2][2][SHOWN * (STEPS + 1) * 4], costs[2][2][SHOWN];
    hed_device *host = blocks_host();
    for (int several = 0; several < 2; several++) {
        hed_error error = {0};
        hed_mppi_def def = blocks_def(1000, several ? 2 : 1);
        hed_mppi *c;
        float x[HED_MPPI_MAX_STATES] = {1, 2};
        def.sampler = HED_MPPI_COLOURED; /* an array, of which each has a part */
        def.exponent[0] = 1;
        def.other_devices = &here.device;
        def.other_device_count = (uint32_t)several;
        CHECK(def.model->states == 4 && def.steps == STEPS);
        OK(hed_mppi_create(host, &def, &c, &error));
        OK(hed_mppi_solve(c, x, NULL, NULL, &error));
        for (int best = 0; best < 2; best++)
            OK(hed_mppi_trace(c, 0, SHOWN - 40 * best, best, states[several][best],
                costs[several][best], &error));
        hed_mppi_destroy(c);
    }
    for (int best = 0; best < 2; best++) {
        EXPECT_BYTES(states[1][best], states[0][best], sizeof states[0][0], "best %d", best);
        EXPECT_BYTES(costs[1][best], costs[0][best], sizeof costs[0][0], "best %d", best);
    }
}

/* A model that is a text alone: states along the plan come from the first device. */
Test(mppi_blocks, a_text_alone, .timeout = 120)
{
    hed_device *const devices[] = {here.device, here.device}, *const host = blocks_host();
    if (here.device == host) return;
    hed_mppi_def def = blocks_def(1024, 2);
    hed_mppi_model text = *def.model;
    uint64_t wanted = blocks_solve(def, &host, 1).hash;
    text.step = NULL;
    text.lanes = NULL;
    def.model = &text;
    EXPECT_EQ(blocks_solve(def, devices, 2).hash, wanted);
}

Test(mppi_blocks, what_is_refused)
{
    hed_error error = {0};
    hed_device *also[] = {NULL, here.device};
    hed_mppi *c;
    hed_mppi_def def = blocks_def(1024, 2);
    def.other_devices = also;
    def.other_device_count = 2;
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.text, "other_device_count is 2: 0 to 1"), "%s", error.text);
    def.other_device_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.text, "device 0 of also is NULL"), "%s", error.text);
    def.blocks = 65;
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &c, &error));
    def = blocks_def(1024, 2);
    def.update = HED_MPPI_ELITE;
    FAILS(HED_ERROR_UNSUPPORTED, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.text, "2 blocks on 1 devices"), "%s", error.text);
    def = blocks_def(1024, 2);
    def.kind = HED_MPPI_ROBUST;
    FAILS(HED_ERROR_UNSUPPORTED, hed_mppi_create(here.device, &def, &c, &error));
}

Test(mppi_blocks, every_allocation_may_fail, .timeout = 120)
{
    if (here.device != blocks_host()) return;
    static float states[8 * 8 * 4], costs[8];
    test_allocator state = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&state);
    test_device on = test_open(&context);
    uint32_t refused = 0;
    bool whole = false;
    for (uint32_t n = 1; !whole; n++) {
        hed_error error = {0};
        hed_mppi *c = NULL;
        hed_mppi_def def = blocks_def(1024, 2);
        float x[HED_MPPI_MAX_STATES] = {1, 2};
        int64_t live = state.live;
        def.other_devices = &on.device;
        def.other_device_count = 1;
        state.fail_at = state.calls + n;
        hed_status status = hed_mppi_create(on.device, &def, &c, &error);
        if (!status) status = hed_mppi_solve(c, x, NULL, NULL, &error);
        if (!status) status = hed_mppi_trace(c, 0, 8, true, states, costs, &error);
        whole = state.calls < state.fail_at;
        state.fail_at = 0;
        CHECK_EQ(status, whole ? HED_OK : HED_ERROR_MEMORY, "allocation %u: %s", n, error.text);
        refused += !whole;
        hed_mppi_destroy(c);
        CHECK_EQ(state.live, live, "allocation %u", n);
    }
    CHECK_GE(refused, 10);
    test_close(&on);
}
