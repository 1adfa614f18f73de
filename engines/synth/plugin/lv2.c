/* The synth as an LV2 instrument (lv2plug.in): MIDI in, stereo out, knobs as control ports. The
 * instrument's file is a parameter (patch:Set) that the host's worker loads; it is in the state
 * too, together with the whole instrument as text. Hosts without a worker, or without a file
 * chooser, use presets and the state. */
#include "lv2.h"

#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/core/lv2_util.h>
#include <lv2/log/logger.h>
#include <lv2/midi/midi.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/time/time.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <pthread.h>
#include <stdlib.h>

#include "heddle/author.h"
#include "heddle/ring.h"

#define PLUGIN_INSTRUMENT PLUGIN_URI "#instrument" /* path of a file */
#define PLUGIN_STATE PLUGIN_URI "#state"           /* hed_synth_player_save()'s text */

enum {
    LONGEST_PATH = 1024, /* length including the final zero */
    NOTES = 1024         /* notes of the window that wait for a run */
};

/* A file that was loaded, or is to be loaded. */
typedef struct file_name {
    char path[LONGEST_PATH];
} file_name;

typedef struct instance {
    lv2_shared shared;
    double rate;
    LV2_URID_Map *map;
    LV2_Worker_Schedule *schedule; /* NULL: not supported by the host */
    LV2_Log_Logger log;
    LV2_Atom_Forge forge;
    struct {
        LV2_URID midi, path, string, set, get, property, value, instrument, state, position, bpm,
            changed;
    } id;
    /* ports */
    const LV2_Atom_Sequence *control;
    LV2_Atom_Sequence *notify;
    float *left, *right, *latency;
    const float *inputs[PLUGIN_INPUTS], *knobs[PLUGIN_PARAMETERS];
    float *stems[2 * PLUGIN_STEMS];
    bool has_many;
    /* owned by the audio thread */
    float told[PLUGIN_PARAMETERS]; /* last values of the knobs' ports */
    uint64_t dropped;              /* notes that the instrument does not play, as last reported */
    file_name file;                /* file shown by the host */
    bool tell;
    /* true: a state was restored, and the ports may still have the values of before */
    _Atomic bool restored;
    /* messages from the loading thread to the audio thread */
    pthread_mutex_t telling;
    hed_ring *files;
} instance;

/* ---- creation and destruction ---- */

static void map_names(instance *p)
{
    LV2_URID_Map *map = p->map;
    const struct {
        LV2_URID *id;
        const char *uri;
    } names[] = {{&p->id.midi, LV2_MIDI__MidiEvent}, {&p->id.path, LV2_ATOM__Path},
        {&p->id.string, LV2_ATOM__String}, {&p->id.set, LV2_PATCH__Set},
        {&p->id.get, LV2_PATCH__Get}, {&p->id.property, LV2_PATCH__property},
        {&p->id.value, LV2_PATCH__value}, {&p->id.instrument, PLUGIN_INSTRUMENT},
        {&p->id.state, PLUGIN_STATE}, {&p->id.position, LV2_TIME__Position},
        {&p->id.bpm, LV2_TIME__beatsPerMinute}, {&p->id.changed, LV2_STATE__StateChanged}};
    for (uint32_t i = 0; i < HED_COUNT(names); i++)
        *names[i].id = map->map(map->handle, names[i].uri);
    lv2_atom_forge_init(&p->forge, map);
}

static void lv2_complain(instance *p, const hed_error *error)
{
    lv2_log_error(&p->log, "heddle: %s\n", error->text);
}

static void lv2_cleanup(LV2_Handle handle)
{
    instance *p = handle;
    hed_synth_player_destroy(p->shared.player);
    hed_ring_destroy(p->shared.played);
    hed_ring_destroy(p->files);
    pthread_mutex_destroy(&p->telling);
    free(p);
}

static LV2_Handle lv2_instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
    const LV2_Feature *const *features)
{
    (void)bundle; /* everything is built in */
    instance *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->telling, NULL);
    p->rate = rate;
    p->has_many = strcmp(descriptor->URI, PLUGIN_MANY_URI) == 0;
    const char *missing = lv2_features_query(features, LV2_LOG__log, &p->log.log, false,
        LV2_URID__map, &p->map, true, LV2_WORKER__schedule, &p->schedule, false, NULL);
    lv2_log_logger_set_map(&p->log, p->map);
    hed_error error = {0};
    if (missing) {
        hed_fail(&error, HED_ERROR_UNSUPPORTED, "the host lacks %s", missing);
    } else {
        hed_synth_player_def def = hed_default_synth_player_def();
        map_names(p);
        def.rate = rate;
        def.inputs = p->has_many ? PLUGIN_INPUTS : 2;
        def.stems = p->has_many ? PLUGIN_STEMS : 0;
        hed_ring_create(NULL, sizeof(file_name), 8, &p->files, &error);
        hed_ring_create(NULL, 3, NOTES, &p->shared.played, &error);
        hed_synth_player_create(&def, &p->shared.player, &error);
        /* load a preset, so that the instance sounds at once */
        if (!error.status) plugin_load_preset(p->shared.player, PLUGIN_FIRST, &error);
    }
    if (!error.status) return p;
    lv2_complain(p, &error);
    lv2_cleanup(p);
    return NULL;
}

