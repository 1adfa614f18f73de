/* The synth as a CLAP instrument. The host's main thread loads and saves, its audio thread
 * plays; the player synchronises the two. Notes arrive as MIDI, as MPE or as CLAP events. If the
 * instrument has MPE, each CLAP note gets its own channel, so that it can be bent and pressed
 * separately. */
#include "clap.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/author.h"

enum { MEMBERS = 15 /* channels 2 to 16 */, LARGEST_STATE = 256 << 20 };

/* Channel of a CLAP note. */
typedef struct member {
    int32_t note; /* -1: without id */
    int16_t port, channel, key;
    bool held, bent, pressed;
    uint64_t since;
} member;

typedef struct instance {
    clap_api_plugin plugin;
    const clap_api_host *host;
    const clap_api_host_params *host_params;
    const clap_api_host_state *host_state;
    const clap_api_host_preset_load *host_presets;
    const clap_api_host_log *host_log;
    hed_synth_player *player;
    _Atomic float note_bend_range;     /* semitones; 0: notes have no channels of their own */
    _Atomic bool called_back, learned; /* callback requested; a controller was learned since */
    /* owned by the audio thread */
    double told[PLUGIN_PARAMETERS]; /* values last sent to or received from the host */
    double tempo;
    member members[MEMBERS];
    uint64_t notes;
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

/* ---- notes ---- */

static void send_midi(instance *p, uint32_t frame, uint32_t status, uint32_t first, uint32_t second)
{
    const uint8_t bytes[] = {(uint8_t)status, (uint8_t)first, (uint8_t)second};
    hed_synth_player_midi(p->player, frame, bytes, 3);
}

static void bend_member(instance *p, uint32_t frame, uint32_t channel, double share)
{
    long value = lrint(8192 + 8191 * fmin(fmax(share, -1), 1));
    if (share <= -1) value = 0;
    send_midi(p, frame, 0xe0 | channel, (uint32_t)value & 127, (uint32_t)value >> 7);
}

static bool addresses(int32_t note, int16_t port, int16_t channel, int16_t key, const member *m)
{
    return (note < 0 || note == m->note) && (port < 0 || port == m->port) &&
           (channel < 0 || channel == m->channel) && (key < 0 || key == m->key);
}

/* Returns the channel silent for longest; if none is silent, the one with the oldest note. */
static uint32_t free_member(const instance *p)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < MEMBERS; i++) {
        const member *m = &p->members[i], *b = &p->members[best];
        if (m->held != b->held ? b->held : m->since < b->since) best = i;
    }
    return best;
}

static void note_on(instance *p, const clap_api_note *n, uint32_t velocity)
{
    uint32_t frame = n->header.time, channel = n->channel < 0 ? 0 : (uint32_t)n->channel & 15;
    if (n->key < 0 || n->key > 127) return;
    if (atomic_load(&p->note_bend_range) > 0) {
        uint32_t index = free_member(p);
        member *m = &p->members[index];
        channel = index + 1;
        if (m->held) send_midi(p, frame, 0x80 | channel, (uint32_t)m->key, 0);
        if (m->bent) bend_member(p, frame, channel, 0);
        if (m->pressed) send_midi(p, frame, 0xd0 | channel, 0, 0);
        *m = (member){n->note, n->port, n->channel, n->key, true, false, false, ++p->notes};
    }
    send_midi(p, frame, 0x90 | channel, (uint32_t)n->key, velocity ? velocity : 1);
}

static void note_off(instance *p, const clap_api_note *n, uint32_t velocity, bool choke)
{
    uint32_t frame = n->header.time, channel = n->channel < 0 ? 0 : (uint32_t)n->channel & 15;
    bool own = atomic_load(&p->note_bend_range) > 0;
    for (uint32_t i = 0; own && i < MEMBERS; i++) {
        member *m = &p->members[i];
        if (!m->since || (!m->held && !choke)) continue;
        if (!addresses(n->note, n->port, n->channel, n->key, m)) continue;
        if (choke) send_midi(p, frame, 0xb0 | (i + 1), 120, 0);
        else send_midi(p, frame, 0x80 | (i + 1), (uint32_t)m->key, velocity);
        m->held = false;
        m->since = ++p->notes;
    }
    if (own) return;
    if (n->key < 0) send_midi(p, frame, 0xb0 | channel, choke ? 120 : 123, 0);
    else send_midi(p, frame, 0x80 | channel, (uint32_t)n->key, velocity);
}

