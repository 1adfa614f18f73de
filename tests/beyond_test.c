/* ctest: devices */
/* What goes beyond the common set: cooperative launches, the barrier over the grid, packets,
 * clusters, named barriers, lanes, half floats, mapped memory, resident kernels, large local
 * memory. Where a device lacks the capability, the kernel must be refused by name; where it has it,
 * the result must be right, whatever the number of groups and however the polls are delayed. */
#include <math.h>

#include "fixture.h"

static hed_error error;

TestSuite(beyond, .init = here_open, .fini = here_close);

#define BUFFER(name_, type_, access_) \
    { \
        .name = name_, .kind = HED_BUFFER, .type = type_, .access = access_ \
    }
#define UINT(name_) \
    { \
        .name = name_, .kind = HED_SCALAR, .type = HED_UINT32 \
    }
#define LOCAL(name_) \
    { \
        .name = name_, .kind = HED_LOCAL, .type = HED_UINT32 \
    }

/* A description of one kernel text with its arguments. */
#define DESCRIBE(variable, name_, text_, arguments_, needs_) \
    static const hed_source variable##_source = {#variable ".cl", text_, 0}; \
    static const hed_kernel_def variable = {.name = name_, \
        .sources = &variable##_source, \
        .source_count = 1, \
        .arguments = arguments_, \
        .argument_count = sizeof arguments_ / sizeof arguments_[0], \
        .needs = needs_}

/* Creates the kernel. Where the device lacks the capability the refusal names it, and the test is
 * skipped. */
static void create(hed_device *device, const hed_kernel_def *def, const hed_kernel_options *options,
    hed_kernel **kernel)
{
    uint64_t missing = def->needs & ~hed_device_describe(device).capabilities;
    bool source = hed_device_describe(device).capabilities & HED_CAN_SOURCE;
    if (!missing && source) {
        OK(hed_kernel_create(device, def, options, kernel, &error));
        return;
    }
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(device, def, options, kernel, &error));
    const char *name = hed_capability_name((uint32_t)(missing & -missing));
    if (missing) CHECK(strstr(error.text, name), "\"%s\" is not named: %s", name, error.text);
    test_skip("%s", missing ? name : "no kernel text");
}

static hed_buffer *make(hed_device *device, hed_memory memory, uint64_t size)
{
    hed_buffer *buffer;
    hed_buffer_def def = {.memory = memory, .size = size};
    OK(hed_buffer_create(device, &def, &buffer, &error));
    return buffer;
}

static void zero(test_device *t, hed_buffer *buffer)
{
    OK(hed_fill(t->stream, buffer, 0, hed_buffer_describe(buffer).size, "\0", 1, &error));
}

static void fetch(test_device *t, hed_buffer *buffer, void *to, uint64_t size)
{
    OK(hed_read(t->stream, to, buffer, 0, size, &error));
    OK(hed_stream_wait_for(t->stream, 20000000000, &error));
}

/* ---- the barrier over the grid ---- */

static const char grid_text[] =
    "__kernel void grid(__global uint *x, __global uint *state, uint steps)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0), n = (uint)get_global_size(0);\n"
    "    for (uint s = 0; s < steps; s++) {\n"
    "        __global const uint *from = x + (s & 1) * n;\n"
    "        uint left = from[i == 0 ? n - 1 : i - 1], right = from[i + 1 == n ? 0 : i + 1];\n"
    "        x[(~s & 1) * n + i] = from[i] * 3u + left * 5u + right + s;\n"
    "        hed_grid_barrier(state);\n"
    "    }\n"
    "}\n";
static const hed_argument_def grid_arguments[] = {BUFFER("x", HED_UINT32, HED_READ_WRITE),
    BUFFER("state", HED_UINT32, HED_READ_WRITE), UINT("steps")};
DESCRIBE(grid, "grid", grid_text, grid_arguments, HED_CAN_COOPERATIVE | HED_CAN_GRID_BARRIER);

enum { GRID_ITEMS = 64, GRID_STEPS = 101 };

static void grid_expected(uint32_t *x, uint32_t n)
{
    for (uint32_t s = 0; s < GRID_STEPS; s++) {
        const uint32_t *from = x + (s & 1) * n;
        for (uint32_t i = 0; i < n; i++)
            x[(~s & 1) * n + i] = from[i] * 3 + from[(i + n - 1) % n] * 5 + from[(i + 1) % n] + s;
    }
}

