/* Presets of Anukari's published schema: what becomes of each thing, what the report says, and what
 * is said of bytes that are no preset. */
#include <math.h>

#include "folder.h"
#include "model/synth_model.h"
#include "heddle/synth_file.h"
#include "synth_presets.h"

TestSuite(synth_import, .init = folder_make, .fini = folder_remove);

static preset p;
static hed_synth_import_info report;

static hed_synth_instrument *import(void)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    OK(hed_synth_instrument_parse_ank(p.bytes, p.size, "preset.ank", &instrument, &report, &error));
    return instrument;
}

/* The entity of this name, of this type. */
static hed_synth_entity_def entity(
    const hed_synth_instrument *instrument, hed_synth_entity_type type, const char *name)
{
    hed_error error = {0};
    hed_synth_entity_def def;
    hed_synth_entity found = hed_synth_instrument_find(instrument, name);
    CHECK(found, "there is no \"%s\"; the report is:\n%s", name, report.text);
    OK(hed_synth_instrument_get(instrument, found, &def, &error));
    CHECK_EQ(def.type, type, "%s is a %s", name, hed_synth_entity_type_name(def.type));
    return def;
}

#define EQUAL(found, expected) \
    CHECK( \
        fabs((double)(found) - (double)(expected)) <= 1e-5 * fmax(1e-3, fabs((double)(expected))), \
        "%s is %.9g instead of %.9g", #found, (double)(found), (double)(expected))

static bool said(const char *text) { return strstr(report.text, text) != NULL; }

/* Whether the instrument has this link. */
static bool linked(const hed_synth_instrument *in, const char *from, const char *to)
{
    for (uint32_t i = 0; i < in->link_count; i++)
        if (in->links[i].from == hed_synth_instrument_find(in, from) &&
            in->links[i].to == hed_synth_instrument_find(in, to))
            return in->links[i].weight == 1;
    return false;
}

static const hed_synth_modulation_def *modulation(
    const hed_synth_instrument *in, const char *source, const char *target)
{
    for (uint32_t i = 0; i < in->modulation_count; i++)
        if (in->modulations[i].source == hed_synth_instrument_find(in, source) &&
            in->modulations[i].entity == hed_synth_instrument_find(in, target))
            return &in->modulations[i];
    CHECK(false, "%s does not modulate %s", source, target);
    return NULL;
}

/* ---- what becomes of what ---- */

Test(synth_import, the_example_is_a_mass_between_two_anchors)
{
    make_example(&p);
    hed_synth_instrument *in = import();
    CHECK_EQ(report.left_out, 0, "%s", report.text);
    CHECK_EQ(report.entities, 7);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(in);
    CHECK(def->mode == HED_SYNTH_VOICES && def->voices == 4 && def->low == 0);
    EQUAL(def->bend_range, 2);
    EQUAL(def->note_bend_range, 48);
    EQUAL(def->tempo, 120);
    EQUAL(def->gain, -3);
    EQUAL(def->limit, -1);
    EQUAL(def->limit_release, 0.1);
    hed_synth_body_def mass = entity(in, HED_SYNTH_BODY, "body2").as.body,
                       anchor = entity(in, HED_SYNTH_BODY, "body3").as.body;
    CHECK(anchor.anchored && !mass.anchored);
    EQUAL(anchor.position[1], 1);
    EQUAL(mass.damping, 0.01);
    hed_synth_spring_def spring = entity(in, HED_SYNTH_SPRING, "spring2").as.spring;
    CHECK(spring.from == hed_synth_instrument_find(in, "body2") &&
          spring.to == hed_synth_instrument_find(in, "body3"));
    EQUAL(spring.stiffness, 2.69e6);
    EQUAL(spring.rest_length, 0.9);
    hed_synth_microphone_def microphone = entity(in, HED_SYNTH_MICROPHONE, "microphone1").as.microphone;
    CHECK(microphone.heard && microphone.ratio == 1);
    EQUAL(microphone.gain, -65);
    EQUAL(microphone.position[2], 1);
    EQUAL(microphone.direction[2], -1);
    CHECK(linked(in, "microphone1", "body2") && linked(in, "mallet1", "body2"));
    hed_synth_instrument_destroy(in);
}

Test(synth_import, notes_that_are_not_stable_are_given_up)
{
    hed_error error = {0};
    hed_synth_stability stability;
    make_example(&p);
    hed_synth_instrument *in = import();
    hed_synth_instrument_def def = *hed_synth_instrument_definition(in);
    CHECK(def.high < 127 && said("not proven stable at 48 kHz"), "%u\n%s", def.high, report.text);
    OK(hed_synth_instrument_stability(in, 48000, &stability, &error));
    CHECK_EQ(stability.unsafe, 0);
    def.high++;
    OK(hed_synth_instrument_set_def(in, &def, &error));
    OK(hed_synth_instrument_stability(in, 48000, &stability, &error));
    CHECK_GT(stability.unsafe, 0, "a note more would have been safe");
    hed_synth_instrument_destroy(in);
}

Test(synth_import, a_mallet_gives_its_impulse_in_the_time_of_its_hardness)
{
    make_example(&p);
    hed_synth_instrument *in = import();
    hed_synth_mallet_def mallet = entity(in, HED_SYNTH_MALLET, "mallet1").as.mallet;
    EQUAL(mallet.direction[1], 2);
    EQUAL(mallet.velocity_sensitivity, 0.5);
    EQUAL(mallet.noise, 0.25);
    EQUAL(2 * mallet.impulse * 1 / (1 + mallet.mass), 50); /* of a bounce on a body of 1 kg */
    EQUAL(M_PI * sqrt(mallet.mass / mallet.hardness_soft), 1.0 / 4);
    EQUAL(M_PI * sqrt(mallet.mass / mallet.hardness_hard), 1.0 / 643);
    CHECK(
        said("mallet1: impulse 50 -> 27.5 N s, hardness 4 to 643 -> felt of "), "%s", report.text);
    CHECK(mallet.route.channel == 0 && mallet.route.low == 0 && mallet.route.high == 127);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, every_exciter_has_a_counterpart)
{
    make_everything(&p);
    hed_synth_instrument *in = import();
    CHECK_EQ(report.left_out, 0, "%s", report.text);
    hed_synth_audio_input_def input = entity(in, HED_SYNTH_AUDIO_INPUT, "audio_input2").as.audio_input;
    CHECK(input.channel == 1 && input.gated);
    EQUAL(input.gain, 10);
    EQUAL(input.envelope.release, 0.3);
    hed_synth_oscillator_def oscillator = entity(in, HED_SYNTH_OSCILLATOR, "oscillator3").as.oscillator;
    CHECK(oscillator.wave == HED_SYNTH_WAVE_RECTANGLE && oscillator.follows_note);
    EQUAL(oscillator.gain, 0.1);
    EQUAL(oscillator.octave, -1);
    EQUAL(oscillator.semitone, 7);
    EQUAL(oscillator.detune, 5);
    EQUAL(oscillator.pulse_width, 0.25);
    EQUAL(oscillator.envelope.sustain, 0.7);
    hed_synth_bow_def bow = entity(in, HED_SYNTH_BOW, "bow4").as.bow;
    EQUAL(bow.draw_velocity, 0.6);
    EQUAL(bow.dropoff, 0.05);
    EQUAL(bow.stiction, 0.9);
    EQUAL(bow.envelope.attack, 0.1);
    hed_synth_plectrum_def plectrum = entity(in, HED_SYNTH_PLECTRUM, "plectrum5").as.plectrum;
    EQUAL(plectrum.distance, 0.004);
    EQUAL(plectrum.duration, 0.02);
    EQUAL(plectrum.velocity_sensitivity, 0.5);
    hed_synth_microphone_def microphone = entity(in, HED_SYNTH_MICROPHONE, "microphone1").as.microphone;
    EQUAL(microphone.threshold, -12);
    EQUAL(microphone.ratio, 4);
    EQUAL(microphone.attack, 0.01);
    EQUAL(microphone.release, 0.1);
    EQUAL(microphone.makeup, 6);
    EQUAL(microphone.pan, 0.5);
    EQUAL(microphone.directionality, 0.25);
    EQUAL(microphone.isotropy, 0.75);
    CHECK(!entity(in, HED_SYNTH_MICROPHONE, "microphone2").as.microphone.heard);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, routes_are_ranges_of_notes)
{
    make_everything(&p);
    hed_synth_instrument *in = import();
    hed_synth_route low = entity(in, HED_SYNTH_MALLET, "mallet1").as.mallet.route,
                    high = entity(in, HED_SYNTH_MALLET, "mallet1_2").as.mallet.route;
    CHECK(low.channel == 2 && low.low == 60 && low.high == 61);
    CHECK(high.channel == 2 && high.low == 70 && high.high == 70);
    CHECK(linked(in, "mallet1", "body11") && linked(in, "mallet1_2", "body11"));
    hed_synth_route bow = entity(in, HED_SYNTH_BOW, "bow4").as.bow.route;
    CHECK(bow.channel == 0 && bow.low == 0 && bow.high == 127);
    hed_synth_route envelope = entity(in, HED_SYNTH_ENVELOPE, "envelope9").as.envelope.route;
    CHECK(envelope.channel == 3 && envelope.low == 64 && envelope.high == 64);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(in);
    CHECK(def->mode == HED_SYNTH_SINGLETON && def->low == 20 && def->high == 100);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, every_modulator_has_a_counterpart)
{
    static const hed_synth_midi_kind kinds[] = {HED_SYNTH_MIDI_CC, HED_SYNTH_MIDI_BEND,
        HED_SYNTH_MIDI_PRESSURE, HED_SYNTH_MIDI_AFTERTOUCH, HED_SYNTH_MIDI_VELOCITY,
        HED_SYNTH_MIDI_NOTE, HED_SYNTH_MIDI_HOST};
    make_everything(&p);
    hed_synth_instrument *in = import();
    for (uint32_t i = 0; i < 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "midi_source%u", i + 1);
        hed_synth_midi_source_def source = entity(in, HED_SYNTH_MIDI_SOURCE, name).as.midi_source;
        CHECK_EQ(source.kind, kinds[i], "%s", name);
        EQUAL(source.smoothing, 0.01 * (i + 1));
    }
    hed_synth_midi_source_def controller = entity(in, HED_SYNTH_MIDI_SOURCE, "midi_source1").as.midi_source;
    CHECK(controller.number == 74 && controller.route.channel == 5);
    EQUAL(entity(in, HED_SYNTH_MIDI_SOURCE, "midi_source6").as.midi_source.centre, 64);
    CHECK_EQ(entity(in, HED_SYNTH_MIDI_SOURCE, "midi_source7").as.midi_source.number, 33);
    hed_synth_lfo_def lfo = entity(in, HED_SYNTH_LFO, "lfo8").as.lfo;
    CHECK(lfo.wave == HED_SYNTH_WAVE_HOLD && lfo.retrigger && lfo.dilated &&
          lfo.route.channel == 3 && lfo.route.low == 64);
    EQUAL(lfo.frequency, 3);
    EQUAL(lfo.division, 2.0 / 3);
    EQUAL(lfo.phase, 0.75);
    hed_synth_adsr envelope = entity(in, HED_SYNTH_ENVELOPE, "envelope9").as.envelope.envelope;
    EQUAL(envelope.decay, 0.2);
    hed_synth_follower_def follower = entity(in, HED_SYNTH_FOLLOWER, "follower10").as.follower;
    CHECK_EQ(follower.source, hed_synth_instrument_find(in, "microphone2"));
    EQUAL(follower.release, 0.2);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, modulation_and_delay_lines_are_joined)
{
    make_everything(&p);
    hed_synth_instrument *in = import();
    const hed_synth_modulation_def *m = modulation(in, "lfo8", "spring1");
    CHECK(m->target == HED_SYNTH_TARGET_STIFFNESS && m->mode == HED_SYNTH_MODULATE_MULTIPLY &&
          !m->invert);
    EQUAL(m->depth, 0.1);
    m = modulation(in, "envelope9", "oscillator3"); /* 12 dB more are 4 times as many newtons */
    CHECK(m->target == HED_SYNTH_TARGET_GAIN && m->mode == HED_SYNTH_MODULATE_EXPONENTIAL);
    EQUAL(m->depth, 2);
    m = modulation(in, "midi_source1", "lfo8");
    CHECK(m->target == HED_SYNTH_TARGET_FREQUENCY && m->mode == HED_SYNTH_MODULATE_EXPONENTIAL);
    m = modulation(in, "follower10", "microphone1");
    CHECK(m->target == HED_SYNTH_TARGET_PAN && m->mode == HED_SYNTH_MODULATE_ADD && m->invert);
    m = modulation(in, "midi_source7", "delay_line22");
    CHECK(m->target == HED_SYNTH_TARGET_DELAY);
    hed_synth_delay_line_def line = entity(in, HED_SYNTH_DELAY_LINE, "delay_line22").as.delay_line;
    CHECK_EQ(line.source, hed_synth_instrument_find(in, "microphone2"));
    EQUAL(line.seconds, 0.25);
    CHECK(linked(in, "audio_input2_2", "delay_line21") &&
          linked(in, "audio_input2_3", "delay_line22"));
    CHECK(!linked(in, "audio_input2", "delay_line21") && linked(in, "audio_input2_3", "body11"));
    hed_synth_instrument_destroy(in);
}

