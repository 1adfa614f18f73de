/* Server of the page of heddle cloth view. The page requests every frame, so that it never gets
 * more than it draws; a frame that is requested without a change has the bits of heddle cloth run.
 *
 * A reply of /api/bytes/frame: size of its JSON (4 bytes, little-endian), the JSON with spaces up to
 * a multiple of 4, then (vertices x 3) floats of positions and (vertices) packed normals of the
 * cloth, and the same of each prop that the JSON lists. Normals have 10 bits for each axis. */
#include "view_player.h"

#include "cli/common/serve_page.h"
#include "engines/cloth/view/studio.h"
#include "heddle/author.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 32, MOST_STEPS = 8 };

extern const hed_source
    hed_cloth_page_files[]; /* embedded: web/cloth, and the shaders of pictures */

/* A prop as the page has it. */
typedef struct view_prop {
    float *positions; /* (vertices x 3), then (vertices x 3) normals */
    uint32_t vertices;
} view_prop;

typedef struct view_page {
    view_player player;
    char name[256];       /* name of the scene */
    char cache[PATH_MAX]; /* name of recordings */
    char device[256];
    uint32_t page;    /* number of the page that plays; a new page replaces it */
    view_prop *props; /* (prop_count) */
    uint32_t prop_count;
    hed_web_file files[MOST_FILES];
} view_page;

/* ---- the scene ---- */

static json_t *view_numbers(const float *numbers, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real((double)numbers[i]));
    return list;
}

static uint32_t view_triangle_count(const hed_cloth_mesh *mesh)
{
    return mesh->face_at[mesh->face_count] - 2 * mesh->face_count;
}

static json_t *view_list_garments(const view_page *page)
{
    const hed_cloth_scene *scene = page->player.scene;
    const hed_cloth_def def = hed_cloth_scene_def(scene);
    json_t *list = json_array();
    for (uint32_t g = 0; g < def.garment_count; g++) {
        float colour[3];
        uint32_t particle, first;
        const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(scene, g);
        hed_cloth_garment_range(page->player.present.cloth, g, &particle, &first);
        hed_cloth_scene_colour(scene, g, colour);
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:I, s:I, s:o}", "name",
                      hed_cloth_scene_garment_name(scene, g), "tears", def.garments[g].tear != 0,
                      "first", (json_int_t)first, "triangles",
                      (json_int_t)(view_triangle_count(mesh) * def.garments[g].copies), "colour",
                      view_numbers(colour, 3)));
    }
    return list;
}

static json_t *view_list_props(const view_page *page)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < page->prop_count; i++) {
        hed_cloth_prop prop = hed_cloth_scene_prop(page->player.scene, i);
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:o}", "name", prop.name ? prop.name : "", "vertices",
                      (json_int_t)prop.vertex_count, "triangles", (json_int_t)prop.triangle_count,
                      "colour", view_numbers(prop.colour, 3)));
    }
    return list;
}

static json_t *view_list_fabrics(void)
{
    json_t *list = json_array();
    const char *name, *source;
    for (uint32_t i = 0; (name = hed_cloth_fabric_name(i, &source)); i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "source", source));
    return list;
}

/* Surroundings of the scene's first frame, and the present settings. */
static json_t *view_settings_json(const view_page *page, hed_error *error)
{
    const view_player *player = &page->player;
    const view_settings *settings = &player->settings;
    const hed_cloth_def def = hed_cloth_scene_def(player->scene);
    hed_cloth_frame frame;
    if (hed_cloth_scene_frame(
            player->scene, player->number, hed_cloth_scene_rate(player->scene), &frame, error))
        return NULL;
    const float *g = frame.gravity;
    json_t *values = json_pack("{s:s, s:f, s:f, s:o, s:I}", "fabric", settings->fabric, "thickness",
        settings->thickness, "gravity", settings->gravity, "wind",
        settings->has_wind ? view_numbers(settings->wind, 3) : json_null(), "substeps",
        (json_int_t)settings->substeps);
    return json_pack("{s:f, s:f, s:o, s:o}", "thickness", (double)def.garments[0].thickness,
        "gravity", sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])), "wind",
        view_numbers(frame.wind, 3), "settings", values);
}

/* Answers with everything that stays from frame to frame. The page that requests it plays from now
 * on. */
