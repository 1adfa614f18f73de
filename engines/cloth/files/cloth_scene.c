/* Scene files: opening, settings of the whole scene, and queries of an open scene. */
#include "files/cloth_scene_parts.h"
#include "files/mesh_file.h"
#include "model/fabrics.h"

#include "heddle/author.h"
#include "heddle/cloth_layers.h"
#include "support/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source hed_cloth_scene_files[]; /* generated from scene.schema.json */

const char *hed_cloth_scene_schema(void) { return hed_cloth_scene_files[0].text; }

/* ---- settings ---- */

static const char *const axis_words[] = {"x", "y", "z", NULL};

static void read_unit(const hed_field *field, hed_json_node unit, void *at, void *user)
{
    static const char *const units[] = {"m", "dm", "cm", "mm", "in", "ft", NULL};
    static const double metres[] = {1, 0.1, 0.01, 0.001, 0.0254, 0.3048, 1};
    double value = hed_json_kind_of(unit) == HED_JSON_NUMBER ? hed_json_number(unit, 1e-6, 1e6)
                                                             : metres[hed_json_choice(unit, units)];
    if (cloth_scene_fine(user)) *(double *)at = value;
}

static void read_gravity(const hed_field *field, hed_json_node node, void *at, void *user)
{
    static const double limit = 1e4;
    hed_cloth_scene *scene = at;
    if (hed_json_kind_of(node) == HED_JSON_ARRAY)
        hed_json_numbers(node, scene->gravity, 3, -limit, limit);
    else scene->gravity[scene->def.up] = -hed_json_number(node, -limit, limit);
}

static const hed_cloth_scene scene_defaults = {
    .unit = 1, .rate = 60, .def = {.up = 1, .iterations = 1}};

static void read_carrier(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_cloth_scene *scene = at;
    scene->carried = true;
    cloth_scene_read_motion(user, node, &scene->carrier);
}

static const hed_field scene_rows[] = {
    {"$schema", "schema, for editors", .kind = HED_FIELD_TEXT},
    {"up", "vertical axis", HED_AS_CHOICE(hed_cloth_scene, def.up, axis_words)},
    {"unit", "unit of lengths; m by default", HED_MEMBER(hed_cloth_scene, unit),
        HED_AS_OTHER("unit", read_unit)},
    {"rate", "frames in a second", HED_AS_NUMBER(hed_cloth_scene, rate, 1, 10000, NULL)},
    {"frames", "number of frames, unless the command line has it",
        HED_AS_INTEGER(hed_cloth_scene, frames, 1, 10000000)},
    {"substeps",
        "substeps of a frame; more of them stretch less; 0, or left out: chosen, with lattices for grids",
        HED_AS_INTEGER(hed_cloth_scene, def.substeps, 0, 1000)},
    {"iterations", "iterations of a substep; substeps improve more for the same time",
        HED_AS_INTEGER(hed_cloth_scene, def.iterations, 1, 100)},
    {"gravity", "acceleration; 9.81 downwards by default", HED_AS_OTHER("gravity", read_gravity)},
    {"wind", NULL, HED_AS_PART(&cloth_wind_fields, cloth_scene_read_wind)},
    {"garments", "cloth",
        HED_AS_LIST(&cloth_garment_fields, 1, CLOTH_SCENE_GARMENTS, cloth_scene_read_garments),
        .required = true},
    {"ground", NULL, HED_AS_OTHER("ground", NULL)},
    {"colliders", "bodies that stop the garments",
        HED_AS_LIST(&cloth_collider_fields, 0, CLOTH_SCENE_COLLIDERS, NULL)},
    {"carrier", "motion of the garments' frame of reference, such as a running character's",
        HED_AS_PART(&cloth_motion_fields, read_carrier)},
    {"camera", NULL, HED_AS_OTHER("camera", NULL)},
    {"output_matrix", "matrix that is applied to written files; a garment may have its own",
        HED_AS_OTHER("matrices", NULL)},
    {0},
};
static const hed_fields scene_fields = {"", NULL, .rows = scene_rows, .defaults = &scene_defaults};

