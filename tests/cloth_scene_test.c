/* Scene files: shapes, settings, units, garments, pins and painted maps. */
#include "cloth_scenes.h"

TestSuite(cloth_scene, .init = folder_make, .fini = folder_remove);

/* ---- shapes ---- */

Test(cloth_scene, grid_is_in_rows_and_faces_forward)
{
    hed_cloth_scene *scene =
        parsed(ONE("\"grid\": {\"width\": 3, \"height\": 2, \"size\": [2, 1], \"origin\": [5, "
                   "0, 0], \"axes\": [\"x\", \"-z\"]}"));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    const hed_cloth_garment_def *g = def.garments;
    const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(scene, 0);
    CHECK(def.garment_count == 1 && g->particle_count == 6 && g->grid_width == 3 &&
          g->grid_height == 2 && g->quad_count == 2);
    point_is(&g->positions[3 * 4], 6, 0, -1, 1e-6, "middle of the second row");
    near(mesh->textures[2 * 4], 0.5, 1e-6, "u");
    near(mesh->textures[2 * 4 + 1], 1, 1e-6, "v");
    EXPECT(g->quads[0] == 0 && g->quads[1] == 1 && g->quads[2] == 4 && g->quads[3] == 3);
    EXPECT(!hed_cloth_scene_file(scene, 0));
    near(1 / g->inverse_masses[0] / 0.2, 0.25, 1e-5, "a corner has a quarter of a cell");
    near(1 / g->inverse_masses[1] / 0.2, 0.5, 1e-5, "an edge has half a cell");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, folded_grid_rests_flat)
{
    hed_cloth_scene *scene = parsed(ONE("\"grid\": {\"width\": 2, \"height\": 9, \"size\": [1, 2], "
                                        "\"folds\": 1, \"gap\": 0.1}"));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    const hed_cloth_garment_def *g = def.garments;
    point_is(&g->rest_positions[3 * 16], 0, 2, 0, 1e-6, "last row at rest");
    point_is(&g->positions[3 * 16], 0, 0, 0.1, 1e-6, "last row lies over the first");
    point_is(&g->positions[3 * 4], 0, 0.5, 0, 1e-6, "third row is where it was");
    hed_cloth_scene_close(scene);
}

/* The area of all faces seen from `axis`, positive where they face there. */
static double area_towards(const hed_cloth_mesh *mesh, const double axis[3], const double *centre)
{
    double sum = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++)
        for (uint32_t c = mesh->face_at[f] + 1; c + 1 < mesh->face_at[f + 1]; c++) {
            const float *a = &mesh->positions[3 * mesh->corners[mesh->face_at[f]]],
                        *b = &mesh->positions[3 * mesh->corners[c]];
            const float *d = &mesh->positions[3 * mesh->corners[c + 1]];
            double e[3], g[3], n[3], to[3];
            for (int k = 0; k < 3; k++) {
                e[k] = b[k] - a[k];
                g[k] = d[k] - a[k];
                /* away from a line or towards a side */
                to[k] = centre ? a[k] - centre[k] : axis[k];
                if (centre && axis[k] != 0) to[k] = 0;
            }
            double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
            for (int k = 0; k < 3; k++)
                n[k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
            double facing = (n[0] * to[0] + n[1] * to[1] + n[2] * to[2]) / length / 2;
            CHECK(facing > 0, "face %u looks the wrong way", f);
            sum += facing;
        }
    return sum;
}

