/* The LV2 plugin in a host of our own, which needs LV2's headers alone: what it plays is what a
 * render gives; files by patch:Set with a worker, without one, and with one that is never called;
 * state by path and by text, whole and broken; knobs, learning, latency and empty runs. */
#include "synth_player.h"

#ifdef PLUGIN_BUNDLE
#include <dlfcn.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/time/time.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <math.h>
#include <unistd.h>

#define SYNTH_URI "urn:heddle:synth"

enum {
    FRAMES = 12000,
    CONTROL = 0,
    NOTIFY,
    LEFT,
    RIGHT,
    LATENCY,
    IN_LEFT,
    MACRO1 = 7,
    GAIN = 15,
    LEARN,
    PORTS
};

/* ---- the host ---- */

typedef struct property {
    LV2_URID key, type;
    char bytes[1 << 18];
    size_t size;
} property;

static struct {
    void *library;
    const LV2_Descriptor *descriptor, *many;
    char *uris[64];
    uint32_t uri_count;
    char job[4096]; /* for the worker, which is called when the test likes */
    uint32_t job_size, jobs;
    property state[8];
    uint32_t properties;
    bool refuse_paths;
    LV2_Atom_Forge forge;
    union {
        LV2_Atom_Sequence sequence;
        uint8_t bytes[1 << 16];
    } in, out;
    LV2_Atom_Forge_Frame frame;
    float ports[PORTS];
} host;

static LV2_URID map_uri(LV2_URID_Map_Handle handle, const char *uri)
{
    (void)handle;
    for (uint32_t i = 0; i < host.uri_count; i++)
        if (strcmp(host.uris[i], uri) == 0) return i + 1;
    CHECK(host.uri_count < 64);
    host.uris[host.uri_count] = strdup(uri);
    return ++host.uri_count;
}

static LV2_Worker_Status schedule_work(
    LV2_Worker_Schedule_Handle handle, uint32_t size, const void *data)
{
    (void)handle;
    CHECK(size <= sizeof host.job);
    memcpy(host.job, data, size);
    host.job_size = size;
    host.jobs++;
    return LV2_WORKER_SUCCESS;
}

/* Paths as a session has them: with something before them that the next machine has not. */
static char *abstract_path(LV2_State_Map_Path_Handle handle, const char *path)
{
    (void)handle;
    char *mapped = malloc(strlen(path) + 16);
    sprintf(mapped, "session:%s", path);
    return mapped;
}

static char *absolute_path(LV2_State_Map_Path_Handle handle, const char *path)
{
    (void)handle;
    if (host.refuse_paths) return strdup("no/such/file.json");
    CHECK(strncmp(path, "session:", 8) == 0);
    return strdup(path + 8);
}

static void free_path(LV2_State_Free_Path_Handle handle, char *path)
{
    (void)handle;
    free(path);
}

static LV2_URID_Map map = {NULL, map_uri};
static LV2_Worker_Schedule worker = {NULL, schedule_work};
static LV2_State_Map_Path paths = {NULL, abstract_path, absolute_path};
static LV2_State_Free_Path give = {NULL, free_path};
static const LV2_Feature features[] = {{LV2_URID__map, &map}, {LV2_WORKER__schedule, &worker},
    {LV2_STATE__mapPath, &paths}, {LV2_STATE__freePath, &give}};
static const LV2_Feature *const all[] = {&features[0], &features[1], &features[2], &features[3],
    NULL},
                                *const poor[] = {&features[0], NULL}, *const none[] = {NULL};

