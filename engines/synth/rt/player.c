/* Players: an instrument inside another program. Slow work is done on the loading side, under a
 * mutex that the audio thread never takes: it makes a synth, puts it into `next`, and frees it
 * when it has come back through `retired`. The audio thread exchanges these two pointers. */
#include "player.h"

#include "heddle/author.h"
#include "heddle/context.h"
#include "heddle/device.h"
#include "heddle/math.h"
#include "support/file.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_BLOCK = 1 << 16, /* hed_synth_def.block */
    MOST_INPUTS = 64,     /* hed_synth_def.inputs */
    MOST_STEMS = 64,
    LARGEST_FILE = 64 << 20 /* size of an instrument's file, bytes */
};
#define DECIBEL 0.11512925f      /* ln(10) / 20 */
static const double FADE = 0.01; /* s; fade of the previous instrument and of the gain */

hed_synth_player_def hed_default_synth_player_def(void)
{
    return (hed_synth_player_def){.allocator = hed_default_allocator(), .block = 256};
}

/* ---- knobs ---- */

static float knob_value(uint32_t knob, float value)
{
    return knob == HED_SYNTH_KNOB_GAIN ? hed_clamp(value, PLAYER_LEAST_GAIN, PLAYER_MOST_GAIN)
                                       : hed_clamp(value, 0.0f, 1.0f);
}

float hed_synth_player_knob(const hed_synth_player *player, uint32_t knob)
{
    return player && knob < HED_SYNTH_KNOB_COUNT ? atomic_load(&player->knobs[knob]) : 0.0f;
}

void hed_synth_player_learn(hed_synth_player *player, int32_t knob)
{
    if (!player) return;
    bool is_knob = knob >= 0 && knob < HED_SYNTH_KNOB_COUNT;
    atomic_store(&player->learning, is_knob ? knob : HED_SYNTH_NO_KNOB);
}

int32_t hed_synth_player_learning(const hed_synth_player *player)
{
    return player ? atomic_load(&player->learning) : HED_SYNTH_NO_KNOB;
}

int32_t hed_synth_player_controller(const hed_synth_player *player, uint32_t knob)
{
    if (!player) return -1;
    return knob < HED_SYNTH_KNOB_COUNT ? atomic_load(&player->controllers[knob]) : -1;
}

void hed_synth_player_set_controller(hed_synth_player *player, uint32_t knob, int32_t controller)
{
    if (!player) return;
    if (knob >= HED_SYNTH_KNOB_COUNT) return;
    bool is_controller = controller >= 0 && controller < 120;
    atomic_store(&player->controllers[knob], is_controller ? controller : -1);
}

uint32_t hed_synth_player_latency(const hed_synth_player *player)
{
    return player ? atomic_load(&player->latency) : 0;
}

uint32_t hed_synth_player_tail(const hed_synth_player *player)
{
    return player ? atomic_load(&player->tail) : 0;
}

/* ---- creation and destruction ---- */

hed_status hed_synth_player_create(
    const hed_synth_player_def *def, hed_synth_player **player, hed_error *error)
{
    HED_REQUIRE(def, player);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    *player = NULL;
    if (!def->allocator.allocate || !def->allocator.release)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "hed_synth_player_def lacks an allocator: start from hed_default_synth_player_def()");
    if (!(def->rate == 0.0 || (def->rate >= 1000.0 && def->rate <= 768000.0)) || def->block < 1 ||
        def->block > MOST_BLOCK || def->inputs > MOST_INPUTS || def->stems > MOST_STEMS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a player needs a rate of 1000 to 768000 Hz, or 0 for not yet, a block of 1 to %d "
            "frames, at most %d inputs and at most %d stems",
            MOST_BLOCK, MOST_INPUTS, MOST_STEMS);
    hed_synth_player *created = hed_new(&def->allocator, 1, sizeof *created, error);
    if (!created) return error->status;
    created->allocator = def->allocator;
    created->rate = def->rate;
    created->fade_frames = (uint32_t)(FADE * def->rate) + 1;
    created->block = def->block;
    created->inputs = def->inputs;
    created->stems = def->stems;
    created->gain = created->gain_to = 1.0f;
    pthread_mutex_init(&created->lock, NULL);
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++) atomic_store(&created->controllers[i], -1);
    atomic_store(&created->learning, HED_SYNTH_NO_KNOB);
    /* a plugin loads no driver into its host and does not touch the user's files */
    hed_context_def context = hed_default_context_def();
    context.allocator = def->allocator;
    context.opencl_library = context.cuda_library = context.nvrtc_library = "";
    context.vulkan_library = context.gl_library = context.cache_dir = context.database = "";
    context.device = "host";
    context.host_threads = 1;
    created->scratch = hed_new(&created->allocator, 2ull * created->block, sizeof(float), error);
    player_stems_create(created, error);
    hed_context_create(&context, &created->context, error);
    if (!hed_failed(error)) hed_device_find(created->context, "host", &created->device, error);
    if (error->status) hed_synth_player_destroy(created);
    else *player = created;
    return error->status;
}

