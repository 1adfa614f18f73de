/* Tables of places.cl: the position of each body in its group, the packets that a group
 * receives, and the neighbours and half-springs of each body. Made once, on the host; a million
 * bodies take about a second. */
#include "solver/grid/grid.h"

#include <stdlib.h>

enum { FEW_BODIES = 256 };

/* State during the making of tables. */
typedef struct builder {
    hed_arena arena; /* memory of temporary arrays */
    const synth_network *network;
    synth_grid_tables *tables;
    uint32_t *group_of;         /* (count) */
    const synth_linked *linked; /* bodies of the control group, by element */
    uint32_t *element;          /* (count) of the control group, LATTICE_NOTHING */
    uint32_t *begin;            /* (groups + 1) into `order` */
    uint32_t *order;            /* (count) bodies by group and position */
    uint64_t *keys;             /* (maximum bodies of a group) */
    uint32_t *mark;             /* (count) last group to which the body was sent */
    uint32_t *at;               /* (count) position of the body in that group */
    uint32_t *sent;             /* (2 x count of the largest halo) packet, body */
    /* (degree x own), and times `words`, of the current group */
    uint32_t *neighbours, *springs;
    uint32_t *marks; /* (places of a group) LATTICE_HOLES or 0, of the current group */
    /* words of a half-spring: the number of the network's form */
    uint32_t words;
    uint32_t most_own, most_halo;
} builder;

/* True if bodies may lack springs that pull at rest. */
static bool has_holes(const synth_network *network)
{
    return network->form == SPRINGS_SLOTS && network->tense;
}

