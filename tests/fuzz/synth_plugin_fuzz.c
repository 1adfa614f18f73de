/* libFuzzer harness for the state that a music program gives back to the plugin: the CLAP instance
 * reads it in pieces (the first byte gives their size), saves a state that it takes again, and
 * plays a block, which is finite. */
#include <math.h>

#include "engines/synth/plugin/clap.h"
#include "fuzz.h"

enum { FRAMES = 64 };

/* Bytes that a host reads or has been given. */
typedef struct pieces {
    char *bytes;
    size_t size, at, step;
} pieces;

static int64_t read_piece(const clap_api_in_stream *stream, void *to, uint64_t most)
{
    pieces *p = stream->data;
    size_t count = p->size - p->at;
    if (count > p->step) count = p->step;
    if (count > most) count = most;
    memcpy(to, p->bytes + p->at, count);
    p->at += count;
    return (int64_t)count;
}

static int64_t write_piece(const clap_api_out_stream *stream, const void *from, uint64_t size)
{
    pieces *p = stream->data;
    char *larger = realloc(p->bytes, p->size + size);
    must(larger != NULL);
    memcpy(larger + p->size, from, size);
    p->bytes = larger;
    p->size += size;
    return (int64_t)size;
}

static const void *no_extension(const clap_api_host *host, const char *id)
{
    (void)host, (void)id;
    return NULL;
}
static void do_nothing(const clap_api_host *host) { (void)host; }

static const clap_api_host host = {.version = CLAP_API_VERSION,
    .name = "fuzz",
    .vendor = "",
    .url = "",
    .its_version = "1",
    .get_extension = no_extension,
    .request_restart = do_nothing,
    .request_process = do_nothing,
    .request_callback = do_nothing};

static uint32_t no_events(const clap_api_in_events *events)
{
    (void)events;
    return 0;
}
static const clap_api_event *no_event(const clap_api_in_events *events, uint32_t index)
{
    (void)events, (void)index;
    return NULL;
}
static bool push_nothing(const clap_api_out_events *events, const clap_api_event *event)
{
    (void)events, (void)event;
    return true;
}

static void play(const clap_api_plugin *plugin)
{
    float sound[4][FRAMES] = {{0}};
    float *in[2] = {sound[0], sound[1]}, *out[2] = {sound[2], sound[3]};
    const clap_api_audio inputs = {.data32 = in, .channels = 2};
    clap_api_audio outputs = {.data32 = out, .channels = 2};
    const clap_api_in_events events = {NULL, no_events, no_event};
    const clap_api_out_events pushed = {NULL, push_nothing};
    const clap_api_process process = {.frames = FRAMES,
        .inputs = &inputs,
        .outputs = &outputs,
        .input_count = 1,
        .output_count = 1,
        .in = &events,
        .out = &pushed};
    plugin->process(plugin, &process);
    for (int i = 0; i < FRAMES; i++) must(isfinite(out[0][i]) && isfinite(out[1][i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    must(clap_entry.init("/nonexistent"));
    const clap_api_factory *factory = clap_entry.get_factory(CLAP_API_FACTORY);
    const clap_api_plugin *plugin =
        factory->create(factory, &host, factory->descriptor(factory, 0)->id);
    must(plugin && plugin->init(plugin));
    const clap_api_state *state = plugin->get_extension(plugin, CLAP_API_STATE);
    pieces given = {fuzz_copy(data + 1, size - 1), size - 1, 0, 1 + (size_t)data[0] * 16};
    const clap_api_in_stream in = {&given, read_piece};
    state->load(plugin, &in);
    pieces saved = {.step = 1 << 16};
    const clap_api_out_stream out = {&saved, write_piece};
    must(state->save(plugin, &out));
    const clap_api_in_stream again = {&saved, read_piece};
    must(state->load(plugin, &again));
    if (data[0] % 8 == 0 && plugin->activate(plugin, 48000, 1, FRAMES)) {
        must(plugin->start_processing(plugin));
        play(plugin);
        plugin->stop_processing(plugin);
        plugin->deactivate(plugin);
    }
    plugin->destroy(plugin);
    clap_entry.deinit();
    free(given.bytes);
    free(saved.bytes);
    return 0;
}
