/* The window of the plugins: GTK 3 and WebKitGTK, without their headers. */
#include "view_window.h"

#include "heddle/author.h"
#include "support/optional_libraries.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CRASHES = 3 };
enum { GTK_WINDOW_TOPLEVEL = 0, X11_REVERT_TO_PARENT = 2, X11_CURRENT_TIME = 0 };

typedef struct gtk_object gtk_object; /* GtkWidget, WebKitWebView and others */
typedef void gtk_callback(void);

/* X(result, name, parameters); all are in libraries that WebKit's names */
#define FUNCTIONS(X) \
    X(int, gtk_init_check, (int *count, char ***arguments)) \
    X(gtk_object *, gtk_window_new, (int type)) \
    X(void, gtk_container_add, (gtk_object * container, gtk_object *widget)) \
    X(void, gtk_widget_show_all, (gtk_object * widget)) \
    X(void, gtk_widget_hide, (gtk_object * widget)) \
    X(void, gtk_widget_realize, (gtk_object * widget)) \
    X(gtk_object *, gtk_widget_get_window, (gtk_object * widget)) \
    X(unsigned long, gdk_x11_window_get_xid, (gtk_object * window)) \
    X(void *, gdk_x11_get_default_xdisplay, (void)) \
    X(int, XReparentWindow, \
        (void *display, unsigned long window, unsigned long parent, int x, int y)) \
    X(int, XSetInputFocus, \
        (void *display, unsigned long window, int revert_to, unsigned long time)) \
    X(void, gtk_window_set_default_size, (gtk_object * window, int width, int height)) \
    X(void, gtk_window_resize, (gtk_object * window, int width, int height)) \
    X(void, gtk_window_set_title, (gtk_object * window, const char *title)) \
    X(void, gtk_main, (void)) \
    X(void, gtk_main_quit, (void)) \
    X(unsigned long, g_signal_connect_data, \
        (void *object, const char *signal, gtk_callback *callback, void *user, void *destroy, \
            int flags)) \
    X(unsigned, g_idle_add, (int (*callback)(void *user), void *user)) \
    X(gtk_object *, webkit_web_view_new, (void)) \
    X(void, webkit_web_view_load_uri, (gtk_object * view, const char *uri))

typedef struct gtk_api {
#define MEMBER(result, name, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} gtk_api;

/* Owned by the thread of view_window_run(). */
static struct gtk_state {
    gtk_api gtk;
    gtk_object *window, *view;
    const char *address;
    uint32_t crashes;
} gtk_state;

hed_status view_window_load(hed_error *error)
{
#define NAME(result, name, parameters) #name,
    static const char *const names[] = {FUNCTIONS(NAME)};
#undef NAME
    void *slots[HED_COUNT(names)];
    _Static_assert(sizeof gtk_state.gtk == sizeof slots, "functions alone");
    if (hed_library_load(NULL, &hed_optional_libraries[HED_LIBRARY_WEBKIT], names, slots,
            HED_COUNT(names), NULL, error))
        return error->status;
    memcpy(&gtk_state.gtk, slots, sizeof slots);
    setenv("GDK_BACKEND", "x11", 1); /* the only one that embeds a window of another process */
    if (gtk_state.gtk.gtk_init_check(NULL, NULL)) return HED_OK;
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "window: no X11 display; set DISPLAY");
}

/* ---- requests ---- */

typedef struct window_request {
    enum { SHOW, HIDE, RESIZE, NAME_WINDOW, END } kind;
    uint32_t width, height;
    char title[256];
} window_request;

static int obey_request(void *user)
{
    window_request *r = user;
    switch (r->kind) {
    case SHOW: gtk_state.gtk.gtk_widget_show_all(gtk_state.window); break;
    case HIDE: gtk_state.gtk.gtk_widget_hide(gtk_state.window); break;
    case RESIZE:
        gtk_state.gtk.gtk_window_resize(gtk_state.window, (int)r->width, (int)r->height);
        break;
    case NAME_WINDOW: gtk_state.gtk.gtk_window_set_title(gtk_state.window, r->title); break;
    case END: gtk_state.gtk.gtk_main_quit(); break;
    }
    free(r);
    return 0; /* once */
}

