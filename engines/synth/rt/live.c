/* Live playing, independent of the driver: starts, stops, changes, reports to the owner; the
 * exchange with the thread that drives a device. */
#include "live.h"
#include "heddle/author.h"

#include <string.h>
#include <time.h>

hed_synth_live_def hed_default_synth_live_def(void)
{
    return (hed_synth_live_def){.driver = HED_SYNTH_LIVE_JACK,
        .name = "heddle",
        .block = 256,
        .rate = 48000,
        .synth = hed_default_synth_def()};
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
    live->latency = report.latency + (live->inputs ? report.input_latency : 0);
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
