/* A Gaussian process conditioned on observations: see posterior.h. */
#include "search/posterior.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static const double LEAST_VARIANCE = 1e-9;

/* ---- memory ---- */

static size_t posterior_whitened_size(const hed_posterior *posterior)
{
    return (size_t)posterior->block_count * posterior->capacity * sizeof *posterior->whitened;
}

bool hed_posterior_create(const hed_allocator *allocator, const hed_space *space,
    const hed_covariance *covariance, uint32_t capacity, uint32_t block_count,
    hed_posterior *posterior)
{
    *posterior =
        (hed_posterior){.allocator = *allocator, .capacity = capacity, .block_count = block_count};
    bool allocated = hed_covariance_create(
        allocator, space, covariance->scales, covariance->shape, &posterior->covariance);
    posterior->rows = hed_allocate(allocator, (size_t)capacity * space->parameter_count);
    posterior->trends =
        hed_allocate(allocator, (size_t)capacity * HED_MOST_TRENDS * sizeof *posterior->trends);
    posterior->kinds = hed_allocate(allocator, capacity * sizeof *posterior->kinds);
    posterior->left_out = hed_allocate(allocator, capacity * sizeof *posterior->left_out);
    posterior->values = hed_allocate(allocator, capacity * sizeof *posterior->values);
    posterior->factor =
        hed_allocate(allocator, (size_t)capacity * capacity * sizeof *posterior->factor);
    posterior->of_values = hed_allocate(allocator, capacity * sizeof *posterior->of_values);
    posterior->of_ones = hed_allocate(allocator, capacity * sizeof *posterior->of_ones);
    posterior->blocks = hed_allocate(allocator, block_count * sizeof *posterior->blocks);
    posterior->whitened = hed_allocate(allocator, posterior_whitened_size(posterior));
    if (!allocated || !posterior->rows || !posterior->trends || !posterior->kinds ||
        !posterior->left_out || !posterior->values || !posterior->factor || !posterior->of_values ||
        !posterior->of_ones || !posterior->blocks || !posterior->whitened) {
        hed_posterior_destroy(posterior);
        return false;
    }
    hed_covariance_copy(&posterior->covariance, covariance);
    posterior->noise = hed_covariance_noise(covariance);
    for (uint32_t i = 0; i < block_count; i++)
        posterior->blocks[i].whitened = posterior->whitened + (size_t)i * capacity;
    return true;
}

void hed_posterior_destroy(hed_posterior *posterior)
{
    const hed_allocator *allocator = &posterior->allocator;
    uint32_t capacity = posterior->capacity, width = posterior->covariance.parameter_count;
    hed_release(allocator, posterior->rows, (size_t)capacity * width);
    hed_release(allocator, posterior->trends,
        (size_t)capacity * HED_MOST_TRENDS * sizeof *posterior->trends);
    hed_release(allocator, posterior->kinds, capacity * sizeof *posterior->kinds);
    hed_release(allocator, posterior->left_out, capacity * sizeof *posterior->left_out);
    hed_release(allocator, posterior->values, capacity * sizeof *posterior->values);
    hed_release(
        allocator, posterior->factor, (size_t)capacity * capacity * sizeof *posterior->factor);
    hed_release(allocator, posterior->of_values, capacity * sizeof *posterior->of_values);
    hed_release(allocator, posterior->of_ones, capacity * sizeof *posterior->of_ones);
    hed_release(allocator, posterior->blocks, posterior->block_count * sizeof *posterior->blocks);
    hed_release(allocator, posterior->whitened, posterior_whitened_size(posterior));
    hed_covariance_destroy(allocator, &posterior->covariance);
    *posterior = (hed_posterior){0};
}

/* ---- sums ---- */

/* Vectors at any address inside arrays of double and float. Their width is available on every
 * processor: wider ones measured no faster, and these give identical results everywhere. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Dot product in four partial sums, which fixes the order of summation for every compiler. */
static double posterior_dot(const double *a, const double *b, uint32_t count)
{
    pair sum0 = {0}, sum1 = {0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        sum0 += *(const pair *)(a + i) * *(const pair *)(b + i);
        sum1 += *(const pair *)(a + i + 2) * *(const pair *)(b + i + 2);
    }
    double rest = 0;
    for (; i < count; i++) rest += a[i] * b[i];
    return (sum0[0] + sum0[1]) + (sum1[0] + sum1[1]) + rest;
}

/* Computes column -= sum of row[i] whitened[i] over `count` rows, then multiplies by `scale`. The
 * whole column stays in registers. */
static void posterior_whiten(const double *row, uint32_t count, const float (*whitened)[HED_BLOCK],
    float scale, float *column)
{
    quad *into = (quad *)column;
    quad part0 = into[0], part1 = into[1], part2 = into[2], part3 = into[3], part4 = into[4],
         part5 = into[5], part6 = into[6], part7 = into[7];
    for (uint32_t i = 0; i < count; i++) {
        const quad *other = (const quad *)whitened[i];
        float share = (float)row[i];
        part0 -= share * other[0];
        part1 -= share * other[1];
        part2 -= share * other[2];
        part3 -= share * other[3];
        part4 -= share * other[4];
        part5 -= share * other[5];
        part6 -= share * other[6];
        part7 -= share * other[7];
    }
    into[0] = part0 * scale;
    into[1] = part1 * scale;
    into[2] = part2 * scale;
    into[3] = part3 * scale;
    into[4] = part4 * scale;
    into[5] = part5 * scale;
    into[6] = part6 * scale;
    into[7] = part7 * scale;
}

