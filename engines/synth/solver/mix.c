/* Mix of stems to sound: the sum of voices and microphones, the breaker, master gain, the
 * limiter.
 *
 * All times are counted in samples, independent of blocks, so the block size changes no bit of
 * the sound. If samples are not frames, the sum is converted before the limiter, so the limiter and
 * the output count frames.
 *
 * The limiter looks ahead. A peak requires the gain limit/peak. The envelope falls at once to
 * the smallest gain required by a peak of the last WINDOW samples, and recovers exponentially;
 * its mean over WINDOW samples is applied WINDOW - 1 samples late. Each value in this mean has
 * seen the peak and is at most the required gain, so the mean is, too. Gains are integers in
 * units of 2^-30: the running sum is always exact, and sound that needs no limiting passes
 * unchanged to the bit.
 *
 * The breaker opens on NaN or infinity, and on a mean power of more than 40 dB above full scale,
 * which no music has. The samples in the limiter fade out, the synth rests for HOLD samples, and
 * then fades in.
 *
 * An instance that is cut off ("all sound off") would leave a step: its last sample is added and
 * fades out exponentially, so there is no click, and notes that start at once are heard from
 * their beginning.
 *
 * An instance that fades (a stolen or choked voice) is multiplied by 1 minus the integral of
 * Blackman and Harris's window (F. J. Harris, 1978), so that the fade of a tone adds nothing that
 * is audible far from the tone.
 *
 * Of several layers, each has a mix of its own up to the limiter (SYNTH_MIX_LAYER), which marks the
 * frame at which its breaker opens by NaN; one limiter follows their sum (SYNTH_MIX_SUM), and fades
 * out and in at such a frame. */
#include "solver/solver.h"

#include "heddle/math.h"
#include "support/strict_math.h"

#include <math.h>

enum {
    GAIN_BITS = 30,
    GAIN_ONE = 1 << GAIN_BITS,
    RING = 4096,
    MOST_WINDOW = RING / 2,
    MOST_CUT = 64
};
static const double LOOK_AHEAD = 0.0015;   /* s */
static const double FADE_IN = 0.05;        /* s */
static const double CUT_TIME = 0.002;      /* s in which a cut falls to 1/e */
static const double FADE_TIME = 0.02;      /* s in which an instance fades */
static const double LOUDNESS_TIME = 0.025; /* s in which the loudness falls to 1/e */
static const double POWER_TIME = 0.01;     /* s over which the breaker takes the mean */
static const float POWER_LIMIT = 1e4f;     /* limit of the mean of left^2 + right^2, full scale 1 */
/* smaller values become 0: no denormals after this stage */
static const float FLOOR = 1e-18f;

/* Peaks that may still be the largest of the window: gains ascending from the oldest. */
typedef struct mix_least {
    uint32_t gain[RING];
    uint64_t sample[RING];
    uint32_t first, last; /* indices modulo RING; `last` is after the last */
} mix_least;

struct synth_mix {
    hed_allocator allocator;
    /* constant */
    synth_mix_kind kind;
    uint32_t window;   /* frames */
    uint32_t fade_out; /* frames in which the sound fades when the breaker opens */
    double rate;       /* rate of frames, Hz */
    synth_ratio ratio;
    float power_rate; /* weight of a sample in the mean power */
    float cut_rate;   /* factor by which a sample reduces a cut */
    float loudness_rate;
    float *fade; /* (fade_frames + 1) factors, 0 to 1 */
    uint32_t fade_frames;
    uint64_t voices;            /* a bit for each instance that is in the sum from the beginning */
    uint32_t fade_in;           /* samples; also the duration of a change of gain */
    synth_converter *converter; /* samples to frames; NULL: each sample is a frame */
    /* set by the instrument */
    float gain, limit; /* linear */
    uint32_t release;  /* fraction of the distance to 1 recovered in a sample, 2^-30 */
    /* state */
    float former_gain; /* start of the present change to `gain` */
    uint32_t gaining;  /* samples left */
    uint64_t sample;
    float left[RING], right[RING]; /* sample n at n % RING, as in the arrays below */
    uint32_t envelope[RING];       /* gains that the mean is of */
    uint64_t envelope_sum;
    uint32_t recovering; /* latest value of the envelope */
    mix_least least;
    float power;
    float last[MOST_CUT][2]; /* last sample of each instance in a call */
    float cut[2];            /* remainder of cut sound */
    uint64_t open;           /* a bit for each instance that is in the sum */
    /* frames until the instance has faded; more than fade_frames: it waits; 0: no fade */
    uint32_t fade_left[MOST_CUT];
    /* frames until an instance joins the sum and its last fade ends, plus 1; 0: no change */
    uint32_t opens_in[MOST_CUT];
    bool is_silent;                 /* the stems of this call change nothing */
    bool is_resting;                /* the breaker was open in the last sample */
    float loudness[MOST_CUT];       /* loudness of each instance, before the master gain */
    float heard[MOST_CUT];          /* after the master gain, for synth_mix_loudness() */
    uint32_t hold;                  /* samples until the synth plays again; 0: it plays */
    uint32_t fading_in, fading_out; /* samples left; frames left */
    bool is_marking;                /* a layer's next frame marks an opened breaker */
    /* statistics for reports */
    float peak;
    uint64_t muted;
    uint32_t least_mean, breaks;
};