Test(cloth_scene, disc_is_sound_and_faces_up)
{
    hed_cloth_scene *scene =
        parsed("{\"up\": \"z\", \"garments\": [{\"disc\": {\"radius\": 2, \"rings\": 20, "
               "\"centre\": [0, 0, 3]}}]}");
    const hed_cloth_mesh *mesh = hed_cloth_scene_mesh(scene, 0);
    CHECK(mesh->vertex_count == 1 + 3 * 20 * 21 && mesh->face_count == 6 * 20 * 20);
    OK(hed_cloth_mesh_require_sound("disc", mesh, &error));
    near(area_towards(mesh, (const double[]){0, 0, 1}, NULL), 3.14159265 * 4, 0.05, "area");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, sleeve_and_skirt_face_outwards)
{
    hed_cloth_scene *scene =
        parsed("{\"garments\": [{\"name\": \"a\", \"sleeve\": {\"radius\": 1, \"length\": 3, "
               "\"around\": 40, \"rows\": 5}}, "
               "{\"name\": \"b\", \"skirt\": {\"radius\": [1, 2], \"length\": 1, \"around\": "
               "40, \"rows\": 3, \"origin\": [0, 9, 0]}}]}");
    const hed_cloth_mesh *sleeve = hed_cloth_scene_mesh(scene, 0),
                         *skirt = hed_cloth_scene_mesh(scene, 1);
    CHECK(
        sleeve->vertex_count == 200 && sleeve->texture_count == 205 && skirt->vertex_count == 120);
    OK(hed_cloth_mesh_require_sound("sleeve", sleeve, &error));
    near(area_towards(sleeve, (const double[]){0, 1, 0}, (const double[]){0, 0, 0}),
        3.14159265 * 2 * 3, 0.1, "area");
    area_towards(skirt, (const double[]){0, 1, 0}, (const double[]){0, 0, 0});
    point_is(&sleeve->positions[3 * 160], sleeve->positions[0], -3, sleeve->positions[2], 1e-5,
        "last row of the sleeve");
    near(skirt->positions[3 * 80 + 1], 8, 1e-5, "last row of the skirt");
    const float *low = &skirt->positions[3 * 80];
    near(sqrt(low[0] * low[0] + low[2] * low[2]), 2, 1e-5, "its radius");
    hed_cloth_scene_close(scene);
}

/* ---- the whole scene ---- */

Test(cloth_scene, settings_and_units)
{
    hed_cloth_scene *scene =
        parsed("{\"$schema\": \"x\", \"up\": \"z\", \"unit\": \"cm\", \"rate\": 24, "
               "\"frames\": 7, \"substeps\": 9, \"iterations\": 2, "
               "\"gravity\": 1.6, \"wind\": {\"velocity\": [1, 2, 3], \"gust\": 0.5}, "
               "\"ground\": {\"height\": 10}, "
               "\"garments\": [{" GRID ", \"thickness\": 2, \"layer\": 0}], "
               "\"colliders\": [{\"sphere\": {\"centre\": [100, 0, 0], \"radius\": "
               "50}, \"friction\": 0.25}]}");
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth_frame frame;
    CHECK(def.up == 2 && def.substeps == 9 && def.iterations == 2 &&
          hed_cloth_scene_frames(scene) == 7);
    near(hed_cloth_scene_rate(scene), 24, 0, "rate");
    point_is(&def.garments->positions[3 * 5], 0.02, 0.01, 0, 1e-7, "in metres");
    near(def.garments->thickness, 0.02, 1e-7, "thickness");
    OK(hed_cloth_scene_frame(scene, 5, 48, &frame, &error));
    near(frame.seconds, 1.0 / 48, 1e-12, "seconds");
    point_is(frame.gravity, 0, 0, -1.6, 1e-6, "gravity");
    point_is(frame.wind, 1, 2, 3, 0, "wind");
    CHECK(frame.gust == 0.5f && frame.collider_count == 2 && frame.mesh_count == 0 &&
          !frame.driver_positions);
    near(frame.colliders[0].a[2], 0.1, 1e-7, "the ground");
    near(frame.colliders[0].b[2], 1, 0, "faces up");
    near(frame.colliders[1].a[0], 1, 1e-6, "the sphere");
    near(frame.colliders[1].radius[0], 0.5, 1e-6, "its radius");
    EXPECT(frame.colliders[1].friction == 0.25f);
    CHECK_NOT_NULL(frame.transform);
    near(frame.transform[0], 100, 1e-4, "out in centimetres");
    CHECK(hed_cloth_scene_prop_count(scene) == 1); /* the ground is the picture's */
    hed_cloth_prop prop = hed_cloth_scene_prop(scene, 0);
    for (uint32_t i = 0; i < prop.vertex_count; i++) {
        const float *p = &prop.positions[3 * i];
        near(sqrt((p[0] - 100) * (p[0] - 100) + p[1] * p[1] + p[2] * p[2]), 50, 0.01,
            "a vertex of the sphere that is shown");
    }
    hed_cloth_camera camera = hed_cloth_scene_camera(scene);
    CHECK(camera.up[2] == 1 && camera.width == 1280 && camera.height == 720 && camera.eye[1] < 0);
    hed_cloth_scene_close(scene);
}

