/* Validity of the values of form controls. */
#ifndef HED_CSS_INPUTS_H
#define HED_CSS_INPUTS_H

#include "heddle/css.h"

/* Types of input elements; types with equal states have one number. */
typedef enum css_input_type {
    CSS_INPUT_TEXT, /* text and unknown types */
    CSS_INPUT_SEARCH,
    CSS_INPUT_TEL,
    CSS_INPUT_PASSWORD,
    CSS_INPUT_URL,
    CSS_INPUT_EMAIL,
    CSS_INPUT_NUMBER,
    CSS_INPUT_DATE,
    CSS_INPUT_MONTH,
    CSS_INPUT_WEEK,
    CSS_INPUT_TIME,
    CSS_INPUT_LOCAL, /* date and time */
    CSS_INPUT_RANGE,
    CSS_INPUT_COLOR,
    CSS_INPUT_CHECKBOX,
    CSS_INPUT_RADIO,
    CSS_INPUT_FILE,
    CSS_INPUT_SUBMIT,
    CSS_INPUT_IMAGE,
    CSS_INPUT_RESET, /* reset and button */
    CSS_INPUT_HIDDEN
} css_input_type;

/* Type of a `type` attribute; NULL: no attribute. */
css_input_type css_input_type_of(const char *type);

/* Attributes of an input element; NULL: absent. */
typedef struct css_input {
    css_input_type type;
    const char *value, *min, *max, *step, *pattern;
    bool multiple;
} css_input;

enum {
    CSS_VALUE_EMPTY = 1 << 0,  /* after sanitization by HTML */
    CSS_VALUE_WRONG = 1 << 1,  /* not an address, no match of the pattern, or between two steps */
    CSS_VALUE_INSIDE = 1 << 2, /* the value is between its limits, or absent, as in browsers */
    CSS_VALUE_OUTSIDE = 1 << 3 /* beyond its limits */
};
unsigned css_check_input(const css_input *input);

/* True if a text is an absolute URL (URL Living Standard, "URL parsing", without a base); url.c. */
bool css_is_url(const char *text, size_t length);
/* True if the whole text matches a JavaScript regular expression; pattern.c. */
bool css_fits_pattern(const char *pattern, const char *text, size_t length);

#endif
