/* HED_CLOTH_SOLVER_CPU: the solver on the host's own cores, on the arrays of the device in place.
 *
 * A substep is a list of phases: integration, then for each iteration the steps of figures and, if
 * there are colliders, contacts or a driver, a phase of these. A phase of a band depends only on
 * the phase before it in this band and in the neighbouring bands. One thread runs the phases as a
 * wave: phase p of band b follows phase p - 1 of band b + 1, so that few bands are in use at a
 * time. Each of several threads has a range of bands and computes the part that is independent of
 * its neighbours, a trapezoid that narrows with each phase; after a barrier the wedges between
 * trapezoids are computed. Results are the same for any number of threads, because figures of one
 * phase have no particle in common. */
#include "solver/native.h"
#include "solver/tension.h"

#include <stdio.h>
#include <string.h>

struct cloth_solver {
    cloth_native_tables *tables;
    const cloth_native_functions *functions;
    /* (2 x material_count) for the first substep and for the others; in the second half with the
     * stiffness of a sweep of CLOTH_CELL_SWEEPS */
    cloth_limits *limits[2];
    uint32_t material_count;
    bool has_cells;    /* true if a garment has cells */
    bool has_elements; /* true if a garment has elements that are swept, since it has lattices */
    float *scratch;    /* (threads x CLOTH_LINE_SCRATCH for each row of the longest line) */
    cloth_native_lattices *lattices; /* NULL: no lattices */
    float *lattice_scratch;          /* (threads x cloth_native_lattices_scratch()) */
    hed_team *team;                  /* NULL: one thread */
    uint32_t threads;
    char name[64];
};

/* Work of one call. */
typedef struct native_job {
    const hed_cloth *cloth;
    const cloth_solver *solver;
    const cloth_step *first, *rest;
    float dt;
    uint32_t count;
    bool plain;       /* no air, no driver */
    bool acts;        /* colliders, contacts or a driver */
    uint32_t phases;  /* phases of a substep */
    uint32_t threads; /* threads that take part */
    uint32_t depth;   /* phases between two barriers */
    cloth_arrays arrays;
} native_job;

/* Data of one substep for its phases. */
typedef struct moment {
    const native_job *job;
    cloth_step step;
    const cloth_limits *limits;
    uint32_t sweep; /* above 0: figures are strains of elements alone, swept again */
} moment;

/* ---- phases ---- */

/* Integrates a run of particles without air and driver. A particle whose motion exceeds 0.577 *
 * longest_move along an axis may still be within the limit: cloth_integrate() (physics.h)
 * decides. */
static void integrate_plainly(const moment *current, const cloth_particles *run)
{
    const native_job *job = current->job;
    const cloth_step *step = &current->step;
    cloth_step still = *step;
    still.fall_x = 0.0f;
    cloth_cloth cloth = cloth_garment_at(job->arrays.integrate.garments, run->garment);
    const float4 part = cloth_remembered((float4){1.0f, 0.0f, 0.0f, 0.0f}, still),
                 thrown = cloth_remembered((float4){0.0f, 0.0f, 0.0f, 0.0f}, *step);
    const cloth_verlet verlet = {
        {step->ratio * cloth.keep_x, step->ratio * cloth.keep_y, step->ratio * cloth.keep_z, 0.0f},
        {step->fall_x, step->fall_y, step->fall_z, 0.0f}, 0.577f * step->longest_move,
        (step->flags & CLOTH_STEP_TETHERS) != 0, cloth_recalled(*step), part.x, 1.0f + step->recall,
        {thrown.x, thrown.y, thrown.z, 0.0f}};
    for (uint32_t i = run->first, end = run->first + run->count; i < end; i++) {
        i = job->solver->functions->integrate(&job->arrays.integrate, &verlet, i, end);
        if (i < end) cloth_native_integrate(&job->arrays, step, i, i + 1);
    }
}

