/* Islands of bodies: finding them, testing them for rest, and the pokes that put them to sleep
 * and wake them. */
#include "voices/voices.h"
#include "kernels/physics.h"

#include <math.h>

/* assumed largest gain by which modulation amplifies a microphone: 30 dB (of 60 dB, -110 dB of full
 * scale would be cut off) */
static const double MODULATED_EAR = 32;
/* minimal fraction of a motion that is assumed to be heard, for bodies that move across the
 * microphone's axis */
static const double ACROSS = 1e-5;

/* ---- islands of bodies ---- */

/* Disjoint-set forest of bodies: `up` is the parent. */
typedef struct forest {
    const synth_program *program;
    synth_at at; /* the program's image */
    uint32_t bodies;
    uint32_t *up;      /* (bodies) */
    uint32_t *island;  /* (bodies) of roots: number of the island, or SYNTH_EMPTY */
    uint8_t *restless; /* (bodies) of roots: 1 if something drives the island continuously */
} forest;

static uint32_t root_of(const forest *f, uint32_t body)
{
    while (f->up[body] != body) body = f->up[body] = f->up[f->up[body]];
    return body;
}

static bool is_free(const forest *f, uint32_t body)
{
    return synth_parameter(&f->program->layout, &f->at, SYNTH_BODY, BODY_P_WEIGHT, body) != 0.0f;
}

static bool is_modulated(const forest *f, uint32_t body)
{
    return synth_links_of(&f->program->layout, &f->at, SYNTH_BODY, body).length > 0;
}

static void join_neighbours(forest *f)
{
    const synth_type_layout *type = &f->program->layout.type[SYNTH_BODY];
    for (uint32_t body = 0; body < f->bodies; body++) {
        if (!is_free(f, body)) continue;
        synth_list list = synth_list_of(&f->at, type->list, type->count, body);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t neighbour =
                synth_word(&f->at, list.first + i * SYNTH_SPRING_WORDS * list.stride);
            if (is_free(f, neighbour)) f->up[root_of(f, neighbour)] = root_of(f, body);
        }
    }
}

static void mark_modulated(forest *f)
{
    const synth_layout *layout = &f->program->layout;
    const synth_type_layout *type = &layout->type[SYNTH_BODY];
    for (uint32_t body = 0; body < f->bodies; body++) {
        if (!is_free(f, body)) continue;
        bool driven = is_modulated(f, body);
        synth_list list = synth_list_of(&f->at, type->list, type->count, body);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t word = list.first + i * SYNTH_SPRING_WORDS * list.stride,
                     neighbour = synth_word(&f->at, word);
            driven |= (synth_word(&f->at, word + list.stride) & SYNTH_SPRING_INDEX) <
                      layout->type[SYNTH_SPRING].modulated;
            driven |= !is_free(f, neighbour) && is_modulated(f, neighbour);
        }
        if (driven) f->restless[root_of(f, body)] = 1;
    }
}

static uint32_t contact_body(const forest *f, uint32_t type, uint32_t contact)
{
    return synth_bits(&f->at, synth_self_of(&f->program->layout, type, contact), CONTACT_P_BODY);
}

/* Joins `body`, which a delay line drives, with the bodies that the line's microphone hears. */
static void join_by_delay(forest *f, uint32_t body, uint32_t signal)
{
    const synth_layout *layout = &f->program->layout;
    uint32_t line = signal - synth_signal(layout, SYNTH_DELAY_LINE, MODULATOR_O_SIGNAL, 0),
             source =
                 synth_bits(&f->at, synth_self_of(layout, SYNTH_DELAY_LINE, line), DELAY_P_SOURCE),
             heard = source - synth_signal(layout, SYNTH_MICROPHONE, MICROPHONE_O_SIGNAL, 0);
    const synth_type_layout *type = &layout->type[SYNTH_EAR];
    for (uint32_t ear = 0; ear < type->count; ear++) {
        if (synth_bits(&f->at, synth_self_of(layout, SYNTH_EAR, ear), EAR_P_MICROPHONE) != heard)
            continue;
        synth_list list = synth_list_of(&f->at, type->list, type->count, ear);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t source_body =
                synth_word(&f->at, list.first + i * SYNTH_EAR_WORDS * list.stride);
            if (is_free(f, source_body)) f->up[root_of(f, source_body)] = root_of(f, body);
        }
    }
}

