/* Output files of a scene run: a point cache for each garment, and on request OBJ, PLY and GLB
 * files and pictures. */
#include "run.h"

#include "engines/cloth/view/pictures.h"
#include "heddle/author.h"
#include "support/sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of a garment. */
typedef struct garment {
    const char *name;           /* part of file names; NULL if it is the only garment */
    const hed_cloth_mesh *mesh; /* mesh that the cache belongs to */
    /* the mesh of several copies, one after another; freed if it has vertices */
    hed_cloth_mesh copies;
    uint32_t first_vertex;
    bool moved; /* true: files are written with the scene's matrix of each sample */
    hed_cloth_pc2 *cache;
    uint32_t *triangles; /* triangles for pictures */
    uint32_t triangle_count;
    float colour[3];
} garment;

struct cli_cloth_output {
    cli_cloth_output_def def;
    uint32_t samples; /* samples in the caches */
    uint32_t garment_count;
    garment *garments;
    float *positions, *normals; /* (vertices x 3) in the scene's unit and axes */
    /* (vertices x 3) positions and normals in the files' axes; NULL: as in the scene */
    float *placed, *turned;
    uint8_t *colours; /* (vertices x 4) */
    cloth_picture *picture;
    cloth_surface *surfaces;
};

/* ---- names ---- */

char *cli_cloth_beside(const char *cache, const char *garment_name, const char *ending)
{
    size_t length = strlen(cache);
    if (length > 4 && strcmp(cache + length - 4, ".pc2") == 0) length -= 4;
    size_t size = length + strlen(ending) + (garment_name ? strlen(garment_name) + 1 : 0) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s%s%s", (int)length, cache, garment_name ? "-" : "",
            garment_name ? garment_name : "", ending);
    return path;
}

char *cli_cloth_caches(const char *cache, uint32_t garments)
{
    return cli_cloth_beside(cache, garments > 1 ? "*" : NULL, ".pc2");
}

/* Returns the part of a garment's file names that is its name; NULL: it is the only garment. */
static const char *file_name_of(const hed_cloth_scene *scene, uint32_t index)
{
    return hed_cloth_scene_garment_count(scene) > 1 ? hed_cloth_scene_garment_name(scene, index)
                                                    : NULL;
}

static hed_status cloth_output_out_of_memory(hed_error *error)
{
    return HED_OUT_OF_MEMORY(error, "the output");
}

/* Returns the positions to write to files. */
static const float *places_of(const cli_cloth_output *output)
{
    return output->placed ? output->placed : output->positions;
}

/* ---- meshes ---- */

/* Makes a mesh of `copies` copies, one after another; the copies use the same texture
 * coordinates. */
static bool repeat_mesh(const hed_cloth_mesh *mesh, uint32_t copies, hed_cloth_mesh *result)
{
    uint32_t corners = mesh->face_at[mesh->face_count];
    *result = (hed_cloth_mesh){
        .vertex_count = mesh->vertex_count * copies, .face_count = mesh->face_count * copies};
    result->positions = malloc((size_t)result->vertex_count * 3 * sizeof(float));
    result->face_at = malloc(((size_t)result->face_count + 1) * sizeof(uint32_t));
    result->corners = malloc((size_t)corners * copies * sizeof(uint32_t));
    if (mesh->corner_textures) {
        result->texture_count = mesh->texture_count;
        result->textures = malloc((size_t)mesh->texture_count * 2 * sizeof(float));
        result->corner_textures = malloc((size_t)corners * copies * sizeof(uint32_t));
    }
    bool textures = !mesh->corner_textures || (result->textures && result->corner_textures);
    if (!result->positions || !result->face_at || !result->corners || !textures) {
        hed_cloth_mesh_free(result);
        return false;
    }
    if (result->textures)
        memcpy(result->textures, mesh->textures, (size_t)mesh->texture_count * 2 * sizeof(float));
    for (uint32_t k = 0; k < copies; k++) {
        memcpy(result->positions + (size_t)k * mesh->vertex_count * 3, mesh->positions,
            (size_t)mesh->vertex_count * 3 * sizeof(float));
        if (result->textures)
            memcpy(result->corner_textures + (size_t)k * corners, mesh->corner_textures,
                corners * sizeof(uint32_t));
        for (uint32_t c = 0; c < corners; c++)
            result->corners[(size_t)k * corners + c] = mesh->corners[c] + k * mesh->vertex_count;
        for (uint32_t f = 0; f < mesh->face_count; f++)
            result->face_at[(size_t)k * mesh->face_count + f] = mesh->face_at[f] + k * corners;
    }
    result->face_at[result->face_count] = corners * copies;
    return true;
}

