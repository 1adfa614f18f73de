/* Match of a value with a `pattern` attribute. An invalid pattern is ignored, as HTML specifies; a
 * pattern that is not supported is assumed to match. */
#include "inputs.h"
#include "support/pattern.h"

bool css_fits_pattern(const char *pattern, const char *text, size_t length)
{
    hed_pattern p;
    if (length > HED_PATTERN_TEXT) return true;
    return !hed_pattern_read(&p, pattern, HED_PATTERN_WHOLE | HED_PATTERN_SETS) ||
           hed_pattern_fits(&p, text, length);
}
