/* Who sits in which lane: checks, and the choice of the method. */
#include "heddle/pack.h"

const char *hed_pack_method_name(hed_pack_method method)
{
    static const char *const names[HED_PACK_METHOD_COUNT] = {"naive", "greedy", "exact", "exact-cost", "spread", "rows"};
    return (uint32_t)method < HED_PACK_METHOD_COUNT ? names[method] : "unknown";
}

uint32_t hed_pack_capacity(const hed_pack_def *def)
{
    (void)def;
    return 0;
}

hed_status hed_pack(const hed_pack_def *def, hed_pack_piece *pieces, uint32_t capacity, hed_pack_layout *layout)
{
    (void)def;
    (void)pieces;
    (void)capacity;
    *layout = (hed_pack_layout){0};
    return HED_ERROR_UNSUPPORTED;
}
