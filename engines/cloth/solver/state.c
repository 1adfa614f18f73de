/* Jumps of a cloth, and saved states. */
#include "object/division.h"
#include "solver/host.h"
#include "solver/second_order.h"

#include "model/collider.h"
#include "model/tear.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */

/* ---- jumps ---- */

static hed_status reset_part(hed_cloth *cloth, hed_error *error)
{
    cloth_host *host = cloth->host;
    cloth_upload_start(cloth, error);
    cloth_upload_driver(cloth, error);
    if (hed_fill(cloth->stream, cloth->buffers.flags, 0, 16, &(uint32_t){0}, 4, error))
        return error->status;
    cloth->last_dt = 0.0f;
    cloth->frame_substeps = 0;
    cloth->time = 0.0;
    cloth->frame = 0;
    host->collider_count = 0;
    host->has_meshes = false;
    host->has_driver_middle = false;
    cloth_contacts_reset(cloth, cloth->contacts, error);
    cloth_keep_state(cloth, error);
    return cloth_show(cloth, error);
}

hed_status hed_cloth_reset(hed_cloth *cloth, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    cloth_wait_parts(cloth, error);
    if (cloth->tear && cloth_tear_mend(cloth->tear)) {
        hed_cloth *form = NULL;
        cloth_form_create(cloth, &form, error);
        cloth_form_use(cloth, form, error);
    }
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++)
        reset_part(cloth_part(cloth, i), error);
    cloth->is_split &= error->status != HED_OK;
    return error->status;
}

static const float unmoved[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Moves a garment of the whole cloth. */
static hed_status jump_one(
    hed_cloth *cloth, uint32_t garment, const float *matrix, hed_error *error)
{
    cloth->host->pace_seconds = 0.0;
    cloth->host->has_driver_middle = false;
    return cloth_move_garment(cloth, garment, matrix, error);
}

hed_status cloth_jump(hed_cloth *cloth, const float *matrices, hed_error *error)
{
    const size_t bytes = sizeof unmoved;
    const uint32_t count = cloth_whole(cloth)->garment_count;
    bool is_one = true; /* jump of all garments, with which the origin jumps */
    for (uint32_t g = 1; g < count; g++)
        is_one &= memcmp(matrices, matrices + 16 * (size_t)g, bytes) == 0;
    if (is_one && memcmp(matrices, unmoved, bytes) != 0) {
        cloth->host->pace_seconds = 0.0;
        return cloth_move_all(cloth, matrices, error);
    }
    for (uint32_t g = 0; g < count && !is_one && !hed_failed(error); g++)
        if (memcmp(matrices + 16 * (size_t)g, unmoved, bytes) != 0)
            jump_one(cloth, g, matrices + 16 * (size_t)g, error);
    return error->status;
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
    cloth_check_matrix(matrix, true, "the teleport's matrix", error);
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++) {
        hed_cloth *part = cloth_part(cloth, i);
        jump_one(part, garment, matrix, error);
        part->host->dirty = true;
        cloth_show(part, error);
    }
    return error->status;
}

/* ---- limits ---- */

hed_status hed_cloth_set_max_distance(
    hed_cloth *cloth, uint32_t particle, float max_distance, hed_error *error)
{
    HED_REQUIRE(cloth);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    if (particle >= cloth->particles)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "particle %u of a cloth of %u", particle, cloth->particles);
    uint32_t garment = 0;
    while (particle >= cloth->first_particle[garment + 1]) garment++;
    const cloth_garment *g = cloth->garments[garment];
    if (!g->driven)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "particle %u: garment %u has no driver; expected a garment with \"driven\"", particle,
            garment);
    if (!(max_distance >= 0.0f))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "particle %u: max_distance is %g m; expected at least 0", particle,
            (double)max_distance);
    const float *map =
        g->driver_map[(particle - cloth->first_particle[garment]) % g->particle_count];
    float4 limits = {isfinite(max_distance) ? max_distance : -1.0f, map[1], map[2], map[3]};
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++) {
        hed_cloth *part = cloth_part(cloth, i);
        const uint32_t own = particle - part->base_particle; /* in two strips if in a margin */
        if (own < part->particles) /* a fill: `limits` does not outlive the call */
            hed_fill(part->stream, part->buffers.driver_map, own * sizeof limits, sizeof limits,
                &limits, sizeof limits, error);
    }
    return error->status;
}

/* ---- saved states ---- */

