/* Plans: every constraint once, no particle twice in a step, and the closure is exact: patches that
 * see nothing but their own particles and one packet for each ghost do, to the bit, what the
 * sequential sweep in the plan's order does. */
#include "tables/cloth_plan.h"

#include "testing.h"

#include "cloth_meshes.h"

#include <math.h>

static hed_error error;

static cloth_garment *make_garment(const hed_cloth_garment_def *def)
{
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment = NULL;
    OK(cloth_garment_create(&allocator, def, 0, &garment, &error));
    return garment;
}

static cloth_plan *make_plan(const cloth_garment *garment, const cloth_plan_def *def)
{
    cloth_plan *plan = NULL;
    OK(cloth_plan_create(garment, def, &plan, &error));
    return plan;
}

/* `mesh` and another like it moved by `offset` in one garment; the other's particles come
 * second. */
static test_mesh two_of(const test_mesh *mesh, float offset)
{
    uint32_t particles = mesh->def.particle_count, triangles = mesh->def.triangle_count;
    test_mesh both = test_mesh_of(2 * particles, 2 * triangles);
    for (uint32_t k = 0; k < 2; k++) {
        memcpy(both.positions + 3 * k * particles, mesh->positions, 3 * particles * sizeof(float));
        memcpy(
            both.inverse_masses + k * particles, mesh->inverse_masses, particles * sizeof(float));
        for (uint32_t i = 0; i < 3 * triangles; i++)
            both.triangles[3 * k * triangles + i] = mesh->triangles[i] + k * particles;
    }
    for (uint32_t i = 0; i < particles; i++) both.positions[3 * (particles + i) + 1] += offset;
    return both;
}

/* A sleeve pressed flat: front and back over one another. */
static test_mesh flat_sleeve(uint32_t around, uint32_t rows, float height)
{
    test_mesh mesh = test_sleeve(around, rows, height);
    for (uint32_t i = 0; i < mesh.def.particle_count; i++) mesh.positions[3 * i + 2] *= 0.02f;
    return mesh;
}

/* ---- what holds for every plan ---- */

static uint32_t particle_at(const cloth_plan *plan, uint32_t patch, uint32_t local)
{
    const cloth_patch *p = &plan->patches[patch];
    CHECK_LT(local, p->own_count + p->ghost_count, "patch %u: local number %u", patch, local);
    return local < p->own_count ? plan->own[p->own_at + local]
                                : plan->ghosts[p->ghost_at + local - p->own_count];
}

static bool is_locked(const cloth_garment *garment, uint32_t particle)
{
    return garment->positions[particle][3] == 0.0f;
}

static void check_patches(const cloth_garment *garment, const cloth_plan *plan)
{
    uint32_t n = garment->particle_count, own = 0, ghosts = 0, slots = 0;
    uint32_t *patch_of = calloc(n, sizeof *patch_of), *slot_of = calloc(n, sizeof *slot_of);
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const cloth_patch *patch = &plan->patches[p];
        CHECK(patch->own_at == own && patch->ghost_at == ghosts && patch->send_at == slots &&
              patch->own_count > 0);
        CHECK_LE(patch->send_count, patch->own_count);
        for (uint32_t i = 0; i < patch->own_count; i++) {
            uint32_t particle = plan->own[own + i];
            CHECK(particle < n && !patch_of[particle], "particle %u is in two patches", particle);
            patch_of[particle] = p + 1;
            slot_of[particle] = i < patch->send_count ? patch->send_at + i : UINT32_MAX;
        }
        own += patch->own_count;
        ghosts += patch->ghost_count;
        slots += patch->send_count;
    }
    CHECK(own == n && ghosts == plan->ghost_total && slots == plan->slot_count);
    bool *reads = calloc((size_t)plan->patch_count * plan->patch_count, sizeof *reads),
         *read = calloc(slots + 1, sizeof *read);
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const cloth_patch *patch = &plan->patches[p];
        for (uint32_t k = patch->ghost_at; k < patch->ghost_at + patch->ghost_count; k++) {
            CHECK_EQ(plan->ghost_slot[k], slot_of[plan->ghosts[k]]);
            CHECK_NE(patch_of[plan->ghosts[k]], p + 1, "a ghost of its own");
            CHECK(k == patch->ghost_at || plan->ghost_slot[k - 1] < plan->ghost_slot[k],
                "packets in order");
            reads[p * plan->patch_count + patch_of[plan->ghosts[k]] - 1] = true;
            read[plan->ghost_slot[k]] = true;
        }
    }
    for (uint32_t s = 0; s < slots; s++) CHECK(read[s], "packet %u is sent and nobody reads it", s);
    for (uint32_t p = 0; p < plan->patch_count; p++)
        for (uint32_t q = 0; q < plan->patch_count; q++)
            CHECK_EQ(reads[p * plan->patch_count + q], reads[q * plan->patch_count + p],
                "%u and %u", p, q);
    free(read);
    free(reads);
    free(slot_of);
    free(patch_of);
}

