/* Live playing, independent of the driver: gives events their frames, plays blocks, and reports
 * to the owner. */
#include "live.h"
#include "heddle/author.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <sched.h>
#include <semaphore.h>

hed_synth_live_def hed_default_synth_live_def(void)
{
    return (hed_synth_live_def){.driver = HED_SYNTH_LIVE_JACK,
        .name = "heddle",
        .block = 256,
        .rate = 48000,
        .synth = hed_default_synth_def()};
}

/* ---- events ---- */

/* Adds an event to the next block. */
static void add_event(hed_synth_live *live, const hed_synth_event *event)
{
    if (!synth_events_add(live->pending, event)) atomic_fetch_add(&live->lost, 1);
}

/* Moves events that arrived during the previous block to this block, at the same distance from
 * its beginning: one block of latency, without jitter. */
static void take_events(hed_synth_live *live, hed_ring *ring, uint64_t now)
{
    live_timed timed;
    while (live->pending->count < SYNTH_EVENT_ROOM && hed_ring_pop(ring, &timed)) {
        uint64_t since =
            timed.time > live->previous && live->previous ? timed.time - live->previous : 0;
        uint64_t frame =
            (timed.time < now ? since : now - live->previous) * live->rate / 1000000000u;
        timed.event.frame = frame < live->block ? (uint32_t)frame : live->block - 1;
        add_event(live, &timed.event);
    }
}

void live_midi_at(hed_synth_live *live, uint32_t frame, const uint8_t *bytes, uint32_t size)
{
    hed_synth_event event;
    if (!synth_events_from_midi(bytes, size, &event)) return;
    event.frame = frame < live->block ? frame : live->block - 1;
    add_event(live, &event);
}

static bool push(hed_synth_live *live, hed_ring *ring, uint64_t ago, const hed_synth_event *event)
{
    live_timed timed = {hed_now() - ago, *event};
    bool pushed = hed_ring_push(ring, &timed);
    if (!pushed) atomic_fetch_add(&live->lost, 1);
    return pushed;
}

void live_midi_ago(hed_synth_live *live, uint64_t ago, const uint8_t *bytes, uint32_t size)
{
    hed_synth_event event;
    if (synth_events_from_midi(bytes, size, &event)) push(live, live->midi, ago, &event);
}

bool hed_synth_live_event(hed_synth_live *live, const hed_synth_event *event)
{
    if (!live || !event) return false;
    return push(live, live->events, 0, event);
}

/* ---- a block ---- */

void live_end(hed_synth_live *live, hed_status status, const char *text)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong(&live->ended, &expected, 1)) return;
    live->end.status = status;
    live->end.log[0] = 0;
    size_t size = strnlen(text, sizeof live->end.text - 1);
    memcpy(live->end.text, text, size);
    live->end.text[size] = 0;
    atomic_store(&live->ended, 2);
}

/* Applies a pending change, and reports ten times a second. */
static void before_process(hed_synth_live *live)
{
    int expected = LIVE_CHANGE_ASKED;
    if (atomic_compare_exchange_strong(&live->change_state, &expected, LIVE_CHANGE_TAKEN)) {
        hed_error_clear(&live->change_error); /* error of an earlier change */
        live->change_status = hed_synth_apply(live->synth, live->change, &live->change_error);
        atomic_store(&live->change_state, LIVE_CHANGE_DONE);
    }
    if (live->until_synth-- > 0) return;
    live->until_synth = live->rate / live->block / 10;
    hed_synth_info report;
    report = hed_synth_describe(live->synth);
    hed_ring_push(live->synths, &report); /* full: the owner does not read reports */
}

void live_process(hed_synth_live *live, hed_synth_block *block, hed_error *error)
{
    before_process(live);
    hed_status status = hed_synth_process(live->synth, block, error);
    if (status == HED_ERROR_ARGUMENT && block->event_count > 0) {
        /* the synth rejects an event, for example of a removed entity: drop all events of the
         * block and play on */
        atomic_fetch_add(&live->lost, block->event_count);
        block->event_count = 0;
        hed_error_clear(error);
        status = hed_synth_process(live->synth, block, error);
    }
    if (status) live_end(live, status, error->text);
    else atomic_fetch_add(&live->played, block->event_count);
}

