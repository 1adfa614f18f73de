/* A garment made ready: constraints and their colours, tethers against exact distances, masses,
 * incidence, maps, the reference by closed forms, every error of a definition, and memory that runs
 * out anywhere. */
#include "testing.h"

#include "cloth_meshes.h"
#include "model/garment.h"

static hed_error error;

static cloth_garment *make(const hed_cloth_garment_def *def)
{
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    OK(cloth_garment_create(&allocator, def, 0, &garment, &error));
    return garment;
}

static bool is_free(const cloth_garment *garment, uint32_t particle)
{
    return garment->positions[particle][3] > 0.0f;
}

/* No free particle twice in a colour, ascending by the lower particle inside it, at most `limit`
 * colours (0: 2 D - 1), no empty one. */
static void check_colours_within(const cloth_garment *garment, uint32_t limit)
{
    uint32_t *seen = calloc(garment->particle_count, sizeof *seen),
             *degree = calloc(garment->particle_count, sizeof *degree), most = 0;
    CHECK_EQ(garment->colour_at[0], 0);
    CHECK_EQ(garment->colour_at[garment->colour_count], garment->constraint_count);
    for (uint32_t colour = 0; colour < garment->colour_count; colour++) {
        uint32_t last = 0;
        CHECK_LT(garment->colour_at[colour], garment->colour_at[colour + 1], "colour %u is empty",
            colour);
        for (uint32_t k = garment->colour_at[colour]; k < garment->colour_at[colour + 1]; k++) {
            const uint32_t ends[2] = {garment->constraints[k].a, garment->constraints[k].b};
            uint32_t low = ends[0] < ends[1] ? ends[0] : ends[1];
            CHECK_GE(low, last, "colour %u: constraint %u is out of order", colour, k);
            last = low;
            for (int e = 0; e < 2; e++) {
                if (!is_free(garment, ends[e])) continue;
                CHECK_NE(
                    seen[ends[e]], colour + 1, "colour %u has particle %u twice", colour, ends[e]);
                seen[ends[e]] = colour + 1;
                if (++degree[ends[e]] > most) most = degree[ends[e]];
            }
        }
    }
    CHECK_EQ(garment->degree, most);
    if (!limit) limit = 2 * most - 1;
    CHECK(garment->colour_count >= most && garment->colour_count <= limit, "%u colours, degree %u",
        garment->colour_count, most);
    free(seen);
    free(degree);
}

static void check_colours(const cloth_garment *garment) { check_colours_within(garment, 0); }

static uint32_t count_family(const cloth_garment *garment, hed_cloth_family family)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++)
        count += garment->families[k] == family;
    return count;
}

static int compare_pairs(const void *left, const void *right)
{
    return memcmp(left, right, 3 * sizeof(uint32_t));
}

/* Ends, low first, and family of each constraint, sorted. */
static uint32_t (*pairs_of(const cloth_garment *garment))[3]
{
    uint32_t(*pairs)[3] = calloc(garment->constraint_count, sizeof *pairs);
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        pairs[k][0] = c->a < c->b ? c->a : c->b;
        pairs[k][1] = c->a < c->b ? c->b : c->a;
        pairs[k][2] = garment->families[k];
    }
    qsort(pairs, garment->constraint_count, sizeof *pairs, compare_pairs);
    return pairs;
}

/* ---- constraints and colours ---- */

Test(cloth_garment, a_grid_has_twelve_colours_in_closed_form)
{
    test_mesh mesh = test_grid(255, 255);
    cloth_garment *garment = make(&mesh.def);
    EXPECT_EQ(garment->constraint_count, 387602);
    EXPECT_EQ(garment->colour_count, 12);
    EXPECT_EQ(count_family(garment, HED_CLOTH_STRUCTURAL), 2 * 254 * 255);
    EXPECT_EQ(count_family(garment, HED_CLOTH_SHEAR), 2 * 254 * 254);
    EXPECT_EQ(count_family(garment, HED_CLOTH_BEND), 2 * 253 * 255);
    EXPECT_EQ(garment->families[0], HED_CLOTH_BEND, "a sweep begins with what is softest");
    EXPECT_EQ(garment->families[garment->constraint_count - 1], HED_CLOTH_STRUCTURAL,
        "and ends on the edges");
    EXPECT_EQ(garment->triangle_count, 2 * 254 * 254);
    check_colours(garment);
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        double dx = garment->rest[c->a][0] - garment->rest[c->b][0],
               dz = garment->rest[c->a][2] - garment->rest[c->b][2];
        CHECK_NEAR(c->rest, sqrt(dx * dx + dz * dz), 1e-7);
        CHECK_EQ(c->material, garment->families[k]);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_garment, narrow_grids_and_left_out_families)
{
    for (uint32_t width = 1; width < 7; width++)
        for (uint32_t height = 1; height < 7; height++)
            for (uint32_t families = 0; families < 8; families++) {
                test_mesh mesh = test_grid(width, height);
                for (int f = 0; f < 3; f++) mesh.def.family[f] = families >> f & 1;
                cloth_garment *garment = make(&mesh.def);
                uint32_t w = width, h = height;
                EXPECT_EQ(count_family(garment, HED_CLOTH_STRUCTURAL),
                    families & 1 ? (w - 1) * h + w * (h - 1) : 0);
                EXPECT_EQ(count_family(garment, HED_CLOTH_SHEAR),
                    families & 2 ? 2 * (w - 1) * (h - 1) : 0);
                EXPECT_EQ(count_family(garment, HED_CLOTH_BEND),
                    families & 4 ? (w > 2) * (w - 2) * h + (h > 2) * w * (h - 2) : 0);
                if (garment->degree) check_colours_within(garment, 12);
                cloth_garment_destroy(garment);
                test_mesh_free(&mesh);
            }
}