/* Returns 10^(dB/20), with equal bits on all machines. */
static float mix_linear(float decibels) { return hed_exp(decibels * 0.11512925f); }

static float gain_now(const synth_mix *mix)
{
    return mix->gaining ? mix->gain + (mix->former_gain - mix->gain) *
                                          ((float)mix->gaining / (float)mix->fade_in)
                        : mix->gain;
}

/* Fills the factors of a fade; `rate`: of samples. */
static hed_status make_fade(synth_mix *mix, double rate, hed_error *error)
{
    static const double tau = 6.283185307179586, window[] = {0.35875, 0.48829, 0.14128, 0.01168};
    mix->fade_frames = (uint32_t)(FADE_TIME * rate) + 1;
    mix->fade = hed_new(&mix->allocator, mix->fade_frames + 1ull, sizeof *mix->fade, error);
    if (!mix->fade) return HED_ERROR_MEMORY;
    for (uint32_t left = 0; left <= mix->fade_frames; left++) {
        double t = (double)left / mix->fade_frames, sum = window[0] * t;
        for (uint32_t k = 1; k < HED_COUNT(window); k++)
            sum += (k & 1 ? -1.0 : 1.0) * window[k] * hed_strict_sin(tau * k * t) / (tau * k);
        mix->fade[left] = (float)(sum / window[0]);
    }
    return HED_OK;
}

hed_status synth_mix_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    double rate, const synth_filter *filter, synth_mix_kind kind, synth_mix **mix, hed_error *error)
{
    synth_mix *created = *mix = hed_new(allocator, 1, sizeof *created, error);
    if (!created) return HED_ERROR_MEMORY;
    created->allocator = *allocator;
    created->kind = kind;
    created->ratio = filter ? filter->ratio : (synth_ratio){1, 1};
    created->rate = rate / created->ratio.samples * created->ratio.frames;
    double window = LOOK_AHEAD * created->rate;
    created->window = window < 1 ? 1 : window > MOST_WINDOW ? MOST_WINDOW : (uint32_t)window;
    created->fade_out = created->window + (filter ? filter->delay : 0);
    created->power_rate = (float)(1.0 / (1.0 + POWER_TIME * rate));
    created->cut_rate = hed_exp((float)(-1.0 / (CUT_TIME * rate)));
    created->fade_in = (uint32_t)(FADE_IN * rate) + 1;
    created->loudness_rate = hed_exp((float)(-1.0 / (LOUDNESS_TIME * rate)));
    created->voices = def->mode == HED_SYNTH_SINGLETON || def->voices >= MOST_CUT
                          ? UINT64_MAX
                          : ((uint64_t)1 << def->voices) - 1;
    bool decimates = filter && kind != SYNTH_MIX_SUM;
    if (make_fade(created, rate, error) ||
        (decimates &&
            synth_converter_create(allocator, filter, true, 2, &created->converter, error))) {
        synth_mix_destroy(created);
        *mix = NULL;
        return HED_ERROR_MEMORY;
    }
    synth_mix_adopt(created, def);
    synth_mix_reset(created);
    return HED_OK;
}

void synth_mix_adopt(synth_mix *mix, const hed_synth_instrument_def *def)
{
    mix->former_gain = gain_now(mix);
    mix->gaining = mix->fade_in;
    mix->gain = mix_linear(def->gain);
    mix->limit = hed_min(mix_linear(def->limit), 1.0f);
    double samples = def->limit_release * mix->rate;
    mix->release = samples > 1 ? (uint32_t)(GAIN_ONE / samples) : GAIN_ONE;
}

