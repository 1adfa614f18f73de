/* The inside of a hed_synth: voices.c turns events into pokes, a solver runs the program, mix.c
 * makes sound of the stems. synth.c owns it. */
#ifndef SYNTH_SOLVER_H
#define SYNTH_SOLVER_H

#include "kernels/physics_store.h"
#include "program/program.h"
#include "voices/voices.h"

/* What a solver is to run. */
typedef struct synth_run {
    uint64_t sample; /* number of the first */
    uint32_t frames;
    /* (poke_begin[instances]) those of instance i from poke_begin[i], in order of frame */
    const synth_poke *pokes;
    const uint32_t *poke_begin; /* (instances + 1) */
    const float *const *inputs; /* (def.inputs) each (frames), or NULL */
    float *stems;               /* out, (frames x instances x stems x 2): left, right */
} synth_run;

typedef struct synth_solver synth_solver; /* a solver's own state */

/* What one of hed_synth_solver does. valid() and create() find the program in synth->program and
 * the instrument in synth->def.instrument; `synth` itself is not to be kept, and create() may be
 * called while another thread plays in synth->stream. */
typedef struct synth_solver_ops {
    hed_synth_solver id;
    /* Whether it can serve this instrument on this device, and if not, why (in words). */
    bool (*valid)(const hed_synth *synth, char *reason, size_t size);
    /* Takes the program as it is at rest; `program` outlives it. */
    hed_status (*create)(const hed_synth *synth, const synth_program *program,
        synth_solver **solver, hed_error *error);
    void (*destroy)(synth_solver *solver);
    hed_status (*run)(synth_solver *solver, const synth_run *run, hed_error *error);
    /* All instances' stores and delay memories: (instances x words), (instances x delay_words);
     * `delays` NULL: stores alone, of each what stands before its lists at the least. write with
     * NULL for both: everything as it is at rest (the program's image; delay memories 0). */
    hed_status (*read)(synth_solver *solver, uint32_t *stores, float *delays, hed_error *error);
    hed_status (*write)(
        synth_solver *solver, const uint32_t *stores, const float *delays, hed_error *error);
    /* All instances' stores where they are, if that is memory of the host's; NULL: read() copies
     * them. */
    const uint32_t *(*stores)(const synth_solver *solver);
    /* One instance as it is at rest. NULL where there is never more than one: write() does it. */
    hed_status (*rest)(synth_solver *solver, uint32_t instance, hed_error *error);
    void (*report)(const synth_solver *solver, hed_synth_info *report);
    /* The grid's bodies are not in its stores; NULL for the others. Positions and velocities as
     * hed_synth_read_bodies() gives them; and the bodies that go on where they were in another
     * solver, called after write(). */
    hed_status (*bodies)(
        synth_solver *solver, float *positions, float *velocities, hed_error *error);
    hed_status (*carry)(synth_solver *solver, synth_solver *from, hed_error *error);
} synth_solver_ops;

extern const synth_solver_ops synth_cpu_ops;    /* native.c: HED_SYNTH_CPU */
extern const synth_solver_ops synth_group_ops;  /* group.c: HED_SYNTH_GROUP */
extern const synth_solver_ops synth_global_ops; /* group.c: HED_SYNTH_GLOBAL */
extern const synth_solver_ops synth_grid_ops;   /* grid.c: HED_SYNTH_GRID */
/* Whether a grid's groups exchange packets on a device; else a launch makes one sample. */
bool synth_grid_has_packets(const hed_device_info *info);

/* The program of an instrument, in the shape that suits a device and def->solver, for `items` of
 * a work-group (0: by rule). Errors: as synth_program_create. */
hed_status synth_make_program(const hed_allocator *allocator, hed_device *device,
    const hed_synth_def *def, uint32_t items, const hed_synth_instrument *instrument,
    synth_program **program, hed_error *error);

/* Waits for a stream, after an error as well: what is copied is the caller's. Gives the status of
 * `error`. */
static inline hed_status synth_wait(hed_stream *stream, hed_error *error)
{
    hed_stream_wait(stream, error->status ? NULL : error);
    return error->status;
}

/* ---- awake.c: keeps a device awake between blocks (hed_synth_def.keep_awake) ---- */

typedef struct synth_awake synth_awake;

/* `block_ns`: time between blocks. Errors: UNSUPPORTED (the device has no clock that kernels can
 * read), and hed_kernel_create()'s. */
