/* Tables and gradients of the model's covariance. */
#include "search/covariance.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

enum { ROUGH_VALUES = 5 }; /* minimum number of values for which roughness can be estimated */

static const struct {
    double mean, deviation;
} PRIORS[HED_HYPER_COUNT] = {[HED_HYPER_WEIGHT] = {-1, 1.5},
    [HED_HYPER_LENGTH] = {0, 1},
    [HED_HYPER_TWOS] = {-1.5, 1},
    [HED_HYPER_ROUGHNESS] = {-2, 1.5}};
static const double NOISE_MEAN = -5, NOISE_DEVIATION = 1.5;

bool hed_covariance_create(const hed_allocator *allocator, const hed_space *space,
    const hed_value_scale *scales, hed_shape shape, hed_covariance *covariance)
{
    *covariance = (hed_covariance){
        .scales = scales, .parameter_count = space->parameter_count, .shape = shape};
    for (uint32_t j = 0; j < space->parameter_count; j++)
        covariance->offsets[j + 1] =
            covariance->offsets[j] + (size_t)scales[j].count * scales[j].count;
    covariance->tables = hed_allocate(
        allocator, covariance->offsets[space->parameter_count] * sizeof *covariance->tables);
    if (!covariance->tables) return false;
    for (uint32_t i = 0; i < hed_hyper_count(covariance); i++) {
        double deviation;
        hed_hyper_prior(covariance, i, &covariance->hypers[i], &deviation);
    }
    hed_covariance_update(covariance);
    return true;
}

void hed_covariance_destroy(const hed_allocator *allocator, hed_covariance *covariance)
{
    hed_release(allocator, covariance->tables,
        covariance->offsets[covariance->parameter_count] * sizeof *covariance->tables);
    *covariance = (hed_covariance){0};
}

void hed_covariance_copy(hed_covariance *to, const hed_covariance *from)
{
    memcpy(to->hypers, from->hypers, sizeof to->hypers);
    memcpy(to->tables, from->tables, from->offsets[from->parameter_count] * sizeof *to->tables);
}

uint32_t hed_hyper_count(const hed_covariance *covariance)
{
    return HED_HYPER_COUNT * covariance->parameter_count + 1;
}

void hed_hyper_prior(
    const hed_covariance *covariance, uint32_t index, double *mean, double *deviation)
{
    bool noise = index == HED_HYPER_COUNT * covariance->parameter_count;
    *mean = noise ? NOISE_MEAN : PRIORS[index % HED_HYPER_COUNT].mean;
    *deviation = noise ? NOISE_DEVIATION : PRIORS[index % HED_HYPER_COUNT].deviation;
}

double hed_covariance_noise(const hed_covariance *covariance)
{
    return exp(covariance->hypers[HED_HYPER_COUNT * covariance->parameter_count]);
}

/* Hyper-parameters of one parameter, in the units of the formula in covariance.h. */
typedef struct factors {
    double weight, length, twos, roughness;
    bool rough;
} factors;

static factors factors_of(const hed_covariance *covariance, uint32_t j)
{
    const double *hypers = covariance->hypers + HED_HYPER_COUNT * j;
    return (factors){exp(hypers[HED_HYPER_WEIGHT]), exp(hypers[HED_HYPER_LENGTH]),
        exp(hypers[HED_HYPER_TWOS]), 1 / (1 + exp(-hypers[HED_HYPER_ROUGHNESS])),
        covariance->scales[j].count >= ROUGH_VALUES};
}

/* R_j of two different values, and its derivatives with respect to the logarithms of the length and
 * of the factor of twos, and to the log-odds of the roughness. */
static double correlation(const hed_covariance *covariance, uint32_t j, const factors *f,
    uint32_t a, uint32_t b, double slopes[3])
{
    const hed_value_scale *scale = &covariance->scales[j];
    double scaled_distance = (double)hed_value_distance(scale, a, b) / f->length, value, slope,
           scaled;
    switch (covariance->shape) {
    case HED_SHAPE_EXPONENTIAL:
        value = exp(-scaled_distance);
        slope = scaled_distance * value;
        break;
    case HED_SHAPE_MATERN:
        scaled = sqrt(3.0) * scaled_distance;
        value = (1 + scaled) * exp(-scaled);
        slope = scaled * scaled * exp(-scaled);
        break;
    default:
        value = exp(-0.5 * scaled_distance * scaled_distance);
        slope = scaled_distance * scaled_distance * value;
        break;
    }
    double between = scale->has_twos ? f->twos * abs((int)scale->twos[a] - (int)scale->twos[b]) : 0;
    double share = exp(-between) * (f->rough ? 1 - f->roughness : 1);
    slopes[0] = slope * share;
    slopes[1] = -between * value * share;
    slopes[2] = f->rough ? -f->roughness * value * share : 0;
    return value * share;
}