/* Marks a particle for this step of this patch; a free one may be marked once. */
static void mark(const cloth_garment *garment, uint32_t *stamp, uint32_t particle, uint32_t value)
{
    if (is_locked(garment, particle)) return;
    CHECK_NE(stamp[particle], value, "particle %u twice in a step", particle);
    stamp[particle] = value;
}

static void check_joins(const cloth_garment *garment, uint32_t constraint, uint32_t a, uint32_t b)
{
    const hed_cloth_constraint *c = &garment->constraints[constraint];
    CHECK((c->a == a && c->b == b) || (c->a == b && c->b == a),
        "constraint %u joins %u and %u, not %u and %u", constraint, c->a, c->b, a, b);
}

static void check_pairs(const cloth_garment *garment, const cloth_plan *plan, uint32_t *times)
{
    uint32_t *stamp = calloc(garment->particle_count, sizeof *stamp),
             *step_of = calloc(garment->constraint_count, sizeof *step_of);
    uint32_t value = 0, most = 0, at = 0;
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const uint32_t *pair_at = plan->pair_at + p * (plan->pair_steps + 1);
        CHECK_EQ(pair_at[0], at);
        for (uint32_t s = 0; s < plan->pair_steps; s++) {
            value++;
            CHECK_LE(pair_at[s], pair_at[s + 1]);
            if (pair_at[s + 1] - pair_at[s] > most) most = pair_at[s + 1] - pair_at[s];
            for (uint32_t k = pair_at[s]; k < pair_at[s + 1]; k++) {
                const cloth_pair *pair = &plan->pairs[k];
                uint32_t a = particle_at(plan, p, pair->a), b = particle_at(plan, p, pair->b),
                         own = plan->patches[p].own_count;
                check_joins(garment, pair->constraint, a, b);
                mark(garment, stamp, a, value);
                mark(garment, stamp, b, value);
                CHECK(s >= plan->def.early_steps || (pair->a < own && pair->b < own),
                    "an early step reads a ghost");
                CHECK(!step_of[pair->constraint] || step_of[pair->constraint] == s + 1,
                    "constraint %u in two steps", pair->constraint);
                step_of[pair->constraint] = s + 1;
                times[pair->constraint]++;
            }
        }
        at = pair_at[plan->pair_steps];
    }
    CHECK(at == plan->pair_count && most == plan->most_pairs);
    free(step_of);
    free(stamp);
}

static void check_figures(const cloth_garment *garment, const cloth_plan *plan, uint32_t *times)
{
    static const uint32_t edges[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
    uint32_t *stamp = calloc(garment->particle_count, sizeof *stamp), value = 0;
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const uint32_t *figure_at = plan->figure_at + p * (plan->figure_steps + 1);
        for (uint32_t s = 0; s < plan->figure_steps; s++) {
            value++;
            CHECK_LE(figure_at[s + 1] - figure_at[s], plan->most_figures);
            for (uint32_t k = figure_at[s]; k < figure_at[s + 1]; k++) {
                const cloth_figure *figure = &plan->figures[k];
                uint32_t particle[4];
                for (uint32_t v = 0; v < 4; v++) {
                    CHECK_LT(
                        figure->particle[v], plan->patches[p].own_count, "a figure with a ghost");
                    mark(garment, stamp, particle[v] = particle_at(plan, p, figure->particle[v]),
                        value);
                }
                for (uint32_t e = 0; e < cloth_shape_constraints(plan->figure_shape[s]); e++) {
                    check_joins(garment, figure->constraint[e], particle[edges[e][0]],
                        particle[edges[e][1]]);
                    /* a patch alone does it, and it is no boundary constraint */
                    times[figure->constraint[e]] += 2;
                }
            }
        }
    }
    CHECK(plan->figure_steps == 0 ||
          plan->figure_at[plan->patch_count * (plan->figure_steps + 1) - 1] == plan->figure_count);
    free(stamp);
}

