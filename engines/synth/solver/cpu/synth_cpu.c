/* Solver cpu: C in the calling thread, one instance after the other. Real-time safe: run() does
 * not allocate, lock or log. Bodies are stepped by vectors (bodies.h), other entities one by
 * one; the arithmetic is that of physics*.h, so the bits are those of strict mode on any device.
 *
 * Several threads divide the instances for a whole block; if there is one instance, they divide
 * its slices of bodies and meet at a barrier after each sample. They wait by spinning.
 *
 * Sleeping bodies are skipped (bodies.h). An instance whose bodies all sleep, and which a sample
 * has left equal to the bit, is frozen until the next poke, since further samples would change
 * nothing. */
#include "solver/cpu/bodies.h"
#include "solver/solver.h"

#include "heddle/thread.h"

_Static_assert((int)SYNTH_PARAMETER_COUNT == (int)HED_SYNTH_TARGET_COUNT &&
                   (int)SYNTH_IMPULSE == (int)HED_SYNTH_TARGET_IMPULSE &&
                   (int)SYNTH_GAIN == (int)HED_SYNTH_TARGET_GAIN &&
                   (int)SYNTH_ROTATION == (int)HED_SYNTH_TARGET_ROTATION &&
                   (int)SYNTH_HOLD == (int)HED_SYNTH_WAVE_HOLD &&
                   (int)SYNTH_EXPONENTIAL == (int)HED_SYNTH_MODULATE_EXPONENTIAL,
    "parameters, waves and modes have one numbering");

struct synth_solver {
    hed_arena arena; /* memory of the solver and all its arrays */
    const synth_program *program;
    uint32_t channels, block;
    float *inputs;    /* (channels x block), as (channels x frames) of a run */
    uint32_t *stores; /* (instances x words) */
    float *delays;    /* (instances x delay_words) */
    synth_bodies bodies;
    synth_body_values values; /* values of all instances, one after the other */
    uint32_t threads, share_count;
    /* (share_count) one: a thread steps whole instances; else each thread steps one share */
    synth_share *shares;
    float *forces;         /* (threads x 3 x bodies.forces) */
    uint32_t silent;       /* frames of the run before sound arrives at the inputs */
    uint8_t *standing;     /* (instances) 1: frozen */
    uint32_t *stood;       /* (instances) first sample that a frozen one has not been stepped */
    uint32_t *phase_steps; /* (instances x LFOs) steps of the phases a sample, of frozen ones */
    bool skips_lfos;       /* true: an instance may be frozen while its LFOs move */
    uint32_t *clear;       /* (instances) frames of a run, from the first on, whose stems are 0 */
    uint8_t *tries;        /* (instances) runs since the last test for freezing */
    uint32_t *before;      /* (threads x state_words) an instance's words before a sample */
    float *held;           /* (instances x stems x 2) stems of a frozen instance */
    hed_team *team;        /* NULL: one thread */
    const synth_run *run;  /* current run */
    uint32_t next;         /* first sample of the next run */
};

static bool synth_cpu_valid(const hed_synth *synth, char *reason, size_t size)
{
    (void)synth, (void)reason, (void)size;
    return true;
}

static synth_at instance_at(const synth_solver *s, uint32_t instance)
{
    const synth_layout *layout = &s->program->layout;
    return (synth_at){.store = s->stores + (uint64_t)instance * layout->words, .instance = instance,
        .inputs = s->inputs, .delay = s->delays + (uint64_t)instance * layout->delay_words};
}
/* Values of bodies of an instance, in whole vectors: a vector of few bodies reads no values of the
 * next instance, which another thread may be writing. */
