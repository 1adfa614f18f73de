/* Scenes, maps and arrays: what is read, what is refused and with which words, and the scenes that
 * come with Heddle. */
#include "folder.h"

#include <math.h>

#include "heddle/mppi_scene.h"
#include "support/file.h"

TestSuite(mppi_data, .init = folder_make, .fini = folder_remove);

static hed_error error;

static void put(const char *name, const void *bytes, size_t size)
{
    OK(hed_file_write(in_folder(name), bytes, size, &error));
}
static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

/* ---- maps ---- */

#define YAML "image: m.pgm\nresolution: 0.5\norigin: [1, 2, 0]\n"

Test(mppi_data, a_map_is_read)
{
    hed_mppi_map map;
    put_text("m.yaml",
        "# of a robot\nimage: \"m.pgm\" # beside\nresolution: 0.50\n---\n"
        "origin: [1.0, -2, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
    put("m.pgm", "P5\n# by hand\n3 2\n255\n\x00\xfe\xcd\xfe\x00\xfe", 27);
    OK(hed_mppi_map_read(in_folder("m.yaml"), &map, &error));
    CHECK(map.width == 3 && map.height == 2 && map.resolution == 0.5 && map.x == 1 && map.y == -2);
    /* the image's last row is the map's first */
    const float expected[] = {0, 1, 0, 1, 0, -1};
    CHECK_BYTES(map.values, expected, sizeof expected);
    float table[HED_MPPI_GRID_HEAD + 6];
    hed_mppi_map_table(&map, map.values, table);
    const float head[HED_MPPI_GRID_HEAD] = {3, 2, 1.25f, -1.75f, 2};
    CHECK_BYTES(table, head, sizeof head);
    hed_mppi_map_free(&map);

    /* plain, 16 bits, negated; raw values are hundredths */
    put_text("m.yaml", YAML "negate: 1\n");
    put_text("m.pgm", "P2 2 2 1000\n0 1000\n500 1000 ");
    OK(hed_mppi_map_read(in_folder("m.yaml"), &map, &error));
    const float plain[] = {-1, 1, 0, 1};
    CHECK_BYTES(map.values, plain, sizeof plain);
    hed_mppi_map_free(&map);
    put_text("m.yaml", YAML "mode: raw\n");
    put("m.pgm", "P5 2 2 255 \x00\x64\x32\xff", 15);
    OK(hed_mppi_map_read(in_folder("m.yaml"), &map, &error));
    const float raw[] = {0.5f, -1, 0, 1};
    CHECK_BYTES(map.values, raw, sizeof raw);
    hed_mppi_map_free(&map);
}

static void map_fails(const char *yaml, const char *words)
{
    hed_mppi_map map;
    put_text("m.yaml", yaml);
    FAILS(HED_ERROR_FORMAT, hed_mppi_map_read(in_folder("m.yaml"), &map, &error));
    CHECK(strstr(error.text, words), "%s: expected \"%s\"", error.text, words);
    CHECK_NULL(map.values);
}

static void image_fails(const char *bytes, size_t size, const char *words)
{
    put("m.pgm", bytes, size);
    map_fails(YAML, words);
}

Test(mppi_data, a_wrong_map_is_refused)
{
    put("m.pgm", "P5 2 2 255 abcd", 15);
    map_fails("image: m.pgm\n", "the resolution of the map");
    map_fails("resolution: 1\n", "the image of the map");
    map_fails("image: m.pgm\nresolution: nan\n", "m.yaml:2: resolution");
    map_fails(YAML "occupied_thresh: 2\n", "m.yaml:4: occupied_thresh: expected a number from 0");
    map_fails("image: m.pgm\nresolution: 1\norigin: [0, 0]\n", "three numbers");
    map_fails("image: m.pgm\nresolution: 1\norigin:\n  - 0\n", "m.yaml:3");
    map_fails("image: m.pgm\nresolution: 1\norigin: [0, 0, 0.5]\n", "turn the image");
    map_fails(YAML "mode: fine\n", "trinary, scale or raw");
    map_fails("image m.pgm\n", "m.yaml:1: expected \"key: value\"");
    image_fails("P5 2 2 255 abc", 14, "is cut");
    image_fails("P5 2 2 65535 abcd", 17, "is cut");
    image_fails("P2 2 2 255 1 2 3", 16, "is cut");
    image_fails("P2 2 2 255 1 2 3  ", 18, "the end of the file");
    image_fails("P5 2", 4, "height");
    image_fails("P5 99999999999 2 255 ", 21, "width");
    image_fails("P5 0 2 255 ", 11, "at least 1");
    image_fails("P5 1 2 255 ab", 13, "at least 2 x 2");
    image_fails("BM..", 4, "no image");
    put_text("m.yaml", "image: none.pgm\nresolution: 1\n");
    hed_mppi_map map;
    FAILS(HED_ERROR_IO, hed_mppi_map_read(in_folder("m.yaml"), &map, &error));
}

Test(mppi_data, distances_are_exact)
{
    enum { W = 37, H = 23 };
    static float values[W * H], distances[W * H];
    hed_mppi_map map = {W, H, 0.25, 0, 0, values};
    for (uint32_t i = 0; i < W * H; i++)
        values[i] = hed_sample_word(5, 0, i) % 16 == 0 || i % W < 3 ? 1 : 0;
    OK(hed_mppi_map_distances(&map, 0.5f, distances, &error));
    for (int i = 0; i < W * H; i++) {
        int nearest = 1 << 30;
        for (int k = 0; k < W * H; k++) {
            int dx = i % W - k % W, dy = i / W - k / W;
            if (values[k] != values[i] && dx * dx + dy * dy < nearest) nearest = dx * dx + dy * dy;
        }
        double d = 0.25 * (sqrt(nearest) - 0.5);
        CHECK_NEAR(distances[i], values[i] > 0 ? -d : d, 1e-5, "cell %d", i);
    }
    for (int i = 0; i < W * H; i++) values[i] = 0;
    OK(hed_mppi_map_distances(&map, 0.5f, distances, &error));
    CHECK_NEAR(distances[5], 0.25 * (W + H), 1e-5);
}

Test(mppi_data, a_path_becomes_a_table)
{
    const float points[] = {0, 0, 3, 4, 3, 4, 3, 0};
    float table[4 * HED_MPPI_PATH_SEGMENT];
    CHECK_EQ(hed_mppi_path_table(points, 4, false, table), 16);
    const float first[] = {0, 0, 3, 4, 0.04f, 9, 5, atan2f(4, 3)};
    CHECK_BYTES(table, first, sizeof first);
    CHECK_EQ(hed_mppi_path_table(points, 4, true, table), 24);
    CHECK_NEAR(table[5], 12, 1e-6);
    CHECK_EQ(hed_mppi_path_table(points, 1, false, table), 0);
    CHECK_EQ(hed_mppi_path_table(points, 0, true, table), 0);
}

/* ---- arrays ---- */

static void put_npy(const char *header, const void *data, size_t size)
{
    char bytes[2048] = "\x93NUMPY\1";
    size_t length = strlen(header);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, header, length);
    memcpy(bytes + 10 + length, data, size);
    put("a.npy", bytes, 10 + length + size);
}

