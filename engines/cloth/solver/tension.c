/* Tables and launches of tension over whole garments. The lattices of all garments and copies are
 * solved together, level by level: a launch for each direction of a sweep. */
#include "solver/second_order.h"
#include "solver/tension.h"

#include "kernels/patch_arguments.h"
#include "model/cloth_lattice.h"

#include <inttypes.h>
#include <string.h>

/* Lattices of one level of all garments, or pins that have no particle in common, or the lines of
 * all grids. */
typedef struct tension_stage {
    uint32_t places, place_count, sweeps, touched_sweeps;
    uint32_t shares,
        share_count;      /* shares of inner lattices: points are places of the next stage */
    uint32_t chain_at[3]; /* first chain of each direction */
} tension_stage;

typedef struct tension_buffers {
    hed_buffer *sources, *places, *from, *shares, *chains, *edges;
    hed_buffer *units, *links, *pulls, *pulled, *tasks;
} tension_buffers;

struct cloth_tension {
    tension_buffers b;
    uint32_t levels, pin_stages; /* stages: levels, lines, pins */
    tension_stage *stages;
    cloth_lattices *lattices;                       /* lattices of each stage */
    uint32_t particle_shares, particle_share_count; /* shares of the finest lattices */
    uint32_t limits;   /* first chain of the limits, in the order of the stage of lines */
    bool gives;        /* an edge has compliance */
    bool remembers;    /* cloth_remembers() */
    uint32_t places;   /* number after which `from` has the substep's start */
    uint32_t tasks[5]; /* cloth_patch_launch.tasks */
    uint32_t *lengths; /* (chain_count) edges of each chain */
    uint32_t chain_count;
};

/* Part of a copy of a garment in a stage; of the lines' stage, the shares of particles that
 * lattices move. */
typedef struct tension_range {
    uint32_t places, place_count, shares, share_count;
    uint32_t chains[2], chain_count[2];
} tension_range;

/* Tables as on the device; in a first pass NULL, and counted only. */
typedef struct tension_builder {
    const hed_cloth *cloth;
    cloth_tension *tension;
    uint4 *sources, *shares, *chains;
    float *edges;
    uint32_t source_count, share_count, chain_count, edge_count;
    uint32_t **place_at;   /* (garments) (copies x lattices) first place of each */
    uint32_t **pin_stage;  /* (garments) (pin lattices) */
    tension_range *ranges; /* (copies of all garments x stages) */
    uint32_t stages;
    uint4 *tasks; /* (copies of all garments x tasks), of a kernel with whole garments */
} tension_builder;

/* ---- tables ---- */

static void tension_add_chains(
    tension_builder *b, const cloth_chains *chains, uint32_t direction, uint32_t first)
{
    for (uint32_t k = chains->at[direction]; k < chains->at[direction + 1]; k++) {
        const cloth_chain *chain = chains->chains + k;
        if (b->chains) {
            uint4 *row = b->chains + 2 * (uint64_t)b->chain_count;
            row[0] = (uint4){first + chain->first, chain->count, chain->step, b->edge_count};
            row[1] = (uint4){hed_as_uint(chains->low), hed_as_uint(chains->high),
                hed_as_uint(chains->soften), 0};
            memcpy(b->edges + 2 * (uint64_t)b->edge_count, chains->edges + chain->edges,
                chain->count * sizeof *chains->edges);
            b->tension->lengths[b->chain_count] = chain->count;
        }
        b->chain_count++;
        b->edge_count += chain->count;
    }
}

static void tension_add_places(tension_builder *b, const cloth_lattice *lattice, uint32_t first)
{
    for (uint32_t p = 0; p < lattice->place_count; p++, b->source_count++) {
        const cloth_place *place = lattice->places + p;
        uint4 *row = b->sources + 2 * (uint64_t)b->source_count;
        if (!b->sources) continue;
        row[0] = (uint4){first + place->particle[0], first + place->particle[1],
            first + place->particle[2], hed_as_uint(place->inverse_mass)};
        row[1] = (uint4){hed_as_uint(place->part[0]), hed_as_uint(place->part[1]),
            hed_as_uint(place->part[2]), 0};
    }
}