static void do_particles(const moment *current, uint32_t band, bool acts)
{
    const native_job *job = current->job;
    const cloth_native_tables *tables = job->solver->tables;
    for (uint32_t r = tables->particles_at[band]; r < tables->particles_at[band + 1]; r++) {
        const cloth_particles *run = tables->particles + r;
        if (acts)
            cloth_native_act(&job->arrays, &current->step, run->first, run->first + run->count);
        else if (job->plain && job->solver->functions->integrate) integrate_plainly(current, run);
        else
            cloth_native_integrate(
                &job->arrays, &current->step, run->first, run->first + run->count);
    }
}

/* Runs phases [first, first + depth) of the bands [low, high); the bounds move by `low_slope` and
 * `high_slope` from one phase to the next. */
static void sweep(const moment *current, uint32_t first, uint32_t depth, int64_t low, int64_t high,
    int low_slope, int high_slope)
{
    const cloth_solver *s = current->job->solver;
    int64_t last = depth - 1, begin = low + (low_slope < 0 ? last * low_slope : 0),
            end = high + (high_slope > 0 ? last * high_slope : 0) + last;
    for (int64_t wave = begin; wave < end; wave++)
        for (int64_t p = 0; p <= last; p++) {
            int64_t band = wave - p;
            if (band < low + p * low_slope || band >= high + p * high_slope) continue;
            uint32_t phase = first + (uint32_t)p,
                     step = phase ? (phase - 1) % (s->tables->step_count + current->job->acts) : 0;
            const cloth_packs *packs =
                s->tables->packs + (uint64_t)step * s->tables->band_count + (uint32_t)band;
            if (!phase || step >= s->tables->step_count)
                do_particles(current, (uint32_t)band, phase > 0);
            else if (current->sweep)
                s->functions->sweep(current->job->arrays.integrate.position, packs,
                    current->limits->stiffness, current->sweep);
            else
                s->functions->packs(
                    current->job->arrays.integrate.position, packs, current->limits);
        }
}

/* ---- threads ---- */

static uint64_t scratch_of(const cloth_native_tables *tables, uint32_t threads)
{
    return (uint64_t)threads * CLOTH_LINE_SCRATCH * tables->longest_line;
}

/* Solves the lines. Lines cross all bands, so each set of lines is between two barriers. */
static void do_lines(const moment *current, hed_team *team, uint32_t member)
{
    const native_job *job = current->job;
    const cloth_native_tables *tables = job->solver->tables;
    float *scratch = job->solver->scratch + scratch_of(tables, member);
    for (uint32_t set = 0; set < CLOTH_LINE_SETS; set++) {
        uint64_t first = tables->line_pack_at[set], count = tables->line_pack_at[set + 1] - first;
        if (member < job->threads)
            for (uint64_t k = count * member / job->threads;
                 k < count * (member + 1) / job->threads; k++)
                job->solver->functions->line(job->arrays.integrate.position,
                    tables->line_packs + first + k, current->limits->stiffness, scratch);
        if (job->threads > 1) hed_team_barrier(team);
    }
}

/* Runs phases [phase, end) on this member's bands. */
static void run_phases(
    const moment *current, hed_team *team, uint32_t member, uint32_t phase, uint32_t end)
{
    const native_job *job = current->job;
    uint32_t bands = job->solver->tables->band_count, threads = job->threads;
    int64_t low = (int64_t)bands * member / threads, high = (int64_t)bands * (member + 1) / threads;
    for (; phase < end; phase += job->depth) {
        uint32_t depth = end - phase < job->depth ? end - phase : job->depth;
        if (member < threads)
            sweep(current, phase, depth, low, high, member > 0, member + 1 < threads ? -1 : 0);
        if (threads == 1) continue;
        hed_team_barrier(team);
        if (depth == 1) continue;
        if (member + 1 < threads) sweep(current, phase, depth, high, high, -1, 1);
        hed_team_barrier(team);
    }
}

