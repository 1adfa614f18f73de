/* ctest: devices full long */
/* Every scene that comes with Heddle and collides with itself, from its first frame to its last: no
 * pair of triangles crosses, of cloth or of cloth and bodies, and less than 0.1 % of the vertices
 * are cut in a substep. By every structure, the tablecloth keeps a margin at its table. */
#include "fixture.h"

#include <math.h>

#include "cloth_judge.h"

TestSuite(cloth_shipped_whole, .init = here_open, .fini = here_close);

#define WHOLE(name) \
    Test(cloth_shipped_whole, name, .timeout = 3000) { judged_run(here.device, #name, 0, 1e-3); }

WHOLE(folded)
WHOLE(garment)
WHOLE(shirts)
WHOLE(corner)
WHOLE(cape)
WHOLE(thrown)
WHOLE(cushion)
WHOLE(runner)
WHOLE(sewn)
WHOLE(tablecloth)
WHOLE(fabrics)

/* ---- a margin at bodies, by every structure ---- */

/* Adds a triangle's normal, as long as twice its area, to those of its corners. */
static void add_normal(const hed_cloth_mesh_collider *body, size_t triangle, float *normals)
{
    const uint32_t *corners = body->triangles + 3 * triangle;
    const float *a = body->positions + 3 * (size_t)corners[0],
                *b = body->positions + 3 * (size_t)corners[1],
                *c = body->positions + 3 * (size_t)corners[2];
    for (size_t k = 0; k < 3; k++) {
        size_t m = (k + 1) % 3, n = (k + 2) % 3;
        float cross = (b[m] - a[m]) * (c[n] - a[n]) - (b[n] - a[n]) * (c[m] - a[m]);
        for (int corner = 0; corner < 3; corner++)
            normals[3 * (size_t)corners[corner] + k] += cross;
    }
}

/* Copies a body's positions, each vertex moved outwards by `margin`, m. */
static float *grown_positions(const hed_cloth_mesh_collider *body, float margin)
{
    float *grown = calloc(3 * (size_t)body->vertex_count, sizeof *grown);
    for (size_t t = 0; t < body->triangle_count; t++) add_normal(body, t, grown);
    for (size_t v = 0; v < body->vertex_count; v++) {
        float *normal = grown + 3 * v;
        double length = sqrt((double)normal[0] * normal[0] + (double)normal[1] * normal[1] +
                             (double)normal[2] * normal[2]); /* hypot() would need glibc 2.35 */
        for (size_t k = 0; k < 3; k++)
            normal[k] = body->positions[3 * v + k] + (float)(margin * normal[k] / length);
    }
    return grown;
}

/* Devices round differently in fast mode, and bodies are felt at vertices alone: a scene in which
 * triangles only just clear an edge of the table crosses it on another device. So the table is
 * judged 1 mm larger than it is. False where the structure is not valid on the device. */
static bool keep_off_the_table(hed_cloth_solver solver)
{
    hed_error error = {0};
    judged j = judged_open("tablecloth");
    hed_cloth_def def = hed_cloth_scene_def(j.scene);
    hed_cloth *cloth;
    def.solver = solver;
    hed_status status = hed_cloth_create(here.device, &def, &cloth, &error);
    if (status == HED_ERROR_UNSUPPORTED) {
        judged_close(&j);
        return false;
    }
    OK(status);
    for (uint32_t f = 0; f < 60; f++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(j.scene, f, hed_cloth_scene_rate(j.scene), &frame, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_read(cloth, j.positions, NULL, NULL, &error));
        hed_cloth_mesh_collider table = frame.meshes[0];
        float *grown = grown_positions(&table, 1e-3f);
        table.positions = grown;
        frame.meshes = &table;
        judged_look(&j, &frame, f + 1);
        free(grown);
    }
    hed_cloth_destroy(cloth);
    judged_close(&j);
    return true;
}

/* HED_CLOTH_SOLVER_SETS is chosen by callers alone. */
Test(cloth_shipped_whole, every_structure_keeps_off_the_table, .timeout = 3000)
{
    static const hed_cloth_solver structures[] = {HED_CLOTH_SOLVER_COLOURS,
        HED_CLOTH_SOLVER_PATCHES, HED_CLOTH_SOLVER_GARMENTS, HED_CLOTH_SOLVER_CPU};
    for (size_t s = 0; s < sizeof structures / sizeof *structures; s++) {
        bool valid = keep_off_the_table(structures[s]);
        printf("%s: %s\n", hed_cloth_solver_name(structures[s]), valid ? "60 frames" : "not valid");
        EXPECT(valid || structures[s] != HED_CLOTH_SOLVER_COLOURS, "colours is valid on every device");
    }
}
