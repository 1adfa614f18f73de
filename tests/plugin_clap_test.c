/* The CLAP plugin in a host of our own: what it plays is what a render gives, by MIDI and by CLAP's
 * notes; presets, state, parameters and learning; notes that are bent alone; rates, empty runs and
 * many instances. */
#include "clap_host.h"

TestSuite(plugin_clap, .init = open_host, .fini = close_host);

/* ---- what it plays ---- */

static float left[2][FRAMES], right[2][FRAMES];

/* The same notes as MIDI and as CLAP's, in blocks of any size, are what a render gives. */
Test(plugin_clap, plays_what_a_render_gives)
{
    enum { NOTES = 20 };
    hed_synth_event events[NOTES];
    char *vibes = read_text("data/instruments/vibes.json");
    for (uint32_t i = 0; i < NOTES; i++)
        events[i] = (hed_synth_event){.frame = i * 500 + 33,
            .kind = HED_SYNTH_EVENT_MIDI,
            .bytes = {i % 3 == 2 ? 0x80 : 0x90, (uint8_t)(50 + i % 3 * 0 + i / 3),
                (uint8_t)(40 + 4 * i)}};
    player_render(vibes, 48000, events, NOTES, left[0], right[0], FRAMES);
    for (uint32_t round = 0; round < 4; round++) {
        const clap_api_plugin *p = open_plugin(48000);
        uint32_t seed = round;
        for (uint32_t first = 0, next = 0, frames; first < FRAMES; first += frames) {
            frames = round == 0 ? 1 : player_draw(&seed, round < 2 ? 64 : 4096);
            if (frames > FRAMES - first) frames = FRAMES - first;
            for (; next < NOTES && events[next].frame < first + frames; next++) {
                const uint8_t *bytes = events[next].bytes;
                uint32_t at = events[next].frame - first;
                if (round % 2) send_midi(at, bytes[0], bytes[1], bytes[2]);
                else send_note(at, bytes[0] == 0x90 ? CLAP_API_NOTE_ON : CLAP_API_NOTE_OFF, -1,
                         bytes[1], bytes[2]);
            }
            play(p, frames, left[1] + first, right[1] + first);
        }
        CHECK_BYTES(left[0], left[1], sizeof left[0], "round %u", round);
        CHECK_BYTES(right[0], right[1], sizeof right[0], "round %u", round);
        close_plugin(p, true);
    }
    free(vibes);
}

/* The host's tempo, of its transport and of an event in a block, drives LFOs that count in beats. */
Test(plugin_clap, follows_the_tempo)
{
    char path[] = "/tmp/heddle-test-XXXXXX.json";
    int file = mkstemps(path, 5);
    CHECK_EQ(write(file, player_synced, strlen(player_synced)), (ssize_t)strlen(player_synced));
    close(file);
    const hed_synth_event said[] = {{.kind = HED_SYNTH_EVENT_TEMPO, .value = 90},
        {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 60, 100}},
        {.kind = HED_SYNTH_EVENT_TEMPO, .value = 171, .frame = 4321}};
    player_render(player_synced, 48000, said, 3, left[0], right[0], FRAMES);
    const clap_api_plugin *p = open_plugin(48000);
    const clap_api_preset_load *load = p->get_extension(p, CLAP_API_PRESET_LOAD);
    CHECK(load->from_location(p, CLAP_API_LOCATION_FILE, path, NULL), "%s", host.words);
    play(p, 64, left[1], right[1]);
    p->reset(p);
    clap_api_transport transport = {.header = {sizeof transport, 321, 0, CLAP_API_TRANSPORT, 0},
        .flags = CLAP_API_HAS_TEMPO, .tempo = 171};
    for (uint32_t first = 0; first < FRAMES; first += 4000) {
        clap_api_transport now = transport;
        now.tempo = first > 4000 ? 171 : 90;
        host.transport = &now;
        if (first == 0) send_midi(0, 0x90, 60, 100);
        if (first == 4000) host.in[host.in_count++].transport = transport;
        play(p, 4000, left[1] + first, right[1] + first);
    }
    host.transport = NULL;
    CHECK_BYTES(left[0], left[1], sizeof left[0]);
    player_render(player_synced, 48000, said, 2, left[1], right[1], FRAMES);
    CHECK_NE(memcmp(left[0], left[1], sizeof left[0]), 0, "%s", "the change is heard");
    close_plugin(p, true);
    remove(path);
}

