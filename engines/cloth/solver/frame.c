
/* hed_cloth_step(): checks all data of the program before it enqueues anything, uploads the data
 * from staging memory, and enqueues the substeps and write-back. It never waits for the device. */
#include "object/division.h"
#include "solver/second_order.h"
#include "solver/strips.h"

#include "model/collider.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */
#undef sqrt

static const double two_pi = 6.28318530717958647692;
/* Maximum speed of a particle, m/s: above it collisions and constraints fail. */
static const double fastest = 1000.0;

/* ---- checks ---- */

static hed_status check_colliders(
    const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    const cloth_host *host = cloth_lead(cloth)->host;
    if (hed_failed(error)) return error->status;
    if (!frame->colliders && frame->collider_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%u colliders at NULL", frame->collider_count);
    if (frame->collider_count > cloth->def.max_colliders)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u colliders: this cloth was made for %u (hed_cloth_def.max_colliders)",
            frame->collider_count, cloth->def.max_colliders);
    for (uint32_t i = 0; i < frame->collider_count; i++) {
        const hed_cloth_collider *start =
            frame->collider_starts ? &frame->collider_starts[i] : NULL;
        if (cloth_check_collider(&frame->colliders[i], i, error) ||
            (start && cloth_check_collider(start, i, error)))
            return error->status;
        if (start && start->shape != frame->colliders[i].shape)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "collider %u: shape %d at the frame's beginning; expected %d, its shape at the end",
                i, (int)start->shape, (int)frame->colliders[i].shape);
        if (i < host->collider_count && host->colliders[i].shape != frame->colliders[i].shape)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "collider %u has another shape than in the last frame: new ones come at the end",
                i);
    }
    return HED_OK;
}

static hed_status check_mesh(const hed_cloth_mesh_collider *mesh, uint32_t index, hed_error *error)
{
    char subject[64];
    snprintf(subject, sizeof subject, "positions of mesh collider %u", index);
    if (!mesh->positions || !mesh->triangles || !mesh->vertex_count || !mesh->triangle_count)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "mesh collider %u has no vertices or no triangles", index);
    if (!(mesh->friction >= 0.0f && mesh->friction <= 100.0f))
        return hed_fail(error, HED_ERROR_ARGUMENT, "mesh collider %u: friction %g: 0 to 100", index,
            mesh->friction);
    uint64_t count = 3 * (uint64_t)mesh->vertex_count;
    if (mesh->start_positions)
        cloth_check_numbers(mesh->start_positions, count, CLOTH_FARTHEST, subject, error);
    return cloth_check_numbers(mesh->positions, count, CLOTH_FARTHEST, subject, error);
}

static hed_status check_meshes(
    const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    uint64_t triangles = 0;
    if (hed_failed(error)) return error->status;
    if (frame->mesh_count && !frame->meshes)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%u mesh colliders at NULL", frame->mesh_count);
    for (uint32_t i = 0; i < frame->mesh_count; i++) {
        if (check_mesh(&frame->meshes[i], i, error)) return error->status;
        triangles += frame->meshes[i].triangle_count;
    }
    if (triangles <= cloth->def.max_collider_triangles) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "%" PRIu64 " triangles of mesh colliders: this cloth was made for %u "
        "(hed_cloth_def.max_collider_triangles)",
        triangles, cloth->def.max_collider_triangles);
}

static hed_status frame_check_driver(
    const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!frame->driver_positions && !frame->driver_normals && !frame->driver_buffer) return HED_OK;
    if (!cloth->has_driver)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a driver is given, but no garment of this cloth is driven");
    if (frame->driver_buffer && cloth->parts)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "driver_buffer: the cloth is on %u devices, and a buffer on one; expected driver_positions",
            cloth->part_count);
    if (frame->driver_buffer) {
        uint64_t size = hed_buffer_describe(frame->driver_buffer).size,
                 limit = 32 * (uint64_t)cloth->particles;
        if (frame->driver_positions || frame->driver_normals)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "a driver in host memory and in a buffer: one of the two");
        if (hed_buffer_describe(frame->driver_buffer).device != cloth->device)
            return hed_fail(
                error, HED_ERROR_ARGUMENT, "the driver's buffer belongs to another device");
        if (size < limit)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "the driver's buffer has %" PRIu64
                " bytes: two float4 for each of %u particles are %" PRIu64,
                size, cloth->particles, limit);
        return HED_OK;
    }
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        uint64_t first = 3 * (uint64_t)cloth->first_particle[g],
                 count = 3 * (uint64_t)cloth->first_particle[g + 1] - first;
        if (!cloth->garments[g]->driven) continue;
        if (frame->driver_positions)
            cloth_check_numbers(
                frame->driver_positions + first, count, CLOTH_FARTHEST, "driver_positions", error);
        if (frame->driver_normals)
            cloth_check_numbers(
                frame->driver_normals + first, count, 1.01, "driver_normals", error);
    }
    return error->status;
}

