/* Compilation of a description and a configuration to a program: assembles text and defines,
 * searches the cache, lets the backend compile a missing binary, and loads it. */
#include "core/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/signature.h"
#include "base/text.h"
#include "core/build_cache.h"
#include "heddle/cache.h"

enum { SOURCE_LIMIT = 64 << 20, OPTIONS_SIZE = 4096 };

/* ---- putting a build together ---- */

/* Sets the defines of a build; a define of the options replaces the description's define of the
 * same name. */
static void set_defines(hed_build_text *text, const hed_define *base, uint32_t base_count,
    const hed_define *extra, uint32_t extra_count)
{
    for (uint32_t i = 0; i < base_count; i++) {
        bool replaced = false;
        for (uint32_t j = 0; j < extra_count; j++)
            replaced = replaced || strcmp(base[i].name, extra[j].name) == 0;
        if (!replaced) text->defines[text->build.define_count++] = base[i];
    }
    for (uint32_t i = 0; i < extra_count; i++) text->defines[text->build.define_count++] = extra[i];
}

/* Loads a chunk of source: from HEDDLE_KERNEL_DIR if the file exists there, else from its own text,
 * else from the file of its name. */
static hed_status load_source(const hed_settings *settings, const hed_source *from, hed_source *to,
    char **owned, size_t *owned_size, hed_error *error)
{
    char path[HED_PATH_MAX];
    *to = *from;
    if (!to->size && to->text) to->size = strlen(to->text);
    bool in_folder =
        settings->kernel_dir[0] && hed_path_join(path, settings->kernel_dir, from->name) &&
        hed_path_read(&settings->allocator, path, SOURCE_LIMIT, owned, owned_size, NULL) == HED_OK;
    if (!in_folder && from->text) return HED_OK;
    if (!in_folder) {
        hed_status status =
            hed_path_read(&settings->allocator, from->name, SOURCE_LIMIT, owned, owned_size, error);
        if (status) return status;
    }
    to->text = *owned;
    to->size = *owned_size;
    return HED_OK;
}

uint32_t hed_device_languages(const hed_device *device)
{
    bool page = device->info.capabilities & HED_CAN_WGSL;
    return page ? 1u << HED_WGSL : device->backend->languages;
}

hed_kernel_text hed_kernel_text_for(const hed_device *device, const hed_kernel_def *def)
{
    uint32_t languages = hed_device_languages(device);
    const hed_kernel_text default_text = {
        def->language, def->entry, def->sources, def->source_count};
    if (languages >> default_text.language & 1) return default_text;
    for (uint32_t i = 0; i < def->text_count; i++)
        if (languages >> def->texts[i].language & 1) return def->texts[i];
    return default_text;
}

hed_status hed_build_text_make(hed_build_text *text, hed_device *device, const hed_kernel_def *def,
    hed_math math, const hed_config *config, const hed_define *defines, uint32_t define_count,
    uint32_t max_registers, hed_error *error)
{
    const hed_settings *settings = device->settings;
    const hed_allocator *allocator = &settings->allocator;
    const hed_kernel_text default_text = hed_kernel_text_for(device, def);
    *text = (hed_build_text){
        .allocator = *allocator, .source_count = default_text.source_count, .chosen = default_text};
    text->define_capacity = def->parameter_count + def->define_count + define_count;
    text->defines = hed_allocate(allocator, (text->define_capacity + 1) * sizeof *text->defines);
    text->sources =
        hed_allocate(allocator, (default_text.source_count + 1) * sizeof *text->sources);
    text->owned = hed_allocate(allocator, (default_text.source_count + 1) * sizeof *text->owned);
    if (!text->defines || !text->sources || !text->owned)
        return HED_OUT_OF_MEMORY(error, "the build of %s", def->name);
    text->build = (hed_build){.device = device,
        .def = def,
        .language = default_text.language,
        .entry = default_text.entry                  ? default_text.entry
                 : default_text.language >= HED_WGSL ? "main"
                 : def->entry                        ? def->entry
                                                     : def->name,
        .math = math,
        .defines = text->defines,
        .sources = text->sources,
        .source_count = default_text.source_count,
        .max_registers = max_registers,
        .max_threads = hed_config_max_threads(def, config),
        .min_groups = def->min_groups};
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        snprintf(text->values[i], sizeof text->values[i], "%" PRId64, config->values[i]);
        text->defines[text->build.define_count++] =
            (hed_define){def->parameters[i].name, text->values[i]};
    }
    set_defines(text, def->defines, def->define_count, defines, define_count);
    for (uint32_t i = 0; i < default_text.source_count; i++) {
        hed_status status = load_source(settings, &default_text.sources[i], &text->sources[i],
            &text->owned[i].bytes, &text->owned[i].size, error);
        if (status) return status;
    }
    return HED_OK;
}