static void lv2_connect_port(LV2_Handle handle, uint32_t port, void *data)
{
    instance *p = handle;
    switch (port) {
    case CONTROL: p->control = data; break;
    case NOTIFY: p->notify = data; break;
    case LEFT: p->left = data; break;
    case RIGHT: p->right = data; break;
    case LATENCY: p->latency = data; break;
    case IN_LEFT:
    case IN_RIGHT: p->inputs[port - IN_LEFT] = data; break;
    default:
        if (port < MANY_INPUTS) p->knobs[port - KNOBS] = data;
        else if (p->has_many && port < MANY_STEMS) p->inputs[port - MANY_INPUTS + 2] = data;
        else if (p->has_many && port < MANY_PORTS) p->stems[port - MANY_STEMS] = data;
    }
}

/* Resets the synth. */
static void lv2_activate(LV2_Handle handle)
{
    instance *p = handle;
    hed_error error = {0};
    if (hed_synth_player_set_rate(p->shared.player, p->rate, &error)) lv2_complain(p, &error);
}

/* ---- loading: the worker, or the thread that restores ---- */

static bool load_file(instance *p, const char *path)
{
    hed_error error = {0};
    if (hed_synth_player_load(p->shared.player, path, &error)) {
        lv2_complain(p, &error);
        return false;
    }
    return true;
}

/* Queues a file's path, which the audio thread sends to the host; "" if the instrument came from
 * the state alone. */
static void lv2_tell_file(instance *p, const char *path)
{
    file_name file = {""};
    if (strlen(path) < sizeof file.path) strcpy(file.path, path);
    pthread_mutex_lock(&p->telling);
    hed_ring_push(p->files, &file); /* full: the host does not run the plugin */
    pthread_mutex_unlock(&p->telling);
}

static LV2_Worker_Status lv2_work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
    LV2_Worker_Respond_Handle to, uint32_t size, const void *data)
{
    (void)respond, (void)to;
    instance *p = handle;
    file_name file;
    hed_synth_note_info notes;
    char text[PLUGIN_NOTE_TEXT];
    if (size == sizeof notes) {
        memcpy(&notes, data, sizeof notes);
        if (plugin_describe_dropped(&notes, text)) lv2_log_warning(&p->log, "heddle: %s\n", text);
        return LV2_WORKER_SUCCESS;
    }
    if (size != sizeof file) return LV2_WORKER_ERR_UNKNOWN;
    memcpy(&file, data, sizeof file);
    if (!load_file(p, file.path)) return LV2_WORKER_ERR_UNKNOWN;
    lv2_tell_file(p, file.path);
    return LV2_WORKER_SUCCESS;
}

/* Does nothing: the player takes over the loaded instrument itself. */
static LV2_Worker_Status lv2_work_response(LV2_Handle handle, uint32_t size, const void *data)
{
    (void)handle, (void)size, (void)data;
    return LV2_WORKER_SUCCESS;
}

/* ---- the audio thread ---- */

static float atom_number(const LV2_Atom_Forge *forge, const LV2_Atom *atom)
{
    if (atom->type == forge->Float) return ((const LV2_Atom_Float *)atom)->body;
    if (atom->type == forge->Double) return (float)((const LV2_Atom_Double *)atom)->body;
    if (atom->type == forge->Int) return (float)((const LV2_Atom_Int *)atom)->body;
    return 0.0f;
}

