/* Garments of a scene file: mesh or shape, transformed, welded, with materials and surroundings. */
#include "files/scene_parts.h"

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

static void read_materials(hed_json_node node, hed_cloth_garment_def *def)
{
    const char *const *families =
        cloth_scene_keys("materials"); /* names, sorted as hed_cloth_family */
    hed_json_only(node, families);
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) {
        if (!hed_json_has(node, families[f])) continue;
        hed_json_node entry = hed_json_member(node, families[f]);
        if (hed_json_kind_of(entry) == HED_JSON_BOOLEAN) {
            def->family[f] = hed_json_boolean(entry);
            continue;
        }
        hed_cloth_material *material = &def->family_material[f];
        hed_json_only(entry, cloth_scene_keys("material"));
        material->compress = (float)cloth_scene_number(entry, "compress", material->compress, 0, 1);
        material->stretch = (float)cloth_scene_number(entry, "stretch", material->stretch, 1, 100);
        material->compliance =
            (float)cloth_scene_number(entry, "compliance", material->compliance, 0, 1e6);
    }
}

/* Reads the motion at the start. */
static void read_start(cloth_scene_reader *reader, hed_json_node node, hed_cloth_garment_def *def)
{
    static const double fastest = 1000;
    double velocity[3] = {0};
    cloth_motion turning = {0};
    if (hed_json_has(node, "velocity"))
        hed_json_numbers(hed_json_member(node, "velocity"), velocity, 3, -fastest, fastest);
    if (hed_json_has(node, "spin")) {
        hed_json_node spin = hed_json_member(node, "spin");
        cloth_scene_read_spin(reader, spin, &turning);
        if (cloth_scene_fine(reader) && fabs(turning.spin) > fastest)
            hed_json_reject(spin, "%g rad/s, expected at most %g", turning.spin, fastest);
    }
    for (int k = 0; k < 3; k++) {
        def->velocity[k] = (float)velocity[k];
        def->angular_velocity[k] = (float)(turning.spin * turning.spin_axis[k]);
    }
}

/* Reads "self_collision"; true means triangles. */
static void read_self_collision(hed_json_node node, hed_cloth_garment_def *def)
{
    static const char *const words[] = {"triangles", "balls", NULL};
    if (!hed_json_has(node, "self_collision")) return;
    hed_json_node entry = hed_json_member(node, "self_collision");
    if (hed_json_kind_of(entry) == HED_JSON_BOOLEAN)
        def->self_collision =
            hed_json_boolean(entry) ? HED_CLOTH_SELF_TRIANGLES : HED_CLOTH_SELF_NONE;
    else
        def->self_collision =
            (hed_cloth_self_collision)(HED_CLOTH_SELF_TRIANGLES + hed_json_choice(entry, words));
}

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
    bool name = hed_json_kind_of(node) == HED_JSON_STRING;
    if (!name) hed_json_only(node, cloth_scene_keys("fabric"));
    if (name) *fabric = known_fabric(node);
    else if (hed_json_has(node, "name")) *fabric = known_fabric(hed_json_member(node, "name"));
    if (!name) {
        struct {
            const char *key;
            float *value;
            double low, high;
        } numbers[] = {{"warp", &fabric->warp, 1e-3, 1e9}, {"weft", &fabric->weft, 1e-3, 1e9},
            {"shear", &fabric->shear, 1e-3, 1e9}, {"bend_warp", &fabric->bend_warp, 0, 1e6},
            {"bend_weft", &fabric->bend_weft, 0, 1e6}};
        bool whole = hed_json_has(node, "name");
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (!whole || hed_json_has(node, numbers[k].key))
                *numbers[k].value = (float)hed_json_number(
                    hed_json_member(node, numbers[k].key), numbers[k].low, numbers[k].high);
        double axis[3] = {0};
        if (hed_json_has(node, "warp_axis"))
            cloth_scene_direction(reader, hed_json_member(node, "warp_axis"), axis);
        for (int k = 0; k < 3; k++) def->warp_axis[k] = (float)axis[k];
        def->stretch_scale =
            cloth_scene_read_map(reader, node, "stretch_scale", result, 1, 1e-4, 1e4);
        def->bend_scale = cloth_scene_read_map(reader, node, "bend_scale", result, 1, 1e-4, 1e4);
    }
    if (fabric->density > 0 && !hed_json_has(garment, "density")) def->density = fabric->density;
    fabric->density = 0;
    def->fabric = fabric;
}

