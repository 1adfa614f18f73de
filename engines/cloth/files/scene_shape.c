/* Shapes: meshes that a scene file describes instead of naming a file: grid, disc, sleeve (a
 * tube) and skirt (a cone without its tip). With texture coordinates; in the scene's unit, like
 * a mesh from a file. */
#include "files/scene_parts.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAU 6.28318530717958647692

const char *const cloth_shape_keys[] = {"mesh", "grid", "disc", "sleeve", "skirt", NULL};
enum { MESH, GRID, DISC, SLEEVE, SKIRT };

/* Allocates a mesh with this many texture coordinates and `corners` corners for each face;
 * false: an error is recorded. */
static bool scene_shape_make_room(cloth_scene_reader *reader, hed_json_node node,
    hed_cloth_mesh *mesh, uint64_t vertices, uint64_t textures, uint64_t faces, uint32_t corners)
{
    *mesh = (hed_cloth_mesh){.vertex_count = (uint32_t)vertices, .face_count = (uint32_t)faces};
    mesh->texture_count = (uint32_t)textures;
    if (!cloth_scene_fine(reader)) return false;
    if (vertices > CLOTH_SCENE_SHAPE) {
        hed_json_fail(node, HED_ERROR_LIMIT, "%llu vertices; a shape has at most %d",
            (unsigned long long)vertices, CLOTH_SCENE_SHAPE);
        *mesh = (hed_cloth_mesh){0};
        return false;
    }
    mesh->positions = malloc(vertices * 3 * sizeof *mesh->positions);
    mesh->textures = malloc(textures * 2 * sizeof *mesh->textures);
    mesh->face_at = malloc((faces + 1) * sizeof *mesh->face_at);
    mesh->corners = malloc(faces * corners * sizeof *mesh->corners);
    mesh->corner_textures = malloc(faces * corners * sizeof *mesh->corner_textures);
    if (mesh->positions && mesh->textures && mesh->face_at && mesh->corners &&
        mesh->corner_textures) {
        for (uint32_t f = 0; f <= faces; f++) mesh->face_at[f] = f * corners;
        return true;
    }
    hed_cloth_mesh_free(mesh);
    hed_json_fail(node, HED_ERROR_MEMORY, "out of memory for a shape of %llu vertices",
        (unsigned long long)vertices);
    return false;
}

static void set_point(hed_cloth_mesh *mesh, uint32_t vertex, const double origin[3], double a,
    const double u[3], double b, const double v[3], double c, const double w[3])
{
    for (int k = 0; k < 3; k++)
        mesh->positions[3 * (size_t)vertex + k] =
            (float)(origin[k] + a * u[k] + b * v[k] + c * w[k]);
}

static void set_texture(hed_cloth_mesh *mesh, uint32_t texture, double u, double v)
{
    mesh->textures[2 * (size_t)texture] = (float)u;
    mesh->textures[2 * (size_t)texture + 1] = (float)v;
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* Reads a point in the scene's unit. */
static void scene_shape_read_place(
    hed_json_node object, const char *key, double unit, double point[3])
{
    if (hed_json_has(object, key))
        hed_json_numbers(hed_json_member(object, key), point, 3, -CLOTH_SCENE_FAR / unit,
            CLOTH_SCENE_FAR / unit);
}

/* Computes two directions across `axis`, so that u x v = axis. */
static void span_plane(const double axis[3], double u[3], double v[3])
{
    double helper[3] = {fabs(axis[0]) < 0.6, 0, 0};
    helper[1] = helper[0] == 0;
    cross(helper, axis, u);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) u[k] /= length;
    cross(axis, u, v);
}

/* ---- grid ---- */

