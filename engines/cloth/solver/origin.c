/* Origins of positions, and the matrices that depend on them.
 *
 * A float 1 km from zero has a resolution of 0.06 mm, too coarse for contacts and for many
 * substeps. So positions on the device are relative to an origin, which is double: it is subtracted
 * from positions in the world in double before they become float, and write-back adds it in double
 * to its matrix. Garments far from each other get an origin each; colliders, drivers and wind are
 * then floats of the world, from which a kernel subtracts the garment's origin with one rounding
 * (cloth_origin_at()). With contact between garments they have a common origin, as contact compares
 * positions of any two.
 *
 * Coordinates of an origin are multiples of 1/8 m below 2^20 m, which a float represents exactly:
 * subtracting the origin from floats of the world, or moving positions from one origin to another,
 * has no rounding error near the new origin. An origin starts in the middle of its garments, moves
 * with `motion` and teleports, and follows the cloth: every LOOK_EVERY submissions some positions
 * are copied to the host, and LOOK_AFTER submissions later, long after the copy is complete, the
 * origin moves to their middle. Submissions are counted and results are not waited for, so the same
 * submissions give the same bits on every device, no matter how often the program waits. */
#include "model/collider.h"
#include "solver/strips.h"

#include <math.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */

enum { LOOK_EVERY = CLOTH_UNSEEN - CLOTH_SLOTS - 1, LOOK_AFTER = CLOTH_SLOTS };
static const double steps_of_a_metre = 8.0,
                    near_enough = 1.0, /* maximum offset of the middle from its origin, m */
    grown = 1.1,                       /* length of stretched cloth / at rest */
    far_apart = 8.0; /* offset of a garment's middle from a common origin that parts all, m */

static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Rounds a coordinate to the nearest multiple of 1/8 m; never -0, which has other bits than 0. */
static double on_a_step(double place)
{
    return fmin(fmax(rint(place * steps_of_a_metre) / steps_of_a_metre, -CLOTH_ORIGIN_FARTHEST),
               CLOTH_ORIGIN_FARTHEST) +
           0.0;
}

/* True if garments may have origins of their own. */
static bool can_part(const hed_cloth *cloth)
{
    return cloth_home_count(cloth) > 1 && !cloth->has_self;
}

/* ---- the view ---- */

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

/* Makes cloth_host.view from the transform and the common origin. */
static void fold_view(hed_cloth *cloth)
{
    const float *m = cloth->host->transform;
    cloth_view *view = &cloth->host->view;
    view->flags &= ~CLOTH_VIEW_APART;
    if (cloth->is_apart) view->flags |= CLOTH_VIEW_APART;
    memcpy(view->matrix, m, sizeof view->matrix);
    for (int k = 0; k < 3; k++)
        view->matrix[12 + k] = (float)(m[12 + k] + m[k] * cloth->origin[0] +
                                       m[4 + k] * cloth->origin[1] + m[8 + k] * cloth->origin[2]);
    cofactors(view->matrix, view->normals);
}

/* ---- the origins ---- */

/* Gives all garments one origin. */
static void set_origin(hed_cloth *cloth, const double *origin)
{
    memcpy(cloth->origin, origin, sizeof cloth->origin);
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++)
        memcpy(cloth->homes[g].origin, origin, sizeof cloth->origin);
    cloth->host->garments_old |= cloth->is_apart;
    cloth->is_apart = false;
    fold_view(cloth);
}

/* Gives each garment an origin of its own, which is the common one at first. A pending copy of
 * positions lacks some of the garments, and is dropped. */
static void part(hed_cloth *cloth)
{
    static const double zero[3] = {0};
    cloth->host->look.after = 0;
    memcpy(cloth->origin, zero, sizeof zero);
    cloth->host->garments_old = cloth->is_apart = true;
    fold_view(cloth);
}

void cloth_origin_return(hed_cloth *cloth, const cloth_home *homes, bool is_apart)
{
    set_origin(cloth, homes[0].origin);
    memcpy(cloth->homes, homes, cloth_home_count(cloth) * sizeof *homes);
    if (is_apart) part(cloth);
}

