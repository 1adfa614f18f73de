/* Host side of mesh colliders: their vertices are uploaded each frame, the boxes of their tree
 * are refitted, and each particle finds its nearest triangle and the plane of contact
 * (mesh_contact.h).
 *
 * Planes are found at the start of a hed_cloth_step(), in each substep while seams close, and again
 * within it: all where meshes are fast (cloth_frame_substeps()), and the planes of particles that
 * have moved far relative to their planes. A plane moves with the point of its triangle that was
 * nearest. The search covers the thickness and the longest motion of particle and meshes; inside a
 * mesh without a border it has no limit. */
#include "contact/contact_host.h"

#include "object/division.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* m/s, speed at which a particle leaves the inside of a mesh; it then rises 3 mm */
#define COME_OUT 0.25

/* ---- the tree ---- */

/* Makes room for planes of contact, all 0, if there is none. */
static hed_status make_planes(hed_cloth *cloth, hed_error *error)
{
    if (!cloth->buffers.contact)
        cloth_upload(cloth, NULL, 16 * CLOTH_CONTACT_WORDS * (uint64_t)cloth->particles,
            &cloth->buffers.contact, error);
    return error->status;
}

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
    cloth_upload(cloth, NULL, 16 * (uint64_t)cloth->particles, &contacts->mb.anchors, error);
    return make_planes(cloth, error);
}

/* Makes and uploads the tree, in the first frame with meshes. */
static hed_status make_tree(
    hed_cloth *cloth, cloth_contacts *contacts, const hed_cloth_frame *frame, hed_error *error)
{
    hed_status status = cloth_tree_create(
        &cloth->allocator, frame->meshes, frame->mesh_count, &contacts->tree, error);
    if (status) return status;
    uint32_t count = contacts->tree->vertex_count;
    contacts->places = hed_new(&cloth->allocator, count, sizeof *contacts->places, error);
    contacts->sent = hed_new(&cloth->allocator, count, sizeof *contacts->sent, error);
    contacts->began = hed_new(&cloth->allocator, count, sizeof *contacts->began, error);
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

/* Uploads the positions relative to the present origin. */
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

/* ---- motion ---- */

/* Stores the positions at the frame's beginning where the program passes them; they move with the
 * frame of reference, as former positions do. Other meshes of a first frame begin at their end. */
static void take_starts(cloth_contacts *contacts, const hed_cloth_frame *frame)
{
    float4 *place = contacts->places;
    bool jumped = contacts->jumped;
    for (uint32_t m = 0; m < frame->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &frame->meshes[m];
        const float *from = mesh->start_positions ? mesh->start_positions : mesh->positions;
        if (mesh->start_positions) contacts->jumped = false;
        for (uint32_t v = 0; v < mesh->vertex_count; v++, place++, from += 3) {
            if (mesh->start_positions && frame->motion)
                cloth_point_through(frame->motion, from, &place->x);
            else if (mesh->start_positions || jumped)
                *place = (float4){from[0], from[1], from[2], 0.0f};
        }
    }
}

/* Stores the frame's vertices. Returns the longest motion of a vertex, m. */
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

/* Uploads the frame's meshes; without meshes in the frame they are at rest. Sets the positions and
 * the longest motion of the frame. */
static hed_status contact_feed(
    hed_cloth *cloth, cloth_contacts *contacts, const hed_cloth_frame *frame, hed_error *error)
{
    bool moved = false;
    for (uint32_t m = 0; m < frame->mesh_count; m++)
        moved |= frame->meshes[m].start_positions != NULL;
    if (moved) take_starts(contacts, frame);
    for (int k = 0; k < 3; k++) moved |= contacts->origin[k] != cloth->origin[k];
    if (moved && !contacts->jumped) send_places(cloth, contacts, error);
    if (hed_failed(error)) return error->status;
    uint64_t bytes = contacts->tree->vertex_count * sizeof *contacts->began;
    memcpy(contacts->began, contacts->sent, bytes);
    contacts->move = 0.0;
    contacts->begin = contacts->mb.place[contacts->turn];
    if (frame->mesh_count > 0) {
        contacts->move = take_places(contacts, frame);
        contacts->turn ^= 1u;
        send_kinds(cloth, contacts, frame, error);
        send_places(cloth, contacts, error);
    }
    contacts->end = contacts->mb.place[contacts->turn];
    if (contacts->jumped) {
        contacts->begin = contacts->end;
        memcpy(contacts->began, contacts->sent, bytes);
    }
    contacts->jumped = false;
    return error->status;
}

/* Positions of the meshes' vertices at the last frame's end; NULL: unknown. */
static const float4 *last_places(const cloth_contacts *contacts, const hed_cloth_frame *frame)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < frame->mesh_count; m++) count += frame->meshes[m].vertex_count;
    if (!contacts) return NULL;
    if (contacts->known) return contacts->known_count == count ? contacts->known : NULL;
    return contacts->tree && !contacts->jumped && contacts->tree->vertex_count == count
               ? contacts->places
               : NULL;
}

