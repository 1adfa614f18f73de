/* Lattices and tension along lines for HED_CLOTH_SOLVER_CPU. Eight chains are solved at once, one
 * in each SIMD lane. A lattice is solved by one thread, its particles follow in all threads. */
#include "solver/native.h"
#include "solver/second_order.h"

#include "model/cloth_lattice.h"

#include <string.h>

/* Give of a coarse lattice of a mesh / that on other devices. This solver sweeps over the elements of
 * the whole mesh, not of each patch alone, so that they hold more of the requested force. */
static const float MESH_GIVE = 2.0f;

/* ---- tables ---- */

typedef struct lattice_builder {
    const hed_cloth *cloth;
    cloth_native_lattices *result;
} lattice_builder;

static void write_chain_pack(const cloth_chains *chains, uint32_t direction, uint32_t first,
    uint32_t copies, uint32_t particle, uint32_t particles, float give, uint32_t *words)
{
    uint32_t begin = chains->at[direction], chain_count = chains->at[direction + 1] - begin;
    for (uint32_t lane = 0; lane < CLOTH_LANES; lane++) {
        uint32_t number = first + lane < chain_count * copies ? first + lane : first;
        const cloth_chain *chain = chains->chains + begin + number % chain_count;
        const cloth_edge *edge = chains->edges + chain->edges;
        words[lane] =
            (uint32_t)((particle + (uint64_t)(number / chain_count) * particles + chain->first) *
                       sizeof(float4));
        for (uint32_t j = 0; j < chain->count; j++, edge++) {
            words[CLOTH_LANES * (1 + 2 * j) + lane] = hed_as_uint(edge->rest);
            words[CLOTH_LANES * (2 + 2 * j) + lane] = hed_as_uint(give * edge->compliance);
        }
    }
}

/* Makes the packs of chains of `copies` copies, whose points begin at `particle` and are
 * `particles` apart. `give`: factor of the edges' compliance. */
static hed_status make_chain_packs(lattice_builder *b, const cloth_chains *chains, uint32_t copies,
    uint32_t particle, uint32_t particles, float give, cloth_chain_packs *packs, hed_error *error)
{
    cloth_native_lattices *result = b->result;
    uint64_t count = 0, words = 0;
    for (uint32_t d = 0; d < 2; d++) {
        uint64_t chain_count = chains->at[d + 1] - chains->at[d], lanes = CLOTH_LANES;
        uint64_t pack_count = (chain_count * copies + lanes - 1) / lanes;
        uint32_t edges = chain_count ? chains->chains[chains->at[d]].count : 0;
        count += pack_count;
        packs->at[d + 1] = (uint32_t)count;
        words += pack_count * CLOTH_LANES * (1 + 2 * (uint64_t)edges);
        if (edges > result->longest) result->longest = edges;
    }
    packs->packs = hed_arena_new(&result->arena, count, sizeof *packs->packs, error);
    uint32_t *at = hed_arena_new(&result->arena, words, sizeof *at, error);
    if (result->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t e = 0; e < chains->edge_count; e++)
        packs->gives |= chains->edges[e].compliance > 0.0f;
    for (uint32_t d = 0, p = 0; d < 2; d++)
        for (uint32_t k = 0; p < packs->at[d + 1]; k += CLOTH_LANES, p++) {
            const cloth_chain *chain = chains->chains + chains->at[d];
            packs->packs[p] =
                (cloth_chain_pack){at, chain->count, (uint32_t)(chain->step * sizeof(float4)),
                    chains->low, chains->high, chains->soften, 0};
            write_chain_pack(chains, d, k, copies, particle, particles, give, at);
            at += CLOTH_LANES * (1 + 2 * (uint64_t)chain->count);
        }
    return HED_OK;
}

static uint32_t pulled_rows(const cloth_chain_packs *packs)
{
    uint32_t rows = 0;
    for (uint32_t p = 0; packs->gives && p < packs->at[2]; p++) rows += packs->packs[p].count;
    return rows;
}