Test(beyond, a_barrier_over_the_grid_holds_every_group)
{
    hed_kernel *kernel;
    create(here.device, &grid, NULL, &kernel);
    hed_buffer *state = make(here.device, HED_MEMORY_DEVICE, 8);
    zero(&here, state); /* once: the state serves all launches, with any number of groups */
    for (uint32_t groups = 1; groups <= 128; groups = groups * 3 + 1) {
        uint32_t n = groups * GRID_ITEMS, bytes = 8 * n;
        uint32_t *want = malloc(bytes), *got = malloc(bytes);
        for (uint32_t i = 0; i < 2 * n; i++) want[i] = i * 2654435761u;
        hed_buffer *x = make(here.device, HED_MEMORY_DEVICE, bytes);
        OK(hed_write(here.stream, x, 0, want, bytes, &error));
        OK(hed_stream_wait(here.stream, &error));
        grid_expected(want, n);
        const hed_argument arguments[] = {
            hed_buffer_argument(x), hed_buffer_argument(state), hed_uint_argument(GRID_STEPS)};
        hed_geometry g = {.dimensions = 1, .global = {n}, .group = {GRID_ITEMS}};
        OK(hed_launch_over(here.stream, kernel, &g, arguments, 3, &error));
        fetch(&here, x, got, bytes);
        CHECK_BYTES(got, want, bytes, "%u groups", groups);
        hed_buffer_destroy(x);
        free(want);
        free(got);
    }
    int64_t resident;
    OK(hed_kernel_resident_groups(kernel, GRID_ITEMS, 0, &resident, &error));
    CHECK(resident > 0);
    hed_geometry g = {
        .dimensions = 1, .global = {(uint64_t)(resident + 1) * GRID_ITEMS}, .group = {GRID_ITEMS}};
    const hed_argument arguments[] = {
        hed_buffer_argument(state), hed_buffer_argument(state), hed_uint_argument(0)};
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, kernel, &g, arguments, 3,
                               &error)); /* not all at once: refused, not hung */
    hed_buffer_destroy(state);
    hed_kernel_destroy(kernel);
}

/* ---- packets ---- */

static const char packet_text[] =
    "__kernel void packet(__global uint4 *box, __global uint *out, uint first, uint steps)\n"
    "{\n"
    "    uint g = (uint)get_group_id(0), groups = (uint)get_num_groups(0), left = g == 0 ? groups - 1 : g - 1;\n"
    "    if (get_local_id(0) != 0) return;\n"
    "    uint value = g + 1u, lost = 0;\n"
    "    for (uint s = 0; s < steps; s++) {\n"
    "        uint epoch = first + s + 1u;\n"
    "        uint4 seen;\n"
    "        hed_packet_put(box + (epoch & 1u) * groups + g, hed_u4(value, value ^ 0xffffffffu, s, epoch));\n"
    "        if (!hed_packet_wait(box + (epoch & 1u) * groups + left, epoch, 1u << 24, &seen)) { lost = 1u; break; "
    "}\n"
    "        if (seen.y != (seen.x ^ 0xffffffffu) || seen.z != s) { lost = 2u; break; }\n"
    "        value = value * 3u + seen.x + s;\n"
    "    }\n"
    "    out[2u * g] = value;\n"
    "    out[2u * g + 1u] = lost;\n"
    "}\n";
static const hed_argument_def packet_arguments[] = {BUFFER("box", HED_UINT32, HED_READ_WRITE),
    BUFFER("out", HED_UINT32, HED_WRITE), UINT("first"), UINT("steps")};
DESCRIBE(packet, "packet", packet_text, packet_arguments, HED_CAN_COOPERATIVE | HED_CAN_PACKETS);

/* A ring in which each group needs its left neighbour's packet of the same step: with two boxes by
 * parity a fast left neighbour could be two steps ahead only if nobody waited for it; the ring
 * closes, so nobody is. For 2 groups the ring is mutual; for more, what bounds the lead is the way
 * round, so the boxes are checked by what is in the packet. */
static void packet_expected(uint32_t *value, uint32_t groups, uint32_t steps)
{
    uint32_t *next = malloc(groups * sizeof *next);
    for (uint32_t g = 0; g < groups; g++) value[g] = g + 1;
    for (uint32_t s = 0; s < steps; s++) {
        for (uint32_t g = 0; g < groups; g++)
            next[g] = value[g] * 3 + value[(g + groups - 1) % groups] + s;
        memcpy(value, next, groups * sizeof *next);
    }
    free(next);
}

static void run_packets(test_device *t, const char *delay)
{
    static const uint32_t group_counts[] = {1, 2};
    enum { STEPS = 1000 };
    hed_kernel *kernel;
    hed_kernel_options options = hed_default_kernel_options();
    const hed_define define = {"HED_POLL_DELAY", delay};
    if (delay) options.defines = &define;
    if (delay) options.define_count = 1;
    create(t->device, &packet, &options, &kernel);
    for (size_t k = 0; k < sizeof group_counts / sizeof group_counts[0]; k++) {
        uint32_t groups = group_counts[k], got[4], want[2];
        hed_buffer *box = make(t->device, HED_MEMORY_DEVICE, 2 * 16 * groups),
                   *out = make(t->device, HED_MEMORY_DEVICE, sizeof got);
        zero(t, box);
        packet_expected(want, groups, STEPS);
        /* the boxes are not cleared: epochs go on */
        for (uint32_t launch = 0; launch < 3; launch++) {
            const hed_argument arguments[] = {hed_buffer_argument(box), hed_buffer_argument(out),
                hed_uint_argument(launch * STEPS), hed_uint_argument(STEPS)};
            hed_geometry g = {.dimensions = 1, .global = {groups * 32}, .group = {32}};
            OK(hed_launch_over(t->stream, kernel, &g, arguments, 4, &error));
            fetch(t, out, got, 8 * groups);
            for (uint32_t i = 0; i < groups; i++) {
                CHECK_EQ(got[2 * i + 1], 0, "group %u of %u lost a packet (%u)", i, groups,
                    got[2 * i + 1]);
                CHECK_EQ(got[2 * i], want[i], "group %u of %u", i, groups);
            }
        }
        hed_buffer_destroy(box);
        hed_buffer_destroy(out);
    }
    hed_kernel_destroy(kernel);
}

