/* The synth as a CLAP instrument. The host's main thread loads and saves, its audio thread
 * plays; the player synchronises the two. Notes arrive as MIDI, as MPE or as CLAP events
 * (clap_notes.c). */
#include "clap.h"

#include "clap_gui.h"
#include "clap_notes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/author.h"

enum {
    LARGEST_STATE = 256 << 20,
    NAMED_KEYS = 16 /* an instrument that names more keys is no kit: its keys are pitches */
};

typedef struct instance {
    clap_gui gui; /* first: clap_gui.c */
    clap_api_plugin plugin;
    const clap_api_host *host;
    const clap_api_host_params *host_params;
    const clap_api_host_state *host_state;
    const clap_api_host_preset_load *host_presets;
    const clap_api_host_log *host_log;
    const clap_api_host_voice_info *host_voices;
    const clap_api_host_note_name *host_names;
    const clap_api_host_tail *host_tail;
    const clap_api_host_audio_ports *host_ports;
    const clap_api_host_latency *host_latency;
    hed_synth_player *player;
    bool has_many;                     /* fifty inputs and microphones */
    uint32_t latency;                  /* frames, last told to the host; 0: not told yet */
    _Atomic bool called_back, learned; /* callback requested; a controller was learned since */
    /* owned by the audio thread */
    double told[PLUGIN_PARAMETERS]; /* values last sent to or received from the host */
    double tempo;
    uint32_t tail; /* frames, last told to the host */
    clap_notes notes;
    /* notes that the instrument does not play, as last reported */
    _Atomic uint64_t dropped;
} instance;

static instance *instance_of(const clap_api_plugin *plugin) { return plugin->data; }

static void instance_complain(const instance *p, const hed_error *error)
{
    if (p->host_log) p->host_log->log(p->host, CLAP_API_LOG_ERROR, error->text);
}

/* ---- parameters ---- */

static double instance_value(const instance *p, uint32_t id)
{
    return id < HED_SYNTH_KNOB_COUNT ? (double)hed_synth_player_knob(p->player, id)
                                     : hed_synth_player_learning(p->player) + 1;
}

static void instance_set(instance *p, uint32_t frame, uint32_t id, double value)
{
    if (id < HED_SYNTH_KNOB_COUNT) hed_synth_player_turn(p->player, frame, id, (float)value);
    else if (id == PLUGIN_LEARN && value >= 0 && value <= PLUGIN_FORGET)
        plugin_learn(p->player, (uint32_t)value);
}

/* Sends parameters to the host that changed without it. */
static void tell_parameters(instance *p, const clap_api_out_events *out)
{
    for (uint32_t id = 0; out && id < PLUGIN_PARAMETERS; id++) {
        double value = instance_value(p, id);
        if (value == p->told[id]) continue;
        clap_api_value event = {.header = {sizeof event, 0, 0, CLAP_API_PARAM_VALUE, 0},
            .param = id, .note = -1, .port = -1, .channel = -1, .key = -1, .value = value};
        /* the host already records the MIDI */
        if (id < HED_SYNTH_KNOB_COUNT) event.header.flags = CLAP_API_DONT_RECORD;
        if (out->try_push(out, &event.header)) p->told[id] = value;
        if (id == PLUGIN_LEARN && value == 0) atomic_store(&p->learned, true);
    }
}

/* Takes the actions of the window's user, and reports them to the host, which records them. */
static void take_window(instance *p, const clap_api_out_events *out)
{
    plugin_window_event event;
    while (hed_ring_pop(p->gui.def.events, &event)) {
        const clap_api_value value = {.header = {sizeof value, 0, 0, CLAP_API_PARAM_VALUE, 0},
            .param = event.knob, .note = -1, .port = -1, .channel = -1, .key = -1,
            .value = (double)event.value};
        clap_api_gesture gesture = {
            .header = {sizeof gesture, 0, 0, CLAP_API_GESTURE_END, 0}, .param = event.knob};
        if (event.kind == WINDOW_NOTE) hed_synth_player_midi(p->player, 0, event.bytes, 3);
        if (event.kind == WINDOW_KNOB) {
            instance_set(p, 0, event.knob, value.value);
            p->told[event.knob] = instance_value(p, event.knob);
            if (out) out->try_push(out, &value.header);
        }
        if (event.kind == WINDOW_TOUCH) {
            if (event.value > 0.0f) gesture.header.type = CLAP_API_GESTURE_BEGIN;
            if (out) out->try_push(out, &gesture.header);
        }
    }
}

