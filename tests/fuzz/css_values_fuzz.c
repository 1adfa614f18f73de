/* libFuzzer harness for values of properties: the first two bytes choose the property, the rest is
 * the value. A fault lies inside of the value and is found again, and CSS-wide keywords are always
 * valid. */
#include "engines/css/model/properties.h"
#include "fuzz.h"
#include "fuzz_draw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t count;
    while (css_property_at(count)) count++;
    if (size < 2) return 0;
    const char *property = css_property_at((data[0] + 256u * data[1]) % count);
    char *value = fuzz_copy(data + 2, size - 2);
    css_value_fault fault = {.expected = "a value"};
    bool valid = css_value_valid(property, value, size - 2, data[0] & 1, NULL);
    /* descriptions of faults take longer than the match */
    if (fuzz_draws(data, size, 8))
        must(css_value_valid(property, value, size - 2, data[0] & 1, &fault) == valid);
    must(valid || (fault.begin <= fault.end && fault.end <= size - 2 && fault.expected[0]));
    must(memchr(fault.expected, 0, sizeof fault.expected) &&
         memchr(fault.suggestion, 0, sizeof fault.suggestion));
    must(!css_wide_value(value, size - 2) || valid);
    free(value);
    return 0;
}
