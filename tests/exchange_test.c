/* The database as text: what is written is read again, and whatever is done to the text or to the
 * file itself, nothing worse comes of it than a message. heddle db is tested as a command in
 * tests/cli/db.sh. */
#include "folder.h"

#include "tunefile/exchange/exchange.h"
#include "database/database_file.h"

static hed_error error;

TestSuite(exchange, .init = folder_make, .fini = folder_remove);

static hed_context *open_context(const char *database)
{
    hed_context *context;
    hed_context_def def = hed_default_context_def();
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.host_threads = 1;
    def.database = database;
    OK(hed_context_create(&def, &context, &error));
    return context;
}

/* ---- a database with something of everything ---- */

static const int64_t groups[] = {32, 64, 128};
static const hed_parameter_def parameter = {"WG", groups, 3, 64, NULL};
static const char *const dimensions[] = {"n"};
static const hed_device_info device = {.id = "opencl:0:0",
    .backend = "opencl",
    .platform = "Some \"Platform\"",
    .name = "Gr\xc3\xa4"
            "fin 4\t2",
    .vendor = "V",
    .driver = "1.2",
    .type = HED_DEVICE_GPU,
    .compute_units = 8};

static hed_tune_key key_of(int64_t n)
{
    hed_tune_key key = {.kernel = "blur",
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

static void fill(hed_database *database)
{
    for (int64_t n = 1000; n < 1003; n++) {
        hed_tune_key key = key_of(n);
        int64_t session;
        OK(hed_database_begin(database, &key, "a \\ test", &session, &error));
        for (int i = 0; i < 12; i++) {
            hed_evaluation e = {.config = {1, {groups[i % 3]}},
                .outcome = i % 4 ? HED_OUTCOME_MEASURED : HED_OUTCOME_BUILD,
                .seconds = i % 4 ? 0.1 / (i + 1) : NAN,
                .low = NAN,
                .high = NAN,
                .error = i % 2 ? NAN : 1e-7,
                .text = ""};
            if (i % 4 == 0) strcpy(e.text, "error: a \"quote\", \xe2\x82\xac and a\nnew line");
            OK(hed_database_record(database, session, &key, &e, &error));
            if (i == 11 && n < 1002) OK(hed_database_choose(database, session, &key, &e, &error));
        }
    }
    OK(hed_database_put_fact(database, &device, "copy bytes/s", 1.25e11, &error));
    OK(hed_database_flush(database, &error));
}

static char *export_text(hed_database *database, const char *path, size_t *size)
{
    char *text;
    hed_database_changes count;
    OK(hed_exchange_export(database, NULL, path, NULL, &count, &error));
    EXPECT(count.keys == 3 && count.measurements == 36 && count.choices == 2 && count.facts == 1);
    OK(hed_path_read(NULL, path, 1 << 24, &text, size, &error));
    return text;
}

static hed_status import_text(
    hed_database *database, const char *text, size_t size, hed_database_changes *added)
{
    hed_json *json;
    error = (hed_error){0};
    hed_status status = hed_json_parse("export.json", text, size, &json, &error);
    if (status) return status;
    status = hed_exchange_import_json(database, &json, 1, NULL, added, &error);
    hed_json_free(json);
    return status;
}

Test(exchange, what_is_written_is_read_again)
{
    hed_context *context = open_context(":memory:"), *other = open_context(":memory:");
    hed_database_changes added;
    size_t size, again_size;
    fill(hed_context_database(context));
    char *text = export_text(hed_context_database(context), in_folder("a.json"), &size);
    OK(import_text(hed_context_database(other), text, size, &added));
    EXPECT(added.keys == 3 && added.measurements == 36 && added.choices == 2 && added.facts == 1);
    char *again = export_text(hed_context_database(other), in_folder("b.json"), &again_size);
    EXPECT(size == again_size && memcmp(text, again, size) == 0, "%s\n%s", text, again);
    OK(import_text(hed_context_database(other), text, size, &added));
    EXPECT(added.keys == 0 && added.measurements == 0 && added.choices == 0 && added.facts == 0);
    hed_tune_key key = key_of(1001);
    hed_choices *choices = hed_choices_load(other, &key);
    hed_config config;
    hed_config_origin configured;
    EXPECT(hed_choices_find(choices, &key.problem, 0, &config, &configured) &&
           configured == HED_ORIGIN_EXACT);
    hed_choices_free(choices);
    hed_release(NULL, text, size + 1);
    hed_release(NULL, again, again_size + 1);
    hed_context_destroy(context);
    hed_context_destroy(other);
}

/* ---- mutations: the same ones in every run ---- */

static uint32_t state = 1;
static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * limit >> 24);
}