/* What `heddle synth render` writes, without the latency that it takes away. */
Test(plugin_clap, plays_what_the_command_renders, .timeout = 120)
{
#ifdef PLUGIN_COMMAND
    char path[] = "/tmp/heddle-test-XXXXXX", command[600];
    int file = mkstemp(path);
    snprintf(command, sizeof command,
        "HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none "
        "HEDDLE_GL_LIBRARY=none " PLUGIN_COMMAND
        " synth render data/instruments/vibes.json data/music/phrases/vibes.mid -q --device host "
        "--format f32 --tail 0.1 --out %s.wav >/dev/null",
        path);
    CHECK_EQ(system(command), 0);
    snprintf(command, sizeof command, "%s.wav", path);
    FILE *wave = fopen(command, "rb");
    static char bytes[16 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, wave), at = 12;
    fclose(wave);
    unlink(command);
    close(file);
    unlink(path);
    for (uint32_t length; memcmp(bytes + at, "data", 4) != 0; at += 8 + length) {
        memcpy(&length, bytes + at + 4, 4);
        CHECK(at + length < size, "no sound");
    }
    uint32_t frames, played = 0;
    memcpy(&frames, bytes + at + 4, 4);
    frames /= 8;
    hed_error error = {0};
    hed_synth_midi_file *song;
    OK(hed_synth_midi_file_open("data/music/phrases/vibes.mid", &song, &error));
    const hed_synth_midi_event *events = hed_synth_midi_file_events(song);
    const clap_api_plugin *p = open_plugin(48000);
    uint32_t seed = 1, next = 0, late = 71, count = hed_synth_midi_file_count(song);
    for (uint32_t first = 0, some; first < frames + late; first += some) {
        some = 1 + player_draw(&seed, 1000);
        if (some > frames + late - first) some = frames + late - first;
        for (; next < count && llround(events[next].seconds * 48000) < first + some; next++) {
            const uint8_t *midi = events[next].bytes;
            if (midi[0] >= 0xf0 || host.in_count == ROOM) continue;
            send_midi(
                (uint32_t)llround(events[next].seconds * 48000) - first, midi[0], midi[1], midi[2]);
            played++;
        }
        play(p, some, left[0], right[0]);
        for (uint32_t n = first < late ? late - first : 0; n < some; n++) {
            float sound[2];
            memcpy(sound, bytes + at + 8 + 8 * (size_t)(first + n - late), sizeof sound);
            CHECK(sound[0] == left[0][n] && sound[1] == right[0][n], "frame %u", first + n - late);
        }
    }
    CHECK(played > 10 && frames > 48000, "%u events, %u frames", played, frames);
    hed_synth_midi_file_close(song);
    close_plugin(p, true);
#endif
}

Test(plugin_clap, rates_and_resets)
{
    static const double rates[] = {44100, 96000, 96000, 48000, 8000, 11025, 22050, 192000};
    const hed_synth_event note = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, 57, 100}};
    const clap_api_plugin *p = open_plugin(0);
    const clap_api_latency *latency = p->get_extension(p, CLAP_API_LATENCY);
    char *vibes = read_text("data/instruments/vibes.json");
    for (uint32_t i = 0; i < HED_COUNT(rates); i++) {
        /* 48 periods of samples or of frames, the longer ones */
        uint32_t filter = rates[i] < 44100 ? 48 : rates[i] > 53000 ? (uint32_t)rates[i] / 1000 : 0;
        CHECK(p->activate(p, rates[i], 1, 64) && p->start_processing(p));
        CHECK_EQ(latency->get(p), (uint32_t)(0.0015 * rates[i]) - 1 + filter);
        player_render(vibes, rates[i], &note, 1, left[0], right[0], 2000);
        for (uint32_t again = 0; again < 2; again++) {
            send_midi(0, 0x90, 57, 100);
            play(p, 2000, left[1], right[1]);
            CHECK_BYTES(left[0], left[1], 2000 * sizeof(float), "at %g Hz", rates[i]);
            p->reset(p);
        }
        p->stop_processing(p);
        p->deactivate(p);
    }
    EXPECT(!p->activate(p, 12, 1, 64) && host.logged, "a rate of 12 Hz");
    close_plugin(p, false);
    free(vibes);
}

