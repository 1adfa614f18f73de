/* Window: GLFW for keys, mouse and the surface; renderer.c draws, vertices.c keeps the surfaces.
 *
 * While a picture of one frame is drawn, the device computes the next: each turn takes the
 * result of the last frame, enqueues the frames that are due by the clock, and draws the result
 * it took. */
#include "window.h"

#include "renderer.h"
#include "view_gl.h"
#include "vertices.h"

#include "heddle/author.h"
#include "support/exit.h"
#include "support/optional_libraries.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Maximum of frames in a turn; a device that takes longer than their duration shows slower
 * motion. */
enum { MOST_AT_ONCE = 3 };
static const double TITLE_EVERY = 0.5; /* s */

#define GLFW_FUNCTIONS(X) \
    X(CreateWindow) \
    X(DestroyWindow) \
    X(GetCursorPos) \
    X(GetError) \
    X(GetFramebufferSize) \
    X(GetMonitorWorkarea) X(GetMouseButton) X(GetPrimaryMonitor) X(GetProcAddress) X(GetTime) \
        X(GetWindowSize) X(GetWindowUserPointer) X(Init) X(MakeContextCurrent) X(PollEvents) \
            X(SetCursorPosCallback) X(SetKeyCallback) X(SetScrollCallback) X(SetWindowTitle) \
                X(SetWindowUserPointer) X(SwapBuffers) X(SwapInterval) X(Terminate) \
                    X(WaitEventsTimeout) X(WindowHint) X(WindowShouldClose)

/* Functions of GLFW, loaded at run time. */
typedef struct glfw {
#define GLFW_MEMBER(name) __typeof__(&glfw##name) name;
    GLFW_FUNCTIONS(GLFW_MEMBER)
} glfw;

typedef struct window {
    glfw glfw;
    GLFWwindow *handle;
    hed_cloth_scene *scene;
    hed_cloth *cloth;
    double rate;
    cloth_control control;
    cloth_renderer *renderer;
    cloth_studio studio;
    cloth_vertices *vertices;
    hed_event *begin, *end; /* events before and after the frames of a turn */
    double mouse[2];
    uint32_t number; /* number of the next frame, since the last reset */
    uint64_t pictures, frames;
    float transform[16]; /* transform of the last frame that had one */
    bool transformed;
    double clock, due; /* s; number of frames that are due by the clock */
    /* data of the title */
    double titled, next_measure, frame_seconds, stretch;
    uint64_t titled_pictures;
    char note[160]; /* text such as the file of a picture */
    bool timed;     /* true: a turn's frames are between begin and end */
    uint32_t timed_frames;
} window;

/* ---- GLFW ---- */

static hed_status load_glfw(glfw *functions, hed_error *error)
{
#define GLFW_NAME(name) "glfw" #name,
    static const char *const names[] = {GLFW_FUNCTIONS(GLFW_NAME)};
    enum { COUNT = sizeof names / sizeof *names };
    void *addresses[COUNT];
    _Static_assert(sizeof *functions == sizeof addresses, "functions alone");
    hed_status status = hed_library_load(
        NULL, &hed_optional_libraries[HED_LIBRARY_GLFW], names, addresses, COUNT, NULL, error);
    if (!status) memcpy(functions, addresses, sizeof addresses);
    return status;
}

/* Finds the window of a handle. A callback gets only its window's handle, and there are no
 * globals, so the function that returns the user pointer is loaded again. */
static window *window_from(GLFWwindow *handle)
{
    static const char *const name = "glfwGetWindowUserPointer";
    __typeof__(&glfwGetWindowUserPointer) get = NULL;
    void *address;
    if (hed_library_load(
            NULL, &hed_optional_libraries[HED_LIBRARY_GLFW], &name, &address, 1, NULL, NULL))
        return NULL;
    memcpy(&get, &address, sizeof get);
    return get(handle);
}

