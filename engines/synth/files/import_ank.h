/* Contents of a preset of Anukari's published schema, version 0.9.6, as in the file;
 * import_wire.c has the field numbers. Missing values are zero, as proto2 specifies. */
#ifndef SYNTH_IMPORT_ANK_H
#define SYNTH_IMPORT_ANK_H

#include "model/synth_model.h"
#include "heddle/synth_file.h"
#include "heddle/base.h"

/* Protobuf's wire format, read into structs by tables. Three of its wire types are supported
 * (varint, 32 bits, length and bytes); 64-bit values are skipped, and so are fields that no
 * table lists, as the format requires. */

typedef enum synth_wire_kind {
    SYNTH_WIRE_FLOAT,
    SYNTH_WIRE_WHOLE,   /* varint, the low 32 bits as int32_t */
    SYNTH_WIRE_FLAG,    /* varint, as bool */
    SYNTH_WIRE_MESSAGE, /* a struct in the struct */
    SYNTH_WIRE_LIST     /* a repeated message: a synth_wire_list */
} synth_wire_kind;

typedef struct synth_wire_message synth_wire_message;

/* A field: its number in the file, and the offset of its value in the struct. */
typedef struct synth_wire_field {
    uint32_t number; /* 0 ends a table */
    synth_wire_kind kind;
    size_t offset;
    const synth_wire_message *message; /* MESSAGE, LIST */
    /* member of a oneof: 1 + offset of the int32_t that receives its number; 0: no oneof */
    size_t choice;
} synth_wire_field;

struct synth_wire_message {
    const char *name;
    size_t size;
    const synth_wire_field *fields;
};

typedef struct synth_wire_list {
    void *items;
    uint32_t count, capacity;
} synth_wire_list;

enum { SYNTH_WIRE_MOST = 1 << 20 }; /* items of a list */

/* Reads a message into `out`, which must be zeroed; free it with synth_wire_free() even after an
 * error. Errors: FORMAT (with the byte), LIMIT, MEMORY. */
hed_status synth_wire_read(const synth_wire_message *message, const void *bytes, size_t size,
    const char *name, void *out, hed_error *error);
/* Frees the lists in a message. */
void synth_wire_free(const synth_wire_message *message, void *out);

/* Kinds of things that a preset numbers; the values are the field numbers in an id. */
typedef enum synth_ank_kind {
    ANK_NOTHING,
    ANK_GLOBAL,
    ANK_LINK,
    ANK_BODY,
    ANK_SENSOR,
    ANK_EXCITER,
    ANK_MODULATOR,
    ANK_KINDS
} synth_ank_kind;

typedef struct synth_ank_id {
    int32_t kind; /* synth_ank_kind */
    int32_t number;
} synth_ank_id;

typedef struct synth_ank_vector {
    float x, y, z;
} synth_ank_vector;

typedef struct synth_ank_envelope {
    float attack, decay, sustain, release;
} synth_ank_envelope;

/* Kinds of links: field numbers of the oneof. */
enum {
    ANK_LINK_SPRING = 3,
    ANK_LINK_EXCITER = 4,
    ANK_LINK_SENSOR = 5,
    ANK_LINK_MODULATOR = 6,
    ANK_LINK_DELAY = 7,
};

typedef struct synth_ank_ends {
    synth_ank_id a, b;
} synth_ank_ends;

typedef struct synth_ank_link {
    int32_t id, what;
    synth_ank_ends ends;
    struct {
        float stiffness, neutral_length;
    } spring;
    struct {
        int32_t operand;
        float depth;
        bool exponential, multiply, invert;
    } modulator;
    struct {
        float seconds;
    } delay;
} synth_ank_link;

typedef struct synth_ank_body {
    int32_t id;
    synth_ank_vector position;
    float mass, damping, damping_by_time, damping_by_mass;
    bool anchored;
} synth_ank_body;

typedef struct synth_ank_compressor {
    float threshold, ratio, attack, release, makeup;
} synth_ank_compressor;

typedef struct synth_ank_sensor {
    int32_t id;
    synth_ank_vector position;
    synth_ank_vector normal;
    float gain, pan, directionality, isotropy;
    bool heard;
    synth_ank_compressor compressor;
} synth_ank_sensor;

enum {
    ANK_MALLET = 4,
    ANK_AUDIO = 5,
    ANK_OSCILLATOR = 6,
    ANK_BOW = 7,
    ANK_PLECTRUM = 8,
};

typedef struct synth_ank_exciter {
    int32_t id, what;
    synth_ank_vector normal;
    float velocity_sensitivity;
    struct {
        float impulse, soft, hard, noise;
    } mallet;
    struct {
        bool external, gated;
        int32_t channel;
        float gain, delay;
        synth_ank_envelope envelope;
    } audio;
    struct {
        float gain, detune, pulse_width;
        int32_t wave, octave, semitone;
        synth_ank_envelope envelope;
    } oscillator;
    struct {
        float draw_velocity, dropoff, stiction;
        synth_ank_envelope envelope;
    } bow;
    struct {
        float distance, duration;
    } plectrum;
} synth_ank_exciter;

