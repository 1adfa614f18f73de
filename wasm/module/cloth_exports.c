/* Cloth for JavaScript: a scene, frame by frame. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/cloth.h>
#include <heddle/cloth_scene.h>

#include <math.h>

enum { MAX_BALLS = 16, MAX_HOLDS = 16 };

/* Vertex that the program holds. */
typedef struct hold {
    uint32_t vertex;
    float place[3];
} hold;

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
    /* ---- NULL unless the program may hold vertices ---- */
    bool *drives;          /* (garments) the scene drives the garment */
    float *driver;         /* (particles x 3) */
    uint32_t *particles;   /* (vertices) particle of each */
    uint32_t *garments;    /* (vertices) garment of each */
    hold holds[MAX_HOLDS]; /* (hold_count) */
    uint32_t hold_count;
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
    free(p->drives);
    free(p->driver);
    free(p->particles);
    free(p->garments);
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

/* ---- holding ---- */

/* Gives each garment a driver, which limits nothing until a vertex is held. `garments`: space for
 * the definitions. */
static void add_drivers(cloth_player *p, hed_cloth_def *def, hed_cloth_garment_def *garments)
{
    p->drives = module_allocate(def->garment_count, sizeof *p->drives);
    for (uint32_t g = 0; p->drives && g < def->garment_count; g++) {
        garments[g] = def->garments[g];
        p->drives[g] = garments[g].driven;
        garments[g].driven = true;
    }
    def->garments = garments;
}

/* Lists particle and garment of each vertex. */
static void list_vertices(cloth_player *p, const hed_cloth_def *def)
{
    p->driver = module_allocate(3 * (size_t)hed_cloth_particle_count(p->cloth), sizeof *p->driver);
    p->particles = module_allocate(p->vertices, sizeof *p->particles);
    p->garments = module_allocate(p->vertices, sizeof *p->garments);
    if (module_error.status) return;
    for (uint32_t g = 0; g < def->garment_count; g++) {
        const hed_cloth_garment_def *garment = &def->garments[g];
        uint32_t particle, vertex, count = garment->vertex_count;
        if (!count) count = garment->particle_count;
        hed_cloth_garment_range(p->cloth, g, &particle, &vertex);
        for (uint32_t copy = 0; copy < garment->copies; copy++, particle += garment->particle_count)
            for (uint32_t v = 0; v < count; v++, vertex++) {
                p->particles[vertex] =
                    particle + (garment->vertex_particle ? garment->vertex_particle[v] : v);
                p->garments[vertex] = g;
            }
    }
}

/* Creates the cloth of the scene. `holds`: the program may hold vertices. */
static void create_cloth(cloth_player *p, hed_device *device, bool strict, bool holds)
{
    hed_cloth_def def = hed_cloth_scene_def(p->scene);
    hed_cloth_garment_def *garments = module_allocate(def.garment_count, sizeof *garments);
    def.math = strict ? HED_MATH_STRICT : HED_MATH_FAST;
    def.threads = 1;
    def.max_colliders += MAX_BALLS;
    if (holds && garments) add_drivers(p, &def, garments);
    if (!module_error.status) hed_cloth_create(device, &def, &p->cloth, &module_error);
    if (!module_error.status) p->vertices = hed_cloth_vertex_count(p->cloth);
    if (!module_error.status && holds) list_vertices(p, &def);
    free(garments);
}

/* Sets the driver of a frame: the position of each vertex, and the place of each held one. */
static void add_holds(cloth_player *p, hed_cloth_frame *frame)
{
    if (!p->driver) return;
    if (frame->driver_positions)
        memcpy(p->driver, frame->driver_positions,
            3 * (size_t)hed_cloth_particle_count(p->cloth) * sizeof *p->driver);
    for (uint32_t v = 0; v < p->vertices; v++)
        if (!p->drives[p->garments[v]])
            memcpy(p->driver + 3 * (size_t)p->particles[v], p->positions + 3 * (size_t)v,
                3 * sizeof *p->driver);
    for (uint32_t i = 0; i < p->hold_count; i++)
        memcpy(p->driver + 3 * (size_t)p->particles[p->holds[i].vertex], p->holds[i].place,
            sizeof p->holds[i].place);
    frame->driver_positions = p->driver;
}

