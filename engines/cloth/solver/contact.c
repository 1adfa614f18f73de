/* Collisions beyond simple colliders: their life, balls around particles, and their saved state.
 * kernels/contact_self.h says how balls push each other.
 *
 * Which thickness a mesh needs: particles are balls, so two sheets keep apart only where no ball
 * slips between the others. That takes a thickness of at least the longest edge (the spacing of a
 * grid; its diagonals are then 1.41 thicknesses long, which is still tight: four balls around a
 * square leave a hole of 0.41 thicknesses). A finer mesh may keep its thickness: more neighbours
 * are looked through, no more contacts are found in its own surroundings, which are near at rest.
 * In a substep no particle goes farther than the thinnest garment's thickness: 3 m/s at 1 cm and
 * 300 substeps a second; faster cloth needs more substeps or more thickness. */
#include "solver/contact.h"

#include <math.h>
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
    [CLOTH_PAIRS_BEGIN] = &cloth_pairs_begin_def,
    [CLOTH_PAIRS_CHECK] = &cloth_pairs_check_def,
    [CLOTH_PAIRS_TAKE] = &cloth_pairs_take_def,
    [CLOTH_PAIRS_SLOPES] = &cloth_pairs_slopes_def,
    [CLOTH_PAIRS_BOXES] = &cloth_pairs_boxes_def,
    [CLOTH_PAIRS_FIND] = &cloth_pairs_find_def,
    [CLOTH_PAIRS_LIST] = &cloth_pairs_list_def,
    [CLOTH_PAIRS_PUSH] = &cloth_pairs_push_def,
    [CLOTH_PAIRS_PART] = &cloth_pairs_part_def,
    [CLOTH_PAIRS_APPLY] = &cloth_pairs_apply_def,
    [CLOTH_PAIRS_CUT_KERNEL] = &cloth_pairs_cut_def,
    [CLOTH_PAIRS_FINISH] = &cloth_pairs_finish_def,
    [CLOTH_PAIRS_SUBSTEP] = &cloth_pairs_substep_def,
};

static hed_status ensure(hed_cloth *cloth, cloth_contacts *contacts, cloth_contact_kernel kernel,
    uint64_t size, hed_error *error)
{
    if (contacts->kernels[kernel]) return HED_OK;
    hed_problem problem = hed_problem_1d((int64_t)size);
    hed_kernel_options options = hed_default_kernel_options();
    /* what decides whether cloth crosses is rounded everywhere alike */
    options.math = kernel >= CLOTH_PAIRS_BEGIN ? HED_MATH_STRICT : cloth->def.math;
    options.problem = &problem;
    return hed_kernel_create(
        cloth->device, definitions[kernel], &options, &contacts->kernels[kernel], error);
}

/* Those that the definition announces. */
static hed_status ensure_announced(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    uint32_t triangles = cloth->def.max_collider_triangles, buckets = contacts->self.buckets;
    for (cloth_contact_kernel k = 0; k < CLOTH_CONTACT_KERNELS; k++) {
        bool mesh = k == CLOTH_MESH_BOXES || k == CLOTH_MESH_FIND, pairs = k >= CLOTH_PAIRS_BEGIN;
        if (pairs && (k == CLOTH_PAIRS_SUBSTEP) != cloth_pairs_at_once(cloth)) continue;
        if (pairs ? !contacts->pairing : mesh ? triangles == 0 : !contacts->sb.rows) continue;
        uint64_t size = pairs                    ? cloth_pairs_size(contacts->pairing, k)
                        : k == CLOTH_SELF_SCAN   ? buckets
                        : k == CLOTH_SELF_TOTALS ? buckets / CLOTH_SELF_TILE
                        : k == CLOTH_MESH_BOXES  ? triangles
                                                 : cloth->particles;
        ensure(cloth, contacts, k, size, error);
    }
    return error->status;
}

hed_status cloth_contact_run(hed_cloth *cloth, cloth_contacts *contacts,
    cloth_contact_kernel kernel, uint64_t size, const hed_argument *arguments, uint32_t count,
    hed_error *error)
{
    hed_problem problem = hed_problem_1d((int64_t)size);
    ensure(cloth, contacts, kernel, size, error);
    return hed_launch(cloth->stream, contacts->kernels[kernel], &problem, arguments, count, error);
}

/* ---- balls ---- */

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