Test(plugin_clap, says_what_it_is)
{
    const clap_api_descriptor *d = host.factory->descriptor(host.factory, 0);
    const clap_api_plugin *p = open_plugin(0);
    CHECK_TEXT(d->id, "heddle.synth");
    CHECK_TEXT(host.factory->descriptor(host.factory, 1)->id, "heddle.synth.many");
    CHECK_NULL(host.factory->descriptor(host.factory, 2));
    CHECK_NULL(host.factory->create(host.factory, &the_host, "another"));
    CHECK_NULL(host.entry->get_factory("another"));
    CHECK_NULL(p->get_extension(p, "another"));
    const clap_api_audio_ports *audio = p->get_extension(p, CLAP_API_AUDIO_PORTS);
    clap_api_audio_port port;
    EXPECT(audio->count(p, false) == 1 && audio->get(p, 0, false, &port) && port.channels == 2 &&
           port.flags == CLAP_API_MAIN_PORT && !audio->get(p, 1, false, &port));
    const clap_api_note_ports *notes = p->get_extension(p, CLAP_API_NOTE_PORTS);
    clap_api_note_port keys;
    EXPECT(
        notes->count(p, true) == 1 && notes->count(p, false) == 0 && notes->get(p, 0, true, &keys));
    CHECK_EQ(keys.supported, 7);
    const clap_api_params *params = p->get_extension(p, CLAP_API_PARAMS);
    CHECK_EQ(params->count(p), 10);
    for (uint32_t i = 0; i < 10; i++) {
        clap_api_param info;
        double value, back;
        char text[64];
        CHECK(params->get(p, i, &info) && info.id == i && info.name[0]);
        CHECK(params->value(p, i, &value) && value >= info.least && value <= info.most);
        for (double at = info.least; at <= info.most;
             at += i == 9 ? 1 : (info.most - info.least) / 8) {
            CHECK(params->to_text(p, i, at, text, sizeof text), "parameter %u", i);
            CHECK(params->from_text(p, i, text, &back), "parameter %u: %s", i, text);
            CHECK_NEAR(back, at, 0.051, "parameter %u", i);
        }
    }
    EXPECT(!params->to_text(p, 10, 0, host.words, 9) && !params->value(p, 10, &(double){0}));
    close_plugin(p, false);
}

/* ---- presets ---- */

static struct {
    uint32_t locations, presets;
    char keys[96][64];
} found;

static bool declare_type(const clap_api_indexer *indexer, const clap_api_file_type *type)
{
    (void)indexer;
    return strcmp(type->extension, "json") == 0;
}
static bool declare_location(const clap_api_indexer *indexer, const clap_api_location *location)
{
    (void)indexer;
    found.locations++;
    return location->name && (location->kind == CLAP_API_LOCATION_PLUGIN) == !location->location;
}
static void metadata_error(const clap_api_metadata *to, int32_t os_error, const char *text)
{
    (void)to, (void)os_error;
    snprintf(host.words, sizeof host.words, "%s", text);
}
static bool begin_preset(const clap_api_metadata *to, const char *name, const char *key)
{
    (void)to;
    CHECK(name && name[0] >= 'A' && name[0] <= 'Z', "%s", name);
    snprintf(found.keys[found.presets++], sizeof found.keys[0], "%s", key ? key : name);
    return true;
}
static void add_plugin_id(const clap_api_metadata *to, const clap_api_plugin_id *id)
{
    (void)to;
    CHECK(strcmp(id->abi, "clap") == 0);
    CHECK(strcmp(id->id, "heddle.synth") == 0 || strcmp(id->id, "heddle.synth.many") == 0, "%s", id->id);
}
static void take_text(const clap_api_metadata *to, const char *text)
{
    (void)to;
    CHECK(text && text[0]);
}
static void take_flags(const clap_api_metadata *to, uint32_t flags)
{
    (void)to;
    CHECK(flags == CLAP_API_FACTORY_CONTENT || flags == CLAP_API_USER_CONTENT);
}

