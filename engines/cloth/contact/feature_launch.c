/* Host side of thin features of bodies: their positions are written in each frame, with the boxes of
 * a tree over them, and each substep launches a search and a solution (feature_contact.h). Without
 * such features nothing is launched. */
#include "contact/contact_host.h"

#include <math.h>
#include <string.h>

enum { MIN_FEATURE_PAIRS = 16384, FEATURE_PAIRS_A_TRIANGLE = 4, MAX_FEATURE_PAIRS = 1 << 23 };

/* ---- the cloth ---- */

static bool has_triangles(const cloth_garment *garment) { return garment->triangle_count > 0; }

/* Fills the particles of each cluster of triangles, each particle once. */
static void fill_clusters(const contact_triangle *triangles, uint32_t count, uint32_t *cluster_at,
    uint32_t *clusters, uint32_t *last_cluster)
{
    uint32_t at = 0;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t cluster = t / CLOTH_FEATURE_CLUSTER;
        const uint32_t corners[3] = {triangles[t].a, triangles[t].b, triangles[t].c};
        if (t % CLOTH_FEATURE_CLUSTER == 0) cluster_at[cluster] = at;
        for (int k = 0; k < 3 && triangles[t].a != CONTACT_NO_LEAF; k++) {
            if (last_cluster[corners[k]] == cluster + 1) continue;
            last_cluster[corners[k]] = cluster + 1;
            clusters[at++] = corners[k];
        }
    }
    cluster_at[(count + CLOTH_FEATURE_CLUSTER - 1) / CLOTH_FEATURE_CLUSTER] = at;
}

