/* Substeps of a frame with fast bodies, where the definition leaves substeps to the engine, and
 * searches of the planes of mesh colliders in it.
 *
 * Bodies that are near cloth count. The host never waits for the device, so it knows a garment's
 * place from positions that were copied up to CLOTH_UNSEEN submissions ago (origin.c): the cloth is
 * within a box around its middle or around its driver's targets, and a body is swept backwards over
 * these submissions, since it may have carried the cloth along. Motions are relative to the
 * driver's, with which a driven garment and the bodies of its character move. */
#include "solver/host.h"

#include <math.h>
#include <string.h>

#undef fabs

enum {
    MOST_A_SECOND = 64 * 60, /* substeps of frames with fast bodies */
    MOST_SEARCHES = 1000000,
    CALMING = 16, /* divisor of the fall of the substeps in each frame after a fast body */
    SEARCHED = 4  /* substeps between two searches of planes, where bodies move by body_motion */
};

static const double drift_speed = 3.0; /* m/s, of cloth that no body carries along */

/* ---- the driver ---- */

/* Adds the targets of a garment that is driven to a box. Returns their number. */
static uint64_t add_targets(const hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t g,
    double *sum, double *low, double *high)
{
    const cloth_garment *garment = cloth->garments[g];
    uint64_t count = 0;
    for (uint32_t i = cloth->first_particle[g]; i < cloth->first_particle[g + 1]; i++) {
        const float *at = frame->driver_positions + 3 * (size_t)i,
                    *map =
                        garment
                            ->driver_map[(i - cloth->first_particle[g]) % garment->particle_count];
        if (map[0] < 0.0f && map[2] < 0.0f && !(map[3] > 0.0f)) continue; /* a free particle */
        count++;
        for (int k = 0; k < 3; k++) {
            sum[k] += (double)at[k];
            low[k] = fmin(low[k], (double)at[k]);
            high[k] = fmax(high[k], (double)at[k]);
        }
    }
    return count;
}

/* Adds boxes around the targets of driven garments; without targets in the frame their last middle
 * stays. Sets the driver's motion as the reference. Returns false if it is unknown. */
static bool add_driver(hed_cloth *cloth, const hed_cloth_frame *frame, cloth_motions *motions)
{
    cloth_host *host = cloth_part(cloth, 0)->host;
    double sum[3] = {0}, drift = drift_speed * CLOTH_UNSEEN * frame->seconds * frame->frames;
    uint64_t count = 0;
    bool was_known = host->has_driver_middle && !frame->teleports;
    host->has_driver_middle = was_known && !frame->driver_buffer;
    if (frame->motion && was_known) {
        float from[3], moved[3];
        for (int k = 0; k < 3; k++) from[k] = (float)host->driver_middle[k];
        cloth_point_through(frame->motion, from, moved);
        for (int k = 0; k < 3; k++) host->driver_middle[k] = (double)moved[k];
    }
    if (!frame->driver_positions) return !frame->driver_buffer;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        if (!cloth->garments[g]->driven) continue;
        uint64_t added = add_targets(cloth, frame, g, sum, low, high);
        for (int k = 0; k < 3; k++) {
            low[k] -= cloth->garments[g]->reach + drift;
            high[k] += cloth->garments[g]->reach + drift;
        }
        if (added) cloth_motions_add_box(motions, low, high);
        count += added;
    }
    if (!count) return false;
    for (int k = 0; k < 3; k++) {
        double middle = sum[k] / (double)count;
        if (was_known) motions->reference[k] = middle - host->driver_middle[k];
        host->driver_middle[k] = middle;
    }
    host->has_driver_middle = true;
    return was_known;
}

/* ---- boxes around garments ---- */

/* Adds boxes around the garments' middles, after the frame's teleports and motion, and around the
 * way that a garment goes if it drifts on as it did between the last two looks, as in free fall. */
