/* Scene files: every key, what must be refused and in which words, what is fed at which time, and the schema's
 * keys. */
#include "folder.h"
#include "testing.h"

#include <math.h>

#include "heddle/cloth_scene.h"
#include "model/scene_keys.h"
#include "support/json.h"

static hed_error error;

TestSuite(cloth_scene, .init = folder_make, .fini = folder_remove);

static void write_text(const char *name, const char *text) { write_file(in_folder(name), text, strlen(text)); }

static hed_status parse(const char *text, const hed_cloth_scene_options *options, hed_cloth_scene **scene)
{
    error = (hed_error){0};
    return hed_cloth_scene_parse("s.json", text, strlen(text), folder, options, scene, &error);
}

static hed_cloth_scene *parsed(const char *text)
{
    hed_cloth_scene *scene = NULL;
    OK(parse(text, NULL, &scene));
    return scene;
}

static void refuse(hed_status status, const char *text, const char *words)
{
    hed_cloth_scene *scene = (hed_cloth_scene *)&error;
    hed_status found = parse(text, NULL, &scene);
    cr_expect(found == status, "%s\ngives %s instead of %s: %s", text, hed_status_name(found),
              hed_status_name(status), error.text);
    cr_expect(!scene, "%s", text);
    cr_expect(strstr(error.text, words), "%s\nis refused with   %s\ninstead of        %s", text, error.text, words);
}

static void near(double found, double expected, double tolerance, const char *what)
{
    cr_expect(fabs(found - expected) <= tolerance, "%s: %.9g instead of %.9g", what, found, expected);
}

static void point_is(const float *found, double x, double y, double z, double tolerance, const char *what)
{
    cr_expect(fabs(found[0] - x) <= tolerance && fabs(found[1] - y) <= tolerance && fabs(found[2] - z) <= tolerance,
              "%s: (%g %g %g) instead of (%g %g %g)", what, found[0], found[1], found[2], x, y, z);
}

/* A scene with one garment of these members; a grid of 3 x 2 particles with what is added. */
#define ONE(members) "{\"garments\": [{" members "}]}"
#define GRID "\"grid\": {\"width\": 3, \"height\": 2, \"size\": [2, 1]}"

/* Two triangles with four vertices, and colours: red where x is 1, green 0.25. */
static const char SQUARE[] = "v 0 0 0 0 0.25 0\nv 1 0 0 1 0.25 0\nv 1 1 0 1 0.25 0\nv 0 1 0 0 "
                             "0.25 0\nf 1 2 3\nf 1 3 4\n";

/* ---- shapes ---- */

Test(cloth_scene, grid_is_in_rows_and_faces_forward)
{
    hed_cloth_scene *scene = parsed(ONE("\"grid\": {\"width\": 3, \"height\": 2, \"size\": [2, 1], \"origin\": [5, "
                                        "0, 0], \"axes\": [\"x\", \"-z\"]}"));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    const hed_cloth_garment_def *g = def.garments;
    const hed_mesh *mesh = hed_cloth_scene_mesh(scene, 0);
    cr_assert(def.garment_count == 1 && g->particle_count == 6 && g->grid_width == 3 && g->grid_height == 2 &&
              g->quad_count == 2);
    point_is(&g->positions[3 * 4], 6, 0, -1, 1e-6, "middle of the second row");
    near(mesh->textures[2 * 4], 0.5, 1e-6, "u");
    near(mesh->textures[2 * 4 + 1], 1, 1e-6, "v");
    cr_expect(g->quads[0] == 0 && g->quads[1] == 1 && g->quads[2] == 4 && g->quads[3] == 3);
    cr_expect(!hed_cloth_scene_file(scene, 0));
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
static double area_towards(const hed_mesh *mesh, const double axis[3], const double *centre)
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
                to[k] = centre ? a[k] - centre[k] : axis[k]; /* away from a line or towards a side */
                if (centre && axis[k] != 0) to[k] = 0;
            }
            double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
            for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
            double facing = (n[0] * to[0] + n[1] * to[1] + n[2] * to[2]) / length / 2;
            cr_assert(facing > 0, "face %u looks the wrong way", f);
            sum += facing;
        }
    return sum;
}

