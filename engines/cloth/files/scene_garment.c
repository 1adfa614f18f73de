/* Garments of a scene file: mesh or shape, transformed, welded, with materials and surroundings. */
#include "files/cloth_scene_parts.h"
#include "model/garment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 48 };

/* ---- particles ---- */

/* Finds the particle of each vertex. */
static void scene_garment_weld(
    cloth_scene_reader *reader, hed_json_node node, bool shape, cloth_scene_garment *result)
{
    const hed_cloth_mesh *mesh = result->mesh;
    uint32_t *particle_of =
        cloth_scene_allocate(reader, node, mesh->vertex_count, sizeof *particle_of);
    uint32_t *first_vertex =
        cloth_scene_allocate(reader, node, mesh->vertex_count, sizeof *first_vertex);
    bool is_separate = shape;
    double distance = 0;
    if (hed_json_has(node, "weld")) {
        hed_json_node weld = hed_json_member(node, "weld");
        if (hed_json_kind_of(weld) == HED_JSON_BOOLEAN) is_separate = !hed_json_boolean(weld);
        else distance = hed_json_number(weld, 0, CLOTH_SCENE_MUCH);
    }
    if (!cloth_scene_fine(reader)) return;
    hed_error error = {0};
    uint32_t count = mesh->vertex_count;
    if (is_separate)
        for (uint32_t i = 0; i < count; i++) particle_of[i] = i;
    else hed_cloth_mesh_weld(mesh, (float)distance, particle_of, &count, &error);
    if (cloth_scene_failed(node, &error)) return;
    for (uint32_t i = mesh->vertex_count; i-- > 0;) first_vertex[particle_of[i]] = i;
    result->particle_of = particle_of;
    result->first_vertex = first_vertex;
    result->def.particle_count = count;
    if (count < mesh->vertex_count) {
        result->def.vertex_count = mesh->vertex_count;
        result->def.vertex_particle = particle_of;
    } else if (!shape) {
        hed_cloth_mesh_is_grid(mesh, &result->def.grid_width, &result->def.grid_height);
    }
}

static void set_positions(cloth_scene_reader *reader, hed_json_node node, const float *vertices,
    cloth_scene_garment *result)
{
    uint32_t count = result->def.particle_count;
    float *positions = cloth_scene_allocate(reader, node, count, 3 * sizeof *positions);
    for (uint32_t i = 0; positions && i < count; i++)
        cloth_scene_place(result->placing, &vertices[3 * (size_t)result->first_vertex[i]],
            &positions[3 * (size_t)i], 1);
    if (positions) cloth_scene_check_near(node, result->name, positions, count);
    result->positions = positions;
    result->def.positions = positions;
}

static void set_faces(cloth_scene_reader *reader, hed_json_node node, cloth_scene_garment *result)
{
    const hed_cloth_mesh *mesh = result->mesh;
    uint32_t quads = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++)
        quads += mesh->face_at[f + 1] - mesh->face_at[f] == 4;
    uint32_t *corners = cloth_scene_allocate(reader, node, quads, 4 * sizeof *corners),
             *next = corners;
    for (uint32_t f = 0; corners && f < mesh->face_count; f++)
        if (mesh->face_at[f + 1] - mesh->face_at[f] == 4)
            for (uint32_t c = 0; c < 4; c++)
                *next++ = result->particle_of[mesh->corners[mesh->face_at[f] + c]];
    result->def.quads = corners;
    result->def.quad_count = quads;
    result->def.triangles = cloth_scene_triangles(
        reader, node, mesh, result->particle_of, true, &result->def.triangle_count);
}

/* Adds the mass of a triangle or quad to its corners, an equal part to each. */
static void add_mass(
    float *masses, const float *p, const uint32_t *corner, uint32_t corners, double density)
{
    double e[3], f[3];
    uint32_t a = corner[0], b = corner[1], c = corner[2], d = corners == 4 ? corner[3] : a;
    for (int k = 0; k < 3; k++) {
        /* diagonals of a quad; two sides of a triangle */
        e[k] = (double)p[3 * (size_t)c + k] - p[3 * (size_t)a + k];
        f[k] = (double)p[3 * (size_t)d + k] - p[3 * (size_t)b + k];
    }
    double x = e[1] * f[2] - e[2] * f[1], y = e[2] * f[0] - e[0] * f[2],
           z = e[0] * f[1] - e[1] * f[0];
    double part = density * sqrt(x * x + y * y + z * z) / 2 / corners;
    for (uint32_t i = 0; i < corners; i++) masses[corner[i]] += (float)part;
}

