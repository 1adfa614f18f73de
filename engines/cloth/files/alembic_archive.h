/* Open Alembic archive (alembic.h): its properties, the times of their samples, and the meshes and
 * transforms among its objects. */
#ifndef HED_CLOTH_FILES_ALEMBIC_ARCHIVE_H
#define HED_CLOTH_FILES_ALEMBIC_ARCHIVE_H

#include "files/alembic.h"
#include "files/mesh_file.h"

#include <stdbool.h>

enum { CLOTH_ARCHIVE_METAS = 256, CLOTH_ARCHIVE_NO_TRANSFORM = -1 };

typedef struct cloth_archive_span {
    const char *bytes;
    uint64_t size;
} cloth_archive_span;

/* Times of samples: `count` stored ones, repeated with a period. */
typedef struct cloth_archive_timing {
    double period;
    uint32_t count;
    const char *times;
} cloth_archive_timing;

typedef struct cloth_archive_group {
    uint64_t place, count;
} cloth_archive_group;

typedef struct cloth_archive_property {
    uint32_t bits, samples, first, last, timing;
    cloth_archive_group children;
} cloth_archive_property;

typedef struct cloth_archive_transform {
    int32_t parent; /* CLOTH_ARCHIVE_NO_TRANSFORM: the world */
    bool is_own;    /* the parent does not move it */
    cloth_archive_property ops, values;
} cloth_archive_transform;

typedef struct cloth_archive_shape {
    int32_t transform;
    cloth_archive_span name;
    cloth_archive_property positions, corners, counts, textures, texture_corners;
    uint32_t first, vertices; /* vertices in the whole mesh */
} cloth_archive_shape;

/* Open archive. The first error is kept in `error`. */
typedef struct cloth_archive {
    const char *bytes, *name, *node;
    uint64_t size;
    hed_error *error; /* not NULL */
    cloth_archive_span metas[CLOTH_ARCHIVE_METAS];
    cloth_list timings, transforms, shapes;
    uint32_t objects;
    uint32_t thin_faces; /* skipped faces of fewer than three corners */
} cloth_archive;

/* Opens an archive; call cloth_archive_close() in any case. Errors: FORMAT, MEMORY. */
hed_status cloth_archive_open(
    cloth_archive *a, const char *name, const char *bytes, size_t size, hed_error *error);
void cloth_archive_close(cloth_archive *a);

bool cloth_archive_fine(const cloth_archive *a);
/* Records a FORMAT error at a byte of the file. */
void cloth_archive_reject(cloth_archive *a, uint64_t place, const char *expected);
/* Records a MEMORY error. */
void cloth_archive_starve(cloth_archive *a);

/* Opens a sample's contents, which have to be of a type, in elements of `bytes`; an empty span: the
 * property has no samples. */
cloth_archive_span cloth_archive_sample(cloth_archive *a, const cloth_archive_property *p,
    uint32_t sample, cloth_alembic_type type, uint64_t bytes);
/* Finds the last sample that is not after a time, and how near a time is to the next one, 0 to
 * 1. */
uint32_t cloth_archive_sample_at(
    const cloth_archive *a, const cloth_archive_property *p, double time, float *part);
/* Returns the time of a sample, s. */
double cloth_archive_time(const cloth_archive *a, const cloth_archive_property *p, uint32_t sample);
bool cloth_archive_is_constant(const cloth_archive_property *p);
const cloth_archive_timing *cloth_archive_timing_of(
    const cloth_archive *a, const cloth_archive_property *p);

#endif