#define NPY(type, order, shape) \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"

Test(mppi_data, arrays_are_read)
{
    float *values;
    uint32_t count;
    put_npy(NPY("<f4", "False", "(2, 2)"), (float[]){1, 2, 3, 4}, 16);
    OK(hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
    CHECK(count == 4 && values[3] == 4);
    free(values);
    put_npy(NPY("<f8", "False", "(3,)"), (double[]){1, 0.5, -3}, 24);
    OK(hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
    CHECK(count == 3 && values[1] == 0.5f && values[2] == -3);
    free(values);
}

static void npy_fails(const char *header, const char *words)
{
    float *values;
    uint32_t count;
    put_npy(header, (float[]){1, NAN, 3, 4}, 16);
    FAILS(HED_ERROR_FORMAT, hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
    CHECK(strstr(error.text, words) && !values, "%s: expected \"%s\"", error.text, words);
}

Test(mppi_data, a_wrong_array_is_refused)
{
    npy_fails(NPY("<f4", "False", "(2, 2)"), "element 1 is no finite number");
    npy_fails(NPY("<f4", "False", "(5,)"), "is cut");
    npy_fails(NPY("<f4", "False", "(4294967296, 4294967296)"), "is cut");
    npy_fails(NPY("<f4", "True", "(2, 2)"), "Fortran");
    npy_fails(NPY("<i4", "False", "(2, 2)"), "<i4");
    npy_fails(NPY("<f4", "False", "(-1,)"), "expected a length");
    npy_fails(NPY("<f4", "False", "(2"), "shape");
    npy_fails("{'descr': '<f4'}", "damaged");
    float *values;
    uint32_t count;
    char header[1100];
    snprintf(header, sizeof header, "%-1024s", NPY("<f4", "False", "(2, 2)"));
    put_npy(header, (float[]){1, 2, 3, 4}, 16);
    FAILS(HED_ERROR_LIMIT, hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
    CHECK(strstr(error.text, "has 1024 bytes; expected at most 1023"), "%s", error.text);
    hed_error_clear(&error);
    put_text("a.npy", "\x93NUMPY\1");
    FAILS(HED_ERROR_FORMAT, hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
    put_text("a.npy", "no array, but some text");
    FAILS(HED_ERROR_FORMAT, hed_mppi_npy_read(in_folder("a.npy"), &values, &count, &error));
}

/* ---- scenes ---- */

static hed_status parse(const char *text, hed_mppi_scene **scene)
{
    return hed_mppi_scene_parse(text, strlen(text), "s.json", folder, scene, &error);
}

static void scene_fails(const char *text, const char *words)
{
    hed_mppi_scene *scene;
    FAILS(HED_ERROR_FORMAT, parse(text, &scene));
    CHECK(strstr(error.text, words) && !scene, "%s: expected \"%s\"", error.text, words);
}

Test(mppi_data, a_scene_of_ones_own)
{
    hed_mppi_scene *scene;
    put_text("my.h", "MPPI_FUNCTION void model_step() {}");
    put_text("mine.h", "MPPI_FUNCTION float term_mine() {}");
    put_text("m.yaml", YAML);
    put("m.pgm", "P5 2 2 255 \x00\xfe\xfe\xfe", 15);
    OK(parse(
        "{\"model\": {\"source\": \"my.h\", \"states\": [\"x\", \"y\", \"a\"], \"controls\": "
        "[\"f\"], \"parameters\": {\"mass\": 2, \"k\": [1, 2]}, \"pose\": {\"x\": \"x\", "
        "\"y\": \"y\", \"heading\": \"a\"}, \"angles\": [\"a\"], \"dt\": 0.1}, \"terms\": "
        "[{\"term\": \"mine\", \"source\": \"mine.h\", \"weight\": 3, \"when\": \"always\", "
        "\"parameters\": {\"z\": 7}, \"tables\": [\"t\"]}, {\"term\": \"quadratic\", "
        "\"parameters\": {\"goal\": {\"a\": 1}, \"state\": [1, 2, 3], \"control\": 5}}, "
        "{\"term\": \"costmap\"}, {\"term\": \"clearance\"}], \"tables\": {\"t\": [1, 2]}, "
        "\"map\": {\"yaml\": \"m.yaml\"}, \"controls\": {\"f\": {\"sigma\": 2, \"minimum\": "
        "-1, \"maximum\": 1, \"rate\": 4}}, \"start\": {\"y\": 4}, \"controller\": "
        "{\"kind\": \"tube\", \"samples\": 64, \"lambda\": 0.5, \"smooth\": false, "
        "\"sampler\": \"coloured\", \"exponent\": [1], \"seed\": 9}, \"run\": {\"steps\": 5, "
        "\"plant\": {\"parameters\": {\"mass\": 3}, \"disturbance\": {\"a\": 0.5}, \"pushes\": "
        "[{\"at\": 2, \"change\": [1, 0, 4]}], \"seed\": 8}}}",
        &scene));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    CHECK(def.model->states == 3 && def.model->pose_heading == 2 && def.model->speed == -1);
    CHECK(def.model->angles == 4 && def.model->dt == 0.1f && strstr(def.model->text, "model_step"));
    CHECK(def.term_count == 4 && def.terms[0].weight == 3 && def.terms[0].when == HED_MPPI_ALWAYS);
    CHECK(def.kind == HED_MPPI_TUBE && def.samples == 64 && def.lambda == 0.5f && !def.smooth);
    CHECK(def.sampler == HED_MPPI_COLOURED && def.exponent[0] == 1 && def.seed == 9);
    CHECK(def.sigma[0] == 2 && def.minimum[0] == -1 && def.maximum[0] == 1 && def.rate[0] == 4);
    CHECK(hed_mppi_scene_start(scene)[1] == 4 && hed_mppi_scene_run_steps(scene) == 5);
    hed_mppi_plant plant = hed_mppi_scene_plant(scene);
    CHECK(plant.setting_count == 1 && plant.settings[0].value == 3 && plant.disturbance[2] == 0.5f);
    CHECK(plant.push_count == 1 && plant.pushes[0].seconds == 2 && plant.pushes[0].change[2] == 4);
    CHECK(plant.seed == 8 && plant.disturbance[0] == 0);
    static const hed_mppi_setting expected[] = {{"mass", 2}, {"k.0", 1}, {"k.1", 2}, {"mine.z", 7},
        {"quadratic.goal.a", 1}, {"quadratic.state.x", 1}, {"quadratic.state.y", 2},
        {"quadratic.state.a", 3}, {"quadratic.control.f", 5}};
    CHECK_EQ(def.setting_count, HED_COUNT(expected));
    for (uint32_t i = 0; i < def.setting_count; i++) {
        CHECK_TEXT(def.settings[i].name, expected[i].name);
        CHECK(def.settings[i].value == expected[i].value, "%s", expected[i].name);
    }
    CHECK_EQ(def.table_count, 3);
    CHECK_TEXT(def.tables[0].name, "t");
    CHECK(def.tables[1].count == 12 && def.tables[1].values[10] == 1);
    CHECK_NEAR(def.tables[2].values[10], -0.25, 1e-6);
    CHECK_NEAR(def.tables[2].values[9], 0.5 * (sqrt(2) - 0.5), 1e-6);
    hed_mppi_scene_close(scene);
}

#define TERMS "\"terms\": [{\"term\": \"goal\"}]"

Test(mppi_data, a_wrong_scene_is_refused)
{
    scene_fails("{\"model\": \"carpole\", " TERMS "}", "did you mean \"cartpole\"");
#define PLANT(text) \
    "{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\"}], \"run\": {\"steps\": 1, \"plant\": {" text \
    "}}}"
    scene_fails(PLANT("\"parameters\": {\"sped\": 1}"), "did you mean \"speed\"");
    scene_fails(PLANT("\"disturbance\": [0, -1, 0]"), "at least 0; found -1");
    scene_fails(PLANT("\"pushes\": [{\"at\": -1, \"change\": [0, 0, 0]}]"), "pushes[0].at");
    scene_fails(PLANT("\"pushes\": [{\"at\": 1}]"), "change");
    scene_fails(PLANT("\"pushs\": []"), "pushs");
    scene_fails("{\"model\": \"dubins\", \"terms\": []}", "terms: expected 1 to 16 terms, found 0");
    scene_fails("{\"model\": \"dubins\", \"terms\": [{\"term\": \"gaol\"}]}", "terms[0].term");
    scene_fails("{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\"}, {\"term\": \"goal\"}]}",
        "already a term");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"parameters\": {\"sped\": 1}}",
        "did you mean \"speed\"");
    scene_fails("{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\", \"parameters\": {\"x\": "
                "[1]}}]}",
        "expected a number");
    scene_fails("{\"model\": \"dubins\", \"terms\": [{\"term\": \"quadratic\", \"parameters\": "
                "{\"goal\": [1]}}]}",
        "expected 3 numbers, found 1");
    scene_fails("{\"model\": \"dubins\", \"terms\": [{\"term\": \"quadratic\", \"parameters\": "
                "{\"goal\": {\"z\": 1}}}]}",
        "no state \"z\"");
    scene_fails(
        "{\"model\": \"dubins\", " TERMS ", \"controls\": {\"tun\": {}}}", "did you mean \"turn\"");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"start\": [1, 2]}", "start");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"controller\": {\"samples\": 0}}",
        "controller.samples");
    scene_fails(
        "{\"model\": \"dubins\", " TERMS ", \"controller\": {\"dt\": -1}}", "controller.dt");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"controller\": {\"steps\": 0}}", "(s.json:1:");
    scene_fails(
        "{\"model\": \"dubins\", " TERMS ", \"map\": {\"yaml\": \"m.yaml\", \"no\": 1}}", "no");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"path\": {\"points\": [[0, 0], [1, 1]]}}",
        "no term of this scene reads a path");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"obstacles\": [{\"radius\": 1, \"points\": "
                "[]}]}",
        "expected 1 to 65536 points");
    scene_fails("{\"model\": \"dubins\", " TERMS ", \"tables\": {\"a\": []}}", "tables.a");