static hed_status view_give_scene(view_page *page, char **answer, hed_error *error)
{
    const hed_cloth_scene *scene = page->player.scene;
    const hed_cloth_camera camera = hed_cloth_scene_camera(scene);
    json_t *surroundings = view_settings_json(page, error);
    if (!surroundings) return error->status;
    page->page++;
    for (uint32_t i = 0; i < page->prop_count; i++) page->props[i].vertices = 0;
    view_player_hold(&page->player, NULL, 0, error);
    json_t *whole = json_pack("{s:s, s:I, s:s, s:f, s:I, s:I, s:I, s:f, s:b, s:o, s:o, s:o, s:o, s:o}",
        "name", page->name, "page", (json_int_t)page->page, "device", page->device, "rate",
        hed_cloth_scene_rate(scene), "frames", (json_int_t)hed_cloth_scene_frames(scene),
        "vertices", (json_int_t)page->player.vertices, "up",
        (json_int_t)hed_cloth_scene_def(scene).up, "scale", (double)page->player.scale, "contact",
        page->player.has_contact, "garments", view_list_garments(page), "props",
        view_list_props(page), "fabrics", view_list_fabrics(), "camera",
        json_pack("{s:o, s:o, s:o, s:f}", "eye", view_numbers(camera.eye, 3), "target",
            view_numbers(camera.target, 3), "up", view_numbers(camera.up, 3), "fieldOfView",
            (double)camera.field_of_view),
        "surroundings", surroundings);
    *answer = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(whole);
    return *answer ? HED_OK : HED_OUT_OF_MEMORY(error, "the scene");
}

/* Answers with the corners of all triangles: of the garments, then of the props. */
static hed_status view_give_mesh(
    const view_page *page, void **bytes, size_t *size, hed_error *error)
{
    const hed_cloth_scene *scene = page->player.scene;
    const hed_cloth_def def = hed_cloth_scene_def(scene);
    size_t count = 0;
    for (uint32_t g = 0; g < def.garment_count; g++)
        count += 3 * (size_t)view_triangle_count(hed_cloth_scene_mesh(scene, g)) *
                 def.garments[g].copies;
    for (uint32_t i = 0; i < page->prop_count; i++)
        count += 3 * (size_t)hed_cloth_scene_prop(scene, i).triangle_count;
    uint32_t *corners = malloc(count * sizeof *corners + 1), *to = corners;
    if (!corners) return HED_OUT_OF_MEMORY(error, "the triangles");
    *bytes = corners;
    *size = count * sizeof *corners;
    for (uint32_t g = 0; g < def.garment_count; g++) {
        uint32_t particle, first, triangles;
        hed_cloth_garment_range(page->player.present.cloth, g, &particle, &first);
        uint32_t *list = cloth_mesh_triangles(
            hed_cloth_scene_mesh(scene, g), first, def.garments[g].copies, &triangles);
        if (!list) return HED_OUT_OF_MEMORY(error, "the triangles");
        memcpy(to, list, 3 * (size_t)triangles * sizeof *to);
        to += 3 * (size_t)triangles;
        free(list);
    }
    for (uint32_t i = 0; i < page->prop_count; i++) {
        hed_cloth_prop prop = hed_cloth_scene_prop(scene, i);
        memcpy(to, prop.triangles, 3 * (size_t)prop.triangle_count * sizeof *to);
        to += 3 * (size_t)prop.triangle_count;
    }
    return HED_OK;
}

/* ---- requests of a frame ---- */

static double view_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static bool view_vector(const json_t *list, float vector[3])
{
    for (size_t k = 0; k < 3; k++) {
        const json_t *value = json_array_get(list, k);
        if (!json_is_number(value)) return false;
        vector[k] = (float)json_number_value(value);
    }
    return true;
}

static hed_status view_take_settings(view_player *player, const json_t *settings, hed_error *error)
{
    static const double most_substeps = 1000;
    view_settings next = {.thickness = view_number(settings, "thickness", -1),
        .gravity = view_number(settings, "gravity", -1),
        .substeps = (uint32_t)fmax(0, fmin(most_substeps, view_number(settings, "substeps", 0)))};
    const char *fabric = json_string_value(json_object_get(settings, "fabric"));
    snprintf(next.fabric, sizeof next.fabric, "%s", fabric ? fabric : "");
    next.has_wind = view_vector(json_object_get(settings, "wind"), next.wind);
    return view_player_set(player, &next, error);
}

static hed_status view_take_holds(view_player *player, const json_t *holds, hed_error *error)
{
    view_grip grips[VIEW_MAX_GRIPS];
    uint32_t count = 0;
    for (size_t i = 0; i < json_array_size(holds) && count < VIEW_MAX_GRIPS; i++) {
        const json_t *hold = json_array_get(holds, i);
        double vertex = view_number(hold, "vertex", -1);
        if (vertex < 0 || vertex >= player->vertices ||
            !view_vector(json_object_get(hold, "place"), grips[count].place))
            return hed_fail(error, HED_ERROR_FORMAT,
                "holds[%zu]: expected a vertex below %u and a place of 3 numbers", i,
                player->vertices);
        grips[count++].vertex = (uint32_t)vertex;
    }
    return view_player_hold(player, grips, count, error);
}