static void check_plan(const cloth_garment *garment, const cloth_plan *plan)
{
    uint32_t *times = calloc(garment->constraint_count, sizeof *times),
             *part = calloc(garment->particle_count, sizeof *part);
    uint64_t boundary = 0, redone = 0;
    check_patches(garment, plan);
    check_pairs(garment, plan, times);
    check_figures(garment, plan, times);
    for (uint32_t p = 0; p < plan->patch_count; p++)
        for (uint32_t i = 0; i < plan->patches[p].own_count; i++)
            part[plan->own[plan->patches[p].own_at + i]] = p;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
        bool is_boundary = part[a] != part[b] && !is_locked(garment, a) && !is_locked(garment, b);
        CHECK(is_boundary ? times[k] >= 2 : times[k] == 1 || times[k] == 2,
            "constraint %u is done %u times", k, times[k]);
        boundary += is_boundary;
        redone += is_boundary ? times[k] : 0;
        times[k] = 0;
    }
    CHECK_EQ(boundary, plan->boundary);
    if (boundary) CHECK_NEAR(plan->redone, (double)redone / (double)boundary, 1e-12);
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        CHECK_LT(plan->order[k], garment->constraint_count);
        CHECK_EQ(times[plan->order[k]]++, 0, "constraint %u twice in the order", plan->order[k]);
    }
    free(part);
    free(times);
}

/* ---- the closure is exact ---- */

typedef struct point {
    double x, y, z, w;
} point;

/* Not inlined, so that both sides round alike. */
__attribute__((noinline)) static void project(
    point *a, point *b, double low, double high, double give)
{
    double x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, length = sqrt(x * x + y * y + z * z),
           weight = a->w + b->w + give;
    if (!(length > 0.0 && weight > 0.0)) return;
    double allowed = length < low    ? low
                     : length > high ? high
                                     : length,
           part = (length - allowed) / length / weight;
    a->x += a->w * part * x, a->y += a->w * part * y, a->z += a->w * part * z;
    b->x -= b->w * part * x, b->y -= b->w * part * y, b->z -= b->w * part * z;
}

__attribute__((noinline)) static void integrate(point *at, point *before)
{
    if (at->w == 0.0) return;
    point was = *at;
    at->x += 0.99 * (at->x - before->x) + 1e-4;
    at->y += 0.99 * (at->y - before->y) - 1e-3;
    at->z += 0.99 * (at->z - before->z);
    *before = was;
}

static void project_constraint(
    const cloth_garment *garment, uint32_t constraint, point *a, point *b)
{
    const hed_cloth_constraint *c = &garment->constraints[constraint];
    const hed_cloth_material *material = &garment->materials[c->material];
    project(a, b, (double)c->rest * material->compress, (double)c->rest * material->stretch,
        1e3 * material->compliance);
}

/* One patch: its own particles and what it has heard of others. */
static void sweep_patch(const cloth_garment *garment, const cloth_plan *plan, uint32_t patch,
    point *local, const point *packets)
{
    static const uint32_t edges[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
    const cloth_patch *p = &plan->patches[patch];
    const uint32_t *pair_at = plan->pair_at + patch * (plan->pair_steps + 1);
    const uint32_t *figure_at = plan->figure_at + patch * (plan->figure_steps + 1);
    for (uint32_t s = 0; s <= plan->pair_steps; s++) {
        if (s == plan->def.early_steps || s == plan->pair_steps)
            for (uint32_t k = 0; k < p->ghost_count && s <= plan->def.early_steps; k++)
                local[p->own_count + k] = packets[plan->ghost_slot[p->ghost_at + k]];
        for (uint32_t k = pair_at[s]; s < plan->pair_steps && k < pair_at[s + 1]; k++)
            project_constraint(garment, plan->pairs[k].constraint, &local[plan->pairs[k].a],
                &local[plan->pairs[k].b]);
    }
    for (uint32_t s = 0; s < plan->figure_steps; s++)
        for (uint32_t k = figure_at[s]; k < figure_at[s + 1]; k++)
            for (uint32_t e = 0; e < cloth_shape_constraints(plan->figure_shape[s]); e++)
                project_constraint(garment, plan->figures[k].constraint[e],
                    &local[plan->figures[k].particle[edges[e][0]]],
                    &local[plan->figures[k].particle[edges[e][1]]]);
}

static void start(const cloth_garment *garment, point *at, point *before)
{
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        const float *p = garment->positions[i];
        before[i] = at[i] = (point){p[0], p[1], p[2], p[3]};
    }
}

