/* Colliders of a scene file, the ground among them, and the shapes to show for them. */
#include "model/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAU 6.28318530717958647692
enum {
    AROUND = 48,
    RINGS = 12, /* of a shown sphere, from pole to middle */
};

static const char *const KINDS[] = {"plane", "sphere", "capsule", "mesh", NULL};

/* ---- shapes to show ---- */

/* Room for a shape whose vertices lie in `rings` rings of `around`. */
static bool make_rings(cloth_scene_reader *reader, hed_json_node node, uint32_t rings,
    uint32_t around, cloth_body *shown, float **vertices)
{
    uint32_t *triangles = cloth_scene_allocate(
                 reader, node, 2 * (uint64_t)(rings - 1) * around, 3 * sizeof *triangles),
             *next = triangles;
    *vertices = cloth_scene_allocate(reader, node, (uint64_t)rings * around, 3 * sizeof **vertices);
    shown->now =
        cloth_scene_allocate(reader, node, (uint64_t)rings * around, 3 * sizeof *shown->now);
    if (!triangles || !*vertices || !shown->now) return false;
    for (uint32_t ring = 0; ring + 1 < rings; ring++)
        for (uint32_t i = 0; i < around; i++) {
            uint32_t a = ring * around + i, b = ring * around + (i + 1) % around;
            const uint32_t cut[6] = {a, b, b + around, a, b + around, a + around};
            memcpy(next, cut, sizeof cut);
            next += 6;
        }
    shown->rest = *vertices;
    shown->vertex_count = rings * around;
    shown->triangles = triangles;
    shown->triangle_count = 2 * (rings - 1) * around;
    return true;
}

