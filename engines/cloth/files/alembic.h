/* Alembic caches (.abc, alembic.io) as its core "Ogawa" stores them, little-endian. The file: "Ogawa", 0xff, version
 * 0x0001 big-endian, place of the root group. A group: number of children, a word for each (its place, with bit 63
 * for data; nothing but that bit: empty data; 0: an empty group). Data: size, bytes.
 *
 * - Root: 0, version of the library, top object, meta data, time samplings, texts of meta data (size, letters).
 * - Object: its properties (a compound), its child objects, a header for each child (size of the name, name,
 *   number of its meta data) with 32 bytes of hashes after the last.
 * - Compound: its properties, a header for each (cloth_alembic_bits).
 * - Array property: for each sample its data (16 bytes of hash first) and its dimensions, empty if the size tells
 *   them. Scalar property: for each sample its data. */
#ifndef HED_CLOTH_FILES_ALEMBIC_H
#define HED_CLOTH_FILES_ALEMBIC_H

#include <stdint.h>

#define CLOTH_ALEMBIC_DATA ((uint64_t)1 << 63)

/* Bits of a property's header: a word, then numbers of 1 << HINT bytes: of samples, of the first
 * and last sample that changes, of the time sampling, size of the name; the name; and size and text
 * of meta data with number 255. */
typedef enum cloth_alembic_bits {
    CLOTH_ALEMBIC_SCALAR = 1, /* 0: compound, which has no number before the size of its name */
    CLOTH_ALEMBIC_ARRAY = 2,  /* 3: an array of one element */
    CLOTH_ALEMBIC_KIND = 3,
    CLOTH_ALEMBIC_HINT = 2, /* lowest bit of 2 */
    CLOTH_ALEMBIC_TYPE = 4, /* lowest bit of 4: cloth_alembic_type */
    CLOTH_ALEMBIC_TIMED = 1 << 8,
    CLOTH_ALEMBIC_RANGE = 1 << 9,  /* the first and last sample that changes are given */
    CLOTH_ALEMBIC_ALIKE = 1 << 10, /* all samples have one size */
    CLOTH_ALEMBIC_CONSTANT = 1 << 11,
    CLOTH_ALEMBIC_EXTENT = 12, /* lowest bit of 8: numbers of an element */
    CLOTH_ALEMBIC_META =
        20 /* lowest bit of 8: number of the meta data, from 1 on; 255: in the header */
} cloth_alembic_bits;

typedef enum cloth_alembic_type {
    CLOTH_ALEMBIC_BOOL = 0,
    CLOTH_ALEMBIC_UINT8 = 1,
    CLOTH_ALEMBIC_UINT32 = 5,
    CLOTH_ALEMBIC_INT32 = 6,
    CLOTH_ALEMBIC_FLOAT = 10,
    CLOTH_ALEMBIC_DOUBLE = 11
} cloth_alembic_type;

#endif