void player_free_source(const hed_allocator *allocator, player_source *source)
{
    hed_synth_instrument_destroy(source->instrument);
    hed_delete(allocator, source->text, source->size + 1, 1);
}

static void sound_destroy(player_sound *sound)
{
    if (!sound) return;
    hed_allocator allocator = sound->allocator;
    player_stems_close(sound);
    hed_synth_destroy(sound->synth);
    hed_delete(&allocator, sound, 1, sizeof *sound);
}

void hed_synth_player_destroy(hed_synth_player *player)
{
    if (!player) return;
    hed_synth_player_collect(player);
    sound_destroy(atomic_load(&player->next));
    sound_destroy(player->former);
    sound_destroy(player->sounding);
    hed_allocator allocator = player->allocator;
    player_free_source(&allocator, &player->source);
    hed_delete(&allocator, player->state, player->state_room, 1);
    hed_delete(&allocator, player->scratch, 2ull * player->block, sizeof(float));
    player_stems_destroy(player);
    hed_context_destroy(player->context);
    pthread_mutex_destroy(&player->lock);
    hed_delete(&allocator, player, 1, sizeof *player);
}

void hed_synth_player_collect(hed_synth_player *player)
{
    if (!player) return;
    sound_destroy(atomic_exchange(&player->retired, NULL));
}

/* ---- loading ---- */

/* Reads the macros' initial values: each is that of the first MIDI source of the macro. */
static void initial_knobs(const hed_synth_instrument *instrument, float *knobs)
{
    uint32_t count = hed_synth_instrument_count(instrument, HED_SYNTH_MIDI_SOURCE);
    memset(knobs, 0, HED_SYNTH_MACROS * sizeof *knobs);
    for (uint32_t i = count; i > 0; i--) {
        hed_synth_entity_def def;
        hed_synth_entity entity = hed_synth_instrument_at(instrument, HED_SYNTH_MIDI_SOURCE, i - 1);
        if (hed_synth_instrument_get(instrument, entity, &def, NULL)) continue;
        const hed_synth_midi_source_def *source = &def.as.midi_source;
        if (source->kind == HED_SYNTH_MIDI_HOST && source->number < HED_SYNTH_MACROS)
            knobs[source->number] = knob_value(source->number, source->initial);
    }
}

