/* The inside of a player: player.c loads and plays, player_state.c saves and restores. */
#ifndef SYNTH_RT_PLAYER_H
#define SYNTH_RT_PLAYER_H

#include "heddle/synth_player.h"

#include <pthread.h>
#include <stdatomic.h>

#include "events.h"

enum { PLAYER_GAINS = 64 /* turns of the gain in a run */ };
#define PLAYER_LEAST_GAIN (-60.0f) /* dB */
#define PLAYER_MOST_GAIN 12.0f

/* An instrument as its user has given it. */
typedef struct player_source {
    hed_synth_instrument *instrument;
    char *text; /* (size + 1) */
    size_t size;
    char name[128], path[1024];
} player_source;

/* Where macros stand that are not where the instrument has them. */
typedef struct player_macros {
    float values[HED_SYNTH_MACROS];
    uint32_t turned; /* bits of those */
} player_macros;

/* An instrument made ready, as the loading side hands it over. */
typedef struct player_sound {
    hed_allocator allocator;
    hed_synth *synth;
    player_macros macros;
} player_sound;

typedef struct player_gain {
    uint32_t frame;
    float decibels;
} player_gain;

struct hed_synth_player {
    hed_allocator allocator;
    hed_context *context;
    hed_device *device;
    uint32_t block, inputs;
    /* the loading side's, under `lock` */
    pthread_mutex_t lock;
    double rate;
    player_source source;
    char *state; /* (state_room) as given out last */
    size_t state_room;
    /* both sides' */
    _Atomic(player_sound *) next, retired;
    _Atomic float knobs[HED_SYNTH_KNOB_COUNT];
    _Atomic uint32_t turned; /* as player_macros.turned */
    _Atomic int32_t controllers[HED_SYNTH_KNOB_COUNT], learning;
    _Atomic uint32_t latency;
    _Atomic uint64_t played, lost;
    /* the audio thread's */
    player_sound *sounding, *former; /* former: it fades out */
    uint32_t fade_frames, fade_left; /* of a fade: all, and of the one that is on */
    bool say_macros;                 /* the synth that sounds does not know them yet */
    player_macros before;            /* then: as they were before the events of this run */
    synth_events events;
    player_gain gains[PLAYER_GAINS];
    uint32_t gain_count;
    float gain, gain_to, gain_step; /* linear; on the way for `gain_left` frames */
    uint32_t gain_left;
    float *scratch; /* (2 x block) */
};

/* What a restored state has beside the instrument. */
typedef struct player_settings {
    player_macros macros;
    float gain;
    int32_t controllers[HED_SYNTH_KNOB_COUNT];
} player_settings;

/* A source of this text, read and checked. Freed by the caller, after a failure as well. */
hed_status player_make_source(const hed_synth_player *player, const char *text, size_t size,
    const char *name, player_source *source, hed_error *error);
void player_free_source(const hed_allocator *allocator, player_source *source);
/* Takes `source` over, or frees it. `settings` NULL: knobs as the instrument has them. */
hed_status player_take(hed_synth_player *player, player_source *source,
    const player_settings *settings, hed_error *error);

#endif
