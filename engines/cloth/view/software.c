/* Software renderer: a shadow map, then the triangle that each sample sees, then light for the
 * visible triangles, once a pixel and triangle. The formulas are equal to shaders/, function by
 * function under the same names; light is linear until software_finish(). Only + - * / and
 * square roots, each rounded by itself, and heddle/math.h: the same bits on every processor. */
#include "software.h"
#include "heddle/author.h"
#include "heddle/math.h"
#include "studio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE = 16, /* texels of the shadow map, a side: more than a penumbra's radius */
    TILES = CLOTH_SHADOW_SIZE / TILE,
    CURVE = 4096, /* steps of the screen's curve */
    TAPS = 16
};

static const float KEY[3] = {2.35f, 2.25f, 2.08f}, SKY[3] = {0.50f, 0.55f, 0.63f},
                   BOUNCE[3] = {0.24f, 0.22f, 0.20f};

struct cloth_software {
    cloth_raster picture, shadow;
    /* minimum depth of the shadow map in a tile and its eight neighbours */
    float nearest[TILES][TILES];
    float screen_curve[CURVE + 2]; /* sRGB's curve: entry i is for light (i / CURVE)^2 */
    float albedo_curve[256];       /* albedo for each byte of a vertex colour */
};

/* Data, in addition to a position, from which the light at the position is computed. */
typedef struct painter {
    const cloth_software *software;
    const cloth_shot *shot;
    const cloth_surface *surfaces;
    const float *const *normals; /* normals of each surface */
    /* (surface_count + 1) number of each surface's first triangle */
    const uint32_t *firsts;
    float right[3], above[3], forward[3]; /* a pixel's ray is forward + x right + y above */
} painter;

static float mix(float a, float b, float share) { return a + share * (b - a); }
static float smoothstep(float low, float high, float x)
{
    float s = hed_clamp((x - low) / (high - low), 0, 1);
    return s * s * (3 - 2 * s);
}
static float fraction(float x) { return x - floorf(x); }
/* Interleaved gradient noise (Jimenez 2014). */
static float noise(float x, float y)
{
    return fraction(52.9829189f * fraction(0.06711056f * x + 0.00583715f * y));
}

/* ---- life ---- */

hed_status cloth_software_create(
    uint32_t width, uint32_t height, cloth_software **software, hed_error *error)
{
    *software = NULL;
    if (width > CLOTH_RASTER_MOST || height > CLOTH_RASTER_MOST)
        return hed_fail(error, HED_ERROR_LIMIT,
            "a picture of %u x %u is larger than %d pixels a side", width, height,
            CLOTH_RASTER_MOST);
    cloth_software *s = calloc(1, sizeof *s);
    if (!s) return HED_OUT_OF_MEMORY(error, "the renderer");
    hed_status status = cloth_raster_create(width, height, false, &s->picture, error);
    if (!status)
        status = cloth_raster_create(CLOTH_SHADOW_SIZE, CLOTH_SHADOW_SIZE, true, &s->shadow, error);
    if (status) {
        cloth_software_destroy(s);
        return status;
    }
    /* a surface between the light and the box casts a shadow into it, too */
    s->shadow.clamp = true;
    s->shadow.slope_bias = 1.5; /* a surface must not shade itself */
    for (int i = 0; i < CURVE + 2; i++) {
        float root = (float)i / CURVE, light = root * root;
        s->screen_curve[i] = light > 0.0031308f
                                 ? 1.055f * hed_pow_positive(light, 1 / 2.4f) - 0.055f
                                 : 12.92f * light;
    }
    for (int i = 1; i < 256; i++) s->albedo_curve[i] = hed_pow_positive((float)i / 255, 2.2f);
    *software = s;
    return HED_OK;
}

void cloth_software_destroy(cloth_software *software)
{
    if (!software) return;
    cloth_raster_destroy(&software->picture);
    cloth_raster_destroy(&software->shadow);
    free(software);
}

/* ---- light (shaders/light.glsl) ---- */

