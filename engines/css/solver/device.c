/* See device.h. Buffers and graphs are made for what is known to be needed, and made again where the
 * counters say that more is. */
#include "solver/device.h"

#include <string.h>

#include "heddle/launch.h"
#include "solver/device_kernels.h"

enum {
    MOST_ATTEMPTS = 24,
    ELEMENTS_AT_ONCE = 1 << 22, /* of a launch, far below 100 ms */
    CLASSES_AT_ONCE = 1 << 18,
    MOST_WORDS = 1 << 30 /* of a buffer */
};

enum {
    DEVICE_TABLES,
    DEVICE_ELEMENTS,
    DEVICE_ANCESTORS,
    DEVICE_BOUND,
    DEVICE_POOL,
    DEVICE_WORK,
    DEVICE_MEANING,
    DEVICE_ACTIONS,
    DEVICE_LISTED,
    DEVICE_BUFFERS
};

struct css_device {
    hed_allocator allocator;
    hed_arena found; /* of the last result */
    hed_device *device;
    const hed_device_info *info;
    hed_stream *stream;
    css_fixed fixed;
    css_shape_of_sheet facts;
    css_kernels kernels;
    hed_buffer *buffers[DEVICE_BUFFERS], *down[2]; /* counts and classes, on the host */
    hed_buffer *up[DEVICE_BOUND];                  /* what was uploaded, where it is done again */
    uint32_t *counts, *classes;                    /* in down[] */
    hed_graph *bind, *pass, *both;
    uint64_t sizes[DEVICE_BUFFERS]; /* words */
    uint32_t cleared;               /* words of `bound` that bind finds empty */
    bool is_bound;                  /* bind is done, and has found room enough */
    uint64_t seed;
    const uint32_t *final; /* the sheet's: css_compiled.final */
    /* where launches are marked */
    hed_event *const *marks;
    const char **names;
    uint32_t mark_count, mark_room;
};

/* ---- sizes ---- */

static uint32_t power_of_two(uint64_t least, uint32_t from, uint32_t to)
{
    uint32_t size = from;
    while (size < least && size < to) size *= 2;
    return size;
}

/* What a first match begins with. */
static void guess_room(css_device *d)
{
    css_fixed *f = &d->fixed;
    f->words = f->state_words = 1;
    f->signature_mask = power_of_two(f->elements / 8, 1 << 9, 1 << 15) - 1;
    f->class_mask = power_of_two(f->elements / 4, 1 << 10, 1 << 17) - 1;
    f->base_mask = power_of_two(4ull * f->shapes, 64, 1u << 30) - 1;
    f->pool_room = 1 << 16;
    f->action_room = 1 << 18;
    f->listed_room = 1 << 16;
}

/* Where arrays lie in `bound` and `work`; false where these are too large. */
static bool lay_out(css_device *d)
{
    css_fixed *f = &d->fixed;
    uint64_t n = f->elements, slots = (uint64_t)f->signature_mask + 1, at = 0, work = 0;
    uint64_t classes = (uint64_t)f->class_mask + 1, p = f->predicates, c = f->compounds;
    uint32_t counts;
    const struct {
        uint32_t *at;
        uint64_t words;
    } bound[] = {{&counts, CSS_COUNTS}, {&f->present, (p + 31) / 32}, {&f->possible, p},
        {&f->needed, f->feeds}, {&f->act_count, 2 * c}, {&f->live, c},
        {&f->base_table, f->base_mask + 1ull}, {&f->mark, p}, {&f->undecided, p},
        {&f->node_bit, 2ull * f->nodes}, {&f->inner_act, 4ull * f->inners},
        {&f->final_act, 2ull * f->finals}, {&f->bound, (uint64_t)CSS_BOUND_WORDS * f->shapes},
        {&f->extra, (uint64_t)CSS_EXTRA_WORDS * f->shapes}, {&f->base_first, f->base_mask + 1ull}};
    const struct {
        uint32_t *at;
        uint64_t words;
    } parts[] = {{&f->bits, (n + 1) * f->words}, {&f->marks, n * f->mark_words},
        {&f->firsts, (uint64_t)f->families * f->rows}, {&f->signature, n}, {&f->class_of, n},
        {&f->signature_table, slots}, {&f->signature_first, slots}, {&f->signature_list, slots},
        {&f->signature_record, 4 * (slots + f->shapes)}, {&f->class_table, classes},
        {&f->class_first, classes}, {&f->class_list, classes}, {&f->class_record, 2 * classes}};
    for (size_t i = 0; i < HED_COUNT(bound); at += bound[i++].words) {
        *bound[i].at = (uint32_t)at;
        if (i == 7) d->cleared = (uint32_t)at; /* all before `mark` */
    }
    for (size_t i = 0; i < HED_COUNT(parts); work += parts[i++].words)
        *parts[i].at = (uint32_t)work;
    f->mark_total = (uint32_t)(n * f->mark_words);
    f->row_total = f->families * f->rows;
    d->sizes[DEVICE_BOUND] = at;
    d->sizes[DEVICE_POOL] = f->pool_room;
    d->sizes[DEVICE_WORK] = work;
    d->sizes[DEVICE_MEANING] = 2 * n;
    d->sizes[DEVICE_ACTIONS] = f->action_room;
    d->sizes[DEVICE_LISTED] = f->listed_room;
    uint64_t most = d->info->max_buffer_bytes ? d->info->max_buffer_bytes / 4 : MOST_WORDS;
    for (int i = 0; i < DEVICE_BUFFERS; i++)
        if (d->sizes[i] > most || d->sizes[i] > MOST_WORDS) return false;
    return css_kernels_fit(&d->kernels, f, d->info);
}