static hed_status upload_cloth(
    hed_cloth *cloth, cloth_features *f, hed_arena *scratch, hed_error *error)
{
    contact_triangle *triangles = NULL;
    cloth_feature_buffers *b = &f->b;
    uint32_t count = 0;
    if (cloth_contact_leaves(cloth, has_triangles, scratch, &triangles, &count, error))
        return error->status;
    uint64_t parts = ((uint64_t)count + CLOTH_FEATURE_CLUSTER - 1) / CLOTH_FEATURE_CLUSTER;
    uint32_t *cluster_at = hed_arena_new(scratch, parts + 1, sizeof *cluster_at, error);
    uint32_t *clusters = hed_arena_new(scratch, 3 * (uint64_t)count, sizeof *clusters, error);
    uint32_t *last = hed_arena_new(scratch, cloth->particles, sizeof *last, error);
    uint32_t *free_words = hed_arena_new(scratch, cloth->particles, sizeof *free_words, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    fill_clusters(triangles, count, cluster_at, clusters, last);
    memset(free_words, 0xff, cloth->particles * sizeof *free_words);
    uint64_t capacity = FEATURE_PAIRS_A_TRIANGLE * (uint64_t)count;
    if (capacity < MIN_FEATURE_PAIRS) capacity = MIN_FEATURE_PAIRS;
    if (capacity > MAX_FEATURE_PAIRS) capacity = MAX_FEATURE_PAIRS;
    f->params.triangles = count;
    f->params.capacity = (uint)capacity;
    f->params.own_first = cloth->own_first;
    f->params.own_count = cloth->own_count;
    cloth_upload(cloth, triangles, count * sizeof *triangles, &b->triangles, error);
    cloth_upload(cloth, cluster_at, (parts + 1) * sizeof *cluster_at, &b->cluster_at, error);
    cloth_upload(cloth, clusters, 3 * (uint64_t)count * sizeof *clusters, &b->clusters, error);
    cloth_upload(cloth, NULL, capacity * sizeof(feature_pair), &b->pairs, error);
    cloth_upload(cloth, NULL, capacity * sizeof(feature_touch), &b->touches, error);
    cloth_upload(cloth, NULL, sizeof(feature_counters), &b->counters, error);
    cloth_upload(cloth, NULL, 4 * sizeof(int) * (uint64_t)cloth->particles, &b->sums, error);
    return cloth_upload(
        cloth, free_words, sizeof(uint) * (uint64_t)cloth->particles, &b->fractions, error);
}

static void set_scale(const hed_cloth *cloth, cloth_features *f)
{
    const hed_cloth *whole = cloth_whole(cloth);
    float thinnest = 1e9f, thickest = 0.0f;
    for (uint32_t g = 0; g < whole->garment_count; g++) {
        if (!has_triangles(whole->garments[g])) continue;
        thinnest = fminf(thinnest, whole->garments[g]->thickness);
        thickest = fmaxf(thickest, whole->garments[g]->thickness);
    }
    f->scale.edge = CLOTH_FEATURE_STRETCH * cloth_longest_edge(whole, has_triangles);
    f->scale.thickness = fmaxf(thinnest, FEATURE_MIN_CLEARANCE);
    f->params.max_thickness = thickest;
    f->params.max_edge = f->scale.edge;
}

hed_status cloth_features_create(hed_cloth *cloth, cloth_features **features, hed_error *error)
{
    cloth_features *f = *features = hed_new(&cloth->allocator, 1, sizeof *f, error);
    if (!f) return HED_ERROR_MEMORY;
    f->arena = (hed_arena){.allocator = cloth->allocator, .owner = "features of bodies"};
    set_scale(cloth, f);
    return HED_OK;
}

void cloth_features_destroy(hed_cloth *cloth, cloth_features *f)
{
    if (!f) return;
    cloth_buffers_destroy(CLOTH_BUFFERS(&f->b));
    hed_delete(&cloth->allocator, f->memory, f->room, CLOTH_FEATURE_ROW);
    hed_arena_free(&f->arena);
    hed_delete(&cloth->allocator, f, 1, sizeof *f);
}

/* ---- positions of a frame ---- */

/* Writes the features of a frame, in any order. Returns their number; `words` NULL: counts alone. */
static uint32_t fill_words(
    const cloth_contacts *contacts, const float4 *colliders, uint32_t count, float4 *words)
{
    const cloth_features *f = contacts->features;
    uint32_t number = 0;
    for (uint32_t i = 0; i < count; i++, colliders += CLOTH_COLLIDER_WORDS) {
        float4 kind = colliders[4];
        bool capsule = kind.x == (float)HED_CLOTH_CAPSULE;
        float radius = fminf(colliders[0].w, colliders[2].w);
        if (capsule) radius = fminf(radius, fminf(colliders[1].w, colliders[3].w));
        float minimum_edge = cloth_feature_minimum_edge(&f->scale, radius);
        if (kind.x == (float)HED_CLOTH_PLANE || !(minimum_edge < f->scale.edge)) continue;
        if (words) {
            float4 *to = words + FEATURE_WORDS * number;
            memcpy(to, colliders, 4 * sizeof *to);
            if (!capsule) to[1] = to[0], to[3] = to[2];
            to[4] = (float4){0.0f, 0.0f, 0.0f, kind.y};
            to[5] = (float4){capsule ? 7.0f : 1.0f, minimum_edge, 0.0f, 0.0f};
        }
        number++;
    }
    for (uint32_t i = 0; i < f->mesh_count; i++, number++) {
        const cloth_mesh_feature *from = f->selection.list + i;
        if (!words) continue;
        float4 *to = words + FEATURE_WORDS * number;
        to[0] = contacts->began[from->a];
        to[1] = contacts->began[from->b];
        to[2] = contacts->sent[from->a];
        to[3] = contacts->sent[from->b];
        if (from->part > 0.0f) {
            to[1] = cloth_ball(
                to[0], cloth_tip_middle(contacts->tree, contacts->began, from->a), from->part);
            to[3] = cloth_ball(
                to[2], cloth_tip_middle(contacts->tree, contacts->sent, from->a), from->part);
        }
        for (int k = 0; k < 4; k++) to[k].w = k % 2 ? from->radius : 0.0f;
        to[4] = cloth_feature_guard(contacts->tree, contacts->sent, from);
        to[4].w = f->friction[from->mesh];
        to[5] = (float4){(float)(from->ends | (from->a != from->b || from->part > 0.0f ? 4u : 0u)),
            from->minimum_edge, 0.0f, 0.0f};
    }
    return number;
}

/* Box of a feature's motion in the frame; w: squares of the longest edges of triangles that feel
 * it. */
static void feature_bounds(const float4 *words, float4 *low, float4 *high)
{
    float shortest = words[5].y / CLOTH_FEATURE_STRETCH;
    *low = (float4){3e38f, 3e38f, 3e38f, shortest * shortest};
    *high = (float4){-3e38f, -3e38f, -3e38f, 3e38f};
    for (int k = 0; k < 4; k++) {
        float4 at = words[k];
        *low = (float4){fminf(low->x, at.x - at.w), fminf(low->y, at.y - at.w),
            fminf(low->z, at.z - at.w), low->w};
        *high = (float4){fmaxf(high->x, at.x + at.w), fmaxf(high->y, at.y + at.w),
            fmaxf(high->z, at.z + at.w), high->w};
    }
}

/* Memory for `count` features: words as made, words and boxes as sent, the order. */
static hed_status make_room(hed_cloth *cloth, cloth_features *f, uint32_t count, hed_error *error)
{
    uint32_t leaves = 1;
    while (leaves < count) leaves *= 2;
    if (f->room >= leaves) return HED_OK;
    hed_delete(&cloth->allocator, f->memory, f->room, CLOTH_FEATURE_ROW);
    f->room = 0;
    f->memory = hed_new(&cloth->allocator, leaves, CLOTH_FEATURE_ROW, error);
    if (!f->memory) return HED_ERROR_MEMORY;
    f->room = leaves;
    f->words = (float4 *)f->memory;
    f->sent = f->words + (size_t)FEATURE_WORDS * leaves;
    f->boxes = f->sent + (size_t)FEATURE_WORDS * leaves;
    f->order = (uint32_t *)(f->boxes + 4 * (size_t)leaves);
    f->count = 0; /* the order is made again */
    hed_buffer_destroy(f->b.features);
    hed_buffer_destroy(f->b.boxes);
    f->b.features = f->b.boxes = NULL;
    cloth_upload(
        cloth, NULL, FEATURE_WORDS * sizeof(float4) * (uint64_t)leaves, &f->b.features, error);
    return cloth_upload(cloth, NULL, 4 * sizeof(float4) * (uint64_t)leaves, &f->b.boxes, error);
}

/* Orders the features for the leaves of their tree. */
static hed_status order_features(cloth_features *f, uint32_t count, hed_error *error)
{
    hed_arena scratch = {.allocator = f->arena.allocator, .owner = "features of bodies"};
    uint32_t leaves = 1;
    while (leaves < count) leaves *= 2;
    uint32_t *leaf_at = hed_arena_new(&scratch, (uint64_t)leaves + 1, sizeof *leaf_at, error);
    float(*centres)[3] = hed_arena_new(&scratch, count, sizeof *centres, error);
    if (!scratch.failed) {
        for (uint32_t i = 0; i < count; i++) {
            const float4 *words = f->words + FEATURE_WORDS * (size_t)i;
            f->order[i] = i;
            centres[i][0] = words[0].x + words[1].x;
            centres[i][1] = words[0].y + words[1].y;
            centres[i][2] = words[0].z + words[1].z;
        }
        for (uint32_t i = 0; i <= leaves; i++) leaf_at[i] = i < count ? i : count;
        cloth_tree_order(leaf_at, f->order, (const float(*)[3])centres, 0, leaves);
        f->count = count;
        f->params.leaves = leaves;
    }
    hed_arena_free(&scratch);
    return error->status;
}

/* Uploads the features in order with their boxes, unless they are as they were. */
static hed_status send_features(hed_cloth *cloth, cloth_features *f, hed_error *error)
{
    uint32_t leaves = f->params.leaves;
    bool is_same = f->is_sent;
    for (uint32_t i = 0; i < f->count; i++) {
        const float4 *from = f->words + FEATURE_WORDS * (size_t)f->order[i];
        float4 *to = f->sent + FEATURE_WORDS * (size_t)i;
        is_same = is_same && memcmp(to, from, FEATURE_WORDS * sizeof *to) == 0;
        memcpy(to, from, FEATURE_WORDS * sizeof *to);
    }
    if (is_same) return HED_OK;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        float4 *box = f->boxes + 2 * (size_t)(leaves + leaf);
        if (leaf < f->count) feature_bounds(f->sent + FEATURE_WORDS * (size_t)leaf, box, box + 1);
        else
            box[0] = (float4){3e38f, 3e38f, 3e38f, 3e38f},
            box[1] = (float4){-3e38f, -3e38f, -3e38f, -3e38f};
    }
    for (uint32_t node = leaves - 1; node > 0; node--) {
        const float4 *a = f->boxes + 4 * (size_t)node, *b = a + 2;
        f->boxes[2 * node] =
            (float4){fminf(a->x, b->x), fminf(a->y, b->y), fminf(a->z, b->z), fminf(a->w, b->w)};
        f->boxes[2 * node + 1] = (float4){fmaxf(a[1].x, b[1].x), fmaxf(a[1].y, b[1].y),
            fmaxf(a[1].z, b[1].z), fmaxf(a[1].w, b[1].w)};
    }
    f->is_sent = true;
    cloth_send(cloth, f->b.features, 0, f->sent,
        FEATURE_WORDS * sizeof(float4) * (uint64_t)f->count, error);
    return cloth_send(cloth, f->b.boxes, 0, f->boxes, 4 * sizeof(float4) * (uint64_t)leaves, error);
}

