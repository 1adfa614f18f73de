/* Values that neither a shader nor its comment specifies: sizes of the problem, numbers in uniforms
 * by their names, contents of buffers by the types of their elements. They make a plain file
 * tunable; the caller's settings (NAME=VALUE) replace them, and a note has them as the comment that
 * would specify them. */
#include "tunefile/spec.h"

#include "heddle/shader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTED = 24, LONGEST_NOTE = 4096 };
enum { WINDOW = 4 }; /* side of the window that one item visits, as of a filter */

/* ---- settings ---- */

bool hed_spec_setting(hed_spec_reader *reader, const char *name, double *value)
{
    size_t size = strlen(name);
    for (uint32_t i = 0; i < reader->setting_count; i++) {
        const char *text = reader->settings[i];
        char *end = NULL;
        if (strncmp(text, name, size) != 0 || text[size] != '=') continue;
        double number = strtod(text + size + 1, &end);
        if (end == text + size + 1 || *end || !isfinite(number)) continue;
        reader->settings_used |= UINT64_C(1) << i;
        *value = number;
        return true;
    }
    return false;
}

/* ---- the problem ---- */

static bool is_free_name(const hed_wgsl *shader, const char *name)
{
    for (uint32_t i = 0; i < shader->override_count; i++)
        if (strcmp(shader->overrides[i].name, name) == 0) return false;
    return true;
}

/* Rounds a size of the problem up, so that a group's size of the text divides it, as it divides the
 * author's own problem. */
static double fit_size(const hed_spec_reader *reader, uint32_t dimension, double size)
{
    enum { POWER = 16 };
    uint32_t group = dimension < reader->sizes.dimensions ? reader->sizes.values[dimension]
                                                          : reader->shader->sizes[dimension],
             step = group;
    bool is_power = !(group & (group - 1));
    if (!group) return size;
    while (!is_power && step % POWER) step *= 2;
    return ceil(size / step) * step;
}

void hed_spec_invent_problem(hed_spec_reader *reader, hed_json_node node)
{
    static const char *const names[3][3] = {
        {"n"}, {"width", "height"}, {"width", "height", "depth"}};
    static const int64_t processor[] = {4096, 64, 16}, card[] = {65536, 512, 64};
    hed_tune_file *spec = reader->spec;
    bool is_slow = reader->device->type == HED_DEVICE_CPU;
    uint32_t count =
        reader->shader->dimensions ? reader->shader->dimensions : reader->shader->group_count;
    for (uint32_t i = 0; i < count && i < 3 && hed_spec_fine(reader); i++) {
        const char *name = names[count - 1][i];
        double size = fit_size(reader, i, (double)(is_slow ? processor : card)[count - 1]);
        if (!is_free_name(reader->shader, name)) name = hed_spec_text(reader, node, "size_%u", i);
        hed_spec_setting(reader, name, &size);
        if (!(size >= 1 && size <= 0x1p40 && size == floor(size)))
            hed_json_reject(node, "setting \"%s\" is %g; expected a whole number of at least 1", name, size);
        spec->dimensions[i] = name;
        spec->problem.sizes[i] = hed_spec_fine(reader) ? (int64_t)size : 1;
        spec->problem.count = i + 1;
    }
}

/* ---- numbers ---- */

/* True if a word of a name, split at _ and at capitals, is one of a list that ends with NULL. The
 * component of a vector is no word. */
static bool has_word(const char *name, const char *const *words)
{
    size_t length = strlen(name);
    if (length > 2 && name[length - 2] == '.') length -= 2;
    for (const char *at = name; at < name + length;) {
        char word[32];
        size_t size = 0;
        while (at < name + length && !isalnum((unsigned char)*at)) at++;
        while (at < name + length && isalnum((unsigned char)*at) && size + 1 < sizeof word) {
            bool is_new = isupper((unsigned char)*at) && size && !isupper((unsigned char)at[-1]);
            if (is_new) break;
            word[size++] = (char)tolower((unsigned char)*at++);
        }
        if (size + 1 == sizeof word) at++;
        word[size] = 0;
        for (size_t i = 0; size && words[i]; i++)
            if (strcmp(word, words[i]) == 0) return true;
    }
    return false;
}

