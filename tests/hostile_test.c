/* ctest: devices */
/* Arguments that no sane caller gives, through the public functions: each is answered with a status
 * that says what was wrong, or is allowed and harmless; the device works afterwards. What callers
 * get wrong every day is in runtime_test.c. */
#include "cycle.h"

static hed_error error;

/* A device with what a launch of the kernel of cycle.h needs. */
typedef struct scene {
    test_device t;
    hed_buffer *in, *out;
    hed_kernel *kernel;
    hed_argument arguments[6];
    cycle c;
} scene;

static void open_scene(scene *s)
{
    hed_kernel_options options = hed_default_kernel_options();
    memset(s, 0, sizeof *s);
    options.defines = cycle_own_defines;
    options.define_count = 1;
    s->t = test_open(NULL);
    OK(cycle_buffer(s->t.device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &s->in, &error));
    OK(cycle_buffer(s->t.device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &s->out, &error));
    OK(hed_write(s->t.stream, s->in, 0, s->c.input, CYCLE_BYTES, &error));
    OK(hed_kernel_create(s->t.device, &cycle_def, &options, &s->kernel, &error));
    s->c.in = s->in;
    cycle_pack(&s->c, s->out, 2.0f, s->arguments);
}

/* The device works still. */
static void close_scene(scene *s)
{
    hed_problem problem = hed_problem_1d(CYCLE_N);
    OK(hed_launch(s->t.stream, s->kernel, &problem, s->arguments, 6, &error));
    OK(hed_read(s->t.stream, s->c.output, s->out, 0, CYCLE_BYTES, &error));
    OK(hed_stream_wait(s->t.stream, &error));
    cycle_check(&s->c, 2.0f, "after hostile arguments");
    hed_kernel_destroy(s->kernel);
    hed_buffer_destroy(s->out);
    hed_buffer_destroy(s->in);
    test_close(&s->t);
}

Test(hostile, null_is_allowed_where_it_says_so)
{
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_cache_info report;
    OK(hed_context_create(NULL, &context, NULL));
    OK(hed_device_find(context, NULL, &device, NULL));
    OK(hed_device_find(context, "host", &device, NULL));
    OK(hed_stream_create(device, NULL, &stream, NULL));
    CHECK_EQ(hed_device_find(context, "no such thing", &device, NULL), HED_ERROR_NO_DEVICE);
    CHECK_EQ(hed_write(stream, NULL, 0, "x", 1, NULL), HED_ERROR_ARGUMENT,
        "an error is told without a place for its text");
    OK(hed_cache_measure(context, &report, NULL));
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    hed_context_destroy(NULL);
    hed_device_release(NULL);
    hed_stream_destroy(NULL);
    hed_buffer_destroy(NULL);
    hed_event_destroy(NULL);
    hed_graph_destroy(NULL);
    hed_kernel_destroy(NULL);
    hed_resident_destroy(NULL);
}

Test(hostile, contexts_without_what_they_need)
{
    hed_context *context = (hed_context *)1;
    hed_context_def def = hed_default_context_def();
    def.allocator.allocate = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_context_create(&def, &context, &error));
    CHECK_NULL(context);
    def = hed_default_context_def();
    def.clock.now = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_context_create(&def, &context, &error));
    const hed_context_def zeros = {0};
    FAILS(HED_ERROR_ARGUMENT, hed_context_create(&zeros, &context, &error));
}

Test(hostile, selectors_and_backends_that_are_nonsense)
{
    static char endless[20000];
    const char *const selectors[] = {
        "", "%s%n%s%n", "cuda:", "opencl:0:0:0:0", "host ", "\xff\xfe", endless};
    scene s;
    hed_device *device;
    hed_driver_handles native = {0};
    memset(endless, 'h', sizeof endless - 1);
    open_scene(&s);
    for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++)
        FAILS(HED_ERROR_NO_DEVICE, hed_device_find(s.t.context, selectors[i], &device, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(s.t.context, endless, &native, &device, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(s.t.context, "host", &native, &device, &error));
    CHECK_NULL(device);
    const char *backend = hed_device_describe(s.t.device).backend;
    if (strcmp(backend, "host"))
        FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(s.t.context, backend, &native, &device, &error));
    else FAILS(HED_ERROR_UNSUPPORTED, hed_device_handles(s.t.device, &native, &error));
    CHECK_NULL(hed_device_symbol(s.t.device, "heddle_has_no_such_function"));
    CHECK_NULL(hed_capability_name(0));
    CHECK_NULL(hed_capability_name(1u << 31));
    hed_device_release(s.t.device); /* not one that was adopted: nothing happens */
    close_scene(&s);
}