/* Widens a box by the start positions of a garment. */
static void widen(const cloth_garment *garment, double *low, double *high)
{
    for (uint32_t i = 0; i < garment->particle_count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], garment->positions[i][k]);
            high[k] = fmax(high[k], garment->positions[i][k]);
        }
}

void cloth_origin_start(hed_cloth *cloth)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           origin[3];
    bool parts = false;
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++) {
        double least[3] = {INFINITY, INFINITY, INFINITY},
               most[3] = {-INFINITY, -INFINITY, -INFINITY};
        widen(cloth_whole(cloth)->garments[g], least, most);
        for (int k = 0; k < 3; k++) {
            cloth->homes[g].start[k] = 0.5 * (least[k] + most[k]);
            low[k] = fmin(low[k], least[k]);
            high[k] = fmax(high[k], most[k]);
        }
    }
    for (int k = 0; k < 3; k++) origin[k] = on_a_step(0.5 * (low[k] + high[k]));
    cloth->host->look =
        (cloth_look){.pinned = cloth->host->look.pinned, .done = cloth->host->look.done};
    memcpy(cloth->host->look.start, origin, sizeof origin);
    set_origin(cloth, origin);
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++)
        for (int k = 0; k < 3; k++) {
            cloth->homes[g].middle[k] = cloth->homes[g].start[k] - origin[k];
            cloth->homes[g].drift[k] = 0.0f;
            parts |= fabs(cloth->homes[g].middle[k]) > far_apart;
        }
    if (!parts || !can_part(cloth)) return;
    part(cloth);
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++)
        for (int k = 0; k < 3; k++) {
            cloth_home *home = &cloth->homes[g];
            home->origin[k] = on_a_step(home->start[k]);
            home->middle[k] = home->start[k] - home->origin[k];
        }
}

/* ---- moves ---- */

/* Converts a rigid matrix of the world to one from positions relative to `from` to positions
 * relative to `to`. */
static cloth_rigid relative(const double *from, const float *matrix, const double *to)
{
    cloth_rigid rigid = {.count = 0};
    memcpy(rigid.matrix, matrix, sizeof rigid.matrix);
    for (int k = 0; k < 3; k++) {
        double shift = matrix[12 + k] - to[k];
        for (int column = 0; column < 3; column++)
            shift += (double)matrix[4 * column + k] * from[column];
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

/* Moves particles [first, first + rigid.count). If it fails, no position has moved. */
static hed_status move_particles(
    hed_cloth *cloth, cloth_rigid rigid, uint32_t first, hed_error *error)
{
    if (cloth->buffers.grips)
        move_array(cloth, cloth->buffers.grips, rigid, first, CLOTH_MOVE_POINTS, error);
    return move_array(cloth, cloth->buffers.position, rigid, first, CLOTH_MOVE_PARTICLES, error);
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

/* Origin of positions that a matrix of the world moves. */
static void moved_origin(const double *origin, const float *matrix, double *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = matrix[12 + k];
        for (int column = 0; column < 3; column++)
            to[k] += (double)matrix[4 * column + k] * origin[column];
        to[k] = on_a_step(to[k]);
    }
}

/* Moves the copied position of a garment through a matrix. */
static void move_place(cloth_home *home, const float *matrix)
{
    float sum[16] = {0};
    for (int column = 0; column < 4; column++)
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 4; j++)
                sum[4 * column + k] += matrix[4 * j + k] * home->since[4 * column + j];
    memcpy(home->since, sum, sizeof sum);
    cloth_point_through(matrix, home->place, sum);
    memcpy(home->place, sum, sizeof home->place);
}

/* Moves the middle of a garment and its copied position, even if that has not arrived, and turns
 * its drift through a matrix of the world, for the origin `to`. */
static void move_middle(cloth_home *home, const float *matrix, const double *to)
{
    double moved[3];
    float turned[3] = {0};
    for (int k = 0; k < 3; k++) {
        moved[k] = matrix[12 + k] - to[k];
        for (int column = 0; column < 3; column++) {
            moved[k] +=
                (double)matrix[4 * column + k] * (home->origin[column] + home->middle[column]);
            turned[k] += matrix[4 * column + k] * home->drift[column];
        }
    }
    memcpy(home->middle, moved, sizeof moved);
    memcpy(home->drift, turned, sizeof turned);
    move_place(home, relative(home->origin, matrix, to).matrix);
}

/* Moves all particles and their driver through a matrix of the world to another common origin. */
static hed_status move_common(
    hed_cloth *cloth, const float *matrix, const double *to, hed_error *error)
{
    cloth_rigid rigid = relative(cloth->origin, matrix, to);
    rigid.count = cloth->particles;
    hed_status status = move_particles(cloth, rigid, 0, error);
    if (status) return status; /* keep the origin, because the particles have not moved */
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++)
        move_middle(&cloth->homes[g], matrix, to);
    set_origin(cloth, to);
    return move_driver(cloth, rigid, 0, error);
}