/* Adds the shares of a lattice whose places begin at `places`. `first`: first point. */
static void tension_add_shares(
    tension_builder *b, const cloth_lattice *lattice, uint32_t places, uint32_t first)
{
    for (uint32_t k = 0; k < lattice->share_count; k++, b->share_count++) {
        const cloth_share *share = lattice->shares + k;
        uint4 *row = b->shares + 3 * (uint64_t)b->share_count;
        if (!b->shares) continue;
        row[0] = (uint4){first + share->point, 0, 0, 0};
        row[1] = (uint4){places + share->place[0], places + share->place[1],
            places + share->place[2], places + share->place[3]};
        row[2] = (uint4){hed_as_uint(share->part[0]), hed_as_uint(share->part[1]),
            hed_as_uint(share->part[2]), hed_as_uint(share->part[3])};
    }
}

/* Lattice of a garment in a stage; NULL: no lattice. `pin`: number of the pin lattice. */
static const cloth_lattice *lattice_in(
    const tension_builder *b, uint32_t garment, uint32_t stage, uint32_t pin)
{
    const cloth_garment *g = b->cloth->garments[garment];
    uint32_t levels = b->tension->levels;
    if (stage < levels) return pin == 0 && stage < g->lattice_count ? g->lattices + stage : NULL;
    if (stage == levels || pin >= g->pin_lattice_count) return NULL;
    return b->pin_stage[garment][pin] == stage - levels - 1 ? g->pin_lattices + pin : NULL;
}

static uint32_t lattices_of(const cloth_garment *garment)
{
    return garment->pin_lattice_count ? garment->pin_lattice_count : 1;
}

/* Index of a lattice in the list of its copy: the levels, then the lattices at pins. */
static uint32_t lattice_number(
    const tension_builder *b, const cloth_garment *garment, uint32_t stage, uint32_t pin)
{
    return stage < b->tension->levels ? stage : garment->lattice_count + pin;
}

static bool are_alike(const cloth_lattice *a, const cloth_lattice *b)
{
    return a->place_count == b->place_count && a->share_count == b->share_count &&
           a->chains.at[1] == b->chains.at[1] && a->chains.at[2] == b->chains.at[2];
}

static void fill_stage_places(tension_builder *b, uint32_t stage)
{
    tension_stage *s = b->tension->stages + stage;
    tension_range *range = b->ranges + stage;
    const cloth_lattice *first = NULL;
    uint32_t lattices = 0, alike = 0;
    s->places = b->source_count;
    for (uint32_t g = 0; g < b->cloth->garment_count; g++) {
        const cloth_garment *garment = b->cloth->garments[g];
        uint32_t per_copy = garment->lattice_count + garment->pin_lattice_count;
        for (uint32_t copy = 0; copy < garment->copies; copy++, range += b->stages) {
            range->places = b->source_count;
            for (uint32_t pin = 0; pin < lattices_of(garment); pin++) {
                const cloth_lattice *lattice = lattice_in(b, g, stage, pin);
                if (!lattice) continue;
                uint32_t number = lattice_number(b, garment, stage, pin);
                b->place_at[g][copy * per_copy + number] = b->source_count;
                if (!first) first = lattice;
                lattices++;
                alike += are_alike(first, lattice);
                tension_add_places(
                    b, lattice, b->cloth->first_particle[g] + copy * garment->particle_count);
            }
            range->place_count = b->source_count - range->places;
        }
    }
    s->place_count = b->source_count - s->places;
    b->tension->lattices[stage].count = alike == lattices ? lattices : 1;
}

/* Sets the number of sweeps of each stage, which depends on the garments of all parts. */
static void count_sweeps(tension_builder *b)
{
    const hed_cloth *whole = cloth_whole(b->cloth);
    for (uint32_t g = 0; g < whole->garment_count; g++) {
        const cloth_garment *garment = whole->garments[g];
        for (uint32_t stage = 0; stage < b->tension->levels; stage++)
            if (stage < garment->lattice_count) {
                b->tension->stages[stage].sweeps = b->tension->remembers
                                                       ? garment->lattices[stage].hung_sweeps
                                                       : garment->lattices[stage].sweeps;
                b->tension->stages[stage].touched_sweeps = garment->lattices[stage].touched_sweeps;
            }
    }
    for (uint32_t g = 0; g < b->cloth->garment_count && !b->tension->remembers; g++)
        for (uint32_t pin = 0; pin < b->cloth->garments[g]->pin_lattice_count; pin++)
            b->tension->stages[b->tension->levels + 1 + b->pin_stage[g][pin]].sweeps =
                b->cloth->garments[g]->pin_lattices[pin].sweeps;
}

