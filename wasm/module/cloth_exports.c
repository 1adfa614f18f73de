/* Cloth for JavaScript: a scene, frame by frame. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/cloth.h>
#include <heddle/cloth_scene.h>

enum { MAX_BALLS = 16 };

typedef struct cloth_player {
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    uint32_t frame_count, vertices, triangle_count;
    float *positions, *normals; /* (vertices x 3) */
    uint32_t *triangles;        /* (triangle_count x 3) of all garments and copies */
    bool has_wind;
    float wind[3];
    hed_cloth_collider balls[MAX_BALLS], *colliders; /* (ball_count); (all of the last frame) */
    uint32_t ball_count;
    hed_cloth_metrics metrics;
} cloth_player;

EXPORT void hedw_cloth_close(cloth_player *p)
{
    if (!p) return;
    hed_cloth_destroy(p->cloth);
    hed_cloth_scene_close(p->scene);
    free(p->positions);
    free(p->normals);
    free(p->triangles);
    free(p->colliders);
    free(p);
}

/* Writes the triangles of a garment's faces, each a fan from its first corner, with `first` added
 * to the vertices. Returns their end. */
static uint32_t *put_triangles(const hed_cloth_mesh *mesh, uint32_t first, uint32_t *next)
{
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t corner = mesh->face_at[face] + 2; corner < mesh->face_at[face + 1];
             corner++) {
            *next++ = first + mesh->corners[mesh->face_at[face]];
            *next++ = first + mesh->corners[corner - 1];
            *next++ = first + mesh->corners[corner];
        }
    return next;
}

/* Lists the triangles of all garments and their copies, in the order of their vertices. */
static void read_triangles(cloth_player *p)
{
    const hed_cloth_def def = hed_cloth_scene_def(p->scene);
    for (uint32_t g = 0; g < def.garment_count; g++) {
        const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(p->scene, g);
        p->triangle_count +=
            (mesh->face_at[mesh->face_count] - 2 * mesh->face_count) * def.garments[g].copies;
    }
    p->triangles = module_allocate(3 * (size_t)p->triangle_count, sizeof *p->triangles);
    uint32_t *next = p->triangles;
    for (uint32_t g = 0; next && g < def.garment_count; g++) {
        const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(p->scene, g);
        uint32_t particle, first;
        hed_cloth_garment_range(p->cloth, g, &particle, &first);
        for (uint32_t copy = 0; copy < def.garments[g].copies; copy++, first += mesh->vertex_count)
            next = put_triangles(mesh, first, next);
    }
}

/* Opens a scene file, JSON of `size` bytes; JavaScript has given its files. `substeps` 0: the
 * file's. */
EXPORT cloth_player *hedw_cloth_open(
    const char *json, uint32_t size, const char *folder, bool strict, uint32_t substeps)
{
    cloth_player *p = module_allocate(1, sizeof *p);
    hed_device *device = module_device();
    if (!p || !device) return NULL;
    const hed_cloth_scene_options options = {.substeps = substeps};
    hed_cloth_scene_parse(json, size, "scene", folder, &options, &p->scene, &module_error);
    if (!module_error.status) {
        hed_cloth_def def = hed_cloth_scene_def(p->scene);
        def.math = strict ? HED_MATH_STRICT : HED_MATH_FAST;
        def.threads = 1;
        def.max_colliders += MAX_BALLS;
        hed_cloth_create(device, &def, &p->cloth, &module_error);
    }
    if (!module_error.status) {
        p->vertices = hed_cloth_vertex_count(p->cloth);
        p->positions = module_allocate(3 * (size_t)p->vertices, sizeof *p->positions);
        p->normals = module_allocate(3 * (size_t)p->vertices, sizeof *p->normals);
        read_triangles(p);
    }
    if (!module_error.status) {
        hed_cloth_scene_start(p->scene, p->positions);
        return p;
    }
    hedw_cloth_close(p);
    return NULL;
}

/* Replaces the scene's wind, m/s. */
EXPORT void hedw_cloth_wind(cloth_player *p, float x, float y, float z)
{
    p->has_wind = true;
    p->wind[0] = x;
    p->wind[1] = y;
    p->wind[2] = z;
}

/* Moves ball `index` of the program, which joins the scene's colliders: the next number adds a
 * ball. m. */
EXPORT bool hedw_cloth_ball(
    cloth_player *p, uint32_t index, float x, float y, float z, float radius)
{
    if (index >= MAX_BALLS || index > p->ball_count) {
        hed_fail(&module_error, HED_ERROR_LIMIT, "ball %u: there are %u; expected the next number, below %d",
            index, p->ball_count, MAX_BALLS);
        return false;
    }
    if (index == p->ball_count) p->ball_count++;
    p->balls[index] =
        (hed_cloth_collider){.shape = HED_CLOTH_SPHERE, .a = {x, y, z}, .radius = {radius}};
    return true;
}

