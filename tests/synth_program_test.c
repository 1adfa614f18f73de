/* An instrument as a program: every entity has its seat, lists and rows hold what they must,
 * parameters are found again with the bits they were made with, stores are carried over, and any
 * allocation may fail. */
#include "testing.h"

#include <math.h>

#include "solver/group/group_kernels.h"
#include "tables/synth_program.h"

static hed_error error;

static hed_synth_instrument *sample(uint32_t bodies)
{
    hed_synth_instrument *instrument;
    OK(synth_sample_instrument(bodies, &instrument, &error));
    return instrument;
}

static synth_program *program_of(
    const hed_synth_instrument *instrument, uint32_t warps, uint32_t lanes, hed_pack_method pack)
{
    hed_allocator allocator = hed_default_allocator();
    synth_program_def def = {.instrument = instrument, .rate = 48000.0, .seed = 7, .warps = warps,
        .lanes = lanes, .pack = pack, .inputs = 1};
    synth_program *program;
    OK(synth_program_create(&allocator, &def, &program, &error));
    return program;
}

/* ---- seats, rows ---- */

static void expect_all_seated(const synth_program *p)
{
    const synth_layout *l = &p->layout;
    uint32_t *seen[SYNTH_TYPES], count = p->image[l->row_begin + l->warps];
    for (uint32_t type = 0; type < SYNTH_TYPES; type++)
        seen[type] = calloc(l->type[type].count + 1, sizeof(uint32_t));
    CHECK_EQ(l->rows + count * l->lanes, l->words, "rows are the last in the store");
    for (uint32_t i = 0; i < count * l->lanes; i++) {
        uint32_t seat = p->image[l->rows + i];
        if (seat == SYNTH_EMPTY) continue;
        CHECK_LT(SYNTH_SEAT_ENTITY(seat), l->type[SYNTH_SEAT_TYPE(seat)].count);
        seen[SYNTH_SEAT_TYPE(seat)][SYNTH_SEAT_ENTITY(seat)]++;
    }
    for (uint32_t type = 0; type < SYNTH_TYPES; type++) {
        for (uint32_t i = 0; i < l->type[type].count; i++) {
            uint32_t expected = type == SYNTH_SPRING ? i < l->type[type].modulated
                                : type == SYNTH_BOW  ? 0 /* steps late */
                                                     : 1;
            CHECK_EQ(
                seen[type][i], expected, "type %u element %u has %u seats", type, i, seen[type][i]);
        }
        free(seen[type]);
    }
}

Test(synth_program, every_entity_has_one_seat)
{
    for (uint32_t bodies = 1; bodies < 200; bodies += 33) {
        hed_synth_instrument *instrument = sample(bodies);
        for (uint32_t method = 0; method < HED_PACK_METHOD_COUNT; method++) {
            synth_program *p =
                program_of(instrument, 1 + bodies % 8, 8u << bodies % 3, (hed_pack_method)method);
            expect_all_seated(p);
            synth_program_destroy(p);
        }
        hed_synth_instrument_destroy(instrument);
    }
}

Test(synth_program, modulated_ones_come_first)
{
    hed_synth_instrument *instrument = sample(20);
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS);
    CHECK_EQ(p->layout.type[SYNTH_BODY].modulated, 1);
    CHECK_EQ(p->entities[SYNTH_BODY][0],
        hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 19 * 3 / 7));
    for (uint32_t i = 2; i < 20; i++)
        CHECK_LT(p->entities[SYNTH_BODY][i - 1], p->entities[SYNTH_BODY][i]);
    CHECK_EQ(p->layout.type[SYNTH_MALLET].count, 2, "a contact for each body");
    CHECK_EQ(p->layout.type[SYNTH_MALLET].modulated, 2);
    CHECK_EQ(p->layout.type[SYNTH_AUDIO_INPUT].count, 3);
    CHECK_EQ(p->layout.type[SYNTH_EAR].count, 4, "two microphones of 20 bodies");
    CHECK_EQ(p->layout.stems, 1);
    CHECK_EQ(p->stems[0], hed_synth_instrument_at(instrument, HED_SYNTH_MICROPHONE, 0));
    synth_program_destroy(p);
    hed_synth_instrument_destroy(instrument);
}

/* ---- lists ---- */

static uint32_t entry(const synth_program *p, uint32_t list, uint32_t count, uint32_t element,
    uint32_t words, uint32_t index, uint32_t word)
{
    return p->image[p->image[list + element] + (index * words + word) * SYNTH_STRIDE(count)];
}