static void open_host(void)
{
    host.library = dlopen(PLUGIN_BUNDLE "heddle.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(host.library, "%s", dlerror());
    LV2_Descriptor_Function find;
    void *found = dlsym(host.library, "lv2_descriptor");
    memcpy(&find, &found, sizeof find);
    host.descriptor = find(0);
    CHECK_TEXT(host.descriptor->URI, SYNTH_URI);
    host.many = find(1);
    CHECK_TEXT(host.many->URI, SYNTH_URI ":many");
    CHECK_NULL(find(2));
    lv2_atom_forge_init(&host.forge, &map);
}

TestSuite(plugin_lv2, .init = open_host);

static float left[2][FRAMES], right[2][FRAMES];

static LV2_Handle open_plugin(double rate, const LV2_Feature *const *with)
{
    const LV2_Descriptor *d = host.descriptor;
    LV2_Handle handle = d->instantiate(d, rate, PLUGIN_BUNDLE, with);
    CHECK_NOT_NULL(handle);
    d->connect_port(handle, CONTROL, &host.in);
    d->connect_port(handle, NOTIFY, &host.out);
    memset(host.ports, 0, sizeof host.ports);
    for (uint32_t i = LATENCY; i < PORTS; i++)
        if (i < IN_LEFT || i >= MACRO1) d->connect_port(handle, i, &host.ports[i]);
    d->activate(handle);
    return handle;
}

static void close_plugin(LV2_Handle handle) { host.descriptor->cleanup(handle); }

static void begin_events(void)
{
    lv2_atom_forge_set_buffer(&host.forge, host.in.bytes, sizeof host.in);
    lv2_atom_forge_sequence_head(&host.forge, &host.frame, 0);
}

static void send_midi(int64_t frame, uint32_t size, const uint8_t *bytes)
{
    lv2_atom_forge_frame_time(&host.forge, frame);
    lv2_atom_forge_atom(&host.forge, size, map_uri(NULL, LV2_MIDI__MidiEvent));
    lv2_atom_forge_write(&host.forge, bytes, size);
}

static void send_file(const char *path)
{
    LV2_Atom_Forge_Frame object;
    lv2_atom_forge_frame_time(&host.forge, 0);
    lv2_atom_forge_object(&host.forge, &object, 0, map_uri(NULL, LV2_PATCH__Set));
    lv2_atom_forge_key(&host.forge, map_uri(NULL, LV2_PATCH__property));
    lv2_atom_forge_urid(&host.forge, map_uri(NULL, SYNTH_URI "#instrument"));
    lv2_atom_forge_key(&host.forge, map_uri(NULL, LV2_PATCH__value));
    lv2_atom_forge_path(&host.forge, path, (uint32_t)strlen(path) + 1);
    lv2_atom_forge_pop(&host.forge, &object);
}

static void send_tempo(int64_t frame, float tempo)
{
    LV2_Atom_Forge_Frame object;
    lv2_atom_forge_frame_time(&host.forge, frame);
    lv2_atom_forge_object(&host.forge, &object, 0, map_uri(NULL, LV2_TIME__Position));
    lv2_atom_forge_key(&host.forge, map_uri(NULL, LV2_TIME__beatsPerMinute));
    lv2_atom_forge_float(&host.forge, tempo);
    lv2_atom_forge_pop(&host.forge, &object);
}

static void run(LV2_Handle handle, uint32_t frames, float *l, float *r)
{
    lv2_atom_forge_pop(&host.forge, &host.frame);
    host.out.sequence.atom.size = sizeof host.out - sizeof(LV2_Atom);
    host.out.sequence.atom.type = 0;
    host.descriptor->connect_port(handle, LEFT, l);
    host.descriptor->connect_port(handle, RIGHT, r);
    host.descriptor->run(handle, frames);
    CHECK(host.out.sequence.atom.size < sizeof host.out - sizeof(LV2_Atom));
    begin_events();
}

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size, const void *data)
{
    (void)handle, (void)size, (void)data;
    return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status work(LV2_Handle handle)
{
    const LV2_Worker_Interface *interface = host.descriptor->extension_data(LV2_WORKER__interface);
    return interface->work(handle, respond, NULL, host.job_size, host.job);
}

/* The path that the plugin has told, "": none. */
static const char *told_file(void)
{
    LV2_ATOM_SEQUENCE_FOREACH (&host.out.sequence, event) {
        const LV2_Atom_Object *object = (const LV2_Atom_Object *)&event->body;
        const LV2_Atom *value = NULL;
        if (object->body.otype != map_uri(NULL, LV2_PATCH__Set)) continue;
        lv2_atom_object_get(object, map_uri(NULL, LV2_PATCH__value), &value, 0);
        CHECK(value && value->type == map_uri(NULL, LV2_ATOM__Path));
        return LV2_ATOM_BODY_CONST(value);
    }
    return "";
}

static LV2_State_Status store(LV2_State_Handle handle, uint32_t key, const void *value, size_t size,
    uint32_t type, uint32_t flags)
{
    (void)handle;
    CHECK(flags & LV2_STATE_IS_POD && host.properties < 8 && size <= sizeof host.state[0].bytes);
    property *p = &host.state[host.properties++];
    *p = (property){.key = key, .type = type, .size = size};
    memcpy(p->bytes, value, size);
    return LV2_STATE_SUCCESS;
}

static const void *retrieve(
    LV2_State_Handle handle, uint32_t key, size_t *size, uint32_t *type, uint32_t *flags)
{
    (void)handle;
    for (uint32_t i = 0; i < host.properties; i++) {
        property *p = &host.state[i];
        if (p->key != key) continue;
        *size = p->size;
        *type = p->type;
        *flags = LV2_STATE_IS_POD;
        return p->bytes;
    }
    return NULL;
}

static property *find_property(const char *uri)
{
    for (uint32_t i = 0; i < host.properties; i++)
        if (host.state[i].key == map_uri(NULL, uri)) return &host.state[i];
    return NULL;
}

static LV2_State_Status save(LV2_Handle handle)
{
    const LV2_State_Interface *state = host.descriptor->extension_data(LV2_STATE__interface);
    host.properties = 0;
    return state->save(handle, store, NULL, 0, all);
}

static LV2_State_Status restore(LV2_Handle handle, const LV2_Feature *const *with)
{
    const LV2_State_Interface *state = host.descriptor->extension_data(LV2_STATE__interface);
    return state->restore(handle, retrieve, NULL, 0, with);
}

static float loudest(const float *sound, uint32_t frames)
{
    float most = 0;
    for (uint32_t n = 0; n < frames; n++) most = fmaxf(most, fabsf(sound[n]));
    return most;
}

/* ---- tests ---- */

static void render(const char *path, const hed_synth_event *events, uint32_t count, uint32_t frames)
{
    hed_error error = {0};
    hed_synth_player_def def = hed_default_synth_player_def();
    hed_synth_player *player;
    def.rate = 48000;
    OK(hed_synth_player_create(&def, &player, &error));
    OK(hed_synth_player_load(player, path, &error));
    for (uint32_t i = 0; i < count; i++) hed_synth_player_event(player, &events[i]);
    hed_synth_player_run(player, frames, NULL, left[0], right[0]);
    hed_synth_player_destroy(player);
}

/* ---- fifty inputs and microphones ---- */

enum {
    MANY = 50,
    MANY_FRAMES = 2000,
    MANY_INPUTS = LEARN + 1,
    MANY_STEMS = MANY_INPUTS + MANY - 2
};

/* Sound in one input reaches the microphone of its mass alone; an unconnected input is silent. */
Test(plugin_lv2, fifty_inputs_and_microphones_have_ports)
{
    static float in[MANY_FRAMES], stems[2 * MANY][MANY_FRAMES];
    char path[] = "/tmp/heddle-fifty-XXXXXX.json", *text = player_fifty();
    int to = mkstemps(path, 5);
    CHECK(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text) && close(to) == 0);
    host.descriptor = host.many;
    LV2_Handle handle = open_plugin(48000, all);
    for (uint32_t k = 0; k < 2 * MANY; k++)
        host.many->connect_port(handle, MANY_STEMS + k, stems[k]);
    begin_events();
    send_file(path);
    run(handle, 64, left[0], right[0]);
    CHECK_EQ(work(handle), LV2_WORKER_SUCCESS);
    remove(path);
    for (uint32_t n = 0; n < MANY_FRAMES; n++) in[n] = sinf(0.06f * (float)n);
    for (uint32_t input = 0; input < MANY; input += 7) {
        uint32_t port = input < 2 ? IN_LEFT + input : MANY_INPUTS + input - 2;
        host.many->activate(handle);
        host.many->connect_port(handle, port, in);
        run(handle, MANY_FRAMES, left[0], right[0]);
        for (uint32_t k = 0; k < 2 * MANY; k++) {
            float loudest = 0;
            for (uint32_t n = 0; n < MANY_FRAMES; n++) loudest = fmaxf(loudest, fabsf(stems[k][n]));
            EXPECT_EQ(loudest > 1e-6f, k / 2 == input, "input %u, channel %u: %g", input, k, (double)loudest);
        }
        host.many->connect_port(handle, port, NULL);
    }
    close_plugin(handle);
    free(text);
}

