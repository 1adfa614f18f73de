/* Stiffness in SI units: a strip that hangs from a clamp against the elastica, one that is pulled
 * against force / (stiffness x width), one that is sheared; what the report says of them
 * beforehand; the energy of a mesh's bending constraints; all solvers against the double
 * reference. */
#include "testing.h"

#include "cloth_strips.h"
#include "model/garment.h"

#include <math.h>

static hed_error error;

typedef struct stiff_host {
    hed_context *context;
    hed_device *device;
} stiff_host;

static stiff_host open_stiff(void)
{
    stiff_host host;
    OK(hed_context_create(NULL, &host.context, &error));
    OK(hed_device_find(host.context, "host", &host.device, &error));
    return host;
}

/* The bending length of this strip is 0.08 m: it hangs down by a quarter of its length, at 8, 16
 * and 32 columns, along the warp and the weft, in few substeps, which give a tenth of its tension
 * and less. */
Test(cloth_stiffness, a_clamped_strip_is_the_elastica, .timeout = 300)
{
    static const struct {
        uint32_t cells, substeps;
        hed_cloth_solver solver;
        bool turned;
    } cases[] = {{8, 5, HED_CLOTH_SOLVER_CPU, false}, {16, 10, HED_CLOTH_SOLVER_CPU, true},
        {32, 5, HED_CLOTH_SOLVER_CPU, false}, {32, 20, HED_CLOTH_SOLVER_CPU, true},
        {8, 20, HED_CLOTH_SOLVER_SETS, true}, {16, 5, HED_CLOTH_SOLVER_COLOURS, false},
        {32, 5, HED_CLOTH_SOLVER_COLOURS, true}};
    const double bending = DENSITY * 9.81 * LENGTH * LENGTH * LENGTH / 2,
                 right = elastica(DENSITY * 9.81, bending, LENGTH);
    stiff_host host = open_stiff();
    EXPECT_NEAR(right, 0.023853, 1e-5);
    for (size_t k = 0; k < HED_COUNT(cases); k++) {
        test_mesh mesh = strip_of(cases[k].cells, cases[k].turned);
        hed_cloth_fabric fabric = {1e4f, 1e4f, 1e3f, (float)bending, (float)bending, 0, 0};
        *(cases[k].turned ? &fabric.bend_warp : &fabric.bend_weft) *= 0.1f;
        mesh.def.fabric = &fabric;
        hed_cloth_stiffness stiffness;
        double tip[3], part;
        settle(host.device, &mesh, cases[k].solver, cases[k].substeps, (float[3]){0, -9.81f, 0},
            240, tip, &stiffness);
        part = cases[k].turned ? stiffness.given.bend_weft / fabric.bend_weft
                               : stiffness.given.bend_warp / fabric.bend_warp;
        EXPECT_EQ(part, 1, "%u cells: %g of the bending is given", cases[k].cells, part);
        EXPECT_LT(stiffness.part, 0.2, "%u cells: %g is given", cases[k].cells, stiffness.part);
        EXPECT_NEAR(-tip[1] / right, 1, 0.05, "%u cells, %u substeps, %s, %s: %g m for %g",
            cases[k].cells, cases[k].substeps, hed_cloth_solver_name(cases[k].solver),
            cases[k].turned ? "weft" : "warp", -tip[1], right);
        test_mesh_free(&mesh);
    }
    hed_context_destroy(host.context);
}