static void run_patches(
    const cloth_garment *garment, const cloth_plan *plan, uint32_t substeps, point *at)
{
    uint32_t room = plan->most_own + plan->most_ghosts;
    point *before = calloc(garment->particle_count, sizeof *before),
          *local = calloc((size_t)room * plan->patch_count, sizeof *local);
    point *packets = calloc(plan->slot_count + 1, sizeof *packets);
    start(garment, at, before);
    for (uint32_t p = 0; p < plan->patch_count; p++)
        for (uint32_t i = 0; i < plan->patches[p].own_count; i++)
            local[p * room + i] = at[plan->own[plan->patches[p].own_at + i]];
    for (uint32_t t = 0; t < substeps; t++) {
        for (uint32_t p = 0; p < plan->patch_count; p++) {
            const cloth_patch *patch = &plan->patches[p];
            for (uint32_t i = 0; i < patch->own_count; i++)
                integrate(&local[p * room + i], &before[plan->own[patch->own_at + i]]);
            for (uint32_t i = 0; i < patch->send_count; i++)
                packets[patch->send_at + i] = local[p * room + i];
            for (uint32_t k = 0; k < patch->ghost_count; k++)
                local[p * room + patch->own_count + k] = (point){NAN, NAN, NAN, NAN};
        }
        for (uint32_t p = 0; p < plan->patch_count; p++)
            sweep_patch(garment, plan, p, local + p * room, packets);
    }
    for (uint32_t p = 0; p < plan->patch_count; p++)
        for (uint32_t i = 0; i < plan->patches[p].own_count; i++)
            at[plan->own[plan->patches[p].own_at + i]] = local[p * room + i];
    free(packets);
    free(local);
    free(before);
}

static void run_sequentially(
    const cloth_garment *garment, const cloth_plan *plan, uint32_t substeps, point *at)
{
    point *before = calloc(garment->particle_count, sizeof *before);
    start(garment, at, before);
    for (uint32_t t = 0; t < substeps; t++) {
        for (uint32_t i = 0; i < garment->particle_count; i++) integrate(&at[i], &before[i]);
        for (uint32_t k = 0; k < garment->constraint_count; k++) {
            const hed_cloth_constraint *c = &garment->constraints[plan->order[k]];
            project_constraint(garment, plan->order[k], &at[c->a], &at[c->b]);
        }
    }
    free(before);
}

static void check_same(const cloth_garment *garment, const cloth_plan *plan, const char *what)
{
    enum { SUBSTEPS = 12 };
    point *patches = calloc(garment->particle_count, sizeof *patches),
          *sequential = calloc(garment->particle_count, sizeof *sequential);
    run_patches(garment, plan, SUBSTEPS, patches);
    run_sequentially(garment, plan, SUBSTEPS, sequential);
    for (uint32_t i = 0; i < garment->particle_count; i++)
        CHECK_BYTES(&patches[i], &sequential[i], sizeof(point),
            "%s, %u patches, kind %d: particle %u", what, plan->patch_count, (int)plan->def.kind,
            i);
    free(sequential);
    free(patches);
}

static void check_mesh(test_mesh *mesh, const char *what)
{
    static const uint32_t counts[] = {1, 2, 7, 16, 132};
    static const uint32_t early_steps[] = {0, 2, 0, 3, 2}, limits[] = {0, 0, 40, 0, 12};
    mesh->def.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.9f, 1.02f, 1e-4f};
    cloth_garment *garment = make_garment(&mesh->def);
    for (uint32_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        if (counts[k] > garment->particle_count) continue;
        for (uint32_t kind = 0; kind < 2; kind++) {
            cloth_plan *plan =
                make_plan(garment, &(cloth_plan_def){kind, counts[k], limits[k], early_steps[k]});
            check_plan(garment, plan);
            check_same(garment, plan, what);
            double before = plan->redone;
            CHECK_GE(cloth_plan_pack_banks(plan), 1.0);
            check_plan(garment, plan);
            check_same(garment, plan, what);
            CHECK_EQ(before, plan->redone);
            cloth_plan_destroy(plan);
        }
    }
    cloth_garment_destroy(garment);
    test_mesh_free(mesh);
}

Test(cloth_plan, grid)
{
    test_mesh mesh = test_grid(48, 31);
    mesh.def.tethers = true;
    check_mesh(&mesh, "grid");
}

Test(cloth_plan, irregular)
{
    test_mesh mesh = test_irregular(40, 7, 0.5f);
    check_mesh(&mesh, "irregular");
}

Test(cloth_plan, two_layers)
{
    test_mesh sheet = test_irregular(24, 3, 0.5f), mesh = two_of(&sheet, 1e-3f);
    check_mesh(&mesh, "two layers");
    test_mesh_free(&sheet);
}