/* Position of a vertex of a mesh at the frame's start, after the frame's motion. */
static void place_before(
    const hed_cloth_frame *frame, uint32_t mesh, const float4 *last, uint32_t v, float *from)
{
    const float *starts = frame->meshes[mesh].start_positions,
                *at = starts ? starts + 3 * (size_t)v : &last[v].x;
    if (frame->motion) cloth_point_through(frame->motion, at, from);
    else memcpy(from, at, 3 * sizeof *from);
}

void cloth_contacts_sum_motions(
    const cloth_contacts *contacts, const hed_cloth_frame *frame, cloth_motions *motions)
{
    const float4 *last = last_places(contacts, frame);
    for (uint32_t m = 0; m < frame->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &frame->meshes[m];
        for (uint32_t v = 0; v < mesh->vertex_count && (last || mesh->start_positions); v++) {
            float from[3];
            place_before(frame, m, last, v, from);
            cloth_motions_sum(motions, from, mesh->positions + 3 * (size_t)v);
        }
        if (last) last += mesh->vertex_count;
    }
}

void cloth_contacts_motions(
    const cloth_contacts *contacts, const hed_cloth_frame *frame, cloth_motions *motions)
{
    const float4 *last = last_places(contacts, frame);
    for (uint32_t m = 0; m < frame->mesh_count; m++) {
        const hed_cloth_mesh_collider *mesh = &frame->meshes[m];
        bool is_known = last || mesh->start_positions;
        cloth_sweep whole = cloth_sweep_start();
        float from[3];
        for (uint32_t v = 0; v < mesh->vertex_count && is_known; v++) {
            place_before(frame, m, last, v, from);
            cloth_sweep_add(&whole, motions, from, mesh->positions + 3 * (size_t)v, 0);
        }
        bool is_near = is_known && cloth_sweep_counts(&whole, motions);
        for (uint32_t t = 0; t < mesh->triangle_count && is_near; t++) {
            cloth_sweep triangle = cloth_sweep_start();
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t v = mesh->triangles[3 * (size_t)t + k];
                if (v >= mesh->vertex_count) continue; /* cloth_contacts_find() refuses the frame */
                place_before(frame, m, last, v, from);
                cloth_sweep_add(&triangle, motions, from, mesh->positions + 3 * (size_t)v, 0);
            }
            if (cloth_sweep_counts(&triangle, motions)) motions->longest = triangle.longest;
        }
        if (last) last += mesh->vertex_count;
    }
}

HED_VIEW_LAUNCH(mesh_boxes_launch, MESH_BOXES)
HED_VIEW_LAUNCH(mesh_find_launch, MESH_FIND)

/* Makes the boxes of the tree around the motion between two fractions of the frame. */
static hed_status make_boxes(
    hed_cloth *cloth, cloth_contacts *contacts, double from, double to, hed_error *error)
{
    uint32_t leaves = contacts->tree->leaves;
    for (uint32_t row = leaves; row > 0;) {
        if (cloth_contact_run(cloth, contacts, CLOTH_MESH_BOXES, row,
                HED_VIEW_ARGS(mesh_boxes_launch, .boxes = contacts->mb.boxes,
                    .leaf_at = contacts->mb.leaf_at, .triangles = contacts->mb.triangles,
                    .begin = contacts->begin, .end = contacts->end, .from = (float)from,
                    .to = (float)to, .row = row, .leaves = leaves),
                error))
            return error->status;
        hed_config config = hed_kernel_config(contacts->kernels[CLOTH_MESH_BOXES], NULL);
        row /= 2 * (uint32_t)config.values[0]; /* a group refits up to one node */
    }
    return HED_OK;
}

/* Longest motion by gravity, m. */
static float fall_of(const hed_cloth_frame *frame, double seconds)
{
    const float *gravity = frame->gravity;
    double pull = sqrt((double)gravity[0] * gravity[0] + (double)gravity[1] * gravity[1] +
                       (double)gravity[2] * gravity[2]);
    return (float)(0.5 * pull * seconds * seconds);
}

