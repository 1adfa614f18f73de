/* What the machine's processor is. */
#ifndef HED_HOST_PROCESSOR_H
#define HED_HOST_PROCESSOR_H

#include <stdint.h>

typedef struct hed_processor {
    char name[128], vendor[64];
    uint32_t lanes; /* floats in the widest vector register this processor has */
    uint32_t clock_mhz;
    uint64_t memory_bytes, cache_bytes;
} hed_processor;

hed_processor hed_processor_read(void);
uint64_t hed_processor_free_memory(void); /* bytes that can be had without swapping, about */

#endif
