/* A sheet that several devices divide: a grid without lattices, cut into strips of consecutive rows.
 * A strip is the garment of a part (object/division.h): its own rows, and on either side a margin of
 * the neighbour's. In a substep each constraint passes a change on by as many rows as it spans, one
 * colour after the other, so that an error that begins at the outer end of a margin stays within a
 * margin that is wide enough. After the substep the margins get the neighbours' positions: own rows
 * have the bits of one device. */
#ifndef CLOTH_STRIPS_H
#define CLOTH_STRIPS_H

#include "object/division.h"
#include "solver/host.h"

/* Strips of a whole cloth. */
typedef struct cloth_strips {
    uint32_t margin; /* rows */
    uint32_t count;
    hed_event **ended, **taken; /* (count) of a substep, and of copies from the neighbours */
} cloth_strips;

/* True for a part that is a strip. */
static inline bool cloth_is_strip(const hed_cloth *cloth)
{
    return cloth->whole && cloth->whole->strips;
}

/* Property of a garment that strips cannot have, and the expected one; NULL: it can be cut. */
const char *cloth_strip_obstacle(const cloth_garment *sheet);

/* Decides to cut the sheet of a whole cloth into `count` strips. Errors: UNSUPPORTED (the property
 * that needs whole columns), ARGUMENT (other garments, fewer rows than margins need), MEMORY. */
hed_status cloth_strips_create(
    hed_cloth *whole, const hed_cloth_def *def, uint32_t count, hed_error *error);
void cloth_strips_destroy(hed_cloth *whole);
/* Gives part `number` its strip. Errors: MEMORY. */
hed_status cloth_take_strip(
    hed_cloth *part, const hed_cloth *whole, uint32_t number, hed_error *error);
/* Enqueues the copies of the neighbours' positions into all margins, after their work and before
 * all that follows. Errors: DRIVER, LOST, MEMORY. */
hed_status cloth_strips_exchange(hed_cloth *whole, hed_error *error);

#endif