/* Does everything that a request for a frame asks for. */
static hed_status view_take_request(view_page *page, const json_t *request, hed_error *error)
{
    view_player *player = &page->player;
    if (view_number(request, "page", 0) != page->page)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "another page plays this scene now; reload this one to play here");
    if (json_is_true(json_object_get(request, "restart")) && view_player_restart(player, error))
        return error->status;
    if (view_take_settings(player, json_object_get(request, "settings"), error) ||
        view_take_holds(player, json_object_get(request, "holds"), error) ||
        view_player_record(player, json_is_true(json_object_get(request, "record")), error))
        return error->status;
    double steps = fmin(MOST_STEPS, view_number(request, "steps", 0));
    for (int i = 0; i < steps && !hed_failed(error) && !hed_interrupted(); i++)
        view_player_step(player, error);
    return error->status;
}

/* ---- replies with a frame ---- */

/* Writes a surface's positions and packed normals. Returns their end. */
static unsigned char *view_put_surface(
    unsigned char *to, const float *positions, const float *normals, uint32_t count)
{
    memcpy(to, positions, 3 * (size_t)count * sizeof *positions);
    to += 3 * (size_t)count * sizeof *positions;
    for (size_t i = 0; i < count; i++, to += sizeof(uint32_t)) {
        const float *n = normals + 3 * i, size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        uint32_t packed = 0;
        for (int k = 0; k < 3 && size > 0; k++)
            packed |= ((uint32_t)(int32_t)lrintf(511 * n[k] / size) & 1023u) << (10 * k);
        memcpy(to, &packed, sizeof packed);
    }
    return to;
}

/* Lists the props that have moved since the last reply, and keeps their surfaces. */
static hed_status view_move_props(view_page *page, json_t *list, size_t *vertices, hed_error *error)
{
    for (uint32_t i = 0; i < page->prop_count; i++) {
        view_prop *copy = &page->props[i];
        const hed_cloth_prop prop = hed_cloth_scene_prop(page->player.scene, i);
        size_t size = 3 * (size_t)prop.vertex_count * sizeof *copy->positions;
        if (copy->vertices && memcmp(copy->positions, prop.positions, size) == 0) continue;
        if (!copy->positions) copy->positions = malloc(2 * size + 1);
        if (!copy->positions) return HED_OUT_OF_MEMORY(error, "a prop");
        memcpy(copy->positions, prop.positions, size);
        cloth_make_normals(prop.positions, prop.vertex_count, prop.triangles, prop.triangle_count,
            copy->positions + 3 * (size_t)prop.vertex_count);
        copy->vertices = prop.vertex_count;
        *vertices += prop.vertex_count;
        json_array_append_new(list, json_integer(i));
    }
    return HED_OK;
}

static json_t *view_figures(const view_page *page)
{
    const view_player *player = &page->player;
    const hed_cloth_info info = hed_cloth_describe(player->present.cloth);
    json_t *figures =
        json_pack("{s:I, s:f, s:I, s:s, s:b, s:s, s:I}", "frame", (json_int_t)player->number,
            "milliseconds", player->milliseconds, "substeps", (json_int_t)info.substeps, "solver",
            hed_cloth_solver_name(info.solver), "records", player->output != NULL, "recording",
            player->recording, "recorded", (json_int_t)player->recorded);
    if (player->measured) {
        json_object_set_new(figures, "p99", json_real(player->quality.stretch_p99));
        json_object_set_new(figures, "worst", json_real(player->quality.worst_stretch));
    }
    if (player->measured && player->has_contact) {
        json_object_set_new(
            figures, "crossings", json_integer((json_int_t)player->crossings.cloth));
        json_object_set_new(figures, "bodies", json_integer((json_int_t)player->crossings.bodies));
    }
    return figures;
}