static hed_status check_frame(
    const hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    if (!frame)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "the frame is NULL: start from hed_default_cloth_frame()");
    if (!(frame->seconds >= 1e-6 && frame->seconds <= 10.0))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a frame of %g seconds: 1e-6 to 10", frame->seconds);
    if (frame->frames < 1 || frame->frames > 100000)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "%u frames in one submission: 1 to 100000", frame->frames);
    if (!(frame->gust >= 0.0f && frame->gust <= 1.0f))
        return hed_fail(error, HED_ERROR_ARGUMENT, "a gust of %g: 0 to 1", frame->gust);
    cloth_check_numbers(frame->gravity, 3, 1e4, "gravity", error);
    cloth_check_numbers(frame->wind, 3, 1e3, "wind", error);
    cloth_check_fans(cloth, frame, error);
    if (frame->motion) cloth_check_matrix(frame->motion, true, "motion", error);
    if (frame->transform) cloth_check_matrix(frame->transform, false, "transform", error);
    for (uint32_t g = 0; frame->teleports && g < cloth->garment_count; g++)
        cloth_check_matrix(frame->teleports + 16 * (size_t)g, true, "teleports", error);
    frame_check_driver(cloth, frame, error);
    cloth_check_numbers(frame->motion_centre, 3, CLOTH_FARTHEST, "motion_centre", error);
    check_colliders(cloth, frame, error);
    return check_meshes(cloth, frame, error);
}

/* ---- upload of the program's data ---- */

/* Uploads the driven garments' part of an array of three floats for each particle of all parts. */
static hed_status send_rows(
    hed_cloth *cloth, const float *rows, hed_buffer **buffer, hed_error *error)
{
    if (!*buffer) cloth_upload(cloth, NULL, 12 * (uint64_t)cloth->particles, buffer, error);
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        uint64_t first = cloth->first_particle[g], count = cloth->first_particle[g + 1] - first;
        if (cloth->garments[g]->driven)
            cloth_send(cloth, *buffer, 12 * first, rows + 3 * (cloth->base_particle + first),
                12 * count, error);
    }
    return error->status;
}

HED_VIEW_LAUNCH(cloth_feed_launch, CLOTH_FEED)

static hed_status send_driver(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    if (frame->driver_positions)
        send_rows(cloth, frame->driver_positions, &b->fed_positions, error);
    if (frame->driver_normals) send_rows(cloth, frame->driver_normals, &b->fed_normals, error);
    uint32_t parts = (frame->driver_positions ? CLOTH_FEED_POSITIONS : 0) |
                     (frame->driver_normals ? CLOTH_FEED_NORMALS : 0) |
                     (frame->driver_buffer ? CLOTH_FEED_PAIRS : 0);
    return cloth_run(cloth, CLOTH_KERNEL_FEED, cloth->particles,
        HED_VIEW_ARGS(cloth_feed_launch, .positions = cloth_or_none(cloth, b->fed_positions),
            .normals = cloth_or_none(cloth, b->fed_normals),
            .pairs = cloth_or_none(cloth, frame->driver_buffer), .previous = b->previous,
            .garments = b->garments, .driver_map = b->driver_map, .driver_to = b->driver_to,
            .fed = {parts, cloth->particles, (float)cloth->origin[0], (float)cloth->origin[1],
                (float)cloth->origin[2]}),
        error);
}

