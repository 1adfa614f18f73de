/* Scene files: what must be refused and in which words, and every value at its limit. */
#include "cloth_scenes.h"

TestSuite(cloth_scene_refuse, .init = folder_make, .fini = folder_remove);

/* ---- what must be refused ---- */

/* Writes NaN into a vertex of a sample of a cache of 4 vertices. */
static void put_nan(const char *name, long sample, long vertex)
{
    FILE *file = fopen(in_folder(name), "r+b");
    CHECK(file);
    fseek(file, 32 + 12 * (4 * sample + vertex), SEEK_SET);
    fwrite(&(float){NAN}, sizeof(float), 1, file);
    fclose(file);
}

Test(cloth_scene_refuse, refuses_with_the_place)
{
    write_text("m.obj", SQUARE);
    write_text("plain.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write_text("plain_1.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write_text("short.txt", "1 2 3");
    write_text("long.txt", "1 2 3 4 5");
    write_text("words.txt", "1 2 x 4");
    write_cache("m.pc2");
    write_cache("nan.pc2");
    put_nan("nan.pc2", 1, 2);
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"[]", "expected an object"},
        {"{}", "garments"},
        {"{\"garments\": []}", "garments: expected 1 to 4096 garments, found 0 (s.json:1:"},
        {"{\"garmets\": []}", "did you mean \"garments\""},
        {ONE(GRID ", \"pin\": []"), "did you mean \"pins\""},
        {"{\"up\": \"w\", \"garments\": [{" GRID "}]}", "up: "},
        {"{\"unit\": 0, \"garments\": [{" GRID "}]}", "unit: "},
        {"{\"substeps\": 1001, \"garments\": [{" GRID "}]}", "substeps: "},
        {"{\"substeps\": 2.5, \"garments\": [{" GRID "}]}", "substeps: "},
        {"{\"gravity\": [1, 2], \"garments\": [{" GRID "}]}", "gravity: "},
        {"{\"wind\": {\"velocity\": [0, 0, 1e9]}, \"garments\": [{" GRID "}]}",
            "wind.velocity[2]: "},
        {"{\"wind\": {\"velocity\": []}, \"garments\": [{" GRID "}]}", "wind.velocity: "},
        {"{\"wind\": {\"velocity\": [[0, 0, 0], [1, 2]]}, \"garments\": [{" GRID "}]}",
            "wind.velocity[1]: "},
        {ONE(GRID ", \"output_matrix\": []"), "expected four rows"},
        {ONE(GRID ", \"output_matrix\": [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "
                  "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]]"),
            "garments[0].output_matrix[1]: its last row"},
        {"{\"camera\": {\"eye\": [1, 1, 1], \"target\": [1, 1, 1]}, \"garments\": [{" GRID "}]}",
            "camera: eye, target and up lie on one line"},
        {ONE("\"name\": \"a\""),
            "garments[0]: expected exactly one of \"mesh\", \"grid\", \"disc\", "
            "\"sleeve\", \"skirt\", found none"},
        {ONE(GRID ", \"mesh\": \"m.obj\""), "found several"},
        {ONE("\"name\": \"a/b\", " GRID), "garments[0].name: expected 1 to 48 letters"},
        {"{\"garments\": [{\"name\": \"a\", " GRID "}, {\"name\": \"a\", " GRID "}]}",
            "two garments have the name \"a\""},
        {ONE("\"mesh\": \"none.obj\""), "garments[0].mesh: "},
        {ONE("\"mesh\": \"\""), "expected the name of a file"},
        {ONE("\"grid\": {\"width\": 1, \"height\": 2, \"size\": [1, 1]}"),
            "garments[0].grid.width: "},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 0]}"),
            "garments[0].grid.size[1]: "},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\", \"-x\"]}"),
            "both axes point the same way"},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\", [0, 0, 0]]}"),
            "vector without length"},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\"]}"),
            "expected two directions"},
        {ONE("\"skirt\": {\"radius\": 1, \"length\": 1, \"around\": 5, \"rows\": 5}"),
            "garments[0].skirt.radius: "},
        {ONE(GRID ", \"mend\": true"), "a shape is never broken"},
        {ONE(GRID ", \"materials\": {\"bend\": {\"stretch\": 0.5}}"),
            "garments[0].materials.bend.stretch: "},
        {ONE(GRID ", \"fabric\": \"tin\""), "garments[0].fabric: expected one of cotton, denim"},
        {ONE(GRID ", \"fabric\": {\"warp\": 1, \"weft\": 1, \"shear\": 1, \"bend_warp\": 1}"),
            "bend_weft"},
        {ONE(GRID ", \"fabric\": {\"name\": \"silk\", \"weft\": 0}"), "garments[0].fabric.weft: "},
        {ONE(GRID ", \"fabric\": {\"name\": \"silk\", \"stretch_scale\": 0}"),
            "garments[0].fabric.stretch_scale: vertex 0: 0 is not from 0.0001 to 10000"},
        {ONE(GRID ", \"fabric\": \"silk\", \"materials\": {\"bend\": false}"),
            "garments[0].materials: a garment has \"fabric\" or \"materials\", not both"},
        {ONE(GRID ", \"damping\": 1"), "garments[0].damping: "},
        {ONE(GRID ", \"density\": 0"), "garments[0].density: "},
        {ONE(GRID ", \"copies\": 0"), "garments[0].copies: "},
        {ONE(GRID ", \"transform\": {\"scale\": 1e6, \"move\": [1e4, 0, 0]}"),
            "placed further away than ten kilometres"},
        {ONE(GRID ", \"pins\": [{\"vertices\": [6]}]"), "garments[0].pins[0].vertices[0]: "},
        {ONE(GRID ", \"pins\": [{\"vertices\": []}]"), "garments[0].pins[0]: no vertex is pinned"},
        {ONE(GRID ", \"pins\": [{\"box\": {\"low\": [9, 9, 9], \"high\": [10, 10, 10]}}]"),
            "no vertex is pinned"},
        {ONE(GRID ", \"pins\": [{\"colour\": \"red\"}]"), "no vertex colours"},
        {ONE(GRID ", \"pins\": [{\"vertices\": [0], \"above\": 0.5}]"),
            "\"above\" is of \"colour\""},
        {ONE("\"mesh\": \"plain.obj\", \"pins\": [{\"colour\": \"red\"}]"), "no vertex colours"},
        {ONE(GRID ", \"max_distance\": 1"), "garments[0].max_distance: this is about the driver"},
        {ONE(GRID ", \"driver\": {}, \"max_distance\": -1"), "vertex 0: -1 is not from 0 to"},
        {ONE(GRID ", \"driver\": {}, \"max_distance\": [1, 2, 3]"),
            "expected 6 numbers, one for each vertex; found 3"},
        {ONE(GRID ", \"driver\": {}, \"drive\": [0, 0, 0, 0, 0, 2]"),
            "vertex 5: 2 is not from 0 to 1"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"short.txt\"}"),
            "number 4 is missing"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"long.txt\"}"),
            "one too many"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"words.txt\"}"),
            "number 3 is none"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"words.txt\", \"colour\": \"red\"}"),
            "found several"},
        {ONE(GRID ", \"driver\": {}, \"backstop_radius\": 1"), "without \"backstop_distance\""},
        {ONE(GRID ", \"driver\": {}, \"backstop_distance\": 2, \"max_distance\": 1"),
            "outside the ball"},
        {ONE(GRID ", \"driver\": {\"transform\": {}}"), "which is not there"},
        {ONE(GRID ", \"driver\": {\"motion\": {\"keys\": []}}"), "expected 1 to 100000 keys"},
        {ONE(GRID ", \"driver\": {\"motion\": {\"keys\": [{\"time\": 1}, {\"time\": 1}]}}"),
            "keys[1]: time 1 does not come after"},
        {ONE(GRID ", \"driver\": {\"sequence\": {\"file\": \"m.pc2\"}}"),
            "has 4 vertices in 3 samples; the mesh has 6 vertices"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"nan.pc2\"}}"),
            "nan.pc2, sample 1: vertex 2 has a coordinate that is not a number"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"m.pc2\", \"last\": 3}}"),
            "expected a name with ####"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"x_#.obj\", \"last\": 3}}"),
            "x_1.obj"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"plain_#.obj\", \"last\": 1}}"),
            "has 3 vertices; the mesh has 4"},
        {"{\"garments\": [{" GRID
         "}], \"colliders\": [{\"sphere\": {\"centre\": [0, 0, 0], \"radius\": 0}}]}",
            "colliders[0].sphere.radius: "},
        {"{\"garments\": [{" GRID
         "}], \"colliders\": [{\"plane\": {\"point\": [0, 0, 0], \"normal\": \"y\"}, "
         "\"sequence\": {}}]}",
            "\"sequence\" is for a \"mesh\""},
        {"{\"garments\": [{" GRID "}], \"colliders\": [{}]}",
            "colliders[0]: expected exactly one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool missing = strstr(cases[i].text, "none.obj") || strstr(cases[i].text, "x_#");
        hed_status status = missing ? HED_ERROR_IO : HED_ERROR_FORMAT;
        refuse(status, cases[i].text, cases[i].words);
    }
    refuse(HED_ERROR_LIMIT,
        ONE("\"grid\": {\"width\": 2000000, \"height\": 2000000, \"size\": [1, 1]}"),
        "at most 4194304");
    refuse(HED_ERROR_LIMIT,
        ONE(GRID ", \"copies\": 1000000, \"array\": {\"columns\": 4096, \"across\": [1, "
                 "0, 0]}"),
        "particles in all");
    refuse(HED_ERROR_LIMIT,
        ONE(GRID ", \"array\": {\"columns\": 4096, \"rows\": 2, \"across\": [1, 0, 0], "
                 "\"along\": [0, 1, 0]}"),
        "more than 4096 garments");
}