Test(plugin_clap, presets_are_found_and_load)
{
    const clap_api_preset_factory *presets = host.entry->get_factory(CLAP_API_PRESETS);
    clap_api_indexer indexer = {
        .declare_filetype = declare_type, .declare_location = declare_location};
    clap_api_metadata to = {NULL, metadata_error, begin_preset, add_plugin_id, take_text,
        take_flags, take_text, take_text, NULL, take_text, NULL};
    CHECK(presets && presets->count(presets) == 1);
    const clap_api_provider *provider =
        presets->create(presets, &indexer, presets->descriptor(presets, 0)->id);
    CHECK(provider->init(provider));
    CHECK(provider->get_metadata(provider, CLAP_API_LOCATION_PLUGIN, NULL, &to));
    CHECK_EQ(found.locations, 2);
    CHECK_EQ(found.presets, 70, "%s", "all of data/instruments but million");
    CHECK(!provider->get_metadata(provider, CLAP_API_LOCATION_FILE, "no/such.json", &to));
    CHECK(strstr(host.words, "no/such.json"), "%s", host.words);
    provider->destroy(provider);
    const clap_api_plugin *p = open_plugin(48000);
    const clap_api_preset_load *load = p->get_extension(p, CLAP_API_PRESET_LOAD);
    for (uint32_t i = 0; i < found.presets; i++) {
        CHECK(load->from_location(p, CLAP_API_LOCATION_PLUGIN, NULL, found.keys[i]), "%s",
            host.words);
        send_midi(0, 0x90, 43, 127);
        send_midi(1, 0x90, 36, 127);
        play(p, 2000, left[0], right[0]);
        float loudest = 0;
        for (uint32_t n = 0; n < 2000; n++) {
            CHECK(isfinite(left[0][n]) && isfinite(right[0][n]), "%s", found.keys[i]);
            loudest = fmaxf(loudest, fmaxf(fabsf(left[0][n]), fabsf(right[0][n])));
        }
        EXPECT(loudest <= 1.5f);
    }
    EXPECT(host.loaded == found.presets && host.rescans >= found.presets && host.errors == 0);
    EXPECT(!load->from_location(p, CLAP_API_LOCATION_PLUGIN, NULL, "another") && host.errors == 1);
    EXPECT(strstr(host.words, "there are: ") && strstr(host.words, "vibes"), "%s", host.words);
    EXPECT(!load->from_location(p, CLAP_API_LOCATION_FILE, "README.md", NULL) && host.errors == 2);
    EXPECT(!load->from_location(p, 7, NULL, NULL) && host.errors == 3);
    EXPECT(host.callbacks > 0, "nothing was handed back");
    p->on_main_thread(p);
    close_plugin(p, true);
}

/* ---- fifty inputs and microphones ---- */

enum { MANY = 50, MANY_FRAMES = 2000 };
static float many_in[MANY][MANY_FRAMES], many_out[2 + 2 * MANY][MANY_FRAMES];

/* Plays with sound in one input alone; returns the microphones that are heard, a bit each. */
static uint64_t play_many(const clap_api_plugin *p, uint32_t input)
{
    float *from[MANY], *to[2 + 2 * MANY];
    clap_api_audio in[MANY - 1], out[1 + MANY];
    uint64_t heard = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        from[i] = many_in[i];
        for (uint32_t n = 0; n < MANY_FRAMES; n++)
            many_in[i][n] = i == input ? sinf(0.06f * (float)n) : 0;
    }
    for (uint32_t k = 0; k < 2 + 2 * MANY; k++) to[k] = many_out[k];
    in[0] = (clap_api_audio){.data32 = from, .channels = 2};
    for (uint32_t i = 1; i < MANY - 1; i++)
        in[i] = (clap_api_audio){.data32 = from + i + 1, .channels = 1};
    for (uint32_t i = 0; i < 1 + MANY; i++)
        out[i] = (clap_api_audio){.data32 = to + 2 * i, .channels = 2};
    clap_api_process block = {.frames = MANY_FRAMES,
        .inputs = in,
        .input_count = MANY - 1,
        .outputs = out,
        .output_count = 1 + MANY,
        .in = &in_events,
        .out = &out_events};
    host.out_count = host.in_count = 0;
    p->reset(p);
    CHECK_NE(p->process(p, &block), CLAP_API_ERROR);
    for (uint32_t i = 0; i < MANY; i++) {
        float loudest = 0;
        for (uint32_t n = 0; n < MANY_FRAMES; n++)
            loudest = fmaxf(loudest, fabsf(many_out[2 + 2 * i][n]));
        heard |= (uint64_t)(loudest > 1e-6f) << i;
        EXPECT_EQ(out[1 + i].constant, loudest > 0 ? 0u : 3u, "microphone %u", i);
    }
    return heard;
}

