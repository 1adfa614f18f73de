/* Description and native version of `cloth_read`. */
#include "kernels/kernels.h"

/* arguments */
enum { POSITION, DEBUG, VERTEX_PARTICLE, AIR, POSITIONS, NORMALS, COLOURS, VIEW, WANTED };

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    cloth_plain_geometry(config, (uint64_t)problem->sizes[0], layout);
}

/* cloth_transform() with its rows as lanes of a vector, which compilers do not find by
 * themselves. */
HED_NATIVE_BODY transform(const float *m, float4 p, float *shown)
{
    for (int k = 0; k < 4; k++)
        shown[k] = fma(p.z, m[8 + k], fma(p.y, m[4 + k], fma(p.x, m[k], m[12 + k])));
}

/* The fourth lane is stored, too, where the next vertex comes; but not behind the last one. */
HED_NATIVE_BODY read_positions(const float4 *position, const uint *vertex_particle,
    float *positions, const cloth_view *view, uint64_t begin, uint64_t end)
{
    float m[16], shown[4];
    memcpy(m, view->matrix, sizeof m);
    for (uint64_t i = begin; i + 1 < end; i++) {
        transform(m, position[vertex_particle ? vertex_particle[i] : i], shown);
        memcpy(positions + 3 * i, shown, sizeof shown);
    }
    if (begin == end) return;
    transform(m, position[vertex_particle ? vertex_particle[end - 1] : end - 1], shown);
    memcpy(positions + 3 * (end - 1), shown, 3 * sizeof *shown);
}

HED_NATIVE_BODY read_normals(const float4 *air, const uint *vertex_particle, float *normals,
    const cloth_view *view, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        float4 turned = cloth_shown_normal(air[vertex_particle ? vertex_particle[i] : i], *view);
        memcpy(normals + 3 * i, &turned, 3 * sizeof *normals);
    }
}

/* Bytes of the program's may lie anywhere. */
HED_NATIVE_BODY read_colours(const uint2 *debug, const uint *vertex_particle,
    unsigned char *colours, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        uint colour = debug ? debug[vertex_particle ? vertex_particle[i] : i].x : 0xffffffffu;
        memcpy(colours + 4 * i, &colour, sizeof colour);
    }
}

HED_NATIVE_BODY body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *given = call->arguments;
    cloth_view view = *(const cloth_view *)given[VIEW];
    uint wanted = *(const uint *)given[WANTED];
    const uint *vertex_particle = view.flags & CLOTH_VIEW_GATHER ? given[VERTEX_PARTICLE] : NULL;
    const uint2 *debug = view.flags & CLOTH_VIEW_COLOURS ? given[DEBUG] : NULL;
    if (wanted & CLOTH_READ_POSITIONS)
        read_positions(given[POSITION], vertex_particle, given[POSITIONS], &view, begin, end);
    if (wanted & CLOTH_READ_NORMALS)
        read_normals(given[AIR], vertex_particle, given[NORMALS], &view, begin, end);
    if (wanted & CLOTH_READ_COLOURS)
        read_colours(debug, vertex_particle, given[COLOURS], begin, end);
}
HED_NATIVE_CLONES(native, body)

/* A particle, its number, colour and normal read, seven words written; two matrices. */
static void work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
    hed_work *amount)
{
    double n = (double)problem->sizes[0];
    *amount = (hed_work){
        .bytes = (4.0 + 16.0 + 8.0 + 16.0 + 28.0) * n, .operations = 45.0 * n, .items = n};
}

static uint64_t sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    /* POSITION to COLOURS */
    const uint64_t bytes[] = {16 * n, 8 * n, 4 * n, 16 * n, 12 * n, 12 * n, 4 * n};
    return argument < HED_COUNT(bytes) ? bytes[argument] : 0;
}

static void sample_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    uint64_t n = (uint64_t)problem->sizes[0];
    switch (argument) {
    case POSITION: cloth_sample_positions(data, n, seed); break;
    case DEBUG:
        for (uint64_t i = 0; i < n; i++)
            ((uint2 *)data)[i] = (uint2){cloth_colour((uint)(i % 4)), 0};
        break;
    case VERTEX_PARTICLE:
        for (uint64_t i = 0; i < n; i++) ((uint *)data)[i] = (uint)((i * 11 + 3) % n);
        break;
    case AIR: cloth_sample_floats(data, bytes / 4, seed, argument, -1.0f, 1.0f); break;
    case VIEW: cloth_sample_view(data, n); break;
    case WANTED:
        *(uint *)data = CLOTH_READ_POSITIONS | CLOTH_READ_NORMALS | CLOTH_READ_COLOURS;
        break;
    }
}

static const hed_argument_def arguments[] = {
    [POSITION] = {.name = "position", .kind = HED_BUFFER, .type = HED_FLOAT},
    [DEBUG] = {.name = "debug", .kind = HED_BUFFER, .type = HED_UINT32},
    [VERTEX_PARTICLE] = {.name = "vertex_particle", .kind = HED_BUFFER, .type = HED_UINT32},
    [AIR] = {.name = "air", .kind = HED_BUFFER, .type = HED_FLOAT},
    [POSITIONS] = {.name = "positions",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-5},
    [NORMALS] = {.name = "normals",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_WRITE,
        .tolerance = 1e-5},
    [COLOURS] = {.name = "colours", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
    [VIEW] = {.name = "view", .kind = HED_STRUCT, .type = HED_BYTES, .size = sizeof(cloth_view)},
    [WANTED] = {.name = "wanted", .kind = HED_SCALAR, .type = HED_UINT32},
};
static const hed_source sources[] = {CLOTH_SHARED_SOURCES, {"read.cl", hed_cloth_read_cl, 0}};
static const char *const dimensions[] = {"vertices"};
static const hed_problem problems[] = {{1, {1}}, {1, {7}}, {1, {64}}, {1, {1003}}};

const hed_kernel_def cloth_read_def = {
    .name = "cloth_read",
    .summary = "positions, normals and colours of vertices from particles, in tight rows",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    .arguments = arguments,
    .argument_count = HED_COUNT(arguments),
    .parameters = &cloth_version_parameters[CLOTH_WG],
    .parameter_count = 1,
    .native_ignores = HED_ALL_PARAMETERS,
    .dimensions = dimensions,
    .dimension_count = HED_COUNT(dimensions),
    .max_threads = "WG",
    .geometry = geometry,
    .range = native,
    .work = work,
    .metric = HED_METRIC_ITEMS,
    .metric_unit = "Gvertices/s",
    .sample = {problems, HED_COUNT(problems), {1, {1 << 22}}, sample_bytes, sample_fill},
};
