/* libFuzzer harness for damaged tuning databases: the input says which bytes of a real file are
 * changed (three bytes each: place and value), and the last odd bytes where it is cut. Opening,
 * reading and writing go on, or give a status. */
#include <math.h>

#include "base/path.h"
#include "database/database_file.h"
#include "fuzz.h"

static const int64_t groups[] = {32, 64};
static const hed_parameter_def parameter = {"WG", groups, 2, 64, NULL};
static const char *const dimensions[] = {"n"};
static const hed_device_info device = {.id = "x",
    .backend = "opencl",
    .platform = "P",
    .name = "D",
    .vendor = "V",
    .driver = "1",
    .type = HED_DEVICE_GPU};

static void require(hed_status status, const char *what, const hed_error *error)
{
    if (status == HED_OK) return;
    fprintf(stderr, "database_fuzz: %s: %s\n", what, error->text);
    abort();
}

static hed_context *open_context(const char *path)
{
    hed_context *context;
    hed_error error = {0};
    hed_context_def def = hed_default_context_def();
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.database = path;
    def.host_threads = 1;
    require(hed_context_create(&def, &context, &error), "no context", &error);
    return context;
}

static hed_tune_key key_of(int64_t n)
{
    hed_tune_key key = {.kernel = "k",
        .source = "00112233445566778899aabbccddeeff",
        .device = &device,
        .compiler = "c",
        .dimension_count = 1,
        .dimensions = dimensions,
        .problem = hed_problem_1d(n),
        .parameters = &parameter,
        .parameter_count = 1};
    return key;
}

static const hed_evaluation best = {.config = {1, {32}},
    .outcome = HED_OUTCOME_MEASURED,
    .seconds = 1,
    .low = NAN,
    .high = NAN,
    .error = NAN};

/* The whole file, with two keys, a choice for each, and a fact. */
static char *make_base(const char *path, size_t *size)
{
    hed_context *context = open_context(path);
    hed_database *database = hed_context_database(context);
    hed_error error = {0};
    char *bytes;
    for (int64_t n = 1; n < 3; n++) {
        hed_tune_key key = key_of(n);
        int64_t session;
        require(hed_database_begin(database, &key, "", &session, &error), "begin", &error);
        for (int i = 0; i < 20; i++)
            require(hed_database_record(database, session, &key, &best, &error), "record", &error);
        require(hed_database_choose(database, session, &key, &best, &error), "choose", &error);
    }
    require(hed_database_put_fact(database, &device, "f", 1, &error), "fact", &error);
    hed_context_destroy(context);
    require(hed_path_read(NULL, path, 1 << 24, &bytes, size, &error), "read", &error);
    return bytes;
}

static hed_status look(void *user, const hed_database_entry *entry, hed_error *error)
{
    (void)user;
    (void)error;
    return entry->backend ? HED_OK : HED_ERROR_ARGUMENT;
}

static void use(hed_context *context)
{
    hed_tune_key key = key_of(1);
    hed_evaluation *history;
    hed_search_source *sources;
    hed_error error = {0};
    uint32_t count;
    size_t bytes;
    int64_t session;
    hed_allocator allocator = hed_context_describe(context).allocator;
    hed_choices_free(hed_choices_load(context, &key));
    hed_database *database = hed_context_database(context);
    if (!database) return;
    if (!hed_database_history(database, &key, &history, &count, &error))
        hed_release(&allocator, history, count * sizeof *history);
    if (!hed_database_sources(database, &key, 5, &sources, &count, &bytes, &error))
        hed_release(&allocator, sources, bytes);
    hed_database_each(database, NULL, look, NULL, &error);
    if (!hed_database_begin(database, &key, "", &session, &error))
        hed_database_choose(database, session, &key, &best, &error);
    hed_database_prune(database, &(hed_prune_def){.keep_best = 1}, NULL, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *base, path[64];
    static size_t base_size;
    hed_error error = {0};
    if (!base) {
        snprintf(path, sizeof path, "%s/tuning.db", fuzz_folder());
        base = make_base(path, &base_size);
    }
    char *bytes = malloc(base_size);
    if (!bytes) return 0;
    memcpy(bytes, base, base_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[(size_t)(data[i] << 8 | data[i + 1]) * base_size / 65536] = (char)data[i + 2];
    size_t kept = size % 3 == 2 ? (size_t)(data[size - 2] << 8 | data[size - 1]) * base_size / 65536
                                : base_size;
    const void *part = bytes;
    require(hed_path_write_own(path, &part, &kept, 1, &error), "write", &error);
    hed_context *context = open_context(path);
    use(context);
    hed_context_destroy(context);
    free(bytes);
    char beside[128];
    static const char *const endings[] = {
        "", "-journal", ".damaged-1", ".damaged-1-journal", ".damaged-2", ".damaged-3"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, endings[i]);
        unlink(beside);
    }
    return 0;
}
