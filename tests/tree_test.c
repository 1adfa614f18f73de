/* ctest: drivers */
/* Sums and prefix sums in a fixed tree: C against the definition of heddle/tree.h, devices against
 * C with groups of several sizes, one of them no power of two. */
#include "testing.h"

#include "strict_kernels/inputs.h"

extern const hed_source hed_tree_files[]; /* tree.cl as text: tests/tree.cmake */

static hed_error error;

/* ---- in C ---- */

/* The definition, word for word. */
static float tree_by_definition(const float *x, size_t n)
{
    if (n <= 1) return n == 0 ? 0.0f : x[0];
    size_t half = 1;
    while (half * 2 < n) half *= 2;
    return tree_by_definition(x, half) + tree_by_definition(x + half, n - half);
}

static bool same(float a, float b) { return hed_as_uint(a) == hed_as_uint(b); }

/* Magnitudes far apart, so that every other order of addition shows; zeros of both signs. */
static void make_summands(float *to, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) to[i] = i < 3 ? -0.0f : next_scaled(&state, -15, 15);
}

Test(tree, sums_and_prefix_sums_follow_the_definition)
{
    enum { COUNT = 1500 };
    float x[COUNT], inclusive[COUNT], exclusive[COUNT];
    make_summands(x, COUNT);
    hed_tree_scan(x, inclusive, COUNT);
    memcpy(exclusive, x, sizeof x);
    hed_tree_scan_exclusive(exclusive, exclusive, COUNT); /* in place */
    for (size_t n = 0; n < COUNT; n++) {
        float sum = tree_by_definition(x, n);
        CHECK(
            same(hed_tree_sum(x, n), sum), "%zu elements: %a, not %a", n, hed_tree_sum(x, n), sum);
        CHECK(same(exclusive[n], sum), "exclusive %zu: %a, not %a", n, exclusive[n], sum);
        CHECK(n == 0 || same(inclusive[n - 1], sum), "inclusive %zu: %a, not %a", n - 1,
            inclusive[n - 1], sum);
    }
    hed_tree_scan_exclusive(x, x, 0);
    hed_tree_scan(x, x, COUNT);
    CHECK(memcmp(x, inclusive, sizeof x) == 0, "in place");
}

/* Prefix sums of positive elements never step down, and what a loop gets far off the tree gets
 * right. */
Test(tree, rounds_less_than_a_loop_and_never_steps_down)
{
    enum { COUNT = 1 << 20 };
    float *x = malloc(COUNT * sizeof *x), loop = 0.0f;
    double exact = 0.0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = 0.1f + 0.001f * (float)(i % 7);
        exact += x[i];
        loop += x[i];
    }
    float *sums = malloc(COUNT * sizeof *sums);
    hed_tree_scan(x, sums, COUNT);
    for (int i = 1; i < COUNT; i++) CHECK(sums[i] >= sums[i - 1], "the sum of %d steps down", i);
    free(sums);
    double tree_error = fabs(hed_tree_sum(x, COUNT) - exact), loop_error = fabs(loop - exact);
    EXPECT(tree_error <= 20 * 0x1p-24 * exact, "tree %g", tree_error);
    EXPECT(tree_error < loop_error / 100, "tree %g, loop %g", tree_error, loop_error);
    free(x);
}

/* ---- on a device, whatever the group ---- */

enum { TILE = 256, SUMMANDS = 50021, TILES = (SUMMANDS + TILE - 1) / TILE };

static void tile_sums_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0];
    float *nodes = call->arguments[1];
    uint32_t n = *(const uint32_t *)call->arguments[2];
    for (uint64_t tile = begin; tile < end; tile++)
        nodes[tile] =
            hed_tree_sum(in + tile * TILE, n - tile * TILE < TILE ? n - tile * TILE : TILE);
}

static void next_level_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *nodes = (float *)call->arguments[0] + *(const uint32_t *)call->arguments[1];
    uint32_t width = *(const uint32_t *)call->arguments[2];
    for (uint64_t i = begin; i < end && 2 * i < width; i++)
        nodes[width + i] = 2 * i + 1 < width ? nodes[2 * i] + nodes[2 * i + 1] : nodes[2 * i];
}