/* patch:Set of the instrument, patch:Get, or a position in time. */
static void take_object(instance *p, const LV2_Atom_Object *object, uint32_t frame)
{
    if (object->body.otype == p->id.position) {
        const LV2_Atom *bpm = NULL;
        lv2_atom_object_get(object, p->id.bpm, &bpm, 0);
        if (bpm)
            hed_synth_player_event(p->shared.player, &(hed_synth_event){.frame = frame,
                                                         .kind = HED_SYNTH_EVENT_TEMPO,
                                                         .value = atom_number(&p->forge, bpm)});
    } else if (object->body.otype == p->id.get) {
        p->tell = true;
    } else if (object->body.otype == p->id.set && p->schedule) {
        const LV2_Atom *property = NULL, *value = NULL;
        lv2_atom_object_get(object, p->id.property, &property, p->id.value, &value, 0);
        if (!property || property->type != p->forge.URID ||
            ((const LV2_Atom_URID *)property)->body != p->id.instrument)
            return;
        file_name file = {""};
        if (!value || value->type != p->id.path || value->size >= sizeof file.path) return;
        memcpy(file.path, LV2_ATOM_BODY_CONST(value), value->size);
        p->schedule->schedule_work(p->schedule->handle, sizeof file, &file);
    }
}

static void lv2_take_events(instance *p)
{
    if (!p->control) return;
    LV2_ATOM_SEQUENCE_FOREACH (p->control, event) {
        uint32_t frame = event->time.frames < 0 ? 0 : (uint32_t)event->time.frames;
        if (event->body.type == p->id.midi)
            hed_synth_player_midi(
                p->shared.player, frame, LV2_ATOM_BODY_CONST(&event->body), event->body.size);
        else if (lv2_atom_forge_is_object_type(&p->forge, event->body.type) &&
                 event->body.size >= sizeof(LV2_Atom_Object_Body))
            take_object(p, (const LV2_Atom_Object *)&event->body, frame);
    }
}

/* Passes on knobs turned since the last run; until it is turned, a knob stays at the
 * instrument's value. A restored state contains the knobs: the values that the ports have in the
 * first run after it turn nothing. */
static void take_knobs(instance *p)
{
    if (atomic_exchange(&p->restored, false))
        for (uint32_t i = 0; i < PLUGIN_PARAMETERS; i++)
            if (p->knobs[i]) p->told[i] = *p->knobs[i];
    for (uint32_t i = 0; i < PLUGIN_PARAMETERS; i++) {
        if (!p->knobs[i] || *p->knobs[i] == p->told[i]) continue;
        p->told[i] = *p->knobs[i];
        if (i < HED_SYNTH_KNOB_COUNT) hed_synth_player_turn(p->shared.player, 0, i, p->told[i]);
        else if (p->told[i] >= 0.0f && p->told[i] <= (float)PLUGIN_FORGET)
            plugin_learn(p->shared.player, (uint32_t)p->told[i]);
    }
}

/* Sends the playing file as patch:Set, after a change and at the host's request. */
static void tell_host(instance *p)
{
    while (hed_ring_pop(p->files, &p->file)) p->tell = true;
    if (!p->notify) return;
    LV2_Atom_Forge *forge = &p->forge;
    LV2_Atom_Forge_Frame sequence, object;
    lv2_atom_forge_set_buffer(forge, (uint8_t *)p->notify, p->notify->atom.size);
    if (!lv2_atom_forge_sequence_head(forge, &sequence, 0)) return;
    if (p->tell && p->file.path[0]) {
        lv2_atom_forge_frame_time(forge, 0);
        lv2_atom_forge_object(forge, &object, 0, p->id.set);
        lv2_atom_forge_key(forge, p->id.property);
        lv2_atom_forge_urid(forge, p->id.instrument);
        lv2_atom_forge_key(forge, p->id.value);
        lv2_atom_forge_path(forge, p->file.path, (uint32_t)strlen(p->file.path));
        lv2_atom_forge_pop(forge, &object);
    }
    p->tell = false;
    if (atomic_exchange(&p->shared.changed, false)) {
        lv2_atom_forge_frame_time(forge, 0);
        lv2_atom_forge_object(forge, &object, 0, p->id.changed);
        lv2_atom_forge_pop(forge, &object);
    }
    lv2_atom_forge_pop(forge, &sequence);
}

/* True if each stem has a buffer: a host may leave ports unconnected, and then hears the mix alone. */
static bool has_stems(const instance *p)
{
    for (uint32_t i = 0; p->has_many && i < 2 * PLUGIN_STEMS; i++)
        if (!p->stems[i]) return false;
    return p->has_many;
}