/* Computes inverse masses from the density; particles without a face are locked. */
static float *weigh(cloth_scene_reader *reader, hed_json_node node, cloth_scene_garment *result)
{
    const hed_cloth_garment_def *def = &result->def;
    float *masses = cloth_scene_allocate(reader, node, def->particle_count, sizeof *masses);
    const float *shape = def->rest_positions ? def->rest_positions : def->positions;
    if (!masses || !cloth_scene_fine(reader)) return NULL;
    for (uint32_t t = 0; t < def->triangle_count; t++)
        add_mass(masses, shape, &def->triangles[3 * (size_t)t], 3, def->density);
    for (uint32_t q = 0; q < def->quad_count; q++)
        add_mass(masses, shape, &def->quads[4 * (size_t)q], 4, def->density);
    uint32_t loose = 0;
    for (uint32_t i = 0; i < def->particle_count; i++) {
        loose += !(masses[i] > 0);
        masses[i] = masses[i] > 0 ? 1 / masses[i] : 0;
    }
    if (loose)
        cloth_scene_warn(reader,
            "garment \"%s\": %u vertices belong to no face and stay where they are", result->name,
            loose);
    result->def.inverse_masses = masses;
    return masses;
}

/* ---- materials ---- */

static const hed_field material_rows[] = {
    {"compress", "minimum length / rest length", HED_AS_NUMBER(hed_cloth_material, compress, 0, 1, NULL)},
    {"stretch", "maximum length / rest length", HED_AS_NUMBER(hed_cloth_material, stretch, 1, 100, NULL)},
    {"compliance", "compliance beyond these limits; 0: rigid", HED_AS_NUMBER(hed_cloth_material, compliance, 0, 1e6, "m/N")},
    {0},
};
static const hed_cloth_material material_defaults = {1, 1, 0};
const hed_fields cloth_material_fields = {"material", "limits of a family of constraints",
    .rows = material_rows, .defaults = &material_defaults};

static void read_family(const hed_field *field, hed_json_node entry, void *at, void *user)
{
    hed_cloth_garment_def *def = &((cloth_scene_garment *)at)->def;
    if (hed_json_kind_of(entry) == HED_JSON_BOOLEAN)
        def->family[field->tag] = hed_json_boolean(entry);
    else hed_fields_read(&cloth_material_fields, entry, &def->family_material[field->tag], user);
}

static const hed_field materials_rows[] = {
    {"structural", "constraints along edges", HED_AS_OTHER("family", read_family), .tag = HED_CLOTH_STRUCTURAL},
    {"shear", "constraints across quads", HED_AS_OTHER("family", read_family), .tag = HED_CLOTH_SHEAR},
    {"bend", "constraints over hinges", HED_AS_OTHER("family", read_family), .tag = HED_CLOTH_BEND},
    {0},
};
const hed_fields cloth_materials_fields = {
    "materials", "limits of constraints; false: no such constraints", .rows = materials_rows};

/* Reads the rotation at the start, around the centre of mass. */
static void read_start_spin(const hed_field *field, hed_json_node node, void *at, void *user)
{
    static const double fastest = 1000;
    cloth_motion turning = {0};
    hed_fields_read(&cloth_spin_fields, node, &turning, user);
    if (cloth_scene_fine(user) && fabs(turning.spin) > fastest)
        hed_json_reject(node, "%g rad/s, expected at most %g", turning.spin, fastest);
    for (int k = 0; k < 3; k++) ((float *)at)[k] = (float)(turning.spin * turning.spin_axis[k]);
}

