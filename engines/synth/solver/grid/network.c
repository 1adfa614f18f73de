/* Network of solver grid: the free bodies of an instrument, their half-springs, and the numbers
 * of different masses and springs. Half-springs of one stiffness, length and direction form a
 * kind. If there are few kinds, and no body has two half-springs of one, kinds are slots:
 * regular lattices, membranes, strings. Up to 255 kinds form a palette: lattices with displaced
 * springs, walls, gaps. Otherwise each half-spring has its own rest vector, and a material. */
#include "solver/grid/grid.h"

#include <math.h>
#include <stdio.h>

/* ---- validity ---- */

static bool network_refuse(char *reason, size_t size, const char *text)
{
    snprintf(reason, size, "%s", text);
    return false;
}

bool synth_network_valid(const hed_synth_instrument *instrument, char *reason, size_t size)
{
    if (instrument->def.mode != HED_SYNTH_SINGLETON && instrument->def.voices != 1)
        return network_refuse(
            reason, size, "the grid plays one instance: mode \"singleton\", or one voice");
    if (instrument->counts[HED_SYNTH_BODY] == 0)
        return network_refuse(reason, size, "the instrument has no body");
    for (uint32_t m = 0; m < instrument->modulation_count; m++) {
        uint32_t type = instrument->places[instrument->modulations[m].entity].type;
        if (type == HED_SYNTH_BODY || type == HED_SYNTH_SPRING)
            return network_refuse(reason, size,
                "bodies and springs of the grid have fixed parameters: one of them is modulated");
    }
    for (uint32_t s = 0; s < instrument->counts[HED_SYNTH_SPRING]; s++)
        if (instrument->springs[s].damping != 0.0f)
            return network_refuse(reason, size,
                "springs of the grid have no damping of their own: give it to the bodies");
    return true;
}

/* ---- half-springs ---- */

static uint32_t body_of(const synth_network *network, hed_synth_entity entity)
{
    return network->instrument->places[entity].index;
}

/* Lists half-springs of free bodies, in the order of the springs. */
static hed_status fill_springs(synth_network *network, hed_error *error)
{
    const hed_synth_instrument *instrument = network->instrument;
    uint32_t springs = instrument->counts[HED_SYNTH_SPRING];
    for (uint32_t s = 0; s < springs; s++)
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t at = network->free[body_of(
                network, end ? instrument->springs[s].to : instrument->springs[s].from)];
            if (at != SYNTH_ANCHORED) network->begin[at + 1]++;
        }
    for (uint32_t i = 0; i < network->count; i++) {
        if (network->begin[i + 1] > network->degree) network->degree = network->begin[i + 1];
        network->begin[i + 1] += network->begin[i];
    }
    network->entries = network->begin[network->count];
    if (network->degree > LATTICE_MOST_DEGREE)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "solver grid: a body with %u springs, %d at most", network->degree,
            LATTICE_MOST_DEGREE);
    network->other =
        hed_arena_new(&network->scratch, network->entries, sizeof *network->other, error);
    network->spring =
        hed_arena_new(&network->scratch, network->entries, sizeof *network->spring, error);
    network->kind =
        hed_arena_new(&network->scratch, network->entries, sizeof *network->kind, error);
    if (network->scratch.failed) return HED_ERROR_MEMORY;
    for (uint32_t s = 0; s < springs; s++) {
        uint32_t ends[2] = {body_of(network, instrument->springs[s].from),
            body_of(network, instrument->springs[s].to)};
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t at = network->free[ends[end]];
            if (at == SYNTH_ANCHORED) continue;
            uint32_t entry = network->begin[at]++;
            network->other[entry] = network->free[ends[!end]];
            network->spring[entry] = end ? s | SYNTH_SPRING_REVERSED : s;
        }
    }
    for (uint32_t i = network->count; i > 0; i--) network->begin[i] = network->begin[i - 1];
    network->begin[0] = 0;
    return HED_OK;
}