Test(plugin_clap, fifty_inputs_and_microphones_have_ports)
{
    char path[] = "/tmp/heddle-fifty-XXXXXX.json", *text = player_fifty();
    int to = mkstemps(path, 5);
    CHECK(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text) && close(to) == 0);
    const clap_api_plugin *p = open_plugin_of("heddle.synth.many", 48000);
    const clap_api_audio_ports *ports = p->get_extension(p, CLAP_API_AUDIO_PORTS);
    const clap_api_preset_load *load = p->get_extension(p, CLAP_API_PRESET_LOAD);
    clap_api_audio_port port;
    CHECK(load->from_location(p, CLAP_API_LOCATION_FILE, path, NULL), "%s", host.words);
    remove(path);
    EXPECT_EQ(host.port_rescans, 1u);
    EXPECT_EQ(ports->count(p, true), 49u);
    EXPECT_EQ(ports->count(p, false), 51u);
    EXPECT(
        ports->get(p, 0, false, &port) && port.channels == 2 && port.flags == CLAP_API_MAIN_PORT);
    EXPECT(ports->get(p, 50, false, &port) && port.channels == 2);
    EXPECT_TEXT(port.name, "ear50");
    EXPECT(ports->get(p, 48, true, &port) && port.channels == 1);
    EXPECT_TEXT(port.name, "In 50");
    EXPECT(!ports->get(p, 49, true, &port) && !ports->get(p, 51, false, &port));
    for (uint32_t input = 0; input < MANY; input += 7)
        EXPECT_EQ(play_many(p, input), 1ull << input);
    /* a host that connects only the main ports hears the mix */
    float *mix[] = {many_out[0], many_out[1]};
    clap_api_audio audio = {.data32 = mix, .channels = 2};
    clap_api_process block = {
        .frames = 100, .outputs = &audio, .output_count = 1, .in = &in_events, .out = &out_events};
    EXPECT_NE(p->process(p, &block), CLAP_API_ERROR);
    close_plugin(p, true);
    free(text);
}

/* ---- state ---- */

typedef struct bytes {
    char *at;
    size_t size, read;
} bytes;

static int64_t write_seven(const clap_api_out_stream *stream, const void *from, uint64_t size)
{
    bytes *b = stream->data;
    if (size > 7) size = 7;
    b->at = realloc(b->at, b->size + size);
    memcpy(b->at + b->size, from, size);
    b->size += size;
    return (int64_t)size;
}

static int64_t read_some(const clap_api_in_stream *stream, void *to, uint64_t size)
{
    bytes *b = stream->data;
    if (size > b->size - b->read) size = b->size - b->read;
    if (size > 1001) size = 1001;
    memcpy(to, b->at + b->read, size);
    b->read += size;
    return (int64_t)size;
}

static int64_t read_nothing(const clap_api_in_stream *stream, void *to, uint64_t size)
{
    (void)stream, (void)to, (void)size;
    return -1;
}

Test(plugin_clap, the_state_comes_back)
{
    const clap_api_plugin *one = open_plugin(48000), *other = open_plugin(48000);
    const clap_api_state *state = one->get_extension(one, CLAP_API_STATE);
    const clap_api_preset_load *load = one->get_extension(one, CLAP_API_PRESET_LOAD);
    CHECK(load->from_location(one, CLAP_API_LOCATION_PLUGIN, NULL, "harp"));
    send_value(5, 3, 0.625);
    send_value(5, 8, -6);
    play(one, 100, left[0], right[0]);
    bytes first = {0}, second = {0};
    CHECK(state->save(one, &(clap_api_out_stream){&first, write_seven}));
    CHECK(state->load(other, &(clap_api_in_stream){&first, read_some}), "%s", host.words);
    play(other, 100, left[0], right[0]); /* takes it */
    CHECK(state->save(other, &(clap_api_out_stream){&second, write_seven}));
    CHECK(first.size == second.size && memcmp(first.at, second.at, first.size) == 0);
    const clap_api_params *params = other->get_extension(other, CLAP_API_PARAMS);
    double value;
    CHECK(params->value(other, 3, &value) && value == 0.625);
    /* They sound alike from rest. */
    one->reset(one);
    other->reset(other);
    for (uint32_t i = 0; i < 2; i++) {
        send_midi(3, 0x90, 60, 100);
        play(i ? other : one, FRAMES, left[i], right[i]);
    }
    CHECK_BYTES(left[0], left[1], sizeof left[0]);
    EXPECT(!state->load(other, &(clap_api_in_stream){&first, read_nothing}));
    first.size /= 2;
    first.read = 0;
    EXPECT(!state->load(other, &(clap_api_in_stream){&first, read_some}) && host.logged >= 2);
    free(first.at);
    free(second.at);
    close_plugin(one, true);
    close_plugin(other, true);
}