bool hed_spec_is_switch(const char *name)
{
    static const char *const words[] = {"tile", "tiled", "tiling", "tiles", "shared", "lds", "smem", "local",
        "workgroup", "group", "subgroup", "subgroups", "wave", "unroll", "unrolled", "vector", "vectorized",
        "vectorize", "vec2", "vec4", "cache", "cached", "prefetch", "coalesce", "coalesced", "swizzle",
        "swizzled", "interleave", "interleaved", "pipelined", "buffered", "blocked", "texture", NULL};
    return has_word(name, words);
}

static double side_of(const hed_tune_file *spec, uint32_t dimension)
{
    const hed_problem *problem = &spec->problem;
    if (problem->count > 1)
        return dimension < problem->count ? (double)problem->sizes[dimension] : 1;
    return dimension < 2 && problem->count ? floor(sqrt((double)problem->sizes[0])) : 1;
}

static double total_of(const hed_tune_file *spec)
{
    double total = 1;
    for (uint32_t i = 0; i < spec->problem.count; i++) total *= (double)spec->problem.sizes[i];
    return total;
}

/* Returns the group's size in one dimension, with the parameters' defaults. */
static double usual_size(const hed_wgsl *shader, const hed_spec_kernel *kernel, uint32_t dimension)
{
    const hed_wgsl_span span = shader->group[dimension];
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        if (strlen(parameter->name) == span.size && !memcmp(parameter->name, span.at, span.size))
            return (double)parameter->value;
    }
    return shader->sizes[dimension] ? shader->sizes[dimension] : 1;
}

/* Kinds of a count by its owner, as named after "per": a group, an item, a cell or pixel.
 * "blocks_per_row" has no such owner, and is a number of groups. */
typedef enum per_kind { PER_NOTHING, PER_GROUP, PER_ITEM, PER_CELL } per_kind;

static per_kind per_kind_of(const char *name)
{
    static const char *const groups[] = {"group", "workgroup", "threadgroup", "wg", "block", "tile",
        "partition", NULL},
                             *const items[] = {"thread", "invocation", "item", "lane", NULL},
                             *const cells[] = {"pixel", "texel", "ray", "cell", "voxel", "bin",
                                 "bucket", "node", "leaf", "cluster", "probe", "vertex", "particle",
                                 "body", NULL};
    for (const char *at = name; *at; at++) {
        bool is_start = at == name || !isalpha((unsigned char)at[-1]) ||
                        (isupper((unsigned char)*at) && islower((unsigned char)at[-1])),
             is_per = !strncmp(at, "per", 3) || !strncmp(at, "Per", 3) || !strncmp(at, "PER", 3);
        if (!is_start || !is_per || islower((unsigned char)at[3]) || !at[3]) continue;
        return has_word(at + 3, groups)  ? PER_GROUP
               : has_word(at + 3, items) ? PER_ITEM
               : has_word(at + 3, cells) ? PER_CELL
                                         : PER_NOTHING;
    }
    return PER_NOTHING;
}

/* True if a number of elements of a group is that of its items: "threadsPerGroup", or elements of
 * items that work together. Without the latter each item takes as many elements. */
static bool is_group_size(const hed_spec_reader *reader, const char *name)
{
    static const char *const items[] = {"threads", "thread", "invocations", "lanes", NULL};
    const hed_spec_sizes *sizes = &reader->sizes;
    bool is_alone = reader->spec->kernel.def.language == HED_WGSL
                        ? !reader->shader->together
                        : sizes->dimensions && !sizes->is_together;
    return has_word(name, items) || !is_alone;
}

static double items_of_group(const hed_spec_reader *reader, const hed_spec_kernel *kernel)
{
    double size = 1;
    for (uint32_t i = 0; i < reader->shader->group_count; i++)
        size *= usual_size(reader->shader, kernel, i);
    return size;
}