/* Makes the limits of a garment's lines, and their multipliers. */
static hed_status make_limits(
    cloth_native_lattices *result, cloth_native_garment *native, hed_error *error)
{
    const cloth_chain_packs *tension = &native->tension;
    cloth_chain_pack *packs = hed_arena_new(&result->arena, tension->at[2], sizeof *packs, error);
    if (!packs) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < tension->at[2]; k++) {
        packs[k] = tension->packs[k];
        packs[k].limits = result->remembers ? CLOTH_HUNG_PASS : CLOTH_LIMIT_PASS;
        if (result->remembers && k < tension->at[1]) continue; /* tension again */
        packs[k].low = 0.0f;
        packs[k].high *= CLOTH_LIMIT;
    }
    native->limits = *tension;
    native->limits.packs = packs;
    if (tension->gives)
        native->pulled = hed_arena_new(&result->arena, CLOTH_LANES * (uint64_t)pulled_rows(tension),
            sizeof *native->pulled, error);
    return result->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

/* Makes the packs of a garment, and the places of its copies. */
static hed_status make_lattices_of(lattice_builder *b, uint32_t g, hed_error *error)
{
    cloth_native_lattices *result = b->result;
    const cloth_garment *garment = b->cloth->garments[g];
    cloth_native_garment *native = result->garments + g;
    uint32_t pins = result->remembers ? 0 : garment->pin_lattice_count,
             count = garment->lattice_count + pins, places = 0;
    native->level_count = garment->lattice_count;
    native->lattice_count = count;
    if (garment->tension.at[2] &&
        (make_chain_packs(b, &garment->tension, garment->copies, b->cloth->first_particle[g],
             garment->particle_count, 1.0f, &native->tension, error) ||
            make_limits(result, native, error)))
        return error->status;
    if (!count) return HED_OK;
    native->lattices = hed_arena_new(&result->arena, count, sizeof *native->lattices, error);
    if (!native->lattices) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < count; k++) {
        cloth_native_lattice *lattice = native->lattices + k;
        lattice->lattice = k < garment->lattice_count
                               ? garment->lattices + k
                               : garment->pin_lattices + k - garment->lattice_count;
        float give = garment->element_count && lattice->lattice->is_inner ? MESH_GIVE : 1.0f;
        if (make_chain_packs(b, &lattice->lattice->chains, 1, 0, 0, give, &lattice->chains, error))
            return error->status;
        uint32_t rows = pulled_rows(&lattice->chains);
        if (rows > result->most_pulled) result->most_pulled = rows;
        lattice->at = places;
        lattice->follows = k > 0 && lattice[-1].lattice->is_inner;
        places += lattice->lattice->place_count;
    }
    for (uint32_t copy = 0; copy < garment->copies; copy++) {
        cloth_native_copy *c = result->copies + result->copy_count++;
        c->garment = g;
        c->first = b->cloth->first_particle[g] + copy * garment->particle_count;
        c->places = hed_arena_new(&result->arena, places, sizeof *c->places, error);
        c->motions = hed_arena_new(&result->arena, places, sizeof *c->motions, error);
        c->before = hed_arena_new(&result->arena, places, sizeof *c->before, error);
    }
    return result->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

hed_status cloth_native_lattices_create(
    const hed_cloth *cloth, cloth_native_lattices **lattices, hed_error *error)
{
    hed_arena arena = {.allocator = cloth->allocator, .owner = "lattices of cloth"};
    uint32_t count = 0;
    *lattices = NULL;
    for (uint32_t g = 0; g < cloth->garment_count; g++)
        count += cloth->garments[g]->tension.at[2] + cloth->garments[g]->lattice_count;
    if (!count) return HED_OK;
    cloth_native_lattices *result = hed_arena_new(&arena, 1, sizeof *result, error);
    if (!result) return HED_ERROR_MEMORY;
    result->arena = arena;
    result->garment_count = cloth->garment_count;
    result->remembers = cloth_remembers(cloth);
    lattice_builder b = {cloth, result};
    result->garments =
        hed_arena_new(&result->arena, cloth->garment_count, sizeof *result->garments, error);
    result->copies =
        hed_arena_new(&result->arena, cloth_copies(cloth), sizeof *result->copies, error);
    hed_status status = result->arena.failed ? HED_ERROR_MEMORY : HED_OK;
    for (uint32_t g = 0; g < cloth->garment_count && !status; g++)
        status = make_lattices_of(&b, g, error);
    if (status) cloth_native_lattices_destroy(result);
    else *lattices = result;
    return status;
}

