/* Descriptions and native versions of the kernels of particles: `cloth_integrate`, `cloth_drive`,
 * `cloth_feed`, `cloth_move`. */
#include "kernels/kernels.h"

HED_NATIVE_BODY integrate_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_step step = cloth_step_at(a[10], *(const uint *)a[11]);
    for (uint64_t i = begin; i < end; i++)
        cloth_integrate_one(
            (uint)i, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], step);
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
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "4*particles", .tolerance = 1e-5),
        HED_INOUT(float, previous, .count = "4*particles", .tolerance = 1e-5),
        HED_INOUT(float, carry, .count = "2*particles", .tolerance = 1e-5),
        HED_IN(float, garments, .count = CLOTH_SAMPLE_GARMENT_FLOATS),
        HED_IN(float, air, .count = "4*particles"), HED_IN(uint, tether, .count = "2*particles"),
        HED_IN(uint, anchors, .count = "4"), HED_IN(float, driver_from, .count = "8*particles"),
        HED_IN(float, driver_to, .count = "8*particles"),
        HED_IN(float, driver_map, .count = "8*particles"),
        HED_IN(bytes, steps, .count = CLOTH_SAMPLE_STEP_BYTES), HED_VALUE(uint, substep)),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("particles", integrate),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = hed_default_sample_bytes,
    .sample.benchmark = HED_PROBLEM((1 << 22) - 1),
};

HED_NATIVE_BODY drive_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_step step = cloth_step_at(a[9], *(const uint *)a[10]);
    for (uint64_t i = begin; i < end; i++)
        cloth_drive_one((uint)i, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], step);
}
HED_NATIVE_CLONES(drive_native, drive_body)
/* A particle, its driver, limits and contact plane are read, and for a backstop (half of the sample)
 * normals; the particle and its colour are written; about 100 operations for each of three
 * colliders. */
CLOTH_WORK(drive_work, 16.0 * 3 + 16.0 * 3 + 32.0 / 2 + 32.0 + 8.0, 400.0)

const hed_kernel_def cloth_drive_def = {
    .name = "cloth_drive",
    .summary = "colliders, contact planes and the driver constraint of each particle",
    .entry = "cloth_drive_all",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"lanes.h", hed_cloth_lanes_h, 0},
        {"drive.cl", hed_cloth_drive_cl, 0}),
    HED_ARGUMENTS(HED_INOUT(float, position, .count = "4*particles", .tolerance = 1e-5),
        HED_IN(float, previous, .count = "4*particles"),
        HED_IN(float, garments, .count = CLOTH_SAMPLE_GARMENT_FLOATS),
        HED_IN(float, colliders, .count = CLOTH_SAMPLE_COLLIDER_FLOATS),
        HED_IN(float, contact, .count = "8*particles"),
        HED_IN(float, driver_from, .count = "8*particles"),
        HED_IN(float, driver_to, .count = "8*particles"),
        HED_IN(float, driver_map, .count = "8*particles"),
        HED_OUT(float, debug, .count = "2*particles", .tolerance = 1e-5),
        HED_IN(bytes, steps, .count = CLOTH_SAMPLE_STEP_BYTES), HED_VALUE(uint, substep)),
    CLOTH_VERSIONS,
    CLOTH_FOR_EACH("particles", drive),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = hed_default_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY feed_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    for (uint64_t i = begin; i < end; i++)
        cloth_feed_one((uint)i, a[0], a[1], a[2], a[3], a[4], *(const cloth_feeding *)a[5]);
}
HED_NATIVE_CLONES(feed_native, feed_body)
/* A pair, or six floats, and the limits are read, a pair is written. */
CLOTH_WORK(feed_work, 32.0 + 16.0 + 32.0, 0.0)

const hed_kernel_def cloth_feed_def = {
    .name = "cloth_feed",
    .summary = "the driver as the program has it into positions and normals",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"feed.cl", hed_cloth_feed_cl, 0}),
    HED_ARGUMENTS(HED_IN(float, positions, .count = "3*particles"),
        HED_IN(float, normals, .count = "3*particles"),
        HED_IN(float, pairs, .count = "8*particles"),
        HED_IN(float, driver_map, .count = "8*particles"),
        HED_INOUT(float, driver_to, .count = "8*particles"), HED_VALUE_STRUCT(cloth_feeding, fed)),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("particles", feed),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(6), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = hed_default_sample_bytes,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};

HED_NATIVE_BODY move_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    void *const *a = call->arguments;
    cloth_rigid rigid = *(const cloth_rigid *)a[3];
    for (uint64_t i = begin; i < end; i++) cloth_move_one((uint)i, a[0], a[1], a[2], rigid);
}
HED_NATIVE_CLONES(move_native, move_body)
/* A point is read and written; particles have 2.5 times as many bytes. */
CLOTH_WORK(move_work, 32.0, 18.0)

const hed_kernel_def cloth_move_def = {
    .name = "cloth_move",
    .summary = "points, directions or particles through a rigid matrix",
    HED_SOURCES(CLOTH_SHARED_SOURCES, {"move.cl", hed_cloth_move_cl, 0}),
    /* the sample has one more point: the first is not moved */
    HED_ARGUMENTS(HED_INOUT(float, array, .count = "4*points", .tolerance = 1e-5),
        HED_INOUT(float, previous, .count = "4*points", .tolerance = 1e-5),
        HED_INOUT(float, carry, .count = "2*points", .tolerance = 1e-5),
        HED_VALUE_STRUCT(cloth_rigid, rigid)),
    CLOTH_PLAIN,
    CLOTH_FOR_EACH("points", move),
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(7), HED_PROBLEM(64), HED_PROBLEM(1003)),
    .sample.bytes = cloth_sample_bytes_of_one_more,
    .sample.benchmark = HED_PROBLEM(1 << 22),
};
