/* hed_cloth_evaluate(): violation of the constraints, computed in double on the host. */
#include "object/division.h"
#include "solver/host.h"
#include "solver/second_order.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#undef fabs /* fabs() of double; words.h defines it for float */
#undef sqrt

/* Arrays that are read from the device. */
typedef struct particles {
    float4 *position, *previous;
    uint2 *carry;
} particles;

typedef struct sums {
    double squares; /* sum of (violation / rest length)^2 */
    uint64_t constraints;
    float *stretch; /* (structural) stretch of the structural constraints */
    uint64_t structural;
} sums;

/* Selects the value of rank `rank` (from 0) of an array and changes its order (C. A. R. Hoare,
 * Algorithm 65: Find, 1961). */
static double select_rank(float *values, uint64_t count, uint64_t rank)
{
    uint64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[low + (high - low) / 2];
        uint64_t i = low, j = high;
        for (;;) {
            while (values[i] < pivot) i++;
            while (pivot < values[j]) j--;
            if (i >= j) break;
            float other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
        /* Elements up to j are at most the pivot, elements from j + 1 on at least. */
        if (rank <= j) high = j;
        else low = j + 1;
    }
    return (double)values[rank];
}

static uint64_t count_structural(const hed_cloth *cloth)
{
    uint64_t count = 0;
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        uint64_t owned = 0;
        for (uint32_t i = 0; i < garment->constraint_count; i++)
            owned += garment->families[i] == HED_CLOTH_STRUCTURAL;
        count += owned * garment->copies;
    }
    return count;
}

static void measure_constraints(
    const cloth_garment *g, const float4 *positions, hed_cloth_metrics *quality, sums *total)
{
    for (uint32_t i = 0; i < g->constraint_count; i++) {
        const hed_cloth_constraint *c = &g->constraints[i];
        const hed_cloth_material *m = &g->materials[c->material];
        float4 a = positions[c->a], b = positions[c->b];
        double x = (double)b.x - a.x, y = (double)b.y - a.y, z = (double)b.z - a.z;
        double length = sqrt(x * x + y * y + z * z);
        double low = (double)c->rest * m->compress, high = (double)c->rest * m->stretch;
        double beyond = length > high ? length - high : length < low ? low - length : 0.0;
        total->squares += beyond / c->rest * (beyond / c->rest);
        total->constraints++;
        if (g->families[i] != HED_CLOTH_STRUCTURAL) continue;
        double stretch = length / high - 1.0;
        if (stretch > quality->worst_stretch) quality->worst_stretch = stretch;
        /* skips infinity and NaN, which have no rank */
        if (isfinite((float)stretch)) total->stretch[total->structural++] = (float)stretch;
    }
}

/* Adds the bits of a position to a checksum (FNV-1a). */
static uint64_t add_bits(uint64_t hash, float x, float y, float z)
{
    const uint32_t words[3] = {hed_canonical_bits(x), hed_canonical_bits(y), hed_canonical_bits(z)};
    for (int i = 0; i < 12; i++)
        hash = (hash ^ (words[i / 4] >> 8 * (i % 4) & 255)) * 0x100000001b3u;
    return hash;
}

static void measure_particles(
    const hed_cloth *cloth, const particles *arrays, hed_cloth_metrics *quality)
{
    const hed_cloth *lead = cloth_lead(cloth);
    double energy = 0.0, dt = lead->last_dt,
           more = 1.0 + (cloth_remembers(cloth) ? (double)CLOTH_RECALL : 0.0);
    uint64_t hash = add_bits(0xcbf29ce484222325u, (float)lead->origin[0], (float)lead->origin[1],
        (float)lead->origin[2]);
    for (uint32_t g = 0; g < cloth->garment_count && lead->is_apart; g++) {
        const double *origin = lead->homes[g].origin;
        hash = add_bits(hash, (float)origin[0], (float)origin[1], (float)origin[2]);
    }
    for (uint32_t i = 0, g = 0; i < cloth->particles; i++) {
        float4 p = arrays->position[i];
        while (i >= cloth->first_particle[g + 1]) g++;
        if (i >= cloth->first_particle[g + 1] - cloth->garments[g]->spare_count) continue;
        const double *origin = lead->homes[g].origin,
                     at[3] = {p.x + origin[0], p.y + origin[1], p.z + origin[2]};
        float4 before = arrays->previous[i], carry = cloth_carry_of(arrays->carry[i]);
        double x = more * ((double)p.x - before.x) + carry.x,
               y = more * ((double)p.y - before.y) + carry.y,
               z = more * ((double)p.z - before.z) + carry.z;
        double moved = sqrt(x * x + y * y + z * z);
        hash = add_bits(hash, p.x, p.y, p.z);
        if (!cloth_finite(p)) quality->not_finite++;
        if (p.w > 0.0f && dt > 0.0) energy += 0.5 / p.w * (moved / dt) * (moved / dt);
        for (int k = 0; k < 3; k++) {
            if (i == 0 || at[k] < quality->low[k]) quality->low[k] = at[k];
            if (i == 0 || at[k] > quality->high[k]) quality->high[k] = at[k];
        }
    }
    quality->kinetic_energy = energy;
    quality->hash = hash;
}

