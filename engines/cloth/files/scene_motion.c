/* Motion in a scene: rigid keyframes, rotation, transformation, and sequences of meshes.
 *
 * Between two keys the position moves evenly; the rotation follows the angle if both keys have
 * the same axis (so a key may be more than one revolution ahead), else the shortest arc
 * (Shoemake, Animating Rotation with Quaternion Curves, 1985). */
#include "files/cloth_scene_parts.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RADIANS (3.14159265358979323846 / 180.0)

/* ---- poses ---- */

void cloth_axis_turn(const double axis[3], double angle, double turn[9])
{
    /* Rodrigues' formula */
    double c = hed_strict_cos(angle), s = hed_strict_sin(angle), d = 1 - c, x = axis[0],
           y = axis[1], z = axis[2];
    const double result[9] = {d * x * x + c, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, d * y * y + c, d * y * z - s * x, d * x * z - s * y, d * y * z + s * x,
        d * z * z + c};
    memcpy(turn, result, sizeof result);
}

static void scene_motion_multiply(const double a[9], const double b[9], double product[9])
{
    double result[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    memcpy(product, result, sizeof result);
}

void cloth_pose_apply(const cloth_pose *pose, const float *from, float *to, uint32_t count)
{
    const double *t = pose->turn;
    for (uint32_t i = 0; i < count; i++) {
        double x = from[3 * i], y = from[3 * i + 1], z = from[3 * i + 2];
        for (int k = 0; k < 3; k++)
            to[3 * i + k] =
                (float)(t[3 * k] * x + t[3 * k + 1] * y + t[3 * k + 2] * z + pose->move[k]);
    }
}

/* ---- keyframes ---- */

bool cloth_motion_is_still(const cloth_motion *motion)
{
    return motion->key_count == 0 && motion->spin == 0;
}

static void quaternion_of(const cloth_key *key, double q[4])
{
    double s = hed_strict_sin(key->angle / 2);
    q[0] = hed_strict_cos(key->angle / 2);
    for (int i = 0; i < 3; i++) q[i + 1] = s * key->axis[i];
}

/* Interpolates the rotation between two keys with different axes. */
static void turn_between(const cloth_key *a, const cloth_key *b, double part, double turn[9])
{
    double p[4], q[4], dot = 0, r[4], size = 0;
    quaternion_of(a, p);
    quaternion_of(b, q);
    for (int i = 0; i < 4; i++) dot += p[i] * q[i];
    double sign = dot < 0 ? -1 : 1;
    double angle = hed_strict_acos(fmin(fabs(dot), 1.0)), s = hed_strict_sin(angle);
    double wp = s > 1e-6 ? hed_strict_sin((1 - part) * angle) / s : 1 - part,
           wq = s > 1e-6 ? hed_strict_sin(part * angle) / s : part;
    for (int i = 0; i < 4; i++) {
        r[i] = wp * p[i] + sign * wq * q[i];
        size += r[i] * r[i];
    }
    for (int i = 0; i < 4; i++) r[i] /= sqrt(size);
    double length = sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const double axis[3] = {length > 0 ? r[1] / length : 1, length > 0 ? r[2] / length : 0,
        length > 0 ? r[3] / length : 0};
    cloth_axis_turn(axis, 2 * hed_strict_atan2(length, r[0]), turn);
}

static void pose_of_keys(const cloth_motion *motion, double time, cloth_pose *pose)
{
    const cloth_key *keys = motion->keys;
    uint32_t last = motion->key_count - 1, low = 0, high = last;
    double start = keys[0].time, length = keys[last].time - start;
    if (motion->loop && length > 0) {
        double around = fmod(time - start, length);
        if (around < 0) around += length;
        if (keys[0].teleport && length - around <= CLOTH_JUMP_SLACK) around = 0;
        time = start + around;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (keys[middle].time <= time) low = middle;
        else high = middle;
    }
    const cloth_key *a = &keys[low], *b = &keys[high];
    double part =
        b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0.0), 1.0) : 0.0;
    if (b->teleport) part = time >= b->time - CLOTH_JUMP_SLACK;
    for (int i = 0; i < 3; i++) pose->move[i] = a->move[i] + part * (b->move[i] - a->move[i]);
    if (a->axis[0] == b->axis[0] && a->axis[1] == b->axis[1] && a->axis[2] == b->axis[2])
        cloth_axis_turn(a->axis, a->angle + part * (b->angle - a->angle), pose->turn);
    else turn_between(a, b, part, pose->turn);
}

