/* Numbers in messages: plain digits, never an exponent. */
#include "support/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIMALS = 12 };

hed_digits_text hed_digits(double value, int digits)
{
    hed_digits_text plain;
    char scientific[64];
    if (!(fabs(value) <= 1e15)) {
        snprintf(plain.text, sizeof plain.text, "%g", value);
        return plain;
    }
    snprintf(scientific, sizeof scientific, "%.*e", digits - 1, value);
    int decimals = digits - 1 - atoi(strchr(scientific, 'e') + 1);
    decimals = decimals < 0 ? 0 : decimals > MAX_DECIMALS ? MAX_DECIMALS : decimals;
    int size = snprintf(plain.text, sizeof plain.text, "%.*f", decimals, value);
    while (decimals > 0 && plain.text[size - 1] == '0') plain.text[--size] = 0, decimals--;
    if (size > 0 && strchr(".,", plain.text[size - 1])) plain.text[size - 1] = 0;
    if (!strcmp(plain.text, "-0")) strcpy(plain.text, "0");
    return plain;
}
