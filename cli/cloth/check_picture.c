/* Picture of a check: cloth in grey, triangles that cross in red, and a dot at each place, which
 * shows through surfaces before it. On the left the whole, on the right the densest place. */
#include "check_cloth.h"

#include "engines/cloth/view/studio.h"
#include "engines/cloth/view/pictures.h"
#include "heddle/author.h"
#include "support/png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 900 };

typedef struct check_drawing {
    const cloth_check *check;
    cloth_check_moment moment;
    /* two for each surface: triangles that do not cross, and triangles that cross */
    cloth_surface *surfaces;
    uint32_t *triangles; /* triangles of all surfaces */
    uint32_t count;
} check_drawing;

/* Divides the triangles of each surface into crossing and other triangles. */
static void check_divide(check_drawing *d, const bool *crosses)
{
    static const float red[] = {0.85f, 0.05f, 0.03f}, grey[] = {0.62f, 0.66f, 0.72f},
                       stone[] = {0.55f, 0.5f, 0.44f};
    uint32_t *at = d->triangles;
    for (uint32_t s = 0; s < d->moment.surface_count; s++) {
        const hed_cloth_check_surface *surface = &d->moment.surfaces[s];
        for (int part = 0; part < 2; part++) {
            cloth_surface *part_surface = &d->surfaces[d->count];
            *part_surface = (cloth_surface){.vertex_count = surface->vertex_count,
                .positions = surface->positions,
                .triangles = at,
                .two_sided = !surface->body};
            memcpy(part_surface->colour, part ? red : surface->body ? stone : grey, sizeof red);
            for (uint32_t t = 0; t < surface->triangle_count; t++) {
                if (crosses[t] != (part == 1)) continue;
                memcpy(at, surface->triangles + 3 * (size_t)t, 3 * sizeof *at);
                at += 3;
                part_surface->triangle_count++;
            }
            d->count += part_surface->triangle_count > 0;
        }
        crosses += surface->triangle_count;
    }
}

/* Finds the place with the most other places within a tenth of the cloth's size. */
static void densest(const hed_cloth_crossings *crossings, double radius, double middle[3])
{
    uint32_t step = 1 + crossings->pair_count / 1000, best = 0;
    for (uint32_t i = 0; i < crossings->pair_count; i += step) {
        uint32_t neighbours = 0;
        for (uint32_t j = 0; j < crossings->pair_count; j += step) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += pow(crossings->pairs[i].place[k] - crossings->pairs[j].place[k], 2);
            neighbours += square <= radius * radius;
        }
        if (neighbours <= best) continue;
        best = neighbours;
        memcpy(middle, crossings->pairs[i].place, 3 * sizeof *middle);
    }
}

/* Makes a camera from the front, a little from the right and from above. */
static hed_cloth_camera camera_towards(const double middle[3], double radius, uint32_t up)
{
    hed_cloth_camera camera = {.field_of_view = 35, .width = SIDE, .height = SIDE};
    double distance = 1.1 * radius / sin(35 / 2.0 * 3.14159265 / 180);
    double direction[3] = {0.45, up == 1 ? 0.35 : -0.82, up == 1 ? 0.82 : 0.35};
    if (up == 0) direction[0] = 0.35, direction[2] = 0.45;
    for (int k = 0; k < 3; k++) {
        camera.target[k] = (float)middle[k];
        camera.eye[k] = (float)(middle[k] + direction[k] * distance);
    }
    camera.up[up] = 1;
    return camera;
}

/* Draws a dot at each place. */
static void draw_dots(
    const hed_cloth_crossings *crossings, const hed_cloth_camera *camera, hed_image *image)
{
    float look[16], lens[16], view_projection[16];
    cloth_look_at(camera->eye, camera->target, camera->up, look);
    cloth_perspective(camera->field_of_view, 1, 0.01f, 100, lens);
    cloth_multiply(lens, look, view_projection);
    for (uint32_t i = 0; i < crossings->pair_count; i++) {
        float clip[4];
        for (int k = 0; k < 4; k++)
            clip[k] = view_projection[k] * (float)crossings->pairs[i].place[0] +
                      view_projection[4 + k] * (float)crossings->pairs[i].place[1] +
                      view_projection[8 + k] * (float)crossings->pairs[i].place[2] +
                      view_projection[12 + k];
        if (!(clip[3] > 0)) continue;
        int x = (int)((0.5f + 0.5f * clip[0] / clip[3]) * SIDE),
            y = (int)((0.5f - 0.5f * clip[1] / clip[3]) * SIDE);
        for (int dot = 0; dot < 25; dot++) {
            int u = x + dot % 5 - 2, v = y + dot / 5 - 2;
            bool corner = abs(dot % 5 - 2) + abs(dot / 5 - 2) > 2;
            if (corner || u < 0 || v < 0 || u >= SIDE || v >= SIDE) continue;
            uint8_t *pixel = image->pixels + image->channels * ((size_t)v * SIDE + (size_t)u);
            pixel[0] = (uint8_t)(pixel[0] / 2 + 127);
            pixel[1] = (uint8_t)(pixel[1] / 2 + 90);
            pixel[2] = pixel[2] / 4;
        }
    }
}