static hed_status sound_create(hed_synth_player *player, const hed_synth_instrument *instrument,
    double rate, player_sound **sound, hed_error *error)
{
    player_sound *created = hed_new(&player->allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = player->allocator;
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.block = player->block;
    def.inputs = player->inputs;
    def.max_events = SYNTH_EVENT_ROOM;
    def.solver = HED_SYNTH_SOLVER_CPU;
    created->master = hed_exp(hed_synth_instrument_definition(instrument)->gain * DECIBEL);
    if (hed_synth_create(player->device, &def, &created->synth, error) ||
        player_stems_open(created, error)) {
        sound_destroy(created);
        return error->status;
    }
    hed_synth_info info;
    info = hed_synth_describe(created->synth);
    /* an instrument with inputs is an effect, whose input the host has to keep in time */
    uint32_t latency = info.latency;
    if (hed_synth_instrument_count(instrument, HED_SYNTH_AUDIO_INPUT))
        latency += info.input_latency;
    atomic_store(&player->latency, latency);
    double tail = hed_synth_instrument_tail(instrument) * rate + latency;
    atomic_store(&player->tail, tail < INT32_MAX ? (uint32_t)tail : INT32_MAX);
    *sound = created;
    return HED_OK;
}

/* Puts the source and its sound into the player, under its lock; `source` gets the former one. */
static void exchange_source(hed_synth_player *player, player_source *source, player_sound *sound,
    const player_macros *macros)
{
    player_source former = player->source;
    player->source = *source;
    player->number++;
    *source = former;
    if (!sound) return;
    sound->macros = *macros;
    sound_destroy(atomic_exchange(&player->next, sound));
}

hed_status player_take(hed_synth_player *player, player_source *source,
    const player_settings *settings, hed_error *error)
{
    player_sound *sound = NULL;
    float knobs[HED_SYNTH_MACROS];
    pthread_mutex_lock(&player->lock);
    hed_status status = HED_OK;
    if (player->rate > 0.0)
        status = sound_create(player, source->instrument, player->rate, &sound, error);
    if (!status) {
        initial_knobs(source->instrument, knobs);
        const player_macros no_macros = {.turned = 0},
                            *macros = settings ? &settings->macros : &no_macros;
        for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++)
            atomic_store(&player->knobs[i], macros->turned >> i & 1 ? macros->values[i] : knobs[i]);
        atomic_store(&player->turned, macros->turned);
        if (settings) {
            atomic_store(&player->knobs[HED_SYNTH_KNOB_GAIN], settings->gain);
            for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++)
                hed_synth_player_set_controller(player, i, settings->controllers[i]);
        }
        exchange_source(player, source, sound, macros);
    }
    pthread_mutex_unlock(&player->lock);
    player_free_source(&player->allocator, source);
    hed_synth_player_collect(player);
    return status;
}

hed_status player_take_edited(hed_synth_player *player, player_source *source, hed_error *error)
{
    player_sound *sound = NULL;
    float knobs[HED_SYNTH_MACROS];
    pthread_mutex_lock(&player->lock);
    hed_status status = HED_OK;
    if (!player->source.instrument)
        status = hed_fail(error, HED_ERROR_ARGUMENT, "the player has no instrument yet: load one");
    else if (player->rate > 0.0)
        status = sound_create(player, source->instrument, player->rate, &sound, error);
    if (!status) {
        player_macros macros = {.turned = atomic_load(&player->turned)};
        memcpy(source->name, player->source.name, sizeof source->name);
        memcpy(source->path, player->source.path, sizeof source->path);
        initial_knobs(source->instrument, knobs);
        for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++) {
            if (!(macros.turned >> i & 1)) atomic_store(&player->knobs[i], knobs[i]);
            macros.values[i] = atomic_load(&player->knobs[i]);
        }
        exchange_source(player, source, sound, &macros);
    }
    pthread_mutex_unlock(&player->lock);
    player_free_source(&player->allocator, source);
    hed_synth_player_collect(player);
    return status;
}

static hed_status keep_source_text(const hed_synth_player *player, const char *text, size_t size,
    player_source *source, hed_error *error)
{
    source->text = hed_new(&player->allocator, size + 1, 1, error);
    if (!source->text) return HED_ERROR_MEMORY;
    source->size = size;
    memcpy(source->text, text, size);
    return HED_OK;
}

hed_status player_make_source(const hed_synth_player *player, const char *text, size_t size,
    const char *name, player_source *source, hed_error *error)
{
    *source = (player_source){0};
    hed_status status = hed_synth_instrument_parse(text, size, name, &source->instrument, error);
    return status ? status : keep_source_text(player, text, size, source, error);
}

/* Reads the file of an instrument. The text of one with layers gets their instruments in place of
 * their files, since a session opens on a machine without the files. */
