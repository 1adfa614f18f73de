/* Pictures of cloth and the window. Pictures are checked by what must be true of them: areas, which
 * side is lit, what is darker than what: those in software, and with HEDDLE_TEST_PICTURES=gl those
 * by OpenGL, which are skipped, with words, where there is none; the window where there is no
 * screen (cloth_view_window.sh brings one). */
#include <glob.h>
#include <math.h>

#include "base/hash.h"
#include "control.h"
#include "engines/cloth/view/pictures.h"
#include "view_gl.h"
#include "heddle/cloth_scene.h"
#include "renderer.h"
#include "software.h"
#include "studio.h"
#include "testing.h"
#include "window.h"

static hed_error error;

enum { WIDTH = 320, HEIGHT = 240 };
static const double PI = 3.14159265358979;

/* A camera on the z axis that looks at (0, 1, 0). */
static hed_cloth_camera level_camera(float distance)
{
    return (hed_cloth_camera){{0, 1, distance}, {0, 1, 0}, {0, 1, 0}, 40, WIDTH, HEIGHT};
}

static cloth_picture *open_kind(uint32_t width, uint32_t height, cloth_picture_kind kind)
{
    cloth_picture *picture;
    hed_status status = cloth_picture_create(width, height, kind, &picture, &error);
    if (status == HED_ERROR_UNSUPPORTED) test_skip("%s", error.text);
    CHECK(status == HED_OK, "%s\n%s", error.text, error.log);
    test_note("%s", cloth_picture_renderer(picture));
    return picture;
}

static cloth_picture_kind tested_kind(void)
{
    const char *word = getenv("HEDDLE_TEST_PICTURES");
    return word && strcmp(word, "gl") == 0 ? CLOTH_PICTURE_GL : CLOTH_PICTURE_SOFTWARE;
}

static cloth_picture *open_picture(uint32_t width, uint32_t height)
{
    return open_kind(width, height, tested_kind());
}

/* ---- surfaces ---- */

static cloth_surface make_surface(
    uint32_t columns, uint32_t rows, void (*place)(float u, float v, float out[3]))
{
    float *positions = malloc((size_t)columns * rows * 3 * sizeof *positions);
    uint32_t *triangles = malloc((size_t)(columns - 1) * (rows - 1) * 6 * sizeof *triangles),
             *t = triangles;
    CHECK(positions && triangles);
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++)
            place((float)i / (float)(columns - 1), (float)j / (float)(rows - 1),
                positions + 3 * ((size_t)j * columns + i));
    for (uint32_t j = 0; j + 1 < rows; j++)
        for (uint32_t i = 0; i + 1 < columns; i++, t += 6) {
            uint32_t a = j * columns + i, c = a + columns;
            memcpy(t, (uint32_t[]){a, a + 1, c, a + 1, c + 1, c}, 6 * sizeof *t);
        }
    return (cloth_surface){.vertex_count = columns * rows,
        .triangle_count = (columns - 1) * (rows - 1) * 2, .positions = positions,
        .triangles = triangles, .colour = {1, 1, 1}};
}

static void free_surface(cloth_surface *surface)
{
    free((void *)surface->positions);
    free((void *)surface->triangles);
}

/* Radius 0.4 around (0, 1, 0); triangles counter-clockwise from outside. */
static void ball(float u, float v, float out[3])
{
    float a = 2 * (float)PI * u, b = (float)PI * (1 - v);
    memcpy(out, (float[]){0.4f * cosf(-a) * sinf(b), 1 + 0.4f * cosf(b), 0.4f * sinf(-a) * sinf(b)},
        3 * sizeof *out);
}

