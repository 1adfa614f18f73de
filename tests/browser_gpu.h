/* A browser's GPU, as tests of shaders give it to readers of files. */
#ifndef HED_TESTS_BROWSER_GPU_H
#define HED_TESTS_BROWSER_GPU_H

#include "heddle/device.h"

static const hed_device_info GPU = {.id = "browser",
    .backend = "browser",
    .name = "a GPU",
    .type = HED_DEVICE_GPU,
    .max_group = 256,
    .max_group_size = {256, 256, 64},
    .local_bytes = 32768,
    .max_buffer_bytes = 1 << 28,
    .capabilities = HED_CAN_WGSL};

#endif