void hed_build_text_free(hed_build_text *text)
{
    for (uint32_t i = 0; text->owned && i < text->source_count; i++)
        if (text->owned[i].bytes)
            hed_release(&text->allocator, text->owned[i].bytes, text->owned[i].size + 1);
    hed_release(&text->allocator, text->owned, (text->source_count + 1) * sizeof *text->owned);
    hed_release(&text->allocator, text->sources, (text->source_count + 1) * sizeof *text->sources);
    hed_release(
        &text->allocator, text->defines, (text->define_capacity + 1) * sizeof *text->defines);
}

void hed_build_text_describe(const hed_build_text *text, hed_kernel_def *def)
{
    def->language = text->build.language;
    def->entry = text->chosen.entry;
    def->sources = text->build.sources;
    def->source_count = text->build.source_count;
    def->texts = NULL;
    def->text_count = 0;
}

/* ---- the request: everything that decides on the compiled bytes, as text ---- */

static hed_status make_request(const hed_build *build, hed_text *request, hed_error *error)
{
    const hed_backend *backend = build->device->backend;
    char options[OPTIONS_SIZE] = "", digits[33];
    hed_status status =
        backend->build_options ? backend->build_options(build, options, sizeof options) : HED_OK;
    if (status)
        return hed_fail(error, status, "the build options of %s are longer than %d bytes",
            build->def->name, OPTIONS_SIZE - 1);
    hed_hash_format(
        hed_hash_text(hed_hash_start(), backend->prelude ? backend->prelude(build) : ""), digits);
    bool is_ahead = !(build->device->info.capabilities &
                      HED_CAN_SOURCE); /* compiled ahead, for any device: see ptx_dir */
    hed_text_add(request, "%s\n%s\n%s\nprelude %s\nentry %s\n", backend->name,
        is_ahead ? "ahead" : build->device->build_key, options, digits, build->entry);
    for (uint32_t i = 0; i < build->define_count; i++)
        hed_text_add(request, "define %s %s\n", build->defines[i].name, build->defines[i].value);
    for (uint32_t i = 0; i < build->source_count; i++) {
        hed_text_add(request, "source %s %zu\n", build->sources[i].name, build->sources[i].size);
        hed_text_add_bytes(request, build->sources[i].text, build->sources[i].size);
    }
    return request->failed ? HED_OUT_OF_MEMORY(error, "the build of %s", build->def->name) : HED_OK;
}

/* ---- compiling and loading ---- */

static void set_resources_unknown(hed_kernel_resources *r)
{
    r->registers = r->spill_bytes = r->stack_bytes = r->local_bytes = r->max_group = r->lane_width =
        -1;
}

/* Loads a binary into the program; the program takes over the log. */
static hed_status load(hed_program *program, const hed_build *build, hed_cache_entry *entry,
    bool from_cache, hed_error *error)
{
    set_resources_unknown(&program->resources);
    program->resources.from_cache = from_cache;
    program->resources.build_seconds = entry->build_seconds;
    program->log = entry->binary.log;
    program->log_size = entry->binary.log_size;
    hed_device *device = program->device;
    const hed_logger *logger = &device->settings->logger;
    const char *name = program->def->name;
    hed_log_message(logger, HED_LOG_DEBUG, "%s: loading %s", device->info.id, name);
    hed_status status = device->backend->program_load(program, build, &entry->binary, error);
    hed_log_message(logger, HED_LOG_DEBUG, "%s: %s %s", device->info.id, name,
        status ? "not loaded" : "loaded");
    if (status) {
        program->log = NULL;
        program->log_size = 0;
        return status;
    }
    entry->binary.log = NULL;
    entry->binary.log_size = 0;
    return HED_OK;
}