static uint32_t parameter_count(const clap_api_plugin *plugin)
{
    (void)plugin;
    return PLUGIN_PARAMETERS;
}

static bool parameter_get(const clap_api_plugin *plugin, uint32_t index, clap_api_param *param)
{
    if (index >= PLUGIN_PARAMETERS) return false;
    hed_synth_player_info info;
    info = hed_synth_player_describe(instance_of(plugin)->player);
    *param = (clap_api_param){.id = index, .flags = CLAP_API_AUTOMATABLE, .most = 1};
    if (index == PLUGIN_LEARN) {
        snprintf(param->name, sizeof param->name, "Learn MIDI");
        param->flags = CLAP_API_STEPPED | CLAP_API_ENUM;
        param->most = PLUGIN_FORGET;
    } else if (info.knobs[index][0]) {
        snprintf(param->name, sizeof param->name, "%s", info.knobs[index]);
    } else {
        snprintf(param->name, sizeof param->name, "Macro %u", index + 1);
    }
    if (index < HED_SYNTH_KNOB_COUNT) param->flags |= CLAP_API_MODULATABLE;
    if (index < HED_SYNTH_MACROS)
        param->flags |= CLAP_API_MODULATABLE_PER_NOTE | CLAP_API_MODULATABLE_PER_KEY |
                        CLAP_API_MODULATABLE_PER_CHANNEL | CLAP_API_MODULATABLE_PER_PORT;
    if (index == HED_SYNTH_KNOB_GAIN) {
        param->least = -60;
        param->most = 12;
    }
    return true;
}

static bool parameter_value(const clap_api_plugin *plugin, uint32_t id, double *value)
{
    if (id >= PLUGIN_PARAMETERS) return false;
    *value = instance_value(instance_of(plugin), id);
    return true;
}

static bool parameter_to_text(
    const clap_api_plugin *plugin, uint32_t id, double value, char *text, uint32_t size)
{
    (void)plugin;
    if (id >= PLUGIN_PARAMETERS || !(value >= -60 && value <= 12)) return false;
    if (id == HED_SYNTH_KNOB_GAIN) snprintf(text, size, "%.1f dB", value);
    else if (id < HED_SYNTH_MACROS) snprintf(text, size, "%.3f", value);
    else if (value < 1) snprintf(text, size, "off");
    else if (value < 1 + HED_SYNTH_MACROS) snprintf(text, size, "macro %d", (int)value);
    else snprintf(text, size, "%s", (uint32_t)value == PLUGIN_FORGET ? "forget all" : "gain");
    return true;
}

static bool parameter_from_text(
    const clap_api_plugin *plugin, uint32_t id, const char *text, double *value)
{
    char name[32], *end;
    for (uint32_t i = 0; id == PLUGIN_LEARN && i <= PLUGIN_FORGET; i++) {
        parameter_to_text(plugin, id, i, name, sizeof name);
        if (strcmp(name, text) != 0) continue;
        *value = i;
        return true;
    }
    if (id >= PLUGIN_LEARN) return false;
    *value = strtod(text, &end);
    return end != text && isfinite(*value);
}

/* ---- events ---- */

static void set_tempo(instance *p, uint32_t frame, const clap_api_transport *t)
{
    if (!(t->flags & CLAP_API_HAS_TEMPO) || t->tempo == p->tempo) return;
    p->tempo = t->tempo;
    hed_synth_player_event(
        p->player, &(hed_synth_event){
                       .frame = frame, .kind = HED_SYNTH_EVENT_TEMPO, .value = (float)t->tempo});
}

/* Adds an amount to a knob, or to a macro in the voices of single notes. */
static void take_modulation(instance *p, const clap_api_value *event)
{
    bool is_global = event->note < 0 && event->port < 0 && event->channel < 0 && event->key < 0;
    if (event->param >= HED_SYNTH_KNOB_COUNT || !isfinite(event->value)) return;
    if (is_global)
        hed_synth_player_modulate(p->player, event->header.time, event->param, (float)event->value);
    else if (event->param < HED_SYNTH_MACROS) clap_notes_modulate(&p->notes, event);
}