/* Fills `nearest`, so that most positions need no taps: no surface around them is nearer to the
 * light. */
static void find_nearest(cloth_software *s)
{
    static const int SIZE = CLOTH_SHADOW_SIZE;
    float tile_depth[TILES][TILES];
    for (int y = 0; y < TILES; y++)
        for (int x = 0; x < TILES; x++) {
            tile_depth[y][x] = 1;
            for (int i = 0; i < TILE * TILE; i++)
                tile_depth[y][x] = hed_min(
                    tile_depth[y][x], s->shadow.depth[(size_t)(y * TILE + i / TILE) * (size_t)SIZE +
                                                      (size_t)(x * TILE + i % TILE)]);
        }
    for (int y = 0; y < TILES; y++)
        for (int x = 0; x < TILES; x++) {
            s->nearest[y][x] = 1;
            for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < TILES; j++)
                for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < TILES; i++)
                    s->nearest[y][x] = hed_min(s->nearest[y][x], tile_depth[j][i]);
        }
}

/* Fraction, weighted, of the four texels around (x, y), 0 to 1 each, that do not hide depth z:
 * as OpenGL samples a shadow map. */
static float unhidden(const cloth_raster *shadow, float x, float y, float z)
{
    enum { LAST = CLOTH_SHADOW_SIZE - 1 };
    float across = hed_clamp(x * CLOTH_SHADOW_SIZE - 0.5f, 0, LAST),
          up = hed_clamp(y * CLOTH_SHADOW_SIZE - 0.5f, 0, LAST);
    size_t column = (size_t)across, row = (size_t)up;
    float right = across - (float)column, fraction_up = up - (float)row;
    size_t next_column = column < LAST ? 1 : 0, next_row = row < LAST ? CLOTH_SHADOW_SIZE : 0;
    const float *at = shadow->depth + row * CLOTH_SHADOW_SIZE + column;
    float low = mix(z <= at[0], z <= at[next_column], right),
          high = mix(z <= at[next_row], z <= at[next_row + next_column], right);
    return mix(low, high, fraction_up);
}

/* Computes the fraction of the key light that reaches a position, 0 to 1. `normal` points to the
 * visible side; (x, y): the pixel. */
static float key_light(
    const painter *p, const float place[3], const float normal[3], float x, float y)
{
    const cloth_shot *shot = p->shot;
    const float *m = shot->shadow_matrix;
    float cosine = cloth_dot(normal, shot->studio->key_direction), moved[3], at[3];
    float side = cosine > 0 ? 1.0f : cosine < 0 ? -1.0f : 0.0f;
    cloth_along(place,
        side * (1 + 2.5f * sqrtf(hed_max(0, 1 - cosine * cosine))) * shot->shadow_texel, normal,
        moved);
    for (int k = 0; k < 3; k++)
        at[k] =
            (m[k] * moved[0] + m[4 + k] * moved[1] + m[8 + k] * moved[2] + m[12 + k]) * 0.5f + 0.5f;
    if (!(fabsf(at[0] - 0.5f) <= 0.5f && fabsf(at[1] - 0.5f) <= 0.5f && at[2] <= 1)) return 1;
    int column = (int)(at[0] * TILES), row = (int)(at[1] * TILES);
    if (at[2] <=
        p->software->nearest[row < TILES ? row : TILES - 1][column < TILES ? column : TILES - 1])
        return 1;
    float turn = 6.2831853f * noise(x, y), light = 0, tap[2] = {hed_cos(turn), hed_sin(turn)};
    for (int i = 0; i < TAPS; i++) { /* a spiral by the golden angle */
        float distance = CLOTH_PENUMBRA * sqrtf(((float)i + 0.5f) / TAPS);
        light += unhidden(
            &p->software->shadow, at[0] + distance * tap[0], at[1] + distance * tap[1], at[2]);
        float turned = -0.73736888f * tap[0] - 0.67549029f * tap[1];
        tap[1] = 0.67549029f * tap[0] - 0.73736888f * tap[1];
        tap[0] = turned;
    }
    return light / TAPS;
}