static void read_grid(cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh,
    cloth_scene_garment *result, float **rest)
{
    double unit = reader->scene->unit, size[2] = {1, 1}, origin[3] = {0},
           axes[2][3] = {{1, 0, 0}, {0, 1, 0}}, normal[3];
    const double zero[3] = {0};
    hed_json_only(node, cloth_scene_keys("grid"));
    uint32_t width =
        (uint32_t)hed_json_integer(hed_json_member(node, "width"), 2, CLOTH_SCENE_SHAPE / 2);
    uint32_t height =
        (uint32_t)hed_json_integer(hed_json_member(node, "height"), 2, CLOTH_SCENE_SHAPE / 2);
    hed_json_numbers(hed_json_member(node, "size"), size, 2, 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    scene_shape_read_place(node, "origin", unit, origin);
    if (hed_json_has(node, "axes")) {
        hed_json_node list = hed_json_member(node, "axes");
        if (hed_json_count(list) != 2)
            hed_json_reject(list, "expected two directions: of the width and of the height");
        for (size_t i = 0; i < 2; i++)
            cloth_scene_direction(reader, hed_json_item(list, i), axes[i]);
    }
    uint32_t folds = cloth_scene_integer(node, "folds", 0, 0, 1000);
    double gap = cloth_scene_number(node, "gap", 0.02 / unit, 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    cross(axes[0], axes[1], normal);
    if (cloth_scene_fine(reader) &&
        !(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] > 1e-6))
        hed_json_reject(node, "both axes point the same way");
    if (!scene_shape_make_room(reader, node, mesh, (uint64_t)width * height,
            (uint64_t)width * height, (uint64_t)(width - 1) * (height - 1), 4))
        return;
    if (folds) *rest = cloth_scene_allocate(reader, node, mesh->vertex_count, 3 * sizeof **rest);
    for (uint32_t i = 0; i < mesh->vertex_count && cloth_scene_fine(reader); i++) {
        double u = (double)(i % width) / (width - 1), v = (double)(i / width) / (height - 1),
               position = v * size[1], lift = 0;
        set_texture(mesh, i, u, v);
        if (folds) {
            for (int k = 0; k < 3; k++)
                (*rest)[3 * (size_t)i + k] =
                    (float)(unit * (origin[k] + u * size[0] * axes[0][k] + position * axes[1][k]));
            /* folds alternate in direction; the bend takes one row */
            double layer_length = size[1] / (folds + 1) * (1 + 1e-9);
            double layer = floor(position / layer_length), into = position - layer * layer_length;
            position = fmod(layer, 2) == 0 ? into : layer_length - into;
            lift = layer * gap;
        }
        set_point(
            mesh, i, origin, u * size[0], axes[0], position, axes[1], lift, folds ? normal : zero);
    }
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t at = f / (width - 1) * width + f % (width - 1);
        const uint32_t corner[4] = {at, at + 1, at + width + 1, at + width};
        memcpy(mesh->corners + 4 * (size_t)f, corner, sizeof corner);
        memcpy(mesh->corner_textures + 4 * (size_t)f, corner, sizeof corner);
    }
    result->def.grid_width = width;
    result->def.grid_height = height;
}

/* ---- disc: rings of 6, 12, 18, ... vertices around a centre, so that no vertex has many
 * neighbours ---- */

static uint32_t ring_vertex(uint32_t ring, uint32_t place)
{
    return ring ? 1 + 3 * ring * (ring - 1) + place % (6 * ring) : 0;
}

static void set_triangle(hed_cloth_mesh *mesh, uint32_t *face, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};
    memcpy(mesh->corners + 3 * (size_t)*face, corner, sizeof corner);
    memcpy(mesh->corner_textures + 3 * (size_t)(*face)++, corner, sizeof corner);
}