/* Adds the chains of a stage along a direction: points are places, or of lines particles. */
static void fill_stage_chains(tension_builder *b, uint32_t stage, uint32_t direction)
{
    tension_stage *s = b->tension->stages + stage;
    tension_range *range = b->ranges + stage;
    s->chain_at[direction] = b->chain_count;
    for (uint32_t g = 0; g < b->cloth->garment_count; g++) {
        const cloth_garment *garment = b->cloth->garments[g];
        uint32_t per_copy = garment->lattice_count + garment->pin_lattice_count;
        for (uint32_t copy = 0; copy < garment->copies; copy++, range += b->stages) {
            range->chains[direction] = b->chain_count;
            if (stage == b->tension->levels)
                tension_add_chains(b, &garment->tension, direction,
                    b->cloth->first_particle[g] + copy * garment->particle_count);
            for (uint32_t pin = 0; pin < lattices_of(garment); pin++) {
                const cloth_lattice *lattice = lattice_in(b, g, stage, pin);
                uint32_t number = lattice_number(b, garment, stage, pin);
                if (lattice)
                    tension_add_chains(
                        b, &lattice->chains, direction, b->place_at[g][copy * per_copy + number]);
            }
            range->chain_count[direction] = b->chain_count - range->chains[direction];
        }
    }
    s->chain_at[direction + 1] = b->chain_count;
}

/* Adds the shares of a stage, of places or of particles. */
static void fill_stage_shares(tension_builder *b, uint32_t stage, bool inner)
{
    /* particles that lattices move are shares of the lines' stage */
    bool of_lines = !inner && stage < b->tension->levels;
    tension_range *range = b->ranges + (of_lines ? b->tension->levels : stage);
    for (uint32_t g = 0; g < b->cloth->garment_count; g++) {
        const cloth_garment *garment = b->cloth->garments[g];
        uint32_t per_copy = garment->lattice_count + garment->pin_lattice_count;
        for (uint32_t copy = 0; copy < garment->copies; copy++, range += b->stages) {
            uint32_t first = b->share_count;
            for (uint32_t pin = 0; pin < lattices_of(garment); pin++) {
                const cloth_lattice *lattice = lattice_in(b, g, stage, pin);
                if (!lattice || lattice->is_inner != inner) continue;
                const uint32_t *at =
                    b->place_at[g] + copy * per_copy + lattice_number(b, garment, stage, pin);
                tension_add_shares(b, lattice, at[0],
                    inner ? at[1] : b->cloth->first_particle[g] + copy * garment->particle_count);
            }
            if (b->share_count == first) continue;
            range->shares = first;
            range->share_count = b->share_count - first;
        }
    }
}

/* Adds the limits of the lines, which have the lines' edges. */
static void fill_limits(tension_builder *b)
{
    const uint32_t *at = b->tension->stages[b->tension->levels].chain_at;
    b->tension->limits = b->chain_count;
    for (uint32_t k = at[0]; k < at[2]; k++, b->chain_count++) {
        if (!b->chains) continue;
        const uint4 *line = b->chains + 2 * (uint64_t)k;
        uint4 *limit = b->chains + 2 * (uint64_t)b->chain_count;
        b->tension->lengths[b->chain_count] = line[0].y;
        limit[0] = line[0];
        limit[1] = (uint4){0, hed_as_uint(CLOTH_LIMIT * hed_as_float(line[1].y)), line[1].z, 0};
    }
}

