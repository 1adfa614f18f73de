/* ctest: devices full=pocl */
/* Synths after transients: for one to three blocks parameters, controls, tempo and the sound that
 * comes in are at a limit of what is taken, notes are played, and then all is as before. A block
 * later the synth sounds again, and no number that it gives is ever NaN or infinite. */
#include "transients.h"

#include "heddle/synth.h"

TestSuite(synth_transients, .init = here_open, .fini = here_close);

/* A block is longer than the breaker's rest and the way back to full sound. */
enum { BLOCK = 8192, PART = 512, BODIES = 6, MOST_KNOBS = 128, EVENTS = 192 };

static hed_error error;

/* ---- an instrument with one of everything ---- */

typedef struct knob {
    hed_synth_entity entity;
    hed_synth_target target;
    float value;
} knob;

typedef struct rig {
    hed_synth_instrument *instrument;
    hed_synth *synth;
    hed_synth_entity bodies[2 * BODIES], modulators[4], microphones[2];
    knob knobs[MOST_KNOBS];
    uint32_t knob_count;
    hed_synth_event events[EVENTS];
    uint32_t event_count;
    bool refused; /* the events of the last block */
    float in[BLOCK], left[BLOCK], right[BLOCK], stems[2][BLOCK];
    float places[6 * BODIES], speeds[6 * BODIES];
    double power;
} rig;

static hed_synth_entity add(rig *r, const hed_synth_entity_def *def)
{
    hed_synth_entity entity;
    OK(hed_synth_instrument_add(r->instrument, def, NULL, &entity, &error));
    return entity;
}

static void link_to(rig *r, hed_synth_entity from, hed_synth_entity to)
{
    OK(hed_synth_instrument_link(r->instrument, from, to, 1, &error));
}

static void turn(rig *r, hed_synth_entity entity, hed_synth_target target, float value)
{
    CHECK(r->knob_count < MOST_KNOBS);
    r->knobs[r->knob_count++] = (knob){entity, target, value};
}

/* A string between two anchors. */
static void add_string(rig *r, hed_synth_entity *bodies)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY);
        body.as.body = (hed_synth_body_def){.position = {0.1f * (float)i, 0, 0},
            .mass = 0.001f,
            .damping = 3,
            .anchored = i == 0 || i == BODIES - 1};
        bodies[i] = add(r, &body);
        turn(r, bodies[i], HED_SYNTH_TARGET_DAMPING, 3);
        turn(r, bodies[i],
            body.as.body.anchored ? HED_SYNTH_TARGET_POSITION_X : HED_SYNTH_TARGET_MASS,
            body.as.body.anchored ? body.as.body.position[0] : 0.001f);
        if (!i) continue;
        hed_synth_entity_def spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
        spring.as.spring = (hed_synth_spring_def){.from = bodies[i - 1],
            .to = bodies[i],
            .stiffness = 2000,
            .rest_length = 0.09f,
            .damping = 1e-4f,
            .cubic = transient_choice(2) ? 1e5f : 0};
        hed_synth_entity entity = add(r, &spring);
        turn(r, entity, HED_SYNTH_TARGET_STIFFNESS, 2000);
        turn(r, entity, HED_SYNTH_TARGET_REST_LENGTH, 0.09f);
    }
}

static hed_synth_entity add_microphone(rig *r, const hed_synth_entity *bodies, bool heard)
{
    hed_synth_entity_def def = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    def.as.microphone.position[1] = 0.3f;
    def.as.microphone.gain = 0;
    def.as.microphone.heard = heard;
    def.as.microphone.ratio = transient_choice(2) ? 1 : 4;
    hed_synth_entity entity = add(r, &def);
    for (uint32_t i = 1; i + 1 < BODIES; i++) link_to(r, entity, bodies[i]);
    turn(r, entity, HED_SYNTH_TARGET_GAIN, 0);
    turn(r, entity, HED_SYNTH_TARGET_PAN, def.as.microphone.pan);
    turn(r, entity, HED_SYNTH_TARGET_POSITION_Y, 0.3f);
    turn(r, entity, HED_SYNTH_TARGET_DIRECTIONALITY, def.as.microphone.directionality);
    turn(r, entity, HED_SYNTH_TARGET_ISOTROPY, def.as.microphone.isotropy);
    return entity;
}