/* Few substeps: it hangs as one that has what the report says is given. */
Test(cloth_stiffness, the_report_foretells_how_soft_a_strip_is, .timeout = 300)
{
    stiff_host host = open_stiff();
    const double tension = 20;
    for (uint32_t cells = 8; cells <= 32; cells *= 2)
        for (uint32_t substeps = 20; substeps <= 320; substeps *= 4) {
            test_mesh mesh = strip_of(cells, false);
            hed_cloth_fabric fabric = {(float)tension, (float)tension / 2, 1, 0, 0, 0, 0};
            mesh.def.fabric = &fabric;
            hed_cloth_stiffness stiffness;
            double tip[3], asked = DENSITY * 20 * LENGTH / (2 * tension),
                           foretold = DENSITY * 20 * LENGTH / 2;
            settle(host.device, &mesh, HED_CLOTH_SOLVER_CPU, substeps, (float[3]){20, 0, 0}, 90,
                tip, &stiffness);
            double strain = tip[0] / LENGTH - 1;
            foretold /= stiffness.given.warp;
            EXPECT_NEAR(strain / foretold, 1, 0.08, "%u cells, %u substeps: %g for %g", cells,
                substeps, strain, foretold);
            if (stiffness.part >= 0.97)
                EXPECT_NEAR(strain / asked, 1, 0.05, "%u cells, %u substeps: %g for %g", cells,
                    substeps, strain, asked);
            uint32_t enough = stiffness.substeps_for_most;
            EXPECT_EQ(stiffness.part >= 0.9, substeps >= enough);
            test_mesh_free(&mesh);
        }
    hed_context_destroy(host.context);
}

/* Constraint by constraint, as whole garments a group bend: the reference hangs as one that has
 * what the report says of such solvers. */
Test(cloth_stiffness, the_report_foretells_how_soft_it_is_in_turn, .timeout = 300)
{
    const double bending = DENSITY * 9.81 * LENGTH * LENGTH * LENGTH / 2;
    hed_allocator allocator = hed_default_allocator();
    test_mesh mesh = strip_of(16, false);
    hed_cloth_fabric fabric = {1e4f, 1e4f, 1e3f, (float)bending, (float)bending, 0, 0};
    mesh.def.fabric = &fabric;
    for (uint32_t substeps = 40; substeps <= 160; substeps *= 4) {
        cloth_reference_def how = {.substeps = substeps,
            .iterations = 1,
            .seconds = 1.0 / 60.0,
            .gravity = {0.0, -9.81, 0.0},
            .up = 1};
        cloth_garment *garment;
        OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
        uint32_t numbers = 3 * garment->particle_count;
        double *at = calloc(numbers, sizeof *at), *before = calloc(numbers, sizeof *before),
               last = 0;
        for (uint32_t i = 0; i < numbers; i++) at[i] = before[i] = garment->positions[i / 3][i % 3];
        OK(cloth_reference_frames(garment, &how, 120, at, before, NULL, &last));
        hed_cloth_stiffness given =
            cloth_garment_stiffness(garment, how.seconds, substeps, 1, HED_CLOTH_SOLVER_PATCHES);
        double drop = -at[3 * (mesh.def.grid_width - 1) + 1],
               foretold = elastica(DENSITY * 9.81, given.given.bend_warp, LENGTH);
        EXPECT_LT(given.given.bend_warp, 0.95 * bending);
        EXPECT_NEAR(drop / foretold, 1, 0.15, "%u substeps: %g for %g", substeps, drop, foretold);
        free(at), free(before);
        cloth_garment_destroy(garment);
    }
    test_mesh_free(&mesh);
}

/* ---- triangles ---- */

/* Triangles anywhere are as stiff as a grid: within 5 % of what the report says is given, which at
 * 8 and 16 cells is all of it but 2 %. */