static void tension_fill(tension_builder *b)
{
    cloth_tension *t = b->tension;
    uint32_t stages = t->levels + 1 + t->pin_stages;
    b->source_count = b->share_count = b->chain_count = b->edge_count = 0;
    for (uint32_t s = 0; s < stages; s++) fill_stage_places(b, s);
    for (uint32_t s = 0; s < stages; s++)
        for (uint32_t direction = 0; direction < 2; direction++) fill_stage_chains(b, s, direction);
    fill_limits(b);
    for (uint32_t s = 0; s < stages; s++) {
        t->stages[s].shares = b->share_count;
        fill_stage_shares(b, s, s < t->levels);
        t->stages[s].share_count = b->share_count - t->stages[s].shares;
    }
    t->particle_shares = b->share_count;
    for (uint32_t s = 0; s < t->levels; s++) fill_stage_shares(b, s, false);
    t->particle_share_count = b->share_count - t->particle_shares;
    for (uint32_t s = 0; s < stages; s++) {
        const tension_stage *from = t->stages + s;
        t->lattices[s] =
            (cloth_lattices){from->places, from->place_count, from->shares, from->share_count,
                from->chain_at[0], from->chain_at[2], t->lattices[s].count, s > t->levels};
    }
}

/* ---- tasks of a group that has a whole garment ---- */

static void add_task(
    tension_builder *b, uint32_t *at, uint32_t kind, uint32_t first, uint32_t count, uint32_t pass)
{
    if (b->tasks) b->tasks[*at] = (uint4){kind, first, count, pass};
    (*at)++;
}

/* Adds `sweeps` over chains; `shift`: of their numbers. */
static void add_chain_tasks(tension_builder *b, uint32_t *at, uint32_t kind,
    const tension_range *range, uint32_t shift, uint32_t sweeps, uint32_t pass)
{
    for (uint32_t k = 0; k < 2 * sweeps; k++)
        add_task(b, at, kind, range->chains[k % 2] + shift, range->chain_count[k % 2],
            pass == 1 && k > 1 ? 2 : pass);
}

/* Adds the tasks of a copy, with `first`: its first task. Offsets of the parts: `tasks`. */
static void add_copy_tasks(
    tension_builder *b, const tension_range *ranges, uint32_t particles, uint32_t first)
{
    cloth_tension *t = b->tension;
    const tension_range *lines = ranges + t->levels;
    const uint32_t places = CLOTH_TASK_OF_PLACES, chains = CLOTH_TASK_CHAINS,
                   limits = t->limits - t->stages[t->levels].chain_at[0];
    uint32_t at = first;
    add_task(b, &at, CLOTH_TASK_PUBLISH, 0, particles, 0);
    for (uint32_t l = 0; l < t->levels; l++)
        add_task(b, &at, CLOTH_TASK_SAMPLE, ranges[l].places, ranges[l].place_count, 0);
    for (uint32_t l = 0; l < t->levels; l++) {
        uint32_t straight = t->remembers && l >= CLOTH_TURNING_LATTICES ? CLOTH_TASK_STRAIGHT : 0;
        add_chain_tasks(b, &at, chains | places | straight, ranges + l, 0, t->stages[l].sweeps, 1);
        add_task(b, &at, CLOTH_TASK_FOLLOW | places, ranges[l].shares, ranges[l].share_count, 0);
    }
    add_task(b, &at, CLOTH_TASK_FOLLOW, lines->shares, lines->share_count, 0);
    add_task(b, &at, CLOTH_TASK_TAKE, 0, particles, 0);
    for (uint32_t touched = 0; touched < 2; touched++) {
        t->tasks[1 + touched] = at - first;
        add_task(b, &at, CLOTH_TASK_PUBLISH, 0, particles, 0);
        add_chain_tasks(
            b, &at, chains, lines, 0, touched ? CLOTH_TOUCHED_PASSES : 1, touched || t->remembers);
        for (uint32_t d = 0; d < 2 && !touched && t->remembers; d++)
            add_task(b, &at, chains, lines->chains[d] + d * limits, lines->chain_count[d],
                CLOTH_HUNG_PASS);
        for (uint32_t s = t->levels + 1; s < b->stages; s++) {
            const tension_range *pin = ranges + s;
            add_task(b, &at, CLOTH_TASK_SAMPLE, pin->places, pin->place_count, 0);
            add_chain_tasks(b, &at, chains | places, pin, 0, t->stages[s].sweeps, 1);
            add_task(b, &at, CLOTH_TASK_FOLLOW, pin->shares, pin->share_count, 0);
        }
        add_task(b, &at, CLOTH_TASK_TAKE, 0, particles, 0);
    }
    t->tasks[3] = at - first;
    add_task(b, &at, CLOTH_TASK_PUBLISH, 0, particles, 0);
    add_chain_tasks(b, &at, chains, lines, limits, 1, CLOTH_LIMIT_PASS);
    add_task(b, &at, CLOTH_TASK_TAKE, 0, particles, 0);
    t->tasks[4] = at - first;
}