static const hed_fields *const scene_tables[] = {&scene_fields, &cloth_garment_fields,
    &cloth_grid_fields, &cloth_disc_fields, &cloth_sleeve_fields, &cloth_skirt_fields,
    &cloth_fabric_fields, &cloth_materials_fields, &cloth_material_fields, &cloth_tethers_fields,
    &cloth_inertia_fields, &cloth_array_fields, &cloth_sewing_fields, &cloth_seam_fields,
    &cloth_pin_fields, &cloth_box_fields, &cloth_driver_fields, &cloth_map_fields,
    &cloth_collider_fields, &cloth_plane_fields, &cloth_sphere_fields, &cloth_capsule_fields,
    &cloth_ground_fields, &cloth_transform_fields, &cloth_turn_fields, &cloth_motion_fields,
    &cloth_key_fields, &cloth_spin_fields, &cloth_sequence_fields, &cloth_wind_fields,
    &cloth_fan_fields, &cloth_wind_grid_fields, &cloth_camera_fields, NULL};

#define NUMBERS(count, limits) \
    "'type': 'array', 'minItems': " count ", 'maxItems': " count \
    ", 'items': {'type': 'number'" limits "}"
#define FABRIC_KEY(name, ...) "'" name "'"
#define NEXT_FABRIC_KEY(name, ...) ", '" name "'"
#define FABRIC_TEXT(name, ...) "`" name "`"
#define NEXT_FABRIC_TEXT(name, ...) ", `" name "`"
#define FABRICS "'enum': [" CLOTH_FABRICS(FABRIC_KEY, NEXT_FABRIC_KEY) "]"
static const hed_form scene_forms[] = {
    {"unit", "`m`, `dm`, `cm`, `mm`, `in`, `ft`, or number of metres from 1e-6 to 1e6",
        "'anyOf': [{'enum': ['m', 'dm', 'cm', 'mm', 'in', 'ft']}, {'type': 'number', 'minimum': 1e-06, 'maximum': 1000000}]"},
    {"gravity", "number downwards, or 3 numbers, from -10000 to 10000, m/s^2",
        "'anyOf': [{'type': 'number', 'minimum': -10000, 'maximum': 10000}, {" NUMBERS(
            "3", ", 'minimum': -10000, 'maximum': 10000") "}]"},
    {"point", "3 numbers, at most ten kilometres from the origin", NUMBERS("3", "")},
    {"direction", "`x`, `y`, `z`, `-x`, `-y`, `-z`, or 3 numbers of any length above 0",
        "'anyOf': [{'enum': ['x', 'y', 'z', '-x', '-y', '-z']}, {" NUMBERS("3", "") "}]"},
    {"velocity", "3 numbers from -1000 to 1000, m/s",
        NUMBERS("3", ", 'minimum': -1000, 'maximum': 1000")},
    {"velocities",
        "3 numbers, or list with 3 numbers for each frame, the last of which apply to all later frames, m/s",
        "'anyOf': [{'$ref': '#/$defs/velocity'}, {'type': 'array', 'minItems': 1, 'items': {'$ref': '#/$defs/velocity'}}]"},
    {"matrix", "4 rows of 4 numbers, the last 0 0 0 1",
        "'type': 'array', 'minItems': 4, 'maxItems': 4, 'items': {" NUMBERS(
            "4", ", 'minimum': -1000000, 'maximum': 1000000") "}"},
    {"matrices",
        "4 rows of 4 numbers, or list with a matrix for each sample, the last of which applies to all later samples",
        "'anyOf': [{'$ref': '#/$defs/matrix'}, {'type': 'array', 'minItems': 1, 'items': {'$ref': '#/$defs/matrix'}}]"},
    {"times", "list of numbers from 0, one after another, s",
        "'type': 'array', 'items': {'type': 'number', 'minimum': 0, 'maximum': 1000000}"},
    {"name", "1 to 48 letters, digits, - and _",
        "'type': 'string', 'pattern': '^[A-Za-z0-9_-]{1,48}$'"},
    {"weld", "number from 0 to 1e6 in the mesh's lengths, or boolean",
        "'anyOf': [{'type': 'number', 'minimum': 0, 'maximum': 1000000}, {'type': 'boolean'}]"},
    {"fabric_name", "one of " CLOTH_FABRICS(FABRIC_TEXT, NEXT_FABRIC_TEXT), FABRICS},
    {"fabric_or_name", "name of a fabric, or object: `fabric`",
        "'anyOf': [{" FABRICS "}, {'$ref': '#/$defs/fabric'}]"},
    {"painted", "number for all vertices, list of a number for each vertex, or object: `map`",
        "'anyOf': [{'type': 'number'}, {'type': 'array', 'items': {'type': 'number'}}, {'$ref': '#/$defs/map'}]"},
    {"tethered", "boolean, or object: `tethers`",
        "'anyOf': [{'type': 'boolean'}, {'$ref': '#/$defs/tethers'}]"},
    {"self_collision", "boolean, `triangles` or `balls`",
        "'anyOf': [{'type': 'boolean'}, {'enum': ['triangles', 'balls']}]"},
    {"axes", "2 directions",
        "'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'$ref': '#/$defs/direction'}"},
    {"family", "boolean, or object: `material`",
        "'anyOf': [{'type': 'boolean'}, {'$ref': '#/$defs/material'}]"},
    {"vertices", "list of numbers of vertices, from 0",
        "'type': 'array', 'items': {'type': 'integer', 'minimum': 0}"},
    {"channel", "`red`, `green`, `blue` or `alpha`", "'enum': ['red', 'green', 'blue', 'alpha']"},
    {"radii", "number above 0, or 2 numbers: one for each end",
        "'anyOf': [{'type': 'number', 'exclusiveMinimum': 0}, {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'type': 'number', 'exclusiveMinimum': 0}}]"},
    {"turns", "object: `turn`, or list of `turn`",
        "'anyOf': [{'$ref': '#/$defs/turn'}, {'type': 'array', 'items': {'$ref': '#/$defs/turn'}}]"},
    {0},
};