/* ---- the report ---- */

Test(synth_import, what_has_no_counterpart_is_listed)
{
    make_everything(&p);
    put_spring(&p, 90, 10, 77, 1, 1);              /* no such body */
    put_body(&p, 10, 0, 1, 0, 0);                  /* the number is taken */
    put_link(&p, 91, EXCITER, 1, SENSOR, 1, 4);    /* an exciter at a sensor */
    put_modulation(&p, 92, 8, BODY, 10, 9, 1, 0);  /* frequency of a body */
    put_modulation(&p, 93, 8, BODY, 10, 99, 1, 0); /* an operand of some later version */
    put_modulation(&p, 94, 8, 1, 1, 11, 1, 0);     /* of the whole model */
    put_link(&p, 95, BODY, 10, BODY, 11, 9);       /* a kind of link of some later version */
    begin_exciter(&p, 60, 1);                      /* an exciter that is of no kind */
    end(&p);
    begin_exciter(&p, 61, 1); /* one that no note reaches */
    REALS(&p, 8, 1, 1);
    end(&p);
    begin_modulator(&p, 62, 4); /* a controller that none is routed to */
    end_modulator(&p);
    begin_modulator(&p, 63, 14); /* a follower that follows nothing */
    end_modulator(&p);
    hed_synth_instrument *in = import();
    CHECK_EQ(report.left_out, 11, "%u:\n%s", report.left_out, report.text);
    CHECK(said("link 90: a spring that is not between two bodies\n") &&
          said("the name \"body10\" is taken\n"));
    CHECK(said("link 91: ") && said("link 92: ") && said("link 93: operand 99 is not known\n") &&
          said("link 94: ") && said("link 95: "));
    CHECK(said("exciter 60: of a kind that is not known\n") &&
          said("exciter 61: no note is routed to it\n"));
    CHECK(said("modulator 62: no controller") && said("modulator 63: it follows no sensor\n"));
    hed_synth_instrument_destroy(in);
}