static void add_boxes(const hed_cloth *cloth, const hed_cloth_frame *frame, cloth_motions *motions)
{
    const hed_cloth *lead = cloth_lead(cloth);
    double drift = drift_speed * CLOTH_UNSEEN * frame->seconds * frame->frames;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        bool is_unknown = cloth->garments[g]->driven && frame->driver_buffer;
        double range = is_unknown ? INFINITY : cloth_origin_range(lead, g) + drift, low[3], high[3];
        float at[2][3], moved[3];
        for (int k = 0; k < 3; k++) {
            at[0][k] = (float)(lead->homes[g].origin[k] + lead->homes[g].middle[k]);
            at[1][k] = at[0][k] + lead->homes[g].drift[k];
        }
        for (int end = 0; end < 2; end++) {
            if (frame->teleports) {
                cloth_point_through(frame->teleports + 16 * (size_t)g, at[end], moved);
                memcpy(at[end], moved, sizeof moved);
            }
            if (frame->motion) {
                cloth_point_through(frame->motion, at[end], moved);
                memcpy(at[end], moved, sizeof moved);
            }
        }
        for (int k = 0; k < 3; k++) {
            low[k] = fmin((double)at[0][k], (double)at[1][k]) - range;
            high[k] = fmax((double)at[0][k], (double)at[1][k]) + range;
        }
        cloth_motions_add_box(motions, low, high);
    }
}

/* ---- bodies ---- */

static void add_collider(
    const hed_cloth_collider *from, const hed_cloth_collider *to, cloth_motions *motions)
{
    cloth_sweep sweep = cloth_sweep_start();
    if (to->shape == HED_CLOTH_PLANE) {
        cloth_motions_add_plane(motions, from->a, to->a, to->b);
        return;
    }
    cloth_sweep_add(&sweep, motions, from->a, to->a, (double)to->radius[0]);
    if (to->shape == HED_CLOTH_CAPSULE)
        cloth_sweep_add(&sweep, motions, from->b, to->b, (double)to->radius[1]);
    if (cloth_sweep_counts(&sweep, motions)) motions->longest = sweep.longest;
}

/* Counts the motions of all bodies in a frame, or sums the motions of their points. */
static void add_bodies(
    const hed_cloth *cloth, const hed_cloth_frame *frame, bool sums, cloth_motions *motions)
{
    const cloth_host *host = cloth->host;
    /* colliders that the frame does not pass keep their positions */
    bool are_passed = frame->collider_count > 0;
    uint32_t count = are_passed ? frame->collider_count : host->collider_count;
    for (uint32_t i = 0; i < count; i++) {
        const hed_cloth_collider *to = are_passed ? &frame->colliders[i] : &host->colliders[i];
        if (i >= host->collider_count && !frame->collider_starts)
            continue; /* begins where it ends */
        hed_cloth_collider from = cloth_collider_before(host, frame, i);
        if (!sums) {
            add_collider(&from, to, motions);
            continue;
        }
        cloth_motions_sum(motions, from.a, to->a);
        if (to->shape == HED_CLOTH_CAPSULE) cloth_motions_sum(motions, from.b, to->b);
    }
    if (sums) cloth_contacts_sum_motions(cloth->contacts, frame, motions);
    else cloth_contacts_motions(cloth->contacts, frame, motions);
}

double cloth_plane_slip(const hed_cloth *cloth)
{
    return SEARCHED * cloth_whole(cloth)->body_motion;
}

uint32_t cloth_frame_substeps(hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t *searches)
{
    const hed_cloth *lead = cloth_lead(cloth);
    cloth_motions motions = {.count = 0, .swept = CLOTH_UNSEEN};
    bool has_meshes = frame->mesh_count || lead->host->has_meshes;
    *searches = 1;
    if (!(cloth->body_motion > 0) || (!cloth->is_chosen && !has_meshes)) return cloth->def.substeps;
    add_boxes(cloth, frame, &motions);
    if (cloth->has_driver && !add_driver(cloth, frame, &motions)) {
        /* The driver's motion is unknown: that of the bodies, which move along with it. */
        add_bodies(lead, frame, true, &motions);
        for (int k = 0; k < 3 && motions.count; k++)
            motions.reference[k] = motions.sum[k] / (double)motions.count;
    }
    add_bodies(lead, frame, false, &motions);
    double slips = motions.longest / cloth->body_motion, needed = ceil(slips / frame->frames),
           limit = ceil(MOST_A_SECOND * frame->seconds), last = lead->frame_substeps,
           calming = last - ceil(last / CALMING); /* cloth that a fast body has thrown */
    if (has_meshes) *searches = (uint32_t)fmin(fmax(ceil(slips / SEARCHED), 1), MOST_SEARCHES);
    if (!cloth->is_chosen) return cloth->def.substeps;
    return (uint32_t)fmax(fmin(fmax(needed, calming), limit), cloth->def.substeps);
}