/* Largest coordinate relative to the origin, m. The origin follows the cloth, so larger values are
 * an overflow. */
static const float farthest_place = 1e7f;

typedef struct state_head {
    char magic[8];
    uint32_t particles, colliders, driver, meshes;
    uint64_t size; /* bytes of the state, with this head */
    uint64_t sum;  /* checksum of the state, with 0 in this field */
    double time;
    float last_dt;
    uint32_t frame;
    double origin[3]; /* common origin of the positions, m */
    /* state of the origin's following: cloth_look */
    uint32_t submissions, after;
    float middle[3];
    uint32_t apart;    /* STATE_APART, STATE_PARTS, STATE_REMEMBERS */
    uint32_t substeps; /* number in the last frame */
    uint32_t has_driver_middle;
    double driver_middle[3]; /* m */
    float pace[16];          /* last motion of the frame of reference */
    double pace_seconds;
} state_head;

enum { MOST_SUBSTEPS = 64000 }; /* chosen for a frame of 10 s */

#define STATE_APART 1u     /* each garment has its own origin */
#define STATE_PARTS 2u     /* cloth_look.parts */
#define STATE_REMEMBERS 4u /* previous positions as in CLOTH_RECALL */

/* A cloth_home: one for each garment is stored after the head. */
typedef struct state_home {
    double origin[3], middle[3];
    float place[3], drift[3];
} state_home;

/* Magic bytes; the last byte is the version. Version 2 had neither carries nor an origin; version 3
 * had no motion of the frame of reference, version 4 neither substeps nor middles of garments and driver,
 * version 5 had another head, version 6 no grips. Carries have the marks of cloth_clefts_save(). */
static const char magic[8] = "HEDCLTH7";