static hed_status load_from(hed_program *program, const hed_build *build, const char *folder,
    const hed_text *request, bool *loaded, hed_error *error)
{
    const hed_settings *settings = program->device->settings;
    hed_cache_entry entry;
    hed_error cause = {0};
    if (!error) error = &cause;
    *loaded = false;
    if (!hed_cache_load(settings, folder, request->bytes, request->size, &entry)) return HED_OK;
    hed_status status = load(program, build, &entry, true, error);
    hed_binary_free(settings, &entry.binary);
    *loaded = status == HED_OK;
    if (status == HED_ERROR_FORMAT)
        hed_log_message(&settings->logger, HED_LOG_WARNING,
            "the driver refuses the cached %s, which is compiled again: %s", program->def->name,
            error->text);
    if (status != HED_ERROR_FORMAT) return status;
    hed_error_clear(error);
    return HED_OK;
}

/* Builds and measures the time; `is_ahead`: for devices of other machines. */
static hed_status build_timed(const hed_settings *settings, const hed_build *build, bool is_ahead,
    hed_cache_entry *entry, hed_error *error)
{
    const hed_backend *backend = build->device->backend;
    hed_log_message(&settings->logger, HED_LOG_DEBUG, "%s: compiling %s", build->device->info.id,
        build->def->name);
    uint64_t start = settings->clock.now(settings->clock.user);
    hed_status status = is_ahead ? backend->build_ahead(settings, build, &entry->binary, error)
                                 : backend->build(build, &entry->binary, error);
    entry->build_seconds = (double)(settings->clock.now(settings->clock.user) - start) * 1e-9;
    return status;
}

static hed_status compile(
    hed_program *program, const hed_build *build, const hed_text *request, hed_error *error)
{
    const hed_settings *settings = program->device->settings;
    hed_cache_entry entry = {{0}, 0};
    hed_status status = build_timed(settings, build, false, &entry, error);
    if (!status) {
        /* A read-only folder or a full disk only means that the next program compiles again. */
        hed_error cause = {0};
        if (settings->cache_dir[0] &&
            hed_cache_store(settings->cache_dir, request->bytes, request->size, &entry, &cause))
            hed_log_message(
                &settings->logger, HED_LOG_WARNING, "compiled kernel not kept: %s", cause.text);
        status = load(program, build, &entry, false, error);
    }
    /* no fault of the cache: this driver refuses its own new binary */
    if (status == HED_ERROR_FORMAT) {
        status = HED_ERROR_DRIVER;
        if (error) error->status = status;
    }
    hed_binary_free(settings, &entry.binary);
    return status;
}

static hed_status obtain(hed_program *program, const hed_build *build, hed_error *error)
{
    const hed_settings *settings = program->device->settings;
    hed_text request = {.allocator = &settings->allocator};
    bool loaded = false, source = program->device->info.capabilities & HED_CAN_SOURCE;
    hed_status status = make_request(build, &request, error);
    if (!status) {
        status = load_from(program, build, source ? settings->cache_dir : settings->ptx_dir,
            &request, &loaded, error);
        if (!status && !loaded)
            status =
                source
                    ? compile(program, build, &request, error)
                    : hed_fail(error, HED_ERROR_UNSUPPORTED,
                          "%s: %s cannot compile kernels here and this configuration of %s was not compiled ahead (%s)",
                          program->def->name, program->device->info.id, program->def->name,
                          program->device->slot->remedy);
    }
    hed_text_free(&request);
    return status;
}

/* ---- compiling into a folder ---- */

/* Compiles into a folder of the cache. For this device's configurations, an existing entry is used
 * instead. */
static hed_status compile_into(const hed_settings *settings, const hed_build *build,
    const char *folder, bool is_ahead, double *seconds, hed_error *error)
{
    hed_text request = {.allocator = &settings->allocator};
    hed_cache_entry entry = {{0}, 0};
    hed_status status = make_request(build, &request, error);
    if (!status &&
        (is_ahead || !hed_cache_load(settings, folder, request.bytes, request.size, &entry))) {
        status = build_timed(settings, build, is_ahead, &entry, error);
        *seconds = entry.build_seconds;
        if (is_ahead) entry.build_seconds = 0; /* distributed files are identical in every build */
        if (!status) status = hed_cache_store(folder, request.bytes, request.size, &entry, error);
    }
    hed_binary_free(settings, &entry.binary);
    hed_text_free(&request);
    return status;
}