static void prefixes_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0], *nodes = call->arguments[1];
    float *inclusive = call->arguments[2], *exclusive = call->arguments[3];
    uint32_t n = *(const uint32_t *)call->arguments[4],
             tiles = *(const uint32_t *)call->arguments[5];
    for (uint64_t tile = begin; tile < end; tile++) {
        float sums[TILE];
        uint32_t first = (uint32_t)tile * TILE, length = n - first < TILE ? n - first : TILE;
        hed_tree_scan(in + first, sums, length);
        for (uint32_t i = 0; i < length; i++) {
            float before = hed_tree_carry(
                nodes, tiles, (uint32_t)tile, i == 0 ? HED_TREE_NEUTRAL : sums[i - 1]);
            inclusive[first + i] = hed_tree_carry(nodes, tiles, (uint32_t)tile, sums[i]);
            exclusive[first + i] = first + i == 0 ? 0.0f : before;
        }
    }
}

static const hed_define tree_defines[] = {{"TILE", "256"}};
#define BUFFER(word) \
    { \
        .name = word, .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE \
    }
#define NUMBER(word) \
    { \
        .name = word, .kind = HED_SCALAR, .type = HED_UINT32 \
    }
#define LOCAL(word) \
    { \
        .name = word, .kind = HED_LOCAL, .type = HED_FLOAT \
    }
static const hed_argument_def sums_arguments[] = {
    BUFFER("in"), BUFFER("nodes"), NUMBER("n"), LOCAL("values")};
static const hed_argument_def level_arguments[] = {
    BUFFER("nodes"), NUMBER("from"), NUMBER("width")};
static const hed_argument_def prefix_arguments[] = {BUFFER("in"), BUFFER("nodes"),
    BUFFER("inclusive"), BUFFER("exclusive"), NUMBER("n"), NUMBER("tiles"), LOCAL("values")};

typedef struct tree_run {
    hed_device *device;
    hed_stream *stream;
    hed_kernel_def defs[3];
    hed_kernel *sums, *level, *prefixes;
    hed_buffer *in, *nodes, *inclusive, *exclusive;
} tree_run;

static hed_kernel *make_kernel(hed_device *device, const hed_kernel_def *def)
{
    hed_kernel_options options = hed_default_kernel_options();
    options.math = HED_MATH_STRICT;
    hed_kernel *kernel;
    OK(hed_kernel_create(device, def, &options, &kernel, &error));
    return kernel;
}

static hed_buffer *make_buffer(hed_device *device, uint64_t count)
{
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(count * sizeof(float));
    OK(hed_buffer_create(device, &def, &buffer, &error));
    return buffer;
}

static void open_run(tree_run *t, hed_device *device, const float *summands)
{
    hed_kernel_def common = {.sources = &hed_tree_files[0],
        .source_count = 1,
        .defines = tree_defines,
        .define_count = 1};
    *t = (tree_run){.device = device, .defs = {common, common, common}};
    t->defs[0].name = "tile_sums";
    t->defs[0].arguments = sums_arguments;
    t->defs[0].argument_count = 4;
    t->defs[0].range = tile_sums_range;
    t->defs[1].name = "next_level";
    t->defs[1].arguments = level_arguments;
    t->defs[1].argument_count = 3;
    t->defs[1].range = next_level_range;
    t->defs[2].name = "prefixes";
    t->defs[2].arguments = prefix_arguments;
    t->defs[2].argument_count = 7;
    t->defs[2].range = prefixes_range;
    OK(hed_stream_create(device, NULL, &t->stream, &error));
    t->sums = make_kernel(device, &t->defs[0]);
    t->level = make_kernel(device, &t->defs[1]);
    t->prefixes = make_kernel(device, &t->defs[2]);
    t->in = make_buffer(device, SUMMANDS);
    t->nodes = make_buffer(device, hed_tree_node_count(TILES));
    t->inclusive = make_buffer(device, SUMMANDS);
    t->exclusive = make_buffer(device, SUMMANDS);
    OK(hed_write(t->stream, t->in, 0, summands, SUMMANDS * sizeof(float), &error));
}