static hed_status glfw_fail(const window *w, hed_error *error, const char *what)
{
    const char *words = NULL;
    w->glfw.GetError(&words);
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "%s: %s. `heddle cloth run --png-every N` draws pictures without a window", what,
        words ? words : "GLFW does not say why");
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int modifiers)
{
    window *w = window_from(handle);
    if (!w || action == GLFW_RELEASE || (action == GLFW_REPEAT && key != GLFW_KEY_S)) return;
    /* GLFW's letters are upper case, also if a small letter was typed */
    if (key == GLFW_KEY_ESCAPE) key = CLOTH_KEY_ESCAPE;
    cloth_control_key(&w->control, key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key);
}

static void on_wheel(GLFWwindow *handle, double x, double y)
{
    window *w = window_from(handle);
    if (!w) return;
    cloth_control_zoom(&w->control, y);
}

static void on_mouse(GLFWwindow *handle, double x, double y)
{
    window *w = window_from(handle);
    if (!w) return;
    double right = x - w->mouse[0], down = y - w->mouse[1];
    int width, height;
    w->glfw.GetWindowSize(handle, &width, &height);
    if (w->glfw.GetMouseButton(handle, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS)
        cloth_control_orbit(&w->control, right, down, (uint32_t)height);
    else if (w->glfw.GetMouseButton(handle, GLFW_MOUSE_BUTTON_RIGHT) == GLFW_PRESS)
        cloth_control_pull(&w->control, right, down, (uint32_t)height);
    w->mouse[0] = x;
    w->mouse[1] = y;
}

/* Reduces the scene's picture size to the screen's, with the same proportions. */
static void fit_to_screen(const window *w, hed_cloth_camera *camera)
{
    int x, y, width = 0, height = 0;
    GLFWmonitor *monitor = w->glfw.GetPrimaryMonitor();
    if (monitor) w->glfw.GetMonitorWorkarea(monitor, &x, &y, &width, &height);
    if (width <= 0 || height <= 0) return;
    double scale = fmin(1, fmin((double)width / camera->width, (double)height / camera->height));
    camera->width = (uint32_t)fmax(1, scale * camera->width);
    camera->height = (uint32_t)fmax(1, scale * camera->height);
}

static hed_status open_window(window *w, hed_error *error)
{
    hed_cloth_camera camera = hed_cloth_scene_camera(w->scene);
    fit_to_screen(w, &camera);
    w->glfw.WindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    w->glfw.WindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    w->glfw.WindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    w->glfw.WindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    w->glfw.WindowHint(GLFW_DEPTH_BITS, 0); /* the renderer has a depth buffer of its own */
    w->glfw.WindowHint(GLFW_STENCIL_BITS, 0);
    w->handle =
        w->glfw.CreateWindow((int)camera.width, (int)camera.height, "Heddle cloth", NULL, NULL);
    if (!w->handle) return glfw_fail(w, error, "no window with OpenGL 3.3");
    w->control = cloth_control_begin(&camera);
    w->glfw.MakeContextCurrent(w->handle);
    w->glfw.SwapInterval(1);
    w->glfw.SetWindowUserPointer(w->handle, w);
    w->glfw.GetCursorPos(w->handle, &w->mouse[0], &w->mouse[1]);
    w->glfw.SetKeyCallback(w->handle, on_key);
    w->glfw.SetScrollCallback(w->handle, on_wheel);
    w->glfw.SetCursorPosCallback(w->handle, on_mouse);
    /* a pointer to a function fits into a pointer to data wherever libraries are loaded at run
     * time */
    cloth_gl_get_function *get_function;
    memcpy(&get_function, &w->glfw.GetProcAddress, sizeof get_function);
    hed_device *device = hed_stream_device(hed_cloth_stream(w->cloth));
    if (cloth_renderer_create(get_function, &w->renderer, error) ||
        cloth_vertices_create(
            cloth_renderer_gl(w->renderer), get_function, w->scene, w->cloth, &w->vertices, error))
        return error->status;
    hed_event_create(device, true, &w->begin, error);
    return hed_event_create(device, true, &w->end, error);
}

/* ---- frames of cloth ---- */

static hed_status window_step(window *w, hed_error *error)
{
    hed_cloth_frame frame;
    if (hed_cloth_scene_frame(w->scene, w->number, w->rate, &frame, error)) return error->status;
    cloth_control_apply(&w->control, &frame);
    if (frame.transform) memcpy(w->transform, frame.transform, sizeof w->transform);
    w->transformed = w->transformed || frame.transform;
    if (!hed_cloth_step(w->cloth, &frame, error)) cloth_vertices_follow(w->vertices, error);
    w->number++;
    w->frames++;
    return error->status;
}

/* Counts the due frames: one for each 1/rate of a second that has passed, fewer if the device is
 * too slow. */
static uint32_t frames_due(window *w)
{
    double time = w->glfw.GetTime();
    w->due = fmin(w->due + (time - w->clock) * w->rate, MOST_AT_ONCE);
    w->clock = time;
    if (w->control.paused) w->due = 0;
    uint32_t count = (uint32_t)w->due;
    w->due -= count;
    if (w->control.step || w->frames == 0 || w->number == 0)
        count = count ? count : 1; /* the first frame is shown even if paused */
    w->control.step = false;
    return count;
}

static hed_status window_enqueue(window *w, hed_error *error)
{
    if (w->control.reset) {
        w->control.reset = false;
        w->number = 0;
        if (hed_cloth_reset(w->cloth, error)) return error->status;
    }
    uint32_t count = frames_due(w);
    if (count == 0) return HED_OK;
    hed_event_record(w->begin, hed_cloth_stream(w->cloth), error);
    for (uint32_t i = 0; i < count && !error->status; i++) window_step(w, error);
    w->timed = hed_event_record(w->end, hed_cloth_stream(w->cloth), error) == HED_OK;
    w->timed_frames = count;
    return w->timed ? cloth_vertices_take_props(w->vertices, error) : error->status;
}

/* ---- pictures ---- */

static uint8_t window_draw(window *w, GLuint target)
{
    uint32_t count;
    const cloth_drawable *drawables = cloth_vertices_drawables(w->vertices, &count);
    cloth_box whole, box = cloth_vertices_box(w->vertices, &whole);
    if (cloth_box_empty(&box)) cloth_box_add(&box, w->control.camera.target, 1);
    if (cloth_box_empty(&whole)) whole = box;
    cloth_studio_fit(&w->studio, &w->control.camera, &box, &whole);
    return cloth_renderer_draw(
        w->renderer, target, &w->studio, &w->control.camera, &box, drawables, count);
}

/* Handles the key p: writes the frame to a file in the current folder. The title shows the file
 * or the error; the program continues. */
static void window_write_picture(window *w, uint32_t width, uint32_t height)
{
    const cloth_gl *gl = cloth_renderer_gl(w->renderer);
    cloth_target target;
    hed_image image = {0};
    hed_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "cloth-%06" PRIu32 ".png", w->number);
    if (!cloth_target_create(gl, width, height, &target, &error)) {
        uint8_t stamp = window_draw(w, target.framebuffer);
        cloth_target_read(gl, &target, stamp, &image, &error);
        cloth_target_destroy(gl, &target);
    }
    hed_png_write(path, &image, &error);
    hed_image_free(&image);
    snprintf(w->note, sizeof w->note, "%.150s", error.status ? error.text : path);
    w->titled = 0;
}