Test(beyond, packets_arrive_whole_and_in_turn)
{
    run_packets(&here, NULL);
    run_packets(&here, "97"); /* polls are held up by up to 97 rounds of waiting */
}

/* A line of masses over several groups that exchange their rims as packets: both neighbours wait
 * for each other, which is the rule that makes two boxes enough. The same bits for any number of
 * groups. */
static const char line_text[] =
    "__kernel void line_of_masses(__global uint4 *box, __global float *x, uint n, uint first, uint steps, "
    "HED_LOCAL(float, own))\n"
    "{\n"
    "    HED_LOCAL_USE(float, own);\n"
    "    uint g = (uint)get_group_id(0), groups = (uint)get_num_groups(0), l = (uint)get_local_id(0), each = n / "
    "groups;\n"
    "    uint lost = 0;\n"
    "    for (uint i = l; i < each; i += (uint)get_local_size(0)) own[1 + i] = x[g * each + i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint s = 0; s < steps; s++) {\n"
    "        uint epoch = first + s + 1u;\n"
    "        __global uint4 *now = box + (epoch & 1u) * 2u * groups;\n"
    "        if (l < 2u) {\n"
    "            uint other = l == 0 ? (g == 0 ? groups - 1u : g - 1u) : (g + 1u == groups ? 0u : g + 1u);\n"
    "            uint4 seen;\n"
    "            hed_packet_put(now + 2u * g + l, hed_u4(as_uint(own[l == 0 ? 1 : each]), 0u, 0u, epoch));\n"
    "            if (!hed_packet_wait(now + 2u * other + (1u - l), epoch, 1u << 24, &seen)) lost = 1u;\n"
    "            own[l == 0 ? 0 : each + 1u] = as_float(seen.x);\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint i = l; i < each; i += (uint)get_local_size(0)) x[g * each + i] = own[1 + i] + 0.25f * "
    "((own[i] - own[1 + i]) + (own[2 + i] - own[1 + i]));\n"
    "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "        for (uint i = l; i < each; i += (uint)get_local_size(0)) own[1 + i] = x[g * each + i];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (lost) x[g * each] = -12345.0f;\n"
    "}\n";
static const hed_argument_def line_arguments[] = {BUFFER("box", HED_UINT32, HED_READ_WRITE),
    BUFFER("x", HED_FLOAT, HED_READ_WRITE), UINT("n"), UINT("first"), UINT("steps"), LOCAL("own")};
DESCRIBE(line_of_masses, "line_of_masses", line_text, line_arguments,
    HED_CAN_COOPERATIVE | HED_CAN_PACKETS);

static void line_run(test_device *t, hed_kernel *kernel, uint32_t groups, float *result, uint32_t n)
{
    enum { STEPS = 60 };
    hed_buffer *box = make(t->device, HED_MEMORY_DEVICE, 4 * 16 * groups),
               *x = make(t->device, HED_MEMORY_DEVICE, 4 * n);
    for (uint32_t i = 0; i < n; i++) result[i] = (float)(i * 7919 % 1000) * 0.01f;
    zero(t, box);
    OK(hed_write(t->stream, x, 0, result, 4 * n, &error));
    const hed_argument arguments[] = {hed_buffer_argument(box), hed_buffer_argument(x),
        hed_uint_argument(n), hed_uint_argument(0), hed_uint_argument(STEPS), hed_local_argument()};
    hed_geometry g = {.dimensions = 1, .global = {groups * 64}, .group = {64}};
    g.local_bytes[5] = 4 * (n / groups + 2);
    OK(hed_launch_over(t->stream, kernel, &g, arguments, 6, &error));
    fetch(t, x, result, 4 * n);
    hed_buffer_destroy(box);
    hed_buffer_destroy(x);
}

Test(beyond, rims_as_packets_give_the_same_bits_for_any_number_of_groups)
{
    enum { LENGTH = 5040 };
    static const char *const delays[] = {NULL, "31", "1009"};
    float *want = malloc(4 * LENGTH), *got = malloc(4 * LENGTH);
    hed_kernel *kernel;
    for (int d = 0; d < 3; d++) {
        hed_kernel_options options = {.math = HED_MATH_STRICT,
            .defines = &(hed_define){"HED_POLL_DELAY", delays[d]},
            .define_count = delays[d] ? 1 : 0};
        create(here.device, &line_of_masses, &options, &kernel);
        if (d == 0) line_run(&here, kernel, 1, want, LENGTH);
        for (uint32_t groups = 2; groups <= 120; groups = groups == 2   ? 7
                                                          : groups == 7 ? 60
                                                                        : groups + 60) {
            line_run(&here, kernel, groups, got, LENGTH);
            CHECK_BYTES(got, want, 4 * LENGTH, "%u groups, delay %s", groups,
                delays[d] ? delays[d] : "none");
        }
        hed_kernel_destroy(kernel);
    }
    free(want);
    free(got);
}