const hed_document cloth_scene_document = {"Heddle cloth scene",
    "Garments, drivers and colliders: heddle cloth run FILE. Lengths are in the scene's unit; gravity is m/s^2, wind m/s, density kg/m^2, compliance m/N, time s. Names of files are relative to this one. docs/cloth-scene.md explains the format.",
    scene_tables, scene_forms};

/* Reads the scene but for its surroundings. */
static void scene_read_document(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    scene->def = hed_default_cloth_def();
    scene->unit = 1;
    scene->rate = 60;
    hed_fields_read(&scene_fields, root, scene, reader);
    if (!hed_json_has(root, "gravity")) scene->gravity[scene->def.up] = -9.81;
    scene->def.frame_seconds = (float)(1 / scene->rate);
    if (reader->options->substeps) scene->def.substeps = reader->options->substeps;
}

/* Allocates the arrays that hed_cloth_scene_frame() fills. */
static void scene_make_room(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    bool driven = false, normals = false;
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        driven |= scene->garments[g].def.driven;
        normals |= scene->garments[g].def.backstop_distance != NULL;
    }
    if (driven)
        scene->driver_positions =
            cloth_scene_allocate(reader, root, scene->particle_count, 3 * sizeof(float));
    if (normals)
        scene->driver_normals =
            cloth_scene_allocate(reader, root, scene->particle_count, 3 * sizeof(float));
    if (cloth_scene_has_jumps(scene))
        scene->teleports =
            cloth_scene_allocate(reader, root, scene->garment_count, 16 * sizeof(float));
    for (int k = 0; k < 3; k++) scene->transform[5 * k] = (float)(1 / scene->unit);
    scene->transform[15] = 1;
}

/* ---- opening ---- */

/* Computes the driver's positions of a garment's particles; copies of the garment follow, with
 * the same positions. */
