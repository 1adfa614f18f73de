/* Table of the named character references. */
#ifndef HED_CSS_HTML_ENTITIES_H
#define HED_CSS_HTML_ENTITIES_H

#include <stdint.h>

enum { HTML_ENTITIES = 2231 };

typedef struct html_entity {
    uint16_t begin;               /* position of the name in html_entity_text */
    uint8_t length, value_length; /* lengths of the name, with its semicolon, and of the value */
} html_entity;

extern const char html_entity_text[];
extern const html_entity html_entities[HTML_ENTITIES]; /* sorted by name */

#endif