/* ---- clusters, named barriers, lanes, halves ---- */

static const char cluster_text[] =
    "__kernel void cluster(__global uint *out)\n"
    "{\n"
    "    HED_LOCAL_ARRAY(uint, own, 1);\n"
    "    HED_LOCAL_ARRAY(float, put, 8);\n"
    "    uint rank = hed_cluster_rank(), size = hed_cluster_size(), sum = 0;\n"
    "    if (get_local_id(0) == 0) own[0] = 100u + (uint)get_group_id(0);\n"
    "    hed_cluster_barrier();\n"
    "    for (uint r = 0; r < size; r++) sum += hed_cluster_get_u(own, r) * (r + 1u);\n"
    "    if (get_local_id(0) == 0) hed_cluster_put_f(put + rank, (rank + 1u) % size, (float)(rank + 1u));\n"
    "    hed_cluster_barrier();\n"
    "    uint before = (rank + size - 1u) % size;\n"
    "    if (get_local_id(0) == 0) out[get_group_id(0)] = sum * 16u + (uint)put[before];\n"
    "}\n";
static const hed_argument_def cluster_arguments[] = {BUFFER("out", HED_UINT32, HED_WRITE)};
DESCRIBE(cluster, "cluster", cluster_text, cluster_arguments, HED_CAN_CLUSTERS);

Test(beyond, groups_of_a_cluster_reach_each_others_local_memory)
{
    hed_kernel *kernel;
    create(here.device, &cluster, NULL, &kernel);
    uint32_t got[16];
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    hed_geometry g = {.dimensions = 1, .global = {16 * 32}, .group = {32}, .cluster = 4};
    OK(hed_launch_over(
        here.stream, kernel, &g, (hed_argument[]){hed_buffer_argument(out)}, 1, &error));
    fetch(&here, out, got, sizeof got);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t base = i / 4 * 4, sum = 0;
        for (uint32_t r = 0; r < 4; r++) sum += (100 + base + r) * (r + 1);
        CHECK_EQ(got[i], sum * 16 + (i + 3) % 4 + 1, "group %u", i);
    }
    g.global[0] = 15 * 32;
    FAILS(HED_ERROR_ARGUMENT, hed_launch_over(here.stream, kernel, &g,
                                  (hed_argument[]){hed_buffer_argument(out)}, 1, &error));
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
}

static const char lanes_text[] =
    "__kernel void lanes(__global uint *out)\n"
    "{\n"
    "    uint l = (uint)get_local_id(0), lane = hed_lane_id(), width = hed_lane_width();\n"
    "    out[l] = hed_lane_shuffle(l * l, (lane + 1u) % width);\n"
    "    out[64u + l] = hed_lane_xor(l, 5u);\n"
    "    out[128u + l] = (uint)hed_lane_sum((float)lane);\n"
    "    uint down = hed_lane_down(l, 2u);\n"
    "    out[192u + l] = lane + 2u < width ? down : 0u;\n"
    "}\n";
static const hed_argument_def lanes_arguments[] = {BUFFER("out", HED_UINT32, HED_WRITE)};
DESCRIBE(lanes, "lanes", lanes_text, lanes_arguments, HED_CAN_LANES);

Test(beyond, lanes_exchange_values)
{
    hed_kernel *kernel;
    uint32_t width = hed_device_describe(here.device).lane_width;
    create(here.device, &lanes, NULL, &kernel);
    uint32_t got[256];
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    hed_geometry g = {.dimensions = 1, .global = {64}, .group = {64}};
    OK(hed_launch_over(
        here.stream, kernel, &g, (hed_argument[]){hed_buffer_argument(out)}, 1, &error));
    fetch(&here, out, got, sizeof got);
    for (uint32_t l = 0; l < 64; l++) {
        uint32_t lane = l % width, next = l - lane + (lane + 1) % width;
        CHECK_EQ(got[l], next * next);
        CHECK_EQ(got[64 + l], l ^ 5);
        CHECK_EQ(got[128 + l], width * (width - 1) / 2);
        CHECK_EQ(got[192 + l], lane + 2 < width ? l + 2 : 0);
    }
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
}

static const char named_text[] =
    "__kernel void named(__global uint *out, uint rounds)\n"
    "{\n"
    "    HED_LOCAL_ARRAY(uint, box, 64);\n"
    "    uint l = (uint)get_local_id(0), sum = 0;\n"
    "    for (uint r = 0; r < rounds; r++) {\n"
    "        if (l < 64u) {\n"
    "            box[l] = l * r + 1u;\n"
    "            hed_named_arrive(1u, 128u);   /* full */\n"
    "            hed_named_sync(2u, 128u);     /* until it is empty again */\n"
    "        } else {\n"
    "            hed_named_sync(1u, 128u);\n"
    "            sum += box[127u - l];\n"
    "            hed_named_arrive(2u, 128u);\n"
    "        }\n"
    "    }\n"
    "    if (l >= 64u) out[l - 64u] = sum;\n"
    "}\n";
static const hed_argument_def named_arguments[] = {
    BUFFER("out", HED_UINT32, HED_WRITE), UINT("rounds")};