/* One for each frame or sample, of which the last holds on; frames are those of the file's rate,
 * however fast it is run. */
Test(cloth_scene, winds_and_matrices_in_turn)
{
    hed_cloth_scene *scene =
        parsed("{\"rate\": 24, \"wind\": {\"velocity\": [[1, 0, 0], [0, 2, 0], [0, 0, 3]]}, "
               "\"output_matrix\": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]], "
               "\"garments\": [{" GRID ", \"output_matrix\": ["
               "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "
               "[[1, 0, 0, 7], [0, 1, 0, 8], [0, 0, 1, 9], [0, 0, 0, 1]]]}, {" GRID "}]}");
    static const float winds[][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    hed_cloth_frame frame;
    double matrix[12];
    for (uint32_t k = 0; k < 5; k++)
        for (uint32_t faster = 1; faster <= 2; faster++) {
            const float *wind = winds[k < 2 ? k : 2];
            OK(hed_cloth_scene_frame(scene, k * faster, 24 * faster, &frame, &error));
            point_is(frame.wind, wind[0], wind[1], wind[2], 0, "wind");
        }
    for (uint32_t sample = 0; sample < 4; sample++) {
        CHECK(hed_cloth_scene_output(scene, 0, sample, matrix));
        near(matrix[0], 1, 0, "a garment's own");
        near(matrix[7], sample > 0 ? 8 : 0, 0, "its translation");
        CHECK(hed_cloth_scene_output(scene, 1, sample, matrix));
        near(matrix[5], 2, 0, "the whole scene's");
    }
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, options_stand_over_the_file)
{
    hed_cloth_scene *scene;
    hed_cloth_scene_options options = {.tethers = true, .substeps = 40};
    OK(parse(ONE(GRID ", \"tethers\": false"), &options, &scene));
    EXPECT(
        hed_cloth_scene_def(scene).substeps == 40 && hed_cloth_scene_def(scene).garments->tethers);
    hed_cloth_scene_close(scene);
}

/* ---- garments ---- */

Test(cloth_scene, garment_says_everything)
{
    hed_cloth_scene *scene =
        parsed(ONE("\"name\": \"flag\", " GRID ", \"density\": 0.5, \"materials\": "
                   "{\"shear\": false, \"bend\": "
                   "{\"compress\": 0.5, \"stretch\": 1.5, \"compliance\": 2}}, \"tethers\": "
                   "{\"slack\": 1.25}, \"damping\": 0.5, "
                   "\"vertical_damping\": 0.25, \"drag\": 1.5, \"lift\": 0.75, \"friction\": "
                   "0.125, \"self_collision\": true, "
                   "\"copies\": 3, \"colour\": [0, 0.5, 1]"));
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    float rgb[3];
    hed_cloth_scene_colour(scene, 0, rgb);
    EXPECT_TEXT(hed_cloth_scene_garment_name(scene, 0), "flag");
    EXPECT(!g->family[HED_CLOTH_SHEAR] && g->family[HED_CLOTH_STRUCTURAL] &&
           g->family[HED_CLOTH_BEND]);
    const hed_cloth_material *bend = &g->family_material[HED_CLOTH_BEND];
    EXPECT(bend->compress == 0.5f && bend->stretch == 1.5f && bend->compliance == 2.0f);
    EXPECT(g->tethers && g->tether_slack == 1.25f && g->density == 0.5f && g->damping == 0.5f &&
           g->vertical_damping == 0.25f);
    EXPECT(g->drag == 1.5f && g->lift == 0.75f && g->friction == 0.125f && g->self_collision &&
           g->copies == 3);
    EXPECT(rgb[0] == 0 && rgb[1] == 0.5f && rgb[2] == 1);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, fabrics_by_name_and_by_numbers)
{
    const hed_cloth_fabric *denim = hed_cloth_fabric_named("denim");
    hed_cloth_scene *scene = parsed(ONE(GRID ", \"fabric\": \"denim\""));
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    CHECK(g->fabric);
    EXPECT(g->fabric->warp == denim->warp && g->fabric->bend_weft == denim->bend_weft);
    EXPECT(g->density == denim->density && !g->stretch_scale && !g->bend_scale);
    EXPECT(g->warp_axis[0] == 0 && g->warp_axis[1] == 1 && g->warp_axis[2] == 0);
    hed_cloth_scene_close(scene);
    scene = parsed("{\"up\": \"z\", \"garments\": [{" GRID ", \"fabric\": \"denim\"}]}");
    g = hed_cloth_scene_def(scene).garments;
    EXPECT(g->warp_axis[0] == 0 && g->warp_axis[1] == 0 && g->warp_axis[2] == 1);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE(GRID ", \"density\": 0.5, \"fabric\": {\"name\": \"denim\", \"shear\": 7, "
                            "\"bend_scale\": 3, \"warp_axis\": \"-z\"}"));
    g = hed_cloth_scene_def(scene).garments;
    EXPECT(g->fabric->warp == denim->warp && g->fabric->shear == 7 && g->density == 0.5f);
    EXPECT(g->warp_axis[2] == -1 && !g->stretch_scale && g->bend_scale[0] == 3);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE(GRID ", \"fabric\": {\"warp\": 1, \"weft\": 2, \"shear\": 3, "
                            "\"bend_warp\": 0, \"bend_weft\": 5}"));
    g = hed_cloth_scene_def(scene).garments;
    EXPECT(g->fabric->weft == 2 && g->fabric->bend_warp == 0 && g->fabric->bend_weft == 5);
    EXPECT_NEAR(g->density, 0.2, 1e-6);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, mesh_is_welded_and_placed)
{
    /* A square of two triangles that share no vertex. */
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"transform\": {\"scale\": 2, \"rotate\": "
                   "[{\"axis\": \"x\", \"degrees\": 90}, "
                   "{\"axis\": [0, 0, 5], \"degrees\": 90}], \"move\": [0, 0, 10]}, "
                   "\"pins\": [{\"vertices\": [4]}]"));
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    CHECK(g->particle_count == 4 && g->vertex_count == 6 && g->triangle_count == 2);
    const uint32_t particles[] = {0, 1, 2, 0, 2, 3};
    EXPECT(memcmp(g->vertex_particle, particles, sizeof particles) == 0);
    EXPECT(hed_cloth_scene_mesh(scene, 0)->vertex_count == 6);
    EXPECT(strstr(hed_cloth_scene_file(scene, 0), "m.obj"));
    point_is(&g->positions[3 * 1], 0, 2, 10, 1e-6, "vertex 1");
    point_is(&g->positions[3 * 2], 0, 2, 12, 1e-6, "vertex 2");
    EXPECT(g->inverse_masses[2] == 0 && g->inverse_masses[0] > 0);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"weld\": false"));
    EXPECT(hed_cloth_scene_def(scene).garments->particle_count == 6);
    hed_cloth_scene_close(scene);
}