Test(cloth_scene, disc_is_sound_and_faces_up)
{
    hed_cloth_scene *scene = parsed("{\"up\": \"z\", \"garments\": [{\"disc\": {\"radius\": 2, \"rings\": 20, "
                                    "\"centre\": [0, 0, 3]}}]}");
    const hed_mesh *mesh = hed_cloth_scene_mesh(scene, 0);
    cr_assert(mesh->vertex_count == 1 + 3 * 20 * 21 && mesh->face_count == 6 * 20 * 20);
    OK(hed_mesh_require_sound("disc", mesh, &error));
    near(area_towards(mesh, (const double[]){0, 0, 1}, NULL), 3.14159265 * 4, 0.05, "area");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, sleeve_and_skirt_face_outwards)
{
    hed_cloth_scene *scene = parsed("{\"garments\": [{\"name\": \"a\", \"sleeve\": {\"radius\": 1, \"length\": 3, "
                                    "\"around\": 40, \"rows\": 5}}, "
                                    "{\"name\": \"b\", \"skirt\": {\"radius\": [1, 2], \"length\": 1, \"around\": "
                                    "40, \"rows\": 3, \"origin\": [0, 9, 0]}}]}");
    const hed_mesh *sleeve = hed_cloth_scene_mesh(scene, 0), *skirt = hed_cloth_scene_mesh(scene, 1);
    cr_assert(sleeve->vertex_count == 200 && sleeve->texture_count == 205 && skirt->vertex_count == 120);
    OK(hed_mesh_require_sound("sleeve", sleeve, &error));
    near(area_towards(sleeve, (const double[]){0, 1, 0}, (const double[]){0, 0, 0}), 3.14159265 * 2 * 3, 0.1, "area");
    area_towards(skirt, (const double[]){0, 1, 0}, (const double[]){0, 0, 0});
    point_is(&sleeve->positions[3 * 160], sleeve->positions[0], -3, sleeve->positions[2], 1e-5,
             "last row of the sleeve");
    near(skirt->positions[3 * 80 + 1], 8, 1e-5, "last row of the skirt");
    near(hypot(skirt->positions[3 * 80], skirt->positions[3 * 80 + 2]), 2, 1e-5, "its radius");
    hed_cloth_scene_close(scene);
}

/* ---- the whole scene ---- */

Test(cloth_scene, settings_and_units)
{
    hed_cloth_scene *scene = parsed("{\"$schema\": \"x\", \"up\": \"z\", \"unit\": \"cm\", \"rate\": 24, "
                                    "\"frames\": 7, \"substeps\": 9, \"iterations\": 2, "
                                    "\"gravity\": 1.6, \"wind\": {\"velocity\": [1, 2, 3], \"gust\": 0.5}, "
                                    "\"ground\": {\"height\": 10}, "
                                    "\"garments\": [{" GRID ", \"thickness\": 2}], "
                                    "\"colliders\": [{\"sphere\": {\"centre\": [100, 0, 0], \"radius\": "
                                    "50}, \"friction\": 0.25}]}");
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth_frame frame;
    cr_assert(def.up == 2 && def.substeps == 9 && def.iterations == 2 && hed_cloth_scene_frames(scene) == 7);
    near(hed_cloth_scene_rate(scene), 24, 0, "rate");
    point_is(&def.garments->positions[3 * 5], 0.02, 0.01, 0, 1e-7, "in metres");
    near(def.garments->thickness, 0.02, 1e-7, "thickness");
    OK(hed_cloth_scene_frame(scene, 5, 48, &frame, &error));
    near(frame.seconds, 1.0 / 48, 1e-12, "seconds");
    point_is(frame.gravity, 0, 0, -1.6, 1e-6, "gravity");
    point_is(frame.wind, 1, 2, 3, 0, "wind");
    cr_assert(frame.gust == 0.5f && frame.collider_count == 2 && frame.mesh_count == 0 && !frame.driver_positions);
    near(frame.colliders[0].a[2], 0.1, 1e-7, "the ground");
    near(frame.colliders[0].b[2], 1, 0, "faces up");
    near(frame.colliders[1].a[0], 1, 1e-6, "the sphere");
    near(frame.colliders[1].radius[0], 0.5, 1e-6, "its radius");
    cr_expect(frame.colliders[1].friction == 0.25f);
    cr_assert_not_null(frame.transform);
    near(frame.transform[0], 100, 1e-4, "out in centimetres");
    cr_assert(hed_cloth_scene_prop_count(scene) == 1); /* the ground is the picture's */
    hed_cloth_prop prop = hed_cloth_scene_prop(scene, 0);
    for (uint32_t i = 0; i < prop.vertex_count; i++) {
        const float *p = &prop.positions[3 * i];
        near(sqrt((p[0] - 100) * (p[0] - 100) + p[1] * p[1] + p[2] * p[2]), 50, 0.01,
             "a vertex of the sphere that is shown");
    }
    hed_cloth_camera camera = hed_cloth_scene_camera(scene);
    cr_assert(camera.up[2] == 1 && camera.width == 1280 && camera.height == 720 && camera.eye[1] < 0);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, options_stand_over_the_file)
{
    hed_cloth_scene *scene;
    hed_cloth_scene_options options = {.tethers = true, .substeps = 40};
    OK(parse(ONE(GRID ", \"tethers\": false"), &options, &scene));
    cr_expect(hed_cloth_scene_def(scene).substeps == 40 && hed_cloth_scene_def(scene).garments->tethers);
    hed_cloth_scene_close(scene);
}

