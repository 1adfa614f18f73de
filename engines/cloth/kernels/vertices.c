/* Descriptions and native versions of the kernels of surfaces and vertices: `cloth_surface`,
 * `cloth_wind`, `cloth_gas`, `cloth_write_back`, `cloth_read`. */
#include "kernels/kernels.h"

HED_NATIVE_BODY surface_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_surface_view view = cloth_surface_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_surface_one((uint)i, view);
}
HED_NATIVE_CLONES(surface_native, surface_body)
/* Each particle has six triangles around it, and the mesh two triangles for each particle, whose
 * corners are read once; 30 operations for a triangle around a particle. */
CLOTH_WORK(surface_work, 16.0 + 4.0 + 24.0 + 24.0 + 16.0, 190.0)

const hed_kernel_def cloth_surface_def = {
    .name = "cloth_surface",
    .summary = "normal and area of each particle, from the triangles around it",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"surface.h", hed_cloth_surface_h, 0}, {"surface.cl", hed_cloth_surface_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_SURFACE),
        /* minimum: particles + 1 */
        [HED_ROW(cloth_surface_view, incident_at)].count = "2*particles",
        [HED_ROW(cloth_surface_view, incident)].count = "6*particles",
        [HED_ROW(cloth_surface_view, triangles)].count = "3*particles",
        [HED_ROW(cloth_surface_view, air)].tolerance = 1e-4),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("particles", surface),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY wind_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_wind_view view = cloth_wind_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_wind_one((uint)i, view);
}
HED_NATIVE_CLONES(wind_native, wind_body)
/* A particle reads eight nodes and is written; 80 operations for the grid, 30 for each fan. */
CLOTH_WORK(wind_work, 16.0 + 8.0 * 16.0 + 16.0, 80.0 + 30.0 * CLOTH_SAMPLE_FANS)

const hed_kernel_def cloth_wind_def = {
    .name = "cloth_wind",
    .summary = "motion of the air at each particle, by fans and a grid of velocities",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"surface.h", hed_cloth_surface_h, 0}, {"surface.cl", hed_cloth_surface_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_WIND), [HED_ROW(cloth_wind_view, fans)].count = "1",
        [HED_ROW(cloth_wind_view, grid)].count = "1",
        [HED_ROW(cloth_wind_view, air)].count = "2*particles",
        [HED_ROW(cloth_wind_view, air)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("particles", wind),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY gas_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_gas_view view = cloth_gas_view_of(call->arguments);
    for (uint64_t g = begin; g < end; g++) {
        const uint4 *gas = view.gases + 2 * g;
        float sums[CLOTH_GAS_LANES];
        for (uint lane = 0; lane < CLOTH_GAS_LANES; lane++)
            sums[lane] = cloth_gas_lane(view.position, view.triangles, gas->y, gas->z, lane);
        for (uint left = CLOTH_GAS_LANES / 2; left > 0; left /= 2)
            for (uint lane = 0; lane < left; lane++) sums[lane] += sums[lane + left];
        view.garments[CLOTH_GARMENT_WORDS * gas->x + 1].w =
            cloth_gas_push(sums[0], as_float(gas[1].x), as_float(gas[1].y), view.dt_square);
    }
}
HED_NATIVE_CLONES(gas_native, gas_body)
/* A gas of the sample has 300 triangles of three corners; 20 operations for a triangle. */
CLOTH_WORK(gas_work, 300.0 * 60.0, 300.0 * 20.0)

static void gas_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t gases = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, gases, config->values[0], gases, 1);
}

const hed_kernel_def cloth_gas_def = {
    .name = "cloth_gas",
    .summary = "pressure of the gas in closed garments, by their volume",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"surface.h", hed_cloth_surface_h, 0}, {"surface.cl", hed_cloth_surface_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_GAS),
        [HED_ROW(cloth_gas_view, triangles)].count = "900*gases",
        [HED_ROW(cloth_gas_view, gases)].count = "2*gases",
        [HED_ROW(cloth_gas_view, garments)].tolerance = 1e-3),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 256)),
    .geometry = gas_geometry,
    CLOTH_FOR_EACH("gases", gas),
    HED_PROBLEMS(HED_PROBLEM(2), HED_PROBLEM(7)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(8),
};

HED_NATIVE_BODY write_back_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_write_back_view view = cloth_write_back_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_write_back_one((uint)i, view);
}
HED_NATIVE_CLONES(write_back_native, write_back_body)
/* A particle, its number, colour and normal are read, a vertex and a normal written; operations of
 * two matrices. */
CLOTH_WORK(write_back_work, 4.0 + 16.0 + 8.0 + 16.0 + 32.0, 45.0)