/* Upright, 2 x 1, its lower half or its upper half of the picture; the front looks towards +z. */
static void lower_half(float u, float v, float out[3])
{
    memcpy(out, (float[]){2 * u - 1, v, 0}, 3 * sizeof *out);
}
static void upper_half(float u, float v, float out[3])
{
    memcpy(out, (float[]){2 * u - 1, 1 + v, 0}, 3 * sizeof *out);
}
/* 1 x 1, level, half a metre above the ground. */
static void plate(float u, float v, float out[3])
{
    memcpy(out, (float[]){u - 0.5f, 0.5f, 0.5f - v}, 3 * sizeof *out);
}
static void waves(float u, float v, float out[3])
{
    memcpy(out, (float[]){2 * u - 1, 0.2f + 1.6f * v, 0.1f * sinf(20 * u) * cosf(9 * v)},
        3 * sizeof *out);
}

/* A body from 2 m below to 2 m above, and a garment on it. */
static void column(float u, float v, float out[3])
{
    memcpy(out, (float[]){0.6f * u - 0.3f, 4 * v - 2, 0}, 3 * sizeof *out);
}
static void belt(float u, float v, float out[3])
{
    memcpy(out, (float[]){0.7f * u - 0.35f, 1 + 0.2f * v, 0.01f}, 3 * sizeof *out);
}

static cloth_surface coloured(cloth_surface surface, float r, float g, float b, bool two_sided)
{
    memcpy(surface.colour, (float[]){r, g, b}, sizeof surface.colour);
    surface.two_sided = two_sided;
    return surface;
}

static const uint8_t *pixel(const hed_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + 3 * ((size_t)y * image->width + x);
}
static double brightness(const uint8_t *p) { return (p[0] + p[1] + p[2]) / 3.0; }

static hed_image draw(cloth_picture *picture, const hed_cloth_camera *camera,
    const cloth_surface *surfaces, uint32_t count)
{
    hed_image image;
    OK(cloth_picture_draw(picture, camera, surfaces, count, &image, &error));
    CHECK(image.channels == 3 && image.pixels);
    return image;
}

/* ---- pictures ---- */

Test(cloth_picture, the_silhouette_of_a_sphere_has_its_area)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sphere = coloured(make_surface(129, 65, ball), 0, 1, 0, false);
    hed_image image = draw(picture, &camera, &sphere, 1);
    uint32_t green = 0;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint8_t *p = pixel(&image, x, y);
            green += p[1] > p[0] + 20 && p[1] > p[2] + 20;
        }
    double radius = HEIGHT / 2.0 * tan(asin(0.4 / 3)) / tan(20 * PI / 180),
           expected = PI * radius * radius;
    CHECK(fabs(green - expected) < 0.025 * expected, "%u green pixels, expected %.0f", green,
        expected);
    hed_image_free(&image);
    free_surface(&sphere);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, the_top_row_comes_first)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface surfaces[2] = {coloured(make_surface(2, 2, upper_half), 1, 0, 0, true),
        coloured(make_surface(2, 2, lower_half), 0, 0, 1, true)};
    hed_image image = draw(picture, &camera, surfaces, 2);
    const uint8_t *high = pixel(&image, WIDTH / 2, HEIGHT / 4),
                  *low = pixel(&image, WIDTH / 2, HEIGHT * 3 / 4);
    CHECK(high[0] > 2 * high[2] && high[0] > 60, "above: %u %u %u", high[0], high[1], high[2]);
    CHECK(low[2] > 2 * low[0] && low[2] > 60, "below: %u %u %u", low[0], low[1], low[2]);
    hed_image_free(&image);
    free_surface(&surfaces[0]);
    free_surface(&surfaces[1]);
    cloth_picture_destroy(picture);
}

