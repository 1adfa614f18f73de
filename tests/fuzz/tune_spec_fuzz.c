/* libFuzzer harness for tune files, both formats: whatever the text, an error that says something,
 * or a description that can be asked for every launch. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/file.h"
#include "heddle/tune_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char KERNEL[] =
    "#include \"x.raw\"\n__kernel void f(__local float *a) { (float4)(1, 2, a[0], 3); }\n";
static const char CONTENT[] = "0123456789abcdef";
static char folder[] = "/tmp/heddle-fuzz-XXXXXX";
static char spec_path[64], kernel_path[64], data_path[64];

static void clean_up(void)
{
    remove(spec_path);
    remove(kernel_path);
    remove(data_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!mkdtemp(folder)) abort();
    snprintf(spec_path, sizeof spec_path, "%s/k.json", folder);
    snprintf(kernel_path, sizeof kernel_path, "%s/f.cl", folder);
    snprintf(data_path, sizeof data_path, "%s/x.raw", folder);
    atexit(clean_up);
    return hed_file_write(kernel_path, KERNEL, strlen(KERNEL), NULL) ||
           hed_file_write(data_path, CONTENT, strlen(CONTENT), NULL);
}

/* Reads a text as a file beside the others, or with them from memory: of each two lengths one. */
static hed_status read_text(const uint8_t *data, size_t size, const hed_device_info *device,
    hed_tune_file **spec, hed_error *error)
{
    static const hed_tune_memory files[] = {
        {"f.cl", KERNEL, sizeof KERNEL - 1}, {"x.raw", CONTENT, sizeof CONTENT - 1}};
    if (size % 4 > 1) {
        const hed_tune_text_def def = {
            .text = (const char *)data, .size = size, .files = files, .file_count = 2};
        return hed_tune_file_parse(&def, device, spec, error);
    }
    FILE *file = fopen(spec_path, "w"); /* hed_file_write() waits for the disk */
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    return hed_tune_file_open(spec_path, device, spec, error);
}

/* Every launch of the first and last values, with everything looked at that a description points
 * to. */
static void use(const hed_kernel_def *def, const hed_tune_def *tune)
{
    size_t seen = strlen(def->name) + def->source_count;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_tune_argument *a = &tune->arguments[i];
        seen += strlen(def->arguments[i].name);
        for (uint64_t k = 0; a->data && k < a->bytes; k++)
            seen += ((const unsigned char *)a->data)[k];
        for (uint64_t k = 0; a->expected && k < a->expected_bytes; k++)
            seen += ((const unsigned char *)a->expected)[k];
    }
    for (uint32_t i = 0; i < def->define_count; i++)
        seen += strlen(def->defines[i].name) + strlen(def->defines[i].value);
    for (int last = 0; last < 2; last++) {
        hed_config config = {.count = def->parameter_count};
        hed_geometry geometry = {0};
        hed_work work;
        for (uint32_t i = 0; i < config.count; i++)
            config.values[i] = def->parameters[i].values[last ? def->parameters[i].count - 1 : 0];
        def->geometry(def, &config, tune->problem, &geometry);
        if (def->work) def->work(def, &config, tune->problem, &work);
        if (geometry.dimensions < 1 || geometry.dimensions > 3 || seen == 0) abort();
        for (uint32_t i = 0; i < geometry.dimensions; i++)
            if (geometry.group[i] == 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hed_device_info device = {
        .id = "fuzz", .max_group = 1024, .max_buffer_bytes = 1 << 12};
    hed_tune_file *spec;
    hed_error error = {0};
    if (read_text(data, size, &device, &spec, &error)) {
        if (!error.text[0] || spec) abort();
        return 0;
    }
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    use(hed_tune_file_kernel(spec), &tune);
    if (tune.reference_kernel) use(tune.reference_kernel, &tune);
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    bool given =
        hed_tune_file_set_content(spec, &device, def->arguments[size % def->argument_count].name,
            size % 2 ? data_path : "1:2", &error) == HED_OK;
    hed_tune_file_apply(spec, &tune);
    if (given) use(def, &tune);
    else if (!error.text[0]) abort();
    hed_tune_file_close(spec);
    return 0;
}