/* Draws one half of the picture. */
static hed_status draw_half(const check_drawing *d, const hed_cloth_camera *camera, int half,
    hed_image *whole, hed_error *error)
{
    cloth_picture *picture = NULL;
    hed_image image = {0};
    cloth_picture_create(SIDE, SIDE, CLOTH_PICTURE_SOFTWARE, &picture, error);
    if (!error->status) cloth_picture_draw(picture, camera, d->surfaces, d->count, &image, error);
    if (!error->status) {
        draw_dots(&d->check->found[d->check->worst], camera, &image);
        for (size_t y = 0; y < SIDE; y++)
            memcpy(whole->pixels + 3 * (y * 2 * SIDE + (size_t)half * SIDE),
                image.pixels + 3 * y * SIDE, (size_t)3 * SIDE);
    }
    hed_image_free(&image);
    if (picture) cloth_picture_destroy(picture);
    return error->status;
}

static hed_status draw_both(check_drawing *d, const char *path, hed_error *error)
{
    const cloth_check *c = d->check;
    const hed_cloth_crossings *crossings = &c->found[c->worst];
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, middle[3], radius = 0;
    for (uint32_t s = 0; s < c->input_count; s++)
        for (size_t i = 0; !c->inputs[s].body && i < 3 * (size_t)c->inputs[s].mesh.vertex_count;
             i++) {
            low[i % 3] = fmin(low[i % 3], (double)d->moment.surfaces[s].positions[i]);
            high[i % 3] = fmax(high[i % 3], (double)d->moment.surfaces[s].positions[i]);
        }
    for (int k = 0; k < 3; k++) {
        middle[k] = (low[k] + high[k]) / 2;
        radius += pow((high[k] - low[k]) / 2, 2);
    }
    radius = fmax(sqrt(radius), 1e-6);
    uint32_t up = c->scene ? hed_cloth_scene_def(c->scene).up : hed_choice_of(c->arguments, "up");
    hed_image whole = {0};
    if (hed_image_create(2 * SIDE, SIDE, 3, &whole, error)) return error->status;
    hed_cloth_camera camera = camera_towards(middle, radius, up);
    draw_half(d, &camera, 0, &whole, error);
    densest(crossings, radius / 10, middle);
    camera = camera_towards(middle, radius / 5, up);
    if (!error->status) draw_half(d, &camera, 1, &whole, error);
    if (!error->status) hed_png_write(path, &whole, error);
    hed_image_free(&whole);
    return error->status;
}

hed_status cloth_check_picture(const cloth_check *c, const char *path, hed_error *error)
{
    check_drawing d = {.check = c};
    size_t triangles = 0;
    bool allocated = cloth_check_moment_make(c, &d.moment);
    if (allocated && !cloth_check_moment_set(c, c->worst, &d.moment, error))
        for (uint32_t s = 0; s < d.moment.surface_count; s++)
            triangles += d.moment.surfaces[s].triangle_count;
    bool *crosses = calloc(triangles + 1, sizeof *crosses);
    d.triangles = malloc((3 * triangles + 1) * sizeof *d.triangles);
    d.surfaces = calloc(2 * (size_t)d.moment.surface_count + 1, sizeof *d.surfaces);
    if (!allocated || !crosses || !d.triangles || !d.surfaces)
        HED_OUT_OF_MEMORY(error, "a picture of what crosses");
    const hed_cloth_crossings *crossings = &c->found[c->worst];
    for (uint32_t p = 0; p < crossings->pair_count && !error->status; p++)
        for (int side = 0; side < 2; side++) {
            const hed_cloth_crossing *pair = &crossings->pairs[p];
            if (side == 1 && pair->kind == HED_CLOTH_CROSSES_SHAPE) continue;
            size_t first = pair->triangle[side];
            for (uint32_t s = 0; s < pair->surface[side]; s++)
                first += d.moment.surfaces[s].triangle_count;
            crosses[first] = true;
        }
    if (!error->status) {
        check_divide(&d, crosses);
        draw_both(&d, path, error);
    }
    free(crosses);
    free(d.triangles);
    free(d.surfaces);
    cloth_check_moment_free(&d.moment);
    return error->status;
}