static double vector_of(const synth_network *network, uint32_t entry, double vector[3])
{
    const hed_synth_spring_def *spring =
        &network->instrument->springs[network->spring[entry] & SYNTH_SPRING_INDEX];
    bool reversed = network->spring[entry] & SYNTH_SPRING_REVERSED;
    uint32_t first = body_of(network, reversed ? spring->to : spring->from),
             second = body_of(network, reversed ? spring->from : spring->to);
    double square = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        vector[k] = (double)network->instrument->bodies[second].position[k] -
                    network->instrument->bodies[first].position[k];
        square += vector[k] * vector[k];
    }
    return sqrt(square);
}

/* Returns L0/|d0|; exactly 1 if it differs from 1 only by rounding of the positions. */
static double rest_of(const hed_synth_spring_def *spring, double length, double rounding)
{
    if (spring->rest_length < 0.0f) return -(double)spring->rest_length;
    double rest = spring->rest_length / length;
    return fabs(rest - 1.0) * length <= rounding ? 1.0 : rest;
}

/* ---- kinds ---- */

static hed_status check_lengths(const synth_network *network, hed_error *error)
{
    for (uint32_t e = 0; e < network->entries; e++) {
        double vector[3];
        if (vector_of(network, e, vector) <= 0.0)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "solver grid: spring %u has both ends at the same place",
                network->spring[e] & SYNTH_SPRING_INDEX);
    }
    return HED_OK;
}

static bool same_material(
    const synth_material *material, const hed_synth_spring_def *spring, double rest)
{
    return material->stiffness == spring->stiffness && material->cubic == spring->cubic &&
           fabs(material->rest - rest) <= 1e-6 + 1e-6 * rest;
}

/* Returns the kind of a half-spring; adds a new one for the first. SYNTH_MOST_KINDS: too many. */
static uint32_t network_kind_of(synth_network *network, uint32_t entry, double rounding)
{
    const hed_synth_spring_def *spring =
        &network->instrument->springs[network->spring[entry] & SYNTH_SPRING_INDEX];
    double vector[3], length = vector_of(network, entry, vector),
                      rest = rest_of(spring, length, rounding);
    double tolerance = rounding + 1e-6 * length;
    for (uint32_t kind = 0; kind < network->material_count; kind++) {
        const double *v = network->vectors[kind];
        if (fabs(v[0] - vector[0]) <= tolerance && fabs(v[1] - vector[1]) <= tolerance &&
            fabs(v[2] - vector[2]) <= tolerance &&
            same_material(&network->materials[kind], spring, rest))
            return kind;
    }
    if (network->material_count == SYNTH_MOST_KINDS) return SYNTH_MOST_KINDS;
    memcpy(network->vectors[network->material_count], vector, sizeof vector);
    network->materials[network->material_count] =
        (synth_material){spring->stiffness, spring->cubic, rest};
    return network->material_count++;
}

static bool find_kinds(synth_network *network, double rounding)
{
    for (uint32_t e = 0; e < network->entries; e++) {
        uint32_t kind = network_kind_of(network, e, rounding);
        if (kind == SYNTH_MOST_KINDS) return false;
        network->kind[e] = (uint8_t)kind;
    }
    for (uint32_t kind = 0; kind < network->material_count; kind++)
        if (network->materials[kind].rest != 1.0) network->tense = true;
    return true;
}

/* True if kinds can be slots: no body has two springs of a kind. */
static bool are_slots(const synth_network *network)
{
    if (network->material_count > network->degree + (network->degree & 1)) return false;
    for (uint32_t i = 0; i < network->count; i++) {
        uint32_t used = 0;
        for (uint32_t e = network->begin[i]; e < network->begin[i + 1]; e++) {
            if (used >> network->kind[e] & 1u) return false;
            used |= 1u << network->kind[e];
        }
    }
    return true;
}

/* Makes vectors of opposite kinds exactly opposite, so that both halves of a spring pull
 * equally, and sets components that are rounding errors to 0. */