static void add_modulators(rig *r)
{
    hed_synth_entity_def lfo = hed_default_synth_entity_def(HED_SYNTH_LFO);
    lfo.as.lfo.division = transient_choice(2) ? 1 : 0;
    r->modulators[0] = add(r, &lfo);
    turn(r, r->modulators[0], HED_SYNTH_TARGET_DEPTH, lfo.as.lfo.depth);
    hed_synth_entity_def envelope = hed_default_synth_entity_def(HED_SYNTH_ENVELOPE);
    r->modulators[1] = add(r, &envelope);
    turn(r, r->modulators[1], HED_SYNTH_TARGET_DEPTH, envelope.as.envelope.depth);
    hed_synth_entity_def follower = hed_default_synth_entity_def(HED_SYNTH_FOLLOWER);
    follower.as.follower.source = r->microphones[1];
    r->modulators[2] = add(r, &follower);
    turn(r, r->modulators[2], HED_SYNTH_TARGET_DEPTH, follower.as.follower.depth);
    hed_synth_entity_def midi = hed_default_synth_entity_def(HED_SYNTH_MIDI_SOURCE);
    midi.as.midi_source.kind = HED_SYNTH_MIDI_HOST;
    midi.as.midi_source.smoothing = transient_choice(2) ? 0 : 0.002f;
    r->modulators[3] = add(r, &midi);
    turn(r, r->modulators[3], HED_SYNTH_TARGET_DEPTH, midi.as.midi_source.depth);
    turn(r, r->modulators[3], HED_SYNTH_TARGET_SMOOTHING, midi.as.midi_source.smoothing);
}

static void add_exciters(rig *r)
{
    static const hed_synth_entity_type types[] = {HED_SYNTH_MALLET, HED_SYNTH_PLECTRUM,
        HED_SYNTH_BOW, HED_SYNTH_OSCILLATOR, HED_SYNTH_AUDIO_INPUT};
    hed_synth_entity_def line = hed_default_synth_entity_def(HED_SYNTH_DELAY_LINE);
    line.as.delay_line.source = r->microphones[transient_choice(2)];
    line.as.delay_line.seconds = 0.001f;
    line.as.delay_line.gain = -20;
    hed_synth_entity delay = add(r, &line);
    turn(r, delay, HED_SYNTH_TARGET_DELAY, 0.001f);
    turn(r, delay, HED_SYNTH_TARGET_GAIN, -20);
    for (uint32_t i = 0; i < 2 * HED_COUNT(types); i++) {
        hed_synth_entity_def def = hed_default_synth_entity_def(types[i % HED_COUNT(types)]);
        if (def.type == HED_SYNTH_AUDIO_INPUT) {
            def.as.audio_input.channel = 0;
            def.as.audio_input.gated = false;
            def.as.audio_input.gain = 0.01f;
        }
        hed_synth_entity entity = add(r, &def);
        link_to(r, entity, r->bodies[1 + transient_choice(4) + BODIES * (i & 1)]);
        if (i == 2 * HED_COUNT(types) - 1) link_to(r, entity, delay);
        if (def.type == HED_SYNTH_MALLET) {
            turn(r, entity, HED_SYNTH_TARGET_IMPULSE, def.as.mallet.impulse);
            turn(r, entity, HED_SYNTH_TARGET_NOISE, def.as.mallet.noise);
        }
        if (def.type == HED_SYNTH_PLECTRUM) {
            turn(r, entity, HED_SYNTH_TARGET_DISTANCE, def.as.plectrum.distance);
            turn(r, entity, HED_SYNTH_TARGET_DURATION, def.as.plectrum.duration);
        }
        if (def.type == HED_SYNTH_BOW) {
            turn(r, entity, HED_SYNTH_TARGET_DRAW_VELOCITY, def.as.bow.draw_velocity);
            turn(r, entity, HED_SYNTH_TARGET_ROSIN_STICTION, def.as.bow.stiction);
            turn(r, entity, HED_SYNTH_TARGET_ROSIN_DROPOFF, def.as.bow.dropoff);
        }
        if (def.type == HED_SYNTH_OSCILLATOR) {
            turn(r, entity, HED_SYNTH_TARGET_GAIN, def.as.oscillator.gain);
            turn(r, entity, HED_SYNTH_TARGET_FREQUENCY, def.as.oscillator.frequency);
            turn(r, entity, HED_SYNTH_TARGET_PULSE_WIDTH, def.as.oscillator.pulse_width);
        }
        if (def.type == HED_SYNTH_AUDIO_INPUT) turn(r, entity, HED_SYNTH_TARGET_GAIN, 0.01f);
    }
}

static void add_modulations(rig *r)
{
    for (uint32_t i = 0; i < 8; i++) {
        const knob *k = &r->knobs[transient_choice(r->knob_count)];
        hed_synth_modulation_def def = {.source = r->modulators[transient_choice(4)],
            .entity = k->entity,
            .target = k->target,
            .mode = HED_SYNTH_MODULATE_MULTIPLY,
            .depth = 0.01f};
        OK(hed_synth_instrument_modulate(r->instrument, &def, &error));
    }
}

static void rig_free(rig *r)
{
    hed_synth_destroy(r->synth);
    hed_synth_instrument_destroy(r->instrument);
}

