/* Selection of the features of bodies that the edges and faces of cloth can cross while its
 * vertices keep their thickness from the body.
 *
 * L: longest edge of the cloth, with CLOTH_FEATURE_STRETCH; t: thickness. A point of a triangle is
 * at most L / sqrt(3) from a vertex. Over a body with radius of curvature R a face sinks from R + t
 * to sqrt((R + t)^2 - L^2 / 3) above the centre: a feature if that is less than R and a part of t.
 * Over a convex edge with the angle phi between its faces, the middle of an edge of the cloth sinks
 * by L / 2 sin(phi / 2) below t: a feature if that is more than a part of t. A bent surface is
 * both: R of an edge of a mesh is the distance between its neighbours over phi. Each feature
 * has the smallest L for which it is one: a single long edge does not make a body thin for all
 * cloth.
 *
 * The sides of a cone with many sides are thin near its tip, though no edge of them is sharp. They
 * are one feature, the cone around the tip's axis: as many features as sides would hide the push of
 * the tip, as pushes are means. */
#include "contact/contact_host.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_THICKNESS 0.15f /* part of the thickness that a face has to keep */
#define WIDEST_TIP 0.87f     /* sine of half the angle of a cone, above which a tip is a point */

typedef struct vector {
    float x, y, z;
} vector;

static vector between(float4 a, float4 b) { return (vector){b.x - a.x, b.y - a.y, b.z - a.z}; }
static float dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static float length(vector a) { return sqrtf(dot(a, a)); }

static vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vector unit(vector a)
{
    float size = length(a), scale = size > 0.0f ? 1.0f / size : 0.0f;
    return (vector){a.x * scale, a.y * scale, a.z * scale};
}

static vector face_normal(const cloth_tree *tree, const float4 *places, uint32_t t)
{
    uint4 corner = tree->triangles[t];
    float4 a = places[corner.x];
    return unit(cross(between(a, places[corner.y]), between(a, places[corner.z])));
}

/* The bodies in a frame. */
typedef struct surface {
    const cloth_tree *tree;
    const float4 *places;
    const vector *normals; /* (triangles) */
} surface;

float cloth_feature_minimum_edge(const cloth_feature_scale *scale, float radius)
{
    float t = scale->thickness, kept = KEPT_THICKNESS;
    return sqrtf(3.0f * t * (2.0f * (1.0f - kept) * radius + (1.0f - kept * kept) * t));
}

/* ---- edges ---- */

static uint32_t corner_at(uint4 triangle, uint32_t k)
{
    return k == 0 ? triangle.x : k == 1 ? triangle.y : triangle.z;
}

static uint32_t beyond_at(uint4 edges, uint32_t k)
{
    return k == 0 ? edges.x : k == 1 ? edges.y : edges.z;
}

/* Corner of a triangle that is not on edge a b. */
static uint32_t corner_off(uint4 triangle, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t corner = corner_at(triangle, k);
        if (corner != a && corner != b) return corner;
    }
    return triangle.z;
}

/* Sharpness of edge k of triangle t; 0: cloth feels it through its vertices. `minimum_edge`:
 * out, m, the smallest L for which it is a feature. */
static float edge_sharpness(
    const surface *s, const cloth_feature_scale *scale, uint32_t t, uint32_t k, float *minimum_edge)
{
    const cloth_tree *tree = s->tree;
    const float4 *places = s->places;
    uint4 triangle = tree->triangles[t];
    uint32_t a = corner_at(triangle, k), b = corner_at(triangle, (k + 1) % 3),
             other = beyond_at(tree->edges[t], k);
    *minimum_edge = 0.0f;
    if (other == CLOTH_MESH_NONE) return 4.0f; /* a rim */
    /* counted there; the program's numbers, so that the edge is the same in a tree of another
     * shape */
    if (tree->edges[other].w < tree->edges[t].w) return 0.0f;
    uint32_t far_corner = corner_off(tree->triangles[other], a, b);
    vector normal = s->normals[t], next = s->normals[other],
           along = unit(between(places[a], places[b])),
           across = between(places[a], places[far_corner]),
           back = between(places[a], places[corner_off(triangle, a, b)]);
    if (!(dot(normal, across) < 0.0f)) return 0.0f; /* flat or concave */
    float cosine = fminf(fmaxf(dot(normal, next), -1.0f), 1.0f),
          angle = (float)hed_strict_acos(cosine);
    float width = 0.5f * (length(cross(along, across)) + length(cross(along, back)));
    *minimum_edge =
        2.0f * (1.0f - KEPT_THICKNESS) * scale->thickness / (float)hed_strict_sin(0.5f * angle);
    if (angle > 0.02f)
        *minimum_edge = fminf(*minimum_edge, cloth_feature_minimum_edge(scale, width / angle));
    return *minimum_edge < scale->edge ? angle : 0.0f;
}

