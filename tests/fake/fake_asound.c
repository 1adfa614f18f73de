/* What fake_asound.h says. */
#include "fake_asound.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define DECLARE(type, name, parameters) EXPORTED type name parameters;
ASOUND_FUNCTIONS(DECLARE)
void snd_seq_client_info_set_name(snd_seq_client_info_t *info, const char *name);
int snd_seq_port_info_get_client(const snd_seq_port_info_t *info);

struct snd_pcm {
    bool capture;
};

struct snd_seq {
    int pipe[2];
};

EXPORTED extern fake_asound_control fake_asound;

static fake_asound_control *const f = &fake_asound;
static snd_seq_event_t events[FAKE_ASOUND_EVENTS];
static _Atomic uint32_t sent, taken;
static _Atomic int wake = -1; /* end of a pipe */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time); /* as hed_now() */
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void send_event(const snd_seq_event_t *event, uint64_t time)
{
    uint32_t number = atomic_load(&sent);
    events[number] = *event;
    events[number].flags = SND_SEQ_TIME_STAMP_REAL;
    events[number].queue = 3;
    events[number].time.time.tv_sec = (unsigned)(time / 1000000000);
    events[number].time.time.tv_nsec = (unsigned)(time % 1000000000);
    atomic_store(&sent, number + 1);
    if (write(atomic_load(&wake), "", 1) != 1) abort();
}

static void start(void)
{
    *f = (fake_asound_control){.start = start, .send = send_event, .code = -EIO,
        .format = SND_PCM_FORMAT_FLOAT, .channels = 2, .allowed = UINT64_MAX, .break_read = -1,
        .break_write = -1};
    atomic_store(&sent, 0);
    atomic_store(&taken, 0);
}

fake_asound_control fake_asound = {.start = start};

/* ---- what every function does ---- */

/* libasound's own. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Of those that run in threads. */
static int enter_running(const char *function)
{
    const char *name = atomic_load(&f->fail_name);
    return name && strcmp(name, function) == 0 ? f->code : 0;
}

static int enter(const char *function)
{
    if (++f->calls != f->fail_call) return enter_running(function);
    f->failed = function;
    return f->code;
}

/* A function that does nothing but fail when it is told to. */
#define PLAIN(name, parameters) \
    int name parameters { return enter(#name); }
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* One that makes something, and the one that frees it. */
#define MAKES(name, type) \
    int name##_malloc(type **made) \
    { \
        int code = enter(#name "_malloc"); \
        if (code) return code; \
        atomic_fetch_add(&f->live, 1); \
        return REAL(name##_malloc)(made); \
    } \
    void name##_free(type *made) \
    { \
        atomic_fetch_sub(&f->live, 1); \
        REAL(name##_free) \
        (made); \
    }

/* ---- the card: setting up ---- */

int snd_pcm_open(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode)
{
    int code = enter("snd_pcm_open");
    if (code) return code;
    if (stream == SND_PCM_STREAM_CAPTURE && f->channels == 0) return -ENOENT;
    *pcm = calloc(1, sizeof **pcm);
    (*pcm)->capture = stream == SND_PCM_STREAM_CAPTURE;
    atomic_fetch_add(&f->live, 1);
    return 0;
}

int snd_pcm_close(snd_pcm_t *pcm)
{
    atomic_fetch_sub(&f->live, 1);
    free(pcm);
    return 0;
}

MAKES(snd_pcm_hw_params, snd_pcm_hw_params_t)
PLAIN(snd_pcm_hw_params_any, (snd_pcm_t * pcm, snd_pcm_hw_params_t *params))
PLAIN(snd_pcm_hw_params_set_access,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, snd_pcm_access_t access))
PLAIN(snd_pcm_hw_params_set_channels,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, unsigned channels))
PLAIN(snd_pcm_hw_params_set_rate,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, unsigned rate, int dir))
PLAIN(snd_pcm_hw_params_set_rate_near,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, unsigned *rate, int *dir))
PLAIN(snd_pcm_hw_params_set_period_size,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, snd_pcm_uframes_t size, int dir))
PLAIN(snd_pcm_hw_params_set_period_size_near,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, snd_pcm_uframes_t *size, int *dir))
PLAIN(snd_pcm_hw_params_set_periods_near,
    (snd_pcm_t * pcm, snd_pcm_hw_params_t *params, unsigned *periods, int *dir))
PLAIN(snd_pcm_hw_params, (snd_pcm_t * pcm, snd_pcm_hw_params_t *params))

int snd_pcm_hw_params_set_format(
    snd_pcm_t *pcm, snd_pcm_hw_params_t *params, snd_pcm_format_t format)
{
    int code = enter("snd_pcm_hw_params_set_format");
    return code ? code : format == f->format ? 0 : -EINVAL;
}