static void take_event(instance *p, const clap_api_event *event)
{
    if (event->space != 0) return; /* another event space */
    const void *whole = event;
    const clap_api_value *value = whole;
    switch (event->type) {
    case CLAP_API_NOTE_ON:
    case CLAP_API_NOTE_OFF:
    case CLAP_API_NOTE_CHOKE: clap_notes_play(&p->notes, whole); break;
    case CLAP_API_NOTE_EXPRESSION: clap_notes_express(&p->notes, whole); break;
    case CLAP_API_PARAM_MOD: take_modulation(p, value); break;
    case CLAP_API_PARAM_VALUE:
        if (value->param >= PLUGIN_PARAMETERS || !isfinite(value->value)) break;
        p->told[value->param] = value->value;
        instance_set(p, event->time, value->param, value->value);
        break;
    case CLAP_API_TRANSPORT: set_tempo(p, event->time, whole); break;
    case CLAP_API_MIDI:
        hed_synth_player_midi(p->player, event->time, ((const clap_api_midi *)whole)->bytes, 3);
        break;
    case CLAP_API_MIDI_SYSEX: {
        const clap_api_midi_sysex *message = whole;
        hed_synth_player_midi(p->player, event->time, message->bytes, message->size);
        break;
    }
    default: break;
    }
}

static void parameter_flush(
    const clap_api_plugin *plugin, const clap_api_in_events *in, const clap_api_out_events *out)
{
    instance *p = instance_of(plugin);
    for (uint32_t i = 0, n = in ? in->size(in) : 0; i < n; i++) {
        const clap_api_event *event = in->get(in, i);
        if (event && (event->type == CLAP_API_PARAM_VALUE || event->type == CLAP_API_PARAM_MOD))
            take_event(p, event);
    }
    take_window(p, out);
    tell_parameters(p, out);
}

/* ---- sound ---- */

/* Marks channels whose frames are all equal. */
static uint64_t constant_channels(float *const *channels, uint32_t frames)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n = 1;
        while (n < frames && channels[i][n] == channels[i][0]) n++;
        if (n >= frames) mask |= (uint64_t)1 << i;
    }
    return mask;
}

/* Finds the channels of all input ports: the main port has two, the others one each. False: the host
 * gives no main port. A missing port is NULL, silent. */
static bool find_inputs(const instance *p, const clap_api_process *block, const float **inputs)
{
    const clap_api_audio *from = block->input_count > 0 ? &block->inputs[0] : NULL;
    if (!from || !from->data32 || from->channels < 2) return false;
    inputs[0] = from->data32[0];
    inputs[1] = from->data32[1];
    for (uint32_t i = 2; p->has_many && i < PLUGIN_INPUTS; i++) {
        bool is_there = i - 1 < block->input_count && block->inputs[i - 1].channels > 0 &&
                        block->inputs[i - 1].data32;
        inputs[i] = is_there ? block->inputs[i - 1].data32[0] : NULL;
    }
    return true;
}

static bool is_input_silent(const instance *p, const float *const *inputs, uint32_t frames)
{
    uint32_t count = p->has_many ? PLUGIN_INPUTS : 2;
    for (uint32_t i = 0; inputs && i < count; i++)
        for (uint32_t n = 0; inputs[i] && n < frames; n++)
            if (inputs[i][n] != 0.0f) return false;
    return true;
}

/* Finds the channels of all microphones' ports. False: the host lacks one, and only the mix is played. */
static bool find_stems(const instance *p, const clap_api_process *block, float **stems)
{
    for (uint32_t i = 0; p->has_many && i < PLUGIN_STEMS; i++) {
        if (i + 1 >= block->output_count || block->outputs[i + 1].channels < 2 ||
            !block->outputs[i + 1].data32)
            return false;
        stems[2 * i] = block->outputs[i + 1].data32[0];
        stems[2 * i + 1] = block->outputs[i + 1].data32[1];
    }
    return p->has_many;
}