/* Reads "self_collision"; true means triangles. */
static void read_self_collision(const hed_field *field, hed_json_node entry, void *at, void *user)
{
    static const char *const words[] = {"triangles", "balls", NULL};
    hed_cloth_self_collision *kind = at;
    if (hed_json_kind_of(entry) == HED_JSON_BOOLEAN)
        *kind = hed_json_boolean(entry) ? HED_CLOTH_SELF_TRIANGLES : HED_CLOTH_SELF_NONE;
    else
        *kind =
            (hed_cloth_self_collision)(HED_CLOTH_SELF_TRIANGLES + hed_json_choice(entry, words));
}

static const hed_field tethers_rows[] = {
    {"slack", "maximum distance from a pin / distance along the cloth", HED_AS_NUMBER(cloth_scene_garment, def.tether_slack, 1, 100, NULL), .required = true},
    {0},
};
const hed_fields cloth_tethers_fields = {
    "tethers", "limits of the distance from pins", .rows = tethers_rows};

static void read_tethers(const hed_field *field, hed_json_node node, void *at, void *user)
{
    cloth_scene_garment *garment = at;
    bool flag = hed_json_kind_of(node) == HED_JSON_BOOLEAN;
    garment->def.tethers = !flag || hed_json_boolean(node);
    if (!flag) hed_fields_read(&cloth_tethers_fields, node, garment, user);
}

#define GARMENT(kind, member, ...) HED_AS_##kind(cloth_scene_garment, def.member, __VA_ARGS__)
static const hed_field inertia_rows[] = {
    {"linear", "fraction of the carrier's displacement", GARMENT(NUMBER, linear_inertia, 0, 1, NULL)},
    {"angular", "fraction of the carrier's rotation", GARMENT(NUMBER, angular_inertia, 0, 1, NULL)},
    {0},
};

