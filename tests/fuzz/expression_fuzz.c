/* libFuzzer harness for expressions: whatever the text, an error that says something, or a value
 * that stays the same and hangs on nothing but the names that it says it uses. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const LABELS[] = {"x", "y"};
static const int64_t VALUES[] = {0, 7};
static const hed_parameter_def PARAMETERS[] = {
    {.name = "a", .values = VALUES, .count = 2, .labels = LABELS},
    {.name = "b", .values = VALUES, .count = 1, .labels = LABELS + 1}};
static const char *const NAMES[] = {"a", "b", "c", "min"};

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hed_expression_names names = {NAMES, 4, PARAMETERS, 2};
    hed_expression *expression;
    hed_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    hed_status status = hed_expression_create(NULL, text, &names, &expression, &error);
    if (status == HED_OK) {
        double values[] = {3, -0.5, 8, 0};
        double value = hed_expression_value(expression, values);
        for (uint32_t i = 0; i < 4; i++)
            if (!hed_expression_uses(expression, i)) values[i] = 1e9 + i;
        if (!same(value, hed_expression_value(expression, values))) abort();
    } else if ((status != HED_ERROR_FORMAT && status != HED_ERROR_ARGUMENT) || !error.text[0]) {
        abort();
    }
    hed_expression_destroy(expression);
    free(text);
    return 0;
}
