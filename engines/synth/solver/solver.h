/* Internals of hed_synth: voices.c converts events to pokes, a solver runs the program, mix.c
 * makes sound of the stems. synth.c owns them. */
#ifndef SYNTH_SOLVER_H
#define SYNTH_SOLVER_H

#include "kernels/physics_store.h"
#include "solver/resample.h"
#include "tables/synth_program.h"
#include "voices/voices.h"

/* Arguments of a run. */
typedef struct synth_run {
    uint64_t sample; /* number of the first frame */
    uint32_t frames;
    /* (poke_begin[instances]) pokes of instance i begin at poke_begin[i], in order of frame */
    const synth_poke *pokes;
    const uint32_t *poke_begin; /* (instances + 1) */
    const float *const *inputs; /* (def.inputs) each (frames), or NULL */
    float *stems;               /* output, (frames x instances x stems x 2): left, right */
} synth_run;

typedef struct synth_solver synth_solver; /* a solver's own state */

/* Functions of a solver. valid() and create() find the program in synth->program and the
 * instrument in synth->def.instrument; they must not keep `synth`, and create() may be called
 * while another thread plays in synth->stream. */
typedef struct synth_solver_ops {
    hed_synth_solver id;
    /* True if the solver can run this instrument on this device; else writes the reason. */
    bool (*valid)(const hed_synth *synth, char *reason, size_t size);
    /* Creates a solver with the program at rest; `program` must outlive it. */
    hed_status (*create)(const hed_synth *synth, const synth_program *program,
        synth_solver **solver, hed_error *error);
    void (*destroy)(synth_solver *solver);
    hed_status (*run)(synth_solver *solver, const synth_run *run, hed_error *error);
    /* Copy all instances' stores and delay memories: (instances x words), (instances x
     * delay_words). `delays` NULL: stores alone, at least the words before the lists. write()
     * with NULL for both resets everything to the program's image, delay memories to 0. */
    hed_status (*read)(synth_solver *solver, uint32_t *stores, float *delays, hed_error *error);
    hed_status (*write)(
        synth_solver *solver, const uint32_t *stores, const float *delays, hed_error *error);
    /* Returns all instances' stores in place, if they are in host memory; NULL: use read(). */
    const uint32_t *(*stores)(const synth_solver *solver);
    /* Resets one instance. NULL for solvers of a single instance: use write(). */
    hed_status (*rest)(synth_solver *solver, uint32_t instance, hed_error *error);
    void (*report)(const synth_solver *solver, hed_synth_info *report);
    /* Functions of the grid, whose bodies are not in its stores; NULL for the other solvers.
     * bodies() returns positions and velocities as hed_synth_read_bodies(). carry() copies the
     * state of bodies that another solver has, too, and is called after write(). */
    hed_status (*bodies)(
        synth_solver *solver, float *positions, float *velocities, hed_error *error);
    hed_status (*carry)(synth_solver *solver, synth_solver *from, hed_error *error);
} synth_solver_ops;

extern const synth_solver_ops synth_cpu_ops;    /* synth_cpu.c: HED_SYNTH_SOLVER_CPU */
extern const synth_solver_ops synth_group_ops;  /* group.c: HED_SYNTH_SOLVER_GROUP */
extern const synth_solver_ops synth_global_ops; /* group.c: HED_SYNTH_SOLVER_GLOBAL */
extern const synth_solver_ops synth_grid_ops;   /* grid.c: HED_SYNTH_SOLVER_GRID */
/* True if a grid's groups exchange packets on a device; else each sample is a launch. */
bool synth_grid_has_packets(const hed_device_info *info);

/* Makes the program of an instrument, laid out for a device and def->solver, with `items` in a
 * work-group (0: by rule). Errors: as synth_program_create. */
hed_status synth_make_program(const hed_allocator *allocator, hed_device *device,
    const hed_synth_def *def, uint32_t items, const hed_synth_instrument *instrument,
    synth_program **program, hed_error *error);

/* Waits for a stream, even after an error, because copies use the caller's memory. Returns the
 * status of `error`. */
static inline hed_status synth_wait(hed_stream *stream, hed_error *error)
{
    hed_stream_wait(stream, error->status ? NULL : error);
    return error->status;
}

/* ---- awake.c: keeps a device awake between blocks (hed_synth_def.keep_awake) ---- */