static hed_status read_source(
    const hed_synth_player *player, const char *path, player_source *source, hed_error *error)
{
    char *text = NULL;
    size_t size;
    *source = (player_source){0};
    hed_status status = hed_synth_instrument_read(path, &source->instrument, error);
    if (!status)
        status = hed_synth_instrument_layer_count(source->instrument)
                     ? hed_synth_instrument_print(source->instrument, &text, &size, error)
                     : hed_file_read(path, LARGEST_FILE, &text, &size, error);
    if (!status) keep_source_text(player, text, size, source, error);
    free(text);
    return error->status;
}

hed_status hed_synth_player_load_text(
    hed_synth_player *player, const char *text, size_t size, const char *name, hed_error *error)
{
    HED_REQUIRE(player, text || !size, name);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    player_source source;
    if (player_make_source(player, text, size, name, &source, error)) {
        player_free_source(&player->allocator, &source);
        return error->status;
    }
    snprintf(source.name, sizeof source.name, "%s", name);
    return player_take(player, &source, NULL, error);
}

hed_status hed_synth_player_edit(
    hed_synth_player *player, const char *text, size_t size, hed_error *error)
{
    HED_REQUIRE(player, text || !size);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    player_source source;
    if (player_make_source(player, text, size, "the edited instrument", &source, error)) {
        player_free_source(&player->allocator, &source);
        return error->status;
    }
    return player_take_edited(player, &source, error);
}

size_t hed_synth_player_text(hed_synth_player *player, char *text, size_t room, uint64_t *number)
{
    if (!player) return 0;
    pthread_mutex_lock(&player->lock);
    size_t size = player->source.instrument ? player->source.size : 0;
    if (text && size < room) {
        if (size) memcpy(text, player->source.text, size);
        text[size] = 0;
    }
    if (number) *number = player->number;
    pthread_mutex_unlock(&player->lock);
    return size;
}

hed_status hed_synth_player_load(hed_synth_player *player, const char *path, hed_error *error)
{
    HED_REQUIRE(player, path);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    player_source source;
    if (read_source(player, path, &source, error)) {
        player_free_source(&player->allocator, &source);
        return error->status;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) length -= 5;
    if (length >= sizeof source.name) length = sizeof source.name - 1;
    memcpy(source.name, name, length);
    if (strlen(path) < sizeof source.path) strcpy(source.path, path);
    return player_take(player, &source, NULL, error);
}

hed_status hed_synth_player_set_rate(hed_synth_player *player, double rate, hed_error *error)
{
    HED_REQUIRE(player);
    hed_error unseen = {0};
    if (!error) error = &unseen;
    if (!(rate >= 1000.0 && rate <= 768000.0))
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "a rate of %g Hz; expected 1000 to 768000", rate);
    pthread_mutex_lock(&player->lock);
    player_sound *next = atomic_exchange(&player->next, NULL);
    if (next) {
        sound_destroy(player->sounding);
        player->sounding = next;
    }
    sound_destroy(player->former);
    player->former = NULL;
    hed_synth_player_collect(player);
    if (rate != player->rate && player->source.instrument) {
        sound_destroy(player->sounding);
        player->sounding = NULL;
        sound_create(player, player->source.instrument, rate, &player->sounding, error);
    }
    player->rate = rate;
    player->fade_frames = (uint32_t)(FADE * rate) + 1;
    hed_synth_player_reset(player);
    pthread_mutex_unlock(&player->lock);
    return error->status;
}

/* ---- events: the audio thread from here on ---- */

static bool player_add(hed_synth_player *player, const hed_synth_event *event)
{
    bool added = synth_events_add(&player->events, event);
    atomic_fetch_add(added ? &player->played : &player->lost, 1);
    return added;
}

/* Adds a change of the gain. Of several at one frame the last is valid; in a full list the last
 * is replaced. */
