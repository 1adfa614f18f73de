/* See device_match.h. Buffers and graphs are made for the known requirements, and made again with
 * more room if the counters report a fault. */
#include "solver/device_match.h"

#include <string.h>

#include "heddle/launch.h"
#include "solver/device_kernels.h"

enum {
    WORD = sizeof(uint32_t),
    MAX_ATTEMPTS = 24,
    ELEMENTS_AT_ONCE = 1 << 22, /* elements of a launch, which takes far less than 100 ms */
    CLASSES_AT_ONCE = 1 << 18,
    MAX_WORDS = 1 << 30, /* words of a buffer */
    COMPARED = 64        /* words that are compared at once, to upload the ones that differ */
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

/* Host copy of an uploaded buffer, which has `room` words. */
typedef struct device_copy {
    uint32_t *words;
    uint64_t count, room;
} device_copy;

/* Steps of a match: enqueued launch by launch at the first use, recorded as a graph at the
 * second. */
typedef struct device_steps {
    hed_graph *graph; /* NULL: not recorded */
    bool recurs;      /* used before */
} device_steps;

struct css_device {
    hed_allocator allocator;
    hed_arena found; /* memory of the last result */
    hed_device *device;
    hed_device_info info;
    hed_stream *stream;
    css_fixed fixed;
    css_device_facts facts;
    css_kernels kernels;
    hed_buffer *buffers[DEVICE_BUFFERS];
    hed_buffer *counters_buffer, *classes_buffer; /* host copies */
    css_counters *counters;
    uint32_t *classes;
    device_copy copies[DEVICE_BOUND];
    uint64_t uploaded;            /* bytes of the last upload */
    hed_buffer *up[DEVICE_BOUND]; /* copies of the uploaded buffers, for measurements */
    device_steps bind, pass, both;
    uint64_t sizes[DEVICE_BUFFERS]; /* words */
    uint64_t room[DEVICE_BUFFERS];  /* words of a buffer that a match writes, >= its size */
    uint64_t classes_room;          /* words of classes_buffer */
    uint32_t cleared;               /* words of `bound` that are cleared before bind */
    bool is_bound;                  /* bind has succeeded with the present buffers */
    uint64_t seed;
    const css_final *final; /* finals of the sheet */
    /* set by css_device_marked() */
    hed_event *const *marks;
    const char **names;
    uint32_t mark_count, mark_room;
};

/* ---- sizes ---- */

static uint32_t power_of_two(uint64_t minimum, uint32_t from, uint32_t to)
{
    uint32_t size = from;
    while (size < minimum && size < to) size *= 2;
    return size;
}

static void raise_to(uint32_t *size, uint32_t requirement)
{
    if (requirement > *size) *size = requirement;
}

/* Raises the sizes to the guess for a first match of the present elements. */
static void guess_room(css_device *d)
{
    css_fixed *f = &d->fixed;
    raise_to(&f->words, 1);
    raise_to(&f->state_words, 1);
    raise_to(&f->signature_mask, power_of_two(f->elements / 8, 1 << 9, 1 << 15) - 1);
    raise_to(&f->class_mask, power_of_two(f->elements / 4, 1 << 10, 1 << 17) - 1);
    raise_to(&f->base_mask, power_of_two(4ull * f->kinds, 64, 1u << 30) - 1);
    raise_to(&f->pool_room, 1 << 16);
    raise_to(&f->action_room, 1 << 17);
    raise_to(&f->listed_room, 1 << 16);
}

/* Array in a buffer: its offset, and its length in words. */
typedef struct device_array {
    uint32_t *at;
    uint64_t words;
} device_array;

/* Words of `count` items of a type. */
#define WORDS(type, count) (sizeof(type) / sizeof(uint32_t) * (uint64_t)(count))

/* Sets the offsets of arrays one after the other; returns their total length. */
static uint64_t place(const device_array *arrays, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        *arrays[i].at = (uint32_t)total;
        total += arrays[i].words;
    }
    return total;
}

