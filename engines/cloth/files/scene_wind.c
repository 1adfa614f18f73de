/* Wind of a scene: one velocity, or one for each frame; fans; a grid of velocities. */
#include "files/cloth_scene_parts.h"

#include "heddle/author.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

enum { MOST_FANS = 64, MOST_NODES = 1 << 24 };
static const double fastest = 1e3; /* m/s */

/* ---- reading ---- */

static void read_velocities(const hed_field *field, hed_json_node velocity, void *at, void *user)
{
    hed_cloth_scene *scene = at;
    size_t count = hed_json_count(velocity);
    bool list = count && hed_json_kind_of(hed_json_item(velocity, 0)) == HED_JSON_ARRAY;
    if (!list) count = 1;
    double *winds = cloth_scene_allocate(user, velocity, count, 3 * sizeof *winds);
    for (size_t i = 0; winds && i < count; i++)
        hed_json_numbers(
            list ? hed_json_item(velocity, i) : velocity, winds + 3 * i, 3, -fastest, fastest);
    scene->winds = winds;
    scene->wind_count = winds ? (uint32_t)count : 0;
}

static void read_spread(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(double *)at =
        hed_json_number(node, field->low, field->high) * (3.14159265358979323846 / 180.0);
}

static const hed_field fan_rows[] = {
    {"position", "centre of the outlet", CLOTH_POINT(cloth_scene_fan, position), .required = true},
    {"direction", "direction of the air", CLOTH_DIRECTION(cloth_scene_fan, direction), .required = true},
    {"radius", "radius of the outlet", CLOTH_LENGTH(cloth_scene_fan, radius, 0), .required = true},
    {"speed", "speed in the middle of the outlet; below 0 the fan sucks", HED_AS_NUMBER(cloth_scene_fan, speed, -1000, 1000, "m/s"), .required = true},
    {"spread", "half the angle of the jet, whose air slows down as it widens; 12 by default", HED_AS_NUMBER(cloth_scene_fan, spread, 0, 80, "degrees"), .read = read_spread},
    {"motion", "motion of the fan", HED_AS_OTHER("motion", NULL)},
    {0},
};
const hed_fields cloth_fan_fields = {"fan", "jet of air", .rows = fan_rows};

static void read_fan(cloth_scene_reader *reader, hed_json_node node, cloth_scene_fan *fan)
{
    fan->spread = 12 * (3.14159265358979323846 / 180.0);
    hed_fields_read(&cloth_fan_fields, node, fan, reader);
    if (cloth_scene_fine(reader) && !(fan->radius >= 1e-3 && fan->radius <= CLOTH_SCENE_FAR))
        hed_json_reject(hed_json_member(node, "radius"), "%g m; expected 0.001 m to 10 km", fan->radius);
    if (hed_json_has(node, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &fan->motion);
}

static void read_fans(const hed_field *field, hed_json_node list, void *at, void *user)
{
    hed_cloth_scene *scene = at;
    size_t count = hed_field_length(field, list);
    cloth_scene_fan *fans = cloth_scene_allocate(user, list, count, sizeof *fans);
    scene->jets = cloth_scene_allocate(user, list, count, sizeof *scene->jets);
    for (size_t i = 0; fans && i < count && cloth_scene_fine(user); i++)
        read_fan(user, hed_json_item(list, i), &fans[i]);
    scene->fans = fans;
    scene->fan_count = fans && scene->jets ? (uint32_t)count : 0;
    scene->def.max_fans = scene->fan_count;
}

typedef struct grid_numbers {
    double size[3], low[3], high[3];
} grid_numbers;

static const hed_field grid_rows[] = {
    {"file", "name of a text file with three numbers for each node, m/s; nodes along x come first, then y, then z", .kind = HED_FIELD_TEXT, .required = true},
    {"size", "nodes along x, y and z", HED_AS_VECTOR(grid_numbers, size, 3, 2, 1024, NULL), .required = true},
    {"low", "position of the first node", CLOTH_POINT(grid_numbers, low), .required = true},
    {"high", "position of the last node", CLOTH_POINT(grid_numbers, high), .required = true},
    {0},
};
const hed_fields cloth_wind_grid_fields = {"wind_grid",
    "velocities of the air in a box, linear between its nodes, 0 outside", .rows = grid_rows};

static void read_grid(const hed_field *field, hed_json_node node, void *at, void *user)
{
    cloth_scene_reader *reader = user;
    hed_cloth_wind_grid *grid = &((hed_cloth_scene *)at)->grid;
    grid_numbers numbers = {{0}, {0}, {0}};
    double nodes = 1;
    hed_fields_read(&cloth_wind_grid_fields, node, &numbers, reader);
    if (!cloth_scene_fine(reader)) return;
    for (int k = 0; k < 3; k++) {
        if (numbers.size[k] != floor(numbers.size[k]))
            hed_json_reject(hed_json_item(hed_json_member(node, "size"), (size_t)k),
                "%g is no whole number of nodes", numbers.size[k]);
        else if (!(numbers.high[k] - numbers.low[k] >= 1e-3))
            hed_json_reject(hed_json_item(hed_json_member(node, "high"), (size_t)k),
                "%g is not above \"low\", %g", numbers.high[k] / reader->scene->unit,
                numbers.low[k] / reader->scene->unit);
        nodes *= numbers.size[k];
        grid->size[k] = (uint32_t)numbers.size[k];
        grid->low[k] = (float)numbers.low[k];
        grid->high[k] = (float)numbers.high[k];
    }
    if (cloth_scene_fine(reader) && nodes > MOST_NODES)
        hed_json_reject(node, "%.0f nodes; expected at most %d", nodes, MOST_NODES);
    if (!cloth_scene_fine(reader)) return;
    hed_json_node file = hed_json_member(node, "file");
    uint32_t count = 3 * (uint32_t)nodes;
    float *velocities =
        cloth_scene_read_numbers(reader, file, count, "three for each node of the grid");
    if (!cloth_scene_fine(reader)) return;
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)velocities[i]) <= fastest)) {
            hed_json_reject(
                file, "number %u is %g m/s; expected -1000 to 1000", i + 1, (double)velocities[i]);
            return;
        }
    grid->velocities = velocities;
    reader->scene->def.wind_grid = grid;
}