static void scene_drive(
    const cloth_scene_garment *garment, double time, float *positions, float *normals)
{
    size_t count = garment->def.particle_count, bytes = count * 3 * sizeof(float);
    const cloth_body *driver = garment->driver;
    memcpy(positions, driver && !garment->holds ? driver->now : garment->positions, bytes);
    if (normals && driver && !garment->holds) memcpy(normals, driver->normals, bytes);
    for (size_t i = 0; garment->holds && i < count; i++)
        cloth_body_follow(
            driver, &garment->holds[i], &positions[3 * i], normals ? &normals[3 * i] : NULL);
    for (size_t i = 0; garment->still && driver && i < count; i++)
        if (garment->still[i])
            memcpy(&positions[3 * i], &garment->positions[3 * i], 3 * sizeof(float));
    for (uint32_t p = 0; p < garment->pins_count; p++) {
        const cloth_pins *pins = &garment->pins[p];
        cloth_pose pose = cloth_motion_at(&pins->motion, time);
        for (uint32_t i = 0; i < pins->count; i++) {
            size_t at = 3 * (size_t)pins->particles[i];
            cloth_pose_apply(&pose, &garment->positions[at], &positions[at], 1);
        }
    }
    for (size_t i = 0; i < 3 * count; i++) positions[i] += garment->shift[i % 3];
    for (uint32_t copy = 1; copy < garment->def.copies; copy++) {
        memcpy(positions + 3 * count * copy, positions, bytes);
        if (normals) memcpy(normals + 3 * count * copy, normals, bytes);
    }
}

static void drive_all(hed_cloth_scene *scene, double time)
{
    size_t first = 0;
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        const cloth_scene_garment *garment = &scene->garments[g];
        /* garments of one array have one driver */
        bool is_moved = g > 0 && garment->driver == garment[-1].driver;
        if (garment->driver && !is_moved) cloth_body_move(garment->driver, time);
        if (garment->def.driven)
            scene_drive(garment, time, scene->driver_positions + 3 * first,
                garment->def.backstop_distance ? scene->driver_normals + 3 * first : NULL);
        first += (size_t)garment->def.particle_count * garment->def.copies;
    }
}

static hed_cloth_collider simple_at(const cloth_obstacle *obstacle, double time)
{
    hed_cloth_collider simple = obstacle->simple;
    cloth_pose pose = cloth_motion_at(&obstacle->motion, time);
    cloth_pose_apply(&pose, obstacle->simple.a, simple.a, 1);
    /* a normal only rotates */
    if (simple.shape == HED_CLOTH_PLANE) memset(pose.move, 0, sizeof pose.move);
    cloth_pose_apply(&pose, obstacle->simple.b, simple.b, 1);
    return simple;
}

/* Moves the colliders from one time to another. `is_first`: the frame has their positions at time
 * 0, too; later frames begin where the one before ended. A collider that jumps is at its end from
 * the frame's beginning on. */
static void move_colliders(
    hed_cloth_scene *scene, double from, double time, bool is_first, hed_cloth_frame *frame)
{
    bool has_starts = is_first;
    for (uint32_t i = 0; i < scene->obstacle_count; i++) {
        const cloth_obstacle *obstacle = &scene->obstacles[i];
        bool jumps = obstacle->body ? cloth_body_jumps(obstacle->body, from, time)
                                    : cloth_motion_jumps(&obstacle->motion, from, time);
        if (obstacle->body) {
            cloth_body_move(obstacle->body, time);
            const float *start = jumps      ? obstacle->body->now
                                 : is_first ? obstacle->body->start
                                            : NULL;
            scene->mesh_colliders[frame->mesh_count++] = (hed_cloth_mesh_collider){
                obstacle->body->vertex_count, obstacle->body->triangle_count, obstacle->body->now,
                obstacle->body->triangles, obstacle->friction, start};
            continue;
        }
        uint32_t at = frame->collider_count++;
        scene->colliders[at] = simple_at(obstacle, time);
        scene->collider_starts[at] = simple_at(obstacle, jumps ? time : from);
        has_starts |= jumps;
    }
    frame->colliders = scene->colliders;
    frame->collider_starts = has_starts ? scene->collider_starts : NULL;
    frame->meshes = scene->mesh_colliders;
}

/* stretch (p99) of a garment that was moved out automatically, above which it is too small for the
 * body, and gets its new shape as its rest shape */
#define TOO_SMALL 0.05