Test(cloth_stiffness, irregular_triangles_follow_theory, .timeout = 300)
{
    static const struct {
        uint32_t cells, bent_substeps, drawn_substeps;
        float jitter;
    } cases[] = {{8, 160, 80, 0.25f}, {16, 400, 160, 0.25f}, {32, 700, 320, 0.1f}};
    const double bending = DENSITY * 9.81 * LENGTH * LENGTH * LENGTH / 2, tension = 20;
    stiff_host host = open_stiff();
    for (size_t k = 0; k < HED_COUNT(cases); k++)
        for (int drawn = 0; drawn < 2; drawn++) {
            test_mesh mesh = irregular_strip(cases[k].cells, cases[k].jitter, 5);
            hed_cloth_fabric fabrics[2] = {
                {1e4f, 1e4f, 1e3f, (float)bending, (float)bending / 10, 0, 0},
                {(float)tension, (float)tension / 2, 1, 0, 0, 0, 0}};
            mesh.def.fabric = fabrics + drawn;
            hed_cloth_stiffness stiffness;
            double tip[3];
            settle(host.device, &mesh, HED_CLOTH_SOLVER_CPU,
                drawn ? cases[k].drawn_substeps : cases[k].bent_substeps,
                drawn ? (float[3]){20, 0, 0} : (float[3]){0, -9.81f, 0}, drawn ? 90 : 150, tip,
                &stiffness);
            for (int given = 0; given < (cases[k].cells < 32 ? 2 : 1); given++) {
                const hed_cloth_fabric *has = given ? &stiffness.asked : &stiffness.given;
                double found = drawn ? tip[0] / LENGTH - 1 : -tip[1],
                       right = drawn ? DENSITY * 20 * LENGTH / (2 * has->warp)
                                     : elastica(DENSITY * 9.81, has->bend_warp, LENGTH);
                EXPECT_NEAR(found / right, 1, 0.05, "%u cells, %s: %g for %g", cases[k].cells,
                    drawn ? "pulled" : "bent", found, right);
            }
            test_mesh_free(&mesh);
        }
    hed_context_destroy(host.context);
}

/* With lattices, a mesh that is a hundred times as stiff as its substeps give by themselves is as stiff as its
 * fabric. Lattices and triangles both hold the force, so a coarse mesh strains a quarter less. */
Test(cloth_stiffness, a_mesh_with_lattices_has_its_fabrics_give, .timeout = 300)
{
    static const struct {
        uint32_t cells, substeps;
        float tension;
        double most_part, tolerance;
    } cases[] = {{32, 320, 20, 1, 0.05}, {64, 60, 2000, 0.01, 0.1}, {32, 60, 2000, 0.03, 0.3}};
    stiff_host host = open_stiff();
    for (size_t k = 0; k < HED_COUNT(cases); k++) {
        const float tension = cases[k].tension;
        test_mesh mesh = irregular_strip(cases[k].cells, 0.2f, 5);
        hed_cloth_fabric fabric = {tension, tension / 2, tension / 20, 0, 0, 0, 0};
        mesh.def.fabric = &fabric;
        mesh.def.lattices = true;
        hed_cloth_stiffness stiffness;
        double tip[3], right = 0.005;
        float gravity = (float)(2 * right * tension / (DENSITY * LENGTH));
        settle(host.device, &mesh, HED_CLOTH_SOLVER_CPU, cases[k].substeps, (float[]){gravity, 0, 0},
            90, tip, &stiffness);
        EXPECT_LE(stiffness.part, cases[k].most_part);
        EXPECT_NEAR((tip[0] / LENGTH - 1) / right, 1, cases[k].tolerance, "%u cells, %u substeps",
            cases[k].cells, cases[k].substeps);
        test_mesh_free(&mesh);
    }
    hed_context_destroy(host.context);
}

