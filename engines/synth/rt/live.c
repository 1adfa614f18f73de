/* Playing live: the part that no driver differs in. */
#include "heddle/synth_live.h"

#include "support/errors.h"

hed_live_def hed_default_live_def(void)
{
    return (hed_live_def){.driver = HED_LIVE_JACK, .name = "heddle", .block = 256, .rate = 48000, .synth = hed_default_synth_def()};
}

hed_status hed_live_start(const hed_live_def *def, hed_live **live, hed_error *error)
{
    (void)def;
    *live = NULL;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "playing live: not there yet");
}

bool hed_live_event(hed_live *live, const hed_synth_event *event)
{
    (void)live;
    (void)event;
    return false;
}

hed_status hed_live_change(hed_live *live, const hed_instrument *instrument, hed_error *error)
{
    (void)live;
    (void)instrument;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "playing live: not there yet");
}

hed_status hed_live_get_report(hed_live *live, hed_live_report *report, hed_error *error)
{
    (void)live;
    *report = (hed_live_report){0};
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "playing live: not there yet");
}

void hed_live_stop(hed_live *live)
{
    (void)live;
}