/* Enqueues the search. */
static hed_status enqueue_find(
    hed_cloth *cloth, cloth_contacts *contacts, cloth_meshes meshes, hed_error *error)
{
    const cloth_mesh_buffers *b = &contacts->mb;
    meshes.particles = cloth->particles;
    meshes.leaves = contacts->tree->leaves;
    for (uint32_t m = 0; m < contacts->tree->mesh_count; m++)
        meshes.closed |= contacts->tree->closed[m];
    return cloth_contact_run(cloth, contacts, CLOTH_MESH_FIND, cloth->particles,
        HED_VIEW_ARGS(mesh_find_launch, .boxes = b->boxes, .leaf_at = b->leaf_at,
            .triangles = b->triangles, .edges = b->edges, .incident_at = b->incident_at,
            .incident = b->incident, .kinds = b->kinds, .begin = contacts->begin,
            .end = contacts->end, .position = cloth->buffers.position,
            .previous = cloth->buffers.previous, .garments = cloth->buffers.garments,
            .contact = cloth->buffers.contact, .anchors = b->anchors, .meshes = meshes),
        error);
}

hed_status cloth_contacts_find(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, double seconds, double until, hed_error *error)
{
    hed_status status = HED_OK;
    if (frame->mesh_count > 0)
        status = contacts->tree ? check_same(contacts->tree, frame, error)
                                : make_tree(cloth, contacts, frame, error);
    if (status || !contacts->tree) return status;
    if (contacts->known) { /* positions of a saved state */
        memcpy(contacts->places, contacts->known, contacts->known_count * sizeof *contacts->known);
        contacts->jumped = false;
        forget_known(contacts);
        send_places(cloth, contacts, error);
    }
    if (contact_feed(cloth, contacts, frame, error) ||
        make_boxes(cloth, contacts, 0.0, until, error))
        return error->status;
    cloth_meshes meshes = {
        .ahead = cloth->last_dt > 0.0f ? (float)(seconds / cloth->last_dt) : 0.0f,
        .fall = fall_of(frame, seconds),
        .move = (float)contacts->move,
        .come_out = (float)(COME_OUT * seconds),
        .until = (float)until};
    return enqueue_find(cloth, contacts, meshes, error);
}

hed_status cloth_contacts_find_again(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, cloth_search search, hed_error *error)
{
    if (hed_failed(error) || !contacts->tree) return error->status; /* a state without meshes yet */
    cloth_meshes meshes = {.slip = (float)search.slip,
        .ahead = (float)search.substeps,
        .fall = fall_of(frame, search.substeps * search.dt),
        .move = (float)contacts->move,
        .come_out = (float)(COME_OUT * frame->seconds * frame->frames),
        .fraction = (float)search.fraction,
        .until = (float)search.until};
    if (contacts->move > 0.0 && !(search.slip > 0.0) &&
        make_boxes(cloth, contacts, search.fraction, search.until, error))
        return error->status;
    return enqueue_find(cloth, contacts, meshes, error);
}

void cloth_contacts_move(cloth_contacts *contacts, const float *matrix)
{
    if (!contacts || !(contacts->tree || contacts->known)) return;
    uint32_t count = contacts->known ? contacts->known_count : contacts->tree->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        float4 *place = contacts->known ? &contacts->known[v] : &contacts->places[v];
        const float from[3] = {place->x, place->y, place->z};
        cloth_point_through(matrix, from, &place->x);
    }
    for (int k = 0; k < 3; k++)
        contacts->origin[k] = (double)NAN; /* the uploaded positions are out of date */
}

void cloth_contact_forget_places(cloth_contacts *contacts)
{
    contacts->jumped = true;
    forget_known(contacts);
}

/* ---- cloth that clefts press ---- */

hed_status cloth_meshes_measure(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error)
{
    if (!cloth->buffers.contact) return HED_OK;
    uint64_t count = CLOTH_CONTACT_WORDS * (uint64_t)cloth->particles;
    float4 *planes = hed_new(&cloth->allocator, count, sizeof *planes, error);
    if (!planes) return HED_ERROR_MEMORY;
    hed_read(cloth->stream, planes, cloth->buffers.contact, 0, count * sizeof *planes, error);
    if (!hed_stream_wait(cloth->stream, error->status ? NULL : error))
        for (uint32_t i = 0; i < cloth->own_count; i++)
            quality->body_pressed +=
                (uint64_t)planes[CLOTH_CONTACT_WORDS * (cloth->own_first + i) + 3].w;
    hed_delete(&cloth->allocator, planes, count, sizeof *planes);
    return error->status;
}

