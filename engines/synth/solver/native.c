/* Structure native: plain C in the calling thread, an instance behind the other. Real-time safe: run() allocates,
 * locks and logs nothing. Bodies go by vectors (native_bodies.h), all else one by one; the arithmetic is
 * physics*.h, so the bits are those of strict mode anywhere. */
#include "solver/memory.h"
#include "solver/native_bodies.h"
#include "solver/solver.h"

#include "heddle/thread.h"

_Static_assert((int)SYNTH_PARAMETER_COUNT == (int)HED_PARAMETER_COUNT &&
                   (int)SYNTH_IMPULSE == (int)HED_PARAMETER_IMPULSE &&
                   (int)SYNTH_GAIN == (int)HED_PARAMETER_GAIN && (int)SYNTH_ROTATION == (int)HED_PARAMETER_ROTATION &&
                   (int)SYNTH_HOLD == (int)HED_WAVE_HOLD && (int)SYNTH_EXPONENTIAL == (int)HED_MODULATE_EXPONENTIAL,
               "parameters, waves and modes have one numbering");

struct synth_structure {
    hed_allocator allocator;
    const synth_program *program;
    uint32_t channels, block;
    float *inputs;    /* (channels x block), as (channels x frames) of a run */
    uint32_t *stores; /* (instances x words) */
    float *delays;    /* (instances x delay_words) */
    synth_bodies bodies;
    synth_body_values values; /* of all instances, one behind the other; forces are one instance's at a time */
};

static bool native_valid(const hed_synth *synth, char *reason, size_t size)
{
    (void)synth, (void)reason, (void)size;
    return true;
}

static synth_at instance_at(const synth_structure *s, uint32_t instance)
{
    const synth_layout *layout = &s->program->layout;
    return (synth_at){.store = s->stores + (uint64_t)instance * layout->words,
                      .instance = instance,
                      .inputs = s->inputs,
                      .delay = s->delays + (uint64_t)instance * layout->delay_words};
}
static synth_body_values values_of(const synth_structure *s, uint32_t instance)
{
    uint64_t first = (uint64_t)instance * s->program->layout.type[SYNTH_BODY].count;
    return (synth_body_values){s->values.blocks +
                                   (uint64_t)instance * s->bodies.blocks * SPRING_PARAMETERS * SYNTH_LANES,
                               s->values.mobility + first, s->values.keep + first, s->values.forces};
}

static hed_status native_write(synth_structure *s, const uint32_t *stores, const float *delays, hed_error *error)
{
    (void)error;
    const synth_layout *layout = &s->program->layout;
    uint64_t delay_words = (uint64_t)s->program->instances * layout->delay_words;
    for (uint32_t i = 0; i < s->program->instances; i++) {
        const uint32_t *from = stores ? stores + (uint64_t)i * layout->words : s->program->image;
        memcpy(s->stores + (uint64_t)i * layout->words, from, layout->words * sizeof *from);
    }
    if (delays) memcpy(s->delays, delays, delay_words * sizeof *delays);
    else memset(s->delays, 0, delay_words * sizeof *s->delays);
    for (uint32_t i = 0; i < s->program->instances; i++) {
        synth_at at = instance_at(s, i);
        synth_body_values values = values_of(s, i);
        synth_bodies_load(&s->bodies, layout, &at, &values);
    }
    return HED_OK;
}

static hed_status native_read(synth_structure *s, uint32_t *stores, float *delays, hed_error *error)
{
    (void)error;
    const synth_program *program = s->program;
    memcpy(stores, s->stores, (uint64_t)program->instances * program->layout.words * sizeof *stores);
    memcpy(delays, s->delays, (uint64_t)program->instances * program->layout.delay_words * sizeof *delays);
    return HED_OK;
}

static uint64_t value_count(const synth_structure *s)
{
    return (uint64_t)s->program->instances * s->bodies.blocks * SPRING_PARAMETERS * SYNTH_LANES;
}

static void native_destroy(synth_structure *s)
{
    if (!s) return;
    hed_allocator allocator = s->allocator;
    const synth_layout *layout = &s->program->layout;
    synth_release(&allocator, s->inputs, (uint64_t)s->channels * s->block, sizeof *s->inputs);
    synth_release(&allocator, s->stores, (uint64_t)s->program->instances * layout->words, sizeof *s->stores);
    synth_release(&allocator, s->delays, (uint64_t)s->program->instances * layout->delay_words, sizeof *s->delays);
    uint64_t bodies = (uint64_t)s->program->instances * layout->type[SYNTH_BODY].count;
    synth_release(&allocator, s->values.blocks, value_count(s), sizeof *s->values.blocks);
    synth_release(&allocator, s->values.forces, 3 * (uint64_t)s->bodies.forces, sizeof *s->values.forces);
    synth_release(&allocator, s->values.mobility, bodies, sizeof *s->values.mobility);
    synth_release(&allocator, s->values.keep, bodies, sizeof *s->values.keep);
    synth_bodies_destroy(&allocator, s->program, &s->bodies);
    synth_release(&allocator, s, 1, sizeof *s);
}

