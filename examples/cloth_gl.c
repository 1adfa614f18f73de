/* cloth_gl: a flag whose vertices never leave the device. OpenGL draws one of two vertex buffers
 * while the device computes the next frame and writes it into the other (acquire, write-back,
 * release, all enqueued without a wait of the host). If driver and device cannot share buffers,
 * Heddle copies through the host, and this program reports it. There is no window: EGL without a
 * surface, drawn into a small framebuffer and printed as characters. HEDDLE_DEVICE chooses the
 * device. */
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "heddle/cloth.h"
#include "heddle/heddle.h"

enum { COLUMNS = 48, ROWS = 32, PARTICLES = COLUMNS * ROWS, FRAMES = 180, WIDTH = 72, HEIGHT = 28 };

/* ---- OpenGL without a window: the GPU's own display, else Mesa's ---- */

typedef struct gl_context {
    EGLDisplay display;
    EGLContext context;
    GLuint vertices[2], array, framebuffer, picture, program;
} gl_context;

static bool try_display(gl_context *gl, EGLDisplay display)
{
    static const EGLint wanted[] = {
        EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_API))
        return false;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return false;
    gl->display = display;
    gl->context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    return gl->context != EGL_NO_CONTEXT &&
           eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context);
}

static bool open_context(gl_context *gl)
{
    EGLDeviceEXT devices[8];
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) return false;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_base") &&
        eglQueryDevicesEXT(8, devices, &count))
        for (EGLint i = 0; i < count; i++)
            if (try_display(
                    gl, eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
                return true;
    return try_display(
        gl, eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL));
}

static GLuint make_program(void)
{
    const char *texts[2] = {
        "#version 330 core\nlayout(location = 0) in vec4 vertex;\n"
        "void main() { gl_Position = vec4(vertex.xy * vec2(0.7, 0.9) - vec2(0.75, 1.2), 0.0, 1.0); }\n",
        "#version 330 core\nout vec4 colour;\nvoid main() { colour = vec4(1.0); }\n"};
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    return program;
}

static void make_objects(gl_context *gl)
{
    glGenBuffers(2, gl->vertices);
    for (int i = 0; i < 2; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, gl->vertices[i]);
        glBufferData(GL_ARRAY_BUFFER, PARTICLES * 16, NULL, GL_DYNAMIC_DRAW);
    }
    glGenVertexArrays(1, &gl->array);
    glBindVertexArray(gl->array);
    glEnableVertexAttribArray(0);
    glGenRenderbuffers(1, &gl->picture);
    glBindRenderbuffer(GL_RENDERBUFFER, gl->picture);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
    glGenFramebuffers(1, &gl->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, gl->picture);
    glViewport(0, 0, WIDTH, HEIGHT);
    gl->program = make_program();
}

/* Draws the vertices, float4 each: x, y, z, and four bytes of colour, which this picture
 * ignores. */
static void draw(const gl_context *gl, int which)
{
    glBindBuffer(GL_ARRAY_BUFFER, gl->vertices[which]);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, NULL);
    glUseProgram(gl->program);
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_POINTS, 0, PARTICLES);
}

static void show(void)
{
    static unsigned char pixels[HEIGHT][WIDTH][4];
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int y = HEIGHT - 1; y >= 0; y--) {
        char line[WIDTH + 1];
        for (int x = 0; x < WIDTH; x++) line[x] = pixels[y][x][0] ? '#' : '.';
        line[WIDTH] = '\0';
        puts(line);
    }
}

/* ---- the cloth ---- */

static hed_status make_flag(hed_device *device, hed_cloth **cloth, hed_error *error)
{
    static float positions[PARTICLES][3];
    static uint32_t quads[(COLUMNS - 1) * (ROWS - 1)][4];
    static float inverse_masses[PARTICLES];
    for (uint32_t p = 0, q = 0; p < PARTICLES; p++) {
        uint32_t i = p % COLUMNS, j = p / COLUMNS;
        memcpy(positions[p],
            (float[]){1.5f * (float)i / (COLUMNS - 1), 2 - 1.0f * (float)j / (ROWS - 1), 0},
            sizeof positions[p]);
        inverse_masses[p] = i == 0 ? 0.0f : 5000.0f; /* fixed to the pole */
        if (i + 1 < COLUMNS && j + 1 < ROWS)
            memcpy(
                quads[q++], (uint32_t[]){p, p + COLUMNS, p + COLUMNS + 1, p + 1}, sizeof quads[0]);
    }
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    hed_cloth_def def = hed_default_cloth_def();
    garment.name = "flag";
    garment.particle_count = PARTICLES;
    garment.positions = positions[0];
    garment.inverse_masses = inverse_masses;
    garment.quad_count = (COLUMNS - 1) * (ROWS - 1);
    garment.quads = quads[0];
    garment.grid_width = COLUMNS;
    garment.grid_height = ROWS;
    garment.drag = 1;
    garment.lift = 0.5f;
    def.garments = &garment;
    def.garment_count = 1;
    return hed_cloth_create(device, &def, cloth, error);
}

int main(void)
{
    gl_context gl = {0};
    if (!open_context(&gl)) {
        fprintf(stderr, "no OpenGL 3.3 without a window here (Debian: libegl1 libgl1-mesa-dri)\n");
        return 77; /* exit code of a skipped test */
    }
    make_objects(&gl);
    hed_gl shared = {(void *(*)(const char *))eglGetProcAddress, gl.display, gl.context};
    hed_error error = {0};
    hed_context *context = NULL;
    hed_device *device = NULL;
    hed_buffer *buffers[2] = {0};
    hed_cloth *cloth = NULL;
    bool copied = false;
    hed_context_create(NULL, &context, &error);
    hed_device_find(context, NULL, &device, &error);
    make_flag(device, &cloth, &error);
    for (int i = 0; i < 2; i++)
        hed_buffer_from_gl(
            device, &shared, gl.vertices[i], PARTICLES * 16, &copied, &buffers[i], &error);
    hed_cloth_set_vertex_buffers(cloth, buffers[0], buffers[1], &error);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.wind[0] = 9;
    frame.wind[2] = 2;
    frame.gust = 0.6f;
    uint64_t start = hed_now();
    for (int number = 0; number < FRAMES && !error.status; number++) {
        int before = hed_cloth_vertex_buffer(cloth) == buffers[1]; /* buffer of the last frame */
        /* enqueues: acquire, simulate, write back, release */
        hed_cloth_step(cloth, &frame, &error);
        if (number > 0) draw(&gl, before); /* drawn while the device works */
    }
    double seconds = 1e-9 * (double)(hed_now() - start);
    if (!hed_cloth_wait(cloth, &error)) {
        draw(&gl, hed_cloth_vertex_buffer(cloth) == buffers[1]);
        show();
        printf("%s and %s: buffers %s; %d frames of %d vertices, %.3f ms each\n",
            hed_device_describe(device).name, (const char *)glGetString(GL_RENDERER),
            copied ? "copied through the host, since these two cannot share" : "shared", FRAMES,
            PARTICLES, 1e3 * seconds / FRAMES);
    }
    if (error.status) fprintf(stderr, "%s\n%s", error.text, error.log);
    hed_cloth_destroy(cloth);
    hed_buffer_destroy(buffers[0]);
    hed_buffer_destroy(buffers[1]);
    hed_context_destroy(context);
    eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(gl.display, gl.context);
    return error.status != HED_OK;
}