void hed_covariance_update(hed_covariance *covariance)
{
    for (uint32_t j = 0; j < covariance->parameter_count; j++) {
        uint32_t count = covariance->scales[j].count;
        float *table = covariance->tables + covariance->offsets[j];
        factors f = factors_of(covariance, j);
        for (uint32_t a = 0; a < count; a++) {
            table[a * count + a] = 1;
            for (uint32_t b = 0; b < a; b++) {
                double slopes[3], value = correlation(covariance, j, &f, a, b, slopes);
                table[a * count + b] = table[b * count + a] =
                    (float)((1 + f.weight * value) / (1 + f.weight));
            }
        }
    }
}

void hed_covariance_gradient(
    const hed_covariance *covariance, const double *weights, double *gradient)
{
    for (uint32_t j = 0; j < covariance->parameter_count; j++) {
        uint32_t count = covariance->scales[j].count;
        const double *of_pair = weights + covariance->offsets[j];
        double *slope = gradient + HED_HYPER_COUNT * j;
        factors f = factors_of(covariance, j);
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++) {
                double pair = of_pair[a * count + b], slopes[3];
                if (a == b || pair == 0) continue;
                double value = correlation(covariance, j, &f, a, b, slopes);
                double scaled = pair * f.weight / (1 + f.weight * value);
                slope[HED_HYPER_WEIGHT] += scaled * value - pair * f.weight / (1 + f.weight);
                slope[HED_HYPER_LENGTH] += scaled * slopes[0];
                slope[HED_HYPER_TWOS] += scaled * slopes[1];
                slope[HED_HYPER_ROUGHNESS] += scaled * slopes[2];
            }
    }
}

/* Scales of the values of a parameter. */

enum { MOST_TWOS = 7 };

static uint32_t twos_of(int64_t value)
{
    uint32_t twos = value != 0 ? (uint32_t)__builtin_ctzll((uint64_t)value) : MOST_TWOS;
    return twos < MOST_TWOS ? twos : MOST_TWOS;
}