static void post(const window_request *request)
{
    window_request *copy = malloc(sizeof *copy);
    if (!copy) return;
    *copy = *request;
    gtk_state.gtk.g_idle_add(obey_request, copy);
}

void view_window_show(bool is_shown) { post(&(window_request){.kind = is_shown ? SHOW : HIDE}); }

void view_window_resize(uint32_t width, uint32_t height)
{
    if (width && height && width < 1 << 15 && height < 1 << 15)
        post(&(window_request){.kind = RESIZE, .width = width, .height = height});
}

void view_window_name(const char *title)
{
    window_request request = {.kind = NAME_WINDOW};
    if (strlen(title) < sizeof request.title) strcpy(request.title, title);
    post(&request);
}

void view_window_end(void) { post(&(window_request){.kind = END}); }

/* ---- the window ---- */

static int close_window(gtk_object *window, void *event, void *user)
{
    (void)window, (void)event, (void)user;
    gtk_state.gtk.gtk_main_quit();
    return 1; /* handled */
}

/* Loads the page again after a crash of its process. */
static void follow_crash(gtk_object *view, int reason, void *user)
{
    (void)reason, (void)user;
    if (++gtk_state.crashes > MOST_CRASHES) gtk_state.gtk.gtk_main_quit();
    else gtk_state.gtk.webkit_web_view_load_uri(view, gtk_state.address);
}

/* Takes the keyboard after a click: no window manager gives it to a window inside another one. */
static int take_keyboard(gtk_object *view, void *event, void *user)
{
    (void)view, (void)event, (void)user;
    unsigned long window =
        gtk_state.gtk.gdk_x11_window_get_xid(gtk_state.gtk.gtk_widget_get_window(gtk_state.window));
    gtk_state.gtk.XSetInputFocus(gtk_state.gtk.gdk_x11_get_default_xdisplay(), window,
        X11_REVERT_TO_PARENT, X11_CURRENT_TIME);
    return 0; /* the page gets the click too */
}

void view_window_run(const char *address, unsigned long parent, uint32_t width, uint32_t height)
{
    const gtk_api *gtk = &gtk_state.gtk;
    gtk_state.address = address;
    gtk_state.window = gtk->gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_state.view = gtk->webkit_web_view_new();
    gtk->gtk_window_set_default_size(gtk_state.window, (int)width, (int)height);
    gtk->gtk_window_set_title(gtk_state.window, "Heddle Synth");
    gtk->gtk_container_add(gtk_state.window, gtk_state.view);
    gtk->g_signal_connect_data(
        gtk_state.window, "delete-event", (gtk_callback *)close_window, NULL, NULL, 0);
    gtk->g_signal_connect_data(
        gtk_state.window, "destroy", (gtk_callback *)gtk->gtk_main_quit, NULL, NULL, 0);
    gtk->g_signal_connect_data(
        gtk_state.view, "web-process-terminated", (gtk_callback *)follow_crash, NULL, NULL, 0);
    /* a child of the other process's window: hosts that follow XEmbed and hosts that do not take one, while
     * a GtkPlug stays hidden in the latter */
    if (parent) {
        gtk->gtk_widget_realize(gtk_state.window);
        gtk->XReparentWindow(gtk->gdk_x11_get_default_xdisplay(),
            gtk->gdk_x11_window_get_xid(gtk->gtk_widget_get_window(gtk_state.window)), parent, 0,
            0);
        gtk->g_signal_connect_data(
            gtk_state.view, "button-press-event", (gtk_callback *)take_keyboard, NULL, NULL, 0);
    }
    gtk->webkit_web_view_load_uri(gtk_state.view, address);
    gtk->gtk_main();
}
