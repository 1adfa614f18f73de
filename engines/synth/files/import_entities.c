/* Import of bodies, sensors, exciters and modulators; each becomes the most similar entity of
 * Heddle. */
#include "files/import_ank.h"

#include "model/synth_model.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

/* Heddle's mallet is a hammer that bounces; Anukari's is an impulse and a hardness. The imported
 * hammer is so light that it bounces at once, and its felt is a linear spring, so the contact
 * lasts 1/hardness seconds at every velocity. */
static const float pi_squared = 9.8696044f;
/* fraction of the mass of the lightest body that it strikes */
static const float hammer_share = 0.1f;
static const float hardest =
    5000.0f; /* 1/s; shorter contacts than seven samples at 48 kHz would be cut short */

#define ITEM(type, list, imported) \
    (&((const synth_ank_##type *)im->model->list.items)[(imported)->place])

static void set_vector(float to[3], synth_ank_vector from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static hed_synth_adsr adsr_of(const synth_ank_envelope *e)
{
    return (hed_synth_adsr){e->attack, e->decay, e->sustain, e->release};
}

static float import_linear(float decibels)
{
    return (float)hed_strict_pow(10.0f, decibels / 20.0f);
}

static void tell_gain(
    synth_import *im, const char *type, int32_t number, float decibels, float newtons)
{
    synth_import_tell(
        im, "%s%d: gain %g dB -> %g N", type, number, (double)decibels, (double)newtons);
}

static hed_synth_wave wave_of(
    synth_import *im, const char *type, const synth_imported *imported, int32_t wave)
{
    /* Heddle has the same order */
    if (wave >= 0 && wave < HED_SYNTH_WAVE_COUNT) return (hed_synth_wave)wave;
    synth_import_tell(im, "%s%d: waveform %d is not known: a sine", type, imported->number, wave);
    return HED_SYNTH_WAVE_SINE;
}

/* Returns the smallest route that contains all `count` routes. */
static hed_synth_route around(synth_import *im, const char *type, int32_t number,
    const hed_synth_route *routes, uint32_t count)
{
    hed_synth_route all = count ? routes[0] : (hed_synth_route){0, 0, 127};
    for (uint32_t i = 1; i < count; i++) {
        if (routes[i].channel != all.channel) all.channel = 0;
        if (routes[i].low < all.low) all.low = routes[i].low;
        if (routes[i].high > all.high) all.high = routes[i].high;
    }
    if (count > 1)
        synth_import_tell(im, "%s%d: its %u ranges of notes -> one, %u to %u", type, number, count,
            all.low, all.high);
    return all;
}

/* ---- bodies and sensors ---- */

static hed_status add_body(synth_import *im, synth_imported *imported)
{
    const synth_ank_body *body = ITEM(body, bodies, imported);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_BODY);
    set_vector(def.as.body.position, body->position);
    def.as.body.mass = body->mass;
    def.as.body.damping = body->damping;
    def.as.body.anchored = body->anchored;
    if (body->damping_by_time != 0.0f || body->damping_by_mass != 0.0f)
        synth_import_tell(im,
            "body%d: its damping scales with time %g and mass %g: here with time 1 and mass 0",
            body->id, (double)body->damping_by_time, (double)body->damping_by_mass);
    return synth_import_add(im, imported, &def, NULL, 1);
}

static hed_status add_sensor(synth_import *im, synth_imported *imported)
{
    const synth_ank_sensor *sensor = ITEM(sensor, sensors, imported);
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    hed_synth_microphone_def *m = &def.as.microphone;
    set_vector(m->position, sensor->position);
    set_vector(m->direction, sensor->normal);
    m->directionality = sensor->directionality;
    m->isotropy = sensor->isotropy;
    m->gain = sensor->gain;
    m->pan = sensor->pan;
    m->heard = sensor->heard;
    if (sensor->compressor.ratio > 1.0f) {
        m->threshold = sensor->compressor.threshold;
        m->ratio = sensor->compressor.ratio;
        m->attack = sensor->compressor.attack;
        m->release = sensor->compressor.release;
    }
    m->makeup = sensor->compressor.makeup;
    return synth_import_add(im, imported, &def, NULL, 1);
}

/* ---- exciters ---- */

static void set_mallet(synth_import *im, const synth_ank_exciter *exciter,
    const synth_imported *imported, hed_synth_mallet_def *mallet)
{
    float body = imported->linked ? imported->lightest : 1.0f, hammer = hammer_share * body;
    float soft = exciter->mallet.soft, hard = exciter->mallet.hard,
          share = imported->linked ? (float)imported->linked : 1.0f;
    if (soft > hardest || hard > hardest)
        synth_import_tell(
            im, "mallet%d: hardness above %g counts as that", exciter->id, (double)hardest);
    float felt_soft = soft, felt_hard = hard;
    soft = fminf(soft, hardest);
    hard = fminf(hard, hardest);
    mallet->mass = hammer * share;
    /* a bounce transfers 2 m/(m + M) times the hammer's own momentum */
    mallet->impulse = exciter->mallet.impulse * share * 0.5f * (1.0f + hammer_share);
    mallet->velocity_sensitivity = exciter->velocity_sensitivity;
    mallet->exponent = 1.0f;
    mallet->hardness_soft = hammer * pi_squared * soft *
                            soft; /* half a period of the hammer on its felt is 1/hardness */
    mallet->hardness_hard = hammer * pi_squared * hard * hard;
    mallet->noise = exciter->mallet.noise;
    synth_import_tell(im,
        "mallet%d: impulse %g -> %g N s, hardness %g to %g -> felt of %g to %g N/m: a hammer of %g kg "
        "bounces here, and gives its bodies what the preset says",
        exciter->id, (double)exciter->mallet.impulse, (double)mallet->impulse, (double)felt_soft,
        (double)felt_hard, (double)mallet->hardness_soft, (double)mallet->hardness_hard,
        (double)mallet->mass);
}

static void set_oscillator(synth_import *im, const synth_ank_exciter *exciter,
    const synth_imported *imported, hed_synth_oscillator_def *o)
{
    o->wave = wave_of(im, "oscillator", imported, exciter->oscillator.wave);
    o->gain = import_linear(exciter->oscillator.gain);
    tell_gain(im, "oscillator", exciter->id, exciter->oscillator.gain, o->gain);
    o->follows_note = true;
    o->octave = (float)exciter->oscillator.octave;
    o->semitone = (float)exciter->oscillator.semitone;
    o->detune = exciter->oscillator.detune;
    o->pulse_width = exciter->oscillator.pulse_width;
    o->velocity_sensitivity = exciter->velocity_sensitivity;
    o->envelope = adsr_of(&exciter->oscillator.envelope);
}

static void set_audio(
    synth_import *im, const synth_ank_exciter *exciter, hed_synth_audio_input_def *a)
{
    a->channel = exciter->audio.channel > 0 ? (uint32_t)exciter->audio.channel : 0;
    if (exciter->audio.channel < 0)
        synth_import_tell(
            im, "audio_input%d: channel %d -> 0", exciter->id, exciter->audio.channel);
    a->gain = import_linear(exciter->audio.gain);
    tell_gain(im, "audio_input", exciter->id, exciter->audio.gain, a->gain);
    a->gated = exciter->audio.gated;
    a->envelope = adsr_of(&exciter->audio.envelope);
    if (exciter->audio.delay != 0.0f)
        synth_import_tell(im, "audio_input%d: its delay of %g s is left out", exciter->id,
            (double)exciter->audio.delay);
}

/* Adds an audio input for each source of sound: the instrument's input, and each delay line. */
static hed_status add_audio(synth_import *im, synth_imported *imported, hed_synth_entity_def *def,
    hed_synth_route *routes, uint32_t heard)
{
    const synth_ank_exciter *exciter = ITEM(exciter, exciters, imported);
    set_audio(im, exciter, &def->as.audio_input);
    if (!heard && exciter->audio.gated) {
        synth_import_leave_out(im, "exciter %d: no note is routed to it", exciter->id);
        return HED_OK;
    }
    uint32_t sources = imported->lines + exciter->audio.external;
    imported->used = exciter->audio.external;
    if (sources == 0 || sources > SYNTH_MOST_ROUTES) {
        synth_import_leave_out(im, "exciter %d: it has %u sources of sound", exciter->id, sources);
        return HED_OK;
    }
    hed_synth_route route = around(im, "audio_input", exciter->id, routes, heard);
    for (uint32_t i = 0; i < sources; i++) routes[i] = route;
    return synth_import_add(im, imported, def, routes, sources);
}

static hed_status add_exciter(synth_import *im, synth_imported *imported)
{
    static const hed_synth_entity_type types[] = {[ANK_MALLET] = HED_SYNTH_MALLET,
        [ANK_AUDIO] = HED_SYNTH_AUDIO_INPUT,
        [ANK_OSCILLATOR] = HED_SYNTH_OSCILLATOR,
        [ANK_BOW] = HED_SYNTH_BOW,
        [ANK_PLECTRUM] = HED_SYNTH_PLECTRUM};
    const synth_ank_exciter *exciter = ITEM(exciter, exciters, imported);
    if (exciter->what < ANK_MALLET || exciter->what > ANK_PLECTRUM) {
        synth_import_leave_out(im, "exciter %d: of a kind that is not known", exciter->id);
        return HED_OK;
    }
    hed_synth_route routes[SYNTH_MOST_ROUTES];
    uint32_t heard = synth_import_routes(im, (synth_ank_id){ANK_EXCITER, exciter->id}, routes);
    hed_synth_entity_def def = hed_default_synth_entity_def(types[exciter->what]);
    float direction[3];
    set_vector(direction, exciter->normal);
    switch (exciter->what) {
    case ANK_MALLET: set_mallet(im, exciter, imported, &def.as.mallet); break;
    case ANK_OSCILLATOR: set_oscillator(im, exciter, imported, &def.as.oscillator); break;
    case ANK_BOW:
        def.as.bow.draw_velocity = exciter->bow.draw_velocity;
        def.as.bow.stiction = exciter->bow.stiction;
        def.as.bow.dropoff = exciter->bow.dropoff;
        def.as.bow.sliding = fminf(def.as.bow.sliding, exciter->bow.stiction);
        def.as.bow.velocity_sensitivity = exciter->velocity_sensitivity;
        def.as.bow.envelope = adsr_of(&exciter->bow.envelope);
        synth_import_tell(im, "bow%d: force and sliding friction are not in the format: %g N, %g",
            exciter->id, (double)def.as.bow.force, (double)def.as.bow.sliding);
        break;
    case ANK_PLECTRUM:
        def.as.plectrum.distance = exciter->plectrum.distance;
        def.as.plectrum.duration = exciter->plectrum.duration;
        def.as.plectrum.velocity_sensitivity = exciter->velocity_sensitivity;
        break;
    default: break;
    }
    /* copy the direction, the first field of every exciter */
    memcpy(&def.as, direction, sizeof direction);
    if (exciter->what == ANK_AUDIO) return add_audio(im, imported, &def, routes, heard);
    if (heard) return synth_import_add(im, imported, &def, routes, heard);
    synth_import_leave_out(im, "exciter %d: no note is routed to it", exciter->id);
    return HED_OK;
}

/* ---- modulators ---- */

/* Quarter notes in a period, for a bar of four. */
static const float divisions[] = {8, 16.0f / 3, 6, 4, 8.0f / 3, 3, 2, 4.0f / 3, 1.5f, 1, 2.0f / 3,
    0.75f, 0.5f, 1.0f / 3, 0.375f, 0.25f, 1.0f / 6, 0.1875f, 0.125f, 1.0f / 12};

static void set_lfo(synth_import *im, const synth_ank_modulator *modulator,
    const synth_imported *imported, hed_synth_lfo_def *lfo)
{
    uint32_t count = sizeof divisions / sizeof *divisions;
    lfo->wave = wave_of(im, "lfo", imported, modulator->lfo.wave);
    lfo->frequency = modulator->lfo.frequency;
    if (modulator->lfo.synced && (uint32_t)modulator->lfo.sync < count)
        lfo->division = divisions[modulator->lfo.sync];
    if (modulator->lfo.synced && (uint32_t)modulator->lfo.sync >= count)
        synth_import_tell(im, "lfo%d: division %d is not known: %g Hz", modulator->id,
            modulator->lfo.sync, (double)lfo->frequency);
    lfo->pulse_width = modulator->lfo.pulse_width;
    lfo->retrigger = modulator->lfo.retrigger;
    lfo->phase = modulator->lfo.phase - floorf(modulator->lfo.phase);
    if (lfo->phase != modulator->lfo.phase)
        synth_import_tell(im, "lfo%d: phase %g -> %g, in periods", modulator->id,
            (double)modulator->lfo.phase, (double)lfo->phase);
    lfo->dilated = modulator->lfo.dilated;
}

/* Fills a MIDI source; false: no counterpart, not imported. */
static bool set_midi(synth_import *im, const synth_ank_modulator *modulator,
    hed_synth_midi_source_def *source, hed_synth_route *route)
{
    static const hed_synth_midi_kind kinds[] = {
        [ANK_CONTROLLER] = HED_SYNTH_MIDI_CC,
        [ANK_BEND] = HED_SYNTH_MIDI_BEND,
        [ANK_PRESSURE] = HED_SYNTH_MIDI_PRESSURE,
        [ANK_AFTERTOUCH] = HED_SYNTH_MIDI_AFTERTOUCH,
        [ANK_VELOCITY] = HED_SYNTH_MIDI_VELOCITY,
        [ANK_NOTE] = HED_SYNTH_MIDI_NOTE,
        [ANK_HOST] = HED_SYNTH_MIDI_HOST,
    };
    synth_ank_id id = {ANK_MODULATOR, modulator->id};
    source->kind = kinds[modulator->what];
    source->smoothing = modulator->midi.smoothing;
    source->centre = modulator->what == ANK_NOTE ? (float)modulator->midi.centre : source->centre;
    if (modulator->what == ANK_VELOCITY && modulator->midi.phase)
        synth_import_tell(im,
            "midi_source%d: it follows the velocity of phase %d: here that of the start",
            modulator->id, modulator->midi.phase);
    if (modulator->what == ANK_CONTROLLER &&
        !synth_import_controller(im, id, &source->number, route)) {
        synth_import_leave_out(im, "modulator %d: no controller is routed to it", modulator->id);
        return false;
    }
    if (modulator->what == ANK_HOST && !synth_import_host(im, id, &source->number)) {
        synth_import_leave_out(
            im, "modulator %d: no parameter of the host is routed to it", modulator->id);
        return false;
    }
    return true;
}

static hed_status import_add_modulator(synth_import *im, synth_imported *imported)
{
    static const hed_synth_entity_type types[] = {[ANK_LFO] = HED_SYNTH_LFO,
        [ANK_TRIGGER] = HED_SYNTH_ENVELOPE,
        [ANK_FOLLOWER] = HED_SYNTH_FOLLOWER,
        [ANK_CONTROLLER] = HED_SYNTH_MIDI_SOURCE,
        [ANK_BEND] = HED_SYNTH_MIDI_SOURCE,
        [ANK_PRESSURE] = HED_SYNTH_MIDI_SOURCE,
        [ANK_AFTERTOUCH] = HED_SYNTH_MIDI_SOURCE,
        [ANK_VELOCITY] = HED_SYNTH_MIDI_SOURCE,
        [ANK_NOTE] = HED_SYNTH_MIDI_SOURCE,
        [ANK_HOST] = HED_SYNTH_MIDI_SOURCE};
    const synth_ank_modulator *modulator = ITEM(modulator, modulators, imported);
    uint32_t kind = (uint32_t)modulator->what;
    if (kind >= sizeof types / sizeof *types || (!types[kind])) {
        synth_import_leave_out(im, "modulator %d: of a kind that is not known", modulator->id);
        return HED_OK;
    }
    hed_synth_route routes[SYNTH_MOST_ROUTES];
    uint32_t heard = synth_import_routes(im, (synth_ank_id){ANK_MODULATOR, modulator->id}, routes);
    hed_synth_entity_def def = hed_default_synth_entity_def(types[kind]);
    if (def.type == HED_SYNTH_ENVELOPE) {
        def.as.envelope.envelope = adsr_of(&modulator->trigger.envelope);
        if (heard) return synth_import_add(im, imported, &def, routes, heard);
        synth_import_leave_out(im, "modulator %d: no note is routed to it", modulator->id);
        return HED_OK;
    }
    routes[0] = around(im, hed_synth_entity_type_name(def.type), modulator->id, routes, heard);
    if (def.type == HED_SYNTH_LFO) {
        set_lfo(im, modulator, imported, &def.as.lfo);
        if (def.as.lfo.retrigger && !heard)
            synth_import_tell(
                im, "lfo%d: no note is routed to it: it is not started anew", modulator->id);
        def.as.lfo.retrigger &= heard > 0;
    } else if (def.type == HED_SYNTH_FOLLOWER) {
        def.as.follower.attack = modulator->follower.attack;
        def.as.follower.release = modulator->follower.release;
        if (!imported->microphone) {
            synth_import_leave_out(im, "modulator %d: it follows no sensor", modulator->id);
            return HED_OK;
        }
        def.as.follower.source = imported->microphone;
    } else if (!set_midi(im, modulator, &def.as.midi_source, &routes[0])) {
        return HED_OK;
    }
    return synth_import_add(im, imported, &def, routes, 1);
}

/* ---- all of them ---- */

static synth_ank_id end_of(const synth_ank_link *link, synth_ank_kind kind)
{
    return link->ends.a.kind == (int32_t)kind ? link->ends.a : link->ends.b;
}

/* Records facts about an exciter from a link: free bodies that it excites, the lightest of them,
 * and delay lines that feed it. */
static void survey_exciter(synth_import *im, const synth_ank_link *link)
{
    synth_imported *exciter = synth_imported_find(im, end_of(link, ANK_EXCITER));
    if (!exciter || end_of(link, ANK_EXCITER).kind != ANK_EXCITER) return;
    if (link->what == ANK_LINK_DELAY) exciter->lines++;
    synth_ank_id id = end_of(link, ANK_BODY);
    const synth_imported *found = id.kind == ANK_BODY ? synth_imported_find(im, id) : NULL;
    if (link->what != ANK_LINK_EXCITER || !found) return;
    const synth_ank_body *body = ITEM(body, bodies, found);
    if (body->anchored || !(body->mass > 0.0f)) return;
    if (!exciter->linked || body->mass < exciter->lightest) exciter->lightest = body->mass;
    exciter->linked++;
}

static void add_all(
    synth_import *im, synth_ank_kind kind, hed_status (*add)(synth_import *, synth_imported *))
{
    for (uint32_t i = 0; i < im->counts[kind] && !hed_failed(im->error); i++)
        add(im, &im->imported[kind][i]);
}

hed_status synth_import_entities(synth_import *im)
{
    if (hed_failed(im->error)) return im->error->status;
    const synth_ank_link *links = im->model->links.items;
    add_all(im, ANK_BODY, add_body);
    add_all(im, ANK_SENSOR, add_sensor);
    for (uint32_t i = 0; i < im->model->links.count; i++) {
        survey_exciter(im, &links[i]);

        /* link a follower to its sensor */
        synth_ank_id sensor = end_of(&links[i], ANK_SENSOR),
                     modulator = end_of(&links[i], ANK_MODULATOR);
        if (links[i].what != ANK_LINK_SENSOR || sensor.kind != ANK_SENSOR ||
            modulator.kind != ANK_MODULATOR)
            continue;
        const synth_imported *source = synth_imported_find(im, sensor);
        synth_imported *follower = synth_imported_find(im, modulator);
        if (source && source->copies && follower) follower->microphone = source->first;
    }
    add_all(im, ANK_EXCITER, add_exciter);
    add_all(im, ANK_MODULATOR, import_add_modulator);
    return im->error->status;
}
