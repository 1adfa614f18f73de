/* ctest: devices */
/* Physics with known answers, of single kernels with hand-made data: pairs, limits of the driver,
 * write-back, colours, equality of versions. Of whole cloths: cloth_checks_test.c. */
#include "cloth_checks.h"

/* ---- launches of single kernels ---- */

/* What an argument of a kernel is given: read back where the kernel writes it. */
typedef struct given {
    const char *name;
    void *data;
    uint64_t bytes;
} given;

static const hed_kernel_def *kernel_named(const char *name)
{
    for (uint32_t i = 0; i < hed_cloth_kernel_count(); i++)
        if (strcmp(hed_cloth_kernel_at(i)->name, name) == 0) return hed_cloth_kernel_at(i);
    FAIL("no kernel %s", name);
    return NULL;
}

static const given *find_given(const given *list, const char *name)
{
    while (list->name && strcmp(list->name, name) != 0) list++;
    CHECK_NOT_NULL(list->name, "nothing given for argument %s", name);
    return list;
}

static hed_argument pass(
    const test_device *t, const hed_argument_def *def, const given *g, hed_buffer **buffer)
{
    *buffer = NULL;
    if (def->kind == HED_SCALAR) return hed_uint_argument(*(const uint32_t *)g->data);
    if (def->kind == HED_STRUCT) return hed_struct_argument(g->data, def->size);
    hed_buffer_def buffer_def = hed_default_buffer_def(g->bytes);
    OK(hed_buffer_create(t->device, &buffer_def, buffer, &error));
    OK(hed_write(t->stream, *buffer, 0, g->data, g->bytes, &error));
    return hed_buffer_argument(*buffer);
}

/* Runs a kernel over `n` elements with what is given, up to a row without a name. */
static void launch(const test_device *t, const hed_kernel_def *def, const hed_config *config,
    hed_math math, int64_t n, const given *list)
{
    hed_kernel_options options = hed_default_kernel_options();
    hed_config fallback = hed_config_default(def);
    hed_kernel *kernel;
    hed_buffer *buffers[HED_MAX_ARGUMENTS];
    hed_argument arguments[HED_MAX_ARGUMENTS];
    hed_problem problem = hed_problem_1d(n);
    options.config = config ? config : &fallback;
    options.math = math;
    OK(hed_kernel_create(t->device, def, &options, &kernel, &error));
    for (uint32_t i = 0; i < def->argument_count; i++)
        arguments[i] =
            pass(t, &def->arguments[i], find_given(list, def->arguments[i].name), &buffers[i]);
    OK(hed_launch(t->stream, kernel, &problem, arguments, def->argument_count, &error));
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const given *g = find_given(list, def->arguments[i].name);
        if (buffers[i] && def->arguments[i].access != HED_READ)
            OK(hed_read(t->stream, g->data, buffers[i], 0, g->bytes, &error));
    }
    OK(hed_stream_wait(t->stream, &error));
    for (uint32_t i = 0; i < def->argument_count; i++) hed_buffer_destroy(buffers[i]);
    hed_kernel_destroy(kernel);
}

static const hed_math both_maths[] = {HED_MATH_STRICT, HED_MATH_FAST};

