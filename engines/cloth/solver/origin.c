/* Origin of positions, and the matrices that depend on it.
 *
 * A float 1 km from zero has a resolution of 0.06 mm, too coarse for contacts and for many
 * substeps. So positions on the device are relative to an origin of the cloth, which is double: it
 * is subtracted from positions in the world in double before they become float, and write-back adds
 * it in double to its matrix.
 *
 * Coordinates of the origin are multiples of 1/8 m below 2^20 m, which a float represents exactly:
 * subtracting the origin from floats of the world, or moving positions from one origin to another,
 * has no rounding error near the new origin. The origin starts in the middle of the garments, moves
 * with `motion` and teleports, and follows the cloth: every LOOK_EVERY submissions some positions
 * are copied to the host, and LOOK_AFTER submissions later, long after the copy is complete, the
 * origin moves to their middle. Submissions are counted and results are not waited for, so the same
 * submissions give the same bits on every device, no matter how often the program waits. */
#include "model/collider.h"
#include "solver/host.h"

#include <math.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */

enum { LOOK_EVERY = 16, LOOK_AFTER = CLOTH_SLOTS };
static const double steps_of_a_metre = 8.0,
                    near_enough = 1.0; /* maximum offset of the cloth's middle, m */

/* Rounds a coordinate to the nearest multiple of 1/8 m; never -0, which has other bits than 0. */
static double on_a_step(double place)
{
    return fmin(fmax(rint(place * steps_of_a_metre) / steps_of_a_metre, -CLOTH_ORIGIN_FARTHEST),
               CLOTH_ORIGIN_FARTHEST) +
           0.0;
}

/* ---- the start ---- */

void cloth_origin_start(hed_cloth *cloth)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = 0; i < cloth->garments[g]->particle_count; i++)
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], cloth->garments[g]->positions[i][k]);
                high[k] = fmax(high[k], cloth->garments[g]->positions[i][k]);
            }
    for (int k = 0; k < 3; k++) cloth->origin[k] = on_a_step(0.5 * (low[k] + high[k]));
    cloth->host->look =
        (cloth_look){.pinned = cloth->host->look.pinned, .done = cloth->host->look.done};
    memcpy(cloth->host->look.start, cloth->origin, sizeof cloth->origin);
    cloth_fold_view(cloth);
}

/* ---- moves ---- */

/* Converts a rigid matrix of the world to one from positions relative to the current origin to
 * positions relative to `to`. */
static cloth_rigid relative(const hed_cloth *cloth, const float *matrix, const double *to)
{
    cloth_rigid rigid = {.count = 0};
    memcpy(rigid.matrix, matrix, sizeof rigid.matrix);
    for (int k = 0; k < 3; k++) {
        double shift = matrix[12 + k] - to[k];
        for (int column = 0; column < 3; column++)
            shift += (double)matrix[4 * column + k] * cloth->origin[column];
        rigid.matrix[12 + k] = (float)shift;
    }
    return rigid;
}

static hed_status move_array(hed_cloth *cloth, hed_buffer *array, cloth_rigid rigid, uint32_t first,
    uint32_t mode, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    const bool moves = mode == CLOTH_MOVE_PARTICLES;
    rigid.first = first;
    rigid.mode = mode;
    return cloth_run(cloth, CLOTH_KERNEL_MOVE, rigid.count,
        HED_VIEW_ARGS(cloth_move_launch, .array = array, .previous = moves ? b->previous : b->none,
            .carry = moves ? b->carry : b->none, .rigid = rigid),
        error);
}

/* Moves the driver of particles [first, first + rigid.count). */
static hed_status move_driver(hed_cloth *cloth, cloth_rigid rigid, uint32_t first, hed_error *error)
{
    hed_buffer *const driver[2] = {cloth->buffers.driver_from, cloth->buffers.driver_to};
    for (int i = 0; i < 2 && cloth->has_driver; i++) {
        move_array(cloth, driver[i], rigid, first, CLOTH_MOVE_POINTS, error);
        move_array(cloth, driver[i], rigid, cloth->particles + first, CLOTH_MOVE_DIRECTIONS, error);
    }
    return error->status;
}

static void set_origin(hed_cloth *cloth, const double *origin)
{
    memcpy(cloth->origin, origin, sizeof cloth->origin);
    cloth_fold_view(cloth);
}

hed_status cloth_move_particles(
    hed_cloth *cloth, const float *matrix, uint32_t first, uint32_t count, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    double to[3];
    memcpy(to, cloth->origin, sizeof to);
    for (int k = 0; k < 3 && count == cloth->particles; k++) {
        to[k] = matrix[12 + k];
        for (int column = 0; column < 3; column++)
            to[k] += (double)matrix[4 * column + k] * cloth->origin[column];
        to[k] = on_a_step(to[k]);
    }
    cloth_rigid rigid = relative(cloth, matrix, to);
    rigid.count = count;
    hed_status status =
        move_array(cloth, cloth->buffers.position, rigid, first, CLOTH_MOVE_PARTICLES, error);
    if (status) return status; /* keep the origin, because the particles have not moved */
    set_origin(cloth, to);
    cloth->host->air_fresh = false;
    return move_driver(cloth, rigid, first, error);
}

static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

hed_status cloth_origin_go_back(hed_cloth *cloth, const double *origin, hed_error *error)
{
    cloth_rigid rigid = relative(cloth, unmoved, origin);
    bool is_same = memcmp(cloth->origin, origin, sizeof cloth->origin) == 0;
    rigid.count = cloth->particles;
    if (!is_same) move_driver(cloth, rigid, 0, error);
    cloth->host->look.after = cloth->host->look.submissions = 0;
    set_origin(cloth, origin);
    return error->status;
}

/* ---- following ---- */

