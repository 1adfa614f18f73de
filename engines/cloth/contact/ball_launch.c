/* Launches of balls around particles; ball_contact.h has the kernels.
 *
 * Thickness that a mesh needs: two sheets stay separated only if no ball fits between the
 * others. That takes a thickness of at least the longest edge (the spacing of a grid; its
 * diagonals are then 1.41 thicknesses long, and four balls around a square leave a hole of 0.41
 * thicknesses). A finer mesh may have the same thickness: the search covers more neighbours, but
 * neighbours at rest do not touch. In a substep no particle moves farther than the smallest
 * thickness: 3 m/s at 1 cm and 300 substeps a second. Faster cloth needs more substeps or more
 * thickness. */
#include "contact/contact_host.h"

static bool takes_part(const cloth_garment *garment)
{
    return garment->self_collision == HED_CLOTH_SELF_BALLS && garment->thickness > 0.0f;
}

float cloth_contacts_longest_move(const hed_cloth *cloth)
{
    float thinnest = 1e9f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (takes_part(cloth->garments[g]) && cloth->garments[g]->thickness < thinnest)
            thinnest = cloth->garments[g]->thickness;
    return thinnest;
}

hed_status cloth_balls_create(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    float widest = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (takes_part(cloth->garments[g]) && cloth->garments[g]->thickness > widest)
            widest = cloth->garments[g]->thickness;
    if (!(widest > 0.0f)) return HED_OK;
    uint64_t particles = cloth->particles;
    contacts->self = cloth_self_pass(cloth->particles, cloth_contacts_longest_move(cloth), widest);
    uint64_t buckets = contacts->self.buckets, tiles = buckets / CLOTH_SELF_TILE;
    cloth_upload_bodies(cloth, takes_part, &contacts->sb.rests, &contacts->sb.bodies, error);
    cloth_upload(cloth, NULL, 4 * (buckets + 1), &contacts->sb.starts, error);
    cloth_upload(cloth, NULL, 4 * (tiles + 1), &contacts->sb.totals, error);
    cloth_upload(cloth, NULL, 8 * particles, &contacts->sb.entries, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.slots, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.rows, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.counts, error);
    cloth_upload(cloth, NULL, 4 * CLOTH_SELF_NEAR * particles, &contacts->sb.neighbours, error);
    for (int i = 0; i < 2; i++)
        cloth_upload(cloth, NULL, 32 * particles, &contacts->sb.sorted[i], error);
    return error->status;
}

/* Arguments of all kernels, by the names of their rows. */
#define SELF_ALL(FIRST, NEXT) \
    SELF_PUSH(FIRST, NEXT) \
    NEXT(OUT, uint2, entries) \
    NEXT(OUT, uint, slots) NEXT(VALUE, uint, buckets) NEXT(VALUE, uint, tiles)
HED_VIEW_LAUNCH(balls_launch, SELF_ALL)
HED_VIEW_BIND(balls_count, SELF_COUNT, balls_launch)
HED_VIEW_BIND(balls_scan, SELF_SCAN, balls_launch)
HED_VIEW_BIND(balls_totals, SELF_TOTALS, balls_launch)
HED_VIEW_BIND(balls_place, SELF_PLACE, balls_launch)
HED_VIEW_BIND(balls_order, SELF_ORDER, balls_launch)
HED_VIEW_BIND(balls_near, SELF_NEAR, balls_launch)
HED_VIEW_BIND(balls_push, SELF_PUSH, balls_launch)

static balls_launch launch_of(const hed_cloth *cloth, const cloth_contacts *contacts, uint32_t pass)
{
    const cloth_self_buffers *b = &contacts->sb;
    const cloth_self *self = &contacts->self;
    return (balls_launch){.colliders = cloth_or_none(cloth, cloth->buffers.colliders),
        .contact = cloth_or_none(cloth, cloth->buffers.contact),
        .position = cloth->buffers.position,
        .previous = cloth->buffers.previous,
        .pushed = b->sorted[(pass + 1) % 2],
        .starts = b->starts,
        .totals = b->totals,
        .sorted = b->sorted[pass % 2],
        .rows = b->rows,
        .rests = b->rests,
        .bodies = b->bodies,
        .neighbours = b->neighbours,
        .counts = b->counts,
        .self = *self,
        .entries = b->entries,
        .slots = b->slots,
        .buckets = self->buckets,
        .tiles = self->buckets / CLOTH_SELF_TILE};
}

/* Sorts the particles into buckets, and stores the neighbours of each. */
static void sort_particles(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    const cloth_contacts *c = contacts;
    const cloth_self *self = &c->self;
    const balls_launch launch = launch_of(cloth, contacts, 0);
    uint32_t tiles = self->buckets / CLOTH_SELF_TILE;
    hed_fill(cloth->stream, c->sb.starts, 0, hed_buffer_describe(c->sb.starts).size, &(uint32_t){0},
        4, error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_COUNT, self->particles,
        HED_VIEW_ARGS_FROM(balls_count, &launch), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_SCAN, self->buckets,
        HED_VIEW_ARGS_FROM(balls_scan, &launch), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_TOTALS, tiles,
        HED_VIEW_ARGS_FROM(balls_totals, &launch), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_PLACE, self->particles,
        HED_VIEW_ARGS_FROM(balls_place, &launch), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_ORDER, self->particles,
        HED_VIEW_ARGS_FROM(balls_order, &launch), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_NEAR_KERNEL, self->particles,
        HED_VIEW_ARGS_FROM(balls_near, &launch), error);
}

hed_status cloth_balls_push(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error)
{
    cloth_self *self = &contacts->self;
    self->to = step->to;
    self->colliders = step->colliders;
    self->flags = step->flags;
    sort_particles(cloth, contacts, error);
    for (uint32_t pass = 0; pass < CLOTH_SELF_PASSES; pass++) {
        self->last = pass + 1 == CLOTH_SELF_PASSES;
        const balls_launch launch = launch_of(cloth, contacts, pass);
        cloth_contact_run(cloth, contacts, CLOTH_SELF_PUSH, self->particles,
            HED_VIEW_ARGS_FROM(balls_push, &launch), error);
    }
    return error->status;
}