cloth_pose cloth_motion_at(const cloth_motion *motion, double time)
{
    cloth_pose pose = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (motion->key_count) pose_of_keys(motion, time, &pose);
    if (motion->spin != 0) {
        double spin[9];
        cloth_axis_turn(motion->spin_axis, motion->spin * time, spin);
        scene_motion_multiply(pose.turn, spin, pose.turn);
    }
    const double *t = pose.turn, *c = motion->centre;
    for (int k = 0; k < 3; k++)
        pose.move[k] += c[k] - (t[3 * k] * c[0] + t[3 * k + 1] * c[1] + t[3 * k + 2] * c[2]);
    return pose;
}

static void read_angle(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(double *)at = RADIANS * hed_json_number(node, field->low, field->high);
}

#define DEGREES(type, member) \
    HED_AS_NUMBER(type, member, -CLOTH_SCENE_MUCH, CLOTH_SCENE_MUCH, "degrees"), .read = read_angle
static const hed_field key_rows[] = {
    {"time", "time, later than the key before", HED_AS_NUMBER(cloth_key, time, 0, CLOTH_SCENE_MUCH, "s"), .required = true},
    {"move", "displacement", CLOTH_POINT(cloth_key, move)},
    {"axis", "axis of the rotation; y by default", CLOTH_DIRECTION(cloth_key, axis)},
    {"degrees", "rotation, of any number of turns", DEGREES(cloth_key, angle)},
    {"teleport", "true: a jump at this time, from the key before, which stays until then; cloth jumps along, and keeps its motion", HED_AS_BOOLEAN(cloth_key, teleport)},
    {0},
};
const hed_fields cloth_key_fields = {"key", "position at a time", .rows = key_rows};

static void read_key(
    cloth_scene_reader *reader, hed_json_node node, uint32_t number, cloth_key *key)
{
    key->axis[1] = 1;
    hed_fields_read(&cloth_key_fields, node, key, reader);
    bool is_later =
        number == 0 || key->time > key[-1].time || (key->teleport && key->time == key[-1].time);
    if (cloth_scene_fine(reader) && !is_later)
        hed_json_reject(
            node, "time %g does not come after the key before, at %g", key->time, key[-1].time);
    /* A key without rotation has no axis of its own: it takes its neighbour's, so that the
     * rotation from and to it follows the angle. */
    if (number > 0 && key->angle == 0) memcpy(key->axis, key[-1].axis, sizeof key->axis);
    if (number > 0 && key[-1].angle == 0) memcpy(key[-1].axis, key->axis, sizeof key->axis);
}

static const hed_field spin_rows[] = {
    {"axis", "axis of the rotation", CLOTH_DIRECTION(cloth_motion, spin_axis), .required = true},
    {"degrees_per_second", "rate of the rotation", DEGREES(cloth_motion, spin), .required = true},
    {0},
};
const hed_fields cloth_spin_fields = {
    "spin", "continuous rotation; in a motion before the keys", .rows = spin_rows};

static void read_keys(const hed_field *field, hed_json_node list, void *at, void *user)
{
    cloth_motion *motion = at;
    size_t count = hed_field_length(field, list);
    cloth_key *keys = cloth_scene_allocate(user, list, count, sizeof *keys);
    for (uint32_t i = 0; keys && i < count; i++)
        read_key(user, hed_json_item(list, i), i, &keys[i]);
    motion->keys = keys;
    motion->key_count = keys ? (uint32_t)count : 0;
}

static const hed_field motion_rows[] = {
    {"centre", "centre of the rotations; the origin by default", CLOTH_POINT(cloth_motion, centre)},
    {"keys", "positions at times", HED_AS_LIST(&cloth_key_fields, 1, CLOTH_SCENE_KEYS, read_keys)},
    {"loop", "true: the first key follows the last one; otherwise the last one stays", HED_AS_BOOLEAN(cloth_motion, loop)},
    {"spin", NULL, HED_AS_PART(&cloth_spin_fields, NULL)},
    {0},
};
const hed_fields cloth_motion_fields = {"motion", "motion as a rigid body", .rows = motion_rows};

void cloth_scene_read_motion(cloth_scene_reader *reader, hed_json_node node, cloth_motion *motion)
{
    hed_fields_read(&cloth_motion_fields, node, motion, reader);
}

/* ---- transformation ---- */

typedef struct transform {
    double scale, turn[9], move[3];
} transform;

typedef struct axis_turn {
    double axis[3], angle;
} axis_turn;

