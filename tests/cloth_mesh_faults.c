/* Memory that runs out in meshes and point caches: the n-th allocation fails, for every n. */
#include <unistd.h>

#include "failing_malloc.h"
#include "heddle/cloth_mesh.h"

static char path[] = "/tmp/heddle-faults-XXXXXX";
static const char text[] =
    "mtllib a.mtl\no x\nny 1\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.50000000000000000000001e-40 0 1\nvt 0 0\nvt 1 "
    "1\n"
    "vn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1\nusemtl blue\nf 1/2/1 3/2/1 4/2/1\nf 3 2 1\nf 1 5 3\n";

static hed_status try_parse(void)
{
    hed_error error;
    hed_mesh mesh;
    hed_status status = hed_mesh_parse_obj("a.obj", text, sizeof text - 1, &mesh, &error);
    if (status != HED_OK && mesh.positions) abort();
    hed_mesh_free(&mesh);
    return status;
}

static hed_status try_files(void)
{
    hed_error error;
    hed_mesh mesh, again = {0};
    hed_status status = hed_mesh_parse_obj("a.obj", text, sizeof text - 1, &mesh, &error);
    if (status == HED_OK) status = hed_mesh_write_ply("/dev/null", &mesh, NULL, NULL, &error);
    if (status == HED_OK) status = hed_mesh_write_glb("/dev/null", &mesh, NULL, NULL, &error);
    if (status == HED_OK) status = hed_mesh_write_obj(path, &mesh, NULL, NULL, &error);
    if (status == HED_OK) status = hed_mesh_read(path, &again, &error);
    hed_mesh_free(&mesh);
    hed_mesh_free(&again);
    return status;
}

static hed_status try_faults(void)
{
    hed_error error;
    hed_mesh mesh;
    uint32_t removed, particle_of[5], count;
    hed_status status = hed_mesh_parse_obj("a.obj", text, sizeof text - 1, &mesh, &error);
    if (status == HED_OK) status = hed_mesh_weld(&mesh, 0.1f, particle_of, &count, &error);
    if (status == HED_OK) status = hed_mesh_mend(&mesh, &removed, &error);
    if (status == HED_OK) status = hed_mesh_require_sound("a.obj", &mesh, &error);
    hed_mesh_free(&mesh);
    return status;
}

static hed_status try_cache(void)
{
    static const float positions[6];
    hed_error error;
    hed_pc2 *cache;
    uint32_t frames;
    hed_pc2_data data = {0};
    hed_status status = hed_pc2_create(path, 2, 0, 1, &cache, &error);
    if (status == HED_OK) status = hed_pc2_add(cache, positions, &error);
    if (cache) hed_pc2_close(cache, &error);
    if (status == HED_OK) status = hed_pc2_resume(path, 2, &cache, &frames, &error);
    if (cache) hed_pc2_close(cache, &error);
    if (status == HED_OK) status = hed_pc2_read(path, &data, &error);
    hed_pc2_free(&data);
    return status;
}

int main(void)
{
    static const fault_case cases[] = {
        {"parsing", try_parse}, {"files", try_files}, {"faults", try_faults}, {"point cache", try_cache}};
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    int bad = try_all(cases, sizeof cases / sizeof *cases);
    remove(path);
    return bad != 0;
}
