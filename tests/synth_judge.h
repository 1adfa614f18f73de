/* Measurement of a preset, note by note: pitch, level, decay, spectrum, release by note-off and
 * pedal, a chord against the limiter, and rest. Level is the loudness of ITU-R BS.1770 (K-weighted
 * power of both channels) of the loudest tenth of a second; pitch is the line nearest to the note. */
#ifndef HED_TESTS_SYNTH_JUDGE_H
#define HED_TESTS_SYNTH_JUDGE_H

#include <time.h>

#include "synth_pitch.h"

enum {
    JUDGE_RATE = 48000,
    JUDGE_HOP = 1200,  /* frames of a step of the level, 25 ms */
    JUDGE_SPAN = 4,    /* steps of the loudest part, 100 ms */
    JUDGE_SECONDS = 8, /* longest sound */
    JUDGE_STEPS = JUDGE_SECONDS * JUDGE_RATE / JUDGE_HOP,
};

/* A player of one preset. */
typedef struct judge {
    hed_synth_instrument *instrument;
    hed_synth *synth;
    float left[JUDGE_SECONDS * JUDGE_RATE], right[JUDGE_SECONDS * JUDGE_RATE];
    double levels[JUDGE_STEPS]; /* (steps) K-weighted power of each step */
    uint32_t frames, steps;
} judge;

/* Request of one note. */
typedef struct judge_note {
    uint8_t key, velocity;
    double held, seconds; /* s until note-off (0: never), s in all */
    bool pedal;           /* down from the beginning */
} judge_note;

/* Measured properties of one note. */
typedef struct judge_sound {
    double level;  /* dB */
    double cents;  /* distance of the line next to the note's pitch */
    double line;   /* power of that line, dB of the loudest */
    double second; /* loudest line that is no multiple of it, dB of the loudest; -200: none */
    double second_hz;
    double t60;      /* s, from 20 dB of decay; 0: no such decay */
    double centroid; /* Hz, of the power in the loudest part */
    double
        partials[5]; /* frequencies of the loudest lines, as multiples of the note's, ascending */
} judge_sound;

static inline void judge_open(judge *j, hed_device *device, const char *path)
{
    hed_error error = {0};
    OK(hed_synth_instrument_read(path, &j->instrument, &error));
    hed_synth_def def = hed_default_synth_def();
    def.instrument = j->instrument;
    def.rate = JUDGE_RATE;
    def.block = PITCH_BLOCK;
    def.solver = HED_SYNTH_SOLVER_CPU;
    OK(hed_synth_create(device, &def, &j->synth, &error));
}

static inline void judge_close(judge *j)
{
    hed_synth_destroy(j->synth);
    hed_synth_instrument_destroy(j->instrument);
}

/* ---- playing ---- */

static inline hed_synth_event judge_message(double seconds, uint8_t status, uint8_t a, uint8_t b)
{
    return (hed_synth_event){.frame = (uint32_t)(seconds * JUDGE_RATE),
        .kind = HED_SYNTH_EVENT_MIDI,
        .bytes = {status, a, b}};
}

/* Sections of the K weighting at 48 kHz, ITU-R BS.1770-4, tables 1 and 2. */
static inline double judge_weigh(double state[4], double x)
{
    static const double b[2][3] = {
        {1.53512485958697, -2.69169618940638, 1.19839281085285}, {1, -2, 1}};
    static const double a[2][2] = {
        {-1.69065929318241, 0.73248077421585}, {-1.99004745483398, 0.99007225036621}};
    for (int k = 0; k < 2; k++) {
        double y = b[k][0] * x + state[2 * k];
        state[2 * k] = b[k][1] * x - a[k][0] * y + state[2 * k + 1];
        state[2 * k + 1] = b[k][2] * x - a[k][1] * y;
        x = y;
    }
    return x;
}

/* Plays events, whose frames count from the beginning and ascend, from rest. */
static inline void judge_play(
    judge *j, const hed_synth_event *events, uint32_t count, double seconds)
{
    hed_error error = {0};
    OK(hed_synth_reset(j->synth, &error));
    j->steps = (uint32_t)(seconds * JUDGE_RATE / JUDGE_HOP);
    j->frames = j->steps * JUDGE_HOP;
    CHECK_LE(j->frames, JUDGE_SECONDS * JUDGE_RATE);
    for (uint32_t at = 0, next = 0, length; at < j->frames; at += length) {
        hed_synth_event part[16];
        uint32_t in_block = 0;
        length = j->frames - at < PITCH_BLOCK ? j->frames - at : PITCH_BLOCK;
        for (; next < count && events[next].frame < at + length; next++) {
            CHECK_LT(in_block, 16u);
            part[in_block] = events[next];
            part[in_block++].frame -= at;
        }
        hed_synth_block block = {.frames = length, .events = part, .event_count = in_block,
            .left = j->left + at, .right = j->right + at};
        OK(hed_synth_process(j->synth, &block, &error));
    }
    double left[4] = {0}, right[4] = {0};
    for (uint32_t i = 0; i < j->frames; i++) {
        double l = judge_weigh(left, (double)j->left[i]),
               r = judge_weigh(right, (double)j->right[i]);
        if (i % JUDGE_HOP == 0) j->levels[i / JUDGE_HOP] = 1e-30;
        j->levels[i / JUDGE_HOP] += (l * l + r * r) / JUDGE_HOP;
    }
}