/* ---- garments ---- */

Test(cloth_scene, garment_says_everything)
{
    hed_cloth_scene *scene = parsed(ONE("\"name\": \"flag\", " GRID ", \"density\": 0.5, \"materials\": "
                                        "{\"shear\": false, \"bend\": "
                                        "{\"compress\": 0.5, \"stretch\": 1.5, \"compliance\": 2}}, \"tethers\": "
                                        "{\"slack\": 1.25}, \"damping\": 0.5, "
                                        "\"vertical_damping\": 0.25, \"drag\": 1.5, \"lift\": 0.75, \"friction\": "
                                        "0.125, \"self_collision\": true, "
                                        "\"copies\": 3, \"colour\": [0, 0.5, 1]"));
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    float rgb[3];
    hed_cloth_scene_colour(scene, 0, rgb);
    cr_expect_str_eq(hed_cloth_scene_garment_name(scene, 0), "flag");
    cr_expect(!g->family[HED_CLOTH_SHEAR] && g->family[HED_CLOTH_STRUCTURAL] && g->family[HED_CLOTH_BEND]);
    const hed_cloth_material *bend = &g->family_material[HED_CLOTH_BEND];
    cr_expect(bend->compress == 0.5f && bend->stretch == 1.5f && bend->compliance == 2.0f);
    cr_expect(g->tethers && g->tether_slack == 1.25f && g->density == 0.5f && g->damping == 0.5f &&
              g->vertical_damping == 0.25f);
    cr_expect(g->drag == 1.5f && g->lift == 0.75f && g->friction == 0.125f && g->self_collision && g->copies == 3);
    cr_expect(rgb[0] == 0 && rgb[1] == 0.5f && rgb[2] == 1);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, mesh_is_welded_and_placed)
{
    /* A square of two triangles that share no vertex. */
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    hed_cloth_scene *scene = parsed(ONE("\"mesh\": \"m.obj\", \"transform\": {\"scale\": 2, \"rotate\": "
                                        "[{\"axis\": \"x\", \"degrees\": 90}, "
                                        "{\"axis\": [0, 0, 5], \"degrees\": 90}], \"move\": [0, 0, 10]}, "
                                        "\"pins\": [{\"vertices\": [4]}]"));
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    cr_assert(g->particle_count == 4 && g->vertex_count == 6 && g->triangle_count == 2);
    const uint32_t particles[] = {0, 1, 2, 0, 2, 3};
    cr_expect(memcmp(g->vertex_particle, particles, sizeof particles) == 0);
    cr_expect(hed_cloth_scene_mesh(scene, 0)->vertex_count == 6);
    cr_expect(strstr(hed_cloth_scene_file(scene, 0), "m.obj"));
    point_is(&g->positions[3 * 1], 0, 2, 10, 1e-6, "vertex 1");
    point_is(&g->positions[3 * 2], 0, 2, 12, 1e-6, "vertex 2");
    cr_expect(g->inverse_masses[2] == 0 && g->inverse_masses[0] > 0);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"weld\": false"));
    cr_expect(hed_cloth_scene_def(scene).garments->particle_count == 6);
    hed_cloth_scene_close(scene);
}

static void count_warning(void *user, const char *text)
{
    cr_expect(strstr(text, "m.obj"), "%s", text);
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
    cr_expect(warnings == 1 && hed_cloth_scene_def(scene).garments->triangle_count == 1);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"mend\": true"));
    hed_cloth_scene_close(scene);
    write_text("m.obj", "v 0 0 0\nv 1 0 nan\nv 1 1 0\nf 1 2 3\n");
    hed_status status = parse(ONE("\"mesh\": \"m.obj\""), &options, &scene);
    cr_expect(status == HED_ERROR_FORMAT && !scene);
}

Test(cloth_scene, array_makes_garments_side_by_side)
{
    hed_cloth_scene *scene = parsed(ONE("\"name\": \"f\", " GRID ", \"pins\": [{\"vertices\": [0], \"motion\": "
                                        "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 1, 0]}]}}], "
                                        "\"array\": {\"columns\": 2, \"rows\": 2, \"across\": [3, 0, "
                                        "0], \"along\": [0, 0, 4]}"));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth_frame frame;
    cr_assert(def.garment_count == 4 && hed_cloth_scene_garment_count(scene) == 4);
    cr_expect_str_eq(hed_cloth_scene_garment_name(scene, 3), "f-004");
    point_is(def.garments[3].positions, 3, 0, 4, 1e-6, "the last one");
    cr_expect(def.garments[3].rest_positions == def.garments[0].positions);
    OK(hed_cloth_scene_frame(scene, 29, 60, &frame, &error));
    point_is(&frame.driver_positions[3 * 18], 3, 0.5, 4, 1e-6, "its pin");
    point_is(&frame.driver_positions[3 * 19], 4, 0, 4, 1e-6, "a particle that nobody moves");
    hed_cloth_scene_close(scene);
}

