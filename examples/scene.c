/* Woven cloth from an oblique view: a 2/2 twill (each thread passes over two and under two, shifted
 * by one from row to row) in a tartan sett, lit from the side, with soft folds. A ray for each of
 * 16 samples of a pixel meets the plane of the cloth; folds and threads bend the normal, not the
 * plane. */
#include <math.h>

#include "examples/scene.h"

enum { SAMPLES = 4 }; /* samples of a pixel, in each direction */

typedef struct vector {
    float x, y, z;
} vector;

static vector scaled(vector a, float s) { return (vector){a.x * s, a.y * s, a.z * s}; }

static vector sum(vector a, vector b) { return (vector){a.x + b.x, a.y + b.y, a.z + b.z}; }

static float dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static vector unit(vector a) { return scaled(a, 1 / sqrtf(dot(a, a))); }

/* Returns the colour of thread `number` of the sett, which is mirrored at both its ends; linear
 * RGB. */
static vector yarn(int number)
{
    static const struct {
        int threads;
        vector colour;
    } sett[] = {
        {6, {0.80f, 0.62f, 0.20f}},
        {18, {0.035f, 0.055f, 0.16f}},
        {4, {0.62f, 0.60f, 0.54f}},
        {18, {0.035f, 0.055f, 0.16f}},
        {14, {0.03f, 0.13f, 0.09f}},
        {22, {0.42f, 0.035f, 0.045f}},
    };
    enum { BANDS = sizeof sett / sizeof sett[0], LENGTH = 82 };
    int place = number % (2 * LENGTH);
    if (place < 0) place += 2 * LENGTH;
    if (place >= LENGTH) place = 2 * LENGTH - 1 - place;
    int band = 0;
    while (band < BANDS - 1 && place >= sett[band].threads) place -= sett[band++].threads;
    return sett[band].colour;
}

/* Computes the slope of the folds at (x, z): the derivatives of a sum of waves. */
static void fold_slope(float x, float z, float *slope_x, float *slope_z)
{
    static const struct {
        float x, z, phase, slope;
    } waves[] = {{0.055f, 0.021f, 0.4f, 0.62f}, {0.031f, -0.062f, 2.1f, 0.50f},
        {-0.012f, 0.097f, 1.0f, 0.30f}, {0.13f, 0.05f, 3.3f, 0.16f}};
    *slope_x = *slope_z = 0;
    for (int i = 0; i < (int)(sizeof waves / sizeof waves[0]); i++) {
        float length = sqrtf(waves[i].x * waves[i].x + waves[i].z * waves[i].z);
        float c = waves[i].slope * cosf(waves[i].x * x + waves[i].z * z + waves[i].phase) / length;
        *slope_x += waves[i].x * c;
        *slope_z += waves[i].z * c;
    }
}

/* Computes the light from the cloth at (x, z) towards `eye`; one thread is one unit wide. */
static vector cloth(float x, float z, vector eye)
{
    int warp = (int)floorf(x), weft = (int)floorf(z);
    bool warp_above = ((warp - weft) & 3) < 2;
    float across = 2 * (warp_above ? x - (float)warp : z - (float)weft) - 1;
    /* position along the two crossings in which the thread is on top, -1 to 1 */
    int step = (warp - weft) & 1;
    float along = warp_above ? (float)(1 - step) + (z - (float)weft) - 1
                             : (float)step + (x - (float)warp) - 1;
    float slope_x, slope_z;
    fold_slope(x, z, &slope_x, &slope_z);
    float round = 0.85f * across, bow = 0.55f * along;
    vector normal = unit(
        (vector){-slope_x + (warp_above ? round : bow), 1, -slope_z + (warp_above ? bow : round)});

    static const vector sun = {-0.62f, 0.60f, 0.50f}, sky = {0.3f, 0.9f, -0.2f};
    float direct = fmaxf(0, dot(normal, unit(sun))), ambient = 0.5f + 0.5f * dot(normal, unit(sky));
    float gap = 1 - 0.75f * across * across * across * across; /* dark between threads */
    float shine = powf(fmaxf(0, dot(normal, unit(sum(unit(sun), eye)))), 24);
    vector light = sum(scaled((vector){1.70f, 1.45f, 1.10f}, direct),
        scaled((vector){0.16f, 0.21f, 0.32f}, ambient));
    vector colour = yarn(warp_above ? warp : weft);
    return (vector){gap * (colour.x * light.x + 0.10f * shine),
        gap * (colour.y * light.y + 0.09f * shine), gap * (colour.z * light.z + 0.08f * shine)};
}

/* Encodes linear light in 8 bits: a soft shoulder, then the sRGB curve. */
static uint8_t encode(float light)
{
    float a = 1 - expf(-1.15f * light);
    float s = a <= 0.0031308f ? 12.92f * a : 1.055f * powf(a, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * fminf(1, s) + 0.5f);
}

void scene_draw_cloth(hed_image *image)
{
    /* eye above the cloth, in threads; radians down; radians around */
    const float height = 62, pitch = 0.62f, turn = 0.5f;
    float aspect = (float)image->width / (float)image->height;
    for (uint32_t row = 0; row < image->height; row++) {
        for (uint32_t column = 0; column < image->width; column++) {
            vector light = {0, 0, 0};
            for (int s = 0; s < SAMPLES * SAMPLES; s++) {
                float v = 1 - 2 * ((float)row + ((float)(s / SAMPLES) + 0.5f) / SAMPLES) /
                                  (float)image->height;
                float u = (2 * ((float)column + ((float)(s % SAMPLES) + 0.5f) / SAMPLES) /
                                  (float)image->width -
                              1) *
                          aspect;
                vector ray = unit((vector){0.42f * u, -sinf(pitch) + 0.42f * v * cosf(pitch),
                    cosf(pitch) + 0.42f * v * sinf(pitch)});
                float distance = height / -ray.y;
                float x = ray.x * distance, z = ray.z * distance;
                light = sum(light, cloth(cosf(turn) * x + sinf(turn) * z,
                                       cosf(turn) * z - sinf(turn) * x, scaled(ray, -1)));
            }
            light = scaled(light, 1.0f / (SAMPLES * SAMPLES));
            uint8_t *pixel = image->pixels + 3 * ((size_t)row * image->width + column);
            pixel[0] = encode(light.x);
            pixel[1] = encode(light.y);
            pixel[2] = encode(light.z);
        }
    }
}