static void next_seed(css_device *d)
{
    d->seed = (d->seed + 1) * 0x9e3779b97f4a7c15u;
    d->fixed.seed_low = (uint32_t)d->seed;
    d->fixed.seed_high = (uint32_t)(d->seed >> 32);
}

/* More room where the counters ask for it; the next seed where hashes met. */
static void learn(css_device *d)
{
    css_fixed *f = &d->fixed;
    const uint32_t *counts = d->counts;
    uint32_t faults = counts[CSS_COUNT_FAULTS];
    if (faults & CSS_FAULT_BOUND) {
        uint32_t words = (counts[CSS_COUNT_ASKS] + 31) / 32;
        uint32_t states = (counts[CSS_COUNT_STATES] + 31) / 32;
        if (words > f->words) f->words = words;
        if (states > f->state_words) f->state_words = states;
        if (counts[CSS_COUNT_STAGES] > f->stages) f->stages = counts[CSS_COUNT_STAGES];
        if (counts[CSS_COUNT_ROWS] > f->rows) f->rows = counts[CSS_COUNT_ROWS];
        f->mark_words = (counts[CSS_COUNT_MARKS] + 31) / 32;
        while (f->pool_room < counts[CSS_COUNT_POOL]) f->pool_room *= 2;
    }
    if (faults & CSS_FAULT_SIGNATURES) f->signature_mask = 4 * f->signature_mask + 3;
    if (faults & CSS_FAULT_CLASSES) f->class_mask = 4 * f->class_mask + 3;
    if (faults & CSS_FAULT_ACTIONS) f->action_room *= 4;
    if (faults & CSS_FAULT_LISTED) f->listed_room *= 4;
    next_seed(d);
}

/* ---- making ---- */

static hed_status make_buffer(
    hed_device *device, hed_memory memory, uint64_t words, hed_buffer **buffer, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(words ? 4 * words : 4);
    def.memory = memory;
    return hed_buffer_create(device, &def, buffer, error);
}

static hed_status fill(
    css_device *d, int buffer, uint64_t at, uint64_t words, uint32_t with, hed_error *error)
{
    if (!words) return hed_failed(error) ? error->status : HED_OK;
    return hed_fill(d->stream, d->buffers[buffer], 4 * at, 4 * words, &with, 4, error);
}