/* Plays a block. True: the player has memory to free. */
static bool play_ports(instance *p, const clap_api_process *block, bool *is_quiet)
{
    const float *inputs[PLUGIN_INPUTS];
    float *stems[2 * PLUGIN_STEMS];
    bool is_heard = find_inputs(p, block, inputs), has_stems = find_stems(p, block, stems);
    /* read before output, which may be in place */
    *is_quiet = is_input_silent(p, is_heard ? inputs : NULL, block->frames);
    bool has_retired =
        hed_synth_player_run_stems(p->player, block->frames, is_heard ? inputs : NULL,
            block->outputs[0].data32[0], block->outputs[0].data32[1], has_stems ? stems : NULL);
    for (uint32_t i = 0; i < (has_stems ? 1 + PLUGIN_STEMS : 1); i++)
        block->outputs[i].constant = constant_channels(block->outputs[i].data32, block->frames);
    return has_retired;
}

/* Calls the main thread for tasks that the audio thread must not do. */
static void call_back(instance *p, bool retired)
{
    hed_synth_note_info unplayed = hed_synth_player_notes(p->player);
    if ((retired || atomic_load(&p->learned) || unplayed.dropped != atomic_load(&p->dropped)) &&
        !atomic_exchange(&p->called_back, true))
        p->host->request_callback(p->host);
    uint32_t tail = hed_synth_player_tail(p->player);
    if (tail == p->tail) return;
    p->tail = tail;
    if (p->host_tail) p->host_tail->changed(p->host);
}

static int32_t instance_process(const clap_api_plugin *plugin, const clap_api_process *block)
{
    instance *p = instance_of(plugin);
    if (block->output_count < 1 || block->outputs[0].channels < 2 || !block->outputs[0].data32)
        return CLAP_API_ERROR;
    if (block->transport) set_tempo(p, 0, block->transport);
    uint32_t event_count = block->in ? block->in->size(block->in) : 0;
    for (uint32_t i = 0; i < event_count; i++) {
        const clap_api_event *event = block->in->get(block->in, i);
        if (event) take_event(p, event);
    }
    take_window(p, block->out);
    bool quiet, retired = play_ports(p, block, &quiet);
    tell_parameters(p, block->out);
    if (block->frames > 0) clap_notes_report(&p->notes, block->frames - 1, block->out);
    call_back(p, retired);
    if (!quiet || event_count || hed_synth_player_is_held(p->player)) return CLAP_API_CONTINUE;
    return hed_synth_player_is_silent(p->player) ? CLAP_API_SLEEP : CLAP_API_TAIL_STATUS;
}

/* Reports the first notes that the instrument does not play. */
static void complain_of_notes(instance *p)
{
    hed_synth_note_info notes = hed_synth_player_notes(p->player);
    char text[PLUGIN_NOTE_TEXT];
    if (notes.dropped > atomic_load(&p->dropped) && p->host_log &&
        plugin_describe_dropped(&notes, text))
        p->host_log->log(p->host, CLAP_API_LOG_WARNING, text);
    atomic_store(&p->dropped, notes.dropped);
}

static bool instance_start_processing(const clap_api_plugin *plugin)
{
    (void)plugin;
    return true;
}

static void instance_stop_processing(const clap_api_plugin *plugin) { (void)plugin; }

static void instance_reset(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    clap_notes_reset(&p->notes);
    p->tempo = 0;
    hed_synth_player_reset(p->player);
}

static bool instance_activate(
    const clap_api_plugin *plugin, double rate, uint32_t least, uint32_t most)
{
    (void)least, (void)most; /* any number of frames is supported */
    instance *p = instance_of(plugin);
    hed_error error = {0};
    clap_notes_reset(&p->notes);
    p->tempo = 0;
    if (hed_synth_player_set_rate(p->player, rate, &error)) {
        instance_complain(p, &error);
        return false;
    }
    /* the only moment at which a latency may change */
    uint32_t latency = hed_synth_player_latency(p->player);
    if (p->latency && latency != p->latency && p->host_latency) p->host_latency->changed(p->host);
    p->latency = latency;
    return true;
}

static void instance_deactivate(const clap_api_plugin *plugin) { (void)plugin; }

/* ---- loading and saving: the main thread ---- */