static void count_warning(void *user, const char *text)
{
    EXPECT(strstr(text, "m.obj"), "%s", text);
    ++*(int *)user;
}

Test(cloth_scene, broken_mesh_is_refused_or_mended)
{
    int warnings = 0;
    hed_cloth_scene *scene;
    hed_cloth_scene_options options = {.mend = true, .warn = count_warning, .user = &warnings};
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 1 1 2\n");
    refuse(HED_ERROR_FORMAT, ONE("\"mesh\": \"m.obj\""), "garments[0].mesh: ");
    refuse(HED_ERROR_FORMAT, ONE("\"mesh\": \"m.obj\""), "\"mend\"");
    OK(parse(ONE("\"mesh\": \"m.obj\""), &options, &scene));
    EXPECT(warnings == 1 && hed_cloth_scene_def(scene).garments->triangle_count == 1);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"mend\": true"));
    hed_cloth_scene_close(scene);
    write_text("m.obj", "v 0 0 0\nv 1 0 nan\nv 1 1 0\nf 1 2 3\n");
    hed_status status = parse(ONE("\"mesh\": \"m.obj\""), &options, &scene);
    EXPECT(status == HED_ERROR_FORMAT && !scene);
}

static void copy_scene_warning(void *user, const char *text) { snprintf(user, 512, "%s", text); }

