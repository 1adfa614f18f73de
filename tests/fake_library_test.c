/* Driver libraries that are not there, are none, lack a function, do not start, or find no device;
 * and a CUDA driver without NVRTC. In each case the other devices work and the report says why and
 * what mends it. */
#include "cycle.h"
#include "fakes.h"
#include "folder.h"

#include <elf.h>

#include "backends/cuda/cuda_api.h"
#include "backends/opencl/opencl_api.h"
#include "base/alloc.h"

static hed_error error;

TestSuite(fake_library, .init = folder_make, .fini = folder_remove);

/* ---- files ---- */

/* Copies a library with one of its symbols nameless, so that nobody finds it. */
static void copy_without(const char *from, const char *to, const char *symbol)
{
    char *bytes;
    size_t size;
    bool found = false;
    OK(hed_path_read(NULL, from, 64 << 20, &bytes, &size, &error));
    const Elf64_Ehdr *head = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM) continue;
        Elf64_Sym *symbols = (void *)(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
            if (strcmp(names + symbols[k].st_name, symbol)) continue;
            symbols[k].st_name = 0;
            found = true;
        }
    }
    CHECK(found, "%s has no symbol %s: the fake does not implement all that the backend loads",
        from, symbol);
    write_file(to, bytes, size);
    hed_release(NULL, bytes, size + 1);
}

/* ---- what a context says ---- */

typedef struct opened {
    hed_context *context;
    hed_backend_info report;
    test_allocator allocations;
} opened;

static void open_context(opened *o, hed_context_def def, const char *backend)
{
    memset(o, 0, sizeof *o);
    def.allocator = test_allocator_of(&o->allocations);
    OK(hed_context_create(&def, &o->context, &error));
    for (uint32_t i = 0; i < hed_context_describe(o->context).backends; i++)
        if (!strcmp(hed_backend_at(o->context, i).name, backend))
            o->report = hed_backend_at(o->context, i);
    CHECK_NOT_NULL(o->report.name, "no backend %s", backend);
}

static void close_context(opened *o)
{
    hed_context_destroy(o->context);
    CHECK(o->allocations.live == 0 && o->allocations.bytes == 0,
        "%lld allocations of ours are left", (long long)o->allocations.live);
}

/* `def` has a driver that does not work: the report says `words` and a remedy, host is there, and
 * the device is not. */
static void check_broken(hed_context_def def, const char *backend, const char *words)
{
    opened o;
    hed_device *device;
    open_context(&o, def, backend);
    CHECK(o.report.state == HED_BACKEND_ABSENT || o.report.state == HED_BACKEND_FAILED,
        "%s with \"%s\" works", backend, words);
    CHECK_EQ(o.report.devices, 0);
    CHECK(
        strstr(o.report.reason, words), "\"%s\" is not in the reason: %s", words, o.report.reason);
    CHECK(o.report.remedy[0], "no remedy for: %s", o.report.reason);
    FAILS(HED_ERROR_NO_DEVICE, hed_device_find(o.context, backend, &device, &error));
    OK(hed_device_find(o.context, "host", &device, &error));
    close_context(&o);
}

static hed_context_def with_library(const char *backend, const char *path)
{
    hed_context_def def = fakes_def(backend);
    if (!strcmp(backend, "cuda")) def.cuda_library = path;
    else if (!strcmp(backend, "hip")) def.hip_library = path;
    else def.opencl_library = path;
    return def;
}

static const char *const backends[] = {"cuda", "hip", "opencl"};
enum { BACKENDS = 3 };

/* ---- libraries ---- */

/* Each of the two libraries that one backend's code opens is switched off alone. */
Test(fake_library, cuda_and_hip_apart)
{
    hed_context_def def = fakes_def("hip");
    def.cuda_library = "";
    hed_context *context;
    hed_device *device;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "hip:0", &device, &error));
    FAILS(HED_ERROR_NO_DEVICE, hed_device_find(context, "cuda", &device, &error));
    hed_context_destroy(context);
    error = (hed_error){0};
    def = fakes_def("cuda");
    def.hip_library = "";
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "cuda:0", &device, &error));
    FAILS(HED_ERROR_NO_DEVICE, hed_device_find(context, "hip", &device, &error));
    hed_context_destroy(context);
}

Test(fake_library, a_missing_library)
{
    for (int b = 0; b < BACKENDS; b++) {
        check_broken(with_library(backends[b], "/nowhere/libnothing.so.1"), backends[b],
            "/nowhere/libnothing.so.1");
        check_broken(with_library(backends[b], ""), backends[b], "not wanted");
    }
}

Test(fake_library, a_library_that_is_none)
{
    static const char text[] =
        "This is a text, however long: a driver that was installed by copying its licence in its place.\n";
    char path[HED_PATH_MAX];
    for (int b = 0; b < BACKENDS; b++) {
        strcpy(path, in_folder("text.so"));
        write_file(path, text, sizeof text - 1);
        check_broken(with_library(backends[b], path), backends[b], "text.so");
        strcpy(path, in_folder("empty.so"));
        write_file(path, text, 0);
        check_broken(with_library(backends[b], path), backends[b], "empty.so");
        strcpy(path, in_folder("cut.so"));
        write_file(path, "\177ELF\2\1\1",
            7); /* cut in its header; cut further on, the loader itself crashes */
        check_broken(with_library(backends[b], path), backends[b], "cut.so");
        check_broken(with_library(backends[b], folder), backends[b], folder);
        check_broken(with_library(backends[b], "libm.so.6"), backends[b], "libm.so.6");
    }
}