/* Runs contacts in phase `act`, and limits the stretch that they leave: all but the last contacts.
 * The driver, which may be a spring, acts once, at the end. */
static void limit_stretch(const moment *current, const cloth_crew *crew, uint32_t act)
{
    const native_job *job = current->job;
    moment contacts = *current;
    contacts.step.flags &= ~CLOTH_STEP_DRIVER;
    bool touches = contacts.step.colliders || (contacts.step.flags & CLOTH_STEP_CONTACTS);
    if (touches) run_phases(&contacts, crew->team, crew->member, act, job->phases);
    cloth_native_limit(job->solver->lattices, crew);
}

/* Runs a substep. Lattices and lines follow the first phase, tension the last step of figures: a
 * cloth with any of them has one iteration (cpu_valid()). Where cloth with lattices may touch
 * something, the figures, which are cells then, are swept several times. */
static void do_substep(const moment *current, hed_team *team, uint32_t member)
{
    const native_job *job = current->job;
    const cloth_solver *s = job->solver;
    cloth_crew crew = {.team = team,
        .threads = job->threads,
        .member = member,
        .functions = s->functions,
        .positions = job->arrays.integrate.position,
        .previous = job->acts ? NULL : job->arrays.integrate.previous,
        .stiffness = current->limits->stiffness};
    uint32_t begin = s->scratch || s->lattices, act = job->phases - (s->lattices && job->acts);
    if (begin) run_phases(current, team, member, 0, 1);
    if (s->lattices) {
        crew.scratch = s->lattice_scratch + member * cloth_native_lattices_scratch(s->lattices);
        cloth_native_coarse(s->lattices, &crew);
    }
    if (s->scratch) do_lines(current, team, member);
    moment figures = *current;
    bool is_swept = s->lattices && s->has_cells && job->acts;
    if (is_swept) figures.limits += s->material_count;
    for (uint32_t k = 0; k < (is_swept ? CLOTH_CELL_SWEEPS : 1); k++)
        run_phases(&figures, team, member, begin, act);
    for (figures.sweep = 1; s->has_elements && figures.sweep < CLOTH_STRAIN_SWEEPS; figures.sweep++)
        run_phases(&figures, team, member, begin, act);
    if (s->lattices) cloth_native_tension(s->lattices, job->acts ? CLOTH_TOUCHED_PASSES : 1, &crew);
    if (s->lattices && job->acts) limit_stretch(current, &crew, act);
    else if (s->lattices && s->lattices->remembers) cloth_native_limit(s->lattices, &crew);
    run_phases(current, team, member, act, job->phases);
}

static void cpu_run(void *user, hed_team *team, uint32_t member)
{
    const native_job *job = user;
    for (uint32_t i = 0; i < job->count; i++) {
        cloth_step step = i ? *job->rest : *job->first;
        if (i > 1) step = cloth_step_after(step, i - 1, job->dt);
        moment current = {job, step, job->solver->limits[i > 0], 0};
        do_substep(&current, team, member);
    }
}

/* Fills both halves of cloth_solver.limits. */
static void set_limits(const hed_cloth *cloth, cloth_limits *limits, float stiffness)
{
    const float parts[2] = {stiffness, stiffness * CLOTH_CELL_SWEEPS};
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t g = 0; g < cloth->garment_count; g++)
            for (uint32_t m = 0; m < cloth->garments[g]->material_count; m++) {
                const hed_cloth_material *material = cloth->garments[g]->materials + m;
                *limits++ = (cloth_limits){material->compress, material->stretch,
                    material->compliance * parts[k], parts[k], k ? CLOTH_CELL_OVER : 0.0f};
            }
}