double hed_spec_invent_number(hed_spec_reader *reader, const hed_wgsl_member *member)
{
    static const char
        *const widths[] = {"width", "w", "cols", "columns", "nx", "xsize", "outw", "inw", NULL},
               *const heights[] = {"height", "h", "rows", "ny", "ysize", "outh", "inh", NULL},
               *const depths[] = {"depth", "nz", "layers", "slices", NULL},
               *const planes[] = {"cstep", "outcstep", NULL}, /* width times height, in ncnn */
                   *const extents[] = {"size", "sizes", "dim", "dims", "dimension", "dimensions",
                       "resolution", "res", "extent", "shape", "screen", "viewport", "grid", NULL},
               *const counts[] = {"n", "count", "num", "len", "length", "size", "total", "number",
                   "particles", "bodies", "elements", "items", "points", "boids", "max", "limit",
                   "capacity", NULL},
               *const float_counts[] = {"count", "num", "number", NULL},
               *const sides[] = {"n", "m", "k", "dim", NULL},
               *const matrix[] = {"m", "k", "dim", "grid", "grids", "cells", NULL},
               *const windows[] = {"patch", "kernel", "filter", "stencil", "radius", "taps", NULL},
               *const steps[] = {"dt", "delta", "timestep", "time", NULL},
               *const zeros[] = {"offset", "start", "base", "index", "begin", "seed", "frame",
                   "stage", "level", "axis", "mode", "flag", "flags", "shift", "pad", "padding",
                   "first", "origin", "idx", NULL},
               *const pads[] = {"pad", "padding", NULL}, *const steps_of_windows[] = {"stride", "dilation", NULL},
               *const sides_of_windows[] = {"h", "w", NULL};
    const hed_tune_file *spec = reader->spec;
    const char *name = member->name, *last = name + strlen(name) - 1;
    bool is_component = last > name + 1 && last[-1] == '.' && strchr("xyz", *last);
    uint32_t component = is_component ? (uint32_t)(*last - 'x') : 3; /* "size.y" is 1 */
    bool is_whole = member->type == HED_WGSL_U32 || member->type == HED_WGSL_I32 || member->is_cast;
    per_kind per = is_whole ? per_kind_of(name) : PER_NOTHING;
    if (member->is_matrix) return member->is_diagonal;
    if (per == PER_GROUP && is_group_size(reader, name))
        return items_of_group(reader, &spec->kernel);
    if (per == PER_GROUP || per == PER_ITEM) return 1;
    if (per == PER_CELL && has_word(name, counts)) return WINDOW;
    if (is_whole && has_word(name, windows)) return WINDOW;
    if (is_whole && has_word(name, pads)) return 0; /* pad_h is no height, stride_h no pitch */
    if (is_whole && has_word(name, steps_of_windows) && has_word(name, sides_of_windows)) return 1;
    if (component < 3 && has_word(name, extents))
        return spec->problem.count == 1 && component == 0 && is_whole ? total_of(spec)
                                                                      : side_of(spec, component);
    if (has_word(name, widths)) return side_of(spec, 0);
    if (has_word(name, heights)) return side_of(spec, 1);
    if (has_word(name, depths)) return side_of(spec, 2);
    if (is_whole && has_word(name, planes)) return side_of(spec, 0) * side_of(spec, 1);
    if (is_whole && has_word(name, zeros)) return 0;
    /* M x N x K of matrices, in a launch of two dimensions */
    if (is_whole && spec->problem.count > 1 && component == 3 && has_word(name, sides))
        return side_of(spec, 0);
    if (has_word(name, is_whole ? counts : float_counts))
        return component < 3 && spec->problem.count > 1 ? side_of(spec, component) : total_of(spec);
    if (is_whole && has_word(name, matrix)) return side_of(spec, 0);
    if (is_whole) return 1;
    return has_word(name, steps) ? 0.016 : 0.5;
}

double hed_spec_invent_override(
    hed_spec_reader *reader, const hed_spec_kernel *kernel, const hed_wgsl_member *member)
{
    static const char *const group[] = {"workgroup", "group", "block", NULL},
                             *const items[] = {"threads", "invocations", "items", "size", NULL},
                             *const counts[] = {"count", "num", "number", "n", NULL};
    const hed_wgsl *shader = reader->shader;
    double size = 1;
    if (member->type == HED_WGSL_BOOL) return 1;
    for (uint32_t i = 0; i < shader->group_count; i++) size *= usual_size(shader, kernel, i);
    bool is_whole = member->type == HED_WGSL_U32 || member->type == HED_WGSL_I32;
    if (is_whole && has_word(member->name, group) && has_word(member->name, items)) return size;
    if (is_whole && has_word(member->name, group) && has_word(member->name, counts))
        return ceil(total_of(reader->spec) / size);
    return hed_spec_invent_number(reader, member);
}