/* Sets the number of particles that a cloth has of the whole's garment, which may be 0. Returns the
 * first one. */
static uint32_t take_range(const hed_cloth *cloth, uint32_t garment, cloth_rigid *rigid)
{
    const uint32_t own = garment - cloth->base_garment;
    rigid->count = 0;
    if (garment < cloth->base_garment || own >= cloth->garment_count) return 0;
    rigid->count = cloth->first_particle[own + 1] - cloth->first_particle[own];
    return cloth->first_particle[own];
}

/* Moves a garment and its driver through a matrix of the world to another origin of its own, or, of
 * garments with a common one, within it. */
static hed_status move_home(
    hed_cloth *cloth, uint32_t garment, const float *matrix, const double *to, hed_error *error)
{
    cloth_home *home = &cloth->homes[garment];
    cloth_rigid rigid = relative(home->origin, matrix, to);
    const uint32_t first = take_range(cloth, garment, &rigid);
    if (rigid.count && move_particles(cloth, rigid, first, error)) return error->status;
    move_middle(home, matrix, to);
    memcpy(home->origin, to, sizeof home->origin);
    cloth->host->garments_old |= cloth->is_apart;
    return rigid.count ? move_driver(cloth, rigid, first, error) : error->status;
}

hed_status cloth_move_all(hed_cloth *cloth, const float *matrix, hed_error *error)
{
    double to[3];
    if (hed_failed(error)) return error->status;
    cloth->host->air_fresh = false;
    if (!cloth->is_apart) {
        moved_origin(cloth->origin, matrix, to);
        return move_common(cloth, matrix, to, error);
    }
    for (uint32_t g = 0; g < cloth_home_count(cloth) && !error->status; g++) {
        moved_origin(cloth->homes[g].origin, matrix, to);
        move_home(cloth, g, matrix, to, error);
    }
    return error->status;
}

hed_status cloth_move_garment(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error)
{
    double to[3];
    bool parts = false;
    if (hed_failed(error)) return error->status;
    if (cloth_home_count(cloth) == 1) return cloth_move_all(cloth, matrix, error);
    cloth->host->air_fresh = false;
    moved_origin(cloth->homes[garment].origin, matrix, to);
    for (int k = 0; k < 3; k++) parts |= fabs(to[k] - cloth->homes[garment].origin[k]) > far_apart;
    if (parts && !cloth->is_apart && can_part(cloth)) part(cloth);
    return move_home(cloth, garment, matrix, cloth->is_apart ? to : cloth->origin, error);
}

hed_status cloth_origin_go_back(
    hed_cloth *cloth, const cloth_home *homes, bool is_apart, hed_error *error)
{
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++) {
        cloth_rigid rigid = relative(cloth->homes[g].origin, unmoved, homes[g].origin);
        const uint32_t first = take_range(cloth, g, &rigid);
        if (rigid.count &&
            memcmp(cloth->homes[g].origin, homes[g].origin, sizeof homes[g].origin) != 0)
            move_driver(cloth, rigid, first, error);
    }
    cloth->host->look.after = cloth->host->look.submissions = 0;
    cloth_origin_return(cloth, homes, is_apart);
    return error->status;
}