static void pair_kinds(synth_network *network)
{
    for (uint32_t a = 0; a < network->material_count; a++) {
        double *v = network->vectors[a], length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (uint32_t k = 0; k < 3; k++)
            if (fabs(v[k]) < 1e-5 * length) v[k] = 0.0;
        for (uint32_t b = 0; b < a; b++) {
            double *w = network->vectors[b], distance = 0.0;
            for (uint32_t k = 0; k < 3; k++) distance = fmax(distance, fabs(v[k] + w[k]));
            if (distance > 1e-4 * length) continue;
            for (uint32_t k = 0; k < 3; k++) {
                v[k] = (v[k] - w[k]) / 2.0;
                w[k] = -v[k];
            }
        }
    }
}

/* ---- lists ---- */

static hed_status find_materials(synth_network *network, double rounding, hed_error *error)
{
    network->material_count = 0;
    network->tense = false;
    for (uint32_t e = 0; e < network->entries; e++) {
        const hed_synth_spring_def *spring =
            &network->instrument->springs[network->spring[e] & SYNTH_SPRING_INDEX];
        double vector[3], rest = rest_of(spring, vector_of(network, e, vector), rounding);
        uint32_t m = 0;
        while (m < network->material_count && !same_material(&network->materials[m], spring, rest))
            m++;
        if (m == SYNTH_MOST_MATERIALS)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "solver grid: more than %d materials (pairs of stiffness and rest length over "
                "distance) of springs; give rest "
                "lengths as a share of the distance, -1 for springs without tension",
                SYNTH_MOST_MATERIALS);
        if (m == network->material_count)
            network->materials[network->material_count++] =
                (synth_material){spring->stiffness, spring->cubic, rest};
        if (rest != 1.0) network->tense = true;
        network->kind[e] = (uint8_t)m;
    }
    return HED_OK;
}

/* Converts bodies at rest to whole units, a 32,000th of the longest component of a rest vector,
 * so that all vectors stay exact sums of each other. */
static hed_status find_unit(synth_network *network, hed_error *error)
{
    double longest = 0.0;
    for (uint32_t e = 0; e < network->entries; e++) {
        double vector[3];
        vector_of(network, e, vector);
        for (uint32_t k = 0; k < 3; k++) longest = fmax(longest, fabs(vector[k]));
    }
    network->unit = longest > 0.0 ? longest / 32000.0 : 1.0;
    network->places = hed_arena_new(
        &network->scratch, 3 * (uint64_t)network->all, sizeof *network->places, error);
    if (!network->places) return HED_ERROR_MEMORY;
    const hed_synth_body_def *first = network->instrument->bodies;
    for (uint32_t i = 0; i < network->all; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double x =
                rint(((double)network->instrument->bodies[i].position[k] - first->position[k]) /
                     network->unit);
            if (fabs(x) > 1e9)
                return hed_fail(error, HED_ERROR_UNSUPPORTED,
                    "solver grid: body %u is too far away for its springs' lengths", i);
            network->places[3 * i + k] = (int32_t)x;
        }
    return HED_OK;
}

/* ---- bodies ---- */

static hed_status find_classes(synth_network *network, double rate, hed_error *error)
{
    const double step = 1.0 / rate;
    uint32_t last = 0;
    for (uint32_t i = 0; i < network->count; i++) {
        const hed_synth_body_def *body = &network->instrument->bodies[network->body[i]];
        hed_synth_entity entity = network->instrument->ids[HED_SYNTH_BODY][network->body[i]];
        double factor = synth_body_factor(network->instrument, entity, rate);
        float weight = (float)(step * step / body->mass * factor),
              decay = (float)(2.0 * body->damping * step);
        if (i == 0 || network->class_weight[last] != weight || network->class_rate[last] != decay) {
            last = 0;
            while (last < network->class_count &&
                   (network->class_weight[last] != weight || network->class_rate[last] != decay))
                last++;
        }
        if (last == SYNTH_MOST_CLASSES)
            return hed_fail(error, HED_ERROR_UNSUPPORTED,
                "solver grid: more than %d different pairs of mass and damping",
                SYNTH_MOST_CLASSES);
        if (last == network->class_count) {
            network->class_weight[last] = weight;
            network->class_rate[last] = decay;
            network->class_count++;
        }
        network->classes[i] = (uint8_t)last;
    }
    return HED_OK;
}