static uint64_t body_room(const synth_solver *s)
{
    return hed_round_up(s->program->layout.type[SYNTH_BODY].count, SYNTH_LANES);
}
static synth_body_values values_of(const synth_solver *s, uint32_t instance)
{
    const synth_layout *layout = &s->program->layout;
    uint64_t first = instance * body_room(s);
    return (synth_body_values){.blocks = s->values.blocks + (uint64_t)instance * s->bodies.blocks *
                                                                SPRING_PARAMETERS * SYNTH_LANES,
        .mobility = s->values.mobility + first, .keep = s->values.keep + first,
        .packed = s->values.packed + instance * 4 * synth_packed_size(layout),
        .idle = s->values.idle + (uint64_t)instance * s->bodies.sleepers[SYNTH_TYPES],
        .still = s->values.still + (uint64_t)instance * (s->bodies.slices + 1),
        .spare = s->values.spare + (uint64_t)instance * s->bodies.part_count};
}
static uint64_t state_words(const synth_solver *s)
{
    return s->program->layout.signals + 2 * (uint64_t)s->program->layout.signal_count;
}

static hed_status synth_cpu_write(
    synth_solver *s, const uint32_t *stores, const float *delays, hed_error *error)
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
        s->standing[i] = 0;
    }
    return HED_OK;
}

static hed_status synth_cpu_rest(synth_solver *s, uint32_t instance, hed_error *error)
{
    (void)error;
    const synth_layout *layout = &s->program->layout;
    synth_at at = instance_at(s, instance);
    synth_body_values values = values_of(s, instance);
    memcpy(at.store, s->program->image, layout->words * sizeof *at.store);
    memset(at.delay, 0, layout->delay_words * sizeof *at.delay);
    synth_bodies_load(&s->bodies, layout, &at, &values);
    s->standing[instance] = 0;
    return HED_OK;
}

/* ---- time that a frozen instance has slept ---- */

static uint32_t lfo_signal(const synth_layout *layout)
{
    return synth_signal(layout, SYNTH_LFO, MODULATOR_O_SIGNAL, 0);
}

/* True if the phases of all LFOs can be computed for any later sample: they have no random values, and
 * change only entities that keep no state while they are silent. */
static bool are_lfos_predictable(const synth_solver *s)
{
    const synth_layout *layout = &s->program->layout;
    synth_at at = {.store = s->program->image};
    uint32_t first = lfo_signal(layout), count = layout->type[SYNTH_LFO].count;
    bool are = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t wave = synth_bits(&at, synth_self_of(layout, SYNTH_LFO, i), LFO_P_WAVE);
        are &= wave == SYNTH_SINE || wave == SYNTH_SAW || wave == SYNTH_RECTANGLE;
    }
    for (uint32_t type = 0; type < SYNTH_TYPES && count; type++) {
        bool is_idle = type == SYNTH_MICROPHONE || type == SYNTH_OSCILLATOR || type == SYNTH_BOW;
        for (uint32_t entity = 0; entity < layout->type[type].count && !is_idle; entity++) {
            synth_list links = synth_links_of(layout, &at, type, entity);
            for (uint32_t i = 0; i < links.length; i++) {
                uint32_t word = links.first + i * SYNTH_LINK_WORDS * links.stride;
                are &= synth_word(&at, word) - first >= count;
            }
        }
    }
    return are;
}

static uint32_t phase_word(const synth_layout *layout, uint32_t lfo)
{
    return synth_state(synth_self_of(layout, SYNTH_LFO, lfo), LFO_S_PHASE);
}

/* Keeps the steps of the phases, and then lets `before` have the LFOs' words of the store. */
static void keep_phases(
    const synth_solver *s, uint32_t instance, const uint32_t *store, uint32_t *before)
{
    const synth_layout *layout = &s->program->layout;
    uint32_t count = layout->type[SYNTH_LFO].count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = phase_word(layout, i);
        s->phase_steps[(size_t)instance * count + i] = store[word] - before[word];
        before[word] = store[word];
        for (uint32_t half = 0; half < 2; half++) {
            word = layout->signals + half * layout->signal_count + lfo_signal(layout) + i;
            before[word] = store[word];
        }
    }
}