/* ---- the ground (shaders/ground.frag) ---- */

/* Finds the point where the ray through (x, y) of the picture meets the ground; false: no such
 * point. */
static bool meet_ground(const painter *p, float x, float y, float place[3])
{
    const cloth_shot *shot = p->shot;
    float ray[3];
    cloth_along(p->forward, x, p->right, ray);
    cloth_along(ray, y, p->above, ray);
    int axis = shot->up_axis;
    float t = (shot->ground_centre[axis] - shot->camera->eye[axis]) / ray[axis];
    if (!(t > 0 && t < 1e12f)) return false;
    cloth_along(shot->camera->eye, t, ray, place);
    return true;
}

/* Fraction of a pixel that lines of width `width` (in cells) cover. `footprint`: size of the
 * pixel, in cells. */
static float lines(const float cell[2], const float footprint[2], float width)
{
    float largest = 0;
    for (int k = 0; k < 2; k++) {
        float size = hed_max(footprint[k], 1e-6f),
              distance = fabsf(fraction(cell[k] - 0.5f) - 0.5f);
        float cover = hed_clamp((width * 0.5f + size * 0.5f - distance) / size, 0, 1);
        cover *= hed_min(1, width / size + 0.35f) * (1 - smoothstep(0.15f, 0.5f, size));
        largest = hed_max(largest, cover);
    }
    return largest;
}

/* Computes the light of the ground at pixel (x, y); returns its opacity. */
static float ground_light(const painter *p, float x, float y, float light[3])
{
    const cloth_shot *shot = p->shot;
    float place[3], neighbour[2][3], offset[3];
    if (!shot->ground_seen || !meet_ground(p, x, y, place)) return 0;
    cloth_along(place, -1, shot->ground_centre, offset);
    float distance = sqrtf(cloth_dot(offset, offset)) / shot->ground_reach;
    if (!(distance < 1)) return 0;
    float fade = hed_exp(-7 * distance * distance) * (1 - smoothstep(0.7f, 1, distance));
    float cell[2], wide[2], footprint[2], wide_footprint[2];
    bool has_neighbours =
        meet_ground(p, x + 1, y, neighbour[0]) && meet_ground(p, x, y + 1, neighbour[1]);
    /* The two axes of the ground, in the shader's order. */
    int axes[2] = {shot->up_axis == 0 ? 1 : 0, shot->up_axis == 2 ? 1 : 2};
    for (int k = 0; k < 2; k++) {
        cell[k] = place[axes[k]] / shot->ground_spacing;
        footprint[k] = has_neighbours ? (fabsf(neighbour[0][axes[k]] - place[axes[k]]) +
                                            fabsf(neighbour[1][axes[k]] - place[axes[k]])) /
                                            shot->ground_spacing
                                      : 1;
        wide[k] = cell[k] / 5;
        wide_footprint[k] = footprint[k] / 5;
    }
    float tone = (1 - 0.13f * lines(cell, footprint, 0.012f) * fade -
                  0.16f * lines(wide, wide_footprint, 0.005f) * fade);
    float key = hed_max(0, cloth_dot(shot->studio->up, shot->studio->key_direction)) *
                key_light(p, place, shot->studio->up, x, y) * 0.55f;
    static const float BASE[3] = {0.52f, 0.515f, 0.505f};
    for (int k = 0; k < 3; k++) light[k] = BASE[k] * tone * (SKY[k] * 0.62f + KEY[k] * key);
    return fade;
}

/* Computes the light of a studio's backdrop (shaders/background.frag), with the ground before
 * it. */
static void behind(const painter *p, float x, float y, float light[3])
{
    static const float LOW[3] = {0.78f, 0.775f, 0.765f}, HIGH[3] = {0.42f, 0.50f, 0.60f};
    float across = x / (float)p->software->picture.width,
          up = y / (float)p->software->picture.height, ground[3];
    float corner[2] = {across - 0.5f, (up - 0.5f) * 0.8f}, height = smoothstep(0.15f, 1.05f, up);
    float fade = ground_light(p, x, y, ground);
    for (int k = 0; k < 3; k++) {
        light[k] = mix(LOW[k], HIGH[k], height) *
                   (1 - 0.35f * (corner[0] * corner[0] + corner[1] * corner[1]));
        if (fade > 0) light[k] = mix(light[k], ground[k], fade);
    }
}

