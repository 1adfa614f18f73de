/* A libvulkan that is the real one with faults: every function that the backend looks up goes
 * through here, is counted, and can be made to fail (fake.h). What is made and destroyed is
 * counted too, as objects of one kind. Without a real libvulkan.so.1 it has no functions. */
#include "backends/vulkan/vulkan_api.h"
#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

typedef void *get_function(VkInstance instance, const char *name);
/* As the functions of Vulkan are called on machines of 64 bits: up to ten words. */
typedef intptr_t any_function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
    intptr_t, intptr_t, intptr_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static get_function *real_get(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library ? (get_function *)dlsym(library, "vkGetInstanceProcAddr") : NULL;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Sets of commands and descriptors go with their pools. */
static void count(const char *name, intptr_t second, bool made)
{
    int change = 0;
    if (made && (begins(name, "vkCreate") || begins(name, "vkAllocateMemory"))) change = 1;
    if ((begins(name, "vkDestroy") || begins(name, "vkFreeMemory")) &&
        (second || begins(name, "vkDestroyInstance") || begins(name, "vkDestroyDevice")))
        change = -1;
    pthread_mutex_lock(&lock);
    fake_state.live[FAKE_MEMORY] += change;
    pthread_mutex_unlock(&lock);
}

#define REAL(result, name, parameters) static any_function *real_##name;
HED_VK_FUNCTIONS(REAL)

#define WRAPPER(result, name, parameters) \
    static intptr_t wrapped_##name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, \
        intptr_t f, intptr_t g, intptr_t h, intptr_t i, intptr_t j) \
    { \
        static const char result_name[] = #result; \
        bool fails = result_name[0] == 'V'; \
        int code = fails ? fake_enter("vk" #name) : 0; \
        if (code) return code; \
        intptr_t got = real_##name(a, b, c, d, e, f, g, h, i, j); \
        count("vk" #name, b, fails && (int32_t)got == VK_SUCCESS); \
        return got; \
    }
HED_VK_FUNCTIONS(WRAPPER)

static any_function *real_create;
static intptr_t wrapped_create(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e,
    intptr_t f, intptr_t g, intptr_t h, intptr_t i, intptr_t j)
{
    int code = fake_enter("vkCreateInstance");
    if (code) return code;
    intptr_t got = real_create(a, b, c, d, e, f, g, h, i, j);
    count("vkCreateInstance", 0, (int32_t)got == VK_SUCCESS);
    return got;
}

FAKE_EXPORT void *vkGetInstanceProcAddr(VkInstance instance, const char *name);
void *vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    get_function *get = real_get();
    void *found = get ? get(instance, name) : NULL;
    if (!found) return NULL;
    if (strcmp(name, "vkCreateInstance") == 0) {
        real_create = (any_function *)found;
        return (void *)wrapped_create;
    }
#define FIND(result, function, parameters) \
    if (strcmp(name, "vk" #function) == 0) { \
        real_##function = (any_function *)found; \
        return (void *)wrapped_##function; \
    }
    HED_VK_FUNCTIONS(FIND)
    return found;
}