#define CONTROLLER(text) "{\"model\": \"dubins\", " TERMS ", \"controller\": {" text "}}"
    scene_fails(CONTROLLER("\"elite\": 0.2"),
        "controller.elite: no effect with \"update\": \"exponential\"; expected \"elite\" there (s.json:1:");
    scene_fails(CONTROLLER("\"knots\": 5"), "expected \"spline\" or \"support_points\" there");
    scene_fails(CONTROLLER("\"risk\": \"value_at_risk\""), "no effect with \"rollouts\": 1 (");
    put_text("a.h", "");
    scene_fails("{\"model\": {\"source\": \"a.h\", \"states\": [], \"controls\": [\"u\"]}, " TERMS
                "}",
        "model.states: expected 1 to 64 states, found 0");
    hed_mppi_scene *scene;
    FAILS(HED_ERROR_IO,
        parse("{\"model\": \"dubins\", " TERMS ", \"tables\": {\"a\": \"b.npy\"}}", &scene));
    put_text("m.yaml", "image: x\n");
    put_text("s.json", "{\"model\": \"dubins\", \"terms\": [{\"term\": \"costmap\"}], \"map\": "
                       "{\"yaml\": \"m.yaml\"}}");
    FAILS(HED_ERROR_FORMAT, hed_mppi_scene_open(in_folder("s.json"), &scene, &error));
    CHECK(strstr(error.text, "m.yaml says nothing of the resolution"), "%s", error.text);
}

