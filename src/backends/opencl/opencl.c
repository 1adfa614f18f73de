/* The OpenCL backend: its table of functions. Every OpenCL 1.2 device, through libOpenCL.so.1
 * loaded at run time. OpenCL has no recorded work that every driver replays, so graphs are left to
 * the core. */
#include "backends/opencl/opencl.h"

extern const hed_backend hed_opencl_backend;

const hed_backend hed_opencl_backend = {
    .name = "opencl", .open = opencl_open, .close = opencl_close,
    .device_count = opencl_device_count, .device_describe = opencl_device_describe,
    .device_open = opencl_device_open, .device_close = opencl_device_close,
    .device_adopt = opencl_device_adopt, .device_native = opencl_device_native,
    .device_memory = opencl_device_memory, .device_wait = opencl_device_wait,
    .symbol = opencl_symbol, .buffer_create = opencl_buffer_create,
    .buffer_part = opencl_buffer_part, .buffer_destroy = opencl_buffer_destroy,
    .buffer_share_gl = opencl_buffer_share_gl, .gl_acquire = opencl_gl_acquire,
    .gl_release = opencl_gl_release, .stream_create = opencl_stream_create,
    .stream_destroy = opencl_stream_destroy, .stream_wait = opencl_stream_wait,
    .stream_done = opencl_stream_done, .stream_flush = opencl_stream_flush, .step = opencl_step,
    .map = opencl_map, .unmap = opencl_unmap, .time_create = opencl_time_create,
    .time_destroy = opencl_time_destroy, .time_read = opencl_time_read,
    .event_create = opencl_event_create, .event_destroy = opencl_event_destroy,
    .event_record = opencl_event_record, .event_done = opencl_event_done,
    .event_wait = opencl_event_wait, .stream_wait_event = opencl_stream_wait_event,
    .event_elapsed = opencl_event_elapsed, .build = opencl_build,
    .build_options = opencl_build_options, .prelude = opencl_prelude,
    .program_load = opencl_program_load, .program_unload = opencl_program_unload,
    .resident_groups = opencl_resident_groups,
};
