/* A card through ALSA: opened for playback and, for an instrument with inputs, for capture. */
#include "asound.h"

#include "support/errors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PERIODS = 2 };

/* ---- blocks ---- */

static size_t frame_bytes(const live_driver *d, const asound_stream *stream)
{
    return (size_t)d->api.snd_pcm_format_physical_width(stream->format) / 8 * stream->channels;
}

static void interleave(live_driver *d)
{
    float *floats = d->period;
    int32_t *longs = d->period;
    int16_t *shorts = d->period;
    for (uint32_t n = 0; n < d->live->block; n++) {
        float both[2] = {d->left[n], d->right[n]};
        for (uint32_t c = 0; c < 2; c++) {
            if (d->playback.format == SND_PCM_FORMAT_FLOAT) floats[2 * n + c] = both[c];
            else if (d->playback.format == SND_PCM_FORMAT_S32)
                longs[2 * n + c] = (int32_t)((double)both[c] * 2147483647.0);
            else shorts[2 * n + c] = (int16_t)(both[c] * 32767.0f);
        }
    }
}

/* The card may have more channels than the synth has inputs; where it has fewer, the other inputs
 * stay silent. */
static void deinterleave(live_driver *d)
{
    const float *floats = d->period;
    const int32_t *longs = d->period;
    const int16_t *shorts = d->period;
    uint32_t channels = d->capture.channels;
    for (uint32_t c = 0; c < channels && c < d->live->inputs; c++) {
        for (uint32_t n = 0; n < d->live->block; n++) {
            uint32_t i = n * channels + c;
            if (d->capture.format == SND_PCM_FORMAT_FLOAT) d->inputs[c][n] = floats[i];
            else if (d->capture.format == SND_PCM_FORMAT_S32)
                d->inputs[c][n] = (float)longs[i] * 0x1p-31f;
            else d->inputs[c][n] = (float)shorts[i] * 0x1p-15f;
        }
    }
}

/* Writes fill the buffer, the first of them starts playback, and capture with it where the two are
 * linked; else the first read starts it. What fails here fails again at that read. */
void asound_card_begin(live_driver *d)
{
    memset(d->period, 0, d->live->block * frame_bytes(d, &d->playback));
    for (uint32_t i = 0; i < PERIODS; i++)
        d->api.snd_pcm_writei(d->playback.pcm, d->period, d->live->block);
}

/* Goes on after an xrun, or after the machine has slept; false when the card is gone. With a
 * capture both directions begin anew, so that playback is as far behind it as before. */
static bool recover(live_driver *d, const asound_stream *failed, int code)
{
    const asound_stream *other = failed == &d->playback ? &d->capture : &d->playback;
    if (code == -EPIPE) atomic_fetch_add(&d->live->xruns, 1);
    if (d->api.snd_pcm_recover(failed->pcm, code, 1) < 0) return false;
    if (!other->pcm) return true;
    if (d->api.snd_pcm_drop(other->pcm) < 0 || d->api.snd_pcm_prepare(other->pcm) < 0) return false;
    asound_card_begin(d);
    return true;
}

bool asound_card_read(live_driver *d)
{
    snd_pcm_uframes_t done = 0;
    while (done < d->live->block && !atomic_load(&d->stop)) {
        char *to = (char *)d->period + done * frame_bytes(d, &d->capture);
        snd_pcm_sframes_t count = d->api.snd_pcm_readi(d->capture.pcm, to, d->live->block - done);
        if (count < 0 && !recover(d, &d->capture, (int)count)) return false;
        done = count < 0 ? 0 : done + (snd_pcm_uframes_t)count;
    }
    deinterleave(d);
    return true;
}

bool asound_card_write(live_driver *d)
{
    interleave(d);
    snd_pcm_uframes_t done = 0;
    while (done < d->live->block && !atomic_load(&d->stop)) {
        const char *from = (const char *)d->period + done * frame_bytes(d, &d->playback);
        snd_pcm_sframes_t count =
            d->api.snd_pcm_writei(d->playback.pcm, from, d->live->block - done);
        if (count < 0 && !recover(d, &d->playback, (int)count)) return false;
        if (count < 0 && d->capture.pcm) return true; /* silence stands in for this block by now */
        if (count > 0) done += (snd_pcm_uframes_t)count;
    }
    return true;
}

/* ---- opening ---- */

/* Sets a direction up. Returns ALSA's code; `step` is what was asked for last. */
typedef int set_stream(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step);