static void silence(uint32_t frames, float *left, float *right)
{
    memset(left, 0, frames * sizeof *left);
    memset(right, 0, frames * sizeof *right);
}

/* Plays the block of the pending events, in this thread or in the device's. */
static void live_play_block(hed_synth_live *live, hed_synth_block *block)
{
    bool taken = true;
    if (live->exchange) {
        if (!live_exchange_block(live->exchange, block, &taken)) atomic_fetch_add(&live->late, 1);
    } else {
        live_process(live, block, &live->error);
    }
    if (taken) live->pending->count = 0;
    /* not taken: the events go into the next block */
    for (uint32_t i = 0; i < live->pending->count; i++) live->pending->at[i].frame = 0;
}

static void fade_out(hed_synth_live *live, uint32_t frames, float *left, float *right)
{
    if (atomic_load(&live->faded)) {
        silence(frames, left, right);
        return;
    }
    for (uint32_t n = 0; n < frames; n++) {
        float share = (float)(frames - 1 - n) / (float)frames;
        left[n] *= share;
        right[n] *= share;
    }
    atomic_store(&live->faded, true);
}

void live_play(
    hed_synth_live *live, uint32_t frames, const float *const *inputs, float *left, float *right)
{
    uint64_t begin = hed_now();
    if (frames != live->block)
        live_end(live, HED_ERROR_IO, "the sound driver has changed its block: start again");
    if (atomic_load(&live->ended)) {
        silence(frames, left, right);
        atomic_store(&live->faded, true);
        return;
    }
    take_events(live, live->events, begin);
    take_events(live, live->midi, begin);
    live->previous = begin;
    hed_synth_block block = {.frames = frames, .left = left, .right = right, .inputs = inputs};
    block.events = live->pending->at;
    block.event_count = live->pending->count;
    live_play_block(live, &block);
    if (atomic_load(&live->stopping)) fade_out(live, frames, left, right);
    hed_meter_add(&live->load, hed_now() - begin);
    if (live->until_report-- > 0) return;
    live->until_report = live->rate / live->block / 10;
    hed_meter_info report = hed_meter_describe(&live->load);
    hed_ring_push(live->loads, &report);
}

/* ---- starting and stopping ---- */

static hed_status make_rings(hed_synth_live *live, hed_error *error)
{
    const hed_allocator *a = &live->allocator;
    hed_ring_create(a, sizeof(live_timed), SYNTH_EVENT_ROOM, &live->events, error);
    hed_ring_create(a, sizeof(live_timed), SYNTH_EVENT_ROOM, &live->midi, error);
    hed_ring_create(a, sizeof(hed_meter_info), 4, &live->loads, error);
    hed_ring_create(a, sizeof(hed_synth_info), 4, &live->synths, error);
    live->pending = hed_new(a, 1, sizeof *live->pending, error);
    return error->status;
}

static hed_status make_synth(hed_synth_live *live, const hed_synth_live_def *def, hed_error *error)
{
    hed_synth_def synth = def->synth;
    synth.rate = live->rate;
    synth.block = live->block;
    synth.max_events = SYNTH_EVENT_ROOM;
    hed_status status = hed_synth_create(def->device, &synth, &live->synth, error);
    if (status) return status;
    hed_synth_info report;
    report = hed_synth_describe(live->synth);
    live->latency = report.latency;
    if (report.solver != HED_SYNTH_SOLVER_CPU) {
        live->latency += live->block;
        status = live_exchange_create(live, &live->exchange, error);
    }
    live->report = (hed_synth_live_info){
        .rate = live->rate, .block = live->block, .latency = live->latency, .synth = report};
    hed_meter_reset(&live->load, (uint64_t)(live->block * 1e9 / live->rate));
    return status;
}