/* Returns the source of an audio input without a gate; SYNTH_AUDIO_SILENT for all others. */
static uint32_t open_source(const forest *f, uint32_t audio)
{
    synth_self me = synth_self_of(&f->program->layout, SYNTH_AUDIO_INPUT, audio);
    return synth_bits(&f->at, me, AUDIO_P_GATED) ? SYNTH_AUDIO_SILENT
                                                 : synth_bits(&f->at, me, AUDIO_P_SOURCE);
}

/* Returns the island of a body; SYNTH_EMPTY: an anchor, or an island that never sleeps. */
static uint32_t island_of(const forest *f, uint32_t body)
{
    return is_free(f, body) ? f->island[root_of(f, body)] : SYNTH_EMPTY;
}

/* Numbers the islands that may sleep; returns the number of their bodies. */
static uint32_t number_islands(forest *f, uint32_t *islands)
{
    uint32_t bodies = 0;
    for (uint32_t body = 0; body < f->bodies; body++)
        f->up[body] = body, f->island[body] = SYNTH_EMPTY;
    join_neighbours(f);
    for (uint32_t i = 0; i < f->program->layout.type[SYNTH_AUDIO_INPUT].count; i++) {
        uint32_t source = open_source(f, i), body = contact_body(f, SYNTH_AUDIO_INPUT, i);
        if (source & SYNTH_AUDIO_SIGNAL && is_free(f, body))
            join_by_delay(f, body, source & ~SYNTH_AUDIO_SIGNAL);
    }
    mark_modulated(f);
    for (uint32_t body = 0; body < f->bodies; body++) {
        uint32_t root = root_of(f, body);
        if (!is_free(f, body) || f->restless[root]) continue;
        if (f->island[root] == SYNTH_EMPTY) f->island[root] = (*islands)++;
        bodies++;
    }
    return bodies;
}

/* ---- lists ---- */

/* Turns counts of entries into first indices. Lists of `count` owners are filled in two rounds:
 * the first counts entries, the second puts them. */
static void sum_up(uint32_t *begin, uint32_t count)
{
    for (uint32_t i = 0, sum = 0; i <= count; i++) {
        uint32_t length = begin[i];
        begin[i] = sum;
        sum += length;
    }
}

static void sleep_put(uint32_t *begin, uint32_t *list, uint32_t owner, uint32_t entry)
{
    if (list) list[begin[owner]] = entry;
    begin[owner]++;
}

static void unwind(uint32_t *begin, uint32_t count)
{
    for (uint32_t i = count; i > 0; i--) begin[i] = begin[i - 1];
    begin[0] = 0;
}

/* Visits bodies and contacts once, to count or to put entries. */
static void visit(const forest *f, synth_sleep *s)
{
    for (uint32_t body = 0; body < f->bodies; body++)
        if (island_of(f, body) != SYNTH_EMPTY)
            sleep_put(s->body_begin, s->bodies, island_of(f, body), body);
    for (uint32_t type = SYNTH_FIRST_CONTACT; type <= SYNTH_LAST_CONTACT; type++)
        for (uint32_t i = 0; i < f->program->layout.type[type].count; i++) {
            uint32_t island = island_of(f, contact_body(f, type, i));
            if (island == SYNTH_EMPTY) continue;
            uint32_t gate =
                (synth_bits(&f->at, synth_self_of(&f->program->layout, type, i), CONTACT_P_GATE) -
                    SYNTH_FIRST_GATE) /
                SYNTH_GATE_WORDS;
            sleep_put(s->contact_begin, s->contacts, island, SYNTH_SEAT(type, i));
            sleep_put(s->gate_begin, s->gates, gate, island);
        }
}