/* Bodies are the garments' copies, one behind another. */
static void fill_bodies(
    const hed_cloth *cloth, bool (*part)(const cloth_garment *), float4 *rests, float4 *bodies)
{
    uint32_t body = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        float4 *rest = rests + cloth->first_particle[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++, body++) {
            bodies[body] = (float4){garment->thickness, garment->friction, (float)g, 0.0f};
            for (uint32_t i = 0; i < garment->particle_count; i++, rest++) {
                const float *place = garment->rest[i];
                *rest = (float4){
                    place[0], place[1], place[2], as_float(part(garment) ? body : CLOTH_SELF_NONE)};
            }
        }
    }
}

hed_status cloth_upload_bodies(hed_cloth *cloth, bool (*part)(const cloth_garment *),
    hed_buffer **rests, hed_buffer **bodies, hed_error *error)
{
    uint64_t count = cloth_copies(cloth), particles = cloth->particles;
    float4 *places = hed_new(&cloth->allocator, particles, sizeof *places, error);
    float4 *words = hed_new(&cloth->allocator, count, sizeof *words, error);
    if (words) fill_bodies(cloth, part, places, words);
    cloth_upload(cloth, places, particles * sizeof *places, rests, error);
    cloth_upload(cloth, words, count * sizeof *words, bodies, error);
    hed_delete(&cloth->allocator, words, count, sizeof *words);
    hed_delete(&cloth->allocator, places, particles, sizeof *places);
    return error->status;
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
    cloth_upload_bodies(cloth, takes_part, &contacts->sb.rests, &contacts->sb.bodies, error);
    cloth_upload(cloth, NULL, 4 * (buckets + 1), &contacts->sb.starts, error);
    cloth_upload(cloth, NULL, 4 * (tiles + 1), &contacts->sb.totals, error);
    cloth_upload(cloth, NULL, 8 * particles, &contacts->sb.entries, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.slots, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.rows, error);
    cloth_upload(cloth, NULL, 4 * particles, &contacts->sb.counts, error);
    cloth_upload(cloth, NULL, 4 * CLOTH_SELF_NEAR * particles, &contacts->sb.near, error);
    for (int i = 0; i < 2; i++)
        cloth_upload(cloth, NULL, 32 * particles, &contacts->sb.sorted[i], error);
    return error->status;
}

/* Sorts the particles into their buckets, and lists which may touch which. */
static void sort_particles(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    const cloth_contacts *c = contacts;
    const cloth_self *self = &c->self;
    hed_buffer *position = cloth->buffers.position, *previous = cloth->buffers.previous;
    hed_argument pass = hed_struct_argument(self, sizeof *self);
    uint32_t tiles = self->buckets / CLOTH_SELF_TILE;
    hed_fill(cloth->stream, c->sb.starts, 0, hed_buffer_describe(c->sb.starts).size, &(uint32_t){0},
        4, error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_COUNT, self->particles,
        HED_ARGS(position, previous, c->sb.rests, c->sb.starts, c->sb.entries, pass), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_SCAN, self->buckets,
        HED_ARGS(c->sb.starts, c->sb.totals, self->buckets), error);
    cloth_contact_run(
        cloth, contacts, CLOTH_SELF_TOTALS, tiles, HED_ARGS(c->sb.totals, tiles), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_PLACE, self->particles,
        HED_ARGS(c->sb.starts, c->sb.totals, c->sb.entries, c->sb.slots, pass), error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_ORDER, self->particles,
        HED_ARGS(position, previous, c->sb.starts, c->sb.totals, c->sb.entries, c->sb.slots,
            c->sb.sorted[0], c->sb.rows, pass),
        error);
    cloth_contact_run(cloth, contacts, CLOTH_SELF_NEAR_KERNEL, self->particles,
        HED_ARGS(c->sb.starts, c->sb.totals, c->sb.sorted[0], c->sb.rows, c->sb.rests, c->sb.bodies,
            c->sb.near, c->sb.counts, pass),
        error);
}