/* Makes the rings and LFOs of a frozen instance as if it had been stepped until a sample. */
static void catch_up(const synth_solver *s, uint32_t instance, uint32_t sample)
{
    const synth_layout *layout = &s->program->layout;
    synth_at at = instance_at(s, instance);
    uint32_t count = sample - s->stood[instance], lfos = layout->type[SYNTH_LFO].count;
    for (uint32_t i = 0; i < layout->type[SYNTH_DELAY_LINE].count; i++) {
        synth_self me = synth_self_of(layout, SYNTH_DELAY_LINE, i);
        uint32_t mask = synth_bits(&at, me, DELAY_P_MASK);
        float *ring = at.delay + synth_bits(&at, me, DELAY_P_BUFFER);
        for (uint32_t k = 0; k < count && k <= mask; k++) ring[(sample - 1 - k) & mask] = 0.0f;
    }
    at.sample = sample - 1;
    at.read = layout->signals + (at.sample & 1 ? layout->signal_count : 0);
    at.write = layout->signals + (at.sample & 1 ? 0 : layout->signal_count);
    for (uint32_t i = 0; i < lfos && count; i++) {
        at.store[phase_word(layout, i)] +=
            (count - 1) * s->phase_steps[(size_t)instance * lfos + i];
        synth_lfo(layout, &at, i);
    }
    s->stood[instance] = sample;
}

static hed_status synth_cpu_read(synth_solver *s, uint32_t *stores, float *delays, hed_error *error)
{
    (void)error;
    const synth_program *program = s->program;
    for (uint32_t i = 0; i < program->instances; i++)
        if (s->standing[i]) catch_up(s, i, s->next);
    memcpy(
        stores, s->stores, (uint64_t)program->instances * program->layout.words * sizeof *stores);
    if (delays)
        memcpy(delays, s->delays,
            (uint64_t)program->instances * program->layout.delay_words * sizeof *delays);
    return HED_OK;
}

static const uint32_t *synth_cpu_stores(const synth_solver *s) { return s->stores; }

/* ---- life ---- */

static uint64_t value_count(const synth_solver *s)
{
    return (uint64_t)s->program->instances * s->bodies.blocks * SPRING_PARAMETERS * SYNTH_LANES;
}
static void synth_cpu_destroy(synth_solver *s)
{
    if (!s) return;
    hed_team_destroy(s->team);
    hed_arena_free(&s->arena);
}

static hed_status synth_cpu_allocate(synth_solver *s, hed_error *error)
{
    const synth_layout *layout = &s->program->layout;
    hed_arena *a = &s->arena;
    uint64_t instances = s->program->instances;
    uint64_t bodies = instances * body_room(s);
    synth_body_values *v = &s->values;
    v->blocks = hed_arena_new(a, value_count(s), sizeof *v->blocks, error);
    v->mobility = hed_arena_new(a, bodies, sizeof *v->mobility, error);
    v->keep = hed_arena_new(a, bodies, sizeof *v->keep, error);
    v->packed =
        hed_arena_new(a, instances * 4 * synth_packed_size(layout), sizeof *v->packed, error);
    v->idle = hed_arena_new(a, instances * s->bodies.sleepers[SYNTH_TYPES], sizeof *v->idle, error);
    v->still = hed_arena_new(a, instances * (s->bodies.slices + 1), sizeof *v->still, error);
    v->spare = hed_arena_new(a, instances * s->bodies.part_count, sizeof *v->spare, error);
    s->standing = hed_arena_new(a, instances, sizeof *s->standing, error);
    s->phase_steps =
        hed_arena_new(a, instances * layout->type[SYNTH_LFO].count, sizeof *s->phase_steps, error);
    s->stood = hed_arena_new(a, instances, sizeof *s->stood, error);
    s->clear = hed_arena_new(a, instances, sizeof *s->clear, error);
    s->tries = hed_arena_new(a, instances, sizeof *s->tries, error);
    s->before = hed_arena_new(a, s->threads * state_words(s), sizeof *s->before, error);
    s->held = hed_arena_new(a, 2 * instances * layout->stems, sizeof *s->held, error);
    s->forces = hed_arena_new(a, 3ull * s->threads * s->bodies.forces, sizeof *s->forces, error);
    s->inputs = hed_arena_new(a, (uint64_t)s->channels * s->block, sizeof *s->inputs, error);
    s->stores = hed_arena_new(a, instances * layout->words, sizeof *s->stores, error);
    s->delays = hed_arena_new(a, instances * layout->delay_words, sizeof *s->delays, error);
    s->shares = hed_arena_new(a, s->share_count, sizeof *s->shares, error);
    if (a->failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < s->share_count; i++)
        if (synth_share_create(a, &s->bodies, i, s->share_count, &s->shares[i], error))
            return HED_ERROR_MEMORY;
    return s->threads == 1 ? HED_OK : hed_team_create(&a->allocator, s->threads, &s->team, error);
}

