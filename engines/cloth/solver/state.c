/* Jumps of a cloth, saved states, and the origin of positions. */
#include "solver/host.h"

#include "model/collider.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */

static const double farthest = 1048576.0; /* largest coordinate of an origin, m: 2^20 */

/* ---- jumps ---- */

hed_status hed_cloth_reset(hed_cloth *cloth, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    cloth_host *host = cloth->host;
    hed_stream_wait(cloth->stream, error);
    cloth_upload_start(cloth, error);
    cloth_upload_driver(cloth, error);
    if (hed_fill(cloth->stream, cloth->buffers.flags, 0, 16, &(uint32_t){0}, 4, error))
        return error->status;
    cloth->last_dt = 0.0f;
    cloth->time = 0.0;
    cloth->frame = 0;
    host->collider_count = 0;
    host->has_meshes = false;
    cloth_contacts_reset(cloth, cloth->contacts, error);
    cloth_keep_state(cloth, error);
    return cloth_show(cloth, error);
}

hed_status hed_cloth_teleport(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error)
{
    HED_REQUIRE(cloth, matrix);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    if (garment >= cloth->garment_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "garment %u of a cloth of %u", garment,
            cloth->garment_count);
    if (!matrix) return hed_fail(error, HED_ERROR_ARGUMENT, "a teleport by NULL");
    cloth_check_matrix(matrix, true, "the teleport's matrix", error);
    uint32_t first = cloth->first_particle[garment],
             count = cloth->first_particle[garment + 1] - first;
    cloth_move_particles(cloth, matrix, first, count, error);
    cloth->host->dirty = true;
    cloth->host->pace_seconds = 0.0;
    return cloth_show(cloth, error);
}

/* ---- saved states ---- */

typedef struct state_head {
    char magic[8];
    uint32_t particles, colliders, driver, meshes;
    uint64_t size; /* bytes of the state, with this head */
    uint64_t sum;  /* checksum of the state, with 0 in this field */
    double time;
    float last_dt;
    uint32_t frame;
    double origin[3]; /* origin of the positions after the head, m */
    /* state of the origin's following: cloth_look */
    uint32_t submissions, after;
    float middle[3];
    uint32_t unused;
    float pace[16]; /* last motion of the frame of reference */
    double pace_seconds;
} state_head;

/* Magic bytes; the last byte is the version. Version 2 had neither carries nor an origin; version 3
 * had no motion of the frame of reference. */
static const char magic[8] = "HEDCLTH4";