/* A wide panel that is held along one side and pulled along it: angle = weight x height / shear. */
Test(cloth_stiffness, a_panel_is_sheared, .timeout = 300)
{
    enum { ALONG = 65, ACROSS = 9 };
    const double step = 0.0125, height = step * (ACROSS - 1), shear = 10;
    stiff_host host = open_stiff();
    test_mesh mesh = test_mesh_of(ALONG * ACROSS, 0);
    for (uint32_t k = 0; k < ALONG * ACROSS; k++) {
        uint32_t i = k % ALONG, j = k / ALONG;
        double share = (i == 0 || i + 1 == ALONG ? 0.5 : 1) * (j + 1 == ACROSS ? 0.5 : 1);
        mesh.positions[3 * k] = (float)((i - 32.0) * step);
        mesh.positions[3 * k + 2] = (float)(j * step);
        mesh.inverse_masses[k] = j == 0 ? 0 : (float)(1 / (DENSITY * step * step * share));
    }
    mesh.def.grid_width = ALONG;
    mesh.def.grid_height = ACROSS;
    mesh.def.damping = 0.9999f;
    hed_cloth_fabric fabric = {2000, 2000, (float)shear, 0, 0, 0, 0};
    mesh.def.fabric = &fabric;
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.substeps = 100;
    OK(hed_cloth_create(host.device, &def, &cloth, &error));
    memcpy(frame.gravity, (const float[3]){5, 0, 0}, sizeof frame.gravity);
    frame.frames = 60;
    OK(hed_cloth_step(cloth, &frame, &error));
    float *places = malloc(12 * ALONG * ACROSS);
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    double went = places[3 * (ALONG * (ACROSS - 1) + 32)],
           right = DENSITY * 5 * height * height / (2 * shear);
    EXPECT_NEAR(went / right, 1, 0.05, "%g m for %g", went, right);
    free(places);
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
    hed_context_destroy(host.context);
}

/* ---- energies ---- */

/* Particles and weights of bending constraint `number`, of those of elements after all others;
 * gives how many there are of them, 0 beyond the last. */
static uint32_t bend_at(
    const cloth_garment *garment, uint32_t number, const uint32_t **particle, const float **weight)
{
    if (number < garment->bend_count) {
        *particle = garment->bends[number].particle;
        *weight = garment->bends[number].weight;
        return 4;
    }
    number -= garment->bend_count;
    if (number >= 3 * garment->element_count) return 0;
    *particle = garment->elements[number / 3].particle;
    *weight = garment->elements[number / 3].bend[number % 3];
    return CLOTH_ELEMENT_PARTICLES;
}

/* Half the sum of squares of the bending constraints on z = (k x^2 + 2 m x y + l y^2) / 2. */
static double bent_energy(const cloth_garment *garment, double k, double m, double l)
{
    const uint32_t *particle;
    const float *weight;
    double sum = 0;
    for (uint32_t b = 0, count; (count = bend_at(garment, b, &particle, &weight)) > 0; b++) {
        double part = 0;
        for (uint32_t v = 0; v < count; v++) {
            const float *p = garment->rest[particle[v]];
            part += weight[v] * (k * p[0] * p[0] + 2 * m * p[0] * p[2] + l * p[2] * p[2]) / 2;
        }
        sum += part * part / 2;
    }
    return sum;
}

/* The largest of what is not 0 on a plane. */
static double flat_error(const cloth_garment *garment)
{
    const uint32_t *particle;
    const float *weight;
    double worst = 0;
    for (uint32_t b = 0, count; (count = bend_at(garment, b, &particle, &weight)) > 0; b++)
        for (int axis = 0; axis < 3; axis++) {
            double part = 0;
            for (uint32_t v = 0; v < count; v++)
                part += weight[v] * (double)garment->rest[particle[v]][axis];
            worst = fmax(worst, fabs(part));
        }
    return worst;
}

/* Of a sheet of 2 m: (warp k^2 + weft l^2 + 2 twist m^2) / 2 for each square metre, but for a strip
 * along the border where a particle has no neighbour beyond it. */