static cloth_arrays arrays_of(const cloth_buffers *b)
{
    float4 *position = cloth_host_of(b->position), *previous = cloth_host_of(b->previous),
           *garments = cloth_host_of(b->garments), *from = cloth_host_of(b->driver_from),
           *to = cloth_host_of(b->driver_to), *map = cloth_host_of(b->driver_map);
    return (cloth_arrays){.integrate = {.position = position,
                              .previous = previous,
                              .carry = cloth_host_of(b->carry),
                              .garments = garments,
                              .air = cloth_host_of(b->air),
                              .tether = cloth_host_of(b->tether),
                              .anchors = cloth_host_of(b->anchors),
                              .driver_from = from,
                              .driver_to = to,
                              .driver_map = map},
        .drive = {.position = position,
            .previous = previous,
            .garments = garments,
            .colliders = cloth_host_of(b->colliders),
            .contact = cloth_host_of(b->contact),
            .driver_from = from,
            .driver_to = to,
            .driver_map = map,
            .debug = cloth_host_of(b->debug)}};
}

static hed_status cpu_substeps(hed_cloth *cloth, cloth_solver *s, const cloth_step *first,
    const cloth_step *rest, float dt, uint32_t count, hed_error *error)
{
    hed_status status = hed_stream_wait(cloth->stream, error);
    if (status) return status;
    native_job job = {
        .cloth = cloth, .solver = s, .first = first, .rest = rest, .dt = dt, .count = count};
    job.plain = !((first->flags | rest->flags) & (CLOTH_STEP_AIR | CLOTH_STEP_DRIVER));
    job.acts = first->colliders ||
               ((first->flags | rest->flags) & (CLOTH_STEP_CONTACTS | CLOTH_STEP_DRIVER));
    job.phases = 1 + cloth->def.iterations * (s->tables->step_count + job.acts);
    job.arrays = arrays_of(&cloth->buffers);
    set_limits(cloth, s->limits[0], first->stiffness);
    set_limits(cloth, s->limits[1], rest->stiffness);

    /* While wedges are computed some threads are idle: the number of phases between barriers keeps
     * this cost at about 4 %. */
    enum { WEDGE_SHARE = 12 };
    uint32_t bands = s->tables->band_count;
    job.threads = s->threads < bands ? s->threads : bands;
    job.depth = job.phases;
    if (job.threads > 1 && 1 + bands / job.threads / WEDGE_SHARE < job.depth)
        job.depth = 1 + bands / job.threads / WEDGE_SHARE;
    if (job.threads > 1) hed_team_run(s->team, cpu_run, &job);
    else cpu_run(&job, NULL, 0);
    return HED_OK;
}

/* ---- creation and destruction ---- */

static bool cpu_valid(const hed_cloth *cloth, char *reason, size_t size)
{
    if (strcmp(hed_device_describe(cloth->device).backend, "host") != 0) {
        snprintf(reason, size, "it is for the device \"host\"");
        return false;
    }
    if (cloth->def.math == HED_MATH_STRICT) {
        snprintf(reason, size, "it has an order of its own; strict mode needs that of the colours");
        return false;
    }
    for (uint32_t g = 0; cloth->def.iterations > 1 && g < cloth->garment_count; g++)
        for (uint32_t m = 0; m < cloth->garments[g]->material_count; m++)
            if (cloth->garments[g]->materials[m].compliance > 0.0f) {
                snprintf(reason, size,
                    "garment %u (%s) has compliance, and with %u iterations that needs a multiplier for each "
                    "constraint: use colours, "
                    "or substeps in place of iterations",
                    g, cloth->garments[g]->name, cloth->def.iterations);
                return false;
            }
    return true;
}

