/* Holds of a garment on a driver's surface: each particle follows the nearest point of the body
 * at rest, in the frame of that point's triangle. */
#include "model/nearest_point.h"
#include "files/cloth_scene_parts.h"
#include "support/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes a right-handed frame on a triangle: along its first edge, its normal, and the cross
 * product of the two. */
static void frame_of(const float *positions, const uint32_t *corner, float frame[3][3])
{
    float e[3], f[3];
    cloth_subtract3(&positions[3 * (size_t)corner[1]], &positions[3 * (size_t)corner[0]], e);
    cloth_subtract3(&positions[3 * (size_t)corner[2]], &positions[3 * (size_t)corner[0]], f);
    const float n[3] = {
        e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    float el = sqrtf(cloth_dot3(e, e)), nl = sqrtf(cloth_dot3(n, n));
    for (int k = 0; k < 3; k++) {
        frame[0][k] = el > 0 ? e[k] / el : k == 0;
        frame[1][k] = nl > 0 ? n[k] / nl : k == 1;
    }
    const float *x = frame[0], *y = frame[1];
    const float z[3] = {
        x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    memcpy(frame[2], z, sizeof z);
}

const cloth_hold *cloth_body_hold(cloth_scene_reader *reader, hed_json_node node,
    const cloth_body *body, const float *points, uint32_t count)
{
    cloth_search search = {
        .positions = body->rest,
        .triangles = body->triangles,
        .triangle_count = body->triangle_count,
        .balls = cloth_scene_allocate(reader, node, body->triangle_count, sizeof *search.balls),
    };
    cloth_hold *holds = cloth_scene_allocate(reader, node, count, sizeof *holds);
    if (!search.balls || !holds) return NULL;
    cloth_search_sort(&search);
    for (uint32_t i = 0; i < count; i++) {
        cloth_nearest nearest = {.distance = INFINITY};
        float frame[3][3];
        cloth_search_nearest(&search, &points[3 * (size_t)i], &nearest);
        holds[i].triangle = nearest.triangle;
        memcpy(holds[i].weight, nearest.weight, sizeof nearest.weight);
        frame_of(body->rest, &body->triangles[3 * (size_t)nearest.triangle], frame);
        for (int k = 0; k < 3; k++) holds[i].offset[k] = cloth_dot3(frame[k], nearest.away);
    }
    return holds;
}

void cloth_body_follow(
    const cloth_body *body, const cloth_hold *hold, float point[3], float normal[3])
{
    const uint32_t *corner = &body->triangles[3 * (size_t)hold->triangle];
    float frame[3][3];
    cloth_weighted3(body->now, corner, hold->weight, point);
    frame_of(body->now, corner, frame);
    for (int k = 0; k < 3; k++)
        point[k] += hold->offset[0] * frame[0][k] + hold->offset[1] * frame[1][k] +
                    hold->offset[2] * frame[2][k];
    if (!normal) return;
    cloth_weighted3(body->normals, corner, hold->weight, normal);
    float length = sqrtf(cloth_dot3(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] = length > 0 ? normal[k] / length : frame[1][k];
}

/* Drivers, painted maps, and pins of a garment. */

enum { LONGEST_MAP = 1 << 29 };

/* ---- driver ---- */

/* Makes the driver from the garment's own mesh, as a body of its particles. */
static void drive_by_itself(
    cloth_scene_reader *reader, hed_json_node node, bool normals, cloth_scene_garment *result)
{
    uint32_t count = result->def.particle_count;
    cloth_body *body = cloth_scene_allocate(reader, node, 1, sizeof *body);
    if (!body) return;
    body->rest = result->positions;
    body->vertex_count = count;
    body->triangles = cloth_scene_triangles(
        reader, node, result->mesh, result->particle_of, false, &body->triangle_count);
    body->now = cloth_scene_allocate(reader, node, count, 3 * sizeof *body->now);
    if (normals)
        body->normals = cloth_scene_allocate(reader, node, count, 3 * sizeof *body->normals);
    if (hed_json_has(node, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &body->motion);
    if (hed_json_has(node, "sequence")) {
        cloth_sequence *sequence = &body->sequence;
        uint32_t vertices = result->mesh->vertex_count;
        cloth_scene_read_sequence(
            reader, hed_json_member(node, "sequence"), vertices, result->placing, sequence);
        /* Moves samples from vertices to particles, in place: particles are in the order of
         * their first vertices. */
        for (uint32_t s = 0; s < sequence->sample_count; s++)
            for (uint32_t i = 0; i < count; i++)
                memmove(&sequence->samples[3 * ((size_t)s * count + i)],
                    &sequence->samples[3 * ((size_t)s * vertices + result->first_vertex[i])],
                    3 * sizeof(float));
    }
    cloth_body_make_jumps(reader, node, body);
    if (!cloth_scene_fine(reader)) return;
    result->driver = body;
    cloth_body_move(body, 0);
}

static const hed_field driver_rows[] = {
    {"mesh", "name of a file, whose surface the garment follows, each vertex at the nearest point; the garment's own start by default", .kind = HED_FIELD_TEXT},
    {"transform", "position of the mesh", HED_AS_OTHER("transform", NULL)},
    {"mend", "true: remove faces of a broken mesh if that is safe", .kind = HED_FIELD_BOOLEAN},
    {"sequence", "motion of the mesh, vertex by vertex", HED_AS_OTHER("sequence", NULL)},
    {"motion", "motion of the whole, after the sequence", HED_AS_OTHER("motion", NULL)},
    {0},
};
const hed_fields cloth_driver_fields = {
    "driver", "position of each vertex by skinning or keyframes", .rows = driver_rows};

void cloth_scene_read_driver(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result)
{
    if (!hed_json_has(garment, "driver") || !cloth_scene_fine(reader)) return;
    hed_json_node node = hed_json_member(garment, "driver");
    bool normals = hed_json_has(garment, "backstop_distance");
    hed_fields_only(&cloth_driver_fields, node);
    if (hed_json_has(node, "mesh")) {
        result->driver = cloth_scene_read_body(reader, node, normals);
        if (result->driver)
            result->holds = cloth_body_hold(
                reader, node, result->driver, result->positions, result->def.particle_count);
    } else {
        if (hed_json_has(node, "transform") || hed_json_has(node, "mend"))
            hed_json_reject(node,
                "\"transform\" and \"mend\" are of the driver's \"mesh\", which is not there");
        drive_by_itself(reader, node, normals, result);
    }
    result->def.driven = result->driver != NULL;
}

/* ---- painted maps ---- */

float *cloth_scene_read_numbers(
    cloth_scene_reader *reader, hed_json_node node, uint32_t count, const char *each)
{
    const char *path = cloth_scene_path(reader, node);
    float *values = cloth_scene_allocate(reader, node, count, sizeof *values);
    char *text = NULL, *at, *end;
    size_t size;
    hed_error error = {0};
    if (!values) return NULL;
    hed_file_read(path, LONGEST_MAP, &text, &size, &error);
    if (cloth_scene_failed(node, &error)) return NULL;
    at = text;
    uint32_t i = 0;
    for (; i < count; i++, at = end) {
        values[i] = strtof(at, &end);
        if (end == at || !isfinite(values[i])) break;
    }
    at += strspn(at, " \t\r\n");
    if (i < count || *at || at != text + size)
        hed_json_reject(node,
            "%s: expected %u numbers with white space between them, "
            "%s; number %u is %s",
            path, count, each, i + 1, *at ? i < count ? "none" : "one too many" : "missing");
    free(text);
    return values;
}

static uint32_t read_channel(hed_json_node object)
{
    static const char *const channels[] = {"red", "green", "blue", "alpha", NULL};
    return hed_json_choice(hed_json_member(object, "colour"), channels);
}

static bool has_colours(cloth_scene_reader *reader, hed_json_node node, const hed_cloth_mesh *mesh)
{
    if (cloth_scene_fine(reader) && !mesh->vertex_colours)
        hed_json_reject(node, "the mesh has no vertex colours (OBJ: v x y z r g b)");
    return cloth_scene_fine(reader);
}

static const char *const map_sources[] = {"file", "colour", NULL};

/* Factor and offset of a map's values. */
typedef struct map_options {
    double scale, offset;
} map_options;

static const hed_field map_rows[] = {
    {"file", "name of a text file with a number for each vertex", .kind = HED_FIELD_TEXT},
    {"colour", "channel of the mesh's vertex colours", HED_AS_OTHER("channel", NULL)},
    {"scale", "factor of the values", HED_AS_NUMBER(map_options, scale, -1e12, 1e12, NULL)},
    {"offset", "number that is added after the factor", HED_AS_NUMBER(map_options, offset, -1e12, 1e12, NULL)},
    {0},
};
static const map_options map_defaults = {.scale = 1};
const hed_fields cloth_map_fields = {"map", "values of vertices from a file or from colours",
    .rows = map_rows, .defaults = &map_defaults, .one_of = map_sources};

/* Reads values by vertex, with the factor and offset to apply; `limit`: largest number allowed in
 * the file. */
static float *read_vertex_values(cloth_scene_reader *reader, hed_json_node node,
    const hed_cloth_mesh *mesh, double limit, map_options *options)
{
    uint32_t count = mesh->vertex_count;
    float *values = NULL;
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        size_t length = hed_json_count(node);
        if (length != count)
            hed_json_reject(
                node, "expected %u numbers, one for each vertex; found %zu", count, length);
        values = cloth_scene_allocate(reader, node, count, sizeof *values);
        for (uint32_t i = 0; values && i < count; i++)
            values[i] = (float)hed_json_number(hed_json_item(node, i), -limit, limit);
        return values;
    }
    hed_fields_read(&cloth_map_fields, node, options, reader);
    if (hed_fields_which(&cloth_map_fields, node) == 0)
        return cloth_scene_read_numbers(
            reader, hed_json_member(node, "file"), count, "one for each vertex");
    uint32_t channel = read_channel(node);
    if (!has_colours(reader, node, mesh)) return NULL;
    values = cloth_scene_allocate(reader, node, count, sizeof *values);
    for (uint32_t i = 0; values && i < count; i++)
        values[i] = mesh->vertex_colours[4 * (size_t)i + channel];
    return values;
}

const float *cloth_scene_read_map(cloth_scene_reader *reader, hed_json_node object, const char *key,
    const cloth_scene_garment *result, double unit, double low, double high)
{
    if (!hed_json_has(object, key)) return NULL;
    hed_json_node node = hed_json_member(object, key);
    double constant = 0, limit = 1e12;
    map_options options = map_defaults;
    bool is_constant = hed_json_kind_of(node) == HED_JSON_NUMBER;
    float *values = NULL,
          *map = cloth_scene_allocate(reader, node, result->def.particle_count, sizeof *map);
    if (is_constant) constant = hed_json_number(node, -limit, limit);
    else values = read_vertex_values(reader, node, result->mesh, limit, &options);
    if (!map || !cloth_scene_fine(reader)) return NULL;
    for (uint32_t i = 0; i < result->def.particle_count; i++) {
        double value =
            unit * (is_constant ? constant
                                : options.scale * values[result->first_vertex[i]] + options.offset);
        if (!(value >= low && value <= high)) {
            hed_json_reject(node, "vertex %u: %g is not from %g to %g", result->first_vertex[i],
                value / unit, low / unit, high / unit);
            return NULL;
        }
        map[i] = (float)value;
    }
    return map;
}

/* Reads a map that requires a driver. */
static const float *read_map(cloth_scene_reader *reader, hed_json_node garment, const char *key,
    const cloth_scene_garment *result, double unit, double low, double high)
{
    if (hed_json_has(garment, key) && !result->def.driven)
        hed_json_reject(hed_json_member(garment, key),
            "this is about the driver; the garment has none "
            "(\"driver\": {} is its own start)");
    return cloth_scene_read_map(reader, garment, key, result, unit, low, high);
}

void cloth_scene_read_maps(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result)
{
    hed_cloth_garment_def *def = &result->def;
    double unit = reader->scene->unit;
    def->max_distance = read_map(reader, garment, "max_distance", result, unit, 0, CLOTH_SCENE_FAR);
    def->backstop_distance = read_map(
        reader, garment, "backstop_distance", result, unit, -CLOTH_SCENE_FAR, CLOTH_SCENE_FAR);
    def->backstop_radius =
        read_map(reader, garment, "backstop_radius", result, unit, 0, CLOTH_SCENE_FAR);
    def->drive = read_map(reader, garment, "drive", result, 1, 0, 1);
    def->drive_stiffness = read_map(reader, garment, "drive_stiffness", result, 1, 0, 1);
    def->tear_strength =
        cloth_scene_read_map(reader, garment, "tear_strength", result, 1, 1e-4, 1e4);
    if (!cloth_scene_fine(reader)) return;
    if (def->backstop_radius && !def->backstop_distance)
        hed_json_reject(garment, "\"backstop_radius\" without \"backstop_distance\"");
    for (uint32_t i = 0; def->max_distance && def->backstop_distance && i < def->particle_count;
         i++)
        if (def->backstop_distance[i] > def->max_distance[i]) {
            hed_json_reject(hed_json_member(garment, "backstop_distance"),
                "vertex %u: the backstop at %g is outside the ball of max_distance %g",
                result->first_vertex[i], def->backstop_distance[i] / unit,
                def->max_distance[i] / unit);
            return;
        }
}

typedef struct pin_box {
    double low[3], high[3];
} pin_box;

static const hed_field box_rows[] = {
    {"low", "corner with the smallest coordinates", CLOTH_POINT(pin_box, low), .required = true},
    {"high", "corner with the largest coordinates", CLOTH_POINT(pin_box, high), .required = true},
    {0},
};
const hed_fields cloth_box_fields = {"box", "box at the garment's position", .rows = box_rows};

static void mark_box(
    cloth_scene_reader *reader, hed_json_node node, const cloth_scene_garment *result, bool *marked)
{
    pin_box box = {{0}, {0}};
    hed_fields_read(&cloth_box_fields, node, &box, reader);
    const double *low = box.low, *high = box.high;
    for (uint32_t i = 0; i < result->def.particle_count; i++) {
        const float *p = &result->positions[3 * (size_t)i];
        marked[i] |= p[0] >= low[0] && p[0] <= high[0] && p[1] >= low[1] && p[1] <= high[1] &&
                     p[2] >= low[2] && p[2] <= high[2];
    }
}

/* Reads vertex `place` of a list; returns its particle. */
static uint32_t scene_read_vertex(
    hed_json_node list, size_t place, const cloth_scene_garment *result)
{
    int64_t last = (int64_t)result->mesh->vertex_count - 1,
            vertex = hed_json_integer(hed_json_item(list, place), 0, last);
    return result->particle_of[vertex];
}

static const hed_field seam_rows[] = {
    {"from", "vertices of one border", HED_AS_OTHER("vertices", NULL), .required = true},
    {"to", "vertices of the other border, in the same order", HED_AS_OTHER("vertices", NULL), .required = true},
    {0},
};
const hed_fields cloth_seam_fields = {
    "seam", "two borders of equal numbers of vertices, which meet in order", .rows = seam_rows};

static const hed_field sewing_rows[] = {
    {"seconds", "time until they meet; 1 by default", HED_AS_NUMBER(cloth_scene_garment, def.seam_seconds, 0, CLOTH_SCENE_MUCH, "s")},
    {"seams", "borders", HED_AS_LIST(&cloth_seam_fields, 0, HED_FIELD_ANY, NULL), .required = true},
    {0},
};
const hed_fields cloth_sewing_fields = {
    "sewing", "borders that are drawn together from the start on", .rows = sewing_rows};

void cloth_scene_read_sewing(
    cloth_scene_reader *reader, hed_json_node garment, cloth_scene_garment *result)
{
    if (!cloth_scene_fine(reader) || !hed_json_has(garment, "sewing")) return;
    hed_json_node sewing = hed_json_member(garment, "sewing"),
                  list = hed_json_member(sewing, "seams");
    size_t count = hed_json_count(list), capacity = 0;
    result->def.seam_seconds = 1;
    hed_fields_read(&cloth_sewing_fields, sewing, result, reader);
    for (size_t i = 0; i < count; i++)
        capacity += hed_json_count(hed_json_member(hed_json_item(list, i), "from"));
    uint32_t *seams = cloth_scene_allocate(reader, list, capacity, 2 * sizeof *seams);
    for (size_t i = 0; seams && i < count && cloth_scene_fine(reader); i++) {
        hed_json_node seam = hed_json_item(list, i), from = hed_json_member(seam, "from"),
                      to = hed_json_member(seam, "to");
        hed_fields_only(&cloth_seam_fields, seam);
        size_t pairs = hed_json_count(from);
        if (cloth_scene_fine(reader) && hed_json_count(to) != pairs)
            hed_json_reject(
                to, "found %zu vertices, expected %zu as in \"from\"", hed_json_count(to), pairs);
        for (size_t k = 0; k < pairs && cloth_scene_fine(reader); k++) {
            uint32_t a = scene_read_vertex(from, k, result), b = scene_read_vertex(to, k, result);
            if (a == b) continue; /* the two vertices are one particle already */
            seams[2 * (size_t)result->def.seam_count] = a;
            seams[2 * (size_t)result->def.seam_count++ + 1] = b;
        }
    }
    result->def.seams = seams;
}

static const char *const pin_sources[] = {"vertices", "box", "colour", NULL};

typedef struct pin_options {
    double threshold;
    bool follow;
} pin_options;

static const hed_field pin_rows[] = {
    {"vertices", "vertices of the mesh", HED_AS_OTHER("vertices", NULL)},
    {"box", NULL, HED_AS_OTHER("box", NULL)},
    {"colour", "channel of painted vertices", HED_AS_OTHER("channel", NULL)},
    {"above", "value of the channel above which a vertex is pinned", HED_AS_NUMBER(pin_options, threshold, 0, 1, NULL)},
    {"follow", "true: follow the driver, if there is one", HED_AS_BOOLEAN(pin_options, follow)},
    {"motion", "motion of the pinned vertices", HED_AS_OTHER("motion", NULL)},
    {0},
};
static const pin_options pin_defaults = {.threshold = 0.5, .follow = true};
const hed_fields cloth_pin_fields = {"pin", "vertices that are held", .rows = pin_rows,
    .defaults = &pin_defaults, .one_of = pin_sources};

static void read_pin(cloth_scene_reader *reader, hed_json_node node, float *inverse_masses,
    bool *marked, bool *is_still, cloth_pins *moving, cloth_scene_garment *result)
{
    pin_options options = pin_defaults;
    uint32_t count = 0, particles = result->def.particle_count;
    hed_fields_read(&cloth_pin_fields, node, &options, reader);
    uint32_t way = hed_fields_which(&cloth_pin_fields, node);
    memset(marked, 0, particles * sizeof *marked);
    if (way == 0) {
        hed_json_node list = hed_json_member(node, "vertices");
        size_t listed = hed_json_count(list);
        for (size_t i = 0; i < listed && cloth_scene_fine(reader); i++)
            marked[scene_read_vertex(list, i, result)] = true;
    }
    if (way == 1) mark_box(reader, hed_json_member(node, "box"), result, marked);
    if (way == 2) {
        const hed_cloth_mesh *mesh = result->mesh;
        uint32_t channel = read_channel(node);
        if (has_colours(reader, node, mesh))
            for (uint32_t v = 0; v < mesh->vertex_count; v++)
                if (mesh->vertex_colours[4 * (size_t)v + channel] > options.threshold)
                    marked[result->particle_of[v]] = true;
    }
    if (way != 2 && hed_json_has(node, "above"))
        hed_json_reject(node, "\"above\" is of \"colour\"");
    bool moves = hed_json_has(node, "motion");
    if (moves) cloth_scene_read_motion(reader, hed_json_member(node, "motion"), &moving->motion);
    for (uint32_t i = 0; i < particles; i++) count += marked[i];
    if (cloth_scene_fine(reader) && count == 0)
        hed_json_reject(node, "no vertex is pinned by this");
    if (!cloth_scene_fine(reader)) return;
    uint32_t *list = moves ? cloth_scene_allocate(reader, node, count, sizeof *list) : NULL;
    moving->particles = list;
    for (uint32_t i = 0; i < particles; i++) {
        if (!marked[i]) continue;
        inverse_masses[i] = 0;
        is_still[i] = !options.follow;
        if (list) list[moving->count++] = i;
    }
    if (moves) result->def.driven = true;
}

void cloth_scene_read_pins(cloth_scene_reader *reader, hed_json_node garment, float *inverse_masses,
    cloth_scene_garment *result)
{
    if (!hed_json_has(garment, "pins") || !cloth_scene_fine(reader)) return;
    hed_json_node list = hed_json_member(garment, "pins");
    size_t count = hed_json_count(list);
    bool *marked = cloth_scene_allocate(reader, list, result->def.particle_count, sizeof *marked);
    bool *is_still =
        cloth_scene_allocate(reader, list, result->def.particle_count, sizeof *is_still);
    cloth_pins *pins = cloth_scene_allocate(reader, list, count, sizeof *pins);
    for (size_t i = 0; pins && i < count && cloth_scene_fine(reader); i++)
        read_pin(
            reader, hed_json_item(list, i), inverse_masses, marked, is_still, &pins[i], result);
    result->still = is_still;
    result->pins = pins;
    result->pins_count = pins ? (uint32_t)count : 0;
}