/* The cells of a grid as a mesh of quads, that nobody calls a grid: the same pairs, and as many
 * colours. */
Test(cloth_garment, quads_of_a_grid_make_its_constraints)
{
    enum { N = 40 };
    test_mesh mesh = test_grid(N, N);
    cloth_garment *grid = make(&mesh.def);
    uint32_t(*quads)[4] = calloc((N - 1) * (N - 1), sizeof *quads);
    for (uint32_t q = 0; q < (N - 1) * (N - 1); q++) {
        uint32_t at = q / (N - 1) * N + q % (N - 1);
        const uint32_t quad[4] = {at + N, at, at + 1, at + N + 1};
        memcpy(quads[q], quad, sizeof quad);
    }
    mesh.def.quads = quads[0];
    mesh.def.quad_count = (N - 1) * (N - 1);
    cloth_garment *same = make(&mesh.def); /* a grid with its cells told */
    EXPECT_EQ(same->colour_count, 12);
    EXPECT_BYTES(
        same->constraints, grid->constraints, grid->constraint_count * sizeof *grid->constraints);
    mesh.def.grid_width = mesh.def.grid_height = 0;
    cloth_garment *general = make(&mesh.def);
    CHECK_EQ(general->constraint_count, grid->constraint_count);
    uint32_t(*expected)[3] = pairs_of(grid), (*found)[3] = pairs_of(general);
    EXPECT_BYTES(found, expected, grid->constraint_count * sizeof *expected);
    check_colours(general);
    EXPECT_LE(general->colour_count, 13, "%u colours", general->colour_count);
    free(expected), free(found), free(quads);
    cloth_garment_destroy(grid), cloth_garment_destroy(same), cloth_garment_destroy(general);
    test_mesh_free(&mesh);
}

