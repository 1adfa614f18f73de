/* Numbers in text files: with a decimal point whatever the locale, correctly rounded, and quick
 * enough for millions. */
#ifndef CLOTH_NUMBER_H
#define CLOTH_NUMBER_H

#include <stddef.h>

/* bytes that cloth_write_number() may need, the final zero included */
enum { CLOTH_NUMBER_TEXT = 24 };

/* Reads a number such as -1.5e3 at `at`; gives the place behind it, or NULL where there is none.
 * Too large gives an infinity. */
const char *cloth_read_number(const char *at, const char *end, float *value);
/* Writes the shortest of 7, 8 or 9 digits that read back as the same float; gives its length.
 * `value` is finite. */
size_t cloth_write_number(char *text, float value);

#endif