static void set_title(window *w)
{
    double time = w->glfw.GetTime(), passed = time - w->titled;
    if (passed < TITLE_EVERY) return;
    char title[400], forces[96] = "";
    const hed_device_info device =
        hed_device_describe(hed_stream_device(hed_cloth_stream(w->cloth)));
    float wind = sqrtf(cloth_dot(w->control.wind, w->control.wind));
    if (w->control.gravity != 0 || wind > 0)
        snprintf(forces, sizeof forces, " | gravity %+.1f m/s2, wind %+.1f m/s",
            (double)w->control.gravity, (double)wind);
    snprintf(title, sizeof title,
        "Heddle cloth on %s%s | %.0f fps, %.2f ms a frame, stretch %.1f %%%s%s%s%s", device.id,
        cloth_vertices_shared(w->vertices) ? " (buffers shared)" : "",
        (double)(w->pictures - w->titled_pictures) / passed, 1e3 * w->frame_seconds,
        100 * w->stretch, forces, w->control.paused ? " | paused" : "", w->note[0] ? " | " : "",
        w->note);
    w->glfw.SetWindowTitle(w->handle, title);
    w->titled = time;
    w->titled_pictures = w->pictures;
    w->note[0] = '\0';
}

/* Measures the cloth's quality, which reads all positions, so it takes a tenth of the time at
 * most. */
