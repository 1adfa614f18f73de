/* A frame of reference that moves, such as a character that runs, and what garments feel of it.
 *
 * Everything goes along with it first: particles with their ways, and where the driver and the
 * colliders were, so that a frame is the same as one that stands still. Then ways change as
 * those of a body that is carried do. With M the motion of this frame, M0 that of the last one,
 * D(r) = M r - r and D0(r) = r - M0^-1 r how far they carry the point r, a way w that nothing
 * holds stays what it is in the world: seen from the frame it was w - D0, and becomes w - D. So
 * it gains D0 - D, and the turn by M is taken back. A share of that is what is felt: of the
 * motion of the centre by linear inertia, of the rest by angular inertia. D and D0 are of
 * points, not of velocities, so that share 1 is the world to rounding however far a frame turns. */
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
        moved.b[k] -= zero[k]; /* a normal only turns */
    return moved;
}

/* A rigid matrix, column by column, with its rotation R and its shift. */
static double turn_of(const float *matrix, int row, int column) { return matrix[4 * column + row]; }

/* R^T (p - shift) of a rigid matrix. */
static void back_through(const float *matrix, const double *p, double *back)
{
    for (int k = 0; k < 3; k++) {
        back[k] = 0.0;
        for (int row = 0; row < 3; row++)
            back[k] += turn_of(matrix, row, k) * (p[row] - matrix[12 + row]);
    }
}

/* What the ways of a garment go through, for places after the motion. `last_dt`: what they are
 * for. */
static cloth_rigid felt(const hed_cloth *cloth, const cloth_garment *garment,
    const hed_cloth_frame *frame, const float *motion, double seconds)
{
    const float *last = cloth->host->pace;
    double share = garment->angular_inertia, last_seconds = cloth->host->pace_seconds,
           dt = cloth->last_dt;
    double centre[3], before[3], after[3], spin[3][3];
    cloth_rigid led = {.what = CLOTH_MOVE_LED};
    memcpy(led.matrix, unmoved, sizeof led.matrix);
    for (int k = 0; k < 3; k++) centre[k] = frame->motion_centre[k];
    back_through(last, centre, before);
    for (int k = 0; k < 3; k++) {
        after[k] = motion[12 + k];
        for (int column = 0; column < 3; column++)
            after[k] += turn_of(motion, k, column) * centre[column];
    }
    /* (I - R0^T) / T0 - (R - I) / T, of what is around the centre before the motion */
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double same = row == column;
            led.turn[4 * column + row] =
                (float)(same + share * (turn_of(motion, column, row) - same));
            spin[row][column] = (same - turn_of(last, column, row)) / last_seconds -
                                (turn_of(motion, row, column) - same) / seconds;
        }
    for (int row = 0; row < 3; row++) {
        double gain =
            garment->linear_inertia * dt *
            ((centre[row] - before[row]) / last_seconds - (after[row] - centre[row]) / seconds);
        for (int column = 0; column < 3; column++) {
            double back = 0.0; /* and through R^T from a place after it */
            for (int k = 0; k < 3; k++) back += spin[row][k] * turn_of(motion, column, k);
            led.lead[4 * column + row] = (float)(share * dt * back);
            gain += share * dt * back * (cloth->origin[column] - after[column]);
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
        if (cloth_move_particles(cloth, motion, 0, cloth->particles, error)) return error->status;
        if (frame->mesh_count) cloth_contacts_move(cloth->contacts, motion);
    }
    if (!cloth->has_inertia) return HED_OK;
    bool moves = frame->motion != NULL;
    for (int k = 0; k < 16; k++) moves |= host->pace[k] != unmoved[k];
    bool paced = moves && host->pace_seconds > 0.0 && cloth->last_dt > 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count && paced && !error->status; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (garment->linear_inertia == 0.0f && garment->angular_inertia == 0.0f) continue;
        cloth_rigid led = felt(cloth, garment, frame, motion, seconds);
        led.first = cloth->first_particle[g];
        led.count = cloth->first_particle[g + 1] - led.first;
        cloth_run(cloth, CLOTH_KERNEL_MOVE, led.count,
            HED_ARGS(cloth->buffers.position, cloth->buffers.previous, cloth->buffers.carry,
                hed_struct_argument(&led, sizeof led)),
            error);
    }
    memcpy(host->pace, motion, sizeof host->pace);
    host->pace_seconds = seconds;
    return error->status;
}