static double distance4(float4 a, float4 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static bool same_place(float4 a, float4 b) { return memcmp(&a, &b, sizeof a) == 0; }

/* ---- 2: one pair ---- */

enum { PAIRS = 2000 };

typedef struct pairs {
    float4 positions[2 * PAIRS];
    uint2 ends[PAIRS];
    float rests[PAIRS];
    ushort kinds[PAIRS];
    float multipliers[PAIRS];
} pairs;

/* Pairs about 1 m apart that are 0.6 to 1.6 of their rest length; one in four locked at either end,
 * one in seven at the same place. */
static void pairs_fill(pairs *p)
{
    uint32_t seed = 3;
    for (uint32_t i = 0; i < PAIRS; i++) {
        float4 *a = &p->positions[2 * i], *b = a + 1;
        *a = (float4){test_random(&seed) - 0.5f, test_random(&seed) - 0.5f,
            test_random(&seed) - 0.5f, 0.5f + test_random(&seed)};
        *b = (float4){test_random(&seed) - 0.5f, test_random(&seed) - 0.5f,
            test_random(&seed) - 0.5f, 0.5f + test_random(&seed)};
        if (i % 7 == 6) *b = (float4){a->x, a->y, a->z, b->w};
        if (i % 4 == 1 || i % 16 == 15) a->w = 0;
        if (i % 4 == 2 || i % 16 == 15) b->w = 0;
        p->ends[i] = (uint2){2 * i, 2 * i + 1};
        double length = distance4(*a, *b);
        p->rests[i] = (float)((length > 0 ? length : 1) * (0.6 + test_random(&seed)));
        p->kinds[i] = (ushort)(i % 3);
    }
}

static void expect_pair(
    const pairs *before, const pairs *after, uint32_t i, float low, float high, hed_math math)
{
    const float4 *a = &before->positions[2 * i], *b = a + 1, *pa = &after->positions[2 * i],
                 *pb = pa + 1;
    double length = distance4(*a, *b), found = distance4(*pa, *pb);
    bool locked = a->w == 0 && b->w == 0;
    CHECK(isfinite(pa->x) && isfinite(pa->y) && isfinite(pa->z) && isfinite(pb->x),
        "pair %u: not finite", i);
    CHECK(pa->w == a->w && pb->w == b->w);
    if (a->w == 0) CHECK(same_place(*a, *pa), "pair %u: a locked end moved", i);
    if (b->w == 0) CHECK(same_place(*b, *pb), "pair %u: a locked end moved", i);
    if (locked || length == 0 || (length > low * (1 + 1e-6) && length < high * (1 - 1e-6)))
        CHECK(same_place(*a, *pa) && same_place(*b, *pb),
            "pair %u of length %.9g: moved, though allowed are %.9g to %.9g", i, length,
            (double)low, (double)high);
    if (locked || length == 0) return;
    double bound = length < low ? low : length > high ? high : length;
    float unit = nextafterf((float)bound, INFINITY) - (float)bound;
    /* Fast mode takes the device's own reciprocal square root. */
    double most = (math == HED_MATH_STRICT ? 4 : 8) * (double)unit;
    CHECK(fabs(found - bound) <= most,
        "pair %u: %.9g instead of %.9g: %.1f units in the last place", i, found, bound,
        fabs(found - bound) / (double)unit);
}

Test(cloth_checks_kernels, a_pair_ends_at_its_clamped_length)
{
    test_device t = test_open(NULL);
    pairs *before = calloc(1, sizeof *before), *after = calloc(1, sizeof *after);
    CHECK(before && after);
    float4 materials[] = {{1, 1, 0, 0}, {0.8f, 1.1f, 0, 0}, {0.5f, 1.5f, 0, 0}};
    cloth_step substep = {.stiffness = 90000, .particles = 2 * PAIRS};
    uint32_t zero = 0, count = PAIRS;
    pairs_fill(before);
    for (int m = 0; m < 2; m++) {
        *after = *before;
        launch(&t, kernel_named("cloth_distance"), NULL, both_maths[m], PAIRS,
            (given[]){{"position", after->positions, sizeof after->positions},
                {"ends", after->ends, sizeof after->ends},
                {"rests", after->rests, sizeof after->rests},
                {"kinds", after->kinds, sizeof after->kinds},
                {"materials", materials, sizeof materials},
                {"multipliers", after->multipliers, sizeof after->multipliers},
                {"steps", &substep, sizeof substep}, {"substep", &zero, 4}, {"skipped", &zero, 4},
                {"pass", &zero, 4}, {"first", &zero, 4}, {"count", &count, 4}, {NULL, NULL, 0}});
        for (uint32_t i = 0; i < PAIRS; i++) {
            float4 material = materials[before->kinds[i]];
            expect_pair(before, after, i, before->rests[i] * material.x,
                before->rests[i] * material.y, both_maths[m]);
        }
    }
    free(before);
    free(after);
    test_close(&t);
}

/* ---- 7: driver ---- */

enum { DRIVEN = 3000 };

typedef struct driven {
    float4 positions[DRIVEN], previous[DRIVEN];
    float4 driver[2 * DRIVEN], map[2 * DRIVEN];
    uint2 debug[DRIVEN];
} driven;

/* Limits of every kind: i % 5 is none, ball, plane, sphere, or ball and plane; one in eleven is not
 * driven, one in thirteen locked. */
static void driven_fill(driven *d)
{
    uint32_t seed = 11;
    for (uint32_t i = 0; i < DRIVEN; i++) {
        float v[10];
        for (int k = 0; k < 10; k++) v[k] = 2 * test_random(&seed) - 1;
        d->positions[i] = (float4){v[0], v[1], v[2], i % 13 == 12 ? 0 : 1};
        d->previous[i] = (float4){v[0], v[1], v[2], 0};
        d->driver[i] = (float4){v[3] * 0.5f, v[4] * 0.5f, v[5] * 0.5f, 0};
        d->driver[DRIVEN + i] = cloth_unit((float4){v[6], v[7], v[8] + 2, 0});
        d->map[i] = (float4){-1, 0, -1, 0};
        d->map[DRIVEN + i] = (float4){1, 0, 0, 0};
        if (i % 5 == 1 || i % 5 == 4) d->map[i].x = i % 2 ? 0 : 0.3f + 0.5f * fabsf(v[9]);
        if (i % 11 == 10) d->map[i].x = CLOTH_UNDRIVEN;
        if (i % 5 >= 2) {
            d->map[i].y = i % 5 == 4 && i % 2 ? -0.1f : 0.2f * v[9];
            d->map[i].z = i % 5 == 3 ? 0.5f + 0.3f * fabsf(v[9]) : 0;
        }
        d->debug[i] = (uint2){0xdeadbeef, 0};
    }
}

/* What holds of a particle and its limits, in double: h and q are distances beyond plane and
 * sphere. */
typedef struct limits {
    double ball, height, sphere; /* m: |x - d|, dot(x - d, n), |x - c| */
} limits;

static limits limits_of(float4 x, float4 d, float4 n, float4 map)
{
    double v[3] = {(double)x.x - d.x, (double)x.y - d.y, (double)x.z - d.z},
           away = (double)map.z - map.y;
    double q[3] = {v[0] + n.x * away, v[1] + n.y * away, v[2] + n.z * away};
    return (limits){sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
        v[0] * n.x + v[1] * n.y + v[2] * n.z, sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])};
}

