/* The list of the canonical kernels, and sums and prefix sums of whole arrays. A sum is `reduction`
 * run over its own output until one value is left. A prefix sum is one launch of `scan_single` on
 * devices on which groups pass packets to each other; on other devices, where passing packets is
 * slow or not guaranteed, it is reduce-then-scan, which reads its input twice: the tiles' sums, the
 * levels above them, then every tile by itself. */
#include <inttypes.h>

#include "canonical_kernels.h"
#include "heddle/tree.h"

/* ---- the list ---- */

#define ADDRESS_OF(name) &hed_##name##_def,
static const hed_kernel_def *const kernels[] = {HED_CANONICAL_KERNELS(ADDRESS_OF)};

uint32_t hed_canonical_count(void) { return HED_COUNT(kernels); }

const hed_kernel_def *hed_canonical_at(uint32_t index) { return kernels[index]; }

const hed_kernel_def *hed_canonical_find(const char *name)
{
    for (uint32_t i = 0; i < HED_COUNT(kernels); i++)
        if (strcmp(kernels[i]->name, name) == 0) return kernels[i];
    return NULL;
}

void hed_canonical_tiles_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    uint64_t tiles = hed_ceil_divide((uint64_t)problem->sizes[0], HED_CANONICAL_TILE);
    hed_geometry_1d(geometry, tiles, config->values[0], tiles, 8);
}

/* ---- chains ---- */

struct hed_canonical_chain {
    hed_allocator allocator;
    uint32_t most;
    hed_kernel *reduction;
    hed_kernel *scan_single; /* NULL: the chain uses scan_tree and scan */
    hed_kernel *scan_tree, *scan;
    hed_buffer *workspace; /* workspace of scan_single */
    hed_buffer *nodes;     /* (hed_tree_node_count(tiles of `most`)) floats */
    hed_buffer *sums;      /* (number of tiles of `nodes`) floats */
};

static uint32_t tiles_of(uint32_t n) { return (uint32_t)hed_ceil_divide(n, HED_CANONICAL_TILE); }

static hed_status chain_create_kernel(hed_device *device, const hed_kernel_def *def, int64_t size,
    hed_math math, hed_kernel **kernel, hed_error *error)
{
    hed_problem problem = hed_problem_1d(size);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = math;
    options.problem = &problem;
    return hed_kernel_create(device, def, &options, kernel, error);
}

static hed_status chain_create_buffer(
    hed_device *device, uint64_t bytes, hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(bytes);
    return hed_buffer_create(device, &def, buffer, error);
}

/* Creates the kernel of the single pass, and its workspace, initialised to zeros. */
static void create_scan_single(
    hed_device *device, hed_math math, hed_canonical_chain *new_chain, hed_error *error)
{
    uint64_t bytes = hed_canonical_scan_workspace(new_chain->most);
    hed_stream *stream = NULL;
    chain_create_kernel(
        device, &hed_scan_single_def, new_chain->most, math, &new_chain->scan_single, error);
    chain_create_buffer(device, bytes, &new_chain->workspace, error);
    hed_stream_create(device, NULL, &stream, error);
    hed_fill(stream, new_chain->workspace, 0, bytes, &(uint32_t){0}, 4, error);
    hed_stream_wait(stream, error);
    hed_stream_destroy(stream);
}

hed_status hed_canonical_chain_create(hed_device *device, uint32_t capacity, hed_math math,
    hed_canonical_chain **chain, hed_error *error)
{
    HED_REQUIRE(device, chain);
    if (capacity == 0) return hed_fail(error, HED_ERROR_ARGUMENT, "a chain for 0 elements: at least 1");
    hed_error unseen = {0};
    if (!error) error = &unseen;
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    hed_canonical_chain *new_chain = hed_new(&allocator, 1, sizeof *new_chain, error);
    if (!new_chain) return HED_ERROR_MEMORY;
    *new_chain = (hed_canonical_chain){.allocator = allocator, .most = capacity};
    uint32_t tiles = tiles_of(capacity);
    chain_create_kernel(device, &hed_reduction_def, capacity, math, &new_chain->reduction, error);
    if (hed_device_describe(device).capabilities & HED_CAN_PACKETS) {
        create_scan_single(device, math, new_chain, error);
    } else {
        chain_create_kernel(device, &hed_scan_tree_def, tiles, math, &new_chain->scan_tree, error);
        chain_create_kernel(device, &hed_scan_def, capacity, math, &new_chain->scan, error);
    }
    chain_create_buffer(device, 4 * (uint64_t)hed_tree_node_count(tiles), &new_chain->nodes, error);
    chain_create_buffer(device, 4 * (uint64_t)tiles_of(tiles), &new_chain->sums, error);
    if (error->status) hed_canonical_chain_destroy(new_chain);
    else *chain = new_chain;
    return error->status;
}

