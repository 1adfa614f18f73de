/* Descriptions and native versions of the kernels of particles: `cloth_integrate`, `cloth_drive`,
 * `cloth_feed`, `cloth_move`. */
#include "kernels/kernels.h"

HED_NATIVE_BODY integrate_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_integrate_view view = cloth_integrate_view_of(call->arguments);
    cloth_step step = cloth_step_at(view.steps, view.substep);
    for (uint64_t i = begin; i < end; i++)
        cloth_integrate_one((uint)i, view, cloth_blown((uint)i, view.air, step));
}
HED_NATIVE_CLONES(integrate_native, integrate_body)
/* A particle is read and written, with all maps read; about 100 operations with air and a
 * tether. */
CLOTH_WORK(integrate_work, 80.0 + 16.0 + 8.0, 100.0)

const hed_kernel_def cloth_integrate_def = {
    .name = "cloth_integrate",
    .summary = "time-corrected Verlet step of each particle, with air and its tether",
    .entry = "cloth_integrate_all",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"integrate.cl", hed_cloth_integrate_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_INTEGRATE),
        [HED_ROW(cloth_integrate_view, position)].tolerance = 1e-5,
        [HED_ROW(cloth_integrate_view, previous)].tolerance = 1e-5,
        [HED_ROW(cloth_integrate_view, carry)].tolerance = 1e-5),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("particles", integrate),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM((1 << 22) - 1),
};

HED_NATIVE_BODY drive_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_drive_view view = cloth_drive_view_of(call->arguments);
    cloth_step step = cloth_drive_step(view);
    for (uint64_t i = begin; i < end; i++) cloth_drive_one((uint)i, view, step);
}
HED_NATIVE_CLONES(drive_native, drive_body)
/* A particle, its driver, limits and contact plane are read, and for a backstop (half of the
 * sample) normals; the particle and its colour are written; about 100 operations for each of three
 * colliders. */
CLOTH_WORK(drive_work, 16.0 * 3 + 16.0 * 3 + 32.0 / 2 + 32.0 + 8.0, 400.0)

const hed_kernel_def cloth_drive_def = {
    .name = "cloth_drive",
    .summary = "colliders, contact planes and the driver constraint of each particle",
    .entry = "cloth_drive_all",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"drive.cl", hed_cloth_drive_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_DRIVE),
        [HED_ROW(cloth_drive_view, position)].tolerance = 1e-5,
        [HED_ROW(cloth_drive_view, debug)].tolerance = 1e-5),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("particles", drive),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY feed_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_feed_view view = cloth_feed_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_feed_one((uint)i, view);
}
HED_NATIVE_CLONES(feed_native, feed_body)
/* A pair, or six floats, and the limits are read, a pair is written. */
CLOTH_WORK(feed_work, 32.0 + 16.0 + 32.0, 0.0)

const hed_kernel_def cloth_feed_def = {
    .name = "cloth_feed",
    .summary = "the driver as the program has it into positions and normals",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"vertex.h", hed_cloth_vertex_h, 0}, {"feed.cl", hed_cloth_feed_cl, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_FEED),
        [HED_ROW(cloth_feed_view, positions)].count = "3*particles",
        [HED_ROW(cloth_feed_view, normals)].count = "3*particles",
        [HED_ROW(cloth_feed_view, pairs)].count = "2*particles"),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("particles", feed),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(6), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY move_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const cloth_move_view view = cloth_move_view_of(call->arguments);
    for (uint64_t i = begin; i < end; i++) cloth_move_one((uint)i, view);
}
HED_NATIVE_CLONES(move_native, move_body)
/* A point is read and written; particles have 2.5 times as many bytes. */
CLOTH_WORK(move_work, 32.0, 18.0)

const hed_kernel_def cloth_move_def = {
    .name = "cloth_move",
    .summary = "points, directions or particles through a rigid matrix",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"vertex.h", hed_cloth_vertex_h, 0}, {"move.cl", hed_cloth_move_cl, 0}),
    /* the sample has one more point: the first is not moved */
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(CLOTH_MOVE),
        [HED_ROW(cloth_move_view, array)].tolerance = 1e-5,
        [HED_ROW(cloth_move_view, previous)].tolerance = 1e-5,
        [HED_ROW(cloth_move_view, carry)].tolerance = 1e-5),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("points", move),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};