hed_status cloth_origin_load(hed_cloth *cloth, const double *origin, const cloth_home *homes,
    bool is_apart, hed_error *error)
{
    set_origin(cloth, origin);
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++) {
        if (is_apart) memcpy(cloth->homes[g].origin, homes[g].origin, sizeof homes[g].origin);
        memcpy(cloth->homes[g].place, homes[g].place, sizeof homes[g].place);
        memcpy(cloth->homes[g].middle, homes[g].middle, sizeof homes[g].middle);
        memcpy(cloth->homes[g].drift, homes[g].drift, sizeof homes[g].drift);
    }
    if (!is_apart) return error->status;
    if (can_part(cloth)) {
        part(cloth);
        return error->status;
    }
    const double common[3] = {homes[0].origin[0], homes[0].origin[1], homes[0].origin[2]};
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++)
        move_home(cloth, g, unmoved, common, error);
    set_origin(cloth, common);
    return error->status;
}

/* ---- following ---- */

static uint32_t at_most(const hed_cloth *cloth, uint32_t limit)
{
    return cloth_home_count(cloth) < limit ? cloth_home_count(cloth) : limit;
}

static uint32_t look_count(const hed_cloth *cloth)
{
    if (cloth->is_apart) return cloth_home_count(cloth);
    return at_most(cloth, can_part(cloth) ? CLOTH_PART_LOOKS : CLOTH_LOOKS);
}

/* Particle whose displacement represents its garment's. */
static uint32_t looked_at(const cloth_garment *garment)
{
    return (garment->particle_count - garment->spare_count) / 2;
}

/* True if a cloth has the first copy of the whole's garment `number`. */
static bool has_first_copy(const hed_cloth *cloth, uint32_t number)
{
    return number >= cloth->base_garment && number - cloth->base_garment < cloth->garment_count &&
           (number > cloth->base_garment || cloth->base_copy == 0);
}

/* True if a cloth has the particle that represents the whole's garment `number`, in its first copy;
 * `*particle`: the particle's number in the cloth. */
static bool has_looked_at(const hed_cloth *cloth, uint32_t number, uint32_t *particle)
{
    if (!has_first_copy(cloth, number)) return false;
    const uint32_t own = number - cloth->base_garment, first = cloth_is_strip(cloth)
                                                                   ? 0 - cloth->base_particle
                                                                   : cloth->first_particle[own];
    *particle = first + looked_at(cloth_whole(cloth)->garments[number]);
    return *particle - cloth->own_first < cloth->own_count; /* wraps below the first */
}

static hed_status copy_places(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    hed_buffer_def def = {
        .memory = HED_MEMORY_PINNED, .size = cloth_home_count(cloth) * sizeof(float4)};
    if (!look->pinned) hed_buffer_create(cloth->device, &def, &look->pinned, error);
    if (!look->done) hed_event_create(cloth->device, false, &look->done, error);
    for (uint32_t number = 0; number < look_count(cloth); number++) {
        uint32_t particle;
        memcpy(cloth->homes[number].since, unmoved, sizeof unmoved);
        if (!has_looked_at(cloth, number, &particle)) continue;
        hed_copy(cloth->stream, look->pinned, number * sizeof(float4), cloth->buffers.position,
            particle * (uint64_t)sizeof(float4), sizeof(float4), error);
    }
    if (hed_event_record(look->done, cloth->stream, error)) return error->status;
    look->known = false;
    look->after = LOOK_AFTER;
    return HED_OK;
}

/* Displacement of a garment since the start, along an axis, from its copied position. `start`:
 * point that the origin of the position was at. */
static float travel_of(const hed_cloth *cloth, uint32_t garment, int axis, double start)
{
    const cloth_garment *moved = cloth_whole(cloth)->garments[garment];
    const float *from = moved->positions[looked_at(moved)];
    return cloth->homes[garment].place[axis] - (float)(from[axis] - start);
}

/* Waits for the copied positions of all parts. All have recorded theirs, since they get the same
 * submissions. */
static hed_status fetch_places(const hed_cloth *whole, cloth_home *homes, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(whole); i++) {
        const hed_cloth *cloth = whole->parts ? whole->parts[i] : whole;
        const cloth_look *look = &cloth->host->look;
        if (hed_event_wait(look->done, UINT64_MAX, error)) return error->status;
        const float4 *places = hed_buffer_describe(look->pinned).host;
        uint32_t particle;
        for (uint32_t g = 0; g < look_count(cloth); g++)
            if (has_looked_at(cloth, g, &particle))
                cloth_point_through(homes[g].since, &places[g].x, homes[g].place);
    }
    return HED_OK;
}