/* ---- opening ---- */

static hed_status cloth_output_open_cache(
    cli_cloth_output *output, garment *g, uint32_t frames, hed_error *error)
{
    uint32_t samples = 0, vertices = g->mesh->vertex_count;
    char *path = cli_cloth_beside(output->def.cache, g->name, ".pc2");
    if (!path) return cloth_output_out_of_memory(error);
    if (frames) hed_cloth_pc2_resume(path, vertices, &g->cache, &samples, error);
    else hed_cloth_pc2_create(path, vertices, 0, 1, &g->cache, error);
    if (!error->status && frames && samples < frames + 1)
        hed_fail(error, HED_ERROR_FORMAT,
            "%s holds %u samples, and the saved state is of frame %u, sample "
            "%u; without --resume the run begins anew",
            path, samples, frames, frames + 1);
    if (frames) hed_cloth_pc2_cut(g->cache, frames + 1, error);
    free(path);
    return error->status;
}

static hed_status open_garment(
    cli_cloth_output *output, uint32_t index, uint32_t frames, hed_error *error)
{
    const cli_cloth_output_def *def = &output->def;
    garment *g = &output->garments[index];
    uint32_t first_particle, copies = hed_cloth_scene_def(def->scene).garments[index].copies;
    hed_cloth_garment_range(def->cloth, index, &first_particle, &g->first_vertex);
    g->name = file_name_of(def->scene, index);
    g->mesh = hed_cloth_scene_mesh(def->scene, index);
    hed_cloth_scene_colour(def->scene, index, g->colour);
    double matrix[12];
    g->moved = hed_cloth_scene_output(def->scene, index, 0, matrix);
    if (copies > 1) {
        if (!repeat_mesh(g->mesh, copies, &g->copies)) return cloth_output_out_of_memory(error);
        g->mesh = &g->copies;
    }
    if (def->png_every) {
        g->triangles = cloth_mesh_triangles(g->mesh, 0, 1, &g->triangle_count);
        if (!g->triangles) return cloth_output_out_of_memory(error);
    }
    return def->cache ? cloth_output_open_cache(output, g, frames, error) : HED_OK;
}