static uint32_t ceil_divide(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* ---- sizes ---- */

/* Chooses the number of groups. A power of two divides regular lattices into boxes; it is used
 * unless more groups would reduce the rows of the largest one. */
static uint32_t choose_groups(const synth_grid_limits *limits, uint32_t count)
{
    if (!limits->groups) return ceil_divide(count, limits->threads * limits->each / 4 * 3);
    uint32_t groups = ceil_divide(count, FEW_BODIES), round = 1;
    if (groups > limits->groups) groups = limits->groups;
    while (2 * round <= groups) round *= 2;
    uint32_t rows = ceil_divide(ceil_divide(count, groups), limits->threads);
    return ceil_divide(ceil_divide(count, round), limits->threads) == rows ? round : groups;
}

/* ---- order ---- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns the sorting key of a body in its group: first bodies of the control group, in its
 * order; then the rim, by the group that it faces, so that packets for one group are contiguous;
 * then inner bodies in the instrument's order. */
static uint64_t tables_key_of(const builder *b, uint32_t body)
{
    const synth_network *network = b->network;
    uint32_t facing = UINT32_MAX;
    if (b->element[body] != LATTICE_NOTHING) return (uint64_t)b->element[body] << 32 | body;
    for (uint32_t e = network->begin[body]; e < network->begin[body + 1]; e++) {
        uint32_t neighbour = network->other[e];
        if (neighbour != SYNTH_ANCHORED && b->group_of[neighbour] != b->group_of[body] &&
            b->group_of[neighbour] < facing)
            facing = b->group_of[neighbour];
    }
    return (facing == UINT32_MAX ? 2ull << 62 : 1ull << 62 | (uint64_t)facing << 32) | body;
}

static void sort_group(builder *b, uint32_t group)
{
    lattice_group *info = &b->tables->groups[group];
    uint32_t first = b->begin[group];
    info->own = b->begin[group + 1] - first;
    for (uint32_t i = 0; i < info->own; i++) b->keys[i] = tables_key_of(b, b->order[first + i]);
    qsort(b->keys, info->own, sizeof *b->keys, compare_keys);
    for (uint32_t i = 0; i < info->own; i++) {
        uint32_t body = (uint32_t)b->keys[i], class = (uint32_t)(b->keys[i] >> 62);
        info->linked += class == 0;
        info->rim += class < 2;
        b->order[first + i] = body;
        b->tables->place[body] = i; /* the group is added when its size is known */
    }
}

static hed_status order_bodies(builder *b, hed_error *error)
{
    uint32_t count = b->network->count, groups = b->tables->shape.groups;
    for (uint32_t i = 0; i < count; i++) b->begin[b->group_of[i] + 1]++;
    for (uint32_t g = 0; g < groups; g++) {
        if (b->begin[g + 1] > b->most_own) b->most_own = b->begin[g + 1];
        b->begin[g + 1] += b->begin[g];
    }
    for (uint32_t i = 0; i < count; i++) b->order[b->begin[b->group_of[i]]++] = i;
    for (uint32_t g = groups; g > 0; g--) b->begin[g] = b->begin[g - 1];
    b->begin[0] = 0;
    b->keys = hed_arena_new(&b->arena, b->most_own, sizeof *b->keys, error);
    if (!b->keys) return HED_ERROR_MEMORY;
    for (uint32_t g = 0; g < groups; g++) sort_group(b, g);
    return HED_OK;
}

/* ---- halos ---- */

/* Lists bodies of other groups that a group needs, each once, into `sent` unless it is NULL;
 * returns their number. */
static uint32_t gather_halo(builder *b, uint32_t group, uint64_t *halo)
{
    const synth_network *network = b->network;
    uint32_t count = 0;
    for (uint32_t k = b->begin[group]; k < b->begin[group + 1]; k++)
        for (uint32_t e = network->begin[b->order[k]]; e < network->begin[b->order[k] + 1]; e++) {
            uint32_t neighbour = network->other[e];
            if (neighbour == SYNTH_ANCHORED || b->group_of[neighbour] == group ||
                b->mark[neighbour] == group)
                continue;
            b->mark[neighbour] = group;
            uint32_t packet =
                b->group_of[neighbour] * b->tables->shape.rim * b->tables->shape.threads +
                b->tables->place[neighbour] % b->tables->own;
            if (halo) halo[count] = (uint64_t)packet << 32 | neighbour;
            count++;
        }
    return count;
}

static uint32_t pushes_of(const builder *b, uint32_t element)
{
    return b->linked[element].pushed ? LATTICE_PUSHES : 1;
}

static void forget_marks(builder *b) { memset(b->mark, 0xff, b->network->count * sizeof *b->mark); }

static void fill_halo(builder *b, uint32_t group, uint64_t *packets)
{
    synth_grid_tables *tables = b->tables;
    uint32_t count = gather_halo(b, group, packets);
    qsort(packets, count, sizeof *packets, compare_keys);
    uint32_t *halo = tables->halo + (uint64_t)group * tables->halo_room,
             *links = tables->links + (uint64_t)group * tables->shape.threads;
    for (uint32_t k = 0; k < count; k++) {
        halo[k] = (uint32_t)(packets[k] >> 32);
        b->at[(uint32_t)packets[k]] = tables->own + k;
    }
    uint32_t pushes = tables->shape.groups * tables->shape.rim * tables->shape.threads +
                      LATTICE_TOLD * tables->linked;
    for (uint32_t k = 0; k < tables->groups[group].linked; k++) {
        uint32_t element = b->element[b->order[b->begin[group] + k]];
        links[k] = LATTICE_LINK(element, count) | (b->linked[element].pushed ? LATTICE_PUSHED : 0);
        for (uint32_t p = 0; p < pushes_of(b, element); p++)
            halo[count++] = pushes + LATTICE_PUSHES * element + p;
    }
    tables->groups[group].halo = count;
}

/* ---- neighbours and half-springs ---- */

/* Writes the words of half-spring `entry` other than its neighbour. */
static void describe_spring(const synth_network *network, uint32_t entry, uint32_t *words)
{
    if (network->form == SPRINGS_KINDS) words[0] = network->kind[entry];
    if (network->form != SPRINGS_OWN) return;
    int32_t vector[3];
    const hed_synth_instrument *instrument = network->instrument;
    const hed_synth_spring_def *spring =
        &instrument->springs[network->spring[entry] & SYNTH_SPRING_INDEX];
    bool reversed = network->spring[entry] & SYNTH_SPRING_REVERSED;
    uint32_t from = instrument->places[spring->from].index,
             to = instrument->places[spring->to].index;
    for (uint32_t k = 0; k < 3; k++) {
        int32_t way = network->places[3 * to + k] - network->places[3 * from + k];
        vector[k] = reversed ? -way : way;
    }
    words[0] = (uint32_t)(vector[0] + 32768) | (uint32_t)(vector[1] + 32768) << 16;
    words[1] = (uint32_t)(vector[2] + 32768) | (uint32_t)network->kind[entry] << 16;
}

/* Initialises slots without a spring: the neighbour is the body itself, so the spring has length
 * 0, or, for tense networks, the material after all others, which has no force. */
static void clear_slots(const builder *b)
{
    const synth_grid_tables *tables = b->tables;
    uint32_t null = b->network->material_count,
             words[2] = {32769u | 32768u << 16, 32768u | (b->network->tense ? null : 0) << 16};
    for (uint32_t j = 0; j < tables->shape.degree; j++)
        for (uint32_t i = 0; i < tables->own; i++) {
            uint32_t slot = j * tables->own + i;
            b->neighbours[slot] = i;
            for (uint32_t w = 0; w < b->words; w++)
                b->springs[slot * b->words + w] = b->words == 1 ? null : words[w];
        }
}

/* Computes the correction for tense slots without a spring, which would pull; true if there is
 * such a slot. */
static bool fill_holes(builder *b, uint32_t group, uint32_t i, uint32_t used)
{
    const synth_network *network = b->network;
    synth_grid_tables *tables = b->tables;
    for (uint32_t k = 0; k < 3; k++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < network->material_count; j++)
            if (!(used >> j & 1u)) sum -= synth_network_pull(network, j) * network->vectors[j][k];
        float correction = (float)sum;
        memcpy(&tables->springs[(uint64_t)group * tables->spring_words + k * tables->own + i],
            &correction, sizeof correction);
    }
    return used != UINT32_MAX >> (32 - network->material_count);
}