const char *hed_spec_invent_value(
    hed_spec_reader *reader, hed_json_node node, const hed_wgsl_member *member)
{
    static const char *const groups[] = {"blocks", "groups", "workgroups", "tiles", "partitions",
        NULL},
                             *const group[] = {"block", "group", "workgroup", "tile", "partition",
                                 NULL},
                             *const counts[] = {"count", "num", "number", "n", NULL};
    const hed_tune_file *spec = reader->spec;
    const char *product = ""; /* items of a group */
    per_kind per = per_kind_of(member->name);
    bool is_whole = member->type == HED_WGSL_U32 || member->type == HED_WGSL_I32,
         is_number = !per && (has_word(member->name, groups) ||
                                 (has_word(member->name, group) && has_word(member->name, counts)));
    if (is_whole && per == PER_GROUP && is_group_size(reader, member->name))
        for (uint32_t i = 0; i < reader->shader->group_count; i++)
            product = hed_spec_text(reader, node, "%s%s%s", product, *product ? " * " : "",
                hed_spec_shader_group(reader, node, &reader->spec->kernel, i));
    if (*product) return product;
    /* "groups.y" and "numWorkgroupsY" are of dimension 1 */
    const char *last = member->name + strlen(member->name) - 1;
    bool is_word =
        last > member->name && (isupper((unsigned char)*last) || !isalnum((unsigned char)last[-1]));
    uint32_t dimension = is_word ? (uint32_t)(tolower((unsigned char)*last) - 'x') : 3;
    if (spec->problem.count == 1) dimension = 0;
    bool is_number_of = is_whole && is_number && dimension < spec->problem.count &&
                        dimension < reader->shader->group_count;
    /* The number that is launched, which may not follow the group's size: another number would
     * change the results. */
    const char *launched = reader->groups[dimension < 3 ? dimension : 0];
    if (is_number_of && launched && strcmp(launched, "1") != 0) return launched;
    if (is_number_of && launched)
        return hed_spec_text(reader, node, "ceil_div(%s, %.0f)", spec->dimensions[dimension],
            usual_size(reader->shader, &spec->kernel, dimension));
    if (is_number_of)
        return hed_spec_text(reader, node, "ceil_div(%s, %s)", spec->dimensions[dimension],
            hed_spec_shader_group(reader, node, &reader->spec->kernel, dimension));
    return hed_spec_text(reader, node, "%.9g", hed_spec_invent_number(reader, member));
}

/* ---- contents ---- */

static uint32_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

/* Writes one number of a buffer: 0 for an atomic, which counts; 0 to 1, or 0 to `highest`. */
static void put_random(
    unsigned char *to, const hed_wgsl_member *number, uint32_t highest, uint64_t *state)
{
    uint32_t word = next_random(state);
    float real = (float)(word >> 8) * 0x1p-24f;
    uint16_t half = (uint16_t)(0x3800 | (word & 0x3ff));
    if (number->type == HED_WGSL_F16) {
        memcpy(to, &half, sizeof half);
        return;
    }
    word = number->is_atomic ? 0 : word % (highest + 1);
    if (number->type == HED_WGSL_F32) memcpy(to, &real, sizeof real);
    else memcpy(to, &word, sizeof word);
}

static void put_number(unsigned char *to, const hed_wgsl_member *member, double value)
{
    float real = (float)value;
    int32_t whole = (int32_t)value;
    uint32_t count = value > 0 ? (uint32_t)value : 0;
    uint16_t half = value == 0 ? 0 : value == 1 ? 0x3c00 : 0x3800;
    if (member->type == HED_WGSL_F16) memcpy(to, &half, sizeof half);
    else if (member->type == HED_WGSL_F32) memcpy(to, &real, sizeof real);
    else if (member->type == HED_WGSL_I32) memcpy(to, &whole, sizeof whole);
    else memcpy(to, &count, sizeof count);
}