typedef struct saver {
    const clap_api_plugin *plugin;
    _Atomic bool stop;
    _Atomic uint32_t rounds;
} saver;

static void *keep_saving(void *user)
{
    saver *s = user;
    const clap_api_state *state = s->plugin->get_extension(s->plugin, CLAP_API_STATE);
    while (!atomic_load(&s->stop)) {
        bytes text = {0};
        if (!state->save(s->plugin, &(clap_api_out_stream){&text, write_seven}) ||
            !state->load(s->plugin, &(clap_api_in_stream){&text, read_some}))
            return "a state was not saved or not loaded";
        free(text.at);
        s->rounds++;
        s->plugin->on_main_thread(s->plugin);
    }
    return NULL;
}

/* The main thread saves and restores while the audio thread plays. */
Test(plugin_clap, state_while_it_plays, .timeout = 120)
{
    saver s = {.plugin = open_plugin(48000)};
    pthread_t thread;
    void *complaint;
    CHECK_EQ(pthread_create(&thread, NULL, keep_saving, &s), 0);
    for (uint32_t i = 0; i < 1000 || (atomic_load(&s.rounds) <= 2 && i < 1000000); i++) {
        if (i % 50 == 0) send_midi(0, 0x90, (uint8_t)(50 + i / 50 % 20), 90);
        if (i % 70 == 0) send_value(3, i % 9, 0.5);
        play(s.plugin, 64, left[0], right[0]);
    }
    atomic_store(&s.stop, true);
    pthread_join(thread, &complaint);
    EXPECT(!complaint && s.rounds > 2, "%s", complaint ? (const char *)complaint : "too few");
    close_plugin(s.plugin, true);
}

/* ---- learning ---- */

Test(plugin_clap, learns_controllers)
{
    const clap_api_plugin *p = open_plugin(48000);
    const clap_api_params *params = p->get_extension(p, CLAP_API_PARAMS);
    double value;
    send_value(0, 9, 3); /* macro 3 */
    play(p, 64, left[0], right[0]);
    CHECK(params->value(p, 9, &value) && value == 3);
    send_midi(0, 0xb0, 21, 127);
    play(p, 64, left[0], right[0]);
    CHECK_EQ(host.out_count, 2);
    CHECK(host.out[0].value.param == 2 && host.out[0].value.value == 1, "macro 3 was turned");
    CHECK(host.out[1].value.param == 9 && host.out[1].value.value == 0, "it learns no more");
    CHECK(host.callbacks > 0 && host.dirty == 0);
    p->on_main_thread(p);
    CHECK_EQ(host.dirty, 1, "%s", "a session has to be saved");
    send_value(0, 9, 10); /* forget all */
    send_midi(1, 0xb0, 21, 0);
    play(p, 64, left[0], right[0]);
    CHECK(params->value(p, 2, &value) && value == 1, "it was forgotten");
    /* not while it plays */
    host.out_count = 0;
    send_value(0, 0, 0.75);
    params->flush(p, &in_events, &out_events);
    host.in_count = 0;
    CHECK(params->value(p, 0, &value) && value == 0.75 && host.out_count == 0);
    close_plugin(p, true);
}

/* ---- notes of their own ---- */

static void send_expression(
    uint32_t frame, int32_t expression, int32_t note, int16_t key, double value)
{
    host.in[host.in_count++].expression =
        (clap_api_expression){{sizeof(clap_api_expression), frame, 0, CLAP_API_NOTE_EXPRESSION, 0},
            expression, note, -1, -1, key, value};
}