/* ---- loudness of islands ---- */

/* Effects of a microphone's modulations on its recording. */
typedef struct ear_changes {
    bool amplifies; /* gain, or position: the distance */
    bool turns;     /* axis: any direction may be recorded */
} ear_changes;

static ear_changes ear_changes_of(const synth_layout *layout, const synth_at *at, uint32_t number)
{
    synth_list links = synth_links_of(layout, at, SYNTH_MICROPHONE, number);
    ear_changes changes = {false, false};
    for (uint32_t i = 0; i < links.length; i++) {
        uint32_t word = links.first + (i * SYNTH_LINK_WORDS + 2u) * links.stride;
        switch (SYNTH_LINK_PARAMETER(synth_word(at, word))) {
        case SYNTH_PAN: break;
        case SYNTH_GAIN: changes.amplifies = true; break;
        default: changes.amplifies = changes.turns = true; break;
        }
    }
    return changes;
}

/* Adds up the largest loudness of each island along each axis: output, relative to full scale,
 * of all its bodies at an h v of 1. */
static void hear(const forest *f, double gain, double *loudness)
{
    const synth_layout *layout = &f->program->layout;
    const synth_at *at = &f->at;
    for (uint32_t ear = 0; ear < layout->type[SYNTH_EAR].count; ear++) {
        uint32_t number = synth_bits(at, synth_self_of(layout, SYNTH_EAR, ear), EAR_P_MICROPHONE);
        synth_self m = synth_self_of(layout, SYNTH_MICROPHONE, number);
        ear_changes changes = ear_changes_of(layout, at, number);
        double amount = gain * (changes.amplifies ? MODULATED_EAR : 1.0) *
                        fabs(synth_value(at, m, MICROPHONE_P_GAIN)) *
                        fabs(synth_value(at, m, MICROPHONE_P_MAKEUP));
        synth_list list =
            synth_list_of(at, layout->type[SYNTH_EAR].list, layout->type[SYNTH_EAR].count, ear);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t word = list.first + i * SYNTH_EAR_WORDS * list.stride,
                     body = synth_word(at, word);
            synth_self b = synth_self_of(layout, SYNTH_BODY, body);
            double r[3], square = 0.0;
            for (uint32_t k = 0; k < 3; k++) {
                r[k] = (double)synth_value(at, b, BODY_P_X + k) -
                       synth_value(at, m, MICROPHONE_P_X + k);
                square += r[k] * r[k];
            }
            double distance = sqrt(fmax(square, (double)SYNTH_SHORTEST));
            double loud = amount * fabs(synth_number(at, word + list.stride)) /
                          fmax(distance, (double)SYNTH_NEAREST);
            uint32_t island = island_of(f, body);
            for (uint32_t k = 0; k < 3 && island != SYNTH_EMPTY; k++) {
                double e[3] = {r[0] / distance, r[1] / distance, r[2] / distance};

                /* fraction of a motion along this axis that is heard of a body in direction `e`
                 * (synth_heard()) */
                double n = synth_value(at, m, MICROPHONE_P_NX + k),
                       isotropy = synth_value(at, m, MICROPHONE_P_ISOTROPY),
                       share = fmax(fabs(n + isotropy * (e[k] - n)), ACROSS);
                loudness[3 * island + k] += loud * (changes.turns ? 1.0 : share);
            }
        }
    }
}

/* ---- life ---- */

/* Records open audio inputs: the islands that each wakes, and longer waits for islands with
 * echoes. */
static void listen(synth_sleep *s, const forest *f)
{
    memset(s->enough, SYNTH_QUIET, s->islands);
    for (uint32_t i = 0; i < f->program->layout.type[SYNTH_AUDIO_INPUT].count; i++) {
        uint32_t source = open_source(f, i),
                 island = island_of(f, contact_body(f, SYNTH_AUDIO_INPUT, i));
        if (island == SYNTH_EMPTY || source == SYNTH_AUDIO_SILENT) continue;
        if (!(source & SYNTH_AUDIO_SIGNAL)) s->inputs[island] |= 1ull << source;
        else s->enough[island] = SYNTH_QUIET + 2 * SYNTH_LONGEST_DELAY * SYNTH_CHECKS_A_SECOND;
    }
}

