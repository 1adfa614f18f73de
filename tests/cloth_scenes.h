/* What the tests of scene files share: parsing, checks with words, and the smallest scenes and
 * files. */
#ifndef HED_TESTS_CLOTH_SCENES_H
#define HED_TESTS_CLOTH_SCENES_H

#include "folder.h"
#include "testing.h"

#include <math.h>

#include "heddle/cloth_scene.h"
#include "files/cloth_scene_parts.h"

static hed_error error;

static inline void write_text(const char *name, const char *text)
{
    write_file(in_folder(name), text, strlen(text));
}

static inline hed_status parse(
    const char *text, const hed_cloth_scene_options *options, hed_cloth_scene **scene)
{
    error = (hed_error){0};
    return hed_cloth_scene_parse(text, strlen(text), "s.json", folder, options, scene, &error);
}

static inline hed_cloth_scene *parsed(const char *text)
{
    hed_cloth_scene *scene = NULL;
    OK(parse(text, NULL, &scene));
    return scene;
}

static inline void refuse(hed_status status, const char *text, const char *words)
{
    hed_cloth_scene *scene = (hed_cloth_scene *)&error;
    hed_status found = parse(text, NULL, &scene);
    EXPECT(found == status, "%s\ngives %s instead of %s: %s", text, hed_status_name(found),
        hed_status_name(status), error.text);
    EXPECT(!scene, "%s", text);
    EXPECT(strstr(error.text, words), "%s\nis refused with   %s\ninstead of        %s", text,
        error.text, words);
}

static inline void near(double found, double expected, double tolerance, const char *what)
{
    EXPECT(fabs(found - expected) <= tolerance, "%s: %.9g instead of %.9g", what, found, expected);
}

static inline void point_is(
    const float *found, double x, double y, double z, double tolerance, const char *what)
{
    EXPECT(fabs(found[0] - x) <= tolerance && fabs(found[1] - y) <= tolerance &&
               fabs(found[2] - z) <= tolerance,
        "%s: (%g %g %g) instead of (%g %g %g)", what, found[0], found[1], found[2], x, y, z);
}

/* A scene with one garment of these members; a grid of 3 x 2 particles with what is added. */
#define ONE(members) "{\"garments\": [{" members "}]}"
#define GRID "\"grid\": {\"width\": 3, \"height\": 2, \"size\": [2, 1]}"

/* Two triangles with four vertices, and colours: red where x is 1, green 0.25. */
static const char SQUARE[] = "v 0 0 0 0 0.25 0\nv 1 0 0 1 0.25 0\nv 1 1 0 1 0.25 0\nv 0 1 0 0 "
                             "0.25 0\nf 1 2 3\nf 1 3 4\n";

/* Three samples of four vertices, which move one along x from each to the next. */
static inline void write_cache(const char *name)
{
    hed_cloth_pc2 *cache;
    OK(hed_cloth_pc2_create(in_folder(name), 4, 0, 2, &cache, &error));
    for (int s = 0; s < 3; s++) {
        float p[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
        for (int i = 0; i < 4; i++) p[3 * i] += (float)s;
        OK(hed_cloth_pc2_add(cache, p, &error));
    }
    OK(hed_cloth_pc2_close(cache, &error));
}

#endif
