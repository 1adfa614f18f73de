/* What the kernels of matching on a device share, with the solver that launches them: where arrays lie,
 * counters, hash tables. tables.h has the algorithm and the arrays; here is what is a device's own.
 *
 * Everything is 32-bit words in a few buffers, at offsets that stand in css_fixed:
 *
 *   tables     the compiled sheet, the shapes of the forest: written once
 *   elements   what elements are: written once; `ancestors`: the next four above each
 *   bound      what bind finds out for predicates, nodes, compounds and shapes; `pool`: its lists
 *   work       what the pass finds out for elements; `meaning`: a hash of what an element does to the
 *              states that are handed down, or 0 where it does nothing
 *   actions    the lists of signatures, two words an entry; `listed`: the finals of classes
 *
 * A signature is a shape (no varying bit is set) or `shapes` + a slot of a hash table for (shape,
 * bits). A class is a slot of a hash table for (path, signature); a path is what the ancestors mean,
 * from the root on. Slots hold 31 bits of a hash. Whether two that share a slot are the same is looked
 * at afterwards, exactly, and all is done again with another seed if they are not: results never
 * depend on hashes. Where a table, a pool or a field of bits is too small, the counters say so and the
 * solver makes it larger. Every loop is bounded. */
#ifndef CSS_MATCHING_H
#define CSS_MATCHING_H

/* Words of `counts`, with which `bound` begins. */
enum css_count {
    CSS_COUNT_FAULTS,     /* bits of enum css_fault */
    CSS_COUNT_SIGNATURES, /* slots taken */
    CSS_COUNT_ACTIONS,    /* words of `actions` in use */
    CSS_COUNT_CLASSES,
    CSS_COUNT_LISTED, /* words of `listed` in use */
    /* of bind: what is needed */
    CSS_COUNT_POOL,      /* words of `pool` */
    CSS_COUNT_ASKS,      /* most asks of a shape */
    CSS_COUNT_STATES,    /* bits of the state that are handed down; */
    CSS_COUNT_HANDED,    /* those of them that go to all below */
    CSS_COUNT_STAGES,    /* stages of feeds that are read */
    CSS_COUNT_MARKS,     /* bits of marks */
    CSS_COUNT_ROWS,      /* rows of first positions */
    CSS_COUNT_UNDECIDED, /* predicates that are undecided on all shapes */
    CSS_COUNT_COUNTING,  /* a predicate of COUNT is possible */
    CSS_COUNT_ROOM,      /* most acts of a signature */
    CSS_COUNTS = 16
};

enum css_fault {
    CSS_FAULT_SIGNATURES = 1, /* the table is full */
    CSS_FAULT_ACTIONS = 2,
    CSS_FAULT_CLASSES = 4,
    CSS_FAULT_LISTED = 8,
    CSS_FAULT_COLLISION = 16,
    CSS_FAULT_BOUND = 32 /* pool, asks, states, stages, marks or rows: see the counts */
};

/* Probes of a table until it counts as full. */
#define CSS_PROBES 256u