/* Where the instrument has channels for notes, CLAP's notes are given one each. */
Test(plugin_clap, notes_are_bent_alone)
{
    static const char text[] = PLAYER_STRING("220", "mpe");
    char path[] = "/tmp/heddle-test-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    const clap_api_plugin *p = open_plugin(48000);
    const clap_api_preset_load *load = p->get_extension(p, CLAP_API_PRESET_LOAD);
    CHECK(load->from_location(p, CLAP_API_LOCATION_FILE, path, NULL), "%s", host.words);
    play(p, BLOCK, left[1], right[1]); /* the former one fades out */
    p->reset(p);
    unlink(path);
    send_note(10, CLAP_API_NOTE_ON, 7, 50, 100);
    send_note(20, CLAP_API_NOTE_ON, 8, 54, 90);
    send_expression(30, CLAP_API_TUNING, 8, -1, 1); /* half of the range of 2 */
    send_expression(40, CLAP_API_PRESSURE, -1, 50, 0.5);
    send_note(2000, CLAP_API_NOTE_OFF, 7, -1, 64);
    send_note(3000, CLAP_API_NOTE_CHOKE, 8, -1, 0);
    play(p, 6000, left[1], right[1]);
    const hed_synth_event same[] = {{.frame = 10, .bytes = {0x91, 50, 100}},
        {.frame = 20, .bytes = {0x92, 54, 90}},
        {.frame = 30, .bytes = {0xe2, 12288 & 127, 12288 >> 7}},
        {.frame = 40, .bytes = {0xd1, 64, 0}}, {.frame = 2000, .bytes = {0x81, 50, 64}},
        {.frame = 3000, .kind = HED_SYNTH_EVENT_CHOKE, .bytes = {2, 54}}};
    player_render(text, 48000, same, 6, left[0], right[0], 6000);
    CHECK_BYTES(left[0], left[1], 6000 * sizeof(float));
    /* More notes than channels: the oldest gives way, and nothing hangs. */
    for (uint32_t i = 0; i < 40; i++)
        send_note(i, CLAP_API_NOTE_ON, (int32_t)(100 + i), (int16_t)(45 + i % 20), 80);
    send_note(60, CLAP_API_NOTE_OFF, -1, -1, 0);
    play(p, 100, left[1], right[1]);
    close_plugin(p, true);
}

/* What a host should not send. */
Test(plugin_clap, strange_events)
{
    const clap_api_plugin *p = open_plugin(48000);
    send_note(0, CLAP_API_NOTE_ON, -1, 300, 90);
    send_note(0, CLAP_API_NOTE_ON, -1, -5, 90);
    send_note(0, CLAP_API_NOTE_ON, -1, 60, 127);
    host.in[host.in_count - 1].note.velocity = NAN;
    send_value(0, 77, 1);
    send_value(0, 3, NAN);
    send_value(0, 9, 1e9);
    send_expression(0, 99, -1, -1, 1);
    send_expression(0, CLAP_API_PRESSURE, -1, 60, NAN);
    send_midi(9999, 0x90, 60, 90);
    send_midi(0, 0xf0, 60, 90);
    send_midi(0, 0x12, 60, 90);
    send_midi(0, 0x90, 222, 90);
    host.in[host.in_count++].header = (clap_api_event){sizeof(clap_api_event), 0, 5, 0, 0};
    host.in[host.in_count++].header = (clap_api_event){sizeof(clap_api_event), 0, 0, 900, 0};
    play(p, 64, left[0], right[0]);
    play(p, 0, left[0], right[0]);
    play(p, FRAMES, left[0], right[0]);
    for (uint32_t n = 0; n < FRAMES; n++) CHECK(isfinite(left[0][n]));
    clap_api_process block = {.frames = 1, .in = &in_events, .out = &out_events};
    CHECK_EQ(p->process(p, &block), CLAP_API_ERROR, "%s", "nowhere to play to");
    close_plugin(p, true);
}

Test(plugin_clap, fifty_in_one_host)
{
    const clap_api_plugin *all[50];
    for (uint32_t i = 0; i < 50; i++) all[i] = open_plugin(i % 2 ? 44100 : 48000);
    for (uint32_t i = 0; i < 50; i++) {
        if (i % 5 == 0) send_midi(0, 0x90, (uint8_t)(48 + i / 5), 100);
        play(all[i], 1000, left[0], right[0]);
        EXPECT((left[0][900] > 1e-6f || left[0][900] < -1e-6f) == (i % 5 == 0), "instance %u", i);
    }
    for (uint32_t i = 0; i < 50; i++) close_plugin(all[(i * 7) % 50], true);
    /* and none has brought a driver in */
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        EXPECT(!strstr(line, "libEGL") && !strstr(line, "libOpenCL") && !strstr(line, "libcuda") &&
                   !strstr(line, "libvulkan") && !strstr(line, "libnvrtc"),
            "%s", line);
    if (maps) fclose(maps);
}
