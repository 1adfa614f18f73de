/* Numbers in messages have plain digits, whatever their size. */
#include "support/digits.h"
#include "testing.h"

#include <float.h>
#include <math.h>

Test(digits, no_number_has_an_exponent)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } numbers[] = {{270.4, 2, "270"}, {0.0123, 2, "0.012"}, {2.25e-4, 3, "0.000225"}, {12, 3, "12"},
        {1.5, 3, "1.5"}, {9.96, 2, "10"}, {99.96, 3, "100"}, {-0.996, 2, "-1"}, {0, 2, "0"},
        {-1e-15, 2, "0"}, {1e-15, 2, "0"}, {43547123, 3, "43547123"}, {100, 2, "100"},
        {1e6, 2, "1000000"}, {3e-7, 2, "0.0000003"}};
    for (size_t i = 0; i < HED_COUNT(numbers); i++) {
        hed_digits_text plain = hed_digits(numbers[i].value, numbers[i].digits);
        EXPECT(
            !strcmp(plain.text, numbers[i].text), "%s, expected %s", plain.text, numbers[i].text);
    }
    EXPECT(!strcmp(hed_digits(-1e15, 3).text, "-1000000000000000"), "1e15");
    EXPECT(!strcmp(hed_digits(DBL_MAX, 3).text, "1.79769e+308"), "the largest");
    EXPECT(!strcmp(hed_digits(INFINITY, 3).text, "inf"), "infinity");
}
