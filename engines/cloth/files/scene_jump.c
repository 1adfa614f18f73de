/* Jumps of a scene: keys and sequences that teleport a character, and the rigid matrices by which
 * its garments jump along. A carrier, a body or pins with keys jump by their poses; a sequence by
 * the rotation and translation that fit its vertices best (Horn, Closed-form Solution of Absolute
 * Orientation Using Unit Quaternions, 1987). */
#include "files/cloth_scene_parts.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

/* ---- times ---- */

/* Number of times that a jump at `at` has happened at `time`; `period` 0: it happens once. */
static double passes(double at, double period, double time)
{
    double since = time - at + CLOTH_JUMP_SLACK;
    if (period > 0) return floor(since / period);
    return since >= 0;
}

bool cloth_motion_jumps(const cloth_motion *motion, double from, double to)
{
    const cloth_key *keys = motion->keys;
    double length = motion->key_count ? keys[motion->key_count - 1].time - keys[0].time : 0;
    bool jumps = false;
    for (uint32_t i = 0; i < motion->key_count; i++)
        jumps |= keys[i].teleport && passes(keys[i].time, motion->loop ? length : 0, from) !=
                                         passes(keys[i].time, motion->loop ? length : 0, to);
    return jumps;
}

static bool sequence_jumps(const cloth_sequence *sequence, double from, double to)
{
    double length = sequence->sample_count / sequence->rate;
    bool jumps = false;
    for (uint32_t i = 0; i < sequence->teleport_count; i++)
        jumps |= passes(sequence->teleports[i], sequence->loop ? length : 0, from) !=
                 passes(sequence->teleports[i], sequence->loop ? length : 0, to);
    return jumps;
}

bool cloth_body_jumps(const cloth_body *body, double from, double to)
{
    return cloth_motion_jumps(&body->motion, from, to) || sequence_jumps(&body->sequence, from, to);
}

static bool motion_has_jumps(const cloth_motion *motion)
{
    bool has = false;
    for (uint32_t i = 0; i < motion->key_count; i++) has |= motion->keys[i].teleport;
    return has;
}

bool cloth_scene_has_jumps(const hed_cloth_scene *scene)
{
    bool has = motion_has_jumps(&scene->carrier);
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        const cloth_scene_garment *garment = &scene->garments[g];
        const cloth_body *driver = garment->driver;
        if (driver) has |= driver->sequence.teleport_count || motion_has_jumps(&driver->motion);
        for (uint32_t p = 0; p < garment->pins_count; p++)
            has |= motion_has_jumps(&garment->pins[p].motion);
    }
    return has;
}

/* ---- matrices ---- */

/* Matrix, column by column, of a rotation (row by row) and a translation. */
static void matrix_of(const double turn[9], const double move[3], float *matrix)
{
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) matrix[4 * k + row] = (float)turn[3 * row + k];
        matrix[4 * row + 3] = 0;
        matrix[12 + row] = (float)move[row];
    }
    matrix[15] = 1;
}

/* Matrix that takes one pose to another. `shift`: position of the garment in its array, about which
 * its pose is. */
static void between_poses(
    const cloth_motion *motion, double from, double to, const float *shift, float *matrix)
{
    cloth_pose first = cloth_motion_at(motion, from), last = cloth_motion_at(motion, to);
    double turn[9], move[3];
    for (int row = 0; row < 3; row++) {
        move[row] = last.move[row] + shift[row];
        for (int k = 0; k < 3; k++) {
            double sum = 0; /* the first rotation undone, then the last one */
            for (int i = 0; i < 3; i++) sum += last.turn[3 * row + i] * first.turn[3 * k + i];
            turn[3 * row + k] = sum;
            move[row] -= sum * (first.move[k] + shift[k]);
        }
    }
    matrix_of(turn, move, matrix);
}

/* Unit eigenvector of the largest eigenvalue of a symmetric 4 x 4 matrix, which it changes: cyclic
 * Jacobi rotations. */
static void largest_vector(double m[4][4], double vector[4])
{
    enum { SWEEPS = 12 }; /* quadratic convergence: four are enough for doubles */
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) {
                if (m[p][q] == 0) continue;
                double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; k++) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 4; k++) {
                    double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
                    a = v[k][p], b = v[k][q];
                    v[k][p] = c * a - s * b, v[k][q] = s * a + c * b;
                }
            }
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (m[i][i] > m[best][best]) best = i;
    for (int k = 0; k < 4; k++) vector[k] = v[k][best];
}

/* Rigid matrix that fits `count` points before and after a jump best. */
static void best_fit(
    const float *before, const float *after, uint32_t count, const float *shift, float *matrix)
{
    double a[3] = {0}, b[3] = {0}, s[3][3] = {{0}}, q[4], move[3];
    for (uint32_t i = 0; i < 3 * count; i++)
        a[i % 3] += before[i] / (double)count, b[i % 3] += after[i] / (double)count;
    for (uint32_t i = 0; i < count; i++)
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 3; k++)
                s[row][k] +=
                    (before[3 * i + (uint32_t)row] - a[row]) * (after[3 * i + (uint32_t)k] - b[k]);
    double m[4][4] = {
        {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    for (int row = 1; row < 4; row++)
        for (int k = 0; k < row; k++) m[row][k] = m[k][row];
    largest_vector(m, q);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y),
        2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    for (int row = 0; row < 3; row++) {
        move[row] = b[row] + shift[row];
        for (int k = 0; k < 3; k++) move[row] -= turn[3 * row + k] * (a[k] + shift[k]);
    }
    matrix_of(turn, move, matrix);
}

/* ---- garments ---- */

/* Matrix of a garment that jumps with its driver or its pins; false: it does not. */
static bool garment_jumps(const cloth_scene_garment *garment, double from, double to, float *matrix)
{
    cloth_body *driver = garment->driver;
    if (driver && sequence_jumps(&driver->sequence, from, to)) {
        cloth_body_move(driver, from);
        memcpy(driver->before, driver->now, 3 * (size_t)driver->vertex_count * sizeof(float));
        cloth_body_move(driver, to);
        best_fit(driver->before, driver->now, driver->vertex_count, garment->shift, matrix);
        return true;
    }
    if (driver && cloth_motion_jumps(&driver->motion, from, to)) {
        between_poses(&driver->motion, from, to, garment->shift, matrix);
        return true;
    }
    for (uint32_t p = 0; p < garment->pins_count; p++)
        if (cloth_motion_jumps(&garment->pins[p].motion, from, to)) {
            between_poses(&garment->pins[p].motion, from, to, garment->shift, matrix);
            return true;
        }
    return false;
}

bool cloth_scene_jumps(hed_cloth_scene *scene, double from, double to)
{
    static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                       world[3] = {0};
    bool carried = cloth_motion_jumps(&scene->carrier, from, to), jumps = carried;
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        float *matrix = scene->teleports + 16 * (size_t)g;
        memcpy(matrix, unmoved, sizeof unmoved);
        if (carried) between_poses(&scene->carrier, from, to, world, matrix);
        else jumps |= garment_jumps(&scene->garments[g], from, to, matrix);
    }
    return jumps;
}