static uint64_t place_bound(css_device *d)
{
    css_fixed *f = &d->fixed;
    uint64_t p = f->predicates, base = f->base_mask + 1ull;
    uint32_t counters;
    /* bind requires the arrays before `mark` to be empty */
    const device_array arrays[] = {{&counters, WORDS(css_counters, 1)},
        {&f->present, (p + 31) / 32}, {&f->possible, p}, {&f->needed, f->dependencies},
        {&f->act_counts, WORDS(css_act_counts, f->compounds)}, {&f->live, f->compounds},
        {&f->base_table, base}, {&f->mark, p}, {&f->undecided, p},
        {&f->node_bits, WORDS(css_node_bits, f->nodes)},
        {&f->transition, 2 * WORDS(css_act, f->compound_nodes)},
        {&f->acceptance, WORDS(css_act, f->compound_finals)},
        {&f->bound, WORDS(css_bound_kind, f->kinds)}, {&f->extra, WORDS(css_kind_extra, f->kinds)},
        {&f->base_first, base}};
    uint64_t total = place(arrays, HED_COUNT(arrays));
    d->cleared = f->mark;
    return total;
}

static uint64_t place_work(css_device *d)
{
    css_fixed *f = &d->fixed;
    uint64_t n = f->elements, slots = f->signature_mask + 1ull, classes = f->class_mask + 1ull;
    const device_array arrays[] = {{&f->bits, (n + 1) * f->words}, {&f->marks, n * f->mark_words},
        {&f->firsts, (uint64_t)f->families * f->rows}, {&f->signature, n}, {&f->class_of, n},
        {&f->signature_table, slots}, {&f->signature_first, slots}, {&f->signature_list, slots},
        {&f->signature_acts, WORDS(css_signature_acts, slots + f->kinds)},
        {&f->class_table, classes}, {&f->class_first, classes}, {&f->class_list, classes},
        {&f->class_finals, WORDS(css_class_finals, classes)}};
    f->mark_total = (uint32_t)(n * f->mark_words);
    f->row_total = f->families * f->rows;
    return place(arrays, HED_COUNT(arrays));
}

/* Sets the sizes of the buffers that a match writes; false: too large for the device. */
static bool lay_out(css_device *d)
{
    css_fixed *f = &d->fixed;
    d->sizes[DEVICE_BOUND] = place_bound(d);
    d->sizes[DEVICE_POOL] = f->pool_room;
    d->sizes[DEVICE_WORK] = place_work(d);
    d->sizes[DEVICE_MEANING] = WORDS(uint64_t, f->elements);
    d->sizes[DEVICE_ACTIONS] = WORDS(css_act, f->action_room);
    d->sizes[DEVICE_LISTED] = f->listed_room;
    uint64_t limit = d->info.max_buffer_bytes ? d->info.max_buffer_bytes / WORD : MAX_WORDS;
    for (int i = 0; i < DEVICE_BUFFERS; i++)
        if (d->sizes[i] > limit || d->sizes[i] > MAX_WORDS) return false;
    return css_kernels_fit(&d->kernels, f, &d->info);
}

static void next_seed(css_device *d)
{
    d->seed = (d->seed + 1) * 0x9e3779b97f4a7c15u;
    d->fixed.seed_low = (uint32_t)d->seed;
    d->fixed.seed_high = (uint32_t)(d->seed >> 32);
}

/* Makes the room that the counters require, and takes the next seed, as hashes may have
 * collided. */
