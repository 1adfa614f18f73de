/* heddle synth check: the load of an instrument on a device, as measured by playing it for a
 * moment. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 200, MOST_NOTES = 16 };
static const double SECONDS = 0.2; /* spent on each pair */

typedef struct player {
    hed_synth *synth;
    uint32_t frames;
    float *left, *right;
} player;

/* Channels of sound that come in; what is played is silence. */
static uint32_t inputs_of(const hed_synth_instrument *instrument)
{
    uint32_t count = 0;
    hed_synth_entity_def def;
    hed_error error;
    for (uint32_t i = 0; i < hed_synth_instrument_count(instrument, HED_SYNTH_AUDIO_INPUT); i++)
        if (hed_synth_instrument_get(instrument, hed_synth_instrument_at(instrument, HED_SYNTH_AUDIO_INPUT, i), &def,
                &error) == HED_OK &&
            def.as.audio_input.channel >= count)
            count = def.as.audio_input.channel + 1;
    return count;
}

static hed_status play(
    player *p, const hed_synth_event *events, uint32_t count, double *seconds, hed_error *error)
{
    hed_synth_block block = {.frames = p->frames, .events = events, .event_count = count,
        .left = p->left, .right = p->right};
    uint64_t begin = hed_now();
    hed_status status = hed_synth_process(p->synth, &block, error);
    *seconds = 1e-9 * (double)(hed_now() - begin);
    return status;
}

/* A note for each voice, spread over what the instrument hears. */
static uint32_t make_notes(const hed_synth_instrument_def *def, hed_synth_event events[MOST_NOTES])
{
    uint32_t count = def->mode == HED_SYNTH_SINGLETON ? MOST_NOTES
                     : def->voices < MOST_NOTES       ? def->voices
                                                      : MOST_NOTES;
    uint32_t span = def->high - def->low + 1u;
    if (count > span) count = span;
    for (uint32_t i = 0; i < count; i++) {
        events[i] = (hed_synth_event){.kind = HED_SYNTH_EVENT_MIDI};
        uint8_t note = (uint8_t)(def->low + i * span / count);
        memcpy(events[i].bytes, (uint8_t[]){0x90, note, 100}, 3);
    }
    return count;
}

static hed_status measure(player *p, const hed_synth_instrument *instrument, double rate,
    uint32_t block, cli_synth_load *load, hed_error *error)
{
    hed_synth_event notes[MOST_NOTES];
    double seconds, times[MOST_BLOCKS], spent = 0;
    uint32_t note_count = make_notes(hed_synth_instrument_definition(instrument), notes), count = 0;
    /* The first frame holds builds and first touches; the second tells how many frames there is
     * time for. */
    p->frames = 1;
    hed_status status = play(p, notes, note_count, &seconds, error);
    if (status == HED_OK) status = play(p, NULL, 0, &seconds, error);
    double affordable = seconds > 0 ? SECONDS / seconds : block;
    p->frames = affordable >= block ? block : affordable > 1 ? (uint32_t)affordable : 1;
    while (status == HED_OK && count < MOST_BLOCKS && spent < SECONDS && !hed_interrupted()) {
        status = play(p, NULL, 0, &seconds, error);
        spent += seconds;
        times[count++] = seconds * rate / p->frames;
    }
    if (status != HED_OK || count == 0) return status;
    hed_summary summary = hed_summarize(times, count);
    hed_synth_info report;
    hed_synth_report(p->synth, &report);
    load->runs = true;
    load->broke = report.breaks > 0;
    load->load = summary.p50;
    load->worst = summary.p99;
    load->instances = report.instances;
    load->bytes = report.instances > 0 ? report.bytes / report.instances : report.bytes;
    return HED_OK;
}

hed_status cli_synth_measure(hed_device *device, const hed_synth_instrument *instrument,
    hed_synth_solver solver, double rate, uint32_t block, cli_synth_load *load, hed_error *error)
{
    *load = (cli_synth_load){.solver = solver};
    hed_synth_def def = hed_default_synth_def();
    def.instrument = instrument;
    def.rate = rate;
    def.block = block;
    def.solver = solver;
    def.inputs = inputs_of(instrument);
    player p = {.left = calloc(block, sizeof(float)), .right = calloc(block, sizeof(float))};
    hed_status status;
    if (p.left && p.right) {
        status = hed_synth_create(device, &def, &p.synth, error);
        if (status == HED_OK) status = measure(&p, instrument, rate, block, load, error);
    } else {
        *error =
            (hed_error){.status = HED_ERROR_MEMORY, .text = "out of memory for a block of sound"};
        status = HED_ERROR_MEMORY;
    }
    hed_synth_destroy(p.synth);
    free(p.left);
    free(p.right);
    /* What this pair cannot do is an answer; the next may do it. */
    bool answer = status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_LIMIT ||
                  status == HED_ERROR_DEVICE_MEMORY || status == HED_ERROR_BUILD;
    if (!answer) return status;
    /* Which solver and device it is stands beside it. */
    char head[128];
    const char *id = hed_device_get_info(device)->id;
    int length =
        snprintf(head, sizeof head, "solver %s on %s: ", hed_synth_solver_name(solver), id);
    const char *reason =
        strncmp(error->text, head, (size_t)length) == 0 ? error->text + length : error->text;
    snprintf(load->reason, sizeof load->reason, "%.255s", reason);
    return HED_OK;
}
