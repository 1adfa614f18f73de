/* libFuzzer harness for exports of the tuning database: whatever is taken in is written out, read
 * again, and then adds nothing. */
#include "fuzz.h"
#include "tunefile/exchange/exchange.h"

static void require(bool condition, const char *what, const hed_error *error)
{
    if (condition) return;
    fprintf(stderr, "exchange_fuzz: %s: %s\n", what, error->text);
    abort();
}

static hed_context *open_context(void)
{
    hed_context *context;
    hed_error error = {0};
    hed_context_def def = hed_default_context_def();
    def.opencl_library = def.cuda_library = def.cache_dir = "";
    def.database = ":memory:";
    def.host_threads = 1;
    require(hed_context_create(&def, &context, &error) == HED_OK, "no context", &error);
    return context;
}

static hed_status import(
    hed_database *database, hed_json *json, hed_database_changes *added, hed_error *error)
{
    hed_status status = hed_exchange_import_json(database, &json, 1, NULL, added, error);
    hed_json_free(json);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_json *json;
    hed_error error = {0};
    hed_database_changes added;
    if (hed_json_parse("fuzz.json", (const char *)data, size, &json, &error) != HED_OK) return 0;
    hed_context *context = open_context();
    hed_database *database = hed_context_database(context);
    hed_status status = import(database, json, &added, &error);
    require(status == HED_OK || status == HED_ERROR_FORMAT, "neither taken nor refused", &error);
    if (status == HED_OK) {
        char path[64];
        snprintf(path, sizeof path, "%s/export.json", fuzz_folder());
        require(hed_exchange_export(database, NULL, path, NULL, NULL, &error) == HED_OK,
            "what was taken is not written", &error);
        require(
            hed_json_read(path, &json, &error) == HED_OK, "what was written is not JSON", &error);
        require(import(database, json, &added, &error) == HED_OK, "what was written is not read",
            &error);
        require(!added.keys && !added.measurements && !added.choices && !added.facts,
            "it is another one", &error);
        unlink(path);
    }
    hed_context_destroy(context);
    return 0;
}
