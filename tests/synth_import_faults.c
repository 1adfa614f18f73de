/* Memory that runs out in the readers of MIDI files and presets: the n-th allocation fails, for
 * every n. */
#include "failing_malloc.h"
#include "heddle/synth_file.h"
#include "synth_presets.h"

static preset p;

static hed_status try_preset(void)
{
    hed_error error = {0};
    hed_synth_instrument *instrument;
    hed_synth_import_info report;
    hed_status status =
        hed_synth_instrument_parse_ank(p.bytes, p.size, "p.ank", &instrument, &report, &error);
    if (status != HED_OK && (instrument || !error.text[0])) abort();
    if (status == HED_OK) hed_synth_instrument_destroy(instrument);
    return status;
}

static hed_status try_example(void)
{
    make_example(&p);
    return try_preset();
}

static hed_status try_everything(void)
{
    make_everything(&p);
    return try_preset();
}

/* A track of 600 notes: the list of events grows three times. */
static hed_status try_midi(void)
{
    static const uint8_t head[] = {
        'M', 'T', 'h', 'd', 0, 0, 0, 6, 0, 0, 0, 1, 0, 96, 'M', 'T', 'r', 'k', 0, 0, 9, 100};
    enum { NOTES = 600 };
    static uint8_t bytes[sizeof head + 4 * NOTES + 4];
    hed_error error = {0};
    hed_synth_midi_file *file;
    memcpy(bytes, head, sizeof head);
    for (uint32_t i = 0; i < NOTES; i++)
        memcpy(bytes + sizeof head + (size_t)4 * i, (uint8_t[]){1, 0x90, 60, 100}, 4);
    memcpy(bytes + sizeof head + (size_t)4 * NOTES, (uint8_t[]){0, 0xff, 0x2f, 0}, 4);
    hed_status status = hed_synth_midi_file_parse(bytes, sizeof bytes, "s.mid", &file, &error);
    if (status != HED_OK && (file || !error.text[0])) abort();
    if (status == HED_OK && hed_synth_midi_file_count(file) != NOTES) abort();
    if (status == HED_OK) hed_synth_midi_file_close(file);
    return status;
}

int main(void)
{
    static const fault_case cases[] = {
        {"example", try_example}, {"everything", try_everything}, {"midi", try_midi}};
    return try_all(cases, sizeof cases / sizeof *cases) != 0;
}