static void tables_fill_body(builder *b, uint32_t group, uint32_t i)
{
    const synth_network *network = b->network;
    synth_grid_tables *tables = b->tables;
    uint32_t body = b->order[b->begin[group] + i], used = 0;
    for (uint32_t e = network->begin[body]; e < network->begin[body + 1]; e++) {
        /* few kinds: half-springs of kind j are in slot j if possible, so that bodies that step
         * together read one entry of the palette */
        uint32_t slot = network->kind[e], neighbour = network->other[e];
        if (network->form != SPRINGS_SLOTS && (slot >= tables->shape.degree || used >> slot & 1u))
            for (slot = tables->shape.degree - 1; used >> slot & 1u;) slot--;
        used |= 1u << slot;
        slot = slot * tables->own + i;
        bool is_inside = neighbour != SYNTH_ANCHORED && b->group_of[neighbour] == group;
        b->neighbours[slot] = neighbour == SYNTH_ANCHORED ? tables->shape.places - 1
                              : is_inside                 ? tables->place[neighbour] % tables->own
                                                          : b->at[neighbour];
        if (!is_inside && neighbour != SYNTH_ANCHORED) tables->cut++;
        describe_spring(network, e, &b->springs[slot * b->words]);
    }
    b->marks[i] = has_holes(network) && fill_holes(b, group, i, used) ? LATTICE_HOLES : 0;
    tables->classes[group * tables->own + i] = network->classes[body];
}

