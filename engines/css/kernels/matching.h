/* Declarations shared by the kernels of matching on a device and the solver that launches them:
 * offsets of arrays, counters, hash tables. See tables.h for the algorithm and the tables; this
 * file has the data that only a device uses.
 *
 * All data are 32-bit words in a few buffers, at the offsets in css_fixed, in words:
 *
 *   tables     the compiled sheet and the element kinds; changes of a document add kinds
 *   elements   arrays over elements; a change writes its ranges. `ancestors`: the next four ancestors of each
 *   bound      results of bind for predicates, nodes, compounds and element kinds; `pool`: its
 *              lists
 *   work       results of the pass for elements; `meaning`: hash of an element's transitions, or 0
 *              if the element has none
 *   actions    lists of acts of signatures; `listed`: finals of classes
 *
 * A signature is an element kind (no dynamic bit is set) or `kinds` + a slot of a hash table for
 * (kind, bits). A class is a slot of a hash table for (path, signature); a path is the sequence of
 * the ancestors' meanings, from the root on. Slots hold 31 bits of a hash. Afterwards the pass
 * compares the members of a slot exactly, and everything is repeated with another seed if they
 * differ: results never depend on hashes. Where a table, a pool or a field of bits is too small,
 * the counters report it and the solver makes it larger. Every loop is bounded. */
#ifndef CSS_MATCHING_H
#define CSS_MATCHING_H

/* Counters, at the beginning of `bound`. */
typedef struct css_counters {
    uint faults;     /* bits of enum css_fault */
    uint signatures; /* used slots */
    uint actions;    /* used entries of `actions` */
    uint classes;
    uint listed; /* used words of `listed` */
    /* requirements, found by bind */
    uint pool;      /* words */
    uint dynamics;  /* most dynamic predicates of an element kind */
    uint states;    /* bits of a state */
    uint inherited; /* bits of a state that descendants inherit, the first ones */
    uint stages;    /* stages of dependencies that are read */
    uint marks;     /* bits of an element's marks */
    uint rows;      /* rows of first positions */
    uint undecided; /* predicates that are undecided on every element kind */
    uint counting;  /* 1: a COUNT is possible */
    uint acts;      /* most acts of a signature */
    uint unused;
} css_counters;

enum css_fault {
    CSS_FAULT_SIGNATURES = 1, /* the table is full */
    CSS_FAULT_ACTIONS = 2,
    CSS_FAULT_CLASSES = 4,
    CSS_FAULT_LISTED = 8,
    CSS_FAULT_COLLISION = 16,
    CSS_FAULT_BOUND = 32 /* pool, dynamics, states, stages, marks or rows: see css_counters */
};

/* Probes after which a hash table counts as full. */
#define CSS_PROBES 256u

/* Sizes, and offsets of the arrays in their buffers. */
typedef struct css_fixed {
    uint seed_low, seed_high;
    uint elements, families, kinds, predicates, compounds, nodes, dependencies;
    uint key_mask, always_count, universal_count, position_count, stage_count;
    uint compound_nodes, compound_finals, compound_dependencies; /* sums over all compounds */
    uint signature_mask, class_mask, base_mask;                  /* sizes of hash tables, less 1 */
    uint action_room, listed_room, pool_room;
    uint words;        /* words of an element's dynamic bits */
    uint mark_words;   /* words of an element's marks */
    uint rows;         /* rows of first positions; one position for each family */
    uint stages;       /* launches of css_bits before the last one */
    uint state_words;  /* words of a state */
    uint chain;        /* most ancestors of an element */
    uint list_groups;  /* groups that list acts of signatures while the others hash paths */
    uint check_groups; /* groups that check hashes while the others run classes */
    uint mark_total, row_total; /* words of all marks and of all first positions */
    /* offsets in `tables` */
    uint predicate, key_slot, key_begin, key_predicate, always, literal_begin, literal;
    uint bucket_begin, bucket, universal, node, compound_node_begin, compound_node, final;
    uint compound_final_begin, compound_final, dependency_begin, dependency_compound;
    uint compound_dependency_begin, compound_dependency, dependency_stage;
    uint positions; /* predicates of POSITION */
    uint stage_begin,
        stage_predicate;       /* CSR (stages): predicates that read a dependency of the stage */
    uint reader_begin, reader; /* CSR (dependencies): predicates that read it */
    /* compound of each entry of compound_node, compound_final, compound_dependency */
    uint node_owner, final_owner, dependency_owner;
    uint kind, kind_class, kind_fact;
    /* offsets in `elements` */
    uint element_kind, previous, next;
    uint family; /* number of the parent among parents of several children; CSS_NONE: no siblings */
    uint position; /* (axes x elements) */
    /* offsets in `bound` */
    uint present;  /* bits: predicates that are true on some element kind */
    uint possible; /* (predicates) RELATION, COUNT: 1: may be true on some element */
    uint mark;     /* (predicates) number of its mark, or of its row of first positions */
    uint undecided, node_bits, act_counts, transition, acceptance, live;
    uint needed; /* (dependencies) 1: a possible predicate reads it */
    uint bound;  /* (kinds) css_bound_kind */
    uint extra;  /* (kinds) css_kind_extra */
    uint base_table, base_first;
    /* offsets in `work` */
    uint bits, marks, firsts, signature, class_of;
    uint signature_table, signature_first, signature_list, signature_acts;
    uint class_table, class_first, class_list, class_finals;
} css_fixed;