static uint64_t add_bytes(uint64_t sum, const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (uint64_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

/* Checksum (FNV-1a, 64 bits) of a head, with 0 as its sum, and of the rest of a state of `size` bytes. */
static uint64_t sum_of(const state_head *head, const void *state, uint64_t size)
{
    state_head summed = *head;
    summed.sum = 0;
    uint64_t sum = add_bytes(0xcbf29ce484222325u, &summed, sizeof summed);
    return add_bytes(sum, (const unsigned char *)state + sizeof summed, size - sizeof summed);
}

static uint64_t collider_bytes(const hed_cloth *cloth)
{
    return cloth->def.max_colliders * (uint64_t)sizeof(hed_cloth_collider);
}

/* Bytes of the arrays of a state: positions, previous positions, carries, and the driver's end. */
static uint64_t array_bytes(const hed_cloth *cloth)
{
    uint64_t driver = cloth->has_driver ? 2 * sizeof(float4) : 0;
    return (2 * sizeof(float4) + sizeof(uint2) + driver) * (uint64_t)cloth->particles;
}

uint64_t hed_cloth_save_size(const hed_cloth *cloth)
{
    if (!cloth) return 0;
    uint64_t meshes = cloth->contacts ? cloth_contacts_state_size(cloth->contacts) : 0;
    return sizeof(state_head) + array_bytes(cloth) + collider_bytes(cloth) + meshes;
}

hed_status hed_cloth_save(hed_cloth *cloth, void *state, hed_error *error)
{
    HED_REQUIRE(cloth, state);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    cloth_buffers *b = &cloth->buffers;
    uint64_t array = sizeof(float4) * (uint64_t)cloth->particles, size = hed_cloth_save_size(cloth);
    const cloth_look *look = &cloth->host->look;
    hed_cloth_wait(cloth, error);
    if (cloth_origin_seen(cloth, error)) return error->status;
    unsigned char *to = (unsigned char *)state + sizeof(state_head);
    memset(state, 0, size);
    hed_read(cloth->stream, to, b->position, 0, array, error);
    hed_read(cloth->stream, to + array, b->previous, 0, array, error);
    to += 2 * array;
    hed_read(cloth->stream, to, b->carry, 0, array / 2, error);
    to += array / 2;
    if (cloth->has_driver) hed_read(cloth->stream, to, b->driver_to, 0, 2 * array, error);
    if (cloth->has_driver) to += 2 * array;
    hed_stream_wait(cloth->stream, error->status ? NULL : error);
    if (error->status) return error->status;
    memcpy(to, cloth->host->colliders, collider_bytes(cloth));
    to += collider_bytes(cloth);
    if (cloth->contacts) cloth_contacts_state(cloth->contacts, to);
    state_head head = {.particles = cloth->particles,
        .colliders = cloth->host->collider_count,
        .driver = cloth->has_driver,
        .meshes = cloth->host->has_meshes,
        .size = size,
        .time = cloth->time,
        .last_dt = cloth->last_dt,
        .frame = cloth->frame,
        .origin = {cloth->origin[0], cloth->origin[1], cloth->origin[2]},
        .submissions = look->submissions,
        .after = look->after,
        .middle = {look->middle[0], look->middle[1], look->middle[2]},
        .pace_seconds = cloth->host->pace_seconds};
    memcpy(head.pace, cloth->host->pace, sizeof head.pace);
    memcpy(head.magic, magic, sizeof head.magic);
    head.sum = sum_of(&head, state, size);
    memcpy(state, &head, sizeof head);
    return HED_OK;
}

/* Largest coordinate relative to the origin, m. The origin follows the cloth, so larger values are an
 * overflow. */
static const float farthest_place = 1e7f;

/* True if all `count` rows are positions in range with a fourth number in [0, most). */
static bool are_places(const unsigned char *rows, uint64_t count, float limit)
{
    bool good = true;
    for (uint64_t i = 0; i < count; i++) {
        float4 place;
        memcpy(&place, rows + i * sizeof place, sizeof place);
        good &= cloth_within(place, farthest_place) && place.w >= 0.0f && place.w < limit;
    }
    return good;
}

static bool are_carries(const unsigned char *rows, uint64_t count)
{
    bool good = true;
    for (uint64_t i = 0; i < count; i++) {
        uint2 carry;
        memcpy(&carry, rows + i * sizeof carry, sizeof carry);
        good &= cloth_within(cloth_carry_of(carry), farthest_place) != 0;
    }
    return good;
}

/* True if the numbers of a head with which frames continue are in range. */
static bool is_sound_head(const state_head *head)
{
    bool sound = head->time >= 0.0 && head->time < 1e30 && head->last_dt >= 0.0f &&
                 head->last_dt <= 10.0f && head->pace_seconds >= 0.0 && head->pace_seconds < 1e30;
    for (int k = 0; k < 3; k++)
        sound &=
            fabs(head->origin[k]) <= farthest && fabs((double)head->middle[k]) <= farthest_place;
    for (int k = 0; k < 16; k++) sound &= fabs((double)head->pace[k]) <= farthest_place;
    return sound;
}

/* True if the fourth number of each previous position is the particle's garment. */
static bool names_garments(const hed_cloth *cloth, const unsigned char *previous)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = cloth->first_particle[g]; i < cloth->first_particle[g + 1]; i++) {
            float4 one;
            memcpy(&one, previous + i * sizeof one, sizeof one);
            if (one.w != (float)g) return false;
        }
    return true;
}

