/* Synths of instruments with layers: a synth for each layer, whose sound is summed before one
 * limiter. Every layer receives the events of the whole, except for notes of other velocities and
 * parameters of other layers' entities. */
#include "model/synth_model.h"
#include "solver/solver.h"

#include <math.h>

typedef struct layer_part {
    hed_synth *synth;
    synth_layer_range range;
} layer_part;

struct synth_layers {
    hed_allocator allocator;
    layer_part parts[SYNTH_MOST_LAYERS];
    uint32_t count, block, max_events;
    hed_synth_event *events;   /* (max_events) of one layer */
    float *sound;              /* (2 x block) of one layer: left, right */
    hed_synth_note_info notes; /* outcome of the notes of the whole */
};

/* ---- creation ---- */

synth_layer_range synth_layers_range(const hed_synth_instrument *instrument, uint32_t layer)
{
    const synth_layer *of = &instrument->layers[layer];
    return (synth_layer_range){.first = of->first, .end = synth_layer_end(instrument, layer),
        .velocity_low = of->velocity_low, .velocity_high = of->velocity_high,
        .gain = hed_exp((of->def.gain + of->gain) * 0.11512925f)};
}

/* Informs all layers of each other's keys, and finds the range of keys. */
static void share_keys(synth_layers *layers)
{
    synth_voices *voices[SYNTH_MOST_LAYERS];
    layers->notes.low = HED_SYNTH_NO_KEY;
    for (uint32_t i = 0; i < layers->count; i++) {
        voices[i] = layers->parts[i].synth->voices;
        const hed_synth_note_info *heard = &voices[i]->notes;
        if (heard->low == HED_SYNTH_NO_KEY) continue;
        bool is_first = layers->notes.low == HED_SYNTH_NO_KEY;
        if (is_first || heard->low < layers->notes.low) layers->notes.low = heard->low;
        if (is_first || heard->high > layers->notes.high) layers->notes.high = heard->high;
    }
    synth_notes_share(voices, layers->count);
}

/* Makes the synth of a layer, with the ratio of samples to frames of the whole. */
static hed_status create_part(
    const hed_synth *synth, const hed_synth_def *def, uint32_t index, hed_error *error)
{
    layer_part *part = &synth->layers->parts[index];
    hed_synth_instrument *content;
    hed_synth_def layer_def = *def;
    if (synth_layer_extract(def->instrument, index, true, &content, error)) return error->status;
    content->layer_samples = synth->ratio.samples;
    content->layer_frames = synth->ratio.frames;
    layer_def.instrument = content;
    layer_def.keep_awake = def->keep_awake && index == 0;
    part->range = synth_layers_range(def->instrument, index);
    if (!synth_create_resolved(synth->device, &layer_def, &part->synth, error))
        synth->layers->count++;
    hed_synth_instrument_destroy(content);
    return error->status;
}

/* Makes the limiter, and the synths of all layers. */
static hed_status create_parts(hed_synth *synth, const hed_synth_def *def, hed_error *error)
{
    hed_allocator *a = &synth->allocator;
    synth_layers *layers = synth->layers = hed_new(a, 1, sizeof *layers, error);
    if (!layers) return error->status;
    *layers = (synth_layers){.allocator = *a, .block = def->block, .max_events = def->max_events};
    layers->events = hed_new(a, def->max_events, sizeof *layers->events, error);
    layers->sound = hed_new(a, 2ull * def->block, sizeof *layers->sound, error);
    if (error->status || synth_mix_create(a, &synth->instrument, synth->def.rate,
                             synth_rates_filter(synth->rates), SYNTH_MIX_SUM, &synth->mix, error))
        return error->status;
    for (uint32_t i = 0; i < def->instrument->layer_count; i++)
        if (create_part(synth, def, i, error)) return error->status;
    share_keys(layers);
    return HED_OK;
}

hed_status synth_layers_create(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error)
{
    hed_synth *created;
    hed_status status = synth_begin(device, def, &created, error);
    if (!status) status = create_parts(created, def, error);
    if (!status) {
        created->def.instrument = NULL;
        *synth = created;
    } else if (created) {
        synth_layers_destroy(created->layers);
        synth_free(created);
    }
    return status;
}

uint32_t synth_layers_count(const synth_layers *layers) { return layers->count; }

hed_synth *synth_layers_at(const synth_layers *layers, uint32_t index)
{
    return layers->parts[index].synth;
}

