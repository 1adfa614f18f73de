/* Lines and chains of a group, several at once, the points that groups send each other, and their
 * meetings. For cooperative_tasks.cl. */
#ifndef CLOTH_COOPERATIVE_LINES_H
#define CLOTH_COOPERATIVE_LINES_H

#ifndef KINDS
#define KINDS 0x3fff
#endif
#ifndef CLUSTER
#define CLUSTER 0 /* 1: all groups are one cluster */
#endif
#if CLUSTER
#define cooperative_meet(state) ((void)(state), hed_cluster_barrier())
#elif HED_HAS_GRID_BARRIER
#define cooperative_meet(state) hed_grid_barrier(state)
#else /* one group */
#define cooperative_meet(state) ((void)(state), barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))
#endif
#define HAS(kind) (KINDS >> (kind)&1u)
#define SENDS (HED_HAS_PACKETS && HAS(CLOTH_DO_NEARBY))

/* ---- lines and chains, several at once ---- */

/* Words of the line or chain of an item, and of the chain its edge; source of its place, if that is a
 * particle: loaded before the groups meet, since loads after it begin with an empty cache, and the
 * words a task earlier. */
typedef struct cooperative_words {
    uint4 a, b;
} cooperative_words;

CLOTH_FUNCTION uint cooperative_has_lines(uint4 task)
{
    uint kind = cloth_task_kind(task);
    return kind == CLOTH_DO_LINES || kind == CLOTH_DO_CHAINS;
}

CLOTH_FUNCTION uint cooperative_is_at_particles(uint4 task)
{
    return !HED_STRICT && HAS(CLOTH_DO_SWEEPS) && cloth_task_kind(task) == CLOTH_DO_SWEEPS &&
           (task.w & CLOTH_DO_AT_PARTICLES);
}

/* Loads the words of a task. `at`: first line or chain, `end`: after the group's last one; `sources`: of
 * CLOTH_PLACES. */
CLOTH_FUNCTION cooperative_words cooperative_look(uint4 task, uint at, uint end,
    cloth_lines_view lines, cloth_chains_view chains, __global const uint4 *sources, uint item)
{
    cooperative_words words = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    uint places = cloth_task_places(task), lattice = (uint)get_group_id(0);
    if (cooperative_is_at_particles(task) && lattice < cloth_task_lattices(task) && item < places)
        words.a = sources[2 * (task.z + lattice * places + item)];
    at += item >> cloth_task_bits(task);
    if (!cooperative_has_lines(task) || at >= end) return words;
    __global const uint4 *from =
        cloth_task_kind(task) == CLOTH_DO_LINES ? lines.lines : chains.chains;
    words.a = from[2 * (task.y + at)];
    words.b = from[2 * (task.y + at) + 1];
    return words;
}

CLOTH_FUNCTION cloth_chain_edge cooperative_edge(
    uint4 task, cooperative_words words, cloth_chains_view chains, uint item)
{
    cloth_chain_edge edge = {0.0f, 0.0f, 0.0f};
    if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS && words.a.y)
        edge = chain_edge_at(item & ((1u << cloth_task_bits(task)) - 1u),
            cloth_chain_at_of(words.a, words.b), chains);
    return edge;
}

/* ---- points sent from group to group ---- */

/* `number`: tasks so far that sent packets; packets of the latest one have its parity. */
typedef struct cooperative_mail {
    __global uint4 *packets;
    uint particles, number;
} cooperative_mail;

#if SENDS
/* Meets the groups with rows nearby, after a barrier of the group's items. */
CLOTH_FUNCTION void cooperative_meet_near(
    __global uint4 *signals, cloth_cell_bands bands, uint number, uint item)
{
    uint group = (uint)get_group_id(0),
         neighbour = group + item - CLOTH_NEAR_GROUPS; /* wraps below 0 */
    signals += (number & 1u) * bands.groups;
    if (item == CLOTH_NEAR_GROUPS) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        hed_packet_put(signals + group, hed_u4(0, 0, 0, number));
    }
    /* no group waits for one without rows, whose neighbours may be two signals ahead */
    if (item <= 2u * CLOTH_NEAR_GROUPS && group >= bands.first_group && group < bands.end_group &&
        neighbour >= bands.first_group && neighbour < bands.end_group) {
        uint4 ignored;
        hed_packet_wait(signals + neighbour, number, CLOTH_COOPERATIVE_POLLS, &ignored);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Lets the first group wait for all others, after a barrier of the group's items. `number`: one of the substep,
 * since groups skip tasks of others. */
CLOTH_FUNCTION void cooperative_meet_first(
    __global uint4 *signals, uint groups, uint number, uint item)
{
    uint group = (uint)get_group_id(0);
    uint4 ignored;
    if (group > 0u && item == 0u) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        hed_packet_put(signals + group, hed_u4(0, 0, 0, number));
    }
    if (group > 0u) return;
    for (uint other = item + 1u; other < groups; other += WG)
        hed_packet_wait(signals + other, number, CLOTH_COOPERATIVE_POLLS, &ignored);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* Returns a point that the task before sent. */
CLOTH_FUNCTION float4 cooperative_taken(uint point, float weight, cooperative_mail mail)
{
    uint4 value = {0, 0, 0, 0};
    hed_packet_wait(mail.packets + (mail.number & 1u) * mail.particles + point, mail.number,
        CLOTH_COOPERATIVE_POLLS, &value);
    return hed_f4(as_float(value.x), as_float(value.y), as_float(value.z), weight);
}

CLOTH_FUNCTION void cooperative_send(uint point, float4 at, cooperative_mail mail)
{
    uint number = mail.number + 1u;
    uint4 value = {as_uint(at.x), as_uint(at.y), as_uint(at.z), number};
    hed_packet_put(mail.packets + (number & 1u) * mail.particles + point, value);
}

/* Item of a chain whose points the task before sent. A chain has fewer edges than items. `points`: one for
 * each item of the group. */
CLOTH_FUNCTION chain_item cooperative_take(
    chain_item i, cloth_chains_view view, cooperative_mail mail, __local float4 *points)
{
    uint at = i.chain.first + i.lane * i.chain.step;
    float4 point = hed_f4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i.is_edge && view.pass >= 2) i.edge.pulled = view.pulled[i.chain.edges + i.lane];
    if (i.chain.count && i.lane <= i.chain.count)
        point = cooperative_taken(at, view.points[at].w, mail);
    points[i.item] = point;
    barrier(CLK_LOCAL_MEM_FENCE);
    i.a = point;
    if (i.is_edge) i.b = points[i.item + 1u];
    return i;
}