/* A launch of a kernel; `numbers`: its own arguments, behind those of all. */
static hed_status launch(css_device *d, css_kernel which, const hed_geometry *geometry,
    const uint32_t *numbers, hed_error *error)
{
    hed_argument arguments[CSS_MOST_ARGUMENTS];
    uint32_t count = 0;
    arguments[count++] = hed_struct_argument(&d->fixed, sizeof d->fixed);
    for (int i = 0; i < DEVICE_BUFFERS; i++)
        arguments[count++] = hed_buffer_argument(d->buffers[i]);
    for (uint32_t i = 0; i < css_kernel_numbers(which); i++)
        arguments[count++] = hed_uint_argument(numbers[i]);
    if (css_kernel_local(which)) arguments[count++] = hed_local_argument();
    hed_launch_over(d->stream, d->kernels.kernel[which], geometry, arguments, count, error);
    if (d->mark_count < d->mark_room) {
        d->names[d->mark_count] = css_kernel_defs[which].name;
        hed_event_record(d->marks[d->mark_count++], d->stream, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static void enqueue_bind(css_device *d, hed_error *error)
{
    hed_geometry g;
    fill(d, DEVICE_BOUND, 0, d->cleared, 0, error);
    for (css_kernel which = CSS_PRESENCE; which <= CSS_SHAPES; which++) {
        css_kernel_layout(&d->kernels, &d->fixed, d->info, which, 0, &g);
        launch(d, which, &g, NULL, error);
    }
}

static void enqueue_pass(css_device *d, hed_error *error)
{
    css_fixed *f = &d->fixed;
    hed_geometry g;
    uint32_t slots = f->class_mask + 1;
    for (uint32_t stage = 0; stage <= f->stages; stage++)
        for (uint64_t at = 0; at < f->elements; at += ELEMENTS_AT_ONCE) {
            uint64_t end =
                at + ELEMENTS_AT_ONCE < f->elements ? at + ELEMENTS_AT_ONCE : f->elements;
            css_kernel_layout(&d->kernels, f, d->info, CSS_BITS, (uint32_t)(end - at), &g);
            launch(d, CSS_BITS, &g, (uint32_t[]){stage, (uint32_t)at, (uint32_t)end}, error);
        }
    for (uint64_t at = 0; at < f->elements; at += ELEMENTS_AT_ONCE) {
        uint64_t end = at + ELEMENTS_AT_ONCE < f->elements ? at + ELEMENTS_AT_ONCE : f->elements;
        css_kernel_layout(&d->kernels, f, d->info, CSS_PATHS, (uint32_t)(end - at), &g);
        launch(d, CSS_PATHS, &g, (uint32_t[]){(uint32_t)at, (uint32_t)end}, error);
    }
    for (uint32_t at = 0; at < slots; at += CLASSES_AT_ONCE) {
        uint32_t end = slots - at < CLASSES_AT_ONCE ? slots : at + CLASSES_AT_ONCE;
        css_kernel_layout(&d->kernels, f, d->info, CSS_CLASSES, end - at, &g);
        launch(d, CSS_CLASSES, &g, (uint32_t[]){at, end}, error);
    }
}

static hed_status record(css_device *d, hed_graph **graph, bool bind, bool pass, hed_error *error)
{
    hed_graph_begin(d->stream, error);
    if (bind) enqueue_bind(d, error);
    if (pass) enqueue_pass(d, error);
    return hed_graph_end(d->stream, graph, error);
}

static void unmake(css_device *d)
{
    if (d->stream) hed_stream_wait(d->stream, NULL);
    hed_graph_destroy(d->bind);
    hed_graph_destroy(d->pass);
    hed_graph_destroy(d->both);
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++) {
        hed_buffer_destroy(d->buffers[i]);
        d->buffers[i] = NULL;
    }
    for (int i = 0; i < 2; i++) hed_buffer_destroy(d->down[i]);
    d->down[0] = d->down[1] = NULL;
    d->bind = d->pass = d->both = NULL;
}

/* Buffers of the sizes that are known, what has to be empty before a first match, and graphs. */
static hed_status make(css_device *d, hed_error *error)
{
    css_fixed *f = &d->fixed;
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++)
        make_buffer(d->device, HED_MEMORY_DEVICE, d->sizes[i], &d->buffers[i], error);
    make_buffer(d->device, HED_MEMORY_PINNED, CSS_COUNTS, &d->down[0], error);
    make_buffer(d->device, HED_MEMORY_PINNED, f->elements, &d->down[1], error);
    if (hed_failed(error)) return error->status;
    d->counts = hed_buffer_describe(d->down[0]).host;
    d->classes = hed_buffer_describe(d->down[1]).host;
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++) fill(d, i, 0, d->sizes[i], 0, error);
    fill(d, DEVICE_WORK, f->firsts, f->row_total, CSS_NONE, error);
    css_kernels_groups(&d->kernels, f, d->info);
    record(d, &d->bind, true, false, error);
    record(d, &d->pass, false, true, error);
    return record(d, &d->both, true, true, error);
}