Test(exchange, mutated_texts_are_taken_whole_or_not_at_all)
{
    hed_context *context = open_context(":memory:");
    size_t size;
    fill(hed_context_database(context));
    char *text = export_text(hed_context_database(context), in_folder("a.json"), &size),
         *changed = malloc(size);
    hed_context_destroy(context);
    int refused = 0;
    context = open_context(":memory:");
    for (int i = 0; i < 400; i++) {
        hed_database_changes added = {0};
        size_t at = random_below((uint32_t)size), length = 1 + random_below(6);
        memcpy(changed, text, size);
        for (size_t j = at; j < at + length && j < size; j++)
            changed[j] =
                random_below(3) ? text[random_below((uint32_t)size)] : (char)random_below(256);
        hed_status status = import_text(
            hed_context_database(context), changed, random_below(9) ? size : at, &added);
        CHECK(status == HED_OK || status == HED_ERROR_FORMAT, "%d: %s", i, error.text);
        CHECK(status == HED_OK || (error.text[0] && !added.keys && !added.measurements), "%d", i);
        refused += status != HED_OK;
    }
    EXPECT(refused > 100 && refused < 400, "%d", refused);
    free(changed);
    hed_release(NULL, text, size + 1);
    hed_context_destroy(context);
}

/* Bytes of a real database, changed anywhere: opening, reading and writing go on, or say why
 * not. */
Test(exchange, mutated_databases_are_used_or_set_aside)
{
    enum { FILES = 60 };
    size_t size;
    char *bytes;
    const char *path = in_folder("a.db");
    hed_context *context = open_context(path);
    fill(hed_context_database(context));
    hed_context_destroy(context);
    OK(hed_path_read(NULL, path, 1 << 24, &bytes, &size, &error));
    char *changed = malloc(size);
    for (int i = 0; i < FILES; i++) {
        hed_tune_key key = key_of(1001);
        hed_evaluation *history = NULL, best = {.config = {1, {32}},
                                            .outcome = HED_OUTCOME_MEASURED,
                                            .seconds = 1,
                                            .low = NAN,
                                            .high = NAN,
                                            .error = NAN};
        hed_database_changes count;
        uint32_t history_count = 0;
        int64_t session;
        memcpy(changed, bytes, size);
        for (uint32_t j = 1 + random_below(20); j > 0; j--)
            changed[random_below(random_below(2) ? 4096 : (uint32_t)size)] =
                (char)random_below(256);
        write_file(path, changed, random_below(5) ? size : random_below((uint32_t)size));
        context = open_context(path);
        hed_allocator allocator = hed_context_describe(context).allocator;
        hed_choices_free(hed_choices_load(context, &key));
        hed_database *database = hed_context_database(context);
        if (database) {
            hed_error_clear(&error);
            if (!hed_database_history(database, &key, &history, &history_count, &error))
                hed_release(&allocator, history, history_count * sizeof *history);
            hed_error_clear(&error);
            hed_exchange_export(database, NULL, in_folder("a.json"), NULL, &count, &error);
            hed_error_clear(&error);
            if (!hed_database_begin(database, &key, "", &session, &error))
                hed_database_choose(database, session, &key, &best, &error);
            hed_error_clear(&error);
            hed_database_prune(database, &(hed_prune_def){.keep_best = 1}, &count, &error);
        }
        hed_context_destroy(context);
        unlink(in_folder("a.db-journal"));
    }
    free(changed);
    hed_release(NULL, bytes, size + 1);
}
