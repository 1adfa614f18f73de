/* Descriptions and native versions of `cloth_chains`, `cloth_places` and `cloth_shares`. */
#include "kernels/chain_kernels.h"

HED_NATIVE_BODY chains_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_chains_view view = cloth_chains_view_of(call->arguments);
    const float stiffness = cloth_stiffness_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++)
        cloth_chain_solve(cloth_chain_of(view.chains, view.first + (uint)i), view, stiffness);
}
HED_NATIVE_CLONES(chains_native, chains_body)
/* Chains of the sample have 65 edges on average: for an edge two points read twice and one
 * written, 8 bytes of the edge, 24 bytes of results twice; 90 operations. */
CLOTH_WORK(chains_work, 65 * (80.0 + 8.0 + 48.0), 65 * 90.0)

/* Geometry of a group for each chain. */
static void chains_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    uint64_t chains = (uint64_t)problem->sizes[0];
    hed_geometry_1d(layout, chains, config->values[0], chains, 4);
}

/* Chain i of the sample has the points 100 i to 100 i + 99: all of them, or every second one. */
const hed_kernel_def cloth_chains_def = {
    .name = "cloth_chains",
    .summary = "distances along chains of points, each solved as one system",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"chain.h", hed_cloth_chain_h, 0},
        {"chain_group.h", hed_cloth_chain_group_h, 0}, {"chain.cl", hed_cloth_chain_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_CHAINS),
        [HED_ROW(cloth_chains_view, points)].count = "100*chains",
        [HED_ROW(cloth_chains_view, before)].count = "101*chains",
        [HED_ROW(cloth_chains_view, chains)].count = "2*chains",
        [HED_ROW(cloth_chains_view, edges)].count = "200*chains",
        [HED_ROW(cloth_chains_view, units)].count = "100*chains",
        [HED_ROW(cloth_chains_view, links)].count = "200*chains",
        [HED_ROW(cloth_chains_view, pulls)].count = "100*chains",
        [HED_ROW(cloth_chains_view, pulled)].count = "100*chains",
        [HED_ROW(cloth_chains_view, points)].tolerance = 1e-4,
        [HED_ROW(cloth_chains_view, pulled)].tolerance = 1e-4),
    CLOTH_SOLVES,
    .geometry = chains_geometry,
    CLOTH_FOR_EACH("chains", chains),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 12) - 1),
};

HED_NATIVE_BODY places_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_places_view view = cloth_places_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_place_one(view.first + (uint)i, view);
}
HED_NATIVE_CLONES(places_native, places_body)
/* Three particles are read, 32 bytes of the place, and two places written; 9 operations. */
CLOTH_WORK(places_work, 48.0 + 32.0 + 32.0, 9.0)

const hed_kernel_def cloth_places_def = {
    .name = "cloth_places",
    .summary = "places of lattices: weighted means of particles",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"chain.h", hed_cloth_chain_h, 0},
        {"places.cl", hed_cloth_places_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_PLACES),
        [HED_ROW(cloth_places_view, position)].count = "places",
        [HED_ROW(cloth_places_view, previous)].count = "places",
        [HED_ROW(cloth_places_view, sources)].count = "2*places",
        [HED_ROW(cloth_places_view, places)].count = "places",
        [HED_ROW(cloth_places_view, from)].count = "2*places",
        [HED_ROW(cloth_places_view, places)].tolerance = 1e-5,
        [HED_ROW(cloth_places_view, from)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("places", places),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 20) - 1),
};

HED_NATIVE_BODY follow_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_shares_view view = cloth_shares_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_share_one(view.first + (uint)i, view);
}
HED_NATIVE_CLONES(follow_native, follow_body)
/* A point is read and written, 48 bytes of its parts and eight places read; 39 operations. */
CLOTH_WORK(follow_work, 32.0 + 48.0 + 128.0, 39.0)

/* The sample has one more point than the problem, in front. */
const hed_kernel_def cloth_shares_def = {
    .name = "cloth_shares",
    .summary = "points that follow four places of a lattice",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"chain.h", hed_cloth_chain_h, 0},
        {"places.cl", hed_cloth_places_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_SHARES),
        [HED_ROW(cloth_shares_view, points)].count = "shares",
        [HED_ROW(cloth_shares_view, shares)].count = "3*shares",
        [HED_ROW(cloth_shares_view, places)].count = "shares",
        [HED_ROW(cloth_shares_view, from)].count = "shares",
        [HED_ROW(cloth_shares_view, points)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("shares", follow),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(63), HED_PROBLEM(1001)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM((1 << 20) - 1),
};