/* Loads m.obj; `words`: what the warning has, NULL: there is none. */
static void borders_warn(const char *members, const char *words)
{
    char text[256], warning[512] = "";
    hed_cloth_scene *scene = NULL;
    snprintf(text, sizeof text, ONE("\"mesh\": \"m.obj\"%s"), members);
    OK(parse(
        text, &(hed_cloth_scene_options){.warn = copy_scene_warning, .user = warning}, &scene));
    EXPECT(words ? strstr(warning, words) != NULL : !*warning, "%s: %s", members, warning);
    hed_cloth_scene_close(scene);
}

/* Two panels of 2 x 1 quads, the second from x = `apart` on, whose borders meet along two edges. */
static void write_panels(double apart)
{
    char text[640];
    snprintf(text, sizeof text,
        "v -1 0 0\nv 0 0 0\nv -1 1 0\nv 0 1 0\nv -1 2 0\nv 0 2 0\nf 1 2 4 3\nf 3 4 6 5\n"
        "v %g 0 0\nv 1 0 0\nv %g 1 0\nv 1 1 0\nv %g 2 0\nv 1 2 0\nf 7 8 10 9\nf 9 10 12 11\n",
        apart, apart, apart);
    write_text("m.obj", text);
}

Test(cloth_scene, panels_that_touch_and_are_not_joined_are_told)
{
    static const char sewing[] =
        ", \"sewing\": {\"seams\": [{\"from\": [1, 3, 5], \"to\": [6, 8, 10]}]}";
    write_panels(0.001);
    borders_warn("", "4 edges");
    borders_warn("", "\"weld\": 0.011 ");
    borders_warn(", \"weld\": 0.01", NULL);
    borders_warn(", \"weld\": 0", NULL);
    borders_warn(sewing, NULL);
    write_panels(0);
    borders_warn("", NULL); /* equal positions are joined */
    write_panels(0.1);
    borders_warn("", NULL);
    /* a point alone, and borders of one panel (a slit) */
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -0.001 0\nv -1 0 0\nv 0 -1 0\n"
                        "f 1 2 3\nf 4 5 6\n");
    borders_warn("", NULL);
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n"
                        "v 1.001 0 0\nv 2 0 0\nv 1.001 1 0\nv 2 1 0\n"
                        "f 1 2 4 3\nf 3 4 6 5\nf 8 9 11 10\nf 10 11 7 6\n");
    borders_warn("", NULL);
}

