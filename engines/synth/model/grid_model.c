/* Regular grids of bodies (strings, membranes, plates, lattices), and the exact pitch of their
 * lowest mode.
 *
 * Neighbours at distance l are joined by springs of stiffness k and rest length q l. These
 * springs pull with k (1 - q) l, so across the grid each acts like a spring of K = k (1 - q).
 * With bend B > 0, springs to the second neighbour have rest length 2.5 l: they push with B l/2,
 * and the springs between neighbours are shortened to balance this push in each three bodies in
 * a row. The sum is B times the fourth difference, as of a beam that is hinged at anchored ends
 * and free at other ends, and no force at rest.
 *
 * Along an axis of n bodies with anchored ends, mode 1 has the angle a = pi / (n - 1) and s =
 * sin(a/2). Across the grid
 *   m w^2 = sum over axes of (4 K s^2 + 4 B s^4),
 * plus 4 K' (1 - cos a cos b) with diagonals. The integrator turns w into the frequency f with
 *   h^2 w^2 = ((1 - g)^2 + 4 g sin^2(pi f h)) / g^2,
 * where g = exp(-damping h) is the factor by which the amplitude decays in a sample. */
#include "model/synth_model.h"
#include "support/strict_math.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- pitch ---- */

double hed_synth_string_frequency(uint32_t masses, uint32_t mode, double ratio, double rate)
{
    if (!(rate > 0 && ratio >= 0) || mode < 1 || mode > masses) return 0;
    double sine = sqrt(ratio) / rate * hed_strict_sin(mode * PI / (2.0 * (masses + 1.0)));
    return sine < 1 ? hed_strict_asin(sine) * rate / PI : 0;
}

double hed_synth_string_ratio(uint32_t masses, double frequency, double rate)
{
    double root =
        hed_strict_sin(PI * frequency / rate) * rate / hed_strict_sin(PI / (2.0 * (masses + 1.0)));
    return root * root;
}

/* m w^2 of mode 1 is stiffness * per_stiffness + bend * per_bend + rest. */
typedef struct mode_one {
    double per_stiffness, per_bend, rest;
} mode_one;

static uint32_t grid_dimensions(const hed_synth_grid_def *def)
{
    return def->size[2] > 1 ? 3 : def->size[1] > 1 ? 2 : 1;
}

static double length_of(const float v[3])
{
    return sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
}

/* q: rest length divided by the distance */
static double share_of(float rest_length, double distance)
{
    return rest_length < 0 ? -(double)rest_length : rest_length / distance;
}

static mode_one mode_of(const hed_synth_grid_def *def)
{
    mode_one mode = {0};
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (def->size[axis] < 2) continue;
        double angle = PI / (def->size[axis] - 1.0), s = hed_strict_sin(angle / 2), square = s * s;
        bool is_swing_axis =
            axis == 0 && grid_dimensions(def) == 3; /* a lattice oscillates along its first axis */
        double share = share_of(def->spring.rest_length, length_of(def->step[axis]));
        mode.per_stiffness += 4 * square * (is_swing_axis ? 1 : 1 - share);
        mode.per_bend += 4 * square * square;
    }
    if (def->diagonal > 0 && grid_dimensions(def) == 2) {
        double a = PI / (def->size[0] - 1.0), b = PI / (def->size[1] - 1.0);
        double first_length = length_of(def->step[0]), second_length = length_of(def->step[1]);
        double share = share_of(def->spring.rest_length,
            sqrt(first_length * first_length + second_length * second_length));
        mode.rest =
            4 * (double)def->diagonal * (1 - share) * (1 - hed_strict_cos(a) * hed_strict_cos(b));
    }
    return mode;
}

