/* Host side of cloth that never crosses cloth: device memory, and the launches of a substep
 * (contact_stages.h). docs/cloth-contact.md has the proof.
 *
 * The number of pairs is known on the device alone. The counters are copied to the host after
 * each submission and read LOOK_AFTER submissions later, when the copy has long arrived. If more
 * than half of the capacity was needed, the capacity grows. If all of it was not enough, all
 * cloth is frozen for that substep, relative to its mean motion: nothing crosses, and the
 * metrics report it. */
#include "contact/contact_host.h"

#include <math.h>
#include <string.h>

enum {
    PAIRS_A_PARTICLE = 64, /* capacity at first */
    MIN_PAIRS = 4096,
    MAX_PAIRS = 1 << 27,
    LOOK_AFTER = 3
};
static const float min_spare = 0.1f; /* fraction of the smallest thickness */
/* contact_params.max_spare: the smaller of these fractions of the smallest thickness and of the
 * longest edge; .cover by it. More would list neighbours along cloth that is thick for its mesh. */
static const float spare_of_thickness = 0.35f, spare_of_edge = 0.12f, cover_by_spare = 1.4f;
static const double separation_speed = 0.25; /* m/s, of a pair that is too near */
/* contact_params.read_loss by the distance from zero: 2^-23 of two floats of the world, and a tenth
 * more for repeated tests */
static const double read_loss = 1.4e-7;
static const float push_steps = 4194304.0f; /* steps of the largest thickness, in sums of pushes */

/* ---- creation ---- */

static bool is_on_host(const hed_cloth *cloth)
{
    return strcmp(hed_device_describe(cloth->device).backend, "host") == 0;
}

/* True if every pinned particle has a driver, which brings it back from the mean motion. */
static bool pins_are_driven(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t i = 0; cloth_garment_pairs(garment) && i < garment->particle_count; i++)
            if (garment->positions[i][3] == 0.0f &&
                !(garment->driven && garment->driver_map[i][0] != CLOTH_UNDRIVEN))
                return false;
    }
    return true;
}

static void fill_params(const hed_cloth *cloth, contact_params *params)
{
    float thinnest = INFINITY, thickest = 0.0f;
    params->pulls = 1;
    for (uint32_t g = cloth->garment_count; g-- > 0;) {
        if (!cloth_garment_pairs(cloth->garments[g])) continue;
        params->first_particle = cloth->first_particle[g];
        params->pulls &= cloth->garments[g]->lattice_count > 0;
        thinnest = fminf(thinnest, cloth->garments[g]->thickness);
        thickest = fmaxf(thickest, cloth->garments[g]->thickness);
    }
    params->min_spare = min_spare * thinnest;
    params->max_thickness = thickest;
    params->min_thickness = thinnest;
    params->max_edge = cloth_longest_edge(cloth, cloth_garment_pairs);
    params->max_spare = fminf(spare_of_thickness * thinnest, spare_of_edge * params->max_edge);
    params->cover = cover_by_spare * params->max_spare;
    params->push_steps = push_steps / thickest;
    params->particles = cloth->particles;
    params->sample_stride = (cloth->particles + CONTACT_MEAN_SAMPLES - 1) / CONTACT_MEAN_SAMPLES;
    uint32_t samples = (cloth->particles + params->sample_stride - 1) / params->sample_stride;
    if (pins_are_driven(cloth))
        params->motion_scale = 1.0f / (CONTACT_MOTION_STEPS * (float)samples);
    uint32_t threads = hed_device_describe(cloth->device).compute_units;
    if (is_on_host(cloth) && threads > 1)
        params->sum_arrays = threads < CONTACT_MAX_SUM_ARRAYS ? threads : CONTACT_MAX_SUM_ARRAYS;
}

