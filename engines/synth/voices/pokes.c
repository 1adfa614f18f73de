/* Pokes of words before a sample; a hash of (instance, word) finds an earlier poke of the same
 * sample. */
#include "voices/voices.h"

#include <assert.h>
#include <string.h>

void synth_voices_set_frame(synth_voices *v, uint32_t frame)
{
    v->frame = frame;
    if (++v->generation) return;
    memset(v->slots, 0, v->slot_count * sizeof *v->slots);
    v->generation = 1;
}

void synth_voices_poke(synth_voices *v, uint32_t instance, uint32_t word, uint32_t value)
{
    uint32_t at = (word * 0x9e3779b1u ^ instance * 0x85ebca77u) >> 2 & (v->slot_count - 1);
    for (; v->slots[at].generation == v->generation; at = (at + 1) & (v->slot_count - 1)) {
        synth_record *record = &v->records[v->slots[at].record];
        if (record->instance != instance || record->poke.word != word) continue;
        record->poke.value = value;
        return;
    }
    assert(v->count < v->capacity); /* guaranteed by synth_voices_check() */
    v->slots[at] = (synth_slot){v->generation, v->count};
    v->records[v->count++] = (synth_record){{v->frame, word, value}, instance};
}