static hed_status upload(
    css_device *d, const css_compiled *compiled, const css_forest *forest, hed_error *error)
{
    hed_arena work = {.allocator = d->allocator, .owner = "a sheet on a device"};
    css_list tables = {0}, elements = {0};
    uint32_t *ancestors = NULL;
    css_pack_tables(&d->fixed, &tables, &work, compiled, forest, &d->facts, error);
    css_pack_elements(&d->fixed, &elements, &ancestors, &work, forest, &d->facts, error);
    const uint32_t *from[] = {tables.items, elements.items, ancestors};
    d->sizes[DEVICE_TABLES] = tables.count;
    d->sizes[DEVICE_ELEMENTS] = elements.count;
    d->sizes[DEVICE_ANCESTORS] = 4ull * d->fixed.elements;
    for (int i = 0; i < 3 && !hed_failed(error); i++) {
        make_buffer(d->device, HED_MEMORY_DEVICE, d->sizes[i], &d->buffers[i], error);
        if (d->sizes[i]) hed_write(d->stream, d->buffers[i], 0, from[i], 4 * d->sizes[i], error);
    }
    if (d->stream) hed_stream_wait(d->stream, error);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_device_create(hed_device *device, hed_allocator allocator,
    const css_compiled *compiled, const css_forest *forest, bool wide, css_device **made,
    hed_error *error)
{
    *made = NULL;
    if (hed_failed(error)) return error->status;
    if (forest->depth > CSS_DEVICE_DEPTH || !forest->count) return HED_OK;
    css_device *d = hed_new(&allocator, 1, sizeof *d, error);
    if (!d) return error->status;
    d->allocator = allocator;
    d->found = (hed_arena){.allocator = allocator, .owner = "the result of a match"};
    d->device = device;
    d->info = hed_device_describe(device);
    d->seed = hed_now();
    d->fixed.chain = forest->depth + 1;
    d->final = compiled->final.items;
    hed_stream_create(device, NULL, &d->stream, error);
    upload(d, compiled, forest, error);
    css_kernels_create(&d->kernels, device, wide, error);
    guess_room(d);
    if (!hed_failed(error) && lay_out(d)) {
        next_seed(d);
        make(d, error);
        *made = d;
    }
    if (hed_failed(error) || !*made) {
        css_device_destroy(d);
        *made = NULL;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

void css_device_destroy(css_device *d)
{
    if (!d) return;
    hed_allocator allocator = d->allocator;
    unmake(d);
    for (int i = 0; i < DEVICE_BOUND; i++) {
        hed_buffer_destroy(d->buffers[i]);
        hed_buffer_destroy(d->up[i]);
    }
    css_kernels_destroy(&d->kernels);
    hed_stream_destroy(d->stream);
    hed_arena_free(&d->found);
    hed_delete(&allocator, d, 1, sizeof *d);
}

/* ---- a match ---- */

static hed_status read_counts(css_device *d, hed_error *error)
{
    hed_read(d->stream, d->counts, d->buffers[DEVICE_BOUND], 0, 4 * CSS_COUNTS, error);
    return hed_stream_wait(d->stream, error);
}

/* Finals of a list, of each rule the first; how many. */
static uint32_t take_list(const css_device *d, const uint32_t *finals, uint32_t count, uint32_t *to)
{
    uint32_t kept = 0, last = CSS_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rule = d->final[4 * (size_t)finals[i] + 2];
        if (rule != last) to[kept++] = finals[i];
        last = rule;
    }
    return kept;
}

/* The lists of classes, and classes numbered by their first elements. */
static hed_status take(css_device *d, css_found *found, hed_error *error)
{
    const css_fixed *f = &d->fixed;
    uint32_t classes = d->counts[CSS_COUNT_CLASSES], listed = d->counts[CSS_COUNT_LISTED];
    uint32_t count = 0, none = CSS_NONE;
    hed_buffer *work = d->buffers[DEVICE_WORK];
    hed_arena_free(&d->found);
    uint32_t *list = hed_arena_new(&d->found, classes, sizeof *list, error);
    uint32_t *record = hed_arena_new(&d->found, 2ull * classes, sizeof *record, error);
    uint32_t *finals = hed_arena_new(&d->found, listed, sizeof *finals, error);
    uint32_t *index = hed_arena_new(&d->found, f->class_mask + 1ull, sizeof *index, error);
    uint32_t *number = hed_arena_new(&d->found, classes, sizeof *number, error);
    uint32_t *begin = hed_arena_new(&d->found, classes + 1ull, sizeof *begin, error);
    uint32_t *sorted = hed_arena_new(&d->found, listed, sizeof *sorted, error);
    if (hed_failed(error)) return error->status;
    hed_read(d->stream, list, work, 4ull * f->class_list, 4ull * classes, error);
    hed_read(d->stream, record, work, 4ull * f->class_record, 8ull * classes, error);
    hed_read(d->stream, finals, d->buffers[DEVICE_LISTED], 0, 4ull * listed, error);
    if (hed_stream_wait(d->stream, error)) return error->status;
    for (uint32_t i = 0; i < classes; i++) {
        index[list[i] & f->class_mask] = i + 1;
        number[i] = none;
    }
    for (uint32_t e = 0; e < f->elements; e++) {
        uint32_t i = index[d->classes[e] & f->class_mask] - 1;
        if (i == none)
            return hed_fail(error, HED_ERROR_DRIVER,
                "css: device %s gives element %u a class that it did not list", d->info->id, e);
        if (number[i] == none) {
            number[i] = count++;
            begin[count] = begin[count - 1] + take_list(d, finals + record[2 * i],
                                                  record[2 * i + 1], sorted + begin[count - 1]);
        }
        d->classes[e] = number[i];
    }
    *found = (css_found){count, d->classes, begin, sorted};
    return HED_OK;
}

bool css_device_match(css_device *d, css_found *found, hed_error *error)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS && !hed_failed(error); attempt++) {
        if (attempt) {
            learn(d);
            unmake(d);
            if (!lay_out(d)) return false;
            make(d, error);
            d->is_bound = false;
        }
        if (!d->is_bound) {
            hed_graph_replay(d->bind, d->stream, error);
            if (read_counts(d, error)) break;
            if (d->counts[CSS_COUNT_FAULTS]) continue;
            d->is_bound = true;
        }
        if (d->counts[CSS_COUNT_COUNTING] && d->facts.most_siblings > CSS_DEVICE_COUNTED)
            return false;
        if (d->counts[CSS_COUNT_ROOM] > CSS_DEVICE_ACTS) return false;
        css_device_replay(d, CSS_REPLAY_PASS | CSS_REPLAY_CLASSES, error);
        if (read_counts(d, error)) break;
        if (d->counts[CSS_COUNT_FAULTS]) continue;
        take(d, found, error);
        return true;
    }
    return hed_failed(error);
}