static uint64_t add_bytes(uint64_t sum, const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (uint64_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

/* Checksum (FNV-1a, 64 bits) of a head, with 0 as its sum, and of the rest of a state of `size`
 * bytes. */
static uint64_t sum_of(const state_head *head, const void *state, uint64_t size)
{
    state_head summed = *head;
    summed.sum = 0;
    uint64_t sum = add_bytes(0xcbf29ce484222325u, &summed, sizeof summed);
    return add_bytes(sum, (const unsigned char *)state + sizeof summed, size - sizeof summed);
}

/* Arrays of a state, in its order. */
#define POSITION_ROWS CLOTH_ROWS(position, sizeof(float4), 1)
#define PREVIOUS_ROWS CLOTH_ROWS(previous, sizeof(float4), 1)
#define CARRY_ROWS CLOTH_ROWS(carry, sizeof(uint2), 1)
#define GRIP_ROWS CLOTH_ROWS(grips, sizeof(float4), 1)
#define DRIVER_ROWS(end) CLOTH_ROWS(end, sizeof(float4), 2)

static uint64_t collider_bytes(const hed_cloth *cloth)
{
    return cloth->def.max_colliders * (uint64_t)sizeof(hed_cloth_collider);
}

/* Bytes of the corners of garments that tear, at the end of a state. */
static uint64_t tear_bytes(const hed_cloth *cloth)
{
    return sizeof(uint32_t) * cloth_tear_words(cloth->tear);
}

/* Bytes of the arrays of a state: positions, previous positions, carries, grips (positions where cloth
 * does not meet cloth), and the driver's end. */
static uint64_t array_bytes(const hed_cloth *cloth)
{
    uint64_t driver = cloth->has_driver ? 2 * sizeof(float4) : 0;
    return (3 * sizeof(float4) + sizeof(uint2) + driver) * (uint64_t)cloth->particles;
}

static uint64_t home_bytes(const hed_cloth *cloth)
{
    return cloth_home_count(cloth) * (uint64_t)sizeof(state_home);
}

uint64_t hed_cloth_save_size(const hed_cloth *cloth)
{
    if (!cloth) return 0;
    const hed_cloth *lead = cloth_lead(cloth);
    uint64_t meshes = lead->contacts ? cloth_contacts_state_size(lead->contacts) : 0;
    return sizeof(state_head) + home_bytes(cloth) + array_bytes(cloth) + collider_bytes(cloth) +
           meshes + tear_bytes(cloth);
}

/* Writes the garments' origins. Returns the place after them. */
static unsigned char *write_homes(const hed_cloth *cloth, unsigned char *to)
{
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++) {
        state_home home;
        memcpy(home.middle, cloth->homes[g].middle, sizeof home.middle);
        memcpy(home.origin, cloth->homes[g].origin, sizeof home.origin);
        memcpy(home.place, cloth->homes[g].place, sizeof home.place);
        memcpy(home.drift, cloth->homes[g].drift, sizeof home.drift);
        memcpy(to, &home, sizeof home);
        to += sizeof home;
    }
    return to;
}

/* Reads the garments' origins. Returns false if a number is out of range. */
static bool read_homes(const hed_cloth *cloth, const unsigned char *from, cloth_home *homes)
{
    bool sound = true;
    for (uint32_t g = 0; g < cloth_home_count(cloth); g++) {
        state_home home;
        memcpy(&home, from + g * sizeof home, sizeof home);
        for (int k = 0; k < 3; k++)
            sound &= fabs(home.origin[k]) <= CLOTH_ORIGIN_FARTHEST &&
                     fabs((double)home.place[k]) <= farthest_place &&
                     fabs((double)home.drift[k]) <= farthest_place &&
                     fabs(home.middle[k]) <= farthest_place;
        memcpy(homes[g].middle, home.middle, sizeof home.middle);
        memcpy(homes[g].origin, home.origin, sizeof home.origin);
        memcpy(homes[g].place, home.place, sizeof home.place);
        memcpy(homes[g].drift, home.drift, sizeof home.drift);
    }
    return sound;
}

/* Returns the head of a cloth's state, without its sum. */
static state_head head_of(const hed_cloth *cloth)
{
    const hed_cloth *lead = cloth_lead(cloth);
    const cloth_host *host = lead->host;
    const cloth_look *look = &host->look;
    state_head head = {.particles = cloth->particles,
        .colliders = host->collider_count,
        .driver = cloth->has_driver,
        .meshes = host->has_meshes,
        .size = hed_cloth_save_size(cloth),
        .time = lead->time,
        .last_dt = lead->last_dt,
        .frame = lead->frame,
        .origin = {lead->origin[0], lead->origin[1], lead->origin[2]},
        .submissions = look->submissions,
        .after = look->after,
        .middle = {look->middle[0], look->middle[1], look->middle[2]},
        .apart = (lead->is_apart ? STATE_APART : 0) | (look->parts ? STATE_PARTS : 0) |
                 (cloth_remembers(cloth) ? STATE_REMEMBERS : 0),
        .substeps = lead->frame_substeps,
        .has_driver_middle = host->has_driver_middle,
        .pace_seconds = host->pace_seconds};
    memcpy(head.pace, host->pace, sizeof head.pace);
    memcpy(head.driver_middle, host->driver_middle, sizeof head.driver_middle);
    memcpy(head.magic, magic, sizeof head.magic);
    return head;
}

hed_status hed_cloth_save(hed_cloth *cloth, void *state, hed_error *error)
{
    HED_REQUIRE(cloth, state);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    const hed_cloth *lead = cloth_lead(cloth);
    uint64_t array = sizeof(float4) * (uint64_t)cloth->particles, size = hed_cloth_save_size(cloth);
    hed_cloth_wait(cloth, error);
    if (error->status || cloth_check_together(cloth, error)) return error->status;
    if (cloth_origin_seen(cloth_part(cloth, 0), error)) return error->status;
    unsigned char *to = (unsigned char *)state + sizeof(state_head);
    memset(state, 0, size);
    to = write_homes(lead, to);
    cloth_read_rows(cloth, POSITION_ROWS, to, error);
    cloth_read_rows(cloth, PREVIOUS_ROWS, to + array, error);
    cloth_read_rows(cloth, CARRY_ROWS, to + 2 * array, error);
    cloth_read_rows(
        cloth, cloth->buffers.grips ? GRIP_ROWS : POSITION_ROWS, to + 2 * array + array / 2, error);
    if (cloth->has_driver)
        cloth_read_rows(cloth, DRIVER_ROWS(driver_to), to + 3 * array + array / 2, error);
    if (cloth_wait_parts(cloth, error) || cloth_clefts_save(cloth, to + 2 * array, error))
        return error->status;
    to += array_bytes(cloth);
    memcpy(to, lead->host->colliders, collider_bytes(cloth));
    to += collider_bytes(cloth);
    if (lead->contacts) cloth_contacts_state(lead->contacts, to);
    if (cloth->tear)
        cloth_tear_write(
            cloth->tear, (uint32_t *)(void *)((unsigned char *)state + size - tear_bytes(cloth)));
    state_head head = head_of(cloth);
    head.sum = sum_of(&head, state, size);
    memcpy(state, &head, sizeof head);
    return HED_OK;
}

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
        sound &= fabs(head->origin[k]) <= CLOTH_ORIGIN_FARTHEST &&
                 fabs((double)head->middle[k]) <= farthest_place &&
                 fabs(head->driver_middle[k]) <= CLOTH_FARTHEST;
    for (int k = 0; k < 16; k++) sound &= fabs((double)head->pace[k]) <= farthest_place;
    return sound && head->apart <= (STATE_APART | STATE_PARTS | STATE_REMEMBERS) &&
           head->substeps <= MOST_SUBSTEPS;
}