#define PAINTED HED_AS_OTHER("painted", NULL)
static const hed_field garment_rows[] = {
    {"name", "name, which is part of file names", HED_AS_OTHER("name", NULL)},
    {"mesh", "name of a file: OBJ, PLY, STL, glTF, Alembic and the formats of assimp", .kind = HED_FIELD_TEXT},
    {"grid", NULL, HED_AS_OTHER("grid", NULL)},
    {"disc", NULL, HED_AS_OTHER("disc", NULL)},
    {"sleeve", NULL, HED_AS_OTHER("sleeve", NULL)},
    {"skirt", NULL, HED_AS_OTHER("skirt", NULL)},
    {"transform", "position of the mesh or shape", HED_AS_OTHER("transform", NULL)},
    {"weld", "distance up to which vertices are one particle; 0 for meshes and false for shapes by default", HED_AS_OTHER("weld", NULL)},
    {"mend", "true: remove faces of a broken mesh if that is safe", .kind = HED_FIELD_BOOLEAN},
    {"pins", "vertices that are held", HED_AS_LIST(&cloth_pin_fields, 0, HED_FIELD_ANY, NULL)},
    {"fabric", "stiffness in SI units, in place of materials", HED_AS_OTHER("fabric_or_name", NULL)},
    {"materials", NULL, HED_AS_PART(&cloth_materials_fields, NULL)},
    {"density", "mass of an area", GARMENT(NUMBER, density, 1e-4, 1e4, "kg/m^2")},
    {"damping", "fraction of the velocity that is lost in a second", GARMENT(NUMBER, damping, 0, 0.999999, NULL)},
    {"vertical_damping", "further damping of the vertical velocity", GARMENT(NUMBER, vertical_damping, 0, 0.999999, NULL)},
    {"drag", "force of the air across the surface", GARMENT(NUMBER, drag, 0, 100, NULL)},
    {"lift", "force of the air along the surface", GARMENT(NUMBER, lift, 0, 100, NULL)},
    {"pressure", "pressure inside minus outside of a closed mesh whose faces look outwards", GARMENT(NUMBER, pressure, -1e6, 1e6, "Pa")},
    {"rest_volume", "multiple of the rest volume at which the gas has this pressure; 0: the same pressure at any volume", GARMENT(NUMBER, rest_volume, 0, 1000, NULL)},
    {"velocity", "velocity at the start", GARMENT(VECTOR, velocity, 3, -1000, 1000, "m/s")},
    {"spin", "rotation at the start around the centre of mass, at most 1000 rad/s",
        HED_MEMBER(cloth_scene_garment, def.angular_velocity), .kind = HED_FIELD_OBJECT,
        .fields = &cloth_spin_fields, .read = read_start_spin},
    {"inertia", NULL, HED_AS_PART(&cloth_inertia_fields, NULL)},
    {"friction", "coefficient of friction", GARMENT(NUMBER, friction, 0, 10, NULL)},
    {"thickness", "distance from colliders and other cloth; 0.005 m by default", CLOTH_LENGTH(cloth_scene_garment, def.thickness, 0)},
    {"self_collision", "contact with itself and with other garments that have it; true: triangles. Balls cost less, need a thickness of at least the longest edge, and limit the speed",
        HED_MEMBER(cloth_scene_garment, def.self_collision), HED_AS_OTHER("self_collision", read_self_collision)},
    {"layer", "order of garments on top of each other, 1 on the body; particles within a body or a lower layer are moved out at the start; 0: it keeps its start. Without the key it is moved out of bodies in which it begins", GARMENT(INTEGER, layer, 0, 1000)},
    {"copies", "number of equal garments at the same position, for measuring", GARMENT(INTEGER, copies, 1, 1 << 20)},
    {"tethers", "little stretch for little time: distance of each particle from the pins", HED_AS_OTHER("tethered", read_tethers)},
    {"lattices", "tension over the whole garment at once, for grids: little stretch with few substeps", HED_AS_BOOLEAN(cloth_scene_garment, def.lattices)},
    {"driver", NULL, HED_AS_OTHER("driver", NULL)},
    {"max_distance", "maximum distance from the driver; 0: locked", PAINTED},
    {"backstop_distance", "minimum height above the driver's surface", PAINTED},
    {"backstop_radius", "radius of the backstop's sphere; 0: a plane", PAINTED},
    {"drive", "fraction of the distance to the driver that a substep removes, 0 to 1", PAINTED},
    {"drive_stiffness", "stiffness of max_distance, 0 to 1; 1 by default", PAINTED},
    {"sewing", NULL, HED_AS_OTHER("sewing", NULL)},
    {"tear", "stretch, length / rest length - 1, at which the cloth tears between its faces; the mesh in the folder of the cache has a vertex for each corner of a face", GARMENT(NUMBER, tear, 1e-4, 1e4, NULL)},
    {"tear_strength", "factor of tear: painted weak lines", PAINTED},
    {"array", NULL, HED_AS_OTHER("array", NULL)},
    {"colour", "red, green and blue in pictures", CLOTH_COLOUR(cloth_scene_garment)},
    {"output_matrix", "matrix that is applied to the garment's files, in place of the scene's", HED_AS_OTHER("matrices", NULL)},
    {0},
};
static const cloth_scene_garment garment_defaults = {
    .def = CLOTH_GARMENT_DEFAULTS, .colour = {0.75f, 0.25f, 0.22f}};
const hed_fields cloth_garment_fields = {"garment", NULL, .rows = garment_rows,
    .defaults = &garment_defaults, .one_of = cloth_shape_keys};
const hed_fields cloth_inertia_fields = {"inertia",
    "fraction of the carrier's motion that acts on it; 0: it moves along, 1: it stays in the world",
    .rows = inertia_rows, .defaults = &garment_defaults};

/* Finds a fabric by its name. */
static hed_cloth_fabric known_fabric(hed_json_node node)
{
    const hed_cloth_fabric *fabric = hed_cloth_fabric_named(hed_json_string(node));
    char names[256] = "";
    const char *name;
    for (uint32_t k = 0; (name = hed_cloth_fabric_name(k, NULL)); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "", name);
    if (!fabric) hed_json_reject(node, "expected one of %s", names);
    return fabric ? *fabric : (hed_cloth_fabric){0};
}

static void read_fabric_name(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(hed_cloth_fabric *)at = known_fabric(node);
}