/* ---- for measurements ---- */

/* Uploads again, from pinned memory that the first time is filled from the device. */
static hed_status upload_again(css_device *d, hed_error *error)
{
    for (int i = 0; i < DEVICE_BOUND && !hed_failed(error); i++) {
        if (!d->up[i]) {
            make_buffer(d->device, HED_MEMORY_PINNED, d->sizes[i], &d->up[i], error);
            if (hed_failed(error)) break;
            hed_read(d->stream, hed_buffer_describe(d->up[i]).host, d->buffers[i], 0,
                4 * d->sizes[i], error);
        }
        hed_write(d->stream, d->buffers[i], 0, hed_buffer_describe(d->up[i]).host, 4 * d->sizes[i],
            error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_device_replay(css_device *d, unsigned steps, hed_error *error)
{
    if (steps & CSS_REPLAY_UPLOAD) upload_again(d, error);
    bool bind = steps & CSS_REPLAY_BIND, pass = steps & CSS_REPLAY_PASS;
    if (bind || pass)
        hed_graph_replay(bind && pass ? d->both : bind ? d->bind : d->pass, d->stream, error);
    if (steps & CSS_REPLAY_CLASSES)
        hed_read(d->stream, d->classes, d->buffers[DEVICE_WORK], 4ull * d->fixed.class_of,
            4ull * d->fixed.elements, error);
    return hed_failed(error) ? error->status : HED_OK;
}

uint32_t css_device_marked(
    css_device *d, hed_event *const *marks, const char **names, uint32_t count, hed_error *error)
{
    d->marks = marks;
    d->names = names;
    d->mark_room = count;
    d->mark_count = 1;
    hed_event_record(marks[0], d->stream, error);
    enqueue_bind(d, error);
    enqueue_pass(d, error);
    count = d->mark_count;
    d->mark_room = d->mark_count = 0;
    return count;
}

hed_stream *css_device_stream(const css_device *d) { return d->stream; }

double css_device_bytes(const css_device *d)
{
    const css_fixed *f = &d->fixed;
    uint64_t words = d->sizes[DEVICE_ELEMENTS] + d->sizes[DEVICE_ANCESTORS] +
                     d->sizes[DEVICE_MEANING] + f->signature_table;
    return 4.0 * (double)words / f->elements;
}
