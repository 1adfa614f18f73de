/* Memory that runs out in the scene loader: the n-th allocation fails, for every n. */
#include <unistd.h>

#include "failing_malloc.h"
#include "heddle/cloth_scene.h"

static char folder[] = "/tmp/heddle-faults-XXXXXX";
static char mesh_path[64], map_path[64];

/* Parses and moves a scene. Files are read once more for each allocation, so they are small. */
static hed_status try_scene(const char *text)
{
    hed_error error = {0};
    hed_cloth_scene *scene;
    hed_cloth_frame frame;
    hed_status status =
        hed_cloth_scene_parse(text, strlen(text), "s.json", folder, NULL, &scene, &error);
    if (status != HED_OK && (scene || !error.text[0])) abort();
    if (status == HED_OK) status = hed_cloth_scene_frame(scene, 3, 60, &frame, &error);
    hed_cloth_scene_close(scene);
    /* What jansson makes of a string that it could not keep is some other failure: see
     * support_faults.c. */
    return status != HED_OK && hit ? HED_ERROR_MEMORY : status;
}

static hed_status try_shapes(void)
{
    return try_scene(
        "{\"ground\": {}, \"wind\": {\"velocity\": [[1, 2, 3], [0, 0, 0]]}, \"output_matrix\": [[[1, "
        "0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]], \"garments\": [{\"name\": \"a\", \"grid\": {\"width\": 3, \"height\": 4, "
        "\"size\": [1, 1], \"folds\": 1}, \"array\": {\"columns\": 2, \"across\": [1, 0, 0]}}, "
        "{\"disc\": {\"radius\": 1, \"rings\": 2}}, {\"sleeve\": {\"radius\": 1, \"length\": 1, "
        "\"around\": 3, \"rows\": 2}}], \"colliders\": [{\"capsule\": {\"from\": [0, 0, 0], "
        "\"to\": [1, 0, 0], \"radius\": 0.1}, \"motion\": {\"keys\": [{\"time\": 0}]}}]}");
}

static hed_status try_meshes(void)
{
    return try_scene(
        "{\"garments\": [{\"mesh\": \"m.obj\", \"driver\": {\"mesh\": \"m.obj\"}, \"max_distance\": "
        "{\"file\": \"map.txt\"}, \"backstop_distance\": -1, \"drive\": {\"colour\": \"red\"}, "
        "\"pins\": [{\"vertices\": [0], \"motion\": {\"spin\": {\"axis\": \"y\", "
        "\"degrees_per_second\": 1}}}]}, "
        "{\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"#.obj\", \"first\": 1, "
        "\"last\": 1}}}], \"colliders\": [{\"mesh\": \"m.obj\"}]}");
}

static void write_text(char *path, const char *name, const char *text)
{
    snprintf(path, 64, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

int main(void)
{
    static const fault_case cases[] = {{"shapes", try_shapes}, {"meshes", try_meshes}};
    static const char mesh[] = "v 0 0 0 1 0 0\nv 1 0 0 0 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n";
    char numbered[64];
    if (!mkdtemp(folder)) return 1;
    write_text(mesh_path, "m.obj", mesh);
    write_text(numbered, "1.obj", mesh);
    write_text(map_path, "map.txt", "1 2 3\n");
    int bad = try_all(cases, sizeof cases / sizeof *cases);
    remove(mesh_path);
    remove(numbered);
    remove(map_path);
    rmdir(folder);
    return bad != 0;
}