/* Updates the host after a load: it still shows the previous instrument's parameters. */
static void instance_refresh(instance *p)
{
    hed_synth_player_info info;
    info = hed_synth_player_describe(p->player);
    atomic_store(&p->notes.bend_range, info.note_bend_range);
    /* an instrument that needs more samples a frame, or with inputs, may be later than the last */
    if (p->latency && p->latency != hed_synth_player_latency(p->player))
        p->host->request_restart(p->host);
    if (p->host_voices) p->host_voices->changed(p->host);
    if (p->host_names) p->host_names->changed(p->host);
    if (p->has_many && p->host_ports &&
        p->host_ports->can_rescan(p->host, CLAP_API_RESCAN_PORT_NAMES))
        p->host_ports->rescan(p->host, CLAP_API_RESCAN_PORT_NAMES);
    if (p->host_params)
        p->host_params->rescan(
            p->host, CLAP_API_RESCAN_INFO | CLAP_API_RESCAN_VALUES | CLAP_API_RESCAN_TEXT);
}

static bool load_location(
    const clap_api_plugin *plugin, uint32_t kind, const char *location, const char *key)
{
    instance *p = instance_of(plugin);
    hed_error error = {0};
    if (kind == CLAP_API_LOCATION_PLUGIN && key) plugin_load_preset(p->player, key, &error);
    else if (kind == CLAP_API_LOCATION_FILE && location)
        hed_synth_player_load(p->player, location, &error);
    else hed_fail(&error, HED_ERROR_ARGUMENT, "a preset is a file, or one of the plugin's by name");
    if (error.status) {
        instance_complain(p, &error);
        if (p->host_presets) p->host_presets->on_error(p->host, kind, location, key, 0, error.text);
        return false;
    }
    instance_refresh(p);
    if (p->host_presets) p->host_presets->loaded(p->host, kind, location, key);
    return true;
}

