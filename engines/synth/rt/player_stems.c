/* Stems of a player: the sound of each microphone by itself, with the instrument's gain, and as late as
 * the mix, whose limiter looks ahead. */
#include "heddle/author.h"
#include "heddle/math.h"
#include "player.h"

#include <string.h>

hed_status player_stems_create(hed_synth_player *player, hed_error *error)
{
    const hed_allocator *a = &player->allocator;
    uint64_t channels = 2ull * player->stems;
    player->stem_rings = hed_new(a, channels * PLAYER_RING, sizeof(float), error);
    player->stem_scratch = hed_new(a, channels * player->block, sizeof(float), error);
    player->unheard = hed_new(a, player->block, sizeof(float), error);
    player->zeros = hed_new(a, player->block, sizeof(float), error);
    return error->status;
}

void player_stems_destroy(hed_synth_player *player)
{
    const hed_allocator *a = &player->allocator;
    uint64_t channels = 2ull * player->stems;
    hed_delete(a, player->stem_rings, channels * PLAYER_RING, sizeof(float));
    hed_delete(a, player->stem_scratch, channels * player->block, sizeof(float));
    hed_delete(a, player->unheard, player->block, sizeof(float));
    hed_delete(a, player->zeros, player->block, sizeof(float));
}

void player_stems_reset(hed_synth_player *player)
{
    if (player->stems)
        memset(player->stem_rings, 0, 2ull * player->stems * PLAYER_RING * sizeof(float));
}

hed_status player_stems_open(player_sound *sound, hed_error *error)
{
    hed_synth_info info;
    info = hed_synth_describe(sound->synth);
    sound->microphones = info.microphones;
    sound->delay = info.latency - info.stem_latency;
    sound->rows = hed_new(&sound->allocator, 2ull * sound->microphones, sizeof *sound->rows, error);
    return error->status;
}

void player_stems_close(player_sound *sound)
{
    hed_delete(&sound->allocator, sound->rows, 2ull * sound->microphones, sizeof *sound->rows);
}

float *const *player_stems_rows(const hed_synth_player *player, const player_sound *sound,
    float *const *stems, uint32_t done, bool fades)
{
    if (!stems) return NULL;
    for (uint32_t k = 0; k < 2 * sound->microphones; k++)
        sound->rows[k] = k >= 2 * player->stems ? player->unheard
                         : fades                ? player->stem_scratch + (uint64_t)k * player->block
                                                : stems[k] + done;
    return sound->rows;
}

/* Returns the number of a sound's channels that are stems. */
static uint32_t count_channels(const hed_synth_player *player, const player_sound *sound)
{
    return 2 * (sound->microphones < player->stems ? sound->microphones : player->stems);
}

void player_stems_play(
    const hed_synth_player *player, float *const *stems, uint32_t done, uint32_t frames)
{
    const player_sound *sound = player->sounding;
    uint32_t channels = stems ? count_channels(player, sound) : 0;
    for (uint32_t k = 0; stems && k < 2 * player->stems; k++)
        for (uint32_t n = done; n < done + frames; n++)
            stems[k][n] = k < channels ? sound->master * stems[k][n] : 0.0f;
}

void player_stems_fade(
    const hed_synth_player *player, float *const *stems, uint32_t done, uint32_t frames)
{
    const player_sound *sound = player->former;
    uint32_t channels = stems ? count_channels(player, sound) : 0;
    for (uint32_t k = 0; k < channels; k++) {
        const float *from = player->stem_scratch + (uint64_t)k * player->block;
        for (uint32_t n = 0; n < frames; n++) {
            float fraction = (float)(player->fade_left - n) / (float)player->fade_frames;
            stems[k][done + n] += fraction * sound->master * from[n];
        }
    }
}

void player_stems_delay(hed_synth_player *player, float *const *stems, uint32_t frames)
{
    if (!stems) return;
    uint32_t delay =
        player->sounding->delay < PLAYER_RING ? player->sounding->delay : PLAYER_RING - 1;
    for (uint32_t k = 0; k < 2 * player->stems; k++) {
        float *ring = player->stem_rings + (uint64_t)k * PLAYER_RING;
        for (uint32_t n = 0; n < frames; n++) {
            uint32_t at = player->stem_place + n;
            ring[at % PLAYER_RING] = stems[k][n];
            stems[k][n] = ring[(at - delay) % PLAYER_RING];
        }
    }
    player->stem_place += frames;
}