_Static_assert((size_t)HED_BLOCK * sizeof(float) == 8 * sizeof(quad),
    "posterior_whiten() takes a block in eight vectors");

/* ---- blocks ---- */

void hed_block_add(hed_block *block, const hed_posterior *posterior, uint64_t point,
    const uint8_t *row, const float *trends)
{
    /* the first point fills all columns, so that loops over a block need no bounds */
    uint32_t begin = block->count, end = begin == 0 ? HED_BLOCK : begin + 1;
    float variance = 1;
    for (uint32_t i = 0; i < posterior->trend_count; i++)
        variance += (float)posterior->trend_variance * trends[i] * trends[i];
    for (uint32_t q = begin; q < end; q++) {
        block->points[q] = point;
        for (uint32_t j = 0; j < posterior->covariance.parameter_count; j++)
            block->places[j][q] = row[j];
        for (uint32_t i = 0; i < posterior->trend_count; i++) block->trends[i][q] = trends[i];
        block->variance[q] = variance;
        block->of_values[q] = block->of_ones[q] = block->working[q] = block->failed[q] = 0;
    }
    block->count++;
}

/* Covariances of a block's points with an observation. */
static void covariances(
    const hed_block *block, const hed_posterior *posterior, uint32_t index, float *column)
{
    const hed_covariance *covariance = &posterior->covariance;
    const uint8_t *row = posterior->rows + (size_t)index * covariance->parameter_count;
    for (uint32_t q = 0; q < HED_BLOCK; q++) column[q] = 1;
    for (uint32_t j = 0; j < covariance->parameter_count; j++) {
        const float *table =
            hed_covariance_table(covariance, j) + (size_t)row[j] * covariance->scales[j].count;
        for (uint32_t q = 0; q < HED_BLOCK; q++) column[q] *= table[block->places[j][q]];
    }
}

/* Adds the observation, with weight `sign`, to the votes for or against a block's points, given
 * their covariances. */
static void vote(hed_block *block, hed_row_kind kind, const float *column, float sign)
{
    float *votes = kind == HED_ROW_FAILED ? block->failed : block->working;
    for (uint32_t q = 0; q < HED_BLOCK && kind != HED_ROW_PENDING; q++)
        votes[q] += sign * (column[q] * column[q]) * (column[q] * column[q]);
}

static void add_sums(hed_block *block, const hed_posterior *posterior, uint32_t index)
{
    float of_values = (float)posterior->of_values[index],
          of_ones = (float)posterior->of_ones[index];
    const float *whitened = block->whitened[index];
    for (uint32_t q = 0; q < HED_BLOCK; q++) {
        block->of_values[q] += of_values * whitened[q];
        block->of_ones[q] += of_ones * whitened[q];
    }
}

static void posterior_add_row(hed_block *block, const hed_posterior *posterior, uint32_t index)
{
    const double *row = posterior->factor + (size_t)index * posterior->capacity;
    float *column = block->whitened[index];
    covariances(block, posterior, index, column);
    vote(block, (hed_row_kind)posterior->kinds[index], column, 1);
    if (posterior->left_out[index]) {
        memset(column, 0, HED_BLOCK * sizeof *column);
        return;
    }
    for (uint32_t i = 0; i < posterior->trend_count; i++) {
        float share = (float)posterior->trend_variance *
                      posterior->trends[(size_t)index * HED_MOST_TRENDS + i];
        for (uint32_t q = 0; q < HED_BLOCK; q++) column[q] += share * block->trends[i][q];
    }
    posterior_whiten(
        row, index, (const float(*)[HED_BLOCK])block->whitened, (float)(1 / row[index]), column);
    for (uint32_t q = 0; q < HED_BLOCK; q++) block->variance[q] -= column[q] * column[q];
}

/* Updates a block. Its sums are valid for observations before `changed`. */
static void follow(hed_block *block, const hed_posterior *posterior, uint32_t changed)
{
    if (block->count == 0) return;
    uint32_t valid_rows = changed < block->rows ? 0 : block->rows;
    if (valid_rows == 0) {
        memset(block->of_values, 0, sizeof block->of_values);
        memset(block->of_ones, 0, sizeof block->of_ones);
    }
    for (; block->rows < posterior->count; block->rows++)
        posterior_add_row(block, posterior, block->rows);
    for (uint32_t i = valid_rows; i < posterior->count; i++) add_sums(block, posterior, i);
}

void hed_block_follow(hed_block *block, const hed_posterior *posterior)
{
    follow(block, posterior, block->rows);
}