Test(mppi_data, obstacles_and_paths_move_on)
{
    hed_mppi_scene *scene;
    const hed_mppi_table *tables;
    OK(parse(
        "{\"model\": \"dubins\", \"terms\": [{\"term\": \"obstacles\"}, {\"term\": "
        "\"path_align\"}], \"obstacles\": [{\"radius\": 0.5, \"speed\": 2, \"points\": [[0, 0], "
        "[4, 0]]}, {\"radius\": 1, \"speed\": 1, \"closed\": true, \"points\": [[0, 0], [0, "
        "3]]}], \"path\": {\"points\": [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]], \"ahead\": "
        "1.5}, \"controller\": {\"steps\": 10, \"dt\": 0.1}}",
        &scene));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    CHECK(def.tables[1].count == 2 * HED_MPPI_PATH_SEGMENT);
    CHECK_EQ(hed_mppi_scene_tables(scene, 1.5, (float[]){1.2f, 0.3f, 0}, &tables), 2);
    CHECK_TEXT(tables[0].name, "path");
    CHECK(tables[0].values[0] == 1 && tables[0].values[5] == 2 && tables[0].count == 16);
    const float *o = tables[1].values;
    CHECK(o[0] == 2 && o[1] == 11 && o[2] == 10 && tables[1].count == 4 + 4 * 2 * 11);
    CHECK_NEAR(o[4], 3, 1e-6);         /* the first disc, now */
    CHECK_NEAR(o[4 + 8 * 5], 4, 1e-6); /* half a second on: it has arrived */
    CHECK_NEAR(o[4 + 8 * 10], 4, 1e-6);
    CHECK_NEAR(o[8 + 1], 1.5, 1e-6); /* the second one goes there and back */
    CHECK_EQ(hed_mppi_scene_tables(scene, 5, (float[]){2.6f, 0, 0}, &tables), 2);
    CHECK(tables[0].count == 16 && tables[0].values[0] == 2 && tables[0].values[5] == 2);
    CHECK_NEAR(tables[1].values[8 + 1], 1, 1e-5);
    hed_mppi_scene_close(scene);
}