/* ---- memory ---- */

Test(hostile, buffers_that_cannot_be)
{
    scene s;
    _Alignas(64) char own[128];
    hed_buffer *buffer = (hed_buffer *)1, *part;
    open_scene(&s);
    const struct {
        hed_buffer_def def;
        hed_status status;
    } cases[] = {
        {{.memory = HED_MEMORY_DEVICE, .size = 0}, HED_ERROR_ARGUMENT},
        {{.memory = (hed_memory)99, .size = 16}, HED_ERROR_ARGUMENT},
        {{.memory = (hed_memory)-1, .size = 16}, HED_ERROR_ARGUMENT},
        {{.memory = HED_MEMORY_CALLER, .size = 64}, HED_ERROR_ARGUMENT},
        {{.memory = HED_MEMORY_CALLER, .size = 64, .host = own + 8}, HED_ERROR_ARGUMENT},
        {{.memory = HED_MEMORY_ADOPTED, .size = 64}, HED_ERROR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FAILS(cases[i].status, hed_buffer_create(s.t.device, &cases[i].def, &buffer, &error));
        CHECK_NULL(buffer, "case %zu", i);
    }
    for (int kind = HED_MEMORY_DEVICE; kind <= HED_MEMORY_MAPPED; kind++) {
        const hed_buffer_def def = {.memory = (hed_memory)kind, .size = UINT64_MAX - 7};
        hed_error_clear(&error);
        hed_status status = hed_buffer_create(s.t.device, &def, &buffer, &error);
        CHECK(status == HED_ERROR_LIMIT || status == HED_ERROR_DEVICE_MEMORY ||
                  status == HED_ERROR_MEMORY,
            "%d: %s", kind, hed_status_name(status));
    }
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create_sub(s.in, 0, 0, &part, &error));
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create_sub(s.in, UINT64_MAX, 2, &part, &error));
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create_sub(s.in, 64, UINT64_MAX - 63, &part, &error));
    CHECK_NULL(part);
    OK(cycle_buffer(s.t.device, HED_MEMORY_PINNED, 64, NULL, &buffer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_create_sub(buffer, 0, 32, &part, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_gl_acquire(s.t.stream, buffer, &error));
    hed_buffer_destroy(buffer);
    const hed_gl no_gl = {0}, gl = {.get_proc_address = cycle_gl_find};
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_from_gl(s.t.device, NULL, 1, 1, NULL, &buffer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_from_gl(s.t.device, &no_gl, 1, 1, NULL, &buffer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_from_gl(s.t.device, &gl, 0, 1, NULL, &buffer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_from_gl(s.t.device, &gl, 1, 0, NULL, &buffer, &error));
    close_scene(&s);
}

Test(hostile, steps_that_cannot_be)
{
    scene s;
    void *pointer = (void *)1;
    char bytes[32] = {0};
    open_scene(&s);
    hed_stream *stream = s.t.stream;
    FAILS(HED_ERROR_ARGUMENT, hed_write(stream, NULL, 0, bytes, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_read(stream, bytes, NULL, 0, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_copy(stream, NULL, 0, s.in, 0, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_copy(stream, s.in, 0, NULL, 0, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, NULL, 0, 1, "x", 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_map(stream, NULL, 0, 1, &pointer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_unmap(stream, s.in, NULL, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_write(stream, s.in, 0, NULL, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_read(stream, NULL, s.in, 0, 1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, s.in, 0, 4, NULL, 4, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, s.in, 0, 4, bytes, 0, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, s.in, 0, 32, bytes, 32, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, s.in, 0, 32, bytes, UINT32_MAX, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_call(stream, NULL, NULL, &error));
    FAILS(HED_ERROR_BOUNDS, hed_copy(stream, s.in, UINT64_MAX, s.out, 0, 2, &error));
    FAILS(HED_ERROR_BOUNDS, hed_copy(stream, s.in, 0, s.out, 0, UINT64_MAX, &error));
    FAILS(HED_ERROR_BOUNDS, hed_fill(stream, s.in, 4, UINT64_MAX, "x", 1, &error));
    FAILS(HED_ERROR_BOUNDS, hed_map(stream, s.in, 1, UINT64_MAX, &pointer, &error));
    OK(hed_write(stream, s.in, CYCLE_BYTES, NULL, 0, &error)); /* nothing, at the very end */
    OK(hed_read(stream, NULL, s.in, 0, 0, &error));
    OK(hed_copy(stream, s.in, 0, s.in, 0, 0, &error));
    OK(hed_fill(stream, s.in, 0, 0, "x", 1, &error));
    close_scene(&s);
}

Test(hostile, streams_and_events_that_cannot_be)
{
    scene s;
    hed_stream *stream = (hed_stream *)1;
    hed_event *event, *never;
    hed_stream_def def = hed_default_stream_def();
    hed_step_time times[1];
    uint32_t count = 7;
    double seconds;
    open_scene(&s);
    def.timed_steps = UINT32_MAX;
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(s.t.device, &def, &stream, &error));
    CHECK_NULL(stream);
    static const int32_t priorities[] = {INT32_MIN, INT32_MAX};
    for (int i = 0; i < 2; i++) {
        def = (hed_stream_def){.priority = priorities[i], .timed_steps = 1};
        OK(hed_stream_create(s.t.device, &def, &stream, &error));
        OK(hed_fill(stream, s.out, 0, 4, "x", 1, &error));
        OK(hed_stream_read_times(stream, times, 0, &count, &error));
        CHECK_EQ(count, 0);
        hed_stream_destroy(stream);
    }
    OK(hed_event_create(s.t.device, true, &event, &error));
    OK(hed_event_create(s.t.device, true, &never, &error));
    OK(hed_event_record(event, s.t.stream, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_stream_wait_event(s.t.stream, never, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_event_wait(never, 0, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_event_elapsed(event, never, &seconds, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_event_elapsed(never, event, &seconds, &error));
    OK(hed_event_wait(event, UINT64_MAX - 1, &error));
    OK(hed_event_elapsed(event, event, &seconds, &error));
    CHECK_EQ(seconds, 0);
    OK(hed_stream_wait_for(s.t.stream, UINT64_MAX, &error));
    hed_event_destroy(event);
    hed_event_destroy(never);
    close_scene(&s);
}

/* A stream that is destroyed while it records, replays of nothing, and steps that no graph
 * takes. */
Test(hostile, graphs_that_cannot_be)
{
    scene s;
    hed_graph *graph = (hed_graph *)1;
    hed_stream *stream;
    hed_event *event;
    hed_buffer *pinned;
    hed_problem problem = hed_problem_1d(CYCLE_N);
    void *pointer;
    open_scene(&s);
    OK(hed_stream_create(s.t.device, NULL, &stream, &error));
    OK(hed_event_create(s.t.device, false, &event, &error));
    OK(cycle_buffer(s.t.device, HED_MEMORY_PINNED, CYCLE_BYTES, NULL, &pinned, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_graph_end(stream, &graph, &error));
    CHECK_NULL(graph);
    OK(hed_graph_begin(stream, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_event_record(event, stream, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_map(stream, s.in, 0, 4, &pointer, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_write(stream, pinned, 0, "1234", 4, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(stream, pinned, 0, 4, "x", 1, &error));
    OK(hed_graph_end(stream, &graph, &error));
    CHECK_EQ(hed_graph_step_count(graph), 0);
    OK(hed_graph_replay(graph, stream, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_graph_update(graph, 0, s.arguments, 6, &error));
    OK(hed_graph_begin(stream, &error));
    OK(hed_graph_replay(graph, stream, &error)); /* of nothing, into nothing */
    OK(hed_launch(stream, s.kernel, &problem, s.arguments, 6, &error));
    hed_stream_destroy(stream);
    hed_graph_destroy(graph);
    hed_event_destroy(event);
    hed_buffer_destroy(pinned);
    close_scene(&s);
}

/* ---- descriptions ---- */

/* Neither valid nor compiled, with the same status and the same words. */
static void check_refused(const scene *s, const hed_kernel_def *def,
    const hed_kernel_options *options, hed_status status, const char *word)
{
    char reason[HED_ERROR_TEXT] = "";
    hed_kernel *kernel = (hed_kernel *)1;
    hed_config config = def ? hed_config_default(def) : (hed_config){0};
    if (options && options->config) config = *options->config;
    FAILS(status, hed_kernel_create(s->t.device, def, options, &kernel, &error));
    CHECK_NULL(kernel);
    CHECK(strstr(error.text, word), "\"%s\" is not in: %s", word, error.text);
    hed_math math = options ? options->math : HED_MATH_FAST;
    CHECK_NOT(hed_kernel_valid(
        def, &config, options ? options->problem : NULL, s->t.device, math, reason, sizeof reason));
    CHECK(reason[0]);
    CHECK_NOT(hed_kernel_valid(
        def, &config, options ? options->problem : NULL, s->t.device, math, NULL, 0));
}

Test(hostile, descriptions_that_break_a_limit)
{
    static hed_argument_def arguments[HED_MAX_ARGUMENTS + 1];
    static hed_parameter_def parameters[HED_MAX_PARAMETERS + 1];
    static const char *dimensions[HED_MAX_DIMENSIONS + 1];
    scene s;
    hed_kernel_def def;
    open_scene(&s);
    for (int i = 0; i <= HED_MAX_ARGUMENTS; i++) arguments[i] = cycle_arguments[2];
    for (int i = 0; i <= HED_MAX_PARAMETERS; i++) parameters[i] = cycle_parameters[0];
    for (int i = 0; i <= HED_MAX_DIMENSIONS; i++) dimensions[i] = "n";
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(s.t.device, NULL, NULL, &s.c.kernel, &error));
    def = cycle_def;
    def.name = NULL;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "name");
    def = cycle_def;
    def.arguments = arguments;
    def.argument_count = HED_MAX_ARGUMENTS + 1;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "33");
    def = cycle_def;
    def.argument_count = UINT32_MAX;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "arguments");
    def = cycle_def;
    def.dimensions = dimensions;
    def.dimension_count = HED_MAX_DIMENSIONS + 1;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "9");
    hed_kernel_options options = hed_default_kernel_options();
    const hed_config config = {HED_MAX_PARAMETERS + 1, {0}};
    options.config = &config;
    def = cycle_def;
    def.parameters = parameters;
    def.parameter_count = HED_MAX_PARAMETERS + 1;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(s.t.device, &def, &options, &s.c.kernel, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(s.t.device, &def, NULL, &s.c.kernel, &error));
    close_scene(&s);
}

Test(hostile, structs_of_no_or_too_many_bytes)
{
    static const size_t sizes[] = {0, HED_MAX_STRUCT_BYTES + 1, 5000, SIZE_MAX};
    scene s;
    hed_kernel_def def = cycle_def;
    hed_argument_def arguments[6];
    open_scene(&s);
    memcpy(arguments, cycle_arguments, sizeof arguments);
    def.arguments = arguments;
    for (int i = 0; i < 4; i++) {
        arguments[4].size = sizes[i];
        check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "\"s\"");
    }
    char symbol[512] = "";
    memset(symbol, 's', 511);
    arguments[4] =
        (hed_argument_def){.name = symbol, .kind = HED_STRUCT, .size = 4, .symbol = true};
    def.language = HED_CUDA_C;
    check_refused(&s, &def, NULL, HED_ERROR_LIMIT, "511 bytes; expected at most 510");
    symbol[510] = 0;
    error = (hed_error){0};
    hed_status status = hed_kernel_create(s.t.device, &def, NULL, &s.c.kernel, &error);
    CHECK(status != HED_ERROR_LIMIT, "%s", error.text);
    if (!status) hed_kernel_destroy(s.c.kernel);
    error = (hed_error){0};
    close_scene(&s);
}

/* Words that are missing where the compiler, a message or the cache would read them. */
Test(hostile, descriptions_with_holes)
{
    scene s;
    const hed_parameter_def no_values = {.name = "WG", .values = NULL, .count = 0, .value = 64};
    const hed_parameter_def no_name = {
        .name = NULL, .values = cycle_groups, .count = 2, .value = 64};
    const hed_parameter_def foreign = {
        .name = "WG", .values = cycle_groups, .count = 2, .value = 65};
    const hed_argument_def unnamed[6] = {{0}};
    const hed_define holes[] = {{NULL, "1"}, {"ONE", NULL}};
    const hed_source nameless = {NULL, cycle_text, 0};
    const char *const no_dimension[] = {NULL};
    open_scene(&s);
    hed_kernel_def def = cycle_def;
    def.parameters = &no_values;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "WG");
    def.parameters = &no_name;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "parameter 0");
    def = cycle_def;
    def.arguments = unnamed;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "argument 0");
    def = cycle_def;
    def.sources = &nameless;
    def.source_count = 1;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "source 0");
    def = cycle_def;
    def.dimensions = no_dimension;
    check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "dimension 0");
    for (int i = 0; i < 2; i++) {
        hed_kernel_options options = hed_default_kernel_options();
        options.defines = &holes[i];
        options.define_count = 1;
        FAILS(HED_ERROR_ARGUMENT,
            hed_kernel_create(s.t.device, &cycle_def, &options, &s.c.kernel, &error));
        def = cycle_def;
        def.defines = &holes[i];
        check_refused(&s, &def, NULL, HED_ERROR_ARGUMENT, "define 0");
    }
    def = cycle_def;
    def.parameters = &foreign; /* a default that is no value: the first valid one is taken */
    OK(hed_kernel_create(s.t.device, &def, NULL, &s.c.kernel, &error));
    CHECK_EQ(hed_kernel_config(s.c.kernel, NULL).values[0], 32);
    hed_kernel_destroy(s.c.kernel);
    close_scene(&s);
}

static bool never(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)def;
    (void)config;
    (void)device;
    (void)strict;
    return false;
}

Test(hostile, configurations_that_are_none)
{
    scene s;
    open_scene(&s);
    hed_kernel_def def = cycle_def;
    hed_kernel_options options = hed_default_kernel_options();
    const hed_config configs[] = {
        {0, {0}}, {2, {64, 64}}, {1, {65}}, {1, {INT64_MIN}}, {UINT32_MAX, {64}}};
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        options.config = &configs[i];
        check_refused(&s, &def, &options, HED_ERROR_ARGUMENT, "cycle");
        FAILS(HED_ERROR_ARGUMENT, hed_kernel_reconfigure(s.kernel, &options, &error));
    }
    options = hed_default_kernel_options();
    options.math = HED_MATH_STRICT;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_reconfigure(s.kernel, &options, &error));
    def.valid = never;
    check_refused(&s, &def, NULL, HED_ERROR_UNSUPPORTED, "valid");
    def = cycle_def;
    def.max_threads = "100000000";
    check_refused(&s, &def, NULL, HED_ERROR_LIMIT, "100000000");
    char text[4];
    const hed_config good = {1, {64}};
    hed_config_format(&cycle_def, &good, text, sizeof text);
    CHECK_TEXT(text, "WG=");
    hed_config_format(&cycle_def, &good, text, 0);
    close_scene(&s);
}

Test(hostile, needs_that_the_device_does_not_meet)
{
    scene s;
    open_scene(&s);
    uint64_t can = hed_device_describe(s.t.device).capabilities;
    hed_kernel_def def = cycle_def;
    for (int bit = 0; bit < 64; bit++) {
        def.needs = UINT64_C(1) << bit;
        if (can & def.needs) continue;
        const char *name =
            bit < HED_CAPABILITY_COUNT ? hed_capability_name(1u << bit) : "not known";
        check_refused(&s, &def, NULL, HED_ERROR_UNSUPPORTED, name);
    }
    hed_kernel_options options = hed_default_kernel_options();
    options.math = HED_MATH_STRICT;
    if (!(can & HED_CAN_STRICT))
        check_refused(&s, &cycle_def, &options, HED_ERROR_UNSUPPORTED, "strict");
    def = cycle_def;
    def.language = HED_CUDA_C;
    if (!(can & HED_CAN_CUDA_C)) check_refused(&s, &def, NULL, HED_ERROR_UNSUPPORTED, "cuda c");
    def = cycle_def;
    def.source_count = 0;
    if (can & HED_CAN_SOURCE) check_refused(&s, &def, NULL, HED_ERROR_UNSUPPORTED, "text");
    def = cycle_def;
    def.range = NULL;
    if (!(can & HED_CAN_SOURCE)) check_refused(&s, &def, NULL, HED_ERROR_UNSUPPORTED, "native");
    close_scene(&s);
}

/* ---- launches ---- */

static hed_geometry nonsense;

static void nonsense_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    (void)def;
    (void)config;
    (void)problem;
    *g = nonsense;
}

Test(hostile, a_geometry_that_returns_nonsense)
{
    static const struct {
        hed_geometry geometry;
        hed_status status;
    } cases[] = {
        {{.dimensions = 0}, HED_ERROR_ARGUMENT},
        {{.dimensions = 4, .global = {64, 1, 1}, .group = {64, 1, 1}}, HED_ERROR_ARGUMENT},
        {{.dimensions = UINT32_MAX, .global = {64, 1, 1}, .group = {64, 1, 1}}, HED_ERROR_ARGUMENT},
        {{.dimensions = 1, .global = {0}, .group = {64}}, HED_ERROR_ARGUMENT},
        {{.dimensions = 3, .global = {64, 0, 1}, .group = {64, 1, 1}}, HED_ERROR_ARGUMENT},
        {{.dimensions = 2, .global = {64, 64}, .group = {64, 0}}, HED_ERROR_LIMIT},
        {{.dimensions = 1, .global = {64}, .group = {UINT32_MAX}}, HED_ERROR_LIMIT},
        {{.dimensions = 3, .global = {64, 64, 64}, .group = {1 << 16, 1 << 16, 1 << 16}},
            HED_ERROR_LIMIT},
        {{.dimensions = 3, .global = {64, 64, 64}, .group = {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
            HED_ERROR_LIMIT},
        {{.dimensions = 1, .global = {UINT64_MAX}, .group = {1}}, HED_ERROR_LIMIT},
        {{.dimensions = 3, .global = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, .group = {1, 1, 1}},
            HED_ERROR_LIMIT},
        {{.dimensions = 1, .global = {CYCLE_N}, .group = {64}, .local_bytes = {[5] = UINT64_MAX}},
            HED_ERROR_LIMIT},
        {{.dimensions = 1, .global = {CYCLE_N}, .group = {64},
             .local_bytes = {[5] = UINT64_MAX - 14}},
            HED_ERROR_LIMIT},
        {{.dimensions = 1, .global = {CYCLE_N}, .group = {64}}, HED_ERROR_ARGUMENT},
    };
    scene s;
    hed_kernel *kernel;
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_kernel_options options = hed_default_kernel_options();
    open_scene(&s);
    hed_kernel_def def = cycle_def;
    def.geometry = nonsense_geometry;
    OK(hed_kernel_create(s.t.device, &def, NULL, &kernel, &error));
    options.problem = &problem;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nonsense = cases[i].geometry;
        if (nonsense.dimensions <= 3 && !nonsense.local_bytes[5] &&
            i + 1 < sizeof cases / sizeof cases[0])
            nonsense.local_bytes[5] = 256;
        FAILS(cases[i].status, hed_launch(s.t.stream, kernel, &problem, s.arguments, 6, &error));
        FAILS(cases[i].status,
            hed_launch_over(s.t.stream, kernel, &nonsense, s.arguments, 6, &error));
        check_refused(&s, &def, &options, cases[i].status, "cycle");
    }
    nonsense = (hed_geometry){.dimensions = 1, .global = {CYCLE_N}, .group = {64}, .cluster = 7};
    nonsense.local_bytes[5] = 256;
    hed_status cluster = hed_device_describe(s.t.device).capabilities & HED_CAN_CLUSTERS
                             ? HED_ERROR_ARGUMENT
                             : HED_ERROR_UNSUPPORTED;
    FAILS(cluster, hed_launch(s.t.stream, kernel, &problem, s.arguments, 6, &error));
    hed_kernel_destroy(kernel);
    close_scene(&s);
}

Test(hostile, problems_and_arguments_that_are_none)
{
    scene s;
    open_scene(&s);
    const hed_problem problems[] = {{0, {0}}, {2, {CYCLE_N, 1}}, {1, {0}}, {1, {-1}},
        {1, {INT64_MIN}}, {UINT32_MAX, {CYCLE_N}}};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        FAILS(HED_ERROR_ARGUMENT,
            hed_launch(s.t.stream, s.kernel, &problems[i], s.arguments, 6, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_launch(s.t.stream, s.kernel, NULL, s.arguments, 6, &error));
    hed_problem problem = {1, {INT64_MAX}};
    FAILS(HED_ERROR_LIMIT, hed_launch(s.t.stream, s.kernel, &problem, s.arguments, 6, &error));
    problem = hed_problem_1d(CYCLE_N);
    FAILS(HED_ERROR_ARGUMENT, hed_launch(s.t.stream, s.kernel, &problem, NULL, 0, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_launch(s.t.stream, s.kernel, &problem, s.arguments, UINT32_MAX, &error));
    hed_argument bad[6];
    for (int i = 0; i < 6; i++) {
        memcpy(bad, s.arguments, sizeof bad);
        bad[i].kind = (hed_argument_kind)77;
        FAILS(HED_ERROR_ARGUMENT, hed_launch(s.t.stream, s.kernel, &problem, bad, 6, &error));
    }
    memcpy(bad, s.arguments, sizeof bad);
    bad[2].type = (hed_type)-5;
    FAILS(HED_ERROR_ARGUMENT, hed_launch(s.t.stream, s.kernel, &problem, bad, 6, &error));
    memcpy(bad, s.arguments, sizeof bad);
    bad[4].value.bytes = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_launch(s.t.stream, s.kernel, &problem, bad, 6, &error));
    int64_t groups;
    FAILS(HED_ERROR_LIMIT, hed_kernel_resident_groups(s.kernel, UINT32_MAX, 0, &groups, &error));
    FAILS(HED_ERROR_LIMIT, hed_kernel_resident_groups(s.kernel, 1, UINT64_MAX, &groups, &error));
    CHECK_EQ(groups, -1);
    close_scene(&s);
}

/* ---- background builds ---- */

/* Destroyed before they are done, asked too early, and replaced by a newer wish. */
Test(hostile, background_builds_in_a_hurry)
{
    scene s;
    hed_kernel *kernel;
    hed_kernel_resources resources;
    hed_problem problem = hed_problem_1d(CYCLE_N);
    hed_kernel_options options = hed_default_kernel_options();
    hed_status status;
    open_scene(&s);
    options.background = true;
    options.defines = cycle_own_defines;
    options.define_count = 1;
    for (int i = 0; i < 10; i++) {
        const hed_config config = {1, {cycle_groups[i % 2]}},
                         other = {1, {cycle_groups[(i + 1) % 2]}};
        options.config = &config;
        OK(hed_kernel_create(s.t.device, &cycle_def, &options, &kernel, &error));
        hed_error_clear(&error);
        status = hed_launch(s.t.stream, kernel, &problem, s.arguments, 6, &error);
        CHECK(status == HED_OK || status == HED_ERROR_NOT_READY, "%s: %s", hed_status_name(status),
            error.text);
        hed_error_clear(&error);
        status = hed_kernel_measure_resources(kernel, &resources, &error);
        CHECK(status == HED_OK || status == HED_ERROR_NOT_READY, "%s", hed_status_name(status));
        (void)hed_kernel_describe(kernel).log;
        hed_kernel_config(kernel, NULL);
        options.config = &other;
        if (i % 3) OK(hed_kernel_reconfigure(kernel, &options, &error));
        if (i % 3 == 2) {
            while ((status = hed_kernel_ready(kernel, &error)) == HED_ERROR_NOT_READY) usleep(100);
            OK(status);
            CHECK_EQ(hed_kernel_config(kernel, NULL).values[0], other.values[0]);
        }
        OK(hed_stream_wait(s.t.stream, &error)); /* its launches are done */
        hed_kernel_destroy(kernel);
    }
    close_scene(&s);
}