static void fill_group(builder *b, uint32_t group)
{
    synth_grid_tables *tables = b->tables;
    uint32_t own = tables->own, degree = tables->shape.degree, words = degree / 2;
    clear_slots(b);
    for (uint32_t i = 0; i < tables->groups[group].own; i++) tables_fill_body(b, group, i);
    for (uint32_t i = tables->groups[group].own; i < own;
         i++) /* positions without a body must not move either */
        b->marks[i] = has_holes(b->network) && fill_holes(b, group, i, 0) ? LATTICE_HOLES : 0;
    uint32_t *packed = tables->springs + (uint64_t)group * tables->spring_words;
    if (b->words)
        synth_spread_banks(
            b->neighbours, b->springs, b->words, own, degree, b->network->form == SPRINGS_KINDS);
    if (b->network->form == SPRINGS_KINDS) {
        memset(packed, 0, tables->spring_words * sizeof *packed); /* four in a word */
        for (uint32_t j = 0; j < degree; j++)
            for (uint32_t i = 0; i < own; i++)
                packed[j / 4 * own + i] |= b->springs[j * own + i] << 8 * (j % 4);
    }
    if (b->network->form == SPRINGS_OWN)
        memcpy(packed, b->springs, tables->spring_words * sizeof *packed);
    for (uint32_t w = 0; w < words; w++)
        for (uint32_t i = 0; i < own; i++)
            tables->table[((uint64_t)group * words + w) * own + i] =
                4 * b->neighbours[2 * w * own + i] |
                4 * b->neighbours[(2 * w + 1) * own + i] << 16 | (w == 0 ? b->marks[i] : 0);
}

/* ---- all of it ---- */

/* Computes everything that depends only on the partition: rims, halos, rows; and checks the
 * limits. */
static hed_status tables_choose_shape(builder *b, const synth_grid_limits *limits, hed_error *error)
{
    synth_grid_tables *tables = b->tables;
    synth_grid_shape *shape = &tables->shape;
    const synth_network *network = b->network;
    uint32_t most_rim = 1, most_linked = 0,
             slots = network->form == SPRINGS_SLOTS ? network->material_count : network->degree;
    shape->threads = limits->threads < 64 ? limits->threads : 64;
    while (2 * shape->threads <= limits->threads && shape->threads < b->most_own)
        shape->threads *= 2;
    shape->each = b->most_own ? ceil_divide(b->most_own, shape->threads) : 1;
    forget_marks(b);
    for (uint32_t g = 0; g < shape->groups; g++) {
        uint32_t halo = gather_halo(b, g, NULL); /* add the pushes: packets that a group receives */
        for (uint32_t k = 0; k < tables->groups[g].linked; k++)
            halo += pushes_of(b, b->element[b->order[b->begin[g] + k]]);
        if (halo > b->most_halo) b->most_halo = halo;
        if (tables->groups[g].rim > most_rim) most_rim = tables->groups[g].rim;
        if (tables->groups[g].linked > most_linked) most_linked = tables->groups[g].linked;
    }
    shape->rim = ceil_divide(most_rim, shape->threads);
    shape->halo = b->most_halo ? ceil_divide(b->most_halo, shape->threads) : 1;
    shape->degree = slots < 2 ? 2 : slots + (slots & 1);
    tables->own = shape->threads * shape->each;
    tables->halo_room = b->most_halo + 1;
    b->words = network->form;
    tables->spring_words = network->form == SPRINGS_OWN ? 2 * shape->degree * tables->own
                           : network->form == SPRINGS_KINDS
                               ? LATTICE_KIND_WORDS(shape->degree) * tables->own
                           : has_holes(network) ? 3 * tables->own
                                                : 0;
    shape->places = tables->own + b->most_halo + 1;
    if (most_linked > shape->threads || tables->linked > LATTICE_MOST_LINKED)
        return hed_fail(error, HED_ERROR_LIMIT,
            "solver grid: %u bodies have a microphone or an exciter, %u of them in one group; %u and "
            "%u at most",
            tables->linked, most_linked, LATTICE_MOST_LINKED, shape->threads);
    uint32_t floats = network->form == SPRINGS_KINDS ? (network->plain ? 4 : LATTICE_KIND_FLOATS)
                      : network->form == SPRINGS_OWN ? LATTICE_MATERIAL_FLOATS
                                                     : 0;
    uint64_t palettes = 4 * (2 * (uint64_t)network->class_count + 3 +
                                floats * ((uint64_t)network->material_count + 1));
    uint64_t bytes = 12ull * shape->places + palettes, table = 2ull * shape->degree * tables->own;
    uint64_t room =
        limits->local_bytes / 12 < SYNTH_MOST_PLACES ? limits->local_bytes / 12 : SYNTH_MOST_PLACES;
    if (shape->places > SYNTH_MOST_PLACES || shape->each > limits->each ||
        shape->halo > LATTICE_MOST_EACH || bytes > limits->local_bytes)
        return hed_fail(error, HED_ERROR_LIMIT,
            "solver grid: %u bodies in %u groups, up to %u in one and %u packets that it receives: a "
            "group has %llu places, %u of them for bodies of its own and %u for packets",
            network->count, shape->groups, b->most_own, b->most_halo, (unsigned long long)room,
            limits->threads * limits->each, shape->threads * LATTICE_MOST_EACH);
    shape->table_local = limits->table_local && bytes + table <= limits->local_bytes;
    shape->local_bytes = bytes + (shape->table_local ? table : 0);
    return HED_OK;
}

