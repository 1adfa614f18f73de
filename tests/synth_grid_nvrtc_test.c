/* The kernel of solver grid through NVRTC, without a device: the shapes that matter on an H200
 * fit 64 registers at 1,024 threads and neither spill nor have a stack frame; and it compiles for
 * older architectures. Skipped where NVRTC is not installed. */

#include "solver/grid/grid.h"
#include "nvrtc_testing.h"

enum { MOST_DEFINES = 24 };

/* A lattice with 6 neighbours; `more` ends with a NULL name. */
typedef struct instance {
    const char *name;
    uint32_t threads;
    hed_define more[MOST_DEFINES];
} instance;

static void check(const instance *made, const char *target)
{
    char threads[12];
    snprintf(threads, sizeof threads, "%u", made->threads);
    hed_define defines[MOST_DEFINES] = {{"WG", threads}, {"DEGREE", "6"}, {"PACKETS", "1"},
        {"CONTROL_LOCAL", "1"}, {"SYNTH_SPACE", "__local"}};
    uint32_t count = 5;
    for (uint32_t i = 0; made->more[i].name; i++) defines[count++] = made->more[i];
    hed_build build = {.def = &synth_lattice_packets_def, .defines = defines, .define_count = count,
        .max_threads = made->threads};
    hed_kernel_resources r = resources_of(build, made->name, target);
    if (strcmp(target, "sm_90") != 0) return;
    EXPECT(r.spill_bytes == 0 && r.stack_bytes == 0,
        "%s: %lld registers, %lld bytes of spills, %lld of stack", made->name,
        (long long)r.registers, (long long)r.spill_bytes, (long long)r.stack_bytes);
    EXPECT(r.registers > 0 && r.registers * made->threads <= REGISTERS_OF_A_UNIT,
        "%s: %lld registers", made->name, (long long)r.registers);
}

#define MILLION \
    {"EACH", "8"}, {"RIM", "3"}, {"HALO", "3"}, {"PLACES", "10593"}, {"HELD", "0"}, { "SAME", "1" }
static const instance million = {
    "a million masses, a lattice", 1024, {MILLION, {"BODIES", "0"}, {"TENSE", "1"}}};
static const instance million_classes = {
    "a million masses of several kinds", 1024, {MILLION, {"BODIES", "1"}, {"CLASSES", "5"}}};
static const instance million_kinds = {"a million masses, springs moved", 1024,
    {MILLION, {"SPRINGS", "1"}, {"MATERIALS", "123"}, {"CLASSES", "5"}, {"TENSE", "1"},
        {"KIND_FLOATS", "4"}, {"STRETCH", "0.9f"}}};
static const instance million_own = {
    "a million masses, irregular", 1024, {MILLION, {"SPRINGS", "2"}, {"CLASSES", "5"}}};
static const instance half = {"524,288 masses", 1024,
    {{"EACH", "4"}, {"RIM", "2"}, {"HALO", "2"}, {"PLACES", "5633"}, {"SAME", "1"}, {"BODIES", "0"},
        {"TENSE", "1"}}};
static const instance small = {"65,536 masses", 512,
    {{"EACH", "1"}, {"RIM", "1"}, {"HALO", "1"}, {"PLACES", "897"}, {"CLASSES", "3"}}};
static const instance cubic = {"stretched springs with a cubic term", 512,
    {{"EACH", "2"}, {"RIM", "1"}, {"HALO", "1"}, {"PLACES", "1537"}, {"TENSE", "1"}, {"CUBIC", "1"},
        {"SPRINGS", "2"}, {"MATERIALS", "9"}}};

Test(synth_grid_nvrtc, a_million_masses)
{
    check(&million, "sm_90");
    check(&million_classes, "sm_90");
    check(&million_kinds, "sm_90");
    check(&million_own, "sm_90");
}

Test(synth_grid_nvrtc, fewer)
{
    check(&half, "sm_90");
    check(&small, "sm_90");
    check(&cubic, "sm_90");
}

Test(synth_grid_nvrtc, older_architectures)
{
    check(&half, "sm_80");
    check(&cubic, "sm_75");
}