Test(cloth_stiffness, bending_has_the_energy_of_curvature_and_twist)
{
    enum { SIDE = 41 };
    hed_allocator allocator = hed_default_allocator();
    hed_cloth_fabric fabric = {1e3f, 1e3f, 1e2f, 4e-4f, 1e-4f, 0, 0};
    test_mesh meshes[3] = {test_grid(SIDE, SIDE),
        test_mesh_of(SIDE * SIDE, 2 * (SIDE - 1) * (SIDE - 1)), test_mesh_of(SIDE * SIDE, 0)};
    memcpy(meshes[1].positions, meshes[0].positions, 12 * SIDE * SIDE);
    memcpy(meshes[2].positions, meshes[0].positions, 12 * SIDE * SIDE);
    uint32_t *corner = meshes[1].triangles, quads[4 * (SIDE - 1) * (SIDE - 1)], *next = quads;
    for (uint32_t k = 0; k < SIDE * (SIDE - 1); k++) {
        if (k % SIDE == SIDE - 1) continue;
        const uint32_t six[6] = {k, k + SIDE, k + SIDE + 1, k, k + SIDE + 1, k + 1},
                       four[4] = {k, k + SIDE, k + SIDE + 1, k + 1};
        memcpy(corner, six, sizeof six), corner += 6;
        memcpy(next, four, sizeof four), next += 4;
    }
    meshes[2].def.quads = quads;
    meshes[2].def.quad_count = (SIDE - 1) * (SIDE - 1);
    for (int m = 0; m < 3; m++) {
        cloth_garment *garment;
        meshes[m].def.fabric = &fabric;
        meshes[m].def.warp_axis[0] = 1;
        OK(cloth_garment_create(&allocator, &meshes[m].def, 0, &garment, &error));
        EXPECT_LT(flat_error(garment), 1e-4, "mesh %d", m);
        double area = 4, border = 0.08; /* of the energy, that the border may be wrong by */
        EXPECT_NEAR(
            bent_energy(garment, 1, 0, 0) / (area * 4e-4 / 2), 1, border, "mesh %d, warp", m);
        EXPECT_NEAR(
            bent_energy(garment, 0, 0, 1) / (area * 1e-4 / 2), 1, border, "mesh %d, weft", m);
        EXPECT_NEAR(bent_energy(garment, 0, 1, 0) / (area * 2e-4), 1, border, "mesh %d, twist", m);
        EXPECT_NEAR(
            bent_energy(garment, 1, 0, 1) / (area * 5e-4 / 2), 1, border, "mesh %d, both", m);
        cloth_garment_destroy(garment);
        test_mesh_free(meshes + m);
    }
}

