/* The keys of scene files, place by place. scene.schema.json has the same ones, which a test
 * compares. */
#include "model/scene_keys.h"

#include <stddef.h>

const char *const cloth_keys_scene[] = {"$schema", "up", "unit", "rate", "frames", "substeps",
    "iterations", "gravity", "wind", "camera", "ground", "garments", "colliders", "output_matrix",
    NULL};
const char *const cloth_keys_wind[] = {"velocity", "gust", NULL};
const char *const cloth_keys_camera[] = {
    "eye", "target", "up", "field_of_view", "width", "height", NULL};
const char *const cloth_keys_ground[] = {"height", "friction", "colour", NULL};
const char *const cloth_keys_garment[] = {"name", "mesh", "grid", "disc", "sleeve", "skirt",
    "transform", "weld", "mend", "materials", "density", "pins", "driver", "max_distance",
    "backstop_distance", "backstop_radius", "drive", "drive_stiffness", "tethers", "damping",
    "vertical_damping", "drag", "lift", "friction", "thickness", "self_collision", "copies",
    "array", "colour", "output_matrix", NULL};
const char *const cloth_keys_grid[] = {
    "width", "height", "size", "origin", "axes", "folds", "gap", NULL};
const char *const cloth_keys_disc[] = {"radius", "rings", "centre", "axis", NULL};
const char *const cloth_keys_tube[] = {
    "radius", "length", "around", "rows", "origin", "axis", NULL};
const char *const cloth_keys_materials[] = {"structural", "shear", "bend", NULL};
const char *const cloth_keys_material[] = {"compress", "stretch", "compliance", NULL};
const char *const cloth_keys_tethers[] = {"slack", NULL};
const char *const cloth_keys_array[] = {"columns", "rows", "across", "along", NULL};
const char *const cloth_keys_pin[] = {
    "vertices", "box", "colour", "above", "follow", "motion", NULL};
const char *const cloth_keys_box[] = {"low", "high", NULL};
const char *const cloth_keys_driver[] = {"mesh", "transform", "mend", "sequence", "motion", NULL};
const char *const cloth_keys_map[] = {"file", "colour", "scale", "offset", NULL};
const char *const cloth_keys_collider[] = {"plane", "sphere", "capsule", "mesh", "transform",
    "sequence", "mend", "motion", "friction", "colour", NULL};
const char *const cloth_keys_plane[] = {"point", "normal", NULL};
const char *const cloth_keys_sphere[] = {"centre", "radius", NULL};
const char *const cloth_keys_capsule[] = {"from", "to", "radius", NULL};
const char *const cloth_keys_transform[] = {"scale", "rotate", "move", NULL};
const char *const cloth_keys_turn[] = {"axis", "degrees", NULL};
const char *const cloth_keys_motion[] = {"keys", "loop", "centre", "spin", NULL};
const char *const cloth_keys_key[] = {"time", "move", "axis", "degrees", NULL};
const char *const cloth_keys_spin[] = {"axis", "degrees_per_second", NULL};
const char *const cloth_keys_sequence[] = {"file", "first", "last", "rate", "loop", NULL};

const cloth_scene_key_list cloth_scene_key_lists[] = {
    {"", cloth_keys_scene},
    {"wind", cloth_keys_wind},
    {"camera", cloth_keys_camera},
    {"ground", cloth_keys_ground},
    {"garment", cloth_keys_garment},
    {"grid", cloth_keys_grid},
    {"disc", cloth_keys_disc},
    {"sleeve", cloth_keys_tube},
    {"skirt", cloth_keys_tube},
    {"materials", cloth_keys_materials},
    {"material", cloth_keys_material},
    {"tethers", cloth_keys_tethers},
    {"array", cloth_keys_array},
    {"pin", cloth_keys_pin},
    {"box", cloth_keys_box},
    {"driver", cloth_keys_driver},
    {"map", cloth_keys_map},
    {"collider", cloth_keys_collider},
    {"plane", cloth_keys_plane},
    {"sphere", cloth_keys_sphere},
    {"capsule", cloth_keys_capsule},
    {"transform", cloth_keys_transform},
    {"turn", cloth_keys_turn},
    {"motion", cloth_keys_motion},
    {"key", cloth_keys_key},
    {"spin", cloth_keys_spin},
    {"sequence", cloth_keys_sequence},
    {NULL, NULL},
};