/* ---- pins and maps ---- */

Test(cloth_scene, pins_by_list_box_and_colour)
{
    write_text("m.obj", SQUARE);
    hed_cloth_scene *scene = parsed(ONE(GRID ", \"pins\": [{\"vertices\": [3]}, {\"box\": {\"low\": [1.9, -1, "
                                             "-1], \"high\": [3, 3, 3]}}]"));
    const float *w = hed_cloth_scene_def(scene).garments->inverse_masses;
    cr_expect(w[0] > 0 && w[1] > 0 && w[2] == 0 && w[3] == 0 && w[4] > 0 && w[5] == 0);
    cr_expect(!hed_cloth_scene_def(scene).garments->driven);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"pins\": [{\"colour\": \"red\"}]"));
    w = hed_cloth_scene_def(scene).garments->inverse_masses;
    cr_expect(w[0] > 0 && w[1] == 0 && w[2] == 0 && w[3] > 0);
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"pins\": [{\"colour\": \"green\", \"above\": 0.2}]"));
    w = hed_cloth_scene_def(scene).garments->inverse_masses;
    cr_expect(w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 0);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, maps_from_everywhere)
{
    write_text("m.obj", SQUARE);
    write_text("map.txt", "0.5 1\n\t0.25 0\r\n");
    hed_cloth_scene *scene = parsed("{\"unit\": \"mm\", \"garments\": [{\"mesh\": \"m.obj\", \"driver\": {}, "
                                    "\"max_distance\": {\"colour\": \"red\", \"scale\": 8, \"offset\": 2}, "
                                    "\"backstop_distance\": -3, \"backstop_radius\": [4, 5, 6, 7], \"drive\": "
                                    "{\"file\": \"map.txt\", \"scale\": 0.5}, \"drive_stiffness\": 0.75}]}");
    const hed_cloth_garment_def *g = hed_cloth_scene_def(scene).garments;
    cr_assert(g->driven && g->max_distance && g->backstop_distance && g->backstop_radius && g->drive &&
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
    cr_assert(frame.driver_positions && frame.driver_normals);
    point_is(&frame.driver_normals[3], 0, 0, 1, 1e-6, "normal");
    hed_cloth_scene_close(scene);
}

/* ---- what moves ---- */

/* Where the driver is behind a frame of 60 a second. */
static const float *driven_at(hed_cloth_scene *scene, double seconds)
{
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, (uint32_t)lround(seconds * 60) - 1, 60, &frame, &error));
    return frame.driver_positions;
}

Test(cloth_scene, keys_and_spin)
{
    write_text("m.obj", SQUARE);
    hed_cloth_scene *scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"motion\": {\"centre\": [1, 0, 0], "
                                        "\"keys\": [{\"time\": 1}, {\"time\": 2, \"axis\": \"z\", "
                                        "\"degrees\": 450, \"move\": [0, 0, 2]}, {\"time\": 3, \"axis\": \"x\", "
                                        "\"degrees\": 90, \"move\": [0, 0, 2]}], \"loop\": true}}"));
    point_is(driven_at(scene, 1), 0, 0, 0, 1e-6, "first key");
    point_is(driven_at(scene, 1.2), 1, 0, 0.4, 2, "on the way");
    point_is(&driven_at(scene, 2)[0], 1, -1, 2, 1e-5, "second key: a turn and a quarter around x = 1");
    point_is(&driven_at(scene, 1.4)[0], 2, 0, 0.8, 1e-5, "half a turn on the way");
    point_is(&driven_at(scene, 3.4)[0], 2, 0, 0.8, 1e-5, "and again: the loop is two seconds long");
    const float *p = driven_at(scene, 2.5);
    near(hypot(hypot(p[0] - 1, p[1]), p[2] - 2), 1, 1e-5, "from one axis to another it stays rigid");
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"motion\": {\"spin\": {\"axis\": \"y\", "
                       "\"degrees_per_second\": 90}}}"));
    point_is(&driven_at(scene, 3)[3], 0, 0, 1, 1e-5, "three quarters");
    hed_cloth_scene_close(scene);
}

