/* The synth for JavaScript: an instrument, played block by block. A player owns its buffers;
 * JavaScript reads and writes them in the module's memory. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/math.h>
#include <heddle/synth.h>
#include <heddle/synth_file.h>

enum { MAX_EVENTS = 1024 };

typedef struct player {
    hed_synth_instrument *instrument;
    hed_synth *synth;
    hed_synth_event events[MAX_EVENTS]; /* (event_count) of the next block */
    uint32_t event_count, block, bodies, springs;
    double rate;         /* Hz */
    float *left, *right; /* (block) */
    float *input;        /* (block) sound of the one input channel */
    float *positions;    /* (bodies x 3) displacements from rest, m */
    float *rest;         /* (bodies x 3) rest positions, m */
    float *masses;       /* (bodies) kg; 0: anchored */
    uint32_t *ends;      /* (springs x 2) indices of bodies */
    char *saved;         /* text of the last hedw_synth_save() */
    size_t saved_size;
} player;

/* ---- opening ---- */

static void release_shape(player *p)
{
    free(p->positions);
    free(p->rest);
    free(p->masses);
    free(p->ends);
    p->positions = p->rest = p->masses = NULL;
    p->ends = NULL;
}

EXPORT void hedw_synth_close(player *p)
{
    if (!p) return;
    hed_synth_destroy(p->synth);
    hed_synth_instrument_destroy(p->instrument);
    release_shape(p);
    free(p->left);
    free(p->right);
    free(p->input);
    free(p->saved);
    free(p);
}