Test(synth_import, values_out_of_range_are_brought_into_it)
{
    p = (preset){.size = 0};
    put_body(&p, 1, 0, -5, NAN, 0);
    begin(&p, 3);
    whole(&p, 1, 1);
    real(&p, 6, 7);
    end(&p);
    whole(&p, 16, 9);
    whole(&p, 17, 1000);
    real(&p, 7, INFINITY);
    hed_synth_instrument *in = import();
    hed_synth_body_def body = entity(in, HED_SYNTH_BODY, "body1").as.body;
    CHECK(body.mass > 0 && body.damping == 0);
    CHECK(said("body1: mass -5 -> 1e-12, the nearest in its range\n") &&
              said("microphone1: direction 0, 0, 0 -> 0, 0, 1\n") &&
              said("microphone1: pan 7 -> 1,"),
        "%s", report.text);
    CHECK(said("MIDI mode 9 is not known") && said("instrument: voices 1000 -> 64,") &&
              said("instrument: gain inf -> "),
        "%s", report.text);
    CHECK_GE(report.changed, 7);
    CHECK_EQ(hed_synth_instrument_definition(in)->voices, 64);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, a_report_that_is_too_long_is_cut_and_goes_on_counting)
{
    make_everything(&p);
    for (int32_t i = 0; i < 400; i++) put_spring(&p, 1000 + i, 10, 77, 1, 1);
    hed_synth_instrument *in = import();
    CHECK_EQ(report.left_out, 400);
    size_t length = strlen(report.text), lines = 0;
    CHECK(length < sizeof report.text && length > sizeof report.text - 80 &&
          report.text[length - 1] == '\n');
    for (size_t i = 0; i < length; i++) lines += report.text[i] == '\n';
    CHECK(report.unlisted && lines + report.unlisted == report.left_out + report.changed);
    hed_synth_instrument_destroy(in);
    hed_error error = {0};
    OK(hed_synth_instrument_parse_ank(p.bytes, p.size, "preset.ank", &in, NULL, &error));
    hed_synth_instrument_destroy(in);
}