/* Makes the tasks of all copies, after the tables. */
static hed_status make_tasks(tension_builder *b, hed_arena *scratch, hed_error *error)
{
    uint32_t copy_count = cloth_copies(b->cloth), number = 0;
    add_copy_tasks(b, b->ranges, 0, 0); /* counts */
    uint32_t count = b->tension->tasks[4];
    b->tasks = hed_arena_new(scratch, (uint64_t)copy_count * count, sizeof *b->tasks, error);
    if (!b->tasks) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < b->cloth->garment_count; g++)
        for (uint32_t copy = 0; copy < b->cloth->garments[g]->copies; copy++, number++)
            add_copy_tasks(b, b->ranges + (uint64_t)number * b->stages,
                b->cloth->garments[g]->particle_count, number * count);
    return HED_OK;
}

/* Puts the pin lattices of a garment into stages: one stage has no particle twice. */
static hed_status find_pin_stages(
    tension_builder *b, uint32_t g, hed_arena *scratch, hed_error *error)
{
    const cloth_garment *garment = b->cloth->garments[g];
    uint32_t per_copy = garment->lattice_count + garment->pin_lattice_count,
             *next = hed_arena_new(scratch, garment->particle_count, sizeof *next, error);
    b->pin_stage[g] = hed_arena_new(
        scratch, (uint64_t)garment->pin_lattice_count + 1, sizeof *b->pin_stage[g], error);
    b->place_at[g] = hed_arena_new(
        scratch, (uint64_t)garment->copies * per_copy + 1, sizeof *b->place_at[g], error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < garment->pin_lattice_count && !b->tension->remembers; k++) {
        const cloth_lattice *lattice = garment->pin_lattices + k;
        uint32_t stage = 0;
        for (uint32_t i = 0; i < lattice->share_count; i++)
            if (next[lattice->shares[i].point] > stage) stage = next[lattice->shares[i].point];
        for (uint32_t i = 0; i < lattice->share_count; i++)
            next[lattice->shares[i].point] = stage + 1;
        b->pin_stage[g][k] = stage;
        if (stage >= b->tension->pin_stages) b->tension->pin_stages = stage + 1;
    }
    return HED_OK;
}

static hed_status tension_upload(
    hed_cloth *cloth, tension_builder *b, hed_arena *scratch, hed_error *error)
{
    tension_buffers *to = &b->tension->b;
    uint64_t places = b->source_count, edges = b->edge_count;
    if (edges > 1u << 30 || b->share_count > 1u << 28)
        return hed_fail(
            error, HED_ERROR_LIMIT, "%" PRIu64 " edges of lattices: at most 2^30", edges);
    b->sources = hed_arena_new(scratch, 2 * places + 1, sizeof *b->sources, error);
    b->shares = hed_arena_new(scratch, 3 * (uint64_t)b->share_count + 1, sizeof *b->shares, error);
    b->chains = hed_arena_new(scratch, 2 * (uint64_t)b->chain_count + 1, sizeof *b->chains, error);
    b->edges = hed_arena_new(scratch, 2 * edges + 1, sizeof *b->edges, error);
    b->tension->chain_count = b->chain_count;
    b->tension->places = b->source_count;
    b->tension->lengths =
        hed_new(&cloth->allocator, b->chain_count, sizeof *b->tension->lengths, error);
    if (scratch->failed || error->status) return HED_ERROR_MEMORY;
    tension_fill(b);
    if (make_tasks(b, scratch, error)) return error->status;
    const struct {
        const void *content;
        uint64_t bytes;
        hed_buffer **buffer;
    } uploads[] = {{b->sources, 32 * places, &to->sources}, {NULL, 16 * places, &to->places},
        {NULL, 32 * places, &to->from}, {b->shares, 48 * (uint64_t)b->share_count, &to->shares},
        {b->chains, 32 * (uint64_t)b->chain_count, &to->chains}, {b->edges, 8 * edges, &to->edges},
        {NULL, 16 * edges, &to->units}, {NULL, 8 * edges, &to->links},
        {NULL, 4 * edges, &to->pulls}, {NULL, 4 * edges, &to->pulled},
        {b->tasks, (uint64_t)cloth_copies(cloth) * b->tension->tasks[4] * sizeof *b->tasks,
            &to->tasks}};
    for (size_t k = 0; k < HED_COUNT(uploads); k++)
        if (uploads[k].bytes)
            cloth_upload(cloth, uploads[k].content, uploads[k].bytes, uploads[k].buffer, error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_CHAINS, b->chain_count, error);
    cloth_kernel_ensure(cloth, CLOTH_KERNEL_PLACES, places ? places : 1, error);
    return cloth_kernel_ensure(
        cloth, CLOTH_KERNEL_SHARES, b->share_count ? b->share_count : 1, error);
}