/* Sharpness of a convex corner without sharp edges, such as the tip of a cone with many sides.
 * `minimum_edge`: out, m, the smallest L for which it is a feature. */
static float tip_sharpness(
    const surface *s, const cloth_feature_scale *scale, uint32_t vertex, float *minimum_edge)
{
    const cloth_tree *tree = s->tree;
    vector sum = {0}, out = {0};
    float least = 1.0f; /* cosine between the mean direction and the face that deviates most */
    uint32_t first = tree->incident_at[vertex], last = tree->incident_at[vertex + 1];
    for (uint32_t i = first; i < last; i++) {
        vector n = s->normals[tree->incident[i]];
        sum = (vector){sum.x + n.x, sum.y + n.y, sum.z + n.z};
        for (uint32_t k = 0; k < 3; k++) {
            vector d = between(
                s->places[vertex], s->places[corner_at(tree->triangles[tree->incident[i]], k)]);
            out = (vector){out.x + d.x, out.y + d.y, out.z + d.z};
        }
    }
    sum = unit(sum);
    if (first == last || !(dot(sum, out) < 0.0f)) return 0.0f;
    for (uint32_t i = first; i < last; i++)
        least = fminf(least, dot(sum, s->normals[tree->incident[i]]));
    float widest = (float)hed_strict_acos(fmaxf(least, -1.0f));
    *minimum_edge = (1.0f - KEPT_THICKNESS) * scale->thickness /
                    (0.577f * (float)hed_strict_sin(fminf(widest, 1.57f)));
    return *minimum_edge < scale->edge ? widest : 0.0f;
}

/* Axis of a tip, along which the body around it is thin: it ends at a part of the distance to the
 * middle of the corners around the tip. Around it is the cone within the faces. A tip without an
 * axis is a point. */
static void set_axis(
    const surface *s, const cloth_feature_scale *scale, cloth_mesh_feature *feature)
{
    const cloth_tree *tree = s->tree;
    float4 tip = s->places[feature->a], middle = cloth_tip_middle(tree, s->places, feature->a);
    vector axis = between(tip, middle);
    float size = length(axis), sine = 1.0f, part = 1.0f;
    float t = scale->thickness, kept = KEPT_THICKNESS;
    /* radius from which on a body is not thin, m: cloth_feature_minimum_edge(), solved for it */
    float thick = (scale->edge * scale->edge / 3.0f - (1.0f - kept * kept) * t * t) /
                  (2.0f * (1.0f - kept) * t);
    if (!(size > 0.0f && thick > 0.0f)) return;
    for (uint32_t i = tree->incident_at[feature->a]; i < tree->incident_at[feature->a + 1]; i++) {
        uint32_t face = tree->incident[i];
        sine = fminf(sine, -dot(s->normals[face], axis) / size);
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t corner = corner_at(tree->triangles[face], k);
            if (corner != feature->a)
                part = fminf(part, dot(axis, between(tip, s->places[corner])) / (size * size));
        }
    }
    if (!(sine > 0.0f && sine < WIDEST_TIP && part > 0.0f)) return;
    float slope = sine / sqrtf(1.0f - sine * sine);
    feature->part = fminf(part, thick / (slope * size));
    feature->radius = feature->part * slope * size;
}

/* ---- the list ---- */

/* The sharpest first; equals by number. */
static int compare_sharpness(const void *a, const void *b)
{
    const cloth_mesh_feature *p = a, *q = b;
    if (p->sharpness != q->sharpness) return p->sharpness > q->sharpness ? -1 : 1;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

/* Lets each end be owned by the feature with the smallest L, of equals the first. `minimum_at`:
 * (vertices). */
static void own_ends(cloth_mesh_feature *features, uint32_t count, float *minimum_at)
{
    for (uint32_t i = 0; i < count; i++)
        minimum_at[features[i].a] = minimum_at[features[i].b] = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const cloth_mesh_feature *f = features + i;
        minimum_at[f->a] = fminf(minimum_at[f->a], f->minimum_edge);
        minimum_at[f->b] = fminf(minimum_at[f->b], f->minimum_edge);
    }
    for (uint32_t i = 0; i < count; i++) {
        cloth_mesh_feature *f = features + i;
        if (f->minimum_edge == minimum_at[f->a]) f->ends |= 1u;
        if (f->b != f->a && f->minimum_edge == minimum_at[f->b]) f->ends |= 2u;
        if (f->ends & 1u) minimum_at[f->a] = -1.0f;
        if (f->ends & 2u) minimum_at[f->b] = -1.0f;
    }
}