/* Two directions across `axis`. */
static void span_plane(const double axis[3], double u[3], double v[3])
{
    int least = fabs(axis[0]) < 0.6 ? 0 : 1;
    double helper[3] = {least == 0, least == 1, 0}, length = 0;
    for (int k = 0; k < 3; k++)
        u[k] = axis[(k + 1) % 3] * helper[(k + 2) % 3] - axis[(k + 2) % 3] * helper[(k + 1) % 3];
    for (int k = 0; k < 3; k++) length += u[k] * u[k];
    for (int k = 0; k < 3; k++) u[k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        v[k] = axis[(k + 1) % 3] * u[(k + 2) % 3] - axis[(k + 2) % 3] * u[(k + 1) % 3];
}

/* A sphere (both ends the same) or a capsule: two caps, and the cone that touches both between
 * them. */
static void show_capsule(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *made)
{
    const hed_cloth_collider *c = &made->simple;
    bool sphere = c->shape == HED_CLOTH_SPHERE;
    double axis[3] = {0, 1, 0}, u[3], v[3], way[3], length = 0;
    for (int k = 0; k < 3; k++) way[k] = sphere ? 0 : (double)c->b[k] - c->a[k];
    for (int k = 0; k < 3; k++) length += way[k] * way[k];
    length = sqrt(length);
    for (int k = 0; k < 3 && length > 0; k++) axis[k] = way[k] / length;
    span_plane(axis, u, v);
    double ra = c->radius[0], rb = sphere ? ra : c->radius[1];
    double lean = length > 0 ? asin(fmin(fmax((ra - rb) / length, -1.0), 1.0)) : 0;
    float *vertices;
    if (!make_rings(reader, node, 2 * (RINGS + 1), AROUND, &made->shown, &vertices)) return;
    for (uint32_t ring = 0; ring < 2 * (RINGS + 1); ring++) {
        bool second = ring > RINGS;
        double part = (double)(second ? ring - RINGS - 1 : ring) / RINGS, radius = second ? rb : ra;
        double angle = second ? lean + part * (TAU / 4 - lean) : -TAU / 4 + part * (lean + TAU / 4);
        for (uint32_t i = 0; i < AROUND; i++) {
            double turn = TAU * i / AROUND, along = radius * sin(angle) + (second ? length : 0),
                   away = radius * cos(angle);
            for (int k = 0; k < 3; k++)
                vertices[3 * ((size_t)ring * AROUND + i) + k] =
                    (float)(c->a[k] + along * axis[k] +
                            away * (cos(turn) * u[k] + sin(turn) * v[k]));
        }
    }
}

/* A square of a plane around the place that is nearest to the garments. The ground, which has no
 * end, is left to the picture. */
static void show_plane(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *made)
{
    const hed_cloth_collider *c = &made->simple;
    const hed_cloth_scene *scene = reader->scene;
    double centre[3] = {0}, size = 0, away = 0, axis[3], u[3], v[3], low[3], high[3];
    float *vertices;
    if (c->b[scene->def.up] > 0.999f) return;
    cloth_scene_bounds(scene, low, high);
    for (int k = 0; k < 3; k++) {
        axis[k] = c->b[k];
        centre[k] = (low[k] + high[k]) / 2;
        size = fmax(size, high[k] - low[k]);
        away += axis[k] * (centre[k] - c->a[k]);
    }
    span_plane(axis, u, v);
    if (!make_rings(reader, node, 2, 2, &made->shown, &vertices)) return;
    for (int i = 0; i < 4; i++) {
        double s = i % 2 ? size : -size, t = i / 2 ? size : -size;
        for (int k = 0; k < 3; k++)
            vertices[3 * i + k] = (float)(centre[k] - away * axis[k] + s * u[k] + t * v[k]);
    }
    made->shown.triangle_count = 2; /* of a ring that is not closed */
}

static void show_mesh(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *made)
{
    if (!made->body) return;
    made->shown = (cloth_body){.vertex_count = made->body->vertex_count,
        .triangle_count = made->body->triangle_count, .triangles = made->body->triangles,
        .rest = made->body->now};
    made->shown.now =
        cloth_scene_allocate(reader, node, made->shown.vertex_count, 3 * sizeof *made->shown.now);
}

/* ---- reading ---- */

static void to_floats(const double *from, float *to)
{
    for (int k = 0; k < 3; k++) to[k] = (float)from[k];
}

static void read_plane(cloth_scene_reader *reader, hed_json_node node, hed_cloth_collider *plane)
{
    double point[3] = {0}, normal[3] = {0};
    hed_json_only(node, cloth_keys_plane);
    cloth_scene_point(reader, hed_json_member(node, "point"), point);
    cloth_scene_direction(reader, hed_json_member(node, "normal"), normal);
    plane->shape = HED_CLOTH_PLANE;
    to_floats(point, plane->a);
    to_floats(normal, plane->b);
}

static void read_sphere(cloth_scene_reader *reader, hed_json_node node, hed_cloth_collider *sphere)
{
    double centre[3] = {0};
    hed_json_only(node, cloth_keys_sphere);
    cloth_scene_point(reader, hed_json_member(node, "centre"), centre);
    hed_json_member(node, "radius");
    sphere->shape = HED_CLOTH_SPHERE;
    sphere->radius[0] = sphere->radius[1] =
        (float)cloth_scene_length(reader, node, "radius", 0, 1e-6);
    to_floats(centre, sphere->a);
}

static void read_capsule(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_collider *capsule)
{
    double from[3] = {0}, to[3] = {0}, radius[2] = {0}, unit = reader->scene->unit;
    hed_json_only(node, cloth_keys_capsule);
    cloth_scene_point(reader, hed_json_member(node, "from"), from);
    cloth_scene_point(reader, hed_json_member(node, "to"), to);
    hed_json_node given = hed_json_member(node, "radius");
    if (hed_json_kind_of(given) == HED_JSON_ARRAY)
        hed_json_numbers(given, radius, 2, 1e-6, CLOTH_SCENE_FAR / unit);
    else radius[0] = radius[1] = hed_json_number(given, 1e-6, CLOTH_SCENE_FAR / unit);
    capsule->shape = HED_CLOTH_CAPSULE;
    to_floats(from, capsule->a);
    to_floats(to, capsule->b);
    for (int i = 0; i < 2; i++) capsule->radius[i] = (float)(unit * radius[i]);
}

static void read_collider(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *made)
{
    static const char *const only_meshes[] = {"transform", "sequence", "mend", NULL};
    hed_json_only(node, cloth_keys_collider);
    made->kind = (cloth_obstacle_kind)cloth_scene_one_of(reader, node, KINDS);
    made->friction = (float)cloth_scene_number(node, "friction", 0.5, 0, 10);
    cloth_scene_colour(node, made->colour);
    if (!cloth_scene_fine(reader)) return;
    hed_json_node shape = hed_json_member(node, KINDS[made->kind]);
    if (made->kind == CLOTH_OBSTACLE_MESH) {
        made->body = cloth_scene_read_body(reader, node, false);
        show_mesh(reader, node, made);
        return;
    }
    for (const char *const *key = only_meshes; *key; key++)
        if (hed_json_has(node, *key))
            cloth_scene_reject(reader, HED_ERROR_FORMAT, node, "\"%s\" is for a \"mesh\"", *key);
    if (made->kind == CLOTH_OBSTACLE_PLANE) read_plane(reader, shape, &made->simple);
    if (made->kind == CLOTH_OBSTACLE_SPHERE) read_sphere(reader, shape, &made->simple);
    if (made->kind == CLOTH_OBSTACLE_CAPSULE) read_capsule(reader, shape, &made->simple);
    if (hed_json_has(node, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &made->motion);
    made->simple.friction = made->friction;
    if (made->kind == CLOTH_OBSTACLE_PLANE) show_plane(reader, node, made);
    else show_capsule(reader, node, made);
}

static void read_ground(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *made)
{
    hed_json_only(node, cloth_keys_ground);
    made->kind = CLOTH_OBSTACLE_PLANE;
    made->friction = (float)cloth_scene_number(node, "friction", 0.6, 0, 10);
    cloth_scene_colour(node, made->colour);
    uint32_t up = reader->scene->def.up;
    double unit = reader->scene->unit;
    made->simple = (hed_cloth_collider){.shape = HED_CLOTH_PLANE, .friction = made->friction};
    made->simple.a[up] = (float)(unit * cloth_scene_number(node, "height", 0,
                                            -CLOTH_SCENE_FAR / unit, CLOTH_SCENE_FAR / unit));
    made->simple.b[up] = 1;
    show_plane(reader, node, made);
}

void cloth_scene_read_obstacles(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    bool ground = hed_json_has(root, "ground"), some = hed_json_has(root, "colliders");
    hed_json_node list = some ? hed_json_member(root, "colliders") : root;
    size_t count = some ? hed_json_count(list) : 0;
    if (count > CLOTH_SCENE_COLLIDERS)
        cloth_scene_reject(
            reader, HED_ERROR_LIMIT, list, "more than %d colliders", CLOTH_SCENE_COLLIDERS);
    scene->obstacles = cloth_scene_allocate(reader, root, count + 1, sizeof *scene->obstacles);
    scene->colliders = cloth_scene_allocate(reader, root, count + 1, sizeof *scene->colliders);
    scene->mesh_colliders =
        cloth_scene_allocate(reader, root, count + 1, sizeof *scene->mesh_colliders);
    if (!cloth_scene_fine(reader)) return;
    for (size_t i = 0; i < count + ground && cloth_scene_fine(reader); i++) {
        cloth_obstacle *made = &scene->obstacles[scene->obstacle_count++];
        *made = (cloth_obstacle){.colour = {0.62f, 0.64f, 0.68f}};
        made->name =
            i < ground ? "ground" : cloth_scene_text(reader, root, "collider-%zu", i - ground + 1);
        if (i < ground) read_ground(reader, hed_json_member(root, "ground"), made);
        else read_collider(reader, hed_json_item(list, i - ground), made);
    }
    if (!cloth_scene_fine(reader)) return;
    uint64_t triangles = 0;
    uint32_t simple = 0;
    for (uint32_t i = 0; i < scene->obstacle_count; i++) {
        if (scene->obstacles[i].body) triangles += scene->obstacles[i].body->triangle_count;
        else simple++;
    }
    if (triangles > CLOTH_SCENE_PARTICLES)
        cloth_scene_reject(reader, HED_ERROR_LIMIT, root, "more than %d triangles of colliders",
            CLOTH_SCENE_PARTICLES);
    if (simple > scene->def.max_colliders) scene->def.max_colliders = simple;
    scene->def.max_collider_triangles = (uint32_t)triangles;
}
