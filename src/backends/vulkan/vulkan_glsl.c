/* GLSL of a build, compiled to SPIR-V. A text with specialization constants is compiled once for
 * all configurations: the device stores the words. */
#include "backends/vulkan/vulkan.h"

#include <string.h>

#include "shader/glsl.h"

static vulkan_module *glsl_find_module(vulkan_device *of, const hed_text *text)
{
    pthread_mutex_lock(&of->lock);
    vulkan_module *module = of->modules;
    while (module &&
           (module->text_size != text->size || memcmp(module->text, text->bytes, text->size) != 0))
        module = module->next;
    pthread_mutex_unlock(&of->lock);
    return module;
}

/* Stores a module; takes ownership of the words. */
static hed_status glsl_keep_module(vulkan_device *of, const hed_text *text, void *words,
    size_t size, vulkan_module **result, hed_error *error)
{
    vulkan_module *module = hed_allocate(&of->driver->allocator, sizeof *module);
    char *copy = hed_allocate(&of->driver->allocator, text->size);
    if (!module || !copy) {
        hed_release(&of->driver->allocator, module, sizeof *module);
        hed_release(&of->driver->allocator, copy, text->size);
        hed_release(&of->driver->allocator, words, size + 1);
        return HED_OUT_OF_MEMORY(error, "compiled GLSL");
    }
    memcpy(copy, text->bytes, text->size);
    *module = (vulkan_module){.text = copy, .text_size = text->size, .words = words, .size = size};
    pthread_mutex_lock(&of->lock);
    module->next = of->modules;
    of->modules = module;
    pthread_mutex_unlock(&of->lock);
    *result = module;
    return HED_OK;
}

void hed_vulkan_free_modules(vulkan_device *device)
{
    const hed_allocator *allocator = &device->driver->allocator;
    for (vulkan_module *module = device->modules, *next; module; module = next) {
        next = module->next;
        hed_release(allocator, module->text, module->text_size);
        hed_release(allocator, module->words, module->size + 1);
        hed_release(allocator, module, sizeof *module);
    }
    device->modules = NULL;
}

static hed_status glsl_words(
    const hed_build *build, const void **words, size_t *size, hed_error *error)
{
    vulkan_device *of = hed_vulkan_of(build->device);
    const hed_glsl_def def = {.name = build->def->name,
        .compiler = of->driver->compiler,
        .sources = build->sources,
        .source_count = build->source_count,
        .defines = build->defines,
        .define_count = build->define_count,
        .options = build->def->options,
        .option_count = build->def->option_count,
        .allocator = of->driver->allocator};
    hed_text text = {.allocator = &of->driver->allocator};
    void *impl = NULL;
    if (!def.compiler[0])
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s is written in GLSL, but no compiler for it was found: apt install glslang-tools "
            "(glslangValidator) or glslc, or HEDDLE_GLSL_COMPILER=the path of either",
            build->def->name);
    hed_glsl_assemble(&def, &text);
    for (uint32_t i = 0; i < def.option_count; i++) hed_text_add(&text, "// %s\n", def.options[i]);
    if (text.failed) {
        hed_text_free(&text);
        return HED_OUT_OF_MEMORY(error, "the text of %s", build->def->name);
    }
    vulkan_module *module = glsl_find_module(of, &text);
    hed_status status = HED_OK;
    if (!module) status = hed_glsl_compile_text(&def, &text, &impl, size, error);
    if (!module && !status) status = glsl_keep_module(of, &text, impl, *size, &module, error);
    hed_text_free(&text);
    if (status) return status;
    *words = module->words;
    *size = module->size;
    return HED_OK;
}

hed_status hed_vulkan_words(
    const hed_build *build, const void **words, size_t *size, hed_error *error)
{
    if (build->language == HED_GLSL) return glsl_words(build, words, size, error);
    if (build->source_count != 1)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %u sources of SPIR-V: one is a module",
            build->def->name, build->source_count);
    *words = build->sources[0].text;
    *size = build->sources[0].size;
    return HED_OK;
}