/* Three samples of four vertices, which move one along x from each to the next. */
static void write_cache(const char *name)
{
    hed_pc2 *cache;
    OK(hed_pc2_create(in_folder(name), 4, 0, 2, &cache, &error));
    for (int s = 0; s < 3; s++) {
        float p[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
        for (int i = 0; i < 4; i++) p[3 * i] += (float)s;
        OK(hed_pc2_add(cache, p, &error));
    }
    OK(hed_pc2_close(cache, &error));
}

Test(cloth_scene, sequences_of_both_kinds)
{
    write_text("m.obj", SQUARE);
    write_cache("m.pc2");
    hed_cloth_scene *scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"m.pc2\"}}"));
    near(driven_at(scene, 1.0 / 60)[0], 0.5, 1e-6, "the file says: a sample for two frames");
    near(driven_at(scene, 1)[0], 2, 1e-6, "it stays at its end");
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"transform\": {\"scale\": 10}, \"driver\": {\"sequence\": {\"file\": "
                       "\"m.pc2\", \"rate\": 10, \"loop\": true}}"));
    near(driven_at(scene, 0.15)[0], 15, 1e-4, "between two samples, placed");
    near(driven_at(scene, 0.25)[0], 10, 1e-4, "from the last one back to the first");
    near(driven_at(scene, 0.45)[0], 15, 1e-4, "the second time");
    hed_cloth_scene_close(scene);
    write_text("w_07.obj", SQUARE);
    write_text("w_08.obj", "v 0 5 0\nv 1 5 0\nv 1 6 0\nv 0 6 0\nf 1 2 3\n");
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"w_##.obj\", \"first\": 7, "
                       "\"last\": 8, \"rate\": 1}}"));
    near(driven_at(scene, 0.5)[1], 2.5, 1e-5, "files");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, welded_garment_is_driven_by_its_vertices)
{
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    write_text("w_1.obj", "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 0 1\nv 1 1 1\nv 0 1 9\nf 1 2 3\n");
    write_text("w_2.obj", "v 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 0 2\nv 1 1 2\nv 0 1 7\nf 1 2 3\n");
    hed_cloth_scene *scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"w_#.obj\", "
                                        "\"last\": 2, \"rate\": 1}}"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0, 0, 2, 1e-6, "first particle");
    point_is(&p[9], 0, 1, 7, 1e-6, "last particle: vertex 5");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, garment_hangs_on_a_body)
{
    /* A body that is a square, and a smaller square over it; the body turns, and moves up by its sequence. */
    write_text("body.obj", "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nf 1 2 3\nf 1 3 4\n");
    write_text("m.obj", "v 0 0 0.5\nv 1 0 0.5\nv 1 1 0.5\nf 1 2 3\n");
    hed_cloth_scene *scene = parsed(ONE("\"mesh\": \"m.obj\", \"backstop_distance\": 0, \"driver\": {\"mesh\": "
                                        "\"body.obj\", \"motion\": {\"keys\": [{\"time\": 0}, "
                                        "{\"time\": 1, \"axis\": \"y\", \"degrees\": 90}]}}"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0.5, 0, 0, 1e-5, "half a metre over the middle");
    point_is(&p[3], 0.5, 0, -1, 1e-5, "and at its edge");
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 59, 60, &frame, &error));
    point_is(&frame.driver_normals[3], 1, 0, 0, 1e-5, "the body's normal");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, nearest_place_of_a_body)
{
    /* Against trying every triangle: a bumpy sheet of 2 x 30 x 30 triangles. */
    FILE *file = fopen(in_folder("body.obj"), "w");
    for (int j = 0; j <= 30; j++)
        for (int i = 0; i <= 30; i++)
            fprintf(file, "v %g %g %g\n", i * 0.1, j * 0.1, 0.3 * sin(i * 0.7) * cos(j * 0.5));
    for (int j = 0; j < 30; j++)
        for (int i = 0; i < 30; i++) {
            int a = j * 31 + i + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + 32, a, a + 32, a + 31);
        }
    fclose(file);
    hed_cloth_scene *scene = parsed(ONE("\"grid\": {\"width\": 9, \"height\": 9, \"size\": [5, 5], \"origin\": [-1, "
                                        "-1, 0.4]}, \"driver\": {\"mesh\": \"body.obj\"}"));
    const float *driven = driven_at(scene, 1), *start = hed_cloth_scene_def(scene).garments->positions;
    for (int i = 0; i < 3 * 81; i++) near(driven[i], start[i], 2e-6, "a body at rest leaves everything where it is");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, pins_move_by_themselves_or_stay)
{
    hed_cloth_scene *scene = parsed(ONE(GRID ", \"driver\": {\"motion\": {\"keys\": [{\"time\": 0}, {\"time\": "
                                             "1, \"move\": [0, 0, 4]}]}}, "
                                             "\"pins\": [{\"vertices\": [0], \"follow\": "
                                             "false}, {\"vertices\": [1]}, "
                                             "{\"vertices\": [2], \"motion\": "
                                             "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 7, 0]}]}}]"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0, 0, 0, 1e-6, "stays");
    point_is(&p[3], 1, 0, 4, 1e-6, "follows the driver");
    point_is(&p[6], 2, 7, 0, 1e-6, "moves by itself");
    point_is(&p[9], 0, 1, 4, 1e-6, "a free one's place");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene, colliders_move)
{
    write_text("body.obj", SQUARE);
    write_cache("body.pc2");
    hed_cloth_scene *scene = parsed("{\"garments\": [{" GRID "}], \"colliders\": ["
                                    "{\"mesh\": \"body.obj\", \"transform\": {\"move\": [0, 0, 1]}, \"sequence\": "
                                    "{\"file\": \"body.pc2\", \"rate\": 1}, \"motion\": {\"spin\": {\"axis\": "
                                    "\"z\", \"degrees_per_second\": 90}}},"
                                    "{\"plane\": {\"point\": [0, -1, 0], \"normal\": [0, 3, 0]}, \"motion\": "
                                    "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"axis\": \"x\", \"degrees\": 90}]}},"
                                    "{\"capsule\": {\"from\": [0, 0, 0], \"to\": [2, 0, 0], \"radius\": [0.5, 1]}, "
                                    "\"motion\": {\"keys\": [{\"time\": 0}, {\"time\": 2, \"move\": [0, 1, 0]}]}}]}");
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 59, 60, &frame, &error));
    cr_assert(frame.mesh_count == 1 && frame.collider_count == 2 &&
              hed_cloth_scene_def(scene).max_collider_triangles == 2);
    point_is(frame.meshes[0].positions, 0, 1, 1, 1e-5, "sample 1, then a quarter turn");
    cr_expect(frame.meshes[0].triangle_count == 2 && frame.meshes[0].vertex_count == 4);
    point_is(frame.colliders[0].b, 0, 0, 1, 1e-6, "the plane's normal");
    point_is(frame.colliders[0].a, 0, 0, -1, 1e-6, "the plane's point");
    point_is(frame.colliders[1].b, 2, 0.5, 0, 1e-6, "the capsule");
    cr_expect(frame.colliders[1].radius[0] == 0.5f && frame.colliders[1].radius[1] == 1.0f);
    cr_expect(hed_cloth_scene_prop_count(scene) == 2); /* the plane faces up at the start: it is the ground */
    point_is(hed_cloth_scene_prop(scene, 0).positions, 0, 1, 1, 1e-5, "what is shown of the body");
    hed_cloth_scene_close(scene);
}