/* True if the fourth number of each previous position is the particle's garment, with
 * or without the mark of an overstretched particle. */
static bool names_garments(const hed_cloth *cloth, const unsigned char *previous)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = cloth->first_particle[g]; i < cloth->first_particle[g + 1]; i++) {
            float4 one;
            memcpy(&one, previous + i * sizeof one, sizeof one);
            if (one.w != (float)g && one.w != (float)g + CLOTH_OVERSTRETCHED) return false;
        }
    return true;
}

/* Checks all contents of a state before any of them is stored: a state with a number that is not
 * finite would become the good state to which the cloth returns after an error. */
static hed_status check_kept(const hed_cloth *cloth, const state_head *head,
    const unsigned char *from, uint64_t size, hed_error *error)
{
    const uint64_t count = cloth->particles, array = sizeof(float4) * count;
    const uint64_t fixed = array_bytes(cloth) + collider_bytes(cloth) + tear_bytes(cloth);
    if (fixed > size)
        return hed_fail(error, HED_ERROR_FORMAT,
            "cloth state: %" PRIu64 " bytes after its head; expected at least %" PRIu64, size,
            fixed);
    const unsigned char *grips = from + 2 * array + array / 2, *driver = grips + array,
                        *colliders = from + array_bytes(cloth);
    const char *part = !is_sound_head(head)                         ? "head"
                       : !are_places(from, count, 1e12f)            ? "positions"
                       : !are_places(from + array, count, INFINITY) ? "previous positions"
                       : !are_carries(from + 2 * array, count)      ? "carries"
                       : !are_places(grips, count, 1e12f)           ? "grips"
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
    return cloth_contacts_check_state(
        cloth_lead(cloth)->contacts, from + fixed - tear_bytes(cloth), size - fixed, error);
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
    const uint64_t homes = home_bytes(cloth);
    const unsigned char *rest = (const unsigned char *)state + sizeof *head;
    if (size - sizeof *head < homes)
        return hed_fail(error, HED_ERROR_FORMAT, "a damaged state: it ends within its origins");
    /* the second half is free while no start is uploaded (cloth_upload_start()) */
    const hed_cloth *lead = cloth_lead(cloth);
    if (!read_homes(lead, rest, lead->homes + cloth->garment_count))
        return hed_fail(error, HED_ERROR_FORMAT,
            "cloth state: a number of its origins is not finite or out of range");
    return check_kept(cloth, head, rest + homes, size - sizeof *head - homes, error);
}

/* Takes the tears of a state over. */
static hed_status load_tears(hed_cloth *cloth, const unsigned char *corners, hed_error *error)
{
    const hed_allocator allocator = cloth->allocator;
    bool changed = false;
    uint64_t count = cloth_tear_words(cloth->tear);
    if (!count) return HED_OK;
    uint32_t *words = hed_new(&allocator, count, sizeof *words, error);
    if (!words) return HED_ERROR_MEMORY;
    memcpy(words, corners, count * sizeof *words);
    if (!cloth_tear_read(cloth->tear, words, &changed, error) && !error->status)
        hed_fail(error, HED_ERROR_FORMAT,
            "cloth state: a corner of a torn garment has the particle of another place");
    hed_delete(&allocator, words, count, sizeof *words);
    hed_cloth *form = NULL;
    if (changed && !error->status) cloth_form_create(cloth, &form, error);
    cloth_form_use(cloth, form, error);
    return error->status;
}

/* Writes the previous positions of a state. A cloth that remembers continues one that does not with the same
 * motions, and so does one that does not remember. */