static hed_status feed_driver(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!cloth->has_driver) return HED_OK;
    if (cloth->host->driver_moves) {
        /* the driver's motion starts at the end of the last motion */
        cloth_buffers *b = &cloth->buffers;
        cloth->host->driver_moves = false;
        hed_copy(cloth->stream, b->driver_from, 0, b->driver_to, 0,
            hed_buffer_describe(b->driver_to).size, error);
    }
    bool has_data = frame->driver_positions || frame->driver_normals || frame->driver_buffer;
    if (error->status || !has_data) return error->status;
    cloth->host->driver_moves = true;
    return send_driver(cloth, frame, error);
}

/* End b of a capsule relative to the origin, or normal of a plane; w: radius at b, m. */
static float4 second_of(const hed_cloth *cloth, const hed_cloth_collider *c)
{
    if (c->shape == HED_CLOTH_CAPSULE) return cloth_from_world(cloth, c->b, c->radius[1]);
    return (float4){c->b[0], c->b[1], c->b[2], c->radius[1]};
}

/* True if a collider moves so fast that overstretched cloth passes through it. Slower ones are
 * bodies, and hold cloth that too few substeps stretch. */
static bool is_fast(const hed_cloth_collider *from, const hed_cloth_collider *to, double seconds)
{
    const double fast = 8.0; /* m/s */
    double a = 0, b = 0;
    for (int k = 0; k < 3; k++) {
        a += pow((double)to->a[k] - from->a[k], 2);
        b += pow((double)to->b[k] - from->b[k], 2);
    }
    return sqrt(to->shape == HED_CLOTH_CAPSULE ? fmax(a, b) : a) > fast * seconds;
}

static void collider_words(const hed_cloth *cloth, const hed_cloth_collider *from,
    const hed_cloth_collider *to, double seconds, float4 *words)
{
    words[0] = cloth_from_world(cloth, from->a, from->radius[0]);
    words[1] = second_of(cloth, from);
    words[2] = cloth_from_world(cloth, to->a, to->radius[0]);
    words[3] = second_of(cloth, to);
    words[4] =
        (float4){(float)to->shape, to->friction, is_fast(from, to, seconds) ? 1.0f : 0.0f, 0.0f};
}

/* Uploads the colliders; colliders that the frame does not pass keep their positions. */
static hed_status feed_colliders(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    cloth_host *host = cloth->host;
    uint32_t before = host->collider_count;
    if (frame->collider_count) host->collider_count = frame->collider_count;
    for (uint32_t i = 0; i < host->collider_count; i++) {
        hed_cloth_collider to = frame->collider_count ? frame->colliders[i] : host->colliders[i],
                           from = i < before || frame->collider_starts
                                      ? cloth_collider_before(host, frame, i)
                                      : to;
        collider_words(cloth, &from, &to, frame->seconds * frame->frames,
            &host->scratch_words[CLOTH_COLLIDER_WORDS * i]);
        host->colliders[i] = to;
    }
    uint64_t bytes = sizeof(float4) * CLOTH_COLLIDER_WORDS * (uint64_t)host->collider_count;
    if (bytes == 0 || (before == host->collider_count &&
                          memcmp(host->scratch_words, host->collider_words, bytes) == 0))
        return HED_OK;
    memcpy(host->collider_words, host->scratch_words, bytes);
    return cloth_send(cloth, cloth->buffers.colliders, 0, host->collider_words, bytes, error);
}

/* ---- the substeps ---- */

typedef struct schedule {
    const hed_cloth_frame *frame;
    double dt, last_dt;
    uint32_t count;    /* substeps of the submission */
    uint32_t searches; /* searches of planes, cloth_frame_substeps() */
    bool moves;        /* the cloth has a driver, meshes, or colliders that move */
} schedule;

static bool has_fast_collider(const cloth_host *host)
{
    for (uint32_t i = 0; i < host->collider_count; i++)
        if (host->collider_words[CLOTH_COLLIDER_WORDS * i + 4].z != 0.0f) return true;
    return false;
}

/* True if a collider ends the submission elsewhere than it begins. Where nothing moves, substeps
 * have the same parameters, which are uploaded once: a copy between two substeps delays the
 * second. */
static bool has_moving_collider(const cloth_host *host)
{
    for (uint32_t i = 0; i < host->collider_count; i++) {
        const float4 *words = host->collider_words + CLOTH_COLLIDER_WORDS * (size_t)i;
        if (memcmp(words, words + 2, 2 * sizeof *words) != 0) return true;
    }
    return false;
}