/* Explains why mode 1 of a grid has no closed form; NULL: it has one. */
static const char *why_no_mode(const hed_synth_grid_def *def)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        if (def->size[axis] > 1 &&
            (def->size[axis] < 3 || !def->anchor_ends[axis][0] || !def->anchor_ends[axis][1]))
            return "both ends of each axis have to be anchored, with a body between them";
    if (grid_dimensions(def) == 1 && def->size[0] < 3) return "there is only one body";
    if (grid_dimensions(def) == 3 && (def->diagonal > 0 || def->bend > 0))
        return "a lattice with diagonal or bend springs has no closed form";
    double dot = 0;
    for (uint32_t i = 0; i < 3; i++) dot += (double)def->step[0][i] * def->step[1][i];
    bool right = fabs(dot) <= 1e-6 * length_of(def->step[0]) * length_of(def->step[1]);
    if (grid_dimensions(def) == 2 && def->diagonal > 0 && !right)
        return "with diagonals the steps have to be at right angles";
    return NULL;
}

static double frequency_of(const hed_synth_grid_def *def, double rate)
{
    hed_synth_grid_def resolved;
    if (why_no_mode(def) || synth_resolve_grid(def, &resolved, NULL) != HED_OK) return 0;
    mode_one mode = mode_of(&resolved);
    double square =
        resolved.spring.stiffness * mode.per_stiffness + resolved.bend * mode.per_bend + mode.rest;
    double g = hed_strict_exp(-(double)def->body.damping / rate), h = 1 / rate;
    double factor = def->tune > 0 ? synth_rate_factor(def->tune, def->rate, rate) : 1;
    square *= factor * factor;
    double sine = (g * g * h * h * square / def->body.mass - (1 - g) * (1 - g)) / (4 * g);
    return sine > 0 && sine < 1 ? hed_strict_asin(sqrt(sine)) * rate / PI : 0;
}

hed_status synth_resolve_grid(
    const hed_synth_grid_def *def, hed_synth_grid_def *resolved, hed_error *error)
{
    *resolved = *def;
    if (def->tune == 0) return HED_OK;
    const char *reason = why_no_mode(def);
    if (reason)
        return hed_fail(
            error, HED_ERROR_ARGUMENT, "grid: tune is %g Hz, but %s", (double)def->tune, reason);
    mode_one mode = mode_of(def);
    double g = hed_strict_exp(-(double)def->body.damping / def->rate),
           sine = hed_strict_sin(PI * (double)def->tune / def->rate);
    double square = ((1 - g) * (1 - g) + 4 * g * sine * sine) / (g * g) * def->rate * def->rate *
                        def->body.mass -
                    mode.rest;
    bool tension = mode.per_stiffness > 1e-9;
    if (!tension && def->bend == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "grid: tune is %g Hz, but a rest length of %g leaves no tension to tune; take one "
            "nearer to 0, such as -0.5 (half the distance)",
            (double)def->tune, (double)def->spring.rest_length);
    double value = tension ? (square - def->bend * mode.per_bend) / mode.per_stiffness
                           : square / mode.per_bend;
    if (!(value > 0 && value < 1e12))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "grid: tune is %g Hz, for which the springs would need a stiffness of %g N/m; "
            "its diagonal and bend springs alone are too stiff for so low a pitch, or the rest "
            "length leaves too little tension",
            (double)def->tune, value);
    *(tension ? &resolved->spring.stiffness : &resolved->bend) = (float)value;
    return HED_OK;
}

/* ---- construction of bodies and springs ---- */

typedef struct filler {
    const hed_synth_grid_def *def; /* resolved */
    hed_synth_entity first;
    hed_synth_spring_def *springs; /* NULL: only count */
    uint32_t count;
} filler;

/* True if a body is anchored; an axis with one body has no ends. */
static bool anchored(const hed_synth_grid_def *def, const uint32_t at[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        bool first = at[axis] == 0, last = at[axis] == def->size[axis] - 1;
        if (first != last && def->anchor_ends[axis][last]) return true;
    }
    return def->body.anchored;
}

static hed_synth_entity grid_body_at(const filler *f, const uint32_t at[3])
{
    return f->first + (at[2] * f->def->size[1] + at[1]) * f->def->size[0] + at[0];
}

