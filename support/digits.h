/* Numbers in messages: plain digits, never an exponent. */
#ifndef HED_SUPPORT_DIGITS_H
#define HED_SUPPORT_DIGITS_H

typedef struct hed_digits_text {
    char text[32];
} hed_digits_text;

/* Writes a number with at least `digits` significant digits and no zeros at its end: 270.4 with 2
 * is "270", 0.0123 "0.012". Twelve decimals at most; less than half of the last one is "0".
 * Above 1e15 and not finite: as "%g" writes it. */
hed_digits_text hed_digits(double value, int digits);

#endif