/* ---- limits ---- */

/* Three frames of a scene on a device: nothing that is not finite comes out. */
static void run_scene(hed_cloth_scene *scene, double rate)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth *cloth;
    OK(hed_cloth_create(t.device, &def, &cloth, &error));
    uint32_t count = 3 * hed_cloth_vertex_count(cloth);
    float *positions = malloc(count * sizeof *positions);
    for (uint32_t number = 0; number < 3; number++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(scene, number * 1000000, rate, &frame, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
        for (uint32_t i = 0; i < count; i++) CHECK(isfinite(positions[i]));
    }
    free(positions);
    hed_cloth_destroy(cloth);
    test_close(&t);
}

Test(cloth_scene_refuse, every_value_at_its_limit)
{
    static const char *const texts[] = {
        "{\"unit\": 1e-6, \"rate\": 10000, \"substeps\": 1000, \"iterations\": 100, \"gravity\": [10000, -10000, "
        "10000], \"wind\": {\"velocity\": [1000, 1000, -1000], \"gust\": 1},"
        " \"camera\": {\"field_of_view\": 150, \"width\": 8192, \"height\": 8192},"
        " \"garments\": [{\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1e10, 1e10]}, \"density\": 10000, "
        "\"damping\": 0.999999, \"vertical_damping\": 0.999999,"
        " \"drag\": 100, \"lift\": 100, \"friction\": 10, \"thickness\": 1e10, \"driver\": {\"motion\": {\"keys\": "
        "[{\"time\": 0, \"move\": [1e10, 1e10, 1e10], \"degrees\": 1e6},"
        " {\"time\": 1e6, \"degrees\": -1e6, \"axis\": \"x\"}], \"spin\": {\"axis\": \"z\", \"degrees_per_second\": "
        "1e6}}}, \"max_distance\": 1e10, \"backstop_distance\": 1e10,"
        " \"backstop_radius\": 1e10, \"drive\": 1, \"drive_stiffness\": 1, \"tethers\": {\"slack\": 100}, "
        "\"materials\": {\"structural\": {\"compress\": 0, \"stretch\": 100, \"compliance\": 1e6}}}],"
        " \"colliders\": [{\"sphere\": {\"centre\": [1e10, 1e10, 1e10], \"radius\": 1e10}, \"friction\": 10}]}",
        "{\"unit\": 1e6, \"rate\": 1, \"substeps\": 1, \"iterations\": 1, \"gravity\": -10000, \"garments\": "
        "[{\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1e-8, 1e-8], \"origin\": [-0.01, -0.01, -0.01]},"
        " \"density\": 1e-4, \"thickness\": 0, \"driver\": {}, \"max_distance\": 0, \"backstop_distance\": -0.01, "
        "\"backstop_radius\": 0, \"drive\": 0, \"drive_stiffness\": 0}]}"};
    for (int i = 0; i < 2; i++) {
        hed_cloth_scene *scene = parsed(texts[i]);
        run_scene(scene, i ? 1 : 10000);
        hed_cloth_scene_close(scene);
    }
}