Test(plugin_lv2, plays_what_a_render_gives)
{
    enum { NOTES = 20 };
    hed_synth_event events[NOTES];
    for (uint32_t i = 0; i < NOTES; i++)
        events[i] = (hed_synth_event){.frame = i * 500 + 33, .kind = HED_SYNTH_EVENT_MIDI,
            .bytes = {i % 3 == 2 ? 0x80 : 0x90, (uint8_t)(50 + i / 3), (uint8_t)(40 + 4 * i)}};
    render("data/instruments/vibes.json", events, NOTES, FRAMES);
    for (uint32_t round = 0; round < 3; round++) {
        LV2_Handle p = open_plugin(48000, round ? all : poor);
        uint32_t seed = round;
        begin_events();
        for (uint32_t first = 0, next = 0, frames; first < FRAMES; first += frames) {
            frames = round == 0 ? 1 : player_draw(&seed, round == 1 ? 64 : 4096);
            if (frames > FRAMES - first) frames = FRAMES - first;
            for (; next < NOTES && events[next].frame < first + frames; next++)
                send_midi(events[next].frame - first, 3, events[next].bytes);
            run(p, frames, left[1] + first, right[1] + first);
        }
        CHECK_BYTES(left[0], left[1], sizeof left[0], "round %u", round);
        CHECK_BYTES(right[0], right[1], sizeof right[0], "round %u", round);
        CHECK_EQ(host.ports[LATENCY], 71.0f);
        close_plugin(p);
    }
}