static bool chains_give(const cloth_chains *chains)
{
    for (uint32_t e = 0; e < chains->edge_count; e++)
        if (chains->edges[e].compliance > 0.0f) return true;
    return false;
}

static bool any_gives(const cloth_lattice *lattices, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (chains_give(&lattices[k].chains)) return true;
    return false;
}

static hed_status tension_make(
    hed_cloth *cloth, cloth_tension *t, hed_arena *scratch, hed_error *error)
{
    tension_builder b = {.cloth = cloth, .tension = t};
    t->remembers = cloth_remembers(cloth);
    b.place_at = hed_arena_new(scratch, cloth->garment_count, sizeof *b.place_at, error);
    b.pin_stage = hed_arena_new(scratch, cloth->garment_count, sizeof *b.pin_stage, error);
    if (scratch->failed) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        if (garment->lattice_count > t->levels) t->levels = garment->lattice_count;
        if (find_pin_stages(&b, g, scratch, error)) return error->status;
    }
    const hed_cloth *whole = cloth_whole(cloth);
    for (uint32_t g = 0; g < whole->garment_count; g++) {
        const cloth_garment *garment = whole->garments[g];
        t->gives |= chains_give(&garment->tension) ||
                    any_gives(garment->lattices, garment->lattice_count) ||
                    any_gives(garment->pin_lattices, garment->pin_lattice_count);
    }
    b.stages = t->levels + 1 + t->pin_stages;
    t->stages = hed_new(&cloth->allocator, b.stages, sizeof *t->stages, error);
    t->lattices = hed_new(&cloth->allocator, b.stages, sizeof *t->lattices, error);
    b.ranges =
        hed_arena_new(scratch, (uint64_t)cloth_copies(cloth) * b.stages, sizeof *b.ranges, error);
    if (!t->stages || !t->lattices || !b.ranges) return HED_ERROR_MEMORY;
    tension_fill(&b);
    count_sweeps(&b);
    return tension_upload(cloth, &b, scratch, error);
}

bool cloth_has_tension(const hed_cloth *cloth)
{
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        if (cloth->garments[g]->lattice_count || cloth->garments[g]->tension.at[2]) return true;
    return false;
}

hed_status cloth_tension_create(hed_cloth *cloth, cloth_tension **tension, hed_error *error)
{
    *tension = NULL;
    if (!cloth_has_tension(cloth) || error->status) return error->status;
    cloth_tension *t = hed_new(&cloth->allocator, 1, sizeof *t, error);
    if (!t) return HED_ERROR_MEMORY;
    hed_arena scratch = {.allocator = cloth->allocator, .owner = "lattices of cloth"};
    hed_status status = tension_make(cloth, t, &scratch, error);
    hed_arena_free(&scratch);
    if (status) cloth_tension_destroy(cloth, t);
    else *tension = t;
    return status;
}

void cloth_tension_destroy(hed_cloth *cloth, cloth_tension *t)
{
    if (!t) return;
    cloth_buffers_destroy(CLOTH_BUFFERS(&t->b));
    uint64_t stages = (uint64_t)t->levels + 1 + t->pin_stages;
    hed_delete(&cloth->allocator, t->stages, stages, sizeof *t->stages);
    hed_delete(&cloth->allocator, t->lattices, stages, sizeof *t->lattices);
    hed_delete(&cloth->allocator, t->lengths, t->chain_count, sizeof *t->lengths);
    hed_delete(&cloth->allocator, t, 1, sizeof *t);
}