/* ---- what must be refused ---- */

Test(cloth_scene, refuses_with_the_place)
{
    write_text("m.obj", SQUARE);
    write_text("plain.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write_text("plain_1.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write_text("short.txt", "1 2 3");
    write_text("long.txt", "1 2 3 4 5");
    write_text("words.txt", "1 2 x 4");
    write_cache("m.pc2");
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
        {"{\"wind\": {\"velocity\": [0, 0, 1e9]}, \"garments\": [{" GRID "}]}", "wind.velocity[2]: "},
        {"{\"camera\": {\"eye\": [1, 1, 1], \"target\": [1, 1, 1]}, \"garments\": [{" GRID "}]}",
         "camera: eye, target and up lie on one line"},
        {ONE("\"name\": \"a\""), "garments[0]: expected exactly one of \"mesh\", \"grid\", \"disc\", "
                                 "\"sleeve\", \"skirt\", found none"},
        {ONE(GRID ", \"mesh\": \"m.obj\""), "found several"},
        {ONE("\"name\": \"a/b\", " GRID), "garments[0].name: expected 1 to 48 letters"},
        {"{\"garments\": [{\"name\": \"a\", " GRID "}, {\"name\": \"a\", " GRID "}]}",
         "two garments have the name \"a\""},
        {ONE("\"mesh\": \"none.obj\""), "garments[0].mesh: "},
        {ONE("\"mesh\": \"\""), "expected the name of a file"},
        {ONE("\"grid\": {\"width\": 1, \"height\": 2, \"size\": [1, 1]}"), "garments[0].grid.width: "},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 0]}"), "garments[0].grid.size[1]: "},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\", \"-x\"]}"),
         "both axes point the same way"},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\", [0, 0, 0]]}"),
         "vector without length"},
        {ONE("\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1], \"axes\": [\"x\"]}"),
         "expected two directions"},
        {ONE("\"skirt\": {\"radius\": 1, \"length\": 1, \"around\": 5, \"rows\": 5}"), "garments[0].skirt.radius: "},
        {ONE(GRID ", \"mend\": true"), "a shape is never broken"},
        {ONE(GRID ", \"materials\": {\"bend\": {\"stretch\": 0.5}}"), "garments[0].materials.bend.stretch: "},
        {ONE(GRID ", \"damping\": 1"), "garments[0].damping: "},
        {ONE(GRID ", \"density\": 0"), "garments[0].density: "},
        {ONE(GRID ", \"copies\": 0"), "garments[0].copies: "},
        {ONE(GRID ", \"transform\": {\"scale\": 1e6, \"move\": [1e6, 0, 0]}"),
         "placed further away than a million metres"},
        {ONE(GRID ", \"pins\": [{\"vertices\": [6]}]"), "garments[0].pins[0].vertices[0]: "},
        {ONE(GRID ", \"pins\": [{\"vertices\": []}]"), "garments[0].pins[0]: no vertex is pinned"},
        {ONE(GRID ", \"pins\": [{\"box\": {\"low\": [9, 9, 9], \"high\": [10, 10, 10]}}]"), "no vertex is pinned"},
        {ONE(GRID ", \"pins\": [{\"colour\": \"red\"}]"), "no vertex colours"},
        {ONE(GRID ", \"pins\": [{\"vertices\": [0], \"above\": 0.5}]"), "\"above\" is of \"colour\""},
        {ONE("\"mesh\": \"plain.obj\", \"pins\": [{\"colour\": \"red\"}]"), "no vertex colours"},
        {ONE(GRID ", \"max_distance\": 1"), "garments[0].max_distance: this is about the driver"},
        {ONE(GRID ", \"driver\": {}, \"max_distance\": -1"), "vertex 0: -1 is not from 0 to"},
        {ONE(GRID ", \"driver\": {}, \"max_distance\": [1, 2, 3]"),
         "expected 6 numbers, one for each vertex; found 3"},
        {ONE(GRID ", \"driver\": {}, \"drive\": [0, 0, 0, 0, 0, 2]"), "vertex 5: 2 is not from 0 to 1"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"short.txt\"}"), "number 4 is missing"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"long.txt\"}"), "one too many"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"words.txt\"}"), "number 3 is none"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {}, \"drive\": {\"file\": \"words.txt\", \"colour\": \"red\"}"),
         "found several"},
        {ONE(GRID ", \"driver\": {}, \"backstop_radius\": 1"), "without \"backstop_distance\""},
        {ONE(GRID ", \"driver\": {}, \"backstop_distance\": 2, \"max_distance\": 1"), "outside the ball"},
        {ONE(GRID ", \"driver\": {\"transform\": {}}"), "which is not there"},
        {ONE(GRID ", \"driver\": {\"motion\": {\"keys\": []}}"), "expected 1 to 100000 keys"},
        {ONE(GRID ", \"driver\": {\"motion\": {\"keys\": [{\"time\": 1}, {\"time\": 1}]}}"),
         "keys[1]: time 1 does not come after"},
        {ONE(GRID ", \"driver\": {\"sequence\": {\"file\": \"m.pc2\"}}"),
         "has 4 vertices in 3 samples; the mesh has 6 vertices"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"m.pc2\", \"last\": 3}}"),
         "expected a name with ####"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"x_#.obj\", \"last\": 3}}"), "x_1.obj"},
        {ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"plain_#.obj\", \"last\": 1}}"),
         "has 3 vertices; the mesh has 4"},
        {"{\"garments\": [{" GRID "}], \"colliders\": [{\"sphere\": {\"centre\": [0, 0, 0], \"radius\": 0}}]}",
         "colliders[0].sphere.radius: "},
        {"{\"garments\": [{" GRID "}], \"colliders\": [{\"plane\": {\"point\": [0, 0, 0], \"normal\": \"y\"}, "
         "\"sequence\": {}}]}",
         "\"sequence\" is for a \"mesh\""},
        {"{\"garments\": [{" GRID "}], \"colliders\": [{}]}", "colliders[0]: expected exactly one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool missing = strstr(cases[i].text, "none.obj") || strstr(cases[i].text, "x_#");
        hed_status status = missing ? HED_ERROR_IO : HED_ERROR_FORMAT;
        refuse(status, cases[i].text, cases[i].words);
    }
    refuse(HED_ERROR_LIMIT, ONE("\"grid\": {\"width\": 2000000, \"height\": 2000000, \"size\": [1, 1]}"),
           "at most 4194304");
    refuse(HED_ERROR_LIMIT, ONE(GRID ", \"copies\": 1000000, \"array\": {\"columns\": 4096, \"across\": [1, "
                                     "0, 0]}"),
           "particles in all");
    refuse(HED_ERROR_LIMIT, ONE(GRID ", \"array\": {\"columns\": 4096, \"rows\": 2, \"across\": [1, 0, 0], "
                                     "\"along\": [0, 1, 0]}"),
           "more than 4096 garments");
}

