/* An instrument made and played by a program: a string tuned to 220 Hz is plucked; while it sounds
 * a second one is added and plucked, too. Prints the pitches that are heard. */
#include <heddle/heddle.h>
#include <heddle/synth.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 48000, BLOCK = 256, SECONDS = 1, FRAMES = SECONDS * RATE / BLOCK * BLOCK };

/* A string along x with a plectrum that draws it upwards for one note, and the microphone that
 * hears its middle. */
static hed_status add_string(hed_synth_instrument *instrument, float frequency, uint8_t note,
    float z, hed_synth_entity microphone, hed_error *error)
{
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    grid.size[0] = 34; /* 32 masses and two ends */
    grid.anchor_ends[0][0] = grid.anchor_ends[0][1] = true;
    grid.step[0][0] = 0.02f;
    grid.origin[2] = z;
    grid.body.mass = 1e-4f;
    grid.body.damping = 3;
    /* stretched to twice its length: that is what makes it a string */
    grid.spring.rest_length = -0.5f;
    grid.tune = frequency;
    grid.rate = RATE;
    hed_synth_entity_def plectrum = hed_default_synth_entity_def(HED_SYNTH_PLECTRUM);
    plectrum.as.plectrum.distance = 1e-3f;
    plectrum.as.plectrum.direction[0] = plectrum.as.plectrum.direction[2] = 0;
    plectrum.as.plectrum.direction[1] = 1;
    plectrum.as.plectrum.route.low = plectrum.as.plectrum.route.high = note;
    hed_synth_generated string;
    hed_synth_entity pick;
    hed_synth_instrument_add_grid(instrument, &grid, NULL, &string, error);
    hed_synth_instrument_add(instrument, &plectrum, NULL, &pick, error);
    hed_synth_instrument_link(instrument, pick, string.first_body + 7, 1, error);
    return hed_synth_instrument_link(instrument, microphone, string.first_body + 13, 1, error);
}

/* A second of sound that begins with a note. */
static hed_status play(hed_synth *synth, uint8_t note, float *left, hed_error *error)
{
    static float right[BLOCK];
    hed_synth_event start = {.frame = 0, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, note, 100}};
    for (uint32_t at = 0; at < FRAMES && !hed_failed(error); at += BLOCK) {
        hed_synth_block block = {.frames = BLOCK,
            .events = &start,
            .event_count = at == 0,
            .left = left + at,
            .right = right};
        hed_synth_process(synth, &block, error);
    }
    return error->status;
}

/* Magnitude of one frequency: one term of the Fourier transform, under Hann's window. */
static double magnitude(const float *sound, double frequency)
{
    double c = 0, s = 0, turn = 2 * 3.14159265358979323846;
    for (int n = 0; n < FRAMES; n++) {
        double window = 0.5 - 0.5 * cos(turn * n / FRAMES), phase = turn * frequency * n / RATE;
        c += window * sound[n] * cos(phase);
        s += window * sound[n] * sin(phase);
    }
    return hypot(c, s);
}

static double loudest_near(const float *sound, double frequency)
{
    double best = 0, found = 0;
    for (double f = frequency * 0.97; f < frequency * 1.03; f += 0.1) {
        double m = magnitude(sound, f);
        if (m > best) {
            best = m;
            found = f;
        }
    }
    return found;
}

int main(void)
{
    static float first[FRAMES], second[FRAMES];
    hed_session on = {0};
    hed_synth_instrument *instrument = NULL, *larger = NULL;
    hed_synth *synth = NULL;
    hed_synth_change *change = NULL;
    hed_synth_entity microphone;
    hed_error error = {0};
    hed_synth_entity_def ear = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    memcpy(ear.as.microphone.position, (float[]){0.3f, 0.2f, 0}, 3 * sizeof(float));
    memcpy(ear.as.microphone.direction, (float[]){0, 1, 0}, 3 * sizeof(float));
    hed_synth_def def = hed_default_synth_def();
    def.rate = RATE;
    def.block = BLOCK;
    hed_open(&on, &error);
    hed_synth_instrument_create(NULL, NULL, &instrument, &error);
    hed_synth_instrument_add(instrument, &ear, "ear", &microphone, &error);
    add_string(instrument, 220, 57, 0, microphone, &error);
    def.instrument = instrument;
    hed_synth_create(on.device, &def, &synth, &error);
    play(synth, 57, first, &error);

    /* The first string goes on sounding while the second one is put beside it. */
    hed_synth_instrument_copy(instrument, &larger, &error);
    add_string(larger, 330, 64, 0.05f, microphone, &error);
    hed_synth_prepare(synth, larger, &change, &error);
    hed_synth_apply(synth, change, &error);
    play(synth, 64, second, &error);
    hed_synth_info info = {0};
    if (!hed_failed(&error)) hed_synth_report(synth, &info);
    if (hed_failed(&error)) fprintf(stderr, "%s\n", error.text);
    else
        printf("%s, %s: %.1f Hz, then %.1f Hz with %.1f Hz\n", on.name,
            hed_synth_solver_name(info.solver), loudest_near(first, 220), loudest_near(second, 220),
            loudest_near(second, 330));
    hed_synth_change_destroy(change);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(larger);
    hed_synth_instrument_destroy(instrument);
    hed_close(&on);
    return hed_failed(&error);
}