/* ---- the file ---- */

Test(synth_import, fields_that_are_not_known_are_passed_over)
{
    make_example(&p);
    hed_synth_instrument *in = import();
    uint32_t bodies = hed_synth_instrument_count(in, HED_SYNTH_BODY);
    hed_synth_instrument_destroy(in);
    begin(&p, 9); /* the camera */
    whole(&p, 1, 2);
    end(&p);
    real(&p, 500, 1);
    whole(&p, 501, -1);
    put_varint(&p, 502 << 3 | 1); /* 64 bits */
    p.size += 8;
    in = import();
    CHECK_EQ(hed_synth_instrument_count(in, HED_SYNTH_BODY), bodies);
    hed_synth_instrument_destroy(in);
}

Test(synth_import, files_are_read_and_their_faults_named)
{
    hed_error error = {0};
    hed_synth_instrument *in;
    make_example(&p);
    const char *path = in_folder("preset.ank");
    write_file(path, p.bytes, p.size);
    OK(hed_synth_instrument_read_ank(path, &in, &report, &error));
    hed_synth_instrument_destroy(in);
    FAILS(HED_ERROR_IO, hed_synth_instrument_read_ank(in_folder("none.ank"), &in, &report, &error));
    CHECK(strstr(error.text, "none.ank") && !in);
}