static hed_status fill_tables(builder *b, hed_error *error)
{
    synth_grid_tables *tables = b->tables;
    hed_arena *a = &tables->scratch;
    uint64_t groups = tables->shape.groups, own = tables->own, degree = tables->shape.degree;
    uint64_t link_count = groups * tables->shape.threads;
    tables->table = hed_arena_new(a, groups * (degree / 2) * own, sizeof *tables->table, error);
    tables->springs =
        hed_arena_new(a, groups * tables->spring_words, sizeof *tables->springs, error);
    tables->classes = hed_arena_new(a, groups * own, sizeof *tables->classes, error);
    tables->halo = hed_arena_new(a, groups * tables->halo_room, sizeof *tables->halo, error);
    tables->links = hed_arena_new(&tables->arena, link_count, sizeof *tables->links, error);
    b->neighbours = hed_arena_new(&b->arena, degree * own, sizeof *b->neighbours, error);
    b->springs = hed_arena_new(&b->arena, degree * own * b->words, sizeof *b->springs, error);
    b->marks = hed_arena_new(&b->arena, own, sizeof *b->marks, error);
    uint64_t *sent = hed_arena_new(&b->arena, b->most_halo, sizeof *sent, error);
    if (a->failed || tables->arena.failed || b->arena.failed || !sent) return HED_ERROR_MEMORY;
    memset(tables->links, 0xff, link_count * sizeof *tables->links);
    for (uint32_t i = 0; i < b->network->count; i++)
        tables->place[i] += b->group_of[i] * tables->own;
    forget_marks(b);
    for (uint32_t g = 0; g < tables->shape.groups; g++) {
        fill_halo(b, g, sent);
        fill_group(b, g);
    }
    tables->cut /= 2;
    return HED_OK;
}

static hed_status tables_start(builder *b, hed_error *error)
{
    hed_arena *a = &b->arena, *permanent = &b->tables->arena;
    uint64_t count = b->network->count, groups = b->tables->shape.groups;
    b->group_of = hed_arena_new(a, count, sizeof *b->group_of, error);
    b->element = hed_arena_new(a, count, sizeof *b->element, error);
    b->begin = hed_arena_new(a, groups + 1, sizeof *b->begin, error);
    b->order = hed_arena_new(a, count, sizeof *b->order, error);
    b->mark = hed_arena_new(a, count, sizeof *b->mark, error);
    b->at = hed_arena_new(a, count, sizeof *b->at, error);
    b->tables->place = hed_arena_new(permanent, count, sizeof *b->tables->place, error);
    b->tables->groups = hed_arena_new(permanent, groups, sizeof *b->tables->groups, error);
    if (a->failed || permanent->failed) return HED_ERROR_MEMORY;
    memset(b->element, 0xff, count * sizeof *b->element);
    for (uint32_t k = 0; k < b->tables->linked; k++)
        if (b->linked[k].body != SYNTH_ANCHORED) b->element[b->linked[k].body] = k;
    return HED_OK;
}

