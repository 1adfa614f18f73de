/* The kernels of mppi through NVRTC, without a device: what an H200 is given, for the sizes that
 * matter, neither spills nor has a stack frame, and the rules choose what was measured to be best.
 * Skipped where NVRTC is not installed. */
#include "nav2/nav2_device.h"
#include "solver/mppi_layout.h"
#include "nvrtc_testing.h"

#include <stdio.h>

extern const char hed_mppi_packets_cl[], hed_mppi_launches_cl[], hed_mppi_merge_cl[];

static const hed_mppi_setting settings[] = {{"quadratic.goal.theta", 3.0f}};

static void device_of_an_h200(hed_device *device)
{
    device->info = (hed_device_info){.id = "cuda:0",
        .backend = "cuda",
        .compute_units = 132,
        .max_group = 1024,
        .local_bytes = 232448,
        .capabilities = HED_CAN_PACKETS | HED_CAN_MAPPED | HED_CAN_LANES | HED_CAN_STRICT};
}

/* Compiles what the rules or `choice` make of a definition, for one of tile.h's passes; the choice
 * is compared with `wanted`. */
static void compile_pass(
    const hed_mppi_def *def, hed_mppi_solver solver, const char *pass, const char *wanted)
{
    static hed_device device;
    hed_error error = {0};
    hed_mppi *c = calloc(1, sizeof *c);
    mppi_layout layout;
    CHECK(c != NULL);
    device_of_an_h200(&device);
    c->arena = (hed_arena){.allocator = hed_default_allocator()};
    c->device = &device;
    OK(mppi_complete(c, def, &error));
    c->systems = def->kind == HED_MPPI_PLAIN ? def->count : 2 * def->count;
    c->past = def->delay > 2 ? def->delay : 2;
    OK(mppi_make_blocks(c, &error));
    CHECK(mppi_device_fits(c));
    OK(mppi_layout_make(c, solver, &layout, &error));
    if (wanted) EXPECT_TEXT(c->structure.choice, wanted);
    hed_kernel_def kernel = {.name = "mppi", .may_spill = true, .min_groups = 1};
    bool packets = solver != HED_MPPI_SOLVER_LAUNCHES;
    kernel.needs = packets ? HED_CAN_PACKETS | HED_CAN_MAPPED : 0;
    kernel.entry = packets ? "mppi_packets" : "mppi_launches";
    OK(mppi_sources(c, &c->arena, &layout, true,
        (hed_source){packets ? "packets.cl" : "launches.cl",
            packets ? hed_mppi_packets_cl : hed_mppi_launches_cl, 0},
        &kernel, &error));
    hed_define defines[TILE_PARAMETERS + 1] = {[TILE_PARAMETERS] = {"PASS", pass}};
    char values[TILE_PARAMETERS][12];
    for (uint32_t i = 0; i < TILE_PARAMETERS; i++) {
        snprintf(values[i], sizeof values[i], "%lld", (long long)layout.config.values[i]);
        defines[i] = (hed_define){mppi_tile_parameters[i].name, values[i]};
    }
    uint32_t group = (uint32_t)layout.config.values[TILE_GROUP];
    hed_build build = {.def = &kernel,
        .defines = defines,
        .define_count = TILE_PARAMETERS + 1,
        .math = def->math,
        .max_threads = group};
    hed_kernel_resources r = resources_of(build, c->structure.choice, "sm_90");
    printf(
        "N %u pass %s, %s: %lld registers, %lld bytes of spills, %lld of stack, %llu of local memory\n",
        def->samples, pass, c->structure.choice, (long long)r.registers, (long long)r.spill_bytes,
        (long long)r.stack_bytes, (unsigned long long)layout.local_bytes);
    EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0, "N %u %s: %lld bytes of spills, %lld of stack",
        def->samples, c->structure.choice, (long long)r.spill_bytes, (long long)r.stack_bytes);
    EXPECT_LE(r.registers * group, REGISTERS_OF_A_UNIT);
    hed_arena_free(&c->arena);
    free(c);
}

static void compile(const hed_mppi_def *def, hed_mppi_solver solver, const char *wanted)
{
    compile_pass(def, solver, "0", wanted);
}

static hed_mppi_def cartpole_def(uint32_t samples)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("cartpole");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = 1;
    def.samples = samples;
    return def;
}

#define BEHIND " SPLIT=0 STORE=local UNROLL=25 MERGERS=4 TEAM=1"
Test(mppi_nvrtc, packets, .timeout = 240)
{
    const struct {
        uint32_t samples;
        const char *choice;
    } cases[] = {{1024, "GROUP=256 SAMPLES=16 NOISE=ahead" BEHIND},
        {2048, "GROUP=256 SAMPLES=16 NOISE=ahead" BEHIND},
        {4096, "GROUP=416 SAMPLES=32 NOISE=ahead" BEHIND},
        {8192, "GROUP=416 SAMPLES=64 NOISE=ahead" BEHIND},
        {16384, "GROUP=512 SAMPLES=128 NOISE=ahead" BEHIND},
        {65536, "GROUP=512 SAMPLES=512 NOISE=ahead" BEHIND}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        hed_mppi_def def = cartpole_def(cases[i].samples);
        compile(&def, HED_MPPI_SOLVER_PACKETS, cases[i].choice);
    }
    hed_mppi_def def = cartpole_def(1 << 20);
    def.blocks = 8;
    compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
    compile(&def, HED_MPPI_SOLVER_LAUNCHES, NULL);
}