static void expect_driven(const driven *before, const driven *after, uint32_t i)
{
    float4 x = before->positions[i], found = after->positions[i], map = before->map[i];
    bool moves = x.w > 0 && map.x != CLOTH_UNDRIVEN, ball = moves && map.x >= 0,
         stop = moves && map.z >= 0;
    limits was = limits_of(x, before->driver[i], before->driver[DRIVEN + i], map);
    limits is = limits_of(found, before->driver[i], before->driver[DRIVEN + i], map);
    uint32_t colour = after->debug[i].x;
    bool by_ball =
        colour == cloth_colour(CLOTH_BALL) || colour == cloth_colour(CLOTH_BALL | CLOTH_BACKSTOP);
    bool by_stop = colour == cloth_colour(CLOTH_BACKSTOP) ||
                   colour == cloth_colour(CLOTH_BALL | CLOTH_BACKSTOP);
    CHECK(by_ball || by_stop || colour == cloth_colour(0), "particle %u: colour %08x", i, colour);
    /* The backstop comes last and wins; beyond that the ball holds, to the rounding of coordinates
     * of up to 2 m. */
    if (ball && !by_stop)
        CHECK(is.ball <= map.x * (1 + 2e-6) + 0x1p-22,
            "particle %u: %.9g m from the driver, at most %.9g", i, is.ball, (double)map.x);
    if (stop && map.z == 0)
        CHECK(is.height >= map.y - 1e-6, "particle %u: %.9g m above the driver, at least %.9g", i,
            is.height, (double)map.y);
    if (stop && map.z > 0)
        CHECK(is.sphere >= map.z * (1 - 2e-6), "particle %u: %.9g m from the centre, at least %.9g",
            i, is.sphere, (double)map.z);
    bool out = ball && was.ball > map.x * (1 + 1e-6), in = ball && was.ball < map.x * (1 - 1e-6);
    if (out) CHECK(by_ball, "particle %u: the ball acted, the colour is %08x", i, colour);
    if (in || !ball) CHECK(!by_ball, "particle %u: no ball acted, the colour is %08x", i, colour);
    if (stop && !out && (map.z == 0 ? was.height < map.y - 1e-6 : was.sphere < map.z * (1 - 1e-6)))
        CHECK(by_stop, "particle %u: the backstop acted, the colour is %08x", i, colour);
    if (!stop) CHECK(!by_stop, "particle %u: no backstop acted, the colour is %08x", i, colour);
    if (!by_ball && !by_stop)
        CHECK(same_place(x, found), "particle %u moved, though nothing acted", i);
    float length;
    memcpy(&length, &after->debug[i].y, sizeof length);
    CHECK(fabs(length - distance4(x, found)) <= 1e-6, "particle %u: moved by %.9g, told %.9g", i,
        distance4(x, found), (double)length);
}

