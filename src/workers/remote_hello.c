/* Description of a remote worker's device: see remote_frames.h. Writer and reader list the same
 * fields in the same order. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "workers/remote_frames.h"

void hed_hello_put(hed_text *to, const hed_hello *hello)
{
    const hed_device_info *info = &hello->info;
    const char *texts[] = {hello->machine, hello->build_key, info->id, info->backend,
        info->platform, info->name, info->vendor, info->driver};
    hed_put_u64(to, hed_worker_version());
    for (size_t i = 0; i < HED_COUNT(texts); i++) hed_put_text(to, texts[i] ? texts[i] : "");
    hed_put_u32(to, info->type);
    hed_put_u32(to, info->compute_units);
    hed_put_u32(to, info->lane_width);
    hed_put_u32(to, info->max_group);
    for (int i = 0; i < 3; i++) hed_put_u32(to, info->max_group_size[i]);
    for (int i = 0; i < 3; i++) hed_put_u64(to, info->max_groups[i]);
    hed_put_u64(to, info->local_bytes);
    hed_put_u64(to, info->memory_bytes);
    hed_put_u64(to, info->max_buffer_bytes);
    hed_put_u64(to, info->cache_bytes);
    hed_put_u32(to, info->buffer_alignment);
    hed_put_u32(to, info->max_arguments_bytes);
    hed_put_u32(to, info->clock_mhz);
    hed_put_u32(to, info->architecture);
    hed_put_u32(to, info->registers);
    hed_put_u64(to, info->capabilities);
}

hed_status hed_hello_read(const void *bytes, size_t size, hed_hello *hello, hed_error *error)
{
    hed_allocator allocator = hed_default_allocator();
    hed_arena arena = {.allocator = allocator, .owner = "a worker's device"};
    hed_description_reader from = {.path = "the worker's first word",
        .bytes = bytes,
        .size = size,
        .is_internal = true,
        .arena = &arena,
        .error = error};
    hed_device_info *info = &hello->info;
    *hello = (hed_hello){0};
    if (hed_get_u64(&from, "the version") != hed_worker_version() && !from.status)
        return hed_fail(error, HED_ERROR_FORMAT,
            "the worker is of another version of Heddle; expected this build (%s)",
            HED_VERSION_TEXT);
    const char **texts[] = {&hello->machine, &hello->build_key, &info->id, &info->backend,
        &info->platform, &info->name, &info->vendor, &info->driver};
    for (size_t i = 0; i < HED_COUNT(texts); i++) *texts[i] = hed_get_word(&from, "a text");
    info->type = hed_get_below(&from, HED_DEVICE_OTHER + 1, "the kind of processor", "0 to 2");
    info->compute_units = hed_get_u32(&from, "the compute units");
    info->lane_width = hed_get_u32(&from, "the lanes");
    info->max_group = hed_get_u32(&from, "the largest group");
    for (int i = 0; i < 3; i++) info->max_group_size[i] = hed_get_u32(&from, "a group's size");
    for (int i = 0; i < 3; i++) info->max_groups[i] = hed_get_u64(&from, "the most groups");
    info->local_bytes = hed_get_u64(&from, "the local memory");
    info->memory_bytes = hed_get_u64(&from, "the memory");
    info->max_buffer_bytes = hed_get_u64(&from, "the largest buffer");
    info->cache_bytes = hed_get_u64(&from, "the cache");
    info->buffer_alignment = hed_get_u32(&from, "the alignment");
    info->max_arguments_bytes = hed_get_u32(&from, "the bytes of arguments");
    info->clock_mhz = hed_get_u32(&from, "the clock");
    info->architecture = hed_get_u32(&from, "the architecture");
    info->registers = hed_get_u32(&from, "the registers");
    info->capabilities = hed_get_u64(&from, "the capabilities");
    if (!from.status && (from.at != size || !info->max_group || !info->buffer_alignment))
        hed_fail(error, HED_ERROR_FORMAT, "invalid device description from the worker");
    return error->status;
}