/* The host's tempo drives LFOs that count in beats, and changes at its frame. */
Test(plugin_lv2, follows_the_tempo)
{
    char path[] = "/tmp/heddle-test-XXXXXX.json";
    int file = mkstemps(path, 5);
    CHECK_EQ(write(file, player_synced, strlen(player_synced)), (ssize_t)strlen(player_synced));
    close(file);
    hed_synth_event said[] = {{.kind = HED_SYNTH_EVENT_TEMPO, .value = 90},
        {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}},
        {.kind = HED_SYNTH_EVENT_TEMPO, .value = 171, .frame = 4321}};
    render(path, said, 3, FRAMES);
    LV2_Handle p = open_plugin(48000, all);
    begin_events();
    send_file(path);
    run(p, 256, left[1], right[1]);
    CHECK_EQ(work(p), LV2_WORKER_SUCCESS);
    run(p, 1024, left[1], right[1]);
    host.descriptor->activate(p);
    send_tempo(0, 90);
    send_midi(0, 3, said[1].bytes);
    run(p, 4000, left[1], right[1]);
    send_tempo(321, 171);
    run(p, FRAMES - 4000, left[1] + 4000, right[1] + 4000);
    CHECK_BYTES(left[0], left[1], sizeof left[0]);
    close_plugin(p);
    render(path, said, 2, FRAMES);
    CHECK_NE(memcmp(left[0], left[1], sizeof left[0]), 0, "%s", "the change is heard");
    remove(path);
}

/* An impulse that comes in (tank: a string is driven) shows that the port says by how much the
 * sound is late: what is heard of a note begins behind it. */
Test(plugin_lv2, tells_its_latency)
{
    for (uint32_t i = 0; i < 5; i++) {
        static const double rates[] = {8000, 22050, 44100, 48000, 192000};
        /* the filter rings before and after; a sample is 4 frames at 192 kHz */
        const uint32_t rings = rates[i] < 44100 ? 48 : rates[i] > 53000 ? 192 : 0,
                       late = rates[i] > 53000 ? 32 : 8;
        LV2_Handle p = open_plugin(rates[i], all);
        begin_events();
        send_midi(100, 3, (const uint8_t[]){0x90, 57, 127});
        run(p, FRAMES, left[0], right[0]);
        uint32_t heard = 0;
        while (heard < FRAMES && fabsf(left[0][heard]) < 1e-9f) heard++;
        /* The hammer's blow goes to the bodies, and from there to the ears: a few samples. */
        CHECK_GE(heard + rings, 100 + (uint32_t)host.ports[LATENCY]);
        CHECK_LE(heard, 100 + (uint32_t)host.ports[LATENCY] + late);
        close_plugin(p);
    }
    CHECK_NULL(host.descriptor->instantiate(host.descriptor, 48000, PLUGIN_BUNDLE, none));
    CHECK_NULL(host.descriptor->instantiate(host.descriptor, 7, PLUGIN_BUNDLE, all));
    CHECK_NULL(host.descriptor->extension_data("another"));
}