static bool save_state(const clap_api_plugin *plugin, const clap_api_out_stream *stream)
{
    instance *p = instance_of(plugin);
    hed_error error = {0};
    size_t size;
    const char *state = hed_synth_player_save(p->player, &size, &error);
    if (!state) {
        instance_complain(p, &error);
        return false;
    }
    for (size_t done = 0; done < size;) { /* hosts may accept partial writes */
        int64_t written = stream->write(stream, state + done, size - done);
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

static bool load_state(const clap_api_plugin *plugin, const clap_api_in_stream *stream)
{
    instance *p = instance_of(plugin);
    hed_error error = {0};
    size_t size = 0, room = 0;
    char *state = NULL;
    for (int64_t read = 1; read > 0 && !error.status; size += read > 0 ? (size_t)read : 0) {
        if (size == room && room < LARGEST_STATE) {
            char *larger = realloc(state, room = room ? 2 * room : 1 << 16);
            if (larger) state = larger;
            else HED_OUT_OF_MEMORY(&error, "a state");
        }
        if (size == room) hed_fail(&error, HED_ERROR_LIMIT, "a state of over %d bytes", LARGEST_STATE);
        read = error.status ? 0 : stream->read(stream, state + size, room - size);
        if (read < 0) hed_fail(&error, HED_ERROR_IO, "the host could not read the state");
    }
    if (!hed_synth_player_restore(p->player, state, size, &error)) instance_refresh(p);
    else instance_complain(p, &error);
    free(state);
    return error.status == HED_OK;
}

/* Answers requests of the threads that play and that follow the window. */
static void instance_on_main_thread(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    bool edited = atomic_exchange(&p->gui.edited, false);
    atomic_store(&p->called_back, false);
    hed_synth_player_collect(p->player);
    complain_of_notes(p);
    if ((atomic_exchange(&p->learned, false) || edited) && p->host_state)
        p->host_state->mark_dirty(p->host);
    if (edited) instance_refresh(p);
}

/* ---- ports and extensions ---- */

static uint32_t audio_port_count(const clap_api_plugin *plugin, bool input)
{
    if (!instance_of(plugin)->has_many) return 1;
    return input ? PLUGIN_INPUTS - 1 : 1 + PLUGIN_STEMS;
}

static bool audio_port_get(
    const clap_api_plugin *plugin, uint32_t index, bool input, clap_api_audio_port *port)
{
    if (index >= audio_port_count(plugin, input)) return false;
    bool is_main = index == 0, is_stereo = is_main || !input;
    *port = (clap_api_audio_port){.id = is_main ? input : 2 * index + input,
        .channels = is_stereo ? 2 : 1, .type = is_stereo ? "stereo" : "mono",
        .in_place = UINT32_MAX};
    if (is_main && !input) port->flags = CLAP_API_MAIN_PORT;
    if (is_main) snprintf(port->name, sizeof port->name, "%s", input ? "In" : "Out");
    else if (input) snprintf(port->name, sizeof port->name, "In %u", index + 2);
    else if (!hed_synth_player_microphone(
                 instance_of(plugin)->player, index - 1, port->name, sizeof port->name))
        snprintf(port->name, sizeof port->name, "Microphone %u (none)", index);
    return true;
}

static uint32_t note_port_count(const clap_api_plugin *plugin, bool input)
{
    (void)plugin;
    return input;
}

static bool note_port_get(
    const clap_api_plugin *plugin, uint32_t index, bool input, clap_api_note_port *port)
{
    (void)plugin;
    if (index > 0 || !input) return false;
    *port = (clap_api_note_port){
        .supported = CLAP_API_DIALECT_CLAP | CLAP_API_DIALECT_MIDI | CLAP_API_DIALECT_MPE,
        .preferred = CLAP_API_DIALECT_CLAP, .name = "Notes"};
    return true;
}

static uint32_t instance_latency(const clap_api_plugin *plugin)
{
    return hed_synth_player_latency(instance_of(plugin)->player);
}

static uint32_t instance_tail(const clap_api_plugin *plugin)
{
    return hed_synth_player_tail(instance_of(plugin)->player);
}

static bool get_voices(const clap_api_plugin *plugin, clap_api_voices *voices)
{
    hed_synth_player_info info;
    info = hed_synth_player_describe(instance_of(plugin)->player);
    *voices = (clap_api_voices){.count = info.voices ? info.voices : 1, .capacity = 64,
        .flags = CLAP_API_OVERLAPPING_NOTES};
    return true;
}

/* Finds named key `index`; returns the number of named keys before it, or of all. */
static uint32_t find_named_key(
    const clap_api_plugin *plugin, uint32_t index, clap_api_key_name *found)
{
    uint32_t count = 0;
    for (uint32_t key = 0; key < 128; key++) {
        clap_api_key_name name = {.port = -1, .key = (int16_t)key, .channel = -1};
        if (!hed_synth_player_key(instance_of(plugin)->player, key, name.name, sizeof name.name))
            continue;
        if (found && count == index) *found = name;
        count++;
    }
    return count > NAMED_KEYS ? 0 : count;
}

static uint32_t note_name_count(const clap_api_plugin *plugin)
{
    return find_named_key(plugin, 0, NULL);
}

static bool note_name_get(const clap_api_plugin *plugin, uint32_t index, clap_api_key_name *name)
{
    return find_named_key(plugin, index, name) > index;
}

static const void *instance_get_extension(const clap_api_plugin *plugin, const char *id)
{
    (void)plugin;
    static const clap_api_audio_ports audio_ports = {audio_port_count, audio_port_get};
    static const clap_api_note_ports note_ports = {note_port_count, note_port_get};
    static const clap_api_state state = {save_state, load_state};
    static const clap_api_latency latencies = {instance_latency};
    static const clap_api_tail tail = {instance_tail};
    static const clap_api_voice_info voices = {get_voices};
    static const clap_api_note_name names = {note_name_count, note_name_get};
    static const clap_api_params params = {parameter_count, parameter_get, parameter_value,
        parameter_to_text, parameter_from_text, parameter_flush};
    static const clap_api_preset_load presets = {load_location};
    static const struct {
        const char *id;
        const void *extension;
    } extensions[] = {{CLAP_API_AUDIO_PORTS, &audio_ports}, {CLAP_API_NOTE_PORTS, &note_ports},
        {CLAP_API_STATE, &state}, {CLAP_API_LATENCY, &latencies}, {CLAP_API_PARAMS, &params},
        {CLAP_API_TAIL, &tail}, {CLAP_API_VOICE_INFO, &voices}, {CLAP_API_NOTE_NAME, &names},
        {CLAP_API_PRESET_LOAD, &presets}, {CLAP_API_PRESET_LOAD_DRAFT, &presets}};
    if (strcmp(id, CLAP_API_GUI) == 0) return clap_gui_extension();
    for (uint32_t i = 0; i < HED_COUNT(extensions); i++)
        if (strcmp(id, extensions[i].id) == 0) return extensions[i].extension;
    return NULL;
}

/* ---- creation and destruction ---- */

static bool instance_init(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    hed_error error = {0};
    p->host_log = p->host->get_extension(p->host, CLAP_API_LOG);
    p->host_params = p->host->get_extension(p->host, CLAP_API_PARAMS);
    p->host_state = p->host->get_extension(p->host, CLAP_API_STATE);
    p->host_voices = p->host->get_extension(p->host, CLAP_API_VOICE_INFO);
    p->host_names = p->host->get_extension(p->host, CLAP_API_NOTE_NAME);
    p->host_tail = p->host->get_extension(p->host, CLAP_API_TAIL);
    p->host_ports = p->host->get_extension(p->host, CLAP_API_AUDIO_PORTS);
    p->host_latency = p->host->get_extension(p->host, CLAP_API_LATENCY);
    p->host_presets = p->host->get_extension(p->host, CLAP_API_PRESET_LOAD);
    if (!p->host_presets)
        p->host_presets = p->host->get_extension(p->host, CLAP_API_PRESET_LOAD_DRAFT);
    hed_synth_player_def def = hed_default_synth_player_def();
    def.inputs = p->has_many ? PLUGIN_INPUTS : 2;
    def.stems = p->has_many ? PLUGIN_STEMS : 0;
    hed_synth_player_create(&def, &p->player, &error);
    if (!error.status) plugin_load_preset(p->player, PLUGIN_FIRST, &error);
    if (!error.status) clap_gui_init(&p->gui, p->host, p->host_params, p->player, &error);
    if (error.status) instance_complain(p, &error);
    p->notes.player = p->player;
    for (uint32_t id = 0; !error.status && id < PLUGIN_PARAMETERS; id++)
        p->told[id] = instance_value(p, id);
    return error.status == HED_OK;
}

static void instance_destroy(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    clap_gui_destroy(&p->gui);
    hed_synth_player_destroy(p->player);
    free(p);
}

static const char *const features[] = {"instrument", "synthesizer", "stereo", NULL};
static const clap_api_descriptor descriptors[] = {
    {CLAP_API_VERSION, PLUGIN_ID, PLUGIN_NAME, "Heddle", "", "", "", HED_VERSION_TEXT,
        "Masses joined by springs, struck, plucked, bowed and heard", features},
    {CLAP_API_VERSION, PLUGIN_MANY_ID, PLUGIN_MANY_NAME, "Heddle", "", "", "", HED_VERSION_TEXT,
        "Masses joined by springs, with an output for each microphone, and fifty inputs", features}};

static uint32_t plugin_count(const clap_api_factory *factory)
{
    (void)factory;
    return HED_COUNT(descriptors);
}

static const clap_api_descriptor *plugin_descriptor(const clap_api_factory *factory, uint32_t index)
{
    (void)factory;
    return index < HED_COUNT(descriptors) ? &descriptors[index] : NULL;
}

static const clap_api_plugin *plugin_create(
    const clap_api_factory *factory, const clap_api_host *host, const char *id)
{
    (void)factory;
    uint32_t index = 0;
    while (index < HED_COUNT(descriptors) && strcmp(id, descriptors[index].id) != 0) index++;
    instance *p = index < HED_COUNT(descriptors) ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->host = host;
    p->has_many = strcmp(id, PLUGIN_MANY_ID) == 0;
    p->plugin = (clap_api_plugin){&descriptors[index], p, instance_init, instance_destroy,
        instance_activate, instance_deactivate, instance_start_processing, instance_stop_processing,
        instance_reset, instance_process, instance_get_extension, instance_on_main_thread};
    return &p->plugin;
}

static bool entry_init(const char *path)
{
    (void)path; /* everything is built in */
    return true;
}

static void entry_deinit(void) {}

static const void *get_factory(const char *id)
{
    static const clap_api_factory factory = {plugin_count, plugin_descriptor, plugin_create};
    if (strcmp(id, CLAP_API_FACTORY) == 0) return &factory;
    if (strcmp(id, CLAP_API_PRESETS) == 0 || strcmp(id, CLAP_API_PRESETS_DRAFT) == 0)
        return &clap_presets;
    return NULL;
}

const clap_api_entry clap_entry = {CLAP_API_VERSION, entry_init, entry_deinit, get_factory};