static bool is_power(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/* Place on the scale, 0 to 1, of each value (count) of a parameter, as `position` of a scale. */
static double position_of(const hed_parameter_def *parameter, double low, double high, uint32_t i)
{
    if (low > 0 && high > low) return log((double)parameter->values[i] / low) / log(high / low);
    return parameter->count > 1 ? (double)i / (parameter->count - 1) : 0;
}

/* Properties of the values of a parameter. */
typedef struct value_range {
    double low, high;
    bool has_powers;
    bool unrolls; /* factors of unrolling and 0, by the parameter's name */
} value_range;

static bool is_plausible(const hed_value_scale *scale, const value_range *range, int64_t value)
{
    if (range->unrolls) return value == 0;
    return !scale->has_twos || !range->has_powers || is_power(value);
}

static void fill_values(
    hed_value_scale *scale, const hed_parameter_def *parameter, const value_range *range)
{
    scale->count = parameter->count;
    for (uint32_t i = 0; i < parameter->count; i++) {
        scale->position[i] = (float)position_of(parameter, range->low, range->high, i);
        scale->doubtful[i] = !is_plausible(scale, range, parameter->values[i]);
        scale->twos[i] = (uint8_t)twos_of(parameter->values[i]);
    }
}

/* Cells of more values than HED_MAX_CELLS: stretches of the scale, each in classes by the factors 2
 * of its values, if these matter. */
static void fill_cells(
    hed_value_scale *scale, const hed_parameter_def *parameter, const value_range *range)
{
    enum { CLASSES = 4, TWOS_OF_CLASS = 2 };
    uint32_t classes = scale->has_twos ? CLASSES : 1, stretches = HED_MAX_CELLS / classes;
    scale->count = stretches * classes;
    for (uint32_t cell = 0; cell < scale->count; cell++) {
        uint32_t kind = cell % classes;
        scale->position[cell] = (float)(((double)(cell / classes) + 0.5) / stretches);
        scale->twos[cell] = (uint8_t)(TWOS_OF_CLASS * kind + (kind == CLASSES - 1));
        scale->doubtful[cell] = true;
    }
    for (uint32_t i = 0; i < parameter->count; i++) {
        double position = position_of(parameter, range->low, range->high, i);
        uint32_t at = (uint32_t)(position * stretches);
        uint32_t stretch = at < stretches ? at : stretches - 1,
                 kind = classes == 1 ? 0 : twos_of(parameter->values[i]) / TWOS_OF_CLASS;
        uint32_t cell = stretch * classes + kind;
        scale->cells[i] = (uint8_t)cell;
        if (is_plausible(scale, range, parameter->values[i])) scale->doubtful[cell] = false;
    }
}

/* Sets the role of a range of sizes, which the parameter's name tells. */
static void read_name(
    hed_value_scale *scale, const hed_parameter_def *parameter, const value_range *range)
{
    /* small groups leave more registers and local memory to an item; many groups fill the device, and streams
     * overlap; the items of a group divide its tile between them, and each needs several results */
    static const float GROUP = 0.4f, HIGH_COUNT = 0.8f, SHARED_TILE = 0.8f;
    static const char *const WORDS[] = {"block", "group", "thread", "local"};
    const char *name = parameter->name;
    bool names_group = strncasecmp(name, "wg", 2) == 0 || strncasecmp(name, "tb", 2) == 0;
    for (uint32_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        names_group = names_group || strcasestr(name, WORDS[i]);
    /* a group's tile of a matrix, which its items divide: MWG, NWG, BM, BLOCK_SIZE_N */
    size_t length = strlen(name);
    const char *last = name + length - (length > 0);
    bool is_side = strcasecmp(last, "m") == 0 || strcasecmp(last, "n") == 0,
         names_shared_tile =
             strcasecmp(name, "mwg") == 0 || strcasecmp(name, "nwg") == 0 ||
             (is_side && length == 2 && tolower(*name) == 'b') ||
             (is_side && length > 2 && last[-1] == '_' && strcasestr(name, "block"));
    bool is_plural = strcasestr(name, "blocks") || strcasestr(name, "groups");
    if (strcasestr(name, "tile")) {
        scale->tile_doublings = scale->has_middle ? log2(range->high / range->low) : 0;
    } else if (names_shared_tile) {
        scale->middle = SHARED_TILE;
    } else if (strcasestr(name, "streams") || (names_group && is_plural && !strcasestr(name, "per_"))) {
        scale->middle = HIGH_COUNT;
        scale->is_work = false;
    } else if (names_group && !strcasestr(name, "per_")) {
        scale->sizes_group = true;
        scale->middle = GROUP;
        scale->is_work = false;
    } else if (strcasestr(name, "vec") || strncasecmp(name, "vw", 2) == 0) {
        uint32_t nearest = 0; /* place of the value nearest to 4: one load of floats */
        for (uint32_t i = 1; i < parameter->count; i++)
            if (llabs(parameter->values[i] - 4) < llabs(parameter->values[nearest] - 4))
                nearest = i;
        scale->middle = (float)nearest / (float)(parameter->count - 1);
    }
}

/* Returns false if memory is short. */
static bool covariance_fill(
    const hed_allocator *allocator, hed_value_scale *scale, const hed_parameter_def *parameter)
{
    value_range range = {.low = INFINITY, .high = -INFINITY};
    uint32_t powers = 0;
    for (uint32_t i = 0; i < parameter->count; i++) {
        powers += is_power(parameter->values[i]);
        range.low = fmin(range.low, (double)parameter->values[i]);
        range.high = fmax(range.high, (double)parameter->values[i]);
    }
    range.has_powers = powers > 0;
    scale->value_count = parameter->count;
    scale->unordered = parameter->labels != NULL;
    bool is_range = parameter->count > 2 && !scale->unordered;
    scale->has_middle = is_range && range.low > 0;
    scale->has_twos = scale->has_middle && powers < parameter->count;
    range.unrolls = range.low == 0 && !scale->unordered && strcasestr(parameter->name, "unroll");
    scale->middle = 0.5f;
    scale->is_work = true;
    if (is_range) read_name(scale, parameter, &range);
    if (parameter->count <= HED_MAX_CELLS) {
        fill_values(scale, parameter, &range);
        return true;
    }
    scale->cells = hed_allocate(allocator, parameter->count);
    if (scale->cells) fill_cells(scale, parameter, &range);
    return scale->cells;
}

hed_value_scale *hed_value_scales_create(const hed_allocator *allocator, const hed_space *space)
{
    hed_value_scale *scales = hed_allocate(allocator, space->parameter_count * sizeof *scales);
    bool good = scales;
    for (uint32_t i = 0; good && i < space->parameter_count; i++)
        good = covariance_fill(allocator, &scales[i], &space->parameters[i]);
    if (good) return scales;
    hed_value_scales_destroy(allocator, space, scales);
    return NULL;
}

void hed_value_scales_destroy(
    const hed_allocator *allocator, const hed_space *space, hed_value_scale *scales)
{
    for (uint32_t i = 0; scales && i < space->parameter_count; i++)
        hed_release(allocator, scales[i].cells, scales[i].value_count);
    hed_release(allocator, scales, space->parameter_count * sizeof *scales);
}

void hed_value_cells(
    const hed_value_scale *scales, uint32_t parameter_count, const hed_place *row, uint8_t *cells)
{
    for (uint32_t i = 0; i < parameter_count; i++)
        cells[i] = scales[i].cells ? scales[i].cells[row[i]] : (uint8_t)row[i];
}