/* The way round of the triangles decides only where a surface has one side. */
Test(cloth_picture, cloth_is_lit_from_both_sides)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sheet = make_surface(2, 2, upper_half);
    uint32_t turned_triangles[6];
    for (int i = 0; i < 6; i++) turned_triangles[i] = sheet.triangles[5 - i];
    double seen[2][2]; /* [two-sided][turned] */
    for (int two_sided = 0; two_sided < 2; two_sided++)
        for (int turned = 0; turned < 2; turned++) {
            cloth_surface shown = coloured(sheet, 0.7f, 0.7f, 0.7f, two_sided);
            if (turned) shown.triangles = turned_triangles;
            hed_image image = draw(picture, &camera, &shown, 1);
            seen[two_sided][turned] = brightness(pixel(&image, WIDTH / 2, HEIGHT / 4));
            hed_image_free(&image);
        }
    CHECK(
        fabs(seen[1][0] - seen[1][1]) <= 2, "two-sided: front %g, back %g", seen[1][0], seen[1][1]);
    CHECK(seen[0][1] < 0.85 * seen[0][0], "one-sided: front %g, back %g", seen[0][0], seen[0][1]);
    free_surface(&sheet);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, ground_in_shadow_is_darker_than_ground_in_light)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = {{0, 1.6f, 3}, {0, 0.2f, 0}, {0, 1, 0}, 40, WIDTH, HEIGHT};
    cloth_surface above = coloured(make_surface(9, 9, plate), 1, 0, 0, true), speck = above;
    speck.triangle_count = 0; /* the same place and size, and nothing to see */
    hed_image with = draw(picture, &camera, &above, 1), without = draw(picture, &camera, &speck, 1);
    uint32_t darker = 0, brighter = 0, same = 0;
    for (uint32_t y = HEIGHT / 3; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint8_t *a = pixel(&with, x, y), *b = pixel(&without, x, y);
            if (a[0] > a[1] + 25) continue; /* the plate */
            double change = brightness(a) - brightness(b);
            darker += change < -0.15 * brightness(b);
            brighter += change > 3;
            same += fabs(change) <= 1;
        }
    CHECK(darker > WIDTH * HEIGHT / 50, "%u pixels lie in shadow", darker);
    CHECK(brighter == 0, "%u pixels of ground have become brighter", brighter);
    CHECK(same > WIDTH * HEIGHT / 5, "%u pixels are as they were", same);
    hed_image_free(&with);
    hed_image_free(&without);
    free_surface(&above);
    cloth_picture_destroy(picture);
}

/* The ground is below the feet of a body of many times the garment's size. */
Test(cloth_picture, a_body_larger_than_its_garment_is_seen_whole)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(8);
    cloth_surface surfaces[] = {coloured(make_surface(2, 2, belt), 1, 0, 0, true),
        coloured(make_surface(2, 2, column), 0, 0, 1, false)};
    hed_image image = draw(picture, &camera, surfaces, 2);
    for (uint32_t y = HEIGHT / 2 + 4; y < HEIGHT; y += 10) { /* from 1 m to 1.9 m below 0 */
        const uint8_t *p = pixel(&image, WIDTH / 2, y);
        CHECK(p[2] > p[0] + 40, "row %u: %u %u %u", y, p[0], p[1], p[2]);
    }
    hed_image_free(&image);
    free_surface(&surfaces[0]);
    free_surface(&surfaces[1]);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, vertex_colours_are_multiplied_with_the_surfaces)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sheet = coloured(make_surface(2, 2, upper_half), 1, 1, 0, true);
    const uint8_t colours[] = {
        255, 0, 255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0, 255, 255};
    sheet.colours = colours;
    hed_image image = draw(picture, &camera, &sheet, 1);
    const uint8_t *p = pixel(&image, WIDTH / 2, HEIGHT / 4);
    CHECK(p[0] > 100 && p[1] < p[0] / 2 && p[2] < p[0] / 2, "%u %u %u", p[0], p[1], p[2]);
    hed_image_free(&image);
    free_surface(&sheet);
    cloth_picture_destroy(picture);
}