hed_status synth_grid_tables_create(const synth_network *network, const synth_grid_limits *limits,
    const synth_linked *linked, uint32_t linked_count, synth_grid_tables *tables, hed_error *error)
{
    hed_arena arena = {.allocator = network->arena.allocator, .owner = "the tables of a grid"};
    *tables = (synth_grid_tables){
        .arena = arena, .scratch = arena, .linked = linked_count, .bodies = network->count};
    tables->shape.groups = network->count ? choose_groups(limits, network->count) : 1;
    builder b = {.arena = arena, .network = network, .tables = tables, .linked = linked};
    tables->own = 1; /* positions are numbers within the group until tables_choose_shape() */
    bool failed = tables_start(&b, error) ||
                  synth_partition(network, tables->shape.groups, limits->threads * limits->each,
                      b.group_of, error) ||
                  order_bodies(&b, error) || tables_choose_shape(&b, limits, error) ||
                  fill_tables(&b, error);
    hed_arena_free(&b.arena);
    if (failed) synth_grid_tables_destroy(tables);
    return error->status;
}

void synth_grid_tables_trim(synth_grid_tables *tables)
{
    hed_arena_free(&tables->scratch);
    tables->table = tables->springs = tables->halo = NULL;
    tables->classes = NULL;
}

void synth_grid_tables_destroy(synth_grid_tables *tables)
{
    synth_grid_tables_trim(tables);
    hed_arena_free(&tables->arena);
    *tables = (synth_grid_tables){0};
}

/* Reduction of bank conflicts of the lattice's neighbour reads, on the host. 32 bodies step
 * together, and slot j of all of them is read at once: reads of different words in one of the 32
 * banks of local memory are serialised. Except in regular lattices the slots of a body's
 * half-springs are interchangeable, so pairs are exchanged while the sum over banks of squared
 * counts falls. */

enum { BANKS = 32, SWEEPS = 3, MOST = LATTICE_MOST_DEGREE };

/* Number of a row's reads from each bank, slot by slot. */
typedef uint8_t counts[MOST][BANKS];

static void tables_exchange(uint32_t *a, uint32_t *b)
{
    uint32_t temporary = *a;
    *a = *b;
    *b = temporary;
}

static void spread_row(uint32_t *place, uint32_t *spring, uint32_t spring_words, uint32_t own,
    uint32_t degree, bool aligned, uint32_t first)
{
    counts reads = {{0}};
    for (uint32_t j = 0; j < degree; j++)
        for (uint32_t lane = 0; lane < BANKS; lane++)
            reads[j][place[j * own + first + lane] % BANKS]++;
    bool better = true;
    for (uint32_t sweep = 0; sweep < SWEEPS && better; sweep++) {
        better = false;
        for (uint32_t i = first; i < first + BANKS; i++)
            for (uint32_t e = 1; e < degree; e++)
                for (uint32_t f = 0; f < e; f++) {
                    if (aligned && (spring[e * own + i] == e || spring[f * own + i] == f)) continue;
                    uint32_t *x = &place[e * own + i], *y = &place[f * own + i], p = *x % BANKS,
                             q = *y % BANKS;
                    /* half the change of the sum of squares by the exchange */
                    if (p == q || (int32_t)reads[e][q] + reads[f][p] -
                                          ((int32_t)reads[e][p] + reads[f][q] - 2) >=
                                      0)
                        continue;
                    reads[e][p]--, reads[e][q]++, reads[f][q]--, reads[f][p]++;
                    tables_exchange(x, y);
                    for (uint32_t w = 0; w < spring_words; w++)
                        tables_exchange(&spring[(e * own + i) * spring_words + w],
                            &spring[(f * own + i) * spring_words + w]);
                    better = true;
                }
    }
}

void synth_spread_banks(uint32_t *place, uint32_t *spring, uint32_t spring_words, uint32_t own,
    uint32_t degree, bool aligned)
{
    for (uint32_t first = 0; first + BANKS <= own; first += BANKS)
        spread_row(place, spring, spring_words, own, degree, aligned, first);
}
