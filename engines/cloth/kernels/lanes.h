/* Four particles at a time: loaded as they lie in memory, transposed in registers so that a float4 is one coordinate of all four, computed with
 * selections and without branches, transposed back (the slides' vector form). Also which elements a work item does. */
#ifndef CLOTH_LANES_H
#define CLOTH_LANES_H

#ifndef VECTOR
#define VECTOR 0 /* 1: an item does four elements at a time */
#endif
#ifndef TASK
#define TASK 0 /* above 0: so many items, each of which loops over its chunk (the slides' strands); 0: an item for each element */
#endif

/* `one(i)`, or `four(i)` for i to i + 3, for each of `count` elements. */
#if TASK
#define CLOTH_CHUNK(count) \
    uint chunk = (((count) + (uint)get_global_size(0) - 1) / (uint)get_global_size(0) + 3) / 4 * 4; \
    uint begin = min((uint)get_global_id(0) * chunk, (uint)(count)), end = min(begin + chunk, (uint)(count));
#elif VECTOR
#define CLOTH_CHUNK(count) uint begin = 4 * (uint)get_global_id(0), end = min(begin + 4, (uint)(count));
#else
#define CLOTH_CHUNK(count) uint begin = (uint)get_global_id(0), end = (uint)(count);
#endif
#if VECTOR
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        uint i = begin; \
        for (; i + 4 <= end; i += 4) four; \
        for (; i < end; i++) one; \
    }
#elif TASK
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        for (uint i = begin; i < end; i++) one; \
    }
#else
#define CLOTH_EACH(count, four, one) \
    { \
        CLOTH_CHUNK(count) \
        uint i = begin; \
        if (i < end) one; \
    }
#endif

#endif