int snd_pcm_hw_params_set_channels_near(
    snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned *channels)
{
    *channels = f->channels;
    return enter("snd_pcm_hw_params_set_channels_near");
}

int snd_pcm_link(snd_pcm_t *first, snd_pcm_t *second)
{
    int code = enter("snd_pcm_link");
    f->linked = !code && !first->capture && second->capture;
    return code;
}

/* ---- the card: sound ---- */

static void get(const void *from, uint64_t sample, float *value)
{
    if (f->format == SND_PCM_FORMAT_FLOAT) *value = ((const float *)from)[sample];
    else if (f->format == SND_PCM_FORMAT_S32)
        *value = (float)((const int32_t *)from)[sample] / 2147483648.0f;
    else *value = (float)((const int16_t *)from)[sample] / 32768.0f;
}

static void put(void *to, uint64_t sample, float value)
{
    if (f->format == SND_PCM_FORMAT_FLOAT) ((float *)to)[sample] = value;
    else if (f->format == SND_PCM_FORMAT_S32)
        ((int32_t *)to)[sample] = (int32_t)(value * 2147483648.0f);
    else ((int16_t *)to)[sample] = (int16_t)(value * 32768.0f);
}

static bool xrun_at(_Atomic int64_t *frame, uint64_t at_frame)
{
    int64_t at = atomic_load(frame);
    if (at < 0 || at_frame < (uint64_t)at) return false;
    atomic_store(frame, -1);
    return true;
}