static hed_status load_previous(
    hed_cloth *cloth, const state_head *head, const unsigned char *from, hed_error *error)
{
    const hed_allocator allocator = cloth->allocator;
    const uint64_t count = cloth->particles, array = sizeof(float4) * count;
    bool remembered = head->apart & STATE_REMEMBERS, remembers = cloth_remembers(cloth);
    if (remembered == remembers || head->last_dt == 0.0f)
        return cloth_write_rows(cloth, PREVIOUS_ROWS, from + array, error);
    float4 *rows = hed_new(&allocator, count, sizeof *rows, error);
    if (!rows) return HED_ERROR_MEMORY;
    memcpy(rows, from + array, array);
    float part = remembers ? 1.0f / (1.0f + CLOTH_RECALL) : 1.0f + CLOTH_RECALL;
    for (uint64_t i = 0; i < count; i++) {
        float4 at;
        memcpy(&at, from + i * sizeof at, sizeof at);
        rows[i].x = at.x - part * (at.x - rows[i].x);
        rows[i].y = at.y - part * (at.y - rows[i].y);
        rows[i].z = at.z - part * (at.z - rows[i].z);
    }
    cloth_write_rows(cloth, PREVIOUS_ROWS, rows, error);
    cloth_wait_parts(cloth, error);
    hed_delete(&allocator, rows, count, sizeof *rows);
    return error->status;
}

/* Writes the arrays of a state to the devices. */
static hed_status load_arrays(
    hed_cloth *cloth, const state_head *head, const unsigned char *from, hed_error *error)
{
    const uint64_t array = sizeof(float4) * (uint64_t)cloth->particles;
    cloth_wait_parts(cloth, error);
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++) {
        hed_cloth *part = cloth_part(cloth, i);
        hed_fill(part->stream, part->buffers.flags, 0, 16, &(uint32_t){0}, 4, error);
    }
    cloth_write_rows(cloth, POSITION_ROWS, from, error);
    load_previous(cloth, head, from, error);
    cloth_write_rows(cloth, CARRY_ROWS, from + 2 * array, error);
    cloth_clefts_load(cloth, from + 2 * array, error);
    from += 3 * array + array / 2;
    if (cloth->has_driver) {
        cloth_write_rows(cloth, DRIVER_ROWS(driver_to), from, error);
        cloth_write_rows(cloth, DRIVER_ROWS(driver_from), from, error);
    }
    return cloth_wait_parts(cloth, error);
}

/* Sets the fields of a part from a state, in addition to the arrays. `from`: its colliders, then its
 * meshes up to `end`. */
static hed_status load_part(hed_cloth *cloth, const state_head *head, const unsigned char *homes,
    const unsigned char *from, const unsigned char *end, hed_error *error)
{
    memcpy(cloth->host->colliders, from, collider_bytes(cloth));
    from += collider_bytes(cloth);
    /* Mesh contact is created by the first frame with mesh colliders; a state saved after that
     * frame needs it too. */
    cloth->host->has_meshes = head->meshes != 0;
    if (!cloth->contacts && from < end) cloth_contacts_create(cloth, &cloth->contacts, error);
    if (cloth->contacts)
        cloth_contacts_set_state(cloth, cloth->contacts, from, (uint64_t)(end - from), error);
    if (error->status) return error->status;
    cloth->host->collider_count = head->colliders;
    cloth->host->driver_moves = false;
    cloth->host->air_fresh = false;
    cloth->last_dt = head->last_dt;
    cloth->frame_substeps = head->substeps;
    cloth->time = head->time;
    cloth->frame = head->frame;
    cloth_look *look = &cloth->host->look;
    cloth_home *read = cloth->homes + cloth_home_count(cloth);
    read_homes(cloth, homes, read);
    cloth_origin_load(cloth, head->origin, read, (head->apart & STATE_APART) != 0, error);
    look->parts = (head->apart & STATE_PARTS) != 0;
    memcpy(look->middle, head->middle, sizeof look->middle);
    memcpy(cloth->host->pace, head->pace, sizeof head->pace);
    cloth->host->pace_seconds = head->pace_seconds;
    cloth->host->has_driver_middle = head->has_driver_middle != 0;
    memcpy(cloth->host->driver_middle, head->driver_middle, sizeof head->driver_middle);
    look->submissions = head->submissions;
    look->after = head->after;
    look->known = true;
    cloth_keep_state(cloth, error);
    return cloth_show(cloth, error);
}

/* Writes the grips of a state, after its contacts, which began anew. `from`: the arrays of the state. */
static hed_status load_grips(hed_cloth *cloth, const unsigned char *from, hed_error *error)
{
    const uint64_t array = sizeof(float4) * (uint64_t)cloth->particles;
    cloth_write_rows(cloth, GRIP_ROWS, from + 2 * array + array / 2, error);
    return cloth_wait_parts(cloth, error);
}