/* A cost that reads a map: longer steps, so fewer of them in the loop. */
Test(mppi_nvrtc, costmap, .timeout = 240)
{
    static float map[8 + 9] = {3, 3, 0, 0, 1};
    static const hed_mppi_table tables[] = {{.name = "costmap", .values = map, .count = 17}};
    static const uint32_t samples[] = {1024, 8192, 65536};
    hed_mppi_term terms[3] = {*hed_mppi_term_find("goal"), *hed_mppi_term_find("goal_angle"),
        *hed_mppi_term_find("costmap")};
    for (size_t i = 0; i < HED_COUNT(samples); i++) {
        hed_mppi_def def = cartpole_def(samples[i]);
        def.model = hed_mppi_model_find("differential_drive");
        def.terms = terms;
        def.term_count = 3;
        def.setting_count = 0;
        def.tables = tables;
        def.table_count = 1;
        compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
        def.math = HED_MATH_STRICT;
        compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
    }
}

/* A network's layers are shared out, and its weights stay in registers. */
Test(mppi_nvrtc, network, .timeout = 240)
{
    static float weights[1412];
    static const hed_mppi_table tables[] = {{.name = "network", .values = weights, .count = 1412}};
    hed_mppi_def def = cartpole_def(1024);
    def.model = hed_mppi_model_find("network");
    def.setting_count = 0;
    def.tables = tables;
    def.table_count = 1;
    compile(&def, HED_MPPI_SOLVER_PACKETS,
        "GROUP=256 SAMPLES=8 NOISE=ahead SPLIT=0 STORE=local UNROLL=2 MERGERS=4 TEAM=32");
    def.samples = 4096;
    compile(&def, HED_MPPI_SOLVER_PACKETS,
        "GROUP=256 SAMPLES=16 NOISE=ahead SPLIT=0 STORE=local UNROLL=2 MERGERS=4 TEAM=16");
}

Test(mppi_nvrtc, resident_strict_and_launches, .timeout = 240)
{
    hed_mppi_def def = cartpole_def(8192);
    compile(&def, HED_MPPI_SOLVER_RESIDENT, NULL);
    compile(&def, HED_MPPI_SOLVER_LAUNCHES, NULL);
    def.math = HED_MATH_STRICT;
    compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
    def.samples = 65536;
    compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
}

/* What needs all costs first, several rollouts of a sample, and two systems in one. */
Test(mppi_nvrtc, passes, .timeout = 240)
{
    hed_mppi_def def = cartpole_def(8192);
    def.update = HED_MPPI_ELITE;
    compile_pass(&def, HED_MPPI_SOLVER_LAUNCHES, "1", NULL);
    compile_pass(&def, HED_MPPI_SOLVER_LAUNCHES, "2", NULL);
    def.update = HED_MPPI_TSALLIS;
    def.math = HED_MATH_STRICT;
    compile_pass(&def, HED_MPPI_SOLVER_LAUNCHES, "2", NULL);
    def = cartpole_def(8192);
    def.disturbance[1] = 1;
    def.rollouts = 16;
    def.risk = HED_MPPI_CONDITIONAL_VALUE_AT_RISK;
    def.risk_level = 0.9f;
    compile(&def, HED_MPPI_SOLVER_LAUNCHES, NULL);
    compile(&def, HED_MPPI_SOLVER_PACKETS, NULL);
    def = cartpole_def(8192);
    def.kind = HED_MPPI_ROBUST;
    def.alpha = 0.5f;
    compile_pass(&def, HED_MPPI_SOLVER_LAUNCHES, "3", NULL);
}

/* The kernels of Nav2's controller, of a robot without and with sideways velocity. */
Test(mppi_nvrtc, nav2, .timeout = 240)
{
    for (uint32_t k = 0; k < 2 * NAV2_DEVICE_KERNELS; k++) {
        hed_source sources[NAV2_DEVICE_SOURCES];
        hed_kernel_def def;
        nav2_device_define(k / 2, sources, &def);
        const hed_define defines[] = {{"SIDEWAYS", k % 2 ? "1" : "0"}, {"NAV2_TEAM", "8"}};
        hed_build build = {.def = &def, .defines = defines, .define_count = 2, .max_threads = 256};
        hed_kernel_resources r = resources_of(build, def.name, "sm_90");
        printf("%s, %llu axes: %lld registers, %lld bytes of spills, %lld of stack\n", def.name,
            2 + (unsigned long long)k % 2, (long long)r.registers, (long long)r.spill_bytes,
            (long long)r.stack_bytes);
        EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0, "%s: %lld bytes of spills, %lld of stack",
            def.name, (long long)r.spill_bytes, (long long)r.stack_bytes);
    }
}