/* Parameters of substep `index` of the submission. */
static cloth_step frame_step_at(const hed_cloth *cloth, const schedule *s, uint32_t index)
{
    const hed_cloth_frame *frame = s->frame;
    double last = index ? s->dt : s->last_dt, dt = s->dt;
    double fall = cloth->def.slides_form ? dt * dt : 0.5 * dt * (dt + last),
           recall = cloth_remembers(cloth) ? (double)CLOTH_RECALL : 0.0;
    if (last > 0.0) fall -= recall / (1.0 + recall) * dt * last; /* motions have gained this part */
    double longest = cloth_contacts_longest_move(cloth), time = cloth->time + index * dt;
    if (fastest * dt < longest) longest = fastest * dt;
    bool gusty = cloth->has_air && frame->gust > 0.0f;
    cloth_step step = {.ratio = (float)(dt / (last > 0.0 ? last : CLOTH_START_DT)),
        .fall_x = (float)(frame->gravity[0] * fall),
        .fall_y = (float)(frame->gravity[1] * fall),
        .fall_z = (float)(frame->gravity[2] * fall),
        .wind_x = (float)(frame->wind[0] * dt),
        .wind_y = (float)(frame->wind[1] * dt),
        .wind_z = (float)(frame->wind[2] * dt),
        .gust = frame->gust,
        /* common period of the gusts' two waves, 20 pi s, so that the float stays
                        * precise */
        .time = gusty ? (float)fmod(time, 10.0 * two_pi) : 0.0f,
        .from = s->moves ? (float)((double)index / s->count) : 0.0f,
        .to = s->moves ? (float)((double)(index + 1) / s->count) : 0.0f,
        .stiffness = (float)((1.0 + recall) / (dt * dt)),
        .longest_move = (float)longest,
        .particles = cloth->particles,
        .colliders = cloth->host->collider_count,
        .origin_x = gusty ? (float)cloth->origin[0] : 0.0f,
        .origin_y = gusty ? (float)cloth->origin[1] : 0.0f,
        .origin_z = gusty ? (float)cloth->origin[2] : 0.0f,
        .recall = (float)recall};
    step.flags = (cloth->has_tethers ? CLOTH_STEP_TETHERS : 0) |
                 (cloth->has_driver ? CLOTH_STEP_DRIVER : 0) |
                 (cloth->has_air ? CLOTH_STEP_AIR : 0) | (cloth->has_field ? CLOTH_STEP_FIELD : 0) |
                 (cloth->host->has_meshes && cloth->buffers.contact ? CLOTH_STEP_CONTACTS : 0) |
                 (has_fast_collider(cloth->host) ? CLOTH_STEP_FAST : 0) |
                 (recall > 0.0 && !(last > 0.0) ? CLOTH_STEP_FIRST : 0);
    return step;
}

HED_VIEW_LAUNCH(cloth_gas_launch, CLOTH_GAS)

enum { SEAM_SUBSTEPS_AHEAD = 4 }; /* substeps of a search while seams close */
enum { SEARCHES = 4 }; /* calls of the solver in a frame with meshes, each after a search */

/* Fraction of the frame at which all planes are searched after search number `search`. */
static double search_after(const schedule *s, uint64_t search)
{
    uint64_t searches = s->searches < s->count ? s->searches : s->count;
    return fmin(ceil((double)(search + 1) * s->count / (double)searches) / s->count, 1.0);
}

/* Finds the planes of mesh colliders again before substep `at`: all planes where the meshes are
 * fast, else the planes of particles that have moved far relative to them. */
static hed_status search_planes(hed_cloth *cloth, const schedule *s, uint32_t at, hed_error *error)
{
    uint64_t searches = s->searches < s->count ? s->searches : s->count,
             search = at * searches / s->count;
    bool is_due = search > (at - 1) * searches / s->count;
    return cloth_contacts_find_again(cloth, cloth->contacts, s->frame,
        (cloth_search){.fraction = (double)at / s->count,
            .until = search_after(s, search),
            .slip = is_due ? 0.0 : cloth_plane_slip(cloth),
            .substeps = s->count - at,
            .dt = s->dt},
        error);
}