#define FABRIC(member, least, most, unit) HED_AS_NUMBER(hed_cloth_fabric, member, least, most, unit)
static const hed_field fabric_rows[] = {
    {"name", "fabric with the values of missing keys", HED_AS_OTHER("fabric_name", read_fabric_name)},
    {"warp", "tension / strain along the warp", FABRIC(warp, 1e-3, 1e9, "N/m")},
    {"weft", "tension / strain along the weft", FABRIC(weft, 1e-3, 1e9, "N/m")},
    {"shear", "shear stiffness", FABRIC(shear, 1e-3, 1e9, "N/m")},
    {"bend_warp", "bending stiffness along the warp; 0: limp", FABRIC(bend_warp, 0, 1e6, "N m")},
    {"bend_weft", "bending stiffness along the weft", FABRIC(bend_weft, 0, 1e6, "N m")},
    {"poisson", "contraction across / strain, pulled along the warp", FABRIC(poisson, 0, 0.9, NULL)},
    {"warp_axis", "direction of the warp; upwards by default, and along the rows of a grid", HED_AS_OTHER("direction", NULL)},
    {"stretch_scale", "factor of warp, weft and shear", PAINTED},
    {"bend_scale", "factor of bend_warp and bend_weft", PAINTED},
    {0},
};
const hed_fields cloth_fabric_fields = {"fabric", "stiffness of a cloth", .rows = fabric_rows,
    .rule = "'anyOf': [{'required': ['name']}, {'required': ['warp', 'weft', 'shear', 'bend_warp', 'bend_weft']}]"};

/* Reads the members of a fabric that is an object. */
static void read_fabric_members(cloth_scene_reader *reader, hed_json_node node,
    hed_cloth_fabric *fabric, cloth_scene_garment *result)
{
    static const char *const needed[] = {"warp", "weft", "shear", "bend_warp", "bend_weft"};
    hed_cloth_garment_def *def = &result->def;
    double axis[3] = {0};
    hed_fields_read(&cloth_fabric_fields, node, fabric, reader);
    for (size_t k = 0; k < sizeof needed / sizeof *needed && !hed_json_has(node, "name"); k++)
        hed_json_member(node, needed[k]);
    if (hed_json_has(node, "warp_axis")) {
        cloth_scene_direction(reader, hed_json_member(node, "warp_axis"), axis);
        for (int k = 0; k < 3; k++) def->warp_axis[k] = (float)axis[k];
    }
    def->stretch_scale = cloth_scene_read_map(reader, node, "stretch_scale", result, 1, 1e-4, 1e4);
    def->bend_scale = cloth_scene_read_map(reader, node, "bend_scale", result, 1, 1e-4, 1e4);
}

/* Reads a fabric: a name, or an object that may start from a name. Its density applies unless
 * the garment has its own. */
static void read_fabric(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result)
{
    hed_cloth_garment_def *def = &result->def;
    if (!hed_json_has(garment, "fabric")) return;
    hed_json_node node = hed_json_member(garment, "fabric");
    hed_cloth_fabric *fabric = cloth_scene_allocate(reader, node, 1, sizeof *fabric);
    if (!fabric) return;
    if (hed_json_has(garment, "materials"))
        hed_json_reject(hed_json_member(garment, "materials"),
            "a garment has \"fabric\" or \"materials\", not both");
    def->warp_axis[reader->scene->def.up] = 1;
    if (hed_json_kind_of(node) == HED_JSON_STRING) *fabric = known_fabric(node);
    else read_fabric_members(reader, node, fabric, result);
    if (fabric->density > 0 && !hed_json_has(garment, "density")) def->density = fabric->density;
    fabric->density = 0;
    def->fabric = fabric;
}

/* ---- names ---- */

/* Reads a garment's name, which becomes part of file names. */
static const char *scene_garment_read_name(
    cloth_scene_reader *reader, hed_json_node node, uint32_t number)
{
    if (!hed_json_has(node, "name"))
        return cloth_scene_text(reader, node, "garment-%u", number + 1);
    hed_json_node entry = hed_json_member(node, "name");
    const char *name = hed_json_string(entry);
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(name);
    if (cloth_scene_fine(reader) &&
        (length < 1 || length > LONGEST_NAME || strspn(name, allowed) != length))
        hed_json_reject(entry,
            "expected 1 to %d letters, digits, - and _ (it goes "
            "into file names)",
            LONGEST_NAME);
    return cloth_scene_text(reader, node, "%s", name);
}