snd_pcm_sframes_t snd_pcm_writei(snd_pcm_t *pcm, const void *from, snd_pcm_uframes_t size)
{
    int code = enter_running("snd_pcm_writei");
    if (code) return code;
    uint64_t written = atomic_load(&f->written);
    if (xrun_at(&f->break_write, written)) return -EPIPE;
    while (written + size > atomic_load(&f->allowed)) {
        atomic_store(&f->waiting, true);
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    atomic_store(&f->waiting, false);
    for (uint64_t n = 0; n < size && written + n < FAKE_ASOUND_FRAMES; n++)
        for (uint32_t c = 0; c < 2; c++) get(from, 2 * n + c, &f->heard[c][written + n]);
    atomic_store(&f->written, written + size);
    atomic_store(&f->begun, now());
    return (snd_pcm_sframes_t)size;
}

snd_pcm_sframes_t snd_pcm_readi(snd_pcm_t *pcm, void *to, snd_pcm_uframes_t size)
{
    int code = enter_running("snd_pcm_readi");
    if (code) return code;
    uint64_t captured = atomic_load(&f->captured);
    if (xrun_at(&f->break_read, captured)) return -EPIPE;
    if (f->most && size > f->most) size = f->most;
    for (uint64_t n = 0; n < size; n++)
        for (uint32_t c = 0; c < f->channels; c++)
            put(to, n * f->channels + c, fake_asound_signal(captured + n, c));
    atomic_store(&f->captured, captured + size);
    return (snd_pcm_sframes_t)size;
}

int snd_pcm_recover(snd_pcm_t *pcm, int code, int silent)
{
    int failed = enter_running("snd_pcm_recover");
    return failed ? failed : code == -EPIPE ? 0 : code;
}

int snd_pcm_drop(snd_pcm_t *pcm) { return enter_running("snd_pcm_drop"); }

int snd_pcm_drain(snd_pcm_t *pcm)
{
    f->played_out = true;
    return 0;
}

int snd_pcm_prepare(snd_pcm_t *pcm) { return enter_running("snd_pcm_prepare"); }

/* ---- the sequencer: ports ---- */

static const struct {
    int client, port;
    unsigned capability;
    const char *client_name, *name;
} ports[] = {
    {0, 1, SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ, "System", "Announce"},
    {14, 0, SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ, "Midi Through", "Port-0"},
    {20, 0, SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ, "Stage Piano", "Keys"},
    {20, 1, SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ, "Stage Piano", "Pads"},
    {24, 0, SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE, "Expander", "Sounds"},
};
enum { PORTS = sizeof ports / sizeof *ports };

int snd_seq_query_next_client(snd_seq_t *seq, snd_seq_client_info_t *info)
{
    int code = enter("snd_seq_query_next_client");
    if (code) return code;
    for (uint32_t i = 0; i < PORTS; i++) {
        if (ports[i].client <= snd_seq_client_info_get_client(info)) continue;
        snd_seq_client_info_set_client(info, ports[i].client);
        snd_seq_client_info_set_name(info, ports[i].client_name);
        return 0;
    }
    return -ENOENT;
}

int snd_seq_query_next_port(snd_seq_t *seq, snd_seq_port_info_t *info)
{
    int code = enter("snd_seq_query_next_port");
    if (code) return code;
    int before = snd_seq_port_info_get_port(info);
    for (uint32_t i = 0; i < PORTS; i++) {
        if (ports[i].client != snd_seq_port_info_get_client(info)) continue;
        if (before != 255 && ports[i].port <= before) continue; /* -1 in a byte */
        snd_seq_port_info_set_port(info, ports[i].port);
        snd_seq_port_info_set_name(info, ports[i].name);
        snd_seq_port_info_set_capability(info, ports[i].capability);
        return 0;
    }
    return -ENOENT;
}

/* By numbers alone. */
int snd_seq_parse_address(snd_seq_t *seq, snd_seq_addr_t *address, const char *text)
{
    int code = enter("snd_seq_parse_address");
    return code ? code : REAL(snd_seq_parse_address)(NULL, address, text);
}

int snd_seq_connect_from(snd_seq_t *seq, int port, int client, int from)
{
    f->connected = (snd_seq_addr_t){(unsigned char)client, (unsigned char)from};
    return enter("snd_seq_connect_from");
}

/* ---- the sequencer: a client ---- */

int snd_seq_open(snd_seq_t **seq, const char *name, int streams, int mode)
{
    int code = enter("snd_seq_open");
    if (code) return code;
    if (f->no_sequencer) return -ENOENT;
    *seq = calloc(1, sizeof **seq);
    if (pipe2((*seq)->pipe, O_NONBLOCK | O_CLOEXEC) != 0) abort();
    atomic_store(&wake, (*seq)->pipe[1]);
    atomic_fetch_add(&f->live, 1);
    return 0;
}

int snd_seq_close(snd_seq_t *seq)
{
    close(seq->pipe[0]);
    close(seq->pipe[1]);
    free(seq);
    atomic_fetch_sub(&f->live, 1);
    return 0;
}

MAKES(snd_seq_client_info, snd_seq_client_info_t)
MAKES(snd_seq_port_info, snd_seq_port_info_t)
MAKES(snd_seq_queue_status, snd_seq_queue_status_t)
PLAIN(snd_seq_set_client_name, (snd_seq_t * seq, const char *name))
PLAIN(snd_seq_create_port, (snd_seq_t * seq, snd_seq_port_info_t *info))
PLAIN(snd_seq_drain_output, (snd_seq_t * seq))
PLAIN(snd_seq_control_queue,
    (snd_seq_t * seq, int queue, int type, int value, snd_seq_event_t *event))

int snd_seq_alloc_queue(snd_seq_t *seq)
{
    int code = enter("snd_seq_alloc_queue");
    return code ? code : 3;
}

int snd_midi_event_new(size_t size, snd_midi_event_t **decoder)
{
    int code = enter("snd_midi_event_new");
    if (code) return code;
    atomic_fetch_add(&f->live, 1);
    return REAL(snd_midi_event_new)(size, decoder);
}

void snd_midi_event_free(snd_midi_event_t *decoder)
{
    atomic_fetch_sub(&f->live, 1);
    REAL(snd_midi_event_free)
    (decoder);
}

/* ---- the sequencer: events ---- */

int snd_seq_poll_descriptors(snd_seq_t *seq, struct pollfd *descriptors, unsigned space, short what)
{
    descriptors[0] = (struct pollfd){.fd = seq->pipe[0], .events = POLLIN};
    return 1;
}

int snd_seq_event_input(snd_seq_t *seq, snd_seq_event_t **event)
{
    char bytes[FAKE_ASOUND_EVENTS];
    while (read(seq->pipe[0], bytes, sizeof bytes) > 0) continue;
    int code = enter_running("snd_seq_event_input");
    if (code) return code;
    uint32_t number = atomic_load(&taken);
    if (number == atomic_load(&sent)) {
        atomic_store(&f->drained, number);
        return -EAGAIN;
    }
    *event = &events[number];
    atomic_store(&taken, number + 1);
    return 1;
}

int snd_seq_get_queue_status(snd_seq_t *seq, int queue, snd_seq_queue_status_t *status)
{
    return enter_running("snd_seq_get_queue_status");
}

const snd_seq_real_time_t *snd_seq_queue_status_get_real_time(const snd_seq_queue_status_t *status)
{
    static snd_seq_real_time_t time;
    uint64_t time_now = now();
    time.tv_sec = (unsigned)(time_now / 1000000000);
    time.tv_nsec = (unsigned)(time_now % 1000000000);
    return &time;
}
