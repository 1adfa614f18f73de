/* Memory that runs out in meshes and point caches: the n-th allocation fails, for every n. */
#include <unistd.h>

#include "failing_malloc.h"
#include "heddle/cloth_check.h"
#include "heddle/cloth_layers.h"
#include "heddle/cloth_mesh.h"

static char path[] = "/tmp/heddle-faults-XXXXXX";
static const char text[] =
    "mtllib a.mtl\no x\nny 1\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.50000000000000000000001e-40 0 1\nvt 0 0\nvt 1 "
    "1\n"
    "vn 0 0 1\nusemtl red\nf 1/1/1 2/1/1 3/1/1\nusemtl blue\nf 1/2/1 3/2/1 4/2/1\nf 3 2 1\nf 1 5 3\n";

static hed_status try_parse(void)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    hed_status status = hed_cloth_mesh_parse_obj(text, sizeof text - 1, "a.obj", &mesh, &error);
    if (status != HED_OK && mesh.positions) abort();
    hed_cloth_mesh_free(&mesh);
    return status;
}

static hed_status try_files(void)
{
    hed_error error = {0};
    hed_cloth_mesh mesh, again = {0};
    hed_status status = hed_cloth_mesh_parse_obj(text, sizeof text - 1, "a.obj", &mesh, &error);
    if (status == HED_OK) status = hed_cloth_mesh_save_ply(&mesh, "/dev/null", NULL, NULL, &error);
    if (status == HED_OK)
        status = hed_cloth_mesh_save_glb(&mesh, "/dev/null", NULL, NULL, NULL, &error);
    if (status == HED_OK)
        status = hed_cloth_mesh_save_glb_frames(
            &mesh, "/dev/null", &(hed_cloth_stage){"", 30, 1, 1}, mesh.positions, 1, &error);
    if (status == HED_OK)
        status = hed_cloth_mesh_save_usd_frames(
            &mesh, "/dev/null", &(hed_cloth_stage){"a", 30, 1, 1}, mesh.positions, 1, &error);
    if (status == HED_OK)
        status = hed_cloth_mesh_save_alembic_frames(
            &mesh, path, &(hed_cloth_stage){"a", 30, 1, 1}, mesh.positions, 1, &error);
    if (status == HED_OK) status = hed_cloth_mesh_save_obj(&mesh, path, NULL, NULL, &error);
    if (status == HED_OK) status = hed_cloth_mesh_read(path, &again, &error);
    hed_cloth_mesh_free(&mesh);
    hed_cloth_mesh_free(&again);
    return status;
}

/* Files of the other formats, made before any allocation fails. */
static const char *const other_files[] = {"/a.ply", "/a.stl", "/a.gltf"};
static char folder[] = "/tmp/heddle-faults-XXXXXX";
static const char *const other_texts[] = {
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n"
    "property float ny\nproperty float nz\nproperty float s\nproperty float t\nproperty uchar red\nproperty uchar green\n"
    "property uchar blue\nelement face 1\nproperty list uchar int vertex_index\nproperty list uchar float texcoord\nend_header\n"
    "0 0 0 0 0 1 0 0 1 2 3\n1 0 0 0 0 1 1 0 1 2 3\n0 1 0 0 0 1 0 1 1 2 3\n3 0 1 2 0\n",
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
    "{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[{\"buffer\":1,\"byteLength\":48},"
    "{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},"
    "{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5121,\"type\":\"SCALAR\",\"count\":3},"
    "{\"bufferView\":1,\"componentType\":5121,\"normalized\":true,\"type\":\"VEC4\",\"count\":3}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":0,\"COLOR_0\":2},\"indices\":1},"
    "{\"mode\":0,\"attributes\":{}}]}],\"nodes\":[{\"mesh\":0}],\"buffers\":[{\"byteLength\":36,\"uri\":\"a.stl\"},"
    "{\"byteLength\":48,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAA\"}]}"};

static hed_status try_others(void)
{
    hed_status status = HED_OK;
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files && status == HED_OK; i++) {
        char name[64];
        hed_error error = {0};
        hed_cloth_mesh mesh;
        snprintf(name, sizeof name, "%s%s", folder, other_files[i]);
        hed_error_clear(&error);
        status = hed_cloth_mesh_read(name, &mesh, &error);
        if (status != HED_OK && (mesh.positions || mesh.corners)) abort();
        hed_cloth_mesh_free(&mesh);
    }
    return status;
}