static int compare_names(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

static void check_names(cloth_scene_reader *reader, hed_json_node list)
{
    hed_cloth_scene *scene = reader->scene;
    const char **names = cloth_scene_allocate(reader, list, scene->garment_count, sizeof *names);
    if (!names) return;
    for (uint32_t g = 0; g < scene->garment_count; g++) names[g] = scene->garments[g].name;
    qsort(names, scene->garment_count, sizeof *names, compare_names);
    for (uint32_t g = 1; g < scene->garment_count; g++)
        if (strcmp(names[g - 1], names[g]) == 0)
            hed_json_reject(list, "two garments have the name \"%s\"", names[g]);
}

/* ---- garments ---- */

static cloth_scene_garment *scene_garment_add_garment(
    cloth_scene_reader *reader, hed_json_node node)
{
    hed_cloth_scene *scene = reader->scene;
    if (scene->garment_count == CLOTH_SCENE_GARMENTS)
        hed_json_fail(node, HED_ERROR_LIMIT, "more than %d garments", CLOTH_SCENE_GARMENTS);
    return cloth_scene_fine(reader) ? &scene->garments[scene->garment_count++] : NULL;
}

static void count_particles(
    cloth_scene_reader *reader, hed_json_node node, const cloth_scene_garment *result)
{
    hed_cloth_scene *scene = reader->scene;
    uint64_t added = (uint64_t)result->def.particle_count * result->def.copies;
    if (added > CLOTH_SCENE_PARTICLES - scene->particle_count)
        hed_json_fail(
            node, HED_ERROR_LIMIT, "more than %d particles in all", CLOTH_SCENE_PARTICLES);
    else scene->particle_count += (uint32_t)added;
}

typedef struct array_shape {
    uint32_t columns, rows;
    double across[3], row_step[3];
} array_shape;

static const hed_field array_rows[] = {
    {"columns", "number of columns", HED_AS_INTEGER(array_shape, columns, 1, CLOTH_SCENE_GARMENTS), .required = true},
    {"rows", "number of rows", HED_AS_INTEGER(array_shape, rows, 1, CLOTH_SCENE_GARMENTS)},
    {"across", "distance from one column to the next", CLOTH_POINT(array_shape, across), .required = true},
    {"along", "distance from one row to the next", CLOTH_POINT(array_shape, row_step)},
    {0},
};
static const array_shape array_defaults = {.rows = 1};
const hed_fields cloth_array_fields = {
    "array", "equal garments next to each other", .rows = array_rows, .defaults = &array_defaults};

/* Makes more garments like the last one, in columns and rows. */
static void scene_garment_read_array(cloth_scene_reader *reader, hed_json_node node)
{
    hed_cloth_scene *scene = reader->scene;
    array_shape array = array_defaults;
    hed_fields_read(&cloth_array_fields, node, &array, reader);
    uint32_t columns = array.columns, rows = array.rows;
    const double *across = array.across, *row_step = array.row_step;
    if (rows > 1) hed_json_member(node, "along");
    if (!cloth_scene_fine(reader)) return;
    cloth_scene_garment *first = &scene->garments[scene->garment_count - 1];
    const char *name = first->name;
    for (uint32_t i = 0; i < columns * rows && cloth_scene_fine(reader); i++) {
        cloth_scene_garment *result = i ? scene_garment_add_garment(reader, node) : first;
        if (!result) return;
        if (i) *result = *first;
        result->name = cloth_scene_text(reader, node, "%s-%03u", name, i + 1);
        result->def.name = result->name;
        if (i == 0) continue;
        float *positions =
            cloth_scene_allocate(reader, node, result->def.particle_count, 3 * sizeof *positions);
        if (!positions) return;
        for (int k = 0; k < 3; k++)
            result->shift[k] = (float)(i % columns * across[k] + i / columns * row_step[k]);
        for (size_t p = 0; p < 3 * (size_t)result->def.particle_count; p++)
            positions[p] = first->positions[p] + result->shift[p % 3];
        cloth_scene_check_near(node, result->name, positions, result->def.particle_count);
        /* equal rest lengths to the bit */
        if (!result->def.rest_positions) result->def.rest_positions = first->positions;
        /* `positions` stays that of the first garment: the driver's shift is added to it */
        result->def.positions = positions;
        count_particles(reader, node, result);
    }
}

/* Colours in pictures of garments without one, by turns; the first is garment_defaults'. */
static const float COLOURS[][3] = {{0.75f, 0.25f, 0.22f}, {0.2f, 0.42f, 0.68f},
    {0.85f, 0.66f, 0.25f}, {0.3f, 0.56f, 0.38f}, {0.52f, 0.34f, 0.6f}, {0.8f, 0.48f, 0.3f},
    {0.26f, 0.55f, 0.58f}, {0.62f, 0.58f, 0.5f}};

/* Reads garment `number` of the document. */
static void read_garment(cloth_scene_reader *reader, hed_json_node node, size_t number)
{
    cloth_scene_garment *result = scene_garment_add_garment(reader, node);
    if (!result) return;
    hed_fields_only(&cloth_garment_fields, node);
    *result = garment_defaults;
    memcpy(result->colour, COLOURS[number % (sizeof COLOURS / sizeof *COLOURS)],
        sizeof result->colour);
    result->name = scene_garment_read_name(reader, node, reader->scene->garment_count - 1);
    result->def.name = result->name;
    result->output = cloth_scene_read_output(reader, node);
    uint32_t shape = hed_fields_which(&cloth_garment_fields, node);
    float *rest = NULL;
    if (!cloth_scene_fine(reader)) return;
    if (shape) {
        cloth_scene_read_shape(reader, node, shape, result, &rest);
    } else {
        hed_json_node file = hed_json_member(node, "mesh");
        result->mesh = cloth_scene_read_mesh(reader, node);
        result->file = cloth_scene_text(reader, file, "%s", cloth_scene_path(reader, file));
    }
    cloth_scene_read_transform(reader, node, result->placing);
    if (cloth_scene_fine(reader) && shape && hed_json_has(node, "mend"))
        hed_json_reject(hed_json_member(node, "mend"), "a shape is never broken");
    if (!cloth_scene_fine(reader)) return;
    scene_garment_weld(reader, node, shape != 0, result);
    if (!cloth_scene_fine(reader)) return;
    if (!shape) cloth_scene_warn_of_borders(reader, node, result);
    set_positions(reader, node, result->mesh->positions, result);
    result->def.rest_positions = rest;
    set_faces(reader, node, result);
    hed_fields_read(&cloth_garment_fields, node, result, reader);
    if (!hed_json_has(node, "layer")) result->def.layer = HED_CLOTH_LAYER_AUTO;
    read_fabric(reader, node, result);
    if (!shape && cloth_scene_fine(reader)) cloth_scene_warn_of_garment_size(reader, result);
    count_particles(reader, node, result);
    float *inverse_masses = weigh(reader, node, result);
    if (!inverse_masses || !cloth_scene_fine(reader)) return;
    cloth_scene_read_driver(reader, node, result);
    cloth_scene_read_maps(reader, node, result);
    cloth_scene_read_sewing(reader, node, result);
    cloth_scene_read_pins(reader, node, inverse_masses, result);
    cloth_scene_split_faces(reader, node, result);
    if (reader->options->tethers) result->def.tethers = true;
    if (hed_json_has(node, "array"))
        scene_garment_read_array(reader, hed_json_member(node, "array"));
}

void cloth_scene_read_garments(const hed_field *field, hed_json_node list, void *at, void *user)
{
    cloth_scene_reader *reader = user;
    hed_cloth_scene *scene = at;
    size_t count = hed_field_length(field, list);
    scene->garments =
        cloth_scene_allocate(reader, list, CLOTH_SCENE_GARMENTS, sizeof *scene->garments);
    for (size_t i = 0; i < count && cloth_scene_fine(reader); i++)
        read_garment(reader, hed_json_item(list, i), i);
    check_names(reader, list);
    scene->garment_defs =
        cloth_scene_allocate(reader, list, scene->garment_count, sizeof *scene->garment_defs);
    for (uint32_t g = 0; scene->garment_defs && g < scene->garment_count; g++)
        scene->garment_defs[g] = scene->garments[g].def;
    scene->def.garments = scene->garment_defs;
    scene->def.garment_count = scene->garment_count;
}