static void learn(css_device *d)
{
    css_fixed *f = &d->fixed;
    const css_counters *counters = d->counters;
    uint32_t faults = counters->faults;
    if (faults & CSS_FAULT_BOUND) {
        raise_to(&f->words, (counters->dynamics + 31) / 32);
        raise_to(&f->state_words, (counters->states + 31) / 32);
        raise_to(&f->stages, counters->stages);
        raise_to(&f->rows, counters->rows);
        f->mark_words = (counters->marks + 31) / 32;
        while (f->pool_room < counters->pool) f->pool_room *= 2;
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
    hed_buffer_def def = hed_default_buffer_def(words ? WORD * words : WORD);
    def.memory = memory;
    return hed_buffer_create(device, &def, buffer, error);
}

static hed_status fill(
    css_device *d, int buffer, uint64_t at, uint64_t words, uint32_t value, hed_error *error)
{
    if (!words) return hed_failed(error) ? error->status : HED_OK;
    return hed_fill(d->stream, d->buffers[buffer], WORD * at, WORD * words, &value, WORD, error);
}

/* Launches a kernel. `numbers`: its own scalar arguments. */
static hed_status launch(css_device *d, css_kernel kernel, const hed_geometry *geometry,
    const uint32_t *numbers, hed_error *error)
{
    hed_argument arguments[CSS_MOST_ARGUMENTS];
    uint32_t count = 0;
    arguments[count++] = hed_struct_argument(&d->fixed, sizeof d->fixed);
    for (int i = 0; i < DEVICE_BUFFERS; i++)
        arguments[count++] = hed_buffer_argument(d->buffers[i]);
    for (uint32_t i = 0; i < css_kernel_numbers(kernel); i++)
        arguments[count++] = hed_uint_argument(numbers[i]);
    if (css_kernel_local(kernel)) arguments[count++] = hed_local_argument();
    hed_launch_over(d->stream, d->kernels.kernel[kernel], geometry, arguments, count, error);
    if (d->mark_count < d->mark_room) {
        d->names[d->mark_count] = css_kernel_defs[kernel].name;
        hed_event_record(d->marks[d->mark_count++], d->stream, error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

static void enqueue_bind(css_device *d, hed_error *error)
{
    hed_geometry g;
    fill(d, DEVICE_BOUND, 0, d->cleared, 0, error);
    for (css_kernel kernel = CSS_PRESENCE; kernel <= CSS_KINDS; kernel++) {
        css_kernel_layout(&d->kernels, &d->fixed, &d->info, kernel, 0, &g);
        launch(d, kernel, &g, NULL, error);
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
            css_kernel_layout(&d->kernels, f, &d->info, CSS_BITS, (uint32_t)(end - at), &g);
            launch(d, CSS_BITS, &g, (uint32_t[]){stage, (uint32_t)at, (uint32_t)end}, error);
        }
    for (uint64_t at = 0; at < f->elements; at += ELEMENTS_AT_ONCE) {
        uint64_t end = at + ELEMENTS_AT_ONCE < f->elements ? at + ELEMENTS_AT_ONCE : f->elements;
        css_kernel_layout(&d->kernels, f, &d->info, CSS_PATHS, (uint32_t)(end - at), &g);
        launch(d, CSS_PATHS, &g, (uint32_t[]){(uint32_t)at, (uint32_t)end}, error);
    }
    for (uint32_t at = 0; at < slots; at += CLASSES_AT_ONCE) {
        uint32_t end = slots - at < CLASSES_AT_ONCE ? slots : at + CLASSES_AT_ONCE;
        css_kernel_layout(&d->kernels, f, &d->info, CSS_CLASSES, end - at, &g);
        launch(d, CSS_CLASSES, &g, (uint32_t[]){at, end}, error);
    }
}

static void enqueue(css_device *d, bool bind, bool pass, hed_error *error)
{
    if (bind) enqueue_bind(d, error);
    if (pass) enqueue_pass(d, error);
}

/* Runs steps, from the second time on as a graph. */
static void run_steps(css_device *d, bool bind, bool pass, hed_error *error)
{
    device_steps *steps = bind && pass ? &d->both : bind ? &d->bind : &d->pass;
    if (!steps->recurs) {
        steps->recurs = true;
        enqueue(d, bind, pass, error);
        return;
    }
    if (!steps->graph) {
        hed_graph_begin(d->stream, error);
        enqueue(d, bind, pass, error);
        hed_graph_end(d->stream, &steps->graph, error);
    }
    if (!hed_failed(error)) hed_graph_replay(steps->graph, d->stream, error);
}

/* Destroys the graphs, whose arguments have the present sizes and buffers. */
static void unmake(css_device *d)
{
    if (d->stream) hed_stream_wait(d->stream, NULL);
    hed_graph_destroy(d->bind.graph);
    hed_graph_destroy(d->pass.graph);
    hed_graph_destroy(d->both.graph);
    d->bind = d->pass = d->both = (device_steps){0};
}

/* Replaces a buffer that is smaller than `words` words. */
static void make_room(css_device *d, hed_memory memory, uint64_t words, uint64_t *room,
    hed_buffer **buffer, hed_error *error)
{
    if (*buffer && *room >= words) return;
    hed_buffer_destroy(*buffer);
    *buffer = NULL;
    *room = words;
    make_buffer(d->device, memory, words, buffer, error);
}

/* Makes missing buffers of the known sizes, and clears all for a first match. */
static hed_status make(css_device *d, hed_error *error)
{
    css_fixed *f = &d->fixed;
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++)
        make_room(d, HED_MEMORY_DEVICE, d->sizes[i], &d->room[i], &d->buffers[i], error);
    if (!d->counters_buffer)
        make_buffer(
            d->device, HED_MEMORY_PINNED, WORDS(css_counters, 1), &d->counters_buffer, error);
    make_room(d, HED_MEMORY_PINNED, f->elements, &d->classes_room, &d->classes_buffer, error);
    if (hed_failed(error)) return error->status;
    d->counters = hed_buffer_describe(d->counters_buffer).host;
    d->classes = hed_buffer_describe(d->classes_buffer).host;
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++) fill(d, i, 0, d->sizes[i], 0, error);
    fill(d, DEVICE_WORK, f->firsts, f->row_total, CSS_NONE, error);
    css_kernels_groups(&d->kernels, f, &d->info);
    return hed_failed(error) ? error->status : HED_OK;
}

/* Makes an uploaded buffer and its copy, with room for more element kinds. */
static hed_status make_copied(css_device *d, int buffer, uint64_t words, hed_error *error)
{
    device_copy *copy = &d->copies[buffer];
    hed_buffer_destroy(d->buffers[buffer]);
    d->buffers[buffer] = NULL;
    hed_delete(&d->allocator, copy->words, copy->room, WORD);
    *copy = (device_copy){.room = words + words / 16 + 4 * COMPARED};
    copy->words = hed_new(&d->allocator, copy->room, WORD, error);
    if (!copy->words) return HED_ERROR_MEMORY;
    return make_buffer(d->device, HED_MEMORY_DEVICE, copy->room, &d->buffers[buffer], error);
}

/* Uploads the ranges of words that differ from the copy. */
static void upload_changes(
    css_device *d, int buffer, const uint32_t *words, uint64_t count, hed_error *error)
{
    device_copy *copy = &d->copies[buffer];
    if (count > copy->room || !copy->words) make_copied(d, buffer, count, error);
    uint64_t begin = 0, end = 0; /* differing range so far */
    for (uint64_t at = 0; at < count && !hed_failed(error); at += COMPARED) {
        uint64_t next = at + COMPARED < count ? at + COMPARED : count;
        bool same =
            next <= copy->count && !memcmp(copy->words + at, words + at, WORD * (next - at));
        if (!same && begin == end) begin = at;
        if (!same) end = next;
        if (begin == end || (!same && next < count)) continue;
        memcpy(copy->words + begin, words + begin, WORD * (end - begin));
        hed_write(d->stream, d->buffers[buffer], WORD * begin, copy->words + begin,
            WORD * (end - begin), error);
        d->uploaded += WORD * (end - begin);
        begin = end = 0;
    }
    copy->count = d->sizes[buffer] = count;
}

static hed_status upload(
    css_device *d, const css_compiled *compiled, const css_forest *forest, hed_error *error)
{
    hed_arena work = {.allocator = d->allocator, .owner = "a sheet on a device"};
    css_list tables = {0}, elements = {0};
    css_ancestors *ancestors = NULL;
    d->uploaded = 0;
    css_pack_tables(&d->fixed, &tables, &work, compiled, forest, &d->facts, error);
    css_pack_elements(&d->fixed, &elements, &ancestors, &work, forest, &d->facts, error);
    if (!hed_failed(error)) {
        upload_changes(d, DEVICE_TABLES, tables.items, tables.count, error);
        upload_changes(d, DEVICE_ELEMENTS, elements.items, elements.count, error);
        upload_changes(d, DEVICE_ANCESTORS, (const uint32_t *)ancestors,
            WORDS(css_ancestors, d->fixed.elements), error);
    }
    if (d->stream) hed_stream_wait(d->stream, error);
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}

bool css_device_update(
    css_device *d, const css_compiled *compiled, const css_forest *forest, hed_error *error)
{
    css_fixed *f = &d->fixed, before = d->fixed;
    if (hed_failed(error) || forest->depth > CSS_DEVICE_DEPTH || !forest->count) return false;
    for (int i = 0; i < DEVICE_BOUND; i++) { /* a measurement reads the new content */
        hed_buffer_destroy(d->up[i]);
        d->up[i] = NULL;
    }
    hed_stream_wait(d->stream, error);
    f->chain = forest->depth + 1;
    f->families = f->position_count = f->stage_count = 0;
    d->facts = (css_device_facts){0};
    d->final = compiled->tables.final;
    d->is_bound = false;
    hed_buffer *tables = d->buffers[DEVICE_TABLES];
    if (upload(d, compiled, forest, error)) return false;
    if (!memcmp(f, &before, sizeof before) && tables == d->buffers[DEVICE_TABLES]) return true;
    /* elements, kinds, families or levels have changed: graphs have the new sizes as arguments */
    guess_room(d);
    unmake(d);
    if (!lay_out(d)) return false;
    make(d, error);
    return !hed_failed(error);
}

uint64_t css_device_uploaded(const css_device *d) { return d->uploaded; }

hed_status css_device_create(hed_device *device, hed_allocator allocator,
    const css_compiled *compiled, const css_forest *forest, bool wide, css_device **result,
    hed_error *error)
{
    *result = NULL;
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
    d->final = compiled->tables.final;
    hed_stream_create(device, NULL, &d->stream, error);
    upload(d, compiled, forest, error);
    css_kernels_create(&d->kernels, device, wide, error);
    guess_room(d);
    if (!hed_failed(error) && lay_out(d)) {
        next_seed(d);
        make(d, error);
        *result = d;
    }
    if (hed_failed(error) || !*result) {
        css_device_destroy(d);
        *result = NULL;
    }
    return hed_failed(error) ? error->status : HED_OK;
}

void css_device_destroy(css_device *d)
{
    if (!d) return;
    hed_allocator allocator = d->allocator;
    unmake(d);
    for (int i = DEVICE_BOUND; i < DEVICE_BUFFERS; i++) hed_buffer_destroy(d->buffers[i]);
    hed_buffer_destroy(d->counters_buffer);
    hed_buffer_destroy(d->classes_buffer);
    for (int i = 0; i < DEVICE_BOUND; i++) {
        hed_buffer_destroy(d->buffers[i]);
        hed_buffer_destroy(d->up[i]);
        hed_delete(&allocator, d->copies[i].words, d->copies[i].room, WORD);
    }
    css_kernels_destroy(&d->kernels);
    hed_stream_destroy(d->stream);
    hed_arena_free(&d->found);
    hed_delete(&allocator, d, 1, sizeof *d);
}

/* ---- a match ---- */

static hed_status read_counters(css_device *d, hed_error *error)
{
    hed_read(d->stream, d->counters, d->buffers[DEVICE_BOUND], 0, sizeof *d->counters, error);
    return hed_stream_wait(d->stream, error);
}

/* Copies the finals of a list, the first of each rule; returns their number. */
static uint32_t take_list(const css_device *d, const uint32_t *finals, uint32_t count, uint32_t *to)
{
    uint32_t written = 0, last = CSS_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rule = d->final[finals[i]].rule;
        if (rule != last) to[written++] = finals[i];
        last = rule;
    }
    return written;
}

/* Reads the lists of classes, and numbers classes in the order of their first elements. */
static hed_status take(css_device *d, css_found *result, hed_error *error)
{
    const css_fixed *f = &d->fixed;
    uint32_t classes = d->counters->classes, listed = d->counters->listed;
    uint32_t count = 0, unlisted = CSS_NONE;
    hed_buffer *work = d->buffers[DEVICE_WORK];
    hed_arena_free(&d->found);
    uint32_t *list = hed_arena_new(&d->found, classes, sizeof *list, error);
    css_class_finals *record = hed_arena_new(&d->found, classes, sizeof *record, error);
    uint32_t *finals = hed_arena_new(&d->found, listed, sizeof *finals, error);
    uint32_t *index = hed_arena_new(&d->found, f->class_mask + 1ull, sizeof *index, error);
    uint32_t *number = hed_arena_new(&d->found, classes, sizeof *number, error);
    uint32_t *begin = hed_arena_new(&d->found, classes + 1ull, sizeof *begin, error);
    uint32_t *sorted = hed_arena_new(&d->found, listed, sizeof *sorted, error);
    if (hed_failed(error)) return error->status;
    uint64_t word = WORD;
    hed_read(d->stream, list, work, word * f->class_list, classes * sizeof *list, error);
    hed_read(d->stream, record, work, word * f->class_finals, classes * sizeof *record, error);
    hed_read(d->stream, finals, d->buffers[DEVICE_LISTED], 0, word * listed, error);
    if (hed_stream_wait(d->stream, error)) return error->status;
    for (uint32_t i = 0; i < classes; i++) {
        index[list[i] & f->class_mask] = i + 1;
        number[i] = unlisted;
    }
    for (uint32_t e = 0; e < f->elements; e++) {
        uint32_t i = index[d->classes[e] & f->class_mask] - 1;
        if (i == unlisted)
            return hed_fail(error, HED_ERROR_DRIVER,
                "css: device %s gives element %u a class that it did not list", d->info.id, e);
        if (number[i] == unlisted) {
            number[i] = count++;
            uint32_t first = begin[count - 1];
            begin[count] =
                first + take_list(d, finals + record[i].first, record[i].count, sorted + first);
        }
        d->classes[e] = number[i];
    }
    *result = (css_found){count, d->classes, begin, sorted};
    return HED_OK;
}

bool css_device_match(css_device *d, css_found *result, hed_error *error)
{
    for (int attempt = 0; attempt < MAX_ATTEMPTS && !hed_failed(error); attempt++) {
        if (attempt) {
            learn(d);
            unmake(d);
            if (!lay_out(d)) return false;
            make(d, error);
            d->is_bound = false;
        }
        if (!d->is_bound) {
            run_steps(d, true, false, error);
            if (read_counters(d, error)) break;
            if (d->counters->faults) continue;
            d->is_bound = true;
        }
        if (d->counters->counting && d->facts.most_siblings > CSS_DEVICE_COUNTED) return false;
        if (d->counters->acts > CSS_DEVICE_ACTS) return false;
        css_device_replay(d, CSS_REPLAY_PASS | CSS_REPLAY_CLASSES, error);
        if (read_counters(d, error)) break;
        if (d->counters->faults) continue;
        take(d, result, error);
        return true;
    }
    return hed_failed(error);
}

/* ---- for measurements ---- */

/* Uploads again, from pinned memory; the first call fills this memory from the device. */
static hed_status upload_again(css_device *d, hed_error *error)
{
    for (int i = 0; i < DEVICE_BOUND && !hed_failed(error); i++) {
        if (!d->up[i]) {
            make_buffer(d->device, HED_MEMORY_PINNED, d->sizes[i], &d->up[i], error);
            if (hed_failed(error)) break;
            hed_read(d->stream, hed_buffer_describe(d->up[i]).host, d->buffers[i], 0,
                WORD * d->sizes[i], error);
        }
        hed_write(d->stream, d->buffers[i], 0, hed_buffer_describe(d->up[i]).host,
            WORD * d->sizes[i], error);
    }
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status css_device_replay(css_device *d, unsigned steps, hed_error *error)
{
    if (steps & CSS_REPLAY_UPLOAD) upload_again(d, error);
    bool bind = steps & CSS_REPLAY_BIND, pass = steps & CSS_REPLAY_PASS;
    if (bind || pass) run_steps(d, bind, pass, error);
    if (steps & CSS_REPLAY_CLASSES)
        hed_read(d->stream, d->classes, d->buffers[DEVICE_WORK], (uint64_t)WORD * d->fixed.class_of,
            (uint64_t)WORD * d->fixed.elements, error);
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
    return (double)(WORD * words) / f->elements;
}