/* ---- surfaces (shaders/surface.frag) ---- */

/* Visible point of a triangle. */
typedef struct fragment {
    float place[3], normal[3], flat_normal[3], albedo[3];
    bool two_sided;
} fragment;

/* Finds the point of triangle `number` at which the ray through (x, y) meets it (Möller and
 * Trumbore 1997); at its rim, where the pixel's centre is outside, the point nearest to it.
 * False: the triangle has no area. */
static bool find_fragment(const painter *p, uint32_t number, float x, float y, fragment *f)
{
    uint32_t s = 0;
    while (number >= p->firsts[s + 1]) s++;
    const cloth_surface *surface = &p->surfaces[s];
    const uint32_t *corners = surface->triangles + 3 * (size_t)(number - p->firsts[s]);
    const float *places[3], *eye = p->shot->camera->eye;
    double ray[3], ab[3], ac[3], from[3], cross[3], from_cross[3];
    for (int c = 0; c < 3; c++) places[c] = surface->positions + 3 * (size_t)corners[c];
    for (int k = 0; k < 3; k++) {
        ray[k] = (double)p->forward[k] + (double)x * (double)p->right[k] +
                 (double)y * (double)p->above[k];
        ab[k] = (double)places[1][k] - (double)places[0][k];
        ac[k] = (double)places[2][k] - (double)places[0][k];
        from[k] = (double)eye[k] - (double)places[0][k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        cross[k] = ray[i] * ac[j] - ray[j] * ac[i];
        from_cross[k] = from[i] * ab[j] - from[j] * ab[i];
        f->flat_normal[k] = (float)(ab[i] * ac[j] - ab[j] * ac[i]);
    }
    double determinant = ab[0] * cross[0] + ab[1] * cross[1] + ab[2] * cross[2];
    double b = (from[0] * cross[0] + from[1] * cross[1] + from[2] * cross[2]) / determinant;
    double c =
        (ray[0] * from_cross[0] + ray[1] * from_cross[1] + ray[2] * from_cross[2]) / determinant;
    if (!isfinite(b) || !isfinite(c)) return false;
    b = b < 0 ? 0 : b;
    c = c < 0 ? 0 : c;
    double a = b + c < 1 ? 1 - b - c : 0, sum = a + b + c;
    const float shares[3] = {(float)(a / sum), (float)(b / sum), (float)(c / sum)};
    for (int k = 0; k < 3; k++) {
        float colour = 0;
        f->place[k] = f->normal[k] = 0;
        for (int corner = 0; corner < 3; corner++) {
            size_t at = corners[corner];
            f->place[k] += shares[corner] * places[corner][k];
            f->normal[k] += shares[corner] * p->normals[s][3 * at + (size_t)k];
            colour += surface->colours
                          ? shares[corner] * (float)surface->colours[4 * at + (size_t)k]
                          : 255 * shares[corner];
        }
        f->albedo[k] =
            p->software->albedo_curve[(int)hed_clamp(surface->colour[k] * colour + 0.5f, 0, 255)];
    }
    f->two_sided = surface->two_sided;
    return true;
}

static void surface_light(const painter *p, const fragment *f, float x, float y, float light[3])
{
    const cloth_studio *studio = p->shot->studio;
    float to_eye[3], normal[3], half[3];
    cloth_along(p->shot->camera->eye, -1, f->place, to_eye);
    cloth_normalize(to_eye);
    memcpy(normal, cloth_dot(f->normal, f->normal) > 0 ? f->normal : studio->up, sizeof normal);
    cloth_normalize(normal);
    /* the triangle decides which side is visible, as the orientation of vertices and normals is
     * arbitrary */
    float facing = cloth_dot(f->flat_normal, to_eye) < 0 ? -1.0f : 1.0f;
    if (f->two_sided && cloth_dot(normal, f->flat_normal) * facing < 0)
        for (int k = 0; k < 3; k++) normal[k] = -normal[k];

    float cosine = cloth_dot(normal, studio->key_direction),
          key = key_light(p, f->place, normal, x, y);
    float wrap = f->two_sided ? 0.12f : 0, diffuse = hed_max(0, (cosine + wrap) / (1 + wrap)) * key;
    float through = f->two_sided ? 0.22f * hed_max(0, -cosine) * key : 0;
    float grazing = 1 - hed_max(0, cloth_dot(normal, to_eye)),
          share = 0.5f + 0.5f * cloth_dot(normal, studio->up);
    cloth_along(to_eye, 1, studio->key_direction, half);
    cloth_normalize(half);
    float shine = hed_max(0, cloth_dot(normal, half));
    shine *= shine * shine; /* 3, 6, 12, 24 */
    for (int i = 0; i < 3; i++) shine *= shine;
    for (int k = 0; k < 3; k++) {
        float albedo = f->albedo[k], around = mix(BOUNCE[k], SKY[k], share);
        light[k] = albedo * (around + KEY[k] * diffuse * 0.46f) +
                   albedo * sqrtf(albedo) * KEY[k] * through;
        if (f->two_sided)
            light[k] += mix(1, albedo, 0.6f) * grazing * grazing * grazing * 0.22f *
                        (around + KEY[k] * diffuse);
        else if (cosine >= 0)
            light[k] += 0.03f * KEY[k] * key * shine +
                        0.10f * grazing * grazing * grazing * grazing * grazing * SKY[k];
    }
}

/* ---- a picture ---- */

/* Computes the light of pixel (column, row), rows from below: the mean over its samples. */
static void pixel_light(const painter *p, uint32_t column, uint32_t row, float light[3])
{
    const cloth_raster *raster = &p->software->picture;
    const uint32_t *triangles =
        raster->nearest + ((size_t)row * raster->width + column) * CLOTH_RASTER_SAMPLES;
    const cloth_shot *shot = p->shot;
    float x = (float)column + 0.5f, y = (float)row + 0.5f,
          ground = shot->studio->ground - 1e-4f * shot->studio->size;
    memset(light, 0, 3 * sizeof *light);
    for (uint32_t i = 0; i < CLOTH_RASTER_SAMPLES; i++) {
        int sample_count = 0, before = 0;
        for (uint32_t j = 0; j < CLOTH_RASTER_SAMPLES; j++) {
            sample_count += triangles[j] == triangles[i];
            before += j < i && triangles[j] == triangles[i];
        }
        if (before) continue;
        fragment f;
        float sample_light[3];
        /* the ground hides everything below it */
        if (triangles[i] != CLOTH_RASTER_NOTHING && find_fragment(p, triangles[i], x, y, &f) &&
            !(shot->ground_seen && cloth_dot(f.place, shot->studio->up) < ground))
            surface_light(p, &f, x, y, sample_light);
        else behind(p, x, y, sample_light);
        for (int k = 0; k < 3; k++)
            light[k] += sample_light[k] * (float)sample_count / CLOTH_RASTER_SAMPLES;
    }
}

/* Converts linear light to a screen's values (shaders/finish.frag): a soft shoulder, sRGB's
 * curve, and half a step of noise. */
static void software_finish(
    const painter *p, const float light[3], float x, float y, uint8_t pixel[3])
{
    for (int k = 0; k < 3; k++) {
        float value = light[k] > 0 ? light[k] : 0, over = hed_max(value - 0.7f, 0);
        value = hed_min(value, 0.7f) + 0.3f * over / (over + 0.3f);
        float at = sqrtf(hed_min(value, 1)) * CURVE;
        const float *curve = p->software->screen_curve + (int)at;
        float encoded = mix(curve[0], curve[1], at - floorf(at));
        /* noise - 0.5, and 0.5 to round */
        pixel[k] = (uint8_t)hed_clamp(255 * encoded + noise(x, y), 0, 255);
    }
}

static void software_look(painter *p, const cloth_shot *shot, float width, float height)
{
    /* half of the picture's height at distance 1, in pixels */
    float tangent = hed_tan(shot->camera->field_of_view * 0.5f * 3.14159265f / 180),
          step = 2 * tangent / height;
    for (int k = 0; k < 3; k++) {
        p->right[k] = shot->view[4 * k] * step;
        p->above[k] = shot->view[4 * k + 1] * step;
        p->forward[k] =
            -shot->view[4 * k + 2] - p->right[k] * 0.5f * width - p->above[k] * 0.5f * height;
    }
}

/* Makes normals for surfaces without normals; false: out of memory. */
static bool complete_normals(
    const cloth_surface *surfaces, uint32_t count, const float **normals, float **created)
{
    for (uint32_t i = 0; i < count; i++) {
        normals[i] = surfaces[i].normals;
        if (normals[i]) continue;
        created[i] = malloc(3 * (size_t)surfaces[i].vertex_count * sizeof **created + 1);
        if (!created[i]) return false;
        cloth_make_normals(surfaces[i].positions, surfaces[i].vertex_count, surfaces[i].triangles,
            surfaces[i].triangle_count, created[i]);
        normals[i] = created[i];
    }
    return true;
}

hed_status cloth_software_draw(cloth_software *software, const cloth_shot *shot,
    const cloth_surface *surfaces, uint32_t count, hed_image *image, hed_error *error)
{
    uint32_t *firsts = calloc((size_t)count + 1, sizeof *firsts);
    const float **normals = calloc((size_t)count + 1, sizeof *normals);
    float **created = calloc((size_t)count + 1, sizeof *created);
    hed_status status = HED_OK;
    if (!firsts || !normals || !created || !complete_normals(surfaces, count, normals, created))
        status = HED_OUT_OF_MEMORY(error, "%u surfaces", count);
    for (uint32_t i = 0; i < count && !status; i++) {
        if (surfaces[i].triangle_count >= CLOTH_RASTER_NOTHING - firsts[i])
            status = hed_fail(error, HED_ERROR_LIMIT, "a picture of 2^32 triangles and more");
        else firsts[i + 1] = firsts[i] + surfaces[i].triangle_count;
    }
    if (!status) {
        cloth_raster_clear(&software->picture);
        cloth_raster_clear(&software->shadow);
        for (uint32_t i = 0; i < count; i++) {
            const cloth_surface *s = &surfaces[i];
            cloth_raster_draw(&software->shadow, shot->shadow_matrix, s->positions, s->triangles,
                s->triangle_count, firsts[i]);
            cloth_raster_draw(&software->picture, shot->view_projection, s->positions, s->triangles,
                s->triangle_count, firsts[i]);
        }
        find_nearest(software);
        painter p = {.software = software,
            .shot = shot,
            .surfaces = surfaces,
            .normals = normals,
            .firsts = firsts};
        software_look(&p, shot, (float)image->width, (float)image->height);
        for (uint32_t row = 0; row < image->height; row++)
            for (uint32_t column = 0; column < image->width; column++) {
                float light[3];
                pixel_light(&p, column, row, light);
                software_finish(&p, light, (float)column + 0.5f, (float)row + 0.5f,
                    image->pixels +
                        3 * ((size_t)(image->height - 1 - row) * image->width + column));
            }
    }
    for (uint32_t i = 0; created && i < count; i++) free(created[i]);
    free(created);
    free(normals);
    free(firsts);
    return status;
}

/* Triangles to samples: clipping (Sutherland and Hodgman 1974), then edge functions. */

enum {
    SUBPIXELS = 256, /* a pixel's width */
    /* clip planes at this multiple of the picture's size: 2^24 subpixels at most */
    GUARD = 2,
    MOST_CORNERS = 3 + 6
};

/* Sample positions in a rotated grid: no two samples in a row or a column. In subpixels. */
static const int SAMPLE_X[CLOTH_RASTER_SAMPLES] = {96, 224, 32, 160},
                 SAMPLE_Y[CLOTH_RASTER_SAMPLES] = {32, 96, 160, 224};
static const int MIDDLE = SUBPIXELS / 2;

hed_status cloth_raster_create(
    uint32_t width, uint32_t height, bool depth_alone, cloth_raster *raster, hed_error *error)
{
    *raster = (cloth_raster){
        .width = width, .height = height, .samples = depth_alone ? 1 : CLOTH_RASTER_SAMPLES};
    size_t count = (size_t)width * height * raster->samples;
    raster->depth = malloc(count * sizeof *raster->depth);
    raster->nearest = depth_alone ? NULL : malloc(count * sizeof *raster->nearest);
    if (raster->depth && (depth_alone || raster->nearest)) return HED_OK;
    cloth_raster_destroy(raster);
    return HED_OUT_OF_MEMORY(error, "a picture of %u x %u", width, height);
}

void cloth_raster_destroy(cloth_raster *raster)
{
    free(raster->depth);
    free(raster->nearest);
    *raster = (cloth_raster){0};
}

void cloth_raster_clear(cloth_raster *raster)
{
    size_t count = (size_t)raster->width * raster->height * raster->samples;
    for (size_t i = 0; i < count; i++) raster->depth[i] = 1;
    if (raster->nearest) memset(raster->nearest, 0xff, count * sizeof *raster->nearest);
}

/* ---- clipping ---- */

typedef struct corner {
    double x, y, z, w; /* clip space */
} corner;

/* Distance of a corner to the inside of plane `plane`; below 0: outside. */
static double inside(const corner *c, int plane)
{
    switch (plane) {
    case 0: return GUARD * c->w - c->x;
    case 1: return GUARD * c->w + c->x;
    case 2: return GUARD * c->w - c->y;
    case 3: return GUARD * c->w + c->y;
    case 4: return c->w + c->z; /* near */
    default: return c->w - c->z;
    }
}

/* Clips a polygon at a plane. Returns the number of remaining corners. */
static int clip(const corner *in, int count, int plane, corner *out)
{
    int corner_count = 0;
    for (int i = 0; i < count; i++) {
        const corner *a = &in[i], *b = &in[(i + 1) % count];
        double from = inside(a, plane), to = inside(b, plane);
        if (from >= 0) out[corner_count++] = *a;
        if ((from >= 0) == (to >= 0)) continue;
        double s = from / (from - to);
        out[corner_count++] = (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y),
            a->z + s * (b->z - a->z), a->w + s * (b->w - a->w)};
    }
    return corner_count;
}