/* Finds a number in the list of arguments: its value, with the parameters' defaults; false: it is
 * not there. */
static bool listed_value(
    hed_spec_reader *reader, hed_json_node list, const char *name, double *value)
{
    const hed_spec_kernel *kernel = &reader->spec->kernel;
    bool is_list = hed_json_kind_of(list) != HED_JSON_NOTHING;
    for (size_t i = 0; is_list && hed_spec_fine(reader) && i < hed_json_count(list); i++) {
        hed_json_node item = hed_json_item(list, i);
        if (strcmp(hed_json_string(hed_json_member(item, "name")), name) != 0 ||
            !hed_json_has(item, "value"))
            continue;
        hed_json_node node = hed_json_member(item, "value");
        hed_expression *expression = hed_spec_expression(reader, kernel, node);
        *value = expression ? hed_spec_usual_value(reader, kernel, expression) : 0;
        return true;
    }
    return false;
}

/* Refuses a number that depends on parameters in a uniform that is one argument. */
static void refuse_by_config(hed_spec_reader *reader, hed_json_node list, const char *name)
{
    for (size_t i = 0; hed_spec_fine(reader) && i < hed_json_count(list); i++) {
        hed_json_node item = hed_json_item(list, i), node = hed_json_member(item, "value");
        if (strcmp(hed_json_string(hed_json_member(item, "name")), name) != 0) continue;
        const hed_spec_kernel *kernel = &reader->spec->kernel;
        hed_expression *expression = hed_spec_expression(reader, kernel, node);
        if (hed_spec_uses_parameters(kernel, expression))
            hed_json_reject(node,
                "\"%s\" depends on a parameter, in a uniform with matrices, arrays or over 32 "
                "numbers; expected a uniform of its own. Move it to another `var<uniform>`",
                name);
    }
}

static void fill_uniform(hed_spec_reader *reader, hed_json_node list,
    const hed_wgsl_binding *binding, unsigned char *bytes, uint64_t size)
{
    const hed_wgsl *shader = reader->shader;
    memset(bytes, 0, size);
    for (uint32_t i = 0; i < shader->member_count; i++) {
        const hed_wgsl_member *member = &shader->members[i];
        double value = 0;
        if (binding != &shader->bindings[member->binding] || member->offset + 4 > size) continue;
        if (!hed_spec_setting(reader, member->name, &value)) {
            if (!listed_value(reader, list, member->name, &value))
                value = hed_spec_invent_number(reader, member);
            else refuse_by_config(reader, list, member->name);
        }
        put_number(bytes + member->offset, member, value);
    }
}

/* Removes infinities and NaNs from random texels of 16 bits and of 10 and 11 bits. */
static void keep_finite(const char *format, unsigned char *bytes, uint64_t size)
{
    static const uint32_t halves = 0x3fff3fff, packed = ~(UINT32_C(1) << 10 | 1u << 21 | 1u << 31);
    uint32_t mask = strstr(format, "16float") ? halves : strstr(format, "11b10") ? packed : ~0u;
    for (uint64_t i = 0; mask != ~0u && i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        word &= mask;
        memcpy(bytes + i, &word, sizeof word);
    }
}