/* Draws seams to their length at the end of a substep, and finds the planes of mesh colliders
 * again: seams move cloth farther in a frame than planes of its start are valid. */
static hed_status draw_seams(hed_cloth *cloth, const schedule *s, uint32_t index, hed_error *error)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        cloth_set_seams(cloth->garments[g], cloth->time + (index + 1) * s->dt);
    if (index == 0 || !cloth->host->has_meshes) return error->status;
    return cloth_contacts_find_again(cloth, cloth->contacts, s->frame,
        (cloth_search){.fraction = (double)index / s->count,
            .until = 1.0,
            .substeps = SEAM_SUBSTEPS_AHEAD,
            .dt = s->dt},
        error);
}

/* True while seams of any part have not met. */
static bool closes_seams(const hed_cloth *cloth)
{
    const hed_cloth *whole = cloth_whole(cloth);
    bool closes = false;
    for (uint32_t g = 0; g < whole->garment_count; g++)
        closes |= whole->garments[g]->seam_count && cloth->time < whole->garments[g]->seam_seconds;
    return closes;
}

/* Enqueues `count` substeps from substep `at` of the submission on. */
static hed_status run_piece(
    hed_cloth *cloth, const schedule *s, uint32_t at, uint32_t count, hed_error *error)
{
    bool surface = cloth->has_pressure || at % cloth->frame_substeps == 0;
    if (cloth->has_air && surface) cloth_find_surface(cloth, error);
    if (cloth->has_field && surface) cloth_find_wind(cloth, s->frame->fan_count, s->dt, error);
    if (cloth->gases)
        cloth_run(cloth, CLOTH_KERNEL_GAS, cloth->gases,
            HED_VIEW_ARGS(cloth_gas_launch, .position = cloth->buffers.position,
                .triangles = cloth->buffers.triangles, .gases = cloth->buffers.gases,
                .garments = cloth->buffers.garments, .dt_square = (float)(s->dt * s->dt)),
            error);
    if (closes_seams(cloth)) draw_seams(cloth, s, at, error);
    else if (at > 0 && cloth->host->has_meshes) search_planes(cloth, s, at, error);
    if (hed_failed(error)) return error->status;
    cloth_step first = frame_step_at(cloth, s, at), rest = frame_step_at(cloth, s, at + 1);
    cloth->host->air_fresh = false;
    cloth->frame_at = at % cloth->frame_substeps;
    if (cloth->pieces) cloth_expect(cloth, &first, error);
    if (cloth->ops->substeps(cloth, cloth->solver, &first, &rest, (float)s->dt, count, error))
        return error->status;
    if (cloth->pieces && cloth_turn(cloth, &first, error)) return error->status;
    if (cloth_contacts_have_features(cloth->contacts) &&
        cloth_contacts_features(cloth, cloth->contacts, &first, error))
        return error->status;
    return cloth->has_self
               ? cloth_contacts_self(cloth, cloth->contacts, &first, (float)s->dt, error)
               : HED_OK;
}

static hed_status frame_feed(hed_cloth *cloth, const schedule *s, hed_error *error)
{
    const hed_cloth_frame *frame = s->frame;
    double seconds = frame->seconds * frame->frames;
    cloth_origin_follow(cloth, error);
    if (frame->teleports) cloth_jump(cloth, frame->teleports, error);
    cloth_move_frame(cloth, frame, error);
    cloth_feed_garments(cloth, (float)s->dt, error);
    feed_driver(cloth, frame, error);
    feed_colliders(cloth, frame, error);
    if (cloth_feed_fans(cloth, frame, error)) return error->status;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        cloth_set_seams(cloth->garments[g], cloth->time + seconds);

    if (frame->mesh_count || cloth->host->has_meshes) {
        if (!cloth->contacts && cloth_contacts_create(cloth, &cloth->contacts, error))
            return error->status;
        double until = closes_seams(cloth) ? 1.0 : search_after(s, 0);
        if (cloth_contacts_find(cloth, cloth->contacts, frame, seconds, until, error))
            return error->status;
        cloth->host->has_meshes = true;
    }
    return cloth_features_feed(cloth, cloth->contacts, frame, cloth->host->collider_words,
        cloth->host->collider_count, error);
}