/* ---- blocks ---- */

static void say(rig *r, hed_synth_event event)
{
    CHECK(r->event_count < EVENTS);
    r->events[r->event_count++] = event;
}

static void say_midi(rig *r, uint8_t status, uint8_t first, uint8_t second)
{
    say(r, (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}});
}

static void say_knob(rig *r, const knob *k, float value)
{
    say(r,
        (hed_synth_event){
            .kind = HED_SYNTH_EVENT_SET, .entity = k->entity, .target = k->target, .value = value});
}

/* Gives the first kind of number that is not finite; NULL: all are. */
static const char *play(rig *r, uint32_t frames)
{
    const float *inputs[] = {r->in};
    float *const stems[] = {r->stems[0], r->stems[1]};
    hed_synth_block block = {.frames = frames,
        .events = r->events,
        .event_count = r->event_count,
        .inputs = inputs,
        .left = r->left,
        .right = r->right,
        .stems = stems};
    const char *broken = NULL;
    hed_error refused = {0}; /* a value that is out of range: nothing of the block has happened */
    r->refused = hed_synth_process(r->synth, &block, &refused) != HED_OK;
    if (r->refused) {
        CHECK(refused.status == HED_ERROR_ARGUMENT, "%s", refused.text);
        block.event_count = 0;
        OK(hed_synth_process(r->synth, &block, &error));
    }
    r->event_count = 0;
    OK(hed_synth_read_bodies(r->synth, 0, r->places, r->speeds, &error));
    if (transient_finite(r->places, 6 * BODIES) + transient_finite(r->speeds, 6 * BODIES) <
        12 * BODIES)
        broken = "bodies";
    for (int k = 0; k < 2; k++)
        if (transient_finite(r->stems[k], frames) < frames) broken = "stems";
    r->power = 0;
    for (uint32_t i = 0; i < frames; i++) {
        if (!(fabsf(r->left[i]) <= 1 && fabsf(r->right[i]) <= 1)) broken = "sound";
        r->power += (double)r->left[i] * r->left[i] + (double)r->right[i] * r->right[i];
    }
    return broken;
}

/* Forgets the knobs that cannot be set, such as the position of a body that modulation moves. */
static void keep_settable(rig *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->knob_count; i++) {
        say_knob(r, &r->knobs[i], r->knobs[i].value);
        play(r, 1);
        if (!r->refused) r->knobs[kept++] = r->knobs[i];
    }
    r->knob_count = kept;
    OK(hed_synth_reset(r->synth, &error));
}

static bool rig_make(rig *r, bool host)
{
    memset(r, 0, sizeof *r);
    hed_synth_instrument_def whole = hed_default_synth_instrument_def();
    whole.mode = transient_choice(3) ? HED_SYNTH_SINGLETON : HED_SYNTH_VOICES;
    whole.voices = 2;
    OK(hed_synth_instrument_create(NULL, &whole, &r->instrument, &error));
    add_string(r, r->bodies);
    add_string(r, r->bodies + BODIES);
    r->microphones[0] = add_microphone(r, r->bodies, true);
    r->microphones[1] = add_microphone(r, r->bodies + BODIES, false);
    add_modulators(r);
    add_exciters(r);
    add_modulations(r);
    hed_synth_def def = hed_default_synth_def();
    def.instrument = r->instrument;
    def.block = BLOCK;
    def.inputs = 1;
    def.solver = transient_choice(2) ? HED_SYNTH_SOLVER_GROUP : HED_SYNTH_SOLVER_GLOBAL;
    if (host && transient_choice(4)) def.solver = HED_SYNTH_SOLVER_CPU;
    def.threads = host && transient_choice(8) == 0 ? 2 : 1;
    hed_error refused = {0};
    if (!hed_synth_create(here.device, &def, &r->synth, &refused)) {
        keep_settable(r);
        return true;
    }
    CHECK(refused.status == HED_ERROR_ARGUMENT, "%s", refused.text);
    hed_synth_instrument_destroy(r->instrument);
    return false;
}

static uint32_t breaks(const rig *r)
{
    hed_synth_info info;
    info = hed_synth_describe(r->synth);
    return info.breaks;
}

/* True if bodies of the second string move, which is heard by nothing but what follows it. */
static bool unheard_moves(rig *r)
{
    hed_synth_info info;
    bool moves = false;
    info = hed_synth_describe(r->synth);
    for (uint32_t i = 0; i < info.instances; i++) {
        OK(hed_synth_read_bodies(r->synth, i, r->places, r->speeds, &error));
        for (uint32_t k = 3 * BODIES; k < 6 * BODIES; k++) moves |= r->speeds[k] != 0;
    }
    return moves;
}