void synth_mix_destroy(synth_mix *mix)
{
    if (!mix) return;
    hed_allocator allocator = mix->allocator;
    synth_converter_destroy(mix->converter);
    hed_delete(&allocator, mix->fade, mix->fade_frames + 1ull, sizeof *mix->fade);
    hed_delete(&allocator, mix, 1, sizeof *mix);
}

void synth_mix_reset(synth_mix *mix)
{
    synth_converter_reset(mix->converter);
    mix->sample = 0;
    for (uint32_t i = 0; i < RING; i++) {
        mix->left[i] = mix->right[i] = 0.0f;
        mix->envelope[i] = GAIN_ONE;
    }
    mix->envelope_sum = (uint64_t)mix->window * GAIN_ONE;
    mix->recovering = mix->least_mean = GAIN_ONE;
    mix->least.first = mix->least.last = 0;
    mix->power = mix->peak = mix->cut[0] = mix->cut[1] = 0.0f;
    memset(mix->last, 0, sizeof mix->last);
    memset(mix->fade_left, 0, sizeof mix->fade_left);
    memset(mix->opens_in, 0, sizeof mix->opens_in);
    memset(mix->loudness, 0, sizeof mix->loudness);
    memset(mix->heard, 0, sizeof mix->heard);
    mix->open = mix->voices;
    mix->hold = mix->fading_in = mix->fading_out = mix->gaining = mix->breaks = 0;
    mix->is_marking = false;
    mix->muted = 0;
    mix->is_resting = false;
}

uint32_t synth_mix_latency(const synth_mix *mix) { return mix->fade_out - 1; }

uint32_t synth_mix_resting(const synth_mix *mix) { return mix->hold; }

/* ---- limiter ---- */

/* Returns the smallest gain of the last `window` samples, including this one. */
static uint32_t least_gain(synth_mix *mix, uint32_t gain)
{
    mix_least *l = &mix->least;
    if (l->first != l->last && mix->sample - l->sample[l->first % RING] >= mix->window) l->first++;
    while (l->first != l->last && l->gain[(l->last - 1) % RING] >= gain) l->last--;
    l->gain[l->last % RING] = gain;
    l->sample[l->last++ % RING] = mix->sample;
    return l->gain[l->first % RING];
}

/* Replaces a sample by the limited one that is `window` - 1 older. */
static void limit(synth_mix *mix, float *left, float *right)
{
    float peak = hed_max(hed_magnitude(*left), hed_magnitude(*right));
    if (peak > mix->peak) mix->peak = peak;
    uint32_t required = peak > mix->limit ? (uint32_t)(mix->limit / peak * GAIN_ONE) : GAIN_ONE;
    uint32_t smallest = least_gain(mix, required), back = mix->recovering;
    back += (uint32_t)((uint64_t)(GAIN_ONE - back) * mix->release >> GAIN_BITS) + (back < GAIN_ONE);
    mix->recovering = back < smallest ? back : smallest;
    uint64_t n = mix->sample++, oldest = (n - (mix->window - 1)) % RING;
    mix->envelope_sum += mix->recovering;
    mix->envelope_sum -= mix->envelope[(n - mix->window) % RING];
    mix->envelope[n % RING] = mix->recovering;
    mix->left[n % RING] = *left;
    mix->right[n % RING] = *right;
    uint32_t mean = GAIN_ONE; /* unlimited sound needs no division */
    if (mix->envelope_sum != (uint64_t)mix->window * GAIN_ONE)
        mean = (uint32_t)(mix->envelope_sum / mix->window);
    if (mean < mix->least_mean) mix->least_mean = mean;
    float gain = (float)mean * (1.0f / GAIN_ONE);
    /* the clamp is for the last bit: gain and product are rounded */
    *left = hed_clamp(mix->left[oldest] * gain, -mix->limit, mix->limit);
    *right = hed_clamp(mix->right[oldest] * gain, -mix->limit, mix->limit);
}

/* ---- breaker ---- */

/* True if this sample opens the breaker. */
static bool runs_away(synth_mix *mix, float left, float right)
{
    /* FLOOR keeps the filter's input a normal number */
    float power = mix->power + mix->power_rate * (left * left + right * right + FLOOR - mix->power);
    mix->power = power > FLOOR ? power : 0.0f;
    return !(power <= POWER_LIMIT); /* true for NaN */
}