typedef struct symbol {
    const char *backend, *library, *name;
    bool optional;
} symbol;

#define CUDA_REQUIRED(member, name, hip, parameters) {"cuda", "cuda", name, false},
#define CUDA_OPTIONAL(member, name, hip, parameters) {"cuda", "cuda", name, true},
#define HIP_REQUIRED(result, name, parameters) {"hip", "hip", #name, false},
#define OPENCL_REQUIRED(result, name, parameters) {"opencl", "opencl", #name, false},
static const symbol symbols[] = {HED_CUDA_REQUIRED(CUDA_REQUIRED) HED_CUDA_OPTIONAL(CUDA_OPTIONAL)
        HED_HIP_ONLY(HIP_REQUIRED) HED_CL_FUNCTIONS(OPENCL_REQUIRED)};

/* A library without `missing`, under a name of its own: the loader knows files by their inode as
 * long as they are loaded. */
static const char *library_without(const symbol *missing)
{
    static char path[HED_PATH_MAX];
    char name[128];
    snprintf(name, sizeof name, "%s-%s.so", missing->library, missing->name);
    strcpy(path, in_folder(name));
    copy_without(fakes_path(missing->library), path, missing->name);
    return path;
}

Test(fake_library, each_symbol_missing)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        hed_context_def def = with_library(symbols[i].backend, library_without(&symbols[i]));
        if (!symbols[i].optional) {
            check_broken(def, symbols[i].backend, symbols[i].name);
            continue;
        }
        test_allocator state = {0};
        def.allocator = test_allocator_of(&state);
        OK(cycle_run(&def, "cuda:0", NULL, &error)); /* done without */
        CHECK_EQ(state.live, 0);
    }
}

/* ---- drivers that do not start, and find nothing ---- */

Test(fake_library, a_driver_that_does_not_start)
{
    static const struct {
        const char *backend, *function;
        int code;
        const char *words;
    } cases[] = {
        {"cuda", "cuInit", 999, "cuInit"},
        {"cuda", "cuInit", 100, "no device"},
        {"cuda", "cuInit", 803, "803"}, /* system driver mismatch: an update without a restart */
        {"cuda", "cuDeviceGetCount", 3, "cuDeviceGetCount"},
        {"cuda", "cuDriverGetVersion", 999, "cuDriverGetVersion"},
        {"cuda", "cuDeviceTotalMem", 999, "does not describe"},
        {"hip", "hipInit", 101, "hipInit"}, /* no rights to /dev/kfd */
        {"hip", "hipInit", 100, "no device"},
        {"hip", "hipGetDeviceCount", 3, "hipGetDeviceCount"},
        {"hip", "hipDeviceTotalMem", 999, "does not describe"},
        {"opencl", "clGetPlatformIDs", -1001, "no device"}, /* no .icd file */
        {"opencl", "clGetPlatformIDs", -6, "clGetPlatformIDs"},
        {"opencl", "clGetDeviceIDs", -1, "no device"},
        {"opencl", "clGetDeviceIDs", -5, "clGetDeviceIDs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_control *f = fakes_load(fakes_path(cases[i].backend));
        fakes_reset(f);
        f->fail_name = cases[i].function;
        f->code = cases[i].code;
        check_broken(fakes_def(cases[i].backend), cases[i].backend, cases[i].words);
        fakes_reset(f);
    }
}

Test(fake_library, a_driver_without_devices)
{
    for (int b = 0; b < BACKENDS; b++) {
        fake_control *f = fakes_load(fakes_path(backends[b]));
        fakes_reset(f);
        f->devices = 0;
        check_broken(fakes_def(backends[b]), backends[b], "no device");
        fakes_reset(f);
    }
}

/* ---- CUDA without NVRTC ---- */

typedef struct without_compiler {
    opened o;
    hed_device *device;
} without_compiler;

static void open_without_compiler(without_compiler *w, const char *nvrtc, const char *ptx_dir)
{
    hed_context_def def = fakes_def("cuda");
    fakes_reset(fakes_load(fakes_path("cuda")));
    def.nvrtc_library = nvrtc;
    def.ptx_dir = ptx_dir;
    open_context(&w->o, def, "cuda");
    CHECK_EQ(w->o.report.state, HED_BACKEND_LIMITED);
    CHECK_EQ(w->o.report.devices, 2);
    CHECK(strstr(w->o.report.reason, "NVRTC") && w->o.report.remedy[0], "%s", w->o.report.reason);
    OK(hed_device_find(w->o.context, "cuda:0", &w->device, &error));
    uint64_t can = hed_device_describe(w->device).capabilities;
    CHECK(!(can & (HED_CAN_SOURCE | HED_CAN_CUDA_C)), "it says that it compiles");
}

static hed_kernel_options cycle_options(void)
{
    hed_kernel_options options = hed_default_kernel_options();
    options.defines = cycle_own_defines;
    options.define_count = 1;
    return options;
}

Test(fake_library, no_nvrtc_is_a_limit_that_says_what_mends_it)
{
    static const char text[] = "no library";
    char broken[HED_PATH_MAX];
    strcpy(broken, in_folder("libnvrtc.so"));
    write_file(broken, text, sizeof text - 1);
    const symbol missing = {"cuda", "nvrtc", "nvrtcGetCUBIN", false};
    const char *const libraries[] = {"", "/nowhere/libnvrtc.so", broken, library_without(&missing)};
    const hed_kernel_options options = cycle_options();
    for (int i = 0; i < 4; i++) {
        without_compiler w;
        hed_kernel *kernel;
        open_without_compiler(&w, libraries[i], folder);
        FAILS(HED_ERROR_UNSUPPORTED,
            hed_kernel_create(w.device, &cycle_def, &options, &kernel, &error));
        CHECK(strstr(error.text, "NVRTC") && strstr(error.text, w.o.report.remedy),
            "the error does not say what mends it: %s", error.text);
        close_context(&w.o);
    }
}

static void ship(const hed_kernel_options *options)
{
    const hed_context_def def = fakes_def("cuda");
    hed_context *context;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_cache_ship(context, &cycle_def, options, folder, &error));
    hed_context_destroy(context);
}