static void islands_list(
    synth_sleep *s, hed_arena *arena, const forest *f, double gain, hed_error *error)
{
    uint32_t gates = s->program->layout.gates;
    s->body_begin = hed_arena_new(arena, s->islands + 1u, sizeof *s->body_begin, error);
    s->contact_begin = hed_arena_new(arena, s->islands + 1u, sizeof *s->contact_begin, error);
    s->gate_begin = hed_arena_new(arena, gates + 1u, sizeof *s->gate_begin, error);
    if (arena->failed) return;
    visit(f, s);
    sum_up(s->body_begin, s->islands);
    sum_up(s->contact_begin, s->islands);
    sum_up(s->gate_begin, gates);
    s->contact_count = s->contact_begin[s->islands];
    s->gate_count = s->gate_begin[gates];
    uint64_t instances = s->instances;
    double *loudness = hed_new(&arena->allocator, 3ull * s->islands, sizeof *loudness, error);
    s->bodies = hed_arena_new(arena, s->body_count, sizeof *s->bodies, error);
    s->contacts = hed_arena_new(arena, s->contact_count, sizeof *s->contacts, error);
    s->gates = hed_arena_new(arena, s->gate_count, sizeof *s->gates, error);
    s->slow = hed_arena_new(arena, 3ull * s->islands, sizeof *s->slow, error);
    s->enough = hed_arena_new(arena, s->islands, sizeof *s->enough, error);
    s->inputs = hed_arena_new(arena, s->islands, sizeof *s->inputs, error);
    s->quiet = hed_arena_new(arena, instances * s->islands, sizeof *s->quiet, error);
    s->weights = hed_arena_new(arena, instances * s->body_count, sizeof *s->weights, error);
    bool has_memory = loudness && s->weights && !arena->failed;
    if (has_memory) {
        visit(f, s);
        unwind(s->body_begin, s->islands);
        unwind(s->contact_begin, s->islands);
        unwind(s->gate_begin, gates);
        listen(s, f);
        hear(f, gain, loudness);
        /* SYNTH_INAUDIBLE is a limit in m/s for unheard bodies */
        for (uint32_t i = 0; i < 3 * s->islands; i++)
            s->slow[i] = (float)(loudness[i] > 0.0 ? SYNTH_INAUDIBLE / loudness[i]
                                                   : SYNTH_INAUDIBLE * s->program->step);
    }
    hed_delete(&arena->allocator, loudness, 3ull * s->islands, sizeof *loudness);
}