void synth_layers_destroy(synth_layers *layers)
{
    if (!layers) return;
    hed_allocator allocator = layers->allocator;
    for (uint32_t i = 0; i < layers->count; i++) synth_free(layers->parts[i].synth);
    hed_delete(&allocator, layers->events, layers->max_events, sizeof *layers->events);
    hed_delete(&allocator, layers->sound, 2ull * layers->block, sizeof *layers->sound);
    hed_delete(&allocator, layers, 1, sizeof *layers);
}

/* ---- events ---- */

/* Returns the velocity of an event that starts a note; 0: it starts no note. */
static uint32_t velocity_of(const hed_synth_event *event)
{
    bool starts = event->kind == HED_SYNTH_EVENT_MIDI && event->bytes[0] >> 4 == 9 &&
                  event->bytes[1] < SYNTH_KEYS;
    return starts ? event->bytes[2] : 0;
}

static bool takes_velocity(const layer_part *part, uint32_t velocity)
{
    return velocity >= part->range.velocity_low && velocity <= part->range.velocity_high;
}

/* True if an event concerns a layer. */
static bool is_for(const synth_layers *layers, const layer_part *part, const hed_synth_event *event)
{
    uint32_t velocity = velocity_of(event);
    if (velocity) return takes_velocity(part, velocity);
    if (event->kind != HED_SYNTH_EVENT_SET) return true;
    /* the first layer refuses an entity that no layer has */
    bool is_known =
        event->entity >= 1 && event->entity < layers->parts[layers->count - 1].range.end;
    return is_known ? event->entity >= part->range.first && event->entity < part->range.end
                    : part == layers->parts;
}

/* Makes the events of a layer: events of other layers become program changes, which nothing follows,
 * so that messages count events as the caller does. */
static const hed_synth_event *events_of(
    synth_layers *layers, const layer_part *part, const hed_synth_block *block)
{
    for (uint32_t i = 0; i < block->event_count; i++) {
        layers->events[i] = block->events[i];
        if (!is_for(layers, part, &block->events[i]))
            layers->events[i] = (hed_synth_event){
                .frame = block->events[i].frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0xc0}};
    }
    return layers->events;
}

/* Counts notes that start: a note is played if a layer plays it. */
static void count_notes(const synth_layers *layers, const hed_synth_event *events, uint32_t count,
    hed_synth_note_info *notes)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t channel = events[i].bytes[0] & 15, note = events[i].bytes[1],
                 velocity = velocity_of(&events[i]);
        bool is_played = false;
        for (uint32_t k = 0; velocity && k < layers->count; k++)
            is_played |=
                takes_velocity(&layers->parts[k], velocity) &&
                synth_notes_key(layers->parts[k].synth->voices, channel, note) != HED_SYNTH_NO_KEY;
        if (velocity)
            synth_notes_count(layers->parts[0].synth->voices, channel, note, is_played, notes);
    }
}

hed_synth_note_info synth_layers_check_notes(
    const synth_layers *layers, const hed_synth_event *events, uint32_t count)
{
    hed_synth_note_info notes = {.low = layers->notes.low, .high = layers->notes.high};
    count_notes(layers, events, count, &notes);
    return notes;
}

/* ---- blocks ---- */

static void add_sound(float *to, const float *from, uint32_t frames)
{
    for (uint32_t n = 0; n < frames; n++) to[n] += from[n];
}

/* Plays a layer: the first into the block itself, later ones into a buffer, to be added. */
static hed_status play_layer(synth_layers *layers, uint32_t index, const hed_synth_block *block,
    uint32_t *stems, hed_error *error)
{
    layer_part *part = &layers->parts[index];
    hed_synth_block part_block = *block;
    part_block.events = events_of(layers, part, block);
    if (index > 0) {
        part_block.left = layers->sound;
        part_block.right = layers->sound + layers->block;
    }
    if (block->stems) part_block.stems = block->stems + 2 * *stems;
    uint32_t stem_count = part->synth->program->layout.stems;
    *stems += stem_count;
    if (synth_play(part->synth, &part_block, error)) return error->status;
    for (uint32_t k = 0; part_block.stems && k < 2 * stem_count; k++)
        for (uint32_t n = 0; n < block->frames; n++) part_block.stems[k][n] *= part->range.gain;
    if (index > 0) {
        add_sound(block->left, part_block.left, block->frames);
        add_sound(block->right, part_block.right, block->frames);
    }
    return HED_OK;
}