static int set_format(
    const live_driver *d, asound_stream *stream, snd_pcm_hw_params_t *params, const char **step)
{
    static const snd_pcm_format_t formats[] = {
        SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S16};
    *step = "to be asked what it can";
    int code = d->api.snd_pcm_hw_params_any(stream->pcm, params);
    if (code < 0) return code;
    *step = "interleaved frames";
    if ((code = d->api.snd_pcm_hw_params_set_access(
             stream->pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0)
        return code;
    *step = "floats, or 32 or 16 bits";
    for (uint32_t i = 0; i < 3; i++) {
        stream->format = formats[i];
        if ((code = d->api.snd_pcm_hw_params_set_format(stream->pcm, params, formats[i])) == 0)
            break;
    }
    return code;
}

static int set_playback(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step)
{
    snd_pcm_t *pcm = d->playback.pcm;
    unsigned rate = def->rate, periods = PERIODS;
    snd_pcm_uframes_t block = def->block;
    int code = set_format(d, &d->playback, params, step);
    if (code < 0) return code;
    *step = "two channels";
    d->playback.channels = 2;
    if ((code = d->api.snd_pcm_hw_params_set_channels(pcm, params, 2)) < 0) return code;
    *step = "this rate and block";
    if ((code = d->api.snd_pcm_hw_params_set_rate_near(pcm, params, &rate, NULL)) < 0) return code;
    if ((code = d->api.snd_pcm_hw_params_set_period_size_near(pcm, params, &block, NULL)) < 0)
        return code;
    if ((code = d->api.snd_pcm_hw_params_set_periods_near(pcm, params, &periods, NULL)) < 0)
        return code;
    if ((code = d->api.snd_pcm_hw_params(pcm, params)) < 0) return code;
    d->live->rate = rate;
    d->live->block = (uint32_t)block;
    return 0;
}

/* At playback's rate and block. The buffer is as long as the card makes it: what waits in it is
 * never more than a block. */
static int set_capture(
    live_driver *d, const hed_synth_live_def *def, snd_pcm_hw_params_t *params, const char **step)
{
    (void)def;
    snd_pcm_t *pcm = d->capture.pcm;
    unsigned channels = d->live->inputs;
    int code = set_format(d, &d->capture, params, step);
    if (code < 0) return code;
    *step = "as many channels";
    if ((code = d->api.snd_pcm_hw_params_set_channels_near(pcm, params, &channels)) < 0)
        return code;
    d->capture.channels = channels;
    *step = "playback's rate and block";
    if ((code = d->api.snd_pcm_hw_params_set_rate(pcm, params, d->live->rate, 0)) < 0) return code;
    if ((code = d->api.snd_pcm_hw_params_set_period_size(pcm, params, d->live->block, 0)) < 0)
        return code;
    return d->api.snd_pcm_hw_params(pcm, params);
}

static const char *name_of(const hed_synth_live_def *def)
{
    return def->output ? def->output : "default";
}

static hed_status open_stream(live_driver *d, const hed_synth_live_def *def, asound_stream *stream,
    set_stream *set, hed_error *error)
{
    bool capture = stream == &d->capture;
    const char *name = name_of(def), *step, *way = capture ? "capture" : "playback";
    int code = d->api.snd_pcm_open(
        &stream->pcm, name, capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK, 0);
    if (code < 0)
        return hed_error_set(error, HED_ERROR_IO,
            "ALSA does not open \"%s\" for %s: %s (\"%s -L\" lists what there is)", name, way,
            d->api.snd_strerror(code), capture ? "arecord" : "aplay");
    snd_pcm_hw_params_t *params;
    if (d->api.snd_pcm_hw_params_malloc(&params) < 0)
        return hed_error_set(error, HED_ERROR_MEMORY, "no memory to set \"%s\" up", name);
    code = set(d, def, params, &step);
    d->api.snd_pcm_hw_params_free(params);
    if (code < 0)
        return hed_error_set(error, HED_ERROR_IO, "\"%s\" refuses %s for %s: %s", name, step, way,
            d->api.snd_strerror(code));
    return HED_OK;
}

static void close_stream(const live_driver *d, asound_stream *stream)
{
    if (stream->pcm) d->api.snd_pcm_close(stream->pcm);
    stream->pcm = NULL;
}

static void warn(const hed_synth_live_def *def, const char *text)
{
    hed_logger logger = hed_context_logger(hed_device_context(def->device));
    if (logger.log && logger.level >= HED_LOG_WARNING)
        logger.log(logger.user, HED_LOG_WARNING, text);
}

/* A card that does not capture plays all the same, as JACK does with nothing connected. */
static hed_status open_capture(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    hed_error refusal;
    char text[512];
    hed_status status = open_stream(d, def, &d->capture, set_capture, &refusal);
    if (status == HED_ERROR_MEMORY) return hed_error_set(error, status, "%s", refusal.text);
    if (status) {
        close_stream(d, &d->capture);
        snprintf(text, sizeof text, "%.400s; the inputs hear silence", refusal.text);
        warn(def, text);
        return HED_OK;
    }
    if (d->capture.channels < d->live->inputs) {
        snprintf(text, sizeof text,
            "\"%.400s\" captures %u of %u channels; the other inputs hear silence", name_of(def),
            d->capture.channels, d->live->inputs);
        warn(def, text);
    }
    /* where it cannot, each starts by itself */
    d->api.snd_pcm_link(d->playback.pcm, d->capture.pcm);
    return HED_OK;
}

hed_status asound_card_open(live_driver *d, const hed_synth_live_def *def, hed_error *error)
{
    hed_status status = open_stream(d, def, &d->playback, set_playback, error);
    if (!status && d->live->inputs) status = open_capture(d, def, error);
    if (status) return status;
    size_t block = d->live->block, channels = d->capture.channels > 2 ? d->capture.channels : 2;
    d->bytes = (2 + d->live->inputs + channels) * block * sizeof(float);
    d->left = d->live->allocator.allocate(d->live->allocator.user, d->bytes, 64);
    if (!d->left)
        return hed_error_set(
            error, HED_ERROR_MEMORY, "no memory for a period of \"%s\"", name_of(def));
    memset(d->left, 0, d->bytes);
    d->right = d->left + block;
    for (uint32_t i = 0; i < d->live->inputs; i++) d->inputs[i] = d->right + (1 + i) * block;
    d->period = d->right + (1 + d->live->inputs) * block;
    return HED_OK;
}

void asound_card_close(live_driver *d)
{
    close_stream(d, &d->capture);
    close_stream(d, &d->playback);
    hed_allocator a = d->live->allocator;
    if (d->left) a.release(a.user, d->left, d->bytes);
}