hed_status hed_synth_live_open(
    const hed_synth_live_def *def, hed_synth_live **live, hed_error *error)
{
    HED_REQUIRE(def, live);
    *live = NULL;
    if (!def->device || !def->name || def->synth.inputs > LIVE_MOST_INPUTS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "playing live needs a device, a name, and at most %d inputs", LIVE_MOST_INPUTS);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    hed_allocator allocator = hed_context_describe(hed_device_context(def->device)).allocator;
    hed_synth_live *created = hed_new(&allocator, 1, sizeof *created, error);
    if (!created) return error->status;
    created->allocator = allocator;
    created->ops = def->driver == HED_SYNTH_LIVE_ALSA ? &live_asound_ops : &live_jack_ops;
    created->inputs = def->synth.inputs;
    if (make_rings(created, error) || created->ops->open(def, created, &created->driver, error) ||
        make_synth(created, def, error) || created->ops->start(created->driver, def, error)) {
        atomic_store(&created->faded, true); /* skip the wait for the fade: no sound yet */
        hed_synth_live_close(created);
        return error->status;
    }
    *live = created;
    return HED_OK;
}

static void sleep_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

void hed_synth_live_close(hed_synth_live *live)
{
    if (!live) return;
    atomic_store(&live->stopping, true);
    /* wait for the fade, but at most half a second: the server may have stopped calling */
    for (uint32_t i = 0; i < 500 && !atomic_load(&live->faded); i++) sleep_milliseconds(1);
    if (live->driver) live->ops->close(live->driver);
    live_exchange_destroy(live->exchange);
    hed_synth_destroy(live->synth);
    hed_ring_destroy(live->events);
    hed_ring_destroy(live->midi);
    hed_ring_destroy(live->loads);
    hed_ring_destroy(live->synths);
    hed_allocator a = live->allocator;
    hed_delete(&a, live->pending, 1, sizeof *live->pending);
    hed_delete(&a, live, 1, sizeof *live);
}

/* ---- the owner's side ---- */

hed_status hed_synth_live_change(
    hed_synth_live *live, const hed_synth_instrument *instrument, hed_error *error)
{
    HED_REQUIRE(live, instrument);
    hed_status status = hed_synth_prepare(live->synth, instrument, &live->change, error);
    if (status) return status;
    atomic_store(&live->change_state, LIVE_CHANGE_ASKED);
    for (uint32_t i = 0; i < 2000 && atomic_load(&live->change_state) != LIVE_CHANGE_DONE; i++)
        sleep_milliseconds(1);
    int expected = LIVE_CHANGE_ASKED;
    if (atomic_compare_exchange_strong(&live->change_state, &expected, LIVE_CHANGE_NONE)) {
        status = hed_fail(error, HED_ERROR_TIMEOUT,
            "the driver has asked for no sound in two seconds: the instrument stays as it was");
    } else {
        while (atomic_load(&live->change_state) != LIVE_CHANGE_DONE) sleep_milliseconds(1);
        status = live->change_status;
        if (status && error) *error = live->change_error;
    }
    atomic_store(&live->change_state, LIVE_CHANGE_NONE);
    hed_synth_change_destroy(live->change);
    live->change = NULL;
    return status;
}

hed_status hed_synth_live_measure(
    hed_synth_live *live, hed_synth_live_info *report, hed_error *error)
{
    HED_REQUIRE(live, report);
    while (hed_ring_pop(live->loads, &live->report.load)) continue;
    while (hed_ring_pop(live->synths, &live->report.synth)) continue;
    *report = live->report;
    report->xruns = atomic_load(&live->xruns);
    report->late = atomic_load(&live->late);
    report->events = atomic_load(&live->played);
    report->events_lost = atomic_load(&live->lost);
    if (atomic_load(&live->ended) != 2) return HED_OK;
    if (error) *error = live->end;
    return live->end.status;
}

/* Exchange of blocks between the thread that drives a device and the audio thread: blocks in
 * slots, their numbers in two rings. The audio thread submits block n and takes block n - 1. A
 * block that comes too late is dropped, so the latency stays one block. */

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
