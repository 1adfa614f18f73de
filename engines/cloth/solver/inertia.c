/* Inertia of garments in a moving frame of reference, such as a character that runs.
 *
 * First everything moves with the frame of reference: particles with their motions, and the last
 * positions of driver and colliders, so that the frame is computed as if it were at rest. Then the
 * motions of particles change by inertia. Let M be the motion of the frame of reference in this
 * frame, M0 in the last frame with the rotation R0, D(r) = M r - r and D0(r) = r - M0^-1 r the
 * displacements of a point r. A free motion w is constant in the world: relative to the frame of
 * reference it was v, for which w = R0^T v + D0, and becomes w - D. So v is rotated by R0^T, D0 - D is
 * added, and its rotation by M is reverted: each half of the Coriolis force. Linear inertia is the
 * fraction of this change that is applied for the motion of the centre, angular inertia the
 * fraction for the rest. D and D0 are displacements of points, not velocities, so with fraction 1
 * the motion in the world is exact to rounding, however far a frame turns. */
#include "solver/host.h"

#include <math.h>
#include <string.h>

static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

hed_cloth_collider cloth_collider_through(const float *matrix, const hed_cloth_collider *collider)
{
    static const float nowhere[3] = {0};
    hed_cloth_collider moved = *collider;
    float zero[3];
    cloth_point_through(matrix, collider->a, moved.a);
    cloth_point_through(matrix, collider->b, moved.b);
    cloth_point_through(matrix, nowhere, zero);
    for (int k = 0; k < 3 && moved.shape == HED_CLOTH_PLANE; k++)
        moved.b[k] -= zero[k]; /* a normal has no translation */
    return moved;
}

hed_cloth_collider cloth_collider_before(
    const cloth_host *host, const hed_cloth_frame *frame, uint32_t index)
{
    bool starts = frame->collider_count && frame->collider_starts;
    hed_cloth_collider from = starts ? frame->collider_starts[index] : host->colliders[index];
    return frame->motion ? cloth_collider_through(frame->motion, &from) : from;
}

/* Element of the rotation R of a rigid matrix, which is stored column by column. */
static double turn_of(const float *matrix, int row, int column) { return matrix[4 * column + row]; }

/* Transforms a point by the inverse of a rigid matrix: R^T (p - translation). */
static void back_through(const float *matrix, const double *p, double *back)
{
    for (int k = 0; k < 3; k++) {
        back[k] = 0.0;
        for (int row = 0; row < 3; row++)
            back[k] += turn_of(matrix, row, k) * (p[row] - matrix[12 + row]);
    }
}

/* Transformation of the motions of a garment by inertia, for positions after the frame's motion. A
 * motion is the displacement in cloth->last_dt. */
static cloth_rigid felt(const hed_cloth *cloth, uint32_t index, const hed_cloth_frame *frame,
    const float *motion, double seconds)
{
    const cloth_garment *garment = cloth->garments[index];
    const float *last = cloth->host->pace;
    double share = garment->angular_inertia, last_seconds = cloth->host->pace_seconds,
           dt = cloth->last_dt;
    double centre[3], before[3], after[3], spin[3][3];
    cloth_rigid led = {.mode = CLOTH_MOVE_LED};
    memcpy(led.matrix, unmoved, sizeof led.matrix);
    for (int k = 0; k < 3; k++) centre[k] = frame->motion_centre[k];
    back_through(last, centre, before);
    for (int k = 0; k < 3; k++) {
        after[k] = motion[12 + k];
        for (int column = 0; column < 3; column++)
            after[k] += turn_of(motion, k, column) * centre[column];
    }
    /* spin = (I - R0^T) / T0 - (R - I) / T, for vectors from the centre before the motion */
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double same = row == column, reverted = 0.0; /* R0^T R^T */
            for (int k = 0; k < 3; k++)
                reverted += turn_of(last, k, row) * turn_of(motion, column, k);
            led.turn[4 * column + row] = (float)(same + share * (reverted - same));
            spin[row][column] = (same - turn_of(last, column, row)) / last_seconds -
                                (turn_of(motion, row, column) - same) / seconds;
        }
    for (int row = 0; row < 3; row++) {
        double gain =
            garment->linear_inertia * dt *
            ((centre[row] - before[row]) / last_seconds - (after[row] - centre[row]) / seconds);
        for (int column = 0; column < 3; column++) {
            double back = 0.0; /* spin R^T, for vectors after the motion */
            for (int k = 0; k < 3; k++) back += spin[row][k] * turn_of(motion, column, k);
            led.lead[4 * column + row] = (float)(share * dt * back);
            gain += share * dt * back *
                    (cloth->homes[cloth->base_garment + index].origin[column] - after[column]);
        }
        led.lead[12 + row] = (float)gain;
    }
    return led;
}

hed_status cloth_move_frame(hed_cloth *cloth, const hed_cloth_frame *frame, hed_error *error)
{
    cloth_host *host = cloth->host;
    const float *motion = frame->motion ? frame->motion : unmoved;
    double seconds = frame->seconds * frame->frames;
    if (hed_failed(error)) return error->status;
    if (frame->motion) {
        if (cloth_move_all(cloth, motion, error)) return error->status;
        if (frame->mesh_count) cloth_contacts_move(cloth->contacts, motion);
    }
    if (!cloth->has_inertia) return HED_OK;
    bool moves = frame->motion != NULL;
    for (int k = 0; k < 16; k++) moves |= host->pace[k] != unmoved[k];
    bool paced = moves && host->pace_seconds > 0.0 && cloth->last_dt > 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count && paced && !error->status; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (garment->linear_inertia == 0.0f && garment->angular_inertia == 0.0f) continue;
        cloth_rigid led = felt(cloth, g, frame, motion, seconds);
        led.first = cloth->first_particle[g];
        led.count = cloth->first_particle[g + 1] - led.first;
        cloth_run(cloth, CLOTH_KERNEL_MOVE, led.count,
            HED_VIEW_ARGS(cloth_move_launch, .array = cloth->buffers.position,
                .previous = cloth->buffers.previous, .carry = cloth->buffers.carry, .rigid = led),
            error);
    }
    memcpy(host->pace, motion, sizeof host->pace);
    /* After a jump of the frame of reference itself its motion is not known. */
    host->pace_seconds = frame->teleports && !frame->motion ? 0.0 : seconds;
    return error->status;
}