Test(plugin_lv2, files_by_patch_set)
{
    const char *drum = "data/instruments/drum.json";
    LV2_Handle p = open_plugin(48000, all);
    begin_events();
    send_file(drum);
    run(p, 256, left[1], right[1]);
    CHECK_EQ(host.jobs, 1);
    for (uint32_t i = 0; i < 50; i++) run(p, 256, left[1], right[1]); /* the worker sleeps */
    CHECK_EQ(work(p), LV2_WORKER_SUCCESS);
    run(p, 1024, left[1], right[1]);
    CHECK_TEXT(told_file(), drum);
    host.descriptor->activate(p);
    const hed_synth_event beat = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 36, 100}};
    render(drum, &beat, 1, 4000);
    send_midi(0, 3, beat.bytes);
    run(p, 4000, left[1], right[1]);
    CHECK_BYTES(left[0], left[1], 4000 * sizeof(float));
    CHECK(loudest(left[0], 4000) > 0.001f);
    /* what is not there is refused, and the drum stays */
    send_file("no/such/file.json");
    run(p, 256, left[1], right[1]);
    CHECK_EQ(work(p), LV2_WORKER_ERR_UNKNOWN);
    run(p, 256, left[1], right[1]);
    CHECK_TEXT(told_file(), "");
    host.job_size = 3;
    CHECK_EQ(work(p), LV2_WORKER_ERR_UNKNOWN);
    /* the host asks */
    LV2_Atom_Forge_Frame object;
    lv2_atom_forge_frame_time(&host.forge, 0);
    lv2_atom_forge_object(&host.forge, &object, 0, map_uri(NULL, LV2_PATCH__Get));
    lv2_atom_forge_pop(&host.forge, &object);
    run(p, 64, left[1], right[1]);
    CHECK_TEXT(told_file(), drum);
    close_plugin(p);
    /* without a worker nothing is loaded, and nothing breaks */
    host.jobs = 0;
    p = open_plugin(48000, poor);
    send_file(drum);
    run(p, 256, left[1], right[1]);
    CHECK_EQ(host.jobs, 0);
    close_plugin(p);
}

Test(plugin_lv2, the_state_comes_back)
{
    LV2_Handle one = open_plugin(48000, all);
    const LV2_State_Interface *state = host.descriptor->extension_data(LV2_STATE__interface);
    begin_events();
    send_file("data/instruments/harp.json");
    run(one, 64, left[0], right[0]);
    CHECK_EQ(work(one), LV2_WORKER_SUCCESS);
    run(one, 64, left[0], right[0]);
    host.ports[MACRO1 + 1] = 0.5f;
    host.ports[LEARN] = 1;
    send_midi(9, 3, (const uint8_t[]){0xb0, 22, 64});
    run(one, 64, left[0], right[0]);
    CHECK_EQ(save(one), LV2_STATE_SUCCESS);
    property *text = find_property(SYNTH_URI "#state"), *path = find_property(SYNTH_URI "#instrument");
    CHECK(text && path && strcmp(path->bytes, "session:data/instruments/harp.json") == 0);
    CHECK(strstr(text->bytes, "\"name\": \"harp\"") && strstr(text->bytes, "[22, -1") &&
              text->bytes[text->size - 1] == 0,
        "%s", text->bytes);
    char *first = strdup(text->bytes);
    /* on a machine that has the session alone */
    host.refuse_paths = true;
    LV2_Handle other = open_plugin(48000, all);
    begin_events();
    CHECK_EQ(restore(other, all), LV2_STATE_SUCCESS);
    host.ports[MACRO1 + 1] = 0.5f;
    run(other, 64, left[0], right[0]);
    CHECK_EQ(save(other), LV2_STATE_SUCCESS);
    text = find_property(SYNTH_URI "#state");
    CHECK_TEXT(text->bytes, first);
    for (uint32_t i = 0; i < 2; i++) {
        host.descriptor->activate(i ? other : one);
        send_midi(0, 3, (const uint8_t[]){0x90, 60, 100});
        run(i ? other : one, 6000, left[i], right[i]);
    }
    CHECK_BYTES(left[0], left[1], 6000 * sizeof(float));
    /* broken ones: the former instrument stays */
    text->bytes[text->size / 2] = 7;
    CHECK_NE(restore(other, all), LV2_STATE_SUCCESS);
    text->type = 999;
    CHECK_EQ(restore(other, all), LV2_STATE_ERR_BAD_TYPE);
    host.properties = 0;
    CHECK_EQ(restore(other, all), LV2_STATE_SUCCESS, "%s", "an empty one is no change");
    CHECK_EQ(save(other), LV2_STATE_SUCCESS);
    CHECK_TEXT(find_property(SYNTH_URI "#state")->bytes, first);
    CHECK_EQ(state->save(other, store, NULL, 0, poor), LV2_STATE_SUCCESS, "%s", "without paths");
    free(first);
    close_plugin(one);
    close_plugin(other);
}

