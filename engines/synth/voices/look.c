/* Islands (sleep.h) that fall asleep and wake, as pokes. */
#include "voices/voices.h"

/* Word of a body's speed along axis `k` that the sample reads. */
static uint32_t speed_word(const synth_layout *layout, uint64_t sample, uint32_t k, uint32_t body)
{
    return layout->signals + (uint32_t)(sample & 1) * layout->signal_count +
           synth_signal(layout, SYNTH_BODY, BODY_O_U + k, body);
}

static void fall_asleep(synth_voices *v, uint32_t instance, uint32_t island, const uint32_t *store)
{
    synth_sleep *s = v->sleep;
    const synth_layout *layout = &v->program->layout;
    for (uint32_t i = s->body_begin[island]; i < s->body_begin[island + 1]; i++) {
        uint32_t word = synth_parameter_word(layout, SYNTH_BODY, BODY_P_WEIGHT, s->bodies[i]);
        s->weights[(size_t)instance * s->body_count + i] = store[word];
        synth_voices_poke(v, instance, word, 0);
        for (uint32_t k = 0; k < 3; k++)
            synth_voices_poke(v, instance, speed_word(layout, v->looked, k, s->bodies[i]), 0);
    }
}

static void wake(synth_voices *v, uint32_t instance, uint32_t island)
{
    synth_sleep *s = v->sleep;
    uint8_t *quiet = &s->quiet[(size_t)instance * s->islands + island];
    for (uint32_t i = s->body_begin[island]; *quiet == SYNTH_QUIET && i < s->body_begin[island + 1];
         i++)
        synth_voices_poke(v, instance,
            synth_parameter_word(&v->program->layout, SYNTH_BODY, BODY_P_WEIGHT, s->bodies[i]),
            s->weights[(size_t)instance * s->body_count + i]);
    *quiet = 0;
}

void synth_sleep_wake_gate(synth_voices *v, uint32_t instance, uint32_t gate)
{
    const synth_sleep *s = v->sleep;
    for (uint32_t i = s->islands ? s->gate_begin[gate] : 0;
         s->islands && i < s->gate_begin[gate + 1]; i++)
        wake(v, instance, s->gates[i]);
}

void synth_sleep_wake_all(synth_voices *v, uint32_t instance)
{
    for (uint32_t island = 0; island < v->sleep->islands; island++) wake(v, instance, island);
}

void synth_sleep_check(synth_voices *v)
{
    synth_sleep *s = v->sleep;
    for (uint32_t i = 0; v->stores && i < v->instances; i++) {
        const uint32_t *store = v->stores + (size_t)i * v->program->layout.words;
        for (uint32_t island = 0; island < s->islands; island++) {
            uint8_t *quiet = &s->quiet[(size_t)i * s->islands + island];
            if (*quiet == SYNTH_QUIET) continue;
            *quiet = synth_sleep_is_quiet(s, island, store, v->looked) ? *quiet + 1 : 0;
            if (*quiet == SYNTH_QUIET) fall_asleep(v, i, island, store);
        }
    }
    if (v->stores) s->slot = v->looked / s->spacing + 1;
    v->stores = NULL;
}

uint64_t synth_voices_next_look(const synth_voices *v, uint64_t sample)
{
    return synth_sleep_next(v->sleep, sample);
}

void synth_voices_look(synth_voices *v, const uint32_t *stores, uint64_t sample)
{
    v->stores = stores;
    v->looked = sample;
}

void synth_voices_forget_sleep(synth_voices *v, uint64_t instances)
{
    for (uint32_t i = 0; i < v->instances; i++)
        if (instances >> i & 1) synth_sleep_forget(v->sleep, i);
}

void synth_voices_report_sleep(const synth_voices *v, hed_synth_info *report)
{
    report->islands = v->sleep->islands * v->instances;
    report->asleep = synth_sleep_asleep(v->sleep);
}
