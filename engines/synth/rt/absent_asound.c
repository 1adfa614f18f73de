/* Where ALSA was not there at build time. */
#include "live.h"

#include "support/errors.h"

static hed_status absent_open(const hed_live_def *def, hed_live *live, live_driver **driver, hed_error *error)
{
    (void)def;
    (void)live;
    *driver = NULL;
    return hed_error_set(error, HED_ERROR_UNSUPPORTED, "this Heddle was built without ALSA");
}

const live_driver_ops live_asound_ops = {absent_open, NULL, NULL};