static hed_status window_measure(window *w, hed_error *error)
{
    double start = w->glfw.GetTime();
    if (start < w->next_measure) return HED_OK;
    hed_cloth_metrics quality;
    hed_status status = hed_cloth_evaluate(w->cloth, &quality, error);
    if (status) return status;
    w->stretch = quality.worst_stretch;
    cloth_vertices_measured(w->vertices, &quality, w->transformed ? w->transform : NULL);
    w->next_measure = w->glfw.GetTime() + fmax(TITLE_EVERY, 10 * (w->glfw.GetTime() - start));
    return HED_OK;
}

/* ---- the loop ---- */

/* Takes the results of the last frames: their vertices, and their time. */
static hed_status window_take(window *w, hed_error *error)
{
    hed_status status = cloth_vertices_take(w->vertices, w->control.colours, error);
    double seconds;
    if (!status && w->timed && hed_event_elapsed(w->begin, w->end, &seconds, NULL) == HED_OK) {
        double frame_time = seconds / w->timed_frames;
        w->frame_seconds =
            w->frame_seconds > 0 ? 0.9 * w->frame_seconds + 0.1 * frame_time : frame_time;
    }
    w->timed = false;
    return status ? status : window_measure(w, error);
}

static hed_status window_turn(window *w, hed_error *error)
{
    int width, height;
    w->glfw.PollEvents();
    w->glfw.GetFramebufferSize(w->handle, &width, &height);
    if ((w->frames && window_take(w, error)) || window_enqueue(w, error)) return error->status;
    if (width == 0 || height == 0) { /* minimized: no surface to draw on */
        w->glfw.WaitEventsTimeout(0.05);
        return HED_OK;
    }
    if (cloth_renderer_resize(w->renderer, (uint32_t)width, (uint32_t)height, error))
        return error->status;
    /* before the first picture no frame has been taken */
    if (w->frames == w->timed_frames && w->pictures == 0 && window_take(w, error))
        return error->status;
    window_draw(w, 0);
    if (w->control.picture) window_write_picture(w, (uint32_t)width, (uint32_t)height);
    w->control.picture = false;
    w->glfw.SwapBuffers(w->handle);
    w->pictures++;
    set_title(w);
    return HED_OK;
}

static hed_status window_run(window *w, const cloth_window_probe *probe, hed_error *error)
{
    hed_status status = open_window(w, error);
    w->clock = w->glfw.GetTime();
    while (!status && !w->glfw.WindowShouldClose(w->handle) && !w->control.close &&
           !hed_interrupted()) {
        status = window_turn(w, error);
        if (!status && probe)
            probe->drawn(probe->user, w->pictures, w->frames, cloth_vertices_shared(w->vertices),
                &w->control);
    }
    return status;
}

hed_status cloth_window_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate,
    const cloth_window_probe *probe, hed_error *error)
{
    window w = {.scene = scene, .cloth = cloth, .rate = rate};
    hed_status status = load_glfw(&w.glfw, error);
    if (status) return status;
    if (!w.glfw.Init()) return glfw_fail(&w, error, "no window here");
    status = window_run(&w, probe, error);
    if (w.handle) {
        /* no write into the buffers may be pending when they are destroyed */
        hed_cloth_wait(cloth, NULL);
        cloth_vertices_destroy(w.vertices);
        cloth_renderer_destroy(w.renderer);
        w.glfw.DestroyWindow(w.handle);
    }
    hed_event_destroy(w.begin);
    hed_event_destroy(w.end);
    w.glfw.Terminate();
    return status;
}

hed_status cloth_view_run(hed_cloth_scene *scene, hed_cloth *cloth, double rate, hed_error *error)
{
    return cloth_window_run(scene, cloth, rate, NULL, error);
}