void hed_canonical_chain_destroy(hed_canonical_chain *chain)
{
    if (!chain) return;
    hed_buffer_destroy(chain->sums);
    hed_buffer_destroy(chain->nodes);
    hed_buffer_destroy(chain->workspace);
    hed_kernel_destroy(chain->scan_single);
    hed_kernel_destroy(chain->scan);
    hed_kernel_destroy(chain->scan_tree);
    hed_kernel_destroy(chain->reduction);
    hed_allocator allocator = chain->allocator;
    hed_delete(&allocator, chain, 1, sizeof *chain);
}

static hed_status check_room(const hed_canonical_chain *chain, const char *name,
    const hed_buffer *buffer, uint32_t n, uint32_t floats, hed_error *error)
{
    if (n <= chain->most && hed_buffer_describe(buffer).size >= 4 * (uint64_t)floats) return HED_OK;
    if (n > chain->most)
        return hed_fail(error, HED_ERROR_BOUNDS,
            "%" PRIu32 " elements: this chain was made for %" PRIu32 " at most", n, chain->most);
    return hed_fail(error, HED_ERROR_BOUNDS,
        "buffer \"%s\" has %" PRIu64 " bytes, but %" PRIu32 " floats were asked for", name,
        hed_buffer_describe(buffer).size, floats);
}

static hed_status reduce(const hed_canonical_chain *chain, hed_stream *stream, hed_buffer *in,
    uint32_t n, hed_buffer *sums, hed_error *error)
{
    hed_problem problem = hed_problem_1d(n);
    hed_argument arguments[] = {
        hed_buffer_argument(in), hed_buffer_argument(sums), hed_uint_argument(n)};
    return hed_launch(stream, chain->reduction, &problem, arguments, HED_COUNT(arguments), error);
}

hed_status hed_canonical_sum(hed_canonical_chain *chain, hed_stream *stream, hed_buffer *in,
    uint32_t n, hed_buffer *sum, hed_error *error)
{
    HED_REQUIRE(chain, stream, in, sum);
    static const float zero = 0.0f;
    hed_status status;
    if ((status = check_room(chain, "in", in, n, n, error)) ||
        (status = check_room(chain, "sum", sum, n, 1, error)))
        return status;
    if (n == 0) return hed_fill(stream, sum, 0, sizeof zero, &zero, sizeof zero, error);
    hed_buffer *from = in;
    while (!status) {
        uint32_t tiles = tiles_of(n);
        hed_buffer *to = tiles == 1 ? sum : from == chain->nodes ? chain->sums : chain->nodes;
        status = reduce(chain, stream, from, n, to, error);
        if (tiles == 1) break;
        from = to;
        n = tiles;
    }
    return status;
}

/* Computes the levels above the tiles' sums; each launch computes as many levels as a block of the
 * kernel has. */
static hed_status grow_tree(
    const hed_canonical_chain *chain, hed_stream *stream, uint32_t tiles, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t offset = 0; !status && tiles > 1;) {
        hed_problem problem = hed_problem_1d(tiles);
        hed_argument arguments[] = {
            hed_buffer_argument(chain->nodes), hed_uint_argument(offset), hed_uint_argument(tiles)};
        status =
            hed_launch(stream, chain->scan_tree, &problem, arguments, HED_COUNT(arguments), error);
        for (uint32_t width = 1; width < HED_CANONICAL_TILE && tiles > 1; width *= 2) {
            offset += tiles;
            tiles = (tiles + 1) / 2;
        }
    }
    return status;
}

hed_status hed_canonical_scan(hed_canonical_chain *chain, hed_stream *stream, hed_buffer *in,
    uint32_t n, hed_buffer *out, hed_error *error)
{
    HED_REQUIRE(chain, stream, in, out);
    hed_status status;
    if ((status = check_room(chain, "in", in, n, n, error)) ||
        (status = check_room(chain, "out", out, n, n, error)) || n == 0)
        return status;
    hed_problem problem = hed_problem_1d(n);
    if (chain->scan_single) {
        hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(out),
            hed_buffer_argument(chain->workspace), hed_uint_argument(n)};
        return hed_launch(
            stream, chain->scan_single, &problem, arguments, HED_COUNT(arguments), error);
    }
    /* A single tile has no tiles to its left. */
    if (n > HED_CANONICAL_TILE && ((status = reduce(chain, stream, in, n, chain->nodes, error)) ||
                                      (status = grow_tree(chain, stream, tiles_of(n), error))))
        return status;
    hed_argument arguments[] = {hed_buffer_argument(in), hed_buffer_argument(chain->nodes),
        hed_buffer_argument(out), hed_uint_argument(n)};
    return hed_launch(stream, chain->scan, &problem, arguments, HED_COUNT(arguments), error);
}