static void quality_measure(
    const hed_cloth *cloth, const particles *arrays, float *stretch, hed_cloth_metrics *quality)
{
    sums total = {.stretch = stretch};
    *quality = (hed_cloth_metrics){.worst_stretch = -1.0};
    for (uint32_t g = 0; g < cloth->garment_count; g++) {
        const cloth_garment *garment = cloth->garments[g];
        for (uint32_t copy = 0; copy < garment->copies; copy++)
            measure_constraints(garment,
                arrays->position + cloth->first_particle[g] + copy * garment->particle_count,
                quality, &total);
    }
    if (quality->worst_stretch == -1.0) quality->worst_stretch = 0.0; /* no structural constraint */
    if (total.structural) {
        quality->stretch_p99 =
            select_rank(stretch, total.structural, (total.structural * 99 + 99) / 100 - 1);
        quality->stretch_p50 =
            select_rank(stretch, total.structural, (total.structural + 1) / 2 - 1);
    }
    quality->residual = total.constraints ? sqrt(total.squares / (double)total.constraints) : 0.0;
    measure_particles(cloth, arrays, quality);
}

/* Adds the contacts of all parts: sums of their counts. */
static hed_status measure_contacts(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error)
{
    for (uint32_t i = 0; i < cloth_part_count(cloth) && !error->status; i++) {
        hed_cloth_metrics own = *quality;
        cloth_contacts_measure(cloth_part(cloth, i), i ? &own : quality, error);
        if (i == 0) continue;
        quality->body_pairs_most += own.body_pairs_most;
        quality->body_pressed += own.body_pressed;
    }
    return error->status;
}

hed_status hed_cloth_evaluate(hed_cloth *cloth, hed_cloth_metrics *quality, hed_error *error)
{
    HED_REQUIRE(cloth, quality);
    hed_error unreported = {0};
    if (!error) error = &unreported;
    const hed_allocator *a = &cloth->allocator;
    const uint64_t count = cloth->particles;
    particles arrays = {.position = hed_new(a, count, sizeof *arrays.position, error)};
    if (arrays.position) arrays.previous = hed_new(a, count, sizeof *arrays.previous, error);
    if (arrays.previous) arrays.carry = hed_new(a, count, sizeof *arrays.carry, error);
    uint64_t structural = count_structural(cloth) + 1;
    float *stretch = arrays.carry ? hed_new(a, structural, sizeof *stretch, error) : NULL;
    cloth_read_rows(cloth, CLOTH_ROWS(position, sizeof(float4), 1), arrays.position, error);
    cloth_read_rows(cloth, CLOTH_ROWS(previous, sizeof(float4), 1), arrays.previous, error);
    cloth_read_rows(cloth, CLOTH_ROWS(carry, sizeof(uint2), 1), arrays.carry, error);
    if (!cloth_wait_parts(cloth, error)) {
        quality_measure(cloth, &arrays, stretch, quality);
        measure_contacts(cloth, quality, error);
    }
    hed_delete(a, stretch, structural, sizeof *stretch);
    hed_delete(a, arrays.carry, count, sizeof *arrays.carry);
    hed_delete(a, arrays.previous, count, sizeof *arrays.previous);
    hed_delete(a, arrays.position, count, sizeof *arrays.position);
    return error->status;
}

hed_status hed_cloth_use_native(
    hed_cloth *cloth, hed_cloth_algorithm algorithm, bool native, hed_error *error)
{
    HED_REQUIRE(cloth);
    if ((unsigned)algorithm >= HED_CLOTH_ALGORITHM_COUNT)
        return hed_fail(error, HED_ERROR_ARGUMENT, "algorithm %d: there are four", (int)algorithm);
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++) {
        hed_cloth_solver solver = cloth_part(cloth, i)->ops->id;
        if (solver != HED_CLOTH_SOLVER_COLOURS && solver != HED_CLOTH_SOLVER_SETS)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "solver %s does all algorithms in one kernel: colours and sets can have one replaced",
                hed_cloth_solver_name(solver));
    }
    for (uint32_t i = 0; i < cloth_part_count(cloth); i++)
        cloth_part(cloth, i)->host->native[algorithm] = native;
    return HED_OK;
}
