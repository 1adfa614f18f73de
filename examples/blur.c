/* blur OUT.png [IN.png]: gives a picture a camera's depth of field (focus.c), by the canonical
 * convolution on the device of HEDDLE_DEVICE. Without IN.png the picture is a woven cloth
 * (scene.c). */
#include <heddle/heddle.h>
#include <stdio.h>

#include "examples/focus.h"
#include "examples/scene.h"

int main(int argc, char **argv)
{
    hed_session on = {0};
    hed_image image = {0}, result = {0};
    hed_error error = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: blur OUT.png [IN.png]\n");
        return 2;
    }
    if (argc > 2) hed_png_read(argv[2], &image, &error);
    else if (!hed_image_create(1280, 800, FOCUS_CHANNELS, &image, &error)) scene_draw_cloth(&image);
    uint64_t floats = (uint64_t)FOCUS_LEVELS * FOCUS_CHANNELS * image.width * image.height;
    float *light = hed_new(NULL, floats, sizeof *light, &error);
    if (light) focus_linear(&image, light);
    hed_open(&on, &error);
    uint64_t begin = hed_now();
    focus_blur(&on, HED_MATH_FAST, image.width, image.height, light, &error);
    double seconds = 1e-9 * (double)(hed_now() - begin);
    if (!hed_failed(&error) &&
        !hed_image_create(image.width, image.height, FOCUS_CHANNELS, &result, &error)) {
        focus_mix(light, &result);
        hed_png_write(argv[1], &result, &error);
    }
    if (hed_failed(&error)) fprintf(stderr, "blur: %s\n%s", error.text, error.log);
    else
        printf("%s: %u x %u, %d convolutions of 17 x 17, with their copies, in %.1f ms on %s\n",
            argv[1], image.width, image.height, FOCUS_CHANNELS * FOCUS_PASSES, 1e3 * seconds,
            on.name);
    hed_close(&on);
    hed_delete(NULL, light, floats, sizeof *light);
    hed_image_free(&image);
    hed_image_free(&result);
    return hed_failed(&error);
}