Test(cloth_plan, disconnected)
{
    test_mesh sheet = test_irregular(20, 5, 0.3f), mesh = two_of(&sheet, 4.0f);
    check_mesh(&mesh, "disconnected");
    test_mesh_free(&sheet);
}

Test(cloth_plan, sleeve)
{
    test_mesh mesh = flat_sleeve(60, 30, 3.0f);
    check_mesh(&mesh, "flat sleeve");
}

Test(cloth_plan, hub)
{
    test_mesh mesh = test_fan(150);
    check_mesh(&mesh, "hub");
}

Test(cloth_plan, locked_everywhere)
{
    test_mesh mesh = test_grid(30, 30);
    for (uint32_t i = 0; i < 900; i++)
        if (i % 7 == 0 || i < 30) mesh.inverse_masses[i] = 0.0f;
    check_mesh(&mesh, "a seventh locked");
    mesh = test_grid(9, 9);
    memset(mesh.inverse_masses, 0, 81 * sizeof(float));
    check_mesh(&mesh, "all locked");
}

/* ---- fabrics ---- */

/* Each bending constraint or element is done once, or where free particles of it are in two patches
 * once in each patch that needs it; no free particle is twice in a step; those between patches come
 * before pairs, those inside before the pairs inside; and all that a patch needs, it has. */
static void check_fabric(const cloth_garment *garment, uint32_t patches, cloth_plan_kind kind)
{
    cloth_plan *plan = make_plan(garment, &(cloth_plan_def){kind, patches, 0, 0});
    const cloth_sums sums = cloth_sums_of(garment);
    uint32_t *part = calloc(garment->particle_count, sizeof *part),
             *stamp = calloc(garment->particle_count, sizeof *stamp),
             *times = calloc(sums.count, sizeof *times), value = 0;
    bool *there = calloc(garment->particle_count, sizeof *there);
    uint64_t boundary = 0, done = 0;
    check_patches(garment, plan);
    for (uint32_t p = 0; p < patches; p++)
        for (uint32_t i = 0; i < plan->patches[p].own_count; i++)
            part[plan->own[plan->patches[p].own_at + i]] = p;
    for (uint32_t p = 0; p < patches; p++) {
        const uint32_t *at = plan->sum_at + p * (2 * plan->sum_colours + 1);
        const cloth_patch *patch = &plan->patches[p];
        memset(there, 0, garment->particle_count * sizeof *there);
        for (uint32_t i = 0; i < patch->own_count + patch->ghost_count; i++)
            there[particle_at(plan, p, i)] = true;
        for (uint32_t s = 0; s < 2 * plan->sum_colours; s++) {
            value++;
            for (uint32_t k = at[s]; k < at[s + 1]; k++) {
                const uint32_t *particle = sums.items + (size_t)sums.words * plan->sums[k];
                bool elsewhere = false;
                times[plan->sums[k]]++;
                for (uint32_t v = 0; v < sums.particles; v++) {
                    CHECK(there[particle[v]], "patch %u lacks particle %u", p, particle[v]);
                    if (is_locked(garment, particle[v])) continue;
                    elsewhere |= part[particle[v]] != p;
                    bool again = false;
                    for (uint32_t u = 0; u < v; u++) again |= particle[u] == particle[v];
                    if (!again) mark(garment, stamp, particle[v], value);
                }
                CHECK(s < plan->sum_colours || !elsewhere, "inside patch %u, and is not", p);
            }
        }
        /* pairs inside come behind those of the boundary */
        const uint32_t *pair_at = plan->pair_at + p * (plan->pair_steps + 1);
        for (uint32_t k = pair_at[0]; k < pair_at[plan->boundary_steps] && patches > 1; k++) {
            const hed_cloth_constraint *c = &garment->constraints[plan->pairs[k].constraint];
            CHECK(
                part[c->a] != part[c->b] && !is_locked(garment, c->a) && !is_locked(garment, c->b),
                "a pair inside among those of the boundary");
        }
    }
    for (uint32_t k = 0; k < sums.count; k++) {
        const uint32_t *particle = sums.items + (size_t)sums.words * k;
        uint32_t owners = 0;
        for (uint32_t v = 0; v < sums.particles; v++) {
            bool first = !is_locked(garment, particle[v]);
            for (uint32_t u = 0; u < v; u++)
                first = first &&
                        (is_locked(garment, particle[u]) || part[particle[u]] != part[particle[v]]);
            owners += first;
        }
        CHECK(owners < 2 ? times[k] == 1 : times[k] >= owners,
            "sum %u of %u patches is done %u times", k, owners, times[k]);
        boundary += owners > 1;
        done += owners > 1 ? times[k] : 0;
    }
    EXPECT_EQ(plan->boundary_sums, boundary);
    test_note("%u patches: %u ghosts at most, %.1f %% of %u sums between patches, done %.2f times",
        patches, plan->most_ghosts, 100.0 * (double)boundary / sums.count, sums.count,
        boundary ? (double)done / (double)boundary : 1);
    EXPECT_LT((double)done, 7.0 * (double)boundary + 1);
    cloth_plan_destroy(plan);
    free(part), free(stamp), free(times), free(there);
}