static void add_gain(hed_synth_player *player, uint32_t frame, float decibels)
{
    uint32_t at = player->gain_count;
    if (at < PLAYER_GAINS) player->gain_count++;
    else at--;
    for (; at > 0 && player->gains[at - 1].frame > frame; at--)
        player->gains[at] = player->gains[at - 1];
    player->gains[at] = (player_gain){frame, decibels};
}

static bool send_knob(hed_synth_player *player, uint32_t frame, uint32_t knob)
{
    float value = knob_value(knob, atomic_load(&player->knobs[knob]) + player->amounts[knob]);
    if (knob == HED_SYNTH_KNOB_GAIN) {
        add_gain(player, frame, value);
        return true;
    }
    return player_add(player, &(hed_synth_event){.frame = frame, .kind = HED_SYNTH_EVENT_HOST,
                                  .number = knob, .value = value});
}

bool hed_synth_player_turn(hed_synth_player *player, uint32_t frame, uint32_t knob, float value)
{
    if (!player) return false;
    if (knob >= HED_SYNTH_KNOB_COUNT || !isfinite(value)) return false;
    value = knob_value(knob, value);
    atomic_store(&player->knobs[knob], value);
    if (knob != HED_SYNTH_KNOB_GAIN) atomic_fetch_or(&player->turned, 1u << knob);
    return send_knob(player, frame, knob);
}

bool hed_synth_player_modulate(
    hed_synth_player *player, uint32_t frame, uint32_t knob, float amount)
{
    if (!player) return false;
    if (knob >= HED_SYNTH_KNOB_COUNT || !isfinite(amount)) return false;
    player->amounts[knob] = amount;
    return send_knob(player, frame, knob);
}

/* True for controllers without a fixed meaning: not bank select, data entry, parameter numbers,
 * or the sustain pedal. */
static bool may_be_learned(uint32_t controller)
{
    return controller < 120 && controller != 0 && controller != 32 && controller != 6 &&
           controller != 38 && controller != 64 && (controller < 96 || controller > 101);
}

static void follow_controller(hed_synth_player *player, const hed_synth_event *event)
{
    int32_t controller = event->bytes[1], knob = atomic_load(&player->learning);
    if (knob != HED_SYNTH_NO_KNOB && may_be_learned(event->bytes[1])) {
        for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++)
            if (hed_synth_player_controller(player, i) == controller)
                hed_synth_player_set_controller(player, i, -1);
        hed_synth_player_set_controller(player, (uint32_t)knob, controller);
        atomic_store(&player->learning, HED_SYNTH_NO_KNOB);
    }
    float share = (float)event->bytes[2] / 127.0f;
    for (uint32_t i = 0; i < HED_SYNTH_KNOB_COUNT; i++)
        if (hed_synth_player_controller(player, i) == controller)
            hed_synth_player_turn(player, event->frame, i,
                i == HED_SYNTH_KNOB_GAIN
                    ? PLAYER_LEAST_GAIN + share * (PLAYER_MOST_GAIN - PLAYER_LEAST_GAIN)
                    : share);
}

bool hed_synth_player_event(hed_synth_player *player, const hed_synth_event *event)
{
    if (!player || !event) return false;
    hed_synth_event midi;
    switch (event->kind) {
    case HED_SYNTH_EVENT_MIDI:
        if (!synth_events_from_midi(event->bytes, 3, &midi)) return false;
        midi.frame = event->frame;
        if ((midi.bytes[0] & 0xf0) == 0xb0) follow_controller(player, &midi);
        return player_add(player, &midi);
    case HED_SYNTH_EVENT_TEMPO:
        return event->value > 0.0f && event->value < 1e6f && player_add(player, event);
    case HED_SYNTH_EVENT_SET: return isfinite(event->value) && player_add(player, event);
    case HED_SYNTH_EVENT_HOST:
        if (event->number < HED_SYNTH_MACROS)
            return hed_synth_player_turn(player, event->frame, event->number, event->value);
        return isfinite(event->value) && player_add(player, event);
    case HED_SYNTH_EVENT_CHOKE:
    case HED_SYNTH_EVENT_NOTE_HOST:
        return event->bytes[0] < 16 && event->bytes[1] < 128 && event->number < HED_SYNTH_MACROS &&
               isfinite(event->value) && player_add(player, event);
    }
    return false;
}