void cloth_native_lattices_destroy(cloth_native_lattices *lattices)
{
    if (lattices) hed_arena_free(&lattices->arena);
}

uint64_t cloth_native_lattices_scratch(const cloth_native_lattices *lattices)
{
    return CLOTH_LINE_SCRATCH * (uint64_t)lattices->longest +
           CLOTH_LANES * (uint64_t)lattices->most_pulled;
}

/* ---- substeps ---- */

static float4 sample_place(const cloth_place *place, const float4 *particles)
{
    float4 sum = {0, 0, 0, place->inverse_mass};
    for (int v = 0; v < 3; v++) {
        const float4 *at = particles + place->particle[v];
        sum.x += place->part[v] * at->x;
        sum.y += place->part[v] * at->y;
        sum.z += place->part[v] * at->z;
    }
    return sum;
}

/* Samples the places of a lattice, which start with the motions of the next coarser lattice. */
static void sample_places(const cloth_native_lattices *lattices, const cloth_native_lattice *native,
    const cloth_native_copy *copy, const cloth_crew *crew)
{
    const cloth_lattice *lattice = native->lattice;
    float4 *places = copy->places + native->at, *motions = copy->motions + native->at;
    for (uint32_t p = 0; p < lattice->place_count; p++)
        places[p] = motions[p] = sample_place(lattice->places + p, crew->positions + copy->first);
    for (uint32_t p = 0; p < lattice->place_count && crew->previous; p++)
        copy->before[native->at + p] =
            cloth_place_past(sample_place(lattice->places + p, crew->previous + copy->first),
                places[p], lattices->remembers ? CLOTH_RECALL : 0.0f);
}

/* Solves the chains of a lattice, and computes the motions of its places. `turns`: its edges pull as
 * cloth_chain_axis() says, if the crew has previous positions. */
static void solve_lattice(const cloth_native_lattices *lattices, const cloth_native_lattice *native,
    const cloth_native_copy *copy, bool turns, const cloth_crew *crew)
{
    const cloth_lattice *lattice = native->lattice;
    const float4 *before = turns && crew->previous ? copy->before + native->at : NULL;
    float4 *places = copy->places + native->at, *motions = copy->motions + native->at;
    float *pulled = native->chains.gives
                        ? crew->scratch + CLOTH_LINE_SCRATCH * (uint64_t)lattices->longest
                        : NULL;
    if (pulled)
        memset(pulled, 0, CLOTH_LANES * sizeof *pulled * (uint64_t)pulled_rows(&native->chains));
    sample_places(lattices, native, copy, crew);
    if (native->follows) {
        const cloth_native_lattice *coarser = native - 1;
        crew->functions->follow(places, coarser->lattice->shares, coarser->lattice->share_count,
            copy->motions + coarser->at);
    }
    uint32_t sweeps = lattices->remembers ? lattice->hung_sweeps
                      : crew->previous    ? lattice->sweeps
                                          : lattice->touched_sweeps;
    for (uint32_t sweep = 0; sweep < sweeps; sweep++) {
        float *at = pulled;
        for (uint32_t k = 0; k < native->chains.at[2]; k++) {
            const cloth_chain_pack *pack = native->chains.packs + k;
            crew->functions->chain(places, before, pack, crew->stiffness, crew->scratch, at);
            if (at) at += CLOTH_LANES * (uint64_t)pack->count;
        }
    }
    for (uint32_t p = 0; p < lattice->place_count; p++)
        motions[p] = (float4){places[p].x - motions[p].x, places[p].y - motions[p].y,
            places[p].z - motions[p].z, 0.0f};
}

static void crew_barrier(const cloth_crew *crew)
{
    if (crew->threads > 1) hed_team_barrier(crew->team);
}