static hed_status view_give_frame(view_page *page, void **bytes, size_t *size, hed_error *error)
{
    json_t *figures = view_figures(page), *moved = json_array();
    size_t vertices = page->player.vertices;
    json_object_set_new(figures, "props", moved);
    view_move_props(page, moved, &vertices, error);
    char *text = json_dumps(figures, JSON_COMPACT);
    const uint32_t length = text ? (uint32_t)strlen(text) : 0, padded = (length + 3) / 4 * 4;
    unsigned char *to = malloc(sizeof padded + padded + 16 * vertices);
    if (!hed_failed(error) && text && to) {
        *bytes = to;
        *size = sizeof padded + padded + 16 * vertices;
        memcpy(to, &padded, sizeof padded);
        memset(to + sizeof padded, ' ', padded);
        memcpy(to + sizeof padded, text, length);
        to = view_put_surface(to + sizeof padded + padded, page->player.positions,
            page->player.normals, page->player.vertices);
        for (size_t i = 0; i < json_array_size(moved); i++) {
            const view_prop *prop = &page->props[json_integer_value(json_array_get(moved, i))];
            to = view_put_surface(
                to, prop->positions, prop->positions + 3 * (size_t)prop->vertices, prop->vertices);
        }
    } else {
        HED_OUT_OF_MEMORY(error, "a frame");
        free(to);
    }
    free(text);
    json_decref(figures);
    return error->status;
}

/* ---- the server's callbacks ---- */

static hed_status view_answer(
    void *user, const char *name, const char *body, size_t size, char **answer, hed_error *error)
{
    (void)size;
    if (!body && strcmp(name, "scene") == 0) return view_give_scene(user, answer, error);
    return hed_fail(error, HED_ERROR_ARGUMENT, "%s: no such request", name);
}

static hed_status view_bytes(void *user, const char *name, const char *body, size_t size,
    void **bytes, size_t *count, hed_error *error)
{
    view_page *page = user;
    if (strcmp(name, "mesh") == 0) return view_give_mesh(page, bytes, count, error);
    if (strcmp(name, "frame") != 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "bytes/%s: no such request", name);
    json_error_t place;
    json_t *request = json_loadb(body, size, 0, &place);
    if (!request)
        return hed_fail(error, HED_ERROR_FORMAT, "frame: line %d: %s", place.line, place.text);
    if (!view_take_request(page, request, error)) view_give_frame(page, bytes, count, error);
    json_decref(request);
    return error->status;
}

/* ---- the command ---- */

/* Sets the names of the scene and of recordings: --out, or the scene's in the current folder. */
static void view_name(view_page *page, const hed_arguments *arguments)
{
    const char *path = hed_text_of(arguments, "SCENE"), *out = hed_text_of(arguments, "out");
    const char *slash = strrchr(path, '/');
    snprintf(page->name, sizeof page->name, "%s", slash ? slash + 1 : path);
    char *ending = strrchr(page->name, '.');
    if (ending && ending != page->name) *ending = '\0';
    if (out) snprintf(page->cache, sizeof page->cache, "%s", out);
    else snprintf(page->cache, sizeof page->cache, "%s.pc2", page->name);
    page->player.cache = page->cache;
}

static hed_status view_serve(
    view_page *page, const hed_arguments *arguments, const cli_session *session, hed_error *error)
{
    uint32_t count = 0;
    for (const hed_source *file = hed_cloth_page_files; file->name; file++)
        page->files[count++] = (hed_web_file){file->name, file->text, file->size};
    const hed_web_def def = {.context = session->context,
        .port = (uint16_t)hed_integer_of(arguments, "port"),
        .files = page->files,
        .file_count = count,
        .answer = view_answer,
        .bytes = view_bytes,
        .user = page};
    return cli_page_serve(&def, "Ctrl-C ends it", error);
}

int cloth_page_main(const hed_arguments *arguments)
{
    cli_session session;
    hed_error error = {0}, later = {0};
    view_page page = {0};
    if (cli_open_devices(arguments, &session, &error)) return cli_fail(&error);
    snprintf(page.device, sizeof page.device, "%s", hed_device_describe(session.devices[0]).name);
    if (!view_player_open(arguments, session.devices[0], &page.player, &error)) {
        view_name(&page, arguments);
        page.prop_count = hed_cloth_scene_prop_count(page.player.scene);
        page.props = calloc((size_t)page.prop_count + 1, sizeof *page.props);
        if (page.props) view_serve(&page, arguments, &session, &error);
        else HED_OUT_OF_MEMORY(&error, "the props");
    }
    bool records = page.player.output != NULL;
    view_player_close(&page.player, hed_failed(&error) ? &later : &error);
    if (records)
        fprintf(stderr, "heddle: %s holds its start and %u frames\n", page.player.recording,
            page.player.recorded);
    for (uint32_t i = 0; i < page.prop_count; i++) free(page.props[i].positions);
    free(page.props);
    cli_close(&session);
    return hed_failed(&error) ? cli_fail(&error) : HED_EXIT_OK; /* Ctrl-C is the regular end */
}