/* Also with another surface drawn between: nothing of a picture is left in the next. */
Test(cloth_picture, the_same_scene_gives_the_same_picture)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sheet = coloured(make_surface(60, 60, waves), 0.8f, 0.3f, 0.2f, true);
    cloth_surface surfaces[2] = {sheet, make_surface(33, 17, ball)};
    hed_image first = draw(picture, &camera, surfaces, 1),
              between = draw(picture, &camera, surfaces, 2),
              again = draw(picture, &camera, surfaces, 1);
    size_t size = 3 * WIDTH * HEIGHT;
    CHECK(memcmp(first.pixels, again.pixels, size) == 0);
    CHECK(memcmp(first.pixels, between.pixels, size) != 0);
    hed_image_free(&first);
    hed_image_free(&between);
    hed_image_free(&again);
    free_surface(&surfaces[0]);
    free_surface(&surfaces[1]);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, a_million_vertices)
{
    cloth_picture *picture = open_picture(WIDTH, HEIGHT);
    hed_cloth_camera camera = level_camera(4);
    cloth_surface sheet = coloured(make_surface(1024, 1024, waves), 0, 0.2f, 1, true);
    hed_image image = draw(picture, &camera, &sheet, 1);
    const uint8_t *p = pixel(&image, WIDTH / 2, HEIGHT / 2);
    CHECK(p[2] > p[0] + 30, "%u %u %u", p[0], p[1], p[2]);
    hed_image_free(&image);
    free_surface(&sheet);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, what_cannot_be_drawn_is_refused_with_its_place)
{
    cloth_picture *picture = open_picture(16, 16), *none;
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sheet = make_surface(3, 3, upper_half);
    uint32_t triangles[24];
    hed_image image;
    memcpy(triangles, sheet.triangles, sizeof triangles);
    triangles[10] = 9;
    cloth_surface bad[2] = {sheet, sheet};
    bad[1].triangles = triangles;
    FAILS(HED_ERROR_ARGUMENT, cloth_picture_draw(picture, &camera, bad, 2, &image, &error));
    CHECK(strstr(error.text, "surface 1") && strstr(error.text, "triangle 3") &&
              strstr(error.text, "vertex 9"),
        "%s", error.text);
    CHECK(image.pixels == NULL);
    FAILS(HED_ERROR_ARGUMENT, cloth_picture_create(0, 16, tested_kind(), &none, &error));
    FAILS(HED_ERROR_LIMIT, cloth_picture_create(16, 1000000, tested_kind(), &none, &error));
    CHECK(none == NULL);
    image = draw(picture, &camera, &sheet, 1);
    hed_image_free(&image);
    image = draw(picture, &camera, NULL, 0); /* ground and sky alone */
    hed_image_free(&image);
    free_surface(&sheet);
    cloth_picture_destroy(picture);
}

/* Whatever numbers come, there is a picture: a cloth that blew up must not take the view along. */
Test(cloth_picture, positions_that_are_not_finite)
{
    cloth_picture *picture = open_picture(64, 64);
    hed_cloth_camera camera = level_camera(3);
    cloth_surface sheet = make_surface(8, 8, upper_half);
    float *positions = (float *)sheet.positions;
    positions[30] = NAN;
    positions[40] = INFINITY;
    hed_image image = draw(picture, &camera, &sheet, 1);
    hed_image_free(&image);
    for (int i = 0; i < 8 * 8 * 3; i++) positions[i] = NAN;
    image = draw(picture, &camera, &sheet, 1);
    hed_image_free(&image);
    free_surface(&sheet);
    cloth_picture_destroy(picture);
}

/* ---- software against OpenGL, and against itself ---- */

static hed_image waves_and_ball(cloth_picture *picture)
{
    hed_cloth_camera camera = {{1.2f, 1.7f, 3}, {0, 0.9f, 0}, {0, 1, 0}, 40, WIDTH, HEIGHT};
    cloth_surface surfaces[2] = {coloured(make_surface(60, 60, waves), 0.8f, 0.3f, 0.2f, true),
        coloured(make_surface(33, 17, ball), 0.6f, 0.65f, 0.7f, false)};
    hed_image image = draw(picture, &camera, surfaces, 2);
    free_surface(&surfaces[0]);
    free_surface(&surfaces[1]);
    return image;
}

