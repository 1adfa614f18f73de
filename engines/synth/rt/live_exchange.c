/* Exchange of blocks between the thread that drives a device and the audio thread: blocks in
 * slots, their numbers in two rings. The audio thread submits block n and takes block n - 1. A
 * block that comes too late is dropped, so the latency stays one block. */
#include "live.h"
#include "heddle/author.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>

enum { SLOTS = 4 };

typedef struct exchange_slot {
    uint32_t event_count;
    hed_synth_event *events; /* (SYNTH_EVENT_ROOM) */
    float *inputs;           /* (inputs x block) */
    float *left, *right;     /* (block) */
} exchange_slot;

struct live_exchange {
    hed_synth_live *live;
    /* numbers of submitted and of finished blocks; block n is in slot n % SLOTS */
    hed_ring *asked, *done;
    /* audio thread: number of the next block to submit; number of blocks that have come back */
    uint64_t next, finished;
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
        while (sem_wait(&x->wake) != 0) continue; /* EINTR */
        if (atomic_load(&x->stop)) return NULL;
        if (!hed_ring_pop(x->asked, &number)) continue;
        run_slot(x, number);
        hed_ring_push(x->done, &number); /* cannot fail: the ring has space for every slot */
    }
}

/* ---- the audio thread ---- */

static void live_fill(live_exchange *x, const hed_synth_block *block)
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
    uint64_t number, last = UINT64_MAX, previous = x->next - 1;
    while (hed_ring_pop(x->done, &number)) {
        x->finished++;
        last = number;
    }
    /* false if every slot is in use; the loop above has emptied the ring */
    *taken = x->next - x->finished < SLOTS;
    bool is_finished = x->next == 0 || last == previous;
    if (is_finished && x->next > 0) {
        const exchange_slot *slot = &x->slots[previous % SLOTS];
        memcpy(block->left, slot->left, block->frames * sizeof(float));
        memcpy(block->right, slot->right, block->frames * sizeof(float));
    } else {
        memset(block->left, 0, block->frames * sizeof(float));
        memset(block->right, 0, block->frames * sizeof(float));
    }
    if (*taken) {
        live_fill(x, block);
        hed_ring_push(x->asked, &x->next);
        x->next++;
        sem_post(&x->wake);
    }
    return is_finished;
}

uint32_t live_exchange_behind(const live_exchange *x)
{
    return (uint32_t)(x->next - x->finished) - hed_ring_count(x->done);
}

/* ---- creation ---- */

hed_status live_exchange_create(hed_synth_live *live, live_exchange **exchange, hed_error *error)
{
    live_exchange *x = *exchange = hed_new(&live->allocator, 1, sizeof *x, error);
    if (!x) return error->status;
    x->live = live;
    hed_ring_create(&live->allocator, sizeof(uint64_t), SLOTS, &x->asked, error);
    hed_ring_create(&live->allocator, sizeof(uint64_t), SLOTS, &x->done, error);
    /* memory of the slots: events, inputs and sound, each aligned to 64 bytes */
    size_t sound = (live->block * sizeof(float) + 63) / 64 * 64,
           inputs = (live->inputs * live->block * sizeof(float) + 63) / 64 * 64,
           events = (SYNTH_EVENT_ROOM * sizeof(hed_synth_event) + 63) / 64 * 64;
    x->bytes = SLOTS * (events + inputs + 2 * sound);
    char *memory = x->memory = hed_new(&live->allocator, x->bytes, 1, error);
    if (!memory) return error->status;
    for (uint32_t i = 0; i < SLOTS; i++, memory += events + inputs + 2 * sound)
        x->slots[i] = (exchange_slot){.events = (hed_synth_event *)memory,
            .inputs = (float *)(memory + events), .left = (float *)(memory + events + inputs),
            .right = (float *)(memory + events + inputs + sound)};
    x->has_wake = sem_init(&x->wake, 0, 0) == 0;
    x->has_thread = x->has_wake && pthread_create(&x->thread, NULL, drive, x) == 0;
    if (!x->has_thread)
        return hed_fail(error, HED_ERROR_MEMORY, "no thread to drive the device with");

    /* below the audio thread's priority and above all others, if permitted */
    pthread_setschedparam(x->thread, SCHED_FIFO, &(struct sched_param){.sched_priority = 5});
    return HED_OK;
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
    hed_delete(&a, x->memory, x->bytes, 1);
    hed_delete(&a, x, 1, sizeof *x);
}
