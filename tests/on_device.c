/* on_device PROGRAM ARGUMENTS...: runs a test program if the device that HEDDLE_DEVICE names is
 * there.
 *
 * If it is not, the exit code is 77, which ctest shows as a skip; or 1, a failure, if
 * HEDDLE_REQUIRE_DEVICES names the device or its backend ("opencl,cuda,vulkan,gl"). So a test that runs at
 * all has its device, and no test has to ask. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/device.h"

enum { EXIT_SKIP = 77 };

/* The backend behind a selector that may find nothing: ids begin with it, PoCL and Oclgrind are
 * OpenCL. */
static const char *backend_of(const char *selector)
{
    if (!strncmp(selector, "cuda", 4)) return "cuda";
    if (!strcmp(selector, "host")) return "host";
    if (!strncmp(selector, "vulkan", 6)) return "vulkan";
    if (!strncmp(selector, "gl", 2)) return "gl";
    return "opencl";
}

static bool required(const char *selector)
{
    const char *list = getenv("HEDDLE_REQUIRE_DEVICES");
    char words[256];
    if (!list || strlen(list) >= sizeof words) return list != NULL;
    strcpy(words, list);
    for (char *word = strtok(words, ",; "); word; word = strtok(NULL, ",; "))
        if (!strcmp(word, backend_of(selector)) || !strcmp(word, selector)) return true;
    return false;
}

static bool available(const char *selector)
{
    hed_error error = {0};
    hed_context *context;
    if (hed_context_create(NULL, &context, &error)) {
        fprintf(stderr, "on_device: %s\n", error.text);
        return false;
    }
    hed_device *device;
    bool found = !hed_device_find(context, selector, &device, &error);
    if (found)
        printf("device %s: %s\n", hed_device_describe(device).id, hed_device_describe(device).name);
    else printf("%s\n", error.text);
    for (uint32_t i = 0; !found && i < hed_context_describe(context).backends; i++) {
        hed_backend_info report = hed_backend_at(context, i);
        if (!strcmp(report.name, backend_of(selector)))
            printf("%s: %s %s\n", report.name, report.reason, report.remedy);
    }
    hed_context_destroy(context);
    return found;
}

int main(int argc, char **argv)
{
    const char *selector = getenv("HEDDLE_DEVICE");
    if (argc < 2 || !selector) {
        fprintf(stderr, "usage: HEDDLE_DEVICE=selector on_device PROGRAM [ARGUMENTS...]\n");
        return 2;
    }
    if (!available(selector)) {
        bool fail = required(selector);
        printf("%s: the device \"%s\" is not here%s\n", fail ? "FAILED" : "SKIPPED", selector,
            fail ? ", and HEDDLE_REQUIRE_DEVICES asks for it" : "");
        return fail ? EXIT_FAILURE : EXIT_SKIP;
    }
    fflush(stdout);
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return EXIT_FAILURE;
}
