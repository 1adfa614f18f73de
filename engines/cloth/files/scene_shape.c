/* Shapes: meshes that a scene file describes instead of naming a file: grid, disc, sleeve (a
 * tube) and skirt (a cone without its tip). With texture coordinates; in the scene's unit, like
 * a mesh from a file. */
#include "files/cloth_scene_parts.h"
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

static void cross_product(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* Computes two directions across `axis`, so that u x v = axis. */
static void span_plane(const double axis[3], double u[3], double v[3])
{
    double helper[3] = {fabs(axis[0]) < 0.6, 0, 0};
    helper[1] = helper[0] == 0;
    cross_product(helper, axis, u);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) u[k] /= length;
    cross_product(axis, u, v);
}

/* ---- grid ---- */

typedef struct grid_shape {
    uint32_t width, height, folds;
    double size[2], origin[3], axes[2][3], gap;
} grid_shape;

static void grid_read_axes(const hed_field *field, hed_json_node list, void *at, void *user)
{
    if (hed_json_count(list) != 2)
        hed_json_reject(list, "expected two directions: of the width and of the height");
    for (size_t i = 0; i < 2; i++)
        cloth_scene_direction(user, hed_json_item(list, i), ((grid_shape *)at)->axes[i]);
}

static const hed_field grid_rows[] = {
    {"width", "vertices along the first axis",
        HED_AS_INTEGER(grid_shape, width, 2, CLOTH_SCENE_SHAPE / 2), .required = true},
    {"height", "vertices along the second axis",
        HED_AS_INTEGER(grid_shape, height, 2, CLOTH_SCENE_SHAPE / 2), .required = true},
    {"size", "lengths along the axes",
        HED_AS_VECTOR(grid_shape, size, 2, CLOTH_SCENE_LEAST, HED_FIELD_ANY, NULL),
        .read = cloth_read_extent, .required = true},
    {"origin", "position of the first vertex; the origin by default",
        CLOTH_PLACE(grid_shape, origin)},
    {"axes", "directions of width and height; x and y by default", HED_AS_OTHER("axes", grid_read_axes)},
    {"folds", "number of folds along the height", HED_AS_INTEGER(grid_shape, folds, 0, 1000)},
    {"gap", "distance of folded layers; 0.02 m by default", CLOTH_EXTENT(grid_shape, gap)},
    {0},
};
static const grid_shape grid_defaults = {.size = {1, 1}, .axes = {{1, 0, 0}, {0, 1, 0}}};
const hed_fields cloth_grid_fields = {"grid", "rectangle of at most 4194304 vertices, row after row",
    .rows = grid_rows, .defaults = &grid_defaults};

