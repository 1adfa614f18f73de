/* Scene files: opening, and what a program asks of an open scene. */
#include "heddle/cloth_scene.h"

#include "support/errors.h"

static hed_status not_there(hed_error *error) { return hed_error_set(error, HED_ERROR_UNSUPPORTED, "scenes: not there yet"); }

hed_status hed_cloth_scene_open(const char *path, const hed_cloth_scene_options *options, hed_cloth_scene **scene, hed_error *error)
{
    (void)path, (void)options;
    *scene = NULL;
    return not_there(error);
}

hed_status hed_cloth_scene_parse(const char *name, const char *text, size_t size, const char *folder, const hed_cloth_scene_options *options,
                                 hed_cloth_scene **scene, hed_error *error)
{
    (void)name, (void)text, (void)size, (void)folder, (void)options;
    *scene = NULL;
    return not_there(error);
}

void hed_cloth_scene_close(hed_cloth_scene *scene) { (void)scene; }
const char *hed_cloth_scene_schema(void) { return "{}"; }

hed_cloth_def hed_cloth_scene_def(const hed_cloth_scene *scene)
{
    (void)scene;
    return (hed_cloth_def){0};
}

double hed_cloth_scene_rate(const hed_cloth_scene *scene)
{
    (void)scene;
    return 60;
}

uint32_t hed_cloth_scene_frames(const hed_cloth_scene *scene)
{
    (void)scene;
    return 0;
}

hed_status hed_cloth_scene_frame(hed_cloth_scene *scene, uint32_t number, double rate, hed_cloth_frame *frame, hed_error *error)
{
    (void)scene, (void)number, (void)rate, (void)frame;
    return not_there(error);
}

uint32_t hed_cloth_scene_garment_count(const hed_cloth_scene *scene)
{
    (void)scene;
    return 0;
}

const hed_mesh *hed_cloth_scene_mesh(const hed_cloth_scene *scene, uint32_t garment)
{
    (void)scene, (void)garment;
    return NULL;
}

const char *hed_cloth_scene_garment_name(const hed_cloth_scene *scene, uint32_t garment)
{
    (void)scene, (void)garment;
    return "";
}

void hed_cloth_scene_colour(const hed_cloth_scene *scene, uint32_t garment, float rgb[3])
{
    (void)scene, (void)garment;
    rgb[0] = rgb[1] = rgb[2] = 1.0f;
}

uint32_t hed_cloth_scene_prop_count(const hed_cloth_scene *scene)
{
    (void)scene;
    return 0;
}

hed_cloth_prop hed_cloth_scene_prop(const hed_cloth_scene *scene, uint32_t index)
{
    (void)scene, (void)index;
    return (hed_cloth_prop){0};
}

hed_cloth_camera hed_cloth_scene_camera(const hed_cloth_scene *scene)
{
    (void)scene;
    return (hed_cloth_camera){0};
}