typedef struct synth_awake synth_awake;

/* Creates a spinning warp. `block_ns`: time between blocks. Errors: UNSUPPORTED (the device has
 * no clock that kernels can read), and hed_kernel_create()'s. */
hed_status synth_awake_create(const hed_allocator *allocator, hed_device *device, uint64_t block_ns,
    synth_awake **awake, hed_error *error);
/* Makes the device spin for one more block from now on. Thread class: owner. */
hed_status synth_awake_extend(synth_awake *awake, hed_error *error);
/* Destroys a warp after waiting for its end. NULL is allowed. */
void synth_awake_destroy(synth_awake *awake);
extern const hed_kernel_def synth_awake_def;

/* True if a synth of this solver needs memory for copies of stores. */
static inline bool synth_needs_copy(const synth_solver_ops *ops, const synth_voices *voices)
{
    return !ops->stores && synth_voices_needs_stores(voices);
}

/* ---- mix.c: stems to sound. A plain value; allocates nothing ---- */

/* Sum over instances (outer) and stems, in order; breaker; master gain; conversion to frames;
 * limiter with look-ahead; never above full scale. Times are in samples, so that sound does not
 * depend on the block. */
typedef struct synth_mix synth_mix;
/* Memory for the next frames of sound; writing a frame advances it. */
typedef struct synth_mix_out {
    float *left, *right;
    uint32_t frames; /* frames until the end of the block */
} synth_mix_out;
typedef enum synth_mix_kind {
    SYNTH_MIX_WHOLE, /* mix of a synth without layers */
    SYNTH_MIX_LAYER, /* mix of a layer: without a limiter, and without its latency */
    SYNTH_MIX_SUM,   /* limiter of several layers' sound */
} synth_mix_kind;
/* Creates a mix of stems at `rate`. `filter` NULL: each sample is a frame; else it must outlive the
 * mix. Errors: MEMORY. */
hed_status synth_mix_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    double rate, const synth_filter *filter, synth_mix_kind kind, synth_mix **mix,
    hed_error *error);
/* Limits the summed frames of layers, in place: for SYNTH_MIX_SUM. Thread class: rt. */
void synth_mix_limit(synth_mix *mix, float *left, float *right, uint32_t frames);
void synth_mix_destroy(synth_mix *mix);
void synth_mix_reset(synth_mix *mix);
/* Adopts gain and limiter of a changed instrument; the gain changes gradually. Thread class: rt */
void synth_mix_adopt(synth_mix *mix, const hed_synth_instrument_def *def);
/* Mixes stems; returns the number of samples that sound. Fewer than `samples`: the breaker opened
 * after them (NaN, runaway energy) and the rest is silent. The caller then resets the synth and
 * does not run it for synth_mix_resting() samples, in which `stems` is NULL; then sound fades
 * in. A caller that passes at most SYNTH_MIX_HOLD samples at a time, and no samples across the end
 * of a rest, gets equal sound for every block size. `out` receives the frames that begin in these
 * samples. Thread class: rt. */
enum { SYNTH_MIX_HOLD = 4800 };
uint32_t synth_mix_run(synth_mix *mix, const float *stems, uint32_t instances, uint32_t stem_count,
    uint32_t samples, synth_mix_out *out);
/* Writes the frames that begin before the next sample, of which the last call had no more to write,
 * after so many samples and frames from one time on; only with a filter. Thread class: rt. */
void synth_mix_resume(synth_mix *mix, uint64_t samples, uint64_t frames, synth_mix_out *out);
/* samples of rest left; 0: the synth plays. Thread class: rt */
uint32_t synth_mix_resting(const synth_mix *mix);
/* Cuts off the instances of these bits after the last frame: their last sample fades out. Thread
 * class: rt. */
void synth_mix_cut(synth_mix *mix, uint64_t instances);
/* Fades an instance out from `frame` of the next run on, over 20 ms. Thread class: rt. */
void synth_mix_fade(synth_mix *mix, uint32_t instance, uint32_t frame);
/* Adds an instance to the sum from a frame of the next call on; from the beginning the sum has the
 * instances of voices, and no spare ones. Thread class: rt. */
void synth_mix_open(synth_mix *mix, uint32_t instance, uint32_t frame);
/* Returns the loudness of each instance, full scale 1: its peak, which falls to 1/e in 25 ms.
 * Thread class: rt. */