/* Adds a spring, except between two anchored bodies, where a spring has no effect. */
static void grid_join(
    filler *f, const uint32_t a[3], const uint32_t b[3], float stiffness, float rest)
{
    if (anchored(f->def, a) && anchored(f->def, b)) return;
    if (f->springs) {
        hed_synth_spring_def spring = f->def->spring;
        spring.from = grid_body_at(f, a);
        spring.to = grid_body_at(f, b);
        spring.stiffness = stiffness;
        spring.rest_length = rest;
        f->springs[f->count] = spring;
    }
    f->count++;
}

/* Joins a body to its neighbour and to its second neighbour along one axis. */
static void join_axis(filler *f, const uint32_t at[3], uint32_t axis)
{
    const hed_synth_grid_def *def = f->def;
    uint32_t next[3] = {at[0], at[1], at[2]}, size = def->size[axis];
    next[axis] = at[axis] + 1;
    if (next[axis] >= size) return;
    float rest = def->spring.rest_length;
    if (def->bend > 0) {
        /* number of triples in a row of which the spring is a part */
        double rows = (at[axis] >= 1) + (at[axis] + 2 < size);
        rest = (float)-(share_of(rest, length_of(def->step[axis])) -
                        rows * def->bend / (2 * (double)def->spring.stiffness));
    }
    grid_join(f, at, next, def->spring.stiffness, rest);
    next[axis]++;
    if (def->bend > 0 && next[axis] < size) grid_join(f, at, next, def->bend, -1.25f);
}

/* Joins both diagonals of the square whose first corner is `at`. */
static void join_square(filler *f, const uint32_t at[3], uint32_t a, uint32_t b)
{
    uint32_t corner[4][3];
    if (at[a] + 1 >= f->def->size[a] || at[b] + 1 >= f->def->size[b]) return;
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(corner[i], at, sizeof corner[i]);
        corner[i][a] += i & 1;
        corner[i][b] += i >> 1;
    }
    grid_join(f, corner[0], corner[3], f->def->diagonal, f->def->spring.rest_length);
    grid_join(f, corner[1], corner[2], f->def->diagonal, f->def->spring.rest_length);
}

static hed_synth_body_def make_body(const hed_synth_grid_def *def, const uint32_t at[3])
{
    hed_synth_body_def body = def->body;
    for (uint32_t i = 0; i < 3; i++)
        body.position[i] =
            (float)((double)def->origin[i] + (double)at[0] * def->step[0][i] +
                    (double)at[1] * def->step[1][i] + (double)at[2] * def->step[2][i]);
    body.anchored = anchored(def, at);
    return body;
}

hed_synth_generated synth_fill_grid(const hed_synth_grid_def *def, hed_synth_entity first,
    hed_synth_body_def *bodies, hed_synth_spring_def *springs)
{
    filler f = {.def = def, .first = first, .springs = springs};
    uint32_t at[3], body = 0;
    for (at[2] = 0; at[2] < def->size[2]; at[2]++)
        for (at[1] = 0; at[1] < def->size[1]; at[1]++)
            for (at[0] = 0; at[0] < def->size[0]; at[0]++) {
                if (bodies) bodies[body] = make_body(def, at);
                body++;
                for (uint32_t axis = 0; axis < 3; axis++) join_axis(&f, at, axis);
                for (uint32_t axis = 0; def->diagonal > 0 && axis < 3; axis++)
                    join_square(&f, at, axis == 2 ? 1 : 0, axis == 0 ? 1 : 2);
            }
    return (hed_synth_generated){
        .first_body = first, .first_spring = first + body, .bodies = body, .springs = f.count};
}

/* ---- adding one ---- */