bool hed_synth_player_midi(
    hed_synth_player *player, uint32_t frame, const uint8_t *bytes, uint32_t size)
{
    if (!player || (!bytes && size)) return false;
    hed_synth_event event;
    if (!synth_events_from_midi(bytes, size, &event)) return false;
    event.frame = frame;
    return hed_synth_player_event(player, &event);
}

/* ---- sound ---- */

/* Returns the previous instrument to the loading side as soon as `retired` is free. */
static void retire(hed_synth_player *player)
{
    if (!player->former || atomic_load(&player->retired)) return;
    atomic_store(&player->retired, player->former);
    player->former = NULL;
}

static void player_turn_gain(hed_synth_player *player, float decibels)
{
    float gain = hed_exp(decibels * DECIBEL); /* exactly 1 for 0 dB */
    if (gain == player->gain_to) return;
    player->gain_to = gain;
    player->gain_step = (player->gain_to - player->gain) / (float)player->fade_frames;
    player->gain_left = player->fade_frames;
}

static void take_next(hed_synth_player *player)
{
    if (!player->fade_left) retire(player);
    /* no place to put the present instrument */
    if (player->former || atomic_load(&player->retired)) return;
    player_sound *next = atomic_exchange(&player->next, NULL);
    if (!next) return;
    player->former = player->sounding;
    player->sounding = next;
    player->before = next->macros;
    /* a restored state may have another gain */
    memset(player->amounts, 0, sizeof player->amounts);
    player_turn_gain(player, atomic_load(&player->knobs[HED_SYNTH_KNOB_GAIN]));
    player->fade_left = player->former ? player->fade_frames : 0;
    player->say_macros = true;
}

static bool is_turned_in_run(const hed_synth_player *player, uint32_t macro)
{
    for (uint32_t i = 0; i < player->events.count; i++) {
        const hed_synth_event *event = &player->events.at[i];
        if (event->kind == HED_SYNTH_EVENT_HOST && event->number == macro) return true;
    }
    return false;
}

/* Puts an event before all others of the run. */
static void add_first(synth_events *events, const hed_synth_event *event)
{
    if (events->count == SYNTH_EVENT_ROOM) return;
    memmove(&events->at[1], &events->at[0], events->count++ * sizeof *events->at);
    events->at[0] = *event;
}

/* Sends the tempo, and the macros that differ from the instrument's values, to a synth that is new or
 * was reset, before all other events. */
static void say_macros(hed_synth_player *player)
{
    synth_events *events = &player->events;
    hed_synth_event tempo = {.kind = HED_SYNTH_EVENT_TEMPO, .value = player->tempo};
    if (player->tempo > 0.0f) add_first(events, &tempo);
    uint32_t turned = atomic_load(&player->turned);
    player->say_macros = false;
    for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++) {
        hed_synth_event event = {.kind = HED_SYNTH_EVENT_HOST, .number = i};
        bool is_turned = is_turned_in_run(player, i);
        event.value = is_turned ? player->before.values[i] : atomic_load(&player->knobs[i]);
        if ((is_turned ? player->before.turned : turned) >> i & 1) add_first(events, &event);
    }
}

/* Plays at most `frames` from frame `done` on with the events from `next` on, whose frames count
 * from the beginning of the run; returns the frames played and the number of their events. If
 * there are more events than the synth takes at once, it plays fewer frames; if all events are
 * at one frame, the last ones are lost. */
static uint32_t play_piece(
    hed_synth_player *player, hed_synth_block *block, uint32_t done, uint32_t next)
{
    synth_events *events = &player->events;
    uint32_t last = next;
    for (; last < events->count && events->at[last].frame < done + block->frames; last++)
        events->at[last].frame -= done;
    block->events = events->at + next;
    for (;;) {
        block->event_count = last - next;
        if (!hed_synth_process(player->sounding->synth, block, NULL) || last == next) return last;
        uint32_t middle = events->at[next + (last - next) / 2].frame;
        if (middle > 0) {
            block->frames = middle;
            while (last > next && events->at[last - 1].frame >= middle)
                events->at[--last].frame += done;
        } else {
            hed_synth_event *dropped = &events->at[--last];
            memmove(dropped, dropped + 1, (--events->count - last) * sizeof *dropped);
            atomic_fetch_add(&player->lost, 1);
        }
    }
}

