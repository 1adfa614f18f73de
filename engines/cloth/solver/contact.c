/* Collisions beyond simple colliders: their life, cloth against cloth, and what is saved of them.
 * kernels/contact_self.h says how cloth is pushed out of cloth.
 *
 * Which thickness a mesh needs: particles are balls, so two sheets keep apart only where no ball
 * slips between the others. That takes a thickness of at least the longest edge (the spacing of a
 * grid; its diagonals are then 1.41 thicknesses long, which is still tight: four balls around a
 * square leave a hole of 0.41 thicknesses). A finer mesh may keep its thickness: more neighbours
 * are looked through, no more contacts are found in its own surroundings, which are near at rest.
 * In a substep no particle goes farther than the thinnest garment's thickness: 3 m/s at 1 cm and
 * 300 substeps a second; faster cloth needs more substeps or more thickness. */
#include "solver/contact.h"

#include <string.h>

static const hed_kernel_def *const definitions[CLOTH_CONTACT_KERNELS] = {
    [CLOTH_SELF_COUNT] = &cloth_self_count_def,
    [CLOTH_SELF_SCAN] = &cloth_self_scan_def,
    [CLOTH_SELF_TOTALS] = &cloth_self_totals_def,
    [CLOTH_SELF_PLACE] = &cloth_self_place_def,
    [CLOTH_SELF_ORDER] = &cloth_self_order_def,
    [CLOTH_SELF_PUSH] = &cloth_self_push_def,
    [CLOTH_SELF_NEAR_KERNEL] = &cloth_self_near_def,
    [CLOTH_MESH_BOXES] = &cloth_mesh_boxes_def,
    [CLOTH_MESH_FIND] = &cloth_mesh_find_def,
};

static hed_status ensure(hed_cloth *cloth, cloth_contacts *contacts, cloth_contact_kernel kernel,
    uint64_t size, hed_error *error)
{
    if (contacts->kernels[kernel]) return HED_OK;
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_kernel_options options = hed_default_kernel_options();
    options.math = cloth->def.math;
    options.problem = &problem;
    return hed_kernel_create(
        cloth->device, definitions[kernel], &options, &contacts->kernels[kernel], error);
}

/* Those that the definition announces. */
static hed_status ensure_announced(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    hed_status status = HED_OK;
    uint32_t triangles = cloth->def.max_collider_triangles, buckets = contacts->self.buckets;
    for (cloth_contact_kernel k = 0; k < CLOTH_CONTACT_KERNELS && !status; k++) {
        bool mesh = k == CLOTH_MESH_BOXES || k == CLOTH_MESH_FIND;
        uint64_t size = k == CLOTH_SELF_SCAN     ? buckets
                        : k == CLOTH_SELF_TOTALS ? buckets / CLOTH_SELF_TILE
                        : k == CLOTH_MESH_BOXES  ? triangles
                                                 : cloth->particles;
        if (mesh ? triangles > 0 : contacts->rows != NULL)
            status = ensure(cloth, contacts, k, size, error);
    }
    return status;
}

hed_status cloth_contact_run(hed_cloth *cloth, cloth_contacts *contacts,
    cloth_contact_kernel kernel, uint64_t size, const hed_argument *arguments, uint32_t count,
    hed_error *error)
{
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_status status = ensure(cloth, contacts, kernel, size, error);
    return status ? status
                  : hed_launch(cloth->stream, contacts->kernels[kernel], &problem, arguments, count,
                        error);
}

/* ---- cloth against cloth ---- */

static bool takes_part(const cloth_garment *garment)
{
    return garment->self_collision && garment->thickness > 0.0f;
}

float cloth_contacts_longest_move(const hed_cloth *cloth)
{
    float thinnest = 1e9f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (takes_part(cloth->garments[g]) && cloth->garments[g]->thickness < thinnest)
            thinnest = cloth->garments[g]->thickness;
    return thinnest;
}

/* Bodies are the garments' copies, one behind another. */
static void fill_bodies(const hed_cloth *cloth, float4 *rests, float4 *bodies)
{
    uint32_t body = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        float4 *rest = rests + cloth->first_particle[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, body++) {
            bodies[body] = (float4){garment->thickness, garment->friction, (float)g, 0.0f};
            for (uint32_t i = 0; i < garment->particle_count; i++, rest++) {
                const float *place = garment->rest[i];
                *rest = (float4){place[0], place[1], place[2],
                    as_float(takes_part(garment) ? body : CLOTH_SELF_NONE)};
            }
        }
    }
}