static hed_status native_create(const hed_synth *synth, const synth_program *program, synth_structure **structure,
                                hed_error *error)
{
    const synth_layout *layout = &program->layout;
    synth_structure *s = synth_new(&synth->allocator, 1, sizeof *s);
    if (!s) return synth_fail(error, HED_ERROR_MEMORY, "no memory for a native synth");
    s->allocator = synth->allocator;
    s->program = program;
    s->channels = synth->def.inputs;
    s->block = synth->def.block;
    hed_status status = synth_bodies_create(&s->allocator, program, &s->bodies, error);
    if (status) {
        native_destroy(s);
        return status;
    }
    uint64_t bodies = (uint64_t)program->instances * layout->type[SYNTH_BODY].count;
    s->values.blocks = synth_new(&s->allocator, value_count(s), sizeof *s->values.blocks);
    s->values.forces = synth_new(&s->allocator, 3 * (uint64_t)s->bodies.forces, sizeof *s->values.forces);
    s->values.mobility = synth_new(&s->allocator, bodies, sizeof *s->values.mobility);
    s->values.keep = synth_new(&s->allocator, bodies, sizeof *s->values.keep);
    s->inputs = synth_new(&s->allocator, (uint64_t)s->channels * s->block, sizeof *s->inputs);
    s->stores = synth_new(&s->allocator, (uint64_t)program->instances * layout->words, sizeof *s->stores);
    s->delays = synth_new(&s->allocator, (uint64_t)program->instances * layout->delay_words, sizeof *s->delays);
    if (!s->inputs || !s->stores || !s->delays || !s->values.blocks || !s->values.forces || !s->values.mobility ||
        !s->values.keep) {
        native_destroy(s);
        return synth_fail(error, HED_ERROR_MEMORY, "no memory for %u instances of %u words", program->instances,
                          layout->words);
    }
    native_write(s, NULL, NULL, NULL);
    *structure = s;
    return HED_OK;
}

static void run_instance(const synth_structure *s, const synth_run *run, uint32_t instance)
{
    const synth_layout *layout = &s->program->layout;
    const synth_poke *poke = run->pokes + run->poke_begin[instance],
                     *end = run->pokes + run->poke_begin[instance + 1];
    synth_at at = instance_at(s, instance);
    synth_body_values values = values_of(s, instance);
    at.frames = run->frames;
    for (uint32_t frame = 0; frame < run->frames; frame++) {
        for (; poke < end && poke->frame <= frame; poke++) {
            at.store[poke->word] = poke->value;
            synth_bodies_poked(&s->bodies, layout, &at, &values, poke->word);
        }
        at.frame = frame;
        at.sample = (uint32_t)(run->sample + frame);
        at.read = layout->signals + (at.sample & 1 ? layout->signal_count : 0);
        at.write = layout->signals + (at.sample & 1 ? 0 : layout->signal_count);
        at.stems = run->stems + ((uint64_t)frame * s->program->instances + instance) * layout->stems * 2;
        synth_native_step(&s->bodies, layout, &at, &values);
    }
}

static hed_status native_run(synth_structure *s, const synth_run *run, hed_error *error)
{
    (void)error;
    for (uint32_t channel = 0; channel < s->channels; channel++) {
        float *to = s->inputs + (size_t)channel * run->frames;
        if (run->inputs && run->inputs[channel]) memcpy(to, run->inputs[channel], run->frames * sizeof *to);
        else memset(to, 0, run->frames * sizeof *to);
    }
    hed_float_state state = hed_float_strict();
    for (uint32_t i = 0; i < s->program->instances; i++) run_instance(s, run, i);
    hed_float_restore(state);
    return HED_OK;
}

static void native_report(const synth_structure *s, hed_synth_report *report)
{
    const synth_layout *layout = &s->program->layout;
    report->groups = 1;
    report->bytes =
        ((uint64_t)s->program->instances * ((uint64_t)layout->words + layout->delay_words) + value_count(s)) *
        sizeof(uint32_t);
}

const synth_structure_ops synth_native_ops = {.id = HED_SYNTH_NATIVE,
                                              .valid = native_valid,
                                              .create = native_create,
                                              .destroy = native_destroy,
                                              .run = native_run,
                                              .read = native_read,
                                              .write = native_write,
                                              .report = native_report};
