/* Bind on a device: a sheet and the element kinds of a forest, see tables.h. Four launches:
 *
 *   css_bind_presence   a group an element kind: predicates that are true on some kind
 *   css_bind_prune      one group: relations that are possible, nodes that can occur, their bits of
 *                       the state
 *   css_bind_acts       an item an act: transitions and acceptances of compounds
 *   css_bind_kinds      a group an element kind: compounds that hold or are reduced to residuals;
 *                       lists
 *
 * A kind's statuses of predicates are in local memory, two bits each; they are found twice, which
 * takes less time than storing them. */
#ifndef CSS_TABLES_H
#include "tables.h"
#endif
#ifndef CSS_MATCHING_H
#include "matching.h"
#endif

/* ---- statuses of predicates ---- */

CSS_FUNCTION void bind_set(__local uint *status, uint predicate, uint value)
{
    atomic_or(status + (predicate >> 4), value << (predicate & 15) * 2);
}

/* Sets the predicates of a key that hold. */
CSS_FUNCTION void bind_key(
    const css_view *view, __local uint *status, __global const css_element_kind *kind, uint code)
{
    uint key = css_key_find(&view->sheet, code);
    if (key == CSS_NONE) return;
    for (uint i = view->sheet.key_begin[key]; i < view->sheet.key_begin[key + 1]; i++) {
        uint p = view->sheet.key_predicate[i];
        if (css_holds_on(&view->sheet.predicate[p], kind)) bind_set(status, p, CSS_TRUE);
    }
}

/* Sets all predicates that are true on an element kind. Each of the three loops begins at other
 * items, so that their loads overlap. */