/* ---- what ships ---- */

static const char *const scenes[] = {"cartpole", "circle", "quadrotor", "differential_drive", "car",
    "network", "pendulum", "dubins", "robot"};

Test(mppi_data, scenes_that_come_with_heddle_run)
{
    test_device t = test_open(NULL);
    for (size_t i = 0; i < HED_COUNT(scenes); i++) {
        char path[64];
        hed_mppi_scene *scene;
        hed_mppi *controller;
        const hed_mppi_table *tables;
        float u[HED_MPPI_MAX_CONTROLS];
        snprintf(path, sizeof path, "data/mppi/%s.json", scenes[i]);
        OK(hed_mppi_scene_open(path, &scene, &error));
        hed_mppi_def def = hed_mppi_scene_def(scene);
        def.samples = 64;
        OK(hed_mppi_create(t.device, &def, &controller, &error));
        uint32_t count = hed_mppi_scene_tables(scene, 0, hed_mppi_scene_start(scene), &tables);
        for (uint32_t k = 0; k < count; k++)
            OK(hed_mppi_post_table(
                controller, tables[k].name, tables[k].values, tables[k].count, &error));
        for (int k = 0; k < 3; k++) {
            hed_mppi_stats stats;
            OK(hed_mppi_solve(controller, hed_mppi_scene_start(scene), u, &stats, &error));
            CHECK(stats.outcome == HED_MPPI_SOLVED && isfinite(stats.baseline), "%s", scenes[i]);
        }
        hed_mppi_destroy(controller);
        hed_mppi_scene_close(scene);
    }
    test_close(&t);
}

