/* Table of the named character references. */
#ifndef HED_CSS_HTML_ENTITIES_H
#define HED_CSS_HTML_ENTITIES_H

#include <stdint.h>

/* Bits of the first byte of a name. */
enum html_entity_bits {
    HTML_ENTITY_COMMON =
        0x3f, /* number of leading bytes that the name shares with the previous name */
    HTML_ENTITY_BARE = 0x40, /* the name is valid without a semicolon, too */
    HTML_ENTITY_HIGH = 0x80  /* add 0x10000 to the code */
};

/* Names that begin with one letter. */
typedef struct html_entity_group {
    uint16_t begin; /* position in html_entity_names */
    uint16_t index; /* number of the first name */
} html_entity_group;

/* Second character of a reference. */
typedef struct html_entity_second {
    uint16_t index; /* number of the name */
    uint16_t code;
} html_entity_second;

enum { HTML_ENTITY_END = 0x80 }; /* bit of the last byte of a name */

/* Names without their semicolons, sorted: for each a byte of html_entity_bits and the bytes that
 * differ from the previous name. */
extern const uint8_t html_entity_names[];
extern const html_entity_group html_entity_groups[]; /* groups of A to Z, of a to z, and the end */
extern const uint16_t html_entity_codes[];           /* character of each name */
extern const html_entity_second html_entity_seconds[]; /* sorted by name; at the end UINT16_MAX */

#endif