static void express(instance *p, const clap_api_expression *e)
{
    static const uint8_t controllers[] = {[CLAP_API_VOLUME] = 7, [CLAP_API_PAN] = 10,
        [CLAP_API_VIBRATO] = 1, [CLAP_API_EXPRESSION] = 11, [CLAP_API_BRIGHTNESS] = 74};
    float range = atomic_load(&p->note_bend_range);
    uint32_t frame = e->header.time, value = (uint32_t)lrint(127 * fmin(fmax(e->value, 0), 1));
    if (!isfinite(e->value) || e->expression < 0 || e->expression > CLAP_API_PRESSURE) return;
    if (range <= 0) { /* notes without their own channels have only pressure */
        uint32_t channel = e->channel < 0 ? 0 : (uint32_t)e->channel & 15;
        if (e->expression == CLAP_API_PRESSURE && e->key >= 0)
            send_midi(p, frame, 0xa0 | channel, (uint32_t)e->key, value);
        return;
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        member *m = &p->members[i];
        if (!m->since || !addresses(e->note, e->port, e->channel, e->key, m)) continue;
        if (e->expression == CLAP_API_TUNING) {
            bend_member(p, frame, i + 1, e->value / (double)range);
            m->bent = true;
        } else if (e->expression == CLAP_API_PRESSURE) {
            send_midi(p, frame, 0xd0 | (i + 1), value, 0);
            m->pressed = true;
        } else {
            send_midi(p, frame, 0xb0 | (i + 1), controllers[e->expression], value);
        }
    }
}

static void set_tempo(instance *p, uint32_t frame, const clap_api_transport *t)
{
    if (!(t->flags & CLAP_API_HAS_TEMPO) || t->tempo == p->tempo) return;
    p->tempo = t->tempo;
    hed_synth_player_event(
        p->player, &(hed_synth_event){
                       .frame = frame, .kind = HED_SYNTH_EVENT_TEMPO, .value = (float)t->tempo});
}

static void take_event(instance *p, const clap_api_event *event)
{
    if (event->space != 0) return; /* another event space */
    const void *whole = event;
    const clap_api_note *note = whole;
    const clap_api_value *value = whole;
    switch (event->type) {
    case CLAP_API_NOTE_ON:
    case CLAP_API_NOTE_OFF:
    case CLAP_API_NOTE_CHOKE: {
        uint32_t velocity = (uint32_t)lrint(127 * fmin(fmax(note->velocity, 0), 1));
        if (event->type == CLAP_API_NOTE_ON) note_on(p, note, velocity);
        else note_off(p, note, velocity, event->type == CLAP_API_NOTE_CHOKE);
        break;
    }
    case CLAP_API_NOTE_EXPRESSION: express(p, whole); break;
    case CLAP_API_PARAM_VALUE:
        if (value->param >= PLUGIN_PARAMETERS || !isfinite(value->value)) break;
        p->told[value->param] = value->value;
        instance_set(p, event->time, value->param, value->value);
        break;
    case CLAP_API_TRANSPORT: set_tempo(p, event->time, whole); break;
    case CLAP_API_MIDI:
        hed_synth_player_midi(p->player, event->time, ((const clap_api_midi *)whole)->bytes, 3);
        break;
    default: break;
    }
}

static void parameter_flush(
    const clap_api_plugin *plugin, const clap_api_in_events *in, const clap_api_out_events *out)
{
    instance *p = instance_of(plugin);
    for (uint32_t i = 0, n = in ? in->size(in) : 0; i < n; i++) {
        const clap_api_event *event = in->get(in, i);
        if (event && event->type == CLAP_API_PARAM_VALUE) take_event(p, event);
    }
    tell_parameters(p, out);
}

/* ---- sound ---- */

static int32_t instance_process(const clap_api_plugin *plugin, const clap_api_process *block)
{
    instance *p = instance_of(plugin);
    const clap_api_audio *from = block->input_count > 0 ? &block->inputs[0] : NULL;
    if (block->output_count < 1 || block->outputs[0].channels < 2 || !block->outputs[0].data32)
        return CLAP_API_ERROR;
    if (block->transport) set_tempo(p, 0, block->transport);
    for (uint32_t i = 0, n = block->in ? block->in->size(block->in) : 0; i < n; i++) {
        const clap_api_event *event = block->in->get(block->in, i);
        if (event) take_event(p, event);
    }
    const float *inputs[2];
    bool heard = from && from->data32 && from->channels >= 2;
    for (uint32_t i = 0; heard && i < 2; i++) inputs[i] = from->data32[i];
    bool retired = hed_synth_player_run(p->player, block->frames, heard ? inputs : NULL,
        block->outputs[0].data32[0], block->outputs[0].data32[1]);
    block->outputs[0].constant = 0;
    tell_parameters(p, block->out);
    if ((retired || atomic_load(&p->learned)) && !atomic_exchange(&p->called_back, true))
        p->host->request_callback(p->host);
    return CLAP_API_CONTINUE;
}