/* Checks all contents of a state before any of them is stored: a state with a number that is not finite
 * would become the good state to which the cloth returns after an error. */
static hed_status check_kept(const hed_cloth *cloth, const state_head *head,
    const unsigned char *from, uint64_t size, hed_error *error)
{
    const uint64_t count = cloth->particles, array = sizeof(float4) * count;
    const uint64_t fixed = array_bytes(cloth) + collider_bytes(cloth);
    if (fixed > size)
        return hed_fail(error, HED_ERROR_FORMAT,
            "cloth state: %" PRIu64 " bytes after its head; expected at least %" PRIu64, size,
            fixed);
    const unsigned char *driver = from + 2 * array + array / 2,
                        *colliders = from + array_bytes(cloth);
    const char *part = !is_sound_head(head)                         ? "head"
                       : !are_places(from, count, 1e12f)            ? "positions"
                       : !are_places(from + array, count, INFINITY) ? "previous positions"
                       : !are_carries(from + 2 * array, count)      ? "carries"
                       : cloth->has_driver && !are_places(driver, 2 * count, INFINITY) ? "driver"
                                                                                       : NULL;
    if (part)
        return hed_fail(error, HED_ERROR_FORMAT,
            "cloth state: a number of its %s is not finite or out of range", part);
    if (!names_garments(cloth, from + array))
        return hed_fail(error, HED_ERROR_FORMAT,
            "a state of a cloth of other garments: a particle is of another one here");
    if (head->meshes && size <= fixed + sizeof(uint64_t)) /* no positions, or a count of 0 */
        return hed_fail(
            error, HED_ERROR_FORMAT, "a damaged state: mesh colliders, and no places of them");
    for (uint32_t i = 0; i < head->colliders; i++) {
        hed_cloth_collider collider;
        hed_error found = {0};
        memcpy(&collider, colliders + i * sizeof collider, sizeof collider);
        if (cloth_check_collider(&collider, i, &found))
            return hed_fail(error, HED_ERROR_FORMAT, "cloth state: %s", found.text);
    }
    return cloth_contacts_check_state(cloth->contacts, from + fixed, size - fixed, error);
}

static hed_status check_state(
    const hed_cloth *cloth, const void *state, uint64_t size, state_head *head, hed_error *error)
{
    if (!state || size < sizeof *head)
        return hed_fail(error, HED_ERROR_FORMAT, "a state of %" PRIu64 " bytes: too few", size);
    memcpy(head, state, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic - 1) == 0 && head->magic[7] != magic[7])
        return hed_fail(error, HED_ERROR_FORMAT,
            "a cloth's state of format %c: this version of Heddle has format %c, which keeps more of the motion; restart the simulation",
            head->magic[7] >= '0' && head->magic[7] <= '9' ? head->magic[7] : '?', magic[7]);
    if (memcmp(head->magic, magic, sizeof head->magic) != 0)
        return hed_fail(error, HED_ERROR_FORMAT, "not a saved cloth: its first bytes differ");
    if (head->size != size || head->particles != cloth->particles ||
        (head->driver != 0) != cloth->has_driver || head->colliders > cloth->def.max_colliders)
        return hed_fail(error, HED_ERROR_FORMAT,
            "a state of %u particles and %" PRIu64 " bytes, but %" PRIu64
            " bytes were given; this cloth has %u particles and needs %" PRIu64 " bytes",
            head->particles, head->size, size, cloth->particles, hed_cloth_save_size(cloth));
    if (head->sum != sum_of(head, state, size))
        return hed_fail(
            error, HED_ERROR_FORMAT, "a damaged state: its checksum does not match its content");
    return check_kept(
        cloth, head, (const unsigned char *)state + sizeof *head, size - sizeof *head, error);
}