Test(cloth_picture, software_draws_what_opengl_draws)
{
    cloth_picture *gl = open_kind(WIDTH, HEIGHT, CLOTH_PICTURE_GL),
                  *software = open_kind(WIDTH, HEIGHT, CLOTH_PICTURE_SOFTWARE);
    hed_image seen = waves_and_ball(gl), ours = waves_and_ball(software);
    double sum = 0;
    uint32_t far = 0;
    for (size_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        int difference = abs((int)seen.pixels[i] - (int)ours.pixels[i]);
        sum += difference;
        far += difference > 24;
    }
    CHECK(sum < 0.5 * 3 * WIDTH * HEIGHT, "they differ by %.2f of 255 on average",
        sum / (3 * WIDTH * HEIGHT));
    CHECK(far < 3 * WIDTH * HEIGHT / 2000, "%u of %d values differ by more than 24 of 255", far,
        3 * WIDTH * HEIGHT);
    hed_image_free(&seen);
    hed_image_free(&ours);
    cloth_picture_destroy(gl);
    cloth_picture_destroy(software);
}

#if HEDDLE_VIEW_GL
/* A driver that resets the device may leave in a picture whatever was there before. */
Test(cloth_picture, pixels_of_another_picture_are_refused)
{
    cloth_headless headless;
    cloth_renderer *renderer;
    cloth_target target;
    hed_image image;
    hed_status status = cloth_headless_create(&headless, &error);
    if (status == HED_ERROR_UNSUPPORTED) test_skip("%s", error.text);
    OK(status);
    OK(cloth_renderer_create(headless.GetProcAddress, &renderer, &error));
    OK(cloth_renderer_resize(renderer, WIDTH, HEIGHT, &error));
    const cloth_gl *gl = cloth_renderer_gl(renderer);
    OK(cloth_target_create(gl, WIDTH, HEIGHT, &target, &error));
    FAILS(HED_ERROR_LOST, cloth_target_read(gl, &target, 1, &image, &error));
    CHECK_NULL(image.pixels);
    cloth_studio studio = {0};
    hed_cloth_camera camera = level_camera(3);
    cloth_box box = cloth_box_nothing();
    cloth_box_add(&box, camera.target, 1);
    cloth_studio_fit(&studio, &camera, &box, &box);
    for (uint32_t i = 0; i < 300; i++) { /* stamps begin again, and never repeat the one before */
        uint8_t stamp =
            cloth_renderer_draw(renderer, target.framebuffer, &studio, &camera, &box, NULL, 0);
        if (i % 60) continue;
        OK(cloth_target_read(gl, &target, stamp, &image, &error));
        hed_image_free(&image);
        FAILS(HED_ERROR_LOST, cloth_target_read(gl, &target, (uint8_t)(stamp + 1), &image, &error));
        CHECK(strstr(error.text, "76800 of 76800 pixels"), "%s", error.text);
    }
    cloth_target_destroy(gl, &target);
    cloth_renderer_destroy(renderer);
    cloth_headless_destroy(&headless);
}
#endif

/* The bits are promised: whoever compares pictures of two machines compares files. */
Test(cloth_picture, software_gives_the_same_bits_everywhere)
{
    cloth_picture *picture = open_kind(WIDTH, HEIGHT, CLOTH_PICTURE_SOFTWARE);
    /* exact places: no sinf() of the platform's */
    cloth_surface quad = coloured(make_surface(2, 2, plate), 0.8f, 0.3f, 0.2f, true);
    hed_cloth_camera camera = {{0.9f, 1.25f, 2}, {0, 0.5f, 0}, {0, 1, 0}, 40, WIDTH, HEIGHT};
    hed_image image = draw(picture, &camera, &quad, 1);
    char hash[33];
    hed_hash_format(hed_hash_bytes(hed_hash_start(), image.pixels, 3 * WIDTH * HEIGHT), hash);
    CHECK_TEXT(hash, "bba43994b326bfc2d1306bb9d4477878");
    hed_image_free(&image);
    free_surface(&quad);
    cloth_picture_destroy(picture);
}