static hed_status push_balls(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error)
{
    cloth_self *self = &contacts->self;
    self->to = step->to;
    self->colliders = step->colliders;
    self->flags = step->flags;
    sort_particles(cloth, contacts, error);
    for (uint32_t pass = 0; pass < CLOTH_SELF_PASSES; pass++) {
        self->last = pass + 1 == CLOTH_SELF_PASSES;
        cloth_contact_run(cloth, contacts, CLOTH_SELF_PUSH, self->particles,
            HED_ARGS(cloth->buffers.position, cloth->buffers.previous, contacts->sb.starts,
                contacts->sb.totals, contacts->sb.sorted[pass % 2],
                contacts->sb.sorted[(pass + 1) % 2], contacts->sb.rows, contacts->sb.rests,
                contacts->sb.bodies, contacts->sb.near, contacts->sb.counts,
                cloth_or_none(cloth, cloth->buffers.colliders),
                cloth_or_none(cloth, cloth->buffers.contact),
                hed_struct_argument(self, sizeof *self)),
            error);
    }
    return error->status;
}

/* Balls first: nothing may move cloth that does not cross behind what kept it from it. */
hed_status cloth_contacts_self(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, float dt, hed_error *error)
{
    if (contacts->sb.rows && push_balls(cloth, contacts, step, error)) return error->status;
    if (!contacts->pairing) return HED_OK;
    return cloth_pairs_substep(cloth, contacts, contacts->pairing, step, dt, error);
}

hed_status cloth_contacts_begin(hed_cloth *cloth, hed_error *error)
{
    if (!cloth->contacts || !cloth->contacts->pairing) return HED_OK;
    return cloth_pairs_prepare(cloth, cloth->contacts->pairing, error);
}

hed_status cloth_contacts_end(hed_cloth *cloth, hed_error *error)
{
    if (!cloth->contacts || !cloth->contacts->pairing) return HED_OK;
    return cloth_pairs_look(cloth, cloth->contacts->pairing, error);
}

hed_status cloth_contacts_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error)
{
    if (!cloth->contacts || !cloth->contacts->pairing) return HED_OK;
    return cloth_pairs_measure(cloth, cloth->contacts->pairing, quality, error);
}

/* ---- life ---- */

hed_status cloth_contacts_create(hed_cloth *cloth, cloth_contacts **contacts, hed_error *error)
{
    *contacts = NULL;
    cloth_contacts *made = hed_new(&cloth->allocator, 1, sizeof *made, error);
    if (!made) return HED_ERROR_MEMORY;
    made->allocator = cloth->allocator;
    create_self(cloth, made, error);
    if (!error->status) cloth_pairs_create(cloth, &made->pairing, error);
    ensure_announced(cloth, made, error);
    if (error->status) cloth_contacts_destroy(cloth, made);
    else *contacts = made;
    return error->status;
}

void cloth_contacts_destroy(hed_cloth *cloth, cloth_contacts *contacts)
{
    if (!contacts) return;
    cloth_contact_meshes_destroy(contacts);
    cloth_pairs_destroy(cloth, contacts->pairing);
    hed_delete(&cloth->allocator, contacts->known, contacts->known_count, sizeof *contacts->known);
    cloth_buffers_destroy(CLOTH_BUFFERS(&contacts->sb));
    for (size_t i = 0; i < CLOTH_CONTACT_KERNELS; i++) hed_kernel_destroy(contacts->kernels[i]);
    hed_delete(&cloth->allocator, contacts, 1, sizeof *contacts);
}

uint64_t cloth_contacts_bytes(cloth_contacts *contacts)
{
    if (!contacts) return 0;
    return cloth_buffers_bytes(CLOTH_BUFFERS(&contacts->sb)) +
           cloth_buffers_bytes(CLOTH_BUFFERS(&contacts->mb)) + cloth_pairs_bytes(contacts->pairing);
}

/* Mesh colliders: their vertices go to the device each frame, the boxes of their tree are made
 * anew, and each particle finds its nearest triangle and the plane in which they touch.
 * kernels/contact_mesh.h says how; contact_tree.c makes the tree.
 *
 * Planes are found once for a hed_cloth_step(), where the meshes and the cloth begin; they move
 * with the place of their triangle that was nearest. That place is looked for within the thickness
 * and all the way that particle and meshes can go; inside a mesh without a border, however deep. */

#define COME_OUT \
    0.25 /* m/s: how fast a particle that is inside is brought out; it leaves at that speed, a hop of 3 mm */

/* ---- what stays: the tree ---- */

