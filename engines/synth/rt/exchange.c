/* The thread that drives a device, and what it exchanges with the audio thread: blocks in slots,
 * their numbers in two rings. The audio thread asks for block n and takes block n - 1. One that
 * comes too late is dropped, so that the latency stays one block. */
#include "live.h"

#include "support/errors.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>

enum { SLOTS = 4 };

typedef struct exchange_slot {
    uint32_t event_count;
    hed_synth_event *events; /* (LIVE_EVENT_ROOM) */
    float *inputs;           /* (inputs x block) */
    float *left, *right;     /* (block) */
} exchange_slot;

struct live_exchange {
    hed_synth_live *live;
    hed_ring *asked, *done;  /* numbers of blocks; block n is in slot n % SLOTS */
    uint64_t next, finished; /* the audio thread's: number to ask for; how many have come back */
    exchange_slot slots[SLOTS];
    void *memory;
    size_t bytes;
    sem_t wake;
    pthread_t thread;
    bool has_wake, has_thread;
    _Atomic bool stop;
    hed_error error;
};

/* ---- the device's thread ---- */

static void run_slot(live_exchange *x, uint64_t number)
{
    const exchange_slot *slot = &x->slots[number % SLOTS];
    hed_synth_live *live = x->live;
    const float *inputs[LIVE_MOST_INPUTS];
    for (uint32_t i = 0; i < live->inputs; i++) inputs[i] = slot->inputs + (size_t)i * live->block;
    hed_synth_block block = {
        .frames = live->block, .left = slot->left, .right = slot->right, .events = slot->events};
    block.event_count = slot->event_count;
    block.inputs = live->inputs ? inputs : NULL;
    live_process(live, &block, &x->error);
}

static void *drive(void *user)
{
    live_exchange *x = user;
    uint64_t number;
    for (;;) {
        while (sem_wait(&x->wake) != 0) continue; /* interrupted */
        if (atomic_load(&x->stop)) return NULL;
        if (!hed_ring_pop(x->asked, &number)) continue;
        run_slot(x, number);
        hed_ring_push(x->done, &number); /* has room for every slot */
    }
}

/* ---- the audio thread ---- */

static void fill(live_exchange *x, const hed_synth_block *block)
{
    exchange_slot *slot = &x->slots[x->next % SLOTS];
    const hed_synth_live *live = x->live;
    slot->event_count = block->event_count;
    memcpy(slot->events, block->events, block->event_count * sizeof *slot->events);
    for (uint32_t i = 0; i < live->inputs; i++) {
        if (block->inputs)
            memcpy(slot->inputs + (size_t)i * live->block, block->inputs[i],
                live->block * sizeof(float));
        else memset(slot->inputs + (size_t)i * live->block, 0, live->block * sizeof(float));
    }
}

bool live_exchange_block(live_exchange *x, const hed_synth_block *block, bool *taken)
{
    uint64_t number, last = UINT64_MAX, wanted = x->next - 1;
    while (hed_ring_pop(x->done, &number)) {
        x->finished++;
        last = number;
    }
    *taken = x->next - x->finished < SLOTS; /* all that was done is taken from the ring by now */
    bool there = x->next == 0 || last == wanted;
    if (there && x->next > 0) {
        const exchange_slot *slot = &x->slots[wanted % SLOTS];
        memcpy(block->left, slot->left, block->frames * sizeof(float));
        memcpy(block->right, slot->right, block->frames * sizeof(float));
    } else {
        memset(block->left, 0, block->frames * sizeof(float));
        memset(block->right, 0, block->frames * sizeof(float));
    }
    if (*taken) {
        fill(x, block);
        hed_ring_push(x->asked, &x->next);
        x->next++;
        sem_post(&x->wake);
    }
    return there;
}

uint32_t live_exchange_behind(const live_exchange *x)
{
    return (uint32_t)(x->next - x->finished) - hed_ring_count(x->done);
}

/* ---- making it ---- */

static void *cut(char **memory, size_t bytes)
{
    void *piece = *memory;
    *memory += (bytes + 63) / 64 * 64;
    return piece;
}

static hed_status make_slots(live_exchange *x, hed_error *error)
{
    const hed_synth_live *live = x->live;
    size_t events = LIVE_EVENT_ROOM * sizeof(hed_synth_event), sound = live->block * sizeof(float),
           inputs = sound * live->inputs;
    x->bytes = SLOTS * (events + inputs + 2 * sound + 4 * 64);
    x->memory = live->allocator.allocate(live->allocator.user, x->bytes, 64);
    if (!x->memory)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "no memory for %zu bytes of blocks", x->bytes);
    memset(x->memory, 0, x->bytes);
    char *memory = x->memory;
    for (uint32_t i = 0; i < SLOTS; i++) {
        x->slots[i].events = cut(&memory, events);
        x->slots[i].inputs = cut(&memory, inputs);
        x->slots[i].left = cut(&memory, sound);
        x->slots[i].right = cut(&memory, sound);
    }
    return HED_OK;
}

static hed_status start_thread(live_exchange *x, hed_error *error)
{
    x->has_wake = sem_init(&x->wake, 0, 0) == 0;
    x->has_thread = x->has_wake && pthread_create(&x->thread, NULL, drive, x) == 0;
    if (!x->has_thread)
        return hed_error_set(error, HED_ERROR_MEMORY, "no thread to drive the device with");
    /* Below the audio thread and above everything else, where the user may. */
    pthread_setschedparam(x->thread, SCHED_FIFO, &(struct sched_param){.sched_priority = 5});
    return HED_OK;
}

hed_status live_exchange_create(hed_synth_live *live, live_exchange **exchange, hed_error *error)
{
    live_exchange *x =
        live->allocator.allocate(live->allocator.user, sizeof *x, _Alignof(live_exchange));
    *exchange = x;
    if (!x) return hed_error_set(error, HED_ERROR_MEMORY, "no memory to exchange blocks");
    memset(x, 0, sizeof *x);
    x->live = live;
    hed_status status =
        hed_ring_create(&live->allocator, sizeof(uint64_t), SLOTS, &x->asked, error);
    if (!status)
        status = hed_ring_create(&live->allocator, sizeof(uint64_t), SLOTS, &x->done, error);
    if (!status) status = make_slots(x, error);
    return status ? status : start_thread(x, error);
}

void live_exchange_destroy(live_exchange *x)
{
    if (!x) return;
    atomic_store(&x->stop, true);
    if (x->has_thread) {
        sem_post(&x->wake);
        pthread_join(x->thread, NULL);
    }
    if (x->has_wake) sem_destroy(&x->wake);
    hed_ring_destroy(x->asked);
    hed_ring_destroy(x->done);
    hed_allocator a = x->live->allocator;
    if (x->memory) a.release(a.user, x->memory, x->bytes);
    a.release(a.user, x, sizeof *x);
}