static void refuse(size_t size, const char *text)
{
    hed_error error = {0};
    hed_synth_instrument *in = (hed_synth_instrument *)&error;
    FAILS(HED_ERROR_FORMAT,
        hed_synth_instrument_parse_ank(p.bytes, size, "preset.ank", &in, &report, &error));
    CHECK(!in && strstr(error.text, text), "\"%s\" instead of \"%s\"", error.text, text);
}

Test(synth_import, what_is_no_preset_is_refused_with_its_place)
{
    make_example(&p);
    refuse(0, "preset.ank has no body");
    p.bytes[0] = 0x0b;
    refuse(p.size, "byte 0: found wire type 3 in the model");
    memset(p.bytes, 0xff, 16);
    refuse(p.size, "byte 0: found a number of more than 10 bytes");
    memcpy(p.bytes, (uint8_t[]){0, 1}, 2);
    refuse(p.size, "byte 0: found field 0 in the model");
    memcpy(p.bytes, (uint8_t[]){0x12, 3, 0x18, 1, 0}, 5); /* a body whose mass is a varint */
    refuse(5, "byte 2: found field 3 of the body with wire type 0, expected 5");
    memcpy(p.bytes, (uint8_t[]){0x12, 4, 0x1d, 1, 0, 0}, 6); /* a mass of 3 bytes */
    refuse(6, "the body ends at byte 6, in the middle of a field");
}

/* A file may end after any thing: the format has no end of its own. Anywhere else it says where. */
Test(synth_import, a_preset_cut_within_a_thing_says_where)
{
    make_everything(&p);
    uint32_t whole_ones = 0;
    for (size_t size = 1; size < p.size; size++) {
        hed_error error = {0};
        hed_synth_instrument *in;
        char place[48];
        hed_error_clear(&error);
        hed_status status =
            hed_synth_instrument_parse_ank(p.bytes, size, "preset.ank", &in, &report, &error);
        if (status == HED_OK) {
            whole_ones++;
            hed_synth_instrument_destroy(in);
            continue;
        }
        snprintf(place, sizeof place, "ends at byte %zu", size);
        CHECK(status == HED_ERROR_FORMAT && !in && strstr(error.text, place), "cut at %zu: %s",
            size, error.text);
    }
    CHECK_LT(whole_ones, 50);
}

Test(synth_import, bytes_turned_round_are_read_or_refused)
{
    preset good;
    make_everything(&good);
    uint32_t state = 1, refused = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        hed_error error = {0};
        hed_synth_instrument *in;
        p = good;
        for (uint32_t k = 0; k < 2; k++) {
            state = state * 1664525u + 1013904223u;
            p.bytes[(state >> 8) % good.size] = (uint8_t)(state >> 3);
        }
        hed_error_clear(&error);
        hed_status status =
            hed_synth_instrument_parse_ank(p.bytes, p.size, "p", &in, &report, &error);
        CHECK(status == HED_OK || (status == HED_ERROR_FORMAT && error.text[0] && !in), "%s",
            error.text);
        refused += status != HED_OK;
        if (!status) hed_synth_instrument_destroy(in);
    }
    CHECK(refused > 300 && refused < 3000);
}