Test(cloth_picture, without_egl_software_draws)
{
    cloth_picture *picture;
    setenv("HEDDLE_EGL_LIBRARY", "/none/libEGL.so.1", 1);
    FAILS(HED_ERROR_UNSUPPORTED, cloth_picture_create(16, 16, CLOTH_PICTURE_GL, &picture, &error));
    CHECK(
        strstr(error.text, "libegl1") && strstr(error.text, "/none/libEGL.so.1"), "%s", error.text);
    picture = open_kind(16, 16, CLOTH_PICTURE_ANY);
    CHECK_TEXT(cloth_picture_renderer(picture), "software");
    cloth_picture_destroy(picture);
}

/* ---- the rasteriser ---- */

static const float IDENTITY[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static uint32_t covered(const cloth_raster *raster)
{
    uint32_t count = 0;
    for (size_t i = 0; i < (size_t)raster->width * raster->height * raster->samples; i++)
        count += raster->nearest[i] != CLOTH_RASTER_NOTHING;
    return count;
}

/* An irregular mesh over the whole picture, at every angle: each sample in one triangle, and in one
 * only. */
Test(cloth_raster, triangles_that_share_edges_leave_no_gap_and_do_not_overlap)
{
    enum { SIDE = 23, COUNT = 2 * (SIDE - 1) * (SIDE - 1) };
    float positions[SIDE * SIDE * 3];
    uint32_t triangles[COUNT][3], state = 1, t = 0, apart = 0;
    cloth_raster raster;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        float shift[2];
        for (int k = 0; k < 2; k++) {
            state = state * 1664525 + 1013904223;
            shift[k] = 0.4f / (SIDE - 1) * ((float)(state >> 8) / (1 << 24) - 0.5f);
        }
        uint32_t x = i % SIDE, y = i / SIDE;
        bool rim = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
        positions[3 * i] = 2.2f * (float)x / (SIDE - 1) - 1.1f + (rim ? 0 : 2 * shift[0]);
        positions[3 * i + 1] = 2.2f * (float)y / (SIDE - 1) - 1.1f + (rim ? 0 : 2 * shift[1]);
        positions[3 * i + 2] = 0;
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = y * SIDE + x;
            memcpy(triangles[t++], (uint32_t[]){a, a + 1, a + SIDE}, sizeof triangles[0]);
            memcpy(
                triangles[t++], (uint32_t[]){a + 1, a + SIDE, a + SIDE + 1}, sizeof triangles[0]);
        }
    OK(cloth_raster_create(96, 64, false, &raster, &error));
    cloth_raster_clear(&raster);
    cloth_raster_draw(&raster, IDENTITY, positions, triangles[0], COUNT, 0);
    CHECK_EQ(covered(&raster), 96 * 64 * CLOTH_RASTER_SAMPLES);
    for (t = 0; t < COUNT; t++) {
        cloth_raster_clear(&raster);
        cloth_raster_draw(&raster, IDENTITY, positions, triangles[t], 1, t);
        apart += covered(&raster);
    }
    CHECK_EQ(apart, 96 * 64 * CLOTH_RASTER_SAMPLES, "%u samples in single triangles", apart);
    cloth_raster_destroy(&raster);
}

/* A floor on which the eye stands: what lies behind the eye is cut off, and up to the horizon the
 * lower half is full. */
Test(cloth_raster, what_reaches_behind_the_eye_is_cut)
{
    static const float floor[] = {-1e6f, -1, 1e6f, 1e6f, -1, 1e6f, 0, -1, -1e6f};
    static const uint32_t triangle[] = {0, 1, 2};
    float projection[16];
    cloth_raster raster;
    cloth_perspective(90, 1, 0.1f, 1e6f, projection);
    OK(cloth_raster_create(64, 64, false, &raster, &error));
    cloth_raster_clear(&raster);
    cloth_raster_draw(&raster, projection, floor, triangle, 1, 7);
    CHECK_EQ(covered(&raster), 64 * 32 * CLOTH_RASTER_SAMPLES, "%u", covered(&raster));
    CHECK_EQ(raster.nearest[0], 7, "the bottom row comes first");
    cloth_raster_destroy(&raster);
}