Test(cloth_checks_kernels, limits_of_the_driver_hold)
{
    test_device t = test_open(NULL);
    driven *before = calloc(1, sizeof *before), *after = calloc(1, sizeof *after);
    CHECK(before && after);
    float4 garments[2] = {{1, 1, 1, 0.01f}, {0, 0, 0, 0}}, nothing[8];
    memset(nothing, 0, sizeof nothing);
    cloth_step substep = {
        .ratio = 1, .to = 1, .longest_move = 1, .particles = DRIVEN, .flags = CLOTH_STEP_DRIVER};
    uint32_t zero = 0;
    driven_fill(before);
    for (int m = 0; m < 2; m++) {
        *after = *before;
        launch(&t, kernel_named("cloth_drive"), NULL, both_maths[m], DRIVEN,
            (given[]){{"position", after->positions, sizeof after->positions},
                {"previous", after->previous, sizeof after->previous},
                {"garments", garments, sizeof garments}, {"colliders", nothing, sizeof nothing},
                {"contact", nothing, sizeof nothing},
                {"driver_from", after->driver, sizeof after->driver},
                {"driver_to", after->driver, sizeof after->driver},
                {"driver_map", after->map, sizeof after->map},
                {"debug", after->debug, sizeof after->debug}, {"steps", &substep, sizeof substep},
                {"substep", &zero, 4}, {"skipped", &zero, 4}, {NULL, NULL, 0}});
        for (uint32_t i = 0; i < DRIVEN; i++) expect_driven(before, after, i);
    }
    free(before);
    free(after);
    test_close(&t);
}

/* ---- 8: write-back ---- */

enum {
    SHOWN = 3001,
    BEHIND = 5, /* vertices behind the last one, which nobody may write */
};

typedef struct shown {
    float4 positions[SHOWN], air[SHOWN], vertices[SHOWN + BEHIND], normals[SHOWN + BEHIND];
    uint2 debug[SHOWN];
    uint32_t vertex_particle[SHOWN];
} shown;

static void shown_fill(shown *s)
{
    uint32_t seed = 17;
    for (uint32_t i = 0; i < SHOWN; i++) {
        s->positions[i] = (float4){
            4 * test_random(&seed) - 2, 4 * test_random(&seed) - 2, 4 * test_random(&seed) - 2, 1};
        s->air[i] = cloth_unit(
            (float4){test_random(&seed), test_random(&seed) - 0.5f, test_random(&seed) + 0.1f, 0});
        s->debug[i] = (uint2){
            (uint32_t)(test_random(&seed) * 4e9f) & 0x7effffff,
            0, /* never a NaN, whose bits a copy might change */
        };
        s->vertex_particle[i] = (uint32_t)((uint64_t)i * 7919 % SHOWN);
    }
    memset(s->vertices, 0xab, sizeof s->vertices);
    memset(s->normals, 0xab, sizeof s->normals);
}

static void write_back(const test_device *t, shown *s, const cloth_view *view, hed_math math)
{
    uint32_t broken[4] = {0};
    float4 garments[2 * CLOTH_GARMENT_WORDS] = {{0}};
    launch(t, kernel_named("cloth_write_back"), NULL, math, SHOWN,
        (given[]){{"position", s->positions, sizeof s->positions},
            {"previous", s->positions, sizeof s->positions},
            {"garments", garments, sizeof garments},
            {"debug", s->debug, sizeof s->debug},
            {"vertex_particle", s->vertex_particle, sizeof s->vertex_particle},
            {"air", s->air, sizeof s->air}, {"vertices", s->vertices, sizeof s->vertices},
            {"normals", s->normals, sizeof s->normals}, {"broken", broken, sizeof broken},
            {"show", (void *)view, sizeof *view}, {NULL, NULL, 0}});
    CHECK_EQ(broken[0], 0);
    for (uint32_t i = SHOWN; i < SHOWN + BEHIND; i++)
        for (size_t k = 0; k < sizeof(float4); k++)
            CHECK(((uint8_t *)&s->vertices[i])[k] == 0xab && ((uint8_t *)&s->normals[i])[k] == 0xab,
                "written behind the last vertex");
}