/* Selects the features of the meshes, again after each frame in which a vertex has moved: edges of a
 * body that bends become sharp, or flat. */
static hed_status select_mesh(
    cloth_contacts *contacts, const hed_cloth_frame *frame, hed_error *error)
{
    cloth_features *f = contacts->features;
    const cloth_tree *tree = contacts->tree;
    if (!tree || (!f->has_meshes && frame->mesh_count == 0)) return HED_OK;
    if (!f->has_meshes) {
        f->friction = hed_arena_new(&f->arena, tree->mesh_count, sizeof *f->friction, error);
        if (cloth_feature_room_make(tree, &f->arena, &f->selection, error)) return error->status;
    } else if (memcmp(f->selection.places, contacts->sent,
                   tree->vertex_count * sizeof *contacts->sent) == 0) {
        return HED_OK;
    }
    f->mesh_count = cloth_feature_select(tree, contacts->sent, &f->scale, &f->selection);
    f->has_meshes = true;
    f->count = 0; /* the order is made again */
    return HED_OK;
}

hed_status cloth_features_feed(hed_cloth *cloth, cloth_contacts *contacts,
    const hed_cloth_frame *frame, const float4 *colliders, uint32_t count, hed_error *error)
{
    if (!contacts || !contacts->features) return HED_OK;
    cloth_features *f = contacts->features;
    if (!(f->scale.edge > 0.0f)) return HED_OK;
    if (select_mesh(contacts, frame, error)) return error->status;
    for (uint32_t m = 0; m < frame->mesh_count; m++) f->friction[m] = frame->meshes[m].friction;
    uint32_t number = fill_words(contacts, colliders, count, NULL);
    if (number > FEATURE_MAX_COUNT) number = FEATURE_MAX_COUNT;
    f->is_active = number > 0;
    if (!number) return HED_OK;
    if (!f->b.triangles) {
        hed_arena scratch = {.allocator = cloth->allocator, .owner = "features of bodies"};
        upload_cloth(cloth, f, &scratch, error);
        hed_arena_free(&scratch);
    }
    if (hed_failed(error) || make_room(cloth, f, number, error)) return error->status;
    fill_words(contacts, colliders, count, f->words);
    if (f->count != number) {
        f->is_sent = false;
        if (order_features(f, number, error)) return error->status;
    }
    return send_features(cloth, f, error);
}