Test(cloth_raster, the_nearer_triangle_is_seen_whichever_comes_first)
{
    static const float positions[] = {
        -3, -1, 0.5f, 3, -1, 0.5f, 0, 5, 0.5f, -3, -1, -0.5f, 3, -1, -0.5f, 0, 5, -0.5f};
    static const uint32_t orders[2][6] = {{0, 1, 2, 3, 4, 5}, {3, 4, 5, 0, 1, 2}};
    cloth_raster raster;
    OK(cloth_raster_create(8, 8, false, &raster, &error));
    for (uint32_t order = 0; order < 2; order++) {
        cloth_raster_clear(&raster);
        cloth_raster_draw(&raster, IDENTITY, positions, orders[order], 2, 0);
        for (size_t i = 0; i < 8 * 8 * CLOTH_RASTER_SAMPLES; i++)
            CHECK(raster.nearest[i] == 1 - order && raster.depth[i] == 0.25f);
    }
    cloth_raster_destroy(&raster);
}

/* ---- keys and mouse ---- */

static double distance(const hed_cloth_camera *c)
{
    return sqrt(pow(c->eye[0] - c->target[0], 2) + pow(c->eye[1] - c->target[1], 2) +
                pow(c->eye[2] - c->target[2], 2));
}

Test(cloth_control, the_left_button_turns_around_the_target)
{
    hed_cloth_camera camera = level_camera(3);
    cloth_control control = cloth_control_begin(&camera);
    cloth_control_orbit(&control, 120, 0, 240); /* a quarter of a turn is half the height */
    CHECK_NEAR(control.camera.eye[0], -3, 1e-5);
    CHECK_NEAR(control.camera.eye[2], 0, 1e-5);
    cloth_control_orbit(&control, -120, 60, 240);
    CHECK_NEAR(control.camera.eye[1], 1 + 3 * sin(PI / 4), 1e-5);
    CHECK_NEAR(control.camera.eye[2], 3 * cos(PI / 4), 1e-5);
    /* never over the top */
    for (int i = 0; i < 50; i++) cloth_control_orbit(&control, 7, 100, 240);
    CHECK(control.camera.eye[1] > 3.9 && control.camera.eye[1] < 4);
    CHECK_NEAR(distance(&control.camera), 3, 1e-4);
    cloth_control_zoom(&control, 3);
    CHECK_NEAR(distance(&control.camera), 3 * pow(0.88, 3), 1e-4);
}

Test(cloth_control, the_right_button_changes_gravity_and_wind)
{
    /* z is up */
    hed_cloth_camera camera = {{0, -3, 1}, {0, 0, 1}, {0, 0.1f, 1}, 40, WIDTH, HEIGHT};
    cloth_control control = cloth_control_begin(&camera);
    hed_cloth_frame frame = {0};
    memcpy(frame.gravity, (float[]){0, 0, -9.81f}, sizeof frame.gravity);
    cloth_control_pull(&control, 24, -24, 240);
    cloth_control_apply(&control, &frame);
    CHECK_NEAR(frame.gravity[2], -7.81, 1e-5);
    CHECK_NEAR(frame.wind[0], 2, 1e-5);
    CHECK(frame.gravity[0] == 0 && frame.wind[1] == 0 && frame.wind[2] == 0);
    cloth_control_key(&control, 'r');
    CHECK(control.reset && control.gravity == 0 && control.wind[0] == 0);
}

Test(cloth_control, keys)
{
    hed_cloth_camera camera = level_camera(3);
    cloth_control control = cloth_control_begin(&camera);
    cloth_control_key(&control, ' ');
    CHECK(control.paused && !control.step);
    cloth_control_key(&control, ' ');
    CHECK(!control.paused);
    cloth_control_key(&control, 's');
    CHECK(control.paused && control.step);
    bool colours = control.colours;
    cloth_control_key(&control, 'd');
    CHECK(control.colours != colours);
    cloth_control_key(&control, 'p');
    cloth_control_key(&control, 'x');
    CHECK(control.picture && !control.close && !control.reset);
    cloth_control_key(&control, CLOTH_KEY_ESCAPE);
    CHECK(control.close);
}

