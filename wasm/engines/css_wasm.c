/* Functions of the css engine that its module lacks: matching on devices
 * (engines/css/solver/device_match.c), since a module matches on the processor, and the grammar of
 * values (engines/css/values/), a module that JavaScript calls. */
#include "heddle/author.h"

#include "engines/css/model/properties.h"
#include "engines/css/solver/device_match.h"

/* ---- grammar of values: imports ---- */

bool heddle_css_property_known(const char *property);
bool heddle_css_value_valid(const char *property, const char *value, size_t length, bool quirks);

bool css_property_known(const char *property) { return heddle_css_property_known(property); }

bool css_value_valid(
    const char *property, const char *value, size_t length, bool quirks, css_value_fault *fault)
{
    return heddle_css_value_valid(property, value, length, quirks);
}

/* ---- devices ---- */

hed_status css_device_create(hed_device *device, hed_allocator allocator,
    const css_compiled *compiled, const css_forest *forest, bool wide, css_device **result,
    hed_error *error)
{
    *result = NULL;
    return HED_OK;
}

void css_device_destroy(css_device *device) {}

bool css_device_update(
    css_device *device, const css_compiled *compiled, const css_forest *forest, hed_error *error)
{
    return false;
}

uint64_t css_device_uploaded(const css_device *device) { return 0; }

bool css_device_match(css_device *device, css_found *result, hed_error *error) { return false; }

hed_status css_device_measure(
    css_device *device, uint32_t repeats, hed_css_times *times, hed_error *error)
{
    return hed_fail(error, HED_ERROR_UNSUPPORTED, "a module of WebAssembly matches on no device");
}
