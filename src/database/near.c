/* How near a device and a size of the database are to those that are asked for. */
#include <math.h>
#include <string.h>

#include "database/file.h"

/* "NVIDIA" and "NVIDIA Corporation" are one vendor: two drivers' ways to write it. */
static bool same_vendor(const char *a, const char *b)
{
    size_t length = strcspn(a, " ("), other = strcspn(b, " (");
    return length && length == other && sqlite3_strnicmp(a, b, (int)length) == 0;
}

hed_relation hed_device_relation(const hed_device_info *wanted, const hed_database_entry *found)
{
    bool backend = strcmp(wanted->backend, found->backend) == 0;
    bool name =
        strcmp(wanted->platform, found->platform) == 0 && strcmp(wanted->name, found->device) == 0;
    bool vendor = same_vendor(wanted->vendor, found->vendor) && wanted->type == found->type;
    if (backend && name && wanted->compute_units == found->compute_units &&
        wanted->architecture == found->architecture)
        return HED_SAME_DEVICE;
    /* Only CUDA tells an architecture. Elsewhere the same chip with more or fewer units (a part of
     * it, another number of threads) is all that is known to be of the same kind. */
    if (backend && ((wanted->architecture && wanted->architecture == found->architecture) || name))
        return HED_SAME_ARCHITECTURE;
    if (vendor) return HED_SAME_VENDOR;
    return wanted->type == found->type ? HED_SAME_TYPE : HED_UNRELATED;
}

double hed_problem_distance(const hed_problem *a, const hed_problem *b)
{
    double sum = 0;
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double ratio = log2((double)a->sizes[i]) - log2((double)b->sizes[i]);
        sum += ratio * ratio;
    }
    return sqrt(sum);
}
