/* Pictures without a window: by OpenGL on a graphics processor, else in software. */
#include "pictures.h"

#include "gl_picture.h"
#include "software.h"

#include "heddle/author.h"

#include <stdlib.h>

struct cloth_picture {
    uint32_t width, height;
    cloth_picture_kind kind;
    cloth_gl_picture *gl;     /* renderer; NULL: software draws */
    cloth_software *software; /* renderer; NULL: OpenGL draws */
    cloth_studio studio;
};

/* True if OpenGL draws a red triangle in the middle, and only there. */
static bool draws_a_triangle(cloth_picture *p)
{
    static const float corners[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    const cloth_surface surface = {.vertex_count = 3,
        .triangle_count = 1,
        .positions = corners,
        .triangles = triangle,
        .colour = {1, 0, 0},
        .two_sided = true};
    const hed_cloth_camera camera = {.eye = {0, 0, 4},
        .up = {0, 1, 0},
        .field_of_view = 60,
        .width = p->width,
        .height = p->height};
    cloth_studio studio = {0};
    cloth_box box = cloth_box_nothing();
    hed_image image;
    cloth_box_add(&box, corners, 3);
    cloth_studio_fit(&studio, &camera, &box, &box);
    if (cloth_gl_picture_draw(p->gl, &studio, &camera, &box, &surface, 1, &image, NULL))
        return false;
    const uint8_t *corner = image.pixels,
                  *middle = corner + 3 * ((size_t)(p->height / 2) * p->width + p->width / 2);
    bool red = middle[0] > middle[1] + 40 && middle[0] > middle[2] + 40;
    bool grey = abs(corner[0] - corner[1]) < 40 && abs(corner[0] - corner[2]) < 40;
    hed_image_free(&image);
    return red && grey;
}

/* Starts OpenGL if it is requested and useful; p->gl NULL without an error: software draws. */
static hed_status start_gl(cloth_picture *p, cloth_picture_kind kind, hed_error *error)
{
    hed_status status = kind == CLOTH_PICTURE_SOFTWARE
                            ? HED_OK
                            : cloth_gl_picture_create(p->width, p->height, &p->gl, error);
    if (kind == CLOTH_PICTURE_GL) return status;
    if (status) hed_error_clear(error);
    /* Heddle's software draws the same, starts sooner and has the same bits everywhere */
    if (p->gl && (cloth_gl_picture_in_software(p->gl) || !draws_a_triangle(p))) {
        cloth_gl_picture_destroy(p->gl);
        p->gl = NULL;
    }
    return HED_OK;
}

hed_status cloth_picture_create(uint32_t width, uint32_t height, cloth_picture_kind kind,
    cloth_picture **picture, hed_error *error)
{
    *picture = NULL;
    if (width == 0 || height == 0)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a picture of %u x %u has no pixels", width, height);
    cloth_picture *p = calloc(1, sizeof *p);
    if (!p) return HED_OUT_OF_MEMORY(error, "the renderer");
    *p = (cloth_picture){.width = width, .height = height, .kind = kind};
    hed_status status = start_gl(p, kind, error);
    if (!p->gl && !status) status = cloth_software_create(width, height, &p->software, error);
    if (status) cloth_picture_destroy(p);
    else *picture = p;
    return status;
}

void cloth_picture_destroy(cloth_picture *p)
{
    if (!p) return;
    cloth_gl_picture_destroy(p->gl);
    cloth_software_destroy(p->software);
    free(p);
}

cloth_studio *cloth_picture_studio(cloth_picture *p) { return &p->studio; }

const char *cloth_picture_renderer(const cloth_picture *p)
{
    return p->gl ? cloth_gl_picture_renderer(p->gl) : "software";
}

/* Computes the box to look at: the cloth, and surfaces that are not much larger than it (a body,
 * a table; not a wide floor); and the box around all that is drawn. */
static cloth_box subject(const cloth_surface *surfaces, uint32_t count, cloth_box *whole)
{
    cloth_box cloth = cloth_box_nothing();
    *whole = cloth_box_nothing();
    for (uint32_t i = 0; i < count; i++) {
        if (surfaces[i].triangle_count)
            cloth_box_add(whole, surfaces[i].positions, surfaces[i].vertex_count);
        if (surfaces[i].two_sided)
            cloth_box_add(&cloth, surfaces[i].positions, surfaces[i].vertex_count);
    }
    if (cloth_box_empty(&cloth)) return *whole;
    float radius_limit = 3 * cloth_box_radius(&cloth);
    for (uint32_t i = 0; i < count; i++) {
        cloth_box box = cloth_box_nothing();
        cloth_box_add(&box, surfaces[i].positions, surfaces[i].vertex_count);
        if (surfaces[i].two_sided || cloth_box_empty(&box) || cloth_box_radius(&box) > radius_limit)
            continue;
        cloth_box_join(&cloth, &box);
    }
    return cloth;
}

hed_status cloth_picture_draw(cloth_picture *p, const hed_cloth_camera *camera,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error)
{
    *image = (hed_image){0};
    for (uint32_t s = 0; s < count; s++)
        for (size_t i = 0; i < 3 * (size_t)surfaces[s].triangle_count; i++)
            if (surfaces[s].triangles[i] >= surfaces[s].vertex_count)
                return hed_fail(error, HED_ERROR_ARGUMENT,
                    "surface %u: triangle %zu names vertex %u, and there are %u", s, i / 3,
                    surfaces[s].triangles[i], surfaces[s].vertex_count);
    cloth_box whole, box = subject(surfaces, count, &whole);
    if (cloth_box_empty(&box)) cloth_box_add(&box, camera->target, 1);
    if (cloth_box_empty(&whole)) whole = box;
    cloth_studio_fit(&p->studio, camera, &box, &whole);
    if (p->gl) {
        hed_status drawing =
            cloth_gl_picture_draw(p->gl, &p->studio, camera, &box, surfaces, count, image, error);
        if (!drawing || p->kind == CLOTH_PICTURE_GL) return drawing;
        hed_error_clear(error);
        drawing = cloth_software_create(p->width, p->height, &p->software, error);
        if (drawing) return drawing;
        cloth_gl_picture_destroy(p->gl); /* software draws all later pictures */
        p->gl = NULL;
    }
    cloth_shot shot =
        cloth_shot_begin(&p->studio, camera, &box, (float)p->width / (float)p->height);
    hed_status status = hed_image_create(p->width, p->height, 3, image, error);
    if (status) return status;
    status = cloth_software_draw(p->software, &shot, surfaces, count, image, error);
    if (status) hed_image_free(image);
    return status;
}