/* `broken` starts as zeros, as in a cloth. */
const hed_kernel_def cloth_write_back_def = {
    .name = "cloth_write_back",
    .summary = "vertices and normals from particles, through a matrix, colours packed",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"vertex.h", hed_cloth_vertex_h, 0}, {"write_back.cl", hed_cloth_write_back_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_WRITE_BACK),
        [HED_ROW(cloth_write_back_view, vertices)].tolerance = 1e-5,
        [HED_ROW(cloth_write_back_view, normals)].tolerance = 1e-5,
        [HED_ROW(cloth_write_back_view, broken)].count = "4"),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("vertices", write_back),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

/* Transforms as cloth_transform(), with its rows as lanes of a vector; compilers do not vectorise
 * cloth_transform() by themselves. */
HED_NATIVE_BODY transform_row(const float *m, float4 p, float *vertex)
{
    for (int k = 0; k < 4; k++)
        vertex[k] = fma(p.z, m[8 + k], fma(p.y, m[4 + k], fma(p.x, m[k], m[12 + k])));
}

/* Writes positions of vertices. All four lanes are stored: the next vertex overwrites the fourth;
 * the last vertex stores three. */
HED_NATIVE_BODY read_positions(const float4 *position, const uint *vertex_particle,
    float *positions, const cloth_view *view, uint64_t begin, uint64_t end)
{
    float m[16], vertex[4];
    memcpy(m, view->matrix, sizeof m);
    for (uint64_t i = begin; i + 1 < end; i++) {
        transform_row(m, position[vertex_particle ? vertex_particle[i] : i], vertex);
        memcpy(positions + 3 * i, vertex, sizeof vertex);
    }
    if (begin == end) return;
    transform_row(m, position[vertex_particle ? vertex_particle[end - 1] : end - 1], vertex);
    memcpy(positions + 3 * (end - 1), vertex, 3 * sizeof *vertex);
}

/* Writes positions of vertices whose garments have origins of their own. */
static void read_apart(const cloth_read_view *view, uint64_t begin, uint64_t end)
{
    cloth_read_view positions = *view;
    positions.parts = CLOTH_READ_POSITIONS;
    for (uint64_t i = begin; i < end; i++) cloth_read_one((uint)i, positions);
}

HED_NATIVE_BODY read_normals(const float4 *air, const uint *vertex_particle, float *normals,
    const cloth_view *view, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        float4 turned = cloth_shown_normal(air[vertex_particle ? vertex_particle[i] : i], *view);
        memcpy(normals + 3 * i, &turned, 3 * sizeof *normals);
    }
}

/* Writes colours with memcpy(), because the program's bytes may be unaligned. */
HED_NATIVE_BODY read_colours(const uint2 *debug, const uint *vertex_particle,
    unsigned char *colours, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        uint colour = debug ? debug[vertex_particle ? vertex_particle[i] : i].x : 0xffffffffu;
        memcpy(colours + 4 * i, &colour, sizeof colour);
    }
}

HED_NATIVE_BODY read_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_read_view view = cloth_read_view_of(call->arguments);
    const uint *vertex_particle = view.show.flags & CLOTH_VIEW_GATHER ? view.vertex_particle : NULL;
    const uint2 *debug = view.show.flags & CLOTH_VIEW_COLOURS ? view.debug : NULL;
    if ((view.parts & CLOTH_READ_POSITIONS) && (view.show.flags & CLOTH_VIEW_APART))
        read_apart(&view, begin, end);
    else if (view.parts & CLOTH_READ_POSITIONS)
        read_positions(view.position, vertex_particle, view.positions, &view.show, begin, end);
    if (view.parts & CLOTH_READ_NORMALS)
        read_normals(view.air, vertex_particle, view.normals, &view.show, begin, end);
    if (view.parts & CLOTH_READ_COLOURS)
        read_colours(debug, vertex_particle, (unsigned char *)view.colours, begin, end);
}
HED_NATIVE_CLONES(read_native, read_body)
/* A particle, its number, colour and normal are read, seven words written; operations of two
 * matrices. */
CLOTH_WORK(read_work, 4.0 + 16.0 + 8.0 + 16.0 + 28.0, 45.0)

const hed_kernel_def cloth_read_def = {
    .name = "cloth_read",
    .summary = "positions, normals and colours of vertices from particles, in tight rows",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"vertex.h", hed_cloth_vertex_h, 0}, {"read.cl", hed_cloth_read_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_READ),
        [HED_ROW(cloth_read_view, positions)].count = "3*vertices",
        [HED_ROW(cloth_read_view, normals)].count = "3*vertices",
        [HED_ROW(cloth_read_view, positions)].tolerance = 1e-5,
        [HED_ROW(cloth_read_view, normals)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("vertices", read),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};
