/* Reading of values, and faults in words. */
#ifndef HED_CSS_VALUES_H
#define HED_CSS_VALUES_H

#include "model/properties.h"
#include "values/match.h"

typedef enum css_value_kind {
    CSS_VALUE_JUDGED,
    CSS_VALUE_WIDE,        /* one CSS-wide keyword */
    CSS_VALUE_COMPUTED,    /* has var(), env() ...: known only when it is computed */
    CSS_VALUE_NO_VARIABLE, /* wrong arguments of such a function, at token `begin` */
    CSS_VALUE_UNJUDGED     /* longer or deeper than the matcher takes */
} css_value_kind;

/* Splits text[0, length) into tokens; text[length] must be readable. */
css_value_kind css_value_read(css_value *value, const char *text, size_t length);
/* Fills a fault from the stop of a match. */
void css_value_describe(const css_value *value, const css_value_stop *stop, css_value_fault *fault);

#endif