/* In the last 12 bits of their addresses, for a processor compares these: two cache lines at the
 * least. */
Test(synth_program, what_vectors_read_is_far_from_what_they_write)
{
    const uint32_t sizes[] = {300, 512, 1000, 1024, 1100, 2048};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hed_synth_instrument *instrument = sample(sizes[i]);
        hed_allocator allocator = hed_default_allocator();
        synth_program_def def = {.instrument = instrument, .rate = 48000.0, .warps = 1, .lanes = 32,
            .inputs = 1, .vectors = true};
        synth_program *p;
        OK(synth_program_create(&allocator, &def, &p, &error));
        for (int field = 1 - BODY_SIGNALS; field < BODY_SIGNALS; field++) {
            uint32_t apart = (p->layout.signal_count + (uint32_t)field * sizes[i]) % 1024;
            EXPECT(apart >= 32 && apart <= 1024 - 32,
                "%u bodies: fields %d apart are %u words apart", sizes[i], field, apart);
        }
        synth_program_destroy(p);
        hed_synth_instrument_destroy(instrument);
    }
}

Test(synth_program, both_ends_of_a_spring_know_it)
{
    hed_synth_instrument *instrument = sample(70);
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS);
    uint32_t list = p->layout.type[SYNTH_BODY].list, bodies = p->layout.type[SYNTH_BODY].count,
             ends = 0;
    for (uint32_t body = 0; body < bodies; body++) {
        uint32_t length = p->image[list + bodies + body];
        if (p->image[synth_parameter_word(&p->layout, SYNTH_BODY, BODY_P_WEIGHT, body)] == 0)
            CHECK_EQ(length, 0, "an anchor needs no force");
        for (uint32_t i = 0; i < length; i++) {
            uint32_t other = entry(p, list, bodies, body, SYNTH_SPRING_WORDS, i, 0),
                     spring = entry(p, list, bodies, body, SYNTH_SPRING_WORDS, i, 1);
            hed_synth_entity_def def;
            OK(hed_synth_instrument_get(
                instrument, p->entities[SYNTH_SPRING][spring & SYNTH_SPRING_INDEX], &def, &error));
            bool reversed = spring & SYNTH_SPRING_REVERSED;
            CHECK_EQ(
                p->entities[SYNTH_BODY][body], reversed ? def.as.spring.to : def.as.spring.from);
            CHECK_EQ(
                p->entities[SYNTH_BODY][other], reversed ? def.as.spring.from : def.as.spring.to);
            ends++;
        }
    }
    CHECK_EQ(ends, 2 * 69 - 2);
    synth_program_destroy(p);
    hed_synth_instrument_destroy(instrument);
}

/* ---- parameters ---- */

/* Setting what a definition says gives the words of the image. */
static void expect_image(
    const synth_program *p, hed_synth_entity entity, hed_synth_target target, float value)
{
    synth_poke pokes[64];
    uint32_t count = synth_program_set(p, entity, target, value, pokes, 64);
    CHECK_GT(count, 0, "%s is not there", hed_synth_target_name(target));
    for (uint32_t i = 0; i < count; i++) {
        float kept = hed_as_float(p->image[pokes[i].word]), set = hed_as_float(pokes[i].value);
        CHECK(fabsf(kept - set) <= 1e-6f * fabsf(kept), "%s: %.9g, made with %.9g",
            hed_synth_target_name(target), set, kept);
    }
}

static hed_synth_entity first(
    const hed_synth_instrument *instrument, hed_synth_entity_type type, hed_synth_entity_def *def)
{
    hed_synth_entity entity = hed_synth_instrument_at(instrument, type, 0);
    OK(hed_synth_instrument_get(instrument, entity, def, &error));
    return entity;
}