static uint32_t look_count(const hed_cloth *cloth)
{
    return cloth->garment_count < CLOTH_LOOKS ? cloth->garment_count : CLOTH_LOOKS;
}

/* Particle whose displacement represents its garment's. */
static uint32_t looked_at(const hed_cloth *cloth, uint32_t garment)
{
    return (cloth->garments[garment]->particle_count - cloth->garments[garment]->spare_count) / 2;
}

static hed_status copy_places(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    hed_buffer_def def = {.memory = HED_MEMORY_PINNED, .size = CLOTH_LOOKS * sizeof(float4)};
    if (!look->pinned) hed_buffer_create(cloth->device, &def, &look->pinned, error);
    if (!look->done) hed_event_create(cloth->device, false, &look->done, error);
    for (uint32_t g = 0; g < look_count(cloth); g++) {
        uint64_t particle = cloth->first_particle[g] + looked_at(cloth, g);
        hed_copy(cloth->stream, look->pinned, g * sizeof(float4), cloth->buffers.position,
            particle * sizeof(float4), sizeof(float4), error);
    }
    if (hed_event_record(look->done, cloth->stream, error)) return error->status;
    look->known = false;
    look->after = LOOK_AFTER;
    return HED_OK;
}

hed_status cloth_origin_seen(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    if (hed_failed(error)) return error->status;
    if (!look->after || look->known) return HED_OK;
    hed_status status = hed_event_wait(look->done, UINT64_MAX, error);
    if (status) return status;
    const float4 *places = hed_buffer_describe(look->pinned).host;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t g = 0; g < look_count(cloth); g++) {
            const float place[3] = {places[g].x, places[g].y, places[g].z};
            float travel =
                place[k] -
                (float)(cloth->garments[g]->positions[looked_at(cloth, g)][k] - look->start[k]);
            low = travel < low ? travel : low;
            high = travel > high ? travel : high;
        }
        look->middle[k] = 0.5f * (low + high);
    }
    look->known = true;
    return HED_OK;
}

hed_status cloth_origin_look(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    if (look->after || ++look->submissions < LOOK_EVERY) return HED_OK;
    look->submissions = 0;
    return copy_places(cloth, error);
}

hed_status cloth_origin_follow(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    if (look->after != 1) {
        if (look->after) look->after--;
        return HED_OK;
    }
    hed_status status = cloth_origin_seen(cloth, error);
    look->after = 0;
    if (status) return status;
    double to[3], farthest_off = 0.0;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(look->middle[k]) < CLOTH_ORIGIN_FARTHEST))
            return HED_OK; /* invalid positions: hed_cloth_wait() reports them */
        farthest_off = fmax(farthest_off, fabs(look->middle[k]));
        to[k] = on_a_step(cloth->origin[k] + look->middle[k]);
    }
    if (farthest_off <= near_enough) return HED_OK;
    cloth_rigid rigid = relative(cloth, unmoved, to);
    rigid.count = cloth->particles;
    status = move_array(cloth, cloth->buffers.position, rigid, 0, CLOTH_MOVE_PARTICLES, error);
    if (status) return status;
    set_origin(cloth, to);
    return move_driver(cloth, rigid, 0, error);
}

/* ---- matrices ---- */

hed_status cloth_check_matrix(
    const float *matrix, bool rigid, const char *subject, hed_error *error)
{
    if (hed_failed(error) || cloth_check_numbers(matrix, 16, CLOTH_FARTHEST, subject, error))
        return error->status;
    if (matrix[3] != 0.0f || matrix[7] != 0.0f || matrix[11] != 0.0f || matrix[15] != 1.0f)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: the last row is %g %g %g %g: 0 0 0 1 (matrices are given column by column)",
            subject, matrix[3], matrix[7], matrix[11], matrix[15]);
    for (int a = 0; a < 3 && rigid; a++)
        for (int b = a; b < 3; b++) {
            double product = 0.0, expected = a == b;
            for (int k = 0; k < 3; k++) product += (double)matrix[4 * a + k] * matrix[4 * b + k];
            if (fabs(product - expected) > 1e-3)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "%s: columns %d and %d have the product %g, expected %g: it must be rigid",
                    subject, a, b, product, expected);
        }
    return HED_OK;
}

/* Computes the matrix of normals: the cofactors (inverse transposed, times the determinant), in
 * columns of four. */
static void cofactors(const float *m, float *normals)
{
    double determinant = 0.0, out[3][3];
    for (int a = 0; a < 3; a++) {
        const float *u = m + 4 * ((a + 1) % 3), *v = m + 4 * ((a + 2) % 3);
        for (int k = 0; k < 3; k++)
            out[a][k] =
                (double)u[(k + 1) % 3] * v[(k + 2) % 3] - (double)u[(k + 2) % 3] * v[(k + 1) % 3];
    }
    for (int k = 0; k < 3; k++) determinant += out[0][k] * m[k];
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++)
            normals[4 * a + k] = (float)(determinant < 0.0 ? -out[a][k] : out[a][k]);
        normals[4 * a + 3] = 0.0f;
    }
}

void cloth_set_view(hed_cloth *cloth, const float *transform)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(cloth->host->transform, transform ? transform : identity, sizeof cloth->host->transform);
    cloth_fold_view(cloth);
}

void cloth_fold_view(hed_cloth *cloth)
{
    const float *m = cloth->host->transform;
    cloth_view *view = &cloth->host->view;
    memcpy(view->matrix, m, sizeof view->matrix);
    for (int k = 0; k < 3; k++)
        view->matrix[12 + k] = (float)(m[12 + k] + m[k] * cloth->origin[0] +
                                       m[4 + k] * cloth->origin[1] + m[8 + k] * cloth->origin[2]);
    cofactors(view->matrix, view->normals);
}