static hed_status upload_tree(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    const cloth_tree *tree = contacts->tree;
    uint64_t vertices = tree->vertex_count, triangles = tree->triangle_count, leaves = tree->leaves;
    cloth_upload(cloth, tree->triangles, 16 * triangles, &contacts->mb.triangles, error);
    cloth_upload(cloth, tree->edges, 16 * triangles, &contacts->mb.edges, error);
    cloth_upload(cloth, tree->incident_at, 4 * (vertices + 1), &contacts->mb.incident_at, error);
    cloth_upload(cloth, tree->incident, 12 * triangles, &contacts->mb.incident, error);
    cloth_upload(cloth, tree->leaf_at, 4 * (leaves + 1), &contacts->mb.leaf_at, error);
    cloth_upload(cloth, NULL, 64 * leaves, &contacts->mb.boxes, error);
    cloth_upload(cloth, NULL, 16 * (uint64_t)tree->mesh_count, &contacts->mb.kinds, error);
    for (int i = 0; i < 2; i++)
        cloth_upload(cloth, NULL, 16 * vertices, &contacts->mb.place[i], error);
    if (!cloth->buffers.contact)
        cloth_upload(cloth, NULL, 32 * (uint64_t)cloth->particles, &cloth->buffers.contact, error);
    return error->status;
}

/* The first frame with meshes. */
static hed_status make_tree(
    hed_cloth *cloth, cloth_contacts *contacts, const hed_cloth_frame *frame, hed_error *error)
{
    hed_status status = cloth_tree_create(
        &cloth->allocator, frame->meshes, frame->mesh_count, &contacts->tree, error);
    if (status) return status;
    uint32_t count = contacts->tree->vertex_count;
    contacts->places = hed_new(&cloth->allocator, count, sizeof *contacts->places, error);
    contacts->sent = hed_new(&cloth->allocator, count, sizeof *contacts->sent, error);
    if (!error->status && contacts->known && contacts->known_count != count)
        hed_fail(error, HED_ERROR_ARGUMENT,
            "mesh colliders have %u vertices; in the state that was loaded they had %u", count,
            contacts->known_count);
    upload_tree(cloth, contacts, error);
    if (error->status) cloth_contact_meshes_destroy(contacts);
    contacts->jumped = true;
    return error->status;
}

static void forget_known(cloth_contacts *contacts)
{
    hed_delete(
        &contacts->allocator, contacts->known, contacts->known_count, sizeof *contacts->known);
    contacts->known = NULL;
}

/* Where they are, from the present origin. */
static hed_status send_places(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    uint32_t count = contacts->tree->vertex_count;
    for (uint32_t v = 0; v < count; v++)
        contacts->sent[v] = cloth_from_world(cloth, &contacts->places[v].x, 0.0f);
    memcpy(contacts->origin, cloth->origin, sizeof contacts->origin);
    return cloth_send(cloth, contacts->mb.place[contacts->turn], 0, contacts->sent,
        count * sizeof *contacts->sent, error);
}

static hed_status check_same(const cloth_tree *tree, const hed_cloth_frame *frame, hed_error *error)
{
    if (frame->mesh_count != tree->mesh_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%u mesh colliders, in the first frame there were %u", frame->mesh_count,
            tree->mesh_count);
    for (uint32_t m = 0; m < tree->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &frame->meshes[m];
        if (mesh->vertex_count != tree->mesh_vertices[m] ||
            mesh->triangle_count != tree->mesh_triangles[m])
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mesh collider %u has %u vertices and %u triangles, in the first frame it had %u and %u",
                m, mesh->vertex_count, mesh->triangle_count, tree->mesh_vertices[m],
                tree->mesh_triangles[m]);
    }
    return HED_OK;
}

/* ---- what moves ---- */

/* Takes the vertices over; gives the farthest way of one. */
static double take_places(cloth_contacts *contacts, const hed_cloth_frame *frame)
{
    double farthest = 0.0;
    float4 *place = contacts->places;
    for (uint32_t m = 0; m < frame->mesh_count; m++) {
        const float *from = frame->meshes[m].positions;
        for (uint32_t v = 0; v < frame->meshes[m].vertex_count; v++, place++, from += 3) {
            double x = (double)from[0] - place->x, y = (double)from[1] - place->y,
                   z = (double)from[2] - place->z;
            double square = x * x + y * y + z * z;
            if (square > farthest) farthest = square;
            *place = (float4){from[0], from[1], from[2], 0.0f};
        }
    }
    return contacts->jumped ? 0.0 : sqrt(farthest);
}