void hed_spec_invent_content(
    hed_spec_reader *reader, hed_json_node list, hed_spec_given given, hed_tune_argument *argument)
{
    const hed_wgsl_binding *binding = given.binding;
    uint64_t size = argument->bytes, state = 1;
    unsigned char *bytes = hed_spec_allocate(reader, size + 1, list);
    double total = total_of(reader->spec);
    uint32_t highest = total > 256 ? 255 : (uint32_t)total - 1;
    if (!bytes) return;
    argument->data = bytes;
    if (binding->uniform) {
        fill_uniform(reader, list, binding, bytes, size);
        return;
    }
    if (binding->resource || (!binding->number_count && !binding->element_number_count)) {
        for (uint64_t i = 0; i < size; i++) bytes[i] = (unsigned char)next_random(&state);
        if (binding->resource) keep_finite(binding->format, bytes, size);
        const hed_wgsl_member texel = {.type = binding->element};
        bool is_real = binding->element == HED_WGSL_F32;
        for (uint64_t i = 0; is_real && i + 4 <= size; i += 4)
            put_random(bytes + i, &texel, highest, &state);
        return;
    }
    /* a number before an array that is, by its name, a size of it, as `size.x` of a matrix: with a
     * random one the items would leave at once */
    static const char *const measures[] = {"size", "width", "height", "depth", "rows", "columns",
        "cols", "dim", "dims", "dimensions", "resolution", "shape", "count", "num", "length", "n",
        NULL};
    for (uint32_t i = 0; i < binding->number_count; i++) {
        const hed_wgsl_member *number = &binding->numbers[i];
        if (number->offset + 4 > size) continue;
        if (binding->header && !number->is_atomic && has_word(number->name, measures))
            put_number(bytes + number->offset, number, hed_spec_invent_number(reader, number));
        else put_random(bytes + number->offset, number, highest, &state);
    }
    /* sizes of another buffer, by the name */
    static const char *const shapes[] = {"shape", "shapes", "dims", "sizes", NULL};
    if (!binding->writable && !binding->header && binding->stride == 4 &&
        binding->element != HED_WGSL_F32 && has_word(binding->name, shapes)) {
        for (uint32_t i = 0; i < 64 && 4 * (i + 1) <= size; i++)
            put_number(
                bytes + 4 * i, &binding->element_numbers[0], i < 2 ? side_of(reader->spec, i) : 1);
        return;
    }
    for (uint64_t at = binding->header; binding->stride && at + binding->stride <= size;
         at += binding->stride)
        for (uint32_t i = 0; i < binding->element_number_count; i++)
            put_random(bytes + at + binding->element_numbers[i].offset,
                &binding->element_numbers[i], highest, &state);
}

/* ---- the note ---- */

typedef struct note_text {
    char text[LONGEST_NOTE];
    size_t used;
} note_text;

__attribute__((format(printf, 2, 3))) static void note_add(note_text *note, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(note->text + note->used, sizeof note->text - note->used, format, values);
    va_end(values);
    if (length > 0) note->used += (size_t)length;
    if (note->used >= sizeof note->text) note->used = sizeof note->text - 1;
}

static void note_problem(note_text *note, const hed_tune_file *spec)
{
    note_add(note, "\"problem\": {");
    for (uint32_t i = 0; i < spec->problem.count; i++)
        note_add(note, "%s\"%s\": %lld", i ? ", " : "", spec->dimensions[i],
            (long long)spec->problem.sizes[i]);
    note_add(note, "}");
}

/* Adds the numbers of uniforms that the comment does not specify; returns the number of left out
 * ones. */
static uint32_t note_numbers(note_text *note, hed_spec_reader *reader, hed_json_node list)
{
    const hed_wgsl *shader = reader->shader;
    uint32_t count = 0;
    for (uint32_t i = 0; i < shader->member_count; i++) {
        const hed_wgsl_member *member = &shader->members[i];
        double value = 0;
        bool is_dimension = false;
        for (uint32_t j = 0; j < reader->spec->problem.count; j++)
            is_dimension = is_dimension || strcmp(reader->spec->dimensions[j], member->name) == 0;
        if (is_dimension || listed_value(reader, list, member->name, &value)) continue;
        const char *text = hed_spec_setting(reader, member->name, &value)
                               ? hed_spec_text(reader, list, "%.9g", value)
                               : hed_spec_invent_value(reader, list, member),
                   *quote = isalpha((unsigned char)*text) || strpbrk(text, "(*") ? "\"" : "";
        if (count < NOTED)
            note_add(note, "%s{\"name\": \"%s\", \"value\": %s%s%s}",
                count        ? ", "
                : note->used ? ", \"arguments\": ["
                             : "\"arguments\": [",
                member->name, quote, text, quote);
        count++;
    }
    if (count) note_add(note, "]");
    return count > NOTED ? count - NOTED : 0;
}

