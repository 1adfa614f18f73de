/* Names and defaults of tuning: see include/heddle/tune.h. */
#include "heddle/tune.h"

const char *hed_outcome_name(hed_outcome outcome)
{
    static const char *const names[HED_OUTCOME_COUNT] = {
        [HED_OUTCOME_MEASURED] = "measured",
        [HED_OUTCOME_DROPPED] = "dropped",
        [HED_OUTCOME_INVALID] = "invalid",
        [HED_OUTCOME_BUILD] = "build",
        [HED_OUTCOME_LAUNCH] = "launch",
        [HED_OUTCOME_WRONG] = "wrong",
        [HED_OUTCOME_CRASHED] = "crashed",
        [HED_OUTCOME_HUNG] = "hung",
        [HED_OUTCOME_IMPOSSIBLE] = "impossible",
    };
    return (unsigned)outcome < HED_OUTCOME_COUNT ? names[outcome] : NULL;
}

const char *hed_tune_end_name(hed_tune_end end)
{
    static const char *const names[] = {
        [HED_TUNE_EVALUATIONS] = "evaluations",
        [HED_TUNE_SECONDS] = "seconds",
        [HED_TUNE_GOOD_ENOUGH] = "good enough",
        [HED_TUNE_NO_GAIN] = "no gain",
        [HED_TUNE_EXHAUSTED] = "exhausted",
        [HED_TUNE_STOPPED] = "stopped",
        [HED_TUNE_LOST] = "lost",
    };
    return (unsigned)end < sizeof names / sizeof names[0] ? names[end] : NULL;
}

hed_tune_def hed_default_tune_def(void) { return (hed_tune_def){.evaluations = 200, .keep = true}; }
