/* A cloth that is divided over several devices: the garments of each device, and arrays of all
 * particles together. */
#ifndef CLOTH_DIVISION_H
#define CLOTH_DIVISION_H

#include "object/cloth_object.h"

enum { CLOTH_MAX_PARTS = 64 }; /* maximum number of devices */

/* Boundary between two parts: before copy `copy` of garment `garment`. */
typedef struct cloth_cut {
    uint32_t garment, copy;
} cloth_cut;

/* Checks that a definition can be divided: devices that exist, garments that cannot touch each
 * other, and no property that needs a single device. Errors: ARGUMENT, UNSUPPORTED. */
hed_status cloth_check_division(const hed_cloth_def *def, hed_error *error);
/* Deals the copies of all garments to `count` parts, consecutive ones to each, so that the largest
 * part has as few particles as possible. `cuts`: (count + 1) out, the beginning of each part, then
 * the end. The result depends on the garments alone. There are at least as many copies. */
void cloth_deal(const hed_cloth *whole, uint32_t count, cloth_cut *cuts);
/* Gives a part its copies of the whole's garments, whose arrays stay the whole's; `cuts`: the
 * part's beginning and end. Errors: MEMORY. */
hed_status cloth_take_garments(
    hed_cloth *part, const hed_cloth *whole, const cloth_cut *cuts, hed_error *error);

/* UNSUPPORTED if a cloth is on several devices; `subject`: the request. */
hed_status cloth_needs_one_device(const hed_cloth *cloth, const char *subject, hed_error *error);
/* Checks that all parts are at the same frame. Errors: DRIVER. */
hed_status cloth_check_together(const hed_cloth *cloth, hed_error *error);
/* Waits for the streams of all parts. Errors: DRIVER, LOST. */
hed_status cloth_wait_parts(hed_cloth *cloth, hed_error *error);

/* One of cloth_buffers: `count` arrays one after another, with a row for each particle. */
typedef struct cloth_rows {
    size_t member; /* offset in cloth_buffers */
    uint32_t row;  /* bytes */
    uint32_t count;
} cloth_rows;

#define CLOTH_ROWS(name, bytes, arrays) ((cloth_rows){offsetof(cloth_buffers, name), bytes, arrays})
/* Enqueues copies of the arrays of all parts to or from `array`, which has all particles. Margins of
 * strips are written, and not read. */
hed_status cloth_read_rows(hed_cloth *cloth, cloth_rows rows, void *array, hed_error *error);
hed_status cloth_write_rows(hed_cloth *cloth, cloth_rows rows, const void *array, hed_error *error);

#endif
