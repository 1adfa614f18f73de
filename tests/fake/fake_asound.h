/* ALSA without hardware: a library in front of libasound (HEDDLE_ALSA_LIBRARY), with a card that
 * plays as far as a test lets it and captures a signal that is known, and a sequencer with a few
 * ports. What it does not define is found in libasound, which it is linked with. */
#ifndef HED_TESTS_FAKE_ASOUND_H
#define HED_TESTS_FAKE_ASOUND_H

#include "engines/synth/rt/asound_api.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_ASOUND_FRAMES = 48000, FAKE_ASOUND_EVENTS = 64 };

typedef struct fake_asound_control {
    /* Called by the test: as new, floats, two channels, and no limit; an event comes, stamped with
     * a time of hed_now(). */
    void (*start)(void);
    void (*send)(const snd_seq_event_t *event, uint64_t time);
    /* Set by the test. */
    /* this call of those that open, by `calls`, returns `code`; 0: none */
    int64_t fail_call;
    _Atomic(const char *) fail_name; /* every call of this function; NULL: none */
    int code;                        /* what they return */
    snd_pcm_format_t format;         /* the one that the card takes */
    unsigned channels;               /* that it captures */
    bool no_sequencer;
    snd_pcm_uframes_t most;      /* frames of a read; 0: all that it is asked for */
    _Atomic uint64_t allowed;    /* frames that it plays; then it waits */
    _Atomic int64_t break_read;  /* an xrun at this frame, once; -1: none */
    _Atomic int64_t break_write; /* likewise */
    /* Told by the fake. */
    int64_t calls;
    const char *failed;   /* the call that was `fail_call` */
    _Atomic int64_t live; /* handles and structures */
    snd_seq_addr_t connected;
    bool linked;
    _Atomic uint64_t written, captured; /* frames */
    _Atomic uint64_t begun;             /* when the last write came back, ns */
    _Atomic bool waiting;               /* in a write */
    bool played_out;                    /* the card was waited for before it was closed */
    _Atomic uint32_t drained;           /* events that were taken when there was no more */
    float heard[2][FAKE_ASOUND_FRAMES]; /* what was written */
} fake_asound_control;

/* The symbol of it. */
#define FAKE_ASOUND_CONTROL "fake_asound"

/* What the card captures: exact in every format. */
static inline float fake_asound_signal(uint64_t frame, uint32_t channel)
{
    return ((float)((frame * 37 + channel * 101) % 256) - 128.0f) / 256.0f;
}

#endif