/* Each robot of a fleet has its start, its parameters and its map, and drives to its own goal. */
Test(mppi_data, a_fleet_has_goals_and_maps_of_its_own)
{
    enum { ROBOTS = 9, STATES = 5 };
    hed_mppi_scene *scene;
    hed_mppi *controller;
    test_device t = test_open(NULL);
    float x[ROBOTS * STATES], first[ROBOTS], away[ROBOTS];
    OK(hed_mppi_scene_open("data/mppi/fleet.json", &scene, &error));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    CHECK_EQ(def.count, ROBOTS);
    CHECK(def.tables[0].per_controller && hed_mppi_scene_robot(scene, 0).table_count == 0);
    CHECK(hed_mppi_scene_robot(scene, ROBOTS).setting_count == 0);
    def.samples = 256;
    OK(hed_mppi_create(t.device, &def, &controller, &error));
    for (uint32_t i = 0; i < ROBOTS; i++) {
        const hed_mppi_robot robot = hed_mppi_scene_robot(scene, i);
        OK(hed_mppi_set_robot(controller, i, &robot, &error));
    }
    memcpy(x, hed_mppi_scene_start(scene), sizeof x);
    CHECK(x[0] == -4.5f && x[3 * STATES] == 0.6f);
    for (int step = 0; step <= 60; step++) { /* 3 s */
        for (uint32_t i = 0; i < ROBOTS; i++) {
            const hed_mppi_setting *goal = hed_mppi_scene_robot(scene, i).settings;
            float *distance = step ? &away[i] : &first[i];
            float along = x[i * STATES] - goal[0].value, across = x[i * STATES + 1] - goal[1].value;
            *distance = sqrtf(along * along + across * across); /* hypotf() would need glibc 2.35 */
        }
        OK(hed_mppi_solve(controller, x, NULL, NULL, &error));
        for (uint32_t i = 0; i < ROBOTS; i++)
            memcpy(x + i * STATES, hed_mppi_states(controller, i) + STATES, STATES * sizeof(float));
        hed_mppi_shift(controller, 1);
    }
    for (uint32_t i = 0; i < ROBOTS; i++) CHECK_LT(away[i], first[i] - 0.5f, "robot %u", i);
    hed_mppi_destroy(controller);
    hed_mppi_scene_close(scene);
    test_close(&t);
}