Test(synth_program, parameters_are_where_they_were_made)
{
    hed_synth_instrument *instrument = sample(9);
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS);
    hed_synth_entity_def d;
    hed_synth_entity e = first(instrument, HED_SYNTH_SPRING, &d);
    expect_image(p, e, HED_SYNTH_TARGET_STIFFNESS, d.as.spring.stiffness);
    expect_image(p, e, HED_SYNTH_TARGET_REST_LENGTH, d.as.spring.rest_length);
    expect_image(p, e, HED_SYNTH_TARGET_DAMPING, d.as.spring.damping);
    hed_synth_entity body = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 4);
    OK(hed_synth_instrument_get(instrument, body, &d, &error));
    expect_image(p, body, HED_SYNTH_TARGET_MASS, d.as.body.mass);
    expect_image(p, body, HED_SYNTH_TARGET_DAMPING, d.as.body.damping);
    e = first(instrument, HED_SYNTH_MICROPHONE, &d);
    expect_image(p, e, HED_SYNTH_TARGET_POSITION_Y, d.as.microphone.position[1]);
    expect_image(p, e, HED_SYNTH_TARGET_GAIN, d.as.microphone.gain);
    expect_image(p, e, HED_SYNTH_TARGET_PAN, d.as.microphone.pan);
    expect_image(p, e, HED_SYNTH_TARGET_ISOTROPY, d.as.microphone.isotropy);
    expect_image(p, e, HED_SYNTH_TARGET_DIRECTIONALITY, d.as.microphone.directionality);
    expect_image(p, e, HED_SYNTH_TARGET_ROTATION, 0.0f);
    e = first(instrument, HED_SYNTH_MALLET, &d);
    expect_image(p, e, HED_SYNTH_TARGET_IMPULSE, d.as.mallet.impulse);
    expect_image(p, e, HED_SYNTH_TARGET_HARDNESS, d.as.mallet.hardness_hard);
    expect_image(p, e, HED_SYNTH_TARGET_NOISE, d.as.mallet.noise);
    e = first(instrument, HED_SYNTH_PLECTRUM, &d);
    expect_image(p, e, HED_SYNTH_TARGET_DISTANCE, d.as.plectrum.distance);
    expect_image(p, e, HED_SYNTH_TARGET_DURATION, d.as.plectrum.duration);
    e = first(instrument, HED_SYNTH_BOW, &d);
    expect_image(p, e, HED_SYNTH_TARGET_DRAW_VELOCITY, d.as.bow.draw_velocity);
    expect_image(p, e, HED_SYNTH_TARGET_ROSIN_STICTION, d.as.bow.stiction);
    expect_image(p, e, HED_SYNTH_TARGET_ROSIN_DROPOFF, d.as.bow.dropoff);
    e = first(instrument, HED_SYNTH_OSCILLATOR, &d);
    expect_image(p, e, HED_SYNTH_TARGET_PULSE_WIDTH, d.as.oscillator.pulse_width);
    expect_image(p, e, HED_SYNTH_TARGET_GAIN, d.as.oscillator.gain);
    e = first(instrument, HED_SYNTH_LFO, &d);
    expect_image(p, e, HED_SYNTH_TARGET_FREQUENCY, d.as.lfo.frequency);
    expect_image(p, e, HED_SYNTH_TARGET_DEPTH, d.as.lfo.depth);
    e = first(instrument, HED_SYNTH_MIDI_SOURCE, &d);
    expect_image(p, e, HED_SYNTH_TARGET_SMOOTHING, d.as.midi_source.smoothing);
    e = first(instrument, HED_SYNTH_DELAY_LINE, &d);
    expect_image(p, e, HED_SYNTH_TARGET_DELAY, d.as.delay_line.seconds);
    expect_image(p, e, HED_SYNTH_TARGET_GAIN, d.as.delay_line.gain);
    synth_program_destroy(p);
    hed_synth_instrument_destroy(instrument);
}

/* Every parameter that a type has can be set, but for those that say why not. */
Test(synth_program, what_modulation_reaches_can_be_set)
{
    hed_synth_instrument *instrument = sample(9);
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS);
    synth_poke pokes[64];
    for (uint32_t type = 0; type < HED_SYNTH_ENTITY_TYPE_COUNT; type++) {
        hed_synth_entity entity = hed_synth_instrument_at(
            instrument, (hed_synth_entity_type)type, type == HED_SYNTH_BODY ? 4 : 0);
        for (uint32_t k = 0; k < HED_SYNTH_TARGET_COUNT; k++) {
            bool has = hed_synth_target_of((hed_synth_entity_type)type, (hed_synth_target)k);
            bool place = type == HED_SYNTH_BODY && k >= HED_SYNTH_TARGET_POSITION_X &&
                         k <= HED_SYNTH_TARGET_POSITION_Z;
            CHECK_EQ(synth_program_set(p, entity, (hed_synth_target)k, 0.5f, pokes, 64) > 0,
                has && !place, "%s of %s", hed_synth_target_name((hed_synth_target)k),
                hed_synth_entity_type_name((hed_synth_entity_type)type));
        }
    }
    /* An anchor can be put somewhere else, in both halves; not its mass. */
    hed_synth_entity anchor = hed_synth_instrument_at(instrument, HED_SYNTH_BODY, 8);
    CHECK_EQ(synth_program_set(p, anchor, HED_SYNTH_TARGET_POSITION_Y, 0.25f, pokes, 64), 2);
    CHECK_EQ(hed_as_float(pokes[0].value), 0.25f);
    CHECK_EQ(pokes[1].word - pokes[0].word, p->layout.signal_count);
    CHECK_EQ(synth_program_set(p, anchor, HED_SYNTH_TARGET_MASS, 1.0f, pokes, 64), 0);
    CHECK_EQ(synth_program_set(p, 100000, HED_SYNTH_TARGET_MASS, 1.0f, pokes, 64), 0);
    synth_program_destroy(p);
    hed_synth_instrument_destroy(instrument);
}