/* Adds the program's wind and balls to the input of a frame. */
static bool add_input(cloth_player *p, hed_cloth_frame *frame)
{
    if (p->has_wind) memcpy(frame->wind, p->wind, sizeof p->wind);
    if (!p->ball_count) return true;
    free(p->colliders);
    p->colliders = module_allocate(frame->collider_count + p->ball_count, sizeof *p->colliders);
    if (!p->colliders) return false;
    if (frame->collider_count)
        memcpy(p->colliders, frame->colliders, frame->collider_count * sizeof *p->colliders);
    memcpy(p->colliders + frame->collider_count, p->balls, p->ball_count * sizeof *p->colliders);
    frame->colliders = p->colliders;
    frame->collider_count += p->ball_count;
    frame->collider_starts = NULL;
    return true;
}

/* Simulates the next frame of the scene. */
EXPORT bool hedw_cloth_step(cloth_player *p)
{
    hed_cloth_frame frame;
    double rate = hed_cloth_scene_rate(p->scene);
    if (hed_cloth_scene_frame(p->scene, p->frame_count, rate, &frame, &module_error) ||
        !add_input(p, &frame) || hed_cloth_step(p->cloth, &frame, &module_error) ||
        hed_cloth_wait(p->cloth, &module_error))
        return false;
    p->frame_count++;
    return true;
}

/* Reads positions and normals after the last frame. */
EXPORT bool hedw_cloth_read(cloth_player *p)
{
    return !hed_cloth_read(p->cloth, p->positions, p->normals, NULL, &module_error);
}

/* Returns to the start; the next frame is the scene's first. */
EXPORT bool hedw_cloth_reset(cloth_player *p)
{
    p->frame_count = 0;
    return !hed_cloth_reset(p->cloth, &module_error);
}

EXPORT float *hedw_cloth_positions(cloth_player *p) { return p->positions; }
EXPORT float *hedw_cloth_normals(cloth_player *p) { return p->normals; }
EXPORT uint32_t *hedw_cloth_triangles(cloth_player *p) { return p->triangles; }
EXPORT uint32_t hedw_cloth_vertex_count(cloth_player *p) { return p->vertices; }
EXPORT uint32_t hedw_cloth_triangle_count(cloth_player *p) { return p->triangle_count; }
EXPORT uint32_t hedw_cloth_frame_count(cloth_player *p) { return p->frame_count; }
EXPORT double hedw_cloth_rate(cloth_player *p) { return hed_cloth_scene_rate(p->scene); }
EXPORT uint32_t hedw_cloth_frames(cloth_player *p) { return hed_cloth_scene_frames(p->scene); }

/* ---- pictures ---- */

EXPORT uint32_t hedw_cloth_prop_count(cloth_player *p)
{
    return hed_cloth_scene_prop_count(p->scene);
}

/* Pointers and sizes of a prop: vertex and triangle counts, positions, triangles. */
EXPORT uint32_t *hedw_cloth_prop(cloth_player *p, uint32_t index)
{
    static uint32_t words[4];
    hed_cloth_prop prop = hed_cloth_scene_prop(p->scene, index);
    words[0] = prop.vertex_count;
    words[1] = prop.triangle_count;
    words[2] = (uint32_t)(uintptr_t)prop.positions;
    words[3] = (uint32_t)(uintptr_t)prop.triangles;
    return words;
}

/* Camera of the scene: eye, target, up, field of view in degrees. */
EXPORT float *hedw_cloth_camera(cloth_player *p)
{
    static float numbers[10];
    hed_cloth_camera camera = hed_cloth_scene_camera(p->scene);
    memcpy(numbers, camera.eye, sizeof camera.eye);
    memcpy(numbers + 3, camera.target, sizeof camera.target);
    memcpy(numbers + 6, camera.up, sizeof camera.up);
    numbers[9] = camera.field_of_view;
    return numbers;
}

/* Measures the last frame: hash (low and high word), worst stretch, kinetic energy; NULL: error. */
EXPORT double *hedw_cloth_measure(cloth_player *p)
{
    static double numbers[4];
    if (hed_cloth_evaluate(p->cloth, &p->metrics, &module_error)) return NULL;
    numbers[0] = (uint32_t)p->metrics.hash;
    numbers[1] = (uint32_t)(p->metrics.hash >> 32);
    numbers[2] = p->metrics.worst_stretch;
    numbers[3] = p->metrics.kinetic_energy;
    return numbers;
}