/* Index of a body among the bodies, whose numbers ascend. */
static uint32_t body_index(const hed_synth_instrument *instrument, hed_synth_entity body)
{
    uint32_t low = 0, high = hed_synth_instrument_count(instrument, HED_SYNTH_BODY);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (hed_synth_instrument_at(instrument, HED_SYNTH_BODY, middle) < body) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Copies the geometry of the instrument for display. */
static bool read_shape(player *p)
{
    release_shape(p);
    p->bodies = hed_synth_instrument_count(p->instrument, HED_SYNTH_BODY);
    p->springs = hed_synth_instrument_count(p->instrument, HED_SYNTH_SPRING);
    p->positions = module_allocate(3 * (size_t)p->bodies, sizeof *p->positions);
    p->rest = module_allocate(3 * (size_t)p->bodies, sizeof *p->rest);
    p->masses = module_allocate(p->bodies, sizeof *p->masses);
    p->ends = module_allocate(2 * (size_t)p->springs, sizeof *p->ends);
    if (module_error.status) return false;
    hed_synth_entity_def def;
    for (uint32_t i = 0; i < p->bodies; i++) {
        hed_synth_instrument_get(p->instrument,
            hed_synth_instrument_at(p->instrument, HED_SYNTH_BODY, i), &def, &module_error);
        memcpy(p->rest + 3 * (size_t)i, def.as.body.position, sizeof def.as.body.position);
        p->masses[i] = def.as.body.anchored ? 0 : def.as.body.mass;
    }
    for (uint32_t i = 0; i < p->springs; i++) {
        hed_synth_instrument_get(p->instrument,
            hed_synth_instrument_at(p->instrument, HED_SYNTH_SPRING, i), &def, &module_error);
        p->ends[2 * (size_t)i] = body_index(p->instrument, def.as.spring.from);
        p->ends[2 * (size_t)i + 1] = body_index(p->instrument, def.as.spring.to);
    }
    return !module_error.status;
}

static bool open_synth(player *p, double rate, bool strict, double seed)
{
    hed_synth_def def = hed_default_synth_def();
    hed_device *device = module_device();
    if (!device) return false;
    def.instrument = p->instrument;
    def.rate = rate;
    def.block = p->block;
    def.inputs = hed_synth_instrument_count(p->instrument, HED_SYNTH_AUDIO_INPUT) ? 1 : 0;
    def.max_events = MAX_EVENTS;
    def.math = strict ? HED_MATH_STRICT : HED_MATH_FAST;
    def.solver = HED_SYNTH_SOLVER_CPU;
    def.seed = (uint64_t)seed;
    return !hed_synth_create(device, &def, &p->synth, &module_error);
}

/* Opens an instrument file, JSON of `size` bytes. `rate` Hz; `block`: maximum number of frames of
 * hedw_synth_process(). NULL: error. */
EXPORT player *hedw_synth_open(
    const char *json, uint32_t size, double rate, uint32_t block, bool strict, double seed)
{
    player *p = module_allocate(1, sizeof *p);
    if (!p) return NULL;
    p->block = block;
    p->rate = rate;
    p->left = module_allocate(block, sizeof *p->left);
    p->right = module_allocate(block, sizeof *p->right);
    p->input = module_allocate(block, sizeof *p->input);
    if (!module_error.status)
        hed_synth_instrument_parse(json, size, "instrument", &p->instrument, &module_error);
    if (!module_error.status && open_synth(p, rate, strict, seed) && read_shape(p)) return p;
    hedw_synth_close(p);
    return NULL;
}

/* ---- playing ---- */

/* Adds an event to the next block; false: the block has too many. */
static bool queue_event(player *p, hed_synth_event event)
{
    if (p->event_count < MAX_EVENTS) {
        p->events[p->event_count++] = event;
        return true;
    }
    hed_fail(&module_error, HED_ERROR_LIMIT, "block has too many events; expected at most %d", MAX_EVENTS);
    return false;
}

EXPORT bool hedw_synth_midi(
    player *p, uint32_t frame, uint8_t status, uint8_t first, uint8_t second)
{
    return queue_event(
        p, (hed_synth_event){
               .frame = frame, .kind = HED_SYNTH_EVENT_MIDI, .bytes = {status, first, second}});
}

EXPORT bool hedw_synth_tempo(player *p, uint32_t frame, float quarters_per_minute)
{
    return queue_event(
        p, (hed_synth_event){
               .frame = frame, .kind = HED_SYNTH_EVENT_TEMPO, .value = quarters_per_minute});
}

/* Sets a control of the host, which MIDI sources of the kind "host" follow. */
EXPORT bool hedw_synth_host(player *p, uint32_t frame, uint32_t number, float value)
{
    return queue_event(
        p, (hed_synth_event){
               .frame = frame, .kind = HED_SYNTH_EVENT_HOST, .number = number, .value = value});
}

/* Sets a value of an entity until the next reset. */
EXPORT bool hedw_synth_set(player *p, uint32_t frame, uint32_t entity, uint32_t target, float value)
{
    return queue_event(p, (hed_synth_event){.frame = frame,
                              .kind = HED_SYNTH_EVENT_SET,
                              .entity = entity,
                              .target = (hed_synth_target)target,
                              .value = value});
}

EXPORT bool hedw_synth_process(player *p, uint32_t frames)
{
    const float *const inputs[] = {p->input};
    hed_synth_block block = {.frames = frames,
        .events = p->events,
        .event_count = p->event_count,
        .inputs = inputs,
        .left = p->left,
        .right = p->right};
    p->event_count = 0;
    return !hed_synth_process(p->synth, &block, &module_error);
}

EXPORT float *hedw_synth_left(player *p) { return p->left; }
EXPORT float *hedw_synth_right(player *p) { return p->right; }
EXPORT float *hedw_synth_input(player *p) { return p->input; }

EXPORT bool hedw_synth_reset(player *p)
{
    p->event_count = 0;
    return !hed_synth_reset(p->synth, &module_error);
}

/* ---- the instrument ---- */

EXPORT uint32_t hedw_synth_count(player *p, uint32_t type)
{
    return hed_synth_instrument_count(p->instrument, (hed_synth_entity_type)type);
}
EXPORT uint32_t hedw_synth_at(player *p, uint32_t type, uint32_t index)
{
    return hed_synth_instrument_at(p->instrument, (hed_synth_entity_type)type, index);
}
EXPORT uint32_t hedw_synth_find(player *p, const char *name)
{
    return hed_synth_instrument_find(p->instrument, name);
}
EXPORT const char *hedw_synth_name(player *p, uint32_t entity)
{
    return hed_synth_instrument_name(p->instrument, entity);
}
/* Name of an entity type; NULL after the last one. */
EXPORT const char *hedw_synth_type_name(uint32_t type)
{
    if (type >= HED_SYNTH_ENTITY_TYPE_COUNT) return NULL;
    return hed_synth_entity_type_name((hed_synth_entity_type)type);
}
/* Name of a target; NULL after the last one. */
EXPORT const char *hedw_synth_target_name(uint32_t target)
{
    return target < HED_SYNTH_TARGET_COUNT ? hed_synth_target_name((hed_synth_target)target) : NULL;
}
EXPORT const char *hedw_synth_macro(player *p, uint32_t macro)
{
    return hed_synth_instrument_macro(p->instrument, macro);
}

EXPORT float *hedw_synth_rest(player *p) { return p->rest; }
EXPORT float *hedw_synth_masses(player *p) { return p->masses; }
EXPORT uint32_t *hedw_synth_ends(player *p) { return p->ends; }

/* Reads the displacements of all bodies of an instance; NULL: error. */
EXPORT float *hedw_synth_positions(player *p, uint32_t instance)
{
    if (hed_synth_read_bodies(p->synth, instance, p->positions, NULL, &module_error)) return NULL;
    return p->positions;
}

/* ---- information ---- */

/* Numbers of hed_synth_info and of the instrument, in the order of `INFO` in package/synth.js. */
EXPORT double *hedw_synth_info(player *p)
{
    static double numbers[12];
    hed_synth_info info = hed_synth_describe(p->synth);
    const hed_synth_instrument_def *def = hed_synth_instrument_definition(p->instrument);
    const double values[] = {info.latency, info.instances, info.sounding, info.peak, info.reduction,
        info.breaks, info.asleep, info.islands, info.notes.low, info.notes.high, def->root_note,
        def->mode};
    _Static_assert(sizeof values == sizeof numbers, "a number for each value");
    memcpy(numbers, values, sizeof numbers);
    return numbers;
}

/* Computes the stability of another file at the player's rate: h^2 s^2 sum(k)/m of its worst body
 * (2 and less is safe), the index of this body, the number of bodies above 2, the largest dilation.
 * NULL: the file is refused. */
EXPORT double *hedw_synth_stability(player *p, const char *json, uint32_t size)
{
    static double numbers[4];
    hed_synth_instrument *instrument = NULL;
    hed_synth_stability stability;
    hed_synth_instrument_parse(json, size, "instrument", &instrument, &module_error);
    bool is_found = !module_error.status &&
                    !hed_synth_instrument_stability(instrument, p->rate, &stability, &module_error);
    if (is_found) {
        numbers[0] = stability.worst;
        numbers[1] = body_index(instrument, stability.body);
        numbers[2] = stability.unsafe;
        numbers[3] = stability.largest_dilation;
    }
    hed_synth_instrument_destroy(instrument);
    return is_found ? numbers : NULL;
}

/* ---- changes while it sounds ---- */

/* Continues with another instrument; entities of the same number keep their state. Takes ownership
 * of it. */
static bool change_to(player *p, hed_synth_instrument *instrument)
{
    hed_synth_change *change = NULL;
    bool is_applied = !module_error.status &&
                      !hed_synth_prepare(p->synth, instrument, &change, &module_error) &&
                      !hed_synth_apply(p->synth, change, &module_error);
    hed_synth_change_destroy(change);
    hed_synth_instrument_destroy(is_applied ? p->instrument : instrument);
    if (!is_applied) return false;
    p->instrument = instrument;
    return read_shape(p);
}

/* Continues with the instrument of another file. */
EXPORT bool hedw_synth_change(player *p, const char *json, uint32_t size)
{
    hed_synth_instrument *instrument = NULL;
    if (hed_synth_instrument_parse(json, size, "instrument", &instrument, &module_error)) return false;
    return change_to(p, instrument);
}

/* Multiplies the stiffness of every spring by a factor. */
EXPORT bool hedw_synth_stiffen(player *p, float factor)
{
    hed_synth_instrument *copy = NULL;
    if (hed_synth_instrument_copy(p->instrument, &copy, &module_error)) return false;
    for (uint32_t i = 0; i < p->springs && !module_error.status; i++) {
        hed_synth_entity_def def;
        hed_synth_entity spring = hed_synth_instrument_at(copy, HED_SYNTH_SPRING, i);
        hed_synth_instrument_get(copy, spring, &def, &module_error);
        def.as.spring.stiffness *= factor;
        hed_synth_instrument_set(copy, spring, &def, &module_error);
    }
    return change_to(p, copy);
}

/* Moves the rest position of body `index`, m. */
EXPORT bool hedw_synth_move(player *p, uint32_t index, float x, float y, float z)
{
    hed_synth_instrument *copy = NULL;
    hed_synth_entity_def def;
    if (hed_synth_instrument_copy(p->instrument, &copy, &module_error)) return false;
    hed_synth_entity body = hed_synth_instrument_at(copy, HED_SYNTH_BODY, index);
    if (!hed_synth_instrument_get(copy, body, &def, &module_error)) {
        def.as.body.position[0] = x;
        def.as.body.position[1] = y;
        def.as.body.position[2] = z;
        hed_synth_instrument_set(copy, body, &def, &module_error);
    }
    return change_to(p, copy);
}

/* Writes the text of the instrument's file, hedw_synth_saved_size() bytes, which the player owns;
 * NULL: error. */
EXPORT const char *hedw_synth_save(player *p)
{
    free(p->saved);
    p->saved = NULL;
    hed_synth_instrument_print(p->instrument, &p->saved, &p->saved_size, &module_error);
    return p->saved;
}

EXPORT uint32_t hedw_synth_saved_size(player *p) { return (uint32_t)p->saved_size; }
