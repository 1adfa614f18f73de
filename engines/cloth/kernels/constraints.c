/* Descriptions and native versions of the kernels of constraints: `cloth_distance` (one colour in a
 * launch), `cloth_sets` (all sets in one group), `cloth_lines`, `cloth_elements` (one colour in a
 * launch). */
#include "kernels/kernels.h"

HED_NATIVE_BODY distance_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_step step = cloth_step_at(a[6], *(const uint *)a[7]);
    uint pass = *(const uint *)a[8], first = *(const uint *)a[9];
    for (uint64_t i = begin; i < end; i++)
        cloth_distance_one(
            first + (uint)i, a[0], a[1], a[2], a[3], a[4], a[5], step.stiffness, pass);
}
HED_NATIVE_CLONES(distance_native, distance_body)
/* Two particles are read and written, and 14 bytes of the constraint read; 33 operations. */
CLOTH_WORK(distance_work, 64.0 + 14.0, 33.0)

/* The sample has one more constraint than the problem, in front of the range [first, first + count).
 * A constraint connects two particles of its own. */
const hed_kernel_def cloth_distance_def = {
    .name = "cloth_distance",
    .summary = "min/max distance constraints of one colour, projected",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"project.h", hed_cloth_project_h, 0}, {"distance.cl", hed_cloth_distance_cl, 0}),
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "8*constraints", .tolerance = 1e-5),
        CLOTH_CONSTRAINT_ARGUMENTS, HED_VALUE(uint, substep), HED_VALUE(uint, pass),
        HED_VALUE(uint, first), HED_VALUE(uint, count)),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("constraints", distance),
    HED_PROBLEMS(
        HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001), HED_PROBLEM(1002)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 22) - 1),
};

/* One group; a group of one item is a sequential task. */
static void sets_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    hed_geometry_1d(
        layout, 1, config->values[0], 1, 0); /* the native version solves one set after another */
}

HED_NATIVE_BODY sets_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_step step = cloth_step_at(a[6], *(const uint *)a[8]);
    const uint *set_at = a[7];
    uint pass = *(const uint *)a[9], sets = *(const uint *)a[10];
    for (uint i = set_at[0]; begin < end && i < set_at[sets]; i++)
        cloth_distance_one(i, a[0], a[1], a[2], a[3], a[4], a[5], step.stiffness, pass);
}
HED_NATIVE_CLONES(sets_native, sets_body)
CLOTH_WORK(sets_work, 64.0 + 14.0, 33.0)

/* The sample is a chain: the constraints at its even positions, then the constraints at its odd
 * positions, in sets of eight. */
const hed_kernel_def cloth_sets_def = {
    .name = "cloth_sets",
    .summary = "all sets of distance constraints by one group, a barrier after each",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"project.h", hed_cloth_project_h, 0}, {"sets.cl", hed_cloth_sets_cl, 0}),
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "4*constraints", .tolerance = 1e-5),
        CLOTH_CONSTRAINT_ARGUMENTS, HED_IN(uint, set_at, .count = "constraints"),
        HED_VALUE(uint, substep), HED_VALUE(uint, pass), HED_VALUE(uint, sets)),
    HED_PARAMETERS(
        HED_PARAMETER(WG, 32, 1, 8, 32, 128, 512, 1024), HED_CHOICE(VECTOR, 0, "scalar", "vector")),
    .geometry = sets_geometry,
    CLOTH_FOR_EACH("constraints", sets),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(302)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM(1 << 16),
};