/* Warns of a garment that was moved out, or could not be. */
static void tell_laid(cloth_scene_reader *reader, uint32_t garment, const hed_cloth_laid *laid)
{
    const hed_cloth_garment_def *def = &reader->scene->garment_defs[garment];
    const char *name = reader->scene->garments[garment].name;
    char begins[192], size[128] = "its lengths at rest", left[96] = "";
    if (def->layer != HED_CLOTH_LAYER_AUTO) {
        if (laid->moved)
            cloth_scene_warn(reader,
                "garment \"%s\" on layer %u: %u of %u particles begin further out, at most %s m",
                name, def->layer, laid->moved, def->particle_count,
                hed_digits(laid->farthest, 3).text);
        return;
    }
    snprintf(begins, sizeof begins,
        "garment \"%s\" begins within a body: %u of %u particles, at most %s mm deep", name,
        laid->within, def->particle_count, hed_digits(1e3 * laid->deepest, 2).text);
    if (laid->stretch_p99 > TOO_SMALL)
        snprintf(size, sizeof size,
            "its new size, since it is too small for the body by %s %% (99th percentile)",
            hed_digits(100 * laid->stretch_p99, 2).text);
    if (laid->crossings)
        snprintf(left, sizeof left, "; %llu triangles still cross, for lack of room",
            (unsigned long long)laid->crossings);
    if (laid->moved)
        cloth_scene_warn(reader,
            "%s. It is moved out before the first frame, by at most %s mm, and keeps %s%s", begins,
            hed_digits(1e3 * laid->farthest, 2).text, size, left);
    else if (laid->crossings)
        cloth_scene_warn(reader, "%s. It keeps its start, since there is no room outside", begins);
}

/* Moves garments out of the bodies and of lower layers, at the start. The rest shape of a garment
 * with a layer, if it is its start, becomes the new shape, too: a return to the old shape would
 * accelerate it inwards. A garment that is moved automatically has regained its lengths at rest
 * where there is room, and keeps them unless it is too small. */
static void scene_lay(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    hed_cloth_frame frame = {0};
    hed_error error = {0};
    bool layers = scene->obstacle_count > 0;
    uint64_t particles = 0;
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        uint32_t layer = scene->garments[g].def.layer;
        layers |= layer > 0 && layer != HED_CLOTH_LAYER_AUTO;
        particles += scene->garments[g].def.particle_count;
    }
    if (!layers) return;
    float *positions = cloth_scene_allocate(reader, root, particles, 3 * sizeof *positions);
    hed_cloth_laid *laid = cloth_scene_allocate(reader, root, scene->garment_count, sizeof *laid);
    if (!positions || !laid) return;
    move_colliders(scene, 0, 0, false, &frame);
    hed_cloth_lay(scene->garment_defs, scene->garment_count, &frame, positions, laid, &error);
    if (cloth_scene_failed(hed_json_member(root, "garments"), &error)) return;
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        hed_cloth_garment_def *def = &scene->garment_defs[g];
        if (laid[g].moved) {
            if (def->layer == HED_CLOTH_LAYER_AUTO && laid[g].stretch_p99 > TOO_SMALL)
                def->rest_positions = NULL;
            else if (def->layer == HED_CLOTH_LAYER_AUTO && !def->rest_positions)
                def->rest_positions = def->positions;
            def->positions = positions;
            scene->garments[g].def = *def;
        }
        tell_laid(reader, g, &laid[g]);
        positions += 3 * (size_t)def->particle_count;
    }
}

/* m; a driver nearer to the start of its garment differs by the rounding of files */
#define POSED 1e-3f

/* Begins garments where their drivers are at time 0, such as in the first pose of a skeleton; their
 * rest shape stays that of the mesh. Otherwise the first frame would move them through the whole
 * difference. */
static void scene_pose(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    if (!scene->driver_positions) return;
    const float *driven = scene->driver_positions;
    drive_all(scene, 0);
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        cloth_scene_garment *garment = &scene->garments[g];
        hed_cloth_garment_def *def = &scene->garment_defs[g];
        size_t count = 3 * (size_t)def->particle_count;
        bool is_posed = false;
        for (size_t i = 0; garment->driver && i < count; i++)
            is_posed |= fabsf(driven[i] - def->positions[i]) > POSED;
        if (is_posed) {
            float *positions = cloth_scene_allocate(reader, root, count, sizeof *positions);
            if (!positions) return;
            memcpy(positions, driven, count * sizeof *positions);
            if (!def->rest_positions) def->rest_positions = def->positions;
            def->positions = positions;
            garment->def = *def;
        }
        driven += count * def->copies;
    }
}