hed_status hed_program_compile(hed_device *device, const hed_kernel_def *def, hed_math math,
    const hed_config *config, const hed_define *defines, uint32_t define_count, double *seconds,
    hed_error *error)
{
    hed_build_text text;
    *seconds = 0;
    if (!device->backend->build)
        return hed_fail(
            error, HED_ERROR_UNSUPPORTED, "%s: %s compiles nothing", def->name, device->info.id);
    /* A backend that compiles ahead needs no open device to compile: no context, and no device
     * memory. */
    hed_status status =
        device->backend->build_ahead ? HED_OK : hed_device_ensure_open(device, error);
    if (status) return status;
    status = hed_build_text_make(&text, device, def, math, config, defines, define_count, 0, error);
    if (!status)
        status = compile_into(
            device->settings, &text.build, device->settings->cache_dir, false, seconds, error);
    hed_build_text_free(&text);
    return status;
}

/* ---- variants ---- */

/* Compares the signature. A shader's parameters are its bindings, which the backends compare. */
static hed_status check_signature(const hed_build *build, hed_error *error)
{
    const hed_signature signature = {.def = build->def,
        .language = build->language,
        .entry = build->entry,
        .defines = build->defines,
        .define_count = build->define_count,
        .sources = build->sources,
        .source_count = build->source_count};
    return build->language < HED_WGSL ? hed_signature_check(&signature, error) : HED_OK;
}

hed_status hed_variant_create(hed_device *device, const hed_kernel_def *def, hed_math math,
    const hed_config *config, const hed_define *defines, uint32_t define_count,
    uint32_t max_registers, hed_variant **variant, hed_error *error)
{
    const hed_allocator *allocator = &device->settings->allocator;
    *variant = NULL;
    hed_variant *new_variant = hed_allocate(allocator, sizeof *new_variant);
    if (!new_variant) return HED_OUT_OF_MEMORY(error, "kernel %s", def->name);
    new_variant->program = (hed_program){.device = device,
        .def = def,
        .config = *config,
        .math = math,
        .max_threads = hed_config_max_threads(def, config)};
    new_variant->users = 1;
    hed_status status = HED_OK;
    if (device->backend->build) {
        hed_build_text text;
        status = hed_build_text_make(
            &text, device, def, math, config, defines, define_count, max_registers, error);
        new_variant->program.language = text.build.language;
        if (!status) status = obtain(&new_variant->program, &text.build, error);
        if (!status) { /* after the compiler, whose messages have precedence */
            status = check_signature(&text.build, error);
            if (status) device->backend->program_unload(&new_variant->program);
        }
        hed_build_text_free(&text);
    } else {
        set_resources_unknown(&new_variant->program.resources);
        status = device->backend->program_load(&new_variant->program, NULL, NULL, error);
    }
    if (status) hed_release(allocator, new_variant, sizeof *new_variant);
    else *variant = new_variant;
    return status;
}

/* ---- compiling ahead ---- */

hed_status hed_cache_ship(hed_context *context, const hed_kernel_def *def,
    const hed_kernel_options *options, const char *folder, hed_error *error)
{
    HED_REQUIRE(context, def, folder);
    const hed_kernel_options defaults = {.math = HED_MATH_FAST};
    hed_backend_slot *slot = NULL;
    for (uint32_t i = 0; i < context->slot_count && !slot; i++)
        if (context->slots[i].backend->build_ahead) slot = &context->slots[i];
    if (!slot) return hed_fail(error, HED_ERROR_UNSUPPORTED, "no backend compiles ahead");
    if (!options) options = &defaults;
    /* The target is a device without a compiler, of which only the backend is known. */
    hed_device device = {
        .context = context, .settings = &context->settings, .slot = slot, .backend = slot->backend};
    hed_config config = options->config ? *options->config : hed_config_default(def);
    hed_build_text text;
    hed_status status = hed_build_text_make(&text, &device, def, options->math, &config,
        options->defines, options->define_count, options->max_registers, error);
    double seconds;
    if (!status)
        status = compile_into(&context->settings, &text.build, folder, true, &seconds, error);
    hed_build_text_free(&text);
    return status;
}

hed_variant *hed_variant_retain(hed_variant *variant)
{
    variant->users++;
    return variant;
}

void hed_variant_release(hed_variant *variant)
{
    if (!variant || --variant->users) return;
    hed_device *device = variant->program.device;
    device->backend->program_unload(&variant->program);
    hed_release(&device->settings->allocator, variant->program.log, variant->program.log_size);
    hed_release(&device->settings->allocator, variant, sizeof *variant);
}