/* ---- the window ---- */

static const char flag_scene[] =
    "{\"garments\": [{\"grid\": {\"width\": 24, \"height\": 16, \"size\": [1.5, 1], "
    "\"origin\": [0, 0.5, 0]}, \"drag\": 1,"
    " \"pins\": [{\"box\": {\"low\": [-0.01, 0, -1], \"high\": [0.01, 2, 1]}}]}],"
    " \"colliders\": [{\"sphere\": {\"centre\": [0.8, 0.4, 0.3], \"radius\": 0.2}}],"
    " \"camera\": {\"width\": 320, \"height\": 240}}";

/* What a user does, picture by picture; each step checks what the one before has done. */
typedef struct visit {
    uint64_t pictures, frames_when_paused;
} visit;

static void look(
    void *user, uint64_t pictures, uint64_t frames, bool shared, cloth_control *control)
{
    visit *v = user;
    (void)shared;
    v->pictures = pictures;
    CHECK(frames >= 1, "the first picture shows a frame");
    if (pictures == 5) cloth_control_key(control, ' ');
    if (pictures == 6) v->frames_when_paused = frames;
    if (pictures == 8) {
        CHECK_EQ(frames, v->frames_when_paused, "paused");
        cloth_control_key(control, 's');
    }
    if (pictures == 10) {
        CHECK_EQ(frames, v->frames_when_paused + 1, "one step");
        cloth_control_orbit(control, 30, 20, HEIGHT);
        cloth_control_pull(control, 100, 0, HEIGHT);
        cloth_control_key(control, 'd');
        cloth_control_key(control, 'p');
        cloth_control_key(control, ' ');
    }
    if (pictures == 14) cloth_control_key(control, 'r');
    if (pictures == 16) CHECK(!control->reset && control->wind[0] == 0);
    if (pictures == 20) cloth_control_key(control, CLOTH_KEY_ESCAPE);
    CHECK(pictures <= 20, "escape ends it");
}

Test(cloth_no_window, without_glfw_its_package_is_named)
{
    setenv("HEDDLE_GLFW_LIBRARY", "/none/libglfw.so.3", 1);
    FAILS(HED_ERROR_UNSUPPORTED, cloth_window_run(NULL, NULL, 60, NULL, &error));
    CHECK(strstr(error.text, "libglfw3") && strstr(error.text, "/none/libglfw.so.3"), "%s",
        error.text);
}

Test(cloth_window, keys_and_mouse_do_what_they_say)
{
    const char *display = getenv("DISPLAY");
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    if (!display || !display[0])
        test_skip("no screen here (DISPLAY); tests/cloth_view_window.sh brings a virtual one");
    test_device t = test_open(NULL);
    OK(hed_cloth_scene_parse(flag_scene, sizeof flag_scene - 1, "flag", ".", NULL, &scene, &error));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    OK(hed_cloth_create(t.device, &def, &cloth, &error));
    visit v = {0};
    cloth_window_probe probe = {look, &v};
    hed_status status = cloth_window_run(scene, cloth, 60, &probe, &error);
    if (status == HED_ERROR_UNSUPPORTED) test_skip("%s", error.text);
    CHECK(status == HED_OK, "%s", error.text);
    CHECK_EQ(v.pictures, 20);
    glob_t written; /* by the key p */
    hed_image image;
    CHECK(glob("cloth-0*.png", 0, NULL, &written) == 0, "no picture was written");
    OK(hed_png_read(written.gl_pathv[0], &image, &error));
    CHECK(image.width == 320 && image.height == 240, "%u x %u", image.width, image.height);
    hed_image_free(&image);
    remove(written.gl_pathv[0]);
    globfree(&written);
    float *positions = malloc(3 * sizeof *positions * hed_cloth_vertex_count(cloth));
    /* the cloth is the program's own again */
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    free(positions);
    hed_cloth_destroy(cloth);
    hed_cloth_scene_close(scene);
    test_close(&t);
}