DESCRIBE(named, "named", named_text, named_arguments, HED_CAN_NAMED_BARRIERS);

Test(beyond, named_barriers_hand_over_between_parts_of_a_group)
{
    enum { ROUNDS = 100 };
    hed_kernel *kernel;
    create(here.device, &named, NULL, &kernel);
    uint32_t got[64];
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    hed_geometry g = {.dimensions = 1, .global = {128}, .group = {128}};
    OK(hed_launch_over(here.stream, kernel, &g,
        (hed_argument[]){hed_buffer_argument(out), hed_uint_argument(ROUNDS)}, 2, &error));
    fetch(&here, out, got, sizeof got);
    for (uint32_t i = 0; i < 64; i++)
        CHECK_EQ(got[i], (63 - i) * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS);
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
}

static const char half_text[] = "__kernel void halves(__global float *x)\n"
                                "{\n"
                                "    uint i = (uint)get_global_id(0);\n"
                                "    hed_half h = hed_to_half(x[i]);\n"
                                "    x[i] = hed_from_half(h);\n"
                                "}\n";
static const hed_argument_def half_arguments[] = {BUFFER("x", HED_FLOAT, HED_READ_WRITE)};
DESCRIBE(halves, "halves", half_text, half_arguments, HED_CAN_FP16);

Test(beyond, half_floats_round_to_eleven_bits)
{
    hed_kernel *kernel;
    create(here.device, &halves, NULL, &kernel);
    const float given[8] = {
        1.0f, 1.0f + 0x1p-11f, 1.0f + 0x1p-10f, 65504.0f, 1e6f, 0x1p-24f, -2.5f, 3.14159265f};
    const float want[8] = {
        1.0f, 1.0f, 1.0f + 0x1p-10f, 65504.0f, INFINITY, 0x1p-24f, -2.5f, 3.140625f};
    float got[8];
    hed_buffer *x = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    OK(hed_write(here.stream, x, 0, given, sizeof given, &error));
    hed_geometry g = {.dimensions = 1, .global = {8}, .group = {8}};
    OK(hed_launch_over(
        here.stream, kernel, &g, (hed_argument[]){hed_buffer_argument(x)}, 1, &error));
    fetch(&here, x, got, sizeof got);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(got[i], want[i], "%g became %g", (double)given[i], (double)got[i]);
    hed_buffer_destroy(x);
    hed_kernel_destroy(kernel);
}

static const char near_text[] =
    "__kernel void approximate(__global const float *x, __global float *out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    out[4u * i] = hed_near_rcp(x[i]);\n"
    "    out[4u * i + 1u] = hed_near_rsqrt(x[i]);\n"
    "    out[4u * i + 2u] = hed_near_exp2(x[i]);\n"
    "    out[4u * i + 3u] = hed_near_log2(x[i]);\n"
    "}\n";
static const hed_argument_def near_arguments[] = {
    BUFFER("x", HED_FLOAT, HED_READ), BUFFER("out", HED_FLOAT, HED_WRITE)};
DESCRIBE(approximate, "approximate", near_text, near_arguments, 0);

Test(beyond, approximate_words_are_close)
{
    hed_kernel *kernel;
    create(here.device, &approximate, NULL, &kernel);
    enum { COUNT = 64 };
    float x[COUNT], got[4 * COUNT];
    hed_buffer *in = make(here.device, HED_MEMORY_DEVICE, sizeof x),
               *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    for (int i = 0; i < COUNT; i++) x[i] = 0.37f * (float)(i + 3);
    OK(hed_write(here.stream, in, 0, x, sizeof x, &error));
    hed_geometry g = {.dimensions = 1, .global = {COUNT}, .group = {COUNT}};
    OK(hed_launch_over(here.stream, kernel, &g,
        (hed_argument[]){hed_buffer_argument(in), hed_buffer_argument(out)}, 2, &error));
    fetch(&here, out, got, sizeof got);
    for (int i = 0; i < COUNT; i++) {
        const double want[4] = {
            1.0 / x[i], 1.0 / __builtin_sqrt(x[i]), __builtin_exp2(x[i]), __builtin_log2(x[i])};
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(got[4 * i + k], want[k], 1e-5 * (1 + __builtin_fabs(want[k])),
                "word %d of %g: %g", k, (double)x[i], (double)got[4 * i + k]);
    }
    hed_buffer_destroy(in);
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
}

/* ---- large local memory, large structs, a user's CUDA C ---- */

static const char large_text[] =
    "__kernel void large_local(__global uint *out, uint n, HED_LOCAL(uint, a), HED_LOCAL(uint, b))\n"
    "{\n"
    "    HED_LOCAL_USE(uint, a);\n"
    "    HED_LOCAL_USE(uint, b);\n"
    "    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) { a[i] = i * 3u; b[i] = i * 5u; "
    "}\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0)) out[get_group_id(0) * n + i] = "
    "a[n - 1u - i] ^ b[i];\n"
    "}\n";
static const hed_argument_def large_arguments[] = {
    BUFFER("out", HED_UINT32, HED_WRITE), UINT("n"), LOCAL("a"), LOCAL("b")};
DESCRIBE(large_local, "large_local", large_text, large_arguments, 0);