/* Enqueues all of a checked frame on a device that precedes its substeps, and makes their
 * schedule. */
static hed_status begin_frame(hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t substeps,
    uint32_t searches, schedule *s, hed_error *error)
{
    *s = (schedule){.frame = frame,
        .dt = frame->seconds / substeps,
        .last_dt = cloth->last_dt,
        .searches = searches,
        .count = substeps * frame->frames};
    cloth->frame_substeps = substeps;
    cloth->host->dirty = true;
    if (cloth_stage_begin(cloth, error) || frame_feed(cloth, s, error)) return error->status;
    s->moves = cloth->has_driver || cloth->host->has_meshes || has_moving_collider(cloth->host);
    return cloth_contacts_begin(cloth, error);
}

static hed_status end_frame(hed_cloth *cloth, const schedule *s, hed_error *error)
{
    const hed_cloth_frame *frame = s->frame;
    if (hed_failed(error) || cloth_contacts_end(cloth, error)) return error->status;
    cloth->last_dt = (float)s->dt;
    cloth->time += frame->seconds * frame->frames;
    cloth->frame += frame->frames;
    cloth_set_view(cloth, frame->transform);
    if (!cloth_show(cloth, error)) cloth_origin_look(cloth, error);
    /* the frame is enqueued, even if a later call failed: the slot is in use */
    cloth_stage_end(cloth, error->status ? NULL : error);
    return error->status;
}

/* Enqueues a checked frame on a device. Air needs normals at each frame's start, self-collision and
 * thin features of bodies a pass after each substep, closing seams a length for each, fast meshes
 * searches between substeps; otherwise all substeps are one call of the solver. */
static hed_status step_part(hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t substeps,
    uint32_t searches, hed_error *error)
{
    schedule s;
    if (begin_frame(cloth, frame, substeps, searches, &s, error)) return error->status;
    bool is_single = cloth->has_self || cloth->has_pressure || searches > 1 ||
                     cloth_contacts_have_features(cloth->contacts) || closes_seams(cloth);
    uint32_t piece = is_single                 ? 1
                     : cloth->host->has_meshes ? (substeps + SEARCHES - 1) / SEARCHES
                     : cloth->has_air          ? substeps
                                               : s.count;
    for (uint32_t at = 0, count; at < s.count && !error->status; at += count) {
        uint32_t left =
            substeps - at % substeps; /* number until the end of a frame of the submission */
        count = piece > substeps || piece < left ? piece : left;
        run_piece(cloth, &s, at, count, error);
    }
    return end_frame(cloth, &s, error);
}

/* Enqueues a checked frame on strips, which exchange their margins after each substep. */
static hed_status step_strips(
    hed_cloth *whole, const hed_cloth_frame *frame, uint32_t searches, hed_error *error)
{
    schedule s;
    whole->is_split = true;
    for (uint32_t i = 0; i < whole->part_count && !error->status; i++)
        begin_frame(whole->parts[i], frame, whole->def.substeps, searches, &s, error);
    for (uint32_t at = 0; !error->status && at < s.count; at++) {
        for (uint32_t i = 0; i < whole->part_count && !error->status; i++)
            run_piece(whole->parts[i], &s, at, 1, error);
        if (!error->status) cloth_strips_exchange(whole, error);
    }
    for (uint32_t i = 0; i < whole->part_count; i++) end_frame(whole->parts[i], &s, error);
    whole->is_split = error->status != HED_OK;
    return error->status;
}

hed_status hed_cloth_step(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    HED_REQUIRE(cloth, frame);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    if (hed_failed(error) || check_frame(cloth, frame, error)) return error->status;
    if (cloth_open_tears(cloth, error) || cloth_check_together(cloth, error)) return error->status;
    uint32_t searches, substeps = cloth_frame_substeps(cloth, frame, &searches);
    cloth->most_substeps = substeps > cloth->most_substeps ? substeps : cloth->most_substeps;
    if (cloth->strips) return step_strips(cloth, frame, searches, error);
    for (uint32_t part = 0; part < cloth_part_count(cloth) && !error->status; part++)
        step_part(cloth_part(cloth, part), frame, substeps, searches, error);
    return error->status;
}