static void read_grid(cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh,
    cloth_scene_garment *result, float **rest)
{
    double unit = reader->scene->unit, normal[3];
    const double zero[3] = {0};
    grid_shape g = grid_defaults;
    g.gap = 0.02 / unit;
    hed_fields_read(&cloth_grid_fields, node, &g, reader);
    uint32_t width = g.width, height = g.height, folds = g.folds;
    const double *size = g.size, *origin = g.origin, gap = g.gap;
    double(*axes)[3] = g.axes;
    cross_product(axes[0], axes[1], normal);
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

/* A disc, a sleeve or a skirt. */
typedef struct round_shape {
    uint32_t rings, around, rows;
    double radius[2], length, origin[3], axis[3];
} round_shape;

static const hed_field disc_rows[] = {
    {"radius", "radius", CLOTH_EXTENT(round_shape, radius[0]), .required = true},
    {"rings", "number n of rings, which have 1 + 3 n (n + 1) vertices", HED_AS_INTEGER(round_shape, rings, 1, 1181), .required = true},
    {"centre", "centre; the origin by default", CLOTH_PLACE(round_shape, origin)},
    {"axis", "direction of its faces; up by default", CLOTH_DIRECTION(round_shape, axis)},
    {0},
};
const hed_fields cloth_disc_fields = {"disc", "disc", .rows = disc_rows};

static void read_disc(cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh)
{
    round_shape shape = {.radius = {1, 1}};
    double u[3], v[3];
    shape.axis[reader->scene->def.up] = 1;
    hed_fields_read(&cloth_disc_fields, node, &shape, reader);
    uint32_t rings = shape.rings;
    const double *centre = shape.origin, *axis = shape.axis, radius = shape.radius[0];
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

#define TUBE_ROWS \
    {"length", "length along the axis", CLOTH_EXTENT(round_shape, length), .required = true}, \
        {"around", "vertices of a ring", HED_AS_INTEGER(round_shape, around, 3, CLOTH_SCENE_SHAPE / 2), .required = true}, \
        {"rows", "number of rings", HED_AS_INTEGER(round_shape, rows, 2, CLOTH_SCENE_SHAPE / 3), .required = true}, \
        {"origin", "centre of the first ring; the origin by default", CLOTH_PLACE(round_shape, origin)}, \
        {"axis", "direction from the first ring to the last; down by default", CLOTH_DIRECTION(round_shape, axis)}
static const hed_field sleeve_rows[] = {
    {"radius", "radius", CLOTH_EXTENT(round_shape, radius[0]), .required = true},
    TUBE_ROWS,
    {0},
};
static const hed_field skirt_rows[] = {
    {"radius", "radii of the first ring and of the last",
        HED_AS_VECTOR(round_shape, radius, 2, CLOTH_SCENE_LEAST, HED_FIELD_ANY, NULL),
        .read = cloth_read_extent, .required = true},
    TUBE_ROWS,
    {0},
};
const hed_fields cloth_sleeve_fields = {"sleeve", "tube", .rows = sleeve_rows};
const hed_fields cloth_skirt_fields = {"skirt", "cone without its tip", .rows = skirt_rows};

static void read_tube(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh, bool cone)
{
    round_shape shape = {.radius = {1, 1}};
    double u[3], v[3];
    shape.axis[reader->scene->def.up] = -1;
    hed_fields_read(cone ? &cloth_skirt_fields : &cloth_sleeve_fields, node, &shape, reader);
    if (!cone) shape.radius[1] = shape.radius[0];
    uint32_t around = shape.around, rows = shape.rows;
    const double *origin = shape.origin, *axis = shape.axis, *radius = shape.radius,
                 length = shape.length;
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

#define COLLIDER(row, member) CLOTH_##row(hed_cloth_collider, member)
static const hed_field plane_rows[] = {
    {"point", "a point of the plane", COLLIDER(POINT, a), .required = true},
    {"normal", "direction of the side of the cloth", COLLIDER(DIRECTION, b), .required = true},
    {0},
};
const hed_fields cloth_plane_fields = {"plane", "plane", .rows = plane_rows};

static const hed_field sphere_rows[] = {
    {"centre", "centre", COLLIDER(POINT, a), .required = true},
    {"radius", "radius", CLOTH_LENGTH(hed_cloth_collider, radius[0], 1e-6), .required = true},
    {0},
};
const hed_fields cloth_sphere_fields = {"sphere", "sphere", .rows = sphere_rows};

static void read_radii(const hed_field *field, hed_json_node entry, void *at, void *user)
{
    double radius[2] = {0}, unit = ((cloth_scene_reader *)user)->scene->unit;
    if (hed_json_kind_of(entry) == HED_JSON_ARRAY)
        hed_json_numbers(entry, radius, 2, 1e-6, CLOTH_SCENE_FAR / unit);
    else radius[0] = radius[1] = hed_json_number(entry, 1e-6, CLOTH_SCENE_FAR / unit);
    for (int i = 0; i < 2; i++) ((float *)at)[i] = (float)(unit * radius[i]);
}

static const hed_field capsule_rows[] = {
    {"from", "centre of one end", COLLIDER(POINT, a), .required = true},
    {"to", "centre of the other end", COLLIDER(POINT, b), .required = true},
    {"radius", "radius", HED_MEMBER(hed_cloth_collider, radius), HED_AS_OTHER("radii", read_radii),
        .required = true},
    {0},
};
const hed_fields cloth_capsule_fields = {"capsule", "capsule", .rows = capsule_rows};

static const cloth_obstacle obstacle_defaults = {.friction = 0.5f, .colour = {0.62f, 0.64f, 0.68f}};
static const hed_field collider_rows[] = {
    {"plane", NULL, HED_AS_OTHER("plane", NULL)},
    {"sphere", NULL, HED_AS_OTHER("sphere", NULL)},
    {"capsule", NULL, HED_AS_OTHER("capsule", NULL)},
    {"mesh", "name of a file; its faces look outwards counter-clockwise", .kind = HED_FIELD_TEXT},
    {"transform", "position of the mesh", HED_AS_OTHER("transform", NULL)},
    {"sequence", "motion of the mesh, vertex by vertex", HED_AS_OTHER("sequence", NULL)},
    {"mend", "true: remove faces of a broken mesh if that is safe", .kind = HED_FIELD_BOOLEAN},
    {"motion", NULL, HED_AS_OTHER("motion", NULL)},
    {"friction", "coefficient of friction", HED_AS_NUMBER(cloth_obstacle, friction, 0, 10, NULL)},
    {"colour", "red, green and blue in pictures", CLOTH_COLOUR(cloth_obstacle)},
    {0},
};
const hed_fields cloth_collider_fields = {"collider", "body that stops the garments",
    .rows = collider_rows, .defaults = &obstacle_defaults, .one_of = KINDS};

static void read_mesh_collider(
    cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    result->body = cloth_scene_read_body(reader, node, false);
    if (!result->body) return;
    cloth_scene_warn_of_body_size(reader, result, hed_json_string(hed_json_member(node, "mesh")));
    result->shown = (cloth_body){.vertex_count = result->body->vertex_count,
        .triangle_count = result->body->triangle_count,
        .triangles = result->body->triangles,
        .rest = result->body->now};
    uint32_t count = result->body->vertex_count;
    float *start = cloth_scene_allocate(reader, node, count, 3 * sizeof *start);
    result->shown.now = cloth_scene_allocate(reader, node, count, 3 * sizeof *result->shown.now);
    if (start) memcpy(start, result->body->now, 3 * sizeof *start * (size_t)count);
    result->body->start = start;
}

static void read_collider(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    static const char *const only_meshes[] = {"transform", "sequence", "mend", NULL};
    static const hed_fields *const shapes[] = {
        &cloth_plane_fields, &cloth_sphere_fields, &cloth_capsule_fields};
    static const hed_cloth_shape kinds[] = {HED_CLOTH_PLANE, HED_CLOTH_SPHERE, HED_CLOTH_CAPSULE};
    hed_cloth_collider *simple = &result->simple;
    hed_fields_read(&cloth_collider_fields, node, result, reader);
    if (!cloth_scene_fine(reader)) return;
    result->kind = (cloth_obstacle_kind)hed_fields_which(&cloth_collider_fields, node);
    if (result->kind == CLOTH_OBSTACLE_MESH) {
        read_mesh_collider(reader, node, result);
        return;
    }
    for (const char *const *key = only_meshes; *key; key++)
        if (hed_json_has(node, *key)) hed_json_reject(node, "\"%s\" is for a \"mesh\"", *key);
    simple->shape = kinds[result->kind];
    hed_fields_read(
        shapes[result->kind], hed_json_member(node, KINDS[result->kind]), simple, reader);
    if (simple->shape == HED_CLOTH_SPHERE) simple->radius[1] = simple->radius[0];
    if (hed_json_has(node, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &result->motion);
    simple->friction = result->friction;
    if (result->kind == CLOTH_OBSTACLE_PLANE) show_plane(reader, node, result);
    else show_capsule(reader, node, result);
}

static void read_height(const hed_field *field, hed_json_node node, void *at, void *user)
{
    const hed_cloth_scene *scene = ((cloth_scene_reader *)user)->scene;
    double limit = CLOTH_SCENE_FAR / scene->unit;
    ((cloth_obstacle *)at)->simple.a[scene->def.up] =
        (float)(scene->unit * hed_json_number(node, -limit, limit));
}

static const cloth_obstacle ground_defaults = {.friction = 0.6f, .colour = {0.62f, 0.64f, 0.68f}};
static const hed_field ground_rows[] = {
    {"height", "position along the vertical axis; 0 by default", .kind = HED_FIELD_NUMBER,
        .low = -HED_FIELD_ANY, .high = HED_FIELD_ANY, .read = read_height},
    {"friction", "coefficient of friction", HED_AS_NUMBER(cloth_obstacle, friction, 0, 10, NULL)},
    {"colour", "red, green and blue in pictures", CLOTH_COLOUR(cloth_obstacle)},
    {0},
};
const hed_fields cloth_ground_fields = {
    "ground", "plane that faces up", .rows = ground_rows, .defaults = &ground_defaults};

static void read_ground(cloth_scene_reader *reader, hed_json_node node, cloth_obstacle *result)
{
    result->kind = CLOTH_OBSTACLE_PLANE;
    result->simple.shape = HED_CLOTH_PLANE;
    result->simple.b[reader->scene->def.up] = 1;
    hed_fields_read(&cloth_ground_fields, node, result, reader);
    result->simple.friction = result->friction;
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
    scene->collider_starts =
        cloth_scene_allocate(reader, root, count + 1, sizeof *scene->collider_starts);
    scene->mesh_colliders =
        cloth_scene_allocate(reader, root, count + 1, sizeof *scene->mesh_colliders);
    if (!cloth_scene_fine(reader)) return;
    for (size_t i = 0; i < count + ground && cloth_scene_fine(reader); i++) {
        cloth_obstacle *result = &scene->obstacles[scene->obstacle_count++];
        *result = i < ground ? ground_defaults : obstacle_defaults;
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
    /* the choice of substeps and the margins of strips depend on the presence of colliders */
    scene->def.max_colliders = simple;
    scene->def.max_collider_triangles = (uint32_t)triangles;
}