static inline void judge_play_note(judge *j, const judge_note *note)
{
    hed_synth_event events[3];
    uint32_t count = 0;
    if (note->pedal) events[count++] = judge_message(0, 0xb0, 64, 127);
    events[count++] = judge_message(0, 0x90, note->key, note->velocity);
    if (note->held > 0) events[count++] = judge_message(note->held, 0x80, note->key, 64);
    judge_play(j, events, count, note->seconds);
}

/* ---- levels ---- */

/* Mean level of `span` steps from `first` on, dB. */
static inline double judge_level(const judge *j, uint32_t first, uint32_t span)
{
    double sum = 0;
    for (uint32_t i = first; i < first + span && i < j->steps; i++) sum += j->levels[i] / span;
    return 10 * log10(sum) - 0.691;
}

/* First step of the loudest part. */
static inline uint32_t judge_loudest(const judge *j)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i + JUDGE_SPAN <= j->steps; i++)
        if (judge_level(j, i, JUDGE_SPAN) > judge_level(j, best, JUDGE_SPAN)) best = i;
    return best;
}

/* Decay by 60 dB, s, from the line through the steps between 5 and 25 dB below the maximum. */
static inline double judge_t60(const judge *j)
{
    uint32_t begin = judge_loudest(j), end;
    double top = judge_level(j, begin, 1), n = 0, x = 0, y = 0, xx = 0, xy = 0;
    while (begin < j->steps && judge_level(j, begin, 2) > top - 5) begin++;
    for (end = begin; end < j->steps && judge_level(j, end, 2) > top - 25; end++) {
        double time = (double)end * JUDGE_HOP / JUDGE_RATE, level = judge_level(j, end, 1);
        n++, x += time, y += level, xx += time * time, xy += time * level;
    }
    double slope = n > 3 ? (n * xy - x * y) / (n * xx - x * x) : 0;
    return slope < -0.5 ? -60 / slope : 0;
}

/* ---- spectra ---- */

/* Power of the sound of frames [first, first + count), (size / 2) lines; to be freed. */
static inline double complex *judge_power(
    const judge *j, uint32_t first, uint32_t count, uint32_t *size)
{
    *size = 1;
    while (*size < 4 * count) *size <<= 1;
    double complex *power = calloc(*size, sizeof *power);
    CHECK(power);
    for (uint32_t i = 0; i < count && first + i < j->frames; i++)
        power[i] = (double)j->left[first + i] + (double)j->right[first + i];
    pitch_power(power, count, *size);
    return power;
}

/* Median of the power in a band of 200 lines around line i: noise is below 100 times that. */
static inline double judge_floor(const double complex *power, uint32_t i, uint32_t size)
{
    double band[200], swap;
    uint32_t first = i < 100 ? 0 : i - 100;
    if (first + 200 > size / 2) first = size / 2 - 200;
    for (uint32_t k = 0; k < 200; k++) band[k] = creal(power[first + k]);
    for (uint32_t k = 0; k < 101; k++) /* selection, as far as the median */
        for (uint32_t m = k + 1; m < 200; m++)
            if (band[m] < band[k]) swap = band[k], band[k] = band[m], band[m] = swap;
    return band[100];
}

/* Fills in the loudest line of a sustained note that is no multiple of `first`, Hz, and stands out of
 * the noise around it. */
static inline void judge_second(
    const double complex *power, uint32_t size, double first, double loudest, judge_sound *sound)
{
    double bin = (double)JUDGE_RATE / size;
    for (uint32_t i = (uint32_t)(20 / bin); i + 1 < size / 2; i++) {
        double at = creal(power[i]), multiple = round(i * bin / first);
        if (at <= 1e-6 * loudest || at < creal(power[i - 1]) || at < creal(power[i + 1])) continue;
        if (multiple >= 1 && fabs(i * bin - multiple * first) < 6 + 1.7e-3 * i * bin) continue;
        double level = 10 * log10(at / loudest);
        if (level <= sound->second || at < 100 * judge_floor(power, i, size)) continue;
        sound->second = level;
        sound->second_hz = i * bin;
    }
}

static inline double judge_frequency(uint8_t key) { return 440 * exp2((key - 69) / 12.0); }