/* ---- limits ---- */

Test(cloth_scene, every_value_at_its_limit)
{
    hed_cloth_frame frame;
    static const char *const texts[] = {
        "{\"unit\": 1e-6, \"rate\": 10000, \"substeps\": 1000, \"iterations\": 100, \"gravity\": [10000, -10000, "
        "10000], \"wind\": {\"velocity\": [10000, 10000, -10000], \"gust\": 1},"
        " \"camera\": {\"field_of_view\": 150, \"width\": 8192, \"height\": 8192},"
        " \"garments\": [{\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1e12, 1e12]}, \"density\": 10000, "
        "\"damping\": 0.999999, \"vertical_damping\": 0.999999,"
        " \"drag\": 100, \"lift\": 100, \"friction\": 10, \"thickness\": 1e12, \"driver\": {\"motion\": {\"keys\": "
        "[{\"time\": 0, \"move\": [1e12, 1e12, 1e12], \"degrees\": 1e6},"
        " {\"time\": 1e6, \"degrees\": -1e6, \"axis\": \"x\"}], \"spin\": {\"axis\": \"z\", \"degrees_per_second\": "
        "1e6}}}, \"max_distance\": 1e12, \"backstop_distance\": 1e12,"
        " \"backstop_radius\": 1e12, \"drive\": 1, \"drive_stiffness\": 1, \"tethers\": {\"slack\": 100}, "
        "\"materials\": {\"structural\": {\"compress\": 0, \"stretch\": 100, \"compliance\": 1e6}}}],"
        " \"colliders\": [{\"sphere\": {\"centre\": [1e12, 1e12, 1e12], \"radius\": 1e12}, \"friction\": 10}]}",
        "{\"unit\": 1e6, \"rate\": 1, \"substeps\": 1, \"iterations\": 1, \"gravity\": -10000, \"garments\": "
        "[{\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1e-12, 1e-12], \"origin\": [-1, -1, -1]},"
        " \"density\": 1e-4, \"thickness\": 0, \"driver\": {}, \"max_distance\": 0, \"backstop_distance\": -1, "
        "\"backstop_radius\": 0, \"drive\": 0, \"drive_stiffness\": 0}]}"};
    for (int i = 0; i < 2; i++) {
        hed_cloth_scene *scene = parsed(texts[i]);
        for (uint32_t number = 0; number < 3; number++) {
            OK(hed_cloth_scene_frame(scene, number * 1000000, i ? 1 : 10000, &frame, &error));
            for (int k = 0; k < 12; k++)
                cr_expect(isfinite(frame.driver_positions[k]) && isfinite(frame.driver_normals[k]));
        }
        hed_cloth_scene_close(scene);
    }
}