/* Loads a scene from a document, which it frees. */
static hed_status scene_load(hed_json *json, const char *name, const char *folder,
    const hed_cloth_scene_options *options, hed_cloth_scene **scene, hed_error *error)
{
    static const hed_cloth_scene_options plain = {0};
    hed_cloth_scene *result = calloc(1, sizeof *result);
    cloth_scene_reader reader = {result, json, folder, options ? options : &plain};
    hed_status status = HED_ERROR_MEMORY;
    if (!result) {
        hed_fail(error, status, "out of memory for %s", name);
    } else {
        hed_json_node root = hed_json_root(reader.json);
        scene_read_document(&reader, root);
        if (cloth_scene_fine(&reader)) cloth_scene_read_obstacles(&reader, root);
        cloth_scene_read_camera(&reader, root);
        reader.scene->output = cloth_scene_read_output(&reader, root);
        if (cloth_scene_fine(&reader)) scene_make_room(&reader, root);
        if (cloth_scene_fine(&reader)) scene_pose(&reader, root);
        if (cloth_scene_fine(&reader)) scene_lay(&reader, root);
        if (cloth_scene_fine(&reader)) cloth_scene_show(reader.scene, 0);
        status = hed_json_status(json, error);
    }
    hed_json_free(json);
    if (status == HED_OK) *scene = result;
    else hed_cloth_scene_close(result);
    return status;
}

hed_status hed_cloth_scene_open(const char *path, const hed_cloth_scene_options *options,
    hed_cloth_scene **scene, hed_error *error)
{
    static const char *const endings[] = {
        ".obj", ".ply", ".stl", ".glb", ".gltf", ".abc", ".fbx", ".dae", ".usda", ".pc2"};
    HED_REQUIRE(path, scene);
    *scene = NULL;
    for (size_t i = 0; i < HED_COUNT(endings); i++)
        if (cloth_path_ends(path, endings[i]))
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: no scene; expected a JSON file, in which a garment's \"mesh\" names the file. "
                "\"heddle cloth drape\" lets a mesh alone fall on a body",
                path);
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
    if (status != HED_OK) return status;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 2);
    if (!folder) {
        hed_json_free(json);
        return HED_OUT_OF_MEMORY(error, "%s", path);
    }
    memcpy(folder, path, length);
    strcpy(folder + length, slash && length == 0 ? "/" : "");
    status = scene_load(json, path, folder, options, scene, error);
    free(folder);
    return status;
}

hed_status hed_cloth_scene_parse(const char *text, size_t size, const char *name,
    const char *folder, const hed_cloth_scene_options *options, hed_cloth_scene **scene,
    hed_error *error)
{
    HED_REQUIRE(name, text || !size, folder, scene);
    *scene = NULL;
    hed_json *json;
    hed_status status = hed_json_parse(name, text, size, &json, error);
    return status == HED_OK ? scene_load(json, name, folder, options, scene, error) : status;
}

void hed_cloth_scene_close(hed_cloth_scene *scene)
{
    if (!scene) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++) hed_cloth_mesh_free(scene->meshes[i]);
    free(scene->meshes);
    cloth_scene_free_blocks(scene);
    free(scene);
}

/* ---- queries ---- */

hed_cloth_def hed_cloth_scene_def(const hed_cloth_scene *scene)
{
    if (!scene) return (hed_cloth_def){0};
    return scene->def;
}
double hed_cloth_scene_rate(const hed_cloth_scene *scene)
{
    if (!scene) return 0;
    return scene->rate;
}
double hed_cloth_scene_unit(const hed_cloth_scene *scene)
{
    if (!scene) return 0;
    return scene->unit;
}
uint32_t hed_cloth_scene_frames(const hed_cloth_scene *scene)
{
    if (!scene) return 0;
    return scene->frames;
}
uint32_t hed_cloth_scene_garment_count(const hed_cloth_scene *scene)
{
    if (!scene) return 0;
    return scene->garment_count;
}
const hed_cloth_mesh *hed_cloth_scene_mesh(const hed_cloth_scene *scene, uint32_t garment)
{
    if (!scene) return NULL;
    return scene->garments[garment].mesh;
}
const char *hed_cloth_scene_file(const hed_cloth_scene *scene, uint32_t garment)
{
    if (!scene) return NULL;
    return scene->garments[garment].file;
}
const char *hed_cloth_scene_garment_name(const hed_cloth_scene *scene, uint32_t garment)
{
    if (!scene) return "";
    return scene->garments[garment].name;
}
hed_cloth_camera hed_cloth_scene_camera(const hed_cloth_scene *scene)
{
    if (!scene) return (hed_cloth_camera){0};
    return scene->camera;
}

