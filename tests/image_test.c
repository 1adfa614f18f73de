/* ctest: devices=vulkan,gl shaders */
/* Images of shaders: textures and storage images are buffers for the program. Contents move between
 * the two when a step needs the other one, and rows keep the bytes between their texels. */
#include <math.h>

#include "fixture.h"

static void open_shaders(void)
{
    here_open();
    if (!(hed_device_describe(here.device).capabilities & HED_CAN_SOURCE)) test_skip("no compiler");
}

TestSuite(image, .init = open_shaders, .fini = here_close);

static _Thread_local hed_error error;

enum { WIDTH = 20, HEIGHT = 12, ROW = 256, BYTES = ROW * HEIGHT, TEXELS = WIDTH * HEIGHT };

static const char picture_text[] =
    "#version 450\n"
    "layout(local_size_x = 8, local_size_y = 4) in;\n"
    "layout(set = 0, binding = 0) uniform sampler2D photo;\n"
    "layout(set = 1, binding = 0, rgba8) uniform writeonly image2D picture;\n"
    "layout(set = 1, binding = 1, r32f) uniform image2D sums;\n"
    "layout(set = 6, binding = 0) buffer Totals { uint totals[]; };\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
    "    if (at.x >= 20 || at.y >= 12) return;\n"
    "    vec4 exact = texelFetch(photo, at, 0);\n"
    "    vec4 sampled = textureLod(photo, (vec2(at) + 0.5) / vec2(textureSize(photo, 0)), 0.0);\n"
    "    imageStore(picture, at, exact.bgra);\n"
    "    imageStore(sums, at, imageLoad(sums, at) + sampled.x);\n"
    "    totals[at.y * 20 + at.x] = uint(exact.y * 255.0 + 0.5);\n"
    "}\n";
static hed_source text = {"picture.comp", picture_text, 0};

#define PLANE(texel_format) \
    { \
        .format = texel_format, .shape = HED_IMAGE_2D, .width = WIDTH, .height = HEIGHT, \
        .layers = 1, .row_bytes = ROW \
    }
static const hed_argument_def picture_arguments[] = {
    {.name = "photo", .kind = HED_BUFFER, .access = HED_READ, .image = PLANE(HED_IMAGE_RGBA8)},
    {.name = "picture", .kind = HED_BUFFER, .access = HED_WRITE, .image = PLANE(HED_IMAGE_RGBA8)},
    {.name = "sums",
        .kind = HED_BUFFER,
        .type = HED_FLOAT,
        .access = HED_READ_WRITE,
        .image = PLANE(HED_IMAGE_R32F)},
    {.name = "totals", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE}};

static void picture_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def, (void)config, (void)problem;
    *geometry = (hed_geometry){.dimensions = 2, .global = {WIDTH, HEIGHT}, .group = {8, 4}};
}

static const char *const dimensions[] = {"n"};
static const hed_kernel_def picture = {.name = "picture",
    .language = HED_GLSL,
    .sources = &text,
    .source_count = 1,
    .arguments = picture_arguments,
    .argument_count = 4,
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = picture_geometry};

static unsigned char texel(int x, int y, int channel)
{
    return (unsigned char)(7 * x + 31 * y + 60 * channel);
}

static void check_results(hed_buffer *const buffers[4], int launches, int changed_row)
{
    static unsigned char got[BYTES];
    static float sums[BYTES / 4];
    uint32_t totals[TEXELS];
    OK(hed_read(here.stream, got, buffers[1], 0, BYTES, &error));
    OK(hed_read(here.stream, sums, buffers[2], 0, BYTES, &error));
    OK(hed_read(here.stream, totals, buffers[3], 0, sizeof totals, &error));
    OK(hed_stream_wait(here.stream, &error));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool is_changed = y == changed_row;
            const unsigned char *at = &got[y * ROW + 4 * x];
            int first = is_changed ? 255 : texel(x, y, 0),
                third = is_changed ? 255 : texel(x, y, 2);
            CHECK(at[0] == third && at[2] == first, "%d, %d: %u %u instead of %d %d", x, y, at[0],
                at[2], third, first);
            float sum = 100 + (float)launches * texel(x, y, 0) / 255.0f;
            if (is_changed) sum = 100 + ((float)(launches - 1) * texel(x, y, 0) + 255) / 255.0f;
            CHECK(fabsf(sums[y * ROW / 4 + x] - sum) < 1e-3f, "%d, %d: sum %g instead of %g", x, y,
                (double)sums[y * ROW / 4 + x], (double)sum);
            CHECK_EQ(totals[y * WIDTH + x], is_changed ? 255u : texel(x, y, 1));
        }
    for (int y = 0; y < HEIGHT; y++)
        CHECK(got[y * ROW + 4 * WIDTH] == 0xaa && got[y * ROW + ROW - 1] == 0xaa, "after row %d", y);
}

Test(image, textures_and_storage_images_are_buffers)
{
    static unsigned char photo[BYTES], row[ROW], marks[BYTES];
    static float start[BYTES / 4];
    const hed_buffer_def def = hed_default_buffer_def(BYTES + ROW);
    const hed_problem problem = hed_problem_1d(1);
    hed_buffer *whole[4], *b[4];
    hed_kernel *kernel;
    for (int y = 0; y < HEIGHT; y++)
        for (int i = 0; i < 4 * WIDTH; i++) photo[y * ROW + i] = texel(i / 4, y, i % 4);
    for (int i = 0; i < BYTES / 4; i++) start[i] = 100;
    memset(row, 255, sizeof row);
    memset(marks, 0xaa, sizeof marks);
    for (int i = 0; i < 4; i++) {
        OK(hed_buffer_create(here.device, &def, &whole[i], &error));
        OK(hed_buffer_create_sub(whole[i], ROW, BYTES, &b[i], &error)); /* as a tuning has them */
    }
    OK(hed_kernel_create(here.device, &picture, NULL, &kernel, &error));
    OK(hed_write(here.stream, b[0], 0, photo, BYTES, &error));
    OK(hed_write(here.stream, b[1], 0, marks, BYTES, &error));
    OK(hed_write(here.stream, b[2], 0, start, BYTES, &error));
    for (int turn = 1; turn <= 2; turn++) {
        OK(hed_launch(here.stream, kernel, &problem, HED_ARGS(b[0], b[1], b[2], b[3]), &error));
        check_results(b, turn, -1);
    }
    OK(hed_write(here.stream, whole[0], ROW + 5 * ROW, row, ROW, &error)); /* row 5, by the whole */
    OK(hed_launch(here.stream, kernel, &problem, HED_ARGS(b[0], b[1], b[2], b[3]), &error));
    check_results(b, 3, 5);
    hed_kernel_destroy(kernel);
    for (int i = 0; i < 4; i++) hed_buffer_destroy(b[i]);
    for (int i = 0; i < 4; i++) hed_buffer_destroy(whole[i]);
}

Test(image, a_description_fits_its_shader)
{
    hed_argument_def arguments[4];
    hed_kernel_def def = picture;
    hed_kernel *kernel;
    memcpy(arguments, picture_arguments, sizeof arguments);
    def.arguments = arguments;
    arguments[1].image.format = HED_IMAGE_NONE;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"picture\" is a buffer"), "%s", error.text);
    arguments[1] = picture_arguments[1];
    arguments[2].image.shape = HED_IMAGE_3D;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"sums\" has shape 3"), "%s", error.text);
    arguments[2] = picture_arguments[2];
    arguments[2].image.row_bytes = 4 * WIDTH - 4;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "rows of 76 bytes"), "%s", error.text);
}