Test(cloth_plan, fabrics)
{
    static const uint32_t counts[] = {1, 2, 16, 29};
    test_mesh meshes[2] = {test_grid(64, 50), test_irregular(40, 7, 0.5f)};
    for (uint32_t i = 0; i < 64 * 50; i++)
        if (i % 37 == 5) meshes[0].inverse_masses[i] = 0.0f;
    for (int m = 0; m < 2; m++) {
        meshes[m].def.fabric = hed_cloth_fabric_named("denim");
        cloth_garment *garment = make_garment(&meshes[m].def);
        for (uint32_t k = 0; k < HED_COUNT(counts); k++)
            for (int kind = 0; kind < 2; kind++)
                check_fabric(garment, counts[k], (cloth_plan_kind)kind);
        cloth_garment_destroy(garment);
        test_mesh_free(meshes + m);
    }
}

/* ---- what a good plan is ---- */

/* Rows of a sheet with two locked corners where a cut lies less than `distance` columns from its
 * middle, which is where the nearest corner changes. A cut along the seam has one in each row; one
 * that crosses it has none, or one where it has a corner. */
static uint32_t count_cut_seam(const cloth_plan *plan, uint32_t size, double distance)
{
    uint32_t *part = calloc((size_t)size * size, sizeof *part), count = 0;
    for (uint32_t p = 0; p < plan->patch_count; p++)
        for (uint32_t i = 0; i < plan->patches[p].own_count; i++)
            part[plan->own[plan->patches[p].own_at + i]] = p;
    for (uint32_t y = 0; y < size; y++) {
        bool cut = false;
        for (uint32_t x = 0; x + 1 < size; x++)
            cut |= fabs((double)x + 0.5 - 0.5 * (double)(size - 1)) < distance &&
                   part[y * size + x] != part[y * size + x + 1];
        count += cut;
    }
    free(part);
    return count;
}

/* Cuts keep four columns away, or, where patches are smaller than that, all but a fifth of what
 * half a patch allows. Each row of patches may cross the seam with one corner. */
Test(cloth_plan, cuts_keep_off_tether_seams)
{
    static const uint32_t sizes[] = {64, 128, 255}, counts[] = {16, 128, 132};
    for (uint32_t n = 0; n < 3; n++) {
        test_mesh mesh = test_grid(sizes[n], sizes[n]);
        mesh.def.tethers = true;
        cloth_garment *garment = make_garment(&mesh.def);
        for (uint32_t k = 0; k < 3; k++) {
            cloth_plan *plan =
                make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_JOINT, counts[k], 0, 0});
            double half = 0.5 * sizes[n] / sqrt(counts[k]),
                   distance = half * 0.8 < 4.0 ? half * 0.8 : 4.0;
            uint32_t cut = count_cut_seam(plan, sizes[n], distance);
            test_note("%u x %u, %u patches: %u rows are cut less than %.1f columns from the seam",
                sizes[n], sizes[n], counts[k], cut, distance);
            EXPECT_LE(cut, sqrt(counts[k]),
                "%u x %u, %u patches: %u rows are cut less than %.1f columns from the seam",
                sizes[n], sizes[n], counts[k], cut, distance);
            cloth_plan_destroy(plan);
        }
        cloth_garment_destroy(garment);
        test_mesh_free(&mesh);
    }
}

