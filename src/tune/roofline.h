/* What a device reaches: bytes per second in a copy, operations per second in multiply-adds. */
#ifndef HED_TUNE_ROOFLINE_H
#define HED_TUNE_ROOFLINE_H

#include "database/database.h"

typedef struct hed_roofline {
    double bandwidth; /* bytes/s, read and written; 0: not known */
    /* single-precision operations/s, a multiply-add counting two; 0: not known */
    double arithmetic;
} hed_roofline;

/* From the database's facts, else, with `measure`, measured in under a second (and a compiler's
 * time) and kept there. What cannot be measured is logged and stays 0. `database` may be NULL. */
hed_roofline hed_roofline_of(hed_device *device, hed_database *database, bool measure);

#endif