/* Replaces the arrays of the list and of the pairs by larger ones. On failure the old ones stay. */
static hed_status pairing_grow(
    hed_cloth *cloth, cloth_pairing *pairing, uint64_t capacity, hed_error *error)
{
    cloth_pairing_buffers *b = &pairing->b;
    hed_buffer **const arrays[] = {&b->list, &b->bounds, &b->pairs, &b->planes, &b->marks};
    hed_buffer *larger[HED_COUNT(arrays)] = {NULL};
    if (capacity < MIN_PAIRS) capacity = MIN_PAIRS;
    if (capacity > MAX_PAIRS) capacity = MAX_PAIRS;
    const uint64_t bytes[HED_COUNT(arrays)] = {sizeof(contact_pair) * capacity,
        sizeof(contact_bound) * capacity, sizeof(contact_pair) * capacity,
        sizeof(contact_plane) * capacity, sizeof(uint) * CONTACT_MARKS(cloth->particles, capacity)};
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        cloth_upload(cloth, NULL, bytes[i], &larger[i], error);
    for (size_t i = 0; i < HED_COUNT(arrays); i++) {
        hed_buffer_destroy(error->status ? larger[i] : *arrays[i]);
        if (!error->status) *arrays[i] = larger[i];
    }
    if (error->status) return error->status;
    pairing->params.capacity = pairing->params.list_capacity = (uint)capacity;
    return HED_OK;
}

static hed_status pairing_upload(hed_cloth *cloth, cloth_pairing *pairing,
    const contact_triangle *triangles, hed_arena *scratch, hed_error *error)
{
    uint64_t particles = cloth->particles, leaves = pairing->params.leaves;
    cloth_flat flat;
    if (cloth_flat_make(cloth, triangles, (uint32_t)leaves, scratch, &flat, error))
        return error->status;
    cloth_pairing_buffers *b = &pairing->b;
    cloth_upload_bodies(cloth, cloth_garment_pairs, &b->rests, &b->bodies, error);
    cloth_upload(cloth, triangles, sizeof *triangles * leaves, &b->triangles, error);
    cloth_upload(cloth, NULL, 4 * sizeof(float4) * leaves, &b->boxes, error);
    cloth_upload(cloth, flat.gradients, sizeof(float4) * leaves, &b->gradients, error);
    cloth_upload(cloth, flat.around_at, sizeof(uint) * (particles + 1), &b->around_at, error);
    cloth_upload(cloth, flat.around, 3 * sizeof(uint) * leaves, &b->around, error);
    cloth_upload(cloth, flat.convex, 2 * sizeof(uint) * leaves, &b->convex, error);
    cloth_upload(cloth, NULL, 3 * sizeof(float4) * leaves, &b->slopes, error);
    cloth_upload(cloth, NULL, 8 * sizeof(float4) * leaves, &b->ranges, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->start, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->moved, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &cloth->buffers.grips, error);
    cloth_upload(
        cloth, NULL, CONTACT_FRACTION_WORDS * sizeof(uint) * particles, &b->fractions, error);
    cloth_upload(cloth, NULL, 2 * sizeof(float4) * particles, &b->covers, error);
    cloth_upload(cloth, NULL, sizeof(float4) * particles, &b->ahead, error);
    cloth_upload(cloth, NULL, sizeof(float) * particles, &b->deviations, error);
    cloth_upload(cloth, NULL, sizeof(int) * CONTACT_SUMS(particles, pairing->params.sum_arrays),
        &b->sums, error);
    cloth_upload(cloth, NULL, sizeof(contact_counters), &b->counters, error);
    cloth_upload(cloth, NULL, 2 * sizeof(uint), &b->state, error);
    pairing_grow(cloth, pairing, PAIRS_A_PARTICLE * particles, error);
    hed_buffer_def pinned = {
        .memory = HED_MEMORY_PINNED, .size = CLOTH_PAIRS_LOOKS * sizeof(contact_counters)};
    if (!error->status) hed_buffer_create(cloth->device, &pinned, &b->pinned, error);
    for (int i = 0; i < CLOTH_PAIRS_LOOKS && !error->status; i++)
        hed_event_create(cloth->device, false, &pairing->arrived[i], error);
    return error->status;
}

hed_status cloth_contacts_grip(hed_cloth *cloth, hed_error *error)
{
    const cloth_buffers *b = &cloth->buffers;
    if (!b->grips) return error->status;
    return hed_copy(cloth->stream, b->grips, 0, b->position, 0,
        sizeof(float4) * (uint64_t)cloth->particles, error);
}

