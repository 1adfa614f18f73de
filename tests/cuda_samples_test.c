/* Files as programmers have them, with kernels, host code and the headers of nvcc, compiled by NVRTC
 * without a change: tests/cuda_samples. No device is needed. Skipped where NVRTC or
 * the toolkit's headers are not installed. */
#include "folder.h"
#include "testing.h"

#include "backends/cuda/nvrtc.h"
#include "heddle/tune_file.h"
#include "tunefile/spec.h"

static hed_error error;
static const hed_device_info DEVICE = {.id = "cuda:0",
    .backend = "cuda",
    .name = "a device",
    .max_group = 1024,
    .max_group_size = {1024, 1024, 64},
    .local_bytes = 49152,
    .memory_bytes = (uint64_t)8 << 30,
    .max_buffer_bytes = (uint64_t)1 << 30,
    .architecture = 80};

TestSuite(cuda_samples, .init = folder_make, .fini = folder_remove);

/* Compiles the kernel of a sample in the way of a tune file. */
static void compile_sample(
    const hed_nvrtc *nvrtc, const char *file, const char *kernel, const char *arguments)
{
    char text[2048], path[1024], here[512];
    hed_allocator allocator = hed_default_allocator();
    hed_binary binary = {0};
    hed_tune_file *spec;
    CHECK(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/tests/cuda_samples/%s", here, file);
    snprintf(text, sizeof text,
        "{\"kernel\": \"%s\", \"source\": \"%s\", \"problem\": {\"n\": 64}, \"group\": [64], "
        "\"arguments\": [%s]}",
        kernel, path, arguments);
    write_file(in_folder("k.json"), text, strlen(text));
    OK(hed_tune_file_open(in_folder("k.json"), &DEVICE, &spec, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    const hed_build build = {.def = def,
        .entry = def->entry ? def->entry : def->name,
        .language = def->language,
        .sources = def->sources,
        .source_count = def->source_count,
        .defines = def->defines,
        .define_count = def->define_count};
    hed_nvrtc_compile(nvrtc, "sm_80", &build, &binary, &error);
    EXPECT(!hed_failed(&error), "%s: %s\n%s", file, error.text, error.log);
    error = (hed_error){0};
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_tune_file_close(spec);
}

#define IN(type, name) \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"size\": 64, \"fill\": \"zeros\"}"
#define OUT(type, name) \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"size\": 64, \"access\": \"write\"}"
#define NUMBER(type, name) "{\"name\": \"" name "\", \"type\": \"" type "\", \"value\": 64}"

Test(cuda_samples, compile_as_they_are, .timeout = 240)
{
    static const struct {
        const char *file, *kernel, *arguments;
    } samples[] = {
        {"vector_add.cu", "vector_add",
            IN("float", "a") "," IN("float", "b") "," OUT("float", "c") "," NUMBER("int", "n")},
        {"block_reduce.cu", "block_reduce<256>",
            IN("uint", "in") "," OUT("uint", "out") "," NUMBER("int", "n")},
        {"assertions.cu", "assertions", OUT("int", "x") "," NUMBER("int", "n")},
        {"tiled_matrix.cu", "tiled<16>",
            OUT("float", "c") "," IN("float", "a") "," IN("float", "b") "," NUMBER("int", "width")},
        {"cooperative.cu", "cooperative", IN("float", "in") "," OUT("float", "out")},
        {"standard.cu", "standard",
            IN("float", "in") "," OUT("float", "out") "," NUMBER("uint", "n")},
        {"half_precision.cu", "half_precision",
            IN("bytes", "x") "," OUT("bytes", "y") "," NUMBER("float", "a") "," NUMBER("int", "n")},
        {"histogram.cu", "histogram",
            IN("uint", "data") "," OUT("uint", "bins") "," NUMBER("uint", "count")},
        {"n_body.cu", "n_body", IN("float", "in") "," OUT("float", "out") "," NUMBER("int", "n")},
        {"shuffle_scan.cu", "shuffle_scan", IN("int", "data") "," OUT("int", "sums")},
        {"library.cu", "library",
            OUT("float", "out") "," IN("float", "in") "," NUMBER("ulong", "unused") "," NUMBER("int", "n")},
    };
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *nvrtc;
    char reason[256] = "";
    CHECK_EQ(hed_nvrtc_open(
                 &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    hed_nvrtc_find_headers(nvrtc, NULL);
    if (!hed_nvrtc_headers(nvrtc)[0]) test_skip("no headers of CUDA on this machine");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        compile_sample(nvrtc, samples[i].file, samples[i].kernel, samples[i].arguments);
    hed_nvrtc_close(nvrtc);
}