/* A knob that was turned by its port and then by a controller: the host restores the port's value too,
 * which turns nothing. The next move of the port does. */
Test(plugin_lv2, a_restored_session_sounds_as_saved)
{
    LV2_Handle one = open_plugin(48000, all);
    begin_events();
    run(one, 64, left[0], right[0]);
    host.ports[MACRO1] = 0.75f;
    host.ports[LEARN] = 1;
    run(one, 64, left[0], right[0]);
    send_midi(0, 3, (const uint8_t[]){0xb0, 22, 32});
    run(one, 64, left[0], right[0]);
    CHECK_EQ(save(one), LV2_STATE_SUCCESS);
    char *saved = strdup(find_property(SYNTH_URI "#state")->bytes);
    CHECK(strstr(saved, "[0.25196"), "%.300s", saved);
    for (uint32_t before = 0; before < 2;
         before++) { /* the ports are set before or after restore() */
        LV2_Handle other = open_plugin(48000, all);
        begin_events();
        if (before) host.ports[MACRO1] = 0.75f, host.ports[LEARN] = 1;
        CHECK_EQ(restore(other, all), LV2_STATE_SUCCESS);
        host.ports[MACRO1] = 0.75f;
        host.ports[LEARN] = 1;
        run(other, 64, left[1], right[1]);
        CHECK_EQ(save(other), LV2_STATE_SUCCESS);
        CHECK_TEXT(find_property(SYNTH_URI "#state")->bytes, saved);
        host.ports[MACRO1] = 0.5f;
        run(other, 64, left[1], right[1]);
        CHECK_EQ(save(other), LV2_STATE_SUCCESS);
        CHECK(strstr(find_property(SYNTH_URI "#state")->bytes, "[0.5, "));
        property *text = find_property(SYNTH_URI "#state");
        strcpy(text->bytes, saved); /* for the next round */
        text->size = strlen(saved) + 1;
        close_plugin(other);
    }
    free(saved);
    close_plugin(one);
}

/* A preset is a path, which hosts with and without a worker map. */
Test(plugin_lv2, presets)
{
    LV2_Handle p = open_plugin(48000, poor);
    host.properties = 1;
    host.state[0] = (property){.key = map_uri(NULL, SYNTH_URI "#instrument"),
        .type = map_uri(NULL, LV2_ATOM__Path), .bytes = "session:data/instruments/viol.json"};
    host.state[0].size = strlen(host.state[0].bytes) + 1;
    CHECK_EQ(restore(p, all), LV2_STATE_SUCCESS);
    begin_events();
    run(p, 64, left[0], right[0]);
    CHECK_TEXT(told_file(), "data/instruments/viol.json");
    CHECK_EQ(restore(p, poor), LV2_STATE_ERR_NO_FEATURE);
    host.refuse_paths = true;
    CHECK_NE(restore(p, all), LV2_STATE_SUCCESS);
    host.state[0].size = 5; /* no zero at its end */
    CHECK_EQ(restore(p, all), LV2_STATE_ERR_BAD_TYPE);
    CHECK_EQ(save(p), LV2_STATE_SUCCESS);
    CHECK(strstr(find_property(SYNTH_URI "#state")->bytes, "\"name\": \"viol\""));
    close_plugin(p);
}