hed_synth_grid_def hed_default_synth_grid_def(void)
{
    return (hed_synth_grid_def){.size = {1, 1, 1},
        .step = {{0.01f, 0, 0}, {0, 0.01f, 0}, {0, 0, 0.01f}},
        .body = hed_default_synth_entity_def(HED_SYNTH_BODY).as.body,
        .spring = hed_default_synth_entity_def(HED_SYNTH_SPRING).as.spring, .rate = 48000};
}

static hed_status check_size(const hed_synth_grid_def *def, hed_error *error)
{
    uint64_t bodies = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (def->size[axis] < 1 || def->size[axis] > SYNTH_MOST_OF_TYPE)
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "grid: size[%" PRIu32 "] is %" PRIu32 "; expected 1 to %d", axis, def->size[axis],
                SYNTH_MOST_OF_TYPE);
        bodies *= def->size[axis];
        if (bodies > SYNTH_MOST_OF_TYPE)
            return hed_fail(error, HED_ERROR_LIMIT,
                "grid: %" PRIu32 " x %" PRIu32 " x %" PRIu32 " bodies; a grid holds up to %d",
                def->size[0], def->size[1], def->size[2], SYNTH_MOST_OF_TYPE);
        if (def->size[axis] > 1 && !(length_of(def->step[axis]) >= 1e-6))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "grid: step[%" PRIu32 "] is shorter than a micrometre", axis);
    }
    return HED_OK;
}

/* Checks the corner bodies: if they are within the limits of positions, all bodies are. */
static hed_status check_corners(const hed_synth_grid_def *def, hed_error *error)
{
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t at[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            at[axis] = corner >> axis & 1 ? def->size[axis] - 1 : 0;
        hed_synth_body_def body = make_body(def, at);
        hed_status status = synth_check_fields(&synth_fields[HED_SYNTH_BODY], &body, "grid: body", error);
        if (status != HED_OK) return status;
    }
    for (uint32_t a = 0; a < 2; a++)
        for (uint32_t b = a + 1; b < 3; b++)
            for (int sign = -1; sign < 2; sign += 2) {
                float way[3];
                for (uint32_t i = 0; i < 3; i++)
                    way[i] = def->step[a][i] + (float)sign * def->step[b][i];
                if (def->diagonal > 0 && def->size[a] > 1 && def->size[b] > 1 &&
                    length_of(way) < 1e-6)
                    return hed_fail(error, HED_ERROR_ARGUMENT,
                        "grid: step[%" PRIu32 "] and step[%" PRIu32 "] lie along one line: their "
                        "diagonals have no length",
                        a, b);
            }
    return HED_OK;
}

static hed_status check_springs(const hed_synth_grid_def *def, hed_error *error)
{
    hed_status status =
        synth_check_fields(&synth_fields[HED_SYNTH_SPRING], &def->spring, "grid: spring", error);
    if (status != HED_OK) return status;
    if (!(def->diagonal >= 0 && def->diagonal <= 1e12f) || !(def->bend >= 0 && def->bend <= 1e12f))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "grid: diagonal is %g and bend %g; expected a value from 0 to 1e+12",
            (double)def->diagonal, (double)def->bend);
    if (!(def->tune >= 0) ||
        (def->tune > 0 && !(def->rate >= 1 && def->rate <= 1e7 && def->tune < def->rate / 2)))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "grid: tune is %g Hz at a rate of %g Hz; expected 0, or less than half of the rate",
            (double)def->tune, def->rate);
    return HED_OK;
}

/* Checks that the shortening that balances the second-neighbour springs is less than the
 * springs' own rest length. */
static hed_status check_bend(const hed_synth_grid_def *resolved, hed_error *error)
{
    for (uint32_t axis = 0; resolved->bend > 0 && axis < 3; axis++) {
        double limit = share_of(resolved->spring.rest_length, length_of(resolved->step[axis])) *
                       resolved->spring.stiffness;
        if (resolved->size[axis] > 1 && !(resolved->bend < limit))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "grid: bend is %g N/m; along axis %" PRIu32
                " it has to be below stiffness times rest "
                "length by distance, which is %g N/m",
                (double)resolved->bend, axis, limit);
    }
    return HED_OK;
}