static void close_run(tree_run *t)
{
    hed_buffer_destroy(t->in);
    hed_buffer_destroy(t->nodes);
    hed_buffer_destroy(t->inclusive);
    hed_buffer_destroy(t->exclusive);
    hed_kernel_destroy(t->sums);
    hed_kernel_destroy(t->level);
    hed_kernel_destroy(t->prefixes);
    hed_stream_destroy(t->stream);
}

/* One group of `group` items for each tile; the native functions count over tiles. */
static hed_geometry over_tiles(uint32_t group, uint32_t local_argument)
{
    hed_geometry g = {.dimensions = 1,
        .global = {(uint64_t)TILES * group},
        .group = {group, 1, 1},
        .native_items = TILES};
    g.local_bytes[local_argument] = TILE * sizeof(float);
    return g;
}

static void launch_all(tree_run *t, uint32_t group)
{
    hed_geometry tiles = over_tiles(group, 3);
    hed_argument in = hed_buffer_argument(t->in), nodes = hed_buffer_argument(t->nodes);
    hed_argument sums[] = {in, nodes, hed_uint_argument(SUMMANDS), hed_local_argument()};
    OK(hed_launch_over(t->stream, t->sums, &tiles, sums, 4, &error));
    for (uint32_t from = 0, width = TILES; width > 1; from += width, width = (width + 1) / 2) {
        hed_argument level[] = {nodes, hed_uint_argument(from), hed_uint_argument(width)};
        hed_geometry items = {.dimensions = 1, .global = {(width + 1) / 2}};
        OK(hed_launch_over(t->stream, t->level, &items, level, 3, &error));
    }
    tiles = over_tiles(group, 6);
    hed_argument prefixes[] = {in, nodes, hed_buffer_argument(t->inclusive),
        hed_buffer_argument(t->exclusive), hed_uint_argument(SUMMANDS), hed_uint_argument(TILES),
        hed_local_argument()};
    OK(hed_launch_over(t->stream, t->prefixes, &tiles, prefixes, 7, &error));
}

static float x[SUMMANDS], inclusive[SUMMANDS], exclusive[SUMMANDS], got[SUMMANDS];

static void compare_run(tree_run *t, uint32_t group)
{
    const char *id = hed_device_describe(t->device).id;
    float sum, wanted = hed_tree_sum(x, SUMMANDS);
    OK(hed_read(t->stream, &sum, t->nodes, (hed_tree_node_count(TILES) - 1) * sizeof(float),
        sizeof sum, &error));
    OK(hed_read(t->stream, got, t->inclusive, 0, sizeof got, &error));
    OK(hed_stream_wait(t->stream, &error));
    EXPECT(same(sum, wanted), "%s, groups of %u: sum %a, not %a", id, group, sum, wanted);
    EXPECT(memcmp(got, inclusive, sizeof got) == 0,
        "%s, groups of %u: inclusive sums differ from C", id, group);
    OK(hed_read(t->stream, got, t->exclusive, 0, sizeof got, &error));
    OK(hed_stream_wait(t->stream, &error));
    EXPECT(memcmp(got, exclusive, sizeof got) == 0,
        "%s, groups of %u: exclusive sums differ from C", id, group);
}

Test(tree, a_group_of_any_size_gives_the_bits_of_c, .timeout = 300)
{
    hed_context *context;
    OK(hed_context_create(NULL, &context, &error));
    make_summands(x, SUMMANDS);
    hed_tree_scan(x, inclusive, SUMMANDS);
    hed_tree_scan_exclusive(x, exclusive, SUMMANDS);
    static const uint32_t groups[] = {1, 24, 64, 256};
    for (uint32_t i = 0; i < hed_context_describe(context).devices; i++) {
        hed_device *device = hed_device_at(context, i);
        if (!(hed_device_describe(device).capabilities & HED_CAN_STRICT)) continue;
        tree_run t;
        open_run(&t, device, x);
        for (int g = 0; g < 4; g++) {
            OK(hed_fill(t.stream, t.nodes, 0, hed_buffer_describe(t.nodes).size,
                &(uint32_t){0xaaaaaaaau}, 4, &error));
            launch_all(&t, groups[g]);
            compare_run(&t, groups[g]);
        }
        close_run(&t);
    }
    hed_context_destroy(context);
}