/* Moves the particles of a lattice: part `part` of `parts`. */
static void move_particles(const cloth_native_lattice *native, const cloth_native_copy *copy,
    const cloth_crew *crew, uint32_t part, uint32_t parts)
{
    const cloth_lattice *lattice = native->lattice;
    uint64_t begin = (uint64_t)lattice->share_count * part / parts,
             end = (uint64_t)lattice->share_count * (part + 1) / parts;
    if (lattice->is_inner) return;
    crew->functions->follow(crew->positions + copy->first, lattice->shares + begin,
        (uint32_t)(end - begin), copy->motions + native->at);
}

void cloth_native_coarse(const cloth_native_lattices *lattices, const cloth_crew *crew)
{
    for (int phase = 0; phase < 2; phase++) {
        for (uint32_t k = 0; k < lattices->copy_count && crew->member < crew->threads; k++) {
            const cloth_native_copy *copy = lattices->copies + k;
            const cloth_native_garment *garment = lattices->garments + copy->garment;
            if (!phase && k % crew->threads != crew->member) continue;
            for (uint32_t l = 0; l < garment->level_count; l++)
                if (phase)
                    move_particles(garment->lattices + l, copy, crew, crew->member, crew->threads);
                else
                    solve_lattice(lattices, garment->lattices + l, copy,
                        !lattices->remembers || l < CLOTH_TURNING_LATTICES, crew);
        }
        crew_barrier(crew);
    }
}

/* Passes over the lines: one, the first of several, a later one, limits. */
typedef enum line_pass { ONLY_PASS, FIRST_PASS, LATER_PASS, LIMIT_PASS } line_pass;

static void do_direction(const cloth_native_lattices *lattices, uint32_t direction, line_pass pass,
    const cloth_crew *crew)
{
    for (uint32_t g = 0; g < lattices->garment_count; g++) {
        const cloth_native_garment *garment = lattices->garments + g;
        const cloth_chain_packs *lines = pass == LIMIT_PASS ? &garment->limits : &garment->tension;
        uint64_t first = lines->at[direction], count = lines->at[direction + 1] - first,
                 before = first ? first * lines->packs[0].count : 0;
        for (uint64_t k = count * crew->member / crew->threads;
             k < count * (crew->member + 1) / crew->threads; k++) {
            const cloth_chain_pack *pack = lines->packs + first + k;
            float *pulled = garment->pulled && pass != ONLY_PASS
                                ? garment->pulled + CLOTH_LANES * (before + k * pack->count)
                                : NULL;
            if (pulled && pass == FIRST_PASS)
                memset(pulled, 0, CLOTH_LANES * sizeof *pulled * (uint64_t)pack->count);
            crew->functions->chain(
                crew->positions, NULL, pack, crew->stiffness, crew->scratch, pulled);
            if (pass == LIMIT_PASS)
                crew->functions->shorten(crew->positions, pack, crew->stiffness, pulled);
        }
    }
}

static void do_lines_of_garments(
    const cloth_native_lattices *lattices, line_pass pass, const cloth_crew *crew)
{
    for (uint32_t direction = 0; direction < 2; direction++) {
        if (crew->member < crew->threads) do_direction(lattices, direction, pass, crew);
        crew_barrier(crew);
    }
}

void cloth_native_tension(
    const cloth_native_lattices *lattices, uint32_t passes, const cloth_crew *crew)
{
    do_lines_of_garments(
        lattices, passes > 1 || lattices->remembers ? FIRST_PASS : ONLY_PASS, crew);
    for (uint32_t k = 1; k < passes; k++) do_lines_of_garments(lattices, LATER_PASS, crew);
    for (uint32_t k = crew->member; k < lattices->copy_count; k += crew->threads) {
        const cloth_native_copy *copy = lattices->copies + k;
        const cloth_native_garment *garment = lattices->garments + copy->garment;
        if (crew->member >= crew->threads) break;
        for (uint32_t l = garment->level_count; l < garment->lattice_count; l++) {
            solve_lattice(lattices, garment->lattices + l, copy, false, crew);
            move_particles(garment->lattices + l, copy, crew, 0, 1);
        }
    }
    crew_barrier(crew);
}

void cloth_native_limit(const cloth_native_lattices *lattices, const cloth_crew *crew)
{
    do_lines_of_garments(lattices, LIMIT_PASS, crew);
}