Test(plugin_lv2, knobs_and_learning)
{
    LV2_Handle p = open_plugin(48000, all);
    begin_events();
    run(p, 64, left[0], right[0]);
    CHECK_EQ(save(p), LV2_STATE_SUCCESS);
    CHECK(strstr(find_property(SYNTH_URI "#state")->bytes, "\"macros\": [null, null"),
        "ports that stand still turn nothing");
    host.ports[MACRO1] = 0.75f;
    host.ports[GAIN] = -3;
    host.ports[LEARN] = 9; /* gain */
    run(p, 64, left[0], right[0]);
    send_midi(0, 3, (const uint8_t[]){0xb0, 7, 127});
    run(p, 64, left[0], right[0]);
    CHECK_EQ(save(p), LV2_STATE_SUCCESS);
    const char *text = find_property(SYNTH_URI "#state")->bytes;
    CHECK(strstr(text, "[0.75, null") && strstr(text, "\"gain\": 12") && strstr(text, ", 7]"), "%s",
        text);
    host.ports[LEARN] = 10;
    run(p, 64, left[0], right[0]);
    CHECK_EQ(save(p), LV2_STATE_SUCCESS);
    CHECK(strstr(find_property(SYNTH_URI "#state")->bytes, ", -1]"));
    close_plugin(p);
}

/* Long MIDI, objects of no kind, times beyond the run, no room to answer in, and runs of
 * nothing. */
Test(plugin_lv2, strange_runs)
{
    LV2_Handle p = open_plugin(48000, all);
    uint8_t exclusive[300] = {0xf0};
    begin_events();
    send_midi(0, sizeof exclusive, exclusive);
    send_midi(0, 1, exclusive);
    send_midi(-5, 3, (const uint8_t[]){0x90, 60, 90});
    send_midi(99999, 3, (const uint8_t[]){0x90, 64, 90});
    lv2_atom_forge_frame_time(&host.forge, 1);
    lv2_atom_forge_atom(&host.forge, 4, 12345);
    lv2_atom_forge_write(&host.forge, "abcd", 4);
    lv2_atom_forge_frame_time(&host.forge, 1);
    lv2_atom_forge_atom(&host.forge, 2, host.forge.Object);
    lv2_atom_forge_write(&host.forge, "ab", 2);
    LV2_Atom_Forge_Frame object;
    for (uint32_t i = 0; i < 2; i++) {
        lv2_atom_forge_frame_time(&host.forge, 2);
        lv2_atom_forge_object(&host.forge, &object, 0, map_uri(NULL, LV2_TIME__Position));
        lv2_atom_forge_key(&host.forge, map_uri(NULL, LV2_TIME__beatsPerMinute));
        lv2_atom_forge_float(&host.forge, i ? NAN : 90.0f);
        lv2_atom_forge_pop(&host.forge, &object);
    }
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    send_file(longest);
    run(p, 64, left[0], right[0]);
    CHECK_EQ(host.jobs, 0);
    run(p, 0, left[0], right[0]);
    run(p, FRAMES, left[0], right[0]);
    CHECK(loudest(left[0], FRAMES) > 0.001f);
    host.out.sequence.atom.size = 0;
    host.descriptor->run(p, 64);
    host.descriptor->connect_port(p, NOTIFY, NULL);
    host.descriptor->connect_port(p, CONTROL, NULL);
    host.descriptor->connect_port(p, 99, NULL);
    host.descriptor->run(p, 64);
    host.descriptor->activate(p);
    host.descriptor->activate(p);
    host.descriptor->run(p, FRAMES);
    EXPECT(loudest(right[0], 64) < 1e-3f);
    close_plugin(p);
}

#else

Test(plugin_lv2, is_not_here) { test_skip("the plugin was not built here, for LV2's headers are missing"); }

#endif