static hed_status remember(hed_synth_instrument *instrument, const hed_synth_grid_def *def,
    const char *name, hed_error *error)
{
    const hed_allocator *allocator = &instrument->allocator;
    uint64_t need = (uint64_t)instrument->grid_count + 1;
    synth_grid *grids =
        synth_grow(allocator, instrument->grids, &instrument->grid_capacity, need, sizeof *grids);
    if (grids) instrument->grids = grids;
    char *copy = grids && name ? synth_copy_text(allocator, name) : NULL;
    if (!grids || (name && !copy) ||
        (name &&
            !synth_table_put(&instrument->name_table, allocator,
                synth_hash_text(name, strlen(name)), instrument->grid_count | SYNTH_GRID_NAME))) {
        synth_free_text(allocator, copy);
        return HED_OUT_OF_MEMORY(error, "a grid");
    }
    instrument->grids[instrument->grid_count++] = (synth_grid){.name = copy, .def = *def};
    return HED_OK;
}

/* Assigns entity numbers to `count` new entities whose definitions are already stored. */
static void number(hed_synth_instrument *instrument, uint32_t type, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = instrument->counts[type]++;
        hed_synth_entity entity = ++instrument->entity_count;
        instrument->places[entity] = (synth_place){type, index};
        instrument->ids[type][index] = entity;
    }
}

hed_status hed_synth_instrument_add_grid(hed_synth_instrument *instrument,
    const hed_synth_grid_def *def, const char *name, hed_synth_generated *generated,
    hed_error *error)
{
    HED_REQUIRE(instrument, def, generated);
    *generated = (hed_synth_generated){0};
    hed_error unseen = {0};
    if (!error) error = &unseen;
    hed_synth_grid_def resolved;
    if (check_size(def, error) || check_corners(def, error) || check_springs(def, error) ||
        synth_resolve_grid(def, &resolved, error) || check_bend(&resolved, error) ||
        (name && synth_check_grid_name(instrument, name, error)))
        return error->status;
    hed_synth_generated counts =
        synth_fill_grid(&resolved, instrument->entity_count + 1, NULL, NULL);
    if (synth_reserve(instrument, HED_SYNTH_BODY, counts.bodies, error) ||
        synth_reserve(instrument, HED_SYNTH_SPRING, counts.springs, error) ||
        synth_reserve_places(instrument, counts.bodies + counts.springs, error) ||
        remember(instrument, def, name, error))
        return error->status;
    synth_fill_grid(&resolved, counts.first_body,
        instrument->bodies + instrument->counts[HED_SYNTH_BODY],
        instrument->springs ? instrument->springs + instrument->counts[HED_SYNTH_SPRING] : NULL);
    number(instrument, HED_SYNTH_BODY, counts.bodies);
    number(instrument, HED_SYNTH_SPRING, counts.springs);
    instrument->grids[instrument->grid_count - 1].generated = counts;
    *generated = counts;
    return HED_OK;
}

/* ---- counting ---- */

uint32_t hed_synth_instrument_grid_count(const hed_synth_instrument *instrument)
{
    if (!instrument) return 0;
    return instrument->grid_count;
}

hed_status hed_synth_instrument_grid_at(const hed_synth_instrument *instrument, uint32_t index,
    double rate, hed_synth_grid_info *info, hed_error *error)
{
    HED_REQUIRE(instrument, info);
    if (index >= instrument->grid_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the instrument has %" PRIu32 " grids; number %" PRIu32 " was asked for",
            instrument->grid_count, index);
    const synth_grid *grid = &instrument->grids[index];
    *info = (hed_synth_grid_info){
        .name = grid->name ? grid->name : "", .def = grid->def, .generated = grid->generated};
    info->frequency = frequency_of(&grid->def, rate);
    return HED_OK;
}