Test(beyond, two_local_arrays_share_all_the_local_memory_there_is)
{
    hed_kernel *kernel;
    create(here.device, &large_local, NULL, &kernel);
    uint64_t local = hed_device_describe(here.device).local_bytes;
    uint32_t n = (uint32_t)((local > 1 << 18 ? 1 << 18 : local) / 8) - 8, groups = 3;
    uint32_t *got = malloc(4ul * n * groups);
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, 4ul * n * groups);
    hed_geometry g = {.dimensions = 1, .global = {groups * 128}, .group = {128}};
    g.local_bytes[2] = g.local_bytes[3] = 4ul * n;
    const hed_argument arguments[] = {
        hed_buffer_argument(out), hed_uint_argument(n), hed_local_argument(), hed_local_argument()};
    OK(hed_launch_over(here.stream, kernel, &g, arguments, 4, &error));
    fetch(&here, out, got, 4ul * n * groups);
    for (uint32_t i = 0; i < n * groups; i++)
        CHECK_EQ(got[i], ((n - 1 - i % n) * 3) ^ (i % n * 5), "element %u with %u bytes", i, 8 * n);
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
    free(got);
}

typedef struct big {
    float values[HED_MAX_STRUCT_BYTES / 4];
} big;

static const char big_text[] = "typedef struct { float values[1024]; } big;\n"
                               "__kernel void by_value(__global float *out, big b) { uint i = "
                               "(uint)get_global_id(0); out[i] = b.values[i] + 1.0f; }\n";
static const hed_argument_def big_arguments[] = {
    BUFFER("out", HED_FLOAT, HED_WRITE), {.name = "b", .kind = HED_STRUCT, .size = sizeof(big)}};
DESCRIBE(by_value, "by_value", big_text, big_arguments, 0);

Test(beyond, a_struct_of_four_kilobytes_goes_by_value)
{
    static big b;
    float got[HED_MAX_STRUCT_BYTES / 4];
    hed_kernel *kernel;
    if (hed_device_describe(here.device).max_arguments_bytes < sizeof(big) + 8) {
        /* NVIDIA's limit before Volta-class parameters, and some OpenCL devices: refused by the
         * driver, by name */
        test_skip("arguments of %u bytes at most",
            (unsigned)hed_device_describe(here.device).max_arguments_bytes);
    }
    create(here.device, &by_value, NULL, &kernel);
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
    for (int i = 0; i < HED_MAX_STRUCT_BYTES / 4; i++) b.values[i] = (float)i;
    hed_geometry g = {.dimensions = 1, .global = {HED_MAX_STRUCT_BYTES / 4}, .group = {64}};
    OK(hed_launch_over(here.stream, kernel, &g,
        (hed_argument[]){hed_buffer_argument(out), hed_struct_argument(&b, sizeof b)}, 2, &error));
    fetch(&here, out, got, sizeof got);
    for (int i = 0; i < HED_MAX_STRUCT_BYTES / 4; i++) CHECK_EQ(got[i], (float)(i + 1));
    hed_buffer_destroy(out);
    hed_kernel_destroy(kernel);
}

static const char cuda_text[] =
    "template <typename T> __device__ T twice(T x) { return x + x; }\n"
    "extern \"C\" __global__ void user_cuda(float *out) { out[threadIdx.x] = twice((float)threadIdx.x); }\n";
static const hed_source cuda_source = {"user.cu", cuda_text, 0};
static const hed_argument_def cuda_arguments[] = {BUFFER("out", HED_FLOAT, HED_WRITE)};
static const hed_kernel_def user_cuda = {.name = "user_cuda",
    .sources = &cuda_source,
    .source_count = 1,
    .language = HED_CUDA_C,
    .arguments = cuda_arguments,
    .argument_count = 1};

Test(beyond, a_users_own_cuda_c_runs_on_cuda_alone)
{
    hed_kernel *kernel;
    if (!(hed_device_describe(here.device).capabilities & HED_CAN_CUDA_C)) {
        FAILS(HED_ERROR_UNSUPPORTED,
            hed_kernel_create(here.device, &user_cuda, NULL, &kernel, &error));
    } else {
        float got[32];
        hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got);
        OK(hed_kernel_create(here.device, &user_cuda, NULL, &kernel, &error));
        hed_geometry g = {.dimensions = 1, .global = {32}, .group = {32}};
        OK(hed_launch_over(
            here.stream, kernel, &g, (hed_argument[]){hed_buffer_argument(out)}, 1, &error));
        fetch(&here, out, got, sizeof got);
        for (int i = 0; i < 32; i++) CHECK_EQ(got[i], (float)(2 * i));
        hed_buffer_destroy(out);
        hed_kernel_destroy(kernel);
    }
}

/* ---- mapped memory, a hung kernel ---- */

static const char gate_text[] = "__kernel void gate(__global uint *flag)\n"
                                "{\n"
                                "    if (get_global_id(0) != 0) return;\n"
                                "    hed_system_put(flag + 1, 7u);\n"
                                "    while (hed_system_get(flag) == 0u) {}\n"
                                "    hed_system_put(flag + 2, hed_system_get(flag) * 2u);\n"
                                "}\n";