/* One step above the lower bound, and patches of a size. */
Test(cloth_plan, few_steps_and_equal_patches)
{
    static const struct {
        uint32_t size, patches, early_steps, steps;
    } cases[] = {{64, 16, 0, 13}, {128, 128, 0, 13}, {128, 132, 3, 16}, {255, 132, 0, 13},
        {255, 132, 3, 16}};
    for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        test_mesh mesh = test_grid(cases[k].size, cases[k].size);
        cloth_garment *garment = make_garment(&mesh.def);
        cloth_plan *plan = make_plan(garment,
            &(cloth_plan_def){CLOTH_PLAN_JOINT, cases[k].patches, 0, cases[k].early_steps});
        double mean = (double)garment->particle_count / cases[k].patches;
        EXPECT_LE(plan->pair_steps, cases[k].steps, "%u, %u patches: %u steps", cases[k].size,
            cases[k].patches, plan->pair_steps);
        EXPECT_LE(plan->most_own, mean * 1.05, "%u, %u patches: %u own", cases[k].size,
            cases[k].patches, plan->most_own);
        EXPECT_LE(plan->redone, 3.0, "%u, %u patches: boundary constraints are done %.2f times",
            cases[k].size, cases[k].patches, plan->redone);
        test_note("%u, %u patches, %u early: %u steps, most own %u of %.1f, redone %.2f",
            cases[k].size, cases[k].patches, cases[k].early_steps, plan->pair_steps, plan->most_own,
            mean, plan->redone);
        cloth_plan_destroy(plan);
        cloth_garment_destroy(garment);
        test_mesh_free(&mesh);
    }
}

/* Most of a grid is in figures, and their few steps are full ones. */
Test(cloth_plan, figures_of_a_grid)
{
    test_mesh mesh = test_grid(64, 64);
    cloth_garment *garment = make_garment(&mesh.def);
    cloth_plan *plan = make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_FIGURES, 1, 0, 0});
    uint32_t constraints = 0;
    for (uint32_t s = 0; s < plan->figure_steps; s++)
        constraints += cloth_shape_constraints(plan->figure_shape[s]) *
                       (plan->figure_at[s + 1] - plan->figure_at[s]);
    EXPECT(plan->pair_steps <= 3 && plan->figure_steps == 4, "%u pair steps, %u figure steps",
        plan->pair_steps, plan->figure_steps);
    EXPECT_GT(constraints, garment->constraint_count * 8 / 10);
    for (uint32_t k = 0; k < plan->figure_count; k++) {
        const cloth_figure *figure = &plan->figures[k];
        if (figure->constraint[5] == UINT32_MAX) continue;
        EXPECT_GE(garment->constraints[figure->constraint[0]].rest,
            garment->constraints[figure->constraint[5]].rest, "stiffest last");
    }
    cloth_plan_destroy(plan);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* Two sheets over one another share no constraint: with two patches nothing is cut. A sleeve
 * pressed flat is cut across, or along its two folds, but never through front and back as if they
 * were one: each patch hangs together. */
Test(cloth_plan, layers_are_told_apart)
{
    test_mesh sheet = test_irregular(30, 3, 0.5f), sheets = two_of(&sheet, 1e-3f),
              sleeve = flat_sleeve(120, 6, 0.3f);
    cloth_garment *garment = make_garment(&sheets.def);
    cloth_plan *plan = make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_JOINT, 2, 0, 0});
    EXPECT_EQ(plan->boundary, 0, "%lu constraints are cut between two sheets",
        (unsigned long)plan->boundary);
    cloth_plan_destroy(plan);
    cloth_garment_destroy(garment);

    garment = make_garment(&sleeve.def);
    plan = make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_JOINT, 8, 0, 0});
    for (uint32_t p = 0; p < 8; p++) {
        const cloth_patch *patch = &plan->patches[p];
        bool *reached = calloc(garment->particle_count, sizeof *reached), grew = true;
        uint32_t *inside = calloc(garment->particle_count, sizeof *inside), count = 1;
        for (uint32_t i = 0; i < patch->own_count; i++) inside[plan->own[patch->own_at + i]] = 1;
        for (reached[plan->own[patch->own_at]] = true; grew;) {
            grew = false;
            for (uint32_t k = 0; k < garment->constraint_count; k++) {
                uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
                if (!inside[a] || !inside[b] || reached[a] == reached[b]) continue;
                reached[a] = reached[b] = grew = true;
                count++;
            }
        }
        EXPECT_EQ(count, patch->own_count, "patch %u: %u of %u particles hang together", p, count,
            patch->own_count);
        free(inside);
        free(reached);
    }
    cloth_plan_destroy(plan);
    cloth_garment_destroy(garment);
    test_mesh_free(&sleeve);
    test_mesh_free(&sheets);
    test_mesh_free(&sheet);
}

Test(cloth_plan, same_input_same_plan)
{
    test_mesh mesh = test_irregular(40, 11, 0.5f);
    cloth_garment *garment = make_garment(&mesh.def);
    cloth_plan *a = make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_FIGURES, 9, 0, 0}),
               *b = make_plan(garment, &a->def);
    CHECK_EQ(a->pair_count, b->pair_count);
    CHECK_BYTES(a->order, b->order, a->constraint_count * sizeof *a->order);
    CHECK_BYTES(a->pairs, b->pairs, a->pair_count * sizeof *a->pairs);
    cloth_plan_destroy(a);
    cloth_plan_destroy(b);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- limits ---- */