hed_status synth_sleep_create(hed_arena *arena, const synth_program *program, double gain,
    synth_sleep **sleep, hed_error *error)
{
    synth_sleep *s = *sleep = hed_arena_new(arena, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    s->program = program;
    s->instances = program->instances;
    uint32_t bodies = program->remote ? 0 : program->layout.type[SYNTH_BODY].count;
    s->spacing = bodies ? (uint64_t)(1.0 / (SYNTH_CHECKS_A_SECOND * program->step)) : 1;
    if ((uint64_t)bodies * program->instances > SYNTH_MOST_SLEEPERS) bodies = 0;
    forest f = {.program = program, .at = {.store = program->image}, .bodies = bodies};
    hed_arena scratch = {.allocator = arena->allocator, .owner = "islands of bodies"};
    f.up = hed_arena_new(&scratch, bodies, sizeof *f.up, error);
    f.island = hed_arena_new(&scratch, bodies, sizeof *f.island, error);
    f.restless = hed_arena_new(&scratch, bodies, sizeof *f.restless, error);
    if (!scratch.failed && bodies) s->body_count = number_islands(&f, &s->islands);
    if (s->islands) islands_list(s, arena, &f, gain, error);
    hed_arena_free(&scratch);
    return error->status;
}

void synth_sleep_forget(synth_sleep *s, uint32_t instance)
{
    if (s->islands) memset(s->quiet + (size_t)instance * s->islands, 0, s->islands);
}

void synth_sleep_forget_all(synth_sleep *s)
{
    for (uint32_t i = 0; i < s->instances; i++) synth_sleep_forget(s, i);
}

void synth_sleep_reset(synth_sleep *s)
{
    synth_sleep_forget_all(s);
    s->slot = 0;
}

/* ---- checks ---- */

static uint64_t check_at(const synth_sleep *s, uint64_t slot)
{
    return slot * s->spacing + synth_scramble((uint32_t)slot) % s->spacing;
}

uint64_t synth_sleep_next(const synth_sleep *s, uint64_t sample)
{
    if (!s->islands && s->instances == 1) return UINT64_MAX;
    uint64_t slot = sample / s->spacing;
    if (check_at(s, slot) < sample) slot++;
    return check_at(s, slot > s->slot ? slot : s->slot);
}

static bool is_acting(const synth_sleep *s, const synth_at *at, uint32_t seat)
{
    uint32_t type = SYNTH_SEAT_TYPE(seat);
    synth_self me = synth_self_of(&s->program->layout, type, SYNTH_SEAT_ENTITY(seat));
    /* a silent input */
    if (type == SYNTH_AUDIO_INPUT && synth_bits(at, me, AUDIO_P_GATED) == 0) return false;
    _Static_assert(
        (int)MALLET_S_SEEN == (int)ADSR_S_SEEN && (int)PLECTRUM_S_SEEN == (int)ADSR_S_SEEN,
        "one place");
    uint32_t gate = synth_bits(at, me, CONTACT_P_GATE);
    if (synth_word(at, synth_state(me, ADSR_S_SEEN)) != synth_word(at, gate + SYNTH_GATE_COUNT))
        return true;
    if (type == SYNTH_MALLET) return synth_word(at, synth_state(me, MALLET_S_ACTIVE)) != 0;
    if (type == SYNTH_PLECTRUM) return synth_number(at, synth_state(me, PLECTRUM_S_TIME)) >= 0.0f;
    return synth_word(at, synth_state(me, ADSR_S_STAGE)) != 0;
}

bool synth_sleep_is_quiet(
    const synth_sleep *s, uint32_t island, const uint32_t *store, uint64_t sample)
{
    const synth_layout *layout = &s->program->layout;
    uint32_t count = layout->type[SYNTH_BODY].count;
    const uint32_t *u = store + layout->signals + (sample & 1) * layout->signal_count +
                        synth_signal(layout, SYNTH_BODY, BODY_O_U, 0);
    for (uint32_t i = s->body_begin[island]; i < s->body_begin[island + 1]; i++)
        for (uint32_t k = 0; k < 3; k++) {
            float speed = hed_as_float(u[k * count + s->bodies[i]]), slow = s->slow[3 * island + k];
            if (!(speed <= slow && speed >= -slow)) return false; /* rejects NaN too */
        }
    synth_at at = {.store = (uint32_t *)store};
    for (uint32_t i = s->contact_begin[island]; i < s->contact_begin[island + 1]; i++)
        if (is_acting(s, &at, s->contacts[i])) return false;
    return true;
}

uint32_t synth_sleep_asleep(const synth_sleep *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->instances * s->islands; i++) count += s->quiet[i] == SYNTH_ASLEEP;
    return count;
}

/* Islands that fall asleep and wake, as pokes. */

static void fall_asleep(synth_voices *v, uint32_t instance, uint32_t island, const uint32_t *store)
{
    synth_sleep *s = v->sleep;
    const synth_layout *layout = &v->program->layout;
    for (uint32_t i = s->body_begin[island]; i < s->body_begin[island + 1]; i++) {
        uint32_t word = synth_parameter_word(layout, SYNTH_BODY, BODY_P_WEIGHT, s->bodies[i]);
        s->weights[(size_t)instance * s->body_count + i] = store[word];
        synth_voices_poke(v, instance, word, 0);
        for (uint32_t k = 0; k < 3; k++) {
            /* speed that the next sample reads */
            uint32_t speed = layout->signals + (uint32_t)(v->looked & 1) * layout->signal_count +
                             synth_signal(layout, SYNTH_BODY, BODY_O_U + k, s->bodies[i]);
            synth_voices_poke(v, instance, speed, 0);
        }
    }
}

