/* libFuzzer harness for `pattern` attributes: the pattern up to the first zero byte, then the
 * value. A pattern that is judged judges the same value alike each time. */
#include "engines/css/model/inputs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t length = end ? (size_t)(end - data) : size, behind = end ? size - length - 1 : 0;
    char *pattern = fuzz_copy(data, length), *value = fuzz_copy(end ? end + 1 : data, behind);
    bool fits = css_fits_pattern(pattern, value, behind);
    must(css_fits_pattern(pattern, value, behind) == fits);
    free(pattern);
    free(value);
    return 0;
}
