/* Internals of players: player.c loads and plays, player_state.c saves and restores. */
#ifndef SYNTH_RT_PLAYER_H
#define SYNTH_RT_PLAYER_H

#include "heddle/synth_player.h"

#include <pthread.h>
#include <stdatomic.h>

#include "events.h"

enum {
    PLAYER_GAINS = 64, /* changes of the gain in a run */
    PLAYER_RING = 2048 /* frames; above the delay of every mix */
};
#define PLAYER_LEAST_GAIN (-60.0f) /* dB */
#define PLAYER_MOST_GAIN 12.0f

/* An instrument as its user loaded it. */
typedef struct player_source {
    hed_synth_instrument *instrument;
    char *text; /* (size + 1) */
    size_t size;
    char name[128], path[1024];
} player_source;

/* Macros that differ from the instrument's initial values. */
typedef struct player_macros {
    float values[HED_SYNTH_MACROS];
    uint32_t turned; /* bit i: values[i] is set */
} player_macros;

/* A synth ready to play, as the loading side passes it to the audio thread. */
typedef struct player_sound {
    hed_allocator allocator;
    hed_synth *synth;
    player_macros macros;
    float **rows; /* (2 x microphones) buffers of the stems in a call */
    uint32_t microphones;
    uint32_t delay; /* frames by which the mix is later than the stems */
    float master;   /* gain of the instrument, linear */
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
    /* owned by the loading side, under `lock` */
    pthread_mutex_t lock;
    double rate;
    player_source source;
    uint64_t number; /* number of sources so far */
    char *state;     /* (state_room) text of the last hed_synth_player_save() */
    size_t state_room;
    /* common to both sides */
    _Atomic(player_sound *) next, retired;
    _Atomic float knobs[HED_SYNTH_KNOB_COUNT];
    _Atomic uint32_t turned; /* bits as in player_macros.turned */
    _Atomic int32_t controllers[HED_SYNTH_KNOB_COUNT], learning;
    _Atomic uint32_t latency, tail; /* frames */
    _Atomic uint64_t played, lost;
    /* notes of the sounding instrument: counts; its keys and the dropped ones, a byte each (low, high,
     * dropped low, dropped high), then the deaf channels */
    _Atomic uint64_t struck, dropped, keys;
    /* owned by the audio thread */
    player_sound *sounding, *former;     /* former: fading out; NULL: none */
    uint32_t fade_frames, fade_left;     /* length of a fade; frames left of the current one */
    float amounts[HED_SYNTH_KNOB_COUNT]; /* modulation of the knobs */
    uint32_t silent;                     /* frames below -140 dB so far */
    uint32_t held;                       /* voices with keys after the last run */
    bool say_macros; /* the sounding synth has not received the macros and the tempo yet */
    float tempo;     /* quarter notes a minute before the events of this run; 0: not received */
    player_macros before; /* macros before the events of this run, for say_macros */
    synth_events events;
    player_gain gains[PLAYER_GAINS];
    uint32_t gain_count;
    float gain, gain_to, gain_step; /* linear; reaches gain_to in `gain_left` frames */
    uint32_t gain_left;
    float *scratch; /* (2 x block) */
    /* stems; owned by the audio thread */
    uint32_t stems;         /* pairs of channels */
    float *stem_rings;      /* (2 x stems x PLAYER_RING) frames to come */
    float *stem_scratch;    /* (2 x stems x block) of the previous instrument */
    float *unheard, *zeros; /* (block) sound that is left out; silence */
    uint32_t stem_place;    /* frame in the rings */
};

/* Settings of a restored state, in addition to the instrument. */
typedef struct player_settings {
    player_macros macros;
    float gain;
    int32_t controllers[HED_SYNTH_KNOB_COUNT];
} player_settings;

/* ---- player_stems.c: the sound of single microphones, in time with the mix ---- */

/* Makes the memory of player->stems. Errors: MEMORY. */
hed_status player_stems_create(hed_synth_player *player, hed_error *error);
void player_stems_destroy(hed_synth_player *player);
void player_stems_reset(hed_synth_player *player);
/* Makes the rows of a sound, or frees them. Errors: MEMORY. */
hed_status player_stems_open(player_sound *sound, hed_error *error);
void player_stems_close(player_sound *sound);
/* Returns the buffers of a sound's stems: `stems` from frame `done` on, or with `fades` the scratch.
 * NULL: no stems are asked for. Thread class: rt. */
float *const *player_stems_rows(const hed_synth_player *player, const player_sound *sound,
    float *const *stems, uint32_t done, bool fades);
/* Applies the gain of the sounding instrument to played frames; microphones that it lacks are silent. */
void player_stems_play(
    const hed_synth_player *player, float *const *stems, uint32_t done, uint32_t frames);
/* Adds the previous instrument's stems, of which fade_left frames are left before these. */
void player_stems_fade(
    const hed_synth_player *player, float *const *stems, uint32_t done, uint32_t frames);
/* Delays all frames of a run as the mix is. */
void player_stems_delay(hed_synth_player *player, float *const *stems, uint32_t frames);

/* Reads and checks an instrument's text. The caller frees the source, after a failure too. */
hed_status player_make_source(const hed_synth_player *player, const char *text, size_t size,
    const char *name, player_source *source, hed_error *error);
void player_free_source(const hed_allocator *allocator, player_source *source);
/* Takes ownership of `source`, or frees it. `settings` NULL: knobs start at the instrument's
 * values. */
hed_status player_take(hed_synth_player *player, player_source *source,
    const player_settings *settings, hed_error *error);
/* Takes ownership of a source in place of the present one, or frees it; name, path and knobs stay. */
hed_status player_take_edited(hed_synth_player *player, player_source *source, hed_error *error);

#endif