static hed_status upload_bodies(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    uint64_t body_count = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) body_count += cloth->garments[g]->copies;
    float4 *rests = hed_new(&cloth->allocator, cloth->particles, sizeof *rests, error);
    float4 *bodies =
        rests ? hed_new(&cloth->allocator, body_count, sizeof *bodies, error) : NULL;
    hed_status status = bodies ? HED_OK : HED_ERROR_MEMORY;
    if (!status) fill_bodies(cloth, rests, bodies);
    if (!status)
        status =
            cloth_upload(cloth, rests, cloth->particles * sizeof *rests, &contacts->rests, error);
    if (!status)
        status = cloth_upload(cloth, bodies, body_count * sizeof *bodies, &contacts->bodies, error);
    hed_delete(&cloth->allocator, bodies, body_count, sizeof *bodies);
    hed_delete(&cloth->allocator, rests, cloth->particles, sizeof *rests);
    return status;
}

static hed_status create_self(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    float widest = 0.0f;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (takes_part(cloth->garments[g]) && cloth->garments[g]->thickness > widest)
            widest = cloth->garments[g]->thickness;
    if (!(widest > 0.0f)) return HED_OK;
    uint64_t particles = cloth->particles;
    contacts->self = cloth_self_pass(cloth->particles, cloth_contacts_longest_move(cloth), widest);
    uint64_t buckets = contacts->self.buckets, tiles = buckets / CLOTH_SELF_TILE;
    hed_status status = upload_bodies(cloth, contacts, error);
    if (!status) status = cloth_upload(cloth, NULL, 4 * (buckets + 1), &contacts->starts, error);
    if (!status) status = cloth_upload(cloth, NULL, 4 * (tiles + 1), &contacts->totals, error);
    if (!status) status = cloth_upload(cloth, NULL, 8 * particles, &contacts->entries, error);
    if (!status) status = cloth_upload(cloth, NULL, 4 * particles, &contacts->slots, error);
    if (!status) status = cloth_upload(cloth, NULL, 4 * particles, &contacts->rows, error);
    if (!status) status = cloth_upload(cloth, NULL, 4 * particles, &contacts->counts, error);
    if (!status)
        status = cloth_upload(cloth, NULL, 4 * CLOTH_SELF_NEAR * particles, &contacts->near, error);
    for (int i = 0; i < 2 && !status; i++)
        status = cloth_upload(cloth, NULL, 32 * particles, &contacts->sorted[i], error);
    return status;
}

static hed_buffer *or_none(const hed_cloth *cloth, hed_buffer *buffer)
{
    return buffer ? buffer : cloth->buffers.none;
}

/* Sorts the particles into their buckets, and writes down who may touch whom. */
static hed_status sort_particles(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    cloth_self *self = &contacts->self;
    hed_argument position = hed_buffer_argument(cloth->buffers.position),
                 previous = hed_buffer_argument(cloth->buffers.previous);
    hed_argument starts = hed_buffer_argument(contacts->starts),
                 totals = hed_buffer_argument(contacts->totals);
    hed_argument entries = hed_buffer_argument(contacts->entries),
                 slots = hed_buffer_argument(contacts->slots);
    hed_argument rests = hed_buffer_argument(contacts->rests),
                 sorted = hed_buffer_argument(contacts->sorted[0]);
    hed_argument rows = hed_buffer_argument(contacts->rows);
    hed_argument pass = hed_struct_argument(self, sizeof *self);
    uint32_t tiles = self->buckets / CLOTH_SELF_TILE;
    hed_argument count[] = {position, previous, rests, starts, entries, pass};
    hed_argument scan[] = {starts, totals, hed_uint_argument(self->buckets)};
    hed_argument sums[] = {totals, hed_uint_argument(tiles)};
    hed_argument place[] = {starts, totals, entries, slots, pass};
    hed_argument order[] = {position, previous, starts, totals, entries, slots, sorted, rows, pass};
    hed_argument near[] = {starts, totals, sorted, rows, rests,
        hed_buffer_argument(contacts->bodies), hed_buffer_argument(contacts->near),
        hed_buffer_argument(contacts->counts), pass};
    hed_status status = hed_fill(cloth->stream, contacts->starts, 0,
        hed_buffer_size(contacts->starts), &(uint32_t){0}, 4, error);
    if (!status)
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_COUNT, self->particles, count, HED_COUNT(count), error);
    if (!status)
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_SCAN, self->buckets, scan, HED_COUNT(scan), error);
    if (!status)
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_TOTALS, tiles, sums, HED_COUNT(sums), error);
    if (!status)
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_PLACE, self->particles, place, HED_COUNT(place), error);
    if (!status)
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_ORDER, self->particles, order, HED_COUNT(order), error);
    return status ? status
                  : cloth_contact_run(cloth, contacts, CLOTH_SELF_NEAR_KERNEL, self->particles,
                        near, HED_COUNT(near), error);
}

hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error)
{
    if (!contacts->rows) return HED_OK;
    cloth_self *self = &contacts->self;
    self->to = step->to;
    self->colliders = step->colliders;
    self->flags = step->flags;
    hed_status status = sort_particles(cloth, contacts, error);
    for (uint32_t pass = 0; pass < CLOTH_SELF_PASSES && !status; pass++) {
        self->last = pass + 1 == CLOTH_SELF_PASSES;
        hed_argument push[] = {hed_buffer_argument(cloth->buffers.position),
            hed_buffer_argument(cloth->buffers.previous), hed_buffer_argument(contacts->starts),
            hed_buffer_argument(contacts->totals), hed_buffer_argument(contacts->sorted[pass % 2]),
            hed_buffer_argument(contacts->sorted[(pass + 1) % 2]),
            hed_buffer_argument(contacts->rows), hed_buffer_argument(contacts->rests),
            hed_buffer_argument(contacts->bodies), hed_buffer_argument(contacts->near),
            hed_buffer_argument(contacts->counts),
            hed_buffer_argument(or_none(cloth, cloth->buffers.colliders)),
            hed_buffer_argument(or_none(cloth, cloth->buffers.contact)),
            hed_struct_argument(self, sizeof *self)};
        status = cloth_contact_run(
            cloth, contacts, CLOTH_SELF_PUSH, self->particles, push, HED_COUNT(push), error);
    }
    return status;
}

/* ---- life ---- */

enum { SELF_BUFFERS = 11 };

static void self_buffers(const cloth_contacts *contacts, hed_buffer **buffers)
{
    hed_buffer *const all[SELF_BUFFERS] = {contacts->rests, contacts->bodies, contacts->starts,
        contacts->totals, contacts->entries, contacts->slots, contacts->rows, contacts->near,
        contacts->counts, contacts->sorted[0], contacts->sorted[1]};
    memcpy(buffers, all, sizeof all);
}

hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error)
{
    *contacts = NULL;
    cloth_contacts *made = hed_new(&cloth->allocator, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->allocator = cloth->allocator;
    hed_status status = create_self(cloth, made, error);
    if (!status) status = ensure_announced(cloth, made, error);
    if (status) cloth_contacts_destroy(cloth, made);
    else *contacts = made;
    return status;
}

void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts)
{
    if (!contacts) return;
    cloth_contact_meshes_destroy(contacts);
    hed_delete(
        &cloth->allocator, contacts->known, contacts->known_count, sizeof *contacts->known);
    hed_buffer *buffers[SELF_BUFFERS];
    self_buffers(contacts, buffers);
    for (size_t i = 0; i < HED_COUNT(buffers); i++) hed_buffer_destroy(buffers[i]);
    for (size_t i = 0; i < CLOTH_CONTACT_KERNELS; i++) hed_kernel_destroy(contacts->kernels[i]);
    hed_delete(&cloth->allocator, contacts, 1, sizeof *contacts);
}

uint64_t cloth_contacts_bytes(const cloth_contacts *contacts)
{
    if (!contacts) return 0;
    hed_buffer *buffers[SELF_BUFFERS];
    self_buffers(contacts, buffers);
    uint64_t bytes = cloth_contact_meshes_bytes(contacts);
    for (size_t i = 0; i < HED_COUNT(buffers); i++)
        bytes += buffers[i] ? hed_buffer_size(buffers[i]) : 0;
    return bytes;
}
