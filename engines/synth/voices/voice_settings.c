/* Parameters set by events. A store that was reset, or that belongs to another program, has lost
 * their values, so the last ones are kept, in order of setting, and poked again. */
#include "voices/voices.h"

#include <string.h>

/* Pokes a setting in instances `first` to `end` - 1. */
static void poke_setting(synth_voices *v, const synth_setting *s, uint32_t first, uint32_t end)
{
    /* v->pokes serves as scratch: it is filled only after all events are processed */
    uint32_t count =
        synth_program_set(v->program, s->entity, s->target, s->value, v->pokes, v->capacity);
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < count; k++)
            synth_voices_poke(v, i, v->pokes[k].word, v->pokes[k].value);
}

static void forget(synth_voices *v, uint32_t index)
{
    v->setting_pokes -= v->settings[index].pokes;
    v->setting_count--;
    memmove(v->settings + index, v->settings + index + 1,
        (v->setting_count - index) * sizeof *v->settings);
}

/* Keeps a setting, in place of the oldest if the list is full. A setting that this program
 * cannot make, or whose pokes exceed the capacity, is not kept. */
static void control_keep(synth_voices *v, synth_setting s)
{
    for (uint32_t i = 0; i < v->setting_count; i++)
        if (v->settings[i].entity == s.entity && v->settings[i].target == s.target) {
            forget(v, i);
            break;
        }
    uint64_t pokes = (uint64_t)v->instances *
                     synth_program_set(v->program, s.entity, s.target, s.value, NULL, 0);
    if (pokes == 0 || pokes > v->setting_room) return;
    while (v->setting_count == SYNTH_SETTINGS || v->setting_pokes + pokes > v->setting_room)
        forget(v, 0);
    s.pokes = (uint32_t)pokes;
    v->setting_pokes += s.pokes;
    v->settings[v->setting_count++] = s;
}

void synth_settings_set(
    synth_voices *v, hed_synth_entity entity, hed_synth_target target, float value)
{
    synth_setting s = {.entity = entity, .target = target, .value = value};
    poke_setting(v, &s, 0, v->instances);
    control_keep(v, s);
}

void synth_settings_adopt(synth_voices *v, const synth_voices *from)
{
    for (uint32_t i = 0; i < from->setting_count; i++) control_keep(v, from->settings[i]);
}

void synth_settings_renew(synth_voices *v, uint32_t instance)
{
    for (uint32_t i = 0; i < v->setting_count; i++)
        poke_setting(v, &v->settings[i], instance, instance + 1);
}
