/* From MIDI, automation and the host to pokes: words of a voice's store that change between two samples. */
#include "solver/solver.h"

hed_status synth_voices_create(const hed_allocator *allocator, const hed_instrument_def *def, const synth_program *program,
                               uint32_t max_events, synth_voices **voices, hed_error *error)
{
    (void)allocator, (void)def, (void)program, (void)max_events;
    *voices = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "voices: not there yet");
}

void synth_voices_destroy(synth_voices *voices) { (void)voices; }

hed_status synth_voices_run(synth_voices *voices, const hed_synth_event *events, uint32_t count, uint32_t frames,
                            const synth_poke **pokes, const uint32_t **poke_begin, hed_error *error)
{
    (void)voices, (void)events, (void)count, (void)frames;
    *pokes = NULL;
    *poke_begin = NULL;
    return synth_fail(error, HED_ERROR_UNSUPPORTED, "voices: not there yet");
}

void synth_voices_adopt(synth_voices *voices, const synth_voices *from) { (void)voices, (void)from; }
void synth_voices_reset(synth_voices *voices) { (void)voices; }

uint32_t synth_voices_sounding(const synth_voices *voices)
{
    (void)voices;
    return 0;
}