hed_status synth_layers_play(hed_synth *synth, const hed_synth_block *block, hed_error *error)
{
    synth_layers *layers = synth->layers;
    uint32_t stems = 0;
    if (block->event_count > layers->max_events)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%u events in a block: at most %u, hed_synth_def.max_events", block->event_count,
            layers->max_events);
    for (uint32_t i = 0; i < layers->count; i++)
        if (synth_voices_check(layers->parts[i].synth->voices,
                events_of(layers, &layers->parts[i], block), block->event_count, block->frames,
                error))
            return error->status;
    count_notes(layers, block->events, block->event_count, &layers->notes);
    for (uint32_t i = 0; i < layers->count; i++)
        if (play_layer(layers, i, block, &stems, error)) return error->status;
    synth_mix_limit(synth->mix, block->left, block->right, block->frames);
    return HED_OK;
}

hed_status synth_layers_rest(hed_synth *synth, hed_error *error)
{
    synth_layers *layers = synth->layers;
    layers->notes = (hed_synth_note_info){.low = layers->notes.low, .high = layers->notes.high};
    synth_mix_reset(synth->mix);
    for (uint32_t i = 0; i < layers->count && !error->status; i++)
        synth_rest(layers->parts[i].synth, error);
    return error->status;
}

/* ---- results ---- */

hed_status synth_layers_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error)
{
    synth_layers *layers = synth->layers;
    uint32_t instances = synth_layers_describe(synth).instances;
    if (instance >= instances)
        return hed_fail(error, HED_ERROR_ARGUMENT, "instance %u of %u", instance, instances);
    size_t at = 0;
    for (uint32_t i = 0; i < layers->count && !error->status; i++) {
        const synth_program *program = layers->parts[i].synth->program;
        size_t numbers = 3 * (size_t)program->layout.type[SYNTH_BODY].count;
        float *to = positions ? positions + at : NULL,
              *speeds = velocities ? velocities + at : NULL;
        if (instance < program->instances)
            synth_read_bodies(layers->parts[i].synth, instance, to, speeds, error);
        for (size_t k = 0; instance >= program->instances && k < numbers; k++) {
            if (to) to[k] = 0.0f;
            if (speeds) speeds[k] = 0.0f;
        }
        at += numbers;
    }
    return error->status;
}

hed_synth_note_state synth_layers_note(const synth_layers *layers, uint32_t channel, uint32_t note)
{
    hed_synth_note_state state = HED_SYNTH_NOTE_ENDED;
    for (uint32_t i = 0; i < layers->count && state != HED_SYNTH_NOTE_HELD; i++) {
        hed_synth_note_state note_state = synth_note(layers->parts[i].synth, channel, note);
        if (note_state != HED_SYNTH_NOTE_ENDED) state = note_state;
    }
    return state;
}

uint32_t synth_layers_stems(const synth_layers *layers)
{
    uint32_t stems = 0;
    for (uint32_t i = 0; i < layers->count; i++)
        stems += layers->parts[i].synth->program->layout.stems;
    return stems;
}

hed_synth_info synth_layers_describe(const hed_synth *synth)
{
    const synth_layers *layers = synth->layers;
    hed_synth_info info = synth_describe(layers->parts[0].synth);
    for (uint32_t i = 1; i < layers->count; i++) {
        const hed_synth_info layer_info = synth_describe(layers->parts[i].synth);
        if (layer_info.instances > info.instances) info.instances = layer_info.instances;
        for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++)
            info.entities[type] += layer_info.entities[type];
        info.microphones += layer_info.microphones;
        info.bytes += layer_info.bytes;
        info.groups += layer_info.groups;
        info.partition_cut += layer_info.partition_cut;
        info.muted += layer_info.muted;
        info.breaks += layer_info.breaks;
        info.sounding += layer_info.sounding;
        info.islands += layer_info.islands;
        info.asleep += layer_info.asleep;
        info.tuned |= layer_info.tuned;
    }
    hed_synth_info limiter;
    synth_mix_report(synth->mix, &limiter);
    info.load = hed_meter_describe(&synth->meter);
    info.notes = layers->notes;
    info.peak = limiter.peak;
    info.reduction = limiter.reduction;
    info.latency = limiter.latency;
    return info;
}

void synth_layers_adopt(synth_layers *layers, const synth_layer_range *ranges)
{
    for (uint32_t i = 0; i < layers->count; i++) layers->parts[i].range = ranges[i];
    share_keys(layers);
}