/* Further results of bind for an element kind. */
typedef struct css_kind_extra {
    uint inner_mask; /* offset in the pool: dynamic bits on which transitions depend */
    uint meaning_low, meaning_high; /* hash of the transitions without dynamic bits, or 0, 0 */
    uint slot;                      /* slot of that hash */
    uint acts;                      /* most acts of a signature */
    uint unused[3];
} css_kind_extra;

/* Acts of a signature, in `actions`. */
typedef struct css_signature_acts {
    uint first_transition, transitions;
    uint first_acceptance, acceptances; /* sorted by final */
} css_signature_acts;

/* Words of `count` candidates in the pool. */
#define CSS_CANDIDATE_WORDS(count) ((uint)(sizeof(css_candidate) / sizeof(uint)) * (count))

/* Finals of a class, in `listed`. */
typedef struct css_class_finals {
    uint first, count;
} css_class_finals;

/* ---- local memory ---- */

/* Local counters of css_bind_prune. */
typedef struct css_bind_found {
    uint rows, marks, relations, stages, counting;
} css_bind_found;

/* Local memory of css_bind_kinds. Lengths of lists at first; then the positions of their next
 * entries. */
typedef struct css_bind_lists {
    uint certain, candidate, residual, dependency;
    uint acts; /* sum over all compounds */
    uint low,
        high;   /* sums of hashes of compounds with transitions that hold without dynamic bits */
    uint meant; /* number of these compounds */
    uint tried; /* compounds that may hold */
    uint first_tried; /* first one in the pool, as candidates; CSS_NONE: no room */
    uint failed;
    uint inner_mask;    /* in the pool */
    uint first_dynamic; /* in the pool */
    uint unused[3];
} css_bind_lists;

/* Local memory of css_paths: acts of a signature listed so far, and where they begin. */
typedef struct css_list_ends {
    uint transitions, acceptances, first;
} css_list_ends;

#if defined(__OPENCL_C_VERSION__) || defined(__CUDACC_RTC__)

/* Work items of a group. */
#ifndef GROUP
#define GROUP 1
#endif

/* All arrays of a match, with their types. */
typedef struct css_view {
    const css_fixed *fixed;
    css_tables sheet;
    __global const uint *positions, *stage_begin, *stage_predicate, *reader_begin, *reader;
    __global const uint *node_owner, *final_owner, *dependency_owner;
    __global const css_element_kind *kind;
    __global const uint *kind_class, *kind_fact;
    __global const uint *element_kind, *previous, *next, *family, *position;
    __global const uint4 *ancestors;
    __global css_counters *counters;
    __global uint *present, *possible, *mark, *undecided, *live, *needed, *base_table, *base_first;
    __global css_node_bits *node_bits;
    __global css_act_counts *act_counts;
    __global css_act *transition, *acceptance;
    __global css_bound_kind *bound;
    __global css_kind_extra *extra;
    __global uint *pool;
    __global css_candidate
        *candidate; /* the pool as candidates; only offsets that are multiples of 3 words */
    __global uint *bits, *marks, *firsts, *signature, *class_of;
    __global uint *signature_table, *signature_first, *signature_list;
    __global css_signature_acts *signature_acts;
    __global uint *class_table, *class_first, *class_list;
    __global css_class_finals *class_finals;
    __global uint2 *meaning;
    __global css_act *actions;
    __global uint *listed;
} css_view;

CSS_FUNCTION css_tables css_view_sheet(const css_fixed *f, __global const uint *tables)
{
    css_tables sheet;
    sheet.predicate = (__global const css_predicate *)(tables + f->predicate);
    sheet.key_slot = (__global const css_key_slot *)(tables + f->key_slot);
    sheet.key_mask = f->key_mask;
    sheet.key_begin = tables + f->key_begin;
    sheet.key_predicate = tables + f->key_predicate;
    sheet.always = tables + f->always;
    sheet.literal_begin = tables + f->literal_begin;
    sheet.literal = tables + f->literal;
    sheet.bucket_begin = tables + f->bucket_begin;
    sheet.bucket = tables + f->bucket;
    sheet.universal = tables + f->universal;
    sheet.node = (__global const css_node *)(tables + f->node);
    sheet.compound_node_begin = tables + f->compound_node_begin;
    sheet.compound_node = tables + f->compound_node;
    sheet.final = (__global const css_final *)(tables + f->final);
    sheet.compound_final_begin = tables + f->compound_final_begin;
    sheet.compound_final = tables + f->compound_final;
    sheet.dependency_begin = tables + f->dependency_begin;
    sheet.dependency_compound = tables + f->dependency_compound;
    sheet.compound_dependency_begin = tables + f->compound_dependency_begin;
    sheet.compound_dependency = tables + f->compound_dependency;
    sheet.dependency_stage = tables + f->dependency_stage;
    return sheet;
}