/* A grid that widens: cells are trapezoids, in which only the weights of the rule are 0 on a plane. */
Test(cloth_stiffness, a_grid_that_widens_is_flat)
{
    enum { SIDE = 21 };
    hed_allocator allocator = hed_default_allocator();
    hed_cloth_fabric fabric = {1e3f, 1e3f, 1e2f, 4e-4f, 1e-4f, 0, 0};
    test_mesh mesh = test_grid(SIDE, SIDE);
    cloth_garment *garment;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        mesh.positions[3 * i] *= 1 + 0.5f * mesh.positions[3 * i + 2];
    mesh.def.fabric = &fabric;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    CHECK_EQ(garment->bend_count, 2 * SIDE * (SIDE - 2) + (SIDE - 1) * (SIDE - 1));
    EXPECT_LT(flat_error(garment), 1e-5);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* Edges of lattices on a regular grid: as long as the cloth between their places, and as stiff as its
 * lines, `span` edges in series, `span` + 1 lines beside each other; half as many on a border, of which
 * the outermost has half the width. */
Test(cloth_stiffness, edges_of_lattices_are_those_of_the_cloth)
{
    enum { SIDE = 41 };
    hed_allocator allocator = hed_default_allocator();
    hed_cloth_fabric fabric = {2e3f, 1e3f, 1e2f, 0, 0, 0, 0};
    test_mesh mesh = test_grid(SIDE, SIDE);
    cloth_garment *garment;
    mesh.def.fabric = &fabric;
    mesh.def.lattices = true;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    CHECK_GT(garment->lattice_count, 0);
    for (uint32_t l = 0; l < garment->lattice_count; l++) {
        const cloth_chains *chains = &garment->lattices[l].chains, *lines = &garment->tension;
        double rest_error = 0, give_error = 0;
        for (uint32_t axis = 0; axis < 2; axis++) {
            uint32_t first = chains->at[axis], count = chains->at[axis + 1] - first;
            for (uint32_t row = 0; row < count; row++) {
                const cloth_chain *chain = chains->chains + first + row;
                double span = (SIDE - 1.0) / chain->count,
                       line =
                           lines->edges[lines->chains[lines->at[axis] + SIDE / 2].edges].compliance,
                       part = row == 0 || row + 1 == count ? 0.5 : 1;
                for (uint32_t k = 0; k < chain->count; k++) {
                    const cloth_edge *edge = chains->edges + chain->edges + k;
                    rest_error = fmax(rest_error, fabs(edge->rest / (2.0 / chain->count) - 1));
                    give_error = fmax(
                        give_error, fabs(edge->compliance * part * (span + 1) / (span * line) - 1));
                }
            }
        }
        EXPECT_LT(rest_error, 1e-5, "lattice %u: length", l);
        EXPECT_LT(give_error, 1e-4, "lattice %u: compliance", l);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* ---- solvers ---- */

/* `colours` in strict mode against the reference in double, one iteration and several: both copies
 * of a garment behind another one; on a grid that hardly bends in a part and is held in another. */
Test(cloth_stiffness, colours_follow_the_reference)
{
    stiff_host host = open_stiff();
    test_mesh meshes[2] = {test_grid(12, 9), test_irregular(10, 3, 0.3f)}, first = test_grid(3, 6);
    float map[12 * 9];
    for (uint32_t i = 0; i < 12 * 9; i++) {
        uint32_t x = i % 12, y = i / 12;
        map[i] = x > 6 && y > 2 && y < 7 ? 1e-4f : 1 + (float)(i % 3);
        if (x > 1 && x < 5 && y > 3 && y < 6) meshes[0].inverse_masses[i] = 0;
    }
    meshes[0].def.bend_scale = map;
    first.def.fabric = hed_cloth_fabric_named("denim");
    for (int m = 0; m < 2; m++)
        for (uint32_t iterations = 1; iterations <= 3; iterations += 2) {
            hed_cloth_def def = hed_default_cloth_def();
            def.substeps = 5;
            hed_allocator allocator = hed_default_allocator();
            cloth_reference_def how = {.substeps = def.substeps,
                .iterations = iterations,
                .seconds = 1.0 / 60.0,
                .gravity = {0.0, -9.81, 0.0},
                .lines = true,
                .up = 1};
            cloth_garment *garment;
            hed_cloth *cloth;
            hed_cloth_fabric fabric = *hed_cloth_fabric_named("leather");
            if (m == 0)
                fabric.bend_warp = 20, fabric.bend_weft = 10; /* which a step of 18 cm feels */
            meshes[m].def.fabric = &fabric;
            meshes[m].def.copies = 2;
            OK(cloth_garment_create(&allocator, &meshes[m].def, 0, &garment, &error));
            CHECK_GT(m ? garment->element_count : garment->bend_count, 0);
            CHECK_EQ(garment->line_rows > garment->bend_count, m == 0);
            hed_cloth_garment_def garments[2] = {first.def, meshes[m].def};
            def.garments = garments;
            def.garment_count = 2;
            def.iterations = iterations;
            def.math = HED_MATH_STRICT;
            OK(hed_cloth_create(host.device, &def, &cloth, &error));
            hed_cloth_frame frame = hed_default_cloth_frame();
            frame.frames = 6;
            OK(hed_cloth_step(cloth, &frame, &error));
            uint32_t numbers = 3 * garment->particle_count, before_them = 3 * 3 * 6;
            float *found = malloc((2 * numbers + before_them) * sizeof *found);
            double *at = calloc(numbers, sizeof *at), *before = calloc(numbers, sizeof *before),
                   last = 0, off = 0;
            OK(hed_cloth_read(cloth, found, NULL, NULL, &error));
            for (uint32_t i = 0; i < numbers; i++)
                at[i] = before[i] = garment->positions[i / 3][i % 3];
            OK(cloth_reference_frames(garment, &how, 6, at, before, NULL, &last));
            for (uint32_t i = 0; i < 2 * numbers; i++)
                off = fmax(off, fabs(at[i % numbers] - found[before_them + i]));
            EXPECT_LT(off, 2e-5, "mesh %d, %u iterations: %g m", m, iterations, off);
            free(found), free(at), free(before);
            hed_cloth_destroy(cloth);
            cloth_garment_destroy(garment);
        }
    for (int m = 0; m < 2; m++) test_mesh_free(meshes + m);
    test_mesh_free(&first);
    hed_context_destroy(host.context);
}

/* A painted map of 4 everywhere is a fabric of four times the stiffness. */
Test(cloth_stiffness, painted_maps_multiply)
{
    hed_allocator allocator = hed_default_allocator();
    test_mesh mesh = test_grid(7, 5);
    float fours[35];
    for (int i = 0; i < 35; i++) fours[i] = 4;
    hed_cloth_fabric thin = {100, 60, 10, 1e-4f, 5e-5f, 0, 0},
                     thick = {400, 240, 40, 4e-4f, 2e-4f, 0, 0};
    cloth_garment *painted, *plain;
    mesh.def.fabric = &thick;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &plain, &error));
    mesh.def.fabric = &thin;
    mesh.def.stretch_scale = mesh.def.bend_scale = fours;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &painted, &error));
    CHECK_EQ(painted->constraint_count, plain->constraint_count);
    CHECK_EQ(painted->bend_count, plain->bend_count);
    for (uint32_t k = 0; k < plain->constraint_count; k++)
        EXPECT_NEAR(painted->materials[painted->constraints[k].material].compliance /
                        plain->materials[plain->constraints[k].material].compliance,
            1, 5e-3);
    for (uint32_t k = 0; k < plain->bend_count; k++)
        EXPECT_NEAR(painted->bends[k].weight[2] / plain->bends[k].weight[2], 1, 1e-5);
    cloth_garment_destroy(painted);
    cloth_garment_destroy(plain);
    test_mesh_free(&mesh);
}