CSS_FUNCTION void bind_status(const css_view *view, __local uint *status, uint number, uint id)
{
    const css_fixed *f = view->fixed;
    __global const css_element_kind *kind = &view->kind[number];
    uint words = (f->predicates + 31) / 32 * 2, space = kind->name_space, classes = kind->classes;
    uint type_key = (space & 0xff) == 0 ? CSS_KEY_TYPE_HTML : CSS_KEY_TYPE;
    uint class_key = space >> 8 & 1 ? CSS_KEY_CLASS_QUIRKS : CSS_KEY_CLASS;
    for (uint i = id; i < words; i += GROUP) status[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i <= classes; i += GROUP)
        bind_key(view, status, kind,
            i == classes ? css_key_code(type_key, kind->tag)
                         : css_key_code(class_key, view->kind_class[kind->first_class + i]));
    for (uint i = (id + GROUP / 4) % GROUP; i < f->always_count; i += GROUP) {
        uint p = view->sheet.always[i];
        if (css_holds_on(&view->sheet.predicate[p], kind)) bind_set(status, p, CSS_TRUE);
    }
    for (uint i = (id + GROUP / 2) % GROUP; i < kind->facts; i += GROUP)
        bind_set(status, view->kind_fact[kind->first_fact + i], CSS_TRUE);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The even bits of a word, moved together. */
CSS_FUNCTION uint bind_even_bits(uint word)
{
    word &= 0x55555555u;
    word = (word | word >> 1) & 0x33333333u;
    word = (word | word >> 2) & 0x0f0f0f0fu;
    word = (word | word >> 4) & 0x00ff00ffu;
    return (word | word >> 8) & 0x0000ffffu;
}

__kernel void css_bind_presence(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_VIEW;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32;
    bind_status(view, block, (uint)get_group_id(0), id);
    for (uint i = id; i < words; i += GROUP) {
        uint present = bind_even_bits(block[2 * i]) | bind_even_bits(block[2 * i + 1]) << 16;
        if (present) atomic_or(view->present + i, present);
    }
}

/* ---- predicates, compounds and nodes that can occur ---- */

CSS_FUNCTION void bind_mark(volatile __local uint *bits, uint bit)
{
    atomic_or(bits + (bit >> 5), 1u << (bit & 31));
}

CSS_FUNCTION uint bind_marked(volatile __local const uint *bits, uint bit)
{
    return bits[bit >> 5] >> (bit & 31) & 1;
}

/* True if each clause of a compound has a literal that is negated or possible (a bit a
 * predicate). */
CSS_FUNCTION uint bind_possible(
    const css_view *view, volatile __local const uint *possible, uint compound)
{
    uint holds = 0, end = view->sheet.literal_begin[compound + 1];
    for (uint i = view->sheet.literal_begin[compound]; i < end; i++) {
        uint l = view->sheet.literal[i];
        holds |= l & 1 || bind_marked(possible, css_predicate_of(l));
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        if (!holds) return 0;
        holds = 0;
    }
    return 1;
}

/* Finds the RELATIONs and COUNTs that are possible, stage by stage, and numbers their marks. */
CSS_FUNCTION void bind_relations(
    const css_view *view, __local css_bind_found *found, volatile __local uint *possible, uint id)
{
    const css_fixed *f = view->fixed;
    for (uint stage = 0; stage < f->stage_count; stage++) {
        uint end = view->stage_begin[stage + 1];
        for (uint i = view->stage_begin[stage] + id; i < end; i += GROUP) {
            uint p = view->stage_predicate[i], can = 0;
            __global const css_predicate *predicate = &view->sheet.predicate[p];
            uint dependency = css_dependency_of(predicate);
            uint counting = css_is_count(predicate->kind);
            uint last = view->sheet.dependency_begin[dependency + 1];
            for (uint k = view->sheet.dependency_begin[dependency]; k < last && !can; k++)
                can = bind_possible(view, possible, view->sheet.dependency_compound[k]);
            if (!can) continue;
            uint relation = counting ? CSS_FROM_SELF : predicate->of.relation.relation;
            uint in_row = relation == CSS_FROM_EARLIER || relation == CSS_FROM_LATER;
            bind_mark(possible, p);
            view->possible[p] = 1;
            view->mark[p] = atomic_inc(in_row ? &found->rows : &found->marks);
            view->undecided[f->position_count + atomic_inc(&found->relations)] = p;
            view->needed[dependency] = 1;
            if (counting) found->counting = 1;
            found->stages = stage + 1; /* the greatest, as stages ascend */
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Finds the nodes that can occur, and numbers their bits: all bits for ancestors, then all bits for
 * the parent. `occurs`: bits of nodes whose own compound can occur; `used`: bits of the (2 nodes)
 * uses; `rank`: number of used bits before each word of `used`. */
CSS_FUNCTION void bind_nodes(const css_view *view, volatile __local const uint *possible,
    __local uint *occurs, __local uint *used, __local uint *rank, __local uint *room, uint id)
{
    uint nodes = view->fixed->nodes, words = (2 * nodes + 31) / 32;
    uint chunk = (words + GROUP - 1) / GROUP;
    uint begin = min(id * chunk, words), end = min(begin + chunk, words), sum = 0, total;
    for (uint n = id; n < nodes; n += GROUP)
        if (bind_possible(view, possible, view->sheet.node[n].compound)) bind_mark(occurs, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = id; n < nodes; n += GROUP) {
        uint uses = view->sheet.node[n].uses, required = n;
        while (required != CSS_NONE && bind_marked(occurs, required))
            required = view->sheet.node[required].required;
        if (required != CSS_NONE) continue;
        if (uses & CSS_USE_ANCESTOR) bind_mark(used, n);
        if (uses & CSS_USE_PARENT) bind_mark(used, nodes + n);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = begin; i < end; i++) sum += (uint)popcount(used[i]);
    uint at = css_before(room, id, sum, &total);
    for (uint i = begin; i < end; i++) {
        rank[i] = at;
        at += (uint)popcount(used[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < 2 * nodes; i += GROUP) {
        uint word = used[i >> 5], bit = 1u << (i & 31), in_parent = i >= nodes;
        uint number = rank[i >> 5] + (uint)popcount(word & (bit - 1));
        uint n = in_parent ? i - nodes : i;
        view->node_bits[n].bit[in_parent] = word & bit ? number : CSS_NONE;
        if (i == nodes) view->counters->inherited = number;
    }
    if (id == 0) view->counters->states = total;
}

/* Writes the counters, and a fault if the buffers have less room. */
CSS_FUNCTION void bind_count(const css_view *view, __local const css_bind_found *found)
{
    const css_fixed *f = view->fixed;
    __global css_counters *counters = view->counters;
    uint states = counters->states; /* written by this item */
    counters->rows = found->rows;
    counters->marks = found->marks;
    counters->stages = found->stages;
    counters->counting = found->counting;
    counters->undecided = f->position_count + found->relations;
    if ((states + 31) / 32 > f->state_words || found->rows > f->rows || found->stages > f->stages ||
        found->marks > 32 * f->mark_words)
        atomic_or(&counters->faults, (uint)CSS_FAULT_BOUND);
}

__kernel void css_bind_prune(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_VIEW;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32;
    uint node_words = (f->nodes + 31) / 32;
    __local uint *room = block;
    __local css_bind_found *found = (__local css_bind_found *)(room + GROUP);
    __local uint *possible = (__local uint *)(found + 1), *occurs = possible + words;
    __local uint *used = occurs + node_words, *rank = used + 2 * node_words;
    for (uint i = id; i < words; i += GROUP) possible[i] = view->present[i];
    for (uint i = id; i < 3 * node_words; i += GROUP) occurs[i] = 0; /* clears `used`, too */
    if (id == 0) {
        found->rows = found->marks = found->relations = 0;
        found->stages = found->counting = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < f->position_count; i += GROUP) {
        uint p = view->positions[i];
        view->undecided[i] = p;
        bind_mark(possible, p);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bind_relations(view, found, possible, id);
    bind_nodes(view, possible, occurs, used, rank, room, id);
    if (id == 0) bind_count(view, found);
}

/* ---- acts of compounds ---- */

/* Bit of the state that an act requires; *can: some element can have it. */
CSS_FUNCTION uint bind_required(const css_view *view, uint node, uint in_parent, uint *can)
{
    uint bit = node == CSS_NONE ? CSS_NONE : view->node_bits[node].bit[in_parent ? 1 : 0];
    *can = node == CSS_NONE || bit != CSS_NONE;
    return bit;
}

/* The acceptance of entry `i` of compound_final. */
CSS_FUNCTION void bind_acceptance(const css_view *view, uint i)
{
    uint c = view->final_owner[i], n = view->sheet.compound_final[i], can;
    __global const css_final *final = &view->sheet.final[n];
    uint required = bind_required(view, final->required, final->in_parent, &can);
    if (!can) return;
    uint at = view->sheet.compound_final_begin[c] + atomic_inc(&view->act_counts[c].acceptances);
    view->acceptance[at].required = required;
    view->acceptance[at].result = n;
    view->live[c] = 1;
}

/* The transitions of entry `i` of compound_node: for an ancestor's bit and for a parent's. */
CSS_FUNCTION void bind_transitions(const css_view *view, uint i)
{
    uint c = view->node_owner[i], n = view->sheet.compound_node[i], can;
    __global const css_node *node = &view->sheet.node[n];
    uint required = bind_required(view, node->required, node->in_parent, &can);
    for (uint in_parent = 0; in_parent < 2 && can; in_parent++) {
        uint bit = view->node_bits[n].bit[in_parent];
        if (bit == CSS_NONE) continue;
        uint at =
            css_first_transition(&view->sheet, c) + atomic_inc(&view->act_counts[c].transitions);
        view->transition[at].required = required;
        view->transition[at].result = bit;
        view->live[c] = 1;
    }
}

/* Acts of a compound are in no order. */
__kernel void css_bind_acts(CSS_ARGUMENTS)
{
    CSS_VIEW;
    uint acts = f->compound_finals + f->compound_nodes, end = acts + f->compound_dependencies;
    for (uint i = (uint)get_global_id(0); i < end; i += (uint)get_global_size(0)) {
        if (i < f->compound_finals) bind_acceptance(view, i);
        else if (i < acts) bind_transitions(view, i - f->compound_finals);
        else if (view->needed[view->sheet.compound_dependency[i - acts]])
            view->live[view->dependency_owner[i - acts]] = 1;
    }
}

/* ---- lists of an element kind ---- */

/* View of an element kind that is being bound. */
typedef struct bind_kind {
    __local const uint *status; /* statuses of predicates */
    __local uint *dynamic;      /* bits: predicates of residuals, the dynamic predicates */
    __local uint *rank;         /* number of these before each word */
    __local css_bind_lists *lists;
} bind_kind;

/* Number of a dynamic predicate. */
CSS_FUNCTION uint bind_dynamic_number(const bind_kind *kind, uint p)
{
    uint lower = kind->dynamic[p >> 5] & ((1u << (p & 31)) - 1);
    return kind->rank[p >> 5] + (uint)popcount(lower);
}

/* Number of literals in the residual of a compound. `write`: writes them to `to`; otherwise marks
 * their predicates as dynamic. */
CSS_FUNCTION uint bind_residual(
    const css_view *view, const bind_kind *kind, uint c, __global uint *to, uint write)
{
    uint count = 0, clause = 0, end = view->sheet.literal_begin[c + 1];
    uint begin = view->sheet.literal_begin[c];
    for (uint i = begin; i < end; i++) {
        uint l = view->sheet.literal[i];
        uint s = css_status_of(kind->status, css_predicate_of(l));
        if (s != CSS_UNDECIDED && s != (l & 1)) clause = 1; /* the clause holds */
        if (!(l & CSS_LAST_OF_CLAUSE)) continue;
        uint from = count;
        for (uint k = begin; k <= i && !clause; k++) {
            l = view->sheet.literal[k];
            uint p = css_predicate_of(l);
            if (css_status_of(kind->status, p) != CSS_UNDECIDED) continue;
            if (write) to[count] = bind_dynamic_number(kind, p) << 1 | (l & 1);
            else bind_mark(kind->dynamic, p);
            count++;
        }
        if (write && count > from) to[count - 1] |= CSS_LAST_OF_CLAUSE;
        clause = 0;
        begin = i + 1;
    }
    return count;
}

/* True if residual literals hold where no dynamic bit is set. */
CSS_FUNCTION uint bind_holds_bare(__global const uint *residual, uint count)
{
    uint holds = 0;
    for (uint i = 0; i < count; i++) {
        holds |= residual[i] & 1;
        if (!(residual[i] & CSS_LAST_OF_CLAUSE)) continue;
        if (!holds) return 0;
        holds = 0;
    }
    return 1;
}

/* Counts a compound that may hold on the element kind, and stores it with the room that it needs,
 * as a candidate: compound << 1 | 1 if it has a residual; position among residuals; its length. */
CSS_FUNCTION void bind_try(const css_view *view, const bind_kind *kind, uint c)
{
    __local css_bind_lists *lists = kind->lists;
    if (!view->live[c]) return;
    uint s = css_compound_status(view->sheet.literal, view->sheet.literal_begin[c],
        view->sheet.literal_begin[c + 1], kind->status);
    if (s == CSS_FALSE) return;
    uint left = s == CSS_UNDECIDED, dependencies = 0, first_tried = lists->first_tried;
    css_candidate tried;
    tried.number = c << 1 | left;
    tried.first = tried.literals = 0;
    if (left) {
        tried.literals = bind_residual(view, kind, c, view->pool, 0);
        tried.first = atomic_add(&lists->residual, tried.literals);
    }
    uint end = view->sheet.compound_dependency_begin[c + 1];
    for (uint i = view->sheet.compound_dependency_begin[c]; i < end; i++)
        dependencies += view->needed[view->sheet.compound_dependency[i]];
    uint at = atomic_inc(&lists->tried);
    atomic_inc(left ? &lists->candidate : &lists->certain);
    if (dependencies) atomic_add(&lists->dependency, dependencies);
    atomic_add(&lists->acts, view->act_counts[c].transitions + view->act_counts[c].acceptances);
    if (first_tried != CSS_NONE) view->candidate[first_tried + at] = tried;
}

/* Writes the entries of a tried compound to the lists. */
CSS_FUNCTION void bind_write(const css_view *view, const bind_kind *kind, css_candidate tried)
{
    __local css_bind_lists *lists = kind->lists;
    uint c = tried.number >> 1, left = tried.number & 1, bare = 1;
    uint transitions = view->act_counts[c].transitions;
    uint at = atomic_inc(left ? &lists->candidate : &lists->certain);
    css_candidate candidate;
    candidate.number = c;
    candidate.first = 0;
    candidate.literals = tried.literals;
    if (left) {
        candidate.first = lists->residual + tried.first;
        __global uint *residual = view->pool + candidate.first;
        bind_residual(view, kind, c, residual, 1);
        view->candidate[at] = candidate;
        bare = bind_holds_bare(residual, tried.literals);
        for (uint i = 0; i < tried.literals && transitions; i++) {
            uint bit = css_predicate_of(residual[i]);
            atomic_or(view->pool + lists->inner_mask + (bit >> 5), 1u << (bit & 31));
        }
    } else {
        view->pool[at] = c;
    }
    uint end = view->sheet.compound_dependency_begin[c + 1];
    for (uint i = view->sheet.compound_dependency_begin[c]; i < end; i++) {
        candidate.number = view->sheet.compound_dependency[i];
        if (view->needed[candidate.number])
            view->candidate[atomic_inc(&lists->dependency)] = candidate;
    }
    if (transitions && bare) {
        ulong hash = css_mix(css_mix(css_seed(view->fixed), c + 1), 0x51);
        atomic_add(&lists->low, (uint)hash);
        atomic_add(&lists->high, (uint)(hash >> 32));
        atomic_inc(&lists->meant);
    }
}

/* Length of a predicate's bucket. */
CSS_FUNCTION uint bind_bucket(const css_view *view, uint p)
{
    return view->sheet.bucket_begin[p + 1] - view->sheet.bucket_begin[p];
}

/* Compound `j` of the buckets of predicates that may hold; CSS_NONE: another bucket tries it.
 * `room`: sum of the lengths of the buckets of an item, which has `chunk` words of statuses, and
 * the items before. */
CSS_FUNCTION uint bind_tried(
    const css_view *view, __local const uint *status, __local const uint *room, uint chunk, uint j)
{
    uint from = 0, to = GROUP - 1; /* search for the first item whose sum is above j */
    while (from < to) {
        uint middle = (from + to) / 2;
        if (room[middle] > j) to = middle;
        else from = middle + 1;
    }
    uint left = from ? j - room[from - 1] : j, p = 16 * chunk * from;
    for (;; p++) {
        uint count = css_status_of(status, p) ? bind_bucket(view, p) : 0;
        if (left < count) break;
        left -= count;
    }
    uint c = view->sheet.bucket[view->sheet.bucket_begin[p] + left];
    uint first = view->sheet.literal_begin[c];
    return css_tried_by(view->sheet.literal, first, status, p) ? c : CSS_NONE;
}

/* Tries all compounds in the buckets of predicates that may hold: an item sums the lengths of the
 * buckets of its words of statuses, then the items divide the compounds evenly. */
CSS_FUNCTION void bind_compounds(
    const css_view *view, const bind_kind *kind, __local uint *room, uint id)
{
    const css_fixed *f = view->fixed;
    uint words = (f->predicates + 15) / 16, chunk = (words + GROUP - 1) / GROUP, length = 0, total;
    for (uint i = id * chunk; i < words && i < (id + 1) * chunk; i++)
        for (uint p = 16 * i, statuses = kind->status[i]; statuses; p++, statuses >>= 2)
            if (statuses & 3) length += bind_bucket(view, p);
    css_before(room, id, length, &total);
    total += f->universal_count;
    if (id == 0) { /* 2: candidates begin at multiples of three words */
        uint size = CSS_CANDIDATE_WORDS(total), at = atomic_add(&view->counters->pool, size + 2);
        uint fits = at + size + 2 <= f->pool_room && at + size + 2 >= at;
        kind->lists->first_tried = fits ? (at + 2) / 3 : CSS_NONE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = id; j < total; j += GROUP) {
        uint c = j < f->universal_count
                     ? view->sheet.universal[j]
                     : bind_tried(view, kind->status, room, chunk, j - f->universal_count);
        if (c != CSS_NONE) bind_try(view, kind, c);
    }
}

/* Allocates the lists of an element kind with `dynamics` dynamic predicates from the pool. */
CSS_FUNCTION void bind_room(
    const css_view *view, __local css_bind_lists *lists, uint number, uint dynamics)
{
    const css_fixed *f = view->fixed;
    __global css_bound_kind *bound = &view->bound[number];
    __global css_kind_extra *extra = &view->extra[number];
    uint masks = (dynamics + 31) / 32, certains = lists->certain, candidates = lists->candidate;
    uint residuals = lists->residual, dependencies = lists->dependency;
    /* candidates first, at multiples of three words */
    uint size = CSS_CANDIDATE_WORDS(candidates + dependencies) + certains + residuals + dynamics;
    size += masks + 2;
    uint from = atomic_add(&view->counters->pool, size), fits = dynamics <= 32 * f->words;
    atomic_max(&view->counters->dynamics, dynamics);
    atomic_max(&view->counters->acts, lists->acts);
    fits = fits && from + size <= f->pool_room && from + size >= from;
    fits = fits && lists->first_tried != CSS_NONE;
    if (!fits) atomic_or(&view->counters->faults, (uint)CSS_FAULT_BOUND);
    from = (from + 2) / 3;
    bound->first_candidate = lists->candidate = from;
    bound->first_dependency = lists->dependency = from += candidates;
    from = CSS_CANDIDATE_WORDS(from + dependencies);
    bound->first_certain = lists->certain = from;
    lists->residual = from += certains;
    bound->first_dynamic = lists->first_dynamic = from += residuals;
    extra->inner_mask = lists->inner_mask = from += dynamics;
    bound->certains = fits ? certains : 0;
    bound->candidates = fits ? candidates : 0;
    bound->dependencies = fits ? dependencies : 0;
    bound->dynamics = fits ? dynamics : 0;
    extra->acts = lists->acts;
    lists->failed = !fits;
    for (uint i = 0; i < masks && fits; i++) view->pool[from + i] = 0;
}

/* Hash of an element kind's transitions if no dynamic bit is set, and its slot. */
CSS_FUNCTION void bind_meaning(
    const css_view *view, __local const css_bind_lists *lists, uint number)
{
    __global css_kind_extra *extra = &view->extra[number];
    uint count = lists->meant, is_new;
    ulong hash = css_mix((ulong)lists->high << 32 | lists->low, count);
    uint slot = css_insert(view->base_table, view->fixed->base_mask, hash, &is_new, view->counters,
        CSS_FAULT_COLLISION);
    if (is_new) view->base_first[slot] = number;
    extra->slot = slot;
    extra->meaning_low = count ? (uint)hash | 1 : 0;
    extra->meaning_high = count ? (uint)(hash >> 32) : 0;
}

__kernel void css_bind_kinds(CSS_ARGUMENTS, HED_LOCAL(uint, block))
{
    HED_LOCAL_USE(uint, block);
    CSS_VIEW;
    uint id = (uint)get_local_id(0), words = (f->predicates + 31) / 32, total;
    uint chunk = (words + GROUP - 1) / GROUP, begin = min(id * chunk, words);
    uint end = min(begin + chunk, words), undecided = view->counters->undecided;
    uint number = (uint)get_group_id(0), sum = 0;
    __local css_bind_lists *lists = (__local css_bind_lists *)block;
    __local uint *room = (__local uint *)(lists + 1), *status = room + GROUP;
    __local uint *dynamic = status + 2 * words, *rank = dynamic + words;
    bind_kind kind;
    kind.status = status;
    kind.dynamic = dynamic;
    kind.rank = rank;
    kind.lists = lists;
    bind_status(view, status, number, id);
    for (uint i = id; i < undecided; i += GROUP)
        bind_set(status, view->undecided[i], CSS_UNDECIDED);
    for (uint i = id; i < words; i += GROUP) dynamic[i] = 0;
    for (uint i = 0; i < sizeof(css_bind_lists) / sizeof(uint) && id == 0; i++) block[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bind_compounds(view, &kind, room, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = begin; i < end; i++) sum += (uint)popcount(dynamic[i]);
    uint at = css_before(room, id, sum, &total);
    for (uint i = begin; i < end; i++) {
        rank[i] = at;
        at += (uint)popcount(dynamic[i]);
    }
    if (id == 0) bind_room(view, lists, number, total);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!lists->failed) {
        for (uint i = begin; i < end; i++)
            for (uint left = dynamic[i], k = rank[i]; left; left &= left - 1, k++)
                view->pool[lists->first_dynamic + k] = 32 * i + 31 - (uint)clz(left & (0u - left));
        for (uint i = id; i < lists->tried; i += GROUP)
            bind_write(view, &kind, view->candidate[lists->first_tried + i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) bind_meaning(view, lists, number);
}