/* A checksum of every file that is shipped, as text. */
static void sum_of_shipped(char *text, int size)
{
    char command[256];
    snprintf(command, sizeof command, "cd %s && cksum *.hedk", folder);
    FILE *sums = popen(command, "r");
    CHECK(sums);
    size_t length = fread(text, 1, (size_t)size - 1, sums);
    text[length] = 0;
    CHECK(pclose(sums) == 0 && length > 0);
}

/* However long the compiler took: packages are built twice and compared. */
Test(fake_library, what_is_shipped_is_the_same_each_time)
{
    const hed_kernel_options options = cycle_options();
    char first[512], second[512];
    ship(&options);
    sum_of_shipped(first, sizeof first);
    ship(&options);
    sum_of_shipped(second, sizeof second);
    CHECK_TEXT(first, second);
}

/* Launches the kernel on a device that cannot compile, and looks at the result. */
static void check_shipped(hed_device *device, hed_kernel *kernel)
{
    hed_stream *stream;
    hed_buffer *in, *out;
    hed_argument arguments[6];
    hed_problem problem = hed_problem_1d(CYCLE_N);
    cycle c = {0};
    OK(hed_stream_create(device, NULL, &stream, &error));
    OK(cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &in, &error));
    OK(cycle_buffer(device, HED_MEMORY_DEVICE, CYCLE_BYTES, NULL, &out, &error));
    OK(hed_fill(stream, in, 0, CYCLE_BYTES, "\0", 1, &error));
    c.in = in;
    cycle_pack(&c, out, 2.0f, arguments);
    OK(hed_launch(stream, kernel, &problem, arguments, 6, &error));
    OK(hed_read(stream, c.output, out, 0, CYCLE_BYTES, &error));
    OK(hed_stream_wait(stream, &error));
    cycle_check(&c, 2.0f, "a kernel compiled ahead");
    hed_buffer_destroy(out);
    hed_buffer_destroy(in);
    hed_stream_destroy(stream);
}

Test(fake_library, a_kernel_compiled_ahead_runs_without_nvrtc)
{
    const hed_kernel_options options = cycle_options();
    const hed_config config = {1, {32}};
    hed_kernel_options other = options;
    hed_kernel_resources resources;
    hed_kernel *kernel;
    without_compiler w;
    ship(&options);
    open_without_compiler(&w, "", folder);
    OK(hed_kernel_create(w.device, &cycle_def, &options, &kernel, &error));
    OK(hed_kernel_measure_resources(kernel, &resources, &error));
    CHECK(resources.from_cache);
    check_shipped(w.device, kernel);
    hed_kernel_destroy(kernel);
    other.config = &config; /* not compiled ahead */
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(w.device, &cycle_def, &other, &kernel, &error));
    other = options;
    other.defines = NULL;
    other.define_count = 0;
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(w.device, &cycle_def, &other, &kernel, &error));
    close_context(&w.o);
}

/* One byte of what was shipped is altered: it is not used, and the message is the same as if it
 * were not there. */
Test(fake_library, a_damaged_kernel_compiled_ahead_is_not_used)
{
    const hed_kernel_options options = cycle_options();
    hed_kernel *kernel;
    without_compiler w;
    char command[256];
    ship(&options);
    snprintf(command, sizeof command,
        "for f in %s/*.hedk; do printf X | dd of=$f bs=1 seek=300 conv=notrunc 2>/dev/null; done",
        folder);
    CHECK_EQ(system(command), 0);
    open_without_compiler(&w, "", folder);
    FAILS(
        HED_ERROR_UNSUPPORTED, hed_kernel_create(w.device, &cycle_def, &options, &kernel, &error));
    close_context(&w.o);
}
