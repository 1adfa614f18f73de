/* Numbers in text. The fast path computes in double and is right unless the result is too near
 * the middle of two floats; then, and for denormals and overflow, the C library decides (D.
 * Lemire, Number Parsing at a Gigabyte per Second, 2021, on the cases in which the fast path is
 * exact; the margin is Heddle's). */
#include "files/mesh_file.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { LARGEST_POWER = 22 }; /* largest power of ten that a double represents exactly */

/* Rounds a double whose last digits may be off by a few units; false if that could change the
 * float. */
static bool round_safely(double value, float *rounded)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t low_bits = (uint32_t)bits & 0x1fffffffu; /* the 29 bits that a float lacks */
    double size = fabs(value);
    if (low_bits - 0x0ffffff0u <= 0x20u || size < 1.2e-38 || size > 3.4e38) return false;
    *rounded = (float)value;
    return true;
}

/* Computes digits * 10^exponent, off by less than 4 units; 0: out of range. */
static double scale(uint64_t digits, int exponent)
{
    double value = (double)digits;
    if (exponent < -2 * LARGEST_POWER || exponent > 2 * LARGEST_POWER) return 0;
    for (; exponent > LARGEST_POWER; exponent -= LARGEST_POWER) value *= powers[LARGEST_POWER];
    for (; exponent < -LARGEST_POWER; exponent += LARGEST_POWER) value /= powers[LARGEST_POWER];
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

/* Reads with the C library, in the C locale; false for a text of more than 255 characters, which
 * is no number. */
static bool read_slowly(const char *from, const char *to, float *value)
{
    char text[256];
    size_t size = (size_t)(to - from);
    if (size >= sizeof text) return false;
    memcpy(text, from, size);
    text[size] = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return false;
    *value = strtof_l(text, NULL, plain);
    freelocale(plain);
    return true;
}

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* Reads the part from e on; returns `at` if no digit follows the e. */
static const char *read_exponent(const char *at, const char *end, int *exponent)
{
    if (at == end || (*at != 'e' && *at != 'E')) return at;
    const char *digit = at + 1;
    bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+')) digit++;
    if (!is_digit(digit, end)) return at;
    int value = 0;
    for (; is_digit(digit, end); digit++)
        if (value < 10000) value = value * 10 + (*digit - '0');
    *exponent += negative ? -value : value;
    return digit;
}

const char *cloth_read_number(const char *at, const char *end, float *value)
{
    const char *from = at;
    bool negative = at < end && *at == '-', any = false;
    uint64_t digits = 0;
    /* number of digits in `digits`; digits after the 19th are below the margin of round_safely() */
    int digit_count = 0, exponent = 0;
    if (at < end && (*at == '-' || *at == '+')) at++;
    for (; is_digit(at, end); at++, any = true) {
        if (digit_count < 19) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            digit_count += digits > 0;
        } else if (exponent < 10000) {
            exponent++;
        }
    }
    if (at < end && *at == '.') {
        for (at++; is_digit(at, end); at++, any = true) {
            if (digit_count == 19 || exponent < -10000) continue;
            digits = digits * 10 + (uint64_t)(*at - '0');
            digit_count += digits > 0;
            exponent--;
        }
    }
    if (!any) return NULL;
    at = read_exponent(at, end, &exponent);
    if (digits == 0) *value = 0;
    else if (!round_safely(scale(digits, exponent), value)) {
        if (!read_slowly(from, at, value)) return NULL;
        return at;
    }
    if (negative) *value = -*value;
    return at;
}

/* Writes digits with a decimal point, without zeros at the end. */
static size_t put_decimal(char *text, bool negative, uint64_t digits, int decimals)
{
    char reversed[CLOTH_NUMBER_TEXT];
    size_t used = 0, size = 0;
    for (; decimals > 0 && digits % 10 == 0; decimals--) digits /= 10;
    for (int place = 0; digits > 0 || place <= decimals; place++, digits /= 10) {
        if (place == decimals && decimals > 0) reversed[used++] = '.';
        reversed[used++] = (char)('0' + digits % 10);
    }
    if (negative) text[size++] = '-';
    while (used > 0) text[size++] = reversed[--used];
    text[size] = 0;
    return size;
}

size_t cloth_write_number(char *text, float value)
{
    double size = fabs((double)value);
    if (value == 0) return put_decimal(text, signbit(value), 0, 0);
    if (size >= 1e-4 && size < 1e6) {
        int before = 1; /* digits before the point; 0 and below: zeros after it */
        while (size >= powers[before]) before++;
        for (double top = 1; before > -3 && size < top; top /= 10) before--;
        for (int decimals = 7 - before; decimals <= 9 - before; decimals++) {
            uint64_t digits = (uint64_t)llround(size * powers[decimals]);
            float back;
            if (round_safely((double)digits / powers[decimals], &back) && back == fabsf(value))
                return put_decimal(text, value < 0, digits, decimals);
        }
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
             before = plain ? uselocale(plain) : (locale_t)0;
    int length = 0;
    float back = 0;
    for (int digits = 7; digits <= 9 && (length == 0 || back != value); digits++) {
        length = snprintf(text, CLOTH_NUMBER_TEXT, "%.*g", digits, (double)value);
        if (!cloth_read_number(text, text + length, &back)) break;
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return (size_t)length;
}