static const hed_argument_def gate_arguments[] = {BUFFER("flag", HED_UINT32, HED_READ_WRITE)};
DESCRIBE(gate, "gate", gate_text, gate_arguments, HED_CAN_MAPPED);

Test(beyond, a_kernel_that_hangs_is_reported_by_a_timeout_and_mapped_memory_frees_it)
{
    hed_kernel *kernel;
    create(here.device, &gate, NULL, &kernel);
    hed_buffer *flag = make(here.device, HED_MEMORY_MAPPED, 64);
    _Atomic uint32_t *words = hed_buffer_describe(flag).host;
    for (int i = 0; i < 3; i++) words[i] = 0;
    hed_geometry g = {.dimensions = 1, .global = {32}, .group = {32}};
    OK(hed_launch_over(
        here.stream, kernel, &g, (hed_argument[]){hed_buffer_argument(flag)}, 1, &error));
    ANSWERS(HED_ERROR_TIMEOUT, hed_stream_wait_for(here.stream, 50000000, &error));
    CHECK_EQ(words[1], 7, "the host does not see what the running kernel wrote");
    words[0] = 21;
    OK(hed_stream_wait_for(here.stream, 20000000000, &error));
    CHECK_EQ(words[2], 42);
    hed_buffer_destroy(flag);
    hed_kernel_destroy(kernel);
}

/* ---- resident kernels ---- */

static const char resident_text[] =
    "__kernel void answer(__global uint *mail, __global uint4 *relay, __global uint *sums, uint words, uint stall)\n"
    "{\n"
    "    uint number = hed_resident_first(relay);\n"
    "    while (hed_resident_wait(mail, relay, &number)) {\n"
    "        uint i = (uint)get_global_id(0);\n"
    "        if (hed_resident_request(relay, 0) == stall && get_group_id(0) == 1) return; /* a group that never "
    "answers */\n"
    "        for (uint w = i; w < words; w += (uint)get_global_size(0))\n"
    "            hed_resident_reply(mail, relay)[w] = hed_resident_request(relay, w) * 3u + number;\n"
    "        if (get_local_id(0) == 0) sums[get_group_id(0)] += 1u;\n"
    "        hed_resident_done(mail, relay, number);\n"
    "    }\n"
    "}\n";
static const hed_argument_def resident_arguments[] = {BUFFER("mail", HED_UINT32, HED_READ_WRITE),
    BUFFER("relay", HED_UINT32, HED_READ_WRITE), BUFFER("sums", HED_UINT32, HED_READ_WRITE),
    UINT("words"), UINT("stall")};
DESCRIBE(resident, "answer", resident_text, resident_arguments,
    HED_CAN_RESIDENT | HED_CAN_COOPERATIVE | HED_CAN_PACKETS | HED_CAN_MAPPED);

enum { WORDS = 100, STALL = 0xdead };

typedef struct resident_run {
    hed_kernel *kernel;
    hed_buffer *sums;
    hed_argument arguments[3];
    hed_resident_def def;
    hed_resident *resident;
} resident_run;

static void open_resident(resident_run *r, uint32_t groups, const char *delay)
{
    *r = (resident_run){.def = hed_default_resident_def()};
    hed_kernel_options options = {
        .defines = &(hed_define){"HED_POLL_DELAY", delay}, .define_count = delay ? 1 : 0};
    create(here.device, &resident, &options, &r->kernel);
    r->sums = make(here.device, HED_MEMORY_DEVICE, 4 * 256);
    zero(&here, r->sums);
    r->arguments[0] = hed_buffer_argument(r->sums);
    r->arguments[1] = hed_uint_argument(WORDS);
    r->arguments[2] = hed_uint_argument(STALL);
    r->def.kernel = r->kernel;
    r->def.geometry = (hed_geometry){.dimensions = 1, .global = {groups * 64}, .group = {64}};
    r->def.arguments = r->arguments;
    r->def.argument_count = 3;
    r->def.request_bytes = r->def.reply_bytes = 4 * WORDS;
}

static void close_resident(resident_run *r)
{
    hed_resident_destroy(r->resident);
    hed_buffer_destroy(r->sums);
    hed_kernel_destroy(r->kernel);
}

static void ask(resident_run *r, uint32_t seed)
{
    uint32_t request[WORDS], reply[WORDS] = {0};
    uint64_t number;
    for (uint32_t i = 0; i < WORDS; i++) request[i] = seed + i * i;
    CHECK_EQ(hed_resident_post(r->resident, request, &number), HED_OK);
    CHECK_EQ(hed_resident_post(r->resident, request, NULL), HED_ERROR_ARGUMENT,
        "two requests at a time");
    hed_status status = hed_resident_wait(r->resident, reply, 5000000000);
    CHECK_EQ(status, HED_OK, "request %llu: %s, state %d", (unsigned long long)number,
        hed_status_name(status), (int)hed_resident_describe(r->resident).state);
    for (uint32_t i = 0; i < WORDS; i++)
        CHECK_EQ(reply[i], request[i] * 3 + (uint32_t)number, "word %u of request %llu", i,
            (unsigned long long)number);
}