static const hed_field wind_rows[] = {
    {"velocity", "velocity of the air everywhere", HED_AS_OTHER("velocities", read_velocities)},
    {"gust", "fraction of the velocity that varies in space and time", HED_AS_NUMBER(hed_cloth_scene, gust, 0, 1, NULL)},
    {"fans", "jets of air, in addition", HED_AS_LIST(&cloth_fan_fields, 0, MOST_FANS, read_fans)},
    {"grid", "velocities in space, in addition", HED_AS_PART(&cloth_wind_grid_fields, read_grid)},
    {0},
};
static const hed_cloth_scene still_air = {0};
const hed_fields cloth_wind_fields = {"wind", "air in motion, which acts on garments with drag or lift",
    .rows = wind_rows, .defaults = &still_air};

void cloth_scene_read_wind(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_cloth_scene *scene = at;
    hed_fields_read(&cloth_wind_fields, node, scene, user);
    if (cloth_scene_fine(user) && !scene->winds && !scene->fans && !scene->def.wind_grid)
        hed_json_reject(node, "no wind; expected \"velocity\", \"fans\" or \"grid\"");
}

/* ---- a frame ---- */

static void jet_at(const cloth_scene_fan *fan, double time, hed_cloth_fan *jet)
{
    cloth_pose pose = cloth_motion_at(&fan->motion, time);
    for (int row = 0; row < 3; row++) {
        double place = pose.move[row], direction = 0;
        for (int k = 0; k < 3; k++) {
            place += pose.turn[3 * row + k] * fan->position[k];
            direction += pose.turn[3 * row + k] * fan->direction[k];
        }
        jet->position[row] = (float)place;
        jet->direction[row] = (float)direction;
    }
    jet->radius = (float)fan->radius;
    jet->speed = (float)fan->speed;
    jet->spread = (float)(hed_strict_sin(fan->spread) / hed_strict_cos(fan->spread));
}

void cloth_scene_blow(hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame)
{
    /* number of the frame at the file's own rate */
    double at = floor((double)number * scene->rate / rate + 1e-6);
    size_t wind = 3 * (size_t)fmin(at, fmax(0, scene->wind_count - 1.0));
    for (int k = 0; k < 3; k++)
        frame->wind[k] = scene->wind_count ? (float)scene->winds[wind + (size_t)k] : 0;
    frame->gust = (float)scene->gust;
    for (uint32_t i = 0; i < scene->fan_count; i++)
        jet_at(&scene->fans[i], ((double)number + 1) / rate, &scene->jets[i]);
    frame->fans = scene->jets;
    frame->fan_count = scene->fan_count;
}