/* Adds the values of overrides and constants whose text has no value, or the value 0 for a size. */
static void note_overrides(note_text *note, const hed_wgsl *shader, const hed_kernel_def *kernel)
{
    const char *before = note->used ? "\n  " : "";
    for (uint32_t i = 0; i < kernel->define_count; i++) {
        bool is_listed = kernel->language == HED_WGSL;
        for (uint32_t j = 0; j < shader->override_count; j++)
            is_listed =
                is_listed || strcmp(shader->overrides[j].name, kernel->defines[i].name) == 0;
        if (!is_listed) continue;
        note_add(note, "%s%s--set %s=%s", before,
            *before == ' '                 ? ""
            : kernel->language == HED_WGSL ? "overrides: "
                                           : "constants: ",
            kernel->defines[i].name, kernel->defines[i].value);
        before = " ";
    }
}

/* True if no comment has chosen another comparison of an output. */
static bool is_compared_each(const hed_kernel_def *kernel, const char *name)
{
    uint32_t i = 0;
    while (i < kernel->argument_count && strcmp(kernel->arguments[i].name, name) != 0) i++;
    return i < kernel->argument_count && kernel->arguments[i].compare == HED_COMPARE_EACH;
}

/* Adds the comparison of an output whose number of elements follows the size. */
static void note_sum(note_text *note, const hed_wgsl *shader, const hed_kernel_def *kernel)
{
    if (!shader->by_group || !shader->together || !is_compared_each(kernel, shader->by_group))
        return;
    note_add(note,
        "%s%s has one result of each group (line %u): if only their sum matters, add the comment /* heddle "
        "{\"arguments\": [{\"name\": \"%s\", \"compare\": \"sum\"}]} */",
        note->used ? "\n  " : "", shader->by_group, shader->by_group_line, shader->by_group);
}

/* Names the bools that keep their values. */
static void note_switches(note_text *note, const hed_wgsl *shader, hed_spec_kernel *kernel)
{
    const char *first = NULL;
    for (uint32_t i = 0; i < shader->override_count; i++) {
        const hed_wgsl_override *override = &shader->overrides[i];
        if (override->type != HED_WGSL_BOOL || hed_spec_shader_keeps(kernel, override->name))
            continue;
        if (!first) note_add(note, "%sthe value stays of", note->used ? "\n  " : "");
        note_add(note, "%s %s", first ? "," : "", override->name);
        if (!first) first = override->name;
    }
    if (first)
        note_add(note, "; if the result does not depend on it, tune it by /* heddle {\"parameters\": {\"%s\": [0, 1]}} */", first);
}

/* True if an override is a size of the group that the text has as a number. */
static bool is_written_size(const hed_wgsl_override *override) { return override->is_text && override->type != HED_WGSL_F16; }

/* True if a name is the alias of a type whose bits are an override. */
static bool is_half(const hed_wgsl *shader, const char *name)
{
    uint32_t i = 0;
    while (i < shader->override_count && strcmp(shader->overrides[i].name, name) != 0) i++;
    return i < shader->override_count && shader->overrides[i].is_text && !is_written_size(&shader->overrides[i]);
}

/* Names types that are parameters, and one that a buffer keeps from being a parameter. */
static void note_halves(note_text *note, const hed_spec_reader *reader)
{
    const hed_wgsl *shader = reader->shader;
    for (uint32_t i = 0; i < shader->edit_count && reader->has_halves; i++)
        if (is_half(shader, shader->edits[i].factors[0]))
            note_add(note,
                "%sthe type %s in line %u is a parameter, 32 for f32 and 16 for f16, and results may differ by %g; to take "
                "16 into the page, write f16 there, and `enable f16;` in line 1",
                note->used ? "\n  " : "", shader->edits[i].factors[0], shader->edits[i].line, HED_SPEC_HALF_TOLERANCE);
    if (shader->half_alias && reader->device->capabilities & HED_CAN_FP16)
        note_add(note,
            "%sthe type %s is no parameter: %s has elements of it, which the program would have to convert for f16",
            note->used ? "\n  " : "", shader->half_alias, shader->half_buffer);
}