CSS_FUNCTION void css_view_bound(css_view *view, __global uint *bound)
{
    const css_fixed *f = view->fixed;
    view->counters = (__global css_counters *)bound;
    view->present = bound + f->present;
    view->possible = bound + f->possible;
    view->mark = bound + f->mark;
    view->undecided = bound + f->undecided;
    view->node_bits = (__global css_node_bits *)(bound + f->node_bits);
    view->act_counts = (__global css_act_counts *)(bound + f->act_counts);
    view->transition = (__global css_act *)(bound + f->transition);
    view->acceptance = (__global css_act *)(bound + f->acceptance);
    view->live = bound + f->live;
    view->needed = bound + f->needed;
    view->bound = (__global css_bound_kind *)(bound + f->bound);
    view->extra = (__global css_kind_extra *)(bound + f->extra);
    view->base_table = bound + f->base_table;
    view->base_first = bound + f->base_first;
}

CSS_FUNCTION void css_view_work(css_view *view, __global uint *work)
{
    const css_fixed *f = view->fixed;
    view->bits = work + f->bits;
    view->marks = work + f->marks;
    view->firsts = work + f->firsts;
    view->signature = work + f->signature;
    view->class_of = work + f->class_of;
    view->signature_table = work + f->signature_table;
    view->signature_first = work + f->signature_first;
    view->signature_list = work + f->signature_list;
    view->signature_acts = (__global css_signature_acts *)(work + f->signature_acts);
    view->class_table = work + f->class_table;
    view->class_first = work + f->class_first;
    view->class_list = work + f->class_list;
    view->class_finals = (__global css_class_finals *)(work + f->class_finals);
}

CSS_FUNCTION void css_view_read(css_view *view, __global const uint *tables,
    __global const uint *elements, __global const uint4 *ancestors)
{
    const css_fixed *f = view->fixed;
    view->sheet = css_view_sheet(f, tables);
    view->positions = tables + f->positions;
    view->stage_begin = tables + f->stage_begin;
    view->stage_predicate = tables + f->stage_predicate;
    view->reader_begin = tables + f->reader_begin;
    view->reader = tables + f->reader;
    view->node_owner = tables + f->node_owner;
    view->final_owner = tables + f->final_owner;
    view->dependency_owner = tables + f->dependency_owner;
    view->kind = (__global const css_element_kind *)(tables + f->kind);
    view->kind_class = tables + f->kind_class;
    view->kind_fact = tables + f->kind_fact;
    view->element_kind = elements + f->element_kind;
    view->previous = elements + f->previous;
    view->next = elements + f->next;
    view->family = elements + f->family;
    view->position = elements + f->position;
    view->ancestors = ancestors;
}

/* The arguments of all kernels, and `view` of them. */
#define CSS_ARGUMENTS \
    const css_fixed fixed, __global const uint *tables, __global const uint *elements, \
        __global const uint4 *ancestors, __global uint *bound, __global uint *pool, \
        __global uint *work, __global uint2 *meaning, __global css_act *actions, \
        __global uint *listed
#define CSS_VIEW \
    const css_fixed *f = &fixed; \
    css_view all, *view = &all; \
    all.fixed = f; \
    css_view_read(view, tables, elements, ancestors); \
    css_view_bound(view, bound); \
    css_view_work(view, work); \
    all.pool = pool; \
    all.candidate = (__global css_candidate *)pool; \
    all.meaning = meaning; \
    all.actions = actions; \
    all.listed = listed; \
    (void)f, (void)view

CSS_FUNCTION ulong css_mix(ulong hash, ulong value)
{
    hash = (hash ^ value) * 0xd6e8feb86659fd93ul;
    return hash ^ hash >> 32;
}

CSS_FUNCTION ulong css_seed(const css_fixed *f) { return (ulong)f->seed_high << 32 | f->seed_low; }

/* Slot of a hash in a table; *is_new: this call has inserted it. */
CSS_FUNCTION uint css_insert(volatile __global uint *table, uint mask, ulong hash, uint *is_new,
    __global css_counters *counters, uint fault)
{
    uint print = (uint)(hash >> 32) | 1, at = (uint)hash & mask;
    *is_new = 0;
    for (uint n = 0; n < CSS_PROBES; n++, at = (at + 1) & mask) {
        uint stored = table[at];
        if (stored == 0) {
            stored = atomic_cmpxchg(table + at, 0u, print);
            *is_new = stored == 0;
        }
        if (*is_new || stored == print) return at;
    }
    atomic_or(&counters->faults, fault);
    return at;
}

/* Sum of the `value`s of the items before this one; *total: of all items. Every item of the group
 * takes part. `room`: GROUP words. */
CSS_FUNCTION uint css_before(__local uint *room, uint id, uint value, uint *total)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    room[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP;
         step *= 4) { /* an item has the sum of the last `step` items */
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