/* ---- samples ---- */

typedef struct point {
    int64_t x, y; /* subpixels */
    double z;     /* 0 near to 1 far */
} point;

/* Edge from a to b: x_step x + y_step y + constant is at least 0 to its left and, for exactly one
 * of the edge's two triangles, on the edge. */
typedef struct edge {
    int64_t x_step, y_step, constant;
} edge;

static edge edge_between(const point *a, const point *b)
{
    edge e = {a->y - b->y, b->x - a->x, 0};
    bool owns = e.x_step > 0 || (e.x_step == 0 && e.y_step < 0); /* a left edge, or a top one */
    e.constant = -(e.x_step * a->x + e.y_step * a->y) - !owns;
    return e;
}

static int64_t software_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Finds the pixels from *low to *high that contain the subpixels `lowest` to `highest`. */
static void pixels_between(
    int64_t lowest, int64_t highest, uint32_t size, int64_t *low, int64_t *high)
{
    *low = larger(lowest >> 8, 0);
    *high = software_smaller(highest >> 8, (int64_t)size - 1);
}

static void software_fill(
    cloth_raster *r, const point *a, const point *b, const point *c, uint32_t number)
{
    int64_t area = (b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y);
    if (area == 0) return;
    if (area < 0) {
        const point *swap = b;
        b = c;
        c = swap;
        area = -area;
    }
    int64_t left, right, bottom, top;
    pixels_between(software_smaller(a->x, software_smaller(b->x, c->x)),
        larger(a->x, larger(b->x, c->x)), r->width, &left, &right);
    pixels_between(software_smaller(a->y, software_smaller(b->y, c->y)),
        larger(a->y, larger(b->y, c->y)), r->height, &bottom, &top);
    const edge edges[3] = {edge_between(a, b), edge_between(b, c), edge_between(c, a)};
    double z_x = ((b->z - a->z) * (double)(c->y - a->y) - (c->z - a->z) * (double)(b->y - a->y)) /
                 (double)area;
    double z_y = ((c->z - a->z) * (double)(b->x - a->x) - (b->z - a->z) * (double)(c->x - a->x)) /
                 (double)area;
    double bias = r->slope_bias * SUBPIXELS * fmax(fabs(z_x), fabs(z_y));
    for (int64_t y = bottom; y <= top; y++)
        for (int64_t x = left; x <= right; x++) {
            size_t at = ((size_t)y * r->width + (size_t)x) * r->samples;
            for (uint32_t s = 0; s < r->samples; s++, at++) {
                int64_t sx = x * SUBPIXELS + (r->samples == 1 ? MIDDLE : SAMPLE_X[s]),
                        sy = y * SUBPIXELS + (r->samples == 1 ? MIDDLE : SAMPLE_Y[s]);
                int64_t outside = 0;
                for (int k = 0; k < 3; k++)
                    outside |= edges[k].x_step * sx + edges[k].y_step * sy + edges[k].constant;
                if (outside < 0) continue;
                double z = a->z + z_x * (double)(sx - a->x) + z_y * (double)(sy - a->y) + bias;
                float depth = (float)(z < 0 ? 0 : z > 1 ? 1 : z);
                if (depth >= r->depth[at]) continue; /* the first of equal depths stays */
                r->depth[at] = depth;
                if (r->nearest) r->nearest[at] = number;
            }
        }
}