const float *synth_mix_loudness(const synth_mix *mix);
void synth_mix_report(const synth_mix *mix, hed_synth_info *report);
/* Returns the frames by which output is delayed: look-ahead and filter. */
uint32_t synth_mix_latency(const synth_mix *mix);

/* ---- rates.c: synths whose samples are not frames ---- */

#define SYNTH_LOWEST_RATE 1000.0 /* Hz */
#define SYNTH_HIGHEST_RATE 768000.0

/* Inputs and events of a block at samples. */
typedef struct synth_rates synth_rates;

/* Returns the ratio for a rate: samples have the rate itself from 44.1 to 53 kHz, else 44.1 to 48 kHz,
 * or 48 to 53 kHz if the instrument is not stable there. One that is stable at neither gets the whole
 * number of samples a frame that reaches 48 kHz. */
synth_ratio synth_choose_ratio(const hed_synth_instrument *instrument, double rate);
/* Makes the memory for a ratio; `def` as the user gave it. Errors: MEMORY; destroy the rates after a
 * failure too. */
hed_status synth_rates_create(const hed_allocator *allocator, const hed_synth_def *def,
    synth_ratio ratio, synth_rates **rates, hed_error *error);
/* Destroys rates. NULL is allowed, also in the next two functions. */
void synth_rates_destroy(synth_rates *rates);
void synth_rates_reset(synth_rates *rates);
const synth_filter *synth_rates_filter(const synth_rates *rates);
/* Return the largest numbers of samples and of events that the solver gets at once. */
uint32_t synth_rates_samples(const synth_rates *rates);
uint32_t synth_rates_events(const synth_rates *rates);
/* A piece of a block, whose frames, events and inputs count samples, perhaps none; the outputs are the
 * block's. */
typedef struct synth_piece {
    uint32_t end, events; /* frames and events of the block up to the end of the piece */
    hed_synth_block block;
} synth_piece;
/* Makes the next piece of a checked block; before the first the piece is zero. False: no frame is
 * left. Thread class: rt. */
bool synth_rates_next(synth_rates *rates, const hed_synth_block *block, synth_piece *piece);

typedef struct synth_layers synth_layers;

struct hed_synth {
    hed_allocator allocator;
    hed_device *device;
    hed_stream *stream;
    bool own_stream;
    /* the solver's: rate and block are of samples. `instrument` is NULL except during a solver's
     * valid() and create() */
    hed_synth_def def;
    synth_ratio ratio;
    uint32_t block;     /* largest number of frames of hed_synth_process() */
    uint32_t written;   /* frames of the present block so far */
    uint32_t frames;    /* frames of the present block */
    synth_rates *rates; /* NULL: samples are frames */
    hed_synth_instrument_def instrument;
    synth_program *program;
    const synth_solver_ops *ops;
    synth_solver *solver;
    synth_voices *voices;
    synth_mix *mix;
    synth_awake *awake; /* NULL: not requested, or the kernel is resident */
    /* (instances x words) copies for synth_voices_look(); NULL: the stores are in host memory */
    uint32_t *stores;
    uint64_t store_words;
    float *stems; /* (def.block x instances x stems x 2) */
    uint64_t stem_floats;
    synth_converter *stem_converter; /* converter of 2 x stems channels; NULL: samples are frames */
    hed_synth_event *events;         /* (max_events) of a part of a block */
    uint64_t sample, frame;          /* numbers of the next ones */
    uint64_t first_sample, first_frame; /* a pair with one time, from which the ratio counts */
    float tuning[128];                  /* def.tuning, if it is not NULL */
    hed_meter meter;
    hed_config_origin configured; /* origin of the choice of solver */
    uint32_t items;               /* items of a work-group, as tuned; 0: by rule */
    bool is_layer;                /* true: a layer of another synth, which has the limiter */
    /* NULL: no layers; else the members of events, of the solver and of the stems are unused */
    synth_layers *layers;
};

/* ---- synth.c: a synth of an instrument without layers; errors as those of the public functions ---- */

enum { SYNTH_MOST_INPUTS = 64 };