hed_status synth_awake_create(const hed_allocator *allocator, hed_device *device, uint64_t block_ns,
    synth_awake **awake, hed_error *error);
/* The device spins for one more block from now on. Thread class: owner. */
hed_status synth_awake_extend(synth_awake *awake, hed_error *error);
/* Waits until it has done so. NULL is allowed. */
void synth_awake_destroy(synth_awake *awake);
extern const hed_kernel_def synth_awake_def;

/* Whether a synth of this solver needs room for stores that are looked at. */
static inline bool synth_needs_copy(const synth_solver_ops *ops, const synth_voices *voices)
{
    return !ops->stores && synth_voices_next_look(voices, 0) != UINT64_MAX;
}

/* ---- mix.c: stems to sound. A plain value; allocates nothing ---- */

/* Sum over instances (outer) and stems, in order; breaker; master gain; limiter with look-ahead;
 * never above full scale. Times in samples, so that sound does not depend on the block. */
typedef struct synth_mix synth_mix;
hed_status synth_mix_create(const hed_allocator *allocator, const hed_synth_instrument_def *def,
    double rate, synth_mix **mix, hed_error *error);
void synth_mix_destroy(synth_mix *mix);
void synth_mix_reset(synth_mix *mix);
/* Gain and limiter of a changed instrument; the gain moves there without a step. Thread class:
 * rt */
void synth_mix_adopt(synth_mix *mix, const hed_synth_instrument_def *def);
/* Gives how many frames of these sound. Fewer than `frames`: the breaker opened behind them (no
 * number, runaway energy) and the rest is silent; the caller puts the synth to rest, and it stands
 * still for synth_mix_resting() samples, in which `stems` is NULL. Then sound fades in. A caller
 * that gives at most SYNTH_MIX_HOLD frames at a time, and none across the end of a rest, has the
 * same sound for every block. Thread class: rt. */
enum { SYNTH_MIX_HOLD = 4800 };
uint32_t synth_mix_run(synth_mix *mix, const float *stems, uint32_t instances, uint32_t stem_count,
    uint32_t frames, float *left, float *right);
uint32_t synth_mix_resting(const synth_mix *mix); /* samples; 0: it plays. Thread class: rt */
/* The instances of these bits are cut off behind the last frame: what they were there fades out.
 * Thread class: rt. */
void synth_mix_cut(synth_mix *mix, uint64_t instances);
void synth_mix_report(const synth_mix *mix, hed_synth_info *report);
/* samples of look-ahead; output is shifted by it */
uint32_t synth_mix_latency(const synth_mix *mix);

struct hed_synth {
    hed_allocator allocator;
    hed_device *device;
    hed_stream *stream;
    bool own_stream;
    /* `instrument` is NULL but while a solver's valid() and create() are called */
    hed_synth_def def;
    hed_synth_instrument_def instrument;
    synth_program *program;
    const synth_solver_ops *ops;
    synth_solver *solver;
    synth_voices *voices;
    synth_mix *mix;
    synth_awake *awake; /* NULL: not asked for, or the kernel is resident */
    /* (instances x words) copied for a look; NULL: the solver has them in the host's memory */
    uint32_t *stores;
    uint64_t store_words;
    float *stems; /* (block x instances x stems x 2) */
    uint64_t stem_floats;
    hed_synth_event *events; /* (max_events) of a part of a block */
    uint64_t sample;
    hed_meter meter;
    hed_config_origin configured; /* where the choice of the solver comes from */
    uint32_t items;               /* of a work-group, as measurement found (tune.h); 0: by rule */
};

/* ---- tune.c: what measurement has found: the solver, the layout, the size of a work-group ---- */

/* What is known for such an instrument on this device; `configured` is HED_ORIGIN_DEFAULT where
 * nothing is. */
hed_status synth_tuned_resolve(hed_device *device, const hed_synth_instrument *instrument,
    hed_config *tuned, hed_config_origin *configured);
/* Puts what `tuned` says into a definition that has left it open, and the items of a work-group (0:
 * by rule). */
void synth_tuned_apply(const hed_config *tuned, hed_synth_def *def, uint32_t *items);
/* synth.c's; `tuned` NULL: by rule. Errors: as hed_synth_create(). */
hed_status synth_create_tuned(hed_device *device, const hed_synth_def *def, const hed_config *tuned,
    hed_synth **synth, hed_error *error);

#endif