static void make_others(void)
{
    if (!mkdtemp(folder)) abort();
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", folder, other_files[i]);
        FILE *file = fopen(name, "w");
        if (!file || fputs(other_texts[i], file) < 0 || fclose(file) != 0) abort();
    }
}

static void remove_others(void)
{
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", folder, other_files[i]);
        remove(name);
    }
    remove(folder);
}

static hed_status try_faults(void)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    uint32_t removed, particle_of[5], count;
    hed_status status = hed_cloth_mesh_parse_obj(text, sizeof text - 1, "a.obj", &mesh, &error);
    if (status == HED_OK) status = hed_cloth_mesh_weld(&mesh, 0.1f, particle_of, &count, &error);
    if (status == HED_OK) status = hed_cloth_mesh_mend(&mesh, &removed, &error);
    if (status == HED_OK) status = hed_cloth_mesh_require_sound("a.obj", &mesh, &error);
    hed_cloth_mesh_free(&mesh);
    return status;
}

static hed_status try_cache(void)
{
    static const float positions[6];
    hed_error error = {0};
    hed_cloth_pc2 *cache;
    uint32_t frames;
    hed_cloth_pc2_data data = {0};
    hed_status status = hed_cloth_pc2_create(path, 2, 0, 1, &cache, &error);
    if (status == HED_OK) status = hed_cloth_pc2_add(cache, positions, &error);
    if (cache) hed_cloth_pc2_close(cache, &error);
    if (status == HED_OK) status = hed_cloth_pc2_resume(path, 2, &cache, &frames, &error);
    if (cache) hed_cloth_pc2_close(cache, &error);
    if (status == HED_OK) status = hed_cloth_pc2_read(path, &data, &error);
    hed_cloth_pc2_free(&data);
    return status;
}

static hed_status try_poses(void)
{
    hed_error error = {0};
    hed_cloth_pc2_data samples;
    hed_status status = hed_cloth_gltf_sample("data/scenes/walker.glb", NULL, 2, &samples, &error);
    if (status != HED_OK && samples.positions) abort();
    hed_cloth_pc2_free(&samples);
    return status;
}

static hed_status try_check(void)
{
    static const float cloth[] = {0, 0, 0, 1, 0, 0, 0, 0, 1},
                       body[] = {0.2f, -1, 0.2f, 0.3f, 1, 0.2f, 0.2f, 1, 0.4f};
    static const uint32_t corners[] = {0, 1, 2};
    const hed_cloth_check_surface surfaces[] = {
        {3, 1, cloth, corners, false}, {3, 1, body, corners, true}};
    hed_error error = {0};
    hed_cloth_crossings found;
    hed_status status = hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = surfaces, .surface_count = 2}, &found, &error);
    if (found.pair_count != (status == HED_OK)) abort();
    hed_cloth_crossings_free(&found);
    return status;
}

/* A sheet that lies across a body. */
static hed_status try_lay(void)
{
    static const float sheet[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1},
                       body[] = {0.2f, -1, 0.2f, 0.3f, 0.1f, 0.2f, 0.2f, -1, 0.4f, 0.6f, -1, 0.3f};
    static const uint32_t corners[] = {0, 1, 3, 0, 3, 2},
                          faces[] = {0, 1, 3, 0, 2, 1, 2, 3, 1, 0, 3, 2};
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    garment.particle_count = 4;
    garment.positions = sheet;
    garment.triangle_count = 2;
    garment.triangles = corners;
    garment.layer = 1;
    float positions[12];
    hed_error error = {0};
    hed_cloth_laid laid;
    const hed_cloth_mesh_collider mesh = {4, 4, body, faces, 0, NULL};
    hed_status status = hed_cloth_lay(&garment, 1,
        &(hed_cloth_frame){.meshes = &mesh, .mesh_count = 1}, positions, &laid, &error);
    if (status == HED_OK && !laid.moved) abort();
    return status;
}

int main(void)
{
    static const fault_case cases[] = {{"parsing", try_parse}, {"files", try_files},
        {"faults", try_faults}, {"PLY, STL, glTF", try_others}, {"point cache", try_cache},
        {"check", try_check}, {"layers", try_lay}, {"poses", try_poses}};
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    make_others();
    int bad = try_all(cases, sizeof cases / sizeof *cases);
    remove(path);
    remove_others();
    return bad != 0;
}