hed_status cloth_pairs_create(hed_cloth *cloth, cloth_pairing **pairing, hed_error *error)
{
    bool has_pairs = false;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        has_pairs |= cloth_garment_pairs(cloth->garments[g]);
    if (!has_pairs) return HED_OK;
    cloth_pairing *created = *pairing = hed_new(&cloth->allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    hed_arena scratch = {.allocator = cloth->allocator, .owner = "cloth against cloth"};
    contact_triangle *triangles = NULL;
    fill_params(cloth, &created->params);
    if (!cloth_contact_leaves(
            cloth, cloth_garment_pairs, &scratch, &triangles, &created->params.leaves, error) &&
        !pairing_upload(cloth, created, triangles, &scratch, error))
        cloth_contacts_grip(cloth, error);
    hed_arena_free(&scratch);
    return error->status;
}

void cloth_pairs_destroy(hed_cloth *cloth, cloth_pairing *pairing)
{
    if (!pairing) return;
    for (int i = 0; i < CLOTH_PAIRS_LOOKS; i++) hed_event_destroy(pairing->arrived[i]);
    cloth_buffers_destroy(CLOTH_BUFFERS(&pairing->b));
    hed_delete(&cloth->allocator, pairing, 1, sizeof *pairing);
}

uint64_t cloth_pairs_bytes(cloth_pairing *pairing)
{
    return pairing ? cloth_buffers_bytes(CLOTH_BUFFERS(&pairing->b)) : 0;
}

/* ---- capacity ---- */

hed_status cloth_pairs_look(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    uint32_t slot = p->submissions % CLOTH_PAIRS_LOOKS;
    const uint64_t bytes = sizeof(contact_counters);
    p->submissions++;
    p->is_unfinished = false;
    hed_copy(cloth->stream, p->b.pinned, slot * bytes, p->b.counters, 0, bytes, error);
    return hed_event_record(p->arrived[slot], cloth->stream, error);
}

hed_status cloth_pairs_prepare(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    if (!p || hed_failed(error)) return error->status;
    /* the last submission failed between any two stages: its sums and counters are not valid */
    if (p->is_unfinished && cloth_pairs_reset(cloth, p, error)) return error->status;
    p->is_unfinished = true;
    if (p->submissions >= LOOK_AFTER) {
        uint32_t slot = (p->submissions - LOOK_AFTER) % CLOTH_PAIRS_LOOKS;
        if (hed_event_wait(p->arrived[slot], UINT64_MAX, error)) return error->status;
        const contact_totals *total =
            &((const contact_counters *)cloth_host_of(p->b.pinned))[slot].total;
        uint64_t needed = (uint32_t)total->max_listed, capacity = p->params.capacity;
        if (needed < (uint32_t)total->max_pairs) needed = (uint32_t)total->max_pairs;
        if (2 * needed > capacity && capacity < MAX_PAIRS) {
            hed_error full = {0}; /* too little memory freezes cloth, and the metrics report it */
            hed_stream_wait(cloth->stream, error);
            pairing_grow(cloth, p, 3 * (needed < 2 * capacity ? needed : 2 * capacity), &full);
        }
    }
    float loss[3];
    for (int k = 0; k < 3; k++)
        loss[k] = fminf((float)(read_loss * fabs(cloth->origin[k])),
            CONTACT_MAX_READ_LOSS * p->params.max_thickness);
    p->params.read_loss_x = loss[0];
    p->params.read_loss_y = loss[1];
    p->params.read_loss_z = loss[2];
    p->params.read_loss = sqrtf(cloth_square(loss[0], loss[1], loss[2]));
    p->substeps = 0;
    return hed_copy(cloth->stream, p->b.start, 0, cloth->buffers.position, 0,
        sizeof(float4) * (uint64_t)cloth->particles, error);
}

/* ---- a substep ---- */

_Static_assert(
    CLOTH_PAIRS_BEGIN + CONTACT_STAGES == CLOTH_PAIRS_SUBSTEP, "a kernel for each stage");
_Static_assert(
    CLOTH_PAIRS_CUT - CLOTH_PAIRS_BEGIN == CONTACT_LIMIT, "kernels in the order of stages");

/* Arguments of all stages, by the names of their rows. */
#define PAIRS_ALL(FIRST, NEXT) \
    PAIRS_SUBSTEP(FIRST, NEXT) NEXT(IN, contact_overlap, overlaps) NEXT(VALUE, uint, row)
HED_VIEW_LAUNCH(contact_launch, PAIRS_ALL)
HED_VIEW_BIND(launch_begin, PAIRS_BEGIN, contact_launch)
HED_VIEW_BIND(launch_check, PAIRS_CHECK, contact_launch)
HED_VIEW_BIND(launch_slopes, PAIRS_SLOPES, contact_launch)
HED_VIEW_BIND(launch_boxes, PAIRS_BOXES, contact_launch)
HED_VIEW_BIND(launch_find, PAIRS_FIND, contact_launch)
HED_VIEW_BIND(launch_list, PAIRS_LIST, contact_launch)
HED_VIEW_BIND(launch_take, PAIRS_TAKE, contact_launch)
HED_VIEW_BIND(launch_push, PAIRS_PUSH, contact_launch)
HED_VIEW_BIND(launch_separate, PAIRS_PART, contact_launch)
HED_VIEW_BIND(launch_pull, PAIRS_PULL, contact_launch)
HED_VIEW_BIND(launch_apply, PAIRS_APPLY, contact_launch)
HED_VIEW_BIND(launch_limit, PAIRS_CUT, contact_launch)
HED_VIEW_BIND(launch_finish, PAIRS_FINISH, contact_launch)
HED_VIEW_BIND(launch_substep, PAIRS_SUBSTEP, contact_launch)

static contact_launch launch_of(const hed_cloth *cloth, const cloth_pairing *p, uint row)
{
    const cloth_pairing_buffers *b = &p->b;
    const cloth_buffers *c = &cloth->buffers;
    return (contact_launch){.boxes = b->boxes,
        .triangles = b->triangles,
        .gradients = b->gradients,
        .slopes = b->slopes,
        .ranges = b->ranges,
        .around_at = b->around_at,
        .around = b->around,
        .convex = b->convex,
        .start = b->start,
        .grips = c->grips,
        .position = c->position,
        .previous = c->previous,
        .rests = b->rests,
        .bodies = b->bodies,
        .garments = c->garments,
        .colliders = cloth_or_none(cloth, c->colliders),
        .contact = cloth_or_none(cloth, c->contact),
        .list = b->list,
        .bounds = b->bounds,
        .covers = b->covers,
        .ahead = b->ahead,
        .deviations = b->deviations,
        .pairs = b->pairs,
        .planes = b->planes,
        .moved = b->moved,
        .fractions = b->fractions,
        .sums = b->sums,
        .marks = b->marks,
        .counters = b->counters,
        .state = b->state,
        .params = p->params,
        .overlaps = b->pairs, /* while a list is made */
        .row = row};
}

/* One launch for a whole substep: the minimum time of each of many launches is most of the time of
 * little cloth. */
static hed_status pairs_run_at_once(
    hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p, hed_error *error)
{
    if (p->groups == 0) {
        const hed_kernel *kernel = contacts->kernels[CLOTH_PAIRS_SUBSTEP];
        uint32_t items = (uint32_t)hed_kernel_config(kernel, NULL).values[0];
        int64_t resident = -1;
        hed_kernel_resident_groups(kernel, items, 0, &resident, error);
        p->groups = (8 * p->params.leaves + items - 1) / items; /* pairs are more than triangles */
        if (resident > 0 && (int64_t)p->groups > resident) p->groups = (uint32_t)resident;
    }
    const contact_launch launch = launch_of(cloth, p, 0);
    return cloth_contact_run(cloth, contacts, CLOTH_PAIRS_SUBSTEP, p->groups,
        HED_VIEW_ARGS_FROM(launch_substep, &launch), error);
}

/* Launches the kernel of a stage. */
static hed_status pairs_run_stage(hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p,
    uint32_t stage, uint32_t row, hed_error *error)
{
    const contact_launch launch = launch_of(cloth, p, row);
    cloth_contact_kernel kernel = CLOTH_PAIRS_BEGIN + (cloth_contact_kernel)stage;
    uint64_t size = stage == CONTACT_BOXES ? row : cloth_pairs_size(p, kernel);
    if (stage == CONTACT_FINISH && contacts->explanation &&
        cloth_explain_iteration(cloth, p, contacts->explanation, error))
        return error->status;
#define RUN(bind) \
    return cloth_contact_run( \
        cloth, contacts, kernel, size, HED_VIEW_ARGS_FROM(bind, &launch), error)
    switch (stage) {
    case CONTACT_BEGIN: RUN(launch_begin);
    case CONTACT_CHECK: RUN(launch_check);
    case CONTACT_SLOPES: RUN(launch_slopes);
    case CONTACT_BOXES: RUN(launch_boxes);
    case CONTACT_FIND: RUN(launch_find);
    case CONTACT_LIST: RUN(launch_list);
    case CONTACT_TAKE: RUN(launch_take);
    case CONTACT_PUSH: RUN(launch_push);
    case CONTACT_SEPARATE: RUN(launch_separate);
    case CONTACT_PULL: RUN(launch_pull);
    case CONTACT_APPLY: RUN(launch_apply);
    case CONTACT_LIMIT: RUN(launch_limit);
    default: RUN(launch_finish);
    }
#undef RUN
}

/* Runs a contact iteration, one launch after another. The counters of the device "host" are known
 * between launches, so that stages without work are not launched. */
static hed_status pairs_run_iteration(
    hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p, hed_error *error)
{
    const contact_counters *const known = is_on_host(cloth) ? cloth_host_of(p->b.counters) : NULL;
    uint32_t row = 0;
    const hed_kernel *boxes = contacts->kernels[CLOTH_PAIRS_BOXES];
    uint32_t group_size = boxes ? (uint32_t)hed_kernel_config(boxes, NULL).values[0] : 1;
#define RUN(stage) pairs_run_stage(cloth, contacts, p, stage, row, error)
    CONTACT_ITERATION(RUN, p->params, row, group_size, known, known != NULL);
#undef RUN
    return error->status;
}

hed_status cloth_pairs_substep(hed_cloth *cloth, cloth_contacts *contacts, cloth_pairing *p,
    const cloth_step *step, float dt, hed_error *error)
{
    contact_params *params = &p->params;
    params->max_separation = (float)(separation_speed * dt);
    params->collider_from = step->from;
    params->collider_to = step->to;
    params->collider_count = step->colliders;
    params->flags = step->flags;
    params->iteration = 0;
    params->new_frame = p->substeps++ % cloth->frame_substeps == 0;
    contact_counters counters = {0};
    if (cloth_pairs_at_once(cloth)) {
        if (!contacts->explanation) return pairs_run_at_once(cloth, contacts, p, error);
        /* the last substep may have been one launch, which keeps the slot on the device */
        if (cloth_pairs_read_counters(cloth, p, &counters, error)) return error->status;
        params->slot = (uint)counters.total.slot;
    }
    /* the device decides if a further iteration follows */
    for (bool continues = true; continues; params->iteration++, params->new_frame = 0) {
        pairs_run_iteration(cloth, contacts, p, error);
        if (cloth_pairs_read_counters(cloth, p, &counters, error)) break;
        continues = contact_continues(&counters, *params);
        params->slot = (uint)counters.total.slot;
    }
    return error->status;
}

/* ---- metrics and reset ---- */

hed_status cloth_pairs_measure(
    hed_cloth *cloth, cloth_pairing *p, hed_cloth_metrics *quality, hed_error *error)
{
    contact_counters counters = {0};
    if (cloth_pairs_read_counters(cloth, p, &counters, error)) return error->status;
    const contact_totals *total = &counters.total;
    /* the last iteration is not in the totals yet */
    const contact_iteration *last = &counters.iteration[1 - total->slot];
    quality->contact_pairs = (uint32_t)total->last_pairs;
    quality->contact_pairs_most = (uint32_t)total->max_pairs;
    quality->contact_substeps = (uint32_t)total->substeps;
    quality->contact_legs =
        quality->contact_substeps + (uint64_t)(uint32_t)total->further_iterations;
    quality->contact_lists = (uint32_t)total->lists;
    quality->contact_cut = (uint64_t)(uint32_t)total->limited + (uint32_t)last->limited;
    quality->contact_still = (uint32_t)total->frozen;
    return HED_OK;
}

hed_status cloth_pairs_reset(hed_cloth *cloth, cloth_pairing *p, hed_error *error)
{
    if (!p) return error->status;
    p->submissions = 0;
    p->params.slot = 0;
    p->is_unfinished = false;
    hed_buffer *const cleared[] = {p->b.counters, p->b.sums, p->b.state, p->b.fractions};
    for (size_t i = 0; i < HED_COUNT(cleared); i++)
        hed_fill(cloth->stream, cleared[i], 0, hed_buffer_describe(cleared[i]).size, &(uint32_t){0},
            4, error);
    return error->status;
}