hed_status cloth_feature_room_make(
    const cloth_tree *tree, hed_arena *arena, cloth_feature_room *room, hed_error *error)
{
    uint64_t vertices = tree->vertex_count, triangles = tree->triangle_count;
    room->places = hed_arena_new(arena, vertices, sizeof *room->places, error);
    room->normals = hed_arena_new(arena, triangles, sizeof(vector), error);
    room->is_sharp = hed_arena_new(arena, vertices, sizeof *room->is_sharp, error);
    room->minimum_at = hed_arena_new(arena, vertices, sizeof *room->minimum_at, error);
    room->list = hed_arena_new(arena, 3 * triangles + vertices, sizeof *room->list, error);
    return error->status;
}

uint32_t cloth_feature_select(const cloth_tree *tree, const float4 *places,
    const cloth_feature_scale *scale, cloth_feature_room *room)
{
    uint32_t found = 0;
    vector *normals = room->normals;
    cloth_mesh_feature *list = room->list;
    const surface s = {tree, places, normals};
    memcpy(room->places, places, tree->vertex_count * sizeof *places);
    memset(room->is_sharp, 0, tree->vertex_count);
    for (uint32_t t = 0; t < tree->triangle_count; t++) normals[t] = face_normal(tree, places, t);
    for (uint32_t i = 0; i < 3 * tree->triangle_count; i++) {
        uint32_t t = i / 3, k = i % 3, a = corner_at(tree->triangles[t], k),
                 b = corner_at(tree->triangles[t], (k + 1) % 3);
        float minimum_edge,
            sharpness = a == b ? 0.0f : edge_sharpness(&s, scale, t, k, &minimum_edge);
        if (!(sharpness > 0.0f)) continue;
        room->is_sharp[a] = room->is_sharp[b] = 1;
        list[found++] = (cloth_mesh_feature){.a = a,
            .b = b,
            .face = t,
            .other = beyond_at(tree->edges[t], k),
            .mesh = tree->triangles[t].w,
            .minimum_edge = minimum_edge,
            .sharpness = sharpness};
    }
    for (uint32_t v = 0; v < tree->vertex_count; v++) {
        float minimum_edge,
            sharpness = room->is_sharp[v] ? 0.0f : tip_sharpness(&s, scale, v, &minimum_edge);
        if (!(sharpness > 0.0f)) continue;
        list[found] = (cloth_mesh_feature){.a = v,
            .b = v,
            .face = CLOTH_MESH_NONE,
            .mesh = tree->triangles[tree->incident[tree->incident_at[v]]].w,
            .minimum_edge = minimum_edge,
            .sharpness = sharpness};
        set_axis(&s, scale, &list[found++]);
    }
    qsort(list, found, sizeof *list, compare_sharpness);
    found = found < CLOTH_MAX_MESH_FEATURES ? found : CLOTH_MAX_MESH_FEATURES;
    own_ends(list, found, room->minimum_at);
    return found;
}

float4 cloth_tip_middle(const cloth_tree *tree, const float4 *places, uint32_t tip)
{
    vector sum = {0};
    uint32_t first = tree->incident_at[tip], last = tree->incident_at[tip + 1];
    for (uint32_t i = first; i < last; i++)
        for (uint32_t k = 0; k < 3; k++) {
            vector d =
                between(places[tip], places[corner_at(tree->triangles[tree->incident[i]], k)]);
            sum = (vector){sum.x + d.x, sum.y + d.y, sum.z + d.z};
        }
    float scale = last > first ? 0.5f / (float)(last - first) : 0.0f;
    return (float4){fmaf(sum.x, scale, places[tip].x), fmaf(sum.y, scale, places[tip].y),
        fmaf(sum.z, scale, places[tip].z), 0.0f};
}

float4 cloth_feature_guard(
    const cloth_tree *tree, const float4 *places, const cloth_mesh_feature *feature)
{
    vector sum = {0};
    if (feature->face != CLOTH_MESH_NONE) {
        sum = face_normal(tree, places, feature->face);
        /* a rim has no inside: cloth may be on either side of its face */
        if (feature->other == CLOTH_MESH_NONE) return (float4){0};
        vector next = face_normal(tree, places, feature->other);
        sum = (vector){sum.x + next.x, sum.y + next.y, sum.z + next.z};
    } else {
        for (uint32_t i = tree->incident_at[feature->a]; i < tree->incident_at[feature->a + 1];
             i++) {
            vector n = face_normal(tree, places, tree->incident[i]);
            sum = (vector){sum.x + n.x, sum.y + n.y, sum.z + n.z};
        }
    }
    sum = unit(sum);
    return (float4){sum.x, sum.y, sum.z, 0.0f};
}