static hed_status synth_cpu_create(
    const hed_synth *synth, const synth_program *program, synth_solver **solver, hed_error *error)
{
    hed_arena arena = {.allocator = synth->allocator, .owner = "a synth"};
    synth_solver *s = hed_arena_new(&arena, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    s->arena = arena;
    s->program = program;
    s->channels = synth->def.inputs;
    s->block = synth->def.block;
    synth_bodies_create(&s->arena, program, &s->bodies, error);
    /* limit threads to the units of work; the last two slices may overlap, so one thread steps
     * both */
    uint32_t instances = program->instances,
             most = instances > 1 ? instances : s->bodies.slices / 2;
    s->threads = synth->def.threads < most ? synth->def.threads : most;
    if (s->threads < 1) s->threads = 1;
    s->share_count = instances > 1 ? 1 : s->threads;
    if (error->status || synth_cpu_allocate(s, error)) {
        synth_cpu_destroy(s);
        return error->status;
    }
    for (uint64_t i = 0; i < value_count(s); i++) /* lanes without a spring */
        if (i / SYNTH_LANES % SPRING_PARAMETERS == SPRING_P_EXCESS)
            s->values.blocks[i] = SYNTH_SLACK;
    s->skips_lfos = s->program->layout.type[SYNTH_LFO].count && are_lfos_predictable(s);
    synth_cpu_write(s, NULL, NULL, NULL);
    *solver = s;
    return HED_OK;
}

/* ---- sound ---- */

static bool is_due(const synth_poke *poke, const synth_poke *end, uint32_t frame)
{
    return poke < end && poke->frame <= frame;
}

/* True if this run should test an instance for freezing; only every eighth run, because the test
 * copies the store. */
static bool is_worth_a_try(
    const synth_solver *s, uint32_t instance, const synth_body_values *values)
{
    enum { RUNS = 8 };
    if (s->silent < s->run->frames || !synth_bodies_still(&s->bodies, values)) return false;
    return (s->tries[instance] = (uint8_t)((s->tries[instance] + 1) % RUNS)) == 0;
}

/* Steps a member's part of a sample: the bows of an instance by one member, when all bodies have
 * moved. */
static void step_sample(synth_step *step, hed_team *team)
{
    synth_cpu_step(step);
    if (team) hed_team_barrier(team);
    if (step->layout->type[SYNTH_BOW].count == 0) return;
    if (step->share->others) {
        step->late = true;
        synth_cpu_step(step);
        step->late = false;
    }
    if (team) hed_team_barrier(team);
}

/* True if an echo is in the part of a delay line's ring that the line may still read. */
static bool has_echo(const synth_layout *layout, const synth_at *at, uint32_t line)
{
    synth_self me = synth_self_of(layout, SYNTH_DELAY_LINE, line);
    uint32_t mask = synth_bits(at, me, DELAY_P_MASK), reach = mask;
    const float *ring = at->delay + synth_bits(at, me, DELAY_P_BUFFER);
    double samples = (double)synth_value(at, me, DELAY_P_SECONDS) / (double)layout->step + 2;
    if (!synth_delay_is_stretched(layout, at->store, line) && samples < mask)
        reach = (uint32_t)samples;
    for (uint32_t i = 0; i <= reach; i++)
        if (hed_as_uint(ring[(at->sample - i) & mask]) != 0) return true;
    return false;
}

/* Steps a sample, and freezes the instance if the sample changed nothing. */
static void try_to_stand(
    const synth_solver *s, synth_step *step, uint32_t instance, uint32_t member)
{
    const synth_layout *layout = step->layout;
    const uint32_t *store = step->at->store, *half = store + layout->signals;
    uint32_t *before = s->before + member * state_words(s);
    memcpy(before, store, state_words(s) * sizeof *before);
    step_sample(step, NULL);
    uint32_t lfo = lfo_signal(layout), other = layout->type[SYNTH_LFO].count;
    if (s->skips_lfos) keep_phases(s, instance, store, before);
    else lfo = other = 0;
    other += lfo; /* signals before the LFOs' and after them are as those of the sample before */
    if (memcmp(before, store, state_words(s) * sizeof *before) != 0 ||
        memcmp(half, half + layout->signal_count, lfo * sizeof *half) != 0 ||
        memcmp(half + other, half + layout->signal_count + other,
            (layout->signal_count - other) * sizeof *half) != 0)
        return;
    uint32_t heard = 0;
    for (uint32_t i = 0; i < 2 * layout->stems; i++) heard |= hed_as_uint(step->at->stems[i]);
    if (s->skips_lfos && heard) return;
    for (uint32_t i = 0; i < layout->type[SYNTH_DELAY_LINE].count; i++)
        if (has_echo(layout, step->at, i)) return;
    s->standing[instance] = 1;
    s->stood[instance] = step->at->sample + 1;
    memcpy(s->held + 2 * (uint64_t)instance * layout->stems, step->at->stems,
        2 * layout->stems * sizeof *s->held);
}

static float *stems_at(const synth_solver *s, uint32_t instance, uint32_t frame)
{
    const synth_program *program = s->program;
    return s->run->stems +
           ((uint64_t)frame * program->instances + instance) * program->layout.stems * 2;
}

/* Fills frames [first, end) of an instance that stands still. Silence that is there already is not
 * written again: at rest these stems took most of the time of a block. */
static void hold(const synth_solver *s, uint32_t instance, uint32_t first, uint32_t end)
{
    size_t count = 2 * (size_t)s->program->layout.stems;
    const float *held = s->held + instance * count;
    uint32_t bits = 0, *clear = s->clear + instance;
    for (size_t k = 0; k < count; k++) bits |= hed_as_uint(held[k]);
    if (bits != 0 && *clear > first) *clear = first;
    uint32_t begin = first > *clear || bits != 0 ? first : *clear;
    for (uint32_t frame = begin; frame < end; frame++)
        memcpy(stems_at(s, instance, frame), held, count * sizeof *held);
    if (bits == 0 && first <= *clear && *clear < end) *clear = end;
}

/* Runs a member's part of an instance; `team` NULL: the whole instance. */
static void run_instance(const synth_solver *s, uint32_t instance, uint32_t member, hed_team *team)
{
    const synth_layout *layout = &s->program->layout;
    const synth_run *run = s->run;
    const synth_poke *poke = run->pokes + run->poke_begin[instance],
                     *end = run->pokes + run->poke_begin[instance + 1];
    synth_at at = instance_at(s, instance);
    synth_body_values values = values_of(s, instance);
    synth_step step = {&s->bodies, layout, &at, &values, &s->shares[team ? member : 0],
        s->forces + 3 * (uint64_t)member * s->bodies.forces, false};
    at.frames = run->frames;
    bool try = !team && is_worth_a_try(s, instance, &values);
    for (uint32_t frame = 0; frame < run->frames; frame++) {
        if (s->standing[instance]) {
            uint32_t until = is_due(poke, end, s->silent) ? poke->frame : s->silent;
            hold(s, instance, frame, until);
            frame = until > frame ? until : frame;
            if (frame == run->frames) return;
            catch_up(s, instance, (uint32_t)(run->sample + frame));
            s->standing[instance] = 0;
        }
        if (frame < s->clear[instance]) s->clear[instance] = frame;
        bool changes = is_due(poke, end, frame) || layout->type[SYNTH_SPRING].modulated > 0;
        at.frame = frame;
        at.sample = (uint32_t)(run->sample + frame);
        at.read = layout->signals + (at.sample & 1 ? layout->signal_count : 0);
        at.write = layout->signals + (at.sample & 1 ? 0 : layout->signal_count);
        at.stems = stems_at(s, instance, frame);
        for (; is_due(poke, end, frame); poke++) {
            if (!step.share->others) continue;
            at.store[poke->word] = poke->value;
            synth_bodies_poked(&s->bodies, layout, &at, &values, poke->word);
        }
        if (step.share->others) synth_bodies_refresh(&s->bodies, layout, &at, &values);
        if (!team) synth_bodies_settle(&s->bodies, &values);
        if (team && changes) hed_team_barrier(team);
        if (try && frame + 1 == run->frames) try_to_stand(s, &step, instance, member);
        else step_sample(&step, team);
        if (synth_is_checked(at.sample) && step.share->others && layout->stems > 0 &&
            synth_is_broken(layout, &at, 0, 1))
            at.stems[0] = hed_as_float(HED_NAN_BITS);
    }
}

static void run_member(void *user, hed_team *team, uint32_t member)
{
    const synth_solver *s = user;
    hed_float_state state = hed_float_strict();
    if (s->share_count > 1) run_instance(s, 0, member, team);
    else
        for (uint32_t i = member; i < s->program->instances; i += s->threads)
            run_instance(s, i, member, NULL);
    hed_float_restore(state);
}

static hed_status synth_cpu_run(synth_solver *s, const synth_run *run, hed_error *error)
{
    (void)error;
    s->silent = run->frames;
    for (uint32_t channel = 0; channel < s->channels; channel++) {
        float *to = s->inputs + (size_t)channel * run->frames;
        if (run->inputs && run->inputs[channel])
            memcpy(to, run->inputs[channel], run->frames * sizeof *to);
        else memset(to, 0, run->frames * sizeof *to);
        uint32_t silent = 0;
        while (silent < s->silent && hed_as_uint(to[silent]) == 0) silent++;
        s->silent = silent;
    }
    s->run = run;
    s->next = (uint32_t)(run->sample + run->frames);
    if (s->team) hed_team_run(s->team, run_member, s);
    else run_member(s, NULL, 0);
    return HED_OK;
}

static void synth_cpu_report(const synth_solver *s, hed_synth_info *report)
{
    const synth_layout *layout = &s->program->layout;
    report->groups = s->threads;
    uint64_t words = layout->words + (uint64_t)layout->delay_words + 4 * synth_packed_size(layout);
    report->bytes = (s->program->instances * words + value_count(s)) * sizeof(uint32_t);
}

const synth_solver_ops synth_cpu_ops = {.id = HED_SYNTH_SOLVER_CPU,
    .valid = synth_cpu_valid,
    .create = synth_cpu_create,
    .destroy = synth_cpu_destroy,
    .run = synth_cpu_run,
    .read = synth_cpu_read,
    .stores = synth_cpu_stores,
    .write = synth_cpu_write,
    .rest = synth_cpu_rest,
    .report = synth_cpu_report};