const uint32_t *cloth_tension_lengths(const cloth_tension *t) { return t ? t->lengths : NULL; }

const cloth_lattices *cloth_tension_lattices(const cloth_tension *t, uint32_t *stages)
{
    *stages = t ? t->levels + 1 + t->pin_stages : 0;
    return t ? t->lattices : NULL;
}

uint64_t cloth_tension_bytes(const cloth_tension *t)
{
    return t ? cloth_buffers_bytes(CLOTH_BUFFERS((tension_buffers *)(uintptr_t)&t->b)) : 0;
}

bool cloth_tension_has_lattices(const cloth_tension *t) { return t && t->levels; }

bool cloth_tension_has_pins(const cloth_tension *t) { return t && t->pin_stages; }

uint32_t cloth_tension_launches(const cloth_tension *t)
{
    uint32_t count = 4 + 2 * CLOTH_TOUCHED_PASSES + 3;
    if (!t) return 0;
    for (uint32_t s = 0; s < t->levels + 1 + t->pin_stages; s++)
        count += 2 + 2 * (t->stages[s].sweeps ? t->stages[s].sweeps : 1);
    return count;
}

/* ---- launches ---- */

HED_VIEW_LAUNCH(cloth_chains_launch, CLOTH_CHAINS)
HED_VIEW_LAUNCH(cloth_places_launch, CLOTH_PLACES)
HED_VIEW_LAUNCH(cloth_shares_launch, CLOTH_SHARES)

static void sample_stage_places(hed_cloth *cloth, const cloth_tension *t, uint32_t turns,
    uint32_t first, uint32_t count, hed_error *error)
{
    if (count)
        cloth_run(cloth, CLOTH_KERNEL_PLACES, count,
            HED_VIEW_ARGS(cloth_places_launch, .position = cloth->buffers.position,
                .previous = cloth->buffers.previous, .sources = t->b.sources, .places = t->b.places,
                .from = t->b.from, .turns = turns, .recall = t->remembers ? CLOTH_RECALL : 0.0f,
                .first = first, .count = count),
            error);
}

static void follow_shares(hed_cloth *cloth, const cloth_tension *t, hed_buffer *points,
    uint32_t first, uint32_t count, hed_error *error)
{
    if (count)
        cloth_run(cloth, CLOTH_KERNEL_SHARES, count,
            HED_VIEW_ARGS(cloth_shares_launch, .points = points, .shares = t->b.shares,
                .places = t->b.places, .from = t->b.from, .first = first, .count = count),
            error);
}

/* `pass`: of CLOTH_CHAINS; without compliance there are no multipliers, and limits find zeros. */
static void solve_chains(hed_cloth *cloth, const cloth_tension *t, hed_buffer *points,
    hed_buffer *steps, uint32_t substep, uint32_t pass, uint32_t turns, uint32_t first,
    uint32_t count, hed_error *error)
{
    if (!t->gives && pass < CLOTH_LIMIT_PASS) pass = 0;
    if (count)
        cloth_run(cloth, CLOTH_KERNEL_CHAINS, count,
            HED_VIEW_ARGS(cloth_chains_launch, .points = points,
                .before = cloth_or_none(cloth, t->b.from), .chains = t->b.chains,
                .edges = t->b.edges, .units = t->b.units, .links = t->b.links, .pulls = t->b.pulls,
                .pulled = cloth_or_none(cloth, t->b.pulled), .steps = steps, .substep = substep,
                .pass = pass, .turns = turns, .first = first),
            error);
}

/* Enqueues half sweeps [from, to) of `sweeps` over the chains of a stage. Single sweeps over lattices keep
 * multipliers, too: in a task of sweeps, edges give only with these (sweep_wide.h). */
static void sweep_stage(hed_cloth *cloth, const cloth_tension *t, const tension_stage *s,
    uint32_t sweeps, uint32_t from, uint32_t to, uint32_t turns, hed_buffer *points,
    hed_buffer *steps, uint32_t substep, hed_error *error)
{
    for (uint32_t k = from; k < to; k++) {
        const uint32_t *at = s->chain_at + k % 2;
        uint32_t pass = k < 2 ? 1 : 2;
        if (sweeps == 1 && points == cloth->buffers.position && !t->remembers) pass = 0;
        solve_chains(cloth, t, points, steps, substep, pass, turns, at[0], at[1] - at[0], error);
    }
}