void hed_cloth_scene_colour(const hed_cloth_scene *scene, uint32_t garment, float rgb[3])
{
    if (!scene || !rgb) return;
    memcpy(rgb, scene->garments[garment].colour, 3 * sizeof *rgb);
}

bool hed_cloth_scene_output(
    const hed_cloth_scene *scene, uint32_t garment, uint32_t sample, double matrix[12])
{
    if (!scene || !matrix) return false;
    const cloth_output *garment_output = &scene->garments[garment].output,
                       *output = garment_output->count ? garment_output : &scene->output;
    if (output->count == 0) return false;
    size_t index = sample < output->count ? sample : output->count - 1;
    memcpy(matrix, output->matrices + 12 * index, 12 * sizeof *matrix);
    return true;
}

void hed_cloth_scene_start(const hed_cloth_scene *scene, float *positions)
{
    if (!scene || !positions) return;
    /* the same factor as in the transform of every frame, so that resting particles have the
     * same bits */
    float factor = (float)(1 / scene->unit);
    for (uint32_t g = 0; g < scene->garment_count; g++) {
        const cloth_scene_garment *garment = &scene->garments[g];
        for (uint32_t copy = 0; copy < garment->def.copies; copy++)
            for (uint32_t i = 0; i < garment->mesh->vertex_count; i++, positions += 3)
                for (int k = 0; k < 3; k++)
                    positions[k] =
                        garment->def.positions[3 * (size_t)garment->particle_of[i] + (size_t)k] *
                        factor;
    }
}

/* ---- a frame ---- */

/* Computes the carrier's motion from one time to another. */
static void carry(hed_cloth_scene *scene, double from, double to, hed_cloth_frame *frame)
{
    cloth_pose first = cloth_motion_at(&scene->carrier, from),
               last = cloth_motion_at(&scene->carrier, to);
    const double *a = first.turn, *b = last.turn, *c = scene->carrier.centre;
    float *motion = scene->carrier_motion;
    motion[15] = 1;
    for (int row = 0; row < 3; row++) {
        double shift = last.move[row], centre = first.move[row];
        for (int k = 0; k < 3; k++) {
            double turn = 0; /* rotation: the first one undone, then the last one */
            for (int i = 0; i < 3; i++) turn += b[3 * row + i] * a[3 * k + i];
            motion[4 * k + row] = (float)turn;
            shift -= turn * first.move[k];
            centre += a[3 * row + k] * c[k];
        }
        motion[12 + row] = (float)shift;
        frame->motion_centre[row] = (float)centre;
    }
    frame->motion = motion;
}

hed_status hed_cloth_scene_frame(
    hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame, hed_error *error)
{
    HED_REQUIRE(scene, frame);
    (void)error; /* all memory was allocated when the scene was opened */
    double time = ((double)number + 1) / rate;
    *frame = hed_default_cloth_frame();
    frame->seconds = 1 / rate;
    for (int k = 0; k < 3; k++) frame->gravity[k] = (float)scene->gravity[k];
    cloth_scene_blow(scene, number, rate, frame);
    double start = number / rate;
    bool jumps = scene->teleports && cloth_scene_jumps(scene, start, time);
    if (scene->driver_positions) drive_all(scene, time);
    frame->driver_positions = scene->driver_positions;
    frame->driver_normals = scene->driver_normals;
    move_colliders(scene, start, time, number == 0, frame);
    if (jumps) frame->teleports = scene->teleports;
    if (scene->carried && !cloth_motion_jumps(&scene->carrier, start, time))
        carry(scene, start, time, frame);
    if (scene->unit != 1) frame->transform = scene->transform;
    cloth_scene_show(scene, time);
    return HED_OK;
}
