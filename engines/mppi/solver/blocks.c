/* Samples in blocks: consecutive samples are summed separately, as controller.h specifies, and
 * merged here on the host, in the order of blocks:
 *
 * min S = min m_b,  f_b = exp((min S - m_b) / lambda),  sum w = sum f_b w_b,  sum w^2 = sum
 * f_b^2 w2_b,
 * mean = sum (f_b w_b / sum w) mean_b
 *
 * Each of several devices gets whole blocks, so the bits of strict mode depend on the number of
 * blocks and not on the devices. A device's part is a copy of its controller, with the
 * controller's arrays and its own solver: every device gets the whole round and returns T nu + 4
 * floats for each block. Rounds begin on all devices before the first wait. */
#include "kernels/words.h"
#include "kernels/order.h"
#include "model/controller.h"

enum { BLOCK_UNIT = 512 }; /* the largest tile, so a block consists of whole tiles in any layout */

hed_status mppi_make_blocks(hed_mppi *c, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    uint64_t size = (uint64_t)c->def.steps * c->model.controls;
    c->blocks = c->def.blocks;
    c->block = c->def.samples;
    if (c->blocks > 1)
        c->block = (uint32_t)hed_ceil_divide(c->def.samples, c->blocks * BLOCK_UNIT) * BLOCK_UNIT;
    c->shares = c->systems * c->blocks;
    if (c->blocks == 1) return HED_OK;
    c->block_mean = hed_arena_new(&c->arena, c->shares * size, sizeof(float), error);
    c->block_sums = hed_arena_new(&c->arena, 4ull * c->shares, sizeof(float), error);
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_merge_blocks(hed_mppi *c, const mppi_sampling *round)
{
    uint64_t size = (uint64_t)c->def.steps * c->model.controls, n = c->systems;
    hed_float_state state = hed_float_strict();
    for (uint64_t s = 0; s < n; s++) {
        float *to = round->sums + 4 * s, *mean = round->mean + s * size, factor[MPPI_MOST_BLOCKS];
        float inverse = 1.0f / round->lambda[s % c->def.count];
        memset(mean, 0, size * sizeof *mean);
        memset(to, 0, 4 * sizeof *to);
        to[0] = MPPI_OUT;
        for (uint32_t b = 0; b < c->def.blocks; b++)
            to[0] = mppi_min(c->block_sums[4 * (b * n + s)], to[0]);
        for (uint32_t b = 0; b < c->def.blocks; b++) {
            const float *sums = c->block_sums + 4 * (b * n + s);
            factor[b] = mppi_weight(to[0], sums[0], inverse);
            to[1] += factor[b] * sums[1];
            to[2] += factor[b] * factor[b] * sums[2];
            to[3] += sums[3];
        }
        for (uint32_t b = 0; b < c->def.blocks; b++) {
            const float *from = c->block_mean + (b * n + s) * size;
            float weight = factor[b] * c->block_sums[4 * (b * n + s) + 1];
            /* all samples crashed, or there is none: the mean is undefined */
            if (!(weight > 0)) continue;
            for (uint64_t j = 0; j < size; j++) mean[j] += weight / to[1] * from[j];
        }
    }
    hed_float_restore(state);
}

/* ---- several devices ---- */

static hed_status devices_create(hed_mppi *c, hed_error *error)
{
    uint32_t count = 1 + c->def.other_device_count;
    hed_device **devices =
        hed_arena_new(&c->arena, c->def.other_device_count, sizeof *devices, error);
    hed_mppi **parts = hed_arena_new(&c->arena, count, sizeof *parts, error);
    if (hed_failed(error)) return error->status;
    memcpy(devices, c->def.other_devices, c->def.other_device_count * sizeof *devices);
    c->def.other_devices = devices;
    for (uint32_t i = 0; i < count; i++) {
        hed_mppi *part = hed_arena_new(&c->arena, 1, sizeof *part, error);
        if (!part) return error->status;
        *part = *c; /* including all pointers; c->parts is still NULL */
        parts[i] = part;
        part->arena = (hed_arena){.allocator = c->arena.allocator}; /* empty: its arrays are c's */
        part->structure = (mppi_structure){0};
        part->device = i ? devices[i - 1] : c->device;
        part->first_block = i * c->blocks / count;
        part->blocks = (i + 1) * c->blocks / count - part->first_block;
        part->shares = c->systems * part->blocks;
    }
    c->parts = parts;
    for (uint32_t i = 0; i < count && !hed_failed(error); i++) {
        if (!parts[i]->device)
            return hed_fail(error, HED_ERROR_ARGUMENT, "mppi: device %u of also is NULL", i - 1);
        mppi_make_structure(parts[i], error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Returns the round of a part, with the results of its own blocks. */
static mppi_sampling devices_round(const hed_mppi *c, uint32_t i, const mppi_sampling *round)
{
    uint64_t first = (uint64_t)c->parts[i]->first_block * c->systems;
    mppi_sampling part_round = *round;
    part_round.counted = NULL; /* the controller counts all */
    part_round.mean += first * c->def.steps * c->model.controls;
    part_round.sums += 4 * first;
    return part_round;
}

/* Waits for the first `count` parts, even after an error. */
static hed_status devices_wait(
    hed_mppi *c, const mppi_sampling *round, uint32_t count, hed_error *error)
{
    hed_status status = HED_OK;
    for (uint32_t i = 0; i < count; i++) {
        hed_error part_error = {0};
        mppi_sampling part = devices_round(c, i, round);
        hed_status ended = c->parts[i]->structure.solver->end(c->parts[i], &part, &part_error);
        if (!ended || (status && status != HED_ERROR_TIMEOUT)) continue;
        status = ended;
        if (!hed_failed(error) && hed_failed(&part_error)) *error = part_error;
    }
    return status;
}

static hed_status devices_begin(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    uint32_t count = 1 + c->def.other_device_count, begun = 0;
    for (; begun < count; begun++) {
        hed_mppi *part = c->parts[begun];
        mppi_sampling part_round = devices_round(c, begun, round);
        part->noise_number = c->noise_number;
        if (part->structure.solver->begin(part, &part_round, error)) break;
    }
    if (begun < count) devices_wait(c, round, begun, error);
    return hed_failed(error) ? error->status : HED_OK;
}

static hed_status devices_end(hed_mppi *c, const mppi_sampling *round, hed_error *error)
{
    return devices_wait(c, round, 1 + c->def.other_device_count, error);
}

static hed_status devices_table(hed_mppi *c, uint32_t table, hed_error *error)
{
    for (uint32_t i = 0; i <= c->def.other_device_count && !hed_failed(error); i++) {
        hed_mppi *part = c->parts[i]; /* the table itself belongs to the controller */
        part->structure.solver->table(part, table, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Traces the first `count` samples, part after part. */
static hed_status devices_trace_first(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, float *states, float *costs, hed_error *error)
{
    uint64_t size = (uint64_t)(c->def.steps + 1) * c->model.states;
    for (uint32_t i = 0, done = 0; done < count && !hed_failed(error); i++) {
        hed_mppi *part = c->parts[i];
        uint32_t samples = mppi_own_samples(part),
                 n = count - done < samples ? count - done : samples;
        part->structure.solver->trace(part, round, system, n, false,
            states ? states + done * size : NULL, costs ? costs + done : NULL, error);
        done += n;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

/* Traces the samples of least cost of every part, and merges them by cost. */
static hed_status devices_trace(hed_mppi *c, const mppi_sampling *round, uint32_t system,
    uint32_t count, bool best, float *states, float *costs, hed_error *error)
{
    if (!best) return devices_trace_first(c, round, system, count, states, costs, error);
    uint64_t size = (uint64_t)(c->def.steps + 1) * c->model.states;
    uint32_t parts = 1 + c->def.other_device_count, next[MPPI_MOST_BLOCKS] = {0},
             own[MPPI_MOST_BLOCKS];
    hed_arena arena = {.allocator = c->arena.allocator, .owner = "a trace"};
    float *all_states = hed_arena_new(&arena, parts * count * size, sizeof *all_states, error);
    float *cost = hed_arena_new(&arena, (uint64_t)parts * count, sizeof *cost, error);
    for (uint32_t i = 0; i < parts && !hed_failed(error); i++) {
        own[i] = mppi_own_samples(c->parts[i]);
        if (own[i] > count) own[i] = count;
        if (own[i])
            c->parts[i]->structure.solver->trace(c->parts[i], round, system, own[i], true,
                all_states + i * count * size, cost + (uint64_t)i * count, error);
    }
    for (uint32_t n = 0; n < count && !hed_failed(error); n++) {
        uint32_t from = parts;
        for (uint32_t i = 0; i < parts; i++)
            if (next[i] < own[i] &&
                (from == parts || cost[i * count + next[i]] < cost[from * count + next[from]]))
                from = i;
        uint64_t at = (uint64_t)from * count + next[from]++;
        if (costs) costs[n] = cost[at];
        if (states) memcpy(states + n * size, all_states + at * size, size * sizeof *states);
    }
    hed_arena_free(&arena);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Runs on the first part, which has the controller's plan and states. */
static hed_status devices_along(hed_mppi *c, hed_error *error)
{
    return c->parts[0]->structure.solver->along(c->parts[0], error);
}

static void devices_destroy(hed_mppi *c)
{
    for (uint32_t i = 0; c->parts && i <= c->def.other_device_count; i++)
        if (c->parts[i]) mppi_drop_structure(c->parts[i], &c->parts[i]->structure);
}

const mppi_solver mppi_solver_devices = {.create = devices_create,
    .begin = devices_begin,
    .end = devices_end,
    .table = devices_table,
    .trace = devices_trace,
    .along = devices_along,
    .destroy = devices_destroy};

hed_status mppi_round(hed_mppi *c, mppi_sampling *round, hed_error *error)
{
    float *mean = round->mean, *sums = round->sums;
    if (c->block_mean) {
        round->mean = c->block_mean;
        round->sums = c->block_sums;
    }
    uint64_t begin = hed_now();
    hed_status status = c->structure.solver->begin(c, round, error);
    uint64_t submitted = hed_now();
    if (!status) status = c->structure.solver->end(c, round, error);
    c->stages.submit_ns += submitted - begin;
    c->stages.wait_ns += hed_now() - submitted;
    round->mean = mean;
    round->sums = sums;
    if (!status && c->block_mean) mppi_merge_blocks(c, round);
    return status;
}