void cloth_raster_draw(cloth_raster *raster, const float m[16], const float *positions,
    const uint32_t *triangles, uint32_t triangle_count, uint32_t first)
{
    int planes = raster->clamp ? 4 : 6;
    for (uint32_t t = 0; t < triangle_count; t++) {
        corner corners[2][MOST_CORNERS];
        bool finite = true, whole = true;
        for (int c = 0; c < 3; c++) {
            const float *p = positions + 3 * (size_t)triangles[3 * (size_t)t + (size_t)c];
            double x = p[0], y = p[1], z = p[2];
            corner *out = &corners[0][c];
            *out = (corner){m[0] * x + m[4] * y + m[8] * z + m[12],
                m[1] * x + m[5] * y + m[9] * z + m[13], m[2] * x + m[6] * y + m[10] * z + m[14],
                m[3] * x + m[7] * y + m[11] * z + m[15]};
            finite = finite && isfinite(x) && isfinite(y) && isfinite(z);
            for (int plane = 0; plane < planes; plane++) whole = whole && inside(out, plane) >= 0;
        }
        if (!finite) continue;
        int count = 3, current = 0;
        for (int plane = 0; plane < planes && !whole && count; plane++, current = !current)
            count = clip(corners[current], count, plane, corners[!current]);
        point points[MOST_CORNERS];
        for (int c = 0; c < count; c++) {
            const corner *from = &corners[current][c];
            double x = (from->x / from->w + 1) * 0.5 * raster->width,
                   y = (from->y / from->w + 1) * 0.5 * raster->height,
                   z = (from->z / from->w + 1) * 0.5;
            points[c] = (point){
                (int64_t)floor(x * SUBPIXELS + 0.5), (int64_t)floor(y * SUBPIXELS + 0.5), z};
        }
        for (int c = 2; c < count; c++)
            software_fill(raster, &points[0], &points[c - 1], &points[c], first + t);
    }
}