/* Fills in the pitch, from the frames until the sound is 40 dB down, and the loudest lines. */
static inline void judge_pitch(const judge *j, const judge_note *note, judge_sound *sound)
{
    uint32_t begin = judge_loudest(j), end = begin + 2, size;
    double top = judge_level(j, begin, 1), expected = judge_frequency(note->key);
    while (end < j->steps && judge_level(j, end, 1) > top - 40) end++;
    if (note->held > 0) end = (uint32_t)fmin(end, note->held * JUDGE_RATE / JUDGE_HOP);
    bool is_sustained = end == j->steps && judge_level(j, end - 4, 4) > top - 6;
    if (end == j->steps && end > begin + 44) begin = end - 40; /* sustained: once it has settled */
    if (end > begin + 40) end = begin + 40;                    /* a second resolves a cent */
    uint32_t first = begin * JUDGE_HOP + JUDGE_HOP / 2, count = (end - begin) * JUDGE_HOP;
    double complex *power = judge_power(j, first, count, &size);
    double bin = (double)JUDGE_RATE / size, loudest = 0, peak;
    for (uint32_t i = (uint32_t)(20 / bin); i < size / 2; i++)
        loudest = fmax(loudest, creal(power[i]));
    sound->cents = 1200 * log2(pitch_line(power, bin, expected, &peak) / expected);
    sound->line = 10 * log10(peak / loudest);
    sound->second = -200;
    if (is_sustained)
        judge_second(power, size, expected * exp2(sound->cents / 1200), loudest, sound);
    uint32_t found = 0, width = (uint32_t)(fmax(5.0 * JUDGE_RATE / count, 0.2 * expected) / bin);
    for (uint32_t i = width; i + width < size / 2 && found < 5; i++) {
        bool is_line = creal(power[i]) > 1e-5 * loudest;
        for (uint32_t k = 1; k < width && is_line; k++)
            is_line =
                creal(power[i]) > creal(power[i - k]) && creal(power[i]) >= creal(power[i + k]);
        if (is_line) sound->partials[found++] = i * bin / expected;
    }
    free(power);
}

static inline void judge_centroid(const judge *j, judge_sound *sound)
{
    uint32_t size, first = judge_loudest(j) * JUDGE_HOP;
    double complex *power = judge_power(j, first, JUDGE_SPAN * JUDGE_HOP, &size);
    double sum = 0, moment = 0;
    for (uint32_t i = 1; i < size / 2; i++) {
        sum += creal(power[i]);
        moment += creal(power[i]) * i * JUDGE_RATE / size;
    }
    sound->centroid = moment / sum;
    free(power);
}

static inline judge_sound judge_measure(judge *j, const judge_note *note)
{
    judge_sound sound = {0};
    judge_play_note(j, note);
    sound.level = judge_level(j, judge_loudest(j), JUDGE_SPAN);
    sound.t60 = judge_t60(j);
    judge_pitch(j, note, &sound);
    judge_centroid(j, &sound);
    return sound;
}

/* ---- ends ---- */

/* Fall of the level from just before the note-off to `later` seconds after it, dB. */
static inline double judge_fall(judge *j, uint8_t key, double held, double later, bool pedal)
{
    judge_play_note(j, &(judge_note){key, 100, held, held + later + 0.2, pedal});
    uint32_t off = (uint32_t)(held * JUDGE_RATE / JUDGE_HOP),
             end = (uint32_t)((held + later) * JUDGE_RATE / JUDGE_HOP);
    return judge_level(j, off - 3, 3) - judge_level(j, end, 3);
}

/* Processor time of `seconds` of all that sounds, as a fraction of one core. */
static inline double judge_load(judge *j, double seconds)
{
    hed_error error = {0};
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    for (uint32_t at = 0; at < seconds * JUDGE_RATE; at += PITCH_BLOCK) {
        hed_synth_block block = {.frames = PITCH_BLOCK, .left = j->left, .right = j->right};
        OK(hed_synth_process(j->synth, &block, &error));
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return ((double)(after.tv_sec - before.tv_sec) +
               1e-9 * (double)(after.tv_nsec - before.tv_nsec)) /
           seconds;
}

/* Largest reduction of the limiter in a chord of four keys at velocity 100, dB; the peak before it
 * goes to *peak, dB. */
static inline double judge_chord(judge *j, const uint8_t keys[4], double seconds, double *peak)
{
    hed_synth_event events[4];
    for (int k = 0; k < 4; k++) events[k] = judge_message(0, 0x90, keys[k], 100);
    judge_play(j, events, 4, seconds);
    hed_synth_info info = hed_synth_describe(j->synth);
    *peak = 20 * log10((double)info.peak);
    return (double)info.reduction;
}

#endif