/* One vertex against double: within 2e-6 of what its terms are in size. */
static void expect_vertex(const shown *s, const cloth_view *view, uint32_t i)
{
    float4 p = s->positions[s->vertex_particle[i]];
    const double in[4] = {p.x, p.y, p.z, 1},
                 found[3] = {s->vertices[i].x, s->vertices[i].y, s->vertices[i].z};
    for (int row = 0; row < 3; row++) {
        double sum = 0, size = 0;
        for (int column = 0; column < 4; column++) {
            sum += in[column] * view->matrix[4 * column + row];
            size += fabs(in[column] * view->matrix[4 * column + row]);
        }
        CHECK(fabs(found[row] - sum) <= 2e-6 * size, "vertex %u, row %d: %.9g instead of %.9g", i,
            row, found[row], sum);
    }
    CHECK_EQ(memcmp(&s->vertices[i].w, &s->debug[s->vertex_particle[i]].x, 4), 0,
        "vertex %u: another colour", i);
}

Test(cloth_checks_kernels, write_back_is_exact_to_rounding)
{
    test_device t = test_open(NULL);
    shown *s = calloc(1, sizeof *s);
    CHECK_NOT_NULL(s);
    cloth_view view = {
        .matrix = {0.3f, 0.9f, -0.1f, 0, -2, 0.1f, 0.5f, 0, 0.7f, -0.4f, 3, 0, 10, -20, 0.125f, 1},
        .vertices = SHOWN, .flags = CLOTH_VIEW_GATHER | CLOTH_VIEW_COLOURS | CLOTH_VIEW_NORMALS};
    for (int i = 0; i < 3; i++) view.normals[5 * i] = 1;
    for (int m = 0; m < 2; m++) {
        shown_fill(s);
        write_back(&t, s, &view, both_maths[m]);
        for (uint32_t i = 0; i < SHOWN; i++) expect_vertex(s, &view, i);
        cloth_view identity = view;
        memset(identity.matrix, 0, sizeof identity.matrix);
        for (int i = 0; i < 4; i++) identity.matrix[5 * i] = 1;
        shown_fill(s);
        write_back(&t, s, &identity, both_maths[m]);
        for (uint32_t i = 0; i < SHOWN; i++)
            CHECK_EQ(memcmp(&s->vertices[i], &s->positions[s->vertex_particle[i]], 12), 0,
                "identity changes vertex %u", i);
    }
    free(s);
    test_close(&t);
}

/* ---- 9: colouring ---- */

/* Each constraint once, no free particle twice in a colour, no more colours than 2 D - 1 or, on a
 * grid, D. */
static void expect_coloured(const hed_cloth_garment_def *def, bool grid)
{
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *g;
    OK(cloth_garment_create(&allocator, def, 0, &g, &error));
    uint32_t *colour_of = malloc(g->particle_count * sizeof *colour_of),
             *degree = calloc(g->particle_count, sizeof *degree), most = 0;
    uint8_t *seen = calloc(g->constraint_count, 1);
    CHECK(colour_of && degree && seen);
    memset(colour_of, 0xff, g->particle_count * sizeof *colour_of);
    CHECK(g->colour_at[0] == 0 && g->colour_at[g->colour_count] == g->constraint_count);
    for (uint32_t colour = 0; colour < g->colour_count; colour++)
        for (uint32_t k = g->colour_at[colour]; k < g->colour_at[colour + 1]; k++) {
            const uint32_t ends[2] = {g->constraints[k].a, g->constraints[k].b};
            for (int e = 0; e < 2; e++) {
                if (g->positions[ends[e]][3] == 0) continue;
                CHECK_NE(
                    colour_of[ends[e]], colour, "particle %u twice in colour %u", ends[e], colour);
                colour_of[ends[e]] = colour;
                if (++degree[ends[e]] > most) most = degree[ends[e]];
            }
            for (uint32_t given_at = 0; def->constraints && given_at < def->constraint_count;
                 given_at++)
                if (memcmp(&def->constraints[given_at], &g->constraints[k],
                        sizeof *def->constraints) == 0)
                    seen[given_at]++;
        }
    CHECK_EQ(g->degree, most);
    CHECK(g->colour_count <= 2 * most - 1, "%u colours for degree %u", g->colour_count, most);
    if (grid)
        CHECK_EQ(
            g->colour_count, most, "%u colours for degree %u on a grid", g->colour_count, most);
    for (uint32_t k = 0; def->constraints && k < def->constraint_count; k++)
        CHECK_EQ(seen[k], 1, "constraint %u is there %u times", k, seen[k]);
    free(colour_of);
    free(degree);
    free(seen);
    cloth_garment_destroy(g);
}