/* ---- carrying over ---- */

/* A store in which every word of state and signals is different. */
static uint32_t *busy_store(const synth_program *p)
{
    uint32_t *store = malloc(p->layout.words * sizeof *store);
    memcpy(store, p->image, p->layout.words * sizeof *store);
    for (uint32_t i = 0; i < p->layout.gates * SYNTH_GATE_WORDS; i++)
        store[SYNTH_FIRST_GATE + i] = 3 + i;
    for (uint32_t i = p->layout.type[0].state; i < p->layout.signals + 2 * p->layout.signal_count;
         i++)
        store[i] = 1000 + i;
    return store;
}

static float *busy_delay(const synth_program *p)
{
    float *delay = malloc(p->layout.delay_words * sizeof *delay);
    for (uint32_t i = 0; i < p->layout.delay_words; i++) delay[i] = (float)i;
    return delay;
}

Test(synth_program, the_same_program_carries_everything)
{
    hed_synth_instrument *instrument = sample(40);
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS),
                  *q = program_of(instrument, 2, 8, HED_PACK_GREEDY);
    uint32_t *old = busy_store(p), *store = malloc(q->layout.words * sizeof *store);
    float *old_delay = busy_delay(p), *delay = malloc(q->layout.delay_words * sizeof *delay);
    synth_program_carry(p, old, old_delay, q, store, delay);
    uint32_t mutable_words = p->layout.signals + 2 * p->layout.signal_count;
    CHECK_EQ(mutable_words, q->layout.signals + 2 * q->layout.signal_count);
    for (uint32_t i = 0; i < mutable_words; i++) CHECK_EQ(store[i], old[i], "word %u", i);
    CHECK_EQ(memcmp(delay, old_delay, p->layout.delay_words * sizeof *delay), 0);
    free(old), free(store), free(old_delay), free(delay);
    synth_program_destroy(p), synth_program_destroy(q);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_program, what_is_new_is_at_rest_and_hears_no_old_note)
{
    hed_synth_instrument *instrument = sample(40), *changed;
    OK(hed_synth_instrument_copy(instrument, &changed, &error));
    OK(hed_synth_instrument_remove(
        changed, hed_synth_instrument_at(changed, HED_SYNTH_BODY, 5), &error));
    hed_synth_entity_def mallet = hed_default_synth_entity_def(HED_SYNTH_MALLET),
                         lfo = hed_default_synth_entity_def(HED_SYNTH_LFO);
    hed_synth_entity added, modulator, body = hed_synth_instrument_at(changed, HED_SYNTH_BODY, 12);
    OK(hed_synth_instrument_add(changed, &mallet, NULL, &added, &error));
    OK(hed_synth_instrument_link(changed, added, body, 1.0f, &error));
    OK(hed_synth_instrument_add(changed, &lfo, NULL, &modulator, &error));
    OK(hed_synth_instrument_modulate(changed,
        &(hed_synth_modulation_def){
            modulator, body, HED_SYNTH_TARGET_DAMPING, HED_SYNTH_MODULATE_ADD, 1.0f, false},
        &error));
    synth_program *p = program_of(instrument, 4, 32, HED_PACK_ROWS),
                  *q = program_of(changed, 4, 32, HED_PACK_ROWS);
    uint32_t *old = busy_store(p), *store = malloc(q->layout.words * sizeof *store);
    float *old_delay = busy_delay(p), *delay = malloc(q->layout.delay_words * sizeof *delay);
    synth_program_carry(p, old, old_delay, q, store, delay);
    for (uint32_t i = 0; i < q->layout.type[SYNTH_BODY].count; i++) {
        hed_synth_entity entity = q->entities[SYNTH_BODY][i];
        uint32_t was = SYNTH_SEAT_ENTITY(p->seats[entity]);
        for (uint32_t half = 0; half < 2; half++)
            for (uint32_t field = 0; field < BODY_SIGNALS; field++)
                CHECK_EQ(store[q->layout.signals + half * q->layout.signal_count +
                               synth_signal(&q->layout, SYNTH_BODY, field, i)],
                    old[p->layout.signals + half * p->layout.signal_count +
                        synth_signal(&p->layout, SYNTH_BODY, field, was)]);
    }
    uint32_t seat = SYNTH_SEAT_ENTITY(q->seats[added]);
    uint32_t gate = store[synth_parameter_word(&q->layout, SYNTH_MALLET, CONTACT_P_GATE, seat)];
    CHECK_GT(store[gate + SYNTH_GATE_COUNT], 0);
    CHECK_EQ(store[synth_state_word(&q->layout, SYNTH_MALLET, MALLET_S_SEEN, seat)],
        store[gate + SYNTH_GATE_COUNT]);
    CHECK_EQ(store[synth_state_word(&q->layout, SYNTH_MALLET, MALLET_S_ACTIVE, seat)], 0);
    free(old), free(store), free(old_delay), free(delay);
    synth_program_destroy(p), synth_program_destroy(q);
    hed_synth_instrument_destroy(instrument), hed_synth_instrument_destroy(changed);
}