static void note_group(note_text *note, const hed_wgsl *shader)
{
    uint32_t halves = 0;
    for (uint32_t i = 0; i < shader->edit_count; i++) halves += is_half(shader, shader->edits[i].factors[0]);
    if (shader->edit_count == halves) return;
    note_add(note, "%sthe size of the group is written into line", note->used ? "\n  " : "");
    uint32_t last = 0;
    for (uint32_t i = 0; i < shader->edit_count; i++) {
        if (is_half(shader, shader->edits[i].factors[0])) continue;
        if (shader->edits[i].line != last)
            note_add(note, "%s %u", last ? "," : "", shader->edits[i].line);
        last = shader->edits[i].line;
    }
    note_add(note, "; to take the answer into the page, write there");
    for (uint32_t i = 0; i < shader->override_count; i++)
        if (is_written_size(&shader->overrides[i])) note_add(note, " %s", shader->overrides[i].name);
    note_add(note, ", with");
    for (uint32_t i = 0; i < shader->override_count; i++)
        if (is_written_size(&shader->overrides[i]))
            note_add(note, " `override %s: u32 = %.0f;`", shader->overrides[i].name,
                shader->overrides[i].number);
    if (shader->together)
        note_add(note,
            "; items of a group work together (%s in line %u), so only the comparison of results "
            "shows which sizes are right",
            shader->together, shader->together_line);
}

/* Lists the names that settings may have. */
static void list_names(hed_spec_reader *reader, hed_json_node root)
{
    note_text names = {{0}, 0};
    for (uint32_t i = 0; i < reader->spec->problem.count; i++)
        note_add(&names, "%s%s", i ? ", " : "", reader->spec->dimensions[i]);
    for (uint32_t i = 0; i < reader->shader->member_count && i < NOTED; i++)
        note_add(&names, ", %s", reader->shader->members[i].name);
    for (uint32_t i = 0; i < reader->shader->override_count; i++)
        note_add(&names, ", %s", reader->shader->overrides[i].name);
    reader->names = hed_spec_text(reader, root, "%s", names.text);
}

void hed_spec_note_inventions(hed_spec_reader *reader, hed_json_node root)
{
    note_text json = {{0}, 0}, note = {{0}, 0};
    list_names(reader, root);
    hed_json_node list = hed_json_has(root, "arguments") ? hed_json_member(root, "arguments")
                                                         : (hed_json_node){.json = root.json};
    if (!hed_json_has(root, "problem")) note_problem(&json, reader->spec);
    for (uint32_t i = 0; i < 3 && reader->groups[i]; i++)
        note_add(&json, "%s\"%s\"", i ? ", " : ", \"groups\": [", reader->groups[i]);
    if (reader->groups[0]) note_add(&json, "]");
    uint32_t further = note_numbers(&json, reader, list);
    if (json.used)
        note_add(&note,
            "values that the file does not specify; --set NAME=VALUE replaces one, the comment all: /* "
            "heddle {%s} */",
            json.text);
    if (further) note_add(&note, " (and %u further numbers that it leaves out)", further);
    note_overrides(&note, reader->shader, &reader->spec->kernel.def);
    if (reader->shader->lacks_enable)
        note_add(&note, "%sthe text lacks \"enable subgroups;\", which browsers require in line 1",
            note.used ? "\n  " : "");
    note_switches(&note, reader->shader, &reader->spec->kernel);
    note_group(&note, reader->shader);
    note_halves(&note, reader);
    note_sum(&note, reader->shader, &reader->spec->kernel.def);
    bool is_page = reader->spec->kernel.def.language == HED_WGSL && !reader->shader->sets_width;
    if (is_page && hed_spec_shader_keeps(&reader->spec->kernel, HED_SUBGROUP_SIZE))
        note_add(&note,
            "%sto take a width of subgroups other than 0 into the page, write `enable subgroup_size_control; "
            "override HED_SUBGROUP_SIZE: u32;`, and `@subgroup_size(HED_SUBGROUP_SIZE)` before `fn %s`",
            note.used ? "\n  " : "", reader->shader->entry);
    if (reader->sizes.note) note_add(&note, "%s%s", note.used ? "\n  " : "", reader->sizes.note);
    if (note.used) hed_spec_add_note(reader, root, hed_spec_text(reader, root, "%s", note.text));
}