double hed_block_mean(const hed_block *block, const hed_posterior *posterior, uint32_t index)
{
    double trend = 0;
    for (uint32_t i = 0; i < posterior->trend_count; i++)
        trend += posterior->trend_mean * (double)block->trends[i][index];
    return trend + (double)block->of_values[index] +
           posterior->mean * (1 - (double)block->of_ones[index]);
}

double hed_block_deviation(const hed_block *block, const hed_posterior *posterior, uint32_t index)
{
    return sqrt(posterior->variance * fmax((double)block->variance[index], 1e-8));
}

/* ---- observations ---- */

/* Covariance of the process between two observations. */
static double posterior_between(const hed_posterior *posterior, uint32_t a, uint32_t b)
{
    uint32_t width = posterior->covariance.parameter_count;
    const float *of_a = posterior->trends + (size_t)a * HED_MOST_TRENDS,
                *of_b = posterior->trends + (size_t)b * HED_MOST_TRENDS;
    double value = hed_covariance_value(&posterior->covariance, posterior->rows + (size_t)a * width,
        posterior->rows + (size_t)b * width);
    for (uint32_t i = 0; i < posterior->trend_count; i++)
        value += posterior->trend_variance * (double)of_a[i] * (double)of_b[i];
    return value;
}

void hed_posterior_add(hed_posterior *posterior, const uint8_t *row, const float *trends,
    hed_row_kind kind, double value)
{
    uint32_t n = posterior->count, width = posterior->covariance.parameter_count;
    double *last = posterior->factor + (size_t)n * posterior->capacity;
    memcpy(posterior->rows + (size_t)n * width, row, width);
    if (posterior->trend_count > 0)
        memcpy(posterior->trends + (size_t)n * HED_MOST_TRENDS, trends,
            posterior->trend_count * sizeof *trends);
    posterior->kinds[n] = (uint8_t)kind;
    posterior->values[n] = value;
    posterior->left_out[n] = posterior->ignores_failures && kind == HED_ROW_FAILED;
    for (uint32_t i = 0; i < n; i++) {
        const double *other = posterior->factor + (size_t)i * posterior->capacity;
        bool excluded = posterior->left_out[i] || posterior->left_out[n];
        last[i] = excluded ? 0
                           : (posterior_between(posterior, n, i) - posterior_dot(last, other, i)) /
                                 other[i];
    }
    double left =
        posterior_between(posterior, n, n) + posterior->noise - posterior_dot(last, last, n);
    last[n] = sqrt(fmax(left, LEAST_VARIANCE));
    posterior->count++;
}

void hed_posterior_set(hed_posterior *posterior, uint32_t index, hed_row_kind kind, double value)
{
    hed_row_kind former = (hed_row_kind)posterior->kinds[index];
    if (former == kind && (kind != HED_ROW_VALUE || posterior->values[index] == value)) return;
    for (uint32_t i = 0; i < posterior->block_count && former != kind; i++) {
        hed_block *block = &posterior->blocks[i];
        float column[HED_BLOCK];
        if (block->count == 0 || block->rows <= index) continue;
        covariances(block, posterior, index, column);
        vote(block, former, column, -1);
        vote(block, kind, column, 1);
    }
    posterior->kinds[index] = (uint8_t)kind;
    posterior->values[index] = value;
    if (index < posterior->changed) posterior->changed = index;
}

/* Whitens the values, from the first change on. */
static void whiten_values(hed_posterior *posterior)
{
    for (uint32_t i = posterior->changed; i < posterior->count; i++) {
        const double *row = posterior->factor + (size_t)i * posterior->capacity;
        double value = posterior->values[i];
        for (uint32_t t = 0; t < posterior->trend_count; t++)
            value -=
                posterior->trend_mean * (double)posterior->trends[(size_t)i * HED_MOST_TRENDS + t];
        bool has_value = posterior->kinds[i] == HED_ROW_VALUE && !posterior->left_out[i];
        posterior->of_values[i] =
            has_value ? (value - posterior_dot(row, posterior->of_values, i)) / row[i] : 0;
        posterior->of_ones[i] =
            has_value ? (1 - posterior_dot(row, posterior->of_ones, i)) / row[i] : 0;
    }
}

void hed_posterior_settle(hed_posterior *posterior)
{
    uint32_t n = posterior->count, value_count = 0;
    if (posterior->changed == n) return;
    whiten_values(posterior);
    double ones = posterior_dot(posterior->of_ones, posterior->of_ones, n),
           cross = posterior_dot(posterior->of_ones, posterior->of_values, n), square = 0;
    posterior->mean = ones > 0 ? cross / ones : 0;
    for (uint32_t i = 0; i < n; i++) {
        double residual = posterior->of_values[i] - posterior->mean * posterior->of_ones[i];
        square += residual * residual;
        value_count += posterior->kinds[i] == HED_ROW_VALUE && !posterior->left_out[i];
    }
    posterior->variance = value_count > 0 ? (square + 1e-6) / value_count : 1;
    for (uint32_t i = 0; i < posterior->block_count; i++)
        follow(&posterior->blocks[i], posterior, posterior->changed);
    posterior->changed = n;
}