Test(cloth_plan, step_limit_holds)
{
    test_mesh mesh = test_grid(64, 64);
    cloth_garment *garment = make_garment(&mesh.def);
    for (uint32_t limit = 96; limit <= 160; limit += 32) {
        cloth_plan *plan = make_plan(garment, &(cloth_plan_def){CLOTH_PLAN_JOINT, 16, limit, 2});
        check_plan(garment, plan);
        for (uint32_t p = 0; p < 16; p++) {
            const uint32_t *at = plan->pair_at + p * (plan->pair_steps + 1);
            for (uint32_t s = plan->boundary_steps; s < plan->pair_steps; s++)
                EXPECT_LE(at[s + 1] - at[s], limit);
            for (uint32_t s = 0; s < plan->def.early_steps; s++)
                EXPECT_LE(at[s + 1] - at[s], limit);
        }
        cloth_plan_destroy(plan);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_plan, limits)
{
    test_mesh mesh = test_grid(130, 130), hub = test_fan(1500);
    cloth_garment *garment = make_garment(&mesh.def), *fan = make_garment(&hub.def);
    cloth_plan *plan = (cloth_plan *)garment;
    FAILS(HED_ERROR_ARGUMENT,
        cloth_plan_create(garment, &(cloth_plan_def){.patches = 0}, &plan, &error));
    CHECK_NULL(plan);
    FAILS(HED_ERROR_ARGUMENT,
        cloth_plan_create(garment, &(cloth_plan_def){.patches = 16901}, &plan, &error));
    FAILS(HED_ERROR_LIMIT,
        cloth_plan_create(garment, &(cloth_plan_def){.patches = 1}, &plan, &error));
    CHECK(strstr(error.text, "16900 particles"), "%s", error.text);
    FAILS(HED_ERROR_LIMIT, cloth_plan_create(garment,
                               &(cloth_plan_def){.patches = 2, .step_limit = 20}, &plan, &error));
    FAILS(
        HED_ERROR_LIMIT, cloth_plan_create(garment,
                             &(cloth_plan_def){.patches = 2, .early_steps = 5000}, &plan, &error));
    FAILS(HED_ERROR_LIMIT, cloth_plan_create(fan, &(cloth_plan_def){.patches = 2}, &plan, &error));
    cloth_plan_destroy(NULL);
    cloth_garment_destroy(fan);
    cloth_garment_destroy(garment);
    test_mesh_free(&hub);
    test_mesh_free(&mesh);

    /* a patch for each particle */
    mesh = test_irregular(5, 1, 0.4f);
    garment = make_garment(&mesh.def);
    for (uint32_t kind = 0; kind < 2; kind++) {
        plan = make_plan(garment, &(cloth_plan_def){kind, 25, 0, 0});
        check_plan(garment, plan);
        check_same(garment, plan, "a patch for each particle");
        cloth_plan_destroy(plan);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_plan, every_allocation_may_fail)
{
    test_mesh sheet = test_irregular(16, 9, 0.5f), mesh = two_of(&sheet, 1e-3f);
    mesh.def.tethers = true;
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint32_t refused = 0;
        for (int64_t n = 1;; n++) {
            test_allocator counting = {0};
            hed_allocator allocator = test_allocator_of(&counting);
            cloth_garment *garment;
            OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
            int64_t before = counting.calls, live = counting.live, bytes = counting.bytes;
            counting.fail_at = before + n;
            cloth_plan *plan = (cloth_plan *)garment;
            hed_error_clear(&error);
            hed_status status =
                cloth_plan_create(garment, &(cloth_plan_def){kind, 5, 0, 1}, &plan, &error);
            if (status) CHECK(status == HED_ERROR_MEMORY && !plan);
            else
                CHECK((cloth_plan_pack_banks(plan) == 0.0) == (counting.calls >= counting.fail_at));
            if (!status) check_plan(garment, plan);
            refused += status != HED_OK;
            cloth_plan_destroy(plan);
            CHECK(
                counting.live == live && counting.bytes == bytes, "the %ld-th allocation", (long)n);
            bool reached = counting.calls >= counting.fail_at;
            cloth_garment_destroy(garment);
            CHECK(counting.live == 0 && counting.bytes == 0);
            if (!reached) {
                EXPECT_GT(refused, 8);
                break;
            }
        }
    }
    test_mesh_free(&mesh);
    test_mesh_free(&sheet);
}