/* Opens the breaker. The filter's memory is finite: the sample that opened it is not in it. */
static void break_open(synth_mix *mix)
{
    mix->breaks++;
    mix->power = 0.0f;
    mix->hold = SYNTH_MIX_HOLD;
    mix->fading_in = 0;
    mix->fading_out = mix->fade_out;
    mix->is_marking = mix->kind == SYNTH_MIX_LAYER;
    mix->cut[0] = mix->cut[1] = 0.0f;
    memset(mix->fade_left, 0, sizeof mix->fade_left);
    memset(mix->loudness, 0, sizeof mix->loudness);
}

/* ---- a block ---- */

static float heard(float x) { return hed_magnitude(x) < FLOOR ? 0.0f : x; }

void synth_mix_cut(synth_mix *mix, uint64_t instances)
{
    for (uint32_t i = 0; i < MOST_CUT; i++)
        for (uint32_t k = 0; instances >> i & 1 && k < 2; k++) {
            mix->cut[k] += mix->last[i][k];
            mix->last[i][k] = mix->loudness[i] = 0.0f;
        }
}

static float fade_cut(synth_mix *mix, uint32_t channel, float sound)
{
    if (mix->cut[channel] == 0.0f) return sound;
    mix->cut[channel] = heard(mix->cut[channel] * mix->cut_rate);
    return sound + mix->cut[channel];
}

void synth_mix_fade(synth_mix *mix, uint32_t instance, uint32_t frame)
{
    if (instance < MOST_CUT && !mix->hold) mix->fade_left[instance] = mix->fade_frames + frame + 1;
}

void synth_mix_open(synth_mix *mix, uint32_t instance, uint32_t frame)
{
    if (instance < MOST_CUT) mix->opens_in[instance] = frame + 1;
}

const float *synth_mix_loudness(const synth_mix *mix) { return mix->heard; }

/* True if the stems of a call (count) change nothing: all are 0, the loudness of all instances has died
 * away, and no fade or opening is due. */
static bool changes_nothing(
    const synth_mix *mix, const float *stems, size_t count, uint32_t instances)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < instances; i++)
        busy |= mix->opens_in[i] | mix->fade_left[i] | hed_as_uint(mix->loudness[i]);
    for (size_t first = 0; first < count && !busy; first += RING) {
        size_t end = count < first + RING ? count : first + RING;
        for (size_t k = first; k < end; k++) busy |= hed_as_uint(stems[k]);
    }
    return busy == 0;
}

/* Adds up the stems of a frame, and follows the loudness of the instances. */
static void add_instances(
    synth_mix *mix, const float *stems, uint32_t instances, uint32_t width, float *l, float *r)
{
    for (uint32_t i = 0; i < instances; i++, stems += width) {
        if (mix->opens_in[i] && --mix->opens_in[i] == 0) {
            mix->open |= (uint64_t)1 << i;
            if (mix->fade_left[i] <= mix->fade_frames)
                mix->fade_left[i] = 0; /* a longer one waits */
        }
        if (!(mix->open >> i & 1)) continue;
        float gain = 1.0f, peak = 0.0f;
        if (mix->fade_left[i]) {
            uint32_t left = --mix->fade_left[i];
            gain = mix->fade[left < mix->fade_frames ? left : mix->fade_frames];
        }
        for (uint32_t k = 0; k < width; k += 2) {
            *l += gain * stems[k];
            *r += gain * stems[k + 1];
            peak = hed_max(peak, hed_max(hed_magnitude(stems[k]), hed_magnitude(stems[k + 1])));
        }
        mix->loudness[i] = hed_max(peak, heard(mix->loudness[i] * mix->loudness_rate));
    }
}

/* Sums the stems of a sample. False: the sample opens the breaker. */
static bool sum_sample(synth_mix *mix, const float *stems, uint32_t instances, uint32_t stem_count,
    float *left, float *right)
{
    if (!mix->is_silent) add_instances(mix, stems, instances, 2 * stem_count, left, right);
    float gain = gain_now(mix), l = fade_cut(mix, 0, *left), r = fade_cut(mix, 1, *right);
    if (mix->gaining) mix->gaining--;
    *left = l = heard(l * gain);
    *right = r = heard(r * gain);
    return !runs_away(mix, l, r);
}