/* Refuses a vertex that cannot be held. */
static bool check_hold(const cloth_player *p, uint32_t vertex)
{
    if (!p->driver)
        hed_fail(&module_error, HED_ERROR_ARGUMENT,
            "vertex %u: the cloth holds no vertices; expected open(..., { hold: true })", vertex);
    else if (vertex >= p->vertices)
        hed_fail(&module_error, HED_ERROR_ARGUMENT, "vertex %u of a cloth of %u", vertex, p->vertices);
    else if (p->drives[p->garments[vertex]])
        hed_fail(&module_error, HED_ERROR_UNSUPPORTED, "vertex %u: the scene drives garment %u",
            vertex, p->garments[vertex]);
    return !module_error.status;
}

/* Holds a vertex at a point, m, which it reaches evenly during the next frame. */
EXPORT bool hedw_cloth_hold(cloth_player *p, uint32_t vertex, float x, float y, float z)
{
    if (!check_hold(p, vertex)) return false;
    uint32_t i = 0;
    while (i < p->hold_count && p->holds[i].vertex != vertex) i++;
    if (i == MAX_HOLDS) {
        hed_fail(&module_error, HED_ERROR_LIMIT, "vertex %u: %d vertices are held already", vertex,
            MAX_HOLDS);
        return false;
    }
    if (i == p->hold_count) {
        if (hed_cloth_set_max_distance(p->cloth, p->particles[vertex], 0.0f, &module_error))
            return false;
        p->hold_count++;
    }
    p->holds[i] = (hold){vertex, {x, y, z}};
    return true;
}

/* Lets a vertex go. */
EXPORT bool hedw_cloth_release(cloth_player *p, uint32_t vertex)
{
    if (!check_hold(p, vertex)) return false;
    for (uint32_t i = 0; i < p->hold_count; i++)
        if (p->holds[i].vertex == vertex) {
            p->holds[i] = p->holds[--p->hold_count];
            return !hed_cloth_set_max_distance(
                p->cloth, p->particles[vertex], INFINITY, &module_error);
        }
    return true;
}

/* ---- opening ---- */

/* Opens a scene file, JSON of `size` bytes; JavaScript has given its files. `substeps` 0: the
 * file's. `holds`: the program may hold vertices. */
EXPORT cloth_player *hedw_cloth_open(
    const char *json, uint32_t size, const char *folder, bool strict, uint32_t substeps, bool holds)
{
    cloth_player *p = module_allocate(1, sizeof *p);
    hed_device *device = module_device();
    if (!p || !device) return NULL;
    const hed_cloth_scene_options options = {.substeps = substeps};
    hed_cloth_scene_parse(json, size, "scene", folder, &options, &p->scene, &module_error);
    if (!module_error.status) create_cloth(p, device, strict, holds);
    if (!module_error.status) {
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

/* Reads positions and normals after the last frame. */
EXPORT bool hedw_cloth_read(cloth_player *p)
{
    return !hed_cloth_read(p->cloth, p->positions, p->normals, NULL, &module_error);
}

/* Simulates the next frame of the scene. */
EXPORT bool hedw_cloth_step(cloth_player *p)
{
    hed_cloth_frame frame;
    double rate = hed_cloth_scene_rate(p->scene);
    if (hed_cloth_scene_frame(p->scene, p->frame_count, rate, &frame, &module_error) ||
        !add_input(p, &frame))
        return false;
    add_holds(p, &frame);
    if (hed_cloth_step(p->cloth, &frame, &module_error) || hed_cloth_wait(p->cloth, &module_error))
        return false;
    p->frame_count++;
    return !p->driver || hedw_cloth_read(p);
}

/* Returns to the start; the next frame is the scene's first. */
EXPORT bool hedw_cloth_reset(cloth_player *p)
{
    p->frame_count = 0;
    return !hed_cloth_reset(p->cloth, &module_error) && (!p->driver || hedw_cloth_read(p));
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
