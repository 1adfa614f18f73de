/* Portamento and legato in the modes with voices, by MIDI 1.0: controller 5 is the time, 65 switches
 * portamento, 84 names the key from which the next note glides, 68 is the legato pedal. In legato a
 * note that begins while another one of its channel is held takes over its voice without a new
 * attack; when it ends, the voice returns to the last key that is still held. Glides are straight
 * lines in pitch of the same duration for each interval, poked every SYNTH_GLIDE_STEP samples of the
 * synth's time, so that blocks do not matter. */
#include "voices/voices.h"

#include <math.h>

static const double LONGEST = 2.0;  /* s at controller 5 = 127; in proportion to its square below */
static const double STANDARD = 0.1; /* s, if only controller 65 or 84 was received */

/* Returns the last value of a control of a channel or else of its MPE manager; NULL: not received. */
static const float *received(const synth_voices *v, uint32_t channel, uint32_t control)
{
    uint32_t manager = synth_control_manager(v, channel);
    const synth_channel *c = &v->channels[channel];
    if (!c->received[control] && manager != SYNTH_NO_CHANNEL) c = &v->channels[manager];
    return c->received[control] ? &c->value[control] : NULL;
}

/* Returns the channel that remembers the last note: in MPE the zone's manager. */
static synth_channel *memory_of(synth_voices *v, uint32_t channel)
{
    uint32_t manager = synth_control_manager(v, channel);
    return &v->channels[manager != SYNTH_NO_CHANNEL ? manager : channel];
}

/* Returns the duration of a glide, s. */
static double duration(const synth_voices *v, uint32_t channel)
{
    const float *time = received(v, channel, SYNTH_CC_GLIDE_TIME);
    if (time) return LONGEST * *time * *time;
    return v->def.glide > 0 ? (double)v->def.glide : STANDARD;
}

static bool is_on(const synth_voices *v, uint32_t channel)
{
    const float *on = received(v, channel, SYNTH_CC_GLIDE);
    return on ? *on >= 0.5f : v->def.glide > 0;
}

bool synth_glide_is_legato(const synth_voices *v, uint32_t channel)
{
    return v->def.mode != HED_SYNTH_SINGLETON &&
           (v->def.legato || synth_control_pressed(v, channel, SYNTH_CC_LEGATO));
}

uint32_t synth_glide_shared(const synth_voices *v, uint32_t channel)
{
    uint32_t best = SYNTH_NONE, source = v->channels[channel].source;
    bool is_legato = synth_glide_is_legato(v, channel);
    for (uint32_t i = 0; v->def.mode != HED_SYNTH_SINGLETON && i < v->instances; i++) {
        const synth_voice *voice = &v->voices[i];
        if (!voice->used || voice->released || voice->channel != channel) continue;
        if (!is_legato && voice->note != source) continue;
        if (best == SYNTH_NONE || voice->started > v->voices[best].started) best = i;
    }
    return best;
}

static void begin_glide(synth_voices *v, uint32_t instance, float interval, double seconds)
{
    synth_voice *voice = &v->voices[instance];
    uint64_t bit = (uint64_t)1 << instance;
    bool glides = isfinite(interval) && interval != 0.0f && seconds > 0;
    v->gliding = glides ? v->gliding | bit : v->gliding & ~bit;
    voice->glide = voice->glide_from = glides ? interval : 0.0f;
    voice->glide_begin = v->now + v->frame;
    voice->glide_samples = 1 + (uint64_t)(seconds * v->program->rate);
}

void synth_glide_start(synth_voices *v, uint32_t instance, uint32_t channel, uint32_t note)
{
    synth_channel *c = &v->channels[channel], *memory = memory_of(v, channel);
    float from = NAN;
    if (c->source != SYNTH_NO_SOURCE) from = v->pitch[c->source];
    else if (is_on(v, channel) && memory->has_last) from = memory->last;
    begin_glide(v, instance, from - v->pitch[note], duration(v, channel));
    c->source = SYNTH_NO_SOURCE;
    memory->last = v->pitch[note];
    memory->has_last = true;
}

void synth_glide_move(synth_voices *v, uint32_t instance, uint32_t channel, uint32_t note)
{
    synth_channel *memory = memory_of(v, channel);
    float from = v->pitch[v->voices[instance].note] + v->voices[instance].glide;
    bool glides = is_on(v, channel) || v->channels[channel].source != SYNTH_NO_SOURCE;
    begin_glide(v, instance, from - v->pitch[note], glides ? duration(v, channel) : 0.0);
    v->channels[channel].source = SYNTH_NO_SOURCE;
    memory->last = v->pitch[note];
    memory->has_last = true;
}

/* Pokes the pitch of a voice that glides, before sample v->now + v->frame. */
static void follow_glide(synth_voices *v, uint32_t instance)
{
    synth_voice *voice = &v->voices[instance];
    uint64_t passed = v->now + v->frame - voice->glide_begin;
    bool is_free = !voice->used && !voice->fades;
    bool has_ended = is_free || passed >= voice->glide_samples;
    double rest = has_ended ? 0.0 : 1.0 - (double)passed / (double)voice->glide_samples;
    voice->glide = (float)(rest * voice->glide_from);
    if (has_ended) v->gliding &= ~((uint64_t)1 << instance);
    if (is_free) return;
    synth_control_dilate(v, instance);
    for (uint32_t t = 0; t < v->targets; t++)
        if (v->program->targets[t].follow == SYNTH_FOLLOW_NOTE)
            synth_control_target(v, instance, t, false);
}

void synth_glide_run(synth_voices *v, uint32_t begin, uint32_t end)
{
    uint64_t first = (v->now + begin + SYNTH_GLIDE_STEP - 1) / SYNTH_GLIDE_STEP * SYNTH_GLIDE_STEP;
    for (uint64_t at = first; v->gliding && at < v->now + end; at += SYNTH_GLIDE_STEP) {
        uint32_t frame = (uint32_t)(at - v->now);
        if (frame / SYNTH_GLIDE_STEP >= SYNTH_GLIDES) return;
        if (frame != v->frame) synth_voices_set_frame(v, frame);
        for (uint32_t i = 0; i < v->instances; i++)
            if (v->gliding >> i & 1) follow_glide(v, i);
    }
}

uint64_t synth_glide_pokes(const synth_voices *v)
{
    uint64_t words = 1;
    for (uint32_t t = 0; t < v->targets; t++)
        words += v->program->targets[t].follow == SYNTH_FOLLOW_NOTE;
    return v->def.mode == HED_SYNTH_SINGLETON ? 0 : words * v->instances * SYNTH_GLIDES;
}