/* ---- errors ---- */

Test(synth_program, unstable_instruments_are_refused_by_name)
{
    hed_synth_instrument *instrument;
    hed_synth_entity_def body = hed_default_synth_entity_def(HED_SYNTH_BODY),
                         spring = hed_default_synth_entity_def(HED_SYNTH_SPRING);
    hed_allocator allocator = hed_default_allocator();
    synth_program *program;
    OK(hed_synth_instrument_create(NULL, NULL, &instrument, &error));
    OK(hed_synth_instrument_add(instrument, &body, "peg", &spring.as.spring.from, &error));
    body.as.body.position[0] = 0.1f;
    OK(hed_synth_instrument_add(instrument, &body, "wild", &spring.as.spring.to, &error));
    spring.as.spring.stiffness = 1e9f;
    OK(hed_synth_instrument_add(instrument, &spring, NULL, &(hed_synth_entity){0}, &error));
    synth_program_def def = {
        .instrument = instrument, .rate = 48000.0, .warps = 1, .lanes = 32, .pack = HED_PACK_ROWS};
    FAILS(HED_ERROR_ARGUMENT, synth_program_create(&allocator, &def, &program, &error));
    CHECK(strstr(error.text, "peg") || strstr(error.text, "wild"), "%s", error.text);
    hed_synth_instrument_destroy(instrument);
}

Test(synth_program, any_allocation_may_fail)
{
    hed_synth_instrument *instrument = sample(20);
    for (int64_t n = 1;; n++) {
        test_allocator counting = {.fail_at = n};
        hed_allocator allocator = test_allocator_of(&counting);
        synth_program_def def = {.instrument = instrument, .rate = 48000.0, .warps = 4, .lanes = 32,
            .pack = HED_PACK_ROWS};
        synth_program *program;
        hed_error_clear(&error);
        hed_status status = synth_program_create(&allocator, &def, &program, &error);
        if (!status) synth_program_destroy(program);
        CHECK_EQ(counting.live, 0);
        CHECK_EQ(counting.bytes, 0);
        if (!status) {
            EXPECT_GT(n, 4);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY, "allocation %d: %s", (int)n, error.text);
        CHECK_NULL(program);
    }
    hed_synth_instrument_destroy(instrument);
}

/* A launch of a sample gives each group `words` of local memory. */
Test(synth_program, samples_have_words_for_their_programs)
{
    for (uint32_t k = 0; k < hed_synth_kernel_count(); k++) {
        const hed_kernel_def *def = hed_synth_kernel_at(k);
        for (uint32_t i = 0; i <= def->sample.count; i++) {
            const hed_problem *problem =
                i < def->sample.count ? &def->sample.problems[i] : &def->sample.benchmark;
            hed_config config = hed_config_default(def);
            uint64_t bytes =
                def->sample.bytes(def, &config, problem, HED_ROW(synth_store_view, stores));
            EXPECT_GE(4 * (uint64_t)(problem->sizes[SYNTH_STORE_INSTANCES] *
                                     problem->sizes[SYNTH_STORE_WORDS]),
                bytes, "%s, problem %u", def->name, i);
        }
    }
}
