/* Processing of a block with pending changes, and the end of playing: for the audio thread and for
 * the thread that drives a device. */
#include "live.h"

#include <string.h>

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