Test(cloth_scene, million_particles_with_every_map)
{
    FILE *file = fopen(in_folder("map.txt"), "w");
    for (int i = 0; i < 1000000; i++) fputs(i % 1000 ? "0.5\n" : "0.25\n", file);
    fclose(file);
    hed_cloth_scene *scene = parsed(ONE("\"grid\": {\"width\": 1000, \"height\": 1000, \"size\": [10, 10]}, "
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
    cr_assert(g->particle_count == 1000000 && g->grid_width == 1000);
    near(g->max_distance[999000], 0.25, 1e-7, "the last row's first");
    near(g->drive[999999], 0.05, 1e-7, "the last one");
    cr_expect(g->inverse_masses[999000] == 0 && g->inverse_masses[998999] > 0);
    OK(hed_cloth_scene_frame(scene, 0, 60, &frame, &error));
    point_is(&frame.driver_positions[3 * 999999], 10, 10, 0, 1e-4, "a pin with a motion of its own");
    hed_cloth_scene_close(scene);
}

/* ---- the schema ---- */

/* The members that the schema knows at a place, in its order, are those of the loader. */
static void same_keys(hed_json_node schema, const cloth_scene_key_list *list)
{
    hed_json_node properties = hed_json_member(schema, "properties");
    size_t count = 0;
    for (hed_json_node at = hed_json_next(properties, NULL); at.key; at = hed_json_next(properties, at.key)) {
        const char *const *key = list->keys;
        while (*key && strcmp(*key, at.key) != 0) key++;
        cr_expect(*key, "the schema has \"%s\" at \"%s\", the loader has not", at.key, list->name);
        count++;
    }
    for (const char *const *key = list->keys; *key; key++) {
        cr_expect(hed_json_has(properties, *key), "the loader has \"%s\" at \"%s\", the schema has not", *key,
                  list->name);
        count--;
    }
    cr_expect(count == 0);
    cr_expect(!hed_json_boolean(hed_json_member(schema, "additionalProperties")));
}

Test(cloth_scene, schema_has_the_loaders_keys)
{
    const char *text = hed_cloth_scene_schema();
    hed_json *json;
    OK(hed_json_parse("schema", text, strlen(text), &json, &error));
    hed_json_node root = hed_json_root(json), definitions = hed_json_member(root, "$defs");
    size_t objects = 0, places = 0;
    for (const cloth_scene_key_list *list = cloth_scene_key_lists; list->name; list++, places++)
        same_keys(list->name[0] ? hed_json_member(definitions, list->name) : root, list);
    for (hed_json_node at = hed_json_next(definitions, NULL); at.key; at = hed_json_next(definitions, at.key))
        objects += hed_json_has(at, "properties");
    cr_expect(objects + 1 == places, "%zu definitions of objects in the schema, %zu in the loader", objects + 1,
              places);
    OK(hed_json_status(json, &error));
    hed_json_free(json);
}
