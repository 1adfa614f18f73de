/* Counting, failing and the list of what is alive: see fake.h. */
#include "fake.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

fake_control fake_state = {.devices = 2, .memory_bytes = (uint64_t)1 << 30};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fake_object *alive;

static void note(char *to, size_t size, const char *function)
{
    if (!to[0]) snprintf(to, size, "%s", function);
}

int fake_enter(const char *function)
{
    const char *deadly = getenv("FAKE_ABORT_IN"); /* a driver that ends its process */
    if (deadly && strcmp(deadly, function) == 0) abort();
    const char *endless = getenv("FAKE_HANG_IN"); /* a driver that does not return */
    while (endless && strcmp(endless, function) == 0) pause();
    pthread_mutex_lock(&lock);
    fake_control *f = &fake_state;
    f->calls++;
    f->counted += f->count_name && strcmp(f->count_name, function) == 0;
    bool fails = f->calls == f->fail_call || (f->fail_from && f->calls >= f->fail_from) ||
                 (f->fail_name && strcmp(f->fail_name, function) == 0);
    if (fails) {
        f->failures++;
        note(f->failed, sizeof f->failed, function);
    }
    int code = fails ? f->code : 0;
    pthread_mutex_unlock(&lock);
    return code;
}

void fake_misuse(const char *function)
{
    pthread_mutex_lock(&lock);
    fake_state.misuses++;
    note(fake_state.misused, sizeof fake_state.misused, function);
    pthread_mutex_unlock(&lock);
}

void *fake_new(fake_kind kind, size_t size)
{
    fake_object *object = calloc(1, size);
    if (!object) return NULL;
    object->kind = kind;
    object->references = 1;
    pthread_mutex_lock(&lock);
    object->next = alive;
    alive = object;
    fake_state.live[kind]++;
    pthread_mutex_unlock(&lock);
    return object;
}

/* Compares addresses only, so that a handle that is long free can be asked for. */
static bool is_alive(const void *object, fake_kind kind)
{
    for (const fake_object *o = alive; o; o = o->next)
        if (o == object) return o->kind == kind;
    return false;
}

bool fake_check(const char *function, const void *object, fake_kind kind)
{
    pthread_mutex_lock(&lock);
    bool found = is_alive(object, kind);
    pthread_mutex_unlock(&lock);
    if (!found) fake_misuse(function);
    return found;
}

void fake_retain(void *object)
{
    pthread_mutex_lock(&lock);
    ((fake_object *)object)->references++;
    pthread_mutex_unlock(&lock);
}

bool fake_release(void *object)
{
    fake_object *released = object;
    pthread_mutex_lock(&lock);
    bool last = --released->references == 0;
    for (fake_object **at = &alive; last && *at; at = &(*at)->next)
        if (*at == released) {
            *at = released->next;
            break;
        }
    if (last) fake_state.live[released->kind]--;
    pthread_mutex_unlock(&lock);
    return last;
}

void *fake_find(fake_kind kind, bool (*visit)(const void *object, const void *key), const void *key)
{
    fake_object *found = NULL;
    pthread_mutex_lock(&lock);
    for (fake_object *o = alive; o && !found; o = o->next)
        if (o->kind == kind && visit(o, key)) found = o;
    pthread_mutex_unlock(&lock);
    return found;
}

bool fake_take_bytes(size_t size)
{
    pthread_mutex_lock(&lock);
    bool fits = size <= fake_state.memory_bytes - fake_state.bytes;
    if (fits) fake_state.bytes += size;
    pthread_mutex_unlock(&lock);
    return fits;
}

void fake_give_bytes(size_t size)
{
    pthread_mutex_lock(&lock);
    fake_state.bytes -= size;
    pthread_mutex_unlock(&lock);
}

void fake_count_build(void)
{
    pthread_mutex_lock(&lock);
    fake_state.builds++;
    pthread_mutex_unlock(&lock);
}

bool fake_refuse_binary(void)
{
    pthread_mutex_lock(&lock);
    bool refused = fake_state.refused_binaries > 0;
    if (refused) fake_state.refused_binaries--;
    pthread_mutex_unlock(&lock);
    return refused;
}

uint64_t fake_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const size_t fake_argument_bytes[FAKE_ARGUMENTS] = {8, 8, 4, 4, sizeof(fake_shift), 4};

void fake_cycle(
    float *out, const float *in, float a, uint32_t count, const fake_shift *shift, float offset)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = a * in[i] + shift->x * (float)i + shift->y + (float)shift->extra[1] + offset;
}

float fake_offset(const char *text)
{
    static const char *const forms[] = {"OFFSET=", "#define OFFSET "};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const char *at = strstr(text, forms[i]);
        if (at) return strtof(at + strlen(forms[i]), NULL);
    }
    return 0;
}
