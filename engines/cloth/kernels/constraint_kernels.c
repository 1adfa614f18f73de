/* Descriptions and native versions of the kernels of constraints: `cloth_distance` (one colour in a
 * launch), `cloth_sets` (all sets in one group), `cloth_lines`, `cloth_elements` and
 * `cloth_cells` (one colour in a launch). */
#include "kernels/kernels.h"

HED_NATIVE_BODY distance_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_projection view = cloth_projection_of(call->arguments);
    const uint first = cloth_distance_view_of(call->arguments).first;
    const float stiffness = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++) cloth_distance_one(first + (uint)i, view, stiffness);
}
HED_NATIVE_CLONES(distance_native, distance_body)
/* Two particles are read and written, and 14 bytes of the constraint read; 33 operations. */
CLOTH_WORK(distance_work, 64.0 + 14.0, 33.0)

/* The sample has one more constraint than the problem, in front of the range [first, first +
 * count). A constraint connects two particles of its own. */
const hed_kernel_def cloth_distance_def = {
    .name = "cloth_distance",
    .summary = "min/max distance constraints of one colour, projected",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"project.h", hed_cloth_project_h, 0}, {"distance.cl", hed_cloth_distance_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_DISTANCE),
        [HED_ROW(cloth_projection, position)].count = "2*constraints",
        [HED_ROW(cloth_projection, position)].tolerance = 1e-5,
        [HED_ROW(cloth_projection, multipliers)].tolerance = 1e-5),
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
    const cloth_projection view = cloth_projection_of(call->arguments);
    const cloth_sets_view sets = cloth_sets_view_of(call->arguments);
    const float stiffness = cloth_stiffness_at(view.steps, view.substep);
    for (uint i = sets.set_at[0]; begin < end && i < sets.set_at[sets.sets]; i++)
        cloth_distance_one(i, view, stiffness);
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
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_SETS),
        [HED_ROW(cloth_projection, position)].tolerance = 1e-5,
        [HED_ROW(cloth_projection, multipliers)].tolerance = 1e-5),
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
    const cloth_lines_view view = cloth_lines_view_of(call->arguments);
    float give = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++) {
        cloth_line_at line = cloth_line_of(view.lines, view.first + (uint)i);
        uint pairs = cloth_line_pairs(line), step = 1;
        for (uint k = 0; k < pairs; k++) cloth_line_begin(k, line, view, give);
        for (uint k = 0; k < pairs; k++) cloth_line_divide(k, line, view);
        for (; step < pairs; step *= 2)
            for (uint k = cloth_reduced(0, step); k < pairs; k += 2 * step)
                cloth_line_reduce(k, step, line, view);
        for (; step > 0; step /= 2)
            for (uint k = cloth_solved(0, step); k < pairs; k += 2 * step)
                cloth_line_substitute(k, step, line, view);
        for (uint j = 0; j < line.count + (line.across ? 1 : 2); j++)
            cloth_line_move(j, line, view);
        for (uint j = 0; view.pass > 0 && j < line.count; j++) cloth_line_keep(j, line, view);
    }
}
HED_NATIVE_CLONES(lines_native, lines_body)
/* Lines of the sample have 65 rows on average: for a row 16 bytes of weights, and 32 bytes of sums
 * and links eight times; 190 operations. */
CLOTH_WORK(lines_work, 65 * (96.0 + 16.0 + 256.0), 65 * 190.0)

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
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"line.h", hed_cloth_line_h, 0},
        {"line_group.h", hed_cloth_line_group_h, 0}, {"line.cl", hed_cloth_line_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_LINES),
        [HED_ROW(cloth_lines_view, position)].count = "100*lines",
        [HED_ROW(cloth_lines_view, lines)].count = "2*lines",
        [HED_ROW(cloth_lines_view, weights)].count = "100*lines",
        [HED_ROW(cloth_lines_view, sums)].count = "100*lines",
        [HED_ROW(cloth_lines_view, links)].count = "100*lines",
        [HED_ROW(cloth_lines_view, pulled)].count = "100*lines",
        [HED_ROW(cloth_lines_view, position)].tolerance = 1e-4,
        [HED_ROW(cloth_lines_view, pulled)].tolerance = 1e-4),
    CLOTH_SOLVES,
    HED_CONSTRAINTS("SOLVE == 0 || WG <= 512"), /* four float4 for each item */
    .geometry = lines_geometry,
    CLOTH_FOR_EACH("lines", lines),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 12) - 1),
};

HED_NATIVE_BODY elements_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_elements_view view = cloth_elements_view_of(call->arguments);
    const float stiffness = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++) cloth_element_one(view.first + (uint)i, view, stiffness);
}
HED_NATIVE_CLONES(elements_native, elements_body)
/* Six particles are read and written, and 128 bytes of the element read; 570 operations. */
CLOTH_WORK(elements_work, 192.0 + 128.0, 570.0)

/* Element i of the sample has the particles 6 i to 6 i + 5; every third element is at a border. */
const hed_kernel_def cloth_elements_def = {
    .name = "cloth_elements",
    .summary = "strain and bending of a fabric's triangles of one colour, projected",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"element.cl", hed_cloth_element_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_ELEMENTS),
        [HED_ROW(cloth_elements_view, position)].count = "6*elements",
        [HED_ROW(cloth_elements_view, elements)].count = "8*elements",
        [HED_ROW(cloth_elements_view, pulled)].count = "3*elements",
        [HED_ROW(cloth_elements_view, position)].tolerance = 1e-4,
        [HED_ROW(cloth_elements_view, pulled)].tolerance = 1e-4),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("elements", elements),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 20) - 1),
};

HED_NATIVE_BODY cells_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_cells_view view = cloth_cells_view_of(call->arguments);
    const float stiffness = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++) cloth_cell_one(view.first + (uint)i, view, stiffness);
}
HED_NATIVE_CLONES(cells_native, cells_body)
/* Four particles are read and written, and 32 bytes of the cell read; 83 operations. */
CLOTH_WORK(cells_work, 128.0 + 32.0, 83.0)

/* Cell i of the sample has the particles 4 i to 4 i + 3. */
const hed_kernel_def cloth_cells_def = {
    .name = "cloth_cells",
    .summary = "both diagonals of a fabric's cells of one colour, projected",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"cell.cl", hed_cloth_cell_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_CELLS),
        [HED_ROW(cloth_cells_view, position)].count = "4*cells",
        [HED_ROW(cloth_cells_view, cells)].count = "2*cells",
        [HED_ROW(cloth_cells_view, position)].tolerance = 1e-4,
        [HED_ROW(cloth_cells_view, pulled)].tolerance = 1e-4),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("cells", cells),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 20) - 1),
};