static hed_status send_kinds(
    hed_cloth *cloth, cloth_contacts *contacts, const hed_cloth_frame *frame, hed_error *error)
{
    uint32_t count = frame->mesh_count;
    float4 *kinds = hed_new(&cloth->allocator, count, sizeof *kinds, error);
    if (!kinds) return HED_ERROR_MEMORY;
    for (uint32_t m = 0; m < count; m++)
        kinds[m] = (float4){
            frame->meshes[m].friction, contacts->tree->closed[m] ? 1.0f : 0.0f, 0.0f, 0.0f};
    hed_status status =
        cloth_send(cloth, contacts->mb.kinds, 0, kinds, count * sizeof *kinds, error);
    hed_delete(&cloth->allocator, kinds, count, sizeof *kinds);
    return status;
}

/* `begin` and `end`: the buffers of the vertices where the frame begins and ends. Meshes that are
 * not given stand still. */
static hed_status contact_feed(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double *move, hed_buffer **begin, hed_buffer **end,
    hed_error *error)
{
    bool moved = false;
    for (int k = 0; k < 3; k++) moved |= contacts->origin[k] != cloth->origin[k];
    if (moved && !contacts->jumped) send_places(cloth, contacts, error);
    if (hed_failed(error)) return error->status;
    *move = 0.0;
    *begin = contacts->mb.place[contacts->turn];
    if (frame->mesh_count > 0) {
        *move = take_places(contacts, frame);
        contacts->turn ^= 1u;
        send_kinds(cloth, contacts, frame, error);
        send_places(cloth, contacts, error);
    }
    *end = contacts->mb.place[contacts->turn];
    if (contacts->jumped) *begin = *end;
    contacts->jumped = false;
    return error->status;
}

static hed_status make_boxes(
    hed_cloth *cloth, cloth_contacts *contacts, hed_buffer *begin, hed_error *error)
{
    uint32_t leaves = contacts->tree->leaves;
    for (uint32_t row = leaves; row > 0;) {
        if (cloth_contact_run(cloth, contacts, CLOTH_MESH_BOXES, row,
                HED_ARGS(contacts->mb.boxes, contacts->mb.leaf_at, contacts->mb.triangles, begin,
                    row, leaves),
                error))
            return error->status;
        hed_config config = hed_kernel_config(contacts->kernels[CLOTH_MESH_BOXES], NULL);
        row /= 2 * (uint32_t)config.values[0]; /* a group went up from its nodes to one */
    }
    return HED_OK;
}

hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double seconds, hed_error *error)
{
    hed_status status = HED_OK;
    if (frame->mesh_count > 0)
        status = contacts->tree ? check_same(contacts->tree, frame, error)
                                : make_tree(cloth, contacts, frame, error);
    if (status || !contacts->tree) return status;
    double move = 0.0;
    hed_buffer *begin = NULL, *end = NULL;
    if (contacts->known) { /* where a saved state has them */
        memcpy(contacts->places, contacts->known, contacts->known_count * sizeof *contacts->known);
        contacts->jumped = false;
        forget_known(contacts);
        send_places(cloth, contacts, error);
    }
    if (contact_feed(cloth, contacts, frame, &move, &begin, &end, error) ||
        make_boxes(cloth, contacts, begin, error))
        return error->status;
    const float *gravity = frame->gravity;
    double pull = sqrt((double)gravity[0] * gravity[0] + (double)gravity[1] * gravity[1] +
                       (double)gravity[2] * gravity[2]);
    cloth_meshes meshes = {
        .ahead = cloth->last_dt > 0.0f ? (float)(seconds / cloth->last_dt) : 0.0f,
        .fall = (float)(0.5 * pull * seconds * seconds),
        .move = (float)move,
        .come_out = (float)(COME_OUT * seconds),
        .particles = cloth->particles,
        .leaves = contacts->tree->leaves};
    for (uint32_t m = 0; m < contacts->tree->mesh_count; m++)
        meshes.closed |= contacts->tree->closed[m];
    return cloth_contact_run(cloth, contacts, CLOTH_MESH_FIND, cloth->particles,
        HED_ARGS(cloth->buffers.position, cloth->buffers.previous, cloth->buffers.garments,
            contacts->mb.boxes, contacts->mb.leaf_at, contacts->mb.triangles, contacts->mb.edges,
            contacts->mb.incident_at, contacts->mb.incident, contacts->mb.kinds, begin, end,
            cloth->buffers.contact, hed_struct_argument(&meshes, sizeof meshes)),
        error);
}