Test(cloth_scene_refuse, driver_jumps_ten_metres)
{
    /* In one frame, through a collider and back, with everything on. */
    hed_cloth_scene *scene = parsed(
        "{\"wind\": {\"velocity\": [5, 5, 5], \"gust\": 1}, \"ground\": {}, \"garments\": [{\"grid\": {\"width\": 9, "
        "\"height\": 9, \"size\": [1, 1]}, \"driver\": {\"motion\": {\"keys\": [{\"time\": 0.01}, {\"time\": 0.02, "
        "\"move\": [10, 0, 0], \"degrees\": 170}, {\"time\": 0.04}]}}, \"max_distance\": 0.1, \"backstop_distance\": "
        "-0.05, \"backstop_radius\": 0.2, \"drive\": 0.2, \"self_collision\": true, \"drag\": 1, \"lift\": 1, "
        "\"tethers\": true, \"pins\": [{\"vertices\": [0, 8]}]}], \"colliders\": [{\"sphere\": {\"centre\": [5, 0.5, 0], "
        "\"radius\": 1}}]}");
    run_scene(scene, 60);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_refuse, million_particles_with_every_map)
{
    FILE *file = fopen(in_folder("map.txt"), "w");
    for (int i = 0; i < 1000000; i++) fputs(i % 1000 ? "0.5\n" : "0.25\n", file);
    fclose(file);
    hed_cloth_scene *scene =
        parsed(ONE("\"grid\": {\"width\": 1000, \"height\": 1000, \"size\": [10, 10]}, "
                   "\"driver\": {\"motion\": {\"spin\": {\"axis\": \"y\", "
                   "\"degrees_per_second\": 9}}},"
                   "\"max_distance\": {\"file\": \"map.txt\"}, \"backstop_distance\": -0.5, "
                   "\"backstop_radius\": {\"file\": \"map.txt\", \"scale\": 10},"
                   "\"drive\": {\"file\": \"map.txt\", \"scale\": 0.1}, "
                   "\"drive_stiffness\": 0.5, \"tethers\": true,"
                   "\"pins\": [{\"box\": {\"low\": [-1, 9.999, -1], \"high\": [11, 11, 1]}, "
                   "\"motion\": {\"keys\": [{\"time\": 0}]}}]"));
    hed_cloth_frame frame;
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    CHECK(g->particle_count == 1000000 && g->grid_width == 1000);
    near(g->max_distance[999000], 0.25, 1e-7, "the last row's first");
    near(g->drive[999999], 0.05, 1e-7, "the last one");
    EXPECT(g->inverse_masses[999000] == 0 && g->inverse_masses[998999] > 0);
    OK(hed_cloth_scene_frame(scene, 0, 60, &frame, &error));
    point_is(
        &frame.driver_positions[3 * 999999], 10, 10, 0, 1e-4, "a pin with a motion of its own");
    hed_cloth_scene_close(scene);
}