/* A sheet of a fabric whose corners are sewn together. */
Test(cloth_stiffness, seams_keep_their_material)
{
    hed_allocator allocator = hed_default_allocator();
    test_mesh mesh = test_grid(6, 5);
    const uint32_t seams[4] = {0, 24, 5, 29};
    cloth_garment *garment;
    mesh.def.fabric = hed_cloth_fabric_named("cotton");
    mesh.def.seams = seams;
    mesh.def.seam_count = 2;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    uint32_t found = 0, last = garment->material_count - 1;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        bool seam = (c->a == 0 && c->b == 24) || (c->a == 5 && c->b == 29);
        EXPECT_EQ(c->material == last, seam);
        found += seam;
    }
    EXPECT_EQ(found, 2);
    EXPECT_EQ(garment->materials[last].compliance, 0);
    EXPECT_GT(garment->materials[0].compliance, 0);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

Test(cloth_stiffness, fabrics_have_names_and_sources)
{
    const char *source, *name;
    uint32_t count = 0;
    for (; (name = hed_cloth_fabric_name(count, &source)); count++) {
        const hed_cloth_fabric *fabric = hed_cloth_fabric_named(name);
        CHECK(fabric, "%s", name);
        EXPECT(strncmp(source, "measured: ", 10) == 0 || strncmp(source, "estimate: ", 10) == 0,
            "%s: \"%s\" does not say whether it was measured", name, source);
        EXPECT(fabric->warp >= fabric->weft && fabric->bend_warp >= fabric->bend_weft, "%s", name);
    }
    EXPECT_GE(count, 6);
    EXPECT_NULL(hed_cloth_fabric_named("tin"));
    EXPECT_NULL(hed_cloth_fabric_named(NULL));
}