hed_status cloth_origin_seen(hed_cloth *cloth, hed_error *error)
{
    cloth_look *look = &cloth->host->look;
    if (hed_failed(error)) return error->status;
    if (!look->after || look->known) return HED_OK;
    if (fetch_places(cloth_whole(cloth), cloth->homes, error)) return error->status;
    look->parts = false;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t g = 0; g < at_most(cloth, CLOTH_LOOKS); g++) {
            float travel = travel_of(cloth, g, k, look->start[k]);
            low = travel < low ? travel : low;
            high = travel > high ? travel : high;
        }
        look->middle[k] = 0.5f * (low + high);
        for (uint32_t g = 0; g < look_count(cloth) && can_part(cloth); g++)
            look->parts |=
                fabs((double)travel_of(cloth, g, k, cloth->homes[g].start[k])) > far_apart;
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

/* Moves the common origin to the middle of the cloth. */
static hed_status follow_common(hed_cloth *cloth, hed_error *error)
{
    const cloth_look *look = &cloth->host->look;
    double to[3], farthest_off = 0.0;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(look->middle[k]) < CLOTH_ORIGIN_FARTHEST))
            return HED_OK; /* invalid positions: hed_cloth_wait() reports them */
        farthest_off = fmax(farthest_off, fabs(look->middle[k]));
        to[k] = on_a_step(cloth->origin[k] + look->middle[k]);
    }
    return farthest_off > near_enough ? move_common(cloth, unmoved, to, error) : HED_OK;
}

/* Moves the origin of a garment to its middle. */
static hed_status follow_one(hed_cloth *cloth, uint32_t garment, hed_error *error)
{
    const cloth_home *home = &cloth->homes[garment];
    double to[3], farthest_off = 0.0;
    for (int k = 0; k < 3; k++) {
        double off = travel_of(cloth, garment, k, home->start[k]);
        if (!(fabs(off) < CLOTH_ORIGIN_FARTHEST)) return HED_OK;
        farthest_off = fmax(farthest_off, fabs(off));
        to[k] = on_a_step(home->origin[k] + off);
    }
    return farthest_off > near_enough ? move_home(cloth, garment, unmoved, to, error) : HED_OK;
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
    for (uint32_t g = 0; g < look_count(cloth); g++)
        for (int k = 0; k < 3; k++) {
            cloth_home *home = &cloth->homes[g];
            double middle = (double)travel_of(cloth, g, k, home->start[k]);
            home->drift[k] = (float)(middle - home->middle[k]);
            home->middle[k] = middle;
        }
    if (!cloth->is_apart && !look->parts) return follow_common(cloth, error);
    if (!cloth->is_apart) part(cloth); /* origins move after the next look */
    else
        for (uint32_t g = 0; g < cloth_home_count(cloth) && !error->status; g++)
            follow_one(cloth, g, error);
    return error->status;
}

/* ---- boxes ---- */

double cloth_origin_reach(const cloth_garment *garment)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           offset = 0, longest = 0;
    const uint32_t seen = looked_at(garment);
    widen(garment, low, high);
    for (int k = 0; k < 3; k++)
        offset = fmax(offset, fabs(garment->positions[seen][k] - 0.5 * (low[k] + high[k])));
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        double path = 0; /* along the axes: not shorter than along a convex surface */
        for (int k = 0; k < 3; k++)
            path += fabs((double)garment->rest[i][k] - garment->rest[seen][k]);
        longest = fmax(longest, path);
    }
    return offset + grown * longest;
}

double cloth_origin_range(const hed_cloth *cloth, uint32_t garment)
{
    const hed_cloth *whole = cloth_whole(cloth);
    if (whole->tear || garment >= look_count(cloth))
        return INFINITY; /* torn cloth falls without its garment's middle */
    return whole->garments[garment]->reach;
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

void cloth_set_view(hed_cloth *cloth, const float *transform)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(cloth->host->transform, transform ? transform : identity, sizeof cloth->host->transform);
    fold_view(cloth);
}