void cloth_contacts_move(cloth_contacts *contacts, const float *matrix)
{
    if (!contacts || !contacts->tree || contacts->known) return;
    for (uint32_t v = 0; v < contacts->tree->vertex_count; v++) {
        float4 *place = &contacts->places[v];
        const float from[3] = {place->x, place->y, place->z};
        cloth_point_through(matrix, from, &place->x);
    }
    for (int k = 0; k < 3; k++) contacts->origin[k] = (double)NAN; /* what was sent is old */
}

static void forget_places(cloth_contacts *contacts)
{
    contacts->jumped = true;
    forget_known(contacts);
}

hed_status cloth_contacts_reset(hed_cloth *cloth, cloth_contacts *contacts, hed_error *error)
{
    if (!contacts) return error->status;
    forget_places(contacts);
    return cloth_pairs_reset(cloth, contacts->pairing, error);
}

/* ---- saved states: the number of vertices, then where they are ---- */

uint64_t cloth_contacts_state_size(const cloth_contacts *contacts)
{
    uint64_t count = !contacts         ? 0
                     : contacts->known ? contacts->known_count
                     : contacts->tree  ? contacts->tree->vertex_count
                                       : 0;
    return sizeof(uint64_t) + count * sizeof(float4);
}

void cloth_contacts_state(const cloth_contacts *contacts, void *state)
{
    uint64_t count = (cloth_contacts_state_size(contacts) - sizeof count) / sizeof(float4);
    memcpy(state, &count, sizeof count);
    if (count > 0)
        memcpy((char *)state + sizeof count, contacts->known ? contacts->known : contacts->places,
            count * sizeof(float4));
}

hed_status cloth_contacts_check_state(
    const cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error)
{
    uint64_t count;
    if (size == 0) return HED_OK; /* a cloth without contacts so far */
    if (size < sizeof count)
        return hed_fail(error, HED_ERROR_FORMAT, "a saved state ends before its mesh colliders");
    memcpy(&count, state, sizeof count);
    if (count > INT32_MAX || size != sizeof count + count * sizeof(float4))
        return hed_fail(error, HED_ERROR_FORMAT,
            "a saved state says %llu vertices of mesh colliders in %llu bytes",
            (unsigned long long)count, (unsigned long long)size);
    if (contacts && contacts->tree && count > 0 && count != contacts->tree->vertex_count)
        return hed_fail(error, HED_ERROR_FORMAT,
            "a saved state has %llu vertices of mesh colliders, this cloth has %u",
            (unsigned long long)count, contacts->tree->vertex_count);
    for (uint64_t i = 0; i < count; i++) {
        float4 place;
        memcpy(&place, (const char *)state + sizeof count + i * sizeof place, sizeof place);
        if (!cloth_finite(place))
            return hed_fail(error, HED_ERROR_FORMAT,
                "cloth state: vertex %llu of its mesh colliders is not finite",
                (unsigned long long)i);
    }
    return HED_OK;
}

hed_status cloth_contacts_set_state(
    hed_cloth *cloth, cloth_contacts *contacts, const void *state, uint64_t size, hed_error *error)
{
    uint64_t count;
    if (size == 0) return cloth_contacts_reset(cloth, contacts, error);
    memcpy(&count, state, sizeof count);
    const char *places = (const char *)state + sizeof count;
    float4 *known = count ? hed_new(&contacts->allocator, count, sizeof *known, error) : NULL;
    if (count && !known) return HED_ERROR_MEMORY;
    if (count) memcpy(known, places, count * sizeof *known);
    forget_places(contacts);
    contacts->known = known;
    contacts->known_count = (uint32_t)count;
    return cloth_pairs_reset(cloth, contacts->pairing, error);
}

/* ---- life ---- */

void cloth_contact_meshes_destroy(cloth_contacts *contacts)
{
    cloth_buffers_destroy(CLOTH_BUFFERS(&contacts->mb));
    if (contacts->tree) {
        hed_delete(&contacts->allocator, contacts->places, contacts->tree->vertex_count,
            sizeof *contacts->places);
        hed_delete(&contacts->allocator, contacts->sent, contacts->tree->vertex_count,
            sizeof *contacts->sent);
    }
    contacts->places = contacts->sent = NULL;
    cloth_tree_destroy(contacts->tree);
    contacts->tree = NULL;
}