hed_status cloth_tension_solve_lattices(hed_cloth *cloth, const cloth_tension *t, bool touched,
    hed_buffer *steps, uint32_t substep, hed_error *error)
{
    uint32_t places = 0, turns = t && !touched ? t->places : 0;
    if (!t || !t->levels) return error->status;
    for (uint32_t l = 0; l < t->levels; l++) places += t->stages[l].place_count;
    sample_stage_places(cloth, t, turns, t->stages[0].places, places, error);
    for (uint32_t l = 0; l < t->levels; l++) {
        const tension_stage *s = t->stages + l;
        uint32_t sweeps = touched ? s->touched_sweeps : s->sweeps;
        uint32_t turn = t->remembers && l >= CLOTH_TURNING_LATTICES ? 0 : turns;
        sweep_stage(cloth, t, s, sweeps, 0, 2 * sweeps, turn, t->b.places, steps, substep, error);
        follow_shares(cloth, t, t->b.places, s->shares, s->share_count, error);
    }
    return error->status;
}

hed_status cloth_tension_follow(
    hed_cloth *cloth, const cloth_tension *t, hed_buffer *particles, hed_error *error)
{
    if (t && t->levels)
        follow_shares(cloth, t, particles, t->particle_shares, t->particle_share_count, error);
    return error->status;
}

hed_status cloth_tension_solve_lines(hed_cloth *cloth, const cloth_tension *t, uint32_t passes,
    uint32_t from, uint32_t to, hed_buffer *steps, uint32_t substep, hed_error *error)
{
    if (t)
        sweep_stage(cloth, t, t->stages + t->levels, passes, from, to, 0, cloth->buffers.position,
            steps, substep, error);
    return error->status;
}

hed_status cloth_tension_solve_pins(
    hed_cloth *cloth, const cloth_tension *t, hed_buffer *steps, uint32_t substep, hed_error *error)
{
    hed_buffer *position = cloth->buffers.position;
    if (!t) return error->status;
    for (uint32_t k = 0; k < t->pin_stages && !error->status; k++) {
        const tension_stage *s = t->stages + t->levels + 1 + k;
        sample_stage_places(cloth, t, 0, s->places, s->place_count, error);
        sweep_stage(
            cloth, t, s, s->sweeps, 0, 2 * s->sweeps, 0, t->b.places, steps, substep, error);
        follow_shares(cloth, t, position, s->shares, s->share_count, error);
    }
    return error->status;
}

hed_status cloth_tension_limit(
    hed_cloth *cloth, const cloth_tension *t, hed_buffer *steps, uint32_t substep, hed_error *error)
{
    if (!t) return error->status;
    const uint32_t *at = t->stages[t->levels].chain_at;
    for (uint32_t d = 0; d < 2; d++)
        solve_chains(cloth, t, cloth->buffers.position, steps, substep,
            t->remembers ? CLOTH_HUNG_PASS : CLOTH_LIMIT_PASS, 0,
            (t->remembers && d == 0 ? at[0] : t->limits) + at[d] - at[0], at[d + 1] - at[d], error);
    return error->status;
}

cloth_tension_view cloth_tension_describe(const hed_cloth *cloth, const cloth_tension *t)
{
    hed_buffer *none = cloth_or_none(cloth, NULL);
    if (!t)
        return (cloth_tension_view){.tasks = none,
            .sources = none,
            .samples = none,
            .from = none,
            .shares = none,
            .chains = none,
            .edges = none,
            .units = none,
            .links = none,
            .pulls = none,
            .pulled = none};
    const tension_buffers *b = &t->b;
    return (cloth_tension_view){.tasks = b->tasks,
        .sources = cloth_or_none(cloth, b->sources),
        .samples = cloth_or_none(cloth, b->places),
        .from = cloth_or_none(cloth, b->from),
        .shares = cloth_or_none(cloth, b->shares),
        .chains = b->chains,
        .edges = b->edges,
        .units = b->units,
        .links = b->links,
        .pulls = b->pulls,
        .pulled = cloth_or_none(cloth, b->pulled),
        .task_at = t->tasks,
        .turns = t->places,
        .gives = t->gives};
}
