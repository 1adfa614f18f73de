/* Reads the processor from /proc and sysconf; what cannot be read stays empty or 0. */
#include "backends/host/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Value of the first line of `path` that starts with `key`, behind its colon. */
static int find_line(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "r");
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(value, size, "%s", colon);
        found = 1;
    }
    if (file) fclose(file);
    return found;
}

static uint32_t vector_lanes(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return 16;
    return __builtin_cpu_supports("avx2") ? 8 : 4;
#else
    return 4;
#endif
}

hed_processor hed_processor_read(void)
{
    hed_processor p = {.lanes = vector_lanes()};
    char clock[64];
    if (!find_line("/proc/cpuinfo", "model name", p.name, sizeof p.name))
        snprintf(p.name, sizeof p.name, "processor");
    if (!find_line("/proc/cpuinfo", "vendor_id", p.vendor, sizeof p.vendor))
        snprintf(p.vendor, sizeof p.vendor, "unknown");
    if (find_line("/proc/cpuinfo", "cpu MHz", clock, sizeof clock))
        p.clock_mhz = (uint32_t)strtod(clock, NULL);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE),
         cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    p.memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    p.cache_bytes = cache > 0 ? (uint64_t)cache : 0;
    return p;
}

uint64_t hed_processor_free_memory(void)
{
    char value[64];
    return find_line("/proc/meminfo", "MemAvailable", value, sizeof value)
               ? strtoull(value, NULL, 10) * 1024
               : 0;
}