static void read_surroundings(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_garment_def *def)
{
    def->density = (float)cloth_scene_number(node, "density", def->density, 1e-4, 1e4);
    def->damping = (float)cloth_scene_number(node, "damping", def->damping, 0, 0.999999);
    def->vertical_damping =
        (float)cloth_scene_number(node, "vertical_damping", def->vertical_damping, 0, 0.999999);
    def->drag = (float)cloth_scene_number(node, "drag", def->drag, 0, 100);
    def->lift = (float)cloth_scene_number(node, "lift", def->lift, 0, 100);
    def->pressure = (float)cloth_scene_number(node, "pressure", 0, -1e6, 1e6);
    def->rest_volume = (float)cloth_scene_number(node, "rest_volume", 0, 0, 1000);
    read_start(reader, node, def);
    if (hed_json_has(node, "inertia")) {
        hed_json_node inertia = hed_json_member(node, "inertia");
        hed_json_only(inertia, cloth_scene_keys("inertia"));
        def->linear_inertia = (float)cloth_scene_number(inertia, "linear", 0, 0, 1);
        def->angular_inertia = (float)cloth_scene_number(inertia, "angular", 0, 0, 1);
    }
    def->friction = (float)cloth_scene_number(node, "friction", def->friction, 0, 10);
    def->thickness = (float)cloth_scene_length(reader, node, "thickness", def->thickness, 0);
    read_self_collision(node, def);
    def->layer = cloth_scene_integer(node, "layer", 0, 1, 1000);
    def->copies = cloth_scene_integer(node, "copies", 1, 1, 1 << 20);
    if (hed_json_has(node, "materials")) read_materials(hed_json_member(node, "materials"), def);
    if (!hed_json_has(node, "tethers")) return;
    hed_json_node tethers = hed_json_member(node, "tethers");
    bool flag = hed_json_kind_of(tethers) == HED_JSON_BOOLEAN;
    def->tethers = !flag || hed_json_boolean(tethers);
    if (flag) return;
    hed_json_only(tethers, cloth_scene_keys("tethers"));
    def->tether_slack = (float)hed_json_number(hed_json_member(tethers, "slack"), 1, 100);
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

/* Makes more garments like the last one, in columns and rows. */
static void scene_garment_read_array(cloth_scene_reader *reader, hed_json_node node)
{
    hed_cloth_scene *scene = reader->scene;
    double across[3] = {0}, row_step[3] = {0};
    hed_json_only(node, cloth_scene_keys("array"));
    uint32_t columns =
        (uint32_t)hed_json_integer(hed_json_member(node, "columns"), 1, CLOTH_SCENE_GARMENTS);
    uint32_t rows = cloth_scene_integer(node, "rows", 1, 1, CLOTH_SCENE_GARMENTS);
    cloth_scene_point(reader, hed_json_member(node, "across"), across);
    if (hed_json_has(node, "along") || rows > 1)
        cloth_scene_point(reader, hed_json_member(node, "along"), row_step);
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

static void read_garment(cloth_scene_reader *reader, hed_json_node node)
{
    cloth_scene_garment *result = scene_garment_add_garment(reader, node);
    if (!result) return;
    hed_json_only(node, cloth_scene_keys("garment"));
    *result = (cloth_scene_garment){
        .def = hed_default_cloth_garment_def(), .colour = {0.75f, 0.25f, 0.22f}};
    result->name = scene_garment_read_name(reader, node, reader->scene->garment_count - 1);
    result->def.name = result->name;
    result->output = cloth_scene_read_output(reader, node);
    uint32_t shape = cloth_scene_one_of(node, cloth_shape_keys);
    float *rest = NULL;
    if (!cloth_scene_fine(reader)) return;
    if (shape) {
        cloth_scene_read_shape(reader, node, shape, result, &rest);
    } else {
        hed_json_node file = hed_json_member(node, "mesh");
        result->mesh = cloth_scene_read_mesh(reader, file, cloth_scene_boolean(node, "mend", false));
        result->file = cloth_scene_text(reader, file, "%s", cloth_scene_path(reader, file));
    }
    cloth_scene_read_transform(reader, node, result->placing);
    if (cloth_scene_fine(reader) && shape && hed_json_has(node, "mend"))
        hed_json_reject(hed_json_member(node, "mend"), "a shape is never broken");
    if (!cloth_scene_fine(reader)) return;
    scene_garment_weld(reader, node, shape != 0, result);
    if (!cloth_scene_fine(reader)) return;
    set_positions(reader, node, result->mesh->positions, result);
    result->def.rest_positions = rest;
    set_faces(reader, node, result);
    cloth_scene_colour(node, result->colour);
    read_surroundings(reader, node, &result->def);
    read_fabric(reader, node, result);
    count_particles(reader, node, result);
    float *inverse_masses = weigh(reader, node, result);
    if (!inverse_masses || !cloth_scene_fine(reader)) return;
    cloth_scene_read_driver(reader, node, result);
    cloth_scene_read_maps(reader, node, result);
    cloth_scene_read_sewing(reader, node, result);
    cloth_scene_read_pins(reader, node, inverse_masses, result);
    if (reader->options->tethers) result->def.tethers = true;
    if (hed_json_has(node, "array"))
        scene_garment_read_array(reader, hed_json_member(node, "array"));
}

void cloth_scene_read_garments(cloth_scene_reader *reader, hed_json_node list)
{
    hed_cloth_scene *scene = reader->scene;
    size_t count = hed_json_count(list);
    if (cloth_scene_fine(reader) && (count < 1 || count > CLOTH_SCENE_GARMENTS))
        hed_json_reject(list, "expected 1 to %d garments, found %zu", CLOTH_SCENE_GARMENTS, count);
    scene->garments =
        cloth_scene_allocate(reader, list, CLOTH_SCENE_GARMENTS, sizeof *scene->garments);
    for (size_t i = 0; i < count && cloth_scene_fine(reader); i++)
        read_garment(reader, hed_json_item(list, i));
    check_names(reader, list);
    scene->garment_defs =
        cloth_scene_allocate(reader, list, scene->garment_count, sizeof *scene->garment_defs);
    for (uint32_t g = 0; scene->garment_defs && g < scene->garment_count; g++)
        scene->garment_defs[g] = scene->garments[g].def;
    scene->def.garments = scene->garment_defs;
    scene->def.garment_count = scene->garment_count;
}
