/* libFuzzer harness for the reader of recorded spaces: whatever is accepted must hold together, and
 * be replayed for a few evaluations. Build with -DHEDDLE_FUZZ=ON.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/tune/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_recorded_space recorded;
    hed_replay_scale scale;
    hed_error error = {0};
    double best[16], seconds[16];
    if (hed_recorded_space_parse("fuzz.tsv", (const char *)data, size, &recorded, &error) != HED_OK)
        return 0;
    if (hed_space_count(recorded.space) != recorded.count || recorded.count == 0) abort();
    for (uint64_t i = 0; i < recorded.count; i++) {
        hed_config config = hed_space_at(recorded.space, i);
        if (hed_space_find(recorded.space, &config) != i || recorded.times[i] <= 0) abort();
    }
    if (hed_replay_measure(&recorded, &scale, &error) == HED_OK) {
        hed_replay_def def = {
            .recorded = &recorded, .scale = &scale, .seed = 1, .evaluations = 16, .open = 1};
        if (hed_replay_run(&def, best, seconds, &error) != HED_OK || !(best[15] >= scale.optimum))
            abort();
    }
    hed_recorded_space_free(&recorded);
    return 0;
}