/* Writes a frame of sound: limits it, and fades the content of the filter and the limiter while the
 * breaker is open. A layer's frame is neither limited nor faded. */
static void write_frame(synth_mix *mix, synth_mix_out *out, float l, float r)
{
    float gain = 1.0f;
    if (mix->kind != SYNTH_MIX_LAYER) limit(mix, &l, &r);
    else if (mix->is_marking) l = NAN;
    mix->is_marking = false;
    if (mix->kind != SYNTH_MIX_LAYER && mix->is_resting) {
        if (mix->fading_out) mix->fading_out--;
        gain = (float)mix->fading_out / (float)mix->fade_out;
    }
    *out->left++ = l * gain;
    *out->right++ = r * gain;
    out->frames--;
}

static void convert_frames(synth_mix *mix, synth_mix_out *out)
{
    synth_converter *c = mix->converter;
    for (; out->frames && synth_converter_is_ready(c); synth_converter_next(c))
        write_frame(mix, out, synth_convert(c, 0), synth_convert(c, 1));
}

void synth_mix_resume(synth_mix *mix, uint64_t samples, uint64_t frames, synth_mix_out *out)
{
    synth_converter_seek(mix->converter, samples, frames);
    convert_frames(mix, out);
}

uint32_t synth_mix_run(synth_mix *mix, const float *stems, uint32_t instances, uint32_t stem_count,
    uint32_t samples, synth_mix_out *out)
{
    uint32_t sounding = stems ? samples : 0, channels = 2 * instances * stem_count;
    mix->is_silent = stems && changes_nothing(mix, stems, (size_t)samples * channels, instances);
    for (uint32_t n = 0; n < samples; n++) {
        float l = 0.0f, r = 0.0f;
        if (n < sounding &&
            !sum_sample(mix, stems + (size_t)n * channels, instances, stem_count, &l, &r)) {
            break_open(mix);
            sounding = n;
        }
        mix->is_resting = n >= sounding;
        if (mix->is_resting) {
            l = r = 0.0f;
            mix->muted++;
            if (--mix->hold == 0) mix->fading_in = mix->fade_in;
        } else if (mix->fading_in) {
            float share = 1.0f - (float)mix->fading_in-- / (float)mix->fade_in;
            l *= share;
            r *= share;
        }
        if (!mix->converter) {
            write_frame(mix, out, l, r);
            continue;
        }
        synth_converter_put(mix->converter, 0, l);
        synth_converter_put(mix->converter, 1, r);
        synth_converter_step(mix->converter);
        convert_frames(mix, out);
    }

    /* the last frame of the stems; 0 if it was not played */
    memset(mix->last, 0, sizeof mix->last);
    const float *last = stems ? stems + (size_t)(samples - 1) * channels : NULL;
    for (uint32_t i = 0; last && sounding == samples && i < instances && i < MOST_CUT; i++)
        for (uint32_t k = 0; k < 2 * stem_count; k++)
            mix->last[i][k & 1] += last[2 * stem_count * i + k];
    for (uint32_t i = 0; i < instances; i++) mix->heard[i] = mix->gain * mix->loudness[i];
    return stems ? sounding : samples;
}

void synth_mix_limit(synth_mix *mix, float *left, float *right, uint32_t frames)
{
    for (uint32_t n = 0; n < frames; n++) {
        float l = left[n], r = right[n], gain = 1.0f;
        if (isnan(l)) {
            l = r = 0.0f;
            mix->fading_out = mix->fade_out;
        }
        limit(mix, &l, &r);
        if (mix->fading_out) {
            gain = (float)--mix->fading_out / (float)mix->fade_out;
            if (!mix->fading_out) mix->fading_in = mix->fade_in;
        } else if (mix->fading_in) {
            gain = 1.0f - (float)mix->fading_in-- / (float)mix->fade_in;
        }
        left[n] = l * gain;
        right[n] = r * gain;
    }
}

void synth_mix_report(const synth_mix *mix, hed_synth_info *report)
{
    report->muted = synth_frames_before(mix->ratio, mix->muted);
    report->breaks = mix->breaks;
    report->peak = mix->peak;
    report->reduction = (float)(20.0 * hed_strict_log10(GAIN_ONE / fmax(mix->least_mean, 1.0)));
    report->latency = synth_mix_latency(mix);
}