static hed_status find_free(synth_network *network, hed_error *error)
{
    network->free = hed_arena_new(&network->scratch, network->all, sizeof *network->free, error);
    network->body = hed_arena_new(&network->arena, network->all, sizeof *network->body, error);
    network->classes =
        hed_arena_new(&network->scratch, network->all, sizeof *network->classes, error);
    if (network->scratch.failed || network->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < network->all; i++) {
        bool anchored = network->instrument->bodies[i].anchored;
        network->free[i] = anchored ? SYNTH_ANCHORED : network->count;
        if (!anchored) network->body[network->count++] = i;
    }
    network->begin =
        hed_arena_new(&network->scratch, network->count + 2ull, sizeof *network->begin, error);
    return network->begin ? HED_OK : HED_ERROR_MEMORY;
}

/* Finds the properties that all materials have in common. */
static void compare_materials(synth_network *network)
{
    const synth_material *first = network->materials;
    network->same = network->material_count > 0 && first->stiffness > 0.0f;
    network->plain = network->material_count > 0 && first->rest > 0.01;
    for (uint32_t m = 0; m < network->material_count; m++) {
        const synth_material *material = &network->materials[m];
        if (material->stiffness != first->stiffness || material->cubic != first->cubic)
            network->same = false;
        if (fabs(material->rest - first->rest) > 1e-9) network->plain = false;
        if (material->cubic != 0.0f) network->cubic = true;
    }
    network->plain = network->plain && network->same && !network->cubic;
}

hed_status synth_network_create(const hed_allocator *allocator,
    const hed_synth_instrument *instrument, double rate, synth_network *network, hed_error *error)
{
    static const char owner[] = "the network of a grid";
    *network = (synth_network){.arena = {.allocator = *allocator, .owner = owner},
        .scratch = {.allocator = *allocator, .owner = owner}, .instrument = instrument,
        .all = instrument->counts[HED_SYNTH_BODY], .unit = 1.0};

    /* positions are floats: differences have about this rounding error */
    double largest = 0.0;
    for (uint32_t i = 0; i < instrument->counts[HED_SYNTH_BODY]; i++)
        for (uint32_t k = 0; k < 3; k++)
            largest = fmax(largest, fabs((double)instrument->bodies[i].position[k]));
    double rounding = 4.0 * largest * 0x1p-24;

    if (find_free(network, error) || find_classes(network, rate, error) ||
        fill_springs(network, error) || check_lengths(network, error)) {
        synth_network_destroy(network);
        return error->status;
    }
    if (find_kinds(network, rounding)) {
        network->form = are_slots(network) ? SPRINGS_SLOTS : SPRINGS_KINDS;
        pair_kinds(network);
    } else {
        network->form = SPRINGS_OWN;
        if (!find_materials(network, rounding, error)) find_unit(network, error);
    }
    compare_materials(network);
    if (error->status) synth_network_destroy(network);
    return error->status;
}

double synth_network_common(const synth_network *network)
{
    return network->same ? network->materials[0].stiffness : 1.0;
}

double synth_network_pull(const synth_network *network, uint32_t slot)
{
    const synth_material *material = &network->materials[slot];
    const double *v = network->vectors[slot];
    double share = 1.0 - material->rest,
           stretch = share * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return (material->stiffness + material->cubic * stretch * stretch) /
           synth_network_common(network) * share;
}

void synth_network_trim(synth_network *network)
{
    hed_arena_free(&network->scratch);
    network->free = network->begin = network->other = network->spring = NULL;
    network->classes = network->kind = NULL;
    network->places = NULL;
    network->instrument = NULL;
}

void synth_network_destroy(synth_network *network)
{
    synth_network_trim(network);
    hed_arena_free(&network->arena);
    *network = (synth_network){0};
}