static void transient(rig *r)
{
    uint32_t kind = transient_choice(4);
    if (kind == 3)
        for (uint32_t i = 0; i < PART; i++)
            r->in[i] = transient_choice(4)   ? transient_number(1)
                       : transient_choice(2) ? NAN
                                             : INFINITY;
    for (uint32_t n = 1 + transient_choice(4); kind < 2 && n; n--) {
        const knob *k = &r->knobs[transient_choice(r->knob_count)];
        say_knob(r, k, transient_number(k->value));
    }
    if (kind == 2) {
        say(r, (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST, .value = transient_number(1)});
        say(r, (hed_synth_event){
                   .kind = HED_SYNTH_EVENT_TEMPO, .value = transient_choice(2) ? 1e-38f : 999999});
        for (int i = 0; i < 4; i++)
            say_midi(r, (uint8_t)(0x80 + transient_choice(0x70)), (uint8_t)transient_choice(128),
                (uint8_t)transient_choice(128));
    }
    say_midi(r, 0x90, (uint8_t)(48 + transient_choice(24)), 100);
}

/* All that a transient may have changed, as it was, and no note. */
static void restore(rig *r)
{
    memset(r->in, 0, sizeof r->in);
    for (uint32_t i = 0; i < r->knob_count; i++) say_knob(r, &r->knobs[i], r->knobs[i].value);
    say(r, (hed_synth_event){.kind = HED_SYNTH_EVENT_HOST, .value = 0});
    say(r, (hed_synth_event){.kind = HED_SYNTH_EVENT_TEMPO, .value = 120});
    for (uint32_t channel = 0; channel < 16; channel++) {
        say_midi(r, (uint8_t)(0xb0 + channel), 121, 0);
        say_midi(r, (uint8_t)(0xb0 + channel), 123, 0);
    }
}

typedef struct tally {
    uint64_t group; /* its seed */
    uint32_t each, done, stuck, broken, breaks, loud;
} tally;

/* Plays a note; returns what is wrong with it, or NULL. */
static const char *play_note(rig *r, const char **broken)
{
    const char *now, *stuck = NULL;
    uint32_t before = breaks(r);
    say_midi(r, 0x90, 60, 127);
    if ((now = play(r, 2 * PART))) *broken = now;
    if (!(r->power > 0)) stuck = "silent";
    if (!unheard_moves(r)) stuck = "a string stands still";
    if (breaks(r) > before) stuck = "breaks again";
    say_midi(r, 0x80, 60, 64);
    if ((now = play(r, PART))) *broken = now;
    return stuck;
}

static void try_one(rig *r, tally *t)
{
    const char *broken = NULL, *now;
    uint32_t before = breaks(r);
    for (uint32_t n = 1 + transient_choice(3); n; n--) {
        transient(r);
        if ((now = play(r, PART))) broken = now;
    }
    restore(r);
    uint32_t restored = breaks(r);
    if ((now = play(r, BLOCK))) broken = now;
    /* a state that the transient left may cross a limit late in this block: the breaker's rest ends
     * in the next */
    if (breaks(r) > restored && (now = play(r, BLOCK))) broken = now;
    CHECK(!r->refused);
    uint32_t then = breaks(r);
    const char *stuck = play_note(r, &broken);
    /* Strings that the transient struck decay no faster than their damping lets them, and a note on
     * top of a sound just below the breaker's limit may open it. Its rest clears all that is left
     * of the transient: a synth that is stuck breaks again after the rest. */
    if (breaks(r) > then) {
        t->loud++;
        if ((now = play(r, BLOCK))) broken = now;
        stuck = play_note(r, &broken);
    }
    EXPECT(!stuck && !broken, "transient %u of seed %llu: %s, not finite: %s", t->done % t->each,
        (unsigned long long)t->group, stuck ? stuck : "recovered", broken ? broken : "none");
    t->done++;
    t->breaks += then > before;
    t->stuck += stuck != NULL;
    t->broken += broken != NULL;
    if (stuck || broken) OK(hed_synth_reset(r->synth, &error));
}

Test(synth_transients, the_next_block_is_sound, .timeout = 3600)
{
    bool host = !strcmp(hed_device_describe(here.device).backend, "host");
    uint32_t wanted = host ? transient_count(300) : transient_count(1000) / 50;
    static rig r;
    tally t = {.each = host ? 50 : 5};
    while (t.done < wanted) {
        t.group = transient_begin();
        if (!rig_make(&r, host)) continue;
        for (uint32_t n = 0; n < t.each; n++) try_one(&r, &t);
        rig_free(&r);
    }
    test_note(
        "%u transients: %u stuck, %u with a number out that is not finite, %u with a break, %u loud",
        t.done, t.stuck, t.broken, t.breaks, t.loud);
}