HED_NATIVE_BODY lines_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    float give = cloth_stiffness_at(a[6], *(const uint *)a[7]);
    uint pass = *(const uint *)a[8], first = *(const uint *)a[9];
    float4 *sums = a[3];
    float *links = a[4];
    for (uint64_t i = begin; i < end; i++) {
        cloth_line_at line = cloth_line_of(a[1], first + (uint)i);
        cloth_line_pass along = cloth_line_begin();
        for (uint j = 0; j < line.count; j++) {
            cloth_line_row row =
                cloth_line_forth(&along, cloth_line_row_of(j, line, a[0], a[2], a[5], give, pass));
            sums[line.row + j] = row.sum;
            links[2 * (line.row + j)] = row.one;
            links[2 * (line.row + j) + 1] = row.two;
        }
        along = cloth_line_begin();
        for (uint j = line.row + line.count; j-- > line.row;) {
            cloth_line_row row = {sums[j], links[2 * j], links[2 * j + 1]};
            sums[j] = cloth_line_back(&along, row).sum;
        }
        for (uint j = 0; j < line.count + (line.across ? 1 : 2); j++)
            cloth_line_move(j, line, a[0], a[2], a[3]);
        for (uint j = 0; pass > 0 && j < line.count; j++)
            cloth_line_keep(j, line, a[3], a[5], pass);
    }
}
HED_NATIVE_CLONES(lines_native, lines_body)
/* Lines of the sample have 65 rows on average: for a row 16 bytes of weights, and 24 bytes of sums
 * and links four times; 110 operations. */
CLOTH_WORK(lines_work, 65 * (96.0 + 16.0 + 96.0), 65 * 110.0)

/* Geometry of a group for each line. */
static void lines_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t lines = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, lines, config->values[0], lines, 4);
}

/* Line i of the sample has the particles 100 i to 100 i + 99: all of them, every second one, or two
 * rows of them as a strip. */
const hed_kernel_def cloth_lines_def = {
    .name = "cloth_lines",
    .summary = "bending along lines of a grid, each solved as one system",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"line.cl", hed_cloth_line_cl, 0}),
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "400*lines", .tolerance = 1e-4),
        HED_IN(uint, lines, .count = "8*lines"), HED_IN(float, weights, .count = "400*lines"),
        HED_INOUT(float, sums, .count = "400*lines", .tolerance = 1e-4),
        HED_INOUT(float, links, .count = "200*lines", .tolerance = 1e-4),
        HED_INOUT(float, pulled, .count = "400*lines", .tolerance = 1e-4),
        HED_IN(bytes, steps, .count = CLOTH_SAMPLE_STEP_BYTES), HED_VALUE(uint, substep),
        HED_VALUE(uint, pass), HED_VALUE(uint, first)),
    HED_PARAMETERS(HED_PARAMETER(WG, 32, 32, 64, 128, 256)),
    .geometry = lines_geometry,
    CLOTH_FOR_EACH("lines", lines),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 12) - 1),
};

HED_NATIVE_BODY elements_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_step step = cloth_step_at(a[3], *(const uint *)a[5]);
    uint all = *(const uint *)a[4], pass = *(const uint *)a[6], first = *(const uint *)a[7];
    for (uint64_t i = begin; i < end; i++)
        cloth_element_one(first + (uint)i, a[0], a[1], all, a[2], step.stiffness, pass);
}
HED_NATIVE_CLONES(elements_native, elements_body)
/* Six particles are read and written, and 128 bytes of the element read; 486 operations. */
CLOTH_WORK(elements_work, 192.0 + 128.0, 486.0)

/* Element i of the sample has the particles 6 i to 6 i + 5; every third element is at a border. */
const hed_kernel_def cloth_elements_def = {
    .name = "cloth_elements",
    .summary = "strain and bending of a fabric's triangles of one colour, projected",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"element.cl", hed_cloth_element_cl, 0}),
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "24*elements", .tolerance = 1e-4),
        HED_IN(uint, elements, .count = "32*elements"),
        HED_INOUT(float, pulled, .count = "12*elements", .tolerance = 1e-4),
        HED_IN(bytes, steps, .count = CLOTH_SAMPLE_STEP_BYTES), HED_VALUE(uint, all),
        HED_VALUE(uint, substep), HED_VALUE(uint, pass), HED_VALUE(uint, first),
        HED_VALUE(uint, count)),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("elements", elements),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 20) - 1),
};