/* True if `path` is the file that the garment is read from, which stays as it is. */
static bool is_own_mesh(const hed_cloth_scene *scene, uint32_t index, const char *path)
{
    const char *file = hed_cloth_scene_file(scene, index);
    struct stat first, second;
    return file && stat(path, &first) == 0 && stat(file, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Writes the mesh that a cache belongs to, with its positions at the start. */
static hed_status write_meshes(cli_cloth_output *output, hed_error *error)
{
    for (uint32_t i = 0; i < output->garment_count && output->def.cache; i++) {
        const garment *g = &output->garments[i];
        char *path = cli_cloth_beside(output->def.cache, g->name, "-mesh.obj");
        if (!path) return cloth_output_out_of_memory(error);
        if (!is_own_mesh(output->def.scene, i, path))
            hed_cloth_mesh_save_obj(
                g->mesh, path, places_of(output) + 3 * (size_t)g->first_vertex, NULL, error);
        free(path);
    }
    return error->status;
}

hed_status cli_cloth_output_open(
    const cli_cloth_output_def *def, uint32_t frames, cli_cloth_output **result, hed_error *error)
{
    *result = NULL;
    size_t vertices = hed_cloth_vertex_count(def->cloth);
    cli_cloth_output *output = calloc(1, sizeof *output);
    if (!output) return cloth_output_out_of_memory(error);
    output->def = *def;
    output->samples = frames ? frames + 1 : 0;
    output->garment_count = hed_cloth_scene_garment_count(def->scene);
    output->garments = calloc(output->garment_count, sizeof *output->garments);
    output->positions = malloc((vertices * 3 + 1) * sizeof(float));
    output->normals = malloc((vertices * 3 + 1) * sizeof(float));
    output->colours = malloc(vertices * 4 + 1);
    bool allocated = output->garments && output->positions && output->normals && output->colours;
    if (!allocated) cloth_output_out_of_memory(error);
    bool moved = false;
    for (uint32_t i = 0; i < output->garment_count && !error->status; i++) {
        open_garment(output, i, frames, error);
        moved = moved || output->garments[i].moved;
    }
    if (moved) {
        output->placed = malloc((vertices * 3 + 1) * sizeof(float));
        output->turned = malloc((vertices * 3 + 1) * sizeof(float));
        if (!output->placed || !output->turned) cloth_output_out_of_memory(error);
    }
    if (!error->status && def->png_every) {
        uint32_t props = hed_cloth_scene_prop_count(def->scene);
        hed_cloth_camera camera = hed_cloth_scene_camera(def->scene);
        output->surfaces = calloc((size_t)output->garment_count + props, sizeof *output->surfaces);
        if (!output->surfaces) cloth_output_out_of_memory(error);
        else
            cloth_picture_create(
                camera.width, camera.height, def->picture_kind, &output->picture, error);
    }
    if (def->png_every || def->obj_every || def->glb) hed_cloth_enable_normals(def->cloth, error);
    if (frames == 0) cli_cloth_output_frame(output, def->begin, false, error);
    if (error->status) cli_cloth_output_close(output, NULL);
    else *result = output;
    return error->status;
}

void cli_cloth_output_use(cli_cloth_output *output, hed_cloth *cloth) { output->def.cloth = cloth; }

cloth_studio *cli_cloth_output_studio(cli_cloth_output *output)
{
    return output->picture ? cloth_picture_studio(output->picture) : NULL;
}

/* ---- announcing ---- */

bool cli_cloth_output_exists(const cli_cloth_output_def *def)
{
    static const char *const endings[] = {".pc2", "-mesh.obj"};
    bool exists = false;
    for (uint32_t i = 0; i < hed_cloth_scene_garment_count(def->scene); i++)
        for (size_t k = 0; k < HED_COUNT(endings); k++) {
            char *path = cli_cloth_beside(def->cache, file_name_of(def->scene, i), endings[k]);
            exists |= !path || access(path, F_OK) == 0;
            free(path);
        }
    return exists;
}

static bool cloth_output_is_due(uint32_t number, uint32_t interval)
{
    return interval && number % interval == 0;
}

static bool is_usd(const char *ending) { return strcmp(ending, ".usda") == 0; }

static bool is_alembic(const char *ending) { return strcmp(ending, ".abc") == 0; }

/* Copies "last.glb" without its ending, which comes after the garment's name. */
static char *stem_of(const char *glb, const char **ending, hed_error *error)
{
    *ending = strrchr(glb, '.');
    if (!*ending || (strcmp(*ending, ".glb") != 0 && !is_usd(*ending) && !is_alembic(*ending)))
        *ending = glb + strlen(glb);
    char *stem = strndup(glb, (size_t)(*ending - glb));
    if (!stem) cloth_output_out_of_memory(error);
    return stem;
}

/* Announces one file, or one for each garment, except files that an option names itself. */
static hed_status announce(const cli_cloth_output_def *def, const char *name, const char *ending,
    bool per_garment, hed_error *error)
{
    uint32_t count = per_garment ? hed_cloth_scene_garment_count(def->scene) : 1;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        char *path =
            cli_cloth_beside(name, per_garment ? file_name_of(def->scene, i) : NULL, ending);
        if (!path) return cloth_output_out_of_memory(error);
        bool is_option = def->cache && strcmp(path, def->cache) == 0;
        bool is_mesh = strcmp(ending, "-mesh.obj") == 0 && is_own_mesh(def->scene, i, path);
        if (!is_option && !is_mesh) hed_output_announce(NULL, path, error);
        free(path);
    }
    return error->status;
}

/* Announces files for several garments, which are named after an option's value; the file of one
 * garment has that name itself. */
static hed_status announce_glb(const cli_cloth_output_def *def, const char *glb, hed_error *error)
{
    const char *ending;
    if (!glb || hed_cloth_scene_garment_count(def->scene) < 2) return error->status;
    char *stem = stem_of(glb, &ending, error);
    if (stem) announce(def, stem, ending, true, error);
    free(stem);
    return error->status;
}

hed_status cli_cloth_output_announce(const cli_cloth_output_def *def, const char *animated,
    uint32_t first, uint32_t frames, hed_error *error)
{
    const struct {
        uint32_t every;
        const char *ending;
        bool each;
    } files[] = {{def->obj_every, ".obj", true}, {def->ply_every, ".ply", true},
        {def->png_every, ".png", false}};
    char ending[32];
    announce_glb(def, def->glb, error);
    announce_glb(def, animated, error);
    if (!def->cache || hed_failed(error)) return error->status;
    announce(def, def->cache, ".pc2", true, error);
    announce(def, def->cache, ".state", false, error);
    if (first == 0) announce(def, def->cache, "-mesh.obj", true, error);
    for (size_t i = 0; i < HED_COUNT(files); i++)
        for (uint32_t n = first ? first + 1 : 0; n <= frames && !hed_failed(error); n++) {
            if (!cloth_output_is_due(n, files[i].every)) continue;
            snprintf(ending, sizeof ending, "-%04u%s", n, files[i].ending);
            announce(def, def->cache, ending, files[i].each, error);
        }
    return error->status;
}

/* ---- a frame ---- */

/* Adds the frame to all caches, or to no cache. */
static hed_status add_to_caches(cli_cloth_output *output, hed_error *error)
{
    for (uint32_t i = 0; i < output->garment_count; i++) {
        const garment *g = &output->garments[i];
        const float *positions = places_of(output) + 3 * (size_t)g->first_vertex;
        if (g->cache) hed_cloth_pc2_add(g->cache, positions, error);
    }
    if (!error->status) output->samples++;
    else
        for (uint32_t i = 0; i < output->garment_count; i++)
            if (output->garments[i].cache)
                hed_cloth_pc2_cut(output->garments[i].cache, output->samples, NULL);
    return error->status;
}

enum { OBJ, PLY, GLB };

/* Facts of a garment's file; `rate`: frames a second, of several frames. */
static hed_cloth_stage stage_of(const cli_cloth_output *output, uint32_t number, double rate)
{
    const hed_cloth_scene *scene = output->def.scene;
    return (hed_cloth_stage){hed_cloth_scene_garment_name(scene, number), rate,
        hed_cloth_scene_unit(scene), hed_cloth_scene_def(scene).up};
}

/* Writes a file for each garment. */
static hed_status write_each(
    cli_cloth_output *output, const char *name, const char *ending, int format, hed_error *error)
{
    for (uint32_t i = 0; i < output->garment_count; i++) {
        const garment *g = &output->garments[i];
        size_t at = g->first_vertex;
        char *path = cli_cloth_beside(name, g->name, ending);
        if (!path) return cloth_output_out_of_memory(error);
        const hed_cloth_stage stage = stage_of(output, i, 1);
        const float *positions = places_of(output) + 3 * at,
                    *normals = (output->turned ? output->turned : output->normals) + 3 * at;
        if (format == OBJ) hed_cloth_mesh_save_obj(g->mesh, path, positions, normals, error);
        else if (format == GLB)
            hed_cloth_mesh_save_glb(g->mesh, path, &stage, positions, normals, error);
        else hed_cloth_mesh_save_ply(g->mesh, path, positions, output->colours + 4 * at, error);
        free(path);
    }
    return error->status;
}

static hed_status cloth_output_write_picture(
    cli_cloth_output *output, const char *ending, hed_error *error)
{
    const cli_cloth_output_def *def = &output->def;
    uint32_t count = 0;
    for (uint32_t i = 0; i < output->garment_count; i++) {
        const garment *g = &output->garments[i];
        size_t at = 3 * (size_t)g->first_vertex;
        cloth_surface *surface = &output->surfaces[count++];
        *surface =
            (cloth_surface){.positions = output->positions + at, .normals = output->normals + at};
        surface->two_sided = true;
        surface->vertex_count = g->mesh->vertex_count;
        surface->triangles = g->triangles;
        surface->triangle_count = g->triangle_count;
        memcpy(surface->colour, g->colour, sizeof surface->colour);
    }
    for (uint32_t i = 0; i < hed_cloth_scene_prop_count(def->scene); i++) {
        hed_cloth_prop prop = hed_cloth_scene_prop(def->scene, i);
        cloth_surface *surface = &output->surfaces[count++];
        *surface = (cloth_surface){.vertex_count = prop.vertex_count, .positions = prop.positions};
        surface->triangles = prop.triangles;
        surface->triangle_count = prop.triangle_count;
        memcpy(surface->colour, prop.colour, sizeof surface->colour);
    }
    hed_cloth_camera camera = hed_cloth_scene_camera(def->scene);
    hed_image image;
    if (cloth_picture_draw(output->picture, &camera, output->surfaces, count, &image, error))
        return error->status;
    char *path = cli_cloth_beside(def->cache, NULL, ending);
    if (path) hed_png_write(path, &image, error);
    else cloth_output_out_of_memory(error);
    free(path);
    hed_image_free(&image);
    return error->status;
}

static hed_status write_last(cli_cloth_output *output, hed_error *error)
{
    const char *ending;
    char *stem = stem_of(output->def.glb, &ending, error);
    if (stem) write_each(output, stem, ending, GLB, error);
    free(stem);
    return error->status;
}

hed_status cli_cloth_output_animated(
    const cli_cloth_output *output, const char *glb, double rate, hed_error *error)
{
    const char *ending;
    char *stem = stem_of(glb, &ending, error);
    for (uint32_t i = 0; stem && i < output->garment_count && !error->status; i++) {
        const garment *g = &output->garments[i];
        hed_cloth_pc2_data data = {0};
        char *cache = cli_cloth_beside(output->def.cache, g->name, ".pc2"),
             *path = cli_cloth_beside(stem, g->name, ending);
        if (cache && path) hed_cloth_pc2_read(cache, &data, error);
        else cloth_output_out_of_memory(error);
        const hed_cloth_stage stage = stage_of(output, i, rate);
        if (is_usd(ending))
            hed_cloth_mesh_save_usd_frames(
                g->mesh, path, &stage, data.positions, data.frame_count, error);
        else if (is_alembic(ending))
            hed_cloth_mesh_save_alembic_frames(
                g->mesh, path, &stage, data.positions, data.frame_count, error);
        else
            hed_cloth_mesh_save_glb_frames(
                g->mesh, path, &stage, data.positions, data.frame_count, error);
        hed_cloth_pc2_free(&data);
        free(cache);
        free(path);
    }
    free(stem);
    return error->status;
}

/* Transforms positions and normals to the files' axes. Normals are transformed by the matrix of
 * cofactors, which is the transposed inverse except for its scale and, if it mirrors, its sign. */
static void cloth_output_place(cli_cloth_output *output, uint32_t sample, bool normals)
{
    for (uint32_t i = 0; i < output->garment_count && output->placed; i++) {
        const garment *g = &output->garments[i];
        double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        if (g->moved) hed_cloth_scene_output(output->def.scene, i, sample, m);
        double cofactor[9], sign = 0;
        for (int k = 0; k < 9; k++) {
            int a = (k / 3 + 1) % 3 * 4, b = (k / 3 + 2) % 3 * 4, c = (k % 3 + 1) % 3,
                d = (k % 3 + 2) % 3;
            cofactor[k] = m[a + c] * m[b + d] - m[a + d] * m[b + c];
            if (k < 3) sign += cofactor[k] * m[k];
        }
        for (size_t v = g->first_vertex; v < (size_t)g->first_vertex + g->mesh->vertex_count; v++) {
            const float *p = output->positions + 3 * v, *n = output->normals + 3 * v;
            double turned[3], size = 0;
            for (int k = 0; k < 3; k++) {
                const double *row = m + 4 * k;
                output->placed[3 * v + (size_t)k] =
                    (float)(row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] +
                            row[3]);
                if (!normals) continue;
                turned[k] = cofactor[3 * k] * (double)n[0] + cofactor[3 * k + 1] * (double)n[1] +
                            cofactor[3 * k + 2] * (double)n[2];
                size += turned[k] * turned[k];
            }
            double length = (sign < 0 ? -1 : 1) * sqrt(size);
            for (size_t k = 0; k < 3 && normals; k++)
                output->turned[3 * v + k] = size > 0 ? (float)(turned[k] / length) : n[k];
        }
    }
}

