/* Where places are measured from. A float 1 km from zero is good to 0.06 mm, too little for
 * contacts and for many substeps; so what is on the device is relative to an origin of the cloth,
 * in double here, which the world's places are taken from in double before they become float, and
 * which write-back adds in double to its matrix.
 *
 * The origin is always a whole number of steps of 1/8 m below 2^20 m, which a float holds: taking
 * such numbers from floats of the world, and moving places from one origin to another, rounds
 * nothing near the new one. It begins in the middle of the garments, goes along with `motion` and
 * teleports, and follows the cloth: every LOOK_EVERY submissions some places are copied to the
 * host, and LOOK_AFTER submissions later, when they are long there, the origin moves into their
 * middle. By counting submissions instead of waiting for what is there, the same submissions give
 * the same bits, whatever the device and whoever waits in between. */
#include "solver/host.h"

#include <math.h>
#include <string.h>

#undef fabs /* double here: words.h has the float of kernels */

enum { LOOK_EVERY = 16, LOOK_AFTER = CLOTH_SLOTS };
static const double steps_of_a_metre = 8.0, farthest = 1048576.0, /* 2^20 m */
    near_enough = 1.0;                                            /* m from the origin */

/* The nearest whole step; 0 never is -0, which would be other bits. */
static double on_a_step(double place)
{
    return fmin(fmax(rint(place * steps_of_a_metre) / steps_of_a_metre, -farthest), farthest) + 0.0;
}

float4 cloth_from_world(const hed_cloth *cloth, const float *place, float w)
{
    return (float4){(float)(place[0] - cloth->origin[0]), (float)(place[1] - cloth->origin[1]),
        (float)(place[2] - cloth->origin[2]), w};
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

/* A rigid matrix of the world, for places relative to the present origin that become relative to
 * `to`. */
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
    uint32_t what, hed_error *error)
{
    cloth_buffers *b = &cloth->buffers;
    rigid.first = first;
    rigid.what = what;
    hed_argument arguments[] = {hed_buffer_argument(array),
        hed_buffer_argument(what == CLOTH_MOVE_PARTICLES ? b->previous : b->none),
        hed_buffer_argument(what == CLOTH_MOVE_PARTICLES ? b->carry : b->none),
        hed_struct_argument(&rigid, sizeof rigid)};
    return cloth_run(cloth, CLOTH_KERNEL_MOVE, rigid.count, arguments, 4, error);
}

/* The driver of particles [first, first + rigid.count). */
static hed_status move_driver(hed_cloth *cloth, cloth_rigid rigid, uint32_t first, hed_error *error)
{
    hed_buffer *const driver[2] = {cloth->buffers.driver_from, cloth->buffers.driver_to};
    hed_status status = HED_OK;
    for (int i = 0; i < 2 && cloth->has_driver && !status; i++) {
        status = move_array(cloth, driver[i], rigid, first, CLOTH_MOVE_POINTS, error);
        if (!status)
            status = move_array(
                cloth, driver[i], rigid, cloth->particles + first, CLOTH_MOVE_DIRECTIONS, error);
    }
    return status;
}

static void set_origin(hed_cloth *cloth, const double *origin)
{
    memcpy(cloth->origin, origin, sizeof cloth->origin);
    cloth_fold_view(cloth);
}

hed_status cloth_move_particles(
    hed_cloth *cloth, const float *matrix, uint32_t first, uint32_t count, hed_error *error)
{
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
    if (status) return status; /* nothing has moved: the origin stays */
    set_origin(cloth, to);
    cloth->host->air_fresh = false;
    return move_driver(cloth, rigid, first, error);
}

static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

hed_status cloth_origin_go_back(hed_cloth *cloth, const double *origin, hed_error *error)
{
    cloth_rigid rigid = relative(cloth, unmoved, origin);
    bool same = memcmp(cloth->origin, origin, sizeof cloth->origin) == 0;
    rigid.count = cloth->particles;
    hed_status status = same ? HED_OK : move_driver(cloth, rigid, 0, error);
    cloth->host->look.after = cloth->host->look.submissions = 0;
    set_origin(cloth, origin);
    return status;
}

/* ---- following ---- */

static uint32_t look_count(const hed_cloth *cloth)
{
    return cloth->garment_count < CLOTH_LOOKS ? cloth->garment_count : CLOTH_LOOKS;
}

/* A particle of each garment, of the first few: where it is tells how far the garment has gone. */
static uint32_t looked_at(const hed_cloth *cloth, uint32_t garment)
{
    return cloth->garments[garment]->particle_count / 2;
}

static hed_status copy_places(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    hed_status status = HED_OK;
    if (!look->pinned) {
        hed_buffer_def def = {.memory = HED_MEMORY_PINNED, .size = CLOTH_LOOKS * sizeof(float4)};
        status = hed_buffer_create(cloth->device, &def, &look->pinned, error);
    }
    if (!status && !look->done) status = hed_event_create(cloth->device, false, &look->done, error);
    for (uint32_t g = 0; g < look_count(cloth) && !status; g++) {
        uint64_t particle = cloth->first_particle[g] + looked_at(cloth, g);
        status = hed_copy(cloth->stream, look->pinned, g * sizeof(float4), cloth->buffers.position,
            particle * sizeof(float4), sizeof(float4), error);
    }
    if (!status) status = hed_event_record(look->done, cloth->stream, error);
    if (status) return status;
    look->known = false;
    look->after = LOOK_AFTER;
    return HED_OK;
}

hed_status cloth_origin_seen(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    if (!look->after || look->known) return HED_OK;
    hed_status status = hed_event_wait(look->done, UINT64_MAX, error);
    if (status) return status;
    const float4 *places = hed_buffer_host(look->pinned);
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t g = 0; g < look_count(cloth); g++) {
            const float place[3] = {places[g].x, places[g].y, places[g].z};
            float gone = place[k] - (float)(cloth->garments[g]->positions[looked_at(cloth, g)][k] -
                                            look->start[k]);
            low = gone < low ? gone : low;
            high = gone > high ? gone : high;
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
        if (!(fabs(look->middle[k]) < farthest)) return HED_OK; /* broken: hed_cloth_wait() tells */
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