Test(cloth_garment, triangles_make_edges_and_hinges)
{
    test_mesh mesh = test_irregular(48, 7, 0.5f);
    cloth_garment *garment = make(&mesh.def);
    /* Euler: of a disc, edges = particles + triangles - 1; all but those of the rim are hinges,
     * less the few whose ends are an edge already. */
    uint32_t edges = 48 * 48 + 2 * 47 * 47 - 1;
    EXPECT_EQ(count_family(garment, HED_CLOTH_STRUCTURAL), edges);
    EXPECT_EQ(count_family(garment, HED_CLOTH_SHEAR), 0);
    EXPECT(count_family(garment, HED_CLOTH_BEND) <= edges - 4 * 47 &&
           count_family(garment, HED_CLOTH_BEND) > (edges - 4 * 47) * 9 / 10);
    check_colours(garment);
    EXPECT_LE(garment->colour_count, garment->degree + 4, "%u colours for degree %u",
        garment->colour_count, garment->degree);
    uint32_t least = UINT32_MAX, largest = 0;
    for (uint32_t c = 0; c < garment->colour_count; c++) {
        uint32_t size = garment->colour_at[c + 1] - garment->colour_at[c];
        if (size < least) least = size;
        if (size > largest) largest = size;
    }
    EXPECT_GT(3 * least, largest, "balance: sets of %u to %u", least, largest);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_garment, a_hub_has_a_colour_for_each_of_its_constraints)
{
    static const uint32_t sizes[] = {3, 20, 33, 70, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        test_mesh mesh = test_fan(sizes[s]);
        cloth_garment *garment = make(&mesh.def);
        EXPECT_EQ(garment->degree, sizes[s] < 5 ? 3 : sizes[s]);
        check_colours(garment);
        cloth_garment_destroy(garment);
        mesh.inverse_masses[0] = 0.0f; /* a locked hub makes no conflict */
        garment = make(&mesh.def);
        check_colours(garment);
        EXPECT_LE(garment->colour_count, 7);
        cloth_garment_destroy(garment);
        test_mesh_free(&mesh);
    }
    test_mesh mesh = test_fan(16385);
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    FAILS(HED_ERROR_LIMIT, cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    EXPECT(strstr(error.text, "particle 0 has 16385 constraints"), "%s", error.text);
    test_mesh_free(&mesh);
}

Test(cloth_garment, given_constraints_are_kept)
{
    test_mesh mesh = test_mesh_of(4, 0);
    const hed_cloth_constraint chain[] = {
        {0, 1, 1.0f, 0}, {2, 1, 2.0f, 2}, {2, 3, 3.0f, 1}, {3, 0, 4.0f, 0}};
    mesh.def.constraints = chain;
    mesh.def.constraint_count = 4;
    cloth_garment *garment = make(&mesh.def);
    check_colours(garment);
    EXPECT_EQ(garment->colour_count, 2);
    for (int k = 0; k < 4; k++) {
        bool found = false;
        for (int j = 0; j < 4; j++)
            found |= memcmp(garment->constraints + j, chain + k, sizeof *chain) == 0 &&
                     garment->families[j] == chain[k].material;
        EXPECT(found, "constraint %d", k);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- tethers ---- */

static double apart(const float *a, const float *b)
{
    return sqrt(((double)a[0] - b[0]) * ((double)a[0] - b[0]) +
                ((double)a[1] - b[1]) * ((double)a[1] - b[1]) +
                ((double)a[2] - b[2]) * ((double)a[2] - b[2]));
}

/* On a flat sheet distances along the cloth are straight, whatever the triangles, and to the
 * nearest locked particle. Where its region ends in a wedge narrower than a triangle, the next to
 * nearest may be taken, or a way along an edge: `tolerance`. */
static void check_flat(const cloth_garment *garment, double tolerance)
{
    uint32_t bent = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        if (!is_free(garment, i)) {
            CHECK_EQ(garment->tether_anchor[i], UINT32_MAX);
            continue;
        }
        double nearest = INFINITY;
        for (uint32_t j = 0; j < garment->particle_count; j++)
            if (!is_free(garment, j))
                nearest = fmin(nearest, apart(garment->rest[i], garment->rest[j]));
        CHECK_LT(garment->tether_anchor[i], garment->anchor_count);
        uint32_t anchor = garment->anchors[garment->tether_anchor[i]];
        CHECK(!is_free(garment, anchor));
        double straight = apart(garment->rest[i], garment->rest[anchor]);
        CHECK_LE(straight, nearest * (1.0 + tolerance), "particle %u: %.9g, %.9g to the nearest", i,
            straight, nearest);
        if (fabs(garment->tether_length[i] - straight) <= 1e-6 * straight) continue;
        CHECK_LE(fabs(garment->tether_length[i] - straight), 12 * tolerance * straight,
            "particle %u: %.9g, %.9g straight", i, garment->tether_length[i], straight);
        bent++;
    }
    EXPECT_LE(bent, 4 * tolerance * garment->particle_count, "%u of them", bent);
}

Test(cloth_garment, tethers_of_flat_sheets_are_straight)
{
    test_mesh meshes[2] = {test_grid(60, 50), test_irregular(50, 3, 0.7f)};
    for (int m = 0; m < 2; m++) {
        uint32_t seed = 5;
        for (uint32_t i = 0; i < meshes[m].def.particle_count; i++)
            meshes[m].positions[3 * i + 1] = 0.0f;
        for (int k = 0; k < 9; k++)
            meshes[m].inverse_masses[(uint32_t)(test_random(&seed) * 2499.0f)] = 0.0f;
        meshes[m].def.tethers = true;
        cloth_garment *garment = make(&meshes[m].def);
        check_flat(garment, m ? 5e-3 : 1e-6);
        cloth_garment_destroy(garment);
        test_mesh_free(meshes + m);
    }
}

/* A sleeve unrolled is flat: distances by Pythagoras along the chords, to the locked particle on
 * either side. */
Test(cloth_garment, tethers_go_around_a_sleeve)
{
    enum { AROUND = 96, ROWS = 60 };
    test_mesh mesh = test_sleeve(AROUND, ROWS, 3.0f);
    mesh.def.tethers = true;
    mesh.def.tether_slack = 1.25f;
    cloth_garment *garment = make(&mesh.def);
    double chord = 2.0 * sin(3.14159265358979 / AROUND), worst = 0.0;
    for (uint32_t i = 1; i < garment->particle_count; i++) {
        uint32_t x = i % AROUND, y = i / AROUND;
        double round = chord * (x > AROUND / 2 ? AROUND - x : x), up = 3.0 * y / (ROWS - 1),
               exact = sqrt(round * round + up * up);
        worst = fmax(worst, fabs(garment->tether_length[i] / 1.25 - exact) / exact);
        CHECK_EQ(garment->anchors[garment->tether_anchor[i]], 0);
    }
    EXPECT_LT(worst, 1.01e-2, "off by %.3g", worst);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* A slit forces the way around its end. */
Test(cloth_garment, tethers_go_around_a_slit)
{
    enum { N = 41 };
    test_mesh mesh = test_irregular(N, 1, 0.0f);
    for (uint32_t i = 0; i < N * N; i++) mesh.inverse_masses[i] = 1.0f;
    uint32_t kept = 0, locked = 0;
    for (uint32_t t = 0; t < mesh.def.triangle_count; t++) {
        const uint32_t *v = mesh.triangles + 3 * t;
        float x = 0.0f, z = 0.0f;
        for (int k = 0; k < 3; k++)
            x += mesh.positions[3 * v[k]] / 3.0f, z += mesh.positions[3 * v[k] + 2] / 3.0f;
        if (x > 0.0f && x < 0.05f && z < 0.5f) continue; /* open towards z = -1 */
        memmove(mesh.triangles + 3 * kept++, v, 3 * sizeof *v);
    }
    mesh.def.triangle_count = kept;
    for (uint32_t i = 0; i < N * N; i++)
        if (mesh.positions[3 * i] < -0.99f && mesh.positions[3 * i + 2] < -0.99f)
            mesh.inverse_masses[locked = i] = 0.0f;
    mesh.def.tethers = true;
    cloth_garment *garment = make(&mesh.def);
    for (uint32_t i = 0; i < N * N; i++) {
        const float *p = garment->rest[i], *from = garment->rest[locked];
        if (i == locked || garment->tether_anchor[i] == UINT32_MAX) continue;
        double exact = apart(p, from);
        if (p[0] > 0.04f) {
            const float left[3] = {0.0f, 0.0f, 0.5f}, right[3] = {0.05f, 0.0f, 0.5f};
            double cross = (p[0] - from[0]) * (0.5 - from[2]) - (p[2] - from[2]) * (0.0 - from[0]);
            if (cross > 0.0)
                exact =
                    apart(left, from) + ((p[2] < 0.5f) ? 0.05 + apart(right, p) : apart(left, p));
        }
        CHECK_LE(fabs(garment->tether_length[i] - exact), 0.01 * exact, "(%g, %g): %g, exactly %g",
            p[0], p[2], garment->tether_length[i], exact);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_garment, tethers_without_faces_or_without_locks)
{
    test_mesh mesh = test_mesh_of(5, 0);
    const hed_cloth_constraint chain[] = {{0, 1, 1.0f, 0}, {1, 2, 2.0f, 0}, {2, 3, 4.0f, 0}};
    mesh.def.constraints = chain;
    mesh.def.constraint_count = 3;
    mesh.def.tethers = true;
    cloth_garment *garment = make(&mesh.def);
    EXPECT_EQ(garment->anchor_count, 0, "nothing is locked");
    EXPECT_NULL(garment->tether_anchor);
    cloth_garment_destroy(garment);
    mesh.inverse_masses[0] = 0.0f;
    garment = make(&mesh.def);
    EXPECT_EQ(garment->anchor_count, 1);
    EXPECT_NEAR(garment->tether_length[3], 7.0, 1e-6);
    EXPECT_EQ(garment->tether_anchor[4], UINT32_MAX, "nothing holds it");
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- masses, incidence, maps ---- */

Test(cloth_garment, masses_come_from_density_and_area)
{
    test_mesh mesh = test_irregular(20, 11, 0.3f);
    mesh.def.inverse_masses = NULL;
    mesh.def.density = 0.5f;
    cloth_garment *garment = make(&mesh.def);
    double mass = 0.0, area = 0.0;
    for (uint32_t i = 0; i < garment->particle_count; i++) mass += 1.0 / garment->positions[i][3];
    for (uint32_t t = 0; t < garment->triangle_count; t++) {
        const float *a = garment->rest[garment->triangles[t][0]],
                    *b = garment->rest[garment->triangles[t][1]],
                    *c = garment->rest[garment->triangles[t][2]];
        double u = apart(a, b), v = apart(b, c), w = apart(c, a), s = (u + v + w) / 2;
        area += sqrt(s * (s - u) * (s - v) * (s - w));
    }
    EXPECT_NEAR(mass, 0.5 * area, 1e-5);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
    mesh = test_grid(3, 3);
    mesh.def.inverse_masses = NULL;
    garment = make(&mesh.def); /* cells of 1 m^2: a quarter of each for every corner */
    for (uint32_t i = 0; i < 9; i++) {
        int sides = (i % 3 == 1) + (i / 3 == 1);
        EXPECT_NEAR(1.0 / garment->positions[i][3], 0.2 * 0.25 * (1 << sides), 1e-6);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_garment, incidence_and_vertices)
{
    test_mesh mesh = test_irregular(16, 2, 0.5f);
    const uint32_t shown[] = {5, 5, 0, 255};
    cloth_garment *plain = make(&mesh.def);
    mesh.def.vertex_count = 4;
    mesh.def.vertex_particle = shown;
    cloth_garment *garment = make(&mesh.def);
    EXPECT_EQ(plain->vertex_count, 256);
    EXPECT_EQ(plain->vertex_particle[200], 200);
    EXPECT_EQ(garment->vertex_count, 4);
    EXPECT_BYTES(garment->vertex_particle, shown, sizeof shown);
    EXPECT_EQ(garment->incident_at[256], 3 * garment->triangle_count);
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t q = garment->incident_at[i]; q < garment->incident_at[i + 1]; q++) {
            const uint32_t *v = garment->triangles[garment->incident[q]];
            CHECK(v[0] == i || v[1] == i || v[2] == i);
            CHECK(q == garment->incident_at[i] || garment->incident[q] > garment->incident[q - 1]);
        }
    cloth_garment_destroy(plain), cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_garment, driver_maps)
{
    test_mesh mesh = test_grid(2, 2);
    const float reach[] = {0.0f, 1.0f, INFINITY, 2.0f}, offset[] = {-0.5f, -INFINITY, 0.5f, 1.0f},
                radius[] = {0.0f, 1.0f, 3.0f, 0.0f};
    const float drive[] = {0.0f, 0.25f, 0.5f, 1.0f}, stiffness[] = {1.0f, 0.5f, 0.25f, 0.0f};
    mesh.inverse_masses[0] = 1.0f;
    mesh.def.driven = true;
    mesh.def.max_distance = reach, mesh.def.backstop_distance = offset,
    mesh.def.backstop_radius = radius;
    mesh.def.drive = drive, mesh.def.drive_stiffness = stiffness;
    cloth_garment *garment = make(&mesh.def);
    const float expected[4][8] = {{0.0f, -0.5f, 0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, -1.0f, 0.25f, 0.5f},
        {-1.0f, 0.5f, 3.0f, 0.5f, 0.25f}, {2.0f, 1.0f, 0.0f, 1.0f, 0.0f}};
    EXPECT_BYTES(garment->driver_map, expected, sizeof expected);
    EXPECT_EQ(garment->positions[0][3], 0.0f, "max_distance 0 locks");
    cloth_garment_destroy(garment);
    mesh.def.max_distance = mesh.def.backstop_distance = mesh.def.backstop_radius = mesh.def.drive =
        mesh.def.drive_stiffness = NULL;
    garment = make(&mesh.def);
    const float nothing[8] = {-1.0f, 0.0f, -1.0f, 0.0f, 1.0f};
    EXPECT_BYTES(garment->driver_map[3], nothing, sizeof nothing);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- the reference ---- */

static const cloth_reference_def still = {
    .substeps = 5, .iterations = 1, .seconds = 1.0 / 60.0, .up = 1};

/* Free fall under the exact form is exact, at whatever time steps. */
Test(cloth_garment, the_reference_falls_exactly)
{
    test_mesh mesh = test_mesh_of(1, 0);
    mesh.def.damping = 0.0f;
    cloth_garment *garment = make(&mesh.def);
    double position[3] = {0}, previous[3] = {0}, last_dt = 0.0, time = 0.0;
    cloth_reference_def def = still;
    def.gravity[1] = -9.81;
    for (uint32_t frame = 0, seed = 1; frame < 600; frame++) {
        def.substeps = 1;
        def.seconds = (1.0 + 0.4 * (test_random(&seed) - 0.5f)) / 300.0;
        OK(cloth_reference_frames(garment, &def, 1, position, previous, NULL, &last_dt));
        time += def.seconds;
        CHECK_NEAR(position[1], -0.5 * 9.81 * time * time, 1e-9);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* A spring by compliance: half a period is pi sqrt(m compliance), from rest, once with one
 * iteration and once with many. */
Test(cloth_garment, compliance_is_a_spring_for_any_number_of_iterations)
{
    test_mesh mesh = test_mesh_of(2, 0);
    const hed_cloth_constraint spring = {0, 1, 1.0f, 0};
    mesh.positions[3] = 1.0f;
    mesh.inverse_masses[0] = 0.0f;
    mesh.def.constraints = &spring;
    mesh.def.constraint_count = 1;
    mesh.def.family_material[0].compliance = 0.01f;
    mesh.def.damping = 0.0f;
    cloth_garment *garment = make(&mesh.def);
    cloth_reference_def def = still;
    def.seconds = 1e-5;
    def.substeps = 10;
    for (uint32_t iterations = 1; iterations < 12; iterations += 5) {
        double positions[6] = {0, 0, 0, 1.1, 0, 0}, previous[6] = {0, 0, 0, 1.1, 0, 0},
               last_dt = 1e-6;
        def.iterations = iterations;
        OK(cloth_reference_frames(garment, &def, 31416, positions, previous, NULL, &last_dt));
        EXPECT_NEAR(positions[3], 0.9, 2e-4, "%u iterations: %.6f", iterations, positions[3]);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* Float follows double closely over few frames, and the given order decides. */
Test(cloth_garment, the_references_agree)
{
    enum { N = 20 };
    test_mesh mesh = test_irregular(N, 9, 0.5f);
    mesh.def.tethers = true;
    cloth_garment *garment = make(&mesh.def);
    cloth_reference_def def = still;
    def.gravity[1] = -9.81;
    double doubles[2][3 * N * N], before[3 * N * N], last = 0.0;
    float floats[3 * N * N], before_float[3 * N * N], carry[3 * N * N] = {0}, last_float = 0.0f;
    uint32_t *turned = calloc(garment->constraint_count, sizeof *turned);
    for (uint32_t k = 0; k < garment->constraint_count; k++)
        turned[k] = garment->constraint_count - 1 - k;
    for (int i = 0; i < 3 * N * N; i++)
        doubles[0][i] = doubles[1][i] = before[i] = floats[i] = before_float[i] =
            garment->positions[i / 3][i % 3];
    OK(cloth_reference_frames_float(garment, &def, 10, floats, before_float, carry, &last_float));
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < 3 * N * N; i++) before[i] = garment->positions[i / 3][i % 3];
        last = 0.0;
        def.order = (cloth_order){order ? turned : NULL, garment->constraint_count, false};
        OK(cloth_reference_frames(garment, &def, 10, doubles[order], before, NULL, &last));
    }
    double off = 0.0, other = 0.0;
    for (int i = 0; i < 3 * N * N; i++)
        off = fmax(off, fabs(doubles[0][i] - floats[i])),
        other = fmax(other, fabs(doubles[0][i] - doubles[1][i]));
    EXPECT_LT(off, 1e-4, "float is %.3g off", off);
    EXPECT_GT(other, 1e-4, "another order gives another sweep");
    free(turned);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- errors ---- */

static test_mesh wrong_mesh;

/* `change` spoils the definition of a good garment; the message names what was spoilt. */
#define WRONG(words, ...) \
    do { \
        hed_allocator allocator = hed_default_allocator(); \
        cloth_garment *garment; \
        wrong_mesh = test_irregular(6, 4, 0.5f); \
        hed_cloth_garment_def *def = &wrong_mesh.def; \
        def->name = "shirt"; \
        __VA_ARGS__; \
        FAILS(HED_ERROR_ARGUMENT, cloth_garment_create(&allocator, def, 3, &garment, &error)); \
        EXPECT(strstr(error.text, "Garment 3 (shirt): ") && strstr(error.text, words), \
            "\"%s\" does not say \"%s\"", error.text, words); \
        EXPECT_NULL(garment); \
        test_mesh_free(&wrong_mesh); \
    } while (0)

static float *map_with(uint32_t particle, float value)
{
    static float map[36];
    for (int i = 0; i < 36; i++) map[i] = 0.5f;
    map[particle] = value;
    return map;
}

Test(cloth_garment, wrong_particles)
{
    WRONG("particle_count is 0", def->particle_count = 0);
    WRONG("positions is NULL", def->positions = NULL);
    WRONG("positions of particle 7 are (", wrong_mesh.positions[22] = NAN);
    WRONG("positions of particle 7 are (", wrong_mesh.positions[21] = 2e9f);
    WRONG("rest_positions of particle 0 are (", def->rest_positions = (float[108]){INFINITY});
    WRONG("inverse_masses of particle 9 is -1", wrong_mesh.inverse_masses[9] = -1.0f);
    WRONG("inverse_masses of particle 9 is nan", wrong_mesh.inverse_masses[9] = NAN);
    WRONG("density is 0", def->inverse_masses = NULL, def->density = 0.0f);
    WRONG("density is nan", def->inverse_masses = NULL, def->density = NAN);
    WRONG("leave it an area of 0", def->inverse_masses = NULL,
        memset(wrong_mesh.positions, 0, 108 * sizeof(float)));
    WRONG("m apart at rest", memset(wrong_mesh.positions, 0, 108 * sizeof(float)));
}

Test(cloth_garment, wrong_faces)
{
    WRONG("corner 1 of face 4 is particle 36", wrong_mesh.triangles[13] = 36);
    WRONG("face 4 has particle", wrong_mesh.triangles[13] = wrong_mesh.triangles[12]);
    WRONG("triangles is NULL", def->triangles = NULL);
    WRONG("quads is NULL", def->quad_count = 1);
    WRONG("quads: corner 3 of face 0 is particle 99", def->quad_count = 1,
        def->quads = (uint32_t[4]){0, 1, 2, 99});
    WRONG("grid_width x grid_height is 6 x 5", def->grid_width = 6, def->grid_height = 5);
    WRONG("grid_width x grid_height is 6 x 0", def->grid_width = 6);
    WRONG("a grid of 6 x 6 has 50 triangles", def->grid_width = def->grid_height = 6);
    WRONG("0 triangles and 1 quads beside it", def->grid_width = def->grid_height = 6,
        def->triangle_count = 0, def->quad_count = 1, def->quads = (uint32_t[4]){0, 1, 7, 6});
    uint32_t cells[25][4];
    for (uint32_t q = 0; q < 25; q++) {
        uint32_t at = q / 5 * 6 + q % 5;
        const uint32_t cell[4] = {at, at + 1, at + 7, at + 6};
        memcpy(cells[q], cell, sizeof cell);
    }
    cells[24][1] = 34, cells[24][2] = 29; /* in another order around: 28 34 29 35 */
    cells[24][3] = 35;
    WRONG("quad 24 (28, 34, 29, 35) is no cell", def->grid_width = def->grid_height = 6,
        def->triangle_count = 0, def->quad_count = 25, def->quads = cells[0]);
}

Test(cloth_garment, wrong_constraints)
{
    hed_cloth_constraint one[2] = {{0, 1, 1.0f, 0}, {1, 2, 1.0f, 2}};
#define ONE def->constraints = one, def->constraint_count = 2
    WRONG("constraint 1 is between particles 1 and 36", ONE, one[1].b = 36);
    WRONG("constraint 1 is between particles 1 and 1", ONE, one[1].b = 1);
    one[1].b = 2;
    WRONG("constraint 1 has rest length 0", ONE, one[1].rest = 0.0f);
    WRONG("constraint 1 has rest length nan", ONE, one[1].rest = NAN);
    one[1].rest = 1.0f;
    WRONG("constraint 1 has material 3; there are 3", ONE, one[1].material = 3);
    WRONG("constraints is NULL and constraint_count 2", def->constraint_count = 2);
    WRONG("material_count is 2", def->materials = (hed_cloth_material[]){{1, 1, 0}, {1, 1, 0}},
        def->material_count = 2);
    WRONG("family_material 1: compress is 1.5", def->family_material[1].compress = 1.5f);
    WRONG("family_material 2: stretch is 0.5", def->family_material[2].stretch = 0.5f);
    WRONG("family_material 0: compliance is nan", def->family_material[0].compliance = NAN);
    WRONG("materials 0: compliance is -1", def->materials = (hed_cloth_material[]){{1, 1, -1}},
        def->material_count = 1);
}

Test(cloth_garment, wrong_surroundings_and_maps)
{
    WRONG("damping is 1", def->damping = 1.0f);
    WRONG("damping is nan", def->damping = NAN);
    WRONG("vertical_damping is -0.1", def->vertical_damping = -0.1f);
    WRONG("drag is -1", def->drag = -1.0f);
    WRONG("lift is inf", def->lift = INFINITY);
    WRONG("friction is nan", def->friction = NAN);
    WRONG("thickness is -1", def->thickness = -1.0f);
    WRONG("tether_slack is 0.5", def->tethers = true, def->tether_slack = 0.5f);
    WRONG("copies is 0", def->copies = 0);
    WRONG("vertex_particle is NULL", def->vertex_count = 2);
    WRONG("vertex_particle of vertex 1 is 36", def->vertex_count = 2,
        def->vertex_particle = (uint32_t[]){0, 36});
    WRONG("max_distance of particle 5 is -1", def->driven = true,
        def->max_distance = map_with(5, -1.0f));
    WRONG("max_distance of particle 5 is nan", def->driven = true,
        def->max_distance = map_with(5, NAN));
    WRONG("backstop_distance of particle 5 is inf", def->driven = true,
        def->backstop_distance = map_with(5, INFINITY));
    WRONG("backstop_radius of particle 5 is -1", def->driven = true,
        def->backstop_radius = map_with(5, -1.0f));
    WRONG("drive of particle 35 is 1.5", def->driven = true, def->drive = map_with(35, 1.5f));
    WRONG("drive_stiffness of particle 0 is -0.5", def->driven = true,
        def->drive_stiffness = map_with(0, -0.5f));
    float reach[36] = {0.0f};
    for (int i = 0; i < 36; i++) reach[i] = 0.75f;
    WRONG("backstop_distance of particle 8 is 1 m, outside its max_distance of 0.75 m",
        def->driven = true, def->max_distance = reach, def->backstop_distance = map_with(8, 1.0f));
}

Test(cloth_garment, wrong_fabrics)
{
    hed_cloth_fabric good = {100.0f, 100.0f, 10.0f, 1e-5f, 1e-5f, 0.2f, 0},
                     bad[5] = {good, good, good, good, good};
    bad[0].weft = 0.0f;
    bad[1].shear = NAN;
    bad[2].bend_warp = -1e-5f;
    bad[3].density = INFINITY;
    WRONG("fabric.weft is 0; expected a number from 0.001 to 1e+09", def->fabric = &bad[0]);
    WRONG("fabric.shear is nan", def->fabric = &bad[1]);
    WRONG("fabric.bend_warp is -1e-05", def->fabric = &bad[2]);
    WRONG("fabric.density is inf", def->fabric = &bad[3]);
    bad[4].poisson = 0.8f, bad[4].weft = 200;
    WRONG("fabric.poisson is 0.8 with a weft of 200 and a warp of 100 N/m", def->fabric = &bad[4]);
    WRONG(
        "bend_scale of particle 4 is 0", def->fabric = &good, def->bend_scale = map_with(4, 0.0f));
    WRONG("stretch_scale of particle 5 is nan", def->fabric = &good,
        def->stretch_scale = map_with(5, NAN));
    WRONG("a fabric is given and no faces", def->fabric = &good, def->triangle_count = 0);
    WRONG("a fabric and materials are given", def->fabric = &good,
        def->materials = (const hed_cloth_material[3]){{1, 1, 0}, {1, 1, 0}, {1, 1, 0}},
        def->material_count = 3);
}

/* The n-th allocation fails, for every n: nothing leaks, and it says so. */
Test(cloth_garment, memory_may_run_out_anywhere)
{
    test_mesh meshes[6] = {test_grid(6, 6), test_irregular(6, 4, 0.5f), test_fan(40),
        test_mesh_of(3, 0), test_grid(5, 4), test_irregular(5, 4, 0.5f)};
    const hed_cloth_constraint chain[] = {{0, 1, 1.0f, 0}, {1, 2, 2.0f, 0}};
    meshes[1].def.driven = true;
    meshes[1].def.inverse_masses = NULL;
    meshes[3].def.constraints = chain;
    meshes[3].def.constraint_count = 2;
    meshes[4].def.fabric = meshes[5].def.fabric = hed_cloth_fabric_named("denim");
    for (int m = 0; m < 6; m++) {
        meshes[m].def.tethers = true;
        meshes[m].inverse_masses[1] = 0.0f;
        for (int64_t n = 1;; n++) {
            test_allocator counting = {.fail_at = n};
            hed_allocator allocator = test_allocator_of(&counting);
            cloth_garment *garment;
            hed_error_clear(&error);
            hed_status status =
                cloth_garment_create(&allocator, &meshes[m].def, 0, &garment, &error);
            if (!status) cloth_garment_destroy(garment);
            CHECK_EQ(counting.live, 0);
            CHECK_EQ(counting.bytes, 0);
            if (!status) {
                EXPECT_GT(n, 4, "mesh %d", m);
                break;
            }
            CHECK_EQ(status, HED_ERROR_MEMORY);
            CHECK_NULL(garment);
        }
        test_mesh_free(meshes + m);
    }
}