hed_status cloth_meshes_reset(hed_cloth *cloth, hed_error *error)
{
    hed_buffer *contact = cloth->buffers.contact;
    if (!contact) return error->status;
    return hed_fill(cloth->stream, contact, 0,
        16 * CLOTH_CONTACT_WORDS * (uint64_t)cloth->particles, &(uint32_t){0}, 4, error);
}

/* ---- saved states: the number of vertices, then their positions ---- */

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

#define CONTACT_ROWS CLOTH_ROWS(contact, 16 * CLOTH_CONTACT_WORDS, 1)
#define STATE_IN_CLEFT 1u /* bit of a saved carry, whose second word has a free half */

hed_status cloth_clefts_save(hed_cloth *cloth, void *carries, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++)
        if (!cloth_part(cloth, i)->buffers.contact) return error->status;
    uint64_t count = CLOTH_CONTACT_WORDS * (uint64_t)cloth->particles;
    float4 *planes = hed_new(&cloth->allocator, count, sizeof *planes, error);
    if (!planes) return HED_ERROR_MEMORY;
    cloth_read_rows(cloth, CONTACT_ROWS, planes, error);
    if (!cloth_wait_parts(cloth, error))
        for (uint32_t i = 0; i < cloth->particles; i++) {
            uint2 carry;
            memcpy(&carry, (char *)carries + i * sizeof carry, sizeof carry);
            if (planes[CLOTH_CONTACT_WORDS * i + 1].w < CLOTH_NO_PLANE) carry.y |= STATE_IN_CLEFT;
            memcpy((char *)carries + i * sizeof carry, &carry, sizeof carry);
        }
    hed_delete(&cloth->allocator, planes, count, sizeof *planes);
    return error->status;
}

/* Writes the planes, and the carries again, without marks. */
static hed_status clefts_write(
    hed_cloth *cloth, const float4 *planes, const uint2 *carries, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++) make_planes(cloth_part(cloth, i), error);
    if (error->status) return error->status;
    cloth_write_rows(cloth, CONTACT_ROWS, planes, error);
    cloth_write_rows(cloth, CLOTH_ROWS(carry, sizeof *carries, 1), carries, error);
    return cloth_wait_parts(cloth, error);
}

hed_status cloth_clefts_load(hed_cloth *cloth, const void *carries, hed_error *error)
{
    const hed_allocator *allocator = &cloth->allocator;
    uint64_t count = cloth->particles, words = CLOTH_CONTACT_WORDS * count;
    bool is_needed = cloth_part(cloth, 0)->buffers.contact != NULL;
    if (!cloth->def.max_collider_triangles) return error->status;
    float4 *planes = hed_new(allocator, words, sizeof *planes, error);
    uint2 *unmarked = hed_new(allocator, count, sizeof *unmarked, error);
    if (planes && unmarked) memcpy(unmarked, carries, count * sizeof *unmarked);
    for (uint32_t i = 0; i < count && planes && unmarked; i++) {
        uint32_t mark = unmarked[i].y & STATE_IN_CLEFT;
        planes[CLOTH_CONTACT_WORDS * i + 1].w = mark ? cloth_two_planes(0.0f) : CLOTH_NO_PLANE;
        unmarked[i].y ^= mark;
        is_needed |= mark != 0;
    }
    if (!error->status && is_needed) clefts_write(cloth, planes, unmarked, error);
    hed_delete(allocator, planes, words, sizeof *planes);
    hed_delete(allocator, unmarked, count, sizeof *unmarked);
    return error->status;
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

void cloth_contact_meshes_destroy(cloth_contacts *contacts)
{
    cloth_buffers_destroy(CLOTH_BUFFERS(&contacts->mb));
    if (contacts->tree) {
        hed_delete(&contacts->allocator, contacts->places, contacts->tree->vertex_count,
            sizeof *contacts->places);
        hed_delete(&contacts->allocator, contacts->sent, contacts->tree->vertex_count,
            sizeof *contacts->sent);
        hed_delete(&contacts->allocator, contacts->began, contacts->tree->vertex_count,
            sizeof *contacts->began);
    }
    contacts->places = contacts->sent = contacts->began = NULL;
    cloth_tree_destroy(contacts->tree);
    contacts->tree = NULL;
}