/* Buffers of a run. */
typedef struct player_output {
    float *left, *right, *const *stems; /* stems NULL: none */
} player_output;

/* Mixes the fading previous instrument into the output. */
static void fade_former(hed_synth_player *player, const float *const *inputs, uint32_t done,
    uint32_t frames, const player_output *to)
{
    float *left = to->left + done, *right = to->right + done;
    uint32_t count = frames < player->fade_left ? frames : player->fade_left;
    float *sound[2] = {player->scratch, player->scratch + player->block};
    hed_synth_block block = {
        .frames = count, .inputs = inputs, .left = sound[0], .right = sound[1],
        .stems = player_stems_rows(player, player->former, to->stems, done, true)};
    hed_synth_process(player->former->synth, &block, NULL); /* silent if it fails */
    player_stems_fade(player, to->stems, done, count);
    for (uint32_t n = 0; n < count; n++) {
        float share = (float)player->fade_left-- / (float)player->fade_frames;
        left[n] += share * sound[0][n];
        right[n] += share * sound[1][n];
    }
    if (!player->fade_left) retire(player);
}

static void apply_gain(hed_synth_player *player, uint32_t frames, const player_output *to)
{
    if (!player->gain_count && !player->gain_left && player->gain == 1.0f) return;
    uint32_t next = 0;
    for (uint32_t n = 0; n < frames; n++) {
        for (; next < player->gain_count && player->gains[next].frame <= n; next++)
            player_turn_gain(player, player->gains[next].decibels);
        if (player->gain_left && --player->gain_left) player->gain += player->gain_step;
        else player->gain = player->gain_to;
        to->left[n] *= player->gain;
        to->right[n] *= player->gain;
        for (uint32_t k = 0; to->stems && k < 2 * player->stems; k++)
            to->stems[k][n] *= player->gain;
    }
    player->gain_count = 0;
}

static void play_frames(
    hed_synth_player *player, uint32_t frames, const float *const *inputs, const player_output *to)
{
    for (uint32_t i = 0; i < player->events.count; i++)
        if (player->events.at[i].frame >= frames) player->events.at[i].frame = frames - 1;
    for (uint32_t i = 0; i < player->gain_count; i++)
        if (player->gains[i].frame >= frames) player->gains[i].frame = frames - 1;
    const float *moved[MOST_INPUTS];
    for (uint32_t done = 0, next = 0; done < frames;) {
        uint32_t rest = frames - done;
        for (uint32_t i = 0; inputs && i < player->inputs; i++)
            moved[i] = inputs[i] ? inputs[i] + done : player->zeros;
        hed_synth_block block = {.left = to->left + done, .right = to->right + done,
            .frames = rest < player->block ? rest : player->block,
            .inputs = inputs ? moved : NULL,
            .stems = player_stems_rows(player, player->sounding, to->stems, done, false)};
        next = play_piece(player, &block, done, next);
        player_stems_play(player, to->stems, done, block.frames);
        if (player->fade_left) fade_former(player, block.inputs, done, block.frames, to);
        done += block.frames;
    }
    for (uint32_t i = 0; i < player->events.count; i++)
        if (player->events.at[i].kind == HED_SYNTH_EVENT_TEMPO)
            player->tempo = player->events.at[i].value; /* tempo of the next synth */
    player->events.count = 0;
    player_stems_delay(player, to->stems, frames);
    apply_gain(player, frames, to);
}