hed_status hed_cloth_load(hed_cloth *cloth, const void *state, uint64_t size, hed_error *error)
{
    HED_REQUIRE(cloth, state);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    state_head head;
    if (check_state(cloth, state, size, &head, error)) return error->status;
    const unsigned char *homes = (const unsigned char *)state + sizeof head,
                        *from = homes + home_bytes(cloth),
                        *end = (const unsigned char *)state + size - tear_bytes(cloth);
    if (load_tears(cloth, end, error) || load_arrays(cloth, &head, from, error))
        return error->status;
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++)
        load_part(cloth_part(cloth, i), &head, homes, from + array_bytes(cloth), end, error);
    if (cloth->buffers.grips) load_grips(cloth, from, error);
    cloth->is_split &= error->status != HED_OK;
    return error->status;
}

/* ---- a state of a cloth with other properties ---- */

/* Writes the masses of a cloth into the positions of a state. */
static void put_masses(const hed_cloth *cloth, unsigned char *positions)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        for (uint32_t i = cloth->first_particle[g]; i < cloth->first_particle[g + 1]; i++) {
            const cloth_garment *garment = cloth->garments[g];
            float inverse =
                garment->positions[(i - cloth->first_particle[g]) % garment->particle_count][3];
            memcpy(positions + i * sizeof(float4) + 3 * sizeof inverse, &inverse, sizeof inverse);
        }
}

/* Moves rows of a state: each new particle gets that of the one it was, shifted. */
static void put_splits(const hed_cloth *cloth, unsigned char *positions,
    const cloth_tear_split *splits, const uint32_t *counts)
{
    const uint64_t array = sizeof(float4) * (uint64_t)cloth->particles;
    unsigned char *previous = positions + array, *carries = previous + array,
                  *const rows_of[] = {positions, previous, carries + array / 2};
    for (uint32_t g = 0; splits && g < cloth->garment_count; g++)
        for (uint32_t i = 0; i < counts[g]; i++, splits++) {
            const size_t to = cloth->first_particle[g] + splits->particle,
                         from = cloth->first_particle[g] + splits->from;
            memcpy(carries + sizeof(uint2) * to, carries + sizeof(uint2) * from, sizeof(uint2));
            for (size_t k = 0; k < HED_COUNT(rows_of); k++) {
                float4 row;
                unsigned char *rows = rows_of[k];
                memcpy(&row, rows + sizeof row * from, sizeof row);
                row.x += splits->shift[0];
                row.y += splits->shift[1];
                row.z += splits->shift[2];
                memcpy(rows + sizeof row * to, &row, sizeof row);
            }
        }
}

hed_status cloth_take_state(hed_cloth *cloth, hed_cloth *from, const cloth_tear_split *splits,
    const uint32_t *counts, hed_error *error)
{
    const hed_allocator allocator = cloth->allocator;
    uint64_t size = hed_cloth_save_size(from);
    unsigned char *state = hed_new(&allocator, size, 1, error);
    state_head head;
    if (!state || hed_cloth_save(from, state, error)) {
        hed_delete(&allocator, state, size, 1);
        return error->status;
    }
    memcpy(&head, state, sizeof head);
    unsigned char *positions = state + sizeof head + home_bytes(from);
    put_splits(cloth, positions, splits, counts);
    put_masses(cloth, positions);
    head.sum = sum_of(&head, state, size);
    memcpy(state, &head, sizeof head);
    hed_cloth_load(cloth, state, size, error);
    hed_delete(&allocator, state, size, 1);
    return error->status;
}

hed_status hed_cloth_continue(hed_cloth *cloth, hed_cloth *from, hed_error *error)
{
    HED_REQUIRE(cloth, from);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    bool has_same_garments = cloth->garment_count == from->garment_count &&
                             cloth->has_driver == from->has_driver &&
                             cloth->def.max_colliders == from->def.max_colliders &&
                             memcmp(cloth->first_particle, from->first_particle,
                                 (cloth->garment_count + 1) * sizeof *cloth->first_particle) == 0;
    if (!has_same_garments)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a cloth of %u garments and %u particles cannot continue one of %u and %u; expected the "
            "same garments, drivers and max_colliders",
            cloth->garment_count, cloth->particles, from->garment_count, from->particles);
    return cloth_take_state(cloth, from, NULL, NULL, error);
}