static void lv2_run(LV2_Handle handle, uint32_t frames)
{
    instance *p = handle;
    uint8_t played[3];
    take_knobs(p);
    while (hed_ring_pop(p->shared.played, played))
        hed_synth_player_midi(p->shared.player, 0, played, sizeof played);
    lv2_take_events(p);
    tell_host(p);
    bool heard = p->has_many || (p->inputs[0] && p->inputs[1]);
    if (p->left && p->right)
        hed_synth_player_run_stems(p->shared.player, frames, heard ? p->inputs : NULL, p->left,
            p->right, has_stems(p) ? p->stems : NULL);
    hed_synth_note_info notes = hed_synth_player_notes(p->shared.player);
    /* asks the worker for a warning of notes that do not sound, once for an instrument */
    if (notes.dropped > 0 && p->dropped == 0 && p->schedule)
        p->schedule->schedule_work(p->schedule->handle, sizeof notes, &notes);
    p->dropped = notes.dropped;
    if (p->latency) *p->latency = (float)hed_synth_player_latency(p->shared.player);
}

/* ---- state ---- */

static LV2_State_Status lv2_save(LV2_Handle handle, LV2_State_Store_Function store,
    LV2_State_Handle to, uint32_t flags, const LV2_Feature *const *features)
{
    (void)flags;
    instance *p = handle;
    hed_error error = {0};
    size_t size;
    const char *state = hed_synth_player_save(p->shared.player, &size, &error);
    if (!state) {
        lv2_complain(p, &error);
        return LV2_STATE_ERR_UNKNOWN;
    }
    LV2_State_Status status = store(
        to, p->id.state, state, size + 1, p->id.string, LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
    /* store the path too, for people and for hosts that collect a session's files */
    LV2_State_Map_Path *map = lv2_features_data(features, LV2_STATE__mapPath);
    LV2_State_Free_Path *give = lv2_features_data(features, LV2_STATE__freePath);
    hed_synth_player_info info;
    info = hed_synth_player_describe(p->shared.player);
    if (status || !map || !info.path[0]) return status;
    char *abstract = map->abstract_path(map->handle, info.path);
    if (!abstract) return LV2_STATE_ERR_UNKNOWN;
    status = store(to, p->id.instrument, abstract, strlen(abstract) + 1, p->id.path,
        LV2_STATE_IS_POD); /* not portable: paths are mapped */
    if (give) give->free_path(give->handle, abstract);
    else free(abstract);
    return status;
}

/* Restores the text if there is one; a preset has only the file. */
static LV2_State_Status lv2_restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
    LV2_State_Handle from, uint32_t flags, const LV2_Feature *const *features)
{
    instance *p = handle;
    hed_error error = {0};
    size_t size = 0, path_size = 0;
    uint32_t type = 0, path_type = 0;
    const char *state = retrieve(from, p->id.state, &size, &type, &flags),
               *abstract = retrieve(from, p->id.instrument, &path_size, &path_type, &flags);
    LV2_State_Map_Path *map = lv2_features_data(features, LV2_STATE__mapPath);
    LV2_State_Free_Path *give = lv2_features_data(features, LV2_STATE__freePath);
    char *path = NULL;
    if (abstract && path_type == p->id.path && path_size > 1 && !abstract[path_size - 1] && map)
        path = map->absolute_path(map->handle, abstract);
    LV2_State_Status status = LV2_STATE_SUCCESS;
    if (state && type == p->id.string) {
        if (hed_synth_player_restore(p->shared.player, state, strnlen(state, size), &error)) {
            lv2_complain(p, &error);
            status = LV2_STATE_ERR_UNKNOWN;
        }
    } else if (state) {
        status = LV2_STATE_ERR_BAD_TYPE;
    } else if (path) {
        if (!load_file(p, path)) status = LV2_STATE_ERR_UNKNOWN;
    } else if (abstract) {
        status = map ? LV2_STATE_ERR_BAD_TYPE : LV2_STATE_ERR_NO_FEATURE;
    }
    if (!status) lv2_tell_file(p, path ? path : "");
    if (!status && (state || path)) atomic_store(&p->restored, true);
    if (path && give) give->free_path(give->handle, path);
    else free(path);
    return status;
}

static const void *lv2_extension_data(const char *uri)
{
    static const LV2_State_Interface state = {lv2_save, lv2_restore};
    static const LV2_Worker_Interface worker = {lv2_work, lv2_work_response, NULL};
    if (strcmp(uri, LV2_STATE__interface) == 0) return &state;
    return strcmp(uri, LV2_WORKER__interface) == 0 ? &worker : NULL;
}

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index)
{
    static const LV2_Descriptor descriptors[] = {
        {PLUGIN_URI, lv2_instantiate, lv2_connect_port, lv2_activate, lv2_run, NULL, lv2_cleanup,
            lv2_extension_data},
        {PLUGIN_MANY_URI, lv2_instantiate, lv2_connect_port, lv2_activate, lv2_run, NULL,
            lv2_cleanup, lv2_extension_data}};
    return index < HED_COUNT(descriptors) ? &descriptors[index] : NULL;
}