/* Sizes, and where each array begins in its buffer. */
typedef struct css_fixed {
    uint seed_low, seed_high;
    uint elements, families, shapes, predicates, compounds, nodes, feeds;
    uint key_mask, always_count, universal_count, position_count, stage_count;
    uint inners, finals, feeders; /* nodes, finals and feeds of all compounds together */
    uint signature_mask, class_mask, base_mask; /* sizes of hash tables, less 1 */
    uint action_room, listed_room, pool_room;
    uint words;                 /* of an element's varying bits */
    uint mark_words;            /* of an element's marks */
    uint rows;                  /* of first positions, one of each family */
    uint stages;                /* launches that go before the last one of the varying bits */
    uint state_words;           /* of a state */
    uint chain;                 /* most ancestors of an element */
    uint list_groups;           /* groups that make lists of signatures while the others walk */
    uint check_groups;          /* groups that check hashes while the others run classes */
    uint mark_total, row_total; /* words of marks and of first positions */
    /* in tables */
    uint predicate, key_slot, key_begin, key_predicate, always, literal_begin, literal,
        bucket_begin;
    uint bucket, universal, node, inner_begin, inner, final, final_begin, compound_final;
    uint feed_begin, feed_compound, fed_begin, fed, feed_stage;
    uint positions; /* predicates of POSITION */
    uint stage_begin,
        stage_relation; /* CSR: predicates of RELATION and COUNT by the stage of their feed */
    uint reader_begin, reader;                /* CSR: those that read a feed */
    uint inner_owner, final_owner, fed_owner; /* the compound of each node, final, feed of these */
    uint shape, shape_class, shape_fact;
    /* in elements */
    /* `family`: the number of the parent among those with several children, else CSS_NONE;
     * `position`: a kind behind the other */
    uint element_shape, previous, next, family, position;
    /* in bound */
    uint present;  /* a bit a predicate that some shape has */
    uint possible; /* of RELATION and COUNT: 1 where some element may have it */
    uint mark, undecided, node_bit, act_count, inner_act, final_act, live, needed;
    uint bound; /* CSS_BOUND_WORDS of each shape */
    uint extra; /* CSS_EXTRA_WORDS of each shape */
    uint base_table, base_first;
    /* in work */
    uint bits, marks, firsts, signature, class_of;
    uint signature_table, signature_first, signature_list, signature_record;
    uint class_table, class_first, class_list, class_record;
} css_fixed;

/* Of a shape, beside css_bound_word. */
enum css_extra_word {
    CSS_EXTRA_INNER, /* in pool: bits that matter for what its elements mean */
    CSS_EXTRA_LOW,   /* what it means without bits: a hash, */
    CSS_EXTRA_HIGH,
    CSS_EXTRA_SLOT, /* and its slot */
    CSS_EXTRA_ROOM, /* acts that a signature may have */
    CSS_EXTRA_WORDS = 8
};

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)

/* Work items of a group that does one thing together. */
#ifndef GROUP
#define GROUP 1
#endif

/* The arguments of all kernels. */
#define CSS_ARGUMENTS \
    const css_fixed fixed, __global const uint *tables, __global const uint *elements, \
        __global const uint4 *ancestors, __global uint *bound, __global uint *pool, \
        __global uint *work, __global uint2 *meaning, __global uint *actions, \
        __global uint *listed
#define CSS_ALL \
    const css_fixed *f = &fixed; \
    __global uint *counts = bound; \
    (void)tables, (void)elements, (void)ancestors, (void)bound, (void)pool, (void)work; \
    (void)meaning, (void)actions, (void)listed, (void)counts

CSS_FUNCTION ulong css_mix(ulong hash, ulong value)
{
    hash = (hash ^ value) * 0xd6e8feb86659fd93ul;
    return hash ^ hash >> 32;
}

CSS_FUNCTION ulong css_seed(const css_fixed *f) { return (ulong)f->seed_high << 32 | f->seed_low; }

/* The slot of a hash; *won: it was not there before. */
CSS_FUNCTION uint css_insert(volatile __global uint *table, uint mask, ulong hash, uint *won,
    volatile __global uint *counts, uint fault)
{
    uint print = (uint)(hash >> 32) | 1, at = (uint)hash & mask;
    *won = 0;
    for (uint n = 0; n < CSS_PROBES; n++, at = (at + 1) & mask) {
        uint found = table[at];
        if (found == 0) {
            found = atomic_cmpxchg(table + at, 0u, print);
            *won = found == 0;
        }
        if (*won || found == print) return at;
    }
    atomic_or(counts + CSS_COUNT_FAULTS, fault);
    return at;
}

/* The sum of all items' `value` before this one's, and of all; every item of the group takes part.
 * `room`: GROUP words. */
CSS_FUNCTION uint css_before(__local uint *room, uint id, uint value, uint *total)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    room[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 4) { /* an item has the sum of the last `step` */
        uint left = id >= step ? room[id - step] : 0u;
        left += id >= 2 * step ? room[id - 2 * step] : 0u;
        left += id >= 3 * step ? room[id - 3 * step] : 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        room[id] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = room[GROUP - 1];
    return room[id] - value;
}
#endif
#endif