static void cpu_destroy(hed_cloth *cloth, cloth_solver *s)
{
    hed_team_destroy(s->team);
    if (s->tables)
        hed_delete(
            &cloth->allocator, s->scratch, scratch_of(s->tables, s->threads), sizeof *s->scratch);
    cloth_native_tables_destroy(s->tables);
    if (s->lattices)
        hed_delete(&cloth->allocator, s->lattice_scratch,
            s->threads * cloth_native_lattices_scratch(s->lattices), sizeof *s->lattice_scratch);
    cloth_native_lattices_destroy(s->lattices);
    for (int k = 0; k < 2; k++)
        hed_delete(
            &cloth->allocator, s->limits[k], 2 * (uint64_t)s->material_count, sizeof *s->limits[k]);
    hed_delete(&cloth->allocator, s, 1, sizeof *s);
}

/* Number of threads. A phase of 4,096 particles takes about 3 us; a barrier takes 0.3 to 1 us if
 * every thread has a processor to itself. If other programs load the processors, threads wait at
 * most barriers for a thread that is not running, and a small cloth is three times as fast with one
 * thread. */
static uint32_t threads_of(const hed_cloth *cloth)
{
    enum { PARTICLES_A_THREAD = 4096 };
    uint32_t limit = hed_device_describe(cloth->device).compute_units,
             worth = cloth->particles / PARTICLES_A_THREAD;
    if (cloth->def.threads) return cloth->def.threads;
    if (worth < 1) return 1;
    return worth < limit ? worth : limit;
}

static hed_status cpu_make(hed_cloth *cloth, cloth_solver *s, hed_error *error)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        s->material_count += cloth->garments[g]->material_count;
        s->has_cells = s->has_cells || cloth->garments[g]->cell_count;
    }
    for (int k = 0; k < 2; k++) {
        s->limits[k] = hed_new(
            &cloth->allocator, 2 * (uint64_t)s->material_count, sizeof *s->limits[k], error);
        if (!s->limits[k]) return HED_ERROR_MEMORY;
    }
    s->functions = cloth_native_functions_at(0);
    hed_status status = cloth_native_tables_create(cloth, &s->tables, error);
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        s->has_elements |= cloth->garments[g]->element_count && cloth_has_tension(cloth);
    s->threads = threads_of(cloth);
    if (!status && s->tables->longest_line) {
        s->scratch = hed_new(
            &cloth->allocator, scratch_of(s->tables, s->threads), sizeof *s->scratch, error);
        if (!s->scratch) status = HED_ERROR_MEMORY;
    }
    if (!status) status = cloth_native_lattices_create(cloth, &s->lattices, error);
    if (s->lattices) {
        s->lattice_scratch =
            hed_new(&cloth->allocator, s->threads * cloth_native_lattices_scratch(s->lattices),
                sizeof *s->lattice_scratch, error);
        if (!s->lattice_scratch) status = HED_ERROR_MEMORY;
    }
    if (!status && s->threads > 1)
        status = hed_team_create(&cloth->allocator, s->threads, &s->team, error);
    return status;
}

static hed_status cpu_create(hed_cloth *cloth, cloth_solver **solver, hed_error *error)
{
    cloth_solver *s = hed_new(&cloth->allocator, 1, sizeof *s, error);
    if (!s) return HED_ERROR_MEMORY;
    hed_status status = cpu_make(cloth, s, error);
    if (status) cpu_destroy(cloth, s);
    else *solver = s;
    return status;
}

static void cpu_report(const hed_cloth *cloth, const cloth_solver *s, hed_cloth_info *filled)
{
    filled->device_bytes +=
        (s->tables->word_count + s->tables->line_word_count) * sizeof *s->tables->words;
    snprintf(filled->choice, sizeof filled->choice,
        "figures of four in %s registers, %u steps%s%s, %u bands, %u thread%s", s->functions->name,
        s->tables->step_count, s->scratch ? ", four of lines that bend" : "",
        s->lattices ? ", lattices" : "", s->tables->band_count, s->threads,
        s->threads == 1 ? "" : "s");
}

const cloth_solver_ops cloth_cpu_ops = {
    HED_CLOTH_SOLVER_CPU, cpu_valid, cpu_create, cpu_destroy, cpu_substeps, cpu_report};