static const hed_field turn_rows[] = {
    {"axis", "axis of the rotation", CLOTH_DIRECTION(axis_turn, axis), .required = true},
    {"degrees", "angle", DEGREES(axis_turn, angle), .required = true},
    {0},
};
const hed_fields cloth_turn_fields = {"turn", "rotation around the origin", .rows = turn_rows};

/* Reads one rotation, or a list of rotations, one after another. */
static void read_turns(const hed_field *field, hed_json_node node, void *at, void *user)
{
    double *turn = ((transform *)at)->turn;
    bool list = hed_json_kind_of(node) == HED_JSON_ARRAY;
    size_t count = list ? hed_json_count(node) : 1;
    for (size_t i = 0; i < count; i++) {
        axis_turn entry = {0};
        double rotation[9];
        hed_fields_read(&cloth_turn_fields, list ? hed_json_item(node, i) : node, &entry, user);
        cloth_axis_turn(entry.axis, entry.angle, rotation);
        scene_motion_multiply(rotation, turn, turn);
    }
}

static const hed_field transform_rows[] = {
    {"scale", "factor of all lengths", HED_AS_NUMBER(transform, scale, 1e-6, 1e6, NULL)},
    {"rotate", "rotations, after the scaling", HED_AS_OTHER("turns", read_turns)},
    {"move", "displacement, after the rotations", CLOTH_POINT(transform, move)},
    {0},
};
static const transform transform_defaults = {1, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
const hed_fields cloth_transform_fields = {"transform", "scaling, rotations and displacement",
    .rows = transform_rows, .defaults = &transform_defaults};

void cloth_scene_read_transform(cloth_scene_reader *reader, hed_json_node object, double matrix[12])
{
    transform t = transform_defaults;
    if (hed_json_has(object, "transform"))
        hed_fields_read(&cloth_transform_fields, hed_json_member(object, "transform"), &t, reader);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            matrix[4 * i + k] = reader->scene->unit * t.scale * t.turn[3 * i + k];
        matrix[4 * i + 3] = t.move[i];
    }
}

static void scene_motion_read_matrix(
    cloth_scene_reader *reader, hed_json_node node, double matrix[12])
{
    static const double limit = 1e6;
    double rows[16] = {0};
    if (hed_json_count(node) != 4) hed_json_reject(node, "expected four rows of four numbers");
    for (size_t i = 0; i < 4 && cloth_scene_fine(reader); i++)
        hed_json_numbers(hed_json_item(node, i), rows + 4 * i, 4, -limit, limit);
    if (!cloth_scene_fine(reader)) return;
    const double *a = rows, *b = rows + 4, *c = rows + 8;
    double size = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    if (rows[12] != 0 || rows[13] != 0 || rows[14] != 0 || rows[15] != 1)
        hed_json_reject(node, "its last row is not 0 0 0 1: perspectives are not written");
    else if (!(fabs(size) > 1e-30))
        hed_json_reject(node, "makes everything flat (its determinant is %g)", size);
    memcpy(matrix, rows, 12 * sizeof *matrix);
}

/* Reads one matrix, or a list of matrices: there the first number is one level deeper. */
cloth_output cloth_scene_read_output(cloth_scene_reader *reader, hed_json_node object)
{
    cloth_output output = {0};
    if (!hed_json_has(object, "output_matrix")) return output;
    hed_json_node node = hed_json_member(object, "output_matrix");
    size_t count = hed_json_count(node);
    hed_json_node inner = count ? hed_json_item(node, 0) : node;
    bool list = count && hed_json_kind_of(inner) == HED_JSON_ARRAY && hed_json_count(inner) &&
                hed_json_kind_of(hed_json_item(inner, 0)) == HED_JSON_ARRAY;
    if (!list) count = 1;
    double *matrices = cloth_scene_allocate(reader, node, count, 12 * sizeof *matrices);
    if (!matrices) return output;
    for (size_t i = 0; i < count && cloth_scene_fine(reader); i++)
        scene_motion_read_matrix(reader, list ? hed_json_item(node, i) : node, matrices + 12 * i);
    return (cloth_output){(uint32_t)count, matrices};
}

void cloth_scene_place(const double matrix[12], const float *from, float *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double x = from[3 * i], y = from[3 * i + 1], z = from[3 * i + 2];
        for (int k = 0; k < 3; k++) {
            const double *row = &matrix[4 * k];
            to[3 * i + k] = (float)(row[0] * x + row[1] * y + row[2] * z + row[3]);
        }
    }
}