enum {
    ANK_CONTROLLER = 4,
    ANK_LFO = 5,
    ANK_TRIGGER = 6,
    ANK_BEND = 8,
    ANK_PRESSURE = 9,
    ANK_AFTERTOUCH = 10,
    ANK_VELOCITY = 11,
    ANK_NOTE = 12,
    ANK_HOST = 13,
    ANK_FOLLOWER = 14,
};

typedef struct synth_ank_modulator {
    int32_t id, what;
    struct {
        float smoothing;
        int32_t phase, centre; /* phase of velocity; centre of notes */
    } midi;
    struct {
        int32_t wave, sync;
        bool synced, retrigger, dilated;
        float frequency, pulse_width, phase;
    } lfo;
    struct {
        synth_ank_envelope envelope;
    } trigger;
    struct {
        float attack, release;
    } follower;
} synth_ank_modulator;

/* MIDI events: none (all of a channel), notes, a controller. The values are field numbers. */
enum {
    ANK_EVENT_NONE = 2,
    ANK_EVENT_NOTE = 3,
    ANK_EVENT_CONTROLLER = 4,
    ANK_ANY_CHANNEL = 1111111,
    ANK_ANY_NOTE = 1111112
};

typedef struct synth_ank_event {
    int32_t channel, what, number;
} synth_ank_event;

typedef struct synth_ank_route {
    synth_ank_event event;
    synth_wire_list targets; /* synth_ank_id */
} synth_ank_route;

typedef struct synth_ank_host {
    int32_t id;
    synth_wire_list targets; /* synth_ank_id */
} synth_ank_host;

typedef struct synth_ank_model {
    synth_wire_list links, bodies, sensors, exciters, modulators, routes, hosts;
    int32_t mode, voices, zone, zone_channels, bend_channel, bend_semitones, note_bend_semitones;
    int32_t ranged; /* not 0: `notes` is present */
    bool bends;
    struct {
        int32_t low, high;
    } notes;
    float beats_a_second, gain, pan, wet, limit, limit_release;
} synth_ank_model;

extern const synth_wire_message synth_ank_schema; /* describes a synth_ank_model */

/* An item of the preset, and the entities made from it: several if it responds to several ranges
 * of notes, or has several sources of sound. */
typedef struct synth_imported {
    int32_t number;
    uint32_t place; /* index in the model's list */
    hed_synth_entity first;
    uint32_t copies; /* 0: not imported */
    /* results of surveying the links: */
    /* exciters: number of free bodies that they excite; number of delay lines that feed them */
    uint32_t linked, lines;
    float lightest;              /* mass of the lightest body in `linked`, kg */
    uint32_t used;               /* audio inputs: number of copies that have their source */
    hed_synth_entity microphone; /* followers: the followed microphone */
} synth_imported;

/* An item that a route addresses. */
typedef struct synth_ank_target {
    synth_ank_id id;
    /* index of the MIDI route; host parameters are numbered after the MIDI routes */
    uint32_t route;
} synth_ank_target;

/* An import in progress: the entities that each item of the file has become. */
typedef struct synth_import {
    const synth_ank_model *model;
    hed_synth_instrument *instrument;
    hed_synth_import_info *report;
    synth_imported *imported[ANK_KINDS]; /* (counts) in order of `number` */
    uint32_t counts[ANK_KINDS];
    synth_ank_target *targets; /* (target_count) in order of kind, number, route */
    uint32_t target_count;
    const char *name;
    hed_error *error;
} synth_import;

/* Finds an imported item by its id; NULL: unknown. */
synth_imported *synth_imported_find(const synth_import *import, synth_ank_id id);
/* Adds a line to the report: about a changed value, or about a part that is not imported. */
void synth_import_tell(synth_import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void synth_import_leave_out(synth_import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds `copies` entities, one for each route, with their values clamped to the ranges. An entity
 * that fails for another reason is reported and not imported. Errors: LIMIT, MEMORY. */
hed_status synth_import_add(synth_import *import, synth_imported *imported,
    hed_synth_entity_def *def, const hed_synth_route *routes, uint32_t copies);

/* import_entities.c: imports all items but links, bodies first. Errors: LIMIT, MEMORY. */
hed_status synth_import_entities(synth_import *import);
/* import_links.c: imports springs, links of exciters and microphones, modulation and delay
 * lines. Errors: LIMIT, MEMORY. */
hed_status synth_import_links(synth_import *import);
/* import_links.c: sorts the targets of routes. Errors: MEMORY. */
hed_status synth_import_sort_routes(synth_import *import);
/* Collects the routes by which notes reach an exciter or modulator; returns their number. */
enum { SYNTH_MOST_ROUTES = 64 };
uint32_t synth_import_routes(
    synth_import *import, synth_ank_id id, hed_synth_route routes[SYNTH_MOST_ROUTES]);
/* Finds the first controller, or the first host parameter, that is routed to a modulator. False:
 * none is. */
bool synth_import_controller(
    synth_import *import, synth_ank_id id, uint32_t *number, hed_synth_route *route);
bool synth_import_host(const synth_import *import, synth_ank_id id, uint32_t *number);

/* A value that is being clamped to its range, and its owner for the report. */
typedef struct synth_fitting {
    synth_import *im;
    const char *of, *key;
} synth_fitting;

/* Clamps a member to its range, and reports the change. */
void synth_import_fit(const synth_fitting *f, const hed_field *field, void *at);

#endif