Test(cloth_scene, array_makes_garments_side_by_side)
{
    hed_cloth_scene *scene =
        parsed(ONE("\"name\": \"f\", " GRID ", \"pins\": [{\"vertices\": [0], \"motion\": "
                   "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 1, 0]}]}}], "
                   "\"array\": {\"columns\": 2, \"rows\": 2, \"across\": [3, 0, "
                   "0], \"along\": [0, 0, 4]}"));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth_frame frame;
    CHECK(def.garment_count == 4 && hed_cloth_scene_garment_count(scene) == 4);
    EXPECT_TEXT(hed_cloth_scene_garment_name(scene, 3), "f-004");
    point_is(def.garments[3].positions, 3, 0, 4, 1e-6, "the last one");
    EXPECT(def.garments[3].rest_positions == def.garments[0].positions);
    OK(hed_cloth_scene_frame(scene, 29, 60, &frame, &error));
    point_is(&frame.driver_positions[3 * 18], 3, 0.5, 4, 1e-6, "its pin");
    point_is(&frame.driver_positions[3 * 19], 4, 0, 4, 1e-6, "a particle that nobody moves");
    hed_cloth_scene_close(scene);
}

/* ---- pins and maps ---- */

Test(cloth_scene, pins_by_list_box_and_colour)
{
    write_text("m.obj", SQUARE);
    hed_cloth_scene *scene =
        parsed(ONE(GRID ", \"pins\": [{\"vertices\": [3]}, {\"box\": {\"low\": [1.9, -1, "
                        "-1], \"high\": [3, 3, 3]}}]"));
    const float *w = hed_cloth_scene_def(scene).garments->inverse_masses;
    EXPECT(w[0] > 0 && w[1] > 0 && w[2] == 0 && w[3] == 0 && w[4] > 0 && w[5] == 0);
    EXPECT(!hed_cloth_scene_def(scene).garments->driven);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"pins\": [{\"colour\": \"red\"}]"));
    w = hed_cloth_scene_def(scene).garments->inverse_masses;
    EXPECT(w[0] > 0 && w[1] == 0 && w[2] == 0 && w[3] > 0);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"pins\": [{\"colour\": \"green\", \"above\": 0.2}]"));
    w = hed_cloth_scene_def(scene).garments->inverse_masses;
    EXPECT(w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 0);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, maps_from_everywhere)
{
    write_text("m.obj", SQUARE);
    write_text("map.txt", "0.5 1\n\t0.25 0\r\n");
    hed_cloth_scene *scene =
        parsed("{\"unit\": \"mm\", \"garments\": [{\"mesh\": \"m.obj\", \"driver\": {}, "
               "\"max_distance\": {\"colour\": \"red\", \"scale\": 8, \"offset\": 2}, "
               "\"backstop_distance\": -3, \"backstop_radius\": [4, 5, 6, 7], \"drive\": "
               "{\"file\": \"map.txt\", \"scale\": 0.5}, \"drive_stiffness\": 0.75}]}");
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    CHECK(g->driven && g->max_distance && g->backstop_distance && g->backstop_radius && g->drive &&
          g->drive_stiffness);
    near(g->max_distance[0], 0.002, 1e-9, "max distance");
    near(g->max_distance[1], 0.010, 1e-9, "max distance");
    near(g->backstop_distance[2], -0.003, 1e-9, "backstop");
    near(g->backstop_radius[3], 0.007, 1e-9, "radius");
    near(g->drive[0], 0.25, 1e-9, "drive");
    near(g->drive[1], 0.5, 1e-9, "drive");
    near(g->drive_stiffness[1], 0.75, 0, "stiffness");
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 0, 60, &frame, &error));
    CHECK(frame.driver_positions && frame.driver_normals);
    point_is(&frame.driver_normals[3], 0, 0, 1, 1e-6, "normal");
    hed_cloth_scene_close(scene);
}