static void read_disc(cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh)
{
    double unit = reader->scene->unit, centre[3] = {0}, axis[3] = {0}, u[3], v[3];
    hed_json_only(node, cloth_scene_keys("disc"));
    double radius =
        hed_json_number(hed_json_member(node, "radius"), 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    uint32_t rings = (uint32_t)hed_json_integer(hed_json_member(node, "rings"), 1, 1181);
    axis[reader->scene->def.up] = 1;
    scene_shape_read_place(node, "centre", unit, centre);
    if (hed_json_has(node, "axis"))
        cloth_scene_direction(reader, hed_json_member(node, "axis"), axis);
    uint64_t vertices = 1 + 3 * (uint64_t)rings * (rings + 1);
    if (!scene_shape_make_room(
            reader, node, mesh, vertices, vertices, 6 * (uint64_t)rings * rings, 3))
        return;
    span_plane(axis, u, v);
    uint32_t face = 0;
    set_point(mesh, 0, centre, 0, u, 0, v, 0, axis);
    set_texture(mesh, 0, 0.5, 0.5);
    for (uint32_t ring = 1; ring <= rings; ring++) {
        for (uint32_t place = 0; place < 6 * ring; place++) {
            double angle = TAU * place / (6 * ring), distance = (double)ring / rings;
            set_point(mesh, ring_vertex(ring, place), centre,
                radius * distance * hed_strict_cos(angle), u,
                radius * distance * hed_strict_sin(angle), v, 0, axis);
            set_texture(mesh, ring_vertex(ring, place),
                0.5 + 0.5 * distance * hed_strict_cos(angle),
                0.5 + 0.5 * distance * hed_strict_sin(angle));
            /* Each sixth has `ring` triangles with an edge on this ring, and one fewer with an
             * edge on the inner ring. */
            uint32_t sixth = place / ring, within = sixth * (ring - 1) + place % ring;
            uint32_t outer = ring_vertex(ring, place), inner = ring_vertex(ring - 1, within);
            set_triangle(mesh, &face, outer, ring_vertex(ring, place + 1), inner);
            if (place % ring)
                set_triangle(mesh, &face, outer, inner, ring_vertex(ring - 1, within - 1));
        }
    }
}

/* ---- sleeve and skirt ---- */

static void read_tube(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh, bool cone)
{
    double unit = reader->scene->unit, origin[3] = {0}, axis[3] = {0}, u[3], v[3],
           radius[2] = {1, 1};
    hed_json_only(node, cloth_scene_keys(cone ? "skirt" : "sleeve"));
    if (cone)
        hed_json_numbers(
            hed_json_member(node, "radius"), radius, 2, 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    else
        radius[0] = radius[1] =
            hed_json_number(hed_json_member(node, "radius"), 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    double length =
        hed_json_number(hed_json_member(node, "length"), 1e-6 / unit, CLOTH_SCENE_FAR / unit);
    uint32_t around =
        (uint32_t)hed_json_integer(hed_json_member(node, "around"), 3, CLOTH_SCENE_SHAPE / 2);
    uint32_t rows =
        (uint32_t)hed_json_integer(hed_json_member(node, "rows"), 2, CLOTH_SCENE_SHAPE / 3);
    axis[reader->scene->def.up] = -1;
    scene_shape_read_place(node, "origin", unit, origin);
    if (hed_json_has(node, "axis"))
        cloth_scene_direction(reader, hed_json_member(node, "axis"), axis);
    if (!scene_shape_make_room(reader, node, mesh, (uint64_t)around * rows,
            (uint64_t)(around + 1) * rows, (uint64_t)around * (rows - 1), 4))
        return;
    span_plane(axis, u, v);
    for (uint32_t row = 0; row < rows; row++) {
        double part = (double)row / (rows - 1),
               distance = radius[0] + part * (radius[1] - radius[0]);
        for (uint32_t i = 0; i <= around; i++) {
            double angle = TAU * i / around;
            set_texture(mesh, row * (around + 1) + i, (double)i / around, 1 - part);
            if (i < around)
                set_point(mesh, row * around + i, origin, distance * hed_strict_cos(angle), u,
                    distance * hed_strict_sin(angle), v, part * length, axis);
        }
    }
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t row = f / around, i = f % around, next = (i + 1) % around;
        const uint32_t corner[4] = {row * around + i, row * around + next,
            (row + 1) * around + next, (row + 1) * around + i};
        const uint32_t texture[4] = {row * (around + 1) + i, row * (around + 1) + i + 1,
            (row + 1) * (around + 1) + i + 1, (row + 1) * (around + 1) + i};
        memcpy(mesh->corners + 4 * (size_t)f, corner, sizeof corner);
        memcpy(mesh->corner_textures + 4 * (size_t)f, texture, sizeof texture);
    }
}

void cloth_scene_read_shape(cloth_scene_reader *reader, hed_json_node garment, uint32_t shape,
    cloth_scene_garment *result, float **rest)
{
    hed_json_node node = hed_json_member(garment, cloth_shape_keys[shape]);
    hed_cloth_mesh mesh = {0};
    if (shape == GRID) read_grid(reader, node, &mesh, result, rest);
    if (shape == DISC) read_disc(reader, node, &mesh);
    if (shape == SLEEVE || shape == SKIRT) read_tube(reader, node, &mesh, shape == SKIRT);
    result->mesh = cloth_scene_own_mesh(reader, node, &mesh);
}

/* Colliders of a scene file, the ground included, and the shapes drawn for them. */

enum {
    AROUND = 48,
    RINGS = 12, /* rings of a drawn sphere, from pole to equator */
};

static const char *const KINDS[] = {"plane", "sphere", "capsule", "mesh", NULL};

/* ---- shapes to draw ---- */

/* Allocates a shape whose vertices form `rings` rings of `around`. */
static bool scene_shape_make_rings(cloth_scene_reader *reader, hed_json_node node, uint32_t rings,
    uint32_t around, cloth_body *body, float **vertices)
{
    uint32_t *triangles = cloth_scene_allocate(
                 reader, node, 2 * (uint64_t)(rings - 1) * around, 3 * sizeof *triangles),
             *next = triangles;
    *vertices = cloth_scene_allocate(reader, node, (uint64_t)rings * around, 3 * sizeof **vertices);
    body->now = cloth_scene_allocate(reader, node, (uint64_t)rings * around, 3 * sizeof *body->now);
    if (!triangles || !*vertices || !body->now) return false;
    for (uint32_t ring = 0; ring + 1 < rings; ring++)
        for (uint32_t i = 0; i < around; i++) {
            uint32_t a = ring * around + i, b = ring * around + (i + 1) % around;
            const uint32_t corner[6] = {a, b, b + around, a, b + around, a + around};
            memcpy(next, corner, sizeof corner);
            next += 6;
        }
    body->rest = *vertices;
    body->vertex_count = rings * around;
    body->triangles = triangles;
    body->triangle_count = 2 * (rings - 1) * around;
    return true;
}

/* Computes two directions across `axis`. */
static void span_obstacle_plane(const double axis[3], double u[3], double v[3])
{
    int helper_axis = fabs(axis[0]) < 0.6 ? 0 : 1;
    double helper[3] = {helper_axis == 0, helper_axis == 1, 0}, length = 0;
    for (int k = 0; k < 3; k++)
        u[k] = axis[(k + 1) % 3] * helper[(k + 2) % 3] - axis[(k + 2) % 3] * helper[(k + 1) % 3];
    for (int k = 0; k < 3; k++) length += u[k] * u[k];
    for (int k = 0; k < 3; k++) u[k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        v[k] = axis[(k + 1) % 3] * u[(k + 2) % 3] - axis[(k + 2) % 3] * u[(k + 1) % 3];
}

/* Makes a sphere (equal ends) or a capsule to draw: two caps, and the cone between them that
 * touches both. */
static void show_capsule(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    const hed_cloth_collider *c = &result->simple;
    bool sphere = c->shape == HED_CLOTH_SPHERE;
    double axis[3] = {0, 1, 0}, u[3], v[3], way[3], length = 0;
    for (int k = 0; k < 3; k++) way[k] = sphere ? 0 : (double)c->b[k] - c->a[k];
    for (int k = 0; k < 3; k++) length += way[k] * way[k];
    length = sqrt(length);
    for (int k = 0; k < 3 && length > 0; k++) axis[k] = way[k] / length;
    span_obstacle_plane(axis, u, v);
    double ra = c->radius[0], rb = sphere ? ra : c->radius[1];
    double lean = length > 0 ? hed_strict_asin(fmin(fmax((ra - rb) / length, -1.0), 1.0)) : 0;
    float *vertices;
    if (!scene_shape_make_rings(reader, node, 2 * (RINGS + 1), AROUND, &result->shown, &vertices))
        return;
    for (uint32_t ring = 0; ring < 2 * (RINGS + 1); ring++) {
        bool second = ring > RINGS;
        double part = (double)(second ? ring - RINGS - 1 : ring) / RINGS, radius = second ? rb : ra;
        double angle = second ? lean + part * (TAU / 4 - lean) : -TAU / 4 + part * (lean + TAU / 4);
        for (uint32_t i = 0; i < AROUND; i++) {
            double turn = TAU * i / AROUND,
                   height = radius * hed_strict_sin(angle) + (second ? length : 0),
                   distance = radius * hed_strict_cos(angle);
            for (int k = 0; k < 3; k++)
                vertices[3 * ((size_t)ring * AROUND + i) + k] =
                    (float)(c->a[k] + height * axis[k] +
                            distance * (hed_strict_cos(turn) * u[k] + hed_strict_sin(turn) * v[k]));
        }
    }
}

/* Makes a square of a plane to draw, around the point nearest to the garments. The picture draws
 * the ground, which is unbounded. */
static void show_plane(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    const hed_cloth_collider *c = &result->simple;
    const hed_cloth_scene *scene = reader->scene;
    double centre[3] = {0}, size = 0, distance = 0, axis[3], u[3], v[3], low[3], high[3];
    float *vertices;
    if (c->b[scene->def.up] > 0.999f) return;
    cloth_scene_bounds(scene, low, high);
    for (int k = 0; k < 3; k++) {
        axis[k] = c->b[k];
        centre[k] = (low[k] + high[k]) / 2;
        size = fmax(size, high[k] - low[k]);
        distance += axis[k] * (centre[k] - c->a[k]);
    }
    span_obstacle_plane(axis, u, v);
    if (!scene_shape_make_rings(reader, node, 2, 2, &result->shown, &vertices)) return;
    for (int i = 0; i < 4; i++) {
        double s = i % 2 ? size : -size, t = i / 2 ? size : -size;
        for (int k = 0; k < 3; k++)
            vertices[3 * i + k] = (float)(centre[k] - distance * axis[k] + s * u[k] + t * v[k]);
    }
    result->shown.triangle_count = 2; /* the ring is not closed */
}

/* ---- reading ---- */

static void to_floats(const double *from, float *to)
{
    for (int k = 0; k < 3; k++) to[k] = (float)from[k];
}

static void read_sphere(cloth_scene_reader *reader, hed_json_node node, hed_cloth_collider *sphere)
{
    double centre[3] = {0};
    hed_json_only(node, cloth_scene_keys("sphere"));
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
    hed_json_only(node, cloth_scene_keys("capsule"));
    cloth_scene_point(reader, hed_json_member(node, "from"), from);
    cloth_scene_point(reader, hed_json_member(node, "to"), to);
    hed_json_node entry = hed_json_member(node, "radius");
    if (hed_json_kind_of(entry) == HED_JSON_ARRAY)
        hed_json_numbers(entry, radius, 2, 1e-6, CLOTH_SCENE_FAR / unit);
    else radius[0] = radius[1] = hed_json_number(entry, 1e-6, CLOTH_SCENE_FAR / unit);
    capsule->shape = HED_CLOTH_CAPSULE;
    to_floats(from, capsule->a);
    to_floats(to, capsule->b);
    for (int i = 0; i < 2; i++) capsule->radius[i] = (float)(unit * radius[i]);
}

static void read_collider(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    static const char *const only_meshes[] = {"transform", "sequence", "mend", NULL};
    hed_json_only(node, cloth_scene_keys("collider"));
    result->kind = (cloth_obstacle_kind)cloth_scene_one_of(node, KINDS);
    result->friction = (float)cloth_scene_number(node, "friction", 0.5, 0, 10);
    cloth_scene_colour(node, result->colour);
    if (!cloth_scene_fine(reader)) return;
    hed_json_node shape = hed_json_member(node, KINDS[result->kind]);
    if (result->kind == CLOTH_OBSTACLE_MESH) {
        result->body = cloth_scene_read_body(reader, node, false);
        if (result->body) {
            result->shown = (cloth_body){.vertex_count = result->body->vertex_count,
                .triangle_count = result->body->triangle_count,
                .triangles = result->body->triangles,
                .rest = result->body->now};
            result->shown.now = cloth_scene_allocate(
                reader, node, result->shown.vertex_count, 3 * sizeof *result->shown.now);
        }
        return;
    }
    for (const char *const *key = only_meshes; *key; key++)
        if (hed_json_has(node, *key)) hed_json_reject(node, "\"%s\" is for a \"mesh\"", *key);
    if (result->kind == CLOTH_OBSTACLE_PLANE) {
        double point[3] = {0}, normal[3] = {0};
        hed_json_only(shape, cloth_scene_keys("plane"));
        cloth_scene_point(reader, hed_json_member(shape, "point"), point);
        cloth_scene_direction(reader, hed_json_member(shape, "normal"), normal);
        result->simple.shape = HED_CLOTH_PLANE;
        to_floats(point, result->simple.a);
        to_floats(normal, result->simple.b);
    }
    if (result->kind == CLOTH_OBSTACLE_SPHERE) read_sphere(reader, shape, &result->simple);
    if (result->kind == CLOTH_OBSTACLE_CAPSULE) read_capsule(reader, shape, &result->simple);
    if (hed_json_has(node, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &result->motion);
    result->simple.friction = result->friction;
    if (result->kind == CLOTH_OBSTACLE_PLANE) show_plane(reader, node, result);
    else show_capsule(reader, node, result);
}

static void read_ground(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    hed_json_only(node, cloth_scene_keys("ground"));
    result->kind = CLOTH_OBSTACLE_PLANE;
    result->friction = (float)cloth_scene_number(node, "friction", 0.6, 0, 10);
    cloth_scene_colour(node, result->colour);
    uint32_t up = reader->scene->def.up;
    double unit = reader->scene->unit;
    result->simple = (hed_cloth_collider){.shape = HED_CLOTH_PLANE, .friction = result->friction};
    result->simple.a[up] = (float)(unit * cloth_scene_number(node, "height", 0,
                                              -CLOTH_SCENE_FAR / unit, CLOTH_SCENE_FAR / unit));
    result->simple.b[up] = 1;
    show_plane(reader, node, result);
}

void cloth_scene_read_obstacles(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    bool ground = hed_json_has(root, "ground"), has_colliders = hed_json_has(root, "colliders");
    hed_json_node list = has_colliders ? hed_json_member(root, "colliders") : root;
    size_t count = has_colliders ? hed_json_count(list) : 0;
    if (count > CLOTH_SCENE_COLLIDERS)
        hed_json_fail(list, HED_ERROR_LIMIT, "more than %d colliders", CLOTH_SCENE_COLLIDERS);
    scene->obstacles = cloth_scene_allocate(reader, root, count + 1, sizeof *scene->obstacles);
    scene->colliders = cloth_scene_allocate(reader, root, count + 1, sizeof *scene->colliders);
    scene->mesh_colliders =
        cloth_scene_allocate(reader, root, count + 1, sizeof *scene->mesh_colliders);
    if (!cloth_scene_fine(reader)) return;
    for (size_t i = 0; i < count + ground && cloth_scene_fine(reader); i++) {
        cloth_obstacle *result = &scene->obstacles[scene->obstacle_count++];
        *result = (cloth_obstacle){.colour = {0.62f, 0.64f, 0.68f}};
        result->name =
            i < ground ? "ground" : cloth_scene_text(reader, root, "collider-%zu", i - ground + 1);
        if (i < ground) read_ground(reader, hed_json_member(root, "ground"), result);
        else read_collider(reader, hed_json_item(list, i - ground), result);
    }
    if (!cloth_scene_fine(reader)) return;
    uint64_t triangles = 0;
    uint32_t simple = 0;
    for (uint32_t i = 0; i < scene->obstacle_count; i++) {
        if (scene->obstacles[i].body) triangles += scene->obstacles[i].body->triangle_count;
        else simple++;
    }
    if (triangles > CLOTH_SCENE_PARTICLES)
        hed_json_fail(
            root, HED_ERROR_LIMIT, "more than %d triangles of colliders", CLOTH_SCENE_PARTICLES);
    if (simple > scene->def.max_colliders) scene->def.max_colliders = simple;
    scene->def.max_collider_triangles = (uint32_t)triangles;
}
