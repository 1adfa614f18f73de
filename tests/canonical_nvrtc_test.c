/* ctest: long */
/* Every canonical kernel through NVRTC, without a device: no spill and no stack frame, and
 * registers for the whole group. Each value of each parameter with HEDDLE_TEST_FULL=1, else the
 * defaults and both sides of every switch; for older architectures then in one mode. Skipped where
 * NVRTC is not installed. */
#include "heddle/canonical.h"
#include "nvrtc_testing.h"

/* What valid() sees of an H200. */
static const hed_device_info gpu = {.id = "cuda:0", .lane_width = 32, .max_group = 1024,
    .local_bytes = 227 << 10, .registers = 65536, .architecture = 90,
    .capabilities = (((uint64_t)1 << HED_CAPABILITY_COUNT) - 1) & ~(uint64_t)HED_CAN_WGSL};

static hed_nvrtc *nvrtc;
static hed_allocator allocator;

static hed_kernel_resources compile(
    const hed_kernel_def *def, const hed_config *config, const char *target, hed_math math)
{
    char values[HED_MAX_PARAMETERS][24], text[256], what[512];
    hed_define defines[HED_MAX_PARAMETERS + 8];
    for (uint32_t p = 0; p < def->parameter_count; p++) {
        snprintf(values[p], sizeof values[p], "%lld", (long long)config->values[p]);
        defines[p] = (hed_define){def->parameters[p].name, values[p]};
    }
    for (uint32_t d = 0; d < def->define_count; d++)
        defines[def->parameter_count + d] = def->defines[d];
    hed_build build = {.def = def, .entry = def->name, .math = math, .defines = defines,
        .define_count = def->parameter_count + def->define_count, .sources = def->sources,
        .source_count = def->source_count, .max_threads = hed_config_max_threads(def, config),
        .min_groups = def->min_groups};
    hed_config_format(def, config, text, sizeof text);
    snprintf(what, sizeof what, "%s [%s]", def->name, text);
    if (math == HED_MATH_STRICT) hiprtc_compile(&build, what);
    return nvrtc_report(nvrtc, &build, what, target);
}

static void check(
    const hed_kernel_def *def, const hed_config *config, const char *target, hed_math math)
{
    char text[256];
    hed_kernel_resources r = compile(def, config, target, math);
    hed_config_format(def, config, text, sizeof text);
    EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0,
        "%s [%s] for %s: %lld bytes of spills, %lld of stack", def->name, text, target,
        (long long)r.spill_bytes, (long long)r.stack_bytes);
    uint32_t group = hed_config_max_threads(def, config);
    EXPECT(r.registers > 0 && r.registers * group <= 65536,
        "%s [%s] for %s: %lld registers for groups of %u", def->name, text, target,
        (long long)r.registers, group);
}

/* `modes`: a bit each. */
static void check_in_modes(
    const hed_kernel_def *def, const hed_config *config, const char *target, int modes)
{
    for (int strict = 0; strict < 2; strict++)
        if (modes >> strict & 1 && (!def->valid || def->valid(def, config, &gpu, strict)))
            check(def, config, target, strict ? HED_MATH_STRICT : HED_MATH_FAST);
}

static void check_kernel(const char *name)
{
    const char *full = getenv("HEDDLE_TEST_FULL");
    bool is_full = full && full[0] == '1';
    const hed_kernel_def *def = hed_canonical_find(name);
    allocator = hed_default_allocator();
    nvrtc = nvrtc_open_or_skip(&allocator);
    hed_config preferred = hed_config_default(def);
    EXPECT(!def->valid || def->valid(def, &preferred, &gpu, true));
    check_in_modes(def, &preferred, "sm_75", is_full ? 3 : 2);
    check_in_modes(def, &preferred, "sm_80", is_full ? 3 : 1);
    check_in_modes(def, &preferred, "sm_90", 3);
    for (uint32_t p = 0; p < def->parameter_count; p++) {
        const hed_parameter_def *parameter = &def->parameters[p];
        bool is_switch = parameter->count == 2 && parameter->values[0] == 0;
        for (uint32_t v = 0; v < parameter->count && (is_switch || is_full); v++) {
            hed_config config = preferred;
            config.values[p] = parameter->values[v];
            if (config.values[p] != preferred.values[p]) check_in_modes(def, &config, "sm_90", 3);
        }
    }
    hed_nvrtc_close(nvrtc);
}

/* A private array indexed at run time lies on the stack: the check is able to fail. */
Test(canonical_nvrtc, sees_a_stack_frame)
{
    static const char text[] = "__kernel void planted(__global uint *values)\n"
                               "{\n"
                               "    uint own[32];\n"
                               "    for (uint i = 0; i < 32; i++) own[values[i] % 32] = i;\n"
                               "    values[get_global_id(0)] = own[values[40] % 32];\n"
                               "}\n";
    static const hed_source source = {"planted.cl", text, 0};
    static const hed_kernel_def def = {.name = "planted", .sources = &source, .source_count = 1};
    allocator = hed_default_allocator();
    nvrtc = nvrtc_open_or_skip(&allocator);
    hed_config config = {0};
    EXPECT(compile(&def, &config, "sm_90", HED_MATH_FAST).stack_bytes >= 128);
    hed_nvrtc_close(nvrtc);
}

Test(canonical_nvrtc, copy) { check_kernel("copy"); }
Test(canonical_nvrtc, saxpy) { check_kernel("saxpy"); }
Test(canonical_nvrtc, transpose) { check_kernel("transpose"); }
Test(canonical_nvrtc, reduction) { check_kernel("reduction"); }
Test(canonical_nvrtc, scan_tree) { check_kernel("scan_tree"); }
Test(canonical_nvrtc, scan) { check_kernel("scan"); }
Test(canonical_nvrtc, scan_single) { check_kernel("scan_single"); }
Test(canonical_nvrtc, convolution) { check_kernel("convolution"); }
Test(canonical_nvrtc, nbody) { check_kernel("nbody"); }
Test(canonical_nvrtc, matmul) { check_kernel("matmul"); }
