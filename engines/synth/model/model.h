/* The inside of a hed_instrument: arrays by type, and a table from entity numbers to places in them. model/instrument.c keeps it. */
#ifndef SYNTH_MODEL_H
#define SYNTH_MODEL_H

#include "heddle/synth.h"

/* Where an entity is; type HED_ENTITY_TYPE_COUNT: removed. */
typedef struct synth_place {
    uint32_t type, index;
} synth_place;

/* An exciter or microphone to a body, or an audio input to its delay line. */
typedef struct synth_link {
    hed_entity from, to;
    float weight;
} synth_link;

typedef struct synth_name {
    hed_entity entity;
    char *text;
} synth_name;

/* The arrays hold definitions in the order they were added; ids[type][i] is the entity of element i. Bodies and springs by the million: so no
 * entity has more than its definition, its number and its place. */
struct hed_instrument {
    hed_allocator allocator;
    hed_instrument_def def;
    uint32_t counts[HED_ENTITY_TYPE_COUNT], capacities[HED_ENTITY_TYPE_COUNT];
    hed_entity *ids[HED_ENTITY_TYPE_COUNT];
    hed_body_def *bodies;
    hed_spring_def *springs;
    hed_microphone_def *microphones;
    hed_mallet_def *mallets;
    hed_plectrum_def *plectrums;
    hed_bow_def *bows;
    hed_oscillator_def *oscillators;
    hed_audio_input_def *audio_inputs;
    hed_lfo_def *lfos;
    hed_envelope_def *envelopes;
    hed_follower_def *followers;
    hed_midi_source_def *midi_sources;
    hed_delay_line_def *delay_lines;
    synth_place *places; /* (entity_count + 1), by entity number */
    uint32_t entity_count, place_capacity;
    synth_link *links;   /* (link_count), in the order they were made */
    uint32_t link_count, link_capacity;
    hed_modulation_def *modulations; /* (modulation_count), likewise */
    uint32_t modulation_count, modulation_capacity;
    synth_name *names; /* (name_count), sorted by text */
    uint32_t name_count, name_capacity;
};

/* Place of an entity, NULL when there is none such. */
const synth_place *synth_find(const hed_instrument *instrument, hed_entity entity);
/* Rest length in metres, with the meaning of a negative one applied. */
float synth_rest_length(const hed_instrument *instrument, const hed_spring_def *spring);
/* Largest dilation that notes and bends can ask for. */
double synth_largest_dilation(const hed_instrument_def *def);
/* Fills an error and gives its status. */
hed_status synth_fail(hed_error *error, hed_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