static void wake(synth_voices *v, uint32_t instance, uint32_t island)
{
    synth_sleep *s = v->sleep;
    uint8_t *quiet = &s->quiet[(size_t)instance * s->islands + island];
    for (uint32_t i = s->body_begin[island];
         *quiet == SYNTH_ASLEEP && i < s->body_begin[island + 1]; i++)
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

bool synth_delay_is_stretched(const synth_layout *layout, const uint32_t *store, uint32_t line)
{
    synth_at at = {.store = (uint32_t *)store};
    synth_list links = synth_links_of(layout, &at, SYNTH_DELAY_LINE, line);
    bool is = false;
    for (uint32_t i = 0; i < links.length; i++) {
        uint32_t word = links.first + (i * SYNTH_LINK_WORDS + 2u) * links.stride;
        is |= SYNTH_LINK_PARAMETER(synth_word(&at, word)) == SYNTH_DELAY_SECONDS;
    }
    return is;
}

/* Number of quiet checks after which no echo is in transit: twice the longest delay, as it is now. */
static double echo_checks(const synth_sleep *s, const uint32_t *store)
{
    const synth_layout *layout = &s->program->layout;
    synth_at at = {.store = (uint32_t *)store};
    double longest = 0;
    for (uint32_t i = 0; i < layout->type[SYNTH_DELAY_LINE].count; i++) {
        synth_self me = synth_self_of(layout, SYNTH_DELAY_LINE, i);
        double seconds = synth_delay_is_stretched(layout, store, i)
                             ? SYNTH_LONGEST_DELAY
                             : (double)synth_value(&at, me, DELAY_P_SECONDS);
        longest = fmax(longest, seconds);
    }
    return SYNTH_QUIET + 2 * longest * SYNTH_CHECKS_A_SECOND;
}

void synth_sleep_check(synth_voices *v)
{
    synth_sleep *s = v->sleep;
    for (uint32_t i = 0; v->stores && i < v->instances; i++) {
        const uint32_t *store = v->stores + (size_t)i * v->program->layout.words;
        for (uint32_t island = 0; island < s->islands; island++) {
            uint8_t *quiet = &s->quiet[(size_t)i * s->islands + island];
            if (*quiet == SYNTH_ASLEEP) continue;
            *quiet = synth_sleep_is_quiet(s, island, store, v->looked) ? *quiet + 1 : 0;
            if (*quiet < s->enough[island] &&
                (*quiet < SYNTH_QUIET || *quiet < echo_checks(s, store)))
                continue;
            *quiet = SYNTH_ASLEEP;
            fall_asleep(v, i, island, store);
        }
    }
    if (v->stores) s->slot = v->looked / s->spacing + 1;
    v->stores = NULL;
    for (uint32_t island = 0; v->sounding && island < s->islands; island++)
        for (uint32_t i = 0; s->inputs[island] & v->sounding && i < v->instances; i++)
            wake(v, i, island);
    v->sounding = 0;
}

uint64_t synth_voices_inputs(const synth_voices *v, bool asleep)
{
    const synth_sleep *s = v->sleep;
    uint64_t inputs = 0;
    for (uint32_t island = 0; island < s->islands; island++)
        for (uint32_t i = 0; s->inputs[island] & ~inputs && i < v->instances; i++)
            if (!asleep || s->quiet[(size_t)i * s->islands + island] == SYNTH_ASLEEP)
                inputs |= s->inputs[island];
    return inputs;
}

void synth_voices_hear(synth_voices *v, uint64_t inputs) { v->sounding = inputs; }

bool synth_voices_needs_stores(const synth_voices *v) { return v->sleep->islands > 0; }

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