/* A wrong fleet is refused where it is wrong. */
Test(mppi_data, wrong_fleets_are_refused)
{
    hed_mppi_scene *scene;
    error = (hed_error){0};
    FAILS(HED_ERROR_FORMAT, parse("{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\"}, {\"term\": "
                                  "\"path_follow\"}], \"path\": {\"points\": [[0, 0], [1, 1]]}, \"robots\": [{}]}",
                                &scene));
    CHECK(strstr(error.text, "robots") && strstr(error.text, "path"), "%s", error.text);
    error = (hed_error){0};
    FAILS(HED_ERROR_FORMAT, parse("{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\"}], \"robots\": [{\"goal\": 1}]}", &scene));
    CHECK(strstr(error.text, "robots[0].goal"), "%s", error.text);
    error = (hed_error){0};
    OK(parse("{\"model\": \"dubins\", \"terms\": [{\"term\": \"goal\"}], \"robots\": [{}, {\"parameters\": {\"gaol.x\": 1}}]}", &scene));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    hed_mppi *controller;
    test_device t = test_open(NULL);
    OK(hed_mppi_create(t.device, &def, &controller, &error));
    const hed_mppi_robot robot = hed_mppi_scene_robot(scene, 1);
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_robot(controller, 1, &robot, &error));
    CHECK(strstr(error.text, "robot 1, parameter gaol.x"), "%s", error.text);
    hed_mppi_destroy(controller);
    hed_mppi_scene_close(scene);
    test_close(&t);
}

/* Names of parameters are not cut: two that share 200 characters are two. */
Test(mppi_data, long_names)
{
    enum { LONG = 200 };
    char name[LONG + 1], *text;
    hed_mppi_scene *scene;
    memset(name, 'n', LONG);
    name[LONG] = 0;
    put_text("my.h", "MPPI_FUNCTION void model_step() {}");
    put_text("mine.h", "MPPI_FUNCTION float term_mine() {}");
    CHECK(asprintf(&text,
              "{\"model\": {\"source\": \"my.h\", \"states\": [\"x\"], \"controls\": [\"f\"], "
              "\"parameters\": {\"%s1\": 1, \"%s2\": [2, 3]}}, \"terms\": [{\"term\": \"mine\", "
              "\"source\": \"mine.h\", \"parameters\": {\"%s3\": 4, \"%s4\": [5]}}]}",
              name, name, name, name) > 0);
    OK(parse(text, &scene));
    hed_mppi_def def = hed_mppi_scene_def(scene);
    static const struct {
        const char *before, *behind;
    } expected[] = {{"", "1"}, {"", "2.0"}, {"", "2.1"}, {"mine.", "3"}, {"mine.", "4.0"}};
    CHECK_EQ(def.setting_count, HED_COUNT(expected));
    for (uint32_t i = 0; i < def.setting_count; i++) {
        char *whole;
        CHECK(asprintf(&whole, "%s%s%s", expected[i].before, name, expected[i].behind) > 0);
        CHECK_TEXT(def.settings[i].name, whole);
        CHECK_EQ(def.settings[i].value, (float)i + 1);
        free(whole);
    }
    hed_mppi_scene_close(scene);
    free(text);
    for (int length = 48; length <= 49; length++) {
        CHECK(asprintf(&text,
                  "{\"model\": {\"source\": \"my.h\", \"states\": [\"%.*s\"], \"controls\": [\"f\"]}, "
                  "\"terms\": [{\"term\": \"goal\"}]}",
                  length, name) > 0);
        error = (hed_error){0};
        hed_status status = parse(text, &scene);
        CHECK(length == 49 ? strstr(error.text, "49 characters, expected 1 to 48") != NULL
                           : !strstr(error.text, "characters"),
            "%s", error.text);
        if (!status) hed_mppi_scene_close(scene);
        free(text);
    }
}

/* The name of a map's image may be as long as a path, and one that is longer is refused. */
Test(mppi_data, long_names_of_images)
{
    char yaml[8192], image[4200] = "";
    hed_mppi_map map;
    put("m.pgm", "P5 2 2 255 \x00\xfe\xfe\xfe", 15);
    for (int i = 0; i < 400; i++) strcat(image, "./");
    snprintf(yaml, sizeof yaml, "resolution: 0.5\norigin: [1, 2, 0]\nimage: %sm.pgm\n", image);
    put_text("long.yaml", yaml);
    OK(hed_mppi_map_read(in_folder("long.yaml"), &map, &error));
    hed_mppi_map_free(&map);
    for (int i = 0; i < 1650; i++) strcat(image, "./");
    snprintf(yaml, sizeof yaml, "resolution: 0.5\nimage: %sm.pgm\n", image);
    put_text("long.yaml", yaml);
    FAILS(HED_ERROR_LIMIT, hed_mppi_map_read(in_folder("long.yaml"), &map, &error));
    CHECK(strstr(error.text, "expected at most 4095"), "%s", error.text);
}