hed_status hed_cloth_load(hed_cloth *cloth, const void *state, uint64_t size, hed_error *error)
{
    HED_REQUIRE(cloth, state);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    cloth_buffers *b = &cloth->buffers;
    state_head head;
    uint64_t array = sizeof(float4) * (uint64_t)cloth->particles;
    if (check_state(cloth, state, size, &head, error)) return error->status;
    const unsigned char *from = (const unsigned char *)state + sizeof head,
                        *end = (const unsigned char *)state + size;
    hed_stream_wait(cloth->stream, error);
    hed_fill(cloth->stream, b->flags, 0, 16, &(uint32_t){0}, 4, error);
    hed_write(cloth->stream, b->position, 0, from, array, error);
    hed_write(cloth->stream, b->previous, 0, from + array, array, error);
    from += 2 * array;
    hed_write(cloth->stream, b->carry, 0, from, array / 2, error);
    from += array / 2;
    if (cloth->has_driver) {
        hed_write(cloth->stream, b->driver_to, 0, from, 2 * array, error);
        hed_write(cloth->stream, b->driver_from, 0, from, 2 * array, error);
        from += 2 * array;
    }
    if (hed_stream_wait(cloth->stream, error)) return error->status;
    memcpy(cloth->host->colliders, from, collider_bytes(cloth));
    from += collider_bytes(cloth);
    /* Mesh contact is created by the first frame with mesh colliders; a state saved after that frame
     * needs it too. */
    cloth->host->has_meshes = head.meshes != 0;
    if (!cloth->contacts && from < end) cloth_contacts_create(cloth, &cloth->contacts, error);
    if (cloth->contacts)
        cloth_contacts_set_state(cloth, cloth->contacts, from, (uint64_t)(end - from), error);
    if (error->status) return error->status;
    cloth->host->collider_count = head.colliders;
    cloth->host->driver_moves = false;
    cloth->host->air_fresh = false;
    cloth->last_dt = head.last_dt;
    cloth->time = head.time;
    cloth->frame = head.frame;
    cloth_look *look = &cloth->host->look;
    memcpy(cloth->origin, head.origin, sizeof cloth->origin);
    memcpy(look->middle, head.middle, sizeof look->middle);
    memcpy(cloth->host->pace, head.pace, sizeof head.pace);
    cloth->host->pace_seconds = head.pace_seconds;
    look->submissions = head.submissions;
    look->after = head.after;
    look->known = true;
    cloth_fold_view(cloth);
    cloth_keep_state(cloth, error);
    return cloth_show(cloth, error);
}

/* ---- the origin of positions ----
 *
 * A float 1 km from zero has a resolution of 0.06 mm, too coarse for contacts and for many substeps.
 * So positions on the device are relative to an origin of the cloth, which is double: it is
 * subtracted from positions in the world in double before they become float, and write-back adds it
 * in double to its matrix.
 *
 * Coordinates of the origin are multiples of 1/8 m below 2^20 m, which a float represents exactly:
 * subtracting the origin from floats of the world, or moving positions from one origin to another,
 * has no rounding error near the new origin. The origin starts in the middle of the garments, moves
 * with `motion` and teleports, and follows the cloth: every LOOK_EVERY submissions some positions are
 * copied to the host, and LOOK_AFTER submissions later, long after the copy is complete, the origin
 * moves to their middle. Submissions are counted and results are not waited for, so the same
 * submissions give the same bits on every device, no matter how often the program waits. */

enum { LOOK_EVERY = 16, LOOK_AFTER = CLOTH_SLOTS };
static const double steps_of_a_metre = 8.0,
                    near_enough = 1.0; /* maximum offset of the cloth's middle, m */

/* Rounds a coordinate to the nearest multiple of 1/8 m; never -0, which has other bits than 0. */
static double on_a_step(double place)
{
    return fmin(fmax(rint(place * steps_of_a_metre) / steps_of_a_metre, -farthest), farthest) + 0.0;
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
    return cloth->garments[garment]->particle_count / 2;
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
            float travel = place[k] - (float)(cloth->garments[g]->positions[looked_at(cloth, g)][k] -
                                            look->start[k]);
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
        if (!(fabs(look->middle[k]) < farthest))
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
