/* A window of X11 in which a plugin embeds its own, for the hosts of tests. */
#ifndef HED_TESTS_PLUGIN_WINDOW_PARENT_H
#define HED_TESTS_PLUGIN_WINDOW_PARENT_H

#include <dlfcn.h>
#include <stddef.h>

/* Returns a new window on the default display; 0: there is no libX11, or no display. */
static inline unsigned long make_parent(unsigned width, unsigned height)
{
    void *library = dlopen("libX11.so.6", RTLD_NOW);
    if (!library) return 0;
    void *(*open)(const char *) = (void *(*)(const char *))dlsym(library, "XOpenDisplay");
    unsigned long (*root)(void *) = (unsigned long (*)(void *))dlsym(library, "XDefaultRootWindow");
    unsigned long (*create)(void *, unsigned long, int, int, unsigned, unsigned, unsigned,
        unsigned long, unsigned long) =
        (unsigned long (*)(void *, unsigned long, int, int, unsigned, unsigned, unsigned,
            unsigned long, unsigned long))dlsym(library, "XCreateSimpleWindow");
    int (*map)(void *, unsigned long) =
        (int (*)(void *, unsigned long))dlsym(library, "XMapWindow");
    int (*sync)(void *, int) = (int (*)(void *, int))dlsym(library, "XSync");
    void *display = open(NULL);
    if (!display) return 0;
    unsigned long window = create(display, root(display), 20, 20, width, height, 0, 0, 0x204060);
    map(display, window);
    sync(display, 0);
    return window;
}

#endif