/* Stores the particles of a line that the task before sent. */
CLOTH_FUNCTION void cooperative_take_line(
    cloth_line_at line, __global float4 *position, cooperative_mail mail, uint lane, uint width)
{
    for (uint j = lane; line.count && j < line.count + 2u; j += width) {
        uint at = line.first + j * line.step;
        position[at] = cooperative_taken(at, position[at].w, mail);
    }
    cloth_meet(width);
}

/* Solves a chain as chain_reduce(). Locked points are sent, too. Points are held in their
 * slots (chain_slot()). */
CLOTH_FUNCTION void cooperative_chain(uint4 task, cooperative_words words, cloth_chain_edge edge,
    cloth_chains_view view, float stiffness, cooperative_mail mail, uint item,
    __local float4 *memory)
{
    uint width = 1u << cloth_task_bits(task);
    cloth_chain_at chain = cloth_chain_at_of(words.a, words.b);
    if (chain_warp_is_idle(chain, width)) return;
    chain_item i = chain_item_of(chain, edge, item, width);
    if (task.w & CLOTH_DO_TAKE) i = cooperative_take(i, view, mail, memory + 4 * WG);
    else i = chain_item_at(chain, edge, view, item, width);
    /* tasks before have stored particles, or the points would have come in packets */
    i.fences = (task.w & CLOTH_DO_SEND) && !(task.w & CLOTH_DO_TAKE);
    chain_pulls pulls = chain_solve(i, view.pass, stiffness, cloth_task_longest(task), memory);
    uint at = chain.first + i.lane * chain.step, is_last = i.lane + 1u == chain.count,
         sends = task.w & CLOTH_DO_SEND;
    float4 a = cloth_chain_moved(i.a, pulls.unit, pulls.last),
           b = cloth_chain_moved(i.b, hed_f4(0.0f, 0.0f, 0.0f, 0.0f), pulls.unit);
    if (view.pass >= CLOTH_LIMIT_PASS) {
        chain_shorten_points(i, view, pulls, stiffness, cloth_task_longest(task), memory);
        if (task.w & CLOTH_DO_HOLD) return;
        a = memory[chain_slot(i, i.lane)];
        b = memory[chain_slot(i, i.lane + 1u)];
    }
    if (task.w & CLOTH_DO_HOLD)
        barrier(CLK_LOCAL_MEM_FENCE); /* items have read their multipliers */
    if (!i.is_edge) return;
    if (sends) cooperative_send(at, a, mail);
    else if (task.w & CLOTH_DO_HOLD) memory[chain_slot(i, i.lane)] = a;
    else if (a.w > 0.0f) view.points[at] = a;
    if (is_last && sends) cooperative_send(at + chain.step, b, mail);
    else if (is_last && (task.w & CLOTH_DO_HOLD)) memory[chain_slot(i, i.lane + 1u)] = b;
    else if (is_last && b.w > 0.0f) view.points[at + chain.step] = b;
    if (CLOTH_CHAINS_KEEP(view.pass)) cloth_chain_keep(chain.edges + i.lane, pulls.unit.w, view);
}
#endif

/* ---- the lines or chains of a group ---- */

/* Solves the group's lines or chains of a task. `words`, `edge`: of the first ones. */
CLOTH_FUNCTION void cooperative_solve(uint4 task, uint begin, uint end, cooperative_words words,
    cloth_chain_edge edge, cloth_lines_view lines, cloth_chains_view chains, float stiffness,
    cooperative_mail mail, uint item, __local float4 *memory)
{
    uint bits = cloth_task_bits(task);
    (void)mail;
    CLOTH_ROLLED
    for (uint at = begin; at < end; at += (uint)WG >> bits) {
        if (at > begin) {
            words = cooperative_look(task, at, end, lines, chains, 0, item);
            edge = cooperative_edge(task, words, chains, item);
        }
#if SENDS
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES &&
            (task.w & CLOTH_DO_TAKE))
            cooperative_take_line(cloth_line_at_of(words.a, words.b), lines.position, mail,
                item & ((1u << bits) - 1u), 1u << bits);
#endif
        if (HAS(CLOTH_DO_LINES) && cloth_task_kind(task) == CLOTH_DO_LINES)
#if HED_STRICT
            line_reduce(
                cloth_line_at_of(words.a, words.b), lines, stiffness, 1u << bits, item, memory);
#else
            line_reduce(cloth_line_at_of(words.a, words.b), lines, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory, (__local uint *)(memory + 4 * WG));
#endif
        if (HAS(CLOTH_DO_CHAINS) && cloth_task_kind(task) == CLOTH_DO_CHAINS)
#if SENDS
            cooperative_chain(task, words, edge, chains, stiffness, mail, item, memory);
#else
            chain_reduce(cloth_chain_at_of(words.a, words.b), edge, chains, stiffness, 1u << bits,
                cloth_task_longest(task), item, memory);
#endif
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
#endif