/* Allocates a synth with its definition and rate. After an error `synth` is NULL or to be freed. */
hed_status synth_begin(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error);
/* Creates a synth with the tuned configuration, if there is one and this instrument supports it. */
hed_status synth_create_resolved(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error);
/* Frees a synth, but not its layers. NULL is allowed. */
void synth_free(hed_synth *synth);
/* Plays a block whose size is checked. Thread class: as hed_synth_process(). */
hed_status synth_play(hed_synth *synth, const hed_synth_block *block, hed_error *error);
hed_status synth_rest(hed_synth *synth, hed_error *error);
hed_status synth_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error);
hed_synth_note_state synth_note(const hed_synth *synth, uint32_t channel, uint32_t note);
hed_synth_info synth_describe(const hed_synth *synth);

/* ---- synth_layers.c: a synth for each layer of an instrument, whose sum is limited ---- */

/* Entities of a layer, and velocities of its notes. */
typedef struct synth_layer_range {
    hed_synth_entity first, end;
    uint8_t velocity_low, velocity_high;
    float gain; /* gain of the layer and its instrument, linear, for stems */
} synth_layer_range;
synth_layer_range synth_layers_range(const hed_synth_instrument *instrument, uint32_t layer);

/* Creates the synth of an instrument with layers. Errors: as hed_synth_create(). */
hed_status synth_layers_create(
    hed_device *device, const hed_synth_def *def, hed_synth **synth, hed_error *error);
/* Destroys the synths of all layers. NULL is allowed. */
void synth_layers_destroy(synth_layers *layers);
uint32_t synth_layers_count(const synth_layers *layers);
hed_synth *synth_layers_at(const synth_layers *layers, uint32_t index);
/* Checks the whole block before any layer plays it. Errors: as hed_synth_process(). */
hed_status synth_layers_play(hed_synth *synth, const hed_synth_block *block, hed_error *error);
hed_status synth_layers_rest(hed_synth *synth, hed_error *error);
hed_status synth_layers_read_bodies(
    hed_synth *synth, uint32_t instance, float *positions, float *velocities, hed_error *error);
hed_synth_note_state synth_layers_note(const synth_layers *layers, uint32_t channel, uint32_t note);
hed_synth_note_info synth_layers_check_notes(
    const synth_layers *layers, const hed_synth_event *events, uint32_t count);
hed_synth_info synth_layers_describe(const hed_synth *synth);
/* Returns the number of microphones in the output. */
uint32_t synth_layers_stems(const synth_layers *layers);
/* Adopts the ranges of changed layers, after each has its change. Thread class: rt. */
void synth_layers_adopt(synth_layers *layers, const synth_layer_range *ranges);

/* ---- choice.c: the solver, the layout, the size of a work-group, as tuned or by rule ---- */

/* Chooses the shape of rows: as wide as the entities that step together, and as many lists as a
 * group of 1024 items has, or a group of `requested` items. */
void synth_choose_shape(
    const hed_device_info *info, uint32_t requested, uint32_t *warps, uint32_t *lanes);
/* True if AUTO may choose a solver: a device other than the host is meant to be used; a grid
 * pays for its packets, or for a launch a sample, only with many bodies. */
bool synth_is_sensible(const hed_synth *synth, hed_synth_solver id);
/* Chooses the solver; `grid`: AUTO may choose the grid. */
hed_status synth_choose_solver(hed_synth *synth, bool grid, hed_error *error);
/* Returns the pipeline of a measurement, without its functions. */
hed_pipeline_def synth_tune_pipeline(void);
hed_problem synth_tune_problem(const hed_synth_instrument *instrument);

/* Looks up the tuned configuration of such an instrument on this device; `configured` is
 * HED_ORIGIN_DEFAULT if there is none. */
hed_status synth_tuned_resolve(hed_device *device, const hed_synth_instrument *instrument,
    hed_config *tuned, hed_config_origin *configured);
/* Applies `tuned` to the open members of a definition, and to the items of a work-group (0: by
 * rule). */
void synth_tuned_apply(const hed_config *tuned, hed_synth_def *def, uint32_t *items);
/* Creates a synth with a configuration; `tuned` NULL: by rule (synth.c). Errors: as
 * hed_synth_create(). */
hed_status synth_create_tuned(hed_device *device, const hed_synth_def *def, const hed_config *tuned,
    hed_synth **synth, hed_error *error);
/* Creates the converter of a program's stems, if the synth has rates. Errors: MEMORY. */
hed_status synth_convert_stems(const hed_synth *synth, const synth_program *program,
    synth_converter **converter, hed_error *error);

#endif
