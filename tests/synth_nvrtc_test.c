/* The kernels that run programs through NVRTC, without a device: groups of up to 1,024 items have the registers they
 * need and neither spill nor have a stack frame on an H200; all compile for older architectures. Skipped where NVRTC
 * is not installed. */
/* ctest: timeout=300 */
#include "backends/cuda/nvrtc.h"
#include "core/objects.h"

#include "kernels/kernels.h"
#include "testing.h"

static hed_error error;

static void check(const hed_kernel_def *def, uint32_t group, bool strict, const char *target)
{
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *nvrtc;
    char reason[256] = "", size[24];
    cr_assert_eq(hed_nvrtc_open(&allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
                 HED_OK);
    if (!nvrtc) cr_skip_test("no NVRTC on this machine: %s", reason);
    snprintf(size, sizeof size, "%u", group);
    hed_define defines[8] = {{"WG", size}};
    if (def->define_count) memcpy(defines + 1, def->defines, def->define_count * sizeof *defines);
    hed_build build = {.def = def,
                       .entry = def->entry,
                       .defines = defines,
                       .define_count = 1 + def->define_count,
                       .sources = def->sources,
                       .source_count = def->source_count,
                       .math = strict ? HED_MATH_STRICT : HED_MATH_FAST,
                       .max_threads = group,
                       .min_groups = def->min_groups};
    hed_binary binary = {0};
    cr_assert_eq(hed_nvrtc_compile(nvrtc, target, &build, &binary, &error), HED_OK, "%s of %u for %s: %s\n%s",
                 def->name, group, target, error.text, error.log);
    hed_kernel_resources r = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
    hed_nvrtc_read_log(binary.log, def->entry, &r);
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_nvrtc_close(nvrtc);
    if (strcmp(target, "sm_90") != 0) return;
    cr_expect(strict || (r.spill_bytes == 0 && r.stack_bytes == 0), /* strict divides in a function of its own */
              "%s of %u, %s: %lld registers, %lld bytes of spills, %lld of stack", def->name, group,
              strict ? "strict" : "fast", (long long)r.registers, (long long)r.spill_bytes, (long long)r.stack_bytes);
    cr_expect(r.registers > 0 && r.registers * group <= 65536, "%s of %u: %lld registers", def->name, group,
              (long long)r.registers);
}

Test(synth_nvrtc, programs_have_their_registers)
{
    check(&synth_group_def, 1024, false, "sm_90");
    check(&synth_group_def, 256, true, "sm_90");
    check(&synth_global_def, 1024, false, "sm_90");
    check(&synth_resident_def, 1024, false, "sm_90");
    check(&synth_awake_def, 32, false, "sm_90");
}

Test(synth_nvrtc, older_architectures)
{
    check(&synth_group_def, 1024, true, "sm_75");
    check(&synth_global_def, 512, false, "sm_80");
}