bool cloth_contacts_have_features(const cloth_contacts *contacts)
{
    return contacts && contacts->features && contacts->features->is_active;
}

/* ---- a substep ---- */

HED_VIEW_LAUNCH(feature_find_launch, FEATURE_FIND)
HED_VIEW_LAUNCH(feature_solve_launch, FEATURE_SOLVE)

hed_status cloth_contacts_features(
    hed_cloth *cloth, cloth_contacts *contacts, const cloth_step *step, hed_error *error)
{
    cloth_features *f = contacts->features;
    const cloth_feature_buffers *b = &f->b;
    const cloth_buffers *c = &cloth->buffers;
    f->params.from = step->from;
    f->params.to = step->to;
    f->params.apart = cloth->is_apart;
    cloth_contact_run(cloth, contacts, CLOTH_FEATURE_FIND, f->params.triangles,
        HED_VIEW_ARGS(feature_find_launch, .features = b->features, .boxes = b->boxes,
            .garments = c->garments, .previous = c->previous, .triangles = b->triangles,
            .cluster_at = b->cluster_at, .clusters = b->clusters, .position = c->position,
            .pairs = b->pairs, .touches = b->touches, .counters = b->counters, .params = f->params),
        error);
    return cloth_contact_run(cloth, contacts, CLOTH_FEATURE_SOLVE, f->params.triangles,
        HED_VIEW_ARGS(feature_solve_launch, .features = b->features, .boxes = b->boxes,
            .garments = c->garments, .previous = c->previous, .pairs = b->pairs,
            .touches = b->touches, .position = c->position, .sums = b->sums,
            .fractions = b->fractions, .counters = b->counters, .params = f->params),
        error);
}

hed_status cloth_features_measure(
    hed_cloth *cloth, cloth_features *f, hed_cloth_metrics *quality, hed_error *error)
{
    feature_counters counters = {0};
    if (!f || !f->b.counters) return HED_OK;
    hed_read(cloth->stream, &counters, f->b.counters, 0, sizeof counters, error);
    if (hed_stream_wait(cloth->stream, error->status ? NULL : error)) return error->status;
    quality->body_pairs_most = (uint32_t)counters.max_pairs;
    quality->body_pressed = (uint64_t)(uint32_t)counters.pressed + (uint32_t)counters.dropped;
    return error->status;
}

hed_status cloth_features_reset(hed_cloth *cloth, cloth_features *f, hed_error *error)
{
    if (!f || !f->b.counters) return error->status;
    return hed_fill(
        cloth->stream, f->b.counters, 0, sizeof(feature_counters), &(uint32_t){0}, 4, error);
}
