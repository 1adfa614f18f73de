/* An instrument made and played by a program: a string tuned to 220 Hz is plucked; while it sounds,
 * a second one is added and plucked too. Prints the pitches of the sound. */
#include <heddle/heddle.h>
#include <heddle/synth.h>
#include <math.h>
#include <stdio.h>

enum { RATE = 48000, BLOCK = 256, FRAMES = RATE / BLOCK * BLOCK };

/* Adds a string along x, a plectrum for one note of it, and its link to the microphone. */
static void add_string(hed_synth_instrument *instrument, float frequency, uint8_t note, float y,
    hed_synth_entity microphone, hed_error *error)
{
    hed_synth_generated string = {0};
    hed_synth_entity pick = 0;
    hed_synth_grid_def grid = hed_default_synth_grid_def();
    grid.size[0] = 34; /* 32 masses and two anchored ends */
    grid.anchor_ends[0][0] = grid.anchor_ends[0][1] = true;
    grid.step[0][0] = 0.02f;
    grid.origin[1] = y;
    grid.body.mass = 1e-4f;
    grid.body.damping = 3;
    grid.spring.rest_length = -0.5f; /* stretched to twice its length, which makes it a string */
    grid.tune = frequency;
    hed_synth_instrument_add_grid(instrument, &grid, NULL, &string, error);
    hed_synth_entity_def plectrum = hed_default_synth_entity_def(HED_SYNTH_PLECTRUM);
    plectrum.as.plectrum.distance = 1e-3f;
    plectrum.as.plectrum.route.low = plectrum.as.plectrum.route.high = note;
    hed_synth_instrument_add(instrument, &plectrum, NULL, &pick, error);
    hed_synth_instrument_link(instrument, pick, string.first_body + 7, 1, error);
    hed_synth_instrument_link(instrument, microphone, string.first_body + 13, 1, error);
}

/* Plays a second of sound that begins with a note. */
static void play(hed_synth *synth, uint8_t note, float *left, hed_error *error)
{
    float right[BLOCK];
    hed_synth_event start = {.kind = HED_SYNTH_EVENT_MIDI, .bytes = {0x90, note, 100}};
    hed_synth_block block = {.frames = BLOCK, .events = &start, .event_count = 1, .right = right};
    for (uint32_t at = 0; at < FRAMES && !hed_failed(error); at += BLOCK, block.event_count = 0) {
        block.left = left + at;
        hed_synth_process(synth, &block, error);
    }
}

/* Returns the loudest frequency within 3 %, by terms of the Fourier transform under Hann's
 * window. */
static double loudest_near(const float *sound, double frequency)
{
    const double turn = 2 * 3.14159265358979323846;
    double best = 0, found = 0;
    for (double f = frequency * 0.97; f < frequency * 1.03; f += 0.1) {
        double c = 0, s = 0;
        for (int n = 0; n < FRAMES; n++) {
            double heard = sound[n] * (0.5 - 0.5 * cos(turn * n / FRAMES));
            c += heard * cos(turn * f * n / RATE);
            s += heard * sin(turn * f * n / RATE);
        }
        double power = c * c + s * s;
        if (power > best) best = power, found = f;
    }
    return found;
}

int main(void)
{
    static float first[FRAMES], second[FRAMES];
    hed_session on = {0};
    hed_synth_instrument *instrument = NULL;
    hed_synth *synth = NULL;
    hed_synth_change *change = NULL;
    hed_synth_entity ear = 0;
    hed_error error = {0}; /* after an error, the next calls do nothing */
    hed_synth_entity_def microphone = hed_default_synth_entity_def(HED_SYNTH_MICROPHONE);
    microphone.as.microphone.position[2] = 0.2f;
    hed_open(&on, &error);
    hed_synth_instrument_create(NULL, NULL, &instrument, &error);
    hed_synth_instrument_add(instrument, &microphone, "ear", &ear, &error);
    add_string(instrument, 220, 57, 0, ear, &error);
    hed_synth_def def = hed_default_synth_def(); /* 48,000 Hz, blocks of 256 */
    def.instrument = instrument;
    hed_synth_create(on.device, &def, &synth, &error);
    play(synth, 57, first, &error);

    /* The first string continues to sound while the second one is added. */
    add_string(instrument, 330, 64, 0.05f, ear, &error);
    hed_synth_prepare(synth, instrument, &change, &error);
    hed_synth_apply(synth, change, &error);
    play(synth, 64, second, &error);
    if (hed_failed(&error)) fprintf(stderr, "%s\n", error.text);
    else
        printf("%s: %.1f Hz, then %.1f Hz with %.1f Hz\n", on.name, loudest_near(first, 220),
            loudest_near(second, 220), loudest_near(second, 330));
    hed_synth_change_destroy(change);
    hed_synth_destroy(synth);
    hed_synth_instrument_destroy(instrument);
    hed_close(&on);
    return hed_failed(&error);
}