Test(beyond, a_resident_kernel_answers_and_stops)
{
    static const char *const delays[] = {NULL, "61"};
    for (uint32_t groups = 1; groups <= 100; groups = groups * 9 + 1)
        for (int d = 0; d < 2; d++) {
            resident_run r;
            open_resident(&r, groups, delays[d]);
            OK(hed_resident_create(here.stream, &r.def, &r.resident, &error));
            for (uint32_t k = 0; k < 50; k++) ask(&r, k * 977);
            CHECK_EQ(hed_resident_describe(r.resident).state, HED_RESIDENT_RUNNING);
            OK(hed_resident_stop(r.resident, 5000000000, &error));
            CHECK_EQ(hed_resident_describe(r.resident).state, HED_RESIDENT_STOPPED);
            uint32_t sums[256];
            fetch(&here, r.sums, sums, sizeof sums);
            for (uint32_t g = 0; g < groups; g++)
                CHECK_EQ(sums[g], 50, "group %u of %u", g, groups);
            close_resident(&r);
        }
}

Test(beyond, what_was_made_before_runs_beside_a_resident)
{
    resident_run r;
    open_resident(&r, 4, NULL);
    uint32_t got[256];
    hed_kernel *kernel;
    hed_stream *second;
    hed_buffer *out = make(here.device, HED_MEMORY_DEVICE, sizeof got),
               *staging = make(here.device, HED_MEMORY_PINNED, sizeof got);
    OK(hed_kernel_create(here.device, &lanes, NULL, &kernel, &error));
    OK(hed_stream_create(here.device, NULL, &second, &error));
    OK(hed_resident_create(here.stream, &r.def, &r.resident, &error));
    ask(&r, 5);
    /* First launch of this kernel: a driver that loaded it only now would wait for the resident
     * one for ever. */
    hed_geometry g = {.dimensions = 1, .global = {64}, .group = {64}};
    OK(hed_launch_over(second, kernel, &g, (hed_argument[]){hed_buffer_argument(out)}, 1, &error));
    OK(hed_copy(second, staging, 0, out, 0, sizeof got, &error));
    OK(hed_stream_wait_for(second, 5000000000, &error));
    CHECK_EQ(((uint32_t *)hed_buffer_describe(staging).host)[64], 5);
    ask(&r, 6);
    OK(hed_resident_stop(r.resident, 5000000000, &error));
    hed_stream_destroy(second);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(out);
    hed_buffer_destroy(staging);
    close_resident(&r);
}

Test(beyond, an_idle_resident_leaves_and_comes_back)
{
    resident_run r;
    open_resident(&r, 4, NULL);
    r.def.idle_exit_ns = 20000000;
    OK(hed_resident_create(here.stream, &r.def, &r.resident, &error));
    for (uint32_t k = 0; k < 3; k++) {
        ask(&r, k);
        /* until it has left by itself */
        OK(hed_stream_wait_for(here.stream, 10000000000, &error));
        CHECK_EQ(hed_resident_describe(r.resident).state, HED_RESIDENT_IDLE_EXIT);
    }
    ask(&r, 99);
    close_resident(&r);
}

Test(beyond, a_resident_that_waits_too_long_ends_with_a_status)
{
    resident_run r;
    open_resident(&r, 4, NULL);
    uint32_t request[WORDS] = {STALL}, reply[WORDS];
    r.def.step_timeout_ns = 30000000;
    OK(hed_resident_create(here.stream, &r.def, &r.resident, &error));
    ask(&r, 1);
    CHECK_EQ(hed_resident_post(r.resident, request, NULL), HED_OK);
    hed_status status = hed_resident_wait(r.resident, reply, 5000000000);
    CHECK_EQ(status, HED_ERROR_TIMEOUT, "%s", hed_status_name(status));
    CHECK_EQ(hed_resident_describe(r.resident).state, HED_RESIDENT_TIMED_OUT);
    /* the device is not hung: it can be stopped, with an error set too */
    error = (hed_error){HED_ERROR_LIMIT, "the first error", ""};
    CHECK_EQ(hed_resident_stop(NULL, 0, &error), HED_ERROR_LIMIT);
    CHECK_EQ(hed_resident_stop(r.resident, 5000000000, &error), HED_ERROR_LIMIT);
    CHECK_EQ(hed_resident_describe(r.resident).state, HED_RESIDENT_STOPPED);
    OK(hed_resident_stop(r.resident, 5000000000, &error));
    close_resident(&r);
}

Test(beyond, a_resident_that_does_not_fit_is_refused)
{
    resident_run r;
    open_resident(&r, 1, NULL);
    int64_t groups;
    OK(hed_kernel_resident_groups(r.kernel, 64, 0, &groups, &error));
    r.def.geometry.global[0] = (uint64_t)(groups + 1) * 64;
    FAILS(HED_ERROR_LIMIT, hed_resident_create(here.stream, &r.def, &r.resident, &error));
    r.def.geometry.global[0] = 64;
    r.def.request_bytes = 1 << 20;
    FAILS(HED_ERROR_LIMIT, hed_resident_create(here.stream, &r.def, &r.resident, &error));
    r.def.request_bytes = 4;
    r.def.argument_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_resident_create(here.stream, &r.def, &r.resident, &error));
    close_resident(&r);
}