hed_status cli_cloth_output_frame(
    cli_cloth_output *output, uint32_t number, bool last, hed_error *error)
{
    const cli_cloth_output_def *def = &output->def;
    char ending[32];
    bool obj = cloth_output_is_due(number, def->obj_every),
         ply = cloth_output_is_due(number, def->ply_every);
    bool png = cloth_output_is_due(number, def->png_every), glb = last && def->glb;
    bool normals = obj || png || glb;
    hed_cloth_read(def->cloth, output->positions, normals ? output->normals : NULL,
        ply ? output->colours : NULL, error);
    if (error->status) return error->status;
    bool is_start = output->samples == 0;
    if (is_start && def->start)
        memcpy(output->positions, def->start,
            3 * (size_t)hed_cloth_vertex_count(def->cloth) * sizeof *output->positions);
    /* the cloth has the scene's unit only from frame 1 on */
    else if (is_start) hed_cloth_scene_start(def->scene, output->positions);
    cloth_output_place(output, number, normals);
    if (is_start && write_meshes(output, error)) return error->status;
    snprintf(ending, sizeof ending, "-%04u.obj", number);
    if (obj && write_each(output, def->cache, ending, OBJ, error)) return error->status;
    snprintf(ending, sizeof ending, "-%04u.ply", number);
    if (ply && write_each(output, def->cache, ending, PLY, error)) return error->status;
    snprintf(ending, sizeof ending, "-%04u.png", number);
    if (png && cloth_output_write_picture(output, ending, error)) return error->status;
    if (glb && write_last(output, error)) return error->status;
    /* last, so that a frame in the caches has all its files */
    return add_to_caches(output, error);
}

/* ---- closing ---- */

hed_status cli_cloth_output_close(cli_cloth_output *output, hed_error *error)
{
    hed_status status = HED_OK;
    if (!output) return status;
    for (uint32_t i = 0; output->garments && i < output->garment_count; i++) {
        garment *g = &output->garments[i];
        hed_error later = {0};
        hed_status closed = hed_cloth_pc2_close(g->cache, status == HED_OK ? error : &later);
        if (status == HED_OK) status = closed;
        if (g->copies.vertex_count) hed_cloth_mesh_free(&g->copies);
        free(g->triangles);
    }
    if (output->picture) cloth_picture_destroy(output->picture);
    free(output->garments);
    free(output->positions);
    free(output->placed);
    free(output->turned);
    free(output->normals);
    free(output->colours);
    free(output->surfaces);
    free(output);
    return status;
}