static void instance_on_main_thread(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    atomic_store(&p->called_back, false);
    hed_synth_player_collect(p->player);
    if (atomic_exchange(&p->learned, false) && p->host_state) p->host_state->mark_dirty(p->host);
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
    memset(p->members, 0, sizeof p->members);
    p->tempo = 0;
    hed_synth_player_reset(p->player);
}

static bool instance_activate(
    const clap_api_plugin *plugin, double rate, uint32_t least, uint32_t most)
{
    (void)least, (void)most; /* any number of frames is supported */
    instance *p = instance_of(plugin);
    hed_error error = {0};
    memset(p->members, 0, sizeof p->members);
    p->tempo = 0;
    if (!hed_synth_player_set_rate(p->player, rate, &error)) return true;
    instance_complain(p, &error);
    return false;
}

static void instance_deactivate(const clap_api_plugin *plugin) { (void)plugin; }

/* ---- loading and saving: the main thread ---- */

/* Updates the host after a load: it still shows the previous instrument's parameters. */
static void instance_refresh(instance *p)
{
    hed_synth_player_info info;
    info = hed_synth_player_describe(p->player);
    atomic_store(&p->note_bend_range, info.note_bend_range);
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

/* ---- ports and extensions ---- */

static uint32_t audio_port_count(const clap_api_plugin *plugin, bool input)
{
    (void)plugin, (void)input;
    return 1;
}

static bool audio_port_get(
    const clap_api_plugin *plugin, uint32_t index, bool input, clap_api_audio_port *port)
{
    (void)plugin;
    if (index > 0) return false;
    *port =
        (clap_api_audio_port){.id = input, .channels = 2, .type = "stereo", .in_place = UINT32_MAX};
    if (!input) port->flags = CLAP_API_MAIN_PORT;
    snprintf(port->name, sizeof port->name, "%s", input ? "In" : "Out");
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

static const void *instance_get_extension(const clap_api_plugin *plugin, const char *id)
{
    (void)plugin;
    static const clap_api_audio_ports audio_ports = {audio_port_count, audio_port_get};
    static const clap_api_note_ports note_ports = {note_port_count, note_port_get};
    static const clap_api_state state = {save_state, load_state};
    static const clap_api_latency latencies = {instance_latency};
    static const clap_api_params params = {parameter_count, parameter_get, parameter_value,
        parameter_to_text, parameter_from_text, parameter_flush};
    static const clap_api_preset_load presets = {load_location};
    static const struct {
        const char *id;
        const void *extension;
    } extensions[] = {{CLAP_API_AUDIO_PORTS, &audio_ports}, {CLAP_API_NOTE_PORTS, &note_ports},
        {CLAP_API_STATE, &state}, {CLAP_API_LATENCY, &latencies}, {CLAP_API_PARAMS, &params},
        {CLAP_API_PRESET_LOAD, &presets}, {CLAP_API_PRESET_LOAD_DRAFT, &presets}};
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
    p->host_presets = p->host->get_extension(p->host, CLAP_API_PRESET_LOAD);
    if (!p->host_presets)
        p->host_presets = p->host->get_extension(p->host, CLAP_API_PRESET_LOAD_DRAFT);
    hed_synth_player_def def = hed_default_synth_player_def();
    def.inputs = 2;
    hed_synth_player_create(&def, &p->player, &error);
    if (!error.status) plugin_load_preset(p->player, PLUGIN_FIRST, &error);
    if (error.status) instance_complain(p, &error);
    for (uint32_t id = 0; !error.status && id < PLUGIN_PARAMETERS; id++)
        p->told[id] = instance_value(p, id);
    return error.status == HED_OK;
}

static void instance_destroy(const clap_api_plugin *plugin)
{
    instance *p = instance_of(plugin);
    hed_synth_player_destroy(p->player);
    free(p);
}

static const char *const features[] = {"instrument", "synthesizer", "stereo", NULL};
static const clap_api_descriptor descriptor = {CLAP_API_VERSION, PLUGIN_ID, PLUGIN_NAME, "Heddle",
    "", "", "", HED_VERSION_TEXT, "Masses joined by springs, struck, plucked, bowed and heard",
    features};

static uint32_t plugin_count(const clap_api_factory *factory)
{
    (void)factory;
    return 1;
}

static const clap_api_descriptor *plugin_descriptor(const clap_api_factory *factory, uint32_t index)
{
    (void)factory;
    return index == 0 ? &descriptor : NULL;
}

static const clap_api_plugin *plugin_create(
    const clap_api_factory *factory, const clap_api_host *host, const char *id)
{
    (void)factory;
    instance *p = strcmp(id, PLUGIN_ID) == 0 ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->host = host;
    p->plugin = (clap_api_plugin){&descriptor, p, instance_init, instance_destroy,
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