Test(cloth_checks_kernels, colours_are_independent_and_few)
{
    test_mesh grid = test_grid(37, 21), irregular = test_irregular(15, 3, 0.6f), fan = test_fan(40),
              sleeve = test_sleeve(16, 12, 2);
    expect_coloured(&grid.def, true);
    expect_coloured(&irregular.def, false);
    expect_coloured(&fan.def, false);
    expect_coloured(&sleeve.def, false);
    rope r = rope_make(60); /* any pairs at all, each once */
    hed_cloth_constraint constraints[400];
    uint32_t seed = 9, count = 0;
    for (uint32_t a = 0; a < 60; a++)
        for (uint32_t b = a + 1; b < 60 && count < 400; b++)
            if (test_random(&seed) < 0.25f)
                constraints[count++] = (hed_cloth_constraint){a, b, 1 + test_random(&seed), 0};
    r.def.constraints = constraints;
    r.def.constraint_count = count;
    expect_coloured(&r.def, false);
    rope_free(&r);
    test_mesh_free(&grid);
    test_mesh_free(&irregular);
    test_mesh_free(&fan);
    test_mesh_free(&sleeve);
}

/* ---- 10: equality of versions ---- */

/* The sample problem of a kernel through one configuration; gives all that it wrote, one buffer
 * behind another. */
static uint8_t *outputs_of(const test_device *t, const hed_kernel_def *def,
    const hed_config *config, hed_math math, const hed_problem *problem, uint64_t *size)
{
    given list[HED_MAX_ARGUMENTS + 1] = {{0}};
    uint64_t total = 0;
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *a = &def->arguments[i];
        uint64_t bytes = a->kind == HED_STRUCT   ? a->size
                         : a->kind == HED_SCALAR ? 4
                                                 : def->sample.bytes(def, config, problem, i);
        list[i] = (given){a->name, calloc(1, bytes), bytes};
        CHECK_NOT_NULL(list[i].data);
        bool written_only = a->kind == HED_BUFFER && a->access == HED_WRITE;
        if (!written_only) def->sample.fill(def, problem, i, list[i].data, bytes, 21);
        if (a->kind == HED_BUFFER && a->access != HED_READ) total += bytes;
    }
    launch(t, def, config, math, problem->sizes[0], list);
    uint8_t *all = malloc(total), *at = all;
    CHECK_NOT_NULL(all);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (def->arguments[i].kind == HED_BUFFER && def->arguments[i].access != HED_READ) {
            memcpy(at, list[i].data, list[i].bytes);
            at += list[i].bytes;
        }
        free(list[i].data);
    }
    *size = total;
    return all;
}

/* Groups and strands change no bit; neither does the vector form in strict mode. */
Test(cloth_checks_kernels, versions_of_a_kernel_are_equal_to_the_bit)
{
    static const char *const names[] = {
        "cloth_integrate", "cloth_distance", "cloth_drive", "cloth_write_back"};
    static const int64_t forms[][3] = {
        {256, 0, 0}, {64, 0, 0}, {256, 0, 32}, {256, 1, 0}, {256, 1, 32}};
    test_device t = test_open(NULL);
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 2; m++) {
            const hed_kernel_def *def = kernel_named(names[k]);
            uint8_t *first[2] = {NULL, NULL};
            uint64_t size = 0;
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
                hed_config config = hed_config_default(def);
                for (uint32_t p = 0; p < def->parameter_count; p++) {
                    if (strcmp(def->parameters[p].name, "WG") == 0) config.values[p] = forms[f][0];
                    if (strcmp(def->parameters[p].name, "VECTOR") == 0)
                        config.values[p] = forms[f][1];
                    if (strcmp(def->parameters[p].name, "TASK") == 0)
                        config.values[p] = forms[f][2];
                }
                uint8_t *out = outputs_of(&t, def, &config, both_maths[m],
                    &def->sample.problems[def->sample.count - 1], &size);
                int form = both_maths[m] == HED_MATH_STRICT ? 0 : (int)forms[f][1];
                char text[128];
                hed_config_format(def, &config, text, sizeof text);
                if (!first[form]) first[form] = out;
                else {
                    CHECK_EQ(memcmp(out, first[form], size), 0, "%s, %s: %s gives other bits",
                        names[k], m ? "fast" : "strict", text);
                    free(out);
                }
            }
            free(first[0]);
            free(first[1]);
        }
    test_close(&t);
}