void hed_synth_player_reset(hed_synth_player *player)
{
    if (!player) return;
    player->events.count = player->gain_count = player->gain_left = player->fade_left = 0;
    player->silent = 0;
    player_stems_reset(player);
    memset(player->amounts, 0, sizeof player->amounts);
    player_turn_gain(player, atomic_load(&player->knobs[HED_SYNTH_KNOB_GAIN]));
    player->gain = player->gain_to;
    player->gain_left = 0;
    player->say_macros = true;
    player->before.turned = atomic_load(&player->turned);
    for (uint32_t i = 0; i < HED_SYNTH_MACROS; i++)
        player->before.values[i] = atomic_load(&player->knobs[i]);
    if (player->sounding) hed_synth_reset(player->sounding->synth, NULL);
    retire(player);
}

hed_synth_note_state hed_synth_player_note(
    const hed_synth_player *player, uint32_t channel, uint32_t note)
{
    if (!player || !player->sounding) return HED_SYNTH_NOTE_ENDED;
    return hed_synth_note(player->sounding->synth, channel, note);
}

/* Counts silent frames at the end of the output, and reports the notes that were dropped. */
static void follow_output(
    hed_synth_player *player, uint32_t frames, const float *left, const float *right)
{
    for (uint32_t n = 0; n < frames; n++) {
        bool is_silent = hed_magnitude(left[n]) < 1e-7f && hed_magnitude(right[n]) < 1e-7f;
        player->silent = is_silent ? player->silent + (player->silent < UINT32_MAX) : 0;
    }
    hed_synth_info info;
    info = hed_synth_describe(player->sounding->synth);
    player->held = info.sounding;
    const hed_synth_note_info *n = &info.notes;
    atomic_store(&player->keys, n->low | (uint64_t)n->high << 8 | (uint64_t)n->dropped_low << 16 |
                                    (uint64_t)n->dropped_high << 24 |
                                    (uint64_t)n->deaf_channels << 32);
    atomic_store(&player->struck, n->struck);
    atomic_store(&player->dropped, n->dropped);
}

hed_synth_note_info hed_synth_player_notes(const hed_synth_player *player)
{
    if (!player) return (hed_synth_note_info){0};
    uint64_t keys = atomic_load(&player->keys);
    return (hed_synth_note_info){.struck = atomic_load(&player->struck),
        .dropped = atomic_load(&player->dropped), .low = (uint8_t)keys,
        .high = (uint8_t)(keys >> 8), .dropped_low = (uint8_t)(keys >> 16),
        .dropped_high = (uint8_t)(keys >> 24), .deaf_channels = (uint16_t)(keys >> 32)};
}

bool hed_synth_player_is_held(const hed_synth_player *player)
{
    return player && player->sounding && player->held > 0;
}

bool hed_synth_player_is_silent(const hed_synth_player *player)
{
    bool is_playing = player && player->sounding && player->held > 0;
    return !is_playing && (!player || player->silent >= 10 * player->fade_frames);
}

bool hed_synth_player_run_stems(hed_synth_player *player, uint32_t frames,
    const float *const *inputs, float *left, float *right, float *const *stems)
{
    if (!player || !left || !right) return false;
    const player_output to = {left, right, stems};
    take_next(player);
    if (player->sounding && player->say_macros) say_macros(player);
    if (frames > 0 && player->sounding) {
        fenv_t callers;
        fegetenv(&callers);
        fesetenv(FE_DFL_ENV); /* hosts flush denormals to zero, which would change bits */
        play_frames(player, frames, inputs, &to);
        fesetenv(&callers);
        follow_output(player, frames, left, right);
    } else if (frames > 0) {
        memset(left, 0, frames * sizeof *left);
        memset(right, 0, frames * sizeof *right);
        for (uint32_t k = 0; stems && k < 2 * player->stems; k++)
            memset(stems[k], 0, frames * sizeof *stems[k]);
        player->events.count = player->gain_count = 0;
    }
    return atomic_load(&player->retired) != NULL;
}

bool hed_synth_player_run(hed_synth_player *player, uint32_t frames, const float *const *inputs,
    float *left, float *right)
{
    return hed_synth_player_run_stems(player, frames, inputs, left, right, NULL);
}
