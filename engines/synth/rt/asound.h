/* The inside of playing through ALSA: a card that plays and captures, and the sequencer that MIDI
 * comes from. */
#ifndef SYNTH_LIVE_ASOUND_H
#define SYNTH_LIVE_ASOUND_H

#include "asound_api.h"
#include "live.h"

/* A direction of the card. */
typedef struct asound_stream {
    snd_pcm_t *pcm; /* NULL: not open */
    snd_pcm_format_t format;
    uint32_t channels;
} asound_stream;

struct live_driver {
    asound_api api;
    hed_synth_live *live;
    /* the card */
    asound_stream playback, capture; /* without a capture what comes in is silence */
    float *left, *right, *inputs[LIVE_MOST_INPUTS];
    void *period; /* (block x channels) in the card's format */
    size_t bytes; /* of all of them, one allocation from `left` on */
    /* MIDI */
    snd_seq_t *seq; /* NULL: no sequencer here */
    snd_midi_event_t *decoder;
    snd_seq_queue_status_t *status;
    int port, queue; /* events come to this port, with this queue's time */
    /* threads */
    pthread_t player, listener;
    bool has_player, has_listener;
    _Atomic bool stop;
};

/* ---- asound_card.c ---- */

/* Opens it, and says at which rate and block it plays. */
hed_status asound_card_open(live_driver *d, const hed_synth_live_def *def, hed_error *error);
void asound_card_close(live_driver *d);
/* Plays silence while the first block comes in, which is answered only then. Audio thread. */
void asound_card_begin(live_driver *d);
/* Takes a block of `inputs`, or hands one of `left` and `right` over; false: the card is gone.
 * Audio thread. */
bool asound_card_read(live_driver *d);
bool asound_card_write(live_driver *d);

/* ---- asound_midi.c ---- */

/* A client with a port, connected from the one that was named. No sequencer is no error unless one
 * was. */
hed_status asound_midi_open(live_driver *d, const hed_synth_live_def *def, hed_error *error);
void asound_midi_close(live_driver *d);
/* Waits a while for events and hands them on; false: the sequencer is gone. */
bool asound_midi_read(live_driver *d);

#endif
