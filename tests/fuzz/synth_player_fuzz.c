/* libFuzzer harness for states of players: whatever the text, an error that says something and a
 * player that is as it was, or a state that is saved to the same bytes again and again. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/synth_player.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char first[] = "{\"version\": 1}"; /* an instrument with nothing in it */

static char *saved(hed_synth_player *player)
{
    hed_error error = {0};
    const char *state = hed_synth_player_save(player, NULL, &error);
    if (!state) abort();
    return strdup(state);
}

/* No synth is made: the rate is not known yet. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_error error = {0};
    hed_synth_player_def def = hed_default_synth_player_def();
    hed_synth_player *player;
    if (hed_synth_player_create(&def, &player, &error) ||
        hed_synth_player_load_text(player, first, sizeof first - 1, "first", &error))
        abort();
    char *before = saved(player);
    hed_status status = hed_synth_player_restore(player, (const char *)data, size, &error);
    char *after = saved(player);
    if (status && (!error.text[0] || strcmp(before, after) != 0)) abort();
    error = (hed_error){0};
    if (hed_synth_player_restore(player, after, strlen(after), &error)) abort();
    char *again = saved(player);
    if (strcmp(after, again) != 0) abort();
    free(before);
    free(after);
    free(again);
    hed_synth_player_destroy(player);
    return 0;
}
